// The centrelines of fibres in a result: one line for each fibre and one for each branch of a tree, each sampled at equal
// arc lengths.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/result_writer.h"
#include "io/scene_internal.h"

enum { POINTS_PER_ELEMENT = 4, MOST_POINTS = 64 };

static int32_t points_of(const CpsScene* scene, int32_t elements) {
  if (scene->output_fibre_points > 0) return scene->output_fibre_points;
  return elements < (MOST_POINTS - 1) / POINTS_PER_ELEMENT ? POINTS_PER_ELEMENT * elements + 1 : MOST_POINTS;
}

static double radius_of(const CpsFibreDef* def, const CpsStrand* strand) {
  if (def->contact_radius > 0.0) return def->contact_radius;
  return fmax(strand->radius > 0.0 ? strand->radius : def->radius,
              isnan(def->radius_across) ? 0.0 : def->radius_across);
}

static void add_line(CpsResultWriter* writer, CpsWriterLine line) {
  writer->point_count += line.count;
  if (writer->lines) writer->lines[writer->line_count] = line;
  writer->line_count++;
}

// All lines; without memory for them they are only counted.
static void plan(CpsResultWriter* writer, const CpsScene* scene) {
  writer->line_count = 0;
  writer->point_count = 0;
  for (int32_t g = 0; g < scene->fibre_group_count; ++g) {
    const CpsSceneFibres* group = &scene->fibre_groups[g];
    const CpsFibreDef* def = &group->def;
    double branches = 0.0;
    for (int32_t b = 0; b < def->branch_count; ++b) branches += def->branches[b].length;
    for (int32_t i = 0; i < group->count; ++i) {
      int32_t fibre = group->first + i;
      CpsWriterLine line = {fibre, -1, points_of(scene, def->elements), 0.0, 0.0, branches, 0.0};
      line.radius = radius_of(def, &group->strand[i]);
      add_line(writer, line);
      double start = 0.0;  // from the end of the trunk
      for (int32_t b = 0; b < def->branch_count; ++b) {
        const CpsFibreBranch* branch = &def->branches[b];
        add_line(writer, (CpsWriterLine){fibre, b, points_of(scene, branch->elements), start, branch->length, branches,
                                         branch->radius});
        start += branch->length;
      }
    }
  }
}

bool cps_result_plan_lines(CpsResultWriter* writer, const CpsScene* scene) {
  plan(writer, scene);
  writer->lines = malloc(((size_t)writer->line_count + 1) * sizeof *writer->lines);
  if (!writer->lines) return false;
  plan(writer, scene);
  return true;
}

// Texts of fibres, of one length: their names, or those of their models.
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
  size_t lines = (size_t)writer->line_count;
  int64_t* point_offset = calloc(lines + 1, sizeof *point_offset);
  int32_t* fibre = malloc((lines + 1) * sizeof *fibre);
  int32_t* branch = malloc((lines + 1) * sizeof *branch);
  double* radius = malloc((lines + 1) * sizeof *radius);
  bool done = point_offset && fibre && branch && radius;
  if (done) {
    for (size_t i = 0; i < lines; ++i) {
      const CpsWriterLine* line = &writer->lines[i];
      fibre[i] = line->fibre;
      branch[i] = line->branch;
      radius[i] = line->radius;
      point_offset[i + 1] = point_offset[i] + line->count;
    }
    const hsize_t count = lines, more = lines + 1;
    hid_t file = writer->file;
    done = write_texts(file, scene, false) && write_texts(file, scene, true) &&
           cps_result_write_fixed(file, "/fibres/line_fibre", "1", "fibre of each centreline", CPS_I32, 1, &count,
                                  fibre) &&
           cps_result_write_fixed(file, "/fibres/line_branch", "1", "its branch, -1: the trunk, or no tree", CPS_I32, 1,
                                  &count, branch) &&
           cps_result_write_fixed(file, "/fibres/line_radius", "m", "contact radius", CPS_F64, 1, &count, radius) &&
           cps_result_write_fixed(file, "/fibres/point_offset", "1", "line i has the points offset[i] to offset[i + 1]",
                                  CPS_I64, 1, &more, point_offset);
  }
  free(point_offset);
  free(fibre);
  free(branch);
  free(radius);
  return done;
}

// Puts the points of one line and the second axes of the sections there.
static bool put_line(const CpsWorld* world, const CpsWriterLine* line, float* points, float* axes) {
  CpsFibreId id = cps_world_fibre(world, line->fibre);
  CpsFibreInfo info;
  if (cps_world_fibre_info(world, id, &info) != CPS_OK) return false;
  double trunk = info.length - line->branches, start = line->branch < 0 ? 0.0 : trunk + line->start;
  double length = line->branch < 0 ? trunk : line->length;
  // the end of one branch is the arc length at which the next begins: stay clear of it
  double margin = line->branches > 0.0 ? 1e-9 * length : 0.0;
  for (int32_t i = 0; i < line->count; ++i) {
    double s = start + fmin(fmax(length * i / (line->count - 1), margin), length - margin);
    CpsFibrePoint point;
    if (cps_world_fibre_at(world, id, s, &point) != CPS_OK) return false;
    CpsVec3 x = point.position, axis = cps_quat_rotate(point.frame, cps_vec3(0.0, 1.0, 0.0));
    memcpy(points + 3 * (size_t)i, (float[3]){(float)x.x, (float)x.y, (float)x.z}, 3 * sizeof(float));
    memcpy(axes + 3 * (size_t)i, (float[3]){(float)axis.x, (float)axis.y, (float)axis.z}, 3 * sizeof(float));
  }
  return true;
}

bool cps_result_write_fibres(CpsResultWriter* writer, const CpsWorld* world) {
  size_t count = (size_t)writer->point_count;
  float* points = cps_result_reserve(writer, (6 * count + 1) * sizeof *points);
  if (!points) return false;
  float* axes = points + 3 * count;
  size_t at = 0;
  for (int32_t i = 0; i < writer->line_count; ++i) {
    if (!put_line(world, &writer->lines[i], points + at, axes + at)) return false;
    at += 3 * (size_t)writer->lines[i].count;
  }
  return cps_result_append(writer, CPS_FRAME_FIBRE_POINT, points, 1) &&
         cps_result_append(writer, CPS_FRAME_FIBRE_AXIS, axes, 1);
}
