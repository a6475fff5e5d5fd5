"""Sums of the rows of each cluster, brought up to date by what changed."""

from typing import Any

import numpy as np

from pypmeans import _kernels
from pypmeans._threads import BLOCK_ROWS, blocks_of

AFRESH_EVERY = 10  # sums are made from scratch this often, so that no error builds up
MOST_PARTS = 8  # of partial sums, so that many clusters with many features do not fill the memory


class ClusterSums:
    """Weighted sums of the rows, seen from `origin`, weights and counts of the clusters."""

    def __init__(self, X, weight, origin):
        self._X = X
        self._weight = weight
        self._origin = origin
        self._former: Any = None  # the labels that were summed
        self._sums: Any = None
        self._sizes: Any = None
        self._counts: Any = None
        self._n_updates = 0

    def means(self, labels, n_clusters, threads):
        """Mean and weight of each cluster; an empty one has weight 0 and no mean."""
        if self._few_changed(labels):
            self._by_difference(labels, n_clusters)
        else:
            self._from_scratch(labels, n_clusters, threads)
        self._n_updates += 1
        sizes = self._sizes[:, None]
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            # One rounding, not two: rows on a lattice get the mean that a plain sum gives, so that
            # ties are ties. Where the origin is too far away for that, two must do.
            means = (self._origin * sizes + self._sums) / sizes
            means = np.where(np.isfinite(means), means, self._origin + self._sums / sizes)
        return means, self._sizes.copy()

    def renumber(self, became, n_clusters):
        """Follow clusters that were merged or dropped: `became` gives their present numbers."""
        if self._former is None:
            return
        occupied = self._counts > 0
        self._sums = _add_up(self._sums[occupied], became[occupied], n_clusters)
        self._sizes = _add_up(self._sizes[occupied], became[occupied], n_clusters)
        self._counts = _add_up(self._counts[occupied], became[occupied], n_clusters)
        self._former = became[self._former]

    def _few_changed(self, labels):
        if self._former is None or self._n_updates % AFRESH_EVERY == 0:
            return False
        return np.count_nonzero(labels != self._former) < len(labels) // 4

    def _by_difference(self, labels, n_clusters):
        new = n_clusters - len(self._counts)
        self._sums = np.pad(self._sums, ((0, new), (0, 0)))
        self._sizes = np.pad(self._sizes, (0, new))
        self._counts = np.pad(self._counts, (0, new))
        self._move(slice(None), labels, self._sums, self._sizes, self._counts)
        self._sizes[self._counts == 0] = 0.0  # exactly, whatever rounding left

    def _from_scratch(self, labels, n_clusters, threads):
        n_rows, n_features = self._X.shape
        self._former = np.full(n_rows, -1, dtype=np.int32)

        def sum_part(rows):
            sums, sizes = np.zeros((n_clusters, n_features)), np.zeros(n_clusters)
            counts = np.zeros(n_clusters, dtype=np.int64)
            self._move(rows, labels, sums, sizes, counts)
            return sums, sizes, counts

        parts = threads.run(sum_part, blocks_of(n_rows, max(BLOCK_ROWS, -(-n_rows // MOST_PARTS))))
        self._sums, self._sizes, self._counts = (sum(kind) for kind in zip(*parts))

    def _move(self, rows, labels, sums, sizes, counts):
        _kernels.move_rows(
            self._X[rows], self._weight[rows], self._former[rows], labels[rows], self._origin,
            sums, sizes, counts,
        )  # fmt: skip


def _add_up(values, groups, n_groups):
    total = np.zeros((n_groups, *values.shape[1:]), dtype=values.dtype)
    np.add.at(total, groups, values)
    return total
