"""The exceptions and warnings of irenic.

::

    IrenicError
    ├── SpaceError          an invalid feature or space (also a ValueError)
    ├── ConditionError      an invalid condition, region, rule or argument (also a ValueError)
    ├── DataError           a table or point that does not fit its space (also a ValueError)
    ├── ConflictError       rules that contradict each other (also a ValueError)
    ├── SeedError           a seed that a rival covers (also a ValueError)
    ├── BudgetError         a budget used up before the result was proved (also a RuntimeError)
    ├── FormatError         text or a file in an invalid format (also a ValueError)
    └── FileError           a file that cannot be read or written (also an OSError)

    FormatWarning           ambiguous input, or output that loses something (a UserWarning)

Every message names the object, the value and the way out.
"""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

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
    """The base class of all errors that irenic raises deliberately.

    Examples
    --------
    >>> import irenic
    >>> try:
    ...     irenic.Budget(seconds=-1)
    ... except irenic.IrenicError as error:
    ...     print(error)
    budget.seconds must be a non-negative number or None, got -1
    """


class SpaceError(IrenicError, ValueError):
    """An invalid feature or space: duplicate names, reversed bounds, no values."""


class ConditionError(IrenicError, ValueError):
    """An invalid condition, region, rule or argument, or a condition on an unknown feature."""


class DataError(IrenicError, ValueError):
    """A table or point that does not fit its space."""


class ConflictError(IrenicError, ValueError):
    """Rules that overlap but predict different consequents.

    Parameters
    ----------
    message : str
        What is wrong, and what to do about it.
    conflicts : sequence of Conflict
        The conflicts, also available as the attribute ``conflicts``.
    """

    _describe: Callable[[], tuple[str, Sequence[Any]]] | None = None

    def __init__(self, message: str, conflicts: Sequence[Any] = ()) -> None:
        super().__init__(message)
        self._conflicts = conflicts

    @classmethod
    def _deferred(cls, describe: Callable[[], tuple[str, Sequence[Any]]]) -> ConflictError:
        """Return an error whose message and conflicts are made when someone reads them."""
        error = cls.__new__(cls)
        error._describe = describe
        return error

    def _complete(self) -> None:
        if self._describe is not None:
            message, self._conflicts = self._describe()
            self._describe = None
            self.args = (message,)

    @property
    def conflicts(self) -> Sequence[Any]:
        """The conflicts."""
        self._complete()
        return self._conflicts

    @property
    def args(self) -> tuple[Any, ...]:
        """The message, as in every exception."""
        self._complete()
        return super().args

    @args.setter
    def args(self, values: tuple[Any, ...]) -> None:
        BaseException.args.__set__(self, values)  # type: ignore[attr-defined]

    def __str__(self) -> str:
        self._complete()
        return super().__str__()

    def __repr__(self) -> str:
        self._complete()
        return super().__repr__()

    def __reduce__(self) -> Any:
        return type(self), (self.args[0] if self.args else "", self.conflicts)


class SeedError(IrenicError, ValueError):
    """A seed that a rival covers or overlaps, so that no region around it is free."""


class BudgetError(IrenicError, RuntimeError):
    """A budget that was used up before the result was proved; no unproved result is returned."""


class FormatError(IrenicError, ValueError):
    """Text or a file in an invalid format.

    Parameters
    ----------
    message : str
        What is wrong, and what to do about it.
    path : str
        The file, if known.
    line, column : int, optional
        Where the error is, counted from 1.

    Examples
    --------
    >>> import irenic
    >>> try:
    ...     irenic.Rule.parse("IF age < THEN low")
    ... except irenic.FormatError:
    ...     print("not a rule")
    not a rule
    >>> print(irenic.FormatError("no value", path="rules.txt", line=3))
    rules.txt, line 3: no value
    """

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
        """Return the error with the unknown parts of its location filled in."""
        return FormatError(
            self.message,
            path=self.path or path,
            line=self.line if self.line is not None else line,
            column=self.column if self.column is not None else column,
        )


