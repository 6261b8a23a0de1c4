#!/usr/bin/env bash
# usage: pictures.sh [NAME …]   Draws the pictures of the README and of the pages of docs/scenes again: all of them, or those
# named. Each line of scripts/pictures.txt is a picture: its name, the scene, how it is run, how it is drawn. Runs are kept
# in out/pictures, so that a picture can be drawn anew without them; remove the folder to run everything again.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p out/pictures docs/images/scenes
failed=0
while IFS='|' read -r name scene run render; do
  name=${name//[[:space:]]/} scene=${scene//[[:space:]]/}
  [ -n "$name" ] && [[ $name != '#'* ]] || continue
  if [ $# -gt 0 ]; then
    case " $* " in *" $name "*) ;; *) continue ;; esac
  fi
  read -ra run_words <<<"$run"
  read -ra render_words <<<"$render"
  result=out/pictures/$name.h5 stamp=out/pictures/$name.run
  if [ ! -e "$result" ] || [ "$(cat "$stamp" 2>/dev/null)" != "$scene $run" ]; then
    echo "run $scene ${run_words[*]}"
    # exit 1: some step was not solved to the tolerance; the picture shows the state all the same
    build/capstan run "scenes/$scene.yaml" "${run_words[@]}" -o "$result" -q || [ $? -eq 1 ] || { failed=1; continue; }
    echo "$scene $run" >"$stamp"
  fi
  picture=docs/images/scenes/$name.png
  build/capstan render "$result" -o "$picture" --size 960x540 --samples 32 "${render_words[@]}" -q || { failed=1; continue; }
  echo "$picture $(stat -c %s "$picture")"
done <scripts/pictures.txt
exit $failed
