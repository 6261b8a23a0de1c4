// The two files of TetGen; see tetgen.c.
#ifndef CAPSTAN_IO_MESH_TETGEN_H
#define CAPSTAN_IO_MESH_TETGEN_H

#include "io/mesh/internal.h"

// first: the number of the first vertex.
CpsStatus cps_mesh_from_node(CpsMeshBuild* build, int64_t* first);
CpsStatus cps_mesh_from_ele(CpsMeshBuild* build, int64_t first);

#endif
