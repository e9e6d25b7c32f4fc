"""Doubts about a cell: a key of the messages of the grammar, a place and arguments."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from irenic.errors import FormatError
from irenic.formats.cells._language import language
from irenic.model.literals import quote


class CellError(FormatError):
    """What a cell says has no meaning, or several."""

    def __init__(self, key: str, at: int | None, *args: Any) -> None:
        self.key, self.args_of_key = key, args
        text = filled(language().grammar["messages"][key], *args)
        super().__init__(text, column=None if at is None else at + 1)


def _digits(text: str) -> str:
    return re.sub("[^0-9]", "", text)


def filled(template: str, *args: Any) -> str:
    """Return a message with its arguments: as they are, as repr (r), in quotes (q), digits (d)."""
    forms: dict[str, Callable[[str], str]] = {"!r": repr, "!q": quote, "d": _digits, "": str}
    text = template.replace("{settle}", language().grammar["settle"])
    return re.sub(r"\{(\d)(!r|!q|d|)\}", lambda m: forms[m[2]](args[int(m[1])]), text)
