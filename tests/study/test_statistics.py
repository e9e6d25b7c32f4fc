"""Tests of the comparisons of learners: by hand, by laws, and by scipy."""

from __future__ import annotations

import itertools
import math
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from strategies import examples
from study import statistics

# a coarse grid, so that ties and zeros are common
SCORES = st.integers(0, 20).map(lambda i: i / 20)


# an exact test with ties goes through all signs of 9 to 13 rows: seconds that show no more
ROWS = st.sampled_from([1, 2, 3, 5, 8, 14, 20, 40])
FEWER = examples(0.4)


def tables():
    return (
        st.tuples(ROWS, st.integers(2, 5))
        .flatmap(lambda shape: hnp.arrays(float, shape, elements=SCORES))
        .map(lambda values: pd.DataFrame(values, columns=list("abcde")[: values.shape[1]]))
    )


def of(a, b, measure="accuracy"):
    means = pd.DataFrame({"a": a, "b": b}, dtype=float)
    means.attrs["measure"] = measure
    return means


def records(values):
    """Return fold records of {(set, learner): one list of fold values per seed}."""
    return pd.DataFrame(
        [
            {"set": s, "group": "g", "learner": w, "seed": r, "fold": f, "accuracy": value}
            for (s, w), seeds in values.items()
            for r, folds in enumerate(seeds)
            for f, value in enumerate(folds)
        ]
    )


# --- means by set


def test_means_are_over_folds_in_the_order_of_the_records():
    given_records = records(
        {
            ("z", "b"): [[0.5, 0.7], [0.6, 0.6]],
            ("z", "a"): [[1, 0], [1, 1]],
            ("y", "b"): [[1]],
            ("y", "a"): [[0]],
        }
    )
    means = statistics.by_set(given_records, "accuracy")
    assert means.index.tolist() == ["z", "y"]
    assert means.columns.tolist() == ["b", "a"]
    assert means.to_numpy() == pytest.approx(np.array([[0.6, 0.75], [1, 0]]))
    assert means.attrs["measure"] == "accuracy"
    assert statistics.by_set(given_records, "accuracy", ["a"]).columns.tolist() == ["a"]


def test_a_learner_without_all_folds_has_no_mean():
    nan = math.nan
    means = statistics.by_set(
        records(
            {
                ("s", "whole"): [[0.5, 0.5, 0.8]],
                ("s", "failed"): [[0.9, 0.9, nan]],
                ("s", "not run"): [[0.9, 0.9]],
                ("t", "whole"): [[0.1, nan]],
                ("t", "failed"): [[0.2, nan]],
                ("t", "not run"): [[0.3, nan]],
                ("u", "whole"): [[nan]],
            }
        ),
        "accuracy",
    )
    assert means.loc["s", "whole"] == pytest.approx(0.6)
    assert means.loc["s", ["failed", "not run"]].isna().all()
    assert means.loc["t"].tolist() == [0.1, 0.2, 0.3]  # a fold that nobody has is no fold
    assert means.loc["u"].isna().all()


def test_seeds_are_averaged_and_learners_may_have_different_numbers():
    given_records = records(
        {
            ("s", "once"): [[0.5, 0.7]],
            ("s", "twice"): [[0.2, 0.8], [0.4, 0.6]],
            # the second seed was not run on all folds: each fold has the same weight
            ("s", "between"): [[0.0, 1.0], [0.5]],
        }
    )
    means = statistics.by_set(given_records, "accuracy")
    assert means.loc["s"].to_dict() == pytest.approx(
        {"once": 0.6, "twice": 0.5, "between": (0.25 + 1.0) / 2}
    )
    # a fold without any seed is lacking, whatever the number of seeds of others
    lacking = records({("s", "a"): [[0.5, 0.7]], ("s", "b"): [[0.2], [0.4], [0.6]]})
    assert math.isnan(statistics.by_set(lacking, "accuracy").loc["s", "b"])


