// Fits a rod of N elements of constant curvature to a polyline.
//
// The polyline becomes a smooth curve sampled at equal arc lengths (rod_shape.c). The root is at the start of the curve and the length is
// that of the curve; least squares (fit_descend.c) give the rotation of the root frame and the curvatures. The initial guess is the mean
// curvature of twist-free frames; for locks with many turns Frenet frames are tried as well, and if both fits are far from the curve,
// floating tangents. The best fit is kept.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "capstan/fibre.h"
#include "core/error.h"
#include "geometry/short_helix.h"
#include "model/fit_descend.h"
#include "model/helix.h"
#include "model/rod_shape.h"

enum { SAMPLES = CPS_ROD_SAMPLES, MOST_ELEMENTS = 200 };
static const double GOOD = 1e-5;    // of the length: below this mean distance no second guess is needed
static const double LOST = 0.04;    // of the length: above this largest distance a third guess is made
static const double WINDING = 0.7;  // rad: mean bending of elements above which a second guess is made

// Turn from sample j to the next, in the axes of sample j.
static CpsVec3 turn_at(const CpsQuat* frame, int32_t j) {
  return cps_quat_log(cps_quat_multiply(cps_quat_conjugate(frame[j]), frame[j + 1]));
}

// Curvatures as means over twist-free frames. Returns the total bending angle of the curve.
static double guess_twist_free(CpsFit* fit, const CpsQuat* frame) {
  double bend = 0.0;
  fit->now.root = cps_quat_matrix(frame[0]);
  for (int32_t i = 0; i < fit->elements; ++i) {
    CpsVec3 sum = {0.0, 0.0, 0.0};
    for (int32_t j = i * SAMPLES; j < (i + 1) * SAMPLES; ++j) {
      const CpsVec3 w = turn_at(frame, j);
      sum = cps_vec3_add(sum, w);
      bend += cps_vec3_norm(w);
    }
    fit->now.k[i] = cps_vec3_scale(1.0 / fit->size, sum);
  }
  return bend;
}

// Curvatures as means of Frenet curvature and torsion, with the normal of the curve at the beginning of each element.
static void guess_frenet(CpsFit* fit, const CpsQuat* frame) {
  CpsVec3 before = {0.0, 0.0, 0.0};
  fit->now.root = cps_quat_matrix(frame[0]);
  for (int32_t i = 0; i < fit->elements; ++i) {
    double bend = 0.0, torsion = 0.0;
    CpsVec3 begin = {0.0, 0.0, 0.0};
    for (int32_t j = i * SAMPLES; j < (i + 1) * SAMPLES; ++j) {
      // in a twist-free frame the normal of w rotates about the tangent by the torsion
      const CpsVec3 w = turn_at(frame, j), direction = {0.0, w.y, w.z};
      const double sine = before.y * w.z - before.z * w.y, cosine = before.y * w.y + before.z * w.z;
      if (cps_vec3_norm(before) > 0.0 && cps_vec3_norm(direction) > 0.0) torsion += atan2(sine, cosine);
      if (j == i * SAMPLES) begin = direction;
      bend += cps_vec3_norm(direction);
      before = direction;
    }
    const double size = cps_vec3_norm(begin), scale = size > 0.0 ? bend / (size * fit->size) : 0.0;
    fit->now.k[i] = cps_vec3(torsion / fit->size, scale * begin.y, scale * begin.z);
  }
}

// Curvatures of floating tangents (fit_tangents.c), whose elements have nearly equal lengths, with the same turn in each. False: none exist.
static bool guess_tangents(CpsFit* fit, const CpsRodShape* shape) {
  const int32_t n = fit->elements;
  CpsVec3* p = malloc(((size_t)n + 1) * (2 * sizeof *p + 3 * sizeof(double)));
  if (!p) return false;
  CpsVec3* t = p + n + 1;
  for (int32_t i = 0; i <= n; ++i) {
    p[i] = shape->point[SAMPLES * i];
    t[i] = cps_quat_rotate(shape->frame[SAMPLES * i], cps_vec3(1.0, 0.0, 0.0));
  }
  cps_float_joints(n, p, t, (double*)(void*)(t + n + 1));
  CpsMat3 R = fit->now.root = cps_quat_matrix(shape->frame[0]);
  bool found = true;
  for (int32_t i = 0; i < n && found; ++i) {
    CpsShortHelix helix;
    found = cps_short_helix(p[i], t[i], p[i + 1], t[i + 1], &helix);
    if (!found) break;
    const CpsVec3 k = cps_vec3_scale(helix.length / fit->size, cps_mat3_apply_transposed(R, helix.turn));
    const CpsHelix turned = cps_helix(cps_vec3_scale(fit->size, k));
    const CpsQuat back = cps_quat_exp(cps_vec3(-fit->size * k.x, 0.0, 0.0));  // frames of `now` do not twist
    R = cps_mat3_multiply(cps_mat3_multiply(R, cps_helix_turn(&turned)), cps_quat_matrix(back));
    fit->now.k[i] = k;
  }
  free(p);
  return found;
}

// Also descends from the guess in `now` and keeps the better result.
static double compare(CpsFit* fit, double value, CpsFibreFit* out) {
  const double other = cps_fit_descend(fit);
  if (!(other < value)) cps_fit_copy(fit, &fit->now, &fit->best);
  cps_fit_measure(fit, &out->mean, &out->max);
  return fmin(other, value);
}

static void run(CpsFit* fit, const CpsRodShape* shape, CpsFibreFit* out) {
  const CpsQuat* frame = shape->frame;
  const double bend = guess_twist_free(fit, frame);
  double value = cps_fit_descend(fit);
  cps_fit_measure(fit, &out->mean, &out->max);
  if (bend > WINDING * fit->elements && out->mean > GOOD * fit->length) {
    cps_fit_copy(fit, &fit->best, &fit->now);
    guess_frenet(fit, frame);
    value = compare(fit, value, out);
  }
  if (out->max > LOST * fit->length) {
    cps_fit_copy(fit, &fit->best, &fit->now);
    if (guess_tangents(fit, shape)) {
      (void)compare(fit, value, out);
    } else {
      cps_fit_copy(fit, &fit->now, &fit->best);
    }
  }
}

static CpsStatus fit_curve(const CpsRodShape* shape, double length, int32_t elements, CpsVec3* curvature,
                           CpsFibreFit* out, CpsError* error) {
  CpsFit fit = {.elements = elements, .length = length, .size = length / elements, .target = shape->point};
  if (!cps_fit_take(&fit)) {
    cps_fit_free(&fit);
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory to fit a fibre");
  }
  CpsFibreFit found = {.length = length};
  run(&fit, shape, &found);
  const double* m = fit.now.root.m;
  found.root = (CpsPose){shape->point[0], cps_quat_of_axes(cps_vec3(m[0], m[3], m[6]), cps_vec3(m[1], m[4], m[7]),
                                                           cps_vec3(m[2], m[5], m[8]))};
  cps_fit_material(&fit, curvature);
  *out = found;
  cps_fit_free(&fit);
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
  // the inside of an element compensates for its two ends, so the element keeps its mean
  for (int32_t i = 0; i < elements; ++i) {
    CpsVec3 ends = cps_vec3_scale(0.5, cps_vec3_add(table[i * K], table[(i + 1) * K]));
    CpsVec3 inside = cps_vec3_scale(1.0 / (K - 1), cps_vec3_axpy(cps_vec3_scale(K, curvature[i]), -1.0, ends));
    for (int32_t j = 1; j < K; ++j) table[i * K + j] = inside;
  }
}
