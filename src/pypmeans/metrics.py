"""How good a clustering is and how uneven its sizes are: the measures of the paper's Sec. VI.

The paper is Fan, Zeng and Cao (2013), "Non-parametric power-law data clustering".
"""

import contextlib
import io
import warnings
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import min_weight_full_bipartite_matching
from sklearn.metrics import normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix

from pypmeans._validation import require
from pypmeans.process import _check_sizes

__all__ = [
    "PowerLawTail",
    "clustering_accuracy",
    "discovery_rate",
    "fit_power_law_tail",
    "normalized_mutual_information",
    "power_law_alpha",
]


def clustering_accuracy(labels_true, labels_pred):
    """Fraction of points in the right cluster, clusters being matched to classes at their best.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,)
        True class of each point: numbers, strings or other single values.
    labels_pred : array-like of shape (n_samples,)
        Cluster of each point. Names and number of clusters may differ from those of the classes.

    Returns
    -------
    accuracy : float
        Between 0 and 1; the ACC of the paper is this times 100.

    See Also
    --------
    normalized_mutual_information : Needs no matching.

    Notes
    -----
    Every cluster is matched to at most one class and every class to at most one cluster, such
    that the most points agree; points of unmatched clusters count as wrong. The assignment
    problem is solved exactly on the pairs that occur, so that thousands of clusters on either
    side take no more than seconds.

    Examples
    --------
    Cluster 7 is matched to "a" and 3 to "b"; the third point and the lonely last one are wrong:

    >>> from pypmeans.metrics import clustering_accuracy
    >>> clustering_accuracy(["a", "a", "a", "b", "b", "b"], [7, 7, 3, 3, 3, 5])
    0.6666666666666666
    """
    true_codes, pred_codes = _check_labels(labels_true, labels_pred)
    return _best_agreement(true_codes, pred_codes) / len(true_codes)


def normalized_mutual_information(labels_true, labels_pred):
    """Information that classes and clusters share, over the geometric mean of what each holds.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,)
        True class of each point: numbers, strings or other single values.
    labels_pred : array-like of shape (n_samples,)
        Cluster of each point.

    Returns
    -------
    nmi : float
        Between 0 (independent) and 1 (the same partition). If one side has a single cluster and
        the other has not, it is 0; if both have a single cluster, they agree and it is 1.

    See Also
    --------
    sklearn.metrics.adjusted_mutual_info_score : Corrected for chance.

    Notes
    -----
    This is the usual definition, ``I(true; pred) / sqrt(H(true) H(pred))``. The formula printed
    in the paper lacks the factor n_ij in its numerator. NMI grows with the number of clusters
    even when they mean nothing, so prefer the adjusted score to compare different numbers.

    Examples
    --------
    >>> from pypmeans.metrics import normalized_mutual_information
    >>> normalized_mutual_information(["a", "a", "b", "b"], [1, 1, 0, 0])
    1.0
    >>> normalized_mutual_information(["a", "a", "b", "b"], [0, 1, 0, 1])
    0.0
    """
    codes = _check_labels(labels_true, labels_pred)
    nmi = normalized_mutual_info_score(*codes, average_method="geometric")
    return float(np.clip(nmi, 0.0, 1.0))


def discovery_rate(labels_true, labels_pred):
    """Number of clusters found, over the number of classes there are (Sec. VI-C of the paper).

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,)
        True class of each point: numbers, strings or other single values.
    labels_pred : array-like of shape (n_samples,)
        Cluster of each point.

    Returns
    -------
    rate : float
        Below 1 if clusters are missing, above 1 if there are too many.

    Examples
    --------
    >>> from pypmeans.metrics import discovery_rate
    >>> discovery_rate(["a", "a", "b", "c"], [0, 0, 1, 1])
    0.6666666666666666
    """
    true_codes, pred_codes = _check_labels(labels_true, labels_pred)
    return float((pred_codes.max() + 1) / (true_codes.max() + 1))


