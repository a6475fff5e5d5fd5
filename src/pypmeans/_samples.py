"""The data with its present labels: the few verbs the solver needs, on arrays in memory."""

from typing import NamedTuple

import numpy as np

from pypmeans import _kernels
from pypmeans._members import Members
from pypmeans._neighbors import Change, Neighbors
from pypmeans._sums import ClusterSums
from pypmeans._threads import Threads, blocks_of


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
        self.lower = np.full(len(X), np.inf)  # no center but the row's own is nearer than this
        self._centers = None  # where the labels' centers are
        self._members = None  # who belongs to whom, while clusters are being opened
        self._neighbors = Neighbors()
        self._sums = ClusterSums(X, weight)
        self._threads = Threads(n_threads)
        self._blocks = blocks_of(len(X))

    def __enter__(self):
        self._threads.__enter__()
        return self

    def __exit__(self, *exception):
        self._threads.__exit__(*exception)

    def mean(self):
        """The weighted mean of all rows."""
        everyone = np.zeros(len(self.X), dtype=np.int32)
        return ClusterSums(self.X, self.weight).means(everyone, 1, self._threads)[0][0]

    def assign(self, centers, became=None):
        """Give every row its nearest center; True if any label changed.

        `became` says, for each cluster of the last assignment and the openings since, which of
        `centers` it has become; without it, the rows start anew.
        """
        change, drift = self._start(centers) if became is None else self._follow(centers, became)
        field = self._neighbors.field(centers, np.zeros(len(centers)), drift, self._threads)
        change = change._replace(drift=drift[field.near].max(axis=1, initial=0.0))

        def assign_block(rows):
            return _kernels.assign_rows(
                self.X[rows], *field, *change,
                self.labels[rows], self.sq_dists[rows], self.lower[rows],
            )  # fmt: skip

        n_changed = sum(self._threads.run(assign_block, self._blocks))
        self._centers, self._members = centers, None
        return n_changed > 0

    def farthest(self):
        """The row furthest from its center, of equal ones the first; not one passed over."""
        row = int(np.argmax(self.sq_dists)) if self._members is None else self._members.furthest()
        point = self.X[row : row + 1].astype(np.float64)
        return Candidate(row, point, self.sq_dists[row], self.weight[row])

    def pass_over(self, candidate):
        """Leave a row out of `farthest` until the next assignment."""
        self._grouped().pass_over(candidate.row)

    def absorb(self, point):
        """Make `point` the center of a new cluster, which takes every row nearer to it."""
        self._grouped().absorb(point)

    def saved_by_opening(self, point):
        """How far the sum of squares would fall if `point` became a center."""
        return self._grouped().saved_by_opening(point)

    def means(self, n_clusters):
        """Weighted mean and weight of each cluster; an empty one has weight 0 and no mean."""
        return self._sums.means(self.labels, n_clusters, self._threads)

    def cost(self):
        """The weighted sum of squared distances of the rows to their centers."""

        def cost_of_block(rows):
            return np.sum(self.weight[rows] * self.sq_dists[rows])

        return sum(self._threads.run(cost_of_block, self._blocks))

    def run(self, function, pieces):
        """``function(piece)`` for each piece, on the threads of these samples."""
        return self._threads.run(function, pieces)

    def _grouped(self):
        if self._members is None:
            self._members = Members(self, self._centers)
        return self._members

    def _start(self, centers):
        """No row has a label; nothing moved."""
        self.labels[:] = -1
        self._sums = ClusterSums(self.X, self.weight)
        nobody, nowhere = np.zeros(0, dtype=np.int32), np.zeros(0)
        change = Change(nobody, nobody.astype(bool), nowhere, nowhere)
        return change, np.full(len(centers), np.inf)

    def _follow(self, centers, became):
        """What happened to the clusters since the last assignment, and how far centers moved."""
        former = self._centers if self._members is None else self._members.centers
        if len(centers) < len(former):
            self._sums.renumber(became, len(centers))
        moved = np.linalg.norm(centers[became] - former, axis=1)
        in_place = np.all(centers[became] == former, axis=1)
        opened_at = self._members.opened_at if self._members else np.full(len(former), np.inf)
        # A center made of several is at least as near to where each of them was.
        drift = np.full(len(centers), np.inf)
        np.minimum.at(drift, became, moved)
        return Change(became, in_place, opened_at, drift), drift
