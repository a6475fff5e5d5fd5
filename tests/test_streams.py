"""Streams: batches lead to what all rows together lead to, in bounded memory."""

import pickle
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from pypmeans import DPMeans, PYPMeans
from pypmeans.datasets import make_power_law_blobs


def batches_of(X, n_batches, seed=0):
    return np.array_split(X[np.random.default_rng(seed).permutation(len(X))], n_batches)


def small_groups(n_groups, seed=0):
    rng = np.random.default_rng(seed)
    centers = rng.uniform(-100, 100, (n_groups, 5))
    return np.repeat(centers, 3, axis=0) + rng.normal(0, 0.01, (3 * n_groups, 5))


@pytest.mark.large
@pytest.mark.parametrize("algorithm", ["paper", "search"])
def test_every_new_small_group_of_a_stream_is_found(algorithm):
    X = small_groups(400)
    model = DPMeans(lam=1, algorithm=algorithm)
    for number in range(5):
        batch = X[240 * number : 240 * (number + 1)]
        model.partial_fit(batch)
        assert model.n_clusters_ == 80 * (number + 1)
        assert_array_equal(model.cluster_ids_, np.arange(model.n_clusters_))
        assert_array_equal(model.predict(batch), model.labels_)
    assert_array_equal(model.cluster_sizes_, 3)


@pytest.mark.large
@pytest.mark.parametrize("settings", [{"theta": 2.0}, {"lam": 60.0}, {}])
def test_a_stream_ends_with_the_clusters_of_all_rows(settings):
    X, y = make_power_law_blobs(12_000, n_clusters=20, n_features=3, separation=8, random_state=0)
    model = PYPMeans(**settings)
    for batch in batches_of(X, 6):
        model.partial_fit(batch)
    assert model.n_clusters_ == 20
    assert adjusted_rand_score(model.predict(X), y) > 0.999
    assert_allclose(-model.score(X), model.objective_, rtol=0.01)
    assert model.cluster_sizes_.sum() == len(X)


def test_ids_stay_while_clusters_come_and_sizes_change():
    near, far = np.zeros((50, 1)), np.full((500, 1), 100.0)
    spread = np.random.default_rng(0).normal(0, 0.1, (500, 1))
    model = DPMeans(20.0).partial_fit(near + spread[:50])
    model.partial_fit(far + spread)  # now the larger one
    assert_array_equal(model.cluster_ids_, [0, 1])
    assert_allclose(model.cluster_centers_.ravel(), [0, 100], atol=0.2)
    model.partial_fit(-far[:5] + spread[:5])
    assert_array_equal(model.predict([[0.0], [100.0], [-100.0]]), [0, 1, 2])


def test_clusters_that_merge_are_told():
    model = DPMeans(1.0, algorithm="paper").partial_fit([[0.0], [1.6], [30.0]])
    assert model.n_clusters_ == 3
    former = model.predict([[0.0], [1.6], [30.0]])
    model.partial_fit(np.full((100, 1), 0.8))  # between the first two
    assert model.n_clusters_ == 2
    (gone,) = model.merged_into_
    assert gone in former
    assert model.merged_into_[gone] == model.predict([[0.8]])[0]
    assert model.predict([[30.0]])[0] == former[2]
    assert gone not in model.cluster_ids_
    model.partial_fit([[80.0]])
    assert model.merged_into_ == {}
    assert model.cluster_ids_.max() == 3  # an id is never used again


@pytest.mark.large
def test_what_is_kept_does_not_grow_with_the_rows():
    rng = np.random.default_rng(0)
    model, sizes = DPMeans(50.0, algorithm="paper"), []
    for _ in range(12):
        model.partial_fit(rng.normal(size=(3000, 2)))
        sizes.append(len(pickle.dumps(model)) - model.labels_.nbytes)
    assert max(sizes[2:]) < 400_000
    assert model.cluster_sizes_.sum() == 36_000


def test_what_is_forgotten_counts_less_and_less():
    model = DPMeans(10.0).partial_fit(np.zeros((100, 1)))
    for _ in range(3):
        model.partial_fit(np.full((10, 1), 50.0), forget=0.5)
    assert_allclose(model.cluster_sizes_, [12.5, 2.5 + 5 + 10])
    with pytest.raises(ValueError, match=r"forget must be at least 0 and less than 1. Got 1"):
        model.partial_fit([[0.0]], forget=1)


