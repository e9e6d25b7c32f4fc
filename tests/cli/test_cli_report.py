"""``irenic report``: a page from files of rules, models and tables."""

from __future__ import annotations

import json

import numpy as np
import pytest

import irenic
from documents import validated

RULES = "IF age < 30 AND job in {nurse} THEN low\nIF age >= 29 THEN high\n"
PEOPLE = "age,job,risk\n20,nurse,low\n29,nurse,low\n50,clerk,high\n,nurse,low\n"
FARES = "age,fare\n< 20,free\n[10..30],full\n> 30,full\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def summary_of(page):
    text = page.read_text(encoding="utf-8")
    start = text.index('id="summary">') + len('id="summary">')
    return json.loads(text[start : text.index("</script>", start)])


def test_a_page_can_be_made_of_rules_alone(run, file, here):
    status, out, err = run("report", file(RULES), "-o", "out.html")
    assert (status, err) == (0, "")
    assert out.splitlines()[:2] == [
        "Not consistent: 1 contradiction among the 2 rules.",
        "Complete for the values that the rules name: other values of job are not covered.",
    ]
    assert out.splitlines()[2].startswith("Written to out.html (")
    found = summary_of(here / "out.html")
    assert found["name"] == "my"
    assert found["instances"] is None


def test_the_page_can_be_opened_in_the_browser(run, file, here, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda url: opened.append(url) or len(opened) == 1)
    path = file("IF age < 10 THEN child\n")
    status, out, err = run("report", path, "-o", "a page.html", "--open")
    assert (status, err) == (0, "")
    assert out.splitlines()[-1].endswith(" MB).")
    assert opened == [(here / "a page.html").resolve().as_uri()]
    _, _, err = run("report", path, "--open")
    assert err == "irenic: no browser could be opened; open the address above in one\n"
    for options in (["-o", "-"], ["--json"]):
        assert run("report", path, "--open", *options) == (
            2,
            "",
            "irenic: --open needs a page in a file, but the output is standard output\n",
        )


def test_rows_of_a_table_are_counted_and_its_last_column_has_the_labels(run, file, here):
    status, _, err = run("report", file(RULES), file(PEOPLE, "people.csv"), "--title", "Risks")
    assert status == 0
    assert err == "irenic: using column 'risk' as true labels (override with --label)\n"
    found = summary_of(here / "report.html")  # the default
    assert found["name"] == "Risks"
    assert [feature["name"] for feature in found["features"]] == ["age", "job"]
    results = found["models"][0]["results"]
    assert (results["rows"], results["contradicted"], results["uncovered"]) == (4, 1, 1)
    assert found["features"][0]["missing"]  # the rules do not declare it, but a cell is empty


def test_a_column_that_rules_test_is_not_used_as_labels(run, file, here):
    status, _, err = run("report", file(RULES), file("age,job\n20,nurse\n", "people.csv"))
    assert (status, err) == (0, "")
    found = summary_of(here / "report.html")
    assert found["instances"]["outcomes"] is None
    assert found["models"][0]["rules"][0]["confidence"] is None


def test_another_column_can_have_the_labels(run, file, here):
    people = file("risk,age,job\nlow,20,nurse\nhigh,50,clerk\n", "people.csv")
    status, _, err = run("report", file(RULES), people, "--label", "risk")
    assert (status, err) == (0, "")
    assert summary_of(here / "report.html")["models"][0]["results"]["accuracy"] == 1


def test_the_label_column_is_recognized_by_its_values(run, file, here):
    people = file("age,risk,job\n20,low,nurse\n50,high,clerk\n", "people.csv")
    _, _, err = run("report", file(RULES), people)
    assert "using column 'risk' as true labels" in err
    assert summary_of(here / "report.html")["models"][0]["results"]["accuracy"] == 1


def test_a_last_column_without_labels_is_not_used_as_labels(run, file, here):
    people = file("age,job,note\n20,nurse,tall\n50,clerk,kind\n", "people.csv")
    _, _, err = run("report", file(RULES), people)
    assert (
        "no column contains labels that the rules predict, so none are compared (see --label)"
        in err
    )
    assert summary_of(here / "report.html")["instances"]["outcomes"] is None


def test_rows_without_a_label_are_skipped(run, file, here):
    people = file("age,job,risk\n20,nurse,\n30,nurse,low\n35,nurse,high\n", "people.csv")
    _, _, err = run("report", file(RULES), people)
    assert "skipped 1 row without a label in column 'risk'" in err
    assert summary_of(here / "report.html")["models"][0]["results"]["rows"] == 2


def test_labels_in_a_table_of_text_are_read_as_rules_write_them(run, file, here):
    rules = file('IF a < 1 THEN "1"\nIF a >= 1 THEN "2"\n')
    assert run("report", rules, file("a,class\n0,1\n5,2\n", "data.csv"))[0] == 0
    assert summary_of(here / "report.html")["models"][0]["results"]["accuracy"] == 1


@pytest.mark.parametrize("labels", [("a; b", ""), ("{a, b}", "{}")])
def test_sets_of_labels_are_read_as_predict_writes_them(run, file, here, labels):
    rules = file("IF x < 1 THEN {a, b}\nIF x >= 1 THEN {}\n")
    data = file(f'x,labels\n0,"{labels[0]}"\n5,"{labels[1]}"\n', "data.csv")
    assert run("report", rules, data)[0] == 0
    found = summary_of(here / "report.html")
    assert found["several_labels"]
    assert found["models"][0]["results"]["accuracy"] == 1


