"""Pictures: the numbers they show, and that axes come back."""

import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import NotFittedError

from pypmeans import PYPSpectralClustering
from pypmeans.plotting import plot_spectrum, spectrum_points

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402

TWO_STRINGS = np.array([[x + shift] for shift in (0.0, 100.0) for x in range(15)])


@pytest.fixture(autouse=True)
def _no_figures_left():
    yield
    plt.close("all")


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


def test_given_axes_are_used_and_nothing_else():
    _, (left, right) = plt.subplots(1, 2)
    assert plot_spectrum(PYPSpectralClustering().fit(TWO_STRINGS), ax=right) is right
    assert not left.get_lines()


@pytest.mark.filterwarnings("ignore:Only one cluster")
def test_one_cluster_of_one_row():
    assert plot_spectrum(PYPSpectralClustering().fit([[1.0]])).get_title() == "1 cluster"


def test_a_model_not_fitted_is_refused():
    with pytest.raises(NotFittedError):
        plot_spectrum(PYPSpectralClustering())


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
