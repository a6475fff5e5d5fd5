"""How well a scale is chosen without labels: criteria, a ceiling and other methods.

``python experiments/auto/study.py`` works through all data sets and prints the tables; what is in
``results.csv`` already is not done again, so a run can be interrupted. ``--fresh`` starts over,
``--quick`` does a few small sets and keeps nothing, ``--tables`` only prints.

Half of the sets are for development, half for confirmation: see `half_of`.
"""

import argparse
import csv
import sys
import time
import warnings
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.metrics import adjusted_mutual_info_score, pairwise_distances, silhouette_score
from sklearn.mixture import BayesianGaussianMixture

from pypmeans import scale_path
from pypmeans.datasets import make_paper_blobs, make_power_law_blobs

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]

import real_data  # noqa: E402
from criteria import CRITERIA, OURS, Data, Partition, choose  # noqa: E402

RESULTS = FOLDER / "results.csv"
REAL = {  # which half
    "wine": "development",
    "vowel": "development",
    "statlog": "development",
    "page-blocks": "development",
    "glass": "confirmation",
    "yeast": "confirmation",
    "satellite": "confirmation",
    "pendigits": "confirmation",
}
HALVES = "development", "confirmation"
SMALL = 50  # rows of a small group at most
NULL_SEEDS = 20
PEER_SEEDS = 6  # of the nulls that the slowest peer sees
CEILING = "best entry (labels used)"


class DataSet(NamedTuple):
    """A data set that is made or read when its turn comes."""

    name: str
    kind: str
    half: str
    load: object


class Row(NamedTuple):
    """One line of the results."""

    data: str
    kind: str
    half: str
    method: str
    n_rows: int
    n_features: int
    n_true: int
    n_found: int
    ami: float
    n_small: int
    small_found: int
    seconds: float  # of one CPU, for the path and the choice


def half_of(seed):
    """Even seeds are for development, odd ones for confirmation."""
    return HALVES[seed % 2]


def data_sets():
    """All data sets."""
    for name, half in REAL.items():
        yield DataSet(name, "real", half, lambda name=name: real_data.load(name))
    for k, seed in product((3, 10, 30, 75, 150), (0, 1)):
        yield DataSet(
            f"paper k={k} seed={seed}", "paper", half_of(seed),
            lambda k=k, seed=seed: make_paper_blobs(k, random_state=seed),
        )  # fmt: skip
    for settings in zipf_grid():
        p, k, exponent, separation, anisotropy, seed = settings
        name = f"zipf p={p} k={k} a={exponent} sep={separation} aniso={anisotropy} seed={seed}"
        yield DataSet(name, "zipf", half_of(seed), lambda a=settings: zipf(*a))
    for seed, kind, p in product(range(NULL_SEEDS), ("normal", "uniform"), (2, 10, 50)):
        name = f"{kind} p={p} seed={seed}"
        yield DataSet(name, f"null {kind} p={p}", half_of(seed), lambda a=(kind, p, seed): null(*a))


def null(kind, p, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, p)) if kind == "normal" else rng.random((300, p))
    return X, np.zeros(300, dtype=int)


def zipf_grid():
    """Features, separations, groups and shapes crossed; exponents and halves take turns."""
    axes = (2, 10, 50), (4.5, 6.5, 8), (10, 60), (1, 4)
    for i, (p, separation, k, anisotropy) in enumerate(product(*axes)):
        a, b, c, d = np.unravel_index(i, [len(axis) for axis in axes])
        exponent = (0.8, 1.3, 2)[(a + 2 * b + c) % 3]
        yield p, k, exponent, separation, anisotropy, int(a + b + c + d) % 2


def zipf(p, k, exponent, separation, anisotropy, seed):
    return make_power_law_blobs(
        40 * k if k == 60 else 100 * k, n_features=p, n_clusters=k, exponent=exponent,
        separation=separation, anisotropy=anisotropy, random_state=seed,
    )  # fmt: skip


