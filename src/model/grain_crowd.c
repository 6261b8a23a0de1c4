// Grains without friction, and all of them if the grid says so, keep their volume: particles that crowd are moved apart.
//
// Divergences vanish in the mean over the neighbourhood of each node, not everywhere, so particles that follow the velocities of the nodes
// gather slowly: a fluid sinks by a part in 10^4 a step, and sand in a silo loses a sixth of its volume while half of it runs out. After
// each step nodes are therefore displaced by d, and particles with them, d the smallest displacement in the norm of the masses for which
// no node holds more than fits around it:
//
//   min 1/2 sum m_j d_j^2   so that   c_i = R_i + sum_j G_ij.d_j - S_i <= 0,                                         (1)
//   R_i = sum_p V_p/phi_max N_i,   G_ij = sum_p V_p/phi_max N_j grad N_i,   S_i the integral of N_i where no wall is
//
//   d_j = -sum_i G_ij psi_i / m_j,   0 <= psi_i  _|_  c_i <= 0                                                      (2)
//
// solved by sweeps with over-relaxation; a rest is left to the next step. Displacements do not go into walls. They change no
// velocity. Lifting the medium takes energy: d is scaled down until it takes no more than the transfers of this step have lost, so that
// a step never adds any. Each node goes no farther than FAR: at the corners of a body, which cells leave little room, d grows without bound,
// and scaling all of d for such a node would stop everything. For the same reason particles that a body has moved over count nowhere.
#include "model/grains.h"

#include <stdlib.h>
#include <string.h>

static const double OMEGA = 1.6;    // over-relaxation
static const double ENOUGH = 1e-4;  // of a cell: what may be too much around a node
static const double FAR = 0.1;      // of a cell: the farthest that nodes are displaced in a step
static const double SPEND = 0.999;  // of what was lost: the solver has a tolerance
enum { SWEEPS = 60, SAMPLES = 6, SAMPLES_SPACE = 3, AROUND = 27 };  // samples of a cell along an axis; of sand in space

// A node of (1) and its neighbours.
struct CpsCrowdNode {
  double over;          // R_i - S_i
  double mass, psi, W;  // W = sum_j |G_ij|^2 / m_j
  CpsVec3 d, free;      // free: 1 along axes along which no wall is, 0 along the others
  int32_t count;
  int32_t node[AROUND];
  CpsVec3 G[AROUND];
};
typedef struct CpsCrowdNode CrowdNode;

void cps_grains_crowd_free(CpsGrains* m) {
  cps_grain_grid_free(&m->crowd_grid);
  free(m->crowd);
}

static double size_of(const CpsGrainGrid* g) {
  return g->dim == 2 ? g->cell * g->cell : g->cell * g->cell * g->cell;
}

static bool stops(const CpsModelStep* step, CpsVec3 at, double near) {
  return (step->is_stopped && step->is_stopped(step->obstacles, at, near)) ||
         (step->is_covered && step->is_covered(step->covers, at, near));
}

// S_i: around the node, without what is in a wall.
static double room_at(const CpsGrainGrid* g, const CpsModelStep* step, int samples, CpsVec3 at) {
  if (!stops(step, at, 1.5 * g->cell)) return size_of(g);
  const int ny = g->dim == 2 ? 1 : 2 * samples;
  const double part = 1.0 / samples;
  double sum = 0.0;
  for (int i = 0; i < 2 * samples; ++i) {
    for (int j = 0; j < ny; ++j) {
      for (int k = 0; k < 2 * samples; ++k) {
        const CpsVec3 s = {(i + 0.5) * part - 1.0, g->dim == 2 ? 0.0 : (j + 0.5) * part - 1.0, (k + 0.5) * part - 1.0};
        if (stops(step, cps_vec3_axpy(at, g->cell, s), 0.0)) continue;
        sum += (1.0 - fabs(s.x)) * (1.0 - fabs(s.y)) * (1.0 - fabs(s.z));
      }
    }
  }
  return sum * size_of(g) * pow(part, g->dim);
}

