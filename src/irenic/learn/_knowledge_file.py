"""A file of what users know: rules to keep, properties and columns, as the page hands them back."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from irenic.errors import FormatError, did_you_mean
from irenic.frames.files import as_text, read_bytes

_KEYS: Final = ("rules", "never", "always", "forbidden", "monotonic_cst", "ordered")

# What the values of keys with an object must be, and how to say it.
_OBJECTS: Final[dict[str, tuple[Callable[[Any], bool], str]]] = {
    "monotonic_cst": (
        lambda sign: not isinstance(sign, bool) and sign in (1, -1, 0),
        "an object of 1, -1 or 0 by column",
    ),
    "ordered": (lambda values: isinstance(values, list), "an object of lists by column"),
}


def load_knowledge(source: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the parameters of a classifier that the editor of a learned model wrote.

    Parameters
    ----------
    source : path-like
        File of JSON with the keys ``rules`` (text, one rule per line), ``never``, ``always`` and
        ``forbidden`` (lists of text), ``monotonic_cst`` (1 or -1 by column) and ``ordered`` (lists
        of values by column, lowest first), all of them optional.

    Returns
    -------
    dict
        Parameters of :class:`irenic.RuleSetClassifier`.

    Raises
    ------
    FormatError
        If the file contains something else.
    FileError
        If the file cannot be read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from irenic import RuleSetClassifier
    >>> from irenic.learn import load_knowledge
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "loans.knowledge.json"
    >>> _ = path.write_text('{"rules": "IF age < 18 THEN deny", "forbidden": ["sex"]}')
    >>> RuleSetClassifier(**load_knowledge(path)).forbidden
    ['sex']
    """
    path = Path(source)
    return parse_knowledge(read_bytes(path), str(path))


def parse_knowledge(content: bytes, name: str = "") -> dict[str, Any]:
    """Return what :func:`load_knowledge` does, for the content of a file.

    Parameters
    ----------
    content : bytes
        The content.
    name : str
        Name of the file, for error messages.

    Returns
    -------
    dict
        Parameters of :class:`irenic.RuleSetClassifier`.

    Raises
    ------
    FormatError
        If it is something else.

    Examples
    --------
    >>> from irenic.learn import parse_knowledge
    >>> parse_knowledge(b'{"forbidden": ["sex"]}')
    {'forbidden': ['sex']}
    """
    try:
        knowledge = json.loads(as_text(content))
    except ValueError as error:
        raise FormatError(f"not valid JSON ({error})", path=name) from None
    if not isinstance(knowledge, dict):
        raise FormatError(
            f"knowledge must be an object with the keys {', '.join(_KEYS)}, got"
            f" {type(knowledge).__name__}",
            path=name,
        )
    for key, value in knowledge.items():
        if key not in _KEYS:
            raise FormatError(f"unknown key {key!r}{did_you_mean(key, _KEYS)}", path=name)
        if key in _OBJECTS:
            is_item, wanted = _OBJECTS[key]
            if not isinstance(value, dict) or not all(map(is_item, value.values())):
                raise FormatError(f"{key!r} must be {wanted}, got {value!r}", path=name)
            continue
        texts = [value] if key == "rules" else value
        if not isinstance(texts, list) or not all(isinstance(each, str) for each in texts):
            wanted = "text, one rule per line" if key == "rules" else "a list of text"
            raise FormatError(f"{key!r} must be {wanted}, got {value!r}", path=name)
    return knowledge
