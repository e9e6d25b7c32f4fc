"""Files of rules: one module a format, chosen by the file's suffix.

A format is a module with ``loads(text, space) -> RuleSet`` and ``dumps(rules) -> str``.
"""

from __future__ import annotations

import errno
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from irenic.errors import FileError, FormatError, did_you_mean
from irenic.formats import json_rules, text_rules

if TYPE_CHECKING:
    from irenic.ruleset import RuleSet
    from irenic.space import Space


class Format(Protocol):
    """What a module of a format offers."""

    def loads(self, text: str, space: Space | None = None) -> RuleSet:
        """Return the rules that the text holds."""

    def dumps(self, rules: RuleSet) -> str:
        """Return the text of the rules."""


FORMATS: Final[dict[str, Format]] = {
    ".json": json_rules,
    ".rules": text_rules,
    ".txt": text_rules,
}


def _format_of(path: Path) -> Format:
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        hint = did_you_mean(suffix, FORMATS)
        raise FormatError(f"no format for files that end in {suffix!r}{hint}", path=str(path))
    return FORMATS[suffix]


def read(path: str | os.PathLike[str], *, space: Space | None = None) -> RuleSet:
    """Return the rule set that a file holds; the suffix says in which format.

    Parameters
    ----------
    path : path
        ``.json``, or ``.txt`` or ``.rules`` for text, one rule a line.
    space : Space, optional
        The space of the rules, instead of the one that the file holds or that is inferred from
        its tests.

    Examples
    --------
    >>> import irenic, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "ages.rules"
    >>> _ = path.write_text("IF age < 10 THEN child\\nIF age >= 10 THEN adult\\n")
    >>> irenic.read(path)
    <RuleSet: 2 rules, 1 feature>
      1. IF age < 10 THEN child
      2. IF age >= 10 THEN adult
    """
    path = Path(path)
    chosen = _format_of(path)
    text = read_text(path)
    try:
        return chosen.loads(text, space)
    except FormatError as error:
        raise error.at(path=str(path)) from None


def read_text(path: Path) -> str:
    """Return a file's text, UTF-8 with or without a byte-order mark."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"not UTF-8 text (byte {error.start}); save it as UTF-8", path=str(path)
        ) from None
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror or error}") from None


def write(rules: RuleSet, path: str | os.PathLike[str]) -> None:
    """Write a rule set to a file; the suffix says in which format.

    JSON loses nothing: read back, the set is equal. Text does not hold the space; read back with
    the same space, the set is equal. The file is written beside and then renamed, so that
    whatever goes wrong, the old file stays whole.

    Examples
    --------
    >>> import irenic, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "ages.json"
    >>> rules = irenic.RuleSet(None, [irenic.Rule({"age": (0, 10)}, then="child")])
    >>> irenic.write(rules, path)
    >>> irenic.read(path) == rules
    True
    """
    path = Path(path)
    write_text(path, _format_of(path).dumps(rules))


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    target = path.resolve()  # a link stays a link
    temporary = target.with_name(f".irenic-{secrets.token_hex(8)}")
    try:
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        try:
            with temporary.open("xb") as file:
                file.write(text.encode("utf-8"))
                file.flush()
                os.fsync(file.fileno())
            if target.exists():
                temporary.chmod(target.stat().st_mode & 0o777)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror or error}") from None
