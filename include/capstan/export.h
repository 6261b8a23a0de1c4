/// @file export.h
/// Results as files that other programs open: ParaView, USD, glTF, OBJ, CSV. Part of the library capstan-io.
/// docs/howto/export.md lists the contents of each.
///
///     CpsExportOptions options = cps_export_options_default();
///     options.format = CPS_EXPORT_GLTF;
///     if (cps_export(result, "tower.glb", &options, NULL, &error) != CPS_OK) puts(error.text);
///
/// Frames are read and written one after the other. What is written appears whole or not at all: files beside their place,
/// folders under another name, renamed at the end.
#ifndef CAPSTAN_EXPORT_H
#define CAPSTAN_EXPORT_H

#include "capstan/result.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The formats.
typedef enum CpsExportFormat {
  CPS_EXPORT_PVD =
      0,  ///< "pvd": ParaView's series, one .vtp file for each frame and kind of thing in a folder beside it
  CPS_EXPORT_USDA = 1,  ///< "usda": USD as text, curves and meshes with time samples
  CPS_EXPORT_GLTF = 2,  ///< "gltf": glTF 2.0 in one binary file (.glb), motions as animations
  CPS_EXPORT_OBJ = 3,   ///< "obj": a folder with one .obj file for each frame, and their colours
  CPS_EXPORT_CSV =
      4,  ///< "csv": the scalars of the steps as a table, and the contacts of the frames as NAME-contacts.csv
  CPS_EXPORT_COUNT = 5  ///< number of formats
} CpsExportFormat;

/// Name of a format, "pvd"; NULL outside the range.
CPS_API const char* cps_export_format_name(CpsExportFormat format);
/// What a file of it is called, ".pvd"; of OBJ the end of the folder's name, "-obj". NULL outside the range.
CPS_API const char* cps_export_format_suffix(CpsExportFormat format);
/// The format of a name; CPS_EXPORT_COUNT: there is none.
CPS_API CpsExportFormat cps_export_format_find(const char* name);

/// Called after each frame.
/// @return false to stop: nothing is written then, and cps_export() returns CPS_INTERRUPTED
typedef bool (*CpsExportProgressFn)(int64_t done, int64_t total, void* data);

/// What is exported and how. Always start from cps_export_options_default().
typedef struct CpsExportOptions {
  CpsExportFormat format;  ///< Default CPS_EXPORT_PVD
  int64_t first;           ///< first frame, from 0. Default 0
  int64_t last;            ///< last frame, included; negative: the last there is. Default -1
  int32_t around;          ///< corners of circles of round shapes, 6 to 512; 0: 24, or fewer where shapes are rewritten
                           ///< in each frame (PVD, OBJ) and it would have many points. Default 0
  int32_t tube;            ///< corners of the sections of fibres in glTF and OBJ, 3 to 64; 0: lines; negative: what the
                           ///< format does best: in glTF 6, or lines if that is too much; in OBJ lines. Default -1
  bool contacts;  ///< glTF: with the contacts as lines; CSV: with a second table NAME-contacts.csv of them; the other
                  ///< formats always have them. Default true
  CpsExportProgressFn progress;  ///< may be NULL. Default NULL
  void* progress_data;           ///< handed on
  int cookie;                    ///< set by the default function
} CpsExportOptions;

/// The defaults named above.
CPS_API CpsExportOptions cps_export_options_default(void);

/// What was written.
typedef struct CpsExportInfo {
  int64_t frames;  ///< frames; of CSV the rows
  int64_t files;   ///< files
  int64_t bytes;   ///< their bytes
  char note[160];  ///< one sentence about data that the format cannot represent; empty: none
} CpsExportInfo;

/// Exports frames of a result.
/// @param path  the file, or of OBJ the folder; an older one is replaced, but not a folder that holds other files
/// @param info  out: may be NULL
/// @return CPS_OK; CPS_INTERRUPTED; or an error with a message, and nothing was written
CPS_API CpsStatus cps_export(CpsResult* result, const char* path, const CpsExportOptions* options, CpsExportInfo* info,
                             CpsError* error);

/// A column of a table: numbers or texts.
typedef struct CpsColumn {
  const char* name;          ///< its title; of HDF5 the name of the dataset, with '/' written as '_'
  const double* numbers;     ///< `rows` of them, NaN where there is none; NULL: the column has texts
  const char* const* texts;  ///< `rows` of them if `numbers` is NULL
} CpsColumn;
/// Writes a table: a path that ends in .h5 or .hdf5 becomes an HDF5 file with one array for each column, any other CSV with the
/// titles in its first line.
/// @return CPS_OK, CPS_BAD_ARGUMENT (no column, two of one name), CPS_FILE_ERROR or CPS_NO_MEMORY
CPS_API CpsStatus cps_export_columns(const char* path, const CpsColumn* columns, int32_t column_count, int64_t rows,
                                     CpsError* error);

#ifdef __cplusplus
}
#endif
#endif
