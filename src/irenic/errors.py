"""What can go wrong, as a tree of exceptions.

::

    IrenicError
    ├── SpaceError          a feature or a space that cannot be (also a ValueError)
    ├── ConditionError      a condition, region or rule that cannot be (also a ValueError)
    ├── DataError           a table or point that does not fit its space (also a ValueError)
    ├── ConflictError       two rules that would contradict each other (also a ValueError)
    ├── SeedError           a seed that a rival covers (also a ValueError)
    ├── BudgetError         a budget used up before the result was proved (also a RuntimeError)
    ├── FormatError         text that is not in the format it should be in (also a ValueError)
    └── FileError           a file that cannot be read or written (also an OSError)

    FormatWarning           what may be misread, or cannot be written (a UserWarning)

Every message names the object, the value and the way out.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = [
    "BudgetError",
    "ConditionError",
    "ConflictError",
    "DataError",
    "FileError",
    "FormatError",
    "IrenicError",
    "SeedError",
    "SpaceError",
]


class IrenicError(Exception):
    """The root: ``except irenic.IrenicError`` catches all that this library raises on purpose."""


class SpaceError(IrenicError, ValueError):
    """A feature or a space that cannot be: duplicate names, reversed bounds, no values."""


class ConditionError(IrenicError, ValueError):
    """A condition, region or rule that cannot be: reversed, empty, or of an unknown feature."""


class DataError(IrenicError, ValueError):
    """A table or a point that does not fit its space."""


class ConflictError(IrenicError, ValueError):
    """Two rules that overlap and predict different things; ``conflicts`` holds what was found."""

    def __init__(self, message: str, conflicts: Sequence[Any] = ()) -> None:
        super().__init__(message)
        self.conflicts = conflicts


class SeedError(IrenicError, ValueError):
    """A seed that a rival covers: no region that holds it is free."""


class BudgetError(IrenicError, RuntimeError):
    """A budget that was used up before the result was proved; nothing unproved is returned."""


class FormatError(IrenicError, ValueError):
    """Text that is not in the format it should be in, with the place where it is known."""

    def __init__(
        self, message: str, *, path: str = "", line: int | None = None, column: int | None = None
    ) -> None:
        self.message, self.path, self.line, self.column = message, path, line, column
        super().__init__(message)

    def __str__(self) -> str:
        place = [self.path] if self.path else []
        if self.line is not None:
            place.append(f"line {self.line}")
        if self.column is not None:
            place.append(f"column {self.column}")
        return f"{', '.join(place)}: {self.message}" if place else self.message

    def at(
        self, *, path: str = "", line: int | None = None, column: int | None = None
    ) -> FormatError:
        """Return the same error with what the caller knows of the place filled in."""
        return FormatError(
            self.message,
            path=self.path or path,
            line=self.line if self.line is not None else line,
            column=self.column if self.column is not None else column,
        )


class FormatWarning(UserWarning):
    """Something in a file that may have been meant otherwise, or that a format cannot hold.

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", FormatWarning)  # refuse what may be misread
    """


class FileError(IrenicError, OSError):
    """A file that cannot be read or written; what was there before is untouched."""


def did_you_mean(wrong: object, known: Iterable[object]) -> str:
    """Return ``", did you mean 'age'?"`` or, where nothing is near, the known names."""
    names = [str(k) for k in known]
    near = difflib.get_close_matches(str(wrong), names, n=1)
    if near:
        return f", did you mean {near[0]!r}?"
    if not names:
        return " (there are none)"
    shown = ", ".join(repr(n) for n in names[:8])
    return f" (known: {shown}{', …' if len(names) > 8 else ''})"
