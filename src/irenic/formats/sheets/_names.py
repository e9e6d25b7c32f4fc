"""Words in the names of columns: they only choose the role that a question suggests."""

from __future__ import annotations

import re
from typing import Final

from irenic.model.patterns import lazy

_WORDS: Final = {
    "note": (
        "note notes comment comments remark remarks annotation explanation rationale source sources"
        " reference author editor owner version status valid bemerkung bemerkungen notiz anmerkung"
        " kommentar hinweis erläuterung begründung quelle stand remarque commentaire observaciones"
        " comentario opmerking toelichting # no nr num number id index rule row line name priority"
        " rank order step nummer regel priorität rang prio reviewed approved updated changed"
    ),
    "outcome": (
        "then outcome outcomes output result decision action conclusion price fee fare rate tariff"
        " premium discount surcharge bonus points commission tax cost charge fine total level class"
        " category grade score target minutes days hours queue team desk route ergebnis aktion"
        " entscheidung preis gebühr tarif prämie rabatt zuschlag kosten prix frais remise precio"
    ),
    ">=": (
        "from min minimum lower least since start low begin over above von ab mindestens"
        " untergrenze unter- mindest minimal de desde début beginn vanaf lo floor"
    ),
    "<=": (
        "to max maximum upper most until end high up under below bis höchstens obergrenze maximal"
        " höchst à hasta fin ende hi cap ceiling limit"
    ),
}
"""The words that suggest notes and numbers of rows, outcomes, and bounds."""
_BY_WORD: Final = {word: kind for kind, words in reversed(_WORDS.items()) for word in words.split()}
_SPLIT: Final = lazy(r"[\s_().,:/\[\]-]+")
_COMPOUND: Final = lazy(
    r"(mindest|minimal|unter|höchst|maximal|ober)-?([^\W\d]{3,})", re.IGNORECASE
)


def suggested(name: str) -> str:
    """Return what a name suggests: note, outcome, >=, <= or "" for nothing.

    >>> [suggested(name) for name in ("Comment", "Target minutes", "Age low", "Region")]
    ['note', 'outcome', '>=', '']
    """
    words = _words(name)
    return next((kind for word in reversed(words) if (kind := _BY_WORD.get(word.casefold()))), "")


def stem_of(low: str, high: str) -> str:
    """Return a name for what two columns bound: what their names share.

    >>> stem_of("Age low", "Age high"), stem_of("Untergrenze", "Obergrenze"), stem_of("a", "b")
    ('Age', 'grenze', 'value')
    """
    a, b = _words(low), _words(high)
    shared = [word for word in a if word.casefold() in {other.casefold() for other in b}]
    if shared:
        return " ".join(shared)
    parts = [match[2] for each in (low, high) if (match := _COMPOUND.fullmatch(each.strip()))]
    same = len({part.casefold() for part in parts}) == 1
    return parts[0] if len(parts) == 2 and same else "value"


def stem_of_values(names: list[str]) -> str:
    """Return a name for the condition that the header of a cross table contains.

    >>> stem_of_values(["Zone 1", "Zone 2"]), stem_of_values(["DE", "AT"])
    ('Zone', 'column')
    """
    first, *others = map(_words, names)
    rest = [{word.casefold() for word in words} for words in others]
    shared = [word for word in first if all(word.casefold() in words for words in rest)]
    return " ".join(word for word in shared if not word.isdecimal()) or "column"


def _words(name: str) -> list[str]:
    return [word for word in _SPLIT.split(name) if word]
