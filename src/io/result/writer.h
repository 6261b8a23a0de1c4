// Internals of a result during writing, shared by the files that create, resume and fill it.
#ifndef CAPSTAN_IO_RESULT_WRITER_H
#define CAPSTAN_IO_RESULT_WRITER_H

#include "base/fail.h"
#include "io/contact_numbers.h"
#include "io/ordered_file.h"
#include "io/result/fibre_lines.h"
#include "io/result/format.h"

#define CPS_SERIES_ROOM 1024  // steps kept in memory before they go to the file, uncounted

// Reference values of the series of grains (grain_series.c), and forces of steps not written yet.
typedef struct CpsGrainSeries {
  bool there;            // grains, not a flow
  CpsVec3 lower, upper;  // box in which all of them started
  int32_t entries;
  int64_t* first;  // particle of each entry, one more at the end
  double* mass;    // of a particle of it, kg
  CpsVec3* force;  // rows of obstacles, then of bodies
} CpsGrainSeries;

struct CpsResultWriter {
  char* path;       // where the result is or will be
  char* part_path;  // where a new one is until its first frame is safe; NULL afterwards
  int descriptor;
  CpsOrderedFile ordered;
  CpsJournal journal;
  hid_t file;
  hid_t dataset[CPS_GROWING_COUNT];
  hid_t counter, finished;
  int64_t rows[CPS_GROWING_COUNT];    // that the next row comes after
  int64_t extent[CPS_GROWING_COUNT];  // rows that are there, perhaps of a frame that does not count
  int64_t frame_count;
  int64_t series_counted;  // rows of the series that belong to these frames
  uint64_t run;            // id, also in the journal
  int32_t bodies, obstacles, fibres, sheets, solids, ties;
  int64_t sheet_vertices, solid_vertices, tetrahedra, particles;
  CpsFibreLines lines;
  CpsTensions* tensions;
  bool with_contacts, with_tension, with_velocity;
  bool with_grain_stress;             // and status; results begun by a version without it continue without it
  bool goes_on;                       // the next frame comes after an end, or in the place of one that was dropped
  double (*series)[CPS_SERIES_ROOM];  // CPS_SCALARS_COUNT lines
  int32_t series_count, series_room;
  CpsGrainSeries grains;
  void* buffer;  // for one frame
  size_t buffer_room;
  CpsNumbering numbering;
};

// Allocates a writer for `path`, with nothing open. NULL if memory runs out.
CpsResultWriter* cps_result_writer_make(const char* path, const CpsScene* scene);
// Closes and frees everything; nothing more is written.
void cps_result_writer_free(CpsResultWriter* writer, bool remove_journal);

// After HDF5 failed: the cause is a failed write below it, otherwise lack of memory. The file stays as it is.
void cps_result_give_up(CpsResultWriter* writer);
// The error message for it.
CpsStatus cps_result_fail_write(const CpsResultWriter* writer, CpsError* error);
// Overwrites a scalar at once.
bool cps_result_write_number(hid_t dataset, int64_t value);

// Creates all groups, datasets and attributes of an empty result in writer->file.
bool cps_result_layout(CpsResultWriter* writer, const CpsScene* scene);
// Whether this result has a growing dataset: some exist only if the scene requests them.
bool cps_result_writes(const CpsResultWriter* writer, int which);
// Names, shapes and their parts. Part of the function above.
bool cps_result_write_shapes(hid_t file, const CpsScene* scene);
// Materials, after the above and the lines of fibres.
bool cps_result_write_materials(hid_t file, const CpsScene* scene);
// An inner extent of a growing dataset.
int64_t cps_result_inner(const CpsResultWriter* writer, int inner);
// The lines of fibres, and their current points (fibres.c).
bool cps_result_write_lines(CpsResultWriter* writer, const CpsScene* scene);
bool cps_result_write_fibres(CpsResultWriter* writer, const CpsWorld* world);
// Names and triangles of sheets and solids (sheets.c), and tetrahedra of solids (solids.c).
bool cps_result_write_sheets(hid_t file, const CpsScene* scene);
bool cps_result_write_tetrahedra(hid_t file, const CpsScene* scene);
// The numbers of their vertices and tetrahedra (solids.c).
void cps_result_count_vertices(CpsResultWriter* writer, const CpsScene* scene);
// Current vertices, the impulses on them (vertices.c), and the stress in tetrahedra (solids.c).
bool cps_result_write_vertices(CpsResultWriter* writer, const CpsWorld* world);
bool cps_result_write_stress(CpsResultWriter* writer, const CpsWorld* world);
// Names and kinds of ties, if there are any, and their current states (ties.c).
bool cps_result_write_tie_names(CpsResultWriter* writer, const CpsScene* scene);
bool cps_result_write_ties(CpsResultWriter* writer, const CpsWorld* world);
// A dataset of constant size, with its unit and description. Extents of 0 are allowed.
bool cps_result_write_fixed(hid_t file, const char* name, const char* units, const char* about, CpsNumber number,
                            int rank, const hsize_t* extents, const void* values);
// Texts of equal length.
bool cps_result_write_texts(hid_t file, const char* name, const char* about, const char* texts, size_t length,
                            int64_t count);

// Adds rows to a dataset, in the type of the table.
bool cps_result_append(CpsResultWriter* writer, int which, const void* values, int64_t count);
// Memory for the values of a frame, valid until the next call. NULL if memory runs out.
void* cps_result_reserve(CpsResultWriter* writer, size_t size);
// Appends the contacts of the last step, and the offset of their end.
bool cps_result_write_contacts(CpsResultWriter* writer, const CpsWorld* world);

bool cps_result_attribute_text(hid_t object, const char* name, const char* text);

// Grains (grains.c): how many particles there are; which entry they belong to; those of a frame.
void cps_result_count_particles(CpsResultWriter* writer, const CpsScene* scene);
bool cps_result_write_grain_names(CpsResultWriter* writer, const CpsScene* scene);
bool cps_result_write_grains(CpsResultWriter* writer, const CpsWorld* world);
// Their series (grain_series.c): allocates memory, false if it runs out; adds the last step in the line `series_count`; writes the forces.
bool cps_result_plan_grains(CpsResultWriter* writer, const CpsScene* scene);
void cps_result_forget_grains(CpsResultWriter* writer);
bool cps_result_add_grains(CpsResultWriter* writer, const CpsWorld* world);
bool cps_result_flush_forces(CpsResultWriter* writer);

#endif
