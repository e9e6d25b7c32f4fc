"""Tests of the report of the study: its tables, its files, and documents with its tables."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from collections import defaultdict
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from study_records import files, record

from study import __main__ as command
from study import arms, report, running, statistics, tables

ROOT = Path(__file__).parents[2]
PUBLISHED, STUDY = ROOT / "study" / "published", ROOT / "docs" / "explanation" / "study.md"
DESIGN = running.Design(folds=2, seeds=2)
ARMS = arms.NAMES
PEERS = ("irenic", "tree 4", "random forest", "ripper")
# those that the figure of budgets shows, and repaired rules
SHOWN = [
    *(
        arms.name_of(kind, budget)
        for kind in (arms.PRIMARY, arms.GIVING_WAY, arms.PLAIN, arms.VOTE)
        for budget in arms.BUDGETS
    ),
    arms.name_of(arms.REPAIRED, tables.BUDGET),
]
MADE = "made boxes 2x2, noise 0"
SETS = {"uci": ("wine", "zoo"), "keel": ("Ecoli", "iris"), "made": (MADE,)}
SETS |= {"several labels": ("flags",)}


# --- made-up results


def measured(rng, learner):
    accuracy = round(float(rng.uniform(0.6, 0.9)), 3)
    found = {
        "accuracy": accuracy,
        "balanced_accuracy": accuracy - 0.05,
        "macro_f1": accuracy - 0.1,
        "train_accuracy": accuracy + 0.05,
        "gap_accuracy": 0.05 + accuracy / 100,
        # of no other figure, so that it can be looked for in the report
        "seconds": 7777.25 + accuracy,
        "evaluations": 8_000,
    }
    if learner != "random forest":
        size = int(rng.integers(2, 12))
        found |= {"rules": size, "conditions": 2 * size, "rules_per_prediction": 1.5}
        found |= {"conflict_points": 0.125, "conflict_space": 0.25, "coverage": 0.75}
    if learner in ARMS:
        found |= {"loose_accuracy": accuracy, "loose_gap": 0.1, "reached": 1.0, "level": 0.9}
        found |= {"explanation_size": 2.5, "evaluations_to_level": 400, "seconds_to_level": 55.125}
    return found


def made_up():
    """Yield records of some arms and peers; ripper fails on one set."""
    rng = np.random.default_rng(0)
    for group, names in SETS.items():
        for name in names:
            real = group in ("uci", "keel")
            for learner in (*SHOWN, *PEERS) if real else SHOWN:
                for seed in range(2 if learner in ARMS and real else 1):
                    for fold in range(2):
                        found = measured(rng, learner)
                        if (learner, name) == ("ripper", "zoo"):
                            found = {"failed": f"{'not tried: ' if fold else ''}over 3 s"}
                        if group == "made":
                            found |= {"truth_agreement": 0.875, "rules_found": 0.5}
                        if group == "several labels":
                            found |= {"example_f1": 0.625, "gap_example_f1": 0.0625}
                        yield record(name, learner, seed, fold, group, **found)


def settings(**more):
    """Return the settings of the made-up results."""
    sets = [
        {"name": name, "group": group, "rows": 2_000, "used": 1_000, "numeric": 3}
        | {"categorical": 1, "classes": 2}
        for group, names in SETS.items()
        for name in names
    ]
    versions = {"irenic": "0.1.0", "numpy": "2.0"}
    design = {"design": asdict(DESIGN), "python": "3.11.7", "versions": versions}
    return design | {"not installed": {"boomer": "mlrl-boomer"}, "sets": sets} | more


def write(folder, records, **more):
    """Write results as a run does, but each file at once."""
    store, lines = running.Store(folder), defaultdict(list)
    for one in records:
        lines[store._path(one["set"], one["learner"])].append(json.dumps(one) + "\n")
    for path, own in lines.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(own))
    (folder / "design.json").write_text(json.dumps(settings(**more)))
    return folder


def results(tmp_path, records, **more):
    return report.read(write(tmp_path / "results", records, **more))


def rows(table):
    """Return the cells of a Markdown table below its head."""
    return [[c.strip() for c in line.strip("|").split(" | ")] for line in table.splitlines()[2:]]


# --- the report

DOC = """# What we found

