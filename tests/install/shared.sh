#!/usr/bin/env bash
# usage: shared.sh BUILD   Builds the shared libraries in BUILD (no optimisation: what is checked is what they export).
set -euo pipefail
source=$(realpath "$(dirname "$0")/../..")
cmake -G Ninja -S "$source" -B "$1" --log-level=WARNING -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 -DCAPSTAN_WERROR=ON \
  -DBUILD_SHARED_LIBS=ON -DCAPSTAN_TESTS=OFF >/dev/null
cmake --build "$1" >/dev/null
