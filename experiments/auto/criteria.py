"""Ways to choose one solution of a path of scales without labels.

A criterion takes the partitions of a path, coarsest first, and gives each a number; the highest is
chosen, of equal ones the coarsest. `CRITERIA` has them all by name. The evidence that
`pypmeans.scale_path` uses is "three structures, spread 2", with fewer components for few rows, no
structure along the axes where these are components, and priors that do not look at the outermost
rows; it stands here a second time, by formulas for all
clusters at once, so that its parts can be exchanged.
"""

from functools import cached_property, partial

import numpy as np
from scipy.spatial import KDTree
from scipy.special import gammaln, multigammaln
from sklearn.decomposition import PCA

from pypmeans.process import fit_pitman_yor

MOST_FEATURES = 40  # of more, the evidence sees the leading principal components
MEAN_ROWS = 0.05
SHAPE = 1.5
NEAR = 5  # centers that a valley must separate a cluster from


class Data:
    """The rows, and what all partitions of them share.

    The part `outlying` of the rows at either end of a feature is not looked at by the priors.
    """

    def __init__(self, X, most_features=MOST_FEATURES, outlying=0.0):
        wide = X.shape[1] > most_features
        n_components = min(most_features, len(X) - 1)
        self.rows = PCA(n_components, svd_solver="full").fit_transform(X) if wide else X
        parts = [outlying, 1 - outlying]
        ends = np.quantile(self.rows, parts, axis=0, method="inverted_cdf")
        bulk = np.clip(self.rows, *ends)
        self.mean, variance = bulk.mean(axis=0), bulk.var(axis=0)
        self.variance = np.maximum(variance, variance.mean())


class Partition:
    """A partition of the rows, and how many entries of the path have it."""

    def __init__(self, data, labels, n_entries=1):
        self.data, self.n_entries = data, n_entries
        self.labels = np.unique(labels, return_inverse=True)[1]
        self.sizes = np.bincount(self.labels)
        self.valleys: dict = {}  # by allowance

    @property
    def n_clusters(self):
        """The number of clusters, none of them empty."""
        return len(self.sizes)

    @cached_property
    def groups(self):
        """The rows of each cluster, by number."""
        order = np.argsort(self.labels, kind="stable")
        return np.split(order, np.cumsum(self.sizes)[:-1])

    @cached_property
    def means(self):
        """The means of the clusters."""
        return np.array([self.data.rows[group].mean(axis=0) for group in self.groups])

    @cached_property
    def scatters(self):
        """Sums of squares and products about the means, one matrix for each cluster."""
        about = self.data.rows - self.means[self.labels]
        return np.array([about[group].T @ about[group] for group in self.groups])

    @cached_property
    def log_prior(self):
        """Log-probability of the sizes under the Pitman-Yor process that suits them best."""
        return fit_pitman_yor(self.sizes).log_likelihood


def evidence(partition, spread, structures, narrowing, rate=SHAPE):
    """Log-probability of rows and partition; the likeliest of the structures counts.

    `spread` is the variance a cluster is expected to have, in variances of all rows; with
    `narrowing`, divided by the square of the number of clusters along each axis. `rate` is that of
    the inverse gamma prior of a variance, in these units. With 1/2 each variance has the prior that
    a full covariance gives it, so that for one feature all structures are the same.
    """
    narrow = partition.n_clusters ** (-2 / partition.data.rows.shape[1]) if narrowing else 1.0
    variance = spread * narrow * partition.data.variance
    rows = MEAN_ROWS * narrow
    n, shift = partition.sizes, partition.means - partition.data.mean
    pulled = (rows * n / (rows + n))[:, None, None] * shift[:, :, None] * shift[:, None, :]
    scatter = partition.scatters + pulled
    p = len(variance)
    of_mean = np.sum(p / 2 * np.log(rows / (rows + n)) - n * p / 2 * np.log(np.pi))
    likelihoods = [STRUCTURES[name](n, scatter, variance, rate) for name in structures]
    return max(likelihoods) + of_mean + partition.log_prior


def round_ones(n, scatter, variance, rate):
    p = len(variance)
    squares = np.trace(scatter, axis1=1, axis2=2)
    halves = n * p / 2 * np.log(2)
    return np.sum(_gamma(n * p / 2, rate * variance.mean(), squares / 2) - halves)


def along_axes(n, scatter, variance, rate):
    squares = np.diagonal(scatter, axis1=1, axis2=2)
    halves = n * len(variance) / 2 * np.log(2)
    return np.sum(_gamma(n[:, None] / 2, rate * variance, squares / 2)) - np.sum(halves)


def full(n, scatter, variance, rate):
    p = len(variance)
    doubt = p + 2
    log_dets = np.linalg.slogdet(np.diag(variance) + scatter)[1]
    gammas = multigammaln((doubt + n) / 2, p) - multigammaln(doubt / 2, p)
    return np.sum(gammas + doubt / 2 * np.log(variance).sum() - (doubt + n) / 2 * log_dets)


def _gamma(half_n, rate, half_squares):
    shape = SHAPE + half_n
    ratio = gammaln(shape) - gammaln(SHAPE)
    return ratio + SHAPE * np.log(rate) - shape * np.log(rate + half_squares)


STRUCTURES = {"round": round_ones, "axes": along_axes, "full": full}


