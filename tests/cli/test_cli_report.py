"""``irenic report``: a page from files of rules, models and tables."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import irenic

RULES = "IF age < 30 AND job in {nurse} THEN low\nIF age >= 29 THEN high\n"
PEOPLE = "age,job,risk\n20,nurse,low\n29,nurse,low\n50,clerk,high\n,nurse,low\n"
FARES = "age,fare\n< 20,free\n[10..30],full\n> 30,full\n"


@pytest.fixture(autouse=True)
def files(file):
    file(RULES)


def summary_of(page="report.html"):
    text = Path(page).read_text(encoding="utf-8")
    start = text.index('id="summary">') + len('id="summary">')
    return json.loads(text[start : text.index("</script>", start)])


@pytest.fixture
def reported(run, file):
    """Report on a table of people: the summary of the page, and the errors."""

    def call(people, options="", rules=RULES):
        file(rules)
        file(people, "people.csv")
        status, _, err = run(f"report my.rules people.csv {options}")
        assert status == 0, err
        return summary_of(), err.removeprefix("irenic: ")

    return call


def test_a_page_can_be_made_of_rules_alone(run):
    status, out, err = run("report my.rules -o out.html")
    assert (status, err) == (0, "")
    assert out.splitlines()[:2] == [
        "Not consistent: 1 contradiction among the 2 rules.",
        "Complete for the values that the rules name: other values of job are not covered.",
    ]
    assert out.splitlines()[2].startswith("Written to out.html (")
    found = summary_of("out.html")
    assert (found["name"], found["instances"]) == ("my", None)


def test_the_page_can_be_opened_in_the_browser(run, refused, here, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda url: opened.append(url) or len(opened) == 1)
    status, out, err = run("report my.rules -o 'a page.html' --open")
    assert (status, err) == (0, "")
    assert out.splitlines()[-1].endswith(" MB).")
    assert opened == [(here / "a page.html").resolve().as_uri()]
    note = "irenic: no browser could be opened; open the address above in one\n"
    assert run("report my.rules --open")[2] == note
    message = "--open needs a page in a file, but the output is standard output"
    for options in ("-o -", "--json"):
        assert refused(f"report my.rules --open {options}") == message


# --- rows and their labels


def test_rows_of_a_table_are_counted_and_its_last_column_has_the_labels(reported):
    found, err = reported(PEOPLE, "--title Risks")
    assert err == "using column 'risk' as true labels (override with --label)\n"
    assert found["name"] == "Risks"
    assert [feature["name"] for feature in found["features"]] == ["age", "job"]
    results = found["models"][0]["results"]
    assert (results["rows"], results["contradicted"], results["uncovered"]) == (4, 1, 1)
    assert found["features"][0]["missing"]  # the rules do not declare it, but a cell is empty


@pytest.mark.parametrize(
    ("people", "note"),
    [
        ("age,job\n20,nurse\n", ""),  # rules test the last column
        (
            "age,job,note\n20,nurse,tall\n50,clerk,kind\n",
            "no column contains labels that the rules predict, so none are compared (see --label)",
        ),
    ],
)
def test_a_last_column_of_something_else_is_not_used_as_labels(reported, people, note):
    found, err = reported(people)
    assert (found["instances"]["outcomes"], note in err, bool(err)) == (None, True, bool(note))
    assert found["models"][0]["rules"][0]["confidence"] is None


NUMBERS = 'IF a < 1 THEN "1"\nIF a >= 1 THEN "2"\n'
SETS = "IF x < 1 THEN {a, b}\nIF x >= 1 THEN {}\n"


@pytest.mark.parametrize(
    ("people", "options", "rules", "note"),
    [
        ("risk,age,job\nlow,20,nurse\nhigh,50,clerk\n", "--label risk", RULES, ""),
        (
            "age,risk,job\n20,low,nurse\n50,high,clerk\n",
            "",
            RULES,
            "using column 'risk' as true labels",
        ),
        ("a,class\n0,1\n5,2\n", "", NUMBERS, "using column 'class' as true labels"),
        ('x,labels\n0,"a; b"\n5,""\n', "", SETS, "using column 'labels'"),
        ('x,labels\n0,"{a, b}"\n5,"{}"\n', "", SETS, "using column 'labels'"),
    ],
)
def test_labels_are_recognized_by_their_values(reported, people, options, rules, note):
    found, err = reported(people, options, rules)
    assert (err == "") is (note == "")
    assert note in err
    assert found["models"][0]["results"]["accuracy"] == 1
    assert found["several_labels"] is (rules == SETS)


def test_rows_without_a_label_are_skipped(reported):
    found, err = reported("age,job,risk\n20,nurse,\n30,nurse,low\n35,nurse,high\n")
    assert "skipped 1 row without a label in column 'risk'" in err
    assert found["models"][0]["results"]["rows"] == 2


def test_a_sample_is_drawn_and_all_are_counted(reported):
    found, _ = reported("age,job\n" + "20,nurse\n" * 50, "--sample 10")
    assert (found["instances"]["shown"], found["models"][0]["results"]["rows"]) == (10, 50)


# --- tables and models


def test_a_decision_table_keeps_its_policy(run, file):
    file(FARES, "fares.csv")
    assert run("report fares.csv --hit-policy first")[0] == 0
    found = summary_of()
    assert (found["name"], found["decides"]["hit_policy"]) == ("fares", "FIRST")
    assert found["models"][0]["order"] == [0, 1, 2]
    assert run("report fares.csv --hit-policy UNIQUE")[0] == 0
    assert summary_of()["decides"]["text"] == "no two rules may hold for the same case"


@pytest.fixture
def table(file):
    """Return columns, and write them beside others with labels."""
    rng = np.random.default_rng(0)
    table = {"a": rng.normal(size=120), "b": rng.normal(size=120)}

    def write(**labels):
        columns = {**table, **labels}
        rows = zip(*(np.asarray(values).tolist() for values in columns.values()), strict=True)
        lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
        file("\n".join(lines) + "\n", "people.csv")

    return table, write


def test_a_model_shows_its_front(run, quick, table):
    table, write = table
    labels = np.where(table["a"] > 0, "yes", "no")
    model = irenic.RuleSetClassifier(random_state=0).fit(table, labels)
    irenic.write(model, "model.json")
    write(**{"class": labels})
    assert run("report model.json people.csv")[0] == 0
    found = summary_of()
    assert found["chosen"] == model.pareto_front_.index(model.chosen_)
    assert found["models"][found["chosen"]]["results"]["accuracy"] == model.score(table, labels)
    assert run("report model.json")[0] == 0
    assert summary_of()["counted_on"] == "training"


def test_a_model_of_several_labels_finds_their_columns(run, quick, table):
    table, write = table
    labels = {"up": (table["a"] > 0).astype(int), "right": (table["b"] > 0).astype(int)}
    irenic.write(irenic.RuleSetClassifier(random_state=0).fit(table, labels), "model.json")
    write(**labels)
    assert run("report model.json people.csv")[::2] == (0, "")
    found = summary_of()
    assert [label["text"] for label in found["labels"]] == ["up", "right"]
    assert len(found["models"][found["chosen"]]["results"]["labels"]) == 2


def test_the_summary_is_printed_as_json(document):
    assert document("report my.rules")["format"] == "irenic summary"
    assert not Path("report.html").exists()


def test_the_example_is_shown_if_no_file_is_given(run):
    status, out, _ = run("report")
    assert status == 0
    assert out.startswith("No file given: using the example rules of irenic.")
    assert summary_of()["name"] == "Example rules of irenic"


def test_invalid_input_is_reported_and_nothing_is_written(refused, file, here):
    file(PEOPLE, "people.csv")
    file("age,jobs\n20,nurse\n", "others.csv")
    file("age,job\n", "nobody.csv")
    for line, message in {
        "my.rules -o report.pdf": "cannot write report.pdf: the name of a report must end in",
        "my.rules -o no/report.html": "cannot write no/report.html: No such file",
        "my.rules --label risk": "--label needs a table: irenic report RULES DATA",
        "my.rules people.csv --label rsk": "unknown column 'rsk'; did you mean 'risk'?",
        "my.rules others.csv": (
            "the table must have a column 'job', which the rules test; did you mean 'jobs'?"
        ),
        "my.rules nobody.csv": "the table must have at least one row, got none",
        "my.rules gone.csv": "cannot read",
        "gone.csv": "cannot read",
        "my.rules --hit-policy FRST": "unknown hit policy 'FRST'; did you mean 'FIRST'?",
        "my.rules people.csv --label job": (
            "column 'job' must hold labels that the rules predict, such as low, high, got nurse"
        ),
        "my.rules --table fares": "unknown table 'fares'; the only table has no name",
    }.items():
        assert message in refused(f"report {line}")
        assert not [*here.glob("*.html"), *here.glob("*.pdf"), *here.glob(".irenic*")]
