#include "render/scene.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/quat.h"
#include "render/trace.h"

#define AROUND 96         // corners of the circle of a cylinder
#define RIM_WIDTH 0.02    // of rims, relative to the thickness of the brick
#define RIM_TRIANGLES 64  // largest number of triangles of a stone with rims

void* cps_room_reserve(CpsRoom* buffer, int64_t count, size_t size) {
  size_t need = (size_t)count * size + 16;
  if (need <= buffer->room) return buffer->items;
  size_t room = need + need / 4;
  void* items = realloc(buffer->items, room);
  if (!items) return NULL;
  buffer->items = items;
  buffer->room = room;
  return items;
}

void cps_room_free(CpsRoom* buffer) {
  free(buffer->items);
  *buffer = (CpsRoom){0};
}

static bool needs_mesh(CpsShapeKind kind) {
  return kind != CPS_SHAPE_SPHERE && kind != CPS_SHAPE_CAPSULE && kind != CPS_SHAPE_PLANE && kind != CPS_SHAPE_NONE;
}

// Whether two shapes have the same triangles. Shapes with their own points are not shared.
static bool same_shape(const CpsShape* a, const CpsShape* b) {
  return a->kind == b->kind && (a->kind == CPS_SHAPE_BOX || a->kind == CPS_SHAPE_CYLINDER) && a->radius == b->radius &&
         a->length == b->length && a->size.x == b->size.x && a->size.y == b->size.y && a->size.z == b->size.z;
}

// Smallest thickness of a convex mesh between two parallel planes, one along a face.
static double least_thickness(const CpsTriangles* mesh) {
  double least = INFINITY;
  for (int32_t t = 0; t < mesh->triangle_count; ++t) {
    int32_t corner = mesh->triangles[3 * (size_t)t];
    double deepest = 0.0;
    for (int32_t k = 0; k < mesh->point_count; ++k) {
      CpsVec3 d = cps_vec3_sub(mesh->points[corner], mesh->points[k]);
      deepest = fmax(deepest, cps_vec3_dot(mesh->normals[corner], d));
    }
    least = fmin(least, deepest);
  }
  return least;
}

// Bricks and stones with few faces have rims; on round stones, rims would cover everything.
static double rim_of(const CpsResultPart* part, const CpsTriangles* mesh) {
  bool edged = part->shape.kind == CPS_SHAPE_BOX || part->shape.kind == CPS_SHAPE_HULL;
  if (part->is_obstacle || !edged || mesh->triangle_count > RIM_TRIANGLES) return 0.0;
  return RIM_WIDTH * least_thickness(mesh);
}

static CpsStatus make_meshes(CpsRenderScene* scene, CpsError* error) {
  const CpsThings* what = scene->what;
  const CpsShape* before = NULL;
  for (int32_t i = 0; i < what->part_count; ++i) {
    const CpsShape* shape = &what->parts[i].shape;
    scene->parts[i].mesh = -1;
    if (!needs_mesh(shape->kind)) continue;
    if (!before || !same_shape(before, shape)) {
      CpsTriangles* mesh = &scene->meshes[scene->mesh_count];
      CpsStatus status = cps_shape_triangles(shape, AROUND, 1.0, mesh, error);
      if (status != CPS_OK) return status;
      ++scene->mesh_count;
      before = shape;
    }
    scene->parts[i].mesh = scene->mesh_count - 1;
    scene->parts[i].rim = rim_of(&what->parts[i], &scene->meshes[scene->mesh_count - 1]);
  }
  return CPS_OK;
}

CpsStatus cps_render_scene_create(const CpsThings* things, CpsRenderScene* scene, CpsError* error) {
  *scene = (CpsRenderScene){.what = things, .hairs = 1, .spread = 1.0f};
  size_t count = (size_t)things->part_count + 1;
  scene->parts = calloc(count, sizeof *scene->parts);
  scene->meshes = calloc(count, sizeof *scene->meshes);
  scene->planes = calloc(count, sizeof *scene->planes);
  if (!scene->parts || !scene->meshes || !scene->planes) return cps_fail(error, CPS_NO_MEMORY, "out of memory");
  // a single thread, so that the tree is always the same
  scene->device = rtcNewDevice("threads=1,set_affinity=0");
  if (!scene->device) return cps_fail(error, CPS_NO_MEMORY, "the ray tracer could not be started");
  return make_meshes(scene, error);
}

CpsPose cps_render_part_pose(const CpsThings* what, const CpsFrame* frame, int32_t i) {
  const CpsResultPart* part = &what->parts[i];
  CpsPose owner = part->is_obstacle ? frame->obstacles[part->owner] : frame->bodies[part->owner];
  return cps_pose_multiply(owner, part->pose);
}

