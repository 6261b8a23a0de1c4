// The recursive super-helix: chains and trees against a dense model by brute force, against the composite form, and the
// laws that a rod must keep.
#include "brute_tree.h"

#include "model/rod_shape.h"
#include "test_helpers.h"

// The state of the model, as it lays it out.
static double* state_twist(CpsRod* rod) {
  return rod->state + 7;
}
static double* state_curvature(CpsRod* rod) {
  return rod->state + 13;
}
static double* state_rate(CpsRod* rod) {
  return rod->state + 13 + 3 * (int64_t)rod->spec.elements;
}

// Trunk of two elements, a branch of two after its first, a twig of one after the first of the branch, all curved.
static const CpsFibreBranch BRANCHES[] = {
    {-1, 0, {0.9, 0.1, 0.3, -0.2}, 2, 0.25, 3e-3, {1.0, 2.0, -1.0}, {0.5, 1.0, -3.0}},
    {0, 0, {0.8, -0.2, 0.1, 0.4}, 1, 0.15, 2e-3, {0.0, -2.0, 1.0}, {NAN, 0.0, 0.0}},
};
static const CpsVec3 CURVED = {1.5, -2.0, 3.0}, NATURAL = {0.5, -1.0, 1.0};

static CpsFibreDef tree_def(CpsEndKind root) {
  CpsFibreDef def = cps_fibre_def_default();
  def.model = CPS_ROD_SUPER_HELIX_RECURSIVE;
  def.elements = 2;
  def.length = 0.4;
  def.root_pose = (CpsPose){{0.1, -0.2, 0.3}, {0.7, 0.3, -0.5, 0.2}};
  def.curvature_count = 1;
  def.curvature = &CURVED;
  def.natural_count = 1;
  def.natural = &NATURAL;
  def.radius = 5e-3;
  def.radius_across = 3e-3;
  def.young = 1e6;
  def.density = 1000.0;
  def.damping = 5e-3;
  def.drag = 0.02;
  def.root.kind = root;
  def.branch_count = 2;
  def.branches = BRANCHES;
  return def;
}

// Rates and a twist of the root that have nothing special.
static void set_moving(CpsRod* rod) {
  for (int64_t i = 0; i < 3 * (int64_t)rod->spec.elements; ++i) state_rate(rod)[i] = 2.0 * sin(1.0 + 1.7 * (double)i);
  rod->root.velocity_before = cps_vec3(0.2, -0.1, 0.3);
  rod->root.velocity = cps_vec3(0.25, -0.15, 0.1);
  rod->root.spin_before = cps_vec3(1.0, -0.5, 0.7);
  rod->root.spin = cps_vec3(1.2, -0.4, 0.5);
  double twist[6] = {0.2, -0.1, 0.3, 1.0, -0.5, 0.7};
  memcpy(state_twist(rod), twist, sizeof twist);
  rod->type->refresh(rod);
}

static Brute brute_of(CpsRod* rod) {
  Brute b = {.count = rod->spec.elements};
  for (int32_t i = 0; i < rod->spec.branch_count; ++i) {
    const CpsRodBranch* branch = &rod->spec.branch[i];
    for (int32_t j = 0; j < branch->elements; ++j) {
      int32_t e = branch->first_element + j;
      b.parent[e] = j > 0 ? e - 1 : i > 0 ? rod->spec.branch[branch->parent].first_element + branch->at : -1;
      b.size[e] = branch->length / branch->elements;
      b.density[e] = branch->line_density;
      b.turn[e] = j == 0 ? branch->rotation : cps_quat_identity();
      CpsVec3 natural = i == 0 ? NATURAL : BRANCHES[i - 1].natural;
      b.natural[3 * e] = natural.x, b.natural[3 * e + 1] = natural.y, b.natural[3 * e + 2] = natural.z;
      memcpy(b.stiffness + 3 * (size_t)e, branch->stiffness, sizeof branch->stiffness);
    }
  }
  memcpy(&b.root, rod->state, sizeof b.root);
  memcpy(b.k, state_curvature(rod), 3 * (size_t)b.count * sizeof(double));
  memcpy(b.v, state_twist(rod), 6 * sizeof(double));
  memcpy(b.v + 6, state_rate(rod), 3 * (size_t)b.count * sizeof(double));
  return b;
}

static int held_by(CpsEndKind kind) {
  return kind == CPS_END_CLAMPED ? 6 : kind == CPS_END_PINNED ? 3 : 0;
}

static void assert_same(CpsVec3 a, CpsVec3 b, double tolerance) {
  assert_near(a.x, b.x, tolerance);
  assert_near(a.y, b.y, tolerance);
  assert_near(a.z, b.z, tolerance);
}

static const CpsRodPull PULLS[] = {
    {.s = 0.31, .force = {0.02, 0.01, -0.03}},
    {.s = 0.55, .stiffness = 3.0, .damping = 0.02, .target = {0.3, 0.2, 0.1}, .target_velocity = {0.1, 0, -0.2}},
};
static const double PLACES[] = {0.0, 0.07, 0.33, 0.45, 0.6, 0.7, 0.8};
enum { PLACE_COUNT = sizeof PLACES / sizeof PLACES[0] };

