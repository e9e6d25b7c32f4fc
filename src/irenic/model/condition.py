"""A condition on one feature: as plain data, as packed numbers, and as text.

As plain data, a condition is a mapping of operators, as in JSON files: ``{">=": 18, "<": 30}`` or
``{"in": ["nurse"]}``, with ``"missing": true`` for a missing value and ``"other": true`` for
values that the feature does not declare. As packed numbers, it is a half-open interval
``lower <= f < upper`` or the bits of a set of values.

A bound can be written in two equivalent ways: ``f < c``, or ``f <= v`` where ``c`` is the value
after ``v``. The bits of ``written`` record which one was used, for the text form only. If an
algorithm computed the bound, the shorter text is shown.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence, Set
from functools import reduce
from operator import or_
from typing import Any, Final, NamedTuple, TypeAlias

from irenic.errors import ConditionError, did_you_mean
from irenic.model.features import (
    EXACT,
    FIRST_CODE,
    LOWEST,
    MISSING,
    MISSING_CODE,
    OTHER,
    OTHER_CODE,
    WANTED,
    Categorical,
    Continuous,
    Feature,
)
from irenic.model.literals import Prefix, display, format_literal, format_word, is_missing, plain

Operators: TypeAlias = dict[str, Any]

ORDER: Final = ("<", "<=", ">", ">=")
_COMPARED: Final = (">=", "=", ">", "<", "<=")
KNOWN: Final = (*ORDER, "=", "in", "not in", "missing", "other")

# The bits of a missing value and of any other value.
_OPEN: Final = 1 << MISSING_CODE | 1 << OTHER_CODE

LOWER_AFTER: Final = 1
UPPER_AFTER: Final = 2
# The bound was computed, not written: show the shorter text. Both bits are features.UNWRITTEN.
LOWER_FREE: Final = 4
UPPER_FREE: Final = 8
LOWER_BITS: Final = LOWER_AFTER | LOWER_FREE
UPPER_BITS: Final = UPPER_AFTER | UPPER_FREE


class Interval(NamedTuple):
    """A condition on a continuous feature: ``lower <= f < upper``, and how it was written."""

    lower: float
    upper: float
    written: int = 0


ANY: Final = Interval(-math.inf, math.inf)


# --- from plain data


def as_operators(condition: Any, name: str) -> Operators:
    """Return a condition in any accepted form as a mapping of operators.

    >>> as_operators((2, 5), "f1"), as_operators({"yellow"}, "color"), as_operators(3, "n")
    ({'>=': 2, '<': 5}, {'in': ['yellow']}, {'=': 3})
    """
    if isinstance(condition, Mapping):
        for operator in condition:
            if operator not in KNOWN:
                hint = did_you_mean(operator, KNOWN)
                raise ConditionError(f"feature {name!r}: unknown operator {operator!r}{hint}")
        for flag in ("missing", "other"):
            if not isinstance(condition.get(flag, True), bool):
                raise ConditionError(
                    f"feature {name!r}: {flag!r} must be True or False, got {condition[flag]!r}"
                )
        return dict(condition)
    if isinstance(condition, tuple):
        if len(condition) != 2:
            raise ConditionError(
                f"feature {name!r}: an interval must be a pair (lower, upper), got {condition!r};"
                " use {…} for a set of values"
            )
        bounds = zip((">=", "<"), condition, strict=True)
        return {op: b for op, b in bounds if b is not None} or {"missing": False}
    if isinstance(condition, Set | list):
        return {"in": list(condition)}
    return {"=": condition}


def encode(feature: Feature, operators: Operators) -> Interval | int:
    """Return a condition on a feature as packed numbers; raise an error if it can never be true."""
    if isinstance(feature, Continuous):
        return encode_interval(feature, operators)
    return encode_bits(feature, operators)


def encode_interval(feature: Continuous, operators: Operators) -> Interval:
    """Return the interval of a condition on a continuous feature; raise an error if it is empty."""
    plain_operators = _without_sets(feature, operators)
    tests: dict[str, float] = {
        operator: feature.encode_bound(plain_operators[operator])
        for operator in _COMPARED
        if operator in plain_operators
    }
    missing = plain_operators.get("missing")
    return _interval(feature, tests, missing, lambda: plain_operators)


def _interval(
    feature: Continuous,
    tests: Mapping[str, float],
    missing: bool | None,
    operators: Callable[[], Operators],
) -> Interval:
    """Return the interval of encoded comparisons; ``operators`` are shown in errors."""
    name = feature.name
    lower, upper = _lower_bound(feature, tests, missing), _upper_bound(feature, tests)
    interval = Interval(lower[0], upper[0], lower[1] | upper[1])
    lowers = [tests[op] for op in (">", ">=", "=") if op in tests]
    uppers = [tests[op] for op in ("<", "<=", "=") if op in tests]
    if lowers and uppers and max(lowers) > min(uppers):
        raise ConditionError(
            f"feature {name!r}: the lower bound is above the upper bound in"
            f" {show_operators(name, operators())}"
        )
    if missing and not tests:
        interval = Interval(-math.inf, LOWEST)
    elif missing and interval.lower > LOWEST:
        raise ConditionError(
            f"feature {name!r}: {show_operators(name, operators())} is not one interval, because a"
            " missing value is below all others; write two rules"
        )
    elif missing:
        interval = interval._replace(lower=-math.inf)
    if interval.lower >= interval.upper:
        raise _unsatisfiable(name, operators())
    if not is_possible(feature, interval.lower, interval.upper):
        raise ConditionError(
            f"feature {name!r}: {interval_text(feature, interval)} can never be true, because"
            f" {name!r} {_domain_text(feature)}"
        )
    return settle(feature, interval)


def _unsatisfiable(name: str, operators: Operators) -> ConditionError:
    return ConditionError(f"feature {name!r}: no value satisfies {show_operators(name, operators)}")


def _without_sets(feature: Continuous, operators: Operators) -> Operators:
    """Return the operators with sets replaced: one value by ``=``, "missing" by the flag."""
    name = feature.name
    if "other" in operators:
        raise ConditionError(
            f"feature {name!r} is continuous: test it with <, <=, >, >= or =, not with a set"
        )
    rest = {op: v for op, v in operators.items() if op not in ("=", "in", "not in")}
    excluded = [v for v in _listed(feature, operators.get("not in", [])) if not _is_none(v)]
    if excluded:
        raise ConditionError(
            f"feature {name!r} is continuous: all values except {display(plain(excluded[0]))} form"
            " two intervals; write one rule for each"
        )
    if operators.get("not in"):
        rest["missing"] = False
    for operator in ("=", "in"):
        if operator not in operators:
            continue
        operand = operators[operator]
        listed = [operand] if operator == "=" else _listed(feature, operand)
        present = [v for v in listed if not _is_none(v)]
        if len(present) > 1:
            raise ConditionError(
                f"feature {name!r} is continuous: a set of {len(listed)} values is not an interval;"
                " write one rule per value"
            )
        if not listed or (present and rest.get("=", present[0]) != present[0]):
            raise _unsatisfiable(name, operators)
        if len(present) < len(listed):
            rest["missing"] = True
        if present:
            rest["="] = present[0]
    return rest


def _is_none(value: Any) -> bool:
    return value is MISSING or is_missing(value)


def _listed(feature: Feature, values: Any) -> Sequence[Any] | Set[Any]:
    if isinstance(values, str | bytes) or not isinstance(values, Sequence | Set):
        raise ConditionError(
            f"feature {feature.name!r}: values must be a list or set, got {values!r}"
        )
    return values


def _lower_bound(
    feature: Continuous, tests: Mapping[str, float], missing: bool | None
) -> tuple[float, int]:
    bounds = [(LOWEST if tests else -math.inf, 0)]
    if missing is False:
        bounds.append((LOWEST, 0))
    bounds += [(feature.snap(tests[op]), 0) for op in (">=", "=") if op in tests]
    if ">" in tests:
        cut, after = cut_after(feature, tests[">"])
        bounds.append((cut, LOWER_AFTER * after))
    tightest = max(bounds)
    explicit = any(cut == -math.inf for cut, _ in bounds[1:])  # f >= -inf includes missing values
    return (-math.inf, 0) if tightest == (LOWEST, 0) and explicit else tightest


def _upper_bound(feature: Continuous, tests: Mapping[str, float]) -> tuple[float, int]:
    bounds = [(math.inf, 0)]
    if "<" in tests:
        bounds.append((feature.snap(tests["<"]), 0))
    for operator in ("<=", "="):
        if operator in tests:
            cut, after = cut_after(feature, tests[operator])
            bounds.append((cut, UPPER_AFTER * after))
    return min(bounds)


def cut_after(feature: Continuous, value: float) -> tuple[float, bool]:
    """Return the cut above an encoded bound, and whether it is the one just after the bound."""
    if value == -math.inf:
        return LOWEST, False  # every value except a missing one is above
    snapped = feature.snap(value)
    if snapped != value or math.isinf(value):
        return snapped, False  # the bound lies between two values of the feature
    cut = feature.after(value)
    return cut, math.isfinite(cut)


def settle(feature: Continuous, interval: Interval) -> Interval:
    """Return the interval with an upper bound below all values moved down to "missing only".

    There is no value between "missing" and a declared lower bound. If an upper bound stayed there,
    the interval would seem to overlap another one that starts below it.
    """
    if LOWEST < interval.upper <= feature.lowest:
        return Interval(interval.lower, LOWEST, interval.written & LOWER_BITS)
    return interval


def is_possible(feature: Continuous, lower: float, upper: float) -> bool:
    """Return whether the interval contains a value of the feature."""
    if feature.missing and lower == -math.inf and upper > -math.inf:
        return True
    if lower > LOWEST and not feature.shows(lower):
        return False  # beyond the calendar
    if upper < math.inf and not feature.shows(feature.before(upper)):
        return False
    return max(lower, feature.lowest) < min(upper, feature.end)


def encode_bits(feature: Categorical, operators: Operators) -> int:
    """Return the bits of a condition on a categorical feature; raise an error if none is set."""
    name = feature.name
    if wrong := [op for op in operators if op in ORDER]:
        raise ConditionError(
            f"feature {name!r} is categorical and cannot be tested with {wrong[0]!r}; use in {{…}}"
        )
    bits = feature.everything
    listed = False
    for operator in ("in", "="):
        if operator in operators:
            listed = True
            operand = operators[operator]
            bits &= _listed_bits(feature, [operand] if operator == "=" else operand)
    if "not in" in operators:
        bits &= ~_listed_bits(feature, operators["not in"])
    for flag, code in (("missing", MISSING_CODE), ("other", OTHER_CODE)):
        if flag in operators:
            if operators[flag]:
                alone = not listed and "not in" not in operators
                bits = (0 if alone else bits) | (feature.everything & 1 << code)
                listed = True
            else:
                bits &= ~(1 << code)
    if not bits:
        raise _unsatisfiable(name, operators)
    return bits


def _listed_bits(feature: Categorical, values: Any) -> int:
    bits = 0
    for raw in _listed(feature, values):
        if _is_none(raw):
            bits |= 1 << MISSING_CODE
        elif raw is OTHER:
            bits |= 1 << OTHER_CODE
        else:
            bits |= _bits_of(feature, plain(raw))
    return bits


def _bits_of(feature: Categorical, value: Any) -> int:
    try:
        bits = feature.bits_of(value)
    except TypeError:
        raise ConditionError(f"feature {feature.name!r}: {value!r} is not hashable") from None
    if bits is None:
        hint = did_you_mean(value, feature.values)
        named = value if isinstance(value, Prefix) else repr(value)
        raise ConditionError(f"feature {feature.name!r}: unknown value {named}{hint}")
    return bits


def lower_as_upper(written: int) -> int:
    """Return the bits of the complementary upper bound: ``> 5`` becomes ``<= 5``."""
    return (UPPER_AFTER if written & LOWER_AFTER else 0) | (
        UPPER_FREE if written & LOWER_FREE else 0
    )


def upper_as_lower(written: int) -> int:
    """Return the bits of the complementary lower bound: ``<= 5`` becomes ``> 5``."""
    return (LOWER_AFTER if written & UPPER_AFTER else 0) | (
        LOWER_FREE if written & UPPER_FREE else 0
    )


# --- in another space


def recode(source: Feature, condition: Interval | int, feature: Feature) -> Interval | int:
    """Return a condition on one feature as a condition on another one, as encoding anew would."""
    if isinstance(condition, int):
        assert isinstance(source, Categorical)
        if not condition & _OPEN and isinstance(feature, Categorical):
            parts = [feature.bits_of(value) for value in terms_of(source, condition)]
            if None not in parts:
                return reduce(or_, filter(None, parts), 0)
        return encode(feature, bits_operators(source, condition))
    assert isinstance(source, Continuous)
    if not isinstance(feature, Continuous) or not _share_numbers(source, feature):
        return encode(feature, interval_operators(source, condition))
    tests, missing = _tests(source, condition)
    tests = {operator: value + 0.0 for operator, value in tests.items()}  # 0.0 for -0.0
    if feature.kind == "integer" and any(EXACT < abs(v) < math.inf for v in tests.values()):
        return encode(feature, interval_operators(source, condition))  # it is refused
    return _interval(feature, tests, missing, lambda: interval_operators(source, condition))


def _share_numbers(first: Continuous, second: Continuous) -> bool:
    """Return whether two features encode a bound as the same number."""
    plain_kinds = ("number", "integer")
    return first.kind == second.kind or (first.kind in plain_kinds and second.kind in plain_kinds)


# --- to plain data


def interval_operators(feature: Continuous, interval: Interval) -> Operators:
    """Return the operators of an interval, with bounds as written; {} for no condition."""
    tests, missing = _tests(feature, interval)
    operators: Operators = {
        operator: _plain_number(feature.decode_value(value)) for operator, value in tests.items()
    }
    return operators if missing is None else operators | {"missing": missing}


def _tests(feature: Continuous, interval: Interval) -> tuple[dict[str, float], bool | None]:
    """Return the encoded comparisons of an interval, and what it says of missing values."""
    lower, upper, written = interval
    if upper == LOWEST:
        return {}, True
    low, high = lower > LOWEST, upper < math.inf
    if not low and not high:
        return {}, False if lower == LOWEST else None
    if low and high and upper == feature.after(lower) and feature.shows(lower):
        return {"=": lower}, None
    tests: dict[str, float] = {}
    if low:
        after = _is_after(feature, lower, written & LOWER_AFTER, written & LOWER_FREE)
        tests[">" if after else ">="] = feature.before(lower) if after else lower
    if high:
        after = _is_after(feature, upper, written & UPPER_AFTER, written & UPPER_FREE)
        tests["<=" if after else "<"] = feature.before(upper) if after else upper
    return tests, True if lower == -math.inf and feature.missing else None


def _plain_number(value: Any) -> Any:
    """Return 5 for 5.0, which is shorter and reads back as the same bound."""
    if isinstance(value, int) and abs(value) > EXACT:
        return float(value)  # an integer would be rejected
    if isinstance(value, float) and value.is_integer() and abs(value) <= EXACT:
        return int(value)
    return value


def _is_after(feature: Continuous, cut: float, after: int, free: int) -> bool:
    if not feature.shows(cut):
        return True
    if not free:
        return bool(after)
    return not feature.step and len(repr(feature.before(cut))) < len(repr(cut))


def terms_of(feature: Categorical, bits: int) -> list[Hashable]:
    """Return the declared values whose bits are set, in time proportional to their number.

    A prefix stands for all that it contains, declared or not, apart from its exceptions.

    >>> icd = Categorical("icd", ["I21", Prefix("I2"), Prefix("I")], other=True)
    >>> [str(term) for bits in (0b11100, 0b01000) for term in terms_of(icd, bits)]
    ['I*', 'I2* except {I21}']
    """
    values = []
    rest = bits >> FIRST_CODE
    while rest:
        lowest = rest & -rest
        values.append(feature.values[lowest.bit_length() - 1])
        rest ^= lowest
    return _joined(feature, values, bits) if feature.prefixes else values


def codes_of(bits: int) -> list[int]:
    """Return the positions of the bits that are set."""
    return [code for code in range(bits.bit_length()) if bits >> code & 1]


def _joined(feature: Categorical, values: list[Hashable], bits: int) -> list[Hashable]:
    """Return values without those that a prefix among them contains, and with its exceptions."""

    def is_set(value: Hashable) -> bool:
        return bool(bits >> feature.codes[value] & 1)

    def around(value: Hashable) -> Hashable:
        code = feature.class_of(value)
        return None if code == OTHER_CODE else feature.decode_value(code)

    without: dict[Hashable, list[Any]] = {}
    for value in feature.values:
        container = None if is_set(value) else around(value)
        if container is not None and is_set(container):
            while (outer := around(container)) is not None and is_set(outer):
                container = outer
            without.setdefault(container, []).append(value)
    return [
        Prefix(value.text, tuple(without.get(value, ()))) if isinstance(value, Prefix) else value
        for value in values
        if (container := around(value)) is None or not is_set(container)
    ]


def bits_operators(feature: Categorical, bits: int) -> Operators:
    """Return the operators of a set of values; {} for no condition."""
    bits &= feature.everything
    if bits == feature.everything:
        return {}
    missing = bool(bits >> MISSING_CODE & 1)
    listed = terms_of(feature, bits)
    if bits >> OTHER_CODE & 1:
        rest = terms_of(feature, feature.everything & ~bits)
        if not rest:
            return {"missing": False}
        # {"other": true} would include more in a space that declares fewer values.
        operators: Operators = {"not in": rest}
        return operators if missing or not feature.missing else operators | {"missing": False}
    if not listed:
        return {"missing": True}
    return {"in": listed} | ({"missing": True} if missing else {})


# --- to text


def interval_text(feature: Continuous, interval: Interval) -> str:
    """Return the text of a condition, ``""`` for no condition.

    >>> interval_text(Continuous("f1"), Interval(2.0, 5.0))
    '2 <= f1 < 5'
    """
    operators = interval_operators(feature, interval)
    name = format_word(feature.name)
    if not operators:
        return ""
    if set(operators) == {"missing"}:
        return f"{name} is missing" if operators["missing"] else f"{name} is not missing"
    show = format_literal
    if "=" in operators:
        return f"{name} = {show(operators['='])}"
    low = next((op for op in (">", ">=") if op in operators), None)
    high = next((op for op in ("<", "<=") if op in operators), None)
    if low and high:
        left = "<" if low == ">" else "<="
        text = f"{show(operators[low])} {left} {name} {high} {show(operators[high])}"
    elif low:
        text = f"{name} {low} {show(operators[low])}"
    else:
        text = f"{name} {high} {show(operators[high or '<'])}"
    return f"({text} or missing)" if operators.get("missing") else text


def bits_text(feature: Categorical, bits: int) -> str:
    """Return the text of a condition, ``""`` for no condition."""
    operators = bits_operators(feature, bits)
    name = format_word(feature.name)
    if not operators:
        return ""
    if set(operators) == {"missing"}:
        return f"{name} is missing" if operators["missing"] else f"{name} is not missing"
    if "not in" in operators:
        rest = [*map(display, operators["not in"])]
        rest += ["missing"] if operators.get("missing") is False else []
        return f"{name} not in {{{', '.join(rest)}}}"
    listed = [*map(display, operators.get("in", []))]
    listed += ["other"] if operators.get("other") else []
    listed += ["missing"] if operators.get("missing") else []
    return f"{name} in {{{', '.join(listed)}}}"


def show_operators(name: str, operators: Operators) -> str:
    """Return operators as text, for messages about invalid conditions."""
    parts = []
    for operator, value in operators.items():
        if operator in ("missing", "other"):
            parts.append(f"{operator}={value}")
        elif operator in ("in", "not in") and isinstance(value, Sequence | Set):
            parts.append(f"{name} {operator} {{{', '.join(map(display, value))}}}")
        else:
            parts.append(f"{name} {operator} {display(plain(value))}")
    return " and ".join(parts) or "the condition"


def _domain_text(feature: Continuous) -> str:
    low, high = feature.bounds
    parts = []
    if low is not None:
        parts.append(f"is at least {display(_plain_number(low))}")
    if high is not None:
        parts.append(f"is at most {display(_plain_number(high))}")
    if not feature.missing:
        parts.append("is never missing")
    if feature.kind not in ("number", "integer"):
        parts.append(f"is {WANTED[feature.kind]}")
    return " and ".join(parts) or "has no such value"


# --- features from conditions


def infer_features(conditions: Sequence[tuple[str, Operators]]) -> list[Feature]:
    """Return the features that conditions refer to, in order of appearance.

    A feature that is compared is continuous. One that is tested for membership is categorical, with
    the values in the conditions and other=True, which is not declared. If the only test is whether
    it is missing, it is categorical without values.
    """
    grouped: dict[str, list[Operators]] = {}
    for name, operators in conditions:
        grouped.setdefault(name, []).append(operators)
    return [_infer(name, tests) for name, tests in grouped.items()]


def _infer(name: str, tests: list[Operators]) -> Feature:
    missing = any(_mentions_missing(test) for test in tests)
    bounds = [plain(t[op]) for t in tests for op in ORDER if op in t]
    points = [plain(t["="]) for t in tests if "=" in t and not _is_none(t["="])]
    listed = [plain(v) for t in tests for op in ("in", "not in") for v in _as_list(t.get(op, []))]
    values = [v for v in (*points, *listed) if not (v is OTHER or _is_none(v))]
    values = [v for value in values for v in named_by(value)]
    if bounds or (points and not listed and all(_kind(p) for p in points)):
        numbers = [*bounds, *values]
        zone = any(getattr(v, "tzinfo", None) is not None for v in numbers)
        kind = _common_kind(name, numbers)
        return Continuous(name, kind=kind, missing=missing, unit="UTC" if zone else "")
    try:
        distinct: list[Hashable] = list(dict.fromkeys(values))
    except TypeError:
        raise ConditionError(f"feature {name!r}: a value is not hashable") from None
    if distinct and all(isinstance(v, bool) for v in distinct):
        return Categorical(name, [False, True], missing=missing)
    return Categorical(name, distinct, missing=missing, other=True, declared=False)


def named_by(value: Any) -> tuple[Any, ...]:
    """Return the values and prefixes that a value of a condition names."""
    return (Prefix(value.text), *value.without) if isinstance(value, Prefix) else (value,)


def _as_list(values: Any) -> list[Any]:
    return (
        list(values) if isinstance(values, Sequence | Set) and not isinstance(values, str) else []
    )


def _mentions_missing(test: Operators) -> bool:
    if "missing" in test or test.get(">=") == -math.inf:
        return True
    members = [
        *([test["="]] if "=" in test else []),
        *_as_list(test.get("in", [])),
        *_as_list(test.get("not in", [])),
    ]
    return any(map(_is_none, members))


_KINDS: Final[dict[str, Any]] = {
    "bool": None,
    "int": "number",
    "float": "number",
    "Decimal": "number",
    "Fraction": "number",
    "date": "date",
    "datetime": "datetime",
    "time": "time",
    "timedelta": "duration",
    "Months": "months",
}


def _kind(value: Any) -> Any:
    return _KINDS.get(type(value).__name__)


def _common_kind(name: str, values: list[Any]) -> Any:
    kinds = {_kind(v) for v in values if not (isinstance(v, float) and math.isinf(v))}
    if kinds == {"date", "datetime"}:
        return "datetime"
    if None in kinds:
        wrong = next(v for v in values if _kind(v) is None)
        raise ConditionError(
            f"feature {name!r} is compared with bounds, but {wrong!r} is not a number, date or time"
        )
    if len(kinds) > 1:
        raise ConditionError(
            f"feature {name!r} is compared with values of different kinds: {sorted(kinds)}"
        )
    return kinds.pop() if kinds else "number"
