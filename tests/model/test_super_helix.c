// Composite super-helix: its Jacobian, mass, gravity and bias against finite differences of its own positions, then the
// mechanics of rods with known answers.
#include "core/random.h"
#include "model/rod.h"
#include "model/super_helix.h"

#include "test_helpers.h"

#include <stdlib.h>
#include <string.h>

static const CpsVec3 GRAVITY = {0, 0, -9.81};
static const CpsVec3 NONE = {0, 0, 0};

static CpsRod make(const CpsFibreDef* def) {
  CpsRod rod;
  CpsError error;
  assert_int_equal(cps_rod_create(def, &rod, &error), CPS_OK);
  return rod;
}

// Curved, twisted, elliptic, in no special pose.
static CpsFibreDef odd_def(CpsEndKind root) {
  static const CpsVec3 CURVATURE[] = {{1.5, -4.0, 7.0}, {-3.0, 9.0, 2.0}, {20.0, 30.0, -10.0}};
  static const CpsVec3 NATURAL[] = {{0.5, 2.0, 1.0}};
  CpsFibreDef def = cps_fibre_def_default();
  def.model = CPS_ROD_SUPER_HELIX;
  def.elements = 4;
  def.length = 0.4;
  def.root_pose = (CpsPose){{0.3, -0.2, 1.0}, {0.6, -0.3, 0.5, 0.2}};
  def.curvature_count = 3;
  def.curvature = CURVATURE;
  def.natural_count = 1;
  def.natural = NATURAL;
  def.radius = 1e-3;
  def.radius_across = 0.7e-3;
  def.damping = 0.0;
  def.root.kind = root;
  return def;
}

// The velocities AFTER belong to where the rod is.
static void settle(CpsRod* rod) {
  CpsSuperHelix x = cps_super_helix(rod);
  *x.root_then = *x.root;
  memcpy(x.curvature_then, x.curvature, (size_t)x.elements * sizeof *x.curvature);
}

// Some velocity in all unknowns.
static void stir(CpsRod* rod, double scale) {
  CpsSuperHelix x = cps_super_helix(rod);
  for (int32_t i = 0; i < x.dofs; ++i) x.velocity[CPS_VELOCITY_AFTER][i] = scale * sin(1.0 + 2.3 * i);
  rod->type->refresh(rod);
}

// Positions from coordinates moved by d along a direction of the unknowns; the state is put back by the caller.
static void displace(CpsRod* rod, const double* saved, const double* direction, double d) {
  memcpy(rod->state, saved, (size_t)rod->state_count * sizeof(double));
  CpsSuperHelix x = cps_super_helix(rod);
  for (int32_t i = 0; i < x.elements; ++i) {
    const double* k = direction + cps_super_helix_of_element(&x, i);
    x.curvature[i] = cps_vec3_axpy(x.curvature[i], d, cps_vec3(k[0], k[1], k[2]));
  }
  if (x.turns) {
    const double* w = direction + cps_super_helix_of_spin(&x);
    x.root->rotation = cps_quat_multiply(x.root->rotation, cps_quat_exp(cps_vec3_scale(d, cps_vec3(w[0], w[1], w[2]))));
  }
  if (x.moves) {
    const double* v = direction + cps_super_helix_of_velocity(&x);
    x.root->position = cps_vec3_axpy(x.root->position, d, cps_vec3(v[0], v[1], v[2]));
  }
  rod->type->refresh(rod);
}

static double* save(const CpsRod* rod) {
  double* saved = malloc((size_t)rod->state_count * sizeof(double));
  memcpy(saved, rod->state, (size_t)rod->state_count * sizeof(double));
  return saved;
}

static const double PLACES[] = {0.0, 0.03, 0.1, 0.17, 0.25, 0.3999, 0.4};
enum { PLACE_COUNT = sizeof PLACES / sizeof PLACES[0] };
static const CpsEndKind KINDS[] = {CPS_END_FREE, CPS_END_PINNED, CPS_END_CLAMPED};

static void jacobian_is_the_derivative_of_positions(void** state) {
  (void)state;
  const CpsMat3 frame = cps_mat3_frame(cps_vec3_unit(cps_vec3(1, 2, 3)), cps_vec3(1, 0, 0));
  for (int kind = 0; kind < 3; ++kind) {
    CpsFibreDef def = odd_def(KINDS[kind]);
    CpsRod rod = make(&def);
    CpsSuperHelix x = cps_super_helix(&rod);
    double *saved = save(&rod), J[3 * 18], direction[18];
    for (int p = 0; p < PLACE_COUNT; ++p) {
      cps_super_helix_jacobian(&x, cps_rod_place(&rod.spec, PLACES[p]), NULL, &frame, -1.0, J);
      for (int32_t i = 0; i < x.dofs; ++i) {
        memset(direction, 0, sizeof direction);
        direction[i] = 1.0;
        const double d = 1e-5;
        displace(&rod, saved, direction, d);
        CpsVec3 plus = rod.type->at(&rod, PLACES[p]).position;
        displace(&rod, saved, direction, -d);
        CpsVec3 minus = rod.type->at(&rod, PLACES[p]).position;
        CpsVec3 slope = cps_mat3_apply(frame, cps_vec3_scale(-0.5 / d, cps_vec3_sub(plus, minus)));
        // d^2 / 6 times third derivatives below 1 and rounding 1e-16 / d
        assert_near(J[i], slope.x, 2e-10);
        assert_near(J[x.dofs + i], slope.y, 2e-10);
        assert_near(J[2 * x.dofs + i], slope.z, 2e-10);
      }
      displace(&rod, saved, direction, 0.0);
    }
    free(saved);
    cps_rod_free(&rod);
  }
}

