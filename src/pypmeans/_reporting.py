"""What the report shows, as plain numbers, strings and lists: first of its three steps."""

from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

import pypmeans
from pypmeans._describe import describe
from pypmeans._figures import (
    COLORS,
    MANY_POINTS,
    map_of,
    names_of,
    objective_points,
    path_points,
    rank_size_points,
    rows_to_show,
    savings,
    spectrum_points,
    threshold_points,
)
from pypmeans._path import dominance_of_one_feature

# Clusters in the table: so many of the largest and so many of the smallest.
LISTED, LISTED_ELSEWHERE = (100, 50), (30, 20)
# Clusters and features in the picture of profiles.
PROFILED, MOST_FEATURES = (20, 10), 12
# Standard deviations from the overall mean that are worth a word.
LEAST_CONTRAST = 0.1
# Points of a curve; more cannot be told apart.
CURVE = 120


class Partition(NamedTuple):
    """One labelling of the rows that the slider can stop at, and where it stands on the path.

    Labels go by decreasing size, without gaps. What the model calls these clusters is in `numbers`:
    for other rows than those of the fit, and after `partial_fit`, that may be another order.
    """

    labels: np.ndarray
    numbers: np.ndarray
    lam: float
    theta: float
    threshold: dict
    chosen: bool = False
    scales: tuple = ()  # the coarsest and the finest that give these labels
    score: float | None = None


class _Labelled(BaseEstimator):
    """Labels in the guise of a fitted model, for `describe`."""

    def __init__(self, labels):
        self.labels = labels
        self.n_clusters_ = int(labels.max()) + 1

    def fit(self, X, y=None):
        return self

    def predict(self, X):
        return self.labels


def summarize(
    model,
    X,
    *,
    values=None,
    feature_names=None,
    ids=None,
    columns=None,
    max_points=MANY_POINTS,
    title=None,
    notes=(),
):
    """All that a report says, as plain data. For the parameters see `ClusteringReport`."""
    check_is_fitted(model, "n_clusters_")
    names = names_of(X, feature_names, model)
    rows = np.asarray(X)
    ids = None if ids is None else _checked_ids(ids, len(rows))
    partitions = partitions_of(model, X)
    shown = rows_to_show([partition.labels for partition in partitions], max_points)
    chosen = next(i for i, partition in enumerate(partitions) if partition.chosen)
    # Rows of small clusters last, so that they lie above the others.
    shown = shown[np.argsort(partitions[chosen].labels[shown], kind="stable")]
    looks = looks_along([partition.labels for partition in partitions], chosen)
    stops = [
        _stop(partition, rows, values, names, ids, shown, look)
        for partition, look in zip(partitions, looks)
    ]
    return {
        "title": str(title or f"{_count(stops[chosen]['n_clusters'], 'cluster')}"),
        "version": pypmeans.__version__,
        "model": _model_facts(model, rows),
        "colors": list(COLORS),
        "map": _map_facts(rows if values is None else values, rows, columns, names, shown, ids),
        "stops": stops,
        "chosen": chosen,
        "path": _path_facts(model),
        "objective": _objective_facts(model),
        "notes": [*_notes(model, rows, names, stops[chosen]), *map(str, notes)],
    }


def partitions_of(model, X):
    """Labellings from coarse to fine, each once; the model's own takes the place of its entry."""
    path = getattr(model, "path_", None)
    own = _own_partition(model, X)
    if path is None:
        return [own]
    partitions: list[Partition] = []
    for entry in path:
        here = _of_entry(entry, own, X, is_best=entry is path.best)
        if partitions and np.array_equal(partitions[-1].labels, here.labels):
            former = partitions.pop()
            here = (former if former.chosen else here)._replace(
                scales=(former.scales[0], entry.scale)
            )
        partitions.append(here)
    return partitions


def _of_entry(entry, own, X, *, is_best):
    scales = (entry.scale, entry.scale)
    if is_best:
        return own._replace(scales=scales, score=entry.score)
    points = savings(entry.lam, entry.theta, entry.cluster_centers, entry.cluster_sizes)
    threshold = {"kind": "search", **points}
    labels, numbers = _by_size(entry.predict(X))
    return Partition(labels, numbers, entry.lam, entry.theta, threshold, False, scales, entry.score)


