"""Write rules to files, file objects and text in any format."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, overload

from irenic.errors import FormatError, FormatWarning
from irenic.formats import text as text_rules
from irenic.formats._branches import without_policy
from irenic.formats.json import rules as json_rules
from irenic.formats.tables.lines import accepts_of
from irenic.frames.files import File, format_of, name_of, write_file
from irenic.model.decision_table import DecisionTable
from irenic.model.literals import counted, display
from irenic.model.rulelist import RuleList
from irenic.model.ruleset import RuleSet, learned_rules
from irenic.model.space import Space

if TYPE_CHECKING:
    from irenic.learn import RuleClassifier

WRITTEN: Final = ("csv", "dmn", "json", "pmml", "py", "rules", "sql", "txt", "xlsx")
"""The formats that can be written, named after the suffixes of their files."""
TABLES: Final = ("csv", "dmn", "xlsx")
"""The formats that consist of rows."""


def write(
    rules: RuleSet | RuleList | DecisionTable | RuleClassifier,
    target: File,
    *,
    format: str | None = None,
) -> None:
    """Write rules, or a fitted classifier, to a file or file object.

    JSON and DMN are lossless: rules read back are equal. Text and decision tables (``csv``,
    ``xlsx``) do not contain the space: rules read back with the same space are equal. SQL
    (``sql``, for a table named ``cases``), Python source (``py``) and PMML (``pmml``) can only be
    run; :func:`to_sql` and :func:`to_python` have more options. A classifier is written whole as
    JSON, from which :func:`read` reads the rules and :func:`read_model` the model; in other
    formats, its rules are written.

    A :class:`FormatWarning` lists what the file leaves out of a table, such as annotations, or
    rows that can never apply. The file is replaced only after the new content was written
    completely. Links are followed. Pipes and character devices (``/dev/stdout``) can be written
    to, other special files cannot.

    Parameters
    ----------
    rules : RuleSet, RuleList, DecisionTable or fitted classifier of irenic
        What to write.
    target : path or file object
        Where to write. A file object can be text or binary; ``xlsx`` needs a binary one.
    format : str, optional
        ``"csv"``, ``"dmn"``, ``"json"``, ``"pmml"``, ``"py"``, ``"rules"``, ``"sql"``, ``"txt"`` or
        ``"xlsx"``. Default: the suffix of the file name; required if there is no name.

    Raises
    ------
    FileError
        If the file cannot be written.
    FormatError
        If the format is unknown, or cannot represent the rules.

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
        warn_of_loss(rules, form, name, text)