@given(st.data())
def test_means_by_set_against_sums(data):
    # every learner has all folds, of a number of seeds of its own
    shape = st.tuples(st.integers(1, 3), st.just(data.draw(st.integers(1, 4), label="folds")))
    values = {
        (name, learner): data.draw(shape.flatmap(lambda s: hnp.arrays(float, s, elements=SCORES)))
        for name in ("s", "t")
        for learner in ("a", "b")
    }
    one = records(values)
    order = data.draw(st.permutations(range(len(one))), label="order")
    found = statistics.by_set(one.iloc[order], "accuracy")
    for (name, learner), folds in values.items():
        assert found.loc[name, learner] == pytest.approx(folds.sum() / folds.size)


def test_folds_of_learners_that_are_not_asked_for_count():
    given_records = records({("s", "a"): [[1.0]], ("s", "b"): [[1.0, 0.0]]})
    assert statistics.by_set(given_records, "accuracy", ["a"]).isna().to_numpy().all()


def test_records_that_cannot_be_averaged_are_refused():
    good = records({("s", "a"): [[1.0]]})
    with pytest.raises(ValueError, match=r"must have the columns \['rules'\]"):
        statistics.by_set(good, "rules")
    with pytest.raises(ValueError, match=r"'accuracy' for \['b'\]; learners are \['a'\]"):
        statistics.by_set(good, "accuracy", ["a", "b"])
    with pytest.raises(ValueError, match="must be unique"):
        statistics.by_set(good, "accuracy", ["a", "a"])
    with pytest.raises(ValueError, match=r"recorded more than once, the first .*'set': 's'"):
        statistics.by_set(pd.concat([good, good]), "accuracy")
    with pytest.raises(ValueError, match=r"must have the columns \['seed'\]"):
        statistics.by_set(good.drop(columns="seed"), "accuracy")


# --- pairs of learners


def test_a_difference_by_hand():
    # differences 0.1, 0.2, -0.3, 0, 0.4: with the zero ranked first, ranks 2, 3, 4, 1, 5
    found = statistics.paired(of([0.5, 0.6, 0.2, 0.7, 0.9], [0.4, 0.4, 0.5, 0.7, 0.5]), "a", "b")
    assert found.n == 5
    assert found.mean == pytest.approx(0.08)
    assert found.median == pytest.approx(0.1)
    assert (found.wins, found.ties, found.losses) == (3, 1, 1)
    assert found.rank_biserial == pytest.approx((2 + 3 + 5 - 4) / 15)
    deviation = math.sqrt((0.02**2 + 0.12**2 + 0.38**2 + 0.08**2 + 0.32**2) / 4)
    assert found.d_z == pytest.approx(0.08 / deviation)
    # exact: over the 16 signs of the ranks 2 to 5, of which the positive ones sum to 10
    assert found.p == pytest.approx(2 * sum(s >= 10 for s in sums([2, 3, 4, 5])) / 16)
    half = 2.776445105 * deviation / math.sqrt(5)
    assert found.interval == pytest.approx((0.08 - half, 0.08 + half))
    expected = stats.ttest_1samp([0.1, 0.2, -0.3, 0.0, 0.4], 0).confidence_interval()
    assert found.interval == pytest.approx(tuple(expected))
    assert found.measure == "accuracy"
    with pytest.raises(FrozenInstanceError):
        found.n = 6


def sums(ranks):
    found = [0]
    for rank in ranks:
        found += [s + rank for s in found]
    return found


def test_rounding_makes_no_order_among_equal_differences():
    found = statistics.paired(of([0.3, 0.2, 0.5], [0.2, 0.1, 0.4]), "a", "b")
    assert found.d_z is None
    assert found.interval == pytest.approx((0.1, 0.1))
    assert found.p == pytest.approx(0.25)
    assert statistics.paired(of([0.1 + 0.2], [0.3]), "a", "b").ties == 1


def test_lower_may_be_better():
    means = of([1, 5, 2, 4], [2, 2, 3, 4], "rules")
    more, less = (statistics.paired(means, "a", "b", higher_is_better=h) for h in (True, False))
    assert (more.wins, more.ties, more.losses) == (1, 1, 2)
    assert less == replace(more, higher_is_better=False, wins=2, losses=1)


