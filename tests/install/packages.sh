#!/usr/bin/env bash
# usage: packages.sh BUILD   What `make package` would put into each Debian package, without packing it: every file of an installation is in
# exactly one of them, each package holds what docs/howto/install.md says, and one version is named everywhere. The wheel is packed
# twice and must be the same bytes. BUILD has shared libraries (shared.sh).
set -euo pipefail
source=$(realpath "$(dirname "$0")/../..")
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*" >&2; exit 1; }
version=$(sed -n 's/^project(capstan VERSION \([0-9.]*\) .*/\1/p' "$source/CMakeLists.txt")
short=${version%.*}

install_to() {  # install_to FOLDER OPTIONS…   and lists what came
  local folder=$1
  shift
  DESTDIR=$work/$folder cmake --install "$build" --prefix /usr "$@" >/dev/null
  (cd "$work/$folder" && find . ! -type d | sed 's,^\./,,' | LC_ALL=C sort) >"$work/$folder.list"
}
install_to whole
components=(libraries dev command doc)
[ ! -d "$build/python/capstan" ] || components+=(python)
for component in "${components[@]}"; do install_to "$component" --component "$component"; done
for component in "${components[@]}"; do cat "$work/$component.list"; done | LC_ALL=C sort >"$work/sum.list"
diff "$work/whole.list" "$work/sum.list" || fail "a file of the installation (<) is in no package, or (>) in two"

holds() {  # holds COMPONENT: the lines of stdin, and nothing else
  LC_ALL=C sort | diff - "$work/$1.list" || fail "$1: < is missing, > is new; tell cmake/install.cmake and docs/howto/install.md"
}
cd "$source"
kind=$(sed -n 's/^CMAKE_BUILD_TYPE:STRING=//p' "$build/CMakeCache.txt")
libdir=$(sed -n 's,/libcapstan\.so\..*,,p' "$work/libraries.list" | head -1)
{
  for library in capstan capstan-io capstan-view; do printf '%s\n' "$libdir/lib$library.so.$version" "$libdir/lib$library.so.$short"; done
  echo usr/share/doc/capstan/LICENSE
} | holds libraries
{
  printf 'usr/%s\n' include/capstan/*.h
  for library in capstan capstan-io capstan-view; do printf '%s\n' "$libdir/lib$library.so" "$libdir/pkgconfig/$library.pc"; done
  printf "$libdir/cmake/capstan/capstan%s.cmake\n" Config ConfigVersion Targets "Targets-${kind,,}"
} | holds dev
{
  echo usr/bin/capstan
  printf 'usr/share/man/man1/%s\n' $(cd docs/man && ls)
  find scenes -type f | sed 's,^,usr/share/capstan/,'
  printf 'usr/share/%s\n' bash-completion/completions/capstan zsh/site-functions/_capstan fish/vendor_completions.d/capstan.fish
} | holds command
{
  printf 'usr/share/doc/capstan/%s\n' README.md CHANGELOG.md
  find docs -type f ! -path 'docs/man/*' | sed 's,^,usr/share/doc/capstan/,'
} | holds doc

# one version everywhere
grep -qx "version: $version" CITATION.cff || fail "CITATION.cff names another version than $version"
grep -q "\"version\": \"$version\"" web/npm/package.json || fail "web/npm/package.json names another version than $version"
grep -q "^| \`libcapstan$short\`" docs/howto/install.md || fail "docs/howto/install.md names another library than libcapstan$short"
grep -qE "^(## |The next release is )$version\b" CHANGELOG.md || fail "CHANGELOG.md does not mention release $version"
[ "$("$build/capstan" --version)" = "capstan $version" ] || fail "the command says $("$build/capstan" --version)"

if [ -d "$build/python/capstan" ]; then
  {
    printf 'usr/lib/python3/dist-packages/capstan/%s\n' $(cd python/capstan && ls -- *.py) py.typed _capstan.abi3.so
    printf 'usr/lib/python3/dist-packages/capstan/%s\n' $(cd "$build/python/capstan" && ls -- *.pyi)
  } | holds python
  for i in 1 2; do
    mkdir "$work/wheel$i"
    SOURCE_DATE_EPOCH=1700000000 python3 scripts/wheel.py "$build/python/capstan" "$version" "$work/wheel$i" >/dev/null
  done
  cmp "$work"/wheel1/*.whl "$work"/wheel2/*.whl
  python3 -m zipfile -l "$work"/wheel1/*.whl | awk 'NR > 1 {print $1}' >"$work/wheel.list"
  for file in capstan/__init__.py capstan/_capstan.abi3.so capstan/py.typed capstan/scenes/knot.yaml capstan/scenes/parts/head.yaml \
    "capstan-$version.dist-info/METADATA" "capstan-$version.dist-info/RECORD"; do
    grep -qx "$file" "$work/wheel.list" || fail "the wheel lacks $file"
  done
fi
echo "$(wc -l <"$work/whole.list") files in ${#components[@]} packages of version $version"
