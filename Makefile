# make demo | test | test-full | check | docs | bench | sanitize | clean: the first call makes .venv and builds the package in it.
SHELL := /bin/bash
# Workers, and the commands that tests start, find the bytecode of the first: else each compiles all modules anew.
export PYTHONDONTWRITEBYTECODE :=
PY := .venv/bin/python
SOURCES := pyproject.toml setup.py $(wildcard src/rosenblatt/engine/*.h src/rosenblatt/engine/*.p[xy][dx] src/rosenblatt/data/*.c src/rosenblatt/engine/*.c) $(addprefix src/rosenblatt/engine/,core.py formulas.py permutation.py vote_counter.py)

demo: .venv/built
	$(PY) -m rosenblatt demo
test: check
	$(PY) -m pytest -n 2
test-full: check
	ROSENBLATT_TESTS=full $(PY) -m pytest -n 2
check: .venv/built
	$(PY) -m ruff check . && $(PY) -m ruff format --check . && $(PY) -m mypy && .venv/bin/lint-imports
docs: .venv/built
	$(PY) -m sphinx -W --keep-going -q docs docs/_build
bench: .venv/built
	$(PY) bench/engine.py && $(PY) bench/end_to_end.py && $(PY) bench/real.py --write
sanitize: .venv/built
	bash tests/sanitize.sh
.venv/built: $(SOURCES)
	test -x $(PY) || python3 -m venv .venv
	$(PY) -m pip install --quiet --upgrade pip
	$(PY) -m pip install --quiet --editable . --group dev
	touch $@
clean:
	rm -rf .venv build docs/_build docs/figures src/*.egg-info src/rosenblatt/*/*.so
.PHONY: demo test test-full check docs bench sanitize clean