static CpsVec3 free_axes(const CpsGrainGrid* g, const CpsModelStep* step, CpsVec3 at) {
  CpsVec3 free = {1.0, g->dim == 2 ? 0.0 : 1.0, 1.0};
  if (!stops(step, at, 1.5 * g->cell)) return free;
  double* axis[3] = {&free.x, &free.y, &free.z};
  for (int a = 0; a < 3; ++a) {
    for (int side = -1; side <= 1; side += 2) {
      const double by = 0.75 * side * g->cell;
      const CpsVec3 there = cps_vec3_add(at, cps_vec3(a == 0 ? by : 0.0, a == 1 ? by : 0.0, a == 2 ? by : 0.0));
      if (stops(step, there, 0.0)) *axis[a] = 0.0;
    }
  }
  return free;
}

static void couple(CrowdNode* i, int32_t j, CpsVec3 G) {
  int32_t k = 0;
  while (k < i->count && i->node[k] != j) ++k;
  if (k == AROUND) return;
  if (k == i->count) {
    i->node[i->count++] = j;
    i->G[k] = cps_vec3(0.0, 0.0, 0.0);
  }
  i->G[k] = cps_vec3_add(i->G[k], G);
}

// Whether a wall may reach into a cell.
static bool is_near(const CpsGrainGrid* g, const CpsModelStep* step, int32_t cell) {
  const int32_t* node = g->cell_node + (int64_t)cell * g->corners;
  const CpsVec3 low = cps_grid_position(g, g->node_at[node[0]]),
                high = cps_grid_position(g, g->node_at[node[g->corners - 1]]);
  return stops(step, cps_vec3_scale(0.5, cps_vec3_add(low, high)), 0.9 * g->cell);
}

// R, G and masses of all nodes.
static void lay_out(CpsGrains* m, const CpsModelStep* step) {
  const CpsGrainGrid* g = &m->crowd_grid;
  for (int32_t i = 0; i < g->node_count; ++i) m->crowd[i] = (CrowdNode){0};
  for (int32_t cell = 0; cell < g->cell_count; ++cell) {
    const int32_t* node = g->cell_node + (int64_t)cell * g->corners;
    const bool near = is_near(g, step, cell);
    for (int32_t k = g->cell_start[cell]; k < g->cell_start[cell + 1]; ++k) {
      const int32_t p = g->order[k];
      if (near && stops(step, m->x[p], 0.0)) continue;
      const double volume = m->volume[p] / m->group[m->group_of[p]].fraction_max;
      const CpsVec3 s = cps_grid_inside(g, m->x[p]);
      CpsVec3 gradient[CPS_GRID_CORNERS];
      double weight[CPS_GRID_CORNERS];
      for (int c = 0; c < g->corners; ++c) weight[c] = cps_grid_weight(g, c, s, &gradient[c]);
      for (int c = 0; c < g->corners; ++c) {
        CrowdNode* i = &m->crowd[node[c]];
        i->over += volume * weight[c];
        i->mass += m->mass[p] * weight[c];
        for (int d = 0; d < g->corners; ++d) couple(i, node[d], cps_vec3_scale(volume * weight[d], gradient[c]));
      }
    }
  }
  for (int32_t i = 0; i < g->node_count; ++i) {
    const CpsVec3 at = cps_grid_position(g, g->node_at[i]);
    m->crowd[i].over -= room_at(g, step, m->keep_volume && g->dim == 3 ? SAMPLES_SPACE : SAMPLES, at);
    m->crowd[i].free = free_axes(g, step, at);
  }
}

static CpsVec3 at_most(CpsVec3 way, double far) {
  const double length = cps_vec3_norm(way);
  return length > far ? cps_vec3_scale(far / length, way) : way;
}

static CpsVec3 along_free(const CrowdNode* j, CpsVec3 G) {
  return cps_vec3(G.x * j->free.x, G.y * j->free.y, G.z * j->free.z);
}

static void find_W(CpsGrains* m) {
  for (int32_t i = 0; i < m->crowd_grid.node_count; ++i) {
    CrowdNode* n = &m->crowd[i];
    for (int32_t k = 0; k < n->count; ++k) {
      const CrowdNode* j = &m->crowd[n->node[k]];
      const CpsVec3 G = along_free(j, n->G[k]);
      if (j->mass > 0.0) n->W += cps_vec3_dot(G, G) / j->mass;
    }
  }
}

