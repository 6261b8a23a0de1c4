// Super-clothoids behind rod.h: derivatives against differences, energies against forces, closed forms, and motions whose
// invariants are known.
#include "model/super_clothoid.h"

#include "model/helix.h"

#include "test_helpers.h"

#include <stdlib.h>
#include <string.h>

static const CpsVec3 NONE = {0.0, 0.0, 0.0};
static const CpsVec3 GRAVITY = {0.0, 0.0, -9.81};

// A curled rod whose section, shape and pose are aligned with nothing.
static CpsFibreDef odd_rod(CpsEndKind root) {
  static const CpsVec3 NATURAL[] = {{3, 8, -5}, {-2, 12, 4}, {1, -6, 9}};
  static const CpsVec3 START[] = {{2, 5, -9}, {-1, 15, 2}};
  CpsFibreDef def = cps_fibre_def_default();
  def.model = CPS_ROD_SUPER_CLOTHOID;
  def.elements = 4;
  def.length = 0.4;
  def.radius = 2e-3;
  def.radius_across = 1.2e-3;
  def.young = 5e7;
  def.natural_count = 3;
  def.natural = NATURAL;
  def.curvature_count = 2;
  def.curvature = START;
  def.root_pose = (CpsPose){{0.3, -0.2, 0.5}, {0.6, -0.3, 0.5, 0.2}};
  def.root.kind = root;
  return def;
}

static CpsRod make(const CpsFibreDef* def) {
  CpsRod rod;
  assert_int_equal(cps_rod_create(def, &rod, NULL), CPS_OK);
  return rod;
}

// The same in its natural shape: nothing is released at once, motions are smooth from the beginning on.
static CpsFibreDef calm_rod(CpsEndKind root) {
  CpsFibreDef def = odd_rod(root);
  def.natural_as_placed = true;
  return def;
}

// Velocities without any pattern.
static void stir(CpsRod* rod, double scale) {
  CpsSuperClothoid c = cps_super_clothoid(rod);
  for (int32_t i = 0; i < c.dofs; ++i) c.v[CPS_VELOCITY_AFTER][i] = scale * sin(1.0 + 2.7 * i);
  memcpy(c.k_then, c.k, (size_t)(c.count + 1) * sizeof *c.k);
  *c.pose_then = *c.pose;
  rod->type->refresh(rod);
}

static void step_on(CpsRod* rod, const CpsModelStep* step) {
  rod->type->begin(rod, step);
  rod->type->receive(rod, NULL);
  rod->type->advance(rod, step);
  rod->type->refresh(rod);
}

static const CpsEndKind ROOTS[] = {CPS_END_FREE, CPS_END_PINNED, CPS_END_CLAMPED};

// Row k of G against the motion of the point under a small displacement of each degree of freedom.
static void rows_are_the_derivative_of_the_point(void** state) {
  (void)state;
  const CpsModelStep step = {.h = 1e-2, .theta = 1.0, .gravity = GRAVITY};
  for (int r = 0; r < 3; ++r) {
    CpsFibreDef def = odd_rod(ROOTS[r]);
    CpsRod rod = make(&def);
    rod.type->begin(&rod, &step);
    CpsMat3 frame = cps_mat3_frame(cps_vec3_unit(cps_vec3(1, 2, 3)), cps_vec3(1, 0, 0));
    double *G = calloc(3 * (size_t)rod.dofs, sizeof *G), *z = calloc((size_t)rod.dofs, sizeof *z);
    double* kept = malloc((size_t)rod.state_count * sizeof *kept);
    assert_true(G && z && kept);
    memcpy(kept, rod.state, (size_t)rod.state_count * sizeof *kept);
    for (int part = 0; part <= 5; ++part) {
      double s = 0.08 * part, largest = 0.0;
      rod.type->rows(&rod, s, NULL, &frame, -1.0, G);
      for (int32_t j = 0; j < 3 * rod.dofs; ++j) largest = fmax(largest, fabs(G[j]));
      double d = 3e-7 / fmax(largest, 1e-6);
      for (int32_t j = 0; j < rod.dofs; ++j) {
        CpsVec3 end[2];
        for (int sign = 0; sign < 2; ++sign) {
          z[j] = sign == 0 ? d : -d;
          rod.type->shift(&rod, z);
          z[j] = 0.0;
          rod.type->refresh(&rod);
          end[sign] = rod.type->at(&rod, s).position;
          memcpy(rod.state, kept, (size_t)rod.state_count * sizeof *kept);
          rod.type->refresh(&rod);
        }
        CpsVec3 slope = cps_mat3_apply(frame, cps_vec3_scale(-0.5 / d, cps_vec3_sub(end[0], end[1])));
        // the point moves by about 3e-7 m, known to 1e-16: 1e-9 of the largest entry, with room for its third derivative
        assert_near(G[j], slope.x, 2e-8 * largest + 1e-12);
        assert_near(G[rod.dofs + j], slope.y, 2e-8 * largest + 1e-12);
        assert_near(G[2 * rod.dofs + j], slope.z, 2e-8 * largest + 1e-12);
      }
    }
    free(kept);
    free(z);
    free(G);
    cps_rod_free(&rod);
  }
}

