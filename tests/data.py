"""Small data for the tests: Hypothesis strategies and seeded generators, and scripts to import."""

import importlib.util

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp


@st.composite
def points(draw, max_rows=25, max_features=4):
    """Rows on a coarse grid or anywhere, with duplicates, in units from 1e-6 to 1e6."""
    shape = (draw(st.integers(1, max_rows)), draw(st.integers(1, max_features)))
    value = draw(
        st.sampled_from(
            [st.integers(-6, 6).map(float), st.floats(-6, 6).map(lambda x: round(x, 9))]
        )
    )
    X = draw(hnp.arrays(np.float64, shape, elements=value))
    copies = draw(st.integers(0, 3))
    return np.vstack([X] + [X[:1]] * copies) * draw(st.sampled_from([1e-6, 1e-3, 1.0, 1e3, 1e6]))


def weights(n_rows, least=0.05):
    """Weights on both sides of 1."""
    return hnp.arrays(np.float64, n_rows, elements=st.floats(least, 4).map(lambda w: round(w, 6)))


def spread(X):
    """A squared length that says how large the data is, never 0."""
    return float(np.sum(np.ptp(X, axis=0) ** 2)) or 1.0


def separated_groups(n_groups, size, n_features, noise, seed):
    """Groups around the points of a grid of unit steps, in random order of rows."""
    rng = np.random.default_rng(seed)
    side = int(np.ceil(n_groups ** (1 / n_features))) + 1
    cells = rng.choice(side**n_features, n_groups, replace=False)
    centers = np.stack(np.unravel_index(cells, (side,) * n_features), axis=1) * 2.0
    y = rng.permutation(np.repeat(np.arange(n_groups), size))
    return centers[y] + noise * rng.normal(size=(len(y), n_features)), y


def import_file(path):
    """A script that is not part of any package, as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
