"""Weighted micro-clusters: what is kept of rows that are too many to keep."""

from functools import reduce
from typing import NamedTuple

import numpy as np

from pypmeans._rows import dense_rows, is_sparse
from pypmeans._samples import ArraySamples, labels_by
from pypmeans._threads import blocks_of

MOST_CLUSTERS = 4096  # in one summary
MOST_NUMBERS = 2**23  # likewise: 64 MiB for the centers
LEAST_CLUSTERS = 64


class Summary(NamedTuple):
    """Rows as micro-clusters: where each is, what it weighs, and how its rows spread about it.

    As long as there is room each row is a micro-cluster of its own, so nothing is lost. Then they
    are covered furthest first, so that rows far from all others keep their own. For any centers,
    the root of the sum of squares of the rows differs from that of the micro-clusters by
    ``sqrt(inner.sum())`` at most, and where no micro-cluster holds rows of two clusters the sums
    differ by exactly ``inner.sum()``.
    """

    centers: np.ndarray
    weight: np.ndarray
    inner: np.ndarray  # for each feature, the weighted sum of squares about the center
    sq_radius: float  # rows that join a micro-cluster later are no further from it

    @classmethod
    def of(cls, X, weight):
        """Rows, each for itself; sparse ones only as long as there is room for them."""
        if is_sparse(X) and X.size and X.shape[0] * X.shape[1] > MOST_NUMBERS:
            parts = blocks_of(X.shape[0], max(1, MOST_NUMBERS // X.shape[1]))
            first, *others = (cls.of(X[part], weight[part]) for part in parts)
            return reduce(cls.with_others, others, first)
        centers = dense_rows(X, slice(None))
        return cls(centers, np.array(weight, dtype=np.float64), np.zeros_like(centers), 0.0)

    @property
    def room(self):
        """How many micro-clusters there may be."""
        n_features = self.centers.shape[1]
        return max(LEAST_CLUSTERS, min(MOST_CLUSTERS, MOST_NUMBERS // n_features))

    @property
    def mean(self):
        """The mean of all rows."""
        middle = self.centers[:1]
        return (middle + self.weight @ (self.centers - middle) / self.weight.sum())[0]

    def deviation(self, inertia):
        """The standard deviation per feature of rows whose micro-clusters have an `inertia`."""
        squares = inertia + self.inner.sum()
        return float(np.sqrt(squares / self.weight.sum() / self.centers.shape[1]))

    def fading(self, factor):
        """The same with weights multiplied by `factor`."""
        return self._replace(weight=self.weight * factor, inner=self.inner * factor)

    def with_others(self, other, n_threads=None):
        """Both in one; where there is no room for all, near ones join."""
        both = self.beside(other)
        if len(both.weight) <= both.room or not len(self.weight) or not len(other.weight):
            return both.covered(n_threads)
        sq_radius = max(self.sq_radius, other.sq_radius)
        labels, sq_dists = labels_by(
            self.centers, np.zeros(len(self.weight)), other.centers, n_threads
        )
        near = sq_dists <= sq_radius
        groups = np.concatenate([np.arange(len(self.weight)), labels[near]])
        joined = self.beside(other.some(near)).in_groups(groups, sq_radius)
        return joined.beside(other.some(~near)).covered(n_threads)

    def covered(self, n_threads=None):
        """As it is if there is room, otherwise by half as many micro-clusters as there is room for.

        Half, so that there is room for a while.
        """
        if len(self.weight) <= self.room:
            return self
        with ArraySamples(self.centers, self.weight, n_threads) as samples:
            samples.assign(self.mean[None, :])
            # Not from the mean itself: with many features it is nearer to most rows than any other.
            samples.assign(samples.farthest().point)
            while samples.n_clusters < self.room // 2:
                samples.absorb(samples.farthest().point)
            sq_radius = samples.farthest().sq_dist
            return self.in_groups(samples.labels, sq_radius)

    def beside(self, other):
        """Both, one after the other."""
        centers, weight, inner = (np.concatenate(kind) for kind in zip(self[:3], other[:3]))
        return Summary(centers, weight, inner, max(self.sq_radius, other.sq_radius))

    def some(self, chosen):
        """Only the `chosen` micro-clusters."""
        return Summary(
            self.centers[chosen], self.weight[chosen], self.inner[chosen], self.sq_radius
        )

    def in_groups(self, groups, sq_radius):
        """One micro-cluster for each group; the numbers of `groups` have gaps, if any are empty."""
        _, groups = np.unique(groups, return_inverse=True)
        c, p = groups.max() + 1, self.centers.shape[1]
        first = np.full(c, len(groups))
        np.minimum.at(first, groups, np.arange(len(groups)))
        middle = self.centers[first]  # sums are taken from there: far away they would lose digits
        weight = np.bincount(groups, weights=self.weight, minlength=c)
        centers, inner = middle.copy(), np.empty((c, p))
        for j in range(p):
            about = self.centers[:, j] - middle[groups, j]
            centers[:, j] += np.bincount(groups, weights=self.weight * about, minlength=c) / weight
            about = self.centers[:, j] - centers[groups, j]
            squares = self.weight * about**2 + self.inner[:, j]
            inner[:, j] = np.bincount(groups, weights=squares, minlength=c)
        return Summary(centers, weight, inner, sq_radius)
