"""The loop of the paper: assign, open, update, agglomerate, until nothing changes."""

from typing import NamedTuple

import numpy as np

from pypmeans._moves import agglomerate, open_clusters, update_centers
from pypmeans._samples import rank_by_coordinates


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
    n_iter, converged, merged = 0, False, False
    while n_iter < max_iter and not converged:
        n_iter += 1
        moved = samples.assign(centers)
        n_before = len(centers)
        centers, capped = open_clusters(samples, centers, penalty, most_clusters)
        history.append(samples.cost() + penalty.value(len(centers)))
        if report is not None:
            report(n_iter, history[-1], len(centers))
        converged = not (moved or merged or len(centers) > n_before)
        if not converged:
            n_before = len(centers)
            centers, sizes = update_centers(samples, n_before)
            centers, sizes = agglomerate(centers, sizes, penalty)
            merged = len(centers) < n_before
    if not converged:
        centers = settle(samples, centers)
        history.append(samples.cost() + penalty.value(len(centers)))
    return number_by_size(samples, centers, history, n_iter, converged, capped)


def settle(samples, centers):
    """Label all rows by `centers`, and drop centers that nobody is nearest to."""
    samples.assign(centers)
    occupied = np.unique(samples.labels)
    if len(occupied) < len(centers):
        centers = centers[occupied]
        samples.assign(centers)
    return centers


def number_by_size(samples, centers, history, n_iter, converged, capped):
    """The solution with clusters numbered by decreasing weight, ties by coordinates."""
    _, sizes = samples.means(len(centers))
    order = np.lexsort((rank_by_coordinates(centers), -sizes))
    new_number = np.empty(len(order), dtype=np.int32)
    new_number[order] = np.arange(len(order), dtype=np.int32)
    labels = new_number[samples.labels]
    inertia = float(samples.cost())
    return Solution(
        centers[order], sizes[order], labels, inertia, history, n_iter, converged, capped
    )
