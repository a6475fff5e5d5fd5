"""The estimators: validate, resolve the parameters, solve, store."""

from functools import partial
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
    _fit_context,
)
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from pypmeans import _kernels
from pypmeans._beyond_memory import TableBlocks, fit_blocks, in_blocks
from pypmeans._blocks import counted
from pypmeans._doubts import warn, warn_if_doubtful
from pypmeans._glance import GlanceMixin
from pypmeans._improving import SearchMoves
from pypmeans._moves import Mergers, PaperMoves
from pypmeans._path import (
    ScalePath,
    dominance_of_one_feature,
    penalty_of_scale,
    scale_path,
)
from pypmeans._penalty import PitmanYorPenalty, SizedPenalty
from pypmeans._progress import CallbackSupportMixin, Progress, with_callbacks
from pypmeans._samples import ArraySamples, labels_by
from pypmeans._solver import solve
from pypmeans._streams import take_in
from pypmeans._threads import Threads, blocks_of
from pypmeans._tuning import DEFAULT_THETA_RATIO, auto_lam, theta_of
from pypmeans._validation import check_columns, check_init, check_rows, check_weights


class Algorithm(NamedTuple):
    """What makes the difference between the algorithms: what clusters cost, and which moves."""

    penalty: type
    moves: type
    settling: type  # moves that need no more than a few passes over the rows


ALGORITHMS = {
    "paper": Algorithm(PitmanYorPenalty, PaperMoves, PaperMoves),
    "search": Algorithm(SizedPenalty, SearchMoves, Mergers),
}


