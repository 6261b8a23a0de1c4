// Surfaces and shapes on their ways through a step.
//
// Seen from a shape everything else moves, and the shape stands still. The corners of a triangle go from where they are in its
// frame at the beginning to where they are in it at the end; these ways are taken as straight, so that each step begins with
// the places in which the one before has ended, and what is free of crossings on the way of all steps has none at all. Lines
// bend: the ends of their axes move along straight lines in the world, as the corners of triangles do.
//
// Vertices lie on a mesh at half their thickness, and the edges between them sag over what is round. That is nothing unusual
// down to SAG, and there they are held: by contacts with what is near or comes near in the free motion, or found once the step is
// made.
#include "contact/surface_query.h"
#include "geometry/mesh.h"
#include "geometry/points.h"
#include "geometry/support.h"
#include "geometry/tube.h"
#include "geometry/winding.h"

#include <math.h>
#include <stdlib.h>

static const double TOLERANCE = 1e-2;  // of times of impact, relative to the separation
static const double SAG = 0.1;    // distance kept from edges between vertices on a mesh, relative to half the thickness
static const double NEAR = 1.5;   // relative to SAG: a nearer triangle is expected to come down
static const double SAME = 1e-6;  // weights and normals closer than this are equal
enum { EXPECTED = -1 };           // round of expected impacts: each place once

typedef struct Look {
  const CpsSurfaceMesh* surface;
  const CpsCollider* collider;
  const CpsColliderEnd* end;
  double separation;  // m
  int round;
  CpsSurfaceTouch model;
  CpsSurfaceList list;
  bool failed;
} Look;

// Whether neither side can move: all corners are held and the other side is an obstacle.
static bool is_stiff(const Look* q, const CpsSurfaceTouch* t) {
  int32_t node[3];
  int count = cps_surface_nodes(q->surface, t, 0, node);
  if (q->collider->owner >= 0) return false;
  for (int i = 0; i < count; ++i) {
    if (t->at.weight_a[i] > 0.0 && !q->surface->held[node[i]]) return false;
  }
  return true;
}

static void put(Look* q, const CpsSurfaceTouch* t) {
  if (!is_stiff(q, t) && !cps_surface_put(&q->list, t)) q->failed = true;
}

// A guard stops only motion from outside; points inside are on their way out. `out`: the normal of the triangle, in
// the axes of the touch; p: the point of the other side at the beginning.
static bool comes_from_inside(const Look* q, CpsVec3 out, CpsVec3 normal, CpsVec3 p) {
  const CpsSurfaceMesh* s = q->surface;
  return s->guard && cps_vec3_dot(out, normal) > 0.0 && cps_winding(s->tree, s->start, p) > 0.5;
}

static CpsVec3 normal_of(const CpsVec3 x[3]) {
  return cps_vec3_cross(cps_vec3_sub(x[1], x[0]), cps_vec3_sub(x[2], x[0]));
}

// Records an impact between a feature of the surface, points [0, first), and one of the axis of a line, the remaining points.
static void put_line(Look* q, CpsSurfaceTouch* t, const CpsVec3 start[4], const CpsVec3 end[4], int first,
                     CpsVec3 out) {
  CpsVec3 apart = {0.0, 0.0, 0.0}, way = {0.0, 0.0, 0.0};
  for (int i = 0; i < 4; ++i) {
    double w = i < first ? t->at.weight_a[i] : -t->at.weight_b[i - first];
    apart = cps_vec3_axpy(apart, w, start[i]);
    way = cps_vec3_axpy(way, w, cps_vec3_sub(end[i], start[i]));
  }
  if (!(t->at.distance > 0.0) || cps_vec3_dot(t->at.normal, way) >= 0.0) return;
  CpsVec3 p = {0.0, 0.0, 0.0};
  for (int i = first; i < 4; ++i) p = cps_vec3_axpy(p, t->at.weight_b[i - first], start[i]);
  if (comes_from_inside(q, out, t->at.normal, p)) return;
  t->gap = cps_vec3_dot(t->at.normal, apart) - q->surface->half - t->radius;
  put(q, t);
}

