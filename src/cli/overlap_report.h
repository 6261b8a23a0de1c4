// Messages of the command about overlaps: at the start, and the worst ones of a run.
#ifndef CAPSTAN_CLI_OVERLAP_REPORT_H
#define CAPSTAN_CLI_OVERLAP_REPORT_H

#include "capstan/result.h"
#include "cli/json.h"

// Depths relative to the radius: from where a warning is due, and from where the depth is as bad as an unsolved step.
#define CPS_DEEP_WARNING 0.1
#define CPS_DEEP_FAILURE 1.0

// Overlaps at the start and their outcome: a note if all were separated, otherwise a warning; nothing without overlaps.
void cps_overlaps_print(FILE* out, const CpsScene* scene, const CpsWorld* world);
// Warnings about grains that overlap or lie inside something at the start, and about grains that have lost volume so far.
void cps_grains_print(FILE* out, const CpsScene* scene, const CpsWorld* world);
void cps_grains_warn(FILE* out, const CpsWorld* world);
// "overlaps": the counts before and after separation, and the worst of them.
void cps_overlaps_json(CpsJson* json, const CpsScene* scene, const CpsWorld* world);

// Depth over radius; 0 without an overlap.
double cps_deepest_ratio(const CpsDeepest* deepest);
// "penetration at most 0.84 mm, 28 % of the radius of 3 mm: rope and p1 at (-0.3, 0, 0.02) m, t = 1 ms"; a and b are the
// names of the two.
void cps_deepest_print(FILE* out, const CpsDeepest* deepest, const char* a, const char* b);
// "deepest": the same as an object, null where there is none.
void cps_deepest_json(CpsJson* json, const CpsDeepest* deepest, const char* a, const char* b);
// The same as a warning, if it is deep enough for one.
void cps_deepest_warn(FILE* out, const CpsDeepest* deepest, const char* a, const char* b);
// "(-0.3, 0, 0.02) m"
void cps_point_print(FILE* out, CpsVec3 point);
// "point": [x, y, z]
void cps_point_json(CpsJson* json, CpsVec3 point);
// "sides": both as {"kind", "index", "name", "part", "place", "point"}
void cps_sides_json(CpsJson* json, const CpsScene* scene, const CpsSide side[2]);

#endif
