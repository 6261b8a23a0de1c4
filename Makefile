# The front door. `make` builds build/capstan; `make demo` shows what it does; `make test` runs every test.
# On Debian the missing packages of packages.txt are installed first (as root; otherwise they are named).
JOBS ?= $(shell nproc)
BUILD = cmake --build $(1) --parallel $(JOBS)
CTEST = ctest --test-dir build/all --parallel $(JOBS) --output-on-failure

.PHONY: all demo test test-long bench figures table-of-scenes pictures screenshots lint format docs abi site browser install package clean test-builds
all: build/build.ninja
	@$(call BUILD,build)
	@echo "Built build/capstan; try: build/capstan --help"

build/build.ninja:
	@scripts/packages.sh build
	@cmake --preset release --log-level=WARNING -DCAPSTAN_TESTS=OFF

demo: all
	@scripts/demo.sh

# One build per configuration, then one ctest over all of them (tests/all.cmake.in), so that there is one summary.
test-builds:
	@scripts/packages.sh build test browser
	@cmake --preset release --log-level=WARNING -DCAPSTAN_TESTS=ON -DCAPSTAN_WERROR=ON
	@for p in asan tsan fuzz; do cmake --preset $$p --log-level=WARNING || exit; done
	@$(call BUILD,build)
	@$(call BUILD,build-asan)
	@$(call BUILD,build-tsan) --target threaded-tests
	@$(call BUILD,build-fuzz) --target fuzz-targets
	@scripts/browser.sh build-browser-quick/made quick
test: test-builds
	@$(CTEST) --label-exclude long
test-long: test-builds
	@$(call BUILD,build) --target long-tests
	@$(call BUILD,build-asan) --target long-tests
	@CAPSTAN_LONG=1 $(CTEST) --label-regex long

bench: build/build.ninja
	@scripts/packages.sh build bench
	@cmake build --log-level=WARNING -DCAPSTAN_BENCH=ON
	@$(call BUILD,build)
	@$(call BUILD,build) --target run-bench

figures: build/build.ninja
	@scripts/packages.sh build bench
	@cmake build --log-level=WARNING -DCAPSTAN_BENCH=ON
	@$(call BUILD,build) --target draw-figures

# What the runs of all scenes admit: residuals, penetration, crossings, energy. LIMIT: seconds for each scene.
LIMIT ?= 60
table-of-scenes: all
	@scripts/scenes-table.sh build/capstan $(LIMIT) > out-table.md && mv out-table.md docs/reference/scenes-table.md

# Pictures of the viewer in docs/images: needs chromium.
screenshots: all
	@scripts/packages.sh build test
	@CAPSTAN=$(CURDIR)/build/capstan node tests/web/screenshots.mjs docs/images
# Pictures of the README and of docs/scenes, made by capstan render; out/pictures keeps the runs.
pictures: all
	@scripts/pictures.sh

lint: build/build.ninja
	@scripts/lint.sh
format:
	@find . \( -path './build*' -o -path ./web/node_modules \) -prune -o -name '*.[ch]' -print0 | xargs -0 clang-format -i
docs: all
	@scripts/api.sh > docs/reference/api.md
	@scripts/scene.sh build/capstan > docs/reference/scene.md
	@scripts/gallery.sh > docs/scenes/gallery.md
	@scripts/command.py build/capstan
# What a release offers, for the test that later ones offer it too: when a release is cut, and only then.
abi:
	@tests/install/shared.sh build/shared
	@scripts/abi.py tests/install/abi.txt build/shared --write
# The book as a static site with search, in out/site: open out/site/index.html or put the folder on a web server.
site:
	@scripts/packages.sh build
	@scripts/web.sh ready
	@node web/site/build.mjs out/site
# Live scenes in a web page without a server (out/browser/live) and the npm package (out/browser/npm): WebAssembly by Emscripten.
browser:
	@scripts/packages.sh build browser
	@scripts/browser.sh out/browser
# Debian packages, wheel and source tarball in out/package, tried in an empty root.
package:
	@scripts/packages.sh build test browser package
	@scripts/package.sh
install: all
	cmake --install build
clean:
	rm -rf build build-debug build-asan build-tsan build-coverage build-fuzz build-web build-browser build-browser-quick build-package build-wheel web/node_modules out
