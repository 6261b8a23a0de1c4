// How large particles of grains are where nothing says it: results and frames hold their places only.
#ifndef CAPSTAN_BASE_PARTICLE_SPACE_H
#define CAPSTAN_BASE_PARTICLE_SPACE_H

#include <stdint.h>

#include "capstan/vec.h"

// Edge of the cube (in the plane: of the square) that one of the particles fills, m. They should be those of the first frame. Blocks are
// filled row by row: if most particles are equally far from the one before, that is the edge, for any shapes of the blocks. Otherwise N
// particles in a box of the extents a_i have the edge (a_1 a_2 .. / N)^(1/d) over the d axes along which they are
// spread. Places that are not finite are left out; 1 if all are in one place.
double cps_particle_space(const CpsVec3* particles, int64_t count);

#endif
