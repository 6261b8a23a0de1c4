// pread and pwrite that always transfer all bytes.
#ifndef CAPSTAN_IO_WHOLE_IO_H
#define CAPSTAN_IO_WHOLE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// False with errno if the bytes could not all be written.
bool cps_write_whole(int descriptor, uint64_t address, const void* bytes, size_t size);
// False if the file has fewer bytes or cannot be read.
bool cps_read_whole(int descriptor, uint64_t address, void* bytes, size_t size);

#endif
