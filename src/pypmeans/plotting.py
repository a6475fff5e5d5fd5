"""Pictures of fitted models. Needs matplotlib: ``pip install "pypmeans[plot]"``.

Each function draws into the axes given as `ax`, or into a new figure, and returns the axes. Nothing
is shown or saved.
"""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from pypmeans._figures import (
    COLORS,
    MANY_POINTS,
    N_SHAPES,
    look_of,
    map_of,
    objective_points,
    path_points,
    rank_size_points,
    round_numbers,
    rows_to_show,
    spectrum_points,
    threshold_points,
)
from pypmeans._validation import require

__all__ = [
    "plot_clusters",
    "plot_objective",
    "plot_path",
    "plot_rank_size",
    "plot_spectrum",
    "plot_threshold",
]

SHAPES = ("o", "s", "D", "^", "v", "P")  # as many as N_SHAPES
BLUE, ORANGE, GREY = COLORS[0], COLORS[3], "0.55"


def plot_threshold(model, X=None, *, sample_weight=None, ax=None):
    """Why there are as many clusters as there are: what one more would bring, and its price.

    Parameters
    ----------
    model : PYPMeans or DPMeans
        A fitted model.
    X : array-like of shape (n_samples, n_features), default=None
        The rows it was fitted to. Needed with ``algorithm="paper"``.
    sample_weight : array-like of shape (n_samples,), default=None
        The weights it was fitted with. Only used with ``algorithm="paper"``.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    ax : matplotlib Axes
        Over the number of clusters c, on logarithmic axes, the price ``lam - theta ln c`` of one
        more (Eq. 14) and what one more brings.

    See Also
    --------
    pypmeans.radius_profile : The profile drawn for ``algorithm="paper"``.

    Notes
    -----
    What "brings" means differs, as the algorithms do:

    * ``algorithm="paper"``: the squared distance of the furthest row to its center when c centers
      have been opened, furthest first from the mean. The first pass stops where this profile
      first meets the line. Later passes move, merge and open clusters, so that the final number,
      in the title, may differ.
    * ``algorithm="search"``: what cluster c + 1 saves in the objective, sizes counted. The clusters
      found are merged one by one, the cheapest merger first, and each gives back what the
      cluster had saved. All are above the line, or the search would have merged them. There is no
      point beyond the last cluster: the search found no split that lies above the line there.

    Examples
    --------
    >>> from pypmeans import PYPMeans
    >>> from pypmeans.plotting import plot_threshold
    >>> X = [[0, 0], [0, 1], [1, 0], [9, 9], [9, 8], [20, 0]]
    >>> ax = plot_threshold(PYPMeans(lam=10, theta=1).fit(X))
    >>> ax.get_title()
    '3 clusters'
    """
    check_is_fitted(model, "cluster_centers_")
    ax = _axes(ax, "plot_threshold")
    points = threshold_points(model, X, sample_weight=sample_weight)
    count, gain, price = points["count"], points["gain"], points["price"]
    paper = model.algorithm == "paper"
    name = "squared distance of the furthest row" if paper else "what one more cluster saves"
    ax.plot(count, gain, "o-", color=BLUE, markersize=4, label=name)
    end = np.append(count, count[-1] + 1) if not paper else count
    ax.plot(
        end, np.interp(np.log(end), np.log(count), price), color=ORANGE, label=_line_name(model)
    )
    if paper and points["crossing"]:
        ax.axvline(points["crossing"], color=GREY, linestyle=":", label="the first pass stops")
    ax.set(xscale="log", yscale="log", title=_n_clusters(model.n_clusters_))
    ax.set(xlabel="clusters so far, c", ylabel="squared distance" if paper else "objective")
    _round_ticks(ax.xaxis, end)
    ax.legend()
    return ax


def plot_path(path, *, ax=None):
    """Number of clusters and score over the scale, from coarse to fine, with the chosen entry.

    Parameters
    ----------
    path : ScalePath, PYPMeans or DPMeans
        What :func:`pypmeans.scale_path` returned, or a model fitted with ``lam="auto"``.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    ax : matplotlib Axes
        Axes of the number of clusters. Those of the score, which shares the scale, are
        ``ax.child_axes[0]``.

    Examples
    --------
    >>> from pypmeans import scale_path
    >>> from pypmeans.datasets import load_demo
    >>> from pypmeans.plotting import plot_path
    >>> ax = plot_path(scale_path(load_demo().data[::5]))
    >>> ax.get_title()
    '16 clusters have the highest score'
    """
    points = path_points(_path_of(path))
    ax = _axes(ax, "plot_path")
    scale, at = points["scale"], points["chosen"]
    ax.step(scale, points["n_clusters"], "o-", where="mid", color=BLUE, markersize=4)
    ax.axvline(scale[at], color=GREY, linestyle=":")
    ax.plot(scale[at], points["n_clusters"][at], "o", color=BLUE, markersize=9)
    ax.set(xscale="log", yscale="log", xlabel="scale: standard deviation within clusters")
    ax.set_ylabel("clusters", color=BLUE)
    if not ax.xaxis_inverted():
        ax.invert_xaxis()  # the path runs from coarse to fine
    _round_ticks(ax.xaxis, scale)
    _round_ticks(ax.yaxis, points["n_clusters"])
    score = ax.inset_axes((0, 0, 1, 1), sharex=ax, facecolor="none")
    score.plot(scale, points["score"], "s--", color=ORANGE, markersize=3)
    score.plot(scale[at], points["score"][at], "s", color=ORANGE, markersize=8)
    score.yaxis.tick_right()
    score.yaxis.set_label_position("right")
    score.set_ylabel("score (log evidence)", color=ORANGE)
    score.xaxis.set_visible(False)
    c = points["n_clusters"][at]
    ax.set_title(f"{_n_clusters(c)} {'has' if c == 1 else 'have'} the highest score")
    return ax


