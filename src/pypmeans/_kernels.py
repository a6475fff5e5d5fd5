"""Compiled loops: arrays and numbers in, arrays and numbers out.

Every kernel works on one block of rows and releases the GIL, so that blocks run on threads. Where a
decision hangs on a distance, that distance comes from `sq_distance`, with the same operations in
the same order everywhere: so `fit` and `predict` agree to the last bit.
"""

import numpy as np
from numba import njit


def compiled(function):
    """``numba.njit`` without the GIL, cached on disk where a folder can be written."""
    try:
        return njit(cache=True, nogil=True)(function)
    except RuntimeError:  # "cannot cache function": neither the package nor the home is writable
        return njit(nogil=True)(function)


@compiled
def sq_distance(A, i, B, k):
    """Squared Euclidean distance between row `i` of `A` and row `k` of `B`, in float64."""
    # Four sums that do not wait for each other: the compiler may use vector registers without
    # being allowed to reassociate, which would make the result depend on the machine.
    n_features = A.shape[1]
    s0 = s1 = s2 = s3 = 0.0
    whole = n_features - n_features % 4
    for j in range(0, whole, 4):
        d0 = A[i, j] - B[k, j]
        d1 = A[i, j + 1] - B[k, j + 1]
        d2 = A[i, j + 2] - B[k, j + 2]
        d3 = A[i, j + 3] - B[k, j + 3]
        s0 += d0 * d0
        s1 += d1 * d1
        s2 += d2 * d2
        s3 += d3 * d3
    for j in range(whole, n_features):
        d0 = A[i, j] - B[k, j]
        s0 += d0 * d0
    return (s0 + s1) + (s2 + s3)


@compiled
def assign_rows(X, centers, rank, labels, sq_dists):
    """Give every row its nearest center; of equally near ones the lowest in `rank`.

    Fills `labels` and `sq_dists`; returns how many labels changed.
    """
    n_changed = 0
    for i in range(X.shape[0]):
        best = 0
        best_sq = sq_distance(X, i, centers, 0)
        for k in range(1, centers.shape[0]):
            sq = sq_distance(X, i, centers, k)
            if sq < best_sq or (sq == best_sq and rank[k] < rank[best]):
                best, best_sq = k, sq
        n_changed += labels[i] != best
        labels[i] = best
        sq_dists[i] = best_sq
    return n_changed


@compiled
def absorb_rows(X, point, k, labels, sq_dists):
    """Give cluster `k` every row nearer to `point`, its center, than to the present center.

    Updates `labels` and `sq_dists` in place.
    """
    for i in range(X.shape[0]):
        sq = sq_distance(X, i, point, 0)
        if sq < sq_dists[i]:
            labels[i] = k
            sq_dists[i] = sq


@compiled
def saved_by_opening(X, weight, point, sq_dists):
    """How far the sum of squares falls if a cluster is opened at `point`."""
    saved = 0.0
    for i in range(X.shape[0]):
        saved += weight[i] * max(0.0, sq_dists[i] - sq_distance(X, i, point, 0))
    return saved


@compiled
def sum_rows(X, weight, labels, origin, sums, sizes):
    """Add the weighted rows, seen from `origin`, and the weights of each cluster to its sums."""
    for i in range(X.shape[0]):
        k = labels[i]
        sizes[k] += weight[i]
        for j in range(X.shape[1]):
            sums[k, j] += weight[i] * (X[i, j] - origin[j])


@compiled
def merge_increase(size_a, size_b, sq_dist):
    """Growth of the sum of squares when two clusters become one (proof of Proposition 3)."""
    return size_a * size_b / (size_a + size_b) * sq_dist


@compiled
def cheapest_merge(a, centers, sizes):
    """The cluster whose merger with `a` costs least, and that cost; empty ones do not count."""
    partner, least = -1, np.inf
    for b in range(centers.shape[0]):
        if b != a and sizes[b] > 0:
            cost = merge_increase(sizes[a], sizes[b], sq_distance(centers, a, centers, b))
            if cost < least:
                partner, least = b, cost
    return partner, least


@compiled
def cheapest_join(X, centers, sizes, costs):
    """What joining the cheapest cluster would cost each row, were it a new point of weight 1."""
    for i in range(X.shape[0]):
        least = np.inf
        for k in range(centers.shape[0]):
            cost = merge_increase(1.0, sizes[k], sq_distance(X, i, centers, k))
            least = min(least, cost)
        costs[i] = least


@compiled
def distances_to(X, centers, out):
    """Euclidean distances of rows to centers."""
    for i in range(X.shape[0]):
        for k in range(centers.shape[0]):
            out[i, k] = np.sqrt(sq_distance(X, i, centers, k))
