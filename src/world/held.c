// Lines whose clamped ends hold them inside each other, or inside an obstacle. No motion resolves such overlaps: contacts there
// would have no solution, and pushes would destroy the shape of the lines.
//
// The compliance of a line at a touch is
//
//   c = |L^-1 J^T n|^2                                                                                              (1)
//
// with the implicit mass L L^T of a long step (separate.c). Let c* be the largest compliance over all touches of the line. A touch
// is ignored if c < STIFF c* on all sides, where each side is a clamped line or an obstacle. At the start, this gives the arc
// length up to which lines make no contact. A touch is ignored if both sides are that near to their clamped ends, or if one side
// is and the other is an obstacle.
#include "world/world.h"

#include "core/error.h"

#include <math.h>

static const double STIFF = 0.01;
static const double REACH = 0.215;  // part of a cantilever with this compliance: c grows with the arc length cubed

static bool is_held(const CpsMemberLine* line) {
  return line && (line->held[0] || line->held[1]);
}

static double compliance(const double* G, int32_t dofs) {
  double sum = 0.0;
  for (int32_t j = 0; j < dofs; ++j) sum += G[j] * G[j];
  return sum;
}

// The largest (1) of each member of island k that is a line with a held end, 0 for the others.
void cps_island_softest(const CpsStep* step, int32_t k, double* softest) {
  const CpsContacts* c = &step->contacts;
  int32_t first = c->island_member_start[k];
  for (int32_t i = first; i < c->island_member_start[k + 1]; ++i) softest[i] = 0.0;
  for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
    const double* G = c->G + c->value_start[i];
    for (int64_t term = c->term_start[i]; term < c->term_start[i + 1]; ++term) {
      int32_t at = first + c->term_member[term], m = c->island_dofs[at];
      if (is_held(cps_step_line(step, c->island_member[at]))) softest[at] = fmax(softest[at], compliance(G, m));
      G += 3 * m;
    }
  }
}

// The largest (1) of a line at its middle and at its far end, in the direction of a touch: the reference for lines
// that touch at the clamped end alone.
static double farther_out(const CpsStep* step, int32_t member, const CpsMat3* frame, double* rows) {
  const CpsMember m = cps_world_member(step->world, member);
  const double length = step->lines[member].length;
  double most = 0.0;
  for (int part = 1; part <= 2; ++part) {
    CpsSpot spot;
    const CpsAnchor at = {.s = 0.5 * part * length};
    (void)m.model->type->anchor(m.model, m.index, &at, &spot, NULL);
    m.model->type->rows(m.model, m.index, &spot, frame, 1.0, rows);
    most = fmax(most, compliance(rows, m.model->type->dofs(m.model, m.index)));
  }
  return most;
}

bool cps_contact_is_stiff(const CpsStep* step, int32_t k, int32_t i, const double* softest, double* rows) {
  const CpsContacts* c = &step->contacts;
  const double* G = c->G + c->value_start[i];
  for (int64_t term = c->term_start[i]; term < c->term_start[i + 1]; ++term) {
    int32_t at = c->island_member_start[k] + c->term_member[term], m = c->island_dofs[at];
    const int32_t member = c->island_member[at];
    double most = softest[at];
    if (is_held(cps_step_line(step, member))) {
      most = fmax(most, farther_out(step, member, &c->contact[c->order[i]].frame, rows));
    }
    if (compliance(G, m) >= STIFF * most) return false;
    G += 3 * m;
  }
  return true;
}

int64_t cps_step_row_size(const CpsStep* step) {
  const CpsContacts* c = &step->contacts;
  int64_t most = 0;
  for (int32_t i = 0; i < c->island_member_start[c->island_count]; ++i) {
    if (c->island_dofs[i] > most) most = c->island_dofs[i];
  }
  return 3 * most;
}

bool cps_line_is_let(const CpsMemberLine* line, double arc) {
  return arc <= line->let[0] || (line->let[1] > 0.0 && arc >= line->length - line->let[1]);
}

static void let(const CpsMemberLine* line, const double arc[2]) {
  const double length = line->length;
  bool root = line->held[0] && (arc[0] < 0.5 * length || !line->held[1]);
  // few contacts join parallel lines; at the others, too, the line is stiff
  if (root) line->let[0] = fmax(line->let[0], fmax(arc[1], REACH * length));
  if (!root) line->let[1] = fmax(line->let[1], fmax(length - arc[0], REACH * length));
}

void cps_touch_let(const CpsStep* step, const CpsColliderTouch* found) {
  const CpsCollider* side[2] = {&step->colliders[found->a], &step->colliders[found->b]};
  for (int s = 0; s < 2; ++s) {
    const CpsMemberLine* line = cps_step_line(step, side[s]->owner);
    if (line) let(line, side[s]->arc);
  }
  step->world->lets = true;
}

static bool side_is_let(const CpsStep* step, const CpsCollider* c) {
  const CpsMemberLine* line = cps_step_line(step, c->owner);
  return c->owner < 0 || (line && cps_line_is_let(line, c->arc[1]));
}

CpsStatus cps_step_drop_held(CpsStep* step) {
  CpsColliderTouch* kept = CPS_TAKE(step->scratch, CpsColliderTouch, step->found_count);
  if (!kept) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory to detect contacts");
  int32_t count = 0;
  for (int32_t i = 0; i < step->found_count; ++i) {
    const CpsColliderTouch* found = &step->found[i];
    bool held = side_is_let(step, &step->colliders[found->a]) && side_is_let(step, &step->colliders[found->b]);
    if (!held) kept[count++] = *found;
  }
  step->found = kept;
  step->found_count = count;
  return CPS_OK;
}
