#include "cli/solid_report.h"

#include <inttypes.h>
#include <stdlib.h>

#include "capstan/array.h"
#include "capstan/solid.h"

typedef struct Inverted {
  int64_t count;
  double worst;  // the smallest volume, m^3, negative
  CpsVec3 at;
} Inverted;

static CpsVec3 minus(CpsVec3 a, CpsVec3 b) {
  return (CpsVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static double volume(const CpsVec3* x, const int32_t* t) {
  const CpsVec3 a = minus(x[t[1]], x[t[0]]), b = minus(x[t[2]], x[t[0]]), c = minus(x[t[3]], x[t[0]]);
  return (a.x * (b.y * c.z - b.z * c.y) + a.y * (b.z * c.x - b.x * c.z) + a.z * (b.x * c.y - b.y * c.x)) / 6.0;
}

static CpsVec3 centre(const CpsVec3* x, const int32_t* t) {
  const CpsVec3 a = x[t[0]], b = x[t[1]], c = x[t[2]], d = x[t[3]];
  return (CpsVec3){0.25 * (a.x + b.x + c.x + d.x), 0.25 * (a.y + b.y + c.y + d.y), 0.25 * (a.z + b.z + c.z + d.z)};
}

// If memory runs out, nothing is reported: the message is optional.
static Inverted find_inverted(const CpsWorld* world, CpsSolidId id) {
  Inverted found = {0};
  CpsSolidInfo info;
  if (cps_world_solid_info(world, id, &info) != CPS_OK || info.least >= 0.0) return found;
  CpsVec3* x = malloc((size_t)info.vertex_count * sizeof *x);
  const int32_t* tetrahedron = cps_world_solid_tetrahedra(world, id);
  if (x && cps_world_array(world, cps_thing_solid(id), CPS_QUANTITY_POSITION, &x->x, sizeof *x) == CPS_OK) {
    for (int32_t i = 0; i < info.tetrahedron_count; ++i) {
      const double V = volume(x, tetrahedron + 4 * (int64_t)i);
      if (!(V < 0.0)) continue;
      found.count++;
      if (V < found.worst) found.worst = V, found.at = centre(x, tetrahedron + 4 * (int64_t)i);
    }
  }
  free(x);
  return found;
}

int64_t cps_solids_inverted(const CpsWorld* world) {
  int64_t count = 0;
  for (int32_t i = 0; i < cps_world_solid_count(world); ++i) {
    count += find_inverted(world, cps_world_solid(world, i)).count;
  }
  return count;
}

void cps_solids_warn(FILE* out, const CpsScene* scene, const CpsWorld* world) {
  for (int32_t i = 0; i < cps_world_solid_count(world); ++i) {
    const CpsSolidId id = cps_world_solid(world, i);
    const Inverted found = find_inverted(world, id);
    CpsSolidInfo info;
    if (found.count == 0 || cps_world_solid_info(world, id, &info) != CPS_OK) continue;
    fprintf(out,
            "warning: `%s` ends with %" PRId64
            " of %d tetrahedra inverted, the worst at (%.3g, %.3g, %.3g): they may stay so; use a shorter step or "
            "finer tetrahedra, or `law: neo-hookean`, which prevents it\n",
            cps_scene_thing_name(scene, cps_thing_solid(id)), found.count, (int)info.tetrahedron_count, found.at.x,
            found.at.y, found.at.z);
  }
}
