// Surfaces of shapes as triangles, for drawing.
//
// Round shapes are profiles (rho, z) rotated about the z axis; a circle becomes a regular polygon with its corners on
// the circle. Faces that meet at an edge have separate points there, so that flat faces look flat.
#include "geometry/triangles.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "geometry/polytope.h"

static const double pi = 3.14159265358979323846;
enum { LEAST_AROUND = 6, MOST_AROUND = 4096 };

void cps_join_rings(CpsTriangleBuilder* b, int32_t first, bool first_is_one, int32_t second, bool second_is_one) {
  for (int32_t j = 0; j < b->around; ++j) {
    int32_t next = (j + 1) % b->around;
    int32_t p = first_is_one ? first : first + j, q = first_is_one ? first : first + next;
    int32_t r = second_is_one ? second : second + j, s = second_is_one ? second : second + next;
    if (!first_is_one) cps_add_triangle(b, p, q, second_is_one ? r : s);
    if (!second_is_one) cps_add_triangle(b, p, s, r);
  }
}

// A ring of the profile: at radius rho and height z with the normal at `angle` above the horizontal. On the axis it is one
// point.
static int32_t add_ring(CpsTriangleBuilder* b, double rho, double z, double angle) {
  int32_t first = (int32_t)b->points;
  int32_t count = rho > 0.0 ? b->around : 1;
  for (int32_t j = 0; j < count; ++j) {
    double turn = 2.0 * pi * j / b->around, c = cos(turn), s = sin(turn);
    cps_add_point(b, cps_vec3(rho * c, rho * s, z), cps_vec3(cos(angle) * c, cos(angle) * s, sin(angle)));
  }
  return first;
}

// Two half-spheres `length` apart, joined: a sphere or a capsule.
static void add_capsule(CpsTriangleBuilder* b, double radius, double length) {
  int32_t quarter = (b->around + 3) / 4, rings = length > 0.0 ? 2 * quarter + 2 : 2 * quarter + 1, last = 0;
  for (int32_t i = 0; i < rings; ++i) {
    bool upper = length > 0.0 ? i > quarter : i >= quarter;
    int32_t step = length > 0.0 && upper ? i - 1 : i;
    double angle = 0.5 * pi * (step - quarter) / quarter;
    bool pole = i == 0 || i == rings - 1;
    int32_t ring =
        add_ring(b, pole ? 0.0 : radius * cos(angle), (upper ? 0.5 : -0.5) * length + radius * sin(angle), angle);
    if (i > 0) cps_join_rings(b, last, i == 1, ring, pole);
    last = ring;
  }
}

static void add_cylinder(CpsTriangleBuilder* b, double radius, double length) {
  const double half = 0.5 * length, down = -0.5 * pi, up = 0.5 * pi;
  int32_t centre = add_ring(b, 0.0, -half, down);
  cps_join_rings(b, centre, true, add_ring(b, radius, -half, down), false);
  int32_t lower = add_ring(b, radius, -half, 0.0);
  cps_join_rings(b, lower, false, add_ring(b, radius, half, 0.0), false);
  int32_t rim = add_ring(b, radius, half, up);
  cps_join_rings(b, rim, false, add_ring(b, 0.0, half, up), true);
}

static void add_polytope(CpsTriangleBuilder* b, const CpsPolytope* p) {
  for (int32_t f = 0; f < p->face_count; ++f) {
    int32_t first = (int32_t)b->points, corners = p->face_start[f + 1] - p->face_start[f];
    for (int32_t k = 0; k < corners; ++k) {
      cps_add_point(b, p->vertex[p->face_vertex[p->face_start[f] + k]], p->normal[f]);
    }
    for (int32_t k = 1; k + 1 < corners; ++k) cps_add_triangle(b, first, first + k, first + k + 1);
  }
}

static void add_square(CpsTriangleBuilder* b) {
  int32_t first = (int32_t)b->points;
  const double e = b->extent, corner[4][2] = {{-e, -e}, {e, -e}, {e, e}, {-e, e}};
  for (int k = 0; k < 4; ++k) cps_add_point(b, cps_vec3(corner[k][0], corner[k][1], 0.0), cps_vec3(0.0, 0.0, 1.0));
  cps_add_triangle(b, first, first + 1, first + 2);
  cps_add_triangle(b, first, first + 2, first + 3);
}

