"""How a cluster is best made two: a few starts taken from its rows, a few steps from each."""

from typing import NamedTuple

import numpy as np

from pypmeans import _kernels
from pypmeans._rows import SparseRows
from pypmeans._threads import blocks_of

EXACT_STEPS = 4  # with all rows, where a sample came first
SAMPLE = 4096  # rows of a large cluster that are looked at first
FAR_ROWS = 1024  # about so many of its furthest are all in the sample


class Split(NamedTuple):
    """A cluster and what could become of it."""

    sse: float  # the sum of squares of the cluster as it is
    cost: float  # of the halves: sum of squares and what their sizes cost apart; may be infinite
    centers: np.ndarray
    sizes: np.ndarray


class Members(NamedTuple):
    """Rows of a cluster, or some of them: beyond the first, each stands for several."""

    X: np.ndarray | SparseRows
    rows: np.ndarray
    weight: np.ndarray
    n_single: int
    factor: float

    def steps(self, centers, sizes, pull, n_steps):
        """Let the rows choose among `centers`, moving these and their sizes; the sum of squares."""
        labels = np.full(len(self.rows), -1, dtype=np.int8)
        return _kernels.local_steps(*self, centers, sizes, pull, n_steps, labels)


def split_rows(X, rows, weight, sq_dists, center, size, penalty):
    """The best way found to make two clusters of `rows`, whose mean is `center`.

    `sq_dists`, of all rows of `X`, tell which rows are far from there.
    """
    members = Members(X, rows, weight, len(rows), 1.0)
    sse = members.steps(center[None, :].copy(), np.array([size]), 0.0, 1)
    some = members if len(rows) <= SAMPLE else _sample(members, sq_dists)
    centers, sizes = np.empty((2, X.shape[1])), np.empty(2)
    halves_sse = _kernels.halve(*some, center, size, penalty.pull, centers, sizes)
    if some is not members and sizes.all():
        halves_sse = members.steps(centers, sizes, penalty.pull, EXACT_STEPS)
    cost = halves_sse + penalty.apart(sizes) if sizes.all() else np.inf
    return Split(sse, cost, centers, sizes)


def _sample(members, sq_dists):
    """The furthest rows, and some of the others that stand for all of these."""
    rows = members.rows
    every = len(rows) // SAMPLE
    n_beyond = max(1, FAR_ROWS // every)
    limit = np.partition(sq_dists[rows[::every]], -n_beyond)[-n_beyond]
    far = np.concatenate(
        [rows[part][sq_dists[rows[part]] > limit] for part in blocks_of(len(rows))]
    )
    far = far[: 4 * FAR_ROWS]  # should the sample mislead
    others = rows[::every]
    others = others[sq_dists[others] <= limit]
    factor = (len(rows) - len(far)) / len(others)
    return members._replace(rows=np.concatenate([far, others]), n_single=len(far), factor=factor)
