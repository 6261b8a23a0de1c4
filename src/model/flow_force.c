// Forces on the nodes of a flow other than stresses: gravity, pressures on open sides, cohesion and viscosity.
//
//   M~ = M + h K,   K_ij = integral of eta (grad N_i . grad N_j I + grad N_j grad N_i^T)                               (1)
//   M~ v* = M v + h (f - K v_given) - A^T c                                                                         (2)
//
// with lumped M, K v from 2 eta D(v), and A^T c the tension assumed by cohesion: s = r + c e obeys the law, so the other
// blocks are those of cohesionless grains (docs/theory/law.md).
//
// mu(I): the law has the friction mu of slow flow. The increase with the shear rate g, (mu_fast - mu) p / (1 + I_0 / I), is a viscosity
//
//   eta = (mu_fast - mu) p / (g + I_0 sqrt(p / density) / d)                                                        (3)
//
// with p and g of the previous step. It is implicit in the velocity, so long steps are stable; in a steady flow it is exact.
#include "model/flow.h"

#include <math.h>
#include <string.h>

double cps_flow_first(const CpsFlow* f, double p) {
  return p / cps_tensor_pressure(f->dim, 1.0);
}

static double viscosity_at(const CpsFlow* f, int32_t element, const double* hat) {
  double eta = f->def.viscosity;
  for (int c = 0; f->def.grain > 0.0 && c < f->own_corners; ++c) {
    eta += hat[c] * f->stress[cps_flow_vertex(f, element, c)].eta;
  }
  return eta;
}

// The block of K for test function a and trial function b.
static void add_block(double eta, CpsVec3 a, CpsVec3 b, double K[9]) {
  const double both = a.x * b.x + a.y * b.y + a.z * b.z, p[3] = {a.x, a.y, a.z}, q[3] = {b.x, b.y, b.z};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) K[3 * i + j] += i == j ? eta * (both + p[i] * q[i]) : eta * p[j] * q[i];
  }
}

// Prescribed velocities are eliminated: their rows and columns are those of the mass alone.
static bool is_free(const CpsFlow* f, int32_t node, int axis) {
  return !(axis == 1 && f->dim == 2) && !f->held[node] && !f->fixed[axis][node];
}

static int64_t find(const CpsFlow* f, int32_t row, int32_t column) {
  int64_t at = f->M_start[row];
  while (f->M_column[at] != column) ++at;
  return at;
}

static double mass_of(const CpsFlow* f, int32_t node) {
  return f->mass[node] > 0.0 ? f->mass[node] : 1.0;  // outside the grains, where nodes are held
}

static void assemble_element(CpsFlow* f, int32_t e, double h) {
  double eta[CPS_FLOW_NODES];
  for (int q = 0; q < f->own_nodes; ++q) eta[q] = h * f->place[q].weight * viscosity_at(f, e, f->place[q].hat);
  for (int k = 0; k < f->own_nodes * f->own_nodes; ++k) {
    const int a = k / f->own_nodes, b = k % f->own_nodes;
    const int32_t i = cps_flow_node(f, e, a), j = cps_flow_node(f, e, b);
    if (j > i) continue;
    double* to = f->M_value + 9 * find(f, i, j);
    bool free[9];
    for (int x = 0; x < 9; ++x) free[x] = is_free(f, i, x / 3) && is_free(f, j, x % 3);
    for (int q = 0; q < f->own_nodes; ++q) {
      double K[9] = {0};
      add_block(eta[q], f->place[q].gradient[a], f->place[q].gradient[b], K);
      for (int x = 0; x < 9; ++x) {
        if (free[x]) to[x] += K[x];
      }
    }
  }
}

static void assemble(CpsFlow* f, double h) {
  memset(f->M_value, 0, 9 * (size_t)f->M_start[f->nodes] * sizeof *f->M_value);
  for (int32_t i = 0; i < f->nodes; ++i) {
    for (int a = 0; a < 3; ++a) f->M_value[9 * (f->M_start[i + 1] - 1) + 4 * a] = mass_of(f, i);
  }
  for (int32_t e = 0; f->factor && e < f->elements; ++e) {
    if (f->filled[e]) assemble_element(f, e, h);
  }
}

void cps_flow_viscous(const CpsFlow* f, const CpsVec3* v, CpsVec3* out) {
  memset(out, 0, (size_t)f->nodes * sizeof *out);
  for (int32_t e = 0; f->factor && e < f->elements; ++e) {
    int32_t node[CPS_FLOW_NODES];
    for (int k = 0; k < f->own_nodes; ++k) node[k] = cps_flow_node(f, e, k);
    for (int q = 0; f->filled[e] && q < f->own_nodes; ++q) {
      const CpsFlowPlace* place = &f->place[q];
      const double eta = place->weight * viscosity_at(f, e, place->hat);
      CpsMat3 twice = {{0}};  // 2 D(v)
      for (int k = 0; k < f->own_nodes; ++k) {
        const CpsVec3 g = place->gradient[k], w = v[node[k]];
        const double p[3] = {g.x, g.y, g.z}, r[3] = {w.x, w.y, w.z};
        for (int x = 0; x < 9; ++x) twice.m[x] += p[x / 3] * r[x % 3] + p[x % 3] * r[x / 3];
      }
      for (int k = 0; k < f->own_nodes; ++k) {
        out[node[k]] = cps_vec3_axpy(out[node[k]], eta, cps_mat3_apply(twice, place->gradient[k]));
      }
    }
  }
}

