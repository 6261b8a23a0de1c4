// Solids of a scene: boxes and balls by a few numbers, meshes from files, surfaces that are filled.
#include "io/scene/solid_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/mesh/internal.h"
#include "io/mesh/refine.h"
#include "io/mesh/surface.h"

enum { FILE_BYTES = 256 << 20, TETRAHEDRA_EACH = 8, FACTOR_ROUNDS = 60 };
static const double PI = 3.14159265358979323846;
static const double FINER = 4.0;  // factor by which triangles of the filled sphere are smaller than the tetrahedra

// Removes vertices that only skipped cells used.
static CpsStatus check_skipped(CpsReader* reader, const CpsMeshFile* mesh, const CpsSolidLayout* out) {
  if (mesh->skipped_cells == 0) return CPS_OK;
  bool* used = calloc((size_t)mesh->vertex_count, sizeof *used);
  if (!used) return cps_scene_no_memory(reader);
  int32_t unused = 0;
  for (int64_t i = 0; i < 4 * (int64_t)mesh->tetrahedron_count; ++i) used[mesh->tetrahedra[i]] = true;
  while (unused < mesh->vertex_count && used[unused]) ++unused;
  free(used);
  if (unused == mesh->vertex_count) return CPS_OK;
  const CpsVec3 x = mesh->vertices[unused];
  return cps_node_fail(
      reader->error, CPS_BAD_DATA, out->node,
      "%s: vertex %d at (%g, %g, %g) belongs to no tetrahedron; the file has %lld cells of other kinds, "
      "which are skipped",
      out->node->text, (int)unused, x.x, x.y, x.z, (long long)mesh->skipped_cells);
}

// Copies a mesh into the scene, with its surface.
static CpsStatus keep(CpsReader* reader, const CpsMeshFile* mesh, double scale, CpsSolidLayout* out) {
  if (mesh->tetrahedron_count == 0 && mesh->skipped_cells > 0) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, out->node,
                         "%s: has no tetrahedra of four corners, only cells of other kinds (%lld)", out->node->text,
                         (long long)mesh->skipped_cells);
  }
  if (mesh->tetrahedron_count == 0) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, out->node,
                         "%s: has no tetrahedra; `fill` or `capstan mesh` makes them from a closed surface",
                         out->node->text);
  }
  CpsStatus status = check_skipped(reader, mesh, out);
  if (status != CPS_OK) return status;
  status = cps_scene_spend(reader, out->node, (int64_t)mesh->vertex_count + mesh->tetrahedron_count, 60);
  if (status != CPS_OK) return status;
  int32_t* surface = cps_mesh_surface(mesh, &out->triangle_count);
  out->vertex_count = mesh->vertex_count;
  out->tetrahedron_count = mesh->tetrahedron_count;
  out->vertices = CPS_TAKE(&reader->scene->memory, CpsVec3, out->vertex_count);
  out->tetrahedra = CPS_TAKE(&reader->scene->memory, int32_t, 4 * (int64_t)out->tetrahedron_count);
  out->triangles = CPS_TAKE(&reader->scene->memory, int32_t, 3 * (int64_t)out->triangle_count);
  bool done = surface && out->vertices && out->tetrahedra && out->triangles;
  if (done) {
    for (int32_t i = 0; i < out->vertex_count; ++i) out->vertices[i] = cps_vec3_scale(scale, mesh->vertices[i]);
    memcpy(out->tetrahedra, mesh->tetrahedra, 4 * (size_t)out->tetrahedron_count * sizeof *out->tetrahedra);
    memcpy(out->triangles, surface, 3 * (size_t)out->triangle_count * sizeof *out->triangles);
  }
  free(surface);
  return done ? CPS_OK : cps_scene_no_memory(reader);
}

static CpsStatus read_file(CpsReader* reader, const CpsNode* file, CpsMeshFile* mesh) {
  const char* path = cps_scene_path(reader, file);
  if (!path) return cps_scene_no_memory(reader);
  CpsError why;
  CpsStatus status = cps_mesh_file_load(path, FILE_BYTES, TETRAHEDRA_EACH * CPS_SHEET_VERTICES, mesh, &why);
  if (status == CPS_NO_MEMORY) return cps_scene_no_memory(reader);
  return status == CPS_OK ? CPS_OK : cps_node_fail(reader->error, status, file, "%s", why.text);
}