def test_learners_that_are_equal_in_every_set():
    for n in (1, 2, 5, 40):
        found = statistics.paired(of([0.5] * n, [0.5] * n), "a", "b")
        assert (found.mean, found.p, found.rank_biserial) == (0, 1, 0)
        assert found.interval == ((0, 0) if n > 1 else None)
        assert found.d_z == (0 if n > 1 else None)
        assert (found.wins, found.ties, found.losses) == (0, n, 0)
    # a constant advantage in many sets
    found = statistics.paired(of([0.6] * 40, [0.5] * 40), "a", "b")
    assert found.interval == pytest.approx((0.1, 0.1))
    assert found.p < 1e-6


def test_few_sets_are_not_made_sure():
    one = statistics.paired(of([0.6], [0.5]), "a", "b")
    assert (one.n, one.interval, one.d_z, one.p) == (1, None, None, 1)
    two = statistics.paired(of([0.6, 0.8], [0.5, 0.5]), "a", "b")
    assert two.interval == pytest.approx((0.2 - 12.7062 * 0.1, 0.2 + 12.7062 * 0.1), rel=1e-4)
    assert two.p == 0.5


def test_only_sets_of_both_count():
    nan = math.nan
    means = of([0.6, nan, 0.8, nan], [0.5, 0.4, nan, nan])
    assert statistics.paired(means, "a", "b").n == 1
    assert statistics.ratio(means, "a", "b").mean == pytest.approx(1.2)
    for compare in (statistics.paired, statistics.ratio):
        with pytest.raises(ValueError, match="no set has 'accuracy' of both 'a' and 'b'"):
            compare(means.iloc[1:], "a", "b")
        with pytest.raises(ValueError, match=r"no 'accuracy' of \['c'\]"):
            compare(means, "a", "c")
        with pytest.raises(ValueError, match=r"'accuracy' of .* must be finite"):
            compare(of([math.inf], [1]), "a", "b")


def negated(interval):
    return interval and (-interval[1], -interval[0])


def near(value):
    return None if value is None else pytest.approx(value, abs=1e-9)


@FEWER
@given(tables())
def test_the_p_value_is_that_of_scipy_and_swapping_turns_every_sign(means):
    one, other = statistics.paired(means, "a", "b"), statistics.paired(means, "b", "a")
    differences = ((means["a"] - means["b"]) * 20).round().to_numpy()  # whole: ties are exact
    expected = stats.wilcoxon(differences, zero_method="pratt").pvalue if differences.any() else 1
    assert one.p == other.p == pytest.approx(expected)
    for name in ("mean", "median", "rank_biserial"):
        assert getattr(other, name) == pytest.approx(-getattr(one, name))
    assert (other.wins, other.ties, other.losses) == (one.losses, one.ties, one.wins)
    assert other.interval == near(negated(one.interval))
    assert other.d_z == near(one.d_z and -one.d_z)
    if one.interval:
        assert one.interval[0] - 1e-9 <= one.mean <= one.interval[1] + 1e-9
    # and inverts a ratio
    one, other = statistics.ratio(means, "a", "b"), statistics.ratio(means, "b", "a")
    assert other.mean == pytest.approx(1 / one.mean)
    assert other.p == pytest.approx(one.p)
    if one.interval:
        assert other.interval == pytest.approx((1 / one.interval[1], 1 / one.interval[0]))


# --- ratios


def test_a_ratio_by_hand():
    found = statistics.ratio(of([2, 8, 3], [1, 2, 3], "rules"), "a", "b")
    assert found.mean == pytest.approx(2)  # the cube root of 2 · 4 · 1
    logs = np.log([2, 4, 1])
    half = 4.302652730 * logs.std(ddof=1) / math.sqrt(3)
    assert found.interval == pytest.approx((2 * math.exp(-half), 2 * math.exp(half)))
    assert found.p == stats.wilcoxon(logs, zero_method="pratt").pvalue
    assert (found.n, found.smoothed, found.measure) == (3, 0, "rules")


