// Definitions of fibres: defaults and validation.
#include "model/fibres.h"

#include "core/error.h"

#include <math.h>

static const int FIBRE_COOKIE = 0x0c0517b4;
enum { MOST_ELEMENTS = 100000, MOST_PIECES = 1 << 20 };

CpsFibreDef cps_fibre_def_default(void) {
  return (CpsFibreDef){
      .model = CPS_ROD_SUPER_HELIX,
      .elements = 5,
      .length = 0.3,
      .root_pose = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}},
      .radius = 5e-4,
      .radius_across = NAN,
      .radius_tip = NAN,
      .density = 1300.0,
      .young = 1e9,
      .poisson = 0.5,
      .line_density = NAN,
      .bending = {NAN, NAN},
      .twisting = NAN,
      .stretching = NAN,
      .damping = 1e-3,
      .gravity = true,
      .mu = NAN,
      .restitution = NAN,
      .contact_radius = NAN,
      .self_contact = true,
      .self_distance = NAN,
      .cookie = FIBRE_COOKIE,
  };
}

static bool is_positive(double x) {
  return x > 0.0 && isfinite(x);
}

// Positive or unset.
static bool is_positive_or_none(double x) {
  return isnan(x) || is_positive(x);
}

static bool all_finite3(const CpsVec3* v, int32_t count) {
  for (int32_t i = 0; i < count; ++i) {
    if (!cps_vec3_is_finite(v[i])) return false;
  }
  return true;
}

static CpsStatus check_shape(const CpsFibreDef* d, CpsError* error) {
  if (d->point_count < 0 || d->point_count == 1 || (d->point_count > 0 && !d->points)) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "a fibre has %d points; it needs none or at least two",
                    (int)d->point_count);
  }
  if (d->curvature_count < 0 || d->natural_count < 0 || (d->curvature_count > 0 && !d->curvature) ||
      (d->natural_count > 0 && !d->natural)) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "the curvatures of a fibre are missing");
  }
  if (!all_finite3(d->points, d->point_count) || !all_finite3(d->curvature, d->curvature_count) ||
      !all_finite3(d->natural, d->natural_count) || !cps_vec3_is_finite(d->root_pose.position) ||
      !isfinite(cps_quat_norm(d->root_pose.rotation))) {
    return cps_fail(error, CPS_BAD_DATA, "a point, curvature or root of a fibre is not finite");
  }
  if (d->point_count == 0 && !is_positive(d->length)) {
    return cps_fail(error, CPS_BAD_DATA, "the length of a fibre is %g m; it must be positive", d->length);
  }
  return CPS_OK;
}

static CpsStatus check_section(const CpsFibreDef* d, CpsError* error) {
  if (!is_positive(d->radius) || !is_positive_or_none(d->radius_across)) {
    return cps_fail(error, CPS_BAD_DATA, "the radius of a fibre is %g m; it must be positive", d->radius);
  }
  if (!is_positive_or_none(d->radius_tip)) {
    return cps_fail(error, CPS_BAD_DATA, "the radius of the tip of a fibre is %g m; it must be positive",
                    d->radius_tip);
  }
  if (!is_positive(d->density) || !is_positive_or_none(d->line_density)) {
    return cps_fail(error, CPS_BAD_DATA, "the density of a fibre is %g kg/m^3; it must be positive", d->density);
  }
  if (!is_positive(d->young) || !(d->poisson > -1.0 && d->poisson <= 0.5)) {
    return cps_fail(error, CPS_BAD_DATA, "Young's modulus %g Pa must be positive and Poisson's ratio %g in (-1, 1/2]",
                    d->young, d->poisson);
  }
  if (!is_positive_or_none(d->bending[0]) || !is_positive_or_none(d->bending[1]) || !is_positive_or_none(d->twisting) ||
      !is_positive_or_none(d->stretching)) {
    return cps_fail(error, CPS_BAD_DATA, "a stiffness of a fibre is not positive");
  }
  if (!(d->damping >= 0.0) || !isfinite(d->damping) || !(d->drag >= 0.0) || !isfinite(d->drag)) {
    return cps_fail(error, CPS_BAD_DATA, "the damping %g s and the drag %g kg/(m s) of a fibre must not be negative",
                    d->damping, d->drag);
  }
  return CPS_OK;
}

static CpsStatus check_elements(const CpsFibreDef* d, CpsError* error) {
  if (!d->element_lengths && !d->element_curvature) return CPS_OK;
  if (d->model != CPS_ROD_SUPER_HELIX && d->model != CPS_ROD_SUPER_HELIX_RECURSIVE) {
    return cps_fail(error, CPS_UNSUPPORTED, "a fibre of model %s cannot have lengths and curvatures per element",
                    cps_rod_model_name(d->model));
  }
  double sum = 0.0, least = INFINITY;
  for (int32_t i = 0; d->element_lengths && i < d->elements; ++i) {
    sum += d->element_lengths[i];
    least = fmin(least, d->element_lengths[i]);
    if (!is_positive(d->element_lengths[i])) {
      return cps_fail(error, CPS_BAD_DATA, "element %d of a fibre has the length %g; it must be > 0", (int)i,
                      d->element_lengths[i]);
    }
  }
  if (d->element_lengths && !(isfinite(sum) && least > 1e-9 * sum)) {
    return cps_fail(error, CPS_BAD_DATA, "an element of a fibre is too short compared with the others");
  }
  for (int32_t i = 0; d->element_curvature && i < d->elements; ++i) {
    if (!cps_vec3_is_finite(d->element_curvature[i])) {
      return cps_fail(error, CPS_BAD_DATA, "the curvature of element %d of a fibre is not finite", (int)i);
    }
  }
  return CPS_OK;
}