static void positions_agree(CpsRod* rod, const Brute* b) {
  for (int p = 0; p < PLACE_COUNT; ++p) {
    CpsRodPlace place = cps_rod_place(&rod->spec, PLACES[p]);
    CpsPose pose = brute_at(b, place.element, place.local);
    CpsRodPoint point = rod->type->at(rod, PLACES[p]);
    assert_same(point.position, pose.position, 1e-13);
    for (int j = 0; j < 3; ++j) {
      CpsVec3 axis = cps_quat_rotate(pose.rotation, cps_vec3(j == 0, j == 1, j == 2));
      assert_same(cps_vec3(point.frame.m[j], point.frame.m[3 + j], point.frame.m[6 + j]), axis, 1e-13);
    }
  }
}

// v*, W and v+ of one step with everything switched on.
static void step_equals_brute_force(CpsEndKind kind, double theta) {
  CpsFibreDef def = tree_def(kind);
  CpsRod rod;
  assert_int_equal(cps_rod_create(&def, &rod, NULL), CPS_OK);
  set_moving(&rod);
  rod.pulls = PULLS;
  rod.pull_count = 2;
  CpsModelStep step = {.h = 4e-3, .theta = theta, .gravity = {0.3, 0.0, -9.81}};
  Brute b = brute_of(&rod);
  positions_agree(&rod, &b);
  rod.type->begin(&rod, &step);

  static double A[BRUTE_DOFS * BRUTE_DOFS], S[BRUTE_DOFS * BRUTE_DOFS], f[BRUTE_DOFS], v[BRUTE_DOFS], u[BRUTE_DOFS];
  int n = 6 + 3 * b.count, held = held_by(kind), m = n - held;
  assert_int_equal(rod.dofs, m);
  brute_assemble(&b, &rod, &step, A, f);
  const CpsVec3 dv = cps_vec3_sub(rod.root.velocity, rod.root.velocity_before),
                dw = cps_vec3_sub(rod.root.spin, rod.root.spin_before);
  const double change[6] = {dv.x, dv.y, dv.z, dw.x, dw.y, dw.z};
  for (int i = 0; i < m; ++i) {
    u[i] = f[held + i];
    for (int j = 0; j < held; ++j) u[i] -= A[n * (held + i) + j] * change[j];
    for (int j = 0; j < m; ++j) S[m * i + j] = A[n * (held + i) + held + j];
  }
  assert_true(cps_dense_cholesky_factor(m, S, 0.0));
  cps_dense_cholesky_solve(m, S, u);
  for (int i = 0; i < n; ++i) v[i] = b.v[i] + (i < held ? change[i] : u[i - held]);

  CpsMat3 frame = cps_mat3_frame(cps_vec3_unit(cps_vec3(1, 2, -1)), cps_vec3(0, 1, 0));
  static double J[3 * BRUTE_DOFS], G[3 * BRUTE_DOFS], H[3 * BRUTE_DOFS];
  for (int p = 0; p < PLACE_COUNT; ++p) {
    CpsRodPlace place = cps_rod_place(&rod.spec, PLACES[p]);
    brute_jacobian(&b, place.element, place.local, J);
    // differences have 1e-10 of relative error, and the form is conditioned like 1e4
    assert_same(rod.type->velocity(&rod, PLACES[p], CPS_VELOCITY_BEFORE), brute_velocity(n, J, b.v), 1e-8);
    assert_same(rod.type->velocity(&rod, PLACES[p], CPS_VELOCITY_FREE), brute_velocity(n, J, v), 1e-6);
    rod.type->rows(&rod, PLACES[p], &frame, -1.0, G);
    for (int q = 0; q < PLACE_COUNT; ++q) {
      rod.type->rows(&rod, PLACES[q], &frame, 1.0, H);
      CpsRodPlace other = cps_rod_place(&rod.spec, PLACES[q]);
      static double K[3 * BRUTE_DOFS];
      brute_jacobian(&b, other.element, other.local, K);
      for (int i = 0; i < 3; ++i) {
        CpsVec3 e = {frame.m[3 * i], frame.m[3 * i + 1], frame.m[3 * i + 2]};
        for (int j = 0; j < m; ++j) u[j] = e.x * K[held + j] + e.y * K[n + held + j] + e.z * K[2 * n + held + j];
        double largest = 0.0;
        cps_dense_cholesky_solve(m, S, u);
        for (int k = 0; k < 3; ++k) {
          double W = 0.0, expected = 0.0;
          for (int j = 0; j < m; ++j) {
            W += G[m * k + j] * H[m * i + j];
            for (int c = 0; c < 3; ++c) expected -= frame.m[3 * k + c] * J[n * c + held + j] * u[j];
          }
          largest = fmax(largest, fabs(expected));
          assert_near(W, expected, 1e-6 * (1.0 + largest));
        }
      }
    }
  }
  cps_rod_free(&rod);
}

static void a_step_of_a_tree_equals_brute_force(void** state) {
  (void)state;
  for (int kind = CPS_END_FREE; kind <= CPS_END_CLAMPED; ++kind) {
    step_equals_brute_force((CpsEndKind)kind, 1.0);
    step_equals_brute_force((CpsEndKind)kind, 0.5);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_step_of_a_tree_equals_brute_force),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
