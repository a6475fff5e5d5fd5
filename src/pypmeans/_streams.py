"""Streams: a bounded summary of all rows so far, solved anew when rows arrive."""

from typing import Any, NamedTuple

import numpy as np
from scipy.spatial import KDTree

from pypmeans import _kernels
from pypmeans._samples import ArraySamples, labels_by
from pypmeans._solver import Solution
from pypmeans._summary import Summary

# The scale of the first batch does not fit any more when clusters are as many times wider or
# narrower, or closer together for their width; far apart is as good as this many deviations.
OUTGROWN = 2.0
FAR_APART = 8.0
ENOUGH = 100  # rows, that show a scale; with fewer it is looked for again with the next batch
LEAST_WEIGHT = 1e-12  # as part of all: what is lighter is forgotten altogether


class Stream(NamedTuple):
    """What is kept between batches."""

    summary: Summary
    next_id: int  # for the next new cluster
    shape: "Shape"  # of the clusters when the scale was found
    n_shown: float  # rows that showed it

    @classmethod
    def after_fit(cls, model):
        """Go on from a fitted model: each of its clusters is one micro-cluster."""
        weight, p = model.cluster_sizes_, model.n_features_in_
        per_weight = np.full((len(weight), p), model.inertia_ / p / weight.sum())
        inner = per_weight * weight[:, None]
        summary = Summary(model.cluster_centers_.copy(), weight.copy(), inner, 0.0)
        shape = Shape.of(summary, 0.0, summary.centers, weight)
        return cls(summary, len(weight), shape, n_shown=weight.sum())

    def with_batch(self, batch, forget, n_threads):
        """The summary of all rows, `forget` being the part of old weights that is lost."""
        old = self.summary.fading(1.0 - forget) if forget else self.summary
        summary = old.with_others(batch, n_threads)
        return summary.some(summary.weight >= LEAST_WEIGHT * summary.weight.sum())


class Shape(NamedTuple):
    """How wide clusters are, and how far from each other."""

    deviation: float  # within clusters, per feature
    gap: float  # to the nearest other cluster, in deviations; that of half the weight is larger

    @classmethod
    def of(cls, summary, inertia, centers, sizes):
        """Of clusters of micro-clusters, with this sum of squares between them."""
        deviation = summary.deviation(inertia)
        if len(centers) == 1 or deviation == 0:
            return cls(deviation, np.inf)
        gaps = KDTree(centers).query(centers, k=2)[0][:, 1]
        order = np.argsort(gaps)
        half = np.searchsorted(np.cumsum(sizes[order]), sizes.sum() / 2)
        return cls(deviation, float(gaps[order[half]] / deviation))

    def outgrown_by(self, other):
        """Whether clusters of the `other` shape should be looked for at another scale."""
        narrow, wide = sorted([self.deviation, other.deviation])
        close = OUTGROWN * other.gap < min(self.gap, FAR_APART)
        return wide > OUTGROWN * narrow or close


class Step(NamedTuple):
    """What a batch leads to; clusters are in the order of their ids."""

    solution: Solution
    penalty: Any
    ids: np.ndarray
    merged_into: dict  # where the ids went that ended
    stream: Stream
    outgrown: bool  # whether the scale of the first batch does not fit any more


def take_in(model, X, weight, forget):
    """Let a batch of rows change a model, which may be new; ids of clusters stay what they are."""
    stream: Any = None
    summary, shown = Summary.of(X, weight), (X, weight)
    if hasattr(model, "cluster_centers_"):
        stream = model._stream or Stream.after_fit(model)
        summary = stream.with_batch(summary, forget, model.n_threads)
        if not summary.inner.any():  # all rows so far
            shown = summary.centers, summary.weight
    else:
        summary = summary.covered(model.n_threads)
    anew = stream is None or _is_unsure(model, stream)
    solution, penalty = (
        _solve_first(model, *shown, summary) if anew else _solve_again(model, summary)
    )
    ids, merged_into = np.arange(len(solution.sizes)), {}
    if stream is not None:
        former = model.cluster_ids_, model.cluster_sizes_, model.cluster_centers_
        ids, merged_into = identities(solution, penalty, *former, stream.next_id)
    shape = Shape.of(summary, solution.inertia, solution.centers, solution.sizes)
    first, n_shown = (shape, shown[0].shape[0]) if anew else (stream.shape, stream.n_shown)
    next_id = max(int(ids.max()) + 1, 0 if stream is None else stream.next_id)
    order = np.argsort(ids)
    return Step(
        solution.in_order(order, summary.inner.sum()), penalty, ids[order], merged_into,
        Stream(summary, next_id, first, n_shown), first.outgrown_by(shape),
    )  # fmt: skip


def _is_unsure(model, stream):
    """Whether "auto" has to look for the scale again: too few rows, or none, showed it."""
    if model.lam != "auto":
        return False
    found = model._found if model._found_by == model.algorithm else None
    return not found or stream.n_shown < ENOUGH


def _solve_first(model, X, weight, summary):
    """The solution of the first batch and its penalty."""
    with ArraySamples(summary.centers, summary.weight, model.n_threads) as samples:
        penalty, centers = model._start(samples, X, weight)
        return model._solve(samples, centers, penalty, None), penalty


def _solve_again(model, summary):
    """The solution that the present clusters lead to, and its penalty."""
    with ArraySamples(summary.centers, summary.weight, model.n_threads) as samples:
        penalty = model._penalty_for(samples)
        # Clusters whose rows were forgotten weigh next to nothing, but something.
        sizes = np.maximum(model.cluster_sizes_, np.finfo(float).tiny)
        return model._solve(samples, model.cluster_centers_, penalty, None, sizes=sizes), penalty


def identities(solution, penalty, ids, sizes, centers, next_id):
    """Ids for the clusters of a solution that follows on clusters with these ids; who merged.

    A cluster goes on as the one that its center belongs to now. Where that is the same for several,
    they were merged, and the heaviest gives its id. One whose center would rather found a cluster
    than belong to any was forgotten: it ends, as merged into -1.
    """
    heirs = labels_by(solution.centers, solution.offsets, centers)[0]
    costs = np.empty(len(centers))
    _kernels.cheapest_join(centers, solution.centers, solution.sizes, penalty.pull, costs)
    ended = costs > penalty.marginal(len(solution.sizes))
    new_ids = np.full(len(solution.sizes), -1, dtype=np.int64)
    for k in np.lexsort((ids, -sizes)):
        if new_ids[heirs[k]] < 0 and not ended[k]:
            new_ids[heirs[k]] = ids[k]
    fresh = np.flatnonzero(new_ids < 0)
    new_ids[fresh] = next_id + np.arange(len(fresh))
    gone = (new_ids[heirs] != ids) | ended
    into = np.where(ended, -1, new_ids[heirs])
    merged_into = dict(zip(ids[gone].tolist(), into[gone].tolist()))
    return new_ids, merged_into