static CpsStatus check_branches(const CpsFibreDef* d, CpsError* error) {
  if (!isfinite(d->roll[0]) || !isfinite(d->roll[1])) {
    return cps_fail(error, CPS_BAD_DATA, "the roll of a fibre is not finite");
  }
  if (d->branch_count == 0) return CPS_OK;
  if (d->roll[0] != 0.0 || d->roll[1] != 0.0) {
    return cps_fail(error, CPS_UNSUPPORTED, "a tree cannot have a roll");
  }
  if (d->branch_count < 0 || !d->branches)
    return cps_fail(error, CPS_BAD_ARGUMENT, "the branches of a fibre are missing");
  if (!cps_rod_types[d->model]->trees) {
    return cps_fail(error, CPS_UNSUPPORTED, "a fibre of model %s cannot have branches; use super-helix-recursive",
                    cps_rod_model_name(d->model));
  }
  int64_t elements = d->elements;
  for (int32_t i = 0; i < d->branch_count; ++i) {
    const CpsFibreBranch* b = &d->branches[i];
    if (b->parent < -1 || b->parent >= i) {
      return cps_fail(error, CPS_BAD_DATA, "branch %d of a fibre grows on branch %d, which does not precede it", (int)i,
                      (int)b->parent);
    }
    int32_t of_parent = b->parent < 0 ? d->elements : d->branches[b->parent].elements;
    if (b->at < 0 || b->at >= of_parent) {
      return cps_fail(error, CPS_BAD_DATA, "branch %d of a fibre grows at element %d of %d", (int)i, (int)b->at,
                      (int)of_parent);
    }
    elements += b->elements;
    if (b->elements < 1 || elements > MOST_ELEMENTS || !is_positive(b->length) || !is_positive(b->radius) ||
        !cps_vec3_is_finite(b->natural) || !(isnan(b->curvature.x) || cps_vec3_is_finite(b->curvature)) ||
        !isfinite(cps_quat_norm(b->rotation))) {
      return cps_fail(error, CPS_BAD_DATA, "branch %d of a fibre has no elements, no size or no finite shape", (int)i);
    }
  }
  return CPS_OK;
}

static CpsStatus check_contact(const CpsFibreDef* d, CpsError* error) {
  if (!(isnan(d->contact_radius) || (d->contact_radius >= 0.0 && isfinite(d->contact_radius))) ||
      !(d->contact_start >= 0.0) || !isfinite(d->contact_start) ||
      !(isnan(d->self_distance) || d->self_distance > 0.0)) {
    return cps_fail(error, CPS_BAD_DATA, "contact_radius, contact_start or self_distance of a fibre is negative");
  }
  if (d->pieces < 0 || d->pieces > MOST_PIECES) {
    return cps_fail(error, CPS_BAD_DATA, "a fibre has %d pieces; it needs 1 to %d", (int)d->pieces, MOST_PIECES);
  }
  return CPS_OK;
}

CpsStatus cps_fibre_check(const CpsFibreDef* d, CpsError* error) {
  if (d->cookie != FIBRE_COOKIE)
    return cps_fail(error, CPS_BAD_ARGUMENT, "the fibre was not initialised by cps_fibre_def_default()");
  if (!cps_rod_model_name(d->model)) return cps_fail(error, CPS_BAD_ARGUMENT, "unknown rod model %d", (int)d->model);
  int32_t least = d->model >= CPS_ROD_MASS_SPRING ? 2 : 1;
  if (d->elements < least || d->elements > MOST_ELEMENTS) {
    return cps_fail(error, CPS_BAD_DATA, "a fibre of model %s has %d elements; it needs %d to %d",
                    cps_rod_model_name(d->model), (int)d->elements, (int)least, MOST_ELEMENTS);
  }
  if ((int)d->root.kind < 0 || d->root.kind > CPS_END_CLAMPED || (int)d->tip.kind < 0 || d->tip.kind > CPS_END_CLAMPED)
    return cps_fail(error, CPS_BAD_ARGUMENT, "unknown kind of fibre end");
  CpsStatus status = check_shape(d, error);
  if (status == CPS_OK) status = check_elements(d, error);
  if (status == CPS_OK) status = check_section(d, error);
  if (status == CPS_OK) status = check_contact(d, error);
  if (status == CPS_OK) status = check_branches(d, error);
  return status;
}