def _own_partition(model, X):
    if not hasattr(model, "eigenvalues_"):
        threshold = {"kind": model.algorithm, **threshold_points(model, X)}
        labels, numbers = _by_size(model.predict(X))
        return Partition(labels, numbers, model.lam_, model.theta_, threshold, chosen=True)
    if model.affinity == "precomputed":
        raise ValueError(
            'A report needs the rows themselves, but the model has affinity="precomputed". Fit '
            "it with another affinity, or draw its spectrum with pypmeans.plotting.plot_spectrum."
        )
    labels = model.labels_ if len(model.labels_) == len(X) else model.predict(X)
    spectrum = spectrum_points(model)
    threshold = {
        "kind": "spectrum", "count": spectrum["count"], "gain": spectrum["eigenvalue"],
        "price": spectrum["line"], "crossing": model.n_clusters_,
    }  # fmt: skip
    labels, numbers = _by_size(labels)
    return Partition(labels, numbers, model.lam_, model.theta_, threshold, chosen=True)


def _by_size(labels):
    """The same labels by decreasing size, without empty clusters; and what they were before."""
    sizes = np.bincount(labels)
    numbers = np.argsort(-sizes, kind="stable")[: np.count_nonzero(sizes)]
    place = np.zeros(len(sizes), dtype=np.int32)
    place[numbers] = np.arange(len(numbers))
    return place[labels], numbers


def looks_along(labelings, chosen):
    """A look for each cluster of each labelling, such that a cluster keeps its look along the path.

    In the chosen labelling, look k belongs to cluster k. From there outwards the look goes to where
    most of the rows are.
    """
    looks = {chosen: np.arange(int(labelings[chosen].max()) + 1)}
    for at in range(chosen + 1, len(labelings)):
        looks[at] = _inherit(looks[at - 1], labelings[at - 1], labelings[at])
    for at in range(chosen - 1, -1, -1):
        looks[at] = _inherit(looks[at + 1], labelings[at + 1], labelings[at])
    return [looks[at] for at in range(len(labelings))]


