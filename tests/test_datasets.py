"""The data sets are what their descriptions say."""

import gzip
import sys
from importlib import resources

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist, pdist

from pypmeans import datasets
from pypmeans.datasets import load_demo, make_paper_blobs, make_power_law_blobs
from pypmeans.process import sample_partition

# ---- load_demo


def test_demo_file_equals_its_generator():
    X, y = datasets._make_demo()
    demo = load_demo()
    # a point midway between two printed values may be rounded the other way on another machine
    assert_allclose(demo.data, X, rtol=0, atol=1.1 * 10.0**-datasets._DEMO_DECIMALS)
    assert_array_equal(demo.target, y)


def test_demo_file_is_small_and_can_be_written_again(tmp_path):
    datasets._write_demo(tmp_path / "demo.csv.gz")
    written = gzip.decompress((tmp_path / "demo.csv.gz").read_bytes()).decode().splitlines()
    packed = (resources.files("pypmeans") / "_data" / "demo.csv.gz").read_bytes()
    shipped = gzip.decompress(packed).decode().splitlines()
    assert len(packed) < 60_000
    assert written[0] == shipped[0] == "feature_1,feature_2,target"
    assert [len(line) for line in written] == [len(line) for line in shipped]


def test_demo_has_a_long_tail_numbered_by_size():
    sizes = np.bincount(load_demo().target)
    assert len(sizes) == 16
    assert sizes.sum() == 1500
    assert sizes[0] > 50 * sizes[-1]
    assert np.all(np.diff(sizes) <= 0)


def test_demo_fills_the_unit_box():
    X, _ = load_demo(return_X_y=True)
    assert_array_equal(X.min(axis=0), 0)
    assert_array_equal(X.max(axis=0), 1)


def test_demo_groups_do_not_overlap():
    X, y = load_demo(return_X_y=True)
    means = np.array([X[y == k].mean(axis=0) for k in range(y.max() + 1)])
    assert_array_equal(cdist(X, means).argmin(axis=1), y)


def test_demo_bunch_describes_itself():
    demo = load_demo()
    assert demo.feature_names == ["feature_1", "feature_2"]
    assert demo.target.dtype == np.int32
    assert demo.frame is None
    assert "1500 points, 2 features, 16 groups" in demo.DESCR


def test_demo_as_frame_holds_the_same_values():
    pytest.importorskip("pandas")
    arrays, frames = load_demo(), load_demo(as_frame=True)
    assert list(frames.frame.columns) == ["feature_1", "feature_2", "target"]
    assert_array_equal(frames.data.to_numpy(), arrays.data)
    assert_array_equal(frames.target.to_numpy(), arrays.target)
    data, target = load_demo(return_X_y=True, as_frame=True)
    assert data.equals(frames.data)
    assert target.equals(frames.target)


def test_demo_as_frame_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="requires pandas: pip install pandas"):
        load_demo(as_frame=True)


# ---- make_paper_blobs


def test_paper_blobs_have_a_few_large_groups_and_many_small_ones():
    _, y = make_paper_blobs(75, random_state=0)
    sizes = np.bincount(y)
    assert len(sizes) == 75
    assert np.all((sizes[:3] >= 180) & (sizes[:3] <= 220))
    assert np.all((sizes[3:] >= 27) & (sizes[3:] <= 33))
    assert len(np.unique(sizes[3:])) == 7  # "about 30": every size from 27 to 33 occurs


def test_paper_blobs_without_jitter_have_the_sizes_asked_for():
    _, y = make_paper_blobs(5, n_large=2, large_size=50, small_size=7, size_jitter=0)
    assert_array_equal(np.bincount(y), [50, 50, 7, 7, 7])


def test_paper_blobs_are_all_large_when_there_are_few():
    _, y = make_paper_blobs(2, n_large=3, size_jitter=0)
    assert_array_equal(np.bincount(y), [200, 200])


