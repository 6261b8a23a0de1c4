// A USD stage being written, shared by its writers.
#ifndef CAPSTAN_IO_EXPORT_USDA_H
#define CAPSTAN_IO_EXPORT_USDA_H

#include "io/export/internal.h"
#include "io/export/names.h"

enum { CPS_USD_SINGLE = 9, CPS_USD_DOUBLE = 15 };  // digits

typedef struct CpsStage {
  CpsExport* e;
  CpsExportMeshes meshes;
  CpsExportNames names[3];  // of bodies, obstacles and sheets
  CpsExportNames looks;     // of the kinds, then of the materials
  CpsOut out;
  CpsGrow text;
  bool share;   // shapes that several parts have
  double rate;  // time codes per second
  int64_t done;
} CpsStage;

// Writes the text to the file once there is enough of it.
void cps_stage_flush(CpsStage* s);
void cps_stage_time(CpsStage* s, double time);
void cps_stage_vector(CpsStage* s, CpsVec3 v, int digits);
// Single precision, between brackets.
void cps_stage_vectors(CpsStage* s, const CpsVec3* v, int64_t count);
// The prim with the colour of a material, or of a kind of things without a material.
const char* cps_stage_look(const CpsStage* s, CpsExportKind kind, int32_t material);
// The bounding box of points, enlarged by a margin.
void cps_stage_extent(CpsStage* s, const CpsVec3* points, int64_t count, double margin);

// One BasisCurves for all fibres (usda_fibres.c), a Mesh for each sheet (usda_sheets.c), one Points for all contacts (usda_contacts.c), one
// for all grains (usda_grains.c); nothing for an empty set.
CpsStatus cps_stage_fibres(CpsStage* s);
CpsStatus cps_stage_sheets(CpsStage* s);
CpsStatus cps_stage_contacts(CpsStage* s);
CpsStatus cps_stage_grains(CpsStage* s);

#endif
