"""Hypothesis profiles: fewer examples where the kernels run as plain Python.

In CI the examples are the same in every run, so that a change is judged by itself; elsewhere they
are new each time, and ``--hypothesis-profile=thorough`` looks longer.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile(
    "default",
    max_examples=100,
    deadline=None,
    suppress_health_check=_SLOW,
    print_blob=True,
    derandomize=bool(os.environ.get("CI")),
)
settings.register_profile("interpreted", settings.get_profile("default"), max_examples=15)
settings.register_profile("thorough", settings.get_profile("default"), max_examples=1500)
settings.load_profile("interpreted" if os.environ.get("NUMBA_DISABLE_JIT") == "1" else "default")
