// The writer of FCLIB files: what comes back is bit for bit what went in, also through Debian's libfclib, and a failure
// leaves an older file as it was.
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "capstan/fclib.h"
#include "files.h"

#ifdef HAVE_FCLIB
#include <fclib.h>
#endif

static CpsProblem* problem_with(const double* shift, const CpsLaw* laws) {
  CpsContactsDef contacts = cps_contacts_def_default();
  contacts.count = 2;
  contacts.mu = small_mu;
  contacts.b = small_q;
  contacts.shift = shift;
  contacts.laws = laws;
  int64_t start[SMALL_ROWS + 1];
  int32_t col[36];
  for (int i = 0; i <= SMALL_ROWS; ++i) start[i] = i * SMALL_ROWS;
  for (int k = 0; k < 36; ++k) col[k] = k % SMALL_ROWS;
  CpsProblem* problem = NULL;
  assert_int_equal(cps_problem_from_csr(&contacts, start, col, &small_W[0][0], &problem, NULL), CPS_OK);
  return problem;
}

static CpsProblem* small_problem(const double* shift) {
  return problem_with(shift, NULL);
}

static const double some_r[6] = {1.0 / 3.0, 0.1, -0.2, 5e-324, -0.0, 1e300};
static const double some_u[6] = {1, 2, 3, 4, 5, 1.0 / 7.0};

static void a_round_trip_keeps_every_bit(void** state) {
  (void)state;
  const char* path = scratch_path("trip.hdf5");
  CpsProblem *problem = small_problem(NULL), *back = NULL;
  CpsError error;
  CpsFclibInfo info;
  assert_int_equal(cps_fclib_write(path, problem, some_r, some_u, "a title", &error), CPS_OK);
  assert_string_equal(error.text, "");
  assert_int_equal(cps_fclib_read(path, CPS_FORM_W, &back, &info, &error), CPS_OK);
  assert_string_equal(info.title, "a title");
  assert_true(info.has_solution);
  int64_t start[2][7];
  int32_t col[2][36];
  double value[2][36];
  assert_int_equal(cps_problem_W_entry_count(back), 36);
  assert_int_equal(cps_problem_W_csr(problem, start[0], col[0], value[0]), CPS_OK);
  assert_int_equal(cps_problem_W_csr(back, start[1], col[1], value[1]), CPS_OK);
  assert_memory_equal(start[0], start[1], sizeof start[0]);
  assert_memory_equal(col[0], col[1], sizeof col[0]);
  assert_memory_equal(value[0], value[1], sizeof value[0]);
  assert_memory_equal(cps_problem_b(back), small_q, sizeof small_q);
  assert_memory_equal(cps_problem_mu(back), small_mu, sizeof small_mu);
  double r[6], u[6];
  assert_int_equal(cps_fclib_read_solution(path, 6, r, u, &error), CPS_OK);
  assert_memory_equal(r, some_r, sizeof r);
  assert_memory_equal(u, some_u, sizeof u);
  cps_problem_destroy(problem);
  cps_problem_destroy(back);
}

static void the_shift_goes_into_q(void** state) {
  (void)state;
  const char* path = scratch_path("shift.hdf5");
  const double shift[6] = {0.5, 0, 0, 0.25, 0, 0};
  CpsProblem *problem = small_problem(shift), *back = NULL;
  CpsFclibInfo info;
  assert_int_equal(cps_fclib_write(path, problem, NULL, NULL, NULL, NULL), CPS_OK);
  assert_int_equal(cps_fclib_read(path, CPS_FORM_W, &back, &info, NULL), CPS_OK);
  assert_false(info.has_solution);
  for (int i = 0; i < 6; ++i) assert_true(cps_problem_b(back)[i] == small_q[i] + shift[i]);
  cps_problem_destroy(problem);
  cps_problem_destroy(back);
}