// at: the file of the surface, or the ball.
static CpsStatus fill(CpsReader* reader, const CpsMeshFile* surface, double size, const CpsNode* at,
                      CpsMeshFile* mesh) {
  CpsError why;
  CpsStatus status = cps_mesh_fill(surface, size, mesh, NULL, &why);
  if (status == CPS_NO_MEMORY) return cps_scene_no_memory(reader);
  return status == CPS_OK ? CPS_OK
                          : cps_node_fail(reader->error, CPS_BAD_DATA, at, "%s%s%s", at->text ? at->text : "",
                                          at->text ? ": " : "", why.text);
}

// Cuts of a box along an axis, between 0 and 1: evenly spaced, or for `even` > 0 that many even ones up to the part
// `fine`, followed by spacings that grow by a constant factor.
static double cut_at(int32_t i, int32_t count, double fine, int32_t even) {
  if (even == 0) return (double)i / count;
  if (i <= even) return fine * i / even;
  const double h = fine / even, room = 1.0 - fine;
  double low = 1e-3, high = 1e3, at = fine, wide = h;
  for (int k = 0; k < FACTOR_ROUNDS; ++k) {
    const double q = sqrt(low * high),
                 sum = h * q * (fabs(q - 1.0) < 1e-9 ? count - even : (pow(q, count - even) - 1.0) / (q - 1.0));
    *(sum < room ? &low : &high) = q;
  }
  for (int32_t k = even; k < i; ++k) at += wide *= low;
  return i == count ? 1.0 : at;
}

// A cut in both halves along x or y.
static double half_cut(int32_t i, int32_t count, double fine, int32_t even) {
  if (even == 0) return (double)i / count - 0.5;
  const int32_t half = count / 2;
  return i < half ? -0.5 * cut_at(half - i, half, fine, even) : 0.5 * cut_at(i - half, half, fine, even);
}

static CpsStatus check_fine(CpsReader* reader, const CpsNode* box, CpsVec3 size, const int32_t n[3], double fine,
                            int32_t even) {
  if ((fine > 0.0) != (even > 0)) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, box, "fine and fine_cells must be given together");
  }
  if (even == 0) return CPS_OK;
  if (n[0] % 2 != 0 || n[1] % 2 != 0 || even >= n[0] / 2 || even >= n[1] / 2 || even >= n[2]) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, box,
                         "with fine_cells, the numbers of cells along x and y must be even; half of each, and the "
                         "number along z, must be larger");
  }
  if (fine < fmin(0.5 * fmin(size.x, size.y), size.z)) return CPS_OK;
  return cps_node_fail(reader->error, CPS_BAD_DATA, box,
                       "fine must be less than half the size along x and y, and less than the size along z");
}

