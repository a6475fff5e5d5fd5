"""Both searches against a plain scan over all centers, to the last label and bound."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit
from scipy.sparse import csr_array

from data import points, separated_groups, spread
from pypmeans import _search
from pypmeans._kernels import side_by_side, sq_distance, sq_distances
from pypmeans._rows import SparseRows
from pypmeans._samples import FEW_POINTS, ArraySamples, middle_of, nearest_of
from pypmeans._search import ListSearch, ProductSearch, rank_by_coordinates
from pypmeans._threads import Threads

SEARCHES = pytest.mark.parametrize("search", [ListSearch, ProductSearch])


def plain_scan(X, centers, offsets):
    """Preferred centers, squared distances and the cost of the next, by brute force."""
    sq = ((X.astype(np.float64)[:, None, :] - centers) ** 2).sum(axis=2)
    cost = sq + offsets
    best = cost.argmin(axis=1)
    rows = np.arange(len(X))
    cost[rows, best] = np.inf
    return best, sq[rows, best], cost.min(axis=1)


def run(search, X, centers, offsets, n_listed=32, labels=None):
    finder = ListSearch(n_listed) if search is ListSearch else ProductSearch(middle_of(X), X)
    rank = rank_by_coordinates(centers)
    finder.look_at(centers, offsets, rank, np.inf, Threads(1))
    near, far = np.array([[np.inf], [-np.inf]], dtype=np.float32).repeat(len(X), axis=1)
    state = np.full(len(X), -1, dtype=np.int32), np.empty(len(X)), near, far
    if labels is None and search is ListSearch and n_listed:  # lists are those of a center
        labels = np.arange(len(X)) % len(centers)
    if labels is not None:
        state[0][:] = labels
        state[1][:] = ((X - centers[labels]) ** 2).sum(axis=1)
    finder(X, np.arange(len(X), dtype=np.int32), *state)
    return *state[:2], np.minimum(near, far).astype(np.float64)


@SEARCHES
@pytest.mark.parametrize("n_listed", [0, 3, 32])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size_of_offsets", [0.0, 1.0, 30.0])
@pytest.mark.parametrize(("n_centers", "n_features"), [(1, 3), (2, 1), (40, 2), (60, 30)])
def test_the_search_equals_the_plain_scan(
    search, n_listed, dtype, size_of_offsets, n_centers, n_features
):
    rng = np.random.default_rng(n_centers)
    X = (4 * rng.normal(size=(300, n_features))).astype(dtype)
    centers = 4 * rng.normal(size=(n_centers, n_features))
    offsets = size_of_offsets * rng.uniform(size=n_centers)
    labels, sq_dists, lower = run(search, X, centers, offsets, n_listed)
    best, sq, next_cost = plain_scan(X, centers, offsets)
    np.testing.assert_array_equal(labels, best)
    np.testing.assert_allclose(sq_dists, sq)
    assert np.all(lower**2 <= next_cost - offsets.min())


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
@pytest.mark.parametrize("n_features", [1, 2, 3, 4, 5, 15])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_distances_to_many_centers_are_those_to_each(kind, n_features, dtype):
    rng = np.random.default_rng(n_features)
    X = (rng.normal(size=(7, n_features)) * rng.integers(2, size=(7, n_features))).astype(dtype)
    centers = rng.normal(size=(21, n_features))
    rows = SparseRows.of(kind(X)) if kind is csr_array else X
    one, many = _one_by_one(rows, centers), np.empty((7, 21))
    for i in range(7):
        _side_by_side(rows, i, side_by_side(centers), many[i])
    np.testing.assert_array_equal(many, one)


@njit
def _one_by_one(X, centers):
    sq = np.empty((X.shape[0], centers.shape[0]))
    for i in range(X.shape[0]):
        for k in range(centers.shape[0]):
            sq[i, k] = sq_distance(X, i, centers, k)
    return sq


@njit
def _side_by_side(X, i, columns, sq):
    sq_distances(X, i, columns, sq)


@pytest.mark.parametrize("n_points", [0, 1, FEW_POINTS, FEW_POINTS + 1])
def test_the_nearest_of_few_and_of_many_points(n_points):
    rng = np.random.default_rng(n_points)
    points, centers = rng.normal(size=(n_points, 3)), rng.normal(size=(50, 3))
    plain = [min([np.linalg.norm(c - x) for x in points], default=np.inf) for c in centers]
    np.testing.assert_allclose(nearest_of(points, centers), plain, rtol=1e-14)


@SEARCHES
@pytest.mark.parametrize("scale", [1e-30, 1e-12, 1e12, 1e30])
@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_no_scale_and_no_place_is_too_much_for_the_search(search, scale, offset):
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(200, 5)) + offset) * scale
    centers = X[:20] + 0.1 * scale * rng.normal(size=(20, 5))
    labels, _, lower = run(search, X, centers, np.zeros(20))
    best, _, next_cost = plain_scan(X, centers, np.zeros(20))
    np.testing.assert_array_equal(labels, best)
    assert np.all(lower <= np.sqrt(next_cost) * (1 + 1e-12))


@SEARCHES
def test_products_that_cannot_tell_centers_apart_leave_it_to_exact_distances(search):
    # groups of spread 1e-5, a unit apart: float32 products see each group as one point
    X, _ = separated_groups(5, 40, 3, 1e-5, seed=0)
    centers = X[::10] + 1e-6
    labels = run(search, X, centers, np.zeros(len(centers)))[0]
    np.testing.assert_array_equal(labels, plain_scan(X, centers, np.zeros(len(centers)))[0])


@SEARCHES
def test_equally_near_centers_are_told_apart_by_coordinates(search):
    X = np.zeros((1, 2))
    centers = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]):
        labels = run(search, X, centers[order], np.zeros(4))[0]
        assert centers[order][labels[0]].tolist() == [-1.0, 0.0]


@SEARCHES
def test_a_poor_guess_is_no_harm(search):
    rng = np.random.default_rng(1)
    X, centers = rng.normal(size=(200, 2)), rng.normal(size=(50, 2))
    guesses = rng.integers(0, 50, 200)
    labels = run(search, X, centers, np.zeros(50), labels=guesses)[0]
    best = plain_scan(X, centers, np.zeros(50))[0]
    np.testing.assert_array_equal(labels, best)


@pytest.mark.parametrize(("products_from", "few_new"), [(1, 16), (1000, 16), (1000, 0)])
@given(points(max_rows=40), st.integers(0, 2**32 - 1))
def test_bounds_hold_through_openings_moves_and_mergers(products_from, few_new, X, seed):
    rng = np.random.default_rng(seed)
    with pytest.MonkeyPatch.context() as patch, ArraySamples(X, np.ones(len(X)), 1) as samples:
        patch.setattr(_search, "PRODUCTS_FROM", products_from)
        patch.setattr(_search, "FEW_NEW", few_new)
        samples.assign(samples.mean()[None, :])
        centers = samples.mean()[None, :]
        for _ in range(6):
            for _ in range(rng.integers(0, 4)):
                point = X[[rng.integers(len(X))]]
                samples.absorb(point)
                centers = np.vstack([centers, point])
            check_state(samples, X, centers)
            became = np.arange(len(centers), dtype=np.int32)
            if len(centers) > 2 and rng.integers(2):
                became = np.maximum(became - 1, 0)  # the first two become one
            centers = centers[np.unique(became, return_index=True)[1]]
            step = rng.choice([0.0, 1e-3, 0.1]) * np.sqrt(spread(X))
            centers = centers + step * rng.normal(size=centers.shape) * (
                rng.uniform(size=(len(centers), 1)) < 0.5
            )
            samples.assign(centers, became)
            check_state(samples, X, centers)


def check_state(samples, X, centers):
    labels, cost = samples.labels.copy(), samples.cost()
    sq = ((X[:, None, :] - centers) ** 2).sum(axis=2)
    own = sq[np.arange(len(X)), labels]
    np.testing.assert_allclose(cost, own.sum(), rtol=1e-9, atol=1e-9 * spread(X))
    scale = 1e-12 * (spread(X) + sq.max())
    assert np.all(own <= sq.min(axis=1) + scale)
    np.testing.assert_array_equal(samples.labels, labels)
    np.testing.assert_allclose(samples.sq_dists, own, rtol=1e-12, atol=scale)
    sq[np.arange(len(X)), samples.labels] = np.inf
    lower = samples._lower(slice(None))
    assert np.all(lower <= np.sqrt(sq.min(axis=1)) * (1 + 1e-12) + np.sqrt(scale))


@pytest.mark.parametrize("products_from", [1, 1000])
@pytest.mark.parametrize("n_features", [1, 3])
@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1))
def test_quiet_passes_equal_the_plain_scan_while_offsets_change(products_from, n_features, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, n_features)) + 3 * rng.integers(0, 3, size=(60, 1))
    centers, strength = rng.normal(size=(3, n_features)) + 3, rng.choice([0.0, 0.3, 5.0])
    offsets = strength * rng.uniform(size=3)
    with pytest.MonkeyPatch.context() as patch, ArraySamples(X, np.ones(60), 1) as samples:
        patch.setattr(_search, "PRODUCTS_FROM", products_from)
        patch.setattr(_search, "NEIGHBOURS", rng.integers(1, 4))
        samples.assign(centers, offsets=offsets, reach=np.inf)
        for _ in range(12):
            centers, offsets, became = rearranged(centers, offsets, rng)
            for _ in range(rng.integers(1, 5)):
                step = rng.choice([1e-3, 0.05, 0.5])
                some = rng.uniform(size=len(centers)) < 0.6
                centers = centers + step * some[:, None] * rng.normal(size=centers.shape)
                offsets = np.maximum(offsets + step * strength * rng.normal(size=len(offsets)), 0)
                samples.assign(centers, became, offsets=offsets, reach=np.inf)
                became = np.arange(len(centers), dtype=np.int32)
                best, sq, _ = plain_scan(X, centers, offsets)
                np.testing.assert_array_equal(samples.labels, best)
                np.testing.assert_allclose(samples.cost(), sq.sum(), rtol=1e-9)
                _, sizes = samples.means(len(centers))
                np.testing.assert_array_equal(sizes, np.bincount(best, minlength=len(centers)))
        np.testing.assert_allclose(samples.sq_dists, sq)


def rearranged(centers, offsets, rng):
    """Some centers split, merged or swapped, or all as they are; and what each became."""
    stay = np.arange(len(centers), dtype=np.int32)
    kind = rng.choice(["stay", "split", "merge", "swap"])
    if kind in ("merge", "swap") and len(centers) > 2:
        gone, into = rng.choice(len(centers), 2, replace=False)
        stay[gone] = into
        stay = stay - (stay > gone).astype(np.int32)
        centers, offsets = np.delete(centers, gone, axis=0), np.delete(offsets, gone)
    if kind in ("split", "swap") and len(centers) < 12:
        near = centers[[rng.integers(len(centers))]]
        centers = np.vstack([centers, near + rng.normal(size=near.shape)])
        offsets = np.append(offsets, rng.choice(offsets) * rng.uniform())
    return centers, offsets, stay