// libfclib exits on errors, so it reads in a child of its own.
static void debians_libfclib_reads_what_we_write(void** state) {
  (void)state;
#ifdef HAVE_FCLIB
  const char* path = scratch_path("oracle.hdf5");
  CpsProblem* problem = small_problem(NULL);
  assert_int_equal(cps_fclib_write(path, problem, some_r, some_u, "for the oracle", NULL), CPS_OK);
  cps_problem_destroy(problem);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    struct fclib_local* local = fclib_read_local(path);
    struct fclib_solution* solution = fclib_read_solution(path);
    if (!local || !solution) _exit(10);
    if (local->spacedim != 3 || local->W->m != 6 || local->W->n != 6 || local->W->nz != -2) _exit(11);
    if (local->W->p[6] != 36 || memcmp(local->q, small_q, sizeof small_q) != 0) _exit(12);
    if (memcmp(local->W->x, small_W, sizeof small_W) != 0) _exit(13);
    if (memcmp(local->mu, small_mu, sizeof small_mu) != 0) _exit(14);
    if (memcmp(solution->r, some_r, sizeof some_r) != 0 || memcmp(solution->u, some_u, sizeof some_u) != 0) _exit(15);
    if (!local->info || strcmp(local->info->title, "for the oracle") != 0) _exit(16);
    _exit(0);
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
#else
  print_message("skipped: libfclib-dev is not installed\n");
  skip();
#endif
}

// We read what libfclib writes, in each of its three layouts.
static void we_read_what_debians_libfclib_writes(void** state) {
  (void)state;
#ifdef HAVE_FCLIB
  for (int layout = 0; layout > -3; --layout) {
    const char* path = scratch_path("theirs.hdf5");
    remove(path);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
      int p[36], i[36];
      double x[36], q[6], mu[2];
      for (int k = 0; k < 36; ++k) {
        i[k] = layout == 0 ? k / 6 : k % 6;
        p[k] = layout == 0 ? k % 6 : 6 * k;
        x[k] = layout == -1 ? small_W[k % 6][k / 6] : small_W[k / 6][k % 6];
      }
      memcpy(q, small_q, sizeof q);
      memcpy(mu, small_mu, sizeof mu);
      struct fclib_matrix W = {.nzmax = 36, .m = 6, .n = 6, .p = p, .i = i, .x = x, .nz = layout == 0 ? 36 : layout};
      struct fclib_local local = {.W = &W, .mu = mu, .q = q, .spacedim = 3};
      _exit(fclib_write_local(&local, path) == 1 ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    CpsProblem* problem = NULL;
    CpsError error;
    assert_int_equal(cps_fclib_read(path, CPS_FORM_W, &problem, NULL, &error), CPS_OK);
    double r[6] = {1, 0, 0, 0, 0, 2}, u[6];
    assert_int_equal(cps_problem_velocity(problem, r, u), CPS_OK);
    // one product and one sum of numbers of order one
    for (int k = 0; k < 6; ++k) assert_near(u[k], small_W[k][0] + 2.0 * small_W[k][5] + small_q[k], 1e-15);
    cps_problem_destroy(problem);
  }
#else
  print_message("skipped: libfclib-dev is not installed\n");
  skip();
#endif
}

static int count_files(const char* part) {
  DIR* folder = opendir(scratch_folder);
  int count = 0;
  for (struct dirent* entry; (entry = readdir(folder));) count += strstr(entry->d_name, part) != NULL;
  closedir(folder);
  return count;
}

// A disk that is full: the limit on file sizes stands for it.
static void a_failed_write_leaves_the_old_file(void** state) {
  (void)state;
  const char* path = scratch_path("kept.hdf5");
  CpsProblem* problem = small_problem(NULL);
  assert_int_equal(cps_fclib_write(path, problem, NULL, NULL, "first", NULL), CPS_OK);
  struct rlimit old, tight;
  getrlimit(RLIMIT_FSIZE, &old);
  tight = old;
  tight.rlim_cur = 1000;
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &tight);
  CpsError error;
  CpsStatus status = cps_fclib_write(path, problem, some_r, some_u, "second", &error);
  setrlimit(RLIMIT_FSIZE, &old);
  assert_int_equal(status, CPS_FILE_ERROR);
  assert_non_null(strstr(error.text, "kept.hdf5: cannot be written: "));
  CpsProblem* back = NULL;
  CpsFclibInfo info;
  assert_int_equal(cps_fclib_read(path, CPS_FORM_W, &back, &info, NULL), CPS_OK);
  assert_string_equal(info.title, "first");
  assert_false(info.has_solution);
  assert_int_equal(count_files(".part"), 0);
  cps_problem_destroy(problem);
  cps_problem_destroy(back);
}

