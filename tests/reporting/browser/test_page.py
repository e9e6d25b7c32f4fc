"""The report page in a browser: its use, and its isolation."""

from __future__ import annotations

import os
import re
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import irenic
from irenic import Categorical, Continuous, Region, Rule, RuleSet, Space
from tests.reporting.browser.steps import drawn, fill_form, keys, on_paper

EVIL = "<script>window.hacked = 1</script>"
WORSE = '"><img src=x onerror="window.hacked = 2">'


# --- examples


@cache
def iris():
    """Return a model, its instances and its labels."""
    from sklearn.datasets import load_iris

    bunch = load_iris(as_frame=True)
    labels = np.array(["setosa", "versicolor", "virginica"])[bunch.target.to_numpy()]
    model = irenic.RuleSetClassifier(random_state=0, generations=1, moves=300)
    return model.fit(bunch.data, labels), bunch.data, labels


@cache
def learned():
    return irenic.summarize(*iris(), name="Iris")


def mixed_space():
    return Space(
        [
            Continuous("age", bounds=(0, 120), unit="years"),
            Continuous("income", missing=True),
            Categorical("job", ["nurse", "clerk", "pilot"], missing=True, other=True),
            Continuous("children", kind="integer", bounds=(0, 20)),
            Continuous("born", kind="date"),
        ]
    )


@cache
def contradicting():
    """Return rules with conflicts and gaps over features of many kinds."""
    space = mixed_space()
    conditions = [
        ({"age": {"<": 18}}, "decline"),
        ({"age": (18, 65), "income": {"<": 20_000}, "job": {"nurse", "clerk"}}, "ask"),
        ({"age": {">=": 60}, "children": {"<=": 3}}, "grant"),
        ({"income": {">": 50_000}, "born": {">=": "1990-01-01"}}, "grant"),
    ]
    return RuleSet([Rule(Region(space, c), then=then) for c, then in conditions], space)


def people():
    points = list(Region(mixed_space()).sample(60, random_state=1))
    labels = np.random.default_rng(0).choice(["ask", "grant", "decline"], 60).tolist()
    return points, labels


@cache
def loans():
    return irenic.summarize(contradicting(), *people(), name="Loans")


def evil():
    space = Space(
        [Continuous(EVIL, missing=True), Categorical(WORSE, [EVIL, "</script>", "&amp;"])]
    )
    rules = [
        Rule(Region(space, {EVIL: {"<": 5}}), then=WORSE),
        Rule(Region(space, {EVIL: {">": 4}, WORSE: {EVIL}}), then=EVIL),
    ]
    table = {EVIL: [1.0, 4.5, None], WORSE: [EVIL, "</script>", "&amp;"]}
    labels = [WORSE, EVIL, "</script>"]
    return irenic.summarize(RuleSet(rules, space, default="<b>"), table, labels, name=EVIL)


def random_rules(n=100):
    """Return rules at random over eight features."""
    rng = np.random.default_rng(0)
    space = Space([Continuous(f"f{i}") for i in range(8)])
    rules = []
    for _ in range(n):
        chosen = rng.choice(8, 3, replace=False)
        lows = rng.normal(size=3)
        sides = {f"f{i}": (low, low + 1.0) for i, low in zip(chosen, lows, strict=True)}
        rules.append(Rule(Region(space, sides), then=str(rng.choice(list("ABCD")))))
    return RuleSet(rules, space)


# --- views


@pytest.fixture(scope="session")
def shot(pytestconfig):
    """Write a screenshot for people into build/screenshots or IRENIC_SCREENSHOTS."""
    given = os.environ.get("IRENIC_SCREENSHOTS")
    folder = Path(given) if given else pytestconfig.rootpath / "build" / "screenshots"

    def take(page, name):
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}.png"
        page.screenshot(path=path, full_page=True)
        assert path.stat().st_size > 1_000

    return take


