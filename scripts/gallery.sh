#!/usr/bin/env bash
# usage: gallery.sh > docs/scenes/gallery.md   The pictures of scripts/pictures.txt in a grid, each with what it shows and the
# commands that make it.
set -euo pipefail
cd "$(dirname "$0")/.."
columns=3
cat <<'TEXT'
# Gallery

All scenes, as `make pictures` draws them from `scripts/pictures.txt`; a click on *commands* shows how to make one yourself. What theory
says of each scene: [scenes](README.md). How to choose the camera, colours and arrows: [pictures and films](../howto/pictures.md).
This page is made by `make docs`.
TEXT
count=0
end_table() {
  [ "$count" -eq 0 ] || printf '</tr></table>\n'
  count=0
}
while IFS='|' read -r name scene run render sentence; do
  case $name in
    '## '*) end_table && printf '\n%s\n\n' "$name" && continue ;;
    '#'* | '') continue ;;
  esac
  read -r name scene <<<"$name $scene"
  read -ra run <<<"$run"
  read -ra render <<<"$render"
  read -r sentence <<<"$sentence"
  [ "$count" -gt 0 ] && [ $((count % columns)) -eq 0 ] && printf '</tr><tr>\n'
  [ "$count" -gt 0 ] || printf '<table><tr>\n'
  count=$((count + 1))
  run_command="capstan run scenes/$scene.yaml${run[*]:+ ${run[*]}}"
  render_command="capstan render $scene.h5 -o $scene.png${render[*]:+ ${render[*]}}"
  cat <<TEXT
<td width="33%" valign="top"><img src="../images/scenes/$name.png" alt="$sentence"><br><b>$scene</b>: $sentence
<details><summary>commands</summary><code>$run_command</code><br><code>$render_command</code></details></td>
TEXT
done <scripts/pictures.txt
end_table
