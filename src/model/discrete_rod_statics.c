// Discrete elastic rods at rest. The forces are linear in the moments m_a = (B_a/l)(k_a - n_a) of the joints and the tensions T
// of the edges,
//
//   F = f - sum of m_a dk_a/dq - sum of T d|e|/dq,      f: weight and pulls                                        (1)
//
// and block triangular from the tip. Once all edges beyond edge e are solved, the forces on its far vertex and its angle have
// four unknowns: the three moments of the joint at its near vertex and its own tension. d|e|/dx = t, and all dk_a/dx there
// are orthogonal to t, so
//
//   T = t.F_x,      [second.dk_a/dx; third.dk_a/dx; dk_a/dtheta] m = [second.F_x; third.F_x; F_theta]              (2)
//   n_a = k_a - m_a l / B_a,      r = |e| / (1 + T / E S)                                                          (3)
//
// The rounding error of r is kept with it: cps_der_extension().
// Where lengths are fixed, T is their multiplier. This includes rods whose lengths are projected after the step: at rest, the
// projection has nothing to correct. The remainder at the root is its reaction.
#include "core/error.h"
#include "model/discrete_rod.h"
#include "model/rod_statics.h"
#include "sparse/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static CpsRodNatural natural(const CpsRod* rod) {
  const CpsDer d = cps_der_view(rod);
  // vertex 0 is not a joint
  CpsRodNatural n = {.count = d.vertices - 2, .strain = d.natural + 3, .first = d.ghost ? 0.5 : 1.0};
  if ((CpsDerLengths)rod->type->variant == CPS_DER_STIFF) {
    n.length_count = d.elements;
    n.length = d.rest + d.ghost;
    n.below = d.taut + d.ghost;
  }
  return n;
}

// J^T F of a point of the surface, added to the twelve coordinates from its edge on, as in rows() of discrete_rod.c.
static void add_touch(const CpsDer* d, int32_t e, double w, CpsVec3 point, CpsVec3 F, double* f) {
  const CpsVec3 x = cps_vec3_axpy(cps_vec3_scale(1.0 - w, cps_der_position(d, e)), w, cps_der_position(d, e + 1));
  const CpsVec3 arm = cps_vec3_sub(point, x), t = d->tangent[e];
  double force[3], turn[3], *to = f + 4 * (ptrdiff_t)e;
  cps_vec3_put(force, F);
  cps_vec3_put(turn, cps_rod_edge_turn(t, d->edge[e], arm, F));
  for (int i = 0; i < 3; ++i) {
    to[i] += (1.0 - w) * force[i] - turn[i];
    to[4 + i] += w * force[i] + turn[i];
  }
  to[3] += cps_vec3_dot(t, cps_vec3_cross(arm, F));
}

// f of (1) over all coordinates in q.
void cps_der_load(const CpsRod* rod, const CpsDer* d, const CpsRodLoad* load, double* f) {
  memset(f, 0, (size_t)(d->dofs + 1) * sizeof *f);
  for (int32_t i = 0; i < d->vertices; ++i)
    cps_vec3_put(f + 4 * (ptrdiff_t)i, cps_vec3_scale(d->mass[i], load->gravity));
  double w;
  for (int32_t p = 0; p < load->pull_count; ++p) {
    double F[3], *to = f + 4 * (ptrdiff_t)cps_der_edge_at(d, load->pulls[p].s, &w);
    cps_vec3_put(F, cps_rod_pull_force(rod, &load->pulls[p]));
    for (int i = 0; i < 3; ++i) to[i] += (1.0 - w) * F[i], to[4 + i] += w * F[i];
  }
  for (int32_t p = 0; p < load->touch_count; ++p) {
    const int32_t e = cps_der_edge_at(d, load->touches[p].s, &w);
    add_touch(d, e, w, load->touches[p].point, load->touches[p].force, f);
  }
}

