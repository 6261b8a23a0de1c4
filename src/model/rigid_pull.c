// Springs that pull at points of rigid bodies, taken implicitly together with the body's mass.
//
// A pull gives its point x, whose velocity is u = J v, the impulse
//
//   p = h [ F + k (T - x - theta h u~) - d (u~ - T') ],   u~ = theta u+ + (1 - theta) u                               (1)
//
// with the target T where it is theta h after the beginning of the step: the spring is read at the end of the step for
// theta = 1, in the middle for theta = 1/2. It is linear in v+, so that the body moves with contacts H^T r as with
//
//   M~ (v+ - v*) = H^T r,   M~ = M + sum c J^T J,   c = theta h (theta h k + d)                                        (2)
//   M~ (v* - v^) = sum J^T p(v^),   v^ the velocity without pulls and contacts                                         (3)
//
// and no stiffness makes it unstable. With D = sqrt(M) and G = J D^-1, M~ = L L^T with L = D C, C C^T = 1 + sum c G^T G.
// A spring that leaves less than 1e-10 of its way after one step is as good as rigid and not made stiffer: C stays a
// factor of numbers that a double can tell apart.
#include "model/rigid.h"

#include <math.h>
#include <string.h>

enum { N = 6 };
static const double RIGID_SPRING = 1e10;

static CpsVec3 velocity_at(const CpsRigidBody* b, CpsVec3 arm, CpsVec3 velocity, CpsVec3 spin) {
  return cps_vec3_add(velocity, cps_vec3_cross(cps_mat3_apply(b->rotation, spin), arm));
}

static CpsVec3 mean(double theta, CpsVec3 after, CpsVec3 before) {
  return cps_vec3_axpy(cps_vec3_scale(theta, after), 1.0 - theta, before);
}

// (1) for a velocity of the body at the end of the step; the mean velocity of the point into *moving.
static CpsVec3 impulse(const CpsRigidBody* b, const CpsRigidPull* p, const CpsModelStep* step, CpsVec3 velocity,
                       CpsVec3 spin, CpsVec3* moving) {
  CpsVec3 before = velocity_at(b, p->arm, b->old_velocity, b->old_spin);
  CpsVec3 u = mean(step->theta, velocity_at(b, p->arm, velocity, spin), before);
  CpsVec3 F = cps_vec3_axpy(p->force, p->soft * p->stiffness,
                            cps_vec3_axpy(cps_vec3_sub(p->target, p->at), -step->theta * step->h, u));
  F = cps_vec3_axpy(F, -p->soft * p->damping, cps_vec3_sub(u, p->target_velocity));
  if (moving) *moving = u;
  return cps_vec3_scale(step->h, F);
}

