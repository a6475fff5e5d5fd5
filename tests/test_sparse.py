"""Sparse rows give what the same rows give when dense, and stay sparse."""

import os
import tracemalloc
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from data import points, weights
from pypmeans import DPMeans, PYPMeans, _kernels, estimate_lambda, radius_profile, scale_path
from pypmeans._evidence import leading_components
from pypmeans._path import dominance_of_one_feature
from pypmeans._rows import MOST_DENSE, WALKED_FEATURES, Centered, SparseRows, column_variances
from pypmeans._search import rank_by_coordinates

N_ROWS = 40 if os.environ.get("NUMBA_DISABLE_JIT") == "1" else 200  # plain loops take their time
# Few features, features enough for matrix products, and so many that zeros are skipped.
MANY = WALKED_FEATURES + 40
N_FEATURES = pytest.mark.parametrize("n_features", [5, 40, MANY])
DTYPES = pytest.mark.parametrize("dtype", [np.float32, np.float64])
MODELS = pytest.mark.parametrize(
    "model",
    [
        PYPMeans(6.0, 0.1),
        PYPMeans(4.0, 0.2, algorithm="paper"),
        DPMeans(12.0),
        DPMeans(4.0, algorithm="paper", init="random", random_state=1),
    ],
    ids=["search", "paper", "search-dp", "paper-random"],
)
pytestmark = pytest.mark.filterwarnings("ignore:(Only one cluster|Each of the|The search stopped)")


def scattered(n_features, n_rows=N_ROWS, dtype=np.float64, seed=0):
    """Groups of Zipf sizes, each with a few features of its own, amid many zeros."""
    rng = np.random.default_rng(seed)
    groups = np.minimum(rng.zipf(1.5, n_rows), 8)
    X = rng.normal(size=(n_rows, n_features)) * (rng.random((n_rows, n_features)) < 3 / n_features)
    for group in range(1, 9):
        own = np.ix_(groups == group, rng.choice(n_features, min(3, n_features), replace=False))
        X[own] += rng.normal(2, 0.2, size=X[own].shape)
    X[-3:] = X[:3]  # some rows twice
    return X.astype(dtype)


def assert_same_fit(model, X, S, weight=None):
    dense = model.fit(X, sample_weight=weight)
    expected = {name: getattr(dense, name) for name in ("labels_", "n_clusters_", "objective_")}
    expected |= {"centers": dense.cluster_centers_, "predicted": dense.predict(X)}
    fitted = model.fit(S, sample_weight=weight)
    assert_array_equal(fitted.labels_, expected["labels_"])
    assert_allclose(fitted.objective_, expected["objective_"], rtol=1e-12)
    assert_allclose(fitted.cluster_centers_, expected["centers"], rtol=1e-12, atol=1e-13)
    assert_array_equal(fitted.predict(S), expected["predicted"])
    return fitted


@N_FEATURES
@DTYPES
@MODELS
def test_sparse_and_dense_rows_get_the_same_labels(model, n_features, dtype):
    X = scattered(n_features, dtype=dtype)
    fitted = assert_same_fit(model, X, sparse.csr_array(X))
    assert fitted.n_clusters_ > 2
    assert_array_equal(fitted.predict(sparse.csr_array(X)), fitted.labels_)


@N_FEATURES
@MODELS
def test_weights_count_the_same(model, n_features):
    X = scattered(n_features, seed=1)
    weight = np.random.default_rng(1).choice([0.0, 0.5, 1.0, 3.0], len(X))
    assert_same_fit(model, X, sparse.csr_array(X), weight)


@N_FEATURES
@DTYPES
def test_what_a_fitted_model_says_is_the_same(n_features, dtype):
    X = scattered(n_features, dtype=dtype)
    S, new = sparse.csr_array(X), np.vstack([X, scattered(n_features, dtype=dtype, seed=5)])
    model = PYPMeans(6.0, 0.1).fit(X)
    digits = 1e-12 if dtype == np.float64 else 1e-6
    assert_allclose(model.transform(S), model.transform(X), rtol=digits, atol=digits)
    assert model.transform(S).dtype == dtype
    assert_allclose(model.score(S), model.score(X), rtol=1e-12)
    assert_array_equal(model.is_novel(sparse.csr_array(new)), model.is_novel(new))
    assert 0 < np.count_nonzero(model.is_novel(new)) < len(new)


@pytest.mark.large
@N_FEATURES
def test_the_path_is_the_same(n_features):
    X = scattered(n_features, n_rows=80)
    path, dense_path = scale_path(sparse.csr_array(X)), scale_path(X)
    assert [entry.n_clusters for entry in path] == [entry.n_clusters for entry in dense_path]
    assert_allclose([entry.score for entry in path], [entry.score for entry in dense_path])
    assert_array_equal(path.best.predict(sparse.csr_array(X)), dense_path.best.predict(X))
    assert_array_equal(PYPMeans().fit(sparse.csr_array(X)).labels_, PYPMeans().fit(X).labels_)