@overload
def dumps(rules: RuleSet | RuleList | DecisionTable, *, format: Literal["xlsx"]) -> bytes: ...
@overload
def dumps(
    rules: RuleSet | RuleList | DecisionTable | RuleClassifier,
    *,
    format: Literal["csv", "dmn", "json", "pmml", "py", "rules", "sql", "txt"],
) -> str: ...
@overload
def dumps(
    rules: RuleSet | RuleList | DecisionTable | RuleClassifier, *, format: str
) -> str | bytes: ...
def dumps(
    rules: RuleSet | RuleList | DecisionTable | RuleClassifier, *, format: str
) -> str | bytes:
    """Return what :func:`write` writes: text, or bytes for ``"xlsx"``.

    Parameters
    ----------
    rules : RuleSet, RuleList, DecisionTable or fitted classifier of irenic
        What to write.
    format : str
        As for :func:`write`.

    Returns
    -------
    str or bytes

    Raises
    ------
    FormatError
        If the format is unknown, or cannot represent the rules.

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
        warn_of_loss(rules, form, text=text)
    return text


def warn_of_loss(table: DecisionTable, format: str, name: str = "", text: str | bytes = "") -> None:
    """Warn about parts of a table that are not written: rows that never apply, annotations, …

    With ``text``, the content of a text file, also about what it does not say about features.
    """
    kept = {row.row for row in table.provenance.unsatisfiable} if format in TABLES else set()
    losses = [table.say_never(row) for row in table.never_hold if row not in kept]
    notes = sum(len(texts) for _, texts in table.provenance.annotations)
    others = [counted(notes, "annotation")] if notes and format != "dmn" else []
    accepts = table.provenance.accepts
    lost = [rows for rows, _ in accepts if not _keeps_acceptance(table, format, rows)]
    others += [counted(len(lost), "acceptance")] if lost else []
    losses += [f"{w} {'is' if w.startswith('1 ') else 'are'} left out" for w in others]
    losses += _unsaid(table, format)
    if format in ("rules", "txt") and isinstance(text, str) and text:
        losses += _undeclared(table, text)
    for loss in losses:
        # blames the caller of `write`
        warnings.warn(f"{name}: {loss}" if name else loss, FormatWarning, stacklevel=3)


_SHOWN: Final = 5


def _unsaid(table: DecisionTable, format: str) -> Iterator[str]:
    """Yield what only a DMN model says about inputs and outcomes."""
    if format == "dmn":
        return
    for name, compute in table.computed.items():
        is_compared = getattr(compute, "columns", lambda _: None)(table.space) is not None
        if name in table.space and not (is_compared and format in ("sql", "py")):
            yield f"how {name!r} is computed from other inputs is left out; it is an input itself"
    if table.ranking and table.hit_policy not in ("PRIORITY", "OUTPUT ORDER"):
        unused = [then for then in table.ranking if then not in table.rules.consequents]
        if unused:
            listed = ", ".join(map(display, unused))
            yield f"that {listed} would be allowed, although no rule says so, is left out"


def _undeclared(table: DecisionTable, text: str) -> list[str]:
    """Return what a text file, which has no declarations, leaves out."""
    losses = []
    if table.outputs != ("then",):
        names = ", ".join(map(repr, table.outputs))
        losses.append(f"the name of the outcome, {names}, is left out; .json keeps it")
    tables = text_rules.parse(text).bound(None).tables
    known = tables[0].space if tables else Space([])
    lost = [repr(f.name) for f in table.space if f.name not in known or known[f.name] != f]
    if lost:
        listed = ", ".join(lost[:_SHOWN]) + (", …" if len(lost) > _SHOWN else "")
        losses.append(
            f"what is known about {listed} beyond the rules (such as whole numbers,"
            " units, bounds and allowed values) is left out; .json keeps it"
        )
    return losses


def _keeps_acceptance(table: DecisionTable, format: str, rows: tuple[int, ...]) -> bool:
    """Return whether a format has a place for an acceptance beside some rows, or beside none."""
    if format in ("pmml", "sql", "py") or (format in ("csv", "xlsx") and not rows):
        return False
    return format in TABLES or not rows or not {*rows}.isdisjoint(table.rows)


def _dumps(
    rules: RuleSet | RuleList | DecisionTable | RuleClassifier, form: str, name: str
) -> str | bytes:
    """Return the content of a file with the rules."""
    if not isinstance(rules, RuleSet | RuleList | DecisionTable):
        return _dumps_model(rules, form, name)
    # writers are imported when they are needed, because most need neither openpyxl nor sqlglot
    if form in ("csv", "xlsx"):
        from irenic.formats.sheets import writing as sheets

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
    if form == "pmml":
        from irenic.formats import pmml

        return pmml.dumps(rules)
    table = DecisionTable.from_rules(rules)
    plain = without_policy(table, f".{form} files")
    places = table.winning if isinstance(plain, RuleList) else range(len(table.rules))
    by_row = accepts_of(table)
    rows: list[int | None] = [None, *(table.rows[place] for place in places)]
    keys: list[int | None] = [None, *range(len(rows) - 1)]
    accepts = {key: by_row[row] for key, row in zip(keys, rows, strict=True) if row in by_row}
    if form == "json":
        return json_rules.dumps(plain, outputs=table.outputs, accepts=accepts)
    if isinstance(plain, RuleList):
        raise FormatError(
            "a text file must contain a rule set, got a rule list; write .json, or convert the list"
            " first with irenic.to_set or irenic convert --as-set"
        )
    comments = {key: [f"accept: {text}" for text in texts] for key, texts in accepts.items()}
    return text_rules.dumps(plain, comments)


def _dumps_model(model: object, form: str, name: str) -> str | bytes:
    # imported here because it imports scikit-learn, which rule sets do not need
    from irenic.formats.json import model as json_model

    if not json_model.is_model(model):
        DecisionTable.from_rules(model)  # type: ignore[arg-type]  # raises
    if form == "json":
        return json_model.dumps(model)
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model)
    if form == "pmml":
        from irenic.formats import pmml

        return pmml.dumps(learned_rules(model), counts=pmml.counts_of(model))
    return _dumps(learned_rules(model), form, name)
