"""Jobs on the real sets: Tables 3 and 4."""

from functools import partial

import numpy as np
from auto.study import by_silhouette

from paper import methods, sets, tuning
from paper.records import EMPTY, score
from pypmeans import DPMeans, PYPMeans


def load(settings, name):
    """A labelled set, or communities and crime with a number of labels: ``"crime 11"``."""
    if name.startswith("crime "):
        return sets.crime(int(name.split()[1]), settings.crime_features)
    return sets.real(name)


def rows(settings, name, protocol, method, fit, n_starts):
    """A row for each start; ``fit(start)`` gives the fit."""
    X, y = load(settings, name)
    for start in range(n_starts):
        made = fit(start)
        yield EMPTY._replace(
            experiment="crime" if name.startswith("crime ") else "real", data=name,
            level=float(len(np.unique(y))), protocol=protocol, method=method,
            setting=made.setting, start=start, n_features=X.shape[1], n_iter=made.n_iter,
            rises=made.rises, objective=made.objective, **score(y, made.labels),
        )  # fmt: skip


def papers_way(settings, name):
    """λ tuned for pyp-means, the same for dp-means; k-means with the true number."""
    X, y = load(settings, name)
    lam, ratio = tuning.tuned_pyp(X, y, settings)
    k = len(np.unique(y))
    for method, fit in (
        (methods.PYP, lambda start: methods.pyp(X, start, lam, ratio)),
        (methods.DP, lambda start: methods.dp(X, start, lam)),
        (methods.KMEANS, lambda start: methods.kmeans(X, start, k)),
    ):
        yield from rows(settings, name, "paper", method, fit, settings.starts)


def papers_mixture(settings, name):
    """As many components as classes; the setting by cross-validation."""
    X, y = load(settings, name)
    k = len(np.unique(y))
    setting = methods.cross_validated_setting(X, k)
    fit = partial(_mixture, X, {"components": k, **setting})
    yield from rows(settings, name, "paper", methods.MIXTURE, fit, settings.slow_starts)


def _mixture(X, setting, start):
    return methods.mixture(X, start, **setting)


def our_search(settings, name):
    """The best scale by the labels, from random starts, and as it stands on the path."""
    X, y = load(settings, name)
    n_starts = settings.starts if len(X) <= settings.large else settings.large_starts
    for method, theta in ((methods.OURS, None), (methods.OURS_DP, 0)):
        entry = tuning.tuned_entry(X, y, theta)
        fit = partial(_search, X, entry)
        yield from rows(settings, name, "paper", method, fit, n_starts)
        yield from rows(
            settings, name, "paper", f"{method}, on the path",
            lambda start, entry=entry: methods.from_entry(entry, X), 1,
        )  # fmt: skip


def _search(X, entry, start):
    return methods.search(X, start, entry.lam, entry.theta)


def fair(settings, name):
    """Every method with its own parameter tuned. Ours is that of the other protocol."""
    X, y = load(settings, name)
    lam, ratio = tuning.tuned_pyp(X, y, settings, tuning.FAIR_RATIOS)
    lam_dp, k = tuning.tuned_dp(X, y, settings), tuning.tuned_k(X, y, settings)
    for method, fit in (
        (methods.PYP, lambda start: methods.pyp(X, start, lam, ratio)),
        (methods.DP, lambda start: methods.dp(X, start, lam_dp)),
        (methods.KMEANS, lambda start: methods.kmeans(X, start, k)),
    ):
        yield from rows(settings, name, "fair", method, fit, settings.starts)
    size = tuning.tuned_density(X, y)
    fit = lambda start: methods.density(X, size)  # noqa: E731
    yield from rows(settings, name, "fair", methods.DENSITY, fit, 1)


def fair_mixture(settings, name):
    X, y = load(settings, name)
    fit = partial(_mixture, X, tuning.tuned_mixture(X, y))
    yield from rows(settings, name, "fair", methods.MIXTURE, fit, settings.slow_starts)


def honest(settings, name):
    """Nothing tuned; all of these give the same each time."""
    X, _ = load(settings, name)
    for method, fit in (
        (methods.OURS, lambda start: methods.fit_auto(PYPMeans, X)[1]),
        (methods.OURS_DP, lambda start: methods.fit_auto(DPMeans, X)[1]),
        (methods.PYP, lambda start: methods.ours(PYPMeans(algorithm="paper", n_threads=1), X)),
        (methods.DP, lambda start: methods.ours(DPMeans(algorithm="paper", n_threads=1), X)),
        (methods.DENSITY, lambda start: methods.density(X)),
        (methods.KMEANS_SILHOUETTE, lambda start: _silhouette(X)),
    ):
        yield from rows(settings, name, "honest", method, fit, 1)


def _silhouette(X):
    labels = by_silhouette(X)
    return methods.Fit(labels, f"k={len(np.unique(labels))}")


def honest_mixture(settings, name):
    """At most 30 components; the setting by cross-validation."""
    X, _ = load(settings, name)
    setting = methods.cross_validated_setting(X, methods.MOST_COMPONENTS)
    fit = partial(_mixture, X, {"components": methods.MOST_COMPONENTS, **setting})
    yield from rows(settings, name, "honest", methods.MIXTURE, fit, settings.slow_starts)


def describe(settings, name):
    """Rows, features, classes and the exponent of their sizes (Table 2)."""
    X, y = load(settings, name)
    yield EMPTY._replace(experiment="sets", data=name, n_features=X.shape[1], **score(y, y))


def describe_crime(settings):
    """The features that were chosen, and the histogram of the target in 16 intervals (Fig. 1)."""
    for at, name in enumerate(sets.crime_feature_names(settings.crime_features)):
        yield EMPTY._replace(experiment="features", data=name, level=float(at + 1))
    for at, n in enumerate(np.bincount(sets.crime(16, settings.crime_features)[1]).tolist()):
        yield EMPTY._replace(experiment="histogram", data="crime 16", level=float(at), n_rows=n)


FITS = papers_way, papers_mixture, our_search, fair, fair_mixture, honest, honest_mixture
JOBS = *FITS, describe, describe_crime


def jobs(settings):
    """Large sets first: nobody waits for them at the end."""
    crime = [f"crime {n_labels}" for n_labels in settings.crime_labels]
    by_size = sorted((*settings.real, *crime), key=lambda name: -load(settings, name)[0].size)
    yield from ((f"real.{function.__name__}", (name,)) for name in by_size for function in FITS)
    yield from (("real.describe", (name,)) for name in settings.real)
    if crime:
        yield "real.describe_crime", ()
