"""What is compared. Each method takes rows, the seed of its start and parameters, gives a `Fit`.

All of ours run on one thread: the experiments use two processes instead.
"""

import warnings
from typing import NamedTuple

import numpy as np
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import BayesianGaussianMixture
from sklearn.model_selection import KFold

from pypmeans import DPMeans, PYPMeans

PYP, DP = "pyp-means", "dp-means"
KMEANS, KMEANS_BEST, KMEANS_SILHOUETTE = "k-means", "k-means++, best of 10", "k-means, silhouette"
MIXTURE, DENSITY = "variational mixture", "HDBSCAN"
OURS, OURS_DP, OURS_COUNT = "ours", "ours, θ = 0", "ours, number given"
SPECTRAL = "ours, spectral"

SHAPES = "spherical", "diag", "full"  # of the components of a mixture
MOST_COMPONENTS = 30  # of the mixture when nobody tells it the number of classes
CROSS_VALIDATION_ROWS = 1500


class Fit(NamedTuple):
    """Labels, and what is known of how they came about."""

    labels: np.ndarray
    setting: str
    n_iter: int = 0
    rises: int = 0
    objective: float = np.nan


def ours(estimator, X, setting=None):
    """The fit of one of our estimators."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = estimator.fit(X)
    history = model.objective_history_
    # Rounding may lift the last digits where nothing changes.
    rises = int(np.sum(np.diff(history) > 1e-9 * np.abs(history[:-1])))
    setting = setting or f"lam={model.lam_:.4g} theta={model.theta_:.4g}"
    return Fit(model.labels_, setting, model.n_iter_, rises, model.objective_)


def pyp(X, start, lam, ratio):
    """The paper's algorithm with θ = λ / ratio, from a random row."""
    return ours(_from_random(PYPMeans, start, "paper", lam=lam, theta=lam / ratio), X)


def dp(X, start, lam):
    """The paper's algorithm with θ = 0, which is dp-means."""
    return ours(_from_random(DPMeans, start, "paper", lam=lam), X)


def search(X, start, lam, theta):
    """Our search, from a random row."""
    return ours(_from_random(PYPMeans, start, "search", lam=lam, theta=theta), X)


def _from_random(estimator, start, algorithm, **parameters):
    return estimator(
        algorithm=algorithm, init="random", random_state=start, n_threads=1, max_iter=300,
        **parameters,
    )  # fmt: skip


def kmeans(X, start, k):
    """As in the paper: the number is given, centers start at random rows."""
    model = KMeans(min(k, len(X)), init="random", n_init=1, random_state=start).fit(X)
    return Fit(model.labels_, f"k={k}", model.n_iter_, objective=model.inertia_)


def kmeans_best(X, start, k):
    """As most people use it: spread starts, and the best of ten."""
    model = KMeans(min(k, len(X)), n_init=10, random_state=start).fit(X)
    return Fit(model.labels_, f"k={k}", model.n_iter_, objective=model.inertia_)


def mixture(X, start, components, covariance="full"):
    """A variational Dirichlet process mixture of Gaussians, cut off at `components`."""
    model = BayesianGaussianMixture(
        n_components=min(components, len(X)), covariance_type=covariance, random_state=start
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        labels = model.fit_predict(X)
    return Fit(labels, f"components={components} {covariance}", model.n_iter_)


def cross_validated_shape(X, components):
    """The shape of components under which rows left out are most likely: no labels are used.

    Three parts of at most 1500 rows. This is what the paper says it does; it does not say more.
    """
    rows = np.random.default_rng(0).permutation(len(X))[:CROSS_VALIDATION_ROWS]
    parts = list(KFold(3).split(rows))

    def likelihood(shape):
        return np.mean([_held_out(X[rows[a]], X[rows[b]], components, shape) for a, b in parts])

    return max(SHAPES, key=likelihood)


def _held_out(X, others, components, covariance):
    model = BayesianGaussianMixture(
        n_components=min(components, len(X)), covariance_type=covariance, random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X).score(others)


def density(X, min_cluster_size=5):
    """HDBSCAN; the size is its default."""
    labels = HDBSCAN(min_cluster_size=min_cluster_size, copy=True).fit_predict(X)
    return Fit(labels, f"min_cluster_size={min_cluster_size}")


def fit_auto(estimator, X):
    """A model with nothing given, and its fit."""
    model = estimator(n_threads=1)
    return model, ours(model, X)


def from_entry(entry, X):
    """The labels of a solution on the path."""
    setting = f"lam={entry.lam:.4g} theta={entry.theta:.4g} (path)"
    return Fit(entry.predict(X), setting, objective=entry.objective)


def entry_nearest(path, n_clusters):
    """The solution with this number of clusters or nearly so; of several the most likely."""
    return min(path, key=lambda entry: (abs(entry.n_clusters - n_clusters), -entry.score))