// A step so short and so soft that only M is left on the left side.
static const CpsModelStep STEP = {.h = 1e-3, .theta = 1.0, .gravity = {0, 0, -9.81}};

static void soften(CpsFibreDef* def) {
  def->bending[0] = def->bending[1] = def->twisting = 1e-30;
  def->damping = 0.0;
}

// ½ v^T M v against the sum over points by the energy function, for the diagonal and all pairs of unknowns.
static void mass_is_the_form_of_kinetic_energy(void** state) {
  (void)state;
  for (int kind = 0; kind < 3; ++kind) {
    CpsFibreDef def = odd_def(KINDS[kind]);
    soften(&def);
    CpsRod rod = make(&def);
    CpsSuperHelix x = cps_super_helix(&rod);
    rod.type->begin(&rod, &STEP);
    cps_super_helix_mass(&rod, &STEP, &x);  // again, unfactorised
    double *v = x.velocity[CPS_VELOCITY_AFTER], alone[18];
    for (int32_t i = 0; i < x.dofs; ++i) {
      CpsRodEnergy energy;
      memset(v, 0, (size_t)x.dofs * sizeof *v);
      v[i] = 1.0;
      rod.type->refresh(&rod);
      rod.type->energy(&rod, NONE, &energy);
      alone[i] = energy.kinetic;
      double M = x.U[(int64_t)i * x.dofs + i];
      assert_near(M, 2.0 * energy.kinetic, 1e-12 * M);
    }
    for (int32_t i = 0; i < x.dofs; ++i) {
      for (int32_t j = i + 1; j < x.dofs; ++j) {
        CpsRodEnergy energy;
        memset(v, 0, (size_t)x.dofs * sizeof *v);
        v[i] = v[j] = 1.0;
        rod.type->refresh(&rod);
        rod.type->energy(&rod, NONE, &energy);
        assert_near(x.U[(int64_t)i * x.dofs + j], energy.kinetic - alone[i] - alone[j],
                    1e-12 * (alone[i] + alone[j] + energy.kinetic));
      }
    }
    cps_rod_free(&rod);
  }
}

// At rest the right side is h times minus the gradient of weight and elastic energy.
static void forces_are_the_gradient_of_energy(void** state) {
  (void)state;
  for (int kind = 0; kind < 3; ++kind) {
    CpsFibreDef def = odd_def(KINDS[kind]);
    CpsRod rod = make(&def);
    CpsSuperHelix x = cps_super_helix(&rod);
    double right[18], direction[18], *saved = save(&rod);
    rod.type->begin(&rod, &STEP);
    cps_super_helix_mass(&rod, &STEP, &x);
    memcpy(right, x.right, (size_t)x.dofs * sizeof *right);
    for (int32_t i = 0; i < x.dofs; ++i) {
      const double d = 1e-4;
      CpsRodEnergy plus, minus;
      memset(direction, 0, sizeof direction);
      direction[i] = 1.0;
      displace(&rod, saved, direction, d);
      rod.type->energy(&rod, GRAVITY, &plus);
      displace(&rod, saved, direction, -d);
      rod.type->energy(&rod, GRAVITY, &minus);
      double slope = (plus.gravity + plus.elastic - minus.gravity - minus.elastic) / (2.0 * d);
      // energies of 0.1 J to 1e-16, over d; curvature of the weight d^2
      assert_near(right[i] / STEP.h, -slope, 1e-9);
    }
    free(saved);
    cps_rod_free(&rod);
  }
}

// Without forces M v* = int rho J^T x', x' the velocities of the points at the end of the last step, less those of the root
// in this one: against a fine sum over points, after the rod has moved on and its root been driven.
static void momentum_is_projected_on_what_the_rod_can_do(void** state) {
  (void)state;
  for (int kind = 0; kind < 3; ++kind) {
    CpsFibreDef def = odd_def(KINDS[kind]);
    soften(&def);
    def.gravity = false;
    CpsRod rod = make(&def);
    CpsSuperHelix x = cps_super_helix(&rod);
    stir(&rod, 3.0);
    rod.root.velocity = cps_vec3(0.3, -0.5, 0.2);
    rod.root.spin = cps_vec3(1.0, 2.0, -1.5);
    double v[18], expected[18] = {0}, J[3 * 18];
    memcpy(v, x.velocity[CPS_VELOCITY_AFTER], (size_t)x.dofs * sizeof *v);
    double* saved = save(&rod);
    displace(&rod, saved, v, 0.01);  // as an advance by 0.01 s
    free(saved);
    rod.root.velocity_before = rod.root.velocity;
    rod.root.spin_before = rod.root.spin;
    const CpsVec3 v0 = rod.root.velocity = cps_vec3(0.5, 0.1, -0.4), w0 = rod.root.spin = cps_vec3(-1.0, 0.5, 2.5);
    const CpsMat3 axes = cps_mat3_identity();
    // fine rule of midpoints instead of Gauss's
    enum { FINE = 800 };
    for (int p = 0; p < FINE; ++p) {
      double s = def.length * (p + 0.5) / FINE, mass = rod.spec.branch[0].line_density * def.length / FINE;
      CpsVec3 u = rod.type->velocity(&rod, s, CPS_VELOCITY_AFTER);
      CpsVec3 arm = cps_vec3_sub(rod.type->at(&rod, s).position, x.node[0].x);
      if (!x.moves) u = cps_vec3_sub(u, v0);
      if (!x.turns) u = cps_vec3_sub(u, cps_vec3_cross(w0, arm));
      cps_super_helix_jacobian(&x, cps_rod_place(&rod.spec, s), NULL, &axes, 1.0, J);
      for (int32_t i = 0; i < x.dofs; ++i) {
        expected[i] += mass * (J[i] * u.x + J[x.dofs + i] * u.y + J[2 * x.dofs + i] * u.z);
      }
    }
    if (x.turns) expected[3 * x.elements] += x.rotary * v[3 * x.elements];
    rod.type->begin(&rod, &STEP);
    cps_super_helix_mass(&rod, &STEP, &x);
    for (int32_t i = 0; i < x.dofs; ++i) {
      double sum = 0.0, size = 0.0;
      for (int32_t j = 0; j < x.dofs; ++j) {
        double M = i <= j ? x.U[(int64_t)i * x.dofs + j] : x.U[(int64_t)j * x.dofs + i];
        sum += M * x.velocity[CPS_VELOCITY_FREE][j];
        size += fabs(M * x.velocity[CPS_VELOCITY_FREE][j]);
      }
      // midpoints on 200 cells of an element leave about (1/200)^2 / 24
      assert_near(sum, expected[i], 2e-5 * size);
    }
    cps_rod_free(&rod);
  }
}

