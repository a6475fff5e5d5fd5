"""How large the report of 100,000 rows is, and how long a browser takes to open it.

Needs playwright and chromium (``apt-get install chromium``) and a machine with nothing else to do:
``python benchmarks/report_size.py [n_rows]``. What is timed is a new page, from asking for the file
until map, tables and curves are drawn.
"""

import shutil
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

from playwright.sync_api import sync_playwright

from pypmeans import PYPMeans
from pypmeans.datasets import make_power_law_blobs
from pypmeans.report import ClusteringReport

OPENINGS = 7


def main(n_rows=100_000):
    X, _ = make_power_law_blobs(n_rows, n_clusters=150, n_features=8, separation=7, random_state=0)
    model = PYPMeans().fit(X)
    start = perf_counter()
    report = ClusteringReport(model, X)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        report.write_html(page)
        print(
            f"{n_rows:,} rows, {model.n_clusters_} clusters, {len(report.summary['stops'])} stops"
        )
        print(f"made in {perf_counter() - start:.1f} s, {page.stat().st_size / 1e6:.2f} MB")
        seconds = opening_seconds(page)
    wall, busy = (sorted(times) for times in zip(*seconds, strict=True))
    print(f"opened in {median(wall):.2f} s (median of {OPENINGS}, {wall[0]:.2f} to {wall[-1]:.2f})")
    print(f"of which its main thread worked {median(busy):.2f} s ({busy[0]:.2f} to {busy[-1]:.2f})")


def opening_seconds(page):
    """Pairs of seconds by the clock and of work, in a new tab each time."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        seconds = [open_once(browser, page) for _ in range(OPENINGS)]
        browser.close()
    return seconds


def open_once(browser, page):
    with browser.new_context() as context:
        tab = context.new_page()
        session = context.new_cdp_session(tab)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        start = perf_counter()
        tab.goto(page.as_uri())
        tab.wait_for_selector("html[data-drawn]")
        wall = perf_counter() - start
        metrics = {m["name"]: m["value"] for m in session.send("Performance.getMetrics")["metrics"]}
    return wall, metrics["TaskDuration"]


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
