"""The competitors. Each takes a problem and returns a job; only the job is timed.

A job returns something with `cluster_centers_` or `labels_`, and with `seconds` if it has
measured itself (in another process, or after converting the data).
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import numpy as np
from workloads import PASSES, TOL, Problem

HERE = Path(__file__).resolve().parent
SUPER_KMEANS_LEAST_D = 32
PDC_PYTHON = HERE.parent / ".venv-pdc" / "bin" / "python"


@dataclass(frozen=True)
class Method:
    """A name for the tables and what makes a job of a problem."""

    name: str
    prepare: Callable[[Problem], Callable]
    warm_up: bool = True  # run once on a few rows before the clock starts


def _estimator(make):
    """A method for a scikit-learn estimator that `make` builds from a problem."""

    def prepare(problem):
        model = make(problem)
        return lambda: model.fit(problem.X)

    return prepare


def _kmeans(problem, algorithm, start):
    from sklearn.cluster import KMeans

    init, k = (problem.start, len(problem.start)) if start else ("k-means++", problem.n_clusters)
    return KMeans(k, init=init, n_init=1, tol=0, max_iter=PASSES, algorithm=algorithm)


def _minibatch(problem):
    from sklearn.cluster import MiniBatchKMeans

    return MiniBatchKMeans(problem.n_clusters, n_init=1, random_state=0)


def _hdbscan(problem):
    from sklearn.cluster import HDBSCAN

    return HDBSCAN(min_cluster_size=10, n_jobs=-1, copy=True)


def _fast_hdbscan(problem):
    from fast_hdbscan import HDBSCAN

    return HDBSCAN(min_cluster_size=10)


def _bayesian_mixture(problem):
    from sklearn.mixture import BayesianGaussianMixture

    most = 2 * problem.n_clusters
    model = BayesianGaussianMixture(n_components=most, max_iter=PASSES, random_state=0)
    return lambda: SimpleNamespace(labels_=model.fit_predict(problem.X), n_iter_=model.n_iter_)


def _faiss(n_iter):
    """faiss.Kmeans on all rows, from the common start."""

    def prepare(problem):
        import faiss

        start = problem.start.astype(np.float32)
        return _faiss_job(faiss.Kmeans, problem.X, len(start), n_iter, init_centroids=start)

    return prepare


def _faiss_until(tol):
    """The same for as many passes as it needs; to count them is not part of the time."""

    def prepare(problem):
        return _faiss(_faiss_passes(problem, tol))(problem)

    return prepare


def _faiss_passes(problem, tol):
    """The first pass of faiss that changes its own objective by `tol` times itself or less."""
    import faiss

    X, centers = problem.X.astype(np.float32), problem.start.astype(np.float32)
    objectives: list[float] = []
    while len(objectives) < PASSES:
        model = _faiss_kmeans(faiss.Kmeans, X, len(centers), 25)
        model.train(X, init_centroids=centers)
        objectives += list(model.obj)
        centers = model.centroids
        settled = np.abs(np.diff(objectives)) <= tol * np.array(objectives[1:])
        if settled.any():
            return int(settled.argmax()) + 2
    return PASSES


def _super_faiss(n_iter):
    """faiss.SuperKmeans takes no start. (The flag `use_super_kmeans` does nothing to Kmeans.)"""

    def prepare(problem):
        import faiss

        if problem.X.shape[1] < SUPER_KMEANS_LEAST_D:
            raise ValueError(f"SuperKmeans needs {SUPER_KMEANS_LEAST_D} features or more")
        return _faiss_job(faiss.SuperKmeans, problem.X, problem.n_clusters, n_iter)

    return prepare


def _faiss_job(kind, X, n_clusters, n_iter, **start):
    X = X.astype(np.float32)
    model = _faiss_kmeans(kind, X, n_clusters, n_iter)

    def job():
        model.train(X, **start)
        return SimpleNamespace(cluster_centers_=model.centroids, n_iter_=len(model.obj))

    return job


def _faiss_kmeans(kind, X, n_clusters, n_iter):
    return kind(X.shape[1], n_clusters, niter=n_iter, max_points_per_centroid=len(X))


def _pdc(tol):
    def prepare(problem):
        if not PDC_PYTHON.exists():
            raise FileNotFoundError("no .venv-pdc; see benchmarks/setup.sh")
        folder = _saved(problem.X)

        def job():
            arguments = folder.name, problem.lam, tol, 10 * PASSES
            found = _child(PDC_PYTHON, "pdc_worker.py", *arguments)
            found.cluster_centers_ = np.load(Path(folder.name) / "centers.npy")
            found.note = f"kept {found.cpu / found.seconds:.1f} CPUs busy"
            return found

        return job

    return prepare


def pdc_versions():
    """The versions in the environment of pdc-dp-means, as text; empty if there is none."""
    show = "from importlib.metadata import version as v; import sys; from platform import *; "
    show += "print('Python', python_version() + ''.join(f', {p} {v(p)}' for p in sys.argv[1:]))"
    packages = "pdc-dp-means", "scikit-learn", "numpy"
    if not PDC_PYTHON.exists():
        return ""
    done = subprocess.run([PDC_PYTHON, "-c", show, *packages], capture_output=True, text=True)
    return done.stdout.strip()


def _memory(problem):
    folder = _saved(problem.X)
    return lambda: _probe("memory", folder.name, problem.lam, problem.theta)


def _import(module):
    return lambda problem: lambda: _probe("import", module)


def _first_fit(algorithm, *, warm):
    def prepare(problem):
        kept = TemporaryDirectory()

        def job():
            with TemporaryDirectory() as empty:
                cache = kept.name if warm else empty
                return _probe("first-fit", algorithm, NUMBA_CACHE_DIR=cache)

        if warm:
            job()
        return job

    return prepare


def _saved(X):
    folder = TemporaryDirectory()
    np.save(Path(folder.name) / "rows.npy", X)
    return folder


def _probe(*arguments, **environment):
    return _child(sys.executable, "probes.py", *arguments, **environment)


def _child(python, script, *arguments, **environment):
    """What a script of this folder, run in a new process, prints as JSON."""
    command = [python, HERE / script, *map(str, arguments)]
    done = subprocess.run(
        command, env=os.environ | environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return SimpleNamespace(**json.loads(done.stdout.splitlines()[-1]))


def _ours(**params):
    return _estimator(lambda problem: problem.ours(**params))


def _search(problem):
    """The search at the true scale: groups have unit variance."""
    from pypmeans import PYPMeans

    return PYPMeans(theta=2.0, max_iter=PASSES)


def _auto(problem):
    from pypmeans import PYPMeans

    return PYPMeans(max_iter=PASSES)


SEARCH = Method("pypmeans, search at the true scale", _estimator(_search))
AUTO = Method("pypmeans, nothing given", _estimator(_auto))
OURS = Method("pypmeans", _ours())
OURS_1 = Method("pypmeans, 1 thread", _ours(n_threads=1))
OURS_2 = Method("pypmeans, 2 threads", _ours(n_threads=2))
OURS_TOL = Method(f"pypmeans, tol={TOL:g}", _ours(tol=TOL))
OURS_TOL_1 = Method(f"pypmeans, tol={TOL:g}, 1 thread", _ours(tol=TOL, n_threads=1))
OURS_START = Method("pypmeans, same start", _estimator(lambda p: p.ours(init=p.start)))
OURS_START_TOL = Method(
    f"pypmeans, same start, tol={TOL:g}", _estimator(lambda p: p.ours(init=p.start, tol=TOL))
)
OURS_START_25 = Method(
    "pypmeans, same start, 25 passes", _estimator(lambda p: p.ours(init=p.start, max_iter=25))
)
LLOYD_START = Method(
    "KMeans lloyd, same start", _estimator(lambda p: _kmeans(p, "lloyd", start=True))
)
ELKAN_START = Method(
    "KMeans elkan, same start", _estimator(lambda p: _kmeans(p, "elkan", start=True))
)
MINIBATCH = Method("MiniBatchKMeans, k-means++", _estimator(_minibatch))
HDBSCAN = Method("HDBSCAN (scikit-learn)", _estimator(_hdbscan))
FAST_HDBSCAN = Method("fast_hdbscan, warm", _estimator(_fast_hdbscan))
MIXTURE = Method("BayesianGaussianMixture", _bayesian_mixture)
FAISS_25 = Method("faiss, 25 passes, same start", _faiss(25))
FAISS_TOL = Method(f"faiss until tol={TOL:g}, same start", _faiss_until(TOL))
FAISS_SETTLED = Method(
    "faiss until float32 sees no change, same start", _faiss_until(np.finfo(np.float32).eps)
)
SUPER_25 = Method("faiss SuperKmeans, 25 passes, random start", _super_faiss(25))
PDC = Method("pdc-dp-means", _pdc(tol=1e-4), warm_up=False)
MEMORY = Method("pypmeans, 10 passes", _memory, warm_up=False)
IMPORT_SKLEARN = Method("import sklearn.cluster", _import("sklearn.cluster"), warm_up=False)
IMPORT_OURS = Method("import pypmeans", _import("pypmeans"), warm_up=False)
FIRST_FITS = {
    (algorithm, warm): Method(
        f"first fit, {algorithm}, {'warm' if warm else 'empty'} cache",
        _first_fit(algorithm, warm=warm),
        warm_up=False,
    )
    for algorithm in ("paper", "search", "auto")
    for warm in (False, True)
}
