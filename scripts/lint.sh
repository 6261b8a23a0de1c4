#!/usr/bin/env bash
# usage: lint.sh [format|tidy]   Both without an argument. clang-tidy reads build/compile_commands.json.
set -euo pipefail
cd "$(dirname "$0")/.."
what=${1:-all}
if [ "$what" != tidy ]; then
  find . \( -path './build*' -o -path ./web/node_modules \) -prune -o -name '*.[ch]' -print0 | xargs -0 clang-format --dry-run --Werror
fi
if [ "$what" != format ]; then
  # one file per process: this version of clang-tidy carries state from file to file. Its findings go to stdout.
  find src -name '*.c' -print0 | sort -z | xargs -0 -P "$(nproc)" -n 1 clang-tidy --quiet -p build 2>/dev/null
fi
