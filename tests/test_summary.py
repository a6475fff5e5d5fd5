"""Micro-clusters keep weights, means and squares, and rows far from all others."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pypmeans import _summary
from pypmeans._summary import Summary


def rows_of(seed, n_rows, n_features=3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_rows, n_features)), rng.uniform(0.1, 3.0, n_rows)


def total_squares(summary):
    about = summary.centers - summary.mean
    return np.sum(summary.weight[:, None] * about**2 + summary.inner, axis=0)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**31), cuts=st.lists(st.integers(0, 900), max_size=6))
def test_weight_mean_and_squares_are_those_of_the_rows(seed, cuts):
    X, weight = rows_of(seed, 900)
    whole = Summary.of(X, weight)
    with_room(64)
    summary = Summary.of(X[:0], weight[:0])
    for start, stop in zip([0, *sorted(cuts)], [*sorted(cuts), 900]):
        summary = summary.with_others(Summary.of(X[start:stop], weight[start:stop]))
        assert len(summary.weight) <= 64
    assert_allclose(summary.weight.sum(), weight.sum())
    assert_allclose(summary.mean, whole.mean, atol=1e-12)
    assert_allclose(total_squares(summary), total_squares(whole))


def with_room(size):
    _summary.MOST_CLUSTERS = size


def teardown_function():
    with_room(4096)


def test_nothing_is_lost_as_long_as_there_is_room():
    X, weight = rows_of(0, 500)
    summary = Summary.of(X[:200], weight[:200]).with_others(Summary.of(X[200:], weight[200:]))
    assert_array_equal(summary.centers, X)
    assert not summary.inner.any()


@pytest.mark.large
def test_rows_far_from_all_others_keep_a_micro_cluster_of_their_own():
    X, weight = rows_of(1, 5000)
    X[::1000] += 50 * np.arange(1, 6)[:, None]
    with_room(64)
    summary = Summary.of(X, weight).covered()
    for row in X[::1000]:
        assert np.min(np.abs(summary.centers - row).max(axis=1)) < 1e-12


@pytest.mark.large
def test_the_error_is_no_larger_than_stated():
    X, weight = rows_of(2, 3000)
    with_room(128)
    summary = Summary.of(X, weight).covered()
    centers = rows_of(3, 7)[0]
    exact = np.sum(weight * ((X[:, None] - centers) ** 2).sum(axis=2).min(axis=1))
    about = np.sum(
        summary.weight * ((summary.centers[:, None] - centers) ** 2).sum(axis=2).min(axis=1)
    )
    assert abs(np.sqrt(exact) - np.sqrt(about)) <= np.sqrt(summary.inner.sum())


@pytest.mark.large
def test_summaries_are_the_same_each_time_and_for_any_number_of_threads():
    X, weight = rows_of(4, 40_000)
    with_room(256)
    first, *others = [Summary.of(X, weight).covered(n_threads) for n_threads in (1, 2, 1)]
    for other in others:
        for kind, same in zip(first, other):
            assert_array_equal(kind, same)
