// Frictionless grains, a fluid: cells without hourglass modes, and divergences integrated over the whole cell.
//
// Velocities between nodes are products of linear functions. A stress acts on their means over its neighbourhood, so a pattern that
// changes sign from node to node is not resisted by any stress. Friction damps it; without friction it stirs the particles forever.
// Where particles are sparse, divergences summed over particles also miss the gaps that close between them. In frictionless
// cells therefore
//
//   sums over particles of V N_c grad N_d in a full cell are its volume times the mean of N_c grad N_d over the cell    (1)
//
// and the particles of a cell take the affine field v = a + B (x - x0) that is nearest in the inner product of their energy,
//
//   <u, v> = sum of m (u.v + sum over axes e of D_e u_e.v_e),   u_e, v_e the derivatives, D as in grain_transfer.c      (2)
//
// This is a projection: energy never grows. Constants and rotations are affine, so momentum and angular momentum are conserved to rounding.
// A smooth field loses only terms of fourth order in the cell size, as nodes average the cells around them.
#include "model/grains.h"

static const double FULL = 0.8;    // of the grains of a full cell
static const double SMALL = 1e-9;  // of the size of the system: below it B is undetermined along an axis

static bool is_fluid(const CpsGrains* m, int32_t cell) {
  return m->group[m->group_of[m->grid.order[m->grid.cell_start[cell]]]].mu == 0.0;
}

void cps_grains_fill_cell(CpsGrains* m, int32_t cell) {
  const CpsGrainGrid* g = &m->grid;
  const double size = g->dim == 2 ? g->cell * g->cell : g->cell * g->cell * g->cell;
  const double most = m->group[m->group_of[g->order[g->cell_start[cell]]]].fraction_max;
  if (m->at != CPS_STRESS_AT_NODES || !is_fluid(m, cell) || m->volume_in[cell] < FULL * most * size) return;
  cps_grain_moments_fill(g->dim, m->volume_in[cell], m->moment + (int64_t)cell * cps_grain_moment_count(g->dim));
}

// Solves S B = R, S symmetric of `dim` rows in place; false: it is singular.
static bool solve(double S[3][3], CpsVec3 R[3], const int* axis, int dim, double size) {
  for (int k = 0; k < dim; ++k) {
    const int a = axis[k];
    if (!(S[a][a] > SMALL * size)) return false;
    for (int l = k + 1; l < dim; ++l) {
      const int b = axis[l];
      const double f = S[b][a] / S[a][a];
      for (int q = k; q < dim; ++q) S[b][axis[q]] -= f * S[a][axis[q]];
      R[b] = cps_vec3_axpy(R[b], -f, R[a]);
    }
  }
  for (int k = dim - 1; k >= 0; --k) {
    const int a = axis[k];
    for (int l = k + 1; l < dim; ++l) R[a] = cps_vec3_axpy(R[a], -S[a][axis[l]], R[axis[l]]);
    R[a] = cps_vec3_scale(1.0 / S[a][a], R[a]);
  }
  return true;
}

void cps_grains_calm(CpsGrains* m, int32_t cell) {
  if (!is_fluid(m, cell)) return;
  static const int SPACE[3] = {0, 1, 2}, PLANE[3] = {0, 2, 1};
  const CpsGrainGrid* g = &m->grid;
  const int* axis = g->dim == 2 ? PLANE : SPACE;
  const int32_t first = g->cell_start[cell], last = g->cell_start[cell + 1];
  double mass = 0.0, S[3][3] = {{0}};
  CpsVec3 x0 = {0.0, 0.0, 0.0}, v0 = x0, R[3] = {x0, x0, x0};
  for (int32_t k = first; k < last; ++k) {
    const int32_t p = g->order[k];
    mass += m->mass[p];
    x0 = cps_vec3_axpy(x0, m->mass[p], m->x[p]);
    v0 = cps_vec3_axpy(v0, m->mass[p], m->v[p]);
  }
  x0 = cps_vec3_scale(1.0 / mass, x0);
  v0 = cps_vec3_scale(1.0 / mass, v0);
  for (int32_t k = first; k < last; ++k) {
    const int32_t p = g->order[k];
    const CpsVec3 d = cps_vec3_sub(m->x[p], x0), spread = cps_grains_spread(g, m->x[p]);
    const double way[3] = {d.x, d.y, d.z}, D[3] = {spread.x, spread.y, spread.z};
    for (int a = 0; a < 3; ++a) {
      const CpsVec3 column = {m->C[p].m[a], m->C[p].m[3 + a], m->C[p].m[6 + a]};
      for (int b = 0; b < 3; ++b) S[a][b] += m->mass[p] * way[a] * way[b];
      S[a][a] += m->mass[p] * D[a];
      R[a] = cps_vec3_axpy(R[a], m->mass[p] * way[a], m->v[p]);
      R[a] = cps_vec3_axpy(R[a], m->mass[p] * D[a], column);
    }
  }
  if (!solve(S, R, axis, g->dim, mass * g->cell * g->cell)) return;
  if (g->dim == 2) R[1] = cps_vec3(0.0, 0.0, 0.0);
  for (int32_t k = first; k < last; ++k) {
    const int32_t p = g->order[k];
    const CpsVec3 d = cps_vec3_sub(m->x[p], x0);
    CpsVec3 v = cps_vec3_axpy(v0, d.x, R[0]);
    if (g->dim == 3) v = cps_vec3_axpy(v, d.y, R[1]);
    m->v[p] = cps_vec3_axpy(v, d.z, R[2]);
    m->C[p] = (CpsMat3){{R[0].x, R[1].x, R[2].x, R[0].y, R[1].y, R[2].y, R[0].z, R[1].z, R[2].z}};
  }
}
