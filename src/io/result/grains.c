// Grains in a result: which particles belong to which entry once; places, velocities, fractions, pressures, stresses and statuses in every
// frame, in single precision.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capstan/array.h"
#include "io/result/reader.h"
#include "io/result/writer.h"
#include "io/scene/internal.h"

// The points of a flow count as one entry; a scene has either grains or a flow.
static int32_t entries(const CpsScene* scene) {
  return scene->flow_node ? 1 : scene->grains_count;
}

static const char* entry_name(const CpsScene* scene, int32_t i) {
  return scene->flow_node ? "flow" : scene->grains[i].def.name;
}

static int64_t entry_count(const CpsScene* scene, int32_t i) {
  return scene->flow_node ? cps_flow_point_count(&scene->flow)
                          : cps_grains_particle_count(&scene->grid, &scene->grains[i].def);
}

void cps_result_count_particles(CpsResultWriter* writer, const CpsScene* scene) {
  for (int32_t i = 0; i < entries(scene); ++i) writer->particles += entry_count(scene, i);
}

static bool write_names(hid_t file, const CpsScene* scene) {
  size_t length = 1;
  for (int32_t i = 0; i < entries(scene); ++i) {
    const size_t own = strlen(entry_name(scene, i)) + 1;
    if (own > length) length = own;
  }
  char* names = calloc((size_t)entries(scene) + 1, length);
  if (!names) return false;
  for (int32_t i = 0; i < entries(scene); ++i) {
    snprintf(names + (size_t)i * length, length, "%s", entry_name(scene, i));
  }
  const bool done = cps_result_write_texts(file, "/grains/name", "names of the entries", names, length, entries(scene));
  free(names);
  return done;
}

bool cps_result_write_grain_names(CpsResultWriter* writer, const CpsScene* scene) {
  if (writer->particles == 0) return true;
  const CpsFlowDef* flow = &scene->flow;
  const double cell = scene->flow_node ? (flow->upper.x - flow->lower.x) / flow->cells_x : scene->grid.cell;
  const hsize_t more = (hsize_t)entries(scene) + 1;
  int64_t* offset = calloc(more, sizeof *offset);
  hid_t group = H5Gcreate2(writer->file, "/grains", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (group >= 0) H5Gclose(group);
  bool done = offset && group >= 0;
  for (int32_t i = 0; done && i < entries(scene); ++i) offset[i + 1] = offset[i] + entry_count(scene, i);
  done =
      done && write_names(writer->file, scene) &&
      cps_result_write_fixed(writer->file, "/grains/particle_offset", "1",
                             "entry i has the particles numbered offset[i] to offset[i + 1]", CPS_I64, 1, &more,
                             offset) &&
      cps_result_write_fixed(writer->file, "/grains/cell", "m", "edge of a cell of the grid", CPS_F64, 0, NULL, &cell);
  free(offset);
  return done;
}

// One quantity of all particles as a row.
static bool append(CpsResultWriter* writer, const CpsWorld* world, int which, CpsQuantity quantity) {
  const CpsThing flow = cps_thing_flow(world), grains = flow.kind != CPS_THING_NONE ? flow : cps_thing_grains(world);
  const size_t width = (size_t)cps_quantity_width(quantity), count = (size_t)writer->particles;
  double* values = cps_result_reserve(writer, width * count * sizeof *values);
  if (!values || cps_world_array_count(world, grains, quantity) != writer->particles) return false;
  if (cps_world_array(world, grains, quantity, values, width * sizeof *values) != CPS_OK) return false;
  // in place, from the front
  char* bytes = (char*)values;
  const bool small = cps_growing[which].number == CPS_U8;
  for (size_t i = 0; i < width * count; ++i) {
    const float value = (float)values[i];
    const unsigned char byte = (unsigned char)value;
    memcpy(bytes + i * (small ? 1 : sizeof value), small ? (const void*)&byte : &value, small ? 1 : sizeof value);
  }
  return cps_result_append(writer, which, bytes, 1);
}

bool cps_result_write_grains(CpsResultWriter* writer, const CpsWorld* world) {
  return writer->particles == 0 ||
         (append(writer, world, CPS_FRAME_GRAIN_POSITION, CPS_QUANTITY_POSITION) &&
          append(writer, world, CPS_FRAME_GRAIN_VELOCITY, CPS_QUANTITY_VELOCITY) &&
          append(writer, world, CPS_FRAME_GRAIN_FRACTION, CPS_QUANTITY_FRACTION) &&
          append(writer, world, CPS_FRAME_GRAIN_PRESSURE, CPS_QUANTITY_PRESSURE) &&
          (!writer->with_grain_stress || (append(writer, world, CPS_FRAME_GRAIN_STATUS, CPS_QUANTITY_STATUS) &&
                                          append(writer, world, CPS_FRAME_GRAIN_STRESS, CPS_QUANTITY_STRESS))));
}

CpsStatus cps_result_read_grains(CpsResult* result) {
  static const char NAME[] = "/grains/particle_offset";
  if (!cps_h5_has(&result->h5, "/grains")) return CPS_OK;
  int64_t *offset = NULL, count = 0;
  CpsStatus status = cps_h5_read_ints(&result->h5, NAME, &offset, &count);
  bool sound = status == CPS_OK && count > 1 && offset[0] == 0;
  for (int64_t i = 1; sound && i < count; ++i) sound = offset[i] > offset[i - 1] && offset[i] <= INT32_MAX;
  if (sound) result->info.particles = offset[count - 1];
  free(offset);
  if (status != CPS_OK || sound) return status;
  return cps_io_fail(result->h5.error, CPS_BAD_FORMAT, result->path, NAME, "is missing or damaged");
}

CpsStatus cps_result_frame_particles(const CpsResult* result, int64_t frame, CpsVec3* positions, double* pressures,
                                     CpsError* error) {
  if (!result || frame < 0 || frame >= result->info.frames) {
    return cps_io_fail(error, CPS_BAD_ARGUMENT, "cps_result_frame_particles", NULL, "the frame does not exist");
  }
  CpsStatus status = CPS_OK;
  if (result->info.particles == 0) positions = NULL, pressures = NULL;  // a result without grains has no such datasets
  if (positions) {
    status = cps_result_rows(result, CPS_FRAME_GRAIN_POSITION, frame, 1, H5T_NATIVE_DOUBLE, positions);
  }
  if (status == CPS_OK && pressures) {
    status = cps_result_rows(result, CPS_FRAME_GRAIN_PRESSURE, frame, 1, H5T_NATIVE_DOUBLE, pressures);
  }
  return status == CPS_OK && error ? (error->text[0] = '\0', CPS_OK) : status;
}
