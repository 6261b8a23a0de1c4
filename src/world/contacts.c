// Step 2, continued: turns touches into contacts with a frame, friction, velocities and warm-start impulses.
//
// With g the gap, u- the relative velocity at the beginning of the step and e the coefficient of restitution, the contact
// law holds for u + shift. A touch becomes active under these conditions:
//
//   e > 0:  if g + h u_N- <= 0,   shift_N = e min(u_N-, 0)                       (Moreau; Renouf et al. 2005, eq. 22)  (1)
//   e = 0:  always,               shift_N = max(0, g + h (1 - theta) u_N-) / (h theta)                                 (2)
//
// The initial velocities of a line follow from its unknowns at its current position. If it rotates fast, they can be ten times those
// of its points; u_N- in (1) is then limited by the free velocity, which is computed from the points themselves.
//
// The minimum in (1) prevents a separating contact from being pulled back. (2) states g + h (theta u_N + (1 -
// theta) u_N-) >= 0 for an open gap: objects meet without penetration and without a bounce.
#include "world/immersed.h"

#include "contact/chain.h"
#include "core/error.h"

#include <math.h>

static const double NEAR = 0.5;     // predicted gap up to which a contact of a line is kept, relative to its radius
static const double FARTHER = 0.5;  // limit of the additional arm of an impulse, likewise
static const double HELD = 1e-3;    // part of a line from a held end that is stiffer than its middle by a factor of 1e9

typedef struct Filling {
  CpsStep* step;
  CpsStepContact* all;  // one for each touch
  CpsTrack* tracks;
  bool* keep;
} Filling;

static CpsSurface surface_of(const CpsWorld* world, int32_t member, const CpsSpot* spot) {
  CpsMember m = cps_world_member(world, member);
  return m.model->type->surface(m.model, m.index, spot);
}

static CpsSurface surface_b(const CpsWorld* world, const CpsStepContact* t) {
  if (t->b >= 0) return surface_of(world, t->b, &t->spot_b);
  const CpsObstacle* o = &world->obstacles[t->obstacle];
  return (CpsSurface){o->generation, o->material, o->mu, o->restitution, NAN, {1.0, 0.0, 0.0}};
}

// Friction: values of the objects override those of the pair; a value set for the whole world overrides all.
void cps_contact_friction(const CpsWorld* world, CpsStepContact* t) {
  CpsSurface a = surface_of(world, t->a, &t->spot_a), b = surface_b(world, t);
  CpsPair pair = cps_world_pair(world, a.material, b.material);
  double mu = cps_mix_mu(a.mu, b.mu);
  double restitution = cps_mix_restitution(a.restitution, b.restitution);
  t->mu = isnan(mu) ? pair.mu : mu;
  t->restitution = isnan(restitution) ? pair.restitution : restitution;
  t->across = 1.0;
  // axes of the ellipse: from the first side that has one
  const CpsSurface* grainy = !isnan(a.mu_across) ? &a : !isnan(b.mu_across) ? &b : NULL;
  CpsVec3 along = {1.0, 0.0, 0.0};
  if (!isnan(world->def.mu_everywhere)) {
    t->mu = world->def.mu_everywhere;
    grainy = NULL;
  }
  if (grainy && t->mu > 0.0) {
    along = grainy->grain;
    t->across = grainy->mu_across / t->mu;
  }
  t->frame = cps_mat3_frame(t->touch.normal, along);
}

static void to_frame(const CpsMat3* frame, CpsVec3 v, double out[3]) {
  cps_vec3_put(out, cps_mat3_apply(*frame, v));
}

CpsVec3 cps_contact_velocity(const CpsWorld* world, const CpsStepContact* t, CpsVelocity which) {
  CpsMember a = cps_world_member(world, t->a);
  CpsVec3 v = a.model->type->velocity(a.model, a.index, &t->spot_a, which);
  if (t->b < 0) return v;
  CpsMember b = cps_world_member(world, t->b);
  return cps_vec3_sub(v, b.model->type->velocity(b.model, b.index, &t->spot_b, which));
}

