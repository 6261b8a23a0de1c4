// Ties in a step: blocks of three rows that follow the contacts in the problem, with the law `bilateral`.
//
// The law holds for u + shift. With e = x_a - x_b at the beginning, u- the relative velocity then and B = h (theta h k + d),
// (1) and (2) of capstan/tie.h are
//
//   held:    shift = e/h + (1 - theta) u-                                                                            (1)
//   spring:  u + shift + C r = 0,  C = 1 / (B theta),  shift = (h k g / B + (1 - theta) u-) / theta                  (2)
//
// Rods and springs hold along one row only, which has the direction that the line has in the middle of the step: to second
// order the length then changes by h u. Their other two rows are empty but for a compliance without any load.
//
// Books: a tie that holds loses -(u+ + u-).r / 2. With u~ = theta u+ + (1 - theta) u- and D = h u~, (2) makes of that for a
// spring, g1 its elongation at the end,
//
//   stored k (g1^2 - g^2) / 2,  damping d h u~^2,  scheme (theta - 1/2) (k D^2 + (u+ - u-) r),
//   linearisation k ((g + D)^2 - g1^2) / 2                                                                           (3)
#include "world/world.h"

#include "contact/chain.h"
#include "core/error.h"
#include "geometry/collide.h"

#include <math.h>

static const double NEAR_RADII = 4.0;  // in radii of a line: tied objects do not touch within this distance of the tie

static bool is_active(const CpsTie* t) {
  return t->there && !t->broken;
}

// Whether tied objects may overlap: they do not touch until they have come apart.
bool cps_tie_joins(const CpsTie* t) {
  return t->there && !t->parted && !t->def.touch && !cps_tie_is_line(t);
}

static bool is_apart(const CpsWorld* world, const CpsTie* t) {
  double size = INFINITY;
  for (int s = 0; s < 2; ++s) {
    const int32_t member = cps_anchor_member(world, s == 0 ? &t->def.a : &t->def.b);
    if (member < 0) continue;
    const CpsMember m = cps_world_member(world, member);
    size = fmin(size, m.model->type->size(m.model, m.index));
  }
  return cps_tie_apart(world, t) > NEAR_RADII * size;
}

int32_t cps_ties_blocks(const CpsWorld* world) {
  int32_t count = 0;
  for (int32_t i = 0; i < world->tie_count; ++i) count += is_active(&world->ties[i]) ? world->ties[i].point_count : 0;
  return count;
}

static double turned_by(const CpsTie* t, double time, const CpsModelStep* step) {
  return t->def.motor == CPS_MOTOR_SPEED ? step->h * t->def.speed * cps_curve_mean(&t->def.curve, time, step) : 0.0;
}

// Applies the torque of a motor to the object it turns, and the opposite torque to the other side.
static void turn(CpsWorld* world, const CpsTie* t, const CpsModelStep* step) {
  CpsVec3 axis = t->axes[1][0].point;
  double torque = t->def.torque * cps_curve_mean(&t->def.curve, world->time, step);
  CpsAnchor from = t->def.b, to = from;
  to.point = cps_vec3_add(from.point, axis);
  CpsVec3 n = cps_vec3_sub(cps_anchor_now(world, &to), cps_anchor_now(world, &from));
  for (int s = 0; s < 2; ++s) {
    const CpsThing* thing = s == 0 ? &t->def.a.thing : &t->def.b.thing;
    CpsModel* model = cps_world_population(world, thing->kind);
    if (!model || !model->type->add_load) continue;
    model->type->add_load(model, thing->index, s == 0 ? torque : -torque, cps_vec3(0.0, 0.0, 0.0), n, false);
  }
}

// Tells the models the tie forces of the previous step on their members.
static bool tell_tensions(CpsWorld* world) {
  for (int32_t i = 0; i < world->population_count; ++i) {
    CpsModel* model = world->population[i];
    if (model->type->reserve_tensions && !model->type->reserve_tensions(model, 2 * world->tie_there)) return false;
  }
  for (int32_t i = 0; i < world->tie_count; ++i) {
    const CpsTie* t = &world->ties[i];
    if (!is_active(t)) continue;
    for (int s = 0; s < 2; ++s) {
      const CpsAnchor* at = s == 0 ? &t->def.a : &t->def.b;
      const int32_t member = cps_anchor_member(world, at);
      const CpsMember m = member < 0 ? (CpsMember){0} : cps_world_member(world, member);
      if (member < 0 || !m.model->type->tension) continue;
      m.model->type->tension(m.model, m.index, at, cps_vec3_scale(s == 0 ? 1.0 : -1.0, t->force));
    }
  }
  return true;
}

