"""Dask: the same result from blocks of any size, on any scheduler, with workers that die."""

import os
import signal

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pypmeans import PYPMeans as InMemory
from pypmeans import _beyond_memory
from pypmeans.datasets import make_power_law_blobs

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")

from pypmeans.dask import DPMeans, PYPMeans  # noqa: E402

pytestmark = pytest.mark.large  # many passes over thousands of rows
SETTINGS = [{"lam": 30.0, "theta": 2.0, "algorithm": "paper"}, {"theta": 2.0}]


@pytest.fixture(autouse=True)
def nothing_is_brought_together(monkeypatch):
    monkeypatch.setattr(_beyond_memory, "GATHERED", 0)


@pytest.fixture(scope="module")
def rows():
    X, _ = make_power_law_blobs(5000, n_clusters=15, n_features=3, separation=7, random_state=0)
    return X[np.random.default_rng(0).permutation(len(X))]


@pytest.mark.parametrize("chunks", [1300, (1, 0, 4000, 999), 5000])
@pytest.mark.parametrize("settings", SETTINGS)
def test_blocks_of_any_size_give_the_labels_that_memory_gives(settings, chunks, rows):
    model = PYPMeans(**settings).fit(da.from_array(rows, chunks=(chunks, 2)))
    whole = InMemory(**settings).fit(rows)
    assert_array_equal(model.labels_.compute(), whole.labels_)
    assert_allclose(model.objective_, whole.objective_, rtol=1e-12)


@pytest.mark.parametrize("scheduler", ["synchronous", "threads", "processes"])
def test_schedulers_give_the_same_bits(scheduler, rows):
    X = da.from_array(rows, chunks=(900, 3))
    expected = PYPMeans(theta=2.0).fit(X).cluster_centers_
    with dask.config.set(scheduler=scheduler):
        assert_array_equal(PYPMeans(theta=2.0).fit(X).cluster_centers_, expected)


def test_everything_is_lazy_and_equals_memory(rows):
    X = da.from_array(rows, chunks=(1000, 3))
    model, whole = PYPMeans(theta=2.0).fit(X), InMemory(theta=2.0).fit(rows)
    for method in ("predict", "transform", "is_novel"):
        lazy = getattr(model, method)(X)
        assert dask.is_dask_collection(lazy)
        computed, expected = lazy.compute(), getattr(whole, method)(rows)
        assert (computed.dtype, computed.shape) == (expected.dtype, expected.shape)
        assert_allclose(computed, expected, atol=1e-9)
    assert_allclose(model.score(X), whole.score(rows))
    assert_array_equal(model.predict(rows[:7]), whole.predict(rows[:7]))


def test_dp_means_over_blocks_costs_no_more_than_a_percent_above_memory(rows):
    model = DPMeans(60.0).fit(da.from_array(rows, chunks=(1000, 3)))
    assert model.objective_ < 1.01 * DPMeans(60.0).fit(rows).objective_


def test_dataframes_of_unknown_lengths(rows):
    frame = pd.DataFrame(rows, columns=["a", "b", "c"])
    model = PYPMeans(theta=2.0).fit(dd.from_pandas(frame, npartitions=4))
    assert list(model.feature_names_in_) == ["a", "b", "c"]
    assert_array_equal(model.labels_.compute(), InMemory(theta=2.0).fit(rows).labels_)
    with pytest.raises(ValueError, match="fitted to the columns a, b, c; this table has c, b, a"):
        model.predict(dd.from_pandas(frame[["c", "b", "a"]], npartitions=2))


def test_weights_in_blocks(rows):
    weight = np.random.default_rng(1).integers(0, 3, len(rows)).astype(float)
    model = PYPMeans(theta=2.0).fit(da.from_array(rows, chunks=(700, 3)), sample_weight=weight)
    assert_array_equal(
        model.labels_.compute(), InMemory(theta=2.0).fit(rows, sample_weight=weight).labels_
    )


def test_a_broken_block_is_named(rows):
    broken = rows.copy()
    broken[2500, 1] = np.nan
    X = da.from_array(broken, chunks=(1000, 3))
    with pytest.raises(ValueError, match=r"block 2 \(rows 2000 to 2999\): .*NaN"):
        PYPMeans(theta=2.0).fit(X)
    model = PYPMeans(theta=2.0).fit(rows)
    with pytest.raises(ValueError, match=r"block 2: .*NaN"):
        model.predict(X).compute()
    with pytest.raises(ValueError, match="X has 2 features, but PYPMeans is expecting 3"):
        model.predict(X[:, :2])


class Deadly:
    """Gives a block as it is, but ends its process when it was asked `fatal` times in all."""

    def __init__(self, log, fatal):
        self.log, self.fatal = str(log), fatal

    def __call__(self, block):
        with open(self.log, "a") as log:
            log.write("x")
        if os.path.getsize(self.log) == self.fatal:
            os.kill(os.getpid(), signal.SIGKILL)
        return block


def test_killing_a_worker_in_the_middle_of_a_fit_changes_nothing(rows, tmp_path):
    X = da.from_array(rows, chunks=(500, 3))
    expected = PYPMeans(theta=2.0).fit(X)
    log = tmp_path / "asked"
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster),
    ):
        deadly = X.map_blocks(Deadly(log, fatal=25), meta=np.empty((0, 3)))  # in the third pass
        model = PYPMeans(theta=2.0).fit(deadly)
        labels = model.labels_.compute()
    assert log.stat().st_size > 25  # somebody died, and the fit went on
    assert_array_equal(model.cluster_centers_, expected.cluster_centers_)
    assert_array_equal(labels, expected.labels_.compute())
