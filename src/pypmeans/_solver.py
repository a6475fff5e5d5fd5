"""The loop: assign, open, update, rearrange, until nothing changes."""

from typing import Any, NamedTuple

import numpy as np

from pypmeans._moves import update_centers
from pypmeans._search import rank_by_coordinates

ROUNDING = 1e-12  # as part of the objective; a rise above it means that centers lack digits


class Solution(NamedTuple):
    """What a run of the solver found. Clusters are numbered by decreasing weight."""

    centers: np.ndarray
    sizes: np.ndarray
    offsets: np.ndarray  # what joining each cluster costs a row beside its squared distance
    labels: np.ndarray
    inertia: float
    history: list[float]
    n_iter: int
    converged: bool
    capped: bool  # one cluster more than allowed would have lowered the objective
    exhausted: bool  # so many moves were tried in vain that others were not tried at all

    def in_order(self, order, inner):
        """The same with clusters in another order; `inner` squares are within micro-clusters."""
        return self._replace(
            centers=self.centers[order],
            sizes=self.sizes[order],
            offsets=self.offsets[order],
            inertia=self.inertia + inner,
            history=[objective + inner for objective in self.history],
        )


def solve(samples, centers, moves, *, sizes=None, max_iter, tol=0.0, report=None):
    """Run the loop from `centers` until nothing changes; `sizes` as they are, if known.

    With the moves of the paper this is pyp-means (Algorithm 1). The objective is recorded once per
    pass, after the openings. Where rows moving lowered it by `tol` times itself or less, they count
    as settled. `report` is called with the number of the pass, the objective, the
    number of clusters, and what was done after the pass before.

    Every step lowers the objective, but where rows differ in their last digits only, the centers
    are rounded by more than that. Then the objective would rise, and the pass before is the answer.
    """
    penalty = moves.penalty
    history: list[float] = []
    became = None
    offsets = np.zeros(len(centers)) if sizes is None else penalty.offsets(sizes)
    sizes = None  # what is known of these clusters now
    former: Any = None  # centers and offsets of the pass before
    stable, converged, rounded, move = False, False, False, ""
    while len(history) < max_iter and not converged:
        offsets = offsets if sizes is None else penalty.offsets(sizes)
        reach = moves.reach(len(centers))
        moved = samples.assign(centers, became, offsets=offsets, reach=reach)
        opened = moves.open(samples, centers)
        _, all_sizes = samples.means(len(opened))
        history.append(samples.cost() + penalty.charge(all_sizes))
        if len(history) > 1 and history[-1] - history[-2] > ROUNDING * abs(history[-2]):
            rounded = True
            break
        former = opened, np.append(offsets, np.zeros(len(opened) - len(centers)))
        if tol and len(history) > 1:
            moved &= history[-2] - history[-1] > tol * abs(history[-1])
        if report is not None:
            report(len(history), history[-1], len(opened), move)
        converged = stable and not moved and len(opened) == len(centers)
        if not converged:
            means, new_sizes, kept = update_centers(samples, len(opened))
            fresh = changed_since(centers, sizes, means, new_sizes, len(opened))
            numbers = np.flatnonzero(all_sizes)
            arranged = moves.rearrange(samples, means, new_sizes, numbers, fresh, not moved)
            centers, sizes, merged, stable, move = arranged
            became = merged[kept]
            stable &= len(means) == len(opened)
    n_iter = len(history)
    if rounded:
        centers, offsets = former
        samples.assign(centers, offsets=offsets)
        del history[-2:]
    elif converged:
        history.pop()
    else:
        offsets = penalty.offsets(sizes)
        samples.assign(centers, became, offsets=offsets)
    samples.measure()
    _, sizes = samples.means(len(centers))
    history.append(samples.cost() + penalty.charge(sizes[sizes > 0]))
    return number_by_size(
        samples, centers, sizes, offsets, history=history, n_iter=n_iter,
        converged=converged or rounded, capped=moves.capped, exhausted=moves.exhausted,
    )  # fmt: skip


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


def number_by_size(samples, centers, sizes, offsets, **facts):
    """The solution with clusters numbered by decreasing weight, ties by coordinates.

    Clusters that lost their last row after the last update are left out.
    """
    order = np.lexsort((rank_by_coordinates(centers), -sizes))[: np.count_nonzero(sizes)]
    number = np.zeros(len(sizes), dtype=np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    return Solution(
        centers=centers[order],
        sizes=sizes[order],
        offsets=offsets[order],
        labels=samples.labels_as(number),
        inertia=float(samples.cost()),
        **facts,
    )
