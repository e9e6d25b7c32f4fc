"""Parsing of the notation of rules: ``IF 2 <= f1 < 5 AND color in {yellow} THEN A``.

::

    rule       = IF conditions THEN outcome [ELSE (outcome | rule)]
    outcome    = (value | head) [WEIGHT number]
    head       = "{" value = (true | false) {"," value = (true | false)} "}"
    conditions = all {OR all}
    all        = condition {AND condition}
    condition  = test [or missing] | NOT condition | "(" conditions ")" [or missing] | anything
    test       = value order name [order value] | name order value
               | name [not] in "{" [member {"," member}] "}" | name is [not] missing
               | name [not] between value and value
    member     = value | prefix [except "{" (value | prefix) {"," (value | prefix)} "}"]
    order      = < | <= | > | >= | = | == | !=
    impossible = IMPOSSIBLE WHERE conditions
    value      = number | date | time | duration | word | "quoted text" | true | false
               | "{" values "}" | "(" values ")"

With OR, NOT or ELSE, a line makes several rules. Keywords are not case-sensitive. Names and words
need quotes if they are keywords or contain characters other than letters, digits and
``_ . % / + -``. A prefix is a word, digits or quoted text with ``*`` after it. ``#`` starts a
comment. ``condition``, ``Region`` and ``Rule`` write the notation.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from irenic.errors import FormatError
from irenic.model.characters import UNSEEN, cleaned, two_scripts
from irenic.model.features import MISSING, OTHER, is_unicode
from irenic.model.head import Head
from irenic.model.literals import (
    KEYWORDS,
    MAX_DEPTH,
    TEMPORAL,
    WORD,
    Prefix,
    display,
    is_duration,
    parse_duration,
    parse_temporal,
)

if TYPE_CHECKING:
    from irenic.model.condition import Operators

# Words may contain accents of their own, and characters that nobody sees.
_LETTER: Final = r"\w"
_MARKED: Final = rf"\w\u0300-\u036f{UNSEEN}"
_TOKEN: Final = re.compile(
    rf"(?P<space>(?:[^\S\n]|[{UNSEEN}])+)"
    r"|(?P<comment>#.*)"
    r"""|(?P<prefix>(?:\w[\w.%/+-]*|"(?:[^"\\]|\\.)*")\*)"""
    rf"|(?P<temporal>(?:{TEMPORAL.pattern})(?![\w:]))"
    r"|(?P<number>[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?!\w)|inf(?![\w.%/+-]*[\w%+])))"
    r"|(?P<negative>-P[\w.]+)"
    r"""|(?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
    rf"|(?P<word>{WORD.pattern.replace(_LETTER, _MARKED)})"
    r"|(?P<sign><=|>=|==|!=|[<>=(){},])"
)
_LINE_BREAK: Final = re.compile(r"\r\n|\r|\n")
_FLIPPED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}


class Token(NamedTuple):
    """A token: its kind, its text, and the column where it starts (counted from 1)."""

    kind: str
    text: str
    column: int


class ParsedCondition(NamedTuple):
    """A condition on one feature, not yet checked against a space."""

    name: str
    operators: Operators
    column: int | None = None


Alternatives: TypeAlias = "list[list[ParsedCondition]]"
"""Lists of conditions, of which one must hold; no condition holds always."""


class _Joined(NamedTuple):
    """Conditions joined by AND or OR, or the negation of one; AND of none always holds."""

    word: Literal["and", "or", "not"]
    parts: list[_Joined | ParsedCondition]


class ParsedRule(NamedTuple):
    """A rule, not yet checked against a space."""

    conditions: list[ParsedCondition]
    then: Any
    weight: float


class ParsedDefault(NamedTuple):
    """The default: the consequent of points that no rule covers."""

    then: Any


class ParsedImpossible(NamedTuple):
    """Combinations of values that cannot occur."""

    alternatives: Alternatives


PropertyKind: TypeAlias = Literal[
    "never", "always", "only if", "increases", "decreases", "same as", "nothing new", "independent"
]


class ParsedProperty(NamedTuple):
    """A statement about the decisions of rules, not yet checked against rules."""

    kind: PropertyKind
    outcome: ParsedCondition | None = None
    """A test of outcomes; its name is that of an output, ``""`` for a value without a name."""
    conditions: Alternatives | None = None
    """The cases that it is about; for "only if", the cases in which the outcome is allowed."""
    target: str = ""
    """The feature, or the file to compare with."""
    order: tuple[Any, ...] = ()
    """The outcomes from the lowest to the highest, if they are not numbers."""
    values: tuple[Any, ...] = ()
    """The values of the feature from the lowest to the highest, if it is a category."""


def tokenize(line: str) -> list[Token]:
    """Return the tokens of one line without comments, followed by an ``end`` token."""
    tokens = []
    at = 0
    while at < len(line):
        match = _TOKEN.match(line, at)
        if match is None:
            raise FormatError(_invalid_token(line, at), column=at + 1)
        kind = match.lastgroup or ""
        if kind == "comment":
            break
        if kind != "space":
            text = _word(match.group(), at) if kind == "word" else match.group()
            tokens.append(Token(kind, text, at + 1))
        at = match.end()
    tokens.append(Token("end", "", len(line) + 1))
    return tokens


def _word(text: str, at: int) -> str:
    """Return a word in the characters that it means."""
    if text.isascii():
        return text
    if WORD.fullmatch(word := cleaned(text)) is None:
        raise FormatError(f"put the name or text {word!r} in quotes", column=at + 1)
    if reason := two_scripts(word):
        raise FormatError(f"{reason}, or put it in quotes if it is meant", column=at + 1)
    return word


def lines_in(text: str) -> list[str]:
    """Return the lines of a text as editors count them: form feeds, for example, end no line.

    >>> lines_in("a" + chr(12) + "b" + chr(13) + "c")
    ['a\\x0cb', 'c']
    """
    return _LINE_BREAK.split(text)


def comment_of(line: str) -> str:
    """Return the comment at the end of a line, ``""`` if there is none.

    >>> comment_of('IF job = "a#b" THEN x  # why')
    '# why'
    """
    return line[_end_of_statement(line) :]


def without_comment(line: str) -> str:
    """Return a line without the comment at its end.

    >>> without_comment('NEVER "a#b"  # why')
    'NEVER "a#b"'
    """
    return line[: _end_of_statement(line)].strip()


def _end_of_statement(line: str) -> int:
    at = 0
    while at < len(line) and (match := _TOKEN.match(line, at)) is not None:
        if match.lastgroup == "comment":
            return at
        at = match.end()
    return len(line)


def _invalid_token(line: str, at: int) -> str:
    if line[at] in "\"'":
        return "quoted text without a closing quote"
    if line[at].isdigit():
        word = re.split(r"[\s,<>=(){}]", line[at:], maxsplit=1)[0]
        return f'{word!r} is neither a number nor a date; put text in quotes: "{word}"'
    return f"unexpected character {line[at]!r}; put names and text that contain it in quotes"


def parse_rule(line: str) -> ParsedRule:
    """Return the rule on a line of text."""
    parser = _Parser(tokenize(line))
    rules = parser.rules()
    parser.end()
    if len(rules) > 1:
        raise FormatError(
            f"a rule must be one region, got {len(rules)}, because of OR, NOT or ELSE; read such"
            ' rules with irenic.loads(text, format="rules")'
        )
    return rules[0]


class Written(NamedTuple):
    """Where the parts of a rule are in its line."""

    conditions: list[tuple[str, int, int]]
    """The feature of each condition, "" for ``anything``, and where it begins and ends."""
    then: tuple[int, int]
    """Where the consequent begins and ends."""


def written_rule(line: str) -> Written | None:
    """Return where the parts of a rule are, None if its conditions are not a plain list.

    >>> written_rule("IF age >= 18 AND age < 30 THEN full  # adults")
    Written(conditions=[('age', 3, 12), ('age', 17, 25)], then=(31, 35))
    >>> written_rule("IF age < 18 OR age > 65 THEN free") is None
    True
    """
    parser = _Parser(tokenize(line))

    def span(start: int) -> tuple[int, int]:
        last = parser.tokens[parser.at - 1]
        return parser.tokens[start].column - 1, last.column - 1 + len(last.text)

    conditions: list[tuple[str, int, int]] = []
    parser.keyword("if")
    while not conditions or parser.keyword("and"):
        start, tree = parser.at, parser.condition()
        alternatives = _alternatives(tree, 1)
        names = {part.name for one in alternatives for part in one}
        if len(alternatives) > 1 or len(names) > 1:
            return None
        conditions.append((names.pop() if names else "", *span(start)))
    if not parser.keyword("then"):
        return None
    start = parser.at
    parser.consequent()
    return None if _is_keyword(parser.token, "else") else Written(conditions, span(start))


def parse_conditions(line: str) -> list[ParsedCondition]:
    """Return the conditions on a line of text, as between IF and THEN."""
    parser = _Parser(tokenize(line))
    alternatives = _alternatives(parser.conditions(), 1)
    parser.end()
    if len(alternatives) > 1:
        raise FormatError(
            f"a region must be one box, got {len(alternatives)}, because of OR or NOT; parse them"
            " one by one"
        )
    return alternatives[0]


def parse_property(line: str) -> ParsedProperty | None:
    """Return the property on a line of text, or None if the line is blank.

    >>> parsed = parse_property("NEVER refuse WHERE age < 18")
    >>> parsed.kind, parsed.outcome.operators, parsed.conditions[0][0].name
    ('never', {'=': 'refuse'}, 'age')
    """
    parser = _Parser(tokenize(line))
    if parser.token.kind == "end":
        return None
    parsed = parser.property()
    parser.end()
    return parsed


def parse_line(line: str) -> list[ParsedRule] | ParsedDefault | ParsedImpossible | None:
    """Return what a line of a file says, or None if it is blank.

    >>> [rule.then for rule in parse_line("IF age < 18 OR age > 65 THEN free ELSE full")]
    ['free', 'free', 'full']
    >>> len(parse_line("IMPOSSIBLE WHERE age < 14 AND (employed = true OR retired = true)")[0])
    2
    """
    parser = _Parser(tokenize(line))
    if parser.token.kind == "end":
        return None
    parsed: list[ParsedRule] | ParsedDefault | ParsedImpossible
    if parser.keyword("default", "else"):
        parsed = ParsedDefault(parser.consequent())
    elif parser.keyword("impossible"):
        if not parser.keyword("where", "if"):
            raise parser.expected("WHERE after IMPOSSIBLE")
        column = parser.token.column
        parsed = ParsedImpossible(_alternatives(parser.conditions(), column))
    else:
        parsed = parser.rules()
    parser.end()
    return parsed


def parse_names(line: str) -> list[str]:
    """Return the feature names in a list such as ``f2, "days open"``."""
    parser = _Parser(tokenize(line))
    names = [parser.name()]
    while parser.sign(","):
        names.append(parser.name())
    parser.end()
    return names


def parse_point(line: str) -> dict[str, Any]:
    """Return the point that a list of values describes; missing values are None.

    >>> parse_point("f1 = 5.5, color = blue, f2 = missing")
    {'f1': 5.5, 'color': 'blue', 'f2': None}
    """
    parser = _Parser(tokenize(line))
    point: dict[str, Any] = {}
    while True:
        token = parser.token
        name = parser.name()
        if name in point:
            raise FormatError(f"{name!r} appears twice in the point", column=token.column)
        if not parser.sign("=", "=="):
            raise parser.expected(f"'=' after {name!r}")
        value = parser.value() if parser.token.kind == "prefix" else parser.member()
        point[name] = None if value is MISSING else value
        if not parser.sign(","):
            break
    parser.end()
    return point


def _is_keyword(token: Token, *words: str) -> bool:
    return token.kind == "word" and token.text.lower() in words


class _Parser:
    """Recursive descent over the tokens of one line."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.at = 0
        self.depth = 0

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    @property
    def following(self) -> Token:
        return self.tokens[min(self.at + 1, len(self.tokens) - 1)]

    def take(self) -> Token:
        token = self.token
        self.at = min(self.at + 1, len(self.tokens) - 1)
        return token

    def keyword(self, *words: str) -> bool:
        if _is_keyword(self.token, *words):
            self.take()
            return True
        return False

    def sign(self, *signs: str) -> str | None:
        if self.token.kind == "sign" and self.token.text in signs:
            return self.take().text
        return None

    def expected(self, what: str) -> FormatError:
        token = self.token
        found = "the end of the line" if token.kind == "end" else repr(token.text)
        return FormatError(f"expected {what}, found {found}", column=token.column)

    def end(self) -> None:
        if self.token.kind != "end":
            hint = "; put text of more than one word in quotes" if self.token.kind == "word" else ""
            if hint and self.at and self.tokens[self.at - 1].kind == "number":
                hint = " after a number; write numbers without a unit"
            raise FormatError(f"unexpected {self.token.text!r}{hint}", column=self.token.column)

    def nest(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH + 1:
            raise FormatError("brackets are nested too deeply", column=self.token.column)

    # --- grammar

    def rules(self) -> list[ParsedRule]:
        """Parse a rule, which is several if its regions are."""
        if not self.keyword("if"):
            raise self.expected("IF, DEFAULT, IMPOSSIBLE, or a comment that starts with #")
        column = self.token.column
        tree = self.conditions()
        if not self.keyword("then"):
            raise self.expected("AND or THEN")
        then, weight = self.outcome()
        alternatives = _alternatives(tree, column)
        rules = [ParsedRule(conditions, then, weight) for conditions in alternatives]
        if not self.keyword("else"):
            return rules
        others = _alternatives(_Joined("not", [tree]), self.token.column)
        if _is_keyword(self.token, "if"):
            self.nest()
            inner = self.rules()
            self.depth -= 1
        else:
            inner = [ParsedRule([], *self.outcome())]
        if len(others) * len(inner) > _MOST_ALTERNATIVES:
            raise FormatError(
                f"a line must make at most {_MOST_ALTERNATIVES:,} rules; split it",
                column=self.token.column,
            )
        return rules + [
            rule._replace(conditions=conditions + rule.conditions)
            for conditions in others
            for rule in inner
        ]

    def property(self) -> ParsedProperty:
        """Parse a property (see :class:`irenic.proving.Verdict`)."""
        if _is_keyword(self.token, "never", "always"):
            kind: Any = self.take().text.lower()
            outcome = self.outcome_test()
            return ParsedProperty(kind, outcome, self.where())
        if self.phrase("same", "as"):
            return ParsedProperty("same as", None, target=self.name(), conditions=self.where())
        if self.phrase("nothing", "new", "against"):
            return ParsedProperty("nothing new", None, target=self.name(), conditions=self.where())
        if self.phrase("no", "new"):
            outcome = self.outcome_test()
            if not self.keyword("against"):
                raise self.expected("AGAINST and a file")
            return ParsedProperty("nothing new", outcome, target=self.name())._replace(
                conditions=self.where()
            )
        outcome = self.outcome_test()
        if self.phrase("only", "if"):
            column = self.token.column
            return ParsedProperty("only if", outcome, _alternatives(self.conditions(), column))
        if self.phrase("does", "not", "depend", "on"):
            return ParsedProperty("independent", outcome, target=self.name())._replace(
                conditions=self.where()
            )
        if not _is_keyword(self.token, "increases", "decreases"):
            is_word = self.token.kind == "word" and not _is_keyword(
                self.token, "if", "where", "and"
            )
            if is_word and self.at == 1:
                words = f"{self.tokens[0].text} {self.token.text}"
                raise FormatError(
                    f"a property cannot begin with {words}; put names of more than one word in"
                    " quotes, or begin with NEVER, ALWAYS, SAME AS, NOTHING NEW AGAINST or NO NEW",
                    column=self.token.column,
                )
            raise self.expected(
                "ONLY IF, INCREASES WITH, DECREASES WITH or DOES NOT DEPEND ON (a property can"
                " also begin with NEVER, ALWAYS, SAME AS, NOTHING NEW AGAINST or NO NEW)"
            )
        kind = self.take().text.lower()
        if not self.keyword("with"):
            raise self.expected("WITH and a feature")
        feature = self.name()
        values, order = self.values_after("from"), self.values_after("order")
        return ParsedProperty(kind, outcome, self.where(), feature, order, values)

    def values_after(self, word: str) -> tuple[Any, ...]:
        """Take a keyword and the values after it, separated by commas; none without the word."""
        values: list[Any] = []
        while self.keyword(word) if not values else self.sign(","):
            values.append(self.value())
        return tuple(values)

    def phrase(self, *words: str) -> bool:
        """Take several keywords, or none of them if others follow."""
        tokens = self.tokens[self.at : self.at + len(words)]
        if len(tokens) == len(words) and all(map(_is_keyword, tokens, words)):
            self.at += len(words)
            return True
        return False

    def where(self) -> Alternatives | None:
        if not self.keyword("where"):
            return None
        column = self.token.column
        return _alternatives(self.conditions(), column)

    def outcome_test(self) -> ParsedCondition:
        """Parse values of the outcome, or a test of a named output: ``premium > 100``."""
        start = self.at
        column = self.token.column
        values: list[Any] = []
        while not values or self.keyword("or"):
            nothing = _is_keyword(self.token, "nothing")
            values.append(MISSING if nothing else self.consequent())
            if nothing:
                self.take()
        signs = self.token.kind == "sign" or _is_keyword(self.token, "in", "is")
        if signs or self.phrase("not", "in"):
            self.at = start
            return self.named_test(self.name(), self.tokens[start])
        return ParsedCondition("", {"in": values} if len(values) > 1 else {"=": values[0]}, column)

    def outcome(self) -> tuple[Any, float]:
        then = self.consequent()
        if not self.keyword("weight"):
            return then, 1.0
        token = self.token
        number = self.value()
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise FormatError(f"WEIGHT must be a number, got {token.text!r}", column=token.column)
        try:
            return then, float(number)
        except OverflowError:
            raise FormatError("WEIGHT is too large for float64", column=token.column) from None

    def conditions(self) -> _Joined | ParsedCondition:
        parts = [self.conjunction()]
        while self.keyword("or"):
            parts.append(self.conjunction())
        return parts[0] if len(parts) == 1 else _Joined("or", parts)

    def conjunction(self) -> _Joined | ParsedCondition:
        parts = [self.condition()]
        while self.keyword("and"):
            parts.append(self.condition())
        return parts[0] if len(parts) == 1 else _Joined("and", parts)

    def condition(self) -> _Joined | ParsedCondition:
        if self.keyword("anything"):
            return _Joined("and", [])
        if self.keyword("not"):
            self.nest()
            part = self.condition()
            self.depth -= 1
            return _Joined("not", [part])
        if self.sign("("):
            self.nest()
            part = self.conditions()
            if not self.sign(")"):
                raise self.expected("')'")
            self.depth -= 1
        else:
            part = self.test()
        return self.or_missing(part)

    def or_missing(self, part: _Joined | ParsedCondition) -> _Joined | ParsedCondition:
        """Parse ``or missing`` after a condition."""
        if not (_is_keyword(self.token, "or") and _is_keyword(self.following, "missing")):
            return part
        self.take()
        column = self.take().column
        if not isinstance(part, ParsedCondition):
            raise FormatError("'or missing' must follow a single condition", column=column)
        if part.operators == {"missing": False}:
            raise FormatError(
                "'is not missing or missing' is always true; remove it", column=part.column
            )
        return part._replace(operators={**part.operators, "missing": True})

    def test(self) -> _Joined | ParsedCondition:
        start = self.token
        if start.kind in ("number", "temporal", "negative") or (
            start.kind == "word" and is_duration(start.text)
        ):
            return self.chained(start)
        name = self.name()
        negated = _is_keyword(self.token, "not") and _is_keyword(self.following, "between")
        if negated:
            self.take()
        if self.keyword("between"):
            between = self.between(name, start)
            return _Joined("not", [between]) if negated else between
        return self.named_test(name, start)

    def between(self, name: str, start: Token) -> ParsedCondition:
        """Parse two inclusive bounds."""
        low = self.bound()
        if not self.keyword("and"):
            raise self.expected("AND and the upper bound")
        return ParsedCondition(name, {">=": low, "<=": self.bound()}, start.column)

    def named_test(self, name: str, start: Token) -> ParsedCondition:
        if self.keyword("is"):
            negated = self.keyword("not")
            if not self.keyword("missing"):
                raise self.expected("'missing'")
            return ParsedCondition(name, {"missing": not negated}, start.column)
        negated = self.keyword("not")
        if self.keyword("in"):
            members = self.members()
            return ParsedCondition(name, {"not in" if negated else "in": members}, start.column)
        if negated:
            raise self.expected("'in'")
        operator = self.sign("<", "<=", ">", ">=", "=", "==", "!=")
        if operator is None:
            raise self.expected(f"<, <=, >, >=, =, 'in' or 'is' after {name!r}")
        value = self.member() if operator in ("=", "==", "!=") else self.bound()
        if operator == "!=":
            return ParsedCondition(name, {"not in": [value]}, start.column)
        return ParsedCondition(name, {operator.replace("==", "="): value}, start.column)

    def chained(self, start: Token) -> ParsedCondition:
        """Parse a test that starts with a value: ``2 <= f1 < 5`` or ``5 > f1``."""
        first = self.bound()
        operator = self.sign("<", "<=", ">", ">=", "=", "==", "!=")
        if operator is None:
            raise self.expected(
                "a comparison (put feature names that start with a digit in quotes)"
            )
        if operator == "!=":
            return ParsedCondition(self.name(), {"not in": [first]}, start.column)
        left = _FLIPPED[operator.replace("==", "=")]
        name = self.name()
        operators: Operators = {left: first}
        second = self.sign("<", "<=", ">", ">=")
        if second is not None:
            column = self.token.column
            bound = self.bound()
            if second[0] == left[0] or left == "=":
                raise FormatError(
                    f"both comparisons bound {name!r} from the same side", column=column
                )
            operators[second] = bound
        return ParsedCondition(name, operators, start.column)

    def name(self) -> str:
        token = self.token
        if token.kind == "string":
            return _unquote(self.take())
        if token.kind == "word" and token.text.lower() not in KEYWORDS:
            return self.take().text
        if token.kind == "word":
            raise FormatError(
                f"expected a feature name, found the keyword {token.text!r};"
                f' put it in quotes if it is a name: "{token.text}"',
                column=token.column,
            )
        raise self.expected("a feature name")

    def bound(self) -> Any:
        column = self.token.column
        value = self.value()
        if isinstance(value, str | bool | frozenset | tuple):
            raise FormatError(
                f"a bound must be a number, a date or a time, got {value!r}", column=column
            )
        return value

    def members(self) -> list[Any]:
        if not self.sign("{"):
            raise self.expected("'{'")
        if self.sign("}"):
            return []
        members = [self.member()]
        while self.sign(","):
            members.append(self.member())
        if not self.sign("}"):
            raise self.expected("',' or '}'")
        return members

    def member(self) -> Any:
        if self.keyword("missing"):
            return MISSING
        if self.token.kind == "prefix":
            return self.prefix()
        return OTHER if self.keyword("other") else self.value()

    def prefix(self) -> Prefix:
        """Parse a prefix and its exceptions: ``I2* except {I21, I23*}``."""
        token = self.take()
        text = token.text[:-1]
        text = _unquote(token._replace(text=text)) if text[:1] == '"' else text
        without = self.members() if self.keyword("except") else []
        try:
            return Prefix(text, tuple(without))
        except FormatError as error:
            raise FormatError(error.message, column=token.column) from None

    def value(self) -> Any:
        token = self.token
        if token.kind == "number":
            return _number(self.take())
        if token.kind == "string":
            return _unquote(self.take())
        if token.kind in ("temporal", "negative"):
            self.take()
            return _placed(token, parse_temporal if token.kind == "temporal" else parse_duration)
        if token.kind == "word":
            return self.word(token)
        if self.sign("{"):
            return frozenset(self.values("}"))
        if self.sign("("):
            return tuple(self.values(")"))
        if token.kind == "prefix":
            raise FormatError(
                f"{token.text} stands for many texts; put it in quotes if it is one text:"
                f' "{token.text.replace(chr(34), "")}"',
                column=token.column,
            )
        raise self.expected("a value")

    def consequent(self) -> Any:
        """Parse a value, or the labels that a rule decides: ``{x = true, y = false}``."""
        start = self.at
        if self.sign("{") and not self.sign("}"):
            self.value()
            if self.sign("=", "=="):
                self.at = start
                return self.head()
        self.at = start
        return self.value()

    def head(self) -> Head:
        labels: dict[Any, bool] = {}
        while self.sign("," if labels else "{"):
            token = self.token
            label = self.value()
            if label in labels:
                raise FormatError(f"{display(label)} appears twice", column=token.column)
            if not self.sign("=", "=="):
                raise self.expected(f"'= true' or '= false' after {display(label)}")
            if not _is_keyword(self.token, "true", "false"):
                raise self.expected("true or false")
            labels[label] = self.take().text.lower() == "true"
        if not self.sign("}"):
            raise self.expected("',' or '}'")
        return Head(labels)

    def values(self, closing: str) -> list[Any]:
        self.nest()
        values: list[Any] = []
        if not self.sign(closing):
            values.append(self.value())
            while self.sign(","):
                values.append(self.value())
            if not self.sign(closing):
                raise self.expected(f"',' or {closing!r}")
        self.depth -= 1
        return values

    def word(self, token: Token) -> Any:
        lower = token.text.lower()
        if lower in ("true", "false"):
            self.take()
            return lower == "true"
        if lower == "nan":
            raise FormatError(
                "NaN is neither a value nor a bound; use 'missing'", column=token.column
            )
        if lower in KEYWORDS:
            raise FormatError(
                f"expected a value, found the keyword {token.text!r};"
                f' put it in quotes if it is text: "{token.text}"',
                column=token.column,
            )
        self.take()
        return _placed(token, parse_duration) if is_duration(token.text) else token.text


def _alternatives(
    tree: _Joined | ParsedCondition, column: int, *, negated: bool = False
) -> Alternatives:
    """Return the alternatives of which one holds where conditions, or their negation, hold.

    A comparison and its negation both do not hold for missing values.
    """
    if isinstance(tree, ParsedCondition):
        return [[part] for part in _opposites(tree)] if negated else [[tree]]
    if tree.word == "not":
        return _alternatives(tree.parts[0], column, negated=not negated)
    plain = [part for part in tree.parts if isinstance(part, ParsedCondition)]
    if tree.word == "and" and not negated and len(plain) == len(tree.parts):
        return [plain]
    parts = [_alternatives(part, column, negated=negated) for part in tree.parts]
    if (tree.word == "or") != negated:
        if not parts:
            raise FormatError("NOT or ELSE of anything never holds", column=column)
        return _distinct([one for part in parts for one in part], column)
    whole: Alternatives = [[]]
    for part in parts:
        whole = _distinct([a + b for a in whole for b in part], column)
    return whole


def _distinct(alternatives: Alternatives, column: int) -> Alternatives:
    """Return alternatives without those that others contain, and without repeated conditions."""
    if len(alternatives) > _MOST_ALTERNATIVES:
        raise FormatError(
            f"a line must make at most {_MOST_ALTERNATIVES:,} rules, one per combination of"
            " alternatives; split it",
            column=column,
        )
    if len(alternatives) == 1:
        return alternatives
    keyed = [{(c.name, repr(c.operators)): c for c in one} for one in alternatives]
    keyed = list({frozenset(one): one for one in keyed}.values())
    sets = [one.keys() for one in keyed]
    return [[*one.values()] for one in keyed if not any(other < one.keys() for other in sets)]


def _opposites(condition: ParsedCondition) -> list[ParsedCondition]:
    """Return the conditions of which one holds where another one on a feature does not."""
    operators = dict(condition.operators)
    missing = operators.pop("missing", None)
    if not operators:
        return [condition._replace(operators={"missing": not missing})]
    opposites: list[Operators] = []
    for operator, value in operators.items():
        if operator in ("in", "not in"):
            values = [*value, MISSING] if missing and MISSING not in value else value
            if operator == "not in" and missing:
                values = [v for v in value if v is not MISSING]
            opposites.append({"not in" if operator == "in" else "in": values})
        elif operator == "=" and isinstance(value, str | bool | frozenset | tuple):
            opposites.append({"not in": [value, MISSING] if missing else [value]})
        elif operator == "=":
            opposites += [{"<": value}, {">": value}]
        else:
            opposites.append({_OPPOSITES[operator]: value})
    return [condition._replace(operators=operators) for operators in opposites]


_OPPOSITES: Final = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_MOST_ALTERNATIVES: Final = 1_000


def _placed(token: Token, parse: Any) -> Any:
    try:
        return parse(token.text)
    except FormatError as error:
        raise error.at(column=token.column) from None


def _number(token: Token) -> int | float:
    try:
        if token.text.lstrip("+-").isdecimal():
            return int(token.text)
        number = float(token.text)
    except ValueError:
        raise FormatError("the number has too many digits", column=token.column) from None
    if math.isinf(number) and "inf" not in token.text:
        raise FormatError(f"{token.text} is too large for float64", column=token.column)
    return number


def _unquote(token: Token) -> str:
    body = token.text[1:-1]
    if token.text[0] == "'":
        body = body.replace("\\'", "'")
        body = re.sub(r'(?<!\\)((?:\\\\)*)"', r'\1\\"', body)
    try:
        text = json.loads(f'"{body}"', strict=False)
    except json.JSONDecodeError:
        raise FormatError(
            f"{token.text} contains an invalid escape; write \\\\ for a backslash",
            column=token.column,
        ) from None
    if not is_unicode(text):
        raise FormatError("a lone surrogate is not valid Unicode", column=token.column)
    return str(text)
