// Discrete elastic rods: forces are the derivatives of energies, statics have their closed forms, lengths hold.
#include "core/random.h"
#include "discrete_rod_setup.h"
#include "sparse/banded.h"

#include <string.h>

static const CpsVec3 NO_GRAVITY = {0, 0, 0};
static const CpsRodType* const TYPES[3] = {&cps_rod_der, &cps_rod_der_inextensible, &cps_rod_der_projected};

// q + a * direction, directors carried along, everything measured anew.
static void displace(CpsRod* rod, const double* direction, double a) {
  CpsDer d = cps_der_view(rod);
  memcpy(d.old_tangent, d.tangent, (size_t)(d.vertices - 1) * sizeof *d.tangent);
  for (int32_t k = 0; k < d.dofs; ++k) d.q[k] += a * direction[k];
  cps_der_find_tangents(&d);
  cps_der_carry_directors(&d);
  cps_der_find_joints(&d);
}

// A strongly bent and twisted rod with a flat section and a natural shape of its own.
static Setup odd_rod(const CpsRodType* type) {
  Setup s = straight(type, 8);
  s.stiffness[1] = 1.7;
  s.stiffness[2] = 0.6;
  s.stretch = 40.0;
  s.curvature = (CpsVec3){1.5, 4.0, -2.0};
  s.natural = (CpsVec3){-0.5, 1.0, 3.0};
  s.pose.rotation = cps_quat_unit((CpsQuat){0.6, -0.3, 0.5, 0.2});
  return s;
}

// The force of the assembly with a tiny step against differences of the energy, for bending, twist and stretch.
static void forces_are_derivatives_of_energies(void** state) {
  (void)state;
  Setup s = odd_rod(&cps_rod_der);
  CpsRod rod = make_rod(&s);
  CpsDer d = cps_der_view(&rod);
  CpsRandom random = cps_random_seed(3);
  double push[64], force[64];
  for (int k = 0; k < d.dofs; ++k) push[k] = cps_random_uniform(&random) - 0.5;
  displace(&rod, push, 0.03);  // edges of other lengths, nothing regular any longer
  double saved[400];
  assert_true(rod.state_count <= 400);
  memcpy(saved, rod.state, (size_t)rod.state_count * sizeof *saved);
  const CpsModelStep step = {.h = 1.0, .theta = 1.0};
  cps_der_assemble(&rod, &d, &step, force);
  for (int k = 0; k < d.dofs; ++k) {
    double unit[64] = {0}, e[2];
    unit[k] = 1.0;
    for (int side = 0; side < 2; ++side) {
      displace(&rod, unit, side ? -1e-5 : 1e-5);
      e[side] = energy_of(&rod, NO_GRAVITY).elastic;
      memcpy(rod.state, saved, (size_t)rod.state_count * sizeof *saved);
      rod.type->refresh(&rod);
    }
    // differences: third derivatives of about 1e4 times 1e-10, rounding 1e-16 * 1e2 / 1e-5
    assert_near(force[k], (e[1] - e[0]) / 2e-5, 1e-5);
  }
  free_rod(&rod);
}

// At the natural shape the Gauss-Newton matrix is the whole second derivative.
static void stiffness_is_the_second_derivative_at_the_natural_shape(void** state) {
  (void)state;
  Setup s = odd_rod(&cps_rod_der);
  s.natural = s.curvature;
  CpsRod rod = make_rod(&s);
  CpsDer d = cps_der_view(&rod);
  const CpsModelStep step = {.h = 1.0, .theta = 1.0};
  assert_below(energy_of(&rod, NO_GRAVITY).elastic, 1e-20);
  CpsRandom random = cps_random_seed(4);
  double direction[64], product[64], force[64];
  for (int k = 0; k < d.dofs; ++k) direction[k] = cps_random_uniform(&random) - 0.5;
  for (int i = 0; i < d.vertices; ++i) d.mass[i] = 0.0;
  for (int i = 0; i + 1 < d.vertices; ++i) d.inertia[i] = 0.0;
  cps_der_assemble(&rod, &d, &step, force);
  cps_banded_multiply(d.dofs, CPS_DER_BAND, d.band, direction, product);
  displace(&rod, direction, 1e-6);
  cps_der_assemble(&rod, &d, &step, force);
  double scale = 0.0;
  for (int k = 0; k < d.dofs; ++k) scale = fmax(scale, fabs(product[k]));
  for (int k = 0; k < d.dofs; ++k) assert_near(force[k] / -1e-6, product[k], 1e-4 * scale);  // one-sided: O(1e-6 * 30)
  free_rod(&rod);
}

