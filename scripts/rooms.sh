#!/usr/bin/env bash
# A room includes only itself and the rooms that it may use (docs/architecture.md). Says each include that breaks this.
set -euo pipefail
cd "$(dirname "$0")/../src"
inside="core sparse friction geometry model contact world"
bad=0

allow() {  # allow ROOM MAY_USE...
  local room=$1 file include
  shift
  while IFS=: read -r file include; do
    case " capstan $* $room " in
      *" $include "*) ;;
      *) echo "src/$file includes $include/, which $room does not use"; bad=1 ;;
    esac
  done < <(grep -HoE '^#include "[^"]+/' "$room"/*.[ch] | sed 's|#include "||; s|/$||')
}

allow core
allow sparse core
for room in friction friction/local friction/global friction/generate; do
  allow $room core sparse friction friction/local friction/global friction/generate
done
allow geometry core
allow model core sparse geometry
allow contact core geometry model
allow world "$inside"
allow things "$inside"
allow inverse "$inside" things
allow base core
io="$inside things inverse base io"
allow io "$io"
allow io/mesh "$io"
allow io/hair "$io"
allow io/fclib "$io"
allow io/scene "$io" io/mesh io/hair
allow io/result "$io" io/scene
allow io/frame "$io" io/scene io/result
allow io/export "$io" io/scene io/result io/frame
allow render core base
allow server core base
allow draw core base
allow browser core base io io/scene io/frame io/mesh server
allow cli core base draw

for room in $(find . -name '*.c' -printf '%h\n' | sort -u); do
  grep -qE "^(allow|for room in.*) ?.*\b${room#./}\b" ../scripts/rooms.sh || { echo "scripts/rooms.sh does not know src/${room#./}"; bad=1; }
done

# The picture of a step names files that are there.
for file in $(sed -n '/^ main ──/,/^```/p' ../docs/architecture.md | sed -E 's/.*[^ ]   *([a-z_/]+( [a-z_/]+)*)( [◀─┐┤┘│]*| *│)?$/\1/; /[^a-z_/ ]/d'); do
  [ -f "$file.c" ] || [ -f "world/$file.c" ] || { echo "docs/architecture.md: there is no $file.c"; bad=1; }
done

# Whoever looks for a file of a step finds it in that page.
for file in world/*.c contact/*.c things/*.c; do
  name=$(basename "$file" .c)
  grep -qwE "$name" ../docs/architecture.md || { echo "docs/architecture.md does not name src/$file"; bad=1; }
done
exit $bad
