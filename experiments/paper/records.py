"""The rows of the results, and the files of finished jobs.

A finished job is a file of its own, put in place at once, so that an interrupted run can go on and
the order in which jobs end leaves no trace in the results.
"""

import csv
import hashlib
import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.metrics import adjusted_mutual_info_score

from pypmeans.metrics import (
    clustering_accuracy,
    normalized_mutual_information,
    power_law_alpha,
)

DECIMALS = 6


class Row(NamedTuple):
    """One run of one method, or one other figure in `value`."""

    experiment: str
    data: str
    level: float  # the horizontal axis: number of groups, of rows, ratio of sizes…
    data_seed: int
    protocol: str  # paper, fair or honest; see `tuning`
    method: str
    setting: str  # the parameters, for people
    start: int  # seed of the random start
    n_rows: int
    n_features: int
    n_true: int
    n_found: int
    nmi: float
    acc: float
    ami: float
    small_recall: float  # part of the smallest groups that are found
    n_iter: int
    rises: int  # passes in which the objective rose
    objective: float
    value: float  # the exponent α̂ of the sizes found, where rows are clustered
    seconds: float  # kept apart from the results


# What makes a run another run.
KEY = Row._fields[:8]
RESULT_FIELDS = Row._fields[:-1]
TIMING_FIELDS = (*KEY, "seconds")
EMPTY = Row(
    "", "", np.nan, 0, "", "", "", 0, 0, 0, 0, 0, np.nan, np.nan, np.nan, np.nan, 0, 0, np.nan,
    np.nan, np.nan,
)  # fmt: skip


def score(y, labels, small=None):
    """The measures of a clustering, as fields of a row.

    Rows that HDBSCAN leaves out (label -1) are one more cluster, but not counted as found.
    """
    n_true, n_found = len(np.unique(y)), len(np.unique(labels[labels >= 0]))
    return {
        "n_rows": len(y),
        "n_true": n_true,
        "n_found": n_found,
        "nmi": normalized_mutual_information(y, labels),
        "acc": clustering_accuracy(y, labels),
        "ami": adjusted_mutual_info_score(y, labels),
        "value": power_law_alpha(np.unique(labels, return_counts=True)[1]),
        "small_recall": np.nan if small is None else recall(y, labels, small),
    }


def recall(y, labels, groups):
    """Part of the `groups` found: some cluster shares with them at least half of what both hold."""
    found = 0
    for group in groups:
        inside = y == group
        candidates = np.unique(labels[inside & (labels >= 0)])
        overlaps = [np.mean(inside[inside | (labels == k)] & (labels == k)[inside | (labels == k)])
                    for k in candidates]  # fmt: skip
        found += max(overlaps, default=0) >= 0.5
    return found / len(groups)


def fingerprint(*folders):
    """A name for the state of the code that decides the results."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(Path(folder).glob("*.py")):  # not those in `shown`
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def write(path, rows, fields):
    """Write a CSV whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    with part.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(fields)
        lines.writerows([shown(getattr(row, field)) for field in fields] for row in rows)
    os.replace(part, path)


def shown(value):
    """A cell: few digits, and nothing for what was not measured."""
    if isinstance(value, float | np.floating):
        return "" if np.isnan(value) else f"{round(float(value), DECIMALS):.10g}"
    return value


def read(path):
    """The rows of a file; fields it lacks are those of `EMPTY`."""
    with path.open(encoding="utf-8", newline="") as file:
        return [from_cells(cells) for cells in csv.DictReader(file)]


def from_cells(cells):
    kinds = Row.__annotations__
    values = {
        name: (float("nan") if cell == "" and kinds[name] is float else kinds[name](cell))
        for name, cell in cells.items()
    }
    return EMPTY._replace(**values)
