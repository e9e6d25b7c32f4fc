"""Plots are drawn without a display, and every figure is closed."""

from __future__ import annotations

import matplotlib
import matplotlib.pyplot as plt
import pytest

matplotlib.use("agg")


@pytest.fixture(autouse=True)
def _close_figures():
    plt.close("all")  # those of examples in docstrings, which this process ran before
    yield
    plt.close("all")