// The bias over a short step is int rho J^T (dJ/dt) v: against differences of point velocities along the motion.
static void bias_tends_to_the_acceleration_at_constant_rates(void** state) {
  (void)state;
  double off[2];
  for (int pass = 0; pass < 2; ++pass) {
    CpsFibreDef def = odd_def(CPS_END_FREE);
    soften(&def);
    def.gravity = false;
    CpsRod rod = make(&def);
    CpsSuperHelix x = cps_super_helix(&rod);
    stir(&rod, 3.0);
    double v[18], right[18], expected[18] = {0}, J[3 * 18], *saved = save(&rod);
    memcpy(v, x.velocity[CPS_VELOCITY_AFTER], (size_t)x.dofs * sizeof *v);
    CpsModelStep step = STEP;
    step.h = pass == 0 ? 1e-4 : 0.5e-4;
    displace(&rod, saved, v, step.h);
    free(saved);
    rod.type->begin(&rod, &step);
    memcpy(right, x.right, sizeof right);
    memcpy(x.velocity[CPS_VELOCITY_AFTER], v, (size_t)x.dofs * sizeof *v);
    saved = save(&rod);
    const CpsMat3 axes = cps_mat3_identity();
    enum { FINE = 200 };
    for (int p = 0; p < FINE; ++p) {
      double s = def.length * (p + 0.5) / FINE, mass = rod.spec.branch[0].line_density * def.length / FINE;
      displace(&rod, saved, v, 0.0);
      cps_super_helix_jacobian(&x, cps_rod_place(&rod.spec, s), NULL, &axes, 1.0, J);
      CpsVec3 side[2];
      for (int k = 0; k < 2; ++k) {
        displace(&rod, saved, v, k == 0 ? 1e-5 : -1e-5);
        settle(&rod);
        rod.type->refresh(&rod);
        side[k] = rod.type->velocity(&rod, s, CPS_VELOCITY_AFTER);
      }
      CpsVec3 c = cps_vec3_scale(0.5e5, cps_vec3_sub(side[0], side[1]));
      for (int32_t i = 0; i < x.dofs; ++i) {
        expected[i] += mass * (J[i] * c.x + J[x.dofs + i] * c.y + J[2 * x.dofs + i] * c.z);
      }
    }
    // right holds the change of velocities: M times it is minus h times the bias
    displace(&rod, saved, v, 0.0);
    cps_super_helix_mass(&rod, &step, &x);
    double largest = 0.0;
    off[pass] = 0.0;
    for (int32_t i = 0; i < x.dofs; ++i) {
      double sum = 0.0;
      for (int32_t j = 0; j < x.dofs; ++j) {
        sum += right[j] * (i <= j ? x.U[(int64_t)i * x.dofs + j] : x.U[(int64_t)j * x.dofs + i]);
      }
      largest = fmax(largest, fabs(expected[i]));
      off[pass] = fmax(off[pass], fabs(sum / step.h + expected[i]));
    }
    off[pass] /= largest;
    free(saved);
    cps_rod_free(&rod);
  }
  // first order in h, down to the error of the sum
  assert_below(off[0], 5e-3);
  assert_below(off[1], 0.6 * off[0] + 1e-4);
}

// G G^T = E J M~^-1 J^T E^T, and the impulse received does to the point what the rows say.
static void rows_and_impulses_agree(void** state) {
  (void)state;
  const CpsMat3 frame = cps_mat3_frame(cps_vec3_unit(cps_vec3(1, -2, 3)), cps_vec3(1, 0, 0));
  for (int kind = 0; kind < 3; ++kind) {
    CpsFibreDef def = odd_def(KINDS[kind]);
    def.damping = 1e-3;
    def.drag = 0.01;
    CpsRod rod = make(&def);
    CpsSuperHelix x = cps_super_helix(&rod);
    stir(&rod, 2.0);
    rod.type->begin(&rod, &STEP);
    double G[3 * 18], H[3 * 18], z[18] = {0};
    const CpsVec3 r = {0.02, -0.01, 0.015};
    rod.type->rows(&rod, 0.17, NULL, &frame, 1.0, G);
    rod.type->rows(&rod, 0.35, NULL, &frame, -1.0, H);
    for (int32_t i = 0; i < x.dofs; ++i) z[i] = G[i] * r.x + G[x.dofs + i] * r.y + G[2 * x.dofs + i] * r.z;
    CpsVec3 before = rod.type->velocity(&rod, 0.35, CPS_VELOCITY_FREE);
    rod.type->receive(&rod, z);
    CpsVec3 after = rod.type->velocity(&rod, 0.35, CPS_VELOCITY_AFTER);
    CpsVec3 change = cps_mat3_apply(frame, cps_vec3_sub(after, before));
    for (int k = 0; k < 3; ++k) {
      double expected = 0.0;
      for (int32_t i = 0; i < x.dofs; ++i) expected -= H[k * x.dofs + i] * z[i];
      assert_near(k == 0 ? change.x : k == 1 ? change.y : change.z, expected, 1e-11 * cps_vec3_norm(change));
    }
    // M~ (v - v*) = J^T E^T r, with M~ assembled again
    double J[3 * 18];
    cps_super_helix_jacobian(&x, cps_rod_place(&rod.spec, 0.17), NULL, &frame, 1.0, J);
    cps_super_helix_mass(&rod, &STEP, &x);
    for (int32_t i = 0; i < x.dofs; ++i) {
      double sum = 0.0, size = 0.0;
      for (int32_t j = 0; j < x.dofs; ++j) {
        double M = i <= j ? x.U[(int64_t)i * x.dofs + j] : x.U[(int64_t)j * x.dofs + i];
        double term = M * (x.velocity[CPS_VELOCITY_AFTER][j] - x.velocity[CPS_VELOCITY_FREE][j]);
        sum += term;
        size += fabs(term);
      }
      assert_near(sum, J[i] * r.x + J[x.dofs + i] * r.y + J[2 * x.dofs + i] * r.z, 1e-11 * size);
    }
    cps_rod_free(&rod);
  }
}

