#!/usr/bin/env bash
# usage: wasm-cc.sh EMCC ARGUMENTS…   Compiles one file for WebAssembly as EMCC would, by calling its clang at once: before each file emcc
# spends 0.25 s in Python, more than clang needs. CMake calls it as the launcher of the compiler; scripts/browser.sh sets CAPSTAN_CLANG to
# clang and the flags of emcc, and a launcher of yours (ccache) is kept. Whatever is not a compilation goes to EMCC.
set -euo pipefail
case " $* " in
*" -c "*) [ -z "${CAPSTAN_CLANG:-}" ] || { shift && exec ${CMAKE_C_COMPILER_LAUNCHER:-} $CAPSTAN_CLANG "$@"; } ;;
esac
exec "$@"