CpsStatus cps_ties_begin(CpsWorld* world, const CpsModelStep* step, CpsError* error) {
  if (!tell_tensions(world)) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for the forces of ties");
  int32_t lines = 0;
  for (int32_t i = 0; i < world->tie_count; ++i) {
    const CpsTie* t = &world->ties[i];
    if (!is_active(t)) continue;
    lines += cps_tie_is_line(t);
    if (t->def.motor == CPS_MOTOR_TORQUE) turn(world, t, step);
  }
  if (cps_soft_reserve(world->soft, lines)) return CPS_OK;
  return cps_fail(error, CPS_NO_MEMORY, "not enough memory for %d springs", (int)lines);
}

// One side of a block: its member (-1 if none), its point and, for points without a member, its velocity.
typedef struct Side {
  int32_t member, obstacle;
  CpsSpot spot;
  CpsVec3 now, velocity;
} Side;

static Side side_of(const CpsStep* step, const CpsTie* t, int s, int point, CpsPatchNode* patch) {
  const CpsWorld* world = step->world;
  CpsAnchor at = cps_tie_anchor(t, s, point, t->angle);
  Side out = {.member = cps_anchor_member(world, &at), .obstacle = -1};
  double by = turned_by(t, world->time, &step->model);
  if (out.member >= 0) {
    CpsMember m = cps_world_member(world, out.member);
    out.now = m.model->type->anchor(m.model, m.index, &at, &out.spot, patch);
    if (by == 0.0 || s == 0 || point < 2) return out;
    // a point that circles on a side with a pose: its velocity at mid-step
    CpsAnchor from = cps_tie_anchor(t, s, point, t->angle), to = cps_tie_anchor(t, s, point, t->angle + by);
    CpsAnchor middle = cps_tie_anchor(t, s, point, t->angle + 0.5 * by);
    CpsSpot before, after;
    m.model->type->anchor(m.model, m.index, &from, &before, NULL);
    m.model->type->anchor(m.model, m.index, &to, &after, NULL);
    m.model->type->anchor(m.model, m.index, &middle, &out.spot, patch);
    out.velocity = cps_vec3_scale(1.0 / step->model.h, cps_vec3_sub(after.point, before.point));
    out.spot.point = cps_vec3_scale(0.5, cps_vec3_add(before.point, after.point));
    return out;
  }
  CpsAnchor next = cps_tie_anchor(t, s, point, t->angle + by);
  out.now = at.point;
  CpsVec3 end = next.point;
  if (at.thing.kind == CPS_THING_OBSTACLE) {
    const CpsObstacle* o = &world->obstacles[at.thing.index];
    out.obstacle = at.thing.index;
    out.now = cps_pose_apply(o->now, at.point);
    end = cps_pose_apply(o->next, next.point);
  }
  out.velocity = cps_vec3_scale(1.0 / step->model.h, cps_vec3_sub(end, out.now));
  return out;
}

static bool is_line(const CpsStep* step, const Side* s) {
  if (s->member < 0) return false;
  const CpsMember m = cps_world_member(step->world, s->member);
  return m.model->type->line && s->spot.patch_count == 0;
}

// Gives the other points of a hinge or a weld the same arms on both sides. If both sides move as a whole, some of these rows are
// redundant, but exactly so only with equal arms. Otherwise W is nearly singular: impulses that nearly cancel become enormous, but
// their moments do not cancel, and rotations are blocked. The arms are those of the side with nodes, if there is one.
static void join_arms(const CpsStep* step, const CpsTie* t, int point, Side* a, Side* b) {
  if (point == 0 || a->member < 0 || b->member < 0) return;
  const bool soft[2] = {a->spot.patch_count > 0, b->spot.patch_count > 0};
  if (soft[0] == soft[1] && (soft[0] || (!is_line(step, a) && !is_line(step, b)))) return;
  CpsPatchNode none[CPS_PATCH_MOST];
  const Side one = side_of(step, t, 0, 0, none), two = side_of(step, t, 1, 0, none);
  if (soft[1]) {
    a->spot.point = cps_vec3_add(one.spot.point, cps_vec3_sub(b->spot.point, two.spot.point));
  } else {
    b->spot.point = cps_vec3_add(two.spot.point, cps_vec3_sub(a->spot.point, one.spot.point));
  }
}

