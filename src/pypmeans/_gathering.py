"""A new cluster from rows that several others hold, each a few: what no split can find."""

from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from pypmeans._threads import one_blas_thread

SEEDS = 512  # rows, those that cost most, around which a cluster is thought of
FEW = 6  # rows whose mean is a first guess
ROUNDS = 4
MOST_EXACT = 8  # guesses that are looked at closely
LEAST_REST = 1e-9  # of a cluster; less may be rounding


class Strays(NamedTuple):
    """Rows that cost much where they are."""

    points: np.ndarray
    weight: np.ndarray
    owners: np.ndarray  # their clusters


def gather(strays, centers, sizes, penalty, least_gain, most_new):
    """Centers and sizes with clusters that pay, made of `strays`; None if there are none."""
    centers, sizes = centers.copy(), sizes.copy()
    found: list[tuple] = []
    left, c = np.ones(len(strays.weight), dtype=bool), len(sizes)
    with one_blas_thread:  # the same bits whatever threads there are
        guesses = _guesses(strays, centers, sizes, penalty)
    for members in guesses:
        members = members & left
        if len(found) == most_new or not members.any():
            continue
        group = Strays(*(values[members] for values in strays))
        change, donors = change_by_gathering(group, centers, sizes, penalty)
        if change + penalty.marginal(c) >= -least_gain:
            continue
        for a, (center, size) in donors.items():
            centers[a], sizes[a] = center, size
        found.append((_mean(group), group.weight.sum()))
        left &= ~members
        c += 1
    if not found:
        return None
    new_centers, new_sizes = zip(*found)
    return np.vstack([centers, *new_centers]), np.append(sizes, new_sizes)


def change_by_gathering(group, centers, sizes, penalty):
    """How the objective changes, but for the charge, when a cluster is made of a group of strays.

    Also the centers and sizes that are left to those who lose rows. Infinite if any loses all.
    """
    total = group.weight.sum()
    about = group.points - _mean(group)
    change = np.sum(group.weight * np.sum(about**2, axis=1))
    donors = {}
    for a in np.unique(group.owners):
        lost = group.owners == a
        weight = group.weight[lost]
        given = weight.sum()
        rest = sizes[a] - given
        if rest <= LEAST_REST * sizes[a]:
            return np.inf, {}
        about = group.points[lost] - centers[a]
        pulled = np.sum(weight[:, None] * about, axis=0)
        change -= np.sum(weight * np.sum(about**2, axis=1)) + pulled @ pulled / rest
        # theta [W ln W - rest ln rest - given ln total], without subtracting large numbers
        change += penalty.pull * (given * np.log(sizes[a] / total) + rest * np.log1p(given / rest))
        donors[a] = centers[a] - pulled / rest, rest
    return change, donors


def _guesses(strays, centers, sizes, penalty):
    """Which strays might form a cluster: a few guesses, the most promising first."""
    points, weight, owners = strays
    own = np.sum((points - centers[owners]) ** 2, axis=1) - penalty.pull * np.log(sizes[owners])
    points = points - points[0]  # sums of points far from the origin would lose digits
    few = min(FEW, len(points))
    costliest = points[np.argsort(-own, kind="stable")[:SEEDS]]
    near = np.argpartition(cdist(costliest, points, "sqeuclidean"), few - 1, axis=1)[:, :few]
    seeds = sum(points[one] for one in near.T) / few  # one by one, to spare memory
    seed_sizes = weight[near].sum(axis=1)
    for _ in range(ROUNDS):
        saved = own - cdist(seeds, points, "sqeuclidean")
        saved += penalty.pull * np.log(seed_sizes)[:, None]
        saved = np.maximum(saved, 0.0) * weight
        in_all = saved.sum(axis=1)
        # the same, found twice
        _, first = np.unique((in_all / (in_all.max() or 1.0)).round(9), return_index=True)
        saved = saved[first]
        members = saved > 0
        saved, members = saved[members.any(axis=1)], members[members.any(axis=1)]
        seed_sizes = members @ weight
        seeds = (members * weight) @ points / seed_sizes[:, None]
        if not len(seeds):
            return []
    return members[np.argsort(-saved.sum(axis=1), kind="stable")[:MOST_EXACT]]


def _mean(group):
    points, weight, _ = group
    return points[0] + np.sum(weight[:, None] * (points - points[0]), axis=0) / weight.sum()
