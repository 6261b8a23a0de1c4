#include "render/trace.h"

#include "core/quat.h"
#include "render/sampling.h"

#define TWO_TONE 0.72f   // tone of the darker quarters of a ball, which make rolling visible
#define CREASE 0.8f      // cosine between the normals of a triangle and of its corner below which there is an edge
#define EDGE_TONE 0.62f  // tone of the rims of bricks and stones, which separate neighbours
#define FLAT 0.95        // cosine between the normals of two faces above which there is no edge between them

static struct RTCRay make_ray(CpsFloat3 origin, CpsFloat3 direction, float nearest, float farthest, uint32_t id) {
  return (struct RTCRay){
      .org_x = origin.x,
      .org_y = origin.y,
      .org_z = origin.z,
      .tnear = nearest,
      .dir_x = direction.x,
      .dir_y = direction.y,
      .dir_z = direction.z,
      .tfar = farthest,
      .mask = 0xffffffffu,
      .id = id,
  };
}

static CpsFloat3 towards(CpsFloat3 normal, CpsFloat3 direction) {
  return cps_float3_dot(normal, direction) > 0.0f ? cps_float3_scale(-1.0f, normal) : normal;
}

static CpsFloat3 rotated(CpsPose pose, CpsVec3 v) {
  CpsVec3 w = cps_quat_rotate(pose.rotation, v);
  return cps_float3((float)w.x, (float)w.y, (float)w.z);
}

// Derivative of equation (1) of fibres.c.
static CpsFloat3 curve_tangent(const float* p, float u) {
  float w[4] = {-1.0f + u * (4.0f - 3.0f * u), u * (9.0f * u - 10.0f), 1.0f + u * (8.0f - 9.0f * u),
                u * (3.0f * u - 2.0f)};
  CpsFloat3 t = {0};
  for (int k = 0; k < 4; ++k) t = cps_float3_axpy(t, w[k], cps_float3(p[4 * k], p[4 * k + 1], p[4 * k + 2]));
  return cps_float3_unit(t);
}

static void meet_fibre(const CpsRenderScene* scene, const struct RTCHit* hit, CpsSurface* surface) {
  uint32_t first = ((const uint32_t*)scene->piece_first.items)[hit->primID];
  const float* points = (const float*)scene->curve_points.items + 4 * (size_t)first;
  const CpsFloat3* colours = (const CpsFloat3*)scene->curve_colour.items + first;
  const float* cover = (const float*)scene->curve_cover.items + first;
  float u = cps_clampf(hit->u, 0.0f, 1.0f);
  surface->kind = CPS_SURFACE_FIBRE;
  surface->tangent = curve_tangent(points, u);
  surface->colour = cps_float3_mix(colours[1], colours[2], u);
  surface->cover = scene->hairs > 1 ? 1.0f : cover[1] + u * (cover[2] - cover[1]);
  surface->radius = points[7] + u * (points[11] - points[7]);
}

static void meet_cap(const CpsRenderScene* scene, const struct RTCHit* hit, CpsSurface* surface) {
  uint32_t at = ((const uint32_t*)scene->cap_point.items)[hit->primID];
  const float* p = (const float*)scene->curve_points.items + 4 * (size_t)(at - 1);  // the neighbours on both sides
  surface->kind = CPS_SURFACE_FIBRE;
  surface->tangent = cps_float3_unit(cps_float3(p[8] - p[0], p[9] - p[1], p[10] - p[2]));
  surface->colour = ((const CpsFloat3*)scene->curve_colour.items)[at];
  surface->radius = p[7];
}

// Whether a point on a convex mesh with flat faces is near an edge, that is, near another face.
static bool is_on_rim(const CpsTriangles* mesh, double width, CpsVec3 normal, CpsVec3 own) {
  for (int32_t t = 0; t < mesh->triangle_count; ++t) {
    int32_t corner = mesh->triangles[3 * (size_t)t];
    CpsVec3 n = mesh->normals[corner];
    double depth = cps_vec3_dot(n, cps_vec3_sub(mesh->points[corner], own));
    if (depth < width && cps_vec3_dot(n, normal) < FLAT) return true;
  }
  return false;
}

static void meet_mesh(const CpsRenderScene* scene, const struct RTCHit* hit, CpsSurface* surface) {
  int32_t number = ((const int32_t*)scene->triangle_part.items)[hit->primID];
  const CpsRenderPart* part = &scene->parts[number];
  const CpsTriangles* mesh = &scene->meshes[part->mesh];
  const int32_t* corner = mesh->triangles + 3 * (size_t)((const int32_t*)scene->triangle_local.items)[hit->primID];
  const double weight[3] = {(double)(1.0f - hit->u - hit->v), (double)hit->u, (double)hit->v};
  CpsVec3 n = {0}, own = {0};
  for (int k = 0; k < 3; ++k) {
    n = cps_vec3_axpy(n, weight[k], mesh->normals[corner[k]]);
    own = cps_vec3_axpy(own, weight[k], mesh->points[corner[k]]);
  }
  surface->normal = cps_float3_unit(rotated(part->pose, n));
  surface->colour = part->colour;
  surface->owner = number;
  if (part->rim > 0.0 && is_on_rim(mesh, part->rim, n, own)) {
    surface->colour = cps_float3_scale(EDGE_TONE, surface->colour);
  }
}

