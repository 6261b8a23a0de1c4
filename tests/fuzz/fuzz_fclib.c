// Problem files that are well-formed HDF5 and ill-formed FCLIB: a small valid file is built through HDF5 calls while
// the fuzzer's bytes change types, shapes, lengths, entries and links of its datasets. Reading must end in a problem
// that can be solved or in a negative status with a message, and never crash. Raw bytes are not changed: see
// docs/reference/robustness.md.
#include "h5_changes.h"

#include <capstan/capstan.h>
#include <capstan/fclib.h>
#include <string.h>

enum { MAX_ENTRIES = 64 };

typedef enum Change {
  KEEP = 0,
  DROP,          // the dataset is not there
  GROUP,         // a group in its place
  SOFT_LINK,     // a link to somewhere in the file, perhaps to itself
  OUTSIDE_LINK,  // a link that leaves the file
  ENTRY,         // one entry is something else
  LENGTH,        // more or fewer entries
  RANK,          // a scalar, two dimensions, or no space at all
  TYPE,          // another type of number, or no number
  CHUNKS,        // stored in compressed chunks
  VAST,          // claims far more entries than the file holds
  CHANGE_COUNT
} Change;

int LLVMFuzzerInitialize(int* argc, char*** argv) {
  (void)argc;
  (void)argv;
  make_folder("problem.hdf5", NULL);
  return 0;
}

// The values are given as doubles and written as `memory` wants them; HDF5 converts to the type on disk.
static void write_values(hid_t set, bool integers, const double* value, hsize_t count) {
  int whole[MAX_ENTRIES];
  for (hsize_t k = 0; k < count; ++k) {
    whole[k] = value[k] >= -2147483648.0 && value[k] <= 2147483647.0 ? (int)value[k] : INT32_MIN;
  }
  if (integers) {
    (void)H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, whole);
  } else {
    (void)H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value);
  }
}

static hid_t draw_space(Bytes* bytes, Change change, hsize_t count) {
  hsize_t sizes[2] = {count, 1};
  if (change == VAST) sizes[0] = (hsize_t)1 << (20 + next_below(bytes, 40));
  if (change != RANK) return H5Screate_simple(1, sizes, NULL);
  switch (next_below(bytes, 4)) {
    case 0:
      return H5Screate(H5S_SCALAR);
    case 1:
      return H5Screate(H5S_NULL);
    case 2:
      return H5Screate_simple(2, sizes, NULL);
    default:
      sizes[0] = 0;
      return H5Screate_simple(1, sizes, NULL);
  }
}

// One dataset, changed as the bytes say; most stay as they are.
static void put(Bytes* bytes, hid_t file, const char* name, bool integers, const double* usual, hsize_t count) {
  int byte = next_byte(bytes);
  Change change = byte < 200 ? KEEP : (Change)(byte % CHANGE_COUNT);
  double value[MAX_ENTRIES] = {0};
  memcpy(value, usual, count * sizeof *value);
  if (change == DROP) return;
  if (change == GROUP) {
    (void)H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    return;
  }
  if (change == SOFT_LINK) {
    (void)H5Lcreate_soft(next_below(bytes, 2) ? name : "/fclib_local/vectors/mu", file, name, H5P_DEFAULT, H5P_DEFAULT);
    return;
  }
  if (change == OUTSIDE_LINK) {
    (void)H5Lcreate_external("/dev/zero", "/x", file, name, H5P_DEFAULT, H5P_DEFAULT);
    return;
  }
  if (change == ENTRY && count > 0) value[(hsize_t)next_byte(bytes) % count] = odd_value(bytes);
  if (change == LENGTH) count = (hsize_t)next_below(bytes, MAX_ENTRIES);
  hid_t type = change == TYPE ? draw_type(bytes, H5T_IEEE_F64LE) : integers ? H5T_STD_I32LE : H5T_IEEE_F64LE;
  hid_t space = draw_space(bytes, change, count), properties = H5Pcreate(H5P_DATASET_CREATE);
  if ((change == CHUNKS || change == VAST) && count > 0) {
    (void)H5Pset_chunk(properties, 1, &count);
    if (next_below(bytes, 2)) (void)H5Pset_deflate(properties, 6);
  }
  hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  bool plain = change != RANK && change != VAST && type != H5T_C_S1 && type != H5T_STD_B8LE;
  if (set >= 0) {
    if (plain) write_values(set, integers, value, count);
    (void)H5Dclose(set);
  }
  (void)H5Pclose(properties);
  (void)H5Sclose(space);
}

