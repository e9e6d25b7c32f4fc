"""How a fit runs: in parallel, watched, hurried, interrupted and resumed."""

from __future__ import annotations

import pickle
import warnings

import joblib
import numpy as np
import pytest
from fitting import check_consistent, people, quick, texts
from sklearn.callback import ProgressBar
from sklearn.datasets import load_iris

from irenic.learn import run
from irenic.learn.evolution import Watch

X, Y = people(90)
VALIDATED = {"selection": "validation", "smoothing": 0.5}


def outcome(clf):
    front = [(p.training_score, p.validated_score, p.penalty) for p in clf.pareto_front_]
    return texts(clf), front, clf.predict_proba(X).tolist()


@pytest.fixture(scope="module")
def alone():
    return outcome(quick(n_jobs=1, **VALIDATED).fit(X, Y))


@pytest.mark.parametrize("n_jobs", [2, -1])
def test_the_result_does_not_depend_on_how_many_run_at_once(alone, n_jobs):
    assert outcome(quick(n_jobs=n_jobs, **VALIDATED).fit(X, Y)) == alone


def test_nor_on_processes(alone):
    with joblib.parallel_config(backend="loky", n_jobs=2):
        assert outcome(quick(**VALIDATED).fit(X, Y)) == alone


@pytest.mark.parametrize("processes", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_nor_on_a_cluster(alone, processes):
    import distributed

    address = {"host": "127.0.0.1"} if processes else {}
    workers = {"n_workers": 2, "threads_per_worker": 1, "processes": processes}
    with warnings.catch_warnings():
        # what a cluster says of sockets and of large tasks is no matter of ours
        warnings.simplefilter("ignore")
        cluster = distributed.LocalCluster(**workers, **address, dashboard_address=None)
        with cluster, distributed.Client(cluster), joblib.parallel_config(backend="dask"):
            found = outcome(quick(**VALIDATED).fit(X, Y))
    assert found == alone


def test_one_fit_within_another(alone):
    fits = joblib.Parallel(n_jobs=2, backend="threading")(
        joblib.delayed(quick(**VALIDATED).fit)(X, Y) for _ in range(2)
    )
    assert [outcome(fit) for fit in fits] == [alone, alone]


class Counting:
    """A callback that counts the tasks, and stops the fit after some of them."""

    def __init__(self, stop_after=None):
        self.begun, self.ended, self.set_up, self.torn_down = [], [], 0, 0
        self.stop_after = stop_after

    def setup(self, estimator, context):
        self.set_up += 1

    def teardown(self, estimator, context):
        self.torn_down += 1

    def on_fit_task_begin(self, estimator, context):
        self.begun.append((context.task_name, context.max_subtasks))

    def on_fit_task_end(self, estimator, context):
        self.ended.append(context.task_name)
        return self.stop_after is not None and len(self.ended) >= self.stop_after


def test_callbacks_are_told_of_each_task(alone):
    counting = Counting()
    clf = quick(**VALIDATED).set_callbacks(counting).fit(X, Y)
    assert (counting.set_up, counting.torn_down) == (1, 1)
    (_, tasks), *parts = counting.begun
    assert tasks == len(parts) > 2
    assert len(counting.ended) == len(counting.begun)
    assert outcome(clf) == alone


def test_a_callback_may_stop_a_fit():
    counting = Counting(stop_after=1)
    clf = quick(generations=3, **VALIDATED).set_callbacks(counting).fit(X, Y)
    assert clf.stopped_by_ == "interrupt"
    check_consistent(clf)
    assert clf.score(X, Y) > 0.5
    assert counting.torn_down == 1


def test_a_refused_fit_leaves_callbacks_in_order():
    counting = Counting()
    with pytest.raises(ValueError, match="got one class: "):
        quick().set_callbacks(counting).fit(X, ["a"] * len(X))
    assert counting.set_up == counting.torn_down


def test_progress_bars_run(capsys):
    clf = quick().set_callbacks(ProgressBar()).fit(X, Y)
    assert clf.score(X, Y) > 0.5
    quick(verbose=True).fit(X, Y)
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "options", [{}, {"init": "seeds"}, VALIDATED | {"n_jobs": 2}, VALIDATED | {"budget": 1e-9}]
)
def test_a_budget_ends_a_fit_with_a_model(options):
    few = {"generations": 10_000, "moves": 2_000, "budget": 0.1}
    clf = quick(**few | options).fit(X, Y)
    check_consistent(clf)
    assert set(clf.predict(X)) <= set(Y)
    assert clf.stopped_by_ == "seconds"


def test_a_budget_that_is_not_used_up_ends_nothing():
    assert quick(budget=1e9).fit(X, Y).stopped_by_ is None


