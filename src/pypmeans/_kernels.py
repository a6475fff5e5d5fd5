"""Compiled loops: arrays and numbers in, arrays and numbers out.

Kernels release the GIL, so that blocks of rows run on threads. Where a decision hangs on a
distance, that distance comes from `sq_distance`, with the same operations in the same order
everywhere: so `fit` and `predict` agree to the last bit. Triangle inequalities and matrix products
only decide which distances need not be computed, with a margin for rounding (`remainder`).

Rows are dense or sparse; kernels get at them by a few functions that know both kinds.
"""

from functools import wraps

import numpy as np
from numba import njit
from numba.extending import overload, register_jitable

from pypmeans._rows import WALKED_FEATURES, SparseRowsType, is_sparse

# How a cluster is split, see `halve`.
FAR_STARTS = 4  # rows far from the center and each other, beside the principal direction
FIRST_STEPS = 6  # for each start
MORE_STEPS = 30  # for the best
DIRECTION_ROWS = 2000  # that show the principal direction
DIRECTION_STEPS = 12


def compiled(function):
    """``numba.njit`` without the GIL, cached on disk where a folder can be written."""
    try:
        return njit(cache=True, nogil=True, error_model="numpy")(function)
    except RuntimeError:  # "cannot cache function": neither the package nor the home is writable
        return njit(nogil=True, error_model="numpy")(function)


# Made part of the kernels that use them. A call hands over arrays field by field, which costs
# several times as much as the distance of two short rows.
INLINED = {"forceinline": True}
inlined = register_jitable(**INLINED)


def for_kinds_of_rows(*, sparse):
    """Make one function of two: the decorated one serves dense rows, `sparse` the others.

    Rows are the first argument. Both are `inlined`.
    """

    def decorate(dense):
        @wraps(dense)
        def either(X, *others):
            return (sparse if is_sparse(X) else dense)(X, *others)

        @overload(either, strict=False, jit_options=INLINED)
        def choose(X, *others):
            return sparse if isinstance(X, SparseRowsType) else dense

        return either

    return decorate


@inlined
def _next_value(X, t, end, j):
    """Feature `j` of a sparse row that has been read up to place `t`, and where to read on."""
    if t < end and X.indices[t] == j:
        return np.float64(X.data[t]), t + 1
    return 0.0, t


@inlined
def _in_fours(n_features):
    """How many features are added up in four sums that do not wait for each other.

    The compiler may then use vector registers without being allowed to reassociate, which would
    make the result depend on the machine.
    """
    return n_features & ~3 if n_features >= 16 else 0


def _sq_distance_of_sparse(X, i, centers, k):
    """The same operations in the same order, so that sparse and dense rows agree to the bit."""
    t, end = np.int64(X.indptr[i]), np.int64(X.indptr[i + 1])
    n_features = X.shape[1]
    s0 = s1 = s2 = s3 = 0.0
    whole = _in_fours(n_features)
    start = 0
    while start < whole:
        stop = min(whole, np.int64(X.indices[t]) & ~3) if t < end else whole
        for j in range(start, stop, 4):  # nothing of the row is here
            s0 += centers[k, j] * centers[k, j]
            s1 += centers[k, j + 1] * centers[k, j + 1]
            s2 += centers[k, j + 2] * centers[k, j + 2]
            s3 += centers[k, j + 3] * centers[k, j + 3]
        if stop < whole:
            x0, t = _next_value(X, t, end, stop)
            x1, t = _next_value(X, t, end, stop + 1)
            x2, t = _next_value(X, t, end, stop + 2)
            x3, t = _next_value(X, t, end, stop + 3)
            s0 += (x0 - centers[k, stop]) * (x0 - centers[k, stop])
            s1 += (x1 - centers[k, stop + 1]) * (x1 - centers[k, stop + 1])
            s2 += (x2 - centers[k, stop + 2]) * (x2 - centers[k, stop + 2])
            s3 += (x3 - centers[k, stop + 3]) * (x3 - centers[k, stop + 3])
        start = stop + 4
    for j in range(whole, n_features):
        x0, t = _next_value(X, t, end, j)
        s0 += (x0 - centers[k, j]) * (x0 - centers[k, j])
    return (s0 + s1) + (s2 + s3)


