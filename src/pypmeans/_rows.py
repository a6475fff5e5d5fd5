"""Rows of a table, dense or sparse: what the rest of the package asks of either kind.

Dense rows are a numpy array, sparse ones a :class:`SparseRows`. Compiled code takes both; how it
gets at the numbers of a row is said in ``_kernels.py``.
"""

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import (
    NativeValue,
    make_attribute_wrapper,
    models,
    register_model,
    typeof_impl,
    unbox,
)
from numba.np.numpy_support import from_dtype
from scipy.sparse import csr_array

# Up to so many features a sparse row is added up feature by feature like a dense one, so that even
# rows that are equally near to two centers get the same labels. Beyond, only what is not zero is
# looked at where that makes no difference but in the last digits.
WALKED_FEATURES = 256
MOST_DENSE = 2**22  # numbers of sparse rows that may be dense for a moment
MIDDLE_ROWS = 1000  # about so many show where the middle is


class SparseRows(csr_array):
    """Sparse rows for compiled code: sorted columns, none twice, in contiguous arrays."""

    @classmethod
    def of(cls, X):
        """The rows of a CSR matrix, which stays as it is; without a copy if it is in order."""
        if isinstance(X, cls):
            return X
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        parts = (np.ascontiguousarray(part) for part in (X.data, X.indices, X.indptr))
        rows = cls(tuple(parts), shape=X.shape, copy=False)
        rows.has_canonical_format = True
        return rows


class SparseRowsType(types.Type):
    """What :class:`SparseRows` are to numba."""

    def __init__(self, dtype, index_dtype):
        self.data = types.Array(dtype, 1, "C")
        self.indices = self.indptr = types.Array(index_dtype, 1, "C")
        self.shape = types.UniTuple(types.int64, 2)
        super().__init__(f"SparseRows({dtype}, {index_dtype})")


FIELDS = "data", "indices", "indptr", "shape"
for _field in FIELDS:
    make_attribute_wrapper(SparseRowsType, _field, _field)


@typeof_impl.register(SparseRows)
def _typeof_rows(rows, context):
    return SparseRowsType(from_dtype(rows.dtype), from_dtype(rows.indices.dtype))


@register_model(SparseRowsType)
class _SparseRowsModel(models.StructModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, [(field, getattr(kind, field)) for field in FIELDS])


@unbox(SparseRowsType)
def _unbox_rows(kind, rows, c):
    native = cgutils.create_struct_proxy(kind)(c.context, c.builder)
    for field in FIELDS:
        value = c.pyapi.object_getattr_string(rows, field)
        setattr(native, field, c.unbox(getattr(kind, field), value).value)
        c.pyapi.decref(value)
    failed = cgutils.is_not_null(c.builder, c.pyapi.err_occurred())
    return NativeValue(native._getvalue(), is_error=failed)


def is_sparse(X):
    """Whether the rows of `X` are sparse."""
    return isinstance(X, SparseRows)


def dense_rows(X, rows):
    """Some rows, listed or a slice, as a dense array of float64."""
    if is_sparse(X):
        return X[rows].toarray().astype(np.float64, copy=False)
    return X[rows].astype(np.float64)


def most_terms(X):
    """The most numbers of a row that are not zero, as far as the kind of rows tells."""
    return int(np.diff(X.indptr).max(initial=1)) if is_sparse(X) else X.shape[1]


def extremes(X):
    """The least and the largest value of each column, in float64."""
    if not is_sparse(X):
        return np.stack([X.min(axis=0), X.max(axis=0)]).astype(np.float64)
    full = np.bincount(X.indices, minlength=X.shape[1]) == X.shape[0]
    low, high = np.where(full, np.inf, 0.0), np.where(full, -np.inf, 0.0)
    np.minimum.at(low, X.indices, X.data)
    np.maximum.at(high, X.indices, X.data)
    return np.stack([low, high])


def middle_of(X):
    """A point amid the rows, whatever a few of them are like.

    Sums and products are taken from there: far from it they would lose digits. Zero, where most
    values of sparse rows are.
    """
    if is_sparse(X) and X.shape[1] > WALKED_FEATURES:
        return np.zeros(X.shape[1])
    return np.median(dense_rows(X, slice(None, None, max(1, X.shape[0] // MIDDLE_ROWS))), axis=0)


def column_variances(X):
    """The variance of each column, in units of the largest number."""
    unit = float(abs(X).max()) or 1.0
    if not is_sparse(X):
        return np.var(X.astype(np.float64) / unit, axis=0)
    values = X.data.astype(np.float64) / unit
    mean, mean_square = (
        np.bincount(X.indices, weights=values**power, minlength=X.shape[1]) / X.shape[0]
        for power in (1, 2)
    )
    return np.maximum(mean_square - mean**2, 0.0)


def fits_dense(X):
    """Whether the rows are dense, or so few that they may be."""
    return not is_sparse(X) or X.shape[0] * X.shape[1] <= MOST_DENSE


class Centered:
    """Rows seen from a `center`, for products with vectors; many sparse rows stay sparse.

    Everything is divided by `unit`, about the largest number, so that squares are sure to be
    numbers; it is 0 if all are.
    """

    def __init__(self, X, center):
        self._dense = None
        if fits_dense(X):
            about = (X.toarray() if is_sparse(X) else X) - center
            self.unit = np.abs(about).max()
            self._dense = about / (self.unit or 1.0)
        else:
            self.unit = np.abs(X.data).max(initial=0.0) + np.abs(center).max()
            self._rows, self._center = X / (self.unit or 1.0), center / (self.unit or 1.0)

    def times(self, direction):
        """The product of each row with `direction`."""
        if self._dense is None:
            return self._rows @ direction - self._center @ direction
        # einsum, not a matrix product: the same bits whatever threads there are
        return np.einsum("ij,j->i", self._dense, direction)

    def added_up(self, factors):
        """The sum of the rows, each times its factor."""
        if self._dense is None:
            return self._rows.T @ factors - factors.sum() * self._center
        return np.einsum("i,ij->j", factors, self._dense)
