"""What comes in: rows, weights and parameters against the data, and optional packages."""

from importlib import import_module
from numbers import Real

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_consistent_length, validate_data

from pypmeans._rows import SparseRows, dense_rows, extremes

SURE_TO_HAVE_SQUARES = 1e140  # of any number of such values the sum of squares is finite
ROWS = {"dtype": [np.float64, np.float32], "order": "C", "accept_sparse": "csr"}


def check_rows(estimator, X, *, reset):
    """`X` as C-ordered or sparse rows of float32 or float64 whose squared distances are finite.

    Unless `reset`, distances are those to the centers of the fitted estimator.
    """
    if reset or not _is_plain(X, estimator):
        X = _in_order(validate_data(estimator, X, reset=reset, **ROWS))
    if reset:
        check_range(X)
    elif max(_largest(X), _largest(estimator.cluster_centers_)) > SURE_TO_HAVE_SQUARES:
        check_range(np.vstack([estimator.cluster_centers_, extremes(X)]))
    return X


def check_columns(estimator, table):
    """Refuse a table whose columns are not those of the fit."""
    names, columns = getattr(estimator, "feature_names_in_", None), getattr(table, "columns", None)
    if names is not None and columns is not None and list(names) != list(columns):
        raise ValueError(
            f"The model was fitted to the columns {', '.join(map(str, names))}; this table has "
            f"{', '.join(map(str, columns))}. Give it the same columns in the same order."
        )
    width = table.n_features if hasattr(table, "n_features") else table.shape[1]
    if width != estimator.n_features_in_:
        raise ValueError(
            f"X has {width} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input."
        )


def check_block(rows, weight, place, n_features):
    """A block of rows as an array of finite numbers, and its weights; errors name its `place`."""
    try:
        rows = check_array(
            rows, dtype=[np.float64, np.float32], order="C", ensure_min_samples=0, input_name="X"
        )
        if rows.shape[1] != n_features:
            raise ValueError(f"It has {rows.shape[1]} columns instead of {n_features}.")
        if weight is None:
            return rows, np.broadcast_to(1.0, len(rows))
        weight = check_weight_values(weight, may_be_zero=True)
        check_consistent_length(weight, rows)
    except (ValueError, TypeError) as error:
        raise ValueError(f"X cannot be used, {place}: {error}") from error
    return rows, weight


def _is_plain(X, estimator):
    """Whether scikit-learn would find nothing to convert or to object to in `X`.

    Its check takes most of the time when rows come one by one.
    """
    return (
        type(X) is np.ndarray
        and X.dtype in (np.float64, np.float32)
        and X.ndim == 2
        and X.shape[1] == estimator.n_features_in_
        and len(X) > 0
        and X.flags.c_contiguous
        and not hasattr(estimator, "feature_names_in_")
        and bool(np.isfinite(X).all())
    )


def _largest(X):
    return max(float(X.max()), -float(X.min()))


def _in_order(X):
    return SparseRows.of(X) if issparse(X) else X


def check_range(X, name="X"):
    """Refuse values so far apart, or so close, that their squared distances are lost."""
    low, high = extremes(X)
    with np.errstate(over="ignore", under="ignore"):
        span = high - low
        sq_diameter = np.sum(span**2)
        lost = not np.isfinite(sq_diameter * X.shape[0]) or (sq_diameter == 0 and span.any())
    if lost:
        raise ValueError(
            f"{name} spans {span.max():.3g} in column {span.argmax()}: squared distances "
            f"{'vanish' if span.max() < 1 else 'overflow'}. Scale the features, for instance with "
            "sklearn.preprocessing.MinMaxScaler."
        )


def check_positive_rows(X, sample_weight):
    """The rows with a positive weight, and the weights, for functions that take plain arrays."""
    X = _in_order(check_array(X, input_name="X", **ROWS))
    check_range(X)
    weight = check_weights(sample_weight, X)
    return (X, weight) if weight.all() else (X[weight > 0], weight[weight > 0])


def check_weights(sample_weight, X):
    """One non-negative float64 weight per row of `X`, not all zero; `None` means 1 each."""
    if sample_weight is None:
        return np.broadcast_to(1.0, X.shape[0])  # looks like an array, takes no memory
    if isinstance(sample_weight, Real):
        sample_weight = np.full(X.shape[0], sample_weight)
    weight = check_weight_values(sample_weight)
    check_consistent_length(weight, X)
    low, high = extremes(X)
    check_heaviest(weight, low, high)
    return weight


def check_heaviest(weight, low, high):
    """Refuse weights with which squared distances between `low` and `high` overflow."""
    with np.errstate(over="ignore"):
        largest = weight.sum() * max(1.0, np.sum((high - low) ** 2))
    if not np.isfinite(largest):
        raise ValueError(
            f"sample_weight is too large, up to {weight.max():.3g}: weighted squared distances "
            "overflow. Divide all weights, and lam and theta, by one number."
        )


def check_weight_values(sample_weight, *, may_be_zero=False):
    """Float64 weights, none negative, not all zero unless they `may_be_zero`."""
    weight = check_array(
        sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight",
        ensure_min_samples=0 if may_be_zero else 1,
    )  # fmt: skip
    if weight.ndim != 1:
        raise ValueError(f"sample_weight must be 1-dimensional; got shape {weight.shape}.")
    if weight.min(initial=0) < 0:
        row = int(weight.argmin())
        raise ValueError(
            f"sample_weight must not be negative; got {weight[row]} for row {row}. "
            "Give rows that should not count the weight 0."
        )
    if not may_be_zero and weight.max() == 0:
        raise ValueError(
            f"sample_weight is zero for all {len(weight)} rows; at least one must be positive."
        )
    return weight


def check_init(init, samples, random_state, most_clusters):
    """The centers to start from, an array of shape (n_centers, n_features)."""
    if isinstance(init, str) and init == "mean":
        return samples.mean()[None, :]
    if isinstance(init, str) and init == "random":
        chance = samples.weight / samples.weight.sum()
        row = check_random_state(random_state).choice(len(chance), p=chance)
        return dense_rows(samples.X, slice(row, row + 1))
    centers = check_array(init, dtype=np.float64, order="C", copy=True, input_name="init")
    n_features = samples.X.shape[1]
    if centers.shape[1] != n_features:
        raise ValueError(f"init has {centers.shape[1]} columns, but X has {n_features} features.")
    check_range(np.vstack([centers, extremes(samples.X)]), name="init, together with X,")
    if len(centers) > most_clusters:
        raise ValueError(
            f"init has {len(centers)} centers, but no more than {most_clusters} clusters are "
            "possible. Give fewer, raise max_clusters, raise lam or lower theta."
        )
    return centers


def require(module, *, extra, caller):
    """Import an optional package, or say how to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ImportError(
            f'{caller} requires {package}: pip install "pypmeans[{extra}]".'
        ) from error
