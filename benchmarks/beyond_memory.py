"""Time and memory of fitting and labelling Parquet files that need not fit in memory.

    python benchmarks/beyond_memory.py --rows 20000000

Makes a file of 300 groups of Zipf sizes, the smallest of about 50 rows whatever the number of rows,
fits and labels it in a process of its own, and, with --in-memory, fits the same rows in memory in
another. Writes benchmarks/BEYOND_MEMORY.md.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

N_FEATURES, N_GROUPS, SMALLEST = 8, 300, 50
PIECE = 500_000  # rows made at a time
PAGE = Path(__file__).parent / "BEYOND_MEMORY.md"


def make(path, n_rows):
    """Write the rows to `path` in shuffled order, and their true groups beside it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from pypmeans.datasets import make_power_law_blobs

    few, group = make_power_law_blobs(
        30 * N_GROUPS, n_clusters=N_GROUPS, n_features=N_FEATURES, sizes=[30] * N_GROUPS,
        random_state=0,
    )  # fmt: skip
    centers = np.array([few[group == k].mean(axis=0) for k in range(N_GROUPS)])
    sizes = np.arange(1, N_GROUPS + 1) ** -1.3
    sizes = np.maximum(SMALLEST, n_rows * sizes / sizes.sum() * 0.99)
    sizes[-20:] = SMALLEST
    rng = np.random.default_rng(0)
    y = rng.choice(N_GROUPS, n_rows, p=sizes / sizes.sum()).astype(np.int16)
    names = [f"x{j}" for j in range(N_FEATURES)]
    schema = pa.schema([(name, pa.float64()) for name in names])
    with pq.ParquetWriter(path, schema, compression="none") as writer:
        for start in range(0, n_rows, PIECE):
            rows = centers[y[start : start + PIECE]]
            rows += rng.normal(size=rows.shape)
            writer.write_table(pa.table([rows[:, j] for j in range(N_FEATURES)], schema=schema))
    np.save(path.with_suffix(".npy"), y)


def fit(path, in_memory):
    """Fit the file at `path` and say what it took."""
    from sklearn.metrics import adjusted_rand_score

    from pypmeans import PYPMeans
    from pypmeans.files import TableFile

    PYPMeans(theta=2.0).fit(np.random.default_rng(0).normal(size=(500, N_FEATURES)))  # compile
    before = peak_bytes()
    start = time.perf_counter()
    data = TableFile(path)
    model = PYPMeans(theta=2.0, tol=1e-4).fit(data.to_array() if in_memory else data)
    seconds, peak = time.perf_counter() - start, peak_bytes()
    y = np.load(path.with_suffix(".npy"))
    small = np.flatnonzero(np.bincount(y) < 2 * SMALLEST)
    return {
        "rows": len(y),
        "how": "in memory" if in_memory else "in blocks",
        "seconds": seconds,
        "peak_mb": peak / 1e6,
        "before_mb": before / 1e6,
        "clusters": model.n_clusters_,
        "objective": model.objective_,
        "passes": model.n_iter_,
        "ari": adjusted_rand_score(y, model.labels_),
        "small_found": int(sum(is_found(y == k, model.labels_) for k in small)),
        "small": len(small),
    }


def is_found(members, labels):
    """Whether one cluster holds most of a group and little else."""
    counts = np.bincount(labels[members])
    k = counts.argmax()
    return counts[k] >= 0.8 * members.sum() and counts[k] >= 0.8 * np.count_nonzero(labels == k)


def peak_bytes():
    # not getrusage: its peak starts with that of the process that started this one
    status = Path("/proc/self/status").read_text()
    return 1024 * int(re.search(r"VmHWM:\s*(\d+)", status)[1])


def page(results, note=""):
    lines = [
        "# Larger than memory",
        "",
        f"{N_GROUPS} groups in {N_FEATURES} features, uncompressed Parquet, "
        "`PYPMeans(theta=2.0, tol=1e-4)`; time from opening the file to all labels. Peak is the "
        "whole process, of which what stood there before any data is given as well.",
        "",
        "| rows | how | time (s) | s per million rows | peak (MB) | before (MB) | clusters | F | "
        "passes | ARI | groups of 50 found |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for r in results:
        lines.append(
            f"| {r['rows']:,} | {r['how']} | {r['seconds']:.1f} | "
            f"{r['seconds'] / r['rows'] * 1e6:.2f} | {r['peak_mb']:.0f} | {r['before_mb']:.0f} | "
            f"{r['clusters']} | {r['objective']:.6g} | {r['passes']} | {r['ari']:.4f} | "
            f"{r['small_found']} of {r['small']} |"
        )
    return "\n".join([*lines, "", note]).rstrip() + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[1_250_000, 5_000_000, 20_000_000])
    parser.add_argument("--in-memory", action="store_true", help="fit in memory as well")
    parser.add_argument("--folder", type=Path, help="where files are made and kept")
    parser.add_argument("--note", default="", help="what readers should know of this run")
    parser.add_argument("--fit", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.fit:
        print(json.dumps(fit(options.fit, options.in_memory)))
        return
    results = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        for n_rows in options.rows:
            path = folder / f"rows-{n_rows}.parquet"
            if not path.exists():
                make(path, n_rows)
            for how in [[], ["--in-memory"]] if options.in_memory else [[]]:
                command = [sys.executable, __file__, "--fit", str(path), *how]
                run = subprocess.run(command, capture_output=True, text=True, check=True)
                results.append(json.loads(run.stdout))
                print(results[-1], flush=True)
                PAGE.write_text(page(results, options.note))


if __name__ == "__main__":
    main()
