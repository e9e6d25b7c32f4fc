"""Decision tables independent of file formats: drafts, their assembly, and lines to write."""