static CpsStatus add_flat(CpsTriangleBuilder* b, const CpsShape* shape) {
  CpsPolytope* polytope = NULL;
  CpsStatus status = shape->kind == CPS_SHAPE_BOX
                         ? cps_polytope_box(shape->size, &polytope)
                         : cps_polytope_hull(shape->points, shape->point_count, &polytope, NULL);
  if (status == CPS_OK) add_polytope(b, polytope);
  cps_polytope_destroy(polytope);
  return status;
}

static CpsStatus add_shape(CpsTriangleBuilder* b, const CpsShape* shape) {
  switch (shape->kind) {
    case CPS_SHAPE_SPHERE:
      add_capsule(b, shape->radius, 0.0);
      return CPS_OK;
    case CPS_SHAPE_CAPSULE:
      add_capsule(b, shape->radius, shape->length);
      return CPS_OK;
    case CPS_SHAPE_CYLINDER:
      add_cylinder(b, shape->radius, shape->length);
      return CPS_OK;
    case CPS_SHAPE_BOX:
    case CPS_SHAPE_HULL:
      return add_flat(b, shape);
    case CPS_SHAPE_PLANE:
      add_square(b);
      return CPS_OK;
    case CPS_SHAPE_MESH:
      return cps_mesh_triangles(b, shape);
    case CPS_SHAPE_TUBE:
      return cps_tube_triangles(b, shape);
    case CPS_SHAPE_POINTS:
      return cps_points_triangles(b, shape);
    default:
      return CPS_BAD_ARGUMENT;  // a compound inside a compound, which the check has refused
  }
}

static CpsStatus add_all(CpsTriangleBuilder* b, const CpsShape* shape) {
  b->points = b->triangles = 0;
  b->pose = (CpsPose){.rotation = cps_quat_identity()};
  if (shape->kind != CPS_SHAPE_COMPOUND) return add_shape(b, shape);
  for (int32_t i = 0; i < shape->part_count; ++i) {
    b->pose = (CpsPose){shape->parts[i].pose.position, cps_quat_unit(shape->parts[i].pose.rotation)};
    CpsStatus status = add_shape(b, &shape->parts[i].shape);
    if (status != CPS_OK) return status;
  }
  return CPS_OK;
}

static CpsStatus fill(CpsTriangleBuilder* b, const CpsShape* shape, CpsError* error) {
  CpsTriangles* out = b->out;
  CpsStatus status = add_all(b, shape);
  if (status == CPS_OK && (b->points > INT32_MAX || b->triangles > INT32_MAX / 3)) status = CPS_NO_MEMORY;
  if (status == CPS_OK) {
    out->points = malloc(((size_t)b->points + 1) * sizeof *out->points);
    out->normals = malloc(((size_t)b->points + 1) * sizeof *out->normals);
    out->triangles = malloc(((size_t)b->triangles + 1) * 3 * sizeof *out->triangles);
    status = out->points && out->normals && out->triangles ? add_all(b, shape) : CPS_NO_MEMORY;
  }
  out->point_count = (int32_t)b->points;
  out->triangle_count = (int32_t)b->triangles;
  if (status == CPS_OK) return cps_succeed(error);
  cps_triangles_free(out);
  return cps_fail(error, status, "triangles of a shape: %s", cps_status_string(status));
}

CpsStatus cps_shape_triangles(const CpsShape* shape, int32_t around, double extent, CpsTriangles* out,
                              CpsError* error) {
  if (!out) return cps_fail(error, CPS_BAD_ARGUMENT, "triangles of a shape: there is nowhere to put them");
  *out = (CpsTriangles){0};
  if (!shape) return cps_fail(error, CPS_BAD_ARGUMENT, "triangles of a shape: there is no shape");
  if (around < LEAST_AROUND || around > MOST_AROUND) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "triangles of a shape: a circle of %d corners; it needs %d to %d", around,
                    LEAST_AROUND, MOST_AROUND);
  }
  if (!(extent > 0.0) || !isfinite(extent)) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "triangles of a shape: the extent of a half-space must be > 0");
  }
  CpsStatus status = cps_shape_check(shape, error);
  if (status != CPS_OK) return status;
  CpsTriangleBuilder builder = {.out = out, .around = around, .extent = extent};
  return fill(&builder, shape, error);
}

void cps_triangles_free(CpsTriangles* triangles) {
  if (!triangles) return;
  free(triangles->points);
  free(triangles->normals);
  free(triangles->triangles);
  *triangles = (CpsTriangles){0};
}
