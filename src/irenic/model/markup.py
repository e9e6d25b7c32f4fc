"""Fragments of HTML in which notebooks show objects: one look, fit for light and dark pages.

Notebooks take scripts and style sheets out, or keep them apart, so every style is written beside
what it is for. No text has a colour of its own: it takes that of the page, on translucent grounds.
"""

from __future__ import annotations

import html
import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from irenic.model.literals import display, say

# The colours of Okabe and Ito, which colour-blind people tell apart, without black.
BLUE: Final = "0,114,178"
ORANGE: Final = "230,159,0"
GREEN: Final = "0,158,115"
VERMILION: Final = "213,94,0"
PURPLE: Final = "204,121,167"
SKY: Final = "86,180,233"
YELLOW: Final = "240,228,66"
GREY: Final = "128,128,128"
PALETTE: Final = (BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION, YELLOW)

# A condition on thousands of values would be a page of its own.
_MOST_CHARACTERS: Final = 1_000
_LEFT: Final = "text-align:left"
_RIGHT: Final = "text-align:right"
_CELL: Final = (
    "padding:.3em .7em;vertical-align:baseline;border:none;"
    f"border-bottom:1px solid rgba({GREY},.3);white-space:normal;max-width:none"
)


class Html(str):
    """Text that is markup; any other text is escaped before it becomes part of some."""

    __slots__ = ()


def escaped(text: str) -> Html:
    """Return text as markup that shows it.

    >>> escaped("<b>"), escaped(Html("<b>"))
    ('&lt;b&gt;', '<b>')
    """
    return text if isinstance(text, Html) else Html(html.escape(text))


def join(*parts: str, between: str = "") -> Html:
    """Return parts as one piece of markup."""
    return Html(between.join(map(escaped, parts)))


def element(name: str, *content: str, **attributes: str) -> Html:
    """Return an element; attributes that are empty are left out.

    >>> element("span", "a < b", title='"')
    '<span title="&quot;">a &lt; b</span>'
    """
    given = "".join(f' {key}="{html.escape(value)}"' for key, value in attributes.items() if value)
    return Html(f"<{name}{given}>{join(*content)}</{name}>")


def clip(text: str) -> str:
    """Return text without the end, if it is very long; it is said how much is missing."""
    more = len(text) - _MOST_CHARACTERS
    return text if more <= 0 else f"{text[:_MOST_CHARACTERS]}… and {more:,} more characters"


# --- lines


def head(title: str, *parts: str) -> Html:
    """Return the line above a table: what it is, and the parts with commas between them."""
    bold = element("span", title, style="font-weight:600")
    said = join(*parts, between=", ")
    return element("div", bold, " ", said, style=f"{_LEFT};margin:.3em 0;line-height:1.7")


def verdict(text: str, colour: str) -> Html:
    """Return a sentence that is good news or bad, beside a line that says so by its colour."""
    style = f"{_LEFT};margin:.4em 0;padding:.1em .6em;border-left:.25em solid rgba({colour},.9)"
    return element("div", text, style=style)


def remark(*parts: str) -> Html:
    """Return a line in smaller print."""
    style = f"{_LEFT};margin:.3em 0;font-size:90%;opacity:.8;line-height:1.7"
    return element("div", *parts, style=style)


def code(text: str) -> Html:
    """Return conditions as they are written, the end of very long ones left out."""
    style = "background:none;color:inherit;padding:0;white-space:pre-wrap;overflow-wrap:anywhere"
    return element("code", clip(text), style=style)


# --- consequents


def palette(labels: Iterable[Hashable]) -> dict[Hashable, str]:
    """Return a colour for each label, in their order; after seven they come again."""
    return {label: PALETTE[i % len(PALETTE)] for i, label in enumerate(dict.fromkeys(labels))}


def colours(thens: Iterable[Hashable | None]) -> dict[Hashable, str]:
    """Return a colour for each label that consequents say, in the order in which they come."""
    return palette(label for then in thens if then is not None for label in _labels(then))


def _labels(then: Hashable) -> Iterable[Hashable]:
    return sorted(then, key=display) if isinstance(then, frozenset) else (then,)


def chip(text: str, colour: str = GREY, title: str = "") -> Html:
    """Return a word on a coloured ground."""
    style = (
        f"display:inline-block;padding:0 .5em;border-radius:.7em;line-height:1.5;"
        f"background:rgba({colour},.25);border:1px solid rgba({colour},.8)"
    )
    return element("span", text, style=style, title=title)


