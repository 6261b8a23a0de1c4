// Files that are wrong in one place each: the message names the file and the dataset, nothing is printed, nothing is
// left open, and the caller's variables keep their values.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "capstan/fclib.h"
#include "files.h"

// Descriptor 2 goes to a file while the reader runs, to see that neither it nor HDF5 prints.
static int mute_stderr(const char* path) {
  fflush(stderr);
  int saved = dup(2), file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
  dup2(file, 2);
  close(file);
  return saved;
}
static off_t restore_stderr(int saved) {
  fflush(stderr);
  struct stat facts;
  assert_int_equal(fstat(2, &facts), 0);
  dup2(saved, 2);
  close(saved);
  return facts.st_size;
}

static void assert_refused(const char* path, CpsStatus wanted, const char* dataset, const char* words) {
  CpsProblem* const untouched = (CpsProblem*)&wanted;
  CpsProblem* problem = untouched;
  CpsFclibInfo info = {.title = "before"};
  CpsError error = {""};
  int saved = mute_stderr(scratch_path("stderr"));
  CpsStatus status = cps_fclib_read(path, CPS_FORM_W, &problem, &info, &error);
  off_t printed = restore_stderr(saved);
  if (status != wanted || !strstr(error.text, words)) print_error("status %d: %s\n", status, error.text);
  assert_int_equal(status, wanted);
  assert_non_null(strstr(error.text, words));
  assert_true(strncmp(error.text, path, strlen(path)) == 0);
  if (dataset) assert_non_null(strstr(error.text, dataset));
  assert_ptr_equal(problem, untouched);
  assert_string_equal(info.title, "before");
  assert_int_equal(printed, 0);
  assert_null(strchr(error.text, '\n'));
  assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
  // without a CpsError the answer is the same
  assert_int_equal(cps_fclib_read(path, CPS_FORM_W, &problem, NULL, NULL), wanted);
}

typedef struct Damage {
  const char* name;
  void (*apply)(hid_t file);
  CpsStatus status;
  const char* dataset;
  const char* words;
} Damage;

