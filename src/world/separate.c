// Things that were placed inside each other are moved apart before the first step: positions only, velocities stay.
//
// In rounds: all pairs that overlap or nearly touch are found, and the smallest displacement dq in the metric
//
//   M + H^2 K   (M alone without elasticity),   H longer than a step,                                                  (1)
//
// that opens all gaps g is what everything is moved by. In (1) the stiffness K of a line outweighs its mass: a free one is
// carried aside as a whole and hardly bent, one that is held is bent gently over its length. No energy is paid, because
// nothing has moved yet. With the rows G of the contacts' normals, dq = L^-T z and z = sum of G_i^T r_i, sweeps of
//
//   r_i <- max(0, r_i - (g_i + G_i z + SOFT w_i r_i) / ((1 + SOFT) w_i)),   w_i = |G_i|^2                            (2)
//
// find it. There may be many more contacts than degrees of freedom, and no dq that opens all of them: the softness makes (2)
// the least squares of the remainder then.
//
// Points that are tied come together in the same sweeps, with rows that pull as well as push.
//
// A round is exact for straight lines and flat faces; otherwise the next one finds the remainder. What cannot be moved (a ball in
// a gap that is too narrow) is still there when rounds bring no more. Where lines are held, nothing gives way: held.c.
#include "world/doors.h"

#include "core/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 40, SWEEPS = 40, PATIENCE = 6 };
static const double LONG = 0.01;   // minimum of H, s
static const double STEPS = 5.0;   // and in steps
static const double SKIN = 0.3;    // gap below which pairs take part, relative to the smallest radius
static const double DONE = 5.0;    // rounds end when no depth exceeds this many slops
static const double GOOD = 50.0;   // a remaining depth above this many slops is reported as an overlap
static const double CLEAR = 10.0;  // target gap, in slops: rounds are not exact
static const double GAIN = 0.98;   // a round that leaves more than this part of the sum of depths makes no progress
static const double SOFT = 0.01;   // of (2)
static const double FAR = 4.0;     // largest displacement of a point of a line in a round, in radii
static const double PART = 0.01;   // and relative to its length

// Makes frictionless contacts from the touches of a round, and adds the ties.
static CpsStatus make_contacts(CpsStep* step) {
  CpsContacts* c = &step->contacts;
  const bool large = cps_world_has_large(step->world);  // nodes have no rows here: then ties are left to the first step
  int32_t n = step->found_count, blocks = large ? 0 : cps_ties_blocks(step->world);
  *c = (CpsContacts){.count = n + blocks, .touch_count = n, .tie_count = blocks};
  c->contact = CPS_TAKE_ZERO(step->scratch, CpsStepContact, n + blocks);
  c->track = CPS_TAKE_ZERO(step->scratch, CpsTrack, n + blocks);
  c->tie = CPS_TAKE_ZERO(step->scratch, CpsTieBlock, blocks);
  if (!c->contact || !c->track || !c->tie)
    return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for %d contacts", (int)n);
  step->patches = NULL;
  for (int32_t i = 0; i < n; ++i) {
    CpsStepContact* t = &c->contact[i];
    cps_touching_place(step, &step->found[i], t);
    t->across = 1.0;
    t->frame = cps_mat3_frame(t->touch.normal, cps_vec3(1.0, 0.0, 0.0));
  }
  if (blocks > 0) cps_step_ties(step);
  CpsStatus status = cps_step_islands(step);
  if (status == CPS_OK) status = cps_step_order(step);
  return status == CPS_OK ? cps_step_assemble(step) : status;
}

// The depth of a touch beyond that many slops, in radii.
static double beyond(const CpsStep* step, int32_t at, double allowed) {
  const CpsColliderTouch* found = &step->found[at];
  double depth = -found->touch.gap - allowed * cps_found_slop(step, found);
  return depth > 0.0 ? depth / cps_found_radius(step, found) : 0.0;
}

// Updates the pieces of a line; returns the largest displacement of an end of a piece.
static double way_of(CpsMember m, const CpsMemberLine* line) {
  double way = 0.0;
  m.model->type->follow(m.model, m.index);
  for (int32_t j = 0; j < line->count; ++j) {
    const CpsLinePiece* p = &line->piece[j];
    for (int e = 0; e < 2; ++e) way = fmax(way, cps_vec3_norm(cps_vec3_sub(p->to[e], p->from[e])));
  }
  return way;
}

