"""Measures against values worked out by hand, by brute force or printed in the paper."""

import sys
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import linear_sum_assignment
from scipy.special import zeta
from sklearn.metrics.cluster import contingency_matrix

from pypmeans.metrics import (
    clustering_accuracy,
    discovery_rate,
    fit_power_law_tail,
    normalized_mutual_information,
    power_law_alpha,
)
from pypmeans.process import fit_pitman_yor, sample_partition

LABEL_MEASURES = [clustering_accuracy, normalized_mutual_information, discovery_rate]


def random_labels(n_samples, n_true, n_pred, seed, agree=0.0):
    """Two labellings that agree on a share of the points."""
    random = np.random.RandomState(seed)
    true = random.randint(n_true, size=n_samples)
    pred = np.where(
        random.random_sample(n_samples) < agree,
        true % n_pred,
        random.randint(n_pred, size=n_samples),
    )
    return true, pred


# Accuracy


def test_accuracy_by_hand():
    # Best: 0 with x (3 points), 1 with y (2 points) of 7
    assert clustering_accuracy([0, 0, 0, 0, 1, 1, 1], list("xxxyyyz")) == 5 / 7


def test_accuracy_matches_at_its_best_not_greedily():
    # Greedy takes the 4 agreements of (0, 0) and is left with 0; the best is 3 + 3.
    true = [0] * 4 + [0] * 3 + [1] * 3
    pred = [0] * 4 + [1] * 3 + [0] * 3
    assert clustering_accuracy(true, pred) == 6 / 10


@pytest.mark.parametrize("seed", range(10))
def test_accuracy_equals_all_permutations(seed):
    true, pred = random_labels(40, 4, 6, seed, agree=0.3)
    best = max(
        np.mean([chosen[t] == p for t, p in zip(true, pred)])
        for chosen in permutations(range(6), 4)
    )
    assert_allclose(clustering_accuracy(true, pred), best)
    assert_allclose(clustering_accuracy(pred, true), best)


@pytest.mark.parametrize(("n_true", "n_pred"), [(60, 60), (30, 90), (90, 30), (1, 50), (400, 300)])
def test_accuracy_equals_the_dense_assignment(n_true, n_pred):
    true, pred = random_labels(2000, n_true, n_pred, seed=0, agree=0.5)
    counts = contingency_matrix(true, pred)
    best = counts[linear_sum_assignment(counts, maximize=True)].sum()
    assert_allclose(clustering_accuracy(true, pred), best / 2000)


def test_one_cluster_agrees_with_the_largest_class():
    assert clustering_accuracy([0, 1, 1, 2], [5, 5, 5, 5]) == 0.5


def test_every_point_alone_agrees_once_per_class():
    assert clustering_accuracy([0, 0, 0, 1, 1, 1], range(6)) == 2 / 6


def test_accuracy_with_thousands_of_clusters():
    true = np.repeat(np.arange(8000), 5)
    pred = (true + 3) % 8000
    pred[::5] = 8000 + np.arange(8000)
    assert clustering_accuracy(true, pred) == 0.8


# Mutual information and discovery rate


def test_nmi_by_hand():
    # Halves against (3, 1): I = H(true) + H(pred) - H(joint), joint of 2, 1 and 1 of 4
    def entropy(*shares):
        return -sum(p * np.log(p) for p in shares)

    halves, uneven, joint = entropy(0.5, 0.5), entropy(0.75, 0.25), entropy(0.5, 0.25, 0.25)
    expected = (halves + uneven - joint) / np.sqrt(halves * uneven)
    assert_allclose(normalized_mutual_information([0, 0, 1, 1], [0, 0, 0, 1]), expected)


@pytest.mark.parametrize(
    ("true", "pred", "expected"),
    [([1, 1], [2, 2], 1.0), ([1, 1], [2, 3], 0.0), ([1, 2], [3, 3], 0.0), ([1], [7], 1.0)],
)
def test_nmi_of_single_clusters(true, pred, expected):
    assert normalized_mutual_information(true, pred) == expected


def test_nmi_stays_between_zero_and_one():
    for seed in range(20):
        true, pred = random_labels(30, 5, 7, seed)
        assert 0 <= normalized_mutual_information(true, pred) <= 1
        assert normalized_mutual_information(true, true) <= 1


