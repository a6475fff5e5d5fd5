"""Pictures: the numbers they show, and that axes come back."""

import subprocess
import sys
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError

from pypmeans import DPMeans, PYPMeans, PYPSpectralClustering, radius_profile, scale_path
from pypmeans._figures import (
    COLORS,
    look_of,
    map_of,
    path_points,
    rank_size_points,
    round_numbers,
    rows_to_show,
    spectrum_points,
    threshold_points,
)
from pypmeans.datasets import load_demo
from pypmeans.metrics import power_law_alpha
from pypmeans.plotting import (
    plot_clusters,
    plot_objective,
    plot_path,
    plot_rank_size,
    plot_spectrum,
    plot_threshold,
)

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402

TWO_STRINGS = np.array([[x + shift] for shift in (0.0, 100.0) for x in range(15)])
DEMO = load_demo().data[::3]  # 16 groups of 3 to 228 rows


@pytest.fixture(autouse=True)
def _no_figures_left():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def model():
    return PYPMeans().fit(DEMO)


def all_pictures(model, X):
    return {
        "threshold": lambda ax: plot_threshold(model, X, ax=ax),
        "rank_size": lambda ax: plot_rank_size(model, ax=ax),
        "objective": lambda ax: plot_objective(model, ax=ax),
        "clusters": lambda ax: plot_clusters(model, X, ax=ax),
    }


# The threshold


