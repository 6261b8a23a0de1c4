// The world that a result came from, built again from the scene that the result keeps: it knows what frames do not hold
// (masses, elements, energies of single fibres). Where it cannot be built, since a file of the scene is not there any longer,
// there are fewer facts and nothing else.
#ifndef CAPSTAN_SERVER_RECIPE_H
#define CAPSTAN_SERVER_RECIPE_H

#include "capstan/result.h"
#include "server/buffer.h"
#include "server/message.h"

// Zeroed: not tried yet.
typedef struct CpsRecipe {
  bool tried;
  CpsScene* scene;
  CpsWorld* world;  // NULL: none
  int64_t loaded;   // the frame whose state it has, -1: none
} CpsRecipe;

// Adds the world's data of an object at a frame to a message of facts.
// @param path  of the result: files of the scene are looked for beside it
void cps_recipe_tell(CpsRecipe* recipe, const CpsResult* result, const char* path, int64_t frame, CpsThingKind kind,
                     int64_t index, CpsBuffer* out);
// The same for a running scene, constant data only: the world built here stays at its start.
// @param path  of the scene
void cps_recipe_tell_fixed(CpsRecipe* recipe, const CpsScene* scene, const char* path, CpsThingKind kind, int64_t index,
                           CpsBuffer* out);
void cps_recipe_free(CpsRecipe* recipe);

#endif