static CpsVec3 velocity_of(const CpsWorld* world, const Side* s, CpsVelocity which) {
  if (s->member < 0) return s->velocity;
  CpsMember m = cps_world_member(world, s->member);
  return cps_vec3_add(m.model->type->velocity(m.model, m.index, &s->spot, which), s->velocity);
}

// Shift (1): a gap and its rate are removed by this step and the next together. To demand e = 0 at the end of this step alone, (e/h +
// (1 - theta) u-) / theta, is equivalent at theta = 1, but at 1/2 velocities would oscillate about their mean forever.
static double drawn(const CpsModelStep* m, double e, double before) {
  return e / m->h + (1.0 - m->theta) * before;
}

// The shift of a tie, (1), or (2) along its line.
static void set_shift(const CpsModelStep* m, const CpsTie* t, const CpsStepContact* c, CpsTieBlock* block,
                      CpsVec3* soft) {
  if (!cps_tie_is_line(t)) {
    const double e[3] = {block->apart.x, block->apart.y, block->apart.z};
    for (int k = 0; k < 3; ++k) block->shift[k] = drawn(m, e[k], c->before[k]);
    return;
  }
  *soft = cps_vec3(0.0, 1.0, 1.0);
  if (t->def.kind == CPS_TIE_ROD) {
    block->shift[0] = drawn(m, block->g, c->before[0]);
    return;
  }
  double B = m->h * (m->theta * m->h * t->def.stiffness + t->def.damping);
  block->shift[0] = (m->h * t->def.stiffness * block->g / B + (1.0 - m->theta) * c->before[0]) / m->theta;
  soft->x = soft->y = soft->z = sqrt(1.0 / (B * m->theta));
}

static void set_frame(const CpsModelStep* m, const CpsTie* t, CpsVec3 u, CpsTieBlock* block, CpsStepContact* c) {
  c->frame = cps_mat3_identity();
  if (!cps_tie_is_line(t)) return;
  CpsVec3 middle = cps_vec3_axpy(block->apart, 0.5 * m->h, u);
  CpsVec3 n = cps_vec3_norm(middle) > 0.0 ? cps_vec3_unit(middle) : cps_vec3(0.0, 0.0, 1.0);
  c->frame = cps_mat3_frame(n, cps_vec3(1.0, 0.0, 0.0));
  block->g = cps_vec3_norm(block->apart) - t->def.length;
  block->line = true;
}

static void put(double out[3], const CpsMat3* frame, CpsVec3 v, bool line) {
  cps_vec3_put(out, cps_mat3_apply(*frame, v));
  if (line) out[1] = out[2] = 0.0;
}

static void fill(const CpsStep* step, int32_t tie, int point, CpsTieBlock* block, CpsStepContact* c, CpsTrack* track) {
  const CpsWorld* world = step->world;
  const CpsTie* t = &world->ties[tie];
  *block = (CpsTieBlock){.tie = tie, .point = point};
  Side a = side_of(step, t, 0, point, block->patch[0]), b = side_of(step, t, 1, point, block->patch[1]);
  join_arms(step, t, point, &a, &b);
  CpsVec3 w = b.member < 0 ? cps_vec3_scale(-1.0, b.velocity) : cps_vec3(0.0, 0.0, 0.0);
  CpsVec3 before =
      cps_vec3_sub(velocity_of(world, &a, CPS_VELOCITY_BEFORE), velocity_of(world, &b, CPS_VELOCITY_BEFORE));
  CpsVec3 free = cps_vec3_sub(velocity_of(world, &a, CPS_VELOCITY_FREE), velocity_of(world, &b, CPS_VELOCITY_FREE));
  block->apart = cps_vec3_sub(a.now, b.now);
  // a point that circles on a member moves relative to it
  if (b.member >= 0) w = cps_vec3_scale(-1.0, b.velocity);
  *c = (CpsStepContact){.a = a.member, .b = b.member, .obstacle = b.obstacle, .soft = -1, .law = CPS_LAW_BILATERAL};
  c->spot_a = a.spot;
  c->spot_b = b.spot;
  c->touch.point_a = a.now;
  c->touch.point_b = b.now;
  c->across = 1.0;
  set_frame(&step->model, t, before, block, c);
  c->touch.normal = cps_vec3_get(c->frame.m);
  put(c->surface, &c->frame, w, block->line);
  put(c->before, &c->frame, before, block->line);
  put(c->free, &c->frame, free, block->line);
  CpsVec3 soft = {0.0, 0.0, 0.0};
  set_shift(&step->model, t, c, block, &soft);
  if (block->line) {
    int32_t first = cps_world_member_count(world) - world->soft->model.count, k = step->contacts.soft_count;
    c->soft = first + k;
    world->soft->root[k] = soft;
  }
  // no contact has an obstacle on its first side, so ties come after all contacts
  *track = (CpsTrack){.key_a = cps_key(CPS_THING_OBSTACLE, tie, t->generation, point), .point = a.now};
}

