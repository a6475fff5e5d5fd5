"""The data with its present labels: the few verbs the solver needs, on rows in memory."""

from typing import Any, NamedTuple

import numpy as np
from scipy.spatial import KDTree
from scipy.spatial.distance import cdist

from pypmeans import _kernels
from pypmeans._bounds import Bounds, places_of
from pypmeans._gathering import Strays
from pypmeans._opening import FarRows, Opening
from pypmeans._rows import dense_rows, is_sparse, middle_of
from pypmeans._search import PRODUCTS_FROM, first_search, make_search, rank_by_coordinates
from pypmeans._splitting import Members, split_rows
from pypmeans._sums import ClusterSums
from pypmeans._threads import Threads, blocks_of, one_blas_thread

MOST_SINGLE = 2 * 10**7  # numbers compared when rows move one by one
LISTED_ROWS = 2**13  # in one piece of a list: rows that need a look need a close one
FEW_ROWS = 16  # that are labelled by looking at all centers
FEW_POINTS = 256  # that are compared with each center sooner than sorted in a tree
SCANNED_ROWS = 2**18  # in one piece, where little more is done than comparing


class Candidate(NamedTuple):
    """A row that may found a cluster."""

    row: int
    point: np.ndarray  # its coordinates, of shape (1, n_features)
    sq_dist: float  # to its present center; -1 if all rows were passed over
    weight: float


class Look(NamedTuple):
    """What came of looking at some rows."""

    n_changed: int  # how many labels changed
    changed: np.ndarray | None  # which, unless they are many
    former: np.ndarray | None  # their labels before
    growth: float  # of the sum of squares by these changes
    furthest: int  # the row furthest from its center
    radius: np.ndarray  # for each cluster, a distance that no row looked at exceeds


