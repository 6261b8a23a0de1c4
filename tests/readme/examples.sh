#!/usr/bin/env bash
# usage: examples.sh SOURCE PROGRAM…   The programs of docs/reference/examples.md, which the build has compiled (examples.awk), print what the
# page says.
set -euo pipefail
page=$1/docs/reference/examples.md
awk_script=$1/tests/readme/examples.awk
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
awk -v out="$work/" -f "$awk_script" "$page"
cd "$work"
[ "$(ls ./*.c | wc -l)" = $# ] || { echo "the page has $(ls ./*.c | wc -l) programs, the build $#" >&2; exit 1; }
n=0
for program in "$@"; do
  n=$((n + 1))
  "$program" >said.txt || { echo "example $n failed: $(cat said.txt)" >&2; exit 1; }
  diff said.txt "$n.txt" || { echo "example $n prints something else" >&2; exit 1; }
done
