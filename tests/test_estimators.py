"""What users rely on: attributes, equivalences, edges and messages."""

import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from data import separated_groups
from pypmeans import DPMeans, PYPMeans
from pypmeans.datasets import make_power_law_blobs

FOUR_POINTS = [[0.0], [1.0], [8.0], [30.0]]
TEN_FAR_POINTS = [[100.0 * k] for k in range(10)]
BOTH_ALGORITHMS = pytest.mark.parametrize("algorithm", ["paper", "search"])
BOTH = pytest.mark.parametrize("estimator", [PYPMeans, DPMeans])


def blobs(seed=0, dtype=np.float64):
    X, y = separated_groups(12, 20, 3, 0.1, seed)
    return X.astype(dtype), y


def test_four_points_by_hand():
    model = DPMeans(lam=10, algorithm="paper").fit(FOUR_POINTS)
    assert_allclose(model.cluster_centers_, [[0.5], [8.0], [30.0]])
    assert_array_equal(model.labels_, [0, 0, 1, 2])
    assert_array_equal(model.cluster_sizes_, [2, 1, 1])
    assert model.inertia_ == 0.5
    assert model.objective_ == 30.5
    assert model.n_clusters_ == 3
    assert model.labels_.dtype == np.int32
    assert model.n_features_in_ == 1


def test_pass_by_pass_by_hand():
    # mean 9.75; 30 opens (410.06 > 10), then 0 (95.06); 8 stays with 9.75, 1 goes to 0
    model = DPMeans(lam=10, algorithm="paper").fit(FOUR_POINTS)
    assert_allclose(model.objective_history_, [1.75**2 + 1 + 30, 30.5, 30.5][: model.n_iter_])


def test_the_charge_falls_with_theta():
    model = PYPMeans(lam=10, theta=1, algorithm="paper").fit(FOUR_POINTS)
    assert model.objective_ == pytest.approx(0.5 + 3 * (10 - np.log(3)))
    assert (model.lam_, model.theta_) == (10.0, 1.0)


def test_theta_defaults_to_a_tenth_of_lam_in_the_paper():
    assert PYPMeans(lam=10, algorithm="paper").fit(FOUR_POINTS).theta_ == 1.0


def test_theta_defaults_to_where_lam_is_the_price_of_a_centers_parameters():
    # lam = theta (p / 2) ln W, with p = 2 features and W = 3 + 1 by weights
    model = PYPMeans(lam=10).fit([[0.0, 0.0], [5.0, 5.0]], sample_weight=[3, 1])
    assert model.theta_ == pytest.approx(10 / np.log(4))


@pytest.mark.large
def test_many_small_clusters_are_all_found():
    X, y = separated_groups(400, 3, 5, 0.01, seed=0)
    for model in (DPMeans(1.0, algorithm="paper"), PYPMeans(1.0, 0.1, algorithm="paper")):
        model.fit(X)
        assert model.n_clusters_ == 400
        assert adjusted_rand_score(y, model.labels_) == 1.0


@pytest.mark.parametrize(
    "model",
    [
        DPMeans(0.5),
        PYPMeans(0.5, 0.05),
        DPMeans(0.5, algorithm="paper"),
        PYPMeans(0.5, algorithm="paper"),
    ],
)
def test_clusters_are_numbered_by_size_then_coordinates(model):
    X = [[9.0, 9.0], [0.0, 5.0], [0.0, 4.0], [0.0, 4.0]]
    model.fit(X)
    assert_array_equal(model.cluster_sizes_, [2, 1, 1])
    assert_allclose(model.cluster_centers_, [[0, 4], [0, 5], [9, 9]])


@BOTH
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("lam", [0.05, 0.3, 2.0])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_predict_equals_labels(estimator, dtype, lam):
    X, _ = blobs(dtype=dtype)
    model = estimator(lam=lam, max_iter=3).fit(X)
    assert_array_equal(model.predict(X), model.labels_)
    assert_array_equal(model.fit_predict(X), model.labels_)


