// Solids of a scene: what they are made of, what holds them.
#include <math.h>
#include <string.h>

#include "io/scene/solid_mesh.h"

static const double THIN = 0.02;      // radius of the surface without one given, of the mean length of its edges
static const double FARTHEST = 1e-6;  // vertices of a side: of the size of the mesh

static double mean_edge(const CpsSolidLayout* mesh) {
  double sum = 0.0;
  for (int64_t i = 0; i < 3 * (int64_t)mesh->triangle_count; ++i) {
    const int64_t next = i % 3 == 2 ? i - 2 : i + 1;
    sum += cps_vec3_norm(cps_vec3_sub(mesh->vertices[mesh->triangles[next]], mesh->vertices[mesh->triangles[i]]));
  }
  return sum / (3.0 * mesh->triangle_count);
}

// What a pin says about where its vertices are.
typedef struct Where {
  const CpsNode *vertices, *near, *side;
  CpsVec3 point, way;  // near; direction of the side
  double radius, from;
} Where;

static bool is_meant(const CpsSolidLayout* mesh, const Where* w, int32_t vertex) {
  CpsVec3 x = mesh->vertices[vertex];
  if (w->side) return cps_vec3_dot(w->way, x) >= w->from;
  return cps_vec3_norm(cps_vec3_sub(x, w->point)) <= w->radius;
}

static void find_side(const CpsSolidLayout* mesh, Where* w) {
  double sign = w->side->text[0] == '-' ? -1.0 : 1.0, least = INFINITY, most = -INFINITY;
  (&w->way.x)[w->side->text[1] - 'x'] = sign;
  for (int32_t i = 0; i < mesh->vertex_count; ++i) {
    double x = cps_vec3_dot(w->way, mesh->vertices[i]);
    least = fmin(least, x), most = fmax(most, x);
  }
  w->from = most - FARTHEST * (most - least);
}

static CpsStatus take_list(CpsReader* reader, const CpsNode* list, const CpsSolidLayout* mesh, int32_t* to,
                           int32_t* count) {
  for (const CpsNode* node = list->first; node; node = node->next) {
    if (node->number >= mesh->vertex_count) {
      return cps_node_fail(reader->error, CPS_BAD_DATA, node, "the solid has the vertices 0 to %d",
                           (int)mesh->vertex_count - 1);
    }
    to[(*count)++] = (int32_t)node->number;
  }
  return CPS_OK;
}

static CpsStatus find_vertices(CpsReader* reader, const CpsNode* pin, const CpsSolidLayout* mesh, CpsSheetPin* out) {
  Where w = {.vertices = cps_node_find(pin, "vertices"),
             .near = cps_node_find(pin, "near"),
             .side = cps_node_find(pin, "side"),
             .point = cps_map_vec3(pin, "near", cps_vec3(0.0, 0.0, 0.0)),
             .radius = cps_map_number(pin, "radius", 0.0)};
  const CpsNode* radius = cps_node_find(pin, "radius");
  if ((w.vertices != NULL) + (w.near != NULL) + (w.side != NULL) != 1) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, pin, "choose one: vertices, near or side");
  }
  if (radius && !w.near) return cps_key_fail(reader->error, CPS_BAD_FORMAT, radius, "goes with near");
  if (w.near && !radius) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, pin, "the key 'radius' is missing: near needs one");
  }
  if (w.side) find_side(mesh, &w);
  int32_t room = w.vertices ? (int32_t)w.vertices->count : mesh->vertex_count;
  int32_t* vertices = CPS_TAKE(&reader->scene->memory, int32_t, room);
  if (!vertices) return cps_scene_no_memory(reader);
  out->vertices = vertices;
  out->vertex_count = 0;
  CpsStatus status = CPS_OK;
  if (w.vertices) status = take_list(reader, w.vertices, mesh, vertices, &out->vertex_count);
  for (int32_t i = 0; !w.vertices && i < mesh->vertex_count; ++i) {
    if (is_meant(mesh, &w, i)) vertices[out->vertex_count++] = i;
  }
  if (status != CPS_OK || out->vertex_count > 0) return status;
  return cps_node_fail(reader->error, CPS_BAD_DATA, w.near ? w.near : w.vertices,
                       w.near ? "no vertex is within the radius" : "expected at least one vertex");
}

static CpsStatus read_pins(CpsReader* reader, const CpsNode* list, const CpsSolidLayout* mesh, CpsSceneSolid* solid) {
  if (!list || list->count == 0) return CPS_OK;
  CpsSheetPin* pins = CPS_TAKE(&reader->scene->memory, CpsSheetPin, list->count);
  solid->pin_on = CPS_TAKE(&reader->scene->memory, int32_t, list->count);
  if (!pins || !solid->pin_on) return cps_scene_no_memory(reader);
  CpsStatus status = CPS_OK;
  for (const CpsNode* node = list->first; status == CPS_OK && node; node = node->next) {
    int32_t i = solid->def.pin_count++;
    pins[i] = cps_sheet_pin_default();
    status = find_vertices(reader, node, mesh, &pins[i]);
    if (status == CPS_OK) status = cps_scene_pin_motion(reader, node, &pins[i], &solid->pin_on[i]);
  }
  solid->def.pins = pins;
  return status;
}