// The velocities of a contact's point are those with which its place moves.
static void velocity_is_that_of_positions(void** state) {
  (void)state;
  CpsFibreDef def = odd_def(CPS_END_CLAMPED);
  CpsRod rod = make(&def);
  stir(&rod, 1.0);
  CpsModelStep step = STEP;
  step.h = 1e-6;
  const CpsVec3 v = {0.3, 0.2, -0.1}, w = {1.0, -2.0, 0.5};
  rod.root.velocity = rod.root.velocity_before = v;
  rod.root.spin = rod.root.spin_before = w;
  rod.root.next.position = cps_vec3_axpy(rod.root.now.position, step.h, v);
  rod.root.next.rotation = cps_quat_multiply(cps_quat_exp(cps_vec3_scale(step.h, w)), rod.root.now.rotation);
  rod.type->begin(&rod, &step);
  rod.type->receive(&rod, NULL);
  CpsVec3 moved = rod.type->velocity(&rod, 0.33, CPS_VELOCITY_AFTER), from = rod.type->at(&rod, 0.33).position;
  rod.type->advance(&rod, &step);
  rod.type->refresh(&rod);
  CpsVec3 difference = cps_vec3_scale(1.0 / step.h, cps_vec3_sub(rod.type->at(&rod, 0.33).position, from));
  // accelerations of some 1e3 m/s^2 over half of h
  assert_below(cps_vec3_norm(cps_vec3_sub(moved, difference)), 2e-3);
  assert_true(cps_vec3_norm(moved) > 0.1);
  cps_rod_free(&rod);
}

static void run(CpsRod* rod, const CpsModelStep* step, int count) {
  for (int i = 0; i < count; ++i) {
    rod->type->begin(rod, step);
    rod->type->receive(rod, NULL);
    rod->type->advance(rod, step);
    rod->type->refresh(rod);
    rod->root.now = rod->root.next;
    rod->root.velocity_before = rod->root.velocity;
    rod->root.spin_before = rod->root.spin;
  }
}

static double arc_length(const CpsRod* rod) {
  // chords of 4000 parts: relative error (turn of a part)^2 / 24
  double sum = 0.0;
  CpsVec3 from = rod->type->at(rod, 0.0).position;
  for (int i = 1; i <= 4000; ++i) {
    CpsVec3 to = rod->type->at(rod, rod->spec.length * i / 4000).position;
    sum += cps_vec3_norm(cps_vec3_sub(to, from));
    from = to;
  }
  return sum;
}

// Chords of unit tangents: the frame is a rotation and x' its first column, so the length is that of the definition.
static void length_never_changes(void** state) {
  (void)state;
  CpsFibreDef def = odd_def(CPS_END_CLAMPED);
  CpsRod rod = make(&def);
  const CpsModelStep step = {.h = 5e-3, .theta = 1.0, .gravity = {0, 0, -9.81}};
  run(&rod, &step, 100);
  for (int i = 0; i < 40; ++i) {
    double s = 0.4 * (i + 0.5) / 40;
    const double d = 1e-4;
    CpsRodPoint p = rod.type->at(&rod, s);
    CpsVec3 t = {p.frame.m[0], p.frame.m[3], p.frame.m[6]};
    assert_near(cps_vec3_norm(t), 1.0, 1e-12);
    CpsVec3 slope =
        cps_vec3_scale(0.5 / d, cps_vec3_sub(rod.type->at(&rod, s + d).position, rod.type->at(&rod, s - d).position));
    assert_below(cps_vec3_norm(cps_vec3_sub(slope, t)), 1e-4);
  }
  assert_near(arc_length(&rod), 0.4, 1e-7);
  cps_rod_free(&rod);
}

static CpsFibreDef straight_def(CpsEndKind root, int32_t elements) {
  CpsFibreDef def = cps_fibre_def_default();
  def.model = CPS_ROD_SUPER_HELIX;
  def.elements = elements;
  def.length = 0.3;
  def.root.kind = root;
  def.damping = 0.0;
  return def;
}

