// Checks a tree against the schema, and reads from a checked tree.
#ifndef CAPSTAN_IO_SCENE_CHECK_H
#define CAPSTAN_IO_SCENE_CHECK_H

#include "capstan/vec.h"
#include "io/scene/mistakes.h"
#include "io/scene/value.h"
#include "io/scene/yaml_tree.h"

enum { CPS_NAME_LENGTH = 60 };  // of names that a scene gives to its bodies, materials and so on

// Checks every node: known key, type, dimension, range, required keys. Numbers are stored in their nodes.
// @param mistakes  may be NULL; otherwise receives all mistakes, and `error` receives the first
CpsStatus cps_scene_check(CpsNode* root, CpsMistakes* mistakes, CpsError* error);

// Reads a text as a number: with a unit, a parameter ($name) or an expression (= …).
// @param why  out: the reason of a refusal, "" if the text is not a number
bool cps_scene_value(CpsNode* root, const char* text, CpsValue* value, char why[CPS_WHY_SIZE]);
// Value of a parameter with its unit; false and no reason: no parameter has that name.
bool cps_scene_parameter_value(CpsNode* root, const char* name, CpsValue* value, char why[CPS_WHY_SIZE]);
// Value of a parameter of the scene with that root, as a CpsVariableFn (data: the root).
bool cps_scene_parameter(void* root, const char* name, double* value, char why[CPS_WHY_SIZE]);

// Reads from a checked map; `map` may be NULL. If the key is missing: the fallback.
double cps_map_number(const CpsNode* map, const char* key, double fallback);
bool cps_map_bool(const CpsNode* map, const char* key, bool fallback);
int32_t cps_map_count(const CpsNode* map, const char* key, int32_t fallback);
CpsVec3 cps_map_vec3(const CpsNode* map, const char* key, CpsVec3 fallback);
CpsVec3 cps_node_vec3(const CpsNode* list);

#endif
