"""Every speed table of the project: ``python -m benchmarks [NAME ...] [--json FILE]``."""