def test_discovery_rate_by_hand():
    assert discovery_rate(["a", "b", "b", "c"], [9, 9, 4, 4]) == 2 / 3
    assert discovery_rate([0, 0, 0, 1], [0, 1, 2, 3]) == 2.0


# Labels of any kind


@pytest.mark.parametrize("measure", LABEL_MEASURES)
def test_names_of_labels_do_not_matter(measure):
    true, pred = random_labels(200, 5, 7, seed=0, agree=0.6)
    expected = measure(true, pred)
    assert type(expected) is float
    names = np.array(["red", "green", "blue", "black", "white", "grey", "pink"])
    for renamed in (
        names[pred],
        names[pred].tolist(),
        pd.Series(names[pred], dtype="category"),
        pd.Series(names[pred], index=np.arange(200)[::-1]),
        (10.5 - pred).tolist(),
        [("tuple", 1) if k == 3 else int(k) for k in pred],
        pd.date_range("2024-01-01", periods=7)[pred],
    ):
        assert_allclose(measure(true, renamed), expected)


def test_a_number_and_its_name_are_different_labels():
    assert discovery_rate([0, 0, 1, 1], [1, "1", 2, "2"]) == 2.0


@pytest.mark.parametrize("measure", LABEL_MEASURES)
@pytest.mark.parametrize(
    ("true", "pred", "message"),
    [
        ([1, 2, 3], [1, 2], "labels_true and labels_pred .* same length. Got 3 and 2"),
        ([], [], r"labels_true must be .* shape \(0,\)"),
        ([1], [], r"labels_pred must be .* shape \(0,\)"),
        ([[1, 2]], [1, 2], r"labels_true must be .* shape \(1, 2\)"),
        ([1, 2], np.ones((2, 1)), r"labels_pred must be .* shape \(2, 1\)"),
        (5, [1], r"labels_true must be .* shape \(\)"),
        (None, [1], r"labels_true must be .* shape \(\)"),
        ([1.0, np.nan], [1, 2], "labels_true must not have missing values.* position 1"),
        ([1, 2], np.array([np.nan, 2]), "labels_pred must not have missing values.* position 0"),
        ([1, 2], ["a", None], "labels_pred must not have missing values.* position 1"),
        (pd.Series([1, None], dtype="Int64"), [1, 2], "labels_true must not have missing"),
        (pd.to_datetime(["2024-01-01", None]), [1, 2], "labels_true must not have missing"),
    ],
)
def test_wrong_labels_are_refused(measure, true, pred, message):
    with pytest.raises(ValueError, match=message):
        measure(true, pred)


def test_unhashable_labels_are_refused():
    with pytest.raises(TypeError, match="labels_pred must be hashable"):
        clustering_accuracy([1, 2], [{1}, {2}])


# Power laws


@pytest.mark.parametrize(
    ("sizes", "printed"),
    [
        pytest.param([71, 59, 48], 6.02, id="wine"),
        pytest.param([1533, 1508, 1358, 707, 703, 626], 3.15, id="satellite"),
        pytest.param([330] * 7, np.inf, id="statlog"),
        pytest.param([463, 429, 244, 163, 51, 44, 35, 30, 20, 5], 1.385, id="yeast"),
        pytest.param([4913, 329, 115, 88, 28], 1.49, id="page-blocks"),
        pytest.param([76, 70, 29, 17, 13, 9], 1.94, id="glass"),
    ],
)
def test_alpha_equals_the_paper(sizes, printed):
    assert_allclose(power_law_alpha(sizes), printed, atol=0.0051)


def test_alpha_by_hand():
    # ln 1 + ln e + ln e² = 3
    assert_allclose(power_law_alpha([2.0, 2 * np.e, 2 * np.e**2]), 1 + 3 / 3)
    assert power_law_alpha([5]) == np.inf


