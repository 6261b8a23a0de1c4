// Springs at points of rigid bodies, integrated implicitly together with the body's mass and its finite rotation.
//
// A body with pulls turns by the Cayley map of h s~, R+ = R C, with s~ the mean of its spins before and after. The point
// of a pull, with the arm A = R p from the centre of mass, then moves by exactly
//
//   da = h (v~ + R s~ × A~),   v~ = theta v+ + (1 - theta) v,   A~ = (A + A+)/2                                         (1)
//   P  = h [ F + k (T - a - theta da) - d (da/h - T') ]                                                                 (2)
//   m (v+ - v) = h F_ext + sum P,      C I s+ - I s = h t_ext + sum R^T (A~ × P)                                        (3)
//
// with the target T at theta h. C turns about s~, so s~.C I s+ = s~.I s+: by (1) the kinetic energy gains
// exactly the works P.da/h. At theta = 1/2 the spring releases the energy it had stored; above, it also
// loses (theta - 1/2) k |da|^2. The angular momentum R I s changes only by the torques. Newton's method
// solves (3) for (v+, s+) before contacts are known, which gives v*, s*. Contacts H^T r then act through
//
//   M~ (y+ - y*) = H^T r,   M~ = M + sum c J^T J,   c = theta h (theta h k + d),   J = [1, -[A~]x]                      (4)
//
// and the rotation is that of s~ + theta (s+ - s*). The terms omitted in (4) are of second order in h. With D = sqrt(M) and
// G = J D^-1, M~ = L L^T with L = D C', C' C'^T = 1 + sum c G^T G. A spring that leaves less than 1e-10 of its displacement after
// one step is practically rigid and is not made stiffer, which keeps C' well conditioned in double precision.
//
// Not guaranteed: convergence of Newton's method if a body turns by more than a radian or two in a step. The step then uses
// (4) from its beginning alone, and the energy balance shows the error.
#include "model/rigid.h"

#include "core/quat.h"

#include <math.h>
#include <string.h>

enum { N = 6, NEWTON_MAX = 30 };
static const double RIGID_SPRING = 1e10;

// Velocities of a body at the end of a step and its mean motion over the step.
typedef struct Motion {
  CpsVec3 velocity, spin;            // after
  CpsVec3 mean_velocity, mean_spin;  // v~, s~
} Motion;

static CpsVec3 times(CpsVec3 a, CpsVec3 b) {
  return cps_vec3(a.x * b.x, a.y * b.y, a.z * b.z);
}

static CpsVec3 mean(double theta, CpsVec3 after, CpsVec3 before) {
  return cps_vec3_axpy(cps_vec3_scale(theta, after), 1.0 - theta, before);
}

// The motion with these final velocities; `free`: the spin without contacts.
static Motion motion_of(const CpsRigidBody* b, const CpsModelStep* step, CpsVec3 velocity, CpsVec3 spin, CpsVec3 free) {
  Motion m = {velocity, spin, mean(step->theta, velocity, b->old_velocity), mean(0.5, free, b->old_spin)};
  m.mean_spin = cps_vec3_axpy(m.mean_spin, step->theta, cps_vec3_sub(spin, free));
  if (b->fixed_rotation) m.mean_spin = cps_vec3(0.0, 0.0, 0.0);
  return m;
}

static Motion motion_after(const CpsRigidBody* b, const CpsModelStep* step) {
  return motion_of(b, step, b->velocity, b->spin, b->free_spin);
}

// Cayley map: x rotated by the vector `by`, tan(angle / 2) = |by| / 2.
static CpsVec3 turned(CpsVec3 by, CpsVec3 x) {
  double w = 1.0 / (1.0 + 0.25 * cps_vec3_dot(by, by));
  CpsVec3 c = cps_vec3_axpy(cps_vec3_cross(by, x), 0.5, cps_vec3_cross(by, cps_vec3_cross(by, x)));
  return cps_vec3_axpy(x, w, c);
}

// (1 - [by]x / 2)^-1 x, used in the derivative of turned(): d(C x) = -K [(x + C x)/2]x d(by)
static CpsMat3 slope_of(CpsVec3 by) {
  double w = 1.0 / (1.0 + 0.25 * cps_vec3_dot(by, by));
  CpsMat3 K = cps_mat3_axpy(cps_mat3_identity(), 0.5, cps_mat3_cross(by));
  return cps_mat3_scale(w, cps_mat3_axpy(K, 0.25, cps_mat3_outer(by, by)));
}