// Five tetrahedra per cell, mirrored in neighbouring cells.
static CpsStatus make_box(CpsReader* reader, CpsSolidLayout* out) {
  static const int CUT[2][5][4] = {
      {{0, 1, 3, 5}, {0, 3, 2, 6}, {0, 5, 6, 4}, {3, 6, 5, 7}, {0, 3, 6, 5}},
      {{1, 0, 4, 2}, {1, 7, 2, 4}, {1, 3, 2, 7}, {1, 5, 7, 4}, {2, 6, 4, 7}},
  };
  CpsVec3 size = cps_map_vec3(out->node, "size", cps_vec3(0.0, 0.0, 0.0));
  CpsVec3 cells = cps_map_vec3(out->node, "cells", cps_vec3(0.0, 0.0, 0.0));
  const double count = (cells.x + 1.0) * (cells.y + 1.0) * (cells.z + 1.0);
  if (!(count <= CPS_SHEET_VERTICES)) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, out->node, "%.0f vertices; a solid has at most %d", count,
                         CPS_SHEET_VERTICES);
  }
  const int32_t n[3] = {(int32_t)cells.x, (int32_t)cells.y, (int32_t)cells.z};
  const double fine = cps_map_number(out->node, "fine", 0.0);
  const int32_t even = cps_map_count(out->node, "fine_cells", 0);
  CpsStatus status = check_fine(reader, out->node, size, n, fine, even);
  if (status != CPS_OK) return status;
  CpsMeshFile mesh = {.vertex_count = (int32_t)count, .tetrahedron_count = 5 * n[0] * n[1] * n[2]};
  mesh.vertices = malloc((size_t)mesh.vertex_count * sizeof *mesh.vertices);
  mesh.tetrahedra = calloc(4 * (size_t)mesh.tetrahedron_count, sizeof *mesh.tetrahedra);
  if (!mesh.vertices || !mesh.tetrahedra) {
    cps_mesh_file_free(&mesh);
    return cps_scene_no_memory(reader);
  }
  for (int32_t v = 0; v < mesh.vertex_count; ++v) {
    int32_t i = v % (n[0] + 1), j = v / (n[0] + 1) % (n[1] + 1), k = v / ((n[0] + 1) * (n[1] + 1));
    mesh.vertices[v] = cps_vec3(size.x * half_cut(i, n[0], 2.0 * fine / size.x, even),
                                size.y * half_cut(j, n[1], 2.0 * fine / size.y, even),
                                size.z * (0.5 - cut_at(n[2] - k, n[2], fine / size.z, even)));
  }
  int32_t* to = mesh.tetrahedra;
  for (int32_t c = 0; c < n[0] * n[1] * n[2]; ++c) {
    int32_t i = c % n[0], j = c / n[0] % n[1], k = c / (n[0] * n[1]);
    for (int q = 0; q < 20; ++q) {
      int corner = CUT[(i + j + k) % 2][q / 4][q % 4];
      int32_t a = i + (corner & 1), b = j + (corner >> 1 & 1), d = k + (corner >> 2);
      *to++ = (d * (n[1] + 1) + b) * (n[0] + 1) + a;
    }
  }
  for (to = mesh.tetrahedra; to < mesh.tetrahedra + 4 * (int64_t)mesh.tetrahedron_count; to += 4) {
    const CpsVec3* x = mesh.vertices;
    CpsVec3 e = cps_vec3_sub(x[to[1]], x[to[0]]), f = cps_vec3_sub(x[to[2]], x[to[0]]),
            g = cps_vec3_sub(x[to[3]], x[to[0]]);
    if (cps_vec3_dot(e, cps_vec3_cross(f, g)) > 0.0) continue;
    int32_t last = to[3];
    to[3] = to[2], to[2] = last;
  }
  status = keep(reader, &mesh, 1.0, out);
  cps_mesh_file_free(&mesh);
  return status;
}

// Appends a sphere of rings about z, counter-clockwise from outside or from inside, to a mesh that has room for it.
static void put_sphere(CpsMeshFile* m, double radius, int32_t rings, bool inwards) {
  const int32_t around = 2 * rings, first = m->vertex_count, top = first + (rings - 1) * around;
  for (int32_t i = 1; i < rings; ++i) {
    for (int32_t j = 0; j < around; ++j) {
      double a = PI * i / rings, b = 2.0 * PI * (j + 0.5 * i) / around;
      m->vertices[m->vertex_count++] = cps_vec3(radius * sin(a) * cos(b), radius * sin(a) * sin(b), radius * cos(a));
    }
  }
  m->vertices[m->vertex_count++] = cps_vec3(0.0, 0.0, radius);
  m->vertices[m->vertex_count++] = cps_vec3(0.0, 0.0, -radius);
  for (int32_t j = 0; j < around; ++j) {
    for (int32_t i = 0; i < rings; ++i) {
      // the quadrilateral between ring i and the next; at the ends, one side is a pole
      int32_t k = (j + 1) % around, low = first + (i - 1) * around, high = low + around;
      int32_t two[2][3] = {{low + j, high + j, low + k}, {low + k, high + j, high + k}};
      if (i == 0) two[1][0] = top, two[1][1] = high + j, two[1][2] = high + k;
      if (i == rings - 1) two[0][0] = low + j, two[0][1] = top + 1, two[0][2] = low + k;
      for (int t = 0; t < 2; ++t) {
        if ((i == 0 && t == 0) || (i == rings - 1 && t == 1)) continue;
        int32_t* to = m->triangles + 3 * (int64_t)m->triangle_count++;
        to[0] = two[t][0], to[1] = two[t][inwards ? 2 : 1], to[2] = two[t][inwards ? 1 : 2];
      }
    }
  }
}

// Vertices of the surface are exactly on the sphere.
static void round_off(CpsSolidLayout* out, double radius, double hollow) {
  for (int64_t i = 0; i < 3 * (int64_t)out->triangle_count; ++i) {
    CpsVec3* x = &out->vertices[out->triangles[i]];
    double r = cps_vec3_norm(*x), to = fabs(r - radius) < fabs(r - hollow) ? radius : hollow;
    *x = cps_vec3_scale(to / r, *x);
  }
}

