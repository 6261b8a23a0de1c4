// Fibres of a scene: one entry is one fibre, or many by a generator.
#include <math.h>
#include <string.h>

#include "io/scene/internal.h"

static const struct {
  const char* key;
  CpsStatus (*generate)(CpsReader* reader, const CpsNode* node, CpsFibreLayout* out);
} GENERATORS[] = {
    {"copies", cps_scene_fibre_copies},
    {"grid", cps_scene_fibre_grid},
    {"bundle", cps_scene_fibre_bundle},
    {"hair", cps_scene_hair},
};
enum { GENERATOR_COUNT = sizeof GENERATORS / sizeof GENERATORS[0] };

static double first_said(double a, double b, double c) {
  return !isnan(a) ? a : !isnan(b) ? b : c;
}

static void read_section(const CpsNode* map, const CpsSceneMaterial* material, CpsFibreDef* def) {
  const CpsNode* radius = cps_node_find(map, "radius");
  if (radius && radius->kind == CPS_NODE_LIST) {
    def->radius = radius->first->number;
    def->radius_tip = radius->last->number;
  } else if (radius) {
    def->radius = radius->number;
  }
  def->radius_across = cps_map_number(map, "radius_across", def->radius_across);
  const CpsNode* roll = cps_node_find(map, "roll");
  if (roll) {
    bool two = roll->kind == CPS_NODE_LIST;
    def->roll[0] = two ? roll->first->number : roll->number;
    def->roll[1] = two ? roll->last->number : roll->number;
  }
  def->density = first_said(cps_map_number(map, "density", NAN), material->density, def->density);
  def->young = first_said(cps_map_number(map, "young", NAN), material->young, def->young);
  def->poisson = first_said(cps_map_number(map, "poisson", NAN), material->poisson, def->poisson);
  def->line_density = cps_map_number(map, "line_density", def->line_density);
  const CpsNode* bending = cps_node_find(map, "bending");
  if (bending) {
    bool two = bending->kind == CPS_NODE_LIST;
    def->bending[0] = two ? bending->first->number : bending->number;
    def->bending[1] = two ? bending->last->number : bending->number;
  }
  def->twisting = cps_map_number(map, "twisting", def->twisting);
  def->stretching = cps_map_number(map, "stretching", def->stretching);
  def->damping = cps_map_number(map, "damping", def->damping);
  def->drag = cps_map_number(map, "drag", def->drag);
  def->gravity = cps_map_bool(map, "gravity", def->gravity);
}

static const double WIDEST = 10.0;  // largest fitted contact radius, in radii of the fibre

// Reads a length, or the word for the largest that fits.
static bool read_contact_radius(const CpsNode* map, CpsFibreDef* def) {
  const CpsNode* node = cps_node_find(map, "contact_radius");
  const bool fit = node && (node->kind == CPS_NODE_MAP || strcmp(node->text, "fit") == 0);
  if (!fit) def->contact_radius = cps_map_number(map, "contact_radius", def->contact_radius);
  if (fit) def->contact_radius = WIDEST * def->radius;
  if (fit && node->kind == CPS_NODE_MAP) def->contact_radius = cps_map_number(node, "fit", def->contact_radius);
  return fit;
}

static void read_contact(const CpsNode* map, CpsFibreDef* def) {
  def->mu = cps_map_number(map, "mu", def->mu);
  def->restitution = cps_map_number(map, "restitution", def->restitution);
  def->contact_start = cps_map_number(map, "contact_start", def->contact_start);
  def->pieces = cps_map_count(map, "pieces", def->pieces);
  def->self_contact = cps_map_bool(map, "self_contact", def->self_contact);
  def->self_distance = cps_map_number(map, "self_distance", def->self_distance);
  def->group = cps_map_count(map, "group", def->group);
}

static CpsEndKind end_kind(const char* text) {
  return strcmp(text, "clamped") == 0 ? CPS_END_CLAMPED : strcmp(text, "pinned") == 0 ? CPS_END_PINNED : CPS_END_FREE;
}

// Reads "clamped", or {kind, on, motion}.
static CpsStatus read_end(CpsReader* reader, const CpsNode* node, CpsFibreEnd* end, int32_t* on) {
  *on = -1;
  if (!node) return CPS_OK;
  if (node->kind != CPS_NODE_MAP) {
    end->kind = cps_node_is_null(node) ? CPS_END_FREE : end_kind(node->text);
    return CPS_OK;
  }
  const CpsNode *kind = cps_node_find(node, "kind"), *motion = cps_node_find(node, "motion");
  end->kind = kind ? end_kind(kind->text) : CPS_END_CLAMPED;
  CpsStatus status = cps_scene_find_obstacle(reader, node, "on", on);
  if (status == CPS_OK) status = cps_scene_motion(reader, node, &end->motion);
  if (status != CPS_OK) return status;
  if (motion && *on >= 0) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, motion, "an end on an obstacle cannot have its own motion");
  }
  if (end->kind == CPS_END_FREE && (motion || *on >= 0)) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, node, "a free end cannot have 'on' or 'motion'");
  }
  return CPS_OK;
}

