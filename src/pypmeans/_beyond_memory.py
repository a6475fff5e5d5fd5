"""Fits of data in blocks: a summary is searched, then passes over all rows make it exact."""

from functools import partial
from numbers import Real

import numpy as np

from pypmeans._blocks import BlockSamples, Overview, counted
from pypmeans._samples import ArraySamples
from pypmeans._validation import check_heaviest, check_range, check_weight_values

GATHERED = 2**22  # numbers, 32 MiB: data of no more are brought together and solved in one place


def in_blocks(X):
    """Whether `X` is a table that gives its rows block by block, as `pypmeans.files` has them."""
    return callable(getattr(X, "blocks", None))


class TableBlocks:
    """The blocks of a table in files, one after the other, each on all threads."""

    def __init__(self, table, sample_weight, n_threads):
        self._table = table
        self._each = sample_weight if isinstance(sample_weight, Real) else 1.0
        given = sample_weight is not None and not isinstance(sample_weight, Real)
        self._weight = check_weight_values(sample_weight) if given else None
        self._n_threads = n_threads
        self.n_features = table.n_features

    def fold(self, function, combine):
        """What `combine` makes of the answers of all blocks, in order."""
        total, start = None, 0
        for number, block in enumerate(self._table.blocks()):
            stop = start + len(block.rows)
            if self._weight is not None and len(self._weight) < stop:
                break
            weight = self._weight_of(start, stop)
            answer = function(block.rows, weight, number, n_threads=self._n_threads)
            total = answer if total is None else combine([total, answer])
            start = stop
        if self._weight is not None and len(self._weight) != stop:
            more = "more than " if len(self._weight) < stop else ""
            raise ValueError(
                f"sample_weight has {len(self._weight)} values, but there are {more}{start} rows."
            )
        return total

    def _weight_of(self, start, stop):
        if self._weight is None:
            return np.broadcast_to(float(self._each), stop - start)
        return self._weight[start:stop]


def fit_blocks(estimator, blocks, progress):
    """The solution for the rows of `blocks`, its penalty and an overview of the rows.

    A summary of all rows is searched as if it were the data; from there, passes over the blocks go
    on with exact sums until no label changes. The algorithm of the paper needs no summary: all it
    does is exact passes.
    """
    n_threads = estimator.n_threads
    overview = blocks.fold(Overview.of_block, partial(Overview.of_all, n_threads=n_threads))
    if not len(overview.summary.weight):
        raise ValueError(f"{overview.n_rows} rows were given, none with a positive weight.")
    check_range(overview.extremes)
    check_heaviest(overview.summary.weight, *overview.extremes)
    shown = overview.sample, overview.sample_weight
    known = overview.summary.centers, overview.summary.weight
    if overview.n_rows * overview.extremes.shape[1] <= GATHERED:
        shown = known = blocks.fold(_counted_rows, _put_together)
    X, weight = known
    with ArraySamples(X, weight, n_threads) as samples:
        penalty, centers = estimator._start(samples, *shown)
        searched = None
        if estimator.algorithm == "search":
            searched = estimator._solve(samples, centers, penalty, progress)
    samples = BlockSamples(blocks, overview)
    if searched is None:
        return estimator._solve(samples, centers, penalty, progress), penalty, overview
    solution = estimator._solve(
        samples, searched.centers, penalty, progress, sizes=searched.sizes, settling=True
    )
    doubts = {
        "capped": searched.capped,
        "exhausted": searched.exhausted,
        "converged": searched.converged and solution.converged,
    }
    return solution._replace(**doubts), penalty, overview


def _counted_rows(rows, weight, number, n_threads=None):
    return counted(rows, weight)


def _put_together(parts):
    return tuple(np.concatenate(kind) for kind in zip(*parts))