def quick_sets():
    """A few small sets of each kind."""
    wanted = ("normal p=2 seed=0", "uniform p=10 seed=1", "paper k=10 seed=0", "wine", "glass")
    by_name = {data.name: data for data in data_sets()}
    zipfs = [name for name in by_name if name.startswith("zipf p=2 k=10")][2:4]
    return [by_name[name] for name in (*wanted, *zipfs)]


def partitions_of(X):
    """The different partitions of a path, coarsest first."""
    data, labels, counts = Data(X), [], []
    for entry in scale_path(X, n_threads=1):
        found = entry.predict(X)
        if labels and np.array_equal(labels[-1], found):
            counts[-1] += 1
        else:
            labels.append(found)
            counts.append(1)
    return [Partition(data, found, count) for found, count in zip(labels, counts)]


def by_path(X, y, names=tuple(CRITERIA)):
    """Labels and seconds by each criterion, and those that are best by the labels."""
    start = time.process_time()
    partitions = partitions_of(X)
    path_seconds = time.process_time() - start
    for name in names:
        start = time.process_time()
        chosen = partitions[choose(name, partitions)]
        yield name, chosen.labels, path_seconds + time.process_time() - start
    scores = [adjusted_mutual_info_score(y, partition.labels) for partition in partitions]
    yield CEILING, partitions[int(np.argmax(scores))].labels, path_seconds


def by_peers(X, slow=True):
    """Labels and seconds of other methods that need no number of clusters."""
    for name, method in PEERS.items():
        if slow or name != "DP mixture (full)":
            start = time.process_time()
            labels = method(X)
            yield name, labels, time.process_time() - start


def by_hdbscan(X):
    return HDBSCAN(copy=True).fit_predict(X)


def by_mixture(X):
    return BayesianGaussianMixture(n_components=30, random_state=0).fit_predict(X)


def by_silhouette(X):
    """k-means with the number of clusters whose silhouette is best, on at most 2000 rows."""
    rows = np.random.default_rng(0).permutation(len(X))[:2000]
    distances = pairwise_distances(X[rows])
    best, labels = -np.inf, None
    for k in range(2, min(30, len(X) - 1) + 1):
        found = KMeans(k, random_state=0).fit_predict(X)
        if len(np.unique(found[rows])) < 2:
            continue
        score = silhouette_score(distances, found[rows], metric="precomputed")
        if score > best:
            best, labels = score, found
    return labels


PEERS = {
    "HDBSCAN": by_hdbscan,
    "DP mixture (full)": by_mixture,
    "k-means, best silhouette": by_silhouette,
}


def rows_of(data):
    """All lines of one data set."""
    X, y = data.load()
    y = np.unique(y, return_inverse=True)[1]
    null = data.kind.startswith("null")
    slow = not null or int(data.name.rpartition("=")[2]) < PEER_SEEDS
    for method, labels, seconds in (*by_path(X, y), *by_peers(X, slow)):
        n_small, small_found = small_groups(y, labels)
        yield Row(
            data.name, data.kind, data.half, method, *X.shape, int(y.max()) + 1,
            # rows that HDBSCAN gives to no cluster count as one cluster in the AMI
            len(np.unique(labels[labels >= 0])),
            round(float(adjusted_mutual_info_score(y, labels)), 4), n_small, small_found,
            round(seconds, 2),
        )  # fmt: skip


def small_groups(y, labels):
    """How many small true groups there are, and how many are most of the rows of some cluster."""
    clusters = np.unique(labels[labels >= 0])
    most = {int(np.bincount(y[labels == cluster]).argmax()) for cluster in clusters}
    small = np.flatnonzero(np.bincount(y) <= SMALL)
    return len(small), len(most & set(small.tolist()))


