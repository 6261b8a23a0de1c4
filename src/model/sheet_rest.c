// Load-free shape of a sheet: each triangle in its own plane with the warp as first axis, and the angles of the
// hinges.
#include <math.h>
#include <stdlib.h>

#include "core/error.h"
#include "model/sheet_angle.h"
#include "model/sheet_mesh.h"

static const double FLAT = 1e-9;      // twice the area of a flat triangle, relative to its longest edge squared
static const double SIDEWAYS = 1e-6;  // fraction of the warp inside the plane of a triangle normal to it
static const double PI = 3.14159265358979323846;

static const double SMALLEST = 1e-24;  // m^2: below this, heights of triangles are rounding errors

static bool is_flat(double twice_area, double longest) {
  return !(twice_area > FLAT * longest * longest) || !(twice_area > SMALLEST);
}

static double longest_edge(const CpsVec3 x[3]) {
  double longest = 0.0;
  for (int i = 0; i < 3; ++i) longest = fmax(longest, cps_vec3_norm(cps_vec3_sub(x[(i + 1) % 3], x[i])));
  return longest;
}

// The corners of a placed triangle in its plane.
static CpsStatus flatten_placed(const CpsSheetDef* def, int32_t t, const CpsVec3 x[3], CpsVec2 out[3],
                                CpsError* error) {
  char name[CPS_SHEET_NAME_SIZE];
  CpsVec3 e = cps_vec3_sub(x[1], x[0]), f = cps_vec3_sub(x[2], x[0]), n = cps_vec3_unit(cps_vec3_cross(e, f));
  CpsVec3 warp = cps_vec3_unit(def->warp), along = cps_vec3_axpy(warp, -cps_vec3_dot(warp, n), n);
  if (!(cps_vec3_norm(along) > SIDEWAYS)) {
    bool isotropic = def->stretch[0] == def->stretch[1] && isnan(def->shear) && def->bending[0] == def->bending[1] &&
                     isnan(def->twisting) && def->membrane != CPS_MEMBRANE_BARAFF_WITKIN;
    if (!isotropic) {
      return cps_fail(error, CPS_BAD_DATA, "%s: triangle %d is at right angles to the direction of the warp",
                      cps_sheet_name(def, name), (int)t);
    }
    along = e;
  }
  CpsVec3 first = cps_vec3_unit(along), second = cps_vec3_cross(n, first);
  for (int i = 0; i < 3; ++i) {
    CpsVec3 d = cps_vec3_sub(x[i], x[0]);
    out[i] = (CpsVec2){cps_vec3_dot(d, first), cps_vec3_dot(d, second)};
  }
  return CPS_OK;
}

static double twice_area(const CpsVec2 p[3]) {
  return (p[1].x - p[0].x) * (p[2].y - p[0].y) - (p[1].y - p[0].y) * (p[2].x - p[0].x);
}

// Corners of a triangle of the cutting pattern, mirrored if drawn from behind.
static CpsStatus flatten_texture(const CpsSheetDef* def, int32_t t, CpsVec2 out[3], CpsError* error) {
  char name[CPS_SHEET_NAME_SIZE];
  const double* p = def->texture + 6 * (int64_t)t;
  CpsVec3 flat[3];
  for (int i = 0; i < 3; ++i) {
    out[i] = (CpsVec2){def->texture_scale * (p[2 * i] - p[0]), def->texture_scale * (p[2 * i + 1] - p[1])};
    flat[i] = cps_vec3(out[i].x, out[i].y, 0.0);
  }
  double area = twice_area(out);
  if (!isfinite(area) || is_flat(fabs(area), longest_edge(flat))) {
    return cps_fail(error, CPS_BAD_DATA, "%s: triangle %d is flat in texture coordinates (%g, %g), (%g, %g), (%g, %g)",
                    cps_sheet_name(def, name), (int)t, p[0], p[1], p[2], p[3], p[4], p[5]);
  }
  if (area < 0.0) {
    for (int i = 0; i < 3; ++i) out[i].y = -out[i].y;
  }
  return CPS_OK;
}

CpsStatus cps_sheet_flatten(const CpsSheetDef* def, CpsArena* arena, CpsSheetMesh* mesh, CpsError* error) {
  char name[CPS_SHEET_NAME_SIZE];
  mesh->rest = CPS_TAKE(arena, CpsVec2, 3 * (int64_t)mesh->triangle_count);
  mesh->area = CPS_TAKE(arena, double, mesh->triangle_count);
  if (!mesh->rest || !mesh->area) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a sheet");
  double c = cos(def->warp_angle), s = sin(def->warp_angle);
  for (int32_t t = 0; t < mesh->triangle_count; ++t) {
    CpsVec3 x[3];
    for (int i = 0; i < 3; ++i) x[i] = mesh->place[mesh->triangle[3 * (int64_t)t + i]];
    CpsVec3 N = cps_vec3_cross(cps_vec3_sub(x[1], x[0]), cps_vec3_sub(x[2], x[0]));
    if (is_flat(cps_vec3_norm(N), longest_edge(x))) {
      return cps_fail(error, CPS_BAD_DATA, "%s: triangle %d is flat: its vertices, one at (%g, %g, %g), lie on a line",
                      cps_sheet_name(def, name), (int)t, x[0].x, x[0].y, x[0].z);
    }
    CpsVec2* rest = mesh->rest + 3 * (int64_t)t;
    CpsStatus status = def->texture ? flatten_texture(def, t, rest, error) : flatten_placed(def, t, x, rest, error);
    if (status != CPS_OK) return status;
    for (int i = 0; i < 3; ++i) rest[i] = (CpsVec2){c * rest[i].x + s * rest[i].y, c * rest[i].y - s * rest[i].x};
    mesh->area[t] = 0.5 * twice_area(rest);
  }
  return CPS_OK;
}

