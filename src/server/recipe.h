// Rebuilds the world of a result from the scene stored in the result. The world provides data that frames lack (masses, elements,
// energies of single fibres). If it cannot be rebuilt, for example because a file of the scene is gone, only these facts are missing.
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
// @param path  of the result; files of the scene are searched for next to it
void cps_recipe_tell(CpsRecipe* recipe, const CpsResult* result, const char* path, int64_t frame, CpsThingKind kind,
                     int64_t index, CpsBuffer* out);
// The same for a running scene, constant data only: the world rebuilt here stays in its initial state.
// @param path  of the scene
void cps_recipe_tell_fixed(CpsRecipe* recipe, const CpsScene* scene, const char* path, CpsThingKind kind, int64_t index,
                           CpsBuffer* out);
void cps_recipe_free(CpsRecipe* recipe);

#endif
