"""Names in FEEL: the words that are none, and patterns of those that are known."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from irenic.model.patterns import lazy

KEYWORDS: Final = frozenset(
    {"if", "then", "else", "for", "in", "return", "some", "every", "satisfies", "and", "or"}
    | {"between", "instance", "of", "function", "external", "true", "false", "null"}
)


@lru_cache(maxsize=256)
def known_names(names: frozenset[str], *, components: bool = True) -> re.Pattern[str]:
    """Return a pattern that matches the longest of several names, as a component or not."""
    parts = [
        r"\s+".join(re.escape(word) for word in name.split())
        for name in sorted(names, key=len, reverse=True)
        if name.strip()
    ]
    before = "" if components else r"(?<!\w)(?<!(?<!\.)\.)"
    return lazy(f"{before}(?:{'|'.join(parts)})(?!\\w)" if parts else r"(?!)")
