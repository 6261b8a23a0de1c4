// Wavefront OBJ files: vertices and faces, the rest is skipped.
#ifndef CAPSTAN_IO_MESH_OBJ_H
#define CAPSTAN_IO_MESH_OBJ_H

#include "capstan/base.h"
#include "capstan/vec.h"
#include "core/arena.h"

typedef struct CpsObj {
  int32_t point_count;
  CpsVec3* points;
  int32_t triangle_count;
  int32_t* triangles;  // three vertices each, from 0
} CpsObj;

enum { CPS_OBJ_MOST = 1000000, CPS_OBJ_BYTES = 32 << 20 };  // vertices or triangles; bytes of the file

// Reads a file into memory of the arena. Polygons are cut into triangles about their first corner.
// @param error  out: "FILE:LINE: what is wrong"
// @return CPS_OK, CPS_FILE_ERROR, CPS_BAD_FORMAT or CPS_NO_MEMORY
CpsStatus cps_obj_read(const char* path, CpsArena* arena, CpsObj* obj, CpsError* error);
// The same from zero-terminated text.
CpsStatus cps_obj_parse(const char* text, const char* name, CpsArena* arena, CpsObj* obj, CpsError* error);

#endif
