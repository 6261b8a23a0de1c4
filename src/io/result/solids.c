// Solids in a result beside their surfaces: tetrahedra once, the stress in each in every frame, in single precision.
#include <stdlib.h>

#include "capstan/solid.h"
#include "io/result/writer.h"
#include "io/scene/internal.h"

void cps_result_count_vertices(CpsResultWriter* writer, const CpsScene* scene) {
  for (int32_t i = 0; i < scene->sheet_count; ++i) writer->sheet_vertices += cps_scene_surface(scene, i).vertex_count;
  for (int32_t i = 0; i < scene->solid_count; ++i) {
    const CpsSceneSurface s = cps_scene_surface(scene, scene->sheet_count + i);
    writer->solid_vertices += s.vertex_count;
    writer->tetrahedra += s.tetrahedron_count;
  }
}

static void fill(const CpsScene* scene, int64_t* offset, int32_t* tetrahedra) {
  int64_t vertices = 0;
  for (int32_t i = 0; i < scene->solid_count; ++i) {
    const CpsSceneSurface s = cps_scene_surface(scene, scene->sheet_count + i);
    int32_t* at = tetrahedra + 4 * offset[i];
    for (int64_t k = 0; k < 4 * (int64_t)s.tetrahedron_count; ++k) at[k] = (int32_t)vertices + s.tetrahedra[k];
    vertices += s.vertex_count;
    offset[i + 1] = offset[i] + s.tetrahedron_count;
  }
}

bool cps_result_write_tetrahedra(hid_t file, const CpsScene* scene) {
  if (scene->solid_count == 0) return true;
  const size_t solids = (size_t)scene->solid_count;
  size_t count = 0;
  for (int32_t i = 0; i < scene->solid_count; ++i) {
    count += (size_t)cps_scene_surface(scene, scene->sheet_count + i).tetrahedron_count;
  }
  int64_t* offset = calloc(solids + 1, sizeof *offset);
  int32_t* tetrahedra = calloc(4 * count + 1, sizeof *tetrahedra);
  const hsize_t more = solids + 1, rows[2] = {count, 4};
  bool done = offset && tetrahedra;
  if (done) {
    fill(scene, offset, tetrahedra);
    done = cps_result_write_fixed(file, "/solids/tetrahedron_offset", "1",
                                  "solid i has those numbered offset[i] to offset[i + 1]", CPS_I64, 1, &more, offset) &&
           cps_result_write_fixed(file, "/solids/tetrahedron", "1", "four vertices each, numbered over the group",
                                  CPS_I32, 2, rows, tetrahedra);
  }
  free(offset);
  free(tetrahedra);
  return done;
}

bool cps_result_write_stress(CpsResultWriter* writer, const CpsWorld* world) {
  if (writer->solids == 0) return true;
  const size_t count = 6 * (size_t)writer->tetrahedra;
  double* stress = cps_result_reserve(writer, count * (sizeof(double) + sizeof(float)));
  if (!stress) return false;
  float* floats = (float*)(stress + count);
  size_t at = 0;
  for (int32_t i = 0; i < writer->solids; ++i) {
    const CpsSolidId id = cps_world_solid(world, i);
    CpsSolidInfo info;
    if (cps_world_solid_info(world, id, &info) != CPS_OK) return false;
    const size_t own = 6 * (size_t)info.tetrahedron_count;
    if (at + own > count || cps_world_solid_stress(world, id, stress + at) != CPS_OK) return false;
    at += own;
  }
  if (at != count) return false;
  for (size_t i = 0; i < count; ++i) floats[i] = (float)stress[i];
  return cps_result_append(writer, CPS_FRAME_SOLID_STRESS, floats, 1);
}