@for_kinds_of_rows(sparse=_sq_distance_of_sparse)
def sq_distance(X, i, centers, k):
    """Squared Euclidean distance between row `i` of `X` and row `k` of `centers`, in float64."""
    n_features = X.shape[1]
    s0 = s1 = s2 = s3 = 0.0
    whole = _in_fours(n_features)
    if whole == 0:  # a loop of its own, since it is the one most used
        for j in range(n_features):
            d0 = X[i, j] - centers[k, j]
            s0 += d0 * d0
        return s0
    for four in range(whole // 4):
        j = 4 * four
        d0 = X[i, j] - centers[k, j]
        d1 = X[i, j + 1] - centers[k, j + 1]
        d2 = X[i, j + 2] - centers[k, j + 2]
        d3 = X[i, j + 3] - centers[k, j + 3]
        s0 += d0 * d0
        s1 += d1 * d1
        s2 += d2 * d2
        s3 += d3 * d3
    for j in range(whole, n_features):
        d0 = X[i, j] - centers[k, j]
        s0 += d0 * d0
    return (s0 + s1) + (s2 + s3)


def side_by_side(centers):
    """The columns for `sq_distances`: features in rows, zeros added to make them fours.

    No rows if there are many features, which are taken in fours one center at a time.
    """
    n_centers, n_features = centers.shape
    if _in_fours(n_features):
        return np.empty((0, n_centers))
    columns = np.zeros((-(-n_features // 4) * 4, n_centers))
    columns[:n_features] = centers.T
    return columns


def _sq_distances_of_sparse(X, i, columns, sq):
    for m in range(columns.shape[1]):
        sq[m] = sq_distance(X, i, columns.T, m)


@for_kinds_of_rows(sparse=_sq_distances_of_sparse)
def sq_distances(X, i, columns, sq):
    """Fill `sq` with `sq_distance` of row `i` to centers side by side, to the last bit.

    Vector registers hold several of these, and keep their sums for four features.
    """
    n_features = X.shape[1]
    for m in range(columns.shape[1]):
        sq[m] = 0.0
    for j in range(0, n_features, 4):
        x0 = X[i, j]
        x1 = X[i, j + 1] if j + 1 < n_features else 0.0
        x2 = X[i, j + 2] if j + 2 < n_features else 0.0
        x3 = X[i, j + 3] if j + 3 < n_features else 0.0
        for m in range(columns.shape[1]):
            d0, d1 = x0 - columns[j, m], x1 - columns[j + 1, m]
            d2, d3 = x2 - columns[j + 2, m], x3 - columns[j + 3, m]
            sq[m] = (((sq[m] + d0 * d0) + d1 * d1) + d2 * d2) + d3 * d3


def _sq_norms_for_sparse(X, centers, sq_norms):
    if X.shape[1] > WALKED_FEATURES:
        for k in range(centers.shape[0]):
            sq_norms[k] = 0.0
            for j in range(centers.shape[1]):
                sq_norms[k] += centers[k, j] * centers[k, j]


@for_kinds_of_rows(sparse=_sq_norms_for_sparse)
def sq_norms_for(X, centers, sq_norms):
    """Fill `sq_norms` of `centers` if `near_sq_distance` needs them for such rows."""


def _near_sq_distance_of_sparse(X, i, centers, k, sq_norms):
    """With many features, the center's squared norm and what the row's own features change."""
    if X.shape[1] <= WALKED_FEATURES:
        return sq_distance(X, i, centers, k)
    sq = sq_norms[k]
    for t in range(X.indptr[i], X.indptr[i + 1]):
        value = np.float64(X.data[t])
        sq += value * (value - 2.0 * centers[k, X.indices[t]])
    # Of a small difference of large numbers too few digits would be left.
    return sq if sq > 1e-3 * sq_norms[k] else sq_distance(X, i, centers, k)


@for_kinds_of_rows(sparse=_near_sq_distance_of_sparse)
def near_sq_distance(X, i, centers, k, sq_norms):
    """`sq_distance`, but for the last digits: where no label of a fit hangs on them."""
    return sq_distance(X, i, centers, k)


def _add_sparse_row(X, i, weight, origin, out):
    start, end = 0, X.indptr[i + 1]
    for t in range(X.indptr[i], end + 1):
        stop = np.int64(X.indices[t]) if t < end else X.shape[1]
        for j in range(start, stop):
            out[j] += weight * (0.0 - origin[j])
        if t < end:
            out[stop] += weight * (X.data[t] - origin[stop])
        start = stop + 1


@for_kinds_of_rows(sparse=_add_sparse_row)
def add_row(X, i, weight, origin, out):
    """Add `weight` times row `i`, seen from `origin`, to `out`, which may be `origin` itself."""
    for j in range(X.shape[1]):
        out[j] += weight * (X[i, j] - origin[j])


def _sum_sparse_row(X, i, weight, origin, total):
    """With many features, only what is not zero; `take_off_origin` does the rest."""
    if X.shape[1] <= WALKED_FEATURES:
        add_row(X, i, weight, origin, total)
    else:
        for t in range(X.indptr[i], X.indptr[i + 1]):
            total[X.indices[t]] += weight * X.data[t]


@for_kinds_of_rows(sparse=_sum_sparse_row)
def sum_row(X, i, weight, origin, total):
    """`add_row` for a `total` of many rows, which `take_off_origin` completes."""
    add_row(X, i, weight, origin, total)


def _take_off_origin_of_sparse(X, weight, origin, total):
    if X.shape[1] > WALKED_FEATURES:
        for j in range(X.shape[1]):
            total[j] -= weight * origin[j]


@for_kinds_of_rows(sparse=_take_off_origin_of_sparse)
def take_off_origin(X, weight, origin, total):
    """Complete a `total` of rows that `sum_row` added, of so much `weight` together."""


def _along_of_sparse(X, i, origin, direction, origin_along):
    """With many features, only what is not zero."""
    t, end = np.int64(X.indptr[i]), np.int64(X.indptr[i + 1])
    if X.shape[1] > WALKED_FEATURES:
        total = -origin_along
        while t < end:
            total += X.data[t] * direction[X.indices[t]]
            t += 1
        return total
    total = 0.0
    for j in range(X.shape[1]):
        x, t = _next_value(X, t, end, j)
        total += (x - origin[j]) * direction[j]
    return total


@for_kinds_of_rows(sparse=_along_of_sparse)
def along(X, i, origin, direction, origin_along):
    """The product of row `i`, seen from `origin`, with `direction`; that of `origin` is known."""
    total = 0.0
    for j in range(X.shape[1]):
        total += (X[i, j] - origin[j]) * direction[j]
    return total


@inlined
def remainder(distance, part, n_features):
    """``distance - part``, less what rounding may have added to either. Also for arrays."""
    margin = 4e-16 * (n_features + 8)
    return distance * (1.0 - margin) - part * (1.0 + margin)


@inlined
def rounded_down(bound):
    """A bound that float32 can hold, not above `bound`."""
    return bound if np.isinf(bound) else min(bound - 1e-7 * abs(bound) - 2e-45, 3e38)


@compiled
def overdue_rows(labels, near_due, far_due, near_clock, far_clock, first, rows):
    """List the rows for which a clock of their cluster has reached what is due.

    See `close_rows`. Rows are counted from `first`. Where no center has neighbours, `near_due` is
    None, here and elsewhere. Fills `rows`; returns their number.
    """
    n_rows = 0
    for i in range(labels.shape[0]):
        k = labels[i]
        rows[n_rows] = first + i
        is_due = not far_clock[k] < far_due[i]
        if near_due is not None:
            is_due |= not near_clock[k] < near_due[i]
        n_rows += is_due
    return n_rows


@compiled
def join_bounds(labels, regrouped, near_approach, far_approach, cap, upper, near_due, far_due):
    """Make one bound of two for rows of clusters that are `regrouped`, i.e. have other neighbours.

    Updates what is due, see `close_rows`.
    """
    for i in range(labels.shape[0]):
        k = labels[i]
        if regrouped[k]:
            due = min(np.float64(near_due[i]) - near_approach[k], cap[k] - np.float64(upper[i]))
            due = min(due, np.float64(far_due[i]) - far_approach[k])
            near_due[i] = rounded_down(due + near_approach[k])
            far_due[i] = rounded_down(due + far_approach[k])


@compiled
def settle_rows(
    X, rows, centers, offsets, least_offset, became, in_place, opened_at, near_approach,
    far_approach, cap, upper, labels, sq_dists, near, far, former_sq, open_rows,
):  # fmt: skip
    """Let `rows` follow their centers, and list those that may prefer another one now.

    A row prefers the center with the least ``squared distance + offset``. Since it was last looked
    at, its cluster ``k`` `became` another number, and its center is `in_place` or not. The
    neighbours of the cluster, a few centers, came closer by ``near_approach[k]`` at most, all
    others by ``far_approach[k]``, or else they are no nearer than ``cap[k]``. Clusters opened
    since are at a distance of ``opened_at[k]`` or more from where its center is now.

    `near` and `far` are what is due, see `close_rows`, and become bounds: no neighbour and no other
    center costs a row less than the square of its bound plus the least offset. Updates `labels`,
    `sq_dists` and these; fills `former_sq` with squared distances to the followed centers; returns
    the number of `open_rows`.
    """
    p = X.shape[1]
    n_open = 0
    for q in range(rows.shape[0]):
        i = np.int64(rows[q])
        open_rows[n_open] = i
        former = labels[i]
        if former < 0:
            former_sq[q] = 0.0
            n_open += 1
            continue
        z = np.int64(became[former])
        sq = sq_dists[i] if in_place[former] else sq_distance(X, i, centers, z)
        opened = remainder(opened_at[former], np.sqrt(sq), p)
        was = np.float64(upper[i])
        beside = min(remainder(was + far[i], far_approach[former], p), cap[former])
        bound = min(beside, opened)
        former_sq[q] = sq
        labels[i] = z
        sq_dists[i] = sq
        far[i] = rounded_down(bound)
        if near is not None:
            near[i] = rounded_down(min(remainder(was + near[i], near_approach[former], p), opened))
            bound = min(bound, np.float64(near[i]))
        if bound <= 0.0 or sq + offsets[z] >= remainder(bound * bound + least_offset, 0.0, p):
            n_open += 1
            if near is None:  # a search looks at the opened clusters
                far[i] = rounded_down(beside)
    return n_open


@compiled
def close_rows(
    rows, former, former_sq, weight, offsets, least_offset, reach, n_features, moves,
    near_approach, far_approach, labels, sq_dists, upper, near, far, radius, changed,
):  # fmt: skip
    """Say when `rows` must be looked at again, and list which of them changed their label.

    `upper` becomes their distance from their center, less the `moves` of that, which grow from now
    on. The bounds `near` and `far` become what is due: the value that the moves and the approach of
    such centers, added up, must reach for a row to be as near to one of them as to its own. Or
    to be further than `reach` from that. Fills `radius` (of the clusters, at least) and `changed`
    (places in `rows`). Returns the number of changed rows, the growth of the sum of squares by
    their change, and the row furthest from its center.
    """
    n_changed, growth, furthest = 0, 0.0, np.int64(rows[0])
    for q in range(rows.shape[0]):
        i = np.int64(rows[q])
        z = labels[i]
        sq = sq_dists[i]
        dist = np.sqrt(sq + (offsets[z] - least_offset))
        dist = remainder(dist, -1e-9 * dist, n_features)
        radius[z] = max(radius[z], dist)
        was = dist - moves[z]
        upper[i] = min(was + 1e-7 * abs(was) + 2e-45, 3e38)
        was = np.float64(upper[i])
        most = reach if was < 3e38 else -np.inf  # too far for float32
        if near is not None:
            near[i] = rounded_down(min(np.float64(near[i]), most) + near_approach[z] - was)
            most = np.inf
        far[i] = rounded_down(min(np.float64(far[i]), most) + far_approach[z] - was)
        if sq > sq_dists[furthest]:
            furthest = i
        changed[n_changed] = q
        if former[q] != z:
            n_changed += 1
            growth += weight[i] * (sq - former_sq[q])
    return n_changed, growth, furthest


@compiled
def search_lists(
    X, rows, centers, offsets, least_offset, rank, near, near_dist, beyond, labels, sq_dists, far,
    left,
):  # fmt: skip
    """Give `rows` the centers they prefer, of equal ones the lowest in `rank`.

    `near` lists the nearest other centers of each center, nearest first, at distances of at least
    `near_dist`; those not listed are at least `beyond` away. Looks at the centers near the row's
    own one, until the next is too far from there to be preferred; starts again from the best of
    them if it is much nearer or the list ends too early. No center has neighbours here. Rows for
    which all lists end too early are listed in `left`; returns their number.
    """
    p, n_listed, n_left = X.shape[1], near.shape[1], 0
    for q in range(rows.shape[0]):
        i = np.int64(rows[q])
        z, sq_z = np.int64(labels[i]), sq_dists[i]
        searching = True
        while searching:
            d_z = np.sqrt(sq_z)
            best, best_sq, best_cost = z, sq_z, sq_z + offsets[z]
            reach = np.sqrt(best_cost - least_offset)
            second_cost = np.inf
            t = 0
            while t < n_listed and remainder(near_dist[z, t], d_z + reach, p) <= 0:
                k = np.int64(near[z, t])
                sq = sq_distance(X, i, centers, k)
                cost = sq + offsets[k]
                if cost < best_cost or (cost == best_cost and rank[k] < rank[best]):
                    second_cost = best_cost
                    best, best_sq, best_cost = k, sq, cost
                    reach = np.sqrt(best_cost - least_offset)
                    if 2.0 * reach < d_z:
                        break
                else:
                    second_cost = min(second_cost, cost)
                t += 1
            gap = near_dist[z, t] if t < n_listed else beyond[z]
            found = remainder(gap, d_z + reach, p) > 0
            searching = best != z and (not found or 2.0 * reach < d_z)
            if searching:
                z, sq_z = best, best_sq
        if found:
            bound = min(bound_of(second_cost, least_offset, p), remainder(gap, d_z, p))
            labels[i], sq_dists[i], far[i] = best, best_sq, rounded_down(bound)
        else:
            left[n_left] = i
            n_left += 1
    return n_left


@compiled
def scan_rows(
    X, rows, centers, columns, n_seen, offsets, least_offset, rank, sq, labels, sq_dists, far
):
    """Give `rows` the centers they prefer, as `search_lists` does, looking at all from `n_seen` on.

    `columns` are `side_by_side`, if any. Rows have seen the `n_seen` centers before, which did not
    move since: `far` bounds them, and all but a row's own are left out. `sq` has room for a number
    for each of the others. Returns whether a row prefers two centers equally.
    """
    ties = False
    for q in range(rows.shape[0]):
        i = np.int64(rows[q])
        if columns.shape[0] > 0:
            sq_distances(X, i, columns, sq)
        else:
            for m in range(sq.shape[0]):
                sq[m] = sq_distance(X, i, centers, n_seen + m)
        best, best_sq, first = n_seen, sq[0], 1
        if n_seen > 0:
            best, best_sq, first = np.int64(labels[i]), sq_dists[i], 0
        best_cost, next_cost = best_sq + offsets[best], np.inf
        for m in range(first, sq.shape[0]):
            k = n_seen + m
            cost = sq[m] + offsets[k]
            if cost < best_cost or (cost == best_cost and rank[k] < rank[best]):
                best, best_sq, best_cost, next_cost = k, sq[m], cost, best_cost
            else:
                next_cost = min(next_cost, cost)
        ties |= next_cost <= best_cost
        bound = bound_of(next_cost, least_offset, X.shape[1])
        bound = min(bound, np.float64(far[i])) if n_seen > 0 else bound
        labels[i], sq_dists[i], far[i] = best, best_sq, rounded_down(bound)
    return ties


@compiled
def search_neighbours(
    X, rows, centers, offsets, least_offset, rank, neighbours, labels, sq_dists, near, far, left
):
    """Give `rows` that know that none but neighbours can matter the center they prefer.

    That is their own or one of its `neighbours`. Lists the rows that do not know, those without a
    center and those that prefer a neighbour, which has other neighbours, in `left`; returns their
    number.
    """
    p, n_left = X.shape[1], 0
    for q in range(rows.shape[0]):
        i = np.int64(rows[q])
        left[n_left] = i
        z = np.int64(labels[i])
        n_left += 1
        if z < 0 or far[i] <= 0.0:
            continue
        own, known = sq_dists[i] + offsets[z], np.float64(far[i]) ** 2 + least_offset
        if own >= remainder(known, 0.0, p):
            continue
        least = np.inf
        for k in neighbours[z]:
            cost = sq_distance(X, i, centers, k) + offsets[k]
            least = min(least, cost)
            if cost < own or (cost == own and rank[k] < rank[z]):
                least = -np.inf
                break
        if least >= own:
            near[i] = rounded_down(bound_of(least, least_offset, p))
            n_left -= 1
    return n_left


@inlined
def bound_of(cost, least_offset, n_features):
    """The bound `lower` for a row whose other centers cost `cost` or more."""
    return np.sqrt(max(0.0, remainder(cost, least_offset, n_features)))


@compiled
def gather_rows(X, rows, origin, out, sq_norms):
    """Copy `rows`, seen from `origin`, to `out`, and their squared norms to `sq_norms`."""
    for q in range(rows.shape[0]):
        norm = 0.0
        for j in range(X.shape[1]):
            value = X[rows[q], j] - origin[j]
            out[q, j] = value
            norm += value * value
        sq_norms[q] = norm


@compiled
def sparse_sq_norms(X, rows, sq_norms):
    """Squared norms of sparse `rows`."""
    for q in range(rows.shape[0]):
        sq_norms[q] = 0.0
        for t in range(X.indptr[rows[q]], X.indptr[rows[q] + 1]):
            sq_norms[q] += np.float64(X.data[t]) * np.float64(X.data[t])


@compiled
def sparse_products(X, rows, matrix, out):
    """Multiply sparse `rows` with `matrix`, in the precision of that."""
    for q in range(rows.shape[0]):
        out[q, :] = 0.0
        for t in range(X.indptr[rows[q]], X.indptr[rows[q] + 1]):
            value, j = matrix.dtype.type(X.data[t]), X.indices[t]
            for k in range(matrix.shape[1]):
                out[q, k] += value * matrix[j, k]


@compiled
def search_products(
    X, rows, costs, first, near_cost, far_cost, limit, raise_by, centers, offsets, least_offset,
    rank, labels, sq_dists, near, far,
):  # fmt: skip
    """Give `rows` the centers they prefer, knowing about what all centers cost them.

    The approximate `costs` are least for center `first`, where they have been overwritten by
    infinity; the next of its neighbours is at `near_cost`, that of the others at `far_cost`. Only
    `first` and centers up to `limit` may be preferred; among them exact distances decide. All of
    them cost at least `raise_by` more.
    """
    for q in range(rows.shape[0]):
        i, best = np.int64(rows[q]), first[q]
        best_sq = sq_distance(X, i, centers, best)
        best_cost = best_sq + offsets[best]
        next_near, next_far = near_cost[q] + raise_by[q], far_cost[q] + raise_by[q]
        if min(near_cost[q], far_cost[q]) <= limit[q]:
            next_cost = np.inf
            for k in range(centers.shape[0]):
                cost = costs[q, k] + raise_by[q]
                if costs[q, k] <= limit[q]:
                    sq = sq_distance(X, i, centers, k)
                    cost = sq + offsets[k]
                    if cost < best_cost or (cost == best_cost and rank[k] < rank[best]):
                        best, best_sq, best_cost, cost = k, sq, cost, best_cost
                next_cost = min(next_cost, cost)
            next_near = next_far = next_cost
        near[i] = rounded_down(bound_of(next_near, least_offset, X.shape[1]))
        far[i] = rounded_down(bound_of(next_far, least_offset, X.shape[1]))
        labels[i], sq_dists[i] = best, best_sq


@compiled
def bring_nearer(X, rows, point, sq_dists):
    """Lower the squared distance of `rows` that are nearer to `point`."""
    for q in range(rows.shape[0]):
        sq_dists[q] = min(sq_dists[q], sq_distance(X, np.int64(rows[q]), point, np.int64(0)))


@compiled
def saved_by_opening(X, weight, point, sq_gaps, labels, sq_dists):
    """How far the sum of squares falls if a cluster is opened at `point`.

    `sq_gaps` are the squared distances of `point` to the centers: a row at distance d from its
    center is not nearer to a point 2 d or more from that center.
    """
    saved = 0.0
    for i in range(X.shape[0]):
        if remainder(sq_gaps[labels[i]], 4.0 * sq_dists[i], X.shape[1]) <= 0:
            sq = sq_distance(X, i, point, np.int64(0))
            saved += weight[i] * max(0.0, sq_dists[i] - sq)
    return saved


@compiled
def move_rows(X, rows, weight, former, labels, origin, sums, sizes, counts):
    """Move `rows` from the sum of their `former` cluster to that of their label.

    Rows are seen from `origin`, which is zero for sparse rows of many features. `former` counts
    along `rows`; -1 means that the row is in no sum.
    """
    for q in range(rows.shape[0]):
        i = rows[q]
        for k, sign in ((labels[i], 1), (former[q], -1)):
            if k >= 0:
                sizes[k] += sign * weight[i]
                counts[k] += sign
                sum_row(X, i, sign * weight[i], origin, sums[k])


@inlined
def merge_increase(size_a, size_b, sq_dist):
    """Growth of the sum of squares when two clusters become one (proof of Proposition 3)."""
    # Not the product of the sizes, which may overflow or vanish; the same for (a, b) and (b, a).
    light, heavy = min(size_a, size_b), max(size_a, size_b)
    return light * (heavy / (light + heavy)) * sq_dist


@inlined
def two_apart(size_a, size_b, pull):
    """What it costs that two clusters are not one, see `SizedPenalty.apart`."""
    if pull == 0.0:
        return 0.0
    light, heavy = min(size_a, size_b), max(size_a, size_b)
    return pull * (light * np.log1p(heavy / light) + heavy * np.log1p(light / heavy))


@inlined
def merge_cost(size_a, size_b, sq_dist, pull):
    """Growth of the objective when two clusters become one, but for the charge it saves.

    `pull` times what the sizes cost less in one (see `SizedPenalty`) is taken off.
    """
    return merge_increase(size_a, size_b, sq_dist) - two_apart(size_a, size_b, pull)


@compiled
def cheapest_merge(a, centers, sizes, pull):
    """The cluster whose merger with `a` costs least, and that cost; empty ones do not count."""
    partner, least = -1, np.inf
    for b in range(centers.shape[0]):
        if b != a and sizes[b] > 0:
            sq = sq_distance(centers, a, centers, b)
            cost = merge_cost(sizes[a], sizes[b], sq, pull)
            if cost < least:
                partner, least = b, cost
    return partner, least


@compiled
def any_merge_below(charge, centers, sizes, pull, fresh):
    """Whether a pair of clusters, at least one of them `fresh`, merges at less than `charge`."""
    for a in range(centers.shape[0]):
        if fresh[a]:
            for b in range(centers.shape[0]):
                if b != a and (b > a or not fresh[b]):
                    sq = sq_distance(centers, a, centers, b)
                    if merge_cost(sizes[a], sizes[b], sq, pull) < charge:
                        return True
    return False


@inlined
def joining(weight, size, pull):
    """What a row's joining saves by making a cluster larger: θ times the growth of ``W ln W``."""
    if pull == 0.0:
        return 0.0
    return pull * (weight * np.log(size + weight) + size * np.log1p(weight / size))


@compiled
def cheapest_join(X, centers, sizes, pull, costs):
    """What joining the cheapest cluster would cost each row, were it a new point of weight 1.

    Without what founding one would cost as well.
    """
    attraction, sq_norms = np.empty(len(sizes)), np.empty(len(sizes))
    sq_norms_for(X, centers, sq_norms)
    for k in range(len(sizes)):
        attraction[k] = joining(1.0, sizes[k], pull)
    for i in range(X.shape[0]):
        least = np.inf
        for k in range(centers.shape[0]):
            sq = near_sq_distance(X, i, centers, k, sq_norms)
            least = min(least, merge_increase(1.0, sizes[k], sq) - attraction[k])
        costs[i] = least


@compiled
def sort_rows(labels, places, rows):
    """List the rows of each cluster one after the other; `places` are where each starts.

    Updates `places`: in the end, where each ends.
    """
    for i in range(labels.shape[0]):
        k = labels[i]
        rows[places[k]] = i
        places[k] += 1


@compiled
def local_steps(X, rows, weight, n_single, factor, centers, sizes, pull, n_steps, labels):
    """Assign `rows` to `centers` and move these to the means, until nothing changes.

    Only these rows and centers take part; `sizes` as they are at first. Beyond the first `n_single`
    rows, each stands for `factor` rows. Updates `centers`, `sizes`
    and `labels` (which count along `rows`); returns the sum of squares about the new centers.
    """
    m, p = centers.shape
    offsets, sq_norms, sums = np.empty(m), np.empty(m), np.empty((m, p))
    sse = 0.0
    for _ in range(n_steps):
        for k in range(m):
            offsets[k] = -pull * np.log(sizes[k]) if sizes[k] > 0 else np.inf
        sq_norms_for(X, centers, sq_norms)
        sizes[:] = 0.0
        sums[:] = 0.0
        sse = 0.0
        changed = False
        for q in range(rows.shape[0]):
            i = np.int64(rows[q])
            best, best_sq, best_cost = 0, np.inf, np.inf
            for k in range(m):
                sq = near_sq_distance(X, i, centers, k, sq_norms)
                if sq + offsets[k] < best_cost:
                    best, best_sq, best_cost = k, sq, sq + offsets[k]
            changed |= labels[q] != best
            labels[q] = best
            w = weight[i] if q < n_single else factor * weight[i]
            sizes[best] += w
            sse += w * best_sq
            sum_row(X, i, w, centers[best], sums[best])
        for k in range(m):
            if sizes[k] > 0:
                take_off_origin(X, sizes[k], centers[k], sums[k])
                for j in range(p):
                    step = sums[k, j] / sizes[k]
                    centers[k, j] += step
                    sse -= sizes[k] * step * step
        if not changed:
            break
    return max(sse, 0.0)


@compiled
def lengthen(direction, length):
    """Give `direction` a length; returns whether it has any."""
    largest, sq = 0.0, 0.0
    for j in range(direction.shape[0]):
        largest = max(largest, abs(direction[j]))
    if largest == 0.0:
        return False
    for j in range(direction.shape[0]):
        direction[j] /= largest  # so that squares are sure to be numbers
        sq += direction[j] * direction[j]
    for j in range(direction.shape[0]):
        direction[j] *= length / np.sqrt(sq)
    return True


@compiled
def principal_step(X, rows, first, step, weight, center, unit, direction):
    """Make `direction` one standard deviation of `rows` where they vary most: the power method.

    Every so many rows from the `first` on are looked at. None is further than `unit` from the
    `center`; divided by it, squares are sure to be numbers.
    """
    p, n = X.shape[1], rows.shape[0]
    image, heaviest, deviation = np.empty(p), 0.0, 0.0
    for q in range(first, n, step):
        heaviest = max(heaviest, weight[rows[q]])
    for _ in range(DIRECTION_STEPS):
        lengthen(direction, 1.0)
        center_along = total = squares = factors = 0.0
        for j in range(p):
            center_along += center[j] * direction[j]
            image[j] = 0.0
        for q in range(first, n, step):
            i = np.int64(rows[q])
            w = weight[i] / heaviest
            t = along(X, i, center, direction, center_along) / unit
            total += w
            squares += w * t * t
            factors += w * t
            sum_row(X, i, w * t, center, image)
        take_off_origin(X, factors, center, image)
        deviation = np.sqrt(squares / total)
        if not lengthen(image, 1.0):
            break
        for j in range(p):
            direction[j] = image[j]
    lengthen(direction, unit * deviation)


@compiled
def halve(X, rows, weight, n_single, factor, center, size, pull, centers, sizes):
    """Fill the centers and sizes of the two best groups found of `rows`, whose mean is `center`.

    Rows count as in `local_steps`. From the principal direction and from some rows far away a few
    steps are made, from the best of these ends more. Returns the sum of squares; infinity, and no
    sizes, if all rows are equal.
    """
    n, p = rows.shape[0], X.shape[1]
    origin, point, sq_norm, sq_dists = np.zeros(p), np.empty((1, p)), np.empty(1), np.empty(n)
    ends, end_sizes, labels = np.empty((2, p)), np.empty(2), np.empty(n, dtype=np.int8)
    n_steps, least, unit = np.int64(FIRST_STEPS), np.inf, 0.0
    sizes[0] = sizes[1] = 0.0
    for q in range(n):
        sq_dists[q] = np.inf
    for j in range(p):
        point[0, j] = center[j]
    for start in range(1 + FAR_STARTS):
        if start != 1:  # the principal direction adds no point
            sq_norms_for(X, point, sq_norm)
            for q in range(n):
                sq = near_sq_distance(X, np.int64(rows[q]), point, np.int64(0), sq_norm)
                sq_dists[q] = min(sq_dists[q], sq)
        far = 0
        for q in range(n):
            far = q if sq_dists[q] > sq_dists[far] else far
        if sq_dists[far] == 0.0:
            break
        unit = np.sqrt(sq_dists[far]) if start == 0 else unit
        for j in range(p):
            point[0, j] = 0.0
            ends[0, j] = center[j]
        add_row(X, np.int64(rows[far]), 1.0, origin, point[0])
        if start == 0 and n > 2:
            direction = origin.copy()
            for j in range(p):
                direction[j] = point[0, j] - center[j]
            first = n_single % n  # without the furthest of many
            principal_step(
                X, rows, first, max(1, (n - first) // DIRECTION_ROWS), weight, center, unit,
                direction,
            )  # fmt: skip
            for j in range(p):
                ends[0, j] = center[j] - direction[j]
                ends[1, j] = center[j] + direction[j]
        else:
            for j in range(p):
                ends[1, j] = point[0, j]
        if n == 2:  # there is only one way
            for k in range(2):
                for j in range(p):
                    ends[k, j] = 0.0
                add_row(X, np.int64(rows[k]), 1.0, origin, ends[k])
        for q in range(n):
            labels[q] = -1
        end_sizes[0] = end_sizes[1] = size / 2
        sse = local_steps(X, rows, weight, n_single, factor, ends, end_sizes, pull, n_steps, labels)
        if min(end_sizes[0], end_sizes[1]) > 0.0:
            cost = sse + two_apart(end_sizes[0], end_sizes[1], pull)
            if cost < least:
                least = cost
                for k in range(2):
                    sizes[k] = end_sizes[k]
                    for j in range(p):
                        centers[k, j] = ends[k, j]
        if n == 2:
            break
    if least == np.inf:
        return np.inf
    for q in range(n):
        labels[q] = -1
    n_steps = np.int64(MORE_STEPS)
    return local_steps(X, rows, weight, n_single, factor, centers, sizes, pull, n_steps, labels)


@compiled
def move_singly(X, rows, weight, labels, centers, sizes, pull):
    """Move rows, one after the other, to the cluster where the objective is lowest.

    Unlike an assignment this takes into account how the row itself moves the centers. No cluster
    loses its last row. Updates `labels` (which count along `rows`), `centers` and `sizes`; returns
    how many moved.
    """
    n_moved = 0
    for q in range(rows.shape[0]):
        i, a = np.int64(rows[q]), np.int64(labels[q])
        w = weight[i]
        rest = sizes[a] - w
        if rest <= 1e-9 * sizes[a]:  # this may be its last row, but for rounding
            continue
        stay = w * (sizes[a] / rest) * sq_distance(X, i, centers, a)
        attraction = joining(w, rest, pull)
        best, least = a, stay - attraction - 1e-12 * (stay + abs(attraction))
        for k in range(centers.shape[0]):
            if k != a:
                cost = merge_increase(w, sizes[k], sq_distance(X, i, centers, k))
                cost -= joining(w, sizes[k], pull)
                if cost < least:
                    best, least = k, cost
        if best != a:
            add_row(X, i, -w / rest, centers[a], centers[a])
            add_row(X, i, w / (sizes[best] + w), centers[best], centers[best])
            sizes[a] = rest
            sizes[best] += w
            labels[q] = best
            n_moved += 1
    return n_moved


@compiled
def distances_to(X, centers, out):
    """Euclidean distances of rows to centers."""
    sq_norms = np.empty(centers.shape[0])
    sq_norms_for(X, centers, sq_norms)
    for i in range(X.shape[0]):
        for k in range(centers.shape[0]):
            out[i, k] = np.sqrt(near_sq_distance(X, i, centers, k, sq_norms))
