// The recursive super-helix: chains and trees against a dense model by brute force, against the composite form, and the
// laws that a rod must keep.
#include "brute_tree.h"

#include "model/rod_shape.h"
#include "test_helpers.h"

// The state of the model, as it lays it out: pose of the root now and at the beginning of the last step, its velocity
// (world axes) and spin (axes of the root), curvatures now and then, rates.
static CpsPose* state_pose(CpsRod* rod, bool then) {
  return (CpsPose*)rod->state + then;
}
static double* state_motion(CpsRod* rod) {
  return rod->state + 14;
}
static double* state_curvature(CpsRod* rod, bool then) {
  return rod->state + 20 + (then ? 3 * (int64_t)rod->spec.elements : 0);
}
static double* state_rate(CpsRod* rod) {
  return rod->state + 20 + 6 * (int64_t)rod->spec.elements;
}

// Trunk of two elements, a branch of two after its first, a twig of one after the first of the branch, all curved.
static const CpsFibreBranch BRANCHES[] = {
    {-1, 0, {0.9, 0.1, 0.3, -0.2}, 2, 0.25, 3e-3, {1.0, 2.0, -1.0}, {0.5, 1.0, -3.0}},
    {0, 0, {0.8, -0.2, 0.1, 0.4}, 1, 0.15, 2e-3, {0.0, -2.0, 1.0}, {NAN, 0.0, 0.0}},
};
static const CpsVec3 CURVED = {1.5, -2.0, 3.0}, NATURAL = {0.5, -1.0, 1.0};

