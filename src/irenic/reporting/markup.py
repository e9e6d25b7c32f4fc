"""Fragments of HTML for notebooks, in one style that suits light and dark pages.

Notebooks remove or isolate scripts and style sheets, so every style is inline. Text always has the
color of the page, on translucent backgrounds.
"""

from __future__ import annotations

import html
import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from irenic.model.head import Head
from irenic.model.literals import Probabilities, count_text, display, say, score

# The colors of Okabe and Ito, which color-blind people can distinguish, without black.
BLUE: Final = "0,114,178"
ORANGE: Final = "230,159,0"
GREEN: Final = "0,158,115"
VERMILION: Final = "213,94,0"
PURPLE: Final = "204,121,167"
SKY: Final = "86,180,233"
YELLOW: Final = "240,228,66"
GREY: Final = "128,128,128"
PALETTE: Final = (BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION, YELLOW)

# A condition on thousands of values would fill a page.
_MAX_CHARACTERS: Final = 1_000
_LEFT: Final = "text-align:left"
_RIGHT: Final = "text-align:right"
_CELL: Final = (
    "padding:.3em .7em;vertical-align:baseline;border:none;"
    f"border-bottom:1px solid rgba({GREY},.3);white-space:normal;max-width:none"
)


class Html(str):
    """Text that is markup; any other text is escaped when it is inserted."""

    __slots__ = ()


def escaped(text: str) -> Html:
    """Return text as markup, escaped unless it is markup already."""
    return text if isinstance(text, Html) else Html(html.escape(text))


def join(*parts: str, between: str = "") -> Html:
    """Return parts joined into one piece of markup."""
    return Html(between.join(map(escaped, parts)))


def element(name: str, *content: str, **attributes: str) -> Html:
    """Return an element without its empty attributes."""
    pairs = "".join(f' {key}="{html.escape(value)}"' for key, value in attributes.items() if value)
    return Html(f"<{name}{pairs}>{join(*content)}</{name}>")


def clip(text: str) -> str:
    """Return text, with the end of very long text replaced by the number of characters left out."""
    more = len(text) - _MAX_CHARACTERS
    return text if more <= 0 else f"{text[:_MAX_CHARACTERS]}… and {more:,} more characters"


# --- lines


def head(title: str, *parts: str) -> Html:
    """Return the line above a table: a title in bold, and parts separated by commas."""
    bold = element("span", title, style="font-weight:600")
    details = join(*parts, between=", ")
    return element("div", bold, " ", details, style=f"{_LEFT};margin:.3em 0;line-height:1.7")


def verdict(text: str, color: str) -> Html:
    """Return a sentence with a colored line on its left."""
    style = f"{_LEFT};margin:.4em 0;padding:.1em .6em;border-left:.25em solid rgba({color},.9)"
    return element("div", text, style=style)


def remark(*parts: str) -> Html:
    """Return a line in smaller print."""
    style = f"{_LEFT};margin:.3em 0;font-size:90%;opacity:.8;line-height:1.7"
    return element("div", *parts, style=style)


def code(text: str) -> Html:
    """Return conditions as code, clipped if they are very long."""
    style = "background:none;color:inherit;padding:0;white-space:pre-wrap;overflow-wrap:anywhere"
    return element("code", clip(text), style=style)


# --- consequents


def palette(labels: Iterable[Hashable]) -> dict[Hashable, str]:
    """Return a color for each label, in their order; colors repeat after seven labels."""
    return {label: PALETTE[i % len(PALETTE)] for i, label in enumerate(dict.fromkeys(labels))}


def colors(thens: Iterable[Hashable | None]) -> dict[Hashable, str]:
    """Return a color for each label in the consequents.

    Labels are sorted as classifiers sort them, so that both have the same colors.
    """
    labels = [label for then in thens if then is not None for label in _labels(then)]
    try:
        return palette(sorted(labels))  # type: ignore[type-var]
    except TypeError:  # of several types
        return palette(labels)


def _labels(then: Hashable) -> Iterable[Hashable]:
    if isinstance(then, Probabilities):
        return then.largest()
    return sorted(then, key=display) if isinstance(then, frozenset | Head) else (then,)


def chip(text: str, color: str = GREY, title: str = "") -> Html:
    """Return a word on a colored background."""
    style = (
        f"display:inline-block;padding:0 .5em;border-radius:.7em;line-height:1.5;"
        f"background:rgba({color},.25);border:1px solid rgba({color},.8)"
    )
    return element("span", text, style=style, title=title)


def yes_or_no(good: bool, yes: str, no: str) -> Html:
    """Return ``yes`` as a green chip if good, otherwise ``no`` as a vermilion one."""
    return chip(yes, GREEN) if good else chip(no, VERMILION)


