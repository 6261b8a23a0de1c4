#!/usr/bin/env bash
# usage: lint.sh [format|tidy|analyzer]   All three without an argument. clang-tidy reads build/compile_commands.json.
set -euo pipefail
cd "$(dirname "$0")/.."
what=${1:-all}

# one file per process: this version of clang-tidy carries state from file to file. Its findings go to stdout. Files that this build leaves
# out are read with the flags of a file of a similar name, which may be a test with options that only gcc knows.
tidy() {
  find src -name '*.c' -print0 | sort -z |
    xargs -0 -P "$(nproc)" -n 1 clang-tidy --quiet -p build --extra-arg=-Wno-unknown-warning-option "$@" 2>/dev/null
}

case $what in all | format)
  find . \( -path './build*' -o -path ./web/node_modules \) -prune -o -name '*.[ch]' -print0 | xargs -0 clang-format --dry-run --Werror ;;
esac
# the analyzer takes twenty times the time of all other checks together, so that it is a test of its own (a long one)
case $what in tidy) tidy --checks='-clang-analyzer-*' ;; esac
case $what in all | analyzer) tidy ;; esac
