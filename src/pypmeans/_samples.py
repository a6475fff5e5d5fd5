"""The data with its present labels: the few verbs the solver needs, on arrays in memory."""

from typing import Any, NamedTuple

import numpy as np

from pypmeans import _kernels
from pypmeans._members import Members
from pypmeans._search import make_search
from pypmeans._sums import ClusterSums
from pypmeans._threads import Threads, blocks_of, one_blas_thread


class Candidate(NamedTuple):
    """A row that may found a cluster."""

    row: int  # -1 if there is none
    point: np.ndarray  # its coordinates, of shape (1, n_features)
    sq_dist: float  # to its present center
    weight: float


class Change(NamedTuple):
    """What happened to the clusters since the rows were assigned."""

    became: np.ndarray  # for each former cluster, its present number
    in_place: np.ndarray  # for each former cluster, whether its center is where it was
    opened_at: np.ndarray  # for each former cluster, how near to its center another was opened
    drift: np.ndarray  # for each present cluster, how far its center moved
    same: bool  # whether no cluster was opened, merged or dropped


class ArraySamples:
    """Rows of an array, their weights, labels and squared distances to their centers.

    Use it in a ``with`` statement, so that its threads end.
    """

    def __init__(self, X, weight, n_threads=None):
        self.X = X
        self.weight = weight
        self.labels = np.full(len(X), -1, dtype=np.int32)
        self.sq_dists = np.full(len(X), np.inf)
        self.lower = np.full(len(X), np.inf)  # bounds all other centers, see `settle_rows`
        self._centers: Any = None  # where the labels' centers are
        self._members: Any = None  # who belongs to whom, while clusters are being opened
        self._search: Any = None
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
        change = self._start(centers) if became is None else self._follow(centers, became)
        offsets = np.zeros(len(centers))
        search = self._search
        search.look_at(centers, offsets, change.drift, change.same, self._threads)

        def assign_block(rows):
            X = self.X[rows]
            state = self.labels[rows], self.sq_dists[rows], self.lower[rows]
            open_rows = np.empty(len(X) + 1, dtype=np.int32)
            n_open = _kernels.settle_rows(
                X, centers, offsets, search.least_offset, search.beyond,
                change.became, change.in_place, change.opened_at, search.near_drift, search.drift,
                *state, open_rows,
            )  # fmt: skip
            return search(X, open_rows[:n_open], *state) if n_open else 0

        with one_blas_thread:
            n_changed = sum(self._threads.run(assign_block, self._blocks))
        self._centers, self._members = centers, None
        return n_changed > 0

    def farthest(self):
        """The row furthest from its center, of equal ones the first; not one passed over."""
        row = int(np.argmax(self.sq_dists)) if self._members is None else self._members.furthest()
        if row < 0:
            return Candidate(row, np.empty((0, 0)), -1.0, 0.0)
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
        """No row has a label."""
        self.labels[:] = -1
        self._sums = ClusterSums(self.X, self.weight)
        self._search = make_search(self.X, len(centers))
        nobody, nowhere = np.zeros(0, dtype=np.int32), np.zeros(0)
        return Change(nobody, nobody.astype(bool), nowhere, np.zeros(len(centers)), False)

    def _follow(self, centers, became):
        """What happened to the clusters since the last assignment."""
        former = self._centers if self._members is None else self._members.centers
        if len(centers) < len(former):
            self._sums.renumber(became, len(centers))
        moved = np.linalg.norm(centers[became] - former, axis=1)
        # Rows kept a distance from all that became one center; the one that moved least says most.
        drift = np.full(len(centers), np.inf)
        np.minimum.at(drift, became, moved)
        in_place = np.all(centers[became] == former, axis=1)
        opened_at = self._members.opened_at if self._members else np.full(len(former), np.inf)
        same = len(self._centers) == len(former) == len(centers)
        return Change(became, in_place, opened_at, drift, same)
