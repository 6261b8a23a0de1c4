// Bounces that create no energy.
//
// Newton's impact law knows each contact by itself. Where several act at once, or friction turns the impulses, it can ask for
// more than there is: light nodes jump back from the ground and hit a heavy ball at 10 m/s; the law has the ball leave them at
// 8 m/s, and as some of them are still on the ground, it is the ball that goes. What the contacts of an island take out,
//
//   D = -sum (u+ + u-).r / 2,                                                                                        (1)
//
// must not be negative. Where it is, e is replaced by s e, with the largest s in [0, 1] for which it is not (solve.c finds it): in the
// contacts of those members that have a contact whose own term of (1) is negative, or, if that does not help, in all of the island.
// With s = 0 there, u+.r <= 0 and, for what falls freely, u-.r <= 0 (Moreau's inelastic law).
#include "world/world.h"

#include <math.h>

static const double NOTHING = 1e-4;  // relative to the energy exchanged by contacts: their sum is 0 if they are elastic
static const double BLAME = 1e-3;    // relative to the energy created: the share from which a contact is blamed

bool cps_island_bounces(const CpsContacts* c, int32_t k) {
  for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
    const int32_t at = c->order[i];
    if (at < c->touch_count && c->contact[at].restitution > 0.0 && c->contact[at].shift < 0.0) return true;
  }
  return false;
}

// Energy that contact i of the order adds; adds the energy exchanged to `turned`.
static double gain_of(const CpsContacts* c, int32_t i, double* turned) {
  const CpsStepContact* t = &c->contact[c->order[i]];
  const int64_t at = cps_contact_row(c, i);
  double gain = 0.0;
  for (int j = 0; j < 3; ++j) {
    const double before = t->before[j] * (j == 2 ? t->across : 1.0);
    gain += 0.5 * (c->u[at + j] + before) * c->r[at + j];
    *turned += 0.5 * (fabs(c->u[at + j]) + fabs(before)) * fabs(c->r[at + j]);
  }
  return gain;
}

bool cps_island_gains(const CpsIslandTask* task) {
  const CpsContacts* c = &task->step->contacts;
  const CpsIslandSolver* solver = &task->step->world->solvers[task->worker];
  const CpsProblem* problem = cps_island_is_large(c, task->k) ? solver->large : solver->problem;
  const int32_t first = c->island_start[task->k];
  double *u = c->u + cps_contact_row(c, first), gain = 0.0, turned_over = 0.0;
  if (cps_problem_velocity(problem, c->r + cps_contact_row(c, first), u) != CPS_OK) return false;
  for (int32_t i = first; i < c->island_start[task->k + 1]; ++i) {
    if (c->order[i] >= c->touch_count) continue;
    gain += gain_of(c, i, &turned_over);
  }
  return gain > NOTHING * turned_over;
}

bool cps_island_blame(const CpsStep* step, int32_t k) {
  const CpsContacts* c = &step->contacts;
  double gain = 0.0, none = 0.0;
  bool any = false;
  for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
    if (c->order[i] < c->touch_count) gain += fmax(gain_of(c, i, &none), 0.0);
  }
  for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
    if (c->order[i] >= c->touch_count || !(gain_of(c, i, &none) > BLAME * gain)) continue;
    const CpsStepContact* t = &c->contact[c->order[i]];
    c->blamed[t->a] = true;
    if (t->b >= 0) c->blamed[t->b] = true;
  }
  for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
    const CpsStepContact* t = &c->contact[c->order[i]];
    const bool bounces = c->order[i] < c->touch_count && t->restitution > 0.0 && t->shift < 0.0;
    any = any || (bounces && (c->blamed[t->a] || (t->b >= 0 && c->blamed[t->b])));
  }
  return any;
}

void cps_island_rebound(const CpsStep* step, int32_t k, double part, bool blamed) {
  const CpsContacts* c = &step->contacts;
  for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
    const CpsStepContact* t = &c->contact[c->order[i]];
    if (c->order[i] >= c->touch_count || !(t->restitution > 0.0)) continue;
    const bool near = !blamed || c->blamed[t->a] || (t->b >= 0 && c->blamed[t->b]);
    c->shift[cps_contact_row(c, i)] = near ? part * t->shift : t->shift;
  }
  if (cps_island_is_large(c, k)) cps_island_refresh(step, k);
}
