"""What is said about clusters, against the definitions."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from data import separated_groups
from pypmeans import DPMeans, PYPMeans, PYPSpectralClustering
from pypmeans._describe import describe, describe_blocks
from pypmeans.metrics import power_law_alpha

X, _ = separated_groups(6, 40, 3, 0.05, seed=1)
MODEL = PYPMeans().fit(X)


def test_sizes_means_and_deviations_are_those_of_the_rows():
    found = describe(MODEL, X)
    assert found.n_clusters == 6
    assert_array_equal(found.sizes, MODEL.cluster_sizes_)
    for k in range(6):
        rows = X[MODEL.labels_ == k]
        assert_allclose(found.centers[k], rows.mean(axis=0))
        assert_allclose(found.deviations[k], rows.std(axis=0))
    assert_allclose(found.overall_mean, X.mean(axis=0))
    assert_allclose(found.overall_deviation, X.std(axis=0))


def test_contrasts_come_furthest_first_in_standard_deviations():
    found = describe(MODEL, X, feature_names=["a", "b", "c"])
    z = (found.centers - X.mean(axis=0)) / X.std(axis=0)
    for k, contrasts in enumerate(found.contrasts):
        order = np.argsort(-np.abs(z[k]), kind="stable")
        assert [each.feature for each in contrasts] == [("a", "b", "c")[j] for j in order]
        assert_allclose([each.z for each in contrasts], z[k, order])
        assert_allclose([each.value for each in contrasts], found.centers[k, order])


def test_typical_is_nearest_to_the_center_and_remote_furthest():
    names = [f"row {i}" for i in range(len(X))]
    found = describe(MODEL, X, ids=names)
    distances = np.linalg.norm(X - MODEL.cluster_centers_[MODEL.labels_], axis=1)
    for k in range(6):
        members = np.flatnonzero(MODEL.labels_ == k)
        near, far = members[distances[members].argmin()], members[distances[members].argmax()]
        assert (found.typical[k].row, found.typical[k].id) == (near, names[near])
        assert (found.remote[k].row, found.remote[k].id) == (far, names[far])
        assert_allclose(found.remote[k].distance, distances[far])


def test_blocks_say_the_same_as_all_rows():
    whole = describe(MODEL, X).as_dict()
    parts = [(rows, rows, None) for rows in np.array_split(X, 7)]
    blocks = describe_blocks(MODEL, parts, ["x0", "x1", "x2"]).as_dict()
    assert blocks["sizes"] == whole["sizes"]
    assert [each["row"] for each in blocks["typical"]] == [each["row"] for each in whole["typical"]]
    assert [each["row"] for each in blocks["remote"]] == [each["row"] for each in whole["remote"]]
    assert_allclose(blocks["deviations"], whole["deviations"])
    assert_allclose(blocks["centers"], whole["centers"])


def test_values_give_the_units():
    found = describe(MODEL, X, values=1000 * X + 5)
    assert_allclose(found.centers, 1000 * describe(MODEL, X).centers + 5)
    assert_allclose(found.typical[0].distance, describe(MODEL, X).typical[0].distance)


def test_digits_survive_a_large_offset():
    found = describe(MODEL, X, values=X + 1e7)
    assert_allclose(found.deviations, describe(MODEL, X).deviations, rtol=1e-6)


def test_a_constant_feature_distinguishes_nothing():
    flat = np.column_stack([X, np.full(len(X), 0.1)])
    found = describe(PYPMeans().fit(flat), flat, feature_names=["a", "b", "c", "flat"])
    assert found.overall_deviation[3] == 0
    assert not any(each.feature == "flat" for group in found.contrasts for each in group)


def test_the_tail_counts_from_the_largest():
    rows = np.repeat([0.0, 10.0, 20.0, 30.0, 40.0], [50, 20, 5, 2, 1]).reshape(-1, 1)
    tail = describe(DPMeans(lam=1.0).fit(rows), rows).tail
    assert (tail.largest, tail.smallest, tail.half, tail.single) == (50, 1, 1, 1)
    assert tail.alpha == power_law_alpha([50, 20, 5, 2, 1])


def test_few_or_equal_clusters_have_no_exponent():
    assert describe(MODEL, X).tail.alpha is None  # six of forty
    rows = np.repeat([0.0, 10.0, 20.0], [5, 3, 2]).reshape(-1, 1)
    assert describe(DPMeans(lam=1.0).fit(rows), rows).tail.alpha is None


def test_clusters_without_rows_are_said_to_be_empty():
    found = describe(MODEL, X[MODEL.labels_ == 2])
    assert found.sizes.tolist() == [0, 0, 40, 0, 0, 0]
    assert found.typical[0] is None
    assert found.contrasts[0] == []
    assert json.loads(json.dumps(found.as_dict(), allow_nan=False))["centers"][0] == [None] * 3


def test_models_without_centers_are_described_by_their_means():
    rows = np.array([[x + shift] for shift in (0.0, 100.0) for x in range(15)])
    found = describe(PYPSpectralClustering().fit(rows), rows)
    assert sorted(found.centers.ravel().tolist()) == [7.0, 107.0]
    assert {found.typical[k].distance for k in (0, 1)} == {0.0}


def test_names_of_another_length_are_refused():
    with pytest.raises(ValueError, match="feature_names has 2 names, but X has 3 features"):
        describe(MODEL, X, feature_names=["a", "b"])
    with pytest.raises(ValueError, match=r"values has shape \(240, 2\), but X has \(240, 3\)"):
        describe(MODEL, X, values=X[:, :2])


def test_clusters_are_found_by_their_ids_where_these_are_not_their_places():
    model = PYPMeans().fit(X)
    model.cluster_ids_ = np.array([9, 4, 7, 0, 2, 5])  # as after some batches of a stream
    found = describe(model, X)
    assert_array_equal(found.cluster_ids, model.cluster_ids_)
    assert_array_equal(found.sizes, MODEL.cluster_sizes_)
    assert_allclose(found.centers, MODEL.cluster_centers_)
