"""The estimators on Dask arrays and dataframes. Needs ``pip install "pypmeans[dask]"``.

Rows stay where they are: each pass sends the centers to the blocks and gets back sums, combined in
the order of the blocks. So the result does not depend on the scheduler, on the number of workers,
or on who worked on a block, and a block that was lost with its worker is simply worked on again.

Examples
--------
>>> import dask.array as da
>>> from pypmeans.dask import PYPMeans
>>> from pypmeans.datasets import make_power_law_blobs
>>> X, y = make_power_law_blobs(3000, n_clusters=5, separation=9, random_state=0)
>>> model = PYPMeans(theta=2.0).fit(da.from_array(X, chunks=(1000, 2)))
>>> model.n_clusters_
5
>>> model.labels_
dask.array<_work_on_block, shape=(3000,), dtype=int32, chunksize=(1000,), chunktype=numpy.ndarray>
"""

from copy import copy
from functools import partial
from numbers import Real

import dask
import dask.array as da
import numpy as np
from sklearn.utils.validation import check_is_fitted

from pypmeans import _estimators
from pypmeans._validation import check_block, check_columns

__all__ = ["DPMeans", "PYPMeans"]

TOGETHER = 8  # answers combined in one go: what reaches the caller does not grow with the blocks


class DaskBlocks:
    """The blocks of rows of a Dask array, each on one thread, and their weights."""

    def __init__(self, X, sample_weight=None):
        self.n_features = X.shape[1]
        self._rows = list(X.to_delayed().ravel())
        self._weight = [None] * len(self._rows)
        if sample_weight is not None:
            if isinstance(sample_weight, Real):
                sample_weight = da.full_like(X[:, 0], sample_weight, dtype=np.float64)
            weight = da.asarray(sample_weight)
            known = not np.isnan(X.chunks[0]).any()
            self._weight = list((weight.rechunk((X.chunks[0],)) if known else weight).to_delayed())
        if len(self._weight) != len(self._rows):
            raise ValueError(
                f"sample_weight has {len(self._weight)} blocks, but X has {len(self._rows)}. Cut "
                "both in the same way, or let X know its lengths (compute_chunk_sizes)."
            )
        self._starts = np.concatenate([[0], np.cumsum(X.chunks[0])])  # nan where nobody knows

    def fold(self, function, combine):
        """What `combine` makes of the answers of all blocks, in order."""
        # As data, not as a function: it holds the centers, and each worker gets it once.
        function, combine = dask.delayed(function), dask.delayed(combine)
        parts = [
            _answer(function, rows, weight, number, self._place(number), self.n_features)
            for number, (rows, weight) in enumerate(zip(self._rows, self._weight))
        ]
        while len(parts) > 1:
            groups = [parts[at : at + TOGETHER] for at in range(0, len(parts), TOGETHER)]
            parts = [_combined(combine, group) for group in groups]
        return parts[0].compute()

    def _place(self, number):
        """How a block is called in messages."""
        start, stop = self._starts[number : number + 2]
        return f"block {number}" + ("" if np.isnan(stop) else f" (rows {start} to {stop - 1})")


@dask.delayed
def _answer(function, rows, weight, number, place, n_features):
    rows, weight = check_block(rows, weight, place, n_features)
    return function(rows, weight, number, n_threads=1)


@dask.delayed
def _combined(combine, parts):
    return combine(parts)


class _OnDask(_estimators._PenalizedMeans):
    """Everything the estimators here share: Dask collections come in, lazy arrays go out."""

    def predict(self, X):
        """The nearest cluster of each row, as a lazy array for a Dask collection."""
        if not dask.is_dask_collection(X):
            return super().predict(X)
        return self._lazily("predict", X, drop_axis=1, meta=np.empty(0, dtype=np.int32))

    def transform(self, X):
        """Euclidean distances of the rows to all cluster centers; lazy for a Dask collection."""
        if not dask.is_dask_collection(X):
            return super().transform(X)
        check_is_fitted(self)
        chunks = as_rows(X).chunks[0], (self.n_clusters_,)
        return self._lazily(
            "transform", X, chunks=chunks, meta=np.empty((0, 0), dtype=_float_of(as_rows(X).dtype))
        )

    def is_novel(self, X):
        """Where founding a new cluster would cost less than joining one; lazy as well."""
        if not dask.is_dask_collection(X):
            return super().is_novel(X)
        return self._lazily("is_novel", X, drop_axis=1, meta=np.empty(0, dtype=bool))

    def _blocks_of(self, X, sample_weight):
        if not dask.is_dask_collection(X):
            return super()._blocks_of(X, sample_weight)
        return DaskBlocks(as_rows(X), sample_weight)

    def _lazily(self, method, X, *, meta, **shape):
        check_is_fitted(self)
        check_columns(self, X)
        work = partial(_work_on_block, self._light(), method, empty=meta)
        return as_rows(X).map_blocks(work, dtype=meta.dtype, meta=meta, name=None, **shape)

    def _light(self):
        """What blocks need to know of the fitted model."""
        light = copy(self)
        for name in ("labels_", "path_", "feature_names_in_"):
            light.__dict__.pop(name, None)
        light.n_threads = 1
        light._stream = None
        return light


class PYPMeans(_OnDask, _estimators.PYPMeans):
    """:class:`pypmeans.PYPMeans` on Dask arrays and dataframes; `labels_` is a lazy array.

    Parameters
    ----------
    lam, theta, algorithm, init, max_iter, tol, max_clusters, n_threads, random_state, verbose
        As for :class:`pypmeans.PYPMeans`.

    Attributes
    ----------
    labels_ : dask.array.Array of shape (n_samples,), dtype int32
        The cluster of each row, computed when asked for. All others as in memory.

    See Also
    --------
    pypmeans.PYPMeans : The same in memory.

    Notes
    -----
    With ``algorithm="paper"`` every pass does what it does in memory. With ``"search"``, data of no
    more than four million numbers are brought together; of others the search sees a summary, and
    exact passes follow. Where groups touch, ``tol=1e-4`` saves most of these.
    """


class DPMeans(_OnDask, _estimators.DPMeans):
    """:class:`pypmeans.DPMeans` on Dask arrays and dataframes; `labels_` is a lazy array.

    Parameters
    ----------
    lam, algorithm, init, max_iter, tol, max_clusters, n_threads, random_state, verbose
        As for :class:`pypmeans.DPMeans`.
    """


def as_rows(X):
    """A Dask collection as an array of two dimensions whose rows are not cut."""
    X = X.to_dask_array() if hasattr(X, "to_dask_array") else da.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions. Got {X.ndim}: reshape it.")
    return X if X.numblocks[1] == 1 else X.rechunk({1: -1})


def _float_of(dtype):
    """The precision in which rows of this type are worked on."""
    return np.float32 if dtype == np.float32 else np.float64


def _work_on_block(model, method, rows, empty, block_id=None):
    if not len(rows):
        return np.empty((0, *([model.n_clusters_] * (empty.ndim - 1))), dtype=empty.dtype)
    place = "a block" if block_id is None else f"block {block_id[0]}"
    rows, _ = check_block(rows, None, place, model.n_features_in_)
    return getattr(model, method)(rows)
