# Each target sets up what it needs in .venv, which takes a few minutes the first time.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q
INSTALL := $(PIP) install --no-compile # modules that no test imports need not be compiled
export PYTHONDONTWRITEBYTECODE := # those that are imported are compiled once, not in each of the processes that tests start
KERNELS := $(shell find cpp/include cpp/bindings -name '*.?pp') CMakeLists.txt pyproject.toml
CPP := $(shell find cpp playground -name '*.?pp')
CORPUS := $(shell find cpp/fuzz/corpus -type f)
FUZZ_SECONDS ?= 60
MUTANTS ?= 1000000 # for each reader in C++, of make sanitize
FUZZ_TARGETS := svmlight delimited words json examples # of cpp/fuzz
FUZZ_SEED ?= $(shell date +%s)
THREADED := use parallel # C++ tests that start threads
PROSE := README.md CONTRIBUTING.md SECURITY.md CHANGELOG.md docs src examples tools playground cpp/include cpp/bindings # spelling
WHEEL_TESTS ?= # arguments of pytest for make wheel, such as tests/online; none: all quick tests
ON_TWO := -n 2 --dist worksteal
# for test-minimum: tests of what calls other packages; old packages use what new ones deprecate. Not covered are the engines of
# clusters (dask, spark), and the tools of a build, of which the newest are used
MINIMUM := build/minimum
QUIET := -W ignore::DeprecationWarning -W ignore::PendingDeprecationWarning -W ignore::FutureWarning
CALLERS := tests/data/formats tests/data/tables tests/export tests/persistence tests/plot tests/_design tests/_separability tests/solvers \
    tests/compat tests/serve/log tests/serve/engine tests/serve/http tests/_client --ignore tests/serve/http/test_openapi.py
# older thread sanitizers refuse the addresses that newer kernels give a process at random
FIXED_ADDRESSES := $(shell setarch -R true 2> /dev/null && echo setarch -R)

# several tests run at a time, which threads of BLAS would wait for; test-minimum leaves them as they are
test quick-tests test-slow coverage: export OPENBLAS_NUM_THREADS := 1

.PHONY: demo docs play test quick-tests test-slow test-minimum coverage wheel wheels lint format sanitize fuzz fuzz-cpp bench bench-full peers clusters clean help

help:            ## this list
	@sed -n 's/^\([a-z-]*\): *[^#]*## */\1\t/p' Makefile | expand -t 12

demo: $(VENV)/ready   ## fit a table, check the proof, and write a report to out/
	$(BIN)/python examples/demo.py

docs: $(VENV)/ready $(VENV)/docs   ## the site, in build/docs/html: generated pages, gallery and reference; strict
	for page in cli benchmarks diagrams settings server_api; do $(BIN)/python docs/make_$$page.py || exit 1; done
	$(BIN)/python -m sphinx -b html -n -W --keep-going -q -d build/docs/doctrees docs build/docs/html
	@echo "The site is build/docs/html/index.html."

play: $(VENV)/play   ## compile the kernels of the playground again, after a change of cpp/ or playground/kernels/
	$(BIN)/python playground/kernels/build.py

test:   ## the tests that every change must pass, about six minutes on two cores
	@$(MAKE) --no-print-directory -j2 GROUPS=test quick-tests build/cpp/passed # one processor each

# In one process, because each further one would import all files of tests, too.
quick-tests: $(VENV)/ready
	$(BIN)/python -m pytest -q -m "not slow"

test-slow: $(VENV)/ready $(VENV)/test-slow $(VENV)/docs $(VENV)/play $(VENV)/release sanitize   ## the long tests, and the C++ tests under sanitizers
	$(BIN)/python -m pytest $(ON_TWO) -m slow

coverage: $(VENV)/ready $(VENV)/test-slow $(VENV)/coverage   ## fail if quick tests, and those of clusters, run less than 95 % of the lines of Python, or C++ tests 90 % of the kernels
	$(BIN)/python -m pytest $(ON_TWO) -m "not slow" --all-cases --cov --cov-report= --cov-fail-under=0
	$(BIN)/python -m pytest -m slow tests/distributed/engines --cov --cov-append --cov-report= --cov-fail-under=0 # those of Spark
	$(BIN)/python -m coverage report --skip-covered --fail-under=95
	$(BIN)/cmake -S . -B build/coverage -G Ninja -DCMAKE_CXX_FLAGS="--coverage -fprofile-update=atomic" -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) > build/coverage.log
	$(BIN)/cmake --build build/coverage
	$(BIN)/ctest --test-dir build/coverage --output-on-failure -j2
	$(BIN)/gcovr --filter cpp/include --object-directory build/coverage --exclude-directories '.*CompilerIdCXX.*' \
	  --merge-mode-functions separate --merge-lines --fail-under-line 90 # lines of templates count once