@pytest.mark.large
def test_a_stream_that_outgrows_its_scale_warns():
    X, _ = make_power_law_blobs(1500, n_clusters=6, separation=12, random_state=0)
    model = PYPMeans().partial_fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.partial_fit(X[::2])
    with pytest.warns(UserWarning, match="more than twice as wide"):
        model.partial_fit(6 * X, forget=0.9)


def test_a_fitted_model_goes_on_and_a_new_fit_starts_anew():
    X, _ = make_power_law_blobs(2000, n_clusters=5, separation=9, random_state=1)
    model = PYPMeans(theta=2.0).fit(X)
    centers = model.cluster_centers_.copy()
    model.partial_fit(np.full((40, 2), 500.0) + X[:40] * 0.01)
    assert model.n_clusters_ == 6
    assert_allclose(model.cluster_centers_[:5], centers, atol=0.1)
    assert_array_equal(model.fit(X).labels_, clone(model).fit(X).labels_)


def test_rows_are_weighed_and_pickling_keeps_the_stream():
    X, weight = small_groups(10), np.tile([0.0, 1.0, 2.0], 10)
    model = DPMeans(1.0).partial_fit(X, sample_weight=weight)
    assert_array_equal(model.cluster_sizes_, 3)
    copy = pickle.loads(pickle.dumps(model))
    new = small_groups(4, seed=9)
    assert_array_equal(copy.partial_fit(new).labels_, model.partial_fit(new).labels_)


@pytest.mark.large
def test_the_same_batches_give_the_same_bits_for_any_number_of_threads():
    X, _ = make_power_law_blobs(9000, n_clusters=15, n_features=4, random_state=3)
    results = []
    for n_threads in (1, 2):
        model = PYPMeans(theta=2.0, n_threads=n_threads)
        for batch in batches_of(X, 3):
            model.partial_fit(batch)
        results.append(model.cluster_centers_)
    assert_array_equal(*results)


@pytest.mark.large
def test_sparse_batches_give_what_dense_ones_give():
    X, _ = make_power_law_blobs(3000, n_clusters=12, n_features=6, separation=9, random_state=4)
    X[X < 0] = 0.0
    dense, sparse = DPMeans(40.0), DPMeans(40.0)
    for batch in batches_of(X, 3):
        dense.partial_fit(batch)
        sparse.partial_fit(csr_array(batch))
        assert_array_equal(sparse.labels_, dense.labels_)
    assert_allclose(sparse.cluster_centers_, dense.cluster_centers_)


@pytest.mark.large
def test_many_features_do_not_gather_all_rows_about_the_mean():
    X, y = make_power_law_blobs(
        6000, n_clusters=20, n_features=100, separation=9, random_state=1
    )  # more rows than micro-clusters, and nearly all nearer to the mean than to each other
    model = PYPMeans(theta=2.0).partial_fit(X)
    assert adjusted_rand_score(model.predict(X), y) > 0.999


@pytest.mark.parametrize("first", [1, 5, 20])
def test_a_first_batch_that_shows_no_scale_is_not_the_last_word(first):
    X, _ = make_power_law_blobs(400, n_clusters=4, separation=12, random_state=0)
    X = X[np.random.default_rng(0).permutation(len(X))]
    few = np.repeat(X[:1], 20, axis=0) if first == 20 else X[:first]
    assert PYPMeans().partial_fit(few).partial_fit(X).n_clusters_ == 4


@pytest.mark.large
def test_parameters_that_change_between_batches_find_their_scale():
    X, _ = make_power_law_blobs(400, n_clusters=4, separation=12, random_state=0)
    model = PYPMeans(60.0, 2.0).fit(X).set_params(lam="auto", theta=None)
    assert model.partial_fit(X).n_clusters_ == 4
    scale = PYPMeans().fit(X)
    paper = PYPMeans().fit(X).set_params(algorithm="paper").partial_fit(X)
    assert paper.lam_ > 10 * scale._found  # a squared distance, not the squared scale found before


def test_the_scale_of_a_large_fit_is_kept_however_small_the_next_batch():
    X, _ = make_power_law_blobs(400, n_clusters=4, separation=12, random_state=0)
    model = PYPMeans().fit(X)
    theta = model.theta_
    assert model.partial_fit(X[:5]).theta_ == theta
    assert model.n_clusters_ == 4


def test_a_forgotten_cluster_does_not_lend_its_id():
    rows = np.random.default_rng(0).normal(size=(30, 2))
    model = DPMeans(lam=60).partial_fit(rows).partial_fit(rows + 1000, forget=1 - 1e-15)
    assert_array_equal(model.cluster_ids_, [1])
    assert model.merged_into_ == {0: -1}