def run(sets, path=None):
    """Results of the sets; those in the file already are taken from it, new ones added to it."""
    rows = read(path) if path is not None and path.exists() else []
    done = {row.data for row in rows}
    for data in sets:
        if data.name in done:
            continue
        start = time.perf_counter()
        new = list(rows_of(data))
        rows += new
        if path is not None:
            append(path, new)
        found = {row.method: row for row in new}
        print(
            f"{data.name}: {found[OURS].n_found} clusters of {new[0].n_true}, AMI "
            f"{found[OURS].ami:.3f}, ceiling {found[CEILING].ami:.3f}, "
            f"{time.perf_counter() - start:.1f} s",
            file=sys.stderr, flush=True,
        )  # fmt: skip
    return rows


def read(path):
    with path.open(encoding="utf-8", newline="") as file:
        kinds = Row.__annotations__.values()
        return [
            Row(*(kind(cell) for kind, cell in zip(kinds, line)))
            for line in list(csv.reader(file))[1:]
        ]


def append(path, rows):
    """Add the lines of one data set at once, so that an interrupted run leaves whole sets."""
    header = [] if path.exists() else [Row._fields]
    with path.open("a", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([*header, *rows])


def table(rows):
    """The results as a Markdown table, the halves side by side: development / confirmation."""
    heads = ["method", "real AMI", "paper AMI", "zipf AMI", "real ln K", "paper ln K", "zipf ln K"]
    heads += ["small groups", "one cluster"]
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for method in dict.fromkeys(row.method for row in rows):
        mine = [row for row in rows if row.method == method]
        cells = [f"**{method}**" if method == OURS else method]
        for figure in (mean_ami, error_of_count):
            cells += [
                both(figure, of_kind(mine, kind), ".3f") for kind in ("real", "paper", "zipf")
            ]
        cells += [both(small_recall, mine, ".2f"), both(ones, of_kind(mine, "null"), ".2f")]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def of_kind(rows, kind):
    return [row for row in rows if row.kind.startswith(kind)]


def both(figure, rows, style):
    """A figure of each half."""
    halves = [[row for row in rows if row.half == half] for half in HALVES]
    return " / ".join(format(figure(half), style) if half else "–" for half in halves)


def mean_ami(rows):
    return np.mean([row.ami for row in rows])


def error_of_count(rows):
    """Mean of |ln(found / true)|: twice and half as many are equally wrong."""
    return np.mean([abs(np.log(max(row.n_found, 1) / row.n_true)) for row in rows])


def small_recall(rows):
    rows = [row for row in rows if not row.kind.startswith("null")]
    n_small = sum(row.n_small for row in rows)
    return sum(row.small_found for row in rows) / n_small if n_small else np.nan


def ones(rows):
    return np.mean([row.n_found <= 1 for row in rows])


def detail(rows, methods):
    """AMI and number of clusters for each real set, and the nulls by kind."""
    real = {row.data: row.n_true for row in rows if row.kind == "real"}
    nulls = list(dict.fromkeys(row.kind for row in rows if row.kind.startswith("null")))
    heads = [f"{name} ({k})" for name, k in real.items()] + [kind[5:] for kind in nulls]
    lines = ["| method | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    for method in methods:
        mine = [row for row in rows if row.method == method]
        cells = [f"{row.ami:.3f} ({row.n_found})" for row in mine if row.kind == "real"]
        cells += [f"{ones(of_kind(mine, kind)):.2f}" for kind in nulls]
        lines.append(f"| {method} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few small sets, nothing kept")
    parser.add_argument("--fresh", action="store_true", help="forget earlier results")
    parser.add_argument("--tables", action="store_true", help="only print what there is")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.fresh:
        RESULTS.unlink(missing_ok=True)
    if arguments.quick:
        rows = run(quick_sets())
    else:
        rows = run([] if arguments.tables else data_sets(), RESULTS)
    print(table(rows))
    print()
    print(detail(rows, dict.fromkeys(row.method for row in rows)))


if __name__ == "__main__":
    main()
