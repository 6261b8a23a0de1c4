// Sheets of a scene: what they are made of, what holds them.
#include <math.h>
#include <string.h>

#include "base/suggest.h"
#include "capstan/fabric.h"
#include "io/scene/sheet_mesh.h"

enum { MOST_FABRICS = 32 };

static CpsStatus read_fabric_file(CpsReader* reader, const CpsNode* node, CpsFabric* fabric) {
  const CpsNode* file = cps_node_find(node, "file");
  const char* path = cps_scene_path(reader, file);
  if (!path) return cps_scene_no_memory(reader);
  CpsFabricTable table;
  CpsError why;
  CpsStatus status = cps_fabric_table_read(path, &table, &why);
  if (status == CPS_OK) {
    status = cps_fabric_table_at(&table, cps_map_number(node, "strain", 0.0), cps_map_number(node, "curvature", 0.0),
                                 fabric, &why);
  }
  if (status == CPS_NO_MEMORY) return cps_scene_no_memory(reader);
  return status == CPS_OK ? CPS_OK : cps_node_fail(reader->error, status, file, "%s", why.text);
}

static CpsStatus read_fabric(CpsReader* reader, const CpsNode* node, CpsSheetDef* def) {
  if (!node) return CPS_OK;
  CpsFabric fabric = {0};
  if (node->kind == CPS_NODE_MAP) {
    CpsStatus status = read_fabric_file(reader, node, &fabric);
    if (status != CPS_OK) return status;
  } else if (!cps_fabric_find(node->text, &fabric)) {
    CpsFabric known[MOST_FABRICS];
    const char* names[MOST_FABRICS + 1] = {NULL};
    for (int32_t i = 0; i < MOST_FABRICS && cps_fabric_get(i, &known[i]); ++i) names[i] = known[i].name;
    const char* near = cps_suggest(node->text, names);
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, node, "unknown fabric '%.40s'%s%s%s", node->text,
                         near ? "; did you mean '" : "; choose silk, cotton, wool, denim, paper or rubber",
                         near ? near : "", near ? "'?" : "");
  }
  cps_sheet_def_use_fabric(def, &fabric);
  return CPS_OK;
}

// Reads one number for warp and weft, or one for each.
static void read_two(const CpsNode* map, const char* key, double two[2]) {
  const CpsNode* node = cps_node_find(map, key);
  if (!node) return;
  bool list = node->kind == CPS_NODE_LIST;
  two[0] = list ? node->first->number : node->number;
  two[1] = list ? node->last->number : node->number;
}

static void read_matter(const CpsNode* map, CpsSheetDef* def) {
  const CpsNode *membrane = cps_node_find(map, "membrane"), *law = cps_node_find(map, "bending_law"),
                *damping = cps_node_find(map, "damping"), *drag = cps_node_find(map, "drag");
  def->thickness = cps_map_number(map, "thickness", def->thickness);
  def->density = cps_map_number(map, "density", def->density);
  if (membrane) (void)cps_membrane_law_find(membrane->text, &def->membrane);
  if (law) (void)cps_bending_law_find(law->text, &def->bending_law);
  read_two(map, "stretch", def->stretch);
  def->shear = cps_map_number(map, "shear", def->shear);
  def->poisson = cps_map_number(map, "poisson", def->poisson);
  read_two(map, "bending", def->bending);
  def->twisting = cps_map_number(map, "twisting", def->twisting);
  def->bending_poisson = cps_map_number(map, "bending_poisson", def->bending_poisson);
  def->stretch_damping = cps_map_number(damping, "stretch", def->stretch_damping);
  def->bending_damping = cps_map_number(damping, "bending", def->bending_damping);
  def->mass_damping = cps_map_number(damping, "mass", def->mass_damping);
  if (drag) {
    bool list = drag->kind == CPS_NODE_LIST;
    def->drag[0] = list ? drag->first->number : drag->number;
    def->drag[1] = list ? drag->last->number : 0.0;
  }
  def->air_density = cps_map_number(map, "air_density", def->air_density);
  def->gravity = cps_map_bool(map, "gravity", def->gravity);
}

