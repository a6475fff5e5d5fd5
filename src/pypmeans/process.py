"""The Pitman-Yor process: drawing partitions, their probability, fitting it to cluster sizes.

Also the paper's modified urn. The paper is Fan, Zeng and Cao (2013), "Non-parametric power-law
data clustering".
"""

from numbers import Integral, Real
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import digamma, gammaln, polygamma
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, validate_params

from pypmeans._urn import draw_labels

__all__ = [
    "PitmanYorFit",
    "expected_n_clusters",
    "fit_pitman_yor",
    "log_eppf",
    "sample_modified_partition",
    "sample_partition",
]

MOST_BALLS = 1e12  # beyond it the likelihood loses the digits that tell parameters apart
FINITE = Interval(Real, -np.inf, np.inf, closed="neither")
COUNT = Interval(Integral, 1, None, closed="left")
LABEL_COUNT = Interval(Integral, 1, np.iinfo(np.int32).max, closed="both")
DISCOUNT = Interval(Real, 0, 1, closed="left")


@validate_params(
    {
        "n_samples": [LABEL_COUNT],
        "concentration": [FINITE],
        "discount": [DISCOUNT],
        "random_state": ["random_state"],
    },
    prefer_skip_nested_validation=True,
)
def sample_partition(n_samples, concentration, discount=0.0, *, random_state=None):
    """Draw a random partition from the Pólya urn of the Pitman-Yor process.

    Ball after ball joins cluster k, of size n_k, with a weight of ``n_k - discount``, or founds
    cluster c + 1 with a weight of ``concentration + c * discount`` (Sec. II-B of the paper).

    Parameters
    ----------
    n_samples : int
        Number of balls, at least 1.
    concentration : float
        Weight of a new cluster, above ``-discount``. The paper's λ of Sec. II-B.
    discount : float, default=0.0
        Weight moved from each existing cluster to the new one, in [0, 1). The paper's d. With 0
        the urn is that of the Dirichlet process, known as the Chinese restaurant process.
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same partition every time.

    Returns
    -------
    labels : ndarray of shape (n_samples,), dtype int32
        Cluster of each ball, numbered 0, 1, 2… in order of appearance.

    See Also
    --------
    log_eppf : The probability of a partition.
    expected_n_clusters : How many clusters to expect.
    sample_modified_partition : The urn that the paper puts in place of this one.

    Notes
    -----
    The time is proportional to `n_samples`, however many clusters there are. With a positive
    discount the number of clusters grows like ``n_samples ** discount`` and their sizes follow a
    power law: a fraction `discount` of all clusters has a single ball (Pitman, 2006).

    References
    ----------
    Pitman, J., Yor, M. (1997). The two-parameter Poisson-Dirichlet distribution derived from a
    stable subordinator. Annals of Probability, 25(2), 855-900.

    Pitman, J. (2006). Combinatorial stochastic processes. Springer.

    Examples
    --------
    >>> from pypmeans.process import sample_partition
    >>> sample_partition(12, concentration=1.0, discount=0.5, random_state=5)
    array([0, 0, 1, 1, 2, 1, 1, 3, 1, 0, 0, 1], dtype=int32)
    """
    _check_concentration(concentration, discount)
    founding_weights = concentration + discount * np.arange(1.0, n_samples)
    return _draw(founding_weights, discount, random_state)


