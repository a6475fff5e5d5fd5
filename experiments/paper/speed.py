"""Jobs that measure time, one after the other and on one thread: Fig. 7 and the complexity.

Time is that of the processor, which other work on the machine hardly changes.
"""

from time import process_time

import numpy as np

from paper import methods, sets
from paper.records import EMPTY, score
from paper.synthetic import THETA_RATIO, quiet_estimate
from pypmeans import PYPMeans, radius_profile

GROUPS = 30  # where the number of rows varies
COMPILED = 500  # rows that are enough for every kernel to be there
LONG = 5.0  # seconds after which a fit is not repeated
LAM_FACTORS = 0.05, 0.1, 0.2, 0.5, 1.0, 2.0  # of the λ that opens the true number
THETA_RATIOS = 4, 6, 10, 20, 100
MANY = 10  # rows for each cluster where clusters are many


def best_of(repeats, fit):
    """The fit and the least of several times; what takes long is not repeated as often."""
    seconds: list[float] = []
    while len(seconds) < repeats and sum(seconds) < LONG:
        start = process_time()
        made = fit()
        seconds.append(process_time() - start)
    return made, min(seconds)


def row(settings, experiment, X, y, level, method, fit):
    made, seconds = best_of(settings.timed_repeats, fit)
    return EMPTY._replace(
        experiment=experiment, data=experiment, level=float(level), method=method,
        setting=made.setting, n_features=X.shape[1], n_iter=made.n_iter, rises=made.rises,
        objective=made.objective, seconds=seconds, **score(y, made.labels),
    )  # fmt: skip


def by_rows(settings, n_rows):
    yield from all_methods(settings, "time by rows", *sets.sized(n_rows, GROUPS, 0), GROUPS, n_rows)


def by_groups(settings, n_groups):
    X, y = sets.sized(settings.timed_size, n_groups, 0)
    yield from all_methods(settings, "time by groups", X, y, n_groups, n_groups)


def all_methods(settings, experiment, X, y, k, level):
    lam = quiet_estimate(X, min(k, 148), THETA_RATIO)
    lam_dp = quiet_estimate(X, k, np.inf)
    models = []
    methods.fit_auto(PYPMeans, X[:COMPILED])  # compiling is not what is timed

    def auto():
        model, made = methods.fit_auto(PYPMeans, X)
        models.append(model)
        return made

    yield row(settings, experiment, X, y, level, methods.OURS, auto)
    entry = methods.entry_nearest(models[0].path_, k)
    for method, fit in (
        (methods.KMEANS, lambda: methods.kmeans(X, 0, k)),
        (methods.DP, lambda: methods.dp(X, 0, lam_dp)),
        (methods.PYP, lambda: methods.pyp(X, 0, lam, THETA_RATIO)),
        (methods.MIXTURE, lambda: methods.mixture(X, 0, k)),
        (methods.DENSITY, lambda: methods.density(X)),
        ("ours, scale given", lambda: methods.search(X, 0, entry.lam, entry.theta)),
    ):
        yield row(settings, experiment, X, y, level, method, fit)


def by_parameters(settings):
    """pyp-means against λ at θ = λ/6, and against λ/θ at the λ for the true number."""
    X, y = sets.sized(settings.timed_size, GROUPS, 0)
    lam = quiet_estimate(X, GROUPS, THETA_RATIO)
    for factor in LAM_FACTORS:
        fit = lambda factor=factor: methods.pyp(X, 0, lam * factor, THETA_RATIO)  # noqa: E731
        yield row(settings, "time by lam", X, y, lam * factor, methods.PYP, fit)
    for ratio in THETA_RATIOS:
        fit = lambda ratio=ratio: methods.pyp(X, 0, lam, ratio)  # noqa: E731
        yield row(settings, "time by theta", X, y, lam / ratio, methods.PYP, fit)


def by_openings(settings, n_rows):
    """So small a λ that one row in ten founds a cluster: the paper's costly case."""
    X, y = sets.sized(n_rows, GROUPS, 0)
    lam = float(radius_profile(X, len(X) // MANY, n_threads=1)[-1])
    yield row(settings, "time by openings", X, y, n_rows, methods.DP, lambda: methods.dp(X, 0, lam))


JOBS = by_rows, by_groups, by_parameters, by_openings


def jobs(settings):
    """Small ones first, so that compiling is over before anything counts."""
    yield "speed.by_parameters", ()
    for n_rows in settings.timed_rows:
        yield "speed.by_rows", (n_rows,)
        yield "speed.by_openings", (n_rows,)
    for n_groups in settings.timed_groups:
        yield "speed.by_groups", (n_groups,)
