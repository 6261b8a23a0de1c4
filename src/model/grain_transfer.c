// Particles to nodes and back, by affine transfers (Jiang et al. 2015) with weights N that are products of hat functions.
//
//   m_i = sum m_p N_i(x_p),   m_i v_i = sum m_p N_i(x_p) (v_p + C_p (x_i - x_p))                                    (1)
//   v_p = sum N_i v_i,   C_p = sum v_i grad N_i^T,   x_p += h sum N_i (theta v_i + (1 - theta) v_i-)                (2)
//
// Linear and angular momentum are conserved. The energy of a particle is m/2 (v.v + sum over axes a of D_a C_a.C_a), with C_a the columns
// and D_a = s (1 - s) cell^2, s its local coordinate in the cell. Neither transfer adds energy: (1) is a mean and (2) a projection. Where D
// grows as a particle moves, C is scaled down, so a step never adds energy; the loss is accounted to the scheme.
//
// The fraction around a particle follows the dilation of the stresses that act on it, with their weights w, because the law bounds
// their dilation:
//
//   phi_p /= 1 + d_p,   d_p = sum over i of w_i(x_p) d_i             where d_i = h Tr(B_i v) / V_i > 0, and         (3)
//                       d_p = sum over i of w_i(x_p) g_p d_i V_i / gap_i   where d_i < 0,  g_p = 1 - phi_p / phi_max
//
// Compaction is thus taken from the loose particles, each up to its limit: by (2) of grain_stress.c no particle exceeds phi_max, and
// no volume is lost.
//
// Cells sum over their particles and nodes over their corners in a fixed order: the same bits for any number of threads.
#include "model/grains.h"

#include <string.h>

static const double LIGHT = 1e-6;  // fraction of the mass of a full node; lighter nodes are not pushed
static const double LOOK = 0.05;   // of a cell: spacing of the checks for walls along the path of a particle
enum { LOOKS_MOST = 64 };
static const double FRACTION_LEAST = 1e-3;  // lower bound of the fraction of loose grains

typedef struct Work {
  CpsGrains* grains;
  const CpsModelStep* step;
  double full;  // mass of a node in a dense medium
} Work;

// The sum over axes of D_a C_a.C_a.
static double affine(const CpsMat3* C, CpsVec3 spread) {
  const double D[3] = {spread.x, spread.y, spread.z};
  double sum = 0.0;
  for (int a = 0; a < 3; ++a) {
    sum += D[a] * (C->m[a] * C->m[a] + C->m[3 + a] * C->m[3 + a] + C->m[6 + a] * C->m[6 + a]);
  }
  return sum;
}

// Contribution of a particle to the stress of a corner, by its weight there.
static void bear(const CpsGrains* m, int32_t p, double weight, double* part) {
  const CpsGrainGroup* group = &m->group[m->group_of[p]];
  const double volume = m->volume[p] * weight;
  part[CPS_PART_VOLUME] += volume;
  part[CPS_PART_MU] += volume * group->mu;
  part[CPS_PART_FRACTION] += volume * m->fraction[p];
  part[CPS_PART_VISCOSITY] += volume * cps_grains_viscosity(m, p) / group->fraction_max;
  part[CPS_PART_COHESION] += volume * cps_grains_cohesion(m, p);
  part[CPS_PART_GAP] += volume * fmax(0.0, 1.0 - m->fraction[p] / group->fraction_max);
  for (int k = 0; k < CPS_TENSOR_MOST; ++k) part[CPS_PART_GUESS + k] += volume * m->stress[p][k];
}

