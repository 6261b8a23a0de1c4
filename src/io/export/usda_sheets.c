// Sheets in USD: a Mesh for each, with time samples of its points.
#include "io/export/usda.h"

// Points, velocities or impulses of a sheet in all frames, or its bounding boxes.
typedef enum Sampled { POINTS, VELOCITIES, IMPULSES, EXTENTS } Sampled;

static CpsStatus put_samples(CpsStage* s, const CpsResultSheet* sheet, const char* what, Sampled sampled) {
  CpsExport* e = s->e;
  CpsStatus status = CPS_OK;
  cps_grow_print(&s->text, "        %s.timeSamples = {\n", what);
  for (int64_t k = e->options.first; status == CPS_OK && k <= e->options.last; ++k) {
    const CpsFrame* frame = NULL;
    status = cps_export_read_finite(e, k, &frame);
    if (status != CPS_OK) return status;
    cps_grow_text(&s->text, "            ");
    cps_stage_time(s, frame->time);
    cps_grow_text(&s->text, ": ");
    if (sampled == EXTENTS) {
      cps_stage_extent(s, frame->vertices + sheet->first_vertex, sheet->vertex_count, 0.5 * sheet->thickness);
    } else {
      const CpsVec3* values = sampled == POINTS       ? frame->vertices
                              : sampled == VELOCITIES ? frame->vertex_velocities
                                                      : frame->vertex_impulses;
      cps_stage_vectors(s, values + sheet->first_vertex, sheet->vertex_count);
    }
    cps_grow_text(&s->text, ",\n");
    cps_stage_flush(s);
  }
  cps_grow_text(&s->text, "        }\n");
  return status;
}

// The constant part of a sheet.
static void put_mesh(CpsStage* s, int32_t i) {
  const CpsThings* t = s->e->things;
  const CpsResultSheet* sheet = &t->sheets[i];
  CpsGrow* text = &s->text;
  cps_grow_print(
      text,
      "        def Mesh \"%s\" (\n        prepend apiSchemas = [\"MaterialBindingAPI\"]\n        )\n        {\n"
      "        uniform token subdivisionScheme = \"none\"\n"
      "        uniform token orientation = \"rightHanded\"\n        uniform bool doubleSided = 1\n"
      "        int[] faceVertexCounts = [",
      s->names[2].name[i]);
  for (int32_t k = 0; k < sheet->triangle_count; ++k) {
    cps_grow_text(text, k > 0 ? ", 3" : "3");
    cps_stage_flush(s);
  }
  cps_grow_text(text, "]\n        int[] faceVertexIndices = [");
  for (int64_t k = 3 * sheet->first_triangle; k < 3 * (sheet->first_triangle + sheet->triangle_count); ++k) {
    cps_grow_print(text, k > 3 * sheet->first_triangle ? ", %d" : "%d", (int)(t->triangles[k] - sheet->first_vertex));
    cps_stage_flush(s);
  }
  cps_grow_text(text, "]\n        color3f[] primvars:displayColor = [");
  cps_stage_vector(s, cps_export_colour(CPS_KIND_SHEET, t->sheet_materials[i]), CPS_USD_SINGLE);
  cps_grow_print(text, "]\n        rel material:binding = </World/Looks/%s>\n",
                 cps_stage_look(s, CPS_KIND_SHEET, t->sheet_materials[i]));
}

CpsStatus cps_stage_sheets(CpsStage* s) {
  const CpsThings* t = s->e->things;
  CpsStatus status = CPS_OK;
  if (t->sheet_count == 0) return CPS_OK;
  cps_grow_text(&s->text, "    def Scope \"Sheets\"\n    {\n");
  for (int32_t i = 0; status == CPS_OK && i < t->sheet_count; ++i) {
    put_mesh(s, i);
    status = put_samples(s, &t->sheets[i], "point3f[] points", POINTS);
    if (status == CPS_OK && cps_show_frame(s->e->show)->vertex_velocities) {
      status = put_samples(s, &t->sheets[i], "vector3f[] velocities", VELOCITIES);
    }
    if (status == CPS_OK && cps_show_frame(s->e->show)->vertex_impulses) {
      cps_grow_text(&s->text,
                    "        vector3f[] primvars:impulse (\n            interpolation = \"vertex\"\n        )\n");
      status = put_samples(s, &t->sheets[i], "vector3f[] primvars:impulse", IMPULSES);
    }
    if (status == CPS_OK) status = put_samples(s, &t->sheets[i], "float3[] extent", EXTENTS);
    cps_grow_text(&s->text, "        }\n");
  }
  cps_grow_text(&s->text, "    }\n");
  return status;
}