// (2) for the joint before edge e; subtracts the balanced part from f.
static bool solve_joint(const CpsDer* d, int32_t e, double* f, double m[3]) {
  const CpsVec3 F = cps_vec3_get(f + 4 * (ptrdiff_t)(e + 1)), u = d->second[e], v = d->third[e];
  double A[9];
  int pivot[3];
  for (int a = 0; a < 3; ++a) {
    const double* g = d->joint[e].gradient[a];
    const CpsVec3 by = cps_vec3_get(g + 8);
    // as moments, so that a pivot shows how close to singular the system is
    A[a] = d->edge[e] * cps_vec3_dot(u, by), A[3 + a] = d->edge[e] * cps_vec3_dot(v, by), A[6 + a] = g[7];
  }
  m[0] = d->edge[e] * cps_vec3_dot(u, F), m[1] = d->edge[e] * cps_vec3_dot(v, F), m[2] = f[4 * (ptrdiff_t)e + 3];
  if (!cps_dense_lu_factor(3, A, pivot)) return false;
  cps_dense_lu_solve(3, A, pivot, m);
  double* to = f + 4 * (ptrdiff_t)(e - 1);
  for (int a = 0; a < 3; ++a) {
    for (int i = 0; i < CPS_DER_JOINT; ++i) to[i] -= m[a] * d->joint[e].gradient[a][i];
  }
  return true;
}

// All moments and tensions up to edge `last`, beyond which no force acts; f keeps the reaction required at the root.
static CpsStatus solve(const CpsDer* d, int32_t last, double* f, double* moment, double* tension, CpsError* error) {
  for (int32_t e = last; e >= d->ghost; --e) {
    const CpsVec3 t = d->tangent[e];
    double* F = f + 4 * (ptrdiff_t)e;
    if (e > 0 && !solve_joint(d, e, f, moment + 3 * (ptrdiff_t)e)) {
      return cps_fail(error, CPS_BAD_DATA,
                      "the fibre folds back on itself at segment %d: no moment there could hold it",
                      (int)(e - d->ghost));
    }
    const double T = tension[e] = cps_vec3_dot(t, cps_vec3_get(F + 4));
    F[0] += T * t.x, F[1] += T * t.y, F[2] += T * t.z;
    F[4] -= T * t.x, F[5] -= T * t.y, F[6] -= T * t.z;
  }
  return CPS_OK;
}

static CpsStatus check_tensions(const CpsRod* rod, const CpsDer* d, const double* tension, CpsError* error) {
  if ((CpsDerLengths)rod->type->variant != CPS_DER_STIFF) return CPS_OK;
  for (int32_t e = d->ghost; e < d->ghost + d->elements; ++e) {
    const double ES = rod->spec.stretch * cps_rod_element_taper(&rod->spec, e - d->ghost, 2);
    if (!(ES + tension[e] > 1e-3 * ES)) {
      return cps_fail(error, CPS_BAD_DATA,
                      "segment %d would be compressed by %g N with E S = %g N; no rest length allows this",
                      (int)(e - d->ghost), -tension[e], ES);
    }
  }
  return CPS_OK;
}

// (3)
static void take(const CpsRod* rod, CpsDer* d, const double* moment, const double* tension) {
  const CpsDerLengths lengths = (CpsDerLengths)rod->type->variant;
  for (int32_t i = 1; i + 1 < d->vertices; ++i) {
    for (int a = 0; a < 3; ++a) {
      const double B = rod->spec.branch[0].stiffness[a] * cps_rod_joint_taper(&rod->spec, i - d->ghost);
      d->natural[3 * i + a] = d->joint[i].strain[a] - moment[3 * i + a] * d->joint_length[i] / B;
    }
  }
  for (int32_t e = d->ghost; e < d->ghost + d->elements; ++e) {
    const double ES = rod->spec.stretch * cps_rod_element_taper(&rod->spec, e - d->ghost, 2);
    if (lengths == CPS_DER_STIFF) {
      d->rest[e] = d->edge[e] / (1.0 + tension[e] / ES);
      d->taut[e] = (d->edge[e] - d->rest[e]) - tension[e] / cps_der_edge_stiffness(rod, d, e);
    } else {
      d->tension[e] = d->taut[e] = tension[e];
    }
  }
}

