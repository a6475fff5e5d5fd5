"""The formulas of the paper, against numbers worked out by hand."""

from dataclasses import FrozenInstanceError
from math import exp, factorial, log, log1p

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
    np.testing.assert_allclose(penalty.offsets(np.array([2.0, 3.0])), [2 * log(1.5), 0])


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


def test_labels_can_name_every_cluster():
    assert np.iinfo(np.int32).max == MOST_CLUSTERS


def test_the_limit_is_exact_at_the_end_of_the_label_type():
    last = MOST_CLUSTERS - 1
    turning = log(MOST_CLUSTERS) + last * log1p(1 / last)  # marginal(last) is 0 there, if theta = 1
    assert PitmanYorPenalty(turning + 1e-12, 1.0).limit == MOST_CLUSTERS
    assert PitmanYorPenalty(turning - 1e-12, 1.0).limit == MOST_CLUSTERS - 1
    assert SizedPenalty(log(MOST_CLUSTERS) - 1e-6, 1.0).limit < MOST_CLUSTERS
    assert SizedPenalty(log(MOST_CLUSTERS) + 1e-6, 1.0).limit == MOST_CLUSTERS


@pytest.mark.parametrize("limit", range(1, 70))
def test_every_limit_is_found(limit):
    # halfway between the prices at which one less and one more are possible
    prices = [PitmanYorPenalty(0.0, 1.0).marginal(c) for c in (limit - 1, limit)]
    assert PitmanYorPenalty(-sum(prices) / 2, 1.0).limit == limit


@pytest.mark.parametrize("c", [5, 1000, MOST_CLUSTERS - 1])
def test_a_cluster_that_costs_nothing_is_beyond_the_limit(c):
    penalty = PitmanYorPenalty(-PitmanYorPenalty(0.0, 1.0).marginal(c), 1.0)
    assert penalty.marginal(c) == 0.0
    assert penalty.limit == c


def test_only_one_penalty_knows_sizes():
    sizes = np.array([4.0, 2.0])
    assert PitmanYorPenalty(8.0, 4.0).pull == 0
    assert not PitmanYorPenalty(8.0, 4.0).offsets(sizes).any()
    assert PitmanYorPenalty(8.0, 4.0).charge(sizes) == PitmanYorPenalty(8.0, 4.0).value(2)
    assert SizedPenalty(8.0, 4.0).pull == 4


@pytest.mark.parametrize("kind", [PitmanYorPenalty, SizedPenalty])
def test_penalties_are_values(kind):
    assert kind(8.0, 4.0) == kind(8.0, 4.0) != kind(8.0, 3.0)
    assert len({kind(8.0, 4.0), kind(8.0, 4.0)}) == 1
    assert kind(8.0).theta == 0
    with pytest.raises(FrozenInstanceError):
        kind(8.0).lam = 9.0


def test_the_line_falls_below_zero():
    assert PitmanYorPenalty(8.0, 4.0).line(100) == pytest.approx(8 - 4 * log(100))


def test_offsets_are_what_a_row_pays_beyond_joining_the_largest():
    offsets = SizedPenalty(5.0, 2.0).offsets(np.array([1.0, 8.0, 2.0]))
    np.testing.assert_allclose(offsets, [2 * log(8), 0, 2 * log(4)])