// M~ with no time step is M, and v^T M v is twice the kinetic energy summed over points.
static void the_mass_matrix_is_that_of_the_kinetic_energy(void** state) {
  (void)state;
  const CpsModelStep step = {.h = 0.0, .theta = 1.0};
  for (int r = 0; r < 3; ++r) {
    CpsFibreDef def = odd_rod(ROOTS[r]);
    CpsRod rod = make(&def);
    stir(&rod, 1.0);
    CpsRodEnergy e;
    rod.type->energy(&rod, NONE, &e);
    rod.type->begin(&rod, &step);
    CpsSuperClothoid c = cps_super_clothoid(&rod);
    double twice = 0.0;
    for (int32_t i = 0; i < c.dofs; ++i) {
      double y = 0.0;
      for (int32_t j = i; j < c.dofs; ++j) y += c.L[(int64_t)j * c.dofs + i] * c.v[CPS_VELOCITY_AFTER][j];
      twice += y * y;
    }
    assert_near(0.5 * twice / e.kinetic, 1.0, 1e-12);
    cps_rod_free(&rod);
  }
}

// M (v* - v) / h for an explicit step: the generalised force.
static void force_of(CpsRod* rod, CpsVec3 gravity, double* force) {
  const CpsModelStep step = {.h = 1e-3, .theta = 0.0, .gravity = gravity};
  rod->type->begin(rod, &step);
  CpsSuperClothoid c = cps_super_clothoid(rod);
  int32_t m = c.dofs;
  double* y = calloc((size_t)m, sizeof *y);
  assert_non_null(y);
  for (int32_t i = 0; i < m; ++i)
    for (int32_t j = i; j < m; ++j) y[i] += c.L[(int64_t)j * m + i] * c.right[j];
  for (int32_t i = 0; i < m; ++i) {
    force[i] = 0.0;
    for (int32_t j = 0; j <= i; ++j) force[i] += c.L[(int64_t)i * m + j] * y[j] / step.h;
  }
  free(y);
}

static double potential(CpsRod* rod) {
  CpsRodEnergy e;
  rod->type->energy(rod, GRAVITY, &e);
  return e.gravity + e.elastic;
}

// At rest the force is minus the slope of the energies of weight and elasticity, in every coordinate.
static void weight_and_elasticity_are_slopes_of_their_energies(void** state) {
  (void)state;
  for (int r = 0; r < 3; ++r) {
    CpsFibreDef def = odd_rod(ROOTS[r]);
    CpsRod rod = make(&def);
    CpsSuperClothoid c = cps_super_clothoid(&rod);
    double *force = calloc((size_t)c.dofs, sizeof *force), *z = calloc((size_t)c.dofs, sizeof *z);
    double* kept = malloc((size_t)rod.state_count * sizeof *kept);
    assert_true(force && z && kept);
    memcpy(kept, rod.state, (size_t)rod.state_count * sizeof *kept);
    force_of(&rod, GRAVITY, force);
    double largest = 0.0;
    for (int32_t i = 0; i < c.dofs; ++i) largest = fmax(largest, fabs(force[i]));
    for (int32_t i = 0; i < c.dofs; ++i) {
      double end[2], d = 1e-4;
      for (int sign = 0; sign < 2; ++sign) {
        // L^-T z = d e_i
        for (int32_t j = 0; j < c.dofs; ++j)
          z[j] = (sign == 0 ? d : -d) * (j <= i ? c.L[(int64_t)i * c.dofs + j] : 0.0);
        rod.type->shift(&rod, z);
        rod.type->refresh(&rod);
        end[sign] = potential(&rod);
        memcpy(rod.state, kept, (size_t)rod.state_count * sizeof *kept);
        rod.type->refresh(&rod);
      }
      // energies of about 0.1 J, differences over 2e-4: 1e-13 of rounding; third derivatives d^2
      assert_near(force[i], -0.5 / d * (end[0] - end[1]), 1e-7 * largest + 1e-12);
    }
    free(kept);
    free(z);
    free(force);
    cps_rod_free(&rod);
  }
}

