// Cost of grains before they are created: cells and memory.
//
// Measured as the peak memory of a process in its first steps, less that of a scene without grains: 5, 15, 66 MB for 150, 800, 3 200
// cells in the plane; 13, 356, 940, 640 MB for 147, 3 528, 7 840, 29 791 cells in space. Most of it is the sparse factor of all velocities
// kept by the grain solver. In the plane it grows little faster than the number of cells, in space with the power 4/3 (nested
// dissection). Problems of more than 20 000 contacts in space (splitting.c) are solved by sweeps and have no factor. A bed that is never
// factored needs less: 23 MB for the 980 cells of `crater`.
#include "capstan/grains.h"

#include <math.h>

static const double ANY = 5e6;                                         // bytes: of the first cell
static const double PLANE = 21e3, SPACE = 37e3, SPACE_FACTOR = 4.2e3;  // of a cell; the last for each cell^(4/3)
static const double SWEPT = 23e3, SWEPT_FROM = 2e4;                    // of a cell without the factor; cells

int64_t cps_grains_memory(const CpsGridDef* grid, int64_t particles, int64_t* cells) {
  if (cells) *cells = 0;
  if (!grid || grid->particles < 1 || particles <= 0) return 0;
  if (particles == INT64_MAX) return INT64_MAX;
  const double per = grid->particles, of_cell = grid->plane ? per * per : per * per * per;
  const double count = ceil((double)particles / of_cell);
  if (cells) *cells = (int64_t)count;
  const double factored = SPACE * count + SPACE_FACTOR * pow(count, 4.0 / 3.0);
  const double bytes = ANY + (grid->plane ? PLANE * count : count > SWEPT_FROM ? SWEPT * count : factored);
  return bytes < 9e18 ? (int64_t)bytes : INT64_MAX;
}
