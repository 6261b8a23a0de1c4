// Pulls on sheets and solids during a step: functions of model.h. The mechanics is in nodal_pull.c.
#include "model/nodal.h"

#include "core/error.h"

#include <stdlib.h>

CpsStatus cps_nodals_check_pull(const CpsModel* model, int32_t body, CpsAnchor* at, CpsError* error) {
  const int32_t count = ((const CpsNodals*)model)->member[body]->vertex_count;
  if (at->corner_count != 0) {
    return cps_fail(error, CPS_UNSUPPORTED, "a pull on a %s acts at a vertex, not between vertices", model->type->name);
  }
  if (at->vertex >= 0 && at->vertex < count) return CPS_OK;
  return cps_fail(error, CPS_BAD_DATA, "a pull acts at vertex %d of a %s with %d vertices", (int)at->vertex,
                  model->type->name, (int)count);
}

bool cps_nodals_reserve_pulls(CpsModel* model, int32_t count) {
  CpsNodals* nodals = (CpsNodals*)model;
  if (count <= nodals->pull_capacity) return true;
  CpsNodePull* pulls = realloc(nodals->pulls, (size_t)count * sizeof *pulls);
  if (!pulls) return false;
  nodals->pulls = pulls;
  nodals->pull_capacity = count;
  return true;
}

void cps_nodals_let_go(CpsModel* model) {
  CpsNodals* nodals = (CpsNodals*)model;
  nodals->pull_count = 0;
  for (int32_t i = 0; i < nodals->model.count; ++i) nodals->member[i]->pull_count = 0;
}

int32_t cps_nodals_pull(CpsModel* model, const CpsModelStep* step, int32_t body, const CpsPullTerm* term) {
  (void)step;
  CpsNodals* nodals = (CpsNodals*)model;
  CpsNodal* s = nodals->member[body];
  CpsNodePull* pull = &nodals->pulls[nodals->pull_count];
  *pull = (CpsNodePull){
      .node = s->node[term->at.vertex],
      .force = term->force,
      .stiffness = term->stiffness,
      .damping = term->damping,
      .target = term->target,
      .target_velocity = term->target_velocity,
      .rest = term->rest,
  };
  if (s->pull_count++ == 0) s->pulls = pull;
  return nodals->pull_count++;
}

double cps_nodals_pull_stored(const CpsModel* model, int32_t body, int32_t pull) {
  const CpsNodals* nodals = (const CpsNodals*)model;
  return cps_nodal_pull_stored(nodals->member[body], &nodals->pulls[pull]);
}

void cps_nodals_pull_rest(CpsModel* model, int32_t pull, CpsVec3 rest) {
  ((CpsNodals*)model)->pulls[pull].rest = rest;
}

// The members account for the works of their pulls.
CpsVec3 cps_nodals_pull_force(const CpsModel* model, const CpsModelStep* step, int32_t body, int32_t pull,
                              CpsModelEnergy* work) {
  (void)body, (void)work;
  return cps_vec3_scale(1.0 / step->h, ((const CpsNodals*)model)->pulls[pull].impulse);
}
