"""Explanatory drawings: what a pass does (Fig. 2), and when two clusters merge (Fig. 5)."""

import warnings

import numpy as np
from matplotlib import pyplot as plt

from pypmeans import DPMeans, PYPMeans
from pypmeans.datasets import make_power_law_blobs

LAM, THETA = 0.16, 0.03


def figure_2():
    """Rows within and beyond the threshold, the clusters they open, and the end."""
    X, _ = make_power_law_blobs(
        sizes=[60, 25, 12, 8, 6], n_features=2, separation=6.5, random_state=3
    )
    X = (X - X.min(axis=0)) / np.ptp(X, axis=0).max()
    figure, axes = plt.subplots(1, 3, figsize=(9, 3.2), sharex=True, sharey=True)
    mean = X.mean(axis=0)[None, :]
    far = np.sum((X - mean) ** 2, axis=1) > LAM
    scatter(axes[0], X[~far], "0.35", "λ-in")
    scatter(axes[0], X[far], "#D55E00", "λ-out")
    draw_reach(axes[0], mean, LAM)
    axes[0].legend(loc="upper right")
    axes[0].set_title("start: one center, the mean")
    for ax, passes, title in ((axes[1], 1, "after one pass"), (axes[2], 100, "at the end")):
        model = fitted(PYPMeans(LAM, THETA, algorithm="paper", max_iter=passes), X)
        for k in range(model.n_clusters_):
            scatter(ax, X[model.labels_ == k], f"C{k}")
        c = model.n_clusters_
        draw_reach(ax, model.cluster_centers_, LAM - THETA * np.log(c))
        ax.set_title(f"{title}: {c} clusters")
    for ax in axes:
        ax.set(aspect="equal", xticks=[], yticks=[])
    return figure


def figure_5():
    """Two pairs whose centers are closer than the threshold become one cluster."""
    gap = np.sqrt(0.8)
    X = np.array([[0, 0.25], [0, -0.25], [gap, 0.25], [gap, -0.25]])
    pairs = np.array([[0.0, 0.0], [gap, 0.0]])
    merged = fitted(DPMeans(1.0, algorithm="paper", init=pairs), X)
    figure, axes = plt.subplots(1, 2, figsize=(7, 2.6), sharex=True, sharey=True)
    for ax, centers, title in (
        (axes[0], pairs, "two clusters, squared distance 0.8 λ"),
        (axes[1], merged.cluster_centers_, "0.8 λ < (2 + 2)/(2 · 2) λ: one cluster"),
    ):
        nearest = np.argmin(((X[:, None] - centers) ** 2).sum(axis=2), axis=1)
        for k in range(len(centers)):
            scatter(ax, X[nearest == k], f"C{k}")
        ax.plot(*centers.T, "k+", markersize=10)
        for letter, (x, y) in zip("ABCD", X):
            ax.annotate(letter, (x, y), (5, 5), textcoords="offset points")
        ax.set_title(title, fontsize=9)
        ax.set(aspect="equal", xticks=[], yticks=[], xlim=(-0.4, 1.3), ylim=(-0.5, 0.5))
    return figure


def scatter(ax, X, color, label=None):
    ax.plot(*X.T, "o", color=color, markersize=3.5, label=label)


def draw_reach(ax, centers, sq_radius):
    """Centers, and circles as far as their reach."""
    ax.plot(*centers.T, "k+", markersize=9, markeredgewidth=1.5)
    for center in centers:
        ax.add_patch(plt.Circle(center, np.sqrt(sq_radius), fill=False, color="0.6"))


def fitted(model, X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # one pass is not convergence, and not meant to be
        return model.fit(X)
