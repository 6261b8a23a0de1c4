#!/usr/bin/env bash
# usage: readme.sh SOURCE LIBRARY LINK-ARGUMENTS…   The C programs of README.md and two how-to pages compile as they
# stand, without warnings, and print the line that their own comment promises.
set -euo pipefail
source=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for page in README.md docs/howto/embed.md docs/howto/custom-model.md; do
  awk '/^```c$/ {on = 1; next} /^```$/ {on = 0} on' "$source/$page" > "$work/page.c"
  [ -s "$work/page.c" ] || { echo "$page has no C program" >&2; exit 1; }
  cc -std=c17 -Wall -Wextra -Wpedantic -Werror -I"$source/include" "$work/page.c" "$@" -lm -pthread -o "$work/page"
  promised=$(sed -n 's,.*// prints ,,p' "$work/page.c")
  printed=$("$work/page")
  [ -n "$promised" ] || { echo "$page promises nothing" >&2; exit 1; }
  [ "$printed" = "$promised" ] || { echo "$page: printed '$printed', promised '$promised'" >&2; exit 1; }
  echo "$page: $printed"
done
