"""Questions in SMT-LIB 2, for solvers such as z3 and cvc5: ``unsat`` means that the claim holds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, Final

import numpy as np

from irenic.arrays import LOWEST, Bools
from irenic.boxes import Boxes
from irenic.budget import Budget, Meter
from irenic.errors import ConditionError
from irenic.model.features import Continuous, Feature
from irenic.model.literals import display
from irenic.proving.asking import PreparedRules, Read
from irenic.proving.question import (
    NOTHING,
    Question,
    Rules,
    Side,
    combinations_of,
    plain_boxes,
)


def to_smtlib(rules: Rules, claim: str, *, read: Read | None = None) -> str:
    """Return the question whether a claim about rules fails, in SMT-LIB 2.

    A solver answers ``unsat`` if the claim holds for all cases, else ``sat`` with a case for which
    it fails. Numbers are exact rationals. Values of a feature are reals even if they are whole
    numbers or dates, which changes no answer, because no bound lies between two of these.

    Parameters
    ----------
    rules : RuleSet, RuleList, DecisionTable or fitted classifier
        The rules.
    claim : str
        ``CONSISTENT``, ``COMPLETE`` or a property; see :class:`Verdict`.
    read : callable, optional
        Returns the rules that a property compares with, given their name (default: read the file).

    Returns
    -------
    str

    Raises
    ------
    ConditionError
        If all rules that hold count, as under COLLECT, in too many combinations.

    Examples
    --------
    >>> from irenic import Rule, RuleSet
    >>> from irenic.proving import to_smtlib
    >>> rules = RuleSet([Rule({"age": (None, 18)}, then="free")], default="full")
    >>> print(to_smtlib(rules, "NEVER free WHERE age >= 18"))
    ; NEVER free WHERE age >= 18
    ; unsat means that this holds
    (set-logic ALL)
    ; outcome 0: nothing
    ; outcome 1: full
    ; outcome 2: free
    (declare-const x0 Real) ; age
    (define-fun root0 () Bool (>= x0 18.0))
    (assert (or root0))
    (declare-const outcome0 Int)
    (define-fun rule0.0 () Bool (< x0 18.0))
    (assert (=> rule0.0 (= outcome0 2)))
    (assert (=> (not (or rule0.0)) (= outcome0 1)))
    (assert (or (= outcome0 2)))
    (check-sat)
    <BLANKLINE>
    """
    question = PreparedRules(rules, read).question(claim)
    return "\n".join([f"; {' '.join(claim.split())}", *_lines(question), ""])


def _lines(question: Question) -> Iterator[str]:
    together = [_combined(question, side) for side in question.sides]
    yield "; unsat means that this holds"
    yield "(set-logic ALL)"
    for code, value in enumerate(question.outcomes.values):
        text = "nothing" if value is None else " ".join(display(value).split())
        yield f"; outcome {code}: {text}"
    yield from _features(question)
    yield from _named(question, "root", question.roots)
    yield f"(assert {_or(f'root{i}' for i in range(len(question.roots)))})"
    yield from _named(question, "excused", question.excused)
    for i in range(len(question.excused)):
        yield f"(assert (not excused{i}))"
    if question.is_below:
        assert question.pair is not None
        yield "(assert (< x{} x{}))".format(*question.pair)
    if question.claim.kind == "consistent":
        yield from _contradiction(question)
    else:
        for k, (side, combined) in enumerate(zip(question.sides, together, strict=True)):
            yield from _side(question, k, side, combined)
        yield f"(assert {_violation(question)})"
    yield "(check-sat)"


def _features(question: Question) -> Iterator[str]:
    space = question.space
    features: list[Feature] = [*space.continuous, *space.categorical]
    for i, feature in enumerate(features):
        name = " ".join(feature.name.split())
        if isinstance(feature, Continuous):
            yield f"(declare-const x{i} Real) ; {name}"
            if feature.missing:
                yield f"(declare-const missing{i} Bool) ; {name} is missing"
            bounds = [
                *([f"(>= x{i} {_real(feature.lowest)})"] if feature.lowest > LOWEST else []),
                *([f"(< x{i} {_real(feature.end)})"] if feature.end < math.inf else []),
            ]
            yield from (f"(assert {bound})" for bound in bounds)
        else:
            yield f"(declare-const x{i} Int) ; {name}: 0 missing, 1 other, then the values"
            yield f"(assert {_among(i, feature.everything)})"


def _named(question: Question, name: str, boxes: Boxes) -> Iterator[str]:
    for row, box in enumerate(plain_boxes(boxes)):
        yield f"(define-fun {name}{row} () Bool {_inside(question, box)})"


def _inside(question: Question, box: Any) -> str:
    space, d = question.space, len(question.space.continuous)
    lower, upper, masks = box
    tests: list[str] = []
    for i, (low, high) in enumerate(zip(lower, upper, strict=True)):
        may_miss = space.continuous[i].missing
        if low == -math.inf and high == math.inf:
            continue
        if low == -math.inf:
            below = f"(< x{i} {_real(high)})" if high > LOWEST else "false"
            tests.append(f"(or missing{i} {below})" if may_miss else below)
            continue
        tests += [f"(not missing{i})"] if may_miss else []
        tests += [f"(>= x{i} {_real(low)})"] if low > LOWEST else []
        tests += [f"(< x{i} {_real(high)})"] if high < math.inf else []
    for j, bits in enumerate(masks):
        if bits != space.categorical[j].everything:
            tests.append(_among(d + j, bits))
    return tests[0] if len(tests) == 1 else f"(and {' '.join(tests)})" if tests else "true"


def _among(i: int, bits: int) -> str:
    return _or(f"(= x{i} {code})" for code in range(bits.bit_length()) if bits >> code & 1)


def _combined(question: Question, side: Side) -> dict[tuple[int, ...], int]:
    """Return the outcomes of rules that decide together, by the places of those that hold."""
    if side.together is None:
        return {}
    meter = Meter(Budget(nodes=_MOST_PIECES))
    combined: dict[tuple[int, ...], int] = {}
    for root in question.roots:
        for places in combinations_of(side, root, meter):
            combined[places] = side.together(places)
    if meter.ran_out is not None:
        raise ConditionError(
            "SMT-LIB needs the outcome of every combination of rules that hold together, and there"
            f" are too many (more than {_MOST_PIECES:,} regions); restrict the property with WHERE"
        )
    return combined


_MOST_PIECES: Final = 50_000


def _side(
    question: Question, k: int, side: Side, combined: Mapping[tuple[int, ...], int]
) -> Iterator[str]:
    yield f"(declare-const outcome{k} Int)"
    yield from _named(question, f"rule{k}.", side.boxes)
    names = [f"rule{k}.{i}" for i in range(len(side.boxes))]
    if side.decides == "all":
        # another combination of rules would leave the outcome open, so that the claim fails
        for places, code in combined.items():
            held = [n if i in places else f"(not {n})" for i, n in enumerate(names)]
            holds = f"(and {' '.join(held)})" if held else "true"
            yield f"(assert (=> {holds} (= outcome{k} {code})))"
        return
    if side.decides == "any":
        for name, code in zip(names, side.codes.tolist(), strict=True):
            yield f"(assert (=> {name} (= outcome{k} {code})))"
        yield f"(assert (=> (not {_or(names)}) (= outcome{k} {side.default})))"
        return
    left = "true"
    for i, (name, code) in enumerate(zip(names, side.codes.tolist(), strict=True)):
        yield f"(assert (=> (and {left} {name}) (= outcome{k} {code})))"
        yield f"(declare-const left{k}.{i} Bool)"
        yield f"(assert (= left{k}.{i} (and {left} (not {name}))))"
        left = f"left{k}.{i}"
    yield f"(assert (=> {left} (= outcome{k} {side.default})))"


def _violation(question: Question) -> str:
    kind = question.claim.kind
    if kind in ("rising", "falling"):
        ranks = question.ranks()
        pairs = [
            f"(and (= outcome0 {a}) {_is(1, ranks < ranks[a])})"
            for a in range(1, len(ranks))
            if (ranks < ranks[a]).any()
        ]
        return _or(pairs)
    allowed = question.allowed()
    if kind == "only":
        return _is(0, ~allowed)
    if kind == "implies":
        return f"(and {_is(0, allowed)} {_is(1, ~allowed)})"
    return f"(and {_is(0, ~allowed)} (not (= outcome0 outcome1)))"


def _contradiction(question: Question) -> Iterator[str]:
    side = question.sides[0]
    yield from _named(question, "rule0.", side.boxes)
    for k in (0, 1):
        yield f"(declare-const outcome{k} Int)"
        rules = enumerate(side.codes.tolist())
        yield f"(assert {_or(f'(and rule0.{i} (= outcome{k} {code}))' for i, code in rules)})"
    differ = question.contradictions()
    rows = [f"(and (= outcome0 {a}) {_is(1, differ[a])})" for a in range(len(differ))]
    yield f"(assert {_or(row for a, row in enumerate(rows) if a != NOTHING and differ[a].any())})"


def _is(k: int, codes: Bools) -> str:
    return _or(f"(= outcome{k} {code})" for code in np.flatnonzero(codes).tolist())


def _or(parts: Iterable[str]) -> str:
    listed = list(parts)
    return f"(or {' '.join(listed)})" if listed else "false"


def _real(number: float) -> str:
    """Return a float as an exact real.

    >>> _real(-2.5), _real(18.0)
    ('(- (/ 5.0 2.0))', '18.0')
    """
    fraction = Fraction(abs(number))
    text = f"{fraction.numerator}.0"
    if fraction.denominator != 1:
        text = f"(/ {text} {fraction.denominator}.0)"
    return f"(- {text})" if number < 0 else text