@N_FEATURES
def test_radii_and_estimates_are_the_same(n_features):
    X = scattered(n_features)
    S = sparse.csr_array(X)
    assert_array_equal(radius_profile(S, 30), radius_profile(X, 30))
    assert estimate_lambda(S, 7) == estimate_lambda(X, 7)
    assert PYPMeans(algorithm="paper").fit(S).lam_ == PYPMeans(algorithm="paper").fit(X).lam_


@pytest.mark.large
@MODELS
@settings(max_examples=20)
@given(points(), st.data())
def test_any_rows_get_the_same_labels(model, X, data):
    X = X * (data.draw(weights(X.size)).reshape(X.shape) < 2)  # about half are zero
    weight = data.draw(weights(len(X)))
    lam = model.lam * (np.abs(X).max() or 1.0) ** 2 / 16
    model = type(model)(**model.get_params() | {"lam": lam})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert_same_bits(model, X, weight)


def assert_same_bits(model, X, weight=None):
    dense = model.fit(X, sample_weight=weight)
    labels, centers, objective = dense.labels_, dense.cluster_centers_, dense.objective_
    fitted = model.fit(sparse.csr_array(X), sample_weight=weight)
    assert_array_equal(fitted.labels_, labels)
    assert_array_equal(fitted.cluster_centers_, centers)
    assert fitted.objective_ == objective


@pytest.mark.parametrize("algorithm", ["paper", "search"])
@pytest.mark.parametrize("n_features", [3, 30, 100])
def test_ties_are_broken_alike(algorithm, n_features):
    # rows on a grid are often equally near to several centers
    X = np.random.default_rng(n_features).integers(0, 3, (120, n_features)).astype(float)
    X[:, 3:] *= np.random.default_rng(0).random((120, n_features - 3)) < 0.1
    assert_same_bits(PYPMeans(3.0, 0.01, algorithm=algorithm), X)


def test_unit_rows_with_nothing_in_common_are_opened_in_the_same_order():
    # their squared distances are 2 but for the last digit, which decides
    X = scattered(2 * MANY, n_rows=150, seed=3)
    X /= np.maximum(np.linalg.norm(X, axis=1), 1e-9)[:, None]
    model = PYPMeans(1.5, 0.1, algorithm="paper", init="random", random_state=0)
    assert_same_fit(model, X, sparse.csr_array(X))


@pytest.mark.parametrize(
    "kind",
    [sparse.csr_array, sparse.csr_matrix, sparse.csc_array, sparse.coo_array, sparse.lil_matrix],
)
def test_all_sparse_formats_are_taken(kind):
    X = scattered(30)
    assert_same_fit(PYPMeans(6.0, 0.1), X, kind(X))


def test_duplicate_unsorted_and_zero_entries_mean_what_they_mean_and_stay_in_place():
    S = sparse.csr_array(
        (np.array([1.0, 2.0, 0.0, 5.0, 7.0]), np.array([2, 0, 1, 1, 1]), np.array([0, 3, 3, 5])),
        shape=(3, 3),
    )
    before = S.data.copy(), S.indices.copy(), S.indptr.copy()
    model = PYPMeans(1.0, 0.01).fit(S)
    assert_array_equal(model.labels_, PYPMeans(1.0, 0.01).fit(S.toarray()).labels_)
    assert_array_equal(np.sort(model.cluster_centers_.sum(axis=1)), [0, 3, 12])
    for was, now in zip(before, (S.data, S.indices, S.indptr)):
        assert_array_equal(was, now)


def test_wide_indices_and_read_only_arrays_are_taken():
    X = scattered(30)
    S = sparse.csr_array(X)
    S.indices, S.indptr = S.indices.astype(np.int64), S.indptr.astype(np.int64)
    for part in (S.data, S.indices, S.indptr):
        part.flags.writeable = False
    assert_same_fit(PYPMeans(6.0, 0.1), X, S)


def test_rows_in_order_are_not_copied():
    S = sparse.csr_array(scattered(30))
    assert np.shares_memory(SparseRows.of(S).data, S.data)


def test_rows_without_any_entry_are_rows_like_others():
    X = np.zeros((6, 40))
    X[:2, 3] = 9.0
    model = assert_same_fit(PYPMeans(5.0, 0.01), X, sparse.csr_array(X))
    assert_array_equal(model.cluster_sizes_, [4, 2])
    assert DPMeans(1.0).fit(sparse.csr_array((5, 40))).n_clusters_ == 1


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_not_numbers_are_refused(value):
    S = sparse.csr_array(np.diag([1.0, value, 2.0]))
    for use in (PYPMeans(1.0).fit, scale_path, lambda X: radius_profile(X, 3)):
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            use(S)


