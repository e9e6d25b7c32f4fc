"""Evolution of rule sets: a population in which each member minds size by another penalty.

Each member is a whole rule set that is consistent at every step (the Pittsburgh approach, with the
paper's conflict avoidance in every operator). A generation anneals each member by its own, takes
rules from its neighbours on the way, and then lets a member give way to another one that is better
by its measure. What comes out is one rule set a member: an approximation of the front between what
predictions are worth, rules and conditions.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from irenic.kernels import evolution as kernels
from irenic.kernels.evolution import Draft, Rows

Words = npt.NDArray[np.uint64]
Codes = npt.NDArray[np.int16]

RESOLVE: Final = {"avoid": kernels.AVOID, "vote": kernels.VOTE, "best": kernels.BEST}
GUARDS: Final = {
    "make way": kernels.MAKE_WAY,
    "grow": kernels.GROW,
    "let be": kernels.LET_BE,
}
# A rule of more conditions than this nobody reads; fixed so that a rule fits a few cache lines.
_MOST_TESTS: Final = 24
# With more rules than this, moves grow with them: each rule should get its share.
_RULES_AT_EASE: Final = 64.0
# Between two looks at the clock and at Ctrl-C.
_MOVES_AT_ONCE: Final = 2_000
# Where evaluations are counted: so many at one temperature, and so many moves for one at most.
_EVALUATIONS_AT_ONCE: Final = 100
_MOVES_PER_EVALUATION: Final = 30


@dataclass(frozen=True, eq=False)
class Candidate:
    """A rule set as words, with its default and what it is worth on the rows it was made for."""

    masks: Words
    then: Codes
    default: int
    cost: int = 0
    worth: float = 0.0

    def __len__(self) -> int:
        return len(self.then)

    def ranked(self, cells: npt.NDArray[np.uint8], gains: npt.NDArray[Any]) -> Candidate:
        """Return the same rules, the best first: in which order they decide where that counts."""
        rank = np.lexsort((self.then, -worths(self, covering(self.masks, cells), gains)))
        return replace(self, masks=self.masks[rank], then=self.then[rank])

    def value(self, penalty: float) -> float:
        """Return what the set is worth less the penalty for its rules and conditions."""
        return self.worth - penalty * (len(self) + self.cost)


@dataclass(frozen=True)
class Settings:
    """How long and how hot to evolve."""

    members: tuple[tuple[float, int], ...]
    """The penalty of each member of the population, and the most rules that it may have."""
    generations: int = 8
    moves: int = 4_000
    hot: float = 1.5
    cold: float = 0.15
    conflicts: str = "avoid"
    seconds: float | None = None
    fixed_default: bool = False
    """Whether the default stays what it is at the start."""
    sow: bool = False
    """Whether members begin with rules round rows that are drawn, as in the paper."""
    guard: str = ""
    """How moves treat rivals (see ``GUARDS``); by default as ``conflicts`` asks for.

    Rules that moves let be may contradict each other, and so may those of the starts: predictions
    are right where ``conflicts`` is not "avoid" then.
    """
    evaluations: int | None = None
    """Rule sets that a member evaluates in a generation, however many moves these take."""

    @property
    def most_rules(self) -> int:
        """The most rules that any member may have."""
        return max(most for _, most in self.members)


@dataclass
class Watch:
    """What a run of evolution is told from outside: to stop; and where it shows how far it is.

    In another process there is nobody to tell it: a copy that was sent there starts anew.
    """

    stopped: threading.Event = field(default_factory=threading.Event)
    done: dict[Any, list[Candidate]] = field(default_factory=dict)
    trace: list[tuple[int, float, float]] = field(default_factory=list)
    """Evaluations and CPU seconds so far, and the highest worth of a member, after each turn."""

    def __reduce__(self) -> Any:
        return Watch, ()


def evolve(
    rows: Rows,
    starts: list[Candidate],
    settings: Settings,
    random_state: int,
    watch: Watch | None = None,
    name: Any = None,
) -> list[Candidate]:
    """Return one rule set for each penalty.

    ``starts`` are where members begin: each at the one that is worth most to it.
    """
    watch = watch or Watch()
    clock = _Clock(settings, watch)
    rng = np.random.default_rng(random_state)
    heats = np.geomspace(settings.hot, settings.cold, settings.generations + 1)
    members = [_Member(rows, settings, *member, rng) for member in settings.members]
    begun = time.thread_time()
    for member in members:
        member.begin_at_best(starts)
        if settings.sow:
            member.sow()
    for heat, cooler in pairwise(heats):
        for member in members:
            moves = round(settings.moves * max(1.0, len(member.best()) / _RULES_AT_EASE))
            near = _near(member, members)
            if settings.evaluations is None:
                member.anneal(near, moves, heat, cooler, clock)
            else:
                member.evaluate(near, settings.evaluations, heat, cooler, clock)
            watch.trace.append(
                (
                    sum(m.evaluated for m in members),
                    time.thread_time() - begun,
                    max(m.best().worth for m in members),
                )
            )
        found = [member.best() for member in members]
        watch.done[name] = found
        if clock.over():
            break
        for member in members:
            fitting = [candidate for candidate in found if len(candidate) <= member.most_rules]
            other = max(fitting, key=lambda candidate: candidate.value(member.penalty))
            if other.value(member.penalty) > member.best().value(member.penalty) + 1e-9:
                member.begin(other)
    found = [member.best() for member in members]
    if settings.conflicts == "best":
        return [candidate.ranked(rows.cells, rows.gains) for candidate in found]
    return found


def _near(member: _Member, members: list[_Member]) -> list[_Member]:
    """Return the two members whose rule sets are nearest in size: whose rules may fit."""
    others = [other for other in members if other is not member]
    return sorted(others, key=lambda other: abs(len(other.best()) - len(member.best())))[:2]


class _Clock:
    def __init__(self, settings: Settings, watch: Watch) -> None:
        self._end = None if settings.seconds is None else time.monotonic() + settings.seconds
        self._watch = watch

    def over(self) -> bool:
        late = self._end is not None and time.monotonic() > self._end
        return late or self._watch.stopped.is_set()


class _Member:
    """One rule set of the population, the best one that it has been, and its penalty."""

    def __init__(
        self,
        rows: Rows,
        settings: Settings,
        penalty: float,
        most_rules: int,
        rng: np.random.Generator,
    ) -> None:
        self.rows, self.penalty, self.most_rules = rows, penalty, most_rules
        self.draft = new_draft(
            rows,
            most_rules,
            settings.conflicts,
            rng,
            fixed_default=settings.fixed_default,
            guard=settings.guard,
        )
        self._masks = np.zeros((most_rules, len(rows.n_cells)), dtype=np.uint64)
        self._then = np.zeros(most_rules, dtype=np.int16)
        # size, default, cost, score: what the kernel keeps of the best
        self._best = np.zeros(4)

    def begin_at_best(self, starts: list[Candidate]) -> None:
        """Begin at the start that is worth most here, without the rules that have no room."""
        worth = []
        for start in starts:
            self.begin(start)
            worth.append(self.best().value(self.penalty))
        self.begin(starts[int(np.argmax(worth))])

    def begin(self, start: Candidate) -> None:
        kernels.load(self.rows, self.draft, start.masks, start.then, start.default)
        self._keep()

    def sow(self) -> None:
        kernels.sow(self.rows, self.draft, 4 * self.most_rules)
        self._keep()

    def _keep(self) -> None:
        """Take the set as it is for the best so far."""
        size = kernels.unload(self.draft, self._masks, self._then)
        default, cost = self.draft.ints[kernels.DEFAULT], self.draft.ints[kernels.COST]
        self._best[:] = size, default, cost, self.draft.floats[kernels.SCORE]

    def best(self) -> Candidate:
        size, default, cost = (int(v) for v in self._best[:3])
        masks, then = self._masks[:size].copy(), self._then[:size].copy()
        return Candidate(masks, then, default, cost, float(self._best[3]))

    @property
    def evaluated(self) -> int:
        """How many rule sets have been evaluated so far."""
        return int(self.draft.ints[kernels.EVALUATED])

    def anneal(
        self, near: list[_Member], moves: int, hot: float, cold: float, clock: _Clock
    ) -> None:
        donors = _rules_of(near, self)
        parts = max(1, round(moves / _MOVES_AT_ONCE))
        for heat, cooler in pairwise(np.geomspace(hot, cold, parts + 1)):
            self._anneal(donors, moves // parts, heat, cooler)
            if clock.over():
                return

    def evaluate(
        self, near: list[_Member], evaluations: int, hot: float, cold: float, clock: _Clock
    ) -> None:
        """Anneal until so many rule sets have been evaluated."""
        donors = _rules_of(near, self)
        parts = max(1, round(evaluations / _EVALUATIONS_AT_ONCE))
        ends = self.evaluated + np.linspace(0, evaluations, parts + 1).round().astype(int)[1:]
        for heat, end in zip(np.geomspace(hot, cold, parts), ends.tolist(), strict=True):
            self.draft.ints[kernels.LIMIT] = end
            # at one temperature: how many moves an evaluation takes is not known beforehand
            self._anneal(donors, _MOVES_PER_EVALUATION * _EVALUATIONS_AT_ONCE, heat, heat)
            if clock.over():
                return

    def _anneal(self, donors: tuple[Words, Codes], moves: int, hot: float, cold: float) -> None:
        kernels.anneal(
            self.rows,
            self.draft,
            *donors,
            moves,
            hot,
            cold,
            self.penalty,
            self._masks,
            self._then,
            self._best,
        )


def _rules_of(near: list[_Member], member: _Member) -> tuple[Words, Codes]:
    """Return the rules of members that are near another one, for it to take from."""
    donors = [other.best() for other in near]
    masks = np.concatenate([member._masks[:0], *(donor.masks for donor in donors)])
    then = np.concatenate([member._then[:0], *(donor.then for donor in donors)])
    return masks, then


def new_draft(
    rows: Rows,
    most_rules: int,
    conflicts: str,
    rng: np.random.Generator,
    *,
    fixed_default: bool = False,
    guard: str = "",
) -> Draft:
    """Return room for a rule set under change."""
    d, n = rows.cells.shape
    places = most_rules + kernels.STEPS + 1
    guard = guard or ("make way" if conflicts == "avoid" else "let be")
    ints = np.zeros(12, dtype=np.int64)
    ints[kernels.MOST], ints[kernels.RESOLVE] = most_rules, RESOLVE[conflicts]
    ints[kernels.FIXED], ints[kernels.GUARD] = fixed_default, GUARDS[guard]
    ints[kernels.LIMIT] = -1
    return Draft(
        masks=np.zeros((places, d), dtype=np.uint64),
        tests=np.zeros((places, min(d, _MOST_TESTS)), dtype=np.int64),
        n_tests=np.zeros(places, dtype=np.int32),
        then=np.zeros(places, dtype=np.int16),
        cost=np.zeros(places, dtype=np.int32),
        worth=np.zeros(places),
        cover=np.zeros((places + 1, len(rows.full)), dtype=np.uint64),
        slot=np.arange(places, dtype=np.int64),
        count=np.zeros(n, dtype=np.uint16),
        said=np.zeros(n, dtype=np.int16),
        ints=ints,
        floats=np.zeros(4),
        log=np.zeros((kernels.STEPS, 2), dtype=np.int64),
        # xorshift stays at 0 once it is there
        rng=rng.integers(1, 2**63, size=1).astype(np.uint64),
    )


def covering(masks: Words, cells: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
    """Return which rule (row) covers which row of cells (column)."""
    covers = np.ones((len(masks), cells.shape[1]), dtype=bool)
    for f, column in enumerate(cells):
        # 64 entries a rule: whether the rule holds in a cell
        holds = (masks[:, f, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)
        covers &= holds.astype(bool)[:, column]
    return covers


def worths(
    candidate: Candidate, covers: npt.NDArray[np.bool_], gains: npt.NDArray[Any]
) -> npt.NDArray[np.float64]:
    """Return how good each rule is: the smoothed share it gets of what its rows are worth."""
    best = gains.max(axis=1)
    right = [gains[row, then].sum() for row, then in zip(covers, candidate.then, strict=True)]
    possible = [best[row].sum() for row in covers]
    return (np.array(right, dtype=float) + 1.0) / (np.array(possible, dtype=float) + 2.0)


def predict(candidate: Candidate, cells: npt.NDArray[np.uint8], conflicts: str) -> Codes:
    """Return the code that a candidate predicts for each row of cells."""
    said = np.full(cells.shape[1], candidate.default, dtype=np.int16)
    covers = covering(candidate.masks, cells)
    if conflicts == "vote" and len(candidate):
        n_codes = int(candidate.then.max()) + 1
        votes = np.zeros((n_codes, cells.shape[1]), dtype=np.int32)
        for row, then in zip(covers, candidate.then, strict=True):
            votes[then] += row
        return np.where(votes.any(axis=0), votes.argmax(axis=0), said).astype(np.int16)
    # the first of several decides: rules stand in the order of their worth where that matters
    for row, then in zip(covers[::-1], candidate.then[::-1], strict=True):
        said[row] = then
    return said