// `lead` affects the tangential velocities only: along the normal the gap counts, which mid-step arms close to second order.
static void find_velocities(const CpsStep* step, CpsVec3 lead, CpsStepContact* t) {
  const CpsWorld* world = step->world;
  CpsVec3 w = {0.0, 0.0, 0.0};
  if (t->obstacle >= 0) {
    const CpsObstacle* o = &world->obstacles[t->obstacle];
    w = cps_vec3_scale(-1.0, cps_obstacle_velocity(o, t->touch.point_b, t->touch.normal, step->model.h));
  }
  to_frame(&t->frame, w, t->surface);
  to_frame(&t->frame, cps_vec3_add(cps_contact_velocity(world, t, CPS_VELOCITY_BEFORE), w), t->before);
  to_frame(&t->frame, cps_vec3_add(cps_contact_velocity(world, t, CPS_VELOCITY_FREE), w), t->free);
  to_frame(&t->frame, cps_vec3_scale(1.0 / step->model.h, lead), t->lead);
  t->lead[0] = 0.0;
  for (int k = 1; k < 3; ++k) t->free[k] += t->lead[k];
}

void cps_contact_refresh(const CpsStep* step, CpsStepContact* t) {
  CpsVec3 free = cps_mat3_apply(t->frame, cps_contact_velocity(step->world, t, CPS_VELOCITY_FREE));
  cps_vec3_put(t->free, free);
  for (int k = 0; k < 3; ++k) t->free[k] += t->surface[k] + t->lead[k];
  if (t->soft >= 0) t->free[1] = t->free[2] = 0.0;
}

// Conditions (1) and (2); false: the touch is not active.
static bool find_shift(const CpsModelStep* m, CpsStepContact* t) {
  double g = t->touch.gap, u = t->before[0];
  if (t->immersed) {
    t->shift = 0.0;
    return true;
  }
  if (t->restitution > 0.0) {
    if (t->line) u = fmax(u, fmin(t->free[0], 0.0));
    t->shift = t->restitution * fmin(u, 0.0);
    return g + m->h * u <= 0.0;
  }
  t->shift = fmax(0.0, g + m->h * (1.0 - m->theta) * u) / (m->h * m->theta);
  return true;
}

// Lines move together, all at once with their support. Their reach in the world would turn everything nearby into a
// contact, so the criterion is whether they meet within the step, or nearly so.
static bool is_near(const CpsStep* step, const CpsCollider* a, const CpsCollider* b, const CpsStepContact* t) {
  if (!cps_is_line_piece(a) && !cps_is_line_piece(b)) return true;
  double size = cps_is_line_piece(a) ? a->geom->radius : b->geom->radius;
  double closing = step->model.h * fmin(fmin(t->before[0], t->free[0]), 0.0);
  return t->touch.gap + closing <= NEAR * size;
}

// Node weights of a side on a large member; false if the member is not large.
static bool lay_patch(const CpsStep* step, const CpsCollider* c, CpsPatchNode* nodes, CpsSpot* spot) {
  CpsMember m = cps_world_member(step->world, c->owner);
  if (!m.model->type->patch) return false;
  spot->patch_count = m.model->type->patch(m.model, m.index, spot->piece, nodes, &spot->point);
  spot->patch = nodes;
  return true;
}

