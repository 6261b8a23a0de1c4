#!/usr/bin/env bash
# usage: rod.sh SOURCE LIBRARY LINK-ARGUMENTS…   The model of docs/howto/add-a-rod-model.md compiles without warnings and does what the page says.
# It is put in the place of the mass-spring chain, so that the library need not be built again: the linker takes the first of two.
set -euo pipefail
source=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
awk -v out="$work/" '/^```c$/ {name = out (++n) ".c"; next} /^```$/ {name = ""} name {print > name}' "$source/docs/howto/add-a-rod-model.md"
sed 's/cps_rod_string/cps_rod_mass_spring/' "$work/1.c" >"$work/model.c"
sed 's/CPS_ROD_STRING/CPS_ROD_MASS_SPRING/' "$work/2.c" >"$work/test.c"
flags="-std=c17 -O1 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-implicit-fallthrough -Werror -ffp-contract=off -D_POSIX_C_SOURCE=200809L"
cc $flags -I"$source/src" -I"$source/include" -c "$work/model.c" -o "$work/model.o"
cc $flags -I"$source/include" "$work/test.c" "$work/model.o" "$@" -lm -pthread -o "$work/test"
"$work/test"
