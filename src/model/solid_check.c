// Definitions of solids: defaults and validation.
#include <math.h>
#include <stdlib.h>

#include "core/error.h"
#include "model/pins.h"
#include "model/solid_law.h"
#include "model/solid_mesh.h"
#include "model/solid_smooth.h"

static const int SOLID_COOKIE = 0x0c0550d1, REGION_COOKIE = 0x0c0550d2;
enum { MOST = 100000000 };                            // vertices or tetrahedra, so all counts fit into 32 bits
static const double FARTHEST = 1e12, LARGEST = 1e30;  // m, and any other unit: fourth powers stay finite

CpsSolidRegion cps_solid_region_default(void) {
  return (CpsSolidRegion){.young = 1e5, .poisson = 0.4, .density = 1000.0, .damping = 1e-3, .cookie = REGION_COOKIE};
}

CpsSolidDef cps_solid_def_default(void) {
  return (CpsSolidDef){
      .matter = cps_solid_region_default(),
      .gravity = true,
      .radius = NAN,
      .smooth = cps_smooth_default(),
      .mu = NAN,
      .restitution = NAN,
      .contact = true,
      .self_contact = true,
      .cookie = SOLID_COOKIE,
  };
}

static CpsStatus check_arrays(const CpsSolidDef* d, CpsError* error) {
  char name[CPS_SOLID_NAME_SIZE];
  if (d->vertex_count < 4 || d->vertex_count > MOST || !d->vertices) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "%s has %d vertices, it needs 4 to %d", cps_solid_name(d, name),
                    d->vertices ? (int)d->vertex_count : 0, MOST);
  }
  if (d->tetrahedron_count < 1 || d->tetrahedron_count > MOST || !d->tetrahedra) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "%s has %d tetrahedra, it needs 1 to %d", cps_solid_name(d, name),
                    d->tetrahedra ? (int)d->tetrahedron_count : 0, MOST);
  }
  if (d->region_count < 0 || (d->region_count > 0 && !d->regions)) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "%s declares %d regions but has no array of them", cps_solid_name(d, name),
                    (int)d->region_count);
  }
  if (d->pin_count < 0 || (d->pin_count > 0 && !d->pins)) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "%s declares %d pins but has no array of them", cps_solid_name(d, name),
                    (int)d->pin_count);
  }
  return CPS_OK;
}

typedef struct Field {
  const char* name;
  double value, above, below;  // open bounds; NaN values are allowed if `none` is set
  bool none, zero;             // zero: the lower bound is included
} Field;

static CpsStatus check_fields(const char* owner, const Field* fields, size_t count, CpsError* error) {
  for (size_t i = 0; i < count; ++i) {
    const Field* f = &fields[i];
    if (isnan(f->value) && f->none) continue;
    bool fine = (f->value > f->above || (f->zero && f->value == f->above)) && f->value < f->below;
    if (fine) continue;
    return cps_fail(error, CPS_BAD_DATA, "%s: %s is %g; it must be %s %g and below %g", owner, f->name, f->value,
                    f->zero ? "at least" : "above", f->above, f->below);
  }
  return CPS_OK;
}

static CpsStatus check_region(const CpsSolidDef* d, const CpsSolidRegion* r, CpsError* error) {
  char name[CPS_SOLID_NAME_SIZE];
  cps_solid_name(d, name);
  if (r->cookie != REGION_COOKIE) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "%s: its matter was not initialised by cps_solid_region_default()", name);
  }
  if (!cps_solid_law_name(r->law)) return cps_fail(error, CPS_BAD_ARGUMENT, "%s has an unknown law", name);
  const Field fields[] = {
      {"young (Pa)", r->young, 0.0, LARGEST, false, false},
      {"poisson", r->poisson, -1.0, 0.5, false, false},
      {"density (kg/m^3)", r->density, 0.0, LARGEST, false, false},
      {"damping (s)", r->damping, 0.0, LARGEST, false, true},
  };
  return check_fields(name, fields, sizeof fields / sizeof *fields, error);
}

