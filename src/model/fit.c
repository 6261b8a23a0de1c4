// The rod of N elements of constant curvature that follows a polyline.
//
// The polyline becomes a smooth curve c(s) sampled at M equal arc lengths s_j (rod_shape.c). Unknown are the rotation of
// the root frame and the curvatures k_1 … k_N; the root is where the curve begins, the length is that of the curve:
//
//   min  sum_j |x(s_j) - c(s_j)|^2  +  sum_i (eps l^2 k_i1)^2,        l = L / N                                     (1)
//
// The second term, far below the first, chooses among rods of the same centreline the one of the least twist. With (1)
// to (5) of helix.h, R_i and x_i the frame and the point at the beginning of element i, a change of its curvature and a
// turn p of the root move a point x_j by
//
//   element of x_j:  a^2 R_i dw/dv k',      later elements:  l^2 R_i dw/dv k' + (l R_i J_l k') x (x_j - x_{i+1}),
//   p x (x_j - x_1)                                                                                                (2)
//
// Gauss-Newton steps damped as by Levenberg and Marquardt, from two first guesses: the mean curvatures of twist-free
// frames, and those of Frenet's frames, which are right for locks that wind many times. The minimum is a local one.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "capstan/fibre.h"
#include "core/error.h"
#include "model/helix.h"
#include "model/rod_shape.h"
#include "sparse/dense.h"

enum { SAMPLES = CPS_ROD_SAMPLES, STRIDE = 2, MOST_STEPS = 60, MOST_ELEMENTS = 200 };
static const double TWIST_WEIGHT = 1e-5;  // eps of (1)
static const double GOOD = 1e-5;          // of the length: no second guess is needed below this mean distance

typedef struct Rod {
  CpsMat3 root;
  CpsVec3* k;
} Rod;

typedef struct Fit {
  int32_t elements, unknowns, samples;
  double length, size;    // of the curve, of an element
  const CpsVec3* target;  // samples + 1 points
  const CpsQuat* frame;   // twist-free frames there
  Rod now, trial, best;
  CpsVec3* x;              // points of the rod at the samples
  CpsVec3* joint;          // x_i, elements + 1
  CpsMat3* R;              // R_i, elements + 1
  CpsMat3 *end_x, *end_R;  // what k' does to the end of its element: place and spin
  double *J, *A, *L, *g, *step;
} Fit;

static void place(Fit* fit, const Rod* rod) {
  int32_t per = SAMPLES;
  fit->R[0] = rod->root;
  fit->joint[0] = fit->x[0] = fit->target[0];
  for (int32_t i = 0; i < fit->elements; ++i) {
    for (int32_t j = 1; j <= per; ++j) {
      double a = fit->size * j / per;
      CpsHelix helix = cps_helix(cps_vec3_scale(a, rod->k[i]));
      CpsVec3 chord = cps_mat3_apply(fit->R[i], cps_helix_chord(&helix));
      fit->x[i * per + j] = cps_vec3_axpy(fit->joint[i], a, chord);
      if (j == per) fit->R[i + 1] = cps_mat3_multiply(fit->R[i], cps_helix_turn(&helix));
    }
    fit->joint[i + 1] = fit->x[(i + 1) * per];
  }
}

// (1); the points of `rod` are placed.
static double cost(Fit* fit, const Rod* rod) {
  place(fit, rod);
  double sum = 0.0;
  for (int32_t j = STRIDE; j <= fit->samples; j += STRIDE) {
    CpsVec3 d = cps_vec3_sub(fit->x[j], fit->target[j]);
    sum += cps_vec3_dot(d, d);
  }
  for (int32_t i = 0; i < fit->elements; ++i) {
    double t = TWIST_WEIGHT * fit->size * fit->size * rod->k[i].x;
    sum += t * t;
  }
  return sum;
}

static void set_block(double* J, int32_t unknowns, int32_t column, const CpsMat3* block) {
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) J[r * unknowns + column + c] = block->m[3 * r + c];
  }
}

