"""Data in blocks: what is larger than memory gives what memory gives."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from pypmeans import DPMeans, PYPMeans, _beyond_memory
from pypmeans.datasets import make_power_law_blobs
from pypmeans.files import TableFile, write_labels

pytestmark = pytest.mark.large  # many passes over thousands of rows


@pytest.fixture(params=["together", "apart"])
def bringing(request, monkeypatch):
    """Small data are brought together; forbid it, and they are treated like large ones."""
    if request.param == "apart":
        monkeypatch.setattr(_beyond_memory, "GATHERED", 0)
    return request.param


@pytest.fixture(scope="module")
def groups():
    return shuffled(6000, n_clusters=25, n_features=3, separation=7)


def shuffled(n_samples, **settings):
    X, y = make_power_law_blobs(n_samples, random_state=0, **settings)
    order = np.random.default_rng(0).permutation(len(X))
    return X[order], y[order]


def table(folder, X, block_rows):
    path = folder / "rows.npy"
    np.save(path, X)
    return TableFile(path, block_rows=block_rows)


@pytest.mark.parametrize("block_rows", [1, 700, 6000])
@pytest.mark.parametrize(
    "settings",
    [
        {"lam": 30.0, "theta": 2.0, "algorithm": "paper"},
        {"lam": 30.0, "algorithm": "paper", "init": "given"},
        {"theta": 2.0},
        {"theta": 2.0, "init": "given"},
    ],
)
def test_blocks_of_any_size_give_the_labels_that_memory_gives(
    settings, block_rows, groups, bringing, tmp_path
):
    X, _ = groups
    X = X[: 300 if block_rows == 1 else None]
    if settings.get("init") == "given":
        settings = settings | {"init": X[:20]}
    whole = PYPMeans(**settings).fit(X)
    model = PYPMeans(**settings).fit(table(tmp_path, X, block_rows))
    assert_array_equal(model.labels_, whole.labels_)
    assert_allclose(model.objective_, whole.objective_, rtol=1e-12)
    assert_allclose(model.cluster_sizes_, whole.cluster_sizes_)


def test_a_search_of_micro_clusters_ends_where_a_search_of_rows_does(tmp_path, monkeypatch):
    monkeypatch.setattr(_beyond_memory, "GATHERED", 0)
    X, y = shuffled(40_000, n_clusters=60, n_features=4, separation=6.5)
    data = table(tmp_path, X, 9000)  # many more rows than micro-clusters
    model, whole = PYPMeans(theta=2.0).fit(data), PYPMeans(theta=2.0).fit(X)
    assert model.objective_ < 1.001 * whole.objective_
    assert adjusted_rand_score(model.labels_, y) > 0.999
    assert_array_equal(model.predict(data), model.labels_)
    assert_array_equal(model.predict(X), model.labels_)


def test_the_scale_is_found_in_a_sample_of_the_blocks(groups, bringing, tmp_path):
    X, y = groups
    model = PYPMeans().fit(table(tmp_path, X, 1000))
    assert model.n_clusters_ == 25
    assert adjusted_rand_score(model.labels_, y) > 0.999
    assert model.path_.best.n_clusters == 25


def test_weights_count_and_rows_without_weight_do_not(groups, bringing, tmp_path):
    X, _ = groups
    X, weight = X[:2000], np.random.default_rng(1).integers(0, 4, 2000).astype(float)
    for settings in ({"lam": 30.0, "algorithm": "paper"}, {"theta": 2.0}):
        model = PYPMeans(**settings).fit(table(tmp_path, X, 300), sample_weight=weight)
        whole = PYPMeans(**settings).fit(X, sample_weight=weight)
        assert_array_equal(model.labels_, whole.labels_)


def test_light_rows_found_clusters_only_if_that_pays(bringing, tmp_path):
    X, _ = shuffled(400, n_clusters=8, n_features=2, separation=6)
    weight = np.random.default_rng(2).uniform(0.05, 1.5, len(X))
    model = DPMeans(9.0, algorithm="paper").fit(table(tmp_path, X, 90), sample_weight=weight)
    whole = DPMeans(9.0, algorithm="paper").fit(X, sample_weight=weight)
    assert_array_equal(model.labels_, whole.labels_)


def test_the_objective_never_rises_over_blocks(groups, bringing, tmp_path):
    X, _ = groups
    for settings in ({"lam": 8.0, "theta": 0.5, "algorithm": "paper"}, {"lam": 30.0}):
        history = PYPMeans(**settings).fit(table(tmp_path, X, 1700)).objective_history_
        assert np.all(np.diff(history) <= 1e-12 * history[0])


def test_names_of_columns_are_kept_and_compared(tmp_path):
    (tmp_path / "a.csv").write_text("u,v\n0,0\n0,1\n9,9\n9,8\n")
    (tmp_path / "b.csv").write_text("v,u\n0,0\n0,1\n9,9\n9,8\n")
    model = DPMeans(5.0).fit(TableFile(tmp_path / "a.csv"))
    assert list(model.feature_names_in_) == ["u", "v"]
    with pytest.raises(ValueError, match="fitted to the columns u, v; this table has v, u"):
        model.predict(TableFile(tmp_path / "b.csv"))


def test_weights_that_do_not_fit_the_rows_are_refused(groups, tmp_path):
    data = table(tmp_path, groups[0], 1000)
    with pytest.raises(ValueError, match=r"sample_weight has 1007 values, .* more than 1000 rows"):
        DPMeans(5.0).fit(data, sample_weight=np.ones(1007))
    with pytest.raises(ValueError, match=r"sample_weight has 6001 values, .* are 6000 rows"):
        DPMeans(5.0).fit(data, sample_weight=np.ones(6001))


def test_labels_of_a_table_are_written_without_a_remark_on_names(tmp_path):
    (tmp_path / "a.csv").write_text("u,v\n0,0\n0,1\n9,9\n9,8\n")
    data = TableFile(tmp_path / "a.csv")
    model = DPMeans(5.0).fit(data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        write_labels(tmp_path / "labels.csv", data, model.predict)
    lines = (tmp_path / "labels.csv").read_text().split()
    assert [line.split(",")[1] for line in lines[1:]] == [str(k) for k in model.labels_]


def test_a_search_that_ran_out_of_passes_warns(groups, tmp_path):
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        PYPMeans(theta=2.0, max_iter=2).fit(table(tmp_path, groups[0], 1000))


def test_one_weight_for_all_rows_and_weights_too_large(groups, bringing, tmp_path):
    X = groups[0][:500]
    model = PYPMeans(theta=2.0).fit(table(tmp_path, X, 90), sample_weight=2.0)
    assert model.cluster_sizes_.sum() == 1000
    with pytest.raises(ValueError, match="sample_weight is too large"):
        PYPMeans(theta=2.0).fit(table(tmp_path, X, 90), sample_weight=np.full(500, 1e306))


def test_columns_without_names_stay_without(groups, tmp_path):
    model = PYPMeans(theta=2.0).fit(table(tmp_path, groups[0], 1000))
    assert not hasattr(model, "feature_names_in_")


def test_a_table_gets_from_a_fitted_model_what_its_rows_get(groups, tmp_path):
    X, _ = groups
    weight = np.random.default_rng(1).random(len(X))
    data, model = table(tmp_path, X, 1700), PYPMeans(theta=2.0).fit(X)
    assert_array_equal(model.transform(data), model.transform(X))
    assert_array_equal(model.is_novel(data), model.is_novel(X))
    assert model.score(data, sample_weight=weight) == pytest.approx(
        model.score(X, sample_weight=weight), rel=1e-12
    )
    with pytest.raises(TypeError, match=r"one batch of rows.*for block in table.blocks\(\)"):
        model.partial_fit(data)
    assert model.is_novel(table(tmp_path, X + 50, 1700)).any()