// v^T M(q) v / 2 and M(q) v at q + t v, of a clamped rod.
static void momentum_at(CpsRod* rod, double* p) {
  const CpsModelStep step = {.h = 0.0, .theta = 0.0};
  rod->type->begin(rod, &step);
  CpsSuperClothoid c = cps_super_clothoid(rod);
  int32_t m = c.dofs;
  const double* v = c.v[CPS_VELOCITY_AFTER];
  double* y = calloc((size_t)m, sizeof *y);
  assert_non_null(y);
  for (int32_t i = 0; i < m; ++i)
    for (int32_t j = i; j < m; ++j) y[i] += c.L[(int64_t)j * m + i] * v[j];
  for (int32_t i = 0; i < m; ++i) {
    p[i] = 0.0;
    for (int32_t j = 0; j <= i; ++j) p[i] += c.L[(int64_t)i * m + j] * y[j];
  }
  free(y);
}

static double kinetic(CpsRod* rod) {
  CpsRodEnergy e;
  CpsSuperClothoid c = cps_super_clothoid(rod);
  memcpy(c.k_then, c.k, (size_t)(c.count + 1) * sizeof *c.k);
  rod->type->refresh(rod);
  rod->type->energy(rod, NONE, &e);
  return e.kinetic;
}

// int rho J^T c / d for a change of place over d seconds: the mean of that from the past and that from the future, so that
// the error is of second order.
static void bias_of(CpsRod* rod, const CpsVec3* k, double* force) {
  const double d = 1e-5, h = 1e-3;
  CpsSuperClothoid c = cps_super_clothoid(rod);
  double* part = calloc((size_t)c.dofs, sizeof *part);
  assert_non_null(part);
  for (int32_t i = 0; i < c.dofs; ++i) force[i] = 0.0;
  for (int sign = -1; sign <= 1; sign += 2) {
    for (int32_t i = 0; i <= c.count; ++i)
      c.k_then[i] = cps_vec3_axpy(k[i], sign * d, cps_super_clothoid_rate(&c, c.v[CPS_VELOCITY_AFTER], i));
    force_of(rod, NONE, part);
    for (int32_t i = 0; i < c.dofs; ++i) force[i] -= 0.5 * sign * h / d * part[i];
  }
  free(part);
}

// Lagrange's equations of a rod without weight in its natural shape: M v' = -(dM/dt) v + d(v^T M v / 2)/dq.
static void the_bias_is_that_of_lagranges_equations(void** state) {
  (void)state;
  CpsFibreDef def = calm_rod(CPS_END_CLAMPED);
  def.damping = 0.0;
  CpsRod rod = make(&def);
  stir(&rod, 1.0);
  CpsSuperClothoid c = cps_super_clothoid(&rod);
  double *force = calloc((size_t)c.dofs, sizeof *force), *p[2];
  CpsVec3* k = malloc((size_t)(c.count + 1) * sizeof *k);
  for (int i = 0; i < 2; ++i) p[i] = calloc((size_t)c.dofs, sizeof(double));
  assert_true(force && p[0] && p[1] && k);
  memcpy(k, c.k, (size_t)(c.count + 1) * sizeof *k);
  bias_of(&rod, k, force);
  const double d = 1e-4;
  double largest = 0.0;
  for (int32_t i = 0; i < c.dofs; ++i) largest = fmax(largest, fabs(force[i]));
  for (int sign = 0; sign < 2; ++sign) {
    for (int32_t i = 0; i <= c.count; ++i)
      c.k[i] = cps_vec3_axpy(k[i], sign == 0 ? d : -d, cps_super_clothoid_rate(&c, c.v[CPS_VELOCITY_AFTER], i));
    momentum_at(&rod, p[sign]);
  }
  for (int32_t joint = 0; joint <= c.count; ++joint) {
    for (int j = 0; j < 3; ++j) {
      double T[2];
      for (int sign = 0; sign < 2; ++sign) {
        memcpy(c.k, k, (size_t)(c.count + 1) * sizeof *k);
        double* component = j == 0 ? &c.k[joint].x : j == 1 ? &c.k[joint].y : &c.k[joint].z;
        *component += sign == 0 ? d : -d;
        T[sign] = kinetic(&rod);
      }
      int32_t i = cps_super_clothoid_index(&c, joint, j);
      double expected = -0.5 / d * (p[0][i] - p[1][i]) + 0.5 / d * (T[0] - T[1]);
      assert_near(force[i], expected, 1e-7 * largest);
    }
  }
  free(k);
  free(p[0]);
  free(p[1]);
  free(force);
  cps_rod_free(&rod);
}

