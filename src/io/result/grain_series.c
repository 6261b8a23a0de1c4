// Series of grains: how far they ran, how much of them flowed out, how dense they are, and their forces on obstacles and bodies.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "capstan/array.h"
#include "core/vec3.h"
#include "io/result/reader.h"
#include "io/result/writer.h"
#include "io/scene/internal.h"

enum { FORCE_ROOM = 1 << 20 };  // bytes of forces kept in memory

static int32_t pushed(const CpsResultWriter* writer) {
  return writer->obstacles + writer->bodies;
}

static CpsVec3 lower(CpsVec3 a, CpsVec3 b) {
  return (CpsVec3){fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)};
}

static CpsVec3 upper(CpsVec3 a, CpsVec3 b) {
  return (CpsVec3){fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)};
}

bool cps_result_plan_grains(CpsResultWriter* writer, const CpsScene* scene) {
  CpsGrainSeries* s = &writer->grains;
  writer->series_room = CPS_SERIES_ROOM;
  if (scene->flow_node || scene->grains_count == 0) return true;
  const int64_t row = (int64_t)sizeof(CpsVec3) * (pushed(writer) + 1);
  const int64_t rows = FORCE_ROOM / row;
  if (rows < writer->series_room) writer->series_room = rows > 1 ? (int32_t)rows : 1;
  s->entries = scene->grains_count;
  s->first = calloc((size_t)s->entries + 1, sizeof *s->first);
  s->mass = calloc((size_t)s->entries, sizeof *s->mass);
  s->force = malloc((size_t)(writer->series_room * row));
  if (!s->first || !s->mass || !s->force) return false;
  s->there = true;
  for (int32_t i = 0; i < s->entries; ++i) {
    const CpsGrainsDef* def = &scene->grains[i].def;
    const int64_t count = cps_grains_particle_count(&scene->grid, def);
    const double mouth = def->rate > 0.0 ? def->radius : 0.0;
    const CpsVec3 round = {mouth, mouth, 0.0};
    const CpsVec3 a = mouth > 0.0 ? cps_vec3_sub(def->centre, round) : def->lower;
    const CpsVec3 b = mouth > 0.0 ? cps_vec3_add(def->centre, round) : def->upper;
    s->first[i + 1] = s->first[i] + count;
    s->mass[i] = cps_grains_particle_mass(&scene->grid, def);
    s->lower = i == 0 ? a : lower(s->lower, a);
    s->upper = i == 0 ? b : upper(s->upper, b);
  }
  if (scene->grid.plane) s->lower.y = s->upper.y = 0.0;
  return true;
}

void cps_result_forget_grains(CpsResultWriter* writer) {
  free(writer->grains.first);
  free(writer->grains.mass);
  free(writer->grains.force);
}

static double outside(double x, double low, double high) {
  return fmax(0.0, fmax(low - x, x - high));
}

// The element of rank `rank` (Hoare 1961).
static double select_rank(double* values, int64_t count, int64_t rank) {
  int64_t first = 0, last = count - 1;
  while (first < last) {
    const double pivot = values[first + (last - first) / 2];
    int64_t i = first, j = last;
    while (i <= j) {
      while (values[i] < pivot) ++i;
      while (values[j] > pivot) --j;
      if (i > j) break;
      const double swap = values[i];
      values[i++] = values[j];
      values[j--] = swap;
    }
    if (rank <= j) {
      last = j;
    } else if (rank >= i) {
      first = i;
    } else {
      break;
    }
  }
  return values[rank];
}

static bool read_particles(const CpsWorld* world, CpsQuantity quantity, double* values) {
  const size_t width = (size_t)cps_quantity_width(quantity);
  return cps_world_array(world, cps_thing_grains(world), quantity, values, width * sizeof *values) == CPS_OK;
}

// Distances of particles from their initial box, and the mass of particles below it.
static double measure_places(const CpsResultWriter* writer, const double* x, const double* fraction, double* distance,
                             int64_t* there) {
  const CpsGrainSeries* s = &writer->grains;
  double out = 0.0;
  *there = 0;
  for (int32_t e = 0; e < s->entries; ++e) {
    for (int64_t p = s->first[e]; p < s->first[e + 1]; ++p) {
      if (!(fraction[p] > 0.0)) continue;  // still in a spout
      distance[(*there)++] =
          hypot(outside(x[3 * p], s->lower.x, s->upper.x), outside(x[3 * p + 1], s->lower.y, s->upper.y));
      if (x[3 * p + 2] < s->lower.z) out += s->mass[e];
    }
  }
  return out;
}

static bool add_scalars(CpsResultWriter* writer, const CpsWorld* world) {
  const int64_t count = writer->particles;
  double row[CPS_GRAIN_SERIES_COUNT] = {0};
  double* x = cps_result_reserve(writer, 5 * (size_t)count * sizeof *x);
  if (!x || cps_world_array_count(world, cps_thing_grains(world), CPS_QUANTITY_POSITION) != count) return false;
  double *distance = x + 3 * count, *fraction = distance + count;
  int64_t there = 0;
  if (!read_particles(world, CPS_QUANTITY_POSITION, x)) return false;
  if (!read_particles(world, CPS_QUANTITY_FRACTION, fraction)) return false;
  row[2] = measure_places(writer, x, fraction, distance, &there);
  if (there > 0) row[1] = select_rank(distance, there, there - 1 - there / 100);
  for (int64_t p = 0; p < there; ++p) row[0] = fmax(row[0], distance[p]);
  for (int64_t p = 0; p < count; ++p) {
    if (there > 0) row[3] += fraction[p] / (double)there;
    row[4] = fmax(row[4], fraction[p]);
  }
  row[5] = cps_world_grains_info(world).fastest;
  for (int i = 0; i < CPS_GRAIN_SERIES_COUNT; ++i) {
    writer->series[CPS_SERIES_COUNT + i][writer->series_count] = row[i];
  }
  return true;
}