// One sweep over (2); the largest c_i that psi_i is to mend.
static double sweep(CpsGrains* m) {
  double worst = 0.0;
  for (int32_t i = 0; i < m->crowd_grid.node_count; ++i) {
    CrowdNode* n = &m->crowd[i];
    if (!(n->W > 0.0)) continue;
    double c = n->over;
    for (int32_t k = 0; k < n->count; ++k) c += cps_vec3_dot(n->G[k], m->crowd[n->node[k]].d);
    worst = fmax(worst, n->psi > 0.0 ? fabs(c) : c);
    const double psi = fmax(0.0, n->psi + OMEGA * c / n->W), change = psi - n->psi;
    if (change == 0.0) continue;
    n->psi = psi;
    for (int32_t k = 0; k < n->count; ++k) {
      CrowdNode* j = &m->crowd[n->node[k]];
      if (j->mass > 0.0) j->d = cps_vec3_axpy(j->d, -change / j->mass, along_free(j, n->G[k]));
    }
  }
  return worst;
}

bool cps_grains_may_crowd(const CpsGrains* m) {
  if (m->keep_volume) return true;
  for (int32_t k = 0; k < m->group_count; ++k) {
    if (m->group[k].mu == 0.0) return true;
  }
  return false;
}

static CpsVec3 way_of(const CpsGrains* m, const int32_t* node, int32_t p) {
  const CpsGrainGrid* g = &m->crowd_grid;
  const CpsVec3 s = cps_grid_inside(g, m->x[p]);
  CpsVec3 way = {0.0, 0.0, 0.0}, gradient;
  if (!m->keep_volume && m->group[m->group_of[p]].mu > 0.0) return way;
  for (int c = 0; c < g->corners; ++c) {
    way = cps_vec3_axpy(way, cps_grid_weight(g, c, s, &gradient), m->crowd[node[c]].d);
  }
  return way;
}

// Energy against gravity of moving all particles by d.
static double lift(const CpsGrains* m, CpsVec3 gravity) {
  const CpsGrainGrid* g = &m->crowd_grid;
  double sum = 0.0;
  for (int32_t cell = 0; cell < g->cell_count; ++cell) {
    for (int32_t k = g->cell_start[cell]; k < g->cell_start[cell + 1]; ++k) {
      const CpsVec3 way = way_of(m, g->cell_node + (int64_t)cell * g->corners, g->order[k]);
      sum -= m->mass[g->order[k]] * cps_vec3_dot(gravity, way);
    }
  }
  return sum;
}

double cps_grains_uncrowd(CpsGrains* m, const CpsModelStep* step, double budget) {
  CpsGrainGrid* g = &m->crowd_grid;
  if (!(budget > 0.0)) return 0.0;
  g->dim = m->grid.dim, g->corners = m->grid.corners, g->cell = m->grid.cell, g->period = m->grid.period;
  const int32_t lost = cps_grain_grid_build(g, m->count, m->x, m->fraction);
  if (lost >= 0) return 0.0;  // reported by the next step
  m->starved = lost == -2;
  if (!m->starved && g->node_capacity > m->crowd_capacity) {
    CrowdNode* grown = realloc(m->crowd, (size_t)g->node_capacity * sizeof *grown);
    m->starved = !grown;
    if (grown) m->crowd = grown, m->crowd_capacity = g->node_capacity;
  }
  if (m->starved) return 0.0;
  lay_out(m, step);
  find_W(m);
  for (int k = 0; k < SWEEPS && sweep(m) > ENOUGH * size_of(g); ++k) {
  }
  for (int32_t i = 0; i < g->node_count; ++i) m->crowd[i].d = at_most(m->crowd[i].d, FAR * g->cell);
  const double takes = lift(m, step->gravity), by = takes > SPEND * budget ? SPEND * budget / takes : 1.0;
  double spent = 0.0;
  for (int32_t cell = 0; cell < g->cell_count; ++cell) {
    for (int32_t k = g->cell_start[cell]; k < g->cell_start[cell + 1]; ++k) {
      const int32_t p = g->order[k];
      const CpsVec3 way = way_of(m, g->cell_node + (int64_t)cell * g->corners, p), from = m->x[p];
      cps_grains_displace(m, step, p, cps_vec3_axpy(from, by, way));
      spent -= m->mass[p] * cps_vec3_dot(step->gravity, cps_vec3_sub(m->x[p], from));
    }
  }
  return spent;
}
