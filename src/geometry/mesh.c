// Prepares triangle meshes: merges equal points, finds edges and their two triangles by hashing, builds a tree.
//
// An edge between triangles with normals n_1, n_2 sticks out (is a ridge) if  m_1.n_2 > 0,  m_1 the direction away from
// triangle 1 in its plane. Other edges are never nearest to a body in front of the surface: only triangles touch there,
// and a ball rolls over them smoothly. An edge with one triangle, with more than two, or with two of inconsistent
// orientation counts as a border.
#include "geometry/mesh.h"

#include <stdlib.h>
#include <string.h>

// Sines of the angle between neighbours above which an edge is a ridge or a valley, and above which a ridge is sharp.
static const double flat = 1e-12, blunt = 1e-5;
// Ratio of height to longest side below which a triangle has no direction.
static const double sliver = 1e-12;

// Open addressing over keys of two or three words.
typedef struct Table {
  int32_t* slot;  // entry + 1, or 0
  uint64_t mask;
} Table;

static bool make_table(Table* table, int64_t entries) {
  uint64_t capacity = 16;
  while (capacity < 2 * (uint64_t)entries) capacity *= 2;
  table->slot = calloc(capacity, sizeof *table->slot);
  table->mask = capacity - 1;
  return table->slot != NULL;
}

static uint64_t mix(uint64_t h, uint64_t word) {
  h = (h ^ word) * 0x9E3779B97F4A7C15u;
  return h ^ h >> 31;
}

static uint64_t bits(double x) {
  uint64_t word;
  const double positive_zero = x + 0.0;
  memcpy(&word, &positive_zero, sizeof word);
  return word;
}

// name[i]: the first vertex with the coordinates of point i.
static bool join_points(const CpsShape* shape, int32_t* name) {
  Table table;
  if (!make_table(&table, shape->point_count)) return false;
  for (int32_t i = 0; i < shape->point_count; i++) {
    const CpsVec3 p = shape->points[i];
    uint64_t k = mix(mix(mix(0, bits(p.x)), bits(p.y)), bits(p.z)) & table.mask;
    for (; table.slot[k] != 0; k = (k + 1) & table.mask) {
      const CpsVec3 q = shape->points[table.slot[k] - 1];
      if (p.x == q.x && p.y == q.y && p.z == q.z) break;
    }
    if (table.slot[k] == 0) table.slot[k] = i + 1;
    name[i] = table.slot[k] - 1;
  }
  free(table.slot);
  return true;
}

static void add_triangles(CpsMeshTree* mesh, const CpsShape* shape, const int32_t* name) {
  for (int32_t i = 0; i < shape->triangle_count; i++) {
    const int32_t* t = shape->triangles + 3 * (size_t)i;
    CpsMeshTriangle triangle = {.vertex = {name[t[0]], name[t[1]], name[t[2]]}};
    const CpsVec3 a = shape->points[t[0]], b = shape->points[t[1]], c = shape->points[t[2]];
    const CpsVec3 u = cps_vec3_sub(b, a), v = cps_vec3_sub(c, a), w = cps_vec3_sub(c, b);
    const CpsVec3 cross = cps_vec3_cross(u, v);
    const double longest = fmax(cps_vec3_dot(u, u), fmax(cps_vec3_dot(v, v), cps_vec3_dot(w, w)));
    if (!(cps_vec3_norm(cross) > sliver * longest)) continue;
    triangle.normal = cps_vec3_unit(cross);
    for (int k = 0; k < 3; k++) {
      CpsMeshVertex* vertex = &mesh->vertex[triangle.vertex[k]];
      if (vertex->owner < 0) vertex->owner = mesh->triangle_count;
      vertex->normal = cps_vec3_add(vertex->normal, triangle.normal);
    }
    mesh->triangle[mesh->triangle_count++] = triangle;
  }
}

// Joins side k of triangle t to a known or new edge.
static void add_side(CpsMeshTree* mesh, Table* table, bool* border, int32_t t, int k) {
  CpsMeshTriangle* triangle = &mesh->triangle[t];
  const int32_t from = triangle->vertex[k], to = triangle->vertex[(k + 1) % 3];
  const int32_t low = from < to ? from : to, high = from < to ? to : from;
  uint64_t place = mix(mix(0, (uint64_t)low), (uint64_t)high) & table->mask;
  for (; table->slot[place] != 0; place = (place + 1) & table->mask) {
    CpsMeshEdge* edge = &mesh->edge[table->slot[place] - 1];
    const bool same = edge->vertex[0] == from && edge->vertex[1] == to;
    if (!same && !(edge->vertex[0] == to && edge->vertex[1] == from)) continue;
    triangle->edge[k] = table->slot[place] - 1;
    if (same || edge->triangle[1] >= 0) {
      border[triangle->edge[k]] = true;
    } else {
      edge->triangle[1] = t;
    }
    return;
  }
  triangle->edge[k] = mesh->edge_count;
  mesh->edge[mesh->edge_count++] = (CpsMeshEdge){.vertex = {from, to}, .triangle = {t, -1}};
  table->slot[place] = mesh->edge_count;
}

