// Ties in a result: what they are, once, and what they do, in every frame.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capstan/tie.h"
#include "io/result/writer.h"
#include "io/scene/internal.h"

// Side of a tie as the deepest penetrations number things: 3 * number + CpsSideKind, -1: the world.
static int32_t side_of(const CpsSceneAnchor* side) {
  switch (side->kind) {
    case CPS_THING_BODY:
      return 3 * side->index + CPS_SIDE_BODY;
    case CPS_THING_FIBRE:
      return 3 * side->index + CPS_SIDE_FIBRE;
    case CPS_THING_OBSTACLE:
      return 3 * side->index + CPS_SIDE_OBSTACLE;
    default:
      return -1;
  }
}

static bool write_names(hid_t file, const CpsScene* scene) {
  size_t length = 1;
  for (int32_t i = 0; i < scene->tie_count; ++i) {
    size_t own = strlen(scene->tie_names[i]) + 1;
    if (own > length) length = own;
  }
  char* names = calloc((size_t)scene->tie_count + 1, length);
  if (!names) return false;
  for (int32_t i = 0; i < scene->tie_count; ++i) {
    snprintf(names + (size_t)i * length, length, "%s", scene->tie_names[i]);
  }
  bool done = cps_result_write_texts(file, "/ties/name", "names in the scene", names, length, scene->tie_count);
  free(names);
  return done;
}

bool cps_result_write_tie_names(CpsResultWriter* writer, const CpsScene* scene) {
  if (writer->ties == 0) return true;
  const hsize_t extents[2] = {(hsize_t)writer->ties, 2};
  int32_t* kind = malloc((size_t)writer->ties * 3 * sizeof *kind);
  hid_t group = H5Gcreate2(writer->file, "/ties", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (group >= 0) H5Gclose(group);
  bool done = kind && group >= 0;
  if (done) {
    int32_t* sides = kind + writer->ties;
    for (int32_t i = 0; i < writer->ties; ++i) {
      kind[i] = (int32_t)scene->ties[i].def.kind;
      for (int s = 0; s < 2; ++s) sides[2 * i + s] = side_of(&scene->ties[i].side[s]);
    }
    done = write_names(writer->file, scene) &&
           cps_result_write_fixed(writer->file, "/ties/kind", "1", "0 point, 1 hinge, 2 weld, 3 spring, 4 rod", CPS_I32,
                                  1, extents, kind) &&
           cps_result_write_fixed(writer->file, "/ties/side", "1",
                                  "what a and b are on: 3 * its number + 0 body, 1 fibre, 2 obstacle; -1: the world",
                                  CPS_I32, 2, extents, sides);
  }
  free(kind);
  return done;
}

static void put(double* at, CpsVec3 v) {
  at[0] = v.x;
  at[1] = v.y;
  at[2] = v.z;
}

bool cps_result_write_ties(CpsResultWriter* writer, const CpsWorld* world) {
  size_t count = (size_t)writer->ties;
  if (count == 0) return true;
  double* a = cps_result_reserve(writer, count * 15 * sizeof *a);
  if (!a) return false;
  double *b = a + 3 * count, *force = b + 3 * count, *torque = force + 3 * count, *apart = torque + 3 * count;
  double* residual = apart + count;
  uint8_t* broken = (uint8_t*)(residual + count);
  for (size_t i = 0; i < count; ++i) {
    CpsTieState now;
    if (cps_world_tie_state(world, cps_world_tie(world, (int32_t)i), &now) != CPS_OK) return false;
    put(a + 3 * i, now.point[0]);
    put(b + 3 * i, now.point[1]);
    put(force + 3 * i, now.force);
    put(torque + 3 * i, now.torque);
    apart[i] = now.apart;
    residual[i] = now.residual;
    broken[i] = now.broken;
  }
  return cps_result_append(writer, CPS_TIE_POINT_A, a, 1) && cps_result_append(writer, CPS_TIE_POINT_B, b, 1) &&
         cps_result_append(writer, CPS_TIE_FORCE, force, 1) && cps_result_append(writer, CPS_TIE_TORQUE, torque, 1) &&
         cps_result_append(writer, CPS_TIE_APART, apart, 1) &&
         cps_result_append(writer, CPS_TIE_RESIDUAL, residual, 1) &&
         cps_result_append(writer, CPS_TIE_BROKEN, broken, 1);
}