def test_paper_blobs_are_scaled_and_their_centers_too():
    X, y, centers = make_paper_blobs(4, random_state=1, return_centers=True)
    assert X.shape[1] == 3
    assert_array_equal(X.min(axis=0), 0)
    assert_array_equal(X.max(axis=0), 1)
    means = np.array([X[y == k].mean(axis=0) for k in range(4)])
    assert_allclose(means, centers, atol=0.03)


def test_paper_blobs_unscaled_have_unit_variance_and_centers_in_the_box():
    X, y, centers = make_paper_blobs(
        150, box=12.0, scale=False, random_state=2, return_centers=True
    )
    # about 5000 rows in 3 features: the standard error of the variance is about 0.012
    assert_allclose(np.mean((X - centers[y]) ** 2), 1, atol=0.05)
    assert np.all((centers >= 0) & (centers <= 12))
    assert np.ptp(centers, axis=0).min() > 11


# ---- make_power_law_blobs: sizes


def test_zipf_sizes_follow_their_law():
    _, y = make_power_law_blobs(100_000, n_clusters=20, exponent=1.3, random_state=0)
    law = np.arange(1, 21) ** -1.3
    assert_allclose(np.bincount(y), 100_000 * law / law.sum(), atol=1)


@pytest.mark.parametrize("n_samples", [360, 361, 500, 1000, 12_345])
@pytest.mark.parametrize("exponent", [0, 1.3, 4])
def test_zipf_sizes_are_falling_and_complete(n_samples, exponent):
    _, y = make_power_law_blobs(n_samples, n_clusters=30, exponent=exponent, random_state=0)
    sizes = np.bincount(y)
    assert sizes.sum() == n_samples
    assert len(sizes) == 30
    assert sizes.min() >= 12
    assert np.all(np.diff(sizes) <= 0)


def test_sizes_clamped_at_the_minimum_leave_the_head_proportional():
    # 1/1, 1/2, 1/4 and 1/8 of 100 points: the last two are raised to 15, the others share 70
    sizes = datasets._apportion(np.array([8.0, 4.0, 2.0, 1.0]), 100, 15)
    assert_array_equal(sizes, [47, 23, 15, 15])


def test_given_sizes_are_kept_in_their_order():
    _, y, centers = make_power_law_blobs(sizes=[5, 40, 1], random_state=0, return_centers=True)
    assert_array_equal(np.bincount(y), [5, 40, 1])
    assert centers.shape == (3, 2)


def test_pitman_yor_sizes_are_as_drawn_when_any_size_will_do():
    options = {"sizes": "pitman-yor", "concentration": 3.0, "discount": 0.4, "min_size": 1}
    _, y = make_power_law_blobs(800, **options, random_state=5)
    drawn = np.bincount(sample_partition(800, 3.0, 0.4, random_state=5))
    assert_array_equal(np.bincount(y), np.sort(drawn)[::-1])


def test_pitman_yor_sizes_keep_the_minimum_and_the_total():
    _, y = make_power_law_blobs(2000, sizes="pitman-yor", random_state=5)
    sizes = np.bincount(y)
    assert sizes.sum() == 2000
    assert sizes.min() >= 12
    assert np.all(np.diff(sizes) <= 0)


# ---- make_power_law_blobs: places and shapes


@pytest.mark.parametrize(
    ("n_features", "n_clusters"),
    [(1, 2), (1, 300), (2, 30), (2, 2000), (3, 150), (9, 40), (50, 60)],
)
def test_centers_keep_their_distance_but_stay_close(n_features, n_clusters):
    _, _, centers = make_power_law_blobs(
        sizes=np.ones(n_clusters, dtype=int),
        n_features=n_features,
        separation=6.5,
        random_state=3,
        return_centers=True,
    )
    nearest = cKDTree(centers).query(centers, k=2)[0][:, 1]
    assert pdist(centers).min() >= 6.5
    assert np.median(nearest) < 1.3 * 6.5


