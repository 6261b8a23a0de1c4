#!/usr/bin/env bash
# usage: sbom.sh SOURCE BINARY   The bill of materials of a binary names what it links and what is bundled into it, each with a licence, is
# the same when made again, and is refused where the book does not know the licence of a library.
set -euo pipefail
source=$1 binary=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! command -v dpkg-query >/dev/null; then
  echo "skipped: libraries are named by Debian's packages"
  exit 0
fi
"$source/scripts/sbom.py" "$work/a.json" "$work/a.txt" "$binary"
"$source/scripts/sbom.py" "$work/b.json" "$work/b.txt" "$binary" >/dev/null
cmp "$work/a.json" "$work/b.json"
python3 - "$work/a.json" "$work/a.txt" <<'PY'
import json
import shutil
import sys

bill, notices = json.load(open(sys.argv[1])), open(sys.argv[2]).read()
parts = {part["name"]: part for part in bill["components"]}
assert bill["bomFormat"] == "CycloneDX" and bill["specVersion"] == "1.5"
assert {"libhdf5-103-1", "libc6", "three"} <= parts.keys() or "libhdf5" in " ".join(parts), sorted(parts)
# what the pages hold: the viewer's, the site's, and with Emscripten that of live scenes
assert {"three", "katex", "minisearch", "yaml"} <= parts.keys(), sorted(parts)
if shutil.which("em-config"):
    assert {"emscripten", "emscripten-musl"} <= parts.keys() and "musl" in notices
direct = [part for part in parts.values() if part["properties"][0]["value"] != "in turn"]
assert len(direct) >= 5 and all(part["licenses"] and part["version"] and part["purl"] for part in direct)
assert "Apache License" in notices
PY
# a page without the licence of HDF5 is not good enough
mkdir -p "$work/tree/scripts" "$work/tree/docs/reference" "$work/tree/web"
cp "$source/scripts/sbom.py" "$work/tree/scripts"
cp "$source/CMakeLists.txt" "$source/LICENSE" "$work/tree"
cp "$source/web/package-lock.json" "$work/tree/web"
grep -v '^| HDF5 ' "$source/docs/reference/licences.md" >"$work/tree/docs/reference/licences.md"
if "$work/tree/scripts/sbom.py" "$work/c.json" "$work/c.txt" "$binary" 2>"$work/said"; then
  echo "a library without a licence was let through" >&2
  exit 1
fi
grep -q 'does not know' "$work/said"