class ArraySamples:
    """Rows, dense or sparse, their weights, labels and squared distances to their centers.

    Use it in a ``with`` statement, so that its threads end.
    """

    def __init__(self, X, weight, n_threads=None, *, origin=None):
        self.X = X
        self.weight = weight
        n_rows = X.shape[0]
        self._labels = np.full(n_rows, -1, dtype=np.int32)
        self._sq_dists = np.full(n_rows, np.inf)  # when the row was last looked at
        self._upper = np.zeros(n_rows, dtype=np.float32)  # bounds the distance, see `close_rows`
        self._far = np.zeros(n_rows, dtype=np.float32)  # when others may be as near, and when its
        self._near: Any = None  # neighbours may be, if there are any
        self._neighbours: Any = None  # of each center
        self._bounds: Any = None  # what the rows of a cluster have in common
        self._reach = np.inf
        self._cost: Any = None  # the sum of squares; None: to be added up
        self._furthest = 0  # if any row is beyond reach, the furthest
        self._centers: Any = None  # where the labels' centers are
        self._offsets: Any = None
        self._rank: Any = None  # which of equally near centers is preferred
        self._sorted: Any = None  # the rows by cluster, and where each cluster starts
        self._opening: Any = None  # the rows watched while clusters are being opened
        self._search: Any = None
        self._searched = False  # whether by rows that had labels
        self._origin = middle_of(X) if origin is None else origin
        self._sums = ClusterSums(X, weight, self._origin)
        self._threads = Threads(n_threads)
        self._blocks = blocks_of(n_rows)

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
        self._measure()
        return self._sq_dists

    @property
    def n_clusters(self):
        """How many clusters there are, with those just opened."""
        opened = 0 if self._opening is None else len(self._opening.points)
        return len(self._centers) + opened

    def labels_as(self, number):
        """The labels, with another number for each cluster."""
        return number[self.labels]

    def mean(self):
        """The weighted mean of all rows."""
        everyone = np.zeros(self.X.shape[0], dtype=np.int32)
        sums = ClusterSums(self.X, self.weight, self._origin)
        return sums.means(everyone, 1, self._threads)[0][0]

    def assign(self, centers, became=None, *, offsets=None, reach=0.0):
        """Give every row the center of least ``squared distance + offset``; True if any changed.

        `became` says, for each cluster of the last assignment and the openings since, which of
        `centers` it has become; without it, the rows start anew. `reach` is the squared distance
        past which a row concerns `farthest`: the larger, the fewer rows need a look.
        """
        offsets = np.zeros(len(centers)) if offsets is None else offsets
        self._catch_up()
        self._opening = None
        if became is None:
            self._start(centers, offsets)
            became = np.zeros(0, dtype=np.int32)
        same = np.array_equal(became, np.arange(len(centers)))
        if not same and len(became):
            self._sums.renumber(became, len(centers))
        quiet = same and reach >= self._reach
        self._reach = reach
        rank = rank_by_coordinates(centers)
        opened_at = nearest_of(np.delete(centers, became, axis=0), centers[became])
        return self._assign(centers, offsets, rank, became, opened_at, quiet) > 0

    def farthest(self):
        """The row furthest from its center, of equal ones the first; not one passed over.

        Where no row is beyond the reach given to `assign`, some row that is not.
        """
        if self._opening is None:
            row = self._furthest
            point = dense_rows(self.X, slice(row, row + 1))
            return Candidate(row, point, self._sq_dists[row], self.weight[row])
        return Candidate(*(self._opening.furthest() or self._furthest_of_all()))

    def pass_over(self, candidate):
        """Leave a row out of `farthest` until the next assignment."""
        self._start_opening().pass_over(candidate.row)

    def absorb(self, point):
        """Make `point` the center of a new cluster, which takes every row nearer to it."""
        self._start_opening().open(point)

    def saved_by_opening(self, point):
        """How far the sum of squares would fall if `point` became a center."""
        self._catch_up()
        self._measure()
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

    def sums(self, n_clusters):
        """Weighted sum of the rows of each cluster, seen from the origin, and its weight."""
        return self._sums.sums(self.labels, n_clusters, self._threads)

    def cost(self):
        """The weighted sum of squared distances of the rows to their centers."""
        self._catch_up()
        if self._cost is None:
            self._cost = sum(self._threads.run(self._cost_of_block, self._blocks))
        return self._cost

    def split(self, clusters, centers, sizes, penalty):
        """The best way found to make two of each of some clusters, whose means are `centers`."""

        def split_one(at):
            rows, sq_dists = self._rows_of([clusters[at]]), self._sq_dists
            mean = centers[at], sizes[at]
            return split_rows(self.X, rows, self.weight, sq_dists, *mean, penalty)

        self._sort()
        with one_blas_thread:  # products of vectors with many features would start more of them
            return self._threads.run(split_one, range(len(clusters)))

    def move_singly(self, numbers, centers, sizes, pull):
        """Where centers and sizes get to when rows between clusters move one by one.

        Only rows whose own weight could make a difference are looked at. `numbers` are those of the
        clusters that `centers` and `sizes` are given for. None if no row moves.
        """
        self._measure()
        place = np.zeros(len(self._centers), dtype=np.int32)
        place[numbers] = np.arange(len(numbers))
        heaviest = self.weight.max()
        # How much cheaper another cluster can be than assignment thinks, and this one dearer
        other = heaviest / (heaviest + sizes.min())
        own = np.zeros(len(self._centers))
        own[numbers] = heaviest / np.maximum(sizes - heaviest, heaviest)
        price = self._offsets - self._offsets.min() + 2 * pull * (own + other)

        def closeness(block):
            labels = self._labels[block]
            margin = (1 + own[labels]) * self._sq_dists[block] + price[labels]
            near = np.maximum(self._lower(block), 0.0) ** 2 * (1 - other)
            with np.errstate(invalid="ignore"):  # no other center, or everything at one place
                return (margin - near) / (margin + near)

        rows = self._highest(closeness, max(1, MOST_SINGLE // centers.size), above=0.0)
        centers, sizes, labels = centers.copy(), sizes.copy(), place[self._labels[rows]]
        n_moved = _kernels.move_singly(self.X, rows, self.weight, labels, centers, sizes, pull)
        return (centers, sizes, n_moved) if n_moved else None

    def _lower(self, block):
        """How near centers other than their own may be to rows, right after `_measure`."""
        due = self._far[block]
        due = due if self._near is None else np.minimum(due, self._near[block])
        return due + self._upper[block].astype(np.float64)

    def strays(self, numbers, n_rows):
        """The rows that cost most where they are; `numbers` as for `move_singly`."""
        self._measure()
        rows = self._highest(
            lambda block: self._sq_dists[block] + self._offsets[self._labels[block]], n_rows
        )
        owners = np.searchsorted(numbers, self._labels[rows])
        return Strays(dense_rows(self.X, rows), self.weight[rows], owners)

    def _highest(self, value, most, above=-np.inf):
        """The rows whose `value`, a function of a block, is highest and `above` something."""
        rows, values = np.empty(0, dtype=np.int32), np.empty(0)
        for block in self._blocks:  # never more than a block beside those kept
            found = value(block)
            high = np.flatnonzero(found > above)
            rows = np.concatenate([rows, (block.start + high).astype(np.int32)])
            values = np.concatenate([values, found[high]])
            if len(rows) > most:
                kept = np.sort(np.argpartition(values, len(values) - most)[len(values) - most :])
                rows, values = rows[kept], values[kept]
        return rows

    def counts(self, clusters):
        """How many rows each of some clusters has."""
        self._sort()
        return np.diff(self._sorted[1])[clusters]

    def fingerprints(self, clusters):
        """A number for each of some clusters; if equal, the rows are the same."""
        marks = np.zeros(len(self._centers))
        for number, block in enumerate(self._blocks):
            mark = np.random.default_rng(number).random(block.stop - block.start)
            marks += np.bincount(self.labels[block], weights=mark, minlength=len(marks))
        return marks[clusters].tolist()

    def rearrange(self, clusters, centers, sizes, pull, n_steps):
        """Let the rows of some clusters choose among other `centers`; how that ends.

        Returns the sum of squares, the centers and their sizes; no other cluster takes part.
        """
        self._sort()
        rows, centers, sizes = self._rows_of(clusters), centers.copy(), sizes.copy()
        members = Members(self.X, rows, self.weight, len(rows), 1.0)
        return members.steps(centers, sizes, pull, n_steps), centers, sizes

    def _sort(self):
        if self._sorted is None:
            labels, c = self.labels, len(self._centers)
            counts = sum(np.bincount(labels[block], minlength=c) for block in self._blocks)
            ends = np.cumsum(counts)
            rows = np.empty(len(labels), dtype=np.int32)
            _kernels.sort_rows(labels, ends - counts, rows)
            self._sorted = rows, np.concatenate([[0], ends])

    def _rows_of(self, clusters):
        rows, starts = self._sorted
        lists = [rows[starts[k] : starts[k + 1]] for k in clusters]
        return lists[0] if len(lists) == 1 else np.concatenate(lists)

    def _cost_of_block(self, rows):
        return np.sum(self.weight[rows] * self._sq_dists[rows])

    def _start_opening(self):
        if self._opening is None:
            self._measure()
            self._opening = Opening(FarRows.among(self.X, self.weight, self._sq_dists))
        return self._opening

    def _furthest_of_all(self):
        self._catch_up()
        passed = self._opening.passed
        self._opening.watch(FarRows.among(self.X, self.weight, self._sq_dists, passed))
        return self._opening.furthest()

    def _catch_up(self):
        """Show the opened centers to the rows that have not seen them yet."""
        if self._opening is None or not self._opening.points:
            return
        c, points = len(self._centers), np.vstack(self._opening.points)
        self._opening.points = []
        centers = np.vstack([self._centers, points])
        offsets = np.concatenate([self._offsets, np.zeros(len(points))])
        opened_at = nearest_of(points, self._centers)
        # A row goes to an opened center only if that is nearer, and to the first of equal ones.
        rank = np.concatenate([self._rank, np.arange(c, len(centers))])
        self._assign(centers, offsets, rank, np.arange(c, dtype=np.int32), opened_at, n_seen=c)

    def measure(self):
        """Measure all distances anew, so that `cost` has no rounding errors of earlier passes."""
        self._measure()
        self._cost = None

    def _measure(self):
        """Measure the distances of rows to centers that moved since they were looked at."""
        if self._bounds is not None and self._bounds.moved.any():
            stay = np.arange(len(self._centers), dtype=np.int32)
            nowhere = np.full(len(stay), np.inf)
            self._assign(self._centers, self._offsets, self._rank, stay, nowhere)

    def _start(self, centers, offsets):
        """No row has a label."""
        self._labels[:] = -1
        self._centers = None
        self._bounds = Bounds(places_of(centers, offsets))
        self._sums = ClusterSums(self.X, self.weight, self._origin)

    def _assign(self, centers, offsets, rank, became, opened_at, quiet=False, n_seen=0):
        """Give every row its preferred center; returns how many labels changed.

        In a `quiet` pass, where clusters only moved, most rows need no look. If the first `n_seen`
        centers stayed where they are, only the others are looked at.
        """
        bounds, moved_by = self._bounds, np.inf
        self._sorted = None
        if self._centers is None:  # rows without labels cannot start from any
            self._search, self._searched = first_search(self.X, self._origin, len(centers)), False
        elif not self._searched:
            self._search, self._searched = make_search(self.X, self._origin, len(centers)), True
        if np.array_equal(became, np.arange(len(centers))):
            moved_by = np.linalg.norm(centers[became] - self._centers, axis=1).max()
        self._search.look_at(centers, offsets, rank, moved_by, self._threads, n_seen)
        self._cost = self.cost() + self._growth_by_moving(centers) if quiet else None
        self._regroup(became)
        if len(became):
            bounds.follow(places_of(centers, offsets), became, self._neighbours)
        pieces = self._overdue() if quiet else self._blocks
        known = (
            became, ~bounds.moved, opened_at,
            bounds.near_approach.copy(), bounds.far_approach.copy(), bounds.cap.copy(),
            self._upper,
        )  # fmt: skip
        bounds.restart() if quiet else bounds.restart_all()
        self._centers, self._offsets, self._rank = centers, offsets, rank
        with self._search.resources:
            looks = self._threads.run(lambda rows: self._look_at(rows, known), pieces)
        return self._take_note(looks)

    def _regroup(self, became):
        """Take note of the neighbours of each center, which may be others than before."""
        former, self._neighbours = self._neighbours, self._search.neighbours
        if self._neighbours is former:
            return
        if self._near is None:
            self._near = np.full(len(self._labels), np.inf, dtype=np.float32)
        regrouped = np.ones(len(became), dtype=bool)
        if not (
            former is None or self._neighbours is None or former.shape != self._neighbours.shape
        ):
            others = np.any(np.sort(self._neighbours) != np.sort(former), axis=1)
            regrouped = others if np.array_equal(became, np.arange(len(former))) else regrouped
        if regrouped.any():
            self._join_bounds(regrouped)
        if self._neighbours is None:
            self._near = None

    def _join_bounds(self, regrouped):
        bounds = self._bounds
        self._threads.run(
            lambda part: _kernels.join_bounds(
                self._labels[part], regrouped, bounds.near_approach, bounds.far_approach,
                bounds.cap, self._upper[part], self._near[part], self._far[part],
            ),
            blocks_of(len(self._labels), SCANNED_ROWS),
        )  # fmt: skip

    def _look_at(self, rows, known):
        """Give `rows`, listed or a slice, centers, given what is `known` of their clusters."""
        if isinstance(rows, slice):
            rows = np.arange(rows.start, rows.stop, dtype=np.int32)
        state = self._labels, self._sq_dists, self._near, self._far
        open_rows, changed = np.empty((2, len(rows) + 1), dtype=np.int32)
        former_sq, radius = np.empty(len(rows)), np.zeros(len(self._centers))
        prices = self._offsets, self._search.least_offset
        n_open = _kernels.settle_rows(
            self.X, rows, self._centers, *prices, *known, *state, former_sq, open_rows
        )
        former = self._labels[rows]
        if n_open:
            self._search(self.X, open_rows[:n_open], *state)
        n_changed, growth, furthest = _kernels.close_rows(
            rows, former, former_sq, self.weight, *prices, np.sqrt(self._reach), self.X.shape[1],
            self._bounds.moves, self._bounds.near_approach, self._bounds.far_approach,
            self._labels, self._sq_dists, self._upper, self._near, self._far, radius, changed,
        )  # fmt: skip
        if n_changed > len(rows) // 8:
            return Look(n_changed, None, None, growth, furthest, radius)
        changed = changed[:n_changed]
        return Look(n_changed, rows[changed], former[changed], growth, furthest, radius)

    def _take_note(self, looks):
        """Bring sums, cost and radii up to date; returns how many labels changed."""
        for look in looks:
            if look.changed is None:
                self._sums.forget()
            else:
                self._sums.move(look.changed, look.former, self._labels, len(self._centers))
            np.maximum(self._bounds.radius, look.radius, out=self._bounds.radius)
            if self._cost is not None:
                self._cost += look.growth
        furthest = [look.furthest for look in looks] or [0]
        self._furthest = furthest[self._sq_dists[furthest].argmax()]
        return sum(look.n_changed for look in looks)

    def _overdue(self):
        """The rows that may have changed, in pieces."""
        clocks = self._bounds.clocks()

        def overdue_in(part):
            rows = np.empty(part.stop - part.start + 1, dtype=np.int32)
            near = None if self._near is None else self._near[part]
            found = _kernels.overdue_rows(
                self._labels[part], near, self._far[part], *clocks, part.start, rows
            )
            return rows[:found].copy()

        parts = blocks_of(len(self._labels), SCANNED_ROWS)
        lists = self._threads.run(overdue_in, parts)
        return [rows[piece] for rows in lists for piece in blocks_of(len(rows), LISTED_ROWS)]

    def _growth_by_moving(self, centers):
        """How much the sum of squares grows when the centers move to `centers`."""
        shifts, sizes = self._sums.shifts(self._centers, self.labels, self._threads)
        some = sizes > 0
        steps = (centers - self._centers)[some]
        growth = np.sum(steps * (steps - 2 * shifts[some]), axis=1)
        return float(np.sum(sizes[some] * growth))


def labels_by(centers, offsets, X, n_threads=None):
    """Labels and squared distances of rows, by the kernels that a fit uses."""
    if not X.shape[0]:
        return np.empty(0, dtype=np.int32), np.empty(0)
    if X.shape[0] <= FEW_ROWS and not is_sparse(X):
        return _scan(centers, offsets, X)
    with ArraySamples(X, np.ones(X.shape[0]), n_threads) as samples:
        samples.assign(centers, offsets=offsets)
        return samples.labels, samples.sq_dists


def _scan(centers, offsets, X):
    """The same for few rows, without the preparations that only many repay."""
    n, columns = len(X), _kernels.side_by_side(centers)
    rows, labels = np.arange(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    sq_dists, unused = np.empty(n), np.empty(n, dtype=np.float32)
    sq = np.empty(len(centers))

    def scan(rank):
        return _kernels.scan_rows(
            X, rows, centers, columns, 0, offsets, 0.0, rank, sq, labels, sq_dists, unused
        )

    if scan(np.arange(len(centers))):  # some are equally near: then their order counts
        scan(rank_by_coordinates(centers))
    return labels, sq_dists


def nearest_of(points, centers):
    """How near to each of `centers` the nearest of `points` is."""
    if len(points) > FEW_POINTS and centers.shape[1] < PRODUCTS_FROM:
        return KDTree(points).query(centers)[0]
    return cdist(centers, points).min(axis=1, initial=np.inf)
