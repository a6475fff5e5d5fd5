"""The report: what it says, that it is one safe page, and that files are whole."""

import gzip
import hashlib
import html
import json
import re
import sys
import warnings
from importlib.resources import files
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pypmeans import DPMeans, PYPMeans, PYPSpectralClustering, _path
from pypmeans._describe import describe
from pypmeans._reporting import looks_along, partitions_of, summarize
from pypmeans.datasets import load_demo
from pypmeans.report import ClusteringReport, render, script_safe

pytest.importorskip("jinja2")
DEMO = load_demo().data[::3]  # 16 groups of 3 to 228 rows


@pytest.fixture(scope="module")
def model():
    return PYPMeans().fit(DEMO)


@pytest.fixture(scope="module")
def summary(model):
    return summarize(model, DEMO)


def chosen(summary):
    return summary["stops"][summary["chosen"]]


# What it says


def test_the_slider_stands_at_the_clusters_of_the_model(model, summary):
    stop = chosen(summary)
    assert stop["chosen"]
    assert sum(each["chosen"] for each in summary["stops"]) == 1
    assert stop["n_clusters"] == model.n_clusters_
    assert stop["sizes"] == model.cluster_sizes_.tolist()
    rows = np.array(summary["map"]["ids"])
    assert_array_equal(stop["labels"], model.labels_[rows])
    assert_array_equal(np.sort(rows), np.arange(len(DEMO)))


def test_stops_are_the_different_solutions_of_the_path(model, summary):
    stops = summary["stops"]
    assert stops[0]["n_clusters"] == 1
    assert {stop["n_clusters"] for stop in stops} == {entry.n_clusters for entry in model.path_}
    assert all(a["labels"] != b["labels"] for a, b in pairwise(stops))
    assert all(sum(stop["sizes"]) == len(DEMO) for stop in stops)
    assert all(stop["sizes"] == sorted(stop["sizes"], reverse=True) for stop in stops)
    ends = np.array([stop["scales"] for stop in stops])
    assert (ends[:, 0] >= ends[:, 1]).all()
    assert (ends[:-1, 1] > ends[1:, 0]).all()


def test_the_table_says_what_describe_says(model, summary):
    about = describe(model, DEMO)
    rows = chosen(summary)["clusters"]
    assert [row["k"] for row in rows] == list(range(16))
    for row in rows:
        k = row["k"]
        assert row["size"] == about.sizes[k]
        assert row["typical"] == str(about.typical[k].id)
        assert row["remote"] == str(about.remote[k].id)
        named = [(c.feature, round(c.z, 1)) for c in about.contrasts[k] if abs(c.z) >= 0.1]
        assert [(c["feature"], c["z"]) for c in row["contrasts"]] == named


def test_profiles_are_cluster_means_in_standard_deviations(model, summary):
    profile = chosen(summary)["profile"]
    z = (model.cluster_centers_ - DEMO.mean(axis=0)) / DEMO.std(axis=0)
    assert_allclose(profile["z"], z[profile["clusters"]], atol=0.006)


def test_a_cluster_keeps_its_look_where_most_of_its_rows_are():
    fine = np.repeat([0, 1, 2], [6, 3, 2])
    coarse = np.repeat([0, 1], [6, 5])  # 1 and 2 together
    finer = np.repeat([0, 3, 1, 2], [4, 2, 3, 2])  # two rows left cluster 0
    left, own, right = looks_along([coarse, fine, finer], chosen=1)
    assert own.tolist() == [0, 1, 2]
    assert left.tolist() == [0, 1]
    assert right.tolist() == [0, 1, 2, 3]


def test_looks_are_never_shared(model):
    labelings = [partition.labels for partition in partitions_of(model, DEMO)]
    for labels, looks in zip(labelings, looks_along(labelings, 3)):
        assert len(set(looks.tolist())) == len(np.unique(labels))


def test_values_in_their_own_units_are_what_is_shown():
    frame = pd.DataFrame({"length": [1.0, 2, 101, 102], "width": [10.0, 11, 10, 11]})
    X = (frame - frame.mean()) / 100
    fitted = PYPMeans(lam=0.05, theta=0.001).fit(X)
    summary = summarize(fitted, X, values=frame, ids=list("abcd"))
    assert summary["map"]["x"] == [1.0, 2.0, 101.0, 102.0]
    assert summary["map"]["names"] == ["length", "width"]
    contrast = chosen(summary)["clusters"][0]["contrasts"][0]
    assert contrast["feature"] == "length"
    assert contrast["value"] in (1.5, 101.5)
    assert set(summary["map"]["ids"]) == set("abcd")


