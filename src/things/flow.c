// The flow of a world: adding it, reading it.
#include "things/list.h"

#include "core/error.h"
#include "model/flow.h"

#include <math.h>
#include <stdlib.h>

static CpsFlow* flow_of(const CpsWorld* world) {
  return world ? (CpsFlow*)cps_world_population(world, CPS_THING_FLOW) : NULL;
}

CpsStatus cps_world_add_flow(CpsWorld* world, const CpsFlowDef* def, CpsError* error) {
  if (!world || !def) return cps_fail(error, CPS_BAD_ARGUMENT, "world or def is NULL");
  CpsStatus status = cps_flow_check(def, error);
  if (status != CPS_OK) return status;
  if (flow_of(world)) return cps_fail(error, CPS_BAD_ARGUMENT, "the world already has a flow");
  CpsFlow* flow = cps_flow_create();
  if (!flow) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a flow");
  status = cps_flow_build(flow, def, error);
  if (status != CPS_OK) {
    flow->model.type->destroy(&flow->model);
    return status;
  }
  status = cps_world_add_population(world, &flow->model, error);
  return status == CPS_OK ? cps_succeed(error) : status;
}

CpsThing cps_thing_flow(const CpsWorld* world) {
  return flow_of(world) ? (CpsThing){CPS_THING_FLOW, 0, 1} : (CpsThing){CPS_THING_NONE, 0, 0};
}

CpsStatus cps_world_flow_point(const CpsWorld* world, int64_t i, CpsFlowPoint* point) {
  const CpsFlow* f = flow_of(world);
  if (!f || !point || i < 0 || i >= f->vertices) return CPS_BAD_ARGUMENT;
  const int32_t v = (int32_t)i;
  const CpsFlowStress* s = &f->stress[v];
  *point = (CpsFlowPoint){.place = cps_flow_vertex_place(f, v), .velocity = f->v[cps_flow_vertex_node(f, v)]};
  point->there = s->S > 0.0;
  point->mu = f->def.mu;
  if (!point->there) return CPS_OK;
  double x[CPS_OWN_ROWS], six[6];
  cps_flow_rate(f, v, f->v, x);
  const CpsMat3 rate = cps_tensor_of(f->dim, x);
  static const int SIX[6] = {0, 2, 5, 1, 3, 4}, AT[6] = {0, 8, 2, 4, 1, 5};  // xx zz xz, yy xy yz
  cps_tensor_stress(f->dim, s->lambda, six);
  for (int k = 0; k < 3; ++k) {
    point->stress[k] = six[SIX[k]], point->stress_y[k] = six[SIX[k + 3]];
    point->rate[k] = rate.m[AT[k]], point->rate_y[k] = f->dim == 3 ? rate.m[AT[k + 3]] : 0.0;
  }
  point->pressure = cps_tensor_pressure(f->dim, s->lambda[0]);
  if (point->pressure > 0.0) point->mu += s->eta * cps_flow_shear(f, x) / point->pressure;
  point->status = (CpsContactStatus)s->status;
  return CPS_OK;
}

CpsStatus cps_world_flow_force(const CpsWorld* world, CpsVec3* force) {
  const CpsFlow* f = flow_of(world);
  if (!f || !force) return CPS_BAD_ARGUMENT;
  CpsVec3* work = malloc((size_t)f->nodes * sizeof *work);
  if (!work) return CPS_NO_MEMORY;
  *force = cps_flow_disc_force(f, work);
  free(work);
  return CPS_OK;
}

// A world has no flow until one is added; members do not join it.
const CpsDoor cps_door_flow = {.kind = CPS_THING_FLOW, .name = "flow"};
