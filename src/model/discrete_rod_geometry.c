// Geometry of a discrete elastic rod: frames transported in time, curvatures and twist of joints, and their derivatives.
//
// With t-, t+ the unit tangents of the edges at a joint and (t, m2, m3) their material frames,
//
//   kb = 2 t- × t+ / (1 + t-.t+),    k2 = kb.(m2- + m2+)/2,   k3 = kb.(m3- + m3+)/2                                (1)
//   dk_a/de- = (-k_a T + t+ × D_a)/|e-|,   dk_a/de+ = (-k_a T - t- × D_a)/|e+|                                     (2)
//       with chi = 1 + t-.t+,  T = (t- + t+)/chi,  D_a = (m_a- + m_a+)/chi
//   dk2/dtheta± = kb.m3±/2,   dk3/dtheta± = -kb.m2±/2                                                              (3)
//   twist k1 = theta+ - theta- + turn,   dk1/de± = kb/(2 |e±|),   dk1/dtheta± = ±1                                 (4)
//
// (Bergou et al. 2010; the signs of the curvatures are changed to agree with R' = R [kappa]x.) `turn` is the angle between the
// reference director after the joint and the one before it, the latter transported in parallel in space; (4) holds because
// directors are transported in parallel in time from step to step.
#include "model/discrete_rod.h"

#include <float.h>

// Where two edges fold back onto each other, (1) is infinite; this bound keeps it finite.
static const double LEAST_CHI = 1e-9;

static double* take(double* base, int64_t* used, int64_t count) {
  double* here = base ? base + *used : NULL;
  *used += count;
  return here;
}

CpsDer cps_der_cut(const CpsRodSpec* spec, double* state, double* work, int64_t* state_count, int64_t* work_count) {
  CpsDer d = {0};
  d.elements = spec->elements;
  d.ghost = spec->root == CPS_END_CLAMPED;
  d.vertices = d.elements + 1 + d.ghost + (spec->tip == CPS_END_CLAMPED);
  d.dofs = 4 * d.vertices - 1;
  d.size = spec->length / d.elements;
  int64_t n = d.dofs, V = d.vertices, E = V - 1;
  *state_count = *work_count = 0;
  d.q = take(state, state_count, n);
  d.v = take(state, state_count, n);
  d.director = (CpsVec3*)take(state, state_count, 3 * E);
  d.turn = take(state, state_count, V);
  d.tension = take(state, state_count, E);
  d.taut = take(state, state_count, E);
  d.rest = take(state, state_count, E);
  d.natural = take(state, state_count, 3 * V);
  d.mass = take(work, work_count, V);
  d.inertia = take(work, work_count, E);
  d.joint_length = take(work, work_count, V);
  d.held = take(work, work_count, n);
  d.tangent = (CpsVec3*)take(work, work_count, 3 * E);
  d.second = (CpsVec3*)take(work, work_count, 3 * E);
  d.third = (CpsVec3*)take(work, work_count, 3 * E);
  d.edge = take(work, work_count, E);
  d.joint = (CpsDerJoint*)take(work, work_count, V * (int64_t)(sizeof(CpsDerJoint) / sizeof(double)));
  d.band = take(work, work_count, n * (CPS_DER_BAND + 1));
  d.v_before = take(work, work_count, n);
  d.v_free = take(work, work_count, n);
  d.target = take(work, work_count, n);
  d.move = take(work, work_count, n);
  d.old_tangent = (CpsVec3*)take(work, work_count, 3 * E);
  d.aim = (CpsVec3*)take(work, work_count, 3 * E);
  d.total = take(work, work_count, 1);
  d.kept = take(work, work_count, n + 3 * E + V);
  d.projection = take(work, work_count, 3 * E);
  d.gyration = (CpsVec3*)take(work, work_count, 3 * E);
  return d;
}

CpsVec3 cps_der_position(const CpsDer* d, int32_t vertex) {
  return cps_vec3_get(d->q + 4 * (ptrdiff_t)vertex);
}

CpsVec3 cps_der_transport(CpsVec3 u, CpsVec3 a, CpsVec3 b) {
  // the rotation with c = a × b, cos = a.b:  u + c × u + c × (c × u)/(1 + cos)
  CpsVec3 c = cps_vec3_cross(a, b), cu = cps_vec3_cross(c, u);
  double chi = fmax(1.0 + cps_vec3_dot(a, b), LEAST_CHI);
  CpsVec3 r = cps_vec3_axpy(cps_vec3_add(u, cu), 1.0 / chi, cps_vec3_cross(c, cu));
  // prevents rounding errors from accumulating over many steps
  return cps_vec3_unit(cps_vec3_axpy(r, -cps_vec3_dot(r, b), b));
}

