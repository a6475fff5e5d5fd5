"""The numbers behind the pictures: what `plotting` draws and the report shows. Nothing is drawn."""

import warnings
from typing import NamedTuple

import numpy as np
from sklearn.decomposition import PCA

from pypmeans._describe import _names
from pypmeans._moves import merger_costs
from pypmeans._penalty import PitmanYorPenalty
from pypmeans._tuning import radius_profile
from pypmeans.metrics import fit_power_law_tail, power_law_alpha

# Colours that people of any colour vision tell apart on white and on black: those of Okabe and
# Ito (2008) without yellow and black, each of which vanishes on one of the two.
COLORS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7")
N_SHAPES = 6
# Fewer different sizes than this have no tail to speak of.
DIFFERENT_SIZES = 4
# Rows that spread over a map well enough; more only hide each other.
MANY_POINTS = 10_000
# Fewer rows of a cluster than this are all shown, as far as there is room for it.
FEW_MEMBERS = 50


class Look(NamedTuple):
    """How cluster number k is marked: the six largest by colour alone, the next by shape too."""

    color: str
    shape: int  # number of the shape, 0 is a disc


def look_of(k):
    """The look of cluster `k`; after 36 clusters looks come again."""
    return Look(COLORS[k % len(COLORS)], k // len(COLORS) % N_SHAPES)


def threshold_points(model, X=None, *, sample_weight=None):
    """What one more cluster brings beside c others, and the price λ − θ ln c of it.

    With ``algorithm="paper"`` a row founds a cluster if its squared distance exceeds the price, so
    `gain` is the furthest-first profile of the squared radius, beyond the crossing as well. The
    search asks whether a cluster saves its price in the whole objective, whatever opened it. There
    `gain` is what the clusters that were found save: they are merged one by one, cheapest merger
    first, and each merger gives back what the cluster had saved. Nothing is known beyond the last.
    """
    if model.algorithm == "paper":
        if X is None:
            raise ValueError(
                'X is needed for a model with algorithm="paper": the rows that the model was '
                "fitted to, from which the furthest-first profile is computed."
            )
        gain = radius_profile(X, max(2 * model.n_clusters_ + 2, 12), sample_weight=sample_weight)
        return _against_price(model.lam_, model.theta_, gain)
    return savings(model.lam_, model.theta_, model.cluster_centers_, model.cluster_sizes_)


def savings(lam, theta, centers, sizes):
    """`threshold_points` of any solution of the search."""
    costs = np.array([*merger_costs(centers, sizes, theta)])
    return _against_price(lam, theta, costs[::-1])


def _against_price(lam, theta, gain):
    count = np.arange(1, max(len(gain), 1) + 1)
    line = PitmanYorPenalty(lam, theta).line
    price = np.array([line(c) for c in count.tolist()])
    gain = gain if len(gain) else np.full(1, np.nan)  # one cluster: none to compare
    below = np.flatnonzero(gain <= price)
    crossing = int(count[below[0]]) if len(below) else None
    return {"count": count, "gain": gain, "price": price, "crossing": crossing}


def spectrum_points(model, at_least=12):
    """Counts, leading eigenvalues and the line at each count, for spectral models.

    Twice as many eigenvalues as there are clusters, where so many were computed: the rest would
    only make the gap look small.
    """
    shown = model.eigenvalues_[: max(2 * model.n_clusters_ + 2, at_least)]
    against = _against_price(model.lam_, model.theta_, shown)
    return {"count": against["count"], "eigenvalue": shown, "line": against["price"]}


def path_points(path):
    """Scales, numbers of clusters and scores of a path, and the place of the chosen entry."""
    chosen = next(i for i, entry in enumerate(path) if entry is path.best)
    columns = {
        name: np.array([getattr(entry, name) for entry in path])
        for name in ("scale", "lam", "theta", "n_clusters", "score")
    }
    return {**columns, "chosen": chosen}


def rank_size_points(sizes):
    """Sizes by rank, and the power law of their tail in the same terms.

    A power law of exponent α has ``rank ~ size^-(α - 1)``. The line reaches over the tail: where
    :func:`fit_power_law_tail` lets it begin if the package powerlaw is there and sizes are whole,
    otherwise over all sizes, as the paper has it. Without a tail `fitted` is empty.
    """
    size = np.sort(np.asarray(sizes, dtype=np.float64))[::-1]
    rank = np.arange(1, len(size) + 1)
    alpha, x_min, n_tail = _tail_of(size)
    fitted = x_min * (n_tail / rank[:n_tail]) ** (1 / (alpha - 1))
    return {"rank": rank, "size": size, "alpha": alpha, "x_min": x_min, "fitted": fitted}


def _tail_of(size):
    """Exponent, least size and number of clusters of the tail; nan and 0 if there is none."""
    if len(np.unique(size)) < DIFFERENT_SIZES:
        return np.nan, np.nan, 0
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tail = fit_power_law_tail(size)
    except (ImportError, ValueError):  # no powerlaw, or weights that are not whole
        return power_law_alpha(size), size[-1], len(size)
    return tail.alpha, tail.x_min, tail.n_tail


def objective_points(model):
    """The objective after each pass, and how far it still was above the last."""
    objective = model.objective_history_
    return {
        "pass": np.arange(1, len(objective) + 1),
        "objective": objective,
        "excess": objective - objective[-1],
    }


class Map(NamedTuple):
    """Two coordinates of each row, and what they are."""

    points: np.ndarray  # of shape (n_samples, 2)
    names: tuple[str, str]
    by: str  # "columns", "components" or "spread"


def map_of(X, columns=None, feature_names=None):
    """Where the rows of `X` lie in the plane.

    Two `columns`, given by number or name; otherwise both features, if there are two, or the first
    two principal components. Rows of one feature are spread upwards, only to be seen.
    """
    names = names_of(X, feature_names)
    X = np.asarray(X)
    if columns is not None:
        pair = [_column_number(column, names) for column in _pair(columns)]
        return Map(X[:, pair], (names[pair[0]], names[pair[1]]), "columns")
    if X.shape[1] == 1:
        return Map(np.column_stack([X[:, 0], spread_out(len(X))]), (names[0], ""), "spread")
    if X.shape[1] == 2 or not np.ptp(X, axis=0).any():  # equal rows have no components
        return Map(X[:, :2], (names[0], names[1]), "columns")
    pca = PCA(2).fit(X)
    parts = pca.explained_variance_ratio_
    first, second = (
        f"component {i} ({part:.0%} of the variance)" for i, part in enumerate(parts, 1)
    )
    return Map(pca.transform(X), (first, second), "components")


def spread_out(n):
    """`n` numbers in (0, 1), neighbours far apart: multiples of the golden ratio."""
    return np.arange(1, n + 1) * ((5**0.5 - 1) / 2) % 1


def names_of(X, feature_names=None, model=None):
    """Names of the columns of `X`: those given, its own if it is a data frame, or the model's."""
    if feature_names is None:
        feature_names = getattr(X, "columns", None)
    return _names(model, np.shape(X)[1], feature_names)


def _pair(columns):
    if isinstance(columns, str) or len(columns) != 2:
        raise ValueError(f"columns must be two column numbers or names; got {columns!r}.")
    return columns


def _column_number(column, names):
    if isinstance(column, str) and column in names:
        return names.index(column)
    if not isinstance(column, str) and -len(names) <= column < len(names):
        return int(column) % len(names)
    known = ", ".join(map(repr, names[:10])) + (", …" if len(names) > 10 else "")
    raise ValueError(
        f"columns has {column!r}, but X has {len(names)} features: {known}. Give a name or a "
        "number from 0."
    )


def round_numbers(low, high, at_most=8):
    """Numbers like 1, 2, 5, 10 for a logarithmic axis from `low` to `high`, both positive."""
    powers = 10.0 ** np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)) + 1)
    for digits in ((1, 2, 5), (1, 3), (1,)):
        numbers = np.outer(powers, digits).ravel()
        inside = numbers[(numbers >= low * 0.99) & (numbers <= high * 1.01)]
        if len(inside) <= at_most:
            break
    return inside[:: -(-len(inside) // at_most)] if len(inside) else np.array([low])


def rows_to_show(labelings, max_points, seed=0):
    """At most about `max_points` rows, sorted, with members of every cluster of every labelling.

    First members of each cluster: as many as take half of the room, or one. The rest is drawn at
    random from all rows, so that large clusters look as dense as they are.
    """
    n = len(labelings[0])
    if n <= max_points:
        return np.arange(n)
    order = np.random.default_rng(seed).permutation(n)
    place = np.stack([_place_in_cluster(labels[order]) for labels in labelings]).min(axis=0)
    for members in (FEW_MEMBERS, 20, 10, 5, 2, 1):
        kept = place < members
        if kept.sum() <= max_points / 2:
            break
    others = np.flatnonzero(~kept)[: max(max_points - int(kept.sum()), 0)]
    return np.sort(order[np.concatenate([np.flatnonzero(kept), others])])


def _place_in_cluster(labels):
    """For each row how many rows before it have the same label."""
    by_label = np.argsort(labels, kind="stable")
    starts = np.flatnonzero(np.diff(labels[by_label], prepend=-1))
    lengths = np.diff(np.append(starts, len(labels)))
    place = np.empty(len(labels), dtype=np.int64)
    place[by_label] = np.arange(len(labels)) - np.repeat(starts, lengths)
    return place
