"""Fits pdc-dp-means in its own environment: rows.npy in, centers.npy and a line of JSON out."""

import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from pdc_dp_means import DPMeans


def main(folder, lam, tol, max_iter):
    warnings.simplefilter("ignore")
    X = np.load(folder / "rows.npy")
    # One first center, the mean, as ours. `delta` is λ: it is compared with squared distances.
    mean = X.mean(axis=0, keepdims=True)
    model = DPMeans(1, init=mean, n_init=1, delta=lam, tol=tol, max_iter=max_iter)
    start = time.perf_counter(), time.process_time()
    model.fit(X)
    seconds, cpu = time.perf_counter() - start[0], time.process_time() - start[1]
    np.save(folder / "centers.npy", model.cluster_centers_)
    print(json.dumps({"seconds": seconds, "cpu": cpu, "n_iter_": model.n_iter_}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(float, sys.argv[2:4]), int(sys.argv[4]))
