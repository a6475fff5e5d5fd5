"""What is measured: which methods on which data. Everything here is a declaration."""

from dataclasses import dataclass

import methods as m
from workloads import Workload as W


@dataclass(frozen=True)
class Section:
    """A heading, a paragraph, and the methods that take turns on each workload."""

    title: str
    text: str
    workloads: tuple
    methods: tuple

    @property
    def is_curve(self):
        """One method on many workloads: one table, a line for each of them."""
        return len(self.methods) == 1


PDC_WORKLOADS = tuple(W(200_000, d, kind=kind) for kind in ("apart", "blobs") for d in (3, 8, 32))

LARGE_WORKLOAD = W(1_000_000, 8, theta_ratio=10)
KMEANS_WORKLOADS = (
    W(200_000, 3, theta_ratio=10),
    W(200_000, 32),
    W(100_000, 384, kind="embeddings"),
)

HDBSCAN_WORKLOAD = W(100_000, 10)
MEMORY_WORKLOADS = W(2_000_000, 8, 100), W(2_000_000, 8, 1000)
N_CURVE = tuple(W(n, 8) for n in (10_000, 100_000, 300_000, 1_000_000, 3_000_000))
D_CURVE = tuple(W(50_000, d) for d in (2, 4, 8, 16, 32, 64, 128, 256, 512))
K_CURVE = tuple(W(300_000, 3, k) for k in (10, 30, 100, 300, 1000, 3000))
START_WORKLOAD = W(1000, 3, 8)

FAISS = m.OURS_START_25, m.FAISS_25, m.OURS_START_TOL, m.FAISS_TOL, m.FAISS_SETTLED

SECTIONS = {
    "pdc": Section(
        "pdc-dp-means: DP-means at the same λ",
        "Both start from the mean and stop by their own rule (θ = 0): “pypmeans” when no label "
        "changes, with `tol` when a pass lowered the objective by that part or less, theirs by its "
        "tolerance of 1e-4. “Apart” are groups in balls that do not touch; otherwise groups "
        "touch, large ones are cut by this objective, and hundreds of passes are needed until no "
        "label changes. The published wheels of pdc-dp-means are built without OpenMP and use one "
        "CPU, hence the row with one thread.",
        PDC_WORKLOADS,
        (m.OURS, m.OURS_1, m.OURS_TOL, m.OURS_TOL_1, m.PDC),
    ),
    "large": Section(
        "k-means, told the number of clusters, on a million rows",
        "As below; one run of what takes minutes.",
        (LARGE_WORKLOAD,),
        (m.OURS, m.OURS_START, m.LLOYD_START, *FAISS),
    ),
    "search": Section(
        "Our own algorithms on a million rows",
        "The paper's algorithm at the λ that opens as many clusters as there are groups (θ = 0), "
        "the search at θ = 2 s² for the true s, and nothing given at all.",
        (W(1_000_000, 8),),
        (m.OURS, m.SEARCH, m.AUTO),
    ),
    "kmeans": Section(
        "k-means, told the number of clusters",
        "“pypmeans” starts from nothing and finds the number. “Same start” are the centers after "
        "its first pass. KMeans runs until no label changes (tol=0). faiss sees all rows, in "
        "float32, for as many passes as it is told: 25, its default; until its own objective "
        "changes by our `tol` or less; until float32 cannot tell its change. How many these are is "
        "found out beforehand.",
        KMEANS_WORKLOADS,
        (
            m.OURS,
            m.OURS_START,
            m.LLOYD_START,
            m.ELKAN_START,
            m.MINIBATCH,
            *FAISS,
            m.SUPER_25,
        ),
    ),
    "fast_hdbscan": Section(
        "fast_hdbscan",
        "After a first call that compiles.",
        (HDBSCAN_WORKLOAD,),
        (m.OURS, m.FAST_HDBSCAN),
    ),
    "unknown": Section(
        "Methods that find the number themselves",
        "Fewer rows, since the others are slow. The mixture gets twice the number of components.",
        (W(20_000, 10, 20),),
        (m.OURS, m.HDBSCAN, m.MIXTURE),
    ),
    "n": Section("Time against the number of rows", "", N_CURVE, (m.OURS,)),
    "d": Section("Time against the number of features", "", D_CURVE, (m.OURS,)),
    "k": Section("Time against the number of clusters", "", K_CURVE, (m.OURS,)),
    "threads": Section("Threads", "", (W(1_000_000, 8),), (m.OURS_1, m.OURS_2)),
    "memory": Section(
        "Memory",
        "The highest resident memory during a fit less that just before it, in a new process "
        "whose kernels are already loaded.",
        MEMORY_WORKLOADS,
        (m.MEMORY,),
    ),
    "start": Section(
        "Cold start",
        "In new processes. A first fit includes importing pypmeans, but not scikit-learn. "
        "The cache is Numba's, of compiled kernels.",
        (START_WORKLOAD,),
        (m.IMPORT_SKLEARN, m.IMPORT_OURS, *m.FIRST_FITS.values()),
    ),
}