def power_law_alpha(sizes):
    """The paper's estimate of the exponent of a power law, from all cluster sizes (Sec. VI-D).

    Parameters
    ----------
    sizes : array-like of shape (n_clusters,)
        Sizes of the clusters or the sums of their weights, positive.

    Returns
    -------
    alpha : float
        ``1 + c / sum(ln(x_i / x_min))`` for c clusters of sizes x_i, of which x_min is the
        smallest: the smaller, the more uneven. It is inf if all sizes are equal.

    See Also
    --------
    fit_power_law_tail : Finds out from which size on there is a power law, with an error.
    pypmeans.process.fit_pitman_yor : Fits the process that makes such sizes.

    Notes
    -----
    This is the maximum of the likelihood for a continuous power law that begins at x_min,
    Eq. 3.1 of Clauset, Shalizi and Newman (2009), with all clusters taken as its tail. With few
    clusters it says little: as many as 10 leave an error of about a third of ``alpha - 1``.

    References
    ----------
    Clauset, A., Shalizi, C. R., Newman, M. E. J. (2009). Power-law distributions in empirical
    data. SIAM Review, 51(4), 661-703.

    Examples
    --------
    The classes of the wine data are nearly equal, those of page-blocks are not:

    >>> from pypmeans.metrics import power_law_alpha
    >>> round(power_law_alpha([71, 59, 48]), 2)
    6.02
    >>> round(power_law_alpha([4913, 329, 115, 88, 28]), 2)
    1.49
    """
    sizes = _check_sizes(sizes, whole=False)
    log_excess = (np.log(sizes) - np.log(sizes.min())).sum()
    return float(1 + len(sizes) / log_excess) if log_excess > 0 else np.inf


class PowerLawTail(NamedTuple):
    """A power law fitted to the largest sizes, see :func:`fit_power_law_tail`."""

    alpha: float
    x_min: float
    alpha_se: float
    n_tail: int
    ks_distance: float


def fit_power_law_tail(sizes):
    """Fit a power law to the tail of the cluster sizes, wherever it begins.

    Needs the package powerlaw: ``pip install "pypmeans[tail]"``.

    Parameters
    ----------
    sizes : array-like of shape (n_clusters,)
        Sizes of the clusters, positive whole numbers.

    Returns
    -------
    tail : PowerLawTail
        Exponent `alpha` with its standard error `alpha_se`; the size `x_min` from which on the
        law holds; the number `n_tail` of clusters that large; and `ks_distance`, the largest
        gap between the observed and the fitted distribution of their sizes.

    Warns
    -----
    UserWarning
        If there are fewer than four different sizes, or no exponent fits. In the first case,
        all values are nan and `n_tail` is 0.

    See Also
    --------
    power_law_alpha : The paper's estimate, which takes all sizes as the tail.
    pypmeans.process.fit_pitman_yor : Fits the process that makes such sizes.

    Notes
    -----
    The method is that of Clauset, Shalizi and Newman (2009): the exponent of a discrete power
    law is fitted above every possible x_min, and the x_min with the least distance is taken.
    The two largest different sizes are not tried as x_min. From x_min = 10 on, the exponent is
    their approximation, Eq. 3.7.

    Sizes drawn from a Pitman-Yor process have a tail of ``1 + discount``, but only in the limit:
    with a discount of 0.6 and a concentration of 10, `alpha` averages 1.72 for 30 000 points and
    1.66 for 300 000, further off than `alpha_se` says, and the more so the larger the
    concentration. To estimate the discount use :func:`pypmeans.process.fit_pitman_yor`.

    References
    ----------
    Clauset, A., Shalizi, C. R., Newman, M. E. J. (2009). Power-law distributions in empirical
    data. SIAM Review, 51(4), 661-703.

    Alstott, J., Bullmore, E., Plenz, D. (2014). powerlaw: a Python package for analysis of
    heavy-tailed distributions. PLOS ONE, 9(1), e85777.

    Examples
    --------
    Half as many clusters above every double size: the exponent is near 2.

    >>> from pypmeans.metrics import fit_power_law_tail
    >>> sizes = [10_000 // rank for rank in range(1, 501)]
    >>> round(fit_power_law_tail(sizes).alpha, 1)  # doctest: +SKIP
    2.0
    """
    powerlaw = require("powerlaw", extra="tail", caller="fit_power_law_tail")
    sizes = _check_sizes(sizes)
    n_different = len(np.unique(sizes))
    if n_different < 4:
        warnings.warn(
            f"A power law needs at least 4 different sizes; got {n_different}. Returning nan.",
            stacklevel=2,
        )
        return PowerLawTail(np.nan, np.nan, np.nan, 0, np.nan)
    fit = _quietly_fit(powerlaw, sizes)
    if fit.noise_flag:
        warnings.warn("No power law fits these sizes; the result is doubtful.", stacklevel=2)
    error = (fit.alpha - 1) / np.sqrt(fit.n_tail)
    return PowerLawTail(
        float(fit.alpha), float(fit.xmin), float(error), int(fit.n_tail), float(fit.D)
    )