static CpsFibreDef tree_def(CpsEndKind root) {
  CpsFibreDef def = {.model = CPS_ROD_SUPER_HELIX_RECURSIVE,
                     .poisson = 0.5,
                     .radius_tip = NAN,
                     .line_density = NAN,
                     .bending = {NAN, NAN},
                     .twisting = NAN,
                     .stretching = NAN,
                     .gravity = true};
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

// Rates and a twist of the root that have nothing special; where the rod was is a little off where it is.
static void set_moving(CpsRod* rod) {
  for (int64_t i = 0; i < 3 * (int64_t)rod->spec.elements; ++i) {
    state_rate(rod)[i] = 2.0 * sin(1.0 + 1.7 * (double)i);
    state_curvature(rod, true)[i] = state_curvature(rod, false)[i] + 0.02 * cos(1.3 * (double)i);
  }
  CpsPose* then = state_pose(rod, true);
  then->position = cps_vec3_add(then->position, cps_vec3(1e-3, -2e-3, 5e-4));
  then->rotation = cps_quat_multiply(cps_quat_exp(cps_vec3(0.01, 0.02, -0.005)), then->rotation);
  rod->root.velocity_before = cps_vec3(0.2, -0.1, 0.3);
  rod->root.velocity = cps_vec3(0.25, -0.15, 0.1);
  rod->root.spin_before = cps_vec3(1.0, -0.5, 0.7);
  rod->root.spin = cps_vec3(1.2, -0.4, 0.5);
  const double motion[6] = {0.2, -0.1, 0.3, 1.0, -0.5, 0.7};
  memcpy(state_motion(rod), motion, sizeof motion);
  rod->type->refresh(rod);
}

static Brute brute_of(CpsRod* rod, bool then) {
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
  b.root = *state_pose(rod, then);
  memcpy(b.k, state_curvature(rod, then), 3 * (size_t)b.count * sizeof(double));
  const double* motion = state_motion(rod);
  CpsVec3 v = {motion[0], motion[1], motion[2]}, w = {motion[3], motion[4], motion[5]};
  if (rod->spec.root != CPS_END_FREE) v = rod->root.velocity_before;
  w = rod->spec.root == CPS_END_CLAMPED ? rod->root.spin_before : cps_quat_rotate(b.root.rotation, w);
  const double twist[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
  memcpy(b.v, twist, sizeof twist);
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
  Brute b = brute_of(&rod, false), then = brute_of(&rod, true);
  positions_agree(&rod, &b);
  rod.type->begin(&rod, &step);

  static double A[BRUTE_DOFS * BRUTE_DOFS], S[BRUTE_DOFS * BRUTE_DOFS], f[BRUTE_DOFS], v[BRUTE_DOFS], u[BRUTE_DOFS];
  int n = 6 + 3 * b.count, held = held_by(kind), m = n - held;
  assert_int_equal(rod.dofs, m);
  brute_assemble(&b, &then, &rod, &step, A, f);
  if (kind != CPS_END_CLAMPED) brute_rotary(&b, &rod, &step, A, f);
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
    rod.type->rows(&rod, PLACES[p], NULL, &frame, -1.0, G);
    for (int q = 0; q < PLACE_COUNT; ++q) {
      rod.type->rows(&rod, PLACES[q], NULL, &frame, 1.0, H);
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

// --- against the composite form --------------------------------------------------------------------------------------

static CpsFibreDef rod_def(CpsRodModel model, CpsEndKind root, CpsEndKind tip, int32_t elements) {
  CpsFibreDef def = tree_def(root);
  def.model = model;
  def.branch_count = 0;
  def.elements = elements;
  def.tip.kind = tip;
  return def;
}

// Prescribed motion of both ends, a screw for the root and a small circle for the tip, and the two pulls.
static void drive(CpsRod* rod, int n, double h) {
  CpsRodEnd *root = &rod->root, *tip = &rod->tip;
  root->velocity_before = n == 0 ? cps_vec3(0, 0, 0) : root->velocity;
  root->spin_before = n == 0 ? cps_vec3(0, 0, 0) : root->spin;
  root->velocity = cps_vec3(0.3 * sin(9.0 * h * n), 0.1, -0.2 * cos(5.0 * h * n));
  root->spin = cps_vec3(0.5, 2.0 * cos(7.0 * h * n), 0.1);
  root->now = root->next;
  root->next.position = cps_vec3_axpy(root->now.position, h, root->velocity);
  root->next.rotation = cps_quat_multiply(cps_quat_exp(cps_vec3_scale(h, root->spin)), root->now.rotation);
  tip->velocity_before = tip->velocity;
  tip->velocity = cps_vec3(-0.1 * sin(6.0 * h * n), 0.1, 0.1 * cos(6.0 * h * n));
  tip->spin = cps_vec3(0.2, 0.3, -0.1);
  tip->now = tip->next;
  tip->next.position = cps_vec3_axpy(tip->now.position, h, tip->velocity);
  tip->next.rotation = cps_quat_multiply(cps_quat_exp(cps_vec3_scale(h, tip->spin)), tip->now.rotation);
}

// Velocity of the rod after an impulse r at s.
static void hit(CpsRod* rod, double s, CpsVec3 r, double* G, double* z) {
  CpsMat3 axes = cps_mat3_identity();
  rod->type->rows(rod, s, NULL, &axes, 1.0, G);
  for (int32_t j = 0; j < rod->dofs; ++j) z[j] = G[j] * r.x + G[rod->dofs + j] * r.y + G[2 * rod->dofs + j] * r.z;
  rod->type->receive(rod, z);
}

static double delassus(const CpsRod* rod, double s, const CpsMat3* frame, int i, int j, double* G) {
  rod->type->rows(rod, s, NULL, frame, 1.0, G);
  double sum = 0.0;
  for (int32_t k = 0; k < rod->dofs; ++k) sum += G[(int64_t)rod->dofs * i + k] * G[(int64_t)rod->dofs * j + k];
  return sum;
}

enum { MOST_DOFS = 6 + 3 * 20 };

static void motion_is_that_of_the_composite_form(CpsEndKind root, CpsEndKind tip, double theta) {
  static double G[3 * MOST_DOFS], z[MOST_DOFS];
  CpsRod rod[2];
  const CpsRodModel models[2] = {CPS_ROD_SUPER_HELIX, CPS_ROD_SUPER_HELIX_RECURSIVE};
  const CpsModelStep step = {.h = 2e-3, .theta = theta, .gravity = {0.3, 0.0, -9.81}};
  for (int m = 0; m < 2; ++m) {
    CpsFibreDef def = rod_def(models[m], root, tip, 7);
    assert_int_equal(cps_rod_create(&def, &rod[m], NULL), CPS_OK);
    rod[m].pulls = PULLS;
    rod[m].pull_count = 1;
    rod[m].type->move_rigidly(&rod[m], cps_vec3(0.2, 0.1, -0.3), cps_vec3(1.0, 0.5, 2.0));
  }
  CpsMat3 frame = cps_mat3_frame(cps_vec3_unit(cps_vec3(1, 2, -1)), cps_vec3(0, 1, 0));
  // a tip that is held away from a root that moves soon pulls the rod taut, and then every rounding counts
  int count = tip == CPS_END_FREE ? 150 : 40;
  for (int n = 0; n < count; ++n) {
    // rounding 1e-16, times the condition of the forms 1e4 (1e9 with the springs of a held tip), adds up over the steps
    double tolerance = (tip == CPS_END_FREE ? 1e-11 : 1e-7) * (n + 1);
    for (int m = 0; m < 2; ++m) {
      drive(&rod[m], n, step.h);
      rod[m].type->begin(&rod[m], &step);
    }
    for (int p = 0; p <= 4; ++p) {
      double s = 0.1 * p;
      assert_same(rod[1].type->velocity(&rod[1], s, CPS_VELOCITY_FREE),
                  rod[0].type->velocity(&rod[0], s, CPS_VELOCITY_FREE), tolerance);
      if (n % 20 != 0) continue;
      for (int i = 0; i < 9; ++i) {
        double W = delassus(&rod[0], s, &frame, i / 3, i % 3, G), scale = delassus(&rod[0], s, &frame, 0, 0, G);
        assert_near(delassus(&rod[1], s, &frame, i / 3, i % 3, G), W, tolerance * (1.0 + scale));
      }
    }
    for (int m = 0; m < 2; ++m) {
      hit(&rod[m], 0.33, cps_vec3(1e-5 * sin(n), 0, 2e-5), G, z);
      rod[m].type->advance(&rod[m], &step);
      rod[m].type->refresh(&rod[m]);
    }
    assert_same(rod[1].type->at(&rod[1], 0.4).position, rod[0].type->at(&rod[0], 0.4).position, tolerance);
  }
  CpsRodEnergy e[2];
  CpsVec3 linear[2], angular[2];
  for (int m = 0; m < 2; ++m) {
    rod[m].type->energy(&rod[m], step.gravity, &e[m]);
    rod[m].type->momentum(&rod[m], &linear[m], &angular[m]);
    cps_rod_free(&rod[m]);
  }
  double relative = tip == CPS_END_FREE ? 1e-8 : 1e-6;
  assert_near(e[1].kinetic, e[0].kinetic, relative * e[0].kinetic);
  assert_near(e[1].elastic, e[0].elastic, relative * e[0].elastic);
  assert_near(e[1].gravity, e[0].gravity, relative * fabs(e[0].gravity));
  assert_same(linear[1], linear[0], relative * cps_vec3_norm(linear[0]));
  assert_same(angular[1], angular[0], relative * cps_vec3_norm(angular[0]));
}

static void the_motion_is_that_of_the_composite_form(void** state) {
  (void)state;
  for (int root = CPS_END_FREE; root <= CPS_END_CLAMPED; ++root) {
    motion_is_that_of_the_composite_form((CpsEndKind)root, CPS_END_FREE, 1.0);
    motion_is_that_of_the_composite_form((CpsEndKind)root, CPS_END_FREE, 0.5);
    motion_is_that_of_the_composite_form((CpsEndKind)root, CPS_END_PINNED, 1.0);
    motion_is_that_of_the_composite_form((CpsEndKind)root, CPS_END_CLAMPED, 1.0);
  }
}

// --- impulses and displacements --------------------------------------------------------------------------------------

// G against the motion of the point under a small displacement of each mass-normalised coordinate.
static void rows_are_the_derivative_of_the_point(void** state) {
  (void)state;
  for (int kind = CPS_END_FREE; kind <= CPS_END_CLAMPED; ++kind) {
    CpsFibreDef def = tree_def((CpsEndKind)kind);
    CpsRod rod;
    static double G[3 * MOST_DOFS], saved[200];
    assert_int_equal(cps_rod_create(&def, &rod, NULL), CPS_OK);
    CpsModelStep step = {.h = 4e-3, .theta = 1.0};
    rod.type->begin(&rod, &step);
    assert_true(rod.state_count <= 200);
    memcpy(saved, rod.state, (size_t)rod.state_count * sizeof(double));
    CpsMat3 axes = cps_mat3_identity();
    const double s = 0.61, d = 1e-8;
    rod.type->rows(&rod, s, NULL, &axes, 1.0, G);
    for (int32_t j = 0; j < rod.dofs; ++j) {
      double z[MOST_DOFS] = {0};
      CpsVec3 end[2];
      for (int side = 0; side < 2; ++side) {
        z[j] = side == 0 ? d : -d;
        rod.type->shift(&rod, z);
        rod.type->refresh(&rod);
        end[side] = rod.type->at(&rod, s).position;
        memcpy(rod.state, saved, (size_t)rod.state_count * sizeof(double));
      }
      CpsVec3 slope = cps_vec3_scale(0.5 / d, cps_vec3_sub(end[0], end[1]));
      // rounding 1e-16 / d; d^2 times third derivatives is less, though the inertia of the root is only 1e-9 kg m^2
      assert_same(cps_vec3(G[j], G[rod.dofs + j], G[2 * rod.dofs + j]), slope, 1e-7);
    }
    cps_rod_free(&rod);
  }
}

static void an_impulse_changes_the_velocity_by_W(void** state) {
  (void)state;
  CpsFibreDef def = tree_def(CPS_END_CLAMPED);
  CpsRod rod;
  static double G[3 * MOST_DOFS], z[MOST_DOFS];
  assert_int_equal(cps_rod_create(&def, &rod, NULL), CPS_OK);
  set_moving(&rod);
  CpsModelStep step = {.h = 4e-3, .theta = 1.0};
  rod.type->begin(&rod, &step);
  CpsVec3 before = rod.type->velocity(&rod, 0.72, CPS_VELOCITY_FREE), r = {2e-4, -1e-4, 3e-4};
  hit(&rod, 0.72, r, G, z);
  CpsVec3 change = cps_vec3_sub(rod.type->velocity(&rod, 0.72, CPS_VELOCITY_AFTER), before);
  CpsMat3 axes = cps_mat3_identity(), W;
  for (int i = 0; i < 9; ++i) W.m[i] = delassus(&rod, 0.72, &axes, i / 3, i % 3, G);
  assert_same(change, cps_mat3_apply(W, r), 1e-13);
  // nothing happens but by impulses
  rod.type->receive(&rod, NULL);
  CpsVec3 after = rod.type->velocity(&rod, 0.72, CPS_VELOCITY_AFTER);
  assert_true(after.x == before.x && after.y == before.y && after.z == before.z);
  cps_rod_free(&rod);
}

// A step that begins again, after another with another size, is the same step.
static void a_step_may_begin_twice(void** state) {
  (void)state;
  CpsFibreDef def = tree_def(CPS_END_PINNED);
  CpsRod rod;
  assert_int_equal(cps_rod_create(&def, &rod, NULL), CPS_OK);
  set_moving(&rod);
  CpsModelStep step = {.h = 4e-3, .theta = 1.0, .gravity = {0, 0, -9.81}}, half = step;
  half.h = 2e-3;
  rod.type->begin(&rod, &step);
  CpsVec3 once = rod.type->velocity(&rod, 0.5, CPS_VELOCITY_FREE);
  rod.type->begin(&rod, &half);
  rod.type->begin(&rod, &step);
  CpsVec3 again = rod.type->velocity(&rod, 0.5, CPS_VELOCITY_FREE);
  assert_true(once.x == again.x && once.y == again.y && once.z == again.z);
  cps_rod_free(&rod);
}

// --- laws ------------------------------------------------------------------------------------------------------------

static void step_freely(CpsRod* rod, const CpsModelStep* step, int count) {
  for (int n = 0; n < count; ++n) {
    rod->root.velocity_before = rod->root.velocity;
    rod->root.spin_before = rod->root.spin;
    rod->type->begin(rod, step);
    rod->type->receive(rod, NULL);
    rod->type->advance(rod, step);
    rod->type->refresh(rod);
  }
}

static double total_energy(const CpsRod* rod, CpsVec3 gravity) {
  CpsRodEnergy e;
  rod->type->energy(rod, gravity, &e);
  return e.kinetic + e.elastic + e.gravity;
}

// A free tree that falls, turns and swings: how far its momenta are from those of free fall after 0.2 s.
static void momentum_error(double h, double* linear_error, double* angular_error) {
  CpsFibreDef def = tree_def(CPS_END_FREE);
  def.drag = 0.0;
  CpsRod rod;
  assert_int_equal(cps_rod_create(&def, &rod, NULL), CPS_OK);
  set_moving(&rod);
  CpsVec3 p0, L0, p1, L1;
  rod.type->momentum(&rod, &p0, &L0);
  CpsModelStep step = {.h = h, .theta = 1.0};
  step_freely(&rod, &step, (int)lround(0.2 / h));
  rod.type->momentum(&rod, &p1, &L1);
  *linear_error = cps_vec3_norm(cps_vec3_sub(p1, p0)) / cps_vec3_norm(p0);
  *angular_error = cps_vec3_norm(cps_vec3_sub(L1, L0)) / cps_vec3_norm(L0);
  cps_rod_free(&rod);
}

// Linear momentum to rounding, angular momentum to first order in the step.
static void a_free_tree_keeps_its_momenta(void** state) {
  (void)state;
  double p[2], L[2];
  momentum_error(1e-3, &p[0], &L[0]);
  momentum_error(2.5e-4, &p[1], &L[1]);
  // 800 steps of rounding 1e-16, which a form with a condition of 1e4 makes larger
  assert_below(p[0], 1e-11);
  assert_below(p[1], 1e-11);
  assert_below(L[1], 1e-3);
  assert_below(L[1], 0.3 * L[0]);
}

// Nothing drives it: the energy of a clamped tree that was let go only falls.
static void energy_only_falls(void** state) {
  (void)state;
  CpsFibreDef def = tree_def(CPS_END_CLAMPED);
  def.drag = 0.0;
  CpsRod rod;
  assert_int_equal(cps_rod_create(&def, &rod, NULL), CPS_OK);
  CpsModelStep step = {.h = 2e-3, .theta = 1.0, .gravity = {0, 0, -9.81}};
  double first = total_energy(&rod, step.gravity), last = first;
  for (int n = 0; n < 1500; ++n) {
    step_freely(&rod, &step, 1);
    double now = total_energy(&rod, step.gravity);
    assert_below(now, last + 1e-12);
    last = now;
  }
  // that it swung: what it lost, and what it had gained before
  assert_true(first - last > 0.05);
  cps_rod_free(&rod);
}

// What is placed in its natural shape stays there to the last bit.
static void a_natural_shape_stays_still(void** state) {
  (void)state;
  CpsFibreDef def = tree_def(CPS_END_CLAMPED);
  CpsFibreBranch branches[2] = {BRANCHES[0], BRANCHES[1]};
  branches[0].curvature.x = NAN;
  def.branches = branches;
  def.curvature_count = 0;
  CpsRod rod;
  assert_int_equal(cps_rod_create(&def, &rod, NULL), CPS_OK);
  CpsModelStep step = {.h = 2e-3, .theta = 1.0};
  double before[200];
  memcpy(before, rod.state, (size_t)rod.state_count * sizeof(double));
  step_freely(&rod, &step, 50);
  assert_memory_equal(before, rod.state, (size_t)rod.state_count * sizeof(double));
  cps_rod_free(&rod);
}

// --- many elements ---------------------------------------------------------------------------------------------------

// 11 branches of 11 elements on a trunk of 11, and 10 twigs on the first of them: 242 elements.
static CpsFibreDef large_tree(CpsFibreBranch branches[21]) {
  CpsFibreDef def = tree_def(CPS_END_CLAMPED);
  for (int32_t i = 0; i < 21; ++i) {
    double angle = 2.4 * i;
    branches[i] = (CpsFibreBranch){.parent = i < 11 ? -1 : 0,
                                   .at = i < 11 ? i : i - 11,
                                   .rotation = {0.9, 0.0, 0.4 * cos(angle), 0.4 * sin(angle)},
                                   .elements = 11,
                                   .length = 0.2,
                                   .radius = 2e-3,
                                   .natural = {0.0, 1.0, 0.0},
                                   .curvature = {NAN, 0.0, 0.0}};
  }
  def.elements = 11;
  def.branch_count = 21;
  def.branches = branches;
  return def;
}

static void a_tree_of_242_elements_swings(void** state) {
  (void)state;
  CpsFibreBranch branches[21];
  CpsFibreDef def = large_tree(branches);
  CpsRod rod;
  assert_int_equal(cps_rod_create(&def, &rod, NULL), CPS_OK);
  assert_int_equal(rod.spec.elements, 242);
  assert_int_equal(rod.dofs, 726);
  CpsModelStep step = {.h = 2e-3, .theta = 1.0, .gravity = {0, 0, -9.81}};
  double last = total_energy(&rod, step.gravity);
  for (int n = 0; n < 50; ++n) {
    step_freely(&rod, &step, 1);
    double now = total_energy(&rod, step.gravity);
    assert_below(now, last + 1e-12);
    last = now;
  }
  // branches stay where they grow
  const CpsRodBranch* b = rod.spec.branch;
  for (int32_t i = 1; i < rod.spec.branch_count; ++i) {
    const CpsRodBranch* parent = &b[b[i].parent];
    double s = parent->start + parent->length * (b[i].at + 1) / parent->elements;
    // the end of a branch is the beginning of the next in arc length: come from inside
    CpsVec3 joint = rod.type->at(&rod, s - 1e-9).position;
    assert_below(cps_vec3_norm(cps_vec3_sub(rod.type->at(&rod, b[i].start).position, joint)), 1.1e-9);
  }
  cps_rod_free(&rod);
}

static void memory_is_linear_in_the_elements(void** state) {
  (void)state;
  int64_t used[3];
  for (int i = 0; i < 3; ++i) {
    CpsRodBranch trunk = {.elements = 100 * (i + 1)};
    CpsRodSpec spec = {
        .elements = trunk.elements, .root = CPS_END_CLAMPED, .taper = 1.0, .branch_count = 1, .branch = &trunk};
    int32_t dofs;
    int64_t size, work;
    cps_rod_types[CPS_ROD_SUPER_HELIX_RECURSIVE]->sizes(&spec, &dofs, &size, &work);
    assert_int_equal(dofs, 300 * (i + 1));
    used[i] = size + work;
  }
  assert_int_equal(used[2] - used[1], used[1] - used[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_step_of_a_tree_equals_brute_force),
      cmocka_unit_test(the_motion_is_that_of_the_composite_form),
      cmocka_unit_test(rows_are_the_derivative_of_the_point),
      cmocka_unit_test(an_impulse_changes_the_velocity_by_W),
      cmocka_unit_test(a_step_may_begin_twice),
      cmocka_unit_test(a_free_tree_keeps_its_momenta),
      cmocka_unit_test(energy_only_falls),
      cmocka_unit_test(a_natural_shape_stays_still),
      cmocka_unit_test(a_tree_of_242_elements_swings),
      cmocka_unit_test(memory_is_linear_in_the_elements),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
