// Convex hull of points: triangles grown around the farthest point (quickhull; Barber, Dobkin and Huhdanpaa 1996), then
// coplanar triangles joined into polygons.
//
// Points within `thin` = 1e-10 of the extent count as lying on a plane: such points outside are ignored, and triangles
// with corners this close to the plane of a larger one join its face. A corner shared by fewer than three faces lies
// inside a face or an edge and is dropped. All choices use the largest value, then the lowest index: the same points
// give the same hull. Cost O(points x corners).
//
// Refuses points that span less than 1e-9 of their extent in some direction, and hulls with more than CORNERS_MAX
// corners (edges are tested in pairs against those of other shapes).
#include "geometry/polytope.h"

#include "core/error.h"
#include "geometry/polytope_store.h"

#include <stdlib.h>
#include <string.h>

enum { CORNERS_MAX = 2000, POINTS_MAX = 10000000 };

typedef struct Triangle {
  int32_t vertex[3];     // counter-clockwise from outside
  int32_t neighbour[3];  // across the edge from vertex[k] to vertex[k + 1]
  CpsVec3 normal;
  double offset, area;
  int32_t face;  // of the polytope; while growing: -1 for a removed triangle
  bool seen;     // by the new point
} Triangle;

typedef struct Builder {
  const CpsVec3* point;
  int32_t count;
  double thin;
  Triangle* triangle;
  int32_t triangle_count, triangle_room;
  int32_t* above;  // of each point: a triangle it lies above, or -1
  double* height;  // above it
  int32_t* stack;
  int32_t (*horizon)[3];  // from, to, and the unseen triangle beyond
  int32_t horizon_count;
} Builder;

static double height_over(const Triangle* t, CpsVec3 x) {
  return cps_vec3_dot(t->normal, x) - t->offset;
}

static bool grow_room(Builder* b) {
  if (b->triangle_count < b->triangle_room) return true;
  int32_t room = 2 * b->triangle_room;
  void* triangle = realloc(b->triangle, (size_t)room * sizeof *b->triangle);
  if (triangle) b->triangle = triangle;
  void* stack = realloc(b->stack, (size_t)room * sizeof *b->stack);
  if (stack) b->stack = stack;
  void* horizon = realloc(b->horizon, 3 * (size_t)room * sizeof *b->horizon);
  if (horizon) b->horizon = horizon;
  if (!triangle || !stack || !horizon) return false;
  b->triangle_room = room;
  return true;
}

static int32_t add_triangle(Builder* b, int32_t i, int32_t j, int32_t k) {
  Triangle* t = &b->triangle[b->triangle_count];
  const CpsVec3 p = b->point[i], q = b->point[j], r = b->point[k];
  const CpsVec3 normal = cps_vec3_cross(cps_vec3_sub(q, p), cps_vec3_sub(r, p));
  *t = (Triangle){.vertex = {i, j, k}, .neighbour = {-1, -1, -1}, .normal = cps_vec3_unit(normal)};
  t->area = cps_vec3_norm(normal);
  t->offset = cps_vec3_dot(t->normal, cps_vec3_scale(1.0 / 3.0, cps_vec3_add(p, cps_vec3_add(q, r))));
  return b->triangle_count++;
}

// The point farthest from the point, line or plane of the points already chosen; returns its distance.
static double farthest_from(const Builder* b, const int32_t* chosen, int chosen_count, int32_t* farthest) {
  double best = -1.0;
  const CpsVec3 o = b->point[chosen[0]];
  CpsVec3 axis = {0.0, 0.0, 0.0};
  if (chosen_count == 2) axis = cps_vec3_unit(cps_vec3_sub(b->point[chosen[1]], o));
  if (chosen_count == 3)
    axis = cps_vec3_unit(cps_vec3_cross(cps_vec3_sub(b->point[chosen[1]], o), cps_vec3_sub(b->point[chosen[2]], o)));
  for (int32_t k = 0; k < b->count; ++k) {
    const CpsVec3 d = cps_vec3_sub(b->point[k], o);
    double distance = cps_vec3_norm(d);
    if (chosen_count == 2) distance = cps_vec3_norm(cps_vec3_cross(axis, d));
    if (chosen_count == 3) distance = fabs(cps_vec3_dot(axis, d));
    if (distance > best) {
      best = distance;
      *farthest = k;
    }
  }
  return best;
}

static void link_edge(Builder* b, int32_t t, int32_t from, int32_t to, int32_t other) {
  for (int k = 0; k < 3; ++k) {
    if (b->triangle[t].vertex[k] == from && b->triangle[t].vertex[(k + 1) % 3] == to)
      b->triangle[t].neighbour[k] = other;
  }
}

