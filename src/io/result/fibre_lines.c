#include "io/result/fibre_lines.h"

#include <math.h>
#include <stdlib.h>

#include "io/scene/internal.h"

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

static void add_line(CpsFibreLines* all, CpsFibreLine line) {
  all->point_count += line.count;
  if (all->lines) all->lines[all->count] = line;
  all->count++;
}

// Lists all lines; if memory runs out, only counts them.
static void plan(CpsFibreLines* all, const CpsScene* scene) {
  all->count = 0;
  all->point_count = 0;
  for (int32_t g = 0; g < scene->fibre_group_count; ++g) {
    const CpsSceneFibres* group = &scene->fibre_groups[g];
    const CpsFibreDef* def = &group->def;
    double branches = 0.0;
    for (int32_t b = 0; b < def->branch_count; ++b) branches += def->branches[b].length;
    for (int32_t i = 0; i < group->count; ++i) {
      int32_t fibre = group->first + i;
      CpsFibreLine line = {fibre, -1, points_of(scene, def->elements), 0.0, 0.0, branches, 0.0, 0.0};
      line.radius = radius_of(def, &group->strand[i]);
      line.radius_tip = line.radius * (isnan(def->radius_tip) ? 1.0 : def->radius_tip / def->radius);
      add_line(all, line);
      double start = 0.0;  // measured from the end of the trunk
      for (int32_t b = 0; b < def->branch_count; ++b) {
        const CpsFibreBranch* branch = &def->branches[b];
        add_line(all, (CpsFibreLine){fibre, b, points_of(scene, branch->elements), start, branch->length, branches,
                                     branch->radius, branch->radius});
        start += branch->length;
      }
    }
  }
}

bool cps_fibre_lines_plan(CpsFibreLines* all, const CpsScene* scene) {
  *all = (CpsFibreLines){0};
  plan(all, scene);
  all->lines = malloc(((size_t)all->count + 1) * sizeof *all->lines);
  if (!all->lines) return false;
  plan(all, scene);
  return true;
}

void cps_fibre_lines_free(CpsFibreLines* all) {
  free(all->lines);
  *all = (CpsFibreLines){0};
}

bool cps_fibre_line_sample(const CpsWorld* world, const CpsFibreLine* line, CpsVec3* points, CpsVec3* axes,
                           CpsVec3* velocities) {
  CpsFibreId id = cps_world_fibre(world, line->fibre);
  CpsFibreInfo info;
  if (cps_world_fibre_info(world, id, &info) != CPS_OK) return false;
  double trunk = info.length - line->branches, start = line->branch < 0 ? 0.0 : trunk + line->start;
  double length = line->branch < 0 ? trunk : line->length;
  // the end of a branch and the start of the next have the same arc length: stay slightly before it
  double margin = line->branches > 0.0 ? 1e-9 * length : 0.0;
  for (int32_t i = 0; i < line->count; ++i) {
    double s = start + fmin(fmax(length * i / (line->count - 1), margin), length - margin);
    CpsFibrePoint point;
    if (cps_world_fibre_at(world, id, s, &point) != CPS_OK) return false;
    points[i] = point.position;
    axes[i] = cps_quat_rotate(point.frame, cps_vec3(0.0, 1.0, 0.0));
    velocities[i] = point.velocity;
  }
  return true;
}

bool cps_fibre_lines_tension(const CpsWorld* world, const CpsFibreLines* all, CpsTensions* tensions, double* tension) {
  CpsStatus status = cps_tensions_update(tensions, world);
  for (int32_t i = 0; status == CPS_OK && i < all->count; ++i) {
    const CpsFibreLine* line = &all->lines[i];
    CpsFibreId id = cps_world_fibre(world, line->fibre);
    status = cps_tensions_read(tensions, world, id, line->branch, line->count, tension);
    if (status == CPS_UNSUPPORTED) status = CPS_OK;  // keep zeros
    tension += line->count;
  }
  return status == CPS_OK;
}
