"""Rules as SQL."""