def _quietly_fit(powerlaw, sizes):
    # powerlaw would print its progress, warn at every x_min and refuse exponents above 3.
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        return powerlaw.Fit(sizes, discrete=True, verbose=0, parameter_ranges={"alpha": (1, None)})


def _best_agreement(true_codes, pred_codes):
    """Number of points that agree under the best one-to-one matching."""
    counts = contingency_matrix(true_codes, pred_codes, sparse=True, dtype=np.float64).tocsr()
    n_classes = counts.shape[0]
    # A class may also stay alone: each gets a column of its own. The solver wants weights other
    # than 0, and as every class is matched once, 1 more for each edge changes nothing else.
    counts.data += 1
    weights = sparse.hstack([counts, sparse.eye_array(n_classes)], format="csr")
    rows, columns = min_weight_full_bipartite_matching(weights, maximize=True)
    return float(weights[rows, columns].sum() - n_classes)


def _check_labels(labels_true, labels_pred):
    """Both labellings as codes 0, 1, 2…, after checking that they belong together."""
    true_codes = _encode("labels_true", labels_true)
    pred_codes = _encode("labels_pred", labels_pred)
    if len(true_codes) != len(pred_codes):
        raise ValueError(
            "labels_true and labels_pred must have the same length. "
            f"Got {len(true_codes)} and {len(pred_codes)} instead."
        )
    return true_codes, pred_codes


def _encode(name, labels):
    """Codes 0, 1, 2… for labels of any hashable kind."""
    # A list is taken element by element: as an array, 1 and "1" would become the same.
    values = np.asarray(labels, dtype=None if hasattr(labels, "__array__") else object)
    if values.ndim != 1 or len(values) == 0:
        raise ValueError(
            f"{name} must be a list of labels, one per point. Got an array of shape "
            f"{values.shape} instead."
        )
    if values.dtype.kind != "O":
        _refuse_missing(name, values != values)
        return np.unique(values, return_inverse=True)[1]
    _refuse_missing(name, [_is_missing(label) for label in values])
    return _encode_objects(name, values)


def _encode_objects(name, values):
    codes: dict = {}
    try:
        return np.array([codes.setdefault(label, len(codes)) for label in values])
    except TypeError as error:
        raise TypeError(f"{name} must be hashable, like numbers or strings: {error}.") from error


def _is_missing(label):
    # pandas.NA compares to nothing, so it is told by name; nan and NaT differ from themselves.
    return label is None or type(label).__name__ == "NAType" or label != label


def _refuse_missing(name, missing):
    if np.any(missing):
        position = int(np.argmax(missing))
        raise ValueError(f"{name} must not have missing values. Got one at position {position}.")
