#!/usr/bin/env bash
# usage: pictures.sh [NAME …]   Draws the pictures of the README and of the pages of docs/scenes again: all of them, or those
# named. Each line of scripts/pictures.txt is a picture: its name, the scene, how it is run, how it is drawn, what it shows. One whose
# name begins with film- is a film.
#
# Runs are kept in out/pictures and made again only where the scene or the options of the run have changed, so that it can be
# stopped and goes on, and a picture is drawn anew without its run; remove the folder to run everything again. THREADS=N in
# the environment is for machines that are busy; it changes no bytes.
set -euo pipefail
cd "$(dirname "$0")/.."
trap 'exit 130' INT TERM  # a run that is interrupted ends with 1, too
mkdir -p out/pictures docs/images/scenes
threads=(${THREADS:+--threads "$THREADS"})
parts=$(cat scenes/parts/* | cksum)
failed=0
while IFS='|' read -r name scene run render _; do
  name=${name//[[:space:]]/} scene=${scene//[[:space:]]/}
  [ -n "$name" ] && [[ $name != '#'* ]] || continue
  if [ $# -gt 0 ]; then
    case " $* " in *" $name "*) ;; *) continue ;; esac
  fi
  read -ra run_words <<<"$run"
  read -ra render_words <<<"$render"
  result=out/pictures/$name.h5 stamp=out/pictures/$name.run
  made_from="$(cksum <"scenes/$scene.yaml") $parts ${run_words[*]}"
  if [ ! -e "$result" ] || [ "$(cat "$stamp" 2>/dev/null)" != "$made_from" ]; then
    echo "run $scene ${run_words[*]}"
    # exit 1: some step was not solved to the tolerance; the picture shows the state all the same
    build/capstan run "scenes/$scene.yaml" "${run_words[@]}" "${threads[@]}" -o "$result" -q || [ $? -eq 1 ] ||
      { failed=1; continue; }
    echo "$made_from" >"$stamp"
  fi
  picture=docs/images/scenes/$name.png
  [[ $name != film-* ]] || picture=${picture%.png}.mp4
  build/capstan render "$result" -o "$picture" --size 960x540 --samples 32 "${render_words[@]}" "${threads[@]}" -q ||
    { failed=1; continue; }
  echo "$picture $(stat -c %s "$picture")"
done <scripts/pictures.txt
# the plot of docs/howto/sweep.md
case " ${*:-sweep} " in
  *" sweep "*)
    build/capstan sweep scenes/ramp.yaml --vary mu=0.2:0.5:0.05 --vary angle='10:30:10 deg' --until 0.1 -o out/pictures/ramps -q &&
      build/capstan plot out/pictures/ramps --what way:block -o docs/images/sweep.svg || failed=1
    ;;
esac
exit $failed
