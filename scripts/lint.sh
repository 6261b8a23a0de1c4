#!/usr/bin/env bash
# usage: lint.sh [format|tidy]   Both without an argument. clang-tidy reads build/compile_commands.json.
set -euo pipefail
cd "$(dirname "$0")/.."
what=${1:-all}
if [ "$what" != tidy ]; then
  find . -path "./build*" -prune -o -name "*.[ch]" -print0 | xargs -0 clang-format --dry-run --Werror
fi
if [ "$what" != format ]; then
  find src -name '*.c' -print0 | sort -z | xargs -0 -P "$(nproc)" -n 4 clang-tidy --quiet -p build 2> >(grep -v 'warnings generated' >&2)
fi
