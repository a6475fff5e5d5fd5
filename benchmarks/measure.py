"""The one measuring loop: competitors take turns, so that noise hits all of them."""

import math
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.metrics import adjusted_rand_score, pairwise_distances_argmin_min

WARM_UP = 1000  # rows
SLOW = 10  # seconds; what takes longer is not repeated


@dataclass
class Row:
    """One measurement; a line of results.csv."""

    section: str
    workload: str
    method: str
    n: int
    d: int
    repeat: int = 0
    seconds: float | None = None
    bytes_per_row: float | None = None
    objective: float | None = None
    n_clusters: int | None = None
    agreement: float | None = None  # adjusted Rand index with the true groups
    n_iter: int | None = None
    others: float | None = None  # CPUs kept busy meanwhile by processes that are not ours
    note: str = ""


def compare(section, workload, methods, *, repeats, quick):
    """Rows for all methods on one workload, in `repeats` interleaved rounds."""
    say(f"{section}: {workload.name}")
    recipe = workload.quick() if quick else workload
    blank = {"section": section, "workload": workload.name, "n": recipe.n, "d": recipe.d}
    try:
        problem = recipe.make()
    except Exception as error:  # the other sections are worth having
        return [_failed(Row(method=method.name, **blank), error) for method in methods]
    jobs, rows = {}, []
    for method in methods:
        try:
            jobs[method.name] = _prepare(method, problem)
        except Exception as error:  # a peer may lack anything
            rows.append(_failed(Row(method=method.name, **blank), error))
    for repeat in range(repeats):
        for name, job in list(jobs.items()):
            rows.append(_run(Row(method=name, repeat=repeat, **blank), job, problem))
            if rows[-1].seconds is None or rows[-1].seconds > SLOW:
                del jobs[name]
    order = [method.name for method in methods]
    return sorted(rows, key=lambda row: order.index(row.method))


def _prepare(method, problem):
    if method.warm_up:
        method.prepare(problem.head(WARM_UP))()
    return method.prepare(problem)


def _run(row, job, problem):
    start, busy = time.perf_counter(), _busy_elsewhere()
    try:
        found = job()
    except Exception as error:
        return _failed(row, error)
    elapsed = time.perf_counter() - start
    row.seconds = getattr(found, "seconds", elapsed)
    row.others = max(_busy_elsewhere() - busy, 0.0) / elapsed
    row.bytes_per_row = getattr(found, "bytes_per_row", None)
    row.n_clusters = getattr(found, "n_clusters_", None)
    row.n_iter = getattr(found, "n_iter_", None)
    row.note = getattr(found, "note", "")
    if row.repeat == 0:
        judge(row, found, problem)
    say(f"  {row.method}: {row.seconds:.3f} s")
    return row


def judge(row, found, problem):
    """Objective and agreement, computed here, in the same way for all."""
    centers, labels = getattr(found, "cluster_centers_", None), getattr(found, "labels_", None)
    if centers is not None:
        centers = np.asarray(centers, dtype=problem.X.dtype)
        labels, dists = pairwise_distances_argmin_min(problem.X, centers)
        row.n_clusters = len(np.unique(labels))
        row.objective = float(np.sum(dists.astype(float) ** 2) + problem.charge(row.n_clusters))
    if labels is None:
        return
    row.n_clusters = len(np.unique(labels[labels >= 0]))
    row.agreement = adjusted_rand_score(problem.y, labels)
    if np.any(labels < 0):
        row.note = f"{np.mean(labels < 0):.0%} called noise"


def _busy_elsewhere():
    """CPU seconds used so far by everybody else (Linux; nan elsewhere)."""
    try:
        user, nice, system, _, _, irq, softirq, steal = (
            int(word) for word in Path("/proc/stat").read_text().split()[1:9]
        )
    except OSError:
        return math.nan
    ticks = user + nice + system + irq + softirq + steal
    return ticks / os.sysconf("SC_CLK_TCK") - sum(os.times()[:4])


def _failed(row, error):
    reason = str(error).strip() or type(error).__name__
    row.note = f"failed: {reason.splitlines()[-1][-120:]}"
    say(f"  {row.method}: {row.note}")
    return row


def say(text):
    print(text, file=sys.stderr, flush=True)
