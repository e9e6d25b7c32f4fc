"""One summary of a rule set as plain data, and views of it."""
