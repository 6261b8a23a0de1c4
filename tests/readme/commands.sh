#!/usr/bin/env bash
# usage: commands.sh SOURCE CAPSTAN   The blocks of the pages of docs that follow a line <!-- run --> do what they say: shell blocks
# and Python blocks run, in the order of the page and in one folder for each page, beside the scenes. (What
# they print is not compared: digits of a simulation may differ between processors.)
set -euo pipefail
source=$(realpath "$1")
capstan=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
# pictures as small as they can be: what they look like is tested elsewhere
cat >"$work/bin/capstan" <<TEXT
#!/bin/sh
case \$1 in render) exec "$capstan" "\$@" --size 96x54 --samples 1 ;; esac
exec "$capstan" "\$@"
TEXT
chmod +x "$work/bin/capstan"
python=
for candidate in python3 /usr/bin/python3; do
  [ -n "$python" ] || ! "$candidate" -c 'import h5py' 2>/dev/null || python=$candidate
done
export PATH="$work/bin:$PATH" PYTHONPATH="$(dirname "$capstan")/python"

# Writes each marked block of a page to NUMBER.KIND.
extract() {
  awk -v out="$2/" '
    /^<!-- run -->$/ { mark = $0; next }
    /^```/ && inside { inside = 0; close(name); next }
    /^```/ && mark { name = sprintf("%s%03d.%s", out, ++n, substr($0, 4) ? substr($0, 4) : "text"); inside = 1; mark = ""; next }
    inside { print > name }
    mark && NF { mark = "" }' "$1"
}

bad=0 count=0
for page in $(cd "$source" && grep -rl --include='*.md' '^<!-- run -->$' README.md docs); do
  if [ -z "$python" ] && grep -q '^```python' "$source/$page"; then
    echo "$page: skipped, no Python with h5py (python3-h5py)"
    continue
  fi
  if grep -q '^import capstan' "$source/$page" && ! "$python" -c 'import capstan, scipy' 2>/dev/null; then
    echo "$page: skipped, the Python package was not built (python3-cffi, python3-numpy, python3-dev) or SciPy is missing"
    continue
  fi
  folder=$work/$(tr / - <<<"${page%.md}")
  mkdir -p "$folder/blocks"
  extract "$source/$page" "$folder/blocks"
  ln -s "$source/scenes" "$folder/scenes"
  for block in "$folder"/blocks/*; do
    case ${block##*.} in
      sh) (cd "$folder" && bash -euo pipefail "$block") >"$folder/printed" 2>&1 || status=$? ;;
      python) (cd "$folder" && "$python" "$block") >"$folder/printed" 2>&1 || status=$? ;;
      *) echo "$page: cannot run a block of ${block##*.}"; status=1 ;;
    esac
    count=$((count + 1))
    [ -z "${status:-}" ] || { echo "$page: this failed:"; cat "$block" "$folder/printed"; bad=1; unset status; }
  done >&2
done
[ "$count" -ge 8 ] || { echo "found only $count blocks" >&2; exit 1; }
echo "$count blocks"
exit $bad