static void watch_points(Builder* b, int32_t first_triangle) {
  for (int32_t k = 0; k < b->count; ++k) {
    if (b->above[k] < 0 || b->triangle[b->above[k]].face >= 0) continue;
    b->above[k] = -1;
    b->height[k] = b->thin;
    for (int32_t t = first_triangle; t < b->triangle_count; ++t) {
      const double height = height_over(&b->triangle[t], b->point[k]);
      if (height > b->height[k]) {
        b->height[k] = height;
        b->above[k] = t;
      }
    }
  }
}

static CpsStatus first_tetrahedron(Builder* b, CpsError* error) {
  int32_t v[4] = {0, 0, 0, 0};
  const double extent = farthest_from(b, v, 1, &v[1]);
  if (!(extent > 0.0)) return cps_fail(error, CPS_BAD_DATA, "hull.points: all points are the same");
  b->thin = 1e-10 * extent;
  if (!(farthest_from(b, v, 2, &v[2]) > 10.0 * b->thin))
    return cps_fail(error, CPS_BAD_DATA, "hull.points: all points lie on a line");
  if (!(farthest_from(b, v, 3, &v[3]) > 10.0 * b->thin))
    return cps_fail(error, CPS_BAD_DATA, "hull.points: all points lie in a plane");
  const CpsVec3 o = b->point[v[0]];
  const double det = cps_vec3_dot(cps_vec3_sub(b->point[v[3]], o),
                                  cps_vec3_cross(cps_vec3_sub(b->point[v[1]], o), cps_vec3_sub(b->point[v[2]], o)));
  if (det > 0.0) {  // the fourth point must be below the first three
    int32_t swap = v[1];
    v[1] = v[2];
    v[2] = swap;
  }
  static const int corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
  for (int t = 0; t < 4; ++t) add_triangle(b, v[corner[t][0]], v[corner[t][1]], v[corner[t][2]]);
  for (int t = 0; t < 4; ++t) {
    for (int k = 0; k < 3; ++k) {
      const int32_t from = b->triangle[t].vertex[k], to = b->triangle[t].vertex[(k + 1) % 3];
      for (int other = 0; other < 4; ++other) link_edge(b, other, to, from, t);
    }
  }
  // treat every point as if its triangle had been removed
  b->triangle[4].face = -1;
  for (int32_t k = 0; k < b->count; ++k) b->above[k] = 4;
  watch_points(b, 0);
  return CPS_OK;
}

// Marks the triangles visible from `apex`, starting at the one it is above, and collects the edges around them.
static void look_around(Builder* b, int32_t apex, int32_t start) {
  int32_t depth = 0;
  b->horizon_count = 0;
  b->stack[depth++] = start;
  b->triangle[start].seen = true;
  for (int32_t next = 0; next < depth; ++next) {
    const Triangle* t = &b->triangle[b->stack[next]];
    for (int k = 0; k < 3; ++k) {
      Triangle* other = &b->triangle[t->neighbour[k]];
      if (!other->seen && height_over(other, b->point[apex]) > 1e-3 * b->thin) {
        other->seen = true;
        b->stack[depth++] = t->neighbour[k];
      }
    }
  }
  for (int32_t s = 0; s < depth; ++s) {
    Triangle* t = &b->triangle[b->stack[s]];
    t->face = -1;
    for (int k = 0; k < 3; ++k) {
      if (b->triangle[t->neighbour[k]].seen) continue;
      b->horizon[b->horizon_count][0] = t->vertex[k];
      b->horizon[b->horizon_count][1] = t->vertex[(k + 1) % 3];
      b->horizon[b->horizon_count++][2] = t->neighbour[k];
    }
  }
}

// Joins the point to the horizon. CPS_BAD_DATA if the horizon is not one loop: then the points are too nearly coplanar.
static CpsStatus join_apex(Builder* b, int32_t apex) {
  const int32_t first = b->triangle_count;
  int32_t at = 0;
  for (int32_t step = 0; step < b->horizon_count; ++step) {
    const int32_t from = b->horizon[at][0], to = b->horizon[at][1], beyond = b->horizon[at][2];
    if (!grow_room(b)) return CPS_NO_MEMORY;
    const int32_t t = add_triangle(b, from, to, apex);
    b->triangle[t].neighbour[0] = beyond;
    link_edge(b, beyond, to, from, t);
    int32_t next = -1, matches = 0;
    for (int32_t k = 0; k < b->horizon_count; ++k) {
      if (b->horizon[k][0] == to) {
        next = k;
        matches++;
      }
    }
    if (matches != 1 || (next == 0) != (step == b->horizon_count - 1)) return CPS_BAD_DATA;
    at = next;
  }
  const int32_t count = b->horizon_count;
  for (int32_t k = 0; k < count; ++k) {
    b->triangle[first + k].neighbour[1] = first + (k + 1) % count;
    b->triangle[first + k].neighbour[2] = first + (k + count - 1) % count;
  }
  watch_points(b, first);
  return CPS_OK;
}