Text with <!-- a comment --> and a \\1 that stays.
<!-- begin: sets -->
old
<!-- end: sets -->
between
<!-- begin: times -->
<!-- end: times -->
<!-- begin: made by noise -->
| old | table |
<!-- end: made by noise -->

The end, without a line's end"""


@pytest.fixture(scope="module")
def reported(tmp_path_factory):
    """Return a folder with made-up results and a document with their tables, to be read only."""
    folder = write(tmp_path_factory.mktemp("study") / "out", made_up())
    doc = folder.parent / "docs" / "study.md"
    doc.parent.mkdir()
    doc.write_text(DOC)
    assert report.write(folder, doc) == folder / "report.md"
    return folder


def test_the_published_records_give_the_document_and_every_table_and_figure(tmp_path):
    for path in (PUBLISHED / "design.json", PUBLISHED / "records.csv.gz", STUDY):
        assert path.exists(), f"{path.relative_to(ROOT)} is missing: run python -m study"
    # a copy, because a run may have left other folds there
    out, doc = tmp_path / "out", tmp_path / "study.md"
    out.mkdir()
    for name in ("design.json", "records.csv.gz"):
        shutil.copy(PUBLISHED / name, out)
    shutil.copy(STUDY, doc)
    report.write(out, doc)
    given = STUDY.read_text()
    assert doc.read_text() == given

    text = (out / "report.md").read_text()
    assert set(report.TITLES) == set(tables.BLOCKS)
    for name, title in report.TITLES.items():
        table = text.split(f"\n## {title}\n\n")[1].split("\n\n## ")[0]
        assert len(rows(table)) > 0, name
        begin = f"<!-- begin: {name} -->\n"
        assert begin not in given or f"{begin}{table}\n<!-- end" in given, name
    for name in report.FIGURE_MAKERS:
        assert f"![{name}](figures/{name}.svg)" in text
        drawn = (out / "figures" / f"{name}.svg").read_bytes()
        assert len(drawn) > 1_000
        assert (tmp_path / "figures" / f"study_{name}.svg").read_bytes() == drawn
    assert not re.search(r"\bnan\b", text)


def test_a_document_gets_its_tables_and_nothing_else_changes(reported):
    found = report.read(reported)
    expected = DOC.replace("old\n<!-- end: sets", f"{tables.sets(found)}\n<!-- end: sets")
    expected = expected.replace("<!-- end: times", f"{tables.times(found)}\n<!-- end: times")
    expected = expected.replace("| old | table |", tables.made_by_noise(found))
    assert (reported.parent / "docs" / "study.md").read_text() == expected


def test_records_are_kept_as_they_are_in_any_order(reported, tmp_path):
    kept = (reported / "records.csv.gz").read_bytes()
    given = list(made_up())
    assert len(gzip.decompress(kept).splitlines()) == 1 + len(given)
    found = {
        (row["set"], row["learner"], row["seed"], row["fold"]): row
        for row in report.read(reported).records.to_dict("records")
    }
    for one in given:
        row = found[one["set"], one["learner"], one["seed"], one["fold"]]
        assert {name: row[name] for name in one} == one  # to the last digit
    other = write(tmp_path / "other", reversed(given))
    report.read(other)
    assert (other / "records.csv.gz").read_bytes() == kept


