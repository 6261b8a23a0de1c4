// Bodies of a scene: one entry is one body, or many by a generator.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/scene/internal.h"

static CpsStatus read_shared(CpsReader* reader, const CpsNode* map, CpsBodyDef* def) {
  *def = cps_body_def_default();
  CpsStatus status = cps_scene_material(reader, map, &def->material);
  if (status != CPS_OK) return status;
  double density = reader->scene->materials[def->material].density;
  if (isnan(density)) density = def->density;
  def->velocity = cps_map_vec3(map, "velocity", def->velocity);
  def->angular_velocity = cps_map_vec3(map, "angular_velocity", def->angular_velocity);
  def->mass = cps_map_number(map, "mass", 0.0);
  def->density = cps_map_number(map, "density", density);
  def->centre = cps_map_vec3(map, "centre_of_mass", def->centre);
  const CpsNode* inertia = cps_node_find(map, "inertia");
  if (inertia) {
    int i = 0;
    memset(def->inertia, 0, sizeof def->inertia);
    for (const CpsNode* node = inertia->first; node; node = node->next) def->inertia[i++] = node->number;
  }
  def->mu = cps_map_number(map, "mu", def->mu);
  def->restitution = cps_map_number(map, "restitution", def->restitution);
  def->mu_across = cps_map_number(map, "mu_across", def->mu_across);
  def->grain = cps_map_vec3(map, "grain", def->grain);
  def->fixed_rotation = cps_map_bool(map, "fixed_rotation", def->fixed_rotation);
  def->gravity = cps_map_bool(map, "gravity", def->gravity);
  def->group = cps_map_count(map, "group", def->group);
  const CpsNode *mass = cps_node_find(map, "mass"), *grain = cps_node_find(map, "grain");
  if (mass && cps_node_find(map, "density")) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, mass, "give either mass or density");
  }
  if (grain && !(cps_vec3_norm(def->grain) > 0.0)) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, grain, "the grain has no direction");
  }
  return CPS_OK;
}

// The two fixed stones of an arch, as obstacles "arch.left" and "arch.right" of the same material.
static CpsStatus add_springers(CpsReader* reader, const CpsNode* map, const CpsBodyDef* def, CpsPose axes) {
  CpsScene* scene = reader->scene;
  CpsShape shapes[2];
  CpsPose poses[2];
  int count;
  CpsStatus status = cps_scene_springers(reader, cps_node_find(map, "arch"), shapes, poses, &count);
  for (int i = 0; status == CPS_OK && i < count; ++i) {
    char name[CPS_NAME_LENGTH + 8];
    snprintf(name, sizeof name, "%s.%s", map->key, i == 0 ? "right" : "left");
    CpsObstacleDef stone = cps_obstacle_def_default();
    stone.shape = shapes[i];
    stone.pose = cps_pose_multiply(axes, poses[i]);
    stone.material = def->material;
    stone.mu = def->mu;
    stone.restitution = def->restitution;
    const char* copy = cps_scene_text(reader, name);
    if (!copy) return cps_scene_no_memory(reader);
    scene->obstacles[scene->obstacle_count++] = (CpsSceneObstacle){copy, stone, map};
  }
  return status;
}

static const char* const GENERATORS[] = {"copies", "grid", "pack", "pile", "wall", "arch"};
enum { COPIES, GRID, PACK, PILE, WALL, ARCH, GENERATOR_COUNT };

// The generator of a body, or GENERATOR_COUNT.
static CpsStatus find_generator(CpsReader* reader, const CpsNode* map, int* found) {
  *found = GENERATOR_COUNT;
  for (int i = 0; i < GENERATOR_COUNT; ++i) {
    const CpsNode* node = cps_node_find(map, GENERATORS[i]);
    if (node && *found < GENERATOR_COUNT) {
      return cps_key_fail(reader->error, CPS_BAD_FORMAT, node, "only one generator is allowed; '%s' is already given",
                          GENERATORS[*found]);
    }
    if (node) *found = i;
  }
  return CPS_OK;
}