// v+ - v* = M~^-1 J^T E^T r: the velocity of the point changes by G G^T r, with pulls and held tips in M~.
static void an_impulse_changes_the_velocity_by_W(void** state) {
  (void)state;
  const CpsModelStep step = {.h = 1e-2, .theta = 1.0, .gravity = GRAVITY};
  const CpsRodPull pull = {.s = 0.23, .force = {0.1, 0, 0}, .stiffness = 5.0, .damping = 0.1, .target = {0.5, 0, 0}};
  for (int r = 0; r < 3; ++r) {
    CpsFibreDef def = odd_rod(ROOTS[r]);
    def.tip.kind = CPS_END_CLAMPED;
    def.drag = 0.01;
    CpsRod rod = make(&def);
    rod.pulls = &pull;
    rod.pull_count = 1;
    rod.type->begin(&rod, &step);
    CpsMat3 frame = cps_mat3_frame(cps_vec3_unit(cps_vec3(-1, 1, 2)), cps_vec3(0, 1, 0));
    double *G = calloc(3 * (size_t)rod.dofs, sizeof *G), *z = calloc((size_t)rod.dofs, sizeof *z);
    assert_true(G && z);
    const double impulse[3] = {0.7e-3, -0.2e-3, 0.4e-3};
    rod.type->rows(&rod, 0.31, NULL, &frame, 1.0, G);
    for (int k = 0; k < 3; ++k)
      for (int32_t j = 0; j < rod.dofs; ++j) z[j] += G[k * rod.dofs + j] * impulse[k];
    CpsVec3 before = rod.type->velocity(&rod, 0.31, CPS_VELOCITY_FREE);
    rod.type->receive(&rod, z);
    CpsVec3 change = cps_vec3_sub(rod.type->velocity(&rod, 0.31, CPS_VELOCITY_AFTER), before);
    change = cps_mat3_apply(frame, change);
    const double du[3] = {change.x, change.y, change.z};
    for (int k = 0; k < 3; ++k) {
      double w = 0.0;
      for (int32_t j = 0; j < rod.dofs; ++j) w += G[k * rod.dofs + j] * z[j];
      // the condition number of M~ with the stiff springs of the tip is about 1e7
      assert_near(du[k], w, 1e-9 * cps_vec3_norm(change));
    }
    free(z);
    free(G);
    cps_rod_free(&rod);
  }
}

// Velocities of points are J v: the same by the rows as by carrying them along.
static void velocities_are_the_motion_of_points(void** state) {
  (void)state;
  for (int r = 0; r < 3; ++r) {
    CpsFibreDef def = odd_rod(ROOTS[r]);
    CpsRod rod = make(&def);
    stir(&rod, 0.5);
    rod.root.velocity = rod.root.velocity_before = cps_vec3(0.1, 0.2, -0.3);
    rod.root.spin = rod.root.spin_before = cps_vec3(-0.4, 0.1, 0.2);
    rod.type->refresh(&rod);
    CpsVec3 refreshed = rod.type->velocity(&rod, 0.27, CPS_VELOCITY_AFTER);
    const CpsModelStep step = {.h = 1e-3, .theta = 1.0};
    rod.type->begin(&rod, &step);
    CpsVec3 before = rod.type->velocity(&rod, 0.27, CPS_VELOCITY_BEFORE);
    assert_below(cps_vec3_norm(cps_vec3_sub(refreshed, before)), 1e-14);
    CpsSuperClothoid c = cps_super_clothoid(&rod);
    cps_super_clothoid_jacobian(&rod, &c, 0.27, NULL, c.J, NULL);
    double sum[3] = {0};
    for (int k = 0; k < 3; ++k)
      for (int32_t i = 0; i < c.dofs; ++i) sum[k] += c.J[k * c.dofs + i] * c.v[CPS_VELOCITY_BEFORE][i];
    CpsVec3 ends = {0}, arm = cps_vec3_sub(rod.type->at(&rod, 0.27).position, def.root_pose.position);
    if (ROOTS[r] != CPS_END_FREE) ends = rod.root.velocity;
    if (ROOTS[r] == CPS_END_CLAMPED) ends = cps_vec3_add(ends, cps_vec3_cross(rod.root.spin, arm));
    assert_below(cps_vec3_norm(cps_vec3_sub(before, cps_vec3_add(ends, cps_vec3(sum[0], sum[1], sum[2])))), 1e-13);
    cps_rod_free(&rod);
  }
}

// Of constant curvature it is one helix, and its length is that of the definition to rounding: points near each other are
// as far apart as the closed form of the helix says.
static void constant_curvature_is_a_helix_of_the_right_length(void** state) {
  (void)state;
  const CpsVec3 kappa = {7, 21, -10};
  CpsFibreDef def = odd_rod(CPS_END_CLAMPED);
  def.curvature_count = 1;
  def.curvature = &kappa;
  CpsRod rod = make(&def);
  CpsMat3 R = cps_quat_matrix(cps_quat_unit(def.root_pose.rotation));
  for (int i = 0; i <= 20; ++i) {
    double s = 0.02 * i;
    CpsHelix h = cps_helix(cps_vec3_scale(s, kappa));
    CpsVec3 x = cps_vec3_add(def.root_pose.position, cps_mat3_apply(R, cps_vec3_scale(s, cps_helix_chord(&h))));
    CpsRodPoint p = rod.type->at(&rod, s);
    assert_below(cps_vec3_norm(cps_vec3_sub(p.position, x)), 1e-12);
    assert_below(cps_vec3_norm(cps_vec3_sub(p.curvature, kappa)), 1e-10);
  }
  cps_rod_free(&rod);
}

