// Reading problems in the FCLIB layout.
//
//   /fclib_local    u = W r + q
//   /fclib_global   M v = H r + f,  u = H^T v + w      H of size dofs x rows, the transpose of CpsGlobalForm's
//
// /capstan_local and /capstan_global are ours, for contacts whose dimensions differ or are not 2 or 3: the same layout with the
// dimension of each contact, `dimension`, in place of `spacedim`.
//
// The lengths of the vectors come first, because HDF5 vouches for them; sizes written as numbers (m, n, nzmax, nz) are
// only compared with those. Mixed problems with equality constraints (G, V, R) and rolling friction are refused.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "capstan/fclib.h"
#include "io/fclib/matrix.h"
#include "io/hdf5_checked.h"

// Bodies of at most this many dofs become dense mass blocks; a larger M goes to the sparse factorisation.
#define LARGEST_DENSE_BODY 128

typedef struct Vectors {
  int32_t dim, contact_count, row_count;
  int32_t* dims;  // of each contact; NULL: dim for all
  double* b;      // q or w
  double* mu;
  CpsLaw* law;                         // NULL: Coulomb's for all
  double *dashpot, *cohesion, *shift;  // NULL: none
} Vectors;

// Reads a vector of finite numbers; wanted < 0: any length.
static CpsStatus read_vector(const CpsH5* h5, const char* name, int64_t wanted, double** values, int64_t* count) {
  double* buffer = NULL;
  CpsStatus status = cps_h5_read_doubles(h5, name, &buffer, count);
  if (status != CPS_OK) return status;
  if (wanted >= 0 && *count != wanted) {
    status = cps_io_fail(h5->error, CPS_BAD_FORMAT, h5->path, name, "has %lld entries, must have %lld",
                         (long long)*count, (long long)wanted);
  }
  for (int64_t k = 0; status == CPS_OK && k < *count; ++k) {
    if (!isfinite(buffer[k])) {
      status = cps_io_fail(h5->error, CPS_BAD_DATA, h5->path, name, "entry %lld is not a finite number", (long long)k);
    }
  }
  if (status != CPS_OK) {
    free(buffer);
    return status;
  }
  *values = buffer;
  return CPS_OK;
}

// The laws of contacts, if the file has them: not part of FCLIB, but of our extension (write.c).
static CpsStatus read_laws(const CpsH5* h5, Vectors* vectors) {
  const char* name = "/capstan/law";
  int64_t *laws = NULL, count = 0;
  if (!cps_h5_has(h5, "/capstan") || !cps_h5_has(h5, name)) return CPS_OK;
  CpsStatus status = cps_h5_read_ints(h5, name, &laws, &count);
  if (status != CPS_OK) return status;
  if (count != vectors->contact_count) {
    status = cps_io_fail(h5->error, CPS_BAD_FORMAT, h5->path, name, "has %lld entries, must have %lld",
                         (long long)count, (long long)vectors->contact_count);
  }
  vectors->law = malloc(((size_t)vectors->contact_count + 1) * sizeof *vectors->law);
  if (status == CPS_OK && !vectors->law) {
    status = cps_io_fail(h5->error, CPS_NO_MEMORY, h5->path, NULL, "out of memory");
  }
  for (int64_t i = 0; status == CPS_OK && i < count; ++i) {
    vectors->law[i] = (CpsLaw)laws[i];
    if (laws[i] >= CPS_LAW_COULOMB && laws[i] <= CPS_LAW_FREE) continue;
    status = cps_io_fail(h5->error, CPS_BAD_DATA, h5->path, name, "contact %lld has the law %lld, must be %d to %d",
                         (long long)i, (long long)laws[i], (int)CPS_LAW_COULOMB, (int)CPS_LAW_FREE);
  }
  free(laws);
  return status;
}

