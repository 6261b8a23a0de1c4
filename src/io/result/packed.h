// Bytes compressed by zlib: their number as a little-endian 64-bit word, then the deflated bytes. Equal bytes always give equal
// results.
#ifndef CAPSTAN_IO_RESULT_PACKED_H
#define CAPSTAN_IO_RESULT_PACKED_H

#include <stddef.h>

#include "capstan/base.h"

// Upper bound of the packed size of `size` bytes.
size_t cps_packed_room(size_t size);
// Packs into `out`, which has room for the upper bound; returns the bytes used, 0: out of memory.
size_t cps_packed_write(const void* bytes, size_t size, void* out, size_t room);
// Unpacks into memory that the caller frees.
// @return CPS_OK, CPS_BAD_FORMAT (damaged) or CPS_NO_MEMORY
CpsStatus cps_packed_read(const void* packed, size_t size, void** bytes, size_t* count);

#endif
