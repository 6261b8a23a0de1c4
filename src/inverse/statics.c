// A fibre brought to rest by Newton's method on its energy V (rod_statics.h).
//
//   (K + C) d = -g,      q <- q + s d,      V(q + s d) < V(q)                                                       (1)
//
// Where K + C is not positive definite, (1 + 4^j) K + C is taken with the least j >= -4 for which it is: K is, so that d is a
// direction in which V falls. s = 1, 1/2, 1/4, ... and at most a turn of about a radian. Near the end V no longer tells
// anything, and steps are taken as long as they make g smaller.
#include "inverse/inverse.h"

#include "core/error.h"
#include "sparse/banded.h"
#include "things/fibres.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int MOST = 500;
static const double ENOUGH = 1e-12, GOOD = 1e-9;  // of the moment of the load; rad

CpsStatus cps_rod_can_settle(const CpsRod* rod, CpsError* error) {
  if (!rod->type->statics) {
    return cps_fail(error, CPS_UNSUPPORTED, "a fibre of the model %s has no natural strains", rod->type->name);
  }
  if (rod->spec.root != CPS_END_CLAMPED) {
    return cps_fail(error, CPS_UNSUPPORTED,
                    "the root of the fibre is not clamped, so its equilibrium cannot be computed");
  }
  if (rod->spec.tip != CPS_END_FREE && rod->type->statics != &cps_der_statics) {
    return cps_fail(error, CPS_UNSUPPORTED,
                    "the tip of a fibre of the model %s is held by a spring that depends on the time step",
                    rod->type->name);
  }
  return CPS_OK;
}

double cps_rod_imbalance(const CpsRod* rod, const CpsRodLoad* load) {
  int32_t band;
  const int32_t n = rod->type->statics->size(rod, &band);
  double* g = malloc(2 * (size_t)n * sizeof *g);
  if (!g || rod->type->statics->gradient(rod, load, g, g + n) != CPS_OK) {
    free(g);
    return -1.0;
  }
  const double largest = cps_rod_largest(n, g, g + n);
  free(g);
  return largest;
}

// The energy V.
static double energy_of(const CpsRod* rod, const CpsRodLoad* load) {
  CpsRodEnergy e;
  rod->type->energy(rod, load->gravity, &e);
  double sum = e.elastic + e.gravity;
  for (int32_t i = 0; i < load->pull_count; ++i) {
    const CpsVec3 x = rod->type->at(rod, load->pulls[i].s).position, way = cps_vec3_sub(load->pulls[i].target, x);
    sum += 0.5 * load->pulls[i].stiffness * cps_vec3_dot(way, way) - cps_vec3_dot(load->pulls[i].force, x);
  }
  return sum;
}

// Working data of an iteration.
typedef struct Newton {
  CpsRod* rod;
  const CpsRodLoad* load;
  int32_t n;
  double *g, *unit, *d;
  double* kept;  // the state
  double floor;  // a unit if no load acts on the rod: the initial forces
  double left;   // of g
  double turn;   // of d, rad
} Newton;

static bool look(Newton* w) {
  if (w->rod->type->statics->gradient(w->rod, w->load, w->g, w->unit) != CPS_OK) return false;
  for (int32_t i = 0; w->floor < 0.0 && i < w->n; ++i) w->floor = fmin(w->floor, -fabs(w->g[i]));
  w->floor = fabs(w->floor);
  for (int32_t i = 0; i < w->n; ++i) {
    if (w->unit[i] == 0.0) w->unit[i] = w->floor;
  }
  w->left = cps_rod_largest(w->n, w->g, w->unit);
  return true;
}

// The direction d of (1); *stable: K + C is positive definite.
static bool find_direction(Newton* w, bool* stable) {
  CpsRodMatrices m;
  if (cps_rod_matrices(w->rod, w->load, &m) != CPS_OK) return false;
  double more = 0.00390625;
  *stable = cps_rod_matrices_factor(&m, 1.0);
  for (bool done = *stable; !done && more < 1e18; more *= 4.0) done = cps_rod_matrices_factor(&m, 1.0 + more);
  for (int32_t i = 0; i < w->n; ++i) w->d[i] = -w->g[i];
  cps_banded_solve_lower(m.n, m.band, m.L, 0, w->d);
  cps_banded_solve_upper(m.n, m.band, m.L, w->d);
  cps_rod_matrices_free(&m);
  return true;
}

