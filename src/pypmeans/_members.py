"""Who belongs to which cluster, while clusters are being opened."""

import numpy as np

from pypmeans import _kernels
from pypmeans._threads import blocks_of

PIECE = 4096  # members looked at in one go: what is noted of them stays in the cache
TASK = 16  # pieces that one thread takes in one go


class Members:
    """Row numbers grouped by cluster, with the furthest member of each.

    An opening looks only at clusters within reach of the new center, and of their members only at
    those that may be nearer to it: its cost is what it changes. The rows' labels, squared
    distances and lower bounds belong to the samples and are updated in place.
    """

    def __init__(self, samples, centers):
        self._samples = samples
        n_rows = len(samples.X)
        self._centers = np.array(centers)
        self.n_clusters = len(centers)
        self._opened_at = np.full(len(centers), np.inf)
        self._start, self._stop, self._furthest = np.zeros((3, len(centers)), dtype=np.int64)
        self._radius_sq = np.zeros(len(centers))
        self._passed_sq = 0.0  # no row passed over is further from its center, squared
        self._passed = np.zeros(n_rows if samples.weight.min() < 1 else 0, dtype=bool)
        # Clusters shrink in place and new ones go to the end; when half as many rows have moved as
        # there are, everything is grouped anew.
        self._order = np.empty(n_rows + n_rows // 2, dtype=np.int32)
        self._member_sq = np.empty(len(self._order))
        self._group()

    @property
    def centers(self):
        """The centers, in order of opening."""
        return self._centers[: self.n_clusters]

    @property
    def opened_at(self):
        """For each cluster, how near to its center another was opened."""
        return self._opened_at[: self.n_clusters]

    def furthest(self):
        """The row furthest from its center, of equal ones the first; -1 if all are passed over."""
        radius_sq = self._radius_sq[: self.n_clusters]
        if radius_sq.max() < 0:
            return -1
        return int(self._furthest[: self.n_clusters][radius_sq == radius_sq.max()].min())

    def pass_over(self, row):
        """Leave `row` out of `furthest` from now on."""
        self._passed[row] = True
        self._passed_sq = max(self._passed_sq, self._samples.sq_dists[row])
        k = self._samples.labels[row]
        self._furthest[k], self._radius_sq[k] = _kernels.furthest_member(
            self._order, self._member_sq, self._start[k], self._stop[k], self._passed
        )

    def saved_by_opening(self, point):
        """How far the sum of squares would fall if `point` became a center."""
        samples = self._samples
        reached, sq_gap = self._within_reach(point)
        _, pieces, gaps = self._pieces(reached, sq_gap)
        return _kernels.saved_by_opening(
            samples.X, samples.weight, point, pieces, gaps, self._order, self._member_sq
        )

    def absorb(self, point):
        """Open a cluster at `point`; it takes every row nearer to it than to its center."""
        samples, k = self._samples, self.n_clusters
        reached, sq_gap = self._within_reach(point)
        owners, pieces, gaps = self._pieces(reached, sq_gap)
        found = np.empty((len(pieces), 2))

        def absorb_pieces(part):
            scratch = (np.empty(PIECE, dtype=dtype) for dtype in (np.int64, np.float64, np.int32))
            _kernels.absorb_members(
                samples.X, point, k, pieces[part], gaps[part], self._order, self._member_sq,
                self._passed, samples.labels, samples.sq_dists, samples.lower, found[part],
                *scratch,
            )  # fmt: skip

        samples.run(absorb_pieces, blocks_of(len(pieces), TASK))
        np.minimum(self.opened_at, np.sqrt(sq_gap), out=self.opened_at)
        self._append(point, owners, pieces, found)

    def _group(self):
        c = self.n_clusters
        _kernels.group_rows(
            self._samples.labels, self._samples.sq_dists, self._passed,
            self._order, self._member_sq,
            self._start[:c], self._stop[:c], self._radius_sq[:c], self._furthest[:c],
        )  # fmt: skip
        self._end = len(self._samples.labels)

    def _within_reach(self, point):
        c = self.n_clusters
        sq_gap, reached = np.empty(c), np.empty(c, dtype=bool)
        _kernels.within_reach(
            point, self.centers, self._start[:c], self._stop[:c], self._radius_sq[:c],
            self._passed_sq, sq_gap, reached,
        )  # fmt: skip
        return reached, sq_gap

    def _pieces(self, reached, sq_gap):
        """The reached clusters cut in pieces: their owners, ranges, and what the kernel needs."""
        clusters = np.flatnonzero(reached)
        n_pieces = -((self._start[clusters] - self._stop[clusters]) // PIECE)
        owners = np.repeat(clusters, n_pieces)
        nth = np.arange(len(owners)) - np.repeat(np.cumsum(n_pieces) - n_pieces, n_pieces)
        pieces = np.zeros((len(owners), 5), dtype=np.int64)
        pieces[:, 0] = self._start[owners] + nth * PIECE
        pieces[:, 1] = np.minimum(pieces[:, 0] + PIECE, self._stop[owners])
        return owners, pieces, np.stack([sq_gap[owners], self._opened_at[owners]], axis=1)

    def _append(self, point, owners, pieces, found):
        """Make the new cluster of the members that went to it."""
        k = self.n_clusters
        if k == len(self._centers):
            self._double()
        self._centers[k] = point[0]
        self._opened_at[k] = np.inf
        self.n_clusters += 1
        n_moved = int((pieces[:, 1] - pieces[:, 0] - pieces[:, 2]).sum())
        if self._end + n_moved > len(self._order):
            self._group()
            return
        _kernels.close_up(
            k, self._end, owners, pieces, found, self._order, self._member_sq,
            self._start, self._stop, self._radius_sq, self._furthest,
        )  # fmt: skip
        self._end += n_moved

    def _double(self):
        """Make room for as many clusters again."""
        for name in ("_centers", "_opened_at", "_start", "_stop", "_radius_sq", "_furthest"):
            array = getattr(self, name)
            setattr(self, name, np.concatenate([array, array]))
