// What acts on the nodes of a flow but stresses: gravity, pressures on open sides, cohesion and viscosity.
//
//   M~ = M + h K,   K_ij = integral of eta (grad N_i . grad N_j I + grad N_j grad N_i^T)                               (1)
//   M~ v* = M v + h (f - K v_given) - A^T c                                                                         (2)
//
// with lumped M, K v from 2 eta D(v), and A^T c the tension that cohesion takes for granted: with s = r + c e under the law the
// other blocks are those of cohesionless grains (docs/theory/law.md).
//
// mu(I): the law has the friction mu of slow flow, and what a shear rate g adds to it, (mu_fast - mu) p / (1 + I_0 / I), is a viscosity
//
//   eta = (mu_fast - mu) p / (g + I_0 sqrt(p / density) / d)                                                        (3)
//
// with p and g of the last step. It is implicit in the velocity, so that long steps are stable; in a steady flow it is exact.
#include "model/flow.h"

#include <math.h>
#include <string.h>

static double viscosity_at(const CpsFlow* f, int32_t element, const double hat[4]) {
  double eta = f->def.viscosity;
  for (int c = 0; f->def.grain > 0.0 && c < 4; ++c) eta += hat[c] * f->stress[cps_flow_vertex(f, element, c)].eta;
  return eta;
}

// The block of K for test function a and trial function b.
static void add_block(double eta, CpsVec3 a, CpsVec3 b, double K[9]) {
  const double both = a.x * b.x + a.z * b.z;
  K[0] += eta * (both + a.x * b.x);
  K[2] += eta * a.z * b.x;
  K[6] += eta * a.x * b.z;
  K[8] += eta * (both + a.z * b.z);
}

// Velocities that are given take no part: their rows and columns are those of the mass alone.
static bool is_free(const CpsFlow* f, int32_t node, int axis) {
  return axis != 1 && !f->held[node] && !(axis == 0 ? f->fixed_x : f->fixed_z)[node];
}

static int64_t find(const CpsFlow* f, int32_t row, int32_t column) {
  int64_t at = f->M_start[row];
  while (f->M_column[at] != column) ++at;
  return at;
}

static double mass_of(const CpsFlow* f, int32_t node) {
  return f->mass[node] > 0.0 ? f->mass[node] : 1.0;  // where there is nothing, which is held
}

static void assemble(CpsFlow* f, double h) {
  memset(f->M_value, 0, 9 * (size_t)f->M_start[f->nodes] * sizeof *f->M_value);
  for (int32_t i = 0; i < f->nodes; ++i) {
    for (int a = 0; a < 3; ++a) f->M_value[9 * (f->M_start[i + 1] - 1) + 4 * a] = mass_of(f, i);
  }
  for (int32_t e = 0; f->factor && e < f->def.cells_x * f->def.cells_z; ++e) {
    for (int q = 0; f->filled[e] && q < CPS_FLOW_GAUSS; ++q) {
      CpsFlowPlace place;
      cps_flow_place(f, q, &place);
      const double eta = h * place.weight * viscosity_at(f, e, place.hat);
      for (int k = 0; k < CPS_FLOW_NODES * CPS_FLOW_NODES; ++k) {
        const int a = k / CPS_FLOW_NODES, b = k % CPS_FLOW_NODES;
        const int32_t i = cps_flow_node(f, e, a), j = cps_flow_node(f, e, b);
        if (j > i) continue;
        double K[9] = {0}, *to = f->M_value + 9 * find(f, i, j);
        add_block(eta, place.gradient[a], place.gradient[b], K);
        for (int x = 0; x < 9; ++x) {
          if (is_free(f, i, x / 3) && is_free(f, j, x % 3)) to[x] += K[x];
        }
      }
    }
  }
}

void cps_flow_viscous(const CpsFlow* f, const CpsVec3* v, CpsVec3* out) {
  memset(out, 0, (size_t)f->nodes * sizeof *out);
  for (int32_t e = 0; f->factor && e < f->def.cells_x * f->def.cells_z; ++e) {
    for (int q = 0; f->filled[e] && q < CPS_FLOW_GAUSS; ++q) {
      CpsFlowPlace place;
      cps_flow_place(f, q, &place);
      const double eta = place.weight * viscosity_at(f, e, place.hat);
      double xx = 0.0, zz = 0.0, xz = 0.0;  // 2 D(v)
      for (int k = 0; k < CPS_FLOW_NODES; ++k) {
        const CpsVec3 g = place.gradient[k], w = v[cps_flow_node(f, e, k)];
        xx += 2.0 * g.x * w.x;
        zz += 2.0 * g.z * w.z;
        xz += g.z * w.x + g.x * w.z;
      }
      for (int k = 0; k < CPS_FLOW_NODES; ++k) {
        const CpsVec3 g = place.gradient[k];
        CpsVec3* to = &out[cps_flow_node(f, e, k)];
        *to = cps_vec3_axpy(*to, eta, cps_vec3(xx * g.x + xz * g.z, 0.0, xz * g.x + zz * g.z));
      }
    }
  }
}

