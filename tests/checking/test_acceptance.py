"""Findings that a file accepts, with a reason, beside its rules."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irenic
from irenic import DecisionTable, check
from irenic.checking import KINDS, NOUNS
from irenic.model import Provenance
from tests import strategies

DMN = """<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" name="m" namespace="n">
  <decision name="Fare"><description>{whole}</description><decisionTable hitPolicy="UNIQUE">
    <input><inputExpression typeRef="number"><text>age</text></inputExpression></input>
    <output name="fare"/><annotation name="Why"/>
    <rule>{description}<inputEntry><text>[0..30)</text></inputEntry>
      <outputEntry><text>"low"</text></outputEntry>{annotation}</rule>
    <rule><inputEntry><text>[20..50)</text></inputEntry>
      <outputEntry><text>"high"</text></outputEntry></rule>
  </decisionTable></decision>
</definitions>"""


def dmn(row, whole, *, annotated=False):
    description = "" if annotated else f"<description>agreed\naccept: {row}</description>"
    annotation = f"<annotationEntry><text>accept: {row}</text></annotationEntry>"
    return DMN.format(
        whole=f"accept: {whole}",
        description=description,
        annotation=annotation if annotated else "",
    )


def rules(row, whole):
    return (
        f"# accept: {whole}\n"
        f"IF 0 <= age < 30 THEN low  # accept: {row}\nIF 20 <= age < 50 THEN high\n"
    )


def as_json(row, whole):
    listed = [
        {"if": {"age": {">=": 0, "<": 30}}, "then": "low", "accept": row},
        {"if": {"age": {">=": 20, "<": 50}}, "then": "high"},
    ]
    return json.dumps({"version": 1, "rules": listed, "accept": [whole]}).encode()


def csv(row, whole, header="Comment"):
    return (
        f'age,fare,{header}\n[0..30),low,"agreed\naccept: {row}"\n[20..50),high,accept: {whole}\n'
    )


def xlsx(row, whole):
    book = openpyxl.Workbook()
    for line in (
        ("age", "fare", "Notes"),
        ("[0..30)", "low", f"accept: {row}"),
        ("[20..50)", "high", f"Accept: {whole}"),
    ):
        book.active.append(line)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def table(content, form):
    return irenic.parse(content, format=form).bind().table()


SOURCES = [
    pytest.param(dmn, "dmn", id="description"),
    pytest.param(lambda *texts: dmn(*texts, annotated=True), "dmn", id="annotation"),
    pytest.param(rules, "rules", id="comment"),
    pytest.param(as_json, "json", id="json"),
    pytest.param(csv, "csv", id="csv"),
    pytest.param(lambda *texts: csv(*texts, header="IRENIC NOTE"), "csv", id="our notes"),
    pytest.param(xlsx, "xlsx", id="xlsx"),
]


@pytest.mark.parametrize(("source", "form"), SOURCES)
def test_a_file_accepts_findings(source, form):
    accepting = table(source("conflict: ticket 7", "gap: known"), form)
    findings = check(accepting)
    assert not list(findings)
    assert findings.count("conflicts") == 1
    assert not findings.fails()
    assert not findings.fails(["conflicts", "overlaps", "gaps"])
    accepted = {(a.finding.shown_as, a.reason, a.in_file) for a in findings.accepted}
    assert accepted == {("conflicts", "ticket 7", True), ("gaps", "known", True)}
    # the rules are the same with and without acceptances
    plain = table(rules("", "").replace("accept:", "no"), "rules")
    content = [(rule.region.conditions(), rule.then) for rule in accepting.rules]
    assert content == [(rule.region.conditions(), rule.then) for rule in plain.rules]


@pytest.mark.parametrize(("source", "form"), SOURCES)
def test_an_acceptance_that_accepts_nothing_is_a_finding(source, form):
    findings = check(table(source("mergeable: later", "overlap: both apply"), form))
    row, whole = sorted(findings.of("acceptances"), key=lambda f: "overlap" in f.text)
    assert row.rules == (0,)
    assert row.text == (
        "rule 1: 'accept: mergeable: later' accepts no finding of the kind mergeable; remove it"
    )
    assert whole.text.endswith(
        "'accept: overlap: both apply' accepts no finding of the kind overlap; remove it"
    )
    assert findings.fails()
    assert findings.fails(["acceptances"])


def test_invalid_acceptances_are_findings():
    kind_and_reason = "an acceptance must be a kind of finding and a reason, as in gap: why"
    for text, reason in {
        "overlp: why": "unknown kind of finding 'overlp'; did you mean 'overlap'?",
        "overlap": kind_and_reason,
        "overlap: ": kind_and_reason,
        "gap where agee < 5: x": "unknown feature 'agee'; did you mean 'age'?",
    }.items():
        (finding,) = check(table(as_json(text, "conflict: known"), "json")).of("acceptances")
        assert finding.text == f"rule 1: {f'accept: {text}'!r}: {reason}"


def test_an_acceptance_is_about_its_rule_or_limited_to_a_region():
    text = (
        "IF 0 <= a < 2 THEN x\nIF 1 <= a < 3 THEN y\nIF 5 <= a < 7 THEN x # accept: conflict: k\n"
    )
    findings = check(table(text + "IF 6 <= a < 8 THEN y\n", "rules"))
    assert [finding.rules for finding in findings.of("conflicts")] == [(0, 1)]
    assert {a.finding.rules for a in findings.accepted} == {(2, 3)}
    text = "# accept: gap where age < 0: nobody is that young\nIF 0 <= age < 9 THEN x\n"
    findings = check(table(text, "rules"))
    assert [str(finding.region) for finding in findings.of("gaps")] == ["age >= 9"]
    assert [str(a.finding.region) for a in findings.accepted] == ["age < 0"]


def test_unfinished_searches_make_no_acceptance_unused():
    text = "# accept: conflict, gap: known\nIF 0 <= age < 9 THEN x\nIF age > 5 THEN y\n"
    findings = check(table(text, "rules"), limit=0)
    assert not findings.of("acceptances")
    assert findings.count("acceptances") == 0


def test_an_acceptance_outside_the_notes_is_refused():
    text = "age,fare\n[0..30),low\n[20..50),accept: conflict: known\n"
    error = irenic.parse(text, format="csv").errors[0]
    assert error.message == (
        "'accept: conflict: known' must be in a column of notes: add one, or declare it"
        " with roles={'Comment': 'note'} (--role Comment=note)"
    )
    text = "age,fare\n[0..30),low\n[20..50),accept: manual review\n"
    assert table(text, "csv").rules[1].then == "accept: manual review"
    # a dropped row accepts nothing
    text = "age,fare,IRENIC NOTE\n[0..30),low,\n,,accept: conflict: known; irenic repair: dropped\n"
    assert table(text + "[20..50),high,\n", "csv").provenance.accepts == ()
    # those in JSON must be texts
    text = b'{"version": 1, "rules": [{"then": "x", "accept": 5}]}'
    assert irenic.parse(text, format="json").errors[0].message == (
        'rule 1: "accept" must be a text such as "overlap: both apply", or a list of texts, got 5'
    )


@pytest.mark.parametrize("form", ["csv", "xlsx", "dmn", "json", "rules", "txt"])
def test_writers_keep_acceptances(form):
    text = (
        "IF a < 5 THEN x # accept: gap: known # accept: conflict: ticket #7\n"
        "IF a > 3 THEN y\nIF a > 9 THEN z # accept: conflict: later\n"
    )
    source = table(text, "rules")
    back = table(irenic.dumps(source, format=form), form)
    assert back.provenance.accepts == source.provenance.accepts
    assert [accepted[0] for accepted in back.provenance.accepts] == [(0,), (0,), (2,)]
    # of the rules as they are ordered in the file
    ordered = source.under("FIRST")
    if form not in ("rules", "txt"):
        assert (
            table(irenic.dumps(ordered, format=form), form).provenance.accepts
            == source.provenance.accepts
        )


def test_acceptances_of_the_whole_table_are_kept_or_writing_says_that_they_are_lost():
    source = table("# accept: gap: known\nIF a < 5 THEN x\n", "rules")
    for form in ("dmn", "json", "rules"):
        assert table(irenic.dumps(source, format=form), form).provenance.accepts == (
            ((), "gap: known"),
        )
    for form in ("csv", "xlsx", "sql", "py"):
        with pytest.warns(irenic.errors.FormatWarning, match="1 acceptance is left out"):
            irenic.dumps(source, format=form)


@given(strategies.rule_sets(), st.sets(st.sampled_from(KINDS)), st.sampled_from([None, "UNIQUE"]))
def test_findings_are_either_listed_or_accepted(rule_set, kinds, policy):
    plain = DecisionTable.from_rules(rule_set).under(policy)
    texts = [f"{NOUNS[kind]}: known" for kind in sorted(kinds)]
    findings = check(
        replace(plain, provenance=Provenance(accepts=tuple(((), text) for text in texts))),
        budget=None,
    )
    before = check(plain, budget=None)
    for kind in KINDS[:-1]:
        assert findings.count(kind) == before.count(kind)
        listed = [f for f in before.of(kind) if f.shown_as not in kinds]
        assert findings.of(kind) == listed
        assert findings.fails([kind]) == bool(listed)
    unused = {kind for kind in kinds if not any(f.shown_as == kind for f in before)}
    assert findings.count("acceptances") == len(unused)


@given(
    st.text(max_size=30), st.sampled_from(["", "gap: ", "gap where ", "gap where age < ", "gap, "])
)
def test_any_text_is_accepted_or_reported(text, begin):
    rules = DecisionTable.from_rules(irenic.RuleSet([irenic.Rule({"age": (0, 9)}, then="x")]))
    findings = check(replace(rules, provenance=Provenance(accepts=(((0,), begin + text),))))
    assert len(findings.accepted) + len(findings.of("acceptances")) > 0
