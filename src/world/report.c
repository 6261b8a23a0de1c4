// What the last step's contacts were, and the problem they made.
#include "world/world.h"

#include "core/error.h"

#include <stdlib.h>

int32_t cps_world_contact_count(const CpsWorld* world) {
  return world ? world->contacts.touch_count : 0;
}

static CpsVec3 row(const CpsMat3* frame, int i) {
  return cps_vec3(frame->m[3 * i], frame->m[3 * i + 1], frame->m[3 * i + 2]);
}

void cps_member_name(const CpsWorld* world, int32_t member, CpsBodyId* body, CpsFibreId* fibre) {
  CpsThing thing = cps_member_thing(world, member);
  if (thing.kind == CPS_THING_BODY) *body = (CpsBodyId){thing.index, thing.generation};
  if (thing.kind == CPS_THING_FIBRE) *fibre = (CpsFibreId){thing.index, thing.generation};
}

void cps_contact_name(const CpsWorld* world, const CpsTouching* t, CpsContact* out) {
  cps_member_name(world, t->a, &out->body_a, &out->fibre_a);
  cps_member_name(world, t->b, &out->body_b, &out->fibre_b);
  out->s_a = t->spot_a.arc;
  out->s_b = t->spot_b.arc;
  if (t->obstacle >= 0) out->obstacle = (CpsObstacleId){t->obstacle, world->obstacles[t->obstacle].generation};
}

CpsContact cps_world_contact(const CpsWorld* world, int32_t i) {
  CpsContact out = {0};
  if (!world || i < 0 || i >= world->contacts.touch_count) return out;
  const CpsTouching* t = &world->contacts.contact[i];
  cps_contact_name(world, t, &out);
  out.feature = t->touch.feature;
  out.point_a = t->touch.point_a;
  out.point_b = t->touch.point_b;
  out.normal = row(&t->frame, 0);
  out.tangent1 = row(&t->frame, 1);
  out.tangent2 = row(&t->frame, 2);
  out.gap = t->touch.gap;
  out.mu = t->mu;
  out.mu_across = t->mu * t->across;
  out.restitution = t->restitution;
  for (int k = 0; k < 3; ++k) out.impulse[k] = t->r[k], out.velocity[k] = t->after[k];
  out.residual = t->residual;
  out.status = (CpsContactStatus)t->status;
  out.island = t->island;
  return out;
}

int32_t cps_world_pass_count(const CpsWorld* world) {
  return world ? world->pass_count : 0;
}

static double middle_of(const CpsFibre* f, int32_t piece) {
  return piece < f->piece_count ? 0.5 * (f->pieces[piece].arc[0] + f->pieces[piece].arc[1]) : 0.0;
}

CpsPass cps_world_pass(const CpsWorld* world, int32_t i) {
  CpsPass out = {0};
  if (!world || i < 0 || i >= world->pass_count) return out;
  const CpsCrossing* c = &world->passes[i];
  const CpsFibre* fibres = world->fibres->fibres;
  int32_t other = c->fibre[1];
  out.fibre = (CpsFibreId){c->fibre[0], fibres[c->fibre[0]].generation};
  out.s = middle_of(&fibres[c->fibre[0]], c->piece[0]);
  out.point = c->point;
  if (other < world->pass_fibres) {
    out.other = (CpsFibreId){other, fibres[other].generation};
    out.s_other = middle_of(&fibres[other], c->piece[1]);
    return out;
  }
  other -= world->pass_fibres;
  if (other < world->pass_bodies) {
    out.body = (CpsBodyId){other, world->rigid->bodies[other].generation};
    return out;
  }
  other -= world->pass_bodies;
  out.obstacle = (CpsObstacleId){other, world->obstacles[other].generation};
  return out;
}

// The arrays of a problem of all islands in the order of the contacts.
typedef struct Whole {
  double *mu, *b, *shift, *r, *G;
  CpsLaw* law;
  int64_t* start;
  int32_t *body, *dofs;
} Whole;

static bool take(Whole* w, CpsArena* arena, const CpsContacts* c, int32_t touched) {
  int64_t n = c->count;
  w->mu = CPS_TAKE(arena, double, n);
  w->law = CPS_TAKE(arena, CpsLaw, n);
  w->b = CPS_TAKE(arena, double, 3 * n);
  w->shift = CPS_TAKE(arena, double, 3 * n);
  w->r = CPS_TAKE(arena, double, 3 * n);
  w->G = CPS_TAKE(arena, double, n > 0 ? c->value_start[n] : 0);
  w->start = CPS_TAKE(arena, int64_t, n + 1);
  w->body = CPS_TAKE(arena, int32_t, n > 0 ? c->term_start[n] : 0);
  w->dofs = CPS_TAKE(arena, int32_t, touched);
  return w->mu && w->law && w->b && w->shift && w->r && w->G && w->start && w->body && w->dofs;
}

static void copy_contact(Whole* w, const CpsContacts* c, int32_t i, int32_t from, int64_t* term, int64_t* value) {
  int32_t first = c->island_body_start[c->contact[i].island];
  w->mu[i] = c->mu[from];
  w->law[i] = c->law ? c->law[from] : CPS_LAW_COULOMB;
  for (int k = 0; k < 3; ++k) {
    w->b[3 * i + k] = c->b[3 * from + k];
    w->shift[3 * i + k] = c->shift[3 * from + k];
    w->r[3 * i + k] = c->r[3 * from + k];
  }
  w->start[i] = *term;
  for (int64_t t = c->term_start[from]; t < c->term_start[from + 1]; ++t) w->body[(*term)++] = first + c->term_body[t];
  for (int64_t v = c->value_start[from]; v < c->value_start[from + 1]; ++v) w->G[(*value)++] = c->G[v];
}

static CpsStatus build(const CpsContacts* c, CpsArena* arena, CpsProblem** problem, double* r, CpsError* error) {
  int32_t touched = c->count > 0 ? c->island_body_start[c->island_count] : 0;
  Whole w;
  int32_t* place = CPS_TAKE(arena, int32_t, c->count);
  if (!place || !take(&w, arena, c, touched)) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a problem");
  for (int32_t i = 0; i < c->count; ++i) place[c->order[i]] = i;
  int64_t term = 0, value = 0;
  for (int32_t i = 0; i < c->count; ++i) copy_contact(&w, c, i, place[i], &term, &value);
  w.start[c->count] = term;
  for (int32_t i = 0; i < touched; ++i) w.dofs[i] = c->island_dofs[i];
  CpsContactsDef def = cps_contacts_def_default();
  def.count = c->count;
  def.mu = w.mu;
  def.laws = c->law ? w.law : NULL;
  def.b = w.b;
  def.shift = w.shift;
  def.dof_count = touched > 0 ? c->z_start[touched] : 0;
  CpsFactoredForm form = {touched, w.dofs, w.start, w.body, w.G, w.G};
  CpsStatus status = cps_problem_from_bodies(&def, &form, problem, error);
  for (int64_t i = 0; status == CPS_OK && r && i < 3 * (int64_t)c->count; ++i) r[i] = w.r[i];
  return status;
}

CpsStatus cps_world_problem(const CpsWorld* world, CpsProblem** problem, double* r, CpsError* error) {
  if (!world || !problem) return cps_fail(error, CPS_BAD_ARGUMENT, "world or problem is NULL");
  if (world->contacts.count > 0 && !world->contacts.G) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "the last step failed: it left no problem");
  }
  CpsArena arena = {0};
  CpsStatus status = build(&world->contacts, &arena, problem, r, error);
  cps_arena_free(&arena);
  return status;
}
