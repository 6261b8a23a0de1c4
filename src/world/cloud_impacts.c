// At the end of an attempt: finds shapes that entered a point cloud during the step, and the reverse.
//
// A thin shape can pass the band of the field around the points in one step. Its final position is then outside the field, and
// renew.c finds no touch. The motion of the step is therefore followed (geometry/points_way.c). A point x_A of a shape that entered
// at the time t through a surface with the normal n becomes a contact, traced back to the beginning of the step as in
// contact/sweep.c:
//
//   g = -t n.d,   d = w_A + a_A x c_A - (w_B + a_B x c_B),                                                              (1)
//
// where w and a are the displacement and the rotation of each object in the step, and c its arm about the centre at the time t.
// Entries that remain ask for a shorter step; in the shortest step they are counted in info.crossings.
//
// Pairs that bounce get shorter steps and no contact, because their law is not based on gaps.
#include "world/world.h"

#include "contact/chain.h"
#include "core/error.h"
#include "geometry/points.h"

#include <stdlib.h>
#include <string.h>

static const double DEPTH =
    0.05;  // relative to the reach: deeper places have entered. Contacts stop objects that move by less

typedef struct Look {
  CpsStep* step;
  CpsColliderEnd* end;
  CpsColliderTouch* met;
  int32_t count, room, through;
} Look;

// Pose of a collider in the frame of the cloud.
static CpsPose seen(const CpsPose* cloud, const CpsPose* pose) {
  return (CpsPose){cps_pose_apply_back(*cloud, pose->position),
                   cps_quat_multiply(cps_quat_conjugate(cloud->rotation), pose->rotation)};
}

// Upper bound of the displacement of the points of a shape.
static double way_of(const CpsGeom* g, const CpsPose* from, const CpsPose* to) {
  const CpsQuat turn = cps_quat_multiply(to->rotation, cps_quat_conjugate(from->rotation));
  return cps_vec3_norm(cps_vec3_sub(to->position, from->position)) +
         cps_vec3_norm(cps_quat_log(turn)) * g->outer_radius;
}

// The rigid motion of a collider in the step: its initial centre, the displacement of the centre, the rotation.
typedef struct Motion {
  CpsVec3 centre, way, turn;
} Motion;

static Motion motion_of(const CpsCollider* c, const CpsPose* end) {
  const CpsQuat q = cps_quat_multiply(end->rotation, cps_quat_conjugate(c->pose.rotation));
  const CpsVec3 arm = cps_vec3_sub(c->pose.position, c->centre);
  return (Motion){c->centre, cps_vec3_sub(cps_vec3_sub(end->position, cps_quat_rotate(q, arm)), c->centre),
                  cps_quat_log(q)};
}

// Displacement of the material point at x at the time t.
static CpsVec3 way_at(const Motion* m, double t, CpsVec3 x) {
  const CpsVec3 arm = cps_vec3_sub(x, cps_vec3_axpy(m->centre, t, m->way));
  return cps_vec3_add(m->way, cps_vec3_cross(m->turn, arm));
}

static bool bounces(const CpsStep* step, const CpsColliderTouch* f) {
  CpsStepContact t;
  cps_touching_place(step, f, &t);
  cps_contact_friction(step->world, &t);
  return t.restitution > 0.0;
}

// Adds a contact (1). i < j: the two colliders, one of which is the cloud.
static bool put(Look* q, int32_t i, int32_t j, bool cloud_first, const CpsPointsEntry* e, int32_t number) {
  const CpsStep* step = q->step;
  const CpsCollider *a = &step->colliders[i], *b = &step->colliders[j], *cloud = cloud_first ? a : b;
  const Motion one = motion_of(a, &q->end[i].pose), two = motion_of(b, &q->end[j].pose);
  const Motion* carries = cloud_first ? &one : &two;
  const double t = e->time;
  // pose of the cloud at the time t
  const CpsQuat turned = cps_quat_multiply(cps_quat_exp(cps_vec3_scale(t, carries->turn)), cloud->pose.rotation);
  const CpsVec3 arm = cps_quat_rotate(cps_quat_exp(cps_vec3_scale(t, carries->turn)),
                                      cps_vec3_sub(cloud->pose.position, cloud->centre));
  const CpsPose pose = {cps_vec3_add(cps_vec3_axpy(carries->centre, t, carries->way), arm), turned};
  const CpsVec3 x = cps_pose_apply(pose, e->place);
  const CpsVec3 n = cps_vec3_scale(cloud_first ? -1.0 : 1.0, cps_quat_rotate(turned, e->normal));
  const double closing = cps_vec3_dot(n, cps_vec3_sub(way_at(&one, t, x), way_at(&two, t, x)));
  CpsColliderTouch f = {.a = i, .b = j};
  f.touch = (CpsTouch){.point_a = cps_vec3_axpy(x, -t, one.way),
                       .point_b = cps_vec3_axpy(x, -t, two.way),
                       .normal = n,
                       .gap = -t * closing,
                       .feature = CPS_FEATURE_RENEWED | ((uint32_t)step->renewals << 28 & 0x70000000u) |
                                  (cloud_first ? 0x0c000000u : 0x08000000u) | (uint32_t)number};
  if (!(closing < 0.0) || bounces(step, &f)) return true;
  if (q->count == q->room) {
    const int32_t room = q->room > 0 ? 2 * q->room : 64;
    CpsColliderTouch* more = CPS_TAKE(step->scratch, CpsColliderTouch, room);
    if (!more) return false;
    if (q->count > 0) memcpy(more, q->met, (size_t)q->count * sizeof *more);
    q->met = more;
    q->room = room;
  }
  q->met[q->count++] = f;
  return true;
}