void cps_touching_place(const CpsStep* step, const CpsColliderTouch* found, CpsStepContact* t) {
  const CpsCollider *a = &step->colliders[found->a], *b = &step->colliders[found->b];
  *t = (CpsStepContact){.a = a->owner, .b = b->owner, .obstacle = -1, .soft = -1, .touch = found->touch};
  t->spot_a = (CpsSpot){
      .point = found->touch.point_a, .arc = cps_chain_arc(a, &found->touch, 0), .piece = cps_key_piece(a->key)};
  t->spot_b = (CpsSpot){
      .point = found->touch.point_b, .arc = cps_chain_arc(b, &found->touch, 1), .piece = cps_key_piece(b->key)};
  if (b->owner < 0) t->obstacle = cps_key_place(b->key);
  if (!step->patches) return;
  CpsPatchNode* nodes = step->patches + 2 * CPS_PATCH_MOST * (found - step->found);
  bool large_a = lay_patch(step, a, nodes, &t->spot_a);
  bool large_b = b->owner >= 0 && lay_patch(step, b, nodes + CPS_PATCH_MOST, &t->spot_b);
  // both sides get the impulse at one place: otherwise angular momentum is lost
  if (large_a != large_b) cps_touching_join(step, t);
}

static bool is_held(const CpsStep* step, int32_t member, double arc) {
  if (member < 0) return true;
  const CpsMemberLine* line = cps_step_line(step, member);
  if (!line) return false;
  return (line->held[0] && arc < HELD * line->length) || (line->held[1] && arc > (1.0 - HELD) * line->length);
}

// Where two moving objects touch, an impulse must act on both at one place: otherwise angular momentum is lost. The
// place is half-way between the two points after the drift that counts for their momentum (model.h). A gap that
// closes within the step lengthens the arms by half of it, but never by more than half a radius.
static void meet(const CpsStep* step, double radius, CpsStepContact* t) {
  CpsMember a = cps_world_member(step->world, t->a), b = cps_world_member(step->world, t->b);
  CpsVec3 da = a.model->type->drift(a.model, &step->model, a.index, &t->spot_a);
  CpsVec3 db = b.model->type->drift(b.model, &step->model, b.index, &t->spot_b);
  CpsVec3 apart = cps_vec3_sub(cps_vec3_add(t->spot_b.point, db), cps_vec3_add(t->spot_a.point, da));
  double size = cps_vec3_norm(apart), way = fmin(0.5 * size, FARTHER * radius);
  if (!(size > 0.0)) return;
  t->spot_a.point = cps_vec3_axpy(t->spot_a.point, way / size, apart);
  t->spot_b.point = cps_vec3_axpy(t->spot_b.point, -way / size, apart);
}

static void write_track(const CpsStep* step, const CpsColliderTouch* found, const CpsStepContact* t, CpsTrack* track) {
  const CpsCollider* side[2] = {&step->colliders[found->a], &step->colliders[found->b]};
  *track = (CpsTrack){.key_a = side[0]->key,
                      .key_b = side[1]->key,
                      .feature = found->touch.feature,
                      .point = cps_vec3_scale(0.5, cps_vec3_add(found->touch.point_a, found->touch.point_b)),
                      .arc = {t->spot_a.arc, t->spot_b.arc}};
  for (int k = 0; k < 2; ++k) {
    if (!cps_is_line_piece(side[k])) continue;
    track->lines |= 1u << k;
    track->span = fmax(track->span, side[k]->arc[1] - side[k]->arc[0]);
  }
}

// Contacts of surfaces follow the others, and those of smooth surfaces come last, in the order of cps_step_contacts().
static void fill_surface(Filling* f, int64_t i) {
  const CpsStep* step = f->step;
  const int64_t smooth = (int64_t)step->found_count + step->surface_touch_count;
  const int64_t stops = smooth + step->smooth_touch_count, immersed = stops + step->stop_count;
  CpsStepContact* t = &f->all[i];
  // contacts inside a medium come last and have room for more nodes
  CpsPatchNode* nodes =
      step->patches +
      (i < immersed ? 2 * CPS_PATCH_MOST * i : 2 * CPS_PATCH_MOST * immersed + CPS_IMMERSED_NODES * (i - immersed));
  if (i >= immersed) {
    cps_immersed_contact(step, (int32_t)(i - immersed), nodes, t, &f->tracks[i]);
  } else if (i >= stops) {
    cps_stop_contact(step, (int32_t)(i - stops), nodes, t, &f->tracks[i]);
  } else if (i < smooth) {
    cps_surface_contact(step, &step->surface_touch[i - step->found_count], nodes, t, &f->tracks[i]);
  }
  cps_contact_friction(step->world, t);
  find_velocities(step, cps_vec3(0.0, 0.0, 0.0), t);
  f->keep[i] = find_shift(&step->model, t);
}