// A rigid motion in many small moves carries directors along by parallel transport; the angles follow, the energy stays.
static void rigid_motion_keeps_the_energy(void** state) {
  (void)state;
  Setup s = odd_rod(&cps_rod_der);
  CpsRod rod = make_rod(&s);
  CpsDer d = cps_der_view(&rod);
  double before = energy_of(&rod, NO_GRAVITY).elastic;
  assert_true(before > 1.0);
  CpsVec3 first_second = d.second[3];
  CpsQuat whole = {1, 0, 0, 0};
  for (int k = 0; k < 400; ++k) {
    // about an axis that wanders, so that transported directors turn against the material (holonomy)
    CpsVec3 axis = {0.05 * sin(0.1 * k), 0.04 * cos(0.07 * k), 0.03};
    CpsQuat turn = cps_quat_exp(axis);
    double move[64] = {0};
    for (int32_t i = 0; i < d.vertices; ++i) {
      CpsVec3 x = cps_der_position(&d, i), y = cps_vec3_sub(cps_quat_rotate(turn, x), x);
      move[4 * i] = y.x + 0.01, move[4 * i + 1] = y.y, move[4 * i + 2] = y.z;
    }
    for (int32_t e = 0; e + 1 < d.vertices; ++e) {
      // the angle between the turned frame and the transported one: found as for a clamp
      CpsVec3 t = cps_quat_rotate(turn, d.tangent[e]), m = cps_quat_rotate(turn, d.second[e]);
      CpsVec3 u = cps_der_transport(d.second[e], d.tangent[e], t);
      move[4 * e + 3] = atan2(cps_vec3_dot(t, cps_vec3_cross(u, m)), cps_vec3_dot(u, m));
    }
    displace(&rod, move, 1.0);
    whole = cps_quat_multiply(turn, whole);
  }
  assert_near(energy_of(&rod, NO_GRAVITY).elastic, before, 1e-11 * before);
  CpsVec3 expected = cps_quat_rotate(whole, first_second);
  assert_below(cps_vec3_norm(cps_vec3_sub(d.second[3], expected)), 1e-11);
  free_rod(&rod);
}

static void settle(CpsRod* rod, const CpsModelStep* step, int count) {
  for (int k = 0; k < count; ++k) one_step(rod, step);
}

// Small deflection under a load at the tip, P L^3/(3 E I), for both axes of a flat section: the joint of half a length at
// the clamp makes the sum over joints the trapezoidal rule, 1 + 1/(2 N^2) times the integral.
static void cantilever_has_its_closed_form(void** state) {
  (void)state;
  for (int type = 0; type < 3; ++type) {
    for (int axis = 1; axis < 3; ++axis) {
      Setup s = straight(TYPES[type], 20);
      s.root = CPS_END_CLAMPED;
      s.stiffness[1] = 2.0;
      s.damping = 0.05;
      CpsRod rod = make_rod(&s);
      const double P = 1e-3;
      CpsRodPull pull = {.s = 1.0, .force = axis == 1 ? (CpsVec3){0, 0, P} : (CpsVec3){0, P, 0}};
      rod.pulls = &pull;
      rod.pull_count = 1;
      const CpsModelStep step = {.h = 0.1, .theta = 1.0};
      settle(&rod, &step, 400);
      CpsVec3 x = rod.type->at(&rod, 1.0).position;
      double expected = P / (3.0 * s.stiffness[axis]) * (1.0 + 1.0 / (2.0 * 20 * 20));
      // geometric nonlinearity is of the order of the slope squared, 3e-7
      assert_near(axis == 1 ? x.z : x.y, expected, 1e-5 * expected);
      assert_near(axis == 1 ? x.y : x.z, 0.0, 1e-12);
      free_rod(&rod);
    }
  }
}

