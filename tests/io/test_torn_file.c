// A file under HDF5 is examined after each single write of its writer, as if it had been killed there. Chunks of one
// row make trees of three levels from few rows, so that nodes and roots are split over and over.
#include <fcntl.h>
#include <hdf5.h>
#include <unistd.h>

#include "io/ordered_file.h"
#include "io/write_log.h"
#include "test_helpers.h"

enum { DATASET_COUNT = 3 };

typedef struct Writer {
  int descriptor, journal_descriptor;
  CpsOrderedFile ordered;
  CpsJournal journal;
  hid_t file, dataset[DATASET_COUNT], counter;
  int64_t count;
} Writer;

static const char* const dataset_names[DATASET_COUNT] = {"a", "b", "c"};

// the datasets grow at different speeds and ranks
static int64_t rows_per_frame(int which) {
  return which == 0 ? 1 : which == 1 ? 7 : 40;
}

static double value_at(int which, int64_t row) {
  return (double)(which * 1000000 + row) + 0.5;
}

static void make_datasets(Writer* writer) {
  hsize_t extent = 0, largest = H5S_UNLIMITED, chunk = 1;
  hid_t space = H5Screate_simple(1, &extent, &largest), create = H5Pcreate(H5P_DATASET_CREATE);
  hid_t access = H5Pcreate(H5P_DATASET_ACCESS), scalar = H5Screate(H5S_SCALAR);
  H5Pset_chunk(create, 1, &chunk);
  H5Pset_fill_time(create, H5D_FILL_TIME_NEVER);
  H5Pset_chunk_cache(access, 0, 0, 0.0);
  for (int i = 0; i < DATASET_COUNT; ++i) {
    writer->dataset[i] =
        H5Dcreate2(writer->file, dataset_names[i], H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, create, access);
    assert_true(writer->dataset[i] >= 0);
  }
  writer->counter = H5Dcreate2(writer->file, "count", H5T_NATIVE_INT64, scalar, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(H5Dwrite(writer->counter, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &writer->count) >= 0);
  H5Sclose(space);
  H5Sclose(scalar);
  H5Pclose(create);
  H5Pclose(access);
}

static void open_writer(Writer* writer, const char* path) {
  *writer = (Writer){0};
  writer->descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
  assert_true(writer->descriptor >= 0);
  assert_int_equal(cps_journal_open(&writer->journal, path, NULL), CPS_OK);
  writer->journal.run = 17;
  writer->journal_descriptor = writer->journal.descriptor;
  writer->file = cps_ordered_open(&writer->ordered, writer->descriptor, true);
  assert_true(writer->file >= 0);
  make_datasets(writer);
  assert_true(cps_ordered_commit(&writer->ordered, writer->file, NULL, 0));
}

static void write_one_frame(Writer* writer) {
  for (int i = 0; i < DATASET_COUNT; ++i) {
    hsize_t start = (hsize_t)(writer->count * rows_per_frame(i)), size = (hsize_t)rows_per_frame(i);
    hsize_t extent = start + size;
    double values[64];
    for (hsize_t k = 0; k < size; ++k) values[k] = value_at(i, (int64_t)(start + k));
    assert_true(H5Dset_extent(writer->dataset[i], &extent) >= 0);
    hid_t file_space = H5Screate_simple(1, &extent, NULL), memory = H5Screate_simple(1, &size, NULL);
    H5Sselect_hyperslab(file_space, H5S_SELECT_SET, &start, NULL, &size, NULL);
    assert_true(H5Dwrite(writer->dataset[i], H5T_NATIVE_DOUBLE, memory, file_space, H5P_DEFAULT, values) >= 0);
    H5Sclose(file_space);
    H5Sclose(memory);
  }
  int64_t count = writer->count + 1;
  assert_true(cps_ordered_commit(&writer->ordered, writer->file, &writer->journal, count));
  assert_true(H5Dwrite(writer->counter, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &count) >= 0);
  writer->count = count;
}

static void close_writer(Writer* writer, bool remove_journal) {
  for (int i = 0; i < DATASET_COUNT; ++i) H5Dclose(writer->dataset[i]);
  H5Dclose(writer->counter);
  H5Fclose(writer->file);
  cps_ordered_release(&writer->ordered);
  close(writer->descriptor);
  cps_journal_close(&writer->journal, remove_journal);
}

// Opens the bytes with HDF5's own driver and checks every row that counts. Returns the counter.
static int64_t check_image(const FileImage* image) {
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_core(access, 65536, false);
  H5Pset_file_image(access, image->bytes, image->size);
  hid_t file = H5Fopen("image", H5F_ACC_RDONLY, access);
  H5Pclose(access);
  assert_true(file >= 0);
  int64_t count = -1;
  hid_t counter = H5Dopen2(file, "count", H5P_DEFAULT);
  assert_true(H5Dread(counter, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &count) >= 0);
  H5Dclose(counter);
  for (int i = 0; i < DATASET_COUNT && count > 0; ++i) {
    hid_t dataset = H5Dopen2(file, dataset_names[i], H5P_DEFAULT), space = H5Dget_space(dataset);
    hsize_t start = 0, size = (hsize_t)(count * rows_per_frame(i)), extent = 0;
    H5Sget_simple_extent_dims(space, &extent, NULL);
    assert_true(extent >= size);
    double* values = malloc((size_t)size * sizeof *values);
    assert_non_null(values);
    for (hsize_t k = 0; k < size; ++k) values[k] = NAN;  // HDF5 leaves alone what has no chunk
    hid_t memory = H5Screate_simple(1, &size, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &size, NULL);
    assert_true(H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0);
    for (hsize_t k = 0; k < size; ++k) {
      if (values[k] != value_at(i, (int64_t)k)) {
        print_error("%s[%d] is %g\n", dataset_names[i], (int)k, values[k]);
        fail();
      }
    }
    free(values);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(dataset);
  }
  H5Fclose(file);
  return count;
}

// Frames up to `first` are written unwatched; then each write of the next ones is examined.
static void watch(int first, int watched) {
  static const char path[] = "torn-file.h5";
  Writer writer;
  open_writer(&writer, path);
  while (writer.count < first) write_one_frame(&writer);
  FileImage image = {0};
  resize_image(&image, (size_t)lseek(writer.descriptor, 0, SEEK_END));
  assert_int_equal(pread(writer.descriptor, image.bytes, image.size, 0), (ssize_t)image.size);
  write_log_on = true;
  size_t frame_end[64];
  for (int i = 0; i < watched; ++i) {
    write_one_frame(&writer);
    frame_end[i] = write_log_count;
  }
  write_log_on = false;
  int64_t done = first;
  size_t frame = 0;
  for (size_t k = 0; k < write_log_count; ++k) {
    if (write_log[k].file != writer.descriptor) continue;
    apply_write(&image, &write_log[k]);
    while (frame < (size_t)watched && k + 1 >= frame_end[frame]) frame++;
    // most writes are single rows in fresh space; of these one in 16 is examined
    if (write_log[k].size == sizeof(double) && k + 1 != frame_end[frame > 0 ? frame - 1 : 0] && k % 16 != 0) continue;
    int64_t count = check_image(&image);
    // never less than what cps_ordered_commit() had promised, never less than before
    assert_true(count >= first + (int64_t)frame && count >= done && count <= first + (int64_t)frame + 1);
    done = count;
  }
  assert_int_equal(done, first + watched);
  clear_write_log();
  free(image.bytes);
  close_writer(&writer, true);
  unlink(path);
}

// Rows of frames that are not counted are cut off again, as when a result is closed; trees lose nodes and the file its
// end. The counted rows are there all the time.
static void every_prefix_can_be_read_while_uncounted_rows_are_cut_off(void** state) {
  (void)state;
  static const char path[] = "torn-cut.h5";
  Writer writer;
  open_writer(&writer, path);
  while (writer.count < 17) write_one_frame(&writer);
  int64_t counted = 12;
  assert_true(H5Dwrite(writer.counter, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &counted) >= 0);
  FileImage image = {0};
  resize_image(&image, (size_t)lseek(writer.descriptor, 0, SEEK_END));
  assert_int_equal(pread(writer.descriptor, image.bytes, image.size, 0), (ssize_t)image.size);
  write_log_on = true;
  for (int i = 0; i < DATASET_COUNT; ++i) {
    hsize_t extent = (hsize_t)(counted * rows_per_frame(i));
    assert_true(H5Dset_extent(writer.dataset[i], &extent) >= 0);
  }
  assert_true(cps_ordered_commit(&writer.ordered, writer.file, &writer.journal, counted));
  assert_int_equal(ftruncate(writer.descriptor, (off_t)writer.ordered.end_of_addresses), 0);
  write_log_on = false;
  int looked_at = 0;
  for (size_t k = 0; k < write_log_count; ++k) {
    if (write_log[k].file != writer.descriptor) continue;
    apply_write(&image, &write_log[k]);
    assert_int_equal(check_image(&image), counted);
    looked_at++;
  }
  assert_true(looked_at > 5);
  clear_write_log();
  free(image.bytes);
  close_writer(&writer, true);
  unlink(path);
}

static void every_prefix_of_the_writes_can_be_read_while_trees_are_small(void** state) {
  (void)state;
  watch(0, 4);
}

// "c" gets 40 chunks a frame: its root is split at 64 and at about 64 * 57 chunks, in frame 91
static void every_prefix_can_be_read_while_nodes_are_split(void** state) {
  (void)state;
  watch(8, 3);
}

// "b" has 119 rows after 17 frames, 62 of them in its second leaf: the next frame splits it and moves counted rows
static void every_prefix_can_be_read_while_counted_rows_move_to_another_node(void** state) {
  (void)state;
  watch(16, 3);
}

static void every_prefix_can_be_read_while_the_root_is_split_again(void** state) {
  (void)state;
  watch(90, 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_prefix_of_the_writes_can_be_read_while_trees_are_small),
      cmocka_unit_test(every_prefix_can_be_read_while_nodes_are_split),
      cmocka_unit_test(every_prefix_can_be_read_while_counted_rows_move_to_another_node),
      cmocka_unit_test(every_prefix_can_be_read_while_the_root_is_split_again),
      cmocka_unit_test(every_prefix_can_be_read_while_uncounted_rows_are_cut_off),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
