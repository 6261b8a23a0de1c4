// Ties of a scene: what holds which point to which, springs, rods and motors.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/scene/internal.h"

enum { MOST_TIES = 100000 };
static const double ROUNDED = 1e-6;  // rounding in a scene: of weights that add up to 1; of a point at a vertex, m

// Refuses a reference to an entry with several objects that does not select one.
static CpsStatus take_one(CpsReader* reader, const CpsNode* node, int32_t first, int32_t count, int32_t* index) {
  if (count != 1) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, node, "has %d of them; choose one, such as `%s[0]`", (int)count,
                         node->text);
  }
  *index = first;
  return CPS_OK;
}

// The position on a fibre. The forms of the key are in the order of the schema.
static CpsStatus read_arc(CpsReader* reader, const CpsNode* map, CpsSceneAnchor* anchor) {
  const CpsNode *at = cps_node_find(map, "at"), *fraction = cps_node_find(map, "fraction");
  enum { POINT, LENGTH, ROOT, TIP };
  if (at && fraction) return cps_key_fail(reader->error, CPS_BAD_FORMAT, fraction, "choose one: at or fraction");
  if (at && at->form == POINT) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, at, "must be one arc length, `root` or `tip` on a fibre");
  }
  anchor->fraction = fraction ? fraction->number : !at || at->form == TIP ? 1.0 : at->form == ROOT ? 0.0 : NAN;
  if (at && at->form == LENGTH) anchor->s = at->number;
  return CPS_OK;
}

static bool has_vertices(CpsThingKind kind) {
  return kind == CPS_THING_SHEET || kind == CPS_THING_SOLID;
}

static int32_t vertex_count(const CpsScene* scene, const CpsSceneAnchor* anchor) {
  return anchor->kind == CPS_THING_SOLID ? scene->solids[anchor->index].def.vertex_count
                                         : scene->sheets[anchor->index].def.vertex_count;
}

static const char* surface_kind(const CpsSceneAnchor* anchor) {
  return anchor->kind == CPS_THING_SOLID ? "solid" : "sheet";
}

static CpsStatus refuse_vertex(CpsReader* reader, const CpsNode* node, const CpsSceneAnchor* anchor) {
  return cps_node_fail(reader->error, CPS_BAD_DATA, node, "the %s has %d vertices", surface_kind(anchor),
                       (int)vertex_count(reader->scene, anchor));
}

// A point between vertices. Whether they belong to one element is only known once the scene is built.
static CpsStatus read_corners(CpsReader* reader, const CpsNode* map, const CpsNode* list, CpsSceneAnchor* anchor) {
  const int32_t most = anchor->kind == CPS_THING_SOLID ? 4 : 3;
  const CpsNode* weights = cps_node_find(map, "weights");
  double sum = 0.0;
  if (list->count < 1 || list->count > most) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, list, "names %d vertices; a point of a %s lies between 1 to %d",
                         (int)list->count, surface_kind(anchor), (int)most);
  }
  if (weights && weights->count != list->count) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, weights, "has %d numbers for %d vertices", (int)weights->count,
                         (int)list->count);
  }
  for (const CpsNode *v = list->first, *w = weights ? weights->first : NULL; v; v = v->next, w = w ? w->next : NULL) {
    if (!(v->number >= 0.0) || v->number >= vertex_count(reader->scene, anchor)) {
      return refuse_vertex(reader, v, anchor);
    }
    anchor->corners[anchor->corner_count] = (int32_t)v->number;
    anchor->weights[anchor->corner_count] = w ? w->number : 1.0 / list->count;
    sum += anchor->weights[anchor->corner_count++];
  }
  if (!(fabs(sum - 1.0) <= ROUNDED)) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, weights, "the weights add up to %.9g, not 1", sum);
  }
  for (int32_t i = 0; i < anchor->corner_count; ++i) anchor->weights[i] /= sum;
  anchor->vertex = -1;
  return CPS_OK;
}

// The nearest point of a sheet or a solid; at a vertex, its number.
static CpsStatus read_nearest(CpsReader* reader, const CpsNode* map, const CpsNode* at, CpsSceneAnchor* anchor) {
  const CpsScene* scene = reader->scene;
  if (at->kind != CPS_NODE_LIST) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, at, "must be a point in the world on a sheet or a solid");
  }
  const CpsVec3 x = cps_map_vec3(map, "at", anchor->point);
  const int32_t vertex = cps_scene_nearest_vertex(scene, anchor->kind, anchor->index, x);
  const CpsVec3* all = anchor->kind == CPS_THING_SOLID ? scene->solids[anchor->index].def.vertices
                                                       : scene->sheets[anchor->index].def.vertices;
  anchor->nearest = cps_vec3_norm(cps_vec3_sub(all[vertex], x)) > ROUNDED;
  anchor->vertex = anchor->nearest ? -1 : vertex;
  if (anchor->nearest) anchor->point = x;
  return CPS_OK;
}