// Contribution of a particle to the corners of its cell.
static void add_particle(CpsGrains* m, int32_t cell, int32_t p) {
  const CpsGrainGrid* g = &m->grid;
  const CpsVec3 s = cps_grid_inside(g, m->x[p]);
  CpsVec3 gradient[CPS_GRID_CORNERS];
  double weight[CPS_GRID_CORNERS];
  for (int c = 0; c < g->corners; ++c) weight[c] = cps_grid_weight(g, c, s, &gradient[c]);
  for (int c = 0; c < g->corners; ++c) {
    const int64_t at = (int64_t)cell * g->corners + c;
    const CpsGridPlace corner = cps_grid_corner(g, c);
    CpsVec3 way = cps_vec3_sub(cps_vec3(corner.i[0], corner.i[1], corner.i[2]), s);
    const double mass = m->mass[p] * weight[c];
    way = cps_vec3_axpy(m->v[p], g->cell, cps_mat3_apply(m->C[p], way));
    m->part_mass[at] += mass;
    m->part_momentum[at] = cps_vec3_axpy(m->part_momentum[at], mass, way);
    if (m->gradient) m->gradient[at] = cps_vec3_axpy(m->gradient[at], m->volume[p], gradient[c]);
    bear(m, p, weight[c], m->part[at]);
  }
  if (m->moment)
    cps_grain_moments_add(g->dim, m->volume[p], s, m->moment + (int64_t)cell * cps_grain_moment_count(g->dim));
}

static void sum_cells(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  CpsGrains* m = ((Work*)data)->grains;
  const CpsGrainGrid* g = &m->grid;
  for (int32_t cell = (int32_t)first; cell < last; ++cell) {
    const int64_t at = (int64_t)cell * g->corners;
    for (int c = 0; c < g->corners; ++c) {
      m->part_mass[at + c] = 0.0;
      m->part_momentum[at + c] = cps_vec3(0.0, 0.0, 0.0);
      if (m->gradient) m->gradient[at + c] = cps_vec3(0.0, 0.0, 0.0);
      memset(m->part[at + c], 0, sizeof m->part[at + c]);
    }
    const int moments = cps_grain_moment_count(g->dim);
    if (m->moment) memset(m->moment + (int64_t)cell * moments, 0, (size_t)moments * sizeof *m->moment);
    m->volume_in[cell] = 0.0;
    for (int32_t k = g->cell_start[cell]; k < g->cell_start[cell + 1]; ++k) {
      m->volume_in[cell] += m->volume[g->order[k]];
      add_particle(m, cell, g->order[k]);
    }
    cps_grains_fill_cell(m, cell);
  }
}

static void sum_nodes(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Work* work = data;
  CpsGrains* m = work->grains;
  const CpsGrainGrid* g = &m->grid;
  const CpsVec3 fall = cps_vec3_scale(work->step->h, work->step->gravity);
  for (int64_t i = first; i < last; ++i) {
    double mass = 0.0;
    CpsVec3 momentum = {0.0, 0.0, 0.0};
    for (int32_t k = g->slot_start[i]; k < g->slot_start[i + 1]; ++k) {
      mass += m->part_mass[g->slot[k]];
      momentum = cps_vec3_add(momentum, m->part_momentum[g->slot[k]]);
    }
    const bool empty = !(mass > 0.0);
    m->node_mass[i] = mass;
    m->light[i] = empty || mass < LIGHT * work->full;
    m->before[i] = empty ? momentum : cps_vec3_scale(1.0 / mass, momentum);
    m->free[i] = m->after[i] = empty ? momentum : cps_vec3_add(m->before[i], fall);
    if (g->dim == 2) m->before[i].y = m->free[i].y = m->after[i].y = 0.0;
    m->M_start[i + 1] = i + 1;
    m->M_column[i] = (int32_t)i;
    for (int k = 0; k < 9; ++k) m->M_value[9 * i + k] = k % 4 != 0 ? 0.0 : m->light[i] ? LIGHT * work->full : mass;
  }
}

CpsVec3 cps_grains_spread(const CpsGrainGrid* g, CpsVec3 x) {
  const double square = g->cell * g->cell;
  const CpsVec3 s = cps_grid_inside(g, x);
  return cps_vec3(square * s.x * (1.0 - s.x), square * s.y * (1.0 - s.y), square * s.z * (1.0 - s.z));
}

