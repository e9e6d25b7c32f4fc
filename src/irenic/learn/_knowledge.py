"""What users know before a fit: rules to keep, properties to prove, and orders of values.

All of it becomes fixed rules, which are part of every rule set of the front, and walls: regions
that learned rules of some consequents must not enter. What holds at the end is proved on the
whole space, by other code than the search.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from irenic.arrays import Bools, Floats
from irenic.boxes import Boxes
from irenic.errors import ConditionError, ConflictError, DataError, FormatError, did_you_mean
from irenic.frames.files import as_text, read_bytes
from irenic.kernels.evolve import Limits
from irenic.learn.cells import Cells, fair_limit, rows_per_code
from irenic.learn.inputs import check_labels
from irenic.learn.parameters import Knowledge, forbidden_columns
from irenic.learn.sample import Sample
from irenic.learn.target import Consequents, Target
from irenic.model.decision_table import DecisionTable
from irenic.model.features import MISSING, Categorical, Continuous
from irenic.model.literals import counted, display, format_literal, plain
from irenic.model.notation import (
    ParsedCondition,
    ParsedDefault,
    ParsedImpossible,
    ParsedProperty,
    ParsedRule,
    lines_in,
    parse_line,
    parse_property,
)
from irenic.model.properties import boxes_of, check_outcome, matches
from irenic.model.region import Region
from irenic.model.rule import Rule
from irenic.model.ruleset import RuleSet, as_rule_set, learned_rules
from irenic.model.space import Instances, Space
from irenic.model.spaces import in_space, opened
from irenic.proving import prove

# Text without a rule in it that may be a path.
_PATH: Final = re.compile(
    r"(?!(?:IF|DEFAULT|ELSE|IMPOSSIBLE)\b)[^\n={}]*[^\n={}.\s]\.\w{1,7}", re.IGNORECASE
)
_SIGNS: Final = {1: "INCREASES", -1: "DECREASES"}


# --- spaces


def known_space(space: Space, known: Knowledge) -> Space:
    """Return the space of a table, as users declare it and with all values that they name."""
    if known.space is not None:
        space = _declared_space(space, known.space)
    if isinstance(known.ordered, Mapping):
        space = _with_listed_values(space, known.ordered)
    return _opened_space(space, UserRules.read(known.rules), _properties(known))


def possible_rows(data: Sample) -> Sample:
    """Return the training data without rows that cannot occur."""
    regions = data.instances.space.impossible
    if not regions:
        return data
    if data.whole is not None:  # blocks of rows leave them out
        _warn_of_impossible(round(data.whole.n_weighted - data.whole.tally.rows))
        return data
    outside = np.any([region.contains(data.instances) for region in regions], axis=0)
    if outside.all():
        raise DataError("space must allow some of the rows of X, got only impossible ones")
    _warn_of_impossible(int(outside.sum()))
    if not outside.any():
        return data
    possible = data.take(np.flatnonzero(~outside))
    if not possible.target.many:
        check_labels(possible.target.labels[possible.target.truth.any(axis=0)])
    return possible


def _warn_of_impossible(n: int) -> None:
    if n:
        warnings.warn(
            f"{counted(n, 'row')} of X cannot occur according to the space, and are not used",
            stacklevel=6,
        )


def _declared_space(space: Space, declared: Space) -> Space:
    """Return the space of a table, with the features and impossible cases that a user declares."""
    if not isinstance(declared, Space):
        raise DataError(f"space must be a Space, got {type(declared).__name__}")
    for name in declared.names:
        if name not in space:
            hint = did_you_mean(name, space.names)
            raise DataError(f"space must only have columns of X, got {name!r}{hint}")
    features = [declared[name] if name in declared else space[name] for name in space.names]
    return Space(features, [region.conditions() for region in declared.impossible])


def _with_listed_values(space: Space, ordered: Mapping[Any, Sequence[Hashable]]) -> Space:
    """Return a space with the values of orders, which a row need not have."""
    listed = {feature_name(space, given, "ordered"): values for given, values in ordered.items()}
    categories = [
        Categorical(name, dict.fromkeys(map(plain, values)), other=True)
        for name, values in listed.items()
        if isinstance(space[name], Categorical)
    ]
    return space.opened_to(Space(categories))


def _opened_space(space: Space, source: UserRules, properties: Sequence[Property]) -> Space:
    """Return a space with all values that rules and properties name, and what cannot occur."""
    for conditions in [*source.conditions, *(each.parsed.conditions for each in properties)]:
        for condition in (c for one in conditions or () for c in one):
            if condition.name not in space:
                hint = did_you_mean(condition.name, space.names)
                raise DataError(
                    f"rules and properties must test columns of X, got {condition.name!r}{hint}"
                )
        space = opened(space, conditions)
    impossible = [Region.from_parsed(one, space) for each in source.impossible for one in each]
    return Space(space, [*space.impossible, *impossible]) if impossible else space


# --- rules to keep


@dataclass(frozen=True)
class UserRules:
    """Rules to keep, not yet in the space of the training rows."""

    rules: tuple[ParsedRule, ...] = ()
    default: Hashable | None = None
    impossible: tuple[list[list[ParsedCondition]], ...] = ()

    @property
    def conditions(self) -> list[list[list[ParsedCondition]]]:
        """The conditions of each rule, and what is impossible, as alternatives."""
        return [[rule.conditions] for rule in self.rules] + list(self.impossible)

    @classmethod
    def read(cls, rules: Any) -> UserRules:
        """Return the rules of a rule set, of a fitted classifier, or in text."""
        if rules is None:
            return cls()
        if isinstance(rules, Path):
            if rules.suffix.lower() not in ("", ".rules", ".txt"):
                raise DataError(
                    f"rules must be a file of text, one rule per line, got {str(rules)!r};"
                    f" irenic.read({str(rules)!r}) reads other formats"
                )
            return cls._parse(as_text(read_bytes(rules)))
        if isinstance(rules, str):
            if _PATH.fullmatch(rules.strip()):
                raise DataError(
                    f"rules must be text with one rule per line, got {rules!r}; if that is a file,"
                    f" use irenic.read({rules!r})"
                )
            return cls._parse(rules)
        if not isinstance(learned_rules(rules), RuleSet):
            raise DataError(
                "rules must be a RuleSet, a fitted classifier, text or a Path, got"
                f" {type(rules).__name__}"
            )
        rule_set = as_rule_set(rules)
        parsed = [ParsedRule(_parsed(rule.region), rule.then, rule.weight) for rule in rule_set]
        impossible = tuple([_parsed(region)] for region in rule_set.space.impossible)
        return cls(tuple(parsed), rule_set.default, impossible)

    @classmethod
    def _parse(cls, text: str) -> UserRules:
        rules: list[ParsedRule] = []
        default, impossible = None, []
        for number, line in enumerate(lines_in(text), 1):
            try:
                parsed = parse_line(line)
            except FormatError as error:
                raise error.at(path="rules", line=number) from None
            if isinstance(parsed, list):
                rules += parsed
            elif isinstance(parsed, ParsedDefault):
                default = parsed.then
            elif isinstance(parsed, ParsedImpossible):
                impossible.append(parsed.alternatives)
        return cls(tuple(rules), default, tuple(impossible))

    def rule_set(self, space: Space, labels: Sequence[Hashable]) -> RuleSet:
        """Return the rules in a space, with labels as their consequents."""
        rules = []
        for number, parsed in enumerate(self.rules, 1):
            try:
                region = Region.from_parsed(parsed.conditions, space)
            except (FormatError, ConditionError) as error:
                raise DataError(f"rules, rule {number}: {error}") from None
            rules.append(Rule(region, then=_label(parsed.then, labels, f"rule {number}")))
        if self.default is not None:
            _label(self.default, labels, "the default")
        kept = RuleSet(rules, space, default=plain(self.default))
        if len(conflicts := kept.conflicts(limit=1)):
            raise ConflictError(
                f"rules to keep must not contradict each other: {conflicts[0]}", list(conflicts)
            )
        return kept


def rules_text(rules: RuleSet, default: Hashable | None) -> str:
    """Return rules with a default and what cannot occur, line by line.

    >>> rules_text(RuleSet([Rule({"age": (None, 18)}, then="free")]), "full").splitlines()
    ['IF age < 18 THEN free', 'DEFAULT full']
    """
    lines = [str(rule) for rule in rules]
    if default is not None:
        lines.append(f"DEFAULT {format_literal(default)}")
    lines += [f"IMPOSSIBLE WHERE {region}" for region in rules.space.impossible]
    return "\n".join(lines)


def _parsed(region: Region) -> list[ParsedCondition]:
    return [ParsedCondition(name, test) for name, test in region.conditions().items()]


def _label(then: Any, labels: Sequence[Hashable], what: str) -> Hashable:
    then = plain(then)
    if then not in labels:
        hint = did_you_mean(str(then), map(str, labels))
        raise DataError(
            f"rules must predict one of the {len(labels):,} labels of y, got {display(then)} in"
            f" {what}{hint}"
        )
    return labels[labels.index(then)]


# --- properties


@dataclass(frozen=True)
class Property:
    """A property that starts with NEVER or ALWAYS, with its text."""

    text: str
    parsed: ParsedProperty

    @classmethod
    def read(cls, word: str, given: Any) -> list[Property]:
        """Return the properties of a parameter; the first word may be left out."""
        if given is None:
            return []
        if not isinstance(given, str | Iterable) or isinstance(given, Mapping):
            raise DataError(f"{word} must be text or a list of texts, got {given!r}")
        properties = []
        for item in [given] if isinstance(given, str) else given:
            if not isinstance(item, str):
                raise DataError(f"{word} must be text or a list of texts, got {item!r}")
            stripped = item.strip()
            begins = stripped.lower().split(maxsplit=1)[:1] == [word]
            text = stripped if begins else f"{word.upper()} {stripped}"
            try:
                parsed = parse_property(text)
            except FormatError as error:
                raise DataError(f"{word}: {text!r}: {error}") from None
            if parsed is None or parsed.kind != word:
                raise DataError(f"{word} must be such as 'refuse WHERE age < 18', got {item!r}")
            properties.append(cls(text, parsed))
        return properties

    def check_label(self, labels: Sequence[Hashable], space: Space) -> None:
        """Refuse a label that no row has, which is probably misspelled, and a test of a column."""
        assert self.parsed.outcome is not None
        try:
            check_outcome(self.parsed.outcome, space)
        except ConditionError as error:
            raise DataError(f"{self.parsed.kind}: {self.text!r}: {error}") from None
        operators = self.parsed.outcome.operators
        for value in [operators["="]] if "=" in operators else operators.get("in", ()):
            if value is not MISSING and not any(matches({"=": value}, each) for each in labels):
                hint = did_you_mean(display(value), map(display, labels))
                raise DataError(
                    f"{self.parsed.kind}: {self.text!r}: no row has the label"
                    f" {display(value)}{hint}"
                )

    def bans(self, values: Sequence[Hashable | None]) -> Bools:
        """Return which outcomes are not allowed where the property applies."""
        assert self.parsed.outcome is not None
        operators = self.parsed.outcome.operators
        match = np.array([matches(operators, value) for value in values])
        return match if self.parsed.kind == "never" else ~match


def _properties(known: Knowledge) -> list[Property]:
    words = ("never", "always")
    return [each for word in words for each in Property.read(word, getattr(known, word))]


# --- everything together


def check_possible(known: Knowledge, data: Sample, conflicts: str) -> None:
    """Refuse what users know if rows have several labels, or rules may contradict each other."""
    several = "rows have several labels"
    if (names := known.decides()) and (data.target.many or conflicts != "avoid"):
        why = several if data.target.many else f"conflicts={conflicts!r}"
        raise DataError(f"{names[0]} must be None if {why}")
    if data.target.many and known.max_values:
        raise DataError(f"max_values must be None if {several}")
    if data.target.many and data.instances.space.impossible:
        raise DataError(f"space must allow all cases if {several}")


@dataclass(frozen=True, eq=False)
class BoundKnowledge:
    """What learned rules must respect, in the space of the training rows."""

    space: Space
    values: tuple[Hashable | None, ...]
    """The outcomes, by code; None is that of a default that abstains."""
    rules: RuleSet
    """Rules that are part of every rule set: those of the user, then those of properties.

    Their default is that of the user, if any.
    """
    n_kept: int = 0
    """Number of rules of the user."""
    default: int | None = None
    """Code of the default; None if evolution may choose it."""
    properties: tuple[Property, ...] = ()
    signs: Mapping[str, int] = field(default_factory=dict)
    """1 or -1 for each feature that predictions increase or decrease with."""
    orders: Mapping[str, tuple[Hashable, ...]] = field(default_factory=dict)
    """The values of those that are categories, lowest first."""
    ranks: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Place of each outcome in the order of predictions."""
    max_values: int | None = None

    @classmethod
    def of(
        cls,
        known: Knowledge,
        data: Sample,
        y: Any,
        orders: Mapping[str, Sequence[Hashable]],
        *,
        abstains: bool,
    ) -> BoundKnowledge | None:
        """Return what users know in the space of rows, None if that is nothing.

        ``orders`` are the values of ordered categories.
        """
        space, labels = data.instances.space, data.target.labels.tolist()
        properties = _properties(known)
        for each in properties:
            each.check_label(labels, space)
        signs = signs_of(known.monotonic_cst, space, orders)
        if signs and abstains:
            raise DataError('monotonic_cst must be None if default="abstain"')
        if not (known.decides() or space.impossible or known.max_values):
            return None
        kept = UserRules.read(known.rules).rule_set(space, labels)
        return cls(
            space,
            (*labels, None) if abstains else tuple(labels),
            kept,
            len(kept),
            properties=tuple(properties),
            signs=signs,
            orders={name: tuple(orders[name]) for name in signs if name in orders},
            ranks=ranks_of(labels, y, signs),
            max_values=known.max_values,
        )

    # --- the default

    def with_default(self, data: Sample, described: int | None) -> BoundKnowledge:
        """Return the same with a default, and with rules where properties do not allow it.

        ``described`` is the code of the label that only rules predict.
        """
        kept, abstains = self.rules.default, self.values[-1] is None
        if kept is None and not (self.properties or self.signs):
            return self
        consequents = Consequents.from_target(data.target, data.searched, [], abstains=abstains)
        gains = consequents.gains(data.target.truth) * data.searched[:, None]
        if kept is None:
            default = self._best_default(gains, data, described)
        elif abstains or (default := self.values.index(kept)) == described:
            raise DataError(
                f"rules must have no default if {'default' if abstains else 'describe'} says"
                f" otherwise, got {display(kept)}"
            )
        known = replace(self, default=default)._with_rules_of_properties(gains, data.instances)
        alone = known.joined(RuleSet([], self.space, default=self.values[default]))
        if objection := known.objection(alone):
            raise DataError(f"the rules and properties exclude each other; {objection}")
        return known

    def _best_default(self, gains: Floats, data: Sample, described: int | None) -> int:
        """Return the code of the default where fixed rules decide nothing."""
        if self.values[-1] is None:
            return len(self.values) - 1
        free = self.fixed_codes(data.instances) < 0
        free = free if free.any() else ~free
        if self.signs and len(self.values) > 2 and described is None and data.target.cost is None:
            # with a label in the middle, rules above and below it need no rules beyond them
            order = np.argsort(self.ranks)
            shares = np.cumsum((data.target.truth[free].T @ data.searched[free])[order])
            return int(order[np.searchsorted(shares, shares[-1] / 2)])
        totals = gains[free].sum(axis=0)
        if described is not None:
            totals[described] = -np.inf
        return int(totals.argmax())

    # --- what learned rules must not do

    @cached_property
    def _walls(self) -> tuple[Boxes, Bools, list[str]]:
        """Regions, the outcomes that are banned in each, and why."""
        boxes, banned, why = [self.rules.boxes.simplified()], [], []
        for rule in self.rules:
            banned.append([value != rule.then for value in self.values])
            why.append(str(rule))
        for each in self.properties:
            regions = boxes_of(each.parsed.conditions, self.space)
            boxes.append(regions)
            banned += [each.bans(self.values).tolist()] * len(regions)
            why += [each.text] * len(regions)
        table = np.array(banned, dtype=bool).reshape(len(banned), len(self.values))
        return Boxes.none(self.space).concat(*boxes), table, why

    @property
    def boxes(self) -> Boxes:
        """Regions whose bounds matter: walls and what cannot occur."""
        return self._walls[0].concat(self.space.impossible_boxes)

    def claims(self) -> tuple[str, ...]:
        """Return what is proved of every rule set, in the notation of ``irenic.proving``."""
        order = [self.values[code] for code in np.argsort(self.ranks).tolist()]
        listed = ", ".join(map(format_literal, order))
        claims = [each.text for each in self.properties]
        for name, sign in self.signs.items():
            values = ", ".join(map(format_literal, self.orders.get(name, ())))
            feature = format_literal(name) + (f" FROM {values}" if values else "")
            claims.append(f"outcome {_SIGNS[sign]} WITH {feature} ORDER {listed}")
        return tuple(claims)

    def kept_text(self) -> str:
        """Return the rules of the user with their default and what cannot occur, line by line."""
        return rules_text(self.rules[: self.n_kept], self.rules.default)

    def fixed_codes(self, instances: Instances) -> npt.NDArray[np.int16]:
        """Return the code that fixed rules predict for each instance, -1 where none holds."""
        codes = np.full(len(instances), -1, dtype=np.int16)
        covers = self.rules.covering(instances)
        for row, then in zip(covers.T, self.rules.thens, strict=True):
            codes[row] = self.values.index(then)
        return codes

    def joined(self, learned: RuleSet) -> RuleSet:
        """Return the fixed rules, followed by learned ones.

        Rules of properties that lie inside a learned rule of the same consequent are left out.
        """
        inside = learned.boxes.simplified().contains(self.rules.boxes.simplified())
        inside &= np.array(
            [[a == b for b in self.rules.thens] for a in learned.thens], dtype=bool
        ).reshape(inside.shape)
        own = [
            rule for r, rule in enumerate(self.rules) if r < self.n_kept or not inside[:, r].any()
        ]
        return RuleSet([*own, *learned], self.space, default=learned.default)

    def limits(self, cells: Cells) -> Limits:
        """Return what kernels must respect."""
        walls, banned, _ = self._walls
        n, k = len(self.space), len(self.values)
        limits = Limits.none(n, k)
        axes = {
            name: int(axis) for name, axis in zip(self.space.names, self.space.axes, strict=True)
        }
        signs = np.zeros(n if self.signs else 0, dtype=np.int64)
        for name, sign in self.signs.items():
            signs[axes[name]] = sign
        return Limits(
            cells.words(walls),
            banned.astype(np.uint8),
            cells.words(self.space.impossible_boxes, inside=True),
            limits.most_values if self.max_values is None else cells.most_values(self.max_values),
            signs,
            cells.known if self.signs else limits.known,
            np.append(self.ranks, limits.ranks[len(self.ranks) :]),
        )

    # --- rules that properties need

    def _with_rules_of_properties(self, gains: Floats, instances: Instances) -> BoundKnowledge:
        """Return the same with rules where a property does not allow the default.

        ``gains`` are those of each outcome in each row; rules predict the best allowed outcome.
        """
        known = self
        for each in self.properties:
            if self.default is None or each.bans(self.values)[self.default]:
                for box in boxes_of(each.parsed.conditions, self.space):
                    known = known._decided(box, gains, instances)
        return known

    def _decided(self, box: Boxes, gains: Floats, instances: Instances) -> BoundKnowledge:
        """Return the same with rules in a box, in parts if one rule is not enough."""
        rules = self.rules.copy()
        pending = [box]
        while pending:
            part = pending.pop()
            if part.is_covered(rules.boxes.simplified().concat(self.space.impossible_boxes)):
                continue
            if (allowed := self._allowed(part)).any():
                region = Region.from_box(part)
                rows = region.contains(instances)
                sums = gains[rows].sum(axis=0) if rows.any() else gains.sum(axis=0)
                code = int(np.where(allowed, sums, -np.inf).argmax())
                rules.add(Rule(region.simplified(), then=self.values[code]))
            else:
                wall = self._wall_through(part)
                pending += [*(part & wall), *part.subtract(wall)]
        return replace(self, rules=rules)

    def _allowed(self, part: Boxes) -> Bools:
        """Return which labels a rule in a box may predict."""
        walls, banned, _ = self._walls
        is_label = np.array([value is not None for value in self.values])
        return np.asarray(is_label & ~banned[walls.meeting(part)].any(axis=0))

    def _wall_through(self, part: Boxes) -> Boxes:
        """Return a wall that divides a box in which no label is allowed."""
        walls, _, why = self._walls
        meets = walls.meeting(part)
        partly = meets & ~walls.contains(part)[:, 0]
        if not partly.any():
            texts = list(dict.fromkeys(why[w] for w in np.flatnonzero(meets)))
            raise DataError(
                f"no label is allowed where {Region.from_box(part)}, because of"
                f" {' and '.join(texts)}"
            )
        return walls.take([int(partly.argmax())])

    # --- proofs

    def objection(self, rules: RuleSet) -> str:
        """Return why rules do not respect this, "" if it is proved that they do."""
        if len(conflicts := rules.conflicts(limit=1)):
            return str(conflicts[0])
        labels = tuple(value for value in self.values if value is not None)
        table = replace(DecisionTable.from_rules(rules), ranking=labels)
        verdicts = prove(table, self.claims())
        return next((str(verdict) for verdict in verdicts if not verdict.holds), "")