static void release_scenes(CpsRenderScene* scene) {
  if (scene->things) rtcReleaseScene(scene->things);
  if (scene->arrows) rtcReleaseScene(scene->arrows);
  scene->things = scene->arrows = NULL;
}

void cps_render_scene_destroy(CpsRenderScene* scene) {
  release_scenes(scene);
  if (scene->device) rtcReleaseDevice(scene->device);
  for (int32_t i = 0; i < scene->mesh_count; ++i) cps_triangles_free(&scene->meshes[i]);
  CpsRoom* buffers[] = {
      &scene->curve_points,    &scene->curve_colour,   &scene->curve_cover,    &scene->piece_first,
      &scene->triangle_points, &scene->triangle_index, &scene->triangle_part,  &scene->triangle_local,
      &scene->ball_points,     &scene->ball_part,      &scene->capsule_points, &scene->capsule_index,
      &scene->capsule_part,    &scene->arrow_points,   &scene->arrow_index,    &scene->arrow_colour,
      &scene->sheet_points,    &scene->sheet_index,    &scene->sheet_normals,  &scene->sheet_colour,
      &scene->sheet_side,      &scene->dot_points,     &scene->dot_colour,     &scene->cap_points,
      &scene->cap_point,       &scene->tie_points,     &scene->tie_index,      &scene->tie_colour,
      &scene->grain_points,    &scene->grain_colour,
  };
  for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; ++i) cps_room_free(buffers[i]);
  free(scene->parts);
  free(scene->meshes);
  free(scene->planes);
  *scene = (CpsRenderScene){0};
}

// The largest of 1, 2, 5, 10, … below a length.
static double round_length(double length) {
  double power = pow(10.0, floor(log10(length))), digit = length / power;
  return (digit >= 5.0 ? 5.0 : digit >= 2.0 ? 2.0 : 1.0) * power;
}

static CpsFloat3 single(CpsVec3 a) {
  return cps_float3((float)a.x, (float)a.y, (float)a.z);
}

static CpsRenderPlane make_plane(CpsPose pose, const CpsEye* eye, CpsFloat3 colour) {
  CpsVec3 normal = cps_quat_rotate(pose.rotation, cps_vec3(0.0, 0.0, 1.0));
  CpsVec3 along = cps_quat_rotate(pose.rotation, cps_vec3(1.0, 0.0, 0.0)), across = cps_vec3_cross(normal, along);
  // the point of the plane below the target keeps coordinates small
  CpsVec3 to_target = cps_vec3_sub(eye->origin, pose.position);
  CpsVec3 point = cps_vec3_axpy(eye->origin, -cps_vec3_dot(normal, to_target), normal);
  double mesh = round_length(0.5 * (double)eye->slope_y * eye->unit);
  double u = cps_vec3_dot(along, to_target) / mesh, v = cps_vec3_dot(across, to_target) / mesh;
  return (CpsRenderPlane){
      .point = cps_eye_place(eye, point),
      .normal = single(normal),
      .along = single(along),
      .across = single(across),
      .offset = {(float)(u - floor(u)), (float)(v - floor(v))},
      .grid = (float)(mesh / eye->unit),
      .colour = colour,
  };
}

// Poses and colours of the parts, and the planes among them.
static void place_parts(CpsRenderScene* scene, const CpsFrame* frame, const CpsEye* eye, const CpsFloat3* colours,
                        bool ground) {
  const CpsThings* what = scene->what;
  scene->plane_count = 0;
  for (int32_t i = 0; i < what->part_count; ++i) {
    CpsRenderPart* placed = &scene->parts[i];
    placed->pose = cps_render_part_pose(what, frame, i);
    placed->colour = colours[i];
    placed->visible = !placed->cut && isfinite(cps_quat_norm(placed->pose.rotation)) &&
                      cps_render_place_is_good(cps_eye_place(eye, placed->pose.position));
    if (what->parts[i].shape.kind != CPS_SHAPE_PLANE) continue;
    bool drawn = placed->visible && ground;
    if (drawn) scene->planes[scene->plane_count++] = make_plane(placed->pose, eye, colours[i]);
    placed->visible = false;  // not passed to Embree
  }
}