test-minimum: $(VENV)/ready   ## tests with the lowest versions that pyproject.toml allows
	$(BIN)/python tools/minimum_versions.py > build/minimum.txt
	rm -rf build/wheel && $(PIP) wheel --no-deps --no-build-isolation -w build/wheel .
	test -d $(MINIMUM) || $(PYTHON) -m venv $(MINIMUM)
	$(MINIMUM)/bin/python -m pip --disable-pip-version-check -q install "pip>=25.1"
	$(MINIMUM)/bin/python -m pip -q install --no-compile --prefer-binary -c build/minimum.txt --group test "$$(echo build/wheel/*.whl)[all]"
	$(MINIMUM)/bin/python -m pip -q install --no-compile --no-deps --force-reinstall build/wheel/*.whl
	$(MINIMUM)/bin/python -m pytest $(ON_TWO) -m "not slow" $(QUIET) $(CALLERS)

wheel: $(VENV)/release   ## build dist/, and run WHEEL_TESTS (all quick tests) against the wheel where no compiler is
	rm -rf dist
	$(BIN)/python -m build
	$(BIN)/python tools/check_distributions.py dist
	$(BIN)/python tools/test_wheel.py dist/*.whl $(WHEEL_TESTS)

wheels: $(VENV)/release   ## build and test the wheels of all Pythons for this system, as a release does; needs Docker on Linux
	$(BIN)/python -m cibuildwheel --output-dir dist

lint: $(VENV)/ready $(VENV)/lint   ## ruff, mypy, clang-format, import-linter, numpydoc, hadolint, codespell, proselint
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run -Werror $(CPP)
	$(BIN)/lint-imports
	$(BIN)/hadolint Dockerfile
	$(BIN)/python tools/check_docstrings.py
	$(BIN)/codespell $(PROSE)
	$(BIN)/python tools/check_prose.py

format: $(VENV)/lint   ## format the code as lint expects it
	$(BIN)/ruff check --fix --exit-zero
	$(BIN)/ruff format
	$(BIN)/clang-format -i $(CPP)

sanitize: $(VENV)/build   ## the C++ tests with the address, undefined-behaviour and thread sanitizers
	$(BIN)/cmake -S . -B build/sanitize -G Ninja -DNOVIKOFF_SANITIZE=address,undefined -DNOVIKOFF_MUTANTS=$(strip $(MUTANTS)) -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) > build/sanitize.log
	$(BIN)/cmake --build build/sanitize
	$(BIN)/ctest --test-dir build/sanitize --output-on-failure -j2
	$(BIN)/cmake -S . -B build/sanitize-thread -G Ninja -DNOVIKOFF_SANITIZE=thread -DCMAKE_CXX_FLAGS=-O1 -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) > build/sanitize-thread.log
	$(BIN)/cmake --build build/sanitize-thread --target $(THREADED:%=test_%)
	for topic in $(THREADED); do $(FIXED_ADDRESSES) build/sanitize-thread/test_$$topic || exit 1; done

fuzz: $(VENV)/ready $(VENV)/test fuzz-cpp   ## fuzz each reader of files for FUZZ_SECONDS (60); needs clang++ for those in C++
	$(BIN)/python tests/fuzz/run.py --seconds $(FUZZ_SECONDS) --seed $(FUZZ_SEED)

fuzz-cpp: $(VENV)/build
	@mkdir -p $(FUZZ_TARGETS:%=build/fuzz/%)
	@echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' \
	  | clang++ -x c++ -fsanitize=fuzzer,address,undefined -o build/fuzz/works - 2> build/fuzz/clang.log \
	  || { echo "make fuzz needs clang++ with libFuzzer: apt-get install clang libclang-rt-14-dev (or libclang-rt-dev)." >&2; exit 1; }
	$(BIN)/cmake -S . -B build/fuzz/make -G Ninja -DNOVIKOFF_FUZZ=ON -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) > build/fuzz/cmake.log
	$(BIN)/cmake --build build/fuzz/make --target $(FUZZ_TARGETS:%=fuzz_%)
	for target in $(FUZZ_TARGETS); do build/fuzz/make/fuzz_$$target -max_total_time=$(FUZZ_SECONDS) -max_len=2000 -timeout=20 \
	  -dict=cpp/fuzz/$$target.dict -artifact_prefix=build/fuzz/ build/fuzz/$$target cpp/fuzz/corpus/$$target || exit 1; done

bench: $(VENV)/ready $(VENV)/bench   ## compare with other programs on small data, less than ten minutes; writes build/bench
	$(BIN)/python -m benchmarks --quick

bench-full: $(VENV)/ready $(VENV)/bench   ## measure everything for docs/benchmarks.md; takes hours on an idle machine
	$(BIN)/python -m benchmarks

peers: $(VENV)/test   ## install River, which some tests compare with
	$(INSTALL) --group peers

clusters: $(VENV)/test   ## install Dask and Spark, on which some tests run; Spark needs Java 17
	$(INSTALL) --group clusters

clean:           ## remove everything that was built
	rm -rf $(VENV) build dist
	find out -type f ! -name 'report-*.png' -delete 2> /dev/null || true

build/cpp/passed: $(CPP) $(CORPUS) CMakeLists.txt $(VENV)/build
	$(BIN)/cmake -S . -B build/cpp -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) > build/cpp.log
	MAKEFLAGS= $(BIN)/cmake --build build/cpp -- --quiet # without make's job server, which ninja cannot join
	$(BIN)/ctest --test-dir build/cpp --output-on-failure -j2
	touch $@

$(VENV)/pip:
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) "pip>=25.1" # the first that knows dependency groups
	mkdir -p build
	touch $@

$(VENV)/build: $(VENV)/pip pyproject.toml
	$(INSTALL) --group build
	touch $@

$(VENV)/test $(VENV)/test-slow $(VENV)/lint $(VENV)/bench $(VENV)/coverage $(VENV)/docs $(VENV)/play $(VENV)/release: $(VENV)/%: $(VENV)/build
	$(INSTALL) --group $*
	touch $@

# two pips must not run at the same time in one environment: the groups come first
$(VENV)/ready: $(VENV)/build $(KERNELS) | $(GROUPS:%=$(VENV)/%)
	$(INSTALL) --no-build-isolation -e ".[cli,plot]"
	touch $@
