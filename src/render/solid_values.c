// Numbers of solids that colours stand for, at vertex i with the tetrahedra t around it:
//
//   stress      sum over t of V_t s_t / sum over t of V_t, V_t their volumes, s_t the equivalent stress of von Mises     (1)
#include <math.h>
#include <string.h>

#include "capstan/solid.h"
#include "core/vec3.h"
#include "render/internal.h"

static double volume_of(const CpsFrame* frame, const int32_t corner[4]) {
  const CpsVec3 a = frame->vertices[corner[0]];
  CpsVec3 e[3];
  for (int k = 0; k < 3; ++k) e[k] = cps_vec3_sub(frame->vertices[corner[k + 1]], a);
  return fabs(cps_vec3_dot(e[0], cps_vec3_cross(e[1], e[2]))) / 6.0;
}

void cps_render_solid_stress(CpsRender* render, const CpsFrame* frame) {
  const CpsThings* things = render->things;
  const size_t count = (size_t)things->vertex_count;
  double *values = render->values + things->point_count, *volumes = render->areas;
  memset(values, 0, count * sizeof *values);
  memset(volumes, 0, count * sizeof *volumes);
  for (int64_t t = 0; t < things->tetrahedron_count; ++t) {
    const int32_t* corner = things->tetrahedra + 4 * t;
    const double volume = volume_of(frame, corner), stress = cps_stress_von_mises(frame->stress + 6 * t);
    for (int k = 0; k < 4; ++k) {
      values[corner[k]] += volume * stress;
      volumes[corner[k]] += volume;
    }
  }
  // vertices of sheets belong to no tetrahedron: 0 / 0 gives NaN
  for (int64_t k = 0; k < things->vertex_count; ++k) values[k] /= volumes[k];
}
