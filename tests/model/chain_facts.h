// Facts that hold for every rod made of points, whatever its strains.
#ifndef CAPSTAN_TESTS_MODEL_CHAIN_FACTS_H
#define CAPSTAN_TESTS_MODEL_CHAIN_FACTS_H

#include "core/random.h"
#include "model/chain.h"

#include "test_helpers.h"

#include <stdlib.h>
#include <string.h>

// A noodle of 30 cm: soft enough for short tests, no gravity of its own choice, free ends.
static CpsFibreDef noodle(CpsRodModel model, int32_t elements) {
  return (CpsFibreDef){.model = model,
                       .elements = elements,
                       .length = 0.3,
                       .root_pose = {{0.1, 0.2, 0.3}, {1, 0, 0, 0}},
                       .radius = 2e-3,
                       .radius_across = NAN,
                       .density = 1200.0,
                       .young = 1e7,
                       .poisson = 0.5,
                       .radius_tip = NAN,
                       .line_density = NAN,
                       .bending = {NAN, NAN},
                       .twisting = NAN,
                       .stretching = NAN,
                       .gravity = true};
}

static CpsRod make_rod(const CpsFibreDef* def) {
  CpsRod rod;
  assert_int_equal(cps_rod_create(def, &rod, NULL), CPS_OK);
  return rod;
}

// Ends at rest where they are.
static void keep_ends(CpsRod* rod) {
  rod->root.next = rod->root.now;
  rod->tip.next = rod->tip.now;
}

static void step_rod(CpsRod* rod, const CpsModelStep* step) {
  rod->type->begin(rod, step);
  rod->type->receive(rod, NULL);
  rod->type->advance(rod, step);
  rod->root.now = rod->root.next;
  rod->tip.now = rod->tip.next;
  rod->type->refresh(rod);
}

// Displaces every free coordinate at random.
static void shake(CpsRod* rod, double by, uint64_t seed) {
  CpsChain c = cps_chain_of(rod);
  CpsRandom random = cps_random_seed(seed);
  for (int32_t i = 0; i <= c.segments; ++i) {
    CpsVec3 d = {cps_random_normal(&random), cps_random_normal(&random), cps_random_normal(&random)};
    CpsVec3 a = {cps_random_normal(&random), cps_random_normal(&random), cps_random_normal(&random)};
    if (c.stride * i >= c.first && c.stride * i < c.last) c.x[i] = cps_vec3_axpy(c.x[i], by * c.size, d);
    if (c.stride == 6 && i < c.segments)
      c.q[i] = cps_quat_unit(cps_quat_multiply(c.q[i], cps_quat_exp(cps_vec3_scale(by, a))));
  }
  rod->type->refresh(rod);
}

// Generalised force on each entry: in a step so short that M~ is M, v* - v is h F / M.
static void forces(CpsRod* rod, double* out) {
  const CpsModelStep step = {.h = 1e-9, .theta = 1.0};
  CpsChain c = cps_chain_of(rod);
  rod->type->begin(rod, &step);
  for (int32_t i = 0; i < c.count; ++i) out[i] = c.mass[i] * (c.free[i] - c.v[i]) / step.h;
}

static void nudge(CpsChain* c, int32_t entry, double by) {
  int32_t i = entry / c->stride, k = entry % c->stride;
  double d[6] = {0};
  d[k] = by;
  c->x[i] = cps_vec3_add(c->x[i], cps_vec3(d[0], d[1], d[2]));
  if (k >= 3) c->q[i] = cps_quat_multiply(c->q[i], cps_quat_exp(cps_vec3(d[3], d[4], d[5])));
}

static double elastic_energy(CpsRod* rod) {
  CpsRodEnergy e;
  rod->type->refresh(rod);
  rod->type->energy(rod, cps_vec3(0, 0, 0), &e);
  return e.elastic;
}

// Entry i is tested if keep(i) says so. Central differences: error d^2 of the third derivative and rounding 1e-16 E / d.
static void forces_are_minus_the_slope_of_the_energy(CpsRod* rod, bool (*keep)(int32_t)) {
  CpsChain c = cps_chain_of(rod);
  double* F = calloc((size_t)c.count, sizeof *F);
  memset(c.v, 0, (size_t)c.count * sizeof *c.v);
  forces(rod, F);
  double largest = 0.0;
  for (int32_t i = c.first; i < c.last; ++i) largest = fmax(largest, fabs(F[i]));
  assert_true(largest > 0.0);
  for (int32_t i = c.first; i < c.last; ++i) {
    if (keep && !keep(i)) continue;
    double d = i % c.stride < 3 ? 1e-5 * c.size : 1e-5;
    double* kept = malloc((size_t)rod->state_count * sizeof *kept);
    memcpy(kept, rod->state, (size_t)rod->state_count * sizeof *kept);
    nudge(&c, i, d);
    double up = elastic_energy(rod);
    memcpy(rod->state, kept, (size_t)rod->state_count * sizeof *kept);
    nudge(&c, i, -d);
    double down = elastic_energy(rod);
    memcpy(rod->state, kept, (size_t)rod->state_count * sizeof *kept);
    rod->type->refresh(rod);
    free(kept);
    assert_near(F[i], -(up - down) / (2.0 * d), 1e-5 * largest);
  }
  free(F);
}

