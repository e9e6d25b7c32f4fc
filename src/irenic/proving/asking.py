"""The questions that properties ask, and whether rules are consistent, complete or the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from irenic.boxes import Boxes
from irenic.errors import ConditionError, FormatError, did_you_mean
from irenic.model.decision_table import DecisionTable
from irenic.model.features import MISSING, Categorical, Continuous
from irenic.model.literals import display
from irenic.model.notation import ParsedCondition, ParsedProperty, parse_property
from irenic.model.properties import OUTCOME, boxes_of, check_outcome, matches
from irenic.model.region import Region, whole_or
from irenic.model.ruleset import possible_parts
from irenic.model.space import Space
from irenic.model.spaces import check_outcomes, common_space, opened
from irenic.proving.question import (
    NOTHING,
    Claim,
    Outcomes,
    Question,
    Rules,
    Side,
    as_table,
    side_of,
)

Read: TypeAlias = Callable[[str], Rules]
"""Returns the rules of a file that a property names."""


class PreparedRules:
    """Rules that questions are asked of: they are prepared, and files are read, only once."""

    def __init__(self, rules: Rules, read: Read | None = None) -> None:
        self._table, self._read = as_table(rules), read or _read
        self._references: dict[str, DecisionTable] = {}
        self._sides: dict[Any, tuple[Outcomes, tuple[Side, ...]]] = {}

    def question(self, claim: str | ParsedProperty) -> Question:
        """Return the question that a claim asks."""
        if isinstance(claim, str) and claim in CLAIMS:
            return CLAIMS[claim](self._table)
        parsed = _as_property(claim)
        table, reference = self._table, self._reference(parsed)
        space = table.space if reference is None else _space_of_both(table, reference)
        space = opened(space, parsed.conditions)
        if parsed.values:
            space = opened(space, [[ParsedCondition(parsed.target, {"in": list(parsed.values)})]])
        outcomes, sides = self._decide(parsed, space, reference)
        impossible = space.impossible_boxes
        regions = boxes_of(parsed.conditions, space)
        is_only_if = parsed.kind == "only if"
        roots = Boxes.whole(space) if is_only_if else regions
        excused = impossible.concat(regions) if is_only_if else impossible
        question = Question(space, roots, excused, sides, _claim(parsed), outcomes)
        if parsed.kind in ("increases", "decreases", "independent"):
            return _paired(question, parsed)
        return replace(question, note=_note(parsed, question, table.ranking))

    def _reference(self, parsed: ParsedProperty) -> DecisionTable | None:
        if parsed.kind not in ("same as", "nothing new"):
            return None
        if parsed.target not in self._references:
            self._references[parsed.target] = as_table(self._read(parsed.target))
        return self._references[parsed.target]

    def _decide(
        self, parsed: ParsedProperty, space: Space, reference: DecisionTable | None
    ) -> tuple[Outcomes, tuple[Side, ...]]:
        """Return the rules, and those to compare with, as sides."""
        column = _column(parsed, self._table)
        # rules that decide together add outcomes later, each of which must then have a rank
        is_ranked = parsed.kind in ("increases", "decreases")
        key = space, column, id(reference), is_ranked
        if key not in self._sides:
            outcomes = Outcomes(column)
            sides = [side_of(self._table, space, outcomes)]
            if reference is not None:
                sides.append(side_of(reference, space, outcomes, "reference "))
            if is_ranked and any(side.together for side in sides):
                return outcomes, tuple(sides)
            self._sides[key] = outcomes, tuple(sides)
        return self._sides[key]


def _read(name: str) -> DecisionTable:
    """Return the rules of a file that a property compares with."""
    from irenic.formats import parse

    parsed = parse(Path(name))
    return as_table(parsed.model()) if parsed.is_model else parsed.bind().table()


def _as_property(line: str | ParsedProperty) -> ParsedProperty:
    parsed = parse_property(line) if isinstance(line, str) else line
    if parsed is None:
        raise FormatError("expected a property, such as NEVER refuse WHERE age < 18, got none")
    return parsed


def _space_of_both(table: DecisionTable, reference: DecisionTable) -> Space:
    check_outcomes(table, reference)
    return common_space(table.rules, reference.rules)


def ask_same(
    table: DecisionTable, reference: DecisionTable, within: Region | None = None
) -> Question:
    """Return the question whether two tables decide the same; neither is checked."""
    space = _space_of_both(table, reference)
    outcomes = Outcomes()
    sides = tuple(side_of(each, space, outcomes, checked=False) for each in (table, reference))
    region = whole_or(within, space)
    roots = Boxes.none(space) if region.is_empty else region.box.simplified()
    return Question(space, roots, space.impossible_boxes, sides, Claim("same"), outcomes)


def ask_same_cases(boxes: Boxes, others: Boxes) -> Question:
    """Return the question whether two unions of boxes contain the same cases."""
    space, outcomes = boxes.space, Outcomes()
    sides = tuple(_covering(each, outcomes, range(len(each))) for each in (boxes, others))
    whole, none = Boxes.whole(space), Boxes.none(space)
    return Question(space, whole, none, sides, Claim("same"), outcomes)


def _covering(boxes: Boxes, outcomes: Outcomes, rows: Iterable[int]) -> Side:
    codes = np.full(len(boxes), outcomes.code("covered"), dtype=np.int32)
    return Side(boxes, codes, NOTHING, "any", tuple(rows))


def ask_consistent(table: DecisionTable) -> Question:
    """Return the question whether no two rules of a table contradict each other."""
    outcomes = Outcomes()
    rules = table.rules
    codes = [outcomes.code(then) for then in rules.consequents]
    # rules may overlap where no case can occur
    boxes, owners = possible_parts(rules, None)
    by_box = np.array(codes, dtype=np.int32)[rules.then_codes[owners]]
    rows = tuple(table.rows[owner] for owner in owners.tolist())
    side = Side(boxes.simplified(), by_box, NOTHING, "any", rows)
    whole, none = Boxes.whole(rules.space), Boxes.none(rules.space)
    return Question(rules.space, whole, none, (side,), Claim("consistent"), outcomes)


def ask_complete(table: DecisionTable) -> Question:
    """Return the question whether some rule of a table covers each case."""
    outcomes = Outcomes()
    side = _covering(table.rules.boxes, outcomes, table.rows)
    claim = Claim("only", lambda outcome: outcome is not None)
    space = table.space
    return Question(space, Boxes.whole(space), space.impossible_boxes, (side,), claim, outcomes)


CLAIMS: Final = {"CONSISTENT": ask_consistent, "COMPLETE": ask_complete}
"""What :func:`certify` certifies besides properties."""


def _paired(question: Question, parsed: ParsedProperty) -> Question:
    """Return the question about pairs of cases that differ in one feature."""
    space, name = question.space, parsed.target
    feature = space[space.names[space.index(name)]]
    monotone = parsed.kind != "independent"
    if monotone and isinstance(feature, Categorical):
        _check_order(feature, parsed.values)
    elif parsed.values:
        raise ConditionError(f"{name!r} has numbers, which have an order; leave out FROM")
    second = name + "'"
    while second in space:
        second += "'"
    paired = Space([*space, replace(feature, name=second)])
    is_value = isinstance(feature, Continuous)
    d = len(space.continuous)
    row = space.row(name)
    axes = (row, d) if is_value else (d + row, len(space))
    roots = question.roots
    if monotone and is_value:  # missing values are neither high nor low
        lower = roots.lower.copy()
        lower[:, axes[0]] = np.maximum(lower[:, axes[0]], space.bottom[axes[0]])
        roots = roots.like(lower, roots.upper, roots.masks)
        roots = roots.take((roots.lower < roots.upper).all(axis=1))
    firsts, seconds = _of_both(roots, paired, axes)
    pairs = Boxes.none(paired).concat(*(firsts & box for box in seconds))
    if monotone and not is_value:  # other values have no place in the order
        rising = _rising_pairs(paired, feature.name, second, parsed.values)
        pairs = Boxes.none(paired).concat(*(pairs & box for box in rising))
        pairs = pairs.take(~pairs.are_empty())
    (side,) = question.sides
    first, swapped = _of_both(question.excused, paired, axes)
    return replace(
        question,
        space=paired,
        roots=pairs,
        excused=first.concat(swapped),
        sides=tuple(side.on(boxes) for boxes in _of_both(side.boxes, paired, axes)),
        pair=axes,
        is_below=monotone and is_value,
    )


def _of_both(boxes: Boxes, paired: Space, axes: tuple[int, int]) -> tuple[Boxes, Boxes]:
    """Return boxes as those of the first and of the second of two cases, which differ on axes."""
    space, (axis, second) = boxes.space, axes
    lower, upper, masks = boxes.lower, boxes.upper, boxes.masks
    if len(paired.continuous) > len(space.continuous):
        free = np.full((len(boxes), 1), np.inf)
        lower, upper = np.hstack([lower, -free]), np.hstack([upper, free])
        order = list(range(second + 1))
        order[axis], order[second] = second, axis
        low, high = (np.ascontiguousarray(bounds[:, order]) for bounds in (lower, upper))
        return Boxes(paired, lower, upper, masks), Boxes(paired, low, high, masks)
    own = space.sets[axis - len(space.continuous)]
    every = np.repeat(space.everything[own][None], len(boxes), axis=0)
    others = np.hstack([masks, masks[:, own]])
    others[:, own] = every
    first = Boxes(paired, lower, upper, np.hstack([masks, every]))
    return first, Boxes(paired, lower, upper, others)


def _check_order(feature: Categorical, values: tuple[Any, ...]) -> None:
    """Refuse an order that does not have each value of a category once."""
    if not values:
        raise ConditionError(
            f"{feature.name!r} has unordered values, so that nothing increases or decreases with"
            " it; list them after FROM, lowest first, or use DOES NOT DEPEND ON"
        )
    known = set(feature.values)
    if unknown := [value for value in values if value not in known]:
        raise ConditionError(f"{feature.name!r} has no value {display(unknown[0])}")
    if len(set(values)) < len(values) or len(values) < 2:
        listed = ", ".join(map(display, values))
        raise ConditionError(
            f"FROM must list at least two values of {feature.name!r}, each once, got {listed}"
        )


def _rising_pairs(
    paired: Space, first: str, second: str, values: tuple[Any, ...]
) -> Iterator[Boxes]:
    """Yield boxes of the pairs of cases whose first value comes before the second in an order."""
    for place, value in enumerate(values[:-1]):
        yield Region(paired, {first: {value}, second: set(values[place + 1 :])}).box


# --- claims


def _claim(parsed: ParsedProperty) -> Claim:
    if parsed.kind in ("increases", "decreases"):
        return Claim("rising" if parsed.kind == "increases" else "falling", order=parsed.order)
    if parsed.kind in ("independent", "same as"):
        return Claim("same")
    if parsed.outcome is None:
        return Claim("same", lambda outcome: outcome is None)
    operators = parsed.outcome.operators
    if parsed.kind == "nothing new":
        return Claim("implies", lambda outcome: matches(operators, outcome))
    if parsed.kind == "always":
        return Claim("only", lambda outcome: matches(operators, outcome))
    return Claim("only", lambda outcome: not matches(operators, outcome))


def _column(parsed: ParsedProperty, table: DecisionTable) -> int | None:
    """Return the index of the output that a property is about; None for the only one, or all."""
    if parsed.outcome is None:
        return None
    name, value = parsed.outcome.name, parsed.outcome.operators.get("=")
    is_named = parsed.kind in ("increases", "decreases", "independent")
    if is_named and not name:
        name = str(value)
    if name.lower() in OUTCOME and name not in table.outputs:
        name = ""
    elif name not in table.outputs:
        check_outcome(parsed.outcome, table.space)
    if not name or table.outputs == ("then",):
        if len(table.outputs) > 1 and parsed.kind != "independent" and not isinstance(value, tuple):
            if value is MISSING:
                return None
            raise ConditionError(
                f"the table has the outcomes {', '.join(map(display, table.outputs))}; name the one"
                f" that is meant, such as {display(table.outputs[0])} = …"
            )
        return None
    if name not in table.outputs:
        raise ConditionError(f"unknown outcome {name!r}{did_you_mean(name, table.outputs)}")
    return table.outputs.index(name) if len(table.outputs) > 1 else None


def _note(parsed: ParsedProperty, question: Question, declared: Sequence[Any]) -> str:
    """Return a remark if a property names an outcome that no rule has, but that is allowed.

    An outcome in braces, as in ``outcome in {refuse}``, is always allowed; another one must be an
    outcome of a rule, or one that the table declares.
    """
    if parsed.outcome is None or any(side.together for side in question.sides):
        return ""
    operators = parsed.outcome.operators
    named = [operators["="]] if "=" in operators else list(operators.get("in", ()))
    known = question.outcomes.values[1:]
    for value in named:
        if value is not MISSING and not any(matches({"=": value}, each) for each in known):
            remark = f"no rule has the outcome {display(value)}"
            hint = did_you_mean(display(value), map(display, known))
            if "=" in operators and value not in declared:
                stop = "" if hint.endswith("?") else ";"
                raise ConditionError(
                    f"{remark}{hint}{stop} to ask about it, write outcome in {{{display(value)}}}"
                )
            return f"{remark}{hint}"
    return ""