void cps_step_ties(CpsStep* step) {
  const CpsWorld* world = step->world;
  CpsContacts* c = &step->contacts;
  int32_t k = 0;
  for (int32_t i = 0; i < world->tie_count; ++i) {
    if (!is_active(&world->ties[i])) continue;
    for (int p = 0; p < world->ties[i].point_count; ++p, ++k) {
      int32_t at = c->touch_count + k;
      fill(step, i, p, &c->tie[k], &c->contact[at], &c->track[at]);
      c->soft_count += c->contact[at].soft >= 0;
    }
  }
}

// Work of a tie, (3).
void cps_tie_work(const CpsStep* step, const CpsStepContact* c, const CpsTieBlock* block, CpsTieWork* work) {
  const CpsTie* t = &step->world->ties[block->tie];
  const CpsModelStep* m = &step->model;
  if (t->def.kind != CPS_TIE_SPRING) {
    for (int k = 0; k < 3; ++k) work->ties -= 0.5 * (c->after[k] + c->before[k]) * c->r[k];
    return;
  }
  double u = m->theta * c->after[0] + (1.0 - m->theta) * c->before[0], D = m->h * u;
  double end = block->g + D;
  work->damping += t->def.damping * m->h * u * u;
  work->scheme += (m->theta - 0.5) * (t->def.stiffness * D * D + (c->after[0] - c->before[0]) * c->r[0]);
  work->linearisation += 0.5 * t->def.stiffness * end * end;
}

static double stored_in(const CpsWorld* world, const CpsTie* t) {
  CpsVec3 d = cps_vec3_sub(cps_anchor_now(world, &t->def.a), cps_anchor_now(world, &t->def.b));
  double g = cps_vec3_norm(d) - t->def.length;
  return 0.5 * t->def.stiffness * g * g;
}

double cps_ties_stored(const CpsWorld* world) {
  double sum = 0.0;
  for (int32_t i = 0; i < world->tie_count; ++i) {
    const CpsTie* t = &world->ties[i];
    if (is_active(t) && t->def.kind == CPS_TIE_SPRING) sum += stored_in(world, t);
  }
  return sum;
}

// Stores the forces of the step and breaks overloaded ties, with their springs.
void cps_ties_end(CpsStep* step, double begun) {
  CpsWorld* world = step->world;
  const CpsContacts* c = &step->contacts;
  double h = step->model.h, freed = 0.0;
  for (int32_t i = 0; i < world->tie_count; ++i) {
    world->ties[i].force = world->ties[i].torque = cps_vec3(0.0, 0.0, 0.0);
    world->ties[i].residual = 0.0;
  }
  for (int32_t k = 0; k < c->tie_count; ++k) {
    const CpsStepContact* block = &c->contact[c->touch_count + k];
    const CpsStepContact* first = &c->contact[c->touch_count + k - c->tie[k].point];
    CpsTie* t = &world->ties[c->tie[k].tie];
    CpsVec3 r = cps_mat3_apply_transposed(block->frame, cps_vec3(block->r[0], block->r[1], block->r[2]));
    CpsVec3 f = cps_vec3_scale(1.0 / h, r);
    t->force = cps_vec3_add(t->force, f);
    t->torque = cps_vec3_add(t->torque, cps_vec3_cross(cps_vec3_sub(block->touch.point_a, first->touch.point_a), f));
    t->residual = fmax(t->residual, block->residual);
  }
  for (int32_t i = 0; i < world->tie_count; ++i) {
    CpsTie* t = &world->ties[i];
    if (t->there && t->broken) t->parted = t->parted || is_apart(world, t);
    if (!is_active(t)) continue;
    t->angle += turned_by(t, begun, &step->model);
    if (t->def.kind == CPS_TIE_SPRING) world->energy.linearisation -= stored_in(world, t);
    if (!(cps_vec3_norm(t->force) > t->def.breaking)) continue;
    if (t->def.kind == CPS_TIE_SPRING) freed += stored_in(world, t);
    t->broken = true;
    step->info.broken++;
  }
  world->energy.ties += freed;
}

