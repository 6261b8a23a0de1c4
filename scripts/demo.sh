#!/usr/bin/env bash
# The main job, as a newcomer sees it: simulate a scene, look at its result, solve one of its steps alone.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p out
say() { printf '\n$ %s\n' "$*"; "$@"; }

say build/capstan run scenes/settle-80.yaml --threads 2 --save-problem 100 -o out/settle-80.h5
say build/capstan info out/settle-80.h5
say build/capstan plot out/settle-80.h5 --what energy -o out/energy.svg
say build/capstan plot out/settle-80.h5 --what contacts -o out/contacts.svg
say build/capstan solve out/settle-80-step000100.hdf5 --tol 1e-12

cat <<'END'

Where to look:
  out/energy.svg        kinetic, potential and dissipated energy over time (open it in a browser)
  out/contacts.svg      how many contacts there are, stick and slide
  out/settle-80.h5      every frame: poses, velocities, contacts, impulses (docs/reference/result.md)
  scenes/               more scenes; add --help to any command
END
