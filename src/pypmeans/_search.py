"""Two ways to find the center each row prefers: by lists of near centers, by matrix products.

Both give the exact answer; they differ in how they rule centers out. In few dimensions a row has
few centers nearby, and walking a list is fastest. In many dimensions everything is about equally
far, and nothing beats a matrix product over all centers. Both know how far the centers moved, so
that rows whose center still is the nearest for sure are not searched for at all.
"""

from contextlib import nullcontext
from typing import NamedTuple

import numpy as np
from scipy.spatial import KDTree

from pypmeans import _kernels
from pypmeans._rows import is_sparse, most_terms
from pypmeans._threads import blocks_of, one_blas_thread

PRODUCTS_FROM = 16  # features from which matrix products are faster
LISTED = 32  # others listed for each center
FEW_NEW = 16  # times the features: so many centers are looked at sooner than lists of them
FEW_FIRST = 16  # centers that rows without any look at one by one
NEIGHBOURS = 8  # for which rows know a bound apart from that for all other centers
STALE = 0.25  # list anew when centers may have come closer by this part of the typical distance
PRODUCT_SIZE = 2**19  # numbers in one matrix of products
NARROW_RANGE = (1e-15, 1e30)  # squared norms whose products neither vanish nor overflow in float32
MOST_DOUBTS = 0.1  # part of the rows for which float32 may leave several centers to choose from


def make_search(X, origin, n_centers):
    """The faster search for the rows of `X`, starting with `n_centers` centers."""
    if X.shape[1] >= PRODUCTS_FROM:
        return ProductSearch(origin, X, NEIGHBOURS if X.shape[0] > n_centers else 0)
    return ListSearch(LISTED if X.shape[0] > n_centers else 0)  # lists pay when many rows use them


def first_search(X, origin, n_centers):
    """The faster search for rows that have no center yet to start from."""
    if X.shape[1] < PRODUCTS_FROM and n_centers <= FEW_FIRST:
        return ListSearch(0)
    return ProductSearch(origin, X, 0)


class ListSearch:
    """Walks the list of nearest other centers of the row's own center, if rows have one.

    If nothing is to be listed, or rows lack a few new centers only, it looks at all of these. Lists
    are kept for as long as the centers move little: the distances in them are then understood as
    less by the `slack` that centers may have come closer.
    """

    resources = nullcontext()
    neighbours = None  # a list tells more

    def __init__(self, n_listed):
        self._n_listed = n_listed
        self._slack = self._typical = 0.0

    def look_at(self, centers, offsets, rank, moved_by, threads, n_seen=0):
        """Prepare for `centers`, which moved by so much at most; by infinity if they are others.

        The rows have seen the first `n_seen` of them where they are, and prefer one of these.
        """
        self._centers, self._offsets, self._rank = centers, offsets, rank
        self.least_offset = float(offsets.min())
        c, p = centers.shape
        few_new = n_seen > 0 and c - n_seen <= FEW_NEW * p
        self._n_seen = n_seen if few_new else 0
        self._columns = _kernels.side_by_side(centers[self._n_seen :])
        self._slack += 2 * moved_by
        self._listed = min(self._n_listed, c - 1) if not few_new else 0
        if not self._listed:
            self._slack = np.inf  # lists lack some of these centers
            return
        if not self._slack < STALE * self._typical:
            self._list(threads)
        self._near_dist = self._listed_dist - self._slack
        self._beyond = self._unlisted_dist - self._slack

    def __call__(self, X, rows, labels, sq_dists, _, far):
        """Update the state of `rows`; where lists do not help, all columns are looked at."""
        prices = self._offsets, self.least_offset, self._rank
        state = labels, sq_dists, far
        if self._listed:
            left = np.empty_like(rows)
            n_left = _kernels.search_lists(
                X, rows, self._centers, *prices, self._near, self._near_dist, self._beyond, *state,
                left,
            )  # fmt: skip
            rows = left[:n_left]
        if len(rows):
            sq = np.empty(len(self._centers) - self._n_seen)
            _kernels.scan_rows(
                X, rows, self._centers, self._columns, self._n_seen, *prices, sq, *state
            )

    def _list(self, threads):
        """List the nearest other centers of each, and how far the first that is not listed is."""
        # the center itself, those to list, and one more
        workers = threads.n_threads if len(self._centers) > 1000 else 1
        tree = KDTree(self._centers)
        dist, near = tree.query(self._centers, k=self._listed + 2, workers=workers)
        dist, near = _without_itself(dist, near)
        self._slack, self._typical = 0.0, float(np.median(dist[:, 0]))
        self._unlisted_dist = dist[:, -1].copy()  # infinite if there is none
        self._listed_dist, self._near = dist[:, :-1].copy(), near[:, :-1].copy()