// An external pressure pushes inwards, with the weights of Simpson's rule along the side.
static void press(CpsFlow* f) {
  for (int side = 0; side < CPS_FLOW_SIDES; ++side) {
    const CpsFlowBorder* border = cps_flow_border(&f->def, side);
    CpsFlowFace face;
    if (border->kind != CPS_FLOW_OPEN || border->pressure == 0.0 || !cps_flow_face(f, side, &face)) continue;
    const int a = face.across[0], b = face.across[1];
    // in the plane a single row along x or z, one metre deep
    const int na = a == 1 && f->dim == 2 ? 1 : 3, nb = b == 1 && f->dim == 2 ? 1 : 3;
    const double area = (na == 3 ? f->edge[a] / 6.0 : 1.0) * (nb == 3 ? f->edge[b] / 6.0 : 1.0);
    for (int64_t e = 0; e < (int64_t)f->cells[a] * f->cells[b]; ++e) {
      for (int k = 0; k < na * nb; ++k) {
        const int i = k % na, j = k / na;
        const int32_t node =
            cps_flow_face_node(f, &face, 2 * (int32_t)(e % f->cells[a]) + i, 2 * (int32_t)(e / f->cells[a]) + j);
        const double weight = area * (i == 1 ? 4.0 : 1.0) * (j == 1 ? 4.0 : 1.0);
        f->force[node] = cps_vec3_axpy(f->force[node], border->pressure * weight, face.inwards);
      }
    }
  }
}

// Force of the stress lambda of a vertex on its nodes: r = sqrt(2 S) h x, A^T r = 2 h chi(x) gradient.
static void push_vertex(const CpsFlow* f, int32_t vertex, double times, const double* x, CpsVec3* out) {
  const CpsMat3 tensor = cps_tensor_of(f->dim, x);
  for (int64_t k = f->seen_start[vertex]; k < f->seen_start[vertex + 1]; ++k) {
    CpsVec3* to = &out[f->seen[k]];
    *to = cps_vec3_axpy(*to, times, cps_mat3_apply(tensor, f->gradient[k]));
  }
}

void cps_flow_push(const CpsFlow* f, double h, double more, CpsVec3* out) {
  for (int32_t i = 0; i < f->stress_count; ++i) {
    const CpsFlowStress* s = &f->stress[f->stress_vertex[i]];
    double x[CPS_OWN_ROWS];
    for (int k = 0; k < f->rows; ++k) x[k] = s->lambda[k] + (k == 0 ? cps_flow_first(f, more) : 0.0);
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
  const double tension[CPS_OWN_ROWS] = {-cps_flow_first(f, f->def.cohesion)};
  for (int32_t i = 0; f->def.cohesion > 0.0 && i < f->stress_count; ++i) {
    push_vertex(f, f->stress_vertex[i], 1.0, tension, f->force);
  }
  cps_flow_viscous(f, f->given, f->after);
  double* x = &f->free[0].x;
  for (int32_t i = 0; i < f->nodes; ++i) {
    CpsVec3 impulse = cps_vec3_axpy(cps_vec3_scale(mass_of(f, i), f->v[i]), h, cps_vec3_sub(f->force[i], f->after[i]));
    if (!is_free(f, i, 0)) impulse.x = mass_of(f, i) * f->given[i].x;
    if (!is_free(f, i, 1)) impulse.y = mass_of(f, i) * f->given[i].y;
    if (!is_free(f, i, 2)) impulse.z = mass_of(f, i) * f->given[i].z;
    f->free[i] = f->factor ? impulse : cps_vec3_scale(1.0 / mass_of(f, i), impulse);
  }
  if (f->factor) cps_cholesky_solve(f->factor, 1, x, f->work);
  return true;
}

void cps_flow_rate(const CpsFlow* f, int32_t vertex, const CpsVec3* v, double* rate) {
  const double S = f->stress[vertex].S;
  for (int a = 0; a < f->rows; ++a) rate[a] = 0.0;
  for (int64_t k = f->seen_start[vertex]; k < f->seen_start[vertex + 1]; ++k) {
    double A[18];
    cps_tensor_block(f->dim, cps_vec3_scale(1.0 / S, f->gradient[k]), A);
    const CpsVec3 w = v[f->seen[k]];
    for (int a = 0; a < f->rows; ++a) rate[a] += A[3 * a] * w.x + A[3 * a + 1] * w.y + A[3 * a + 2] * w.z;
  }
}

double cps_flow_shear(const CpsFlow* f, const double* rate) {
  double sum = 0.0;
  for (int a = 1; a < f->rows; ++a) sum += rate[a] * rate[a];
  return 2.0 * sqrt(sum);
}

void cps_flow_thicken(CpsFlow* f) {
  for (int32_t i = 0; f->def.grain > 0.0 && i < f->stress_count; ++i) {
    const int32_t v = f->stress_vertex[i];
    CpsFlowStress* s = &f->stress[v];
    double rate[CPS_OWN_ROWS];
    s->eta = 0.0;
    if (!(s->lambda[0] > 0.0)) continue;
    cps_flow_rate(f, v, f->v, rate);
    const double p = cps_tensor_pressure(f->dim, s->lambda[0]);
    s->eta = (f->def.mu_fast - f->def.mu) * p /
             (cps_flow_shear(f, rate) + f->def.I_0 * sqrt(p / f->def.density) / f->def.grain);
  }
}
