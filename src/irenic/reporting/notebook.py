"""What notebooks show for rules, rule sets, findings and learned models."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from irenic.arrays import distinct
from irenic.model.literals import count_text, counted, display, format_number, say, score
from irenic.reporting import markup
from irenic.reporting.markup import Html, HtmlColumn

if TYPE_CHECKING:  # imported by whoever shows them
    from irenic.checking import Findings
    from irenic.learn import Certificate, RuleSetClassifier
    from irenic.learn.front import DefaultRegions, Front, FrontPoint, ProbabilityTable
    from irenic.model.deciding import DecidingRules
    from irenic.model.decision_table import DecisionTable
    from irenic.model.region import Region
    from irenic.model.rule import Rule
    from irenic.model.shown import Shown
    from irenic.searching import Gaps

# Maximum number of rules, and of findings and gaps.
_MOST_RULES: Final = 100
_MOST_FOUND: Final = 50
# More labels than can be distinguished in a chart of columns.
_LABEL_LIMIT: Final = 30
_LEVELS: Final = {"error": markup.VERMILION, "warning": markup.ORANGE, "note": markup.SKY}


def html(thing: Shown) -> Html:
    """Return what a notebook shows for an object."""
    kinds = (kind.__name__ for kind in type(thing).__mro__)
    return _WRITERS[next(kind for kind in kinds if kind in _WRITERS)](thing)


# --- rules


def _region(region: Region) -> Html:
    return markup.code(repr(region))


def _rule(rule: Rule) -> Html:
    return markup.element(
        "span",
        "IF ",
        markup.code(rule.region.to_text("AND")),
        " THEN ",
        markup.consequent(rule.then),
        "" if rule.weight == 1.0 else f" (weight {format_number(rule.weight)})",
        style="line-height:1.7",
    )


def _rules(rules: DecidingRules) -> Html:
    title, parts = "Rule set", _head_parts(rules)
    if rules.policy == "FIRST":
        title, parts = "Rule list", [*parts, "the first rule that holds decides"]
    elif rules._consistent is not None:  # a notebook must not wait for a search
        parts.append(markup.yes_or_no(rules._consistent, "consistent", "not consistent"))
    table = _rules_table(rules, otherwise=rules.default is not None)
    return markup.block(markup.head(title, *parts), table)


def _head_parts(rules: DecidingRules) -> list[str]:
    parts = [counted(len(rules), "rule"), counted(len(rules.space), "feature")]
    if rules.default is not None:
        parts.append(markup.join("default ", markup.consequent(rules.default, _colors(rules))))
    return parts


def _colors(rules: DecidingRules) -> dict[Hashable, str]:
    """Return the colors of the consequents that are shown."""
    thens = rules.consequents
    codes = distinct(rules.then_codes[:_MOST_RULES])
    return markup.colors([*(thens[code] for code in codes), rules.default])


def _rules_table(
    rules: DecidingRules,
    *,
    otherwise: bool,
    more: Mapping[HtmlColumn, Callable[[int], str]] | None = None,
    colors: Mapping[Hashable, str] | None = None,
) -> Html:
    """Return rules as a table.

    ``otherwise`` adds a row for cases that no rule covers. ``more`` adds columns, each a function
    of the index of a rule; the row for no rule has the index after the last rule.
    """
    more = more or {}
    colors = _colors(rules) if colors is None else colors
    weighted = bool((rules.weights != 1.0).any())

    def row(number: str, region: str, then: Hashable | None, weight: str, i: int) -> list[str]:
        cells = [number, region, markup.consequent(then, colors), *([weight] if weighted else [])]
        return [*cells, *(column(i) for column in more.values())]

    rows = [
        row(str(i + 1), markup.code(r.region.to_text()), r.then, f"{r.weight:g}", i)
        for i, r in enumerate(rules[:_MOST_RULES])
    ]
    hidden = len(rules) - len(rows)
    if otherwise:
        rows.append(row("", "otherwise", rules.default, "", len(rules)))
    columns = [HtmlColumn("rule", True), HtmlColumn("if"), HtmlColumn("then")]
    columns += [HtmlColumn("weight", True)] if weighted else []
    return markup.join(markup.table([*columns, *more], rows), markup.left_out(hidden))


def _decision_table(table: DecisionTable) -> Html:
    parts = [counted(table.n_rows, "row"), counted(len(table.space), "feature")]
    parts += [f"hit policy {table.hit_policy}"] if table.hit_policy else []
    title = "Decision table" + (f" {markup.clip(say(table.name))}" if table.name else "")
    of_rules: list[tuple[int, int | None]] = [(row, i) for i, row in enumerate(table.rows)]
    lines = sorted(
        [*of_rules, *((row, None) for row in table.never_hold)], key=lambda line: line[0]
    )
    shown = [(row, None if i is None else table.rules[i]) for row, i in lines[:_MOST_RULES]]
    colors = markup.colors([rule.then for _, rule in shown if rule] + [table.rules.default])
    rows = _table_rows(shown, table.provenance.why_never, colors)
    if table.rules.default is not None:
        rows.append(["", "otherwise", markup.consequent(table.rules.default, colors)])
    columns = [
        HtmlColumn("row", True),
        HtmlColumn("if"),
        HtmlColumn(", ".join(table.outputs) or "then"),
    ]
    hidden = markup.left_out(len(lines) - len(shown))
    return markup.block(markup.head(title, *parts), markup.table(columns, rows), hidden)


def _table_rows(
    shown: list[tuple[int, Rule | None]], reasons: Mapping[int, str], colors: dict[Hashable, str]
) -> list[list[str]]:
    rows, last = [], -1
    for row, rule in shown:
        number = "" if row == last else str(row + 1)
        if rule is None:
            reason = reasons.get(row) or "it requires values that cannot occur"
            rows.append([number, markup.clip(f"never holds: {reason}"), ""])
        else:
            conditions = markup.code(rule.region.to_text())
            rows.append([number, conditions, markup.consequent(rule.then, colors)])
        last = row
    return rows


# --- what was found


def _gaps(gaps: Gaps) -> Html:
    colors = {True: markup.GREEN, False: markup.ORANGE, None: markup.GREY}
    verdict = markup.verdict(gaps._verdict(), colors[gaps.is_complete])
    if not gaps.regions:
        return markup.block(verdict)
    shown = enumerate(gaps.regions[:_MOST_FOUND], 1)
    rows = [(str(i), markup.code(str(region))) for i, region in shown]
    table = markup.table([HtmlColumn("gap", True), HtmlColumn("region")], rows)
    return markup.block(verdict, table, markup.left_out(len(gaps) - _MOST_FOUND))


def _findings(findings: Findings) -> Html:
    from irenic.checking import NOUNS

    parts = [markup.head("Findings", *(findings._counted() or ["none"]))]
    if findings.unfinished:
        kinds = ", ".join(findings.unfinished)
        parts.append(markup.remark(f"not finished within the budget: {kinds}"))
    rows = [
        (markup.chip(NOUNS[f.kind], _LEVELS[f.level], f.level), markup.clip(f.text))
        for f in islice(findings, _MOST_FOUND)
    ]
    if rows:
        parts.append(markup.table([HtmlColumn("kind"), HtmlColumn("finding")], rows))
    return markup.block(*parts, markup.left_out(len(findings) - _MOST_FOUND))


def _certificate(certificate: Certificate) -> Html:
    color = markup.GREEN if certificate.is_consistent else markup.VERMILION
    return markup.verdict(str(certificate), color)


# --- learned models


def classifier(model: RuleSetClassifier, usual: str) -> Html:
    """Return the HTML of a fitted classifier, with that of scikit-learn at the end."""
    parts = [
        _point_head(model.chosen_, type(model).__name__),
        _point_table(model.chosen_, model.classes_.tolist(), many=model._answers.many),
        _legend(model.classes_.tolist()),
        _certificate(model.certificate_),
    ]
    if model.stopped_by_ is not None:
        parts.append(markup.remark("the fit did not finish: more time may find better rules"))
    summary = markup.element("summary", "parameters, as shown by scikit-learn")
    return markup.block(*parts, markup.element("details", summary, Html(usual)))


def _legend(labels: list[Hashable]) -> Html:
    """Return the color of each label, or a hint if there are too many to distinguish."""
    if len(labels) > len(markup.PALETTE):
        return markup.remark(f"{len(labels):,} labels; hover over a bar to see its numbers")
    colors = markup.palette(labels)
    chips = [markup.join(" ", markup.label_chip(label, colors)) for label in labels]
    return markup.remark("labels:", *chips)


def _front(front: Front) -> Html:
    from irenic.learn.front import COLUMNS, figures

    columns = [*(HtmlColumn(name, name != "validated") for name in COLUMNS), HtmlColumn("")]
    rows = [
        [
            *figures(point)[:-2],
            markup.share_bar(point.validated_score),
            score(point.training_score),
            markup.chip("chosen", markup.GREEN) if point is front.chosen else "",
        ]
        for point in front
    ]
    head = markup.head("Front", counted(len(front), "rule set"), "from small to accurate")
    return markup.block(head, markup.table(columns, rows))


def _front_point(point: FrontPoint) -> Html:
    return markup.block(_point_head(point, "Rule set of a front"), _point_table(point))


def _point_head(point: FrontPoint, title: str) -> Html:
    return markup.head(
        title,
        counted(point.n_rules, "rule"),
        counted(point.n_conditions, "condition"),
        f"{point.explanation_size:.2f} conditions to read for a prediction",
        f"validated score {score(point.validated_score)}",
        f"training {score(point.training_score)}",
    )


def _point_table(
    point: FrontPoint, labels: Sequence[Hashable] | None = None, *, many: bool = False
) -> Html:
    """Return the rules of a point as a table, with their statistics on the training rows.

    With ``labels``, those of the counts, a chart shows the labels of the covered rows; ``many``
    means that a row may have several.
    """
    counts = point.counts
    more = _figures(counts.support, counts.confidence)
    if point.n_kept:
        more = {HtmlColumn(""): lambda i: "yours" if i < point.n_kept else "", **more}
    if labels is None:
        return _rules_table(point.rule_set, otherwise=True, more=more)
    colors = markup.palette(labels)
    shown = list(range(len(labels)))
    if many and len(labels) > _LABEL_LIMIT:
        shown = sorted(np.argsort(-counts.overall, kind="stable")[:_LABEL_LIMIT].tolist())
    named = [labels[k] for k in shown]

    def mix(index: int) -> Html:
        rows = [float(counts.mix[index, k]) for k in shown]
        if many:
            return markup.columns_bar(rows, float(counts.support[index]), named, colors)
        return markup.stacked_bar(rows, named, colors)

    more[HtmlColumn("labels" if many else "classes")] = mix
    return _rules_table(point.rule_set, otherwise=True, more=more, colors=colors)


def _default_regions(regions: DefaultRegions) -> Html:
    head = markup.head("Where the default decides", counted(len(regions), "region"))
    more = _figures(regions.support, regions.confidence)
    return markup.block(head, _rules_table(regions.rules, otherwise=False, more=more))


def _figures(support: Any, confidence: Any) -> dict[HtmlColumn, Callable[[int], str]]:
    return {
        HtmlColumn("support", True): lambda index: count_text(float(support[index])),
        HtmlColumn("confidence"): lambda index: markup.share_bar(float(confidence[index])),
    }


def _probability_table(table: ProbabilityTable) -> Html:
    columns = [HtmlColumn("prediction"), HtmlColumn("region"), HtmlColumn("rows", True)]
    columns += [HtmlColumn(display(label), True) for label in table.labels]
    listed = table.listed()
    cells = [
        [
            display(row.prediction),
            str(row.region),
            count_text(float(row.rows)),
            *(f"{value:.2f}" for value in row.probabilities.values.tolist()),
        ]
        for row in listed
    ]
    if table.raised_from is not None:
        columns.append(HtmlColumn("raised from", True))
        for row, shown in zip(listed, cells, strict=True):
            shown.append("" if row.raised_from is None else f"{row.raised_from:.2f}")
    head = markup.head("Probabilities", counted(len(table.regions), "region"))
    return markup.block(head, markup.table(columns, cells))


_WRITERS: Final[dict[str, Callable[[Any], Html]]] = {
    "Region": _region,
    "Rule": _rule,
    "DecidingRules": _rules,
    "DecisionTable": _decision_table,
    "Gaps": _gaps,
    "Findings": _findings,
    "Certificate": _certificate,
    "Front": _front,
    "FrontPoint": _front_point,
    "DefaultRegions": _default_regions,
    "ProbabilityTable": _probability_table,
}
