#!/usr/bin/env bash
# usage: packages.sh WORD…   Installs the packages of packages.txt whose line begins with one of the words (build,
# test, bench, package) if they are missing. Without root, or off Debian, it says what to install; missing ones then stop the run.
set -euo pipefail
cd "$(dirname "$0")/.."
# lines are: when name [unless command] # why
wanted=$(awk -v words=" $* " '!/^#/ && NF && index(words, " " $1 " ") {print $2, $3 == "unless" ? $4 : ""}' packages.txt |
  while read -r package command; do
    if [ -z "$command" ] || ! command -v "$command" >/dev/null; then echo "$package"; fi
  done)

if ! command -v dpkg-query >/dev/null; then
  echo "Not a Debian system: please see to it that the equivalents of these are installed:" $wanted >&2
  exit 0
fi
missing=()
for package in $wanted; do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if [ "$(id -u)" -ne 0 ]; then
  echo "Packages are missing; please run: sudo apt-get install ${missing[*]}" >&2
  exit 1
fi
echo "Installing ${missing[*]}"
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
