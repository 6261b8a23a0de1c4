// Checks that particles have enough space. A particle of grain volume V takes V / phi. Where particles gather in a flow, or were
// filled in twice, this exceeds the available space.
#include "model/grains.h"

#include <stdlib.h>

// V / phi of the particles of each cell, m^3.
static void sum_taken(const CpsGrains* m, const CpsGrainGrid* g, double* taken) {
  for (int32_t cell = 0; cell < g->cell_count; ++cell) {
    taken[cell] = 0.0;
    for (int32_t k = g->cell_start[cell]; k < g->cell_start[cell + 1]; ++k) {
      taken[cell] += m->volume[g->order[k]] / m->fraction[g->order[k]];
    }
  }
}

// Space taken in the cells around one, itself included, and the number of cells with particles.
static double sum_around(const CpsGrainGrid* g, const double* taken, CpsVec3 middle, int* there) {
  const int ny = g->dim == 2 ? 0 : 1;
  double sum = 0.0;
  *there = 0;
  for (int i = -1; i <= 1; ++i) {
    for (int j = -ny; j <= ny; ++j) {
      for (int k = -1; k <= 1; ++k) {
        const int32_t cell = cps_grain_grid_find(g, cps_vec3_axpy(middle, g->cell, cps_vec3(i, j, k)));
        if (cell < 0) continue;
        sum += taken[cell];
        ++*there;
      }
    }
  }
  return sum;
}

static void compare(const CpsGrainGrid* g, const double* taken, CpsGrainsRoom* room) {
  const int around = g->dim == 2 ? 9 : 27;
  const double size = g->dim == 2 ? g->cell * g->cell : g->cell * g->cell * g->cell, half = 0.5 * g->cell;
  double inside = 0.0;
  int64_t count = 0;
  room->densest = -1.0;
  for (int32_t cell = 0; cell < g->cell_count; ++cell) {
    const CpsVec3 middle =
        cps_vec3_add(cps_grid_position(g, g->cell_at[cell]), cps_vec3(half, g->dim == 2 ? 0.0 : half, half));
    int there;
    const double excess = sum_around(g, taken, middle, &there) / (around * size) - 1.0;
    if (excess > room->densest) {
      room->densest = excess;
      room->at = middle;
    }
    if (there < around) continue;
    inside += taken[cell];
    count++;
  }
  if (count > 0) room->excess = inside / ((double)count * size) - 1.0;
}

bool cps_grains_find_room(const CpsGrains* m, CpsGrainsRoom* room) {
  CpsGrainGrid g = {.dim = m->grid.dim, .corners = m->grid.corners, .cell = m->grid.cell, .period = m->grid.period};
  bool found = cps_grain_grid_build(&g, m->count, m->x, m->fraction) == -1;
  double* taken = found ? malloc(((size_t)g.cell_count + 1) * sizeof *taken) : NULL;
  found = taken != NULL;
  if (found) {
    sum_taken(m, &g, taken);
    compare(&g, taken, room);
  }
  free(taken);
  cps_grain_grid_free(&g);
  return found;
}
