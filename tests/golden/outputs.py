"""What irenic prints, writes and learns, as texts that a rebuild must not change.

``python -m golden.outputs`` in the folder ``tests`` keeps them in ``tests/golden/kept``, and prints
what changed. Read the difference before you commit it. Long texts of many tables are compressed.
"""

from __future__ import annotations

import contextlib
import csv
import difflib
import io
import json
import lzma
import os
import re
import shlex
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from unittest import mock

import numpy as np
import openpyxl
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

import irenic
from corpus import tables as corpus
from corpus.test_corpus import read
from irenic import RuleSetClassifier, cli, proving, testing
from learn.fitting import people, quick

ROOT = Path(__file__).parents[2]
KEPT = Path(__file__).parent / "kept"


def outputs() -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield the name of each file of outputs, and a function that makes its text."""
    for name, lines in TRANSCRIPTS.items():
        yield f"{name}.txt", lambda lines=lines: transcript(lines)
    for name, (classifier, data) in FITS.items():
        yield f"fit-{name}.txt", lambda c=classifier, d=data: fitted(c, *d())
    yield "corpus.txt", corpus_findings
    yield "exports.txt.xz", corpus_exports
    yield "documents.txt.xz", corpus_documents
    yield "mended.txt.xz", mended
    yield "proved.txt.xz", proved
    yield "model.json", model_file
    yield "page.json", page_document


def kept(name: str) -> str:
    """Return the text of a file that is kept."""
    raw = (KEPT / name).read_bytes()
    return (lzma.decompress(raw) if name.endswith(".xz") else raw).decode()


def keep(name: str, text: str) -> None:
    raw = text.encode()
    (KEPT / name).write_bytes(lzma.compress(raw, preset=9) if name.endswith(".xz") else raw)


def changes(name: str, text: str) -> list[str]:
    """Return how a text differs from the one that is kept, line by line."""
    lines = kept(name).splitlines(), text.splitlines()
    return [*difflib.unified_diff(*lines, f"kept {name}", f"new {name}", n=2, lineterm="")]


# --- commands

TABLES = ["loans", "credit_policy", "tariff", "triage", "ssvc_deployer"]

TRANSCRIPTS = {
    "check": [
        *(f"check {table}.csv" for table in TABLES),
        "check mixed.rules --verbose",
        "check loans.csv --json",
        "check loans.csv --format sarif",
        "check loans.csv --format github",
        "check clash.csv tariff.csv --json",
        "check clash.csv --explain-reading",
        "check mixed.rules --json",
        "check broken.csv",
        "gaps loans.csv",
        "gaps mixed.rules --json",
        "search mixed.rules --all --maximal",
        "search mixed.rules --paths --first",
        'enlarge mixed.rules --seed "age=45, job=smith, since=2020-01-01"',
        "init clash.csv -o -",
    ],
    "mend": [
        *(f"repair clash.csv --how {how} -o {how}.csv" for how in ("drop", "trim", "split")),
        *(f"cat {how}.csv" for how in ("drop", "trim", "split")),
        *(f"repair mixed.rules --how {how}" for how in ("drop", "trim", "split")),
        "complete drop.csv -o full.csv",
        "cat full.csv",
        "check full.csv",
        "merge ssvc_deployer.csv -o merged.csv",
        "cat merged.csv",
        "diff ssvc_deployer.csv merged.csv",
        "diff loans.csv trim.csv",
        "diff trim.csv split.csv",
        "diff drop.csv trim.csv --json",
        'add mixed.rules "IF age >= 50 THEN low"',
    ],
    "prove": [
        'prove credit_policy.csv "NEVER grant WHERE overdue >= 1" "NEVER nothing"'
        ' "ALWAYS refuse WHERE overdue >= 3" "refuse ONLY IF overdue >= 3"'
        ' "decision DOES NOT DEPEND ON employed" --certificate proofs.json',
        "cat proofs.json",
        "verify proofs.json credit_policy.csv",
        'prove credit_policy.csv "decision INCREASES WITH income ORDER refuse, ask, grant" --json',
        "check credit_policy.csv --certificate consistent.json",
        "cat consistent.json",
        "verify consistent.json credit_policy.csv",
        'why credit_policy.csv "income = 2300, debt = 4000, employed = no, overdue = 0"',
        'why credit_policy.csv "income = 2300, debt = 4000, employed = no, overdue = 0"'
        " --instead grant --json",
        "cases triage.csv",
        "repair clash.csv --how drop -o drop.csv",
        "repair clash.csv --how trim -o trim.csv",
        "impact drop.csv trim.csv past.csv",
        "test credit_policy.csv past-credit.csv",
        'prove credit_policy.csv "NEVER grant WHERE overdue >= 1" --smtlib q.smt2',
        "cat q.smt2",
    ],
    "export": [
        "repair mixed.rules --how split -o mended.json",
        "convert ranked.csv set.json --as-set",
        "cat set.json",
        *(
            line
            for name, stem in (("credit_policy.csv", "policy"), ("mended.json", "mixed"))
            for form in ("txt", "json", "csv", "dmn", "pmml", "sql", "py", "xlsx")
            for line in (f"convert {name} {stem}.{form}", f"cat {stem}.{form}")
        ),
        *(
            line
            for dialect, form in (("postgres", "arrays"), ("spark", "tree"), ("sqlite", "rules"))
            for line in (
                f"convert triage.csv {dialect}.sql --dialect {dialect} --sql-form {form}",
                f"cat {dialect}.sql",
            )
        ),
    ],
    "learn": [
        "learn --random-state 0",
        "learn people.csv --random-state 0 --max-rules 4 -o model.json",
        "predict model.json new.csv --explain",
        "predict model.json new.csv --by job",
        "monitor model.json people.csv",
        "convert model.json model.sql --probabilities",
        "cat model.sql",
        'why model.json "age = 30, job = nurse, income = 20, married = true"',
    ],
}

FILES = {
    "mixed.rules": """\
