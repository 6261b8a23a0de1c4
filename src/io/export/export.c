// Exports: common to all formats.
#include "capstan/export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "core/quat.h"
#include "io/export/internal.h"

enum { COOKIE = 0x6578706f };

typedef struct Format {
  const char *name, *suffix;
  CpsStatus (*write)(CpsExport* e);
} Format;

static const Format formats[CPS_EXPORT_COUNT] = {
    [CPS_EXPORT_PVD] = {"pvd", ".pvd", cps_export_pvd},    [CPS_EXPORT_USDA] = {"usda", ".usda", cps_export_usda},
    [CPS_EXPORT_GLTF] = {"gltf", ".glb", cps_export_gltf}, [CPS_EXPORT_OBJ] = {"obj", "-obj", cps_export_obj},
    [CPS_EXPORT_CSV] = {"csv", ".csv", cps_export_csv},
};

const char* cps_export_format_name(CpsExportFormat format) {
  return (unsigned)format < CPS_EXPORT_COUNT ? formats[format].name : NULL;
}

const char* cps_export_format_suffix(CpsExportFormat format) {
  return (unsigned)format < CPS_EXPORT_COUNT ? formats[format].suffix : NULL;
}

CpsExportFormat cps_export_format_find(const char* name) {
  for (int i = 0; name && i < CPS_EXPORT_COUNT; ++i) {
    if (strcmp(name, formats[i].name) == 0) return (CpsExportFormat)i;
  }
  return CPS_EXPORT_COUNT;
}

CpsExportOptions cps_export_options_default(void) {
  return (CpsExportOptions){.format = CPS_EXPORT_PVD, .last = -1, .tube = -1, .contacts = true, .cookie = COOKIE};
}

int64_t cps_export_frames(const CpsExport* e) {
  return e->options.last - e->options.first + 1;
}

CpsStatus cps_export_no_memory(CpsExport* e) {
  return cps_io_fail(e->error, CPS_NO_MEMORY, e->path, NULL, "out of memory");
}

CpsStatus cps_export_read(CpsExport* e, int64_t index, const CpsFrame** frame) {
  *frame = cps_show_frame(e->show);
  return cps_show_read(e->show, index, e->error);
}

static bool poses_are_finite(const CpsPose* poses, int32_t count) {
  for (int32_t i = 0; i < count; ++i) {
    CpsQuat q = poses[i].rotation;
    if (!cps_vec3_is_finite(poses[i].position) || !isfinite(q.w + q.x + q.y + q.z)) return false;
  }
  return true;
}

CpsStatus cps_export_read_finite(CpsExport* e, int64_t index, const CpsFrame** frame) {
  CpsStatus status = cps_export_read(e, index, frame);
  if (status != CPS_OK) return status;
  bool finite = poses_are_finite((*frame)->bodies, e->things->body_count) &&
                poses_are_finite((*frame)->obstacles, e->things->obstacle_count);
  for (int64_t i = 0; finite && i < e->things->point_count; ++i) {
    finite = cps_vec3_is_finite((*frame)->points[i]) && cps_vec3_is_finite((*frame)->axes[i]);
    if ((*frame)->tension) finite = finite && isfinite((*frame)->tension[i]);
    if ((*frame)->point_velocities) finite = finite && cps_vec3_is_finite((*frame)->point_velocities[i]);
  }
  for (int64_t i = 0; finite && i < e->things->vertex_count; ++i) {
    finite = cps_vec3_is_finite((*frame)->vertices[i]);
    if ((*frame)->vertex_velocities) finite = finite && cps_vec3_is_finite((*frame)->vertex_velocities[i]);
  }
  if (finite) return CPS_OK;
  return cps_io_fail(e->error, CPS_BAD_DATA, e->path, NULL,
                     "frame %lld has positions that are not numbers, which %s cannot represent", (long long)index,
                     formats[e->options.format].name);
}

CpsStatus cps_export_progress(CpsExport* e, int64_t done) {
  const CpsExportOptions* o = &e->options;
  if (!o->progress || o->progress(done, cps_export_frames(e), o->progress_data)) return CPS_OK;
  return cps_io_fail(e->error, CPS_INTERRUPTED, e->path, NULL, "was not written: interrupted");
}

CpsVec3 cps_export_contact_point(const CpsFrameContact* c) {
  return cps_vec3_scale(0.5, cps_vec3_add(c->side[0].point, c->side[1].point));
}

CpsVec3 cps_export_in_world(const CpsFrameContact* c, const double x[3]) {
  return cps_vec3_add(cps_vec3_scale(x[0], c->normal),
                      cps_vec3_add(cps_vec3_scale(x[1], c->tangent1), cps_vec3_scale(x[2], c->tangent2)));
}

char* cps_export_base_name(const CpsExport* e) {
  const char* slash = strrchr(e->path, '/');
  const char *from = slash ? slash + 1 : e->path, *suffix = formats[e->options.format].suffix;
  size_t length = strlen(from), end = strlen(suffix);
  if (length > end && strcmp(from + length - end, suffix) == 0) length -= end;
  char* name = malloc(length + 1);
  if (!name) return NULL;
  memcpy(name, from, length);
  name[length] = '\0';
  return name;
}