// With damping 1 s the damping force is -K v: K is the slope of the force where no strain is.
static void hessian_is_exact_at_rest(CpsRod* rod) {
  CpsChain c = cps_chain_of(rod);
  rod->spec.damping = 1.0;
  size_t bytes = (size_t)c.count * sizeof(double);
  double *Kv = malloc(bytes), *up = malloc(bytes), *down = malloc(bytes), *dir = malloc(bytes);
  CpsRandom random = cps_random_seed(5);
  double d = 1e-6 * c.size;
  for (int32_t i = 0; i < c.count; ++i) {
    bool is_free = i >= c.first && i < c.last;
    dir[i] = is_free ? cps_random_normal(&random) * (i % c.stride < 3 ? 1.0 : 1.0 / c.size) : 0.0;
  }
  memcpy(c.v, dir, bytes);
  forces(rod, Kv);
  memset(c.v, 0, bytes);
  for (int side = 0; side < 2; ++side) {
    double* kept = malloc((size_t)rod->state_count * sizeof *kept);
    memcpy(kept, rod->state, (size_t)rod->state_count * sizeof *kept);
    for (int32_t i = c.first; i < c.last; ++i) nudge(&c, i, (side ? -d : d) * dir[i]);
    forces(rod, side ? down : up);
    memcpy(rod->state, kept, (size_t)rod->state_count * sizeof *kept);
    free(kept);
  }
  double largest = 0.0;
  for (int32_t i = c.first; i < c.last; ++i) largest = fmax(largest, fabs(Kv[i]));
  for (int32_t i = c.first; i < c.last; ++i) assert_near(Kv[i], (up[i] - down[i]) / (2.0 * d), 1e-5 * largest);
  free(Kv), free(up), free(down), free(dir);
}

// v.K v >= 0 in any shape: damping takes energy from every motion.
static void hessian_is_positive_semidefinite(CpsRod* rod) {
  CpsChain c = cps_chain_of(rod);
  rod->spec.damping = 1.0;
  size_t bytes = (size_t)c.count * sizeof(double);
  double *moving = malloc(bytes), *still = malloc(bytes), *v = malloc(bytes);
  CpsRandom random = cps_random_seed(7);
  memset(c.v, 0, bytes);
  forces(rod, still);
  for (int k = 0; k < 50; ++k) {
    for (int32_t i = 0; i < c.count; ++i) v[i] = c.v[i] = i >= c.first && i < c.last ? cps_random_normal(&random) : 0.0;
    forces(rod, moving);
    double power = 0.0, size = 0.0;
    for (int32_t i = c.first; i < c.last; ++i) {
      power += v[i] * (moving[i] - still[i]);
      size += fabs(v[i] * (moving[i] - still[i]));
    }
    assert_below(power, 1e-12 * size);
  }
  free(moving), free(still), free(v);
}

// The velocity of a point changes by G G^T r, and G is the motion of the point under shift.
static void rows_agree_with_impulses(CpsRod* rod, double s) {
  const CpsModelStep step = {.h = 1e-3, .theta = 1.0, .gravity = {0, 0, -9.81}};
  CpsMat3 frame = cps_mat3_frame(cps_vec3_unit(cps_vec3(1, -2, 3)), cps_vec3(0, 1, 0));
  int32_t m = rod->dofs;
  double *G = malloc(3 * (size_t)m * sizeof *G), *z = calloc((size_t)m, sizeof *z), r[3] = {0.7, -0.2, 0.4};
  rod->type->begin(rod, &step);
  rod->type->rows(rod, s, NULL, &frame, 1.0, G);
  for (int k = 0; k < 3; ++k)
    for (int32_t j = 0; j < m; ++j) z[j] += 1e-4 * r[k] * G[k * m + j];
  rod->type->receive(rod, z);
  CpsVec3 du =
      cps_vec3_sub(rod->type->velocity(rod, s, CPS_VELOCITY_AFTER), rod->type->velocity(rod, s, CPS_VELOCITY_FREE));
  CpsVec3 local = cps_mat3_apply(frame, du), before = rod->type->at(rod, s).position;
  rod->type->shift(rod, z);
  CpsVec3 moved = cps_mat3_apply(frame, cps_vec3_sub(rod->type->at(rod, s).position, before));
  const double changed[3] = {local.x, local.y, local.z}, shifted[3] = {moved.x, moved.y, moved.z};
  for (int k = 0; k < 3; ++k) {
    double w = 0.0;
    for (int32_t j = 0; j < m; ++j) w += G[k * m + j] * z[j];
    assert_near(changed[k], w, 1e-13);
    assert_near(shifted[k], w, 1e-13);
  }
  free(G), free(z);
}