static bool look_at_line(void* data, const CpsTreeTriangle* triangle) {
  Look* q = data;
  const CpsSurfaceMesh* s = q->surface;
  const CpsColliderEnd* e = q->end;
  const double m = q->separation + q->collider->geom->radius, tolerance = TOLERANCE * q->separation;
  CpsVec3 start[4], end[4];
  CpsImpact impact;
  for (int i = 0; i < 3; ++i) start[i] = s->start[triangle->vertex[i]], end[i] = s->end[triangle->vertex[i]];
  const CpsVec3 out = normal_of(start);
  for (int k = 0; k < 2; ++k) {
    if (k == 1 && (q->collider->joined & 2)) continue;  // the next piece begins there
    const CpsVec3 p[4] = {e->from[k], start[0], start[1], start[2]}, r[4] = {e->to[k], end[0], end[1], end[2]};
    if (!cps_ccd_vertex_triangle(p, r, m, tolerance, &impact)) continue;
    CpsSurfaceTouch t = q->model;
    t.pair = CPS_PAIR_TRIANGLE_BALL;
    t.feature[0] = triangle->index;
    t.feature[1] = k + 2 * (1 + q->round);
    t.along = k;
    t.at = cps_closest_turned(&impact.at);
    start[3] = e->from[k], end[3] = e->to[k];
    put_line(q, &t, start, end, 3, out);
  }
  for (int k = 0; k < 3; ++k) {
    if (!(triangle->owned >> (3 + k) & 1u)) continue;
    const int32_t* edge = s->tree->edge[triangle->edge[k]];
    const CpsVec3 p[4] = {s->start[edge[0]], s->start[edge[1]], e->from[0], e->from[1]};
    const CpsVec3 r[4] = {s->end[edge[0]], s->end[edge[1]], e->to[0], e->to[1]};
    if (!cps_ccd_edge_edge(p, r, m, tolerance, &impact)) continue;
    CpsSurfaceTouch t = q->model;
    t.pair = CPS_PAIR_EDGE_SEGMENT;
    t.feature[0] = triangle->edge[k];
    t.feature[1] = 1 + q->round;
    t.along = impact.at.weight_b[1];
    t.at = impact.at;
    put_line(q, &t, p, r, 2, out);
  }
  return !q->failed;
}

// A triangle in the frame of the shape.
typedef struct Seen {
  const CpsTreeTriangle* triangle;
  CpsVec3 start[3], end[3];
} Seen;

// Assigns a touch of an edge to the edge, from whichever triangle it was found. False if the touch belongs to a
// vertex, which is tested against the shape by itself.
static bool name_edge(const Look* q, const CpsTreeTriangle* triangle, CpsSurfaceTouch* t) {
  double* w = t->at.weight_a;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    if (w[j] == 0.0 && w[k] == 0.0) return false;
    if (w[k] != 0.0 || w[i] == 0.0 || w[j] == 0.0) continue;
    const bool turned = q->surface->tree->edge[triangle->edge[i]][0] != triangle->vertex[i];
    const double one = w[turned ? j : i], two = w[turned ? i : j];
    w[0] = one, w[1] = two, w[2] = 0.0;
    t->pair = CPS_PAIR_EDGE_SHAPE;
    t->feature[0] = triangle->edge[i];
    return true;
  }
  return true;
}

// `away`: the distance that is kept from the shape, m.
static void put_seen(Look* q, const Seen* x, const CpsSupportNearest* at, double radius, double away, int32_t part) {
  CpsVec3 from = {0.0, 0.0, 0.0}, way = {0.0, 0.0, 0.0};
  for (int i = 0; i < 3; ++i) {
    from = cps_vec3_axpy(from, at->weight[i], x->start[i]);
    way = cps_vec3_axpy(way, at->weight[i], cps_vec3_sub(x->end[i], x->start[i]));
  }
  if (q->round != EXPECTED && cps_vec3_dot(at->normal, way) >= 0.0) return;
  if (comes_from_inside(q, normal_of(x->start), at->normal, cps_pose_apply(q->collider->pose, at->point))) return;
  CpsSurfaceTouch t = q->model;
  t.pair = CPS_PAIR_TRIANGLE_SHAPE;
  t.feature[0] = x->triangle->index;
  t.feature[1] = 16 * part + (q->round & 15);
  t.radius = radius;
  t.at.distance = at->distance - radius;
  t.at.normal = cps_quat_rotate(q->collider->pose.rotation, at->normal);
  for (int i = 0; i < 3; ++i) t.at.weight_a[i] = at->weight[i];
  t.gap = cps_vec3_dot(at->normal, cps_vec3_sub(from, at->point)) - radius - away;
  if (q->round == EXPECTED && !name_edge(q, x->triangle, &t)) return;
  put(q, &t);
}