def test_large_groups_are_not_in_the_middle():
    # centers grow from the middle outwards, so without a shuffle the first would lie innermost
    radii = []
    for seed in range(20):
        centers = make_power_law_blobs(sizes=[1] * 100, random_state=seed, return_centers=True)[2]
        radii.append(np.linalg.norm(centers, axis=1))
    first, all_of_them = np.mean(radii, axis=0)[0], np.mean(radii)
    assert first > 0.7 * all_of_them


def test_groups_have_unit_variance_around_their_centers():
    X, y, centers = make_power_law_blobs(
        40_000, n_features=3, n_clusters=4, random_state=0, return_centers=True
    )
    for k in range(4):
        covariance = np.cov(X[y == k].T)
        assert_allclose(covariance, np.eye(3), atol=0.1)
        assert_allclose(X[y == k].mean(axis=0), centers[k], atol=0.1)


def test_anisotropy_keeps_the_total_variance_and_has_the_ratio_asked_for():
    X, y = make_power_law_blobs(
        sizes=[20_000] * 3, n_features=4, anisotropy=5.0, shuffle=False, random_state=0
    )
    covariances = [np.cov(X[y == k].T) for k in range(3)]
    for covariance in covariances:
        variances = np.linalg.eigvalsh(covariance)
        assert_allclose(variances.sum(), 4, rtol=0.03)
        assert_allclose(np.sqrt(variances[1:] / variances[:-1]), 5 ** (1 / 3), rtol=0.05)
    longest = [np.linalg.eigh(covariance)[1][:, -1] for covariance in covariances]
    assert abs(longest[0] @ longest[1]) < 0.99  # each group has directions of its own


def test_stretching_one_feature_changes_nothing():
    X, _ = make_power_law_blobs(sizes=[20_000], n_features=1, anisotropy=4.0, random_state=0)
    assert_allclose(X.var(), 1, rtol=0.05)


def test_outliers_are_groups_of_one_after_all_others():
    X, y, centers = make_power_law_blobs(
        1000, n_clusters=10, n_outliers=25, random_state=0, return_centers=True
    )
    sizes = np.bincount(y)
    assert X.shape == (1000, 2)
    assert centers.shape == (10, 2)
    assert sizes[:10].min() >= 12
    assert_array_equal(sizes[10:], np.ones(25))


def test_outliers_lie_apart_around_the_groups():
    rng = np.random.RandomState(0)
    centers = datasets._place_centers(20, 2, 6.5, rng)
    outliers = datasets._place_outliers(30, centers, 6.5, rng)
    assert pdist(np.vstack([centers, outliers])).min() >= 6.5
    assert np.all(outliers.min(axis=0) < centers.min(axis=0))
    assert np.all(outliers.max(axis=0) > centers.max(axis=0))


# ---- both generators


@pytest.mark.parametrize("make", [make_paper_blobs, make_power_law_blobs])
def test_same_seed_same_bits(make):
    X, y = make(n_clusters=12, random_state=7)
    X_again, y_again = make(n_clusters=12, random_state=np.random.RandomState(7))
    X_other, _ = make(n_clusters=12, random_state=8)
    assert X.tobytes() == X_again.tobytes()
    assert y.tobytes() == y_again.tobytes()
    assert X[:100].tobytes() != X_other[:100].tobytes()


@pytest.mark.parametrize("make", [make_paper_blobs, make_power_law_blobs])
def test_shuffling_only_reorders_rows(make):
    X, y = make(n_clusters=6, random_state=0)
    X_sorted, y_sorted = make(n_clusters=6, random_state=0, shuffle=False)
    assert np.all(np.diff(y_sorted) >= 0)
    assert np.any(np.diff(y) < 0)
    order, order_sorted = np.lexsort(X.T), np.lexsort(X_sorted.T)
    assert_array_equal(X[order], X_sorted[order_sorted])
    assert_array_equal(y[order], y_sorted[order_sorted])


@pytest.mark.parametrize("make", [make_paper_blobs, make_power_law_blobs])
def test_labels_are_int32_from_0_to_the_last(make):
    _, y = make(n_clusters=9, random_state=0)
    assert y.dtype == np.int32
    assert_array_equal(np.unique(y), np.arange(9))


