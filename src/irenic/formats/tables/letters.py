"""Words whose letters look like those of another script: the Cyrillic А in a Latin word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from irenic.formats.tables.drafts import Place, TableDraft, distinct
from irenic.model.characters import like_latin, two_scripts
from irenic.model.literals import quote
from irenic.model.patterns import lazy

_Texts: TypeAlias = "dict[str, tuple[Place, int | None]]"
_LATIN: Final = lazy(r"[A-Za-z]")
_UNQUOTED: Final = lazy(r"\\u[0-9a-fA-F]{4}|\\U[0-9a-fA-F]{6}|\\.|\"")
_VALUE: Final = lazy(r"[^\W\d_][^<>=!,;()\[\]\"]*")


def check_letters(draft: TableDraft, *, in_quotes: bool = False) -> None:
    """Report names, conditions and outcomes whose letters may be mistaken for others.

    ``in_quotes`` is for DMN, which has all texts in quotes: there, they are warnings. Elsewhere,
    they are errors, and quotes say that a text is meant.
    """
    report = draft.warn if in_quotes else draft.fail
    for name, texts in [*_conditions(draft), *_outcomes(draft)]:
        if reason := two_scripts(name):
            report(f"{reason} in the name", header=name, line=draft.header or None)
        plain = {_UNQUOTED.sub(" ", text) if in_quotes else text: text for text in texts}
        foreign = [text for text in plain if not text.isascii()]
        latin = {text.strip() for text in plain if text.isascii() and _LATIN.search(text)}
        only_alike = bool(latin) and not in_quotes and all(map(like_latin, foreign))
        for text in foreign:
            is_alike = only_alike or like_latin(text).strip() in latin
            if reason := two_scripts(text) or (_like_others(text) if is_alike else ""):
                place, line = texts[plain[text]]
                if not in_quotes and _VALUE.fullmatch(text):
                    reason += f", or {quote(text)} in quotes if it is meant"
                report(reason, **place._asdict(), line=line)


def _conditions(draft: TableDraft) -> Iterator[tuple[str, _Texts]]:
    """Yield the names of conditions, and where each text of their cells is first."""
    rows = [*draft.rows, *draft.impossible_rows]
    for place, column in enumerate(draft.inputs):
        texts: _Texts = {}
        cells = [row.cells[place] for row in rows]
        if any(not cell.text.isascii() for cell in distinct(cells).values()):
            for cell, row in zip(cells, rows, strict=True):
                texts.setdefault(cell.text, (Place(row.number, column.name, cell.text), row.line))
        yield column.name, texts


def _outcomes(draft: TableDraft) -> Iterator[tuple[str, _Texts]]:
    """Yield the names of outcomes, and where each text of a sheet is first."""
    for name in draft.outputs:
        yield (
            name,
            {
                text: (Place(None, name, text), line)
                for (header, text), (_, line) in draft.thens.items()
                if header == name
            },
        )


def _like_others(text: str) -> str:
    """Return why a text may be mistaken for a Latin one, as others are; "" if it may not."""
    alike = like_latin(text)
    if '"' in text or not _LATIN.search(alike):
        return ""
    letter = next(letter for letter in text if like_latin(letter))
    latin = like_latin(letter)
    return (
        f"{text.strip()!r} looks like {alike.strip()!r}, but {letter!r} (U+{ord(letter):04X}) is"
        f" not the Latin {latin!r} (U+{ord(latin):04X}) of other cells; type {alike.strip()!r}"
    )