static void look_at_support(Look* q, const Seen* x, const CpsSupport* s, int32_t part) {
  CpsSupportImpact impact;
  if (!cps_ccd_support(x->start, x->end, s, q->separation, TOLERANCE * q->separation, &impact)) return;
  put_seen(q, x, &impact.at, s->radius, q->surface->half, part);
}

// Impacts on the plane z = 0 of the corners that the triangle owns.
static void look_at_plane(Look* q, const Seen* x) {
  for (int i = 0; i < 3; ++i) {
    if (!(x->triangle->owned >> i & 1u)) continue;
    const double from = x->start[i].z, to = x->end[i].z, m = fmin(q->separation, from * (1.0 - TOLERANCE));
    if (!(from > 0.0) || to > m) continue;
    CpsSupportNearest at = {.normal = {0.0, 0.0, 1.0}, .point = {x->start[i].x, x->start[i].y, 0.0}, .distance = m};
    at.weight[i] = 1.0;
    put_seen(q, x, &at, 0.0, q->surface->half, i);
  }
}

// The same for the surface of a point cloud. Only corners are tested, not the interior of the triangle.
static void look_at_points(Look* q, const Seen* x) {
  const CpsField* field = &q->collider->geom->points->field;
  for (int i = 0; i < 3; ++i) {
    CpsVec3 place, normal;
    if (!(x->triangle->owned >> i & 1u)) continue;
    if (!cps_field_enters(field, x->start[i], x->end[i], q->separation, &place, &normal)) continue;
    CpsSupportNearest at = {.normal = normal, .distance = q->separation};
    at.point = cps_vec3_axpy(place, -q->separation, normal);
    at.weight[i] = 1.0;
    put_seen(q, x, &at, 0.0, q->surface->half, i);
  }
}

static CpsAabb box_of(const Seen* x, double more) {
  CpsAabb box = {x->start[0], x->start[0]};
  for (int i = 0; i < 3; ++i) {
    box = cps_aabb_union(box, (CpsAabb){x->start[i], x->start[i]});
    box = cps_aabb_union(box, (CpsAabb){x->end[i], x->end[i]});
  }
  return cps_aabb_grow(box, more);
}

// Whether all corners of a triangle stay in front of, or all behind, a triangle of a mesh, which then needs no
// further test. A closed mesh is entered from its front only: points inside are on their way out.
static bool is_clear(const Look* q, const Seen* x, const CpsMeshTree* mesh, const CpsMeshTriangle* t) {
  const CpsVec3 p = mesh->vertex[t->vertex[0]].point;
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < 3; ++i) {
    const double a = cps_vec3_dot(t->normal, cps_vec3_sub(x->start[i], p));
    const double b = cps_vec3_dot(t->normal, cps_vec3_sub(x->end[i], p));
    low = fmin(low, fmin(a, b)), high = fmax(high, fmax(a, b));
  }
  return low > q->separation || high < (mesh->open ? -q->separation : 0.0);
}

// Time at which a triangle reaches the separation; the beginning if its impact is expected and it is near.
static bool meets(const Look* q, const Seen* x, const CpsSupport* s, CpsSupportImpact* impact) {
  double separation = q->separation;
  if (q->round == EXPECTED) {
    *impact = (CpsSupportImpact){0.0, cps_support_nearest(x->start, s)};
    if (impact->at.distance <= separation) return impact->at.distance > 0.0;
    separation /= NEAR;
  }
  return cps_ccd_support(x->start, x->end, s, separation, TOLERANCE * separation, impact);
}