// Both sides of a sheet look alike; the normal is turned towards the eye later. If the normal of a corner differs
// much from that of the triangle, there is an edge, as on a solid, and the triangle is flat.
static void meet_sheet(const CpsRenderScene* scene, const struct RTCHit* hit, CpsSurface* surface) {
  const uint32_t* corner = (const uint32_t*)scene->sheet_index.items + 3 * (size_t)hit->primID;
  const float weight[3] = {1.0f - hit->u - hit->v, hit->u, hit->v};
  const CpsFloat3 flat = surface->normal;
  CpsFloat3 normal = {0}, colour = {0};
  for (int k = 0; k < 3; ++k) {
    CpsFloat3 n = cps_float3_unit(((const CpsFloat3*)scene->sheet_normals.items)[corner[k]]);
    const float along = cps_float3_dot(n, flat);
    if (fabsf(along) < CREASE) n = cps_float3_scale(along < 0.0f ? -1.0f : 1.0f, flat);
    normal = cps_float3_axpy(normal, weight[k], n);
    colour = cps_float3_axpy(colour, weight[k], ((const CpsFloat3*)scene->sheet_colour.items)[corner[k]]);
  }
  if (cps_float3_dot(normal, normal) > 0.0f) surface->normal = cps_float3_unit(normal);
  surface->colour = colour;
}

// Balls have two tones, in the axes of their body.
static void meet_ball(const CpsRenderScene* scene, const struct RTCHit* hit, CpsSurface* surface) {
  int32_t number = ((const int32_t*)scene->ball_part.items)[hit->primID];
  const CpsRenderPart* part = &scene->parts[number];
  surface->colour = part->colour;
  surface->owner = number;
  if (scene->what->parts[number].is_obstacle) return;
  CpsVec3 n = cps_vec3((double)surface->normal.x, (double)surface->normal.y, (double)surface->normal.z);
  CpsVec3 own = cps_quat_rotate_back(part->pose.rotation, n);
  if ((own.x > 0.0) == (own.y * own.z > 0.0)) surface->colour = cps_float3_scale(TWO_TONE, surface->colour);
}

static void meet_planes(const CpsRenderScene* scene, CpsFloat3 origin, CpsFloat3 direction, float nearest,
                        CpsSurface* surface) {
  for (int32_t i = 0; i < scene->plane_count; ++i) {
    const CpsRenderPlane* plane = &scene->planes[i];
    float slope = cps_float3_dot(plane->normal, direction);
    if (!(slope < 0.0f)) continue;  // planes are transparent from behind
    float t = cps_float3_dot(plane->normal, cps_float3_sub(plane->point, origin)) / slope;
    if (!(t > nearest) || !(t < surface->distance)) continue;
    CpsFloat3 point = cps_float3_axpy(origin, t, direction), from = cps_float3_sub(point, plane->point);
    float u = cps_float3_dot(from, plane->along) / plane->grid + plane->offset[0];
    float v = cps_float3_dot(from, plane->across) / plane->grid + plane->offset[1];
    *surface = (CpsSurface){
        .kind = CPS_SURFACE_PLANE,
        .distance = t,
        .point = point,
        .normal = plane->normal,
        .facing = plane->normal,
        .colour = plane->colour,
        .cover = 1.0f,
        .owner = scene->what->part_count + i,
        .line = fminf(fabsf(u - roundf(u)), fabsf(v - roundf(v))),
    };
  }
}