// From derivatives with respect to edges and angles to derivatives with respect to the coordinates x-, theta-, x, theta+, x+.
static void scatter(double* g, CpsVec3 before, CpsVec3 after, double angle_before, double angle_after) {
  CpsVec3 middle = cps_vec3_sub(before, after);
  g[0] = -before.x, g[1] = -before.y, g[2] = -before.z;
  g[3] = angle_before;
  g[4] = middle.x, g[5] = middle.y, g[6] = middle.z;
  g[7] = angle_after;
  g[8] = after.x, g[9] = after.y, g[10] = after.z;
}

void cps_der_measure(const CpsVec3 before[3], const CpsVec3 after[3], double twist, const double* lengths,
                     CpsDerJoint* joint) {
  double chi = fmax(1.0 + cps_vec3_dot(before[0], after[0]), LEAST_CHI);
  CpsVec3 kb = cps_vec3_scale(2.0 / chi, cps_vec3_cross(before[0], after[0]));
  joint->strain[0] = twist;
  for (int a = 1; a < 3; ++a) joint->strain[a] = 0.5 * cps_vec3_dot(kb, cps_vec3_add(before[a], after[a]));  // (1)
  if (!lengths) return;
  CpsVec3 T = cps_vec3_scale(1.0 / chi, cps_vec3_add(before[0], after[0]));
  scatter(joint->gradient[0], cps_vec3_scale(0.5 / lengths[0], kb), cps_vec3_scale(0.5 / lengths[1], kb), -1.0,
          1.0);  // (4)
  for (int a = 1; a < 3; ++a) {
    CpsVec3 D = cps_vec3_scale(1.0 / chi, cps_vec3_add(before[a], after[a]));
    CpsVec3 kT = cps_vec3_scale(joint->strain[a], T);
    CpsVec3 down = cps_vec3_scale(1.0 / lengths[0], cps_vec3_sub(cps_vec3_cross(after[0], D), kT));
    CpsVec3 up = cps_vec3_scale(-1.0 / lengths[1], cps_vec3_add(cps_vec3_cross(before[0], D), kT));  // (2)
    double sign = a == 1 ? 0.5 : -0.5;
    scatter(joint->gradient[a], down, up, sign * cps_vec3_dot(kb, before[3 - a]),
            sign * cps_vec3_dot(kb, after[3 - a]));  // (3)
  }
}

void cps_der_find_tangents(CpsDer* d) {
  for (int32_t e = 0; e + 1 < d->vertices; ++e) {
    CpsVec3 along = cps_vec3_sub(cps_der_position(d, e + 1), cps_der_position(d, e));
    d->edge[e] = fmax(cps_vec3_norm(along), DBL_MIN);
    d->tangent[e] = cps_vec3_scale(1.0 / d->edge[e], along);
  }
}

// The angle about t from a to b, both orthogonal to it.
static double angle_about(CpsVec3 t, CpsVec3 a, CpsVec3 b) {
  return atan2(cps_vec3_dot(t, cps_vec3_cross(a, b)), cps_vec3_dot(a, b));
}

void cps_der_carry_directors(CpsDer* d) {
  for (int32_t e = 0; e + 1 < d->vertices; ++e)
    d->director[e] = cps_der_transport(d->director[e], d->old_tangent[e], d->tangent[e]);
  for (int32_t i = 1; i + 1 < d->vertices; ++i) {
    CpsVec3 t = d->tangent[i], u = cps_der_transport(d->director[i - 1], d->tangent[i - 1], t);
    // the angle changes by less than half a turn in a step, so whole turns are kept
    CpsVec3 expected = cps_vec3_axpy(cps_vec3_scale(cos(d->turn[i]), u), sin(d->turn[i]), cps_vec3_cross(t, u));
    d->turn[i] += angle_about(t, expected, d->director[i]);
  }
}

void cps_der_find_joints(CpsDer* d) {
  for (int32_t e = 0; e + 1 < d->vertices; ++e) {
    double angle = d->q[4 * (ptrdiff_t)e + 3], c = cos(angle), s = sin(angle);
    CpsVec3 u = d->director[e], w = cps_vec3_cross(d->tangent[e], u);
    d->second[e] = cps_vec3_axpy(cps_vec3_scale(c, u), s, w);
    d->third[e] = cps_vec3_axpy(cps_vec3_scale(c, w), -s, u);
  }
  for (int32_t i = 1; i + 1 < d->vertices; ++i) {
    const CpsVec3 before[3] = {d->tangent[i - 1], d->second[i - 1], d->third[i - 1]};
    const CpsVec3 after[3] = {d->tangent[i], d->second[i], d->third[i]};
    double twist = d->q[4 * (ptrdiff_t)i + 3] - d->q[4 * (ptrdiff_t)i - 1] + d->turn[i];
    cps_der_measure(before, after, twist, &d->edge[i - 1], &d->joint[i]);
  }
}
