// At the end of an attempt: finds what entered a smooth surface during the step, among nodes of other surfaces, shapes and lines.
//
// Contacts bound displacements to first order, and only between objects that were near each other at the beginning. The actual
// motion is therefore checked. Every node moves along a straight line. The step is sampled at so many times that nothing moves
// farther between two of them than a fraction of the reach. At each time, the field is rebuilt at the current positions and
// tested. An object that came nearer than a fraction of the thickness becomes a contact of the next attempt, with the normal and
// the gap of that touch. One that came so near that it counts as passed through asks for a shorter step (judge.c). Objects that
// were equally deep at the beginning are left to their contacts.
//
// Not guaranteed: an object that enters and leaves the surface between two samples is missed. The guard catches it (impacts.c,
// collider.h).
#include "world/world.h"

#include "core/error.h"

#include <math.h>
#include <string.h>

enum { TIMES_MOST = 64, ROUND = 16 };
enum {
  SHALLOW = 2
};  // rounds that add contacts for shallow meetings: a tip that is not flat is met in each of them, slightly deeper
static const double CLOSE = 0.25;    // relative to the thickness: objects nearer than this have met;
static const double NEARER = 0.04;   // the same for shapes;
static const double THROUGH = 0.02;  // nearer than this counts as passed through,
static const double DEEP = 0.02;     // or deeper than this part of the reach, if there is a guard behind
static const double STRIDE = 0.5;    // between two times, relative to the reach or to the size of a shape
static const double STILL = 0.02;    // relative to half the thickness: displacements below this are ignored

// A moving surface, and its positions at one time.
typedef struct Way {
  CpsSmoothMesh from, now;
  CpsField field;
  CpsVec3* x;
  double spread;  // largest deviation of a node's displacement from the mean
} Way;

typedef struct Look {
  CpsStep* step;
  CpsColliderEnd* end;
  Way* way;
  int32_t *near, near_count;  // colliders, then surfaces, that the current surface may meet
  CpsSmoothList met;
  int32_t through;
} Look;

static CpsVec3 part(CpsVec3 from, CpsVec3 to, double t) {
  return cps_vec3_axpy(cps_vec3_scale(1.0 - t, from), t, to);
}

static bool prepare(CpsStep* step, Way* w) {
  int32_t nodes = 0;
  for (int32_t i = 0; i < w->from.skin_count; ++i) {
    const int32_t node = w->from.skin[i];
    nodes = node >= nodes ? node + 1 : nodes;
    const CpsVec3 own = cps_vec3_sub(cps_vec3_sub(w->from.end[node], w->from.x[node]), w->from.drift);
    w->spread = fmax(w->spread, cps_vec3_norm(own));
  }
  w->x = CPS_TAKE(step->scratch, CpsVec3, nodes);
  return w->x != NULL;
}

// Moves the nodes of a surface to a time of the step.
static void move(Way* w, double t) {
  w->now = w->from;
  w->now.x = w->now.end = w->x;
  w->now.drift = (CpsVec3){0.0, 0.0, 0.0};
  for (int32_t i = 0; i < w->from.skin_count; ++i) {
    const int32_t node = w->from.skin[i];
    w->x[node] = part(w->from.x[node], w->from.end[node], t);
    const CpsAabb point = {w->x[node], w->x[node]};
    w->now.box = i == 0 ? point : cps_aabb_union(w->now.box, point);
  }
}

static CpsCollider collider_at(const CpsCollider* c, const CpsPose* end, double t) {
  CpsCollider now = *c;
  CpsQuat a = c->pose.rotation, b = end->rotation;
  const double same = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z < 0.0 ? -t : t;
  now.pose.position = part(c->pose.position, end->position, t);
  now.pose.rotation = cps_quat_unit((CpsQuat){(1.0 - t) * a.w + same * b.w, (1.0 - t) * a.x + same * b.x,
                                              (1.0 - t) * a.y + same * b.y, (1.0 - t) * a.z + same * b.z});
  now.reach = now.sway = 0.0;
  now.way = now.turn = now.velocity = (CpsVec3){0.0, 0.0, 0.0};
  return now;
}

// Displacement of the surface at a place of its field, up to the current time.
static CpsVec3 surface_way(const Way* w, const CpsField* field, CpsVec3 place) {
  CpsFieldAt at;
  CpsVec3 way = {0.0, 0.0, 0.0};
  if (!cps_field_at(field, place, &at)) return way;
  for (int32_t i = 0; i < at.count; ++i) {
    const int32_t* corner = w->from.triangle + 3 * (int64_t)at.term[i].sample;
    const double part_of = at.term[i].weight / (3.0 * at.sum);
    for (int k = 0; k < 3; ++k) way = cps_vec3_axpy(way, part_of, cps_vec3_sub(w->x[corner[k]], w->from.x[corner[k]]));
  }
  return way;
}