static CpsStatus check_numbers(const CpsSolidDef* d, CpsError* error) {
  char name[CPS_SOLID_NAME_SIZE];
  const Field fields[] = {
      {"mass_damping (1/s)", d->mass_damping, 0.0, LARGEST, false, true},
      {"radius (m)", d->radius, 0.0, FARTHEST, true, false},
      {"mu", d->mu, 0.0, LARGEST, true, true},
      {"restitution", d->restitution, 0.0, LARGEST, true, true},
  };
  CpsStatus status = check_fields(cps_solid_name(d, name), fields, sizeof fields / sizeof *fields, error);
  if (status == CPS_OK) status = check_region(d, &d->matter, error);
  for (int32_t i = 0; i < d->region_count && status == CPS_OK; ++i) status = check_region(d, &d->regions[i], error);
  for (int32_t t = 0; d->region && t < d->tetrahedron_count && status == CPS_OK; ++t) {
    if (d->region[t] >= 0 && d->region[t] <= d->region_count) continue;
    status = cps_fail(error, CPS_BAD_DATA, "%s: tetrahedron %d is in region %d, but there are only %d regions",
                      cps_solid_name(d, name), (int)t, (int)d->region[t], (int)d->region_count);
  }
  return status;
}

static bool is_a_place(CpsVec3 x) {
  return fabs(x.x) < FARTHEST && fabs(x.y) < FARTHEST && fabs(x.z) < FARTHEST;
}

static CpsStatus check_vectors(const CpsSolidDef* d, CpsError* error) {
  char name[CPS_SOLID_NAME_SIZE];
  for (int32_t v = 0; v < d->vertex_count; ++v) {
    if (is_a_place(d->vertices[v]) && (!d->rest || is_a_place(d->rest[v]))) continue;
    return cps_fail(error, CPS_BAD_DATA, "%s: vertex %d is not finite, or too far away", cps_solid_name(d, name),
                    (int)v);
  }
  if (!is_a_place(d->velocity) || !is_a_place(d->spin)) {
    return cps_fail(error, CPS_BAD_DATA, "%s: its velocity or spin is not finite, or too large",
                    cps_solid_name(d, name));
  }
  return CPS_OK;
}

static CpsStatus check_mesh(const CpsSolidDef* def, const CpsPinList* pins, CpsError* error) {
  CpsArena arena = {0};
  CpsSolidMesh mesh;
  CpsSmooth smooth;
  CpsStatus status = cps_solid_mesh_build(def, &arena, &mesh, error);
  if (status == CPS_OK) status = cps_solid_smooth(def, &mesh, &smooth, error);
  int32_t* node = CPS_TAKE(&arena, int32_t, def->vertex_count);
  if (status == CPS_OK && !node) status = cps_fail(error, CPS_NO_MEMORY, "not enough memory for a solid");
  for (int32_t i = 0; status == CPS_OK && i < def->vertex_count; ++i) node[i] = i;
  if (status == CPS_OK) status = cps_pins_check_claims(pins, node, def->vertex_count, error);
  cps_arena_free(&arena);
  return status;
}

CpsStatus cps_solid_check(const CpsSolidDef* def, CpsError* error) {
  if (!def || def->cookie != SOLID_COOKIE) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "the solid was not initialised by cps_solid_def_default()");
  }
  char name[CPS_SOLID_NAME_SIZE];
  CpsPinList pins = {def->pins, def->pin_count, def->vertices, def->vertex_count, cps_solid_name(def, name)};
  CpsStatus status = check_arrays(def, error);
  if (status == CPS_OK) status = check_numbers(def, error);
  if (status == CPS_OK) status = check_vectors(def, error);
  if (status == CPS_OK) status = cps_pins_check_each(&pins, error);
  if (status == CPS_OK) status = check_mesh(def, &pins, error);
  return status == CPS_OK ? cps_succeed(error) : status;
}
