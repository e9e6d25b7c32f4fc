"""What objects show in notebooks: markup that is safe, plain, and fit for light and dark."""

from __future__ import annotations

import copy
import math
import pickle
import re
from html.parser import HTMLParser

import numpy as np
import skops.io
from hypothesis import given
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.base import clone
from sklearn.utils import estimator_html_repr

import irenic
from irenic import (
    Budget,
    Categorical,
    Continuous,
    DecisionTable,
    Region,
    Rule,
    RuleList,
    RuleSet,
    RuleSetClassifier,
    Space,
    check,
    gaps,
)
from irenic.learn import Certificate, Front, FrontPoint
from irenic.learn.answers import Answers
from irenic.learn.front import RuleCounts
from irenic.model import Provenance
from irenic.model.literals import display, say
from irenic.reporting import markup
from learn.fitting import people, quick
from strategies import examples

TAGS = {"div", "span", "code", "table", "thead", "tbody", "tr", "th", "td", "details", "summary"}
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img onerror=x>',
    "' onmouseover='alert(1)",
    "&lt;b&gt;",
    "</code></td></table>",
    "a & b",
    "--><!--",
    "\u202e\x00\r\n",
]
TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
NAMES = st.one_of(st.sampled_from(HOSTILE), TEXT)

# a ground behind text lets the page shine through, and text has the colour of the page
COLOURS = re.compile(r"rgba\(\d+,\d+,\d+,0?\.\d+\)|inherit|none|transparent")


class Reader(HTMLParser):
    """Reads markup, and holds it to what notebooks keep of it."""

    def __init__(self, shown):
        super().__init__()
        self.open, self.text, self.titles, self.cells, self.rows = [], "", [], [], []
        self.feed(shown)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert tag in TAGS, tag
        given = dict(attrs)
        assert len(given) == len(attrs)
        assert set(given) <= {"style", "title"}, attrs
        for one in filter(None, given.get("style", "").split(";")):
            name, value = one.split(":")
            if name in ("color", "background"):
                assert COLOURS.fullmatch(value), one
            assert "url" not in value
            if "rgb" in value:
                assert "rgba(" in value
        if tag in ("td", "th"):
            assert "text-align:" in given["style"]
            self.cells.append("")
        if tag == "tr":
            self.cells = []
        if "title" in given:
            self.titles.append(given["title"])
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        if tag == "tr":
            self.rows.append([cell.strip() for cell in self.cells])

    def handle_data(self, data):
        self.text += data
        if self.cells:
            self.cells[-1] += data

    def unexpected(self, *_):
        raise AssertionError("neither an element nor text")

    handle_comment = handle_decl = handle_pi = unknown_decl = unexpected


def read(thing):
    return Reader(thing._repr_html_())


def age(low, high, then, **options):
    return Rule({"age": (low, high)}, then=then, **options)


AGES = RuleSet([age(None, 18, "reduced"), age(18, 60, "full")], default="ask")


# --- names come out as text


def sample(name, value, label):
    """Return rules with a name, a value and labels that somebody else has chosen."""
    space = Space([Continuous(name), Categorical(name + "2", [value, "plain"])])
    first = Region(space, {name: (0, 5), name + "2": {value}})
    rules = [Rule(first, then=label), Rule({name: (3, None)}, then=label + "2")]
    return RuleSet(rules, space, default=label)


def point_of(rules, labels, **options):
    """Return a point of a front whose counts are made up: rule k has k + 1 rows of each label."""
    n = len(rules) + 1
    mix = np.arange(1.0, n + 1)[:, None].repeat(len(labels), axis=1)
    share = np.full(len(labels), 1 / len(labels))
    counts = RuleCounts(
        mix=mix,
        support=mix.sum(axis=1),
        confidence=np.full(n, 0.5),
        intervals=np.full((n, 2), 0.5),
        training_confidence=np.full(n, 0.5),
        overall=share,
        frequencies=mix / mix.sum(axis=1)[:, None],
    )
    scores = {"training_score": 0.9, "validated_score": 0.8, "penalty": 1.0} | options
    return FrontPoint(
        rules, n_rules=len(rules), n_conditions=3, explanation_size=1.5, counts=counts, **scores
    )


