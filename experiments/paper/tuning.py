"""How a method gets its parameter. Three protocols:

* paper: λ is tuned with the labels for pyp-means at θ = λ/10; dp-means gets the same λ. k-means
  gets the true number, the mixture too, its setting by cross-validation. Ours gets its scale tuned
  with the labels in the same way.
* fair: every method gets its own parameter tuned with the labels.
* honest: nothing is tuned and no label is used.

Tuned means: of all values tried the one with the largest NMI times accuracy, means over a few
random starts. The sum would do as well but for page-blocks, where a single cluster has an accuracy
of 90 %.
"""

import numpy as np

from paper import methods
from pypmeans import radius_profile
from pypmeans.metrics import clustering_accuracy, normalized_mutual_information

THETA_RATIO = 10  # λ / θ on real data
FAIR_RATIOS = 6, 10, 20
SIZES = 5, 10, 25, 60, 150


def merit(y, labels):
    return normalized_mutual_information(y, labels) * clustering_accuracy(y, labels)


def best_setting(y, settings, fit, n_starts):
    """The setting whose fits agree best with the labels, on average over the starts."""

    def mean_merit(setting):
        return np.mean([merit(y, fit(start, setting).labels) for start in range(n_starts)])

    return max(settings, key=mean_merit)


def tuning_starts(X, settings):
    """How often each value is tried."""
    return settings.tuning_starts if len(X) <= settings.large else settings.large_tuning_starts


def lam_grid(X, n_classes, n_values):
    """λ from that of two clusters down to that of four times the number of classes and ten more."""
    profile = radius_profile(X, min(4 * n_classes + 10, len(X) - 1), n_threads=1)
    profile = profile[profile > 0]
    return np.geomspace(profile[0] * 1.5, profile[-1], n_values).tolist()


def tuned_pyp(X, y, settings, ratios=(THETA_RATIO,)):
    """λ and λ/θ of pyp-means."""
    grid = lam_grid(X, len(np.unique(y)), settings.grid)
    pairs = [(lam, ratio) for lam in grid for ratio in ratios]
    return best_setting(
        y, pairs, lambda start, pair: methods.pyp(X, start, *pair), tuning_starts(X, settings)
    )


def tuned_dp(X, y, settings):
    grid = lam_grid(X, len(np.unique(y)), settings.grid)
    return best_setting(
        y, grid, lambda start, lam: methods.dp(X, start, lam), tuning_starts(X, settings)
    )


def tuned_k(X, y, settings):
    """The number of clusters of k-means, up to three times that of the classes."""
    n_classes = len(np.unique(y))
    counts = np.unique(np.geomspace(2, 3 * n_classes, settings.grid).round().astype(int))
    return best_setting(
        y, counts.tolist(), lambda start, k: methods.kmeans(X, start, k), tuning_starts(X, settings)
    )


def tuned_mixture(X, y):
    """Shape and number of components, by one start each."""
    n_classes = len(np.unique(y))
    counts = n_classes, min(2 * n_classes, max(n_classes, 60))
    tries = [(components, shape) for components in counts for shape in methods.SHAPES]
    return best_setting(y, tries, lambda start, one: methods.mixture(X, start, *one), 1)


def tuned_density(X, y):
    sizes = [size for size in SIZES if size < len(X)]
    return best_setting(y, sizes, lambda start, size: methods.density(X, size), 1)


def tuned_entry(path, X, y):
    """The entry of the path that agrees best with the labels."""
    return max(path, key=lambda entry: merit(y, entry.predict(X)))