@pytest.mark.parametrize("dtype", [np.float32, "float32", np.dtype("float32")])
def test_float32_is_the_same_data_rounded(dtype):
    X, y = make_power_law_blobs(500, n_clusters=5, random_state=0)
    X_single, y_single = make_power_law_blobs(500, n_clusters=5, dtype=dtype, random_state=0)
    assert X.dtype == np.float64
    assert X_single.dtype == np.float32
    assert_array_equal(X_single, X.astype(np.float32))
    assert_array_equal(y_single, y)


# ---- bad input


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_clusters", 0),
        ("n_clusters", 2.5),
        ("n_large", -1),
        ("large_size", 0),
        ("small_size", 0),
        ("size_jitter", 1.0),
        ("size_jitter", -0.1),
        ("n_features", 0),
        ("box", 0),
        ("box", np.inf),
        ("scale", "yes"),
        ("shuffle", None),
        ("random_state", "seed"),
        ("return_centers", 2),
    ],
)
def test_paper_blobs_refuse_a_bad_value_by_name(name, value):
    with pytest.raises(ValueError, match=f"'{name}' parameter of make_paper_blobs must be"):
        make_paper_blobs(**{name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_samples", 0),
        ("n_samples", 99.5),
        ("n_features", 0),
        ("n_clusters", 0),
        ("sizes", "power"),
        ("sizes", 12),
        ("exponent", -1),
        ("exponent", np.nan),
        ("concentration", "many"),
        ("discount", 1.0),
        ("min_size", 0),
        ("separation", 0),
        ("anisotropy", 0.5),
        ("n_outliers", -1),
        ("shuffle", None),
        ("random_state", "seed"),
        ("return_centers", 2),
    ],
)
def test_power_law_blobs_refuse_a_bad_value_by_name(name, value):
    with pytest.raises(ValueError, match=f"'{name}' parameter of make_power_law_blobs must be"):
        make_power_law_blobs(**{name: value})


@pytest.mark.parametrize("sizes", [[], [3, 0], [2.5, 3], [[3, 4]], ["a", "b"]])
def test_sizes_that_are_no_counts_are_refused(sizes):
    with pytest.raises(ValueError, match="sizes must be a string or a non-empty list"):
        make_power_law_blobs(sizes=sizes)


@pytest.mark.parametrize("dtype", [np.int32, "float16", "nonsense", 3])
def test_other_dtypes_are_refused(dtype):
    with pytest.raises(ValueError, match="dtype must be float64 or float32"):
        make_power_law_blobs(dtype=dtype)


def test_impossible_combinations_are_refused_by_name():
    with pytest.raises(ValueError, match=r"n_clusters=30 groups of min_size=12 .* need 360"):
        make_power_law_blobs(359)
    with pytest.raises(ValueError, match="n_outliers must be below n_samples=100"):
        make_power_law_blobs(100, n_outliers=100)
    with pytest.raises(ValueError, match="n_samples=10 disagrees with sizes"):
        make_power_law_blobs(10, sizes=[4, 5])
    with pytest.raises(ValueError, match="n_clusters=3 disagrees with the 2 sizes"):
        make_power_law_blobs(n_clusters=3, sizes=[4, 5])
    with pytest.raises(ValueError, match="n_clusters must be None with sizes='pitman-yor'"):
        make_power_law_blobs(n_clusters=3, sizes="pitman-yor")
    with pytest.raises(ValueError, match="No group reached min_size=50"):
        make_power_law_blobs(40, sizes="pitman-yor", min_size=50, random_state=0)
    with pytest.raises(ValueError, match="concentration"):
        make_power_law_blobs(sizes="pitman-yor", concentration=-0.6, discount=0.5)


def test_demo_switches_are_booleans():
    with pytest.raises(ValueError, match="'as_frame' parameter of load_demo must be"):
        load_demo(as_frame="yes")
