// Files with the saved state of a world: a small header, then the bytes of cps_world_save().
//
//   "cpsstate" | u32 1 in the order of the machine | u32 version | u64 size | u64 hash (FNV-1a) | bytes
//
// The bytes are in the format of the machine that wrote them; the header lets a reader detect another format.
#ifndef CAPSTAN_IO_STATE_FILE_H
#define CAPSTAN_IO_STATE_FILE_H

#include "capstan/world.h"

enum { CPS_STATE_WHY_SIZE = 100 };  // as CPS_FILE_WHY_SIZE

// The bytes in a file, without a copy.
// @param why  out: "is no saved state", "is damaged: …"
// @return false: not a state that this machine can read
bool cps_state_open(const void* file, size_t size, const void** bytes, size_t* count, char why[CPS_STATE_WHY_SIZE]);
// Writes the state of a world, whole or not at all.
CpsStatus cps_state_write(const char* path, const CpsWorld* world, CpsError* error);

#endif
