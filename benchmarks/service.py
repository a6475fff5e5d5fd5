"""Latency of `predict` for one row at a time, as a service would call it.

python benchmarks/service.py [n_calls]
"""

import gc
import os
import sys
import time
import warnings

import numpy as np

from pypmeans import PYPMeans

# clusters, features
SHAPES = [(16, 2), (1400, 10), (300, 64)]


def model_of(n_clusters, n_features):
    rng = np.random.default_rng(0)
    centers = 30 * rng.normal(size=(n_clusters, n_features))
    X = np.repeat(centers, 4, axis=0) + rng.normal(size=(4 * n_clusters, n_features))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return PYPMeans(50.0, 0.5, init=centers, max_iter=2).fit(X), X


def latencies(model, X, n_calls):
    """Microseconds by the clock, each call, and of CPU, on average."""
    rows = [X[i : i + 1].copy() for i in range(len(X))]
    taken = np.empty(n_calls)
    cpu = time.process_time()
    for call in range(n_calls):
        row = rows[call % len(rows)]
        start = time.perf_counter()
        model.predict(row)
        taken[call] = time.perf_counter() - start
    return 1e6 * taken, 1e6 * (time.process_time() - cpu) / n_calls


def main(n_calls=100_000):
    print(f"{n_calls:,} calls, one row each; load of the machine {os.getloadavg()[0]:.1f}")
    print("| clusters | features | p50 µs | p90 | p99 | p99.9 | CPU µs per call |")
    print("|---|---|---|---|---|---|---|")
    for n_clusters, n_features in SHAPES:
        model, X = model_of(n_clusters, n_features)
        model.predict(X[:1])
        gc.collect()
        taken, cpu = latencies(model, X, n_calls)
        quantiles = np.quantile(taken, [0.5, 0.9, 0.99, 0.999])
        cells = " | ".join(f"{value:.0f}" for value in quantiles)
        print(f"| {model.n_clusters_} | {n_features} | {cells} | {cpu:.0f} |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
