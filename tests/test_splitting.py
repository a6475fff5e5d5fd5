"""Splits: what they promise is what the objective says, and obvious halves are found."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import reference
from pypmeans import _splitting
from pypmeans._penalty import SizedPenalty
from pypmeans._samples import ArraySamples
from pypmeans._splitting import split_rows

THETAS = pytest.mark.parametrize("theta", [0.0, 0.5])


def split_all(X, weight, penalty):
    size = weight.sum()
    center = weight @ X / size
    rows, sq_dists = np.arange(len(X), dtype=np.int32), np.sum((X - center) ** 2, axis=1)
    return split_rows(X, rows, weight, sq_dists, center, size, penalty)


def nearest_half(X, split, theta):
    return np.argmin(
        ((X[:, None, :] - split.centers) ** 2).sum(axis=2) - theta * np.log(split.sizes), axis=1
    )


@THETAS
@pytest.mark.parametrize("seed", range(10))
def test_the_promised_change_is_the_change_of_the_objective(theta, seed):
    rng = np.random.default_rng(seed)
    X, weight = rng.normal(size=(15, 1 + seed % 3)), rng.uniform(0.2, 4, 15)
    split = split_all(X, weight, SizedPenalty(3.0, theta))
    labels = nearest_half(X, split, theta)
    assert_allclose(np.bincount(labels, weights=weight), split.sizes)
    before, after = (
        reference.sized_objective(X, weight, list(z), 3.0, theta) for z in (np.zeros(15), labels)
    )
    assert split.cost - split.sse + SizedPenalty(3.0, theta).marginal(1) == pytest.approx(
        after - before
    )


@THETAS
@pytest.mark.parametrize("n_rows", [60, 6000])  # at once, and on a sample first
def test_two_groups_are_told_apart(theta, n_rows):
    rng = np.random.default_rng(0)
    y = (rng.uniform(size=n_rows) < 0.1).astype(int)
    X = rng.normal(size=(n_rows, 3)) + 9 * y[:, None]
    split = split_all(X, np.ones(n_rows), SizedPenalty(3.0, theta))
    assert sorted(split.sizes) == sorted(np.bincount(y))


def test_a_few_rows_of_many_are_found():
    rng = np.random.default_rng(1)
    X = np.vstack([rng.normal(size=(20_000, 2)), rng.normal(size=(5, 2)) + 30])
    split = split_all(X, np.ones(len(X)), SizedPenalty(20.0, 2.0))
    assert sorted(split.sizes) == [5, 20_000]


@pytest.mark.parametrize("scale", [1e-150, 1e-100, 1.0, 1e100, 1e150])
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_halves_do_not_depend_on_units(scale):
    rng = np.random.default_rng(2)
    X, weight = rng.normal(size=(40, 3)), rng.uniform(0.5, 2, 40)
    plain = split_all(X, weight, SizedPenalty(1.0, 0.1))
    scaled = split_all(X * scale, weight, SizedPenalty(scale**2, 0.1 * scale**2))
    assert_allclose(scaled.centers / scale, plain.centers, rtol=1e-9)
    assert_array_equal(scaled.sizes, plain.sizes)


@pytest.mark.parametrize("n_rows", [1, 2, 30])
def test_equal_rows_cannot_be_split(n_rows):
    split = split_all(np.full((n_rows, 2), 7.0), np.ones(n_rows), SizedPenalty(1.0))
    assert split.sse == 0
    assert split.cost == np.inf


def test_the_sample_keeps_the_weight():
    rng = np.random.default_rng(3)
    X, weight = rng.normal(size=(30_000, 2)), np.ones(30_000)
    members = _splitting.Members(X, np.arange(30_000, dtype=np.int32), weight, 30_000, 1.0)
    some = _splitting._sample(members, np.sum(X**2, axis=1))
    assert len(np.unique(some.rows)) == len(some.rows) < 8192
    assert some.n_single + (len(some.rows) - some.n_single) * some.factor == pytest.approx(30_000)


def test_threads_split_alike():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(1000, 4))
    centers = X[:7]
    found = []
    for n_threads in (1, 2, 4):
        with ArraySamples(X, np.ones(len(X)), n_threads) as samples:
            samples.assign(centers)
            means, sizes = samples.means(7)
            splits = samples.split(np.arange(7), means, sizes, SizedPenalty(1.0, 0.1))
        found.append([(s.sse, s.cost, s.centers.tobytes(), s.sizes.tobytes()) for s in splits])
    assert found[0] == found[1] == found[2]


@THETAS
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_two_rows_are_their_own_halves(theta, dtype):
    X, weight = np.array([[1.0, 2.0], [4.0, 6.0]], dtype=dtype), np.array([3.0, 0.5])
    split = split_all(X, weight, SizedPenalty(3.0, theta))
    assert_array_equal(split.centers, X)
    assert_array_equal(split.sizes, weight)
    assert split.sse == pytest.approx(3 * 0.5 / 3.5 * 25)
