// A shape on its path into a point cloud: a needle can enter between two tests, and its ends may be far beyond at the next test.
//
// The field is smooth on the scale of its reach R, while the shape may be thin. So the shape is sampled: points of its surface at most s =
// R / 4 apart, each followed through the field (field_way.c). Between them the surface of the cloud, whose curvature is at most of the
// order of 1 / R, rises by s^2 / 8R = R / 128. Round shapes thinner than s are sampled along the axis.
//
// The triangle inequality excludes samples that cannot come near the points: the size of the cloud bounds the cost of a large
// shape.
#include "geometry/mesh.h"
#include "geometry/points.h"
#include "geometry/tube.h"

#include <math.h>

static const double SPACING = 0.25;  // relative to the reach
enum { MOST = 4096 };                // samples along a line or round a ring

typedef struct Way {
  const CpsField* field;
  CpsAabb room;  // extent of the field
  CpsPose from, to;
  double spacing, depth;
  CpsPointsEntry* out;
  int count;
} Way;

static double distance(CpsVec3 a, CpsVec3 b) {
  return cps_vec3_norm(cps_vec3_sub(a, b));
}

// The first entry stays first in the list. A full list loses the later one closest to another.
static void keep(Way* w, const CpsPointsEntry* e) {
  CpsPointsEntry* all = w->out;
  CpsPointsEntry next = *e;
  if (w->count > 0 && next.time < all[0].time) next = all[0], all[0] = *e;
  if (w->count < CPS_POINTS_ENTRIES) {
    all[w->count++] = next;
    return;
  }
  int nearest = -1;  // in the list; -1: the new one
  double least = INFINITY;
  for (int i = 1; i < w->count; ++i) {
    const double d = distance(all[i].place, next.place);
    least = fmin(least, d);
  }
  least = fmin(least, distance(all[0].place, next.place));
  for (int i = 1; i < w->count; ++i) {
    for (int k = 0; k < w->count; ++k) {
      if (k != i && distance(all[i].place, all[k].place) < least)
        least = distance(all[i].place, all[k].place), nearest = i;
    }
  }
  if (nearest >= 0) all[nearest] = next;
}

// A point of the shape with a ball of a radius about it.
static void follow(Way* w, CpsVec3 x, double radius) {
  const CpsVec3 from = cps_pose_apply(w->from, x), to = cps_pose_apply(w->to, x);
  const CpsAabb box = cps_aabb_union((CpsAabb){from, from}, (CpsAabb){to, to});
  CpsPointsEntry e;
  if (!cps_aabb_overlap(&box, &w->room)) return;
  if (!cps_field_enters(w->field, from, to, radius - w->depth, &e.place, &e.normal)) return;
  const CpsVec3 way = cps_vec3_sub(to, from);
  if (!(cps_vec3_dot(way, e.normal) < 0.0)) return;
  e.time = cps_vec3_dot(cps_vec3_sub(e.place, from), way) / cps_vec3_dot(way, way);
  e.place = cps_vec3_axpy(e.place, w->depth - radius, e.normal);
  keep(w, &e);
}

static int parts(double length, double spacing) {
  const double count = ceil(length / spacing);
  return count < 1.0 ? 1 : count > MOST ? MOST : (int)count;
}

static void follow_segment(Way* w, CpsVec3 a, CpsVec3 b, double radius) {
  const int count = parts(distance(a, b), w->spacing);
  for (int i = 0; i <= count; ++i) {
    follow(w, cps_vec3_axpy(a, (double)i / count, cps_vec3_sub(b, a)), radius);
  }
}

static CpsVec3 middle(CpsVec3 a, CpsVec3 b) {
  return cps_vec3_scale(0.5, cps_vec3_add(a, b));
}

// Its centre, or if it is too large those of its four parts; the corners are handled with the shape.
static void follow_triangle(Way* w, CpsVec3 a, CpsVec3 b, CpsVec3 c, int level) {
  const CpsVec3 x[3] = {a, b, c};
  CpsAabb box = {cps_pose_apply(w->from, a), cps_pose_apply(w->from, a)};
  for (int i = 0; i < 3; ++i) {
    const CpsVec3 from = cps_pose_apply(w->from, x[i]), to = cps_pose_apply(w->to, x[i]);
    box = cps_aabb_union(box, cps_aabb_union((CpsAabb){from, from}, (CpsAabb){to, to}));
  }
  if (!cps_aabb_overlap(&box, &w->room)) return;
  const double size = fmax(distance(a, b), fmax(distance(b, c), distance(c, a)));
  if (size <= w->spacing || level == 0) {
    follow(w, cps_vec3_scale(1.0 / 3.0, cps_vec3_add(a, cps_vec3_add(b, c))), 0.0);
    return;
  }
  const CpsVec3 ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
  follow_triangle(w, a, ab, ca, level - 1);
  follow_triangle(w, ab, b, bc, level - 1);
  follow_triangle(w, ca, bc, c, level - 1);
  follow_triangle(w, ab, bc, ca, level - 1);
}
enum { LEVELS = 12 };

static void follow_polytope(Way* w, const CpsPolytope* p) {
  for (int32_t i = 0; i < p->vertex_count; ++i) follow(w, p->vertex[i], 0.0);
  for (int32_t i = 0; i < p->edge_count; ++i)
    follow_segment(w, p->vertex[p->edge[i][0]], p->vertex[p->edge[i][1]], 0.0);
  for (int32_t f = 0; f < p->face_count; ++f) {
    const int32_t* v = p->face_vertex + p->face_start[f];
    for (int32_t k = 2; k < p->face_start[f + 1] - p->face_start[f]; ++k) {
      follow_triangle(w, p->vertex[v[0]], p->vertex[v[k - 1]], p->vertex[v[k]], LEVELS);
    }
  }
}

