"""Choosing λ: the furthest-first radius profile and where the line λ − θ ln c crosses it."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.utils._param_validation import Interval, validate_params

from pypmeans._penalty import PitmanYorPenalty
from pypmeans._samples import ArraySamples
from pypmeans._validation import check_positive_rows

# θ = λ / 10 unless told otherwise, as in the paper's experiments on real data.
DEFAULT_THETA_RATIO = 10
# How far lam="auto" looks for the largest drop of the profile.
AUTO_CLUSTERS = 50


@validate_params(
    {
        "X": ["array-like", "sparse matrix"],
        "max_clusters": [Interval(Integral, 1, None, closed="left")],
        "sample_weight": ["array-like", None],
        "n_threads": [Interval(Integral, 1, None, closed="left"), None],
    },
    prefer_skip_nested_validation=True,
)
def radius_profile(X, max_clusters, *, sample_weight=None, n_threads=None):
    """How far the furthest point is from its center when 1, 2, 3… centers have been opened.

    Centers are opened furthest first, from the weighted mean, as :class:`PYPMeans` with
    ``algorithm="paper"`` does in its first pass. That pass stops where this profile first falls
    to the line ``lam - theta * ln(c)`` or below: so the profile shows what λ and θ do.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The data.
    max_clusters : int
        The length of the profile. It ends earlier when every row is a center.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows. They move the mean, and rows of weight 0 are left out.
    n_threads : int, default=None
        Number of threads; None means all CPUs this process may use.

    Returns
    -------
    sq_radius : ndarray of shape (n_clusters,)
        ``sq_radius[c - 1]`` is the largest squared distance of a row to the nearest of `c`
        centers. It never rises.

    See Also
    --------
    estimate_lambda : The λ that opens a given number of clusters.

    Examples
    --------
    >>> from pypmeans import radius_profile
    >>> radius_profile([[0.0], [1.0], [10.0], [11.0]], 4)
    array([30.25, 30.25,  1.  ,  1.  ])
    """
    X, weight = check_positive_rows(X, sample_weight)
    with ArraySamples(X, weight, n_threads) as samples:
        return profile_of(samples, max_clusters)


@validate_params(
    {
        "X": ["array-like", "sparse matrix"],
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "theta_ratio": [Interval(Real, 0, np.inf, closed="right")],
        "sample_weight": ["array-like", None],
        "n_threads": [Interval(Integral, 1, None, closed="left"), None],
    },
    prefer_skip_nested_validation=True,
)
def estimate_lambda(X, n_clusters, *, theta_ratio=10, sample_weight=None, n_threads=None):
    """The λ with which the first pass of the paper's algorithm opens `n_clusters` clusters.

    Use it with ``PYPMeans(lam, lam / theta_ratio, algorithm="paper")``. Later passes move, merge
    and open clusters, so the final number may differ somewhat. In particular the first center, the
    mean of all rows, may lie between the groups and end up with no rows: for a few groups that are
    far apart, ask for one more.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The data.
    n_clusters : int
        A rough idea of the number of clusters.
    theta_ratio : float, default=10
        λ / θ. ``numpy.inf`` stands for θ = 0, DP-means.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows; rows of weight 0 are left out.
    n_threads : int, default=None
        Number of threads; None means all CPUs this process may use.

    Returns
    -------
    lam : float
        A squared distance. Where a range of values opens `n_clusters` clusters, its geometric
        middle.

    Warns
    -----
    UserWarning
        If no λ opens exactly `n_clusters` clusters; λ is then for the nearest number possible.

    See Also
    --------
    radius_profile : The squared radii the estimate is read from.

    Notes
    -----
    Kulis and Jordan, and the paper after them (Sec. VI-C), take the squared radius r²(c) at
    ``c = n_clusters``. With θ = λ / r the line λ (1 - ln(c) / r) must cross the profile there and
    not before, so λ must lie in [g(c), min g(c')) over c' < c, where
    g(c) = r²(c) / (1 - ln(c) / r).

    Examples
    --------
    >>> from pypmeans import DPMeans, estimate_lambda, radius_profile
    >>> X = [[0.0], [0.5], [10.0], [10.5], [40.0]]
    >>> radius_profile(X, 3)
    array([772.84, 148.84,   4.84])
    >>> lam = estimate_lambda(X, 3, theta_ratio=float("inf"))  # the root of 148.84 * 4.84
    >>> round(lam, 2)
    26.84
    >>> DPMeans(lam, algorithm="paper").fit(X).labels_
    array([0, 0, 1, 1, 2], dtype=int32)
    """
    X, weight = check_positive_rows(X, sample_weight)
    with ArraySamples(X, weight, n_threads) as samples:
        sq_radius = profile_of(samples, n_clusters)
    _check_reachable(n_clusters, len(sq_radius), theta_ratio)
    needed = lam_needed(sq_radius, theta_ratio=theta_ratio)
    lam, count = lam_opening(n_clusters, needed)
    if count != n_clusters:
        warnings.warn(
            f"No lam opens exactly n_clusters={n_clusters} clusters with theta_ratio={theta_ratio};"
            f" lam={lam:.6g} opens {count}, the nearest number possible.",
            stacklevel=3,  # over scikit-learn's check of the parameters
        )
    return lam


def auto_lam(samples, theta):
    """The λ that stops the opening at the largest relative drop of the radius profile.

    `theta` is a number, or None for λ / 10. At least one drop is taken, so this finds two clusters
    or more wherever rows differ.
    """
    most = int(min(AUTO_CLUSTERS, max(2, samples.weight.sum() // 2)))
    sq_radius = profile_of(samples, most)
    if len(sq_radius) == 1:
        return lam_opening(1, lam_needed(sq_radius, theta_ratio=np.inf))[0]
    with np.errstate(divide="ignore", over="ignore"):
        drop = sq_radius[:-1] / sq_radius[1:]
    needed = lam_needed(sq_radius, theta=theta, theta_ratio=DEFAULT_THETA_RATIO)
    return lam_opening(int(drop.argmax()) + 2, needed)[0]


def theta_of(lam, samples):
    """The θ for which λ is the usual price of a center's parameters: ``lam = theta (p/2) ln W``."""
    total = samples.weight.sum()
    return 2 * lam / (samples.X.shape[1] * np.log(total)) if total > 1 else 0.0


def profile_of(samples, max_clusters):
    """Largest squared distance to the nearest of 1, 2, … `max_clusters` centers."""
    samples.assign(samples.mean()[None, :])
    sq_radius = [samples.farthest().sq_dist]
    while len(sq_radius) < max_clusters and sq_radius[-1] > 0:
        samples.absorb(samples.farthest().point)
        sq_radius.append(samples.farthest().sq_dist)
    return np.array(sq_radius)


def lam_needed(sq_radius, *, theta=None, theta_ratio):
    """The least λ at which the opening stops at 1, 2, 3… clusters: the line meets the profile.

    With a number for `theta` the line is ``lam - theta ln c``; otherwise theta is
    ``lam / theta_ratio``.
    """
    log_c = np.log(np.arange(1, len(sq_radius) + 1))
    if theta is not None:
        return sq_radius + theta * log_c
    slope = 1 - log_c / theta_ratio
    # Where the line has fallen to zero no λ is enough.
    return np.where(slope > 0, sq_radius / np.where(slope > 0, slope, 1.0), np.inf)


def lam_opening(n_clusters, needed):
    """A λ that opens `n_clusters` clusters, or the nearest number possible; and that number."""
    # λ opens c clusters if it suffices at c and at no smaller count: a new minimum of `needed`.
    least_before = np.concatenate(([np.inf], np.minimum.accumulate(needed)[:-1]))
    possible = np.flatnonzero(needed < least_before)
    possible = possible[::-1]  # of two equally near numbers the larger
    at = int(possible[np.argmin(np.abs(possible + 1 - n_clusters))])
    lower, upper = needed[at], least_before[at]
    if at == 0:
        return float(lower) or 1.0, 1  # equal rows form one cluster whatever λ is
    # The root of each first: their product may not be a float any more.
    return float(np.sqrt(lower) * np.sqrt(upper) if lower > 0 else upper / 2), at + 1


def _check_reachable(n_clusters, n_opened, theta_ratio):
    limit = PitmanYorPenalty(theta_ratio, 1.0).limit if np.isfinite(theta_ratio) else n_clusters
    if n_clusters > limit:
        raise ValueError(
            f"theta_ratio={theta_ratio} allows no more than {limit} clusters; got "
            f"n_clusters={n_clusters}. Raise theta_ratio."
        )
    if n_clusters > n_opened:
        raise ValueError(
            f"n_clusters={n_clusters} is more than X can give: with {n_opened} centers every "
            "row is one."
        )