def test_a_report_of_the_kept_records_differs_only_where_times_do(reported, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    shutil.copy(reported / "design.json", other)
    seconds = report.read(reported).records["seconds"].dropna().unique()
    text = gzip.decompress((reported / "records.csv.gz").read_bytes()).decode()
    for value in seconds:
        text = text.replace(f",{value},", ",500.0,")
    (other / "records.csv.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    report.write(other)
    before, after = files(reported), files(other)
    assert after.keys() == {name for name in before if not name.startswith("folds")}
    # and what compares times
    changed = {name for name in after if before[name] != after[name]}
    assert changed == {"records.csv.gz", "times.md", "figures/budgets.svg"}


def test_times_are_in_a_file_of_their_own(reported):
    text, times = ((reported / name).read_text() for name in ("report.md", "times.md"))
    assert "7777." not in text
    assert "7778." not in text
    assert "7778." in times
    assert "55.125" in times
    assert rows(times[times.index("|") :])[0][0] == SHOWN[0]


def test_the_last_of_two_records_of_a_fold_counts(tmp_path):
    one = record(accuracy=0.25)
    found = results(tmp_path, [one, one | {"accuracy": 0.75}])
    assert found.records["accuracy"].tolist() == [0.75]


def test_sets_of_any_name(tmp_path):
    names = ["1", "007", "NA", "None", "a, b"]
    found = results(tmp_path, [record(name, ARMS[0], accuracy=0.5) for name in names])
    assert sorted(found.records["set"]) == sorted(names)
    assert found.means(found.arms, "accuracy").index.tolist() == sorted(names)
    assert f"| {ARMS[0]} | 50.0 |" in tables.arms(found)


@pytest.mark.parametrize(
    ("learners", "group", "fold"),
    [
        ([ARMS[0]], "uci", "done"),
        (ARMS, "made", "failed"),
        (["random forest"], "uci", "done"),  # it has no size
        ([tables.WITHOUT, tables.AVOIDING], "uci", "apart"),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in [
                ([tables.WITHOUT], "made", "level not reached"),
                (ARMS, "uci", "level not reached"),
                (["tree 4"], "uci", "done"),
                (["pruned"], "made", "done"),
                ([tables.WITHOUT, "tree 4"], "uci", "failed"),
            ]
        ),
    ],
)
def test_there_is_a_report_of_whatever_is_there(tmp_path, learners, group, fold):
    rng = np.random.default_rng(0)
    name = f"{group} boxes 2x2, noise 0"
    gone = () if fold == "done" else ("evaluations_to_level", "seconds_to_level")
    records = []
    for learner in learners:
        for number in (0, 1):
            found = {k: v for k, v in measured(rng, learner).items() if k not in gone}
            if "reached" in found:
                found["reached"] = float(fold == "done")
            if fold == "failed":
                found = {"failed": "over 3 s"}
            # learners that share no set are not compared
            own = f"{name}{learner if fold == 'apart' else ''}"
            records.append(record(own, learner, 0, number, group, **found))
    folder = write(tmp_path / "results", records)
    text = report.write(folder).read_text()
    assert "nan" not in text + (folder / "times.md").read_text()
    if fold == "failed":
        assert f"| {learners[0]} | {name} | 2 | 0 | over 3 s |" in text
    elif learners[0] in ARMS and group == "uci":
        reached = "100.0 | 400" if fold == "done" else "0.0 | not reached"
        assert f"| {learners[0]} | {reached}" in text


@pytest.mark.parametrize("present", [(), ("design.json",)])
def test_a_folder_without_results(tmp_path, present):
    for name in present:
        (tmp_path / name).write_text(json.dumps(settings()))
    before = files(tmp_path)
    missing = "folds/ and records.csv.gz are" if present else "design.json is"
    with pytest.raises(ValueError, match=rf"contains no results: {missing} missing"):
        report.write(tmp_path)
    assert files(tmp_path) == before


# --- documents


def test_tables_are_put_in_as_they_are():
    # what means something in a replacement of a regular expression
    text = "<!-- begin: a (b) -->\n<!-- end: a (b) -->"
    assert report.updated(text, {"a (b)": r"\1 \g<0> \n"}).splitlines()[1] == r"\1 \g<0> \n"
    without_begin = "a\n<!-- end: x -->\n"
    assert report.updated(without_begin, {}) == without_begin


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<!-- begin: tabels -->\n<!-- end: tabels -->", "unknown table 'tabels' in the document"),
        ("<!-- begin: sets -->\n", "must have one begin and one end of 'sets'"),
        ("<!-- begin: sets -->\n<!-- end: arms -->", "must have one begin and one end of 'sets'"),
        (
            "<!-- begin: sets -->\n<!-- end: sets -->\n" * 2,
            "must have one begin and one end of 'sets'",
        ),
    ],
)
def test_documents_with_wrong_marks(text, message):
    with pytest.raises(ValueError, match=message):
        report.updated(text, {"sets": "x", "arms": "y"})


