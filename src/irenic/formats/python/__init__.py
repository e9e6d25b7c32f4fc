"""Rules as Python source."""
