"""Rules: a region and the consequent that is predicted in it."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from irenic.boxes import Boxes
from irenic.errors import ConditionError, FormatError
from irenic.model.condition import as_operators, infer_features
from irenic.model.features import is_unicode
from irenic.model.head import Head, contradicts
from irenic.model.literals import Prefix, display, format_number, plain
from irenic.model.notation import ParsedRule, parse_rule
from irenic.model.region import Region
from irenic.model.shown import Shown
from irenic.model.space import Space


class Rule(Shown):
    """IF a region THEN a consequent.

    Rules are immutable and hashable.

    Parameters
    ----------
    region : Region or mapping
        The antecedent. A mapping of conditions, as for :class:`Region`, creates a region in a
        space inferred from them; a :class:`RuleSet` moves the rule to its own space.
    then : hashable
        The consequent: a label; a set of labels, which becomes a frozenset; or a mapping of labels
        to True or False, which becomes a :class:`irenic.model.Head` and leaves all other labels
        open. Two rules agree if their consequents are equal; heads agree if they decide no label
        differently.
    weight : float, default 1.0
        How much the rule counts if conflicts are resolved by "best" or "vote".

    Raises
    ------
    ConditionError
        If the region is empty or invalid, the consequent is None or not hashable or decides no
        label, or the weight is not a number.

    Examples
    --------
    >>> from irenic import Rule
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
            raise ConditionError(f"region must be a Region or a mapping, got {region!r}")
        if region.is_empty:
            raise ConditionError("region must not be empty: the rule would never fire")
        weight = plain(weight)  # type: ignore[assignment]
        if isinstance(weight, bool) or not isinstance(weight, int | float) or math.isnan(weight):
            raise ConditionError(f"weight must be a number, got {weight!r}")
        object.__setattr__(self, "region", region)
        object.__setattr__(self, "then", as_consequent(then))
        object.__setattr__(self, "weight", float(weight))

    @classmethod
    def parse(cls, text: str, space: Space | None = None) -> Rule:
        """Parse a rule in text form.

        Parameters
        ----------
        text : str
            The rule, such as ``IF age < 30 THEN low``.
        space : Space, optional
            The space of the rule (default: inferred from the conditions).

        Returns
        -------
        Rule

        Raises
        ------
        FormatError
            If the text is not a rule, or does not fit the space.

        Examples
        --------
        >>> from irenic import Categorical, Continuous, Rule, Space
        >>> space = Space([Continuous("f1"), Categorical("color", ["yellow", "blue"])])
        >>> Rule.parse("IF 2 <= f1 < 5 AND color in {yellow} THEN A", space)
        IF 2 <= f1 < 5 AND color in {yellow} THEN A
        """
        return cls.from_parsed(parse_rule(text), space)

    @classmethod
    def from_parsed(cls, parsed: ParsedRule, space: Space | None = None) -> Rule:
        """Return a parsed rule as a rule of a space (default: inferred from the conditions)."""
        region = Region.from_parsed(parsed.conditions, space)
        try:
            return cls(region, then=parsed.then, weight=parsed.weight)
        except ConditionError as error:
            raise FormatError(str(error)) from None

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Rule is immutable; create a new one")

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

    @property
    def n_conditions(self) -> int:
        """Number of conditions of the rule."""
        return self.region.n_conditions

    def cast(self, space: Space) -> Rule:
        """Return the same rule in another space, with features matched by name."""
        if space == self.region.space:
            return self
        return Rule._made(self.region.cast(space), self.then, self.weight)

    @classmethod
    def _made(cls, region: Region, then: Hashable, weight: float) -> Rule:
        """Return the rule of parts that are known to be valid."""
        rule = cls.__new__(cls)
        for name, value in zip(cls.__slots__, (region, then, weight), strict=True):
            object.__setattr__(rule, name, value)
        return rule

    def agrees_with(self, other: Rule) -> bool:
        """Return whether two rules do not overlap, or their consequents agree."""
        return not contradicts(self.then, other.then) or not self.region.overlaps(other.region)


def _make_rule(region: Region, then: Hashable, weight: float) -> Rule:
    return Rule(region, then=then, weight=weight)


def as_consequent(value: Any) -> Hashable:
    """Return a consequent in hashable form; raise an error if equality cannot distinguish it."""
    if isinstance(value, AbstractSet) and not isinstance(value, frozenset):
        value = frozenset(value)
    if isinstance(value, Mapping) and not isinstance(value, Head):
        value = Head({as_consequent(label): plain(v) for label, v in value.items()})  # type: ignore[misc]
    value = plain(value)
    if value is None:
        raise ConditionError("a consequent must not be None, which means 'no prediction'")
    if isinstance(value, Prefix):
        raise ConditionError(f"a consequent must be one value, got {value}, which stands for many")
    try:
        hash(value)
    except TypeError:
        hint = "; use a frozenset or a tuple" if isinstance(value, Sequence) else ""
        raise ConditionError(
            f"a consequent must be hashable, got {value!r} of type {type(value).__name__}{hint}"
        ) from None
    if value != value:
        raise ConditionError(f"a consequent must equal itself, got {value!r}; use another label")
    if isinstance(value, str) and not is_unicode(value):
        raise ConditionError(
            f"a consequent must be valid Unicode, got {value!r} with a lone surrogate"
        )
    return value  # type: ignore[no-any-return]


def as_default(value: Any) -> Hashable:
    """Return a default in hashable form; raise an error if it decides only some labels."""
    default = as_consequent(value)
    if isinstance(default, Head):
        raise ConditionError(
            f"default must decide all labels, got {display(default)}; use a set of the labels that"
            " are present by default"
        )
    return default


def rules_of(boxes: Boxes, thens: Sequence[Hashable], known: Iterable[Rule] = ()) -> list[Rule]:
    """Return boxes as rules; a rule that equals a known rule keeps the notation of that rule."""
    as_written = {(rule.region, rule.then): rule for rule in reversed(list(known))}
    regions = Region.from_boxes(boxes)
    return [
        as_written.get((region, then)) or Rule(region, then=then)
        for region, then in zip(regions, thens, strict=True)
    ]