def test_the_paper_opens_until_its_profile_meets_the_line():
    paper = PYPMeans(lam=0.04, algorithm="paper").fit(DEMO)
    points = threshold_points(paper, DEMO)
    gain, price, crossing = points["gain"], points["price"], points["crossing"]
    assert_allclose(gain, radius_profile(DEMO, len(gain)))
    assert_allclose(price, 0.04 - 0.004 * np.log(points["count"]))
    assert (gain[: crossing - 1] > price[: crossing - 1]).all()
    assert gain[crossing - 1] <= price[crossing - 1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first_pass = PYPMeans(lam=0.04, algorithm="paper", max_iter=1, max_clusters=crossing)
        assert first_pass.fit(DEMO).n_clusters_ <= crossing


def test_what_a_cluster_saves_is_what_the_objective_says():
    # Centers 0 and 10 of 2 rows each, by hand: 100 * 2 * 2 / 4 - theta * 4 ln 2 between them.
    X = [[-1.0], [1.0], [9.0], [11.0]]
    pair = PYPMeans(lam=20, theta=2).fit(X)
    points = threshold_points(pair)
    assert_allclose(points["gain"], [100 - 2 * 4 * np.log(2)])
    assert_allclose(points["price"], [20])
    single = PYPMeans(lam=1000, theta=2)
    with pytest.warns(UserWarning, match="Only one cluster"):
        single.fit(X)
    inertia_of_one, inertia_of_two = 104, 4
    assert_allclose(single.objective_ - 1000, inertia_of_one)
    assert_allclose(pair.objective_ - 2 * 20, inertia_of_two + 2 * 4 * np.log(2))


def test_every_cluster_of_the_search_is_worth_its_price(model):
    points = threshold_points(model)
    assert len(points["gain"]) == model.n_clusters_ - 1
    assert (points["gain"] > points["price"]).all()
    assert points["crossing"] is None


def test_the_threshold_of_the_paper_needs_the_rows():
    paper = PYPMeans(lam=0.04, algorithm="paper").fit(DEMO)
    with pytest.raises(ValueError, match=r'X is needed .*algorithm="paper"'):
        plot_threshold(paper)


@pytest.mark.parametrize("algorithm", ["paper", "search"])
def test_the_axes_show_gain_and_price(algorithm):
    fitted = DPMeans(lam=0.05, algorithm=algorithm).fit(DEMO)
    points = threshold_points(fitted, DEMO)
    ax = plot_threshold(fitted, DEMO)
    gain, price = ax.get_lines()[:2]
    assert_allclose(gain.get_ydata(), points["gain"])
    assert_allclose(price.get_ydata(), 0.05)
    assert ax.get_title() == f"{fitted.n_clusters_} clusters"


# The path


def test_the_chosen_entry_of_the_path_is_marked(model):
    ax = plot_path(model)
    points = path_points(model.path_)
    assert model.path_[points["chosen"]] is model.path_.best
    assert_array_equal(ax.get_lines()[0].get_ydata(), [e.n_clusters for e in model.path_])
    (score,) = ax.child_axes
    assert_allclose(score.get_lines()[0].get_ydata(), [e.score for e in model.path_])
    assert score.get_lines()[1].get_ydata()[0] == max(e.score for e in model.path_)
    assert ax.get_lines()[2].get_xdata()[0] == model.path_.best.scale
    assert ax.xaxis_inverted()


def test_a_path_may_be_given_itself():
    path = scale_path(TWO_STRINGS)
    assert "highest score" in plot_path(path).get_title()


def test_a_model_without_a_path_says_how_to_get_one():
    with pytest.raises(ValueError, match="Fit it with lam='auto'"):
        plot_path(PYPMeans(lam=0.05).fit(DEMO))


# Sizes


def test_the_fitted_tail_of_a_perfect_power_law_is_straight():
    sizes = np.floor(10_000 * np.arange(1, 201) ** -0.8)
    points = rank_size_points(sizes[::-1])
    assert_allclose(points["size"], sizes)
    n_tail = len(points["fitted"])
    slope = np.diff(np.log(points["fitted"])) / np.diff(np.log(points["rank"][:n_tail]))
    assert_allclose(slope, -1 / (points["alpha"] - 1))
    assert_allclose(slope[0], -0.8, atol=0.1)
    assert points["fitted"][-1] == points["x_min"]


@pytest.mark.parametrize("missing", [True, False])
def test_without_powerlaw_or_whole_sizes_all_sizes_are_the_tail(monkeypatch, missing):
    sizes = 1000 * np.arange(1, 201) ** -0.8
    if missing:
        monkeypatch.setitem(sys.modules, "powerlaw", None)
        sizes = np.ceil(sizes)
    points = rank_size_points(sizes)
    assert points["alpha"] == power_law_alpha(sizes)
    assert len(points["fitted"]) == 200
    assert points["x_min"] == sizes[-1]


def test_few_different_sizes_have_no_tail():
    points = rank_size_points([5, 5, 5, 4, 3])
    assert np.isnan(points["alpha"])
    assert len(plot_rank_size([5, 5, 5, 4, 3]).get_lines()) == 1
    assert len(plot_rank_size([50, 20, 9, 5, 3]).get_lines()) == 2


# The map


def test_every_cluster_is_on_the_map_and_small_ones_whole():
    labels = np.repeat(np.arange(40), [50_000, *np.arange(39) + 1])
    shown = rows_to_show([labels], 2000)
    assert len(shown) == 2000
    assert (np.diff(shown) > 0).all()
    count = np.bincount(labels[shown])
    assert_array_equal(count[1:], np.arange(39) + 1)
    assert count[0] == 2000 - count[1:].sum()


def test_all_labellings_have_their_clusters_on_the_map():
    n = 5000
    coarse, fine = np.arange(n) // 1000, np.arange(n) // 10
    shown = rows_to_show([coarse, fine], 600)
    assert len(np.unique(fine[shown])) == 500
    assert len(np.unique(coarse[shown])) == 5


def test_more_clusters_than_points_are_shown_once_each():
    labels = np.repeat(np.arange(300), 3)
    shown = rows_to_show([labels], 100)
    assert_array_equal(labels[shown], np.arange(300))


def test_two_columns_by_name_or_number():
    X = np.arange(12.0).reshape(4, 3)
    by_name = map_of(X, ("b", "a"), ["a", "b", "c"])
    assert_array_equal(by_name.points, X[:, [1, 0]])
    assert by_name.names == ("b", "a")
    assert_array_equal(map_of(X, (0, -1)).points, X[:, [0, 2]])
    with pytest.raises(ValueError, match="columns has 'd', but X has 3 features: 'a', 'b', 'c'"):
        map_of(X, ("a", "d"), ["a", "b", "c"])
    with pytest.raises(ValueError, match="columns must be two"):
        map_of(X, "ab")
    with pytest.raises(ValueError, match="feature_names has 1 names, but X has 3"):
        map_of(X, None, ["a"])


def test_components_have_the_most_variance_first():
    X = np.random.default_rng(0).normal(size=(200, 4)) * [1, 9, 3, 2]
    placed = map_of(X)
    assert placed.by == "components"
    assert_allclose(np.abs(np.corrcoef(placed.points[:, 0], X[:, 1])[0, 1]), 1, atol=0.01)
    assert "component 1 (8" in placed.names[0]


def test_looks_differ_for_36_clusters_and_the_largest_by_colour_alone():
    assert len({look_of(k) for k in range(36)}) == 36
    assert {look_of(k).color for k in range(6)} == set(COLORS)
    assert {look_of(k).shape for k in range(6)} == {0}
    assert look_of(36) == look_of(0)


def test_the_map_shows_each_row_in_the_look_of_its_cluster(model):
    ax = plot_clusters(model, DEMO)
    assert sum(len(c.get_offsets()) for c in ax.collections) == len(DEMO)
    discs = ax.collections[0]
    largest = matplotlib.colors.to_rgba(look_of(0).color)
    assert np.all(discs.get_facecolors() == largest, axis=1).sum() == model.cluster_sizes_[0]
    assert ax.get_legend().get_texts()[0].get_text() == "0: 228 rows"
    assert ax.get_legend().get_texts()[-1].get_text() == "6 more: 34 rows"


def test_labels_of_the_wrong_length_are_refused():
    with pytest.raises(ValueError, match="3 labels were given for 500 rows"):
        plot_clusters([0, 1, 2], DEMO)


def test_labels_of_noise_are_refused():
    with pytest.raises(ValueError, match="from 0 on; got -1"):
        plot_clusters([0, -1], np.eye(2))


def test_names_are_not_typeset():
    ax = plot_clusters([0, 1], np.eye(2), feature_names=["$x$", "y"])
    ax.figure.canvas.draw()
    assert ax.get_xlabel() == r"\$x\$"


# All of them


@pytest.mark.filterwarnings("ignore:Only one cluster")
@pytest.mark.filterwarnings("ignore:Each of the")
@pytest.mark.parametrize(
    "X", [[[1.0]], [[1.0], [2.0]], np.ones((3, 4)), np.eye(5)], ids=["row", "two", "equal", "eye"]
)
@pytest.mark.parametrize(("algorithm", "lam"), [("paper", 1e-3), ("search", 1e3)])
def test_small_data_can_be_drawn(X, lam, algorithm):
    fitted = PYPMeans(lam, lam / 20, algorithm=algorithm).fit(X)
    figure, axes = plt.subplots(2, 2)
    for ax, draw in zip(axes.flat, all_pictures(fitted, X).values(), strict=True):
        draw(ax)
    figure.canvas.draw()


@pytest.mark.parametrize("name", ["threshold", "rank_size", "objective", "clusters"])
def test_given_axes_are_used_and_nothing_else(model, name):
    figure, (left, right) = plt.subplots(1, 2)
    assert all_pictures(model, DEMO)[name](right) is right
    assert not left.has_data()
    assert plt.get_fignums() == [figure.number]


@pytest.mark.parametrize("draw", [plot_threshold, plot_objective, plot_path])
def test_a_model_not_fitted_is_refused(draw):
    with pytest.raises(NotFittedError):
        draw(PYPMeans())


def test_the_objective_is_drawn_pass_by_pass(model):
    assert_array_equal(plot_objective(model).get_lines()[0].get_ydata(), model.objective_history_)


@pytest.mark.parametrize(("low", "high"), [(1, 1), (1, 9), (0.02, 0.9), (1, 1e6), (3, 4)])
def test_ticks_are_few_and_inside(low, high):
    ticks = round_numbers(low, high)
    assert 1 <= len(ticks) <= 8
    assert ticks.min() >= low * 0.99
    assert ticks.max() <= high * 1.01


# The spectrum


def test_the_line_is_above_the_rest_and_below_the_clusters():
    model = PYPSpectralClustering().fit(TWO_STRINGS)
    points = spectrum_points(model)
    assert model.n_clusters_ == 2
    assert (points["eigenvalue"] > points["line"]).tolist()[:3] == [True, True, False]
    assert_allclose(points["line"], model.lam_ - model.theta_ * np.log(points["count"]))


def test_the_axes_show_those_points():
    model = PYPSpectralClustering(lam=0.5, theta=0.1).fit(TWO_STRINGS)
    ax = plot_spectrum(model)
    points = spectrum_points(model)
    kept, rest, line = ax.get_lines()[:3]
    assert_allclose(kept.get_ydata(), points["eigenvalue"][: model.n_clusters_])
    assert_allclose(rest.get_ydata(), points["eigenvalue"][model.n_clusters_ :])
    assert_allclose(line.get_ydata(), points["line"])
    assert ax.get_title() == f"{model.n_clusters_} clusters"


def test_a_spectrum_is_drawn_into_given_axes():
    _, (left, right) = plt.subplots(1, 2)
    assert plot_spectrum(PYPSpectralClustering().fit(TWO_STRINGS), ax=right) is right
    assert not left.get_lines()


@pytest.mark.filterwarnings("ignore:Only one cluster")
def test_one_cluster_of_one_row():
    assert plot_spectrum(PYPSpectralClustering().fit([[1.0]])).get_title() == "1 cluster"


def test_a_spectral_model_not_fitted_is_refused():
    with pytest.raises(NotFittedError):
        plot_spectrum(PYPSpectralClustering())


# The package


def test_matplotlib_is_loaded_only_to_draw():
    code = "import sys, pypmeans.plotting; print('matplotlib' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def test_missing_matplotlib_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(
        ImportError, match=r'plot_spectrum requires matplotlib: .*"pypmeans\[plot\]'
    ):
        plot_spectrum(PYPSpectralClustering().fit(TWO_STRINGS))
