// Ties that cannot be kept.
//
// Where ties and prescribed motions contradict each other, no impulses solve the island. A method finds larger and larger ones,
// and next to those the remainder of the velocities looks small: (1) of friction/residual.c is relative to the impulses. So the rows
// of a tie that holds are compared with the loads on the ties of its island, both with their shift:
//
//   |u + shift|   against   max |u* + shift|                                                                            (1)
//
// Two ties that draw a point apart leave half of it at least; those that are solved roughly, the tolerance times the ratio of
// their loads. What loads a tie may be contacts and not its own motion: the remainder must also be more than the tolerance leaves
// of the fastest free velocity u* of anything in the island. And a tie whose points are far from each other after the step is
// not kept, however well (1) is solved: a rope that is drawn longer than it is flies about with enormous velocities that ways
// along curves do not follow.
#include "world/world.h"

#include <math.h>

static const double LEFT = 0.25;   // part of (1) above which a tie is torn
static const double STILL = 1e-9;  // displacement in a step at rounding level, relative to the size of the tied objects
static const double ROUGH = 1e3;   // in tolerances: error of a solved island, relative to the fastest free velocity
static const double FAR = 10.0;    // distance between the points of a torn tie, in sizes of the tied objects

// |u + shift| of a holding block, with u after the step or free; 0 for springs and for ties that have just broken.
static double speed_of(const CpsWorld* world, const CpsTieBlock* block, const double u[3]) {
  const CpsTie* tie = &world->ties[block->tie];
  double sum = 0.0;
  if (tie->def.kind == CPS_TIE_SPRING || tie->broken) return 0.0;
  for (int k = 0; k < (block->line ? 1 : 3); ++k) sum += (u[k] + block->shift[k]) * (u[k] + block->shift[k]);
  return sqrt(sum);
}

static double size_of(const CpsWorld* world, int32_t member) {
  const CpsMember m = cps_world_member(world, member);
  return m.model->type->size(m.model, m.index);
}

// Uses the smaller size; objects without contact have none.
static bool is_far(const CpsWorld* world, const CpsTie* tie, const CpsStepContact* t) {
  const double a = size_of(world, t->a), b = t->b >= 0 ? size_of(world, t->b) : 0.0;
  const double size = a > 0.0 && b > 0.0 ? fmin(a, b) : fmax(a, b);
  return size > 0.0 && cps_tie_apart(world, tie) > FAR * size;
}

// A torn tie of island k; -1 if there is none.
static int32_t find(const CpsStep* step, int32_t k) {
  const CpsContacts* c = &step->contacts;
  const CpsStepContact* worst = NULL;
  double driven = 0.0, speed = 0.0, fastest = 0.0;
  int32_t tie = -1;
  for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
    const int32_t place = c->order[i] - c->touch_count;
    if (place >= c->tie_count) continue;
    const CpsStepContact* t = &c->contact[c->order[i]];
    fastest = fmax(fastest, sqrt(t->free[0] * t->free[0] + t->free[1] * t->free[1] + t->free[2] * t->free[2]));
    if (place < 0) continue;
    const double left = speed_of(step->world, &c->tie[place], t->after);
    if (left > 0.0 && is_far(step->world, &step->world->ties[c->tie[place].tie], t)) return c->tie[place].tie;
    driven = fmax(driven, speed_of(step->world, &c->tie[place], t->free));
    if (!(left > speed)) continue;
    speed = left;
    worst = t;
    tie = c->tie[place].tie;
  }
  if (!worst || !(speed > LEFT * driven) || !(speed > ROUGH * step->world->def.solver.tolerance * fastest)) return -1;
  return speed * step->model.h > STILL * size_of(step->world, worst->a) ? tie : -1;
}

void cps_step_find_torn(CpsStep* step) {
  step->torn = -1;
  for (int32_t k = 0; step->contacts.tie_count > 0 && k < step->contacts.island_count; ++k) {
    const int32_t tie = find(step, k);
    if (tie < 0) continue;
    step->info.unsolved++;
    if (step->info.status == CPS_OK) step->info.status = CPS_NOT_CONVERGED;
    if (step->torn < 0) step->torn = tie;
  }
}