@validate_params(
    {
        "n_samples": [LABEL_COUNT],
        "lam": [FINITE],
        "theta": [Interval(Real, 0, np.inf, closed="left")],
        "epsilon": [Interval(Real, 0, np.inf, closed="neither")],
        "random_state": ["random_state"],
    },
    prefer_skip_nested_validation=True,
)
def sample_modified_partition(n_samples, lam, theta, epsilon, *, random_state=None):
    """Draw a random partition from the paper's modified urn (Sec. III and IV).

    The first ball founds a cluster. Every further ball joins cluster k, of size n_k, with a
    weight of ``n_k * exp(-theta / (2 * epsilon))``, or founds cluster c + 1 with a weight of
    ``exp(-(lam - theta * ln(c)) / (2 * epsilon))``: the paper's p_{i,k} and p_{i,new} without
    the terms that depend on the data.

    Parameters
    ----------
    n_samples : int
        Number of balls, at least 1.
    lam : float
        The λ of pyp-means, a squared distance; here it may also be negative, which makes new
        clusters more likely.
    theta : float
        The θ of pyp-means, a squared distance, not negative. With 0 the urn is that of the
        Dirichlet process with a concentration of ``exp(-lam / (2 * epsilon))``.
    epsilon : float
        Variance inside a cluster per feature, above 0. pyp-means is the limit at 0.
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same partition every time.

    Returns
    -------
    labels : ndarray of shape (n_samples,), dtype int32
        Cluster of each ball, numbered 0, 1, 2… in order of appearance.

    See Also
    --------
    sample_partition : The urn of the Pitman-Yor process.

    Notes
    -----
    Unlike the Pitman-Yor urn, this one is not exchangeable for any ``theta > 0``, contrary to
    Proposition 1 of the paper: the total weight depends on the number of clusters so far, hence
    on the order of the balls. Three balls show it: with ``lam = theta = 1`` and
    ``epsilon = 1/2`` the labels (0, 0, 1) have probability 1/2 · 1/3 = 1/6, but (0, 1, 0), with
    the same cluster sizes, 1/2 · 1/4 = 1/8.

    A new cluster weighs ``g * c ** (theta / (2 * epsilon))`` balls, with
    ``g = exp((theta - lam) / (2 * epsilon))``. So the number of clusters grows like a power of
    ln n for ``theta < 2 * epsilon``, like ``n ** g`` for ``theta = 2 * epsilon`` and g below 1,
    and beyond that in proportion to n: a power law needs ``theta = 2 * epsilon``.

    Examples
    --------
    >>> from pypmeans.process import sample_modified_partition
    >>> sample_modified_partition(12, lam=2.0, theta=1.0, epsilon=0.5, random_state=5)
    array([0, 0, 1, 0, 2, 2, 0, 0, 0, 2, 2, 0], dtype=int32)
    """
    n_clusters = np.arange(1.0, n_samples)
    # Only the ratio of the two exponentials matters.
    with np.errstate(over="ignore"):
        log_weights = (theta + theta * np.log(n_clusters) - lam) / 2 / epsilon
    # Beyond e^±700 the choice is certain to every digit; the limit avoids overflow.
    return _draw(np.exp(np.clip(log_weights, -700, 700)), 0.0, random_state)


@validate_params(
    {"sizes": ["array-like"], "concentration": [FINITE], "discount": [DISCOUNT]},
    prefer_skip_nested_validation=True,
)
def log_eppf(sizes, concentration, discount):
    """Log-probability of one partition with these cluster sizes under the Pitman-Yor process.

    Parameters
    ----------
    sizes : array-like of shape (n_clusters,)
        Sizes of the clusters, positive whole numbers in any order.
    concentration : float
        Concentration of the process, above ``-discount``.
    discount : float
        Discount of the process, in [0, 1).

    Returns
    -------
    log_probability : float
        Natural logarithm of the exchangeable partition probability function (EPPF). It is the
        probability of a particular partition of labelled balls: summed over all partitions, of
        which many have the same sizes, it gives 1.

    See Also
    --------
    fit_pitman_yor : The parameters that make given sizes most probable.

    Notes
    -----
    For c clusters of sizes n_1…n_c, n in all, concentration α and discount d, the EPPF is
    ``(α + d)(α + 2d)…(α + (c - 1) d) / (α + 1)_{n - 1}`` times the product of all
    ``(1 - d)_{n_k - 1}``, where ``(x)_m = x (x + 1)…(x + m - 1)``. The order of the balls does
    not appear: the partition is exchangeable. The time depends on the number of clusters only.

    References
    ----------
    Pitman, J. (2006). Combinatorial stochastic processes. Springer, Sec. 3.2.

    Examples
    --------
    Two balls share a cluster with probability ``(1 - d) / (α + 1)``, here 0.5 / 2:

    >>> import numpy as np
    >>> from pypmeans.process import log_eppf
    >>> float(np.exp(log_eppf([2], concentration=1.0, discount=0.5)).round(12))
    0.25
    """
    sizes = _check_sizes(sizes)
    _check_concentration(concentration, discount)
    return _Likelihood(sizes).value(concentration + discount, discount)


