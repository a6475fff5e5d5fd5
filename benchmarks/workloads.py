"""The data: Zipf-sized groups, and what every method is told about them."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from pypmeans import PYPMeans, estimate_lambda
from pypmeans.datasets import make_power_law_blobs

PASSES = 1000  # far more than any run needs: each method stops by its own rule
TOL = 1e-4  # for ours where that is said: the same for all data, and what peers have by default


@dataclass(frozen=True)
class Workload:
    """A recipe for data with `k` groups; λ is chosen so that the first pass opens `k` clusters."""

    n: int
    d: int
    k: int = 300
    kind: str = "blobs"
    theta_ratio: float = np.inf  # λ / θ

    @property
    def name(self):
        """For tables and for the targets; that of the full size also in a smoke run."""
        kind = "" if self.kind == "blobs" else f" {self.kind}"
        return f"{_short(self.n)} x {self.d}{kind}, K = {self.k}"

    def quick(self):
        """The same in small, for a smoke run."""
        n = min(self.n, max(self.n // 100, 4000))
        return replace(self, n=n, k=min(self.k, max(self.k // 10, 5)))

    def make(self):
        """Draw the rows and find λ."""
        X, y = KINDS[self.kind](self.n, self.d, self.k)
        lam = estimate_lambda(X, self.k, theta_ratio=self.theta_ratio)
        return Problem(X, y, lam, lam / self.theta_ratio)


@dataclass
class Problem:
    """Rows, their true groups, λ and θ."""

    X: np.ndarray
    y: np.ndarray
    lam: float
    theta: float

    def head(self, n):
        """The first `n` rows, to compile and load whatever a method needs."""
        return Problem(self.X[:n], self.y[:n], self.lam, self.theta)

    def ours(self, **params):
        """Our estimator for this problem."""
        params = {"max_iter": PASSES, **params}
        return PYPMeans(self.lam, self.theta, algorithm="paper", **params)

    @cached_property
    def start(self):
        """The centers after one pass of ours: the common start of those that take one."""
        return self.ours(max_iter=1).fit(self.X).cluster_centers_

    @cached_property
    def n_clusters(self):
        """The number we find, given to those that must be told."""
        return self.ours().fit(self.X).n_clusters_

    def charge(self, n_clusters):
        """What the objective adds to the sum of squares."""
        return n_clusters * (self.lam - self.theta * np.log(n_clusters))


def blobs(n, d, k):
    """Gaussian groups of unit variance whose neighbours touch.

    Squared distances within a group vary by √d, so the squared separation grows like √d.
    """
    separation = 6.5 * max(d / 8, 1) ** 0.25
    return make_power_law_blobs(
        n, n_features=d, n_clusters=k, separation=separation, random_state=0
    )


def apart(n, d, k):
    """Gaussian groups of unit variance so far apart that balls around them do not touch."""
    separation = 2 * (np.sqrt(d) + 4)  # hardly a row in a million is further out than √d + 4
    return make_power_law_blobs(
        n, n_features=d, n_clusters=k, separation=separation, random_state=0
    )


def embeddings(n, d, k, n_topics=20):
    """Unit vectors in float32, like text embeddings: groups within topics, uneven spectrum."""
    rng = np.random.default_rng(0)
    topics, groups = _unit(rng.normal(size=(n_topics, d))), _unit(rng.normal(size=(k, d)))
    centers = _unit(topics[rng.integers(n_topics, size=k)] + 0.7 * groups)
    spectrum = np.arange(1.0, d + 1) ** -0.5
    _, y = make_power_law_blobs(n, n_features=1, n_clusters=k, random_state=0)
    X = rng.normal(size=(n, d)).astype(np.float32)
    X *= (0.6 * spectrum / np.linalg.norm(spectrum)).astype(np.float32)
    X += centers[y].astype(np.float32)
    return _unit(X), y


def uniform(n, d, k):
    """No groups at all: the hardest case for any method that saves work by bounds."""
    return np.random.default_rng(0).random((n, d)), np.zeros(n, dtype=int)


KINDS = {"blobs": blobs, "apart": apart, "embeddings": embeddings, "uniform": uniform}


def _unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _short(n):
    return f"{n / 1e6:g}M" if n >= 1e6 else f"{n / 1e3:g}k"
