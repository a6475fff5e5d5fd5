"""The real data sets of the paper, as they lie in ``experiments/data``.

``load("glass")`` gives features scaled to [0, 1], as in the paper, and the labels. Where the sets
come from and what was done to them is told in ``experiments/data/README.md``.
"""

import csv
import gzip
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parent / "data"

NAMES = (
    "wine",
    "satellite",
    "statlog",
    "yeast",
    "vowel",
    "pendigits",
    "page-blocks",
    "glass",
    "communities",
)

# Our own, since the paper does not say which rows it removed.
THINNED = ("vowel-thinned", "pendigits-thinned")


def load(name, *, scaled=True):
    """Features and labels of a data set, without missing values.

    Columns empty in most rows are left out (the 22 police columns of communities); another missing
    cell gets the mean of its column.

    Parameters
    ----------
    name : str
        One of `NAMES` or `THINNED`.
    scaled : bool, default=True
        Whether to scale every feature to [0, 1] by its smallest and largest value.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features), float64
    y : ndarray of shape (n_samples,)
        Class labels, numbers or (yeast) strings; for communities the continuous target.
    """
    _, X, y = read(name)
    X = fill_with_mean(X[:, np.isnan(X).mean(axis=0) <= 0.5])
    return (min_max_scale(X) if scaled else X), y


def read(name):
    """Names of the features, features with NaN where a cell is empty, and labels."""
    with gzip.open(path_of(name), "rt", encoding="ascii", newline="") as file:
        header, *rows = csv.reader(file)
    X = np.array([[float(cell or "nan") for cell in row[:-1]] for row in rows])
    return header[:-1], X, as_labels([row[-1] for row in rows])


def path_of(name):
    if name not in NAMES + THINNED:
        known = ", ".join(NAMES + THINNED)
        raise ValueError(f"There is no data set {name!r}. Choose one of: {known}.")
    return FOLDER / f"{name}.csv.gz"


def as_labels(cells):
    """Whole numbers if all cells are, else numbers, else strings."""
    for kind in (int, float):
        try:
            return np.array([kind(cell) for cell in cells])
        except ValueError:
            continue
    return np.array(cells)


def fill_with_mean(X):
    return np.where(np.isnan(X), np.nanmean(X, axis=0), X)


def min_max_scale(X):
    """Scale every column to [0, 1]; a constant column becomes 0."""
    low = X.min(axis=0)
    spread = X.max(axis=0) - low
    return (X - low) / np.where(spread > 0, spread, 1.0)
