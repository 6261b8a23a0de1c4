// Splits friction from the elasticity of a sheet or a solid (world/coupling.c). See model.h.
#include "model/nodal.h"

#include <string.h>

// A force J / h of the step adds J / m to its goal; with E_0' -> E_0' - J, v* = w - M~^-1 E_0' changes by M~^-1 J.
void cps_nodal_push(CpsNodal* s, CpsPool* pool, const double* impulse) {
  if (s->broken) return;
  CpsVec3* u = s->try;
  for (int32_t i = 0; i < s->nodes; ++i) {
    u[i] = s->held[i] ? cps_vec3(0.0, 0.0, 0.0) : cps_vec3_get(impulse + 3 * (int64_t)i);
    s->goal[i] = cps_vec3_axpy(s->goal[i], 1.0 / s->node_mass[i], u[i]);
  }
  cps_cholesky_use(s->factor, pool);
  cps_cholesky_solve(s->factor, 1, &u[0].x, s->work);
  for (int32_t i = 0; i < s->nodes; ++i) s->free[i] = cps_vec3_add(s->free[i], u[i]);
}

void cps_nodal_lump(CpsNodal* s, CpsPool* pool, const double* impulse) {
  memset(s->mass, 0, 9 * (size_t)s->pattern->start[s->nodes] * sizeof *s->mass);
  for (int32_t i = 0; i < s->nodes; ++i) {
    double* diagonal = s->mass + 9 * (s->pattern->start[i + 1] - 1);
    diagonal[0] = diagonal[4] = diagonal[8] = s->node_mass[i];
    s->free[i] = s->v[i];
    if (!s->held[i]) {
      s->free[i] = cps_vec3_axpy(s->v[i], -1.0 / s->node_mass[i], cps_vec3_get(impulse + 3 * (int64_t)i));
    }
  }
  cps_cholesky_use(s->factor, pool);
  s->broken = cps_cholesky_factor(s->factor, s->mass) >= 0;
  s->mass_h = 0.0;  // not usable in the next step
  s->version++;
}

void cps_nodal_take(CpsNodal* s, const double* dv, const double* impulse) {
  for (int32_t i = 0; i < s->nodes; ++i) {
    if (s->held[i]) continue;
    s->v[i] = cps_vec3_add(s->free[i], cps_vec3_get(dv + 3 * (int64_t)i));
    s->impulse[i] = cps_vec3_get(impulse + 3 * (int64_t)i);
  }
}
