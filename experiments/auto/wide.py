"""Fifty features: what principal components do to the evidence.

``python experiments/auto/wide.py`` prints, for the sets of the study with 50 features, the mean AMI
and the error in the number of clusters with three structures, without "along the axes", and with
fewer components. Principal components are turned so that all rows together lie along the axes: one
cluster of that structure is then as good as a full covariance and costs far less, which the finer
partitions pay for.
"""

import warnings

import numpy as np
import study
from criteria import Data, Partition, evidence
from sklearn.metrics import adjusted_mutual_info_score

NULL_SEEDS = 10
WAYS = {
    "three structures, 40 components": (40, ("round", "axes", "full")),
    "round or full, 40 components": (40, ("round", "full")),
    "three structures, 20 components": (20, ("round", "axes", "full")),
    "round or full, 20 components": (20, ("round", "full")),
}


def wide_sets():
    for data in study.data_sets():
        null = data.kind.startswith("null")
        if "p=50" in data.name and not (null and int(data.name[-2:].strip("=")) >= NULL_SEEDS):
            yield data


def found(X, y):
    """AMI and number of clusters by each way."""
    labels = [partition.labels for partition in study.partitions_of(X)]
    for way, (n_components, structures) in WAYS.items():
        data = Data(X, n_components)
        partitions = [Partition(data, one) for one in labels]
        scores = [evidence(partition, 2.0, structures, True) for partition in partitions]
        best = partitions[int(np.argmax(scores))]
        yield way, adjusted_mutual_info_score(y, best.labels), best.n_clusters


def main():
    warnings.simplefilter("ignore")
    rows = []
    for data in wide_sets():
        X, y = data.load()
        rows += [(data.kind, data.half, len(np.unique(y)), *one) for one in found(X, y)]
    print("| evidence, 50 features | zipf AMI | zipf ln K | one cluster |\n|---|---|---|---|")
    for way in WAYS:
        cells = [[], [], []]
        for half in study.HALVES:
            mine = [row for row in rows if row[3] == way and row[1] == half]
            zipf = [row for row in mine if row[0] == "zipf"]
            cells[0].append(np.mean([ami for *_, ami, _ in zipf]))
            cells[1].append(np.mean([abs(np.log(k / true)) for _, _, true, _, _, k in zipf]))
            cells[2].append(np.mean([row[-1] == 1 for row in mine if row[0] != "zipf"]))
        print(
            f"| {way} | "
            + " | ".join(" / ".join(f"{v:.3f}" for v in cell) for cell in cells)
            + " |"
        )


if __name__ == "__main__":
    main()
