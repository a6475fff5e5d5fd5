"""Groups that are not round, with fixed places, gaps several times the noise, and a seed."""

import numpy as np


def two_moons(seed, n=500):
    rng = np.random.default_rng(seed)
    upper, lower = (rng.uniform(0, np.pi, n // 2) for _ in range(2))
    return _noisy(
        rng,
        0.05,
        np.column_stack([np.cos(upper), np.sin(upper)]),
        np.column_stack([1 - np.cos(lower), 0.5 - np.sin(lower)]),
    )


def two_rings(seed, n=600):
    rng = np.random.default_rng(seed)
    return _noisy(rng, 0.06, *(_ring(rng, r * n // 3, r) for r in (1, 2)))


def three_rings(seed, n=900):
    rng = np.random.default_rng(seed)
    return _noisy(rng, 0.06, *(_ring(rng, r * n // 6, r) for r in (1, 2, 3)))


def two_spirals(seed, n=1000):
    rng = np.random.default_rng(seed)
    arms = []
    for turn in (0, np.pi):
        radius = np.sqrt(rng.uniform(0.1, 1, n // 2)) * 3 * np.pi  # evenly along the arm
        arms.append(_polar(radius, radius + turn))
    return _noisy(rng, 0.25, *arms)  # arms are π apart


def three_slanted_blobs(seed, n=510):
    rng = np.random.default_rng(seed)
    stretch = np.array([[0.6, -0.6], [-0.4, 0.8]])
    places = ([-6.0, -6.0], [0.0, 0.0], [6.0, -3.0])
    return _noisy(rng, 0, *(rng.normal(size=(n // 3, 2)) @ stretch + place for place in places))


def ring_around_a_blob(seed, n=1260):
    """20 rows in the blob to each one in the ring."""
    rng = np.random.default_rng(seed)
    return _noisy(rng, 0.1, 0.3 * rng.normal(size=(20 * n // 21, 2)), _ring(rng, n // 21, 3))


SHAPES = {
    "two moons": two_moons,
    "two rings": two_rings,
    "three rings": three_rings,
    "two spirals": two_spirals,
    "three slanted blobs": three_slanted_blobs,
    "ring around a blob": ring_around_a_blob,
}


def zipf_blobs(seed, n_groups=12, n_features=3, largest=600, smallest=14, distance=8):
    """Gaussian groups of standard deviation 1 on a grid, the k-th of size about 1 / k^1.3."""
    rng = np.random.default_rng(seed)
    sizes = np.maximum(largest / np.arange(1, n_groups + 1) ** 1.3, smallest).astype(int)
    side = int(np.ceil(n_groups ** (1 / n_features))) + 1
    cells = rng.choice(side**n_features, n_groups, replace=False)
    places = np.stack(np.unravel_index(cells, (side,) * n_features), axis=1) * float(distance)
    return _noisy(rng, 1, *(np.tile(place, (size, 1)) for place, size in zip(places, sizes)))


def _polar(radius, angle):
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def _ring(rng, n, radius):
    return _polar(np.full(n, float(radius)), rng.uniform(0, 2 * np.pi, n))


def _noisy(rng, noise, *groups):
    """The groups as one array with noise, in random order, and the group of each row."""
    y = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    X = np.vstack(groups)
    X = X + noise * rng.normal(size=X.shape)
    order = rng.permutation(len(y))
    return X[order], y[order]
