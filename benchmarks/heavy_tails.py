"""Zipf-sized Gaussian groups: is the true partition found, and is any small group lost?

``python benchmarks/heavy_tails.py [--seeds 5] [--packed] [--paper]`` prints one line per kind of
data: for how many sets the partition is exact (adjusted Rand index of 0.999 or more) and how many
true groups are lost in all, for the search at θ = 2 s² and, with ``--paper``, for the paper's
algorithm at the λ that opens the true number of clusters and for k-means given that number. Centers
are uniform and at least 6.5 standard deviations apart; with ``--packed`` most have a neighbour at
just that distance, where some rows lie on the wrong side. "truth" is the best that can be done:
rows go where their probability is highest, given the true centers and sizes.
"""

import argparse
import time
import warnings
from itertools import product

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from pypmeans import PYPMeans, estimate_lambda
from pypmeans.datasets import make_power_law_blobs

EXPONENTS = 1.0, 1.3, 1.6
GROUPS = 10, 60, 150
FEATURES = 1, 2, 5, 12, 30
SMALLEST, LARGEST = 12, 6000
SEPARATION = 6.5
THETA = 2.0  # groups have unit variance


def zipf_sizes(n_groups, exponent):
    """From the largest allowed down by the power law, never below the smallest."""
    ranks = np.arange(1, n_groups + 1)
    largest = min(LARGEST, SMALLEST * n_groups**exponent)
    return np.maximum(np.round(largest * ranks**-exponent), SMALLEST).astype(int)


def uniform_blobs(sizes, n_features, seed):
    """Round groups whose centers are uniform in a box, but not closer than allowed."""
    rng = np.random.default_rng(seed)
    side = 2 * SEPARATION * len(sizes) ** (1 / n_features)
    centers = np.empty((0, n_features))
    while len(centers) < len(sizes):
        center = rng.uniform(0, side, (1, n_features))
        if cdist(center, centers).min(initial=np.inf) >= SEPARATION:
            centers = np.vstack([centers, center])
        else:
            side *= 1.001  # until there is room
    y = np.repeat(np.arange(len(sizes)), sizes)
    return centers[y] + rng.normal(size=(len(y), n_features)), y, centers


def packed_blobs(sizes, n_features, seed):
    """Round groups most of which have a neighbour at the least distance."""
    return make_power_law_blobs(
        sizes=sizes, n_features=n_features, separation=SEPARATION, random_state=seed,
        return_centers=True,
    )  # fmt: skip


def lost(y, labels):
    """Number of true groups that are not most of the rows of any cluster."""
    table = np.zeros((y.max() + 1, labels.max() + 1), dtype=int)
    np.add.at(table, (y, labels), 1)
    owner = table.argmax(axis=0)
    return len(table) - len(np.unique(owner))


def by_truth(X, y, centers):
    sizes = np.bincount(y)
    cost = cdist(X, centers, "sqeuclidean") - THETA * np.log(sizes)
    return cost.argmin(axis=1)


def by_search(X, y, centers):
    return PYPMeans(theta=THETA).fit_predict(X)


def by_paper(X, y, centers):
    lam = estimate_lambda(X, len(centers))
    return PYPMeans(lam, algorithm="paper").fit_predict(X)


def by_kmeans(X, y, centers):
    return KMeans(len(centers), n_init=3, random_state=0).fit_predict(X)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--paper", action="store_true", help="the others beside it")
    parser.add_argument("--packed", action="store_true", help="groups as close as allowed")
    arguments = parser.parse_args()
    make = packed_blobs if arguments.packed else uniform_blobs
    warnings.simplefilter("ignore")
    methods = {"search": by_search, "truth": by_truth}
    if arguments.paper:
        methods |= {"paper": by_paper, "k-means": by_kmeans}
    total = {name: np.zeros(4) for name in methods}
    heads = "".join(f" | {name}: exact, lost, seconds" for name in methods)
    print(f"exponent, groups, features{heads}", flush=True)
    for exponent, k, p in product(EXPONENTS, GROUPS, FEATURES):
        line = f"{exponent}, {k}, {p}"
        figures = {name: np.zeros(4) for name in methods}
        for seed in range(arguments.seeds):
            X, y, centers = make(zipf_sizes(k, exponent), p, seed)
            for name, method in methods.items():
                start = time.perf_counter()
                labels = method(X, y, centers)
                seconds = time.perf_counter() - start
                exact = adjusted_rand_score(y, labels) >= 0.999
                figures[name] += exact, lost(y, labels), seconds, 1
        for name, values in figures.items():
            total[name] += values
            line += f" | {values[0]:.0f} of {values[3]:.0f}, {values[1]:.0f}, {values[2]:.1f}"
        print(line, flush=True)
    for name, (exact, n_lost, seconds, n) in total.items():
        print(f"{name}: {exact:.0f} of {n:.0f} exact, {n_lost:.0f} groups lost, {seconds:.0f} s")


if __name__ == "__main__":
    main()
