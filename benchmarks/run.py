"""Time pypmeans and its peers in one run, and write RESULTS.md and results.csv.

Set up with ``benchmarks/setup.sh``, then run ``.venv-bench/bin/python benchmarks/run.py``.
"""

import argparse
import warnings
from pathlib import Path

import report
from measure import compare, say
from methods import pdc_versions
from sections import SECTIONS

HERE = Path(__file__).resolve().parent


def main():
    args = parse()
    warnings.simplefilter("ignore")  # first passes that do not converge are meant here
    rows, versions = [], pdc_versions()
    repeats = args.repeats or (1 if args.quick else 3)
    for name in args.only or SECTIONS:
        section = SECTIONS[name]
        for workload in section.workloads:
            rows += compare(name, workload, section.methods, repeats=repeats, quick=args.quick)
        report.write(args.output, rows, versions, quick=args.quick)
    say(f"Wrote {args.output / 'RESULTS.md'} and results.csv")


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a smoke run on few rows, once each")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, metavar="NAME", help=NAMES)
    parser.add_argument("--repeats", type=int, help="rounds (3; 1 with --quick)")
    parser.add_argument("--output", type=Path, help=f"a folder ({WHERE})")
    args = parser.parse_args()
    partial = args.quick or args.only
    args.output = args.output or (HERE.parent / "build" / "benchmarks" if partial else HERE)
    return args


NAMES = "sections to run: " + ", ".join(SECTIONS)
WHERE = "this one for a full run; build/benchmarks with --quick or --only"

if __name__ == "__main__":
    main()
