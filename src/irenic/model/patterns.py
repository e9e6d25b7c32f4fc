"""Regular expressions that are compiled when they are first used.

Reading a table tries hundreds of patterns on doubtful cells, and few of them on ordinary ones.
Compiling all of them takes longer than importing numpy.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


class _Lazy:
    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern, self.flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        # kept, so that later uses are as fast as those of a compiled pattern
        value = self.__dict__[name] = getattr(re.compile(self.pattern, self.flags), name)
        return value


def lazy(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a regular expression that is compiled when one of its methods is first used.

    >>> lazy("a+").fullmatch("aa") is not None
    True
    """
    return cast("re.Pattern[AnyStr]", _Lazy(pattern, flags))