// Rows of G: 3 x 6.
static void find_rows(const CpsRigidBody* b, CpsVec3 arm, double G[3 * N]) {
  static const CpsVec3 AXES[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  CpsVec3 s = b->inv_sqrt_inertia;
  for (int i = 0; i < 3; ++i) {
    CpsVec3 t = cps_mat3_apply_transposed(b->rotation, cps_vec3_cross(arm, AXES[i]));
    double* row = G + (ptrdiff_t)N * i;
    for (int k = 0; k < 3; ++k) row[k] = i == k ? b->inv_sqrt_mass : 0.0;
    row[3] = s.x * t.x, row[4] = s.y * t.y, row[5] = s.z * t.z;
  }
}

// C of C C^T = A in the place of A, which is 1 + something positive.
static void factorise(double A[N * N]) {
  for (int j = 0; j < N; ++j) {
    for (int i = j; i < N; ++i) {
      double sum = A[N * i + j];
      for (int k = 0; k < j; ++k) sum -= A[N * i + k] * A[N * j + k];
      A[N * i + j] = i == j ? sqrt(sum) : sum / A[N * j + j];
    }
  }
}

void cps_rigid_hold_forward(const CpsRigidHold* hold, double x[6]) {
  for (int i = 0; i < N; ++i) {
    for (int k = 0; k < i; ++k) x[i] -= hold->C[N * i + k] * x[k];
    x[i] /= hold->C[N * i + i];
  }
}

void cps_rigid_hold_backward(const CpsRigidHold* hold, double x[6]) {
  for (int i = N - 1; i >= 0; --i) {
    for (int k = i + 1; k < N; ++k) x[i] -= hold->C[N * k + i] * x[k];
    x[i] /= hold->C[N * i + i];
  }
}

void cps_rigid_hold_begin(CpsRigidBody* b, const CpsModelStep* step) {
  CpsRigidHold* hold = b->hold;
  double y[N] = {0}, G[3 * N];
  memset(hold->C, 0, sizeof hold->C);
  for (int i = 0; i < N; ++i) hold->C[N * i + i] = 1.0;
  for (int32_t n = 0; n < hold->count; ++n) {
    CpsRigidPull* p = &hold->pulls[n];
    p->arm = cps_mat3_apply(b->rotation, p->point);
    p->at = cps_vec3_add(b->pose.position, p->arm);
    find_rows(b, p->arm, G);
    double trace = 0.0, h = step->theta * step->h;
    for (int i = 0; i < 3 * N; ++i) trace += G[i] * G[i];
    double c = h * (h * p->stiffness + p->damping);
    p->soft = c * trace > RIGID_SPRING ? RIGID_SPRING / (c * trace) : 1.0;
    CpsVec3 push = impulse(b, p, step, b->free_velocity, b->free_spin, NULL);
    const double part[3] = {push.x, push.y, push.z};
    for (int r = 0; r < 3; ++r) {
      const double* g = G + (ptrdiff_t)N * r;
      for (int i = 0; i < N; ++i) y[i] += g[i] * part[r];
      for (int i = 0; i < N; ++i) {
        for (int j = 0; j <= i; ++j) hold->C[N * i + j] += p->soft * c * g[i] * g[j];
      }
    }
  }
  factorise(hold->C);
  // (3)
  cps_rigid_hold_forward(hold, y);
  cps_rigid_hold_backward(hold, y);
  CpsVec3 s = b->inv_sqrt_inertia;
  b->free_velocity = cps_vec3_axpy(b->free_velocity, b->inv_sqrt_mass, cps_vec3(y[0], y[1], y[2]));
  b->free_spin = cps_vec3_add(b->free_spin, cps_vec3(s.x * y[3], s.y * y[4], s.z * y[5]));
}

CpsVec3 cps_rigid_pull_impulse(const CpsRigidBody* b, const CpsRigidPull* p, const CpsModelStep* step,
                               CpsVec3* moving) {
  return impulse(b, p, step, b->velocity, b->spin, moving);
}

// D times the sum or difference of the velocities after the step and free; what cannot turn has no part of it.
static void scaled(const CpsRigidBody* b, double sign, double x[N]) {
  CpsVec3 v = cps_vec3_axpy(b->velocity, sign, b->free_velocity), s = cps_vec3_axpy(b->spin, sign, b->free_spin);
  double m = sqrt(b->mass);
  double turning = b->fixed_rotation ? 0.0 : 1.0;
  x[0] = m * v.x, x[1] = m * v.y, x[2] = m * v.z;
  x[3] = turning * sqrt(b->inertia.x) * s.x;
  x[4] = turning * sqrt(b->inertia.y) * s.y;
  x[5] = turning * sqrt(b->inertia.z) * s.z;
}

// What the books of world/advance.c say that contacts did: (v+ - v*)^T M~ (v+ + v*) / 2.
static double contact_work(const CpsRigidBody* b) {
  const double* C = b->hold->C;
  double minus[N], plus[N], work = 0.0;
  scaled(b, -1.0, minus);
  scaled(b, 1.0, plus);
  for (int i = 0; i < N; ++i) {
    double x = 0.0, y = 0.0;
    for (int k = i; k < N; ++k) x += C[N * k + i] * minus[k], y += C[N * k + i] * plus[k];
    work += 0.5 * x * y;
  }
  return work;
}

// With an implicit mass that is not the mass, the scheme loses what the forces did, less what the body gained, plus what the
// books say that contacts did to it.
void cps_rigid_hold_energy(const CpsRigidBody* b, const CpsModelStep* step, CpsModelEnergy* out) {
  CpsVec3 v = mean(step->theta, b->velocity, b->old_velocity), s = mean(step->theta, b->spin, b->old_spin);
  CpsVec3 torque = cps_mat3_apply_transposed(b->rotation, b->torque);
  double loads = step->h * cps_vec3_dot(b->force, v), weight = 0.0, pulls = 0.0;
  if (!b->fixed_rotation) loads += step->h * cps_vec3_dot(torque, s);
  if (b->gravity) weight = step->h * b->mass * cps_vec3_dot(step->gravity, v);
  for (int32_t i = 0; i < b->hold->count; ++i) {
    CpsVec3 moving, p = cps_rigid_pull_impulse(b, &b->hold->pulls[i], step, &moving);
    pulls += cps_vec3_dot(p, moving);
    out->turnover += fabs(cps_vec3_dot(p, moving));
  }
  CpsVec3 d = cps_vec3_sub(b->velocity, b->old_velocity), m = cps_vec3_add(b->velocity, b->old_velocity);
  double gained = 0.5 * b->mass * cps_vec3_dot(d, m);
  if (!b->fixed_rotation) {
    CpsVec3 e = cps_vec3_sub(b->spin, b->old_spin), n = cps_vec3_add(b->spin, b->old_spin);
    gained += 0.5 * (b->inertia.x * e.x * n.x + b->inertia.y * e.y * n.y + b->inertia.z * e.z * n.z);
  }
  out->external += loads + pulls;
  out->scheme += loads + weight + pulls - gained + contact_work(b);
  out->turnover += fabs(loads + weight);
}
