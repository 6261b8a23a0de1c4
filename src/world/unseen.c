// What contacts do not tell of fibres at the end of a step: how deep they are in obstacles, and what those met that got
// farther than the search for contacts looked.
//
// A contact knows one point of a piece and the normal there. On something round the piece rolls, and at the end of the step
// another point is the deepest: pieces and obstacles are compared as they are then.
//
// With V the velocity of a piece and R its reach (fibres.c), contacts were looked for wherever its ends could get with
// velocities between those before the step and without impulses. Impulses make fibres faster, and ways are not straight. A
// fibre outran the search if an end of one of its pieces went
//
//   |x+ - x - h V| > R + r / 2,                                                                                     (1)
//
// r its radius: what was not looked at, or was no contact because it does not come nearer than half a radius, can then have
// been reached. All that it can have met is looked at: pieces whose boxes, which hold them before and after, overlap.
#include "world/world.h"

#include "contact/broad.h"
#include "core/error.h"
#include "geometry/collide.h"
#include "geometry/pairs.h"
#include "geometry/segment.h"

#include <math.h>

static const double PART = 0.5;

enum { MOST = 512 };  // looked at in one step: the work is proportional to their number

typedef struct Unseen {
  const CpsStep* step;
  CpsAabb* box;        // of each fibre
  CpsAabb** piece;     // of the pieces of each fibre
  double* depth;       // of each fibre
  int32_t* crossings;  // of each fibre
  CpsCrossing* list;   // they themselves, if they are asked for
  int32_t listed;
  int32_t *runner, count;  // those that outran the search
} Unseen;

static bool outran(const CpsFibre* f, double h) {
  for (int32_t i = 0; i < f->piece_count; ++i) {
    const CpsFibrePiece* p = &f->pieces[i];
    for (int k = 0; k < 2; ++k) {
      CpsVec3 way = cps_vec3_sub(p->to[k], p->from[k]);
      double off = cps_vec3_norm(cps_vec3_axpy(way, -h, p->velocity));
      if (off > p->reach + PART * f->radius) return true;  // (1)
    }
  }
  return false;
}

static CpsAabb around(CpsAabb box, CpsVec3 x) {
  return (CpsAabb){{fmin(box.min.x, x.x), fmin(box.min.y, x.y), fmin(box.min.z, x.z)},
                   {fmax(box.max.x, x.x), fmax(box.max.y, x.y), fmax(box.max.z, x.z)}};
}

static bool overlap(const CpsAabb* a, const CpsAabb* b) {
  return a->min.x <= b->max.x && b->min.x <= a->max.x && a->min.y <= b->max.y && b->min.y <= a->max.y &&
         a->min.z <= b->max.z && b->min.z <= a->max.z;
}

static void put_boxes(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  Unseen* o = data;
  for (int64_t n = first; n < last; ++n) {
    const CpsFibre* f = &o->step->world->fibres->fibres[n];
    for (int32_t i = 0; f->there && i < f->piece_count; ++i) {
      const CpsFibrePiece* p = &f->pieces[i];
      CpsAabb box = around(around(around((CpsAabb){p->from[0], p->from[0]}, p->from[1]), p->to[0]), p->to[1]);
      CpsVec3 r = {f->radius, f->radius, f->radius};
      box = (CpsAabb){cps_vec3_sub(box.min, r), cps_vec3_add(box.max, r)};
      o->piece[n][i] = box;
      o->box[n] = i == 0 ? box : around(around(o->box[n], box.min), box.max);
    }
  }
}

// Whether two pieces are a pair that may touch at all.
static bool is_pair(const CpsFibre* f, const CpsFibrePiece* p, const CpsFibre* g, const CpsFibrePiece* q) {
  if (f == g) return cps_broad_self(p->arc, f->self_distance, q->arc, g->self_distance);
  return f->group <= 0 || f->group != g->group;
}

// How deep two pieces are in each other at the end of the step.
static double depth_of(const CpsFibrePiece* p, const CpsFibrePiece* q) {
  CpsVec3 d = cps_vec3_sub(p->to[1], p->to[0]), e = cps_vec3_sub(q->to[1], q->to[0]);
  double s, t;
  cps_segment_segment(p->to[0], d, q->to[0], e, &s, &t);
  CpsVec3 w = cps_vec3_sub(cps_vec3_axpy(p->to[0], s, d), cps_vec3_axpy(q->to[0], t, e));
  return p->geom.radius + q->geom.radius - cps_vec3_norm(w);
}

// Piece i of fibre number n against the fibre number m.
static void look_at_fibre(Unseen* o, int32_t n, int32_t i, int32_t m) {
  const CpsFibre *f = &o->step->world->fibres->fibres[n], *g = &o->step->world->fibres->fibres[m];
  const CpsFibrePiece* p = &f->pieces[i];
  for (int32_t j = 0; j < g->piece_count; ++j) {
    const CpsFibrePiece* q = &g->pieces[j];
    if (!overlap(&o->piece[n][i], &o->piece[m][j]) || !is_pair(f, p, g, q)) continue;
    CpsMovedPiece one = cps_piece_moved(p), other = cps_piece_moved(q);
    o->depth[n] = fmax(o->depth[n], depth_of(p, q));
    if (!cps_pieces_crossed(&one, &other)) continue;
    if (o->list) {
      o->list[o->listed++] = cps_crossing(n, i, m, j);
    } else {
      o->crossings[n]++;
    }
  }
}