// Approximate rotation of a joint by d.
static double turn_of(const Newton* w) {
  const double size = w->rod->spec.length / w->rod->spec.elements;
  double largest = 0.0;
  // curvatures turn by size, positions by 1 / size
  const bool points = w->rod->type->statics == &cps_der_statics;
  for (int32_t i = 0; i < w->n; ++i) {
    const double turn = !points ? size : i % 4 == 0 ? 1.0 : 1.0 / size;
    largest = fmax(largest, fabs(w->d[i]) * turn);
  }
  return largest;
}

// One step of (1); false if no step decreases V, or, with `left` negative, if memory runs out.
static bool improve(Newton* w) {
  CpsRod* rod = w->rod;
  const size_t bytes = (size_t)rod->state_count * sizeof(double);
  const double before = energy_of(rod, w->load), left = w->left;
  memcpy(w->kept, rod->state, bytes);
  double s = w->turn > 1.0 ? 1.0 / w->turn : 1.0, done = 1.0;
  for (int32_t k = 0; k < 40; ++k, s *= 0.5) {
    for (int32_t i = 0; i < w->n; ++i) w->d[i] *= s / done;
    done = s;
    rod->type->statics->move(rod, w->d);
    const double after = energy_of(rod, w->load);
    if (!look(w)) {
      w->left = -1.0;
      break;
    }
    if (w->left < left || after < before) return true;
    memcpy(rod->state, w->kept, bytes);
    rod->type->refresh(rod);
  }
  memcpy(rod->state, w->kept, bytes);
  rod->type->refresh(rod);
  if (w->left >= 0.0 && !look(w)) w->left = -1.0;
  return false;
}

static CpsStatus iterate(Newton* w, CpsSettleInfo* info) {
  if (!look(w)) return CPS_NO_MEMORY;
  for (info->iterations = 0; info->iterations < MOST; ++info->iterations) {
    if (!find_direction(w, &info->stable)) return CPS_NO_MEMORY;
    w->turn = turn_of(w);
    if (w->left <= ENOUGH && info->stable) break;
    if (!improve(w)) break;
  }
  if (w->left < 0.0) return CPS_NO_MEMORY;
  info->balance = w->left;
  // forces in stiff edges are less accurate than their positions
  return info->stable && (w->left <= GOOD || w->turn <= GOOD) ? CPS_OK : CPS_NOT_CONVERGED;
}

CpsStatus cps_world_settle_fibre(CpsWorld* world, CpsFibreId id, CpsSettleInfo* info, CpsError* error) {
  CpsFibre* f = cps_world_find_fibre(world, id);
  CpsSettleInfo own;
  if (!f) return cps_fail(error, CPS_BAD_ARGUMENT, "the fibre does not exist or was removed");
  CpsStatus status = cps_rod_can_settle(&f->rod, error);
  if (status != CPS_OK) return status;
  if (!info) info = &own;
  *info = (CpsSettleInfo){0};
  int32_t band;
  const size_t n = (size_t)f->rod.type->statics->size(&f->rod, &band);
  const CpsModelStep step = {.h = world->h, .theta = world->def.theta, .gravity = world->def.gravity};
  double* memory = calloc(3 * n + (size_t)f->rod.state_count, sizeof *memory);
  if (!memory) return cps_fail(error, CPS_NO_MEMORY, "not enough memory to bring a fibre to rest");
  cps_pulls_expect(world, &step);
  const CpsRodLoad load = cps_rod_load(&f->rod, world->def.gravity, f->rod.pull_count, f->rod.pulls);
  Newton w = {&f->rod, &load, (int32_t)n, memory, memory + n, memory + 2 * n, memory + 3 * n, -DBL_MIN, 0.0, 0.0};
  f->rod.type->move_rigidly(&f->rod, cps_vec3(0.0, 0.0, 0.0), cps_vec3(0.0, 0.0, 0.0));
  status = iterate(&w, info);
  f->rod.type->move_rigidly(&f->rod, cps_vec3(0.0, 0.0, 0.0), cps_vec3(0.0, 0.0, 0.0));
  cps_pulls_restore(world);
  free(memory);
  f->fresh = f->placed = false;
  world->changed = true;
  if (status == CPS_OK) return cps_succeed(error);
  if (status == CPS_NO_MEMORY) return cps_fail(error, status, "not enough memory to bring a fibre to rest");
  return cps_fail(error, status, "the fibre is not at rest after %d iterations: %g of its weight is not balanced",
                  (int)info->iterations, info->balance);
}
