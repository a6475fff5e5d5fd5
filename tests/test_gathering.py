"""Clusters gathered from rows that several others hold."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import reference
from pypmeans._gathering import Strays, change_by_gathering, gather
from pypmeans._penalty import SizedPenalty


def three_clusters(rng, n_features=2):
    X, weight = rng.normal(size=(30, n_features)), rng.uniform(0.2, 4, 30)
    labels = rng.permutation(np.arange(30) % 3)
    return X, weight, labels, *means_of(X, weight, labels)


def means_of(X, weight, labels):
    sizes = np.bincount(labels, weights=weight)
    sums = np.zeros((len(sizes), X.shape[1]))
    np.add.at(sums, labels, weight[:, None] * X)
    return sums / sizes[:, None], sizes


@pytest.mark.parametrize("theta", [0.0, 0.7])
@pytest.mark.parametrize("seed", range(10))
def test_the_promised_change_is_the_change_of_the_objective(theta, seed):
    rng = np.random.default_rng(seed)
    X, weight, labels, centers, sizes = three_clusters(rng)
    taken = rng.choice(30, 7, replace=False)
    after = labels.copy()
    after[taken] = 3
    penalty = SizedPenalty(2.0, theta)
    group = Strays(X[taken], weight[taken], labels[taken])
    change, donors = change_by_gathering(group, centers, sizes, penalty)
    objectives = [
        reference.sized_objective(X, weight, list(z), 2.0, theta) for z in (labels, after)
    ]
    assert change + penalty.marginal(3) == pytest.approx(objectives[1] - objectives[0])
    new_centers, new_sizes = means_of(X, weight, after)
    for a, (center, size) in donors.items():
        assert_allclose(center, new_centers[a])
        assert size == pytest.approx(new_sizes[a])


def test_no_cluster_gives_all_its_rows():
    rng = np.random.default_rng(0)
    X, weight, labels, centers, sizes = three_clusters(rng)
    all_of_one = labels == 1
    group = Strays(X[all_of_one], weight[all_of_one], labels[all_of_one])
    assert change_by_gathering(group, centers, sizes, SizedPenalty(1.0))[0] == np.inf


def divided_group(scale=1.0, shift=0.0, seed=0):
    """Two groups, and two small ones between them that both hold a part of."""
    rng = np.random.default_rng(seed)
    ends = np.repeat([[-20.0, 0.0], [20.0, 0.0]], 100, axis=0)
    small = np.repeat([[0.0, 15.0], [0.0, -15.0]], 12, axis=0)
    X = (np.vstack([ends, small]) + 0.3 * rng.normal(size=(224, 2))) * scale + shift
    labels = (X[:, 0] > shift).astype(int)
    centers, sizes = means_of(X - shift, np.ones(224), labels)
    return Strays(X, np.ones(224), labels), centers + shift, sizes


@pytest.mark.parametrize(("scale", "shift"), [(1, 0), (1e-6, 0), (1e-150, 0), (1e150, 0), (1, 1e6)])
def test_groups_that_others_divide_are_found_at_any_scale_and_place(scale, shift):
    strays, centers, sizes = divided_group(scale, shift)
    before = centers.copy(), sizes.copy()
    penalty = SizedPenalty(20.0 * scale**2, 0.2 * scale**2)
    new_centers, new_sizes = gather(strays, centers, sizes, penalty, 0.0, 9)
    assert_array_equal(new_sizes, [100, 100, 12, 12])
    heights = np.sort((new_centers[2:, 1] - shift) / scale)
    assert_allclose(heights, [-15, 15], atol=0.5)
    assert_array_equal(centers, before[0])  # untouched
    assert_array_equal(sizes, before[1])


def test_no_more_are_made_than_allowed():
    strays, centers, sizes = divided_group()
    new_centers, new_sizes = gather(strays, centers, sizes, SizedPenalty(20.0, 0.2), 0.0, 1)
    assert len(new_centers) == len(new_sizes) == 3
    assert new_sizes.sum() == 224


def test_nothing_is_gathered_where_it_does_not_pay():
    strays, centers, sizes = divided_group()
    assert gather(strays, centers, sizes, SizedPenalty(1e5, 0.2), 0.0, 9) is None
    alike = Strays(np.full((5, 2), 1.5e308), np.ones(5), np.zeros(5, dtype=int))
    where = np.full((1, 2), 1.5e308)
    assert gather(alike, where, np.array([5.0]), SizedPenalty(1.0, 0.1), 0.0, 9) is None