static void look_at_mesh(Look* q, const Seen* x) {
  const CpsMeshTree* mesh = q->collider->geom->mesh;
  if (mesh->triangle_count == 0) return;
  const CpsAabb box = box_of(x, q->separation);
  CpsBvhWalk walk = cps_bvh_walk(&mesh->tree, &box);
  for (const CpsBvhNode* leaf; (leaf = cps_bvh_next(&walk)) != NULL;) {
    for (int32_t i = 0; i < leaf->count; ++i) {
      const int32_t index = mesh->tree.order[leaf->first + i];
      const CpsMeshTriangle* t = &mesh->triangle[index];
      if (is_clear(q, x, mesh, t)) continue;
      CpsVec3 corner[3];
      for (int k = 0; k < 3; ++k) corner[k] = mesh->vertex[t->vertex[k]].point;
      const CpsSupport s = {.point = corner, .count = 3};
      CpsSupportImpact impact;
      if (!meets(q, x, &s, &impact)) continue;
      if (!mesh->open && cps_vec3_dot(impact.at.normal, t->normal) < 0.0) continue;
      put_seen(q, x, &impact.at, 0.0, SAG * q->surface->half, index);
    }
  }
}

static void look_at_tube(Look* q, const Seen* x) {
  const CpsGeom* g = q->collider->geom;
  if (g->tube->span_count == 0) return;
  const CpsAabb box = box_of(x, q->separation + g->radius);
  CpsBvhWalk walk = cps_bvh_walk(&g->tube->tree, &box);
  for (const CpsBvhNode* leaf; (leaf = cps_bvh_next(&walk)) != NULL;) {
    for (int32_t i = 0; i < leaf->count; ++i) {
      const int32_t index = g->tube->tree.order[leaf->first + i];
      const CpsTubeSpan* span = &g->tube->span[index];
      for (int k = 0; k < cps_tube_chords(span); ++k) {
        const CpsVec3 chord[2] = {cps_tube_chord(span, k), cps_tube_chord(span, k + 1)};
        const CpsSupport s = {.point = chord, .count = 2, .radius = g->radius};
        look_at_support(q, x, &s, CPS_TUBE_CHORDS * index + k);
      }
    }
  }
}

static bool look_at_shape(void* data, const CpsTreeTriangle* triangle) {
  Look* q = data;
  const CpsGeom* g = q->collider->geom;
  Seen x = {.triangle = triangle};
  for (int i = 0; i < 3; ++i) {
    x.start[i] = cps_pose_apply_back(q->collider->pose, q->surface->start[triangle->vertex[i]]);
    x.end[i] = cps_pose_apply_back(q->end->pose, q->surface->end[triangle->vertex[i]]);
  }
  if (g->kind == CPS_SHAPE_PLANE) {
    look_at_plane(q, &x);
  } else if (g->kind == CPS_SHAPE_POINTS) {
    look_at_points(q, &x);
  } else if (g->kind == CPS_SHAPE_MESH) {
    look_at_mesh(q, &x);
  } else if (g->kind == CPS_SHAPE_TUBE) {
    look_at_tube(q, &x);
  } else {
    CpsVec3 room[2];
    const CpsSupport s = cps_support_of(g, room);
    look_at_support(q, &x, &s, 0);
  }
  return !q->failed;
}

// Bounding box of the shape during the step. In a frame that turns by phi, paths of points differ from those in the
// world by less than phi^2 / 2 times their distance.
static CpsAabb swept(const Look* q, double far) {
  const CpsCollider* c = q->collider;
  const CpsColliderEnd* e = q->end;
  if (e->line) {
    CpsAabb box = {e->from[0], e->from[0]};
    const CpsVec3 point[3] = {e->from[1], e->to[0], e->to[1]};
    for (int i = 0; i < 3; ++i) box = cps_aabb_union(box, (CpsAabb){point[i], point[i]});
    return cps_aabb_grow(box, c->geom->radius + q->separation);
  }
  const CpsQuat turn = cps_quat_multiply(e->pose.rotation, cps_quat_conjugate(c->pose.rotation));
  const double angle = 2.0 * asin(fmin(1.0, cps_vec3_norm(cps_vec3(turn.x, turn.y, turn.z))));
  const double bulge = angle > 0.0 ? 0.5 * angle * angle * (fmin(far, c->geom->outer_radius) + far) : 0.0;
  return cps_aabb_grow(cps_aabb_union(cps_geom_bounds(c->geom, &c->pose), cps_geom_bounds(c->geom, &e->pose)),
                       bulge + q->separation);
}

