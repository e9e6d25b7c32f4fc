"""Objects that notebooks show."""

from __future__ import annotations

from importlib import import_module


class Shown:
    """An object that notebooks show as HTML, which ``irenic.reporting.notebook`` writes."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        # by name, because views are above the model
        return str(import_module("irenic.reporting.notebook").html(self))
