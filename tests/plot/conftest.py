"""Plots need no window, and none is left open."""

from __future__ import annotations

import matplotlib
import matplotlib.pyplot as plt
import pytest

matplotlib.use("agg")


@pytest.fixture(autouse=True)
def _no_figure_is_left():
    yield
    plt.close("all")
