// Least-squares fit of a chain of helices, with derivatives by recursion.
//
// The unknowns are the rotation of the root frame and the curvatures k_1 … k_N of elements of length l. With m points x_j on each
// element and c_j the corresponding points of the curve,
//
//   min  S (1 + c T) + (eps l)^2 T,     S = sum_j |x_j - c_j|^2,   T = sum_i (l k_i1)^2                             (1)
//
// The second term penalises twist that hardly changes the centreline: otherwise a nearly straight element would wind itself up to fit the
// last thousandth. If the curve is a chain of helices, S vanishes and the twist is that of the curve. The last term selects the least
// twist for a straight line. The squares of T have the weight c S / (1 + c T) of the previous step, which gives the gradient of (1).
//
// Curvatures are given in frames rolled back by l k_i1 at the end of each element, which makes them twist-free. The effect of twist then
// ends with its element; in the material frame it would turn everything beyond it about the tangent.
//
// The points of an element are a step d = l / m apart. Every step is the same helix with the chord d w, the rotation E and the spin d J_l
// of helix.h. In the axes of the element's start, with y a point, Q its frame, and D and Z the changes of position and frame due to k',
//
//   y <- y + d Q w,   D <- D - [d Q w]x Z + d^2 Q dw/dv,   Z <- Z + d Q J_l,   Q <- Q E                            (2)
//
// so an element needs its Stumpff functions only once. The part beyond it moves as a rigid body, as does everything beyond the root:
//
//   x' = P_i k' + (S_i k') x (x - x_1),      S_i = R_i Z - l t_{i+1} e^T,   P_i = R_i D + [x_{i+1} - x_1]x S_i     (3)
//
// The blocks of J^T J are therefore products with F_k and T_k, the sums of the forces and moments that the columns of element k exert on
// its own points and those beyond it. They are accumulated from the tip to the root with the first and second moments of the points:
//
//   A_ik = P_i^T F_k + S_i^T T_k,   i < k                                                                          (4)
//
// This takes O(N^2) instead of O(N^3 m). Steps are Levenberg-Marquardt. The minimum is a local one.
#include "model/fit_descend.h"

#include "core/quat.h"
#include "model/helix.h"
#include "model/rod.h"
#include "sparse/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = CPS_ROD_SAMPLES, STRIDE = 2, POINTS = SAMPLES / STRIDE, MOST_STEPS = 60 };
static const double TWIST = 0.003;       // c of (1)
static const double LEAST_TWIST = 1e-5;  // eps of (1)
static const double SMALL_STEP = 1e-3;   // a step that reduces (1) by less than this is the last
static const double MOST_DAMPING = 1e8;

// A rotation about the tangent.
static CpsMat3 roll(double angle) {
  const double c = cos(angle), s = sin(angle);
  return (CpsMat3){{1.0, 0.0, 0.0, 0.0, c, -s, 0.0, s, c}};
}

// Points, joints and frames of a rod.
static void place(CpsFit* fit, const CpsFitRod* rod) {
  const double d = fit->size / POINTS;
  CpsMat3 R = rod->root;
  CpsVec3 x = fit->target[0];
  for (int32_t i = 0; i < fit->elements; ++i) {
    const CpsHelix helix = cps_helix(cps_vec3_scale(d, rod->k[i]));
    const CpsVec3 chord = cps_vec3_scale(d, cps_helix_chord(&helix));
    const CpsMat3 turn = cps_helix_turn(&helix);
    fit->R[i] = R;
    fit->joint[i] = x;
    for (int32_t j = 0; j < POINTS; ++j) {
      x = cps_vec3_add(x, cps_mat3_apply(R, chord));
      R = cps_mat3_multiply(R, turn);
      fit->x[i * POINTS + j] = x;
    }
    R = cps_mat3_multiply(R, roll(-fit->size * rod->k[i].x));
  }
  fit->R[fit->elements] = R;
  fit->joint[fit->elements] = x;
}

static CpsVec3 error_of(const CpsFit* fit, int32_t i, int32_t j) {
  return cps_vec3_sub(fit->x[i * POINTS + j], fit->target[i * SAMPLES + (j + 1) * STRIDE]);
}

