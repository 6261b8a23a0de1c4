#!/usr/bin/env bash
# usage: links.sh SOURCE   Every relative link in the Markdown files leads to a file, every page of the book is in its
# index, and the files that the plan of the house and the README name in backticks are there.
set -euo pipefail
cd "$1"
bad=0
complain() { echo "$*" >&2; bad=1; }
pages=$(find . \( -path './build*' -o -name node_modules \) -prune -o -name '*.md' -print)
for page in $pages; do
  for link in $(tr '\n' ' ' < "$page" | grep -o '\]([^) ]*)' | sed 's/^](//; s/)$//; s/#.*//' | grep -v '^[a-z]*:' || true) \
    $(grep -o '<img src="[^"]*"' "$page" | cut -d'"' -f2 || true); do
    [ -e "$(dirname "$page")/$link" ] || complain "$page: $link is not there"
  done
done
for page in $(cd docs && find . -name '*.md' ! -name README.md | sed 's,^\./,,'); do
  grep -q "($page)" docs/README.md || complain "docs/README.md does not lead to $page"
done
for name in $(grep -o '`\(src\|include\|tests\|docs\|cmake\|scripts\|bench\)/[a-zA-Z_/.]*`' docs/architecture.md README.md CONTRIBUTING.md |
  sed 's/.*`\(.*\)`/\1/' | sort -u); do
  [ -e "$name" ] || complain "$name is named but is not there"
done
exit $bad
