// From the points of a drawn curve to a rod at rest: floating tangents, inversion, the least stiffness that is stable.
#include "server/pen.h"

#include <math.h>
#include <stdio.h>

#include "core/error.h"

enum { FEWEST = 8 };                   // helices
static const double SLENDER = 0.01;    // radius over length
static const double DENSITY = 1000.0;  // kg/m^3
static const double TRIAL = 1e6;       // Pa: any value serves to find the least factor on the stiffness
static const double SAFE = 2.0;        // times the least stiffness, if none was chosen
static const double STRAIGHT = 4.0;    // and the largest w L^3 / E I, so that it bends little under its own weight
static const double DAMPING = 0.02;    // s

static CpsFibreDef rod_of(const CpsPenShape* shape, const double* lengths, const CpsVec3* curvature, CpsPose root) {
  CpsFibreDef def = cps_fibre_def_default();
  def.elements = shape->elements;
  def.element_lengths = lengths;
  def.element_curvature = curvature;
  def.root_pose = root;
  def.root.kind = CPS_END_CLAMPED;
  def.radius = shape->radius;
  def.density = DENSITY;
  def.young = TRIAL;
  def.natural_as_placed = true;
  def.contact_radius = 0.0;
  return def;
}

static CpsStatus make(CpsVec3 gravity, const CpsFibreDef* def, CpsWorld** world, CpsFibreId* id, CpsError* error) {
  CpsWorldDef settings = cps_world_def_default();
  settings.gravity = gravity;
  settings.threads = 1;
  CpsStatus status = cps_world_create(&settings, world, error);
  return status == CPS_OK ? cps_world_add_fibre(*world, def, id, error) : status;
}

// Points of all helices, at equal arc lengths within each.
static void look(const CpsWorld* world, CpsFibreId id, const CpsPenShape* shape, const double* lengths, CpsVec3* out) {
  double begin = 0.0;
  for (int32_t i = 0; i < shape->elements; ++i) {
    for (int32_t k = 0; k <= CPS_PEN_PARTS; ++k) {
      CpsFibrePoint at = {0};
      const double s = fmin(begin + lengths[i] * k / CPS_PEN_PARTS, shape->length);
      if (cps_world_fibre_at(world, id, s, &at) == CPS_OK) out[CPS_PEN_PARTS * i + k] = at.position;
    }
    begin += lengths[i];
  }
}

// Twice the necessary stiffness, and at least that of a rod that hardly bends under its own weight.
static double choose(const CpsPenShape* shape, double least, double g) {
  const double r = shape->radius, L = shape->length;
  const double load = 4.0 * DENSITY * g * L * L * L / (r * r);  // w L^3 over the second moment of a round section
  const double young = fmax(SAFE * least * TRIAL, load / STRAIGHT);
  return young > 0.0 ? young : TRIAL;
}

static CpsStatus invert(CpsWorld* world, CpsFibreId id, double young, CpsVec3 gravity, CpsPenShape* shape,
                        CpsVec3* natural, CpsError* error) {
  CpsInvertOptions options = cps_invert_options_default();
  CpsFibreStability judged = {0};
  options.stability = options.contacts = false;
  CpsStatus status = cps_world_invert(world, &options, NULL, error);
  if (status == CPS_OK) status = cps_world_fibre_stability(world, id, &judged, error);
  if (status != CPS_OK) return status;
  const double g = hypot(hypot(gravity.x, gravity.y), gravity.z);
  shape->young = isnan(young) ? choose(shape, judged.least_factor, g) : young;
  shape->least = judged.least_factor * TRIAL / shape->young;
  status = cps_world_set_fibre_stiffened(world, id, shape->young / TRIAL, error);
  if (status == CPS_OK) status = cps_world_invert(world, &options, NULL, error);
  return status == CPS_OK ? cps_world_fibre_natural(world, id, natural, NULL) : status;
}

CpsStatus cps_pen_shape(const CpsVec3* points, int32_t count, double young, CpsVec3 gravity, CpsPenShape* shape,
                        CpsError* error) {
  double lengths[CPS_PEN_ELEMENTS];
  CpsVec3 curvature[CPS_PEN_ELEMENTS], natural[CPS_PEN_ELEMENTS];
  const int32_t wanted = 2 * (count - 1);
  CpsFibreFit fit;
  *shape = (CpsPenShape){.elements = wanted < FEWEST ? FEWEST : wanted > CPS_PEN_ELEMENTS ? CPS_PEN_ELEMENTS : wanted};
  CpsStatus status = cps_fibre_fit_tangents(points, count, shape->elements, lengths, curvature, &fit, error);
  if (status != CPS_OK) return status;
  for (int32_t i = 0; i < shape->elements; ++i) shape->length += lengths[i];
  shape->radius = SLENDER * shape->length;
  CpsWorld *world = NULL, *weightless = NULL;
  CpsFibreId id;
  CpsFibreDef def = rod_of(shape, lengths, curvature, fit.root);
  status = make(gravity, &def, &world, &id, error);
  if (status == CPS_OK) status = invert(world, id, young, gravity, shape, natural, error);
  if (status == CPS_OK) {
    look(world, id, shape, lengths, shape->line);
    def.element_curvature = natural;
    status = make((CpsVec3){0.0, 0.0, 0.0}, &def, &weightless, &id, error);
  }
  if (status == CPS_OK) look(weightless, id, shape, lengths, shape->natural);
  cps_world_destroy(world);
  cps_world_destroy(weightless);
  return status;
}

void cps_pen_entry(CpsBuffer* out, const char* name, const CpsVec3* points, int32_t count, const CpsPenShape* shape) {
  char text[200];
  snprintf(text, sizeof text,
           "fibres.%s={model: super-helix, elements: %d, fit: tangents, radius: %.17g, density: %g, ", name,
           (int)shape->elements, shape->radius, DENSITY);
  cps_buffer_text(out, text);
  // the part at the root touches the object it was drawn on
  snprintf(text, sizeof text, "young: %.17g, damping: %g, root: clamped, natural: equilibrium, contact_start: %.17g, ",
           shape->young, DAMPING, fmin(4.0 * shape->radius, shape->length));
  cps_buffer_text(out, text);
  for (int32_t i = 0; i < count; ++i) {
    snprintf(text, sizeof text, "%s[%.17g, %.17g, %.17g]", i == 0 ? "points: [" : ", ", points[i].x, points[i].y,
             points[i].z);
    cps_buffer_text(out, text);
  }
  cps_buffer_text(out, "]}");
  unsigned char* end = cps_buffer_take(out, 1);
  if (end) *end = '\0';
}
