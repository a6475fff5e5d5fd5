# `make demo` and `make test` set up everything they need in .venv and run; nothing else is needed first.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-nojit lint format bench paper paper-quick clean

demo: $(VENV)/.demo
	@$(BIN)/python examples/demo.py

test: $(VENV)/.test
	$(BIN)/python -m pytest -n auto -q

# Kernels as plain Python: slower, but coverage and debuggers see them. Cases marked `large` are skipped.
test-nojit: $(VENV)/.test
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n auto -q

lint: $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.lint
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Peers live in environments of their own, .venv-bench and .venv-pdc.
bench:
	PYTHON=$(PYTHON) sh benchmarks/setup.sh
	.venv-bench/bin/python benchmarks/run.py

# The paper's experiments and experiments/RESULTS.md: about half an hour on two cores. An interrupted
# run goes on where it was.
paper: $(VENV)/.experiments
	cd experiments && $(CURDIR)/$(BIN)/python -m paper

# A few seeds; the page goes to experiments/paper/quick.
paper-quick: $(VENV)/.experiments
	cd experiments && $(CURDIR)/$(BIN)/python -m paper --quick

clean:
	rm -rf $(VENV) build dist

# One environment; each stamp is renewed when pyproject.toml changes, so a second run starts at once.
$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "pypmeans needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V). Try: make PYTHON=python3.11 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"  # the first pip that knows dependency groups

$(VENV)/.demo: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.test: $(VENV)/.demo
	$(BIN)/python -m pip install --quiet --group test
	@touch $@

$(VENV)/.experiments: $(VENV)/.demo
	$(BIN)/python -m pip install --quiet --group experiments
	@touch $@

$(VENV)/.lint: $(VENV)/.demo
	$(BIN)/python -m pip install --quiet --group lint
	@touch $@