static bool is_of(const CpsCollider* c, const CpsAnchor* a) {
  return cps_key_kind(c->key) == a->thing.kind && cps_key_place(c->key) == a->thing.index;
}

// Whether a place of a surface is near enough to the tie to be exempt from contact with the other side.
static bool is_near(const CpsStep* step, const CpsTie* t, int side, CpsVec3 place) {
  const CpsVec3 at = cps_anchor_now(step->world, side == 0 ? &t->def.a : &t->def.b);
  return cps_vec3_norm(cps_vec3_sub(place, at)) <= t->buried[side];
}

static bool is_tied_side(const CpsStep* step, const CpsCollider* c, const CpsTie* t, int side) {
  const CpsAnchor* a = side == 0 ? &t->def.a : &t->def.b;
  if (!is_of(c, a)) return false;
  if (c->node) return is_near(step, t, side, c->centre);
  if (c->arc[1] <= c->arc[0]) return true;
  const CpsMember m = cps_world_member(step->world, c->owner);
  double near = NEAR_RADII * m.model->type->size(m.model, m.index) + (c->arc[1] - c->arc[0]) + t->buried[side];
  return a->s >= c->arc[0] - near && a->s <= c->arc[1] + near;
}

// Whether the axis of a piece of a line enters the other side.
static bool is_inside(const CpsStep* step, const CpsCollider* piece, const CpsAnchor* other) {
  CpsTouch touches[CPS_TOUCH_MAX];
  for (int32_t i = 0; i < step->collider_count; ++i) {
    const CpsCollider* c = &step->colliders[i];
    if (!is_of(c, other) || cps_is_line_piece(c) || c->node) continue;
    const int count = cps_collide(piece->geom, &piece->pose, c->geom, &c->pose, 0.0, touches);
    for (int k = 0; k < count; ++k) {
      if (touches[k].gap < -piece->geom->radius) return true;
    }
  }
  return false;
}

// Measures the part of a line that starts inside the other side, like a rope tied to the centre of a ball. This part, from the tie to
// the surface, is exempt from contact: contacts would push it out of the ball while the tie holds it in.
static void measure(const CpsStep* step, CpsTie* t, int side) {
  const CpsAnchor *a = side == 0 ? &t->def.a : &t->def.b, *other = side == 0 ? &t->def.b : &t->def.a;
  int32_t first = 0, last = 0, at;
  while (first < step->collider_count && !is_of(&step->colliders[first], a)) first++;
  if (first == step->collider_count || !cps_is_line_piece(&step->colliders[first])) return;
  for (last = first; last < step->collider_count && is_of(&step->colliders[last], a); ++last) continue;
  for (at = first; at + 1 < last && step->colliders[at].arc[1] < a->s; ++at) continue;
  for (int32_t i = at; i < last && is_inside(step, &step->colliders[i], other); ++i) {
    t->buried[side] = fmax(t->buried[side], step->colliders[i].arc[1] - a->s);
    if ((step->colliders[i].joined & 2) == 0) break;
  }
  for (int32_t i = at; i >= first && is_inside(step, &step->colliders[i], other); --i) {
    t->buried[side] = fmax(t->buried[side], a->s - step->colliders[i].arc[0]);
    if ((step->colliders[i].joined & 1) == 0) break;
  }
}

