"""The command ``predict``: options and output; ``irenic.learn`` does the work."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import irenic
from irenic.cli.common import (
    To,
    as_cell,
    console,
    is_standard,
    note,
    output,
    output_format,
    say_line,
    write_standard,
)
from irenic.cli.reading import (
    From,
    as_meant,
    as_set,
    check_inputs,
    check_output,
    column_of,
    many_cells,
    no_rules,
    parse_file,
    read_data,
    reads_rules,
)
from irenic.errors import ConflictError, DataError, FormatError, SpaceError, did_you_mean
from irenic.model.deciding import RESOLVE
from irenic.model.literals import display, is_missing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from irenic.frames.columns import Table
    from irenic.frames.sources import Source
    from irenic.learn import RuleClassifier
    from irenic.model.features import Feature
    from irenic.reporting import document

commands = typer.Typer()

_SHOWN_COLUMNS = 8


@commands.command(
    epilog="""[bold]Examples[/]
irenic predict model.json new.csv                  print CSV
irenic predict model.json new.csv -o out.csv       write a file
irenic predict model.json new.csv -o out.xlsx --explain
irenic predict model.json new.csv -o out.csv --by sex
irenic predict rules.txt new.csv                   use rules of your own
irenic predict model.dmn cases.csv                 decide with a whole DMN model

