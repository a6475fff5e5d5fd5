#!/bin/sh
# Sets up .venv-bench (pypmeans and its peers) and .venv-pdc (pdc-dp-means, which needs old packages).
#
#   PYTHON       interpreter for .venv-bench, 3.11 or newer (default: python3)
#   PDC_PYTHON   interpreter for .venv-pdc, 3.8 to 3.11     (default: python3)
#
# A second run does nothing unless the requirements have changed. Without .venv-pdc the benchmark
# runs all the same and says what is missing.
set -eu
cd "$(dirname "$0")/.."

install() { # environment, interpreter, files it depends on, arguments for pip
    venv=$1 python=$2 files=$3
    shift 3
    if [ -f "$venv/.done" ] && [ -z "$(find $files -newer "$venv/.done")" ]; then
        echo "$venv is up to date"
        return
    fi
    "$python" -m venv "$venv" && "$venv/bin/python" -m pip install --quiet "$@" && touch "$venv/.done"
}

install .venv-bench "${PYTHON:-python3}" "pyproject.toml benchmarks/requirements.txt" \
    --editable . --requirement benchmarks/requirements.txt

pdc_python=${PDC_PYTHON:-python3}
if [ ! -f .venv-pdc/.done ] && ! "$pdc_python" -c 'import sys; sys.exit(not (3, 8) <= sys.version_info < (3, 12))'; then
    echo "No .venv-pdc: pdc-dp-means needs Python 3.8 to 3.11 and $pdc_python is $("$pdc_python" -V 2>&1)." >&2
    echo "Try: PDC_PYTHON=python3.11 benchmarks/setup.sh. Its rows will say that it is missing." >&2
elif ! install .venv-pdc "$pdc_python" benchmarks/requirements-pdc.txt \
    --prefer-binary --requirement benchmarks/requirements-pdc.txt; then
    echo "No .venv-pdc: pip could not install pdc-dp-means. Its rows will say that it is missing." >&2
fi