// (2) for the point j: three rows.
static void differentiate(const Fit* fit, int32_t j, double* J) {
  int32_t element = (j - 1) / SAMPLES, n = fit->unknowns;
  memset(J, 0, 3 * (size_t)n * sizeof *J);
  CpsMat3 turn = cps_mat3_scale(-1.0, cps_mat3_cross(cps_vec3_sub(fit->x[j], fit->x[0])));
  set_block(J, n, 0, &turn);
  for (int32_t i = 0; i < element; ++i) {
    CpsMat3 arm = cps_mat3_cross(cps_vec3_sub(fit->x[j], fit->joint[i + 1]));
    CpsMat3 block = cps_mat3_axpy(fit->end_x[i], -1.0, cps_mat3_multiply(arm, fit->end_R[i]));
    set_block(J, n, 3 + 3 * i, &block);
  }
  double a = fit->size * (j - SAMPLES * element) / SAMPLES;
  CpsHelix helix = cps_helix(cps_vec3_scale(a, fit->now.k[element]));
  CpsMat3 own = cps_mat3_scale(a * a, cps_mat3_multiply(fit->R[element], cps_helix_chord_slope(&helix)));
  set_block(J, n, 3 + 3 * element, &own);
}

// A = J^T J and g = J^T (x - c) of (1), at `now`, whose points are placed.
static void linearise(Fit* fit) {
  int32_t n = fit->unknowns;
  for (int32_t i = 0; i < fit->elements; ++i) {
    CpsHelix helix = cps_helix(cps_vec3_scale(fit->size, fit->now.k[i]));
    CpsMat3 slope = cps_mat3_multiply(fit->R[i], cps_helix_chord_slope(&helix));
    fit->end_x[i] = cps_mat3_scale(fit->size * fit->size, slope);
    fit->end_R[i] = cps_mat3_scale(fit->size, cps_mat3_multiply(fit->R[i], cps_helix_spin(&helix)));
  }
  memset(fit->A, 0, (size_t)n * (size_t)n * sizeof *fit->A);
  memset(fit->g, 0, (size_t)n * sizeof *fit->g);
  for (int32_t j = STRIDE; j <= fit->samples; j += STRIDE) {
    differentiate(fit, j, fit->J);
    int32_t used = 6 + 3 * ((j - 1) / SAMPLES);  // later elements do not move it
    CpsVec3 d = cps_vec3_sub(fit->x[j], fit->target[j]);
    const double error[3] = {d.x, d.y, d.z};
    for (int r = 0; r < 3; ++r) {
      const double* row = fit->J + r * n;
      for (int32_t a = 0; a < used; ++a) {
        for (int32_t b = 0; b <= a; ++b) fit->A[a * n + b] += row[a] * row[b];
        fit->g[a] += row[a] * error[r];
      }
    }
  }
  double weight = TWIST_WEIGHT * fit->size * fit->size;
  for (int32_t i = 0; i < fit->elements; ++i) {
    int32_t a = 3 + 3 * i;
    fit->A[a * n + a] += weight * weight;
    fit->g[a] += weight * weight * fit->now.k[i].x;
  }
}

// step = -(A + damping diag A)^-1 g; false if it cannot.
static bool solve_damped(Fit* fit, double damping) {
  int32_t n = fit->unknowns;
  memcpy(fit->L, fit->A, (size_t)n * (size_t)n * sizeof *fit->L);
  for (int32_t a = 0; a < n; ++a) {
    fit->L[a * n + a] *= 1.0 + damping;
    fit->step[a] = -fit->g[a];
  }
  if (!cps_dense_cholesky_factor(n, fit->L, 0.0)) return false;
  cps_dense_cholesky_solve(n, fit->L, fit->step);
  return true;
}

static void try_step(Fit* fit) {
  CpsQuat turn = cps_quat_exp(cps_vec3(fit->step[0], fit->step[1], fit->step[2]));
  fit->trial.root = cps_mat3_multiply(cps_quat_matrix(turn), fit->now.root);
  for (int32_t i = 0; i < fit->elements; ++i) {
    const double* s = fit->step + 3 + 3 * i;
    fit->trial.k[i] = cps_vec3_add(fit->now.k[i], cps_vec3(s[0], s[1], s[2]));
  }
}

static void copy_rod(const Fit* fit, Rod* to, const Rod* from) {
  to->root = from->root;
  memcpy(to->k, from->k, (size_t)fit->elements * sizeof *to->k);
}

