// The reader of FCLIB files: every layout means the same matrix, and every public file is understood.
#include <dirent.h>
#include <sys/stat.h>

#include "capstan/fclib.h"
#include "files.h"

// W of a problem as a dense matrix.
static void dense_W(const CpsProblem* problem, double* W) {
  int64_t rows = cps_problem_row_count(problem), entries = cps_problem_W_entry_count(problem);
  int64_t* start = malloc(((size_t)rows + 1) * sizeof *start);
  int32_t* col = malloc(((size_t)entries + 1) * sizeof *col);
  double* value = malloc(((size_t)entries + 1) * sizeof *value);
  assert_int_equal(cps_problem_W_csr(problem, start, col, value), CPS_OK);
  memset(W, 0, (size_t)(rows * rows) * sizeof *W);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t k = start[i]; k < start[i + 1]; ++k) W[i * rows + col[k]] = value[k];
  }
  free(start);
  free(col);
  free(value);
}

static void assert_small_problem(const char* path) {
  CpsProblem* problem = NULL;
  CpsError error;
  CpsStatus status = cps_fclib_read(path, CPS_FORM_W, &problem, NULL, &error);
  if (status != CPS_OK) print_error("%s\n", error.text);
  assert_int_equal(status, CPS_OK);
  assert_string_equal(error.text, "");
  assert_int_equal(cps_problem_contact_count(problem), 2);
  double W[SMALL_ROWS * SMALL_ROWS];
  dense_W(problem, W);
  // reading copies numbers, so the bits are the file's
  for (int k = 0; k < SMALL_ROWS * SMALL_ROWS; ++k) assert_true(W[k] == small_W[k / SMALL_ROWS][k % SMALL_ROWS]);
  for (int i = 0; i < SMALL_ROWS; ++i) assert_true(cps_problem_b(problem)[i] == small_q[i]);
  for (int i = 0; i < 2; ++i) assert_true(cps_problem_mu(problem)[i] == small_mu[i]);
  cps_problem_destroy(problem);
}

static void compressed_rows_are_read(void** state) {
  (void)state;
  const char* path = scratch_path("rows.hdf5");
  H5Fclose(make_local(path));
  assert_small_problem(path);
}

static void compressed_columns_are_read(void** state) {
  (void)state;
  const char* path = scratch_path("columns.hdf5");
  hid_t file = make_local(path);
  int p[SMALL_ROWS + 1], i[36];
  double x[36];
  for (int c = 0; c <= SMALL_ROWS; ++c) p[c] = c * SMALL_ROWS;
  for (int k = 0; k < 36; ++k) {
    i[k] = k % SMALL_ROWS;
    x[k] = small_W[k % SMALL_ROWS][k / SMALL_ROWS];
  }
  put_matrix(file, "/fclib_local/W", SMALL_ROWS, SMALL_ROWS, -1, 36, 7, p, 36, i, x);
  H5Fclose(file);
  assert_small_problem(path);
}

// Rows in i, columns in p; with room for more entries than there are, filled with rubbish that must not be read.
static void triplets_with_spare_room_are_read(void** state) {
  (void)state;
  const char* path = scratch_path("triplets.hdf5");
  hid_t file = make_local(path);
  int p[40], i[40];
  double x[40];
  for (int k = 0; k < 40; ++k) {
    i[k] = k < 36 ? k / SMALL_ROWS : 1000;
    p[k] = k < 36 ? k % SMALL_ROWS : -7;
    x[k] = k < 36 ? small_W[k / SMALL_ROWS][k % SMALL_ROWS] : (double)NAN;
  }
  put_matrix(file, "/fclib_local/W", SMALL_ROWS, SMALL_ROWS, 36, 40, 40, p, 40, i, x);
  H5Fclose(file);
  assert_small_problem(path);
}

static void integers_of_64_bits_and_scalars_are_read(void** state) {
  (void)state;
  const char* path = scratch_path("int64.hdf5");
  hid_t file = make_local(path);
  int64_t p[SMALL_ROWS + 1], i[36], dim = 3;
  for (int row = 0; row <= SMALL_ROWS; ++row) p[row] = row * SMALL_ROWS;
  for (int k = 0; k < 36; ++k) i[k] = k % SMALL_ROWS;
  put_typed(file, "/fclib_local/W/p", H5T_STD_I64BE, H5T_NATIVE_INT64, 7, p);
  put_typed(file, "/fclib_local/W/i", H5T_STD_I64LE, H5T_NATIVE_INT64, 36, i);
  H5Ldelete(file, "/fclib_local/spacedim", H5P_DEFAULT);
  hid_t scalar = H5Screate(H5S_SCALAR);
  hid_t dataset =
      H5Dcreate2(file, "/fclib_local/spacedim", H5T_STD_I64LE, scalar, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &dim);
  H5Dclose(dataset);
  H5Sclose(scalar);
  H5Fclose(file);
  assert_small_problem(path);
}

