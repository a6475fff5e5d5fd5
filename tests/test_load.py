"""Many fits, one after the other and at once: nothing grows, nothing mixes."""

import gc
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from joblib import Parallel, delayed

from data import separated_groups
from pypmeans import DPMeans, PYPMeans

X, _ = separated_groups(12, 30, 3, 0.2, seed=0)
LARGE = np.repeat(X, 50, axis=0) + np.random.default_rng(0).normal(size=(18_000, 3)) * 0.01
JOBS = [("search", 0.2), ("search", 2.0), ("paper", 0.5), ("paper", 3.0)] * 2

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def answer(algorithm, lam, rows, n_threads=2):
    """Everything that could differ, as bytes."""
    model = PYPMeans(lam, algorithm=algorithm, n_threads=n_threads, max_iter=30).fit(rows)
    labels = model.predict(rows[:500])
    return model.cluster_centers_.tobytes() + model.labels_.tobytes() + labels.tobytes()


def open_files():
    return len(os.listdir("/proc/self/fd"))


def resident_bytes():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.large
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="counts what Linux shows")
def test_a_thousand_fits_leave_no_memory_threads_or_files_behind():
    few = X[:60]

    def fits(n):
        for seed in range(n):
            algorithm = ("search", "paper")[seed % 2]
            model = DPMeans(0.5, algorithm=algorithm, n_threads=1 + seed % 2)
            model.fit(LARGE if seed % 500 == 0 else few).predict(few[:2])
        gc.collect()

    fits(100)  # whatever is made once
    threads, files, memory = threading.active_count(), open_files(), resident_bytes()
    fits(1000)
    assert threading.active_count() == threads
    assert open_files() == files
    assert resident_bytes() - memory < 8 * 2**20  # 8 kB for each fit


@pytest.mark.large
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_fits_at_once_in_threads_give_what_they_give_alone():
    alone = [answer(*job, LARGE) for job in JOBS]
    with ThreadPoolExecutor(len(JOBS)) as pool:
        together = list(pool.map(lambda job: answer(*job, LARGE), JOBS))
    assert together == alone


@pytest.mark.large
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_fits_at_once_in_processes_give_what_they_give_alone():
    alone = [answer(*job, LARGE) for job in JOBS]
    together = Parallel(n_jobs=len(JOBS))(delayed(answer)(*job, LARGE) for job in JOBS)
    assert together == alone


def test_one_model_serves_many_threads_at_once():
    model = PYPMeans(0.5, n_threads=2).fit(X)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: model.predict(X).tobytes(), range(40)))
    assert set(answers) == {model.labels_.tobytes()}
