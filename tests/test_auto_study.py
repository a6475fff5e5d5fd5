"""The study of criteria for choosing a scale, on data small enough for a test."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from data import import_file
from pypmeans import scale_path
from pypmeans.datasets import make_power_law_blobs

FOLDER = Path(__file__).resolve().parent.parent / "experiments" / "auto"

if not FOLDER.is_dir():
    pytest.skip("the experiments folder is not part of an sdist", allow_module_level=True)


study = import_file(FOLDER / "study.py")
criteria = import_file(FOLDER / "criteria.py")


def blobs(n_features=2):
    return make_power_law_blobs(
        120, n_clusters=4, n_features=n_features, separation=9, random_state=0
    )


@pytest.mark.parametrize("n_features", [1, 2, 45])
def test_our_criterion_is_the_score_of_the_path(n_features):
    X, _ = blobs(n_features)
    path = scale_path(X, max_clusters=10, n_threads=1)
    data = criteria.Data(X, most_features=len(X) // 10, outlying=0.01)
    partitions = [criteria.Partition(data, entry.predict(X)) for entry in path]
    structures = ("round", "full") if n_features == 45 else criteria.STRUCTURES
    scores = [criteria.evidence(partition, 2.0, structures, True) for partition in partitions]
    assert_allclose(scores, [entry.score for entry in path], rtol=1e-9)


def test_criteria_find_clear_groups():
    X, y = blobs()
    data = criteria.Data(X)
    halves = np.where(y == 0, np.where(X[:, 0] > X[y == 0, 0].mean(), 4, 0), y)
    coarse = [np.zeros(len(X), dtype=int), np.minimum(y, 1), np.minimum(y, 2)]
    partitions = [criteria.Partition(data, labels) for labels in (*coarse, y, halves)]
    for name in (criteria.OURS, "evidence full, prior 0.1", "valley information"):
        assert criteria.choose(name, partitions) == 3


def test_the_longest_plateau_by_hand():
    data = criteria.Data(np.arange(4.0)[:, None])
    labels = [[0, 0, 0, 0], [0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 1, 2], [0, 1, 2, 3]]
    partitions = [
        criteria.Partition(data, np.array(one), n) for one, n in zip(labels, (9, 3, 2, 2, 1))
    ]
    assert criteria.choose("longest plateau", partitions) == 2  # three clusters, 2 + 2 entries


def test_small_groups_are_counted_by_the_majority():
    y = np.repeat([0, 1, 2], [100, 10, 5])
    assert study.small_groups(y, y) == (2, 2)
    assert study.small_groups(y, np.minimum(y, 1)) == (2, 1)
    assert study.small_groups(y, np.where(y == 0, 0, -1)) == (2, 0)  # no cluster, so not found


def test_a_finished_set_is_not_done_again(tmp_path):
    data = study.DataSet("tiny", "zipf", study.half_of(0), blobs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first = study.run([data], tmp_path / "results.csv")
    untouchable = data._replace(load=None)
    again = study.run([untouchable], tmp_path / "results.csv")
    assert [row._replace(seconds=0) for row in again] == [row._replace(seconds=0) for row in first]
    assert {row.method for row in again} == {*criteria.CRITERIA, study.CEILING, *study.PEERS}
    ours = next(row for row in again if row.method == criteria.OURS)
    assert (ours.n_found, ours.n_true, ours.ami) == (4, 4, 1.0)
    assert f"**{criteria.OURS}**" in study.table(again)


def test_every_set_has_a_name_of_its_own_and_a_half():
    sets = list(study.data_sets())
    assert len({data.name for data in sets}) == len(sets)
    assert {data.half for data in sets} == set(study.HALVES)
