"""The tokens of a cell: values, words by what they mean, signs, and texts in quotes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final

from irenic.formats.cells._doubts import CellError
from irenic.formats.cells._language import Language, trie
from irenic.formats.cells.locales import Locale

_HALF_WIDTH: Final = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
"""Full-width digits and signs, which people type with some keyboards."""
_COMPARES: Final = frozenset("<>=!≤≥≠")
_ORDERS: Final = ("<=", ">=", "!=", "<", ">", "=")
PREFIX: Final = re.compile(
    r"""(?P<start>\w[\w./%+-]*|"(?:[^"\\]|\\.)*")\*(?!\*)(?:\s*except\s*\((?P<except>[^()]*)\))?"""
    r"""(?=\s*(?:$|[,;)\n]))"""
    r"|(?P<subdivided>(?:[^\W\d]\w*\.)+)-(?=\s*(?:$|[,;)\n]))"
)
"""Codes that begin alike: ``I2*``, ``"a b"*``, and ``C50.-`` as the ICD has it, but not ``5.-``."""
_OPENERS: Final = frozenset({"dash", "sign", "open"})


@dataclass(slots=True)
class CellToken:
    """A part of a cell; values know how they are written."""

    start: int
    end: int
    raw: str
    roles: Any
    """What it can be, and by role what it means."""
    order: str = ""
    formal: bool = True
    kind: str = ""
    groups: tuple[str | None, ...] = field(default=())
    unit: str = ""
    scale: int = 0


def half_width(text: str) -> str:
    """Return a text with the usual digits and signs for full-width ones."""
    return text if text.isascii() else text.translate(_HALF_WIDTH)


def tokens_of(
    text: str, locale: Locale, names: tuple[str, ...], language: Language
) -> list[CellToken]:
    """Return the tokens of a cell, ended by one with the role ``end``.

    ``names`` are those of the column, with which a cell may compare.
    """
    return _Lexer(text, locale, names, language).tokens


def is_word(char: str) -> bool:
    """Return whether a character may be a part of a word."""
    return char.isalnum() or char == "_"