// (1); places the points of `rod`.
static double cost(CpsFit* fit, const CpsFitRod* rod, double* weight) {
  place(fit, rod);
  const double least = LEAST_TWIST * LEAST_TWIST * fit->size * fit->size;
  double sum = 0.0, twist = 0.0;
  for (int32_t i = 0; i < fit->elements; ++i) {
    for (int32_t j = 0; j < POINTS; ++j) {
      const CpsVec3 d = error_of(fit, i, j);
      sum += cps_vec3_dot(d, d);
    }
    const double t = fit->size * rod->k[i].x;
    twist += t * t;
  }
  *weight = fmax(TWIST * sum / (1.0 + TWIST * twist), least) * fit->size * fit->size;
  return sum * (1.0 + TWIST * twist) + least * twist;
}

// Sums over the forces of an element's columns on its own points, in the axes of its start.
typedef struct Own {
  CpsMat3 force, moment;  // of D, and of y x D
  CpsMat3 square;         // of D^T D
  CpsVec3 slope;          // of D^T error
  CpsMat3 end, turn;      // D and Z at the end
} Own;

// A^T B
static CpsMat3 inner(CpsMat3 A, CpsMat3 B) {
  return cps_mat3_multiply(cps_mat3_transposed(A), B);
}

// A + [a]x B
static CpsMat3 add_moment(CpsMat3 A, CpsVec3 a, CpsMat3 B) {
  for (int c = 0; c < 3; ++c) {
    A.m[c] += a.y * B.m[6 + c] - a.z * B.m[3 + c];
    A.m[3 + c] += a.z * B.m[c] - a.x * B.m[6 + c];
    A.m[6 + c] += a.x * B.m[3 + c] - a.y * B.m[c];
  }
  return A;
}

// (2)
static Own own_points(const CpsFit* fit, int32_t i) {
  const double d = fit->size / POINTS;
  const CpsHelix helix = cps_helix(cps_vec3_scale(d, fit->now.k[i]));
  const CpsVec3 chord = cps_vec3_scale(d, cps_helix_chord(&helix));
  const CpsMat3 turn = cps_helix_turn(&helix), spin = cps_mat3_scale(d, cps_helix_spin(&helix));
  const CpsMat3 slope = cps_mat3_scale(d * d, cps_helix_chord_slope(&helix));
  Own own = {0};
  CpsMat3 Q = cps_mat3_identity();
  CpsVec3 y = {0.0, 0.0, 0.0};
  for (int32_t j = 0; j < POINTS; ++j) {
    const CpsVec3 w = cps_mat3_apply(Q, chord);
    y = cps_vec3_add(y, w);
    own.end = add_moment(own.end, cps_vec3_scale(-1.0, w), own.turn);
    own.end = cps_mat3_axpy(own.end, 1.0, cps_mat3_multiply(Q, slope));
    own.turn = cps_mat3_axpy(own.turn, 1.0, cps_mat3_multiply(Q, spin));
    Q = cps_mat3_multiply(Q, turn);
    own.force = cps_mat3_axpy(own.force, 1.0, own.end);
    own.moment = add_moment(own.moment, y, own.end);
    own.square = cps_mat3_axpy(own.square, 1.0, inner(own.end, own.end));
    const CpsVec3 e = cps_mat3_apply_transposed(fit->R[i], error_of(fit, i, j));
    own.slope = cps_vec3_add(own.slope, cps_mat3_apply_transposed(own.end, e));
  }
  return own;
}

// Points beyond a joint, relative to it: their number, first and second moments, and the sums of their errors and of the error moments.
typedef struct Beyond {
  double count;
  CpsVec3 first, error, turn;
  CpsMat3 second;
} Beyond;

// Moves the joint back by s and adds the points of element i to those beyond.
static void gather(const CpsFit* fit, int32_t i, Beyond* b) {
  const CpsVec3 s = cps_vec3_sub(fit->joint[i + 1], fit->joint[i]);
  b->second = cps_mat3_axpy(b->second, 1.0, cps_mat3_outer(b->first, s));
  b->first = cps_vec3_axpy(b->first, b->count, s);
  b->second = cps_mat3_axpy(b->second, 1.0, cps_mat3_outer(s, b->first));
  b->turn = cps_vec3_add(b->turn, cps_vec3_cross(s, b->error));
  b->count += POINTS;
  for (int32_t j = 0; j < POINTS; ++j) {
    const CpsVec3 y = cps_vec3_sub(fit->x[i * POINTS + j], fit->joint[i]), e = error_of(fit, i, j);
    b->first = cps_vec3_add(b->first, y);
    b->second = cps_mat3_axpy(b->second, 1.0, cps_mat3_outer(y, y));
    b->error = cps_vec3_add(b->error, e);
    b->turn = cps_vec3_add(b->turn, cps_vec3_cross(y, e));
  }
}