IF age < 30 THEN low
IF age >= 25 AND job IN {nurse, cook} THEN low
IF 28 <= age < 60 AND job = clerk THEN high
IF age >= 58 AND since > 2020-01-31 THEN high
IF job is missing THEN unknown
""",
    "ranked.csv": """\
F,age,member,fare
1,< 18,-,child
2,< 65,true,reduced
3,< 65,-,full
4,-,-,senior
""",
    "clash.csv": """\
age,job,member,fare
"< 18, >= 60",-,-,reduced
[18..60),"nurse, clerk",true,reduced
[18..60),"not(nurse, clerk)",-,full
[30..40],nurse,-,full
""",
    "broken.csv": """\
age,job,fare
1-5-9,nurse,low
< 18,nurse,
[18..,clerk,full
""",
    "past.csv": """\
age,job,member,fare
17,cook,true,reduced
35,nurse,true,full
36,nurse,false,full
40,cook,false,reduced
""",
    "past-credit.csv": """\
income,debt,employed,overdue,decision
2300,4000,no,0,ask
1100,0,yes,0,refuse
5000,100,yes,4,grant
""",
}


def transcript(lines: list[str]) -> str:
    """Return what commands print and the files that they write, run one after another."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for table in TABLES:
            shutil.copy(ROOT / "examples" / f"{table}.csv", f"{table}.csv")
        for name, text in FILES.items():
            Path(name).write_text(text, "utf-8")
        frame, labels = people(200)
        frame.assign(risk=labels).to_csv("people.csv", index=False)
        people(12, seed=1)[0].to_csv("new.csv", index=False)
        return "".join(f"$ {line}\n{stable(shown(line, folder))}\n" for line in lines)


def shown(line: str, folder: str) -> str:
    """Return what a command prints, or what a file contains."""
    first, *rest = shlex.split(line)
    if first == "cat":
        return content(Path(rest[0]))
    screen = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    with contextlib.ExitStack() as stack:
        stack.enter_context(mock.patch.dict(os.environ, {"COLUMNS": "100", "NO_COLOR": "1"}))
        stack.enter_context(mock.patch.object(sys, "argv", ["irenic", first, *rest]))
        stack.enter_context(contextlib.redirect_stdout(screen))
        stack.enter_context(contextlib.redirect_stderr(screen))
        try:
            cli.main()
            status = 0
        except SystemExit as end:
            status = end.code or 0
    screen.seek(0)
    return f"{screen.read()}exit status {status}\n".replace(folder, "FOLDER")


def content(path: Path) -> str:
    return content_of_book(path) if path.suffix == ".xlsx" else path.read_text("utf-8")


def content_of_book(file: Path | io.BytesIO) -> str:
    """Return the cells of a workbook as CSV."""
    lines = io.StringIO()
    for sheet in openpyxl.load_workbook(file):
        lines.write(f"[{sheet.title}]\n")
        csv.writer(lines, lineterminator="\n").writerows(sheet.values)
    return lines.getvalue()


def stable(text: str) -> str:
    """Return a text without what differs between runs, versions and machines."""
    text = text.replace(irenic.__version__, "VERSION")
    text = re.sub(r"\b\d+(?:\.\d+)? ?(?:seconds|s|ms)\b", "TIME", text)
    return re.sub(r"\d+\.\d{11,}", lambda match: f"{float(match[0]):.10g}", text)


# --- the corpus of tables


def corpus_findings() -> str:
    """Return for each table of the corpus its rules and findings, or why it is rejected."""
    lines = []
    for table in corpus.TABLES:
        forms: dict[str, list[str]] = {}
        for form in table.formats:
            forms.setdefault("\n".join(findings_of(table, form)), []).append(form)
        for text, same in forms.items():
            lines += [f"== {table.name} ({', '.join(same)})", text]
    return "\n".join(lines) + "\n"


def findings_of(table: corpus.Table, form: str) -> Iterator[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = read(table, form)
        except irenic.FormatError as error:
            yield f"error: {error}"
            return
    yield from (f"warning: {warning.message}" for warning in caught)
    yield from (f"error: {error}" for error in found.errors)
    for rules in found.tables:
        yield from f"{rules.as_rules()}".splitlines()
        yield from (f"{finding.kind}: {finding}" for finding in irenic.check(rules))


@cache
def tables_of_corpus() -> list[tuple[str, irenic.DecisionTable]]:
    """Return the tables of the corpus and of the examples that can be read, by name."""
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for table in corpus.TABLES:
            with contextlib.suppress(irenic.FormatError):
                found += [(table.name, rules) for rules in read(table, table.formats[0]).tables]
        found += [(name, irenic.read(ROOT / "examples" / f"{name}.csv")) for name in TABLES]
    return found


def sections(text_of: Callable[[irenic.DecisionTable], str]) -> str:
    """Return a section for each table, with a text or why there is none."""
    texts = []
    for name, table in tables_of_corpus():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                text = text_of(table)
        except (irenic.FormatError, irenic.ConflictError) as error:
            text = f"{type(error).__name__}: {error}"
        texts.append(f"== {name}\n{text.rstrip()}\n")
    return stable("".join(texts))


def corpus_exports() -> str:
    """Return each table in each format."""

    def exported(table, form):
        if form == "xlsx":
            return content_of_book(io.BytesIO(irenic.dumps(table, format=form)))
        return irenic.dumps(table, format=form)

    forms = ("rules", "json", "csv", "xlsx", "dmn", "pmml", "sql", "py")
    return "".join(
        f"==== {form}\n{sections(lambda table, form=form: exported(table, form))}" for form in forms
    )


def corpus_documents() -> str:
    """Return what all views show of each table, as JSON."""
    return sections(lambda table: as_json(irenic.summarize(table)))


def random_rules(seed: int) -> irenic.RuleSet:
    """Return rules of three columns, some of which contradict each other."""
    rng = np.random.default_rng(seed)
    space = irenic.Space(
        [
            irenic.Continuous("age", kind="integer", bounds=(0, 100)),
            irenic.Continuous("income"),
            irenic.Categorical("job", ["clerk", "cook", "nurse"], other=seed % 2 == 0),
        ]
    )
    rules = []
    for _ in range(6):
        low, high = sorted(rng.choice(100, 2, replace=False))
        conditions = {
            "age": (int(low), int(high) + 1),
            "income": (float(rng.integers(0, 4)), None),
            "job": {str(job) for job in rng.choice(["clerk", "cook", "nurse"], 2)},
        }
        tested = {name: conditions[name] for name in rng.choice([*conditions], 2, replace=False)}
        then = str(rng.choice(["low", "high"]))
        rules.append(
            irenic.Rule(irenic.Region(space, tested), then=then, weight=int(rng.integers(1, 4)))
        )
    return irenic.RuleSet(rules, space)


def text_of(rules: irenic.RuleSet | irenic.DecisionTable) -> str:
    return str(rules.as_rules() if isinstance(rules, irenic.DecisionTable) else rules)


def mended() -> str:
    """Return rules that contradict themselves after each kind of repair, and completed."""
    clashing = [(f"random rules {seed}", random_rules(seed)) for seed in range(12)]
    clashing += [
        (n, table) for n, table in tables_of_corpus() if irenic.check(table).of("conflicts")
    ]
    texts = []
    for name, rules in clashing:
        texts.append(f"== {name}\n{text_of(rules)}\n")
        repaired = {how: irenic.repair(rules, how).rules for how in ("drop", "trim", "split")}
        texts += [f"-- {how}\n{text_of(each)}\n" for how, each in repaired.items()]
        texts.append(f"-- compared\n{irenic.diff(repaired['drop'], repaired['split'])}\n")
        texts.append(f"-- completed\n{text_of(irenic.complete(repaired['trim']).rules)}\n")
    return stable("".join(texts))


def proved() -> str:
    """Return for random rules what is proved of them, certificates, and reasons of decisions."""
    properties = [
        "NEVER high WHERE age < 10",
        "ALWAYS low WHERE job = nurse AND income >= 3",
        "low ONLY IF income >= 0",
        "decision DOES NOT DEPEND ON job",
        "decision INCREASES WITH income ORDER low, high",
        "NEVER nothing",
        "NEVER nothing WHERE job = cook AND 30 <= age < 40",
    ]
    texts = []
    for seed in range(8):
        rules = irenic.repair(random_rules(seed), "split").rules
        verdicts = proving.prove(rules, properties, certificates=True)
        texts.append(f"== random rules {seed}\n{text_of(rules)}\n")
        texts += [f"{verdict}\n" for verdict in verdicts]
        certificates = [each.certificate for each in verdicts if each.certificate]
        texts.append(as_json(proving.certificate_document(certificates)))
        for case in (
            {"age": 30, "income": 3.5, "job": "cook"},
            {"age": 90, "income": 0, "job": "nurse"},
        ):
            texts.append(f"{testing.why(rules, case)}\n")
    return stable("".join(texts))


# --- models


def several_labels():
    frame, _ = people(150, noise=0.0)
    has = {
        "old": frame["age"] > 50,
        "rich": frame["income"] > 30,
        "wed": frame["married"],
    }
    rows = zip(*has.values(), strict=True)
    return frame, [{name for name, is_so in zip(has, row, strict=True) if is_so} for row in rows]


def older_and_richer(n):
    frame, _ = people(n)
    frame = frame.dropna()
    return frame, (frame["age"] > 40) & (frame["income"] > 25)


def bundled(load):
    data = load()
    return dict(zip(map(str, data.feature_names), data.data.T, strict=True)), data.target


FITS = {
    "people": (RuleSetClassifier(random_state=0), people),
    "people-1": (RuleSetClassifier(random_state=1, max_rules=5), people),
    "quick": (quick(), lambda: people(400, seed=3)),
    "iris": (RuleSetClassifier(random_state=0), lambda: bundled(load_iris)),
    "wine": (
        RuleSetClassifier(random_state=2, scoring="balanced_accuracy"),
        lambda: bundled(load_wine),
    ),
    "cancer": (quick(max_conditions=8, generations=2), lambda: bundled(load_breast_cancer)),
    "complete": (quick(complete=True), people),
    "monotone": (
        quick(monotonic_cst={"income": 1, "age": 1}, generations=2),
        lambda: older_and_richer(300),
    ),
    "known": (
        RuleSetClassifier(
            knowledge={"never": ["high WHERE age < 30"], "forbidden": ["married"]}, random_state=0
        ),
        people,
    ),
    "labels": (quick(), several_labels),
    "vote": (quick(conflicts="vote"), people),
}  # fmt: skip


def fitted(classifier: RuleSetClassifier, X, y) -> str:
    """Return the front, the chosen rules, and what they predict for some rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        classifier.fit(X, y)
        few = {name: np.asarray(X[name])[:8] for name in X}
        lines = [str(point) for point in classifier.pareto_front_]
        lines += [f"{classifier.rules_}", f"estimate: {classifier.estimate_}"]
        lines += [str(decision) for decision in classifier.explain(few)]
        lines += [str(row) for row in numbers(classifier.predict_proba(few))]
    return "\n".join(lines) + "\n"


def numbers(value):
    """Return lists with numbers of ten digits, which all processors agree on."""
    if isinstance(value, list | tuple | np.ndarray):
        return [numbers(each) for each in value]
    if isinstance(value, dict):
        return {name: numbers(each) for name, each in value.items()}
    if isinstance(value, float) and not value.is_integer():
        return float(f"{value:.10g}")
    return value


def model_file() -> str:
    """Return the file of a model."""
    classifier = quick().fit(*people())
    with tempfile.TemporaryDirectory() as folder:
        irenic.write(classifier, path := Path(folder, "model.json"))
        return as_json(json.loads(path.read_text("utf-8")))


def page_document() -> str:
    """Return what the page of a table and that of a model show."""
    X, y = people(60)
    table = irenic.summarize(irenic.read(ROOT / "examples" / "loans.csv"))
    model = irenic.summarize(quick(max_rules=2).fit(X, y), X, y, name="people")
    return as_json({"table": table, "model": model})


def as_json(value) -> str:
    """Return JSON with a line for each small part, in which differences can be read."""
    return stable(_lines(numbers(value))) + "\n"


def _lines(value, indent="") -> str:
    flat = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(flat) <= 100 or not isinstance(value, dict | list) or not value:
        return flat
    deeper = indent + " "
    if isinstance(value, dict):
        parts = [f"{json.dumps(name, ensure_ascii=False)}: {_lines(each, deeper)}"
                 for name, each in value.items()]  # fmt: skip
        return "{\n" + ",\n".join(deeper + part for part in parts) + f"\n{indent}}}"
    return "[\n" + ",\n".join(deeper + _lines(each, deeper) for each in value) + f"\n{indent}]"


def main() -> None:
    """Keep all outputs, and print how they differ from those that were kept."""
    made = {name: text() for name, text in outputs()}
    for name, text in made.items():
        if (KEPT / name).exists():
            print("\n".join(changes(name, text)), end="\n" if changes(name, text) else "")
        keep(name, text)
    for path in KEPT.iterdir():
        if path.name not in made:
            path.unlink()


if __name__ == "__main__":
    main()
