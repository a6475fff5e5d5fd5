"""What the clusters are like: sizes, what distinguishes them, typical and remote rows.

The command line and the report show these numbers; nothing is computed there.
"""

from dataclasses import asdict, dataclass, field

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from pypmeans.metrics import power_law_alpha

MOST_FEATURES = 5  # named for each cluster
FEWEST_FOR_TAIL = 5  # clusters, below which an exponent says nothing


@dataclass(frozen=True)
class Contrast:
    """A feature in which a cluster differs from all rows.

    `z` is how far the mean of the cluster, `value`, is from the overall mean, in standard
    deviations of all rows.
    """

    feature: str
    z: float
    value: float


@dataclass(frozen=True)
class RowPlace:
    """A row, its id (its number where there are none) and its distance from its center."""

    row: int
    id: object
    distance: float


@dataclass(frozen=True)
class SizeTail:
    """How uneven the sizes are.

    `alpha` is the paper's exponent of the sizes, see :func:`pypmeans.metrics.power_law_alpha`; None
    for fewer than five clusters or equal sizes, where it says nothing. `half` is how many of the
    largest clusters hold half of the rows, `single` how many clusters are one row.
    """

    largest: int
    smallest: int
    half: int
    single: int
    alpha: float | None


@dataclass(frozen=True)
class Description:
    """Numbers about a clustering of `n_rows` rows. Clusters are in the order of the model's.

    Attributes
    ----------
    n_rows, n_clusters : int
        Clusters are those of the model; some may be empty if the rows are not those of the fit.
    cluster_ids : ndarray of shape (n_clusters,)
        The labels of the clusters: 0, 1 and so on, unless a stream gave them others.
    feature_names : list of str
        Names of the features.
    sizes : ndarray of shape (n_clusters,), int64
        Numbers of rows.
    centers, deviations : ndarray of shape (n_clusters, n_features)
        Mean and standard deviation within each cluster, nan for empty ones.
    overall_mean, overall_deviation : ndarray of shape (n_features,)
        The same of all rows.
    contrasts : list of list of Contrast
        For each cluster the features furthest from the overall mean, furthest first.
    typical, remote : list of RowPlace or None
        The row nearest to the center and the furthest one; None for an empty cluster.
    tail : SizeTail
        How uneven the sizes are.
    """

    n_rows: int
    n_clusters: int
    cluster_ids: np.ndarray
    feature_names: list
    sizes: np.ndarray
    centers: np.ndarray
    deviations: np.ndarray
    overall_mean: np.ndarray
    overall_deviation: np.ndarray
    contrasts: list = field(repr=False)
    typical: list = field(repr=False)
    remote: list = field(repr=False)
    tail: SizeTail

    def as_dict(self):
        """Plain numbers, strings, lists and dicts, as JSON has them; nan becomes None."""
        return _plain(asdict(self))


def describe(model, X, feature_names=None, ids=None, values=None):
    """Describe the clusters that a fitted model gives the rows of `X`.

    Parameters
    ----------
    model : estimator
        A fitted model with `predict` and `n_clusters_`.
    X : array-like of shape (n_samples, n_features)
        The rows, scaled as for the fit.
    feature_names : list of str, default=None
        Names of the features; None means those of the model, or x0, x1 and so on.
    ids : array-like of shape (n_samples,), default=None
        Names of the rows; None means their numbers.
    values : array-like of shape (n_samples, n_features), default=None
        The rows in the units to describe them in, before scaling for example; None means `X`.

    Returns
    -------
    description : Description
    """
    X = check_array(X, dtype=[np.float64, np.float32])
    values = X if values is None else check_array(values, dtype=[np.float64, np.float32])
    if values.shape != X.shape:
        raise ValueError(f"values has shape {values.shape}, but X has {X.shape}.")
    names = _names(model, X.shape[1], feature_names)
    return describe_blocks(model, [(X, values, ids)], names)


def describe_blocks(model, blocks, feature_names):
    """As `describe`, of triples of scaled rows, rows and ids (or None), each seen once."""
    check_is_fitted(model)
    tally = _Tally(model, len(feature_names))
    for X, values, ids in blocks:
        tally.add(X, values, ids)
    return tally.describe(list(feature_names))