def test_float32_gives_nearly_the_float64_result():
    X, _ = blobs()
    wide, narrow = (PYPMeans(lam=0.6).fit(X.astype(dtype)) for dtype in (np.float64, np.float32))
    assert_array_equal(wide.labels_, narrow.labels_)
    assert narrow.cluster_centers_.dtype == np.float64
    assert_allclose(wide.cluster_centers_, narrow.cluster_centers_, rtol=1e-6, atol=1e-6)


@pytest.mark.large
@BOTH_ALGORITHMS
def test_the_number_of_threads_changes_no_bit(algorithm):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30_000, 3)) + 6 * rng.integers(0, 3, size=(30_000, 1))
    weight = rng.uniform(0.5, 2, len(X))
    lam, theta = (30.0, 3.0) if algorithm == "paper" else (100.0, 0.5)
    models = [
        PYPMeans(lam, theta, algorithm=algorithm, n_threads=n, max_iter=25) for n in (1, 2, 4, 1)
    ]
    for model in models:
        model.fit(X, sample_weight=weight)
    assert models[0].n_clusters_ > 3
    for model in models[1:]:
        assert model.cluster_centers_.tobytes() == models[0].cluster_centers_.tobytes()
        assert model.labels_.tobytes() == models[0].labels_.tobytes()
        assert model.objective_history_.tobytes() == models[0].objective_history_.tobytes()


def test_rows_of_weight_zero_do_not_influence_the_fit():
    X, _ = blobs()
    weight = np.ones(len(X))
    weight[::3] = 0
    far = np.vstack([X, [[1e6, 1e6, 1e6]]])
    with_zeros = PYPMeans(0.6).fit(far, sample_weight=np.append(weight, 0))
    without = PYPMeans(0.6).fit(X[weight > 0])
    assert with_zeros.cluster_centers_.tobytes() == without.cluster_centers_.tobytes()
    assert with_zeros.objective_ == without.objective_
    assert len(with_zeros.labels_) == len(far)
    assert_array_equal(with_zeros.labels_, with_zeros.predict(far))


@BOTH
def test_pickle_and_clone_round_trip(estimator):
    X, _ = blobs()
    model = estimator(lam=0.6, max_iter=7, init=X[:2]).fit(X)
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.labels_)
    copy = clone(model)
    assert not hasattr(copy, "labels_")
    assert copy.get_params()["max_iter"] == 7
    assert_array_equal(copy.fit(X).labels_, model.labels_)


def test_fitting_rewrites_no_parameter():
    X, _ = blobs()
    model = PYPMeans(lam="auto", theta=None, max_clusters=None)
    before = model.get_params()
    model.fit(X)
    assert model.get_params() == before


def test_data_frames_give_names():
    X, _ = blobs()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = PYPMeans(0.6).set_output(transform="pandas").fit(frame)
    assert_array_equal(model.feature_names_in_, ["a", "b", "c"])
    distances = model.transform(frame)
    assert list(distances.columns) == [f"pypmeans{k}" for k in range(model.n_clusters_)]
    assert_array_equal(model.get_feature_names_out(), distances.columns)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"a": "z"}))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_transform_gives_euclidean_distances(dtype):
    model = DPMeans(lam=10).fit(np.array(FOUR_POINTS, dtype=dtype))
    distances = model.transform(np.array([[2.0]], dtype=dtype))
    assert_allclose(distances, [[1.5, 6.0, 28.0]])
    assert distances.dtype == dtype


def test_score_is_minus_the_objective():
    X, _ = blobs()
    weight = np.random.default_rng(0).uniform(0.5, 2, len(X))
    model = PYPMeans(0.6).fit(X, sample_weight=weight)
    assert model.score(X, sample_weight=weight) == pytest.approx(-model.objective_)


