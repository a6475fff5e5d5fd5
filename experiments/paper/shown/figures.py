"""The figures that show results; each is a function of the results and gives a figure."""

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt

from paper import methods
from paper.shown.tables import means_by_level, pick

# Always the same file for the same results.
mpl.use("Agg")
mpl.rcParams.update(
    {
        "svg.hashsalt": "pypmeans", "svg.fonttype": "path", "axes.spines.top": False,
        "axes.spines.right": False, "axes.grid": True, "grid.color": "0.92", "font.size": 9,
        "legend.frameon": False, "axes.axisbelow": True, "figure.constrained_layout.use": True,
    }
)  # fmt: skip

# Colours that the colour-blind can tell apart (Okabe and Ito); ours is drawn thicker.
COLOURS = {
    methods.OURS: "#D55E00", methods.OURS_COUNT: "#E69F00", "ours, scale given": "#E69F00",
    methods.PYP: "#0072B2", methods.DP: "#56B4E9", methods.KMEANS: "#000000",
    methods.KMEANS_BEST: "#888888", methods.MIXTURE: "#009E73", methods.DENSITY: "#CC79A7",
}  # fmt: skip
MARKERS = dict(zip(COLOURS, "osspD^vX*"))
# What is drawn against the number of groups and the ratio of sizes: method, protocol, name.
DRAWN = (
    (methods.OURS, "honest", "ours, nothing given"),
    (methods.OURS_COUNT, "fair", methods.OURS_COUNT),
    (methods.PYP, "paper", "pyp-means, λ of the paper"),
    (methods.PYP, "fair", "pyp-means, its own λ"),
    (methods.DP, "paper", "dp-means, λ of the paper"),
    (methods.DP, "fair", "dp-means, its own λ"),
    (methods.KMEANS, "paper", "k-means, number given"),
    (methods.KMEANS_BEST, "fair", "k-means++ best of 10, number given"),
    (methods.MIXTURE, "paper", "variational mixture, number given"),
    (methods.DENSITY, "honest", "HDBSCAN"),
)


def line_style(method, protocol=""):
    return {
        "color": COLOURS.get(method, "0.5"), "marker": MARKERS.get(method, "."), "markersize": 4,
        "linewidth": 2.2 if method == methods.OURS else 1.2,
        "linestyle": "--" if protocol == "paper" and method in (methods.PYP, methods.DP) else "-",
        "zorder": 3 if method == methods.OURS else 2,
    }  # fmt: skip


def draw_by_level(ax, frame, experiment, column, scale=1.0):
    """A line for each method; returns the axes."""
    means = means_by_level(frame, experiment, column)
    for method, protocol, name in DRAWN:
        if (protocol, method) in means.index:
            values = means.loc[(protocol, method)]
            ax.plot(values.index, values * scale, label=name, **line_style(method, protocol))
    return ax


def figure_1(frame):
    """Communities by the rate of violent crime, in 16 intervals."""
    figure, ax = plt.subplots(figsize=(5, 2.8))
    bars = pick(frame, experiment="histogram").sort_values("level")
    edges = (bars.level + 0.5) / 16
    ax.bar(edges, bars.n_rows, width=0.9 / 16, color=COLOURS[methods.PYP])
    ax.set(xlabel="violent crimes per population, scaled to [0, 1]", ylabel="communities")
    return figure


