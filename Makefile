# make demo: fit the paper's Titanic list; write its report, calculator and explorer.
# make test: everything CI checks, but for the slow tests (make test-slow).  Both create what
# they need in .venv.
# make test-oldest: the tests with the lowest versions allowed, in .venv-oldest.
# make wheel: build wheel and sdist, and try the wheel in an empty environment.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# the Python that the lowest versions have wheels for, and tests that do not depend on versions
OLDEST_PYTHON ?= python3.11
OLDEST := .venv-oldest
OLDEST_SKIPS := $(addprefix --ignore=tests/,browser paper studies)

.PHONY: demo test test-slow test-oldest coverage wheel lint format bench docs clean

demo: $(VENV)/demo.stamp
	$(BIN)/elseif demo --out results --force

# a file's tests run in one process, so that what they share is made once
test: lint
	scripts/install_for_tests.sh
	$(BIN)/pytest -m "not slow" -n auto --dist loadfile -q

test-slow: $(VENV)/test.stamp
	$(BIN)/pytest -m slow -n auto -q

# compiled code run as plain Python by the exact tests, and which of its lines they reach
coverage: $(VENV)/test.stamp
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m tests.compiled.draws
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -a -m pytest -q -n0 tests/sampler/exact tests/antecedents/test_mining.py
	$(BIN)/coverage report -m

# old releases use what newer ones of their own dependencies deprecate: no fault of ours
test-oldest: $(OLDEST)/test.stamp
	scripts/install_for_tests.sh
	PYTEST_ADDOPTS="-W default::DeprecationWarning" $(OLDEST)/bin/pytest -m "not slow" -n auto --dist loadfile -q $(OLDEST_SKIPS)

wheel:
	PYTHON=$(PYTHON) scripts/check_wheel.sh

lint: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/test.stamp
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# the site, in site/: it runs the gallery's code, and a warning fails the build
docs: $(VENV)/docs.stamp
	$(BIN)/sphinx-build -W --keep-going -E -q -b html docs site
	@echo "Open site/index.html in a browser."

# one: make bench BENCH=limit
bench: $(VENV)/bench.stamp
	$(BIN)/python benchmarks/run.py $(BENCH)

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "elseif needs Python 3.11 or later; say which: make PYTHON=python3.12 demo" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/demo.stamp: pyproject.toml | $(VENV)/bin/python
	@echo "Installing elseif into $(VENV): a minute the first time."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[plot,report,export]'
	@touch $@

$(VENV)/test.stamp: pyproject.toml | $(VENV)/bin/python
	@echo "Installing elseif and its test tools into $(VENV): a few minutes the first time."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	@touch $@ $(VENV)/demo.stamp $(VENV)/docs.stamp

$(OLDEST)/test.stamp: pyproject.toml constraints/oldest.txt
	@echo "Installing the lowest versions allowed into $(OLDEST): a few minutes the first time."
	$(OLDEST_PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[test]' -c constraints/oldest.txt
	@touch $@

$(VENV)/docs.stamp: pyproject.toml | $(VENV)/bin/python
	@echo "Installing elseif and what builds its site into $(VENV)."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	@touch $@ $(VENV)/demo.stamp

$(VENV)/bench.stamp: $(VENV)/test.stamp
	@echo "Installing the peers that the benchmarks race against into $(VENV)."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bench]'
	@touch $@

clean:
	rm -rf $(VENV) $(OLDEST) .bench .coverage results site docs/_gallery .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