// Reads one curvature, or a list.
static CpsStatus read_curvatures(CpsReader* reader, const CpsNode* node, int32_t* count, const CpsVec3** values) {
  if (!node || node->kind != CPS_NODE_LIST) return CPS_OK;
  if (node->count == 0) return cps_node_fail(reader->error, CPS_BAD_FORMAT, node, "expected at least one curvature");
  bool one = node->first->kind == CPS_NODE_SCALAR;
  CpsVec3* taken = NULL;
  if (one) {
    taken = CPS_TAKE(&reader->scene->memory, CpsVec3, 1);
    if (!taken) return cps_scene_no_memory(reader);
    taken[0] = cps_node_vec3(node);
  } else {
    CpsStatus status = cps_scene_points(reader, node, 1.0, &taken);
    if (status != CPS_OK) return status;
  }
  *count = one ? 1 : node->count;
  *values = taken;
  return CPS_OK;
}

// Refuses a line without length: models divide by the lengths of its parts.
static CpsStatus check_line(CpsReader* reader, const CpsNode* node, const CpsFibreDef* def) {
  if (def->point_count < 2) return cps_node_fail(reader->error, CPS_BAD_FORMAT, node, "expected at least two points");
  for (int32_t i = 0; i + 1 < def->point_count; ++i) {
    double step = cps_vec3_norm(cps_vec3_sub(def->points[i + 1], def->points[i]));
    if (step > 0.0 && isfinite(step)) continue;
    return cps_node_fail(reader->error, CPS_BAD_DATA, node, "points %d and %d are the same or too far apart", (int)i,
                         (int)i + 1);
  }
  return CPS_OK;
}

// Reads points, or a root and curvatures, and the natural shape.
static CpsStatus read_form(CpsReader* reader, const CpsNode* map, CpsFibreDef* def) {
  const CpsNode *points = cps_node_find(map, "points"), *curve = cps_node_find(map, "curve"),
                *natural = cps_node_find(map, "natural"), *curvature = cps_node_find(map, "curvature");
  def->model = (CpsRodModel)cps_map_count(map, "model", (int32_t)def->model);
  def->elements = cps_map_count(map, "elements", def->elements);
  def->length = cps_map_number(map, "length", def->length);
  def->natural_as_placed = natural && natural->kind != CPS_NODE_LIST;
  if (points && curve) return cps_key_fail(reader->error, CPS_BAD_FORMAT, curve, "cannot be combined with points");
  const CpsNode* table = natural && natural->kind == CPS_NODE_MAP ? NULL : natural;
  CpsStatus status = read_curvatures(reader, table, &def->natural_count, &def->natural);
  if (status == CPS_OK) status = read_curvatures(reader, curvature, &def->curvature_count, &def->curvature);
  if (status != CPS_OK || (!points && !curve)) return status;
  static const char* const WITHOUT[] = {"length", "curvature", "direction"};
  for (int i = 0; i < 3; ++i) {
    const CpsNode* extra = cps_node_find(map, WITHOUT[i]);
    if (extra) return cps_key_fail(reader->error, CPS_BAD_FORMAT, extra, "already given by points or curve");
  }
  CpsVec3* line = NULL;
  if (points && points->kind == CPS_NODE_LIST) {
    def->point_count = points->count;
    status = cps_scene_points(reader, points, 1.0, &line);
  } else {
    status = points ? cps_scene_point_file(reader, points, &line, &def->point_count)
                    : cps_scene_point_formulas(reader, curve, &line, &def->point_count);
  }
  def->points = line;
  return status == CPS_OK ? check_line(reader, points ? points : curve, def) : status;
}

static CpsStatus read_branch(CpsReader* reader, const CpsNode* node, const CpsFibreDef* def, int32_t before,
                             CpsFibreBranch* branch) {
  *branch = (CpsFibreBranch){.parent = cps_map_count(node, "parent", -1),
                             .at = cps_map_count(node, "at", 0),
                             .elements = cps_map_count(node, "elements", 5),
                             .length = cps_map_number(node, "length", 0.0),
                             .radius = cps_map_number(node, "radius", 0.0)};
  branch->natural = cps_map_vec3(node, "natural", branch->natural);
  branch->curvature = cps_map_vec3(node, "curvature", cps_vec3(NAN, NAN, NAN));
  if (branch->parent >= before) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, cps_node_find(node, "parent"), "is not an earlier branch");
  }
  int32_t elements = branch->parent < 0 ? def->elements : def->branches[branch->parent].elements;
  if (branch->at >= elements) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, cps_node_find(node, "at"), "its parent has %d elements",
                         (int)elements);
  }
  return cps_scene_rotation(reader, node, &branch->rotation);
}

