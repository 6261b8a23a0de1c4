// Internals of a result during reading.
#ifndef CAPSTAN_IO_RESULT_READER_H
#define CAPSTAN_IO_RESULT_READER_H

#include "core/arena.h"
#include "io/hdf5_checked.h"
#include "io/result/format.h"

struct CpsResult {
  CpsH5 h5;  // its error is set for the time of a call
  char* path;
  int64_t most_frames;  // frames after these are not examined
  char *title, *scene_text, *version;
  uint64_t run;
  int64_t version_number;  // of the format
  CpsResultLine* lines;
  CpsResultSheet* sheets;
  int32_t part_count;  // of the following, read on demand
  CpsResultPart* parts;
  CpsVec3* part_points;
  int32_t* part_triangles;
  int64_t contact_count, state_size;  // rows that count
  double* times;                      // of the frames
  CpsResultInfo info;
};

// Reads the file description and checks that all necessary data is present; result->h5 is open.
CpsStatus cps_result_examine(CpsResult* result);
// Whether the file says that it is a result.
bool cps_result_is_result(const CpsResult* result);
// Rows of a growing dataset, converted to the given type. `values` has room for them.
CpsStatus cps_result_rows(const CpsResult* result, int which, int64_t first, int64_t count, hid_t memory, void* values);
// Refuses a frame that does not exist.
CpsStatus cps_result_check_frame(const CpsResult* result, int64_t frame, CpsError* error);
// Whether a file has a growing dataset: by its version, or because the scene requested it.
bool cps_result_has(const CpsResult* result, int which);
// Frees the parts (parts.c).
void cps_result_forget_parts(CpsResult* result);
// Reads and checks the lines of fibres (lines.c).
CpsStatus cps_result_read_lines(CpsResult* result);
// Reads and checks the sheets; their triangles, numbered over all vertices, in `memory` (sheet_read.c).
CpsStatus cps_result_read_sheets(CpsResult* result);
// Shapes of their unloaded triangles, three numbers each; NULL if the result does not hold them.
CpsStatus cps_result_read_rest(const CpsResult* result, CpsArena* memory, const double** rest);
CpsStatus cps_result_read_triangles(const CpsResult* result, CpsArena* memory, const int32_t** triangles);
// Tetrahedra of solids, numbered over all vertices; NULL: none, or the result does not hold them.
CpsStatus cps_result_read_tetrahedra(const CpsResult* result, CpsArena* memory, const int32_t** tetrahedra);
// Whether solids have datasets of their own.
bool cps_result_has_solids(const CpsResult* result);
// Names of one kind, in `memory` (names.c).
CpsStatus cps_result_names(const CpsResult* result, const char* name, CpsArena* memory, const char* const** names,
                           int64_t* count);
// Material numbers of `count` things, each below `materials`; zeros in files of older formats.
CpsStatus cps_result_materials(const CpsResult* result, const char* name, int32_t materials, CpsArena* memory,
                               const int32_t** numbers, int32_t count);
// Number of valid rows of the dataset.
int64_t cps_result_counted(const CpsResult* result, int which);

CpsStatus cps_result_read_grains(CpsResult* result);  // grains.c: how many particles there are
// grain_series.c: "force:NAME", "force_x:NAME", … of an obstacle or a body; the message about results without grains.
CpsStatus cps_result_force_series(const CpsResult* result, const char* name, double* values, CpsError* error);
CpsStatus cps_result_no_grains(const CpsResult* result, CpsError* error);

#endif