def test_a_decision_table_keeps_its_policy(run, file, here):
    assert run("report", file(FARES, "fares.csv"), "--hit-policy", "first")[0] == 0
    found = summary_of(here / "report.html")
    assert (found["name"], found["decides"]["hit_policy"]) == ("fares", "FIRST")
    assert found["models"][0]["order"] == [0, 1, 2]


def test_a_model_shows_its_front(run, file, here):
    rng = np.random.default_rng(0)
    table = {"a": rng.normal(size=120), "b": rng.normal(size=120)}
    labels = np.where(table["a"] > 0, "yes", "no")
    model = irenic.RuleSetClassifier(random_state=0, generations=1, moves=100).fit(table, labels)
    irenic.write(model, here / "model.json")
    rows = "\n".join(
        f"{a!r},{b!r},{label}"
        for a, b, label in zip(table["a"].tolist(), table["b"].tolist(), labels, strict=True)
    )
    people = file(f"a,b,class\n{rows}\n", "people.csv")
    assert run("report", "model.json", people)[0] == 0
    found = summary_of(here / "report.html")
    assert found["chosen"] == model.pareto_front_.index(model.chosen_)
    assert found["models"][found["chosen"]]["results"]["accuracy"] == model.score(table, labels)
    assert run("report", "model.json")[0] == 0
    assert summary_of(here / "report.html")["counted_on"] == "training"


def test_a_model_of_several_labels_finds_their_columns(run, file, here):
    rng = np.random.default_rng(0)
    table = {"a": rng.normal(size=120), "b": rng.normal(size=120)}
    labels = {"up": (table["a"] > 0).astype(int), "right": (table["b"] > 0).astype(int)}
    model = irenic.RuleSetClassifier(random_state=0, generations=1, moves=100).fit(table, labels)
    irenic.write(model, here / "model.json")
    columns = [column.tolist() for column in (*table.values(), *labels.values())]
    rows = "\n".join(",".join(map(repr, row)) for row in zip(*columns, strict=True))
    people = file(f"a,b,up,right\n{rows}\n", "people.csv")
    status, _, err = run("report", "model.json", people)
    assert (status, err) == (0, "")
    found = summary_of(here / "report.html")
    assert [label["text"] for label in found["labels"]] == ["up", "right"]
    assert len(found["models"][found["chosen"]]["results"]["labels"]) == 2


def test_the_summary_is_printed_as_json(run, file, here):
    status, out, _ = run("report", file(RULES), "--json")
    assert status == 0
    assert validated(out)["format"] == "irenic summary"
    assert not (here / "report.html").exists()


def test_the_example_is_shown_if_no_file_is_given(run, here):
    status, out, _ = run("report")
    assert status == 0
    assert out.startswith("No file given: using the example rules of irenic.")
    assert summary_of(here / "report.html")["name"] == "Example rules of irenic"


def test_a_sample_is_drawn_and_all_are_counted(run, file, here):
    people = file("age,job\n" + "20,nurse\n" * 50, "people.csv")
    assert run("report", file(RULES), people, "--sample", "10")[0] == 0
    found = summary_of(here / "report.html")
    assert (found["instances"]["shown"], found["models"][0]["results"]["rows"]) == (10, 50)


# --- invalid input


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["RULES", "-o", "report.pdf"],
            "cannot write report.pdf: the name of a report must end in",
        ),
        (["RULES", "-o", "no/report.html"], "cannot write no/report.html: No such file"),
        (["RULES", "--label", "risk"], "--label needs a table: irenic report RULES DATA"),
        (["RULES", "PEOPLE", "--label", "rsk"], "unknown column 'rsk'; did you mean 'risk'?"),
        (
            ["RULES", "OTHERS"],
            "the table must have a column 'job', which the rules test; did you mean 'jobs'?",
        ),
        (["RULES", "NOBODY"], "the table must have at least one row, got none"),
        (["RULES", "GONE"], "cannot read"),
        (["GONE"], "cannot read"),
        (["RULES", "--hit-policy", "FRST"], "unknown hit policy 'FRST'; did you mean 'FIRST'?"),
        (
            ["RULES", "PEOPLE", "--label", "job"],
            "column 'job' must hold labels that the rules predict, such as low, high, got nurse",
        ),
        (["RULES", "--table", "fares"], "unknown table 'fares'; the only table has no name"),
    ],
)
def test_invalid_input_is_reported_and_nothing_is_written(run, file, here, arguments, message):
    files = {
        "RULES": file(RULES),
        "PEOPLE": file(PEOPLE, "people.csv"),
        "OTHERS": file("age,jobs\n20,nurse\n", "others.csv"),
        "NOBODY": file("age,job\n", "nobody.csv"),
        "GONE": str(here / "gone.csv"),
    }
    status, out, err = run("report", *(files.get(argument, argument) for argument in arguments))
    assert (status, out) == (2, "")
    assert message in err
    assert not [*here.glob("*.html"), *here.glob("*.pdf"), *here.glob(".irenic*")]


def test_a_page_never_overwrites_an_input(run, here):
    (here / "rules.html").write_text(RULES)
    (here / "link.txt").symlink_to(here / "rules.html")
    status, _, err = run("report", "link.txt", "-o", "rules.html")
    assert status == 2
    assert err.startswith("irenic: --output rules.html and RULES link.txt are the same file, but")
    assert (here / "rules.html").read_text() == RULES
