"""An oracle of its own: rules as plain data, evaluated with exact fractions.

It shares no code with irenic or with the other oracles of these tests: it makes rules, writes them
in the notation, and decides points by the sentences of ``docs/reference/notation.md``. What irenic
answers is compared point by point, at one point of every cell that the bounds of the rules cut.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from fractions import Fraction

NUMBERS = [-3, -1, 0, 1, 2, 5, 7]
FLOATS = [-1.7e308, -2.5, -5e-324, 0.0, 5e-324, 0.1, 0.30000000000000004, 1.0, 2.0**53, 1.7e308]
WORDS = ["red", "green", "blue"]
OUTCOMES = ["a", "b", "c"]


@dataclass
class Number:
    """A feature with numbers: whole ones or not, with bounds, possibly missing."""

    name: str
    whole: bool
    low: float | None
    high: float | None
    missing: bool

    def has(self, value):
        if value is None:
            return self.missing
        if self.whole and Fraction(value).denominator != 1:
            return False
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    def points(self, conditions):
        """Return values of the feature: one in each interval between the bounds, and each bound."""
        bounds = [bound for c in conditions for _, bound in c.comparisons]
        bounds += [bound for bound in (self.low, self.high) if bound is not None]
        values = set(bounds) or {0}
        for bound in list(values):
            if self.whole:
                values |= {math.floor(bound) - 1, math.floor(bound), math.ceil(bound),
                           math.ceil(bound) + 1}  # fmt: skip
            else:
                values |= {math.nextafter(bound, -math.inf), math.nextafter(bound, math.inf)}
        values = {value for value in values if math.isfinite(value)}
        if not self.whole:  # -0.0 is 0.0
            values = {value + 0.0 for value in values}
        return [v for v in [None, *sorted(values)] if self.has(v)]


@dataclass
class Word:
    """A feature with words: listed ones, any others, possibly missing."""

    name: str
    other: bool
    missing: bool

    def has(self, value):
        if value is None:
            return self.missing
        return value in WORDS or self.other

    def points(self, _):
        return [v for v in [None, *WORDS, "mauve", "pink"] if self.has(v)]


@dataclass
class Condition:
    """What a rule says about one feature.

    ``comparisons`` are pairs of a sign and a number; ``words`` are allowed, or forbidden if
    ``negated``; ``missing`` says whether a missing value is allowed besides, None that nothing is
    said about it.
    """

    feature: str
    comparisons: list[tuple[str, float]] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    negated: bool = False
    missing: bool | None = None

    def holds(self, value):
        if value is None:
            return self.missing is True or (bool(self.words) and self.negated)
        if self.words:
            return (value in self.words) != self.negated
        if not self.comparisons:
            return self.missing is not True
        exact = Fraction(value)
        return all(SIGNS[sign](exact, Fraction(bound)) for sign, bound in self.comparisons)

    def text(self):
        if self.words:
            sign = "not in" if self.negated else "in"
            return f"{self.feature} {sign} {{{', '.join(self.words)}}}"
        if not self.comparisons:
            return f"{self.feature} is {'' if self.missing else 'not '}missing"
        parts = [f"{self.feature} {sign} {bound!r}" for sign, bound in self.comparisons]
        if self.missing:
            return f"({parts[0]} or missing)"
        return " AND ".join(parts)


SIGNS = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "=": lambda a, b: a == b,
}


@dataclass
class Rules:
    """Features and rules: pairs of conditions and an outcome."""

    features: list[Number | Word]
    rules: list[tuple[list[Condition], str]]

    def text(self):
        return "".join(
            f"IF {' AND '.join(c.text() for c in conditions) or 'anything'} THEN {then}\n"
            for conditions, then in self.rules
        )

    def points(self, *others, most):
        """Return a point of every cell; if there are more than ``most``, every k-th of them."""
        axes = []
        for feature in self.features:
            said = [c for rules in (self, *others) for conditions, _ in rules.rules
                    for c in conditions if c.feature == feature.name]  # fmt: skip
            axes.append(feature.points(said))
        n_cells = math.prod(map(len, axes))
        names = [feature.name for feature in self.features]
        # a step that shares no factor with the axes visits all values of each of them
        step = max(1, n_cells // most)
        while any(math.gcd(step, len(axis)) > 1 for axis in axes):
            step += 1
        chosen = itertools.islice(itertools.product(*axes), 0, None, step)
        return [dict(zip(names, values, strict=True)) for values in chosen]

    def covering(self, point):
        """Return the places of the rules that hold for a point."""
        return [i for i, (conditions, _) in enumerate(self.rules)
                if all(c.holds(point[c.feature]) for c in conditions)]  # fmt: skip

    def outcomes(self, point):
        return {self.rules[i][1] for i in self.covering(point)}


def make(random, *, n_rules=6):
    """Return random rules on up to three features; bounds are few, so that they often coincide."""
    features = make_features(random)
    return Rules(features, make_rules(random, features, n_rules))


def make_features(random):
    features = []
    for name in ("x", "y", "kind")[: random.randint(1, 3)]:
        if name == "kind":
            features.append(Word(name, random.random() < 0.4, random.random() < 0.4))
            continue
        whole = random.random() < 0.5
        values = NUMBERS if whole else FLOATS
        low, high = sorted(random.sample(values, 2))
        features.append(
            Number(name, whole, low if random.random() < 0.3 else None,
                   high if random.random() < 0.3 else None, random.random() < 0.4)
        )  # fmt: skip
    return features


def make_rules(random, features, n_rules):
    return [
        ([c for f in features if (c := make_condition(random, f)) and can_hold(c, f)],
         random.choice(OUTCOMES))
        for _ in range(random.randint(1, n_rules))
    ]  # fmt: skip


def can_hold(condition, feature):
    return any(condition.holds(value) for value in feature.points([condition]) if value is not None)


def make_condition(random, feature):
    if random.random() < 0.25:
        return None
    if feature.missing and random.random() < 0.15:
        return Condition(feature.name, missing=random.random() < 0.5)
    if isinstance(feature, Word):
        words = random.sample(WORDS, random.randint(1, 2))
        return Condition(feature.name, words=words, negated=random.random() < 0.4)
    values = [v for v in (NUMBERS if feature.whole else FLOATS) if feature.has(v)] or [0]
    if random.random() < 0.15:
        return Condition(feature.name, [("=", random.choice(values))])
    if random.random() < 0.4 or len(values) < 2:
        sign = random.choice(["<", "<=", ">", ">="])
        can_be_missing = feature.missing and sign.startswith("<")  # it is below all numbers
        missing = True if can_be_missing and random.random() < 0.3 else None
        return Condition(feature.name, [(sign, random.choice(values))], missing=missing)
    low, high = sorted(random.sample(values, 2))
    return Condition(
        feature.name, [(random.choice([">", ">="]), low), (random.choice(["<", "<="]), high)]
    )