def test_is_novel_weighs_founding_against_joining():
    # one cluster {0, 0, 0}: joining at x costs 3/4 x², founding costs lam = 3, so novel past 2
    model = DPMeans(lam=3.0).fit([[0.0], [0.0], [0.0]])
    assert_array_equal(model.is_novel([[1.99], [2.01], [-2.01]]), [False, True, True])
    # with theta the second cluster is cheaper: 3 - 2 ln 2 * 1 = 1.6137 = 3/4 * 1.4668²
    model = PYPMeans(lam=3.0, theta=1.0, algorithm="paper").fit([[0.0], [0.0], [0.0]])
    assert_array_equal(model.is_novel([[1.46], [1.47]]), [False, True])
    # with sizes joining is cheaper: 3 + 4 ln 4 - 3 ln 3 = 5.2493 = 3/4 * 2.6456²
    model = PYPMeans(lam=3.0, theta=1.0).fit([[0.0], [0.0], [0.0]])
    assert_array_equal(model.is_novel([[2.64], [2.65]]), [False, True])


@pytest.mark.parametrize(("algorithm", "most"), [("paper", 3), ("search", 8)])
def test_is_novel_is_false_where_no_cluster_may_follow(algorithm, most):
    with pytest.warns(UserWarning, match=f"no more than {most} clusters"):
        model = PYPMeans(lam=8, theta=4, algorithm=algorithm).fit(TEN_FAR_POINTS)
    assert not model.is_novel([[1e4]]).any()


def test_random_starts_follow_the_seed():
    X = np.random.default_rng(0).normal(size=(300, 2))
    model = PYPMeans(2.0, algorithm="paper", init="random")
    runs = [clone(model).set_params(random_state=seed).fit(X) for seed in (0, 0, 1, 2, 3)]
    assert_array_equal(runs[0].labels_, runs[1].labels_)
    assert len({run.objective_ for run in runs}) > 1


def test_a_random_start_ends_in_means():
    model = DPMeans(1e6, init="random", random_state=0)
    with pytest.warns(UserWarning, match="Only one cluster"):
        model.fit(FOUR_POINTS)
    assert_allclose(model.cluster_centers_, [[9.75]])


def test_given_centers_are_used_and_kept():
    start = np.array([[8.0], [30.0], [8.0], [500.0]])
    kept = start.copy()
    model = DPMeans(lam=10, init=start).fit(FOUR_POINTS)
    assert_array_equal(start, kept)
    assert_allclose(model.cluster_centers_, [[0.5], [8.0], [30.0]])


def test_works_in_a_pipeline():
    X, y = blobs()
    labels = make_pipeline(MinMaxScaler(), PYPMeans()).fit_predict(X * [1, 1000, 1])
    assert adjusted_rand_score(y, labels) == 1.0


def test_verbose_prints_a_line_per_pass(capsys):
    model = PYPMeans(0.6).fit(blobs()[0])
    assert capsys.readouterr().out == ""
    model.set_params(verbose=1).fit(blobs()[0])
    assert len(capsys.readouterr().out.splitlines()) == model.n_iter_


# Edges: right answers


@BOTH
@pytest.mark.parametrize("lam", ["auto", 1.0])
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "X", [[[3.0, 4.0]], [[3.0, 4.0]] * 2, [[7.0]] * 50], ids=["one row", "two equal", "all equal"]
)
def test_equal_rows_are_one_cluster(estimator, lam, X):
    model = estimator(lam=lam).fit(X)
    assert model.n_clusters_ == 1
    assert_array_equal(model.cluster_centers_[0], X[0])
    assert model.inertia_ == 0


def test_one_column_and_constant_columns():
    X = np.array([[0.0, 5, 5], [0.1, 5, 5], [9.0, 5, 5], [9.1, 5, 5]])
    for columns in (slice(0, 1), slice(None)):
        assert_array_equal(PYPMeans(1.0).fit(X[:, columns]).labels_, [0, 0, 1, 1])


def test_duplicates_stay_together():
    X = np.repeat([[0.0], [1.0], [5.0]], 10, axis=0)
    assert_array_equal(PYPMeans().fit(X).cluster_sizes_, [10, 10, 10])


def test_integers_booleans_and_lists_are_welcome():
    assert PYPMeans(lam=1).fit(np.array([[0], [1], [9]], dtype=np.uint8)).n_clusters_ == 2
    assert DPMeans(lam=0.1).fit([[True], [False]] * 3).n_clusters_ == 2