// Arc length of the centreline: the chords of a fine polyline, with the sagitta corrected by Richardson's extrapolation.
static double measured_length(const CpsRod* rod, int n) {
  double length[2];
  for (int level = 0; level < 2; ++level) {
    int parts = n << level;
    length[level] = 0.0;
    CpsVec3 x = rod->type->at(rod, 0.0).position;
    for (int i = 1; i <= parts; ++i) {
      CpsVec3 y = rod->type->at(rod, rod->spec.length * i / parts).position;
      length[level] += cps_vec3_norm(cps_vec3_sub(y, x));
      x = y;
    }
  }
  return length[1] + (length[1] - length[0]) / 3.0;
}

// After a violent motion too. The extrapolation leaves (l |k| / n)^4: 1e-13.
static void the_length_never_changes(void** state) {
  (void)state;
  CpsFibreDef def = odd_rod(CPS_END_FREE);
  CpsRod rod = make(&def);
  const CpsModelStep step = {.h = 1e-3, .theta = 1.0, .gravity = GRAVITY};
  assert_near(measured_length(&rod, 4096), 0.4, 1e-12);
  stir(&rod, 20.0);
  for (int i = 0; i < 20; ++i) step_on(&rod, &step);
  assert_near(measured_length(&rod, 4096), 0.4, 1e-12);
  cps_rod_free(&rod);
}

// A shape that is made of clothoids is found again: samples from the rod itself.
static void a_shape_of_clothoids_is_found_again(void** state) {
  (void)state;
  CpsFibreDef def = odd_rod(CPS_END_CLAMPED);
  CpsRod rod = make(&def), again = make(&def);
  CpsSuperClothoid c = cps_super_clothoid(&rod), d = cps_super_clothoid(&again);
  static const CpsVec3 K[5] = {{3, -20, 5}, {1, 15, -8}, {-6, 4, 22}, {0, 0, 0}, {9, -9, 9}};
  memcpy(c.k, K, sizeof K);
  rod.type->refresh(&rod);
  enum { COUNT = 4 * CPS_ROD_SAMPLES + 1 };
  static CpsVec3 point[COUNT], natural[COUNT];
  static CpsQuat frame[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    CpsRodPoint p = rod.type->at(&rod, 0.4 * i / (COUNT - 1));
    point[i] = p.position;
    natural[i] = p.curvature;
    // quaternion of a frame: fine where its real part is not small, else by its largest component; here by the identity
    // q = unit of (1 + trace, ...), with the frame turned back by half turns where the trace is small
    const double* m = p.frame.m;
    double w = 1.0 + m[0] + m[4] + m[8], x = 1.0 + m[0] - m[4] - m[8], y = 1.0 - m[0] + m[4] - m[8];
    CpsQuat q = {w, m[7] - m[5], m[2] - m[6], m[3] - m[1]};
    if (w < 0.5) q = (CpsQuat){m[7] - m[5], x, m[1] + m[3], m[2] + m[6]};
    if (w < 0.5 && x < 0.5) q = (CpsQuat){m[2] - m[6], m[1] + m[3], y, m[5] + m[7]};
    if (w < 0.5 && x < 0.5 && y < 0.5) q = (CpsQuat){m[3] - m[1], m[2] + m[6], m[5] + m[7], 1.0 - m[0] - m[4] + m[8]};
    frame[i] = cps_quat_unit(q);
  }
  const CpsRodShape shape = {.point = point, .frame = frame, .natural = natural};
  memset(again.state, 0, (size_t)again.state_count * sizeof(double));
  assert_int_equal(again.type->create(&again, &shape, NULL), CPS_OK);
  for (int i = 0; i < 5; ++i) {
    // mean curvatures of intervals of 6 mm from frames known to 1e-16
    assert_below(cps_vec3_norm(cps_vec3_sub(d.k[i], K[i])), 1e-10);
    assert_below(cps_vec3_norm(cps_vec3_sub(d.natural[i], K[i])), 1e-11);
  }
  cps_rod_free(&again);
  cps_rod_free(&rod);
}

