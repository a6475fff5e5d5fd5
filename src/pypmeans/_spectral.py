"""Pitman-Yor spectral clustering: the spectrum of the affinities says how many clusters."""

import warnings
from math import log
from numbers import Integral, Real
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context
from sklearn.cluster import KMeans
from sklearn.metrics import pairwise_distances_argmin
from sklearn.preprocessing import normalize as unit_rows
from sklearn.utils import check_random_state, gen_batches
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from pypmeans._affinity import CalledAffinity, GivenAffinity, NeighborAffinity, RadialAffinity
from pypmeans._glance import GlanceMixin
from pypmeans._penalty import PitmanYorPenalty
from pypmeans._spectrum import Spectrum
from pypmeans._validation import check_range

# Where max_clusters is not given: all of the spectrum up to so many rows, so many clusters beyond.
WHOLE_SPECTRUM, MANY_CLUSTERS = 1000, 100
# 1 - eigenvalue of one connected piece grows by at most 4 from one to the next: a string is the
# worst, (2π)² against π². A larger step separates pieces; one more allows for sampling.
STEEP = 5.0
# A smaller step does as well if it stands alone: if it is so many times the growth over as many
# eigenvalues again. That is 1 for a string, 1.8 for a ring; discs and balls have no such step.
LESS_STEEP, ALONE = 3.0, 2.5
# 1 - eigenvalue below which pieces count as apart.
APART = 1e-9
TINY = np.finfo(np.float64).tiny
# Eigenpairs to begin with, and affinities at hand in `predict` at a time.
FIRST, AT_A_TIME = 8, 2**23


