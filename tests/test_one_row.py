"""Rows that come one by one get the labels they get together, whatever the model went through."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from nasty import examples, nasty_rows, price
from pypmeans import DPMeans, PYPMeans
from pypmeans._samples import FEW_ROWS, labels_by

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def one_by_one(model, X):
    return np.concatenate([model.predict(X[i : i + 1]) for i in range(len(X))])


@examples(40)
@given(nasty_rows(), st.integers(0, 4), st.sampled_from(["paper", "search"]))
def test_rows_get_the_same_labels_singly(X, level, algorithm):
    model = PYPMeans(price(X, level), algorithm=algorithm, n_threads=1, max_iter=10).fit(X)
    assert_array_equal(one_by_one(model, X), model.labels_)


@pytest.mark.parametrize("n_rows", [1, FEW_ROWS, FEW_ROWS + 1, 200])
def test_any_number_of_rows_goes_by_coordinates_where_centers_are_equally_near(n_rows):
    corners = np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    labels, sq_dists = labels_by(corners, np.zeros(4), np.full((n_rows, 2), 0.5))
    assert_array_equal(labels, np.full(n_rows, 3))  # (0, 0) comes first
    assert_array_equal(sq_dists, np.full(n_rows, 0.5))


def test_nothing_of_former_centers_is_left_after_another_fit():
    model = DPMeans(1.0).fit([[0.0], [0.1], [5.0]])
    assert model.predict([[4.0]]) == 1
    model.fit([[0.0], [4.0], [3.9], [9.0]])
    assert model.predict([[4.1]]) == 0
    model.cluster_centers_[[0, 1]] = model.cluster_centers_[[1, 0]]  # in place, against all advice
    assert model.predict([[4.1]]) == 1


@pytest.mark.parametrize("through", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copies_label_like_the_original(through):
    X = np.random.default_rng(0).normal(size=(60, 3)) * 9
    model = PYPMeans(30.0).fit(X)
    assert_array_equal(one_by_one(through(model), X), model.labels_)


def test_predicting_leaves_the_model_as_it_is():
    model = DPMeans(1.0).fit([[0.0], [0.1], [5.0]])
    before = set(vars(model))
    model.predict(np.array([[4.0]]))
    assert set(vars(model)) == before


@pytest.mark.parametrize("row", [1e-170, 5e-324, -1e-200])
def test_a_row_next_to_nothing_away_from_the_only_cluster_belongs_to_it(row):
    assert DPMeans(1.0).fit([[0.0], [0.0]]).predict([[row]]) == 0


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (np.array([[np.nan, 0.0]]), "contains NaN"),
        (np.array([[np.inf, 0.0]]), "contains infinity"),
        (np.array([[1.0]]), "X has 1 features, but DPMeans is expecting 2"),
        (np.array([1.0, 2.0]), "Expected 2D array"),
        (np.empty((0, 2)), "0 sample"),
        (np.array([[-1e200, 0.0]]), "squared distances overflow"),
        (np.array([["a", "b"]]), "could not convert string"),
    ],
)
def test_a_single_bad_row_is_refused_like_many(row, message):
    model = DPMeans(1.0).fit([[0.0, 0.0], [5.0, 5.0]])
    with pytest.raises(ValueError, match=message):
        model.predict(row)


def test_a_row_without_names_is_noticed_by_a_model_with_names():
    frame = pd.DataFrame({"a": [0.0, 0.1, 5.0], "b": [0.0, 0.1, 5.0]})
    model = DPMeans(1.0).fit(frame)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(np.array([[1.0, 1.0]]))


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8, ">f8", bool])
def test_any_kind_of_number_is_a_row(dtype):
    model = DPMeans(1.0).fit([[0.0, 0.0], [1.0, 1.0], [9.0, 9.0]])
    assert_array_equal(model.predict(np.array([[1, 1]], dtype=dtype)), [0])