bool cps_result_add_grains(CpsResultWriter* writer, const CpsWorld* world) {
  if (!writer->grains.there) return true;
  CpsVec3* force = writer->grains.force + (int64_t)writer->series_count * pushed(writer);
  if (cps_world_grains_forces(world, force, writer->obstacles, force + writer->obstacles, writer->bodies) != CPS_OK) {
    return false;
  }
  return add_scalars(writer, world);
}

// Rows of both are contiguous in memory: each dataset gets its own part.
bool cps_result_flush_forces(CpsResultWriter* writer) {
  if (!writer->grains.there || writer->series_count == 0) return true;
  const int32_t width[2] = {writer->obstacles, writer->bodies};
  for (int k = 0; k < 2; ++k) {
    CpsVec3* rows = cps_result_reserve(writer, ((size_t)writer->series_count * (size_t)width[k] + 1) * sizeof *rows);
    if (!rows) return false;
    for (int32_t i = 0; i < writer->series_count; ++i) {
      const CpsVec3* from = writer->grains.force + (int64_t)i * pushed(writer) + (k == 0 ? 0 : width[0]);
      memcpy(rows + (int64_t)i * width[k], from, (size_t)width[k] * sizeof *rows);
    }
    if (!cps_result_append(writer, CPS_STEP_OBSTACLE_FORCE + k, rows, writer->series_count)) return false;
  }
  return true;
}

CpsStatus cps_result_no_grains(const CpsResult* result, CpsError* error) {
  return cps_io_fail(error, CPS_BAD_ARGUMENT, result->path, NULL,
                     "contains no grains, or was written before results had their series");
}

// The number of the obstacle (which = 0) or body (1) with a name; -1 if there is none.
static CpsStatus find_name(const CpsResult* result, const char* name, int* which, int64_t* number) {
  static const char* const NAMES[2] = {"/obstacles/name", "/bodies/name"};
  CpsArena memory = {0};
  CpsStatus status = CPS_OK;
  *number = -1;
  for (int k = 0; k < 2 && status == CPS_OK && *number < 0; ++k) {
    const char* const* names = NULL;
    int64_t count = 0;
    status = cps_result_names(result, NAMES[k], &memory, &names, &count);
    const int64_t there = k == 0 ? result->info.obstacles : result->info.bodies;
    for (int64_t i = 0; status == CPS_OK && i < count && i < there && *number < 0; ++i) {
      if (strcmp(names[i], name) == 0) *number = i, *which = k;
    }
  }
  cps_arena_free(&memory);
  return status;
}

// Rows are read in blocks: there may be many bodies.
static CpsStatus read_force(const CpsResult* result, int which, int64_t number, int axis, double* values) {
  const int64_t width = which == 0 ? result->info.obstacles : result->info.bodies;
  const int64_t most = FORCE_ROOM / (3 * (int64_t)sizeof(double) * width), block = most > 1 ? most : 1;
  double* rows = malloc((size_t)(3 * width * block) * sizeof *rows);
  if (!rows) return cps_io_fail(result->h5.error, CPS_NO_MEMORY, result->path, NULL, "out of memory");
  CpsStatus status = CPS_OK;
  for (int64_t first = 0; status == CPS_OK && first < result->info.steps; first += block) {
    const int64_t count = result->info.steps - first < block ? result->info.steps - first : block;
    status = cps_result_rows(result, CPS_STEP_OBSTACLE_FORCE + which, first, count, H5T_NATIVE_DOUBLE, rows);
    for (int64_t i = 0; status == CPS_OK && i < count; ++i) {
      const double* f = rows + 3 * (i * width + number);
      values[first + i] = axis < 3 ? f[axis] : sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
    }
  }
  free(rows);
  return status;
}

CpsStatus cps_result_force_series(const CpsResult* result, const char* name, double* values, CpsError* error) {
  static const char* const STARTS[4] = {"force_x:", "force_y:", "force_z:", "force:"};
  int axis = 0;
  while (axis < 4 && strncmp(name, STARTS[axis], strlen(STARTS[axis])) != 0) ++axis;
  if (axis == 4) {
    return cps_io_fail(error, CPS_BAD_ARGUMENT, name, NULL,
                       "write force:NAME, force_x:NAME, force_y:NAME or force_z:NAME with an obstacle or a body");
  }
  if (!cps_result_has(result, CPS_STEP_BODY_FORCE)) return cps_result_no_grains(result, error);
  const char* thing = name + strlen(STARTS[axis]);
  CpsResult with_error = *result;
  with_error.h5.error = error;
  CpsStatus status = CPS_OK;
  int which = 0;
  int64_t number = -1;
  H5E_BEGIN_TRY {
    status = find_name(&with_error, thing, &which, &number);
    if (status == CPS_OK && number >= 0) status = read_force(&with_error, which, number, axis, values);
  }
  H5E_END_TRY
  if (status == CPS_OK && number < 0) {
    return cps_io_fail(error, CPS_BAD_ARGUMENT, result->path, NULL, "has no obstacle or body called '%.60s'", thing);
  }
  if (status == CPS_OK && error) error->text[0] = '\0';
  return status;
}
