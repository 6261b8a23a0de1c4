// A thin line immersed in grains: the nodes of its cell, and the pressure of the grains on its sides.
//
// The side of a line along t bears n.lambda n in each direction n normal to it. The mean around the line is
//
//   p = phi (Tr lambda - t.lambda t)/2,   lambda of the grains at the place, phi their fraction                      (1)
//
// In the plane the stress along y is taken as the mean of the other two. On each side of a surface the pressure is phi n.lambda n,
// extrapolated to it from half a cell and one cell away: over that distance the weight alone changes it by more than the net pressure.
#include "model/grains.h"

static const double BESIDE = 0.5;  // of a cell: distance from a surface to the sampling point on its side
static const double IN = 0.5;      // of the grains of a full cell: with fewer, it is the surface or grains in flight

static bool is_inside(const CpsGrains* m, int32_t cell) {
  const CpsGrainGrid* g = &m->grid;
  const int32_t p = g->order[g->cell_start[cell]];
  const double size = g->dim == 2 ? g->cell * g->cell : g->cell * g->cell * g->cell;
  return m->volume_in[cell] > IN * m->group[m->group_of[p]].fraction_max * size;
}

// Corners may have joined (grain_join.c): each node once.
static int add_node(CpsPatchNode* nodes, int count, int32_t node, double weight, bool plane) {
  int at = 0;
  while (at < count && nodes[at].node != node) ++at;
  if (at == count) nodes[count++] = (CpsPatchNode){.node = node};
  CpsPatchNode* to = &nodes[at];
  to->share += weight;
  to->weight = cps_mat3_scale(to->share, cps_mat3_identity());
  if (plane) to->weight.m[4] = 0.0;
  return count;
}

// The nodes at a position in a cell, and phi lambda there.
static int look(const CpsGrains* m, int32_t cell, CpsVec3 place, CpsPatchNode* nodes, CpsMat3* lambda) {
  const CpsGrainGrid* g = &m->grid;
  const CpsVec3 s = cps_grid_inside(g, place);
  double x[CPS_TENSOR_MOST] = {0};
  int count = 0;
  for (int c = 0; c < g->corners; ++c) {
    CpsVec3 gradient;
    const double weight = cps_grid_weight(g, c, s, &gradient);
    const int32_t node = g->cell_node[(int64_t)cell * g->corners + c];
    const int32_t i = m->at == CPS_STRESS_AT_CELLS ? cell : m->node_stress[node];
    if (nodes && !m->light[node]) count = add_node(nodes, count, node, weight, g->dim == 2);
    for (int k = 0; i >= 0 && k < CPS_TENSOR_MOST; ++k) {
      x[k] += weight * m->at_stress[i].fraction * m->at_stress[i].guess[k];
    }
  }
  *lambda = cps_tensor_of(g->dim, x);
  if (g->dim == 2) lambda->m[4] = cps_tensor_pressure(g->dim, x[0]);
  return count;
}

static double across(const CpsMat3* lambda, CpsVec3 n) {
  return cps_vec3_dot(n, cps_mat3_apply(*lambda, n));
}

int cps_grains_immerse(const CpsModel* model, int32_t member, CpsVec3 place, CpsVec3 along, CpsPatchNode* nodes,
                       double* pressure) {
  (void)member;
  const CpsGrains* m = (const CpsGrains*)model;
  const int32_t cell = cps_grain_grid_find(&m->grid, place);
  if (cell < 0 || !is_inside(m, cell)) return 0;
  CpsMat3 lambda;
  const int count = look(m, cell, place, nodes, &lambda);
  *pressure = 0.5 * (lambda.m[0] + lambda.m[4] + lambda.m[8] - across(&lambda, along));
  return count;
}

bool cps_grains_are_flat(const CpsModel* model) {
  return ((const CpsGrains*)model)->grid.dim == 2;
}

// The sides of a surface with grains, in a cell: within one cell of it.
static void find_sides(const CpsGrains* m, int32_t cell, CpsVec3 place, CpsVec3 normal, bool there[2]) {
  const CpsGrainGrid* g = &m->grid;
  for (int32_t k = g->cell_start[cell]; k < g->cell_start[cell + 1]; ++k) {
    const double far = cps_vec3_dot(cps_vec3_sub(m->x[g->order[k]], place), normal);
    if (far > 0.0 && far < g->cell) there[0] = true;
    if (far < 0.0 && far > -g->cell) there[1] = true;
  }
}

int cps_grains_immerse_surface(const CpsModel* model, int32_t member, CpsVec3 place, CpsVec3 normal,
                               CpsPatchNode* nodes, bool there[2], double pressure[2]) {
  (void)member;
  const CpsGrains* m = (const CpsGrains*)model;
  const int32_t cell = cps_grain_grid_find(&m->grid, place);
  there[0] = there[1] = false;
  pressure[0] = pressure[1] = 0.0;
  if (cell < 0) return 0;
  find_sides(m, cell, place, normal, there);
  for (int side = 0; side < 2; ++side) {
    double p[2] = {0.0, 0.0};
    int cells = 0;
    for (; cells < 2; ++cells) {
      const double far = (side == 0 ? BESIDE : -BESIDE) * (cells + 1) * m->grid.cell;
      const CpsVec3 beside = cps_vec3_axpy(place, far, normal);
      const int32_t next = cps_grain_grid_find(&m->grid, beside);
      CpsMat3 lambda;
      if (next < 0) break;
      if (cells == 0) find_sides(m, next, place, normal, there);
      (void)look(m, next, beside, NULL, &lambda);
      p[cells] = across(&lambda, normal);
    }
    pressure[side] = cells == 2 ? 2.0 * p[0] - p[1] : p[0];  // at the surface
  }
  CpsMat3 lambda;
  return there[0] || there[1] ? look(m, cell, place, nodes, &lambda) : 0;
}
