// Floating tangents: a chain of helices with the tangents of a curve at its joints (Derouet-Jourdan et al. 2013).
//
// Joints are placed on the curve at equal arc lengths, with its tangents there. They are then moved as little as possible so that
// a helix exists between each two neighbours (geometry/short_helix.c). The helices form a chain with continuous tangents and
// elements of different lengths, without iteration over the chain. In the material frame R of the rod, which turns with the
// helices, the curvature of element i is R^T times its turn per length; the roll of the root is free, and zero roll has least twist.
#include "capstan/fibre.h"

#include "core/error.h"
#include "geometry/short_helix.h"
#include "model/helix.h"
#include "model/rod_shape.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ELEMENTS = 200, S = CPS_ROD_SAMPLES };

// Distances of the chain from the curve at equal parts of the elements.
static void measure(const CpsRodShape* shape, int32_t elements, const double* lengths, const CpsVec3* curvature,
                    CpsFibreFit* out) {
  CpsMat3 R = cps_quat_matrix(out->root.rotation);
  CpsVec3 x = out->root.position;
  double sum = 0.0;
  for (int32_t i = 0; i < elements; ++i) {
    for (int k = 1; k <= S; ++k) {
      const double a = lengths[i] * k / S;
      const CpsHelix helix = cps_helix(cps_vec3_scale(a, curvature[i]));
      const CpsVec3 at = cps_vec3_add(x, cps_mat3_apply(R, cps_vec3_scale(a, cps_helix_chord(&helix))));
      const double apart = cps_vec3_norm(cps_vec3_sub(at, shape->point[S * i + k]));
      sum += apart;
      out->max = fmax(out->max, apart);
      if (k < S) continue;
      x = at;
      R = cps_mat3_multiply(R, cps_helix_turn(&helix));
    }
  }
  out->mean = sum / ((double)S * elements);
}

static CpsVec3 tangent_of(CpsQuat frame) {
  return cps_quat_rotate(frame, cps_vec3(1.0, 0.0, 0.0));
}

static CpsStatus chain(const CpsRodShape* shape, int32_t elements, double* lengths, CpsVec3* curvature,
                       CpsFibreFit* out, CpsError* error) {
  const size_t joints = (size_t)elements + 1;
  CpsVec3* p = malloc(joints * (2 * sizeof *p + 3 * sizeof(double)));
  if (!p) return cps_fail(error, CPS_NO_MEMORY, "not enough memory to fit a fibre");
  CpsVec3* t = p + joints;
  for (int32_t i = 0; i <= elements; ++i) {
    p[i] = shape->point[S * i];
    t[i] = tangent_of(shape->frame[S * i]);
  }
  cps_float_joints(elements, p, t, (double*)(void*)(t + joints));
  CpsFibreFit found = {.root = {p[0], shape->frame[0]}};
  CpsMat3 R = cps_quat_matrix(found.root.rotation);
  CpsStatus status = CPS_OK;
  for (int32_t i = 0; status == CPS_OK && i < elements; ++i) {
    CpsShortHelix helix;
    if (!cps_short_helix(p[i], t[i], p[i + 1], t[i + 1], &helix)) {
      status = cps_fail(error, CPS_BAD_DATA, "no helix fits the curve at element %d; choose other elements", (int)i);
      break;
    }
    lengths[i] = helix.length;
    curvature[i] = cps_mat3_apply_transposed(R, helix.turn);
    found.length += helix.length;
    const CpsHelix turned = cps_helix(cps_vec3_scale(helix.length, curvature[i]));
    R = cps_mat3_multiply(R, cps_helix_turn(&turned));
  }
  free(p);
  if (status != CPS_OK) return status;
  measure(shape, elements, lengths, curvature, &found);
  *out = found;
  return CPS_OK;
}

CpsStatus cps_fibre_fit_tangents(const CpsVec3* points, int32_t point_count, int32_t elements, double* lengths,
                                 CpsVec3* curvature, CpsFibreFit* fit, CpsError* error) {
  if (!points || point_count < 2 || !lengths || !curvature || !fit || elements < 1 || elements > MOST_ELEMENTS) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "a fit needs two points and 1 to %d elements", MOST_ELEMENTS);
  }
  for (int32_t i = 0; i < point_count; ++i) {
    if (cps_vec3_is_finite(points[i])) continue;
    return cps_fail(error, CPS_BAD_DATA, "point %d is not finite", (int)i);
  }
  const CpsFibreDef def = {.point_count = point_count, .points = points};
  CpsStatus status = CPS_OK;
  const double length = cps_rod_shape_length(&def, &status, error);
  if (status != CPS_OK) return status;
  if (!(length > 0.0) || !isfinite(length)) return cps_fail(error, CPS_BAD_DATA, "the points have no length");
  CpsRodBranch trunk = {.parent = -1, .at = -1, .elements = elements, .length = length};
  const CpsRodSpec spec = {.elements = elements, .length = length, .taper = 1.0, .branch_count = 1, .branch = &trunk};
  CpsRodShape shape = {0};
  status = cps_rod_shape_sample(&def, &spec, &shape, error);
  if (status == CPS_OK) status = chain(&shape, elements, lengths, curvature, fit, error);
  cps_rod_shape_free(&shape);
  return status == CPS_OK ? cps_succeed(error) : status;
}
