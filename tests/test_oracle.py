"""The estimators against the paper in plain loops, on any data."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

import reference
from data import points, spread, weights
from pypmeans import DPMeans, PYPMeans, _opening

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@st.composite
def problems(draw):
    X = draw(points())
    scale = spread(X)
    lam = scale * draw(st.floats(0.001, 2))
    theta = lam * draw(st.sampled_from([0.0, 0.05, 0.1, 0.3, 0.6]))
    weight = draw(st.none() | weights(len(X)))
    return X, lam, theta, weight


@given(problems())
@example((np.array([[0.0], [1.0], [2.0], [3.0]]), 1.0, 0.1, None))
def test_the_partition_is_the_oracles(problem):
    X, lam, theta, weight = problem
    expected = reference.pyp_means(X, lam, theta, weight)
    model = PYPMeans(lam, theta, algorithm="paper").fit(X, sample_weight=weight)
    assert model.objective_ == pytest.approx(expected.objective, rel=1e-9)
    if expected.margin > 1e-9 * max(spread(X), lam):
        assert adjusted_rand_score(expected.labels, model.labels_) == 1.0
        assert model.n_clusters_ == len(expected.centers)
        np.testing.assert_allclose(model.objective_history_, expected.history, rtol=1e-9)


@pytest.mark.parametrize("n_hot", [1, 2, 5])
@given(problem=problems())
def test_watching_few_rows_changes_nothing(n_hot, problem):
    # by default all rows of data this small are watched while clusters are opened
    X, lam, theta, weight = problem
    watching_all = PYPMeans(lam, theta, algorithm="paper").fit(X, sample_weight=weight)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_opening, "MOST_HOT", n_hot)
        patch.setattr(_opening, "LEAST_HOT", 1)
        model = PYPMeans(lam, theta, algorithm="paper").fit(X, sample_weight=weight)
    assert model.labels_.tobytes() == watching_all.labels_.tobytes()
    assert model.cluster_centers_.tobytes() == watching_all.cluster_centers_.tobytes()
    assert model.objective_history_.tobytes() == watching_all.objective_history_.tobytes()


@given(problems())
def test_the_objective_never_rises(problem):
    X, lam, theta, weight = problem
    model = PYPMeans(lam, theta, algorithm="paper").fit(X, sample_weight=weight)
    history = model.objective_history_
    assert np.all(np.diff(history) <= 1e-12 * np.abs(history[:-1]))
    assert history[-1] == model.objective_


@given(problems())
def test_predict_equals_labels_even_when_stopped_early(problem):
    X, lam, theta, weight = problem
    for max_iter in (1, 2, 100):
        model = PYPMeans(lam, theta, algorithm="paper", max_iter=max_iter)
        model.fit(X, sample_weight=weight)
        np.testing.assert_array_equal(model.predict(X), model.labels_)
        assert set(model.labels_) == set(range(model.n_clusters_))
        charge = model.n_clusters_ * (lam - theta * np.log(model.n_clusters_))
        assert model.objective_ == pytest.approx(model.inertia_ + charge, rel=1e-12)


@given(problems(), st.sampled_from([0.25, 0.5, 2.0, 4.0]))
def test_units_do_not_matter(problem, scale):
    X, lam, theta, weight = problem
    small = PYPMeans(lam, theta, algorithm="paper").fit(X, sample_weight=weight)
    large = PYPMeans(lam * scale**2, theta * scale**2, algorithm="paper")
    large.fit(X * scale, sample_weight=weight)
    np.testing.assert_array_equal(small.labels_, large.labels_)
    assert large.objective_ == pytest.approx(small.objective_ * scale**2)


@given(problems())
def test_theta_zero_is_dp_means(problem):
    X, lam, _, weight = problem
    pyp = PYPMeans(lam, 0, algorithm="paper").fit(X, sample_weight=weight)
    dp = DPMeans(lam, algorithm="paper").fit(X, sample_weight=weight)
    np.testing.assert_array_equal(pyp.labels_, dp.labels_)
    np.testing.assert_array_equal(pyp.cluster_centers_, dp.cluster_centers_)
    assert dp.theta_ == 0


@given(points(), st.floats(0.001, 2), st.data())
def test_weights_are_copies(X, part, data):
    copies = np.array(data.draw(st.lists(st.integers(0, 4), min_size=len(X), max_size=len(X))))
    if not copies.any():
        copies[0] = 1
    lam = part * spread(X)
    weighted = PYPMeans(lam, lam / 10, algorithm="paper").fit(X, sample_weight=copies)
    repeated = PYPMeans(lam, lam / 10, algorithm="paper").fit(np.repeat(X, copies, axis=0))
    if reference.pyp_means(X[copies > 0], lam, lam / 10, copies[copies > 0]).margin > 1e-9 * max(
        spread(X), lam
    ):
        np.testing.assert_array_equal(np.repeat(weighted.labels_, copies), repeated.labels_)
        np.testing.assert_array_equal(weighted.cluster_sizes_, repeated.cluster_sizes_)
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-9)


@given(points(), st.floats(0.001, 2))
def test_a_second_fit_gives_the_same_bits(X, part):
    lam = part * spread(X)
    first, second = (DPMeans(lam, algorithm="paper").fit(X) for _ in range(2))
    assert first.cluster_centers_.tobytes() == second.cluster_centers_.tobytes()
    assert first.labels_.tobytes() == second.labels_.tobytes()
    assert first.objective_history_.tobytes() == second.objective_history_.tobytes()


@given(points(), st.floats(0.001, 2), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(X, part, random):
    lam = part * spread(X)
    order = list(range(len(X)))
    random.shuffle(order)
    if reference.pyp_means(X, lam, 0.1 * lam).margin > 1e-9 * max(spread(X), lam):
        plain = PYPMeans(lam, 0.1 * lam, algorithm="paper").fit(X)
        shuffled = PYPMeans(lam, 0.1 * lam, algorithm="paper").fit(X[order])
        assert adjusted_rand_score(plain.labels_[order], shuffled.labels_) == 1.0
