"""Data that cost most: how time grows with the number of rows or clusters.

Each case is measured at two sizes, one twice the other; the exponent is that of the growth of CPU
time between them (1 is linear, 2 quadratic) and must stay below the stated bound.

    python benchmarks/worst_cases.py [name...]
"""

import sys
import time
import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pypmeans import DPMeans, PYPMeans


class Case(NamedTuple):
    """Rows and a model, each of a size, and how time may grow."""

    data: Callable  # of a size
    model: Callable  # of a size
    size: int
    bound: float  # of the exponent
    why: str  # the bound


def every_row_apart(n):
    return np.random.default_rng(0).uniform(size=(n, 2))


def equal_rows(n):
    return np.full((n, 3), 7.0)


def one_outlier(n):
    X = np.random.default_rng(0).normal(size=(n, 3))
    X[n // 2] = 1e9
    return X


def separate_groups(k):
    rng = np.random.default_rng(0)
    side = int(np.ceil(k ** (1 / 3)))
    places = np.stack(np.unravel_index(np.arange(k), (side,) * 3), axis=1) * 20.0
    return np.repeat(places, 10, axis=0) + rng.normal(size=(10 * k, 3))


def doubling_chain(n):
    """Furthest first always opens the row at the end, and gains next to nothing elsewhere."""
    X = np.zeros((n, 2))
    X[:, 0] = 1.01 ** np.arange(n)
    return X


def lattice(n):
    side = int(np.sqrt(n))
    return np.stack(np.unravel_index(np.arange(side**2), (side, side)), axis=1).astype(float)


CASES = {
    "every row its own cluster, search": Case(
        every_row_apart, lambda n: DPMeans(1e-14), 10_000, 2.1, "pairs of clusters are compared"
    ),
    "every row its own cluster, paper": Case(
        every_row_apart, lambda n: DPMeans(1e-14, algorithm="paper"), 10_000, 2.1,
        "pairs of clusters are compared",
    ),
    "5,000 clusters, search": Case(
        separate_groups, lambda k: PYPMeans(100.0, 2.0), 2500, 2.1, "pairs of clusters are compared"
    ),
    "5,000 clusters, paper": Case(
        separate_groups, lambda k: PYPMeans(100.0, 2.0, algorithm="paper"), 2500, 2.1,
        "pairs of clusters are compared",
    ),
    "all rows equal, search": Case(equal_rows, lambda n: PYPMeans(1.0), 500_000, 1.3, "rows"),
    "all rows equal, auto": Case(equal_rows, lambda n: PYPMeans(), 500_000, 1.3, "rows"),
    "one far outlier, search": Case(
        one_outlier, lambda n: PYPMeans(100.0, 2.0), 500_000, 1.4, "rows, and passes to settle"
    ),
    "one far outlier, paper": Case(
        one_outlier, lambda n: PYPMeans(1e6, algorithm="paper"), 500_000, 1.4, "rows"
    ),
    "furthest-first chain, paper": Case(
        doubling_chain, lambda n: DPMeans(1e-6, algorithm="paper"), 5000, 2.1, "rows times openings"
    ),
    "lattice full of ties, search": Case(
        lattice, lambda n: PYPMeans(20.0, 1.0), 10_000, 2.1, "pairs of clusters are compared"
    ),
    "lattice full of ties, paper": Case(
        lattice, lambda n: PYPMeans(9.0, 0.5, algorithm="paper"), 10_000, 2.1,
        "pairs of clusters are compared",
    ),
}  # fmt: skip


def measure(case, size):
    """Seconds of CPU, seconds by the clock, clusters and passes."""
    X, model = case.data(size), case.model(size)
    cpu, clock = time.process_time(), time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X)
    return (
        time.process_time() - cpu, time.perf_counter() - clock, model.n_clusters_, model.n_iter_
    )  # fmt: skip


def main(names):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for algorithm in ("paper", "search"):  # compiled before anything is measured
            PYPMeans(1.0, algorithm=algorithm).fit(every_row_apart(50))
    print("| case | size | CPU s | s | clusters | passes | exponent | bound |")
    print("|---|---|---|---|---|---|---|---|")
    for name in names or CASES:
        case = CASES[name]
        former = None
        for size in (case.size, 2 * case.size):
            cpu, clock, n_clusters, n_iter = measure(case, size)
            growth = "" if former is None else f"{np.log2(cpu / former):.2f}"
            bound = "" if former is None else f"{case.bound} ({case.why})"
            print(
                f"| {name} | {size:,} | {cpu:.2f} | {clock:.2f} | {n_clusters:,} | {n_iter} "
                f"| {growth} | {bound} |",
                flush=True,
            )
            former = cpu


if __name__ == "__main__":
    main(sys.argv[1:])
