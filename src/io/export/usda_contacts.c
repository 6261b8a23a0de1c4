// Contacts in USD: Points whose number changes from frame to frame, with the arrays of ParaView's as primvars.
#include <float.h>
#include <math.h>

#include "base/fail.h"
#include "core/vec3.h"
#include "io/export/usda.h"

typedef enum Quantity { PLACE, IMPULSE, VELOCITY, NORMAL, STATUS, GAP, RESIDUAL } Quantity;

// The contacts of all frames of the export.
typedef struct Survey {
  bool any, residuals;  // there are contacts; all their residuals are known
  CpsVec3 box[2];
} Survey;

static CpsVec3 vector_of(const CpsFrameContact* c, Quantity what) {
  switch (what) {
    case IMPULSE:
      return cps_export_in_world(c, c->impulse);
    case VELOCITY:
      return cps_export_in_world(c, c->velocity);
    case NORMAL:
      return c->normal;
    default:
      return cps_export_contact_point(c);
  }
}

static bool is_finite(const CpsFrameContact* c) {
  for (Quantity what = PLACE; what <= NORMAL; ++what) {
    if (!cps_vec3_is_finite(vector_of(c, what))) return false;
  }
  return isfinite(c->gap);
}

static CpsStatus survey_frame(CpsStage* s, int64_t index, Survey* survey) {
  const CpsFrame* frame = NULL;
  CpsStatus status = cps_export_read(s->e, index, &frame);
  for (int32_t i = 0; status == CPS_OK && i < frame->contact_count; ++i) {
    const CpsFrameContact* c = &frame->contacts[i];
    if (!is_finite(c)) {
      return cps_io_fail(s->e->error, CPS_BAD_DATA, s->e->path, NULL,
                         "frame %lld has contacts that are not numbers, which usda cannot represent", (long long)index);
    }
    CpsVec3 p = cps_export_contact_point(c), *low = &survey->box[0], *high = &survey->box[1];
    *low = (CpsVec3){fmin(low->x, p.x), fmin(low->y, p.y), fmin(low->z, p.z)};
    *high = (CpsVec3){fmax(high->x, p.x), fmax(high->y, p.y), fmax(high->z, p.z)};
    survey->any = true;
    survey->residuals = survey->residuals && isfinite(c->residual);
  }
  return status;
}

// The width of the thickest fibre, or a twentieth of the smallest body: visible, but hides nothing.
static double find_width(const CpsStage* s) {
  const CpsThings* t = s->e->things;
  double width = 0.0, least = INFINITY;
  for (int32_t l = 0; l < t->line_count; ++l) width = fmax(width, 2.0 * t->lines[l].radius);
  if (width > 0.0) return width;
  for (int32_t i = 0; i < t->part_count; ++i) {
    if (t->parts[i].is_obstacle) continue;
    const CpsTriangles* mesh = &s->meshes.mesh[s->meshes.of_part[i]];
    double reach = 0.0;
    for (int32_t k = 0; k < mesh->point_count; ++k) reach = fmax(reach, cps_vec3_norm(mesh->points[k]));
    if (reach > 0.0) least = fmin(least, 0.1 * reach);
  }
  return isfinite(least) ? least : 0.01;
}

static void put_contact(CpsStage* s, const CpsFrameContact* c, Quantity what) {
  if (what <= NORMAL) {
    cps_stage_vector(s, vector_of(c, what), CPS_USD_SINGLE);
  } else if (what == STATUS) {
    cps_grow_print(&s->text, "%d", (int)c->status);
  } else {
    cps_grow_number(&s->text, what == GAP ? c->gap : c->residual, CPS_USD_SINGLE);
  }
}

static CpsStatus put_samples(CpsStage* s, Quantity what) {
  const CpsExportOptions* o = &s->e->options;
  CpsStatus status = CPS_OK;
  for (int64_t k = o->first; status == CPS_OK && k <= o->last; ++k) {
    const CpsFrame* frame = NULL;
    status = cps_export_read(s->e, k, &frame);
    if (status != CPS_OK) return status;
    cps_grow_text(&s->text, "            ");
    cps_stage_time(s, frame->time);
    cps_grow_text(&s->text, ": [");
    for (int32_t i = 0; i < frame->contact_count; ++i) {
      if (i > 0) cps_grow_text(&s->text, ", ");
      put_contact(s, &frame->contacts[i], what);
      cps_stage_flush(s);
    }
    cps_grow_text(&s->text, "],\n");
  }
  cps_grow_text(&s->text, "        }\n");
  return status;
}

static CpsStatus put_primvars(CpsStage* s, bool residuals) {
  static const struct {
    const char *type, *name;
    Quantity what;
  } primvars[] = {
      {"vector3f", "impulse", IMPULSE},
      {"vector3f", "velocity", VELOCITY},
      {"vector3f", "normal", NORMAL},
      {"int", "status", STATUS},
      {"float", "gap", GAP},
      {"float", "residual", RESIDUAL},
  };
  CpsStatus status = CPS_OK;
  for (size_t i = 0; status == CPS_OK && i < sizeof primvars / sizeof primvars[0]; ++i) {
    if (primvars[i].what == RESIDUAL && !residuals) continue;
    const char *type = primvars[i].type, *name = primvars[i].name;
    cps_grow_print(&s->text,
                   "        %s[] primvars:%s (\n            interpolation = \"vertex\"\n        )\n"
                   "        %s[] primvars:%s.timeSamples = {\n",
                   type, name, type, name);
    status = put_samples(s, primvars[i].what);
  }
  return status;
}

CpsStatus cps_stage_contacts(CpsStage* s) {
  Survey survey = {.residuals = true, .box = {{DBL_MAX, DBL_MAX, DBL_MAX}, {-DBL_MAX, -DBL_MAX, -DBL_MAX}}};
  const CpsExportOptions* o = &s->e->options;
  CpsStatus status = CPS_OK;
  for (int64_t k = o->first; status == CPS_OK && k <= o->last; ++k) status = survey_frame(s, k, &survey);
  if (status != CPS_OK || !survey.any) return status;
  double width = find_width(s);
  cps_grow_text(&s->text, "    def Points \"Contacts\"\n    {\n        float[] widths = [");
  cps_grow_number(&s->text, width, CPS_USD_SINGLE);
  cps_grow_text(&s->text, "] (\n            interpolation = \"constant\"\n        )\n        float3[] extent = ");
  cps_stage_extent(s, survey.box, 2, 0.5 * width);
  cps_grow_text(&s->text,
                "\n        color3f[] primvars:displayColor = [(0.9, 0.35, 0.1)]\n"
                "        point3f[] points.timeSamples = {\n");
  status = put_samples(s, PLACE);
  if (status == CPS_OK) status = put_primvars(s, survey.residuals);
  cps_grow_text(&s->text, "    }\n");
  return status;
}
