/// @file fabric.h Files of measured fabrics. Part of the library capstan-io.
///
///     CpsFabricTable table;
///     CpsFabric fabric;
///     if (cps_fabric_table_read("11oz-black-denim.json", &table, NULL) == CPS_OK) {
///       cps_fabric_table_at(&table, 0.0, 0.0, &fabric, NULL);
///       cps_sheet_def_use_fabric(&def, &fabric);
///     }
///
/// The format is that of ARCSim, used for the measurements of Wang, O'Brien and Ramamoorthi (2011): a JSON object with
/// "density", "stretching" and "bending".
#ifndef CAPSTAN_FABRIC_H
#define CAPSTAN_FABRIC_H

#include "capstan/sheet.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A measured fabric, as in its file.
typedef struct CpsFabricTable {
  double density;           ///< kg/m^2, > 0
  double stretching[6][4];  ///< c11, c12, c22, c33 in N/m, stress = c (F^T F - I): first without strain, then for a
                            ///< stretch of 1/6 at 0, 22.5, 45, 67.5 and 90 degrees to the warp
  double bending[3][5];     ///< stiffness of edges at 0, 45 and 90 degrees to the warp, N m, for curvatures of 0, 10,
                            ///< …, 40 1/m; four times that of a plate
  char name[32];            ///< name of the file without folder and extension; zero-terminated, truncated to fit
} CpsFabricTable;

/// Reads a file. Other keys are ignored.
/// @return CPS_OK; CPS_FILE_ERROR; CPS_BAD_FORMAT with the line and the reason, and the table unchanged; or
/// CPS_NO_MEMORY
CPS_API CpsStatus cps_fabric_table_read(const char* path, CpsFabricTable* table, CpsError* error);
/// The same from text.
/// @param length  bytes of the text, which need not be zero-terminated
/// @param name    used as the file name in error messages
CPS_API CpsStatus cps_fabric_table_parse(const char* text, size_t length, const char* name, CpsFabricTable* table,
                                         CpsError* error);

/// The fabric with the stiffness of the table at a given stretch and curvature. Sheets are linear in both, so one value
/// must be chosen. As in ARCSim, values are interpolated linearly between the measurements and constant beyond them.
/// Used are c11 along the warp, c22 along the weft, c33 at 45 degrees, the mean c12; bending of warp and weft, and
/// twisting from 45 degrees. Negative entries count as 0, stiffnesses are at least 1e-3 of the largest, and Poisson's
/// ratio is at most 0.95. Files contain no thickness: it is set to 0.5 mm.
/// @param stretch    relative, >= 0; 0: without strain
/// @param curvature  1/m, >= 0
/// @return CPS_OK, CPS_BAD_ARGUMENT, or CPS_BAD_DATA for a table without any stiffness
CPS_API CpsStatus cps_fabric_table_at(const CpsFabricTable* table, double stretch, double curvature, CpsFabric* fabric,
                                      CpsError* error);

#ifdef __cplusplus
}
#endif
#endif
