#!/usr/bin/env bash
# Builds the Debian packages, the wheel and the source tarball in out/package, unpacks them into an empty root and runs examples of
# the README from there. The same source gives the same bytes.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$PWD/out/package
version=$(sed -n 's/^project(capstan VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
jobs=${JOBS:-$(nproc)}
# the date of every packed file: that of the last commit, or of the change log where there is no repository
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)
export SOURCE_DATE_EPOCH
rm -rf "$out"
mkdir -p "$out"

# shared libraries for the packages; paths of this machine stay out of them
flags="-ffile-prefix-map=$PWD=."
configure() {  # configure FOLDER OPTIONS...
  local folder=$1
  shift
  cmake -G Ninja -S . -B "$folder" --log-level=WARNING -DCMAKE_BUILD_TYPE=Release -DCAPSTAN_TESTS=OFF -DCMAKE_C_FLAGS="$flags" "$@"
  cmake --build "$folder" --parallel "$jobs"
}
# the book with live scenes, for the package of the documentation
scripts/browser.sh out/browser
node web/site/build.mjs out/site
# paths between our libraries are relative: with those of this folder the build ids would differ from folder to folder
configure build-package -DCMAKE_INSTALL_PREFIX=/usr -DBUILD_SHARED_LIBS=ON -DCMAKE_BUILD_RPATH_USE_ORIGIN=ON \
  -DCAPSTAN_SITE="$PWD/out/site" -DCAPSTAN_COPYRIGHT="$out/capstan-$version.licences.txt"
# what is linked and bundled, and its licences
scripts/sbom.py "$out/capstan-$version.cdx.json" "$out/capstan-$version.licences.txt" build-package/capstan build-package/libcapstan*.so \
  build-package/python/capstan/_capstan.abi3.so
(cd build-package && cpack -B "$out" >"$out/cpack.log") || { cat "$out/cpack.log" >&2; exit 1; }
rm -rf "$out/_CPack_Packages" "$out/cpack.log"

# the wheel holds our libraries
configure build-wheel -DCAPSTAN_VIEW=ON
if [ -d build-wheel/python/capstan ]; then
  strip build-wheel/python/capstan/_capstan.abi3.so
  python3 scripts/wheel.py build-wheel/python/capstan "$version" "$out"
else
  echo "no wheel: this machine lacks Python's headers, CFFI or numpy"
fi

if git rev-parse --git-dir >/dev/null 2>&1; then
  git archive --format=tar --prefix="capstan-$version/" HEAD | gzip -n9 >"$out/capstan-$version.tar.gz"
fi
scripts/package-check.sh "$out"
(cd "$out" && sha256sum -- *) | tee "$out/SHA256SUMS"