// Without anything else a free rod in its natural shape falls as it is.
static void a_free_rod_falls_as_it_is(void** state) {
  (void)state;
  CpsFibreDef def = calm_rod(CPS_END_FREE);
  CpsRod rod = make(&def);
  rod.type->move_rigidly(&rod, cps_vec3(0.3, 0.1, 0.0), NONE);
  const CpsModelStep step = {.h = 1e-2, .theta = 1.0, .gravity = GRAVITY};
  CpsVec3 start = rod.type->at(&rod, 0.4).position;
  for (int i = 0; i < 10; ++i) step_on(&rod, &step);
  CpsVec3 tip = rod.type->at(&rod, 0.4).position, v = rod.type->velocity(&rod, 0.2, CPS_VELOCITY_AFTER);
  // Moreau's scheme: the sum of velocities after each step
  assert_near(tip.z - start.z, -9.81 * 1e-4 * 55.0, 1e-12);
  assert_near(tip.x - start.x, 0.03, 1e-12);
  assert_near(v.z, -0.981, 1e-11);
  cps_rod_free(&rod);
}

// A straight free rod has almost no inertia about itself; a step is a step for it as well.
static void a_straight_free_rod_turns_about_itself(void** state) {
  (void)state;
  CpsFibreDef def = cps_fibre_def_default();
  def.model = CPS_ROD_SUPER_CLOTHOID;
  CpsRod rod = make(&def);
  rod.type->move_rigidly(&rod, NONE, cps_vec3(5.0, 0.0, 0.0));
  const CpsModelStep step = {.h = 1e-3, .theta = 1.0};
  for (int i = 0; i < 100; ++i) step_on(&rod, &step);
  CpsSuperClothoid c = cps_super_clothoid(&rod);
  assert_near(c.v[CPS_VELOCITY_AFTER][c.root + 3], 5.0, 1e-9);
  assert_near(rod.type->at(&rod, 0.3).position.x, 0.3, 1e-12);
  cps_rod_free(&rod);
}

// How much momentum a free, whirling, deforming rod loses in 0.02 s.
static void lost_momentum(int steps, CpsVec3* linear, CpsVec3* angular) {
  CpsFibreDef def = calm_rod(CPS_END_FREE);
  CpsRod rod = make(&def);
  rod.type->move_rigidly(&rod, cps_vec3(0.3, 0.1, 0.0), cps_vec3(3, -2, 4));
  CpsVec3 p[2], L[2];
  rod.type->momentum(&rod, &p[0], &L[0]);
  const CpsModelStep step = {.h = 0.02 / steps, .theta = 1.0};
  for (int i = 0; i < steps; ++i) step_on(&rod, &step);
  rod.type->momentum(&rod, &p[1], &L[1]);
  *linear = cps_vec3_scale(1.0 / cps_vec3_norm(p[0]), cps_vec3_sub(p[1], p[0]));
  *angular = cps_vec3_scale(1.0 / cps_vec3_norm(L[0]), cps_vec3_sub(L[1], L[0]));
  cps_rod_free(&rod);
}

// Translations are among the motions that the projection of the velocities keeps, for any step; rotations change
// with the place within a step.
static void linear_momentum_is_kept_and_angular_to_first_order(void** state) {
  (void)state;
  CpsVec3 p[2], L[2];
  lost_momentum(100, &p[0], &L[0]);
  lost_momentum(200, &p[1], &L[1]);
  // rounding over M~, 200 steps
  assert_below(cps_vec3_norm(p[1]), 1e-10);
  assert_below(cps_vec3_norm(L[1]), 0.02);
  assert_near(cps_vec3_norm(L[0]) / cps_vec3_norm(L[1]), 2.0, 0.2);
}

// Tip of a swinging clamped rod after 0.1 s, and the energy it has then.
static CpsVec3 swing(int steps, double theta, double damping, double* energy) {
  CpsFibreDef def = calm_rod(CPS_END_CLAMPED);
  def.damping = damping;
  CpsRod rod = make(&def);
  const CpsModelStep step = {.h = 0.1 / steps, .theta = theta, .gravity = GRAVITY};
  CpsRodEnergy e;
  rod.type->energy(&rod, GRAVITY, &e);
  *energy = -(e.kinetic + e.gravity + e.elastic);
  for (int i = 0; i < steps; ++i) step_on(&rod, &step);
  rod.type->energy(&rod, GRAVITY, &e);
  *energy += e.kinetic + e.gravity + e.elastic;
  CpsVec3 tip = rod.type->at(&rod, 0.4).position;
  cps_rod_free(&rod);
  return tip;
}

// A free rod that is thrown into a whirl, half a radian per step and more: it never has more energy than it was given.
static void a_whirling_rod_does_not_blow_up(void** state) {
  (void)state;
  CpsFibreDef def = odd_rod(CPS_END_FREE);
  CpsRod rod = make(&def);
  rod.type->move_rigidly(&rod, NONE, cps_vec3(40, -20, 30));
  const CpsModelStep step = {.h = 1e-2, .theta = 1.0};
  CpsRodEnergy e;
  rod.type->energy(&rod, NONE, &e);
  double before = e.kinetic + e.elastic;
  for (int i = 0; i < 200; ++i) {
    step_on(&rod, &step);
    rod.type->energy(&rod, NONE, &e);
    // rounding
    assert_below(e.kinetic + e.elastic, before * (1.0 + 1e-9));
    before = e.kinetic + e.elastic;
  }
  cps_rod_free(&rod);
}