// The hinge between two nodes, -1 if there is none; hinges are sorted by their nodes.
static int32_t find_hinge(const CpsSheetMesh* mesh, int32_t a, int32_t b) {
  int32_t low = a < b ? a : b, high = a < b ? b : a, first = 0, last = mesh->hinge_count;
  while (first < last) {
    int32_t middle = first + (last - first) / 2;
    const int32_t* n = mesh->hinge[middle].node;
    int32_t hinge_low = n[0] < n[1] ? n[0] : n[1], hinge_high = n[0] < n[1] ? n[1] : n[0];
    if (hinge_low < low || (hinge_low == low && hinge_high < high)) {
      first = middle + 1;
    } else if (hinge_low == low && hinge_high == high) {
      return middle;
    } else {
      last = middle;
    }
  }
  return -1;
}

// One edge has one angle. `pleat_of` has one entry per hinge: 0 without a pleat, else its number from 1.
static CpsStatus fold(const CpsSheetDef* def, int32_t i, int32_t hinge, int32_t* pleat_of, CpsSheetMesh* mesh,
                      CpsError* error) {
  char name[CPS_SHEET_NAME_SIZE];
  const CpsSheetPleat* p = &def->pleats[i];
  const int32_t before = pleat_of[hinge] - 1;
  if (before >= 0 && def->pleats[before].angle != p->angle) {
    return cps_fail(error, CPS_BAD_DATA,
                    "%s: pleats %d and %d fold the edge between vertices %d and %d by different angles, %g and %g",
                    cps_sheet_name(def, name), (int)before, (int)i, (int)p->a, (int)p->b, def->pleats[before].angle,
                    p->angle);
  }
  pleat_of[hinge] = i + 1;
  mesh->rest_angle[hinge] = p->angle;
  return CPS_OK;
}

static CpsStatus fold_all(const CpsSheetDef* def, int32_t* pleat_of, CpsSheetMesh* mesh, CpsError* error) {
  char name[CPS_SHEET_NAME_SIZE];
  for (int32_t i = 0; i < def->pleat_count; ++i) {
    const CpsSheetPleat* p = &def->pleats[i];
    int32_t hinge = -1;
    if (p->a >= 0 && p->a < def->vertex_count && p->b >= 0 && p->b < def->vertex_count) {
      hinge = find_hinge(mesh, mesh->node[p->a], mesh->node[p->b]);
    }
    if (hinge < 0) {
      return cps_fail(error, CPS_BAD_DATA, "%s: pleat %d: no edge between two triangles joins vertices %d and %d",
                      cps_sheet_name(def, name), (int)i, (int)p->a, (int)p->b);
    }
    if (!(fabs(p->angle) < PI)) {
      return cps_fail(error, CPS_BAD_DATA, "%s: pleat %d has the angle %g; it must be between -pi and pi",
                      cps_sheet_name(def, name), (int)i, p->angle);
    }
    CpsStatus status = fold(def, i, hinge, pleat_of, mesh, error);
    if (status != CPS_OK) return status;
  }
  return CPS_OK;
}

static CpsStatus set_pleats(const CpsSheetDef* def, CpsSheetMesh* mesh, CpsError* error) {
  if (def->pleat_count == 0) return CPS_OK;
  int32_t* pleat_of = calloc((size_t)mesh->hinge_count + 1, sizeof *pleat_of);
  if (!pleat_of) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a sheet");
  CpsStatus status = fold_all(def, pleat_of, mesh, error);
  free(pleat_of);
  return status;
}

CpsStatus cps_sheet_set_rest_angles(const CpsSheetDef* def, CpsArena* arena, CpsSheetMesh* mesh, CpsError* error) {
  mesh->rest_angle = CPS_TAKE_ZERO(arena, double, mesh->hinge_count);
  if (!mesh->rest_angle) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a sheet");
  for (int32_t e = 0; e < mesh->hinge_count && def->rest_angles == CPS_REST_ANGLES_PLACED; ++e) {
    CpsVec3 x[4];
    for (int i = 0; i < 4; ++i) x[i] = mesh->place[mesh->hinge[e].node[i]];
    mesh->rest_angle[e] = cps_hinge_angle(x);
  }
  return set_pleats(def, mesh, error);
}
