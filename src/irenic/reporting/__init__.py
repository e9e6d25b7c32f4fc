"""The document of rules, findings and counts, and the views that show them."""