class FormatWarning(UserWarning):
    """Input that may have been meant differently, or output that a format cannot represent."""


class FileError(IrenicError, OSError):
    """A file that cannot be read or written; an existing file is left unchanged."""


def without_feature(error: Exception, name: str) -> str:
    """Return the message of an error about a feature, for places that name the feature already."""
    return str(error).removeprefix(f"feature {name!r}: ")


def did_you_mean(wrong: object, known: Iterable[object]) -> str:
    """Return ``"; did you mean 'age'?"``, or the known names if none is similar."""
    names = [str(name) for name in known]
    similar = difflib.get_close_matches(str(wrong), names, n=1)
    if similar:
        return f"; did you mean {_quoted(similar[0])}?"
    if not names:
        return " (there are none)"
    shown = ", ".join(map(_quoted, names[:8]))
    return f" (known: {shown}{', …' if len(names) > 8 else ''})"


def _quoted(name: str) -> str:
    """Return a name in quotes; words that the notation has in quotes have them already."""
    has_quotes = len(name) > 1 and name[0] == name[-1] == '"'
    return name if has_quotes else repr(name)


# Control characters, line separators at which editors or str.splitlines break a line, and marks
# that change the direction of the text around them.
_UNSAFE = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_UNSAFE_ON_A_LINE = re.compile(f"[\x00-\x1f{_UNSAFE.pattern[1:]}")


def escape_unsafe(encoded: str) -> str:
    """Return JSON with escapes for the signs that it may contain but that control a terminal."""
    return _UNSAFE.sub(_escaped, encoded)


def on_one_line(text: str) -> str:
    """Return text as one line for a terminal, with escapes of JSON for what would control it.

    Names, values and comments come from files that others wrote. A line break in them could
    pretend that the next line is from irenic, and an escape sequence could erase what it printed.

    >>> print(on_one_line("low" + chr(27) + "[2K risk" + chr(10) + "proved"))
    low\\u001b[2K risk\\u000aproved
    """
    return _UNSAFE_ON_A_LINE.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match.group()):04x}"


_ARGUMENT = re.compile(
    r"""(?<!\w)\w+=(?:…|\d+|(?P<quote>['"])(?P<value>.{0,1000}?)(?P=quote)|\[[^\]]{0,1000}\]"""
    r"""|\{[^}]{0,9999}\}) \((?P<option>--(?:'[^']*'|"[^"]*"|[^)'"]){0,1000})\)"""
)


def with_options(text: str) -> str:
    """Return a message for users of commands: with options instead of arguments of Python."""

    import shlex  # only messages of commands need it

    def option(match: re.Match[str]) -> str:
        value, name = match["value"], match["option"]
        return name if value is None or " " in name else f"{name} {shlex.quote(value)}"

    text = re.sub(r"\(\w+, (--[\w-]+)\)", r"(\1)", _ARGUMENT.sub(option, text))
    for phrase, of_command in _PHRASES.items():
        text = re.sub(phrase, of_command, text)
    return text


_PHRASES = {
    r"irenic check and irenic\.parse\(…\)\.bind\(\)\.errors list": "irenic check lists",
    r"RuleList\.from_rules\(rules\) or (?=--)": "",
    r" \(in Python: [^()]{0,1000}\)": "",
    r"; declare the feature with kind='number' to allow fractions": (
        "; to allow fractions, declare the column as number in a row under the header of the rules"
        " (irenic init writes one)"
    ),
    r"; declare it with missing=True": (
        "; fill in the value, or allow missing values in the rules (null in a cell of the column)"
    ),
    r"; declare it with other=True to allow others": "; declare the others to allow them",
    r"(?<=outside its bounds )\(([^,()]+), None\)": r"(at least \1)",
    r"(?<=outside its bounds )\(None, ([^,()]+)\)": r"(at most \1)",
}
"""What messages for users of Python say, and what the command says instead."""