// Both ends clamped, one turned by three whole turns: the twist is uniform, the energy G J a^2/2L.
static void a_straight_rod_twists_uniformly(void** state) {
  (void)state;
  Setup s = straight(&cps_rod_der, 10);
  s.root = s.tip = CPS_END_CLAMPED;
  s.damping = 0.1;
  s.stiffness[1] = s.stiffness[2] = 100.0;  // far from buckling
  CpsRod rod = make_rod(&s);
  const CpsModelStep step = {.h = 0.05, .theta = 1.0};
  const double total = 6.0 * acos(-1.0);
  for (int k = 1; k <= 60; ++k) {
    rod.tip.next.rotation = cps_quat_exp(cps_vec3(total * k / 60.0, 0, 0));
    one_step(&rod, &step);
  }
  settle(&rod, &step, 200);
  assert_near(energy_of(&rod, NO_GRAVITY).elastic, 0.5 * s.stiffness[0] * total * total, 1e-9);
  for (double at = 0.05; at < 1.0; at += 0.1) assert_near(rod.type->at(&rod, at).curvature.x, total, 1e-9);
  // and the frame of the tip is that of its clamp
  CpsMat3 frame = rod.type->at(&rod, 1.0).frame;
  assert_near(frame.m[4], 1.0, 1e-12);
  free_rod(&rod);
}

// A naturally curved rod released straight finds its arc: chord and height of a circle.
static void natural_curvature_is_found(void** state) {
  (void)state;
  for (int type = 0; type < 3; ++type) {
    Setup s = straight(TYPES[type], 24);
    s.root = CPS_END_CLAMPED;
    s.damping = 0.05;
    s.natural = (CpsVec3){0.0, 0.0, 2.0};
    CpsRod rod = make_rod(&s);
    const CpsModelStep step = {.h = 0.02, .theta = 1.0};
    settle(&rod, &step, 1500);
    assert_below(energy_of(&rod, NO_GRAVITY).elastic, 1e-12);
    CpsVec3 x = rod.type->at(&rod, 1.0).position;
    // the polygon has chords where the circle has arcs: relative error (kappa l)^2/24 = 3e-4
    assert_near(x.x, sin(2.0) / 2.0, 5e-4);
    assert_near(x.y, (1.0 - cos(2.0)) / 2.0, 5e-4);
    // curvature of a joint: 2 tan(kappa l / 2)/l
    assert_near(rod.type->at(&rod, 0.5).curvature.z, 48.0 * tan(1.0 / 24.0), 1e-5);
    free_rod(&rod);
  }
}

// A straight rod between two clamps that twist it bends out where tan(M L/2B) = M L/2B, M L/B = 8.9868 (Greenhill 1883):
// a small kick dies out a little below and grows a little above. 40 edges shift that by (M l/B)^2/12, 0.4 %.
static void a_twisted_rod_buckles_where_greenhill_says(void** state) {
  (void)state;
  for (int above = 0; above < 2; ++above) {
    Setup s = straight(&cps_rod_der, 40);
    s.root = s.tip = CPS_END_CLAMPED;
    s.damping = 0.02;
    CpsRod rod = make_rod(&s);
    const double total = 8.9868 / s.stiffness[0] * (above ? 1.03 : 0.97);
    const CpsModelStep step = {.h = 0.01, .theta = 1.0};
    for (int k = 1; k <= 100; ++k) {
      rod.tip.next.rotation = cps_quat_exp(cps_vec3(total * k / 100.0, 0, 0));
      one_step(&rod, &step);
    }
    CpsDer d = cps_der_view(&rod);
    d.v[4 * 20 + 1] += 1e-4;
    settle(&rod, &step, 200);
    double early = fabs(d.q[4 * 20 + 1]) + fabs(d.q[4 * 20 + 2]);
    settle(&rod, &step, 1000);
    double late = fabs(d.q[4 * 20 + 1]) + fabs(d.q[4 * 20 + 2]);
    if (above) {
      assert_true(late > 100.0 * early);
    } else {
      assert_true(late < 0.01 * early);
    }
    free_rod(&rod);
  }
}

// Placed in its natural shape, whatever it is, a rod has no energy and stays there.
static void natural_as_placed_is_at_rest(void** state) {
  (void)state;
  for (int type = 0; type < 3; ++type) {
    Setup s = straight(TYPES[type], 12);
    s.curvature = s.natural = (CpsVec3){3.0, 5.0, -4.0};
    s.root = CPS_END_CLAMPED;
    CpsRod rod = make_rod(&s);
    assert_below(energy_of(&rod, NO_GRAVITY).elastic, 1e-24);
    const CpsModelStep step = {.h = 0.01, .theta = 1.0};
    settle(&rod, &step, 10);
    assert_below(energy_of(&rod, NO_GRAVITY).kinetic, 1e-24);
    free_rod(&rod);
  }
}

