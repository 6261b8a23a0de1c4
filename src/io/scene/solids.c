// Solids of a scene: what they are made of, what holds them.
#include <math.h>
#include <string.h>

#include "io/scene/pins.h"
#include "io/scene/solid_regions.h"

static const double THIN = 0.02;      // default radius of the surface, relative to the mean length of its edges
static const double FARTHEST = 1e-6;  // tolerance for vertices on a side, relative to the size of the mesh

static double mean_edge(const CpsSolidLayout* mesh) {
  double sum = 0.0;
  for (int64_t i = 0; i < 3 * (int64_t)mesh->triangle_count; ++i) {
    const int64_t next = i % 3 == 2 ? i - 2 : i + 1;
    sum += cps_vec3_norm(cps_vec3_sub(mesh->vertices[mesh->triangles[next]], mesh->vertices[mesh->triangles[i]]));
  }
  return sum / (3.0 * mesh->triangle_count);
}

static bool is_meant(const CpsPinMesh* of, const CpsPinPlace* place, int32_t vertex) {
  return cps_vec3_dot(place->point, of->vertices[vertex]) >= place->from;
}

// The direction of a side, and its distance.
static CpsStatus find_side(CpsReader* reader, const CpsPinMesh* of, CpsPinPlace* place) {
  (void)reader;
  if (!place->other) return CPS_OK;
  const char* side = place->other->text;
  double least = INFINITY, most = -INFINITY;
  (&place->point.x)[side[1] - 'x'] = side[0] == '-' ? -1.0 : 1.0;
  for (int32_t i = 0; i < of->vertex_count; ++i) {
    double x = cps_vec3_dot(place->point, of->vertices[i]);
    least = fmin(least, x), most = fmax(most, x);
  }
  place->from = most - FARTHEST * (most - least);
  return CPS_OK;
}

static CpsStatus read_pins(CpsReader* reader, const CpsNode* map, const CpsSolidLayout* mesh, CpsSceneSolid* solid) {
  static const char* const KEYS[] = {"side", NULL};
  const CpsPinMesh of = {.kind = "solid",
                         .mesh = mesh,
                         .vertices = mesh->vertices,
                         .vertex_count = mesh->vertex_count,
                         .choices = "vertices, near or side",
                         .keys = KEYS,
                         .check = find_side,
                         .is_meant = is_meant};
  CpsScenePins pins;
  CpsStatus status = cps_scene_pins(reader, cps_node_find(map, "pins"), &of, &pins);
  solid->def.pins = pins.pins;
  solid->def.pin_count = pins.count;
  solid->pin_on = pins.on;
  return status;
}

// Places the mesh as the entry requires.
static CpsStatus place(CpsReader* reader, const CpsNode* map, const CpsSolidLayout* mesh, CpsSceneSolid* solid) {
  CpsSolidDef* def = &solid->def;
  CpsPose axes;
  def->velocity = cps_map_vec3(map, "velocity", def->velocity);
  def->spin = cps_map_vec3(map, "angular_velocity", def->spin);
  def->radius = cps_map_number(map, "radius", THIN * mean_edge(mesh));
  CpsStatus status = cps_scene_axes(reader, map, &axes, &def->velocity, &def->spin);
  if (status != CPS_OK) return status;
  for (int32_t i = 0; i < mesh->vertex_count; ++i) mesh->vertices[i] = cps_pose_apply(axes, mesh->vertices[i]);
  def->vertex_count = mesh->vertex_count;
  def->vertices = mesh->vertices;
  def->tetrahedron_count = mesh->tetrahedron_count;
  def->tetrahedra = mesh->tetrahedra;
  solid->triangle_count = mesh->triangle_count;
  solid->triangles = mesh->triangles;
  return CPS_OK;
}

