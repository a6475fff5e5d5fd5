"""The path of scales: solutions from one cluster to many, and which of them the data support."""

from dataclasses import dataclass, field
from itertools import pairwise
from numbers import Integral, Real

import numpy as np
from sklearn.utils._param_validation import Interval, Options, validate_params

from pypmeans._evidence import Evidence
from pypmeans._improving import SearchMoves
from pypmeans._penalty import SizedPenalty
from pypmeans._rows import column_variances
from pypmeans._samples import ArraySamples, labels_by
from pypmeans._solver import solve
from pypmeans._validation import check_positive_rows

STEP = 0.5**0.5  # from one squared scale to the next
MOST_ENTRIES = 80
PATH_ROWS = 10_000  # of more rows, a sample shows the scale
PATH_ITER = 100
ROUNDING = 1e-28  # variances below it, in units of the largest number, are not real
DOMINANT = 0.99  # part of the variance in one feature that makes the others meaningless


@dataclass(frozen=True)
class ScaleEntry:
    """One solution of a path.

    Attributes
    ----------
    scale : float
        The standard deviation within clusters, per feature, that the solution assumes.
    lam, theta : float
        The parameters that belong to it.
    deviation : float
        The standard deviation within clusters, per feature, that the solution has.
    n_clusters : int
        The number of clusters.
    score : float
        The log evidence of the solution, up to a constant. The highest is chosen.
    objective : float
        The objective at these parameters.
    cluster_sizes : ndarray of shape (n_clusters,)
        Weights of the clusters, largest first.
    cluster_centers : ndarray of shape (n_clusters, n_features)
        Means of the clusters.
    """

    scale: float
    lam: float
    theta: float
    deviation: float
    n_clusters: int
    score: float
    objective: float
    cluster_sizes: np.ndarray = field(repr=False)
    cluster_centers: np.ndarray = field(repr=False)

    def predict(self, X):
        """The cluster of each row of `X` in this solution.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,), dtype int32
        """
        X, _ = check_positive_rows(X, None)
        if X.shape[1] != self.cluster_centers.shape[1]:
            raise ValueError(
                f"X has {X.shape[1]} features, but the path was made of rows with "
                f"{self.cluster_centers.shape[1]}."
            )
        offsets = SizedPenalty(self.lam, self.theta).offsets(self.cluster_sizes)
        return labels_by(self.cluster_centers, offsets, X)[0]


class ScalePath(tuple):
    """Solutions from the coarsest to the finest, and which one is best.

    A tuple of :class:`ScaleEntry`. `best` is the one with the highest score, `runners_up` are other
    local maxima of the score, best first, and `clarity` is by how much, in nats per row, the best
    score is above the next best number of clusters.
    """

    @property
    def best(self):
        """The entry with the highest score; of equal ones that whose scale fits its clusters."""
        score = max(entry.score for entry in self)
        return min((entry for entry in self if entry.score == score), key=_misfit)

    @property
    def runners_up(self):
        """Other entries whose neighbours on the path score less, best first."""
        steps = [self[0], *(b for a, b in pairwise(self) if b.score != a.score)]  # no plateaus
        scores = [-np.inf, *(entry.score for entry in steps), -np.inf]
        peaks = [
            entry
            for at, entry in enumerate(steps, start=1)
            if scores[at] > max(scores[at - 1], scores[at + 1]) and entry.score < self.best.score
        ]
        return sorted(peaks, key=lambda entry: -entry.score)

    @property
    def clarity(self):
        """How far the best score is above that of any other number of clusters, per unit weight."""
        others = [entry.score for entry in self if entry.n_clusters != self.best.n_clusters]
        total = self.best.cluster_sizes.sum()
        return float((self.best.score - max(others)) / total) if others else np.inf


def _misfit(entry):
    return abs(np.log(entry.scale / entry.deviation)) if entry.deviation > 0 else -entry.scale


