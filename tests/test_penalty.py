"""The formulas of the paper, against numbers worked out by hand."""

from math import exp, factorial, log

import numpy as np
import pytest

from pypmeans._penalty import MOST_CLUSTERS, PitmanYorPenalty, SizedPenalty

PENALTIES = [PitmanYorPenalty(8.0, 4.0), PitmanYorPenalty(1.0, 0.1), PitmanYorPenalty(3.0)]


def test_value_by_hand():
    penalty = PitmanYorPenalty(lam=8.0, theta=4.0)
    assert penalty.value(1) == 8.0
    assert penalty.value(2) == pytest.approx(2 * (8 - 4 * 0.6931471805599453))


def test_opening_falls_with_the_logarithm_and_never_below_zero():
    penalty = PitmanYorPenalty(lam=8.0, theta=4.0)
    assert penalty.opening(1) == 8.0
    assert penalty.opening(3) == pytest.approx(8 - 4 * 1.0986122886681098)
    assert penalty.opening(100) == 0.0


@pytest.mark.parametrize("penalty", PENALTIES)
def test_marginal_is_the_difference_of_values(penalty):
    assert penalty.marginal(0) == penalty.value(1)
    for c in range(1, 50):
        assert penalty.marginal(c) == pytest.approx(penalty.value(c + 1) - penalty.value(c))


@pytest.mark.parametrize("penalty", PENALTIES)
def test_marginal_never_exceeds_opening(penalty):
    assert all(penalty.marginal(c) <= penalty.opening(c) for c in range(1, 200))


def test_marginal_keeps_its_digits_for_many_clusters():
    c = 10**9
    exact = 1.0 - 0.01 * (1 + log(c) + 1 / (2 * c))  # to second order in 1 / c
    assert PitmanYorPenalty(1.0, 0.01).marginal(c) == pytest.approx(exact, rel=1e-13)


@pytest.mark.parametrize(
    ("lam", "theta", "limit"), [(8, 4, 3), (1, 1 / 6, 148), (1, 0.1, 8103), (1, 1, 1), (1, 5, 1)]
)
def test_limit(lam, theta, limit):
    penalty = PitmanYorPenalty(lam, theta)
    assert penalty.limit == limit
    assert penalty.marginal(limit) <= 0
    assert limit == 1 or penalty.marginal(limit - 1) > 0
    assert limit < exp(lam / theta)


def test_without_theta_only_the_label_type_limits():
    assert PitmanYorPenalty(1.0).limit == MOST_CLUSTERS
    assert PitmanYorPenalty(1.0).marginal(10**6) == 1.0


def test_sizes_cost_by_hand():
    # sizes 1 and 3 of 4: ln 4 + 3 ln(4/3) = 2.2493
    penalty = SizedPenalty(lam=5.0, theta=2.0)
    assert penalty.apart(np.array([1.0, 3.0])) == pytest.approx(2 * (log(4) + 3 * log(4 / 3)))
    assert penalty.charge(np.array([1.0, 3.0])) == pytest.approx(4.49868 + 2 * 5)
    assert penalty.charge(np.array([1.0, 0.0, 3.0])) == penalty.charge(np.array([1.0, 3.0]))
    np.testing.assert_allclose(penalty.offsets(np.array([1.0, 3.0])), [2 * log(3), 0])


@pytest.mark.parametrize("penalty", [SizedPenalty(8.0, 4.0), SizedPenalty(1.0, 0.1)])
def test_one_more_cluster_costs_the_threshold_of_the_paper(penalty):
    lam, theta = penalty.lam, penalty.theta
    for c in range(1, 20):
        assert penalty.count_charge(c) == pytest.approx(lam * c - theta * log(factorial(c - 1)))
        assert penalty.marginal(c) == pytest.approx(lam - theta * log(c))
        assert penalty.marginal(c) == pytest.approx(
            penalty.count_charge(c + 1) - penalty.count_charge(c)
        )


@pytest.mark.parametrize(
    ("lam", "theta", "limit"), [(8, 4, 8), (1, 1 / 6, 404), (1, 1, 3), (1, 5, 2)]
)
def test_limit_with_sizes(lam, theta, limit):
    penalty = SizedPenalty(lam, theta)
    assert penalty.limit == limit
    assert penalty.marginal(limit) <= 0 < penalty.marginal(limit - 1)


def test_without_theta_sizes_do_not_count():
    penalty, sizes = SizedPenalty(3.0), np.array([1.0, 5.0, 2.5])
    assert penalty.charge(sizes) == PitmanYorPenalty(3.0).charge(sizes) == 9.0
    assert not penalty.offsets(sizes).any()
    assert penalty.limit == MOST_CLUSTERS
