"""The annealing host as the study runs it: limited by evaluations, with any guard, and traced.

A rule set whose training score is computed is an evaluation. Proposals that are rejected before
cost nothing.
"""

from __future__ import annotations

import time

import numpy as np

from irenic.kernels import evolve as kernels
from irenic.learn.evolution import Member, Turns, Watch

# What happens to a mutated rule that contradicts others: nothing, rivals make way, each rival cuts
# it on one feature, or CFSBE enlarges the rule before the mutation and cuts it to that region.
GUARDS = {
    "ignore": kernels.IGNORE,
    "make way": kernels.MAKE_WAY,
    "grow": kernels.GROW,
    "enlarge": kernels.ENLARGE,
}
# How many evaluations share a temperature, and the most moves that one takes.
EVALUATIONS_AT_ONCE = 100
MOVES_PER_EVALUATION = 30


class Counted(Turns):
    """Turns of a number of evaluations each, which trace what they cost and reach."""

    ends_early = False

    def __init__(self, guard: str, evaluations: int) -> None:
        self._guard, self._evaluations = GUARDS[guard], evaluations
        self._started = time.thread_time()
        self.trace: list[tuple[int, float, float]] = []
        """Evaluations and CPU seconds so far, and the highest score of any member."""

    def guard(self, conflicts: str) -> int:
        """Return the guard of the arm."""
        return self._guard

    def anneal(
        self,
        member: Member,
        members: list[Member],
        moves: int,
        heats: tuple[float, float],
        watch: Watch,
    ) -> None:
        """Anneal until a number of rule sets has been evaluated."""
        donors = member.donors(members)
        parts = max(1, round(self._evaluations / EVALUATIONS_AT_ONCE))
        ends = np.linspace(0, self._evaluations, parts + 1).round().astype(int)[1:]
        ends += _evaluated(member)
        for heat, end in zip(np.geomspace(*heats, parts), ends.tolist(), strict=True):
            member.draft.state.evaluation_limit = end
            # at one temperature, because the number of moves per evaluation is not known in advance
            member.anneal(donors, MOVES_PER_EVALUATION * EVALUATIONS_AT_ONCE, heat, heat)
        seconds = time.thread_time() - self._started
        worth = max(member.best().worth for member in members)
        self.trace.append((sum(map(_evaluated, members)), seconds, worth))


def _evaluated(member: Member) -> int:
    return int(member.draft.state.evaluated)
