// Tetrahedra and their surface. A face of only one tetrahedron belongs to the surface.
//
// With D = [b - a, c - a, d - a] of the load-free shape, the gradients of the weights of the corners b, c, d are the rows of D^-1,
// and that of a is minus their sum; the volume is det D / 6.
#include "model/solid_mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"

// Volumes below this fraction of the cube of the longest edge count as flat: gradients would lose half of their digits.
static const double FLAT = 1e-8;

const char* cps_solid_name(const CpsSolidDef* def, char text[CPS_SOLID_NAME_SIZE]) {
  if (def->name) {
    snprintf(text, CPS_SOLID_NAME_SIZE, "solid %.50s", def->name);
  } else {
    snprintf(text, CPS_SOLID_NAME_SIZE, "a solid");
  }
  return text;
}

static CpsStatus no_memory(CpsError* error) {
  return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a solid");
}

static CpsStatus check_corners(const CpsSolidDef* def, CpsArena* scratch, CpsError* error) {
  char name[CPS_SOLID_NAME_SIZE];
  bool* used = CPS_TAKE_ZERO(scratch, bool, def->vertex_count);
  if (!used) return no_memory(error);
  for (int32_t t = 0; t < def->tetrahedron_count; ++t) {
    const int32_t* n = def->tetrahedra + 4 * (int64_t)t;
    for (int i = 0; i < 4; ++i) {
      if (n[i] < 0 || n[i] >= def->vertex_count) {
        return cps_fail(error, CPS_BAD_DATA, "%s: tetrahedron %d has vertex %d, there are %d",
                        cps_solid_name(def, name), (int)t, (int)n[i], (int)def->vertex_count);
      }
      for (int j = 0; j < i; ++j) {
        if (n[i] != n[j]) continue;
        return cps_fail(error, CPS_BAD_DATA, "%s: tetrahedron %d has vertex %d twice", cps_solid_name(def, name),
                        (int)t, (int)n[i]);
      }
      used[n[i]] = true;
    }
  }
  for (int32_t v = 0; v < def->vertex_count; ++v) {
    if (used[v]) continue;
    CpsVec3 x = def->vertices[v];
    return cps_fail(error, CPS_BAD_DATA, "%s: vertex %d at (%g, %g, %g) belongs to no tetrahedron",
                    cps_solid_name(def, name), (int)v, x.x, x.y, x.z);
  }
  return CPS_OK;
}

// 6 times the volume; `longest`: of its edges.
static double six_volumes(const CpsVec3* x, const int32_t* n, double* longest) {
  CpsVec3 e[3];
  *longest = 0.0;
  for (int i = 0; i < 3; ++i) e[i] = cps_vec3_sub(x[n[i + 1]], x[n[0]]);
  for (int i = 0; i < 3; ++i) {
    *longest = fmax(*longest, cps_vec3_norm(e[i]));
    *longest = fmax(*longest, cps_vec3_norm(cps_vec3_sub(e[i], e[(i + 1) % 3])));
  }
  return cps_vec3_dot(e[0], cps_vec3_cross(e[1], e[2]));
}

static CpsStatus make_shapes(const CpsSolidDef* def, CpsSolidMesh* mesh, CpsError* error) {
  const CpsVec3* x = def->rest ? def->rest : def->vertices;
  for (int32_t t = 0; t < def->tetrahedron_count; ++t) {
    const int32_t* n = mesh->tetrahedron + 4 * (int64_t)t;
    double longest, six = six_volumes(x, n, &longest);
    if (!(six > FLAT * longest * longest * longest)) {
      char name[CPS_SOLID_NAME_SIZE];
      CpsVec3 a = x[n[0]];
      return cps_fail(error, CPS_BAD_DATA,
                      "%s: tetrahedron %d (%d %d %d %d) near (%g, %g, %g) is %s: its volume is %g m^3",
                      cps_solid_name(def, name), (int)t, (int)n[0], (int)n[1], (int)n[2], (int)n[3], a.x, a.y, a.z,
                      six < -FLAT * longest * longest * longest ? "inside out" : "flat", six / 6.0);
    }
    CpsVec3 e[3], *g = mesh->gradient + 4 * (int64_t)t;
    for (int i = 0; i < 3; ++i) e[i] = cps_vec3_sub(x[n[i + 1]], x[n[0]]);
    g[0] = cps_vec3(0.0, 0.0, 0.0);
    for (int i = 0; i < 3; ++i) {
      g[i + 1] = cps_vec3_scale(1.0 / six, cps_vec3_cross(e[(i + 1) % 3], e[(i + 2) % 3]));
      g[0] = cps_vec3_sub(g[0], g[i + 1]);
    }
    mesh->volume[t] = six / 6.0;
  }
  return CPS_OK;
}