def proved(
    rules: RuleSet,
    known: Knowledge,
    labels: Sequence[Hashable],
    ranks: npt.NDArray[np.int64] | None,
    orders: Mapping[str, Sequence[Hashable]],
) -> tuple[str, ...]:
    """Return the properties of the parameters, if rules are proved to have them."""
    properties = _properties(known)
    if not properties and known.monotonic_cst is None:
        return ()
    space = _opened_space(rules.space, UserRules(), properties)
    space = _with_listed_values(space, {n: v for n, v in orders.items() if n in space})
    signs = signs_of(known.monotonic_cst, space, orders)
    bound = BoundKnowledge(
        space,
        (*labels, None),
        RuleSet([], space),
        properties=tuple(properties),
        signs=signs,
        orders={name: tuple(orders[name]) for name in signs if name in orders},
        ranks=ranks_of(labels) if ranks is None else ranks,
    )
    return bound.claims() if not bound.objection(in_space(rules, space)) else ()


# --- other parameters


def training_cells(
    known: Knowledge,
    data: Sample,
    orders: Mapping[str, Sequence[Hashable]],
    knowledge: BoundKnowledge | None,
    left_out: Iterable[str] = (),
) -> Cells:
    """Return the cells of the training rows; rules do not test columns that are left out."""
    space = data.instances.space
    columns = None if data.whole is None else data.whole.tally.columns
    forbidden = forbidden_columns(known.forbidden)
    untested = [feature_name(space, given, "forbidden") for given in forbidden]
    instances, around = data.instances, Boxes.none(space) if knowledge is None else knowledge.boxes
    cells = Cells.from_instances(instances, data.target.truth, data.searched, around=around)
    counts = rows_per_code(instances, data.count) if columns is None else columns.counts
    cells = cells.grouped(counts, orders, fair_limit(instances), around)
    if columns is not None:
        cells = replace(cells, complete=tuple(not n for n in columns.missing))
    return cells.without([*untested, *left_out])


