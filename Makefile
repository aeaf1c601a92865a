# ReVerify: each target works alone on a Debian machine that has Swift 6.2 or later; missing packages are installed.
#
#   make run [DATA=folder] [ARGS=...]   the main job: plays re-verifications and prints outcomes against the truth
#   make test                           what continuous integration runs
#   make test-all                       the same, with sanitizers, long runs and the cross-compiled kernels
#   make bench [SIZES=100k,1M ...]      speed beside peers; Documentation/Evaluation/SearchBenchmarks.md has the rest
#   make eval [DATA=folder] [OUT=folder]  report, figures, curves and operating points of a data set
#   make format | make lint             house style

SHELL := /bin/bash
.DEFAULT_GOAL := help

PACKAGES := pkg-config libsodium-dev libsqlite3-dev libxxhash-dev libopenblas-dev zlib1g-dev
# The report's tests look at it in a browser; without one they are skipped.
TEST_PACKAGES := chromium
CROSS_PACKAGES := gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static
BENCH_PACKAGES := python3 python3-venv
BENCH_OPTIONS := SIZES DIMENSIONS POPULATIONS OPERATIONS PEERS THREADS LEVELS SEED SECONDS LONGEST SHARED FOLDER JSON SVG
SOURCES := Package.swift Benchmarks/Package.swift Sources Tests Benchmarks/Sources

OUT ?= .build/evaluation

# SwiftPM compiles C without optimisation in debug builds; the kernels' tests want it.
TEST_FLAGS := -Xcc -O2
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)

.PHONY: help run test test-all bench eval format lint packages test-packages bench-packages cross-packages swift

help:
	@sed -n 's/^#   //p' Makefile

run: packages swift
	@swift build -c release --product reverify
	@.build/release/reverify simulate $(if $(DATA),--data '$(DATA)') $(ARGS)

test: packages test-packages swift
	@Tests/run-benchmarks-tiny
	@Tests/CFaceKernelsCross/amx.sh
	@Tests/run-tests $(TEST_FLAGS)

# Leaks are not looked for: the test runner itself leaves a few bytes behind, and every run would fail.
test-all: packages test-packages cross-packages swift
	@Tests/run-benchmarks-tiny
	@Tests/CFaceKernelsCross/run.sh
	@REVERIFY_LONG=1 Tests/run-tests $(TEST_FLAGS)
	@ASAN_OPTIONS=detect_leaks=0 Tests/run-tests $(TEST_FLAGS) --sanitize=address --scratch-path .build-address
	@Tests/run-tests $(TEST_FLAGS) --sanitize=thread --scratch-path .build-thread

bench: packages bench-packages swift
	@swift build -c release --package-path Benchmarks
	@Benchmarks/.build/release/SearchBenchmark openblas
	@Benchmarks/run $(foreach option,$(BENCH_OPTIONS),$(if $($(option)), \
	  --$(shell echo $(option) | tr A-Z a-z) '$($(option))')) $(ARGS)

# Built without the engine, its store and liveness: the same commands in half the time.
eval: packages swift
	@[ -n '$(DATA)' ] || { echo 'of what? make eval DATA=folder' >&2; exit 64; }
	@swift build -c release --product reverify-eval
	@mkdir -p '$(OUT)'
	@.build/release/reverify-eval eval --data '$(DATA)' --json '$(OUT)/evaluation.json' --html '$(OUT)/report.html' \
	  --csv '$(OUT)/curves' $(ARGS) || [ $$? = 1 ]
	@.build/release/reverify-eval tune --data '$(DATA)' --out '$(OUT)/operating-points.json' || [ $$? = 1 ]
	@echo 'written to $(OUT): report.html, evaluation.json, curves, operating-points.json'

format: swift
	@swift format -i -r -p $(SOURCES)

lint: swift
	@swift format lint -s -r -p $(SOURCES)

swift:
	@command -v swift > /dev/null || { echo 'Swift 6.2 or later is needed: https://www.swift.org/install/linux' >&2; exit 1; }

# Only what is missing is installed, so a second run needs no network.
packages:
	@$(call install,$(PACKAGES))

test-packages:
	@$(call install,$(TEST_PACKAGES))

bench-packages:
	@$(call install,$(BENCH_PACKAGES))

cross-packages:
	@$(call install,$(CROSS_PACKAGES))

define install
missing=$$(for package in $(1); do \
  dpkg-query -W -f '$${Status}' "$$package" 2> /dev/null | grep -q 'ok installed' || echo "$$package"; done); \
if [ -n "$$missing" ]; then \
  echo "installing: "$$missing; \
  { $(SUDO) apt-get update && $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $$missing; } > .apt.log 2>&1 \
    || { cat .apt.log >&2; exit 1; }; \
fi
endef