def plot_rank_size(sizes, *, ax=None):
    """Sizes of the clusters by rank on logarithmic axes, with the power law that fits them.

    Parameters
    ----------
    sizes : array-like of shape (n_clusters,), or a fitted model
        Sizes in any order, positive.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    ax : matplotlib Axes
        With sizes that follow a power law the points lie on a straight line. The line drawn is that
        of the tail found by :func:`pypmeans.metrics.fit_power_law_tail`, or, without the package
        powerlaw, the paper's, which takes all sizes as the tail
        (:func:`pypmeans.metrics.power_law_alpha`). The legend says where it begins. There is none
        for fewer than four different sizes.

    See Also
    --------
    pypmeans.process.fit_pitman_yor : The process that makes such sizes.

    Examples
    --------
    >>> from pypmeans.plotting import plot_rank_size
    >>> ax = plot_rank_size([1000 // rank for rank in range(1, 60)])
    >>> ax.get_xlabel(), ax.get_title()
    ('rank', '59 clusters')
    """
    points = rank_size_points(getattr(sizes, "cluster_sizes_", sizes))
    ax = _axes(ax, "plot_rank_size")
    ax.plot(points["rank"], points["size"], "o", color=BLUE, markersize=4, label="clusters")
    if len(points["fitted"]):
        name = f"power law from {points['x_min']:,g} on, α = {points['alpha']:.2f}"
        ax.plot(points["rank"][: len(points["fitted"])], points["fitted"], color=ORANGE, label=name)
    ax.set(xscale="log", yscale="log", xlabel="rank", ylabel="size")
    ax.set_title(_n_clusters(len(points["rank"])))
    _round_ticks(ax.xaxis, points["rank"])
    _round_ticks(ax.yaxis, points["size"])
    ax.legend()
    return ax


def plot_objective(model, *, ax=None):
    """The objective after each pass over the rows. It never rises.

    Parameters
    ----------
    model : PYPMeans or DPMeans
        A fitted model. With ``lam="auto"`` it starts from a solution of the path, so that little
        is left to improve.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from pypmeans import DPMeans
    >>> from pypmeans.plotting import plot_objective
    >>> model = DPMeans(lam=10).fit([[0.0], [1.0], [8.0], [30.0]])
    >>> ax = plot_objective(model)
    >>> float(ax.lines[0].get_ydata()[-1]) == model.objective_
    True
    """
    check_is_fitted(model, "objective_history_")
    points = objective_points(model)
    ax = _axes(ax, "plot_objective")
    ax.plot(points["pass"], points["objective"], "o-", color=BLUE, markersize=4)
    ax.set(
        xlabel="pass over the rows", ylabel="objective", title=f"objective {model.objective_:.6g}"
    )
    ax.xaxis.get_major_locator().set_params(integer=True)
    return ax


def plot_clusters(
    model, X, *, columns=None, feature_names=None, max_points=MANY_POINTS, n_named=10, ax=None
):
    """A map of the rows, coloured by cluster.

    Parameters
    ----------
    model : fitted model or array-like of shape (n_samples,)
        A model that can `predict`, or the cluster number of each row.
    X : array-like of shape (n_samples, n_features)
        The rows.
    columns : pair of int or str, default=None
        The two columns to draw, by number or name. None draws both where there are two, and the
        first two principal components where there are more. Rows of a single feature are spread
        upwards, so that they can be seen.
    feature_names : sequence of str, default=None
        Names of the columns; None takes those of the data frame.
    max_points : int, default=10000
        Of more rows a sample is drawn, with members of every cluster.
    n_named : int, default=10
        How many of the largest clusters the legend names.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    ax : matplotlib Axes
        The six largest clusters are discs of six colours that are safe for the colour-blind. Then
        the colours come again with other shapes, and after 36 clusters both. Small clusters lie
        above large ones.

    Examples
    --------
    >>> from pypmeans import PYPMeans
    >>> from pypmeans.datasets import load_demo
    >>> from pypmeans.plotting import plot_clusters
    >>> X = load_demo().data[::5]
    >>> ax = plot_clusters(PYPMeans().fit(X), X)
    >>> ax.get_title()
    '16 clusters of 300 rows'
    """
    labels = np.asarray(model.predict(X) if hasattr(model, "predict") else model)
    placed = map_of(X, columns, feature_names)
    if len(labels) != len(placed.points):
        raise ValueError(f"{len(labels)} labels were given for {len(placed.points)} rows of X.")
    if labels.min() < 0:
        raise ValueError(
            f"Labels must be numbers of clusters from 0 on; got {labels.min()}. Leave out the rows "
            "that have no cluster."
        )
    ax = _axes(ax, "plot_clusters")
    shown = rows_to_show([labels], max_points)
    _scatter(ax, placed.points[shown], labels[shown])
    sizes = np.bincount(labels)
    _name_clusters(ax, sizes, n_named)
    ax.set(xlabel=_literal(placed.names[0]), ylabel=_literal(placed.names[1]))
    if placed.by == "spread":
        ax.set_yticks([])
    part = "" if len(shown) == len(labels) else f", {len(shown):,} shown"
    ax.set_title(f"{_n_clusters(np.count_nonzero(sizes))} of {len(labels):,} rows{part}")
    return ax


