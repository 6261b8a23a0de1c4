#!/usr/bin/env bash
# usage: package-check.sh FOLDER   Unpacks the packages of a folder into an empty root and uses them as a newcomer would.
set -euo pipefail
folder=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
mkdir "$root" "$work/home"
for deb in "$folder"/*.deb; do
  dpkg-deb -x "$deb" "$root"
  dpkg-deb -f "$deb" Package Version Architecture Depends | tr '\n' ';'
  echo
done
cd "$work/home"
export PATH=$root/usr/bin:$PATH PYTHONPATH=$root/usr/lib/python3/dist-packages
[ "$(command -v capstan)" = "$root/usr/bin/capstan" ]
# the loader finds our libraries beside the command, not elsewhere
ldd "$root/usr/bin/capstan" | grep 'libcapstan' | grep -v "=> $root/" && { echo "a library comes from elsewhere" >&2; exit 1; }

cat >ball.yaml <<'YAML'
obstacles: {floor: {plane: {}}}
bodies:
  ball: {sphere: {radius: 10 cm}, position: [0, 0, 0.1], velocity: [1, 0, 0], mu: 0.3}
time: {step: 1 ms, end: 1 s}
YAML
capstan run ball.yaml
capstan plot ball.h5
capstan render ball.h5 -o ball.png
capstan export ball.h5 --to usda
capstan run tower --until 0.05 -o tower.h5 # a scene of the package, by its name
capstan check wavy-84                      # one that reads other files of the package
for file in usr/include/capstan/capstan.h usr/share/doc/capstan/docs/README.md usr/share/man/man1/capstan.1 \
  usr/share/doc/capstan/site/index.html usr/share/doc/capstan/site/live/index.html; do
  [ -f "$root/$file" ] || { echo "$file is in no package" >&2; exit 1; }
done
for deb in "$folder"/*.deb; do
  [ -s "$root/usr/share/doc/$(dpkg-deb -f "$deb" Package)/copyright" ] || { echo "$deb has no copyright file" >&2; exit 1; }
done
library=$(dirname "$(find "$root" -name 'libcapstan.so.0.*' -type l | head -1)")
cat >version.c <<'C'
#include <capstan/capstan.h>
#include <stdio.h>
int main(void) { return puts(cps_version()) < 0; }
C
PKG_CONFIG_PATH=$library/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 \
  sh -c 'cc version.c -o version $(pkg-config --cflags --libs capstan) -L'"$library"
LD_LIBRARY_PATH=$library ./version
hello='import capstan; r = capstan.Scene("ball.yaml").run("again.h5"); print(capstan.__file__, r.info.finished)'
if [ -d "$PYTHONPATH/capstan" ]; then
  python3=/usr/bin/python3
  "$python3" -c "$hello" | grep "$root.*True"
fi
for wheel in "$folder"/*.whl; do
  [ -f "$wheel" ] || continue
  mkdir "$work/wheel"
  (cd "$work/wheel" && /usr/bin/python3 -m zipfile -e "$wheel" .)
  PYTHONPATH=$work/wheel /usr/bin/python3 -c "$hello" | grep "$work/wheel.*True"
done
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get install --simulate -qq "$folder"/*.deb >/dev/null || { echo "apt cannot resolve what the packages depend on" >&2; exit 1; }
fi
echo "the packages work"
