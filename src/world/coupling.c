// Step 5 with friction apart from elasticity, as Larionov, Fan and Pai (2021) have it, to compare with one problem for both
// (newton.c). With r* impulses along normals only, and J the friction that is known beforehand:
//
//   elasticity and contact  v* from the step with the forces J / h, r* without friction                                (1)
//   friction                v = v* + M^-1 A^T (r - r* - J),  u = A v,  (u, r) in the law                               (2)
//
// M has the masses of the nodes alone, so that in (2) friction moves nodes that touch and no others: elasticity hears of it in the next
// step. `split` has J = 0; `forward` has the friction of the step before.
#include "world/world.h"

#include "friction/refill.h"

static bool is_friction(const CpsContacts* c, int32_t i) {
  return c->order[i] < c->touch_count && c->contact[c->order[i]].law == CPS_LAW_COULOMB;
}

// The tangential impulse of the previous step.
static void known_friction(const CpsStep* step, int32_t i, double J[2]) {
  const CpsContacts* c = &step->contacts;
  const CpsStepContact* t = &c->contact[c->order[i]];
  const CpsVec3 r = cps_mat3_apply(t->frame, cps_vec3_scale(step->model.h, c->track[c->order[i]].impulse));
  const bool known = step->world->def.coupling == CPS_COUPLING_FORWARD && r.x > 0.0;
  J[0] = known ? r.y : 0.0;
  J[1] = known ? r.z / t->across : 0.0;
}

// Calls push or lump of the members with A^T r.
static void hand_over(CpsStep* step, int32_t k, const CpsSolveOptions* options, bool lump) {
  const CpsLargeRows* l = &step->contacts.large;
  CpsPool* pool = options->threads > 1 ? step->world->pool : NULL;
  cps_island_gather_nodes(&step->contacts, k);
  for (int32_t i = l->island_start[k]; i < l->island_start[k + 1]; ++i) {
    CpsMember m = cps_world_member(step->world, l->member[i]);
    const double* impulse = l->impulse + l->vector_start[k] + 3 * (int64_t)l->first[i];
    (lump ? m.model->type->lump : m.model->type->push)(m.model, pool, m.index, impulse);
  }
}

// Elasticity and contact without friction, (1).
static CpsStatus solve_without(const CpsIslandTask* task) {
  CpsStep* step = task->step;
  const int32_t k = task->k;
  const CpsContacts* c = &step->contacts;
  const int32_t first = c->island_start[k], last = c->island_start[k + 1];
  for (int32_t i = first; i < last; ++i) {
    double* r = c->r + cps_contact_row(c, i);
    r[0] = r[1] = r[2] = 0.0;
    if (is_friction(c, i)) known_friction(step, i, r + 1);
  }
  hand_over(step, k, task->options, false);
  for (int32_t i = first; i < last; ++i) {
    double* r = c->r + cps_contact_row(c, i);
    r[1] = r[2] = 0.0;
    if (is_friction(c, i)) c->mu[i] = 0.0;
  }
  cps_island_refresh(step, k);
  return cps_island_newton(task);
}

// Friction, (2).
static CpsStatus solve_friction(const CpsIslandTask* task) {
  CpsStep* step = task->step;
  const int32_t k = task->k;
  const CpsContacts* c = &step->contacts;
  const CpsLargeRows* l = &c->large;
  for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
    if (!is_friction(c, i)) continue;
    c->mu[i] = c->contact[c->order[i]].mu;
    known_friction(step, i, c->r + cps_contact_row(c, i) + 1);
  }
  hand_over(step, k, task->options, true);
  cps_island_refresh(step, k);
  CpsStatus status = cps_island_fill(task);
  if (status != CPS_OK) return status;
  status = cps_island_solve_again(task, task->options->tolerance, false);
  if (status < 0) return status;
  double* dv = l->dv + l->vector_start[k];
  cps_problem_nodes(step->world->solvers[task->worker].large, c->r + cps_contact_row(c, c->island_start[k]), dv,
                    l->work + l->vector_start[k]);
  cps_island_gather_nodes(c, k);
  for (int32_t i = l->island_start[k]; i < l->island_start[k + 1]; ++i) {
    CpsMember m = cps_world_member(step->world, l->member[i]);
    const int64_t at = 3 * (int64_t)l->first[i];
    m.model->type->take(m.model, m.index, dv + at, l->impulse + l->vector_start[k] + at);
  }
  return status;
}

CpsStatus cps_island_split(const CpsIslandTask* task) {
  const CpsStatus status = solve_without(task);
  if (status < 0) return status;
  const CpsStatus then = solve_friction(task);
  return then != CPS_OK ? then : status;
}
