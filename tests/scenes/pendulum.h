// Shared by the tests of scenes/pendulum.yaml: closed forms of what swings there, and the clock that times it.
//
// Every chain of n rigid bodies that hang on one another has, for small angles theta from the vertical,
//   M theta'' + K theta = 0,   M = sum_k m_k J_k^T J_k + diag(I_k),   K = g diag(sum_k m_k J_k)                     (1)
// with J_k the derivative of the place of centre k across. Its slowest mode v (M v = lambda K v, lambda the largest) has
// the period 2 pi sqrt(lambda), and v^T M theta moves with that period alone. A swing of amplitude a of one body takes
//   T(a) = T(0) / agm(1, cos(a / 2)).                                                                               (2)
#ifndef CAPSTAN_TESTS_SCENES_PENDULUM_H
#define CAPSTAN_TESTS_SCENES_PENDULUM_H

#include "capstan/fibre.h"
#include "capstan/tie.h"
#include "scenes/scene_world.h"

static const double PI = 3.14159265358979323846, G = 9.81;
enum { BOARD = 0, CHAIN = 1, CRATE = 4, BOB = 5, LINKS = 3 };

static inline double finite(double period, double amplitude) {
  double a = 1.0, b = cos(0.5 * amplitude);
  while (a - b > 1e-15) {
    double mean = 0.5 * (a + b);
    b = sqrt(a * b);
    a = mean;
  }
  return period / a;
}

typedef struct Mode {
  double period;
  double weight[LINKS];  // M v
} Mode;

// (1) by the power method on K^-1 M.
static inline Mode slowest(int n, double J[LINKS][LINKS], const double m[], const double I[]) {
  double M[LINKS][LINKS] = {{0.0}}, K[LINKS] = {0.0}, v[LINKS] = {1.0, 1.0, 1.0}, lambda = 0.0;
  for (int k = 0; k < n; ++k) {
    M[k][k] += I[k];
    for (int i = 0; i < n; ++i) {
      K[i] += G * m[k] * J[k][i];
      for (int j = 0; j < n; ++j) M[i][j] += m[k] * J[k][i] * J[k][j];
    }
  }
  Mode mode = {0};
  for (int round = 0; round < 200; ++round) {
    double next[LINKS] = {0.0}, top = 0.0;
    for (int i = 0; i < n; ++i) {
      mode.weight[i] = 0.0;
      for (int j = 0; j < n; ++j) mode.weight[i] += M[i][j] * v[j];
      next[i] = mode.weight[i] / K[i];
      top = fmax(top, fabs(next[i]));
    }
    lambda = top;  // |v| = 1 in the largest entry
    for (int i = 0; i < n; ++i) v[i] = next[i] / top;
  }
  mode.period = 2.0 * PI * sqrt(lambda);
  return mode;
}

// The board: m (w^2 + L^2) / 12 + m L^2 / 4 about the hinge.
static inline double board_period(double L, double angle) {
  double w = 0.04;
  return finite(2.0 * PI * sqrt(((w * w + L * L) / 12.0 + 0.25 * L * L) / (0.5 * G * L)), angle);
}

static inline double bob_period(double L, double angle) {
  return finite(2.0 * PI * sqrt(L / G), angle);
}

static inline Mode chain_mode(void) {
  double l = 0.2, w = 0.01, m[LINKS], I[LINKS], J[LINKS][LINKS] = {{0.0}};
  for (int k = 0; k < LINKS; ++k) {
    m[k] = 0.5;
    I[k] = m[k] * (l * l + w * w) / 12.0;
    for (int j = 0; j <= k; ++j) J[k][j] = j < k ? l : 0.5 * l;
  }
  return slowest(LINKS, J, m, I);
}

// Rope and crate: the rope is one rigid link, since its own weight is 0.6 % of the crate's: it bends by less.
static inline Mode crate_mode(void) {
  double l = 1.0, c = 0.05, rope = 900.0 * PI * 9e-6 * l;
  double m[] = {rope, 4.0}, I[] = {rope * l * l / 12.0, 4.0 * 0.01 * 2.0 / 12.0};
  double J[LINKS][LINKS] = {{0.5 * l, 0.0}, {l, c}};
  return slowest(2, J, m, I);
}

// Angle from the vertical of a body that hangs along its z axis and turns about y.
static inline double angle_of(const CpsWorld* world, int32_t i) {
  CpsQuat q = body(world, i).pose.rotation;
  return -2.0 * atan2(q.y, q.w);
}

// Times upward zeros of a signal.
typedef struct Clock {
  double last, first, time, highest;
  int count;
} Clock;

static inline void tick(Clock* clock, double t, double h, double x) {
  if (clock->last < 0.0 && x >= 0.0) {
    clock->time = t - h * x / (x - clock->last);
    if (clock->count++ == 0) clock->first = clock->time;
  }
  clock->last = x;
  clock->highest = fmax(clock->highest, x);
}

static inline double period_of(const Clock* clock) {
  assert_true(clock->count >= 4);
  return (clock->time - clock->first) / (clock->count - 1);
}

// All four, for a time.
typedef struct Swings {
  Clock board, bob, chain, crate;
  Run run;
  double apart;  // largest distance of points that a tie holds together, after the first tenth of a second
} Swings;

static inline double crate_signal(const CpsWorld* world, const Mode* mode) {
  CpsFibrePoint tip;
  assert_int_equal(cps_world_fibre_at(world, cps_world_fibre(world, 0), 1.0, &tip), CPS_OK);
  return mode->weight[0] * asin(tip.position.x - 2.2) + mode->weight[1] * angle_of(world, CRATE);
}

static inline Swings swing(const Overrides* o, double end) {
  CpsWorld* world = open_scene("pendulum.yaml", o);
  Mode chain = chain_mode(), crate = crate_mode();
  Swings s = {0};
  double h = cps_world_settings(world).step;
  while (cps_world_time(world) < end - 0.5 * h) {
    run_step(world, &s.run);
    double t = cps_world_time(world), links = 0.0;
    for (int k = 0; k < LINKS; ++k) links += chain.weight[k] * angle_of(world, CHAIN + k);
    tick(&s.board, t, h, angle_of(world, BOARD));
    tick(&s.bob, t, h, body(world, BOB).centre.x - 1.5);
    if (t > 0.21) tick(&s.chain, t, h, links);  // the pull has ended
    tick(&s.crate, t, h, crate_signal(world, &crate));
    for (int32_t i = 0; t > 0.1 && i < cps_world_tie_count(world); ++i) {
      CpsTieState now;
      assert_int_equal(cps_world_tie_state(world, cps_world_tie(world, i), &now), CPS_OK);
      s.apart = fmax(s.apart, now.apart);
    }
  }
  cps_world_destroy(world);
  return s;
}

#endif