CpsQuat cps_rigid_hold_turn(const CpsRigidBody* b, const CpsModelStep* step) {
  CpsVec3 half = cps_vec3_scale(0.5 * step->h, motion_after(b, step).mean_spin);
  return cps_quat_unit((CpsQuat){1.0, half.x, half.y, half.z});
}

// (1): the displacement of the point and the mean arm, world axes.
static CpsVec3 way_of(const CpsRigidBody* b, const CpsRigidPull* p, const CpsModelStep* step, const Motion* m,
                      CpsVec3* arm) {
  CpsVec3 to = turned(cps_vec3_scale(step->h, m->mean_spin), p->point);
  CpsVec3 after = cps_mat3_apply(b->hold->rotation, to);
  *arm = cps_vec3_scale(0.5, cps_vec3_add(p->arm, after));
  return cps_vec3_axpy(cps_vec3_sub(after, p->arm), step->h, m->mean_velocity);
}

// (2) for a displacement of the point.
static CpsVec3 impulse(const CpsRigidPull* p, const CpsModelStep* step, CpsVec3 way) {
  CpsVec3 F =
      cps_vec3_axpy(p->force, p->soft * p->stiffness, cps_vec3_axpy(cps_vec3_sub(p->target, p->at), -step->theta, way));
  F = cps_vec3_axpy(F, -p->soft * p->damping,
                    cps_vec3_axpy(cps_vec3_scale(1.0 / step->h, way), -1.0, p->target_velocity));
  return cps_vec3_scale(step->h, F);
}

static CpsVec3 total_force(const CpsRigidBody* b, const CpsModelStep* step) {
  return b->gravity ? cps_vec3_axpy(cps_rigid_force(b), b->mass, step->gravity) : cps_rigid_force(b);
}

// The residual of (3) for a motion.
static void residual(const CpsRigidBody* b, const CpsModelStep* step, const Motion* m, double f[N]) {
  CpsVec3 linear = cps_vec3_scale(b->mass, cps_vec3_sub(m->velocity, b->old_velocity));
  CpsVec3 after = turned(cps_vec3_scale(step->h, m->mean_spin), times(b->inertia, m->spin));
  CpsVec3 angular = cps_vec3_sub(after, times(b->inertia, b->old_spin));
  linear = cps_vec3_axpy(linear, -step->h, total_force(b, step));
  CpsVec3 torque = {0.0, 0.0, 0.0};
  for (int32_t i = 0; i < b->hold->count; ++i) {
    CpsVec3 arm, P = impulse(&b->hold->pulls[i], step, way_of(b, &b->hold->pulls[i], step, m, &arm));
    linear = cps_vec3_sub(linear, P);
    torque = cps_vec3_add(torque, cps_vec3_cross(arm, P));
  }
  angular = cps_vec3_sub(angular, cps_mat3_apply_transposed(b->hold->rotation, torque));
  angular = cps_vec3_axpy(angular, -step->h, cps_rigid_torque(b, &b->hold->rotation));
  if (b->fixed_rotation) angular = cps_vec3(0.0, 0.0, 0.0);
  cps_vec3_put(f, linear);
  cps_vec3_put(f + 3, angular);
}

static void add_block(double A[N * N], int row, int column, double factor, const CpsMat3* B) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) A[N * (row + i) + column + j] += factor * B->m[3 * i + j];
}

