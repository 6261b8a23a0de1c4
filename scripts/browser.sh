#!/usr/bin/env bash
# usage: browser.sh FOLDER   Compiles the library to WebAssembly in build-browser/ and makes of it, in FOLDER, the page of live scenes and the
# npm package (web/build-browser.mjs). Needs emcc and node; fails with one sentence where they are missing.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${1:?usage: browser.sh FOLDER}
command -v emcc >/dev/null || { echo "emcc is not installed (Debian: emscripten)" >&2; exit 1; }
scripts/web.sh ready
# Debian's Emscripten takes a library from Debian's folder of Node; another Node does not look there
export NODE_PATH=/usr/share/nodejs${NODE_PATH:+:$NODE_PATH}
mkdir -p build-browser
exec 9>build-browser/lock
flock 9
[ -f build-browser/build.ninja ] || emcmake cmake -S . -B build-browser -G Ninja -DCMAKE_BUILD_TYPE=Release -DCAPSTAN_SUITESPARSE=OFF \
  -DCAPSTAN_IO=OFF -DCAPSTAN_TESTS=OFF >build-browser/log.txt 2>&1 || { cat build-browser/log.txt >&2; exit 1; }
cmake --build build-browser --target capstan-browser --parallel "${JOBS:-$(nproc)}" >build-browser/log.txt 2>&1 ||
  { grep -E "error|undefined" -A4 build-browser/log.txt | head -40 >&2; exit 1; }
node web/build-browser.mjs "$target" build-browser