static void compressed_chunks_are_read(void** state) {
  (void)state;
  if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) <= 0) {
    print_message("skipped: this HDF5 has no deflate\n");
    skip();
  }
  const char* path = scratch_path("chunks.hdf5");
  hid_t file = make_local(path);
  H5Ldelete(file, "/fclib_local/W/x", H5P_DEFAULT);
  hsize_t count = 36, chunk = 10;
  hid_t space = H5Screate_simple(1, &count, NULL), layout = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(layout, 1, &chunk);
  H5Pset_deflate(layout, 6);
  hid_t dataset = H5Dcreate2(file, "/fclib_local/W/x", H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, H5P_DEFAULT);
  H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, small_W);
  H5Dclose(dataset);
  H5Pclose(layout);
  H5Sclose(space);
  H5Fclose(file);
  assert_small_problem(path);
}

static void contacts_in_the_plane_are_read(void** state) {
  (void)state;
  const char* path = scratch_path("plane.hdf5");
  hid_t file = make_local(path);
  const double mu[3] = {0.1, 0.2, 0.3};
  put_int(file, "/fclib_local/spacedim", 2);
  put_doubles(file, "/fclib_local/vectors/mu", 3, mu);
  H5Fclose(file);
  CpsProblem* problem = NULL;
  assert_int_equal(cps_fclib_read(path, CPS_FORM_W, &problem, NULL, NULL), CPS_OK);
  assert_int_equal(cps_problem_contact_count(problem), 3);
  assert_int_equal(cps_problem_offsets(problem)[1], 2);
  cps_problem_destroy(problem);
}

static void a_problem_without_contacts_is_read(void** state) {
  (void)state;
  const char* path = scratch_path("none.hdf5");
  hid_t file = make_local(path);
  const int zero = 0;
  put_doubles(file, "/fclib_local/vectors/mu", 0, NULL);
  put_doubles(file, "/fclib_local/vectors/q", 0, NULL);
  put_matrix(file, "/fclib_local/W", 0, 0, -2, 0, 1, &zero, 0, NULL, NULL);
  H5Fclose(file);
  CpsProblem* problem = NULL;
  assert_int_equal(cps_fclib_read(path, CPS_FORM_W, &problem, NULL, NULL), CPS_OK);
  assert_int_equal(cps_problem_contact_count(problem), 0);
  cps_problem_destroy(problem);
}

// One contact on a body of four dofs with M = diag(1, 2, 4, 8) and H (dofs x rows) = [I; (1 1 1)]:
// W = H^T M^-1 H = diag(1, 1/2, 1/4) + 1/8, b = w + H^T M^-1 f. H is written in both orders of triplets; with 4 rows
// and 3 columns the bounds tell them apart, because row 3 can be no column.
static void global_triplets_are_read_in_either_order(void** state) {
  (void)state;
  const int row[6] = {0, 1, 2, 3, 3, 3}, col[6] = {0, 1, 2, 0, 1, 2}, diagonal[4] = {0, 1, 2, 3};
  const double ones[6] = {1, 1, 1, 1, 1, 1}, M[4] = {1, 2, 4, 8}, f[4] = {1, 2, 3, 4}, w[3] = {-5, 0.5, 0.25};
  const double mu = 0.5;
  for (int order = 0; order < 2; ++order) {
    const char* path = scratch_path("global.hdf5");
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    put_group(file, "/fclib_global");
    put_group(file, "/fclib_global/vectors");
    put_int(file, "/fclib_global/spacedim", 3);
    put_doubles(file, "/fclib_global/vectors/f", 4, f);
    put_doubles(file, "/fclib_global/vectors/w", 3, w);
    put_doubles(file, "/fclib_global/vectors/mu", 1, &mu);
    put_matrix(file, "/fclib_global/M", 4, 4, 4, 4, 4, diagonal, 4, diagonal, M);
    put_matrix(file, "/fclib_global/H", 4, 3, 6, 6, 6, order ? row : col, 6, order ? col : row, ones);
    H5Fclose(file);
    for (int form = CPS_FORM_W; form <= CPS_FORM_FACTORED; ++form) {
      CpsProblem* problem = NULL;
      CpsFclibInfo info;
      CpsError error;
      assert_int_equal(cps_fclib_read(path, (CpsForm)form, &problem, &info, &error), CPS_OK);
      assert_true(info.global);
      assert_int_equal(cps_problem_has_W(problem), form == CPS_FORM_W);
      double W[9];
      dense_W(problem, W);
      const double diag[3] = {1.0, 0.5, 0.25};
      for (int k = 0; k < 9; ++k) {
        // small dyadic numbers: a few roundings of the factorisation at most
        assert_near(W[k], 0.125 + (k % 4 == 0 ? diag[k / 4] : 0.0), 1e-15);
      }
      const double b[3] = {-5 + 1 + 0.5, 0.5 + 1 + 0.5, 0.25 + 0.75 + 0.5};
      for (int k = 0; k < 3; ++k) assert_near(cps_problem_b(problem)[k], b[k], 1e-15);
      cps_problem_destroy(problem);
    }
  }
}

