// Stops the nodes of a medium (members whose table gives a node size) that lie in an obstacle or in a member with a shape. Each
// stop is a contact with the friction of the pair, and acts on both. A node is not a material point, so it has no gap and no
// meaningful depth: it is either inside the shape or outside. Planes and boxes at rest also act on the nodes nearest to their
// faces. Otherwise, when a wall moves away slowly or lies between nodes, the medium would fall freely until it reached the next node.
#include "world/world.h"

#include "contact/chain.h"
#include "core/error.h"
#include "geometry/collide.h"

#include <math.h>
#include <stdlib.h>

static const double NEAR = 1e-6;      // relative to the cell size: nodes this near to a surface are on it
static const double NEAREST = 0.499;  // likewise: distance at which flat walls act on nodes, at rest or moving
static const double THIN = 0.999;     // likewise: thickness below which a wall is thin
static const double LONG = 2.0;       // likewise: length from which a plate is long
static const uint32_t BEHIND = UINT32_C(1) << 31;  // bit of the feature: the stop is on the other side of a thin wall

// In the feature: the other faces at an edge or a corner.
enum { FACES_MOST = 62, FACE_BIT = 25 };
static const uint32_t FACES = UINT32_C(63) << FACE_BIT;
static const double SAME = 0.99;  // cosine of the largest angle at which two faces count as one

typedef struct CpsStop {
  int32_t member, node;
  int32_t wall;  // collider
  bool behind;   // for thin walls: the stop on the other side
  CpsVec3 place;
  CpsTouch touch;
} CpsStop;

// An obstacle of the medium: a collider of an obstacle, or of a member other than a line or a surface, with its pose
// at the beginning of the step.
typedef struct Wall {
  int32_t collider;
  const CpsGeom* geom;
  CpsPose pose;
  CpsAabb box;
} Wall;

static bool is_wall(const CpsStep* step, const CpsCollider* c) {
  if (c->owner >= 0) return !c->node && !cps_is_line_piece(c);
  return step->world->obstacles[cps_key_place(c->key)].there;
}

static int32_t list_walls(const CpsStep* step, Wall* out) {
  int32_t count = 0;
  for (int32_t i = 0; i < step->collider_count; ++i) {
    const CpsCollider* c = &step->colliders[i];
    if (!is_wall(step, c)) continue;
    out[count++] = (Wall){i, c->geom, c->pose, cps_geom_bounds(c->geom, &c->pose)};
  }
  return count;
}

// A wall too thin to contain a node acts on nodes within half a cell of it, from both sides, so that nothing gets through.
static bool is_thin(const Wall* wall, double cell) {
  return wall->geom->kind != CPS_SHAPE_PLANE && 2.0 * wall->geom->inner_radius < THIN * cell;
}

static bool is_in(const CpsAabb* box, CpsVec3 x, double near) {
  return x.x >= box->min.x - near && x.x <= box->max.x + near && x.y >= box->min.y - near && x.y <= box->max.y + near &&
         x.z >= box->min.z - near && x.z <= box->max.z + near;
}

static bool is_flat(const CpsStep* step, const Wall* wall) {
  const CpsCollider* c = &step->colliders[wall->collider];
  if (wall->geom->kind == CPS_SHAPE_PLANE) return true;
  return wall->geom->kind == CPS_SHAPE_BOX && c->owner < 0 &&
         step->world->obstacles[cps_key_place(c->key)].motion.kind == CPS_MOTION_REST;
}

// The deepest touch of a node with a wall; false if the node is outside.
static bool meets(const Wall* wall, CpsVec3 x, double near, CpsTouch* touch) {
  if (!is_in(&wall->box, x, near)) return false;
  CpsGeom point = {.kind = CPS_SHAPE_SPHERE, .radius = near, .inner_radius = near, .outer_radius = near};
  point.bounds = (CpsAabb){{-near, -near, -near}, {near, near, near}};
  const CpsPose pose = {x, {1.0, 0.0, 0.0, 0.0}};
  CpsTouch found[CPS_TOUCH_MAX];
  const int count = cps_collide(&point, &pose, wall->geom, &wall->pose, 0.0, found);
  for (int i = 0; i < count; ++i) {
    if (i == 0 || found[i].gap < touch->gap) *touch = found[i];
  }
  return count > 0;
}

