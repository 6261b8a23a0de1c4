#!/usr/bin/env bash
# usage: scenes.sh SOURCE CAPSTAN   Every YAML example of the guide and of the pages for users of other programs is a scene that the command accepts.
set -euo pipefail
source=$1 capstan=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0
for page in "$source"/docs/guide/*.md "$source"/docs/coming-from/*.md "$source"/README.md; do
  rm -f "$work"/*.yaml
  awk -v out="$work/example" '/^```yaml/ { n++; file = out n ".yaml"; next } /^```/ { file = "" } file { print > file }' "$page"
  for scene in "$work"/*.yaml; do
    [ -e "$scene" ] || continue
    "$capstan" check "$scene" >/dev/null || { echo "an example of $page is refused" >&2; exit 1; }
    count=$((count + 1))
  done
done
[ "$count" -ge 6 ] || { echo "found only $count examples" >&2; exit 1; }
echo "$count examples"
