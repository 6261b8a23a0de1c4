#!/usr/bin/env bash
# The main job, as a newcomer sees it: make a problem, solve it by three methods, show the table and the plot.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p out
say() { printf '\n$ %s\n' "$*"; "$@"; }

say build/capstan generate fibres --contacts 2000 --seed 1 -o out/fibres.hdf5
say build/capstan info out/fibres.hdf5
say build/capstan compare out/fibres.hdf5 --methods auto,gs,apgd --tol 1e-8 --plot out/convergence.svg --no-profile
say build/capstan solve out/fibres.hdf5 -o out/solved.hdf5

cat <<'END'

Where to look:
  out/convergence.svg   residual of the three methods against time (open it in a browser)
  out/solved.hdf5       the problem with its impulses and velocities in /solution
  build/capstan methods every method with its paper; add --help to any command
END