static double reach_of(const CpsShape* shape) {
  double reach =
      shape->radius + 0.5 * shape->length +
      0.5 * sqrt(shape->size.x * shape->size.x + shape->size.y * shape->size.y + shape->size.z * shape->size.z);
  for (int32_t i = 0; i < shape->point_count; ++i) {
    reach = fmax(reach, shape->radius + cps_vec3_norm(shape->points[i]));
  }
  return reach;
}

static double farther(double old, double distance) {
  return isfinite(distance) && distance > old ? distance : old;
}

// Largest distance of the objects of a frame from a point.
static double farthest(const CpsExport* e, const CpsFrame* frame, CpsVec3 from) {
  double far = 0.0;
  for (int32_t i = 0; i < e->things->part_count; ++i) {
    const CpsResultPart* part = &e->things->parts[i];
    if (part->shape.kind == CPS_SHAPE_PLANE) continue;
    CpsVec3 at = cps_export_part_pose(frame, part).position;
    far = farther(far, cps_vec3_norm(cps_vec3_sub(at, from)) + reach_of(&part->shape));
  }
  for (int64_t i = 0; i < e->things->point_count; ++i) {
    far = farther(far, cps_vec3_norm(cps_vec3_sub(frame->points[i], from)));
  }
  for (int64_t i = 0; i < e->things->vertex_count; ++i) {
    far = farther(far, cps_vec3_norm(cps_vec3_sub(frame->vertices[i], from)));
  }
  return far;
}

// Replaces half-spaces by squares that cover everything in the first and the last frame, with a margin.
static CpsStatus find_extent(CpsExport* e) {
  bool planes = false;
  for (int32_t i = 0; i < e->things->part_count; ++i) planes |= e->things->parts[i].shape.kind == CPS_SHAPE_PLANE;
  double far = 0.0;
  for (int k = 0; planes && k < 2; ++k) {
    const CpsFrame* frame = NULL;
    CpsStatus status = cps_export_read(e, k == 0 ? e->options.first : e->options.last, &frame);
    if (status != CPS_OK) return status;
    for (int32_t i = 0; i < e->things->part_count; ++i) {
      const CpsResultPart* part = &e->things->parts[i];
      if (part->shape.kind != CPS_SHAPE_PLANE) continue;
      far = farther(far, farthest(e, frame, cps_export_part_pose(frame, part).position));
    }
  }
  e->extent = far > 0.0 ? 1.25 * far : 1.0;
  return CPS_OK;
}

static CpsStatus check_options(const CpsExportOptions* o, CpsError* error) {
  const char* why = !o || o->cookie != COOKIE                 ? "options were not initialised by the default function"
                    : (unsigned)o->format >= CPS_EXPORT_COUNT ? "unknown format"
                    : (o->around < 6 && o->around != 0) || o->around > 512 ? "around must be 6 to 512, or 0"
                    : o->tube > 64 || (o->tube > 0 && o->tube < 3)         ? "tube must be 3 to 64, 0 or negative"
                                                                           : NULL;
  return why ? cps_io_fail(error, CPS_BAD_ARGUMENT, "cps_export", NULL, "%s", why) : CPS_OK;
}

static CpsStatus check_range(CpsExport* e) {
  CpsExportOptions* o = &e->options;
  int64_t count = cps_show_frame_count(e->show);
  if (o->last < 0) o->last = count - 1;
  if (o->first >= 0 && o->first <= o->last && o->last < count) return CPS_OK;
  return cps_io_fail(e->error, CPS_BAD_ARGUMENT, e->path, NULL,
                     "frames %lld to %lld do not all exist; the result has frames 0 to %lld", (long long)o->first,
                     (long long)o->last, (long long)count - 1);
}

// A copy of a folder's name without trailing slashes.
static char* without_slashes(const char* path) {
  size_t length = strlen(path);
  while (length > 1 && path[length - 1] == '/') --length;
  char* copy = malloc(length + 1);
  if (!copy) return NULL;
  memcpy(copy, path, length);
  copy[length] = '\0';
  return copy;
}

static CpsStatus write_export(CpsExport* e) {
  CpsStatus status = cps_show_result(e->result, &e->show, e->error);
  if (status != CPS_OK) return status;
  e->things = cps_show_things(e->show);
  status = check_range(e);
  if (status == CPS_OK && e->options.format != CPS_EXPORT_CSV) status = find_extent(e);
  if (status == CPS_OK) status = formats[e->options.format].write(e);
  cps_show_destroy(e->show);
  return status;
}

CpsStatus cps_export(CpsResult* result, const char* path, const CpsExportOptions* options, CpsExportInfo* info,
                     CpsError* error) {
  if (!result || !path) return cps_io_fail(error, CPS_BAD_ARGUMENT, "cps_export", NULL, "result or path is NULL");
  CpsStatus status = check_options(options, error);
  if (status != CPS_OK) return status;
  CpsExport e = {.result = result, .path = path, .options = *options, .error = error};
  char* folder = options->format == CPS_EXPORT_OBJ ? without_slashes(path) : NULL;
  if (options->format == CPS_EXPORT_OBJ && !folder) return cps_export_no_memory(&e);
  if (folder) e.path = folder;
  status = write_export(&e);
  free(folder);
  if (status == CPS_OK && info) *info = e.info;
  if (status == CPS_OK && error) error->text[0] = '\0';
  return status;
}
