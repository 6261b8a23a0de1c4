/// @file export.h Exports results for other programs: ParaView, USD, glTF, OBJ, CSV. Part of the library capstan-io.
/// docs/howto/export.md lists the contents of each.
///
///     CpsExportOptions options = cps_export_options_default();
///     options.format = CPS_EXPORT_GLTF;
///     if (cps_export(result, "tower.glb", &options, NULL, &error) != CPS_OK) puts(error.text);
///
/// Frames are read and written one by one. Output is atomic: files and folders are written under a temporary name and
/// renamed at the end.
#ifndef CAPSTAN_EXPORT_H
#define CAPSTAN_EXPORT_H

#include "capstan/result.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The formats.
typedef enum CpsExportFormat {
  CPS_EXPORT_PVD = 0,   ///< "pvd": a ParaView series, with one .vtp file per frame and kind of object in a folder next
                        ///< to it
  CPS_EXPORT_USDA = 1,  ///< "usda": USD as text, curves and meshes with time samples
  CPS_EXPORT_GLTF = 2,  ///< "gltf": glTF 2.0 in one binary file (.glb), motions as animations
  CPS_EXPORT_OBJ = 3,   ///< "obj": a folder with one .obj file per frame, and a file of materials
  CPS_EXPORT_CSV = 4,   ///< "csv": the scalars of the steps as a table, and the contacts of the frames as
                        ///< NAME-contacts.csv
  CPS_EXPORT_COUNT = 5  ///< number of formats
} CpsExportFormat;

/// Name of a format, "pvd"; NULL outside the range.
CPS_API const char* cps_export_format_name(CpsExportFormat format);
/// Extension of its files, ".pvd"; for OBJ the suffix of the folder's name, "-obj". NULL outside the range.
CPS_API const char* cps_export_format_suffix(CpsExportFormat format);
/// Finds a format by its name; CPS_EXPORT_COUNT if there is none.
CPS_API CpsExportFormat cps_export_format_find(const char* name);

/// Called after each frame.
/// @return false to stop: nothing is written then, and cps_export() returns CPS_INTERRUPTED
typedef bool (*CpsExportProgressFn)(int64_t done, int64_t total, void* data);

/// Export options. Always start from cps_export_options_default().
typedef struct CpsExportOptions {
  CpsExportFormat format;        ///< Default CPS_EXPORT_PVD
  int64_t first;                 ///< first frame, from 0. Default 0
  int64_t last;                  ///< last frame, inclusive; negative: the last one available. Default -1
  int32_t around;                ///< segments per circle of round shapes, 6 to 512; 0: 24, or fewer for formats that
                                 ///< rewrite shapes in each frame (PVD, OBJ) if there would be many points. Default 0
  int32_t tube;                  ///< corners of fibre cross-sections in glTF and OBJ, 3 to 64; 0: lines; negative:
                                 ///< automatic (glTF: 6, or lines for large results; OBJ: lines). Default -1
  bool contacts;                 ///< include contacts, in glTF as lines, in CSV as a second table NAME-contacts.csv;
                                 ///< the other formats always include them. Default true
  CpsExportProgressFn progress;  ///< may be NULL. Default NULL
  void* progress_data;           ///< passed to the callback
  int cookie;                    ///< set by the default function
} CpsExportOptions;

/// The defaults named above.
CPS_API CpsExportOptions cps_export_options_default(void);

/// Report of an export.
typedef struct CpsExportInfo {
  int64_t frames;  ///< frames; for CSV the rows
  int64_t files;   ///< files
  int64_t bytes;   ///< total size
  char note[160];  ///< a message about data that the format cannot represent; empty: none
} CpsExportInfo;

/// Exports frames of a result.
/// @param path  the file or, for OBJ, the folder; an existing one is replaced, unless it is a folder that holds other
///              files
/// @param info  out: may be NULL
/// @return CPS_OK; CPS_INTERRUPTED; or an error with a message: nothing is written
CPS_API CpsStatus cps_export(CpsResult* result, const char* path, const CpsExportOptions* options, CpsExportInfo* info,
                             CpsError* error);

/// A column of a table: numbers or texts.
typedef struct CpsColumn {
  const char* name;          ///< its title; in HDF5 the name of the dataset, with '/' replaced by '_'
  const double* numbers;     ///< `rows` numbers, NaN where missing; NULL: a text column
  const char* const* texts;  ///< `rows` texts if `numbers` is NULL
} CpsColumn;
/// Writes a table: as HDF5 with one array per column if the path ends in .h5 or .hdf5, otherwise as CSV with the titles
/// in the first line.
/// @return CPS_OK, CPS_BAD_ARGUMENT (no columns, or two with the same name), CPS_FILE_ERROR or CPS_NO_MEMORY
CPS_API CpsStatus cps_export_columns(const char* path, const CpsColumn* columns, int32_t column_count, int64_t rows,
                                     CpsError* error);

#ifdef __cplusplus
}
#endif
#endif
