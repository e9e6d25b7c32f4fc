"""Words in an order: weekdays, months, quarters, sizes, letters and numbered names.

``Mon-Fri`` can only mean five days, and is read so; so can ``weekdays`` beside days. ``A-C`` may be
a range or a name, and is a doubt that names both spellings.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from irenic.errors import FormatError
from irenic.formats.cells._doubts import CellError
from irenic.formats.cells._language import Language, language, plain
from irenic.model.literals import quote

LONGEST_WORDS: Final = 80
"""Longer texts are never ranges of words."""
_MOST: Final = 50
_SHOWN: Final = 6
_CERTAIN: Final = ("days", "months", "quarters")
_WORKING, _WEEKEND = range(5), range(5, 7)


class Sequences:
    """The words of a language that have an order."""

    def __init__(self, words: Language) -> None:
        self.words = words

    def places(self, word: str) -> list[tuple[str, int, int]]:
        """Return where a word is: the kind of list, its number, and the place in it."""
        return self.words.ordered.get(word.casefold(), [])

    def between(self, text: str, first: Any, last: Any) -> list[str] | None:
        """Return the words from one to another; None if they are in no order."""
        starts, ends = self.places(first.raw), self.places(last.raw)
        alike = first.raw.isupper() == last.raw.isupper()
        for noun, number, start in starts:
            for other, its, end in ends:
                if (noun, number) != (other, its) or start == end:
                    continue
                listed = self.words.sequences[noun][number]
                if noun not in ("days", "months") and (end < start or not alike):
                    continue
                # a range may go on after the end of the week or year
                count = end - start + 1 + (len(listed) if end < start else 0)
                found = styled(first.raw, [listed[(start + n) % len(listed)] for n in range(count)])
                if noun in _CERTAIN:
                    return found
                raise _ambiguous(text, found, first.start)
        for noun in ("days", "months"):
            if first.raw.lower() != last.raw.lower() and all(
                any(noun == each[0] for each in places) for places in (starts, ends)
            ):
                raise CellError("languages", first.start, text)
        return None

    def rest(self, quarter: Any) -> list[str]:
        """Return a quarter and those after it."""
        listed = self.words.sequences["quarters"][0]
        return styled(quarter.raw, listed[listed.index(quarter.raw.lower()) :])

    def are_alike(self, words: Iterable[str]) -> bool:
        """Return whether words are days, months or quarters, in one language."""
        places = [
            {(noun, number) for noun, number, _ in self.places(word) if noun in _CERTAIN}
            for word in words
        ]
        return bool(places and set.intersection(*places))

    def numbered(self, text: str) -> tuple[Any, ...] | None:
        """Return the doubt about a text such as ``P1-P3``, None for others."""
        match = self.words.texts["numbered"].fullmatch(text) if len(text) <= LONGEST_WORDS else None
        if match is None:
            return None
        prefix, low, again, high = match.groups()
        if again not in ("", prefix) or not int(low) < int(high) <= int(low) + _MOST:
            return None
        values = [f"{prefix}{n:0{len(low)}}" for n in range(int(low), int(high) + 1)]
        return ("span", text, *_ends(values))


def styled(example: str, words: Sequence[str]) -> list[str]:
    """Return words in upper or lower case like an example."""
    style = str.upper if example.isupper() else str.lower if example.islower() else str.capitalize
    return list(map(style, words))


def _ends(values: list[str]) -> tuple[str, str, str]:
    more = [*values[: _SHOWN - 2], "…", values[-1]] if len(values) > _SHOWN else values
    return ", ".join(more), values[0], values[-1]


def _ambiguous(text: str, values: list[str], at: int) -> FormatError:
    return CellError("span", at, text, *_ends(values))


# --- sets of days, and lists of all days, months or quarters


def days_meant(texts: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the days that words such as ``weekdays`` mean, in the language of days beside them.

    Raise an error for words that mean five or six days.
    """
    texts = list(texts)
    low = [text.strip().casefold() for text in texts]
    names, example = next(
        (
            (names, text)
            for names in language().lists["days"]
            if (known := [t for t, word in zip(texts, low, strict=True) if word in names])
            for text in known[:1]
            if all(word in names or not is_day(word) for word in low)
        ),
        ([], ""),
    )
    meant: dict[str, tuple[str, ...]] = {}
    for text, word in zip(texts, low, strict=True) if names else ():
        if language().means(word, "workdays"):
            days = [",".join(styled(example, names[:n])) for n in (5, 6)]
            raise FormatError(
                f"{text!r} is ambiguous beside days; write {' or '.join(days)}, or"
                f" {quote(text)} in quotes for the text"
            )
        if places := _day_set(word):
            meant[text] = tuple(styled(example, [names[i] for i in places]))
    return meant


def is_day(text: str) -> bool:
    """Return whether a text is a day of the week, in any language."""
    return any(noun == "days" for noun, _, _ in Sequences(language()).places(text.strip()))


def whole_list(texts: Iterable[str]) -> str:
    """Return what texts list all of, such as ``days of the week``; "" if they do not."""
    known = {text.strip().rstrip(".").casefold() for text in texts}
    sequences = language().sequences
    for noun, kind in (("days of the week", "days"), ("months", "months")):
        if any(known.issuperset(names) for names in sequences[kind]):
            return noun
    if known.issuperset(sequences["quarters"][0]):
        return "four quarters"
    return "days of the week" if set(map(_day_set, known)) == {_WORKING, _WEEKEND} else ""


def _day_set(word: str) -> range | None:
    entry = language().phrases.get(plain(word), {})
    return _WORKING if "weekdays" in entry else _WEEKEND if "weekend" in entry else None


def is_ordered(text: str) -> bool:
    """Return whether a text is a day, a month, a quarter or a size, or a range of them."""
    words = [
        part.strip().rstrip(".") for part in text.replace("–", "-").replace("—", "-").split("-")
    ]
    sequences = Sequences(language())
    sizes = language().sequences["sizes"][0]
    return sequences.are_alike(words) or all(word.casefold() in sizes for word in words)