// Tip deflection w L^4 / (8 EI) for small loads. Constant curvature per element: the error falls with elements^-2.
static void cantilever_bends_as_beams_do(void** state) {
  (void)state;
  double error[2];
  for (int i = 0; i < 2; ++i) {
    CpsFibreDef def = straight_def(CPS_END_CLAMPED, i == 0 ? 5 : 10);
    def.young = 1e12;  // Gamma = 5e-3
    def.drag = 0.2;
    CpsRod rod = make(&def);
    const CpsRodBranch* trunk = &rod.spec.branch[0];
    const CpsModelStep step = {.h = 0.1, .theta = 1.0, .gravity = {0, 0, -9.81}};
    run(&rod, &step, 100);
    double expected = trunk->line_density * 9.81 * pow(0.3, 4) / (8.0 * trunk->stiffness[1]);
    double z = rod.type->at(&rod, 0.3).position.z;
    error[i] = z / -expected - 1.0;
    cps_rod_free(&rod);
  }
  // means of (1 - s)^2 / 2 over n elements give 1/8 (1 - 1 / (3 n^2)); the load is a little large for 1e-5
  assert_near(error[0], -1.0 / 75.0, 2e-5);
  assert_near(error[1], -1.0 / 300.0, 2e-5);
}

// First bending frequency of a cantilever: omega = 3.5160 sqrt(EI / (rho S L^4)). A quarter of a period brings a rod let
// go from a small first mode to the straight shape.
static void small_vibrations_have_the_frequency_of_beams(void** state) {
  (void)state;
  CpsFibreDef def = straight_def(CPS_END_CLAMPED, 8);
  def.gravity = false;
  CpsRod rod = make(&def);
  const CpsRodBranch* trunk = &rod.spec.branch[0];
  CpsSuperHelix x = cps_super_helix(&rod);
  // curvature of the first mode is nearly (1 - s/L)^2 (1 + 2 s/L) .. close enough: the higher modes are 1 % of the tip
  for (int32_t i = 0; i < x.elements; ++i) {
    double t = 1.0 - (i + 0.5) / x.elements;
    x.curvature[i].y = 1e-3 * (1.5 * t * t - 0.5 * t * t * t);
  }
  rod.type->refresh(&rod);
  double omega = 3.5160 * sqrt(trunk->stiffness[1] / trunk->line_density) / (0.3 * 0.3);
  const double PI = 3.14159265358979323846;
  const CpsModelStep step = {.h = PI / omega / 400.0, .theta = 0.5, .gravity = {0, 0, 0}};
  double start = rod.type->at(&rod, 0.3).position.z;
  run(&rod, &step, 400);
  // after half a period the tip is at the other side, higher modes apart
  assert_near(rod.type->at(&rod, 0.3).position.z / start, -1.0, 0.02);
  run(&rod, &step, 200);
  assert_near(rod.type->at(&rod, 0.3).position.z / start, 0.0, 0.05);
  cps_rod_free(&rod);
}

// A free rod in its natural shape falls like a stone: v = g t, z = g h^2 n (n + 1) / 2 by the scheme.
static void free_fall_is_exact(void** state) {
  (void)state;
  static const CpsVec3 SHAPE[] = {{10, 20, -15}};
  CpsFibreDef def = odd_def(CPS_END_FREE);
  def.curvature_count = 0;
  def.natural = SHAPE;
  CpsRod rod = make(&def);
  const CpsModelStep step = {.h = 1e-2, .theta = 1.0, .gravity = {0, 0, -9.81}};
  CpsVec3 from[PLACE_COUNT];
  for (int i = 0; i < PLACE_COUNT; ++i) from[i] = rod.type->at(&rod, PLACES[i]).position;
  run(&rod, &step, 20);
  for (int i = 0; i < PLACE_COUNT; ++i) {
    CpsVec3 d = cps_vec3_sub(rod.type->at(&rod, PLACES[i]).position, from[i]);
    // rounding of the solves, added up over 20 steps
    assert_near(d.x, 0.0, 1e-10);
    assert_near(d.y, 0.0, 1e-10);
    assert_near(d.z, -9.81 * 1e-4 * 210.0, 1e-10);
  }
  cps_rod_free(&rod);
}

static double momentum_drift(double h) {
  CpsFibreDef def = odd_def(CPS_END_FREE);
  def.damping = 1e-3;
  def.gravity = false;
  CpsRod rod = make(&def);
  stir(&rod, 2.0);
  CpsVec3 p0, l0, p1, l1;
  const CpsModelStep step = {.h = h, .theta = 1.0, .gravity = {0, 0, 0}};
  rod.type->momentum(&rod, &p0, &l0);
  run(&rod, &step, (int)lround(0.1 / h));
  rod.type->momentum(&rod, &p1, &l1);
  double drift =
      cps_vec3_norm(cps_vec3_sub(p1, p0)) / cps_vec3_norm(p0) + cps_vec3_norm(cps_vec3_sub(l1, l0)) / cps_vec3_norm(l0);
  cps_rod_free(&rod);
  return drift;
}

static void a_free_rod_keeps_its_momentum_to_first_order(void** state) {
  (void)state;
  double coarse = momentum_drift(1e-4), fine = momentum_drift(0.5e-4);
  assert_below(fine, 5e-3);
  assert_below(fine, 0.6 * coarse);
}

// Without input the energy only falls, however violent the motion and long the step: rods are let go from a shape that is
// far from the natural one. Gravity is taken at the beginning of the step; where a point moves on a curve with centripetal
// acceleration c it does m h^2 (g c - c^2) / 2 <= m (g h)^2 / 8 too much work.
static void energy_never_grows(void** state) {
  (void)state;
  static const double STEPS[] = {1e-3, 3e-3, 1e-2};
  for (int kind = 0; kind < 3; ++kind) {
    for (int k = 0; k < 3; ++k) {
      CpsFibreDef def = odd_def(KINDS[kind]);
      def.damping = 1e-3;
      CpsRod rod = make(&def);
      const CpsModelStep step = {.h = STEPS[k], .theta = 1.0, .gravity = {0, 0, -9.81}};
      CpsRodEnergy e;
      rod.type->energy(&rod, GRAVITY, &e);
      double last = e.kinetic + e.gravity + e.elastic, scale = fabs(e.gravity) + e.elastic;
      double mass = rod.spec.branch[0].line_density * def.length, first = last;
      for (int i = 0; i < 200; ++i) {
        run(&rod, &step, 1);
        rod.type->energy(&rod, GRAVITY, &e);
        double now = e.kinetic + e.gravity + e.elastic;
        assert_below(now - last, mass * 9.81 * 9.81 * STEPS[k] * STEPS[k] / 8.0 + 1e-12 * scale);
        last = now;
      }
      assert_true(last < first);
      cps_rod_free(&rod);
    }
  }
}

