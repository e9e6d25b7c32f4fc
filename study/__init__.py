"""The study: a comparison of ways to treat contradictions, and of irenic with its peers."""
