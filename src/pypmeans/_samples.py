"""The data with its present labels: the few verbs the solver needs, on arrays in memory."""

from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from pypmeans import _kernels
from pypmeans._opening import Opening
from pypmeans._search import make_search, rank_by_coordinates
from pypmeans._sums import ClusterSums
from pypmeans._threads import Threads, blocks_of


class Candidate(NamedTuple):
    """A row that may found a cluster."""

    row: int
    point: np.ndarray  # its coordinates, of shape (1, n_features)
    sq_dist: float  # to its present center; -1 if all rows were passed over
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
        self._labels = np.full(len(X), -1, dtype=np.int32)
        self._sq_dists = np.full(len(X), np.inf)
        self._lower = np.full(len(X), np.inf)  # bounds all other centers, see `settle_rows`
        self._centers: Any = None  # where the labels' centers are
        self._rank: Any = None  # which of equally near centers is preferred
        self._opening: Any = None  # the rows watched while clusters are being opened
        self._search: Any = None
        self._origin = middle_of(X)
        self._sums = ClusterSums(X, weight, self._origin)
        self._threads = Threads(n_threads)
        self._blocks = blocks_of(len(X))

    def __enter__(self):
        self._threads.__enter__()
        return self

    def __exit__(self, *exception):
        self._threads.__exit__(*exception)

    @property
    def labels(self):
        """The cluster of each row."""
        self._catch_up()
        return self._labels

    @property
    def sq_dists(self):
        """The squared distance of each row to its center."""
        self._catch_up()
        return self._sq_dists

    def mean(self):
        """The weighted mean of all rows."""
        everyone = np.zeros(len(self.X), dtype=np.int32)
        sums = ClusterSums(self.X, self.weight, self._origin)
        return sums.means(everyone, 1, self._threads)[0][0]

    def assign(self, centers, became=None):
        """Give every row its nearest center; True if any label changed.

        `became` says, for each cluster of the last assignment and the openings since, which of
        `centers` it has become; without it, the rows start anew.
        """
        if became is None:
            change = self._start(centers)
        else:
            self._catch_up()
            change = self._follow(centers, became)
        self._opening = None
        return self._assign(centers, rank_by_coordinates(centers), change) > 0

    def farthest(self):
        """The row furthest from its center, of equal ones the first; not one passed over."""
        if self._opening is None:
            row = int(self._sq_dists.argmax())
            sq_dist = self._sq_dists[row]
        else:
            row, sq_dist = self._opening.furthest() or self._furthest_of_all()
        point = self.X[row : row + 1].astype(np.float64)
        return Candidate(row, point, sq_dist, self.weight[row])

    def pass_over(self, candidate):
        """Leave a row out of `farthest` until the next assignment."""
        self._start_opening().pass_over(candidate.row)

    def absorb(self, point):
        """Make `point` the center of a new cluster, which takes every row nearer to it."""
        self._start_opening().open(point)

    def saved_by_opening(self, point):
        """How far the sum of squares would fall if `point` became a center."""
        self._catch_up()
        sq_gaps = cdist(self._centers, point, "sqeuclidean")[:, 0]

        def saved_in_block(rows):
            return _kernels.saved_by_opening(
                self.X[rows], self.weight[rows], point, sq_gaps, self._labels[rows],
                self._sq_dists[rows],
            )  # fmt: skip

        return sum(self._threads.run(saved_in_block, self._blocks))

    def means(self, n_clusters):
        """Weighted mean and weight of each cluster; an empty one has weight 0 and no mean."""
        return self._sums.means(self.labels, n_clusters, self._threads)

    def cost(self):
        """The weighted sum of squared distances of the rows to their centers."""
        sq_dists = self.sq_dists

        def cost_of_block(rows):
            return np.sum(self.weight[rows] * sq_dists[rows])

        return sum(self._threads.run(cost_of_block, self._blocks))

    def _start_opening(self):
        if self._opening is None:
            self._opening = Opening(self.X, self._sq_dists)
        return self._opening

    def _furthest_of_all(self):
        self._catch_up()
        self._opening.watch(self._sq_dists)
        return self._opening.furthest()

    def _catch_up(self):
        """Show the opened centers to the rows that have not seen them yet."""
        if self._opening is None or not self._opening.points:
            return
        c, points = len(self._centers), np.vstack(self._opening.points)
        self._opening.points = []
        centers = np.vstack([self._centers, points])
        opened_at = cdist(self._centers, points).min(axis=1)
        stay = np.arange(c, dtype=np.int32)
        change = Change(stay, np.ones(c, dtype=bool), opened_at, np.zeros(len(centers)), False)
        # A row goes to an opened center only if that is nearer, and to the first of equal ones.
        rank = np.concatenate([self._rank, np.arange(c, len(centers))])
        self._assign(centers, rank, change)

    def _assign(self, centers, rank, change):
        """Give every row its preferred center; returns how many labels changed."""
        offsets = np.zeros(len(centers))
        search = self._search
        search.look_at(centers, offsets, rank, change.drift, change.same, self._threads)

        def assign_block(rows):
            X = self.X[rows]
            state = self._labels[rows], self._sq_dists[rows], self._lower[rows]
            open_rows = np.empty(len(X) + 1, dtype=np.int32)
            n_open = _kernels.settle_rows(
                X, centers, offsets, search.least_offset, search.beyond,
                change.became, change.in_place, change.opened_at, search.near_drift, search.drift,
                *state, open_rows,
            )  # fmt: skip
            return search(X, open_rows[:n_open], *state) if n_open else 0

        self._centers, self._rank = centers, rank
        with search.resources:
            return sum(self._threads.run(assign_block, self._blocks))

    def _start(self, centers):
        """No row has a label."""
        self._labels[:] = -1
        self._sums = ClusterSums(self.X, self.weight, self._origin)
        self._search = make_search(self.X, self._origin, len(centers))
        nobody, nowhere = np.zeros(0, dtype=np.int32), np.zeros(0)
        return Change(nobody, nobody.astype(bool), nowhere, np.zeros(len(centers)), False)

    def _follow(self, centers, became):
        """What happened to the clusters since the last assignment."""
        former = self._centers
        if len(centers) < len(former):
            self._sums.renumber(became, len(centers))
        moved = np.linalg.norm(centers[became] - former, axis=1)
        # Rows kept a distance from all that became one center; the one that moved least says most.
        drift = np.full(len(centers), np.inf)
        np.minimum.at(drift, became, moved)
        in_place = np.all(centers[became] == former, axis=1)
        never = np.full(len(former), np.inf)
        return Change(became, in_place, never, drift, len(centers) == len(former))


def middle_of(X):
    """A point amid the rows, whatever a few of them are like.

    Sums and products are taken from there: far from it they would lose digits.
    """
    some = X[:: max(1, len(X) // 1000)]
    return np.median(some.astype(np.float64), axis=0)