// Gravity acts on all points alike, and nothing else does.
static void free_fall_is_exact(CpsRod* rod) {
  const CpsModelStep step = {.h = 1e-2, .theta = 1.0, .gravity = {0.5, -1.0, -9.81}};
  CpsChain c = cps_chain_of(rod);
  CpsVec3 start = c.x[0];
  rod->type->move_rigidly(rod, cps_vec3(0.3, 0.1, 2.0), cps_vec3(0, 0, 0));
  for (int k = 0; k < 50; ++k) step_rod(rod, &step);
  // v = v0 + g t, x = x0 + v0 t + g t (t + h) / 2
  double t = 50 * step.h;
  for (int32_t i = 0; i <= c.segments; ++i) assert_near(c.v[c.stride * i + 2], 2.0 - 9.81 * t, 1e-10);
  assert_near(c.x[0].z - start.z, 2.0 * t - 0.5 * 9.81 * t * (t + step.h), 1e-10);
  assert_near(c.x[0].x - start.x, 0.3 * t + 0.25 * t * (t + step.h), 1e-10);
}

// Internal forces do not push a free rod.
static void linear_momentum_is_kept(CpsRod* rod, double h) {
  const CpsModelStep step = {.h = h, .theta = 1.0};
  CpsVec3 p0, L0, p1, L1;
  rod->type->move_rigidly(rod, cps_vec3(0.3, -0.2, 0.1), cps_vec3(1, 2, 3));
  rod->type->momentum(rod, &p0, &L0);
  for (int k = 0; k < 200; ++k) step_rod(rod, &step);
  rod->type->momentum(rod, &p1, &L1);
  double scale = cps_vec3_norm(p0);
  assert_below(cps_vec3_norm(cps_vec3_sub(p1, p0)), 1e-10 * scale);
}

static double total_energy(const CpsRod* rod, CpsVec3 gravity) {
  CpsRodEnergy e;
  rod->type->energy(rod, gravity, &e);
  return e.kinetic + e.gravity + e.elastic;
}

// Tip of a clamped rod under a small load across, once it rests.
static CpsVec3 rest_under(CpsRod* rod, CpsVec3 force, CpsVec3 gravity, int steps, double h) {
  const CpsModelStep step = {.h = h, .theta = 1.0, .gravity = gravity};
  CpsRodPull pull = {.s = rod->spec.length, .force = force};
  rod->pulls = &pull;
  rod->pull_count = 1;
  keep_ends(rod);
  for (int k = 0; k < steps; ++k) step_rod(rod, &step);
  rod->pull_count = 0;
  return rod->type->at(rod, rod->spec.length).position;
}

// A noodle of 0.3 m that hangs from a pinned root at x = 0.1, gravity along x: rho S g L^2 / 2 E S. Lumped masses give the
// exact sum.
static void weight_stretches_by_the_formula(CpsRodModel model) {
  CpsFibreDef def = noodle(model, 10);
  def.root.kind = CPS_END_PINNED;
  CpsRod rod = make_rod(&def);
  CpsVec3 tip = rest_under(&rod, cps_vec3(0, 0, 0), cps_vec3(9.81, 0, 0), 400, 0.1);
  double exact = 1200.0 * 9.81 * 0.09 / (2.0 * 1e7);
  assert_near((tip.x - 0.4) / exact, 1.0, 1e-9);
  cps_rod_free(&rod);
}

// The energy of a shaken free rod goes, also in steps far above the period of its springs.
static void energy_of_a_shaken_rod_does_not_grow(const CpsFibreDef* def) {
  static const double H[3] = {1e-4, 1e-3, 1e-2};
  for (int k = 0; k < 3; ++k) {
    CpsRod rod = make_rod(def);
    shake(&rod, 0.05, 9);
    const CpsModelStep step = {.h = H[k], .theta = 1.0};
    double before = total_energy(&rod, cps_vec3(0, 0, 0));
    for (int i = 0; i < 300; ++i) {
      step_rod(&rod, &step);
      double now = total_energy(&rod, cps_vec3(0, 0, 0));
      assert_below(now, before * (1.0 + 1e-9));
      before = now;
    }
    cps_rod_free(&rod);
  }
}

#endif
