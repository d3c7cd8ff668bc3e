# What there is to do in this project. `make` alone lists it.

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.set-up
DEMO := .demo

.DEFAULT_GOAL := help
.PHONY: help setup demo test check bench evals snap docs clean

help: ## list what there is to do
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-7s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(STAMP) ## make .venv with the locked versions and baodai itself

$(STAMP): .requirements.lock pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r .requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

demo: $(STAMP) ## compact a session, show what each layer saved, what was decided, one query
	@rm -rf $(DEMO) && mkdir $(DEMO)
	@echo '$$ baodai compact fixtures/demo/session.jsonl --window 8k -o $(DEMO)/session.jsonl'
	@$(BIN)/baodai compact fixtures/demo/session.jsonl --window 8k -o $(DEMO)/session.jsonl \
	  --ledger $(DEMO)/baodai.duckdb
	@echo; echo '$$ baodai report savings_by_layer'
	@$(BIN)/baodai report savings_by_layer --ledger $(DEMO)/baodai.duckdb
	@echo; echo '$$ baodai decisions fixtures/demo/session.jsonl --live'
	@$(BIN)/baodai decisions fixtures/demo/session.jsonl --live
	@echo; echo '$$ baodai report largest_results limit=5'
	@COLUMNS=130 $(BIN)/baodai report largest_results limit=5 --ledger $(DEMO)/baodai.duckdb

test: $(STAMP) ## run the tests
	$(BIN)/python -m pytest

check: $(STAMP) ## format, lint, types, floors
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(STAMP) ## measure speed and size, as ratios; writes reports/bench.*
	$(BIN)/python tests/benchmarks/bench.py

evals: $(STAMP) ## measure detection and survival on ../shared/evals
	PYTHONPATH=tests:tests/benchmarks $(BIN)/python tests/benchmarks/decisions.py
	PYTHONPATH=tests:tests/benchmarks $(BIN)/python tests/benchmarks/verdicts.py
	PYTHONPATH=tests:tests/benchmarks $(BIN)/python tests/benchmarks/survival.py

snap: $(STAMP) ## write the golden files anew
	$(BIN)/python -m pytest --snapshot-update

docs: $(STAMP) ## write the generated parts anew: lists of README.md, keys of the lexicons
	$(BIN)/python tests/docs.py

clean: ## remove what the other goals made
	rm -rf .venv $(DEMO)