// A point of a sheet or a solid: a vertex by its number, a point between vertices, or the nearest one to a point.
static CpsStatus read_vertex(CpsReader* reader, const CpsNode* map, CpsSceneAnchor* anchor) {
  const CpsNode *vertex = cps_node_find(map, "vertex"), *at = cps_node_find(map, "at");
  const CpsNode *corners = cps_node_find(map, "vertices"), *weights = cps_node_find(map, "weights");
  if ((vertex != NULL) + (at != NULL) + (corners != NULL) != 1) {
    return cps_node_fail(
        reader->error, CPS_BAD_FORMAT, map,
        vertex || at || corners ? "choose one: vertex, vertices or at" : "needs vertex, vertices or at");
  }
  if (weights && !corners) {
    return cps_key_fail(reader->error, CPS_BAD_FORMAT, weights, "only valid with `vertices`");
  }
  anchor->point = cps_vec3(0.0, 0.0, 0.0);
  if (corners) return read_corners(reader, map, corners, anchor);
  if (at) return read_nearest(reader, map, at, anchor);
  if (vertex->number >= vertex_count(reader->scene, anchor)) return refuse_vertex(reader, vertex, anchor);
  anchor->vertex = (int32_t)vertex->number;
  return CPS_OK;
}

static CpsStatus find_thing(CpsReader* reader, const CpsNode* map, CpsSceneAnchor* anchor) {
  const CpsNode *body = cps_node_find(map, "body"), *fibre = cps_node_find(map, "fibre");
  int32_t first = 0, count = 0;
  if (cps_node_find(map, "obstacle")) {
    anchor->kind = CPS_THING_OBSTACLE;
    return cps_scene_find_obstacle(reader, map, "obstacle", &anchor->index);
  }
  const CpsNode *sheet = cps_node_find(map, "sheet"), *solid = cps_node_find(map, "solid");
  if (sheet || solid) {
    anchor->kind = sheet ? CPS_THING_SHEET : CPS_THING_SOLID;
    return cps_scene_find_surface(reader, sheet ? sheet : solid, anchor->kind, &anchor->index);
  }
  anchor->kind = body ? CPS_THING_BODY : CPS_THING_FIBRE;
  CpsStatus status = body ? cps_scene_find_bodies(reader, body, &first, &count)
                          : cps_scene_find_fibres(reader, fibre, &first, &count, &anchor->branches);
  return status == CPS_OK ? take_one(reader, body ? body : fibre, first, count, &anchor->index) : status;
}

// Refuses keys that belong to another kind of side.
static CpsStatus check_keys(CpsReader* reader, const CpsNode* map, CpsThingKind kind) {
  const CpsNode *at = cps_node_find(map, "at"), *fraction = cps_node_find(map, "fraction");
  const CpsNode* point = cps_node_find(map, "point");
  bool rigid = kind == CPS_THING_BODY || kind == CPS_THING_OBSTACLE;
  if (point && !rigid && kind != CPS_THING_FIBRE) {
    return cps_key_fail(reader->error, CPS_BAD_FORMAT, point, "only valid for a body, an obstacle or a fibre; use at");
  }
  if (rigid && (at || fraction)) {
    return cps_key_fail(reader->error, CPS_BAD_FORMAT, at ? at : fraction,
                        "only valid for a fibre or the world; use point");
  }
  static const char* const OF_SURFACES[] = {"vertex", "vertices", "weights"};
  for (size_t i = 0; i < sizeof OF_SURFACES / sizeof *OF_SURFACES && !has_vertices(kind); ++i) {
    const CpsNode* node = cps_node_find(map, OF_SURFACES[i]);
    if (node) return cps_key_fail(reader->error, CPS_BAD_FORMAT, node, "only valid for a sheet or a solid");
  }
  if ((kind == CPS_THING_NONE || has_vertices(kind)) && fraction) {
    return cps_key_fail(reader->error, CPS_BAD_FORMAT, fraction, "only valid for a fibre");
  }
  if (kind == CPS_THING_NONE && (!at || at->kind != CPS_NODE_LIST)) {
    return cps_node_fail(
        reader->error, CPS_BAD_FORMAT, at ? at : map,
        at ? "a point in the world needs three coordinates" : "needs body, obstacle, fibre, sheet, solid or at");
  }
  return CPS_OK;
}