bool cps_world_is_stopped(const void* data, CpsVec3 place, double near) {
  const CpsWorld* world = data;
  for (int32_t i = 0; i < world->obstacle_count; ++i) {
    const CpsObstacle* o = &world->obstacles[i];
    for (int32_t k = 0; o->there && k < o->pieces.count; ++k) {
      const CpsGeom* geom = o->pieces.piece[k].geom;
      Wall wall = {.collider = -1, .geom = geom, .pose = cps_pose_multiply(o->now, o->pieces.piece[k].pose)};
      CpsTouch touch;
      wall.box = cps_geom_bounds(geom, &wall.pose);
      if (geom->kind != CPS_SHAPE_MESH && geom->kind != CPS_SHAPE_TUBE && meets(&wall, place, near, &touch))
        return true;
    }
  }
  return false;
}

static bool has_inside(const CpsGeom* geom) {
  return geom->kind != CPS_SHAPE_MESH && geom->kind != CPS_SHAPE_TUBE && geom->kind != CPS_SHAPE_POINTS;
}

// The first of the listed member colliders that contains a place or is within `near` of it; -1 if there is none.
static int32_t find_cover(const CpsCollider* colliders, int32_t count, CpsVec3 place, double near) {
  for (int32_t i = 0; i < count; ++i) {
    const CpsCollider* c = &colliders[i];
    if (c->node || cps_is_line_piece(c) || !has_inside(c->geom)) continue;
    const Wall wall = {i, c->geom, c->pose, cps_geom_bounds(c->geom, &c->pose)};
    CpsTouch touch;
    if (meets(&wall, place, near, &touch)) return i;
  }
  return -1;
}

bool cps_step_is_covered(const void* data, CpsVec3 place, double near) {
  const CpsStep* step = data;
  return find_cover(step->colliders, step->member_collider_count, place, near) >= 0;
}

static CpsThing obstacle_around(const CpsWorld* world, CpsVec3 place) {
  for (int32_t i = 0; i < world->obstacle_count; ++i) {
    const CpsObstacle* o = &world->obstacles[i];
    for (int32_t k = 0; o->there && k < o->pieces.count; ++k) {
      const CpsGeom* geom = o->pieces.piece[k].geom;
      Wall wall = {.collider = -1, .geom = geom, .pose = cps_pose_multiply(o->now, o->pieces.piece[k].pose)};
      CpsTouch touch;
      wall.box = cps_geom_bounds(geom, &wall.pose);
      if (has_inside(geom) && meets(&wall, place, 0.0, &touch)) {
        return (CpsThing){CPS_THING_OBSTACLE, i, o->generation};
      }
    }
  }
  return (CpsThing){0};
}

bool cps_world_find_buried(const CpsWorld* world, const CpsVec3* x, const double* there, int32_t count, int32_t* buried,
                           CpsThing* by) {
  const CpsModelStep still = {.theta = 1.0};
  int32_t members = 0;
  *buried = 0;
  *by = (CpsThing){0};
  for (int i = 0; i < world->population_count; ++i) {
    members += world->population[i]->type->collider_count(world->population[i]);
  }
  CpsCollider* colliders = malloc(((size_t)members + 1) * sizeof *colliders);
  if (!colliders) return false;
  CpsCollider* out = colliders;
  int32_t owner = 0;
  for (int i = 0; i < world->population_count; ++i) {
    const CpsModel* model = world->population[i];
    model->type->colliders(model, &still, owner, out);
    out += model->type->collider_count(model);
    owner += model->count;
  }
  for (int32_t p = 0; p < count; ++p) {
    if (!(there[p] > 0.0)) continue;
    CpsThing in = obstacle_around(world, x[p]);
    const int32_t cover = in.kind == CPS_THING_NONE ? find_cover(colliders, members, x[p], 0.0) : -1;
    if (cover >= 0) in = cps_member_thing(world, colliders[cover].owner);
    if (in.kind == CPS_THING_NONE) continue;
    if ((*buried)++ == 0) *by = in;
  }
  free(colliders);
  return true;
}

