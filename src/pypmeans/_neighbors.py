"""The centers as the rows see them: which ones are near which, and how far they moved."""

from typing import NamedTuple

import numpy as np

from pypmeans._kernels import list_neighbors
from pypmeans._threads import blocks_of

STALE = 0.1  # list anew when centers may have come closer by this part of the typical distance
LIST_BLOCK = 64  # centers whose neighbours one thread lists in one go


class Field(NamedTuple):
    """The centers as `assign_rows` wants to see them."""

    centers: np.ndarray
    offsets: np.ndarray
    rank: np.ndarray
    near: np.ndarray
    near_dist: np.ndarray
    beyond: np.ndarray


class Change(NamedTuple):
    """What happened to the clusters since the last assignment, as `assign_rows` wants to know."""

    became: np.ndarray
    in_place: np.ndarray
    opened_at: np.ndarray
    drift: np.ndarray


class Neighbors:
    """Lists the nearest other centers of each center, for as long as the centers move little.

    While lists are kept, the distances in them are understood as less by the `slack` that the
    centers may have come closer.
    """

    def __init__(self, n_listed=32):
        self._n_listed = n_listed
        self._near = np.empty((0, 0), dtype=np.int32)
        self._slack = self._typical = 0.0

    def field(self, centers, offsets, drift, threads):
        """The `Field` of `centers`, each of which moved by `drift` since the last call."""
        self._slack += 2 * drift.max()
        if len(self._near) != len(centers) or not self._slack < STALE * self._typical:
            self._list(centers, threads)
        return Field(
            centers,
            offsets,
            rank_by_coordinates(centers),
            self._near,
            self._near_dist - self._slack,
            self._beyond - self._slack,
        )

    def _list(self, centers, threads):
        c = len(centers)
        n_listed = min(self._n_listed, c - 1)
        self._near = np.empty((c, n_listed), dtype=np.int32)
        self._near_dist = np.empty((c, n_listed))
        self._beyond = np.full(c, 0.0 if c > 1 else np.inf)  # nothing known without lists

        def list_block(rows):
            list_neighbors(
                centers, rows.start, rows.stop, self._near, self._near_dist, self._beyond
            )

        if n_listed:
            threads.run(list_block, blocks_of(c, LIST_BLOCK))
        self._slack = 0.0
        self._typical = float(np.median(self._near_dist[:, 0])) if n_listed else 0.0


def rank_by_coordinates(centers):
    """The place of each center in the order of coordinates: the first feature, then the second…

    Equally near centers are told apart by it, so that renumbering them changes no label.
    """
    rank = np.empty(len(centers), dtype=np.int64)
    rank[np.lexsort(centers.T[::-1])] = np.arange(len(centers))
    return rank
