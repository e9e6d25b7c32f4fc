"""Cells as people write them: a vocabulary and a grammar as data, and what reads them."""
