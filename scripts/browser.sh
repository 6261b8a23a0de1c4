#!/usr/bin/env bash
# usage: browser.sh FOLDER [quick]   Compiles the library to WebAssembly in build-browser/ and makes of it, in FOLDER, the page of live scenes
# and the npm package (web/build-browser.mjs). `quick`, for the tests, compiles with -O1 in build-browser-quick/ and leaves out wasm-opt:
# a third of the processor time, the same results, slower runs. Needs emcc and node; fails with one sentence where they are missing.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${1:?usage: browser.sh FOLDER [quick]}
build=build-browser level=-O3
[ "${2:-}" = quick ] && build=build-browser-quick level=-O1
command -v emcc >/dev/null || { echo "emcc is not installed (Debian: emscripten)" >&2; exit 1; }
scripts/web.sh ready
# Debian's Emscripten takes a library from Debian's folder of Node; another Node does not look there
export NODE_PATH=/usr/share/nodejs${NODE_PATH:+:$NODE_PATH}
mkdir -p $build
exec 9>$build/lock
flock 9
[ -f $build/build.ninja ] || emcmake cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE="$level -DNDEBUG" \
  -DCMAKE_C_COMPILER_LAUNCHER="$PWD/scripts/wasm-cc.sh" -DCAPSTAN_SUITESPARSE=OFF -DCAPSTAN_IO=OFF -DCAPSTAN_TESTS=OFF >$build/log.txt 2>&1 ||
  { cat $build/log.txt >&2; exit 1; }
# the clang that emcc starts, by what emcc says when it compiles nothing; unknown: every file goes through emcc
clang=$(emcc -v -E -x c /dev/null 2>&1 >/dev/null | sed -n '1s/^ *"\([^"]*clang\)\(++\)\?\([^"]*\)".*/\1\3/p')
[ -z "$clang" ] || CAPSTAN_CLANG="$clang $(emcc --cflags)"
export CAPSTAN_CLANG=${CAPSTAN_CLANG:-}
cmake --build $build --target capstan-browser --parallel "${JOBS:-$(nproc)}" >$build/log.txt 2>&1 ||
  { grep -E "error|undefined" -A4 $build/log.txt | head -40 >&2; exit 1; }
node web/build-browser.mjs "$target" $build
