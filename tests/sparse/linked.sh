#!/usr/bin/env bash
# usage: linked.sh PROGRAM   Checks that a test program is linked with CHOLMOD and without LDL, and runs it.
set -euo pipefail
needed=$(ldd "$1")
[[ $needed == *libcholmod* && $needed != *libldl* ]] || { echo "$1 has CHOLMOD missing or LDL left" >&2; exit 1; }
exec "$1"
