#!/usr/bin/env bash
# usage: web.sh ready           fetches what web/package-lock.json names, once; fails with one sentence where it cannot
#        web.sh bundle FILE.c   bundles web/src and writes it as C (src/server/bundle.h)
# Several build folders may call it at once: the packages in web/node_modules and the bundle in build-web/ are shared.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build-web
exec 9>build-web/lock
flock 9

# what is installed is known by the lock file and by the Node it was installed for
stamp() { { cat web/package.json web/package-lock.json; node --version; uname -m; } | sha256sum; }

case ${1:-} in
ready)
  for tool in node npm; do
    command -v $tool >/dev/null || { echo "$tool is not installed"; exit 1; }
  done
  major=$(node -p 'process.versions.node.split(".")[0]')
  [ "$major" -ge 18 ] || { echo "Node 18 or newer is needed, this is $major"; exit 1; }
  [ "$(cat web/node_modules/.capstan 2>/dev/null)" = "$(stamp)" ] && exit 0
  if ! (cd web && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error --fetch-retries=1) >build-web/npm.log 2>&1; then
    echo "npm ci failed, see build-web/npm.log"
    exit 1
  fi
  stamp >web/node_modules/.capstan
  ;;
bundle)
  node web/build.mjs build-web "$2"
  ;;
*)
  sed -n '2,3s/^# //p' "$0" >&2
  exit 2
  ;;
esac