// Free flight without gravity: linear momentum exactly, angular momentum to the order of the step.
static void free_flight_keeps_momentum(void** state) {
  (void)state;
  for (int type = 0; type < 3; ++type) {
    double drift[2];
    for (int fine = 0; fine < 2; ++fine) {
      Setup s = odd_rod(TYPES[type]);
      s.stretch = 1e4;
      CpsRod rod = make_rod(&s);
      rod.type->move_rigidly(&rod, (CpsVec3){0.3, -0.2, 0.5}, (CpsVec3){2.0, 1.0, -1.0});
      CpsVec3 p0, l0, p1, l1;
      rod.type->momentum(&rod, &p0, &l0);
      const CpsModelStep step = {.h = fine ? 1e-4 : 2e-4, .theta = 1.0};
      settle(&rod, &step, fine ? 1000 : 500);
      rod.type->momentum(&rod, &p1, &l1);
      // rounding, times the stiffening 1e8 where lengths are inside the mass solve, in 1000 steps
      assert_below(cps_vec3_norm(cps_vec3_sub(p1, p0)), type == 1 ? 1e-8 : 1e-12);
      drift[fine] = cps_vec3_norm(cps_vec3_sub(l1, l0)) / cps_vec3_norm(l0);
      free_rod(&rod);
    }
    assert_below(drift[1], 0.02);
    assert_below(drift[1], 0.7 * drift[0]);  // first order: half of it
  }
}

// G G^T = E J M~^-1 J^T E^T column by column, and an impulse changes the velocity by it.
static void rows_are_those_of_the_implicit_mass(void** state) {
  (void)state;
  for (int type = 0; type < 3; ++type) {
    Setup s = odd_rod(TYPES[type]);
    s.root = CPS_END_CLAMPED;
    s.tip = CPS_END_PINNED;
    CpsRod rod = make_rod(&s);
    const CpsModelStep step = {.h = 0.01, .theta = 1.0, .gravity = {0, 0, -9.81}};
    rod.type->begin(&rod, &step);
    CpsMat3 frame = cps_mat3_frame(cps_vec3_unit(cps_vec3(-1, 1, 2)), cps_vec3(0, 1, 0));
    const double arcs[3] = {0.03, 0.47, 0.97};
    for (int k = 0; k < 3; ++k) {
      double G[3 * 64], z[64] = {0}, r[3] = {0.7, -0.2, 0.4};
      rod.type->rows(&rod, arcs[k], NULL, &frame, 1.0, G);
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < rod.dofs; ++j) z[j] += r[i] * G[i * rod.dofs + j];
      CpsVec3 free_velocity = rod.type->velocity(&rod, arcs[k], CPS_VELOCITY_FREE);
      rod.type->receive(&rod, z);
      CpsVec3 after = rod.type->velocity(&rod, arcs[k], CPS_VELOCITY_AFTER);
      CpsVec3 change = cps_mat3_apply(frame, cps_vec3_sub(after, free_velocity));
      const double du[3] = {change.x, change.y, change.z};
      for (int i = 0; i < 3; ++i) {
        double w = 0.0;
        for (int j = 0; j < rod.dofs; ++j) w += G[i * rod.dofs + j] * z[j];
        assert_near(du[i], w, 1e-7 * fabs(w) + 1e-9);  // rounding 1e-16 times the stiffening 1e8
      }
    }
    free_rod(&rod);
  }
}

