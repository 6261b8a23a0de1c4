#!/usr/bin/env bash
# Tables 1 and 2 of Daviet et al. 2011 from the scenes of hair, and exact against faceted friction: runs the four scenes whole,
# two at a time with one thread each (half an hour or so on two cores), writes bench/results and puts the tables into
# docs/reference/benchmarks-evidence.md. What was interrupted goes on where it stopped; remove out/hair to begin anew.
# usage: bench/hair.sh CAPSTAN DIRECTORY-OF-PROGRAMS [OPTIONS OF capstan run]     such as --set count=200
set -eu
capstan=$(realpath "$1")
programs=$(realpath "$2")
shift 2
here=$(cd "$(dirname "$0")" && pwd)
work=$here/../out/hair
mkdir -p "$work/problems"
cd "$work"
options=("$@")

# One scene with further options; exit code 1 of the command means steps that were not solved, which the table tells.
scene() {
  local name=$1
  shift
  TIMEFORMAT="$name: %U s of processor time in %R s"
  time { "$capstan" run "$here/../scenes/$name.yaml" --threads 1 --resume -o "$name.h5" --quiet "$@" \
    ${options[@]+"${options[@]}"} || [ $? = 1 ]; }
}

{ scene free-a; scene pony --save-problem 100:problems; } &
first=$!
{ scene free-b; scene curly; } &
second=$!
wait $first
wait $second
"$programs/bench-table-hair" --out "$here/results" free-a.h5 free-b.h5 pony.h5 curly.h5
"$programs/bench-table2" --out "$here/results" --suffix -pony problems/*.hdf5
"$programs/bench-faceted-hair" "$here/../scenes/pony.yaml" --out "$here/results"
"$here/insert-tables.sh"
