"""Decision tables of any source: drafts, their assembly, and their lines."""
