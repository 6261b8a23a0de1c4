// What the last step's contacts were.
#include "world/world.h"

int32_t cps_world_contact_count(const CpsWorld* world) {
  return world ? cps_world_touching_count(world) : 0;
}

static CpsVec3 row(const CpsMat3* frame, int i) {
  return cps_vec3(frame->m[3 * i], frame->m[3 * i + 1], frame->m[3 * i + 2]);
}

static void locate_on_obstacle(const CpsWorld* world, int32_t place, const CpsSpot* spot, bool advanced,
                               CpsSide* side) {
  const CpsObstacle* o = &world->obstacles[place];
  CpsPose pose = advanced ? cps_motion_pose(&o->motion, &o->start, world->time - world->last_h) : o->now;
  side->thing = (CpsThing){CPS_THING_OBSTACLE, place, o->generation};
  side->material = o->material;
  side->part = spot->piece;
  side->place = cps_pose_apply_back(pose, side->point);
}

CpsSide cps_side_of(const CpsWorld* world, int32_t member, int32_t obstacle, const CpsSpot* spot, CpsVec3 point,
                    bool advanced) {
  CpsSide side = {.thing = cps_member_thing(world, member), .point = point};
  if (member < 0) {
    if (obstacle >= 0) locate_on_obstacle(world, obstacle, spot, advanced, &side);
    return side;
  }
  CpsMember m = cps_world_member(world, member);
  side.material = m.model->type->surface(m.model, m.index, spot).material;
  if (m.model->type->locate) m.model->type->locate(m.model, m.index, spot, advanced, &side);
  return side;
}

void cps_contact_sides(const CpsWorld* world, const CpsStepContact* t, bool advanced, CpsSide side[2]) {
  side[0] = cps_side_of(world, t->a, -1, &t->spot_a, t->touch.point_a, advanced);
  side[1] = cps_side_of(world, t->b, t->obstacle, &t->spot_b, t->touch.point_b, advanced);
}

CpsContact cps_world_contact(const CpsWorld* world, int32_t i) {
  CpsContact out = {0};
  if (!world || i < 0 || i >= cps_world_touching_count(world)) return out;
  const CpsStepContact* t = cps_world_touching(world, i);
  cps_contact_sides(world, t, true, out.side);
  out.feature = t->touch.feature;
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

CpsPass cps_world_pass(const CpsWorld* world, int32_t i) {
  return world && i >= 0 && i < world->pass_count ? world->passes[i] : (CpsPass){0};
}