// sum (|y|^2 - y y^T)
static CpsMat3 inertia(const Beyond* b) {
  const double* q = b->second.m;
  const double trace = q[0] + q[4] + q[8];
  return cps_mat3_axpy(cps_mat3_scale(trace, cps_mat3_identity()), -1.0, b->second);
}

static void put(const CpsFit* fit, int32_t row, int32_t column, CpsMat3 block) {
  double* to = fit->A + (size_t)(3 * row) * (size_t)fit->unknowns + 3 * column;
  for (int r = 0; r < 3; ++r, to += fit->unknowns) memcpy(to, block.m + 3 * r, 3 * sizeof *to);
}

// Writes element i to A and g: its own block and, by (4), those with the elements beyond, whose forces and moments are in `force` and `moment`.
static void add_element(CpsFit* fit, int32_t i, const Beyond* b) {
  const Own own = own_points(fit, i);
  const CpsMat3 R = fit->R[i], X = cps_mat3_multiply(R, own.end);
  CpsMat3 S = cps_mat3_multiply(R, own.turn);
  for (int r = 0; r < 3; ++r) S.m[3 * r] -= fit->size * fit->R[i + 1].m[3 * r];  // rolled back
  const CpsVec3 start = cps_vec3_sub(fit->joint[i], fit->joint[0]),
                end = cps_vec3_sub(fit->joint[i + 1], fit->joint[0]);
  // on the points beyond, about the end of the element
  CpsMat3 F = add_moment(cps_mat3_scale(b->count, X), cps_vec3_scale(-1.0, b->first), S);
  CpsMat3 T = add_moment(cps_mat3_multiply(inertia(b), S), b->first, X);
  put(fit, i + 1, i + 1, cps_mat3_axpy(cps_mat3_axpy(own.square, 1.0, inner(X, F)), 1.0, inner(S, T)));
  CpsVec3 g = cps_vec3_add(own.slope, cps_mat3_apply_transposed(X, b->error));
  g = cps_vec3_add(g, cps_mat3_apply_transposed(S, b->turn));
  cps_vec3_put(fit->g + 3 * (i + 1), g);
  const CpsMat3 P = add_moment(X, end, S);  // (3)
  for (int32_t k = i + 1; k < fit->elements; ++k) {
    put(fit, k + 1, i + 1, cps_mat3_axpy(inner(fit->force[k], P), 1.0, inner(fit->moment[k], S)));
  }
  // with its own points, about the root
  const CpsMat3 pushed = cps_mat3_multiply(R, own.force);
  T = cps_mat3_axpy(add_moment(T, end, F), 1.0, cps_mat3_multiply(R, own.moment));
  fit->moment[i] = add_moment(T, start, pushed);
  fit->force[i] = cps_mat3_axpy(F, 1.0, pushed);
}

// A = J^T J and g = J^T (x - c) of (1), at `now`, whose points are placed.
static void linearise(CpsFit* fit, double weight) {
  const int32_t n = fit->unknowns;
  Beyond beyond = {0};
  for (int32_t i = fit->elements - 1; i >= 0; --i) {
    add_element(fit, i, &beyond);
    gather(fit, i, &beyond);
    const size_t twist = 3 * ((size_t)i + 1);
    fit->A[twist * (size_t)n + twist] += weight;
    fit->g[twist] += weight * fit->now.k[i].x;
  }
  // the root rotates everything
  put(fit, 0, 0, inertia(&beyond));
  cps_vec3_put(fit->g, beyond.turn);
  for (int32_t k = 0; k < fit->elements; ++k) put(fit, k + 1, 0, cps_mat3_transposed(fit->moment[k]));
}

// step = -(A + damping diag A)^-1 g; false if the matrix is not positive definite.
static bool solve_damped(CpsFit* fit, double damping) {
  const int32_t n = fit->unknowns;
  memcpy(fit->L, fit->A, (size_t)n * (size_t)n * sizeof *fit->L);
  for (int32_t a = 0; a < n; ++a) {
    fit->L[a * n + a] *= 1.0 + damping;
    fit->step[a] = -fit->g[a];
  }
  if (!cps_dense_cholesky_factor(n, fit->L, 0.0)) return false;
  cps_dense_cholesky_solve(n, fit->L, fit->step);
  return true;
}