// Moves a member by z; a line only as far as its limit.
static void move_member(const CpsStep* step, int32_t member, double* z, int64_t size) {
  CpsMember m = cps_world_member(step->world, member);
  const CpsMemberLine* line = cps_step_line(step, member);
  m.model->type->shift(m.model, m.index, z);
  double way = line ? way_of(m, line) : 0.0, most = line ? fmin(FAR * line->radius, PART * line->length) : INFINITY;
  for (int tries = 0; way > most && tries < 4; ++tries) {
    // back by the excess; twice if the path is not straight
    double back = most / way - 1.0;
    for (int64_t j = 0; j < size; ++j) z[j] *= back;
    m.model->type->shift(m.model, m.index, z);
    for (int64_t j = 0; j < size; ++j) z[j] *= (1.0 + back) / back;
    way = way_of(m, line);
  }
}

// Target of a tie: its points come together, or keep their distance. Springs take no part.
static void aim_tie(const CpsStep* step, const CpsTieBlock* block, double b[3]) {
  cps_vec3_put(b, block->apart);
  if (!block->line) return;
  const bool held = step->world->ties[block->tie].def.kind == CPS_TIE_ROD;
  b[0] = held ? block->g : NAN;
  b[1] = b[2] = NAN;
}

// Sets the right-hand side for island k; returns the sum of the depths to push, 0 if there are none.
static double aim(CpsStep* step, int32_t k, const double* softest, double* rows, double* r) {
  CpsContacts* c = &step->contacts;
  double sum = 0.0;
  for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
    double* b = c->b + 3 * (int64_t)i;
    r[3 * i] = r[3 * i + 1] = r[3 * i + 2] = 0.0;
    if (c->order[i] >= c->touch_count) {
      aim_tie(step, &c->tie[c->order[i] - c->touch_count], b);
      continue;
    }
    const CpsColliderTouch* found = &step->found[c->order[i]];
    double slop = cps_found_slop(step, found);
    b[0] = found->touch.gap + (found->touch.gap < -slop ? -CLEAR : 0.5) * slop;
    if (b[0] < 0.0 && cps_contact_is_stiff(step, k, i, softest, rows)) b[0] = 0.0;
    if (b[0] < 0.0) sum += beyond(step, c->order[i], DONE);
  }
  return sum;
}

// One row of contact i of island k pushes, as in (2), with the current z; z receives the change. Ties also pull, and
// have no compliance.
static void push_row(const CpsContacts* c, int32_t k, int32_t i, int row, double* r, double* z) {
  const bool tie = c->order[i] >= c->touch_count;
  const double soft = tie ? 0.0 : SOFT;
  const double* G = c->G + c->value_start[i];
  double u = c->b[3 * (int64_t)i + row], w = 0.0;
  for (int64_t term = c->term_start[i]; term < c->term_start[i + 1]; ++term) {
    int32_t to = c->island_member_start[k] + c->term_member[term], m = c->island_dofs[to];
    const double *part = z + c->z_start[to], *own = G + row * m;
    for (int32_t j = 0; j < m; ++j) {
      u += own[j] * part[j];
      w += own[j] * own[j];
    }
    G += 3 * m;
  }
  if (!(w > 0.0) || isnan(u)) return;
  double next = *r - (u + soft * w * *r) / ((1.0 + soft) * w);
  if (!tie) next = fmax(0.0, next);
  const double change = next - *r;
  *r = next;
  if (change == 0.0) return;
  G = c->G + c->value_start[i];
  for (int64_t term = c->term_start[i]; term < c->term_start[i + 1]; ++term) {
    int32_t to = c->island_member_start[k] + c->term_member[term], m = c->island_dofs[to];
    double* part = z + c->z_start[to];
    for (int32_t j = 0; j < m; ++j) part[j] += change * G[row * m + j];
    G += 3 * m;
  }
}

static void push_island(CpsStep* step, int32_t k, double* r, double* z) {
  CpsContacts* c = &step->contacts;
  for (int64_t j = c->z_start[c->island_member_start[k]]; j < c->z_start[c->island_member_start[k + 1]]; ++j)
    z[j] = 0.0;
  for (int sweep = 0; sweep < SWEEPS; ++sweep) {
    for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
      const int rows = c->order[i] >= c->touch_count ? 3 : 1;
      for (int row = 0; row < rows; ++row) push_row(c, k, i, row, &r[3 * i + row], z);
    }
  }
  for (int32_t i = c->island_member_start[k]; i < c->island_member_start[k + 1]; ++i) {
    move_member(step, c->island_member[i], z + c->z_start[i], c->z_start[i + 1] - c->z_start[i]);
  }
}

