#!/usr/bin/env bash
# usage: readme.sh SOURCE LIBRARY LINK-ARGUMENTS…   The C program of README.md compiles as it stands, without warnings,
# and prints the line that its own comment promises.
set -euo pipefail
source=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
awk '/^```c$/ {on = 1; next} /^```$/ {on = 0} on' "$source/README.md" > "$work/readme.c"
[ -s "$work/readme.c" ] || { echo "README.md has no C program" >&2; exit 1; }
cc -std=c17 -Wall -Wextra -Wpedantic -Werror -I"$source/include" "$work/readme.c" "$@" -lm -pthread -o "$work/readme"
promised=$(sed -n 's,.*// prints ,,p' "$work/readme.c")
printed=$("$work/readme")
[ "$printed" = "$promised" ] || { echo "printed '$printed', promised '$promised'" >&2; exit 1; }
echo "$printed"
