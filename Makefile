# `make demo` and `make test` set up everything they need in .venv and run; nothing else is needed first.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-nojit test-oldest test-newest coverage mutants lock audit lint format bench paper paper-quick docs clean

demo: $(VENV)/.demo
	@$(BIN)/pypmeans demo --force

test: $(VENV)/.test
	$(BIN)/python -m pytest -n auto -q

# Kernels as plain Python: slower, but coverage and debuggers see them. Cases marked `large` are skipped.
test-nojit: $(VENV)/.test
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n auto -q

# Environments of their own: the lower bounds of pyproject.toml, and whatever is newest.
# `make test-newest PRE=--pre` tries pre-releases too.
test-oldest: .venv-oldest/.test
	.venv-oldest/bin/python -m pytest -n auto -q

test-newest: .venv-newest/bin/python
	.venv-newest/bin/python -m pip install --quiet --upgrade --upgrade-strategy eager $(PRE) --group test --editable ".[all]"
	.venv-newest/bin/python -m pytest -n auto -q

# Branches of the package that tests take. Compiled kernels count nothing, so they are counted as plain
# Python, by the tests that call them most (the whole suite would take hours), all else by the suite.
coverage: $(VENV)/.test
	$(BIN)/python -m pip install --quiet --group coverage
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n auto -q --cov --cov-report= $(KERNEL_TESTS:%=tests/test_%.py)
	$(BIN)/python -m pytest -n auto -q --cov --cov-append --cov-report=term-missing:skip-covered

KERNEL_TESTS := search sparse penalty moves splitting one_row summary gathering threads validation

# Small changes to the formulas and moves of the paper that no test notices; docs/trust.md explains them.
mutants: $(VENV)/.test
	$(BIN)/python -m pip install --quiet --group mutants
	$(BIN)/python tests/mutants.py

# One release of everything, by hash. Renew it after pyproject.toml changes and before each release.
lock:
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python -m pip install --quiet pip-tools
	.venv-lock/bin/pip-compile --quiet --generate-hashes --allow-unsafe --strip-extras --no-header --no-annotate \
	  --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --output-file requirements/lock.txt pyproject.toml

# Known weaknesses of the locked releases; needs a database that is fetched.
audit:
	$(PYTHON) -m venv .venv-audit
	.venv-audit/bin/python -m pip install --quiet pip-audit
	.venv-audit/bin/pip-audit --requirement requirements/lock.txt --disable-pip

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

# Pages, reference and examples, which run; the first page is build/docs/index.html. No warning is let through.
docs: $(VENV)/.docs
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs build/docs
	@echo "The documentation is build/docs/index.html"

# The paper's experiments and experiments/RESULTS.md: about half an hour on two cores. An interrupted
# run goes on where it was.
paper: $(VENV)/.experiments
	cd experiments && $(CURDIR)/$(BIN)/python -m paper

# A few seeds; the page goes to experiments/paper/quick.
paper-quick: $(VENV)/.experiments
	cd experiments && $(CURDIR)/$(BIN)/python -m paper --quick

clean:
	rm -rf $(VENV) build dist docs/api docs/auto_examples

# One environment; each stamp is renewed when pyproject.toml changes, so a second run starts at once.
$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "pypmeans needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V). Try: make PYTHON=python3.11 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"  # the first pip that knows dependency groups

.venv-newest/bin/python:
	$(PYTHON) -m venv .venv-newest
	.venv-newest/bin/python -m pip install --quiet --upgrade "pip>=25.1"

.venv-oldest/.test: pyproject.toml requirements/oldest.txt
	$(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venv-oldest/bin/python -m pip install --quiet --constraint requirements/oldest.txt --group test --editable ".[all]"
	@touch $@

$(VENV)/.demo: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable ".[cli,report]"
	@touch $@

$(VENV)/.test: $(VENV)/.demo
	$(BIN)/python -m pip install --quiet --editable ".[all]" --group test
	@touch $@

$(VENV)/.experiments: $(VENV)/.demo
	$(BIN)/python -m pip install --quiet --group experiments
	@touch $@

$(VENV)/.lint: $(VENV)/.demo
	$(BIN)/python -m pip install --quiet --group lint
	@touch $@

$(VENV)/.docs: $(VENV)/.demo
	$(BIN)/python -m pip install --quiet --editable ".[all]" --group docs
	@touch $@
