// Writing a problem and its solution in the FCLIB layout.
//
//   /fclib_local/{spacedim, W/{nzmax m n nz p i x}, vectors/{q, mu}, info/{title, description, math_info}}
//   /solution/{u, r}
//   /capstan/law                 ours: the law of each contact, as CpsLaw, where it is not Coulomb's for all of them
//   /capstan/nodes               ours: how many nodes of three dofs M of a global form begins with
//   /capstan/{dashpot, cohesion} ours: of each contact, where any has some; with dashpots also the shift that q holds
//
// Contacts whose dimensions differ or are not 2 or 3 do not fit FCLIB: the group is then called /capstan_local or /capstan_global, which
// other readers do not look for, and has the dimension of each contact, `dimension`, in place of spacedim.
//
// A problem with large members goes out in global form (global.c). W goes out as compressed rows (nz = -2). HDF5 builds the file in memory and we write the bytes ourselves, so that a
// full disk is an ordinary error of ours and HDF5 never holds a file that it cannot flush.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "capstan/fclib.h"
#include "io/fclib/global.h"
#include "io/hdf5_checked.h"

#define MEMORY_STEP ((size_t)1 << 20)  // bytes by which the file in memory grows

typedef struct Rows {
  int* start;
  int32_t* col;
  double* value;
  int row_count, entry_count;
} Rows;

static void free_rows(Rows* rows) {
  free(rows->start);
  free(rows->col);
  free(rows->value);
}

// Checks what FCLIB can represent: one dimension, 2 or 3, for all contacts (else *dim = 0: the group is ours), and
// sizes that fit its ints.
static CpsStatus check_fits(const char* path, const CpsProblem* problem, int* dim, CpsError* error) {
  int32_t count = cps_problem_contact_count(problem);
  const int64_t* offset = cps_problem_offsets(problem);
  *dim = count > 0 ? (int)(offset[1] - offset[0]) : 3;
  if (*dim != 2 && *dim != 3) *dim = 0;
  for (int32_t i = 0; i < count; ++i) {
    if (offset[i + 1] - offset[i] != *dim) *dim = 0;
  }
  bool global = cps_problem_node_count(problem) > 0;
  if ((!global && cps_problem_W_entry_count(problem) > INT_MAX) || cps_problem_row_count(problem) > INT_MAX) {
    return cps_io_fail(error, CPS_UNSUPPORTED, path, NULL, "W has too many entries for the 32-bit sizes of FCLIB");
  }
  return CPS_OK;
}

static bool take_rows(const CpsProblem* problem, Rows* rows) {
  int64_t row_count = cps_problem_row_count(problem), entry_count = cps_problem_W_entry_count(problem);
  if (entry_count < 0) return false;
  int64_t* start = malloc(((size_t)row_count + 1) * sizeof *start);
  rows->start = malloc(((size_t)row_count + 1) * sizeof *rows->start);
  rows->col = malloc(((size_t)entry_count + 1) * sizeof *rows->col);
  rows->value = malloc(((size_t)entry_count + 1) * sizeof *rows->value);
  bool done = start && rows->start && rows->col && rows->value &&
              cps_problem_W_csr(problem, start, rows->col, rows->value) == CPS_OK;
  if (done) {
    for (int64_t i = 0; i <= row_count; ++i) rows->start[i] = (int)start[i];
    rows->row_count = (int)row_count;
    rows->entry_count = (int)entry_count;
  }
  free(start);
  return done;
}

static bool write_local(hid_t file, const CpsProblem* problem, const Rows* rows, int dim, const char* title) {
  return cps_h5_make_group(file, "/fclib_local") &&                                                            //
         cps_h5_write_int(file, "/fclib_local/spacedim", dim) && cps_h5_make_group(file, "/fclib_local/W") &&  //
         cps_h5_write_int(file, "/fclib_local/W/nzmax", rows->entry_count) &&
         cps_h5_write_int(file, "/fclib_local/W/m", rows->row_count) &&
         cps_h5_write_int(file, "/fclib_local/W/n", rows->row_count) &&
         cps_h5_write_int(file, "/fclib_local/W/nz", -2) &&
         cps_h5_write_ints(file, "/fclib_local/W/p", rows->start, rows->row_count + 1) &&
         cps_h5_write_ints(file, "/fclib_local/W/i", rows->col, rows->entry_count) &&
         cps_h5_write_doubles(file, "/fclib_local/W/x", rows->value, rows->entry_count) &&
         cps_h5_make_group(file, "/fclib_local/vectors") &&
         cps_h5_write_doubles(file, "/fclib_local/vectors/q", cps_problem_b_shifted(problem), rows->row_count) &&
         cps_h5_write_doubles(file, "/fclib_local/vectors/mu", cps_problem_mu(problem),
                              cps_problem_contact_count(problem)) &&
         cps_h5_make_group(file, "/fclib_local/info") &&
         cps_h5_write_text(file, "/fclib_local/info/title", title ? title : "") &&
         cps_h5_write_text(file, "/fclib_local/info/description", "written by Capstan") &&
         cps_h5_write_text(file, "/fclib_local/info/math_info", "");
}

static bool write_solution(hid_t file, const double* r, const double* u, int row_count) {
  return cps_h5_make_group(file, "/solution") && cps_h5_write_doubles(file, "/solution/u", u, row_count) &&
         cps_h5_write_doubles(file, "/solution/r", r, row_count);
}

