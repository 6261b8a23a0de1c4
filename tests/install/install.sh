#!/usr/bin/env bash
# usage: install.sh BUILD   Installs a build elsewhere and uses it as a stranger would: by find_package and by
# pkg-config, from C and from C++; then moves the installed tree, which must still work.
set -euo pipefail
build=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/moved"
prefix=$work/moved
libdir=$(dirname "$(find "$prefix" -name 'libcapstan.*' | head -1)")
export LD_LIBRARY_PATH=$libdir

cmake -G Ninja -S "$here/consumer" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" --log-level=WARNING >/dev/null
cmake --build "$work/cmake" >/dev/null
"$work/cmake/consumer_c" "$work/a.hdf5"
"$work/cmake/consumer_cpp"

export PKG_CONFIG_PATH=$libdir/pkgconfig
for static in "" --static; do
  cc -std=c17 "$here/consumer/consumer.c" -o "$work/c" $(pkg-config $static --cflags --libs capstan-io) -lm
  c++ -std=c++17 "$here/consumer/consumer.cpp" -o "$work/cpp" $(pkg-config $static --cflags --libs capstan)
  "$work/c" "$work/b.hdf5"
  "$work/cpp"
done

if [ -f "$libdir/pkgconfig/capstan-view.pc" ]; then
  cmake -G Ninja -S "$here/viewer" -B "$work/viewer" -DCMAKE_PREFIX_PATH="$prefix" --log-level=WARNING >/dev/null
  cmake --build "$work/viewer" >/dev/null
  "$work/viewer/viewer"
  c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror "$here/viewer/viewer.cpp" -o "$work/view" $(pkg-config --cflags --libs capstan-view)
  "$work/view"
fi

if [ -f "$libdir/libcapstan.so" ]; then
  "$here/world.py" "$libdir"
fi

"$prefix/bin/capstan" --version
for file in share/man/man1/capstan.1 share/man/man1/capstan-run.1 share/bash-completion/completions/capstan share/zsh/site-functions/_capstan share/fish/vendor_completions.d/capstan.fish share/doc/capstan/LICENSE; do
  [ -f "$prefix/$file" ] || { echo "$file was not installed" >&2; exit 1; }
done
# scenes that were installed are found by their names
(cd "$work" && "$prefix/bin/capstan" check hair | grep -q 'share/capstan/scenes/hair.yaml: ')
if grep -rl "$(dirname "$here")" "$libdir/cmake" "$libdir/pkgconfig"; then
  echo "an installed file names the source folder" >&2
  exit 1
fi
echo "installed, found and run"