// How deep a piece is in a part of an obstacle at the end of the step.
static double depth_in(const CpsFibrePiece* p, const CpsConvex* part) {
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

static void look_at_obstacle(const Unseen* o, const CpsObstacle* obstacle, int64_t first, int64_t last) {
  const CpsFibres* fibres = o->step->world->fibres;
  for (int32_t k = 0; obstacle->there && k < obstacle->pieces.count; ++k) {
    const CpsPiece* part = &obstacle->pieces.piece[k];
    CpsPose pose = cps_pose_multiply(obstacle->next, part->pose);
    CpsAabb box = cps_geom_bounds(part->geom, &pose);
    CpsConvex placed;
    cps_place(part->geom, &pose, &placed);
    for (int64_t n = first; n < last; ++n) {
      const CpsFibre* f = &fibres->fibres[n];
      if (!f->there || f->piece_count == 0 || !overlap(&o->box[n], &box)) continue;
      for (int32_t i = 0; i < f->piece_count; ++i) {
        if (cps_piece_is_let(f, f->pieces[i].arc[1])) continue;
        if (overlap(&o->piece[n][i], &box)) o->depth[n] = fmax(o->depth[n], depth_in(&f->pieces[i], &placed));
      }
    }
  }
}

static void look_at_obstacles(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const CpsWorld* world = ((Unseen*)data)->step->world;
  for (int32_t m = 0; m < world->obstacle_count; ++m) look_at_obstacle(data, &world->obstacles[m], first, last);
}

// Fibre number n against all others and itself.
static void look_at_runner(Unseen* o, int32_t n) {
  const CpsFibres* fibres = o->step->world->fibres;
  for (int32_t m = 0; m < fibres->count; ++m) {
    if (!fibres->fibres[m].there || fibres->fibres[m].piece_count == 0 || !overlap(&o->box[n], &o->box[m])) continue;
    for (int32_t i = 0; i < fibres->fibres[n].piece_count; ++i) {
      if (overlap(&o->piece[n][i], &o->box[m])) look_at_fibre(o, n, i, m);
    }
  }
}

static void look_at_runners(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  Unseen* o = data;
  for (int64_t k = first; k < last; ++k) look_at_runner(o, o->runner[k]);
}

// The places at which fibres went through each other: two runners see the same, pieces beside a joint do, and contacts may
// have told already. So they are listed together, which is rarely needed.
static CpsStatus count_places(CpsStep* step, Unseen* o) {
  int64_t count = step->crossed;
  for (int32_t k = 0; k < o->count; ++k) count += o->crossings[o->runner[k]];
  if (count == step->crossed) return CPS_OK;
  o->list = CPS_TAKE(step->scratch, CpsCrossing, count);
  if (!o->list) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for a step");
  o->listed = cps_contacts_crossed(step, o->list);
  for (int32_t k = 0; k < o->count; ++k) {
    if (o->crossings[o->runner[k]] > 0) look_at_runner(o, o->runner[k]);
  }
  step->info.crossings = step->pushed + cps_crossing_places(o->list, o->listed);
  return CPS_OK;
}

static CpsStatus take_boxes(CpsStep* step, Unseen* o) {
  const CpsFibres* fibres = step->world->fibres;
  CpsAabb* all = CPS_TAKE(step->scratch, CpsAabb, fibres->piece_count);
  o->box = CPS_TAKE(step->scratch, CpsAabb, fibres->count);
  o->piece = CPS_TAKE(step->scratch, CpsAabb*, fibres->count);
  o->depth = CPS_TAKE_ZERO(step->scratch, double, fibres->count);
  o->crossings = CPS_TAKE_ZERO(step->scratch, int32_t, fibres->count);
  o->runner = CPS_TAKE(step->scratch, int32_t, MOST);
  if (!all || !o->box || !o->piece || !o->depth || !o->crossings || !o->runner) {
    return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for a step");
  }
  for (int32_t i = 0; i < fibres->count; ++i) {
    o->piece[i] = all;
    if (fibres->fibres[i].there) all += fibres->fibres[i].piece_count;
  }
  return CPS_OK;
}

CpsStatus cps_step_unseen(CpsStep* step) {
  const CpsFibres* fibres = step->world->fibres;
  Unseen o = {.step = step};
  if (fibres->piece_count == 0) return CPS_OK;
  CpsStatus status = take_boxes(step, &o);
  if (status != CPS_OK) return status;
  for (int32_t i = 0; i < fibres->count; ++i) {
    const CpsFibre* f = &fibres->fibres[i];
    if (!f->there || f->piece_count == 0 || !outran(f, step->model.h)) continue;
    if (o.count < MOST) o.runner[o.count++] = i;
    step->info.outruns++;
  }
  step->overrun = step->info.outruns > o.count;
  cps_pool_run(step->world->pool, fibres->count, put_boxes, &o);
  cps_pool_run(step->world->pool, fibres->count, look_at_obstacles, &o);
  cps_pool_run(step->world->pool, o.count, look_at_runners, &o);
  for (int32_t i = 0; i < fibres->count; ++i) step->depth = fmax(step->depth, o.depth[i]);
  return count_places(step, &o);
}
