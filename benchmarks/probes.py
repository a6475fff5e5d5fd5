"""What only a new process can tell: memory, imports, the first fit. Prints a line of JSON."""

import importlib
import json
import sys
import time
import warnings
from pathlib import Path


def import_time(module):
    start = time.perf_counter()
    importlib.import_module(module)
    return {"seconds": time.perf_counter() - start}


def first_fit(algorithm):
    """Importing pypmeans and fitting a small table, after scikit-learn has been imported."""
    import numpy as np
    import sklearn.cluster  # noqa: F401

    X = np.random.default_rng(0).random((1000, 3))
    start = time.perf_counter()
    from pypmeans import PYPMeans

    model = PYPMeans() if algorithm == "auto" else PYPMeans(0.1, 0.01, algorithm=algorithm)
    model.fit(X)
    return {"seconds": time.perf_counter() - start}


def memory(folder, lam, theta):
    """The highest resident memory during a fit less that just before it, per row (Linux)."""
    import numpy as np

    from pypmeans import PYPMeans

    X = np.load(Path(folder) / "rows.npy")
    model = PYPMeans(float(lam), float(theta), algorithm="paper", max_iter=10)
    model.fit(X[:2000])  # kernels and threads are loaded before we look
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
    before, start = _resident("VmRSS"), time.perf_counter()
    model.fit(X)
    seconds = time.perf_counter() - start
    extra = _resident("VmHWM") - before
    found = {"seconds": seconds, "n_clusters_": model.n_clusters_, "n_iter_": model.n_iter_}
    return found | {"bytes_per_row": extra / len(X)}


def _resident(field):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    probe = {"import": import_time, "first-fit": first_fit, "memory": memory}[sys.argv[1]]
    print(json.dumps(probe(*sys.argv[2:])))
