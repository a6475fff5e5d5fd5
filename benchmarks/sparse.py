"""Sparse rows, as of documents: time, memory and agreement with the true topics.

``python benchmarks/sparse.py [--rows 200000] [--features 20000] [--nonzeros 47] [--topics 100]``
fits rows of unit length, drawn from topics of Zipf sizes, each way in a process of its own: the
paper's algorithm, the search with numbers for λ and θ, and the automatic choice. Prints seconds,
the highest resident memory (data and imports included), the number of clusters, the adjusted mutual
information with the topics, and how many topics have a cluster of which they are most and that
holds most of them. Words that occur twice leave about 40 of 47 numbers that are not zero.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
import warnings

import numpy as np
from scipy.sparse import csr_array
from sklearn.metrics import adjusted_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix

from pypmeans import PYPMeans

WAYS = "paper", "search", "auto"
TOPIC_WORDS = 60  # that a topic has beside those all share
OWN = 0.7  # part of a document that consists of them


def make_documents(n_rows, n_features, n_nonzeros, n_topics, seed=0):
    """Documents as rows of unit length, and their topics."""
    rng = np.random.default_rng(seed)
    chance = 1 / np.arange(1, n_topics + 1)
    topics = rng.choice(n_topics, n_rows, p=chance / chance.sum())
    words = np.stack([rng.choice(n_features, TOPIC_WORDS, replace=False) for _ in range(n_topics)])
    common = 1 / np.arange(10, n_features + 10)
    shared = rng.choice(n_features, (n_rows, n_nonzeros), p=common / common.sum())
    own = words[topics[:, None], rng.integers(TOPIC_WORDS, size=(n_rows, n_nonzeros))]
    columns = np.where(rng.random((n_rows, n_nonzeros)) < OWN, own, shared)
    starts = np.arange(0, n_rows * n_nonzeros + 1, n_nonzeros)
    X = csr_array((np.ones(columns.size), columns.ravel(), starts), shape=(n_rows, n_features))
    X.sum_duplicates()  # words that occur twice
    rarity = np.log(n_rows / (1 + np.bincount(X.indices, minlength=n_features)))
    X.data = (1 + np.log(X.data)) * rarity[X.indices]
    rows = np.repeat(np.arange(n_rows), np.diff(X.indptr))
    X.data /= np.sqrt(np.bincount(rows, weights=X.data**2))[rows]
    return X, topics


def found_topics(topics, labels):
    """How many topics are most of a cluster that holds most of them."""
    table = contingency_matrix(topics, labels, sparse=True).tocoo()
    of_topic, of_cluster = np.bincount(topics), np.bincount(labels)
    topic = np.unique(topics)[table.row]
    most = (2 * table.data > of_topic[topic]) & (2 * table.data > of_cluster[table.col])
    return int(most.sum())


def measure(way, shape):
    """Fit in this process; what came of it."""
    X, topics = make_documents(*shape)
    data = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    models = {
        # Rows are further from each other, up to 2, than from any mean: hence a row to start from.
        "paper": PYPMeans(
            1.95, 0.01, algorithm="paper", init="random", random_state=0, max_clusters=300
        ),
        "search": PYPMeans(10.0, 0.03),
        "auto": PYPMeans(),
    }
    start, cpu_start = time.perf_counter(), time.process_time()
    model = models[way].fit(X)
    seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "way": way,
        "filled": X.nnz / np.prod(X.shape),
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "peak_gb": peak * 1024 / 1e9,
        "before_fit_gb": data * 1024 / 1e9,
        "n_clusters": model.n_clusters_,
        "n_iter": model.n_iter_,
        "lam": model.lam_,
        "theta": model.theta_,
        "ami": adjusted_mutual_info_score(topics, model.labels_),
        "topics": len(np.unique(topics)),
        "topics_found": found_topics(topics, model.labels_),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, value in (("rows", 200_000), ("features", 20_000), ("nonzeros", 47), ("topics", 100)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--only", choices=WAYS)
    parser.add_argument("--here", action="store_true", help="in this process, with --only")
    given = parser.parse_args()
    shape = given.rows, given.features, given.nonzeros, given.topics
    if given.here:
        warnings.simplefilter("ignore")
        print(json.dumps(measure(given.only, shape)))
        return
    for way in [given.only] if given.only else WAYS:
        command = [sys.executable, __file__, *sys.argv[1:], "--only", way, "--here"]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