def test_alpha_does_not_depend_on_units():
    assert_allclose(power_law_alpha([1, 2, 7]), power_law_alpha([0.5, 1.0, 3.5]))


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ([], r"sizes must be .* shape \(0,\)"),
        ([1, 0], "sizes must be positive numbers. Got 0 at position 1; leave out empty"),
        ([1, -1], "sizes must be positive numbers. Got -1"),
        ([np.nan, 1], "sizes must be positive numbers. Got nan"),
        ([[1, 2], [3, 4]], r"sizes must be .* shape \(2, 2\)"),
        (["a", "b"], "sizes must be positive numbers. Got .*'a'"),
    ],
)
def test_alpha_refuses_wrong_sizes(sizes, message):
    with pytest.raises(ValueError, match=message):
        power_law_alpha(sizes)


def test_tail_fit_names_the_missing_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "powerlaw", None)
    with pytest.raises(ImportError, match=r'fit_power_law_tail requires powerlaw: .*\[tail\]"'):
        fit_power_law_tail([5, 3, 2, 1])


@pytest.mark.parametrize("alpha", [1.6, 2.5, 4.0])
def test_tail_fit_recovers_the_exponent(alpha):
    pytest.importorskip("powerlaw")
    sizes = np.minimum(np.random.RandomState(0).zipf(alpha, 1500), 10**9)
    tail = fit_power_law_tail(sizes)
    assert abs(tail.alpha - alpha) < 4 * tail.alpha_se
    # All sizes follow the law; a tail of a few would pass with any exponent.
    assert tail.n_tail > 100
    assert tail.n_tail == np.sum(sizes >= tail.x_min)
    assert_allclose(tail.alpha_se, (tail.alpha - 1) / np.sqrt(tail.n_tail))


def test_tail_fit_is_the_likeliest_exponent():
    pytest.importorskip("powerlaw")
    sizes = np.random.RandomState(1).zipf(2.2, 800)
    tail = fit_power_law_tail(sizes)
    kept = sizes[sizes >= tail.x_min]
    assert tail.x_min < 10
    exponents = np.arange(1.5, 4, 0.001)
    likelihood = -exponents * np.log(kept).sum() - len(kept) * np.log(zeta(exponents, tail.x_min))
    assert_allclose(tail.alpha, exponents[likelihood.argmax()], atol=0.003)
    # The distance is the largest gap between the two distributions at the observed sizes.
    x = np.unique(kept)
    fitted = 1 - zeta(tail.alpha, x + 1) / zeta(tail.alpha, tail.x_min)
    observed = np.searchsorted(np.sort(kept), x, side="right") / len(kept)
    assert_allclose(tail.ks_distance, np.abs(fitted - observed).max(), atol=0.02)


def test_tail_of_ranks():
    # Sizes 10000 / rank: half as many clusters above every double size.
    pytest.importorskip("powerlaw")
    tail = fit_power_law_tail([10_000 // rank for rank in range(1, 501)])
    assert_allclose(tail.alpha, 2.0, atol=0.05)


def test_tail_of_pitman_yor_sizes_nears_one_plus_the_discount_slowly_from_above():
    pytest.importorskip("powerlaw")
    excess = []
    for n_samples in (3000, 30_000):
        sizes = np.bincount(sample_partition(n_samples, 100.0, 0.6, random_state=0))
        tail, fit = fit_power_law_tail(sizes), fit_pitman_yor(sizes)
        excess.append(tail.alpha - 1.6)
        assert excess[-1] > 4 * tail.alpha_se
        assert abs(fit.discount - 0.6) < 4 * fit.discount_se
    assert excess[1] < excess[0] / 2


def test_tail_fit_is_quiet(capfd, recwarn):
    pytest.importorskip("powerlaw")
    fit_power_law_tail([4913, 329, 115, 88, 28])
    assert capfd.readouterr() == ("", "")
    assert len(recwarn) == 0


@pytest.mark.parametrize("sizes", [[5], [330] * 7, [3, 2, 2, 1]])
def test_tail_fit_of_too_few_sizes_warns(sizes):
    pytest.importorskip("powerlaw")
    with pytest.warns(UserWarning, match="at least 4 different sizes; got"):
        tail = fit_power_law_tail(sizes)
    assert np.isnan(tail.alpha)
    assert tail.n_tail == 0


def test_tail_fit_refuses_parts_of_points():
    pytest.importorskip("powerlaw")
    with pytest.raises(ValueError, match=r"sizes must be positive whole numbers. Got 2.5"):
        fit_power_law_tail([1, 2.5, 4, 8])
