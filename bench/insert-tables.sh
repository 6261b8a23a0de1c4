#!/bin/sh
# Puts the tables of bench/results between the markers "<!-- table: NAME -->" and "<!-- end -->" of the pages that have them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
for page in "$here/../docs/reference/benchmarks-evidence.md" "$here/../docs/theory/rods.md" "$here/../docs/theory/primal.md" "$here/../docs/theory/tolerance.md" "$here/../docs/theory/fit.md" "$here/../docs/theory/inverse.md" "$here/../docs/theory/momentum.md"; do
awk -v results="$here/results" '
  /^<!-- table: / {
    print
    file = results "/" $3 ".md"
    # the title of the file is the page'"'"'s own; deeper headings move down by one
    while ((getline line < file) > 0) {
      if (line ~ /^# /) continue
      if (line ~ /^## /) line = "#" line
      print line
    }
    close(file)
    skip = 1
  }
  /^<!-- end -->/ { skip = 0 }
  !skip && !/^<!-- table: / { print }
' "$page" > "$page.new"
mv "$page.new" "$page"
done
