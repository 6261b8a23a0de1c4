// How deep lines are in obstacles at the end of a step.
//
// A contact knows one point of a piece and the normal there. On something round the piece rolls, and at the end of the step
// another point is the deepest: pieces and obstacles are compared as they are then.
#include "world/world.h"

#include "core/error.h"
#include "geometry/bvh.h"
#include "geometry/collide.h"
#include "geometry/pairs.h"

#include <math.h>

typedef struct Depths {
  const CpsStep* step;
  CpsAabb* box;     // of each member that is a line
  CpsAabb** piece;  // boxes of its pieces
  double* depth;    // depth of each of these members
} Depths;

static void put_boxes(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  Depths* o = data;
  for (int64_t n = first; n < last; ++n) {
    const CpsMemberLine* line = &o->step->lines[n];
    for (int32_t i = 0; i < line->count; ++i) {
      const CpsLinePiece* p = &line->piece[i];
      CpsAabb axis = cps_aabb_union((CpsAabb){p->to[0], p->to[0]}, (CpsAabb){p->to[1], p->to[1]});
      o->piece[n][i] = cps_aabb_grow(axis, p->geom.radius);
      o->box[n] = i == 0 ? o->piece[n][i] : cps_aabb_union(o->box[n], o->piece[n][i]);
    }
  }
}

// Depth of a piece in a part of an obstacle at the end of the step.
static double depth_in(const CpsLinePiece* p, const CpsConvex* part) {
  CpsVec3 along = cps_vec3_sub(p->to[1], p->to[0]);
  CpsGeom geom = p->geom;
  CpsPose pose = {cps_vec3_axpy(p->to[0], 0.5, along), cps_quat_z_to(cps_vec3_unit(along))};
  CpsConvex one;
  CpsTouch touches[CPS_TOUCH_MAX];
  geom.half_length = 0.5 * cps_vec3_norm(along);
  cps_place(&geom, &pose, &one);
  int count = cps_collide_placed(&one, part, 0.0, touches);
  double depth = 0.0;
  for (int i = 0; i < count; ++i) depth = fmax(depth, -touches[i].gap);
  return depth;
}

static void look_at_obstacle(const Depths* o, const CpsObstacle* obstacle, int64_t first, int64_t last) {
  for (int32_t k = 0; obstacle->there && k < obstacle->pieces.count; ++k) {
    const CpsPiece* part = &obstacle->pieces.piece[k];
    CpsPose pose = cps_pose_multiply(obstacle->next, part->pose);
    CpsAabb box = cps_geom_bounds(part->geom, &pose);
    CpsConvex placed;
    cps_place(part->geom, &pose, &placed);
    for (int64_t n = first; n < last; ++n) {
      const CpsMemberLine* line = &o->step->lines[n];
      if (line->count == 0 || !cps_aabb_overlap(&o->box[n], &box)) continue;
      for (int32_t i = 0; i < line->count; ++i) {
        const CpsLinePiece* p = &line->piece[i];
        if (cps_line_is_let(line, p->arc[1])) continue;
        if (cps_aabb_overlap(&o->piece[n][i], &box)) o->depth[n] = fmax(o->depth[n], depth_in(p, &placed));
      }
    }
  }
}

static void look_at_obstacles(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const CpsWorld* world = ((Depths*)data)->step->world;
  for (int32_t m = 0; m < world->obstacle_count; ++m) look_at_obstacle(data, &world->obstacles[m], first, last);
}

static CpsStatus take_boxes(CpsStep* step, int32_t members, Depths* o) {
  CpsAabb* all = CPS_TAKE(step->scratch, CpsAabb, step->line_pieces);
  o->box = CPS_TAKE(step->scratch, CpsAabb, members);
  o->piece = CPS_TAKE(step->scratch, CpsAabb*, members);
  o->depth = CPS_TAKE_ZERO(step->scratch, double, members);
  if (!all || !o->box || !o->piece || !o->depth) {
    return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for a step");
  }
  for (int32_t i = 0; i < members; all += step->lines[i++].count) o->piece[i] = all;
  return CPS_OK;
}

CpsStatus cps_step_depths(CpsStep* step) {
  const int32_t members = step->line_count;
  Depths o = {.step = step};
  if (!step->lines) return CPS_OK;
  CpsStatus status = take_boxes(step, members, &o);
  if (status != CPS_OK) return status;
  cps_pool_run(step->world->pool, members, put_boxes, &o);
  cps_pool_run(step->world->pool, members, look_at_obstacles, &o);
  for (int32_t i = 0; i < members; ++i) step->depth = fmax(step->depth, o.depth[i]);
  return CPS_OK;
}
