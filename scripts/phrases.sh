#!/usr/bin/env bash
# usage: phrases.sh [PAGE…]   Keeps the phrases of scripts/phrases.txt out of the prose of the documentation. Says each place and what to
# write instead. Without pages: README.md, CONTRIBUTING.md, CHANGELOG.md, docs/*.md, docs/guide, docs/howto, docs/coming-from,
# docs/theory, docs/scenes (but the gallery, which quotes the scenes) and the pages of docs/reference that are written by hand; and keeps
# those of scripts/phrases-messages.txt out of the messages, the string literals of src, and those of scripts/phrases-comments.txt out of its
# comments. The comments of the public headers and the docstrings
# of the Python package are held to the same list as the pages.
set -euo pipefail
list=$(realpath "$(dirname "$0")/phrases.txt")
bad=0
if [ $# -eq 0 ]; then
  cd "$(dirname "$0")/.."
  literals=$(grep -rnoE '"([^"\\]|\\.)*"' src --include='*.c')
  while IFS='|' read -r phrase better; do
    case $phrase in '#'* | '') continue ;; esac
    found=$(grep -iF -- "${phrase% }" <<<"$literals") || continue
    sed "s|\$|; better:$better|" <<<"$found" >&2
    bad=1
  done <scripts/phrases-messages.txt
  comments=$(grep -rnoE '//.*' src --include='*.[ch]')
  while IFS='|' read -r phrase better; do
    case $phrase in '#'* | '') continue ;; esac
    found=$(grep -iwF -- "${phrase% }" <<<"$comments") || continue
    sed "s|\$|; better:$better|" <<<"$found" >&2
    bad=1
  done <scripts/phrases-comments.txt
  set -- README.md CONTRIBUTING.md CHANGELOG.md docs/*.md docs/guide/*.md docs/howto/*.md docs/coming-from/*.md docs/theory/*.md docs/scenes/[!g]*.md \
    docs/reference/{benchmarks,benchmarks-evidence,fclib,generated-problems,hair-files,libraries,mesh-files,result,robustness,viewer-protocol}.md
  # the words of headers and docstrings, line by line as in their files; code becomes empty lines
  words=$(mktemp -d)
  trap 'rm -rf "$words"' EXIT
  for file in include/capstan/*.h; do sed 's|^[^/]*///<\{0,1\} \{0,1\}||; t; s|.*||' "$file" >"$words/${file##*/}"; done
  for file in python/capstan/*.py; do
    awk '{ n = gsub(/"""/, ""); print inside || n ? $0 : ""; if (n % 2) inside = !inside }' "$file" >"$words/${file##*/}"
  done
  set -- "$@" "$words"/*
fi
# Code and tables that a program writes are blanked, the lines of a page are joined by spaces, and first[] remembers where each line begins in the text.
awk '
  function look(    i, from, at, n, before, after) {
    for (i = 1; i <= phrases; ++i) {
      from = 1
      while ((at = index(substr(text, from), phrase[i])) > 0) {
        at += from - 1
        before = substr(text, at - 1, 1)
        after = substr(text, at + length(phrase[i]), 1)
        if (before !~ /[a-z]/ && after !~ /[a-z]/) {
          for (n = lines; first[n] > at; --n) {}
          printf "%s:%d: \"%s\"; better: %s\n", page, n, phrase[i], better[i]
          bad = 1
        }
        from = at + length(phrase[i])
      }
    }
  }
  FNR == 1 && NR > 1 { if (page) look(); page = FILENAME; text = " "; lines = 0; fenced = generated = 0 }
  !page {
    if (/^#/ || /^$/) next
    if (split($0, half, / \| /) != 2) { printf "%s:%d: expected: phrase | better\n", FILENAME, FNR; bad = 1; next }
    phrase[++phrases] = tolower(half[1]); better[phrases] = half[2]
    next
  }
  {
    line = tolower($0)
    if (line ~ /^ *```/) { fenced = !fenced; line = "" }
    if (line ~ /<!-- table:/) generated = 1
    if (line ~ /<!-- end/) generated = 0
    if (fenced || generated) line = ""
    gsub(/`[^`]*`/, "`", line)
    sub(/^ +/, "", line)
    first[++lines] = length(text) + 1
    text = text line " "
  }
  END { look(); if (!phrases || !page) { print "nothing to look for or at"; bad = 1 } exit bad }
' "$list" "$@" >&2 || bad=1
exit $bad
