"""Fitted models in notebooks."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn import config_context
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from pypmeans import DPMeans, PYPMeans, PYPSpectralClustering
from pypmeans._glance import glance

X = np.array([[0.0, 0], [0, 1], [1, 0], [9, 9], [9, 8], [20, 0]])
MODELS = [PYPMeans(lam=10, theta=1), DPMeans(lam=10), PYPSpectralClustering(n_neighbors=2)]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_a_fitted_model_shows_its_figures_once_beside_the_diagram(model):
    fitted = type(model)(**model.get_params()).fit(X)
    for page in (fitted._repr_html_(), fitted._repr_mimebundle_()["text/html"]):
        assert page.count("pypmeans-glance") == 1
        assert "sk-top-container" in page
        assert glance(fitted) in page
    assert fitted._repr_mimebundle_()["text/plain"] == repr(fitted)


def test_the_figures_are_those_of_the_model():
    fitted = PYPMeans(lam=10, theta=1).fit(X)
    figures = re.findall(r">([^<>]+)<br><small[^>]*>([^<]+)<", glance(fitted))
    objective = f"{fitted.objective_:,.4g}"
    assert figures == [
        ("3", "clusters"), ("3", "largest"), ("1", "smallest"), ("10", "λ"), ("1", "θ"),
        (objective, "objective"),
    ]  # fmt: skip
    heights = [int(height) for height in re.findall(r'height="(\d+)"/>', glance(fitted))]
    assert heights == [44, 35, 22]  # ln 4, ln 3 and ln 2 of the tallest


def test_an_unfitted_model_shows_none():
    assert "pypmeans-glance" not in PYPMeans()._repr_html_()


def test_text_stays_text():
    with config_context(display="text"):
        fitted = PYPMeans(lam=10, theta=1).fit(X)
        assert not hasattr(fitted, "_repr_html_")
        assert set(fitted._repr_mimebundle_()) == {"text/plain"}


def test_a_pipeline_keeps_its_diagram():
    pipeline = make_pipeline(MinMaxScaler(), DPMeans(lam=0.1)).fit(X)
    assert "sk-top-container" in pipeline._repr_html_()


def test_many_clusters_have_few_bars():
    figures = glance(SimpleNamespace(cluster_sizes_=np.arange(3000, 0, -1)))
    assert figures.count("<rect") == 80
    assert "3,000" in figures
