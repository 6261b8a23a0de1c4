#!/usr/bin/env bash
# The main job, as a newcomer sees it: simulate a scene, look at its result, solve one of its steps alone.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p out
say() { printf '\n$ %s\n' "$*"; "$@"; }

say build/capstan run scenes/tower.yaml --threads 2 --save-problem 200 -o out/tower.h5
say build/capstan plot out/tower.h5 --what energy -o out/energy.svg
say build/capstan plot out/tower.h5 --what contacts -o out/contacts.svg
say build/capstan solve out/tower-step000200.hdf5 --tol 1e-12

cat <<'END'

Where to look:
  out/energy.svg        kinetic, potential and dissipated energy over time (open it in a browser)
  out/contacts.svg      how many contacts there are, stick and slide
  out/tower.h5          every frame: poses, velocities, contacts, impulses (docs/reference/result.md)
  scenes/               more scenes; add --help to any command
END