static CpsStatus push_all(CpsStep* step, double* sum) {
  CpsContacts* c = &step->contacts;
  int32_t members = c->island_member_start[c->island_count];
  double* r = CPS_TAKE(step->scratch, double, 3 * (int64_t)c->count);
  double* z = CPS_TAKE(step->scratch, double, c->z_start[members]);
  double* softest = CPS_TAKE(step->scratch, double, members);
  double* rows = CPS_TAKE(step->scratch, double, cps_step_row_size(step));
  if (!r || !z || !softest || !rows)
    return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory to remove overlaps");
  for (int32_t k = 0; k < c->island_count; ++k) {
    cps_island_softest(step, k, softest);
    double some = aim(step, k, softest, rows, r);
    *sum += some;
    if (some > 0.0) push_island(step, k, r, z);
  }
  return CPS_OK;
}

// Exempts held lines that overlap from contact.
static CpsStatus let_all(CpsStep* step) {
  CpsContacts* c = &step->contacts;
  double* softest = CPS_TAKE(step->scratch, double, c->island_member_start[c->island_count]);
  double* rows = CPS_TAKE(step->scratch, double, cps_step_row_size(step));
  if (!softest || !rows) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory to remove overlaps");
  for (int32_t k = 0; k < c->island_count; ++k) {
    cps_island_softest(step, k, softest);
    for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
      if (c->order[i] >= c->touch_count) continue;
      bool deep = beyond(step, c->order[i], 1.0) > 0.0;
      if (deep && cps_contact_is_stiff(step, k, i, softest, rows)) cps_touch_let(step, &step->found[c->order[i]]);
    }
  }
  return CPS_OK;
}

static bool is_broken(const CpsWorld* world) {
  for (int i = 0; i < world->population_count; ++i) {
    const CpsModel* model = world->population[i];
    if (model->type->broken(model) >= 0) return true;
  }
  return false;
}

// Drops touches of large members, whose nodes have no rows: they stay in place (docs/theory/separation.md).
static CpsStatus drop_large(CpsStep* step) {
  const CpsWorld* world = step->world;
  if (!cps_world_has_large(world) || step->found_count == 0) return CPS_OK;
  CpsColliderTouch* kept = CPS_TAKE(step->scratch, CpsColliderTouch, step->found_count);
  if (!kept) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory to remove overlaps");
  int32_t count = 0;
  for (int32_t i = 0; i < step->found_count; ++i) {
    const int32_t a = step->colliders[step->found[i].a].owner, b = step->colliders[step->found[i].b].owner;
    if (cps_member_is_large(world, a) || (b >= 0 && cps_member_is_large(world, b))) continue;
    kept[count++] = step->found[i];
  }
  step->found = kept;
  step->found_count = count;
  return CPS_OK;
}

// Finds all objects that overlap or nearly touch, as the contacts of a round.
static CpsStatus begin_round(CpsStep* step, double skin) {
  CpsWorld* world = step->world;
  cps_obstacles_place(world, world->time, step->model.h);
  cps_doors_place(world, world->time, step->model.h);
  cps_doors_stop(world);
  cps_loads_apply(world, &step->model);
  cps_pulls_apply(world, &step->model);
  CpsStatus status = cps_ties_begin(world, &step->model, step->error);
  if (status != CPS_OK) return status;
  cps_world_run(world, &step->model, CPS_CALL_BEGIN);
  status = cps_step_look(step, skin);
  if (status == CPS_OK) status = drop_large(step);
  return status == CPS_OK ? make_contacts(step) : status;
}