// Dashpots and cohesion, if the file has them (write.c).
static CpsStatus read_rheology(const CpsH5* h5, Vectors* vectors) {
  int64_t count = 0;
  CpsStatus status = CPS_OK;
  if (!cps_h5_has(h5, "/capstan")) return status;
  const struct {
    const char* name;
    double** to;
    int64_t entries;
  } parts[] = {{"/capstan/dashpot", &vectors->dashpot, vectors->contact_count},
               {"/capstan/cohesion", &vectors->cohesion, vectors->contact_count},
               {"/capstan/shift", &vectors->shift, vectors->row_count}};
  for (size_t i = 0; status == CPS_OK && i < sizeof parts / sizeof *parts; ++i) {
    if (cps_h5_has(h5, parts[i].name)) status = read_vector(h5, parts[i].name, parts[i].entries, parts[i].to, &count);
  }
  for (int64_t k = 0; status == CPS_OK && vectors->shift && k < vectors->row_count; ++k) {
    vectors->b[k] -= vectors->shift[k];
  }
  return status;
}

enum { LARGEST_DIMENSION = 6 };  // of a contact

// The dimension of each contact in a group of our extension, and their sum.
static CpsStatus read_dimensions(const CpsH5* h5, const char* group, int64_t contacts, Vectors* vectors,
                                 int64_t* rows) {
  char name[64];
  int64_t *dims = NULL, count = 0;
  snprintf(name, sizeof name, "%s/dimension", group);
  CpsStatus status = cps_h5_read_ints(h5, name, &dims, &count);
  if (status != CPS_OK) return status;
  if (count != contacts) {
    status = cps_io_fail(h5->error, CPS_BAD_FORMAT, h5->path, name, "has %lld entries, must have %lld",
                         (long long)count, (long long)contacts);
  }
  vectors->dims = malloc(((size_t)contacts + 1) * sizeof *vectors->dims);
  if (status == CPS_OK && !vectors->dims) {
    status = cps_io_fail(h5->error, CPS_NO_MEMORY, h5->path, NULL, "out of memory");
  }
  for (int64_t i = 0; status == CPS_OK && i < count; ++i) {
    if (dims[i] != 2 && dims[i] != 3 && dims[i] != LARGEST_DIMENSION) {
      status = cps_io_fail(h5->error, CPS_BAD_DATA, h5->path, name,
                           "contact %lld has dimension %lld, must be 2, 3 or 6", (long long)i, (long long)dims[i]);
      break;
    }
    vectors->dims[i] = (int32_t)dims[i];
    *rows += dims[i];
  }
  free(dims);
  return status;
}

// The dimensions, mu and the free velocity, which determine all sizes.
static CpsStatus read_vectors(const CpsH5* h5, const char* group, const char* velocity, Vectors* vectors) {
  char name[64];
  snprintf(name, sizeof name, "%s/spacedim", group);
  int64_t dim = LARGEST_DIMENSION, count = 0, rows = 0;
  const bool ours = strncmp(group, "/capstan", strlen("/capstan")) == 0;
  CpsStatus status = ours ? CPS_OK : cps_h5_read_int(h5, name, &dim);
  if (status != CPS_OK) return status;
  if (!ours && dim != 2 && dim != 3) {
    return cps_io_fail(h5->error, CPS_BAD_FORMAT, h5->path, name, "is %lld, must be 2 or 3", (long long)dim);
  }
  snprintf(name, sizeof name, "%s/vectors/mu", group);
  status = read_vector(h5, name, -1, &vectors->mu, &count);
  if (status != CPS_OK) return status;
  if (count > INT32_MAX / dim) {
    return cps_io_fail(h5->error, CPS_BAD_FORMAT, h5->path, name, "has more contacts than 32-bit rows can count");
  }
  for (int64_t i = 0; i < count; ++i) {
    if (vectors->mu[i] < 0.0) {
      return cps_io_fail(h5->error, CPS_BAD_DATA, h5->path, name, "contact %lld has mu = %g, must be >= 0",
                         (long long)i, vectors->mu[i]);
    }
  }
  rows = ours ? 0 : count * dim;
  if (ours) status = read_dimensions(h5, group, count, vectors, &rows);
  if (status != CPS_OK) return status;
  snprintf(name, sizeof name, "%s/vectors/%s", group, velocity);
  status = read_vector(h5, name, rows, &vectors->b, &rows);
  vectors->dim = ours ? 0 : (int32_t)dim;
  vectors->contact_count = (int32_t)count;
  vectors->row_count = (int32_t)rows;
  if (status == CPS_OK) status = read_laws(h5, vectors);
  return status == CPS_OK ? read_rheology(h5, vectors) : status;
}

