# The verbs of this repository. Each sets up what it needs in .venv, and is quick the second time.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q
KERNELS := $(shell find cpp/include cpp/bindings -name '*.?pp') CMakeLists.txt pyproject.toml
CPP := $(shell find cpp -name '*.?pp')
CORPUS := $(shell find cpp/fuzz/corpus -type f)
FUZZ_SECONDS ?= 60
ON_TWO := -n 2 --dist worksteal

.PHONY: demo docs test test-slow lint format sanitize fuzz bench peers clean help

help:            ## this list
	@sed -n 's/^\([a-z-]*\): *[^#]*## */\1\t/p' Makefile | expand -t 12

demo: $(VENV)/ready   ## fit a real table, check the proof, and write a page about it
	$(BIN)/python examples/demo.py

docs: $(VENV)/ready   ## write docs/cli.md and docs/benchmarks.md again
	$(BIN)/python docs/make_cli.py
	$(BIN)/python docs/make_benchmarks.py

test: $(VENV)/ready $(VENV)/test build/cpp/passed   ## what a newcomer runs: under ten minutes on two cores
	$(BIN)/python -m pytest $(ON_TWO) -m "not slow"

test-slow: $(VENV)/ready $(VENV)/test sanitize   ## the long suites
	$(BIN)/python -m pytest $(ON_TWO) -m slow

lint: $(VENV)/ready $(VENV)/lint   ## ruff, mypy, clang-format, import-linter
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run -Werror $(CPP)
	$(BIN)/lint-imports

format: $(VENV)/lint   ## write the code the way lint wants it
	$(BIN)/ruff check --fix --exit-zero
	$(BIN)/ruff format
	$(BIN)/clang-format -i $(CPP)

sanitize: $(VENV)/build   ## the C++ tests under the address and undefined-behaviour sanitizers
	$(BIN)/cmake -S . -B build/sanitize -G Ninja -DNOVIKOFF_SANITIZE=ON -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) > build/sanitize.log
	$(BIN)/cmake --build build/sanitize
	$(BIN)/ctest --test-dir build/sanitize --output-on-failure

fuzz: $(VENV)/build   ## look for text that breaks the readers, for FUZZ_SECONDS (60); needs clang++
	@mkdir -p build/fuzz/svmlight
	@echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' \
	  | clang++ -x c++ -fsanitize=fuzzer,address,undefined -o build/fuzz/works - 2> build/fuzz/clang.log \
	  || { echo "make fuzz needs clang++ with libFuzzer: apt-get install clang libclang-rt-14-dev (or libclang-rt-dev)." >&2; exit 1; }
	$(BIN)/cmake -S . -B build/fuzz/make -G Ninja -DNOVIKOFF_FUZZ=ON -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) > build/fuzz/cmake.log
	$(BIN)/cmake --build build/fuzz/make --target fuzz_svmlight
	build/fuzz/make/fuzz_svmlight -max_total_time=$(FUZZ_SECONDS) -max_len=2000 -timeout=20 -dict=cpp/fuzz/svmlight.dict \
	  -artifact_prefix=build/fuzz/ build/fuzz/svmlight cpp/fuzz/corpus/svmlight

bench: $(VENV)/ready $(VENV)/bench   ## speed against the peers, as ratios from one interleaved run each; svm takes hours
	for script in online parse stream hashing end_to_end margin separability svm; do $(BIN)/python benchmarks/$$script.py || exit 1; done

peers: $(VENV)/test   ## install the peers that tests compare with
	$(PIP) install --group peers

clean:           ## remove everything that was built
	rm -rf $(VENV) build out dist

build/cpp/passed: $(CPP) $(CORPUS) CMakeLists.txt $(VENV)/build
	$(BIN)/cmake -S . -B build/cpp -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) > build/cpp.log
	$(BIN)/cmake --build build/cpp
	$(BIN)/ctest --test-dir build/cpp --output-on-failure
	touch $@

$(VENV)/pip:
	$(PYTHON) -m venv $(VENV)
	$(PIP) install "pip>=25.1"
	mkdir -p build
	touch $@

$(VENV)/build $(VENV)/test $(VENV)/lint $(VENV)/bench: $(VENV)/%: $(VENV)/pip pyproject.toml
	$(PIP) install --group $*
	touch $@

$(VENV)/ready: $(VENV)/build $(KERNELS)
	$(PIP) install --no-build-isolation -e ".[cli,plot]"
	touch $@
