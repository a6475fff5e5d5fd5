"""``python -m paper [--quick] [--fresh] [--page]``, from the folder ``experiments``.

Without options: all jobs that are not done yet, then the CSVs, the figures and the page
``experiments/RESULTS.md``. ``--quick`` does a few seeds and leaves its page in ``paper/quick``.
"""

import argparse
import time

from paper import records
from paper.run import HERE, WORKERS, run
from paper.settings import FULL, QUICK
from paper.shown.page import write_page


def main():
    parser = argparse.ArgumentParser(prog="python -m paper", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few seeds, in paper/quick")
    parser.add_argument("--fresh", action="store_true", help="forget finished jobs")
    parser.add_argument("--page", action="store_true", help="only write the page from the CSVs")
    parser.add_argument("--workers", type=int, default=WORKERS, help="processes (default 2)")
    arguments = parser.parse_args()
    folder = HERE / "quick" if arguments.quick else HERE
    settings = QUICK if arguments.quick else FULL
    start = time.perf_counter()
    if not arguments.page:
        run(settings, folder, workers=arguments.workers, fresh=arguments.fresh)
    results, timings = (records.read(folder / f"{name}.csv") for name in ("results", "timings"))
    page = write_page(results, timings, settings, folder if arguments.quick else HERE.parent)
    print(f"{page} in {(time.perf_counter() - start) / 60:.1f} minutes")


if __name__ == "__main__":
    main()
