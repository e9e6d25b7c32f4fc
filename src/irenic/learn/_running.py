"""Run the tasks of a fit on any joblib backend, with progress, a budget and Ctrl-C."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from irenic.budget import StoppedBy
from irenic.learn._cells import Cells
from irenic.learn._evolution import Candidate, Watch
from irenic.learn._left_out import Validation
from irenic.learn._probabilities import Division
from irenic.learn._tasks import Outcome, Plan, island, validate
from irenic.learn.sample import Sample
from irenic.learn.tally import Priors
from irenic.learn.target import Consequents
from irenic.model.space import Instances

# Correct predictions that each rule and condition must add in the candidate to refine.
_REFINED: Final = 1.0


@dataclass(frozen=True, eq=False)
class Named:
    """A candidate with the values of its consequent codes."""

    candidate: Candidate
    values: Sequence[Hashable]

    def among(self, consequents: Consequents) -> Candidate:
        """Return the candidate with the codes of ``consequents``, without rules that have none."""
        codes = consequents.codes_of(self.values)
        then = codes[self.candidate.then]
        default = max(0, int(codes[self.candidate.default]))
        return Candidate(self.candidate.masks[then >= 0], then[then >= 0], default)


class Evolved(NamedTuple):
    """A candidate, and the member of the population that it comes from."""

    member: int
    penalty: float
    validated: float
    """Mean score of the member on rows left out, NaN if there are none."""
    priors: Priors | None
    """How many average rows to add to those of each rule, None if no rows were left out."""
    candidate: Candidate


@dataclass(frozen=True, eq=False)
class Result:
    """The candidates of a fit and how it ended."""

    consequents: Consequents
    candidates: list[Evolved]
    validation: Validation | None
    division: Division | None
    """Regions of probability."""
    stopped_by: StoppedBy | None = None


def run(
    sample: Sample,
    plan: Plan,
    *,
    earlier: list[Named],
    n_jobs: int | None,
    tell: Callable[[int], bool],
    watch: Watch,
    leads: bool = True,
    validated: Sample | None = None,
) -> Result:
    """Run all tasks; ``tell(done)`` is called after each and returns whether to stop.

    ``earlier`` are rule sets over the same cells to start from, in addition to trees. If ``leads``,
    predictions have the highest probability. Validation uses the rows of ``validated``, if they are
    not those of the sample.
    """
    validated = sample if validated is None else validated
    prepared = plan.prepare(sample, plan.random_state)
    starts = [named.among(prepared.consequents) for named in earlier]
    if plan.settings.fixed_default:
        starts = [replace(start, default=prepared.starts[0].default) for start in starts]
    prepared = replace(prepared, starts=[*prepared.starts, *starts])
    folds = validated.folds(plan.folds, plan.random_state)
    tasks = [delayed(island)(prepared, plan, i, watch) for i in range(plan.islands)]
    tasks += [delayed(validate)(validated, plan, i, out, watch) for i, out in enumerate(folds)]
    outcomes: list[Outcome] = []
    # threads are enough, because kernels release the GIL; a backend set by the user takes priority
    work = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator_unordered")(tasks)
    try:
        for outcome in work:
            outcomes.append(outcome)
            if tell(len(outcomes)):
                watch.stopped.set()
    except KeyboardInterrupt:
        watch.stopped.set()
        # the other tasks now end soon with the best so far
        outcomes.extend(work)
        outcomes = _gather(outcomes, watch)
        if not any(outcome.candidates for outcome in outcomes if outcome.name[0] == "island"):
            raise
    stopped_by: StoppedBy | None = "seconds" if any(o.late for o in outcomes) else None
    if watch.stopped.is_set():
        stopped_by = "interrupt"
    # sorted, because sums of floats must not depend on the order of arrival
    outcomes.sort(key=lambda outcome: outcome.name)
    # the last candidate has no rules, for users who ask for fewer than any other has
    penalties = [*(penalty for penalty, _ in plan.settings.members), float(len(sample))]
    folds_done = [o.validation for o in outcomes if o.validation is not None]
    validation = Validation.from_folds(folds_done) if folds_done else None
    overall = np.average(sample.target.truth, axis=0, weights=sample.unbalanced)
    if validation is not None:
        validation = validation.judged(plan.scoring, sample.target.labels, overall, lead=leads)
    scores = np.full(len(penalties), np.nan) if validation is None else validation.means()
    priors: list[Priors | None] = [None] * len(penalties)
    if validation is not None and validation.tallies:
        priors = [*validation.priors(overall)]
    limits = [max_rules for _, max_rules in plan.settings.members]
    # a single rule comes from a member of one rule, whose folds have one too
    several = {member for member, limit in enumerate(limits) if limit > 1 and 1 in limits}
    candidates = [
        Evolved(member, penalties[member], float(scores[member]), priors[member], candidate)
        for outcome in outcomes
        if outcome.name[0] == "island"
        for member, candidate in enumerate(outcome.candidates)
        if len(candidate) > 1 or member not in several
    ]
    division = Division.grown(sample, prepared.opinion, [one.candidate for one in candidates])
    return Result(prepared.consequents, candidates, validation, division, stopped_by)


def refined(
    result: Result, cells: Cells, instances: Instances
) -> tuple[Cells, list[Named], Candidate]:
    """Return smaller cells around the bounds of the best candidate, and all candidates over them.

    The last is the best one, whose errors show where more rows are needed.
    """
    candidates = [one.candidate for one in result.candidates]
    best = max(candidates, key=lambda candidate: candidate.value(_REFINED))
    finer = cells.finer(best.masks, instances)
    values = result.consequents.values()
    over = [replace(one, masks=finer.translated(one.masks, cells)) for one in candidates]
    return finer, [Named(one, values) for one in over], over[candidates.index(best)]


def _gather(outcomes: list[Outcome], watch: Watch) -> list[Outcome]:
    """Return the finished outcomes, and the best so far of islands that were interrupted."""
    finished = {outcome.name for outcome in outcomes}
    rest = [
        Outcome(name, candidates)
        for name, candidates in watch.done.items()
        if name not in finished and name[0] == "island"
    ]
    return outcomes + rest


@contextmanager
def progress_bar(shown: bool, title: str, hint: str) -> Iterator[Callable[[int, int], None]]:
    """Show on standard error how many tasks are done; the function takes ``done`` and ``of``."""
    if not shown:
        yield lambda done, of: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn(title),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn(hint),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        lock = threading.Lock()

        def show(done: int, of: int) -> None:
            with lock:
                bar.update(task, completed=done, total=of)

        yield show