def feature_name(space: Space, given: Any, parameter: str) -> str:
    """Return the name of a feature, given by name or by index."""
    if isinstance(given, Integral) and int(given) in range(len(space)):
        return space.names[int(given)]
    if given not in space:
        hint = did_you_mean(str(given), space.names)
        raise DataError(f"{parameter} must name columns of X, got {given!r}{hint}")
    return str(given)


def tested_columns(known: Knowledge) -> set[str]:
    """Return the columns that the rules and properties of users test."""
    conditions = UserRules.read(known.rules).conditions
    conditions += [each.parsed.conditions or [] for each in _properties(known)]
    return {each.name for alternatives in conditions for one in alternatives for each in one}


def forbids_nothing(known: Knowledge) -> bool:
    """Return whether users say that rules may test every column."""
    forbidden = known.forbidden
    return forbidden is not None and not isinstance(forbidden, str) and not len(forbidden)


def named_columns(known: Knowledge) -> set[str]:
    """Return the columns that users say something about, as far as they name them."""
    names = set() if known.space is None else set(known.space.names)
    signs = known.monotonic_cst
    if isinstance(signs, Mapping):
        names |= {str(name) for name, sign in signs.items() if sign}
    for given in (known.ordered, known.forbidden):
        names |= (
            {given} if isinstance(given, str) else set(map(str, () if given is None else given))
        )
    return names


