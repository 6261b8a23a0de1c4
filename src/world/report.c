// What the last step's contacts were.
#include "world/world.h"

int32_t cps_world_contact_count(const CpsWorld* world) {
  return world ? world->contacts.touch_count : 0;
}

static CpsVec3 row(const CpsMat3* frame, int i) {
  return cps_vec3(frame->m[3 * i], frame->m[3 * i + 1], frame->m[3 * i + 2]);
}

void cps_member_name(const CpsWorld* world, int32_t member, CpsBodyId* body, CpsFibreId* fibre, CpsSheetId* sheet) {
  CpsThing thing = cps_member_thing(world, member);
  if (thing.kind == CPS_THING_BODY) *body = (CpsBodyId){thing.index, thing.generation};
  if (thing.kind == CPS_THING_FIBRE) *fibre = (CpsFibreId){thing.index, thing.generation};
  if (thing.kind == CPS_THING_SHEET) *sheet = (CpsSheetId){thing.index, thing.generation};
}

void cps_contact_name(const CpsWorld* world, const CpsTouching* t, CpsContact* out) {
  cps_member_name(world, t->a, &out->body_a, &out->fibre_a, &out->sheet_a);
  cps_member_name(world, t->b, &out->body_b, &out->fibre_b, &out->sheet_b);
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