def test_a_document_with_wrong_marks_is_left_alone(tmp_path, capsys):
    out = write(tmp_path / "out", [record(accuracy=0.5)])
    doc = tmp_path / "doc.md"
    doc.write_text(DOC + "\n<!-- begin: more -->\n<!-- end: more -->")
    before = doc.read_text()
    assert command.main(["--report-only", "--out", str(out), "--doc", str(doc)]) == 2
    assert (
        "error: unknown table 'more' in the document (known: primary, " in capsys.readouterr().err
    )
    assert doc.read_text() == before
    assert not (tmp_path / "figures").exists()


# --- tables


# One set better, two equal and three worse; what else there is to it comes from the tests.
MEANS = pd.DataFrame({"a": [3.0, 2, 2, 1, 1, 1], "b": [2.0] * 6})


def difference(interval, **more):
    return replace(statistics.paired(MEANS, "a", "b"), interval=interval, **more)


def ratio(interval):
    return replace(statistics.ratio(MEANS, "a", "b"), interval=interval, mean=1.0)


@pytest.mark.parametrize(
    ("found", "measure", "expected"),
    [
        (difference(None), "accuracy", "unknown"),
        (difference((-0.009, 0.009)), "accuracy", "mean within a point"),
        (difference((0.001, 0.009)), "accuracy", "better, but within a point"),
        (difference((0.001, 0.02)), "accuracy", "better"),
        (difference((-0.02, -0.001)), "accuracy", "worse"),
        (difference((-0.02, 0.001)), "accuracy", "undecided"),
        (difference((0.0, 0.02)), "accuracy", "undecided"),
        (difference((0.011, 0.02)), "gap_accuracy", "more"),
        (difference((-0.02, -0.001)), "gap_accuracy", "less"),
        # a margin of a point is one of shares only
        (difference((0.001, 0.009)), "explanation_size", "more"),
        (difference((-0.009, 0.009)), "rules_per_prediction", "undecided"),
        (ratio(None), "rules", "unknown"),
        (ratio((1.01, 1.5)), "rules", "more"),
        (ratio((0.5, 0.99)), "conditions", "less"),
        (ratio((0.999, 1.001)), "rules", "mean within a factor of 1.25"),
        (ratio((1.001, 1.24)), "rules", "more, but within a factor of 1.25"),
        (ratio((0.79, 1.01)), "rules", "undecided"),
    ],
)
def test_verdict(found, measure, expected):
    assert tables.verdict(found, tables.MEASURES[measure], 0.049) == expected
    # an adjusted p-value may take back what an interval says, but not that it does not matter
    taken_back = "unknown" if expected == "unknown" else "undecided"
    if "within" in expected:
        taken_back = f"mean {expected[expected.index('within') :]}"
    assert tables.verdict(found, tables.MEASURES[measure], 0.05) == taken_back


