"""Opening clusters furthest first, looking at few rows most of the time."""

import numpy as np

from pypmeans import _kernels
from pypmeans._rows import row_bytes

HOT_BYTES = 2**22  # of the coordinates of the rows watched: what a cache holds
MOST_HOT = 2**13
LEAST_HOT = 2**6


class Opening:
    """Watches the rows furthest from their centers while clusters are opened.

    An opened center is compared with these "hot" rows at once, and with all others later, many
    centers at a time. As long as a hot row is further from its center than the others were, it is
    the furthest of all, since openings only bring rows nearer.
    """

    def __init__(self, X, sq_dists):
        self._X = X
        self._passed = np.zeros(0, dtype=np.int64)
        self.watch(sq_dists)

    def watch(self, sq_dists):
        """Watch the rows that are furthest now that all rows have seen all centers."""
        n_rows = self._X.shape[0]
        n_hot = min(n_rows, max(LEAST_HOT, min(MOST_HOT, HOT_BYTES // row_bytes(self._X))))
        if len(self._passed):
            sq_dists = sq_dists.copy()
            sq_dists[self._passed] = -1.0
        hot = sq_dists >= np.partition(sq_dists, n_rows - n_hot)[n_rows - n_hot]
        # not more where many are equal
        self._rows = np.flatnonzero(hot)[:n_hot].astype(np.int32)
        hot[self._rows[-1] + 1 :] = False
        self._hot_sq = sq_dists[self._rows]
        self._other_sq = sq_dists.max(where=~hot, initial=-1.0)
        self._first = int(sq_dists.argmax())
        self._first_sq = float(sq_dists[self._first])
        self.points: list[np.ndarray] = []  # opened, but seen by hot rows only

    def furthest(self):
        """The row furthest from its center, of equal ones the first, and its squared distance.

        None if that is not known; a distance of -1 if all rows were passed over.
        """
        if self._first >= 0:
            return self._first, self._first_sq
        at = self._hot_sq.argmax()
        if self._hot_sq[at] > self._other_sq:
            return int(self._rows[at]), float(self._hot_sq[at])
        return None

    def open(self, point):
        """Make `point`, an array of one row, a center."""
        _kernels.bring_nearer(self._X, self._rows, point, self._hot_sq, True)
        self.points.append(point)
        self._first = -1

    def pass_over(self, row):
        """Leave `row` out of `furthest` from now on."""
        self._passed = np.append(self._passed, row)
        self._hot_sq[self._rows == row] = -1.0
        self._first = -1
