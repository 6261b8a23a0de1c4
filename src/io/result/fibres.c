// The centrelines of fibres in a result, in single precision.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/result/writer.h"
#include "io/scene/internal.h"

// Texts of fibres, padded to one length: names, or models.
static bool write_texts(hid_t file, const CpsScene* scene, bool models) {
  int32_t fibres = scene->fibre_count;
  size_t length = 1;
  for (int pass = 0; pass < 2; ++pass) {
    char* texts = pass == 0 ? NULL : calloc((size_t)fibres + 1, length);
    if (pass == 1 && !texts) return false;
    for (int32_t g = 0; g < scene->fibre_group_count; ++g) {
      const CpsSceneFibres* group = &scene->fibre_groups[g];
      for (int32_t i = group->first; i < group->first + group->count; ++i) {
        const char* text = models ? cps_rod_model_name(group->def.model) : scene->fibre_names[i];
        if (strlen(text) >= length) length = strlen(text) + 1;
        if (texts) snprintf(texts + (size_t)i * length, length, "%s", text);
      }
    }
    if (!texts) continue;
    bool done = cps_result_write_texts(file, models ? "/fibres/model" : "/fibres/name",
                                       models ? "mechanical models" : "names in the scene", texts, length, fibres);
    free(texts);
    if (!done) return false;
  }
  return true;
}

bool cps_result_write_lines(CpsResultWriter* writer, const CpsScene* scene) {
  hid_t group = H5Gcreate2(writer->file, "/fibres", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (group < 0) return false;
  H5Gclose(group);
  size_t lines = (size_t)writer->lines.count;
  int64_t* point_offset = calloc(lines + 1, sizeof *point_offset);
  int32_t* fibre = malloc((lines + 1) * sizeof *fibre);
  int32_t* branch = malloc((lines + 1) * sizeof *branch);
  double* radius = malloc((lines + 1) * sizeof *radius);
  double* tip = malloc((lines + 1) * sizeof *tip);
  bool done = point_offset && fibre && branch && radius && tip;
  if (done) {
    for (size_t i = 0; i < lines; ++i) {
      const CpsFibreLine* line = &writer->lines.lines[i];
      fibre[i] = line->fibre;
      branch[i] = line->branch;
      radius[i] = line->radius;
      tip[i] = line->radius_tip;
      point_offset[i + 1] = point_offset[i] + line->count;
    }
    const hsize_t count = lines, more = lines + 1;
    hid_t file = writer->file;
    done = write_texts(file, scene, false) && write_texts(file, scene, true) &&
           cps_result_write_fixed(file, "/fibres/line_fibre", "1", "fibre of each centreline", CPS_I32, 1, &count,
                                  fibre) &&
           cps_result_write_fixed(file, "/fibres/line_branch", "1", "its branch, -1: the trunk, or no tree", CPS_I32, 1,
                                  &count, branch) &&
           cps_result_write_fixed(file, "/fibres/line_radius", "m", "contact radius at its first point", CPS_F64, 1,
                                  &count, radius) &&
           cps_result_write_fixed(file, "/fibres/line_radius_tip", "m", "the same at its last; linear between", CPS_F64,
                                  1, &count, tip) &&
           cps_result_write_fixed(file, "/fibres/point_offset", "1", "line i has the points offset[i] to offset[i + 1]",
                                  CPS_I64, 1, &more, point_offset);
  }
  free(point_offset);
  free(fibre);
  free(branch);
  free(radius);
  free(tip);
  return done;
}

static bool write_tension(CpsResultWriter* writer, const CpsWorld* world) {
  if (!writer->with_tension) return true;
  size_t count = (size_t)writer->lines.point_count;
  double* tension = cps_result_reserve(writer, (count + 1) * sizeof *tension);
  if (!tension || !cps_fibre_lines_tension(world, &writer->lines, writer->tensions, tension)) return false;
  // in place, from the front
  for (size_t i = 0; i < count; ++i) {
    const float value = (float)tension[i];
    memcpy((char*)tension + i * sizeof value, &value, sizeof value);
  }
  return cps_result_append(writer, CPS_FRAME_FIBRE_TENSION, tension, 1);
}

bool cps_result_write_fibres(CpsResultWriter* writer, const CpsWorld* world) {
  size_t count = (size_t)writer->lines.point_count;
  CpsVec3* points = cps_result_reserve(writer, (3 * count + 1) * sizeof *points);
  if (!points) return false;
  CpsVec3 *axes = points + count, *velocities = axes + count;
  size_t at = 0;
  for (int32_t i = 0; i < writer->lines.count; ++i) {
    if (!cps_fibre_line_sample(world, &writer->lines.lines[i], points + at, axes + at, velocities + at)) return false;
    at += (size_t)writer->lines.lines[i].count;
  }
  // in place, from the front: a vector of floats ends before the next one of doubles begins
  char* values = (char*)points;
  for (size_t i = 0; i < 3 * count; ++i) {
    const float vector[3] = {(float)points[i].x, (float)points[i].y, (float)points[i].z};
    memcpy(values + i * sizeof vector, vector, sizeof vector);
  }
  size_t size = count * 3 * sizeof(float);
  return cps_result_append(writer, CPS_FRAME_FIBRE_POINT, values, 1) &&
         cps_result_append(writer, CPS_FRAME_FIBRE_AXIS, values + size, 1) &&
         (!writer->with_velocity || cps_result_append(writer, CPS_FRAME_FIBRE_VELOCITY, values + 2 * size, 1)) &&
         write_tension(writer, world);
}