def pooled_bic(partition):
    """All clusters share one full covariance; each mean costs ``p / 2 ln n``."""
    data, n = partition.data, len(partition.labels)
    p = data.rows.shape[1]
    doubt = p + 2
    covariance = partition.scatters.sum(axis=0) + 0.01 * doubt * np.diag(data.variance)
    log_det = np.linalg.slogdet(covariance / (n + doubt))[1]
    return -n / 2 * log_det - p / 2 * partition.n_clusters * np.log(n) + partition.log_prior


def valley_information(partition, allowance=1.0):
    """Entropy carried by clusters that a valley in density separates from those near by.

    ``Σ n_k (1 − v_k) ln(n / n_k) / n``, where v_k is the least density between two centers over
    the lower of their peaks, at worst over the nearest few centers. `allowance` standard
    deviations are added to the valley, since a few rows show valleys anywhere.
    """
    if allowance not in partition.valleys:
        partition.valleys[allowance] = _valley_information(partition, allowance)
    return partition.valleys[allowance]


def _valley_information(partition, allowance):
    k, sizes = partition.n_clusters, partition.sizes
    if k == 1:
        return 0.0
    near = KDTree(partition.means).query(partition.means, k=min(NEAR + 1, k))[1]
    pairs = {(min(a, int(b)), max(a, int(b))) for a in range(k) for b in near[a] if b != a}
    depth = {pair: _valley(partition, *pair, allowance) for pair in pairs}
    worst = np.array(
        [max(depth[min(a, int(b)), max(a, int(b))] for b in near[a] if b != a) for a in range(k)]
    )
    n = sizes.sum()
    return float(np.sum(sizes * (1 - worst) * np.log(n / sizes)) / n)


def _valley(partition, a, b, allowance):
    start, way = partition.means[a], partition.means[b] - partition.means[a]
    length = way @ way
    if length == 0:
        return 1.0
    places = [(partition.data.rows[partition.groups[k]] - start) @ way / length for k in (a, b)]
    n = [len(place) for place in places]
    spread = np.sqrt((places[0].var() * n[0] + places[1].var() * n[1]) / sum(n))
    bandwidth = max(1.06 * spread * min(n) ** -0.2, 1e-9)
    grid = np.linspace(-0.5, 1.5, 41)
    one, other = (_density(grid, place, bandwidth) for place in places)
    peaks = int(one.argmax()), int(other.argmax())
    if peaks[0] >= peaks[1]:
        return 1.0
    both = one + other
    lowest = both[peaks[0] : peaks[1] + 1].min()
    peak = min(both[list(peaks)])
    # a sum of kernels of height 1 has a variance of about 0.7 times itself
    return min(1.0, (lowest + allowance * np.sqrt(0.7 * lowest)) / max(peak, 1e-12))


def _density(grid, places, bandwidth):
    step = len(places) // 2000 + 1
    some = places[::step]
    kernels = np.exp(-0.5 * ((grid[:, None] - some) / bandwidth) ** 2)
    return kernels.sum(axis=1) * (len(places) / len(some))


def calinski_harabasz(partition):
    n, k = len(partition.labels), partition.n_clusters
    if not 1 < k < n:
        return -np.inf
    within = np.trace(partition.scatters.sum(axis=0))
    shift = partition.means - partition.data.mean
    between = np.sum(partition.sizes * np.sum(shift**2, axis=1))
    return between / (k - 1) * (n - k) / within if within > 0 else np.inf


def longest_plateau(partitions):
    """For how many entries of the path the number of clusters stays; never one cluster."""
    lengths: dict = {}
    for partition in partitions:
        count = partition.n_clusters
        lengths[count] = lengths.get(count, 0) + partition.n_entries
    counts = [partition.n_clusters for partition in partitions]
    return np.array([lengths[count] if count > 1 else 0 for count in counts])


def with_valleys(partition, weight):
    """Evidence and, for each row, a part of the valley information."""
    plain = evidence(partition, 2.0, ("round", "axes", "full"), True)
    return plain + weight * len(partition.labels) * valley_information(partition, 2.0)


def each(function):
    """A criterion that looks at one partition at a time."""
    return lambda partitions: np.array([function(partition) for partition in partitions])


CRITERIA = {
    f"{name}, prior {spread}": each(
        partial(evidence, spread=spread, structures=structures, narrowing=False)
    )
    for spread in (0.1, 1)
    for name, structures in (
        ("evidence diag", ["axes"]),
        ("evidence full", ["full"]),
        ("evidence max", ["axes", "full"]),
    )
}
CRITERIA |= {
    f"three structures, spread {spread}": each(
        partial(evidence, spread=spread, structures=STRUCTURES, narrowing=True)
    )
    for spread in (1, 1.5, 2, 3)
}
CRITERIA |= {
    f"three structures, one prior, spread {spread}": each(
        partial(evidence, spread=spread, structures=STRUCTURES, narrowing=True, rate=0.5)
    )
    for spread in (2, 6)
}
CRITERIA |= {
    "pooled BIC": each(pooled_bic),
    "valley information": each(valley_information),
    "evidence + valley": each(partial(with_valleys, weight=1.0)),
    "evidence + valley / 5": each(partial(with_valleys, weight=0.2)),
    "Calinski-Harabasz": each(calinski_harabasz),
    "longest plateau": longest_plateau,
}
OURS = "three structures, spread 2"


def choose(name, partitions):
    """The place of the partition that a criterion likes best."""
    return int(np.argmax(CRITERIA[name](partitions)))