static CpsStatus read_branches(CpsReader* reader, const CpsNode* map, CpsFibreDef* def) {
  const CpsNode *list = cps_node_find(map, "branches"), *rule = cps_node_find(map, "tree");
  if (list && list->count == 0) list = NULL;
  if (!list && !rule) return CPS_OK;
  if (list && rule) return cps_key_fail(reader->error, CPS_BAD_FORMAT, rule, "cannot be combined with branches");
  if (def->model != CPS_ROD_SUPER_HELIX_RECURSIVE) {
    return cps_key_fail(reader->error, CPS_BAD_DATA, list ? list : rule, "trees need the model '%s'",
                        cps_rod_model_name(CPS_ROD_SUPER_HELIX_RECURSIVE));
  }
  if (rule) return cps_scene_tree(reader, rule, def);
  CpsFibreBranch* branches = CPS_TAKE(&reader->scene->memory, CpsFibreBranch, list->count);
  if (!branches) return cps_scene_no_memory(reader);
  def->branches = branches;
  for (const CpsNode* node = list->first; node; node = node->next) {
    CpsStatus status = read_branch(reader, node, def, def->branch_count, &branches[def->branch_count]);
    if (status != CPS_OK) return status;
    def->branch_count++;
  }
  return CPS_OK;
}

// Whether the model and the memory can represent these numbers.
static CpsStatus check_elements(CpsReader* reader, const CpsNode* map, const CpsSceneFibres* group) {
  const CpsFibreDef* def = &group->def;
  const CpsNode *elements = cps_node_find(map, "elements"), *pieces = cps_node_find(map, "pieces");
  bool super = def->model == CPS_ROD_SUPER_HELIX || def->model == CPS_ROD_SUPER_HELIX_RECURSIVE ||
               def->model == CPS_ROD_SUPER_CLOTHOID;
  if (!super && def->elements < 2) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, elements, "the model '%s' needs two segments or more",
                         cps_rod_model_name(def->model));
  }
  int64_t sum = def->elements;
  for (int32_t i = 0; i < def->branch_count; ++i) sum += def->branches[i].elements;
  if (sum > CPS_FIBRE_ELEMENTS || def->pieces > CPS_FIBRE_ELEMENTS) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, sum > CPS_FIBRE_ELEMENTS ? map : pieces,
                         "a fibre has at most %d elements or pieces", CPS_FIBRE_ELEMENTS);
  }
  reader->elements += (sum > def->pieces ? sum : def->pieces) * group->count;
  if (reader->elements > CPS_SCENE_ELEMENTS) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, map, "a scene has at most %d elements of fibres",
                         CPS_SCENE_ELEMENTS);
  }
  return CPS_OK;
}

static CpsStatus generate(CpsReader* reader, const CpsNode* map, CpsFibreLayout* out, bool* many) {
  int found = GENERATOR_COUNT;
  *many = false;
  for (int i = 0; i < GENERATOR_COUNT; ++i) {
    const CpsNode* node = cps_node_find(map, GENERATORS[i].key);
    if (node && *many) {
      return cps_key_fail(reader->error, CPS_BAD_FORMAT, node, "only one generator is allowed; '%s' is already given",
                          GENERATORS[found].key);
    }
    if (!node) continue;
    found = i;
    *many = true;
  }
  if (!*many) return cps_fibre_layout_begin(reader, map, 1.0, out);
  return GENERATORS[found].generate(reader, cps_node_find(map, GENERATORS[found].key), out);
}

// Adds all strands to the world: axes of the entry, axes of the generator, and x along `direction`. A bundle is
// perpendicular to the direction, a grid is a grid of roots.
static CpsStatus place(CpsReader* reader, const CpsNode* map, CpsSceneFibres* group, const CpsFibreLayout* layout) {
  CpsPose axes;
  CpsStatus status = cps_scene_axes(reader, map, &axes, &group->velocity, &group->angular_velocity);
  if (status != CPS_OK) return status;
  const CpsNode* direction = cps_node_find(map, "direction");
  CpsPose turn = {.rotation = cps_quat_identity()};
  if (direction && !cps_scene_turn_to(cps_node_vec3(direction), &turn.rotation)) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, direction, "it has no direction");
  }
  bool bundle = cps_node_find(map, "bundle") != NULL;
  for (int32_t i = 0; i < layout->count; ++i) {
    CpsPose* pose = &layout->strand[i].pose;
    CpsPose local = layout->strand[i].points ? *pose
                    : bundle                 ? cps_pose_multiply(turn, *pose)
                                             : cps_pose_multiply(*pose, turn);
    *pose = cps_pose_multiply(axes, local);
    if (isfinite(cps_vec3_norm(pose->position))) continue;
    return cps_node_fail(reader->error, CPS_BAD_DATA, map, "fibre %d is too far away", (int)i);
  }
  return CPS_OK;
}