def signs_of(
    monotonic_cst: Any, space: Space, orders: Mapping[str, Sequence[Hashable]]
) -> dict[str, int]:
    """Return the features that predictions increase (1) or decrease (-1) with."""
    if monotonic_cst is None:
        return {}
    if not isinstance(monotonic_cst, Mapping):
        items = np.asarray(monotonic_cst).tolist()
        if not isinstance(items, list) or len(items) != len(space):
            n = len(items) if isinstance(items, list) else 1
            raise DataError(
                f"monotonic_cst must have one number per column of X ({len(space)}), got {n}; a"
                " mapping from names to 1 or -1 works too"
            )
        monotonic_cst = dict(zip(space.names, items, strict=True))
    signs = {}
    for given, sign in monotonic_cst.items():
        name = feature_name(space, given, "monotonic_cst")
        if isinstance(sign, bool) or sign not in (-1, 0, 1):
            raise DataError(f"monotonic_cst must hold 1, -1 or 0, got {sign!r} for {name!r}")
        if sign and name not in orders and not isinstance(space[name], Continuous):
            raise DataError(
                f"monotonic_cst must be 0 for categories without an order, got {sign!r} for"
                f" {name!r}; list its values in ordered={{{name!r}: [...]}}, lowest first"
            )
        if sign:
            signs[name] = int(sign)
    return signs


