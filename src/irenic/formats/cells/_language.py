"""The vocabulary and the grammar of cells, which the report page reads, too.

``vocabulary.json`` has the words of each language, by what they mean; ``grammar.json`` has the
patterns of values, the signs, the productions and the error messages.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

from irenic.model.patterns import lazy

_LISTS: Final = ("days", "months", "yes")
_NAMED: Final = {"units": "unit", "scales": "scale"}


class Production(NamedTuple):
    """A sequence of symbols, and the action for what they match."""

    symbols: tuple[str, ...]
    action: tuple[str, ...]
    formal: bool
    """Whether it belongs to the notation of decision tables, which needs no explanation."""


class Language:
    """The words and the grammar of cells.

    A trie has one level per character; the entry at "" says what the phrase means, by role.
    """

    def __init__(self, vocabulary: Mapping[str, Mapping[str, Any]], grammar: Any) -> None:
        self.grammar, self.vocabulary = grammar, vocabulary
        self.phrases: dict[str, dict[str, Any]] = {}
        self.lists: dict[str, list[list[str]]] = {noun: [] for noun in _LISTS}
        self.months: dict[str, int] = {}
        for words in vocabulary.values():
            for role, value in words.items():
                self._add(role, value)
        for word in grammar["keywords"].split():
            self._say(word, word, word)
        for role, name in _class_members(grammar):
            for entry in self.phrases.values():
                if name in entry:
                    entry.setdefault(role, entry[name])
        self.ordered: dict[str, list[tuple[str, int, int]]] = {}
        """The places of words in lists: the kind of list, its number, and the place in it."""
        sequences = {name: [text.split()] for name, text in grammar["sequences"].items()}
        for noun, several in {**self.lists, **sequences}.items():
            for number, listed in enumerate(several if noun != "yes" else ()):
                for place, word in enumerate(listed):
                    self.ordered.setdefault(word, []).append((noun, number, place))
        self.sequences = {**self.lists, **sequences}
        self.month_starts = {month[:3] for month in self.months}
        self.units = {e["unit"] for e in self.phrases.values() if "unit" in e}
        self.trie = trie(self.phrases)
        fragments = dict(grammar["fragments"]) | {
            "w": r"\w",
            "n": r"(?:0|[1-9][0-9]*)(?:\.[0-9]+)?",
            "month": _any_of(self.months),
            "clock": _any_of(w for w, e in self.phrases.items() if "clock" in e),
        }
        self.values = {k: _compiled(p, fragments) for k, p in grammar["values"].items()}
        self.texts = {k: _compiled(p, fragments) for k, p in grammar["texts"].items()}
        self.blanks = _compiled("{b}+", fragments)
        self.money = _compiled("{money}", fragments)
        self.hints = [(_compiled(p, fragments), hint) for p, hint in grammar["hints"]]
        self.rules = {
            rule: [_production(*pair) for pair in pairs] for rule, pairs in grammar["rules"].items()
        }
        self.signs = {sign: frozenset(roles.split()) for sign, roles in grammar["signs"].items()}
        self.formal = frozenset(grammar["formal signs"].split())
        self.text_ends = frozenset(grammar["text ends"].split())
        self.functions = frozenset(grammar["functions"].split("|"))

    def _add(self, role: str, value: Any) -> None:
        if role in _LISTS:
            self.lists[role] += [names.split() for names in value]
            if role == "months":
                for names in value:
                    self.months |= {name: n for n, name in enumerate(names.split(), 1)}
        elif role == "more_months":
            self.months |= value
        elif role in _NAMED:
            for name, phrases in value.items():
                for phrase in phrases.split("|"):
                    self._say(phrase, _NAMED[role], name)
        else:
            for phrase in value.split("|"):
                self._say(phrase, role, role)

    def _say(self, phrase: str, role: str, value: str) -> None:
        self.phrases.setdefault(phrase, {})[role] = value

    def means(self, text: str, *roles: str) -> bool:
        """Return whether a text, apart from case and blanks, has one of some meanings."""
        return not self.phrases.get(plain(text), {}).keys().isdisjoint(roles)

    def begins(self, text: str, role: str) -> bool:
        """Return whether a text begins with a phrase of some meaning and goes on."""
        words = plain(text).split(" ")
        most = min(len(words), _MOST_WORDS)
        return any(role in self.phrases.get(" ".join(words[:n]), ()) for n in range(1, most))


_MOST_WORDS: Final = 5


def plain(text: str) -> str:
    """Return a text in lower case with single blanks and straight apostrophes."""
    return " ".join(text.lower().replace("’", "'").split())


def trie(phrases: Mapping[str, Any]) -> dict[str, Any]:
    """Return a trie of phrases."""
    root: dict[str, Any] = {}
    for phrase, entry in phrases.items():
        node = root
        for char in phrase:
            node = node.setdefault(char, {})
        node[""] = entry
    return root


def _class_members(grammar: Any) -> Iterator[tuple[str, str]]:
    for role, names in grammar["classes"].items():
        for name in names.split():
            yield role, name


def _any_of(words: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))


def _compiled(pattern: str, fragments: Mapping[str, str]) -> re.Pattern[str]:
    """Return a pattern in which ``{name}`` is a fragment."""
    for _ in range(2):  # fragments have fragments
        pattern = re.sub(r"\{([a-z]+)\}", lambda m: fragments[m[1]], pattern)
    return lazy(pattern)


def _production(symbols: str, action: str) -> Production:
    formal = action.startswith("! ")
    return Production(tuple(symbols.split()), tuple(action.removeprefix("! ").split()), formal)


@cache
def language() -> Language:
    """Return the words and the grammar that come with the package."""
    folder = files("irenic.formats.cells")
    vocabulary, grammar = (
        json.loads(folder.joinpath(f"{name}.json").read_text("utf-8"))
        for name in ("vocabulary", "grammar")
    )
    return Language(vocabulary, grammar)