class _Tally:
    """Sums over the rows of each cluster, and its nearest and furthest row so far."""

    def __init__(self, model, n_features):
        self._model = model
        c = model.n_clusters_
        self._ids = getattr(model, "cluster_ids_", np.arange(c))
        self._order = np.argsort(self._ids)  # from labels to places among the clusters
        self._sizes = np.zeros(c, dtype=np.int64)
        self._sums = np.zeros((c, n_features))
        self._squares = np.zeros((c, n_features))
        self._near: list = [None] * c
        self._far: list = [None] * c
        # Sums are taken around one row of each cluster: no digits are lost to a distant origin,
        # and a constant feature has a variance of exactly 0.
        self._origins = np.full((c, n_features), np.nan)
        self._centers = getattr(model, "cluster_centers_", None)

    def add(self, X, values, ids):
        labels = self._order[np.searchsorted(self._ids, self._model.predict(X), sorter=self._order)]
        if self._centers is None:  # a model that knows no centers, of which this is all
            self._centers = _sum_by(labels, X, len(self._sizes)) / np.maximum(
                np.bincount(labels, minlength=len(self._sizes)), 1
            ).reshape(-1, 1)
        present, firsts = np.unique(labels, return_index=True)
        new = self._sizes[present] == 0
        self._origins[present[new]] = values[firsts[new]]
        moved = values - self._origins[labels]
        start = int(self._sizes.sum())
        self._sizes += np.bincount(labels, minlength=len(self._sizes))
        self._sums += _sum_by(labels, moved, len(self._sizes))
        self._squares += _sum_by(labels, moved**2, len(self._sizes))
        distances = np.linalg.norm(X - self._centers[labels], axis=1)
        self._keep_extremes(labels, distances, start, ids)

    def _keep_extremes(self, labels, distances, start, ids):
        order = np.lexsort((distances, labels))  # of equal ones the first is near, the last far
        firsts = np.flatnonzero(np.diff(labels[order], prepend=-1))
        lasts = np.append(firsts[1:], len(order)) - 1
        for first, last in zip(firsts, lasts):
            k = labels[order[first]]
            near = _place(order[first], distances, start, ids)
            far = _place(order[last], distances, start, ids)
            if self._near[k] is None or near.distance < self._near[k].distance:
                self._near[k] = near
            if self._far[k] is None or far.distance > self._far[k].distance:
                self._far[k] = far

    def describe(self, names):
        total = int(self._sizes.sum())
        with np.errstate(invalid="ignore"):
            means = self._sums / self._sizes[:, None]
            deviations = np.sqrt(np.maximum(self._squares / self._sizes[:, None] - means**2, 0.0))
        centers = self._origins + means
        mean, deviation = _overall(self._sizes, centers, deviations)
        return Description(
            total, len(self._sizes), self._ids, names, self._sizes, centers, deviations, mean,
            deviation, _contrasts(centers, mean, deviation, names), self._near, self._far,
            _tail(self._sizes),
        )  # fmt: skip


def _sum_by(labels, rows, n_clusters):
    """Sums of the rows of each cluster, in float64."""
    return np.stack(
        [np.bincount(labels, weights=column, minlength=n_clusters) for column in rows.T], axis=1
    )


def _overall(sizes, centers, deviations):
    """Mean and standard deviation of all rows, from those of the clusters."""
    some = sizes > 0
    weight = (sizes[some] / sizes.sum())[:, None]
    centers, deviations = centers[some], deviations[some]
    mean = centers[0] + np.sum(weight * (centers - centers[0]), axis=0)
    return mean, np.sqrt(np.sum(weight * (deviations**2 + (centers - mean) ** 2), axis=0))


def _place(at, distances, start, ids):
    row = start + int(at)
    name = row if ids is None else ids[int(at)]
    name = name.as_py() if hasattr(name, "as_py") else name
    return RowPlace(row, name, float(distances[at]))


def _contrasts(centers, mean, deviation, names):
    """For each cluster its features in the order of how far they are from the overall mean."""
    varies = deviation > 0
    z = np.zeros_like(centers)
    np.divide(centers - mean, deviation, out=z, where=varies & np.isfinite(centers))
    order = np.argsort(-np.abs(z), axis=1, kind="stable")[:, :MOST_FEATURES]
    return [
        [Contrast(names[j], float(z[k, j]), float(centers[k, j])) for j in order[k] if varies[j]]
        if np.isfinite(centers[k]).all()
        else []
        for k in range(len(centers))
    ]


def _tail(sizes):
    sizes = np.sort(sizes[sizes > 0])[::-1]
    half = int(np.searchsorted(np.cumsum(sizes), sizes.sum() / 2)) + 1
    alpha = power_law_alpha(sizes) if len(sizes) >= FEWEST_FOR_TAIL else np.inf
    return SizeTail(
        int(sizes[0]), int(sizes[-1]), half, int(np.sum(sizes == 1)),
        float(alpha) if np.isfinite(alpha) else None,
    )  # fmt: skip


def _names(model, n_features, names):
    if names is None:
        names = getattr(model, "feature_names_in_", [f"x{j}" for j in range(n_features)])
    names = [str(name) for name in names]
    if len(names) != n_features:
        raise ValueError(f"feature_names has {len(names)} names, but X has {n_features} features.")
    return names


def _plain(value):
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value if isinstance(value, int | float | str | bool | None) else str(value)