static void free_vectors(Vectors* vectors) {
  free(vectors->dims);
  free(vectors->b);
  free(vectors->mu);
  free(vectors->law);
  free(vectors->dashpot);
  free(vectors->cohesion);
  free(vectors->shift);
}

static CpsContactsDef contacts_of(const Vectors* vectors) {
  CpsContactsDef contacts = cps_contacts_def_default();
  contacts.count = vectors->contact_count;
  contacts.dim = vectors->dim;
  contacts.dims = vectors->dims;
  contacts.mu = vectors->mu;
  contacts.b = vectors->b;
  contacts.laws = vectors->law;
  contacts.dashpot = vectors->dashpot;
  contacts.cohesion = vectors->cohesion;
  contacts.shift = vectors->shift;
  return contacts;
}

// Equality constraints are refused, not dropped silently.
static CpsStatus refuse_constraints(const CpsH5* h5, const char* problem, const char* matrix) {
  char group[64], name[68];
  snprintf(group, sizeof group, "%s/%s", problem, matrix);
  if (!cps_h5_has(h5, group)) return CPS_OK;
  snprintf(name, sizeof name, "%s/n", group);
  int64_t columns = 0;
  CpsStatus status = cps_h5_read_int(h5, name, &columns);
  if (status != CPS_OK || columns == 0) return status;
  return cps_io_fail(h5->error, CPS_UNSUPPORTED, h5->path, group,
                     "holds %lld equality constraints, which are not supported", (long long)columns);
}

static CpsStatus read_matrix(const CpsH5* h5, const char* group, const char* matrix, int32_t rows, int32_t columns,
                             CpsFclibMatrix* out) {
  char name[64];
  snprintf(name, sizeof name, "%s/%s", group, matrix);
  return cps_fclib_matrix_read(h5, name, rows, columns, out);
}

static CpsStatus read_local(const CpsH5* h5, const char* group, CpsProblem** problem) {
  Vectors vectors = {0};
  CpsFclibMatrix W = {0};
  CpsFclibCompressed rows = {0};
  CpsError reason = {""};
  CpsStatus status = read_vectors(h5, group, "q", &vectors);
  if (status == CPS_OK) status = refuse_constraints(h5, group, "V");
  if (status == CPS_OK) status = refuse_constraints(h5, group, "R");
  if (status == CPS_OK) status = read_matrix(h5, group, "W", vectors.row_count, vectors.row_count, &W);
  if (status == CPS_OK && !cps_fclib_matrix_compress(&W, true, &rows)) {
    status = cps_io_fail(h5->error, CPS_NO_MEMORY, h5->path, NULL, "out of memory");
  }
  cps_fclib_matrix_free(&W);
  if (status == CPS_OK) {
    CpsContactsDef contacts = contacts_of(&vectors);
    status = cps_problem_from_csr(&contacts, rows.start, rows.index, rows.value, problem, &reason);
    if (status != CPS_OK) cps_io_fail(h5->error, status, h5->path, group, "%s", reason.text);
  }
  cps_fclib_compressed_free(&rows);
  free_vectors(&vectors);
  return status;
}

