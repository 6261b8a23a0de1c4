#!/usr/bin/env bash
# usage: gallery.sh > docs/scenes/gallery.md   The pictures of scripts/pictures.txt in a grid, each with what it shows and the
# commands that make it.
set -euo pipefail
cd "$(dirname "$0")/.."
columns=3
cat <<'TEXT'
# Gallery

`make pictures` draws all scenes from `scripts/pictures.txt`; click *commands* to see how to draw one yourself. The [scene pages](README.md)
compare each scene with theory. [Pictures and films](../howto/pictures.md) explains cameras, colours and arrows. `make docs` writes this page.
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
  shown="<img src=\"../images/scenes/$name.png\" alt=\"$sentence\">"
  if [[ $name == film-* ]]; then
    film=../images/scenes/$name.mp4
    shown="<video src=\"$film\" width=\"100%\" controls loop muted playsinline></video><br><a href=\"$film\">film</a>"
    render_command=${render_command/.png/.mp4}
  fi
  cat <<TEXT
<td width="33%" valign="top">$shown<br><b>$scene</b>: $sentence
<details><summary>commands</summary><code>$run_command</code><br><code>$render_command</code></details></td>
TEXT
done <scripts/pictures.txt
end_table
