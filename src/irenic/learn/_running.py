"""Running the tasks of a fit: on any joblib backend, with progress, a time budget and Ctrl-C."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from sklearn.utils.parallel import Parallel, delayed

from irenic.learn._evolution import Candidate, Watch
from irenic.learn._tasks import Outcome, Plan, Prepared, Problem, folds_of, island, validate
from irenic.learn.target import Consequents

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Named:
    """A candidate with what its codes of consequents stand for."""

    candidate: Candidate
    values: Sequence[Hashable]

    def among(self, consequents: Consequents) -> Candidate:
        """Return the candidate with the codes of other consequents, without rules of none."""
        places = {value: code for code, value in enumerate(consequents.values())}
        codes = np.array([places.get(value, -1) for value in self.values], dtype=np.int16)
        then = codes[self.candidate.then]
        default = max(0, int(codes[self.candidate.default]))
        return Candidate(self.candidate.masks[then >= 0], then[then >= 0], default)


@dataclass(frozen=True, eq=False)
class Found:
    """What a fit found, before it is put into words: candidates with their penalties."""

    consequents: Consequents
    candidates: list[tuple[float, float, Candidate]]
    """Penalty, validated worth (NaN if there is none), candidate."""
    interrupted: bool = False


def run(
    problem: Problem,
    plan: Plan,
    *,
    earlier: list[Named],
    n_jobs: int | None,
    tell: Callable[[int, int], bool],
    watch: Watch,
) -> Found:
    """Run all tasks; ``tell(done, of)`` is called after each and returns whether to stop.

    ``earlier`` are rule sets over the same cells to start from, besides trees.
    """
    n_tasks = plan.folds + plan.islands
    prepared = plan.prepare(problem, plan.random_state)
    starts = [named.among(prepared.consequents) for named in earlier]
    prepared = replace(prepared, starts=[*prepared.starts, *starts])
    folds = folds_of(problem, plan.folds, plan.random_state)
    tasks = [delayed(island)(prepared, plan, i, watch) for i in range(plan.islands)]
    tasks += [delayed(validate)(problem, plan, i, out, watch) for i, out in enumerate(folds)]
    outcomes: list[Outcome] = []
    interrupted = False
    # threads do: the kernels release the GIL; another backend that was asked for comes first
    work = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator_unordered")(tasks)
    try:
        for outcome in work:
            outcomes.append(outcome)
            if tell(len(outcomes), n_tasks):
                watch.stopped.set()
    except KeyboardInterrupt:
        interrupted = True
        watch.stopped.set()
        # told to stop, the other tasks end soon with what they have
        outcomes.extend(work)
        outcomes = _gather(outcomes, watch)
        if not any(outcome.candidates for outcome in outcomes if outcome.name[0] == "island"):
            raise
    return _collect(prepared, plan, outcomes, interrupted, len(problem))


def _gather(outcomes: list[Outcome], watch: Watch) -> list[Outcome]:
    """Return finished outcomes and, of islands that were cut short, what they had."""
    finished = {outcome.name for outcome in outcomes}
    rest = [
        Outcome(name, candidates)
        for name, candidates in watch.done.items()
        if name not in finished and name[0] == "island"
    ]
    return outcomes + rest


def _collect(
    prepared: Prepared, plan: Plan, outcomes: list[Outcome], interrupted: bool, n_rows: int
) -> Found:
    """Return the candidates of all islands, with what validation says of their penalty."""
    # by name, not in the order in which they came in: sums of floats must not depend on that
    outcomes = sorted(outcomes, key=lambda outcome: outcome.name)
    validated = [outcome for outcome in outcomes if outcome.validated is not None]
    # no rules at all, whatever the penalty: for who asks for fewer than any other has
    penalties = [*(penalty for penalty, _ in plan.settings.members), float(n_rows)]
    worth = np.full(len(penalties), np.nan)
    if validated:
        weights = [outcome.weight for outcome in validated]
        worth = np.average([outcome.validated for outcome in validated], axis=0, weights=weights)
    candidates = [
        (penalty, float(score), candidate)
        for outcome in outcomes
        if outcome.name[0] == "island"
        for penalty, score, candidate in zip(penalties, worth, outcome.candidates, strict=False)
    ]
    return Found(prepared.consequents, candidates, interrupted)


@contextmanager
def progress_bar(shown: bool) -> Iterator[Callable[[int, int], None]]:
    """Show how many tasks are done, on standard error."""
    if not shown:
        yield lambda done, of: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("learning rules"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("Ctrl-C keeps the best so far"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        lock = threading.Lock()

        def show(done: int, of: int) -> None:
            with lock:
                bar.update(task, completed=done, total=of)

        yield show
