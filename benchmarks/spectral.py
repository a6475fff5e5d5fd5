"""PYPSpectralClustering beside scikit-learn's SpectralClustering, which is told the number.

Prints two tables: shapes over ten seeds, and 20,000 rows in one run with the ratio of times. Run
``.venv/bin/python benchmarks/spectral.py``; about two minutes.
"""

import argparse
import sys
import warnings
from pathlib import Path
from time import perf_counter

import numpy as np
from sklearn.cluster import SpectralClustering
from sklearn.metrics import adjusted_rand_score

from pypmeans import PYPSpectralClustering

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from shapes import SHAPES, two_moons, two_rings, zipf_blobs

LARGE = {
    "20,000 in two moons": lambda: two_moons(0, 20_000),
    "20,001 in two rings": lambda: two_rings(0, 20_001),
    "21,322 in 12 groups, 3 features": lambda: zipf_blobs(0, 12, 3, 9000, distance=10),
    "21,322 in 12 groups, 6 features": lambda: zipf_blobs(0, 12, 6, 9000),
    "50,000 in two moons": lambda: two_moons(0, 50_000),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--skip-large", action="store_true")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    shapes(args.seeds)
    if not args.skip_large:
        large()


def shapes(n_seeds):
    print(f"Least over {n_seeds} seeds; 'held back' is the share of a third of the rows, not given")
    print("to fit, that predict puts where they belong; scikit-learn is told the number.\n")
    print(f"{'':22}{'clusters':>10}{'right':>8}{'ARI':>8}{'held back':>11}", end="")
    print(f"{'ARI sklearn rbf':>17}{'ARI sklearn knn':>17}")
    for name, make in SHAPES.items():
        rows = [judge(*make(seed)) for seed in range(n_seeds)]
        right, ours, held, rbf, knn = np.array(rows).T
        n_clusters = make(0)[1].max() + 1
        share = f"{int(right.sum())}/{n_seeds}"
        print(f"{name:22}{n_clusters:>10}{share:>8}{ours.min():>8.3f}{held.min():>11.3f}", end="")
        print(f"{rbf.min():>17.3f}{knn.min():>17.3f}", flush=True)


def judge(X, y):
    n_clusters = y.max() + 1
    model = PYPSpectralClustering().fit(X)
    peers = [
        SpectralClustering(n_clusters, affinity=affinity, random_state=0).fit_predict(X)
        for affinity in ("rbf", "nearest_neighbors")
    ]
    return (
        model.n_clusters_ == n_clusters,
        adjusted_rand_score(y, model.labels_),
        held_back(X, y),
        *(adjusted_rand_score(y, labels) for labels in peers),
    )


def held_back(X, y):
    """The share of rows not seen that predict puts with the group their cluster stands for."""
    old = np.arange(len(X)) % 3 > 0
    model = PYPSpectralClustering().fit(X[old])
    groups = [np.bincount(y[old][model.labels_ == k]).argmax() for k in range(model.n_clusters_)]
    return np.mean(np.take(groups, model.predict(X[~old])) == y[~old])


def large():
    print("\nSeconds of one run each, neighbour graphs of 10; scikit-learn is told the number.\n")
    print(f"{'':33}{'ours':>8}{'sklearn':>9}{'ratio':>8}{'clusters':>10}{'ARI':>8}{'sklearn':>9}")
    PYPSpectralClustering().fit(two_moons(0)[0])  # imports and first calls
    for name, make in LARGE.items():
        X, y = make()
        ours, our_time = timed(PYPSpectralClustering(), X)
        peer = SpectralClustering(y.max() + 1, affinity="nearest_neighbors", random_state=0)
        theirs, their_time = timed(peer, X)
        print(f"{name:33}{our_time:>8.2f}{their_time:>9.2f}{our_time / their_time:>8.2f}", end="")
        print(f"{ours.n_clusters_:>5} of {y.max() + 1:>2}", end="")
        print(f"{adjusted_rand_score(y, ours.labels_):>8.3f}", end="")
        print(f"{adjusted_rand_score(y, theirs.labels_):>9.3f}", flush=True)


def timed(model, X):
    start = perf_counter()
    model.fit(X)
    return model, perf_counter() - start


if __name__ == "__main__":
    main()
