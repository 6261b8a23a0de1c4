// Light surface nodes join heavy nodes that carry pressure.
//
// A node with hardly any particle mass has a free direction of its own: where the surface has a step of one cell, its
// gradient points out of that step and not along the normal of the slope, and no stress in the cone can balance it. Heaps would
// creep forever, one corner at a time. Such a node has no velocity or stress of its own; its particles use those of the
// nearest heavy node h of their cells instead:
//
//   N'_h = N_h + sum over i that join h of N_i,    w'_h likewise                                                   (1)
//
// The functions still add up to one, so mass and momentum are conserved; velocities are averaged, so no energy is created.
// Angular momentum is conserved only where no node joins. Grains in flight, with no neighbouring heavy node that carried
// pressure in the last step, are therefore left alone.
#include "model/grains.h"

#include <stdlib.h>
#include <string.h>

// Of the corners that full cells have at a node outside a stair, one in the plane and two along an edge in space: lighter nodes join. In space a
// node with the particles of one cell is at the end of an edge, and one with those of more than three is on a face, not outside it; a node
// without pressure flows. Whole filled cells, as in a box, are not affected.
static const double SMALL = 0.8;
static const double ON_WALL = 0.499;  // of the cell size: walls may act on nodes within this distance

static bool is_small(const CpsGrains* m, int32_t i, double full) {
  const int32_t cells = m->grid.slot_start[i + 1] - m->grid.slot_start[i];
  const bool edge = m->grid.dim == 3 && m->node_stress[i] && (cells == 2 || cells == 3);
  return m->node_mass[i] < SMALL * (edge ? 2 : 1) / m->grid.corners * full;
}

// Mass of the nodes, and whether they carry pressure.
static void weigh(CpsGrains* m) {
  const CpsGrainGrid* g = &m->grid;
  for (int32_t i = 0; i < g->node_count; ++i) {
    double mass = 0.0, pressure = 0.0;
    for (int32_t k = g->slot_start[i]; k < g->slot_start[i + 1]; ++k) {
      mass += m->part_mass[g->slot[k]];
      pressure += m->part[g->slot[k]][CPS_PART_GUESS];
    }
    m->node_mass[i] = mass;
    m->node_stress[i] = pressure > 0.0;
  }
}

// Number of cells between two nodes, summed over the axes.
static int32_t apart(const CpsGrainGrid* g, int32_t i, int32_t j) {
  int32_t sum = 0;
  for (int a = 0; a < 3; ++a) sum += abs(g->node_at[i].i[a] - g->node_at[j].i[a]);
  return sum;
}

static bool is_stopped(const CpsGrains* m, const CpsModelStep* step, int32_t i) {
  const CpsGrainGrid* g = &m->grid;
  return step->is_stopped && step->is_stopped(step->obstacles, cps_grid_position(g, g->node_at[i]), ON_WALL * g->cell);
}

// The nearest surrounding node that is not light and carries pressure or, once `host` is known, has itself joined one; of several, the heaviest. i
// itself if there is none. A node stopped by a wall joins only nodes that are also stopped; otherwise the wall would have a hole.
static int32_t nearest(const CpsGrains* m, const CpsModelStep* step, int32_t i, double full, const int32_t* host) {
  const CpsGrainGrid* g = &m->grid;
  int32_t found = i;
  const bool stopped = is_stopped(m, step, i);
  for (int32_t k = g->slot_start[i]; k < g->slot_start[i + 1]; ++k) {
    const int32_t* node = g->cell_node + (int64_t)(g->slot[k] / g->corners) * g->corners;
    for (int c = 0; c < g->corners; ++c) {
      const int32_t j = node[c];
      if (host ? host[j] == j : is_small(m, j, full) || !m->node_stress[j]) continue;
      const int32_t nearer = found == i ? 1 : apart(g, i, found) - apart(g, i, j);
      if (nearer < 0 || (nearer == 0 && !(m->node_mass[j] > m->node_mass[found]))) continue;
      if (!stopped || is_stopped(m, step, host ? host[j] : j)) found = j;
    }
  }
  return host ? host[found] : found;
}

void cps_grains_join(CpsGrains* m, const CpsModelStep* step, double full) {
  CpsGrainGrid* g = &m->grid;
  int32_t* host = m->M_column;  // filled in afterwards
  bool any = false;
  weigh(m);
  for (int32_t i = 0; i < g->node_count; ++i) {
    host[i] = is_small(m, i, full) ? nearest(m, step, i, full, NULL) : i;
    any = any || host[i] != i;
  }
  if (!any) return;
  // At the foot of a heap in space the next heavy node may be two cells away. M_start is also filled in afterwards.
  for (int32_t i = 0; g->dim == 3 && i < g->node_count; ++i) {
    m->M_start[i + 1] = host[i] == i && is_small(m, i, full) ? nearest(m, step, i, full, host) : host[i];
  }
  for (int32_t i = 0; g->dim == 3 && i < g->node_count; ++i) host[i] = (int32_t)m->M_start[i + 1];
  const int32_t slots = g->slot_start[g->node_count];
  memset(g->slot_start, 0, ((size_t)g->node_count + 1) * sizeof *g->slot_start);
  for (int32_t k = 0; k < slots; ++k) {
    g->cell_node[k] = host[g->cell_node[k]];
    g->slot_start[g->cell_node[k] + 1]++;
  }
  for (int32_t i = 0; i < g->node_count; ++i) g->slot_start[i + 1] += g->slot_start[i];
  for (int32_t k = 0; k < slots; ++k) g->slot[g->slot_start[g->cell_node[k]]++] = k;
  for (int32_t i = g->node_count; i > 0; --i) g->slot_start[i] = g->slot_start[i - 1];
  g->slot_start[0] = 0;
}