def test_half_is_added_only_where_there_is_a_zero():
    found = statistics.ratio(of([0, 4, 0], [1, 2, 0], "rules"), "a", "b")
    assert found.smoothed == 2
    assert found.mean == pytest.approx((0.5 / 1.5 * 2 * 1) ** (1 / 3))
    with pytest.raises(ValueError, match="'seconds' of 'a' and 'b' is 0 in 1 sets; pass smoothing"):
        statistics.ratio(of([0, 4], [1, 2], "seconds"), "a", "b", smoothing=None)
    with pytest.raises(ValueError, match="'gain' of 'a' and 'b' must not be negative"):
        statistics.ratio(of([-1, 4], [1, 2], "gain"), "a", "b")


def test_ratios_of_one_set_and_of_equal_counts():
    one = statistics.ratio(of([4], [2]), "a", "b")
    assert (one.mean, one.interval, one.p) == (pytest.approx(2), None, 1)
    for n in (2, 40):
        same = statistics.ratio(of([7] * n, [7] * n), "a", "b")
        assert (same.mean, same.interval, same.p) == (1, (1, 1), 1)


# --- several tests at once


def test_holm_by_hand():
    for p_values, adjusted in (
        ([], []),
        ([0.2], [0.2]),
        ([0.01, 0.02, 0.03], [0.03, 0.04, 0.04]),
        ([0.04, 0.01, 0.03], [0.06, 0.03, 0.06]),
        ([0.6, 0.9, 0.001], [1, 1, 0.003]),
        ([0.01, 0.01], [0.02, 0.02]),
    ):
        assert statistics.holm(p_values) == pytest.approx(np.array(adjusted))
    for wrong in (math.nan, -0.1, 1.1):
        with pytest.raises(ValueError, match="from 0 to 1"):
            statistics.holm([0.5, wrong])


@given(st.lists(st.floats(0, 1), max_size=30))
def test_holm_is_between_the_p_values_and_bonferroni(p_values):
    adjusted = statistics.holm(p_values)
    p = np.array(p_values)
    assert (adjusted >= p).all()
    assert (adjusted <= np.minimum(p * p.size, 1)).all()
    assert (np.diff(adjusted[np.argsort(p)]) >= 0).all()
    assert statistics.holm(p_values[::-1])[::-1] == pytest.approx(adjusted)
    # it is Bonferroni's correction of all sets of tests that contain one (Marcus and others 1976)
    few = p_values[:6]
    sets = [s for n in range(len(few)) for s in itertools.combinations(range(len(few)), n + 1)]
    expected = [
        min(1.0, max(len(s) * min(few[i] for i in s) for s in sets if one in s))
        for one in range(len(few))
    ]
    assert statistics.holm(few) == pytest.approx(np.array(expected))


# --- ranks


def test_ranks_by_hand():
    means = pd.DataFrame({"a": [0.9, 0.8, 0.7], "b": [0.9, 0.9, 0.8], "c": [0.1, 0.2, math.nan]})
    found = statistics.friedman(means)
    assert (found.n, found.k) == (2, 3)
    assert found.average.to_dict() == {"b": 1.25, "a": 1.75, "c": 3.0}
    assert found.average.index.tolist() == found.pairs.index.tolist() == ["b", "a", "c"]
    assert statistics.friedman(means, higher_is_better=False).average["c"] == 1


def test_the_critical_difference_of_demsar():
    # Demšar (2006), section 3.2.2: four learners on 14 sets
    rng = np.random.default_rng(0)
    found = statistics.friedman(pd.DataFrame(rng.random((14, 4)), columns=list("abcd")))
    assert found.critical_difference == pytest.approx(1.25, abs=0.005)


