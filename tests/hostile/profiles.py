"""How much of the hostile trial runs: a small share, or everything in a nightly run."""

from __future__ import annotations

import os

IS_NIGHTLY = os.environ.get("IRENIC_HOSTILE") == "nightly"


def nightly(value, *, otherwise):
    """Return a value for the nightly run (``IRENIC_HOSTILE=nightly``), and another for others."""
    return value if IS_NIGHTLY else otherwise