// The derivative of the residual with respect to (v+, s+) where both spins are free: s~ = (s + s+)/2.
static void derivative(const CpsRigidBody* b, const CpsModelStep* step, const Motion* m, double A[N * N]) {
  CpsVec3 by = cps_vec3_scale(step->h, m->mean_spin), L = times(b->inertia, m->spin);
  CpsMat3 K = slope_of(by), one = cps_mat3_identity(), R = b->hold->rotation, back = cps_mat3_transposed(R), C;
  memset(A, 0, N * N * sizeof(double));
  for (int j = 0; j < 3; ++j) {
    CpsVec3 e = {j == 0, j == 1, j == 2}, t = turned(by, times(b->inertia, e));
    C.m[j] = t.x, C.m[3 + j] = t.y, C.m[6 + j] = t.z;
  }
  CpsVec3 middle = cps_vec3_scale(0.5, cps_vec3_add(L, turned(by, L)));
  add_block(A, 0, 0, b->mass, &one);
  add_block(A, 3, 3, 1.0, &C);
  CpsMat3 slope = cps_mat3_multiply(K, cps_mat3_cross(middle));
  add_block(A, 3, 3, -0.5 * step->h, &slope);
  for (int32_t i = 0; i < b->hold->count; ++i) {
    const CpsRigidPull* p = &b->hold->pulls[i];
    CpsVec3 arm, P = impulse(p, step, way_of(b, p, step, m, &arm));
    CpsVec3 own = cps_mat3_apply_transposed(R, arm);
    double stiff = p->soft * (step->h * step->theta * p->stiffness + p->damping);
    // D = d(C p)/ds+, own axes
    CpsMat3 D = cps_mat3_scale(-0.5 * step->h, cps_mat3_multiply(K, cps_mat3_cross(own)));
    CpsMat3 RD = cps_mat3_multiply(R, D), lever = cps_mat3_cross(own);
    CpsMat3 lever_back = cps_mat3_multiply(lever, back), lever_D = cps_mat3_multiply(lever, D);
    CpsMat3 turning = cps_mat3_multiply(cps_mat3_cross(cps_mat3_apply_transposed(R, P)), D);
    add_block(A, 0, 0, stiff * step->h * step->theta, &one);
    add_block(A, 0, 3, stiff, &RD);
    add_block(A, 3, 0, stiff * step->h * step->theta, &lever_back);
    add_block(A, 3, 3, stiff, &lever_D);
    add_block(A, 3, 3, 0.5, &turning);
  }
}

// Solves A x = b in place of b, by elimination with pivoting; false if A is singular.
static bool solve(double A[N * N], double x[N]) {
  for (int k = 0; k < N; ++k) {
    int best = k;
    for (int i = k + 1; i < N; ++i)
      if (fabs(A[N * i + k]) > fabs(A[N * best + k])) best = i;
    if (!(fabs(A[N * best + k]) > 0.0)) return false;
    for (int j = 0; j < N; ++j) {
      double t = A[N * k + j];
      A[N * k + j] = A[N * best + j];
      A[N * best + j] = t;
    }
    double t = x[k];
    x[k] = x[best], x[best] = t;
    for (int i = k + 1; i < N; ++i) {
      double f = A[N * i + k] / A[N * k + k];
      for (int j = k; j < N; ++j) A[N * i + j] -= f * A[N * k + j];
      x[i] -= f * x[k];
    }
  }
  for (int k = N - 1; k >= 0; --k) {
    for (int j = k + 1; j < N; ++j) x[k] -= A[N * k + j] * x[j];
    x[k] /= A[N * k + k];
  }
  return true;
}

// (3) from an initial guess; false if Newton's method fails, and the guess remains.
static bool solve_motion(const CpsRigidBody* b, const CpsModelStep* step, CpsVec3* velocity, CpsVec3* spin) {
  CpsVec3 v = *velocity, s = *spin;
  double last = INFINITY, A[N * N], f[N];
  for (int k = 0; k < NEWTON_MAX; ++k) {
    Motion m = motion_of(b, step, v, s, s);
    residual(b, step, &m, f);
    derivative(b, step, &m, A);
    if (b->fixed_rotation) {
      for (int i = 3; i < N; ++i)
        for (int j = 0; j < N; ++j) A[N * i + j] = A[N * j + i] = i == j ? 1.0 : 0.0;
    }
    if (!solve(A, f)) return false;
    CpsVec3 dv = cps_vec3_get(f), ds = cps_vec3_get(f + 3);
    v = cps_vec3_sub(v, dv);
    s = cps_vec3_sub(s, ds);
    // the size of a step in the kinetic-energy norm; rounding limits its decrease
    double size = b->mass * cps_vec3_dot(dv, dv) + cps_vec3_dot(ds, times(b->inertia, ds));
    double all = b->mass * cps_vec3_dot(v, v) + cps_vec3_dot(s, times(b->inertia, s));
    if (!isfinite(size) || !isfinite(all)) return false;
    if (size <= 1e-31 * all || (size <= 1e-22 * all && size >= last)) {
      *velocity = v, *spin = s;
      return true;
    }
    last = size;
  }
  return false;
}