@pytest.mark.parametrize("offset", [0.0, 1e6, -1e9])
def test_an_offset_costs_no_clusters(offset):
    X, y = blobs()
    model = PYPMeans(0.6).fit(X + offset)
    assert adjusted_rand_score(y, model.labels_) == 1.0


# Doubtful results: warnings


def test_one_cluster_warns():
    with pytest.warns(UserWarning, match=r"Only one cluster.*lam=1e\+06.*Give a smaller lam"):
        PYPMeans(lam=1e6).fit(FOUR_POINTS)


@BOTH_ALGORITHMS
def test_every_row_alone_warns(algorithm):
    with pytest.warns(UserWarning, match=r"Each of the 4 rows.*lam=0\.01.*Raise lam"):
        PYPMeans(lam=0.01, theta=0.001, algorithm=algorithm).fit(FOUR_POINTS)


@pytest.mark.parametrize(("algorithm", "most"), [("paper", 3), ("search", 8)])
def test_the_limit_warns_and_names_both_parameters(algorithm, most):
    message = rf"theta=4 is too large for lam=8: no more than {most}"
    with pytest.warns(UserWarning, match=message) as seen:
        model = PYPMeans(lam=8, theta=4, algorithm=algorithm).fit(TEN_FAR_POINTS)
    assert model.n_clusters_ == most
    assert seen[0].filename == __file__  # the caller's line, not ours


def test_a_theta_that_allows_no_second_cluster_warns():
    # in the paper the second cluster costs lam - theta 2 ln 2, by search always lam
    with pytest.warns(UserWarning, match=r"theta=8 is too large for lam=8: no more than 1 "):
        model = PYPMeans(lam=8, theta=8, algorithm="paper").fit(FOUR_POINTS)
    assert model.n_clusters_ == 1


@BOTH_ALGORITHMS
def test_max_clusters_warns(algorithm):
    model = PYPMeans(lam=1, theta=0.1, max_clusters=2, algorithm=algorithm)
    with pytest.warns(UserWarning, match=r"max_clusters=2 kept rows"):
        assert model.fit(FOUR_POINTS).n_clusters_ == 2


@BOTH_ALGORITHMS
@pytest.mark.parametrize("max_iter", [1, 2, 3])
def test_max_iter_warns_and_gives_a_usable_result(algorithm, max_iter):
    X = np.random.default_rng(0).normal(size=(200, 2))
    with pytest.warns(ConvergenceWarning, match=f"max_iter={max_iter} was reached"):
        model = PYPMeans(1.0, 0.1, max_iter=max_iter, algorithm=algorithm).fit(X)
    assert model.n_iter_ == max_iter
    assert_array_equal(model.predict(X), model.labels_)
    assert_array_equal(np.bincount(model.labels_), model.cluster_sizes_)


# Wrong input: errors that name the parameter


@BOTH
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"lam": 0}, r"'lam' parameter .* Got 0"),
        ({"lam": -1.0}, r"'lam' parameter .* Got -1.0"),
        ({"lam": np.nan}, r"'lam' parameter .* Got nan"),
        ({"lam": np.inf}, r"'lam' parameter .* Got inf"),
        ({"lam": "large"}, r"'lam' parameter .* Got 'large'"),
        ({"algorithm": "newspaper"}, r"'algorithm' parameter .* Got 'newspaper'"),
        ({"init": "k-means++"}, r"'init' parameter .* Got 'k-means\+\+'"),
        ({"init": [[1.0, 2.0]]}, r"init has 2 columns, but X has 1 features"),
        ({"init": [[np.nan]]}, r"init contains NaN"),
        ({"init": [[0.0], [1.0]], "max_clusters": 1}, r"init has 2 centers, but no more than 1"),
        ({"max_iter": 0}, r"'max_iter' parameter .* Got 0"),
        ({"max_clusters": 0}, r"'max_clusters' parameter .* Got 0"),
        ({"max_clusters": 2.5}, r"'max_clusters' parameter .* Got 2.5"),
        ({"n_threads": 0}, r"'n_threads' parameter .* Got 0"),
        ({"random_state": "seven"}, r"'random_state' parameter .* Got 'seven'"),
    ],
)
def test_bad_parameters_are_named(estimator, parameters, message):
    with pytest.raises(ValueError, match=message):
        estimator(**parameters).fit(FOUR_POINTS)


