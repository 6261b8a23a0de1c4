// Ties in a result: their definitions, once, and their states in every frame.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capstan/tie.h"
#include "io/result/writer.h"
#include "io/scene/internal.h"

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
  const hsize_t extents[3] = {(hsize_t)writer->ties, 2, 2};
  int32_t* kind = malloc((size_t)writer->ties * 5 * sizeof *kind);
  hid_t group = H5Gcreate2(writer->file, "/ties", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (group >= 0) H5Gclose(group);
  bool done = kind && group >= 0;
  if (done) {
    int32_t* sides = kind + writer->ties;
    for (int32_t i = 0; i < writer->ties; ++i) {
      kind[i] = (int32_t)scene->ties[i].def.kind;
      for (int s = 0; s < 2; ++s) {
        const CpsSceneAnchor* side = &scene->ties[i].side[s];
        sides[4 * i + 2 * s] = (int32_t)side->kind;
        sides[4 * i + 2 * s + 1] = side->kind == CPS_THING_NONE ? 0 : side->index;
      }
    }
    done = write_names(writer->file, scene) &&
           cps_result_write_fixed(writer->file, "/ties/kind", "1", "0 point, 1 hinge, 2 weld, 3 spring, 4 rod", CPS_I32,
                                  1, extents, kind) &&
           cps_result_write_fixed(
               writer->file, "/ties/thing", "1",
               "kind (0 the world, 1 body, 2 fibre, 3 sheet, 4 solid, 7 obstacle) and number of a and b", CPS_I32, 3,
               extents, sides);
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
  double* points = cps_result_reserve(writer, count * 15 * sizeof *points);
  if (!points) return false;
  double *force = points + 6 * count, *torque = force + 3 * count, *apart = torque + 3 * count;
  double* residual = apart + count;
  uint8_t* broken = (uint8_t*)(residual + count);
  for (size_t i = 0; i < count; ++i) {
    CpsTieState now;
    if (cps_world_tie_state(world, cps_world_tie(world, (int32_t)i), &now) != CPS_OK) return false;
    for (int s = 0; s < 2; ++s) put(points + 6 * i + 3 * s, now.point[s]);
    put(force + 3 * i, now.force);
    put(torque + 3 * i, now.torque);
    apart[i] = now.apart;
    residual[i] = now.residual;
    broken[i] = now.broken;
  }
  return cps_result_append(writer, CPS_TIE_POINTS, points, 1) && cps_result_append(writer, CPS_TIE_FORCE, force, 1) &&
         cps_result_append(writer, CPS_TIE_TORQUE, torque, 1) && cps_result_append(writer, CPS_TIE_APART, apart, 1) &&
         cps_result_append(writer, CPS_TIE_RESIDUAL, residual, 1) &&
         cps_result_append(writer, CPS_TIE_BROKEN, broken, 1);
}