static CpsStatus refuse(CpsError* error, CpsStatus status) {
  if (status == CPS_NO_MEMORY) return cps_fail(error, status, "not enough memory for the hull");
  return cps_fail(error, status, "hull.points: too nearly flat or too close together for a hull");
}

static CpsStatus grow(Builder* b, CpsError* error) {
  for (int32_t corners = 4;; ++corners) {
    int32_t apex = -1;
    for (int32_t k = 0; k < b->count; ++k) {
      if (b->above[k] >= 0 && (apex < 0 || b->height[k] > b->height[apex])) apex = k;
    }
    if (apex < 0) return CPS_OK;
    if (corners > CORNERS_MAX)
      return cps_fail(error, CPS_BAD_DATA, "hull.points: the hull has more than %d corners", CORNERS_MAX);
    look_around(b, apex, b->above[apex]);
    const CpsStatus status = join_apex(b, apex);
    if (status != CPS_OK) return refuse(error, status);
  }
}

// Numbers the face of every triangle, largest triangles first; returns the number of faces.
static int32_t join_faces(Builder* b) {
  int32_t faces = 0;
  for (int32_t t = 0; t < b->triangle_count; ++t) b->triangle[t].seen = b->triangle[t].face < 0;
  for (;;) {
    int32_t seed = -1;
    for (int32_t t = 0; t < b->triangle_count; ++t) {
      if (!b->triangle[t].seen && (seed < 0 || b->triangle[t].area > b->triangle[seed].area)) seed = t;
    }
    if (seed < 0) return faces;
    int32_t depth = 0;
    b->stack[depth++] = seed;
    b->triangle[seed].seen = true;
    for (int32_t next = 0; next < depth; ++next) {
      Triangle* t = &b->triangle[b->stack[next]];
      t->face = faces;
      for (int k = 0; k < 3; ++k) {
        Triangle* other = &b->triangle[t->neighbour[k]];
        bool flat = !other->seen;
        for (int c = 0; flat && c < 3; ++c)
          flat = fabs(height_over(&b->triangle[seed], b->point[other->vertex[c]])) <= 3.0 * b->thin;
        if (!flat) continue;
        other->seen = true;
        b->stack[depth++] = t->neighbour[k];
      }
    }
    faces++;
  }
}

// Writes the corners of a face in order, only those shared by three or more faces; returns their number, 0 if the
// outline is not one loop. `corner_of` holds the number of each point among the corners, or -1.
static int32_t outline(const Builder* b, int32_t face, const int32_t* corner_of, int32_t* out) {
  int32_t start_triangle = -1, start_side = 0, sides = 0;
  for (int32_t t = 0; t < b->triangle_count; ++t) {
    for (int k = 0; k < 3 && b->triangle[t].face == face; ++k) {
      if (b->triangle[b->triangle[t].neighbour[k]].face == face) continue;
      sides++;
      if (start_triangle < 0) {
        start_triangle = t;
        start_side = k;
      }
    }
  }
  int32_t t = start_triangle, count = 0;
  int k = start_side;
  for (int32_t step = 0; step < sides; ++step) {
    if (corner_of[b->triangle[t].vertex[k]] >= 0) out[count++] = corner_of[b->triangle[t].vertex[k]];
    // rotate around the end of the side to the next side of the outline
    const int32_t pivot = b->triangle[t].vertex[(k + 1) % 3];
    k = (k + 1) % 3;
    while (b->triangle[b->triangle[t].neighbour[k]].face == face) {
      t = b->triangle[t].neighbour[k];
      for (k = 0; b->triangle[t].vertex[k] != pivot;) ++k;
    }
    if ((t == start_triangle && k == start_side) != (step == sides - 1)) return 0;
  }
  return count;
}

// Numbers the points shared by three or more faces; `first` and `second` store two faces of each point.
static int32_t number_corners(const Builder* b, int32_t* corner_of, int32_t* first, int32_t* second) {
  for (int32_t k = 0; k < b->count; ++k) corner_of[k] = first[k] = second[k] = -1;
  for (int32_t t = 0; t < b->triangle_count; ++t) {
    const int32_t face = b->triangle[t].face;
    for (int k = 0; k < 3 && face >= 0; ++k) {
      const int32_t v = b->triangle[t].vertex[k];
      if (first[v] < 0 || first[v] == face)
        first[v] = face;
      else if (second[v] < 0 || second[v] == face)
        second[v] = face;
      else
        corner_of[v] = 0;
    }
  }
  int32_t corners = 0;
  for (int32_t k = 0; k < b->count; ++k) {
    if (corner_of[k] == 0) corner_of[k] = corners++;
  }
  return corners;
}