static CpsVec3 collider_way(const CpsCollider* from, const CpsCollider* now, CpsVec3 place) {
  return cps_vec3_sub(place, cps_pose_apply(from->pose, cps_pose_apply_back(now->pose, place)));
}

// The field for a touch: without the neighbourhood of the node if it is one of its own.
static CpsField field_of(const Way* w, const CpsField* field, const CpsSmoothTouch* t) {
  return t->other == t->surface ? cps_smooth_own_field(&w->from, field, t->node) : *field;
}

// Of the touches just found, drops those that were as deep at the beginning and transforms the others back to it.
static void judge(Look* q, int32_t k, int64_t first, double thickness, double near, const CpsCollider* from,
                  const CpsCollider* now) {
  const Way* w = &q->way[k];
  int64_t kept = first;
  for (int64_t i = first; i < q->met.count; ++i) {
    CpsSmoothTouch t = q->met.touch[i];
    const CpsField now_field = field_of(w, &w->field, &t), then_field = field_of(w, &q->step->fields[k], &t);
    const CpsVec3 own = surface_way(w, &now_field, t.place);
    CpsVec3 other;
    if (t.other >= 0) {
      const Way* o = &q->way[t.other];
      other = cps_vec3_sub(o->x[t.node], o->from.x[t.node]);
    } else {
      other = collider_way(from, now, t.place);
    }
    // the normal points to the first side: the point in a field, the surface on a shape
    const CpsVec3 apart = t.kind == CPS_SMOOTH_FIELD ? cps_vec3_sub(other, own) : cps_vec3_sub(own, other);
    const double gap = t.gap - cps_vec3_dot(t.normal, apart);
    if (gap <= -(1.0 - near) * thickness) continue;
    const double deep = t.other == t.surface ? 0.0 : DEEP * w->from.smooth.reach;  // guards skip themselves
    const bool through = t.gap <= -fmax((1.0 - THROUGH) * thickness, deep);
    if (!through && deep > 0.0 && q->step->renewals >= SHALLOW) continue;
    q->through += through;
    CpsFieldAt at;
    t.place = cps_vec3_sub(t.place, own);
    t.gap = gap;
    t.kind += ROUND * (1 + q->step->renewals);
    if (cps_field_at(&then_field, t.place, &at)) q->met.touch[kept++] = t;
  }
  q->met.count = kept;
}

static double times_of(double way, double stride) {
  return fmin(TIMES_MOST, ceil(way / stride));
}

// Number of times at which the motion of a collider is tested; 0 if it cannot meet the surface.
static double collider_times(const Look* q, const Way* w, int32_t i) {
  const CpsCollider* c = &q->step->colliders[i];
  const CpsPose* end = &q->end[i].pose;
  const double half = w->from.half, outer = c->geom->outer_radius, inner = c->geom->inner_radius;
  if (c->owner == w->from.owner || (c->group > 0 && c->group == w->from.group)) return 0.0;
  if (q->step->world->tie_there > 0 && cps_pair_is_tied(q->step, w->from.owner, c, NULL)) return 0.0;
  CpsAabb box = cps_aabb_union(cps_geom_bounds(c->geom, &c->pose), cps_geom_bounds(c->geom, end));
  box = cps_aabb_grow(box, half);
  if (!cps_aabb_overlap(&box, &w->from.box)) return 0.0;
  const CpsVec3 way = cps_vec3_sub(cps_vec3_sub(end->position, c->pose.position), w->from.drift);
  const CpsQuat turn = cps_quat_multiply(end->rotation, cps_quat_conjugate(c->pose.rotation));
  const double swing = isfinite(outer) ? 2.0 * outer * cps_vec3_norm(cps_vec3(turn.x, turn.y, turn.z)) : 0.0;
  const double far = cps_vec3_norm(way) + swing + w->spread;
  const double thin = inner > 0.0 && !c->node ? inner + half : INFINITY;
  return far < STILL * half ? 0.0 : times_of(far, STRIDE * fmin(w->from.smooth.reach, thin));
}

static double other_times(const Way* w, const Way* o) {
  const double thickness = w->from.half + o->from.half;
  const CpsAabb box = cps_aabb_grow(o->from.box, thickness);
  if (o == w ? !w->from.rest : o->from.group > 0 && o->from.group == w->from.group) return 0.0;
  if (!cps_aabb_overlap(&box, &w->from.box)) return 0.0;
  const double far = cps_vec3_norm(cps_vec3_sub(o->from.drift, w->from.drift)) + w->spread + o->spread;
  return far < STILL * thickness ? 0.0 : times_of(far, STRIDE * w->from.smooth.reach);
}