def test_negative_theta_is_named():
    with pytest.raises(ValueError, match=r"'theta' parameter .* Got -0.1"):
        PYPMeans(1.0, -0.1).fit(FOUR_POINTS)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[np.nan], [1.0]], "X contains NaN"),
        ([[np.inf], [1.0]], "X contains infinity"),
        ([1.0, 2.0], "Expected 2D array"),
        ([["a"], ["b"]], "could not convert string"),
        (np.empty((0, 2)), "0 sample"),
        (np.empty((3, 0)), "0 feature"),
        ([[1e200], [-1e200]], r"X spans 2e\+200 in column 0: squared distances overflow"),
    ],
)
def test_bad_rows_are_refused(X, message):
    with pytest.raises(ValueError, match=message):
        PYPMeans(1.0).fit(X)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, 1, -2, 1], r"sample_weight must not be negative; got -2.0 for row 2"),
        ([0, 0, 0, 0], r"sample_weight is zero for all 4 rows"),
        ([1, 1, np.nan, 1], r"sample_weight contains NaN"),
        ([1, 1, np.inf, 1], r"sample_weight contains infinity"),
        ([1, 1, 1], r"inconsistent numbers of samples: \[3, 4\]"),
        ([[1, 1], [1, 1]], r"sample_weight must be 1-dimensional; got shape \(2, 2\)"),
        (["a", "b", "c", "d"], r"could not convert string"),
    ],
)
def test_bad_weights_are_refused(weight, message):
    with pytest.raises(ValueError, match=message):
        PYPMeans(1.0).fit(FOUR_POINTS, sample_weight=weight)


@pytest.mark.parametrize("method", ["predict", "transform", "score", "is_novel"])
def test_using_a_model_wrongly(method):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(PYPMeans(), method)(FOUR_POINTS)
    model = PYPMeans(10).fit(FOUR_POINTS)
    with pytest.raises(ValueError, match="X has 2 features, but PYPMeans is expecting 1"):
        getattr(model, method)([[1.0, 2.0]])


# Extremes


@pytest.mark.parametrize("n_features", [3, 30])
@pytest.mark.parametrize("value", [1e9, 1e15, 1e18])
def test_an_outlier_does_no_harm_wherever_it_stands(n_features, value):
    X, _ = separated_groups(6, 30, 3, 0.05, seed=0)
    X = np.pad(X, ((0, 0), (0, n_features - 3)))
    models = [PYPMeans(0.5).fit(np.insert(X, row, value, axis=0)) for row in (0, 100)]
    for model in models:
        assert model.n_clusters_ == 7
        assert np.all(np.diff(model.objective_history_) <= 1e-12 * model.objective_history_[:-1])
    assert models[0].objective_ == pytest.approx(models[1].objective_, rel=1e-12)


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_rows_near_the_end_of_the_range_of_floats():
    near_the_end = 1.5e308
    step = 1e-10 * near_the_end  # squares of differences overflow, unless the rows are equal
    assert PYPMeans().fit([[near_the_end]] * 5).cluster_centers_ == near_the_end
    with pytest.raises(ValueError, match="squared distances overflow"):
        PYPMeans().fit([[near_the_end], [near_the_end - step]])


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("scale", [1e-150, 1e-100, 1e100, 1e150])
def test_auto_works_at_any_scale(scale):
    X, _ = blobs()
    assert PYPMeans().fit(X * scale).n_clusters_ == 12


def test_rows_whose_squared_distances_vanish_are_refused():
    with pytest.raises(ValueError, match=r"X spans .*e-299 in column 0: squared distances vanish"):
        PYPMeans().fit(np.array(FOUR_POINTS) * 1e-300)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("weight", [1e20, 1e250])