static void drop(hid_t file, const char* name) {
  assert_true(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
}

static void no_W(hid_t file) {
  drop(file, "/fclib_local/W");
}
static void no_q(hid_t file) {
  drop(file, "/fclib_local/vectors/q");
}
static void no_nzmax(hid_t file) {
  drop(file, "/fclib_local/W/nzmax");
}
static void no_vectors(hid_t file) {
  drop(file, "/fclib_local/vectors");
}
static void spacedim_5(hid_t file) {
  put_int(file, "/fclib_local/spacedim", 5);
}
static void spacedim_of_two_numbers(hid_t file) {
  put_ints(file, "/fclib_local/spacedim", 2, (int[]){3, 3});
}
static void spacedim_real(hid_t file) {
  put_doubles(file, "/fclib_local/spacedim", 1, (double[]){3.0});
}
static void q_of_integers(hid_t file) {
  put_ints(file, "/fclib_local/vectors/q", 6, (int[]){1, 2, 3, 4, 5, 6});
}
static void q_short(hid_t file) {
  put_doubles(file, "/fclib_local/vectors/q", 5, small_q);
}
static void q_is_a_group(hid_t file) {
  drop(file, "/fclib_local/vectors/q");
  put_group(file, "/fclib_local/vectors/q");
}
static void q_of_infinity(hid_t file) {
  put_doubles(file, "/fclib_local/vectors/q", 6, (double[]){0, 0, 0, 0, INFINITY, 0});
}
static void mu_of_nan(hid_t file) {
  put_doubles(file, "/fclib_local/vectors/mu", 2, (double[]){0.1, NAN});
}
static void mu_negative(hid_t file) {
  put_doubles(file, "/fclib_local/vectors/mu", 2, (double[]){0.1, -0.2});
}
static void mu_long(hid_t file) {
  put_doubles(file, "/fclib_local/vectors/mu", 3, small_q + 1);
}
static void m_wrong(hid_t file) {
  put_int(file, "/fclib_local/W/m", 7);
}
static void n_wrong(hid_t file) {
  put_int(file, "/fclib_local/W/n", -6);
}
static void nz_wrong(hid_t file) {
  put_int(file, "/fclib_local/W/nz", -3);
}
static void nz_beyond(hid_t file) {
  put_int(file, "/fclib_local/W/nz", 37);
}
static void nzmax_small(hid_t file) {
  put_int(file, "/fclib_local/W/nzmax", 35);
}
static void p_short(hid_t file) {
  put_ints(file, "/fclib_local/W/p", 6, (int[]){0, 6, 12, 18, 24, 30});
}
static void p_late(hid_t file) {
  put_ints(file, "/fclib_local/W/p", 7, (int[]){1, 6, 12, 18, 24, 30, 36});
}
static void p_falls(hid_t file) {
  put_ints(file, "/fclib_local/W/p", 7, (int[]){0, 6, 5, 18, 24, 30, 36});
}
static void p_beyond(hid_t file) {
  put_ints(file, "/fclib_local/W/p", 7, (int[]){0, 6, 12, 18, 24, 30, 37});
}
static void i_outside(hid_t file) {
  int i[36];
  for (int k = 0; k < 36; ++k) i[k] = k % 6;
  i[17] = 6;
  put_ints(file, "/fclib_local/W/i", 36, i);
}
static void i_negative(hid_t file) {
  int64_t i[36];
  for (int k = 0; k < 36; ++k) i[k] = k % 6;
  i[3] = -4294967293;  // 3 if only 32 bits were kept
  put_typed(file, "/fclib_local/W/i", H5T_STD_I64LE, H5T_NATIVE_INT64, 36, i);
}
static void triplet_outside(hid_t file) {
  int at[2] = {0, 6};
  put_matrix(file, "/fclib_local/W", 6, 6, 2, 2, 2, at, 2, at, small_q);
}
static void x_short(hid_t file) {
  put_doubles(file, "/fclib_local/W/x", 6, small_q);
}
static void x_of_nan(hid_t file) {
  double x[36] = {0};
  x[20] = NAN;
  put_doubles(file, "/fclib_local/W/x", 36, x);
}
static void x_of_two_dimensions(hid_t file) {
  drop(file, "/fclib_local/W/x");
  hsize_t extent[2] = {6, 6};
  hid_t space = H5Screate_simple(2, extent, NULL);
  hid_t dataset = H5Dcreate2(file, "/fclib_local/W/x", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, small_W);
  H5Dclose(dataset);
  H5Sclose(space);
}
static void x_of_text(hid_t file) {
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, 8);
  char text[36][8] = {{0}};
  put_typed(file, "/fclib_local/W/x", type, type, 36, text);
  H5Tclose(type);
}
static void x_of_nothing(hid_t file) {
  drop(file, "/fclib_local/W/x");
  hid_t space = H5Screate(H5S_NULL);
  H5Dclose(H5Dcreate2(file, "/fclib_local/W/x", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Sclose(space);
}
// Claims 10^12 numbers and stores none of them.
static void claim(hid_t file, const char* name, bool chunked, bool compressed) {
  drop(file, name);
  hsize_t extent = 1000000000000ULL, chunk = 1 << 20;
  hid_t space = H5Screate_simple(1, &extent, NULL), layout = H5Pcreate(H5P_DATASET_CREATE);
  if (chunked) H5Pset_chunk(layout, 1, &chunk);
  if (compressed) H5Pset_deflate(layout, 9);
  hid_t dataset = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, H5P_DEFAULT);
  if (compressed) {
    // one chunk of zeros is really there
    hsize_t start = 0;
    double* zeros = calloc(chunk, sizeof *zeros);
    hid_t memory = H5Screate_simple(1, &chunk, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &chunk, NULL);
    H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, zeros);
    H5Sclose(memory);
    free(zeros);
  }
  H5Dclose(dataset);
  H5Pclose(layout);
  H5Sclose(space);
}
static void bomb_contiguous(hid_t file) {
  claim(file, "/fclib_local/vectors/mu", false, false);
}
static void bomb_chunked(hid_t file) {
  claim(file, "/fclib_local/vectors/q", true, false);
}
static void bomb_compressed(hid_t file) {
  claim(file, "/fclib_local/W/x", true, true);
}
static void external_link(hid_t file) {
  drop(file, "/fclib_local/vectors/q");
  H5Lcreate_external("other.hdf5", "/q", file, "/fclib_local/vectors/q", H5P_DEFAULT, H5P_DEFAULT);
}
static void dangling_link(hid_t file) {
  drop(file, "/fclib_local/vectors/q");
  H5Lcreate_soft("/nowhere", file, "/fclib_local/vectors/q", H5P_DEFAULT, H5P_DEFAULT);
}
static void external_storage(hid_t file) {
  drop(file, "/fclib_local/vectors/q");
  hsize_t extent = 6;
  hid_t space = H5Screate_simple(1, &extent, NULL), layout = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_external(layout, "/etc/passwd", 0, 48);
  H5Dclose(H5Dcreate2(file, "/fclib_local/vectors/q", H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, H5P_DEFAULT));
  H5Pclose(layout);
  H5Sclose(space);
}
static void virtual_storage(hid_t file) {
  drop(file, "/fclib_local/vectors/q");
  hsize_t extent = 6;
  hid_t space = H5Screate_simple(1, &extent, NULL), layout = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_virtual(layout, space, "other.hdf5", "/q", space);
  H5Dclose(H5Dcreate2(file, "/fclib_local/vectors/q", H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, H5P_DEFAULT));
  H5Pclose(layout);
  H5Sclose(space);
}
static void equality_constraints(hid_t file) {
  const int p[1] = {0}, i[1] = {0};
  put_matrix(file, "/fclib_local/V", 6, 1, 1, 1, 1, p, 1, i, small_q);
}
static void rolling(hid_t file) {
  drop(file, "/fclib_local");
  put_group(file, "/fclib_global_rolling");
}
static void foreign(hid_t file) {
  drop(file, "/fclib_local");
}
static void problem_is_a_dataset(hid_t file) {
  drop(file, "/fclib_local");
  put_int(file, "/fclib_local", 3);
}

