#!/usr/bin/env bash
# Every public header compiles alone, twice in a row, as strict C and as C++, without a warning.
set -euo pipefail
cd "$(dirname "$0")/../../include"
for header in capstan/*.h; do
  code=$(printf '#include "%s"\n#include "%s"\nint main() { return 0; }' "$header" "$header")
  for std in c++11 c++17 c++20; do
    echo "$code" | g++ -x c++ -std=$std -Wall -Wextra -Wpedantic -Wshadow -Wold-style-cast -Werror -fsyntax-only -I. -
  done
  for std in c99 c17; do
    echo "${code/main()/main(void)}" | gcc -x c -std=$std -Wall -Wextra -Wpedantic -Wshadow -Werror -fsyntax-only -I. -
  done
done
