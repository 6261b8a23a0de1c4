// A matrix group of an FCLIB file: integers nzmax m n nz p i and doubles x, in one of three layouts.
#ifndef CAPSTAN_IO_FCLIB_MATRIX_H
#define CAPSTAN_IO_FCLIB_MATRIX_H

#include "io/hdf5_checked.h"

// Checked triplets: every row < m, every column < n, every value finite.
typedef struct CpsFclibMatrix {
  int32_t m, n;
  int64_t entry_count;
  int32_t* row;
  int32_t* col;
  double* value;
} CpsFclibMatrix;

// The same, compressed along rows or columns; entries of a row or column keep the order of the file.
typedef struct CpsFclibCompressed {
  int64_t* start;  // one more than the rows (or columns)
  int32_t* index;  // columns (or rows)
  double* value;
} CpsFclibCompressed;

// Reads the group and checks its size against m and n, which are trusted because they are the lengths of vectors read before.
CpsStatus cps_fclib_matrix_read(const CpsH5* h5, const char* group, int32_t m, int32_t n, CpsFclibMatrix* matrix);
void cps_fclib_matrix_free(CpsFclibMatrix* matrix);

// Compresses along the rows, or along the columns. Returns false if memory runs out.
bool cps_fclib_matrix_compress(const CpsFclibMatrix* matrix, bool by_rows, CpsFclibCompressed* compressed);
void cps_fclib_compressed_free(CpsFclibCompressed* compressed);

#endif