double cps_grains_kinetic(const CpsGrains* m) {
  double sum = 0.0;
  for (int32_t p = 0; p < m->count; ++p) {
    const double part = affine(&m->C[p], cps_grains_spread(&m->grid, m->x[p]));
    sum += 0.5 * m->mass[p] * (cps_vec3_dot(m->v[p], m->v[p]) + part);
  }
  return sum;
}

static double node_energy(const CpsGrains* m, const CpsVec3* v) {
  double sum = 0.0;
  for (int32_t i = 0; i < m->grid.node_count; ++i) sum += 0.5 * m->node_mass[i] * cps_vec3_dot(v[i], v[i]);
  return sum;
}

static double largest_density(const CpsGrains* m) {
  double most = 0.0;
  for (int32_t k = 0; k < m->group_count; ++k) {
    const int32_t p = m->group[k].first;
    if (p < m->count) most = fmax(most, m->group[k].fraction_max * m->mass[p] / m->volume[p]);
  }
  return most;
}

bool cps_grains_to_nodes(CpsGrains* m, const CpsModelStep* step) {
  const CpsGrainGrid* g = &m->grid;
  const double size = g->dim == 2 ? g->cell * g->cell : g->cell * g->cell * g->cell;
  Work work = {m, step, size * largest_density(m)};
  m->M_start[0] = 0;
  cps_pool_run(step->pool, g->cell_count, sum_cells, &work);
  cps_grains_join(m, step, work.full);
  cps_pool_run(step->pool, g->node_count, sum_nodes, &work);
  m->transfer = cps_grains_kinetic(m) - node_energy(m, m->before);
  return cps_grains_list_stresses(m, work.full, step->pool);
}

// h Tr(B v) / V of a range of stresses
static void dilate(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Work* work = data;
  CpsGrains* m = work->grains;
  const CpsGrainGrid* g = &m->grid;
  const double theta = work->step->theta;
  const double by = sqrt(g->dim * (g->dim == 2 ? g->cell * g->cell : g->cell * g->cell * g->cell));
  for (int32_t i = (int32_t)first; i < last; ++i) {
    CpsGrainStress* s = &m->at_stress[i];
    double after[CPS_TENSOR_MOST], before[CPS_TENSOR_MOST];
    cps_grains_block_velocity(m, i, m->after, after);
    cps_grains_block_velocity(m, i, m->before, before);
    // Tr = sqrt(2 d) of the first component of chi^-1, which is u unit / sqrt(2/S)
    const double change = work->step->h * (theta * after[0] + (1.0 - theta) * before[0]) * by * s->unit;
    s->dilation = fmax(0.0, change) / s->volume;
    s->closing = s->gap > 0.0 ? fmin(1.0, fmax(0.0, -change) / s->gap) : 0.0;
  }
}

// The stress of a block as felt by one of its particles.
static void take_over(const CpsGrainStress* s, double weight, double* most, CpsGrainStress* borne) {
  borne->dilation += weight * s->dilation;
  borne->closing += weight * s->closing;
  for (int k = 0; k < CPS_TENSOR_MOST; ++k) borne->guess[k] += weight * s->guess[k];
  if (!(weight > *most)) return;
  *most = weight;
  borne->status = s->status;
}

// Where a particle moves to a place with a larger D, its affine part would gain energy from nothing: C is scaled down until its energy is
// unchanged.
static double keep_affine(const CpsGrainGrid* g, const CpsMat3* C, CpsVec3 from, CpsVec3 to) {
  const double had = affine(C, cps_grains_spread(g, from)), has = affine(C, cps_grains_spread(g, to));
  return has > had ? sqrt(had / has) : 1.0;
}

