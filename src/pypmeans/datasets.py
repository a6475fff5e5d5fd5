"""Data whose groups differ wildly in size: a small set to try things on, and two generators."""

import gzip
from importlib import import_module, resources
from numbers import Integral, Real

import numpy as np
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist
from sklearn.utils import Bunch, check_random_state
from sklearn.utils._param_validation import Interval, StrOptions, validate_params

__all__ = ["load_demo", "make_paper_blobs", "make_power_law_blobs"]

_DEMO_FILE = "demo.csv.gz"
_DEMO_DECIMALS = 5


@validate_params(
    {"return_X_y": ["boolean"], "as_frame": ["boolean"]}, prefer_skip_nested_validation=True
)
def load_demo(*, return_X_y=False, as_frame=False):
    """Load a small data set with a few large groups and a long tail of small ones.

    Sixteen Gaussian groups in the plane, the largest of 681 points and the smallest of 12, their
    centers at least 7.5 standard deviations apart, each feature scaled to [0, 1]. The groups are
    well separated, so a method that loses some of them loses them because of their sizes.

    Parameters
    ----------
    return_X_y : bool, default=False
        If True, return ``(data, target)`` instead of a Bunch.
    as_frame : bool, default=False
        If True, `data` is a pandas DataFrame and `target` a pandas Series. Requires pandas.

    Returns
    -------
    bunch : :class:`~sklearn.utils.Bunch`
        With the attributes

        data : ndarray or DataFrame of shape (1500, 2)
            One row per point, in random order.
        target : ndarray or Series of shape (1500,)
            The group of each point (int32), numbered from 0 by decreasing size.
        frame : DataFrame of shape (1500, 3) or None
            Data and target together, with ``as_frame=True``.
        feature_names : list of str
            The names of the columns.
        DESCR : str
            A description of the data.
        filename : str
            The name of the file inside the package.

    (data, target) : tuple
        With ``return_X_y=True``.

    See Also
    --------
    make_power_law_blobs : Makes such data of any size.

    Examples
    --------
    >>> import numpy as np
    >>> from pypmeans.datasets import load_demo
    >>> demo = load_demo()
    >>> demo.data.shape
    (1500, 2)
    >>> np.bincount(demo.target)
    array([681, 249, 139,  91,  66,  51,  41,  33,  28,  24,  21,  19,  17,
            15,  13,  12])
    """
    data, target, names = _read_demo()
    frame = None
    if as_frame:
        frame, data, target = _to_frame(data, target, names)
    if return_X_y:
        return data, target
    return Bunch(
        data=data,
        target=target,
        frame=frame,
        feature_names=names,
        DESCR=_DEMO_DESCRIPTION,
        filename=_DEMO_FILE,
    )


