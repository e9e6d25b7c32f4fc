"""All compiled code; nothing else of the package is imported here."""