def test_numbers_are_shown_with_sign_and_digits():
    signed = {
        (1.25, 2): "+1.25",
        (-1.25, 2): "−1.25",
        (0.0, 1): "0.0",
        (-0.0, 2): "0.00",
        (-0.04, 1): "0.0",
        (0.004, 2): "0.00",
        (-0.06, 1): "−0.1",
        (0.2, 0): "0",
        (1234.5, 1): "+1234.5",
    }
    assert {given: tables.signed(*given) for given in signed} == signed
    shown = {0.0: "< 0.001", 0.00099: "< 0.001", 0.001: "0.001", 0.0496: "0.050", 1.0: "1.000"}
    assert {p: tables.p_value(p) for p in shown} == shown


def test_comparisons_are_shown_in_points_and_times():
    share, mean, count = (tables.MEASURES[n] for n in ("accuracy", "explanation_size", "rules"))
    found = difference((-0.0125, 0.0375), mean=0.025)
    assert tables.comparison_cells(found, share) == ["+2.50 [−1.25, +3.75]"]
    assert tables.comparison_cells(found, mean) == ["0.0 [0.0, 0.0]"]
    assert tables.comparison_cells(difference(None, mean=1.26), mean) == ["+1.3 [–]"]
    assert tables.comparison_cells(ratio((0.5, 2.0)), count) == ["1.00 [0.50, 2.00] times"]
    assert tables.tally(found) == "1 / 2 / 3"
    # of counts, less is better
    assert tables.tally(ratio(None)) == "3 / 2 / 1"
    assert tables.effect(ratio(None)).startswith("−")


def test_what_is_so_by_construction_is_not_tested():
    accuracy, conflict = (tables.MEASURES[name] for name in ("accuracy", "conflict_points"))
    found = difference((0.1, 0.2), p=0.02)
    asked = [(["a"], accuracy, found), (["b"], conflict, found), (["c"], accuracy, None)]
    one, two = tables.compared_rows(asked)
    # of one test there is nothing to adjust
    assert one[3] == "0.020"
    assert (two[3], two[-1]) == ("–", "by construction")


def test_what_is_read_for_covered_points(tmp_path):
    figures = {"explanation_size": 2.0, "coverage": 0.5, "conditions": 10, "rules": 4}
    records = [record("s", ARMS[0], 0, fold, **figures) for fold in (0, 1)]
    found = results(tmp_path, records)
    for name, value in {"explanation_covered": 4.0, "explanation_default": 7.0}.items():
        assert found.means(found.arms, name)[ARMS[0]].tolist() == [value]


def test_markdown():
    assert tables.markdown(["a", "b"], [["x", 1], ["y", "–"]]) == (
        "| a | b |\n|---|--:|\n| x | 1 |\n| y | – |"
    )


def test_failures_are_all_listed(tmp_path):
    records = [
        record(accuracy=0.5),
        record("s", "ripper", failed="ValueError: a | b < c"),
        record("s", "ripper", fold=1, failed="not tried: over 3 s"),
        record("s", "ripper", fold=2, accuracy=0.5),
        record("t", "ripper", failed="died with exit code -9"),
        record(MADE, ARMS[0], group="made", failed="over 3 s"),
        # of another seed, and of a learner that no table knows
        record("t", "tree 8", 1, failed="over 4 s"),
        record("t", "an old name", failed="over 5 s"),
    ]
    text = tables.failures(results(tmp_path, records, **{"not installed": {"figs": "imodels"}}))
    assert rows(text) == [
        [ARMS[0], MADE, "1", "0", "over 3 s"],
        ["an old name", "t", "1", "0", "over 5 s"],
        ["ripper", "s", "1", "1", "ValueError: a \\| b &lt; c"],
        ["ripper", "t", "1", "0", "died with exit code -9"],
        ["tree 8", "t", "1", "0", "over 4 s"],
        ["figs", "all", "–", "–", "imodels is not installed"],
    ]
    found = results(tmp_path / "other", records[:1], **{"not installed": {}})
    assert tables.failures(found) == "None."


def accuracies(given, group="uci"):
    """Return records of (set, learner): the accuracies of its folds, None where one failed."""
    return [
        record(*place, 0, fold, group, **({"failed": "x"} if a is None else {"accuracy": a}))
        for place, folds in given.items()
        for fold, a in enumerate(folds)
    ]


