// Step 5, islands with members whose forces are not linear: rounds of
//
//   solve the contacts with M~ and v* around a trial velocity;  v = v* + M~^-1 A^T r;  let each member try v          (1)
//
// until all of them take it. Each member has a merit that goes down from round to round (model/nodal_newton.c), although
// friction has no potential: for the impulses of the round it is one. Linear members take the first.
#include "world/world.h"

#include "core/error.h"
#include "friction/contacts.h"
#include "friction/refill.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 100, COARSE = 1 };
static const double LOOSE = 1e-3;  // tolerance of the first COARSE rounds: v* is not yet final
// Impulses are solved to this part of the tolerance and kept while they are within it. With redundant contacts, each solve picks
// different impulses within the tolerance, and the rounds would follow them forever; kept impulses let (1) converge.
static const double WITHIN = 0.3;
// Compressed objects may be held in place by their contacts alone: with fixed impulses they would buckle, and d grows
// from round to round. So from round PATIENT on, contacts are solved in every round, to a much finer tolerance but
// not finer than FINEST, so that errors of the contacts do not hide the final d.
enum { PATIENT = 10 };
static const double TIGHT = 1e-5, FINEST = 1e-11;
static const double STILL = 1e-3;  // relative to the speed gained in a step of free fall: slower members are at rest

// A^T r for the nodes of island k.
static void gather(const CpsContacts* c, int32_t k, double* to) {
  const CpsLargeRows* l = &c->large;
  const int32_t* node = l->node + l->term_start[k];
  memset(to, 0, 3 * (size_t)l->node_count[k] * sizeof *to);
  for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
    const double *r = c->r + cps_contact_row(c, i), *a = l->A + l->A_start[i];
    const int64_t rows = cps_contact_row(c, i + 1) - cps_contact_row(c, i);
    for (int64_t t = l->local_start[i + k]; t < l->local_start[i + 1 + k]; ++t, a += 3 * rows) {
      double* f = to + 3 * (int64_t)node[t];
      for (int j = 0; j < 3; ++j) f[j] += a[j] * r[0] + a[3 + j] * r[1] + a[6 + j] * r[2];
      for (int64_t q = 3; q < rows; ++q) {
        for (int j = 0; j < 3; ++j) f[j] += a[3 * q + j] * r[q];
      }
    }
  }
}

void cps_island_gather_nodes(const CpsContacts* c, int32_t k) {
  gather(c, k, c->large.impulse + c->large.vector_start[k]);
}

// Updates b of the contacts of large members from their new v*.
void cps_island_refresh(const CpsStep* step, int32_t k) {
  const CpsContacts* c = &step->contacts;
  for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
    CpsStepContact* t = &c->contact[c->order[i]];
    if (t->spot_a.patch_count + t->spot_b.patch_count == 0) continue;
    if (cps_contact_is_own(c, c->order[i])) {
      cps_own_velocity(step, c->order[i], CPS_VELOCITY_FREE, c->b + cps_contact_row(c, i));
      continue;
    }
    cps_contact_refresh(step, t);
    for (int j = 0; j < 3; ++j) c->b[cps_contact_row(c, i) + j] = t->free[j] * (j == 2 ? t->across : 1.0);
  }
}

// Sum of the versions of the mass matrices of the island.
static int64_t version_of(const CpsStep* step, int32_t k) {
  const CpsLargeRows* l = &step->contacts.large;
  int64_t sum = 0;
  for (int32_t i = l->island_start[k]; i < l->island_start[k + 1]; ++i) {
    CpsMember m = cps_world_member(step->world, l->member[i]);
    sum += m.model->type->mass(m.model, m.index).version;
  }
  return sum;
}

// Lets members try the velocities of the current impulses; *done: all members accept. same: M~ is unchanged since the
// last call. If the impulses are unchanged too, so is M~^-1 A^T r.
static void try_velocities(const CpsIslandTask* task, bool same, bool* done) {
  CpsStep* step = task->step;
  const int32_t k = task->k;
  const CpsContacts* c = &step->contacts;
  const CpsLargeRows* l = &c->large;
  double *dv = l->dv + l->vector_start[k], *impulse = l->impulse + l->vector_start[k];
  CpsModelStep model = step->model;
  model.pool = task->options->threads > 1 ? step->world->pool : NULL;
  double* work = l->work + l->vector_start[k];
  const size_t bytes = 3 * (size_t)l->node_count[k] * sizeof *work;
  gather(c, k, work);
  if (!same || memcmp(work, impulse, bytes) != 0) {
    memcpy(impulse, work, bytes);
    cps_problem_nodes(step->world->solvers[task->worker].large, c->r + cps_contact_row(c, c->island_start[k]), dv,
                      work);
  }
  *done = true;
  for (int32_t i = l->island_start[k]; i < l->island_start[k + 1]; ++i) {
    CpsMember m = cps_world_member(step->world, l->member[i]);
    const int64_t at = 3 * (int64_t)l->first[i];
    *done = m.model->type->attempt(m.model, &model, m.index, dv + at, impulse + at) && *done;
  }
}

