// After a step: did fibres go through each other, or move farther than the search for contacts looked? And how deep do
// they sink into each other and into obstacles?
//
// Contacts bound the motion to first order, u_N >= -gap / h, but rods turn and bend while they move. For each contact of
// two fibres the points of the pieces that touched, x_A and x_B, tell whether a closer look is needed:
//
//   n.(x_A - x_B) < D / 2   at the end of the step,   D = gap + r_A + r_B                                           (1)
//
// and then the pieces are compared as they were and as they are (contact/crossing.c).
//
// What no contact tells is in unseen.c.
#include "world/world.h"

#include "core/error.h"

#include <math.h>

enum { CHUNK = 256 };

typedef struct Sums {
  int32_t crossings;
  double depth, sunk;
} Sums;

typedef struct Looking {
  const CpsStep* step;
  Sums* sums;  // of each chunk of contacts
} Looking;

static const CpsFibrePiece* piece_of(const CpsFibre* f, uint64_t key) {
  return &f->pieces[cps_key_piece(key)];
}

CpsMovedPiece cps_piece_moved(const CpsFibrePiece* p) {
  return (CpsMovedPiece){{p->from[0], p->from[1]}, {p->to[0], p->to[1]}, {(p->joined & 1) == 0, (p->joined & 2) == 0}};
}

// Where the point of a piece at an arc length is now.
static CpsVec3 now_at(const CpsFibrePiece* p, double arc) {
  double place = (arc - p->arc[0]) / (p->arc[1] - p->arc[0]);
  return cps_vec3_axpy(p->to[0], place, cps_vec3_sub(p->to[1], p->to[0]));
}

// Distance of the points of two fibres that touched along the normal of then; infinite if they are none.
static double distance_now(const CpsWorld* world, const CpsTouching* t, const CpsTrack* track) {
  const CpsFibre *a = cps_world_member_fibre(world, t->a), *b = t->b >= 0 ? cps_world_member_fibre(world, t->b) : NULL;
  if (!a || !b) return INFINITY;
  CpsVec3 x = now_at(piece_of(a, track->key_a), t->spot_a.arc), y = now_at(piece_of(b, track->key_b), t->spot_b.arc);
  return cps_vec3_dot(t->touch.normal, cps_vec3_sub(x, y));
}

// (1)
static bool is_wrong(const CpsWorld* world, const CpsTouching* t, double distance) {
  if (!isfinite(distance)) return false;
  return distance < 0.5 * (t->touch.gap + cps_world_member_fibre(world, t->a)->radius +
                           cps_world_member_fibre(world, t->b)->radius);
}

bool cps_contact_is_wrong(const CpsWorld* world, const CpsTouching* t, const CpsTrack* track) {
  return is_wrong(world, t, distance_now(world, t, track));
}

static bool crossed(const CpsWorld* world, const CpsTouching* t, const CpsTrack* track, double distance) {
  if (!is_wrong(world, t, distance)) return false;
  const CpsFibre *a = cps_world_member_fibre(world, t->a), *b = cps_world_member_fibre(world, t->b);
  CpsMovedPiece one = cps_piece_moved(piece_of(a, track->key_a));
  CpsMovedPiece other = cps_piece_moved(piece_of(b, track->key_b));
  return cps_pieces_crossed(&one, &other);
}

// The gap at the end of the step along the normal of the beginning. Only fibres leave the straight way by much.
static double gap_after(const CpsStep* step, const CpsTouching* t, const CpsTrack* track, double distance) {
  const CpsWorld* world = step->world;
  const CpsModelStep* m = &step->model;
  const CpsFibre* a = cps_world_member_fibre(world, t->a);
  if (isfinite(distance)) return distance - a->radius - cps_world_member_fibre(world, t->b)->radius;
  if (!a || t->obstacle < 0) return t->touch.gap + m->h * (m->theta * t->after[0] + (1.0 - m->theta) * t->before[0]);
  CpsVec3 from = cps_vec3_axpy(t->touch.point_a, a->radius, t->touch.normal);
  CpsVec3 way = cps_vec3_sub(now_at(piece_of(a, track->key_a), t->spot_a.arc), from);
  return t->touch.gap + cps_vec3_dot(t->touch.normal, way) + m->h * t->surface[0];
}

static void look(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  Looking* l = data;
  const CpsContacts* c = &l->step->contacts;
  int64_t end = last * CHUNK < c->count ? last * CHUNK : c->count;
  for (int64_t i = first * CHUNK; i < end; ++i) {
    CpsTouching* t = &c->contact[i];
    Sums* sums = &l->sums[i / CHUNK];
    double distance = distance_now(l->step->world, t, &c->track[i]);
    t->gap_after = gap_after(l->step, t, &c->track[i], distance);
    sums->crossings += crossed(l->step->world, t, &c->track[i], distance);
    sums->depth = fmax(sums->depth, -t->gap_after);
    sums->sunk = fmax(sums->sunk, fmin(t->touch.gap, 0.0) - t->gap_after);
  }
}

static void follow(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  for (int64_t i = first; i < last; ++i) cps_fibre_follow(&((CpsFibres*)data)->fibres[i]);
}

// Contacts that crossed, as pieces.
int32_t cps_contacts_crossed(const CpsStep* step, CpsCrossing* list) {
  const CpsContacts* c = &step->contacts;
  int32_t count = 0;
  for (int32_t i = 0; i < c->count; ++i) {
    const CpsTrack* track = &c->track[i];
    double distance = distance_now(step->world, &c->contact[i], track);
    if (!crossed(step->world, &c->contact[i], track, distance)) continue;
    list[count++] = cps_crossing(cps_key_place(track->key_a), cps_key_piece(track->key_a), cps_key_place(track->key_b),
                                 cps_key_piece(track->key_b));
  }
  return count;
}

CpsStatus cps_step_crossings(CpsStep* step, bool pushed) {
  CpsWorld* world = step->world;
  if (world->fibres->piece_count == 0) return CPS_OK;
  int64_t chunks = (step->contacts.count + CHUNK - 1) / CHUNK;
  Looking l = {step, CPS_TAKE_ZERO(step->scratch, Sums, chunks)};
  if (!l.sums) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for a step");
  cps_pool_run(world->pool, world->fibres->count, follow, world->fibres);
  cps_pool_run(world->pool, chunks, look, &l);
  step->depth = step->sunk = 0.0;
  step->crossed = 0;
  for (int64_t k = 0; k < chunks; ++k) {
    step->crossed += l.sums[k].crossings;
    step->depth = fmax(step->depth, l.sums[k].depth);
    step->sunk = fmax(step->sunk, l.sums[k].sunk);
  }
  int32_t places = step->crossed;
  if (places > 1) {
    CpsCrossing* list = CPS_TAKE(step->scratch, CpsCrossing, places);
    if (!list) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for a step");
    places = cps_crossing_places(list, cps_contacts_crossed(step, list));
  }
  if (pushed) step->pushed = places;
  step->info.crossings = pushed ? places : step->pushed + places;
  return CPS_OK;
}