def fitted(rules, labels, form="labels", **parameters):
    """Return a classifier as fit leaves it, without the wait."""
    clf = RuleSetClassifier(**parameters)
    clf.classes_ = np.array(labels, dtype=object)
    clf.feature_names_in_ = np.array(rules.space.names, dtype=object)
    clf.n_features_in_ = len(rules.space)
    clf.hierarchy_, clf.stopped_by_, clf.space_ = None, None, rules.space
    clf._answers = Answers(clf.classes_, form)
    clf.pareto_front_ = Front([point_of(rules[:1], labels), point_of(rules, labels)])
    clf._use(clf.pareto_front_[1])
    return clf


def own_part(clf):
    """Return what a fitted classifier shows, without what scikit-learn adds to it."""
    shown = clf._repr_mimebundle_()["text/html"]
    theirs = shown[shown.index("</summary>") + len("</summary>") : shown.rindex("</details>")]
    return shown.replace(theirs, "")


@examples(0.4)
@given(NAMES, NAMES, NAMES)
def test_whatever_things_are_called_comes_out_as_text(name, value, label):
    rules = sample(name, value, label)
    condition = rules[0].region.to_text()
    point = point_of(rules, [label, label + "2"])
    found = gaps(rules, budget=Budget(regions=3))
    table = DecisionTable(
        rules,
        rows=(0, 2),
        n_rows=3,
        hit_policy="FIRST",
        name=name,
        outputs=(label,),
        provenance=Provenance(reasons=((1, name),)),
    )
    assert read(rules[0].region).text == condition
    asked = rules[0].region.to_text("AND")
    assert read(rules[0]).text == f"IF {asked} THEN {say(label)}"
    for shown in (rules, RuleList.from_rules(rules), point):
        row = [condition.strip(), say(label).strip()]
        assert read(shown).rows[1][1:3] == row
    whole = read(table)
    assert say(name) in whole.text
    assert whole.rows[0] == ["row", "if", label.strip()]
    assert whole.rows[2][1] == f"never holds: {name}".strip()
    assert [row[1] for row in read(found).rows[1:]] == [str(r).strip() for r in found]
    findings = check(rules, budget=Budget(nodes=50))
    assert [row[1] for row in read(findings).rows[1:]] == [str(f).strip() for f in findings]
    assert read(Front([point], chosen=point)).rows[1][-1] == "chosen"
    assert read(Certificate.of(rules)).text == str(Certificate.of(rules))


@examples(0.2)
@given(NAMES, NAMES, NAMES, st.booleans())
def test_a_classifier_shows_names_as_text(name, value, label, many):
    rules, labels = sample(name, value, label), [label, label + "2"]
    if many:
        sets = [Rule(rule.region, then=frozenset({rule.then})) for rule in rules]
        rules = RuleSet(sets, rules.space, default=frozenset(labels))
    clf = fitted(rules, labels, "sets" if many else "labels", class_weight={label: 2.0})
    shown = Reader(own_part(clf))
    assert shown.rows[1][1] == rules[0].region.to_text().strip()
    assert shown.rows[1][2] == say(label).strip()
    assert any(title.startswith(f"{say(label)}: 1 of 2") for title in shown.titles)


def test_scikit_learns_part_holds_no_more_elements_than_it_always_does():
    def tags(*names):
        found = []
        reader = HTMLParser()
        reader.handle_starttag = lambda tag, attrs: found.append((tag, [key for key, _ in attrs]))
        clf = fitted(sample(*names), [names[2], names[2] + "2"], class_weight={names[2]: 2.0})
        reader.feed(clf._repr_mimebundle_()["text/html"])
        return found

    plain = tags("a", "b", "c")
    assert ("script", []) in plain
    for name in HOSTILE[:3]:
        assert tags(name, name, name) == plain


