#!/usr/bin/env bash
# usage: subproject.sh SOURCE [build]   A program of somebody else takes capstan in by add_subdirectory, builds it with its own settings and runs: its
# tests, its cache and its install are its own. Only the inside is built. Without `build` it stops once CMake is content.
set -euo pipefail
source=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.25)
project(engine LANGUAGES C)
set(CAPSTAN_IO OFF)
set(CAPSTAN_DIRECT OFF)
add_subdirectory($source capstan EXCLUDE_FROM_ALL)
add_executable(engine main.c)
target_link_libraries(engine PRIVATE capstan::capstan)
if(TARGET capstan-cli OR TARGET capstan-python OR BUILD_TESTING)
  message(FATAL_ERROR "capstan brought more than its library")
endif()
CMAKE
cat >"$work/main.c" <<'C'
#include <capstan/capstan.h>
#include <stdio.h>
int main(void) {
  CpsWorldDef def = cps_world_def_default();
  CpsWorld* world = NULL;
  if (cps_world_create(&def, &world, NULL) != CPS_OK) return 1;
  CpsBodyDef ball = cps_body_def_default();
  ball.shape = cps_sphere(0.1);
  cps_world_add_body(world, &ball, NULL, NULL);
  CpsStatus status = cps_world_step(world, NULL, NULL);
  printf("capstan %s, t = %g s\n", cps_version(), cps_world_time(world));
  cps_world_destroy(world);
  return status != CPS_OK;
}
C
cmake -G Ninja -S "$work" -B "$work/build" --log-level=WARNING -DCMAKE_BUILD_TYPE=Debug >/dev/null
[ ! -e "$source/CMakeCache.txt" ]
[ "${2:-}" = build ] || { echo "configured"; exit 0; }
cmake --build "$work/build" --target engine >"$work/log" || { tail -30 "$work/log" >&2; exit 1; }
"$work/build/engine"