// Divides the dofs into the smallest ranges that no entry of M connects; *largest gets the size of the largest.
static int32_t cut_bodies(const CpsFclibMatrix* M, int32_t* body_dofs, int32_t* reach, int32_t* largest) {
  int32_t dofs = M->m;
  for (int32_t i = 0; i < dofs; ++i) reach[i] = i;
  for (int64_t k = 0; k < M->entry_count; ++k) {
    int32_t low = M->row[k] < M->col[k] ? M->row[k] : M->col[k];
    int32_t high = M->row[k] < M->col[k] ? M->col[k] : M->row[k];
    if (reach[low] < high) reach[low] = high;
  }
  int32_t count = 0, first = 0, far = 0;
  *largest = 0;
  for (int32_t i = 0; i < dofs; ++i) {
    if (far < reach[i]) far = reach[i];
    if (far > i) continue;
    body_dofs[count++] = i + 1 - first;
    if (*largest < i + 1 - first) *largest = i + 1 - first;
    first = i + 1;
  }
  return count;
}

// Rigid bodies often come with a diagonal M: groups of 6 (or 3) dofs become one body if no range crosses their borders.
static int32_t group_bodies(int32_t* body_dofs, int32_t count, int32_t dofs) {
  for (int32_t size = 6; size >= 3; size -= 3) {
    if (dofs % size != 0) continue;
    bool fits = true;
    int32_t end = 0;
    for (int32_t i = 0; i < count && fits; ++i) {
      fits = end % size + body_dofs[i] <= size;
      end += body_dofs[i];
    }
    if (!fits) continue;
    for (int32_t i = 0; i < dofs / size; ++i) body_dofs[i] = size;
    return dofs / size;
  }
  return count;
}

// The diagonal blocks of M, row-major, one after the other. NULL if memory runs out.
static double* dense_blocks(const CpsFclibMatrix* M, const int32_t* body_dofs, int32_t body_count) {
  int64_t total = 0;
  for (int32_t body = 0; body < body_count; ++body) total += (int64_t)body_dofs[body] * body_dofs[body];
  double* value = calloc((size_t)total + 1, sizeof *value);
  int64_t* row_at = malloc(((size_t)M->m + 1) * sizeof *row_at);  // offset of (i, 0) if the block began at column 0
  if (value && row_at) {
    int64_t at = 0;
    int32_t first = 0;
    for (int32_t body = 0; body < body_count; ++body) {
      for (int32_t i = 0; i < body_dofs[body]; ++i, at += body_dofs[body]) row_at[first + i] = at - first;
      first += body_dofs[body];
    }
    for (int64_t k = 0; k < M->entry_count; ++k) value[row_at[M->row[k]] + M->col[k]] += M->value[k];
  } else {
    free(value);
    value = NULL;
  }
  free(row_at);
  return value;
}

// The number of nodes of three dofs at the beginning of M, if the file gives it: they stay nodes, which sweeps over
// grains need. Masses cannot tell: small bodies of other programs often have equal masses along the three axes, too.
static CpsStatus read_nodes(const CpsH5* h5, int64_t dofs, int64_t* nodes) {
  static const char NAME[] = "/capstan/nodes";
  *nodes = 0;
  if (!cps_h5_has(h5, NAME)) return CPS_OK;
  CpsStatus status = cps_h5_read_int(h5, NAME, nodes);
  if (status == CPS_OK && (*nodes < 0 || *nodes > dofs / 3)) {
    status = cps_io_fail(h5->error, CPS_BAD_DATA, h5->path, NAME,
                         "says %" PRId64 " nodes of three dofs, but M has %" PRId64 " dofs", *nodes, dofs);
  }
  return status;
}