class _Lexer:
    def __init__(
        self, text: str, locale: Locale, names: tuple[str, ...], language: Language
    ) -> None:
        self.language, self.locale = language, locale
        self.written, self.text = text, half_width(text)
        lowered = ((char, char.lower()) for char in self.text)
        self.low = "".join(low if len(low) == 1 else char for char, low in lowered)
        self.names = trie({name: {"name": "name"} for name in names})
        self.tokens: list[CellToken] = []
        self.calls = False
        """Whether the tokens are arguments of a constructor such as date(2026, 1, 31)."""
        at = 0
        self.size = len(self.low.rstrip())
        while at < self.size:
            at = self.next(at)
        seps = [token for token in self.tokens if "sep" in token.roles]
        if len(seps) > 1 and seps[-1] is self.tokens[-1]:
            self.tokens.pop().formal = False
        self.tokens.append(CellToken(len(text), len(text), "", {"end"}))

    def next(self, at: int) -> int:
        """Add the token at a place, and return where the next one begins."""
        low = self.low
        if blank := self.language.blanks.match(low, at):
            if "\n" in blank.group() or "\r" in blank.group():
                self.separate(CellToken(at, at + 1, "\n", {"sep", "\n"}, formal=False))
            return blank.end()
        starts_word = at == 0 or not is_word(low[at - 1])
        token = self.prefix(at) or self.quoted(at, starts_word)
        if token is None and starts_word:
            token = self.call(at) or self.value(at) or self.name(at) or self.phrase(at)
        if token is None:
            token = self.word(at) if is_word(low[at]) else self.sign(at)
        if "sep" in token.roles:
            self.separate(token)
        else:
            self.tokens.append(token)
        return token.end

    def separate(self, token: CellToken) -> None:
        """Add a separator; several in a row are one, and none follows an operator."""
        last = self.tokens[-1] if self.tokens else None
        if last is None:
            if token.raw != "\n":
                self.tokens.append(token)
        elif "sep" in last.roles:
            last.formal = last.formal and token.raw == "\n"
        elif token.raw != "\n" or _OPENERS.isdisjoint(last.roles):
            self.tokens.append(token)

    def prefix(self, at: int) -> CellToken | None:
        """Return codes that begin alike, with exceptions: ``I2* except (I21, I23*)``."""
        if self.tokens and {"sep", "sign", "("}.isdisjoint(self.tokens[-1].roles):
            return None
        match = PREFIX.match(self.text, at)
        return match and self.token(at, match.end(), {"prefix"}, kind="prefix")

    def quoted(self, at: int, starts_word: bool) -> CellToken | None:
        char = self.text[at]
        if char == '"':
            match = self.language.texts["string"].match(self.text, at)
            if match is None:
                raise CellError("open_quotes", at)
            return self.token(at, match.end(), {"string"}, kind="string")
        last = self.tokens[-1].roles if self.tokens else {"sep"}
        if (
            not starts_word
            or last == {}
            or {"sep", "open", "sign", "one_of", "not"}.isdisjoint(last)
        ):
            return None
        match = self.language.texts["curly"].match(self.text, at)
        if match is None or not self.is_end(match.end()):
            return None
        return self.token(
            at, match.end(), {"string"}, formal=False, kind="curly", groups=(match[1],)
        )

    def is_end(self, at: int) -> bool:
        """Return whether a value may end at a place."""
        blank = self.language.blanks.match(self.low, at)
        at = blank.end() if blank else at
        return (
            at >= self.size
            or self.low[at] in ",;|)]\n"
            or (blank is not None and self.longest(self.language.trie, at, ("or",)) is not None)
        )

    # --- values

    def call(self, at: int) -> CellToken | None:
        """Return a constructor or ``not`` before a parenthesis, or an argument."""
        if self.calls and self.low[at].isdecimal():
            return self.number(at)
        match = self.language.texts["call"].match(self.low, at)
        if match is None:
            return None
        is_not = match.group() == "not"
        self.calls = not is_not
        formal = match.group() == self.text[at : match.end()]
        return self.token(at, match.end(), {"not_call" if is_not else "call"}, formal=formal)

    def number(self, at: int) -> CellToken:
        end = at
        while end < self.size and self.low[end].isdecimal():
            end += 1
        groups = (None, None, None, self.text[at:end], None)
        return self.token(at, end, {"V"}, kind="amount", groups=groups)

    def value(self, at: int) -> CellToken | None:
        """Return a date, a time or an amount."""
        char, low = self.low[at], self.low
        last = self.tokens[-1].roles if self.tokens else ()
        if char in "-−" and not {"V", ")", "day", "month"}.isdisjoint(last):
            return None
        if char == "," and self.locale.decimal != ",":
            return None
        kinds = self.language.values
        if char.isalpha():
            kinds = self.kinds_after(at)
        elif char not in "-−.,$€£¥0123456789":
            return None
        for kind, pattern in kinds.items():
            match = pattern.match(low, at)
            if match is None:
                continue
            if kind == "amount":
                return self.amount(at, match.end(), match.groups())
            end = match.end()
            if is_word(low[end : end + 1] or " ") or (
                kind == "month" and low[end : end + 1] == "-" and low[end + 1 : end + 2].isdecimal()
            ):
                continue
            if kind in ("duration", "iso") and match.group().upper() != self.text[at:end]:
                continue
            roles = {kind} if kind in ("month", "day", "fraction") else {"V"}
            if kind == "month" and match[4]:
                roles.add("iso_month")
            formal = kind in ("iso", "duration") or (kind == "time" and len(match[1]) == 2)
            return self.token(at, end, roles, formal=formal, kind=kind, groups=self.numbered(match))
        return None

    def kinds_after(self, at: int) -> dict[str, re.Pattern[str]]:
        """Return the patterns of values that may begin with a letter at a place."""
        start = self.low[at : at + 3]
        kind = "amount" if start in ("eur", "usd", "gbp", "chf") else ""
        kind = "duration" if start[0] == "p" and start[1:2] in "t0123456789" else kind
        kind = kind or ("month" if start in self.language.month_starts else "")
        return {kind: self.language.values[kind]} if kind else {}

    def numbered(self, match: re.Match[str]) -> tuple[str | None, ...]:
        """Return what a pattern matched, with numbers for names of months."""
        months = self.language.months
        return tuple(str(months.get(each, each)) if each else None for each in match.groups())

    def amount(self, at: int, end: int, groups: tuple[str | None, ...]) -> CellToken | None:
        """Return a number with what follows it: a unit, a currency, or a word for thousands."""
        unit, scale, after = self.suffix(end)
        if is_word(self.low[after : after + 1] or " "):
            unit, scale, after = "", 0, end
            if is_word(self.low[after : after + 1] or " "):
                return None
        if groups[1]:
            unit = unit if unit and unit != "m" else groups[1].strip().upper()
        token = self.token(at, after, {"V"}, kind="amount", groups=groups)
        token.unit, token.scale = unit, scale
        return token

    def suffix(self, end: int) -> tuple[str, int, int]:
        """Return the unit and the power of ten after a number, and where they end."""
        low = self.low
        at = end + self.has_blank(end)
        if low[at : at + 1] == "%":
            return "%", 0, at + 1
        if money := self.language.money.match(low, at):
            return money.group().upper(), 0, money.end()
        found = self.longest(self.language.trie, at, ("unit", "scale"))
        if found is None:
            return "", 0, end
        after, entry = found
        longer = self.longest(self.language.trie, at)
        if longer is not None and longer[0] > after:  # t/m are no tons
            return "", 0, end
        if "unit" in entry and (low[at:after] != "m" or at > end):
            return entry["unit"], 0, after
        if "scale" not in entry:
            return "", 0, end
        coin = after + self.has_blank(after)
        if money := self.language.money.match(low, coin):
            return money.group().upper(), int(entry["scale"]), money.end()
        return ("m" if low[at:after] == "m" else ""), int(entry["scale"]), after

    def has_blank(self, at: int) -> bool:
        """Return whether a blank at a place may separate a number from its unit."""
        return self.low[at : at + 1] not in ("\n", "\r") and bool(
            self.language.blanks.match(self.low, at)
        )

    # --- words and signs

    def longest(
        self, node: dict[str, Any], at: int, roles: tuple[str, ...] = ()
    ) -> tuple[int, dict[str, Any]] | None:
        """Return the end of the longest phrase at a place, and what it means."""
        low, best = self.low, None
        while at < len(low):
            char = "'" if low[at] == "’" else low[at]
            end = at + 1
            if blank := self.language.blanks.match(low, at):
                char, end = " ", blank.end()
            if char not in node:
                break
            node, at = node[char], end
            entry = node.get("")
            if entry is None or (roles and entry.keys().isdisjoint(roles)):
                continue
            after = low[at : at + 1] or " "
            if not (is_word(char) and (is_word(after) or after == "²")):
                best = at, entry
        return best

    def name(self, at: int) -> CellToken | None:
        """Return the name of the column, if the cell compares with it."""
        found = self.longest(self.names, at)
        if found is None:
            return None
        end = found[0]
        blank = self.language.blanks.match(self.low, end)
        after = self.low[blank.end() if blank else end :][:1]
        if after in _COMPARES and after:
            return self.token(at, end, {"name"}, formal=self.text[at:end] == "?")
        is_last = bool(self.tokens) and "sign" in self.tokens[-1].roles and not after
        return self.token(at, end, {"name"}, formal=False) if is_last else None

    def phrase(self, at: int) -> CellToken | None:
        found = self.longest(self.language.trie, at)
        if found is None:
            return None
        end, entry = found
        roles = dict(entry)
        raw = self.text[at:end]
        after = self.language.blanks.match(self.low, end)
        if "or" in roles and not (
            raw in (raw.lower(), raw.upper())
            and after
            and self.tokens
            and after.end() < self.size
            and (self.low[at - 1] == "," or self.language.blanks.match(self.low, at - 1))
        ):
            del roles["sep"]
        orders = self.language.grammar["orders"]
        order = next((orders[role] for role in roles if role in orders), "")
        formal = raw in ("and", "or")
        if formal:
            follows = self.low[after.end() if after else end :][:1]
            formal = (follows in _COMPARES or follows == "?") and follows != ""
        if self.low[at:end] in self.language.ordered:
            roles["ordered"] = self.low[at:end]
        return self.token(at, end, roles, order=order, formal=formal)

    def word(self, at: int) -> CellToken:
        end = at
        while end < len(self.low) and is_word(self.low[end]):
            end += 1
        roles = {}
        word = self.low[at:end]
        if word in self.language.ordered:
            roles["ordered"] = word
            if any(noun == "quarters" for noun, _, _ in self.language.ordered[word]):
                roles["quarter"] = word
        return self.token(at, end, roles)

    def sign(self, at: int) -> CellToken:
        for size in (3, 2, 1):
            sign = self.text[at : at + size]
            if len(sign) == size and sign in self.language.signs:
                roles = self.language.signs[sign]
                self.calls = self.calls and sign != ")"
                order = next((order for order in _ORDERS if order in roles), "")
                blank = self.language.blanks.match(self.low, at + size)
                if sign in "<>" and blank and self.low.startswith("=", blank.end()):
                    return self.token(at, blank.end() + 1, {"sign"}, order=f"{sign}=", formal=False)
                return self.token(
                    at, at + size, roles, order=order, formal=sign in self.language.formal
                )
        return self.token(at, at + 1, {})

    def token(self, at: int, end: int, roles: Any, **more: Any) -> CellToken:
        raw = self.text[at:end]
        token = CellToken(at, end, raw, roles, **more)
        token.formal = token.formal and raw == self.written[at:end]
        return token