VIEWS = ["verdicts", "front", "rules", "case", "map", "findings", "results"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_view_is_drawn_in_both_themes_and_on_paper(page_of, shot, theme):
    page = page_of(learned(), color_scheme=theme)
    page.locator("#case-random").click()
    for view in VIEWS:
        assert page.locator(f"#{view}").inner_text().strip(), view
    shot(page, f"iris-{theme}")
    ground = "getComputedStyle(document.body).backgroundColor"
    first, seen = page.evaluate(ground), set()
    for _ in range(3):  # the theme can be chosen
        page.locator("#theme").click()
        seen.add(page.evaluate(ground))
    assert len(seen) == 2
    assert first in seen
    with on_paper(page):
        assert not page.locator("#rule-search").is_visible()
        assert not page.locator("#theme").is_visible()
        for card in page.locator("#rules [data-rule]").all():
            assert card.is_visible()


def test_a_phone_needs_no_horizontal_scrolling(page_of, shot):
    page = page_of(learned(), viewport={"width": 360, "height": 740}, has_touch=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    shot(page, "iris-phone")


def test_conflicts_and_gaps_of_rules_without_instances_have_a_case_to_try(page_of, shot):
    summary = irenic.summarize(contradicting(), name="Loans")
    page = page_of(summary)
    assert page.title() == "Loans"
    assert "2 contradictions among the 4 rules" in page.locator("#verdicts").inner_text()
    assert page.locator("#front").text_content() == page.locator("#results").text_content() == ""
    text = page.locator("#findings").inner_text()
    assert "2 conflicts" in text
    assert f"{summary['models'][0]['counts']['gaps']} gaps" in text
    for kind, outcome in (("conflicts", "contradicted"), ("gaps", "none")):
        found = page.locator(f'#findings [data-kind="{kind}"]')
        found.get_by_role("button", name="Try this case").first.click()
        assert page.locator("#case-answer").get_attribute("data-outcome") == outcome
    shot(page, "loans")


# --- isolation


def test_names_are_never_markup(page_of, shot):
    page = page_of(evil())
    assert page.evaluate("window.hacked") is None
    assert page.title() == EVIL
    assert EVIL in page.locator("#rules").inner_text()
    assert page.locator("img").count() == 0
    page.locator("#rules [data-rule]").first.click()
    page.locator("#rule-search").fill(EVIL)
    page.locator("#case-random").click()
    page.locator("#map-canvas").hover()
    page.locator("#map-canvas").click()
    assert page.evaluate("window.hacked") is None
    shot(page, "evil")


def test_the_page_contains_no_external_address():
    page = irenic.reporting.Report(learned()).html
    head = page.split('<script type="application/json"')[0]
    assert "http" not in head.replace("http-equiv", "")
    no_icon = '<link rel="icon" href="data:,">'  # so that browsers do not ask for one
    assert page.count("<link") == head.count(no_icon) == 1
    for attribute in (" src=", "url(", "@import", "<iframe", "XMLHttpRequest"):
        assert attribute not in page, attribute
    # to the server of irenic edit, which this page does not have: requests, and a connection
    assert page.count("fetch(") == 2
    assert "default-src 'none'" in head
    assert "connect-src" not in head
    # the names of SVG and of DMN, which are not fetched
    names = {"http://www.w3.org/2000/svg", "https://www.omg.org/spec/DMN/20191111/MODEL/"}
    assert set(re.findall(r"https?://[^\"'`\s)]+", page)) == names


INTRUDE = """() => {
    window.ran = [];
    window.blocked = [];
    document.addEventListener(
        "securitypolicyviolation", (event) => blocked.push(event.effectiveDirective));
    const made = document.createElement("div");
    made.innerHTML = '<img src="data:," onerror="ran.push(0)">';
    document.body.append(made);
    setTimeout(() => {
        try { eval("ran.push('eval')"); } catch { ran.push("no eval"); }
        try { new Function("ran.push('function')")(); } catch { ran.push("no function"); }
        fetch("http://127.0.0.1:9/").then(() => ran.push("fetch"), () => ran.push("no fetch"));
        for (const key of ["textContent", "src"]) {
            const script = document.createElement("script");
            script[key] = (key === "src" ? "data:text/javascript," : "") + "ran.push(1)";
            document.body.append(script);
        }
    });
}"""


def test_the_policy_admits_the_kernels_and_no_other_code_or_request(page_of, noise):
    """Check that injected scripts, scripts made at run time and requests are forbidden."""
    page = page_of(learned())
    policy = page.locator('meta[http-equiv="Content-Security-Policy"]').get_attribute("content")
    (scripts,) = re.findall("script-src ([^;]+);", policy)
    assert re.fullmatch(r"'sha256-[\w+/=]+' 'wasm-unsafe-eval'", scripts)
    page.evaluate(INTRUDE)
    page.wait_for_function("() => blocked.length >= 6 && ran.length >= 3")
    blocked = ["connect-src", *["script-src"] * 2, "script-src-attr", *["script-src-elem"] * 2]
    assert sorted(page.evaluate("blocked")) == blocked
    assert page.evaluate("ran") == ["no eval", "no function", "no fetch"]
    assert not [line for line in noise if line.startswith("http")]
    assert all("Content Security Policy" in line for line in noise), noise
    noise.clear()


def test_without_webassembly_the_page_shows_everything_that_it_need_not_compute(page_of):
    line = "WebAssembly is not available in this browser, so this cannot be computed here."
    pages = page_of(loans()), page_of(loans(), script="delete window.WebAssembly")
    for part in ("verdicts", "rules"):
        expected, found = (page.locator(f"#{part}").inner_text() for page in pages)
        assert found == expected
    page = pages[1]
    assert page.locator("#findings li").count() > 0
    assert page.locator("#case-answer").text_content() == line
    assert page.locator("#map").text_content().endswith(line)
    assert page.locator("#wrong tbody tr").count() > 0
    page.locator("#case-random").click()
    assert page.locator("#case-answer").text_content() == line
    page.locator("#confusion button").first.click()
    assert line in page.locator("#wrong").text_content()
    assert page.locator(".broken").count() == 0


# --- rules


def cards(page):
    """Return the indices of the visible rules, in the order on the page."""
    shown = page.locator("#rules [data-rule]:visible")
    return [int(card.get_attribute("data-rule")) for card in shown.all()]


def test_every_condition_is_drawn(page_of):
    page = page_of(loans(), keep=True)
    for place, rule in enumerate(loans()["models"][0]["rules"]):
        card = page.locator(f'#rules [data-rule="{place}"]')
        text = card.inner_text()
        for feature in rule["box"]:
            assert feature in text
        numbers = [f for f in rule["box"] if f != "job"]
        assert card.locator("svg").count() >= len(numbers)
        assert str(rule["support"]) in text


def test_rules_are_sorted(page_of):
    page = page_of(loans(), keep=True)
    rules = loans()["models"][0]["rules"]
    for by in ("outcome", "support", "confidence", "conditions", "number"):

        def key(place, by=by):
            if by == "conditions":
                return len(rules[place]["conditions"])
            # a rule that covers nothing is never right
            return -1 if rules[place][by] is None else rules[place][by]

        page.locator("#rule-sort").select_option(by)
        first = [key(place) for place in cards(page)]
        page.locator("#rule-direction").click()
        second = [key(place) for place in cards(page)]
        expected = sorted([sorted(first), sorted(first, reverse=True)])
        assert sorted([first, second]) == expected, by


def test_rules_are_searched_by_text_feature_and_outcome(page_of):
    page = page_of(loans())
    assert cards(page) == [0, 1, 2, 3]
    page.locator("#rule-search").fill("NURSE ask")
    assert cards(page) == [1]
    assert "1 of 4 rules" in page.locator("#rule-count").inner_text()
    page.locator("#rule-search").fill("nothing of the kind")
    assert cards(page) == []
    page.locator("#rule-search").fill("")
    page.locator("#rule-feature").select_option(label="income")
    assert cards(page) == [1, 3]
    page.locator("#rule-outcome").select_option(label="grant")
    assert cards(page) == [3]
    page.locator("#rules [data-rule]").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("#rules [data-rule].focused, #rules [aria-current]").count() == 1


# --- the form


def typed(feature, value):
    """Return a value as a person types it."""
    if value is None:
        return ""
    return feature.format_value(feature.encode_value(value))


def answers(page, space, points):
    """Return the answers of the form to many points: the outcome, and the index of the rule."""
    names = [feature.name for feature in space]
    rows = [
        [
            str(f.encode_value(point[f.name]))
            if isinstance(f, Categorical)
            else typed(f, point[f.name])
            for f in space
        ]
        for point in points
    ]
    # one call for all points: filling fields dispatches the events of typing
    return page.evaluate(
        """([names, rows]) => rows.map((row) => {
            names.forEach((name, i) => {
                const find = (kind) => [...document.querySelectorAll("#case-form *")]
                    .find((input) => input.dataset[kind] === name);
                const type = (input, key, value) => {
                    input[key] = value;
                    input.dispatchEvent(new Event("input", { bubbles: true }));
                };
                const box = find("missing");
                if (box) type(box, "checked", row[i] === "");
                if (row[i] !== "") type(find("feature"), "value", row[i]);
            });
            const { outcome, rule } = document.getElementById("case-answer").dataset;
            return [outcome, rule];
        })""",
        [names, rows],
    )


def test_the_form_answers_as_predict_does_for_200_cases(page_of):
    model, table, _ = iris()
    summary = learned()
    low, high = table.min().to_numpy(), table.max().to_numpy()
    drawn = np.random.default_rng(0).uniform(low - 1, high + 1, (200, 4))
    drawn[::7, 0] = np.nan
    drawn = dict(zip(table.columns, drawn.T, strict=True))
    points = list(model.space_.encode(drawn))
    found = answers(page_of(summary), model.space_, points)
    said = [summary["outcomes"][int(outcome)]["text"] for outcome, _ in found]
    assert said == model.predict(drawn).tolist()
    decided = model.rules_.decide(drawn)
    assert [int(rule) if rule else -1 for _, rule in found] == decided.tolist()
    assert len(set(said)) == 3  # or nothing would be tested


def test_the_form_answers_for_all_kinds_of_features(page_of):
    rules = contradicting()
    points = list(Region(rules.space).sample(200, random_state=5))
    for point in points[::3]:
        point["age"] = round(point["age"] / 3)  # the young are few among those drawn at random
    for point in points[1::3]:
        point |= {"age": 60 + point["age"] % 5, "income": 5_000.25, "job": "nurse", "children": 3}
    found = answers(page_of(irenic.summarize(rules)), rules.space, points)
    covering = rules.covering(points)
    thens = [rule.then for rule in rules]
    for (outcome, rule), covers in zip(found, covering, strict=True):
        places = np.flatnonzero(covers).tolist()
        said = {thens[place] for place in places}
        if len(said) > 1:
            assert outcome == "contradicted"
        elif not said:
            assert (outcome, rule) == ("none", "")
        else:
            assert int(rule) == places[0]
            assert rules.consequents[int(outcome)] == thens[places[0]]
    assert {outcome for outcome, _ in found} == {"0", "1", "2", "contradicted", "none"}


CASE = {"age": 30, "income": 10_000.5, "job": "2", "children": 2, "born": "1980-02-29"}  # a nurse


def test_typing_shows_the_deciding_rule_at_once_and_invalid_values_at_their_field(page_of):
    page = page_of(irenic.summarize(contradicting()))
    fill_form(page, **CASE)
    answer = page.locator("#case-answer")
    assert answer.get_attribute("data-rule") == "1"
    assert "rule 2" in answer.inner_text()
    assert "income < 20000" in answer.inner_text().replace(",", "").replace("\n", " ")
    for feature, text, message in [
        ("age", "old", "number"),
        ("age", "130", "120"),
        ("children", "1.5", "whole"),
        ("income", "1e999", "too large"),
    ]:
        fill_form(page, **CASE | {feature: text})
        assert answer.get_attribute("data-outcome") == "error"
        field = page.locator(f'#case-form [data-feature="{feature}"]')
        assert field.get_attribute("aria-invalid") == "true"
        assert message in page.locator(".case-problem:not(:empty)").inner_text()


@pytest.mark.parametrize("policy", ["FIRST", "COLLECT", "UNIQUE"])
def test_tables_are_decided_by_their_policy(page_of, policy):
    rules = contradicting()
    table = irenic.DecisionTable(rules, (0, 1, 2, 3), 4, hit_policy=policy)
    page = page_of(irenic.summarize(table))
    fill_form(page, **CASE | {"age": 62})
    found = page.locator("#case-answer").get_attribute("data-outcome")
    ask = str(rules.consequents.index("ask"))
    assert found == {"FIRST": ask, "COLLECT": "several", "UNIQUE": "contradicted"}[policy]


# --- the map


def case_in_form(page, space):
    """Return the case in the form."""
    found = {}
    for feature in space:
        text = page.locator(f'#case-form [data-feature="{feature.name}"]').input_value()
        if isinstance(feature, Categorical):
            found[feature.name] = feature.decode_value(int(text))
        else:
            found[feature.name] = float(text) if text else None
    return found


@cache
def mapped():
    """Return rules that agree, over three features, and instances."""
    space = Space([Continuous("age"), Continuous("income"), Continuous("visits")])
    conditions = [
        ({"age": (20, 40), "income": (10, 30)}, "low"),
        ({"age": (40, 70), "visits": {"<": 5}}, "high"),
        ({"income": {">=": 30}, "visits": {">=": 5}}, "low"),
    ]
    rules = RuleSet([Rule(Region(space, c), then=t) for c, t in conditions], space, default="none")
    assert rules.is_consistent
    rng = np.random.default_rng(0)
    spread = {"age": (0, 90), "income": (0, 60), "visits": (0, 10)}
    table = {name: rng.uniform(*ends, 40).round(1) for name, ends in spread.items()}
    return rules, table


def test_the_map_names_rules_and_shows_what_decides(page_of):
    rules, table = mapped()
    page = page_of(irenic.summarize(rules, table))
    page.locator("#map-x").select_option("age")
    page.locator("#map-y").select_option("income")
    canvas = page.locator("#map-canvas")
    for mode in ("projected", "fixed"):
        page.locator("#map-mode").select_option(mode)
        if mode == "fixed":
            page.locator('#map-fixed [data-feature="visits"]').focus()
            page.keyboard.press("Home")
        decided, instances = set(), 0
        for across, up in product((0.2, 0.4, 0.6, 0.9), (0.15, 0.5, 0.85)):
            canvas.scroll_into_view_if_needed()
            box = canvas.bounding_box()
            place = {"x": box["width"] * across, "y": box["height"] * up}
            page.mouse.move(1, 1)
            canvas.hover(position=place)
            drawn(page)
            hovered = page.locator("#map-hover").inner_text()
            canvas.click(position=place)
            answer = page.locator("#map-answer").inner_text()
            page.get_by_role("button", name="Copy this case to the form").click()
            case = case_in_form(page, rules.space)
            rule = int(rules.decide([case])[0])
            decided.add(rule)
            said = rules.default if rule < 0 else rules[rule].then
            assert said in answer
            assert ("by default" if rule < 0 else f"by rule {rule + 1}") in answer.replace(
                "\n", " "
            )
            region = irenic.enlarge(rules, case, consequent=None if rule < 0 else said)
            for condition in region.texts():
                assert plainly(condition) in plainly(answer)
            if answer.startswith("Instance"):
                instances += 1
                continue
            shown = {"age", "income"} if mode == "projected" else set(rules.space.names)
            for number, one in enumerate(rules, 1):
                asked = {n: c for n, c in one.region.conditions().items() if n in shown}
                assert (f"Rule {number}" in hovered) == (case in Region(rules.space, asked))
        assert len(decided) > 1
        assert instances < 12


def plainly(text):
    """Return a condition without characters that the page typesets differently."""
    return re.sub(r"[\s(),\"“”]", "", text.replace("<=", "≤").replace(">=", "≥"))


def test_the_map_shows_which_features_are_projected_or_fixed(page_of):
    page = page_of(irenic.summarize(*mapped()))
    note = page.locator("#map-note")
    assert "can have any value" in note.inner_text()
    page.locator("#map-mode").select_option("fixed")
    x, y = (page.locator(f"#map-{axis}").input_value() for axis in "xy")
    (other,) = {"age", "income", "visits"} - {x, y}
    assert f"{other} =" in note.inner_text()
    (slider,) = page.locator("#map-fixed [data-feature]").all()
    assert slider.get_attribute("data-feature") == other
    before = note.inner_text()
    slider.focus()
    page.keyboard.press("End")
    drawn(page)
    assert note.inner_text() != before


def test_the_map_works_with_the_keyboard_and_with_categories_and_dates(page_of):
    page = page_of(loans())
    page.locator("#map-canvas").focus()
    for _ in range(3):
        keys(page, "ArrowRight", "ArrowUp")
    assert page.locator("#map-answer").text_content() == ""
    keys(page, "Enter")
    assert page.locator("#map-answer").inner_text().strip()
    page.locator("#map-x").select_option("job")
    page.locator("#map-y").select_option("born")
    page.locator("#map-canvas").click(position={"x": 200, "y": 100})
    assert "job" in page.locator("#map-answer").inner_text()


# --- learned models


def test_a_click_on_the_front_shows_another_rule_set_everywhere(page_of):
    model, table, _ = iris()
    summary = learned()
    page = page_of(summary)
    results = summary["models"][summary["chosen"]]["results"]
    assert f"{results['uncovered']}" in page.locator("#results").inner_text()
    page.locator("#results").get_by_role("button", name="Try this case").first.click()
    assert page.locator("#case-answer").get_attribute("data-rule") == ""
    points = list(model.space_.encode(table[::10]))
    for place, point in enumerate(model.pareto_front_):
        page.locator(f'#front [data-model="{place}"]').first.click()
        assert page.locator("#rules [data-rule]").count() >= len(point.rule_set)
        texts = page.locator("#rules").inner_text()
        for rule in point.rule_set:
            assert plainly(rule.region.texts()[0]) in plainly(texts)
        shown = [int(n) for n in re.findall(r"\d+", page.locator("#rule-count").inner_text())]
        assert point.n_rules in shown or not point.n_rules
        found = answers(page, model.space_, points)
        said = [summary["outcomes"][int(outcome)]["text"] for outcome, _ in found]
        assert said == point.rule_set.predict(table[::10]).tolist()
        confusion = summary["models"][place]["results"]["confusion"]
        assert str(confusion[0][0]) in page.locator("#confusion").inner_text()


def test_a_model_of_several_labels_is_shown_label_by_label(page_of, shot):
    rng = np.random.default_rng(0)
    table = {f"f{i}": rng.normal(size=150) for i in range(3)}
    labels = {"up": table["f0"] > 0, "right": table["f1"] > 0.5, "far": table["f2"] > 1}
    labels = {name: column.astype(int) for name, column in labels.items()}
    model = irenic.RuleSetClassifier(random_state=0, generations=1, moves=200).fit(table, labels)
    summary = irenic.summarize(model, table, labels, name="Several labels")
    page = page_of(summary)
    text = page.locator("#results").inner_text()
    for label in labels:
        assert label in text
    points = [{name: float(column[i]) for name, column in table.items()} for i in range(60)]
    found = answers(page, model.space_, points)
    predicted = model.predict({name: column[:60] for name, column in table.items()})
    for (outcome, _), told in zip(found, predicted, strict=True):
        places = summary["outcomes"][int(outcome)]["labels"]
        assert {summary["labels"][i]["text"] for i in places} == set(told)
    assert len({outcome for outcome, _ in found}) > 2
    shot(page, "several-labels")


# --- sizes and other pages


def test_the_page_states_how_many_instances_are_drawn(page_of):
    few = irenic.summarize(contradicting(), *people(), sample=20)
    assert "20 of 60 instances" in page_of(few).locator("body").inner_text()


def test_a_page_without_data_is_small():
    assert len(irenic.report(random_rules(), budget=0.1).html.encode()) < 1_500_000


def test_a_page_can_have_no_rules(page_of):
    page = page_of(irenic.summarize(RuleSet(space=Space([Continuous("a")]), default="x")))
    assert "There are no rules" in page.locator("#verdicts").inner_text()
    page = page_of(irenic.summarize(RuleSet(space=Space([]), default="x")))
    assert page.locator("#verdicts").inner_text()
