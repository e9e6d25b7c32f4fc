"""Cells of decision tables: FEEL's unary tests."""