class ProductSearch:
    """Multiplies rows with all centers; exact distances decide among the few that remain.

    Before that it looks at the neighbours of the row's own center, since most rows know that
    nothing else can matter. Rows and centers are seen from `origin`, amid the data, since products
    lose digits far from it. Where it is precise enough, float32 serves, whatever the data are: it
    is twice as fast. Sparse rows are seen from zero, so that they stay sparse.
    """

    resources = one_blas_thread  # the blocks have threads already

    def __init__(self, origin, X, n_neighbours=NEIGHBOURS):
        self._origin = np.zeros(X.shape[1]) if is_sparse(X) else origin
        self._most_terms = most_terms(X)
        self._n_neighbours = n_neighbours
        self._since = self._typical = 0.0  # the neighbours were listed, centers have moved so far

    def look_at(self, centers, offsets, rank, moved_by, threads, n_seen=0):
        """Prepare for `centers`, which moved by so much at most; by infinity if they are others."""
        self._centers, self._offsets, self._rank = centers, offsets, rank
        self.least_offset = float(offsets.min())
        from_origin = centers - self._origin
        self._sq_norms = np.einsum("ij,ij->i", from_origin, from_origin)
        matrix = np.ascontiguousarray(-2.0 * from_origin.T)
        with np.errstate(over="ignore"):  # what float32 cannot hold is left to float64
            self._narrow = self._products(matrix.astype(np.float32), offsets)
        self._wide = self._products(matrix, offsets)
        self._since += moved_by
        if not self._since < STALE * self._typical:
            self._since = 0.0
            with self.resources:
                self.neighbours, self._typical = _nearest(from_origin, self._n_neighbours)

    def _products(self, matrix, offsets):
        return _Products(matrix, self._sq_norms + offsets, self._most_terms)

    def __call__(self, X, rows, *state):
        """Update the state of `rows`."""
        left = np.empty(len(rows) + 1, dtype=np.int32)
        n_left = _kernels.search_neighbours(
            X, rows, self._centers, self._offsets, self.least_offset, self._rank,
            self.neighbours, *state, left,
        )  # fmt: skip
        left = left[:n_left]
        size = max(16, PRODUCT_SIZE // len(self._centers))
        for part in blocks_of(len(left), size):
            self._search(X, left[part], state)

    def _search(self, X, rows, state):
        kind = _SparsePart if is_sparse(X) else _DensePart
        part, neighbours = kind(X, rows, self._origin), self.neighbours
        screened = None
        if NARROW_RANGE[0] < max(part.sq_norms.max(), self._sq_norms.max()) < NARROW_RANGE[1]:
            screened = self._narrow.screen(part, neighbours)
        if screened is None or np.mean(screened.doubtful) > MOST_DOUBTS:
            screened = self._wide.screen(part, neighbours)
        _kernels.search_products(
            X, rows, *screened, self._centers, self._offsets, self.least_offset, self._rank, *state
        )


class _DensePart:
    """Some dense rows, seen from `origin`."""

    def __init__(self, X, rows, origin):
        self._X, self._rows, self._origin = X, rows, origin
        self.sq_norms = np.empty(len(rows))
        self._narrow = np.empty((len(rows), X.shape[1]), dtype=np.float32)
        with np.errstate(over="ignore"):  # what float32 cannot hold is left to float64
            _kernels.gather_rows(X, rows, origin, self._narrow, self.sq_norms)

    def times(self, matrix):
        """Products with the columns of `matrix`, in its precision."""
        if matrix.dtype == np.float32:
            return self._narrow @ matrix
        return (self._X[self._rows] - self._origin) @ matrix


class _SparsePart:
    """Some sparse rows; only what is not zero is multiplied."""

    def __init__(self, X, rows, origin):
        self._X, self._rows = X, rows
        self.sq_norms = np.empty(len(rows))
        _kernels.sparse_sq_norms(X, rows, self.sq_norms)

    def times(self, matrix):
        """Products with the columns of `matrix`, in its precision."""
        products = np.empty((len(self._rows), matrix.shape[1]), dtype=matrix.dtype)
        _kernels.sparse_products(self._X, self._rows, matrix, products)
        return products


class Screened(NamedTuple):
    """About what centers cost rows, as `search_products` wants to know."""

    costs: np.ndarray  # infinite for the cheapest center
    first: np.ndarray  # the cheapest center
    near: np.ndarray  # the cost of the next of its neighbours
    far: np.ndarray  # and of the others
    limit: np.ndarray  # centers above it are ruled out
    raise_by: np.ndarray  # costs are higher by this at least

    @property
    def doubtful(self):
        """For which rows several centers remain."""
        return np.minimum(self.near, self.far) <= self.limit


class _Products:
    """What centers cost in one precision: ``|x|² - 2 x·c + |c|² + offset``, without ``|x|²``.

    A sum of m products is off by (m / 2) eps |x| |c| at most, whatever its order; squared norms and
    exact distances have as many terms as features, in float64. That error has a part for the
    center, taken off the constants here, and a part for the row.
    """

    def __init__(self, matrix, sq_norms_and_offsets, most_terms):
        precision, p = np.finfo(matrix.dtype), len(matrix)
        self.error = (most_terms + 16) * float(precision.eps) / 2
        if most_terms < p:
            self.error += p * np.finfo(np.float64).eps
        self.least_error = 4 * p * float(precision.smallest_subnormal)
        self.center_error = self.error * sq_norms_and_offsets
        self.matrix = matrix
        self.constants = (sq_norms_and_offsets - self.center_error).astype(matrix.dtype)

    def screen(self, part, neighbours):
        """What centers cost the rows of a part."""
        row_error = self.error * part.sq_norms + self.least_error
        costs = part.times(self.matrix)
        costs += self.constants
        first = costs.argmin(axis=1)
        cheapest = np.arange(len(first)), first
        limit = costs[cheapest] + 2 * (self.center_error[first] + row_error)
        costs[cheapest] = np.inf
        beside = np.arange(len(first))[:, None], neighbours[first]
        near = costs[beside]
        costs[beside] = np.inf
        far = costs.min(axis=1)
        costs[beside] = near
        near = near.min(axis=1, initial=np.inf)
        return Screened(costs, first, near, far, limit, part.sq_norms - row_error)


def rank_by_coordinates(centers):
    """The place of each center in the order of coordinates: the first feature, then the second…

    Equally near centers are told apart by it, so that renumbering them changes no label.
    """
    order, n_needed = np.argsort(centers[:, 0], kind="stable"), 1
    while n_needed < centers.shape[1] and _equal_neighbours(centers[order, :n_needed]):
        n_needed *= 32  # most features are rarely needed
        order = np.lexsort(centers[:, :n_needed].T[::-1])
    rank = np.empty(len(centers), dtype=np.int64)
    rank[order] = np.arange(len(centers))
    return rank


def _nearest(centers, n_nearest):
    """The nearest others of each center, or nearly so, and how far the first typically is."""
    c = len(centers)
    n_nearest, sq_norms = min(n_nearest, c - 1), np.einsum("ij,ij->i", centers, centers)
    near, dist = np.empty((c, n_nearest), dtype=np.int64), np.empty(c)
    for part in blocks_of(c if n_nearest else 0, max(16, PRODUCT_SIZE // c)):
        sq = sq_norms - 2.0 * (centers[part] @ centers.T)
        sq[np.arange(len(sq)), np.arange(part.start, part.stop)] = np.inf  # itself
        near[part] = np.argpartition(sq, n_nearest - 1, axis=1)[:, :n_nearest]
        dist[part] = np.sqrt(np.fmax(sq.min(axis=1) + sq_norms[part], 0.0))
    return near, float(np.median(dist)) if n_nearest else 0.0


def _equal_neighbours(rows):
    return bool(np.any(np.all(rows[1:] == rows[:-1], axis=1)))


def _without_itself(dist, near):
    """Distances and numbers of neighbours without the center itself, which may have twins."""
    keep = near != np.arange(len(near))[:, None]
    keep[keep.all(axis=1), -1] = False
    shape = len(near), near.shape[1] - 1
    return dist[keep].reshape(shape), near[keep].reshape(shape)
