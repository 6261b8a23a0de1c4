// Lines in space: lists of points, tables of points, formulas.
#include <string.h>

#include "io/scene/expression.h"
#include "io/scene/internal.h"

CpsStatus cps_scene_points(CpsReader* reader, const CpsNode* list, double scale, CpsVec3** points) {
  *points = CPS_TAKE(&reader->scene->memory, CpsVec3, list->count);
  if (!*points) return cps_scene_no_memory(reader);
  int32_t count = 0;
  for (const CpsNode* point = list->first; point; point = point->next) {
    (*points)[count++] = cps_vec3_scale(scale, cps_node_vec3(point));
  }
  return CPS_OK;
}

// The variable of the formula takes precedence over parameters.
typedef struct Curve {
  CpsNode* root;
  double t;
} Curve;

static bool curve_variable(void* data, const char* name, double* value, char why[CPS_WHY_SIZE]) {
  const Curve* curve = data;
  if (strcmp(name, "t") != 0) return cps_scene_parameter(curve->root, name, value, why);
  *value = curve->t;
  return true;
}

static CpsStatus evaluate(CpsReader* reader, const CpsNode* formula, Curve* curve, double* value) {
  char why[CPS_WHY_SIZE];
  const char* text = formula->text[0] == '=' ? formula->text + 1 : formula->text;
  if (cps_expression_evaluate(text, curve_variable, curve, value, why)) return CPS_OK;
  return cps_node_fail(reader->error, CPS_BAD_DATA, formula, "%s (at t = %g)", why, curve->t);
}

CpsStatus cps_scene_point_formulas(CpsReader* reader, const CpsNode* node, CpsVec3** points, int32_t* count) {
  *count = cps_map_count(node, "points", 100);
  if (*count > CPS_CURVE_POINTS) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, node, "%d points; a curve has at most %d", (int)*count,
                         CPS_CURVE_POINTS);
  }
  CpsStatus status = cps_scene_spend(reader, node, *count, 200);
  if (status != CPS_OK) return status;
  *points = CPS_TAKE(&reader->scene->memory, CpsVec3, *count);
  if (!*points) return cps_scene_no_memory(reader);
  double from = cps_map_number(node, "from", 0.0), to = cps_map_number(node, "to", 1.0);
  const CpsNode *x = cps_node_find(node, "x"), *y = cps_node_find(node, "y"), *z = cps_node_find(node, "z");
  Curve curve = {.root = reader->root};
  for (int32_t i = 0; i < *count; ++i) {
    curve.t = from + (to - from) * i / (*count - 1);
    CpsVec3* point = &(*points)[i];
    status = evaluate(reader, x, &curve, &point->x);
    if (status == CPS_OK) status = evaluate(reader, y, &curve, &point->y);
    if (status == CPS_OK) status = evaluate(reader, z, &curve, &point->z);
    if (status != CPS_OK) return status;
  }
  return CPS_OK;
}

CpsStatus cps_scene_point_file(CpsReader* reader, const CpsNode* file, CpsVec3** points, int32_t* count) {
  CpsTable table;
  CpsStatus status = cps_scene_table(reader, file, 3, &table);
  if (status != CPS_OK) return status;
  *count = table.rows;
  *points = CPS_TAKE(&reader->scene->memory, CpsVec3, table.rows);
  if (!*points) return cps_scene_no_memory(reader);
  for (int32_t i = 0; i < table.rows; ++i) {
    const double* row = table.values + (size_t)i * (size_t)table.columns;
    (*points)[i] = cps_vec3(row[0], row[1], row[2]);
  }
  return CPS_OK;
}