def _inherit(looks, labels, new_labels):
    c = int(new_labels.max()) + 1
    pairs, shared = np.unique(labels.astype(np.int64) * c + new_labels, return_counts=True)
    new_looks = np.full(c, -1)
    given = set()
    for pair in pairs[np.argsort(-shared, kind="stable")]:
        look, k = int(looks[pair // c]), pair % c
        if new_looks[k] < 0 and look not in given:
            new_looks[k] = look
            given.add(look)
    free = (look for look in range(c + len(given)) if look not in given)
    for k in np.flatnonzero(new_looks < 0):
        new_looks[k] = next(free)
    return new_looks


def _stop(partition, rows, values, names, ids, shown, looks):
    """What the page shows when the slider stands here."""
    about = describe(_Labelled(partition.labels), rows, names, ids, values)
    sizes = about.sizes
    ends = LISTED if partition.chosen else LISTED_ELSEWHERE
    rank_size = rank_size_points(sizes)
    return {
        "chosen": partition.chosen,
        "n_clusters": about.n_clusters,
        "lam": _short(partition.lam),
        "theta": _short(partition.theta),
        "scales": _shorts(partition.scales),
        "score": None if partition.score is None else round(partition.score, 1),
        "labels": partition.labels[shown].tolist(),
        "looks": looks.tolist(),
        "numbers": partition.numbers.tolist(),
        "sizes": sizes.tolist(),
        "tail": {
            "half": about.tail.half,
            "single": about.tail.single,
            "alpha": _short(rank_size["alpha"]),
            "x_min": _short(rank_size["x_min"]),
            "n_tail": len(rank_size["fitted"]),
            "fitted": _shorts(rank_size["fitted"][[0, -1]] if len(rank_size["fitted"]) else []),
        },
        "clusters": [_cluster(about, k) for k in _ends(about.n_clusters, *ends)],
        "profile": _profile(about),
        "threshold": _curve(partition.threshold),
    }


def _cluster(about, k):
    varies = about.overall_deviation > 0
    spread = about.deviations[k, varies] / about.overall_deviation[varies]
    return {
        "k": int(k),
        "size": int(about.sizes[k]),
        "share": _short(about.sizes[k] / about.n_rows),
        "spread": _short(np.sqrt(np.mean(spread**2))) if len(spread) else 0.0,
        "contrasts": [
            {"feature": c.feature, "z": round(c.z, 1), "value": _short(c.value)}
            for c in about.contrasts[k][:3]
            if abs(c.z) >= LEAST_CONTRAST
        ],
        "typical": str(about.typical[k].id),
        "remote": str(about.remote[k].id),
    }


def _profile(about):
    """How far cluster means are from the overall mean, in standard deviations of all rows."""
    clusters = _ends(about.n_clusters, *PROFILED)
    varies = np.flatnonzero(about.overall_deviation > 0)
    z = about.centers[:, varies] - about.overall_mean[varies]
    z = (z / about.overall_deviation[varies])[clusters]
    features = np.sort(np.argsort(-np.abs(z).mean(axis=0), kind="stable")[:MOST_FEATURES])
    return {
        "clusters": clusters.tolist(),
        "features": [about.feature_names[j] for j in varies[features]],
        "n_features": len(about.feature_names),
        "z": np.round(z[:, features], 2).tolist(),
    }


def _ends(n, first, last):
    """Numbers of the `first` largest and the `last` smallest of n clusters."""
    return np.arange(n) if n <= first + last else np.r_[:first, n - last : n]


def _curve(points):
    """A curve of no more points than can be seen, dense at its beginning, which is on log axes."""
    n = len(points["count"])
    at = np.unique(np.round(np.geomspace(1, n, CURVE)).astype(int)) - 1 if n > CURVE else slice(n)
    return {
        "kind": points["kind"],
        "crossing": points["crossing"],
        **{name: _shorts(points[name][at]) for name in ("count", "gain", "price")},
    }


def _model_facts(model, rows):
    return {
        "name": type(model).__name__,
        "text": " ".join(repr(model).split()),
        "algorithm": getattr(model, "algorithm", "spectral"),
        "n_rows": len(rows),
        "n_features": rows.shape[1],
        "lam": _short(model.lam_),
        "theta": _short(model.theta_),
        "objective": _short(model.objective_),
    }


def _map_facts(values, rows, columns, names, shown, ids):
    # Components are those of the rows as they were clustered, single features as people know them.
    own = columns is not None or rows.shape[1] <= 2
    placed = map_of(values if own else rows, columns, names)
    points = placed.points[shown].astype(np.float64)
    span = np.ptp(points, axis=0).max() or 1.0
    points = np.round(points, int(np.clip(4 - np.floor(np.log10(span)), 0, 15)))
    return {
        "x": points[:, 0].tolist(),
        "y": points[:, 1].tolist(),
        "names": list(placed.names),
        "by": placed.by,
        "ids": (shown.tolist() if ids is None else [str(ids[i]) for i in shown.tolist()]),
        "rows_have_ids": ids is not None,
        "n_shown": len(shown),
    }


def _path_facts(model):
    if not hasattr(model, "path_"):
        return None
    points = path_points(model.path_)
    return {name: _shorts(points[name]) for name in points if name != "chosen"}


def _objective_facts(model):
    return _shorts(objective_points(model)["objective"], 10) if _has_history(model) else []


def _has_history(model):
    return hasattr(model, "objective_history_")


def _notes(model, rows, names, stop):
    """What a reader should know before trusting the pictures."""
    c, n = stop["n_clusters"], len(rows)
    path = getattr(model, "path_", None)
    yield from _notes_on_doubt(model, c, n)
    message = dominance_of_one_feature(rows, names)
    if message:
        yield message
    if path is not None and path.runners_up:
        next_best = ", ".join(str(entry.n_clusters) for entry in path.runners_up[:3])
        yield (
            f"The score prefers {_count(c, 'cluster')}. It has other local maxima, best first, at "
            f"{next_best} clusters; look at them with the slider."
        )
    if path is not None and n > path.best.cluster_sizes.sum():
        yield (
            f"The scales were tried on a sample of {path.best.cluster_sizes.sum():,.0f} of "
            f"{n:,} rows. The chosen one was refined on all rows; at the other stops of the slider "
            "rows are where the clusters of the sample put them."
        )
    ids = getattr(model, "cluster_ids_", range(model.n_clusters_))
    sizes = dict(zip(ids, model.cluster_sizes_))
    if sizes != dict(zip(stop["numbers"], stop["sizes"])):
        missing = len(sizes) - c
        yield (
            "Sizes count the rows given to the report. The model was fitted with weights or to "
            "other rows, so its own sizes differ."
            + (f" {_count(missing, 'cluster')} of it have none of these rows." if missing else "")
        )


def _notes_on_doubt(model, c, n):
    if c == 1:
        yield "There is only one cluster, so there is nothing to compare it with."
    if c == n > 1:
        yield "Every row is a cluster of its own. Raise lam to have groups."
    if getattr(model, "n_iter_", 0) >= getattr(model, "max_iter", np.inf):
        yield f"The fit stopped at max_iter={model.max_iter}; labels may still change."
    if c == getattr(model, "max_clusters", None):
        yield f"There are as many clusters as max_clusters={c} allows; there may be more."


def _checked_ids(ids, n_rows):
    ids = list(ids)
    if len(ids) != n_rows:
        raise ValueError(f"ids has {len(ids)} values, but X has {n_rows} rows.")
    return ids


def _count(n, word):
    return f"{n:,} {word}{'' if n == 1 else 's'}"


def _short(value, digits=5):
    """A number with so many digits, None for nan and the like: what JSON can hold."""
    if value is None or not np.isfinite(value):
        return None
    return float(f"{value:.{digits}g}")


def _shorts(values, digits=5):
    return [_short(value, digits) for value in np.asarray(values, dtype=np.float64).tolist()]
