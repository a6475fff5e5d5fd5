"""Sums of the rows of each cluster, brought up to date by what changed."""

from typing import Any

import numpy as np

from pypmeans import _kernels
from pypmeans._threads import BLOCK_ROWS, blocks_of

MOST_PARTS = 8  # of partial sums, so that many clusters with many features do not fill the memory
MOST_NUMBERS = 2**24  # in all these parts, or two parts if one alone has as many

FAR = 1e-6  # rows that differ by less than this part of them are far from zero


class ClusterSums:
    """Weighted sums of the rows, seen from `origin`, weights and counts of the clusters.

    Kept by difference as long as that adds fewer terms than a sum from scratch would: so it is
    faster, and rounding errors do not build up.
    """

    def __init__(self, X, weight, origin):
        self._X = X
        self._weight = weight
        self._origin = origin
        self._sums: Any = None
        self._sizes: Any = None
        self._counts: Any = None
        self._n_moves = np.inf  # since the sums were made from scratch; infinite if never

    def means(self, labels, n_clusters, threads):
        """Mean and weight of each cluster; an empty one has weight 0 and no mean."""
        sums, sizes = self.sums(labels, n_clusters, threads)
        return means_of(sums, sizes, self._origin), sizes

    def sums(self, labels, n_clusters, threads):
        """Weighted sum of the rows, seen from the origin, and weight of each cluster."""
        self._bring_up_to_date(labels, n_clusters, threads)
        return self._sums, self._sizes.copy()

    def shifts(self, centers, labels, threads):
        """How far each mean is from its center, and the weight of each cluster.

        The means are not rounded in between, so this has all its digits far from zero as well.
        """
        self._bring_up_to_date(labels, len(centers), threads)
        with np.errstate(invalid="ignore", divide="ignore"):
            shifts = self._sums / self._sizes[:, None] - (centers - self._origin)
        return shifts, self._sizes.copy()

    def move(self, rows, former, labels, n_clusters):
        """Take note that `rows`, of the clusters `former`, are in those of their labels now."""
        self._n_moves += len(rows)
        if self._n_moves <= len(labels) // 2:
            self._grow(n_clusters)
            self._add(rows, former, labels, self._sums, self._sizes, self._counts)
            self._sizes[self._counts == 0] = 0.0  # exactly, whatever rounding left

    def forget(self):
        """Take note that so many rows moved that a sum from scratch is best."""
        self._n_moves = np.inf

    def renumber(self, became, n_clusters):
        """Follow clusters that were merged or dropped: `became` gives their present numbers."""
        if self._sums is None:
            return
        self._grow(len(became))
        occupied = self._counts > 0
        self._sums = _add_up(self._sums[occupied], became[occupied], n_clusters)
        self._sizes = _add_up(self._sizes[occupied], became[occupied], n_clusters)
        self._counts = _add_up(self._counts[occupied], became[occupied], n_clusters)

    def _bring_up_to_date(self, labels, n_clusters, threads):
        if not self._n_moves <= len(labels) // 2:
            self._from_scratch(labels, n_clusters, threads)
        self._grow(n_clusters)

    def _grow(self, n_clusters):
        new = n_clusters - len(self._counts)
        if new > 0:
            self._sums = np.pad(self._sums, ((0, new), (0, 0)))
            self._sizes = np.pad(self._sizes, (0, new))
            self._counts = np.pad(self._counts, (0, new))

    def _from_scratch(self, labels, n_clusters, threads):
        n_rows, n_features = self._X.shape

        def sum_part(part):
            sums, sizes = np.zeros((n_clusters, n_features)), np.zeros(n_clusters)
            counts = np.zeros(n_clusters, dtype=np.int64)
            for block in blocks_of(part.stop - part.start):
                rows = np.arange(part.start + block.start, part.start + block.stop, dtype=np.int32)
                self._add(rows, np.full(len(rows), -1, np.int32), labels, sums, sizes, counts)
            return sums, sizes, counts

        n_parts = min(MOST_PARTS, max(2, MOST_NUMBERS // (n_clusters * n_features)))
        parts = threads.run(sum_part, blocks_of(n_rows, max(BLOCK_ROWS, -(-n_rows // n_parts))))
        self._sums, self._sizes, self._counts = (sum(kind) for kind in zip(*parts))
        self._n_moves = 0

    def _add(self, rows, former, labels, sums, sizes, counts):
        _kernels.move_rows(
            self._X, rows, self._weight, former, labels, self._origin, sums, sizes, counts
        )


def means_of(sums, sizes, origin):
    """The means that belong to sums of rows seen from `origin`; none where there is no size."""
    sizes = sizes[:, None]
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        # One rounding, not two: rows on a lattice get the mean that a plain sum gives, so that ties
        # are ties. Far from zero the product with the sizes would lose digits that all rows have in
        # common, or overflow; there two must do.
        means, steps = (origin * sizes + sums) / sizes, sums / sizes
        far = np.abs(steps) < FAR * np.abs(origin)
        return np.where(np.isfinite(means) & ~far, means, origin + steps)


def _add_up(values, groups, n_groups):
    total = np.zeros((n_groups, *values.shape[1:]), dtype=values.dtype)
    np.add.at(total, groups, values)
    return total
