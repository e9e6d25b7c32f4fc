"""Servers on standard input and output: for editors (LSP) and for agents (MCP)."""
