"""DP-means by search against k-means with the best number of clusters, on the plain objective.

``python benchmarks/against_kmeans.py [--sets wine glass …] [--kmeans FILE]`` prints, for each real
data set and 12 values of λ from "one cluster" to "fifty clusters", the objective of
``DPMeans(lam)`` relative to the best of scikit-learn's KMeans with 1 to 60 clusters and 10 starts
each, plus λ for each cluster. The sums of squares of KMeans are kept in FILE, if one is given.
"""

import argparse
import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "experiments"))
import real_data

from pypmeans import DPMeans

MOST = 60
VALUES = 12


def kmeans_sums(X):
    """Least sums of squares found by KMeans with 1, 2, … clusters."""
    return [
        KMeans(k, n_init=10, random_state=0).fit(X).inertia_
        for k in range(1, min(MOST, len(X)) + 1)
    ]


def grid(sums):
    """λ from where fifty clusters are best to where one is."""
    counts = np.arange(1, len(sums) + 1)
    one = max((sums[0] - sums[1:]) / (counts[1:] - 1))
    fifty = (sums[48] - sums[50]) / 2
    return np.geomspace(fifty, one, VALUES)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=real_data.NAMES)
    parser.add_argument("--kmeans", type=Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    known = {}
    if arguments.kmeans and arguments.kmeans.exists():
        known = json.loads(arguments.kmeans.read_text())
    excess = []
    print("set, lambda | clusters, objective | KMeans: clusters, objective | excess %, seconds")
    for name in arguments.sets:
        X, _ = real_data.load(name)
        if name not in known:
            known[name] = kmeans_sums(X)
            if arguments.kmeans:
                arguments.kmeans.write_text(json.dumps(known))
        sums = np.array(known[name])
        for lam in grid(sums):
            theirs = sums + lam * np.arange(1, len(sums) + 1)
            start = time.perf_counter()
            model = DPMeans(lam, algorithm="search", max_iter=1000).fit(X)
            seconds = time.perf_counter() - start
            excess.append(100 * (model.objective_ / theirs.min() - 1))
            print(
                f"{name}, {lam:.4g} | {model.n_clusters_}, {model.objective_:.6g} | "
                f"{theirs.argmin() + 1}, {theirs.min():.6g} | {excess[-1]:+.3f}, {seconds:.2f}",
                flush=True,
            )
    excess = np.array(excess)
    print(
        f"{len(excess)} cases: at most 0.1 % above in {np.mean(excess <= 0.1):.1%}, at most 0.5 % "
        f"in {np.mean(excess <= 0.5):.1%}; largest {excess.max():+.3f} %, "
        f"median {np.median(excess):+.3f} %"
    )


if __name__ == "__main__":
    main()