static void follow_mesh(Way* w, const CpsMeshTree* mesh) {
  for (int32_t i = 0; i < mesh->vertex_count; ++i) follow(w, mesh->vertex[i].point, 0.0);
  for (int32_t i = 0; i < mesh->edge_count; ++i) {
    follow_segment(w, mesh->vertex[mesh->edge[i].vertex[0]].point, mesh->vertex[mesh->edge[i].vertex[1]].point, 0.0);
  }
  for (int32_t i = 0; i < mesh->triangle_count; ++i) {
    const int32_t* v = mesh->triangle[i].vertex;
    follow_triangle(w, mesh->vertex[v[0]].point, mesh->vertex[v[1]].point, mesh->vertex[v[2]].point, LEVELS);
  }
}

// A circle about z.
static void follow_ring(Way* w, double radius, double z) {
  const int count = parts(2.0 * 3.14159265358979323846 * radius, w->spacing);
  for (int i = 0; i < count; ++i) {
    const double angle = 2.0 * 3.14159265358979323846 * i / count;
    follow(w, cps_vec3(radius * cos(angle), radius * sin(angle), z), 0.0);
  }
}

static void follow_drum(Way* w, double radius, double half) {
  const int along = parts(2.0 * half, w->spacing), across = parts(radius, w->spacing);
  for (int i = 0; i <= along; ++i) follow_ring(w, radius, half * (2.0 * i / along - 1.0));
  for (int k = 0; k < across; ++k) {
    for (int side = -1; side <= 1; side += 2) follow_ring(w, radius * k / across, side * half);
  }
}

// A capsule, or with zero length a ball.
static void follow_capsule(Way* w, double radius, double half) {
  if (radius <= w->spacing) {
    follow_segment(w, cps_vec3(0.0, 0.0, -half), cps_vec3(0.0, 0.0, half), radius);
    return;
  }
  const int along = parts(2.0 * half, w->spacing), up = parts(0.5 * 3.14159265358979323846 * radius, w->spacing);
  for (int i = 1; i < along; ++i) follow_ring(w, radius, half * (2.0 * i / along - 1.0));
  for (int k = 0; k <= up; ++k) {
    const double angle = 0.5 * 3.14159265358979323846 * k / up;
    for (int side = -1; side <= 1; side += 2) {
      follow_ring(w, radius * cos(angle), side * (half + radius * sin(angle)));
    }
  }
}

// Its lines if it is thin; otherwise the chords with their surroundings, by rings in planes across them.
static void follow_tube(Way* w, const CpsTubeTree* tube, double radius) {
  const bool thin = radius <= w->spacing;
  const int around = thin ? 1 : parts(2.0 * 3.14159265358979323846 * radius, w->spacing);
  for (int32_t i = 0; i < tube->span_count; ++i) {
    const CpsTubeSpan* s = &tube->span[i];
    const int count = parts(2.0 * distance(s->start, s->end), w->spacing);
    for (int k = 0; k <= count; ++k) {
      const CpsVec3 x = cps_tube_point(s, (double)k / count);
      const CpsMat3 frame =
          cps_mat3_frame(cps_vec3_unit(cps_tube_slope(s, (double)k / count)), cps_vec3(1.0, 0.0, 0.0));
      for (int j = 0; j < around; ++j) {
        const double angle = 2.0 * 3.14159265358979323846 * j / around;
        CpsVec3 y = cps_vec3_axpy(x, thin ? 0.0 : radius * cos(angle), cps_vec3_get(frame.m + 3));
        y = cps_vec3_axpy(y, thin ? 0.0 : radius * sin(angle), cps_vec3_get(frame.m + 6));
        follow(w, y, thin ? radius : 0.0);
      }
    }
  }
}

int cps_points_entered(const CpsPointCloud* cloud, const CpsGeom* shape, const CpsPose* from, const CpsPose* to,
                       double depth, CpsPointsEntry out[CPS_POINTS_ENTRIES]) {
  const double reach = cloud->field.reach;
  Way w = {.field = &cloud->field, .from = *from, .to = *to, .depth = depth, .out = out, .spacing = SPACING * reach};
  w.room = cps_aabb_grow(cloud->tree.node[0].box, reach);
  const CpsAabb box = cps_aabb_union(cps_geom_bounds(shape, from), cps_geom_bounds(shape, to));
  if (!cps_aabb_overlap(&box, &w.room)) return 0;
  switch (shape->kind) {
    case CPS_SHAPE_SPHERE:
    case CPS_SHAPE_CAPSULE:
      follow_capsule(&w, shape->radius, shape->kind == CPS_SHAPE_CAPSULE ? shape->half_length : 0.0);
      break;
    case CPS_SHAPE_CYLINDER:
      follow_drum(&w, shape->radius, shape->half_length);
      break;
    case CPS_SHAPE_BOX:
    case CPS_SHAPE_HULL:
      follow_polytope(&w, shape->polytope);
      break;
    case CPS_SHAPE_MESH:
      follow_mesh(&w, shape->mesh);
      break;
    case CPS_SHAPE_TUBE:
      follow_tube(&w, shape->tube, shape->radius);
      break;
    case CPS_SHAPE_POINTS:
      for (int32_t i = 0; i < shape->points->field.count; ++i) follow(&w, shape->points->on[i], 0.0);
      break;
    default:
      break;
  }
  return w.count;
}