@FEWER
@given(tables(), st.booleans())
def test_ranks_are_those_of_scipy_and_pairs_are_adjusted_together(means, higher):
    found = statistics.friedman(means, higher)
    assert found.average.sum() == pytest.approx(found.k * (found.k + 1) / 2)
    assert found.average.is_monotonic_increasing
    if found.n > 1 and not (means.nunique(axis=1) > 1).any():
        assert (found.chi_square, found.p_chi_square, found.p_iman_davenport) == (0, 1, 1)
    elif found.n > 1 and found.k > 2:
        expected = stats.friedmanchisquare(*means.to_numpy().T)
        assert found.chi_square == pytest.approx(expected.statistic, abs=1e-9)
        assert found.p_chi_square == pytest.approx(expected.pvalue)
    pairs = list(itertools.combinations(means, 2))
    expected = statistics.holm([statistics.paired(means, a, b).p for a, b in pairs])
    assert [found.pairs.loc[a, b] for a, b in pairs] == pytest.approx(expected.tolist())
    assert (found.pairs == found.pairs.T).to_numpy().all()
    assert (np.diag(found.pairs) == 1).all()


def test_the_f_test_of_iman_and_davenport():
    means = pd.DataFrame({"a": [3, 3, 2, 3.0], "b": [2, 1, 3, 2], "c": [1, 2, 1, 1]})
    found = statistics.friedman(means)  # sums of ranks 5, 8, 11
    assert found.chi_square == pytest.approx(12 / (4 * 3 * 4) * (25 + 64 + 121) - 3 * 4 * 4)
    f = 3 * 4.5 / (4 * 2 - 4.5)
    assert found.p_iman_davenport == pytest.approx(stats.f.sf(f, 2, 6))


def test_ranks_of_hard_cases():
    one = statistics.friedman(of([0.9], [0.8]))
    assert one.average.to_dict() == {"a": 1, "b": 2}
    assert one.p_chi_square is one.p_iman_davenport is None
    agreed = statistics.friedman(of([0.9, 0.8], [0.8, 0.7]))
    assert agreed.chi_square == pytest.approx(2)
    assert agreed.p_iman_davenport == 0
    same = statistics.friedman(of([0.5] * 3, [0.5] * 3))
    assert (same.p_chi_square, same.p_iman_davenport) == (1, 1)
    assert same.average.tolist() == [1.5, 1.5]


def test_ranks_that_cannot_be_are_refused():
    with pytest.raises(
        ValueError, match=r"ranks of 'accuracy' need at least two learners, got \['a'\]"
    ):
        statistics.friedman(of([1], [1])[["a"]])
    with pytest.raises(ValueError, match=r"'accuracy' of all learners .*; incomplete: \['b'\]"):
        statistics.friedman(of([1, 2], [math.nan, math.nan]))


# --- folds of one set


def test_a_corrected_interval_by_hand():
    mean, low, high = statistics.corrected_interval([0.0, 0.1, 0.2, 0.1], 0.25)
    half = 3.182446305 * math.sqrt((0.02 / 3) * (1 / 4 + 1 / 3))
    assert (mean, low, high) == pytest.approx((0.1, 0.1 - half, 0.1 + half))


@given(
    st.lists(st.floats(-1, 1), min_size=2, max_size=30).filter(lambda d: np.ptp(d) > 1e-3),
    st.floats(0.01, 0.5),
)
def test_a_corrected_interval_is_wider_than_the_plain_one(differences, share):
    mean, low, high = statistics.corrected_interval(differences, share)
    plain = stats.ttest_1samp(differences, 0).confidence_interval()
    assert low < plain.low < mean < plain.high < high
    n = len(differences)
    widening = math.sqrt(1 + n * share / (1 - share))
    assert high - low == pytest.approx(widening * (plain.high - plain.low))


def test_intervals_that_cannot_be_are_refused():
    for wrong in ([], [0.1], [0.1, math.nan]):
        with pytest.raises(ValueError, match="needs at least two finite folds"):
            statistics.corrected_interval(wrong, 0.1)
    for share in (0, 1, math.nan):
        with pytest.raises(ValueError, match="test_share must be between 0 and 1"):
            statistics.corrected_interval([0.1, 0.2], share)


