// Prepares point clouds: their spacing, the reach of the field, and a check for holes.
//
// The points of scans have no triangles to define neighbours. A point whose third nearest neighbour is out of reach is
// isolated or at the end of a row: the surface has a hole there, and the cloud is refused. The default reach is one and a
// half times the largest distance of a point to its fifth neighbour. A missing patch of a scan gives the surface a border,
// which is not a hole.
#include "geometry/points.h"

#include "core/error.h"

#include <math.h>
#include <stdlib.h>

enum { NEIGHBOURS = 5, HOLE = 3, CROWD = 64 };
static const double WIDER = 1.5;      // default reach, in distances to the fifth neighbour
static const double SMALLEST = 1e-9;  // relative to the size of the cloud: closer points coincide

static CpsStatus no_memory(CpsError* error) {
  return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a shape");
}

// Squared distances of the nearest points to point i, ascending, up to NEIGHBOURS of those within r; returns the number within r.
static int32_t count_near(const CpsPointCloud* c, int32_t i, double r, double* nearest) {
  const CpsVec3 x = c->field.point[i];
  const CpsAabb box = cps_aabb_grow((CpsAabb){x, x}, r);
  CpsBvhWalk walk = cps_bvh_walk(&c->tree, &box);
  int32_t count = 0;
  for (const CpsBvhNode* leaf; (leaf = cps_bvh_next(&walk)) != NULL;) {
    for (int32_t k = 0; k < leaf->count; ++k) {
      const int32_t other = c->tree.order[leaf->first + k];
      const CpsVec3 d = cps_vec3_sub(c->field.point[other], x);
      double square = cps_vec3_dot(d, d);
      if (other == i || !(square <= r * r)) continue;
      for (int j = 0; j < NEIGHBOURS && j <= count; ++j) {
        if (j < count && !(square < nearest[j])) continue;
        const double moved = j < count ? nearest[j] : 0.0;
        nearest[j] = square;
        square = moved;
      }
      ++count;
    }
  }
  return count;
}

// Distances of point i to its nearest neighbours. `r`: a guess, updated for the next point. False: too many points coincide.
static bool find_neighbours(const CpsPointCloud* c, int32_t i, double size, double* r, double nearest[NEIGHBOURS]) {
  bool grown = false;
  for (;;) {
    const int32_t count = count_near(c, i, *r, nearest);
    if (count < NEIGHBOURS) {
      grown = true;
      *r *= 1.9;
    } else if (count > CROWD && !grown) {
      if (!(*r > SMALLEST * size)) return false;
      *r *= 0.5;
    } else {
      break;
    }
  }
  for (int j = 0; j < NEIGHBOURS; ++j) nearest[j] = sqrt(nearest[j]);
  return true;
}

static CpsStatus find_spacing(CpsPointCloud* c, double* widest, CpsError* error) {
  const CpsAabb box = c->tree.node[0].box;
  const double size = cps_vec3_norm(cps_vec3_sub(box.max, box.min));
  double r = 3.0 * size / sqrt((double)c->field.count), nearest[NEIGHBOURS];
  *widest = 0.0;
  for (int32_t i = 0; i < c->field.count; ++i) {
    const CpsVec3 x = c->field.point[i];
    // r is 0 also if the squared distances vanish: it would never grow
    if (!(r > 0.0) || !find_neighbours(c, i, size, &r, nearest) || !(nearest[HOLE - 1] > 0.0)) {
      return cps_fail(error, CPS_BAD_DATA, "points.points[%d]: too many points are at (%g, %g, %g)", (int)i, x.x, x.y,
                      x.z);
    }
    c->spacing[i] = nearest[HOLE - 1];
    *widest = fmax(*widest, nearest[NEIGHBOURS - 1]);
  }
  return CPS_OK;
}

