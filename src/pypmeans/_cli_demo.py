"""What the demo does besides calling the other commands: its data, and the truth about them."""

import csv
from functools import partial

from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from pypmeans._writing import whole_file
from pypmeans.datasets import load_demo
from pypmeans.files import TableFile


def write_demo(path, *, overwrite):
    """The demo data as a CSV file, without the true groups."""
    bunch = load_demo()
    with whole_file(path, overwrite=overwrite) as draft, draft.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(bunch.feature_names)
        writer.writerows(bunch.data.tolist())


def agreement(labels_path):
    """How well the clusters in a file agree with the truth, and k-means beside them, in words."""
    bunch = load_demo()
    n_groups = len(set(bunch.target.tolist()))
    ours = TableFile(labels_path, columns=["cluster"]).to_array().ravel()
    k_means = KMeans(n_groups, random_state=0).fit(bunch.data).labels_
    score_of = partial(adjusted_rand_score, bunch.target)
    return [
        f"{len(set(ours.tolist()))} clusters found (there are {n_groups}); agreement with the "
        "truth, 1 is perfect (adjusted Rand index):",
        f"  pypmeans, nothing given        {score_of(ours):.3f}",
        f"  k-means, given the number {n_groups}   {score_of(k_means):.3f}",
    ]
