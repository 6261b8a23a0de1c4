// All mistakes of a scene: each is reported as it is found, and the first is the error of the call.
#ifndef CAPSTAN_IO_SCENE_MISTAKES_H
#define CAPSTAN_IO_SCENE_MISTAKES_H

#include "capstan/scene.h"

// Zeroed but for `tell`: none yet.
typedef struct CpsMistakes {
  CpsTellFn tell;  // NULL: reading stops at the first mistake
  void* data;
  int32_t count;
  CpsStatus status;  // of the first
  CpsError first;
} CpsMistakes;

// Notes a mistake, unless it is among the mistakes noted since the count was `before`.
// @return whether to continue and look for more: there is a listener, and memory has not run out
bool cps_mistakes_add(CpsMistakes* mistakes, int32_t before, CpsStatus status, const CpsError* error);

#endif