// End of the path of a particle: nodes keep it out of walls only to the tolerance of the solver, and between nodes not at all.
static CpsVec3 go(const CpsGrains* m, const CpsModelStep* step, CpsVec3 from, CpsVec3 to) {
  if (!step->is_stopped || step->is_stopped(step->obstacles, from, 0.0)) return to;
  const CpsVec3 way = cps_vec3_sub(to, from);
  const int parts = 1 + (int)(cps_vec3_norm(way) / (LOOK * m->grid.cell));
  for (int k = 1; k <= parts && k <= LOOKS_MOST; ++k) {
    const CpsVec3 at = cps_vec3_axpy(from, k / (double)parts, way);
    if (step->is_stopped(step->obstacles, at, 0.0)) return cps_vec3_axpy(from, (k - 1) / (double)parts, way);
  }
  return to;
}

void cps_grains_displace(CpsGrains* m, const CpsModelStep* step, int32_t p, CpsVec3 to) {
  const CpsVec3 from = m->x[p];
  m->x[p] = go(m, step, from, to);
  m->C[p] = cps_mat3_scale(keep_affine(&m->grid, &m->C[p], from, m->x[p]), m->C[p]);
}

// (2) without the displacement
static void read_velocity(CpsGrains* m, const int32_t* node, int32_t p) {
  const CpsGrainGrid* g = &m->grid;
  const CpsVec3 s = cps_grid_inside(g, m->x[p]);
  CpsVec3 gradient;
  m->v[p] = cps_vec3(0.0, 0.0, 0.0);
  m->C[p] = (CpsMat3){{0}};
  for (int c = 0; c < g->corners; ++c) {
    const double weight = cps_grid_weight(g, c, s, &gradient);
    m->v[p] = cps_vec3_axpy(m->v[p], weight, m->after[node[c]]);
    m->C[p] = cps_mat3_axpy(m->C[p], 1.0, cps_mat3_outer(m->after[node[c]], gradient));
  }
}

// (2) and (3) of the particles of a range of cells
static void move_cells(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Work* work = data;
  CpsGrains* m = work->grains;
  const CpsGrainGrid* g = &m->grid;
  const double h = work->step->h, theta = work->step->theta;
  for (int32_t cell = (int32_t)first; cell < last; ++cell) {
    const int32_t* node = g->cell_node + (int64_t)cell * g->corners;
    CpsVec3 mean[CPS_GRID_CORNERS];
    m->part_mass[(int64_t)cell * g->corners] = 0.0;  // from here on: work of gravity on particles held back by walls
    for (int c = 0; c < g->corners; ++c) {
      mean[c] = cps_vec3_axpy(cps_vec3_scale(theta, m->after[node[c]]), 1.0 - theta, m->before[node[c]]);
    }
    for (int32_t k = g->cell_start[cell]; k < g->cell_start[cell + 1]; ++k) read_velocity(m, node, g->order[k]);
    cps_grains_calm(m, cell);
    for (int32_t k = g->cell_start[cell]; k < g->cell_start[cell + 1]; ++k) {
      const int32_t p = g->order[k];
      const CpsVec3 s = cps_grid_inside(g, m->x[p]);
      CpsVec3 way = {0.0, 0.0, 0.0}, gradient;
      CpsGrainStress borne = {0};
      double most = -1.0;
      for (int c = 0; c < g->corners; ++c) {
        const double weight = cps_grid_weight(g, c, s, &gradient);
        const int32_t i = m->at == CPS_STRESS_AT_CELLS ? cell : m->node_stress[node[c]];
        if (i >= 0) take_over(&m->at_stress[i], weight, &most, &borne);
        way = cps_vec3_axpy(way, weight, mean[c]);
      }
      const CpsVec3 from = m->x[p];
      m->x[p] = go(m, work->step, from, cps_vec3_axpy(from, h, way));
      const CpsVec3 back = cps_vec3_sub(m->x[p], cps_vec3_axpy(from, h, way));
      m->part_mass[(int64_t)cell * g->corners] += m->mass[p] * cps_vec3_dot(work->step->gravity, back);
      m->C[p] = cps_mat3_scale(keep_affine(g, &m->C[p], from, m->x[p]), m->C[p]);
      memcpy(m->stress[p], borne.guess, sizeof borne.guess);
      m->status[p] = borne.status;
      const double most_of = m->group[m->group_of[p]].fraction_max;
      const double change = borne.dilation - borne.closing * fmax(0.0, 1.0 - m->fraction[p] / most_of);
      m->fraction[p] = fmin(fmax(m->fraction[p] / (1.0 + change), FRACTION_LEAST), most_of);
    }
  }
}