// Two bodies of three dofs with the same mass along all axes, as other programs write balls without rotation: bodies, unless the file
// says that the dofs are those of nodes. A number of nodes that M has no room for is refused.
static void equal_masses_are_nodes_only_where_the_file_says_so(void** state) {
  (void)state;
  const int diagonal[6] = {0, 1, 2, 3, 4, 5}, row[6] = {0, 1, 2, 3, 4, 5}, col[6] = {0, 1, 2, 0, 1, 2};
  const double H[6] = {1, 1, 1, -1, -1, -1}, M[6] = {2, 2, 2, 4, 4, 4}, f[6] = {0}, w[3] = {-1, 0.5, 0.25}, mu = 0.5;
  const char* path = scratch_path("equal.hdf5");
  for (int nodes = 0; nodes <= 3; ++nodes) {
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    put_group(file, "/fclib_global");
    put_group(file, "/fclib_global/vectors");
    put_int(file, "/fclib_global/spacedim", 3);
    put_doubles(file, "/fclib_global/vectors/f", 6, f);
    put_doubles(file, "/fclib_global/vectors/w", 3, w);
    put_doubles(file, "/fclib_global/vectors/mu", 1, &mu);
    put_matrix(file, "/fclib_global/M", 6, 6, 6, 6, 6, diagonal, 6, diagonal, M);
    put_matrix(file, "/fclib_global/H", 6, 3, 6, 6, 6, col, 6, row, H);
    if (nodes > 0) {
      put_group(file, "/capstan");
      put_int(file, "/capstan/nodes", nodes);
    }
    H5Fclose(file);
    CpsProblem* problem = NULL;
    CpsError error;
    if (nodes == 3) {
      assert_int_equal(cps_fclib_read(path, CPS_FORM_SPARSE, &problem, NULL, &error), CPS_BAD_DATA);
      assert_non_null(strstr(error.text, "/capstan/nodes: says 3 nodes of three dofs, but M has 6 dofs"));
      continue;
    }
    if (cps_fclib_read(path, CPS_FORM_SPARSE, &problem, NULL, &error) != CPS_OK) fail_msg("%s", error.text);
#ifdef CAPSTAN_DIRECT
    assert_int_equal(cps_problem_node_count(problem), nodes > 0 ? 2 : 0);
#endif
    double W[9];
    dense_W(problem, W);
    for (int k = 0; k < 9; ++k) assert_near(W[k], k % 4 == 0 ? 0.75 : 0.0, 1e-15);  // 1/2 + 1/4
    cps_problem_destroy(problem);
  }
}

static void texts_and_groups_are_reported(void** state) {
  (void)state;
  const char* path = scratch_path("info.hdf5");
  hid_t file = make_local(path);
  put_group(file, "/fclib_local/info");
  put_group(file, "/guesses");
  hid_t type = H5Tcopy(H5T_C_S1), scalar = H5Screate(H5S_SCALAR);
  H5Tset_size(type, 9);
  hid_t dataset = H5Dcreate2(file, "/fclib_local/info/title", type, scalar, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, "two boxes");
  H5Dclose(dataset);
  H5Tset_size(type, H5T_VARIABLE);
  const char* text = "of variable length";
  dataset = H5Dcreate2(file, "/fclib_local/info/description", type, scalar, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &text);
  H5Dclose(dataset);
  H5Tclose(type);
  H5Sclose(scalar);
  put_int(file, "/fclib_local/info/math_info", 3);  // not a text: shown as absent
  H5Fclose(file);
  CpsProblem* problem = NULL;
  CpsFclibInfo info;
  assert_int_equal(cps_fclib_read(path, CPS_FORM_W, &problem, &info, NULL), CPS_OK);
  assert_string_equal(info.title, "two boxes");
  assert_string_equal(info.description, "of variable length");
  assert_string_equal(info.math_info, "");
  assert_false(info.global);
  assert_false(info.has_solution);
  assert_true(info.has_guesses);
  cps_problem_destroy(problem);
}