// Depth of the centre of a ball in the other side of a tie, m; 0 if it is outside.
static double depth_in(const CpsStep* step, const CpsGeom* ball, CpsVec3 centre, const CpsAnchor* other) {
  CpsTouch touches[CPS_TOUCH_MAX];
  const CpsPose pose = {centre, {1.0, 0.0, 0.0, 0.0}};
  double depth = 0.0;
  for (int32_t i = 0; i < step->collider_count; ++i) {
    const CpsCollider* c = &step->colliders[i];
    if (!is_of(c, other) || cps_is_line_piece(c) || c->node) continue;
    const int count = cps_collide(ball, &pose, c->geom, &c->pose, 0.0, touches);
    for (int k = 0; k < count; ++k) depth = fmax(depth, -touches[k].gap - ball->radius);
  }
  return depth;
}

// Exempts from contact the part of a surface that starts inside the other side, and one element next to the tie,
// which is drawn into it.
static void measure_surface(const CpsStep* step, CpsTie* t, int side) {
  const CpsAnchor *a = side == 0 ? &t->def.a : &t->def.b, *other = side == 0 ? &t->def.b : &t->def.a;
  const int32_t member = cps_anchor_member(step->world, a);
  if (member < 0) return;
  const CpsMember m = cps_world_member(step->world, member);
  CpsAnchor element = *a;
  CpsError none;
  double size = 0.0, inside = 0.0;
  if (!m.model->type->surface_mesh || !m.model->type->turning) return;
  if (m.model->type->turning(m.model, m.index, &element, &size, &none) != CPS_OK) return;
  const CpsVec3 at = cps_anchor_now(step->world, a), hold = cps_anchor_now(step->world, other);
  for (int32_t i = 0; i < step->collider_count; ++i) {
    const CpsCollider* c = &step->colliders[i];
    if (!c->node || !is_of(c, a)) continue;
    if (inside == 0.0) inside = depth_in(step, c->geom, hold, other);
    const double far = cps_vec3_norm(cps_vec3_sub(c->centre, at));
    if (far > inside && depth_in(step, c->geom, c->centre, other) > 0.0) inside = far;
  }
  t->buried[side] = size + inside;
}

static void measure_all(const CpsStep* step) {
  for (int32_t i = 0; i < step->world->tie_count; ++i) {
    CpsTie* t = &step->world->ties[i];
    if (t->measured || !cps_tie_joins(t)) continue;
    t->measured = true;
    for (int side = 0; side < 2; ++side) {
      measure(step, t, side);
      measure_surface(step, t, side);
    }
  }
}

bool cps_colliders_are_tied(const CpsStep* step, const CpsCollider* a, const CpsCollider* b) {
  const CpsWorld* world = step->world;
  for (int32_t i = 0; i < world->tie_count; ++i) {
    const CpsTie* t = &world->ties[i];
    if (!cps_tie_joins(t)) continue;
    if (is_tied_side(step, a, t, 0) && is_tied_side(step, b, t, 1)) return true;
    if (is_tied_side(step, a, t, 1) && is_tied_side(step, b, t, 0)) return true;
  }
  return false;
}

bool cps_pair_is_tied(const CpsStep* step, int32_t member, const CpsCollider* collider, const CpsVec3* place) {
  const CpsWorld* world = step->world;
  for (int32_t i = 0; i < world->tie_count; ++i) {
    const CpsTie* t = &world->ties[i];
    if (!cps_tie_joins(t)) continue;
    for (int s = 0; s < 2; ++s) {
      const CpsAnchor* one = s == 0 ? &t->def.a : &t->def.b;
      if (cps_anchor_member(world, one) != member || (place && !is_near(step, t, s, *place))) continue;
      if (is_tied_side(step, collider, t, 1 - s)) return true;
    }
  }
  return false;
}

CpsStatus cps_step_drop_tied(CpsStep* step) {
  CpsColliderTouch* kept = CPS_TAKE(step->scratch, CpsColliderTouch, step->found_count);
  if (!kept) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory to detect contacts");
  int32_t count = 0;
  measure_all(step);
  for (int32_t i = 0; i < step->found_count; ++i) {
    const CpsColliderTouch* f = &step->found[i];
    if (!cps_colliders_are_tied(step, &step->colliders[f->a], &step->colliders[f->b])) kept[count++] = *f;
  }
  step->found = kept;
  step->found_count = count;
  return CPS_OK;
}
