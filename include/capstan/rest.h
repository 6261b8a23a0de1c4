/// @file rest.h
/// Rest states of fibres in HDF5: natural strains as models keep them (inverse.h), for scenes and other tools. Part of capstan-io.
#ifndef CAPSTAN_REST_H
#define CAPSTAN_REST_H

#include "capstan/inverse.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Writes the natural strains of all fibres of a world, in their order, and what an inversion reported.
///
/// | dataset          | type, shape        | what                                                               |
/// |------------------|--------------------|--------------------------------------------------------------------|
/// | /fibre/name      | text, n            | names, "" where there is none                                      |
/// | /fibre/model     | text, n            | models, as scenes spell them                                       |
/// | /fibre/stiffened | float64, n         | stiffness over that of the definition                              |
/// | /strain/first    | int64, n + 1       | where the strains of each fibre begin in `value`                   |
/// | /strain/value    | float64, m x 3     | twist and bending about the second and third axis, see inverse.h   |
/// | /length/first    | int64, n + 1       | likewise of lengths at rest                                        |
/// | /length/value    | float64, k         | m                                                                  |
///
/// Attributes of the root: `capstan_rest` (1, the format), and the fields of the report by their names. A fibre of a model
/// without natural strains has none in the file.
/// @param path  an older file there is replaced, once the new one is whole
/// @param info  NULL: without a report
CPS_API CpsStatus cps_rest_write(const char* path, const CpsWorld* world, const CpsInvertInfo* info, CpsError* error);

/// Reads such a file back: natural strains, lengths at rest and stiffnesses of some fibres of a world become those of the fibres
/// of the file, in order. Sizes and models must be the same; nothing changes if the file is refused.
/// @param first  number of the first of them in the world
/// @param count  how many; the file must have as many
/// @return CPS_OK, CPS_FILE_ERROR, CPS_BAD_FORMAT, CPS_BAD_DATA (other fibres than those of the world), CPS_BAD_ARGUMENT or
///         CPS_NO_MEMORY
CPS_API CpsStatus cps_rest_read(const char* path, CpsWorld* world, int32_t first, int32_t count, CpsError* error);

#ifdef __cplusplus
}
#endif

#endif
