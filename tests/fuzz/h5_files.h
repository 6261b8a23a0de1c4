// What the targets that damage a good HDF5 file share: the changes, one after the other, where the fuzzer's bytes say.
#ifndef CAPSTAN_TESTS_FUZZ_H5_FILES_H
#define CAPSTAN_TESTS_FUZZ_H5_FILES_H

#include "h5_changes.h"

#include <capstan/base.h>
#include <string.h>

enum { MOST_NAMES = 128, NAME_SIZE = 48, MOST_CHANGES = 4, MOST_RANK = 3 };

// A file that is right, and what it holds.
static struct {
  void* image;
  size_t size;
  char datasets[MOST_NAMES][NAME_SIZE], attributes[MOST_NAMES][NAME_SIZE];
  int dataset_count, attribute_count;
} good_file;

// Waiting for the disk would be most of the time.
int fsync(int file) {
  (void)file;
  return 0;
}

int fdatasync(int file) {
  (void)file;
  return 0;
}

static inline herr_t note_dataset(hid_t file, const char* name, const H5O_info_t* info, void* data) {
  (void)file;
  (void)data;
  if (info->type != H5O_TYPE_DATASET || good_file.dataset_count == MOST_NAMES) return 0;
  (void)snprintf(good_file.datasets[good_file.dataset_count++], NAME_SIZE, "%s", name);
  return 0;
}

static inline herr_t note_attribute(hid_t file, const char* name, const H5A_info_t* info, void* data) {
  (void)file;
  (void)info;
  (void)data;
  if (good_file.attribute_count == MOST_NAMES) return 0;
  (void)snprintf(good_file.attributes[good_file.attribute_count++], NAME_SIZE, "%s", name);
  return 0;
}

