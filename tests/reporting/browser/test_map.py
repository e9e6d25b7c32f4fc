"""The map and the form with unusual values, the keyboard and screen readers."""

from __future__ import annotations

import datetime as dt

from irenic import Categorical, Continuous, Region, Rule, RuleSet, Space
from irenic.reporting.summarize import summarize


def rules_of(features, *conditions):
    """Return a rule for each dict of conditions; they predict A, B, ..."""
    space = Space(features)
    said = zip(conditions, "ABCDEFG", strict=False)
    return RuleSet([Rule(Region(space, given), then=then) for given, then in said], space)


def in_three_features():
    features = [Continuous(name) for name in "pqr"]
    return rules_of(features, {"p": (0, 2), "q": (0, 2)}, {"p": (1, 3), "r": (0, 2)})


def chosen(page):
    return [page.locator(f"#map-{what}").input_value() for what in ("x", "y", "mode")]


def head_of(page):
    """Return the heading of the answer to a click."""
    return page.locator("#map-answer h3").text_content()


def click_across(page, share):
    """Click a strip at a share of its width, and return the heading of the answer."""
    area = page.locator("#map-canvas").bounding_box()
    left, right = 14, 12  # margins of a strip
    x = left + share * (area["width"] - left - right)
    page.locator("#map-canvas").click(position={"x": x, "y": 60})
    return head_of(page)


# --- controls


def test_controls_change_each_other_and_keep_the_focus(page_of):
    page = page_of(summarize(in_three_features()))
    assert chosen(page)[:2] == ["p", "q"]
    page.locator("#map-y").select_option("")
    page.locator("#map-y").select_option("p")  # a strip gets another x
    assert chosen(page)[:2] == ["q", "p"]
    page.locator("#map-x").select_option("p")  # they change places
    assert chosen(page)[:2] == ["p", "q"]
    assert "Map of p and q" in page.locator("#map-canvas").get_attribute("aria-label")
    for control, key, expected in [
        ("map-x", "r", ["r", "q", "projected"]),
        ("map-y", "p", ["r", "p", "projected"]),
        ("map-mode", "ArrowDown", ["r", "p", "fixed"]),
        ("map-x", "p", ["p", "r", "fixed"]),
    ]:
        page.locator(f"#{control}").focus()
        page.keyboard.press(key)
        assert chosen(page) == expected
        assert page.evaluate("document.activeElement.id") == control
    assert page.locator('#map-fixed [data-feature="q"]').count() == 1


# --- values at points


def seconds(number):
    return dt.timedelta(seconds=number)


def test_points_resolve_fractions_of_seconds(page_of):
    rules = rules_of([Continuous("d", kind="duration")], {"d": (seconds(0.2), seconds(0.8))})
    summary = summarize(rules)
    low, high = summary["features"][0]["range"]
    page = page_of(summary)
    for second, hit in [(0.15, False), (0.25, True), (0.5, True), (0.75, True), (0.85, False)]:
        said = click_across(page, (second * 1e6 - low) / (high - low))
        value = float(said.removeprefix("At d = PT").removesuffix("S"))
        assert abs(value - second) < 0.01
        answer = page.locator("#map-answer").text_content()
        assert ("by rule 1" in answer) == hit
        assert ("No rule covers" in answer) != hit


def test_points_resolve_fractions_of_times(page_of):
    start = dt.datetime(2020, 1, 1)
    for kind, low, high in [
        ("time", dt.time(1, 0, 0, 5), dt.time(1, 0, 0, 9)),
        ("datetime", start.replace(microsecond=250_000), start.replace(second=1)),
    ]:
        rules = rules_of([Continuous("t", kind=kind)], {"t": (low, high)})
        page = page_of(summarize(rules))
        said = [click_across(page, share) for share in (0.02, 0.4, 0.6, 0.98)]
        assert len(set(said)) == 4
        for head, hit in zip(said, (False, True, True, False), strict=True):
            value = type(low).fromisoformat(head.removeprefix("At t = "))
            assert (low <= value < high) == hit


def test_the_greatest_and_the_least_numbers_can_be_pointed_at(page_of):
    greatest, least = 1.7e308, 5e-324
    features = [Continuous("big", bounds=(-greatest, greatest))]
    page = page_of(summarize(rules_of(features, {"big": {">": 1e307}})))
    said = [click_across(page, share) for share in (0.01, 0.3, 0.6, 0.99)]
    values = [float(head.removeprefix("At big = ")) for head in said]
    assert values == sorted(set(values))
    assert -greatest <= values[0] < -1.6e308
    assert 1.6e308 < values[-1] <= greatest
    ticks = page.evaluate("irenic.niceTicks(irenic.summary.features[0], -1.7e308, 1.7e308)")
    assert 0 in ticks
    assert len(ticks) > 2
    features = [Continuous("tiny", bounds=(0, least)), Continuous("open")]
    page = page_of(summarize(rules_of(features, {"tiny": {">": 0}, "open": {"<": greatest}})))
    page.locator("#map-x").select_option("tiny")
    page.locator("#map-y").select_option("")
    assert click_across(page, 0.2) == "At tiny = 0"
    assert click_across(page, 0.999) == "At tiny = 5e-324"
    page.locator("#map-x").select_option("open")
    assert "inf" not in click_across(page, 0.5)