class Interrupting(Counting):
    def on_fit_task_end(self, estimator, context):
        super().on_fit_task_end(estimator, context)
        if len(self.ended) == self.stop_after:
            raise KeyboardInterrupt


@pytest.mark.parametrize(("after", "n_jobs"), [(1, None), (1, 2), (3, 2)])
def test_ctrl_c_keeps_the_best_so_far(after, n_jobs):
    callback = Interrupting(stop_after=after)
    clf = quick(n_jobs=n_jobs, selection="validation").set_callbacks(callback)
    try:
        clf.fit(X, Y)
    except KeyboardInterrupt:
        # only where no island has anything to show yet
        assert n_jobs == 2
        return
    check_consistent(clf)
    assert clf.stopped_by_ == "interrupt"
    assert clf.score(X, Y) > 0.5
    assert callback.torn_down == 1
    assert clf.set_callbacks().fit(X, Y).stopped_by_ is None


def test_ctrl_c_within_a_task_keeps_what_it_had(monkeypatch):
    evolve = run.evolve

    def interrupted(rows, starts, settings, seed, watch=None, name=None):
        found = evolve(rows, starts, settings, seed, watch, name)
        if name == ("island", 1):
            raise KeyboardInterrupt
        return found

    monkeypatch.setattr(run, "evolve", interrupted)
    clf = quick().fit(X, Y)
    check_consistent(clf)
    assert clf.score(X, Y) > 0.5


def test_ctrl_c_before_there_is_anything_is_passed_on(monkeypatch):
    def interrupted(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "evolve", interrupted)
    clf = quick()
    with pytest.raises(KeyboardInterrupt):
        clf.fit(X, Y)
    assert not hasattr(clf, "rules_")


def test_a_watch_that_was_sent_elsewhere_starts_anew():
    watch = Watch()
    watch.stopped.set()
    watch.best["x"] = []
    again = pickle.loads(pickle.dumps(watch))
    assert not again.stopped.is_set()
    assert again.best == {}


def best_worth(clf):
    return max(point.training_score for point in clf.pareto_front_)


def starts_of(monkeypatch, clf, *data):
    """Return how many earlier rule sets a fit starts from."""
    seen = []

    of = run.Run.of

    def noted(*args, earlier, **options):
        seen.append(len(earlier))
        return of(*args, earlier=earlier, **options)

    monkeypatch.setattr(run.Run, "of", noted)
    clf.fit(*data)
    monkeypatch.undo()
    return seen[0]


@pytest.mark.parametrize("conflicts", ["avoid", "vote", "best"])
def test_a_warm_start_is_not_worse(conflicts):
    clf = quick(warm_start=True, conflicts=conflicts, moves=1000).fit(X, Y)
    for _ in range(2):
        before = best_worth(clf)
        clf.set_params(moves=1, random_state=1).fit(X, Y)
        assert best_worth(clf) >= before - 1e-9
    if conflicts == "avoid":
        check_consistent(clf)
        clf.set_params(max_rules=2).fit(X, Y)
        assert all(point.n_rules <= 2 for point in clf.pareto_front_)
        check_consistent(clf)


def test_a_warm_start_begins_where_the_last_fit_ended(monkeypatch):
    clf = quick(warm_start=True)
    assert starts_of(monkeypatch, clf, X, Y) == 0
    n = len(clf.pareto_front_)
    assert starts_of(monkeypatch, clf, X, Y) == n
    assert starts_of(monkeypatch, clf, *people(90, seed=5)) > 0
    check_consistent(clf)
    # other columns, other labels: a new beginning
    iris, y = load_iris(return_X_y=True)
    assert starts_of(monkeypatch, clf, iris, y) == 0
    assert starts_of(monkeypatch, clf, iris, np.where(y == 0, "a", "b")) == 0
    assert clf.score(iris, np.where(y == 0, "a", "b")) > 0.9
    labels = np.where(y == 0, "a", "b")
    assert starts_of(monkeypatch, clf.set_params(warm_start=False), iris, labels) == 0


@pytest.mark.parametrize(("init", "conflicts"), [("trees", "vote"), ("seeds", "best")])
def test_a_warm_start_from_rules_that_disagree_is_consistent(init, conflicts):
    clf = quick(warm_start=True, init=init, conflicts=conflicts, moves=1500).fit(X, Y)
    assert not all(point.rule_set.is_consistent for point in clf.pareto_front_)
    clf.set_params(evolution__conflicts="avoid", moves=1).fit(X, Y)
    check_consistent(clf)


def test_a_warm_start_with_sets_of_labels():
    sets = [{label, "all"} if label != "low" else set() for label in Y]
    check_consistent(quick(warm_start=True).fit(X, sets).fit(X, sets))
