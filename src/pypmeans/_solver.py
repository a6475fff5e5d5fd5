"""The loop of the paper: assign, open, update, agglomerate, until nothing changes."""

from typing import NamedTuple

import numpy as np

from pypmeans._moves import agglomerate, open_clusters, update_centers
from pypmeans._search import rank_by_coordinates


class Solution(NamedTuple):
    """What a run of the solver found. Clusters are numbered by decreasing weight."""

    centers: np.ndarray
    sizes: np.ndarray
    labels: np.ndarray
    inertia: float
    history: list[float]
    n_iter: int
    converged: bool
    capped: bool  # a point wanted to found one cluster more than allowed


def solve(samples, centers, penalty, *, max_iter, most_clusters, report=None):
    """Run pyp-means (Algorithm 1) from `centers` until nothing changes.

    The objective is recorded once per pass, after the openings. `report` is called with the
    number of the pass, the objective and the number of clusters.
    """
    history: list[float] = []
    sizes = became = None
    stable = converged = False
    while len(history) < max_iter and not converged:
        moved = samples.assign(centers, became, reach=penalty.opening(len(centers)))
        opened, capped = open_clusters(samples, centers, penalty, most_clusters)
        history.append(samples.cost() + penalty.value(len(opened)))
        if report is not None:
            report(len(history), history[-1], len(opened))
        converged = stable and not moved and len(opened) == len(centers)
        if not converged:
            means, new_sizes, kept = update_centers(samples, len(opened))
            fresh = changed_since(centers, sizes, means, new_sizes, len(opened))
            centers, sizes, merged = agglomerate(means, new_sizes, penalty, fresh)
            became = merged[kept]
            stable = len(centers) == len(opened)
    n_iter = len(history)
    if converged:
        history.pop()
    else:
        samples.assign(centers, became)
    samples.measure()
    _, sizes = samples.means(len(centers))
    history.append(samples.cost() + penalty.value(np.count_nonzero(sizes)))
    return number_by_size(samples, centers, sizes, history, n_iter, converged, capped)


def changed_since(centers, sizes, new_centers, new_sizes, n_opened):
    """Which clusters are not as they were when no pair could be merged; None if that is unknown.

    With fewer clusters than before each costs more, so that any pair may merge now.
    """
    if sizes is None or len(new_sizes) < n_opened:
        return None
    c = len(sizes)
    changed = np.ones(len(new_sizes), dtype=bool)
    changed[:c] = (new_sizes[:c] != sizes) | np.any(new_centers[:c] != centers, axis=1)
    return changed


def number_by_size(samples, centers, sizes, history, n_iter, converged, capped):
    """The solution with clusters numbered by decreasing weight, ties by coordinates.

    Clusters that lost their last row after the last update are left out.
    """
    order = np.lexsort((rank_by_coordinates(centers), -sizes))[: np.count_nonzero(sizes)]
    number = np.zeros(len(sizes), dtype=np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    return Solution(
        centers=centers[order],
        sizes=sizes[order],
        labels=number[samples.labels],
        inertia=float(samples.cost()),
        history=history,
        n_iter=n_iter,
        converged=converged,
        capped=capped,
    )
