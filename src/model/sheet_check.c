// Definitions of sheets: defaults, names of laws, and validation.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "model/pins.h"
#include "model/sheet_mesh.h"

static const int SHEET_COOKIE = 0x0c055ee7;
enum { MOST = 100000000 };                            // vertices or triangles, so all counts fit into 32 bits
static const double FARTHEST = 1e12, LARGEST = 1e30;  // m, and any other unit: fourth powers stay finite

static const char* const MEMBRANE_NAMES[CPS_MEMBRANE_LAW_COUNT] = {
    [CPS_MEMBRANE_STVK] = "stvk",
    [CPS_MEMBRANE_NEO_HOOKEAN] = "neo-hookean",
    [CPS_MEMBRANE_BARAFF_WITKIN] = "baraff-witkin",
};
static const char* const BENDING_NAMES[CPS_BENDING_LAW_COUNT] = {
    [CPS_BENDING_PATCH] = "patch",
    [CPS_BENDING_WIDE] = "wide",
    [CPS_BENDING_HINGE] = "hinge",
};

static int find_name(const char* const* names, int count, const char* name) {
  for (int i = 0; name && i < count; ++i) {
    if (strcmp(name, names[i]) == 0) return i;
  }
  return -1;
}

const char* cps_membrane_law_name(CpsMembraneLaw law) {
  return (int)law >= 0 && law < CPS_MEMBRANE_LAW_COUNT ? MEMBRANE_NAMES[law] : NULL;
}

bool cps_membrane_law_find(const char* name, CpsMembraneLaw* law) {
  int i = find_name(MEMBRANE_NAMES, CPS_MEMBRANE_LAW_COUNT, name);
  if (i >= 0 && law) *law = (CpsMembraneLaw)i;
  return i >= 0;
}

const char* cps_bending_law_name(CpsBendingLaw law) {
  return (int)law >= 0 && law < CPS_BENDING_LAW_COUNT ? BENDING_NAMES[law] : NULL;
}

bool cps_bending_law_find(const char* name, CpsBendingLaw* law) {
  int i = find_name(BENDING_NAMES, CPS_BENDING_LAW_COUNT, name);
  if (i >= 0 && law) *law = (CpsBendingLaw)i;
  return i >= 0;
}

CpsSheetDef cps_sheet_def_default(void) {
  return (CpsSheetDef){
      .texture_scale = 1.0,
      .warp = {1.0, 0.0, 0.0},
      .thickness = 5e-4,
      .density = 0.2,
      .stretch = {2000.0, 2000.0},
      .shear = NAN,
      .poisson = 0.3,
      .bending = {1e-5, 1e-5},
      .twisting = NAN,
      .stretch_damping = 1e-3,
      .bending_damping = 1e-3,
      .air_density = 1.2,
      .gravity = true,
      .mu = NAN,
      .restitution = NAN,
      .contact = true,
      .self_contact = true,
      .cookie = SHEET_COOKIE,
  };
}

// A field with its range, for a single loop over all fields.
typedef enum Range { POSITIVE, POSITIVE_OR_NONE, NOT_NEGATIVE, NOT_NEGATIVE_OR_NONE, RATIO } Range;

static bool is_in_range(double x, Range range) {
  if (isnan(x)) return range == POSITIVE_OR_NONE || range == NOT_NEGATIVE_OR_NONE;
  if (!isfinite(x)) return false;
  if (range == RATIO) return x > -1.0 && x < 1.0;
  return range == NOT_NEGATIVE || range == NOT_NEGATIVE_OR_NONE ? x >= 0.0 : x > 0.0;
}

static CpsStatus check_numbers(const CpsSheetDef* d, CpsError* error) {
  static const char* const MUST[] = {
      [POSITIVE] = "it must be positive",         [POSITIVE_OR_NONE] = "it must be positive",
      [NOT_NEGATIVE] = "it must not be negative", [NOT_NEGATIVE_OR_NONE] = "it must not be negative",
      [RATIO] = "it must be between -1 and 1",
  };
  const struct {
    const char* name;
    double value;
    Range range;
  } fields[] = {
      {"thickness (m)", d->thickness, POSITIVE},
      {"density (kg/m^2)", d->density, POSITIVE},
      {"texture_scale", d->texture_scale, POSITIVE},
      {"stretch along the warp (N/m)", d->stretch[0], POSITIVE},
      {"stretch along the weft (N/m)", d->stretch[1], POSITIVE},
      {"shear (N/m)", d->shear, POSITIVE_OR_NONE},
      {"poisson", d->poisson, RATIO},
      {"bending of the warp (N m)", d->bending[0], NOT_NEGATIVE},
      {"bending of the weft (N m)", d->bending[1], NOT_NEGATIVE},
      {"twisting (N m)", d->twisting, NOT_NEGATIVE_OR_NONE},
      {"bending_poisson", d->bending_poisson, RATIO},
      {"stretch_damping (s)", d->stretch_damping, NOT_NEGATIVE},
      {"bending_damping (s)", d->bending_damping, NOT_NEGATIVE},
      {"mass_damping (1/s)", d->mass_damping, NOT_NEGATIVE},
      {"drag across", d->drag[0], NOT_NEGATIVE},
      {"drag along", d->drag[1], NOT_NEGATIVE},
      {"air_density (kg/m^3)", d->air_density, NOT_NEGATIVE},
      {"mu", d->mu, NOT_NEGATIVE_OR_NONE},
      {"restitution", d->restitution, NOT_NEGATIVE_OR_NONE},
  };
  char name[CPS_SHEET_NAME_SIZE];
  for (size_t i = 0; i < sizeof fields / sizeof *fields; ++i) {
    if (fields[i].value > LARGEST) {
      return cps_fail(error, CPS_BAD_DATA, "%s: %s is %g, which is too large", cps_sheet_name(d, name), fields[i].name,
                      fields[i].value);
    }
    if (is_in_range(fields[i].value, fields[i].range)) continue;
    return cps_fail(error, CPS_BAD_DATA, "%s: %s is %g; %s", cps_sheet_name(d, name), fields[i].name, fields[i].value,
                    MUST[fields[i].range]);
  }
  if (d->restitution > 1.0)
    return cps_fail(error, CPS_BAD_DATA, "%s: restitution is %g; it must be at most 1", cps_sheet_name(d, name),
                    d->restitution);
  return CPS_OK;
}