# --- what is shown


def test_a_region_is_one_piece_of_code():
    shown = AGES[1].region._repr_html_()
    assert Reader(shown).text == "18 <= age < 60"
    assert shown.startswith("<code ")
    assert "\n" not in shown
    assert read(Region(AGES.space)).text == "anything"
    assert read(Region.nothing(AGES.space)).text == "nothing"
    values = [f"value{i}" for i in range(1_000)]
    region = Region(Space([Categorical("f", values, other=True)]), {"f": set(values[:500])})
    text = str(region)
    shown = read(region).text
    assert shown == f"{text[:1000]}… and {len(text) - 1000:,} more characters"


def test_a_rule_shows_its_weight():
    assert read(age(18, 60, "full", weight=0.5)).text == "IF 18 <= age < 60 THEN full (weight 0.5)"
    for then, shown in (
        ("low risk", "low risk"),
        (frozenset({"b", "a"}), "a b"),
        (frozenset(), "no label"),
        (" ", '" "'),
    ):
        assert read(age(0, 1, then)).text == f"IF 0 <= age < 1 THEN {shown}"


def test_a_rule_set_is_a_table():
    shown = read(AGES.copy())
    assert shown.text.startswith("Rule set 2 rules, 1 feature, default ask")
    assert shown.rows == [
        ["rule", "if", "then"],
        ["1", "age < 18", "reduced"],
        ["2", "18 <= age < 60", "full"],
        ["", "otherwise", "ask"],
    ]
    assert read(RuleSet(space=AGES.space)).rows == [["rule", "if", "then"]]
    rules = RuleSet([age(0, 1, "a", weight=0.25), age(1, 2, "b")], default="c")
    assert [row[3] for row in read(rules).rows] == ["weight", "0.25", "1", ""]
    shown = read(RuleList.from_rules(AGES))
    assert shown.text.startswith(
        "Rule list 2 rules, 1 feature, default ask, the first rule that holds decides"
    )
    assert shown.rows == read(AGES).rows