static CpsVec3 swing(double h, double theta) {
  CpsFibreDef def = straight_def(CPS_END_CLAMPED, 4);
  def.radius = 2e-3;
  def.young = 1e6;
  def.damping = 5e-3;
  CpsRod rod = make(&def);
  const CpsModelStep step = {.h = h, .theta = theta, .gravity = {0, 0, -9.81}};
  run(&rod, &step, (int)lround(0.256 / h));
  CpsVec3 tip = rod.type->at(&rod, 0.3).position;
  cps_rod_free(&rod);
  return tip;
}

static void swinging_converges_at_first_order(void** state) {
  (void)state;
  CpsVec3 reference = swing(0.0625e-3, 1.0), better = swing(0.03125e-3, 1.0);
  // Richardson's limit of a method of first order
  CpsVec3 limit = cps_vec3_axpy(cps_vec3_scale(2.0, better), -1.0, reference);
  double e1 = cps_vec3_norm(cps_vec3_sub(swing(1e-3, 1.0), limit));
  double e2 = cps_vec3_norm(cps_vec3_sub(swing(0.5e-3, 1.0), limit));
  assert_true(e1 > 1e-5);
  assert_near(e1 / e2, 2.0, 0.2);
}

// A clamped root that is shaken: the rod hangs on it in every step, and its inertia bends the rod the other way.
static void a_driven_root_takes_the_rod_along(void** state) {
  (void)state;
  CpsFibreDef def = straight_def(CPS_END_CLAMPED, 5);
  def.gravity = false;
  CpsRod rod = make(&def);
  const double h = 1e-3, acceleration = 2.0;
  const CpsModelStep step = {.h = h, .theta = 1.0, .gravity = {0, 0, 0}};
  double z = 0.0;
  for (int i = 1; i <= 50; ++i) {
    rod.root.velocity = cps_vec3(0, 0, acceleration * i * h);
    z += h * rod.root.velocity.z;
    rod.root.next.position = cps_vec3(0, 0, z);
    run(&rod, &step, 1);
    assert_near(rod.type->at(&rod, 0.0).position.z, z, 0.0);
  }
  assert_near(rod.type->velocity(&rod, 0.0, CPS_VELOCITY_AFTER).z, 0.1, 1e-15);
  assert_true(rod.type->at(&rod, 0.3).position.z < z);
  cps_rod_free(&rod);
}

// In a root that accelerates steadily the rod bends as under a weight of that acceleration.
static void a_driven_root_is_a_weight_in_its_own_frame(void** state) {
  (void)state;
  double bent[2];
  for (int pass = 0; pass < 2; ++pass) {
    CpsFibreDef def = straight_def(CPS_END_CLAMPED, 5);
    CpsRod rod = make(&def);
    const double h = 1e-3, g = 3.0;
    const CpsModelStep step = {.h = h, .theta = 1.0, .gravity = {0, 0, pass == 0 ? -g : 0.0}};
    double z = 0.0;
    for (int i = 1; i <= 60; ++i) {
      if (pass == 1) rod.root.velocity = cps_vec3(0, 0, g * i * h);
      z += h * rod.root.velocity.z;
      rod.root.next.position = cps_vec3(0, 0, z);
      run(&rod, &step, 1);
    }
    bent[pass] = rod.type->at(&rod, 0.3).position.z - z;
    cps_rod_free(&rod);
  }
  assert_true(bent[0] < -1e-3);
  // the same equations: only rounding
  assert_near(bent[0], bent[1], 1e-12);
}

static void a_pull_pulls(void** state) {
  (void)state;
  CpsFibreDef def = straight_def(CPS_END_CLAMPED, 6);
  def.gravity = false;
  def.damping = 0.05;
  CpsRod rod = make(&def);
  CpsSuperHelix x = cps_super_helix(&rod);
  const CpsModelStep step = {.h = 1e-2, .theta = 1.0, .gravity = {0, 0, 0}};
  // a point load: deflection F L^3 / (3 EI)
  double EI = rod.spec.branch[0].stiffness[2], F = 0.01 * EI / (0.3 * 0.3);
  CpsRodPull load = {.s = 0.3, .force = {0, F, 0}};
  rod.pulls = &load;
  rod.pull_count = 1;
  run(&rod, &step, 400);
  double expected = F * pow(0.3, 3) / (3.0 * EI);
  // mean curvatures: error 1 / (4 elements^2)
  assert_near(rod.type->at(&rod, 0.3).position.y / expected, 1.0, 0.01);
  assert_near(x.curvature[0].z, F * 0.3 / EI * (11.0 / 12.0), 0.001 * F * 0.3 / EI);
  // a stiff spring brings the middle to its target, however stiff
  CpsVec3 target = {0.14, 0.02, 0.03};
  CpsRodPull spring = {.s = 0.15, .stiffness = 1e6, .damping = 10.0, .target = target};
  rod.pulls = &spring;
  run(&rod, &step, 400);
  assert_below(cps_vec3_norm(cps_vec3_sub(rod.type->at(&rod, 0.15).position, target)), 1e-5);
  cps_rod_free(&rod);
}