static CpsStatus generate(CpsReader* reader, const CpsNode* map, int generator, const CpsShape* shape, CpsLayout* out) {
  const CpsNode* node = generator < GENERATOR_COUNT ? cps_node_find(map, GENERATORS[generator]) : NULL;
  switch (generator) {
    case COPIES:
      return cps_scene_copies(reader, node, out);
    case GRID:
      return cps_scene_grid(reader, node, out);
    case PACK:
      return cps_scene_pack(reader, node, shape, out);
    case PILE:
      return cps_scene_pile(reader, node, out);
    case WALL:
      return cps_scene_wall(reader, node, out);
    case ARCH:
      return cps_scene_arch(reader, node, out);
    default: {
      CpsStatus status = cps_layout_begin(reader, map, 1.0, out);
      if (status == CPS_OK) out->pose[0] = (CpsPose){{0.0, 0.0, 0.0}, cps_quat_identity()};
      return status;
    }
  }
}

// Reads the shape of the body (*shape stays NULL if the generator has its own) and the poses of all bodies.
static CpsStatus lay_out(CpsReader* reader, const CpsNode* map, CpsLayout* out, const CpsShape** shape,
                         const CpsNode** place, int* generator) {
  CpsStatus status = cps_scene_find_shape(reader, map, place);
  if (status == CPS_OK) status = find_generator(reader, map, generator);
  if (status != CPS_OK) return status;
  bool own = *generator == PILE || *generator == WALL || *generator == ARCH;
  if (own && *place) {
    return cps_key_fail(reader->error, CPS_BAD_FORMAT, *place, "'%s' defines its own shapes", GENERATORS[*generator]);
  }
  *shape = NULL;
  if (!own && (*place || *generator != PACK)) {
    CpsShape* taken = CPS_TAKE(&reader->scene->memory, CpsShape, 1);
    if (!taken) return cps_scene_no_memory(reader);
    status = cps_scene_shape(reader, map, taken, place);
    *shape = taken;
  } else {
    *place = cps_node_find(map, GENERATORS[*generator]);
  }
  return status == CPS_OK ? generate(reader, map, *generator, *shape, out) : status;
}

// Overlapping parts add up their masses: often unintended.
static CpsStatus note_overlaps(CpsReader* reader, const CpsNode* place, const CpsShape* shape) {
  CpsPartOverlap overlap;
  if (shape->kind != CPS_SHAPE_COMPOUND) return CPS_OK;
  if (cps_compound_overlap(shape, &overlap, NULL) != CPS_OK) return cps_scene_no_memory(reader);
  if (overlap.depth > 1e-3 * overlap.radius) {
    cps_scene_note(reader, place, "parts %d and %d overlap by %.3g m; the mass of the overlap counts twice",
                   (int)overlap.a, (int)overlap.b, overlap.depth);
  }
  return CPS_OK;
}

// Checks that each shape makes a body: a hull may be flat, or a radius so small that its mass is 0.
static CpsStatus check_masses(CpsReader* reader, const CpsNode* place, const CpsSceneGroup* group) {
  for (int32_t i = 0; i < group->shape_count; ++i) {
    CpsMassProperties mass;
    CpsError why;
    CpsStatus status = cps_shape_mass(&group->shapes[i], group->def.density, &mass, &why);
    if (status == CPS_NO_MEMORY) return cps_scene_no_memory(reader);
    if (status != CPS_OK) return cps_node_fail(reader->error, CPS_BAD_DATA, place, "%s", why.text);
    double scale = group->def.mass > 0.0 ? group->def.mass / mass.mass : 1.0;
    double least = fmin(mass.mass, fmin(mass.inertia.x, fmin(mass.inertia.y, mass.inertia.z)));
    if (!isnormal(scale * least) || !isfinite(scale * mass.mass)) {
      return cps_node_fail(reader->error, CPS_BAD_DATA, place, "its mass of %g kg or its inertia is out of range",
                           group->def.mass > 0.0 ? group->def.mass : mass.mass);
    }
    if (isnan(group->def.inertia[0])) status = note_overlaps(reader, place, &group->shapes[i]);
    if (status != CPS_OK) return status;
  }
  return CPS_OK;
}