def test_all_figures_but_the_map_are_of_all_rows(model):
    summary = summarize(model, DEMO, max_points=200)
    assert summary["map"]["n_shown"] == 200
    assert len(chosen(summary)["labels"]) == 200
    assert set(chosen(summary)["labels"]) == set(range(16))
    assert sum(chosen(summary)["sizes"]) == 500
    assert "200 of 500 rows are shown" in render(summary)


def test_without_a_path_there_is_no_slider_and_the_page_says_so():
    summary = summarize(DPMeans(lam=0.5).fit(DEMO), DEMO)
    page = render(summary)
    assert len(summary["stops"]) == 1
    assert summary["path"] is None
    assert 'type="range"' not in page
    assert "There is no slider" in page


def test_the_paper_shows_its_profile_and_the_search_its_savings(summary):
    paper = PYPMeans(lam=0.04, algorithm="paper").fit(DEMO)
    assert chosen(summarize(paper, DEMO))["threshold"]["kind"] == "paper"
    threshold = chosen(summary)["threshold"]
    assert threshold["kind"] == "search"
    assert len(threshold["gain"]) == 15


def test_spectral_models_show_their_spectrum():
    X = np.array([[x + shift] for shift in (0.0, 100.0) for x in range(15)])
    spectral = PYPSpectralClustering().fit(X)
    threshold = chosen(summarize(spectral, X))["threshold"]
    assert threshold["kind"] == "spectrum"
    assert_allclose(threshold["gain"], spectral.eigenvalues_[:12], rtol=1e-4)
    render(summarize(spectral, X))


def test_affinities_are_no_rows():
    affinity = np.kron(np.eye(2), np.ones((3, 3)))
    spectral = PYPSpectralClustering(lam=0.5, affinity="precomputed").fit(affinity)
    with pytest.raises(ValueError, match='affinity="precomputed"'):
        summarize(spectral, affinity)


@pytest.mark.filterwarnings("ignore:Only one cluster")
@pytest.mark.filterwarnings("ignore:Each of the")
@pytest.mark.parametrize("lam", ["auto", 1e-3, 1e6])
@pytest.mark.parametrize(
    "X", [[[1.0]], [[1.0], [2.0]], np.ones((3, 4)), np.eye(5)], ids=["row", "two", "equal", "eye"]
)
def test_small_data_have_a_report(X, lam):
    summary = summarize(PYPMeans(lam).fit(X), X)
    assert sum(chosen(summary)["sizes"]) == len(X)
    assert "</html>" in render(summary)


@pytest.mark.large
def test_two_thousand_clusters():
    X = np.repeat(np.stack(np.divmod(np.arange(2000.0), 50), axis=1), 3, axis=0)[:-2]
    fitted = DPMeans(lam=0.1, algorithm="paper").fit(X)
    summary = summarize(fitted, X, max_points=1000)
    stop = chosen(summary)
    assert stop["n_clusters"] == 2000
    assert [row["k"] for row in stop["clusters"]] == [*range(100), *range(1950, 2000)]
    assert len(set(stop["labels"])) == 2000
    assert len(render(summary)) < 3e6


# What one should know