def figure_3(frame):
    """NMI and ACC against the number of groups."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6))
    for ax, column, name in zip(axes, ("nmi", "acc"), ("NMI", "ACC in percent")):
        draw_by_level(ax, frame, "groups", column, 100 if column == "acc" else 1)
        ax.set(xlabel="number of groups", ylabel=name)
    outside_legend(figure, axes[0])
    return figure


def outside_legend(figure, ax, columns=3):
    handles, names = ax.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=columns)


def figure_4(frame):
    """Clusters found over groups there are."""
    figure, ax = plt.subplots(figsize=(6, 4))
    runs = pick(frame, experiment="groups").assign(rate=lambda all: all.n_found / all.n_true)
    told = {methods.KMEANS, methods.KMEANS_BEST}
    draw_by_level(ax, runs[~runs.method.isin(told)], "groups", "rate")
    ax.axhline(1, color="0.6", linewidth=1, zorder=0)
    ax.set(xlabel="number of groups", ylabel="discovery rate")
    outside_legend(figure, ax, columns=2)
    return figure


def figure_6(frame):
    """Clusters found against λ, for two readings of λ."""
    runs = pick(frame, experiment="thresholds")
    readings = sorted(runs.data.unique(), reverse=True)
    figure, axes = plt.subplots(1, len(readings), figsize=(9, 3.6), squeeze=False)
    for ax, reading in zip(axes[0], readings):
        for at, level in enumerate(sorted(runs.level.unique())):
            for method, dash in ((methods.PYP, "-"), (methods.DP, "--")):
                mine = pick(runs, data=reading, level=level, method=method)
                mean = mine.groupby("value").n_found.mean()
                name = f"{level:g} groups" if dash == "-" else None
                ax.plot(mean.index, mean, dash, color=f"C{at}", label=name, marker=".")
            ax.axhline(level, color=f"C{at}", linewidth=0.8, linestyle=":", zorder=0)
        ax.set(xlabel="λ", ylabel="clusters found", yscale="log", title=reading)
    axes[0, 0].plot([], [], "k-", label="pyp-means, θ = λ/10")
    axes[0, 0].plot([], [], "k--", label="dp-means")
    axes[0, 0].plot([], [], "k:", label="true number")
    outside_legend(figure, axes[0, 0])
    return figure


def figure_7(timings):
    """Running time against rows, groups, λ and θ."""
    figure, axes = plt.subplots(2, 2, figsize=(9, 6.4))
    for ax, experiment, name in zip(
        axes[0], ("time by rows", "time by groups"), ("rows (30 groups)", "groups (4000 rows)")
    ):
        for method in COLOURS:
            mine = pick(timings, experiment=experiment, method=method).sort_values("level")
            if len(mine):
                ax.plot(mine.level, mine.seconds, label=method, **line_style(method))
        ax.set(xlabel=name, ylabel="seconds", xscale="log", yscale="log")
    for ax, parameter, letter in zip(axes[1], ("lam", "theta"), ("λ, θ = λ/6", "θ, λ held")):
        mine = pick(timings, experiment=f"time by {parameter}").sort_values("level")
        ax.plot(mine.level, 1000 * mine.seconds, **line_style(methods.PYP))
        ax.set(xlabel=f"{letter} (pyp-means)", ylabel="milliseconds", xscale="log", ylim=0)
    outside_legend(figure, axes[0, 0])
    return figure


def figure_convergence(frame):
    """The objective by pass, above its last value and relative to it."""
    runs = pick(frame, experiment="convergence")
    names = runs.data.unique()
    figure, axes = plt.subplots(1, len(names), figsize=(3.2 * len(names), 3.2), squeeze=False)
    for ax, name in zip(axes[0], names):
        for method in (methods.PYP, methods.OURS):
            mine = pick(runs, data=name, method=method).sort_values("level")
            last = mine.objective.iloc[-1]
            above = (mine.objective / last - 1).clip(lower=1e-6)
            ax.plot(mine.level, above, label=method, **line_style(method))
        ax.set(title=name, xlabel="pass", ylabel="objective above its last value, relative")
        ax.set_yscale("log")
    axes[0, 0].legend()
    return figure


def figure_urn(frame):
    """Frequencies of patterns that an exchangeable urn would draw equally often."""
    runs = pick(frame, experiment="exchangeability")
    figure, axes = plt.subplots(1, 2, figsize=(9, 3), sharey=True)
    kinds = {pattern: sizes_of(pattern) for pattern in runs.data.unique()}
    order = sorted(kinds, key=lambda pattern: (kinds[pattern], pattern))
    for ax, (name, mine) in zip(axes, runs.groupby("method")):
        values = mine.set_index("data").value.reindex(order).fillna(0)
        shades = [f"C{sorted(set(kinds.values())).index(kinds[pattern])}" for pattern in order]
        ax.bar(np.arange(len(order)), values, color=shades)
        ax.set_xticks(np.arange(len(order)), order, rotation=90, fontsize=7)
        ax.set(title=name, ylabel="frequency")
    return figure


def sizes_of(pattern):
    """Cluster sizes of a pattern of letters, largest first."""
    return tuple(sorted((pattern.count(letter) for letter in set(pattern)), reverse=True))


def figure_tails(frame):
    """Small groups found, and NMI, against the ratio of largest to smallest."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.8))
    for ax, column, name in zip(axes, ("small_recall", "nmi"), ("small groups found", "NMI")):
        draw_by_level(ax, frame, "tails", column)
        ax.set(xlabel="largest over smallest group", ylabel=name, xscale="log")
        ax.set_xticks(sorted(pick(frame, experiment="tails").level.unique()))
        ax.xaxis.set_major_formatter("{x:g}")
        ax.xaxis.set_minor_locator(mpl.ticker.NullLocator())
    axes[0].set_ylim(-0.03, 1.03)
    outside_legend(figure, axes[0])
    return figure


def figure_real(frame):
    """NMI on the real sets: the paper's printed values and ours, by protocol."""
    runs = pick(frame, experiment="real")
    names = list(runs.data.unique())
    figure, ax = plt.subplots(figsize=(9, 3.4))
    shown = (
        (methods.PYP, "paper", "pyp-means, λ tuned"), (methods.OURS, "paper", "ours, scale tuned"),
        (methods.OURS_DP, "paper", "ours θ = 0, scale tuned"),
        (methods.OURS, "honest", "ours, nothing tuned"), (methods.KMEANS, "paper", "k-means"),
        (methods.DENSITY, "honest", "HDBSCAN"),
    )  # fmt: skip
    shades = ("#0072B2", "#E69F00", "#F0E442", "#D55E00", "#000000", "#CC79A7")
    for at, ((method, protocol, name), shade) in enumerate(zip(shown, shades)):
        means = pick(runs, method=method, protocol=protocol).groupby("data").nmi.mean()
        places = np.arange(len(names)) + (at - 2.5) * 0.13
        ax.bar(places, means.reindex(names), width=0.12, color=shade, label=name)
    ax.set_xticks(np.arange(len(names)), names, rotation=20)
    ax.set_ylabel("NMI")
    outside_legend(figure, ax)
    return figure
