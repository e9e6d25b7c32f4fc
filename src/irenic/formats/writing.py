"""Rules to files of any format; the suffix says in which."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Final

from irenic.errors import FormatError, FormatWarning, did_you_mean
from irenic.formats import text as text_rules
from irenic.formats._branches import without_policy
from irenic.formats.json import rules as json_rules
from irenic.frames.files import read_text, write_bytes, write_text
from irenic.model.decision_table import DecisionTable
from irenic.model.rulelist import RuleList
from irenic.model.ruleset import RuleSet, check_rules

if TYPE_CHECKING:
    from irenic.learn import RuleSetClassifier

WRITTEN: Final = (".csv", ".dmn", ".json", ".py", ".rules", ".sql", ".txt", ".xlsx")
"""What files that rules are written to end in."""


def write(
    rules: RuleSet | RuleList | DecisionTable | RuleSetClassifier, path: str | os.PathLike[str]
) -> None:
    """Write rules, or a fitted classifier, to a file; the suffix says in which format.

    JSON and DMN lose nothing: read back, the rules are equal. Text and decision tables
    (``.csv``, ``.xlsx``) do not hold the space; read back with the same space, the rules are
    equal. SQL (``.sql``, on a table called ``cases``) and Python source (``.py``) are for running:
    :func:`to_sql` and :func:`to_python` have more options. A classifier is written as JSON:
    :func:`read` reads its rules, :func:`read_model` all of it. A :class:`FormatWarning` names
    everything of a table that the file does not hold, such as annotations, and rows that can never
    hold where the file is not a table. A new file is written next to the old one and then replaces
    it, so the old file stays whole if anything fails. Links are followed, a pipe or a character
    device (``/dev/stdout``) is written into, and anything else that is not a regular file is
    refused.

    Examples
    --------
    >>> import irenic, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "ages.json"
    >>> rules = irenic.RuleSet([irenic.Rule({"age": (0, 10)}, then="child")])
    >>> irenic.write(rules, path)
    >>> irenic.read(path) == rules
    True
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if isinstance(rules, RuleSet | RuleList | DecisionTable):
        check_suffix(path)
        try:
            raw = _dumps(rules, suffix, path.stem)
        except FormatError as error:
            raise error.at(path=str(path)) from None
        write_bytes(path, raw.encode("utf-8") if isinstance(raw, str) else raw)
        if isinstance(rules, DecisionTable):
            warn_of_loss(rules, str(path))
        return
    # scikit-learn, which a classifier needs and a rule set does not, is there already if it is one
    from irenic.formats.json import model as json_model

    if not json_model.is_model(rules):
        check_rules(rules)  # raises
    if suffix != ".json":
        raise FormatError(
            "a model is written to a .json file; as text write its rules: clf.rules_",
            path=str(path),
        )
    write_text(path, json_model.dumps(rules))


def check_suffix(path: Path) -> None:
    """Refuse a file whose suffix names no format that rules are written in."""
    suffix = path.suffix.lower()
    if suffix not in WRITTEN:
        hint = did_you_mean(suffix, WRITTEN)
        raise FormatError(f"no format for files that end in {suffix!r}{hint}", path=str(path))


TABLES: Final = (".csv", ".dmn", ".xlsx")
"""What files that hold rows end in."""


def warn_of_loss(table: DecisionTable, path: str = "") -> None:
    """Warn of what a table holds and a file does not: rows that never hold, and annotations."""
    kept = {row.row for row in table.unsatisfiable} if path.lower().endswith(TABLES) else set()
    told = [table.say_never(row) for row in table.never_hold if row not in kept]
    told += [f"{w} {'is' if w.startswith('1 ') else 'are'} left out" for w in table.left_out]
    for text in told:
        # where the caller of `write` is
        warnings.warn(f"{path}: {text}" if path else text, FormatWarning, stacklevel=3)


def _dumps(rules: RuleSet | RuleList | DecisionTable, suffix: str, name: str) -> str | bytes:
    """Return what a file of the rules holds."""
    # each writer is imported when it is needed: openpyxl and sqlglot are for few
    if suffix == ".csv":
        from irenic.formats.sheets import rules as table_rules

        return table_rules.dumps_csv(rules)
    if suffix == ".xlsx":
        from irenic.formats.sheets import rules as table_rules

        return table_rules.dumps_xlsx(rules)
    if suffix == ".dmn":
        from irenic.formats.dmn import writing as dmn_writing

        return dmn_writing.dumps(rules, name=name)
    if suffix == ".sql":
        from irenic.formats.sql import source as sql

        return sql.dumps(rules)
    if suffix == ".py":
        from irenic.formats.python import source as python_source

        return python_source.dumps(rules)
    form = f"{suffix} files"
    plain = without_policy(rules, form) if isinstance(rules, DecisionTable) else rules
    if suffix == ".json":
        return json_rules.dumps(plain)
    if isinstance(plain, RuleList):
        raise FormatError(
            "a text file holds rules in no order, and these are a list; write .json, or turn the"
            " list into a set first: irenic.to_set, or irenic convert --as-set"
        )
    return text_rules.dumps(plain)


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
    from irenic.formats.json import model as json_model

    text = read_text(path)
    try:
        return json_model.loads(text)
    except FormatError as error:
        raise error.at(path=str(path)) from None