static const Damage damages[] = {
    {"no_W", no_W, CPS_BAD_FORMAT, "/fclib_local/W", "missing"},
    {"no_q", no_q, CPS_BAD_FORMAT, "/fclib_local/vectors/q", "missing"},
    {"no_nzmax", no_nzmax, CPS_BAD_FORMAT, "/fclib_local/W/nzmax", "missing"},
    {"no_vectors", no_vectors, CPS_BAD_FORMAT, "/fclib_local/vectors/mu", "missing"},
    {"spacedim_5", spacedim_5, CPS_BAD_FORMAT, "/fclib_local/spacedim", "must be 2 or 3"},
    {"spacedim_of_two_numbers", spacedim_of_two_numbers, CPS_BAD_FORMAT, "/fclib_local/spacedim", "must have one"},
    {"spacedim_real", spacedim_real, CPS_BAD_FORMAT, "/fclib_local/spacedim", "does not hold integers"},
    {"q_of_integers", q_of_integers, CPS_BAD_FORMAT, "/fclib_local/vectors/q", "does not hold floating-point"},
    {"q_short", q_short, CPS_BAD_FORMAT, "/fclib_local/vectors/q", "has 5 entries, must have 6"},
    {"q_is_a_group", q_is_a_group, CPS_BAD_FORMAT, "/fclib_local/vectors/q", "is not a dataset"},
    {"q_of_infinity", q_of_infinity, CPS_BAD_DATA, "/fclib_local/vectors/q", "entry 4"},
    {"mu_of_nan", mu_of_nan, CPS_BAD_DATA, "/fclib_local/vectors/mu", "entry 1"},
    {"mu_negative", mu_negative, CPS_BAD_DATA, "/fclib_local/vectors/mu", "contact 1"},
    {"mu_long", mu_long, CPS_BAD_DATA, "/fclib_local/vectors/mu", "contact 2"},
    {"m_wrong", m_wrong, CPS_BAD_FORMAT, "/fclib_local/W/m", "is 7, must be 6"},
    {"n_wrong", n_wrong, CPS_BAD_FORMAT, "/fclib_local/W/n", "is -6, must be 6"},
    {"nz_wrong", nz_wrong, CPS_BAD_FORMAT, "/fclib_local/W/nz", "is -3"},
    {"nz_beyond", nz_beyond, CPS_BAD_FORMAT, "/fclib_local/W/nzmax", "less than the 37 entries"},
    {"nzmax_small", nzmax_small, CPS_BAD_FORMAT, "/fclib_local/W/nzmax", "less than the 36 entries"},
    {"p_short", p_short, CPS_BAD_FORMAT, "/fclib_local/W/p", "has 6 entries, must have 7"},
    {"p_late", p_late, CPS_BAD_FORMAT, "/fclib_local/W/p", "starts at 1"},
    {"p_falls", p_falls, CPS_BAD_FORMAT, "/fclib_local/W/p", "decreases at entry 2"},
    {"p_beyond", p_beyond, CPS_BAD_FORMAT, "/fclib_local/W/nzmax", "less than the 37 entries"},
    {"i_outside", i_outside, CPS_BAD_FORMAT, "/fclib_local/W/i", "entry 17 is 6"},
    {"i_negative", i_negative, CPS_BAD_FORMAT, "/fclib_local/W/i", "entry 3 is -4294967293"},
    {"triplet_outside", triplet_outside, CPS_BAD_FORMAT, "/fclib_local/W/i", "entry 1 is 6"},
    {"x_short", x_short, CPS_BAD_FORMAT, "/fclib_local/W/x", "has 6 entries, must have 36"},
    {"x_of_nan", x_of_nan, CPS_BAD_DATA, "/fclib_local/W/x", "entry 20"},
    {"x_of_two_dimensions", x_of_two_dimensions, CPS_BAD_FORMAT, "/fclib_local/W/x", "has 2 dimensions"},
    {"x_of_text", x_of_text, CPS_BAD_FORMAT, "/fclib_local/W/x", "does not hold floating-point"},
    {"x_of_nothing", x_of_nothing, CPS_BAD_FORMAT, "/fclib_local/W/x", "is empty"},
    {"bomb_contiguous", bomb_contiguous, CPS_BAD_FORMAT, "/fclib_local/vectors/mu", "claims 1000000000000 entries"},
    {"bomb_chunked", bomb_chunked, CPS_BAD_FORMAT, "/fclib_local/vectors/q", "claims 1000000000000 entries"},
    {"bomb_compressed", bomb_compressed, CPS_BAD_FORMAT, "/fclib_local/W/x", "claims 1000000000000 entries"},
    {"external_link", external_link, CPS_BAD_FORMAT, "/fclib_local/vectors/q", "cannot be opened"},
    {"dangling_link", dangling_link, CPS_BAD_FORMAT, "/fclib_local/vectors/q", "cannot be opened"},
    {"external_storage", external_storage, CPS_BAD_FORMAT, "/fclib_local/vectors/q", "not in the file"},
    {"virtual_storage", virtual_storage, CPS_BAD_FORMAT, "/fclib_local/vectors/q", "not in the file"},
    {"equality_constraints", equality_constraints, CPS_UNSUPPORTED, "/fclib_local/V", "equality constraints"},
    {"rolling", rolling, CPS_UNSUPPORTED, NULL, "rolling friction"},
    {"foreign", foreign, CPS_BAD_FORMAT, NULL, "holds no friction problem"},
    {"problem_is_a_dataset", problem_is_a_dataset, CPS_BAD_FORMAT, "/fclib_local/spacedim", "missing"},
};

