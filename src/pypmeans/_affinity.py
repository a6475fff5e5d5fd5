"""How alike rows are: among themselves, and between new rows and those that were there."""

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import check_array

# A dense matrix may take 2 GiB: 16,384 rows. Beyond that a laptop begins to swap.
MOST_BYTES = 2**31
# A gap between pieces of the graph up to this many times the distances to the last neighbours on
# both sides may be chance: along a curve, neighbours often lie all on one side.
CHANCE = 1.5
# Exponents near the end of what a float can hold.
VANISHING = -700.0
# How closely matrices that should be symmetric must be.
ASYMMETRY = 1e-8


class NeighborAffinity:
    """A sparse graph of nearest neighbours, its weights scaled to the density around each row.

    An edge of length d between rows whose `n_neighbors`-th neighbours (counting themselves) are s
    and t away weighs ``exp(-2 d^2 / (s t))``, half of it if only one counts the other among its
    neighbours. So a group of any density hangs together, and the forced edges of its outermost
    rows to the next group weigh little. Where the graph comes apart only because all neighbours of
    a row happen to lie on one side, half as many neighbours again join the pieces.

    Equal rows are one vertex: otherwise more copies of a row than it has neighbours would be cut
    off from all else.
    """

    def __init__(self, X, n_neighbors, gamma):
        self.vertices, vertex_of_row = np.unique(X, axis=0, return_inverse=True)
        self.vertex_of_row = vertex_of_row.ravel()  # numpy 2.0.0 gives it a second axis
        self._gamma = gamma
        self._n_neighbors = min(n_neighbors, len(self.vertices))
        self._search = NearestNeighbors(n_neighbors=self._n_neighbors).fit(self.vertices)

    def matrix(self):
        """Affinities of the vertices, a sparse array."""
        count = min(self._n_neighbors + self._n_neighbors // 2, len(self.vertices))
        dists, columns = self._search.kneighbors(self.vertices, n_neighbors=count)
        self._scale = _positive(dists[:, self._n_neighbors - 1])
        weights = np.exp(self._exponents(dists, columns, self._scale))
        is_neighbor = np.arange(count) < self._n_neighbors
        used = np.broadcast_to(is_neighbor, dists.shape)
        _, piece = connected_components(self._link(weights, columns, used), directed=False)
        # A gap hardly wider than the neighbourhoods beside it is chance: join the pieces over it.
        reach = CHANCE * np.minimum(self._scale[:, None], self._scale[columns])
        used = used | ((piece[:, None] != piece[columns]) & (dists <= reach))
        half = self._link(weights, columns, used)
        return sparse.csr_array((half + half.T) / 2)

    def between(self, X):
        """Affinities of new rows to the vertices; a row that was there keeps its place."""
        dists, columns = self._search.kneighbors(X)
        known = np.all(self.vertices[columns[:, 0]] == X, axis=1)
        # A new row counts itself too: so one neighbour less sets its scale.
        own = _positive(dists[:, max(self._n_neighbors - 2, 0)])
        exponents = self._exponents(dists, columns, own)
        weights = np.exp(exponents)
        far = exponents.max(axis=1) < VANISHING
        weights[far] = np.arange(dists.shape[1]) == 0  # the nearest alone
        affinity = self._link(weights, columns, np.ones_like(columns, dtype=bool))
        return affinity, np.where(known, columns[:, 0], -1)

    def _exponents(self, dists, columns, own_scale):
        if self._gamma is not None:
            return -self._gamma * dists**2
        return -2 * dists**2 / (own_scale[:, None] * self._scale[columns])

    def _link(self, weights, columns, used):
        """The sparse array with these of the weights."""
        ends = np.concatenate([[0], np.cumsum(used.sum(axis=1))])
        shape = (len(weights), len(self.vertices))
        return sparse.csr_array((weights[used], columns[used], ends), shape=shape)


class RadialAffinity:
    """The dense Gaussian kernel ``exp(-gamma d^2)``, one bandwidth for all rows."""

    def __init__(self, X, n_neighbors, gamma):
        check_dense_size(len(X), "rbf")
        self.vertices, self.vertex_of_row = X, np.arange(len(X))
        self.gamma = typical_gamma(X, n_neighbors) if gamma is None else float(gamma)

    def matrix(self):
        """Affinities of all rows."""
        exponents = euclidean_distances(self.vertices, squared=True)  # exact 0 on the diagonal
        exponents *= -self.gamma
        return np.exp(exponents, out=exponents)

    def between(self, X):
        """Affinities of new rows; one too far away for any goes with the nearest."""
        exponents = euclidean_distances(X, self.vertices, squared=True)
        exponents *= -self.gamma
        largest = exponents.max(axis=1, keepdims=True)
        exponents -= np.where(largest < VANISHING, largest, 0)
        return np.exp(exponents, out=exponents), None


class CalledAffinity:
    """What a function of two arrays of rows says."""

    def __init__(self, X, function, normalize):
        check_dense_size(len(X), getattr(function, "__name__", "callable"))
        self.vertices, self.vertex_of_row = X, np.arange(len(X))
        self._function, self._normalize = function, normalize

    def matrix(self):
        """Affinities of all rows."""
        return check_affinity(self._call(self.vertices), self._normalize, "the affinity function")

    def between(self, X):
        """Affinities of new rows."""
        affinity = self._call(X)
        if self._normalize:
            _check_sign(affinity, "the affinity function")
        return affinity, None

    def _call(self, X):
        affinity = check_array(
            self._function(X, self.vertices),
            accept_sparse="csr",
            dtype=np.float64,
            input_name="the affinity function's result",
        )
        expected = (len(X), len(self.vertices))
        if affinity.shape != expected:
            raise ValueError(
                f"The affinity function gave shape {affinity.shape} for {expected[0]} and "
                f"{expected[1]} rows. It must take two arrays of rows and give an array of shape "
                f"{expected}, like the functions of sklearn.metrics.pairwise."
            )
        return affinity


class GivenAffinity:
    """A matrix computed elsewhere."""

    def __init__(self, X, normalize):
        self._given, self._normalize = X, normalize
        self.vertex_of_row = np.arange(X.shape[0])

    def matrix(self):
        """The matrix as it came, once it is known to be one of affinities."""
        given, self._given = self._given, None  # no need to keep it
        return check_affinity(given, self._normalize, "X (affinity='precomputed')")

    def between(self, X):
        """Affinities of new rows, as they came."""
        if self._normalize:
            _check_sign(X, "X (affinity='precomputed')")
        return X, None


def typical_gamma(X, n_neighbors):
    """The bandwidth at which a row and its last neighbour have affinity exp(-1/2), typically."""
    search = NearestNeighbors(n_neighbors=min(n_neighbors, len(X))).fit(X)
    furthest = search.kneighbors(X)[0][:, -1]
    positive = furthest[furthest > 0]  # copies of a row say nothing about distances
    if not len(positive):
        positive = np.ptp(X, axis=0)[np.ptp(X, axis=0) > 0]
    return 1 / (2 * float(np.median(positive)) ** 2) if len(positive) else 1.0


def check_dense_size(n_rows, affinity):
    """Refuse a dense matrix that would not fit."""
    if 8 * n_rows**2 > MOST_BYTES:
        raise ValueError(
            f"affinity={affinity!r} needs a dense matrix of {n_rows} x {n_rows} affinities, "
            f"{8 * n_rows**2 / 1e9:.1f} GB; at most {int((MOST_BYTES / 8) ** 0.5)} rows are "
            "allowed. Use affinity='nearest_neighbors', which is sparse."
        )


def check_affinity(K, normalize, name):
    """`K` if it is square and symmetric and, where it is to be normalised, not negative."""
    if K.shape[0] != K.shape[1]:
        raise ValueError(
            f"{name} must be a square matrix of affinities between all rows; got shape {K.shape}."
        )
    if normalize:
        _check_sign(K, name)
    largest = abs(K).max()
    difference = abs(K - K.T).max()
    if difference > ASYMMETRY * largest:
        raise ValueError(
            f"{name} must be symmetric; it differs from its transpose by up to {difference:.3g}. "
            "Give (K + K.T) / 2 if that is what you mean."
        )
    return (K + K.T) / 2


def _check_sign(K, name):
    if K.min() < 0:
        raise ValueError(
            f"{name} must not be negative with normalize=True; the least entry is {K.min():.3g}. "
            "Give affinities rather than distances or scores, or normalize=False for a kernel "
            "with negative entries."
        )


def _positive(scale):
    """Lengths to divide by: where there is only one vertex, any will do."""
    return np.where(scale > 0, scale, 1.0)