// Rows of G: 3 x 6.
static void find_rows(const CpsRigidBody* b, CpsVec3 arm, double G[3 * N]) {
  static const CpsVec3 AXES[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  CpsVec3 s = b->inv_sqrt_inertia;
  for (int i = 0; i < 3; ++i) {
    CpsVec3 t = cps_mat3_apply_transposed(b->hold->rotation, cps_vec3_cross(arm, AXES[i]));
    double* row = G + (ptrdiff_t)N * i;
    for (int k = 0; k < 3; ++k) row[k] = i == k ? b->inv_sqrt_mass : 0.0;
    row[3] = s.x * t.x, row[4] = s.y * t.y, row[5] = s.z * t.z;
  }
}

// C' of C' C'^T = A in place of A, which is 1 plus a positive semidefinite matrix.
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

// M~ with the arms of a motion.
static void find_mass(CpsRigidBody* b, const CpsModelStep* step, const Motion* m) {
  CpsRigidHold* hold = b->hold;
  double G[3 * N], h = step->theta * step->h;
  memset(hold->C, 0, sizeof hold->C);
  for (int i = 0; i < N; ++i) hold->C[N * i + i] = 1.0;
  for (int32_t n = 0; n < hold->count; ++n) {
    const CpsRigidPull* p = &hold->pulls[n];
    CpsVec3 arm;
    (void)way_of(b, p, step, m, &arm);
    find_rows(b, arm, G);
    double c = p->soft * h * (h * p->stiffness + p->damping);
    for (int r = 0; r < 3; ++r) {
      const double* g = G + (ptrdiff_t)N * r;
      for (int i = 0; i < N; ++i)
        for (int j = 0; j <= i; ++j) hold->C[N * i + j] += c * g[i] * g[j];
    }
  }
  factorise(hold->C);
}

double cps_rigid_pull_soft(const CpsRigidBody* b, const CpsRigidPull* p, const CpsModelStep* step) {
  static const CpsVec3 AXES[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  double trace = 3.0 * b->inv_sqrt_mass * b->inv_sqrt_mass, h = step->theta * step->h;
  for (int i = 0; i < 3; ++i) {
    CpsVec3 t = times(b->inv_sqrt_inertia, cps_vec3_cross(p->point, AXES[i]));
    trace += cps_vec3_dot(t, t);
  }
  double c = h * (h * p->stiffness + p->damping);
  return c * trace > RIGID_SPRING ? RIGID_SPRING / (c * trace) : 1.0;
}

double cps_rigid_pull_stored(const CpsRigidBody* b, const CpsRigidPull* p) {
  CpsVec3 at = cps_vec3_add(b->pose.position, cps_quat_rotate(b->pose.rotation, p->point));
  CpsVec3 e = cps_vec3_sub(p->rest, at);
  return 0.5 * p->soft * p->stiffness * cps_vec3_dot(e, e);
}

// The first guess: free flight with the gyroscopic term, then one step of (4).
static void guess(CpsRigidBody* b, const CpsModelStep* step) {
  double f[N];
  Motion m = motion_of(b, step, b->free_velocity, b->free_spin, b->free_spin);
  find_mass(b, step, &m);
  residual(b, step, &m, f);
  CpsVec3 s = b->inv_sqrt_inertia;
  double y[N] = {
      b->inv_sqrt_mass * f[0], b->inv_sqrt_mass * f[1], b->inv_sqrt_mass * f[2], s.x * f[3], s.y * f[4], s.z * f[5]};
  cps_rigid_hold_forward(b->hold, y);
  cps_rigid_hold_backward(b->hold, y);
  b->free_velocity = cps_vec3_axpy(b->free_velocity, -b->inv_sqrt_mass, cps_vec3(y[0], y[1], y[2]));
  b->free_spin = cps_vec3_sub(b->free_spin, cps_vec3(s.x * y[3], s.y * y[4], s.z * y[5]));
}

void cps_rigid_hold_begin(CpsRigidBody* b, const CpsModelStep* step) {
  for (int32_t n = 0; n < b->hold->count; ++n) {
    CpsRigidPull* p = &b->hold->pulls[n];
    p->arm = cps_mat3_apply(b->hold->rotation, p->point);
    p->at = cps_vec3_add(b->pose.position, p->arm);
  }
  guess(b, step);
  (void)solve_motion(b, step, &b->free_velocity, &b->free_spin);
  Motion m = motion_of(b, step, b->free_velocity, b->free_spin, b->free_spin);
  find_mass(b, step, &m);
}

CpsVec3 cps_rigid_pull_impulse(const CpsRigidBody* b, const CpsRigidPull* p, const CpsModelStep* step, CpsVec3* way) {
  CpsVec3 arm;
  Motion m = motion_after(b, step);
  *way = way_of(b, p, step, &m, &arm);
  return impulse(p, step, *way);
}

// D times the sum or difference of the final and the free velocities; fixed rotations contribute nothing.
static void scaled(const CpsRigidBody* b, double sign, double x[N]) {
  CpsVec3 v = cps_vec3_axpy(b->velocity, sign, b->free_velocity), s = cps_vec3_axpy(b->spin, sign, b->free_spin);
  double m = sqrt(b->mass);
  double turning = b->fixed_rotation ? 0.0 : 1.0;
  x[0] = m * v.x, x[1] = m * v.y, x[2] = m * v.z;
  x[3] = turning * sqrt(b->inertia.x) * s.x;
  x[4] = turning * sqrt(b->inertia.y) * s.y;
  x[5] = turning * sqrt(b->inertia.z) * s.z;
}

// Work of contacts as accounted for by world/advance.c: (y+ - y*)^T M~ (y+ + y*) / 2.
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

// The work of the residual of (3) due to contacts: (y~).(residual after - residual without contacts).
static double missed_work(const CpsRigidBody* b, const CpsModelStep* step, const Motion* m) {
  double after[N], without[N], work = 0.0;
  Motion free = motion_of(b, step, b->free_velocity, b->free_spin, b->free_spin);
  residual(b, step, m, after);
  residual(b, step, &free, without);
  const double y[N] = {m->mean_velocity.x, m->mean_velocity.y, m->mean_velocity.z,
                       m->mean_spin.x,     m->mean_spin.y,     m->mean_spin.z};
  for (int i = 0; i < N; ++i) work += y[i] * (after[i] - without[i]);
  return work;
}

// The works of springs and loads, and the loss of the scheme: (theta - 1/2) times the squared changes, in the norms of the
// kinetic energy and of the springs, and the work of contacts beyond (4).
void cps_rigid_hold_energy(const CpsRigidBody* body, const CpsModelStep* step, CpsModelEnergy* out) {
  CpsRigidBody done = *body;
  const CpsRigidBody* b = &done;
  done.velocity = body->done_velocity;
  done.spin = body->done_spin;
  Motion m = motion_after(b, step);
  CpsVec3 torque = cps_rigid_torque(b, &b->hold->rotation);
  double loads =
      step->h * cps_vec3_dot(cps_rigid_force(b), m.mean_velocity) + step->h * cps_vec3_dot(torque, m.mean_spin);
  double late = step->theta - 0.5;
  CpsVec3 dv = cps_vec3_sub(b->velocity, b->old_velocity);
  out->external += loads;
  out->scheme += late * b->mass * cps_vec3_dot(dv, dv);
  out->turnover += fabs(loads);
  if (b->gravity) out->turnover += fabs(step->h * b->mass * cps_vec3_dot(step->gravity, m.mean_velocity));
  for (int32_t i = 0; i < b->hold->count; ++i) {
    const CpsRigidPull* p = &b->hold->pulls[i];
    CpsVec3 arm, way = way_of(b, p, step, &m, &arm);
    CpsPullWork work = cps_pull_work(step, p->soft * p->stiffness, p->soft * p->damping, p->force,
                                     cps_vec3_sub(p->target, p->at), p->target_velocity, way);
    out->external += work.external;
    out->damping += work.damping;
    out->scheme += work.scheme;
    out->turnover += fabs(cps_vec3_dot(impulse(p, step, way), way)) / step->h;
  }
  bool touched = !cps_vec3_is_equal(b->velocity, b->free_velocity) || !cps_vec3_is_equal(b->spin, b->free_spin);
  if (!touched) return;
  CpsVec3 by_contacts = cps_vec3_sub(b->spin, b->free_spin), ds = cps_vec3_sub(b->spin, b->old_spin);
  if (!b->fixed_rotation) out->scheme += late * cps_vec3_dot(by_contacts, times(b->inertia, ds));
  out->scheme += contact_work(b) - missed_work(b, step, &m);
}