static void try_step(CpsFit* fit) {
  const CpsQuat turn = cps_quat_exp(cps_vec3_get(fit->step));
  fit->trial.root = cps_mat3_multiply(cps_quat_matrix(turn), fit->now.root);
  for (int32_t i = 0; i < fit->elements; ++i) {
    fit->trial.k[i] = cps_vec3_add(fit->now.k[i], cps_vec3_get(fit->step + 3 + 3 * i));
  }
}

void cps_fit_copy(const CpsFit* fit, CpsFitRod* to, const CpsFitRod* from) {
  to->root = from->root;
  memcpy(to->k, from->k, (size_t)fit->elements * sizeof *to->k);
}

double cps_fit_descend(CpsFit* fit) {
  double weight, next, damping = 1e-3, value = cost(fit, &fit->now, &weight);
  for (int step = 0; step < MOST_STEPS && damping < MOST_DAMPING; ++step) {
    linearise(fit, weight);
    double lower = INFINITY;
    bool first = true;
    while (damping < MOST_DAMPING) {
      if (solve_damped(fit, damping)) {
        try_step(fit);
        lower = cost(fit, &fit->trial, &next);
      }
      if (lower < value) break;
      damping = fmax(10.0 * damping, 1e-9);
      first = false;
    }
    if (!(lower < value)) break;
    cps_fit_copy(fit, &fit->now, &fit->trial);
    const bool done = value - lower < SMALL_STEP * value || lower < 1e-24 * fit->length * fit->length;
    value = lower;
    weight = next;
    if (first) damping *= 0.1;
    if (done) break;
  }
  return value;
}

void cps_fit_measure(const CpsFit* fit, double* mean, double* max) {
  const double d = fit->size / SAMPLES;
  CpsMat3 R = fit->now.root;
  CpsVec3 x = fit->target[0];
  double sum = 0.0, most = 0.0;
  for (int32_t i = 0; i < fit->elements; ++i) {
    const CpsHelix helix = cps_helix(cps_vec3_scale(d, fit->now.k[i]));
    const CpsVec3 chord = cps_vec3_scale(d, cps_helix_chord(&helix));
    const CpsMat3 turn = cps_helix_turn(&helix);
    for (int32_t j = 1; j <= SAMPLES; ++j) {
      x = cps_vec3_add(x, cps_mat3_apply(R, chord));
      R = cps_mat3_multiply(R, turn);
      const double apart = cps_vec3_norm(cps_vec3_sub(x, fit->target[i * SAMPLES + j]));
      sum += apart;
      most = fmax(most, apart);
    }
    R = cps_mat3_multiply(R, roll(-fit->size * fit->now.k[i].x));
  }
  *mean = sum / ((double)SAMPLES * fit->elements);
  *max = most;
}

void cps_fit_material(const CpsFit* fit, CpsVec3* curvature) {
  double rolled = 0.0;  // of the material frame against that without twist
  for (int32_t i = 0; i < fit->elements; ++i) {
    curvature[i] = cps_mat3_apply(roll(-rolled), fit->now.k[i]);
    rolled += fit->size * fit->now.k[i].x;
  }
}

void cps_fit_free(CpsFit* fit) {
  free(fit->x);
  free(fit->R);
  free(fit->A);
}

bool cps_fit_take(CpsFit* fit) {
  const size_t N = (size_t)fit->elements, n = 3 + 3 * N;
  fit->unknowns = (int32_t)n;
  fit->x = malloc((POINTS * N + N + 1 + 3 * N) * sizeof *fit->x);
  fit->R = malloc((3 * N + 1) * sizeof *fit->R);
  fit->A = malloc((2 * n * n + 2 * n) * sizeof *fit->A);
  if (!fit->x || !fit->R || !fit->A) return false;
  fit->joint = fit->x + POINTS * N;
  fit->now.k = fit->joint + N + 1;
  fit->trial.k = fit->now.k + N;
  fit->best.k = fit->trial.k + N;
  fit->force = fit->R + N + 1;
  fit->moment = fit->force + N;
  fit->L = fit->A + n * n;
  fit->g = fit->L + n * n;
  fit->step = fit->g + n;
  return true;
}
