#!/bin/sh
# Runs every benchmark and writes bench/results. usage: bench/run.sh DIRECTORY-OF-PROGRAMS [--quick]
set -eu
programs=$1
quick=${2:-}
out=$(dirname "$0")/results
mkdir -p "$out"
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
for program in peers fibres table2 assembly; do
  echo "== $program"
  "$programs/bench-$program" --out "$out" $quick
done
echo "Results are in $out"
