"""How a cluster is best made two: a few starts taken from its rows, a few steps from each."""

from typing import NamedTuple

import numpy as np

from pypmeans import _kernels

FAR_STARTS = 4  # members far from the center and each other, beside the principal direction
FIRST_STEPS = 6  # for each start
MORE_STEPS = 30  # for the best
DIRECTION_ROWS = 2000  # that show the principal direction
DIRECTION_STEPS = 12


class Split(NamedTuple):
    """A cluster and what could become of it."""

    sse: float  # the sum of squares of the cluster as it is
    cost: float  # of the halves: sum of squares less the attraction of their sizes; may be infinite
    centers: np.ndarray
    sizes: np.ndarray


def split_rows(X, rows, weight, center, penalty):
    """The best way found to make two clusters of `rows`, whose mean is `center`."""
    sq_dists = np.full(len(rows), np.inf)
    _kernels.bring_nearer(X, rows, center[None, :], sq_dists)
    row_weights = weight[rows]
    sse, size = float(np.sum(row_weights * sq_dists)), float(row_weights.sum())
    none = Split(sse, np.inf, np.vstack([center, center]), np.array([size, 0.0]))
    if not sq_dists.any():
        return none
    starts = _starts(X, rows, row_weights, center, sq_dists)
    halves = (
        _two_groups(X, rows, weight, start, np.full(2, size / 2), penalty, FIRST_STEPS)
        for start in starts
    )
    cost, centers, sizes = min(halves, key=lambda half: half[0])
    if not np.isfinite(cost):
        return none
    return Split(sse, *_two_groups(X, rows, weight, centers, sizes, penalty, MORE_STEPS))


def _two_groups(X, rows, weight, centers, sizes, penalty, n_steps):
    labels = np.full(len(rows), -1, dtype=np.int8)
    sse = _kernels.local_steps(X, rows, weight, centers, sizes, penalty.pull, n_steps, labels)
    cost = sse - penalty.attraction(sizes) if sizes.all() else np.inf
    return cost, centers, sizes


def _starts(X, rows, row_weights, center, sq_dists):
    """Pairs of centers to start from. Uses up `sq_dists`."""
    some = slice(None, None, max(1, len(rows) // DIRECTION_ROWS))
    far = int(sq_dists.argmax())
    about = X[rows[some]] - center
    direction = X[rows[far]] - center
    step = _principal_step(about, row_weights[some], direction)
    yield np.vstack([center - step, center + step])
    for _ in range(FAR_STARTS):
        point = X[rows[far]].astype(np.float64)
        yield np.vstack([center, point])
        _kernels.bring_nearer(X, rows, point[None, :], sq_dists)
        far = int(sq_dists.argmax())
        if sq_dists[far] == 0:
            return


def _principal_step(about, weight, direction):
    """One standard deviation along the direction in which rows vary most, by the power method."""
    scale = np.abs(about).max() or 1.0
    about, weight = about / scale, weight / weight.max()
    deviation = 0.0
    for _ in range(DIRECTION_STEPS):
        direction = direction / np.linalg.norm(direction)
        # einsum, not a matrix product: the same bits whatever threads there are
        along = np.einsum("ij,j->i", about, direction)
        deviation = np.sqrt(np.sum(weight * along**2) / weight.sum())
        image = np.einsum("i,ij->j", weight * along, about)
        if not image.any():
            break
        direction = image
    norm = np.linalg.norm(direction)
    return scale * deviation * direction / norm
