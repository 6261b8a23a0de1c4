// Fibres in USD: linear BasisCurves, one curve for each line, with time samples of the points and their values.
#include "io/export/usda.h"

#include <math.h>

typedef enum Sampled { POINTS, AXES, VELOCITIES, TENSIONS } Sampled;

static void put_sample(CpsStage* s, const CpsFrame* frame, Sampled what) {
  int64_t count = s->e->things->point_count;
  if (what != TENSIONS) {
    cps_stage_vectors(s,
                      what == AXES         ? frame->axes
                      : what == VELOCITIES ? frame->point_velocities
                                           : frame->points,
                      count);
    return;
  }
  cps_grow_text(&s->text, "[");
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0) cps_grow_text(&s->text, ", ");
    cps_grow_number(&s->text, frame->tension[i], CPS_USD_SINGLE);
    cps_stage_flush(s);
  }
  cps_grow_text(&s->text, "]");
}

// Writes a quantity of all fibres, one sample per frame.
static CpsStatus put_samples(CpsStage* s, Sampled what) {
  CpsExport* e = s->e;
  CpsStatus status = CPS_OK;
  for (int64_t k = e->options.first; status == CPS_OK && k <= e->options.last; ++k) {
    const CpsFrame* frame = NULL;
    status = cps_export_read_finite(e, k, &frame);
    if (status != CPS_OK) return status;
    if ((what == TENSIONS && !frame->tension) || (what == VELOCITIES && !frame->point_velocities)) continue;
    cps_grow_text(&s->text, "            ");
    cps_stage_time(s, frame->time);
    cps_grow_text(&s->text, ": ");
    put_sample(s, frame, what);
    cps_grow_text(&s->text, ",\n");
    if (what == POINTS) status = cps_export_progress(e, ++s->done);
  }
  return status;
}

// A quantity at the points of fibres.
static CpsStatus put_primvar(CpsStage* s, const char* type, const char* name, Sampled what) {
  cps_grow_print(&s->text,
                 "        %s[] primvars:%s (\n            interpolation = \"vertex\"\n        )\n"
                 "        %s[] primvars:%s.timeSamples = {\n",
                 type, name, type, name);
  CpsStatus status = put_samples(s, what);
  cps_grow_text(&s->text, "        }\n");
  return status;
}

static CpsStatus put_extents(CpsStage* s) {
  CpsExport* e = s->e;
  double margin = 0.0;
  for (int32_t l = 0; l < e->things->line_count; ++l) {
    margin = fmax(margin, fmax(e->things->lines[l].radius, e->things->lines[l].radius_tip));
  }
  CpsStatus status = CPS_OK;
  for (int64_t k = e->options.first; status == CPS_OK && k <= e->options.last; ++k) {
    const CpsFrame* frame = NULL;
    status = cps_export_read_finite(e, k, &frame);
    if (status != CPS_OK) return status;
    cps_grow_text(&s->text, "            ");
    cps_stage_time(s, frame->time);
    cps_grow_text(&s->text, ": ");
    cps_stage_extent(s, frame->points, e->things->point_count, margin);
    cps_grow_text(&s->text, ",\n");
  }
  return status;
}

// The constant part of the curves.
static void put_curves(CpsStage* s) {
  const CpsThings* t = s->e->things;
  CpsGrow* text = &s->text;
  cps_grow_text(
      text,
      "    def BasisCurves \"Fibres\" (\n        prepend apiSchemas = [\"MaterialBindingAPI\"]\n    )\n    {\n"
      "        uniform token type = \"linear\"\n        uniform token wrap = \"nonperiodic\"\n"
      "        int[] curveVertexCounts = [");
  for (int32_t l = 0; l < t->line_count; ++l) cps_grow_print(text, l > 0 ? ", %d" : "%d", (int)t->lines[l].count);
  cps_grow_text(text, "]\n        float[] widths = [");
  const char* comma = "";
  for (int32_t l = 0; l < t->line_count; ++l) {
    for (int32_t i = 0; i < t->lines[l].count; ++i, comma = ", ") {
      cps_grow_text(text, comma);
      cps_grow_number(text, 2.0 * cps_result_line_radius(&t->lines[l], i), CPS_USD_SINGLE);
      cps_stage_flush(s);
    }
  }
  cps_grow_text(text,
                "] (\n            interpolation = \"vertex\"\n        )\n        color3f[] primvars:displayColor = [");
  for (int32_t l = 0; l < t->line_count; ++l) {
    if (l > 0) cps_grow_text(text, ", ");
    cps_stage_vector(s, cps_export_colour(CPS_KIND_FIBRE, t->fibre_materials[t->lines[l].fibre]), CPS_USD_SINGLE);
  }
  cps_grow_text(text, "] (\n            interpolation = \"uniform\"\n        )\n        string[] primvars:name = [");
  for (int32_t l = 0; l < t->line_count; ++l) {
    if (l > 0) cps_grow_text(text, ", ");
    cps_grow_usd(text, t->fibre_names[t->lines[l].fibre]);
    cps_stage_flush(s);
  }
  cps_grow_text(text, "] (\n            interpolation = \"uniform\"\n        )\n");
  cps_grow_print(text, "        rel material:binding = </World/Looks/%s>\n",
                 cps_stage_look(s, CPS_KIND_FIBRE, t->fibre_materials[0]));
}

CpsStatus cps_stage_fibres(CpsStage* s) {
  if (s->e->things->line_count == 0) return CPS_OK;
  put_curves(s);
  cps_grow_text(&s->text, "        point3f[] points.timeSamples = {\n");
  CpsStatus status = put_samples(s, POINTS);
  cps_grow_text(&s->text, "        }\n");
  const CpsFrame* last = cps_show_frame(s->e->show);
  bool tension = last->tension != NULL, velocities = last->point_velocities != NULL;
  if (status == CPS_OK && velocities) {
    cps_grow_text(&s->text, "        vector3f[] velocities.timeSamples = {\n");
    status = put_samples(s, VELOCITIES);
    cps_grow_text(&s->text, "        }\n");
  }
  if (status == CPS_OK) status = put_primvar(s, "vector3f", "axis", AXES);
  if (status == CPS_OK && tension) status = put_primvar(s, "float", "tension", TENSIONS);
  if (status != CPS_OK) return status;
  cps_grow_text(&s->text, "        float3[] extent.timeSamples = {\n");
  status = put_extents(s);
  cps_grow_text(&s->text, "        }\n    }\n");
  return status;
}