// Whether the model has natural strains that can hold any shape.
static bool can_rest(CpsRodModel model) {
  return model == CPS_ROD_SUPER_HELIX || model == CPS_ROD_SUPER_HELIX_RECURSIVE || model == CPS_ROD_SUPER_CLOTHOID ||
         model == CPS_ROD_DER || model == CPS_ROD_DER_INEXTENSIBLE || model == CPS_ROD_DER_PROJECTED;
}

// Source of natural shapes that the scene does not give: they are computed, also by default for strands of a file, or
// read from a file.
static CpsStatus read_rest(CpsReader* reader, const CpsNode* map, CpsSceneFibres* group) {
  const CpsNode *natural = cps_node_find(map, "natural"), *hair = cps_node_find(map, "hair");
  const CpsNode* file = natural && natural->kind == CPS_NODE_MAP ? cps_node_find(natural, "file") : NULL;
  const bool strands = hair && cps_node_find(hair, "file");
  group->trim = cps_map_number(map, "trim", 0.0);
  group->equilibrium = natural && natural->kind == CPS_NODE_SCALAR && strcmp(natural->text, "equilibrium") == 0;
  group->implied = !natural && strands && group->def.root.kind == CPS_END_CLAMPED &&
                   group->def.tip.kind == CPS_END_FREE && can_rest(group->def.model);
  if (!file) return CPS_OK;
  group->rest = cps_scene_path(reader, file);
  return group->rest ? CPS_OK : cps_scene_no_memory(reader);
}

static CpsStatus read_fibre(CpsReader* reader, const CpsNode* map) {
  CpsScene* scene = reader->scene;
  CpsSceneFibres* group = &scene->fibre_groups[scene->fibre_group_count++];
  *group = (CpsSceneFibres){.name = cps_scene_text(reader, map->key), .node = map, .first = scene->fibre_count};
  if (!group->name) return cps_scene_no_memory(reader);
  CpsFibreDef* def = &group->def;
  *def = cps_fibre_def_default();
  CpsFibreLayout layout = {0};
  CpsStatus status = cps_scene_material(reader, map, &def->material);
  if (status == CPS_OK) status = read_form(reader, map, def);
  if (status == CPS_OK) status = read_branches(reader, map, def);
  if (status == CPS_OK) status = read_end(reader, cps_node_find(map, "root"), &def->root, &group->root_on);
  if (status == CPS_OK) status = read_end(reader, cps_node_find(map, "tip"), &def->tip, &group->tip_on);
  if (status == CPS_OK) status = generate(reader, map, &layout, &group->numbered);
  if (status == CPS_OK) status = cps_scene_fit_line(reader, map, def, &layout);
  if (status != CPS_OK) return status;
  read_section(map, &scene->materials[def->material], def);
  read_contact(map, def);
  group->fit_radius = read_contact_radius(map, def);
  if (!(def->poisson > -1.0)) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, map, "Poisson's ratio must be larger than -1");
  }
  status = read_rest(reader, map, group);
  if (status != CPS_OK) return status;
  group->velocity = cps_map_vec3(map, "velocity", group->velocity);
  group->angular_velocity = cps_map_vec3(map, "angular_velocity", group->angular_velocity);
  group->count = layout.count;
  group->strand = layout.strand;
  group->from = layout;
  scene->fibre_count += layout.count;
  status = check_elements(reader, map, group);
  return status == CPS_OK ? place(reader, map, group, &layout) : status;
}

CpsStatus cps_scene_load_fibres(CpsReader* reader) {
  CpsScene* scene = reader->scene;
  const CpsNode* map = cps_node_find(reader->root, "fibres");
  scene->fibre_groups = CPS_TAKE(&scene->memory, CpsSceneFibres, map ? map->count : 0);
  if (!scene->fibre_groups) return cps_scene_no_memory(reader);
  CpsStatus status = cps_scene_each(reader, map, read_fibre);
  if (status != CPS_OK) return status;
  scene->fibre_names = CPS_TAKE(&scene->memory, const char*, scene->fibre_count);
  if (!scene->fibre_names) return cps_scene_no_memory(reader);
  for (int32_t g = 0; status == CPS_OK && g < scene->fibre_group_count; ++g) {
    const CpsSceneFibres* group = &scene->fibre_groups[g];
    const char** names = scene->fibre_names + group->first;
    status = cps_scene_number_names(reader, group->name, group->numbered, group->count, names);
  }
  return status;
}