static void places_that_cannot_be_written_are_named(void** state) {
  (void)state;
  CpsProblem* problem = small_problem(NULL);
  CpsError error;
  assert_int_equal(cps_fclib_write("no/such/folder/x.hdf5", problem, NULL, NULL, NULL, &error), CPS_FILE_ERROR);
  assert_non_null(strstr(error.text, "no/such/folder/x.hdf5: "));
  assert_int_equal(cps_fclib_write(scratch_folder, problem, NULL, NULL, NULL, &error), CPS_FILE_ERROR);
  assert_non_null(strstr(error.text, "is a directory"));
  // a rename would put a file in the device's place
  assert_int_equal(cps_fclib_write("/dev/null", problem, NULL, NULL, NULL, &error), CPS_FILE_ERROR);
  struct stat facts;
  assert_int_equal(stat("/dev/null", &facts), 0);
  assert_true(S_ISCHR(facts.st_mode));
  cps_problem_destroy(problem);
}

static void a_link_stays_a_link(void** state) {
  (void)state;
  const char* target = scratch_path("target.hdf5");
  const char* link = scratch_path("link.hdf5");
  CpsProblem* problem = small_problem(NULL);
  assert_int_equal(cps_fclib_write(target, problem, NULL, NULL, "old", NULL), CPS_OK);
  assert_int_equal(symlink("target.hdf5", link), 0);
  assert_int_equal(cps_fclib_write(link, problem, NULL, NULL, "new", NULL), CPS_OK);
  struct stat facts;
  assert_int_equal(lstat(link, &facts), 0);
  assert_true(S_ISLNK(facts.st_mode));
  CpsProblem* back = NULL;
  CpsFclibInfo info;
  assert_int_equal(cps_fclib_read(target, CPS_FORM_W, &back, &info, NULL), CPS_OK);
  assert_string_equal(info.title, "new");
  cps_problem_destroy(problem);
  cps_problem_destroy(back);
}

// Contacts of dimensions 3 and 6, as grains in space have them: a group of our own, which readers of FCLIB do not look for, says the
// dimension of each; one that no contact has is refused.
static void mixed_dimensions_come_back(void** state) {
  (void)state;
  const char* path = scratch_path("mixed.hdf5");
  const double b[9] = {-1, 0.5, 0, -2, 0.1, 0.2, 0.3, 0.4, 0.5}, mu[2] = {0.1, 0.3},
               r[9] = {1, 0.05, 0, 2, 0.1, 0, 0, 0.2};
  const int32_t dims[2] = {3, 6}, row[3] = {0, 1, 0}, column[3] = {0, 1, 1};
  double W[9 + 36 + 18] = {0};
  for (int k = 0; k < 3; ++k) W[4 * k] = 2.0 + k;
  for (int k = 0; k < 6; ++k) W[9 + 7 * k] = 3.0 + k;
  CpsProblem *problem = NULL, *back = NULL;
  CpsContactsDef contacts = cps_contacts_def_default();
  contacts.count = 2;
  contacts.mu = mu;
  contacts.b = b;
  contacts.dim = 0;
  contacts.dims = dims;
  CpsError error;
  CpsResidual here, there;
  assert_int_equal(cps_problem_from_blocks(&contacts, 2, row, column, W, &problem, NULL), CPS_OK);
  assert_int_equal(cps_fclib_write(path, problem, r, b, "mixed", &error), CPS_OK);
  CpsFclibInfo info;
  assert_int_equal(cps_fclib_read(path, CPS_FORM_SPARSE, &back, &info, &error), CPS_OK);
  assert_string_equal(info.title, "mixed");
  assert_memory_equal(cps_problem_offsets(back), cps_problem_offsets(problem), 3 * sizeof(int64_t));
  assert_memory_equal(cps_problem_b(back), b, sizeof b);
  assert_int_equal(cps_problem_residual(problem, r, &here), CPS_OK);
  assert_int_equal(cps_problem_residual(back, r, &there), CPS_OK);
  assert_true(here.natural == there.natural && here.natural > 0.0);
  cps_problem_destroy(back);
  cps_problem_destroy(problem);
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), set = H5Dopen2(file, "/capstan_local/dimension", H5P_DEFAULT);
  const int wrong[2] = {3, 5};
  assert_true(H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, wrong) >= 0);
  H5Dclose(set);
  H5Fclose(file);
  back = NULL;
  assert_int_equal(cps_fclib_read(path, CPS_FORM_W, &back, NULL, &error), CPS_BAD_DATA);
  assert_non_null(strstr(error.text, "/capstan_local/dimension: contact 1 has dimension 5, must be 2, 3 or 6"));
  assert_null(back);
}

