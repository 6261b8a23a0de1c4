// The sparse grid under particles: sorting by cell, then corners by node. See grain_grid.h.
#include "model/grain_grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIGIT = 11, BUCKETS = 1 << DIGIT };

void cps_grain_grid_free(CpsGrainGrid* grid) {
  free(grid->order);
  free(grid->cell_start);
  free(grid->cell_at);
  free(grid->cell_node);
  free(grid->node_at);
  free(grid->slot_start);
  free(grid->slot);
  free(grid->pair);
  free(grid->other);
}

static bool grow(void* memory, int64_t count, size_t size) {
  void** at = memory;
  void* grown = realloc(*at, (size_t)(count > 0 ? count : 1) * size);
  if (grown) *at = grown;
  return grown;
}

static int32_t roomy(int64_t count) {
  const int64_t room = count + count / 8 + 16;
  return room < INT32_MAX ? (int32_t)room : INT32_MAX;
}

static bool reserve_pairs(CpsGrainGrid* g, int64_t count) {
  if (count <= g->pair_capacity) return true;
  const int64_t room = count + count / 8;
  if (!grow(&g->pair, room, sizeof *g->pair) || !grow(&g->other, room, sizeof *g->other)) return false;
  g->pair_capacity = room;
  return true;
}

static bool reserve_cells(CpsGrainGrid* g, int32_t count) {
  if (count <= g->cell_capacity) return true;
  const int32_t room = roomy(count);
  if (!grow(&g->cell_start, (int64_t)room + 1, sizeof *g->cell_start) || !grow(&g->cell_at, room, sizeof *g->cell_at) ||
      !grow(&g->cell_node, (int64_t)room * g->corners, sizeof *g->cell_node) ||
      !grow(&g->slot, (int64_t)room * g->corners, sizeof *g->slot))
    return false;
  g->cell_capacity = room;
  return true;
}

static bool reserve_nodes(CpsGrainGrid* g, int32_t count) {
  if (count <= g->node_capacity) return true;
  const int32_t room = roomy(count);
  if (!grow(&g->node_at, room, sizeof *g->node_at) || !grow(&g->slot_start, (int64_t)room + 1, sizeof *g->slot_start))
    return false;
  g->node_capacity = room;
  return true;
}

// Stable radix sort up to the highest digit of the largest key; the result is in g->pair.
static void sort(CpsGrainGrid* g, int64_t count, uint64_t largest) {
  for (int shift = 0; shift < 64 && largest >> shift > 0; shift += DIGIT) {
    int64_t start[BUCKETS + 1] = {0};
    for (int64_t i = 0; i < count; ++i) start[(g->pair[i].key >> shift & (BUCKETS - 1)) + 1]++;
    for (int b = 0; b < BUCKETS; ++b) start[b + 1] += start[b];
    for (int64_t i = 0; i < count; ++i) g->other[start[g->pair[i].key >> shift & (BUCKETS - 1)]++] = g->pair[i];
    CpsSortPair* swap = g->pair;
    g->pair = g->other;
    g->other = swap;
  }
}

// A box of cells, and their indices in it.
typedef struct Box {
  int32_t low[3];
  uint64_t size[3];
} Box;

static uint64_t number_in(const Box* box, CpsGridPlace at) {
  const uint64_t i = (uint64_t)(at.i[0] - box->low[0]), j = (uint64_t)(at.i[1] - box->low[1]),
                 k = (uint64_t)(at.i[2] - box->low[2]);
  return (i * box->size[1] + j) * box->size[2] + k;
}

static CpsGridPlace place_in(const Box* box, uint64_t number) {
  CpsGridPlace at;
  for (int a = 2; a >= 0; --a) {
    at.i[a] = box->low[a] + (int32_t)(number % box->size[a]);
    number /= box->size[a];
  }
  return at;
}

static void wrap(const CpsGrainGrid* g, CpsGridPlace* at) {
  if (g->period == 0) return;
  at->i[0] %= g->period;
  if (at->i[0] < 0) at->i[0] += g->period;
}

static bool find_place(const CpsGrainGrid* g, CpsVec3 x, CpsGridPlace* at) {
  const double far = CPS_GRID_FAR, s[3] = {x.x / g->cell, g->dim == 2 ? 0.0 : x.y / g->cell, x.z / g->cell};
  for (int a = 0; a < 3; ++a) {
    if (!(fabs(s[a]) < far)) return false;
    at->i[a] = (int32_t)floor(s[a]);
  }
  wrap(g, at);
  return true;
}

