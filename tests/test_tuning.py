"""The radius profile and the λ read from it."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from data import points, separated_groups
from pypmeans import PYPMeans, estimate_lambda, radius_profile

PLAIN_ROWS = [[0.0], [0.5], [10.0], [10.5], [40.0]]


def brute_force_profile(X, max_clusters):
    centers = [X.mean(axis=0)]
    radii = []
    while True:
        to_nearest = np.min([np.sum((X - center) ** 2, axis=1) for center in centers], axis=0)
        radii.append(to_nearest.max())
        if len(centers) == max_clusters or radii[-1] == 0:
            return radii
        centers.append(X[to_nearest.argmax()])


@pytest.mark.parametrize("seed", range(3))
def test_profile_equals_brute_force(seed):
    X = np.random.default_rng(seed).normal(size=(80, 3))
    assert_allclose(radius_profile(X, 30), brute_force_profile(X, 30))


def test_profile_ends_when_every_row_is_a_center():
    profile = radius_profile(PLAIN_ROWS, 100)
    assert len(profile) == 6  # the mean and the five rows
    assert profile[-1] == 0
    assert radius_profile([[1.0]] * 3, 5).tolist() == [0.0]


@given(points())
def test_profile_never_rises(X):
    profile = radius_profile(X, 20)
    assert np.all(np.diff(profile) <= 0)


def test_profile_heeds_weights():
    # weights 3 and 1 put the mean at 1
    assert radius_profile([[0.0], [4.0]], 1, sample_weight=[3, 1]).tolist() == [9.0]
    assert radius_profile([[0.0], [4.0], [99.0]], 1, sample_weight=[1, 1, 0]).tolist() == [4.0]


def opened_in_the_first_pass(X, lam, theta_ratio):
    profile = radius_profile(X, 40)
    line = lam * (1 - np.log(np.arange(1, 41)) / theta_ratio)
    return int(np.argmax(profile <= line)) + 1


@pytest.mark.parametrize("theta_ratio", [6, 10, np.inf])
@pytest.mark.parametrize("seed", range(5))
def test_the_estimate_opens_that_many_clusters_in_the_first_pass(theta_ratio, seed):
    X = np.random.default_rng(seed).normal(size=(60, 2))
    for n_clusters in (1, 2, 5, 12):
        with warnings.catch_warnings(record=True) as seen:
            lam = estimate_lambda(X, n_clusters, theta_ratio=theta_ratio)
        opened = opened_in_the_first_pass(X, lam, theta_ratio)
        if seen:
            assert f"opens {opened}, the nearest" in str(seen[0].message)
        assert (opened == n_clusters) == (not seen)
        assert abs(opened - n_clusters) <= 2


def test_the_estimate_finds_separated_groups():
    X, _ = separated_groups(25, 10, 2, 0.05, seed=1)
    lam = estimate_lambda(X, 25)
    assert PYPMeans(lam, lam / 10, algorithm="paper").fit(X).n_clusters_ == 25


def test_a_count_that_cannot_be_had_is_said():
    # 0 and 11 are equally far from the mean, so nothing stops at two centers
    with pytest.warns(UserWarning, match=r"n_clusters=2 .*opens [13], the nearest"):
        estimate_lambda([[0.0], [1.0], [10.0], [11.0]], 2)


def test_units_of_the_estimate():
    lam = estimate_lambda(PLAIN_ROWS, 3)
    assert estimate_lambda(np.multiply(PLAIN_ROWS, 10), 3) == pytest.approx(100 * lam)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_clusters": 0}, "'n_clusters' parameter"),
        ({"n_clusters": 2.5}, "'n_clusters' parameter"),
        ({"n_clusters": 50}, "n_clusters=50 is more than X can give: with 6 centers"),
        ({"n_clusters": 4, "theta_ratio": 2}, "theta_ratio=2 allows no more than 3 clusters"),
        ({"n_clusters": 3, "theta_ratio": -1}, "'theta_ratio' parameter"),
        ({"n_clusters": 3, "sample_weight": [-1, 1, 1, 1, 1]}, "sample_weight must not be neg"),
        ({"n_clusters": 3, "n_threads": 0}, "'n_threads' parameter"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        estimate_lambda(PLAIN_ROWS, **arguments)


@pytest.mark.parametrize(
    "X", [[[np.nan]], [[np.inf]], [1.0], [["a"]], np.empty((0, 1)), [[1e308], [-1e308]]]
)
def test_bad_rows_are_refused(X):
    with pytest.raises(ValueError, match=r"NaN|infinity|2D|convert|0 sample|overflow"):
        radius_profile(X, 3)


def test_auto_with_theta_given_crosses_the_profile_at_the_same_drop():
    X, _ = separated_groups(9, 15, 2, 0.05, seed=2)
    for theta in (None, 0.0, 0.05, 0.3):
        assert PYPMeans(theta=theta, algorithm="paper").fit(X).n_clusters_ == 9


@given(st.integers(1, 6), st.integers(1, 4))
def test_auto_finds_duplicated_points(n_points, n_copies):
    X = np.repeat(np.arange(n_points)[:, None] ** 2.0, 3 * n_copies, axis=0)
    assert PYPMeans(algorithm="paper").fit(X).n_clusters_ == n_points
