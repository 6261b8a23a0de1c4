// Sheets of a few vertices with any triangles, seams, pleats, pins and numbers, and files of fabrics. A definition is refused with a
// sentence of one line, or its elasticity can be made and evaluated: energies that are no NaN, a pattern that holds all blocks.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "capstan/fabric.h"
#include "model/sheet_elastic.h"

enum { VERTICES = 9, TRIANGLES = 12 };

static void check_sentence(CpsStatus status, const CpsError* error) {
  CHECK(status == CPS_OK || (status < 0 && error->text[0] && !strchr(error->text, '\n')));
}

static void evaluate(const CpsSheetDef* def) {
  CpsSheetElastic* s = NULL;
  CpsError error = {{0}};
  CpsStatus status = cps_sheet_elastic_create(def, &s, &error);
  check_sentence(status, &error);
  CHECK(status == CPS_OK);
  CpsVec3 gradient[VERTICES];
  CpsSheetEnergy energy = cps_sheet_gradient(s, NULL, s->mesh.place, gradient);
  CHECK(!isnan(energy.membrane) && !isnan(energy.bending));
  int64_t blocks = s->pattern.start[s->pattern.rows];
  double* value = calloc(9 * (size_t)blocks, sizeof *value);
  if (value) {
    cps_sheet_hessian(s, NULL, s->mesh.place, CPS_HESSIAN_CLAMPED, 1.0, 1.0, value);
    cps_sheet_hessian(s, NULL, s->mesh.place, CPS_HESSIAN_EXACT, 1.0, 1.0, value);
  }
  free(value);
  cps_sheet_elastic_destroy(s);
}

// A grid of 3 x 3 vertices with some of its numbers changed.
static void try_sheet(Bytes* bytes) {
  CpsVec3 vertices[VERTICES];
  int32_t triangles[3 * TRIANGLES], count = 0;
  double texture[6 * TRIANGLES];
  CpsSheetSeam seams[2];
  CpsSheetPleat pleats[2];
  const int32_t held[2] = {next_below(bytes, VERTICES), next_below(bytes, VERTICES + 1)};
  CpsPin pins[2] = {cps_pin_default(), cps_pin_default()};
  for (int v = 0; v < VERTICES; ++v) vertices[v] = (CpsVec3){v % 3, v / 3, next_below(bytes, 3)};
  for (int c = 0; c < 4; ++c) {
    int32_t a = c / 2 * 3 + c % 2, corner[6] = {a, a + 1, a + 3, a + 1, a + 4, a + 3};
    memcpy(triangles + 3 * count, corner, sizeof corner);
    count += 2;
  }
  CpsSheetDef def = cps_sheet_def_default();
  int extra = next_below(bytes, 5);
  for (int i = 0; i < 3 * extra; ++i) triangles[3 * count + i] = next_below(bytes, VERTICES);
  count += extra;
  for (int changes = next_below(bytes, 6); changes > 0; --changes) {
    switch (next_below(bytes, 4)) {
      case 0:
        triangles[next_below(bytes, 3 * count)] = next_below(bytes, VERTICES + 2) - 1;
        break;
      case 1:
        (&vertices[next_below(bytes, VERTICES)].x)[next_below(bytes, 3)] = next_number(bytes) * next_scale(bytes);
        break;
      case 2:
        def.stretch[next_below(bytes, 2)] = next_number(bytes) * next_scale(bytes);
        break;
      default:
        def.bending[next_below(bytes, 2)] = next_number(bytes) * next_scale(bytes);
    }
  }
  for (int i = 0; i < 6 * count; ++i) {
    CpsVec3 x = triangles[i / 2] >= 0 && triangles[i / 2] < VERTICES ? vertices[triangles[i / 2]] : vertices[0];
    texture[i] = i % 2 ? x.y : x.x;
  }
  for (int i = 0; i < 2; ++i) {
    seams[i] = (CpsSheetSeam){next_below(bytes, VERTICES), next_below(bytes, VERTICES)};
    pleats[i] = (CpsSheetPleat){next_below(bytes, VERTICES), next_below(bytes, VERTICES), next_below(bytes, 7) - 3.0};
    pins[i].vertices = &held[i], pins[i].vertex_count = 1;
  }
  def.vertex_count = VERTICES, def.vertices = vertices;
  def.triangle_count = count, def.triangles = triangles;
  def.texture = next_below(bytes, 2) ? texture : NULL;
  def.seams = seams, def.seam_count = next_below(bytes, 8) < 6 ? 0 : 2;
  def.pleats = pleats, def.pleat_count = next_below(bytes, 8) < 6 ? 0 : 2;
  def.pins = pins, def.pin_count = next_below(bytes, 3);
  def.membrane = (CpsMembraneLaw)next_below(bytes, CPS_MEMBRANE_LAW_COUNT);
  def.bending_law = (CpsBendingLaw)next_below(bytes, CPS_BENDING_LAW_COUNT);
  CpsError error = {{0}};
  CpsStatus status = cps_sheet_check(&def, &error);
  check_sentence(status, &error);
  if (status == CPS_OK) evaluate(&def);
}

static void try_fabric(const uint8_t* data, size_t size) {
  CpsFabricTable table;
  CpsFabric fabric;
  CpsError error = {{0}};
  CpsStatus status = cps_fabric_table_parse((const char*)data, size, "fabric", &table, &error);
  check_sentence(status, &error);
  if (status == CPS_OK && cps_fabric_table_at(&table, 0.1, 7.0, &fabric, &error) == CPS_OK) {
    CHECK(fabric.stretch[0] > 0.0 && fabric.stretch[1] > 0.0 && fabric.shear > 0.0 && fabric.bending[0] >= 0.0);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes = {data, size};
  if (next_below(&bytes, 4) == 0) {
    try_fabric(data + (size > 0), size - (size > 0));
  } else {
    try_sheet(&bytes);
  }
  return 0;
}