// Another dataset in its place, of another type or shape, full of one value.
static inline void replace(Bytes* bytes, hid_t file, const char* name, bool retype) {
  hid_t old = H5Dopen2(file, name, H5P_DEFAULT);
  hid_t type = H5Dget_type(old), space = H5Dget_space(old);
  hsize_t sizes[H5S_MAX_RANK] = {0};
  int rank = H5Sget_simple_extent_dims(space, sizes, NULL);
  if (!retype) {
    int which = next_below(bytes, MOST_RANK);
    if (which < rank) sizes[which] = (hsize_t)next_below(bytes, 12);
    if (next_below(bytes, 4) == 0) rank = next_below(bytes, MOST_RANK + 1);
  }
  hid_t drawn = retype ? draw_type(bytes, H5T_IEEE_F64LE) : type;
  hid_t made_space = rank > 0 ? H5Screate_simple(rank, sizes, NULL) : H5Screate(H5S_SCALAR);
  (void)H5Dclose(old);
  (void)H5Ldelete(file, name, H5P_DEFAULT);
  hid_t set = H5Dcreate2(file, name, drawn, made_space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  double one = next_number(bytes);
  hid_t scalar = H5Screate(H5S_SCALAR);
  if (set >= 0 && H5Sget_simple_extent_npoints(made_space) == 1) {
    (void)H5Dwrite(set, H5T_NATIVE_DOUBLE, scalar, H5S_ALL, H5P_DEFAULT, &one);
  }
  if (set >= 0) (void)H5Dclose(set);
  (void)H5Sclose(scalar);
  (void)H5Sclose(made_space);
  (void)H5Sclose(space);
  (void)H5Tclose(type);
}

static inline void change_entry(Bytes* bytes, hid_t set) {
  hid_t space = H5Dget_space(set), one = H5Screate(H5S_SCALAR);
  hsize_t sizes[H5S_MAX_RANK] = {0}, at[H5S_MAX_RANK] = {0};
  int rank = H5Sget_simple_extent_dims(space, sizes, NULL);
  for (int i = 0; i < rank; ++i) at[i] = sizes[i] > 0 ? (hsize_t)next_byte(bytes) % sizes[i] : 0;
  if (rank > 0) (void)H5Sselect_elements(space, H5S_SELECT_SET, 1, at);
  double value = next_below(bytes, 2) ? odd_value(bytes) : next_number(bytes) * next_scale(bytes);
  int64_t whole = next_below(bytes, 4) ? next_byte(bytes) - 8 : next_below(bytes, 2) ? INT64_MAX : INT64_MIN;
  bool integer = H5Tget_class(H5Dget_type(set)) == H5T_INTEGER;
  (void)H5Dwrite(set, integer ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE, one, space, H5P_DEFAULT,
                 integer ? (void*)&whole : (void*)&value);
  (void)H5Sclose(one);
  (void)H5Sclose(space);
}

enum { MOST_CHUNKS = 1 << 20 };

// Longer or shorter, perhaps far longer than the file. What is far longer already stays so: HDF5 visits every chunk that a shorter one
// loses, whether the file has it or not, and would not come back.
static inline void change_length(Bytes* bytes, hid_t set) {
  hid_t space = H5Dget_space(set);
  hsize_t sizes[H5S_MAX_RANK] = {0};
  int rank = H5Sget_simple_extent_dims(space, sizes, NULL);
  int byte = next_byte(bytes);
  if (rank > 0 && sizes[0] > MOST_CHUNKS) rank = 0;
  if (rank > 0) sizes[0] = byte < 128 ? (hsize_t)byte % 12 : (hsize_t)1 << (byte % 63);
  if (rank > 0) (void)H5Dset_extent(set, sizes);
  (void)H5Sclose(space);
}

static inline void change_dataset(Bytes* bytes, hid_t file) {
  const char* name = good_file.datasets[next_byte(bytes) % good_file.dataset_count];
  int kind = next_below(bytes, 12);
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  if (set < 0) return;  // changed before
  if (kind < 6) change_entry(bytes, set);
  if (kind == 6 || kind == 7) change_length(bytes, set);
  (void)H5Dclose(set);
  if (kind == 8 || kind == 9) replace(bytes, file, name, kind == 8);
  if (kind < 10) return;
  (void)H5Ldelete(file, name, H5P_DEFAULT);
  if (kind == 11) (void)H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

static inline void change_attribute(Bytes* bytes, hid_t file) {
  const char* name = good_file.attributes[next_byte(bytes) % good_file.attribute_count];
  (void)H5Adelete(file, name);
  int kind = next_below(bytes, 4);
  if (kind == 0) return;
  hsize_t count = (hsize_t)next_below(bytes, 4);
  hid_t space = kind == 1 ? H5Screate_simple(1, &count, NULL) : H5Screate(H5S_SCALAR);
  hid_t made = H5Acreate2(file, name, draw_type(bytes, H5T_IEEE_F64LE), space, H5P_DEFAULT, H5P_DEFAULT);
  double values[4] = {odd_value(bytes), odd_value(bytes)};
  if (made >= 0) (void)H5Awrite(made, H5T_NATIVE_DOUBLE, values);
  if (made >= 0) (void)H5Aclose(made);
  (void)H5Sclose(space);
}

static inline void read_image(void) {
  FILE* in = fopen(file_name, "rb");
  CHECK(in && fseek(in, 0, SEEK_END) == 0);
  good_file.size = (size_t)ftell(in);
  good_file.image = malloc(good_file.size);
  rewind(in);
  CHECK(good_file.image && fread(good_file.image, 1, good_file.size, in) == good_file.size);
  CHECK(fclose(in) == 0);
}

// Reads `file_name` and lists its datasets and the attributes of its root.
static inline void read_good_file(void) {
  read_image();
  hid_t file = open_in_memory(good_file.image, good_file.size);
  CHECK(H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, note_dataset, NULL) >= 0);
  CHECK(H5Aiterate2(file, H5_INDEX_NAME, H5_ITER_INC, NULL, note_attribute, NULL) >= 0);
  (void)H5Fclose(file);
}

// Writes `file_name` again, changed in a few places.
static inline void change_good_file(Bytes* bytes) {
  H5E_BEGIN_TRY {
    hid_t file = open_in_memory(good_file.image, good_file.size);
    int changes = 1 + next_below(bytes, MOST_CHANGES);
    for (int i = 0; i < changes; ++i) {
      if (next_below(bytes, 6) == 5 && good_file.attribute_count > 0) {
        change_attribute(bytes, file);
      } else {
        change_dataset(bytes, file);
      }
    }
    save_and_close(file);
  }
  H5E_END_TRY
}

static inline void check_sentence(CpsStatus status, const CpsError* error) {
  if (status != CPS_OK) CHECK(status < 0 && strlen(error->text) > 10 && !strchr(error->text, '\n'));
}

#endif
