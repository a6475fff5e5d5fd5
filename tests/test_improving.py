"""The search: every move changes the objective as promised, and what comes out is good."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

import reference
from data import points, separated_groups, spread, weights
from pypmeans import DPMeans, PYPMeans, _improving, _kernels
from pypmeans._improving import SearchMoves, _State
from pypmeans._penalty import SizedPenalty
from pypmeans._samples import ArraySamples
from pypmeans._solver import solve

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

THETAS = pytest.mark.parametrize("theta", [0.0, 0.4])
SEEDS = pytest.mark.parametrize("seed", range(6))


def objective(X, weight, labels, lam, theta, centers=None):
    return reference.sized_objective(X, weight, list(labels), lam, theta, centers)


def same_bits(first, second):
    names = ("labels_", "cluster_centers_", "cluster_sizes_", "objective_history_")
    return all(getattr(first, name).tobytes() == getattr(second, name).tobytes() for name in names)


# Each move against the objective


@pytest.fixture(params=[(seed, theta) for seed in range(6) for theta in (0.0, 0.4)])
def state(request):
    """Settled clusters of random rows with weights, and what is looked at to improve them."""
    seed, theta = request.param
    rng = np.random.default_rng(seed)
    X, weight = rng.normal(size=(60, 1 + seed % 3)), rng.uniform(0.2, 4, 60)
    penalty = SizedPenalty(1.0, theta)
    with ArraySamples(X, weight, 1) as samples:
        centers, sizes = X[:6], np.ones(6)
        became = None
        for _ in range(100):
            offsets = penalty.offsets(sizes)
            moved = samples.assign(centers, became, offsets=offsets, reach=np.inf)
            means, all_sizes = samples.means(len(centers))
            numbers = np.flatnonzero(all_sizes)
            became = np.searchsorted(numbers, np.arange(len(centers))).astype(np.int32)
            became = np.minimum(became, len(numbers) - 1)
            centers, sizes = means[numbers], all_sizes[numbers]
            if not moved:
                break
        yield _State(SearchMoves(penalty, 99), samples, centers, sizes, numbers)


def labels_of(state):
    return np.searchsorted(state.numbers, state.samples.labels)


def change_of_objective(state, labels):
    X, weight = state.samples.X, state.samples.weight
    before, after = (
        objective(X, weight, z, state.penalty.lam, state.penalty.theta)
        for z in (labels_of(state), labels)
    )
    return after - before


def labels_after(state, trial):
    """The labels when the clusters of a trial have become what it says, but no row chose anew."""
    labels = labels_of(state)
    if trial.name == "merge":
        a, b = trial.clusters
        return np.where(labels == b, a, labels)
    k = trial.clusters[0]
    centers, sizes = state.halves[k]
    costs = ((state.samples.X[:, None, :] - centers) ** 2).sum(axis=2) - state.pull * np.log(sizes)
    half = np.where(labels == k, costs.argmin(axis=1), -1)
    if trial.name == "split":
        return np.where(half == 1, 99, labels)
    if trial.name == "swap":
        _, a, b = trial.clusters
        return np.where(half == 1, 99, np.where(labels == b, a, labels))
    return np.where(half == int(trial.name[-1]), trial.clusters[1], labels)


def test_trials_promise_what_the_objective_says(state):
    trials = state._trials()
    assert {trial.name for trial in trials} == {"split", "merge", "swap", "swap 0", "swap 1"}
    for trial in trials:
        change = change_of_objective(state, labels_after(state, trial))
        assert trial.change == pytest.approx(change, abs=1e-9)


def test_outcomes_promise_what_the_objective_says(state, monkeypatch):
    monkeypatch.setattr(_improving, "TRIAL_STEPS", 200)
    state.moves.most_clusters = 1000
    for trial in state._trials():
        state.tree = _improving.KDTree(state.centers)
        state.counts = state.samples.counts(state.numbers)
        outcome = state._outcome(trial, set())
        labels = labels_of(state)
        rows = np.isin(labels, outcome.clusters)
        costs = ((state.samples.X[:, None, :] - outcome.centers) ** 2).sum(axis=2)
        with np.errstate(divide="ignore"):
            costs -= np.where(outcome.sizes > 0, state.pull * np.log(outcome.sizes), -np.inf)
        labels = np.where(rows, 100 + costs.argmin(axis=1), labels)
        assert outcome.change == pytest.approx(change_of_objective(state, labels), abs=1e-9)


def test_splits_made_together_lower_the_objective_by_the_sum(state):
    penalty = SizedPenalty(1e-3, state.penalty.theta / 100)
    state = _State(
        SearchMoves(penalty, 99), state.samples, state.centers, state.sizes, state.numbers
    )
    arranged = state.split()
    made = np.argsort(state.split_change)[: len(arranged.sizes) - state.c]
    promised = sum(penalty.marginal(state.c + j) for j in range(len(made)))
    promised += state.split_change[made].sum()
    labels = labels_of(state)
    for j, k in enumerate(made):
        trial = _improving.Trial(0.0, "split", (k,), *state.halves[k])
        labels = np.where(labels_after(state, trial) == 99, state.c + j, labels)
    assert len(made) > 0
    assert promised == pytest.approx(change_of_objective(state, labels))
    assert_allclose(arranged.sizes, np.bincount(labels, weights=state.samples.weight))


@THETAS
@SEEDS
def test_mergers_cost_what_the_objective_says(theta, seed):
    rng = np.random.default_rng(seed)
    X, weight = rng.normal(size=(20, 2)), rng.uniform(0.2, 4, 20)
    labels = np.arange(20) % 4
    sizes = np.bincount(labels, weights=weight)
    centers = np.array(
        [np.average(X[labels == k], axis=0, weights=weight[labels == k]) for k in range(4)]
    )
    before = objective(X, weight, labels, 1.0, theta)
    after = [objective(X, weight, np.where(labels == b, 0, labels), 1.0, theta) for b in (1, 2, 3)]
    b, cost = _kernels.cheapest_merge(0, centers, sizes, theta)
    assert cost - SizedPenalty(1.0, theta).marginal(3) == pytest.approx(min(after) - before)
    assert b == 1 + np.argmin(after)


@pytest.mark.parametrize(("weight", "size"), [(1.0, 3.0), (0.2, 4.5), (7.0, 0.5)])
def test_joining_makes_a_cluster_attract_more(weight, size):
    def attraction(total):
        return 0.3 * total * np.log(total)

    grown = attraction(size + weight) - attraction(size)
    assert _kernels.joining(weight, size, 0.3) == pytest.approx(grown)
    assert _kernels.joining(weight, size, 0.0) == 0


@THETAS
@SEEDS
def test_single_rows_move_where_and_only_where_the_objective_falls(theta, seed):
    rng = np.random.default_rng(seed)
    X, weight = rng.normal(size=(25, 2)), rng.uniform(0.2, 4, 25)
    labels = rng.permutation(np.arange(25) % 4).astype(np.int32)
    sizes = np.bincount(labels, weights=weight)
    centers = np.array(
        [np.average(X[labels == k], axis=0, weights=weight[labels == k]) for k in range(4)]
    )
    for row in np.tile(np.arange(25, dtype=np.int32), 4):
        moves = [objective(X, weight, moved(labels, row, k), 1.0, theta) for k in range(4)]
        own = labels[row]
        last = np.count_nonzero(labels == own) == 1
        label = labels[[row]]
        n_moved = _kernels.move_singly(X, np.array([row]), weight, label, centers, sizes, theta)
        expected = own if last else np.argmin(moves)
        assert label[0] == expected
        assert n_moved == (expected != own)
        labels[row] = label[0]
        assert_allclose(sizes, np.bincount(labels, weights=weight, minlength=4))
        own_rows = labels == labels[row]
        assert_allclose(
            centers[labels[row]],
            np.average(X[own_rows], axis=0, weights=weight[own_rows]),
            atol=1e-12,
        )


def moved(labels, row, k):
    labels = labels.copy()
    labels[row] = k
    return labels


@THETAS
@SEEDS
def test_no_single_row_could_move_in_the_end(theta, seed):
    rng = np.random.default_rng(seed)
    X, weight = rng.normal(size=(40, 2)), rng.uniform(0.2, 4, 40)
    model = PYPMeans(2.0, theta).fit(X, sample_weight=weight)
    for row in range(40):
        if np.count_nonzero(model.labels_ == model.labels_[row]) > 1:
            for k in range(model.n_clusters_):
                other = objective(X, weight, moved(model.labels_, row, k), 2.0, theta)
                assert other >= model.objective_ - 1e-9


# Whole fits on any data


@st.composite
def problems(draw):
    X = draw(points())
    lam = spread(X) * draw(st.floats(0.001, 2))
    theta = lam * draw(st.sampled_from([0.0, 0.05, 0.1, 0.3, 0.6, 1.5]))
    return X, lam, theta, draw(st.none() | weights(len(X)))


@given(problems(), st.sampled_from([1, 2, 3, 100]))
def test_the_objective_is_what_it_says_and_never_rises(problem, max_iter):
    X, lam, theta, weight = problem
    model = PYPMeans(lam, theta, max_iter=max_iter).fit(X, sample_weight=weight)
    history, weight = model.objective_history_, np.ones(len(X)) if weight is None else weight
    assert np.all(np.isfinite(history))
    assert np.all(np.diff(history) <= 1e-12 * np.abs(history[:-1]))
    assert history[-1] == model.objective_
    expected = objective(X, weight, model.labels_, lam, theta, model.cluster_centers_)
    assert model.objective_ == pytest.approx(expected, rel=1e-9)
    if model.n_iter_ < max_iter:
        expected = objective(X, weight, model.labels_, lam, theta)
        assert model.objective_ == pytest.approx(expected, rel=1e-9)
    assert_array_equal(model.predict(X), model.labels_)
    assert set(model.labels_) == set(range(model.n_clusters_))
    assert_allclose(np.bincount(model.labels_, weights=weight), model.cluster_sizes_)
    assert model.score(X, sample_weight=weight) == pytest.approx(-model.objective_)


@given(problems(), st.sampled_from([0.25, 2.0, 4.0]))
@settings(max_examples=25)
def test_units_do_not_matter(problem, scale):
    X, lam, theta, weight = problem
    small = PYPMeans(lam, theta).fit(X, sample_weight=weight)
    large = PYPMeans(lam * scale**2, theta * scale**2).fit(X * scale, sample_weight=weight)
    assert_array_equal(small.labels_, large.labels_)
    assert large.objective_ == pytest.approx(small.objective_ * scale**2)


@given(problems())
@settings(max_examples=25)
def test_threads_and_repeats_change_no_bit(problem):
    X, lam, theta, weight = problem
    models = [PYPMeans(lam, theta, n_threads=n).fit(X, sample_weight=weight) for n in (1, 2, 4, 1)]
    assert all(same_bits(models[0], model) for model in models[1:])


@given(problems(), st.integers(1, 4))
@settings(max_examples=25)
def test_no_more_clusters_than_allowed(problem, most):
    X, lam, theta, weight = problem
    model = PYPMeans(lam / 100, theta / 100, max_clusters=most).fit(X, sample_weight=weight)
    assert model.n_clusters_ <= min(most, len(X))


@given(problems())
@settings(max_examples=25)
def test_theta_zero_is_dp_means(problem):
    X, lam, _, weight = problem
    assert same_bits(
        PYPMeans(lam, 0).fit(X, sample_weight=weight), DPMeans(lam).fit(X, sample_weight=weight)
    )


@THETAS
@SEEDS
def test_weights_are_copies_and_rows_of_none_do_not_matter(theta, seed):
    X, _ = separated_groups(6, 12, 2, 0.15, seed)
    copies = np.random.default_rng(seed).integers(0, 4, len(X))
    weighted = PYPMeans(2.0, theta / 10).fit(X, sample_weight=copies)
    repeated = PYPMeans(2.0, theta / 10).fit(np.repeat(X, copies, axis=0))
    assert_array_equal(np.repeat(weighted.labels_, copies), repeated.labels_)
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-12)
    without = PYPMeans(2.0, theta / 10).fit(X[copies > 0], sample_weight=copies[copies > 0])
    assert_array_equal(weighted.labels_[copies > 0], without.labels_)
    assert weighted.objective_ == without.objective_


@THETAS
@SEEDS
def test_the_order_of_rows_does_not_matter(theta, seed):
    rng = np.random.default_rng(seed)
    X, _ = separated_groups(8, 25, 3, 0.3, seed)
    order = rng.permutation(len(X))
    plain, shuffled = (PYPMeans(3.0, theta / 3).fit(rows) for rows in (X, X[order]))
    assert adjusted_rand_score(plain.labels_[order], shuffled.labels_) == 1.0


@pytest.mark.parametrize("algorithm", ["paper", "search"])
@THETAS
@SEEDS
def test_is_novel_says_whether_founding_lowers_the_objective(algorithm, theta, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 2)) + 5 * rng.integers(0, 2, size=(30, 1))
    model = PYPMeans(4.0, theta, algorithm=algorithm).fit(X)
    new = 6 * rng.normal(size=(60, 2))
    found, c = model.is_novel(new), model.n_clusters_
    assert 0 < found.sum() < 60
    for x, novel in zip(new, found):
        rows = np.vstack([X, x])
        values = [value_of(rows, [*model.labels_, k], theta, algorithm) for k in range(c + 1)]
        assert novel == (values[c] < min(values[:c]))


def value_of(X, labels, theta, algorithm):
    if algorithm == "search":
        return objective(X, np.ones(len(X)), labels, 4.0, theta)
    centers, _ = reference.means(X.tolist(), [1.0] * len(X), labels, max(labels) + 1)
    return reference.objective(X, [1.0] * len(X), centers, labels, 4.0, theta)


# How good the answers are


@pytest.mark.parametrize("seed", range(8))
def test_never_much_worse_than_k_means_with_the_best_number(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 2)) + 2 * rng.integers(0, 3, size=(80, 2))
    lam = [3.0, 8.0, 20.0][seed % 3]
    best = min(KMeans(k, n_init=5, random_state=0).fit(X).inertia_ + lam * k for k in range(1, 9))
    assert DPMeans(lam).fit(X).objective_ <= 1.005 * best


@pytest.mark.large
@pytest.mark.parametrize("n_features", [2, 10, 50])
@pytest.mark.parametrize("n_rows", [50, 500, 5000])
def test_one_round_group_stays_one(n_rows, n_features):
    X = 3.0 * np.random.default_rng(n_rows).normal(size=(n_rows, n_features))
    model = PYPMeans(9.0 * n_features * np.log(n_rows), 18.0).fit(X)
    assert model.n_clusters_ == 1


@pytest.mark.large
@pytest.mark.parametrize("n_features", [2, 5])
@pytest.mark.parametrize("seed", range(2))
def test_groups_of_zipf_sizes_are_found_exactly(n_features, seed):
    rng = np.random.default_rng(seed)
    cells = rng.choice(8**2, 15, replace=False)
    centers = np.zeros((15, n_features))
    centers[:, :2] = 8.0 * np.stack(np.unravel_index(cells, (8, 8)), axis=1)
    y = np.repeat(np.arange(15), (1500 / np.arange(1, 16)).astype(int))
    X = centers[y] + rng.normal(size=(len(y), n_features))
    model = PYPMeans(n_features * np.log(len(y)), 2.0).fit(X)
    assert adjusted_rand_score(y, model.labels_) == 1.0


# Edges


@THETAS
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_rows", [1, 2, 3])
def test_a_few_rows(theta, dtype, n_rows):
    X = np.array([[0.0], [100.0], [101.0]], dtype=dtype)[:n_rows]
    model = PYPMeans(2.0, theta).fit(X)
    assert_array_equal(model.labels_, [[0], [0, 1], [1, 0, 0]][n_rows - 1])


@THETAS
def test_equal_rows_and_duplicates(theta):
    assert PYPMeans(1.0, theta).fit(np.full((40, 3), 7.0)).n_clusters_ == 1
    X = np.repeat([[0.0], [50.0], [500.0]], [30, 20, 10], axis=0)
    model = PYPMeans(1.0, theta).fit(X)
    assert_array_equal(model.cluster_sizes_, [30, 20, 10])
    assert model.inertia_ == 0


@pytest.mark.parametrize("n_features", [1, 2])
@pytest.mark.parametrize(("lam", "theta"), [(1.0, 0.0), (2.0, 0.0), (10.0, 0.5), (3.0, 1.0)])
def test_a_lattice_full_of_ties(n_features, lam, theta):
    axes = np.meshgrid(*[np.arange(10.0 if n_features == 2 else 100.0)] * n_features)
    X = np.stack(axes, axis=-1).reshape(-1, n_features)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        model = PYPMeans(lam, theta).fit(X)
    assert_array_equal(model.predict(X), model.labels_)
    expected = objective(X, np.ones(len(X)), model.labels_, lam, theta)
    assert model.objective_ == pytest.approx(expected, rel=1e-12)


@pytest.mark.large
def test_a_tiny_lam_leaves_every_row_alone():
    X = np.random.default_rng(0).normal(size=(500, 2))
    assert PYPMeans(1e-9, 1e-10).fit(X).n_clusters_ == 500


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("scale", [1e-150, 1e-100, 1e100, 1e150])
def test_any_scale_gives_the_same_clusters(scale):
    X, y = separated_groups(5, 30, 3, 0.1, seed=0)
    model = PYPMeans(0.3 * scale**2, 0.02 * scale**2).fit(X * scale)
    assert adjusted_rand_score(y, model.labels_) == 1.0


def test_moving_centers_is_measured_without_losing_digits_far_from_zero():
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(100, 2)), 3) + 1e6
    about = X - 1e6  # exact
    with ArraySamples(X, np.ones(100), 1) as samples:
        samples.assign(X[:1], reach=np.inf)
        shifts, _ = samples._sums.shifts(X[:1], samples.labels, samples._threads)
    assert_allclose(shifts[0], about.mean(axis=0) - about[0], rtol=1e-14)


@THETAS
@pytest.mark.parametrize("seed", range(3))
def test_weights_may_differ_by_many_orders(theta, seed):
    rng = np.random.default_rng(seed)
    X, weight = rng.normal(size=(100, 2)), 10.0 ** rng.uniform(-6, 12, 100)
    model = PYPMeans(2.0, theta).fit(X, sample_weight=weight)
    history = model.objective_history_
    assert np.all(np.diff(history) <= 1e-12 * history[:-1])
    expected = objective(X, weight, model.labels_, 2.0, theta)
    assert model.objective_ == pytest.approx(expected, rel=1e-8)


def test_the_most_clusters_allowed_are_named_only_if_they_matter():
    X, _ = separated_groups(5, 20, 2, 0.1, seed=0)
    with pytest.warns(UserWarning, match="max_clusters=4 kept rows"):
        assert DPMeans(2.0, max_clusters=4).fit(X).n_clusters_ == 4
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert DPMeans(2.0, max_clusters=5).fit(X).n_clusters_ == 5


def test_a_solution_says_whether_trials_were_left_out(monkeypatch):
    X = np.random.default_rng(0).normal(size=(300, 2))

    def solution():
        with ArraySamples(X, np.ones(len(X)), 1) as samples:
            moves = SearchMoves(SizedPenalty(5.0, 0.1), 99)
            return solve(samples, samples.mean()[None, :], moves, max_iter=300)

    monkeypatch.setattr(_improving, "MOST_TRIALS", 2)
    hasty = solution()
    assert hasty.converged
    assert hasty.exhausted
    monkeypatch.setattr(_improving, "MOST_TRIALS", 10_000)
    patient = solution()
    assert patient.converged
    assert not patient.exhausted
    assert patient.history[-1] <= hasty.history[-1]


@pytest.mark.parametrize("seed", [7, 13, 26])
def test_the_cap_is_named_when_only_a_trial_shows_that_it_costs(seed):
    # no split pays at once here, but one does after its neighbours have adapted
    X = np.random.default_rng(seed).uniform(size=(40, 2))
    free = DPMeans(0.6).fit(X)
    with pytest.warns(UserWarning, match="max_clusters=3 kept rows"):
        capped = DPMeans(0.6, max_clusters=3).fit(X)
    assert free.n_clusters_ == 4
    assert free.objective_ < capped.objective_
