#!/bin/sh
# Tables 1 and 2 of Daviet et al. 2011 from the scenes of hair, and exact against faceted friction: runs the four scenes whole
# (an hour or so on two cores), writes bench/results and puts the tables into docs/reference/benchmarks.md.
# usage: bench/hair.sh CAPSTAN DIRECTORY-OF-PROGRAMS [OPTIONS OF capstan run]     such as --set count=200
set -eu
capstan=$(realpath "$1")
programs=$(realpath "$2")
shift 2
here=$(cd "$(dirname "$0")" && pwd)
work=$here/../out/hair
mkdir -p "$work/problems"
rm -f "$work"/problems/*.hdf5
cd "$work"
for scene in free-a free-b curly; do
  "$capstan" run "$here/../scenes/$scene.yaml" --threads 2 -o "$scene.h5" "$@"
done
"$capstan" run "$here/../scenes/pony.yaml" --threads 2 -o pony.h5 --save-problem 40:problems "$@"
"$programs/bench-table-hair" --out "$here/results" free-a.h5 free-b.h5 pony.h5 curly.h5
"$programs/bench-table2" --out "$here/results" --suffix -pony problems/*.hdf5
"$programs/bench-faceted-hair" "$here/../scenes/pony.yaml" --out "$here/results"
"$here/insert-tables.sh"
