// Values of scenes: numbers with units, parameters, expressions over parameters.
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "io/scene/check.h"
#include "io/scene/expression.h"

// Writes a message like "unknown parameter 'raduis'; did you mean 'radius'? there are radius, length".
static void no_parameter(const CpsNode* root, const char* name, char why[CPS_WHY_SIZE]) {
  enum { MOST = 80 };
  const CpsNode* map = cps_node_find(root, "parameters");
  const char* names[MOST + 1];
  int count = 0;
  for (const CpsNode* p = map && map->kind == CPS_NODE_MAP ? map->first : NULL; p && count < MOST; p = p->next) {
    names[count++] = p->key;
  }
  names[count] = NULL;
  const char* near = cps_suggest(name, names);
  int used = snprintf(why, CPS_WHY_SIZE, "unknown parameter '%.40s'", name);
  if (near) used += snprintf(why + used, (size_t)(CPS_WHY_SIZE - used), "; did you mean '%.40s'?", near);
  if (count == 0) snprintf(why + used, (size_t)(CPS_WHY_SIZE - used), "; the scene has no parameters");
  for (int i = 0; i < count; ++i) {
    // room for the final words
    const int room = CPS_WHY_SIZE - used - (i + 1 < count ? (int)sizeof ", ..." : 1);
    const char* before = i > 0 ? ", " : near ? " there are " : "; there are ";
    if ((int)(strlen(before) + strlen(names[i])) > room) {
      snprintf(why + used, (size_t)(CPS_WHY_SIZE - used), "%s...", i > 0 ? ", " : " ");
      return;
    }
    used += snprintf(why + used, (size_t)(CPS_WHY_SIZE - used), "%s%s", before, names[i]);
  }
}

bool cps_scene_parameter(void* root, const char* name, double* value, char why[CPS_WHY_SIZE]) {
  CpsValue v;
  if (!cps_scene_parameter_value(root, name, &v, why)) {
    // expressions know two more names
    bool known =
        strcmp(name, "pi") == 0 || strcmp(name, "g") == 0 || cps_node_find(cps_node_find(root, "parameters"), name);
    if (!why[0] && !known) no_parameter(root, name, why);
    return false;
  }
  *value = v.number;
  return true;
}

bool cps_scene_value(CpsNode* root, const char* text, CpsValue* value, char why[CPS_WHY_SIZE]) {
  why[0] = '\0';
  if (text[0] == '=') {
    *value = (CpsValue){0};
    return cps_expression_evaluate(text + 1, cps_scene_parameter, root, &value->number, why);
  }
  if (text[0] == '$') {
    if (cps_scene_parameter_value(root, text + 1, value, why)) return true;
    if (!why[0]) no_parameter(root, text + 1, why);
    return false;
  }
  return cps_value_read(text, value, why);
}

// Progress in reading a parameter (`form` of its node). Each is read once, however often others use it.
enum { UNREAD = 0, READING, WITHOUT_UNIT, WITH_UNIT };
enum { DEEPEST_PARAMETER = 30 };

bool cps_scene_parameter_value(CpsNode* root, const char* name, CpsValue* value, char why[CPS_WHY_SIZE]) {
  CpsNode* node = cps_node_find(cps_node_find(root, "parameters"), name);
  if (!node || node->kind != CPS_NODE_SCALAR) return false;
  if (node->form == READING || root->form == DEEPEST_PARAMETER) {
    snprintf(why, CPS_WHY_SIZE, "the parameter '%.40s' %s", name,
             node->form == READING ? "refers to itself" : "depends on too long a chain of parameters");
    return false;
  }
  if (node->form == UNREAD) {
    node->form = READING;
    root->form++;  // of the root: number of parameters being read
    bool good = cps_scene_value(root, node->text, value, why);
    root->form--;
    node->form = !good ? UNREAD : value->has_unit ? WITH_UNIT : WITHOUT_UNIT;
    if (!good && !why[0]) snprintf(why, CPS_WHY_SIZE, "the parameter '%.40s' is not a number", name);
    if (!good) return false;
    node->number = value->number;
    memcpy(node->unit, &value->dimension, sizeof node->unit);
  }
  *value = (CpsValue){.number = node->number, .has_unit = node->form == WITH_UNIT};
  memcpy(&value->dimension, node->unit, sizeof node->unit);
  return true;
}