// The remainder on the vertices and the first edge of an unclamped root.
static CpsRodLack lacking(const CpsRod* rod, const CpsDer* d, const double* f) {
  CpsRodLack lack = {0};
  if (rod->spec.root == CPS_END_CLAMPED) return lack;
  const CpsVec3 rest = cps_vec3_get(f + 4), arm = cps_vec3_scale(d->edge[0], d->tangent[0]);
  lack.moment = cps_vec3_scale(-1.0, cps_vec3_axpy(cps_vec3_cross(arm, rest), f[3], d->tangent[0]));
  if (rod->spec.root == CPS_END_FREE) lack.force = cps_vec3_scale(-1.0, cps_vec3_add(cps_vec3_get(f), rest));
  return lack;
}

static CpsStatus balance(CpsRod* rod, const CpsRodLoad* load, CpsError* error) {
  CpsDer d = cps_der_view(rod);
  double* f = calloc((size_t)d.dofs + 1 + 4 * (size_t)d.vertices, sizeof *f);
  if (!f) return cps_fail(error, CPS_NO_MEMORY, "not enough memory to invert a fibre");
  double *moment = f + d.dofs + 1, *tension = moment + 3 * (ptrdiff_t)d.vertices;
  cps_der_load(rod, &d, load, f);
  CpsStatus status = solve(&d, d.ghost + d.elements - 1, f, moment, tension, error);
  if (status == CPS_OK) status = check_tensions(rod, &d, tension, error);
  const CpsRodLack lack = lacking(rod, &d, f);
  if (status == CPS_OK) status = cps_rod_check_lack(rod, load, &lack, error);
  if (status == CPS_OK) take(rod, &d, moment, tension);
  free(f);
  return status;
}

static double stiffness_of(const CpsRod* rod, const CpsDer* d, int32_t joint, int a) {
  return rod->spec.branch[0].stiffness[a] * cps_rod_joint_taper(&rod->spec, joint - d->ghost) / d->joint_length[joint];
}

static void strains(const CpsRod* rod, double* k) {
  const CpsDer d = cps_der_view(rod);
  for (int32_t i = 1; i + 1 < d.vertices; ++i) memcpy(k + 3 * (ptrdiff_t)(i - 1), d.joint[i].strain, 3 * sizeof *k);
}

static void whiten(const CpsRod* rod, double* x) {
  const CpsDer d = cps_der_view(rod);
  for (int32_t i = 1; i + 1 < d.vertices; ++i) {
    for (int a = 0; a < 3; ++a) x[3 * (i - 1) + a] *= sqrt(stiffness_of(rod, &d, i, a));
  }
}

// A unit force along each row of the contact, and the moments that balance it.
static bool compliance(const CpsRod* rod, int32_t count, const CpsRodSpot* spots) {
  const CpsDer d = cps_der_view(rod);
  const int32_t n = 3 * (d.vertices - 2);
  double* f = calloc((size_t)d.dofs + 1 + 4 * (size_t)d.vertices, sizeof *f);
  if (!f) return false;
  double *moment = f + d.dofs + 1, *tension = moment + 3 * (ptrdiff_t)d.vertices, w;
  CpsStatus status = CPS_OK;
  for (int32_t p = 0; p < count && status == CPS_OK; ++p) {
    const int32_t e = cps_der_edge_at(&d, spots[p].s, &w);
    for (int row = 0; row < 3 && status == CPS_OK; ++row) {
      const CpsVec3 F = cps_vec3_scale(spots[p].sign, cps_vec3_get(spots[p].frame.m + 3 * (ptrdiff_t)row));
      double* G = spots[p].G + (ptrdiff_t)row * n;
      memset(f, 0, ((size_t)d.dofs + 1 + 4 * (size_t)d.vertices) * sizeof *f);
      add_touch(&d, e, w, spots[p].point, F, f);
      status = solve(&d, e, f, moment, tension, NULL);
      for (int32_t i = 1; i + 1 < d.vertices; ++i) {
        for (int a = 0; a < 3; ++a) G[3 * (i - 1) + a] = moment[3 * i + a] / sqrt(stiffness_of(rod, &d, i, a));
      }
    }
  }
  free(f);
  return status == CPS_OK;
}

const CpsRodStatics cps_der_statics = {natural,          NULL,
                                       balance,          strains,
                                       whiten,           compliance,
                                       cps_der_unknowns, cps_der_gradient,
                                       cps_der_hessian,  cps_der_step_parts,
                                       cps_der_move_free};
