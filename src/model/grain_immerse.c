// What a thin line sees of the grains around it: the nodes of its cell, and how strongly grains press on its side.
//
// The side of a line along t is pressed by n.lambda n in each direction n across it. Around the line the mean of that is
//
//   p = phi (Tr lambda - t.lambda t)/2,   lambda of the grains at the place, phi their fraction                      (1)
//
// In the plane the stress across it, along y, is taken to be the mean of the two others.
#include "model/grains.h"

static const double IN = 0.5;  // of the grains of a full cell: what has fewer is the surface, or grains that fly

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

int cps_grains_immerse(const CpsModel* model, int32_t member, CpsVec3 place, CpsVec3 along, CpsPatchNode* nodes,
                       double* pressure) {
  (void)member;
  const CpsGrains* m = (const CpsGrains*)model;
  const CpsGrainGrid* g = &m->grid;
  const int32_t cell = cps_grain_grid_find(g, place);
  if (cell < 0 || !is_inside(m, cell)) return 0;
  const CpsVec3 s = cps_grid_inside(g, place);
  double x[CPS_TENSOR_MOST] = {0};
  int count = 0;
  for (int c = 0; c < g->corners; ++c) {
    CpsVec3 gradient;
    const double weight = cps_grid_weight(g, c, s, &gradient);
    const int32_t node = g->cell_node[(int64_t)cell * g->corners + c];
    const int32_t i = m->at == CPS_STRESS_AT_CELLS ? cell : m->node_stress[node];
    if (!m->light[node]) count = add_node(nodes, count, node, weight, g->dim == 2);
    for (int k = 0; i >= 0 && k < CPS_TENSOR_MOST; ++k) {
      x[k] += weight * m->at_stress[i].fraction * m->at_stress[i].guess[k];
    }
  }
  CpsMat3 lambda = cps_tensor_of(g->dim, x);
  if (g->dim == 2) lambda.m[4] = cps_tensor_pressure(g->dim, x[0]);
  const double trace = lambda.m[0] + lambda.m[4] + lambda.m[8];
  *pressure = 0.5 * (trace - cps_vec3_dot(along, cps_mat3_apply(lambda, along)));
  return count;
}
