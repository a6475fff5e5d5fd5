"""From rows to RESULTS.md and results.csv."""

import csv
import io
import os
import platform
from dataclasses import asdict, fields
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from itertools import groupby
from pathlib import Path
from statistics import median

from measure import Row
from sections import SECTIONS
from targets import verdicts

PACKAGES = "pypmeans", "numpy", "scipy", "numba", "scikit-learn", "faiss-cpu", "fast_hdbscan"


def write(folder, rows, versions, *, quick):
    """Write both files, each in one step, so that an interruption leaves whole files."""
    folder.mkdir(parents=True, exist_ok=True)
    _replace(folder / "RESULTS.md", page(rows, versions, quick=quick))
    _replace(folder / "results.csv", table_of(rows))


def table_of(rows):
    text = io.StringIO()
    lines = csv.DictWriter(text, [field.name for field in fields(Row)], lineterminator="\n")
    lines.writeheader()
    lines.writerows(asdict(row) for row in rows)
    return text.getvalue()


def page(rows, versions, *, quick):
    parts = ["# Benchmarks", PREFACE, SMOKE if quick else "", machine(rows, versions)]
    doubt = "no verdict: smoke run" if quick else "no verdict: busy machine" * is_busy(rows)
    lines = [_verdict(*verdict, doubt) for verdict in verdicts(rows)]
    parts += ["## Targets", _table(("target", "measured", "met"), lines)]
    for name, group in groupby(rows, key=lambda row: row.section):
        parts += [f"## {SECTIONS[name].title}", SECTIONS[name].text, *_tables(name, list(group))]
    return "\n\n".join(part for part in parts if part) + "\n"


PREFACE = (
    "Written by `benchmarks/run.py`. Times are medians with the range of all repeats in brackets; "
    "competitors took turns. Ratios compare times of this one run: they say how many times longer "
    "than the first row of a table. Objectives (sum of squares plus the charge for the clusters) "
    "are computed by the benchmark, in the same way for all; lower is better. ARI is the adjusted "
    "Rand index with the groups the data were made of."
)
SMOKE = "**A smoke run (`--quick`) on a fraction of the rows and clusters: no verdict.**"


def machine(rows, versions):
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    lines = [
        f"{date.today()}; {_processor()}, {os.cpu_count()} CPUs, {memory:.0f} GiB; "
        f"{platform.system()}, Python {platform.python_version()}",
        ", ".join(f"{package} {_version(package)}" for package in PACKAGES),
        _company(rows),
        *([f"In its own environment: {versions}"] if versions else []),
    ]
    return "\n".join(f"* {line}" for line in lines)


def others(rows):
    """How many CPUs other processes kept busy while the clock ran."""
    total = sum(row.seconds or 0 for row in rows)
    return sum((row.seconds or 0) * (row.others or 0) for row in rows) / (total or 1)


def is_busy(rows):
    return others(rows) > 0.1


def _company(rows):
    text = f"Other processes kept {others(rows):.2f} CPUs busy meanwhile."
    return f"{text} {BUSY}" if is_busy(rows) else text


# Seen on small data with one of two CPUs taken: KMeans and faiss up to 45 times slower, pypmeans
# about twice. So a busy machine flatters us, and no target counts as met on one.
BUSY = "**Too many: methods that use OpenMP suffer most. Run again on an idle machine.**"


def _tables(name, rows):
    if SECTIONS[name].is_curve:
        return [_table(("data", *HEADS), _lines(rows, "workload"))]
    by_workload = groupby(rows, key=lambda row: row.workload)
    return [part for title, group in by_workload for part in _one_workload(title, list(group))]


def _one_workload(title, rows):
    return (
        f"### {title}",
        f"{rows[0].n:,} rows, {rows[0].d} features. {_company(rows)}",
        _table(("method", *HEADS), _lines(rows, "method")),
    )


HEADS = "time", "ratio", "objective", "clusters", "ARI", "passes", "bytes per row", "remarks"


def _lines(rows, key):
    """One line for all repeats of a method, or of a workload on a curve."""
    groups = {}
    for row in rows:
        groups.setdefault(getattr(row, key), []).append(row)
    reference = _median(next(iter(groups.values())), "seconds")
    return [(name, *_cells(group, reference)) for name, group in groups.items()]


def _cells(rows, reference):
    seconds, first = _median(rows, "seconds"), rows[0]
    return (
        _time([row.seconds for row in rows if row.seconds is not None]),
        f"{seconds / reference:.2f}" if seconds and reference else "",
        _number(first.objective, ",.6g"),
        _number(first.n_clusters, ",d"),
        _number(first.agreement, ".3f"),
        _number(first.n_iter, "d"),
        _number(_median(rows, "bytes_per_row"), ".0f"),
        first.note,
    )


def _median(rows, quantity):
    values = [value for row in rows if (value := getattr(row, quantity)) is not None]
    return median(values) if values else None


def _time(seconds):
    if not seconds:
        return ""
    spread = f" [{min(seconds):.3g}, {max(seconds):.3g}]" if len(seconds) > 1 else ""
    return f"{median(seconds):.3g} s{spread}"


def _number(value, form):
    return "" if value is None else format(value, form)


def _verdict(text, found, met, doubt):
    words = {True: "met", False: "**not met**", None: "not measured"}
    return text, found, doubt if doubt and met is not None else words[met]


def _table(heads, lines):
    """A Markdown table without the columns in which all cells are empty."""
    lines = [heads, *lines]
    columns = [column for column in zip(*lines) if any(column[1:])]
    rows = ["| " + " | ".join(cells) + " |" for cells in zip(*columns)]
    return "\n".join([rows[0], "|" + " --- |" * len(columns), *rows[1:]])


def _processor():
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


def _version(package):
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"


def _replace(path, text):
    temporary = path.with_suffix(".tmp")
    temporary.write_text(text, encoding="utf-8")
    os.replace(temporary, path)
