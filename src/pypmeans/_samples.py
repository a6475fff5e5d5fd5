"""The data with its present labels: the few verbs the solver needs, on arrays in memory."""

from typing import NamedTuple

import numpy as np

from pypmeans import _kernels
from pypmeans._threads import BlockRunner


class Candidate(NamedTuple):
    """A row that may found a cluster."""

    row: int
    point: np.ndarray  # its coordinates, of shape (1, n_features)
    sq_dist: float  # to its present center
    weight: float


class ArraySamples:
    """Rows of an array, their weights, labels and squared distances to their centers.

    Use it in a ``with`` statement, so that its threads end.
    """

    def __init__(self, X, weight, n_threads=None):
        self.X = X
        self.weight = weight
        self.labels = np.full(len(X), -1, dtype=np.int32)
        self.sq_dists = np.full(len(X), np.inf)
        self._passed_over = np.zeros(len(X), dtype=bool)
        self._on_blocks = BlockRunner(len(X), n_threads)
        # Sums are taken from a point amid the data: far from zero, plain sums would lose digits.
        self._origin = X[0].astype(np.float64)

    def __enter__(self):
        self._on_blocks.__enter__()
        return self

    def __exit__(self, *exception):
        self._on_blocks.__exit__(*exception)

    def mean(self):
        """The weighted mean of all rows."""
        sums, sizes = self._sum(np.zeros(len(self.X), dtype=np.int32), 1)
        return self._origin + sums[0] / sizes[0]

    def assign(self, centers):
        """Give every row its nearest center; True if any label changed."""
        rank = rank_by_coordinates(centers)

        def assign_block(rows):
            return _kernels.assign_rows(
                self.X[rows], centers, rank, self.labels[rows], self.sq_dists[rows]
            )

        return sum(self._on_blocks(assign_block)) > 0

    def farthest(self):
        """The row furthest from its center, of equal ones the first; not one passed over."""
        sq_dists = self.sq_dists
        if self._passed_over.any():
            sq_dists = np.where(self._passed_over, -1.0, sq_dists)
        i = int(np.argmax(sq_dists))
        point = self.X[i : i + 1].astype(np.float64)
        return Candidate(i, point, sq_dists[i], self.weight[i])

    def pass_over(self, candidate):
        """Leave a row out of `farthest` until `reconsider`."""
        self._passed_over[candidate.row] = True

    def reconsider(self):
        """Let `farthest` see all rows again."""
        self._passed_over[:] = False

    def absorb(self, point, k):
        """Make `point` the center of a new cluster `k`, which takes every row nearer to it."""

        def absorb_block(rows):
            _kernels.absorb_rows(self.X[rows], point, k, self.labels[rows], self.sq_dists[rows])

        self._on_blocks(absorb_block)

    def saved_by_opening(self, point):
        """How far the sum of squares would fall if `point` became a center."""

        def saved_in_block(rows):
            return _kernels.saved_by_opening(
                self.X[rows], self.weight[rows], point, self.sq_dists[rows]
            )

        return sum(self._on_blocks(saved_in_block))

    def means(self, n_clusters):
        """Weighted mean and weight of each cluster; an empty one has weight 0 and no mean."""
        sums, sizes = self._sum(self.labels, n_clusters)
        with np.errstate(invalid="ignore"):
            return self._origin + sums / sizes[:, None], sizes

    def cost(self):
        """The weighted sum of squared distances of the rows to their centers."""
        return sum(self._on_blocks(lambda rows: np.sum(self.weight[rows] * self.sq_dists[rows])))

    def _sum(self, labels, n_clusters):
        def sum_block(rows):
            sums, sizes = np.zeros((n_clusters, self.X.shape[1])), np.zeros(n_clusters)
            _kernels.sum_rows(
                self.X[rows], self.weight[rows], labels[rows], self._origin, sums, sizes
            )
            return sums, sizes

        block_sums, block_sizes = zip(*self._on_blocks(sum_block))
        return sum(block_sums), sum(block_sizes)


def rank_by_coordinates(centers):
    """The place of each center in the order of coordinates: the first feature, then the second…

    Equally near centers are told apart by it, so that renumbering them changes no label.
    """
    rank = np.empty(len(centers), dtype=np.int64)
    rank[np.lexsort(centers.T[::-1])] = np.arange(len(centers))
    return rank