static bool is_pair(const CpsStep* step, const CpsCollider* a, const CpsCollider* b) {
  if (a->owner < 0 || a->owner == b->owner || (a->group > 0 && a->group == b->group)) return false;
  for (int side = 0; side < 2; ++side) {
    const CpsCollider* c = side == 0 ? a : b;
    if (c->node || cps_is_line_piece(c) || c->geom->kind == CPS_SHAPE_PLANE) return false;
    if (c->owner >= 0 && !cps_world_member(step->world, c->owner).model->type->went) return false;
  }
  return step->world->tie_there == 0 || !cps_colliders_are_tied(step, a, b);
}

// Tests collider k as a shape against the cloud of the pair i < j.
static bool look_at(Look* q, int32_t i, int32_t j, bool cloud_first) {
  const CpsStep* step = q->step;
  const int32_t at = cloud_first ? i : j, k = cloud_first ? j : i;
  const CpsCollider *cloud = &step->colliders[at], *c = &step->colliders[k];
  const CpsPose from = seen(&cloud->pose, &c->pose), to = seen(&q->end[at].pose, &q->end[k].pose);
  const double depth = DEPTH * cloud->geom->points->field.reach;
  if (!(way_of(c->geom, &from, &to) > depth)) return true;
  CpsPointsEntry entry[CPS_POINTS_ENTRIES];
  const int count = cps_points_entered(cloud->geom->points, c->geom, &from, &to, depth, entry);
  q->through += count > 0;
  for (int n = 0; n < count; ++n) {
    if (!put(q, i, j, cloud_first, &entry[n], n)) return false;
  }
  return true;
}

static bool look(Look* q) {
  const CpsStep* step = q->step;
  q->end = CPS_TAKE(step->scratch, CpsColliderEnd, step->collider_count);
  if (!q->end || !cps_step_collider_ends(step, q->end)) return false;
  for (int32_t k = 0; k < step->collider_count; ++k) {
    if (step->colliders[k].geom->kind != CPS_SHAPE_POINTS) continue;
    for (int32_t i = 0; i < step->collider_count; ++i) {
      const int32_t low = i < k ? i : k, high = i < k ? k : i;
      if (i == k || !is_pair(step, &step->colliders[low], &step->colliders[high])) continue;
      if (!look_at(q, low, high, k == low)) return false;
    }
  }
  return true;
}

static int compare(const void* first, const void* second) {
  const CpsColliderTouch *a = first, *b = second;
  if (a->a != b->a) return a->a < b->a ? -1 : 1;
  if (a->b != b->b) return a->b < b->b ? -1 : 1;
  return a->touch.feature < b->touch.feature ? -1 : a->touch.feature > b->touch.feature;
}

// Merges the contacts with those that earlier rounds violated (renew.c), in the order of their pairs.
static bool join(CpsStep* step, const Look* q) {
  const int32_t count = step->renewed_count + q->count;
  CpsColliderTouch* all = CPS_TAKE(&step->world->renewed, CpsColliderTouch, count);
  if (!all) return false;
  qsort(q->met, (size_t)q->count, sizeof *q->met, compare);
  for (int32_t n = 0, i = 0, k = 0; n < count; ++n) {
    const CpsColliderTouch *one = &step->renewed[i], *two = &q->met[k];
    const bool first =
        k == q->count || (i < step->renewed_count && (one->a < two->a || (one->a == two->a && one->b <= two->b)));
    all[n] = first ? *one : *two;
    first ? ++i : ++k;
  }
  step->renewed = all;
  step->renewed_count = count;
  step->newly_met += q->count;
  return true;
}

static bool has_clouds(const CpsStep* step) {
  for (int32_t i = 0; i < step->collider_count; ++i) {
    if (step->colliders[i].geom->kind == CPS_SHAPE_POINTS) return true;
  }
  return false;
}

CpsStatus cps_step_cloud_impacts(CpsStep* step) {
  step->world->clouds = has_clouds(step);
  if (!step->world->clouds) return CPS_OK;
  Look q = {.step = step};
  if (!look(&q) || (q.count > 0 && !join(step, &q))) {
    return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory to look for impacts");
  }
  step->info.crossings += q.through;
  return CPS_OK;
}
