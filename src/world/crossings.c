// After a step: how deep do lines sink into each other and into obstacles, as far as contacts tell? What passed through what is
// in passes.c, what no contact tells in depths.c.
//
// Contacts bound the motion to first order, u_N >= -gap / h, but lines turn and bend while they move. For each contact of
// two lines the points of the pieces that touched, x_A and x_B, tell whether they are on the way to the wrong side:
//
//   n.(x_A - x_B) < D / 2   at the end of the step,   D = gap + r_A + r_B                                           (1)
#include "world/world.h"

#include "core/error.h"
#include "geometry/segment.h"

#include <math.h>

enum { CHUNK = 256 };

typedef struct Sums {
  double depth, sunk;
} Sums;

typedef struct Looking {
  const CpsStep* step;
  Sums* sums;  // of each chunk of contacts
} Looking;

static const CpsLinePiece* piece_of(const CpsMemberLine* line, uint64_t key) {
  return &line->piece[cps_key_piece(key)];
}

CpsMovedPiece cps_piece_moved(const CpsLinePiece* p) {
  return (CpsMovedPiece){{p->from[0], p->from[1]}, {p->to[0], p->to[1]}, {(p->joined & 1) == 0, (p->joined & 2) == 0}};
}

// Current place of the point of a piece at an arc length.
static CpsVec3 now_at(const CpsLinePiece* p, double arc) {
  double place = (arc - p->arc[0]) / (p->arc[1] - p->arc[0]);
  return cps_vec3_axpy(p->to[0], place, cps_vec3_sub(p->to[1], p->to[0]));
}

// Current distance of the points of two lines that touched, along the normal at that time; infinite if they are not two lines.
static double distance_now(const CpsStep* step, const CpsStepContact* t, const CpsTrack* track) {
  const CpsMemberLine *a = cps_step_line(step, t->a), *b = cps_step_line(step, t->b);
  if (!a || !b) return INFINITY;
  CpsVec3 x = now_at(piece_of(a, track->key_a), t->spot_a.arc), y = now_at(piece_of(b, track->key_b), t->spot_b.arc);
  return cps_vec3_dot(t->touch.normal, cps_vec3_sub(x, y));
}

// Sum of the radii of two lines that touch.
static double both_radii(const CpsStep* step, const CpsStepContact* t, const CpsTrack* track) {
  return piece_of(&step->lines[t->a], track->key_a)->geom.radius +
         piece_of(&step->lines[t->b], track->key_b)->geom.radius;
}

// Condition (1).
static bool is_wrong(const CpsStep* step, const CpsStepContact* t, const CpsTrack* track, double distance) {
  if (!isfinite(distance)) return false;
  return distance < 0.5 * (t->touch.gap + both_radii(step, t, track));
}

bool cps_contact_is_wrong(const CpsStep* step, const CpsStepContact* t, const CpsTrack* track) {
  return is_wrong(step, t, track, distance_now(step, t, track));
}

double cps_contact_gap_now(const CpsStep* step, const CpsStepContact* t, const CpsTrack* track, bool end) {
  const CpsMemberLine* a = cps_step_line(step, t->a);
  double distance = distance_now(step, t, track);
  if (isfinite(distance)) return distance - both_radii(step, t, track);
  if (!a || t->obstacle < 0) return INFINITY;
  CpsVec3 from = cps_vec3_axpy(t->touch.point_a, piece_of(a, track->key_a)->geom.radius, t->touch.normal);
  CpsVec3 way = cps_vec3_sub(now_at(piece_of(a, track->key_a), t->spot_a.arc), from);
  return t->touch.gap + cps_vec3_dot(t->touch.normal, way) + (end ? step->model.h * t->surface[0] : 0.0);
}

// The gap of two pieces at the end of the step. The points that touched at its beginning may have slid past each
// other since; their distance along the old normal is then meaningless.
static double gap_of_lines(const CpsStep* step, const CpsStepContact* t, const CpsTrack* track) {
  const CpsLinePiece *p = piece_of(&step->lines[t->a], track->key_a), *q = piece_of(&step->lines[t->b], track->key_b);
  const CpsVec3 d = cps_vec3_sub(p->to[1], p->to[0]), e = cps_vec3_sub(q->to[1], q->to[0]);
  double s, at;
  cps_segment_segment(p->to[0], d, q->to[0], e, &s, &at);
  const CpsVec3 w = cps_vec3_sub(cps_vec3_axpy(p->to[0], s, d), cps_vec3_axpy(q->to[0], at, e));
  return cps_vec3_norm(w) - p->geom.radius - q->geom.radius;
}

// The gap at the end of the step; for objects other than lines, along the initial normal. Only lines deviate much
// from straight paths.
static double gap_after(const CpsStep* step, const CpsStepContact* t, const CpsTrack* track) {
  const CpsModelStep* m = &step->model;
  const CpsMemberLine* a = cps_step_line(step, t->a);
  if (a && cps_step_line(step, t->b)) return gap_of_lines(step, t, track);
  if (!a || t->obstacle < 0) return t->touch.gap + m->h * (m->theta * t->after[0] + (1.0 - m->theta) * t->before[0]);
  CpsVec3 from = cps_vec3_axpy(t->touch.point_a, piece_of(a, track->key_a)->geom.radius, t->touch.normal);
  CpsVec3 way = cps_vec3_sub(now_at(piece_of(a, track->key_a), t->spot_a.arc), from);
  return t->touch.gap + cps_vec3_dot(t->touch.normal, way) + m->h * t->surface[0];
}

static void look(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  Looking* l = data;
  const CpsContacts* c = &l->step->contacts;
  int64_t end = last * CHUNK < c->touch_count ? last * CHUNK : c->touch_count;
  for (int64_t i = first * CHUNK; i < end; ++i) {
    CpsStepContact* t = &c->contact[i];
    Sums* sums = &l->sums[i / CHUNK];
    t->gap_after = gap_after(l->step, t, &c->track[i]);
    sums->depth = fmax(sums->depth, -t->gap_after);
    sums->sunk = fmax(sums->sunk, fmin(t->touch.gap, 0.0) - t->gap_after);
  }
}

static void follow(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  CpsModel* model = data;
  for (int64_t i = first; i < last; ++i) model->type->follow(model, (int32_t)i);
}

CpsStatus cps_step_crossings(CpsStep* step, bool pushed) {
  CpsWorld* world = step->world;
  if (!step->lines) return CPS_OK;
  for (int i = 0; i < world->population_count; ++i) {
    CpsModel* model = world->population[i];
    if (model->type->follow) cps_pool_run(world->pool, model->count, follow, model);
  }
  return cps_step_compare(step, pushed);
}

CpsStatus cps_step_compare(CpsStep* step, bool pushed) {
  CpsWorld* world = step->world;
  if (!step->lines) return CPS_OK;
  int64_t chunks = (step->contacts.touch_count + CHUNK - 1) / CHUNK;
  Looking l = {step, CPS_TAKE_ZERO(step->scratch, Sums, chunks)};
  if (!l.sums) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for a step");
  cps_pool_run(world->pool, chunks, look, &l);
  step->depth = step->sunk = 0.0;
  for (int64_t k = 0; k < chunks; ++k) {
    step->depth = fmax(step->depth, l.sums[k].depth);
    step->sunk = fmax(step->sunk, l.sums[k].sunk);
  }
  return cps_step_passes(step, pushed);
}
