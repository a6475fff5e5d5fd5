"""The leading eigenpairs of a symmetric matrix, computed as far as somebody asks for them."""

from functools import cached_property

import numpy as np
from scipy import sparse
from scipy.linalg import eigh
from scipy.sparse.csgraph import connected_components, dijkstra
from scipy.sparse.linalg import LinearOperator, eigsh, splu

# Up to this order all eigenpairs at once, or in a dense matrix the leading ones, cost less than
# Lanczos for a few of them.
SMALL, SMALL_DENSE = 200, 4000
# Entries below this fraction of the largest do not link components: no eigenvalue would tell.
NEGLIGIBLE = 1e-14
# Of the residuals. Eigenvalues are off by its square over their distance to the next.
TOLERANCE = 1e-7
# The same, where it is only asked whether an eigenvalue was passed over.
ROUGH = 1e-3
# Graphs whose widest layer has no more vertices than this times √n are factorised cheaply.
THIN = 5
# Above the eigenvalue 1, where the factorised matrix would be singular; far below any gap of use.
SHIFT = 1e-6


class Spectrum:
    """The eigenvalues of a symmetric matrix in decreasing order, with their vectors.

    The matrix is cut into its connected components first: each has its own eigenpairs, so that an
    eigenvalue shared by components, such as the 1 of a normalised affinity, is found as often as
    it occurs. One Lanczos run over all of them would see it once.

    Parameters
    ----------
    matrix : ndarray or sparse array of shape (n, n)
        Symmetric.
    bounded : bool
        Whether no eigenvalue exceeds 1, as in a normalised affinity.
    """

    def __init__(self, matrix, *, bounded):
        self.n = matrix.shape[0]
        self._blocks = [_Block(rows, part, bounded) for rows, part in _components(matrix)]

    def leading(self, count):
        """The `count` largest eigenvalues, decreasing; all of them if there are fewer."""
        return self._first(min(count, self.n))[0]

    def vectors(self, count):
        """The eigenvectors of the `count` largest eigenvalues, as columns."""
        _, owners, columns = self._first(count)
        vectors = np.zeros((self.n, count))
        for k, (owner, column) in enumerate(zip(owners, columns)):
            block = self._blocks[owner]
            vectors[block.rows, k] = block.vectors[:, column]
        return vectors

    def _first(self, count):
        """Values, blocks and columns of the `count` first eigenpairs."""
        for block in self._blocks:
            if not len(block.values):
                block.grow(count // len(self._blocks) + 2)
        while True:
            sizes = [len(block.values) for block in self._blocks]
            values = np.concatenate([block.values for block in self._blocks])
            order = np.argsort(-values, kind="stable")[:count]
            hidden = [block.bound for block in self._blocks]  # what they may still hold
            most = int(np.argmax(hidden))
            if len(order) == count and values[order[-1]] >= hidden[most]:
                break
            self._blocks[most].grow(min(4 * sizes[most], count))
        owners = np.repeat(np.arange(len(sizes)), sizes)[order]
        columns = np.concatenate([np.arange(size) for size in sizes])[order]
        return values[order], owners, columns


class _Block:
    """One connected component and the eigenpairs found so far."""

    def __init__(self, rows, matrix, bounded):
        self.rows, self.matrix = rows, matrix
        self.values, self.vectors = np.empty(0), np.empty((len(rows), 0))
        self._bounded = bounded
        self._solve = None

    @property
    def bound(self):
        """No eigenvalue still unknown exceeds this."""
        if len(self.values) == len(self.rows):
            return -np.inf
        return self.values[-1]

    def grow(self, count):
        """Find `count` eigenpairs, and at least one more than before."""
        n, count = len(self.rows), max(count, len(self.values) + 1)
        if n <= SMALL or count > n // 4:
            values, vectors = eigh(self._dense)
        elif n <= SMALL_DENSE and not sparse.issparse(self.matrix):
            # most of the work is the same for any number: so many at once
            values, vectors = eigh(self.matrix, subset_by_index=[n - max(count, n // 10), n - 1])
        elif self._thin:
            values, vectors = self._by_inversion(count)
        else:
            values, vectors = _lanczos(self.matrix, count)
        order = np.argsort(-values, kind="stable")
        self.values, self.vectors = values[order], _signed(vectors[:, order])

    @property
    def _dense(self):
        return self.matrix.toarray() if sparse.issparse(self.matrix) else self.matrix

    @cached_property
    def _thin(self):
        return self._bounded and sparse.issparse(self.matrix) and _is_thin(self.matrix)

    def _by_inversion(self, count):
        """Lanczos on the inverse, where eigenvalues close to 1 lie far apart."""
        n = len(self.rows)
        if self._solve is None:
            matrix = sparse.csc_matrix((1 + SHIFT) * sparse.eye(n) - self.matrix)
            self._solve = splu(
                matrix,
                permc_spec="MMD_AT_PLUS_A",
                diag_pivot_thresh=0.0,  # positive definite: the diagonal will do
                options={"SymmetricMode": True},
            ).solve
        inverse = LinearOperator((n, n), matvec=self._solve, dtype=np.float64)
        values, vectors = _lanczos(inverse, count, quick=True)
        return 1 + SHIFT - 1 / values, vectors


def _lanczos(matrix, count, *, quick=False):
    """The `count` leading eigenpairs, in any order.

    Lanczos may pass over some of many nearly equal eigenvalues, as those of groups joined by next
    to nothing. So the pairs found are taken out and what is left is asked for a larger one. `quick`
    says that eigenvalues lie far apart, so that short recurrences will do.
    """
    width = max(2 * count + 2, 12) if quick else 2 * count + 30
    values, vectors = _eigsh(matrix, count, TOLERANCE, width)
    while True:
        rest = _without(matrix, values, vectors)
        least = values.min()
        if _eigsh(rest, 1, ROUGH, 8 if quick else 40)[0][0] <= least + ROUGH**2 * abs(least):
            return values, vectors
        more_values, more_vectors = _eigsh(rest, 1 + count // 4, TOLERANCE, width)
        values = np.concatenate([values, more_values])
        vectors = np.hstack([vectors, more_vectors])
        kept = np.argsort(-values, kind="stable")[:count]
        values, vectors = values[kept], vectors[:, kept]


def _eigsh(matrix, count, tolerance, width):
    n = matrix.shape[0]
    start = np.random.default_rng(0).normal(size=n)  # the same every time
    return eigsh(matrix, count, which="LA", v0=start, tol=tolerance, ncv=min(width, n))


def _without(matrix, values, vectors):
    """The matrix with these eigenvalues moved below all others of interest."""
    lift = values - (values.min() - np.abs(values).max())
    return LinearOperator(
        matrix.shape,
        matvec=lambda x: matrix @ x.ravel() - vectors @ (lift * (vectors.T @ x.ravel())),
        dtype=np.float64,
    )


def _signed(vectors):
    """Each vector with its largest entry positive, so that signs do not hang on rounding."""
    largest = np.abs(vectors).argmax(axis=0)
    signs = np.sign(vectors[largest, np.arange(vectors.shape[1])])
    return vectors * np.where(signs == 0, 1, signs)


def _components(matrix):
    """Row numbers and submatrix of each connected component, in order of their first rows."""
    size = abs(matrix)
    links = sparse.csr_array(size > NEGLIGIBLE * size.max())
    count, member = connected_components(links, directed=False)
    if count == 1:
        return [(np.arange(matrix.shape[0]), matrix)]
    rows = np.split(
        np.argsort(member, kind="stable"), np.cumsum(np.bincount(member, minlength=count))[:-1]
    )
    return [(part, _submatrix(matrix, part)) for part in rows]


def _submatrix(matrix, rows):
    return matrix[rows][:, rows] if sparse.issparse(matrix) else matrix[np.ix_(rows, rows)]


def _is_thin(graph):
    """Whether layers of equal distance from one end stay narrow, as in a sheet or a string.

    There a factorisation hardly fills up, and eigenvalues crowd at 1, where Lanczos alone is slow.
    In higher dimensions layers are wide and both are the other way round.
    """
    graph = graph.copy()  # SciPy 1.13 wants narrow indices
    graph.indices, graph.indptr = graph.indices.astype(np.int32), graph.indptr.astype(np.int32)
    end = int(dijkstra(graph, indices=0, unweighted=True).argmax())
    layers = np.bincount(dijkstra(graph, indices=end, unweighted=True).astype(int))
    return layers.max() <= THIN * np.sqrt(graph.shape[0])