static void put_group(hid_t file, const char* name) {
  (void)H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

static void put_int(Bytes* bytes, hid_t file, const char* name, double value) {
  put(bytes, file, name, true, &value, 1);
}

// A size x size matrix with 2 on its diagonal, in one of the three layouts.
static void put_matrix(Bytes* bytes, hid_t file, const char* group, int size) {
  char name[64];
  double p[MAX_ENTRIES], index[MAX_ENTRIES], x[MAX_ENTRIES];
  int layout = next_below(bytes, 3);
  for (int k = 0; k <= size; ++k) {
    p[k] = index[k] = k;
    x[k] = 2.0 + 0.25 * next_below(bytes, 2);
  }
  put_group(file, group);
#define NAMED(suffix) ((void)snprintf(name, sizeof name, "%s/%s", group, suffix), name)
  put_int(bytes, file, NAMED("nzmax"), size);
  put_int(bytes, file, NAMED("m"), size);
  put_int(bytes, file, NAMED("n"), size);
  put_int(bytes, file, NAMED("nz"), layout == 0 ? size : -layout);
  put(bytes, file, NAMED("p"), true, p, (hsize_t)size + (layout == 0 ? 0 : 1));
  put(bytes, file, NAMED("i"), true, index, (hsize_t)size);
  put(bytes, file, NAMED("x"), false, x, (hsize_t)size);
#undef NAMED
}

static void write_file(Bytes* bytes) {
  hid_t file = open_in_memory(NULL, 0);
  const double mu[] = {0.5, 0.3, 0.0, 1.0}, b[] = {-1, 3, 4, -1, 0.5, 0.1, -2, 1, 1, 1, 0, 0};
  bool global = next_below(bytes, 2);
  int contacts = next_below(bytes, 5), dim = 2 + next_below(bytes, 2), rows = contacts * dim;
  put_group(file, global ? "/fclib_global" : "/fclib_local");
  put_group(file, global ? "/fclib_global/vectors" : "/fclib_local/vectors");
  put_int(bytes, file, global ? "/fclib_global/spacedim" : "/fclib_local/spacedim", dim);
  if (global) {
    put_matrix(bytes, file, "/fclib_global/M", rows);
    put_matrix(bytes, file, "/fclib_global/H", rows);
    put(bytes, file, "/fclib_global/vectors/f", false, b, (hsize_t)rows);
    put(bytes, file, "/fclib_global/vectors/w", false, b, (hsize_t)rows);
    put(bytes, file, "/fclib_global/vectors/mu", false, mu, (hsize_t)contacts);
    if (next_below(bytes, 8) == 7) put_matrix(bytes, file, "/fclib_global/G", rows);
  } else {
    put_matrix(bytes, file, "/fclib_local/W", rows);
    put(bytes, file, "/fclib_local/vectors/q", false, b, (hsize_t)rows);
    put(bytes, file, "/fclib_local/vectors/mu", false, mu, (hsize_t)contacts);
    if (next_below(bytes, 8) == 7) put_matrix(bytes, file, "/fclib_local/R", rows);
  }
  if (next_below(bytes, 2)) {
    put_group(file, "/solution");
    put(bytes, file, "/solution/r", false, b, (hsize_t)rows);
    put(bytes, file, "/solution/u", false, b, (hsize_t)rows);
  }
  if (next_below(bytes, 2)) {
    put_group(file, global ? "/fclib_global/info" : "/fclib_local/info");
    put(bytes, file, global ? "/fclib_global/info/title" : "/fclib_local/info/title", true, b, 3);
  }
  save_and_close(file);
}

static void solve(const CpsProblem* problem) {
  double r[MAX_ENTRIES] = {0}, u[MAX_ENTRIES];
  CHECK(cps_problem_row_count(problem) <= MAX_ENTRIES);
  CpsSolveOptions options = cps_solve_options_default();
  options.max_iterations = 20;
  CpsStatus status = cps_problem_solve(problem, &options, r, NULL, NULL);
  CHECK(status >= 0);
  for (int64_t k = 0; k < cps_problem_row_count(problem); ++k) CHECK(isfinite(r[k]));
  (void)cps_fclib_read_solution(file_name, cps_problem_row_count(problem), r, u, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes = {data, size};
  H5E_BEGIN_TRY {
    write_file(&bytes);
  }
  H5E_END_TRY
  for (int form = CPS_FORM_W; form <= CPS_FORM_FACTORED; ++form) {
    CpsProblem* problem = NULL;
    CpsFclibInfo info;
    CpsError error;
    CpsStatus status = cps_fclib_read(file_name, (CpsForm)form, &problem, &info, &error);
    if (status != CPS_OK) {
      CHECK(status < 0 && problem == NULL);
      CHECK(strstr(error.text, "problem.hdf5") && !strchr(error.text, '\n'));
      continue;
    }
    CHECK(memchr(info.title, '\0', sizeof info.title));
    solve(problem);
    cps_problem_destroy(problem);
  }
  return 0;
}
