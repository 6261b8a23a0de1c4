// The stresses of the medium as blocks of the contact problem.
//
// Stress i has a weight w: 1 in a cell and 0 elsewhere, or the hat function of a node. With S its integral, B v = sum over particles
// of V w D(v), V the volume of grains, D the symmetric gradient, h the step,
//
//   u = sqrt(2/S) chi^-1(B v),   r = sqrt(2 S) h chi^-1(lambda),   so that r.u = h lambda:B v                      (1)
//
// lambda is minus the stress of the grains. Grains at the fraction phi may compact up to the maximal fraction, and no further. A
// volume of grains V takes V/phi of space, which changes by h div v of it, so in the mean
//
//   h Tr(B v) >= - sum V w (1 - phi/phi_max) = -gap                                                                (2)
//
// A viscosity eta is a dashpot of the block and a cohesion C (a pressure phi Tr lambda / d >= -C) moves the tip of its cone. With the
// stress 2 eta D in the space V/phi_max,
//
//   d = 2 h eta S / (phi_max V),   c = h sqrt(d S) C / phi                                                           (3)
//
// By (1) and the treatment of contact gaps (world/contacts.c), (2) is a shift of the first row. S is the volume of a cell in either case.
//
// Units of a block. The law is unchanged if u is divided and r multiplied by some s > 0, but the residual of the problem
// changes: it is relative to the largest r and xi b, xi = rows / tr W. A stress with a fraction 1e-4 of a particle among
// heavy nodes needs 1e4 times the impulse to stop them, and beside it the impulses of all other blocks vanish in the
// tolerance. With s = sqrt(tr W / tr W of a full node), every xi is that of a full node, and all blocks are solved equally
// well:
//
//   u / s,  s r,  shift / s,  s^2 d,  s c,   s^2 = sum over nodes of |g|^2 / m  /  the same of a full node            (4)
#include "model/grains.h"

#include <stdlib.h>

static double cell_volume(const CpsGrainGrid* g) {
  return g->dim == 2 ? g->cell * g->cell : g->cell * g->cell * g->cell;
}

static void add(CpsGrainStress* to, const double* part) {
  to->volume += part[CPS_PART_VOLUME];
  to->mu += part[CPS_PART_MU];
  to->gap += part[CPS_PART_GAP];
  to->fraction += part[CPS_PART_FRACTION];
  to->viscosity += part[CPS_PART_VISCOSITY];
  to->cohesion += part[CPS_PART_COHESION];
  for (int k = 0; k < CPS_TENSOR_MOST; ++k) to->guess[k] += part[CPS_PART_GUESS + k];
}

static void mean(CpsGrainStress* s) {
  const double by = s->volume > 0.0 ? 1.0 / s->volume : 0.0;
  s->mu *= by;
  s->fraction *= by;
  s->viscosity *= by;
  s->cohesion *= by;
  for (int k = 0; k < CPS_TENSOR_MOST; ++k) s->guess[k] *= by;
}