// Refuses shapes that have no inside.
static CpsStatus check_walls(const CpsStep* step, const Wall* wall, int32_t count) {
  char name[CPS_MEMBER_TEXT];
  for (int32_t i = 0; i < count; ++i) {
    const CpsShapeKind kind = wall[i].geom->kind;
    if (has_inside(wall[i].geom)) continue;
    const CpsCollider* c = &step->colliders[wall[i].collider];
    return cps_fail(step->error, CPS_UNSUPPORTED,
                    "%s is a %s; a granular medium can touch only planes and convex shapes",
                    c->owner >= 0 ? cps_member_text(step->world, c->owner, name)
                                  : cps_obstacle_text(step->world, cps_key_place(c->key), name),
                    kind == CPS_SHAPE_MESH   ? "mesh"
                    : kind == CPS_SHAPE_TUBE ? "tube"
                                             : "point cloud");
  }
  return CPS_OK;
}

static void add(const CpsStop* stop, CpsStop* out, int32_t* count) {
  if (out) out[*count] = *stop;
  ++*count;
}

// Stops a node on an edge or a corner of a polytope by each of the adjacent faces. With only one of them, pressure on
// the others would push the node into the shape, and a fluid around a block would never come to rest.
static void add_faces(const Wall* wall, double cell, CpsStop stop, CpsStop* out, int32_t* count) {
  const CpsPolytope* shape = wall->geom->polytope;
  if (!shape || shape->face_count > FACES_MOST) return;
  const CpsVec3 first = stop.touch.normal, x = cps_pose_apply_back(wall->pose, stop.place);
  const uint32_t feature = stop.touch.feature;
  const double near = 2.0 * NEAR * cell;
  for (int32_t i = 0; i < shape->face_count; ++i) {
    if (cps_vec3_dot(shape->normal[i], x) - shape->offset[i] > near) return;  // in front of it
  }
  for (int32_t i = 0; i < shape->face_count; ++i) {
    if (cps_vec3_dot(shape->normal[i], x) - shape->offset[i] < -near) continue;
    stop.touch.normal = cps_quat_rotate(wall->pose.rotation, shape->normal[i]);
    if (cps_vec3_dot(stop.touch.normal, first) > SAME) continue;
    stop.touch.feature = (feature & ~FACES) | (uint32_t)(i + 1) << FACE_BIT;
    add(&stop, out, count);
  }
}

// The nearest pair of opposite faces of a polytope; false if it has none.
static bool find_sides(const CpsPolytope* shape, int32_t side[2]) {
  double least = INFINITY;
  for (int32_t i = 0; i < shape->face_count; ++i) {
    for (int32_t j = 0; j < i; ++j) {
      if (cps_vec3_dot(shape->normal[i], shape->normal[j]) > -SAME) continue;
      const double width = shape->offset[i] + shape->offset[j];
      if (width < least) least = width, side[0] = i, side[1] = j;
    }
  }
  return least < INFINITY;
}

// Extent of a polytope behind a face.
static double reach_from(const CpsPolytope* shape, int32_t face) {
  double far = 0.0;
  for (int32_t k = 0; k < shape->vertex_count; ++k)
    far = fmax(far, shape->offset[face] - cps_vec3_dot(shape->normal[face], shape->vertex[k]));
  return far;
}

// A thin polytope stops nodes along the normal of its two sides, not out of the narrow faces of its border: otherwise
// a node at the end of a plate would fall through it. Nodes beyond the border are not stopped if the plate is long
// enough to act on other nodes: otherwise every hole would be narrower by a cell. False if the node is not stopped.
static bool turn_across(const Wall* wall, double cell, CpsStop* stop) {
  const CpsPolytope* shape = wall->geom->polytope;
  int32_t side[2];
  if (!shape || shape->face_count > FACES_MOST || !find_sides(shape, side)) return true;
  const CpsVec3 x = cps_pose_apply_back(wall->pose, stop->place);
  for (int32_t i = 0; i < shape->face_count; ++i) {
    if (i == side[0] || i == side[1]) continue;
    if (cps_vec3_dot(shape->normal[i], x) - shape->offset[i] <= NEAR * cell) continue;
    return reach_from(shape, i) < LONG * cell;
  }
  double gap[2];
  for (int k = 0; k < 2; ++k) gap[k] = cps_vec3_dot(shape->normal[side[k]], x) - shape->offset[side[k]];
  const int32_t nearest = side[gap[1] > gap[0]];
  stop->touch.normal = cps_quat_rotate(wall->pose.rotation, shape->normal[nearest]);
  stop->touch.feature = (stop->touch.feature & ~FACES) | (uint32_t)(nearest + 1) << FACE_BIT;
  return true;
}