// Loaded along both principal axes alike, a flat section bends most about the axis along its long side.
static void an_elliptic_section_bends_about_its_weak_axis(void** state) {
  (void)state;
  CpsFibreDef def = straight_def(CPS_END_CLAMPED, 6);
  def.radius = 1e-3;           // along the second axis, y
  def.radius_across = 0.5e-3;  // along the third, z: bending about y is weaker
  def.young = 1e10;
  def.drag = 0.5;
  CpsRod rod = make(&def);
  const CpsModelStep step = {.h = 0.1, .theta = 1.0, .gravity = {0, -1.0, -1.0}};
  run(&rod, &step, 200);
  CpsVec3 tip = rod.type->at(&rod, 0.3).position;
  // E I goes with the third power of the half-axis in the plane of bending: a factor 4
  assert_near(tip.z / tip.y, 4.0, 0.02);
  cps_rod_free(&rod);
}

static void a_natural_helix_stays_exactly_still(void** state) {
  (void)state;
  static const CpsVec3 HELIX[] = {{15, 0, 40}};
  CpsFibreDef def = odd_def(CPS_END_CLAMPED);
  def.curvature_count = 0;
  def.natural = HELIX;
  def.gravity = false;
  for (int kind = 0; kind < 3; ++kind) {
    def.root.kind = KINDS[kind];
    CpsRod rod = make(&def);
    CpsVec3 tip = rod.type->at(&rod, 0.4).position;
    run(&rod, &STEP, 100);
    CpsVec3 now = rod.type->at(&rod, 0.4).position;
    assert_true(now.x == tip.x && now.y == tip.y && now.z == tip.z);
    assert_near(cps_vec3_norm(rod.type->velocity(&rod, 0.4, CPS_VELOCITY_AFTER)), 0.0, 0.0);
    cps_rod_free(&rod);
  }
}

// Positions, tangents and curvatures of the shape it was made from: exact for constant curvature per element.
static void the_shape_is_the_one_asked_for(void** state) {
  (void)state;
  static const CpsVec3 ARC[] = {{0, 0, 5}};
  CpsFibreDef def = straight_def(CPS_END_FREE, 3);
  def.curvature_count = 1;
  def.curvature = ARC;
  CpsRod rod = make(&def);
  for (int i = 0; i <= 10; ++i) {
    double s = 0.03 * i;
    CpsRodPoint p = rod.type->at(&rod, s);
    assert_near(p.position.x, sin(5.0 * s) / 5.0, 1e-12);
    assert_near(p.position.y, (1.0 - cos(5.0 * s)) / 5.0, 1e-12);
    assert_near(p.frame.m[0], cos(5.0 * s), 1e-12);
    assert_near(p.curvature.z, 5.0, 1e-11);
  }
  cps_rod_free(&rod);
}

// Both ends clamped and brought together: the tip is where it is held.
static void a_held_tip_is_where_it_is_held(void** state) {
  (void)state;
  for (int kind = 1; kind < 3; ++kind) {
    static const CpsVec3 ARC[] = {{0, 4, 0}};  // a straight rod could not be pushed together
    CpsFibreDef def = straight_def(CPS_END_CLAMPED, 10);
    def.tip.kind = KINDS[kind];
    def.natural_count = 1;
    def.natural = ARC;
    def.damping = 0.01;
    CpsRod rod = make(&def);
    const double h = 5e-3;
    const CpsModelStep step = {.h = h, .theta = 1.0, .gravity = {0, 0, -9.81}};
    const CpsVec3 v = {-0.1, 0.02, 0.05};
    const CpsVec3 w = {0.0, 0.5, 0.2};
    CpsVec3 start = rod.tip.now.position;
    CpsQuat turned = rod.tip.now.rotation;
    for (int i = 1; i <= 200; ++i) {
      rod.tip.velocity = v;
      rod.tip.spin = w;
      rod.tip.next.position = cps_vec3_axpy(start, h * i, v);
      rod.tip.next.rotation = turned = cps_quat_multiply(cps_quat_exp(cps_vec3_scale(h, w)), turned);
      run(&rod, &step, 1);
      CpsRodPoint tip = rod.type->at(&rod, 0.3);
      // the way of a step is 5e-4 m: what the curved path of the tip leaves is of second order in it
      assert_below(cps_vec3_norm(cps_vec3_sub(tip.position, rod.tip.next.position)), 2e-5);
      if (kind == 2) {
        CpsVec3 t = {tip.frame.m[0], tip.frame.m[3], tip.frame.m[6]};
        assert_below(cps_vec3_norm(cps_vec3_sub(t, cps_quat_rotate(turned, cps_vec3(1, 0, 0)))), 1e-3);
      }
    }
    rod.tip.velocity = rod.tip.spin = NONE;
    run(&rod, &step, 200);
    CpsRodPoint tip = rod.type->at(&rod, 0.3);
    CpsVec3 t = {tip.frame.m[0], tip.frame.m[3], tip.frame.m[6]};
    // (4): forces over stiffness
    assert_below(cps_vec3_norm(cps_vec3_sub(tip.position, rod.tip.next.position)), 1e-6);
    if (kind == 2) assert_below(cps_vec3_norm(cps_vec3_sub(t, cps_quat_rotate(turned, cps_vec3(1, 0, 0)))), 1e-5);
    cps_rod_free(&rod);
  }
}

