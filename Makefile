# `make attack` and `make test` do all the set-up on a machine that has Python, make and git.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
PIP = $(BIN)/python -m pip --disable-pip-version-check -q
ARGS ?=
BASE ?= HEAD
COMPILED ?= .venv-compiled

.PHONY: attack test test-slow compiled dev coverage lint types layers corpus fuzz axe sandboxes mutants docs zoo zoo-light bench bench-gate speed clean

attack: $(VENV)/.installed  ## attack the reference engine and print the table
	$(BIN)/capfuzz attack engine

test: $(VENV)/.tests-installed  ## install what the tests need and run them, but for the slow ones
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow" $(ARGS)

test-slow: $(VENV)/.tests-installed  ## the slow ones
	$(BIN)/python -m pytest -n auto --dist worksteal -m slow $(ARGS)

compiled: VENV = $(COMPILED)
compiled: $(COMPILED)/.tests-only  ## a wheel with the engine compiled, and the engine's tests on it
	rm -rf dist/compiled
	CAPFUZZ_COMPILED=1 $(PIP) wheel --no-deps -w dist/compiled .
	$(PIP) uninstall -y capfuzz
	$(PIP) install dist/compiled/*.whl
	CAPFUZZ_EXPECT_COMPILED=1 $(BIN)/python -m pytest -n auto --dist worksteal -m "not interpreted" $(ARGS) \
		tests/engine tests/attacks/test_naive.py

dev: $(VENV)/.tests-installed  ## everything a developer needs; editors resolve capfuzz/ in build/
	$(PIP) install -e . --config-settings editable_mode=strict --group dev

coverage: $(VENV)/.tests-installed  ## branch coverage of engine/ and attacks/ by their own tests: 100 %
	$(BIN)/python -m pytest -n auto --dist worksteal --cov --cov-report=term-missing tests/engine tests/attacks

lint: $(VENV)/.dev-installed  ## ruff, the direction of the arrows, the corpus
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/python -m capfuzz.attacks.expansion --check
	$(BIN)/shellcheck .ci/run .clusterfuzzlite/build.sh fuzz/oss-fuzz/build.sh
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --schemafile tests/fuzz/project.schema.json \
		.clusterfuzzlite/project.yaml fuzz/oss-fuzz/project.yaml

types: $(VENV)/.dev-installed  ## mypy, strict, on an installed copy
	rm -rf build $(VENV)/types
	$(PIP) install --no-deps --target $(VENV)/types .
	MYPYPATH=$(VENV)/types $(BIN)/mypy -p capfuzz

FUZZ_SECONDS ?= 20
fuzz: $(VENV)/.installed  ## every harness on the reference engine, for a short while each
	for harness in path host sequence grant corpus-file; do \
		$(BIN)/capfuzz fuzz $$harness --time $(FUZZ_SECONDS) || exit; \
	done

corpus: $(VENV)/.installed  ## write the expanded families anew
	$(BIN)/python -m capfuzz.attacks.expansion

docs: $(VENV)/.docs-installed  ## the site, into build/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build -q --strict

axe: .axe/node_modules/axe-core/axe.min.js  ## what the tests of the page of a report check it with
.axe/node_modules/axe-core/axe.min.js:
	npm install --silent --no-save --prefix .axe axe-core@4.14.1

sandboxes: .sandboxes/node_modules/.bin/codex  ## those that come from npm, and the Node that one needs
.sandboxes/node_modules/.bin/codex:
	npm install --silent --no-save --prefix .sandboxes node@22.23.3 \
		@anthropic-ai/sandbox-runtime@0.0.83 @openai/codex@0.171.0

mutants: $(VENV)/.dev-installed  ## mutation run over engine/ (about half an hour)
	PATH="$(CURDIR)/$(BIN):$$PATH" sh tests/mutants.sh

zoo: $(VENV)/.installed  ## attack real packages, vulnerable and fixed, in throwaway environments
	$(BIN)/python benchmarks/detection/run.py

# Pure Python, one entry a surface that such packages have.
LIGHT = starlette-2023-29159 urllib-allow-list wheel-2026-24049 jinja2-2025-27516 \
	starlette-2023-29159-http
zoo-light: $(VENV)/.installed  ## a few of them, in under five minutes, as CI does for every change
	$(BIN)/python benchmarks/detection/run.py $(LIGHT)

bench: $(VENV)/.speed-installed  ## time single parts, and keep the figures in .capfuzz/benchmarks
	$(BIN)/python -m pytest benchmarks/speed --benchmark-autosave $(ARGS)

speed: $(VENV)/.speed-installed  ## the goals and the peers, as a report and a drawing
	$(BIN)/python benchmarks/speed/report.py --markdown benchmarks/speed/RESULTS.md \
		--svg benchmarks/speed/cost.svg

bench-gate: $(VENV)/.installed  ## is the engine slower than at BASE? 2 is "too noisy to say"
	$(BIN)/python benchmarks/speed/commits.py --base $(BASE) $(ARGS)

clean:
	rm -rf build dist *.egg-info $(VENV) .venv-* .axe .sandboxes .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/.python:
	$(PYTHON) -m venv $(VENV)
	$(PIP) install 'pip>=25.1'  # the first that knows dependency groups
	touch $@

$(VENV)/.installed: $(VENV)/.python pyproject.toml
	$(PIP) install -e '.[all]'
	touch $@

$(VENV)/.tests-installed: $(VENV)/.installed
	$(PIP) install --group test
	touch $@

$(VENV)/.dev-installed: $(VENV)/.tests-installed
	$(PIP) install --group dev
	touch $@

$(VENV)/.docs-installed: $(VENV)/.installed
	$(PIP) install --group docs
	touch $@

$(VENV)/.speed-installed: $(VENV)/.tests-installed
	$(PIP) install --group speed
	touch $@

$(COMPILED)/.tests-only: pyproject.toml
	$(PYTHON) -m venv $(COMPILED)
	$(PIP) install 'pip>=25.1'
	$(PIP) install --group test
	touch $@