def test_verdicts_by_the_folds_of_each_set():
    nan = math.nan
    given_records = records(
        {
            ("better", "a"): [[0.9, 0.91, 0.9], [0.9, 0.9, 0.91]],
            ("better", "b"): [[0.5] * 3] * 2,
            ("worse", "a"): [[0.4] * 3] * 2,
            ("worse", "b"): [[0.5] * 3] * 2,
            ("even", "a"): [[0.5] * 3] * 2,
            ("even", "b"): [[0.5] * 3] * 2,
            ("noise", "a"): [[0.3, 0.8, 0.6], [0.5, 0.5, 0.4]],
            ("noise", "b"): [[0.5] * 3] * 2,
            ("failed", "a"): [[0.9, 0.9, nan]] * 2,
            ("failed", "b"): [[0.5] * 3] * 2,
            ("only b", "b"): [[0.5] * 3] * 2,
        }
    )
    found = statistics.verdicts(given_records, "accuracy", "a", "b")
    assert (found.better, found.undecided, found.worse) == (1, 2, 1)
    turned = statistics.verdicts(given_records, "accuracy", "b", "a")
    assert (turned.better, turned.undecided, turned.worse) == (1, 2, 1)
    only = given_records[given_records["set"].isin(["better", "noise"])]
    less = statistics.verdicts(only, "accuracy", "a", "b", higher_is_better=False)
    assert (less.better, less.undecided, less.worse) == (0, 1, 1)


def test_verdicts_use_the_share_of_the_folds():
    # four folds: the plain t interval leaves zero out, the corrected one does not
    values = [0.06, 0.02, 0.05, 0.015]
    assert stats.ttest_1samp(values, 0).confidence_interval().low > 0
    (_, low, _), (_, narrow, _) = (statistics.corrected_interval(values, x) for x in (0.25, 0.01))
    assert low < 0 < narrow
    given_records = records({("s", "a"): [values], ("s", "b"): [[0.0] * 4]})
    found = statistics.verdicts(given_records, "accuracy", "a", "b")
    assert (found.better, found.undecided, found.worse) == (0, 1, 0)


def test_seeds_are_no_further_folds_of_verdicts():
    # a difference that three folds do not show is not shown by fitting them again
    once = records({("s", "a"): [[0.6, 0.52, 0.68]], ("s", "b"): [[0.5] * 3]})
    again = records({("s", "a"): [[0.6, 0.52, 0.68]] * 20, ("s", "b"): [[0.5] * 3]})
    assert statistics.verdicts(once, "accuracy", "a", "b").undecided == 1
    assert statistics.verdicts(again, "accuracy", "a", "b").undecided == 1
    # noise of seeds that cancels out in each fold is none of the folds
    noisy = records(
        {("s", "a"): [[0.9, 0.3, 0.61], [0.3, 0.9, 0.61]], ("s", "b"): [[0.5, 0.5, 0.5]]}
    )
    assert statistics.verdicts(noisy, "accuracy", "a", "b").better == 1


def test_verdicts_that_cannot_be_are_refused():
    held_out = records({("s", "a"): [[1.0]] * 3, ("s", "b"): [[0.5]] * 3})
    with pytest.raises(ValueError, match="set 's' has one fold of 'accuracy' for 'a' and 'b'"):
        statistics.verdicts(held_out, "accuracy", "a", "b")
    apart = records({("s", "a"): [[1.0, 1.0]], ("t", "b"): [[0.5, 0.5]]})
    with pytest.raises(ValueError, match="no set has 'accuracy' of both 'a' and 'b'"):
        statistics.verdicts(apart, "accuracy", "a", "b")


# --- equivalence


def test_equivalence_is_of_the_whole_interval():
    found = statistics.paired(of([0.5] * 4, [0.5] * 4), "a", "b")
    assert statistics.equivalent(found, 0.01)
    for low, high, within in (
        (-0.009, 0.009, True),
        (-0.011, 0.0, False),
        (0.0, 0.011, False),
        (0.02, 0.03, False),
    ):
        assert statistics.equivalent(replace(found, interval=(low, high)), 0.01) is within
    assert not statistics.equivalent(replace(found, interval=None), 0.01)
    for margin in (0, -1, math.nan):
        with pytest.raises(ValueError, match="above 0"):
            statistics.equivalent(found, margin)
