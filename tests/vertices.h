// Vertices of a sheet or a solid for tests.
#ifndef CAPSTAN_TESTS_VERTICES_H
#define CAPSTAN_TESTS_VERTICES_H

#include "capstan/capstan.h"

// Positions and velocities now, one entry after the other; NULL: not wanted.
static inline CpsStatus vertices_of(const CpsWorld* world, CpsThing thing, CpsVec3* x, CpsVec3* v) {
  CpsStatus status = CPS_OK;
  if (x) status = cps_world_array(world, thing, CPS_QUANTITY_POSITION, &x->x, sizeof *x);
  if (v && status == CPS_OK) status = cps_world_array(world, thing, CPS_QUANTITY_VELOCITY, &v->x, sizeof *v);
  return status;
}

// Sets them; NULL: as they are.
static inline CpsStatus set_vertices(CpsWorld* world, CpsThing thing, const CpsVec3* x, const CpsVec3* v,
                                     CpsError* error) {
  const int64_t count = cps_world_array_count(world, thing, CPS_QUANTITY_POSITION);
  CpsStatus status = CPS_OK;
  if (x) status = cps_world_set_array(world, thing, CPS_QUANTITY_POSITION, &x->x, count, sizeof *x, error);
  if (!v || status != CPS_OK) return status;
  return cps_world_set_array(world, thing, CPS_QUANTITY_VELOCITY, &v->x, count, sizeof *v, error);
}

#endif
