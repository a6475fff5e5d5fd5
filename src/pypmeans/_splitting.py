"""How a cluster is best made two: a few starts taken from its rows, a few steps from each."""

from typing import NamedTuple

import numpy as np

from pypmeans import _kernels
from pypmeans._rows import Centered, SparseRows, dense_rows
from pypmeans._threads import blocks_of

FAR_STARTS = 4  # members far from the center and each other, beside the principal direction
FIRST_STEPS = 6  # for each start
MORE_STEPS = 30  # for the best
EXACT_STEPS = 4  # with all rows, where a sample came first
SAMPLE = 4096  # rows of a large cluster that are looked at first
FAR_ROWS = 1024  # about so many of its furthest are all in the sample
DIRECTION_ROWS = 2000  # that show the principal direction
DIRECTION_STEPS = 12


class Split(NamedTuple):
    """A cluster and what could become of it."""

    sse: float  # the sum of squares of the cluster as it is
    cost: float  # of the halves: sum of squares and what their sizes cost apart; may be infinite
    centers: np.ndarray
    sizes: np.ndarray


class Members(NamedTuple):
    """Rows of a cluster, or some of them: beyond the first, each stands for several."""

    X: np.ndarray | SparseRows
    weight: np.ndarray
    rows: np.ndarray
    n_single: int
    factor: float

    def steps(self, centers, sizes, pull, n_steps):
        """Let the rows choose among `centers`, moving these and their sizes; the sum of squares."""
        labels = np.full(len(self.rows), -1, dtype=np.int8)
        return _kernels.local_steps(
            self.X, self.rows, self.weight, self.n_single, self.factor, centers, sizes, pull,
            n_steps, labels,
        )  # fmt: skip


def split_rows(X, rows, weight, sq_dists, center, size, penalty):
    """The best way found to make two clusters of `rows`, whose mean is `center`.

    `sq_dists`, of all rows of `X`, tell which rows are far from there.
    """
    members = Members(X, weight, rows, len(rows), 1.0)
    sse = members.steps(center[None, :].copy(), np.array([size]), 0.0, 1)
    some = members if len(rows) <= SAMPLE else _sample(members, sq_dists)
    halves = [
        _two_groups(some, start, np.full(2, size / 2), penalty, FIRST_STEPS)
        for start in _starts(some, center)
    ]
    none = np.inf, np.empty((2, X.shape[1])), np.zeros(2)
    cost, centers, sizes = min(halves, key=lambda half: half[0], default=none)
    if np.isfinite(cost):
        cost, centers, sizes = _two_groups(some, centers, sizes, penalty, MORE_STEPS)
    if np.isfinite(cost) and some is not members:
        cost, centers, sizes = _two_groups(members, centers, sizes, penalty, EXACT_STEPS)
    return Split(sse, cost, centers, sizes)


def _two_groups(members, centers, sizes, penalty, n_steps):
    sse = members.steps(centers, sizes, penalty.pull, n_steps)
    cost = sse + penalty.apart(sizes) if sizes.all() else np.inf
    return cost, centers, sizes


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


def _starts(members, center):
    """Pairs of centers to start from; none if all rows are equal."""
    X, rows = members.X, members.rows
    sq_dists = np.full(len(rows), np.inf)
    _kernels.bring_nearer(X, rows, center[None, :], sq_dists, False)
    far = int(sq_dists.argmax())
    if sq_dists[far] == 0:
        return
    if len(rows) == 2:  # there is only one way
        yield dense_rows(X, rows)
        return
    step = _principal_step(members, center, _row(X, rows[far]) - center)
    yield np.vstack([center - step, center + step])
    for _ in range(FAR_STARTS):
        point = _row(X, rows[far])
        yield np.vstack([center, point])
        _kernels.bring_nearer(X, rows, point[None, :], sq_dists, False)
        far = int(sq_dists.argmax())
        if sq_dists[far] == 0:
            return


def _row(X, i):
    return dense_rows(X, slice(i, i + 1))[0]


def _principal_step(members, center, direction):
    """One standard deviation along the direction in which rows vary most, by the power method."""
    rows = members.rows[members.n_single % len(members.rows) :]  # without the furthest of many
    rows = rows[:: max(1, len(rows) // DIRECTION_ROWS)]
    about, weight = Centered(members.X[rows], center), members.weight[rows]
    if about.unit == 0:
        return direction
    weight = weight / weight.max()
    direction = direction / np.abs(direction).max()
    deviation = 0.0
    for _ in range(DIRECTION_STEPS):
        direction = direction / np.linalg.norm(direction)
        along = about.times(direction)
        deviation = np.sqrt(np.sum(weight * along**2) / weight.sum())
        image = about.added_up(weight * along)
        if not image.any():
            break
        direction = image
    return about.unit * deviation * direction / np.linalg.norm(direction)
