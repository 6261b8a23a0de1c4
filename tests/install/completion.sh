#!/usr/bin/env bash
# usage: completion.sh COMPLETION CAPSTAN   Completes words as a shell would, and compares with what must be offered.
set -euo pipefail
# shellcheck source=scripts/completion.bash
source "$1"
command=$2
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
touch wall.yaml wall.h5 wall.hdf5 notes.txt
mkdir scenes

expect() {  # expect WANTED WORD...: the words that complete the last WORD, in any order
  local wanted=$1
  shift
  COMP_WORDS=("$command" "$@")
  COMP_CWORD=$#
  _capstan
  local got
  got=$(printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' ')
  [ "$got" = "$wanted " ] || { echo "capstan $*: offered '$got', not '$wanted'" >&2; exit 1; }
}

expect "check compare convert" c
expect "render run" r
expect "--help" --h
expect "--fibre-width --fit --fov --fps --frames" render --f
expect "--threads --time-limit --tol" solve --t
expect "scenes wall.yaml" run ''
expect "scenes wall.h5" render ''
expect "wall.h5 wall.hdf5" info wall
expect "usda" export wall.h5 --to u
expect "usda" export wall.h5 -t u
expect "tension" render wall.h5 -c t
expect "gs gs-parallel" solve wall.hdf5 --method gs
expect "fibres" generate f

# every command of the help, and every option of each, is offered
for sub in $("$command" --help | sed -n '/^  run /,/^$/s/^  \([a-z]*\) .*/\1/p'); do
  expect "$sub" "$sub"
  for option in $("$command" "$sub" --help | sed -n '/^options:/,/^examples:/p' | grep -oE '^  (-., )?--[a-z-]+' | grep -oE -- '--[a-z-]+'); do
    COMP_WORDS=("$command" "$sub" "$option")
    COMP_CWORD=2
    _capstan
    printf '%s\n' "${COMPREPLY[@]}" | grep -qx -- "$option" || { echo "capstan $sub: $option is not offered" >&2; exit 1; }
  done
done
echo "all commands and options are offered"