// Passes a geometry to Embree: points of 3 or 4 numbers and an index (NULL for points alone).
static void attach(CpsRenderScene* scene, RTCScene to, unsigned id, enum RTCGeometryType type, const CpsRoom* points,
                   int64_t point_count, const CpsRoom* index, int64_t index_count) {
  if (point_count == 0 || (index && index_count == 0)) return;
  bool mesh = type == RTC_GEOMETRY_TYPE_TRIANGLE;
  RTCGeometry geometry = rtcNewGeometry(scene->device, type);
  rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, mesh ? RTC_FORMAT_FLOAT3 : RTC_FORMAT_FLOAT4,
                             points->items, 0, (mesh ? 3 : 4) * sizeof(float), (size_t)point_count);
  if (index) {
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, mesh ? RTC_FORMAT_UINT3 : RTC_FORMAT_UINT,
                               index->items, 0, (mesh ? 3 : 1) * sizeof(uint32_t), (size_t)index_count);
  }
  if ((scene->thin || scene->hairs > 1) && type == RTC_GEOMETRY_TYPE_ROUND_CATMULL_ROM_CURVE)
    cps_render_trace_prepare(geometry, scene);
  rtcCommitGeometry(geometry);
  rtcAttachGeometryByID(to, geometry, id);
  rtcReleaseGeometry(geometry);
}

static void make_things(CpsRenderScene* scene) {
  scene->things = rtcNewScene(scene->device);
  attach(scene, scene->things, CPS_GEOMETRY_CURVES, RTC_GEOMETRY_TYPE_ROUND_CATMULL_ROM_CURVE, &scene->curve_points,
         scene->curve_point_count, &scene->piece_first, scene->piece_count);
  attach(scene, scene->things, CPS_GEOMETRY_TRIANGLES, RTC_GEOMETRY_TYPE_TRIANGLE, &scene->triangle_points,
         scene->triangle_point_count, &scene->triangle_index, scene->triangle_count);
  attach(scene, scene->things, CPS_GEOMETRY_SHEETS, RTC_GEOMETRY_TYPE_TRIANGLE, &scene->sheet_points,
         scene->sheet_vertices, &scene->sheet_index, scene->sheet_triangles);
  attach(scene, scene->things, CPS_GEOMETRY_BALLS, RTC_GEOMETRY_TYPE_SPHERE_POINT, &scene->ball_points,
         scene->ball_count, NULL, 0);
  attach(scene, scene->things, CPS_GEOMETRY_CAPSULES, RTC_GEOMETRY_TYPE_ROUND_LINEAR_CURVE, &scene->capsule_points,
         2 * scene->capsule_count, &scene->capsule_index, scene->capsule_count);
  attach(scene, scene->things, CPS_GEOMETRY_CAPS, RTC_GEOMETRY_TYPE_SPHERE_POINT, &scene->cap_points, scene->cap_count,
         NULL, 0);
  attach(scene, scene->things, CPS_GEOMETRY_TIES, RTC_GEOMETRY_TYPE_ROUND_LINEAR_CURVE, &scene->tie_points,
         2 * scene->tie_count, &scene->tie_index, scene->tie_count);
  attach(scene, scene->things, CPS_GEOMETRY_GRAINS, RTC_GEOMETRY_TYPE_SPHERE_POINT, &scene->grain_points,
         scene->grain_count, NULL, 0);
  rtcCommitScene(scene->things);
}

static void make_arrows(CpsRenderScene* scene) {
  if (scene->arrow_count + scene->dot_count == 0) return;
  scene->arrows = rtcNewScene(scene->device);
  attach(scene, scene->arrows, CPS_GEOMETRY_ARROWS, RTC_GEOMETRY_TYPE_CONE_LINEAR_CURVE, &scene->arrow_points,
         4 * scene->arrow_count, &scene->arrow_index, 2 * scene->arrow_count);
  attach(scene, scene->arrows, CPS_GEOMETRY_DOTS, RTC_GEOMETRY_TYPE_SPHERE_POINT, &scene->dot_points, scene->dot_count,
         NULL, 0);
  rtcCommitScene(scene->arrows);
}

CpsStatus cps_render_scene_build(CpsRenderScene* scene, const CpsFrame* frame, const CpsEye* eye,
                                 const CpsRenderColours* colours, const CpsRenderArrows* arrows, bool ground,
                                 CpsError* error) {
  release_scenes(scene);
  place_parts(scene, frame, eye, colours->parts, ground);
  if (!cps_render_add_fibres(scene, frame, eye, colours->points) ||
      !cps_render_add_sheets(scene, frame, eye, colours->vertices) || !cps_render_add_bodies(scene, eye) ||
      !cps_render_add_grains(scene, frame, eye, colours->particles) ||
      !cps_render_add_arrows(scene, frame, eye, arrows) || !cps_render_add_ties(scene, frame, eye, arrows->size)) {
    return cps_fail(error, CPS_NO_MEMORY, "out of memory");
  }
  make_things(scene);
  make_arrows(scene);
  enum RTCError code = rtcGetDeviceError(scene->device);
  if (code == RTC_ERROR_NONE) return CPS_OK;
  release_scenes(scene);
  return cps_fail(error, CPS_NO_MEMORY, "the ray tracer gave up on the frame (error %d)", (int)code);
}