static double cpu_seconds(void) {
  struct timespec now;
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0) return 0.0;
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Passes M to the elimination as dense blocks if bodies are small, otherwise as one sparse matrix.
static CpsStatus eliminate(const CpsH5* h5, const char* group, const Vectors* vectors, const CpsFclibMatrix* M,
                           int64_t nodes, const CpsFclibCompressed* H, const double* f, CpsForm form,
                           CpsProblem** problem) {
  CpsStatus status = CPS_NO_MEMORY;
  CpsError reason = {"out of memory"};
  CpsFclibCompressed columns = {0};
  double* blocks = NULL;
  int32_t* body_dofs = malloc(((size_t)M->m + 1) * sizeof *body_dofs);
  int32_t* reach = malloc(((size_t)M->m + 1) * sizeof *reach);
  CpsGlobalForm global = {
      .M = {.dof_count = M->m}, .H_row_start = H->start, .H_col = H->index, .H_value = H->value, .f = f};
  if (!body_dofs || !reach) goto done;
  int32_t largest = 0;
  int32_t body_count = cut_bodies(M, body_dofs, reach, &largest);
  const bool keep = form == CPS_FORM_SPARSE && nodes > 0;
  if (largest <= LARGEST_DENSE_BODY && !keep) {
    global.M.kind = CPS_MASS_DENSE_BLOCKS;
    global.M.body_count = group_bodies(body_dofs, body_count, M->m);
    global.M.body_dofs = body_dofs;
    global.M.value = blocks = dense_blocks(M, body_dofs, global.M.body_count);
    if (!blocks) goto done;
  } else {
    if (!cps_fclib_matrix_compress(M, false, &columns)) goto done;
    global.M.kind = CPS_MASS_SPARSE;
    global.M.value = columns.value;
    global.M.col_start = columns.start;
    global.M.row = columns.index;
  }
  CpsContactsDef contacts = contacts_of(vectors);
  status = cps_problem_from_global(&contacts, &global, form, problem, &reason);

done:
  if (status != CPS_OK) cps_io_fail(h5->error, status, h5->path, group, "%s", reason.text);
  cps_fclib_compressed_free(&columns);
  free(blocks);
  free(body_dofs);
  free(reach);
  return status;
}

static CpsStatus read_global(const CpsH5* h5, const char* group, CpsForm form, CpsProblem** problem,
                             double* elimination_seconds) {
  Vectors vectors = {0};
  double* f = NULL;
  int64_t dofs = 0, nodes = 0;
  CpsFclibMatrix M = {0}, H = {0};
  CpsFclibCompressed H_rows = {0};
  CpsStatus status = read_vectors(h5, group, "w", &vectors);
  if (status == CPS_OK) status = refuse_constraints(h5, group, "G");
  char forces[64];
  snprintf(forces, sizeof forces, "%s/vectors/f", group);
  if (status == CPS_OK) status = read_vector(h5, forces, -1, &f, &dofs);
  if (status == CPS_OK && dofs > INT32_MAX) {
    status = cps_io_fail(h5->error, CPS_UNSUPPORTED, h5->path, forces, "has over 2^31 entries");
  }
  if (status == CPS_OK) status = read_matrix(h5, group, "M", (int32_t)dofs, (int32_t)dofs, &M);
  if (status == CPS_OK) status = read_matrix(h5, group, "H", (int32_t)dofs, vectors.row_count, &H);
  if (status == CPS_OK) status = read_nodes(h5, dofs, &nodes);
  double start = cpu_seconds();
  // the file's H, compressed by columns, is the row-compressed transpose that CpsGlobalForm requires
  if (status == CPS_OK && !cps_fclib_matrix_compress(&H, false, &H_rows)) {
    status = cps_io_fail(h5->error, CPS_NO_MEMORY, h5->path, NULL, "out of memory");
  }
  if (status == CPS_OK) status = eliminate(h5, group, &vectors, &M, nodes, &H_rows, f, form, problem);
  *elimination_seconds = cpu_seconds() - start;
  cps_fclib_matrix_free(&M);
  cps_fclib_matrix_free(&H);
  cps_fclib_compressed_free(&H_rows);
  free(f);
  free_vectors(&vectors);
  return status;
}

static void read_info(const CpsH5* h5, const char* group, bool global, CpsFclibInfo* info) {
  char name[64];
  info->global = global;
  info->has_solution = cps_h5_has(h5, "/solution");
  info->has_guesses = cps_h5_has(h5, "/guesses");
  snprintf(name, sizeof name, "%s/info/title", group);
  cps_h5_read_text(h5, name, info->title, sizeof info->title);
  snprintf(name, sizeof name, "%s/info/description", group);
  cps_h5_read_text(h5, name, info->description, sizeof info->description);
  snprintf(name, sizeof name, "%s/info/math_info", group);
  cps_h5_read_text(h5, name, info->math_info, sizeof info->math_info);
}