static CpsStatus check_holes(const CpsPointCloud* c, double widest, CpsError* error) {
  for (int32_t i = 0; i < c->field.count; ++i) {
    if (c->spacing[i] < c->field.reach) continue;
    const CpsVec3 x = c->field.point[i];
    return cps_fail(
        error, CPS_BAD_DATA,
        "points.reach: %g m leaves a hole at point %d at (%g, %g, %g), which has its third neighbour at %g m; "
        "%g m would not",
        c->field.reach, (int)i, x.x, x.y, x.z, c->spacing[i], WIDER * widest);
  }
  return CPS_OK;
}

static bool build_tree(CpsPointCloud* c, const CpsVec3* x) {
  CpsAabb* box = malloc((size_t)c->field.count * sizeof *box);
  for (int32_t i = 0; box && i < c->field.count; ++i) box[i] = (CpsAabb){x[i], x[i]};
  const bool built = box && cps_bvh_build(&c->tree, box, c->field.count);
  free(box);
  return built;
}

static CpsStatus copy(const CpsShape* shape, CpsPointCloud* c) {
  const int32_t count = shape->point_count;
  CpsVec3 *point = CPS_TAKE(&c->arena, CpsVec3, count), *normal = CPS_TAKE(&c->arena, CpsVec3, count);
  c->on = CPS_TAKE(&c->arena, CpsVec3, count);
  c->spacing = CPS_TAKE(&c->arena, double, count);
  if (!point || !normal || !c->on || !c->spacing) return CPS_NO_MEMORY;
  for (int32_t i = 0; i < count; ++i) {
    point[i] = shape->points[i];
    normal[i] = cps_vec3_unit(shape->normals[i]);
  }
  c->field = (CpsField){.kernel = shape->kernel, .count = count, .point = point, .normal = normal};
  return build_tree(c, point) ? CPS_OK : CPS_NO_MEMORY;
}

static CpsStatus make_field(CpsPointCloud* c, CpsError* error) {
  if (!cps_field_build(&c->field, &c->arena)) return no_memory(error);
  const int32_t most = cps_field_most(&c->field);
  if (most > CPS_FIELD_TERMS / 2) {
    return cps_fail(
        error, CPS_BAD_DATA,
        "points.reach: %d points are within %g m of one of them, %d are allowed: choose a shorter reach, or "
        "take fewer points",
        (int)most, c->field.reach, CPS_FIELD_TERMS / 2);
  }
  for (int32_t i = 0; i < c->field.count; ++i) {
    CpsFieldAt at;
    c->on[i] = c->field.point[i];
    if (cps_field_project(&c->field, 0.0, &c->on[i], &at)) continue;
    const CpsVec3 x = c->field.point[i];
    return cps_fail(error, CPS_BAD_DATA, "points.normals[%d]: the normals around (%g, %g, %g) make no surface", (int)i,
                    x.x, x.y, x.z);
  }
  cps_bvh_free(&c->tree);
  c->tree = (CpsBvh){0};
  return build_tree(c, c->on) ? CPS_OK : no_memory(error);
}

CpsStatus cps_points_create(const CpsShape* shape, CpsPointCloud** out, CpsError* error) {
  CpsPointCloud* c = calloc(1, sizeof *c);
  double widest = 0.0;
  CpsStatus status = c && copy(shape, c) == CPS_OK ? CPS_OK : no_memory(error);
  if (status == CPS_OK) status = find_spacing(c, &widest, error);
  if (status == CPS_OK) {
    c->field.reach = shape->radius > 0.0 ? shape->radius : WIDER * widest;
    status = check_holes(c, widest, error);
  }
  if (status == CPS_OK) status = make_field(c, error);
  if (status == CPS_OK) {
    *out = c;
  } else {
    cps_points_destroy(c);
  }
  return status;
}

void cps_points_destroy(CpsPointCloud* c) {
  if (!c) return;
  cps_bvh_free(&c->tree);
  cps_arena_free(&c->arena);
  free(c);
}