@validate_params(
    {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "n_large": [Interval(Integral, 0, None, closed="left")],
        "large_size": [Interval(Integral, 1, None, closed="left")],
        "small_size": [Interval(Integral, 1, None, closed="left")],
        "size_jitter": [Interval(Real, 0, 1, closed="left")],
        "n_features": [Interval(Integral, 1, None, closed="left")],
        "box": [Interval(Real, 0, None, closed="neither")],
        "scale": ["boolean"],
        "shuffle": ["boolean"],
        "random_state": ["random_state"],
        "return_centers": ["boolean"],
    },
    prefer_skip_nested_validation=True,
)
def make_paper_blobs(
    n_clusters=30,
    *,
    n_large=3,
    large_size=200,
    small_size=30,
    size_jitter=0.1,
    n_features=3,
    box=30.0,
    scale=True,
    shuffle=True,
    random_state=None,
    return_centers=False,
):
    """Make the synthetic data of Fan, Zeng and Cao (2013), Sec. VI-C.

    Gaussian groups of unit variance around uniform random centers: the first few of about 200
    points, all others of about 30, each feature scaled to [0, 1]. The paper lets the number of
    groups vary from 3 to 150.

    Parameters
    ----------
    n_clusters : int, default=30
        Number of groups.
    n_large : int, default=3
        Number of large groups, labelled 0 to ``n_large - 1``. The paper says "the first few".
        With `n_clusters` or more, all groups are large.
    large_size : int, default=200
        Typical number of points of a large group.
    small_size : int, default=30
        Typical number of points of any other group.
    size_jitter : float, default=0.1
        The size of each group is uniform over the whole numbers within this fraction of its
        typical size; in [0, 1). The paper says "about"; with 0 all sizes are typical.
    n_features : int, default=3
        Number of features.
    box : float, default=30.0
        Side of the cube in which the centers are uniform, in standard deviations of a group. The
        paper does not give it; see Notes.
    scale : bool, default=True
        Scale each feature of the data to [0, 1], as the paper does with all its data. The centers
        are moved along.
    shuffle : bool, default=True
        Put the rows in random order. Otherwise the groups follow one another.
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same data every time.
    return_centers : bool, default=False
        If True, return the true centers too.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        The points.
    y : ndarray of shape (n_samples,), dtype int32
        The group of each point.
    centers : ndarray of shape (n_clusters, n_features)
        The center of each group. Only with ``return_centers=True``.

    See Also
    --------
    make_power_law_blobs : Sizes that follow a power law, and centers that keep a distance.

    Notes
    -----
    The side of the box decides how far the groups overlap. In the paper good methods do well up to
    75 and more groups, while poor ones fall below an NMI of 0.8 and an accuracy of 70 %: the groups
    must still be separable at 150, but no longer easy. With the default the median distance from
    a center to its nearest neighbor, and what an oracle reaches that gives each point to the
    nearest true center, are (means of 20 data sets):

    ========== ======== ==== ========
    n_clusters distance NMI  accuracy
    ========== ======== ==== ========
    3          14.3     0.98 0.99
    10         8.9      0.99 0.99
    30         5.9      0.98 0.98
    75         4.2      0.96 0.94
    150        3.3      0.93 0.89
    ========== ======== ==== ========

    A box of 20 would hold even the oracle to 0.84 and 0.73 at 150 groups.

    References
    ----------
    Fan, X., Zeng, Y., Cao, L. (2013). Non-parametric Power-law Data Clustering. arXiv:1306.3003.

    Examples
    --------
    >>> import numpy as np
    >>> from pypmeans.datasets import make_paper_blobs
    >>> X, y = make_paper_blobs(n_clusters=6, random_state=0)
    >>> X.shape
    (636, 3)
    >>> np.bincount(y)
    array([180, 183, 183,  28,  30,  32])
    >>> X.min(axis=0), X.max(axis=0)
    (array([0., 0., 0.]), array([1., 1., 1.]))
    """
    rng = check_random_state(random_state)
    typical = np.where(np.arange(n_clusters) < n_large, large_size, small_size)
    sizes = _jitter(typical, size_jitter, rng)
    centers = rng.uniform(0.0, box, size=(n_clusters, n_features))
    y = np.repeat(np.arange(n_clusters, dtype=np.int32), sizes)
    X = centers[y] + rng.standard_normal((len(y), n_features))
    if scale:
        X, centers = _scale_to_unit_box(X, centers)
    if shuffle:
        X, y = _shuffle_rows(X, y, rng)
    return (X, y, centers) if return_centers else (X, y)