// Sums the particles of each stress; nodes that are too light carry none.
static void list(CpsGrains* m) {
  const CpsGrainGrid* g = &m->grid;
  m->stress_count = 0;
  if (m->at == CPS_STRESS_AT_CELLS) {
    for (int32_t i = 0; i < g->cell_count; ++i) {
      CpsGrainStress* s = &m->at_stress[m->stress_count++];
      *s = (CpsGrainStress){0};
      for (int c = 0; c < g->corners; ++c) add(s, m->part[(int64_t)i * g->corners + c]);
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
    for (int32_t k = g->slot_start[i]; k < g->slot_start[i + 1]; ++k) add(s, m->part[g->slot[k]]);
    mean(s);
  }
}

// The neighbouring nodes of a node, with those that have joined it.
enum { SEEN_MOST = 256 };
static const double NOTHING = 1e-12;  // of the gradient of a hat function
static const double BLUR =
    1e-14;  // rounding of gradients that come from the moments of a cell, of its volume / its size

typedef struct Seen {
  int32_t count;
  int32_t node[SEEN_MOST];
  CpsVec3 sum[SEEN_MOST];  // of V w grad N
} Seen;

// A node too light to be pushed moves with node `heavy`, so a rigid motion causes no strain.
static void see(const CpsGrains* m, int32_t node, int32_t heavy, CpsVec3 gradient, Seen* seen) {
  if (m->light[node]) node = heavy;
  int32_t at = 0;
  while (at < seen->count && seen->node[at] != node) ++at;
  if (at == SEEN_MOST) return;
  if (at == seen->count) {
    seen->node[seen->count++] = node;
    seen->sum[at] = cps_vec3(0.0, 0.0, 0.0);
  }
  seen->sum[at] = cps_vec3_add(seen->sum[at], gradient);
}

// Gradients of joined corners cancel: the remainder is rounding. A block without any other gradient gets zeros for its first node.
// around: the volume of the cells that contribute gradients.
static void forget_zeros(const CpsGrains* m, int32_t i, double around, Seen* seen) {
  const double least = (NOTHING * m->at_stress[i].volume + BLUR * around) / m->grid.cell;
  int32_t count = 0;
  for (int32_t k = 0; k < seen->count; ++k) {
    if (!(cps_vec3_norm(seen->sum[k]) > least)) continue;
    seen->node[count] = seen->node[k];
    seen->sum[count++] = seen->sum[k];
  }
  if (count == 0 && seen->count > 0) seen->sum[count++] = cps_vec3(0.0, 0.0, 0.0);
  seen->count = count;
}

static void gather(const CpsGrains* m, int32_t i, Seen* seen) {
  const CpsGrainGrid* g = &m->grid;
  seen->count = 0;
  if (m->at == CPS_STRESS_AT_CELLS) {
    const int64_t at = (int64_t)i * g->corners;
    int64_t heavy = at;
    for (int c = 1; c < g->corners; ++c) heavy = m->part_mass[at + c] > m->part_mass[heavy] ? at + c : heavy;
    for (int c = 0; c < g->corners; ++c) see(m, g->cell_node[at + c], g->cell_node[heavy], m->gradient[at + c], seen);
    forget_zeros(m, i, 0.0, seen);
    return;
  }
  const int32_t node = m->stress_node[i];
  double around = 0.0;
  for (int32_t k = g->slot_start[node]; k < g->slot_start[node + 1]; ++k) {
    const int64_t slot = g->slot[k], cell = slot / g->corners;
    CpsVec3 gradient[CPS_GRID_CORNERS];
    cps_grain_moments_gradients(g, m->moment + cell * cps_grain_moment_count(g->dim), (int)(slot % g->corners),
                                gradient);
    for (int c = 0; c < g->corners; ++c) see(m, g->cell_node[cell * g->corners + c], node, gradient[c], seen);
    around += m->volume_in[cell];
  }
  forget_zeros(m, i, around, seen);
}

static void count_seen(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  CpsGrains* m = data;
  Seen seen;
  for (int32_t i = (int32_t)first; i < last; ++i) {
    gather(m, i, &seen);
    m->seen_start[i + 1] = seen.count;
  }
}

// The sum of |g|^2 / m around a node in a medium that fills all cells, at fraction 1: in the plane the hat functions give
// sum |g|^2 = 1, in space 3/4 of a cell.
static double full_inverse(const CpsGrainGrid* g, double full) {
  return (g->dim == 2 ? 1.0 : 0.75 * g->cell) / full;
}

typedef struct Filling {
  CpsGrains* grains;
  double full;  // tr W of a full node
} Filling;

static void fill_seen(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Filling* filling = data;
  CpsGrains* m = filling->grains;
  const double scale = sqrt(2.0 / cell_volume(&m->grid));
  Seen seen;
  for (int32_t i = (int32_t)first; i < last; ++i) {
    gather(m, i, &seen);
    const int64_t at = m->seen_start[i];
    double W = 0.0;
    for (int32_t k = 0; k < seen.count; ++k) {
      const CpsVec3 g = cps_vec3_scale(scale, seen.sum[k]);
      W += cps_vec3_dot(g, g) / m->M_value[9 * (int64_t)seen.node[k]];
    }
    const double s = W > 0.0 ? sqrt(W / filling->full) : 1.0;
    m->at_stress[i].unit = s;
    for (int32_t k = 0; k < seen.count; ++k) {
      m->seen[at + k] = seen.node[k];
      m->seen_gradient[at + k] = cps_vec3_scale(scale / s, seen.sum[k]);
    }
  }
}

bool cps_grains_list_stresses(CpsGrains* m, double full, CpsPool* pool) {
  Filling filling = {m, full_inverse(&m->grid, full)};
  list(m);
  m->seen_start[0] = 0;
  cps_pool_run(pool, m->stress_count, count_seen, m);
  for (int32_t i = 0; i < m->stress_count; ++i) m->seen_start[i + 1] += m->seen_start[i];
  const int64_t count = m->seen_start[m->stress_count];
  if (count > m->seen_capacity) {
    const int64_t room = count + count / 8 + 64;
    int32_t* node = realloc(m->seen, (size_t)room * sizeof *node);
    if (node) m->seen = node;
    CpsVec3* gradient = realloc(m->seen_gradient, (size_t)room * sizeof *gradient);
    if (gradient) m->seen_gradient = gradient;
    if (!node || !gradient) return false;
    m->seen_capacity = room;
  }
  cps_pool_run(pool, m->stress_count, fill_seen, &filling);
  return true;
}

void cps_grains_block_velocity(const CpsGrains* m, int32_t i, const CpsVec3* v, double* u) {
  CpsMat3 L = {{0}};
  for (int64_t k = m->seen_start[i]; k < m->seen_start[i + 1]; ++k) {
    L = cps_mat3_axpy(L, 1.0, cps_mat3_outer(v[m->seen[k]], m->seen_gradient[k]));
  }
  cps_tensor_to(m->grid.dim, L, u);
}

void cps_grains_block(const CpsGrains* m, const CpsModelStep* step, int32_t i, CpsGrainBlock* block) {
  const CpsGrainGrid* g = &m->grid;
  const CpsGrainStress* s = &m->at_stress[i];
  const double S = cell_volume(g);
  block->rows = cps_tensor_rows(g->dim);
  block->mu = cps_tensor_mu(g->dim, s->mu);
  block->scale = s->unit * sqrt(2.0 * S);
  block->node_count = (int32_t)(m->seen_start[i + 1] - m->seen_start[i]);
  block->node = m->seen + m->seen_start[i];
  block->gradient = m->seen_gradient + m->seen_start[i];
  double before[CPS_TENSOR_MOST];
  cps_grains_block_velocity(m, i, m->before, before);
  const double gap = s->gap / (s->unit * sqrt(g->dim * S));
  block->shift = fmax(0.0, gap + step->h * (1.0 - step->theta) * before[0]) / (step->h * step->theta);
  block->dashpot = s->volume > 0.0 ? s->unit * s->unit * 2.0 * step->h * s->viscosity * S / s->volume : 0.0;
  block->cohesion = s->fraction > 0.0 ? s->unit * step->h * sqrt(g->dim * S) * s->cohesion / s->fraction : 0.0;
  for (int k = 0; k < block->rows; ++k) block->guess[k] = block->scale * step->h * s->guess[k];
}

void cps_grains_take(CpsGrains* m, const CpsModelStep* step, int32_t i, const double* r, uint8_t status) {
  CpsGrainStress* s = &m->at_stress[i];
  const double scale = 1.0 / (s->unit * sqrt(2.0 * cell_volume(&m->grid)) * step->h);
  s->status = status;
  for (int k = 0; k < CPS_TENSOR_MOST; ++k) s->guess[k] = k < cps_tensor_rows(m->grid.dim) ? scale * r[k] : 0.0;
}