// With lengths inside the mass solve, no impulse at any point changes a length: C L^-T G^T = 0.
static void impulses_change_no_length(void** state) {
  (void)state;
  Setup s = odd_rod(&cps_rod_der_inextensible);
  s.root = CPS_END_PINNED;
  CpsRod rod = make_rod(&s);
  CpsDer d = cps_der_view(&rod);
  const CpsModelStep step = {.h = 0.01, .theta = 1.0};
  rod.type->begin(&rod, &step);
  CpsMat3 frame = cps_mat3_identity();
  double G[3 * 64];
  rod.type->rows(&rod, 0.61, NULL, &frame, 1.0, G);
  for (int i = 0; i < 3; ++i) {
    rod.type->receive(&rod, G + (ptrdiff_t)i * rod.dofs);
    double largest = 0.0;
    for (int k = 0; k < d.dofs; ++k) largest = fmax(largest, fabs(d.v[k] - d.v_free[k]));
    assert_true(largest > 0.1);
    for (int32_t e = 0; e < d.elements; ++e) {
      double rate = 0.0;
      const double t[3] = {d.tangent[e].x, d.tangent[e].y, d.tangent[e].z};
      for (int c = 0; c < 3; ++c) {
        ptrdiff_t a = 4 * e + c;
        rate += t[c] * (d.v[a + 4] - d.v_free[a + 4] - d.v[a] + d.v_free[a]);
      }
      assert_below(fabs(rate), 1e-6 * largest);  // one over the stiffening, times the elements
    }
  }
  free_rod(&rod);
}

// A whip: one end shaken violently, the other free, under gravity.
static void lengths_hold_in_violent_motion(void** state) {
  (void)state;
  for (int type = 1; type < 3; ++type) {
    Setup s = straight(TYPES[type], 40);
    s.stiffness[0] = s.stiffness[1] = s.stiffness[2] = 1e-4;
    s.root = CPS_END_CLAMPED;
    s.gravity = true;
    CpsRod rod = make_rod(&s);
    const CpsModelStep step = {.h = 2e-3, .theta = 1.0, .gravity = {0, 0, -9.81}};
    double fastest = 0.0;
    for (int k = 1; k <= 1000; ++k) {
      double t = k * step.h;
      rod.root.velocity_before = rod.root.velocity;
      rod.root.next.position = (CpsVec3){0.3 * sin(12.0 * t), 0.2 * sin(17.0 * t), 0.3 * (cos(9.0 * t) - 1.0)};
      rod.root.next.rotation = cps_quat_exp(cps_vec3(0.0, 2.0 * sin(8.0 * t), 1.0 * sin(11.0 * t)));
      one_step(&rod, &step);
      assert_below(longest_error(&rod), 1e-12);
      fastest = fmax(fastest, energy_of(&rod, NO_GRAVITY).kinetic);
    }
    assert_true(isfinite(fastest));
    assert_true(fastest > 0.5);  // 4 m/s on average and more
    free_rod(&rod);
  }
}

// Swinging without friction or input, energy only falls, and little: a hanging chain at one and the same step.
static void energy_does_not_grow(void** state) {
  (void)state;
  for (int type = 0; type < 3; ++type) {
    Setup s = straight(TYPES[type], 20);
    s.stiffness[0] = s.stiffness[1] = s.stiffness[2] = 1e-3;
    s.root = CPS_END_PINNED;
    s.gravity = true;
    CpsRod rod = make_rod(&s);
    const CpsVec3 g = {0, 0, -9.81};
    const CpsModelStep step = {.h = 1e-3, .theta = 1.0, .gravity = g};
    CpsRodEnergy e = energy_of(&rod, g);
    double last = e.kinetic + e.gravity + e.elastic, start = last;
    for (int k = 0; k < 1500; ++k) {
      one_step(&rod, &step);
      e = energy_of(&rod, g);
      double now = e.kinetic + e.gravity + e.elastic;
      // the projection of positions lifts by second order in the turn of an edge in a step
      assert_below(now - last, 2e-5);
      last = now;
    }
    assert_below(last - start, 0.0);
    free_rod(&rod);
  }
}

// A rope hanging from one end: the tension at arc length s is the weight below.
static void tension_is_the_weight_below(void** state) {
  (void)state;
  Setup s = straight(&cps_rod_der_inextensible, 10);
  s.pose.rotation = cps_quat_exp(cps_vec3(0, acos(-1.0) / 2.0, 0));  // along -z
  s.root = CPS_END_PINNED;
  s.gravity = true;
  CpsRod rod = make_rod(&s);
  const CpsModelStep step = {.h = 1e-2, .theta = 1.0, .gravity = {0, 0, -9.81}};
  CpsRodPull load = {.s = 1.0, .force = {0, 0, -3.0}};
  rod.pulls = &load;
  rod.pull_count = 1;
  settle(&rod, &step, 3);
  CpsDer d = cps_der_view(&rod);
  for (int e = 0; e < 10; ++e) assert_near(d.tension[e], 3.0 + 0.981 * (0.95 - 0.1 * e), 1e-5);
  // taut and plucked, it stays calm at steps far beyond those of the wave along it
  const CpsModelStep long_step = {.h = 0.1, .theta = 1.0, .gravity = {0, 0, -9.81}};
  load.force.z = -3e4;
  settle(&rod, &long_step, 2);
  d.v[4 * 5] = 1.0;
  settle(&rod, &long_step, 100);
  assert_below(energy_of(&rod, NO_GRAVITY).kinetic, 1e-12);
  free_rod(&rod);
}

