#!/usr/bin/env bash
# usage: scenes-table.sh CAPSTAN [SECONDS] > docs/reference/scenes-table.md
# Runs every scene of scenes/ with its own settings, at most SECONDS of wall-clock time each [60], and writes what the runs
# admit as a table, worst first: unsolved steps and crossings by the hundred steps, then penetration.
set -euo pipefail
capstan=$(realpath "$1")
limit=${2:-60}
cd "$(dirname "$0")/.."
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

# field FILE KEY: a number or a text of a JSON object, the first of that name; empty where it is missing
field() {
  { grep -o "\"$2\": \"\{0,1\}[^,\"}]*" "$1" || true; } | sed -n '1s/.*: "\{0,1\}//p'
}

for scene in scenes/*.yaml; do
  name=$(basename "$scene" .yaml)
  echo "$name" >&2
  code=0
  timeout --signal=INT --kill-after=120 "$limit" "$capstan" run "$scene" --json --quiet -o "$results/$name.h5" \
    >"$results/$name.json" 2>"$results/$name.txt" || code=$?
  if [ ! -s "$results/$name.json" ]; then
    # no object: the run failed, and its sentence is the line
    printf '9e9 | `%s` | failed with %s: %s | | | | | | | |\n' "$name" "$code" \
      "$(head -1 "$results/$name.txt" | tr '|' '/')" >>"$results/lines"
    rm -f "$results/$name.h5"
    continue
  fi
  rm -f "$results/$name.h5"
  for key in time steps bodies fibres contacts_max energy_error penetration_max crossings residual_max unsolved_steps; do
    printf -v "$key" '%s' "$(field "$results/$name.json" "$key")"
  done
  stopped=""
  [ "$code" -eq 124 ] && stopped=" (stopped)"
  awk -v name="$name" -v time="$time" -v stopped="$stopped" -v steps="$steps" -v contacts="$contacts_max" \
    -v energy="$energy_error" -v depth="$penetration_max" -v crossings="$crossings" -v residual="$residual_max" \
    -v unsolved="$unsolved_steps" -v things="$((bodies + fibres))" 'BEGIN {
      share = steps > 0 ? 100.0 * (unsolved + crossings) / steps : 0
      printf "%.9e | `%s` | %d | %.3g s%s | %d | %d | %d | %d | %.1e | %.2g mm | %.0e |\n", 1e6 * share + depth, name, things, time,
        stopped, steps, contacts, unsolved, crossings, residual, 1e3 * depth, energy
    }' >>"$results/lines"
done

cat <<TEXT
# Run statistics of all scenes

Each scene of \`scenes/\` was run with its default values by \`make table-of-scenes\`, for at most $limit s (*stopped*: it did not reach its
end). The worst scenes come first, ordered by unsolved steps and crossings per hundred steps, then by penetration. *Unsolved*: steps in which
an island missed its tolerance, jammed, or has no solution. *Crossings*: contacts of fibres that passed through each other. *Residual*: the
largest residual of an island ([what it means](../theory/tolerance.md)). *Penetration*: the largest at the start of a step. *Energy*: the
relative error of the [energy balance](../theory/time-step.md#the-energy-balance). \`painleve\` has no solution, and its
run reports that ([why](../scenes/painleve.md)).

| scene | bodies and fibres | simulated | steps | contacts, maximum | unsolved | crossings | residual | penetration | energy |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|
TEXT
sort --general-numeric-sort --reverse "$results/lines" | sed 's/^[^|]*//'