class PitmanYorFit(NamedTuple):
    """Parameters of a Pitman-Yor process fitted to cluster sizes, see :func:`fit_pitman_yor`."""

    concentration: float
    discount: float
    concentration_se: float
    discount_se: float
    log_likelihood: float


@validate_params({"sizes": ["array-like"]}, prefer_skip_nested_validation=True)
def fit_pitman_yor(sizes):
    """Fit the concentration and discount of a Pitman-Yor process to cluster sizes.

    Parameters
    ----------
    sizes : array-like of shape (n_clusters,)
        Sizes of the clusters, positive whole numbers in any order.

    Returns
    -------
    fit : PitmanYorFit
        The parameters of maximum likelihood `concentration` and `discount`, their standard
        errors `concentration_se` and `discount_se`, and the maximum `log_likelihood`, which is
        :func:`log_eppf` at these parameters. With a discount above 0, the sizes follow a power
        law.

    See Also
    --------
    log_eppf : The function that is maximised.

    Notes
    -----
    The standard errors come from the curvature of the log-likelihood at its maximum. Where there
    is no such maximum, the fit is as follows:

    * Sizes as even as or more even than those of a Dirichlet process have their maximum on the
      boundary, at ``discount = 0``. There `discount_se` is nan, and `concentration_se` is that
      of a Dirichlet process, whose discount is known to be 0.
    * One cluster is the more probable the nearer both parameters are to 0. The fit is that
      limit: both 0, log-likelihood 0 (probability 1), standard errors nan.
    * Clusters of a single ball each are the more probable the larger the concentration. The fit
      is that limit: concentration inf, discount 0, log-likelihood 0, standard errors nan.

    In the last two cases the parameters are limits and not accepted by :func:`sample_partition`
    and :func:`log_eppf`.

    Only the number of clusters of each size matters, not the number of balls: sizes of 10⁹ take
    no longer than sizes of 10. The concentration is known poorly from one partition, with an
    error that hardly shrinks as balls are added; the discount is known much better.

    Examples
    --------
    Few large and many small clusters follow a power law, equal ones do not:

    >>> from pypmeans.process import fit_pitman_yor
    >>> sizes = [500, 200, 90, 40, 20, 10] + 10 * [3] + 20 * [2] + 60 * [1]
    >>> fit = fit_pitman_yor(sizes)
    >>> round(fit.discount, 2), round(fit.discount_se, 2)
    (0.67, 0.05)
    >>> fit_pitman_yor([100, 100, 100, 100]).discount
    0.0
    """
    sizes = _check_sizes(sizes)
    if len(sizes) == 1:
        return PitmanYorFit(0.0, 0.0, np.nan, np.nan, 0.0)
    if sizes.max() == 1:
        return PitmanYorFit(np.inf, 0.0, np.nan, np.nan, 0.0)
    likelihood = _Likelihood(sizes)
    opening, discount = likelihood.maximise()
    concentration_se, discount_se = likelihood.standard_errors(opening, discount)
    value = likelihood.value(opening, discount)
    return PitmanYorFit(opening - discount, discount, concentration_se, discount_se, value)


