// Fills a surface with an external mesher, if installed. See mesher.c.
#ifndef CAPSTAN_CLI_MESHER_H
#define CAPSTAN_CLI_MESHER_H

#include "capstan/mesh.h"

typedef enum CpsMesher { CPS_MESHER_OWN, CPS_MESHER_TETGEN, CPS_MESHER_GMSH } CpsMesher;

// "tetgen" or "gmsh"; false: neither.
bool cps_mesher_find(const char* name, CpsMesher* mesher);

// Runs the program on a closed surface and reads its output. mesh: out, as for cps_mesh_file_read().
// @return CPS_OK; CPS_UNSUPPORTED if not installed; CPS_BAD_DATA with the end of its output if it failed; CPS_FILE_ERROR, CPS_NO_MEMORY
CpsStatus cps_mesher_run(CpsMesher mesher, const CpsMeshFile* surface, double size, CpsMeshFile* mesh, CpsError* error);

#endif
