"""Jobs that look at single statements of the paper: propositions, convergence, spectra."""

from collections import Counter

import numpy as np
from sklearn.metrics import adjusted_rand_score

from paper import methods, sets
from paper.records import EMPTY, score
from paper.synthetic import THETA_RATIO, quiet_estimate
from pypmeans import PYPMeans, PYPSpectralClustering, radius_profile
from pypmeans.process import sample_modified_partition, sample_partition

URN = {"lam": 1.0, "theta": 1.0, "epsilon": 0.5}
BALLS = 4
GROWTH = {"θ = ε": 0.5, "θ = 2ε": 1.0, "θ = 4ε": 2.0}  # for ε = 1/2
OTHER_ORDERS = 20


def exchangeability(settings):
    """How often four balls fall into each pattern, by the modified urn and by Pitman-Yor's."""
    rng = np.random.RandomState(0)
    for method, draw in (
        ("modified urn", lambda: sample_modified_partition(BALLS, **URN, random_state=rng)),
        ("Pitman-Yor urn", lambda: sample_partition(BALLS, 1.0, 0.5, random_state=rng)),
    ):
        counts = Counter(tuple(draw().tolist()) for _ in range(settings.urn_draws))
        for pattern, n in counts.items():
            name = "".join("abcd"[ball] for ball in pattern)
            yield EMPTY._replace(
                experiment="exchangeability", data=name, method=method, n_rows=n,
                value=n / settings.urn_draws,
            )  # fmt: skip


def growth(settings):
    """The number of clusters the modified urn draws, against the number of balls."""
    for name, theta in GROWTH.items():
        for seed in range(settings.data_seeds):
            labels = sample_modified_partition(
                10_000, lam=theta + 0.7, theta=theta, epsilon=0.5, random_state=seed
            )
            for n in (100, 1000, 10_000):
                yield EMPTY._replace(
                    experiment="growth", level=float(n), data_seed=seed, method=name,
                    n_found=int(labels[:n].max()) + 1,
                )  # fmt: skip


def merging(settings):
    """Is the objective lower after a merge just when Proposition 3 says so?

    For two readings of c in its condition: the number of clusters after the merge, and before.
    """
    rng = np.random.default_rng(0)
    for trial in range(settings.merges):
        X, labels = rng.normal(size=(40, 2)), rng.integers(0, 6, 40)
        labels = np.unique(labels, return_inverse=True)[1]
        lam = rng.uniform(0.5, 15)
        theta = lam / rng.uniform(3, 12)
        merged = np.where(labels == 1, 0, labels)
        helps = objective(X, merged, lam, theta) < objective(X, labels, lam, theta)
        c = labels.max() + 1
        for reading, count in (("c after the merge", c - 1), ("c before the merge", c)):
            right = helps == condition(X, labels, lam, theta, count)
            yield EMPTY._replace(
                experiment="merging", data_seed=trial, method=reading, value=float(right)
            )


def objective(X, labels, lam, theta):
    """Eq. 15, written out."""
    clusters = [X[labels == k] for k in np.unique(labels)]
    c = len(clusters)
    return sum(((one - one.mean(axis=0)) ** 2).sum() for one in clusters) + c * (
        lam - theta * np.log(c)
    )


def condition(X, labels, lam, theta, c):
    """Proposition 3 for the clusters 0 and 1."""
    first, second = X[labels == 0], X[labels == 1]
    gap = np.sum((first.mean(axis=0) - second.mean(axis=0)) ** 2)
    price = lam - theta * ((c + 1) * np.log(c + 1) - c * np.log(c))
    return gap < (1 / len(first) + 1 / len(second)) * price


def opening(settings, n_groups, seed):
    """Does the largest distance ever rise while clusters open (Proposition 2)? Do orders matter?"""
    X, _ = sets.synthetic(n_groups, seed)
    profile = radius_profile(X, 2 * n_groups, n_threads=1)
    rose = float(np.sum(np.diff(profile) > 0))
    common = EMPTY._replace(data=f"groups {n_groups}", level=float(n_groups), data_seed=seed)
    yield common._replace(experiment="opening", method=methods.PYP, value=rose)
    lam = quiet_estimate(X, min(n_groups, 148), THETA_RATIO)
    model = PYPMeans(lam, lam / THETA_RATIO, algorithm="paper", n_threads=1)
    labels = methods.ours(model, X).labels
    for other in range(OTHER_ORDERS):
        order = np.random.default_rng(other).permutation(len(X))
        same = adjusted_rand_score(labels[order], methods.ours(model, X[order]).labels) == 1
        yield common._replace(
            experiment="order", method=methods.PYP, start=other, value=float(same)
        )


def convergence(settings, name):
    """The objective after each pass."""
    X, y = sets.real(name)
    lam = quiet_estimate(X, len(np.unique(y)), 10)
    entry = methods.entry_nearest(methods.fit_auto(PYPMeans, X)[0].path_, len(np.unique(y)))
    for method, model in (
        (methods.PYP, PYPMeans(lam, algorithm="paper", n_threads=1)),
        (methods.OURS, PYPMeans(entry.lam, entry.theta, n_threads=1)),
    ):
        made = methods.ours(model, X)
        for at, value in enumerate(model.objective_history_.tolist()):
            yield EMPTY._replace(
                experiment="convergence", data=name, level=float(at + 1), method=method,
                setting=made.setting, n_iter=made.n_iter, rises=made.rises, objective=value,
            )  # fmt: skip


def spectral(settings, name, seed):
    """Shapes that no center stands for."""
    X, y = sets.shape(name, seed)
    model = PYPSpectralClustering()
    for method, made in (
        (methods.SPECTRAL, methods.Fit(model.fit_predict(X), f"lam={model.lam_:.4g}")),
        (methods.OURS, methods.fit_auto(PYPMeans, X)[1]),
        (methods.KMEANS, methods.kmeans(X, seed, len(np.unique(y)))),
        (methods.DENSITY, methods.density(X)),
    ):
        yield EMPTY._replace(
            experiment="spectral", data=name, data_seed=seed, method=method, setting=made.setting,
            n_features=2, **score(y, made.labels),
        )  # fmt: skip


JOBS = exchangeability, growth, merging, opening, convergence, spectral


def jobs(settings):
    """Statement by statement."""
    for function in ("exchangeability", "growth", "merging"):
        yield f"properties.{function}", ()
    for name in settings.convergence:
        yield "properties.convergence", (name,)
    for seed in range(settings.data_seeds):
        for n_groups in settings.lam_groups:
            yield "properties.opening", (n_groups, seed)
    for seed in range(settings.shapes):
        for name in ("moons", "rings"):
            yield "properties.spectral", (name, seed)