// Normal by Newell's sum; the offset makes the plane a supporting plane of the face.
static void set_plane(CpsPolytope* p, int32_t f) {
  const int32_t* corner = p->face_vertex + p->face_start[f];
  const int32_t count = p->face_start[f + 1] - p->face_start[f];
  const CpsVec3 o = p->vertex[corner[0]];
  CpsVec3 sum = {0.0, 0.0, 0.0};
  for (int32_t k = 1; k + 1 < count; ++k)
    sum = cps_vec3_add(
        sum, cps_vec3_cross(cps_vec3_sub(p->vertex[corner[k]], o), cps_vec3_sub(p->vertex[corner[k + 1]], o)));
  p->normal[f] = cps_vec3_unit(sum);
  p->offset[f] = cps_vec3_dot(p->normal[f], o);
  for (int32_t k = 1; k < count; ++k)
    p->offset[f] = fmax(p->offset[f], cps_vec3_dot(p->normal[f], p->vertex[corner[k]]));
}

static CpsStatus write_polytope(Builder* b, CpsPolytope** out, CpsError* error) {
  const int32_t faces = join_faces(b);
  int32_t* numbers = malloc(3 * (size_t)b->count * sizeof *numbers);
  int32_t* loop = malloc(3 * (size_t)b->triangle_count * sizeof *loop);
  CpsPolytope* p = NULL;
  CpsStatus status = CPS_NO_MEMORY;
  if (!numbers || !loop) goto done;
  const int32_t corners = number_corners(b, numbers, numbers + b->count, numbers + 2 * (size_t)b->count);
  const int32_t edges = corners + faces - 2;  // Euler
  p = cps_polytope_allocate(corners, faces, 2 * edges, edges);
  if (!p) goto done;
  status = CPS_BAD_DATA;
  for (int32_t k = 0; k < b->count; ++k) {
    if (numbers[k] >= 0) p->vertex[numbers[k]] = b->point[k];
  }
  p->face_start[0] = 0;
  for (int32_t f = 0; f < faces; ++f) {
    const int32_t count = outline(b, f, numbers, loop);
    if (count < 3 || count > 2 * edges - p->face_start[f]) goto done;
    memcpy(p->face_vertex + p->face_start[f], loop, (size_t)count * sizeof *loop);
    p->face_start[f + 1] = p->face_start[f] + count;
    set_plane(p, f);
  }
  if (p->face_start[faces] != 2 * edges || !cps_polytope_find_edges(p)) goto done;
  *out = p;
  p = NULL;
  status = cps_succeed(error);
done:
  free(numbers);
  free(loop);
  cps_polytope_destroy(p);
  return status == CPS_OK ? CPS_OK : refuse(error, status);
}

CpsStatus cps_polytope_hull(const CpsVec3* points, int32_t count, CpsPolytope** out, CpsError* error) {
  if (!points || count < 4)
    return cps_fail(error, CPS_BAD_DATA, "hull.points: %d points, at least 4 are needed", points ? count : 0);
  if (count > POINTS_MAX)
    return cps_fail(error, CPS_BAD_DATA, "hull.points: %d points are more than %d", count, POINTS_MAX);
  for (int32_t k = 0; k < count; ++k) {
    // larger products would overflow the volume
    if (!(fabs(points[k].x) <= 1e60 && fabs(points[k].y) <= 1e60 && fabs(points[k].z) <= 1e60))
      return cps_fail(error, CPS_BAD_DATA, "hull.points[%d]: not a finite number, or too large", k);
  }
  Builder b = {.point = points, .count = count, .triangle_room = 64};
  b.triangle = malloc((size_t)b.triangle_room * sizeof *b.triangle);
  b.stack = malloc((size_t)b.triangle_room * sizeof *b.stack);
  b.horizon = malloc(3 * (size_t)b.triangle_room * sizeof *b.horizon);
  b.above = malloc((size_t)count * sizeof *b.above);
  b.height = malloc((size_t)count * sizeof *b.height);
  CpsStatus status;
  if (!b.triangle || !b.stack || !b.horizon || !b.above || !b.height)
    status = refuse(error, CPS_NO_MEMORY);
  else
    status = first_tetrahedron(&b, error);
  if (status == CPS_OK) status = grow(&b, error);
  if (status == CPS_OK) status = write_polytope(&b, out, error);
  free(b.triangle);
  free(b.stack);
  free(b.horizon);
  free(b.above);
  free(b.height);
  return status;
}
