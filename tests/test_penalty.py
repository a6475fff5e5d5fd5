"""The formulas of the paper, against numbers worked out by hand."""

from math import exp, log

import pytest

from pypmeans._penalty import MOST_CLUSTERS, PitmanYorPenalty

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
