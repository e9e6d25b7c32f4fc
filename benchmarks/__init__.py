"""The speed benchmarks: ``python -m benchmarks [NAME ...] [--json FILE]``."""
