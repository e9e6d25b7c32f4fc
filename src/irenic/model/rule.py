"""Rules: a region, and what is predicted in it."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from irenic.boxes import Boxes
from irenic.errors import ConditionError, FormatError
from irenic.model import markup
from irenic.model.condition import as_operators, infer_features
from irenic.model.features import is_unicode
from irenic.model.literals import display, format_number, plain
from irenic.model.notation import ParsedRule, parse_rule
from irenic.model.region import Region
from irenic.model.space import Space


class Rule:
    """IF a region THEN a consequent. Rules are immutable and hashable.

    Parameters
    ----------
    region : Region or mapping
        The antecedent. A mapping of conditions, as :class:`Region` takes it, makes a region in a
        space that is inferred from it; a :class:`RuleSet` moves it to its own space.
    then : hashable
        The consequent: a label, a frozenset of labels, a closed set of hierarchy nodes. A set is
        taken as a frozenset. Equality decides whether two rules agree.
    weight : float
        How much the rule counts where conflicting rules are resolved by "best" or "vote".

    Examples
    --------
    >>> Rule({"f1": (2, 5), "color": {"yellow"}}, then="A")
    IF 2 <= f1 < 5 AND color in {yellow} THEN A
    """

    __slots__ = ("region", "then", "weight")

    region: Region
    then: Hashable
    weight: float

    def __init__(
        self, region: Region | Mapping[str, Any], *, then: Hashable, weight: float = 1.0
    ) -> None:
        if isinstance(region, Mapping):
            operators = {name: as_operators(c, name) for name, c in region.items()}
            region = Region(Space(infer_features(list(operators.items()))), operators)
        elif not isinstance(region, Region):
            raise ConditionError(f"a rule's antecedent is a Region or a mapping, not {region!r}")
        if region.is_empty:
            raise ConditionError("the region of the rule is empty: the rule could never fire")
        weight = plain(weight)  # type: ignore[assignment]
        if isinstance(weight, bool) or not isinstance(weight, int | float) or math.isnan(weight):
            raise ConditionError(f"a rule's weight is a number, not {weight!r}")
        object.__setattr__(self, "region", region)
        object.__setattr__(self, "then", as_consequent(then))
        object.__setattr__(self, "weight", float(weight))

    @classmethod
    def parse(cls, text: str, space: Space | None = None) -> Rule:
        """Return the rule that ``text`` says; without a space, one is inferred from the tests.

        >>> from irenic import Categorical, Continuous, Rule, Space
        >>> space = Space([Continuous("f1"), Categorical("color", ["yellow", "blue"])])
        >>> Rule.parse("IF 2 <= f1 < 5 AND color in {yellow} THEN A", space)
        IF 2 <= f1 < 5 AND color in {yellow} THEN A
        """
        return cls.from_parsed(parse_rule(text), space)

    @classmethod
    def from_parsed(cls, parsed: ParsedRule, space: Space | None = None) -> Rule:
        """Return the rule of a parsed line, held against a space."""
        region = Region.from_parsed(parsed.conditions, space)
        try:
            return cls(region, then=parsed.then, weight=parsed.weight)
        except ConditionError as error:
            raise FormatError(str(error)) from None

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Rule is immutable; make a new one")

    def __reduce__(self) -> Any:
        return _make_rule, (self.region, self.then, self.weight)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rule):
            return NotImplemented
        return (self.region, self.then, self.weight) == (other.region, other.then, other.weight)

    def __hash__(self) -> int:
        return hash((self.region, self.then, self.weight))

    def __repr__(self) -> str:
        weight = "" if self.weight == 1.0 else f" WEIGHT {format_number(self.weight)}"
        return f"IF {self.region.to_text('AND')} THEN {display(self.then)}{weight}"

    def _repr_html_(self) -> str:
        weight = "" if self.weight == 1.0 else f" (weight {format_number(self.weight)})"
        asked = markup.code(self.region.to_text("AND"))
        return markup.element(
            "span",
            "IF ",
            asked,
            " THEN ",
            markup.consequent(self.then),
            weight,
            style="line-height:1.7",
        )

    @property
    def n_conditions(self) -> int:
        """On how many features the rule has a condition."""
        return self.region.n_conditions

    def cast(self, space: Space) -> Rule:
        """Return the same rule in another space, features matched by name."""
        if space == self.region.space:
            return self
        return Rule(self.region.cast(space), then=self.then, weight=self.weight)

    def agrees_with(self, other: Rule) -> bool:
        """Return whether the rules predict the same, or overlap nowhere.

        >>> child = Rule({"age": (0, 10)}, then="child")
        >>> adult = Rule({"age": (10, 99)}, then="adult")
        >>> child.agrees_with(adult)
        True
        """
        return self.then == other.then or not self.region.overlaps(other.region)


def _make_rule(region: Region, then: Hashable, weight: float) -> Rule:
    return Rule(region, then=then, weight=weight)


def as_consequent(value: Any) -> Hashable:
    """Return a consequent in its hashable form; refuse what cannot be told apart by equality."""
    if isinstance(value, AbstractSet) and not isinstance(value, frozenset):
        value = frozenset(value)
    value = plain(value)
    if value is None:
        raise ConditionError("a consequent is not None, which stands for 'no prediction'")
    try:
        hash(value)
    except TypeError:
        hint = "; use a frozenset or a tuple" if isinstance(value, Sequence) else ""
        raise ConditionError(
            f"the consequent {value!r} of type {type(value).__name__} is not hashable{hint}"
        ) from None
    if value != value:
        raise ConditionError(f"the consequent {value!r} does not equal itself; use another label")
    if isinstance(value, str) and not is_unicode(value):
        raise ConditionError(f"the consequent {value!r} is not valid Unicode (a lone surrogate)")
    return value  # type: ignore[no-any-return]


def rules_of(boxes: Boxes, thens: Sequence[Hashable], known: Iterable[Rule] = ()) -> list[Rule]:
    """Return boxes as rules; one that equals a known rule is that rule, as it was written."""
    as_written = {(rule.region, rule.then): rule for rule in reversed(list(known))}
    regions = Region.from_boxes(boxes)
    return [
        as_written.get((region, then)) or Rule(region, then=then)
        for region, then in zip(regions, thens, strict=True)
    ]