// Puts the mesh where the entry says.
static CpsStatus place(CpsReader* reader, const CpsNode* map, const CpsSolidLayout* mesh, CpsSceneSolid* solid) {
  CpsSolidDef* def = &solid->def;
  CpsPose axes;
  int32_t frame;
  CpsStatus status = cps_scene_pose(reader, map, &axes);
  if (status == CPS_OK) status = cps_scene_find_obstacle(reader, map, "frame", &frame);
  if (status != CPS_OK) return status;
  def->velocity = cps_map_vec3(map, "velocity", def->velocity);
  def->spin = cps_map_vec3(map, "angular_velocity", def->spin);
  def->radius = cps_map_number(map, "radius", THIN * mean_edge(mesh));
  if (frame >= 0) {
    CpsPose outer = reader->scene->obstacles[frame].def.pose;
    axes = cps_pose_multiply(outer, axes);
    def->velocity = cps_quat_rotate(outer.rotation, def->velocity);
    def->spin = cps_quat_rotate(outer.rotation, def->spin);
  }
  for (int32_t i = 0; i < mesh->vertex_count; ++i) mesh->vertices[i] = cps_pose_apply(axes, mesh->vertices[i]);
  def->vertex_count = mesh->vertex_count;
  def->vertices = mesh->vertices;
  def->tetrahedron_count = mesh->tetrahedron_count;
  def->tetrahedra = mesh->tetrahedra;
  solid->triangle_count = mesh->triangle_count;
  solid->triangles = mesh->triangles;
  return CPS_OK;
}

static void read_matter(const CpsNode* map, CpsSolidDef* def) {
  const CpsNode* law = cps_node_find(map, "law");
  CpsSolidRegion* m = &def->matter;
  if (law) (void)cps_solid_law_find(law->text, &m->law);
  m->young = cps_map_number(map, "young", m->young);
  m->poisson = cps_map_number(map, "poisson", m->poisson);
  m->density = cps_map_number(map, "density", m->density);
  m->damping = cps_map_number(map, "damping", m->damping);
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
    if (key) return cps_key_fail(reader->error, CPS_BAD_FORMAT, key, "goes with surface: smooth");
  }
  if (kernel) (void)cps_kernel_find(kernel->text, &s->kernel);
  if (transport && strcmp(transport->text, "paper") == 0) s->transport = CPS_TRANSPORT_PAPER;
  s->reach = cps_map_number(map, "reach", s->reach);
  return CPS_OK;
}

static CpsStatus read_solid(CpsReader* reader, const CpsNode* map, CpsSceneSolid* solid) {
  *solid = (CpsSceneSolid){.name = cps_scene_text(reader, map->key), .def = cps_solid_def_default()};
  if (!solid->name) return cps_scene_no_memory(reader);
  CpsSolidLayout mesh;
  CpsStatus status = cps_scene_material(reader, map, &solid->def.material);
  if (status == CPS_OK) status = cps_scene_solid_mesh(reader, map, &mesh);
  // pins name places in the axes of the mesh: before it is placed
  if (status == CPS_OK) status = read_pins(reader, cps_node_find(map, "pins"), &mesh, solid);
  if (status == CPS_OK) status = place(reader, map, &mesh, solid);
  if (status == CPS_OK) status = read_surface(reader, map, &solid->def);
  if (status != CPS_OK) return status;
  read_matter(map, &solid->def);
  CpsError why;
  status = cps_solid_check(&solid->def, &why);
  if (status == CPS_NO_MEMORY) return cps_scene_no_memory(reader);
  if (status != CPS_OK) return cps_node_fail(reader->error, CPS_BAD_DATA, map, "%s", why.text);
  solid->def.name = solid->name;
  return CPS_OK;
}

CpsStatus cps_scene_load_solids(CpsReader* reader) {
  CpsScene* scene = reader->scene;
  const CpsNode* map = cps_node_find(reader->root, "solids");
  const int32_t others = reader->mistakes.count;  // of other parts
  scene->solids = CPS_TAKE(&scene->memory, CpsSceneSolid, map ? map->count : 0);
  if (!scene->solids) return cps_scene_no_memory(reader);
  for (const CpsNode* node = map ? map->first : NULL; node; node = node->next) {
    int32_t before = reader->mistakes.count;
    CpsStatus status = read_solid(reader, node, &scene->solids[scene->solid_count++]);
    if (!cps_scene_next(reader, before, status)) return status;
  }
  return reader->mistakes.count == others ? CPS_OK : reader->mistakes.status;
}
