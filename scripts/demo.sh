#!/usr/bin/env bash
# The main job, as a newcomer sees it: simulate a scene, look at its result, solve one of its steps alone.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p out
say() { printf '\n$ %s\n' "$*"; "$@"; }

say build/capstan run scenes/wavy-84.yaml --threads 2 --save-problem 400 -o out/wavy-84.h5
say build/capstan info out/wavy-84.h5
say build/capstan plot out/wavy-84.h5 --picture --frame 0 --view -0.3,-1,0.2 -o out/hair-before.svg
say build/capstan plot out/wavy-84.h5 --picture --frame 45 --view -0.3,-1,0.2 -o out/hair-turning.svg
say build/capstan render out/wavy-84.h5 --frames 45 --view 0.6,-1,0.3 -o out/hair.png
say build/capstan plot out/wavy-84.h5 --what energy -o out/energy.svg
say build/capstan plot out/wavy-84.h5 --what contacts -o out/contacts.svg
say build/capstan solve out/wavy-84-step000400.hdf5 --tol 1e-10
if command -v ffmpeg >/dev/null; then
  say build/capstan render out/wavy-84.h5 --frames 15:75 --view 0.6,-1,0.3 --size 480x270 --samples 8 -o out/hair.mp4
  film='  out/hair.mp4          the same as a film'
fi

cat <<END

Where to look:
  out/hair.png          84 strands of hair on a head that turns
${film:-  (no film: ffmpeg is not installed)}
  out/hair-turning.svg  the same as a drawing; hair-before.svg is the beginning (open them in a browser)
  out/energy.svg        kinetic, potential, elastic and dissipated energy over time
  out/contacts.svg      how many contacts there are, stick and slide
  out/wavy-84.h5        every frame: lines of the fibres, obstacles, the state to go on from (docs/reference/result.md)
  scenes/               more scenes; add --help to any command
END
echo
echo "picture: $PWD/out/hair.png"
[ ! -e out/hair.mp4 ] || echo "film:    $PWD/out/hair.mp4"
