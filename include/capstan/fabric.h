/// @file fabric.h
/// Measured fabrics in files. Part of the library capstan-io.
///
///     CpsFabricTable table;
///     CpsFabric fabric;
///     if (cps_fabric_table_read("11oz-black-denim.json", &table, NULL) == CPS_OK) {
///       cps_fabric_table_at(&table, 0.0, 0.0, &fabric, NULL);
///       cps_sheet_def_use_fabric(&def, &fabric);
///     }
///
/// The format is that of the measurements of Wang, O'Brien and Ramamoorthi (2011) as the program ARCSim reads them: a JSON
/// object with "density", "stretching" and "bending".
#ifndef CAPSTAN_FABRIC_H
#define CAPSTAN_FABRIC_H

#include "capstan/sheet.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A measured fabric as its file has it.
typedef struct CpsFabricTable {
  double density;  ///< kg/m^2, > 0
  double stretching
      [6][4];  ///< c11, c12, c22, c33 in N/m, stress = c (F^T F - I): first without strain, then for a stretch of
               ///< 1/6 at 0, 22.5, 45, 67.5 and 90 degrees to the warp
  double
      bending[3]
             [5];  ///< stiffness of edges at 0, 45 and 90 degrees to the warp, N m, for curvatures of 0, 10, …, 40 1/m;
                   ///< four times that of a plate
  char name[32];  ///< name of the file without folder and ending; zero-terminated, cut if longer
} CpsFabricTable;

/// Reads a file. Keys that are not named above are skipped.
/// @return CPS_OK; CPS_FILE_ERROR; CPS_BAD_FORMAT with the line and what is wrong, the table untouched; or CPS_NO_MEMORY
CPS_API CpsStatus cps_fabric_table_read(const char* path, CpsFabricTable* table, CpsError* error);
/// The same from text.
/// @param length  bytes of the text, which need not be zero-terminated
/// @param name    used as the file name in error messages
CPS_API CpsStatus cps_fabric_table_parse(const char* text, size_t length, const char* name, CpsFabricTable* table,
                                         CpsError* error);

/// The fabric that is as stiff as the table at a stretch and a curvature. Sheets are linear in both, so one must choose; between
/// and beyond the measurements it is as ARCSim does it: linear, and constant outside. What is kept: c11 along the warp, c22
/// along the weft, c33 at 45 degrees, the mean c12; bending of warp and weft, and twisting from 45 degrees. Negative entries
/// count as 0, stiffnesses are at least 1e-3 of the largest, and Poisson's ratio is at most 0.95. Files have no thickness: 0.5 mm.
/// @param stretch    relative, >= 0; 0: without strain
/// @param curvature  1/m, >= 0
/// @return CPS_OK, CPS_BAD_ARGUMENT, or CPS_BAD_DATA for a table without any stiffness
CPS_API CpsStatus cps_fabric_table_at(const CpsFabricTable* table, double stretch, double curvature, CpsFabric* fabric,
                                      CpsError* error);

#ifdef __cplusplus
}
#endif
#endif