static CpsStatus make_ball(CpsReader* reader, CpsSolidLayout* out) {
  const double radius = cps_map_number(out->node, "radius", 0.0), hollow = cps_map_number(out->node, "hollow", 0.0);
  const double size = cps_map_number(out->node, "size", 0.0), rings = ceil(fmax(8.0, FINER * PI * radius / size));
  if (!(size < radius)) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, out->node, "size must be less than the radius");
  }
  if (!(hollow < radius - size)) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, out->node, "hollow leaves no room for tetrahedra of that size");
  }
  if (!(rings <= 2000.0)) return cps_node_fail(reader->error, CPS_BAD_DATA, out->node, "size is too small");
  const size_t n = (size_t)rings, shells = hollow > 0.0 ? 2 : 1;
  CpsMeshFile surface = {.vertices = malloc(shells * (2 * n * n + 2) * sizeof(CpsVec3)),
                         .triangles = malloc(shells * 12 * n * n * sizeof(int32_t))};
  CpsStatus status = surface.vertices && surface.triangles ? CPS_OK : cps_scene_no_memory(reader);
  CpsMeshFile mesh = {0};
  if (status == CPS_OK) {
    put_sphere(&surface, radius, (int32_t)n, false);
    if (shells == 2) put_sphere(&surface, hollow, (int32_t)n, true);
    status = fill(reader, &surface, size, out->node, &mesh);
  }
  if (status == CPS_OK) status = keep(reader, &mesh, 1.0, out);
  if (status == CPS_OK) round_off(out, radius, hollow);
  cps_mesh_file_free(&surface);
  cps_mesh_file_free(&mesh);
  return status;
}

static CpsStatus fill_file(CpsReader* reader, double scale, CpsSolidLayout* out) {
  CpsMeshFile surface = {0}, mesh = {0};
  const CpsNode* file = cps_node_find(out->node, "file");
  CpsStatus status = read_file(reader, file, &surface);
  if (status == CPS_OK) status = fill(reader, &surface, cps_map_number(out->node, "size", 0.0) / scale, file, &mesh);
  if (status == CPS_OK) status = keep(reader, &mesh, scale, out);
  cps_mesh_file_free(&surface);
  cps_mesh_file_free(&mesh);
  return status;
}

static CpsStatus refine(CpsReader* reader, const CpsNode* times, CpsMeshFile* mesh) {
  CpsError why;
  if (!times) return CPS_OK;
  CpsStatus status = cps_mesh_refine(mesh, (int)times->number, TETRAHEDRA_EACH * CPS_SHEET_VERTICES, &why);
  if (status == CPS_NO_MEMORY) return cps_scene_no_memory(reader);
  return status == CPS_OK ? CPS_OK : cps_key_fail(reader->error, status, times, "%s", why.text);
}

CpsStatus cps_scene_solid_mesh(CpsReader* reader, const CpsNode* map, CpsSolidLayout* out) {
  static const char* const FORMS[] = {"box", "ball", "file", "fill"};
  const CpsNode *scale = cps_node_find(map, "scale"), *times = cps_node_find(map, "refine");
  int said = 0, form = 0;
  *out = (CpsSolidLayout){0};
  for (int i = 0; i < 4; ++i) {
    const CpsNode* node = cps_node_find(map, FORMS[i]);
    if (node) out->node = node, form = i, ++said;
  }
  if (said != 1) return cps_node_fail(reader->error, CPS_BAD_FORMAT, map, "choose one: box, ball, file or fill");
  if (scale && form < 2) return cps_key_fail(reader->error, CPS_BAD_FORMAT, scale, "only valid with file or fill");
  if (times && form != 2) return cps_key_fail(reader->error, CPS_BAD_FORMAT, times, "only valid with file");
  if (form == 0) return make_box(reader, out);
  if (form == 1) return make_ball(reader, out);
  if (form == 3) return fill_file(reader, scale ? scale->number : 1.0, out);
  CpsMeshFile mesh = {0};
  CpsStatus status = read_file(reader, out->node, &mesh);
  if (status == CPS_OK) status = refine(reader, times, &mesh);
  if (status == CPS_OK) status = keep(reader, &mesh, scale ? scale->number : 1.0, out);
  cps_mesh_file_free(&mesh);
  return status;
}
