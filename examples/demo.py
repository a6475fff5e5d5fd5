"""
Find sixteen groups of 12 to 681 points
=======================================

The demo data has a few large groups and a long tail of small ones. `PYPMeans` is told neither how
many there are nor how far apart; k-means is told the number and still loses the tail.
"""

from time import perf_counter

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from pypmeans import PYPMeans
from pypmeans.datasets import load_demo


def main():
    X, truth = load_demo(return_X_y=True)
    start = perf_counter()
    model = PYPMeans().fit(X)
    seconds = perf_counter() - start
    print(f"{len(X)} points with {X.shape[1]} features, clustered in {seconds:.2f} s ", end="")
    print("(the first run compiles)\n")
    print_clusters(model, truth)
    print_agreement(model, X, truth)
    print_objective(model)


def print_clusters(model, truth):
    print(f"{model.n_clusters_} clusters found (there are {len(np.unique(truth))}):\n")
    print("cluster   points   of one true group   center")
    for k, (size, center) in enumerate(zip(model.cluster_sizes_, model.cluster_centers_)):
        pure = np.bincount(truth[model.labels_ == k]).max() / size
        place = ", ".join(f"{value:.3f}" for value in center)
        bar = "#" * round(40 * size / model.cluster_sizes_[0]) or "."
        print(f"{k:7d}  {size:7.0f}   {pure:16.0%}    ({place})  {bar}")


def print_agreement(model, X, truth):
    k_means = KMeans(len(np.unique(truth)), random_state=0).fit(X)
    print("\nagreement with the truth (adjusted Rand index, 1 is perfect):")
    print(f"  PYPMeans, nothing given          {adjusted_rand_score(truth, model.labels_):.3f}")
    print(f"  KMeans, given the true number    {adjusted_rand_score(truth, k_means.labels_):.3f}")


def print_objective(model):
    print(f"\nlam = {model.lam_:.4g}, theta = {model.theta_:.4g}; the objective by pass:")
    for n, value in enumerate(model.objective_history_, start=1):
        print(f"  {n:3d}  {value:.6f}")


if __name__ == "__main__":
    main()