static CpsStatus check_vectors(const CpsSheetDef* d, CpsError* error) {
  char name[CPS_SHEET_NAME_SIZE];
  if (!cps_vec3_is_finite(d->velocity) || !cps_vec3_is_finite(d->wind)) {
    return cps_fail(error, CPS_BAD_DATA, "%s: velocity or wind is not finite", cps_sheet_name(d, name));
  }
  double warp = cps_vec3_norm(d->warp);
  if (!(warp > 0.0) || !isfinite(warp) || !isfinite(d->warp_angle)) {
    return cps_fail(error, CPS_BAD_DATA, "%s: the warp has no direction", cps_sheet_name(d, name));
  }
  for (int32_t v = 0; v < d->vertex_count; ++v) {
    CpsVec3 x = d->vertices[v];
    if (!(cps_vec3_norm(x) < FARTHEST)) {
      return cps_fail(error, CPS_BAD_DATA, "%s: vertex %d is at (%g, %g, %g); it must be less than %g m away",
                      cps_sheet_name(d, name), (int)v, x.x, x.y, x.z, FARTHEST);
    }
  }
  return CPS_OK;
}

static CpsStatus check_arrays(const CpsSheetDef* d, CpsError* error) {
  char name[CPS_SHEET_NAME_SIZE];
  if (d->vertex_count < 3 || d->vertex_count > MOST || !d->vertices) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "%s has %d vertices, it needs 3 to %d", cps_sheet_name(d, name),
                    d->vertices ? (int)d->vertex_count : 0, MOST);
  }
  if (d->triangle_count < 1 || d->triangle_count > MOST || !d->triangles) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "%s has %d triangles, it needs 1 to %d", cps_sheet_name(d, name),
                    d->triangles ? (int)d->triangle_count : 0, MOST);
  }
  const struct {
    const char* name;
    int32_t count;
    bool missing;
  } lists[] = {
      {"seams", d->seam_count, !d->seams},
      {"pleats", d->pleat_count, !d->pleats},
      {"pins", d->pin_count, !d->pins},
  };
  for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) {
    if (lists[i].count == 0 || (lists[i].count > 0 && !lists[i].missing)) continue;
    return cps_fail(error, CPS_BAD_ARGUMENT, "%s declares %d %s but has no array of them", cps_sheet_name(d, name),
                    (int)lists[i].count, lists[i].name);
  }
  return CPS_OK;
}

// A sheet thicker than its edges are long touches itself even when flat: each vertex is closer to the triangles around its
// neighbours than layers may come.
static CpsStatus check_thickness(const CpsSheetDef* d, const CpsSheetMesh* mesh, CpsError* error) {
  if (!d->contact || !d->self_contact) return CPS_OK;
  double sum = 0.0;
  for (int32_t e = 0; e < mesh->edge_count; ++e) {
    const int32_t* ends = mesh->edge + 2 * (int64_t)e;
    sum += cps_vec3_norm(cps_vec3_sub(mesh->place[ends[1]], mesh->place[ends[0]]));
  }
  const double mean = sum / mesh->edge_count;
  if (d->thickness <= mean) return CPS_OK;
  char name[CPS_SHEET_NAME_SIZE];
  return cps_fail(error, CPS_BAD_DATA,
                  "%s: thickness (m) is %g, more than the mean length of its edges, %g, so it would touch itself "
                  "everywhere: use larger triangles, a smaller thickness or no self-contact",
                  cps_sheet_name(d, name), d->thickness, mean);
}

CpsStatus cps_sheet_check(const CpsSheetDef* def, CpsError* error) {
  if (!def || def->cookie != SHEET_COOKIE)
    return cps_fail(error, CPS_BAD_ARGUMENT, "the sheet was not initialised by cps_sheet_def_default()");
  char name[CPS_SHEET_NAME_SIZE];
  if (!cps_membrane_law_name(def->membrane) || !cps_bending_law_name(def->bending_law) || (int)def->rest_angles < 0 ||
      def->rest_angles > CPS_REST_ANGLES_PLACED) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "%s has an unknown law", cps_sheet_name(def, name));
  }
  CpsStatus status = check_arrays(def, error);
  if (status == CPS_OK) status = check_numbers(def, error);
  if (status == CPS_OK) status = check_vectors(def, error);
  CpsPinList pins = {def->pins, def->pin_count, def->vertices, def->vertex_count, cps_sheet_name(def, name)};
  if (status == CPS_OK) status = cps_pins_check_each(&pins, error);
  if (status != CPS_OK) return status;
  CpsArena arena = {0};
  CpsSheetMesh mesh;
  status = cps_sheet_mesh_build(def, &arena, &mesh, error);
  if (status == CPS_OK) status = check_thickness(def, &mesh, error);
  if (status == CPS_OK) status = cps_pins_check_claims(&pins, mesh.node, mesh.node_count, error);
  cps_arena_free(&arena);
  return status == CPS_OK ? cps_succeed(error) : status;
}
