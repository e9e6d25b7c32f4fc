"""Files of rules: one module a format, chosen by the file's suffix.

A format is a module with ``loads(text, space) -> RuleSet`` and ``dumps(rules) -> str``.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from irenic.errors import FormatError, did_you_mean
from irenic.formats import json_rules, text_rules
from irenic.formats.files import read_text, write_text
from irenic.ruleset import RuleSet, check_rules

if TYPE_CHECKING:
    from irenic.learn import RuleSetClassifier
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


def write(rules: RuleSet | RuleSetClassifier, path: str | os.PathLike[str]) -> None:
    """Write a rule set, or a fitted classifier, to a file; the suffix says in which format.

    JSON loses nothing: read back, the set is equal. Text does not hold the space; read back with
    the same space, the set is equal. A classifier is written as JSON: :func:`read` reads its
    rules, :func:`read_model` all of it. The file is written beside and then renamed, so that
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
    if isinstance(rules, RuleSet):
        write_text(path, _format_of(path).dumps(rules))
        return
    # scikit-learn, which a classifier needs and a rule set does not, is there already if it is one
    from irenic.formats import json_model

    if not json_model.is_model(rules):
        check_rules(rules)  # raises
    if path.suffix.lower() != ".json":
        raise FormatError(
            "a model is written to a .json file; as text write its rules: clf.rules_",
            path=str(path),
        )
    write_text(path, json_model.dumps(rules))


def read_model(path: str | os.PathLike[str]) -> RuleSetClassifier:
    """Return the fitted classifier that :func:`write` wrote to a JSON file.

    It predicts, explains and selects exactly as the one that was written did; its certificate is
    checked anew.

    Examples
    --------
    >>> import irenic, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.json"
    >>> clf = irenic.RuleSetClassifier(generations=1, moves=50, random_state=0)
    >>> X = [[age] for age in range(40)]
    >>> irenic.write(clf.fit(X, [age >= 18 for age in range(40)]), path)
    >>> irenic.read_model(path).predict([[17], [18]])
    array([False,  True])
    >>> irenic.read(path) == clf.rules_
    True
    """
    path = Path(path)
    if path.suffix.lower() != ".json":
        raise FormatError("a model is read from a .json file", path=str(path))
    from irenic.formats import json_model

    text = read_text(path)
    try:
        return json_model.loads(text)
    except FormatError as error:
        raise error.at(path=str(path)) from None
