// capstan info on a mesh.
#ifndef CAPSTAN_CLI_INFO_MESH_H
#define CAPSTAN_CLI_INFO_MESH_H

#include <stdbool.h>

#include "capstan/mesh.h"

// By the ending of its name, or its first bytes.
bool cps_mesh_recognise(const char* path);
int cps_info_mesh(const char* path, bool as_json);
void cps_mesh_print_facts(const CpsMeshFile* mesh, const CpsMeshFacts* facts);

#endif