static CpsStatus read_wind(CpsReader* reader, const CpsNode* node, CpsSheetDef* def) {
  if (!node) return CPS_OK;
  if (node->kind == CPS_NODE_LIST) {
    def->wind = cps_node_vec3(node);
    return CPS_OK;
  }
  def->wind = cps_map_vec3(node, "velocity", def->wind);
  return cps_scene_time_curve(reader, node, &def->wind_curve);
}

static void read_contact(const CpsNode* map, CpsSheetDef* def) {
  def->mu = cps_map_number(map, "mu", def->mu);
  def->restitution = cps_map_number(map, "restitution", def->restitution);
  def->contact = cps_map_bool(map, "contact", def->contact);
  def->self_contact = cps_map_bool(map, "self_contact", def->self_contact);
  def->group = cps_map_count(map, "group", def->group);
}

static CpsStatus read_pins(CpsReader* reader, const CpsNode* map, const CpsSheetLayout* mesh, CpsSceneSheet* sheet) {
  const CpsPinMesh of = cps_scene_sheet_pins(mesh);
  CpsScenePins pins;
  CpsStatus status = cps_scene_pins(reader, cps_node_find(map, "pins"), &of, &pins);
  sheet->def.pins = pins.pins;
  sheet->def.pin_count = pins.count;
  sheet->pin_on = pins.on;
  return status;
}

static CpsStatus read_seams(CpsReader* reader, const CpsNode* list, CpsSheetDef* def) {
  if (!list || list->count == 0) return CPS_OK;
  CpsSheetSeam* seams = CPS_TAKE(&reader->scene->memory, CpsSheetSeam, list->count);
  if (!seams) return cps_scene_no_memory(reader);
  for (const CpsNode* pair = list->first; pair; pair = pair->next) {
    seams[def->seam_count++] = (CpsSheetSeam){(int32_t)pair->first->number, (int32_t)pair->last->number};
  }
  def->seams = seams;
  return CPS_OK;
}

static CpsStatus read_pleats(CpsReader* reader, const CpsNode* list, CpsSheetDef* def) {
  if (!list || list->count == 0) return CPS_OK;
  CpsSheetPleat* pleats = CPS_TAKE(&reader->scene->memory, CpsSheetPleat, list->count);
  if (!pleats) return cps_scene_no_memory(reader);
  for (const CpsNode* node = list->first; node; node = node->next) {
    const CpsNode* edge = cps_node_find(node, "edge");
    pleats[def->pleat_count++] =
        (CpsSheetPleat){(int32_t)edge->first->number, (int32_t)edge->last->number, cps_map_number(node, "angle", 0.0)};
  }
  def->pleats = pleats;
  return CPS_OK;
}

// Places the mesh as the entry requires, and stores its rest shape.
static CpsStatus place(CpsReader* reader, const CpsNode* map, const CpsSheetLayout* mesh, CpsSheetDef* def) {
  CpsPose axes;
  def->velocity = cps_map_vec3(map, "velocity", def->velocity);
  CpsStatus status = cps_scene_axes(reader, map, &axes, &def->velocity, NULL);
  if (status != CPS_OK) return status;
  const CpsNode* angles = cps_node_find(map, "rest_angles");
  for (int32_t i = 0; i < mesh->vertex_count; ++i) mesh->vertices[i] = cps_pose_apply(axes, mesh->vertices[i]);
  def->vertex_count = mesh->vertex_count;
  def->vertices = mesh->vertices;
  def->triangle_count = mesh->triangle_count;
  def->triangles = mesh->triangles;
  def->texture = mesh->texture;
  def->texture_scale = cps_map_number(map, "texture_scale", def->texture_scale);
  def->warp = cps_quat_rotate(axes.rotation, cps_vec3(1.0, 0.0, 0.0));
  def->warp_angle = cps_map_number(map, "warp_angle", def->warp_angle);
  if (angles && strcmp(angles->text, "placed") == 0) def->rest_angles = CPS_REST_ANGLES_PLACED;
  return CPS_OK;
}

