"""Warnings about doubtful results, which name the line of the user that led to them."""

import sys
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

LIBRARIES = ("pypmeans", "sklearn", "contextlib", "functools")


def warn(message, category=UserWarning):
    """Warn at the line that called the library, however deep inside it this is."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and _is_ours(frame):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def _is_ours(frame):
    return frame.f_globals.get("__name__", "").partition(".")[0] in LIBRARIES


def warn_if_doubtful(model, solution, n_rows, *, lightest):
    """Warn where the result of a fit may not be what its user had in mind."""
    c, lam, theta = model.n_clusters_, model.lam_, model.theta_
    if not solution.converged:
        warn(
            f"Labels still changed when max_iter={model.max_iter} was reached. Raise max_iter.",
            ConvergenceWarning,
        )
    if solution.exhausted:
        warn(
            "The search stopped with moves it had not tried, since each round tries a bounded "
            "number. Fit again with init=cluster_centers_ to go on from here."
        )
    if solution.capped and (model.max_clusters or np.inf) <= model._penalty.limit:
        warn(
            f"max_clusters={model.max_clusters} kept rows from founding clusters. "
            "Raise max_clusters or lam."
        )
    elif solution.capped and model.theta is None:
        warn(
            f"No more than {model._penalty.limit} clusters are possible with lam={lam:.6g} and "
            f"the theta={theta:.6g} that follows from it. Give a smaller theta."
        )
    elif solution.capped:
        warn(
            f"theta={theta:.6g} is too large for lam={lam:.6g}: no more than "
            f"{model._penalty.limit} clusters are possible. Lower theta or raise lam."
        )
    elif c == 1 and model.inertia_ > 0 and lightest < 1:
        warn(
            f"Only one cluster was found: with lam={lam:.6g} and weights from {lightest:.3g}, "
            "no group of rows weighs enough to be worth a cluster. Lower lam, or scale "
            "sample_weight so that one row weighs 1."
        )
    elif c == 1 and model.inertia_ > 0 and model.lam == "auto":
        pass  # the data speak for one group; that is an answer
    elif c == 1 and model.inertia_ > 0 and model.algorithm == "search":
        warn(
            f"Only one cluster was found: no split saves what a second cluster costs with "
            f"lam={lam:.6g} and theta={theta:.6g}. Give a smaller lam to find more."
        )
    elif c == 1 and model.inertia_ > 0:
        warn(
            f"Only one cluster was found: no row is further than lam={lam:.6g}, a squared "
            "distance, from the mean of all rows. Give a smaller lam to find more."
        )
    elif c == n_rows > 1:
        warn(f"Each of the {c} rows is a cluster of its own with lam={lam:.6g}. Raise lam.")