// A dashpot acts on the velocity without the shift, but q and w include it.
static bool write_shift(hid_t file, const CpsProblem* problem) {
  const int64_t rows = cps_problem_row_count(problem);
  const double *b = cps_problem_b(problem), *shifted = cps_problem_b_shifted(problem);
  double* shift = malloc(((size_t)rows + 1) * sizeof *shift);
  if (!shift) return false;
  for (int64_t k = 0; k < rows; ++k) shift[k] = shifted[k] - b[k];
  bool done = cps_h5_write_doubles(file, "/capstan/shift", shift, (int)rows);
  free(shift);
  return done;
}

// FCLIB has a single law, and no nodes. Readers of FCLIB ignore this group.
static bool write_ours(hid_t file, const CpsProblem* problem) {
  const int32_t count = cps_problem_contact_count(problem);
  const uint8_t* law = cps_problem_laws(problem);
  const double *dashpot = cps_problem_dashpot(problem), *cohesion = cps_problem_cohesion(problem);
  bool plain = true;
  for (int32_t i = 0; i < count; ++i) plain = plain && law[i] == CPS_LAW_COULOMB;
  const int32_t nodes = cps_problem_node_count(problem);
  if (plain && !dashpot && !cohesion && nodes == 0) return true;
  if (!cps_h5_make_group(file, "/capstan")) return false;
  if (nodes > 0 && !cps_h5_write_int(file, "/capstan/nodes", nodes)) return false;
  if (dashpot && !(cps_h5_write_doubles(file, "/capstan/dashpot", dashpot, count) && write_shift(file, problem))) {
    return false;
  }
  if (cohesion && !cps_h5_write_doubles(file, "/capstan/cohesion", cohesion, count)) return false;
  if (plain) return true;
  int* laws = malloc((size_t)count * sizeof *laws);
  if (!laws) return false;
  for (int32_t i = 0; i < count; ++i) laws[i] = law[i];
  bool done = cps_h5_write_ints(file, "/capstan/law", laws, count);
  free(laws);
  return done;
}

// Renames a group that FCLIB cannot read, and adds the dimension of each contact.
static bool make_ours(hid_t file, const CpsProblem* problem, bool global) {
  const char *from = global ? "/fclib_global" : "/fclib_local", *to = global ? "/capstan_global" : "/capstan_local";
  const char* name = global ? "/capstan_global/dimension" : "/capstan_local/dimension";
  const int32_t count = cps_problem_contact_count(problem);
  const int64_t* offset = cps_problem_offsets(problem);
  int* dims = malloc(((size_t)count + 1) * sizeof *dims);
  if (!dims) return false;
  for (int32_t i = 0; i < count; ++i) dims[i] = (int)(offset[i + 1] - offset[i]);
  bool done = H5Lmove(file, from, file, to, H5P_DEFAULT, H5P_DEFAULT) >= 0 &&
              H5Ldelete(file, global ? "/capstan_global/spacedim" : "/capstan_local/spacedim", H5P_DEFAULT) >= 0 &&
              cps_h5_write_ints(file, name, dims, count);
  free(dims);
  return done;
}

// Creates a file that exists in memory only.
static hid_t create_in_memory(const char* path) {
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  if (access < 0) return -1;
  hid_t file = -1;
  if (H5Pset_fapl_core(access, MEMORY_STEP, false) >= 0) file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  H5Pclose(access);
  return file;
}

// The bytes of the file in memory; NULL if memory runs out.
static void* take_image(hid_t file, size_t* size) {
  if (H5Fflush(file, H5F_SCOPE_GLOBAL) < 0) return NULL;
  ssize_t length = H5Fget_file_image(file, NULL, 0);
  if (length <= 0) return NULL;
  void* image = malloc((size_t)length);
  if (image && H5Fget_file_image(file, image, (size_t)length) != length) {
    free(image);
    image = NULL;
  }
  *size = (size_t)length;
  return image;
}

static void* make_image(const char* path, const CpsProblem* problem, int dim, const double* r, const double* u,
                        const char* title, size_t* size) {
  Rows rows = {0};
  void* image = NULL;
  hid_t file = -1;
  bool global = cps_problem_node_count(problem) > 0;
  if (global || take_rows(problem, &rows)) file = create_in_memory(path);
  if (file >= 0 &&
      (global ? cps_fclib_write_global(file, problem, dim, title) : write_local(file, problem, &rows, dim, title)) &&
      (dim != 0 || make_ours(file, problem, global)) && write_ours(file, problem) &&
      (!r || write_solution(file, r, u, (int)cps_problem_row_count(problem)))) {
    image = take_image(file, size);
  }
  if (file >= 0) H5Fclose(file);
  free_rows(&rows);
  return image;
}

CpsStatus cps_fclib_write(const char* path, const CpsProblem* problem, const double* r, const double* u,
                          const char* title, CpsError* error) {
  if (!path || !problem) {
    return cps_io_fail(error, CPS_BAD_ARGUMENT, "cps_fclib_write", NULL, "path or problem is NULL");
  }
  if (!r != !u) return cps_io_fail(error, CPS_BAD_ARGUMENT, path, NULL, "give both r and u, or neither");
  int dim = 3;
  CpsStatus status = check_fits(path, problem, &dim, error);
  if (status != CPS_OK) return status;
  void* image = NULL;
  size_t size = 0;
  H5E_BEGIN_TRY {
    image = make_image(path, problem, dim, r, u, title, &size);
  }
  H5E_END_TRY
  if (!image) return cps_io_fail(error, CPS_NO_MEMORY, path, NULL, "out of memory");
  status = cps_file_replace(path, image, size, error);
  free(image);
  if (status == CPS_OK && error) error->text[0] = '\0';
  return status;
}
