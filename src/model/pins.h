// Pins of sheets and solids: validation.
#ifndef CAPSTAN_MODEL_PINS_H
#define CAPSTAN_MODEL_PINS_H

#include "capstan/sheet.h"

typedef struct CpsPinList {
  const CpsPin* pins;
  int32_t count;
  const CpsVec3* vertices;  // of the owner
  int32_t vertex_count;
  const char* owner;  // in messages
} CpsPinList;

// Validates each pin separately.
CpsStatus cps_pins_check_each(const CpsPinList* list, CpsError* error);
// Checks that no node is held by two pins at the same time. node: of each vertex.
CpsStatus cps_pins_check_claims(const CpsPinList* list, const int32_t* node, int32_t node_count, CpsError* error);

#endif
