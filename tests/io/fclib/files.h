// Small FCLIB files made with plain HDF5 calls, so that the reader is tested against bytes it did not write.
#ifndef CAPSTAN_TESTS_IO_FCLIB_FILES_H
#define CAPSTAN_TESTS_IO_FCLIB_FILES_H

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/scratch.h"

// Two contacts in three dimensions; W is symmetric positive definite, written as compressed rows of full blocks.
#define SMALL_ROWS 6
static const double small_W[SMALL_ROWS][SMALL_ROWS] = {
    {2.0, 0.1, 0.0, -0.5, 0.0, 0.0}, {0.1, 3.0, 0.2, 0.0, -0.5, 0.0}, {0.0, 0.2, 2.5, 0.0, 0.0, -0.5},
    {-0.5, 0.0, 0.0, 2.0, 0.0, 0.3}, {0.0, -0.5, 0.0, 0.0, 4.0, 0.0}, {0.0, 0.0, -0.5, 0.3, 0.0, 3.0},
};
static const double small_q[SMALL_ROWS] = {-1.0, 0.5, 0.25, -2.0, 1.0, 0.0};
static const double small_mu[2] = {0.3, 0.7};

static inline void put_typed(hid_t file, const char* name, hid_t file_type, hid_t memory_type, hsize_t count,
                             const void* values) {
  if (H5Lexists(file, name, H5P_DEFAULT) > 0) assert_true(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
  hid_t space = H5Screate_simple(1, &count, NULL);
  hid_t dataset = H5Dcreate2(file, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(dataset >= 0);
  if (count > 0) assert_true(H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  H5Dclose(dataset);
  H5Sclose(space);
}
static inline void put_ints(hid_t file, const char* name, int count, const int* values) {
  put_typed(file, name, H5T_STD_I32LE, H5T_NATIVE_INT, (hsize_t)count, values);
}
static inline void put_int(hid_t file, const char* name, int value) {
  put_ints(file, name, 1, &value);
}
static inline void put_doubles(hid_t file, const char* name, int count, const double* values) {
  put_typed(file, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, (hsize_t)count, values);
}
static inline void put_group(hid_t file, const char* name) {
  H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

// A matrix group; `m` and `n` are written as given, entries as given.
static inline void put_matrix(hid_t file, const char* group, int m, int n, int nz, int nzmax, int p_count, const int* p,
                              int i_count, const int* i, const double* x) {
  char name[64];
  if (H5Lexists(file, group, H5P_DEFAULT) <= 0) put_group(file, group);
  const char* keys[] = {"m", "n", "nz", "nzmax"};
  const int values[] = {m, n, nz, nzmax};
  for (int k = 0; k < 4; ++k) {
    snprintf(name, sizeof name, "%s/%s", group, keys[k]);
    put_int(file, name, values[k]);
  }
  snprintf(name, sizeof name, "%s/p", group);
  put_ints(file, name, p_count, p);
  snprintf(name, sizeof name, "%s/i", group);
  put_ints(file, name, i_count, i);
  snprintf(name, sizeof name, "%s/x", group);
  put_doubles(file, name, i_count, x);
}

// small_W as compressed rows, every entry stored.
static inline void put_small_W(hid_t file) {
  int p[SMALL_ROWS + 1], i[SMALL_ROWS * SMALL_ROWS];
  for (int row = 0; row <= SMALL_ROWS; ++row) p[row] = row * SMALL_ROWS;
  for (int k = 0; k < SMALL_ROWS * SMALL_ROWS; ++k) i[k] = k % SMALL_ROWS;
  put_matrix(file, "/fclib_local/W", SMALL_ROWS, SMALL_ROWS, -2, 36, SMALL_ROWS + 1, p, 36, i, &small_W[0][0]);
}

// A whole and valid local file, left open for changes.
static inline hid_t make_local(const char* path) {
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(file >= 0);
  put_group(file, "/fclib_local");
  put_int(file, "/fclib_local/spacedim", 3);
  put_group(file, "/fclib_local/vectors");
  put_doubles(file, "/fclib_local/vectors/q", SMALL_ROWS, small_q);
  put_doubles(file, "/fclib_local/vectors/mu", 2, small_mu);
  put_small_W(file);
  return file;
}

#endif
