"""Unary tests of FEEL, the conditions in cells of decision tables."""
