"""Streams: a bounded summary of all rows so far, solved anew when rows arrive."""

from typing import NamedTuple

import numpy as np

from pypmeans._samples import ArraySamples, labels_by
from pypmeans._summary import Summary

OUTGROWN = 2.0  # times as wide, or as narrow, as at first: the scale of then does not fit any more
LEAST_WEIGHT = 1e-12  # as part of all: what is lighter is forgotten altogether


class Stream(NamedTuple):
    """What is kept between batches."""

    summary: Summary
    next_id: int  # for the next new cluster
    deviation: float  # within clusters, per feature, after the first batch

    @classmethod
    def after_fit(cls, model):
        """Go on from a fitted model: each of its clusters is one micro-cluster."""
        weight, p = model.cluster_sizes_, model.n_features_in_
        per_weight = np.full((len(weight), p), model.inertia_ / p / weight.sum())
        inner = per_weight * weight[:, None]
        summary = Summary(model.cluster_centers_.copy(), weight.copy(), inner, 0.0)
        return cls(summary, len(weight), summary.deviation(0.0))

    @classmethod
    def from_batch(cls, summary, inertia):
        """The first batch, whose clusters have this sum of squares between micro-clusters."""
        return cls(summary, 0, summary.deviation(inertia))

    def with_batch(self, batch, forget, n_threads):
        """The summary of all rows, `forget` being the part of old weights that is lost."""
        old = self.summary.fading(1.0 - forget) if forget else self.summary
        summary = old.with_others(batch, n_threads)
        return summary.some(summary.weight >= LEAST_WEIGHT * summary.weight.sum())

    def outgrown(self, deviation):
        """Whether clusters have become so wide or narrow that the scale should be found anew."""
        wide, narrow = sorted([deviation, self.deviation], reverse=True)
        return self.deviation > 0 and wide > OUTGROWN * narrow


class Identities(NamedTuple):
    """Which ids clusters have, and which were merged."""

    ids: np.ndarray
    merged_into: dict
    next_id: int


def solve_first(model, X, weight, batch):
    """The solution of the first batch and its penalty."""
    with ArraySamples(batch.centers, batch.weight, model.n_threads) as samples:
        penalty, centers = model._start(samples, X, weight)
        return model._solve(samples, centers, penalty, None), penalty


def solve_again(model, summary):
    """The solution that the present clusters lead to, and its penalty."""
    with ArraySamples(summary.centers, summary.weight, model.n_threads) as samples:
        penalty = model._penalty_for(samples)
        # Clusters whose rows were forgotten weigh next to nothing, but something.
        sizes = np.maximum(model.cluster_sizes_, np.finfo(float).tiny)
        return model._solve(samples, model.cluster_centers_, penalty, None, sizes=sizes), penalty


def identities(solution, ids, sizes, centers, next_id):
    """Ids for the clusters of a solution that started from `centers` with these ids and sizes.

    A cluster keeps its id. Where several became one, the heaviest gives its id, and where one lost
    all its rows it counts as merged into the cluster that its center belongs to now.
    """
    new_ids = np.full(len(solution.sizes), -1, dtype=np.int64)
    heir = solution.lineage.copy()
    lost = heir < 0
    if lost.any():
        heir[lost] = labels_by(solution.centers, solution.offsets, centers[lost])[0]
    merged_into = {}
    for k in np.lexsort((ids, -sizes, lost)):
        if new_ids[heir[k]] < 0 and not lost[k]:
            new_ids[heir[k]] = ids[k]
    fresh = np.flatnonzero(new_ids < 0)
    new_ids[fresh] = next_id + np.arange(len(fresh))
    for k in range(len(ids)):
        if new_ids[heir[k]] != ids[k]:
            merged_into[int(ids[k])] = int(new_ids[heir[k]])
    return Identities(new_ids, merged_into, next_id + len(fresh))