CpsSurface cps_render_meet(const CpsRenderScene* scene, CpsFloat3 origin, CpsFloat3 direction, float nearest,
                           uint32_t seed) {
  struct RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  struct RTCRayHit ray = {.ray = make_ray(origin, direction, nearest, INFINITY, seed),
                          .hit = {.geomID = RTC_INVALID_GEOMETRY_ID}};
  rtcIntersect1(scene->things, &context, &ray);
  CpsSurface surface = {.kind = CPS_SURFACE_NONE, .distance = ray.ray.tfar, .cover = 1.0f, .owner = -1};
  const struct RTCHit* hit = &ray.hit;
  if (hit->geomID != RTC_INVALID_GEOMETRY_ID) {
    surface.kind = CPS_SURFACE_SOLID;
    surface.point = cps_float3_axpy(origin, surface.distance, direction);
    surface.normal = cps_float3_unit(cps_float3(hit->Ng_x, hit->Ng_y, hit->Ng_z));
    surface.facing = towards(surface.normal, direction);
    if (hit->geomID == CPS_GEOMETRY_CURVES) {
      meet_fibre(scene, hit, &surface);
    } else if (hit->geomID == CPS_GEOMETRY_TRIANGLES) {
      meet_mesh(scene, hit, &surface);
    } else if (hit->geomID == CPS_GEOMETRY_SHEETS) {
      meet_sheet(scene, hit, &surface);
    } else if (hit->geomID == CPS_GEOMETRY_BALLS) {
      meet_ball(scene, hit, &surface);
    } else if (hit->geomID == CPS_GEOMETRY_CAPS) {
      meet_cap(scene, hit, &surface);
    } else if (hit->geomID == CPS_GEOMETRY_GRAINS) {
      surface.colour = ((const CpsFloat3*)scene->grain_colour.items)[hit->primID];
    } else if (hit->geomID == CPS_GEOMETRY_TIES) {
      surface.colour = ((const CpsFloat3*)scene->tie_colour.items)[hit->primID];
    } else {
      surface.owner = ((const int32_t*)scene->capsule_part.items)[hit->primID];
      surface.colour = scene->parts[surface.owner].colour;
    }
    surface.normal = towards(surface.normal, direction);
  } else {
    surface.distance = INFINITY;
  }
  meet_planes(scene, origin, direction, nearest, &surface);
  return surface;
}

// Lets rays pass a fibre that is drawn wider than it is, with the probability 1 - cover.
static void let_through(const struct RTCFilterFunctionNArguments* arguments) {
  const CpsRenderScene* scene = arguments->geometryUserPtr;
  const struct RTCRay* ray = (const struct RTCRay*)arguments->ray;
  const struct RTCHit* hit = (const struct RTCHit*)arguments->hit;
  if (arguments->N != 1 || hit->geomID != CPS_GEOMETRY_CURVES) return;
  uint32_t first = ((const uint32_t*)scene->piece_first.items)[hit->primID];
  float cover = ((const float*)scene->curve_cover.items)[first + 1];
  if (cps_unit_float(cps_mix(ray->id ^ cps_mix(hit->primID))) >= cover) arguments->valid[0] = 0;
}

void cps_render_trace_prepare(RTCGeometry fibres, CpsRenderScene* scene) {
  rtcSetGeometryUserData(fibres, scene);
  rtcSetGeometryOccludedFilterFunction(fibres, let_through);
  if (scene->hairs > 1) rtcSetGeometryIntersectFilterFunction(fibres, let_through);
}

static bool plane_hides(const CpsRenderScene* scene, CpsFloat3 origin, CpsFloat3 direction, float farthest) {
  for (int32_t i = 0; i < scene->plane_count; ++i) {
    const CpsRenderPlane* plane = &scene->planes[i];
    float slope = cps_float3_dot(plane->normal, direction);
    if (!(slope < 0.0f)) continue;
    float t = cps_float3_dot(plane->normal, cps_float3_sub(plane->point, origin)) / slope;
    if (t > 0.0f && t < farthest) return true;
  }
  return false;
}

bool cps_render_is_hidden(const CpsRenderScene* scene, CpsFloat3 origin, CpsFloat3 direction, float farthest,
                          uint32_t seed, bool with_planes) {
  if (with_planes && plane_hides(scene, origin, direction, farthest)) return true;
  struct RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  struct RTCRay ray = make_ray(origin, direction, 0.0f, farthest, seed);
  rtcOccluded1(scene->things, &context, &ray);
  return ray.tfar < 0.0f;
}

bool cps_render_meet_arrow(const CpsRenderScene* scene, CpsFloat3 origin, CpsFloat3 direction, float* distance,
                           CpsFloat3* normal, CpsFloat3* colour) {
  if (!scene->arrows) return false;
  struct RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  struct RTCRayHit ray = {.ray = make_ray(origin, direction, 0.0f, INFINITY, 0),
                          .hit = {.geomID = RTC_INVALID_GEOMETRY_ID}};
  rtcIntersect1(scene->arrows, &context, &ray);
  if (ray.hit.geomID == RTC_INVALID_GEOMETRY_ID) return false;
  *distance = ray.ray.tfar;
  *normal = towards(cps_float3_unit(cps_float3(ray.hit.Ng_x, ray.hit.Ng_y, ray.hit.Ng_z)), direction);
  *colour = ray.hit.geomID == CPS_GEOMETRY_ARROWS ? ((const CpsFloat3*)scene->arrow_colour.items)[ray.hit.primID / 2]
                                                  : ((const CpsFloat3*)scene->dot_colour.items)[ray.hit.primID];
  return true;
}