// Work of gravity along the displacement of the nodes, g.sum of m (theta v + (1 - theta) v-) h.
static double gravity_work(const CpsGrains* m, const CpsModelStep* step) {
  CpsVec3 sum = {0.0, 0.0, 0.0};
  for (int32_t i = 0; i < m->grid.node_count; ++i) {
    sum = cps_vec3_axpy(sum, m->node_mass[i] * step->theta, m->after[i]);
    sum = cps_vec3_axpy(sum, m->node_mass[i] * (1.0 - step->theta), m->before[i]);
  }
  return step->h * cps_vec3_dot(step->gravity, sum);
}

// Largest component of the velocities that move particles, m/s.
static double fastest(const CpsGrains* m, double theta) {
  double most = 0.0;
  for (int32_t i = 0; i < m->grid.node_count; ++i) {
    const CpsVec3 v = cps_vec3_axpy(cps_vec3_scale(theta, m->after[i]), 1.0 - theta, m->before[i]);
    most = fmax(most, fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))));
  }
  return most;
}

// An upper bound of the energy transferred from the nodes to bodies: with I the impulse of contacts on a node, -I.v of its velocity v
// after the step. (A pushed body gets -I.v_b - I^2/(2 m_b), and friction takes the rest.)
static double given_away(const CpsGrains* m, const CpsModelStep* step) {
  const CpsGrainGrid* g = &m->grid;
  const double scale = step->h * sqrt(2.0 * (g->dim == 2 ? g->cell * g->cell : g->cell * g->cell * g->cell));
  double sum = 0.0;
  for (int32_t i = 0; i < g->node_count; ++i) {
    sum -= m->node_mass[i] * cps_vec3_dot(cps_vec3_sub(m->after[i], m->free[i]), m->after[i]);
  }
  for (int32_t i = 0; i < m->stress_count; ++i) {
    double u[CPS_TENSOR_MOST];
    cps_grains_block_velocity(m, i, m->after, u);
    for (int k = 0; k < cps_tensor_rows(g->dim); ++k) {
      sum += scale * m->at_stress[i].unit * m->at_stress[i].guess[k] * u[k];
    }
  }
  return sum;
}

void cps_grains_to_particles(CpsGrains* m, const CpsModelStep* step) {
  Work work = {m, step, 0.0};
  const double before = node_energy(m, m->before), free = node_energy(m, m->free), after = node_energy(m, m->after);
  double fallen = gravity_work(m, step);  // energy from gravity
  m->way = step->h * fastest(m, step->theta);
  cps_pool_run(step->pool, m->stress_count, dilate, &work);
  cps_pool_run(step->pool, m->grid.cell_count, move_cells, &work);
  for (int32_t i = 0; i < m->grid.cell_count; ++i) fallen += m->part_mass[(int64_t)i * m->grid.corners];
  if (cps_grains_may_crowd(m)) {
    const double lost = m->transfer + before + fallen - cps_grains_kinetic(m) - given_away(m, step);
    fallen -= cps_grains_uncrowd(m, step, lost);
  }
  m->work = (CpsModelEnergy){.turnover = fabs(free - before)};
  m->work.scheme = fallen - (free - before) + m->transfer + after - cps_grains_kinetic(m);
}
