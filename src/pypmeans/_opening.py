"""Opening clusters furthest first, looking at few rows most of the time."""

from typing import NamedTuple

import numpy as np

from pypmeans import _kernels
from pypmeans._rows import dense_rows

HOT_BYTES = 2**22  # of the coordinates of the rows watched: what a cache holds
MOST_HOT = 2**13
LEAST_HOT = 2**6


class FarRows(NamedTuple):
    """The rows furthest from their centers, in the order they have in the data."""

    rows: np.ndarray
    points: np.ndarray
    sq_dists: np.ndarray
    weight: np.ndarray
    other_sq: float  # no other row is further than this

    @classmethod
    def among(cls, X, weight, sq_dists, passed=(), beyond=-np.inf):
        """Those of the rows of `X` that are `beyond` a squared distance, and the furthest.

        Not the ones `passed` over, and no more than are good to watch.
        """
        if len(passed):
            sq_dists = sq_dists.copy()
            sq_dists[passed] = -1.0
        rows, other_sq = _furthest(sq_dists, n_watched(X), beyond)
        return cls(rows, dense_rows(X, rows), sq_dists[rows], weight[rows], other_sq)

    @classmethod
    def of_all(cls, parts):
        """The furthest of several parts of the data, given in order."""
        rows, points, sq_dists, weight = (np.concatenate(kind) for kind in list(zip(*parts))[:4])
        kept, other_sq = _furthest(sq_dists, n_watched(points), -np.inf)
        other_sq = max(other_sq, *(part.other_sq for part in parts))
        return cls(rows[kept], points[kept], sq_dists[kept], weight[kept], other_sq)


class Opening:
    """Watches the rows furthest from their centers while clusters are opened.

    An opened center is compared with these "hot" rows at once, and with all others later, many
    centers at a time. As long as a hot row is further from its center than the others were, it is
    the furthest of all, since openings only bring rows nearer.
    """

    def __init__(self, far):
        self.passed = np.zeros(0, dtype=np.int64)
        self.watch(far)

    def watch(self, far):
        """Watch the rows that are furthest now that all rows have seen all centers."""
        self._far = far
        self._sq_dists = far.sq_dists.copy()
        self._places = np.arange(len(far.rows), dtype=np.int32)
        self._anew = True  # of rows equally far, the first is watched
        self.points: list[np.ndarray] = []  # opened, but seen by hot rows only

    def furthest(self):
        """The row furthest from its center, of equal ones the first; None if that is not known.

        Its number, coordinates, squared distance (-1 if all were passed over) and weight.
        """
        at = int(self._sq_dists.argmax())
        if not self._anew and self._sq_dists[at] <= self._far.other_sq:
            return None
        row, point = int(self._far.rows[at]), self._far.points[at : at + 1]
        return row, point, float(self._sq_dists[at]), self._far.weight[at]

    def open(self, point):
        """Make `point`, an array of one row, a center."""
        _kernels.bring_nearer(self._far.points, self._places, point, self._sq_dists)
        self.points.append(point)
        self._anew = False

    def pass_over(self, row):
        """Leave `row` out of `furthest` from now on."""
        self.passed = np.append(self.passed, row)
        self._sq_dists[self._far.rows == row] = -1.0
        self._anew = False


def n_watched(X):
    """How many rows like those of `X` are watched."""
    return max(LEAST_HOT, min(MOST_HOT, HOT_BYTES // (8 * X.shape[1])))


def _furthest(sq_dists, most, beyond):
    """The rows that are `beyond` a distance, `most` at most, one at least; and the next distance.

    Of rows equally far the first.
    """
    if np.count_nonzero(sq_dists > beyond) > most:
        beyond = np.partition(sq_dists, len(sq_dists) - most)[len(sq_dists) - most]
        further = np.flatnonzero(sq_dists > beyond)
        equal = np.flatnonzero(sq_dists == beyond)[: most - len(further)]
        rows = np.sort(np.concatenate([further, equal]))
    else:
        rows = np.flatnonzero(sq_dists > beyond)
    if not len(rows):
        rows = np.array([sq_dists.argmax()])
    others = np.ones(len(sq_dists), dtype=bool)
    others[rows] = False
    return rows, float(sq_dists.max(where=others, initial=-1.0))