static void halving_the_step_halves_the_error(void** state) {
  (void)state;
  double energy;
  CpsVec3 tip[4];
  for (int i = 0; i < 4; ++i) tip[i] = swing(200 << i, 1.0, 1e-3, &energy);
  for (int i = 0; i < 2; ++i) {
    double a = cps_vec3_norm(cps_vec3_sub(tip[i], tip[i + 1]));
    double b = cps_vec3_norm(cps_vec3_sub(tip[i + 1], tip[i + 2]));
    assert_near(a / b, 2.0, 0.25);
  }
}

// Energy is only lost, with and without damping; what the scheme loses with theta = 1/2 goes down with the step.
static void energy_does_not_grow(void** state) {
  (void)state;
  double damped, coarse, fine;
  swing(400, 1.0, 1e-3, &damped);
  assert_below(damped, 0.0);
  swing(400, 1.0, 0.0, &damped);
  assert_below(damped, 0.0);
  swing(1000, 0.5, 0.0, &coarse);
  swing(2000, 0.5, 0.0, &fine);
  assert_below(fabs(fine), 0.6 * fabs(coarse));
}

// A root that accelerates is a rod under gravity: the same curvatures step by step.
static void an_accelerated_root_is_gravity(void** state) {
  (void)state;
  CpsFibreDef def = calm_rod(CPS_END_CLAMPED);
  CpsRod still = make(&def), driven = make(&def);
  const double h = 1e-3;
  const CpsModelStep with = {.h = h, .theta = 1.0, .gravity = GRAVITY}, without = {.h = h, .theta = 1.0};
  for (int i = 0; i < 50; ++i) {
    CpsRodEnd* root = &driven.root;
    root->velocity_before = cps_vec3_scale(-h * i, GRAVITY);
    root->velocity = cps_vec3_scale(-h * (i + 1), GRAVITY);
    root->now = root->next;
    root->next.position = cps_vec3_axpy(root->now.position, h, root->velocity);
    step_on(&still, &with);
    step_on(&driven, &without);
  }
  CpsSuperClothoid a = cps_super_clothoid(&still), b = cps_super_clothoid(&driven);
  // rounding through M~^-1, fifty steps
  for (int i = 0; i <= 4; ++i) assert_below(cps_vec3_norm(cps_vec3_sub(a.k[i], b.k[i])), 1e-8);
  CpsVec3 fallen = cps_vec3_sub(driven.type->at(&driven, 0.4).position, still.type->at(&still, 0.4).position);
  assert_near(fallen.z, 9.81 * h * h * 50.0 * 51.0 / 2.0, 1e-10);
  cps_rod_free(&driven);
  cps_rod_free(&still);
}

// A straight rod carried round by its root: the centrifugal force is along it, so that it stays straight and its tip moves
// with the speed of the rotation.
static void a_root_that_turns_carries_the_rod_round(void** state) {
  (void)state;
  CpsFibreDef def = cps_fibre_def_default();
  def.model = CPS_ROD_SUPER_CLOTHOID;
  def.root.kind = CPS_END_CLAMPED;
  CpsRod rod = make(&def);
  const CpsModelStep step = {.h = 1e-3, .theta = 1.0};
  const CpsVec3 spin = {0.0, 0.0, 4.0};
  rod.root.spin = spin;
  rod.type->refresh(&rod);
  for (int i = 0; i < 100; ++i) {
    rod.root.spin_before = rod.root.spin = spin;
    rod.root.now = rod.root.next;
    rod.root.next.rotation = cps_quat_exp(cps_vec3_scale(step.h * (i + 1), spin));
    step_on(&rod, &step);
  }
  CpsRodPoint tip = rod.type->at(&rod, 0.3);
  // velocities lag behind places by part of a step of 4e-3 rad: of the first order
  assert_near(tip.position.x, 0.3 * cos(0.4), 1e-4);
  assert_near(tip.position.y, 0.3 * sin(0.4), 1e-4);
  CpsVec3 v = rod.type->velocity(&rod, 0.3, CPS_VELOCITY_AFTER);
  assert_near(cps_vec3_norm(v), 1.2, 2e-3);
  cps_rod_free(&rod);
}

