/// @file rest.h Rest states of fibres in HDF5: natural strains as stored by the models (inverse.h), for scenes and
/// other tools. Part of capstan-io.
#ifndef CAPSTAN_REST_H
#define CAPSTAN_REST_H

#include "capstan/inverse.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Writes the natural strains of all fibres of a world, in order, and the report of an inversion.
///
/// | dataset          | type, shape        | what                                                               |
/// |------------------|--------------------|--------------------------------------------------------------------|
/// | /fibre/name      | text, n            | names, "" where there is none                                      |
/// | /fibre/model     | text, n            | models, as scenes spell them                                       |
/// | /fibre/stiffened | float64, n         | stiffness over that of the definition                              |
/// | /strain/first    | int64, n + 1       | where the strains of each fibre begin in `value`                   |
/// | /strain/value    | float64, m x 3     | twist and bending about the second and third axis, see inverse.h   |
/// | /length/first    | int64, n + 1       | where the rest lengths of each fibre begin in `value`              |
/// | /length/value    | float64, k         | m                                                                  |
/// | /length/below    | float64, k         | rounding of the length: the exact length is the sum of both, m      |
///
/// Attributes of the root: `capstan_rest` (1, the format), and the fields of the report by their names. Fibres of
/// models without natural strains have none in the file.
/// @param path  an existing file is replaced atomically
/// @param info  NULL: without a report
CPS_API CpsStatus cps_rest_write(const char* path, const CpsWorld* world, const CpsInvertInfo* info, CpsError* error);

/// Reads such a file: sets the natural strains, rest lengths and stiffnesses of consecutive fibres of a world to those
/// in the file. Sizes and models must match; nothing changes if the file is rejected.
/// @param first  index of the first of these fibres in the world
/// @param count  number of fibres; the file must have as many
/// @return CPS_OK, CPS_FILE_ERROR, CPS_BAD_FORMAT, CPS_BAD_DATA (the fibres do not match those of the world),
/// CPS_BAD_ARGUMENT or CPS_NO_MEMORY
CPS_API CpsStatus cps_rest_read(const char* path, CpsWorld* world, int32_t first, int32_t count, CpsError* error);

/// What such a file holds.
typedef struct CpsRestFacts {
  int64_t fibre_count;      ///< fibres, those without natural strains included
  int64_t strain_count;     ///< natural strains, three numbers each
  int64_t length_count;     ///< rest lengths
  int64_t stiffened_count;  ///< fibres that are stiffer than their definition
  double most_stiffened;    ///< the largest such factor, 1 if there is none
  double curvature_max;     ///< the largest natural strain, 1/m
  bool has_report;          ///< the report of the inversion follows; otherwise its fields are 0
  CpsInvertInfo
      report;  ///< counts of fibres and elements, `balance`, `least_factor`, `most_stiffened`; other fields are 0
} CpsRestFacts;
/// Whether a file is a rest state.
CPS_API bool cps_rest_recognise(const char* path);
/// Describes a rest state.
/// @param facts  out: unchanged if the call fails
/// @return CPS_OK, CPS_FILE_ERROR, CPS_BAD_FORMAT, CPS_BAD_ARGUMENT or CPS_NO_MEMORY
CPS_API CpsStatus cps_rest_describe(const char* path, CpsRestFacts* facts, CpsError* error);

#ifdef __cplusplus
}
#endif

#endif
