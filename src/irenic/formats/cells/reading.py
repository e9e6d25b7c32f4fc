"""Reads cells as people write them: ``18-25``, ``65+``, ``€ 1.200,50``, ``nurse or clerk``.

A cell becomes a test, or a doubt, in one pass: tokens, the productions of the grammar, the test.
How numbers and dates are written is given; what then has no single meaning is an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

from irenic.errors import FormatError
from irenic.formats.cells._doubts import CellError, filled
from irenic.formats.cells._language import Language, Production, language
from irenic.formats.cells._tokens import PREFIX, CellToken, is_word, tokens_of
from irenic.formats.cells.locales import LONGEST_BARE, Locale
from irenic.formats.cells.sequences import Sequences
from irenic.formats.cells.values import Literal, literal_of
from irenic.formats.feel.unary_tests import (
    ANYTHING,
    DASHES,
    MAX_DEPTH,
    MOST_CHARACTERS,
    AllOf,
    AnyOf,
    Compare,
    Not,
    Test,
    comparisons,
    kind_of,
    ordinary,
    parse_value,
)
from irenic.frames.csv import may_be_thousands
from irenic.model.literals import Prefix

_FLIPPED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_BOUND: Final = frozenset({"sep", "close", "end"})
_FOLLOW: Final = _BOUND | {"joint", "sign", "or_between_conditions"}


_UNKNOWN: Final = Locale()


class CellNode(NamedTuple):
    """What a part of a cell means, and whether it is in the notation of decision tables."""

    tree: Any
    formal: bool


class Meaning(NamedTuple):
    """What a cell means."""

    test: Test
    formal: bool
    """Whether it is in the notation of decision tables, and needs no explanation."""
    numbers: tuple[str, ...]
    """Its numbers as they are written, without groups, signs and units."""


Children: TypeAlias = "list[Any]"


def read(
    text: str,
    locale: Locale = _UNKNOWN,
    header: str = "",
    *,
    known: frozenset[str] = frozenset(),
    words: Language | None = None,
) -> Meaning:
    """Return what a cell means in a locale; a cell may compare with the name of its column.

    ``known`` has values of the column in lower case, which are always read as texts.

    >>> read("10 <= Age < 20", header="age").test
    AllOf(tests=(Compare(order='>=', value=10), Compare(order='<', value=20)))
    >>> read("over 1,000", Locale(".")).test, read("nurse; clerk").test.tests[1].value
    (Compare(order='>', value=1000), 'clerk')
    """
    has_point = "." in text.replace("..", "")
    if (locale.decimal != "," or not has_point) and (test := ordinary(text)):
        return Meaning(test, True, tuple(_DIGITS.findall(text)) if has_point else ())
    stripped = text.strip()
    if stripped in ("", *DASHES):
        return Meaning(ANYTHING, True, ())
    if len(text) > MOST_CHARACTERS:
        raise CellError("cell_long", None, f"{len(text):,}")
    reader = _Reader(text, locale, header, known, words or language())
    return reader.read("cell")


def literal(text: str) -> Any:
    """Return the value of a cell that is one value, as tables write it; None is null."""
    reading = _Reader(text, Locale("."), "", frozenset(), language()).read("literal")
    if not reading.formal:
        raise FormatError(f"{text!r} is not a value in the notation of tables")
    return reading.test.value  # type: ignore[union-attr]


def is_condition(text: str) -> bool:
    """Return whether a text is a comparison or a range of numbers or dates."""
    if not any(map(str.isdecimal, text)):
        return False  # every comparison and range has a number
    for locale in (Locale("."), Locale(",")):
        try:
            test = read(text, locale).test
        except FormatError:
            continue
        first = test.tests[0] if isinstance(test, AnyOf) else test
        values = [each.value for each in comparisons(first)]
        is_equal = isinstance(first, Compare) and first.order in ("=", "!=")
        numbers = bool(values) and not any(isinstance(value, str) for value in values)
        return numbers and not is_equal and not isinstance(first, Not)
    return False


_DIGITS: Final = re.compile(r"\d+(?:\.\d+)?")


@lru_cache(maxsize=1_000)
def _names(header: str, listed: str) -> tuple[str, ...]:
    """Return the names with which a cell may compare: those of its column, and others for it."""
    plain = " ".join(header.lower().split())
    own = (plain, re.sub(r"\s*[(\[].*", "", plain))  # without a unit
    return tuple(name for name in (*own, *listed.split(), "?") if name)


class _Bare(NamedTuple):
    """A text without quotes."""

    text: str
    at: int


class _Reader:
    """Runs the productions of the grammar over the tokens of one cell."""

    def __init__(
        self, text: str, locale: Locale, header: str, known: frozenset[str], words: Language
    ) -> None:
        self.language, self.locale, self.known, self.text = words, locale, known, text
        names = _names(header, words.grammar["names"])
        self.tokens = tokens_of(text, locale, names, words)
        self.memo: dict[tuple[str, int], tuple[Any, int] | None] = {}
        self.depth = 0
        self.sequences = Sequences(words)
        self.numbers: list[str] = []

    def read(self, rule: str) -> Meaning:
        """Return what all of the cell means."""
        found = self.rule(rule, 0)
        if found is None:
            raise self.refused()
        node: CellNode = found[0]
        test, formal = self.resolved(node.tree)
        return Meaning(test, formal and node.formal, tuple(self.numbers))

    # --- productions

    def rule(self, name: str, at: int) -> tuple[Any, int] | None:
        """Return what a rule means at a token, and the token after it; None for no match."""
        key = (name, at)
        if key not in self.memo:
            self.depth += name == "tests"
            if self.depth > MAX_DEPTH:
                raise CellError("deep", self.tokens[at].start)
            self.memo[key] = self.first(self.language.rules[name], at)
            self.depth -= name == "tests"
        return self.memo[key]

    def first(self, productions: Sequence[Production], at: int) -> tuple[Any, int] | None:
        for production in productions:
            found = self.sequence(production.symbols, at)
            if found is None:
                continue
            children, end = found
            name, *args = production.action
            node = getattr(self, f"do_{name}")(children, args, at, end)
            if node is None:
                continue
            if isinstance(node, (CellNode, CellToken)):
                formal = production.formal and node.formal
                return (CellNode(node.tree, formal) if isinstance(node, CellNode) else node), end
            return CellNode(node, production.formal and _are_formal(children)), end
        return None

    def sequence(self, symbols: Sequence[str], at: int) -> tuple[Children, int] | None:
        children: Children = []
        for symbol in symbols:
            if symbol[0] in "$+" and len(symbol) == 1:
                if (_BOUND if symbol == "$" else _FOLLOW).isdisjoint(self.tokens[at].roles):
                    return None
                continue
            if symbol[-1] == "?" and len(symbol) > 1:
                found = self.symbol(symbol[:-1], at)
                child, at = found if found else (None, at)
            elif "%" in symbol:
                each, joint = symbol.split("%")
                found = self.several(each, joint, at)
                if found is None:
                    return None
                child, at = found
            else:
                found = self.symbol(symbol, at)
                if found is None:
                    return None
                child, at = found
            children.append(child)
        return children, at

    def symbol(self, symbol: str, at: int) -> tuple[Any, int] | None:
        if symbol in self.language.rules:
            return self.rule(symbol, at)
        if symbol in _TEXTS:
            return _TEXTS[symbol](self, at)
        token = self.tokens[at]
        return (token, at + 1) if symbol in token.roles else None

    def several(self, symbol: str, joint: str, at: int) -> tuple[Children, int] | None:
        found = self.symbol(symbol, at)
        if found is None:
            return None
        child, at = found
        children = [child]
        while separator := self.symbol(joint, at):
            found = self.symbol(symbol, separator[1])
            if found is None:
                break
            child, at = found
            children += [separator[0], child]
        return children, at

    # --- texts

    def run(self, at: int) -> int:
        """Return the token at which a text without quotes ends."""
        ends = self.language.text_ends
        while ends.isdisjoint(self.tokens[at].roles):
            at += 1
        return at

    def raw(self, at: int, end: int) -> str:
        """Return the text of the cell from a token to the one before another."""
        return self.text[self.tokens[at].start : self.tokens[end - 1].end]

    def bare(self, at: int) -> tuple[Any, int] | None:
        """Return a text without quotes that can only be a text."""
        end = self.run(at)
        if end == at or "@" in self.tokens[at].roles:
            return None
        text = self.raw(at, end)
        if self.refusal(text, at, end):
            return None
        return CellNode(_Bare(text, self.tokens[at].start), True), end

    def known_text(self, at: int) -> tuple[Any, int] | None:
        end = self.run(at)
        if end == at or not self.known or self.raw(at, end).lower() not in self.known:
            return None
        return CellNode(_Bare(self.raw(at, end), self.tokens[at].start), True), end

    def constant(self, at: int) -> tuple[Any, int] | None:
        end = self.run(at)
        text = self.raw(at, end).lower() if end == at + 1 else ""
        kind = {"true": "boolean", "false": "boolean", "null": "null"}.get(text)
        return (CellNode(Literal(kind, text, self.tokens[at].start), True), end) if kind else None

    def other_column(self, at: int) -> tuple[Any, int] | None:
        end = self.run(at)
        first, after = self.tokens[at], self.tokens[end]
        if end == at or "name" in first.roles or "sign" not in after.roles:
            return None
        text = self.raw(at, end)
        is_name = all(is_word(char) or char.isspace() for char in text) and not text[0].isdigit()
        return (CellNode(text, False), end) if is_name else None

    # --- actions

    def do_pass(self, children: Children, args: list[str], at: int, end: int) -> Any:
        return children[int(args[0])]

    def do_any(self, children: Children, args: list[str], at: int, end: int) -> Any:
        return ANYTHING

    def do_is(self, children: Children, args: list[str], at: int, end: int) -> Any:
        return Compare("=", _operand(children[0]))

    def do_test(self, children: Children, args: list[str], at: int, end: int) -> Any:
        order, place = args
        return Compare(order, children[int(place)])

    def do_compare(self, children: Children, args: list[str], at: int, end: int) -> Any:
        sign, value = (children[int(place)] for place in args)
        operand = _operand(value)
        if sign.order == "!=" and sign.raw != "!=" and isinstance(operand, _Bare):
            return Not(Compare("=", operand))
        return Compare(sign.order, operand)

    def do_flip(self, children: Children, args: list[str], at: int, end: int) -> Any:
        sign, value = (children[int(place)] for place in args)
        if sign.order not in _FLIPPED:
            return None
        return Compare(_FLIPPED[sign.order], value)

    def do_chain(self, children: Children, args: list[str], at: int, end: int) -> Any:
        low, first, second, high = (children[int(place)] for place in args)
        if first.order not in _FLIPPED:
            return None
        return self.both(Compare(_FLIPPED[first.order], low), Compare(second.order, high))

    def do_both(self, children: Children, args: list[str], at: int, end: int) -> Any:
        one, other = (children[int(place)] for place in args)
        return self.both(one.tree, other.tree)

    def do_either(self, children: Children, args: list[str], at: int, end: int) -> Any:
        return AnyOf(tuple(children[int(place)].tree for place in args))

    def do_join(self, children: Children, args: list[str], at: int, end: int) -> Any:
        units = children[0][::2]
        if len(units) == 1:
            return units[0]
        if _are_formal(children[0]):
            return AllOf(tuple(unit.tree for unit in units))
        trees = [unit.tree for unit in units]
        both = len(trees) == 2 and all(isinstance(tree, Compare) for tree in trees)
        return self.both(*trees) if both else None

    def do_list(self, children: Children, args: list[str], at: int, end: int) -> Any:
        items = children[0][::2]
        if len(items) == 1:
            return items[0]
        last = items[-1].tree
        bare = last.value if isinstance(last, Compare) else None
        if isinstance(bare, _Bare) and self.language.means(bare.text, "more", "less", "better"):
            raise CellError("listed", self.tokens[at].start, self.raw(at, end))
        tests = [part for item in items for part in _flat(item.tree)]
        return CellNode(AnyOf(tuple(tests)), _are_formal(children[0]))

    def do_not(self, children: Children, args: list[str], at: int, end: int) -> Any:
        return CellNode(Not(children[int(args[0])].tree), _are_formal([children[0], children[2]]))

    def do_some(self, children: Children, args: list[str], at: int, end: int) -> Any:
        several = children[int(args[0])].tree
        return several if isinstance(several, AnyOf) else None

    def do_except(self, children: Children, args: list[str], at: int, end: int) -> Any:
        item = children[int(args[0])].tree
        bare = item.value if isinstance(item, Compare) else None
        joined = {"and", "or", "or_between_conditions"}
        if isinstance(bare, _Bare) and any(
            not joined.isdisjoint(t.roles) for t in self.tokens[at + 1 : end]
        ):
            raise CellError("excluded", None)
        return Not(item)

    def do_group(self, children: Children, args: list[str], at: int, end: int) -> Any:
        tree = children[int(args[0])].tree
        value = tree.value if isinstance(tree, Compare) and tree.order == "=" else None
        single = isinstance(value, _Bare) or (isinstance(value, CellToken) and bool(value.unit))
        if (single and end - at <= 3) or (single and isinstance(value, _Bare)):
            raise CellError("not_condition", self.tokens[at].start, self.raw(at, end), "")
        return children[int(args[0])]

    def do_negative(self, children: Children, args: list[str], at: int, end: int) -> Any:
        negative = self.do_minus(children, args, at, end)
        return None if negative is None else Compare("=", negative.tree)

    def do_minus(self, children: Children, args: list[str], at: int, end: int) -> Any:
        """Return an amount in parentheses, which is negative."""
        token = children[int(args[0])]
        is_unit = token.unit in self.language.units
        if token.kind != "amount" or token.groups[0] or token.groups[2] or token.scale or is_unit:
            return None
        return CellNode(_Minus(token), False)

    def do_range(self, children: Children, args: list[str], at: int, end: int) -> Any:
        opening, low, high, closing = args
        low_end, high_end = (_operand(children[int(place)]) for place in (low, high))
        return self.bounded(opening, low_end, high_end, closing)

    def do_bracket(self, children: Children, args: list[str], at: int, end: int) -> Any:
        opening, low, high, closing = (children[int(place)] for place in args)
        above, below = ">=" if opening.raw == "[" else ">", "<=" if closing.raw == "]" else "<"
        if _are_formal(children) and "dots" in children[2].roles:
            return AllOf((Compare(above, _operand(low)), Compare(below, _operand(high))))
        return self.bounded(
            "[" if above == ">=" else "(",
            _operand(low),
            _operand(high),
            "]" if below == "<=" else ")",
        )

    def do_at(self, children: Children, args: list[str], at: int, end: int) -> Any:
        token = children[1]
        value = _feel("@" + token.raw, children[0].start)
        return CellNode(_Value(value, token.raw), True)

    def do_call(self, children: Children, args: list[str], at: int, end: int) -> Any:
        parts = [_operand(child) for child in children[2][::2]]
        texts = []
        for part in parts:
            if isinstance(part, CellToken):
                texts.append(re.sub(r"^0+(?=\d)", "", part.raw))
            else:
                texts.append(getattr(part, "source", ""))
        source = f"{children[0].raw}({', '.join(texts)})"
        return CellNode(_Value(_feel(source, children[0].start), source), True)

    def do_prefix(self, children: Children, args: list[str], at: int, end: int) -> Any:
        token = children[0]
        return _Value(_prefix(token.raw, token.start), token.raw)

    def do_span(self, children: Children, args: list[str], at: int, end: int) -> Any:
        first, last = (children[int(place)] for place in args)
        return _texts(self.sequences.between(self.raw(at, end), first, last), first)

    def do_rest(self, children: Children, args: list[str], at: int, end: int) -> Any:
        return _texts(self.sequences.rest(children[0]), children[0])

    def do_family(self, children: Children, args: list[str], at: int, end: int) -> Any:
        words = children[0][::2]
        alike = len(words) > 1 and self.sequences.are_alike(word.raw for word in words)
        return _texts([word.raw for word in words], words[0]) if alike else None

    # --- doubts

    def do_doubt(self, children: Children, args: list[str], at: int, end: int) -> Any:
        key, *places = args
        text = self.raw(at, end)
        start = self.tokens[at].start
        parts = [children[int(place)] for place in places]
        if key == "left":
            return None
        if key in _DATES:
            more = _DATES[key](parts)
            if more is None:
                return None
            raise CellError(key, start, text, *more)
        if key == "fraction":
            a, b = (int(n) for n in parts[0].groups)
            raise CellError(key, start, text, f"{a / b:.6g}")
        raise CellError(key, start, text, *(getattr(p, "raw", None) or p.tree for p in parts))

    def refused(self) -> FormatError:
        """Return the error for a cell that has no meaning: about its first item that has none."""
        at = 0
        while found := self.rule("item", at):
            at = found[1]
            if "sep" not in self.tokens[at].roles:
                break
            at += 1
        while not {"sign", "(", "[", "string"}.isdisjoint(self.tokens[at].roles):
            at += 1
        end = self.run(at)
        token = self.tokens[end]
        if end > at:
            text = self.raw(at, end)
            if reason := self.refusal(text, at, end):
                return reason
            if token.raw == "(" and text.lower() in self.language.functions:
                return CellError("function", self.tokens[at].start, text)
        if "end" in token.roles and end == at:
            return CellError("end", token.start)
        if "end" in token.roles:
            return CellError("not_condition", self.tokens[at].start, self.raw(at, end), "")
        return CellError("unexpected", token.start, token.raw)

    def refusal(self, text: str, at: int, end: int) -> CellError | None:
        """Return why a text without quotes cannot be a value, None if it can."""
        start = self.tokens[at].start
        key, *args = self.doubtful_text(text, at, end) or ("",)
        return CellError(key, start, *(args or [text])) if key else None

    def doubtful_text(self, text: str, at: int, end: int) -> tuple[Any, ...] | None:
        words, patterns = self.language, self.language.texts
        if text in DASHES:
            return ("dash",)
        if len(text) > LONGEST_BARE:
            return "long", text, f"{len(text):,}"
        if text in words.grammar["spreadsheet errors"].split():
            return ("spreadsheet",)
        if patterns["no_text"].match(text) and not patterns["name"].fullmatch(text.lower()):
            return "not_condition", text, hint_for(text, words)
        if text[0] in _QUOTES and text[-1] in _QUOTES and len(text) > 1:
            return "quotes", text, text[1:-1]
        if text == "DEFAULT":
            return ("default",)
        if words.means(text, "any"):
            return ("any",)
        if words.means(text, "else"):
            return ("else",)
        first = self.tokens[at]
        rest = self.raw(at + 1, end) if end > at + 1 else ""
        if rest and first.order and (value := patterns["first_word"].match(rest.lower())):
            return "comparison", text, first.order, rest[: value.end()]
        if rest and "not" in first.roles:
            return "negation", text, rest
        if rest and "or" in first.roles:
            return "several", text, rest
        if "*" in text:
            return ("pattern",)
        if "," in text:
            return "several", text, re.sub(r",\s*", ", ", text)
        if any("but" in t.roles for t in self.tokens[at + 1 : end - 1]):
            return ("listed",)
        return self.sequences.numbered(text)

    # --- ranges

    def both(self, one: Any, other: Any) -> Any:
        """Return the range between two comparisons, None if they are not its bounds."""
        if not isinstance(one, Compare) or not isinstance(other, Compare):
            return None
        low, high = (other, one) if one.order[0] == "<" else (one, other)
        if low.order[0] != ">" or high.order[0] != "<":
            return None
        opening, closing = "[" if low.order == ">=" else "(", "]" if high.order == "<=" else ")"
        return self.bounded(opening, low.value, high.value, closing)

    def bounded(self, opening: str, low: Any, high: Any, closing: str) -> Any:
        above, below = ">=" if opening == "[" else ">", "<=" if closing == "]" else "<"
        if isinstance(low, CellToken) and isinstance(high, CellToken):
            self.check_ends(low, high)
            low, high, until_midnight = self.ends(low, high)
            if until_midnight:
                return Compare(above, low)
        a, b = (self.literal(each) for each in (low, high))
        if a.kind == b.kind == "time" and a.text > b.text:  # over midnight
            return AnyOf((Compare(above, a), Compare(below, b)))
        if _is_after(a, b):
            digits = b.text.replace(".", "")
            is_thousands = may_be_thousands(b.text) and not _is_after(a, b._replace(text=digits))
            more = (digits,) if is_thousands else ()
            raise CellError("thousands" if more else "reversed", None, "", a.text, b.text, *more)
        return AllOf((Compare(above, a), Compare(below, b)))

    def ends(self, low: CellToken, high: CellToken) -> tuple[Any, Any, bool]:
        """Return the ends of a range, of which the first may leave out the unit of the other."""
        is_number = low.kind == "amount" and not low.unit and not low.scale
        last = high.raw.lower()
        if is_number and high.unit == "%":
            low = CellToken(
                low.start, low.end, low.raw, low.roles, kind="amount", groups=low.groups, unit="%"
            )
        by_clock = high.kind == "clock" and not last.endswith(("m", "m."))
        if is_number and by_clock and (match := re.fullmatch(r"(\d{1,2})(?:\.(\d\d))?", low.raw)):
            groups = match[1], match[2], None
            low = CellToken(low.start, low.end, low.raw, low.roles, kind="clock", groups=groups)
        is_day = re.match(r"24(?:[:.]00)?(?!\d)", last) is not None and (
            by_clock or last == "24:00"
        )
        return low, high, is_day

    def check_ends(self, low: CellToken, high: CellToken) -> None:
        """Raise a doubt about a range whose ends may not have the same unit."""
        a, b = low.raw.strip(), high.raw.strip()
        if high.scale and not low.scale:
            word = self.scale_of(high)
            raise CellError("scale", None, f"{a}-{b}", a, word, b)
        half = high.kind == "clock" and high.groups[2]
        if half and low.raw.isdecimal():
            raise CellError("half", None, f"{a} - {b}", a, b)
        money = self.language.grammar["money"]
        units = [money.get(token.unit, token.unit) for token in (low, high)]
        if "" in units or units[0] == units[1]:
            return
        raise CellError("units", None, f"{a} - {b}", *units, self.in_one_unit(a, b, units))

    def in_one_unit(self, low: str, high: str, units: list[str]) -> str:
        spans = self.language.grammar["spans"]
        (base, one), (other, many) = (spans.get(unit, (unit, 1)) for unit in units)
        numbers = [re.match(r"\d+(?=\D|$)(?![.,]\d)", text) for text in (low, high)]
        if base != other or not all(numbers):
            return "write both in one unit"
        first, last = (int(n.group()) for n in numbers if n)
        smaller, scale = units[0] if one <= many else units[1], min(one, many)
        return f"write {first * one // scale}-{last * many // scale} {smaller}"

    def scale_of(self, token: CellToken) -> str:
        digits = token.groups[3] or ""
        after = token.raw[token.raw.rindex(digits[-1]) + 1 :].strip()
        return re.split(r"[\s$€£¥]|eur|usd|gbp|chf", after, maxsplit=1, flags=re.I)[0]

    # --- values

    def literal(self, operand: Any) -> Literal:
        """Return the value of an operand, and keep how its number is written."""
        if isinstance(operand, Literal):
            return operand
        if isinstance(operand, _Bare):
            return Literal("text", operand.text, operand.at)
        if isinstance(operand, _Minus):
            found = self.literal(operand.token)
            return found._replace(text=f"-{found.text}")
        if operand.kind == "string":
            return Literal("text", _feel(operand.raw, operand.start), operand.start)
        if operand.kind == "curly":
            return Literal("text", operand.groups[0], operand.start)
        found = literal_of(operand, self.locale)
        if found.kind == "number":
            self.numbers.append(found.text)
        return found

    def resolved(self, tree: Any) -> tuple[Any, bool]:
        """Return a test with the values of its operands, and whether they are written formally."""
        if isinstance(tree, Not):
            test, formal = self.resolved(tree.test)
            return Not(test), formal
        if isinstance(tree, AllOf | AnyOf):
            parts = [self.resolved(part) for part in tree.tests]
            tests = tuple(test for test, _ in parts)
            if isinstance(tree, AllOf) and len(tests) == 2:
                _check_kinds(tests)
            return type(tree)(tests), all(formal for _, formal in parts)
        order, operand = tree
        if isinstance(operand, _Value):
            if isinstance(operand.value, Prefix) and order not in ("=", "!="):
                raise FormatError(f"{operand.value} stands for many texts, which have no order")
            return Compare(order, operand.value), True
        literal = self.literal(operand)
        formal = not isinstance(operand, CellToken) or _is_formal(operand, literal)
        if literal.kind == "null" and order in _FLIPPED:
            raise CellError("order", None, "", order)
        return Compare(order, literal.value()), formal


class _Minus(NamedTuple):
    token: CellToken


class _Value(NamedTuple):
    """A value in the notation of FEEL, and its text."""

    value: Any
    source: str


_QUOTES: Final = "'‘’‚“”„«»"


def _is_formal(token: CellToken, literal: Literal) -> bool:
    return token.formal and (token.kind != "amount" or token.raw.lower() == literal.text)


def _are_formal(children: Sequence[Any]) -> bool:
    formal = True
    for child in children:
        if isinstance(child, list):
            formal = formal and _are_formal(child)
        elif child is not None and "V" not in getattr(child, "roles", ()):
            formal = formal and child.formal
    return formal


def _operand(child: Any) -> Any:
    return child.tree if isinstance(child, CellNode) else child


def _flat(tree: Any) -> Iterator[Any]:
    yield from tree.tests if isinstance(tree, AnyOf) else (tree,)


def _is_after(a: Literal, b: Literal) -> bool:
    """Return whether a value is greater than another one, never if one has a time zone."""
    low, high = a.value(), b.value()
    if a.kind != b.kind:
        return a.kind > b.kind
    if a.kind in ("number", "duration"):
        return kind_of(low) == kind_of(high) and bool(low > high)
    return a.text > b.text and not any(_ZONE.search(each.text) for each in (a, b))


_ZONE: Final = re.compile(r"T.*(?:Z|[+-]\d\d:\d\d)$")


def _check_kinds(tests: Sequence[Any]) -> None:
    """Raise an error for a range between two kinds of values."""
    if not all(isinstance(test, Compare) for test in tests):
        return
    (low, a), (high, b) = tests
    if low[0] != ">" or high[0] != "<":
        return
    if kind_of(a) != kind_of(b) or a is None:
        raise CellError("kinds", None, "", _shown(a), _shown(b))
    if isinstance(a, bool):
        raise CellError("booleans", None)


def _shown(value: Any) -> str:
    return str(value.isoformat()) if hasattr(value, "isoformat") else repr(value)


def _feel(text: str, at: int) -> Any:
    try:
        return parse_value(text)
    except FormatError as error:
        raise FormatError(error.message, column=at + 1) from None


def is_prefix(text: str) -> bool:
    """Return whether a cell is a prefix, such as ``I2*`` or ``C50.-``."""
    return PREFIX.fullmatch(text.strip()) is not None


def _prefix(text: str, at: int) -> Prefix:
    match = PREFIX.match(text)
    assert match is not None
    start = match["subdivided"] or match["start"]
    start = _feel(start, at) if start[0] == '"' else start
    parts = _EXCEPTION.findall(match["except"] or "")
    try:
        return Prefix(start, tuple(_exception(part.strip(), at) for part in parts))
    except FormatError as error:
        raise FormatError(error.message, column=at + 1) from None


def _exception(text: str, at: int) -> str | Prefix:
    if text[-1] == "*":
        return _prefix(text, at)
    return str(_feel(text, at)) if text[0] == '"' else text


_EXCEPTION: Final = re.compile(r"""\s*((?:"(?:[^"\\]|\\.)*"|[^,"])+)""")


def _texts(words: Sequence[str] | None, first: CellToken) -> Any:
    if words is None:
        return None
    return AnyOf(tuple(Compare("=", _Bare(word, first.start)) for word in words))


def hint_for(text: str, words: Language) -> str:
    """Return how to write what a text that is no condition may mean, "" if that is unknown."""
    for pattern, hint in words.hints:
        if match := pattern.fullmatch(text):
            return filled(hint, *match.groups())
    return ""


def _month_days(token: CellToken) -> tuple[str, str]:
    """Return the first day of a month, and the one after its last."""
    name, year, iso_year, number = token.groups
    month = int(name or number or 1)
    years = int(year or iso_year or 1)
    after = (years, month + 1) if month < 12 else (years + 1, 1)
    return f"{years:04}-{month:02}-01", f"{after[0]:04}-{after[1]:02}-01"


def _compared_month(parts: Children) -> tuple[str, ...] | None:
    sign, month = parts
    first, after = _month_days(month)
    bound = {"<": f"< {first}", "<=": f"< {after}", ">": f">= {after}", ">=": f">= {first}"}
    return (bound[sign.order],) if sign.order in bound else None


def _without_year(parts: Children) -> tuple[str, ...] | None:
    matches = [re.fullmatch(r"(\d{1,2})\.(\d{1,2})\.?", part.raw) for part in parts]
    dates = tuple(f"2026-{int(m[2]):02}-{int(m[1]):02}" for m in matches if m)
    return dates if len(dates) == len(parts) else None


_DATES: Final[dict[str, Callable[[Children], tuple[str, ...] | None]]] = {
    "compared_month": _compared_month,
    "months": lambda parts: (_month_days(parts[0])[0], _month_days(parts[1])[1]),
    "month": lambda parts: _month_days(parts[0]),
    "days": _without_year,
}

_TEXTS: Final[dict[str, Callable[[_Reader, int], tuple[Any, int] | None]]] = {
    "text": _Reader.bare,
    "known": _Reader.known_text,
    "constant": _Reader.constant,
    "other_column": _Reader.other_column,
}