def test_notes_name_what_is_doubtful():
    rng = np.random.default_rng(0)
    lopsided = rng.normal(size=(50, 2)) * [1000, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = PYPMeans(lam=1e9, max_iter=1).fit(lopsided)
    notes = " ".join(summarize(fitted, lopsided, notes=["Remember the milk."])["notes"])
    assert "only one cluster" in notes
    assert "max_iter=1" in notes
    assert "Feature 0 ('x0') has" in notes
    assert "Remember the milk." in notes


def test_a_path_on_a_sample_is_said_to_be_one(monkeypatch):
    monkeypatch.setattr(_path, "PATH_ROWS", 300)
    summary = summarize(PYPMeans().fit(DEMO), DEMO)
    assert "a sample of 300 of 500 rows" in " ".join(summary["notes"])
    assert all(sum(stop["sizes"]) == 500 for stop in summary["stops"])


def test_other_rows_than_those_of_the_fit_are_noticed(model):
    notes = " ".join(summarize(model, DEMO[:250])["notes"])
    assert "fitted with weights or to other rows" in notes
    assert "fitted with weights" not in " ".join(summarize(model, DEMO)["notes"])


def test_clusters_keep_the_numbers_of_the_model(model):
    rare = DEMO[(model.labels_ == 9) | (model.labels_ == 12) | (model.labels_ == 15)]
    X = np.vstack([rare, rare[model.predict(rare) == 15]])  # 8, 6 and twice 3 rows
    summary = summarize(model, X)
    stop = chosen(summary)
    assert stop["numbers"] == [9, 12, 15]
    assert stop["sizes"] == [8, 6, 6]
    assert "13 clusters of it have none of these rows" in " ".join(summary["notes"])
    assert_array_equal(
        np.array(stop["numbers"])[stop["labels"]], model.predict(X[summary["map"]["ids"]])
    )
    render(summary)


def test_a_stream_keeps_its_ids_and_is_shown_by_size():
    fitted = PYPMeans(lam=0.0227, theta=0.0014)
    for rows in np.array_split(DEMO, 3):
        fitted.partial_fit(rows)
    summary = summarize(fitted, DEMO)
    stop = chosen(summary)
    assert stop["sizes"] == sorted(stop["sizes"], reverse=True)
    by_id = dict(zip(fitted.cluster_ids_.tolist(), fitted.cluster_sizes_.tolist()))
    assert dict(zip(stop["numbers"], stop["sizes"])) == by_id


# What comes in


def test_ids_and_names_must_fit(model):
    with pytest.raises(ValueError, match="ids has 2 values, but X has 500 rows"):
        ClusteringReport(model, DEMO, ids=["a", "b"])
    with pytest.raises(ValueError, match="feature_names has 3 names, but X has 2"):
        ClusteringReport(model, DEMO, feature_names=list("abc"))


def test_missing_jinja2_is_named_before_any_work(monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r'ClusteringReport requires jinja2: .*"pypmeans\[report'):
        ClusteringReport(None, None)


# The page


def test_json_is_the_summary(model):
    report = ClusteringReport(model, DEMO, title="Demo")
    assert json.loads(report.json()) == report.summary
    data = re.search(
        r'<script type="application/json" id="data">(.*?)</script>', report.html(), re.DOTALL
    )[1]
    assert json.loads(data) == report.summary
    assert repr(report) == "<ClusteringReport: 16 clusters of 500 rows>"


def test_names_cannot_leave_the_page(model):
    evil = "</script><script>alert(1)</script>"
    report = ClusteringReport(
        model, DEMO, feature_names=[evil, "<b>&"], ids=[evil] * 500, title=evil, notes=[evil]
    )
    assert "alert(1)</script>" not in report.html()
    assert evil in html.unescape(report.html())
    assert "<" not in script_safe(report.summary)
    assert json.loads(script_safe(report.summary)) == report.summary


def test_nothing_is_fetched(model):
    page = ClusteringReport(model, DEMO).html()
    own = page[: page.index("plotly.js")]
    assert not re.search(r'(src|href)\s*=\s*["\']?(?!data:,|#clusters)\w', own)
    assert "default-src 'none'" in page
    assert page.count("plotly.js (basic - minified)") == 1


def test_plotly_is_the_file_the_readme_names():
    folder = files("pypmeans") / "_templates"
    script = gzip.decompress((folder / "plotly-basic.min.js.gz").read_bytes())
    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert hashlib.sha256(script).hexdigest() in readme
    assert b"</script" not in script.lower()
    version = re.search(rb"minified\) v([\d.]+)", script)[1].decode()
    assert f"plotly.js {version}" in readme


def test_a_notebook_shows_the_page_in_a_frame(model):
    report = ClusteringReport(model, DEMO)
    frame = report._repr_html_()
    assert frame.startswith("<iframe")
    assert html.unescape(re.search('srcdoc="([^"]*)"', frame)[1]) == report.html()


# The file


def test_a_file_is_written_whole_and_not_overwritten_unasked(model, tmp_path):
    report = ClusteringReport(model, DEMO)
    path = tmp_path / "report.html"
    report.write_html(path)
    assert path.read_text(encoding="utf-8") == report.html()
    path.write_text("mine")
    with pytest.raises(FileExistsError, match=r"report\.html exists"):
        report.write_html(path)
    assert path.read_text() == "mine"
    report.write_html(str(path), overwrite=True)
    assert path.read_text(encoding="utf-8") == report.html()
    assert list(tmp_path.iterdir()) == [path]


def test_a_failure_leaves_nothing_behind(model, tmp_path, monkeypatch):
    report = ClusteringReport(model, DEMO)
    monkeypatch.setattr(ClusteringReport, "html", lambda self: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        report.write_html(tmp_path / "report.html")
    assert not list(tmp_path.iterdir())
