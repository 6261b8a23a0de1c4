// Fibres whose held ends keep them inside each other, or inside an obstacle. No motion undoes that: contacts there would have
// no solution, and pushes there would bend the fibres to shreds.
//
// How much a fibre gives way to a touch is
//
//   c = |L^-1 J^T n|^2                                                                                              (1)
//
// with the implicit mass L L^T of a long step (separate.c), c* the largest of all touches of that fibre. A touch with
// c < STIFF c* on all sides, each a fibre that is held, or an obstacle, is left alone, and from the start on fibres do not
// touch up to there: both sides of a touch must be that near to their held ends, or one and an obstacle.
#include "world/world.h"

#include "core/error.h"

#include <math.h>

static const double STIFF = 0.01;
static const double REACH = 0.215;  // part of a cantilever that this is: c is proportional to the arc length cubed

static bool is_held(const CpsFibre* f) {
  return f->rod.spec.root != CPS_END_FREE || f->rod.spec.tip != CPS_END_FREE;
}

static double compliance(const double* G, int32_t dofs) {
  double sum = 0.0;
  for (int32_t j = 0; j < dofs; ++j) sum += G[j] * G[j];
  return sum;
}

// The largest (1) of each member of island k that is a fibre with a held end, 0 for the others.
void cps_island_softest(const CpsStep* step, int32_t k, double* softest) {
  const CpsContacts* c = &step->contacts;
  int32_t first = c->island_body_start[k];
  for (int32_t i = first; i < c->island_body_start[k + 1]; ++i) softest[i] = 0.0;
  for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
    const double* G = c->G + c->value_start[i];
    for (int64_t term = c->term_start[i]; term < c->term_start[i + 1]; ++term) {
      int32_t body = first + c->term_body[term], m = c->island_dofs[body];
      const CpsFibre* f = cps_world_member_fibre(step->world, c->island_body[body]);
      if (f && is_held(f)) softest[body] = fmax(softest[body], compliance(G, m));
      G += 3 * m;
    }
  }
}

// The largest (1) of a fibre at its middle and at its far end in the direction of a touch: what touches at the held end alone
// has nothing else to be compared with.
static double farther_out(const CpsFibre* f, const CpsMat3* frame, double* rows) {
  double most = 0.0;
  for (int part = 1; part <= 2; ++part) {
    double arc = 0.5 * part * f->rod.spec.branch[0].length;
    CpsVec3 point = f->rod.type->at(&f->rod, arc).position;
    f->rod.type->rows(&f->rod, arc, &point, frame, 1.0, rows);
    most = fmax(most, compliance(rows, f->rod.dofs));
  }
  return most;
}

bool cps_contact_is_stiff(const CpsStep* step, int32_t k, int32_t i, const double* softest, double* rows) {
  const CpsContacts* c = &step->contacts;
  const double* G = c->G + c->value_start[i];
  for (int64_t term = c->term_start[i]; term < c->term_start[i + 1]; ++term) {
    int32_t body = c->island_body_start[k] + c->term_body[term], m = c->island_dofs[body];
    const CpsFibre* f = cps_world_member_fibre(step->world, c->island_body[body]);
    double most = softest[body];
    if (f && is_held(f)) most = fmax(most, farther_out(f, &c->contact[c->order[i]].frame, rows));
    if (compliance(G, m) >= STIFF * most) return false;
    G += 3 * m;
  }
  return true;
}

int64_t cps_step_row_size(const CpsStep* step) {
  const CpsContacts* c = &step->contacts;
  int64_t most = 0;
  for (int32_t i = 0; i < c->island_body_start[c->island_count]; ++i) {
    if (c->island_dofs[i] > most) most = c->island_dofs[i];
  }
  return 3 * most;
}

bool cps_piece_is_let(const CpsFibre* f, double arc) {
  return arc <= f->let[0] || (f->let[1] > 0.0 && arc >= f->rod.spec.branch[0].length - f->let[1]);
}

static void let(CpsFibre* f, const double arc[2]) {
  double length = f->rod.spec.branch[0].length;
  bool root = f->rod.spec.root != CPS_END_FREE && (arc[0] < 0.5 * length || f->rod.spec.tip == CPS_END_FREE);
  // touches of fibres that lie side by side are few; the others are where they do not give way either
  if (root) f->let[0] = fmax(f->let[0], fmax(arc[1], REACH * length));
  if (!root) f->let[1] = fmax(f->let[1], fmax(length - arc[0], REACH * length));
}

void cps_touch_let(const CpsStep* step, const CpsFound* found) {
  const CpsCollider* side[2] = {&step->colliders[found->a], &step->colliders[found->b]};
  for (int s = 0; s < 2; ++s) {
    CpsFibre* f = side[s]->owner >= 0 ? cps_world_member_fibre(step->world, side[s]->owner) : NULL;
    if (f) let(f, side[s]->arc);
  }
  step->world->lets = true;
}

static bool side_is_let(const CpsStep* step, const CpsCollider* c) {
  const CpsFibre* f = c->owner >= 0 ? cps_world_member_fibre(step->world, c->owner) : NULL;
  return c->owner < 0 || (f && cps_piece_is_let(f, c->arc[1]));
}

CpsStatus cps_step_drop_held(CpsStep* step) {
  CpsFound* kept = CPS_TAKE(step->scratch, CpsFound, step->found_count);
  if (!kept) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory to detect contacts");
  int32_t count = 0;
  for (int32_t i = 0; i < step->found_count; ++i) {
    const CpsFound* found = &step->found[i];
    bool held = side_is_let(step, &step->colliders[found->a]) && side_is_let(step, &step->colliders[found->b]);
    if (!held) kept[count++] = *found;
  }
  step->found = kept;
  step->found_count = count;
  return CPS_OK;
}
