"""Doing the jobs: two processes, progress, and what is done already is not done again."""

import shutil
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

from threadpoolctl import threadpool_limits
from tqdm import tqdm

import pypmeans
from paper import records
from paper.jobs import perform, shared_jobs, timed_jobs

HERE = Path(__file__).resolve().parent
LIBRARY = Path(pypmeans.__file__).parent
WORKERS = 2


def run(settings, folder, *, workers=WORKERS, fresh=False, progress=True):
    """Do all jobs and write ``results.csv`` and ``timings.csv`` to `folder`.

    Finished jobs lie in ``.runs``, under a name that changes with the code that decides the
    results, so that neither an interruption nor a change of the page costs anything.

    Parameters
    ----------
    settings : Settings
        How much to do.
    folder : Path
        Where the results go.
    workers : int, default=2
        Number of processes. The results do not depend on it.
    fresh : bool, default=False
        Forget finished jobs.
    progress : bool, default=True
        Whether to show progress.

    Returns
    -------
    rows : list of Row
        All rows in order.
    """
    store = folder / ".runs" / records.fingerprint(LIBRARY, HERE)
    if fresh:
        shutil.rmtree(store.parent, ignore_errors=True)
    shared, timed = shared_jobs(settings), timed_jobs(settings)
    waiting = [job for job in shared if not file_of(store, job).exists()]
    with tqdm(
        total=len(shared) + len(timed), initial=len(shared) - len(waiting), unit="job",
        disable=not progress, smoothing=0,
    ) as bar:  # fmt: skip
        for _ in outcomes(waiting, settings, store, workers):
            bar.update()
        for job in timed:  # by themselves: two at a time would slow each other down
            if not file_of(store, job).exists():
                do(job, settings, store)
            bar.update()
    return collect(store, shared + timed, folder)


def outcomes(waiting, settings, store, workers):
    """Something for each job when it is done."""
    if workers == 1:
        yield from (do(job, settings, store) for job in waiting)
        return
    # Started afresh, not forked: threads of the parent would not survive.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        running = [pool.submit(do, job, settings, store) for job in waiting]
        try:
            yield from (future.result() for future in as_completed(running))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def do(job, settings, store):
    """Perform a job and put its rows in a file, unless another run has done so meanwhile."""
    if file_of(store, job).exists():
        return
    start = time.perf_counter()
    with threadpool_limits(1):
        rows = perform(job, settings)
    spent = records.EMPTY._replace(
        experiment="job", data=job.name, seconds=time.perf_counter() - start
    )
    records.write(file_of(store, job), [*rows, spent], records.Row._fields)


def file_of(store, job):
    return store / f"{job.name}.csv"


def collect(store, jobs, folder):
    """The rows of all jobs, sorted, in two files: results, and times."""
    rows = [row for job in jobs for row in records.read(file_of(store, job))]
    rows.sort(key=lambda row: [str(cell) for cell in row[:8]])
    results = [row for row in rows if row.experiment != "job"]
    timings = [row for row in rows if row.seconds == row.seconds]
    records.write(folder / "results.csv", results, records.RESULT_FIELDS)
    records.write(folder / "timings.csv", timings, records.TIMING_FIELDS)
    return rows