// A pressure from outside pushes inwards, with the weights of Simpson's rule along the side.
static void press(CpsFlow* f) {
  static const CpsVec3 INWARDS[4] = {{1.0, 0.0, 0.0}, {-1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, {0.0, 0.0, -1.0}};
  for (int side = f->def.periodic ? 2 : 0; side < 4; ++side) {
    const CpsFlowBorder* border = &f->def.border[side];
    if (border->kind != CPS_FLOW_OPEN || border->pressure == 0.0) continue;
    const bool upright = side < 2;
    const int32_t cells = upright ? f->def.cells_z : f->def.cells_x, last = upright ? f->node_x - 1 : f->node_z - 1;
    for (int32_t e = 0; e < cells; ++e) {
      for (int k = 0; k < 3; ++k) {
        const int32_t along = (2 * e + k) % (upright ? f->node_z : f->node_x), at = side % 2 ? last : 0;
        const int32_t node = upright ? along * f->node_x + at : at * f->node_x + along;
        const double weight = (upright ? f->dz : f->dx) / 6.0 * (k == 1 ? 4.0 : 1.0);
        f->force[node] = cps_vec3_axpy(f->force[node], border->pressure * weight, INWARDS[side]);
      }
    }
  }
}

// The force of the stress lambda of a vertex on the nodes that it sees: r = sqrt(2 S) h x, A^T r = 2 h chi(x) gradient.
static void push_vertex(const CpsFlow* f, int32_t vertex, double times, const double x[3], CpsVec3* out) {
  const CpsMat3 tensor = cps_tensor_of(2, x);
  for (int64_t k = f->seen_start[vertex]; k < f->seen_start[vertex + 1]; ++k) {
    CpsVec3* to = &out[f->seen[k]];
    *to = cps_vec3_axpy(*to, times, cps_mat3_apply(tensor, f->gradient[k]));
  }
}

void cps_flow_push(const CpsFlow* f, double h, double more, CpsVec3* out) {
  for (int32_t i = 0; i < f->stress_count; ++i) {
    const CpsFlowStress* s = &f->stress[f->stress_vertex[i]];
    const double x[3] = {s->lambda[0] + more, s->lambda[1], s->lambda[2]};
    push_vertex(f, f->stress_vertex[i], h, x, out);
  }
}

bool cps_flow_predict(CpsFlow* f, const CpsModelStep* step) {
  const double h = step->h;
  if (f->factored_h != h || f->def.grain > 0.0) {
    assemble(f, h);
    f->version++;
    f->factored_h = h;
    if (f->factor) {
      cps_cholesky_use(f->factor, step->pool);
      if (cps_cholesky_factor(f->factor, f->M_value) >= 0) return false;
    }
  }
  for (int32_t i = 0; i < f->nodes; ++i) f->force[i] = cps_vec3_scale(f->mass[i], step->gravity);
  press(f);
  const double tension[3] = {-f->def.cohesion, 0.0, 0.0};
  for (int32_t i = 0; f->def.cohesion > 0.0 && i < f->stress_count; ++i) {
    push_vertex(f, f->stress_vertex[i], 1.0, tension, f->force);
  }
  cps_flow_viscous(f, f->given, f->after);
  double* x = &f->free[0].x;
  for (int32_t i = 0; i < f->nodes; ++i) {
    CpsVec3 impulse = cps_vec3_axpy(cps_vec3_scale(mass_of(f, i), f->v[i]), h, cps_vec3_sub(f->force[i], f->after[i]));
    if (!is_free(f, i, 0)) impulse.x = mass_of(f, i) * f->given[i].x;
    if (!is_free(f, i, 2)) impulse.z = mass_of(f, i) * f->given[i].z;
    impulse.y = 0.0;
    f->free[i] = f->factor ? impulse : cps_vec3_scale(1.0 / mass_of(f, i), impulse);
  }
  if (f->factor) cps_cholesky_solve(f->factor, 1, x, f->work);
  return true;
}

void cps_flow_rate(const CpsFlow* f, int32_t vertex, const CpsVec3* v, double rate[3]) {
  const double S = f->stress[vertex].S;
  rate[0] = rate[1] = rate[2] = 0.0;
  for (int64_t k = f->seen_start[vertex]; k < f->seen_start[vertex + 1]; ++k) {
    double A[9];
    cps_tensor_block(2, cps_vec3_scale(1.0 / S, f->gradient[k]), A);
    const CpsVec3 w = v[f->seen[k]];
    for (int a = 0; a < 3; ++a) rate[a] += A[3 * a] * w.x + A[3 * a + 2] * w.z;
  }
}

void cps_flow_thicken(CpsFlow* f) {
  for (int32_t i = 0; f->def.grain > 0.0 && i < f->stress_count; ++i) {
    const int32_t v = f->stress_vertex[i];
    CpsFlowStress* s = &f->stress[v];
    double rate[3];
    s->eta = 0.0;
    if (!(s->lambda[0] > 0.0)) continue;
    cps_flow_rate(f, v, f->v, rate);
    const double shear = 2.0 * sqrt(rate[1] * rate[1] + rate[2] * rate[2]), p = s->lambda[0];
    s->eta = (f->def.mu_fast - f->def.mu) * p / (shear + f->def.I_0 * sqrt(p / f->def.density) / f->def.grain);
  }
}
