"""Learning classifier systems that use CFSBE, for researchers to change; see the paper."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from irenic.systems._michigan import MichiganClassifier, Population
    from irenic.systems._operators import cross_regions, draw_region, mutate_region
    from irenic.systems._pittsburgh import PittsburghClassifier
    from irenic.systems._rows import TrainingRows
    from irenic.systems._selection import (
        Individual,
        crowding,
        pareto_ranks,
        survivors,
        tournaments,
    )
    from irenic.systems._settings import UCS, Variation

__all__ = [
    "UCS",
    "Individual",
    "MichiganClassifier",
    "PittsburghClassifier",
    "Population",
    "TrainingRows",
    "Variation",
    "cross_regions",
    "crowding",
    "draw_region",
    "mutate_region",
    "pareto_ranks",
    "survivors",
    "tournaments",
]

# Where each public name is defined, which is imported when the name is first used.
_NAMES = {
    "_michigan": ("MichiganClassifier", "Population"),
    "_operators": ("cross_regions", "draw_region", "mutate_region"),
    "_pittsburgh": ("PittsburghClassifier",),
    "_rows": ("TrainingRows",),
    "_selection": ("Individual", "crowding", "pareto_ranks", "survivors", "tournaments"),
    "_settings": ("UCS", "Variation"),
}
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'irenic.systems' has no attribute {name!r}")
    value = getattr(import_module(f"irenic.systems.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