// Finds the stops of one member; without `out`, only counts them.
static int32_t find(const CpsStep* step, const CpsMember m, int32_t member, const Wall* wall, int32_t walls,
                    CpsStop* out) {
  const CpsLargeMass mass = m.model->type->mass(m.model, m.index);
  const double cell = m.model->type->node_size(m.model, m.index);
  int32_t count = 0;
  for (int32_t node = 0; node < mass.nodes; ++node) {
    if (mass.held[node]) continue;
    CpsPatchNode patch;
    CpsStop stop = {.member = member, .node = node};
    (void)m.model->type->patch(m.model, m.index, node, &patch, &stop.place);
    for (int32_t k = 0; k < walls; ++k) {
      const bool thin = is_thin(&wall[k], cell);
      const double near = thin ? 0.5 : is_flat(step, &wall[k]) ? NEAREST : NEAR;
      if (!meets(&wall[k], stop.place, near * cell, &stop.touch)) continue;
      stop.wall = wall[k].collider;
      stop.behind = false;
      if (thin && !turn_across(&wall[k], cell, &stop)) continue;
      add(&stop, out, &count);
      if (!thin) {
        add_faces(&wall[k], cell, stop, out, &count);
        continue;
      }
      stop.behind = true;
      stop.touch.normal = cps_vec3_scale(-1.0, stop.touch.normal);
      add(&stop, out, &count);
    }
  }
  return count;
}

static int32_t find_all(const CpsStep* step, const Wall* wall, int32_t walls, CpsStop* out) {
  const int32_t members = cps_world_member_count(step->world);
  int32_t count = 0;
  for (int32_t i = 0; i < members; ++i) {
    const CpsMember m = cps_world_member(step->world, i);
    if (!m.model->type->node_size || !m.model->type->is_there(m.model, m.index)) continue;
    count += find(step, m, i, wall, walls, out ? out + count : NULL);
  }
  return count;
}

static bool has_stopped(const CpsWorld* world) {
  for (int i = 0; i < world->population_count; ++i) {
    if (world->population[i]->type->node_size && world->population[i]->count > 0) return true;
  }
  return false;
}

CpsStatus cps_step_find_stops(CpsStep* step) {
  const CpsWorld* world = step->world;
  step->stop_count = 0;
  step->stop = NULL;
  if (!has_stopped(world)) return CPS_OK;
  Wall* wall = CPS_TAKE(step->scratch, Wall, step->collider_count);
  if (!wall) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory to detect contacts");
  const int32_t walls = list_walls(step, wall);
  const CpsStatus status = check_walls(step, wall, walls);
  if (status != CPS_OK) return status;
  step->stop_count = find_all(step, wall, walls, NULL);
  step->stop = CPS_TAKE(step->scratch, CpsStop, step->stop_count);
  if (!step->stop) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory to detect contacts");
  (void)find_all(step, wall, walls, step->stop);
  return CPS_OK;
}

void cps_stop_contact(const CpsStep* step, int32_t i, CpsPatchNode* node, CpsStepContact* t, CpsTrack* track) {
  const CpsStop* s = &step->stop[i];
  const CpsMember m = cps_world_member(step->world, s->member);
  const CpsCollider* c = &step->colliders[s->wall];
  *node = (CpsPatchNode){s->node, cps_mat3_identity(), 1.0};
  *t = (CpsStepContact){.a = s->member, .b = c->owner, .obstacle = -1, .soft = -1};
  if (c->owner < 0) t->obstacle = cps_key_place(c->key);
  t->touch = (CpsTouch){.point_a = s->place, .point_b = s->place, .normal = s->touch.normal};
  t->touch.feature = (s->touch.feature & ~BEHIND) | (s->behind ? BEHIND : 0);
  t->spot_a = (CpsSpot){.point = s->place, .piece = s->node, .patch_count = 1, .patch = node};
  t->spot_b = (CpsSpot){.point = s->place, .piece = cps_key_piece(c->key)};
  // keys of nodes follow those of all surfaces
  *track = (CpsTrack){
      .key_a = (uint64_t)CPS_KEY_SURFACE << 61 | UINT64_C(1) << 60 | m.model->type->node_key(m.model, m.index, s->node),
      .key_b = c->key,
      .feature = t->touch.feature,
      .point = s->place};
}