static bool look_at_collider(Look* q, int32_t k, int32_t i, double t) {
  Way* w = &q->way[k];
  const CpsCollider* c = &q->step->colliders[i];
  const double thickness = c->node ? c->geom->radius + w->from.half : w->from.half, near = c->node ? CLOSE : NEARER;
  const double skin = -(1.0 - near) * thickness;
  const CpsSmoothTouch model = {.surface = k, .collider = i, .other = -1};
  const CpsCollider now = collider_at(c, &q->end[i].pose, t);
  const CpsSmoothPoint point = {now.pose.position, {0.0, 0.0, 0.0}, c->geom->radius};
  const int64_t first = q->met.count;
  if (c->node ? !cps_smooth_point(&w->now, &w->field, &point, skin, &model, &q->met)
              : !cps_smooth_shape(&w->now, &w->field, &now, 0.0, skin, &model, &q->met)) {
    return false;
  }
  judge(q, k, first, thickness, near, c, &now);
  return true;
}

static bool look_at_other(Look* q, int32_t k, int32_t j, double t) {
  Way *w = &q->way[k], *o = &q->way[j];
  const double thickness = w->from.half + o->from.half;
  const int64_t first = q->met.count;
  move(o, t);
  for (int32_t i = 0; i < o->from.skin_count; ++i) {
    const int32_t node = o->from.skin[i];
    const CpsSmoothTouch model = {.surface = k, .node = node, .collider = -1, .other = j};
    const CpsSmoothPoint point = {o->x[node], {0.0, 0.0, 0.0}, o->from.half};
    const CpsField field = field_of(w, &w->field, &model);
    if (!cps_smooth_point(&w->now, &field, &point, -(1.0 - CLOSE) * thickness, &model, &q->met)) return false;
  }
  judge(q, k, first, thickness, CLOSE, NULL, NULL);
  return true;
}

// Tests all objects near one surface, time after time, until something has met: then the side is known.
static bool look_at(Look* q, int32_t k) {
  CpsStep* step = q->step;
  Way* w = &q->way[k];
  const int32_t colliders = step->collider_count, all = colliders + step->smooth_count;
  double times = 0.0;
  q->near_count = 0;
  for (int32_t i = 0; i < all; ++i) {
    const double count = i < colliders ? collider_times(q, w, i) : other_times(w, &q->way[i - colliders]);
    if (!(count > 0.0)) continue;
    times = fmax(times, count);
    q->near[q->near_count++] = i;
  }
  const int64_t first = q->met.count;
  for (double n = 1.0; n <= times && q->met.count == first; n += 1.0) {
    const CpsArenaMark mark = cps_arena_mark(step->scratch);
    move(w, n / times);
    if (!cps_smooth_field(step, &w->now, &w->field)) return false;
    for (int32_t i = 0; i < q->near_count; ++i) {
      const int32_t near = q->near[i];
      if (near < colliders ? !look_at_collider(q, k, near, n / times)
                           : !look_at_other(q, k, near - colliders, n / times)) {
        return false;
      }
    }
    cps_arena_release(step->scratch, mark);
  }
  return true;
}

static bool look(Look* q) {
  CpsStep* step = q->step;
  const int32_t count = step->smooth_count;
  CpsSmoothMesh* mesh = CPS_TAKE(step->scratch, CpsSmoothMesh, count);
  q->way = CPS_TAKE_ZERO(step->scratch, Way, count);
  q->end = CPS_TAKE(step->scratch, CpsColliderEnd, step->collider_count);
  q->near = CPS_TAKE(step->scratch, int32_t, step->collider_count + count);
  if (!mesh || !q->way || !q->end || !q->near || !cps_step_collider_ends(step, q->end)) return false;
  cps_step_list_smooth(step, false, mesh);
  for (int32_t k = 0; k < count; ++k) {
    q->way[k].from = mesh[k];
    if (!prepare(step, &q->way[k])) return false;
  }
  for (int32_t k = 0; k < count; ++k) {
    if (!look_at(q, k)) return false;
  }
  return true;
}

// Adds what met to the contacts of the next attempt.
static bool join(CpsStep* step, const CpsSmoothList* met) {
  CpsSmoothTouch* all = CPS_TAKE(&step->world->renewed, CpsSmoothTouch, step->smooth_met_count + met->count);
  if (!all) return false;
  if (step->smooth_met_count > 0) memcpy(all, step->smooth_met, (size_t)step->smooth_met_count * sizeof *all);
  if (met->count > 0) memcpy(all + step->smooth_met_count, met->touch, (size_t)met->count * sizeof *all);
  step->smooth_met = all;
  step->smooth_met_count += (int32_t)met->count;
  step->newly_met += (int32_t)met->count;
  return true;
}

CpsStatus cps_step_smooth_impacts(CpsStep* step) {
  if (step->smooth_count == 0) return CPS_OK;
  Look q = {.step = step, .met = {.arena = &step->world->renewed}};
  if (!look(&q) || !join(step, &q.met)) {
    return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory to look for impacts");
  }
  // in the shortest step, the guard stops passes and counts them (zones.c)
  if (!step->thin) step->info.crossings += q.through;
  return CPS_OK;
}
