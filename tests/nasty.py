"""Data that break clustering: ends of the range of floats, odd memory, ties, chains, outliers."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

TINY, HUGE = 1e-150, 1e150  # squares of values beyond these vanish or overflow


def lattice(rng, n, p):
    """Whole numbers in a small box: nearly every distance is a tie."""
    return rng.integers(0, 3, size=(n, p)).astype(float)


def on_a_line(rng, n, p):
    """One direction, evenly spaced."""
    return np.arange(n, dtype=float)[:, None] * rng.integers(1, 4, size=p)


def chain(rng, n, p):
    """Each row twice as far out as the one before: furthest first opens them one by one."""
    X = np.zeros((n, p))
    X[:, 0] = 2.0 ** (np.arange(n) % 60)
    return X


def mixed_scales(rng, n, p):
    """Columns, and rows within them, of magnitudes from 1e-100 to 1e100."""
    return rng.normal(size=(n, p)) * 10.0 ** rng.integers(-100, 100, size=(n, p))


def duplicates(rng, n, p):
    """A few places, each many times."""
    return rng.normal(size=(3, p))[rng.integers(0, 3, n)]


def constant_columns(rng, n, p):
    """All columns but the first are constant, and large."""
    X = np.full((n, p), 1e8)
    X[:, 0] = rng.normal(size=n)
    return X


def far_from_zero(rng, n, p):
    """A spread of a few units in the last places."""
    return 1e15 + rng.integers(0, 40, size=(n, p)).astype(float)


def outlier(rng, n, p):
    """A round group and one row very far from it."""
    X = rng.normal(size=(n, p))
    X[rng.integers(n)] *= 10.0 ** rng.integers(3, 100)
    return X


def denormal_steps(rng, n, p):
    """Ordinary rows with differences of the smallest numbers there are."""
    return rng.integers(0, 2, size=(n, p)) + rng.integers(0, 9, size=(n, p)) * 5e-324


def tiny(rng, n, p):
    return rng.normal(size=(n, p)) * TINY


def huge(rng, n, p):
    return rng.normal(size=(n, p)) * HUGE


def equal(rng, n, p):
    return np.full((n, p), rng.normal())


def groups(rng, n, p):
    """Round groups of uneven sizes: what one hopes for."""
    places = 8.0 * rng.normal(size=(4, p))
    return places[np.minimum(rng.geometric(0.5, n) - 1, 3)] + rng.normal(size=(n, p))


KINDS = [
    lattice, on_a_line, chain, mixed_scales, duplicates, constant_columns, far_from_zero, outlier,
    denormal_steps, tiny, huge, equal, groups,
]  # fmt: skip


@st.composite
def nasty_rows(draw, max_rows=60, kinds=tuple(KINDS)):
    """Rows of one of the kinds, in float64 or float32 where that holds them."""
    kind = draw(st.sampled_from(kinds))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, p = draw(st.integers(1, max_rows)), draw(st.sampled_from([1, 2, 3, 17, 30]))
    X = kind(rng, n, p)
    if draw(st.booleans()) and np.abs(X).max() < 1e15:
        return X.astype(np.float32)
    return X


def price(X, level):
    """A λ at some level of the spread of the rows, from next to nothing to more than all."""
    span = np.ptp(X.astype(np.float64), axis=0)
    sq = float(np.sum(span**2)) or 1.0
    return max(sq * [1e-12, 1e-3, 0.05, 0.5, 20.0][level], 1e-300)


def memory_kinds(X, folder):
    """The same values in every kind of memory an array can be in, by name."""
    mapped = np.memmap(folder / "rows.bin", dtype=X.dtype, mode="w+", shape=X.shape)
    mapped[:] = X
    frozen = X.copy()
    frozen.setflags(write=False)
    wide = np.zeros((len(X), 2 * X.shape[1]))
    wide[:, ::2] = X
    return {
        "fortran": np.asfortranarray(X),
        "negative strides": np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
        "every other column": wide[:, ::2],
        "read-only": frozen,
        "big-endian": X.astype(X.dtype.newbyteorder(">")),
        "memory map": np.memmap(folder / "rows.bin", dtype=X.dtype, mode="r", shape=X.shape),
        "list": X.tolist(),
    }


def examples(n):
    """No more than `n` examples, unless the profile asks for thousands."""
    most = settings.default.max_examples
    return settings(max_examples=most if most > 1000 else min(n, most))