@validate_params(
    {
        "n_samples": [Interval(Integral, 1, None, closed="left"), None],
        "n_features": [Interval(Integral, 1, None, closed="left")],
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "sizes": [StrOptions({"zipf", "pitman-yor"}), "array-like"],
        "exponent": [Interval(Real, 0, None, closed="left")],
        "concentration": [Interval(Real, -1, None, closed="neither")],
        "discount": [Interval(Real, 0, 1, closed="left")],
        "min_size": [Interval(Integral, 1, None, closed="left")],
        "separation": [Interval(Real, 1e-3, 1e6, closed="both")],
        "anisotropy": [Interval(Real, 1, 1e6, closed="both")],
        "n_outliers": [Interval(Integral, 0, None, closed="left")],
        "dtype": "no_validation",
        "shuffle": ["boolean"],
        "random_state": ["random_state"],
        "return_centers": ["boolean"],
    },
    prefer_skip_nested_validation=True,
)
def make_power_law_blobs(
    n_samples=None,
    *,
    n_features=2,
    n_clusters=None,
    sizes="zipf",
    exponent=1.3,
    concentration=5.0,
    discount=0.5,
    min_size=12,
    separation=6.5,
    anisotropy=1.0,
    n_outliers=0,
    dtype=np.float64,
    shuffle=True,
    random_state=None,
    return_centers=False,
):
    """Make Gaussian groups whose sizes follow a power law and whose centers keep a distance.

    Each group has unit variance per feature. No two centers are closer than `separation`, and
    most have a neighbor not much further away, so the groups can be told apart but not easily.

    Parameters
    ----------
    n_samples : int, default=None
        Number of rows, outliers included. None means 10,000, or as many as an array of `sizes`
        and the outliers make.
    n_features : int, default=2
        Number of features.
    n_clusters : int, default=None
        Number of groups, outliers not counted. None means 30 with ``sizes="zipf"``, as many as the
        process draws with ``"pitman-yor"``, and the length of an array of `sizes`.
    sizes : {"zipf", "pitman-yor"} or array-like of int of shape (n_clusters,), default="zipf"
        Number of points per group.

        - "zipf": proportional to ``rank ** -exponent``, as far as `min_size` and rounding allow.
        - "pitman-yor": drawn by :func:`pypmeans.process.sample_partition`. Groups smaller than
          `min_size` are dropped and the others enlarged in proportion; with ``min_size=1`` the
          sizes are as drawn.
        - array: as given, whatever `min_size` is.
    exponent : float, default=1.3
        How fast Zipf sizes fall with the rank; 0 gives equal sizes.
    concentration : float, default=5.0
        Concentration of the Pitman-Yor process, above ``-discount``.
    discount : float, default=0.5
        Discount of the Pitman-Yor process, in [0, 1).
    min_size : int, default=12
        Least number of points in a group whose size is drawn here.
    separation : float, default=6.5
        Least distance between two centers, in standard deviations of a group.
    anisotropy : float, default=1.0
        Largest over smallest standard deviation of a group, at least 1. The standard deviations
        along `n_features` orthogonal directions, random for each group, form a geometric series,
        scaled so that the variances sum to `n_features`. With 1 the groups are round. Long groups
        may touch: `separation` does not look at the shapes.
    n_outliers : int, default=0
        Number of rows that belong to no group. Each is a group of a single point: it has a label of
        its own, after those of the groups, and is drawn around a center of its own, `separation`
        or more from all others. These centers are uniform, where there is room, in a box one and a
        half times as wide as that of the others and a `separation` more on each side.
    dtype : {np.float64, np.float32}, default=np.float64
        Type of `X`. The data is the same up to rounding.
    shuffle : bool, default=True
        Put the rows in random order. Otherwise the groups follow one another.
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same data every time.
    return_centers : bool, default=False
        If True, return the true centers too.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        The points.
    y : ndarray of shape (n_samples,), dtype int32
        The group of each point; by decreasing size, or in the order of an array of `sizes`.
    centers : ndarray of shape (n_clusters, n_features), dtype float64
        The center of each group, outliers not included. Only with ``return_centers=True``.

    See Also
    --------
    make_paper_blobs : The synthetic data of Fan, Zeng and Cao (2013).
    pypmeans.process.sample_partition : Draws the sizes with ``sizes="pitman-yor"``.

    Notes
    -----
    The centers come from dart throwing: darts are uniform in a box, and one that lands closer than
    `separation` to an earlier one is taken out. As soon as fewer than one dart in twenty finds a
    place the box is full and grows by a fifth of its volume (in more than 18 features by a
    hundredth of its side). A quarter more darts than needed are kept and those furthest out dropped
    again, since the last layer is seldom full. This ends for any number of features and groups, and
    the centers are close in 1 feature as in 50: the median distance to the nearest neighbor is
    about 1.0 to 1.2 times `separation`. Large groups lie anywhere among small ones.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.spatial.distance import pdist
    >>> from pypmeans.datasets import make_power_law_blobs
    >>> X, y, centers = make_power_law_blobs(
    ...     1000, n_clusters=8, n_outliers=2, random_state=0, return_centers=True
    ... )
    >>> np.bincount(y)
    array([458, 186, 110,  76,  56,  45,  36,  31,   1,   1])
    >>> bool(pdist(centers).min() >= 6.5)
    True
    """
    dtype = _check_dtype(dtype)
    rng = check_random_state(random_state)
    if not isinstance(sizes, str):
        sizes = _check_sizes(sizes, n_samples, n_clusters, n_outliers)
    elif sizes == "zipf":
        n_points = _points_in_groups(n_samples, n_outliers)
        sizes = _zipf_sizes(n_points, n_clusters or 30, exponent, min_size)
    else:
        _check_count_is_free(n_clusters)
        n_points = _points_in_groups(n_samples, n_outliers)
        sizes = _pitman_yor_sizes(n_points, concentration, discount, min_size, rng)
    centers = _place_centers(len(sizes), n_features, separation, rng)
    outliers = _place_outliers(n_outliers, centers, separation, rng)
    sizes = np.append(sizes, np.ones(n_outliers, dtype=sizes.dtype))
    X, y = _draw_groups(np.vstack([centers, outliers]), sizes, anisotropy, rng)
    if shuffle:
        X, y = _shuffle_rows(X, y, rng)
    X = X.astype(dtype, copy=False)
    return (X, y, centers) if return_centers else (X, y)