[bold]Exit status[/]
0 predictions were made, 2 invalid input"""
)
@reads_rules
def predict(
    rules: Annotated[
        Path,
        typer.Argument(
            metavar="RULES", help="Model of irenic learn (.json), a file of rules, or -."
        ),
    ],
    data: Annotated[
        Path, typer.Argument(metavar="DATA", help="Table (.csv, .parquet or .xlsx), or -.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="File for the predictions (.csv, .parquet or .xlsx), or - (default: print CSV).",
        ),
    ] = None,
    form: From = None,
    to: To = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            metavar="",
            help="Add the shortest deciding rule, its support and confidence, and the probability.",
        ),
    ] = False,
    by: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column of DATA by which to compare what is decided."),
    ] = None,
    resolve: Annotated[
        str | None,
        typer.Option(metavar="HOW", help="Decide between conflicting rules: best, vote or first."),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            "--table",
            metavar="NAME",
            help="Table or decision, if RULES has several (default: the last one to be decided).",
        ),
    ] = None,
    *,
    reading: dict[str, Any],
) -> None:
    """Add the predictions of rules to a table."""
    from irenic.frames.table import FORMATS, check_suffix, dumps_table, write_table

    if resolve not in (None, *RESOLVE):
        hint = did_you_mean(resolve, RESOLVE)
        raise FormatError(f"--resolve must be best, vote or first, got {resolve!r}{hint}")
    files = {"RULES": rules, "DATA": data}
    check_inputs(files, form)
    check_output(out, files)
    if out is not None and not is_standard(out):
        check_suffix(out)
    out_form = output_format(out, to, FORMATS, "csv")
    parsed = parse_file(rules, form, **reading)
    whole_model = parsed.decisions is not None and parsed.decisions.is_network
    if whole_model and explain:
        raise FormatError("--explain needs a model of one decision table", path=str(rules))
    if by is not None and (whole_model or resolve is not None):
        why = "a model of one decision table" if whole_model else "rules that need no --resolve"
        raise FormatError(f"--by needs {why}", path=str(rules))
    model = None if whole_model else _model(parsed, name, resolve)
    options: dict[str, Any] = {"explain": explain, "resolve": resolve}
    if model is not None and not parsed.is_model:
        options["outputs"] = parsed.bound(None).table(name).outputs
    in_blocks = model is not None and not isinstance(model, irenic.DecisionTable)
    in_blocks &= out_form == "parquet" and out is not None and not is_standard(out)
    source = many_cells(data) if in_blocks else None
    if source is not None and out is not None:
        _predict_blocks(_Blocks(model, parsed, data, name, options, by), source, out)
        return
    as_written = model is not None and not parsed.is_model
    table = read_data(data, form, as_written=as_written, model=model)
    if not table.shape[0]:
        raise FormatError("the table must have at least one row, got none", path=str(data))
    groups = column_of(table, by, "--by", data)
    whole = table.select(list(table))
    if model is not None and not parsed.is_model:
        table = as_meant(table, parsed, _rules(model).space, name, data)
    if model is None:
        whole.update(_outcomes(parsed, table, name, data))
    else:
        added = _predictions(model, parsed, table, data, name, options)
        whole.update(added)
        _remark(_outcome_of(added), table, _rules(model).space, note)
    if out is not None and not is_standard(out):
        write_table(whole, out)
        with output():
            say_line(f"{table.shape[0]:,} rows written to {out}")
    elif out is None and to is None:  # on the screen, in its encoding
        with output():
            print(str(dumps_table(whole, "csv")).removeprefix("\ufeff"), end="")
    else:
        write_standard(dumps_table(whole, out_form))
    if by is not None:
        from irenic.reporting import terminal

        if isinstance(model, irenic.RuleSet | irenic.RuleList):
            model = _over_table(model, parsed, table, name)
        figures = _by_group(by, model, table, groups, data)
        with output():
            terminal.print_groups(figures, console(stderr=out is None or is_standard(out)))
    if model is None:
        _note_unused(parsed.decisions.inputs(parsed.decisions.chosen(name)), table)
    elif not (isinstance(model, irenic.DecisionTable) and model.computed):
        _note_unused(_rules(model).space.names, table)


def _by_group(by: str, model: Any, X: Any, groups: Any, data: Path) -> document.Groups:
    """Return what is decided for groups of rows."""
    from irenic.monitoring import compare_groups
    from irenic.reporting.groups import encode_groups

    try:
        compared = compare_groups(model, X, groups)
    except DataError as error:
        raise DataError(f"{data}: --by: {error}") from None
    return encode_groups(by, compared, _rules(model).default, "instances")


class _Blocks:
    """Adds predictions to blocks of rows; what is said of several blocks is said once."""

    def __init__(
        self,
        model: Any,
        parsed: irenic.formats.Parsed,
        data: Path,
        name: str | None,
        options: dict[str, Any],
        by: str | None,
    ) -> None:
        self.model, self.parsed, self.data, self.name = model, parsed, data, name
        self.options, self.by = options, by
        self.groups: list[Any] = []
        self.undecided = 0
        self._told: set[str] = set()
        self._types: dict[str, Any] = {}

    def __call__(self, table: Any, first: int) -> Any:
        """Return a block as a table of pyarrow with predictions."""
        import pyarrow as pa

        from irenic.frames.columns import as_values, as_written
        from irenic.frames.sources import from_arrow
        from irenic.monitoring import compare_groups

        model, cases = self.model, table
        groups = None if self.by is None else table.column(self.by).to_pylist()
        where = f"{self.data}, rows {first + 1} to {first + table.num_rows}"
        try:
            if not self.parsed.is_model:
                cases, space = from_arrow(table), _rules(model).space
                cases = as_meant(cases, self.parsed, space, self.name, self.data, self._tell)
            added = _predictions(model, self.parsed, cases, self.data, self.name, self.options)
            if not self.parsed.is_model:
                self._count(_outcome_of(added), cases, where)
            if groups is not None:
                if isinstance(model, irenic.RuleSet | irenic.RuleList):
                    model = _over_table(model, self.parsed, cases, self.name)
                self.groups.append(compare_groups(model, cases, groups))
        except DataError as error:
            raise DataError(str(error).replace(f"{self.data}:", f"{where}:", 1)) from None
        for name, column in added.items():
            values = as_written(as_values(column))
            if name not in self._types:
                self._types[name] = self._type(name, values)
            kind = self._types[name]
            if pa.types.is_large_string(kind):
                values = [None if value is None else str(value) for value in values]
            table = table.append_column(name, pa.array(values, kind))
        return table

    def _tell(self, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            note(text)

    def _count(self, outcomes: list[Any], cases: Table, where: str) -> None:
        """Count cases that are not decided; say of the first block with some which ones."""
        n = sum(map(is_missing, outcomes))
        if not self.undecided:
            _remark(outcomes, cases, _rules(self.model).space, lambda t: note(f"{where}: {t}"))
        self.undecided += n

    def _type(self, name: str, values: list[Any]) -> Any:
        """Return the type of a column: that of all outcomes, if it has outcomes."""
        import pyarrow as pa

        from irenic.frames.columns import as_written

        if name == "prediction":
            rules = _rules(self.model)
            outcomes = [*rules.thens, *([] if rules.default is None else [rules.default])]
            if all(isinstance(outcome, str | int | float) for outcome in outcomes):
                values = as_written(outcomes)
            else:
                return pa.large_string()
        kind = pa.array(values).type
        is_text = pa.types.is_string(kind) or pa.types.is_null(kind)
        return pa.large_string() if is_text else kind


def _predict_blocks(blocks: _Blocks, source: Source, out: Path) -> None:
    """Write the rows of a source with predictions, one block after another."""
    from irenic.frames.sources import write_blocks
    from irenic.monitoring import sum_of_groups
    from irenic.reporting import terminal
    from irenic.reporting.groups import encode_groups

    rules = _rules(blocks.model)
    if blocks.by is not None and blocks.by not in source.schema.names:
        hint = did_you_mean(blocks.by, source.schema.names)
        raise DataError(f"{blocks.data}: --by: unknown column {blocks.by!r}{hint}")
    n_rows = write_blocks(source.run(blocks, list(source.schema.names)), out)
    with output():
        say_line(f"{n_rows:,} rows written to {out}")
        if blocks.by is not None:
            try:
                total = sum_of_groups(blocks.groups)
            except DataError as error:
                raise DataError(f"{blocks.data}: --by: {error}") from None
            figures = encode_groups(blocks.by, total, rules.default, "instances")
            terminal.print_groups(figures, console())
    if blocks.undecided:
        note(f"in all, {blocks.undecided:,} of {n_rows:,} cases are undecided")
    _note_unused(rules.space.names, source.schema.names)


def _remark(
    outcomes: list[Any], table: Table, space: irenic.Space, tell: Callable[[str], None]
) -> None:
    """Say which cases are not decided, and of which that may be a mistake."""
    from irenic.formats.sheets.cases import doubtful, undecided

    for remark in (undecided, doubtful):
        if text := remark(outcomes, table, space):
            tell(text)


def _model(
    parsed: irenic.formats.Parsed, name: str | None, resolve: str | None
) -> RuleClassifier | irenic.RuleSet | irenic.RuleList | irenic.DecisionTable:
    """Return what predicts: a model, rules, or a table whose hit policy has to be applied."""
    if parsed.is_model:
        return parsed.model()
    rules = parsed.rules(table=name)  # shows the warnings
    if resolve is not None:
        return rules
    table = parsed.bound(None).table(name)
    opened = parsed.format == "dmn" or table.collects
    return parsed.open_to_missing(name) if opened else rules


def _outcomes(
    parsed: irenic.formats.Parsed, table: Table, name: str | None, data: Path
) -> dict[str, Any]:
    """Return the outcomes of a decision model with several decisions as columns."""
    from irenic.frames.columns import as_column

    parsed.bind()  # shows the warnings
    try:
        outcomes = parsed.predict(table, table=name).tolist()
    except DataError as error:
        raise DataError(f"{data}: {error}") from None
    parts = [outcome for outcome in outcomes if outcome is not None]
    names = list(dict.fromkeys(key for part in parts if isinstance(part, dict) for key in part))
    if names and all(isinstance(part, dict) for part in parts):
        return {
            f"{key} (prediction)" if key in table else key: as_column(
                [as_cell((outcome or {}).get(key)) for outcome in outcomes]
            )
            for key in names
        }
    if "prediction" in table:
        raise DataError(
            f"{data}: the table must not have a column 'prediction', because predictions add one;"
            " rename it"
        )
    return {"prediction": as_column([as_cell(outcome) for outcome in outcomes])}


def _outcome_of(columns: Mapping[str, Any]) -> list[Any]:
    """Return one of the outcomes of each row, None for a row without any."""
    added = ("rule", "support", "confidence", "probability", "based on")
    outcomes = [column.tolist() for name, column in columns.items() if name not in added]
    return [
        next((part for part in parts if part is not None), None)
        for parts in zip(*outcomes, strict=True)
    ]


def _predictions(
    model: RuleClassifier | irenic.RuleSet | irenic.RuleList | irenic.DecisionTable,
    parsed: irenic.formats.Parsed,
    table: Table,
    data: Path,
    table_name: str | None,
    options: dict[str, Any],
) -> dict[str, Any]:
    from irenic.learn import predict_table

    rules = _rules(model)
    if not len(rules) and rules.default is None:
        raise no_rules(rules, Path(parsed.name))
    try:
        if isinstance(model, irenic.RuleSet | irenic.RuleList) and set(rules.space.names) <= set(
            table
        ):
            model = _over_table(model, parsed, table, table_name)
        return predict_table(model, table, **options)
    except ConflictError as error:
        chosen = parsed.bound(_rules(model).space).table(table_name)
        conflict = chosen.first_conflict()  # numbers rows
        raise ConflictError(
            f"{parsed.name}: the rules contradict each other: {conflict}; fix them"
            f" (irenic check {parsed.name} lists all conflicts), or use --resolve best, vote or"
            " first",
            error.conflicts,
        ) from None
    except DataError as error:
        raise DataError(f"{data}: {error}") from None


def _rules(
    model: RuleClassifier | irenic.RuleSet | irenic.RuleList | irenic.DecisionTable,
) -> irenic.RuleSet:
    if isinstance(model, irenic.DecisionTable):
        return model.rules
    return as_set(model) if isinstance(model, irenic.RuleSet | irenic.RuleList) else model.rules_


def _note_unused(names: tuple[str, ...], table: Iterable[str]) -> None:
    unused = [name for name in table if name not in names]
    if unused:
        more = ", …" if len(unused) > _SHOWN_COLUMNS else ""
        shown = ", ".join(map(display, unused[:_SHOWN_COLUMNS]))
        note(f"columns not used by the rules: {shown}{more}")


def _over_table(
    rules: irenic.RuleSet | irenic.RuleList,
    parsed: irenic.formats.Parsed,
    table: Table,
    table_name: str | None,
) -> irenic.RuleSet | irenic.RuleList:
    """Return rules over the space of the table, if their source does not declare a space."""
    if parsed.declares_space or not rules.space.names:
        return rules
    try:
        used = table.select(rules.space.names)
        space = parsed.open(irenic.Space.infer(used))
        features = [_with_rule_values(feature, rules.space) for feature in space]
        # bound, not rules: the warnings have been shown
        return parsed.bound(irenic.Space(features)).table(table_name).as_rules()
    except SpaceError as error:
        raise DataError(str(error)) from None


def _with_rule_values(feature: Feature, space: irenic.Space) -> Feature:
    """Return an open category of the table with the values of the rules; "other" is the rest."""
    same = space[feature.name]
    if not isinstance(feature, irenic.Categorical) or not isinstance(same, irenic.Categorical):
        return feature
    return replace(feature, values=same.values) if feature.other and same.other else feature
