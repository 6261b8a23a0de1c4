// Grains keep their volume: crowded particles are moved apart.
//
// Divergences vanish only in the mean over the neighbourhood of each node. Particles that follow the nodal velocities therefore
// gather slowly: a fluid sinks by one part in 10^4 per step, and sand in a silo loses a sixth of its volume while half of it runs out.
// After each step the nodes, and with them the particles, are displaced by d, the smallest displacement in the norm of the masses for
// which no node holds more than fits around it:
//
//   min 1/2 sum m_j d_j^2   so that   c_i = over_i + sum_j G_ij.d_j <= 0,                                           (1)
//   over_i = sum_p V_p/phi_max N_i - S_i,   G_ij = sum_p V_p/phi_max N_j grad N_i,   S_i the integral of N_i where no wall is
//
//   d_j = -sum_i G_ij psi_i / m_j,   0 <= psi_i  _|_  c_i <= 0                                                      (2)
//
// This is solved for all nodes at once, which preserves symmetry, by projected gradients with momentum and a restart on ascent,
//
//   psi'_i = max(0, y_i + c_i(y) / R_i),   R_i = sum_j |G_ij| sum_k |G_kj| / m_j                                     (4)
//
// R bounds the matrix of (2), which ensures convergence. The residual is left to the next step. Displacements do not enter walls and change
// no velocity. Lifting the medium takes energy: d is scaled down until it takes no more than the transfers of this step have lost, so
// a step never adds energy. No node moves farther than FAR: at the corners of a body, where cells have little room, d grows without bound,
// and scaling all of d for such a node would stop everything. For the same reason, particles overrun by a body are not counted.
//
// Grains with friction crowd because they are sheared, so they are moved apart only in proportion to the shear,
//
//   over_i = min(over_i, SHARE h sum_p V_p/phi_max N_i |D_p|),   |D|^2 = D:D                                        (3)
//
// Grains at rest therefore stay in place, even if they are crowded. A displacement changes the stresses that particles transfer to their
// nodes, so a heap displaced as long as some place is too dense would creep forever at millimetres per second. By (3) a displacement is a
// fraction of the motion that it causes, and both decay together.
#include "model/grains.h"

#include <stdlib.h>
#include <string.h>

static const double ENOUGH = 1e-4;  // of a cell: tolerated excess volume around a node
static const double FAR = 0.1;      // of a cell: largest nodal displacement in a step
static const double SPEND = 0.999;  // of the loss: leaves a margin for the tolerance of the solver
static const double SHARE = 0.5;    // of the shear of the grains: how far they are moved apart
static const double FLUID = 1e3;    // the same without friction: practically no limit
static const double HERE = 0.5;     // of a cell: distance at which thin walls stop nodes
enum { ROUNDS = 200, ROUNDS_SPACE = 50 };
enum { SAMPLES = 6, SAMPLES_SPACE = 2 };  // per cell along an axis
enum { AROUND = 27, MOMENTS = 27 };

