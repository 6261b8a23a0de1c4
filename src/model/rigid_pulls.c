// Pulls on rigid bodies during a step: functions of model.h. The mechanics is in rigid_pull.c.
#include "model/rigid.h"

#include "core/error.h"

#include <stdlib.h>

CpsStatus cps_rigid_check_pull(const CpsModel* model, int32_t body, CpsAnchor* at, CpsError* error) {
  (void)model, (void)body;
  if (cps_vec3_is_finite(at->point)) return CPS_OK;
  return cps_fail(error, CPS_BAD_DATA, "the point of a pull is not finite");
}

bool cps_rigid_reserve_pulls(CpsModel* model, int32_t count) {
  CpsRigid* rigid = (CpsRigid*)model;
  if (count <= rigid->pull_capacity) return true;
  CpsRigidPull* pulls = realloc(rigid->pulls, (size_t)count * sizeof *pulls);
  if (pulls) rigid->pulls = pulls;
  CpsRigidHold* holds = pulls ? realloc(rigid->holds, (size_t)count * sizeof *holds) : NULL;
  if (!holds) return false;
  rigid->holds = holds;
  rigid->pull_capacity = count;
  return true;
}

void cps_rigid_let_go(CpsModel* model) {
  CpsRigid* rigid = (CpsRigid*)model;
  rigid->pull_count = rigid->hold_count = 0;
  for (int32_t i = 0; i < rigid->model.count; ++i) rigid->bodies[i].hold = NULL;
}

int32_t cps_rigid_pull(CpsModel* model, const CpsModelStep* step, int32_t body, const CpsPullTerm* term) {
  CpsRigid* rigid = (CpsRigid*)model;
  CpsRigidBody* b = &rigid->bodies[body];
  CpsRigidPull* pull = &rigid->pulls[rigid->pull_count];
  *pull = (CpsRigidPull){
      .point = cps_pose_apply(b->shape_pose, term->at.point),
      .force = term->force,
      .stiffness = term->stiffness,
      .damping = term->damping,
      .target = term->target,
      .target_velocity = term->target_velocity,
      .rest = term->rest,
  };
  pull->soft = cps_rigid_pull_soft(b, pull, step);
  if (!b->hold) {
    b->hold = &rigid->holds[rigid->hold_count++];
    *b->hold = (CpsRigidHold){.pulls = pull};
  }
  b->hold->count++;
  return rigid->pull_count++;
}

double cps_rigid_stored(const CpsModel* model, int32_t body, int32_t pull) {
  const CpsRigid* rigid = (const CpsRigid*)model;
  return cps_rigid_pull_stored(&rigid->bodies[body], &rigid->pulls[pull]);
}

void cps_rigid_pull_rest(CpsModel* model, int32_t pull, CpsVec3 rest) {
  ((CpsRigid*)model)->pulls[pull].rest = rest;
}

// The bodies account for the works of their pulls.
CpsVec3 cps_rigid_pull_force(const CpsModel* model, const CpsModelStep* step, int32_t body, int32_t pull,
                             CpsModelEnergy* work) {
  (void)work;
  const CpsRigid* rigid = (const CpsRigid*)model;
  CpsVec3 way, push = cps_rigid_pull_impulse(&rigid->bodies[body], &rigid->pulls[pull], step, &way);
  return cps_vec3_scale(1.0 / step->h, push);
}
