"""Evolution of rule sets: a population whose members penalize size differently.

Each member is a whole rule set that is consistent at every step (the Pittsburgh approach, with the
paper's conflict avoidance in every operator). In a generation, each member is annealed and takes
rules from its neighbors; then it is replaced by any other member that is better by its own measure.
The result is one rule set per member, which together approximate the front of score, rules and
conditions.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from irenic.arrays import Shorts, Words
from irenic.kernels import evolve as kernels
from irenic.kernels.evolve import CellRows, Draft, Limits, Schedule, State, Totals, WordRules
from irenic.learn.tally import Priors
from irenic.learn.target import Consequents

RESOLVE: Final = {"avoid": kernels.AVOID, "vote": kernels.VOTE, "best": kernels.BEST}
# Nobody reads rules with more conditions; fixed so that a rule fits a few cache lines.
TEST_LIMIT: Final = 24
# Members take more moves the more rules they have, so that each rule gets its share: all of them
# from the first number of rules on, and in proportion to rules beyond the second.
_RULES_AT_EASE: Final = (32.0, 64.0)
# Moves of a member with one rule in each generation, or a quarter of the others' if that is more.
_SINGLE_MOVES: Final = 1_000
# Values that differ by less are equal; the second is for sums of rounded gains in another order.
_EQUAL: Final = 1e-9
_NEARLY: Final = 1e-3
# Moves between two looks at the clock and at Ctrl-C.
_MOVES_AT_ONCE: Final = 2_000
# Rules in a row that are not worth their penalty, after which no more are grown.
_FAILURES: Final = 20


@dataclass(frozen=True, eq=False)
class Candidate:
    """A rule set in cells, with its score on the rows that it evolved on, and its validation."""

    masks: Words
    then: Shorts
    default: int
    cost: int = 0
    """Number of bounds and sets."""
    worth: float = 0.0
    """Sum of the gains of the rows."""
    values: Sequence[Hashable] = ()
    """What its codes stand for, once a run has ended."""
    member: int | None = None
    """Member of the population that it comes from."""
    penalty: float = math.nan
    """Score that each rule and each condition costs that member."""
    validated: float = math.nan
    """Mean score of the member on rows left out, NaN if there are none."""
    priors: Priors | None = None
    """How many average rows to add to those of each rule, None if no rows were left out."""

    @classmethod
    def empty(cls, n_features: int, default: int) -> Candidate:
        """Return a default without rules."""
        return cls(np.zeros((0, n_features), np.uint64), np.zeros(0, np.int16), default)

    def __len__(self) -> int:
        return len(self.then)

    def take(self, rules: npt.NDArray[Any]) -> Candidate:
        """Return the candidate with only the given rules; its cost and worth stay as they are."""
        return replace(self, masks=self.masks[rules], then=self.then[rules])

    def among(self, consequents: Consequents) -> Candidate:
        """Return its rules with the codes of other consequents, without those that have none."""
        codes = consequents.codes_of(self.values)
        then = codes[self.then]
        default = max(0, int(codes[self.default]))
        return Candidate(self.masks[then >= 0], then[then >= 0], default)

    def ranked(self, cells: npt.NDArray[np.uint8], gains: npt.NDArray[Any]) -> Candidate:
        """Return the same rules with the best first, the order in which they decide."""
        rank = np.lexsort((self.then, -worths(self, covering(self.masks, cells), gains)))
        return replace(self, masks=self.masks[rank], then=self.then[rank])

    def value(self, penalty: float) -> float:
        """Return the score minus the penalty for rules and conditions."""
        return self.worth - penalty * (len(self) + self.cost)


class Turns:
    """How the members of a population evolve in turn; a study derives its own from it."""

    ends_early: bool = True
    """Whether a run ends when nothing improves, and leaves out members that others stand for."""

    def guard(self, conflicts: str) -> int:
        """Return how moves treat rivals: one of the guards of :mod:`irenic.kernels.evolve`.

        If moves ignore rivals, rules may contradict each other; predictions are then only right if
        ``conflicts`` is not "avoid".
        """
        return kernels.MAKE_WAY if conflicts == "avoid" else kernels.IGNORE

    def anneal(
        self,
        member: Member,
        members: list[Member],
        moves: int,
        heats: tuple[float, float],
        watch: Watch,
    ) -> None:
        """Let a member take its moves of a generation, while it cools down."""
        donors = member.donors(members)
        parts = max(1, round(moves / _MOVES_AT_ONCE))
        for heat, cooler in pairwise(_temperatures(*heats, parts + 1)):
            member.anneal(donors, moves // parts, heat, cooler)
            if watch.over():
                return


@dataclass(frozen=True)
class Settings:
    """How to evolve a population."""

    members: tuple[tuple[float, int], ...]
    """Penalty and maximum number of rules of each member."""
    generations: int = 8
    moves: int = 4_000
    least: float = 1.0
    """Share of the moves that a member with few rules takes."""
    hot: float = 1.5
    cold: float = 0.15
    conflicts: str = "avoid"
    fixed_default: bool = False
    """Whether the default never changes."""
    sow: bool = False
    """Whether members start with random rules around rows, instead of the leaves of trees."""
    max_tests: int = TEST_LIMIT
    """Maximum number of conditions of a rule."""
    min_support: float = 1.0
    """Minimum number of rows that a rule covers; rules with fewer are dropped in the end."""
    growth: int = 0
    """Rules that may fail in a row before a member stops growing new ones, in each generation."""
    limits: Limits | None = None
    """What rules must respect besides each other."""
    turns: Turns = field(default_factory=Turns)

    @property
    def max_rules(self) -> int:
        """Maximum number of rules of any member."""
        return max(max_rules for _, max_rules in self.members)


@dataclass
class Watch:
    """How the outside sees the progress of tasks and stops them.

    It does not reach other processes: a copy that is sent to one starts empty.
    """

    n_jobs: int | None = None
    """Number of tasks at a time, as joblib takes it."""
    tell: Callable[[int], bool] = lambda n_done: False
    """Called after each task with their number; returning True stops the others."""
    stopped: threading.Event = field(default_factory=threading.Event)
    best: dict[Any, list[Candidate]] = field(default_factory=dict)
    """The best rule sets so far of each task."""
    n_done: int = 0
    end: float = math.inf
    """When the time of a task is over."""

    def __reduce__(self) -> Any:
        return Watch, ()

    def timed(self, seconds: float | None) -> Watch:
        """Return the watch of a task that starts now and may take so long."""
        return self if seconds is None else replace(self, end=time.monotonic() + seconds)

    @property
    def late(self) -> bool:
        """Whether the time is over."""
        return time.monotonic() > self.end

    def over(self) -> bool:
        """Return whether a task is to end."""
        return self.late or self.stopped.is_set()

    def count(self) -> None:
        """Count a task that has ended."""
        self.n_done += 1
        if self.tell(self.n_done):
            self.stopped.set()


def evolve(
    rows: CellRows,
    starts: list[Candidate],
    settings: Settings,
    random_state: int,
    watch: Watch | None = None,
    name: Any = None,
) -> list[Candidate]:
    """Return one rule set per member; each starts from the best of ``starts`` for it.

    Members of one rule evolve first, from starts of at most one rule, and the others start from
    what these found too.
    """
    watch = watch or Watch()
    rng = np.random.default_rng(random_state)
    members = [Member(rows, settings, *member, rng) for member in settings.members]
    for member in members:  # a run that is interrupted returns all of them
        member.begin(starts[0])
    # members of one rule are on their own, so that they find the same in every population
    singles = [member for member in members if member.max_rules == 1]
    others = [member for member in members if member.max_rules > 1]
    for group in (singles, others):
        of = starts if group is others else [start for start in starts if len(start) <= 1]
        for number, member in enumerate(group):
            member.begin_at_best(_starts_of(number, of))
            if settings.sow:
                member.sow()
        for _ in _generations(group, settings, watch):
            watch.best[name] = [member.best() for member in members]
        starts = [*starts, *(member.best() for member in group)]
    candidates = [member.best() for member in members]
    if settings.conflicts == "best":
        return [candidate.ranked(rows.cells, rows.gains) for candidate in candidates]
    return candidates


def _starts_of(number: int, starts: list[Candidate]) -> list[Candidate]:
    """Return the starts of a member: those with the same default, for each member another one.

    Which default is best shows only after evolution, when better rule sets replace others.
    """
    defaults = list(dict.fromkeys(start.default for start in starts))
    return [start for start in starts if start.default == defaults[number % len(defaults)]]


def _generations(members: list[Member], settings: Settings, watch: Watch) -> Iterator[None]:
    """Evolve members together, and yield after each generation."""
    turns = settings.turns
    temperatures = np.geomspace(settings.hot, settings.cold, settings.generations + 1)
    for generation, heats in enumerate(pairwise(temperatures), 1):
        improved = False
        for member in members:
            before = member.value
            twin = _twin(member, members) if turns.ends_early else None
            if twin is not None:
                if twin.value > before + _NEARLY:
                    member.begin(twin.best())
                continue
            if settings.growth:
                member.grow(settings.growth)
            moves = round(settings.moves * _effort(member.size, settings.least))
            if member.max_rules == 1:
                moves = min(moves, max(_SINGLE_MOVES, moves // 4))
            turns.anneal(member, members, moves, heats, watch)
            improved |= member.value > before + _EQUAL
        yield
        if watch.over():
            break
        candidates = [member.best() for member in members]
        for own, member in zip(candidates, members, strict=True):
            fitting = [candidate for candidate in candidates if len(candidate) <= member.max_rules]
            other = max(fitting, key=lambda candidate: candidate.value(member.penalty))
            if other.value(member.penalty) > own.value(member.penalty) + _NEARLY:
                member.begin(other)
                improved = True
        cool = 2 * generation >= settings.generations  # while it is hot, improvement may come later
        if cool and not improved and turns.ends_early:
            break


def _effort(n_rules: int, least: float) -> float:
    """Return the share of the moves that a member with so many rules takes in a generation.

    >>> [_effort(n, 0.5) for n in (1, 16, 24, 32, 64, 128)]
    [0.5, 0.5, 0.75, 1.0, 1.0, 2.0]
    """
    some, many = _RULES_AT_EASE
    return max(least, min(1.0, n_rules / some), n_rules / many)


def _twin(member: Member, members: list[Member]) -> Member | None:
    """Return a member with the same penalty and more rules allowed that needs no more of them."""
    for other in members:
        if other.penalty == member.penalty and other.size <= member.max_rules < other.max_rules:
            return other
    return None


@lru_cache(maxsize=1_000)
def _temperatures(hot: float, cold: float, n: int) -> list[float]:
    """Return temperatures in between, which are the same for all members of a generation."""
    return list(np.geomspace(hot, cold, n).tolist())


class Member:
    """A rule set of the population, the best version of it so far, and its penalty."""

    def __init__(
        self,
        rows: CellRows,
        settings: Settings,
        penalty: float,
        max_rules: int,
        rng: np.random.Generator,
    ) -> None:
        self.rows, self.penalty, self.max_rules = rows, penalty, max_rules
        self.draft = new_draft(rows, max_rules, settings, rng)
        self._best, self._totals = WordRules.empty(max_rules, len(rows.n_cells)), Totals()

    def begin_at_best(self, starts: list[Candidate]) -> None:
        """Start from the candidate with the highest value for this member."""
        values = []
        for start in starts:
            self.begin(start)
            values.append(self.best().value(self.penalty))
        # the first of equal ones, whatever the rounding of their sums
        self.begin(starts[int(np.argmax(np.array(values) > max(values) - _NEARLY))])

    def begin(self, start: Candidate) -> None:
        """Start from a candidate."""
        kernels.load(self.rows, self.draft, WordRules(start.masks, start.then), start.default)
        self._keep()

    def sow(self) -> None:
        """Add random rules around rows."""
        kernels.sow(self.rows, self.draft, 4 * self.max_rules)
        self._keep()

    def grow(self, failures: int) -> None:
        """Add rules around wrongly predicted rows until a number of them in a row fails."""
        kernels.grow(self.rows, self.draft, failures, self.penalty)
        state = self.draft.state
        if state.score - self.penalty * (state.size + state.cost) > self.value + _EQUAL:
            self._keep()

    def _keep(self) -> None:
        """Make the current version the best one."""
        kernels.keep(self.draft, self._best, self._totals)

    def best(self) -> Candidate:
        """Return the best version so far."""
        best, totals = self._best, self._totals
        masks, then = best.masks[: totals.size].copy(), best.then[: totals.size].copy()
        return Candidate(masks, then, totals.code_by_default, totals.cost, totals.score)

    @property
    def size(self) -> int:
        """Number of rules of the best version."""
        return int(self._totals.size)

    @property
    def value(self) -> float:
        """Score of the best version, minus the penalty for rules and conditions."""
        totals = self._totals
        return float(totals.score - self.penalty * (totals.size + totals.cost))

    @property
    def worth(self) -> float:
        """Score of the best version."""
        return float(self._totals.score)

    def donors(self, members: list[Member]) -> WordRules:
        """Return the rules of the two members of the most similar size, which may fit."""
        others = [other for other in members if other is not self]
        near = sorted(others, key=lambda other: abs(other.size - self.size))[:2]
        donors = [other.best() for other in near]
        masks = np.concatenate([self._best.masks[:0], *(donor.masks for donor in donors)])
        then = np.concatenate([self._best.then[:0], *(donor.then for donor in donors)])
        return WordRules(masks, then)

    def anneal(self, donors: WordRules, moves: int, hot: float, cold: float) -> None:
        """Take moves, some of which take rules of the donors."""
        schedule = Schedule(moves, hot, cold, self.penalty)
        kernels.anneal(self.rows, self.draft, donors, schedule, self._best, self._totals)


def grow_rules(
    rows: CellRows, start: Candidate, settings: Settings, penalty: float, random_state: int
) -> Candidate:
    """Return the rules that grow around wrongly predicted rows, one after another.

    Each must add more correct predictions than its rule and its conditions cost.
    """
    rng = np.random.default_rng(random_state)
    member = Member(rows, settings, penalty, settings.max_rules, rng)
    member.begin(start)
    member.grow(_FAILURES)
    return member.best()


def new_draft(
    rows: CellRows, max_rules: int, settings: Settings, rng: np.random.Generator
) -> Draft:
    """Return a draft without rules that has room for ``max_rules``."""
    state = State(
        rule_limit=max_rules,
        resolve=RESOLVE[settings.conflicts],
        guard=settings.turns.guard(settings.conflicts),
        fixed_default=settings.fixed_default,
        evaluation_limit=-1,
        random=int(rng.integers(1, 2**63, size=1)[0]),  # xorshift never leaves 0
    )
    limits = settings.limits or Limits.none(len(rows.cells), rows.gains.shape[1])
    return Draft.empty(rows, state, min(settings.max_tests, TEST_LIMIT), limits)


def covering(masks: Words, cells: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
    """Return which rule (row) covers which instance (column)."""
    covers = np.empty((len(masks), cells.shape[1]), dtype=bool)
    kernels.cover(np.ascontiguousarray(cells), np.ascontiguousarray(masks), covers)
    return covers


def worths(
    candidate: Candidate, covers: npt.NDArray[np.bool_], gains: npt.NDArray[Any]
) -> npt.NDArray[np.float64]:
    """Return the quality of each rule: the smoothed share of the highest gains of its rows."""
    best = gains.max(axis=1)
    right = [gains[row, then].sum() for row, then in zip(covers, candidate.then, strict=True)]
    possible = [best[row].sum() for row in covers]
    return (np.array(right, dtype=float) + 1.0) / (np.array(possible, dtype=float) + 2.0)


def predict(candidate: Candidate, cells: npt.NDArray[np.uint8], conflicts: str) -> Shorts:
    """Return the code that a candidate predicts for each instance."""
    codes = np.full(cells.shape[1], candidate.default, dtype=np.int16)
    covers = covering(candidate.masks, cells)
    if conflicts == "vote" and len(candidate):
        n_codes = int(candidate.then.max()) + 1
        votes = np.zeros((n_codes, cells.shape[1]), dtype=np.int32)
        for row, then in zip(covers, candidate.then, strict=True):
            votes[then] += row
        return np.where(votes.any(axis=0), votes.argmax(axis=0), codes).astype(np.int16)
    # the first of several decides: rules are in order of quality where that matters
    for row, then in zip(covers[::-1], candidate.then[::-1], strict=True):
        codes[row] = then
    return codes


def without_redundant(
    candidate: Candidate, cells: npt.NDArray[np.uint8], *, everywhere: bool = False
) -> Candidate:
    """Return a consistent candidate without rules whose removal changes no prediction.

    It changes none of the given rows or, if ``everywhere``, none at all: such rules predict the
    default or lie inside another rule of their consequent. Rules with few rows are removed first.
    """
    masks, then = candidate.masks, candidate.then
    covers = covering(masks, cells)
    count = covers.sum(axis=0)
    kept = then != candidate.default
    count -= covers[~kept].sum(axis=0)
    for rule in np.argsort(covers.sum(axis=1), kind="stable").tolist():
        if not kept[rule]:
            continue
        kept[rule] = False
        if everywhere:
            others = masks[kept & (then == then[rule])]
            needed = not ((masks[rule] & ~others) == 0).all(axis=1).any()
        else:
            needed = bool((count[covers[rule]] == 1).any())
        if needed:
            kept[rule] = True
        else:
            count -= covers[rule]
    return candidate if kept.all() else candidate.take(np.flatnonzero(kept))