// The box of all particles; returns -1, or a particle that lies in none.
static int32_t find_box(const CpsGrainGrid* g, int32_t count, const CpsVec3* x, const double* there, Box* box) {
  int32_t high[3] = {INT32_MIN, INT32_MIN, INT32_MIN};
  for (int a = 0; a < 3; ++a) box->low[a] = INT32_MAX;
  for (int32_t p = 0; p < count; ++p) {
    CpsGridPlace at;
    if (there && !(there[p] > 0.0)) continue;
    if (!find_place(g, x[p], &at)) return p;
    for (int a = 0; a < 3; ++a) {
      if (at.i[a] < box->low[a]) box->low[a] = at.i[a];
      if (at.i[a] > high[a]) high[a] = at.i[a];
    }
  }
  if (g->period > 0) box->low[0] = 0, high[0] = g->period - 1;
  // nodes reach one cell further
  for (int a = 0; a < 3; ++a) box->size[a] = high[a] >= box->low[a] ? (uint64_t)(high[a] - box->low[a] + 2) : 1;
  return -1;
}

static bool list_cells(CpsGrainGrid* g, int32_t of, const CpsVec3* x, const double* there, const Box* box,
                       uint64_t largest) {
  int32_t count = 0;
  for (int32_t p = 0; p < of; ++p) {
    CpsGridPlace at = {{0, 0, 0}};
    if (there && !(there[p] > 0.0)) continue;
    (void)find_place(g, x[p], &at);
    g->pair[count++] = (CpsSortPair){number_in(box, at), p};
  }
  sort(g, count, largest);
  int32_t cells = 0;
  for (int32_t k = 0; k < count; ++k) cells += k == 0 || g->pair[k].key != g->pair[k - 1].key;
  if (!reserve_cells(g, cells)) return false;
  g->cell_count = 0;
  for (int32_t k = 0; k < count; ++k) {
    g->order[k] = g->pair[k].item;
    if (k > 0 && g->pair[k].key == g->pair[k - 1].key) continue;
    g->cell_at[g->cell_count] = place_in(box, g->pair[k].key);
    g->cell_start[g->cell_count++] = k;
  }
  g->cell_start[g->cell_count] = count;
  return true;
}

static bool list_nodes(CpsGrainGrid* g, const Box* box, uint64_t largest) {
  const int64_t slots = (int64_t)g->cell_count * g->corners;
  if (slots > INT32_MAX || !reserve_pairs(g, slots)) return false;
  for (int64_t k = 0; k < slots; ++k) {
    CpsGridPlace at = g->cell_at[k / g->corners];
    const CpsGridPlace corner = cps_grid_corner(g, (int)(k % g->corners));
    for (int a = 0; a < 3; ++a) at.i[a] += corner.i[a];
    wrap(g, &at);
    g->pair[k] = (CpsSortPair){number_in(box, at), (int32_t)k};
  }
  sort(g, slots, largest);
  int32_t nodes = 0;
  for (int64_t k = 0; k < slots; ++k) nodes += k == 0 || g->pair[k].key != g->pair[k - 1].key;
  if (!reserve_nodes(g, nodes)) return false;
  g->node_count = 0;
  for (int64_t k = 0; k < slots; ++k) {
    if (k == 0 || g->pair[k].key != g->pair[k - 1].key) {
      g->node_at[g->node_count] = place_in(box, g->pair[k].key);
      g->slot_start[g->node_count++] = (int32_t)k;
    }
    g->slot[k] = g->pair[k].item;
    g->cell_node[g->pair[k].item] = g->node_count - 1;
  }
  g->slot_start[g->node_count] = (int32_t)slots;
  return true;
}

int32_t cps_grain_grid_build(CpsGrainGrid* g, int32_t count, const CpsVec3* x, const double* there) {
  g->cell_count = g->node_count = 0;
  if (count > g->particle_capacity || !g->order) {
    if (!grow(&g->order, roomy(count), sizeof *g->order)) return -2;
    g->particle_capacity = roomy(count);
  }
  if (!reserve_pairs(g, count + 1) || !reserve_cells(g, 1) || !reserve_nodes(g, 1)) return -2;
  g->cell_start[0] = g->slot_start[0] = 0;
  if (count == 0) return -1;
  Box box;
  const int32_t lost = find_box(g, count, x, there, &box);
  if (lost >= 0) return lost;
  const uint64_t largest = box.size[0] * box.size[1] * box.size[2];
  return list_cells(g, count, x, there, &box, largest) && list_nodes(g, &box, largest) ? -1 : -2;
}

int32_t cps_grain_grid_find(const CpsGrainGrid* g, CpsVec3 x) {
  CpsGridPlace at;
  if (!find_place(g, x, &at)) return -1;
  int32_t low = 0, high = g->cell_count;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    const int32_t* i = g->cell_at[middle].i;
    const bool before = i[0] != at.i[0] ? i[0] < at.i[0] : i[1] != at.i[1] ? i[1] < at.i[1] : i[2] < at.i[2];
    if (before) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < g->cell_count && memcmp(&g->cell_at[low], &at, sizeof at) == 0 ? low : -1;
}
