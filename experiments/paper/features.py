"""Ten features of a hundred, by joint mutual information.

The criterion is JMI of Yang and Moody (1999) in the words of Brown, Pocock, Zhao and Luján (2012),
"Conditional likelihood maximisation: a unifying framework for information theoretic feature
selection", Journal of Machine Learning Research 13, 27-66: the first feature is the one that tells
most about the target, and each next one k has the largest sum, over all features j chosen before,
of I(X_k, X_j; Y), what the pair together tells about it.
"""

import numpy as np
from sklearn.metrics import mutual_info_score

BINS = 10


def choose_features(X, y, n_features, bins=BINS):
    """Columns of `X` in the order in which they are chosen.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_columns)
        Each column is cut into `bins` intervals of equal width first.
    y : ndarray of shape (n_samples,)
        The target, labels.
    n_features : int
        How many to choose.
    bins : int, default=10
        Number of intervals.

    Returns
    -------
    chosen : list of int
    """
    codes = np.column_stack([into_intervals(column, bins) for column in X.T])
    alone = [mutual_info_score(y, column) for column in codes.T]
    chosen = [int(np.argmax(alone))]
    totals = np.zeros(codes.shape[1])
    while len(chosen) < n_features:
        totals += [mutual_info_score(y, column * bins + codes[:, chosen[-1]]) for column in codes.T]
        totals[chosen] = -np.inf
        chosen.append(int(np.argmax(totals)))
    return chosen


def into_intervals(values, n_intervals):
    """The interval of equal width, 0 to n - 1, in which each value lies.

    A value on a border belongs to the upper interval, the largest value to the last.
    """
    low, high = values.min(), values.max()
    if high == low:
        return np.zeros(len(values), dtype=int)
    return np.minimum((values - low) / (high - low) * n_intervals, n_intervals - 1).astype(int)