def _make_demo():
    """Make what the demo file holds.

    The seed is one of those for which a wide range of distance thresholds finds all groups.
    """
    X, y, centers = make_power_law_blobs(
        1500,
        n_clusters=16,
        exponent=1.45,
        separation=7.5,
        random_state=9,
        return_centers=True,
    )
    X, _ = _scale_to_unit_box(X, centers)
    return X.round(_DEMO_DECIMALS), y


def _write_demo(path):
    """Write the demo file; the same bytes each time, since no time of writing is stored."""
    X, y = _make_demo()
    rows = [f"{a:.{_DEMO_DECIMALS}f},{b:.{_DEMO_DECIMALS}f},{k}" for (a, b), k in zip(X, y)]
    text = "\n".join(["feature_1,feature_2,target", *rows, ""])
    with open(path, "wb") as file:
        file.write(gzip.compress(text.encode(), mtime=0))


def _read_demo():
    packed = (resources.files("pypmeans") / "_data" / _DEMO_FILE).read_bytes()
    header, *rows = gzip.decompress(packed).decode().splitlines()
    table = np.loadtxt(rows, delimiter=",")
    return table[:, :-1].copy(), table[:, -1].astype(np.int32), header.split(",")[:-1]


def _to_frame(data, target, names):
    try:
        pd = import_module("pandas")
    except ImportError as error:
        raise ImportError(
            "load_demo(as_frame=True) requires pandas: pip install pandas."
        ) from error
    frame = pd.DataFrame(data, columns=names).assign(target=target)
    return frame, frame[names], frame["target"]


_DEMO_DESCRIPTION = """\
Demo data: sixteen groups of very different sizes
-------------------------------------------------

1500 points, 2 features, 16 groups. Made by a computer; there is no story behind the numbers.

The groups are round Gaussians of equal spread whose centers lie at least 7.5 standard deviations
apart. Their sizes fall like rank ** -1.45 (681, 249, 139, ..., 15, 13, 12): a few groups hold most
of the points, and most groups hold few. Each feature is scaled to [0, 1] as in Fan, Zeng and Cao
(2013). The target numbers the groups from 0 by decreasing size; the rows are in random order. The
random seed is one of those for which a wide range of distance thresholds finds all groups.
"""


def _jitter(typical, amount, rng):
    """Whole numbers uniform in ``typical * (1 ± amount)``, and at least 1."""
    low = np.maximum(np.rint(typical * (1 - amount)), 1).astype(int)
    high = np.rint(typical * (1 + amount)).astype(int)
    return rng.randint(low, high + 1)


def _scale_to_unit_box(X, centers):
    """Scale each feature of X to [0, 1], and move the centers along."""
    low, high = X.min(axis=0), X.max(axis=0)
    width = np.where(high > low, high - low, 1.0)
    return (X - low) / width, (centers - low) / width


def _shuffle_rows(X, y, rng):
    order = rng.permutation(len(y))
    return X[order], y[order]


def _check_dtype(dtype):
    try:
        resolved = np.dtype(dtype)
    except TypeError:
        resolved = None
    if resolved not in (np.float64, np.float32):
        raise ValueError(f"dtype must be float64 or float32. Got {dtype!r} instead.")
    return resolved


def _check_sizes(sizes, n_samples, n_clusters, n_outliers):
    """The sizes of an array as whole numbers, if they agree with the counts asked for."""
    values = np.asarray(sizes)
    if values.ndim != 1 or values.dtype.kind not in "iu" or not len(values) or values.min() < 1:
        raise ValueError(
            f"sizes must be a string or a non-empty list of integers above 0. Got {values!r}."
        )
    n_rows = int(values.sum()) + n_outliers
    if n_samples not in (None, n_rows):
        raise ValueError(
            f"n_samples={n_samples} disagrees with sizes and n_outliers, which make {n_rows} rows. "
            "Leave n_samples out."
        )
    if n_clusters not in (None, len(values)):
        raise ValueError(
            f"n_clusters={n_clusters} disagrees with the {len(values)} sizes given. "
            "Leave n_clusters out."
        )
    return values.astype(np.int64)


def _points_in_groups(n_samples, n_outliers):
    n_samples = 10_000 if n_samples is None else n_samples
    if n_outliers >= n_samples:
        raise ValueError(
            f"n_outliers must be below n_samples={n_samples}, which counts them too. "
            f"Got {n_outliers} instead."
        )
    return n_samples - n_outliers


def _zipf_sizes(n_points, n_clusters, exponent, min_size):
    if n_points < n_clusters * min_size:
        raise ValueError(
            f"n_clusters={n_clusters} groups of min_size={min_size} points or more need "
            f"{n_clusters * min_size} points besides outliers, and n_samples leaves {n_points}. "
            "Raise n_samples or lower n_clusters or min_size."
        )
    return _apportion(np.arange(1, n_clusters + 1.0) ** -exponent, n_points, min_size)