// A rigid motion set by hand is one: every point moves with velocity + spin x position.
static void a_rigid_motion_is_rigid(void** state) {
  (void)state;
  CpsFibreDef def = odd_def(CPS_END_FREE);
  CpsRod rod = make(&def);
  const CpsVec3 v = {0.3, -0.2, 0.5}, w = {1.0, -2.0, 3.0};
  rod.type->move_rigidly(&rod, v, w);
  for (int i = 0; i < PLACE_COUNT; ++i) {
    CpsVec3 p = rod.type->at(&rod, PLACES[i]).position, expected = cps_vec3_add(v, cps_vec3_cross(w, p));
    CpsVec3 u = rod.type->velocity(&rod, PLACES[i], CPS_VELOCITY_AFTER);
    assert_below(cps_vec3_norm(cps_vec3_sub(u, expected)), 1e-14);
  }
  const CpsRigidMotion none = {{0, 0, 0}, {0, 0, 0}};
  rod.type->slow(&rod, 0.5, &none, &none);
  CpsVec3 p = rod.type->at(&rod, 0.4).position, u = rod.type->velocity(&rod, 0.4, CPS_VELOCITY_AFTER);
  assert_below(cps_vec3_norm(cps_vec3_axpy(u, -0.5, cps_vec3_add(v, cps_vec3_cross(w, p)))), 1e-14);
  cps_rod_free(&rod);
}

// shift() moves by what the rows say: the point goes by G z, to second order.
static void a_shift_moves_the_point_without_its_velocity(void** state) {
  (void)state;
  CpsFibreDef def = odd_def(CPS_END_FREE);
  CpsRod rod = make(&def);
  stir(&rod, 1.0);
  rod.type->begin(&rod, &STEP);
  rod.type->receive(&rod, NULL);
  const CpsMat3 axes = cps_mat3_identity();
  double G[3 * 18], z[18];
  rod.type->rows(&rod, 0.3, NULL, &axes, 1.0, G);
  double gg = 0.0;
  for (int i = 0; i < 18; ++i) gg += G[i] * G[i];
  for (int i = 0; i < 18; ++i) z[i] = 1e-6 * G[i] / gg;
  CpsVec3 from = rod.type->at(&rod, 0.3).position;
  double before = rod.state[rod.state_count - 1];
  rod.type->shift(&rod, z);
  rod.type->refresh(&rod);
  assert_near(rod.type->at(&rod, 0.3).position.x - from.x, 1e-6, 1e-9);
  assert_near(rod.state[rod.state_count - 1], before, 0.0);
  cps_rod_free(&rod);
}

// In (-1, 1).
static double either(CpsRandom* random) {
  return 2.0 * cps_random_uniform(random) - 1.0;
}

// Rods of all kinds with a clamp that jumps at random in every step: violent, but nothing blows up. The bound is ten times
// the jumps; a rod that blows up passes it within a few steps.
static void whipped_about_it_stays_finite(void** state) {
  (void)state;
  double worst = 0.0;
  CpsRandom random = cps_random_seed(4);
  for (int k = 0; k < 24; ++k) {
    CpsFibreDef def = straight_def(KINDS[1 + k % 2], 1 + k % 12);
    CpsVec3 natural = {30.0 * either(&random), 30.0 * either(&random), 30.0 * either(&random)};
    def.natural_count = 1;
    def.natural = &natural;
    def.radius = pow(10.0, -3.5 + 0.5 * either(&random));
    def.young = pow(10.0, 7.5 + 2.5 * either(&random));
    CpsRod rod = make(&def);
    const double h = pow(10.0, -2.3 + 0.6 * either(&random));
    const CpsModelStep step = {.h = h, .theta = 1.0, .gravity = {0, 0, -9.81}};
    for (int i = 0; i < 150; ++i) {
      CpsRodEnd* root = &rod.root;
      root->velocity = cps_vec3(5.0 * either(&random), 5.0 * either(&random), 5.0 * either(&random));
      root->spin = cps_vec3(20.0 * either(&random), 20.0 * either(&random), 20.0 * either(&random));
      root->next.position = cps_vec3_axpy(root->now.position, h, root->velocity);
      CpsQuat turn = cps_quat_exp(cps_vec3_scale(h, root->spin));
      root->next.rotation = cps_quat_unit(cps_quat_multiply(turn, root->now.rotation));
      run(&rod, &step, 1);
      double fast = cps_vec3_norm(rod.type->velocity(&rod, 0.3, CPS_VELOCITY_AFTER));
      worst = fast > worst || isnan(fast) ? fast : worst;
    }
    cps_rod_free(&rod);
  }
  assert_below(worst, 50.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(jacobian_is_the_derivative_of_positions),
      cmocka_unit_test(mass_is_the_form_of_kinetic_energy),
      cmocka_unit_test(forces_are_the_gradient_of_energy),
      cmocka_unit_test(momentum_is_projected_on_what_the_rod_can_do),
      cmocka_unit_test(bias_tends_to_the_acceleration_at_constant_rates),
      cmocka_unit_test(rows_and_impulses_agree),
      cmocka_unit_test(velocity_is_that_of_positions),
      cmocka_unit_test(length_never_changes),
      cmocka_unit_test(cantilever_bends_as_beams_do),
      cmocka_unit_test(small_vibrations_have_the_frequency_of_beams),
      cmocka_unit_test(free_fall_is_exact),
      cmocka_unit_test(a_free_rod_keeps_its_momentum_to_first_order),
      cmocka_unit_test(energy_never_grows),
      cmocka_unit_test(swinging_converges_at_first_order),
      cmocka_unit_test(a_driven_root_takes_the_rod_along),
      cmocka_unit_test(a_driven_root_is_a_weight_in_its_own_frame),
      cmocka_unit_test(a_pull_pulls),
      cmocka_unit_test(an_elliptic_section_bends_about_its_weak_axis),
      cmocka_unit_test(a_natural_helix_stays_exactly_still),
      cmocka_unit_test(the_shape_is_the_one_asked_for),
      cmocka_unit_test(a_held_tip_is_where_it_is_held),
      cmocka_unit_test(a_rigid_motion_is_rigid),
      cmocka_unit_test(a_shift_moves_the_point_without_its_velocity),
      cmocka_unit_test(whipped_about_it_stays_finite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