// Levenberg and Marquardt from `now`; the result is in `now`.
static double descend(Fit* fit) {
  double value = cost(fit, &fit->now), damping = 1e-3;
  for (int step = 0; step < MOST_STEPS && damping < 1e8; ++step) {
    linearise(fit);
    double lower = INFINITY;
    while (damping < 1e8) {
      if (solve_damped(fit, damping)) {
        try_step(fit);
        lower = cost(fit, &fit->trial);
      }
      if (lower < value) break;
      damping = fmax(10.0 * damping, 1e-9);
    }
    if (!(lower < value)) break;
    copy_rod(fit, &fit->now, &fit->trial);
    bool done = value - lower < 1e-4 * value || lower < 1e-24 * fit->length * fit->length;
    value = lower;
    damping *= 0.1;
    if (done) break;
  }
  return cost(fit, &fit->now);
}

// Curvatures as means over twist-free frames.
static void guess_twist_free(Fit* fit) {
  fit->now.root = cps_quat_matrix(fit->frame[0]);
  for (int32_t i = 0; i < fit->elements; ++i) {
    CpsVec3 sum = {0.0, 0.0, 0.0};
    for (int32_t j = i * SAMPLES; j < (i + 1) * SAMPLES; ++j) {
      CpsQuat turn = cps_quat_multiply(cps_quat_conjugate(fit->frame[j]), fit->frame[j + 1]);
      sum = cps_vec3_add(sum, cps_quat_log(turn));
    }
    fit->now.k[i] = cps_vec3_scale(1.0 / fit->size, sum);
  }
}

// Curvatures as means of Frenet's curvature and torsion: (torsion, 0, curvature) with the normal as second axis.
static void guess_frenet(Fit* fit) {
  CpsVec3 before = {0.0, 0.0, 0.0};
  for (int32_t i = 0; i < fit->elements; ++i) {
    double bend = 0.0, torsion = 0.0;
    for (int32_t j = i * SAMPLES; j < (i + 1) * SAMPLES; ++j) {
      CpsQuat turn = cps_quat_multiply(cps_quat_conjugate(fit->frame[j]), fit->frame[j + 1]);
      CpsVec3 w = cps_quat_log(turn);
      // in a twist-free frame the normal of w turns about the tangent by the torsion
      CpsVec3 direction = {0.0, w.y, w.z};
      double sine = before.y * w.z - before.z * w.y, cosine = before.y * w.y + before.z * w.z;
      if (cps_vec3_norm(before) > 0.0 && cps_vec3_norm(direction) > 0.0) torsion += atan2(sine, cosine);
      bend += cps_vec3_norm(direction);
      before = direction;
      if (j == 0) {
        // second axis along the normal: bending about the third
        double angle = atan2(w.z, w.y) - 1.5707963267948966;
        CpsQuat about = cps_quat_exp(cps_vec3(angle, 0.0, 0.0));
        fit->now.root = cps_quat_matrix(cps_quat_multiply(fit->frame[0], about));
      }
    }
    fit->now.k[i] = cps_vec3(torsion / fit->size, 0.0, bend / fit->size);
  }
}

static void measure(const Fit* fit, CpsFibreFit* out) {
  double sum = 0.0, most = 0.0;
  for (int32_t j = 1; j <= fit->samples; ++j) {
    double d = cps_vec3_norm(cps_vec3_sub(fit->x[j], fit->target[j]));
    sum += d;
    most = fmax(most, d);
  }
  out->mean = sum / fit->samples;
  out->max = most;
}

static void run(Fit* fit, CpsFibreFit* out) {
  guess_twist_free(fit);
  double value = descend(fit);
  measure(fit, out);
  if (out->mean > GOOD * fit->length) {
    copy_rod(fit, &fit->best, &fit->now);
    guess_frenet(fit);
    if (!(descend(fit) < value)) copy_rod(fit, &fit->now, &fit->best);
    (void)cost(fit, &fit->now);
    measure(fit, out);
  }
}

static void free_fit(Fit* fit) {
  free(fit->x);
  free(fit->R);
  free(fit->J);
}