static void each_damage_is_named(void** state) {
  (void)state;
  for (size_t k = 0; k < sizeof damages / sizeof damages[0]; ++k) {
    const char* path = scratch_path("damaged.hdf5");
    hid_t file = make_local(path);
    damages[k].apply(file);
    H5Fclose(file);
    assert_refused(path, damages[k].status, damages[k].dataset, damages[k].words);
  }
}

static void a_path_that_is_no_file_is_refused(void** state) {
  (void)state;
  assert_refused("not-there.hdf5", CPS_FILE_ERROR, NULL, "No such file");
  assert_refused(scratch_folder, CPS_FILE_ERROR, NULL, "is a directory");
  assert_refused("/dev/null", CPS_FILE_ERROR, NULL, "is not a regular file");
  const char* path = scratch_path("text.hdf5");
  FILE* text = fopen(path, "w");
  fputs("not HDF5\n", text);
  fclose(text);
  assert_refused(path, CPS_BAD_FORMAT, NULL, "is not an HDF5 file");
  fclose(fopen(path, "w"));
  assert_refused(path, CPS_BAD_FORMAT, NULL, "is not an HDF5 file");
}

static void bad_arguments_are_refused(void** state) {
  (void)state;
  CpsProblem* problem = NULL;
  CpsError error;
  assert_int_equal(cps_fclib_read(NULL, CPS_FORM_W, &problem, NULL, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_fclib_read("x", CPS_FORM_W, NULL, NULL, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_fclib_read("x", (CpsForm)7, &problem, NULL, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_fclib_read_solution(NULL, 3, NULL, NULL, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_fclib_read_solution("x", -1, NULL, NULL, &error), CPS_BAD_ARGUMENT);
  assert_null(problem);
}

// A path longer than the message keeps its end and the reason.
static void a_long_path_leaves_room_for_the_reason(void** state) {
  (void)state;
  char path[400];
  memset(path, 'a', sizeof path);
  memcpy(path + sizeof path - 10, "/end.hdf5", 10);
  CpsProblem* problem = NULL;
  CpsError error;
  assert_int_equal(cps_fclib_read(path, CPS_FORM_W, &problem, NULL, &error), CPS_FILE_ERROR);
  assert_non_null(strstr(error.text, "/end.hdf5: "));
  assert_true(strlen(error.text) < sizeof error.text);
}

// Wherever a file is cut, it is refused.
static void every_truncation_is_refused(void** state) {
  (void)state;
  const char* whole = scratch_path("whole.hdf5");
  const char* cut = scratch_path("cut.hdf5");
  H5Fclose(make_local(whole));
  FILE* in = fopen(whole, "rb");
  char bytes[65536];
  size_t size = fread(bytes, 1, sizeof bytes, in);
  fclose(in);
  assert_true(size > 1000 && size < sizeof bytes);
  for (size_t length = 0; length < size; length += 61) {
    FILE* out = fopen(cut, "wb");
    fwrite(bytes, 1, length, out);
    fclose(out);
    CpsProblem* problem = NULL;
    CpsError error;
    assert_int_equal(cps_fclib_read(cut, CPS_FORM_W, &problem, NULL, &error), CPS_BAD_FORMAT);
    assert_null(problem);
  }
}

// Names of links of old groups are in local heaps: "HEAP", 4 bytes, size of the data block, first free block, address of the data block.
// Libhdf5 1.10 believes them: it crashes on the first two, and follows the others without end or out of the block.
typedef enum HeapDamage {
  ENDLESS_BLOCK,
  BLOCK_OUTSIDE,
  FREE_LIST_CLOSED,
  FREE_LIST_OUTSIDE,
  HEAP_DAMAGE_COUNT
} HeapDamage;

static void damage_heap(unsigned char* bytes, size_t heap, HeapDamage damage) {
  uint64_t size = 0, block = 0, inside = 8, outside = 0, length = 16;
  memcpy(&size, bytes + heap + 8, 8);
  memcpy(&block, bytes + heap + 24, 8);
  outside = size - 8;
  switch (damage) {
    case ENDLESS_BLOCK:
      memset(bytes + heap + 8, 0xff, 8);
      break;
    case BLOCK_OUTSIDE:
      memset(bytes + heap + 24, 0x7f, 7);
      break;
    case FREE_LIST_CLOSED:
      memcpy(bytes + heap + 16, &inside, 8);
      memcpy(bytes + block + inside, &inside, 8);
      memcpy(bytes + block + inside + 8, &length, 8);
      break;
    case FREE_LIST_OUTSIDE:
      memcpy(bytes + heap + 16, &outside, 8);
      break;
    case HEAP_DAMAGE_COUNT:
      break;
  }
}

static void heaps_of_names_that_lie_are_refused(void** state) {
  (void)state;
  const char* whole = scratch_path("whole.hdf5");
  const char* lying = scratch_path("lying.hdf5");
  H5Fclose(make_local(whole));
  static unsigned char bytes[65536], changed[65536];
  FILE* in = fopen(whole, "rb");
  size_t size = fread(bytes, 1, sizeof bytes, in);
  fclose(in);
  int heaps = 0;
  for (size_t at = 0; at + 32 < size; ++at) {
    if (memcmp(bytes + at, "HEAP", 4) != 0) continue;
    ++heaps;
    for (HeapDamage damage = 0; damage < HEAP_DAMAGE_COUNT; ++damage) {
      memcpy(changed, bytes, size);
      damage_heap(changed, at, damage);
      FILE* out = fopen(lying, "wb");
      fwrite(changed, 1, size, out);
      fclose(out);
      assert_refused(lying, CPS_BAD_FORMAT, NULL, "");
    }
  }
  assert_int_equal(heaps, 4);  // of the root, of /fclib_local, of vectors and of W
}

static herr_t own_handler(hid_t stack, void* data) {
  (void)stack, (void)data;
  return 0;
}

static void the_error_handler_of_the_caller_is_kept(void** state) {
  (void)state;
  H5E_auto2_t saved = NULL, found = NULL;
  void *saved_data = NULL, *found_data = NULL;
  int mark = 0;
  H5Eget_auto2(H5E_DEFAULT, &saved, &saved_data);
  H5Eset_auto2(H5E_DEFAULT, own_handler, &mark);
  CpsProblem* problem = NULL;
  const char* path = scratch_path("handler.hdf5");
  hid_t file = make_local(path);
  drop(file, "/fclib_local/vectors/q");
  H5Fclose(file);
  assert_int_equal(cps_fclib_read(path, CPS_FORM_W, &problem, NULL, NULL), CPS_BAD_FORMAT);
  H5Eget_auto2(H5E_DEFAULT, &found, &found_data);
  H5Eset_auto2(H5E_DEFAULT, saved, saved_data);
  assert_true(found == own_handler);
  assert_ptr_equal(found_data, &mark);
}

static void a_solution_of_another_size_is_refused(void** state) {
  (void)state;
  const char* path = scratch_path("solution.hdf5");
  hid_t file = make_local(path);
  put_group(file, "/solution");
  put_doubles(file, "/solution/u", 6, small_q);
  put_doubles(file, "/solution/r", 5, small_q);
  H5Fclose(file);
  double r[6] = {1, 2, 3, 4, 5, 6}, u[6] = {6, 5, 4, 3, 2, 1};
  CpsError error;
  assert_int_equal(cps_fclib_read_solution(path, 6, r, u, &error), CPS_BAD_FORMAT);
  assert_non_null(strstr(error.text, "/solution/r: has 5 entries"));
  assert_true(r[0] == 1.0 && u[0] == 6.0);
  assert_int_equal(cps_fclib_read_solution(path, 6, NULL, u, &error), CPS_OK);
  assert_true(u[0] == small_q[0] && u[5] == small_q[5]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_damage_is_named),
      cmocka_unit_test(a_path_that_is_no_file_is_refused),
      cmocka_unit_test(bad_arguments_are_refused),
      cmocka_unit_test(a_long_path_leaves_room_for_the_reason),
      cmocka_unit_test(every_truncation_is_refused),
      cmocka_unit_test(heaps_of_names_that_lie_are_refused),
      cmocka_unit_test(the_error_handler_of_the_caller_is_kept),
      cmocka_unit_test(a_solution_of_another_size_is_refused),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
