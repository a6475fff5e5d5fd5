"""How probable data are as groups: the score by which a scale is chosen, without any labels.

The score of a partition is the logarithm of its probability under a Pitman-Yor process, whose
parameters are fitted to the sizes, plus the marginal likelihood of the rows of each cluster as a
normal distribution of unknown mean and covariance. Whether covariances are round, along the axes or
full is decided by the evidence itself: the likeliest of the three counts.
"""

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh
from scipy.special import gammaln, multigammaln

from pypmeans._rows import Centered, dense_rows, fits_dense, is_sparse
from pypmeans.process import fit_pitman_yor

MOST_FEATURES = 40  # more are replaced by as many principal components, or one for ten rows
# A covariance is expected to be this many times the data's variance, divided by the square of how
# many clusters there are along each axis (Fraley and Raftery 2007 take 1).
SPREAD = 2.0
# How many rows the prior of a mean is worth when clusters are as wide as all data together.
MEAN_ROWS = 0.05
OUTLYING = 0.01  # part of the rows at either end of a feature that the prior does not look at
SHAPE = 1.5  # of the inverse gamma prior of a variance: the least whose mean exists, and a half


class Evidence:
    """Scores partitions of the rows of `X`, which may have weights."""

    def __init__(self, X, weight):
        unit = float(abs(X).max()) or 1.0
        X = dense_rows(X, slice(None)) if is_sparse(X) and fits_dense(X) else X.astype(np.float64)
        X = X / unit  # squares of this are sure to be numbers
        self._X = leading_components(X, weight)
        self._turned = self._X is not X
        self._of_unit = weight.sum() * self._X.shape[1] * np.log(unit)
        self._weight = weight
        # A few rows far out say nothing of how wide and where groups are expected to be.
        ends = np.quantile(
            self._X, [OUTLYING, 1 - OUTLYING], axis=0, weights=weight, method="inverted_cdf"
        )
        bulk = np.clip(self._X, *ends)
        total = weight.sum()
        self._mean = weight @ bulk / total
        variance = weight @ (bulk - self._mean) ** 2 / total
        # Nearly constant features would see a group in every few equal values.
        self._variance = np.maximum(variance, variance.mean())

    def score(self, labels):
        """Log-probability of the rows and of this partition, up to a constant."""
        if not self._variance.any():
            return 0.0
        groups = np.split(np.argsort(labels, kind="stable"), np.cumsum(np.bincount(labels))[:-1])
        groups = [rows for rows in groups if len(rows)]
        narrowing = len(groups) ** (-2 / self._X.shape[1])
        moments = [self._moments(rows) for rows in groups]
        sizes = np.array([moment[0] for moment in moments])
        likelihood = np.sum([self._likelihoods(moment, narrowing) for moment in moments], axis=0)
        if self._turned:  # principal components are the axes of the widest clusters
            likelihood[1] = -np.inf
        # Weights below 1 have no place in a partition of balls: clusters count as one at least.
        balls = np.maximum(np.rint(sizes), 1).astype(int)
        return float(likelihood.max() + fit_pitman_yor(balls).log_likelihood - self._of_unit)

    def _moments(self, rows):
        weight, X = self._weight[rows], self._X[rows]
        size = weight.sum()
        mean = weight @ X / size
        about = (X - mean) * np.sqrt(weight)[:, None]
        return size, mean - self._mean, about.T @ about

    def _likelihoods(self, moments, narrowing):
        """Log marginal likelihood of one cluster: round, along the axes, full."""
        n, shift, scatter = moments
        p = len(shift)
        variance = SPREAD * narrowing * self._variance
        rows = MEAN_ROWS * narrowing
        scatter = scatter + rows * n / (rows + n) * np.outer(shift, shift)
        of_mean = p / 2 * np.log(rows / (rows + n)) - n * p / 2 * np.log(np.pi)
        diagonal = scatter.diagonal()
        round_one = _gamma(n * p / 2, SHAPE * variance.mean(), diagonal.sum() / 2)
        along_axes = np.sum(_gamma(n / 2, SHAPE * variance, diagonal / 2))
        doubt = p + 2  # the least degrees of freedom for which a covariance is expected to exist
        full = (
            multigammaln((doubt + n) / 2, p)
            - multigammaln(doubt / 2, p)
            + doubt / 2 * np.log(variance).sum()
            - (doubt + n) / 2 * np.linalg.slogdet(np.diag(variance) + scatter)[1]
        )
        halves = n * p / 2 * np.log(2)
        return np.array([round_one - halves, along_axes - halves, full]) + of_mean


def _gamma(half_n, rate, half_squares):
    """Log of the integral over a variance with an inverse gamma prior, but for powers of 2π."""
    shape = SHAPE + half_n
    return (
        gammaln(shape) - gammaln(SHAPE) + SHAPE * np.log(rate) - shape * np.log(rate + half_squares)
    )


def leading_components(X, weight):
    """The rows in so few coordinates that a covariance can be judged: where they vary most."""
    if X.shape[1] <= MOST_FEATURES:
        return X
    n_kept = min(MOST_FEATURES, max(2, int(weight.sum() / 10)))
    if is_sparse(X):
        return leading_of_sparse(X, weight, n_kept)
    about = X - weight @ X / weight.sum()
    root = about * np.sqrt(weight)[:, None]
    if X.shape[1] <= len(X):
        values, vectors = np.linalg.eigh(root.T @ root)
    else:  # fewer rows than features: the same directions from the smaller matrix
        values, rows = np.linalg.eigh(root @ root.T)
        vectors = root.T @ rows / np.sqrt(np.maximum(values, np.finfo(float).tiny))
    return about @ vectors[:, _varying(values, len(values))][:, -n_kept:]


def leading_of_sparse(X, weight, n_kept):
    """The same for many sparse rows, by products with them: they stay sparse."""
    about, root, n = Centered(X, X.T @ weight / weight.sum()), np.sqrt(weight), X.shape[0]
    products = LinearOperator(
        (n, n), lambda v: root * about.times(about.added_up(root * v.ravel())), dtype=float
    )
    start = np.random.default_rng(0).normal(size=n)  # the same each time
    if not np.any(products @ start):  # all rows are equal
        return np.zeros((n, 1))
    if n > 2 * MOST_FEATURES:
        values, rows = eigsh(products, k=n_kept, v0=start, which="LA")
    else:
        values, rows = np.linalg.eigh(products @ np.eye(n))
    varies = _varying(values, n)
    lengths = np.sqrt(np.maximum(values[varies], 0.0))
    return (about.unit * rows[:, varies] * lengths / root[:, None])[:, -n_kept:]


def _varying(values, n_values):
    """Which eigenvalues are not just rounding: rows or features may depend on others."""
    return values >= n_values * np.finfo(float).eps * values[-1]
