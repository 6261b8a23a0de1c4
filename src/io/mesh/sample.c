// Points on a surface, evenly spread, as a scanner would give them.
//
// Places are thrown on the triangles with a density that is the same everywhere; one that lies nearer than `spacing` to one that was
// taken before is dropped (Cook 1986, dart throwing). Normals are those of the vertices, area-weighted, between them. A file with the
// same surface gives the same points.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "core/random.h"
#include "core/vec3.h"
#include "io/mesh/internal.h"

enum { DARTS = 12, MOST = 4000000 };  // samples per square of side `spacing`; largest number of points

typedef struct Sampler {
  const CpsMeshFile* surface;
  CpsVec3* smooth;  // normals of the vertices
  double spacing;
  CpsVec3 *point, *normal;
  int32_t count, room;
  int32_t *first, *next;  // points of a cell, by its hash
  uint32_t mask;
} Sampler;

static uint32_t slot_of(const Sampler* s, const int64_t cell[3]) {
  uint64_t h = (uint64_t)cell[0] * 0x9E3779B97F4A7C15u ^ (uint64_t)cell[1] * 0xC2B2AE3D27D4EB4Fu ^
               (uint64_t)cell[2] * 0x165667B19E3779F9u;
  h ^= h >> 29;
  return (uint32_t)(h * 0xBF58476D1CE4E5B9u >> 33) & s->mask;
}

static bool is_free(const Sampler* s, CpsVec3 x, const int64_t at[3]) {
  for (int i = 0; i < 27; ++i) {
    const int64_t cell[3] = {at[0] + i % 3 - 1, at[1] + i / 3 % 3 - 1, at[2] + i / 9 - 1};
    for (int32_t k = s->first[slot_of(s, cell)]; k >= 0; k = s->next[k]) {
      if (cps_vec3_norm(cps_vec3_sub(s->point[k], x)) < s->spacing) return false;
    }
  }
  return true;
}

static void throw_at(Sampler* s, CpsVec3 x, CpsVec3 n) {
  const int64_t cell[3] = {(int64_t)floor(x.x / s->spacing), (int64_t)floor(x.y / s->spacing),
                           (int64_t)floor(x.z / s->spacing)};
  if (s->count == s->room || !is_free(s, x, cell)) return;
  const uint32_t slot = slot_of(s, cell);
  s->point[s->count] = x;
  s->normal[s->count] = n;
  s->next[s->count] = s->first[slot];
  s->first[slot] = s->count++;
}

static void corners(const CpsMeshFile* m, int64_t t, CpsVec3 x[3]) {
  for (int k = 0; k < 3; ++k) x[k] = m->vertices[m->triangles[3 * t + k]];
}

static CpsVec3 area_of(const CpsVec3 x[3]) {
  return cps_vec3_scale(0.5, cps_vec3_cross(cps_vec3_sub(x[1], x[0]), cps_vec3_sub(x[2], x[0])));
}

// In rounds over all triangles, so that all triangles are filled evenly.
static void throw_all(Sampler* s) {
  const CpsMeshFile* m = s->surface;
  const double square = s->spacing * s->spacing;
  CpsRandom random = cps_random_seed(1);
  for (int round = 0; round < DARTS; ++round) {
    for (int64_t t = 0; t < m->triangle_count; ++t) {
      CpsVec3 x[3];
      corners(m, t, x);
      const double expected = cps_vec3_norm(area_of(x)) / square;
      double count = floor(expected);
      if (cps_random_uniform(&random) < expected - count) count += 1.0;
      for (double i = 0.0; i < count; i += 1.0) {
        const double a = sqrt(cps_random_uniform(&random)), b = cps_random_uniform(&random);
        const double w[3] = {1.0 - a, a * (1.0 - b), a * b};
        CpsVec3 p = {0.0, 0.0, 0.0}, n = p;
        for (int k = 0; k < 3; ++k) {
          p = cps_vec3_axpy(p, w[k], x[k]);
          n = cps_vec3_axpy(n, w[k], s->smooth[m->triangles[3 * t + k]]);
        }
        if (cps_vec3_norm(n) > 0.0) throw_at(s, p, cps_vec3_unit(n));
      }
    }
  }
}

static bool prepare(Sampler* s) {
  const CpsMeshFile* m = s->surface;
  s->smooth = calloc((size_t)m->vertex_count + 1, sizeof *s->smooth);
  if (!s->smooth) return false;
  double area = 0.0;
  for (int64_t t = 0; t < m->triangle_count; ++t) {
    CpsVec3 x[3];
    corners(m, t, x);
    const CpsVec3 a = area_of(x);
    area += cps_vec3_norm(a);
    for (int k = 0; k < 3; ++k) {
      CpsVec3* n = &s->smooth[m->triangles[3 * t + k]];
      *n = cps_vec3_add(*n, a);
    }
  }
  for (int32_t i = 0; i < m->vertex_count; ++i) s->smooth[i] = cps_vec3_unit(s->smooth[i]);
  const double expected = area / (s->spacing * s->spacing);
  if (!(expected < MOST)) return true;  // refused by the caller: too many points
  s->room = (int32_t)(1.3 * expected) + 64;
  for (s->mask = 63; s->mask < 2u * (uint32_t)s->room; s->mask = 2 * s->mask + 1) continue;
  s->point = malloc((size_t)s->room * sizeof *s->point);
  s->normal = malloc((size_t)s->room * sizeof *s->normal);
  s->next = malloc((size_t)s->room * sizeof *s->next);
  s->first = malloc(((size_t)s->mask + 1) * sizeof *s->first);
  if (!s->point || !s->normal || !s->next || !s->first) return false;
  memset(s->first, 0xff, ((size_t)s->mask + 1) * sizeof *s->first);
  return true;
}

CpsStatus cps_mesh_sample(const CpsMeshFile* surface, double spacing, CpsMeshFile* points, CpsError* error) {
  if (!surface || !points || !(spacing > 0.0)) {
    return cps_io_fail(error, CPS_BAD_ARGUMENT, "mesh", NULL,
                       "surface or points is NULL, or the spacing is not above 0");
  }
  if (surface->triangle_count == 0) return cps_io_fail(error, CPS_BAD_DATA, "mesh", NULL, "there are no triangles");
  Sampler s = {.surface = surface, .spacing = spacing};
  CpsStatus status = prepare(&s) ? CPS_OK : cps_io_fail(error, CPS_NO_MEMORY, "mesh", NULL, "out of memory");
  if (status == CPS_OK && s.room == 0) {
    status = cps_io_fail(error, CPS_BAD_DATA, "mesh", NULL, "a spacing of %g gives more than %d points", spacing, MOST);
  }
  if (status == CPS_OK) throw_all(&s);
  free(s.smooth);
  free(s.next);
  free(s.first);
  if (status != CPS_OK) {
    free(s.point);
    free(s.normal);
    return status;
  }
  *points = (CpsMeshFile){.vertex_count = s.count, .vertices = s.point, .normal_count = s.count, .normals = s.normal};
  if (error) error->text[0] = '\0';
  return CPS_OK;
}