@validate_params(
    {"n_samples": [COUNT], "concentration": [FINITE], "discount": [DISCOUNT]},
    prefer_skip_nested_validation=True,
)
def expected_n_clusters(n_samples, concentration, discount=0.0):
    """Expected number of clusters among the first balls of a Pitman-Yor process.

    Parameters
    ----------
    n_samples : int
        Number of balls, at least 1.
    concentration : float
        Concentration of the process, above ``-discount``.
    discount : float, default=0.0
        Discount of the process, in [0, 1).

    Returns
    -------
    n_clusters : float
        The exact expectation. It grows like ``concentration * ln(n_samples)`` without discount,
        and like ``n_samples ** discount`` with one.

    See Also
    --------
    sample_partition : Draw a partition.

    Notes
    -----
    The closed form is ``1 + (α + d)/d [(α + d + 1)_{n - 1} / (α + 1)_{n - 1} - 1]`` for
    concentration α, discount d and n balls, with ``(x)_m = x (x + 1)…(x + m - 1)``.

    Examples
    --------
    Three balls with concentration 1 and no discount: 1 + 1/2 + 1/3.

    >>> from pypmeans.process import expected_n_clusters
    >>> round(expected_n_clusters(3, concentration=1.0), 6)
    1.833333
    >>> round(expected_n_clusters(10**12, concentration=1.0, discount=0.5))
    2256756
    """
    _check_concentration(concentration, discount)
    # Without discount the formula is a limit, which 1e-30 reaches to every digit.
    step = max(float(discount), 1e-30)
    growth = np.expm1(_log_rising_ratio(concentration + 1.0, n_samples - 1.0, step))
    # Rounding could give more clusters than balls when nearly every ball founds one.
    return min(float(n_samples), float(1 + (concentration + discount) * (growth / step)))


class _Likelihood:
    """The EPPF of given sizes as a function of its two parameters.

    The first parameter is ``opening = concentration + discount``, the weight of a second
    cluster: it is positive wherever the process exists, down to the last digit.
    """

    def __init__(self, sizes):
        self.n_samples = sizes.sum()
        self.sizes, self.n_of_size = np.unique(sizes, return_counts=True)
        self.rank = np.arange(1.0, len(sizes))  # clusters there were when the next was founded

    def value(self, opening, discount):
        """The log-probability (formula in :func:`log_eppf`)."""
        founding = np.log(self._founding_weights(opening, discount)).sum()
        growing = self.n_of_size @ _log_rising(1 - discount, self.sizes - 1)
        return float(founding + growing - _log_rising(opening + 1 - discount, self.n_samples - 1))

    def maximise(self):
        """The `opening` and `discount` of the largest value, for 2 to n − 1 clusters."""

        def slope(discount):
            return self._discount_slope(self._best_opening(discount), discount)

        # The slope along the ridge of best openings was seen to fall through 0 at most once,
        # for every way to cut up to 18 balls; at discount 1 it is minus infinity.
        discount = brentq(slope, 0.0, 1 - 1e-12, xtol=1e-14) if slope(0.0) > 0 else 0.0
        return self._best_opening(discount), discount

    def standard_errors(self, opening, discount):
        """Of the concentration and of the discount, from the observed information."""
        weights = self._founding_weights(opening, discount)
        start = opening + 1 - discount  # concentration + 1
        drawing = polygamma(1, start) - polygamma(1, start + self.n_samples - 1)
        growing = polygamma(1, 1 - discount) - polygamma(1, self.sizes - discount)
        concentration_info = np.sum(weights**-2) - drawing
        shared_info = np.sum(self.rank / weights**2)
        discount_info = np.sum((self.rank / weights) ** 2) + self.n_of_size @ growing
        if discount == 0:
            return float(concentration_info**-0.5), np.nan
        information = [[concentration_info, shared_info], [shared_info, discount_info]]
        return tuple(np.sqrt(np.diag(np.linalg.inv(information))).tolist())

    def _founding_weights(self, opening, discount):
        return opening + (self.rank - 1) * discount

    def _best_opening(self, discount):
        # The slope falls through 0 once, between limits that can be worked out by hand: the
        # first term of either sum decides below the lower one, n² is past the worst case of
        # all balls but two alone.
        lowest = np.log((1 - discount) / (4 + 4 * np.log(self.n_samples)))
        highest = 2 * np.log(self.n_samples)
        slope = self._opening_slope
        log_opening = brentq(lambda x: slope(np.exp(x), discount), lowest, highest, xtol=1e-13)
        return float(np.exp(log_opening))

    def _opening_slope(self, opening, discount):
        """Derivative by the concentration, with `discount` held."""
        start = opening + 1 - discount
        founding = np.sum(1 / self._founding_weights(opening, discount))
        return founding - (digamma(start + self.n_samples - 1) - digamma(start))

    def _discount_slope(self, opening, discount):
        """Derivative by the discount, with the concentration held."""
        founding = np.sum(self.rank / self._founding_weights(opening, discount))
        growing = self.n_of_size @ (digamma(self.sizes - discount) - digamma(1 - discount))
        return founding - growing