class _PenalizedMeans(
    GlanceMixin,
    CallbackSupportMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    ClusterMixin,
    BaseEstimator,
):
    """Everything :class:`PYPMeans` and :class:`DPMeans` share: all but where θ comes from."""

    _parameter_constraints: dict = {
        "lam": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "algorithm": [StrOptions({"search", "paper"})],
        "init": [StrOptions({"mean", "random"}), "array-like"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, 1, closed="left")],
        "max_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "n_threads": [Interval(Integral, 1, None, closed="left"), None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    path_: ScalePath
    cluster_ids_: np.ndarray
    _stream: Any  # what `partial_fit` knows of earlier batches
    _found: Any  # by "auto": λ for the algorithm of the paper, otherwise the squared scale

    @_fit_context(prefer_skip_nested_validation=True)
    @with_callbacks
    def fit(self, X, y=None, sample_weight=None):
        """Find the clusters of `X`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The data. float32 is kept as it is; everything else becomes float64. Sparse rows, such
            as term frequencies, stay sparse; they get the labels that dense ones would.
        y : None
            Ignored; here for consistency with scikit-learn.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts: weight 2 is the same as the row twice. A row that weighs
            less than 1 founds a cluster only if that lowers the objective. Rows of weight 0 do
            not influence the fit; they get the labels `predict` gives them.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        progress = Progress(self)
        blocks = self._blocks_of(X, sample_weight)
        if blocks is not None:
            return self._fit_blocks(blocks, X, progress)
        X = check_rows(self, X, reset=True)
        weight = check_weights(sample_weight, X)
        rows, some_weight = counted(X, weight)
        with ArraySamples(rows, some_weight, self.n_threads) as samples:
            penalty, centers = self._start(samples, rows, some_weight)
            solution = self._solve(samples, centers, penalty, progress)
        progress.close()
        self._store(solution, penalty)
        warn_if_doubtful(self, solution, X.shape[0], lightest=some_weight.min())
        if rows.shape[0] < X.shape[0]:
            self.labels_ = self._label(X)
        return self

    def _blocks_of(self, X, sample_weight):
        """The blocks of `X` if that is how it gives its rows, otherwise None."""
        return TableBlocks(X, sample_weight, self.n_threads) if in_blocks(X) else None

    def _fit_blocks(self, blocks, X, progress):
        """Fit to the rows of `blocks`, which are those of `X`."""
        self.n_features_in_ = blocks.n_features
        self.__dict__.pop("feature_names_in_", None)
        if hasattr(X, "columns") and getattr(X, "has_names", True):
            names = list(X.columns)
            if all(isinstance(name, str) for name in names):
                self.feature_names_in_ = np.array(names, dtype=object)
        solution, penalty, overview = fit_blocks(self, blocks, progress)
        progress.close()
        self._store(solution, penalty)
        warn_if_doubtful(self, solution, overview.n_rows, lightest=overview.lightest)
        self.labels_ = self.predict(X)
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y=None, sample_weight=None, *, forget=0.0):
        """Take in one more batch of rows; clusters appear and merge as needed.

        What is kept of all rows is a summary of bounded size: a few thousand micro-clusters. It is
        solved anew for each batch, from the clusters there are, so batches of some hundred rows or
        more are best.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The batch.
        y : None
            Ignored; here for consistency with scikit-learn.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, as for `fit`.
        forget : float in [0, 1), default=0.0
            The part of their weight that all earlier rows lose first.

        Returns
        -------
        self : object
            The estimator. `labels_` are those of this batch.

        Notes
        -----
        Clusters are not numbered by size here: a label is one of `cluster_ids_` and means the same
        cluster after every call. `merged_into_` says where the ids went that the last call ended:
        into another cluster, or -1 if its rows were forgotten. With ``lam="auto"`` the scale found
        in the first batch (of a hundred rows: smaller ones count together) is kept; a warning says
        when it does not fit any more. `objective_` and `inertia_` are those of the micro-clusters,
        together with the sum of squares within them.

        Examples
        --------
        >>> from pypmeans import DPMeans
        >>> model = DPMeans(lam=5).partial_fit([[0.0], [1.0]])
        >>> model.partial_fit([[20.0], [21.0], [0.5]]).labels_
        array([1, 1, 0], dtype=int32)
        >>> model.cluster_ids_, model.cluster_sizes_
        (array([0, 1]), array([3., 2.]))
        """
        if not (isinstance(forget, int | float) and 0 <= forget < 1):
            raise ValueError(f"forget must be at least 0 and less than 1. Got {forget!r}.")
        if in_blocks(X):
            raise TypeError(
                "partial_fit takes one batch of rows. Give it the blocks of a table one by one: "
                "for block in table.blocks(): model.partial_fit(block.rows)"
            )
        X = check_rows(self, X, reset=not hasattr(self, "cluster_centers_"))
        rows, weight = counted(X, check_weights(sample_weight, X))
        step = take_in(self, rows, weight, forget)
        self._store(step.solution, step.penalty)
        self.cluster_ids_, self.merged_into_ = step.ids, step.merged_into
        self._stream = step.stream
        self.labels_ = self._label(X)
        warn_if_doubtful(self, step.solution, self.cluster_sizes_.sum(), lightest=weight.min())
        if self.lam == "auto" and step.outgrown:
            warn(
                "Clusters are more than twice as wide, as narrow or as close together as in the "
                "first batch, where the scale was found. Fit anew, or give lam and theta."
            )
        return self

    def predict(self, X):
        """The nearest cluster of each row.

        Parameters
        ----------
        X : array-like, sparse matrix or table of shape (n_samples, n_features)
            New or old rows; for the rows given to `fit` the result equals `labels_`. A table is a
            :class:`pypmeans.files.TableFile`, read block by block.

        Returns
        -------
        labels : ndarray of shape (n_samples,), dtype int32
            Cluster numbers; 0 is the largest cluster.
        """
        return self._by_rows(self._label, X)

    def transform(self, X):
        """Euclidean distances of the rows to all cluster centers.

        Parameters
        ----------
        X : array-like, sparse matrix or table of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_clusters)
            In the dtype of `X`.
        """
        return self._by_rows(self._distances, X)

    def score(self, X, y=None, sample_weight=None):
        """Minus the objective of `X` with the present centers: higher is better.

        Parameters
        ----------
        X : array-like, sparse matrix or table of shape (n_samples, n_features)
            The rows.
        y : None
            Ignored; here for consistency with scikit-learn.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        score : float
            Minus the weighted sum of squared distances to the nearest centers, minus the charge
            for the clusters.
        """
        check_is_fitted(self)
        blocks = self._blocks_of(X, sample_weight)
        if blocks is None:
            X = check_rows(self, X, reset=False)
            cost, sizes = self._cost_and_sizes(X, check_weights(sample_weight, X))
        else:
            check_columns(self, X)
            cost, sizes = blocks.fold(partial(_cost_and_sizes, self._light()), _added)
        return -float(cost + self._penalty.charge(sizes))

    def is_novel(self, X):
        """Where founding a new cluster would cost less than joining one.

        Each row is judged by itself, as one new point of weight 1: joining moves the center and
        raises the sum of squares, founding pays the charge for one more cluster.

        Parameters
        ----------
        X : array-like, sparse matrix or table of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        novel : ndarray of shape (n_samples,), dtype bool
            True for rows unlike anything seen. All False when λ and θ allow no further cluster.
        """
        return self._by_rows(self._novelty, X)

    @property
    def _penalty(self):
        return ALGORITHMS[self.algorithm].penalty(self.lam_, self.theta_)

    @property
    def _n_features_out(self):
        return self.n_clusters_

    def _start(self, samples, X, weight):
        """The penalty, and the centers to start from; the rows of `X` show the scale."""
        penalty, found = self._resolve(samples, X, weight)
        centers = check_init(self.init, samples, self.random_state, self._most_clusters(penalty))
        from_path = found is not None and isinstance(self.init, str) and self.init == "mean"
        return penalty, found if from_path else centers

    def _solve(self, samples, centers, penalty, report, *, sizes=None, settling=False):
        algorithm = ALGORITHMS[self.algorithm]
        moves = algorithm.settling if settling else algorithm.moves
        return solve(
            samples,
            centers,
            moves(penalty, self._most_clusters(penalty)),
            sizes=sizes,
            max_iter=self.max_iter,
            tol=self.tol,
            report=report,
        )

    def _most_clusters(self, penalty):
        return min(penalty.limit, self.max_clusters or penalty.limit)

    def _resolve(self, samples, X, weight):
        """λ and θ as a penalty, and the centers found together with them, if any."""
        if hasattr(self, "path_"):
            del self.path_
        self._found, self._found_by, centers = None, self.algorithm, None
        if self.lam == "auto":
            self._found, centers = self._find(samples, X, weight)
        return self._penalty_for(samples), centers

    def _find(self, samples, X, weight):
        """λ for the algorithm of the paper, otherwise the squared scale and perhaps centers."""
        if self.algorithm == "paper":
            return auto_lam(samples, self.theta), None
        message = dominance_of_one_feature(X, getattr(self, "feature_names_in_", None))
        if message:
            warn(message)
        if self.theta is not None and self.theta > 0:
            return self.theta / 2, None
        self.path_ = scale_path(
            X, max_clusters=self.max_clusters, theta=self.theta, sample_weight=weight,
            n_threads=self.n_threads,
        )  # fmt: skip
        best = self.path_.best
        return best.scale**2, best.cluster_centers

    def _penalty_for(self, samples):
        """What clusters of these rows cost, given what "auto" has found."""
        if self.lam == "auto" and self.algorithm == "search":
            total = float(samples.weight.sum())
            return penalty_of_scale(self._found, samples.X.shape[1], total, self.theta)
        lam = float(self._found if self.lam == "auto" else self.lam)
        return ALGORITHMS[self.algorithm].penalty(lam, self._theta_for(lam, samples))

    def _theta_for(self, lam, samples):
        if self.theta is not None:
            return float(self.theta)
        return lam / DEFAULT_THETA_RATIO if self.algorithm == "paper" else theta_of(lam, samples)

    def _by_rows(self, function, X):
        """`function` of the checked rows of `X`; of a table, of one block after the other."""
        check_is_fitted(self)
        if in_blocks(X):
            check_columns(self, X)
            return np.concatenate([function(block.rows) for block in X.blocks()])
        return function(check_rows(self, X, reset=False))

    def _light(self):
        """What the blocks of a collection need to know of the fitted model."""
        return self

    def _cost_and_sizes(self, X, weight):
        """Weighted sum of squared distances of checked rows, and the weights of their clusters."""
        labels, sq_dists = self._nearest(X)
        return np.sum(weight * sq_dists), np.bincount(
            labels, weights=weight, minlength=self.n_clusters_
        )

    def _label(self, X):
        """The ids of the clusters that checked rows belong to."""
        return self.cluster_ids_.astype(np.int32)[self._nearest(X)[0]]

    def _distances(self, X):
        distances = np.empty((X.shape[0], self.n_clusters_), dtype=X.dtype)
        with Threads(self.n_threads) as threads:
            threads.run(
                lambda rows: _kernels.distances_to(X[rows], self.cluster_centers_, distances[rows]),
                blocks_of(X.shape[0]),
            )
        return distances

    def _novelty(self, X):
        if self.n_clusters_ >= self._penalty.limit:
            return np.zeros(X.shape[0], dtype=bool)
        costs = np.empty(X.shape[0])
        with Threads(self.n_threads) as threads:
            threads.run(
                lambda rows: _kernels.cheapest_join(
                    X[rows], self.cluster_centers_, self.cluster_sizes_, self._penalty.pull,
                    costs[rows],
                ),
                blocks_of(X.shape[0]),
            )  # fmt: skip
        return costs > self._penalty.marginal(self.n_clusters_)

    def _nearest(self, X):
        """Labels and squared distances of checked rows, by the kernel that `fit` uses."""
        return labels_by(self.cluster_centers_, self._offsets, X, self.n_threads)

    def _store(self, solution, penalty):
        self.cluster_centers_ = solution.centers
        self.cluster_sizes_ = solution.sizes
        self._offsets = solution.offsets
        self.labels_ = solution.labels
        self.n_clusters_ = len(solution.centers)
        self.cluster_ids_, self.merged_into_ = np.arange(self.n_clusters_), {}
        self._stream = None
        self.lam_, self.theta_ = penalty.lam, penalty.theta
        self.inertia_ = solution.inertia
        self.objective_history_ = np.array(solution.history)
        self.objective_ = float(self.objective_history_[-1])
        self.n_iter_ = solution.n_iter

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.input_tags.sparse = True
        return tags


def _cost_and_sizes(model, rows, weight, number, n_threads=None):
    return model._cost_and_sizes(rows, weight)


def _added(parts):
    return tuple(sum(kind) for kind in zip(*parts))


class PYPMeans(_PenalizedMeans):
    """Clusters of very different sizes, without being told how many.

    Minimises the sum of squared distances to the cluster centers plus a charge for the clusters.
    With the default ``algorithm="search"`` that charge knows the sizes W_k of the clusters, W in
    all: ``theta * sum(W_k * ln(W / W_k)) + lam * c - theta * ln((c - 1)!)``. One more costs
    ``lam - theta * ln(c)``, as in the paper, and large clusters attract, so that large groups stay
    whole and small ones are kept. Clusters are split, merged and swapped until nothing helps.

    Parameters
    ----------
    lam : float or "auto", default="auto"
        The price of a second cluster, in the units of `X`, squared. The smaller, the more clusters.
        With ``algorithm="paper"`` it is one squared distance, whatever the number of rows; with
        ``"search"`` a cluster must save that much in all. "auto" takes the scale that the data
        support best, see :func:`scale_path`, or, with a number for `theta`, the λ that belongs to
        it; with ``algorithm="paper"`` it stops at the largest relative drop of the
        :func:`radius_profile`.
    theta : float, default=None
        How strongly sizes count: twice the variance within a cluster, per feature. 0 is
        :class:`DPMeans`. The price of a cluster falls by ``theta * ln(c)`` as clusters appear, so
        no more than about ``exp(lam / theta)`` are possible (``exp(lam / theta - 1)`` with
        ``algorithm="paper"``). None means that it follows from `lam`: ``2 lam / (p ln W)`` for p
        features (``lam / 10`` with ``algorithm="paper"``), and found together with it by "auto".
    algorithm : {"search", "paper"}, default="search"
        "paper" is exactly the paper: furthest-first opening, means, agglomeration, and a charge of
        ``c * (lam - theta * ln(c))``, which does not know sizes. Never compare the two at equal
        `lam`: compare at an equal number of clusters, or each at its own best.
    init : "mean", "random" or array-like of shape (n_centers, n_features), default="mean"
        The first center: the mean of all rows, or a random row; or several centers. After "auto"
        has found a solution together with `lam`, "mean" means to start from that.
    max_iter : int, default=100
        The most passes over the rows.
    tol : float, default=0.0
        Rows count as settled when their moving lowered the objective by this part of it or less; 0
        means when no label changes. Where groups touch, the last rows to settle take most passes
        and change next to nothing: 1e-4 saves them.
    max_clusters : int, default=None
        The most clusters to open.
    n_threads : int, default=None
        Number of threads; None means all CPUs this process may use. The result is the same, to
        the bit, for any number.
    random_state : int, RandomState instance or None, default=None
        Serves ``init="random"`` only; everything else is deterministic.
    verbose : int, default=0
        Print one line per pass if positive.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), dtype int32
        The cluster of each row. Clusters are numbered by decreasing weight; every row has one.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features_in_), dtype float64
        The means of the clusters.
    n_clusters_ : int
        The number of clusters found.
    cluster_sizes_ : ndarray of shape (n_clusters_,)
        The sums of the weights of the clusters: the numbers of their rows without weights.
    lam_, theta_ : float
        The values used.
    objective_ : float
        The sum of squared distances plus the charge for the clusters.
    path_ : ScalePath
        With ``lam="auto"``: all solutions looked at, with their scores. ``path_.best`` was taken;
        neighbours on the path are coarser or finer, and ``path_[i].predict(X)`` labels by them.
    objective_history_ : ndarray
        The objective after each pass. It never rises.
    inertia_ : float
        The weighted sum of squared distances alone.
    n_iter_ : int
        The number of passes over the rows.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where `X` has any.

    See Also
    --------
    DPMeans : The same with a price that does not fall and sizes that do not count.
    scale_path : Solutions for all scales, from which "auto" chooses.
    estimate_lambda : A value of `lam` for a number of clusters, for ``algorithm="paper"``.

    Notes
    -----
    Rows may be watched pass by pass with ``verbose=1`` and with scikit-learn's callbacks
    (``set_callbacks``, scikit-learn 1.9 or newer).

    References
    ----------
    X. Fan, Y. Zeng and L. Cao, "Non-parametric Power-law Data Clustering", arXiv:1306.3003, 2013.

    Examples
    --------
    >>> from pypmeans import PYPMeans
    >>> X = [[0, 0], [0, 1], [1, 0], [9, 9], [9, 8], [20, 0]]
    >>> model = PYPMeans(lam=10, theta=1).fit(X)
    >>> model.labels_
    array([0, 0, 0, 1, 1, 2], dtype=int32)
    >>> model.cluster_sizes_
    array([3., 2., 1.])
    >>> model.predict([[8, 8], [19, 1]])
    array([1, 2], dtype=int32)
    >>> model.is_novel([[8, 8], [50, 50]])
    array([False,  True])
    """

    _parameter_constraints: dict = {
        **_PenalizedMeans._parameter_constraints,
        "theta": [Interval(Real, 0, None, closed="left"), None],
    }

    def __init__(
        self,
        lam="auto",
        theta=None,
        *,
        algorithm="search",
        init="mean",
        max_iter=100,
        tol=0.0,
        max_clusters=None,
        n_threads=None,
        random_state=None,
        verbose=0,
    ):
        self.lam = lam
        self.theta = theta
        self.algorithm = algorithm
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.max_clusters = max_clusters
        self.n_threads = n_threads
        self.random_state = random_state
        self.verbose = verbose


class DPMeans(_PenalizedMeans):
    """Clusters whose number follows from one price: DP-means.

    Minimises the sum of squared distances to the cluster centers plus `lam` for each cluster:
    k-means that chooses the number of clusters. :class:`PYPMeans` with ``theta=0``.

    Parameters
    ----------
    lam : float or "auto", default="auto"
        The price of a cluster, in the units of `X`, squared: what it must save in the sum of
        squares. With ``algorithm="paper"``, the squared distance from the nearest center past which
        a row founds a cluster. "auto" as for :class:`PYPMeans`.
    algorithm, init, max_iter, tol, max_clusters, n_threads, random_state, verbose
        As for :class:`PYPMeans`.

    Attributes
    ----------
    labels_, cluster_centers_, n_clusters_, cluster_sizes_, lam_, theta_, objective_, \
objective_history_, inertia_, n_iter_, n_features_in_, feature_names_in_
        As for :class:`PYPMeans`; ``theta_`` is 0.

    See Also
    --------
    PYPMeans : With a threshold that falls as clusters appear.

    References
    ----------
    B. Kulis and M. I. Jordan, "Revisiting k-means: New Algorithms via Bayesian Nonparametrics",
    ICML 2012.

    Examples
    --------
    >>> from pypmeans import DPMeans
    >>> model = DPMeans(lam=10).fit([[0.0], [1.0], [8.0], [30.0]])
    >>> model.cluster_centers_.ravel()
    array([ 0.5,  8. , 30. ])
    >>> model.objective_  # 0.25 + 0.25 within the first cluster, and 10 for each of the three
    30.5
    """

    theta = 0.0

    def __init__(
        self,
        lam="auto",
        *,
        algorithm="search",
        init="mean",
        max_iter=100,
        tol=0.0,
        max_clusters=None,
        n_threads=None,
        random_state=None,
        verbose=0,
    ):
        self.lam = lam
        self.algorithm = algorithm
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.max_clusters = max_clusters
        self.n_threads = n_threads
        self.random_state = random_state
        self.verbose = verbose