class PYPSpectralClustering(GlanceMixin, ClusterMixin, BaseEstimator):
    """Clusters of any shape, their number read from the spectrum of the affinities.

    With eigenvalues λ_1 ≥ λ_2 ≥ … of the affinity matrix, the number of clusters is the largest c
    with ``λ_c > lam - theta ln c`` and ``λ_{c+1} <= lam - theta ln (c+1)``: where the spectrum
    falls below a line that itself falls as clusters appear. The rows of the c leading
    eigenvectors are clustered by k-means. Use it where groups are rings, crescents or otherwise
    not round; :class:`PYPMeans` is faster where they are.

    Parameters
    ----------
    lam : float or "auto", default="auto"
        Where the line begins: the eigenvalue that the first cluster must exceed. With
        ``normalize=True`` eigenvalues end at 1 for any number of rows, so that `lam` lies between
        0 and 1 and close to 1; a smaller one gives more clusters. "auto" puts the line into the
        last steep gap of the spectrum (see Notes).
    theta : float, default=None
        How fast the line falls as clusters appear; 0 is the spectral DP-means of Kulis and Jordan.
        None means a twentieth of the gap with ``lam="auto"``; with a number for `lam`,
        ``(1 - lam) / 10``, and ``lam / 10`` with ``normalize=False``.
    affinity : "nearest_neighbors", "rbf", "precomputed" or callable, default="nearest_neighbors"
        How alike rows are.

        - "nearest_neighbors": a sparse graph, each row linked to its `n_neighbors` nearest, itself
          among them. Edges of length d weigh ``exp(-2 d^2 / (s t))``, with s and t the distances of
          the two rows to their last neighbours. It fits groups of different density and any
          number of rows. Equal rows are one vertex.
        - "rbf": ``exp(-gamma d^2)`` for all pairs, dense, for up to 16,384 rows. With one bandwidth
          for all, outlying rows and thin groups fall apart into clusters of one row.
        - "precomputed": `X` is a symmetric matrix of affinities, dense or sparse.
        - callable: takes two arrays of rows, gives their matrix of affinities, like the functions
          of `sklearn.metrics.pairwise`.
    gamma : float, default=None
        The bandwidth, for squared distances. None chooses it from the data: for "rbf"
        ``1 / (2 s^2)`` with s the median distance of a row to its last neighbour, for
        "nearest_neighbors" each row's own (above).
    n_neighbors : int, default=10
        Neighbours of each row, counting itself: edges of the graph, and the scale of distances.
        Groups of fewer rows are joined to others.
    normalize : bool, default=True
        Take the spectrum of ``D^-1/2 K D^-1/2``, with K the affinities and D their row sums, rather
        than of K itself as in the paper, where eigenvalues grow with the sizes of the groups.
    normalize_rows : bool, default=True
        Scale the rows of the eigenvectors to unit length before k-means, so that small clusters
        and fringes count like the rest.
    max_clusters : int, default=None
        The most clusters to look for. None means no limit up to 1,000 rows, where all of the
        spectrum can be had, and 100 beyond. The rule asks for the largest c; among more clusters
        than this it is not looked for, and a warning says so if eigenvalues are still above the
        line there.
    n_init : int, default=10
        Runs of k-means, of which the best is kept.
    random_state : int, RandomState instance or None, default=None
        Seeds k-means. None is a fixed seed: results can be repeated in any case. Everything else
        is deterministic.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), dtype int32
        The cluster of each row, numbered by decreasing size, ties by the first row.
    n_clusters_ : int
        The number of clusters by the rule.
    cluster_sizes_ : ndarray of shape (n_clusters_,)
        The numbers of their rows.
    eigenvalues_ : ndarray
        The leading eigenvalues, decreasing, as many as were needed.
    embedding_ : ndarray of shape (n_samples, n_clusters_)
        What k-means saw: the leading eigenvectors, one row for each row of `X`.
    objective_ : float
        The trace that these eigenvectors make largest for this number of clusters: the sum of
        their eigenvalues minus ``c (lam - theta ln c)``.
    lam_, theta_ : float
        The values used.
    gamma_ : float or None
        The bandwidth, where there is one.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where `X` has any.

    See Also
    --------
    PYPMeans : Clusters around centers.
    pypmeans.plotting.plot_spectrum : The eigenvalues and the line.

    Notes
    -----
    The rule decides, not the trace: for ``theta > 0`` the trace may be larger for another number
    of clusters. An eigenvalue on the line counts as below it, a case the paper leaves open. If no
    eigenvalue is above the line there is one cluster, with a warning.

    ``lam="auto"`` looks at μ_c = 1 − λ_c, which is 0 for each separate piece and small for pieces
    joined weakly. Within one piece μ grows slowly, by a factor of 4 at most (a string; about 2 for
    a disc or a ball), so that a step from μ_c to five times as much marks pieces, and so does one
    to three times as much if over the next c eigenvalues μ hardly grows. The last such step is
    taken, for groups may themselves stand in groups; without any there is one cluster. Once a step
    is found, as many eigenvalues again and four more are searched for another.

    Three criteria were compared on crescents, rings and spirals (30 sets), groups of Zipf sizes
    (15) and single blobs, strings, rings and cubes (55). The largest difference of eigenvalues was
    right in 0, 10 and 18 of them: within strings and rings the largest one is far down the
    spectrum. The largest ratio μ_{c+1} / μ_c, if five or more, in 30, 5 and 54: where some groups
    are quite apart, it stops at groups of groups. Maximising over diffusion times instead comes to
    the same ratio. The last steep one, kept: 30, 15 and 54. These sets also served to choose the
    factors above, so that the figures flatter it. On 30 new seeds each it was right for 179 of 180
    such shapes, all 90 round blobs, 27 strings, and groups of Zipf sizes 8 standard deviations
    apart in 29 (three features) and 25 (two); 5 apart in none, where it joins those that overlap.
    Heavy tails are its weakness: outlying rows become clusters of their own, for Student's t with 3
    degrees of freedom in 5 (two features) to 14 (five) of 30 single groups.

    Groups that overlap leave no step; then give a number for `lam`, by the picture of the
    spectrum. With ``normalize=False``
    eigenvalues have no end to be measured from, and the largest ratio λ_c / λ_{c+1} of those above
    the mean is taken: enough for compact groups.

    A thinly sampled curve may come apart by chance, where all neighbours of a row lie on one side.
    Half as many neighbours again are looked at to join such pieces; where that is not enough, give
    more `n_neighbors`.

    New rows are placed by the Nyström extension: the affinities to the rows that were there
    average their coordinates.

    References
    ----------
    X. Fan, Y. Zeng and L. Cao, "Non-parametric Power-law Data Clustering", arXiv:1306.3003, 2013,
    Sec. V-C.

    B. Kulis and M. I. Jordan, "Revisiting k-means: New Algorithms via Bayesian Nonparametrics",
    ICML 2012.

    L. Zelnik-Manor and P. Perona, "Self-Tuning Spectral Clustering", NIPS 2004.

    Examples
    --------
    A ring around a blob:

    >>> import numpy as np
    >>> from pypmeans import PYPSpectralClustering
    >>> angle, radius = np.arange(60) * 2.4, np.sqrt(np.arange(60) / 60)
    >>> blob = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    >>> ring = 4 * np.column_stack([np.cos(np.arange(40)), np.sin(np.arange(40))])
    >>> model = PYPSpectralClustering().fit(np.vstack([blob, ring]))
    >>> model.n_clusters_, model.cluster_sizes_
    (2, array([60, 40]))
    >>> model.predict([[0.0, 0.1], [0.0, -4.1], [3.9, 0.0]])
    array([0, 1, 1], dtype=int32)
    """

    _parameter_constraints: dict = {
        "lam": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "theta": [Interval(Real, 0, None, closed="left"), None],
        "affinity": [StrOptions({"nearest_neighbors", "rbf", "precomputed"}), callable],
        "gamma": [Interval(Real, 0, None, closed="neither"), None],
        "n_neighbors": [Interval(Integral, 2, None, closed="left")],
        "normalize": ["boolean"],
        "normalize_rows": ["boolean"],
        "max_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        lam="auto",
        theta=None,
        *,
        affinity="nearest_neighbors",
        gamma=None,
        n_neighbors=10,
        normalize=True,
        normalize_rows=True,
        max_clusters=None,
        n_init=10,
        random_state=None,
    ):
        self.lam = lam
        self.theta = theta
        self.affinity = affinity
        self.gamma = gamma
        self.n_neighbors = n_neighbors
        self.normalize = normalize
        self.normalize_rows = normalize_rows
        self.max_clusters = max_clusters
        self.n_init = n_init
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Find the clusters of `X`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data; with ``affinity="precomputed"`` the affinities, an array or a sparse matrix
            of shape (n_samples, n_samples).
        y : None
            Ignored; here for consistency with scikit-learn.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        X = self._check(X, reset=True)
        self._affinity = self._make_affinity(X)
        matrix, self._root_degrees = scaled(self._affinity.matrix(), self.normalize)
        spectrum = Spectrum(matrix, bounded=self.normalize)
        choice = self._choose(spectrum, matrix.trace() / spectrum.n)
        self._store(spectrum, choice)
        self._warn_if_doubtful(choice)
        return self

    def predict(self, X):
        """The cluster of each row, old or new, by the Nyström extension of the eigenvectors.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows; with ``affinity="precomputed"`` their affinities to the rows given to `fit`,
            of shape (n_samples, n_samples_fit).

        Returns
        -------
        labels : ndarray of shape (n_samples,), dtype int32
            Cluster numbers; 0 is the largest cluster.
        """
        check_is_fitted(self)
        X = self._check(X, reset=False)
        labels = np.empty(X.shape[0], dtype=np.int32)
        n_lost = 0
        for rows in gen_batches(X.shape[0], max(AT_A_TIME // len(self._vectors), 1)):
            coordinates, lost = self._extend(X[rows])
            labels[rows] = np.where(lost, 0, self._nearest(coordinates))
            n_lost += int(lost.sum())
        if n_lost:
            warnings.warn(
                f"{n_lost} of {len(labels)} rows have no affinity to any row given to fit. They "
                "are put into the largest cluster.",
                stacklevel=2,
            )
        return labels

    def _check(self, X, *, reset):
        given = self.affinity == "precomputed"
        X = validate_data(
            self,
            X,
            reset=reset,
            dtype=np.float64,
            order="C",
            accept_sparse="csr" if given else False,
        )
        if not given:
            old = np.empty((0, X.shape[1])) if reset else self._affinity.vertices
            ends = [part for rows in (old, X) if len(rows) for part in (rows.min(0), rows.max(0))]
            check_range(np.vstack(ends))
        return X

    def _make_affinity(self, X):
        if self.affinity == "nearest_neighbors":
            return NeighborAffinity(X, self.n_neighbors, self.gamma)
        if self.affinity == "rbf":
            return RadialAffinity(X, self.n_neighbors, self.gamma)
        if self.affinity == "precomputed":
            return GivenAffinity(X, self.normalize)
        return CalledAffinity(X, self.affinity, self.normalize)

    def _choose(self, spectrum, mean):
        """λ, θ and the number of clusters that follows from them."""
        most = self.max_clusters or (spectrum.n if spectrum.n <= WHOLE_SPECTRUM else MANY_CLUSTERS)
        most = min(most, spectrum.n)
        if self.lam != "auto":
            lam = float(self.lam)
            default = max(1 - lam, 0) / 10 if self.normalize else lam / 10
            theta = default if self.theta is None else float(self.theta)
            return count_above(spectrum, PitmanYorPenalty(lam, theta), most)
        gaps = steep_gaps if self.normalize else above_mean_gaps
        values, counts = search_gaps(spectrum, most, lambda values, n: gaps(values, n, mean))
        if self.theta:
            values = spectrum.leading(most + 1)  # a steep line may fall below any of these
        if self.normalize and len(values) > most and 1 - values[most] <= APART:
            # more pieces than clusters allowed: a line below all of them, and a warning
            penalty = line_through(values[:most], [most], self.theta)
        else:
            penalty = line_through(values, counts, self.theta)
        return count_in(values, penalty, most, whole=len(values) == spectrum.n)

    def _store(self, spectrum, choice):
        self.lam_, self.theta_ = choice.penalty.lam, choice.penalty.theta
        self.gamma_ = getattr(self._affinity, "gamma", self.gamma)
        self.n_clusters_ = c = choice.n_clusters
        self.eigenvalues_ = choice.eigenvalues
        self.objective_ = float(self.eigenvalues_[:c].sum() - choice.penalty.value(c))
        self._vectors = spectrum.vectors(c)
        vertices = self._coordinates(self._vectors)
        self._centers = self._cluster(vertices)
        self.embedding_ = vertices[self._affinity.vertex_of_row]
        labels = self._nearest(vertices)[self._affinity.vertex_of_row]
        order, sizes = by_size(labels, c)
        self._centers, self.cluster_sizes_ = self._centers[order], sizes
        self.labels_ = np.argsort(order).astype(np.int32)[labels]

    def _cluster(self, coordinates):
        seed = check_random_state(0 if self.random_state is None else self.random_state)
        means = KMeans(self.n_clusters_, n_init=self.n_init, random_state=seed)
        return means.fit(coordinates).cluster_centers_

    def _coordinates(self, vectors):
        return unit_rows(vectors) if self.normalize_rows else vectors

    def _extend(self, X):
        """Coordinates of new rows, and which of them are like nothing seen before."""
        affinity, vertex = self._affinity.between(X)
        values = self.eigenvalues_[: self.n_clusters_]
        used = np.abs(values) > np.finfo(np.float64).eps * len(self._vectors) * abs(values[0])
        vectors = np.where(used, self._vectors / np.where(used, values, 1), 0)
        degree = np.asarray(affinity.sum(axis=1)).ravel()
        lost = np.asarray(abs(affinity).sum(axis=1)).ravel() == 0
        coordinates = affinity @ (vectors / self._root_degrees[:, None])
        if self.normalize:
            coordinates /= np.sqrt(np.where(lost, 1, degree))[:, None]
        if vertex is not None:
            known = vertex >= 0
            coordinates[known] = self._vectors[vertex[known]]
        return self._coordinates(coordinates), lost

    def _nearest(self, coordinates):
        return pairwise_distances_argmin(coordinates, self._centers)

    def _warn_if_doubtful(self, choice):
        c, n = self.n_clusters_, len(self._vectors)
        if choice.more:
            _warn(
                f"Eigenvalue {len(choice.eigenvalues)} is still above the line: more than "
                f"{len(choice.eigenvalues) - 1} clusters were not looked for. Raise "
                "max_clusters or lam."
            )
        elif c == 1 and self.eigenvalues_[0] <= self.lam_:
            _warn(
                f"Only one cluster was found: lam={self.lam_:.6g} is not below the largest "
                f"eigenvalue, {self.eigenvalues_[0]:.6g}. Give a smaller lam."
            )
        elif c == 1 and n > 1:
            seen = (
                f"no steep gap among the first {len(self.eigenvalues_)} eigenvalues"
                if self.lam == "auto"
                else "one eigenvalue above the line"
            )
            _warn(
                f"Only one cluster was found: there is {seen}. Give a lam below the second "
                f"eigenvalue, {self.eigenvalues_[1]:.6g}, for more."
            )
        elif c == n > 1:
            _warn(f"Each of the {c} rows is a cluster of its own. Raise lam or lower gamma.")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.affinity == "precomputed"
        tags.input_tags.sparse = self.affinity == "precomputed"
        return tags


class Choice(NamedTuple):
    """A number of clusters and where it comes from."""

    n_clusters: int
    penalty: PitmanYorPenalty
    eigenvalues: np.ndarray
    more: bool  # whether eigenvalues are above the line where the search ended


def count_in(values, penalty, most, *, whole):
    """The largest c up to `most` whose eigenvalue is above the line and the next one is not.

    `values` are the leading eigenvalues, decreasing; all there are if `whole`.
    """
    above = [value > penalty.line(c) for c, value in enumerate(values[: most + 1], start=1)]
    more = len(above) > most and above[most]
    if whole and len(values) <= most:
        above.append(False)  # past the last eigenvalue there is nothing
    crossings = [c for c in range(1, len(above)) if above[c - 1] and not above[c]]
    # Nothing above the line is one cluster; everything above it, as many as were allowed.
    largest = crossings[-1] if crossings else (most if above[0] else 1)
    return Choice(largest, penalty, values, bool(more))


def count_above(spectrum, penalty, most):
    """`count_in` with as many eigenvalues as it takes to be sure."""
    needed = min(most + 1, spectrum.n)
    asked = min(FIRST, needed)
    while True:
        values = spectrum.leading(asked)
        # later eigenvalues are no larger, and the line is nowhere lower than at its end
        if asked == needed or values[-1] <= penalty.line(needed):
            # an eigenvalue after the last one asked for is below the line: as good as none
            return count_in(values, penalty, most, whole=asked == spectrum.n)
        asked = min(4 * asked, needed)


def search_gaps(spectrum, most, gaps):
    """The eigenvalues looked at and the counts after which they drop, the best first."""
    needed = min(most + 1, spectrum.n)
    asked = min(FIRST, needed)
    while True:
        values = spectrum.leading(asked)
        counts, certain = gaps(values, spectrum.n)
        counts = [c for c in counts if c <= most]
        if asked == needed or certain:
            return values, [*counts, 1]
        asked = min(4 * asked, needed)


def steep_gaps(values, n, _mean):
    """Counts after which 1 − eigenvalue grows steeply, the last first, and whether to stop here."""
    rest = np.maximum(1 - values, APART)
    if len(values) == n:
        rest = np.append(rest, 1.0)  # as if of an affinity of 0
    found = [c for c in range(len(rest) - 1, 1, -1) if _is_steep(rest, c)]
    certain = 2 / rest[len(values) - 1] < LESS_STEEP  # 1 − eigenvalue never exceeds 2
    return found, certain or (bool(found) and len(values) >= 2 * found[0] + 4)


def _is_steep(rest, c):
    """Whether the step after count `c` is one between pieces rather than within one."""
    step = rest[c] / rest[c - 1]
    if step < LESS_STEEP or 2 * c >= len(rest):
        return step >= STEEP
    return step >= STEEP or step >= ALONE * rest[2 * c] / rest[c]


def above_mean_gaps(values, n, mean):
    """The count after which eigenvalues above the mean drop by the largest factor."""
    # just below the mean: equal eigenvalues are all above it
    least = max((1 - 1e-9) * mean, np.finfo(np.float64).eps * abs(values[0]), TINY)
    floored = np.maximum(np.append(values, -np.inf) if len(values) == n else values, least)
    best = int(np.argmax(floored[:-1] / floored[1:])) + 1
    return [best], values[-1] <= least


def line_through(values, counts, theta):
    """λ and θ of a line through the first of the gaps after `counts` that allows it."""
    following = np.append(values, min(values[-1] - 1, 0))
    for c in counts:
        height = following[c - 1] - following[c]
        slope = height / 20 if theta is None else float(theta)
        # With lam in this range the line crosses after c and nowhere later among `values`.
        lines = values + slope * np.log(np.arange(1, len(values) + 1))
        below = lines[c:].max(initial=following[c] + slope * log(c + 1))
        if below < lines[c - 1]:
            middle = (below + lines[c - 1]) / 2
            return PitmanYorPenalty(float(middle), slope)
    if theta is None:
        raise ValueError(
            f"lam='auto' needs a gap between eigenvalues, but all {len(values)} are "
            f"{values[0]:.6g}. Give a number for lam."
        )
    c = counts[0]
    drops = (values[c - 1] - following[c:]) / np.log(np.arange(c + 1, len(following) + 1) / c)
    raise ValueError(
        f"theta={theta:.6g} is too large for lam='auto': the line falls faster than the "
        f"eigenvalues after each gap. Give theta below {drops.min():.3g} or None, or a number for "
        "lam."
    )


def scaled(K, normalize):
    """The matrix whose spectrum is taken, and the roots of the row sums it was divided by.

    A row without any affinity, even to itself, is a piece of its own: it gets affinity 1 to itself.
    """
    if not normalize:
        return K, np.ones(K.shape[0])
    degrees = np.asarray(K.sum(axis=1)).ravel()
    alone = degrees == 0
    roots = np.sqrt(np.where(alone, 1.0, degrees))
    if sparse.issparse(K):
        scale = sparse.diags_array(1 / roots)
        return sparse.csr_array(scale @ K @ scale + sparse.diags_array(alone * 1.0)), roots
    K = K / roots / roots[:, None]
    K[alone, alone] = 1.0
    return K, roots


def by_size(labels, n_clusters):
    """Clusters by decreasing size, ties by their first rows, and the sizes in that order."""
    sizes = np.bincount(labels, minlength=n_clusters)
    first = np.full(n_clusters, len(labels))
    np.minimum.at(first, labels, np.arange(len(labels)))
    order = np.lexsort((first, -sizes))
    return order, sizes[order]


def _warn(message):
    # from here: _warn_if_doubtful, fit, scikit-learn's wrapper of fit, the caller's line
    warnings.warn(message, UserWarning, stacklevel=5)