def test_nothing_is_searched_for_only_to_be_shown(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("a search")

    rules = RuleSet([*AGES], AGES.space)  # nothing is known of it
    for name in ("conflicts", "overlaps", "_find_pairs", "covering", "decide", "statistics"):
        monkeypatch.setattr(RuleSet, name, refuse)
    assert "consistent" not in read(rules).text
    read(RuleList.from_rules(rules))
    read(DecisionTable.from_rules(rules))
    read(point_of(rules, ["reduced", "full"]))


def test_a_rule_set_says_whether_it_is_consistent_once_that_is_known():
    for high, word in ((60, ", consistent"), (17, ", not consistent")):
        rules = RuleSet([age(None, 18, "reduced"), age(min(18, high), 60, "full")])
        assert "consistent" not in read(rules).text
        assert rules.is_consistent == (high == 60)
        assert f"1 feature{word}" in read(rules).text


def test_at_most_a_hundred_rules_are_shown():
    many = RuleSet([age(i, i + 1, i % 9) for i in range(1_234)], default=3)
    for rules in (many, RuleList.from_rules(many), DecisionTable.from_rules(many)):
        shown = read(rules)
        assert "… and 1,134 more" in shown.text
        assert [row[0] for row in shown.rows[-3:]] == ["99", "100", ""]
    assert "more" not in read(many[:100]).text


def test_a_decision_table_shows_rows_and_policy():
    rules = RuleSet([age(None, 18, "a"), age(60, None, "a"), age(18, 60, "b")])
    table = DecisionTable(rules, rows=(0, 0, 2), n_rows=3, hit_policy="ANY", name="fares")
    shown = read(table)
    assert shown.text.startswith("Decision table fares 3 rows, 1 feature, hit policy ANY")
    assert shown.rows[1:] == [
        ["1", "age < 18", "a"],
        ["", "age >= 60", "a"],
        ["2", "never holds: it requires values that cannot occur", ""],
        ["3", "18 <= age < 60", "b"],
    ]
    assert read(DecisionTable.from_rules(AGES)).text.startswith("Decision table 2 rows, 1 feature")


def test_gaps_say_the_same_as_their_repr():
    found = gaps(RuleSet([age(0, 10, "child"), age(12, 99, "adult")]))
    shown = read(found)
    assert shown.text.startswith("3 regions that no rule covers")
    assert repr(found).startswith("<Gaps: 3 regions that no rule covers\n")
    assert shown.rows[1:] == [["1", "age < 0"], ["2", "10 <= age < 12"], ["3", "age >= 99"]]
    whole = gaps(RuleSet([Rule(Region(AGES.space), then="x")]))
    assert read(whole).text == "the rules cover everything"
    assert read(whole).rows == []
    stopped = gaps(AGES, budget=Budget(nodes=0))
    assert repr(stopped) == f"<Gaps: {read(stopped).text}>"
    assert "but the search was stopped by nodes" in read(stopped).text
    many = gaps(RuleSet([age(2 * i, 2 * i + 1, "x") for i in range(60)]))
    assert len(read(many).rows) == 51
    assert "… and 11 more" in read(many).text


def test_findings_are_a_table_of_kinds():
    rules = RuleSet([age(None, 18, "a"), age(17, 60, "b")])
    found = check(rules)
    shown = read(found)
    assert shown.text.startswith("Findings 1 conflicts, 1 overlaps, 1 gaps")
    assert shown.rows[1] == [
        "conflict",
        "age = 17: rule 1 says a, rule 2 says b (wherever 17 <= age < 18)",
    ]
    assert shown.titles == ["error", "warning"]
    nothing = read(check(RuleSet([age(None, 18, "a"), age(18, None, "b")])))
    assert (nothing.text, nothing.rows) == ("Findings none", [])
    many = RuleSet([age(2 * i, 2 * i + 1, "x") for i in range(60)])
    assert f"… and {len(check(many)) - 50} more" in read(check(many)).text
    ended = check(many, budget=Budget(nodes=1))
    assert ended.unfinished
    assert f"not finished within the budget: {', '.join(ended.unfinished)}" in read(ended).text
    good, bad = Certificate.of(AGES), Certificate.of(RuleSet([age(0, 9, "a"), age(5, 20, "b")]))
    assert read(good).text == str(good)
    assert markup.GREEN in good._repr_html_()
    assert markup.VERMILION in bad._repr_html_()


# --- the front


def test_a_front_is_a_list_that_shows_itself():
    small = point_of(AGES[:1], ["a"], validated_score=math.nan)
    front = Front([small, point_of(AGES, ["a"])], chosen=small)
    assert front == list(front)
    assert repr(front).split("\n") == [
        "<Front: 2 rule sets",
        "  rules  conditions  to read  by rules  validated  training",
        "      1           3     1.50         –          –     0.900  chosen",
        "      2           3     1.50         –      0.800     0.900>",
    ]
    assert repr(Front()) == "<Front: 0 rule sets>"
    shown = read(front)
    assert shown.rows == [
        ["rules", "conditions", "to read", "by rules", "validated", "training", ""],
        ["1", "3", "1.50", "–", "–", "0.900", "chosen"],
        ["2", "3", "1.50", "–", "0.800", "0.900", ""],
    ]
    assert "width:80%" in front._repr_html_()
    assert isinstance(front[:1], Front)
    assert front[:1].chosen is small
    assert front[0] is small
    assert "chosen" not in read(front[1:]).text
    shown = read(point_of(AGES, ["reduced", "full"]))
    assert shown.text.startswith(
        "Rule set of a front 2 rules, 3 conditions, 1.50 conditions to read for a prediction,"
        " validated score 0.800, training 0.900"
    )
    assert shown.rows[1] == ["1", "age < 18", "reduced", "2", "0.500"]
    assert shown.rows[3] == ["", "otherwise", "ask", "6", "0.500"]


def by_skops(clf):
    raw = skops.io.dumps(clf)
    return skops.io.loads(raw, trusted=skops.io.get_untrusted_types(data=raw))


def test_a_front_stays_one():
    clf = fitted(AGES, ["ask", "full", "reduced"])
    front = clf.pareto_front_
    ways = [copy.copy, copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))]
    for way in [*ways, by_skops]:
        again = way(clf)
        assert type(again.pareto_front_) is Front
        assert again.pareto_front_.chosen is again.chosen_ is again.pareto_front_[1]
        assert again.pareto_front_._repr_html_() == front._repr_html_()
        assert own_part(again) == own_part(clf)
    for way in ways:
        again = way(front)
        assert type(again) is Front
        assert again.chosen is again[1]
        assert repr(again) == repr(front)