def yes_or_no(good: bool, yes: str, no: str) -> Html:
    """Return what is so as a chip: green for good news, vermilion for bad."""
    return chip(yes, GREEN) if good else chip(no, VERMILION)


def consequent(then: Hashable | None, known: Mapping[Hashable, str] | None = None) -> Html:
    """Return what is predicted as chips: one, or one for each of a set of labels."""
    if then is None:
        return element("span", "no prediction", style="opacity:.8")
    if not isinstance(then, frozenset):
        return label_chip(then, known)
    if not then:
        return element("span", "no label", style="opacity:.8")
    chips = [label_chip(label, known) for label in sorted(then, key=display)]
    return join(*chips, between=" ")


def label_chip(label: Hashable, known: Mapping[Hashable, str] | None = None) -> Html:
    """Return a label on its colour, grey where none is known."""
    return chip(clip(say(label)), (known or {}).get(label, GREY))


# --- numbers


def score(value: float) -> str:
    """Return a share in digits; a dash where it is not known."""
    return "–" if math.isnan(value) else f"{value:.3f}"


def count_text(n: float) -> str:
    """Return how many rows there are; weighted ones need not be whole.

    >>> count_text(1234567), count_text(2.25)
    ('1,234,567', '2.2')
    """
    return f"{n:,.0f}" if n % 1 == 0 else f"{n:,.1f}"


def share_bar(value: float) -> Html:
    """Return a share in digits, and as a small bar beside them.

    >>> share_bar(float("nan"))
    '–'
    """
    if math.isnan(value):
        return escaped(score(value))
    strip = _strip(_segment(value, GREY, ""), width="4em")
    return element("span", strip, " ", score(value), style="white-space:nowrap")


def stacked_bar(
    counts: Sequence[float], labels: Sequence[Hashable], known: Mapping[Hashable, str]
) -> Html:
    """Return how rows divide among labels as one bar; whoever points at a part reads its number."""
    total = sum(counts)
    parts = [
        _segment(n / total, known.get(label, GREY), _told(label, n, total))
        for n, label in zip(counts, labels, strict=True)
        if n > 0
    ]
    return _strip(*parts, width="9em")


def columns_bar(
    counts: Sequence[float], total: float, labels: Sequence[Hashable], known: Mapping[Hashable, str]
) -> Html:
    """Return the share of rows that have each label as a row of columns."""
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
        parts.append(element("span", inner, style=style, title=_told(label, n, total)))
    return element("span", *parts, style="display:inline-flex;vertical-align:middle")


def _ink(known: Mapping[Hashable, str], label: Hashable) -> str:
    return f"rgba({known.get(label, GREY)},.9)"


def _told(label: Hashable, n: float, total: float) -> str:
    part = f" ({n / total:.0%})" if total > 0 else ""
    return f"{clip(say(label))}: {count_text(n)} of {count_text(total)}{part}"


def _percent(part: float) -> str:
    return f"{100.0 * min(max(part, 0.0), 1.0):.4g}%"


def _segment(part: float, colour: str, title: str) -> Html:
    return element(
        "span", style=f"width:{_percent(part)};background:rgba({colour},.9)", title=title
    )


def _strip(*parts: Html, width: str) -> Html:
    style = (
        f"display:inline-flex;width:{width};height:.8em;vertical-align:middle;"
        f"background:rgba({GREY},.2);overflow:hidden"
    )
    return element("span", *parts, style=style)


# --- tables


class Column(NamedTuple):
    """The head of a column, and whether it holds numbers, which stand at the right."""

    name: str
    numbers: bool = False


def table(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> Html:
    """Return a table."""
    sides = [_RIGHT if column.numbers else _LEFT for column in columns]

    def cells(kind: str, row: Sequence[str]) -> Html:
        weight = ";font-weight:600" if kind == "th" else ""
        made = [
            element(kind, cell, style=f"{side};{_CELL}{weight}")
            for side, cell in zip(sides, row, strict=True)
        ]
        # front ends that stripe rows do not all do so in a colour that fits the page
        return element("tr", *made, style="background:transparent")

    top = element("thead", cells("th", [clip(column.name) for column in columns]))
    body = element("tbody", *(cells("td", row) for row in rows))
    made = element("table", top, body, style="border-collapse:collapse;margin:0;border:none")
    return element("div", made, style="overflow-x:auto;max-width:100%")


def left_out(n: int) -> Html:
    """Return the line that says how many rows are not shown; nothing if all are."""
    return remark(f"… and {n:,} more") if n > 0 else Html()


def block(*parts: str) -> Html:
    """Return the whole of what an object shows."""
    return element("div", *parts, style=_LEFT)
