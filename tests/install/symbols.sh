#!/usr/bin/env bash
# usage: symbols.sh BUILD   The shared libraries export the functions that public headers declare with CPS_API, all of
# them and nothing else.
set -euo pipefail
build=$1
source=$(dirname "$0")/../..
declared=$(cat "$source"/include/capstan/*.h | tr '\n' ' ' | grep -o 'CPS_API [^(;]*(' | grep -o 'cps_[A-Za-z0-9_]*' | sort -u)
exported=$(nm -D --defined-only "$build"/libcapstan.so "$build"/libcapstan-io.so "$build"/libcapstan-view.so | awk 'NF == 3 {print $3}' | sort -u)
[ -n "$declared" ] || { echo "found no CPS_API in the headers" >&2; exit 1; }
diff <(echo "$declared") <(echo "$exported") || { echo "< declared, > exported" >&2; exit 1; }
echo "$(echo "$declared" | wc -l) functions, all declared and exported"
