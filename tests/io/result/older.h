// Turns a result into one of format 6 or older, as far as sides of contacts go: a number for each kind of thing, points of a
// and b apart, deepest penetrations as one number each. What else a format does not have is the caller's to delete.
#ifndef OLDER_H
#define OLDER_H

#include <hdf5.h>
#include <stdint.h>
#include <stdlib.h>

#include "capstan/world.h"
#include "test_helpers.h"

static void write_older(hid_t file, const char* name, hid_t type, hid_t memory, int rank, const hsize_t* extent,
                        const void* values) {
  hsize_t chunk[2] = {64, extent[1]}, most[2] = {H5S_UNLIMITED, H5S_UNLIMITED};
  hid_t space = H5Screate_simple(rank, extent, most), create = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(create, rank, chunk);
  hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, create, H5P_DEFAULT);
  assert_true(dataset >= 0 && H5Dwrite(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  H5Dclose(dataset);
  H5Pclose(create);
  H5Sclose(space);
}

static void* read_newer(hid_t file, const char* name, hid_t memory, size_t size, hsize_t* rows) {
  hsize_t extent[4] = {0};
  hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(dataset);
  H5Sget_simple_extent_dims(space, extent, NULL);
  void* values = malloc((size_t)H5Sget_simple_extent_npoints(space) * size + 1);
  assert_true(values && H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  H5Sclose(space);
  H5Dclose(dataset);
  *rows = extent[0];
  return values;
}

static void older_things(hid_t file, const int32_t* thing, hsize_t rows, int64_t version) {
  static const struct {
    const char* name;
    CpsThingKind kind;
    int64_t since;
  } KINDS[] = {{"/contacts/body", CPS_THING_BODY, 1},
               {"/contacts/fibre", CPS_THING_FIBRE, 2},
               {"/contacts/sheet", CPS_THING_SHEET, 6},
               {"/contacts/obstacle", CPS_THING_OBSTACLE, 1}};
  int32_t* numbers = malloc((2 * rows + 1) * sizeof *numbers);
  for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; ++k) {
    bool obstacle = KINDS[k].kind == CPS_THING_OBSTACLE;
    const hsize_t extent[2] = {rows, obstacle ? 1 : 2};
    if (KINDS[k].since > version) continue;
    for (hsize_t i = 0, n = 0; i < 2 * rows; ++i) {
      if (obstacle && i % 2 == 0) continue;
      numbers[n++] = thing[2 * i] == (int32_t)KINDS[k].kind ? thing[2 * i + 1] : -1;
    }
    write_older(file, KINDS[k].name, H5T_STD_I32LE, H5T_NATIVE_INT32, obstacle ? 1 : 2, extent, numbers);
  }
  free(numbers);
}

static void older_contacts(hid_t file, int64_t version) {
  static const char* const NEW[] = {"/contacts/point", "/contacts/thing", "/contacts/part", "/contacts/place",
                                    "/contacts/material"};
  hsize_t rows = 0;
  int32_t* thing = read_newer(file, "/contacts/thing", H5T_NATIVE_INT32, sizeof *thing, &rows);
  double* point = read_newer(file, "/contacts/point", H5T_NATIVE_DOUBLE, sizeof *point, &rows);
  double* place = read_newer(file, "/contacts/place", H5T_NATIVE_DOUBLE, sizeof *place, &rows);
  double *a = malloc((3 * rows + 1) * sizeof *a), *b = malloc((3 * rows + 1) * sizeof *b);
  const hsize_t vectors[2] = {rows, 3}, pairs[2] = {rows, 2};
  older_things(file, thing, rows, version);
  for (hsize_t i = 0; i < 3 * rows; ++i) a[i] = point[6 * (i / 3) + i % 3], b[i] = point[6 * (i / 3) + 3 + i % 3];
  write_older(file, "/contacts/point_a", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, vectors, a);
  write_older(file, "/contacts/point_b", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, vectors, b);
  for (hsize_t i = 0; i < 2 * rows; ++i) a[i] = thing[2 * i] == CPS_THING_FIBRE ? place[3 * i] : 0.0;
  if (version >= 2) write_older(file, "/contacts/arc", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, pairs, a);
  for (size_t k = 0; k < sizeof NEW / sizeof *NEW; ++k) assert_true(H5Ldelete(file, NEW[k], H5P_DEFAULT) >= 0);
  free(thing);
  free(point);
  free(place);
  free(a);
  free(b);
}

// The two of the deepest penetrations in one group, "/totals" or "/steps".
static void older_deepest(hid_t file, const char* group, int64_t version) {
  for (int side = 0; side < 2; ++side) {
    char kind_name[64], number_name[64], name[64];
    snprintf(kind_name, sizeof kind_name, "%s/deepest_kind_%c", group, 'a' + side);
    snprintf(number_name, sizeof number_name, "%s/deepest_number_%c", group, 'a' + side);
    snprintf(name, sizeof name, "%s/deepest_%c", group, 'a' + side);
    hsize_t extent[2] = {0, 1};
    int64_t* kind = read_newer(file, kind_name, H5T_NATIVE_INT64, sizeof *kind, &extent[0]);
    int64_t* number = read_newer(file, number_name, H5T_NATIVE_INT64, sizeof *number, &extent[0]);
    for (hsize_t i = 0; i < extent[0]; ++i) {
      bool sheet = kind[i] == CPS_THING_SHEET;
      int rest = kind[i] == CPS_THING_FIBRE ? 1 : kind[i] == CPS_THING_OBSTACLE ? 2 : 0;
      number[i] = sheet ? (INT64_C(1) << 30) + number[i] : 3 * number[i] + rest;
    }
    if (version >= 4) write_older(file, name, H5T_STD_I64LE, H5T_NATIVE_INT64, 1, extent, number);
    assert_true(H5Ldelete(file, kind_name, H5P_DEFAULT) >= 0 && H5Ldelete(file, number_name, H5P_DEFAULT) >= 0);
    free(kind);
    free(number);
  }
}

static inline void make_older(hid_t file, int64_t version) {
  older_contacts(file, version);
  older_deepest(file, "/totals", version);
  older_deepest(file, "/steps", version);
  hid_t attribute = H5Aopen(file, "format_version", H5P_DEFAULT);
  assert_true(H5Awrite(attribute, H5T_NATIVE_INT64, &version) >= 0);
  H5Aclose(attribute);
}

#endif