static void fill(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  Filling* f = data;
  const CpsStep* step = f->step;
  for (int64_t i = first; i < last; ++i) {
    if (i >= step->found_count) {
      fill_surface(f, i);
      continue;
    }
    const CpsColliderTouch* found = &step->found[i];
    const CpsCollider *a = &step->colliders[found->a], *b = &step->colliders[found->b];
    CpsStepContact* t = &f->all[i];
    cps_touching_place(step, found, t);
    const bool nodes = t->spot_a.patch_count + t->spot_b.patch_count > 0;
    if (b->owner >= 0 && !nodes && (cps_is_line_piece(a) || cps_is_line_piece(b))) {
      meet(step, cps_is_line_piece(a) ? a->geom->radius : b->geom->radius, t);
    }
    cps_contact_friction(step->world, t);
    find_velocities(step, found->lead, t);
    t->line = cps_is_line_piece(a) || cps_is_line_piece(b);
    // the support carries all of the load there: the impulse would dwarf all others, and the residual is relative to the largest
    const bool held = t->line && is_held(step, t->a, t->spot_a.arc) && is_held(step, t->b, t->spot_b.arc);
    t->far = held || !is_near(step, a, b, t) || cps_contact_is_ghost(step, a, b, t);
    f->keep[i] = find_shift(&step->model, t) && !t->far;
    if (f->keep[i]) write_track(step, found, t, &f->tracks[i]);
  }
}

// Asks the caller's function about each contact.
static CpsStatus ask(const CpsStep* step, CpsStepContact* t, bool* keep) {
  const CpsWorld* world = step->world;
  CpsContactQuery q = {
      .point = cps_vec3_scale(0.5, cps_vec3_add(t->touch.point_a, t->touch.point_b)),
      .normal = t->touch.normal,
      .mu = t->mu,
      .restitution = t->restitution,
  };
  cps_contact_sides(world, t, false, q.side);
  world->def.friction(&q, world->def.friction_data);
  if (!(q.mu >= 0.0) || !isfinite(q.mu) || !(q.restitution >= 0.0 && q.restitution <= 1.0)) {
    return cps_fail(step->error, CPS_BAD_DATA,
                    "the friction callback gave mu = %g and restitution = %g; they must be >= 0 and in [0, 1]", q.mu,
                    q.restitution);
  }
  // the ratio of the two friction coefficients stays
  t->mu = q.mu;
  t->restitution = q.restitution;
  *keep = find_shift(&step->model, t) && !t->far;
  return CPS_OK;
}

// The longest step in which no object drifts through a shape. Impulses act on theta u_N+ alone, and (2) has u_N+ >=
// 0: h (1 - theta) u_N- of the motion cannot be prevented by any contact. With restitution u_N+ = -e u_N-, which
// leaves h (1 - theta - theta e) u_N-. Deeper than the radius of the smaller shape counts as through.
static double find_longest(const CpsStep* step, const CpsStepContact* all, const bool* keep) {
  const CpsModelStep* m = &step->model;
  double longest = INFINITY;
  if (m->theta == 1.0) return longest;
  for (int32_t i = 0; i < step->found_count; ++i) {
    const CpsStepContact* t = &all[i];
    const double part = 1.0 - m->theta - m->theta * t->restitution;
    if (t->line || !keep[i] || !(t->before[0] < 0.0) || !(part > 0.0)) continue;
    const double room = t->touch.gap + cps_found_radius(step, &step->found[i]);
    if (room > 0.0) longest = fmin(longest, room / (part * -t->before[0]));
  }
  for (int32_t i = 0; i < step->surface_touch_count; ++i) {
    const CpsSurfaceTouch* touch = &step->surface_touch[i];
    const CpsStepContact* t = &all[step->found_count + i];
    if (touch->b >= 0 || t->restitution > 0.0 || !(t->before[0] < 0.0)) continue;
    const double room = touch->gap + (1.0 - CPS_SURFACE_THROUGH) * step->surfaces[touch->a].half;
    if (room > 0.0) longest = fmin(longest, room / ((1.0 - m->theta) * -t->before[0]));
  }
  return longest;
}