# --- announcements


def test_the_answer_next_to_the_map_is_for_the_marked_case(page_of):
    columns = {name: [0.5, 9.5] for name in "pqr"}
    page = page_of(summarize(in_three_features(), columns, ["A", "B"]))
    page.locator("#map-canvas").click(position={"x": 300, "y": 150})
    assert head_of(page).startswith("At p = ")
    page.locator("#case-random").click()
    assert head_of(page).startswith("Instance in row")
    assert head_of(page) == page.locator("#case-answer h3").text_content()
    # the form has another case now, so the previous answer is gone
    page.locator('#case-form [data-feature="p"]').fill("1.5")
    assert page.locator("#map-answer").text_content() == ""


def test_only_the_heading_of_an_answer_is_announced_and_not_for_each_key(page_of):
    page = page_of(summarize(rules_of([Continuous("p")], {"p": (0, 50)})))
    assert page.locator("#case-answer").get_attribute("aria-live") is None
    said = page.locator("#case-announcement")
    assert said.get_attribute("aria-live") == "polite"
    page.evaluate("""() => {
        window.said = [];
        const holder = document.getElementById("case-announcement");
        new MutationObserver(() => window.said.push(holder.textContent)).observe(
            holder, { childList: true });
    }""")
    # all keys in one step, as a busy machine may pause between them
    page.evaluate("""() => {
        const field = document.querySelector('#case-form [data-feature="p"]');
        for (const text of ["1", "12", "12.", "12.5"]) {
            field.value = text;
            field.dispatchEvent(new Event("input", { bubbles: true }));
        }
    }""")
    page.wait_for_function("() => said.length > 0")
    assert page.evaluate("said") == ["A by rule 1"]


def test_fractions_of_seconds_can_be_typed(page_of):
    half = dt.time(12, 30, 0, 500_000)
    features = [Continuous(name, kind="time") for name in ("fine", "coarse", "seen")]
    rules = rules_of(
        features,
        {"fine": {"<": half}, "coarse": {">": dt.time(12)}, "seen": {"<": dt.time(13)}},
    )
    noon = dt.time(12)
    columns = {"fine": [noon], "coarse": [noon], "seen": [half]}
    page = page_of(summarize(rules, columns))
    fields = {name: page.locator(f'#case-form [data-feature="{name}"]') for name in columns}
    types = {name: field.get_attribute("type") for name, field in fields.items()}
    assert types == {"fine": "text", "coarse": "time", "seen": "text"}
    hint = page.locator(f"#{fields['fine'].get_attribute('id')}-hint")
    assert hint.text_content() == "a time of day such as 12:30:00"
    fields["fine"].fill("12:30:00.499999")
    fields["coarse"].fill("12:30")
    fields["seen"].fill("12:30:00.25")
    assert page.locator("#case-answer").get_attribute("data-rule") == "0"
    fields["fine"].fill("12:30:00.5")
    assert page.locator("#case-answer").get_attribute("data-rule") == ""


OWN_PARTS = ["#map-note", "#map-answer", "#map-legend", "#map-fixed", "#case-form", "#case-answer"]


def test_right_to_left_names_stay_in_place(page_of):
    name, value = "גיל", "כן"
    features = [Continuous(name, unit="years"), Categorical("job", [value, "no"]), Continuous("z")]
    rules = rules_of(features, {name: (5, 10), "job": {value}, "z": (0, 1)}, {name: (7, 12)})
    page = page_of(summarize(rules))
    page.locator("#map-x").select_option("z")
    page.locator("#map-mode").select_option("fixed")
    page.locator("#map-canvas").click(position={"x": 200, "y": 100})
    page.locator("#map-answer button", has_text="Copy this case").click()
    bare = page.evaluate(
        """([parts, name, value]) => {
        const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        const found = [];
        for (let at = texts.nextNode(); at; at = texts.nextNode()) {
            const mine = at.parentElement.closest(parts);
            const own = at.parentElement.closest("bdi, option");
            if (mine && !own && (at.data.includes(name) || at.data.includes(value))) {
                found.push(at.data);
            }
        }
        return found;
    }""",
        [", ".join(OWN_PARTS), name, value],
    )
    assert bare == []
    assert page.locator("#map-answer bdi", has_text=name).count() >= 1
    assert page.locator("#case-form bdi", has_text=name).count() >= 1