static CpsStatus check_file_keys(CpsReader* reader, const CpsNode* map) {
  static const char* const KEYS[] = {"scale", "rest", "texture_scale"};
  const CpsNode *rest = cps_node_find(map, "rest"), *scale = cps_node_find(map, "texture_scale");
  for (int i = 0; i < 3 && !cps_node_find(map, "file"); ++i) {
    const CpsNode* node = cps_node_find(map, KEYS[i]);
    if (node) return cps_key_fail(reader->error, CPS_BAD_FORMAT, node, "only valid with file");
  }
  if (scale && !(rest && strcmp(rest->text, "texture") == 0)) {
    return cps_key_fail(reader->error, CPS_BAD_FORMAT, scale, "only valid with rest: texture");
  }
  return CPS_OK;
}

// If the mesh comes from a file, errors name the file.
static CpsStatus check(CpsReader* reader, const CpsNode* map, const char* name, CpsSheetDef* def) {
  const CpsNode* file = cps_node_find(map, "file");
  CpsError why, again;
  def->name = file ? cps_scene_base_name(file->text) : name;
  CpsStatus status = cps_sheet_check(def, &why);
  if (status == CPS_OK) return CPS_OK;
  if (status == CPS_NO_MEMORY) return cps_scene_no_memory(reader);
  CpsSheetDef bare = *def;
  bare.pin_count = bare.seam_count = 0;  // these belong to the scene
  const bool of_file = file && cps_sheet_check(&bare, &again) != CPS_OK;
  return cps_node_fail(reader->error, CPS_BAD_DATA, of_file ? file : map, "%s", why.text);
}

static CpsStatus read_sheet(CpsReader* reader, const CpsNode* map) {
  CpsSceneSheet* sheet = &reader->scene->sheets[reader->scene->sheet_count++];
  *sheet = (CpsSceneSheet){.name = cps_scene_text(reader, map->key), .def = cps_sheet_def_default()};
  if (!sheet->name) return cps_scene_no_memory(reader);
  CpsSheetDef* def = &sheet->def;
  CpsSheetLayout mesh;
  CpsStatus status = check_file_keys(reader, map);
  if (status == CPS_OK) status = cps_scene_material(reader, map, &def->material);
  if (status == CPS_OK) status = read_fabric(reader, cps_node_find(map, "fabric"), def);
  if (status == CPS_OK) status = read_wind(reader, cps_node_find(map, "wind"), def);
  if (status == CPS_OK) status = cps_scene_sheet_mesh(reader, map, &mesh);
  // pins refer to positions in the axes of the mesh, before it is placed
  if (status == CPS_OK) status = read_pins(reader, map, &mesh, sheet);
  if (status == CPS_OK) status = read_seams(reader, cps_node_find(map, "seams"), def);
  if (status == CPS_OK) status = read_pleats(reader, cps_node_find(map, "pleats"), def);
  if (status == CPS_OK) status = place(reader, map, &mesh, def);
  if (status != CPS_OK) return status;
  read_matter(map, def);
  read_contact(map, def);
  status = check(reader, map, sheet->name, def);
  def->name = sheet->name;
  return status;
}

CpsStatus cps_scene_load_sheets(CpsReader* reader) {
  CpsScene* scene = reader->scene;
  const CpsNode* map = cps_node_find(reader->root, "sheets");
  scene->sheets = CPS_TAKE(&scene->memory, CpsSceneSheet, map ? map->count : 0);
  return scene->sheets ? cps_scene_each(reader, map, read_sheet) : cps_scene_no_memory(reader);
}
