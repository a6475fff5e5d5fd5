"""The evidence against integrals computed by other means, and what it must not depend on."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import invgamma, multivariate_normal, multivariate_t, norm

from pypmeans._evidence import MEAN_ROWS, MOST_FEATURES, SHAPE, SPREAD, Evidence, leading_components
from pypmeans.process import log_eppf


def score(X, labels, weight=None):
    X = np.asarray(X, dtype=float)
    weight = np.ones(len(X)) if weight is None else np.asarray(weight, dtype=float)
    return Evidence(X, weight).score(np.asarray(labels))


def groups(seed=0, n_features=3, sizes=(14, 6, 3)):
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    centers = 4 * rng.normal(size=(len(sizes), n_features))
    return centers[labels] + rng.normal(size=(len(labels), n_features)), labels


def prior(X, n_clusters):
    """Mean, variances and worth of the mean that the documentation of the module promises."""
    narrowing = n_clusters ** (-2 / X.shape[1])
    variance = X.var(axis=0)
    variance = SPREAD * narrowing * np.maximum(variance, variance.mean())
    return X.mean(axis=0), variance, MEAN_ROWS * narrowing


def integral_over_mean_and_variance(x, mean, shape, rate, rows):
    """Log-probability of a few numbers, summed over a grid of normal distributions."""
    log_variance = np.log(rate) + np.linspace(-8, 12, 301)[:, None]
    deviation = np.exp(log_variance / 2)
    center = mean + deviation * np.linspace(-40, 40, 2001)
    density = norm.pdf(center, mean, deviation / np.sqrt(rows))
    for value in x:
        density = density * norm.pdf(value, center, deviation)
    over_means = np.trapezoid(density, center, axis=1)
    of_variance = invgamma.pdf(deviation**2, shape, scale=rate) * deviation**2
    return np.log(np.trapezoid(over_means * of_variance[:, 0], log_variance[:, 0]))


def test_one_cluster_in_one_dimension_is_an_integral_over_mean_and_variance():
    x = np.array([0.3, 1.1, -0.7, 2.0])
    (mean,), (variance,), rows = prior(x[:, None], 1)
    # round and along the axes are the same; a full covariance has degrees of freedom instead
    by_shape = integral_over_mean_and_variance(x, mean, SHAPE, SHAPE * variance, rows)
    by_freedom = integral_over_mean_and_variance(x, mean, 1.5, variance / 2, rows)
    assert_allclose(score(x[:, None], [0] * 4), max(by_shape, by_freedom), rtol=1e-4)


def by_round(X, mean, variance, rows):
    """Given the variance, all rows together are normal; the variance is integrated over."""
    spread = np.eye(len(X)) + 1 / rows

    def log_density(log_variance):
        v = np.exp(log_variance)
        rows_given = np.sum(multivariate_normal.logpdf((X - mean).T, cov=v * spread))
        return rows_given + invgamma.logpdf(v, SHAPE, scale=SHAPE * variance.mean()) + log_variance

    return log_integral(log_density, np.log(X.var()))


def along_axes(X, mean, variance, rows):
    return sum(by_round(X[:, [j]], mean[[j]], variance[[j]], rows) for j in range(X.shape[1]))


def by_full(X, mean, variance, rows):
    """One row after another, each by the Student distribution that those before it leave."""
    p = X.shape[1]
    freedom, scatter, total = p + 2.0, np.diag(variance), 0.0
    for x in X:
        doubt = freedom - p + 1
        total += multivariate_t.logpdf(x, mean, scatter * (rows + 1) / (rows * doubt), df=doubt)
        away = x - mean
        scatter = scatter + rows / (rows + 1) * np.outer(away, away)
        mean, rows, freedom = mean + away / (rows + 1), rows + 1, freedom + 1
    return total


def log_integral(log_density, middle):
    grid = middle + np.linspace(-10, 12, 221)
    values = np.array([log_density(at) for at in grid])
    return np.log(np.trapezoid(np.exp(values - values.max()), grid)) + values.max()


def log_process(sizes):
    """The best log-probability of the sizes under a Pitman-Yor process, on a fine grid."""
    best = -np.inf
    for discount in np.linspace(0, 0.9, 10):
        for concentration in np.geomspace(0.05, 20, 60) - discount + 1e-9:
            best = max(best, log_eppf(sizes, concentration, discount))
    return best


@pytest.mark.parametrize("n_features", [1, 2, 3])
def test_the_likeliest_of_three_structures_counts(n_features):
    X, labels = groups(n_features, n_features, sizes=(5, 3))
    parts = [X[labels == k] for k in range(2)]
    structures = [
        sum(structure(part, *prior(X, 2)) for part in parts)
        for structure in (by_round, along_axes, by_full)
    ]
    assert_allclose(score(X, labels), max(structures) + log_process([5, 3]), atol=2e-3)


@pytest.mark.parametrize(
    ("structure", "deviations"),
    [
        (0, np.eye(4)),
        pytest.param(
            1,
            np.diag([1, 0.3, 1, 0.3]),
            marks=pytest.mark.xfail(reason="the prior along the axes is three times as wide"),
        ),
        (2, np.triu(np.ones((4, 4)))),
    ],
    ids=["round", "along the axes", "full"],
)
def test_the_structure_is_found(structure, deviations):
    X = np.random.default_rng(0).normal(size=(300, 4)) @ deviations
    evidence = Evidence(X, np.ones(300))
    assert evidence._likelihoods(evidence._moments(np.arange(300)), 1.0).argmax() == structure


@pytest.mark.parametrize("n_features", [1, 3, MOST_FEATURES + 5])
@pytest.mark.parametrize("factor", [1e-3, 7.0, 1e4])
def test_units_and_origin_cancel_in_differences(n_features, factor):
    X, labels = groups(1, n_features)
    merged = np.minimum(labels, 1)
    difference = score(X, labels) - score(X, merged)
    assert_allclose(score(X * factor, labels) - score(X * factor, merged), difference, rtol=1e-6)
    assert_allclose(score(X + 50, labels) - score(X + 50, merged), difference, rtol=1e-6)


@pytest.mark.parametrize("n_features", [2, MOST_FEATURES + 5])
def test_order_of_rows_and_numbers_of_clusters_do_not_matter(n_features):
    X, labels = groups(2, n_features)
    order = np.random.default_rng(0).permutation(len(X))
    assert_allclose(score(X[order], labels[order]), score(X, labels), rtol=1e-9)
    assert_allclose(score(X, np.array([4, 0, 2])[labels]), score(X, labels), rtol=1e-12)


@pytest.mark.parametrize("n_features", [1, 3, 15, MOST_FEATURES + 5])
def test_weight_2_is_the_row_twice(n_features):
    X, labels = groups(3, n_features, sizes=(150, 60, 20))
    weight = np.random.default_rng(0).integers(1, 4, len(X))
    twice = np.repeat(np.arange(len(X)), weight)
    assert_allclose(score(X, labels, weight), score(X[twice], labels[twice]), rtol=1e-9)


def test_true_groups_score_more_than_coarser_or_finer_ones():
    X, labels = groups(4, 2, sizes=(80, 40, 20))
    finer = np.where(X[:, 0] > np.median(X[labels == 0, 0]), labels, labels + 3)
    for other in (np.zeros_like(labels), np.minimum(labels, 1), finer):
        assert score(X, labels) > score(X, other)


def test_equal_rows_score_nothing():
    assert score(np.ones((5, 2)), [0] * 5) == 0
    assert score([[3.0]], [0]) == 0


def test_every_row_alone_is_scored():
    X, _ = groups(5)
    assert np.isfinite(score(X, np.arange(len(X))))
    assert np.isfinite(score(X, np.arange(len(X)), np.full(len(X), 0.01)))


@pytest.mark.parametrize("n_rows", [60, 300])
def test_leading_components_keep_what_varies(n_rows):
    rng = np.random.default_rng(0)
    plane = 10 * rng.normal(size=(n_rows, 5)) @ rng.normal(size=(5, MOST_FEATURES + 30))
    reduced = leading_components(plane, np.ones(n_rows))
    assert reduced.shape == (n_rows, 5)
    apart = np.linalg.norm(plane[:, None] - plane, axis=2)
    assert_allclose(np.linalg.norm(reduced[:, None] - reduced, axis=2), apart, atol=1e-4)


@pytest.mark.parametrize(("n_rows", "n_components"), [(3, 2), (60, 6), (300, 30), (500, 40)])
def test_no_more_components_than_a_covariance_can_be_judged_by(n_rows, n_components):
    X = np.random.default_rng(0).normal(size=(n_rows, MOST_FEATURES + 30))
    assert leading_components(X, np.ones(n_rows)).shape == (n_rows, n_components)


def test_few_features_stay_as_they_are():
    X, _ = groups()
    assert_allclose(leading_components(X, np.ones(len(X))), X)