def plot_spectrum(model, ax=None):
    """The leading eigenvalues and the line that decides how many clusters there are.

    Parameters
    ----------
    model : PYPSpectralClustering
        A fitted model.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    ax : matplotlib Axes
        Eigenvalues above the line ``lam - theta ln c`` up to the number of clusters are filled.

    Examples
    --------
    >>> from pypmeans import PYPSpectralClustering
    >>> from pypmeans.plotting import plot_spectrum
    >>> X = [[x + shift] for shift in (0, 100) for x in range(15)]
    >>> ax = plot_spectrum(PYPSpectralClustering().fit(X))
    >>> ax.get_title()
    '2 clusters'
    """
    check_is_fitted(model, "eigenvalues_")
    ax = _axes(ax, "plot_spectrum")
    spectrum = spectrum_points(model)
    count, eigenvalues, c = spectrum["count"], spectrum["eigenvalue"], model.n_clusters_
    ax.plot(count[:c], eigenvalues[:c], "o", color=BLUE, label="eigenvalues of the clusters")
    ax.plot(count[c:], eigenvalues[c:], "o", color=BLUE, fillstyle="none", label="the rest")
    ax.plot(count, spectrum["line"], "-", color=ORANGE, label=_line_name(model))
    ax.axvline(c + 0.5, color=GREY, linewidth=1, zorder=0)
    ax.set(xlabel="c", ylabel="eigenvalue", title=_n_clusters(c))
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.legend()
    return ax


def _axes(ax, caller):
    """The axes given, or new ones; matplotlib is loaded here and nowhere else."""
    plt = require("matplotlib.pyplot", extra="plot", caller=caller)
    return plt.subplots(layout="constrained")[1] if ax is None else ax


def _scatter(ax, points, labels):
    """One collection for each shape, small clusters above large ones."""
    order = np.argsort(labels, kind="stable")
    points, labels = points[order], labels[order]
    colors = np.array([look_of(k).color for k in range(len(COLORS))])
    shape = labels // len(COLORS) % N_SHAPES
    area = 18 if len(points) < 3000 else 7
    for number in np.unique(shape):
        rows = shape == number
        ax.scatter(
            *points[rows].T, s=area * (1 + (number > 0)), c=colors[labels[rows] % len(COLORS)],
            marker=SHAPES[number], linewidths=0.3, edgecolors="white", zorder=2 + 0.1 * number,
        )  # fmt: skip


def _name_clusters(ax, sizes, n_named):
    for k in np.flatnonzero(sizes)[:n_named]:
        color, shape = look_of(k)
        name = f"{k}: {sizes[k]:,} row{'s' if sizes[k] > 1 else ''}"
        ax.plot([], [], SHAPES[shape], color=color, label=name)
    rest = sizes[sizes > 0][n_named:]
    if len(rest):
        ax.plot([], [], " ", label=f"{len(rest):,} more: {rest.sum():,} rows")
    ax.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)


def _path_of(path):
    """The path of a model, or the path itself."""
    if hasattr(path, "fit"):
        check_is_fitted(path)
        if not hasattr(path, "path_"):
            raise ValueError(
                f"{path!r} was fitted without a path. Fit it with lam='auto' and "
                "algorithm='search', or give plot_path what scale_path returned."
            )
        return path.path_
    return path


def _line_name(model):
    return f"price λ − θ ln c, λ = {model.lam_:.4g}, θ = {model.theta_:.2g}"


def _n_clusters(c):
    return f"{c} cluster{'s' if c > 1 else ''}"


def _literal(name):
    """A name as it is: matplotlib would typeset what stands between dollar signs."""
    return name.replace("$", r"\$")


def _round_ticks(axis, values):
    """Round numbers as they are, not as powers of ten, on a logarithmic axis."""
    ticks = round_numbers(np.min(values), np.max(values))
    axis.set_ticks(ticks, [f"{tick:,g}" for tick in ticks])
    axis.set_ticks([], minor=True)