static void read_rest(const CpsNode* map, CpsSolidDef* def) {
  def->mass_damping = cps_map_number(map, "mass_damping", def->mass_damping);
  def->gravity = cps_map_bool(map, "gravity", def->gravity);
  def->mu = cps_map_number(map, "mu", def->mu);
  def->restitution = cps_map_number(map, "restitution", def->restitution);
  def->contact = cps_map_bool(map, "contact", def->contact);
  def->self_contact = cps_map_bool(map, "self_contact", def->self_contact);
  def->group = cps_map_count(map, "group", def->group);
}

static CpsStatus read_surface(CpsReader* reader, const CpsNode* map, CpsSolidDef* def) {
  static const char* const KEYS[] = {"kernel", "reach", "transport"};
  const CpsNode *surface = cps_node_find(map, "surface"), *kernel = cps_node_find(map, "kernel"),
                *transport = cps_node_find(map, "transport");
  CpsSmooth* s = &def->smooth;
  s->on = surface && strcmp(surface->text, "smooth") == 0;
  for (int i = 0; !s->on && i < 3; ++i) {
    const CpsNode* key = cps_node_find(map, KEYS[i]);
    if (key) return cps_key_fail(reader->error, CPS_BAD_FORMAT, key, "only valid with surface: smooth");
  }
  if (kernel) (void)cps_kernel_find(kernel->text, &s->kernel);
  if (transport && strcmp(transport->text, "paper") == 0) s->transport = CPS_TRANSPORT_PAPER;
  s->reach = cps_map_number(map, "reach", s->reach);
  return CPS_OK;
}

// If the mesh comes from a file, errors name the file.
static CpsStatus check(CpsReader* reader, const CpsNode* map, const char* name, CpsSolidDef* def) {
  const CpsNode* file = cps_node_find(map, "file");
  CpsError why, again;
  def->name = file ? cps_scene_base_name(file->text) : name;
  CpsStatus status = cps_solid_check(def, &why);
  if (status == CPS_OK) return CPS_OK;
  if (status == CPS_NO_MEMORY) return cps_scene_no_memory(reader);
  CpsSolidDef bare = *def;
  bare.pin_count = 0;  // these belong to the scene
  const bool of_file = file && cps_solid_check(&bare, &again) != CPS_OK;
  return cps_node_fail(reader->error, CPS_BAD_DATA, of_file ? file : map, "%s", why.text);
}

static CpsStatus read_solid(CpsReader* reader, const CpsNode* map) {
  CpsSceneSolid* solid = &reader->scene->solids[reader->scene->solid_count++];
  *solid = (CpsSceneSolid){.name = cps_scene_text(reader, map->key), .def = cps_solid_def_default()};
  if (!solid->name) return cps_scene_no_memory(reader);
  CpsSolidLayout mesh;
  CpsStatus status = cps_scene_material(reader, map, &solid->def.material);
  if (status == CPS_OK) status = cps_scene_solid_mesh(reader, map, &mesh);
  cps_scene_solid_matter(map, &solid->def.matter);
  // pins and regions refer to positions in the axes of the mesh, before it is placed
  if (status == CPS_OK) status = cps_scene_solid_regions(reader, map, &mesh, &solid->def);
  if (status == CPS_OK) status = read_pins(reader, map, &mesh, solid);
  if (status == CPS_OK) status = place(reader, map, &mesh, solid);
  if (status == CPS_OK) status = read_surface(reader, map, &solid->def);
  if (status != CPS_OK) return status;
  read_rest(map, &solid->def);
  status = check(reader, map, solid->name, &solid->def);
  solid->def.name = solid->name;
  return status;
}

CpsStatus cps_scene_load_solids(CpsReader* reader) {
  CpsScene* scene = reader->scene;
  const CpsNode* map = cps_node_find(reader->root, "solids");
  scene->solids = CPS_TAKE(&scene->memory, CpsSceneSolid, map ? map->count : 0);
  return scene->solids ? cps_scene_each(reader, map, read_solid) : cps_scene_no_memory(reader);
}
