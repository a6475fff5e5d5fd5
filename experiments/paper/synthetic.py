"""Jobs on made data: Figs. 3, 4 and 6, and heavy tails."""

import numpy as np

from paper import methods, sets
from paper.records import EMPTY, score
from pypmeans import PYPMeans, estimate_lambda, radius_profile

THETA_RATIO = 6  # λ / θ on synthetic data, which allows no more than MOST clusters
MOST = 148
TAIL_RATIO = 10


def row(experiment, X, y, level, seed, protocol, method, made, start=0, small=None):
    return EMPTY._replace(
        experiment=experiment, data=f"{experiment} {level:g}", level=float(level), data_seed=seed,
        protocol=protocol, method=method, setting=made.setting, start=start,
        n_features=X.shape[1], n_iter=made.n_iter, rises=made.rises, objective=made.objective,
        **score(y, made.labels, small),
    )  # fmt: skip


def groups(settings, n_groups, seed):
    """The paper's groups; all methods but the mixture."""
    X, y = sets.synthetic(n_groups, seed)
    for start in range(settings.set_starts):
        for protocol, method, made in given_number(X, n_groups, start, THETA_RATIO):
            yield row("groups", X, y, n_groups, seed, protocol, method, made, start)
    for protocol, method, made in once(X, n_groups):
        yield row("groups", X, y, n_groups, seed, protocol, method, made)


def given_number(X, n_groups, start, ratio):
    """Methods that are told the number of groups and start at random.

    The paper's λ is the squared radius at that number, for pyp-means and dp-means alike; in the
    fair protocol each gets the λ with which it opens that many itself.
    """
    n_opened = min(n_groups, MOST)
    lam = float(radius_profile(X, n_groups, n_threads=1)[-1])
    yield "paper", methods.KMEANS, methods.kmeans(X, start, n_groups)
    yield "paper", methods.PYP, methods.pyp(X, start, lam, ratio)
    yield "paper", methods.DP, methods.dp(X, start, lam)
    lam = quiet_estimate(X, n_opened, ratio)
    yield "fair", methods.PYP, methods.pyp(X, start, lam, ratio)
    yield "fair", methods.DP, methods.dp(X, start, quiet_estimate(X, n_groups, np.inf))


def quiet_estimate(X, n_clusters, ratio):
    """λ for the nearest number that can be had."""
    with methods.warnings.catch_warnings():
        methods.warnings.simplefilter("ignore", UserWarning)
        return estimate_lambda(X, n_clusters, theta_ratio=ratio, n_threads=1)


def once(X, n_groups):
    """Methods that give the same each time, and ten starts of k-means."""
    model, made = methods.fit_auto(PYPMeans, X)
    yield "honest", methods.OURS, made
    entry = methods.entry_nearest(model.path_, n_groups)
    yield "fair", methods.OURS_COUNT, methods.from_entry(entry, X)
    yield "fair", methods.KMEANS_BEST, methods.kmeans_best(X, 0, n_groups)
    yield "honest", methods.DENSITY, methods.density(X)


def groups_mixture(settings, n_groups, seed):
    """The mixture with as many components as there are groups."""
    X, y = sets.synthetic(n_groups, seed)
    made = methods.mixture(X, 0, n_groups)
    yield row("groups", X, y, n_groups, seed, "paper", methods.MIXTURE, made)


def thresholds(settings, n_groups, seed):
    """Clusters found against λ, with λ read as a squared distance and as a distance (Fig. 6)."""
    X, y = sets.synthetic(n_groups, seed)
    for value in settings.lams:
        for reading, lam in (("squared distance", value), ("distance", value**2)):
            for method, made in (
                (methods.PYP, methods.pyp(X, seed, lam, TAIL_RATIO)),
                (methods.DP, methods.dp(X, seed, lam)),
            ):
                new = row("thresholds", X, y, n_groups, seed, "paper", method, made, seed)
                yield new._replace(data=f"λ as a {reading}", value=value)


def tails(settings, ratio, seed):
    """Small groups beside ever larger ones."""
    k = settings.tail_groups
    X, y = sets.heavy_tailed(ratio, k, settings.smallest, seed)
    small = sets.smallest_groups(k)
    for start in range(settings.set_starts):
        for protocol, method, made in given_number(X, k, start, TAIL_RATIO):
            yield row("tails", X, y, ratio, seed, protocol, method, made, start, small)
    for protocol, method, made in once(X, k):
        yield row("tails", X, y, ratio, seed, protocol, method, made, small=small)


def tails_mixture(settings, ratio, seed):
    X, y = sets.heavy_tailed(ratio, settings.tail_groups, settings.smallest, seed)
    small = sets.smallest_groups(settings.tail_groups)
    made = methods.mixture(X, 0, settings.tail_groups)
    yield row("tails", X, y, ratio, seed, "paper", methods.MIXTURE, made, small=small)


JOBS = groups, groups_mixture, thresholds, tails, tails_mixture


def jobs(settings):
    """Large sets first."""
    for seed in range(settings.data_seeds):
        slow = seed < settings.slow_seeds
        for n_groups in reversed(settings.groups):
            yield from [("synthetic.groups_mixture", (n_groups, seed))] * slow
            yield "synthetic.groups", (n_groups, seed)
        for ratio in reversed(settings.ratios):
            yield from [("synthetic.tails_mixture", (ratio, seed))] * slow
            yield "synthetic.tails", (ratio, seed)
        for n_groups in settings.lam_groups:
            yield "synthetic.thresholds", (n_groups, seed)