# --- the classifier


def test_scikit_learn_shows_classifiers_that_are_not_fitted_and_chooses_the_display():
    def without_numbers(shown):
        return re.sub(r"sk-(container|estimator)-id-\d+", "", shown)

    clf = RuleSetClassifier(max_rules=3)
    usual = without_numbers(estimator_html_repr(clf))
    assert without_numbers(clf._repr_mimebundle_()["text/html"]) == usual
    assert without_numbers(clf._repr_html_()) == usual
    clf = fitted(AGES, ["ask", "full", "reduced"])
    new = without_numbers(estimator_html_repr(RuleSetClassifier()))
    assert without_numbers(clone(clf)._repr_html_()) == new
    with config_context(display="text"):
        assert set(clf._repr_mimebundle_()) == {"text/plain"}
        assert not hasattr(clf, "_repr_html_")
    bundle = clf._repr_mimebundle_(include=None, exclude=None)
    assert bundle["text/plain"] == repr(clf)
    assert "otherwise" in bundle["text/html"]
    assert "otherwise" in clf._repr_html_()


def test_a_fitted_classifier_shows_rules_counts_and_certificate():
    clf = fitted(AGES, ["ask", "full", "reduced"])
    shown = Reader(own_part(clf))
    assert shown.text.startswith("RuleSetClassifier 2 rules, 3 conditions, 1.50 conditions to read")
    assert shown.rows[0] == ["rule", "if", "then", "support", "confidence", "classes"]
    assert shown.rows[2] == ["2", "18 <= age < 60", "full", "6", "0.500", ""]
    assert shown.rows[3] == ["", "otherwise", "ask", "9", "0.500", ""]
    assert shown.titles[:3] == ["ask: 1 of 3 (33%)", "full: 1 of 3 (33%)", "reduced: 1 of 3 (33%)"]
    assert str(clf.certificate_) in shown.text
    assert "labels: ask full reduced" in shown.text
    assert "did not finish" not in shown.text
    clf.stopped_by_ = "interrupt"
    assert "the fit did not finish" in own_part(clf)
    rules = RuleSet(AGES, AGES.space)
    shown = Reader(own_part(fitted(rules, ["full", "reduced"])))
    assert shown.rows[3][:4] == ["", "otherwise", "no prediction", "6"]