// All memory in three pieces.
static bool take_fit(Fit* fit) {
  size_t N = (size_t)fit->elements, n = (size_t)fit->unknowns;
  fit->x = malloc(((size_t)fit->samples + 1 + N + 1 + 3 * N) * sizeof *fit->x);
  fit->R = malloc((3 * N + 1) * sizeof *fit->R);
  fit->J = malloc((3 * n + 2 * n * n + 2 * n) * sizeof *fit->J);
  if (!fit->x || !fit->R || !fit->J) return false;
  fit->joint = fit->x + fit->samples + 1;
  fit->now.k = fit->joint + N + 1;
  fit->trial.k = fit->now.k + N;
  fit->best.k = fit->trial.k + N;
  fit->end_x = fit->R + N + 1;
  fit->end_R = fit->end_x + N;
  fit->A = fit->J + 3 * n;
  fit->L = fit->A + n * n;
  fit->g = fit->L + n * n;
  fit->step = fit->g + n;
  return true;
}

static CpsStatus fit_curve(const CpsRodShape* shape, double length, int32_t elements, CpsVec3* curvature,
                           CpsFibreFit* out, CpsError* error) {
  Fit fit = {.elements = elements,
             .unknowns = 3 + 3 * elements,
             .samples = SAMPLES * elements,
             .length = length,
             .size = length / elements,
             .target = shape->point,
             .frame = shape->frame};
  if (!take_fit(&fit)) {
    free_fit(&fit);
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory to fit a fibre");
  }
  CpsFibreFit found = {.length = length};
  run(&fit, &found);
  const double* m = fit.now.root.m;
  found.root = (CpsPose){shape->point[0], cps_quat_of_axes(cps_vec3(m[0], m[3], m[6]), cps_vec3(m[1], m[4], m[7]),
                                                           cps_vec3(m[2], m[5], m[8]))};
  memcpy(curvature, fit.now.k, (size_t)elements * sizeof *curvature);
  *out = found;
  free_fit(&fit);
  return CPS_OK;
}

CpsStatus cps_fibre_fit(const CpsVec3* points, int32_t point_count, int32_t elements, CpsVec3* curvature,
                        CpsFibreFit* fit, CpsError* error) {
  if (!points || point_count < 2 || !curvature || !fit || elements < 1 || elements > MOST_ELEMENTS) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "a fit needs two points and 1 to %d elements", MOST_ELEMENTS);
  }
  for (int32_t i = 0; i < point_count; ++i) {
    if (cps_vec3_is_finite(points[i])) continue;
    return cps_fail(error, CPS_BAD_DATA, "point %d is not finite", (int)i);
  }
  const CpsFibreDef def = {.point_count = point_count, .points = points};
  CpsStatus status = CPS_OK;
  double length = cps_rod_shape_length(&def, &status, error);
  if (status != CPS_OK) return status;
  if (!(length > 0.0) || !isfinite(length)) return cps_fail(error, CPS_BAD_DATA, "the points have no length");
  CpsRodBranch trunk = {.parent = -1, .at = -1, .elements = elements, .length = length};
  CpsRodSpec spec = {.elements = elements, .length = length, .taper = 1.0, .branch_count = 1, .branch = &trunk};
  CpsRodShape shape = {0};
  status = cps_rod_shape_sample(&def, &spec, &shape, error);
  if (status == CPS_OK) status = fit_curve(&shape, length, elements, curvature, fit, error);
  cps_rod_shape_free(&shape);
  if (status == CPS_OK && error) error->text[0] = '\0';
  return status;
}

void cps_fibre_fit_table(const CpsVec3* curvature, int32_t elements, CpsVec3* table) {
  enum { K = CPS_FIT_TABLE };
  if (!curvature || !table) return;
  for (int32_t i = 0; i <= elements; ++i) {
    CpsVec3 left = curvature[i > 0 ? i - 1 : 0], right = curvature[i < elements ? i : elements - 1];
    table[i * K] = cps_vec3_scale(0.5, cps_vec3_add(left, right));
  }
  // what the two ends of an element take from its mean, its inside gives back
  for (int32_t i = 0; i < elements; ++i) {
    CpsVec3 ends = cps_vec3_scale(0.5, cps_vec3_add(table[i * K], table[(i + 1) * K]));
    CpsVec3 inside = cps_vec3_scale(1.0 / (K - 1), cps_vec3_axpy(cps_vec3_scale(K, curvature[i]), -1.0, ends));
    for (int32_t j = 1; j < K; ++j) table[i * K + j] = inside;
  }
}