def test_peers_are_compared_on_the_sets_that_all_finished(tmp_path):
    learners = {"irenic": (0.5, 0.75), "tree 4": (0.25, 0.5), "ripper": (0.5, 0.5)}
    given = {(name, learner): folds for name in "stuv" for learner, folds in learners.items()}
    # the fold that was done counts for nothing, and so does what others have of this set
    given |= {
        ("w", "irenic"): (1.0, 1.0),
        ("w", "tree 4"): (1.0, 1.0),
        ("w", "ripper"): (1.0, None),
    }
    # without any figure at all, it keeps none from being compared
    given |= {(name, "figs"): (None, None) for name in "stuvw"}
    found = results(tmp_path, accuracies(given))
    assert set(tables.everywhere(found)["set"]) == set("stuv")
    assert [row[:2] for row in rows(tables.peers(found))] == [
        ["irenic", "62.5"],
        ["tree 4", "37.5"],
        ["ripper", "50.0"],
    ]
    # against one peer, the sets that both finished
    by_peer = {row[0]: row[1] for row in rows(tables.peer_differences(found))}
    assert by_peer == {"tree 4": "5", "ripper": "4"}


def test_arms_are_shown_on_the_sets_that_all_finished(tmp_path):
    given = {
        ("s", ARMS[0]): (0.5, 0.5),
        ("s", ARMS[1]): (0.5, 0.75),
        ("t", ARMS[0]): (1.0, 1.0),
        ("t", ARMS[1]): (1.0, None),
    }
    found = results(tmp_path, accuracies(given))
    assert [row[:2] for row in rows(tables.arms(found))] == [[ARMS[0], "50.0"], [ARMS[1], "62.5"]]


def test_a_peer_that_failed_on_many_sets_is_not_in_common_means(tmp_path):
    given = {(name, "irenic"): (0.5, 0.5) for name in "abcdefghij"}
    given |= {(name, "tree 4"): (0.25, 0.25) for name in "abcdefgh"}
    given |= {(name, "ripper"): (0.25, 0.25) for name in "abcdefg"}
    found = results(tmp_path, accuracies(given))
    assert [row[0] for row in rows(tables.peers(found))] == ["irenic", "tree 4"]
    assert {row[0]: row[1] for row in rows(tables.peer_differences(found))} == {
        "tree 4": "8",
        "ripper": "7",
    }


def named(table):
    """Return the rows of a table by their texts: all cells before the number of sets."""
    head, _, *lines = [[c.strip() for c in x.strip("|").split(" | ")] for x in table.splitlines()]
    return {tuple(line[: head.index("sets")]): line[head.index("sets") :] for line in lines}


def test_budgets_are_compared_by_evaluations_and_by_time(tmp_path):
    records = [
        record(
            name, arms.name_of(kind, budget), 0, fold,
            accuracy=base + 0.01 * budget, gap_accuracy=0.0, conditions=4, seconds=seconds * budget,
        )
        for name in "stu"
        for kind, base, seconds in ((arms.PRIMARY, 0.5, 1.0), (arms.PLAIN, 0.6, 2.0))
        for budget in arms.BUDGETS
        for fold in (0, 1)
    ]  # fmt: skip
    found = results(tmp_path, records)
    compared = named(tables.budgets(found))
    assert compared["accuracy", "CFSBE 4x, none 4x", "0.50 times"][:2] == [
        "3",
        "−10.00 [−10.00, −10.00]",
    ]
    assert compared["accuracy", "CFSBE 16x, none 4x", "2.00 times"][1] == "+2.00 [+2.00, +2.00]"
    grown = named(tables.growth(found))
    assert grown["accuracy", arms.PLAIN, "16x, 4x"][1] == "+12.00 [+12.00, +12.00]"


