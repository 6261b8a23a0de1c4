// The stresses of the medium as blocks of the contact problem.
//
// Stress i has a weight w: 1 in a cell and 0 elsewhere, or the hat function of a node. With S its integral, B v = sum over particles
// of V w D(v), V the volume of grains, D the symmetric gradient, h the step,
//
//   u = sqrt(2/S) chi^-1(B v),   r = sqrt(2 S) h chi^-1(lambda),   so that r.u = h lambda:B v                      (1)
//
// lambda is minus the stress that grains bear. Grains at the fraction phi may close up until they are densest, and no more. A
// volume of grains V takes V/phi of space, which changes by h div v of it, so that in the mean
//
//   h Tr(B v) >= - sum V w (1 - phi/phi_max) = -gap                                                                (2)
//
// which (1) and the rule for gaps of contacts (world/contacts.c) make a shift of the first row. S is the volume of a cell either way.
#include "model/grains.h"

#include <string.h>

static double cell_volume(const CpsGrainGrid* g) {
  return g->dim == 2 ? g->cell * g->cell : g->cell * g->cell * g->cell;
}

static void add(CpsGrainStress* to, const CpsGrainStress* part) {
  to->volume += part->volume;
  to->mu += part->mu;
  to->gap += part->gap;
  for (int k = 0; k < CPS_TENSOR_MOST; ++k) to->guess[k] += part->guess[k];
}

static void mean(CpsGrainStress* s) {
  const double by = s->volume > 0.0 ? 1.0 / s->volume : 0.0;
  s->mu *= by;
  for (int k = 0; k < CPS_TENSOR_MOST; ++k) s->guess[k] *= by;
}

void cps_grains_list_stresses(CpsGrains* m) {
  const CpsGrainGrid* g = &m->grid;
  m->stress_count = 0;
  if (m->at == CPS_STRESS_AT_CELLS) {
    for (int32_t i = 0; i < g->cell_count; ++i) {
      CpsGrainStress* s = &m->at_stress[m->stress_count++];
      *s = (CpsGrainStress){0};
      for (int c = 0; c < g->corners; ++c) add(s, &m->part[(int64_t)i * g->corners + c]);
      mean(s);
    }
    return;
  }
  for (int32_t i = 0; i < g->node_count; ++i) {
    m->node_stress[i] = -1;
    if (m->light[i]) continue;
    m->node_stress[i] = m->stress_count;
    m->stress_node[m->stress_count] = i;
    CpsGrainStress* s = &m->at_stress[m->stress_count++];
    *s = (CpsGrainStress){0};
    for (int32_t k = g->slot_start[i]; k < g->slot_start[i + 1]; ++k) add(s, &m->part[g->slot[k]]);
    mean(s);
  }
}

// Adds the gradient of a node to those of a block.
static void see(const CpsGrains* m, int32_t node, CpsVec3 gradient, CpsGrainBlock* block, CpsVec3* sum) {
  if (m->light[node]) return;
  int at = 0;
  while (at < block->node_count && block->node[at] != node) ++at;
  if (at == block->node_count) {
    block->node[block->node_count++] = node;
    sum[at] = cps_vec3(0.0, 0.0, 0.0);
  }
  sum[at] = cps_vec3_add(sum[at], gradient);
}

// sum of V w grad N of each node that stress i sees
static void gather(const CpsGrains* m, int32_t i, CpsGrainBlock* block, CpsVec3* sum) {
  const CpsGrainGrid* g = &m->grid;
  block->node_count = 0;
  if (m->at == CPS_STRESS_AT_CELLS) {
    const int64_t at = (int64_t)i * g->corners;
    for (int c = 0; c < g->corners; ++c) see(m, g->cell_node[at + c], m->gradient[at + c], block, sum);
    return;
  }
  const int32_t node = m->stress_node[i];
  for (int32_t k = g->slot_start[node]; k < g->slot_start[node + 1]; ++k) {
    const int64_t slot = g->slot[k], cell = slot / g->corners;
    for (int c = 0; c < g->corners; ++c) {
      see(m, g->cell_node[cell * g->corners + c], m->cross[slot * g->corners + c], block, sum);
    }
  }
}

void cps_grains_block(const CpsGrains* m, const CpsModelStep* step, int32_t i, CpsGrainBlock* block) {
  const CpsGrainGrid* g = &m->grid;
  const CpsGrainStress* s = &m->at_stress[i];
  const double S = cell_volume(g), scale = sqrt(2.0 / S);
  CpsVec3 gradient[CPS_STRESS_NODES];
  gather(m, i, block, gradient);
  block->rows = cps_tensor_rows(g->dim);
  block->mu = cps_tensor_mu(g->dim, s->mu);
  block->scale = sqrt(2.0 * S);
  double before = 0.0;  // u_N at the beginning
  for (int k = 0; k < block->node_count; ++k) {
    cps_tensor_block(g->dim, cps_vec3_scale(scale, gradient[k]), block->A[k]);
    before += cps_vec3_dot(cps_vec3_get(block->A[k]), m->before[block->node[k]]);
  }
  const double gap = s->gap / sqrt(g->dim * S);
  block->shift = fmax(0.0, gap + step->h * (1.0 - step->theta) * before) / (step->h * step->theta);
  for (int k = 0; k < block->rows; ++k) block->guess[k] = block->scale * step->h * s->guess[k];
}

void cps_grains_take(CpsGrains* m, const CpsModelStep* step, int32_t i, const double* r, uint8_t status) {
  const double scale = 1.0 / (sqrt(2.0 * cell_volume(&m->grid)) * step->h);
  CpsGrainStress* s = &m->at_stress[i];
  s->status = status;
  for (int k = 0; k < CPS_TENSOR_MOST; ++k) s->guess[k] = k < cps_tensor_rows(m->grid.dim) ? scale * r[k] : 0.0;
}