// Both ends pinned at full length: the constraints depend on each other, and nothing goes wrong.
static void a_taut_straight_rod_between_pins_is_calm(void** state) {
  (void)state;
  for (int type = 0; type < 3; ++type) {
    Setup s = straight(TYPES[type], 10);
    s.root = s.tip = CPS_END_PINNED;
    CpsRod rod = make_rod(&s);
    const CpsModelStep step = {.h = 1e-2, .theta = 1.0};
    settle(&rod, &step, 50);
    assert_below(energy_of(&rod, NO_GRAVITY).kinetic, 1e-20);
    // pulled apart further than it reaches: no lengths to be had, but numbers
    for (int k = 0; k < 20; ++k) {
      rod.tip.next.position.x += 0.01;
      one_step(&rod, &step);
    }
    for (int64_t k = 0; k < rod.state_count; ++k) assert_true(isfinite(rod.state[k]));
    free_rod(&rod);
  }
}

// A pull at any arc length is implicit: a spring of any stiffness brings its point to the target. Not so where lengths
// are projected after the step: what the spring has reached, the projection moves away again.
static void stiff_pulls_hold_their_point(void** state) {
  (void)state;
  for (int type = 0; type < 2; ++type) {
    Setup s = straight(TYPES[type], 10);
    s.root = CPS_END_CLAMPED;
    s.damping = 0.01;
    CpsRod rod = make_rod(&s);
    CpsRodPull pull = {.s = 0.73, .stiffness = 1e9, .target = {0.6, 0.2, 0.1}};
    rod.pulls = &pull;
    rod.pull_count = 1;
    const CpsModelStep step = {.h = 0.01, .theta = 1.0};
    settle(&rod, &step, 2000);
    CpsVec3 x = rod.type->at(&rod, 0.73).position;
    assert_below(cps_vec3_norm(cps_vec3_sub(x, pull.target)), 1e-6);
    free_rod(&rod);
  }
}

// Drag alone: x' = v exp(-c t), backward Euler in closed form.
static void drag_slows_as_it_should(void** state) {
  (void)state;
  Setup s = straight(&cps_rod_der, 6);
  s.drag = 0.3;
  CpsRod rod = make_rod(&s);
  rod.type->move_rigidly(&rod, (CpsVec3){1, 0, 0}, (CpsVec3){0, 0, 0});
  const CpsModelStep step = {.h = 0.01, .theta = 1.0};
  settle(&rod, &step, 100);
  assert_near(rod.type->velocity(&rod, 0.4, CPS_VELOCITY_AFTER).x, pow(1.0 + 0.01 * 3.0, -100.0), 1e-12);
  free_rod(&rod);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_are_derivatives_of_energies),
      cmocka_unit_test(stiffness_is_the_second_derivative_at_the_natural_shape),
      cmocka_unit_test(rigid_motion_keeps_the_energy),
      cmocka_unit_test(cantilever_has_its_closed_form),
      cmocka_unit_test(a_straight_rod_twists_uniformly),
      cmocka_unit_test(a_twisted_rod_buckles_where_greenhill_says),
      cmocka_unit_test(natural_curvature_is_found),
      cmocka_unit_test(natural_as_placed_is_at_rest),
      cmocka_unit_test(free_flight_keeps_momentum),
      cmocka_unit_test(rows_are_those_of_the_implicit_mass),
      cmocka_unit_test(impulses_change_no_length),
      cmocka_unit_test(lengths_hold_in_violent_motion),
      cmocka_unit_test(energy_does_not_grow),
      cmocka_unit_test(tension_is_the_weight_below),
      cmocka_unit_test(a_taut_straight_rod_between_pins_is_calm),
      cmocka_unit_test(stiff_pulls_hold_their_point),
      cmocka_unit_test(drag_slows_as_it_should),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