def test_the_most_frequent_labels_are_shown_and_no_share_of_no_rows():
    labels = [f"label{k}" for k in range(40)]
    rules = RuleSet([Rule({"age": (0, 5)}, then=frozenset(labels[:2]))])
    clf = fitted(rules, labels, "sets")
    clf.chosen_.counts.overall[:] = np.arange(40) / 40
    shown = Reader(own_part(clf))
    assert [title.split(":")[0] for title in shown.titles] == labels[10:] * 2
    assert shown.rows[0][-1] == "labels"
    assert "40 labels" in shown.text
    clf = fitted(AGES, ["ask", "full", "reduced"])
    counts = clf.chosen_.counts
    for array, value in ((counts.mix, 0.0), (counts.support, 0.0), (counts.confidence, math.nan)):
        array[1] = value
    shown = Reader(own_part(clf))
    assert shown.rows[2] == ["2", "18 <= age < 60", "full", "0", "–", ""]
    assert len(shown.titles) == 6
    sets = RuleSet([Rule({"age": (0, 5)}, then=frozenset({"a"}))])
    several = fitted(sets, ["a", "b"], "sets")
    several.chosen_.counts.mix[0] = several.chosen_.counts.support[0] = 0.0
    assert Reader(own_part(several)).titles[:2] == ["a: 0 of 0", "b: 0 of 0"]


def test_after_a_fit_the_numbers_are_those_of_the_counts(tmp_path):
    X, y = people()
    clf = quick(moves=300).fit(X, y)
    assert isinstance(clf.pareto_front_, Front)
    assert clf.pareto_front_.chosen is clf.chosen_
    shown = Reader(own_part(clf))
    held = clf.chosen_.counts
    for place, row in enumerate(shown.rows[1:]):
        assert row[3:5] == [f"{held.support[place]:g}", f"{held.confidence[place]:.3f}"]
    told = [title for title in shown.titles if ": " in title]
    counted = [
        f"{label}: {n:g} of {total:g} ({n / total:.0%})"
        for mix, total in zip(held.mix, held.support, strict=True)
        for label, n in zip(clf.classes_, mix, strict=True)
        if n
    ]
    assert told == counted
    irenic.write(clf, tmp_path / "model.json")
    again = irenic.read_model(tmp_path / "model.json")
    assert isinstance(again.pareto_front_, Front)
    assert own_part(again) == own_part(clf)
    assert repr(again.pareto_front_) == repr(clf.pareto_front_)
    smallest = clf.select(max_rules=clf.pareto_front_[0].n_rules)
    assert smallest.pareto_front_.chosen is smallest.chosen_ is clf.pareto_front_[0]
    assert clf.pareto_front_.chosen is clf.chosen_
    # the classifier and its rules have the same colors
    assert {*clf.rules_.thens, clf.rules_.default} == {*y}
    for label, color in markup.palette(clf.classes_.tolist()).items():
        chip = markup.label_chip(label, {label: color})
        assert chip in clf._repr_html_()
        assert chip in clf.rules_._repr_html_()


def test_everything_except_markup_is_escaped():
    assert markup.element("td", "<b>", markup.Html("<i>x</i>")) == "<td>&lt;b&gt;<i>x</i></td>"
    assert markup.join("<", markup.Html("<br>"), between=" ") == "&lt; <br>"
    # The methods of str return text, which is escaped again, so that none stays unescaped.
    assert markup.escaped(markup.Html("<b>") + "<i>") == "&lt;b&gt;&lt;i&gt;"
    # a bar stays within its frame
    for share, width in {-0.5: "0%", 0.0: "0%", 1 / 3: "33.33%", 1.0: "100%", 7.0: "100%"}.items():
        assert f"width:{width};" in markup.share_bar(share)
    # labels are quoted only if necessary
    shown = [say(v) for v in ("low risk", "", "a\nb", 5, True)]
    assert shown == ["low risk", '""', '"a\\nb"', "5", display(True)]


def test_colors_are_assigned_in_the_order_of_classes_and_repeat():
    labels = list("abcdefghi")
    assert list(markup.colors([*reversed(labels), None, "a"])) == labels
    assert list(markup.colors(["b", 1, "a"])) == ["b", 1, "a"]  # of several types
    assert markup.colors([frozenset({"a", "b"}), "c"]) == markup.palette(["a", "b", "c"])
    given = markup.palette(labels)
    assert len({given[label] for label in labels[:7]}) == 7
    assert given["a"] == given["h"]
