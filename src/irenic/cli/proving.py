"""The commands that prove properties of rules and check certificates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import irenic
from irenic.cli.common import (
    Json,
    console,
    is_standard,
    output,
    print_json,
    say_line,
    write_standard,
)
from irenic.cli.reading import (
    From,
    SpaceFile,
    TableName,
    as_typed,
    check_inputs,
    check_output,
    check_rules_in,
    given_space,
    parse_file,
    reads_rules,
)
from irenic.cli.watching import watches
from irenic.errors import FileError, FormatError
from irenic.model.literals import counted

if TYPE_CHECKING:
    from irenic.learn import RuleClassifier
    from irenic.proving import Verdict

_IN = typer.Argument(
    metavar="RULES", help="Rules (.txt, .json, .csv, .tsv, .xlsx, .ods, .md, .dmn, …), or -."
)
In = Annotated[Path, _IN]

commands = typer.Typer()


@commands.command(
    epilog="""[bold]Examples[/]
irenic prove loans.dmn "NEVER refuse WHERE age >= 18 AND debt = 0"
irenic prove fares.csv "price INCREASES WITH age"
irenic prove model.json "outcome DOES NOT DEPEND ON sex"
irenic prove access.txt "NO NEW permit AGAINST main.txt"
irenic prove loans.dmn                    prove loans.properties
irenic prove loans.dmn --properties policy.txt --certificate proof.json
irenic prove loans.dmn --smtlib loans.smt2

[bold]Properties[/], one per line of a file or per argument
NEVER outcome [WHERE conditions]
ALWAYS outcome [WHERE conditions]
outcome ONLY IF conditions
name INCREASES WITH feature [WHERE conditions]
name DECREASES WITH feature [WHERE conditions]
name INCREASES WITH category FROM low, medium, high [WHERE conditions]
name DOES NOT DEPEND ON feature [WHERE conditions]
SAME AS file [WHERE conditions]
NOTHING NEW AGAINST file [WHERE conditions]
NO NEW outcome AGAINST file [WHERE conditions]

[bold]Exit status[/]
0 all properties are proved, 1 one is refuted or unknown, 2 invalid input"""
)
@watches("rules", "file", "space", outputs=("certificate", "smtlib"), beside=".properties")
@reads_rules
def prove(
    rules: In,
    properties: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PROPERTY]...",
            help="Properties (default: those in the file RULES with the suffix .properties).",
            show_default=False,
        ),
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--properties", metavar="FILE", help="File of properties.")
    ] = None,
    table: TableName = None,
    space: SpaceFile = None,
    form: From = None,
    budget: Annotated[
        float, typer.Option(metavar="SECONDS", help="Maximum seconds per property.", min=0.0)
    ] = 60.0,
    certificate: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write why the proved properties hold (.json), for irenic verify."
        ),
    ] = None,
    smtlib: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the questions in SMT-LIB; of several, the names are numbered.",
        ),
    ] = None,
    as_json: Json = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Prove or refute properties of rules, over all cases."""
    from irenic.proving import certificate_document, parse_properties, to_smtlib
    from irenic.proving import prove as prove_properties
    from irenic.reporting.documents import prove_document

    inputs = {"RULES": rules, "--space": space, "--properties": file}
    check_inputs(inputs, form)
    if file is None and not properties and not is_standard(rules):
        inputs["the properties"] = rules.with_suffix(".properties")
    check_output(certificate, inputs, "--certificate")
    if certificate is not None and certificate == smtlib and not is_standard(smtlib):
        raise FileError(f"--certificate and --smtlib are both {smtlib}; write to two files")
    check_output(smtlib, inputs, "--smtlib")
    parsed = parse_file(rules, form, **reading)
    model = decided_in(parsed, table, space, form)

    def parse(text: str, **options: Any) -> Any:
        return parse_properties(as_typed(text, parsed, model, table), **options)

    texts = [text for text, _ in _properties(rules, properties, file, parse)]
    read = _reader(rules, rules if file is None else file, reading)
    wants = certificate is not None
    verdicts = prove_properties(model, texts, read=read, budget=budget, certificates=wants)
    if certificate is not None:
        proofs = [verdict.certificate for verdict in verdicts if verdict.certificate is not None]
        _write(certificate, json.dumps(certificate_document(proofs)) + "\n")
    for number, text in enumerate(texts, 1) if smtlib is not None else ():
        assert smtlib is not None
        out = smtlib if len(texts) == 1 else smtlib.with_stem(f"{smtlib.stem}-{number}")
        _write(out, to_smtlib(model, text, read=read))
    with output():
        if as_json:
            print_json(prove_document(verdicts))
        else:
            _print_verdicts(verdicts)
    raise typer.Exit(0 if all(verdict.holds for verdict in verdicts) else 1)