def ranks_of(
    labels: Sequence[Hashable], y: Any = None, signs: Mapping[str, int] | None = None
) -> npt.NDArray[np.int64]:
    """Return the place of each label in the order of predictions.

    It is that of an ordered category, of numbers, or of two labels as they are sorted. Other labels
    must have an order only if there are signs.
    """
    order = _ordered_values(y)
    if order is not None:
        return np.array([order.index(label) for label in labels], dtype=np.int64)
    numbers = all(isinstance(label, int | float) for label in labels)
    if len(labels) > 2 and not numbers and signs:
        raise DataError(
            "monotonic_cst needs two labels, numbers, or an ordered category as y, got"
            f" {counted(len(labels), 'label')} without an order"
        )
    return np.arange(len(labels), dtype=np.int64)


def orders_of(
    ordered: Any, X: Any, space: Space, declared: Space | tuple[()] = ()
) -> dict[str, list[Hashable]]:
    """Return the values of ordered categories, lowest first.

    ``ordered`` is a mapping from columns to values, or columns whose values the space that users
    declare has in order; ordered categories of pandas are added.
    """
    orders: dict[str, list[Hashable]] = {}
    for name in getattr(X, "columns", ()):
        if str(name) in space and (values := _ordered_values(X[name])) is not None:
            orders[str(name)] = values
    if isinstance(ordered, str):
        ordered = [ordered]
    for given in () if ordered is None else ordered:
        name = feature_name(space, given, "ordered")
        feature = space[name]
        if not isinstance(feature, Categorical):
            raise DataError(f"ordered must name categories, got {name!r}, whose values are ordered")
        if not isinstance(ordered, Mapping) and name not in orders and name not in declared:
            listed = ", ".join(map(repr, feature.values))
            raise DataError(
                f"ordered must list the values of {name!r}, lowest first, because they have no"
                f" order: {{{name!r}: [{listed}]}} is how to write it, with the right order"
            )
        if not isinstance(ordered, Mapping) and name in orders:
            continue
        values = list(
            map(plain, ordered[given]) if isinstance(ordered, Mapping) else feature.values
        )
        lacking = [value for value in feature.values if value not in values]
        unknown = [value for value in values if value not in feature.codes]
        if lacking or unknown or len(set(values)) < len(values):
            listed = ", ".join(map(display, feature.values))
            raise DataError(
                f"ordered must list each value of {name!r} once ({listed}), got"
                f" {', '.join(map(display, values))}"
            )
        orders[name] = values
    return {name: values for name, values in orders.items() if space[name].values}  # type: ignore[union-attr]


