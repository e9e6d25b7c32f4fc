"""Rules to files, file objects and texts of any format."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, overload

from irenic.errors import FormatError, FormatWarning
from irenic.formats import text as text_rules
from irenic.formats._branches import without_policy
from irenic.formats.json import rules as json_rules
from irenic.frames.files import File, format_of, name_of, write_file
from irenic.model.decision_table import DecisionTable
from irenic.model.rulelist import RuleList
from irenic.model.ruleset import RuleSet

if TYPE_CHECKING:
    from irenic.learn import RuleSetClassifier

WRITTEN: Final = ("csv", "dmn", "json", "py", "rules", "sql", "txt", "xlsx")
"""The formats that rules are written in, named after the suffixes of their files."""
TABLES: Final = ("csv", "dmn", "xlsx")
"""The formats that hold rows."""


def write(
    rules: RuleSet | RuleList | DecisionTable | RuleSetClassifier,
    target: File,
    *,
    format: str | None = None,
) -> None:
    """Write rules, or a fitted classifier, to a file or file object.

    JSON and DMN lose nothing: read back, the rules are equal. Text and decision tables
    (``csv``, ``xlsx``) do not hold the space; read back with the same space, the rules are
    equal. SQL (``sql``, on a table called ``cases``) and Python source (``py``) are for running:
    :func:`to_sql` and :func:`to_python` have more options. A classifier is written as JSON:
    :func:`read` reads its rules, :func:`read_model` all of it. A :class:`FormatWarning` names
    everything of a table that the file does not hold, such as annotations, and rows that can never
    hold where the file is not a table. A new file is written next to the old one and then replaces
    it, so the old file stays whole if anything fails. Links are followed, a pipe or a character
    device (``/dev/stdout``) is written into, and anything else that is not a regular file is
    refused.

    Parameters
    ----------
    rules : RuleSet, RuleList, DecisionTable or RuleSetClassifier
    target : path or file object
        A file object of text or bytes; ``xlsx`` needs one of bytes.
    format : str, optional
        ``"csv"``, ``"dmn"``, ``"json"``, ``"py"``, ``"rules"``, ``"sql"``, ``"txt"`` or ``"xlsx"``.
        By default what the suffix of the file name says; required where there is no name.

    Raises
    ------
    FileError
        If the file cannot be written.
    FormatError
        If the format is not known, or cannot hold the rules.

    Examples
    --------
    >>> import irenic, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "ages.json"
    >>> rules = irenic.RuleSet([irenic.Rule({"age": (0, 10)}, then="child")])
    >>> irenic.write(rules, path)
    >>> irenic.read(path) == rules
    True
    """
    name = name_of(target)
    form = format_of(name, format, WRITTEN)
    try:
        text = _dumps(rules, form, Path(name).stem)
    except FormatError as error:
        raise error.at(path=name) from None
    write_file(target, text)
    if isinstance(rules, DecisionTable):
        warn_of_loss(rules, form, name)


@overload
def dumps(rules: RuleSet | RuleList | DecisionTable, *, format: Literal["xlsx"]) -> bytes: ...
@overload
def dumps(
    rules: RuleSet | RuleList | DecisionTable | RuleSetClassifier,
    *,
    format: Literal["csv", "dmn", "json", "py", "rules", "sql", "txt"],
) -> str: ...
@overload
def dumps(
    rules: RuleSet | RuleList | DecisionTable | RuleSetClassifier, *, format: str
) -> str | bytes: ...
def dumps(
    rules: RuleSet | RuleList | DecisionTable | RuleSetClassifier, *, format: str
) -> str | bytes:
    """Return what :func:`write` writes: text, or bytes for ``"xlsx"``.

    Parameters
    ----------
    rules : RuleSet, RuleList, DecisionTable or RuleSetClassifier
    format : str
        As for :func:`write`.

    Returns
    -------
    str or bytes

    Raises
    ------
    FormatError
        If the format is not known, or cannot hold the rules.

    Examples
    --------
    >>> import irenic
    >>> rules = irenic.RuleSet([irenic.Rule({"age": (0, 10)}, then="child")])
    >>> irenic.dumps(rules, format="csv")
    'age,then\\n[0..10),child\\n'
    >>> irenic.loads(irenic.dumps(rules, format="json"), format="json") == rules
    True
    """
    form = format_of("", format, WRITTEN)
    text = _dumps(rules, form, "")
    if isinstance(rules, DecisionTable):
        warn_of_loss(rules, form)
    return text


def warn_of_loss(table: DecisionTable, format: str, name: str = "") -> None:
    """Warn of what a table holds and a format does not: rows that never hold, and annotations."""
    kept = {row.row for row in table.unsatisfiable} if format in TABLES else set()
    told = [table.say_never(row) for row in table.never_hold if row not in kept]
    told += [f"{w} {'is' if w.startswith('1 ') else 'are'} left out" for w in table.left_out]
    for text in told:
        # where the caller of `write` is
        warnings.warn(f"{name}: {text}" if name else text, FormatWarning, stacklevel=3)


def _dumps(
    rules: RuleSet | RuleList | DecisionTable | RuleSetClassifier, form: str, name: str
) -> str | bytes:
    """Return what a file of the rules holds."""
    if not isinstance(rules, RuleSet | RuleList | DecisionTable):
        return _dumps_model(rules, form)
    # each writer is imported when it is needed: openpyxl and sqlglot are for few
    if form in ("csv", "xlsx"):
        from irenic.formats.sheets import rules as sheets

        return sheets.dumps_csv(rules) if form == "csv" else sheets.dumps_xlsx(rules)
    if form == "dmn":
        from irenic.formats.dmn import writing as dmn_writing

        return dmn_writing.dumps(rules, name=name)
    if form == "sql":
        from irenic.formats.sql import source as sql

        return sql.dumps(rules)
    if form == "py":
        from irenic.formats.python import source as python_source

        return python_source.dumps(rules)
    plain = without_policy(DecisionTable.of(rules), f".{form} files")
    if form == "json":
        return json_rules.dumps(plain)
    if isinstance(plain, RuleList):
        raise FormatError(
            "a text file holds rules in no order, and these are a list; write .json, or turn the"
            " list into a set first: irenic.to_set, or irenic convert --as-set"
        )
    return text_rules.dumps(plain)


def _dumps_model(model: object, form: str) -> str:
    # scikit-learn, which a classifier needs and a rule set does not, is there already if it is one
    from irenic.formats.json import model as json_model

    if not json_model.is_model(model):
        DecisionTable.of(model)  # type: ignore[arg-type]  # raises
    if form != "json":
        raise FormatError("a model is written to a .json file; as text write its rules: clf.rules_")
    return json_model.dumps(model)
