// Pins of sheets and solids.
#ifndef CAPSTAN_IO_SCENE_PINS_H
#define CAPSTAN_IO_SCENE_PINS_H

#include "io/scene/internal.h"

// The vertices that an entry of `pins` selects.
typedef struct CpsPinPlace {
  const CpsNode* pin;
  const CpsNode *vertices, *near, *other;  // one of them; `other`: a way of the kind's own
  CpsVec3 point;                           // of near, or the direction of a side
  double radius, from;                     // of near; of a side: how far along the direction it begins
  int32_t rows;
} CpsPinPlace;

typedef struct CpsPinMesh CpsPinMesh;
// A mesh with pins, in its own axes, and the ways in which its kind selects vertices besides `vertices` and `near`.
struct CpsPinMesh {
  const char* kind;  // "sheet", for sentences
  const void* mesh;
  const CpsVec3* vertices;
  int32_t vertex_count;
  const char* choices;      // all ways, for sentences
  const char* const* keys;  // those of the kind's own, NULL at the end
  CpsStatus (*check)(CpsReader* reader, const CpsPinMesh* of, CpsPinPlace* place);  // and prepares `place`
  bool (*is_meant)(const CpsPinMesh* of, const CpsPinPlace* place, int32_t vertex);
};

typedef struct CpsScenePins {
  int32_t count;
  CpsPin* pins;
  int32_t* on;  // the obstacle that carries each, -1: none
} CpsScenePins;

// The pins of a list, which may be NULL: vertices in increasing order or as listed, the obstacle or motion of each, and the time.
CpsStatus cps_scene_pins(CpsReader* reader, const CpsNode* list, const CpsPinMesh* of, CpsScenePins* out);

#endif