@validate_params(
    {
        "X": ["array-like", "sparse matrix"],
        "max_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "theta": [Options(Real, {0}), None],
        "sample_weight": ["array-like", None],
        "n_threads": [Interval(Integral, 1, None, closed="left"), None],
    },
    prefer_skip_nested_validation=True,
)
def scale_path(X, *, max_clusters=None, theta=None, sample_weight=None, n_threads=None):
    """Solutions for all scales, from one cluster to many, each with its evidence.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The rows. Of more than 10,000 a fixed sample is used.
    max_clusters : int, default=None
        Where the path ends at the latest; None means ``30 + 4 sqrt(n_samples)``. It ends earlier
        when there are more than ``sqrt(n_samples)`` clusters and the score has been falling.
    theta : 0 or None, default=None
        0 gives a path of :class:`DPMeans`, None one of :class:`PYPMeans`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.
    n_threads : int, default=None
        Number of threads; None means all CPUs this process may use.

    Returns
    -------
    path : ScalePath
        A tuple of :class:`ScaleEntry`, coarsest first; ``path.best`` has the highest score.

    Notes
    -----
    A scale s stands for ``theta = 2 s²`` and ``lam = s² (p + 4 sqrt(p ln W) + 2 ln W)`` with p
    features and a total weight of W. That λ is a little more than what any rows of one normal group
    of variance s² could save by leaving it, so such a group is never cut.

    Examples
    --------
    >>> from pypmeans import scale_path
    >>> from pypmeans.datasets import make_power_law_blobs
    >>> X, y = make_power_law_blobs(500, n_clusters=7, separation=8, random_state=0)
    >>> path = scale_path(X)
    >>> path.best.n_clusters
    7
    """
    X, weight = check_positive_rows(X, sample_weight)
    if X.shape[0] > PATH_ROWS:
        rows = np.sort(np.random.default_rng(0).choice(X.shape[0], PATH_ROWS, replace=False))
        X = X[rows]  # the same each time
        # Equal weights that take no memory stay so: kernels are compiled for them already.
        weight = weight[: len(rows)] if weight.strides == (0,) else weight[rows]
    most = int(min(30 + 4 * np.sqrt(X.shape[0]), max_clusters or np.inf))
    if weight.sum() <= 2:  # nothing tells how far apart the rows of one group are
        most = 1
    with ArraySamples(X, weight, n_threads) as samples:
        return ScalePath(_walk(samples, Evidence(X, weight), most, theta))


def penalty_of_scale(sq_scale, n_features, total, theta=None):
    """λ and θ for a squared scale: what nothing in a normal group of that variance can save."""
    if theta == 0:
        return SizedPenalty(sq_scale * total)
    log_total = np.log(max(total, 2.0))
    reach = n_features + 4 * np.sqrt(n_features * log_total) + 2 * log_total
    return SizedPenalty(sq_scale * reach, 2 * sq_scale)


def _walk(samples, evidence, most, theta):
    """Entries from the coarsest; each solution starts from the one before."""
    total, p = float(samples.weight.sum()), samples.X.shape[1]
    centers = samples.mean()[None, :]
    samples.assign(centers)
    sq_scale = samples.cost() / total  # the variance of all features: they may go together
    former, scores = None, [-np.inf, -np.inf]
    for _ in range(MOST_ENTRIES):
        penalty = penalty_of_scale(sq_scale or 1.0, p, total, theta)
        moves = SearchMoves(penalty, min(penalty.limit, most))
        solution = solve(samples, centers, moves, max_iter=PATH_ITER)
        centers = solution.centers
        if solution.capped and former is not None:
            return  # the next would have more clusters than asked for
        if former is None or not np.array_equal(former, solution.labels):
            score = evidence.score(solution.labels)
        former = solution.labels
        yield ScaleEntry(
            float(np.sqrt(sq_scale)), penalty.lam, penalty.theta,
            float(np.sqrt(solution.inertia / total / p)), len(centers), score,
            solution.history[-1], solution.sizes, centers,
        )  # fmt: skip
        scores.append(score)
        many = len(centers) > np.sqrt(samples.X.shape[0])
        falling = many and max(scores) > scores[-3] > scores[-2] > scores[-1]
        if falling or len(centers) >= min(most, samples.X.shape[0]) or sq_scale == 0:
            return
        sq_scale *= STEP


def dominance_of_one_feature(X, names=None):
    """What to say if one feature has nearly all the variance, so that distances are its alone."""
    variance = column_variances(X[:: max(1, X.shape[0] // PATH_ROWS)])
    variance[variance < ROUNDING] = 0.0
    j = int(variance.argmax())
    part = variance[j] / variance.sum() if variance.sum() > 0 else 0.0
    if X.shape[1] == 1 or part <= DOMINANT:
        return ""
    name = f"{j}" if names is None else f"{j} ({names[j]!r})"
    return (
        f"Feature {name} has {part:.1%} of the variance, so distances hardly see the others. "
        "Scale the features, with sklearn.preprocessing.MinMaxScaler for example."
    )
