// The centrelines of fibres as results and frames store them: one line for each fibre and one for each branch of a tree, each
// sampled at equal arc lengths.
#ifndef CAPSTAN_IO_RESULT_FIBRE_LINES_H
#define CAPSTAN_IO_RESULT_FIBRE_LINES_H

#include "capstan/fibre.h"
#include "capstan/scene.h"

// A centreline of a fibre: its trunk or a branch.
typedef struct CpsFibreLine {
  int32_t fibre, branch;      // -1: the trunk
  int32_t count;              // points
  double start, length;       // arc lengths, m; a length of 0: that of the fibre without its branches
  double branches;            // length of all branches of the fibre, m
  double radius, radius_tip;  // at its first and last point
} CpsFibreLine;

// All lines of a scene. Zeroed: none.
typedef struct CpsFibreLines {
  int32_t count;
  int64_t point_count;
  CpsFibreLine* lines;
} CpsFibreLines;

// False: memory runs out.
bool cps_fibre_lines_plan(CpsFibreLines* lines, const CpsScene* scene);
void cps_fibre_lines_free(CpsFibreLines* lines);
// Stores the current points of one line, the second axes of the sections there and the velocities; false: the world has no such
// fibre.
bool cps_fibre_line_sample(const CpsWorld* world, const CpsFibreLine* line, CpsVec3* points, CpsVec3* axes,
                           CpsVec3* velocities);

// The axial force at all points of all lines, N, zero where unknown (cps_world_fibre_tension()). False: memory runs out, or the
// world has no such fibres. `tensions` is memory that is reused from call to call.
bool cps_fibre_lines_tension(const CpsWorld* world, const CpsFibreLines* lines, CpsTensions* tensions, double* tension);

#endif
