// Reading maps that were checked.
#include "core/vec3.h"
#include "io/scene/check.h"

double cps_map_number(const CpsNode* map, const char* key, double fallback) {
  const CpsNode* node = cps_node_find(map, key);
  return node ? node->number : fallback;
}

bool cps_map_bool(const CpsNode* map, const char* key, bool fallback) {
  const CpsNode* node = cps_node_find(map, key);
  return node ? node->number != 0.0 : fallback;
}

int32_t cps_map_count(const CpsNode* map, const char* key, int32_t fallback) {
  const CpsNode* node = cps_node_find(map, key);
  return node ? (int32_t)node->number : fallback;
}

CpsVec3 cps_node_vec3(const CpsNode* list) {
  const CpsNode* x = list->first;
  return cps_vec3(x->number, x->next->number, x->next->next->number);
}

CpsVec3 cps_map_vec3(const CpsNode* map, const char* key, CpsVec3 fallback) {
  const CpsNode* node = cps_node_find(map, key);
  return node ? cps_node_vec3(node) : fallback;
}
