// Materials in a result: their names, and which each body, obstacle and fibre has.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/result/writer.h"

static bool write_names(hid_t file, const CpsScene* scene) {
  int32_t count = cps_scene_material_count(scene);
  size_t length = 1;
  for (int32_t i = 0; i < count; ++i) {
    size_t own = strlen(cps_scene_material_name(scene, i)) + 1;
    if (length < own) length = own;
  }
  char* names = calloc((size_t)count + 1, length);
  if (!names) return false;
  for (int32_t i = 0; i < count; ++i) {
    snprintf(names + (size_t)i * length, length, "%s", cps_scene_material_name(scene, i));
  }
  bool done =
      cps_result_write_texts(file, "/materials/name", "names in the scene; the first has none", names, length, count);
  free(names);
  return done;
}

static bool write_numbers(hid_t file, const char* name, const CpsScene* scene, int32_t count,
                          CpsMaterialId (*material)(const CpsScene*, int32_t)) {
  int32_t* numbers = malloc(((size_t)count + 1) * sizeof *numbers);
  if (!numbers) return false;
  for (int32_t i = 0; i < count; ++i) numbers[i] = material(scene, i);
  const hsize_t extent = (hsize_t)count;
  bool done = cps_result_write_fixed(file, name, "1", "number of the material", CPS_I32, 1, &extent, numbers);
  free(numbers);
  return done;
}

bool cps_result_write_materials(hid_t file, const CpsScene* scene) {
  CpsSceneInfo info = cps_scene_info(scene);
  hid_t group = H5Gcreate2(file, "/materials", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (group < 0) return false;
  H5Gclose(group);
  return write_names(file, scene) &&
         write_numbers(file, "/bodies/material", scene, info.bodies, cps_scene_body_material) &&
         write_numbers(file, "/obstacles/material", scene, info.obstacles, cps_scene_obstacle_material) &&
         write_numbers(file, "/fibres/material", scene, info.fibres, cps_scene_fibre_material);
}