static void bad_arguments_are_refused(void** state) {
  (void)state;
  const char* path = scratch_path("refused.hdf5");
  const double r[6] = {1};
  CpsError error;
  CpsProblem* problem = small_problem(NULL);
  assert_int_equal(cps_fclib_write(path, problem, r, NULL, NULL, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_fclib_write(path, NULL, NULL, NULL, NULL, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_fclib_write(NULL, problem, NULL, NULL, NULL, &error), CPS_BAD_ARGUMENT);
  cps_problem_destroy(problem);
  assert_int_equal(count_files("refused"), 0);
}

// FCLIB has no word for a law: a dataset of ours says it. A file without one is Coulomb's; one that makes no sense is refused.
static void laws_come_back(void** state) {
  (void)state;
  const char* path = scratch_path("laws.hdf5");
  const CpsLaw laws[2] = {CPS_LAW_BILATERAL, CPS_LAW_COULOMB};
  CpsProblem* problem = problem_with(NULL, laws);
  for (int coulomb = 0; coulomb < 2; ++coulomb) {
    CpsProblem *wanted = coulomb ? small_problem(NULL) : problem, *back = NULL;
    const double r[6] = {0.1, -0.2, 0.05, 0.3, 0.01, 0.02};
    CpsResidual here, there;
    assert_int_equal(cps_fclib_write(path, wanted, NULL, NULL, NULL, NULL), CPS_OK);
    assert_int_equal(cps_fclib_read(path, CPS_FORM_W, &back, NULL, NULL), CPS_OK);
    assert_memory_equal(cps_problem_laws(back), cps_problem_laws(wanted), 2);
    assert_int_equal(cps_problem_laws(back)[0], coulomb ? CPS_LAW_COULOMB : CPS_LAW_BILATERAL);
    assert_int_equal(cps_problem_residual(wanted, r, &here), CPS_OK);
    assert_int_equal(cps_problem_residual(back, r, &there), CPS_OK);
    assert_true(here.natural == there.natural && here.natural > 0.0);
    cps_problem_destroy(back);
    if (coulomb) cps_problem_destroy(wanted);
  }
  assert_int_equal(cps_fclib_write(path, problem, NULL, NULL, NULL, NULL), CPS_OK);
  cps_problem_destroy(problem);
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), set = H5Dopen2(file, "/capstan/law", H5P_DEFAULT);
  const int wrong[2] = {2, 4};
  assert_true(H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, wrong) >= 0);
  H5Dclose(set);
  H5Fclose(file);
  CpsError error;
  CpsProblem* back = NULL;
  assert_int_equal(cps_fclib_read(path, CPS_FORM_W, &back, NULL, &error), CPS_BAD_DATA);
  assert_non_null(strstr(error.text, "/capstan/law: contact 1 has the law 4, must be 0 to 3"));
  assert_null(back);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_round_trip_keeps_every_bit),
      cmocka_unit_test(the_shift_goes_into_q),
      cmocka_unit_test(debians_libfclib_reads_what_we_write),
      cmocka_unit_test(we_read_what_debians_libfclib_writes),
      cmocka_unit_test(a_failed_write_leaves_the_old_file),
      cmocka_unit_test(places_that_cannot_be_written_are_named),
      cmocka_unit_test(a_link_stays_a_link),
      cmocka_unit_test(mixed_dimensions_come_back),
      cmocka_unit_test(bad_arguments_are_refused),
      cmocka_unit_test(laws_come_back),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
