"""What we set out to reach, and whether the measurements show it."""

from statistics import median

import methods as m
import numpy as np
import sections as s


def verdicts(rows):
    """Triples of target, figure and whether it is met; None where something was not measured."""
    at = Figures(rows)
    groups = (
        pdc(at),
        kmeans(at),
        search(at),
        faiss(at),
        fast_hdbscan(at),
        growth(at),
        memory(at),
        start(at),
    )
    return [verdict for group in groups for verdict in group]


class Figures:
    """Medians of the rows; nan where there are none."""

    def __init__(self, rows):
        self.rows = rows

    def __call__(self, section, workload, method, quantity="seconds"):
        """The median of a quantity."""
        key = section, workload.name, method.name
        rows = [row for row in self.rows if (row.section, row.workload, row.method) == key]
        values = [value for row in rows if (value := getattr(row, quantity)) is not None]
        return median(values) if values else np.nan

    def least(self, section, workload, methods, quantity="seconds"):
        """The least median among the methods that ran."""
        values = [self(section, workload, method, quantity) for method in methods]
        return min((value for value in values if value == value), default=np.nan)

    def speedup(self, section, workload, ours, *peers):
        """How many times longer the fastest of the peers takes."""
        return self.least(section, workload, peers) / self(section, workload, ours)


def pdc(at):
    for workload in s.PDC_WORKLOADS:
        for ours in m.OURS, m.OURS_1, m.OURS_TOL, m.OURS_TOL_1:
            factor = at.speedup("pdc", workload, ours, m.PDC)
            yield at_least(40, factor, f"{ours.name} against pdc-dp-means, {workload.name}")
        theirs = at.least("pdc", workload, (m.PDC,), "objective")
        for ours in m.OURS, m.OURS_TOL:
            objective = at("pdc", workload, ours, "objective")
            text = f"objective of {ours.name} no worse than of pdc-dp-means, {workload.name}"
            no_worse = objective <= theirs * (1 + 1e-9)
            yield judged(text, objective / theirs, no_worse, "{:.5f} of theirs")


def kmeans(at):
    found = at.speedup("large", s.LARGE_WORKLOAD, m.OURS_START, m.LLOYD_START)
    yield at_least(5, found, f"{m.OURS_START.name} against KMeans lloyd, {s.LARGE_WORKLOAD.name}")
    peers, text = (m.LLOYD_START, m.ELKAN_START), f"{m.OURS_START.name} against the faster KMeans"
    for workload, factor in zip(s.KMEANS_WORKLOADS, (5, 3, 1.5)):
        found = at.speedup("kmeans", workload, m.OURS_START, *peers)
        yield at_least(factor, found, f"{text}, {workload.name}")


def search(at):
    (workload,) = s.SECTIONS["search"].workloads
    slow = at.speedup("search", workload, m.OURS, m.SEARCH)
    yield at_most(3, slow, "time of the search in units of the paper's algorithm", "{:.2f}")
    slow = at.speedup("search", workload, m.SEARCH, m.AUTO)
    yield at_most(4, slow, "time with nothing given in units of the search", "{:.2f}")


def faiss(at):
    workloads = ("large", s.LARGE_WORKLOAD), *(("kmeans", work) for work in s.KMEANS_WORKLOADS)
    for (section, workload), factor in zip(workloads, (3, 3, 3, 1)):
        for ours, peer, terms in FAISS_PAIRS:
            if peer is m.SUPER_25 and (section == "large" or workload.d < m.SUPER_KMEANS_LEAST_D):
                continue
            found = at.speedup(section, workload, ours, peer)
            yield at_least(
                factor, found, f"{ours.name} against {peer.name}, {workload.name}{terms}"
            )


STRICT = " (strict: ours until no label changes)"
FAISS_PAIRS = (
    (m.OURS_START, m.FAISS_25, STRICT),
    (m.OURS, m.SUPER_25, STRICT),
    (m.OURS_START, m.FAISS_SETTLED, " (each until it sees no change)"),
    (m.OURS_START_25, m.FAISS_25, " (equal passes)"),
    (m.OURS_START_TOL, m.FAISS_TOL, " (equal tolerance)"),
)


def fast_hdbscan(at):
    factor = at.speedup("fast_hdbscan", s.HDBSCAN_WORKLOAD, m.OURS, m.FAST_HDBSCAN)
    yield at_least(1, factor, f"pypmeans against fast_hdbscan, {s.HDBSCAN_WORKLOAD.name}")


def growth(at):
    large = s.N_CURVE[1:]
    seconds = np.array([at("n", workload, m.OURS) for workload in large])
    slope = np.polyfit(np.log([workload.n for workload in large]), np.log(seconds), 1)[0]
    yield at_most(1.1, slope, "exponent of the time in n, 100k to 3M rows", "{:.2f}")
    time_at = {workload.k: at("k", workload, m.OURS) for workload in s.K_CURVE}
    for k in (k for k in time_at if 10 * k in time_at):
        ratio = time_at[10 * k] / time_at[k]
        yield judged(f"time less than threefold from K = {k} to {10 * k}, d = 3", ratio, ratio < 3)


def memory(at):
    for workload in s.MEMORY_WORKLOADS:
        extra = at("memory", workload, m.MEMORY, "bytes_per_row")
        yield at_most(48, extra, f"bytes of extra memory per row, {workload.name}", "{:.0f}")


def start(at):
    for (algorithm, warm), method in m.FIRST_FITS.items():
        if algorithm == "auto":  # fits dozens of times
            continue
        seconds = at("start", s.START_WORKLOAD, method)
        yield at_most(1 if warm else 6, seconds, f"seconds of the {method.name}", "{:.2f}")
    ratio = at.speedup("start", s.START_WORKLOAD, m.IMPORT_SKLEARN, m.IMPORT_OURS)
    yield at_most(1.3, ratio, "import pypmeans in units of import sklearn.cluster", "{:.2f}")


def at_least(target, found, text):
    return judged(f"{target:g} times as fast or faster: {text}", found, found >= target)


def at_most(target, found, text, form):
    return judged(f"{target:g} or less: {text}", found, found <= target, form)


def judged(text, found, met, form="{:.2f} times"):
    return (text, form.format(found), bool(met)) if np.isfinite(found) else (text, "", None)
