/// @file hair.h Hair files. Part of the library capstan-io. docs/reference/hair-files.md describes the formats.
///
///     CpsHair hair;
///     if (cps_hair_read("groom.hair", &hair, NULL) == CPS_OK) {
///       for (int32_t i = 0; i < hair.strand_count; ++i) {
///         use(hair.points + hair.first[i], hair.first[i + 1] - hair.first[i]);
///       }
///       cps_hair_free(&hair);
///     }
#ifndef CAPSTAN_HAIR_H
#define CAPSTAN_HAIR_H

#include "capstan/base.h"
#include "capstan/vec.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Strands: polylines from root to tip, in the units and axes of their file.
typedef struct CpsHair {
  int32_t strand_count;   ///< number of usable strands: at least two points and a length > 0
  int64_t point_count;    ///< of all strands
  int64_t* first;         ///< strand i has points first[i] to first[i + 1] - 1; strand_count + 1 entries
  CpsVec3* points;        ///< finite
  double* thickness;      ///< diameter at each point; NULL: the same everywhere
  double diameter;        ///< diameter of all strands if `thickness` is NULL; 0: unknown
  int64_t skipped_short;  ///< strands skipped for having fewer than two points or no length
  int64_t skipped_bad;    ///< strands skipped because a point or a thickness is not finite
  char about[96];         ///< description in the file, or ""
  int64_t* skipped;  ///< positions in the file of the skipped strands, from 0: first skipped_short of those without
                     ///< a length, then skipped_bad of those that are not finite; NULL: none was skipped
} CpsHair;

/// Reads strands. The format is recognised by the content: `.hair` (Yuksel), `.ply` (text or little endian, strands
/// separated by a property of their points, by an element `strand` or by their edges), USC-HairSalon `.data` or CT2Hair
/// `.bin`.
/// @param hair   out: free it with cps_hair_free(); unchanged if the call fails
/// @param error  out: "FILE: what is wrong"
/// @return CPS_OK, CPS_FILE_ERROR, CPS_BAD_FORMAT (unknown format, counts that do not match the file size),
/// CPS_BAD_DATA (no strand can be used) or CPS_NO_MEMORY
CPS_API CpsStatus cps_hair_read(const char* path, CpsHair* hair, CpsError* error);
/// The same from bytes in memory.
/// @param name  used as the file name in error messages
CPS_API CpsStatus cps_hair_parse(const void* bytes, size_t size, const char* name, CpsHair* hair, CpsError* error);
/// Whether a file starts with the signature of a known format, or is named `.hair`, `.data` or `.bin`.
CPS_API bool cps_hair_recognise(const char* path);
/// Writes a `.hair` file, coordinates as 32-bit floats. A failure leaves an existing file intact.
/// @return CPS_OK, CPS_BAD_DATA (a strand with fewer than 2 or more than 65 536 points, a number that is not finite as
/// a
///         32-bit float), CPS_FILE_ERROR, CPS_BAD_ARGUMENT or CPS_NO_MEMORY
CPS_API CpsStatus cps_hair_write(const char* path, const CpsHair* hair, CpsError* error);
/// Frees its contents and zeroes it. NULL is allowed.
CPS_API void cps_hair_free(CpsHair* hair);

/// Statistics of strands.
typedef struct CpsHairFacts {
  CpsVec3 lower, upper;                        ///< bounding box of all points
  double length_min, length_mean, length_max;  ///< of the strands
  int64_t points_min, points_max;              ///< points of a strand
  double thickness_min, thickness_max;         ///< diameters; 0: unknown
} CpsHairFacts;
/// Computes the statistics; zeros if there are no strands.
CPS_API CpsHairFacts cps_hair_facts(const CpsHair* hair);

/// The sphere that fits best through the roots of strands, by least squares on |p|^2: a head for a groom that has none.
/// @param count  at least 4 roots that do not lie in a plane
/// @return CPS_OK, CPS_BAD_DATA (too few, too flat) or CPS_BAD_ARGUMENT: nothing is written
CPS_API CpsStatus cps_hair_fit_scalp(const CpsVec3* roots, int64_t count, CpsVec3* centre, double* radius,
                                     CpsError* error);

#ifdef __cplusplus
}
#endif
#endif
