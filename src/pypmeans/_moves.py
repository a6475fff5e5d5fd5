"""Moves of the paper: open clusters, drop empty ones, merge close ones."""

from heapq import heapify, heappop, heappush
from typing import NamedTuple

import numpy as np

from pypmeans import _kernels


class Arrangement(NamedTuple):
    """Clusters after a move."""

    centers: np.ndarray
    sizes: np.ndarray
    became: np.ndarray  # for each cluster before the move, its present number
    stable: bool  # whether there was nothing to move
    move: str = ""  # what was done, in words

    @classmethod
    def of(cls, centers, sizes, *, stable):
        """The clusters as they are."""
        return cls(centers, sizes, np.arange(len(sizes), dtype=np.int32), stable)


class Mergers:
    """Agglomeration alone: clusters that someone else has opened settle, and close ones merge."""

    def __init__(self, penalty, most_clusters):
        self.penalty = penalty
        self.most_clusters = most_clusters
        self.capped = False
        self.exhausted = False  # nothing is tried

    def reach(self, c):
        """No row founds a cluster alone, so none needs to be watched."""
        return np.inf

    def open(self, samples, centers):
        """No cluster is opened."""
        return centers

    def rearrange(self, samples, centers, sizes, numbers, fresh, settled):
        """Close clusters become one, whether or not the rows have `settled`."""
        return agglomerate(centers, sizes, self.penalty, fresh)


class PaperMoves(Mergers):
    """Furthest-first opening and agglomeration, exactly as the paper has them."""

    def reach(self, c):
        """The squared distance past which rows found clusters."""
        return self.penalty.opening(c)

    def open(self, samples, centers):
        """The centers with those that rows founded."""
        centers, self.capped = open_clusters(samples, centers, self.penalty, self.most_clusters)
        return centers


def open_clusters(samples, centers, penalty, most_clusters):
    """Found clusters at the furthest points, furthest first (Algorithm 2).

    Returns the centers and whether `most_clusters` kept a point from founding one more.
    """
    points: list[np.ndarray] = []
    while True:
        c = len(centers) + len(points)
        candidate = samples.farthest()
        wants_to_open = candidate.sq_dist > penalty.opening(c)
        if not wants_to_open or c >= most_clusters:
            return np.vstack([centers, *points]), wants_to_open
        price = penalty.marginal(c)
        if pays_for_its_cluster(candidate, samples, price):
            samples.absorb(candidate.point)
            points.append(candidate.point)
        elif samples.cost() <= price:  # no cluster at all can save its price
            return np.vstack([centers, *points]), False
        else:
            samples.pass_over(candidate)


def pays_for_its_cluster(candidate, samples, price):
    """Whether opening at `candidate` lowers the objective: with a weight of 1 or more, always.

    There ``weight * sq_dist > opening(c) >= marginal(c)``; a lighter row needs its neighbours.
    """
    return candidate.weight >= 1 or samples.saved_by_opening(candidate.point) > price


def update_centers(samples, n_clusters):
    """The means of the clusters that have rows, their weights, and what each cluster became."""
    means, sizes = samples.means(n_clusters)
    occupied = sizes > 0
    became = np.maximum(np.cumsum(occupied, dtype=np.int32) - 1, 0)
    return means[occupied], sizes[occupied], became


def agglomerate(centers, sizes, penalty, fresh=None):
    """Merge pairs of clusters while that lowers the objective, the best pair first (Prop. 3).

    The paper's c is the count after the merger, so `c` clusters merge below ``marginal(c - 1)``.
    `fresh` marks the clusters that changed since no pair could be merged; by default all.
    """
    c = len(sizes)
    fresh = np.ones(c, dtype=bool) if fresh is None else fresh
    if c == 1 or not _kernels.any_merge_below(
        penalty.marginal(c - 1), centers, sizes, penalty.pull, fresh
    ):
        return Arrangement.of(centers, sizes, stable=True)
    return _merge_best_first(centers.copy(), sizes.copy(), penalty)


def _merge_best_first(centers, sizes, penalty):
    c = len(sizes)
    merged_into = np.arange(c)
    for cost, a, b in _mergers(centers, sizes, penalty.pull):
        if cost >= penalty.marginal(c - 1):
            break
        merged_into[merged_into == b] = a
        c -= 1
    alive = sizes > 0
    became = (np.cumsum(alive, dtype=np.int32) - 1)[merged_into]
    move = f"{len(sizes) - c} merge"
    return Arrangement(centers[alive], sizes[alive], became, False, move)


def merger_costs(centers, sizes, pull):
    """What each merger costs until one cluster is left, the cheapest pair of clusters first."""
    return [cost for cost, _, _ in _mergers(centers.copy(), sizes.copy(), pull)]


def _mergers(centers, sizes, pull):
    """The cheapest merger, of b into a; it is done, in place, when the next one is asked for."""
    heap = [_cheapest(a, centers, sizes, pull) for a in range(len(sizes))]
    heapify(heap)
    c = len(sizes)
    while c > 1:
        # Each cluster has one entry, its best pair when that was made. That of a merged cluster is
        # made anew and stands for all its pairs; other pairs stay what they were. So the lowest
        # entry is never too high, and stale ones can wait.
        cost, a, b, size_b = heappop(heap)
        if sizes[a] == 0:  # merged into another meanwhile
            continue
        if sizes[b] == size_b:
            yield cost, a, b
            total = sizes[a] + size_b
            centers[a] += size_b / total * (centers[b] - centers[a])
            sizes[a], sizes[b] = total, 0.0
            c -= 1
        heappush(heap, _cheapest(a, centers, sizes, pull))


def _cheapest(a, centers, sizes, pull):
    b, cost = _kernels.cheapest_merge(a, centers, sizes, pull)
    return cost, a, b, sizes[b]
