#!/usr/bin/env bash
# usage: api.sh   Writes the API reference (Markdown) from the public headers to the standard output. A function without
# a comment is an error.
set -euo pipefail
cd "$(dirname "$0")/.."
cat <<'HEAD'
# API reference

Made from the headers by `scripts/api.sh` (`make docs`); a test compares. Units are SI; 0 is success, a positive status
a usable but degraded answer, a negative one a refused call that leaves its outputs untouched. `capstan/capstan.h`
includes all but `capstan/fclib.h`, `capstan/scene.h`, `capstan/result.h`, `capstan/frame.h`, `capstan/hair.h`,
`capstan/mesh.h`, `capstan/fabric.h`, `capstan/rest.h`, `capstan/export.h`, `capstan/render.h` and `capstan/view.h`.
HEAD
names="base vec problem solve generate shape world array pull fibre tie vertex sheet solid grains flow custom inverse fclib scene result frame hair mesh
fabric rest export render view"
for file in include/capstan/*.h; do
  name=$(basename "$file" .h)
  case " capstan $(echo $names) " in *" $name "*) ;; *) echo "$file is missing in scripts/api.sh" >&2; exit 1 ;; esac
done
# a page or program that shows the functions of a header at work
example() {
  case $1 in
    base | vec | shape | world) echo '[the ball of the README](../../README.md)' ;;
    problem | solve) echo '[embedding](../howto/embed.md)' ;;
    fibre) echo '[a test for a rod model](../howto/add-a-rod-model.md#3-test-it)' ;;
    grains) echo '[the guide to sand](../guide/grains.md#in-c)' ;;
    custom) echo '[a custom model](../howto/custom-model.md)' ;;
    render | frame) echo '[pictures in a program](../howto/pictures.md#in-a-program)' ;;
    array | pull | tie) echo '[a bob on a rod](examples.md#ties-pulls-and-arrays)' ;;
    sheet | vertex | fabric) echo '[a hanging sheet](examples.md#sheets-their-vertices-and-measured-fabrics)' ;;
    solid | mesh) echo '[a soft cube](examples.md#meshes-and-solids)' ;;
    flow) echo '[a flow down a slope](examples.md#a-flow-of-grains)' ;;
    generate | fclib) echo '[a generated problem](examples.md#problems-generate-solve-write-read)' ;;
    scene | result | export) echo '[a run](examples.md#scenes-results-and-exports)' ;;
    hair | inverse | rest) echo '[strands that keep their shape](examples.md#hair-inverse-design-and-rest-states)' ;;
    view) echo '[a viewer](examples.md#the-viewer)' ;;
    *) echo "there is no example for $1.h" >&2; return 1 ;;
  esac
}
for name in $names; do
  printf '\n## `capstan/%s.h`\n' "$name"
  shown=$(example "$name")
  # the introduction of the header, with its lines of code
  awk '/^\/\/\// { sub(/^\/\/\/ ?/, ""); sub(/^@file [a-z]*\.h ?/, ""); if (began || $0 != "") { if (!began) print ""; began = 1; print } next } { exit }' \
    "include/capstan/$name.h"
  printf '\nExample: %s.\n' "$shown"
  awk -v file="$name.h" '
    # a comment line: @param and @return become items of a list
    /^\/\/\// {
      line = $0
      sub(/^\/\/\/ ?/, "", line)
      if (line ~ /^@param/) {
        sub(/^@param(\[out\])? +/, "", line)
        item = line
        sub(/ .*/, "", item)
        sub(/^[^ ]+ +/, "", line)
        line = "- `" item "`: " line
      } else if (line ~ /^@return/) {
        sub(/^@return +/, "- returns ", line)
      } else {
        sub(/^ +/, "  ", line)
      }
      comment = comment line "\n"
      next
    }
    # a declaration, printed as it stands up to its end
    /^CPS_API|^typedef/ {
      is_function = /^CPS_API/
      body = /^typedef (struct|enum) .*{/
      text = $0
      sub(/^CPS_API /, "", text)
      last = $0
      while (body ? last !~ /}/ : last !~ /;/) {
        if ((getline last) <= 0) exit 1
        shown = last
        if (is_function) sub(/^        /, "", shown)
        text = text "\n" shown
      }
      title = text
      if (is_function) { sub(/\(.*/, "", title); sub(/.*[ *]/, "", title) }
      else if (text ~ /\(\*/) { sub(/.*\(\*/, "", title); sub(/\).*/, "", title) }
      else { split(text, words, " "); title = words[3] }
      if (is_function && comment == "") { print file ": " title " has no comment" > "/dev/stderr"; exit 1 }
      printf "\n### `%s`\n\n", title
      if (comment != "") printf "%s\n", comment
      printf "```c\n%s\n```\n", text
      comment = ""
      next
    }
    { comment = "" }
  ' "include/capstan/$name.h"
done