def test_squares_that_overflow_are_refused():
    with pytest.raises(ValueError, match=r"X spans 1e\+200 in column 1"):
        PYPMeans(1.0).fit(sparse.csr_array(np.diag([1.0, 1e200])))


def test_another_number_of_features_is_refused():
    model = PYPMeans(6.0, 0.1).fit(sparse.csr_array(scattered(30)))
    with pytest.raises(ValueError, match="31 features"):
        model.predict(sparse.csr_array(scattered(31)))


@pytest.mark.parametrize("n_features", [1, 3, 15, 16, 17, 18, 19, 64, MANY])
def test_distances_are_those_of_dense_rows_to_the_bit(n_features):
    rng = np.random.default_rng(n_features)
    for filled in (0.0, 0.1, 0.5, 1.0):
        X = rng.normal(size=(20, n_features)) * (rng.random((20, n_features)) < filled)
        center = rng.normal(size=(1, n_features))
        S = SparseRows.of(sparse.csr_array(X))
        rows = np.arange(20, dtype=np.int32)
        found, expected = np.full((2, 20), np.inf)
        _kernels.bring_nearer(S, rows, center, found)
        _kernels.bring_nearer(X, rows, center, expected)
        assert_array_equal(found, expected)
        _kernels.distances_to(S, center, near := np.empty((20, 1)))
        assert_allclose(near[:, 0] ** 2, expected, rtol=1e-12)


def test_a_row_at_its_center_is_at_distance_zero_with_many_features():
    X = scattered(MANY)
    S = SparseRows.of(sparse.csr_array(X))
    _kernels.distances_to(S, X[:10], distances := np.empty((len(X), 10)))
    assert_array_equal(np.diag(distances), 0.0)


@pytest.mark.large
def test_components_of_many_sparse_rows_are_those_of_dense_ones():
    X = scattered(1500, n_rows=3000)
    weight = np.random.default_rng(0).choice([0.5, 1.0, 2.0], len(X))
    assert X.size > MOST_DENSE
    found = leading_components(SparseRows.of(sparse.csr_array(X)), weight)
    expected = leading_components(X, weight)
    signs = np.sign(np.sum(found * expected, axis=0))
    scale = np.abs(expected).max()
    assert_allclose(found[:, -8:] * signs[-8:], expected[:, -8:], atol=1e-8 * scale)
    # those of nearly equal variance may turn among themselves
    assert_allclose(weight @ found**2, weight @ expected**2, rtol=1e-9)


@pytest.mark.parametrize("n_rows", [1, 2, 200])
def test_equal_rows_have_no_components_but_zeros(n_rows):
    one_each = np.ones(n_rows), np.zeros(n_rows, dtype=int), np.arange(n_rows + 1)
    S = SparseRows(one_each, shape=(n_rows, MOST_DENSE // n_rows + 1))
    for factor in (0.0, 1.0):
        assert not leading_components(S * factor, np.ones(n_rows)).round(9).any()


def test_products_with_centered_rows_are_those_of_dense_ones(monkeypatch):
    monkeypatch.setattr("pypmeans._rows.MOST_DENSE", 0)
    X, rng = scattered(40), np.random.default_rng(0)
    center, direction, factors = X.mean(axis=0), rng.normal(size=40), rng.normal(size=len(X))
    found = Centered(SparseRows.of(sparse.csr_array(X)), center)
    assert_allclose(found.unit * found.times(direction), (X - center) @ direction, atol=1e-12)
    assert_allclose(found.unit * found.added_up(factors), factors @ (X - center), atol=1e-12)


def test_variances_and_the_warning_of_a_dominant_feature_are_the_same():
    X = scattered(20)
    X[:, 4] *= 1000
    S = SparseRows.of(sparse.csr_array(X))
    assert_allclose(column_variances(S), column_variances(X), rtol=1e-9)
    assert "Feature 4" in dominance_of_one_feature(S) == dominance_of_one_feature(X)


def test_coordinates_far_behind_tell_centers_apart():
    centers = np.zeros((4, 2000))
    centers[[0, 1, 3], [1999, 40, 40]] = [1.0, 2.0, -2.0]
    assert_array_equal(rank_by_coordinates(centers), [2, 3, 1, 0])


@pytest.mark.large
def test_rows_stay_sparse():
    n_rows, n_features = 4000, 20_000
    rng = np.random.default_rng(0)
    columns = np.stack([rng.choice(n_features, 10, replace=False) for _ in range(n_rows)])
    columns[:, :5] = np.arange(5) + 5 * rng.integers(4, size=n_rows)[:, None]
    rows = np.repeat(np.arange(n_rows), 10)
    S = sparse.csr_array((np.ones(rows.size), (rows, columns.ravel())), shape=(n_rows, n_features))
    model = PYPMeans(300.0, 0.1, n_threads=1)
    tracemalloc.start()
    model.fit(S)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert model.n_clusters_ == 4
    assert peak < n_rows * n_features * 8 / 2  # bytes, were they dense