def _check_count_is_free(n_clusters):
    if n_clusters is not None:
        raise ValueError(
            f"n_clusters must be None with sizes='pitman-yor', which draws it. Got {n_clusters}. "
            "Change concentration and discount instead."
        )


def _pitman_yor_sizes(n_points, concentration, discount, min_size, rng):
    from pypmeans.process import sample_partition  # so that loading the demo compiles nothing

    labels = sample_partition(n_points, concentration, discount, random_state=rng)
    sizes = np.sort(np.bincount(labels))[::-1]
    if sizes[0] < min_size:
        raise ValueError(
            f"No group reached min_size={min_size} points: the largest has {sizes[0]}. "
            "Raise n_samples or lower min_size, concentration or discount."
        )
    return _apportion(sizes[sizes >= min_size].astype(float), n_points, min_size)


def _apportion(weights, total, least):
    """Whole numbers that sum to `total`, as proportional to the falling `weights` as the lower
    limit `least` allows: the head is proportional and the tail stands at `least`.
    """
    tail_lengths = np.arange(len(weights))[::-1]
    scales = (total - least * tail_lengths) / np.cumsum(weights)
    end_of_head = np.flatnonzero(weights * scales >= least)[-1]
    shares = np.where(
        tail_lengths < tail_lengths[end_of_head], least, weights * scales[end_of_head]
    )
    sizes = np.maximum(np.floor(shares), least).astype(np.int64)
    largest_remainders_first = np.argsort(sizes - shares, kind="stable")
    sizes[largest_remainders_first[: total - sizes.sum()]] += 1
    return sizes


def _place_centers(count, n_features, separation, rng):
    """Centers in a box, `separation` or more apart, in random order."""
    nowhere, small_side = np.empty((0, n_features)), separation / np.sqrt(n_features)
    # The last shell of the box is seldom full when the darts end: throw more, keep the innermost.
    points = _throw_apart(count + count // 4 + 1, nowhere, small_side, separation, rng)
    innermost = np.argsort(np.abs(points).max(axis=1), kind="stable")[:count]
    return points[rng.permutation(innermost)]


def _place_outliers(count, centers, separation, rng):
    """Points around and between the centers, `separation` or more from them and one another."""
    side = 3 * np.abs(centers).max() + 2 * separation
    return _throw_apart(count, centers, side, separation, rng)


def _throw_apart(count, occupied, side, separation, rng):
    """Throw `count` darts into a box that grows when it is full, each `separation` from all."""
    placed, n_features = occupied, occupied.shape[1]
    while len(placed) < len(occupied) + count:
        n_darts = min(max(len(placed), 32), 2048)
        darts = side * (rng.random_sample((n_darts, n_features)) - 0.5)
        hits = _keep_apart(darts, placed, separation)
        placed = np.vstack([placed, hits])
        if len(hits) < 0.05 * n_darts:
            side *= max(1.2 ** (1 / n_features), 1.01)
    return placed[len(occupied) : len(occupied) + count]


def _keep_apart(darts, placed, separation):
    """The darts that lie `separation` or more from all placed points and all darts before them."""
    reach = separation * (1 + 1e-9)  # so that rounding never breaks the promise
    if len(placed):
        darts = darts[_nearest_distance(darts, placed) >= reach]
    too_close_to_earlier = np.triu(cdist(darts, darts) < reach, 1).any(axis=0)
    return darts[~too_close_to_earlier]


def _nearest_distance(points, others):
    if points.shape[1] <= 8:  # beyond that a tree prunes little
        return cKDTree(others).query(points)[0]
    return cdist(points, others).min(axis=1)


def _draw_groups(centers, sizes, anisotropy, rng):
    """Rows of all groups, one group after the other, and their labels."""
    y = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    X = rng.standard_normal((len(y), centers.shape[1]))
    if anisotropy > 1:
        ends = np.cumsum(sizes)
        for start, end in zip(ends - sizes, ends):
            X[start:end] = X[start:end] @ _random_stretch(centers.shape[1], anisotropy, rng)
    X += centers[y]
    return X, y


def _random_stretch(n_features, anisotropy, rng):
    """A matrix that stretches along random orthogonal directions and keeps the total variance."""
    stds = np.geomspace(1.0, anisotropy, n_features)
    stds *= np.sqrt(n_features / np.sum(stds**2))
    directions, _ = np.linalg.qr(rng.standard_normal((n_features, n_features)))
    return stds[:, None] * directions.T
