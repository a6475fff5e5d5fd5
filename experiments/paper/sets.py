"""The data: real sets, communities and crime, the paper's groups, heavy tails, shapes."""

from functools import cache
from itertools import count

import numpy as np
import real_data
from sklearn.datasets import make_circles, make_moons

from paper.features import choose_features, into_intervals
from pypmeans.datasets import make_paper_blobs, make_power_law_blobs

SEPARATION = 6.5  # standard deviations between neighbouring groups, at least
FEATURE_LABELS = 11  # intervals of the target for the choice of features


@cache
def real(name):
    """Scaled features, and classes as numbers."""
    X, y = real_data.load(name)
    return X, np.unique(y, return_inverse=True)[1]


@cache
def crime(n_labels, n_features):
    """Communities and crime: the chosen features, and the target cut into intervals."""
    X, rate = real_data.load("communities")
    return X[:, crime_features(n_features)], into_intervals(rate, n_labels)


@cache
def crime_features(n_features):
    """Chosen once and in advance, as in the paper, for the target in 11 intervals."""
    X, rate = real_data.load("communities")
    return choose_features(X, into_intervals(rate, FEATURE_LABELS), n_features)


def crime_feature_names(n_features):
    names, X, _ = real_data.read("communities")
    kept = [name for name, gaps in zip(names, np.isnan(X).mean(axis=0)) if gaps <= 0.5]
    return [kept[column] for column in crime_features(n_features)]


@cache
def synthetic(n_groups, seed):
    return make_paper_blobs(n_groups, random_state=seed)


@cache
def heavy_tailed(ratio, n_groups, smallest, seed):
    """Groups from `smallest` to `ratio` times as many rows, in geometric steps, in [0, 1]."""
    sizes = np.round(smallest * np.geomspace(ratio, 1, n_groups)).astype(int)
    X, y = make_power_law_blobs(sizes=sizes, n_features=3, separation=SEPARATION, random_state=seed)
    return real_data.min_max_scale(X), y


def smallest_groups(n_groups):
    """The smallest third: groups are numbered by decreasing size."""
    return range(n_groups - n_groups // 3, n_groups)


def sized(n_rows, n_groups, seed):
    """As the paper's groups, a tenth of them (one at least) six or seven times as large."""
    n_large = max(1, n_groups // 10)
    small = n_rows * 30 // (200 * n_large + 30 * (n_groups - n_large))
    return make_paper_blobs(
        n_groups, n_large=n_large, large_size=small * 20 // 3, small_size=max(small, 1),
        size_jitter=0.0, random_state=seed,
    )  # fmt: skip


def shape(name, seed):
    """Groups that no center stands for: crescents, or rings of very different sizes."""
    if name == "moons":
        return make_moons(500, noise=0.05, random_state=seed)
    rng = np.random.default_rng(seed)
    rings = [
        make_circles((size, 0), noise=0.02, random_state=int(rng.integers(1000)))[0] * radius
        for size, radius in ((300, 3.0), (100, 1.5), (25, 0.4))
    ]
    y = np.concatenate([np.full(len(ring), k) for k, ring in zip(count(), rings)])
    return np.vstack(rings), y
