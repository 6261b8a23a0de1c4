// Iterates over the table of keys.
#ifndef CAPSTAN_IO_SCENE_SCHEMA_H
#define CAPSTAN_IO_SCENE_SCHEMA_H

#include "capstan/scene.h"

// Starting point of a search for children of a key (NULL: of the whole scene).
int32_t cps_schema_first(const CpsSceneKey* parent);
// The next direct child of `prefix`, which is the parent's path, with [] for the maps of a list; NULL after the last.
// @param at    in and out: where the search stands
// @param word  out: its last word, "*" if any name will do
const CpsSceneKey* cps_schema_next(int32_t* at, const char* prefix, const char** word);

#endif
