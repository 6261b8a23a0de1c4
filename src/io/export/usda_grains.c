// Grains in USD: Points, one for each particle, as wide as the cube that it fills, with fraction and pressure as primvars.
#include <math.h>

#include "base/fail.h"
#include "base/particle_space.h"
#include "core/vec3.h"
#include "io/export/usda.h"

typedef enum Quantity { PLACE, VELOCITY, FRACTION, PRESSURE, EXTENT } Quantity;

static bool is_finite(const CpsThings* t, const CpsFrame* frame) {
  for (int64_t i = 0; i < t->particle_count; ++i) {
    if (!cps_vec3_is_finite(frame->particles[i]) || !cps_vec3_is_finite(frame->particle_velocities[i]) ||
        !isfinite(frame->particle_fractions[i]) || !isfinite(frame->particle_pressures[i])) {
      return false;
    }
  }
  return true;
}

static void put_numbers(CpsStage* s, const double* numbers, int64_t count) {
  cps_grow_text(&s->text, "[");
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0) cps_grow_text(&s->text, ", ");
    cps_grow_number(&s->text, numbers[i], CPS_USD_SINGLE);
    cps_stage_flush(s);
  }
  cps_grow_text(&s->text, "]");
}

static CpsStatus put_samples(CpsStage* s, const char* name, Quantity what, double width) {
  CpsExport* e = s->e;
  const int64_t count = e->things->particle_count;
  cps_grow_print(&s->text, "        %s.timeSamples = {\n", name);
  for (int64_t k = e->options.first; k <= e->options.last; ++k) {
    const CpsFrame* frame = NULL;
    CpsStatus status = cps_export_read(e, k, &frame);
    if (status != CPS_OK) return status;
    if (!is_finite(e->things, frame)) {
      return cps_io_fail(e->error, CPS_BAD_DATA, e->path, NULL,
                         "frame %lld has grains that are not numbers, which usda cannot represent", (long long)k);
    }
    cps_grow_text(&s->text, "            ");
    cps_stage_time(s, frame->time);
    cps_grow_text(&s->text, ": ");
    if (what == EXTENT) {
      cps_stage_extent(s, frame->particles, count, 0.5 * width);
    } else if (what == PLACE || what == VELOCITY) {
      cps_stage_vectors(s, what == PLACE ? frame->particles : frame->particle_velocities, count);
    } else {
      put_numbers(s, what == FRACTION ? frame->particle_fractions : frame->particle_pressures, count);
    }
    cps_grow_text(&s->text, ",\n");
    cps_stage_flush(s);
  }
  cps_grow_text(&s->text, "        }\n");
  return CPS_OK;
}

CpsStatus cps_stage_grains(CpsStage* s) {
  static const struct {
    const char* name;
    Quantity what;
  } SAMPLED[] = {{"point3f[] points", PLACE},
                 {"vector3f[] velocities", VELOCITY},
                 {"float3[] extent", EXTENT},
                 {"float[] primvars:fraction", FRACTION},
                 {"float[] primvars:pressure", PRESSURE}};
  const CpsFrame* first = NULL;
  if (s->e->things->particle_count == 0) return CPS_OK;
  CpsStatus status = cps_export_read(s->e, 0, &first);  // there the particles fill their space
  if (status != CPS_OK) return status;
  const double width = cps_particle_space(first->particles, s->e->things->particle_count);
  cps_grow_text(&s->text, "    def Points \"Grains\"\n    {\n        float[] widths = [");
  cps_grow_number(&s->text, width, CPS_USD_SINGLE);
  cps_grow_text(
      &s->text,
      "] (\n            interpolation = \"constant\"\n        )\n        color3f[] primvars:displayColor = [");
  cps_stage_vector(s, cps_export_grain_colour(), CPS_USD_SINGLE);
  cps_grow_text(&s->text, "]\n");
  for (size_t i = 0; status == CPS_OK && i < sizeof SAMPLED / sizeof *SAMPLED; ++i) {
    if (SAMPLED[i].what == FRACTION || SAMPLED[i].what == PRESSURE) {
      cps_grow_print(&s->text, "        %s (\n            interpolation = \"vertex\"\n        )\n", SAMPLED[i].name);
    }
    status = put_samples(s, SAMPLED[i].name, SAMPLED[i].what, width);
  }
  cps_grow_text(&s->text, "    }\n");
  return status;
}