// One round of (1), with the previous masses or new ones; *done: all members accept.
static CpsStatus try_round(const CpsIslandTask* task, bool same, int round, bool* done) {
  const double tolerance = task->options->tolerance;
  CpsSolveOptions target = *task->options;
  CpsIslandTask finer = *task;
  double accept = tolerance;
  if (tolerance < LOOSE) target.tolerance *= WITHIN;
  if (round >= PATIENT) {
    accept = target.tolerance = fmin(target.tolerance, fmax(TIGHT * tolerance, FINEST));
  }
  CpsStatus status = CPS_OK;
  if (!same) status = cps_island_fill(task);
  if (status != CPS_OK) return status;
  finer.options = &target;
  status = cps_island_solve_again(&finer, accept, round > 0);
  if (status == CPS_NOT_CONVERGED && task->info->residual <= tolerance) status = CPS_OK;
  if (status >= 0) try_velocities(task, same, done);
  return status;
}

// Whether the large members of an island are nearly at rest.
static bool is_still(const CpsStep* step, int32_t k) {
  const CpsLargeRows* l = &step->contacts.large;
  CpsModelEnergy e = {0};
  double mass = 0.0;
  for (int32_t i = l->island_start[k]; i < l->island_start[k + 1]; ++i) {
    CpsMember m = cps_world_member(step->world, l->member[i]);
    m.model->type->energy(m.model, &step->model, false, m.index, m.index + 1, &e);
    m.model->type->weigh(m.model, m.index, m.index + 1, &mass);
  }
  const double speed = STILL * step->model.h * cps_vec3_norm(step->model.gravity);
  return e.kinetic <= 0.5 * mass * speed * speed;
}

// Relative to the speed gained in a step of free fall: a slower member is at rest, driven only by rounding of the
// forces that the impulses leave unbalanced.
static const double STANDS = 1e-9;

// Stops a large member that rests alone on immovable objects, if none of its points is faster. Returns whether it
// also stood still before, so that nothing moves by a bit.
static bool halt(const CpsStep* step, int32_t k) {
  const CpsContacts* c = &step->contacts;
  const CpsLargeRows* l = &c->large;
  if (c->island_member_start[k + 1] > c->island_member_start[k] || l->island_start[k + 1] - l->island_start[k] != 1) {
    return false;
  }
  CpsMember m = cps_world_member(step->world, l->member[l->island_start[k]]);
  const double speed = STANDS * step->model.h * cps_vec3_norm(step->model.gravity);
  return m.model->type->halt && m.model->type->halt(m.model, m.index, speed);
}

// Improves a converged solution of an island at rest (friction/refine.c): the contacts are solved again, and their residual tells
// whether they changed. Contacts whose impulses differ from those of the previous step are not at rest.
static CpsStatus polish(const CpsIslandTask* task, bool* done) {
  const double before = task->info->residual, tolerance = task->options->tolerance;
  CpsSolveOptions target = *task->options;
  CpsIslandTask finer = *task;
  if (tolerance < LOOSE) target.tolerance *= WITHIN;
  finer.options = &target;
  CpsStatus status = cps_island_solve_again(&finer, tolerance, true);
  if (status >= 0 && task->info->residual != before) try_velocities(task, false, done);
  return status;
}

CpsStatus cps_island_newton(const CpsIslandTask* task) {
  CpsStep* step = task->step;
  const int32_t k = task->k;
  const CpsSolveOptions* options = task->options;
  const CpsSolveInfo* info = task->info;
  CpsSolveOptions rough = *options, plain = *options;
  rough.tolerance = LOOSE;
  rough.polish = plain.polish = false;
  bool polished = !options->polish, rests = options->polish;
  int64_t version = -1;
  for (int round = 0; round < ROUNDS; ++round) {
    const bool same = version == version_of(step, k);
    version = version_of(step, k);
    const bool coarse = round < COARSE && options->tolerance < LOOSE;
    bool done = false;
    if (round > 0) cps_island_refresh(step, k);
    CpsIslandTask now = *task;
    now.options = coarse ? &rough : polished ? options : &plain;
    CpsStatus status = try_round(&now, same, round, &done);
    rests = rests && info->iterations == 0;
    // an island at rest may be accurate enough from the start
    const bool fine = !coarse || info->residual <= options->tolerance;
    if (status == CPS_OK && done && fine && rests && round == 0 && halt(step, k)) {
      step->contacts.rest[k] = CPS_REST_KEPT;
      return status;
    }
    if (status == CPS_OK && done && fine && !polished && rests && is_still(step, k)) {
      polished = true;
      status = polish(task, &done);
      if (status == CPS_OK && done) (void)halt(step, k);
    }
    if (status < 0 || status == CPS_INTERRUPTED || (done && fine)) return status;
  }
  cps_island_refresh(step, k);  // the energy balance needs the last v*
  return cps_fail(task->error, CPS_NOT_CONVERGED, "the node velocities did not converge in %d iterations", ROUNDS);
}
