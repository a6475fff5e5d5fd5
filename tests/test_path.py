"""The path of scales and lam="auto" by it."""

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.metrics import adjusted_rand_score

from pypmeans import DPMeans, PYPMeans, scale_path
from pypmeans._path import ScaleEntry, ScalePath
from pypmeans.datasets import make_power_law_blobs


def zipf(n_groups=6, n_features=2, separation=8.0, rows=40, seed=0):
    return make_power_law_blobs(
        rows * n_groups, n_clusters=n_groups, n_features=n_features, separation=separation,
        random_state=seed,
    )  # fmt: skip


def fit(X, **parameters):
    """`PYPMeans` without remarks on doubtful results."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return PYPMeans(n_threads=1, **parameters).fit(X)


def same_partition(a, b):
    return adjusted_rand_score(a, b) == 1


@pytest.fixture(scope="module")
def blobs():
    X, y = zipf()
    return X, y, scale_path(X, n_threads=1)


def test_the_path_goes_from_one_cluster_to_many(blobs):
    X, _, path = blobs
    counts = [entry.n_clusters for entry in path]
    scales = [entry.scale for entry in path]
    assert counts[0] == 1
    assert counts == sorted(counts)
    assert np.sqrt(len(X)) < counts[-1] <= 30 + 4 * np.sqrt(len(X))
    assert_allclose(scales[0], np.sqrt(X.var(axis=0).sum()))
    assert_allclose(np.divide(scales[1:], scales[:-1]) ** 4, 0.5)
    assert all(entry.cluster_centers.shape == (entry.n_clusters, 2) for entry in path)


def test_parameters_belong_to_the_scale(blobs):
    X, _, path = blobs
    log_total = np.log(len(X))
    for entry in path:
        assert_allclose(entry.theta, 2 * entry.scale**2)
        reach = 2 + 4 * np.sqrt(2 * log_total) + 2 * log_total
        assert_allclose(entry.lam, entry.scale**2 * reach)


def test_labels_of_an_entry_equal_brute_force(blobs):
    X, _, path = blobs
    for entry in path:
        sizes = entry.cluster_sizes
        cost = cdist(X, entry.cluster_centers, "sqeuclidean") - entry.theta * np.log(sizes)
        labels = entry.predict(X)
        assert_array_equal(labels, cost.argmin(axis=1))
        assert_array_equal(np.bincount(labels, minlength=len(sizes)), sizes)
        assert np.all(np.diff(sizes) <= 0)


def test_objective_of_an_entry_by_hand(blobs):
    X, _, path = blobs
    entry = path.best
    sizes, c = entry.cluster_sizes, entry.n_clusters
    inertia = np.sum((X - entry.cluster_centers[entry.predict(X)]) ** 2)
    spread = np.sum(sizes * np.log(len(X) / sizes))
    log_factorial = np.sum(np.log(np.arange(1, c)))
    charge = entry.theta * (spread - log_factorial) + entry.lam * c
    assert_allclose(entry.objective, inertia + charge)


@pytest.mark.parametrize("factor", [2.0**-10])
def test_units_change_nothing_but_the_scale(blobs, factor):
    X, _, path = blobs
    scaled = scale_path(X * factor, n_threads=1)
    assert len(scaled) == len(path)
    for one, other in zip(path, scaled):
        assert_allclose(other.scale, factor * one.scale)
        assert_allclose([other.lam, other.theta], factor**2 * np.array([one.lam, one.theta]))
        assert_array_equal(other.predict(X * factor), one.predict(X))
    differences = [[e.score - found[0].score for e in found] for found in (path, scaled)]
    assert_allclose(*differences, atol=1e-6)
    assert scaled.best is scaled[path.index(path.best)]


@pytest.mark.large
@pytest.mark.parametrize("separation", [6.5, 9.0])
@pytest.mark.parametrize(
    ("n_features", "n_groups", "rows"),
    [(1, 5, 40), (2, 4, 40), (2, 20, 30), (10, 12, 40), (50, 8, 80)],
)
def test_zipf_groups_are_found(n_features, n_groups, rows, separation):
    X, y = zipf(n_groups, n_features, separation, rows, seed=1)
    model = fit(X, max_clusters=2 * n_groups)
    assert model.n_clusters_ == n_groups
    # in few features some rows of groups 6.5 apart lie on the wrong side
    assert adjusted_rand_score(y, model.labels_) >= (0.99 if separation < 7 else 1)


@pytest.mark.large
def test_groups_of_few_rows_in_many_features_are_found():
    X, _ = zipf(8, 50, 6.5, 40, seed=1)  # sizes from 146 to 12
    assert fit(X, max_clusters=16).n_clusters_ == 8


@pytest.mark.large
@pytest.mark.parametrize("n_features", [2, 10, 50])
@pytest.mark.parametrize("kind", ["normal", "uniform"])
def test_one_blob_and_noise_are_one_cluster(kind, n_features):
    for seed in range(5):
        X = getattr(np.random.default_rng(seed), kind)(size=(200, n_features))
        assert scale_path(X, max_clusters=8, n_threads=1).best.n_clusters == 1


def test_order_of_rows_does_not_matter():
    X, _ = zipf(8, 3)
    order = np.random.default_rng(0).permutation(len(X))
    labels, shuffled = (fit(rows, max_clusters=20).labels_ for rows in (X, X[order]))
    assert same_partition(shuffled, labels[order])


def test_weight_2_is_the_row_twice():
    X, _ = zipf(5, 2)
    weight = np.random.default_rng(0).integers(1, 3, len(X))
    weighted = scale_path(X, sample_weight=weight, max_clusters=12, n_threads=1)
    repeated = scale_path(np.repeat(X, weight, axis=0), max_clusters=12, n_threads=1)
    assert_allclose(weighted.best.lam, repeated.best.lam)
    assert_array_equal(weighted.best.cluster_sizes, repeated.best.cluster_sizes)
    assert_allclose(weighted.best.score, repeated.best.score)


def test_rows_of_weight_0_do_not_count():
    X, _ = zipf(4, 2)
    more = np.vstack([X, [[1e3, 1e3]]])
    weight = np.append(np.ones(len(X)), 0)
    some = scale_path(more, sample_weight=weight, max_clusters=8, n_threads=1)
    assert [entry.lam for entry in some] == [
        entry.lam for entry in scale_path(X, max_clusters=8, n_threads=1)
    ]


def test_a_fit_is_the_best_entry(blobs):
    X, y, path = blobs
    model = fit(X)
    assert [entry.lam for entry in model.path_] == [entry.lam for entry in path]
    assert_allclose([model.lam_, model.theta_], [path.best.lam, path.best.theta])
    assert same_partition(model.labels_, path.best.predict(X))
    assert same_partition(model.labels_, y)


def made_path(*counts_and_scores):
    entries = [
        ScaleEntry(1.0 / at, 1.0, 1.0, 1.0, k, score, 0.0, np.full(k, 60 / k), np.zeros((k, 1)))
        for at, (k, score) in enumerate(counts_and_scores, start=1)
    ]
    return ScalePath(entries)


def test_best_runners_up_and_clarity():
    path = made_path((1, 0.0), (2, 30.0), (3, 12.0), (4, 24.0), (4, 24.0), (5, 6.0), (6, 9.0))
    assert path.best is path[1]
    assert [entry.score for entry in path.runners_up] == [24.0, 9.0]
    assert path.clarity == pytest.approx(6 / 60)


def test_equal_scores_go_to_the_coarser_entry():
    path = made_path((1, 5.0), (2, 5.0), (3, 1.0))
    assert path.best is path[0]
    assert path.runners_up == []
    assert path.clarity == 0


def test_a_single_entry_is_clear():
    path = made_path((1, 3.0))
    assert path.best is path[0]
    assert path.runners_up == []
    assert path.clarity == np.inf


def test_clear_groups_are_clear_and_noise_is_not(blobs):
    X = np.random.default_rng(0).uniform(size=(240, 2))
    noise = scale_path(X, max_clusters=12, n_threads=1)
    assert 0 <= noise.clarity < blobs[2].clarity


@pytest.mark.parametrize("most", [1, 2, 4])
def test_no_more_clusters_than_asked_for(blobs, most):
    X, _, _ = blobs
    path = scale_path(X, max_clusters=most, n_threads=1)
    assert max(entry.n_clusters for entry in path) <= most
    assert fit(X, max_clusters=most).n_clusters_ <= most


def test_room_for_more_clusters_changes_nothing(blobs):
    X, _, path = blobs
    assert fit(X, max_clusters=12).n_clusters_ == path.best.n_clusters == 6


def test_lambda_from_theta(blobs):
    X, y, _ = blobs
    model = fit(X, theta=2.0)  # groups have unit variance, θ is twice that
    assert model.theta_ == 2.0
    assert not hasattr(model, "path_")
    assert same_partition(model.labels_, y)


def test_lambda_given(blobs):
    X, _, _ = blobs
    model = fit(X, lam=5.0)
    assert model.lam_ == 5.0
    assert not hasattr(model, "path_")
    assert 1 < model.n_clusters_ <= len(X)


def test_dp_means_has_a_path_of_its_own(blobs):
    X, y, _ = blobs
    model = DPMeans(max_clusters=12, n_threads=1).fit(X)
    assert {entry.theta for entry in model.path_} == {0.0}
    assert model.path_[0].n_clusters == 1
    assert adjusted_rand_score(y, model.labels_) > 0.9


def test_equal_rows_are_one_cluster():
    path = scale_path(np.full((20, 3), 7.0))
    assert [entry.n_clusters for entry in path] == [1]
    assert fit(np.full((20, 3), 7.0)).n_clusters_ == 1


@pytest.mark.parametrize("n_rows", [1, 2, 3])
def test_hardly_any_rows_are_one_cluster(n_rows):
    for X in (np.arange(n_rows)[:, None] ** 2.0, np.random.default_rng(0).normal(size=(n_rows, 4))):
        assert fit(X).n_clusters_ == 1


def test_two_places_that_weigh_much_are_two_clusters():
    assert scale_path([[0.0], [1.0]], sample_weight=[30, 20]).best.n_clusters == 2


def test_duplicated_points_are_found():
    X = np.repeat([[0.0, 0], [1, 0], [0, 1], [5, 5]], [40, 20, 10, 10], axis=0)
    assert fit(X).n_clusters_ == 4


def test_more_features_than_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 100))
    assert fit(X).n_clusters_ == 1
    X[:12] += 3
    assert same_partition(fit(X).labels_, np.arange(30) < 12)


def test_a_constant_column_does_not_matter(blobs):
    X, y, _ = blobs
    assert same_partition(
        fit(np.column_stack([X, np.full(len(X), 3.0)]), max_clusters=15).labels_, y
    )


def test_a_binary_column_beside_groups(blobs):
    X, y, _ = blobs
    binary = np.random.default_rng(0).integers(0, 2, len(X))
    assert same_partition(fit(np.column_stack([X, binary]), max_clusters=15).labels_, y)


def test_a_few_extreme_outliers(blobs):
    X, _, _ = blobs
    far = np.vstack([X, 1e6 * np.array([[1.0, 1], [1, -1], [-1, 1]])])
    labels = fit(far, max_clusters=20).labels_
    assert len(set(labels[-3:].tolist()) - set(labels[:-3].tolist())) == 3


def test_float32_gives_the_same_groups(blobs):
    X, y, _ = blobs
    assert same_partition(fit(X.astype(np.float32), max_clusters=15).labels_, y)


def test_a_dominant_feature_is_named(blobs):
    X = blobs[0].copy()
    X[:, 1] *= 1000
    with pytest.warns(UserWarning, match=r"Feature 1 has \d+\.\d% of the variance"):
        PYPMeans(max_clusters=3, n_threads=1).fit(X)
    with pytest.warns(UserWarning, match=r"Feature 1 \('income'\) has"):
        PYPMeans(max_clusters=3, n_threads=1).fit(pd.DataFrame(X, columns=["age", "income"]))


def test_balanced_features_give_no_warning(blobs):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PYPMeans(max_clusters=12, n_threads=1).fit(blobs[0])


@pytest.mark.large
def test_of_many_rows_a_sample_shows_the_scale():
    X, y = make_power_law_blobs(12_000, n_clusters=8, separation=10, min_size=200, random_state=0)
    best = scale_path(X, max_clusters=10).best
    assert best.cluster_sizes.sum() == 10_000
    assert adjusted_rand_score(y, best.predict(X)) > 0.999


@pytest.mark.parametrize(
    "arguments", [{"theta": 1.0}, {"max_clusters": 0}, {"n_threads": 0}, {"sample_weight": [-1, 1]}]
)
def test_bad_arguments_are_refused(arguments):
    with pytest.raises(ValueError, match=next(iter(arguments))):
        scale_path([[0.0], [1.0]], **arguments)
