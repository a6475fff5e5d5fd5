"""The paper in plain loops: slow, obvious, and independent of the package.

`pyp_means` follows Algorithms 1 and 2 and the agglomeration of Sec. IV-C, on lists of floats. It
also reports the smallest margin by which any of its decisions was taken: below rounding error
another correct program may decide otherwise.
"""

from math import inf, lgamma, log
from typing import NamedTuple


class Result(NamedTuple):
    centers: list
    labels: list
    objective: float
    history: list
    margin: float


def pyp_means(X, lam, theta, weights=None, max_iter=100):
    X = [[float(value) for value in row] for row in X]
    weights = [1.0] * len(X) if weights is None else [float(w) for w in weights]
    margin = Margin()
    centers = [mean(X, weights)]
    labels, history, merged = None, [], False
    for _ in range(max_iter):
        before = labels
        labels = [nearest(x, centers, margin) for x in X]
        n_assigned = len(centers)
        after_assignment = list(labels)
        open_clusters(X, weights, centers, labels, lam, theta, margin)
        history.append(objective(X, weights, centers, labels, lam, theta))
        if before == after_assignment and len(centers) == n_assigned and not merged:
            break
        n_before = len(centers)
        centers, sizes = means(X, weights, labels, len(centers))
        centers = agglomerate(centers, sizes, lam, theta, margin)
        merged = len(centers) < n_before
    labels = [nearest(x, centers, margin) for x in X]
    return Result(
        centers, labels, objective(X, weights, centers, labels, lam, theta), history, margin.least
    )


class Margin:
    """Keeps the smallest gap between what was compared."""

    def __init__(self):
        self.least = inf

    def note(self, gap):
        self.least = min(self.least, abs(gap))


def price(c, lam, theta):
    return 0.0 if c == 0 else c * (lam - theta * log(c))


def limit(lam, theta, n):
    """The largest c up to n + 1 with P(c) > P(c - 1)."""
    c = 1
    while c <= n and price(c + 1, lam, theta) > price(c, lam, theta):
        c += 1
    return c


def sq_distance(a, b):
    return sum((p - q) ** 2 for p, q in zip(a, b))


def mean(X, weights):
    total = sum(weights)
    return [sum(w * x[j] for x, w in zip(X, weights)) / total for j in range(len(X[0]))]


def nearest(x, centers, margin):
    """Index of the nearest center; of equally near ones that with the first coordinates."""
    distances = [sq_distance(x, center) for center in centers]
    best = min(range(len(centers)), key=lambda k: (distances[k], centers[k]))
    for k, distance in enumerate(distances):
        if centers[k] != centers[best]:
            margin.note(distance - distances[best])
    return best


def open_clusters(X, weights, centers, labels, lam, theta, margin):
    """Algorithm 2, furthest first; changes `centers` and `labels`."""
    passed = set()
    while len(passed) < len(X):
        c = len(centers)
        sq = [sq_distance(x, centers[k]) for x, k in zip(X, labels)]
        candidates = [i for i in range(len(X)) if i not in passed]
        far = max(candidates, key=lambda i: (sq[i], -i))
        threshold = max(lam - theta * log(c), 0.0)
        if sq[far] > 0:
            margin.note(sq[far] - threshold)
        if sq[far] <= threshold or c >= limit(lam, theta, len(X)):
            return
        for i in candidates:
            if X[i] != X[far]:
                margin.note(sq[far] - sq[i])
        to_far = [sq_distance(x, X[far]) for x in X]
        if weights[far] < 1:
            saved = sum(w * max(0.0, old - new) for w, old, new in zip(weights, sq, to_far))
            charge = price(c + 1, lam, theta) - price(c, lam, theta)
            margin.note(saved - charge)
            if saved <= charge:
                passed.add(far)
                continue
        centers.append(X[far])
        for i in range(len(X)):
            margin.note(to_far[i] - sq[i])
            if to_far[i] < sq[i]:
                labels[i] = c


def means(X, weights, labels, c):
    """Means and weights of the clusters that have members."""
    members = [[i for i, label in enumerate(labels) if label == k] for k in range(c)]
    members = [rows for rows in members if rows]
    centers = [mean([X[i] for i in rows], [weights[i] for i in rows]) for rows in members]
    return centers, [sum(weights[i] for i in rows) for rows in members]


def agglomerate(centers, sizes, lam, theta, margin):
    """Proposition 3: the best pair first, until no merger lowers the objective."""
    centers, sizes = list(centers), list(sizes)
    while len(centers) > 1:
        c = len(centers)
        increases = sorted(
            (
                sizes[a] * sizes[b] / (sizes[a] + sizes[b]) * sq_distance(centers[a], centers[b]),
                a,
                b,
            )
            for a in range(c)
            for b in range(a + 1, c)
        )
        increase, a, b = increases[0]
        charge = price(c, lam, theta) - price(c - 1, lam, theta)
        margin.note(increase - charge)
        if increase >= charge:
            break
        if len(increases) > 1:
            margin.note(increases[1][0] - increase)
        total = sizes[a] + sizes[b]
        centers[a] = [(sizes[a] * p + sizes[b] * q) / total for p, q in zip(centers[a], centers[b])]
        sizes[a] = total
        del centers[b], sizes[b]
    return centers


def objective(X, weights, centers, labels, lam, theta):
    """Eq. 15."""
    squares = sum(w * sq_distance(x, centers[k]) for x, w, k in zip(X, weights, labels))
    return squares + price(len(centers), lam, theta)


def sized_objective(X, weights, labels, lam, theta, centers=None):
    """The objective of the search, with sizes; about the means unless centers are given."""
    members = [[i for i, label in enumerate(labels) if label == k] for k in sorted(set(labels))]
    total, squares, apart = sum(weights), 0.0, 0.0
    for rows in members:
        size = sum(weights[i] for i in rows)
        center = mean([X[i] for i in rows], [weights[i] for i in rows])
        if centers is not None:
            center = centers[labels[rows[0]]]
        squares += sum(weights[i] * sq_distance(X[i], center) for i in rows)
        apart += size * log(total / size)
    c = len(members)
    return squares + theta * apart + lam * c - theta * lgamma(c)