// Repeats rounds until all objects are apart or no progress is made.
static CpsStatus push_apart(CpsStep* step) {
  CpsWorld* world = step->world;
  double skin = isfinite(world->smallest) ? SKIN * world->smallest : 0.0, best = INFINITY, sum = INFINITY;
  CpsStatus status = CPS_OK;
  for (int round = 0, idle = 0; status == CPS_OK && round < ROUNDS && idle < PATIENCE && sum > 0.0; ++round) {
    CpsArenaMark mark = cps_arena_mark(step->scratch);
    sum = 0.0;
    status = begin_round(step, skin);
    if (status == CPS_OK) status = push_all(step, &sum);
    cps_arena_release(step->scratch, mark);
    idle = sum < GAIN * best ? 0 : idle + 1;
    best = fmin(best, sum);
    if (status == CPS_OK && world->def.cancel && world->def.cancel(world->def.cancel_data)) {
      status = cps_fail(step->error, CPS_INTERRUPTED, "interrupted");
    }
  }
  if (status == CPS_OK) status = begin_round(step, 0.0);
  if (status == CPS_OK) status = let_all(step);
  if (status == CPS_OK && is_broken(world)) {
    status = cps_fail(step->error, CPS_BAD_DATA, "an object became unstable while overlaps were being removed");
  }
  return status;
}

// Remaining overlaps: all, and those that are not caused by held ends.
typedef struct Left {
  CpsOverlap *all, *free;
  int32_t all_count, free_count;
} Left;

static CpsStatus find_left(CpsStep* step, Left* left) {
  CpsWorld* world = step->world;
  bool lets = world->lets;
  world->lets = false;
  CpsStatus status = cps_step_look(step, 0.0);
  world->lets = lets;
  if (status == CPS_OK) status = cps_step_look_smooth(step);
  if (status == CPS_OK) status = cps_step_overlaps(step, GOOD, &left->all, &left->all_count);
  if (status == CPS_OK && lets) status = cps_step_drop_held(step);
  return status == CPS_OK ? cps_step_overlaps(step, GOOD, &left->free, &left->free_count) : status;
}

// Records the remaining depth of each overlap and adds new ones. All lists are sorted by pair.
static CpsStatus note_left(CpsWorld* world, const Left* left, CpsError* error) {
  CpsOverlap* grown = realloc(world->overlaps, (size_t)(world->overlap_count + left->all_count + 1) * sizeof *grown);
  if (!grown) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for %d overlaps", (int)left->all_count);
  world->overlaps = grown;
  int32_t before = world->overlap_count, added = before;
  cps_overlaps_by_pair(grown, before);
  for (int32_t i = 0; i < before; ++i) grown[i].left = 0.0;
  for (int32_t i = 0, k = 0, m = 0; i < left->all_count; ++i) {
    CpsOverlap now = left->all[i];
    while (k < before && cps_overlap_compare(&grown[k], &now) < 0) k++;
    while (m < left->free_count && cps_overlap_compare(&left->free[m], &now) < 0) m++;
    bool is_free = m < left->free_count && cps_overlap_compare(&left->free[m], &now) == 0;
    bool old = k < before && cps_overlap_compare(&grown[k], &now) == 0;
    if (!old) grown[added] = now, grown[added].depth = 0.0;
    CpsOverlap* entry = old ? &grown[k] : &grown[added++];
    entry->left = is_free ? left->free[m].depth : now.depth;
    entry->held = !is_free;
  }
  world->overlap_count = added;
  cps_overlaps_by_depth(grown, added);
  return CPS_OK;
}

CpsStatus cps_world_separate(CpsWorld* world, CpsError* error) {
  CpsStatus status = cps_world_find_overlaps(world, error);
  if (status != CPS_OK || world->overlap_count == 0) return status;
  cps_arena_reset(&world->scratch);
  double h = fmax(LONG, STEPS * world->def.step);
  CpsStep step = {.world = world, .model = {.h = h, .theta = 1.0}, .scratch = &world->scratch, .error = error};
  void* before = cps_arena_take(&world->scratch, (int64_t)cps_populations_size(world), 1);
  void* const* held = cps_doors_keep(world, &world->scratch);
  if (!before || !held) return cps_fail(error, CPS_NO_MEMORY, "not enough memory to remove overlaps");
  cps_populations_save(world, before);
  Left left = {0};
  status = push_apart(&step);
  if (status == CPS_OK) status = find_left(&step, &left);
  if (status == CPS_OK) status = note_left(world, &left, error);
  free(left.all);
  free(left.free);
  if (status != CPS_OK) {
    cps_populations_load(world, before);
    return status;
  }
  cps_doors_restore(world, held);  // no step was made: nothing has started to move
  world->changed = true;
  if (left.free_count == 0) return cps_succeed(error);
  return cps_fail(error, CPS_NOT_CONVERGED, "%d of %d overlaps could not be removed", (int)left.free_count,
                  (int)world->overlap_count);
}