static CpsStatus read_file(const char* path, CpsForm form, CpsProblem** problem, CpsFclibInfo* info, CpsError* error) {
  static const char* const LOCAL[] = {"/fclib_local", "/capstan_local"};
  static const char* const GLOBAL[] = {"/fclib_global", "/capstan_global"};
  CpsH5 h5;
  CpsStatus status = cps_h5_open(&h5, path, error);
  if (status != CPS_OK) return status;
  CpsFclibInfo found = {0};
  const char *local = NULL, *global = NULL;
  for (int i = 1; i >= 0; --i) {
    if (cps_h5_has(&h5, LOCAL[i])) local = LOCAL[i];
    if (cps_h5_has(&h5, GLOBAL[i])) global = GLOBAL[i];
  }
  if (local) {
    status = read_local(&h5, local, problem);
  } else if (global) {
    status = read_global(&h5, global, form, problem, &found.elimination_seconds);
  } else if (cps_h5_has(&h5, "/fclib_global_rolling") || cps_h5_has(&h5, "/fclib_local_rolling")) {
    status =
        cps_io_fail(error, CPS_UNSUPPORTED, path, NULL, "holds a problem of rolling friction, which is not supported");
  } else {
    status = cps_io_fail(error, CPS_BAD_FORMAT, path, NULL,
                         "holds no friction problem (neither /fclib_local nor /fclib_global)");
  }
  if (status == CPS_OK && info) {
    read_info(&h5, local ? local : global, !local, &found);
    *info = found;
  }
  cps_h5_close(&h5);
  return status;
}

static CpsStatus read_solution(const char* path, int64_t row_count, double* r, double* u, CpsError* error) {
  CpsH5 h5;
  CpsStatus status = cps_h5_open(&h5, path, error);
  if (status != CPS_OK) return status;
  double *found_r = NULL, *found_u = NULL;
  int64_t count = 0;
  if (r) status = read_vector(&h5, "/solution/r", row_count, &found_r, &count);
  if (status == CPS_OK && u) status = read_vector(&h5, "/solution/u", row_count, &found_u, &count);
  if (status == CPS_OK && r) memcpy(r, found_r, (size_t)row_count * sizeof *r);
  if (status == CPS_OK && u) memcpy(u, found_u, (size_t)row_count * sizeof *u);
  free(found_r);
  free(found_u);
  cps_h5_close(&h5);
  return status;
}

CpsStatus cps_fclib_read(const char* path, CpsForm form, CpsProblem** problem, CpsFclibInfo* info, CpsError* error) {
  if (!path || !problem) return cps_io_fail(error, CPS_BAD_ARGUMENT, "cps_fclib_read", NULL, "path or problem is NULL");
  if (form != CPS_FORM_W && form != CPS_FORM_FACTORED && form != CPS_FORM_SPARSE) {
    return cps_io_fail(error, CPS_BAD_ARGUMENT, path, NULL, "form %d is not a CpsForm", (int)form);
  }
  CpsProblem* made = NULL;
  CpsStatus status = CPS_OK;
  H5E_BEGIN_TRY {
    status = read_file(path, form, &made, info, error);
  }
  H5E_END_TRY
  if (status != CPS_OK) return status;
  *problem = made;
  if (error) error->text[0] = '\0';
  return CPS_OK;
}

CpsStatus cps_fclib_read_solution(const char* path, int64_t row_count, double* r, double* u, CpsError* error) {
  if (!path) return cps_io_fail(error, CPS_BAD_ARGUMENT, "cps_fclib_read_solution", NULL, "path is NULL");
  if (row_count < 0) return cps_io_fail(error, CPS_BAD_ARGUMENT, path, NULL, "row_count is negative");
  CpsStatus status = CPS_OK;
  H5E_BEGIN_TRY {
    status = read_solution(path, row_count, r, u, error);
  }
  H5E_END_TRY
  if (status == CPS_OK && error) error->text[0] = '\0';
  return status;
}