# Coefficients of x^-1, x^-3, x^-5… in Stirling's series for ln Γ(x).
STIRLING = {1: 1 / 12, 3: -1 / 360, 5: 1 / 1260, 7: -1 / 1680, 9: 1 / 1188}


def _log_rising(x, m):
    """``ln (x)_m = ln x (x + 1)…(x + m - 1)`` for x > 0."""
    # A plain difference of ln Γ(x + m) and ln Γ(x) has no digits left when x is much larger.
    return gammaln(m + 1) + _log_rising_ratio(1.0, m, x - 1)


def _log_rising_ratio(x, m, step):
    """``ln (x + step)_m / (x)_m``, to nearly all digits also for tiny steps and huge x or m.

    The four ln Γ of which it consists would cancel. So each term of Stirling's series,
    ``(x - 1/2) ln x - x + …``, is differenced on paper; below x = 16, where the series is not
    exact enough, x is raised step by step.
    """
    raised = sum(_log_cross_ratio(x + j, m, step) for j in range(16))
    x = x + 16
    cross = _log_cross_ratio(x, m, step)
    to_m, to_step = np.log1p(m / x), np.log1p(step / x)
    result = (x - 0.5) * cross + m * np.log1p(step / (x + m)) + step * np.log1p(m / (x + step))
    for k, coefficient in STIRLING.items():
        change = np.expm1(-k * to_m) * np.expm1(-k * to_step)
        change = change + np.exp(-k * (to_m + to_step)) * np.expm1(-k * cross)
        result = result + coefficient * x ** -float(k) * change
    return result - raised


def _log_cross_ratio(x, m, step):
    """``ln x (x + m + step) / ((x + m) (x + step))``, whichever of its parts are small."""
    lost = m * step / ((x + m) * (x + step))
    apart = np.log1p(step / (x + m)) - np.log1p(step / x)
    return np.where(lost < 0.5, np.log1p(-np.minimum(lost, 0.5)), apart)


def _draw(founding_weights, discount, random_state):
    uniforms = check_random_state(random_state).random_sample(len(founding_weights))
    return draw_labels(uniforms, founding_weights, float(discount))


def _check_concentration(concentration, discount):
    if concentration <= -discount:
        raise ValueError(
            f"concentration must be above -discount, which is {-discount}. "
            f"Got {concentration} instead."
        )


def _check_sizes(sizes, *, whole=True):
    """Cluster sizes as a float64 vector; whole numbers unless they may be sums of weights."""
    wanted = "positive whole numbers" if whole else "positive numbers"
    values = _check_number_list(sizes, wanted)
    right = np.isfinite(values) & (values > 0)
    if whole:
        right &= values == np.floor(values)
    if not right.all():
        k = int(right.argmin())
        advice = "; leave out empty clusters" if values[k] == 0 else ""
        raise ValueError(f"sizes must be {wanted}. Got {values[k]:g} at position {k}{advice}.")
    if whole and values.sum() > MOST_BALLS:
        raise ValueError(f"sizes must sum to {MOST_BALLS:g} at most. Got {values.sum():g} instead.")
    return values


def _check_number_list(sizes, wanted):
    try:
        values = np.asarray(sizes)
    except ValueError as error:  # lists of different lengths
        raise ValueError(f"sizes must be a list of {wanted}. Got {sizes!r} instead.") from error
    if values.ndim != 1 or len(values) == 0:
        raise ValueError(
            f"sizes must be a list of {wanted}, one per cluster. Got an array of shape "
            f"{values.shape} instead."
        )
    if values.dtype.kind not in "iuf":
        raise ValueError(f"sizes must be {wanted}. Got {values[0]!r} instead.")
    return values.astype(np.float64)
