"""Which rows need no look: what moving centers can have changed, cluster by cluster."""

import numpy as np
from scipy.spatial.distance import cdist

from pypmeans._kernels import remainder

WATCHED = 64  # centers that moved most; these are followed one by one
SAFE = 1 + 1e-9  # more than what rounding takes off a sum of a million moves


def places_of(centers, offsets):
    """Centers as places whose squared distance from a row is its cost above the least offset.

    They have one more coordinate, where rows have a zero: the root of the offset. So costs obey the
    triangle inequality.
    """
    return np.column_stack([centers, np.sqrt(offsets - offsets.min())])


class Bounds:
    """What the rows of each cluster can rely on since they were last looked at.

    `moves` is how far their own center may have gone, `near_approach` and `far_approach` how far
    other centers may have come closer: the neighbours of the cluster, and all others. Those others
    are no nearer than `cap`, whatever a row knows. `radius` is how far the rows may be from their
    center.
    """

    def __init__(self, places):
        self._start(places)

    def _start(self, places):
        c = len(places)
        self._places = places
        self.moves, self.near_approach, self.far_approach = np.zeros((3, c))
        self.radius, self.cap = np.zeros(c), np.full(c, np.inf)
        self.moved = np.zeros(c, dtype=bool)

    def follow(self, places, became, neighbours):
        """Take note that each cluster `became` another, and that centers are at `places` now.

        Arrays still count the former clusters, until `restart`; `neighbours` list the present ones.
        """
        moves = SAFE * np.linalg.norm(places[became] - self._places, axis=1)
        # Rows kept a distance from all that became one center; the one that moved least says most.
        drift = np.full(len(places), np.inf)
        np.minimum.at(drift, became, moves)
        drift[np.isinf(drift)] = 0.0  # opened since
        radius = np.zeros(len(places))
        np.maximum.at(radius, became, self.radius + moves)
        approach, cap = _approach(places, drift, radius)
        self._places = places
        self.radius = radius[became]
        self.moved |= moves > 0
        if neighbours is not None:
            self.near_approach += drift[neighbours].max(axis=1, initial=0.0)[became]
        self.far_approach += approach[became]
        self.cap = np.minimum(self.cap - approach[became], cap[became])
        self.moves += moves

    def clocks(self):
        """By how much neighbours and others may have gained on the own center."""
        near, far = self.moves + self.near_approach, self.moves + self.far_approach
        far[self._over] = np.inf
        return near, far

    @property
    def _over(self):
        """Where others are so near that the rows are looked at to begin anew."""
        return self.cap <= self.radius

    def restart(self):
        """Rows of clusters where it was over are looked at: they rely on nothing earlier."""
        over = self._over
        self.moves[over] = self.near_approach[over] = self.far_approach[over] = 0.0
        self.radius[over] = 0.0
        self.cap[over] = np.inf
        self.moved[over] = False

    def restart_all(self):
        """All rows are looked at."""
        self._start(self._places)


def _approach(places, drift, radius):
    """By how much other centers came closer to the rows of each cluster, except far ones.

    Nor are the far ones nearer than the second value. Only the few that moved most can be far.
    """
    n_watched = min(WATCHED, len(places) - 1)
    order = np.argpartition(drift, len(places) - n_watched - 1)
    rest, movers = drift[order[len(places) - n_watched - 1]], order[len(places) - n_watched :]
    movers = movers[drift[movers] > 0]
    gaps = cdist(places, places[movers])
    near = gaps <= 2 * SAFE * radius[:, None]
    near[movers, np.arange(len(movers))] = False
    gaps[movers, np.arange(len(movers))] = np.inf
    approach = np.where(near, drift[movers], rest).max(axis=1, initial=rest)
    cap = np.where(near, np.inf, gaps).min(axis=1, initial=np.inf)
    return approach, remainder(cap, radius, places.shape[1])