static bool have_shared_data(void) {
  struct stat facts;
  if (stat(SHARED_DATA "/fclib", &facts) == 0) return true;
  print_message("skipped: no %s\n", SHARED_DATA);
  return false;
}

static void every_public_file_is_read(void** state) {
  (void)state;
  if (!have_shared_data()) skip();
  const char* folders[] = {"fclib", "fclib_global", "generated"};
  int read = 0;
  for (int k = 0; k < 3; ++k) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", SHARED_DATA, folders[k]);
    DIR* folder = opendir(path);
    assert_non_null(folder);
    for (struct dirent* entry; (entry = readdir(folder));) {
      if (!strstr(entry->d_name, ".hdf5")) continue;
      snprintf(path, sizeof path, "%s/%s/%s", SHARED_DATA, folders[k], entry->d_name);
      CpsProblem* problem = NULL;
      CpsFclibInfo info;
      CpsError error;
      CpsStatus status = cps_fclib_read(path, CPS_FORM_W, &problem, &info, &error);
      if (status != CPS_OK) print_error("%s\n", error.text);
      assert_int_equal(status, CPS_OK);
      assert_int_equal(info.global, k == 1);
      assert_true(cps_problem_contact_count(problem) >= 1);
      cps_problem_destroy(problem);
      ++read;
    }
    closedir(folder);
  }
  assert_true(read >= 40);
}

// The same problem exists in global form and, eliminated by others, in local form: both give the same velocities.
static void elimination_agrees_with_the_local_files(void** state) {
  (void)state;
  if (!have_shared_data()) skip();
  const char* names[] = {"Box_Stacks-i0122-82-5",
                         "GFC3D_Example0",
                         "GFC3D_Example1",
                         "GFC3D_OneContact",
                         "GFC3D_TwoRods1",
                         "Spheres-i099-356-679",
                         "spheres-in-a-box-98-i10000-256-10"};
  for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
    char path[1024];
    CpsProblem *local = NULL, *global = NULL;
    snprintf(path, sizeof path, "%s/fclib/G2L_%s.hdf5", SHARED_DATA, names[k]);
    assert_int_equal(cps_fclib_read(path, CPS_FORM_W, &local, NULL, NULL), CPS_OK);
    snprintf(path, sizeof path, "%s/fclib_global/%s.hdf5", SHARED_DATA, names[k]);
    assert_int_equal(cps_fclib_read(path, CPS_FORM_FACTORED, &global, NULL, NULL), CPS_OK);
    int64_t rows = cps_problem_row_count(local);
    assert_int_equal(cps_problem_row_count(global), rows);
    double* r = malloc((size_t)rows * sizeof *r);
    double* u_local = malloc((size_t)rows * sizeof *u_local);
    double* u_global = malloc((size_t)rows * sizeof *u_global);
    for (int64_t i = 0; i < rows; ++i) r[i] = sin(1.0 + (double)i);
    assert_int_equal(cps_problem_velocity(local, r, u_local), CPS_OK);
    assert_int_equal(cps_problem_velocity(global, r, u_global), CPS_OK);
    double scale = 0.0;
    for (int64_t i = 0; i < rows; ++i) scale = fmax(scale, fabs(u_local[i]));
    // two different factorisations of M, conditioned up to about 1e6 in the rods
    for (int64_t i = 0; i < rows; ++i) assert_near(u_global[i], u_local[i], 1e-9 * scale);
    free(r);
    free(u_local);
    free(u_global);
    cps_problem_destroy(local);
    cps_problem_destroy(global);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(compressed_rows_are_read),
      cmocka_unit_test(compressed_columns_are_read),
      cmocka_unit_test(triplets_with_spare_room_are_read),
      cmocka_unit_test(integers_of_64_bits_and_scalars_are_read),
      cmocka_unit_test(compressed_chunks_are_read),
      cmocka_unit_test(contacts_in_the_plane_are_read),
      cmocka_unit_test(a_problem_without_contacts_is_read),
      cmocka_unit_test(global_triplets_are_read_in_either_order),
      cmocka_unit_test(equal_masses_are_nodes_only_where_the_file_says_so),
      cmocka_unit_test(texts_and_groups_are_reported),
      cmocka_unit_test(every_public_file_is_read),
      cmocka_unit_test(elimination_agrees_with_the_local_files),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
