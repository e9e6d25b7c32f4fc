"""Rules and models as JSON."""