static bool add_edges(CpsMeshTree* mesh) {
  Table table;
  bool* border = calloc(3 * (size_t)mesh->triangle_count + 1, sizeof *border);
  if (!make_table(&table, 3 * (int64_t)mesh->triangle_count) || border == NULL) {
    free(border);
    free(table.slot);
    return false;
  }
  for (int32_t t = 0; t < mesh->triangle_count; t++) {
    for (int k = 0; k < 3; k++) add_side(mesh, &table, border, t, k);
  }
  for (int32_t i = 0; i < mesh->edge_count; i++) {
    CpsMeshEdge* edge = &mesh->edge[i];
    const CpsVec3 e =
        cps_vec3_unit(cps_vec3_sub(mesh->vertex[edge->vertex[1]].point, mesh->vertex[edge->vertex[0]].point));
    const CpsVec3 n = mesh->triangle[edge->triangle[0]].normal;
    if (border[i]) edge->triangle[1] = -1;
    edge->out[0] = cps_vec3_cross(e, n);
    edge->ridge = edge->sharp = true;
    if (edge->triangle[1] < 0) {
      mesh->open = true;
      continue;
    }
    const CpsVec3 other = mesh->triangle[edge->triangle[1]].normal;
    edge->out[1] = cps_vec3_cross(other, e);
    // back to back the sine vanishes too
    const double sine = cps_vec3_dot(edge->out[0], other);
    const bool folded = cps_vec3_dot(n, other) < -0.99;
    edge->ridge = sine > flat || folded;
    edge->sharp = sine > blunt || folded;
    edge->valley = !edge->ridge && sine < -flat;
  }
  free(border);
  free(table.slot);
  return true;
}

// Lists the edges around each vertex.
static void add_rings(CpsMeshTree* mesh) {
  for (int32_t i = 0; i < mesh->edge_count; i++) {
    for (int k = 0; k < 2; k++) mesh->vertex[mesh->edge[i].vertex[k]].degree++;
  }
  for (int32_t v = 0, first = 0; v < mesh->vertex_count; v++) {
    mesh->vertex[v].edge_first = first;
    first += mesh->vertex[v].degree;
    mesh->vertex[v].degree = 0;
  }
  for (int32_t i = 0; i < mesh->edge_count; i++) {
    for (int k = 0; k < 2; k++) {
      CpsMeshVertex* vertex = &mesh->vertex[mesh->edge[i].vertex[k]];
      mesh->vertex_edge[vertex->edge_first + vertex->degree++] = i;
      vertex->ridge = vertex->ridge || mesh->edge[i].ridge;
      vertex->sharp = vertex->sharp || mesh->edge[i].sharp;
    }
  }
}

static bool build_tree(CpsMeshTree* mesh) {
  if (mesh->triangle_count == 0) return true;
  CpsAabb* boxes = calloc((size_t)mesh->triangle_count, sizeof *boxes);
  if (boxes == NULL) return false;
  for (int32_t t = 0; t < mesh->triangle_count; t++) {
    const CpsVec3 p = mesh->vertex[mesh->triangle[t].vertex[0]].point;
    boxes[t] = (CpsAabb){p, p};
    for (int k = 1; k < 3; k++) {
      const CpsVec3 q = mesh->vertex[mesh->triangle[t].vertex[k]].point;
      boxes[t] = cps_aabb_union(boxes[t], (CpsAabb){q, q});
    }
  }
  const bool built = cps_bvh_build(&mesh->tree, boxes, mesh->triangle_count);
  free(boxes);
  return built;
}

static bool fill(CpsMeshTree* mesh, const CpsShape* shape) {
  const size_t points = (size_t)shape->point_count, triangles = (size_t)shape->triangle_count;
  int32_t* name = calloc(points, sizeof *name);
  mesh->vertex = calloc(points, sizeof *mesh->vertex);
  mesh->triangle = calloc(triangles, sizeof *mesh->triangle);
  mesh->edge = calloc(3 * triangles, sizeof *mesh->edge);
  mesh->vertex_edge = calloc(6 * triangles, sizeof *mesh->vertex_edge);
  bool filled = name != NULL && mesh->vertex != NULL && mesh->triangle != NULL && mesh->edge != NULL &&
                mesh->vertex_edge != NULL && join_points(shape, name);
  if (filled) {
    mesh->vertex_count = shape->point_count;
    for (int32_t i = 0; i < shape->point_count; i++) {
      mesh->vertex[i] = (CpsMeshVertex){.point = shape->points[i], .owner = -1};
    }
    add_triangles(mesh, shape, name);
    filled = add_edges(mesh);
  }
  if (filled) {
    add_rings(mesh);
    filled = build_tree(mesh);
  }
  free(name);
  return filled;
}

// The surface with all triangles reversed.
static bool add_back(CpsMeshTree* mesh, const CpsShape* shape) {
  const size_t count = 3 * (size_t)shape->triangle_count;
  int32_t* turned = malloc(count * sizeof *turned);
  mesh->back = calloc(1, sizeof *mesh->back);
  bool filled = turned != NULL && mesh->back != NULL;
  if (filled) {
    CpsShape behind = *shape;
    for (size_t i = 0; i < count; i++) turned[i] = shape->triangles[i % 3 == 0 ? i : i % 3 == 1 ? i + 1 : i - 1];
    behind.triangles = turned;
    filled = fill(mesh->back, &behind);
  }
  free(turned);
  return filled;
}

CpsStatus cps_mesh_create(const CpsShape* shape, CpsMeshTree** out) {
  CpsMeshTree* mesh = calloc(1, sizeof *mesh);
  if (mesh == NULL) return CPS_NO_MEMORY;
  if (!fill(mesh, shape) || (mesh->open && !add_back(mesh, shape))) {
    cps_mesh_destroy(mesh);
    return CPS_NO_MEMORY;
  }
  *out = mesh;
  return CPS_OK;
}

void cps_mesh_destroy(CpsMeshTree* mesh) {
  if (mesh == NULL) return;
  free(mesh->vertex);
  free(mesh->triangle);
  free(mesh->edge);
  free(mesh->vertex_edge);
  cps_bvh_free(&mesh->tree);
  cps_mesh_destroy(mesh->back);
  free(mesh);
}
