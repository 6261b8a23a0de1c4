#!/usr/bin/env bash
# usage: bench/sweep.sh CAPSTAN [CASES]   What `capstan sweep` costs over the runs themselves: many short runs, one after the other, by processor
# time (user and system, of the sweep and all its runs) and by the clock. Each run reports its own; the rest is the sweep's. Beside it the same
# runs by a shell loop. Fails if the sweep costs more than 5 % over its runs.
set -euo pipefail
capstan=$(realpath "$1") cases=${2:-1000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >ball.yaml <<'YAML'
obstacles: {floor: {plane: {}}}
parameters: {speed: 1}
bodies:
  ball: {sphere: {radius: 10 cm}, position: [0, 0, 0.1], velocity: [$speed, 0, 0], mu: 0.3}
time: {step: 1 ms, end: 0.1 s}
YAML
TIMEFORMAT='%R %U %S'
"$capstan" run ball.yaml -q -o warm.h5 # the first run finds files that are not yet in memory

{ time "$capstan" sweep ball.yaml --vary "speed=$(awk "BEGIN {h = 1 / ($cases - 1); printf \"1:%.12g:%.12g\", 2 + h / 2, h}")" -o sweep -q; } 2>sweep.time
# exit, seconds and processor seconds that each run took, as the sweep measured them
"$capstan" sweep --table -o sweep --what exit,seconds,processor -q >/dev/null
{ time for ((i = 0; i < cases; ++i)); do
  "$capstan" run ball.yaml -q -o "loop$i.h5" --set speed="$(printf '1.%04d' "$i")"
done; } 2>loop.time

awk -v cases="$cases" -F, '
  FNR == 1 && FILENAME ~ /csv$/ { for (i = 1; i <= NF; ++i) column[$i] = i; next }
  FILENAME ~ /csv$/ { n++; wall += $column["seconds"]; processor += $column["processor"]; bad += $column["exit"] != 0; next }
  FILENAME ~ /sweep.time/ { split($0, s, " ") }
  FILENAME ~ /loop.time/ { split($0, l, " ") }
  END {
    if (n != cases || bad) { printf "%d of %d cases, %d failed\n", n, cases, bad; exit 1 }
    over = (s[2] + s[3]) / processor - 1
    printf "| | CPU (s) | wall clock (s) |\n|---|---|---|\n"
    printf "| %d runs, as reported by each | %.2f | %.2f |\n", cases, processor, wall
    printf "| capstan sweep | %.2f | %.2f |\n", s[2] + s[3], s[1]
    printf "| a shell loop | %.2f | %.2f |\n", l[2] + l[3], l[1]
    printf "\nOverhead over the runs themselves: %.1f %% CPU, %.1f %% wall clock\n", 100 * over, 100 * (s[1] / wall - 1)
    exit over > 0.05 || s[1] / wall - 1 > 0.05
  }' sweep/table.csv sweep.time loop.time