// Without a point: the origin, or the position of the other side.
static CpsStatus read_side(CpsReader* reader, const CpsNode* map, bool other, CpsSceneAnchor* anchor) {
  *anchor = (CpsSceneAnchor){.kind = CPS_THING_NONE, .fraction = NAN, .point = {other ? NAN : 0.0, 0.0, 0.0}};
  if (!map) return CPS_OK;
  int said = 0;
  const char* const kinds[] = {"body", "obstacle", "fibre", "sheet", "solid"};
  for (int i = 0; i < 5; ++i) said += cps_node_find(map, kinds[i]) != NULL;
  if (said > 1)
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, map, "choose one: body, obstacle, fibre, sheet or solid");
  CpsStatus status = said > 0 ? find_thing(reader, map, anchor) : CPS_OK;
  if (status == CPS_OK) status = check_keys(reader, map, anchor->kind);
  if (status != CPS_OK) return status;
  if (anchor->kind == CPS_THING_FIBRE) {
    anchor->point = cps_map_vec3(map, "point", cps_vec3(0.0, 0.0, 0.0));
    return read_arc(reader, map, anchor);
  }
  if (has_vertices(anchor->kind)) return read_vertex(reader, map, anchor);
  anchor->point = cps_map_vec3(map, anchor->kind == CPS_THING_NONE ? "at" : "point", anchor->point);
  return CPS_OK;
}

static CpsStatus read_motor(CpsReader* reader, const CpsNode* map, CpsTieDef* def) {
  const CpsNode* motor = cps_node_find(map, "motor");
  if (!motor) return CPS_OK;
  const CpsNode *speed = cps_node_find(motor, "speed"), *torque = cps_node_find(motor, "torque");
  if (!speed == !torque) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, motor,
                         speed ? "choose one: speed or torque" : "needs speed or torque");
  }
  def->motor = speed ? CPS_MOTOR_SPEED : CPS_MOTOR_TORQUE;
  def->speed = cps_map_number(motor, "speed", 0.0);
  def->torque = cps_map_number(motor, "torque", 0.0);
  if (torque && def->torque == 0.0) return cps_node_fail(reader->error, CPS_BAD_DATA, torque, "is 0: leave it out");
  return cps_scene_time_curve(reader, motor, &def->curve);
}

// Refuses keys that have no effect for this kind.
static CpsStatus check_kind(CpsReader* reader, const CpsNode* map, CpsTieKind kind) {
  static const struct {
    const char* key;
    bool has[CPS_TIE_ROD + 1];  // point, hinge, weld, spring, rod
    const char* who;
  } keys[] = {
      {"axis", {false, true, false, false, false}, "a hinge"},
      {"motor", {false, true, false, false, false}, "a hinge"},
      {"arm", {false, true, true, false, false}, "a hinge or a weld"},
      {"stiffness", {false, false, false, true, false}, "a spring"},
      {"damping", {false, false, false, true, false}, "a spring"},
      {"length", {false, false, false, true, true}, "a spring or a rod"},
  };
  for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
    const CpsNode* node = cps_node_find(map, keys[i].key);
    if (node && !keys[i].has[kind]) {
      return cps_key_fail(reader->error, CPS_BAD_FORMAT, node, "only valid for %s", keys[i].who);
    }
  }
  return CPS_OK;
}

static CpsStatus read_numbers(CpsReader* reader, const CpsNode* map, CpsTieDef* def) {
  def->axis = cps_map_vec3(map, "axis", def->axis);
  if (!(cps_vec3_norm(def->axis) > 0.0)) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, cps_node_find(map, "axis"), "has no direction");
  }
  def->arm = cps_map_number(map, "arm", def->arm);
  def->breaking = cps_map_number(map, "breaking", def->breaking);
  def->stiffness = cps_map_number(map, "stiffness", def->stiffness);
  def->damping = cps_map_number(map, "damping", def->damping);
  def->length = cps_map_number(map, "length", def->length);
  def->touch = cps_map_bool(map, "touch", def->touch);
  if (def->kind == CPS_TIE_SPRING && !(def->stiffness > 0.0) && !(def->damping > 0.0)) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, map, "a spring needs stiffness or damping");
  }
  return CPS_OK;
}

static bool moves(const CpsSceneAnchor* a) {
  return a->kind != CPS_THING_NONE && a->kind != CPS_THING_OBSTACLE;
}

