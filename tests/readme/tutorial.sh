#!/usr/bin/env bash
# usage: tutorial.sh SOURCE CAPSTAN   The scene of README.md is right, and docs/guide/first-simulation.md works as it is
# written: its scene is the one in scenes/, and its commands, in their order, do what they should. So does
# docs/guide/fibres.md; the scenes of the guides to cloth and ties are those in scenes/.
set -euo pipefail
source=$(realpath "$1")
capstan=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
block() { awk -v kind="$1" '$0 == "```" kind {on = 1; next} /^```$/ {on = 0} on' "$2"; }

block yaml "$source/README.md" > ball.yaml
"$capstan" run ball.yaml --quiet

page="$source/docs/guide/first-simulation.md"
block yaml "$page" > tower.yaml
diff tower.yaml "$source/scenes/tower.yaml"
"$capstan" check tower.yaml
"$capstan" run tower.yaml --quiet
{ echo 'set -euo pipefail'; echo 'capstan() { "'"$capstan"'" "$@"; }'; block sh "$page" | grep '^capstan '; } > commands.sh
[ "$(grep -c '^capstan ' commands.sh)" -ge 8 ] || { echo "the page has lost its commands" >&2; exit 1; }
bash commands.sh
for file in tower-energy.svg slippery.h5 fast.h5 ice.h5 tower-step000200.hdf5; do
  [ -s "$file" ] || { echo "$file was not written" >&2; exit 1; }
done

page="$source/docs/guide/fibres.md"
for scene in hair lock; do
  awk -v name="# scenes/$scene.yaml" '$0 == name {on = 1; next} /^```$/ {on = 0} on' "$page" > "$scene.yaml"
  diff "$scene.yaml" "$source/scenes/$scene.yaml"
done
"$capstan" run hair.yaml --quiet
mkdir -p scenes
cp lock.yaml scenes
{ echo 'set -euo pipefail'; echo 'capstan() { "'"$capstan"'" "$@"; }'; block sh "$page" | grep '^capstan '; } > commands.sh
[ "$(grep -c '^capstan ' commands.sh)" -ge 4 ] || { echo "$page has lost its commands" >&2; exit 1; }
bash commands.sh
for file in hair-picture.svg early.svg hair-energy.svg lock-der.h5; do
  [ -s "$file" ] || { echo "$file was not written" >&2; exit 1; }
done

same() {  # same PAGE SCENE   the scene in the page is the one in scenes/, whose first line is a comment
  awk -v name="# scenes/$2.yaml" '$0 == name {on = 1; next} /^```$/ {on = 0} on' "$source/docs/guide/$1.md" > "$2.yaml"
  diff "$2.yaml" <(tail -n +2 "$source/scenes/$2.yaml")
}
same cloth towel
same ties crane
"$capstan" run towel.yaml --quiet --until 0.1
"$capstan" run crane.yaml --quiet
