"""What must hold for any numbers: a property suite over the data of `nasty.py`.

The cases are the same on every run. ``HYPOTHESIS_PROFILE=wide pytest tests/test_nasty_numbers.py``
tries others, and many more of them; a failure prints how to repeat it.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import nasty
from nasty import examples, memory_kinds, nasty_rows, price
from pypmeans import (
    DPMeans,
    PYPMeans,
    PYPSpectralClustering,
    estimate_lambda,
    radius_profile,
    scale_path,
)

pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("error::RuntimeWarning"),
]

# Kinds without exact ties: there the order of the rows must not matter.
WITHOUT_TIES = (nasty.outlier, nasty.groups, nasty.tiny, nasty.huge, nasty.mixed_scales)

MODELS = st.builds(
    lambda estimator, algorithm, max_iter: (
        lambda lam, n_threads=1: estimator(
            lam, algorithm=algorithm, max_iter=max_iter, n_threads=n_threads
        )
    ),
    st.sampled_from([PYPMeans, DPMeans]),
    st.sampled_from(["paper", "search"]),
    st.sampled_from([2, 100]),
)
LEVELS = st.integers(0, 4)
REMEDIES = "Scale the features", "Divide all weights"


def unless_refused(use, *args, **options):
    """The result, or None where the data were refused with a reason."""
    try:
        return use(*args, **options)
    except ValueError as refusal:
        if not any(remedy in str(refusal) for remedy in REMEDIES):
            raise
        event("refused")
        return None


def check_promises(model, X):
    """What holds for every fit."""
    history = model.objective_history_
    assert np.all(np.isfinite(history))
    assert np.all(np.diff(history) <= 1e-12 * np.abs(history[:-1]))
    assert np.all(np.isfinite(model.cluster_centers_))
    assert 1 <= model.n_iter_ <= model.max_iter
    assert_array_equal(model.predict(X), model.labels_)
    assert_array_equal(np.bincount(model.labels_), model.cluster_sizes_)
    assert np.all(np.isfinite(model.transform(X)))
    assert np.isfinite(model.score(X))
    assert model.is_novel(X).shape == (len(X),)


def bits(model):
    return [
        array.tobytes()
        for array in (model.labels_, model.cluster_centers_, model.objective_history_)
    ]


def same_partition(a, b):
    return len(set(zip(a.tolist(), b.tolist()))) == len(set(a.tolist())) == len(set(b.tolist()))


@given(nasty_rows(), LEVELS, MODELS)
def test_any_numbers_are_clustered_or_refused_with_a_reason(X, level, model):
    fitted = unless_refused(model(price(X, level)).fit, X)
    if fitted is not None:
        check_promises(fitted, X)


@examples(25)
@given(nasty_rows(max_rows=30), MODELS)
def test_any_numbers_have_a_scale(X, model):
    fitted = unless_refused(model("auto").fit, X)
    if fitted is not None:
        check_promises(fitted, X)


@examples(40)
@given(nasty_rows(), LEVELS, MODELS, st.integers(0, 2**32 - 1))
def test_weights_of_any_magnitude_keep_the_promises(X, level, model, seed):
    weight = 10.0 ** np.random.default_rng(seed).integers(-6, 6, len(X))
    fitted = unless_refused(model(price(X, level)).fit, X, sample_weight=weight)
    if fitted is not None:
        history = fitted.objective_history_
        assert np.all(np.isfinite(history))
        assert np.all(np.diff(history) <= 1e-12 * np.abs(history[:-1]))
        assert_array_equal(fitted.predict(X), fitted.labels_)


@pytest.mark.large
@examples(25)
@given(nasty_rows(), LEVELS, MODELS)
def test_threads_and_repetition_change_no_bit(X, level, model):
    X = np.tile(X, (40_000 // len(X), 1)) if level == 3 else X  # more than one block of rows
    first = unless_refused(model(price(X, level)).fit, X)
    if first is not None:
        for n_threads in (1, 2, 4):
            assert bits(model(price(X, level), n_threads).fit(X)) == bits(first)


@examples(40)
@given(nasty_rows(kinds=WITHOUT_TIES), st.integers(1, 3), MODELS, st.randoms())
def test_the_order_of_rows_changes_no_group(X, level, model, random):
    order = list(range(len(X)))
    random.shuffle(order)
    first = unless_refused(model(price(X, level)).fit, X)
    if first is not None:
        again = model(price(X, level)).fit(X[order])
        assert same_partition(again.labels_, first.labels_[order])
        assert again.objective_ == pytest.approx(first.objective_, rel=1e-9)


@pytest.mark.parametrize("algorithm", ["paper", "search"])
def test_memory_of_any_kind_gives_the_same_bits(algorithm, tmp_path):
    X = nasty.groups(np.random.default_rng(0), 200, 3)
    expected = bits(PYPMeans(30.0, algorithm=algorithm).fit(X))
    for name, same in memory_kinds(X, tmp_path).items():
        model = PYPMeans(30.0, algorithm=algorithm).fit(same)
        assert bits(model) == expected, name
        assert_array_equal(model.predict(same), model.labels_, name)


INTEGERS = [np.dtype(kind + str(size)) for kind in "iu" for size in (1, 2, 4, 8)]


@pytest.mark.parametrize("lam", [0.5, "auto"])
@pytest.mark.parametrize("dtype", [*INTEGERS, np.dtype(bool), np.dtype(np.float16)], ids=str)
def test_numbers_of_any_type_are_clustered_by_their_values(dtype, lam):
    values = np.random.default_rng(0).integers(0, 2, size=(60, 2)) * (
        1 if dtype.kind == "b" else 100
    )
    X = values.astype(dtype)
    model = PYPMeans(lam).fit(X)
    assert bits(model) == bits(PYPMeans(lam).fit(X.astype(np.float64)))
    assert_array_equal(model.predict(X), model.labels_)
    assert model.n_clusters_ == 4


@pytest.mark.parametrize("extreme", ["iinfo", "float16"])
def test_ends_of_the_ranges_of_types_are_ordinary_numbers(extreme):
    ends = np.iinfo(np.int64) if extreme == "iinfo" else np.finfo(np.float16)
    dtype = np.int64 if extreme == "iinfo" else np.float16
    X = np.array([[ends.min], [ends.min], [ends.max], [ends.max]], dtype=dtype)
    assert_array_equal(PYPMeans(1.0).fit(X).labels_, [0, 0, 1, 1])


@pytest.mark.parametrize("algorithm", ["paper", "search"])
@pytest.mark.parametrize(
    ("n", "p"),
    [(1, 1), (1, 10_000), (2, 1)]
    + [pytest.param(*shape, marks=pytest.mark.large) for shape in [(60, 10_000), (5000, 1)]],
)
def test_shapes_at_the_ends(n, p, algorithm):
    X = nasty.groups(np.random.default_rng(1), n, p)
    model = PYPMeans(price(X, 2), algorithm=algorithm).fit(X)
    check_promises(model, X)


@pytest.mark.large
@pytest.mark.parametrize("algorithm", ["paper", "search"])
def test_two_million_duplicates_are_their_places(algorithm):
    places = np.array([[0.0, 0.0], [3.0, 4.0], [9.0, 0.0]])
    X = np.repeat(places, [1_500_000, 499_990, 10], axis=0)
    model = DPMeans(1.0, algorithm=algorithm).fit(X)
    assert_array_equal(model.cluster_sizes_, [1_500_000, 499_990, 10])
    assert_array_equal(model.cluster_centers_, places)
    assert model.inertia_ == 0


@pytest.mark.parametrize("factor", [1e155, 1e200, 1e300, 1e-163, 1e-200, 1e-300])
@pytest.mark.parametrize(
    "use", [PYPMeans(1.0).fit, PYPMeans().fit, DPMeans(1.0, algorithm="paper").fit, scale_path,
            lambda X: radius_profile(X, 3), lambda X: estimate_lambda(X, 2),
            PYPSpectralClustering().fit],
    ids=["search", "auto", "paper", "path", "profile", "lambda", "spectral"],
)  # fmt: skip
def test_squares_that_do_not_fit_are_noticed_and_explained(use, factor):
    X = np.array([[0.0, 0.0], [1.0, 1.0], [3.0, 9.0], [2.0, 5.0]]) * factor
    word = "overflow" if factor > 1 else "vanish"
    with pytest.raises(ValueError, match=f"squared distances {word}. Scale the features"):
        use(X)


@examples(25)
@given(nasty_rows(max_rows=40))
def test_spectral_clustering_takes_any_numbers(X):
    fitted = unless_refused(PYPSpectralClustering().fit, X)
    if fitted is not None:
        assert_array_equal(fitted.predict(X), fitted.labels_)
        assert np.all(np.isfinite(fitted.eigenvalues_))


@examples(40)
@given(nasty_rows(), st.integers(1, 70))
def test_profiles_never_rise(X, most):
    profile = unless_refused(radius_profile, X, most)
    if profile is not None:
        assert np.all(np.isfinite(profile))
        assert np.all(np.diff(profile) <= 0)


@pytest.mark.parametrize("estimator", [PYPMeans, DPMeans])
@pytest.mark.parametrize("algorithm", ["paper", "search"])
def test_a_chain_of_doubling_steps_is_opened_link_by_link(estimator, algorithm):
    X = nasty.chain(None, 50, 2)
    model = estimator(1e-3, algorithm=algorithm, max_clusters=20).fit(X)
    assert model.n_clusters_ == 20
    check_promises(model, X)


@pytest.mark.large
def test_kernels_stay_within_their_arrays(tmp_path):
    """With a cache of its own: compiled without checks, functions would be found there."""
    checks = Path(__file__).with_name("bounds_checked.py")
    environment = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    run = subprocess.run(
        [sys.executable, checks], env=os.environ | environment, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.split()[-1] == "checked"