def consequent(then: Hashable | None, known: Mapping[Hashable, str] | None = None) -> Html:
    """Return a consequent as chips, one per label."""
    if then is None:
        return element("span", "no prediction", style="opacity:.8")
    if isinstance(then, Probabilities):
        return _probabilities(then, known)
    if isinstance(then, Head):
        parts = [
            label_chip(label, known) if then[label] else join("not ", label_chip(label, known))
            for label in sorted(then, key=display)
        ]
        return join(*parts, between=" ")
    if not isinstance(then, frozenset):
        return label_chip(then, known)
    if not then:
        return element("span", "no label", style="opacity:.8")
    chips = [label_chip(label, known) for label in sorted(then, key=display)]
    return join(*chips, between=" ")


def _probabilities(then: Probabilities, known: Mapping[Hashable, str] | None) -> Html:
    """Return the most probable labels as chips, and how many more there are."""
    shown = then.largest()
    if not shown:
        return element("span", "no label", style="opacity:.8")
    parts: list[str] = [
        chip(f"{clip(say(label))} {p:.2f}", (known or {}).get(label, GREY))
        for label, p in shown.items()
    ]
    n_more = int((then.values > 0.0).sum()) - len(shown)
    if n_more:
        parts.append(f"and {n_more:,} more")
    return join(*parts, between=" ")


def label_chip(label: Hashable, known: Mapping[Hashable, str] | None = None) -> Html:
    """Return a label as a chip in its color, or in gray if it has none."""
    return chip(clip(say(label)), (known or {}).get(label, GREY))


# --- numbers


def share_bar(value: float) -> Html:
    """Return a share as a small bar and in digits."""
    if math.isnan(value):
        return escaped(score(value))
    strip = _strip(_segment(value, GREY, ""), width="4em")
    return element("span", strip, " ", score(value), style="white-space:nowrap")


def stacked_bar(
    counts: Sequence[float], labels: Sequence[Hashable], known: Mapping[Hashable, str]
) -> Html:
    """Return the distribution of rows over labels as a bar, with counts as tooltips."""
    total = sum(counts)
    parts = [
        _segment(n / total, known.get(label, GREY), _tooltip(label, n, total))
        for n, label in zip(counts, labels, strict=True)
        if n > 0
    ]
    return _strip(*parts, width="9em")


def columns_bar(
    counts: Sequence[float], total: float, labels: Sequence[Hashable], known: Mapping[Hashable, str]
) -> Html:
    """Return the share of rows with each label as a small column chart."""
    parts = []
    for n, label in zip(counts, labels, strict=True):
        part = n / total if total > 0 else 0.0
        inner = element(
            "span", style=f"width:100%;height:{_percent(part)};background:{_ink(known, label)}"
        )
        style = (
            f"display:inline-flex;align-items:flex-end;width:.6em;height:1.3em;margin-right:2px;"
            f"background:rgba({GREY},.2)"
        )
        parts.append(element("span", inner, style=style, title=_tooltip(label, n, total)))
    return element("span", *parts, style="display:inline-flex;vertical-align:middle")


def _ink(known: Mapping[Hashable, str], label: Hashable) -> str:
    return f"rgba({known.get(label, GREY)},.9)"


def _tooltip(label: Hashable, n: float, total: float) -> str:
    part = f" ({n / total:.0%})" if total > 0 else ""
    return f"{clip(say(label))}: {count_text(n)} of {count_text(total)}{part}"


def _percent(part: float) -> str:
    return f"{100.0 * min(max(part, 0.0), 1.0):.4g}%"


def _segment(part: float, color: str, title: str) -> Html:
    return element("span", style=f"width:{_percent(part)};background:rgba({color},.9)", title=title)


def _strip(*parts: Html, width: str) -> Html:
    style = (
        f"display:inline-flex;width:{width};height:.8em;vertical-align:middle;"
        f"background:rgba({GREY},.2);overflow:hidden"
    )
    return element("span", *parts, style=style)


# --- tables


class HtmlColumn(NamedTuple):
    """The header of a column, and whether it contains numbers, which are aligned right."""

    name: str
    numbers: bool = False


def table(columns: Sequence[HtmlColumn], rows: Iterable[Sequence[str]]) -> Html:
    """Return a table with a header."""
    sides = [_RIGHT if column.numbers else _LEFT for column in columns]

    def cells(kind: str, row: Sequence[str]) -> Html:
        weight = ";font-weight:600" if kind == "th" else ""
        content = [
            element(kind, cell, style=f"{side};{_CELL}{weight}")
            for side, cell in zip(sides, row, strict=True)
        ]
        # Some front ends stripe rows in a color that does not suit a dark page.
        return element("tr", *content, style="background:transparent")

    top = element("thead", cells("th", [clip(column.name) for column in columns]))
    body = element("tbody", *(cells("td", row) for row in rows))
    grid = element("table", top, body, style="border-collapse:collapse;margin:0;border:none")
    return element("div", grid, style="overflow-x:auto;max-width:100%")


def left_out(n: int) -> Html:
    """Return a line with the number of rows that are not shown, or nothing if there are none."""
    return remark(f"… and {n:,} more") if n > 0 else Html()


def block(*parts: str) -> Html:
    """Return the parts of an object in one element."""
    return element("div", *parts, style=_LEFT)