typedef struct Face {
  int32_t sorted[3], tetrahedron, corner;  // corner opposite to the face
  bool turned;                             // once sorted, its corners run clockwise as seen from outside
} Face;

static int compare_faces(const void* first, const void* second) {
  const Face *a = first, *b = second;
  for (int i = 0; i < 3; ++i) {
    if (a->sorted[i] != b->sorted[i]) return a->sorted[i] < b->sorted[i] ? -1 : 1;
  }
  return a->tetrahedron < b->tetrahedron ? -1 : a->tetrahedron > b->tetrahedron;
}

// Sorts the nodes; returns whether this reverses the orientation.
static bool sort_three(int32_t n[3]) {
  bool turned = false;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2 - i; ++j) {
      if (n[j] > n[j + 1]) {
        int32_t x = n[j];
        n[j] = n[j + 1], n[j + 1] = x;
        turned = !turned;
      }
    }
  }
  return turned;
}

// The corners of the face opposite to each corner, counter-clockwise from outside.
static const int FACE[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

// Marks outside faces, as bits of each tetrahedron.
static CpsStatus find_outside(const CpsSolidDef* def, const Face* face, int64_t count, uint8_t* outside,
                              CpsError* error) {
  for (int64_t i = 0, next; i < count; i = next) {
    for (next = i + 1; next < count && memcmp(face[i].sorted, face[next].sorted, sizeof face->sorted) == 0;) ++next;
    if (next == i + 1) outside[face[i].tetrahedron] |= (uint8_t)(1 << face[i].corner);
    char name[CPS_SOLID_NAME_SIZE];
    // neighbours see their face from opposite sides, hence with opposite orientation
    if (next == i + 2 && face[i].turned == face[i + 1].turned) {
      return cps_fail(
          error, CPS_BAD_DATA,
          "%s: tetrahedra %d and %d overlap: both are on the same side of the face of vertices %d, %d and %d",
          cps_solid_name(def, name), (int)face[i].tetrahedron, (int)face[i + 1].tetrahedron, (int)face[i].sorted[0],
          (int)face[i].sorted[1], (int)face[i].sorted[2]);
    }
    if (next <= i + 2) continue;
    return cps_fail(error, CPS_BAD_DATA,
                    "%s: the face of vertices %d, %d and %d belongs to %d tetrahedra, %d is one of them",
                    cps_solid_name(def, name), (int)face[i].sorted[0], (int)face[i].sorted[1], (int)face[i].sorted[2],
                    (int)(next - i), (int)face[i + 2].tetrahedron);
  }
  return CPS_OK;
}

static CpsStatus find_surface(const CpsSolidDef* def, CpsArena* arena, CpsArena* scratch, CpsSolidMesh* mesh,
                              CpsError* error) {
  int64_t count = 4 * (int64_t)mesh->tetrahedron_count;
  Face* face = CPS_TAKE(scratch, Face, count);
  uint8_t* outside = CPS_TAKE_ZERO(scratch, uint8_t, mesh->tetrahedron_count);
  if (!face || !outside) return no_memory(error);
  for (int64_t i = 0; i < count; ++i) {
    face[i] = (Face){.tetrahedron = (int32_t)(i / 4), .corner = (int32_t)(i % 4)};
    for (int k = 0; k < 3; ++k) face[i].sorted[k] = mesh->tetrahedron[4 * (i / 4) + FACE[i % 4][k]];
    face[i].turned = sort_three(face[i].sorted);
  }
  qsort(face, (size_t)count, sizeof *face, compare_faces);
  CpsStatus status = find_outside(def, face, count, outside, error);
  if (status != CPS_OK) return status;
  for (int64_t i = 0; i < count; ++i) mesh->triangle_count += outside[i / 4] >> (i % 4) & 1;
  mesh->triangle = CPS_TAKE(arena, int32_t, 3 * (int64_t)mesh->triangle_count);
  if (!mesh->triangle) return no_memory(error);
  int32_t* out = mesh->triangle;
  for (int64_t i = 0; i < count; ++i) {
    for (int k = 0; (outside[i / 4] >> (i % 4) & 1) && k < 3; ++k) {
      *out++ = mesh->tetrahedron[4 * (i / 4) + FACE[i % 4][k]];
    }
  }
  return CPS_OK;
}

typedef struct Place {
  CpsVec3 x;
  int32_t vertex;
} Place;

static int compare_places(const void* first, const void* second) {
  const Place *a = first, *b = second;
  if (a->x.x != b->x.x) return a->x.x < b->x.x ? -1 : 1;
  if (a->x.y != b->x.y) return a->x.y < b->x.y ? -1 : 1;
  if (a->x.z != b->x.z) return a->x.z < b->x.z ? -1 : 1;
  return a->vertex < b->vertex ? -1 : a->vertex > b->vertex;
}

// Two coincident vertices are a crack hidden in the mesh: its sides touch before anything has moved.
static CpsStatus check_places(const CpsSolidDef* def, CpsArena* scratch, CpsError* error) {
  Place* place = CPS_TAKE(scratch, Place, def->vertex_count);
  if (!place) return no_memory(error);
  for (int32_t v = 0; v < def->vertex_count; ++v) {
    place[v] = (Place){def->rest ? def->rest[v] : def->vertices[v], v};
  }
  qsort(place, (size_t)def->vertex_count, sizeof *place, compare_places);
  for (int32_t v = 0; v + 1 < def->vertex_count; ++v) {
    const CpsVec3 x = place[v].x, y = place[v + 1].x;
    if (x.x != y.x || x.y != y.y || x.z != y.z) continue;
    char name[CPS_SOLID_NAME_SIZE];
    return cps_fail(error, CPS_BAD_DATA, "%s: vertices %d and %d are both at (%g, %g, %g); join them",
                    cps_solid_name(def, name), (int)place[v].vertex, (int)place[v + 1].vertex, x.x, x.y, x.z);
  }
  return CPS_OK;
}

CpsStatus cps_solid_mesh_build(const CpsSolidDef* def, CpsArena* arena, CpsSolidMesh* mesh, CpsError* error) {
  CpsArena scratch = {0};
  const int64_t count = def->tetrahedron_count;
  *mesh = (CpsSolidMesh){.vertex_count = def->vertex_count, .tetrahedron_count = def->tetrahedron_count};
  mesh->tetrahedron = CPS_TAKE(arena, int32_t, 4 * count);
  mesh->volume = CPS_TAKE(arena, double, count);
  mesh->gradient = CPS_TAKE(arena, CpsVec3, 4 * count);
  CpsStatus status = CPS_OK;
  if (!mesh->tetrahedron || !mesh->volume || !mesh->gradient) status = no_memory(error);
  if (status == CPS_OK) memcpy(mesh->tetrahedron, def->tetrahedra, 4 * (size_t)count * sizeof *mesh->tetrahedron);
  if (status == CPS_OK) status = check_corners(def, &scratch, error);
  if (status == CPS_OK) status = make_shapes(def, mesh, error);
  if (status == CPS_OK) status = find_surface(def, arena, &scratch, mesh, error);
  if (status == CPS_OK && def->contact) status = check_places(def, &scratch, error);
  cps_arena_free(&scratch);
  return status;
}