def test_classes_are_a_factor(tmp_path):
    classes = {"s": 2, "t": 5, "u": 6}
    given = {
        (name, learner): (0.5 - 0.01 * n * (learner == tables.AVOIDING),) * 2
        for name, n in classes.items()
        for learner in (tables.AVOIDING, tables.WITHOUT)
    }
    sets = [
        {"name": name, "group": "uci", "rows": 9, "used": 9, "numeric": 1, "categorical": 0}
        | {"classes": n}
        for name, n in classes.items()
    ]
    found = results(tmp_path, accuracies(given), sets=sets)
    compared = {key: cells[1] for key, cells in named(tables.classes(found)).items()}
    assert compared == {
        ("accuracy", "2", "4x"): "−2.00 [–]",
        ("accuracy", "3 to 5", "4x"): "−5.00 [–]",
        ("accuracy", "6 and more", "4x"): "−6.00 [–]",
    }


def test_hosts_are_compared_on_the_same_sets(tmp_path):
    other = [arms.name_of(kind, 4, arms.MICHIGAN) for kind in (arms.PRIMARY, arms.PLAIN)]
    given = {("s", learner): (0.5, 0.5) for learner in (*other, tables.AVOIDING, tables.WITHOUT)}
    given |= {("t", learner): (0.5, 0.5) for learner in (tables.AVOIDING, tables.WITHOUT)}
    compared = named(tables.hosts(results(tmp_path, accuracies(given))))
    assert {key[1]: cells[0] for key, cells in compared.items()} == {
        "annealing": "1",
        "Michigan": "1",
    }


def test_what_was_not_run_is_listed(tmp_path):
    # with the second seed, only real data were run
    records = [
        record(name, arms.name_of(kind, budget), seed, fold, group, accuracy=0.5)
        for group, names in SETS.items()
        for name in names
        for kind in arms.KINDS
        for budget in (4, 16)
        for seed in range(2 if group in ("uci", "keel") else 1)
        for fold in (0, 1)
    ]
    missing = rows(tables.not_run(results(tmp_path / "all", records)))
    assert [row for row in missing if row[0] == "annealing, 4x"] == [
        ["annealing, 4x", "2", "8", "6", "4"]
    ]
    assert missing[-1][0] == "peers and ablations"
    assert missing[-1][4] == "0"
    # a set counts as run if all of its folds are
    less = [one for one in records if (one["set"], one["fold"]) != ("zoo", 1)]
    missing = rows(tables.not_run(results(tmp_path / "less", less)))
    assert [row for row in missing if row[0] == "annealing, 16x"] == [
        ["annealing, 16x", "1", "8", "6", "5"],
        ["annealing, 16x", "2", "8", "6", "3"],
    ]


def test_what_is_made_is_told_from_what_is_taken(tmp_path):
    plain, avoiding = tables.WITHOUT, tables.AVOIDING
    records = accuracies({("s", plain): (0.5, 0.5), ("s", avoiding): (0.75, 0.75)})
    for noise, agreement in (("0", 0.5), ("0.1", 0.25)):
        for learner in (plain, avoiding):
            more = {"truth_agreement": agreement + 0.125 * (learner == avoiding), "accuracy": 0.0}
            name = f"made boxes 2x2, noise {noise}"
            records += [record(name, learner, 0, fold, "made", **more) for fold in (0, 1)]
    found = results(tmp_path, records)
    assert {row[0]: row[1] for row in rows(tables.arms(found))} == {avoiding: "75.0", plain: "50.0"}
    assert [row[:3] for row in rows(tables.made(found))] == [
        ["boxes", avoiding, "50.0"],
        ["boxes", plain, "37.5"],
    ]
    assert [row[:3] for row in rows(tables.made_by_noise(found))] == [
        ["boxes, 0%", avoiding, "62.5"],
        ["boxes, 0%", plain, "50.0"],
        ["boxes, 10%", avoiding, "37.5"],
        ["boxes, 10%", plain, "25.0"],
    ]