// The largest displacement of a vertex.
static double farthest(const CpsSurfaceMesh* s) {
  double far = 0.0;
  for (int32_t i = 0; i < s->tree->vertex_count; ++i) {
    far = fmax(far, cps_vec3_norm(cps_vec3_sub(s->end[i], s->start[i])));
  }
  return far;
}

// Edges do not sag over flat faces, which have no edges in between. Guards of smooth surfaces carry no load and are
// not kept at a distance.
static bool has_faces(const CpsGeom* g) {
  return g->kind == CPS_SHAPE_BOX || g->kind == CPS_SHAPE_HULL || g->kind == CPS_SHAPE_PLANE;
}

// The round of expected impacts tests meshes only.
static bool look_at_all(const CpsSurfaceScene* scene, double separation, double from_faces, int round, CpsArena* arena,
                        CpsSurfaceTouches* out) {
  Look q = {.round = round, .list = {.arena = arena}};
  for (int32_t i = 0; i < scene->count && !q.failed; ++i) {
    const CpsSurfaceMesh* s = &scene->surfaces[i];
    const double far = farthest(s);
    q.surface = s;
    for (int32_t k = 0; k < scene->collider_count && !q.failed; ++k) {
      const CpsCollider* c = &scene->colliders[k];
      if (c->node || (c->group > 0 && c->group == s->group)) continue;
      if (round == EXPECTED && (c->geom->kind != CPS_SHAPE_MESH || s->guard)) continue;
      q.collider = c;
      q.end = &scene->ends[k];
      q.separation = s->half * (!s->guard && has_faces(c->geom) ? from_faces : separation);
      q.model = (CpsSurfaceTouch){.a = i, .b = -1, .collider = k, .radius = c->geom->radius};
      const CpsAabb box = swept(&q, far + c->geom->outer_radius);
      cps_triangle_tree_near_box(q.surface->tree, &box, q.end->line ? look_at_line : look_at_shape, &q);
    }
  }
  *out = (CpsSurfaceTouches){q.list.count, q.list.touch};
  return !q.failed;
}

static int compare_places(const void* first, const void* second) {
  const CpsSurfaceTouch *a = first, *b = second;
  const int32_t one[] = {a->a, a->collider, a->pair, a->feature[0], a->feature[1]};
  const int32_t two[] = {b->a, b->collider, b->pair, b->feature[0], b->feature[1]};
  for (int i = 0; i < 5; ++i) {
    if (one[i] != two[i]) return one[i] < two[i] ? -1 : 1;
  }
  return 0;
}

// Whether two touches have the same feature, position and normal.
static bool is_same(const CpsSurfaceTouch* a, const CpsSurfaceTouch* b) {
  double apart = cps_vec3_norm(cps_vec3_sub(a->at.normal, b->at.normal));
  for (int i = 0; i < 3; ++i) apart = fmax(apart, fabs(a->at.weight_a[i] - b->at.weight_a[i]));
  return apart <= SAME;
}

// All triangles of a mesh that share an edge or a corner are touched there, and so are those of a surface: one touch is kept.
static void keep_one_each(CpsSurfaceTouches* touches) {
  CpsSurfaceTouch* t = touches->touch;
  int64_t kept = 0, first = 0;
  if (touches->count == 0) return;
  qsort(t, (size_t)touches->count, sizeof *t, compare_places);
  for (int64_t i = 0; i < touches->count; ++i) {
    const CpsSurfaceTouch* f = &t[first];
    const bool other = i == 0 || f->a != t[i].a || f->collider != t[i].collider || f->pair != t[i].pair ||
                       f->feature[0] != t[i].feature[0];
    if (other) first = kept;
    bool known = false;
    for (int64_t k = first; k < kept && !known; ++k) known = is_same(&t[k], &t[i]);
    if (!known) t[kept++] = t[i];
  }
  touches->count = kept;
}

bool cps_surface_meshes_expected(const CpsSurfaceScene* scene, CpsArena* arena, CpsSurfaceTouches* out) {
  if (!look_at_all(scene, NEAR * SAG, NEAR * SAG, EXPECTED, arena, out)) return false;
  keep_one_each(out);
  return true;
}

bool cps_surface_shapes_met(const CpsSurfaceScene* scene, double separation, double from_faces, int round,
                            CpsArena* arena, CpsSurfaceTouches* out) {
  return look_at_all(scene, separation, from_faces, round, arena, out);
}
