// From rigid bodies and contact points to the terms of a factored problem.
//
//   u = E (v_b + omega_b × p_b - v_a - omega_a × p_a),   E = rows n, t1, t2,   p = point - centre                   (1)
//   H_B = +-E [ I  -[p]x ] M_B^-1/2,   M_B = diag(m I, inertia), a diagonal matrix                                 (2)
//
// The coordinates M^1/2 (v, omega) are mass-normalised, so one array serves as H and Y, as in a world.
#include "core/error.h"
#include "friction/generate/generated.h"

#include <math.h>

enum { RIGID_DOFS = 6 };

// M_B^-1/2
static void find_root(const CpsRigid* body, double root[RIGID_DOFS]) {
  for (int k = 0; k < 3; ++k) {
    root[k] = sqrt(body->inverse_mass);
    root[3 + k] = sqrt(body->inverse_inertia.m[4 * k]);
  }
}

// Writes H for one side.
static void add_side(const CpsRigid* body, const CpsRigidContact* contact, CpsMat3 E, double sign, double* H) {
  CpsVec3 arm = cps_vec3_sub(contact->point, body->centre);
  CpsMat3 turn = cps_mat3_multiply(E, cps_mat3_scale(-1.0, cps_mat3_cross(arm)));
  double root[RIGID_DOFS];
  find_root(body, root);
  for (int row = 0; row < 3; ++row) {
    double* h = H + RIGID_DOFS * row;
    for (int k = 0; k < 3; ++k) {
      h[k] = sign * E.m[3 * row + k] * root[k];
      h[3 + k] = sign * turn.m[3 * row + k] * root[3 + k];
    }
  }
}

CpsStatus cps_generated_from_rigid(int32_t body_count, const CpsRigid* bodies, int32_t contact_count,
                                   const CpsRigidContact* contacts, CpsGenerated* out, CpsError* error) {
  int64_t term_count = 0;
  for (int32_t i = 0; i < contact_count; ++i) term_count += contacts[i].a < 0 ? 1 : 2;
  out->contact_count = contact_count;
  out->body_count = body_count;
  out->body_dofs = CPS_TAKE(&out->arena, int32_t, body_count);
  out->contact_start = CPS_TAKE(&out->arena, int64_t, (int64_t)contact_count + 1);
  out->body = CPS_TAKE(&out->arena, int32_t, term_count);
  out->H = CPS_TAKE(&out->arena, double, term_count * 3 * RIGID_DOFS);
  out->Y = out->H;
  out->b = CPS_TAKE_ZERO(&out->arena, double, (int64_t)contact_count * 3);
  out->v = CPS_TAKE_ZERO(&out->arena, double, (int64_t)body_count* RIGID_DOFS);
  out->dv = CPS_TAKE_ZERO(&out->arena, double, (int64_t)body_count* RIGID_DOFS);
  if (!out->body_dofs || !out->v || !out->dv || !out->contact_start || !out->body || !out->H || !out->b)
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory for %d contacts", (int)contact_count);

  for (int32_t k = 0; k < body_count; ++k) {
    double* v = out->v + (int64_t)k * RIGID_DOFS;
    double* dv = out->dv + (int64_t)k * RIGID_DOFS;
    out->body_dofs[k] = RIGID_DOFS;
    v[0] = bodies[k].velocity.x;
    v[1] = bodies[k].velocity.y;
    v[2] = bodies[k].velocity.z;
    v[3] = bodies[k].spin.x;
    v[4] = bodies[k].spin.y;
    v[5] = bodies[k].spin.z;
    dv[0] = bodies[k].gain.x;
    dv[1] = bodies[k].gain.y;
    dv[2] = bodies[k].gain.z;
    double root[RIGID_DOFS];
    find_root(&bodies[k], root);
    for (int a = 0; a < RIGID_DOFS; ++a) {
      v[a] /= root[a];
      dv[a] /= root[a];
    }
  }
  int64_t term = 0;
  for (int32_t i = 0; i < contact_count; ++i) {
    const CpsRigidContact* contact = &contacts[i];
    CpsMat3 E = cps_mat3_frame(contact->normal, contact->along);
    double* b = out->b + 3 * (int64_t)i;
    out->contact_start[i] = term;
    if (contact->a < 0) {
      CpsVec3 ground = cps_mat3_apply(E, contact->ground);
      b[0] -= ground.x;
      b[1] -= ground.y;
      b[2] -= ground.z;
    } else {
      int64_t at = term * 3 * RIGID_DOFS;
      out->body[term++] = contact->a;
      add_side(&bodies[contact->a], contact, E, -1.0, out->H + at);
    }
    int64_t at = term * 3 * RIGID_DOFS;
    out->body[term++] = contact->b;
    add_side(&bodies[contact->b], contact, E, 1.0, out->H + at);
  }
  out->contact_start[contact_count] = term;
  return CPS_OK;
}