CpsStatus cps_step_contacts(CpsStep* step) {
  CpsWorld* world = step->world;
  CpsContacts* c = &step->contacts;
  const int32_t found = step->found_count, smooth = found + step->surface_touch_count;
  const int32_t stops = smooth + step->smooth_touch_count, n = stops + step->stop_count + step->immersed_count;
  int32_t count = 0;
  *c = (CpsContacts){0};
  const int32_t ties = cps_ties_blocks(world), own = cps_world_own_blocks(world), blocks = ties + own;
  world->contacts = (CpsContacts){0};
  world->aside.shown = false;
  cps_arena_reset(&world->touches);
  c->contact = CPS_TAKE(&world->touches, CpsStepContact, n + blocks);
  c->track = CPS_TAKE(step->arena, CpsTrack, n + blocks);
  c->tie = CPS_TAKE(&world->touches, CpsTieBlock, ties);
  c->own = CPS_TAKE(&world->touches, CpsOwnBlock, own);
  c->own_number = CPS_TAKE(&world->touches, int32_t, own);
  step->patches = NULL;
  if (cps_world_has_large(world)) {
    const int64_t inside = step->immersed_count,
                  nodes = 2 * CPS_PATCH_MOST * (n - inside) + CPS_IMMERSED_NODES * inside;
    step->patches = CPS_TAKE(&world->touches, CpsPatchNode, nodes);
    if (!step->patches) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for %d contacts", (int)n);
  }
  Filling filling = {step, c->contact, c->track, CPS_TAKE(step->scratch, bool, n)};
  if (!c->contact || !c->track || !c->tie || !c->own || !c->own_number || !filling.keep) {
    return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for %d contacts", (int)n);
  }
  for (int32_t i = smooth; i < stops; ++i) {
    if (cps_smooth_contact(step, &step->smooth_touch[i - smooth], &c->contact[i], &c->track[i])) continue;
    return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for %d contacts", (int)n);
  }
  cps_pool_run(world->pool, n, fill, &filling);
  step->longest = find_longest(step, c->contact, filling.keep);
  for (int32_t i = 0; i < n; ++i) {
    if (world->def.friction) {
      CpsStatus status = ask(step, &c->contact[i], &filling.keep[i]);
      if (status != CPS_OK) return status;
      if (filling.keep[i] && i < found) write_track(step, &step->found[i], &c->contact[i], &c->track[i]);
    }
    if (!filling.keep[i]) continue;
    if (count != i) {
      c->contact[count] = c->contact[i];
      c->track[count] = c->track[i];
    }
    count++;
  }
  c->touch_count = count;
  c->tie_count = ties;
  cps_step_ties(step);
  cps_step_own_blocks(step);
  c->count = count + blocks;
  count += ties;  // blocks of members have no warm start here
  double near = isfinite(world->smallest) ? 0.5 * world->smallest : 0.0;
  const CpsTrack* before = step->tracks ? step->tracks : world->tracks;
  int32_t before_count = step->tracks ? step->track_count : world->track_count;
  if (!cps_track_match(before, before_count, c->track, count, near, step->scratch)) {
    return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for %d contacts", (int)n);
  }
  return CPS_OK;
}
