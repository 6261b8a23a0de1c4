// Bodies and obstacles: balls and capsules as Embree's own points and rounded cones, all else as one mesh of triangles.
#include "core/quat.h"
#include "render/scene.h"

static void put_ball(float* at, CpsFloat3 centre, float radius) {
  at[0] = centre.x;
  at[1] = centre.y;
  at[2] = centre.z;
  at[3] = radius;
}

static bool is_ball(const CpsShape* shape) {
  return shape->kind == CPS_SHAPE_SPHERE || (shape->kind == CPS_SHAPE_CAPSULE && !(shape->length > 0.0));
}

// Counts the primitives of all visible parts.
static void count(CpsRenderScene* scene) {
  const CpsThings* what = scene->what;
  scene->ball_count = scene->capsule_count = scene->triangle_count = scene->triangle_point_count = 0;

  for (int32_t i = 0; i < what->part_count; ++i) {
    const CpsShape* shape = &what->parts[i].shape;
    if (!scene->parts[i].visible) continue;
    if (is_ball(shape)) {
      ++scene->ball_count;
    } else if (shape->kind == CPS_SHAPE_CAPSULE) {
      ++scene->capsule_count;
    } else if (scene->parts[i].mesh >= 0) {
      const CpsTriangles* mesh = &scene->meshes[scene->parts[i].mesh];
      scene->triangle_count += mesh->triangle_count;
      scene->triangle_point_count += mesh->point_count;
    }
  }
}

static bool reserve(CpsRenderScene* scene) {
  return cps_room_reserve(&scene->ball_points, scene->ball_count, 4 * sizeof(float)) &&
         cps_room_reserve(&scene->ball_part, scene->ball_count, sizeof(int32_t)) &&
         cps_room_reserve(&scene->capsule_points, 2 * scene->capsule_count, 4 * sizeof(float)) &&
         cps_room_reserve(&scene->capsule_index, scene->capsule_count, sizeof(uint32_t)) &&
         cps_room_reserve(&scene->capsule_part, scene->capsule_count, sizeof(int32_t)) &&
         cps_room_reserve(&scene->triangle_points, scene->triangle_point_count, 3 * sizeof(float)) &&
         cps_room_reserve(&scene->triangle_index, scene->triangle_count, 3 * sizeof(uint32_t)) &&
         cps_room_reserve(&scene->triangle_part, scene->triangle_count, sizeof(int32_t)) &&
         cps_room_reserve(&scene->triangle_local, scene->triangle_count, sizeof(int32_t));
}

static void put_mesh(CpsRenderScene* scene, const CpsEye* eye, int32_t part, int64_t first_point,
                     int64_t first_triangle) {
  const CpsTriangles* mesh = &scene->meshes[scene->parts[part].mesh];
  float* points = (float*)scene->triangle_points.items + 3 * first_point;
  for (int32_t k = 0; k < mesh->point_count; ++k) {
    CpsFloat3 p = cps_eye_place(eye, cps_pose_apply(scene->parts[part].pose, mesh->points[k]));
    points[3 * k] = p.x;
    points[3 * k + 1] = p.y;
    points[3 * k + 2] = p.z;
  }
  uint32_t* index = (uint32_t*)scene->triangle_index.items + 3 * first_triangle;
  for (int32_t k = 0; k < mesh->triangle_count; ++k) {
    for (int j = 0; j < 3; ++j) index[3 * k + j] = (uint32_t)(first_point + mesh->triangles[3 * k + j]);
    ((int32_t*)scene->triangle_part.items)[first_triangle + k] = part;
    ((int32_t*)scene->triangle_local.items)[first_triangle + k] = k;
  }
}

bool cps_render_add_bodies(CpsRenderScene* scene, const CpsEye* eye) {
  const CpsThings* what = scene->what;
  int64_t ball = 0, capsule = 0, triangle = 0, point = 0;
  count(scene);
  if (!reserve(scene)) return false;
  for (int32_t i = 0; i < what->part_count; ++i) {
    const CpsShape* shape = &what->parts[i].shape;
    const CpsRenderPart* part = &scene->parts[i];
    float radius = (float)(shape->radius / eye->unit);
    if (!part->visible) continue;
    if (is_ball(shape)) {
      put_ball((float*)scene->ball_points.items + 4 * ball, cps_eye_place(eye, part->pose.position), radius);
      ((int32_t*)scene->ball_part.items)[ball++] = i;
    } else if (shape->kind == CPS_SHAPE_CAPSULE) {
      CpsVec3 half = cps_vec3(0.0, 0.0, 0.5 * shape->length);
      float* ends = (float*)scene->capsule_points.items + 8 * capsule;
      put_ball(ends, cps_eye_place(eye, cps_pose_apply(part->pose, half)), radius);
      put_ball(ends + 4, cps_eye_place(eye, cps_pose_apply(part->pose, cps_vec3_scale(-1.0, half))), radius);
      ((uint32_t*)scene->capsule_index.items)[capsule] = (uint32_t)(2 * capsule);
      ((int32_t*)scene->capsule_part.items)[capsule++] = i;
    } else if (part->mesh >= 0) {
      put_mesh(scene, eye, i, point, triangle);
      point += scene->meshes[part->mesh].point_count;
      triangle += scene->meshes[part->mesh].triangle_count;
    }
  }
  return true;
}