def test_heavy_rows_are_clustered_like_any(weight):
    X, _ = blobs()
    model = PYPMeans(0.6, 0.06).fit(X, sample_weight=np.full(len(X), weight))
    assert_array_equal(model.labels_, PYPMeans(0.6, 0.06).fit(X).labels_)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("weight", [1e-250, 1e-20])
def test_rows_of_next_to_no_weight_are_one_cluster(weight):
    X, _ = blobs()
    with pytest.warns(UserWarning, match="Only one cluster was found"):
        model = PYPMeans(0.6, 0.06).fit(X, sample_weight=np.full(len(X), weight))
    assert model.n_clusters_ == 1


@pytest.mark.parametrize("weight", [1e305, 1e308])
def test_weights_that_overflow_are_refused(weight):
    with pytest.raises(ValueError, match=r"sample_weight is too large, up to 1e\+30[58]"):
        PYPMeans(1.0).fit(np.array(FOUR_POINTS) * 1e3, sample_weight=np.full(4, weight))


def test_centers_and_new_rows_out_of_range_are_refused():
    with pytest.raises(ValueError, match=r"init, together with X, spans 1e\+200 in column 0"):
        PYPMeans(10.0, init=[[1e200], [0.0]]).fit(FOUR_POINTS)
    model = PYPMeans(10.0).fit(FOUR_POINTS)
    for use in (model.predict, model.transform, model.score, model.is_novel):
        with pytest.raises(ValueError, match=r"X spans 1e\+200 in column 0"):
            use([[1e200]])


def test_light_rows_get_a_warning_of_their_own():
    X = [[0.0], [1.0], [20.0], [21.0]]
    with pytest.warns(UserWarning, match=r"weights from 0\.001, no group .* scale sample_weight"):
        PYPMeans(50.0).fit(X, sample_weight=np.full(4, 0.001))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_cap_is_named_even_if_clusters_merge_afterwards():
    X = np.random.default_rng(0).normal(size=(100, 2))
    with pytest.warns(UserWarning, match="max_clusters=4 kept rows"):
        model = DPMeans(3.0, algorithm="paper", max_clusters=4, max_iter=1).fit(X)
    assert model.n_clusters_ <= 4


@pytest.mark.large
@pytest.mark.parametrize("algorithm", ["paper", "search"])
def test_a_tolerance_saves_passes_and_costs_next_to_nothing(algorithm):
    X, _ = make_power_law_blobs(4000, n_clusters=20, separation=3.5, random_state=3)
    lam = 25.0 if algorithm == "paper" else 60.0
    exact = PYPMeans(lam, algorithm=algorithm, max_iter=1000).fit(X)
    rough = PYPMeans(lam, algorithm=algorithm, max_iter=1000, tol=1e-3).fit(X)
    assert rough.n_iter_ < exact.n_iter_
    assert rough.objective_ < 1.02 * exact.objective_
    assert np.all(np.diff(rough.objective_history_) <= 1e-12 * rough.objective_)
    assert_array_equal(rough.predict(X), rough.labels_)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("level", [0.002, 0.05])
def test_rows_that_differ_in_their_last_digits_end_where_rounding_begins(seed, level):
    # floats near 1e15 are an eighth apart, so means of such rows are not floats
    X = 1e15 + np.random.default_rng(seed).integers(0, 40, size=(45, 2)).astype(float)
    model = DPMeans(level * 3200).fit(X)
    assert model.n_iter_ < model.max_iter
    assert np.all(np.diff(model.objective_history_) <= 1e-12 * model.objective_)
    assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize("weight", [1e4, 1e-3, 0.7, 3.0])
def test_the_mean_of_equal_rows_is_that_row_whatever_it_weighs(weight):
    X = np.array([[1.00231233e18, -1e-95], [1.00231233e18, -1e-95]])
    model = PYPMeans(1e-12, algorithm="paper").fit(X, sample_weight=[weight, weight])
    assert_array_equal(model.cluster_centers_, X[:1])
    assert model.n_iter_ < 5
