"""Spectral clustering: the rule, the shapes it is for, new rows, edges and messages."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.linalg import block_diag
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel
from sklearn.preprocessing import MinMaxScaler

from pypmeans import PYPSpectralClustering
from pypmeans._affinity import NeighborAffinity
from pypmeans._spectral import scaled
from pypmeans._spectrum import Spectrum
from shapes import SHAPES, zipf_blobs

ONE_CLUSTER = pytest.mark.filterwarnings("ignore:Only one cluster")


def random_kernel(seed, n=12, rank=3):
    points = np.random.default_rng(seed).normal(size=(n, rank))
    return rbf_kernel(points, gamma=0.4)


def count_by_hand(K, lam, theta):
    """Sec. V-C in plain loops: the largest c whose eigenvalue is above the line, the next not."""
    values = np.sort(np.linalg.eigvalsh(K))[::-1]
    found = []
    for c in range(1, len(values) + 1):
        above = values[c - 1] > lam - theta * np.log(c)
        next_above = c < len(values) and values[c] > lam - theta * np.log(c + 1)
        if above and not next_above:
            found.append(c)
    return max(found, default=1)


def normalized(K):
    degrees = K.sum(axis=0)
    return K / np.sqrt(np.outer(degrees, degrees))


# The rule


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("lam", [0.05, 0.3, 0.8, 2.0, 5.0])
@pytest.mark.parametrize("theta", [0.0, 0.1, 0.4, 1.5])
@pytest.mark.filterwarnings("ignore:(Only one|Each of)")
def test_the_rule_equals_brute_force(seed, lam, theta):
    K = random_kernel(seed)
    for normalize, matrix in ((False, K), (True, normalized(K))):
        model = PYPSpectralClustering(lam, theta, affinity="precomputed", normalize=normalize)
        assert model.fit(K).n_clusters_ == count_by_hand(matrix, lam, theta)


@ONE_CLUSTER
def test_the_largest_crossing_is_taken():
    # eigenvalues 4, 1, 1, 1 and 0.1: above, below, below, above, below a line from 2 down
    K = np.diag([4.0, 1.0, 1.0, 1.0, 0.1])
    crossing = PYPSpectralClustering(2.0, 0.75, affinity="precomputed", normalize=False)
    assert crossing.fit(K).n_clusters_ == 4  # 2 - 0.75 ln 4 = 0.96
    assert clone(crossing).set_params(theta=0.7).fit(K).n_clusters_ == 1  # 2 - 0.7 ln 4 = 1.03


def test_an_eigenvalue_on_the_line_is_below_it():
    K = np.diag([3.0, 2.0, 1.0])
    model = PYPSpectralClustering(2.0, 0.0, affinity="precomputed", normalize=False)
    with pytest.warns(UserWarning, match="Only one cluster was found"):
        assert model.fit(K).n_clusters_ == 1


@pytest.mark.parametrize("seed", range(4))
def test_the_eigenvectors_make_the_trace_largest(seed):
    K = random_kernel(seed)
    model = PYPSpectralClustering(
        0.8, 0.1, affinity="precomputed", normalize=False, normalize_rows=False
    ).fit(K)
    c = model.n_clusters_
    assert c > 1

    def trace(Y):
        return np.trace(Y.T @ (K - (0.8 - 0.1 * np.log(c)) * np.eye(len(K))) @ Y)

    assert_allclose(model.embedding_.T @ model.embedding_, np.eye(c), atol=1e-10)
    assert_allclose(trace(model.embedding_), model.objective_)
    rng = np.random.default_rng(seed)
    for _ in range(50):
        other, _ = np.linalg.qr(model.embedding_ + rng.normal(size=(len(K), c)))
        assert trace(other) < model.objective_


@ONE_CLUSTER
def test_the_rule_decides_and_not_the_trace():
    K = np.diag([3.0, 1.2, 0.2])
    model = PYPSpectralClustering(2.0, 1.0, affinity="precomputed", normalize=False)
    # line: 2, 1.31, 0.90. Traces: 3 - 2, 4.2 - 2 * 1.31, 4.4 - 3 * 0.90
    model.fit(K)
    assert model.n_clusters_ == 1
    assert model.objective_ == pytest.approx(1.0)
    assert 4.4 - 3 * (2 - np.log(3)) > model.objective_


def test_theta_0_is_the_spectral_dp_means_of_kulis_and_jordan():
    # their relaxation: the eigenvectors of K whose eigenvalues exceed lam, rows by k-means
    for seed in range(5):
        X, _ = zipf_blobs(seed, n_groups=5, n_features=2, largest=60, smallest=15)
        K = rbf_kernel(X, gamma=0.05)
        values, vectors = np.linalg.eigh(K)
        gaps = values[::-1][:-1] / values[::-1][1:]
        at = int(np.argmax(gaps[:10])) + 1
        lam = (values[-at] + values[-at - 1]) / 2
        Y = vectors[:, values > lam]
        theirs = KMeans(Y.shape[1], n_init=10, random_state=0).fit_predict(Y)
        ours = PYPSpectralClustering(
            lam, 0.0, affinity="precomputed", normalize=False, normalize_rows=False
        ).fit(K)
        assert ours.n_clusters_ == Y.shape[1] > 1
        assert adjusted_rand_score(theirs, ours.labels_) == 1.0


@given(
    lam=st.floats(0.02, 3.0),
    theta=st.floats(0, 0.5),
    most=st.integers(1, 12),
    seed=st.integers(0, 30),
)
@pytest.mark.filterwarnings("ignore")
def test_no_count_within_reach_is_passed_over(lam, theta, most, seed):
    K = random_kernel(seed)
    model = PYPSpectralClustering(
        lam, theta, affinity="precomputed", normalize=False, max_clusters=most
    ).fit(K)
    values = np.append(np.sort(np.linalg.eigvalsh(K))[::-1], -np.inf)
    line = lam - theta * np.log(np.arange(1, 14))
    crossings = [
        c for c in range(1, most + 1) if values[c - 1] > line[c - 1] and values[c] <= line[c]
    ]
    expected = max(crossings, default=most if values[0] > lam else 1)
    assert model.n_clusters_ == expected


# Eigenpairs


@pytest.mark.parametrize("bounded", [True, False])
@pytest.mark.parametrize("n_features", [2, 6])
def test_eigenpairs_of_a_sparse_graph_equal_dense_ones(bounded, n_features):
    X, _ = zipf_blobs(0, n_groups=3, n_features=n_features, largest=400, smallest=250)
    matrix, _ = scaled(NeighborAffinity(X, 10, None).matrix(), True)
    spectrum = Spectrum(matrix, bounded=bounded)
    dense = np.linalg.eigvalsh(matrix.toarray())[::-1]
    for count in (2, 5, 30):
        assert_allclose(spectrum.leading(count), dense[:count], atol=1e-9)
    vectors = spectrum.vectors(12)
    assert_allclose(vectors.T @ vectors, np.eye(12), atol=1e-6)
    assert_allclose(matrix @ vectors, vectors * dense[:12], atol=1e-6)


@pytest.mark.parametrize("weight", [1e-3, 1e-7, 1e-11, 1e-13])
def test_nearly_equal_eigenvalues_are_all_found(weight):
    # a chain of groups joined by next to nothing; plain Lanczos passes over some of their ones
    rng = np.random.default_rng(0)
    groups = [NeighborAffinity(rng.normal(size=(210, 8)), 10, None).matrix() for _ in range(8)]
    K = sparse.lil_array(sparse.block_diag(groups))
    for row in range(210, K.shape[0], 210):
        K[row, row - 1] = K[row - 1, row] = weight
    matrix, _ = scaled(sparse.csr_array(K), True)
    for bounded in (True, False):
        values = Spectrum(matrix, bounded=bounded).leading(12)
        assert (values > 1 - 1e-3).sum() == 8
        assert_allclose(values[:8], 1, atol=10 * weight)


def test_only_as_many_eigenpairs_as_needed():
    X, _ = zipf_blobs(0, n_groups=6, largest=600, smallest=300)
    assert len(PYPSpectralClustering(0.99, 0.0).fit(X).eigenvalues_) < 60
    assert len(PYPSpectralClustering().fit(X).eigenvalues_) < 60


# Shapes


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_are_found_without_being_told_how_many(name):
    for seed in range(3):  # ten in benchmarks/spectral.py
        X, y = SHAPES[name](seed)
        model = PYPSpectralClustering().fit(X)
        assert model.n_clusters_ == y.max() + 1
        assert adjusted_rand_score(y, model.labels_) >= 0.98


@pytest.mark.parametrize("name", SHAPES)
def test_held_back_rows_go_where_they_belong(name):
    X, y = SHAPES[name](seed=11)
    old = np.arange(len(X)) % 3 > 0
    model = PYPSpectralClustering().fit(X[old])
    names = [np.bincount(y[old][model.labels_ == k]).argmax() for k in range(model.n_clusters_)]
    assert np.mean(np.take(names, model.predict(X[~old])) == y[~old]) >= 0.97


@pytest.mark.parametrize(
    ("n_groups", "n_features"),
    [(12, 2), (12, 3), (30, 5)],
)
def test_groups_of_zipf_sizes_are_found(n_groups, n_features):
    for seed in range(2):
        X, y = zipf_blobs(seed, n_groups, n_features)
        model = PYPSpectralClustering().fit(X)
        assert model.n_clusters_ == n_groups
        assert adjusted_rand_score(y, model.labels_) > 0.99


@pytest.mark.parametrize(
    "make",
    [
        lambda rng: rng.normal(size=(400, 2)),
        lambda rng: rng.normal(size=(400, 10)),
        lambda rng: rng.uniform(size=(400, 2)),
        lambda rng: rng.standard_t(3, size=(400, 2)),
        lambda rng: np.column_stack([np.sort(rng.uniform(0, 9, 300)), rng.normal(size=300) / 9]),
        lambda rng: rng.normal(size=(25, 2)),
    ],
    ids=["blob", "blob in 10 dimensions", "square", "heavy tails", "string", "few rows"],
)
def test_one_piece_is_one_cluster(make):
    for seed in range(3):
        with pytest.warns(UserWarning, match="Only one cluster was found: there is no steep gap"):
            assert PYPSpectralClustering().fit(make(np.random.default_rng(seed))).n_clusters_ == 1


def test_groups_of_groups_are_told_apart_to_the_last():
    # two far apart, one of them of two that nearly touch: the largest gap would stop at two
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2)) + np.repeat([[0, 0], [7, 0], [300, 0]], 200, axis=0)
    assert PYPSpectralClustering().fit(X).n_clusters_ == 3


# Choosing lam and theta


def test_the_line_of_auto_gives_the_same_count_as_numbers():
    for name, make in SHAPES.items():
        X, _ = make(0)
        auto = PYPSpectralClustering().fit(X)
        again = PYPSpectralClustering(auto.lam_, auto.theta_).fit(X)
        assert again.n_clusters_ == auto.n_clusters_, name
        assert_array_equal(again.labels_, auto.labels_)


def test_auto_respects_a_given_theta():
    X, _ = SHAPES["three slanted blobs"](0)
    free = PYPSpectralClustering().fit(X)
    gap = free.eigenvalues_[2] - free.eigenvalues_[3]
    model = PYPSpectralClustering(theta=gap / 2).fit(X)
    assert (model.n_clusters_, model.theta_) == (3, gap / 2)
    assert PYPSpectralClustering(theta=0).fit(X).n_clusters_ == 3
    for share in (0.1, 0.5, 1.0):  # the line found is no special case: its numbers give the same
        model = PYPSpectralClustering(theta=share * gap).fit(X)
        again = PYPSpectralClustering(model.lam_, model.theta_).fit(X)
        assert again.n_clusters_ == model.n_clusters_


def test_auto_refuses_a_theta_steeper_than_the_spectrum():
    X, _ = SHAPES["two rings"](0)
    with pytest.raises(ValueError, match=r"theta=0\.5 is too large for lam='auto'.*theta below 0"):
        PYPSpectralClustering(theta=0.5).fit(X)


def test_default_theta_with_a_number_for_lam():
    X, _ = SHAPES["two rings"](0)
    assert PYPSpectralClustering(0.9).fit(X).theta_ == pytest.approx(0.01)
    K = np.diag([5.0, 4.0, 1.0])
    model = PYPSpectralClustering(2.0, affinity="precomputed", normalize=False).fit(K)
    assert model.theta_ == pytest.approx(0.2)


def test_auto_on_the_kernel_itself_finds_compact_groups():
    X, y = zipf_blobs(0, n_groups=5, n_features=2, largest=60, smallest=30)
    model = PYPSpectralClustering(affinity="rbf", gamma=0.05, normalize=False).fit(X)
    assert model.n_clusters_ == 5
    assert adjusted_rand_score(y, model.labels_) == 1.0


# Affinities


def test_gamma_is_chosen_from_neighbour_distances_unless_given():
    X = np.arange(30.0)[:, None]
    model = PYPSpectralClustering(0.9, affinity="rbf", n_neighbors=3).fit(X)
    assert model.gamma_ == 0.5  # both neighbours of a row are 1 away
    assert PYPSpectralClustering(0.9, affinity="rbf", gamma=0.3).fit(X).gamma_ == 0.3


def test_precomputed_and_callable_equal_rbf():
    X, _ = SHAPES["two moons"](0)
    K = rbf_kernel(X, gamma=40.0)
    model = PYPSpectralClustering(affinity="rbf", gamma=40.0).fit(X)
    given_dense = PYPSpectralClustering(affinity="precomputed").fit(K)
    given_sparse = PYPSpectralClustering(affinity="precomputed").fit(sparse.csr_array(K))
    called = PYPSpectralClustering(affinity=lambda A, B: rbf_kernel(A, B, gamma=40.0)).fit(X)
    assert model.n_clusters_ == 2
    for other in (given_dense, given_sparse, called):
        assert_array_equal(other.labels_, model.labels_)
        k = other.n_clusters_ + 1
        assert_allclose(other.eigenvalues_[:k], model.eigenvalues_[:k], atol=1e-9)
    new = X[::5] + 0.01
    expected = model.predict(new)
    assert_array_equal(called.predict(new), expected)
    for other in (given_dense, given_sparse):
        assert_array_equal(other.predict(rbf_kernel(new, X, gamma=40.0)), expected)


def test_any_kernel_function_will_do():
    X, y = zipf_blobs(0, n_groups=4, n_features=2, largest=50, smallest=30)
    model = PYPSpectralClustering(affinity=laplacian_kernel).fit(X)
    assert adjusted_rand_score(y, model.labels_) == 1.0


@pytest.mark.parametrize("affinity", ["nearest_neighbors", "rbf"])
@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("normalize_rows", [True, False])
@ONE_CLUSTER
def test_predict_equals_labels(affinity, normalize, normalize_rows):
    X, _ = SHAPES["three slanted blobs"](0)
    model = PYPSpectralClustering(
        affinity=affinity, normalize=normalize, normalize_rows=normalize_rows
    ).fit(X)
    assert_array_equal(model.predict(X), model.labels_)
    assert_array_equal(model.fit_predict(X), model.labels_)


def test_rows_far_from_everything_go_with_the_nearest():
    X, _ = zipf_blobs(0, n_groups=4, n_features=2, largest=50, smallest=30)
    far = X[:5] * 1e4
    nearest = [((X - row) ** 2).sum(axis=1).argmin() for row in far]
    for affinity in ("nearest_neighbors", "rbf"):
        model = PYPSpectralClustering(affinity=affinity).fit(X)
        assert_array_equal(model.predict(far), model.labels_[nearest])


def test_rows_like_nothing_seen_before_are_named():
    K = block_diag(np.ones((3, 3)), np.ones((2, 2)))
    model = PYPSpectralClustering(affinity="precomputed").fit(K)
    with pytest.warns(UserWarning, match="1 of 2 rows have no affinity"):
        assert_array_equal(model.predict([[0, 0, 0, 0, 0], [0, 0, 0, 0, 1.0]]), [0, 1])


def test_disconnected_pieces_and_isolated_rows_are_clusters():
    K = block_diag(np.ones((4, 4)), np.ones((3, 3)), [[2.0]], [[0.0]])
    for matrix in (K, sparse.csr_matrix(K)):
        model = PYPSpectralClustering(affinity="precomputed").fit(matrix)
        assert_array_equal(model.labels_, [0] * 4 + [1] * 3 + [2, 3])
        assert_array_equal(model.cluster_sizes_, [4, 3, 1, 1])
        assert_allclose(model.eigenvalues_[:5], [1, 1, 1, 1, 0], atol=1e-12)


def test_negative_kernels_are_fine_unless_normalised():
    X = np.array([[1.0, 0.1], [1.1, 0.0], [-0.1, 1.0], [0.0, 1.2], [-1.0, 0.1]])
    K = X @ X.T
    assert K.min() < 0
    model = PYPSpectralClustering(1.0, 0.0, affinity="precomputed", normalize=False).fit(K)
    assert model.n_clusters_ == 2
    with pytest.raises(
        ValueError, match=r"must not be negative with normalize=True; the least.*-1"
    ):
        PYPSpectralClustering(affinity="precomputed").fit(K)


def test_wrong_matrices_are_refused():
    model = PYPSpectralClustering(affinity="precomputed")
    K = random_kernel(0)
    with pytest.raises(ValueError, match="must be a square matrix"):
        model.fit(K[:5])
    crooked = K.copy()
    crooked[0, 1] += 0.5
    with pytest.raises(ValueError, match=r"must be symmetric; .* by up to 0\.5.*\(K \+ K\.T\) / 2"):
        model.fit(crooked)
    broken = K.copy()
    broken[2, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        model.fit(broken)
    with pytest.raises(ValueError, match=r"gave shape \(12, 1\) for 12 and 12"):
        PYPSpectralClustering(affinity=lambda A, B: A[:, :1]).fit(K)
    with pytest.raises(ValueError, match=r"all 3 are 0\. Give a number for lam"):
        PYPSpectralClustering(affinity="precomputed", normalize=False).fit(np.zeros((3, 3)))


def test_a_dense_kernel_that_would_not_fit_is_refused():
    X = np.zeros((16_385, 1))
    for affinity in ("rbf", rbf_kernel):
        with pytest.raises(ValueError, match=r"16385 x 16385 .* 2\.1 GB.*'nearest_neighbors'"):
            PYPSpectralClustering(affinity=affinity).fit(X)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("lam", 0), ("theta", -1), ("affinity", "cosine"), ("gamma", 0), ("n_neighbors", 1)],
)
def test_wrong_parameters_are_named(parameter, value):
    with pytest.raises(ValueError, match=f"The '{parameter}' parameter of PYPSpectralClustering"):
        PYPSpectralClustering(**{parameter: value}).fit([[0.0], [1.0]])


# Edges


@pytest.mark.parametrize("affinity", ["nearest_neighbors", "rbf"])
@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize(
    "X",
    [[[7.0]], [[0.0], [1.0]], [[0.0], [1.0], [5.0]], [[3.0, 1.0]] * 6],
    ids=["one row", "two rows", "three rows", "equal rows"],
)
@ONE_CLUSTER
def test_hardly_any_rows_are_one_cluster(X, affinity, normalize):
    model = PYPSpectralClustering(affinity=affinity, normalize=normalize).fit(X)
    assert_array_equal(model.labels_, np.zeros(len(X)))
    assert model.labels_.dtype == np.int32
    assert_array_equal(model.predict(np.add(X, 1.0)), model.labels_)


@pytest.mark.parametrize("affinity", ["nearest_neighbors", "rbf"])
def test_many_copies_of_a_row_do_not_come_apart(affinity):
    X, y = zipf_blobs(1, n_groups=3, n_features=2, largest=80, smallest=40)
    copies = np.vstack([X, np.tile(X[:3], (40, 1))])
    model = PYPSpectralClustering(affinity=affinity, gamma=0.3 if affinity == "rbf" else None)
    labels = model.fit_predict(copies)
    assert model.n_clusters_ == 3
    assert adjusted_rand_score(np.append(y, np.tile(y[:3], 40)), labels) == 1.0
    assert len(model.embedding_) == len(copies)
    assert_array_equal(model.predict(copies), labels)


def test_clusters_are_numbered_by_size():
    X, _ = zipf_blobs(3, n_groups=5, n_features=2)
    model = PYPSpectralClustering().fit(X)
    assert_array_equal(model.cluster_sizes_, np.bincount(model.labels_))
    assert (np.diff(model.cluster_sizes_) <= 0).all()


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_units_do_not_matter(scale):
    X, _ = SHAPES["two moons"](0)
    for affinity in ("nearest_neighbors", "rbf"):
        model = PYPSpectralClustering(affinity=affinity)
        assert_array_equal(model.fit_predict(X), clone(model).fit_predict(X * scale))


def test_results_repeat_to_the_bit():
    X, _ = SHAPES["two spirals"](0)
    first, second = (PYPSpectralClustering().fit(X) for _ in range(2))
    assert first.embedding_.tobytes() == second.embedding_.tobytes()
    assert first.labels_.tobytes() == second.labels_.tobytes()
    assert_array_equal(PYPSpectralClustering(random_state=5).fit_predict(X), first.labels_)
    thawed = pickle.loads(pickle.dumps(first))
    assert_array_equal(thawed.predict(X), first.labels_)


def test_the_order_of_rows_does_not_matter():
    X, _ = SHAPES["two moons"](0)
    order = np.random.default_rng(0).permutation(len(X))
    model = PYPSpectralClustering().fit(X)
    shuffled = PYPSpectralClustering().fit(X[order])
    assert adjusted_rand_score(model.labels_[order], shuffled.labels_) == 1.0


def test_reaching_max_clusters_warns():
    X, _ = zipf_blobs(0, n_groups=6, n_features=2, largest=40, smallest=30)
    for lam in ("auto", 0.99):
        with pytest.warns(UserWarning, match=r"Eigenvalue 4 is still above.*Raise max_clusters"):
            model = PYPSpectralClustering(lam, max_clusters=3).fit(X)
        assert model.n_clusters_ == 3


def test_each_row_alone_warns():
    with pytest.warns(UserWarning, match="Each of the 4 rows is a cluster of its own"):
        PYPSpectralClustering(affinity="rbf", gamma=1e6).fit([[0.0], [1.0], [2.0], [3.0]])


def test_a_lam_above_the_spectrum_warns():
    with pytest.warns(UserWarning, match=r"lam=2 is not below the largest eigenvalue, 1\."):
        assert PYPSpectralClustering(2.0).fit([[0.0], [1.0], [2.0]]).n_clusters_ == 1


def test_iris_is_setosa_and_the_rest():
    X, y = load_iris(return_X_y=True)
    model = PYPSpectralClustering().fit(X)
    assert adjusted_rand_score(y == 0, model.labels_) == 1.0


def test_a_smaller_step_counts_if_it_stands_alone():
    X, y = load_breast_cancer(return_X_y=True)
    model = PYPSpectralClustering().fit(MinMaxScaler().fit_transform(X))
    rest = 1 - model.eigenvalues_
    assert rest[2] / rest[1] < 5
    assert model.n_clusters_ == 2
    assert adjusted_rand_score(y, model.labels_) > 0.8
