// Prescribed motions of obstacles.
//
//   velocity    x = x0 + v t,  q = exp(w t) q0                                                                    (1)
//   sine        x = x0 + a sin(2 pi f t + p),  q = exp(A sin(2 pi f t + p)) q0                                    (2)
//   keyframes   x linear, q turning at a constant rate between two keys, the first and last pose held outside     (3)
#include "world/world.h"

#include "core/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double TWO_PI = 6.283185307179586;

static CpsPose keyframe_pose(const CpsMotion* m, double t) {
  int32_t last = m->key_count - 1, k = 0;
  if (t <= m->key_times[0]) return m->key_poses[0];
  if (t >= m->key_times[last]) return m->key_poses[last];
  while (m->key_times[k + 1] <= t) ++k;
  const CpsPose *a = &m->key_poses[k], *b = &m->key_poses[k + 1];
  double s = (t - m->key_times[k]) / (m->key_times[k + 1] - m->key_times[k]);
  CpsVec3 turn = cps_quat_log(cps_quat_multiply(b->rotation, cps_quat_conjugate(a->rotation)));
  return (CpsPose){cps_vec3_axpy(cps_vec3_scale(1.0 - s, a->position), s, b->position),
                   cps_quat_unit(cps_quat_multiply(cps_quat_exp(cps_vec3_scale(s, turn)), a->rotation))};
}

CpsPose cps_motion_pose(const CpsMotion* m, const CpsPose* start, double t) {
  CpsVec3 shift = {0.0, 0.0, 0.0}, turn = {0.0, 0.0, 0.0};
  if (m->kind == CPS_MOTION_KEYFRAMES) return keyframe_pose(m, t);
  if (m->kind == CPS_MOTION_REST) return *start;
  if (m->kind == CPS_MOTION_VELOCITY) {
    shift = cps_vec3_scale(t, m->velocity);
    turn = cps_vec3_scale(t, m->angular_velocity);
  } else {
    double s = sin(TWO_PI * m->frequency * t + m->phase);
    shift = cps_vec3_scale(s, m->amplitude);
    turn = cps_vec3_scale(s, m->rotation_amplitude);
  }
  return (CpsPose){cps_vec3_add(start->position, shift),
                   cps_quat_unit(cps_quat_multiply(cps_quat_exp(turn), start->rotation))};
}

static CpsStatus check_keys(const CpsMotion* m, CpsError* error) {
  if (m->key_count < 1 || !m->key_times || !m->key_poses) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "a keyframe motion has no keyframes");
  }
  for (int32_t i = 0; i < m->key_count; ++i) {
    const CpsPose* p = &m->key_poses[i];
    if (!isfinite(m->key_times[i]) || !cps_vec3_is_finite(p->position) || !isfinite(cps_quat_norm(p->rotation))) {
      return cps_fail(error, CPS_BAD_DATA, "keyframe %d is not finite", (int)i);
    }
    if (i > 0 && !(m->key_times[i] > m->key_times[i - 1])) {
      return cps_fail(error, CPS_BAD_DATA, "keyframe %d is not later than the previous one", (int)i);
    }
  }
  return CPS_OK;
}

static CpsStatus check(const CpsMotion* m, CpsError* error) {
  switch (m->kind) {
    case CPS_MOTION_REST:
      return CPS_OK;
    case CPS_MOTION_VELOCITY:
      if (cps_vec3_is_finite(m->velocity) && cps_vec3_is_finite(m->angular_velocity)) return CPS_OK;
      break;
    case CPS_MOTION_SINE:
      if (cps_vec3_is_finite(m->amplitude) && cps_vec3_is_finite(m->rotation_amplitude) && isfinite(m->frequency) &&
          isfinite(m->phase)) {
        return CPS_OK;
      }
      break;
    case CPS_MOTION_KEYFRAMES:
      return check_keys(m, error);
    default:
      return cps_fail(error, CPS_BAD_ARGUMENT, "unknown kind of motion %d", (int)m->kind);
  }
  return cps_fail(error, CPS_BAD_DATA, "the motion of an obstacle is not finite");
}

CpsStatus cps_motion_copy(const CpsMotion* from, CpsMotion* to, CpsError* error) {
  CpsStatus status = check(from, error);
  if (status != CPS_OK) return status;
  *to = *from;
  to->key_times = NULL;
  to->key_poses = NULL;
  if (from->kind != CPS_MOTION_KEYFRAMES) return CPS_OK;
  double* times = malloc((size_t)from->key_count * sizeof *times);
  CpsPose* poses = malloc((size_t)from->key_count * sizeof *poses);
  if (!times || !poses) {
    free(times);
    free(poses);
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory for keyframes");
  }
  memcpy(times, from->key_times, (size_t)from->key_count * sizeof *times);
  for (int32_t i = 0; i < from->key_count; ++i) {
    poses[i] = (CpsPose){from->key_poses[i].position, cps_quat_unit(from->key_poses[i].rotation)};
  }
  to->key_times = times;
  to->key_poses = poses;
  return CPS_OK;
}

void cps_motion_free(CpsMotion* motion) {
  free((double*)motion->key_times);
  free((CpsPose*)motion->key_poses);
}