static CpsStatus read_body(CpsReader* reader, const CpsNode* map) {
  CpsScene* scene = reader->scene;
  CpsSceneGroup* group = &scene->groups[scene->group_count++];
  *group = (CpsSceneGroup){.name = cps_scene_text(reader, map->key), .node = map, .first = scene->body_count};
  if (!group->name) return cps_scene_no_memory(reader);
  CpsPose axes;
  CpsLayout layout = {0};
  const CpsShape* shape = NULL;
  const CpsNode* place = NULL;
  int generator = GENERATOR_COUNT;
  CpsStatus status = read_shared(reader, map, &group->def);
  if (status == CPS_OK) {
    status = cps_scene_axes(reader, map, &axes, &group->def.velocity, &group->def.angular_velocity);
  }
  if (status == CPS_OK) status = lay_out(reader, map, &layout, &shape, &place, &generator);
  if (status != CPS_OK) return status;
  for (int32_t i = 0; i < layout.count; ++i) {
    layout.pose[i] = cps_pose_multiply(axes, layout.pose[i]);
    if (isfinite(cps_vec3_norm(layout.pose[i].position))) continue;
    return cps_node_fail(reader->error, CPS_BAD_DATA, map, "body %d is too far away", (int)i);
  }
  group->count = layout.count;
  group->numbered = generator < GENERATOR_COUNT;
  group->shape_count = shape ? 1 : layout.shape_count;
  group->shapes = shape ? shape : layout.shapes;
  group->shape = shape ? NULL : layout.shape;
  group->pose = layout.pose;
  scene->body_count += group->count;
  status = check_masses(reader, place, group);
  return status == CPS_OK && generator == ARCH ? add_springers(reader, map, &group->def, axes) : status;
}

CpsStatus cps_scene_number_names(CpsReader* reader, const char* name, bool numbered, int32_t count,
                                 const char** names) {
  for (int32_t i = 0; i < count; ++i) names[i] = name;
  if (!numbered) return CPS_OK;
  size_t size = strlen(name) + 16;
  char* text = CPS_TAKE(&reader->scene->memory, char, (int64_t)size* count);
  if (!text) return cps_scene_no_memory(reader);
  for (int32_t i = 0; i < count; ++i, text += size) {
    snprintf(text, size, "%s[%d]", name, (int)i);
    names[i] = text;
  }
  return CPS_OK;
}

static CpsStatus name_bodies(CpsReader* reader) {
  CpsScene* scene = reader->scene;
  scene->body_names = CPS_TAKE(&scene->memory, const char*, scene->body_count);
  if (!scene->body_names) return cps_scene_no_memory(reader);
  CpsStatus status = CPS_OK;
  for (int32_t g = 0; status == CPS_OK && g < scene->group_count; ++g) {
    const CpsSceneGroup* group = &scene->groups[g];
    const char** names = scene->body_names + group->first;
    status = cps_scene_number_names(reader, group->name, group->numbered, group->count, names);
  }
  return status;
}

CpsStatus cps_scene_load_bodies(CpsReader* reader) {
  CpsScene* scene = reader->scene;
  const CpsNode* map = cps_node_find(reader->root, "bodies");
  scene->groups = CPS_TAKE(&scene->memory, CpsSceneGroup, map ? map->count : 0);
  if (!scene->groups) return cps_scene_no_memory(reader);
  CpsStatus status = cps_scene_each(reader, map, read_body);
  return status == CPS_OK ? name_bodies(reader) : status;
}