// A node of (1) and its neighbours.
struct CpsCrowdNode {
  double over;  // excess volume around the node
  double most;  // (3)
  double mass, psi, y, R;
  double load;      // sum_k |G_kj| of the node as j
  CpsVec3 d, free;  // free: 1 along axes without a wall, 0 along the others
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

// S_i: the volume around the node outside walls.
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

// 1 along axes without a wall. A wall blocks an axis if it covers the next node there, or if it is thin, at this node, and
// has open space along the axis on both sides.
static CpsVec3 free_axes(const CpsGrainGrid* g, const CpsModelStep* step, CpsVec3 at) {
  CpsVec3 free = {1.0, g->dim == 2 ? 0.0 : 1.0, 1.0};
  if (!stops(step, at, 1.5 * g->cell)) return free;
  const bool here = stops(step, at, HERE * g->cell);
  double* axis[3] = {&free.x, &free.y, &free.z};
  for (int a = 0; a < 3; ++a) {
    int left = 0;
    for (int side = -1; side <= 1; side += 2) {
      const double by = 0.75 * side * g->cell;
      const CpsVec3 there = cps_vec3_add(at, cps_vec3(a == 0 ? by : 0.0, a == 1 ? by : 0.0, a == 2 ? by : 0.0));
      if (stops(step, there, 0.0)) *axis[a] = 0.0;
      if (here && !stops(step, there, 0.25 * g->cell)) left++;
    }
    if (left == 2) *axis[a] = 0.0;
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

static double strain_rate(const CpsMat3* C) {
  double sum = 0.0;
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      const double D = 0.5 * (C->m[3 * a + b] + C->m[3 * b + a]);
      sum += D * D;
    }
  }
  return sqrt(sum);
}

// Space taken by the particles of a cell around its corners, their masses and their moments.
static void add_cell(CpsGrains* m, const CpsModelStep* step, int32_t cell, double* moment) {
  const CpsGrainGrid* g = &m->crowd_grid;
  const int32_t* node = g->cell_node + (int64_t)cell * g->corners;
  const bool near = is_near(g, step, cell);
  memset(moment, 0, (size_t)cps_grain_moment_count(g->dim) * sizeof *moment);
  for (int32_t k = g->cell_start[cell]; k < g->cell_start[cell + 1]; ++k) {
    const int32_t p = g->order[k];
    if (near && stops(step, m->x[p], 0.0)) continue;
    const CpsGrainGroup* group = &m->group[m->group_of[p]];
    const double volume = m->volume[p] / group->fraction_max;
    const double share = group->mu > 0.0 ? SHARE * step->h * strain_rate(&m->C[p]) : FLUID;
    const CpsVec3 s = cps_grid_inside(g, m->x[p]);
    CpsVec3 gradient;
    for (int c = 0; c < g->corners; ++c) {
      const double weight = cps_grid_weight(g, c, s, &gradient);
      CrowdNode* i = &m->crowd[node[c]];
      i->over += volume * weight;
      i->most += share * volume * weight;
      i->mass += m->mass[p] * weight;
    }
    cps_grain_moments_add(g->dim, volume, s, moment);
  }
}

// (1) and (3) of all nodes.
static void lay_out(CpsGrains* m, const CpsModelStep* step) {
  const CpsGrainGrid* g = &m->crowd_grid;
  for (int32_t i = 0; i < g->node_count; ++i) m->crowd[i] = (CrowdNode){0};
  for (int32_t cell = 0; cell < g->cell_count; ++cell) {
    const int32_t* node = g->cell_node + (int64_t)cell * g->corners;
    double moment[MOMENTS];
    CpsVec3 gradient[CPS_GRID_CORNERS];  // sums of V N_c grad N_d, d = 0, 1, ...
    add_cell(m, step, cell, moment);
    for (int c = 0; c < g->corners; ++c) {
      cps_grain_moments_gradients(g, moment, c, gradient);
      for (int d = 0; d < g->corners; ++d) couple(&m->crowd[node[d]], node[c], gradient[d]);
    }
  }
  for (int32_t i = 0; i < g->node_count; ++i) {
    const CpsVec3 at = cps_grid_position(g, g->node_at[i]);
    CrowdNode* n = &m->crowd[i];
    n->over = fmin(n->over - room_at(g, step, g->dim == 3 ? SAMPLES_SPACE : SAMPLES, at), n->most);
    n->free = free_axes(g, step, at);
  }
}

static CpsVec3 at_most(CpsVec3 way, double far) {
  const double length = cps_vec3_norm(way);
  return length > far ? cps_vec3_scale(far / length, way) : way;
}

static CpsVec3 along_free(const CrowdNode* j, CpsVec3 G) {
  return cps_vec3(G.x * j->free.x, G.y * j->free.y, G.z * j->free.z);
}

// R of (4).
static void bound(CpsGrains* m) {
  const int32_t count = m->crowd_grid.node_count;
  for (int32_t i = 0; i < count; ++i) {
    const CrowdNode* n = &m->crowd[i];
    for (int32_t k = 0; k < n->count; ++k) {
      CrowdNode* j = &m->crowd[n->node[k]];
      j->load += cps_vec3_norm(along_free(j, n->G[k]));
    }
  }
  for (int32_t i = 0; i < count; ++i) {
    CrowdNode* n = &m->crowd[i];
    for (int32_t k = 0; k < n->count; ++k) {
      const CrowdNode* j = &m->crowd[n->node[k]];
      if (j->mass > 0.0) n->R += cps_vec3_norm(along_free(j, n->G[k])) * j->load / j->mass;
    }
  }
}

// d of (2) for y.
static void displace(CpsGrains* m) {
  const int32_t count = m->crowd_grid.node_count;
  for (int32_t j = 0; j < count; ++j) m->crowd[j].d = cps_vec3(0.0, 0.0, 0.0);
  for (int32_t i = 0; i < count; ++i) {
    const CrowdNode* n = &m->crowd[i];
    if (n->y == 0.0) continue;
    for (int32_t k = 0; k < n->count; ++k) {
      CrowdNode* j = &m->crowd[n->node[k]];
      if (j->mass > 0.0) j->d = cps_vec3_axpy(j->d, -n->y / j->mass, along_free(j, n->G[k]));
    }
  }
}

// One round of (4), with the momentum of the last round; returns the largest c_i that psi_i must correct.
static double improve(CpsGrains* m, double* momentum) {
  const double next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * *momentum * *momentum)), by = (*momentum - 1.0) / next;
  double worst = 0.0, uphill = 0.0;
  displace(m);
  for (int32_t i = 0; i < m->crowd_grid.node_count; ++i) {
    CrowdNode* n = &m->crowd[i];
    if (!(n->R > 0.0)) continue;
    double c = n->over;
    for (int32_t k = 0; k < n->count; ++k) c += cps_vec3_dot(n->G[k], m->crowd[n->node[k]].d);
    worst = fmax(worst, n->y > 0.0 ? fabs(c) : c);
    const double psi = fmax(0.0, n->y + c / n->R), change = psi - n->psi;
    uphill += n->R * (n->y - psi) * change;
    n->psi = psi;
    n->y = psi + by * change;
  }
  *momentum = next;
  if (uphill > 0.0) {
    *momentum = 1.0;
    for (int32_t i = 0; i < m->crowd_grid.node_count; ++i) m->crowd[i].y = m->crowd[i].psi;
  }
  return worst;
}

// d of all nodes, each at most FAR.
static void solve(CpsGrains* m) {
  const CpsGrainGrid* g = &m->crowd_grid;
  double momentum = 1.0;
  bound(m);
  for (int k = 0; k < (g->dim == 3 ? ROUNDS_SPACE : ROUNDS) && improve(m, &momentum) > ENOUGH * size_of(g); ++k) {
  }
  for (int32_t i = 0; i < g->node_count; ++i) m->crowd[i].y = m->crowd[i].psi;
  displace(m);
  for (int32_t i = 0; i < g->node_count; ++i) m->crowd[i].d = at_most(m->crowd[i].d, FAR * g->cell);
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

// Energy against gravity needed to move all particles by d.
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
  solve(m);
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
