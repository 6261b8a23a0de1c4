// Fibres that impulses made faster than the search for contacts looked, (2) of crossings.c. Whatever such a fibre can have
// met in the step is looked at, piece by piece: two pieces can only have met if the boxes that hold them before and after
// overlap.
#include "world/world.h"

#include "contact/broad.h"
#include "core/error.h"

#include <math.h>

enum { MOST = 512 };  // looked at in one step: the work is proportional to their number

typedef struct Outruns {
  const CpsStep* step;
  CpsAabb* box;     // of each fibre
  CpsAabb** piece;  // of the pieces of each fibre
  int32_t count;
  int32_t *fibre, *crossings;  // those that outran the search
} Outruns;

static bool outran(const CpsFibre* f, double h) {
  const CpsRod* rod = &f->rod;
  int32_t k = 0;
  for (int32_t b = 0; b < rod->spec.branch_count; ++b) {
    const CpsRodBranch* branch = &rod->spec.branch[b];
    for (int32_t i = 0; i <= branch->elements; ++i, ++k) {
      CpsVec3 v = rod->type->velocity(rod, branch->start + branch->length * i / branch->elements, CPS_VELOCITY_AFTER);
      double change =
          fmin(cps_vec3_norm(cps_vec3_sub(v, f->joint[0][k])), cps_vec3_norm(cps_vec3_sub(v, f->joint[1][k])));
      if (h * change > f->radius) return true;
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
  Outruns* o = data;
  for (int64_t n = first; n < last; ++n) {
    const CpsFibre* f = &o->step->world->fibres->fibres[n];
    for (int32_t i = 0; f->there && i < f->piece_count; ++i) {
      const CpsFibrePiece* p = &f->pieces[i];
      CpsAabb box = around(around(around((CpsAabb){p->from[0], p->from[0]}, p->from[1]), p->to[0]), p->to[1]);
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

// Crossings of piece i of fibre number n with the fibre number m.
static int32_t crossings_with(const Outruns* o, int32_t n, int32_t i, int32_t m) {
  const CpsFibre *f = &o->step->world->fibres->fibres[n], *g = &o->step->world->fibres->fibres[m];
  const CpsFibrePiece* p = &f->pieces[i];
  int32_t count = 0;
  for (int32_t j = 0; j < g->piece_count; ++j) {
    const CpsFibrePiece* q = &g->pieces[j];
    if (!overlap(&o->piece[n][i], &o->piece[m][j]) || !is_pair(f, p, g, q)) continue;
    CpsMovedPiece one = cps_piece_moved(p), other = cps_piece_moved(q);
    count += cps_pieces_crossed(&one, &other);
  }
  return count;
}

static void look(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  Outruns* o = data;
  const CpsFibres* fibres = o->step->world->fibres;
  for (int64_t k = first; k < last; ++k) {
    int32_t n = o->fibre[k];
    for (int32_t m = 0; m < fibres->count; ++m) {
      if (!fibres->fibres[m].there || fibres->fibres[m].piece_count == 0 || !overlap(&o->box[n], &o->box[m])) continue;
      for (int32_t i = 0; i < fibres->fibres[n].piece_count; ++i) {
        if (overlap(&o->piece[n][i], &o->box[m])) o->crossings[k] += crossings_with(o, n, i, m);
      }
    }
  }
}

static CpsStatus make_boxes(CpsStep* step, Outruns* o) {
  const CpsFibres* fibres = step->world->fibres;
  CpsAabb* all = CPS_TAKE(step->scratch, CpsAabb, fibres->piece_count);
  o->box = CPS_TAKE(step->scratch, CpsAabb, fibres->count);
  o->piece = CPS_TAKE(step->scratch, CpsAabb*, fibres->count);
  if (!all || !o->box || !o->piece) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for a step");
  for (int32_t i = 0; i < fibres->count; ++i) {
    o->piece[i] = all;
    if (fibres->fibres[i].there) all += fibres->fibres[i].piece_count;
  }
  cps_pool_run(step->world->pool, fibres->count, put_boxes, o);
  return CPS_OK;
}

CpsStatus cps_step_outruns(CpsStep* step) {
  const CpsFibres* fibres = step->world->fibres;
  Outruns o = {step, .fibre = CPS_TAKE(step->scratch, int32_t, MOST),
               .crossings = CPS_TAKE_ZERO(step->scratch, int32_t, MOST)};
  if (!o.fibre || !o.crossings) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for a step");
  for (int32_t i = 0; i < fibres->count; ++i) {
    const CpsFibre* f = &fibres->fibres[i];
    if (!f->there || f->piece_count == 0 || !outran(f, step->model.h)) continue;
    if (o.count < MOST) o.fibre[o.count++] = i;
    step->info.outruns++;
  }
  step->overrun = step->info.outruns > o.count;
  if (o.count == 0) return CPS_OK;
  CpsStatus status = make_boxes(step, &o);
  if (status != CPS_OK) return status;
  cps_pool_run(step->world->pool, o.count, look, &o);
  // a pair that is also a contact has been counted: what matters is whether there is any
  for (int32_t i = 0; i < o.count; ++i) step->info.crossings += o.crossings[i];
  return CPS_OK;
}
