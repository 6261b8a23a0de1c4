#!/usr/bin/env bash
# usage: cholmod.sh BUILD   Builds the library in BUILD with CHOLMOD in the place of LDL, checks that it is linked, and
# runs the tests of the symmetric factorisation and of the methods on top of it, also with allocations that fail.
# Little optimisation: what is checked is the factor, not its speed.
set -euo pipefail
build=$1
source=$(realpath "$(dirname "$0")/../..")
tests=(test_sparse_direct test_friction_conic test_friction_convex_methods test_friction_allocation)
cmake -G Ninja -S "$source" -B "$build" --log-level=WARNING -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE='-O1 -DNDEBUG' -DCAPSTAN_WERROR=ON \
  -DCAPSTAN_CHOLMOD=ON -DCAPSTAN_TESTS=ON >/dev/null
cmake --build "$build" --target "${tests[@]}" >/dev/null
for test in "${tests[@]}"; do
  "$source/tests/sparse/linked.sh" "$build/tests/$test"
done
grep -q -- -lcholmod "$build/capstan.pc" || { echo "capstan.pc does not name CHOLMOD" >&2; exit 1; }
