#!/usr/bin/env bash
# usage: embed.sh BUILD   Builds the library in BUILD without SuiteSparse and HDF5, links a program with it, libm and
# nothing else, and runs that. (Threads are in libc since glibc 2.34; -pthread is for older ones.)
set -euo pipefail
build=$1
source=$(realpath "$(dirname "$0")/../..")
cmake -G Ninja -S "$source" -B "$build" --log-level=WARNING -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 -DCAPSTAN_WERROR=ON \
  -DCAPSTAN_DIRECT=OFF -DCAPSTAN_IO=OFF -DCAPSTAN_TESTS=OFF >/dev/null
cmake --build "$build" >/dev/null
cc -std=c17 -I"$source/include" "$source/tests/embed/embed.c" "$build/libcapstan.a" -lm -pthread -o "$build/embed"
"$build/embed"
needed=$(ldd "$build/embed" | awk '{print $1}' | grep -vE '^(linux-vdso|libc|libm|libpthread)\.so|ld-linux' || true)
[ -z "$needed" ] || { echo "it also needs $needed" >&2; exit 1; }
echo "embeds with libc and libm alone"
