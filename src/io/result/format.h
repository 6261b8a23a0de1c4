// The layout of a result file, as tables shared by writer and reader. docs/reference/result.md describes it.
#ifndef CAPSTAN_IO_RESULT_FORMAT_H
#define CAPSTAN_IO_RESULT_FORMAT_H

#include <hdf5.h>

#include "capstan/result.h"

#define CPS_RESULT_FORMAT "capstan-result"
// 2: fibres, 3: materials, residuals of contacts, 4: deepest penetrations, masses, packed states, 5: ties, 6: sheets,
// 7: sides of contacts, 8: solids beside the sheets, with stresses; zones that were stopped
#define CPS_RESULT_FORMAT_VERSION 8

#define CPS_RESULT_COUNTER "/frame_count"
#define CPS_RESULT_FINISHED "/finished"
#define CPS_RESULT_SCENE "/scene"

typedef enum CpsNumber { CPS_F64, CPS_F32, CPS_I64, CPS_U64, CPS_I32, CPS_U32, CPS_U8 } CpsNumber;

hid_t cps_number_in_file(CpsNumber number);
hid_t cps_number_in_memory(CpsNumber number);
size_t cps_number_size(CpsNumber number);

// Inner extents that vary with the scene.
enum {
  CPS_PER_BODY = -1,
  CPS_PER_OBSTACLE = -2,
  CPS_PER_FIBRE_POINT = -3,
  CPS_PER_TIE = -4,
  CPS_PER_SHEET_VERTEX = -5,  // up to format 7 vertices of solids are among them
  CPS_PER_SOLID_VERTEX = -6,
  CPS_PER_TETRAHEDRON = -7,
  CPS_PER_PARTICLE = -8
};

enum { CPS_RANK_MOST = 4 };
// A dataset that grows along its first dimension.
typedef struct CpsGrowing {
  const char* name;
  const char* units;
  const char* about;
  CpsNumber number;
  int inner_rank;
  int inner[CPS_RANK_MOST - 1];  // CPS_PER_BODY, CPS_PER_OBSTACLE, … or a count
  int since;                     // format version that has it first,
  int last;                      // and last; 0: this one still has it
} CpsGrowing;

// Datasets of frames: one row per frame.
enum {
  CPS_FRAME_TIME,
  CPS_FRAME_STEP,
  CPS_FRAME_ROW,
  CPS_FRAME_HASH,
  CPS_FRAME_POSE,
  CPS_FRAME_VELOCITY,
  CPS_FRAME_OBSTACLE_POSE,
  CPS_FRAME_FIBRE_POINT,
  CPS_FRAME_FIBRE_AXIS,
  CPS_FRAME_FIBRE_TENSION,   // only where the scene asks for it
  CPS_FRAME_FIBRE_VELOCITY,  // the same
  CPS_FRAME_SHEET_VERTEX,
  CPS_FRAME_SHEET_VELOCITY,  // only where the scene asks for it
  CPS_FRAME_SHEET_IMPULSE,   // only where there are sheets
  CPS_FRAME_SOLID_VERTEX,    // to CPS_FRAME_SOLID_STRESS: only where there are solids
  CPS_FRAME_SOLID_VELOCITY,  // only where the scene asks for it
  CPS_FRAME_SOLID_IMPULSE,
  CPS_FRAME_SOLID_STRESS,
  CPS_FRAME_GRAIN_POSITION,  // to CPS_FRAME_GRAIN_STRESS: only where there are grains
  CPS_FRAME_GRAIN_VELOCITY,
  CPS_FRAME_GRAIN_FRACTION,
  CPS_FRAME_GRAIN_PRESSURE,
  CPS_FRAME_GRAIN_STATUS,  // and the next, which older results do not have
  CPS_FRAME_GRAIN_STRESS,
  CPS_TIE_POINTS,  // to CPS_TIE_POINT_B: only where there are ties
  CPS_TIE_FORCE,
  CPS_TIE_TORQUE,
  CPS_TIE_APART,
  CPS_TIE_RESIDUAL,
  CPS_TIE_BROKEN,
  CPS_TIE_POINT_A,
  CPS_TIE_POINT_B,
  CPS_FRAME_STATE_OFFSET,    // one row more than there are frames
  CPS_FRAME_CONTACT_OFFSET,  // the same
  CPS_FRAME_STATE,           // one row per byte
  CPS_CONTACT_FIRST,         // from here one row per contact
  CPS_CONTACT_POINT = CPS_CONTACT_FIRST,
  CPS_CONTACT_FRAME,
  CPS_CONTACT_IMPULSE,
  CPS_CONTACT_VELOCITY,
  CPS_CONTACT_STATUS,
  CPS_CONTACT_GAP,
  CPS_CONTACT_THING,
  CPS_CONTACT_PART,
  CPS_CONTACT_PLACE,
  CPS_CONTACT_MATERIAL,
  CPS_CONTACT_FEATURE,
  CPS_CONTACT_MU,
  CPS_CONTACT_RESTITUTION,
  CPS_CONTACT_ISLAND,
  CPS_CONTACT_RESIDUAL,
  // sides as older formats have them
  CPS_CONTACT_POINT_A,
  CPS_CONTACT_POINT_B,
  CPS_CONTACT_BODY,
  CPS_CONTACT_OBSTACLE,
  CPS_CONTACT_FIBRE,
  CPS_CONTACT_ARC,
  CPS_CONTACT_SHEET,
  CPS_TOTALS_FIRST,  // from here the fields of CpsRunTotals, one row per frame
  CPS_TOTALS_COUNT = 23,
  CPS_SERIES_FIRST = CPS_TOTALS_FIRST + CPS_TOTALS_COUNT,  // from here scalars, one row per step
  CPS_SERIES_COUNT = 49,
  CPS_GRAIN_SERIES_FIRST = CPS_SERIES_FIRST + CPS_SERIES_COUNT,  // the same, only where there are grains
  CPS_GRAIN_SERIES_COUNT = 6,
  CPS_SCALARS_COUNT = CPS_SERIES_COUNT + CPS_GRAIN_SERIES_COUNT,
  CPS_STEP_OBSTACLE_FORCE =
      CPS_SERIES_FIRST + CPS_SCALARS_COUNT,  // forces of grains, one row per step, where there are some
  CPS_STEP_BODY_FORCE,
  CPS_GROWING_COUNT
};
extern const CpsGrowing cps_growing[CPS_GROWING_COUNT];

// The totals and the scalars of a step as rows in the order of the table. Integers stay exact up to 2^53.
void cps_totals_to_row(const CpsRunTotals* totals, double row[CPS_TOTALS_COUNT]);
CpsRunTotals cps_totals_from_row(const double row[CPS_TOTALS_COUNT]);
void cps_step_to_row(const CpsStepInfo* info, const CpsEnergy* energy, double row[CPS_SERIES_COUNT]);

#endif
