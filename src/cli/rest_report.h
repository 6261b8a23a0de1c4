// Messages of the command about fibres that should be at equilibrium.
#ifndef CAPSTAN_CLI_REST_REPORT_H
#define CAPSTAN_CLI_REST_REPORT_H

#include <stdio.h>

#include "capstan/inverse.h"
#include "capstan/scene.h"

// Distance between the fibres and the strands of a file: the fitted fibres are at rest, not the scanned strands.
typedef struct CpsFitReport {
  int32_t count;  // of fitted fibres
  double mean;    // over them, m
  double part;    // the same in lengths of each
  double max;     // m
  int32_t worst;  // the fibre that has it
} CpsFitReport;
CpsFitReport cps_fit_report(const CpsScene* scene, const CpsWorld* world);
// Whether more elements would make a visible difference.
bool cps_fit_is_rough(const CpsFitReport* fit);

// Lists strands of files that did not become fibres, on lines that begin with `before`; nothing if there are none.
void cps_skipped_print(FILE* out, const char* before, const CpsScene* scene);
// The same for fibres that could not be inverted and keep their placed shape.
void cps_refused_print(FILE* out, const char* before, const CpsScene* scene, const CpsWorld* world);
// How many ties pull at fibres at rest, if any.
void cps_pulled_print(FILE* out, const char* before, const CpsWorld* world);
// How many fibres have each doubt, and those from `first` on by name, with the reason.
enum { CPS_DOUBTS = CPS_DOUBT_UNKNOWN + 1 };
void cps_doubts_count(const CpsWorld* world, int32_t counts[CPS_DOUBTS]);
void cps_doubts_print(FILE* out, const char* before, const CpsScene* scene, const CpsWorld* world, CpsFibreDoubt first);
// Warns of fibres that cannot be at rest in their shape, or would not stay there; nothing if there are none.
void cps_rest_print(FILE* out, const CpsScene* scene, const CpsWorld* world);

#endif