@commands.command(
    epilog="""[bold]Examples[/]
irenic check loans.dmn --certificate proof.json
irenic verify proof.json loans.dmn

[bold]Exit status[/]
0 all claims are proved, 1 a certificate is wrong, 2 invalid input"""
)
@reads_rules
def verify(
    certificate: Annotated[
        Path,
        typer.Argument(
            metavar="CERTIFICATE", help="What --certificate of prove or check wrote (.json)."
        ),
    ],
    rules: In,
    table: TableName = None,
    space: SpaceFile = None,
    form: From = None,
    *,
    reading: dict[str, Any],
) -> None:
    """Check a certificate against rules, with code of its own."""
    from irenic.formats.json.rules import load_data
    from irenic.frames.files import as_text, read_bytes
    from irenic.proving import CertificateError
    from irenic.proving import verify as verify_document

    check_inputs({"CERTIFICATE": certificate, "RULES": rules, "--space": space}, form)
    try:
        document = load_data(as_text(read_bytes(certificate)))
    except FormatError as error:
        raise error.at(path=str(certificate)) from None
    model = read_decided(rules, table, space, form, reading)
    try:
        claims = verify_document(document, model, read=_reader(rules, rules, reading))
    except CertificateError as error:
        with output():
            say_line(f"Rejected: {error}")
        raise typer.Exit(1) from None
    with output():
        for claim in claims:
            say_line(f"proved: {claim}")
        print(f"{counted(len(claims), 'claim')} verified.")


def read_decided(
    path: Path,
    table: str | None,
    space: Path | None,
    form: str | None,
    reading: dict[str, Any],
) -> irenic.DecisionTable | RuleClassifier:
    """Return the table in a file, or the model."""
    return decided_in(parse_file(path, form, **reading), table, space, form)


def decided_in(
    parsed: irenic.formats.Parsed, table: str | None, space: Path | None, form: str | None
) -> irenic.DecisionTable | RuleClassifier:
    """Return the table of a source, or the model."""
    if parsed.is_model:
        return parsed.model()
    chosen = parsed.bind(given_space(space, form)).table(table)
    check_rules_in(chosen, Path(parsed.name))
    return chosen


def _reader(rules: Path, beside: Path, reading: dict[str, Any]) -> Any:
    """Return a function that reads the rules of a file beside another one, or of a path.

    A file of the same format as the rules is read with the same options.
    """

    def read(name: str) -> irenic.DecisionTable | RuleClassifier:
        near = beside.parent / name
        path = near if near.exists() else Path(name)
        options = {"hit_policy": reading["hit_policy"]}
        if path.suffix.lower() == rules.suffix.lower():  # an earlier version has the same columns
            options = {name: value for name, value in reading.items() if name != "sheet"}
        return read_decided(path, None, None, None, options)

    return read


def _properties(rules: Path, given: list[str] | None, file: Path | None, parse: Any) -> Any:
    from irenic.frames.files import MOST_BYTES, as_text, read_bytes

    listed = []
    for text in given or ():
        try:
            listed += parse(text)
        except FormatError as error:
            raise FormatError(error.message, path=repr(text), column=error.column) from None
    if file is None and given:
        return listed
    path = file or rules.with_suffix(".properties")
    if file is None and not path.exists():
        raise FormatError(
            f'no properties given, and there is no file {path}; try "NEVER outcome WHERE …"'
        )
    found = parse(as_text(read_bytes(path, MOST_BYTES)), name=str(path))
    if not found and not listed:
        raise FormatError("no properties in the file", path=str(path))
    return [*listed, *found]


def _print_verdicts(verdicts: list[Verdict]) -> None:
    from irenic.reporting.terminal import one_line

    colors = {"proved": "green", "refuted": "bold red", "unknown": "yellow"}
    out = console()
    for verdict in verdicts:
        rest = verdict.text.removeprefix(verdict.verdict)
        line = one_line((verdict.verdict, colors[verdict.verdict]), rest)
        out.print(line, soft_wrap=not out.is_terminal)
    proved = sum(verdict.holds is True for verdict in verdicts)
    if len(verdicts) > 1:
        out.print(f"{proved:,} of {len(verdicts):,} proved.")


def _write(path: Path, text: str) -> None:
    from irenic.frames.files import write_file

    if is_standard(path):
        write_standard(text)
    else:
        write_file(path, text)