// A weight at the tip of a beam: the curvature is linear, so that one element gives the deflection P L^3 / (3 E I) but for
// the nonlinearity, 4/35 of (P L^2 / E I)^2.
static void one_element_is_exact_for_a_weight_at_the_tip(void** state) {
  (void)state;
  CpsFibreDef def = cps_fibre_def_default();
  def.model = CPS_ROD_SUPER_CLOTHOID;
  def.elements = 1;
  def.root.kind = CPS_END_CLAMPED;
  def.gravity = false;
  def.bending[0] = def.bending[1] = 1e-3;
  def.damping = 0.05;
  CpsRod rod = make(&def);
  const CpsRodPull pull = {.s = 0.3, .force = {0.0, 0.0, -1e-5}};
  rod.pulls = &pull;
  rod.pull_count = 1;
  const CpsModelStep step = {.h = 1e-2, .theta = 1.0};
  for (int i = 0; i < 400; ++i) step_on(&rod, &step);
  double deflection = -rod.type->at(&rod, 0.3).position.z;
  assert_near(deflection / (1e-5 * 0.027 / 3e-3), 1.0, 1e-6);
  cps_rod_free(&rod);
}

// The springs of held ends: a rod that hangs between its ends, its tip turned as well.
static void a_held_tip_stays_where_it_is_held(void** state) {
  (void)state;
  for (int kind = CPS_END_PINNED; kind <= CPS_END_CLAMPED; ++kind) {
    CpsFibreDef def = calm_rod(CPS_END_PINNED);
    def.tip.kind = (CpsEndKind)kind;
    CpsRod rod = make(&def);
    const CpsModelStep step = {.h = 1e-3, .theta = 1.0, .gravity = GRAVITY};
    for (int i = 0; i < 300; ++i) {
      rod.tip.velocity = cps_vec3(0.01, 0.0, 0.0);
      rod.tip.next.position = cps_vec3_axpy(rod.tip.next.position, step.h, rod.tip.velocity);
      step_on(&rod, &step);
    }
    CpsRodPoint tip = rod.type->at(&rod, 0.4);
    // forces of some newtons over springs of 4e5 N/m
    assert_below(cps_vec3_norm(cps_vec3_sub(tip.position, rod.tip.next.position)), 2e-5);
    if (kind == CPS_END_CLAMPED) {
      CpsMat3 wanted = cps_quat_matrix(rod.tip.next.rotation);
      for (int i = 0; i < 9; ++i) assert_near(tip.frame.m[i], wanted.m[i], 2e-3);
    }
    cps_rod_free(&rod);
  }
}

// A pull with a spring ends where it pulls to, if nothing else acts.
static void a_spring_pulls_a_point_to_its_target(void** state) {
  (void)state;
  CpsFibreDef def = calm_rod(CPS_END_FREE);
  def.gravity = false;
  def.drag = 0.05;
  CpsRod rod = make(&def);
  CpsRodPull pull = {.s = 0.25, .stiffness = 0.5, .damping = 0.05};
  pull.target = cps_vec3_add(rod.type->at(&rod, 0.25).position, cps_vec3(0.02, 0.01, -0.03));
  rod.pulls = &pull;
  rod.pull_count = 1;
  const CpsModelStep step = {.h = 5e-3, .theta = 1.0};
  for (int i = 0; i < 800; ++i) step_on(&rod, &step);
  assert_below(cps_vec3_norm(cps_vec3_sub(rod.type->at(&rod, 0.25).position, pull.target)), 1e-6);
  cps_rod_free(&rod);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_the_derivative_of_the_point),
      cmocka_unit_test(the_mass_matrix_is_that_of_the_kinetic_energy),
      cmocka_unit_test(weight_and_elasticity_are_slopes_of_their_energies),
      cmocka_unit_test(the_bias_is_that_of_lagranges_equations),
      cmocka_unit_test(an_impulse_changes_the_velocity_by_W),
      cmocka_unit_test(velocities_are_the_motion_of_points),
      cmocka_unit_test(constant_curvature_is_a_helix_of_the_right_length),
      cmocka_unit_test(the_length_never_changes),
      cmocka_unit_test(a_shape_of_clothoids_is_found_again),
      cmocka_unit_test(a_free_rod_falls_as_it_is),
      cmocka_unit_test(a_straight_free_rod_turns_about_itself),
      cmocka_unit_test(linear_momentum_is_kept_and_angular_to_first_order),
      cmocka_unit_test(a_whirling_rod_does_not_blow_up),
      cmocka_unit_test(halving_the_step_halves_the_error),
      cmocka_unit_test(energy_does_not_grow),
      cmocka_unit_test(an_accelerated_root_is_gravity),
      cmocka_unit_test(a_root_that_turns_carries_the_rod_round),
      cmocka_unit_test(one_element_is_exact_for_a_weight_at_the_tip),
      cmocka_unit_test(a_held_tip_stays_where_it_is_held),
      cmocka_unit_test(a_spring_pulls_a_point_to_its_target),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
