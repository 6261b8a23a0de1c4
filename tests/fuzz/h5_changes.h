// What the targets that damage HDF5 files share: odd numbers and types, files made in memory.
#ifndef CAPSTAN_TESTS_FUZZ_H5_CHANGES_H
#define CAPSTAN_TESTS_FUZZ_H5_CHANGES_H

#include "scratch.h"

#include <hdf5.h>
#include <stdbool.h>
#include <sys/types.h>

static const char* const file_name = scratch_names[0];

static inline hid_t draw_type(Bytes* bytes, hid_t usual) {
  const hid_t types[] = {H5T_STD_I8LE,   H5T_STD_I16BE,  H5T_STD_I64LE, H5T_STD_U32LE, H5T_STD_U64BE,
                         H5T_IEEE_F32LE, H5T_IEEE_F64BE, H5T_C_S1,      H5T_STD_B8LE,  usual};
  return types[next_below(bytes, 10)];
}

static inline double odd_value(Bytes* bytes) {
  static const double ODD[] = {NAN,    INFINITY,   -INFINITY,     -1,   0, 1, 2, 3, 4, 1e308, -1e308, 7,
                               1e-308, 2147483647, -2147483648.0, 65536};
  return ODD[next_below(bytes, 16)];
}

// A file in memory: a hundred small writes to a disk would be most of the time. With `size` 0 it is a new one.
static inline hid_t open_in_memory(void* image, size_t size) {
  char name[64];  // of no file
  (void)snprintf(name, sizeof name, "%s/in-memory", folder);
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  CHECK(H5Pset_fapl_core(access, 1 << 16, false) >= 0);
  if (size > 0) CHECK(H5Pset_file_image(access, image, size) >= 0);
  hid_t file = size > 0 ? H5Fopen(name, H5F_ACC_RDWR, access) : H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  CHECK(file >= 0);
  (void)H5Pclose(access);
  return file;
}

static inline void save_and_close(hid_t file) {
  static char image[1 << 21];
  (void)H5Fflush(file, H5F_SCOPE_GLOBAL);
  ssize_t size = H5Fget_file_image(file, image, sizeof image);
  CHECK(size > 0);
  (void)H5Fclose(file);
  FILE* out = fopen(file_name, "wb");
  CHECK(out && fwrite(image, 1, (size_t)size, out) == (size_t)size);
  CHECK(fclose(out) == 0);
}

#endif
