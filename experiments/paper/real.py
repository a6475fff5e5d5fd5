"""Jobs on the real sets: Tables 3 and 4."""

from functools import cache, partial

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
    """As many components as classes; their shape by cross-validation."""
    X, y = load(settings, name)
    k = len(np.unique(y))
    fit = partial(_mixture, X, (k, methods.cross_validated_shape(X, k)))
    yield from rows(settings, name, "paper", methods.MIXTURE, fit, settings.slow_starts)


def _mixture(X, setting, start):
    return methods.mixture(X, start, *setting)


def ours(settings, name):
    """Nothing tuned; and the best scale by the labels, from random starts and on the path."""
    X, y = load(settings, name)
    n_starts = settings.starts if len(X) <= settings.large else settings.large_starts
    for method, estimator in ((methods.OURS, PYPMeans), (methods.OURS_DP, DPMeans)):
        path, made = auto_fit(name.split()[0], settings.crime_features, estimator)
        yield from rows(settings, name, "honest", method, lambda start, made=made: made, 1)
        entry = tuning.tuned_entry(path, X, y)
        fit = partial(_search, X, entry)
        yield from rows(settings, name, "paper", method, fit, n_starts)
        on_path = methods.from_entry(entry, X)
        yield from rows(
            settings, name, "paper", f"{method}, on the path",
            lambda start, on_path=on_path: on_path, 1,
        )  # fmt: skip


def _search(X, entry, start):
    return methods.search(X, start, entry.lam, entry.theta)


@cache
def auto_fit(source, crime_features, estimator):
    """Path and fit. Once for all cuts of communities: the features are the same."""
    model, made = methods.fit_auto(estimator, features_of(source, crime_features))
    return model.path_, made


def features_of(source, crime_features):
    return sets.crime(6, crime_features)[0] if source == "crime" else sets.real(source)[0]


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
    """Other methods with nothing tuned; all but the mixture give the same each time."""
    source = name.split()[0]
    for method, made in label_free(source, settings.crime_features):
        yield from rows(settings, name, "honest", method, lambda start, made=made: made, 1)
    mixtures = label_free_mixtures(source, settings.crime_features, settings.slow_starts)
    fit = mixtures.__getitem__
    yield from rows(settings, name, "honest", methods.MIXTURE, fit, settings.slow_starts)


@cache
def label_free(source, crime_features):
    """Once for all cuts of communities."""
    X = features_of(source, crime_features)
    labels = by_silhouette(X)
    return [
        (methods.PYP, methods.ours(PYPMeans(algorithm="paper", n_threads=1), X)),
        (methods.DP, methods.ours(DPMeans(algorithm="paper", n_threads=1), X)),
        (methods.DENSITY, methods.density(X)),
        (methods.KMEANS_SILHOUETTE, methods.Fit(labels, f"k={len(np.unique(labels))}")),
    ]


@cache
def label_free_mixtures(source, crime_features, n_starts):
    """At most 30 components; their shape by cross-validation."""
    X, most = features_of(source, crime_features), methods.MOST_COMPONENTS
    shape = methods.cross_validated_shape(X, most)
    return [methods.mixture(X, start, most, shape) for start in range(n_starts)]


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


FITS = papers_way, papers_mixture, ours, fair, fair_mixture, honest
JOBS = *FITS, describe, describe_crime


def jobs(settings):
    """Large sets first: nobody waits for them at the end."""
    crime = [f"crime {n_labels}" for n_labels in settings.crime_labels]
    by_size = sorted((*settings.real, *crime), key=lambda name: -load(settings, name)[0].size)
    yield from ((f"real.{function.__name__}", (name,)) for name in by_size for function in FITS)
    yield from (("real.describe", (name,)) for name in settings.real)
    if crime:
        yield "real.describe_crime", ()