def _ordered_values(column: Any) -> list[Hashable] | None:
    """Return the values of an ordered category of pandas, None for anything else."""
    dtype: Any = getattr(column, "dtype", None)
    if not getattr(dtype, "ordered", False):
        return None
    return [plain(value) for value in dtype.categories]


def cost_of(cost: Any, target: Target) -> Floats | None:
    """Return the cost of predicting a label (column) for each true label (row), at most 1."""
    if cost is None:
        return None
    labels = target.labels.tolist()
    n = len(labels)
    if isinstance(cost, Mapping):
        table = 1.0 - np.eye(n)
        for true, row in cost.items():
            if not isinstance(row, Mapping):
                raise DataError(f"cost must be {{true: {{predicted: cost}}}}, got {row!r}")
            for predicted, number in row.items():
                i, j = (_index(label, labels) for label in (true, predicted))
                table[i, j] = _number(number)
    else:
        table = np.array(cost, dtype=object)
        if table.shape != (n, n):
            raise DataError(
                f"cost must have one row and one column per label ({n}), got shape {table.shape}"
            )
        table = np.array([[_number(number) for number in row] for row in table.tolist()])
    if np.diag(table).any():
        raise DataError("cost must be 0 where the prediction is the true label")
    if not table.any():
        raise DataError("cost must be positive somewhere, got only 0")
    return np.asarray(table / table.max())


def _index(label: Any, labels: list[Any]) -> int:
    if plain(label) not in labels:
        hint = did_you_mean(str(label), map(str, labels))
        raise DataError(f"cost must name labels of y, got {label!r}{hint}")
    return labels.index(plain(label))


def _number(number: Any) -> float:
    if isinstance(number, bool) or not isinstance(number, Real) or not 0 <= float(number) < np.inf:
        raise DataError(f"cost must hold finite non-negative numbers, got {number!r}")
    return float(number)