// Checks what the world would refuse, while line numbers are known.
static CpsStatus check_sides(CpsReader* reader, const CpsNode* map, const CpsSceneTie* tie) {
  const CpsSceneAnchor *a = &tie->side[0], *b = &tie->side[1];
  if (!moves(a) && !moves(b))
    return cps_node_fail(reader->error, CPS_BAD_DATA, map, "nothing that it connects can move");
  if (a->kind == CPS_THING_BODY && b->kind == CPS_THING_BODY && a->index == b->index) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, map, "ties a body to itself");
  }
  if (tie->def.kind == CPS_TIE_ROD && !cps_node_find(map, "b")) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, map, "a rod needs its other side, 'b'");
  }
  return CPS_OK;
}

static CpsStatus read_tie(CpsReader* reader, const CpsNode* map, CpsSceneTie* tie) {
  const CpsNode* kind = cps_node_find(map, "kind");
  *tie = (CpsSceneTie){.def = cps_tie_def_default(), .node = map};
  tie->def.kind = kind ? (CpsTieKind)kind->form : CPS_TIE_POINT;  // in the order of the schema
  CpsStatus status = check_kind(reader, map, tie->def.kind);
  if (status == CPS_OK) status = read_side(reader, cps_node_find(map, "a"), false, &tie->side[0]);
  const CpsNode* b = cps_node_find(map, "b");
  bool line = tie->def.kind == CPS_TIE_SPRING || tie->def.kind == CPS_TIE_ROD;
  if (status == CPS_OK) status = read_side(reader, b, !b || !line, &tie->side[1]);
  if (status == CPS_OK) status = check_sides(reader, map, tie);
  if (status == CPS_OK) status = read_motor(reader, map, &tie->def);
  return status == CPS_OK ? read_numbers(reader, map, &tie->def) : status;
}

static CpsStatus name_tie(CpsReader* reader, const CpsNode* map, int32_t i) {
  const CpsNode* name = cps_node_find(map, "name");
  char number[24];
  snprintf(number, sizeof number, "ties[%d]", (int)i);
  const char* text = cps_scene_text(reader, name ? name->text : number);
  reader->scene->tie_names[i] = text;
  return text ? CPS_OK : cps_scene_no_memory(reader);
}

typedef struct NamedTie {
  const char* name;
  int32_t index;
} NamedTie;

static int compare_names(const void* first, const void* second) {
  const NamedTie *a = first, *b = second;
  const int order = strcmp(a->name, b->name);
  return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

// Results and reports identify a tie by its name.
static CpsStatus check_names(CpsReader* reader) {
  const CpsScene* scene = reader->scene;
  NamedTie* all = malloc((size_t)(scene->tie_count > 0 ? scene->tie_count : 1) * sizeof *all);
  if (!all) return cps_scene_no_memory(reader);
  for (int32_t i = 0; i < scene->tie_count; ++i) all[i] = (NamedTie){scene->tie_names[i], i};
  qsort(all, (size_t)scene->tie_count, sizeof *all, compare_names);
  int32_t k = 1;
  while (k < scene->tie_count && strcmp(all[k - 1].name, all[k].name) != 0) ++k;
  CpsStatus status = CPS_OK;
  if (k < scene->tie_count) {
    const CpsNode *first = scene->ties[all[k - 1].index].node, *node = scene->ties[all[k].index].node;
    const CpsNode* name = cps_node_find(node, "name");
    status = cps_node_fail(reader->error, CPS_BAD_FORMAT, name ? name : node, "the tie in line %d has the name '%.60s'",
                           (int)first->line, all[k].name);
  }
  free(all);
  return status;
}

CpsStatus cps_scene_load_ties(CpsReader* reader) {
  CpsScene* scene = reader->scene;
  const CpsNode* list = cps_node_find(reader->root, "ties");
  if (list && list->count > MOST_TIES) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, list, "%d ties; a scene has at most %d", (int)list->count,
                         MOST_TIES);
  }
  scene->ties = CPS_TAKE(&scene->memory, CpsSceneTie, list ? list->count : 0);
  scene->tie_names = CPS_TAKE(&scene->memory, const char*, list ? list->count : 0);
  if (!scene->ties || !scene->tie_names) return cps_scene_no_memory(reader);
  const int32_t others = reader->mistakes.count;  // of other parts
  for (const CpsNode* map = list ? list->first : NULL; map; map = map->next) {
    int32_t before = reader->mistakes.count, i = scene->tie_count++;
    CpsStatus status = read_tie(reader, map, &scene->ties[i]);
    if (status == CPS_OK) status = name_tie(reader, map, i);
    if (!cps_scene_next(reader, before, status)) return status;
  }
  if (reader->mistakes.count != others) return reader->mistakes.status;
  const CpsStatus status = check_names(reader);
  return status == CPS_OK ? cps_scene_check_ties(reader) : status;
}
