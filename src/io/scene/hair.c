// Generated hair: roots on a head and a style, or strands from a file.
#include <math.h>
#include <string.h>

#include "io/hair/comb.h"
#include "io/scene/internal.h"

enum { POINTS = 33 };  // of a combed line
static const double PI = 3.14159265358979323846;

typedef enum Style { STRAIGHT, WAVY, CURLY, PONYTAIL } Style;

typedef struct Growth {
  CpsReader* reader;
  const CpsNode* node;
  Style style;
  int32_t on;  // the obstacle that is the head
  CpsPose head;
  CpsScalp scalp;
  CpsComb comb;
  double length, variation, lift, parting, thickness;
  bool straight;     // drawn out straight at the start
  CpsVec3 natural;   // of a lock
  int32_t elements;  // of a fibre
  CpsRandom random;
} Growth;

static Style find_style(const CpsNode* node) {
  const CpsNode* style = cps_node_find(node, "style");
  if (!style || strcmp(style->text, "straight") == 0) return STRAIGHT;
  if (strcmp(style->text, "wavy") == 0) return WAVY;
  return strcmp(style->text, "curly") == 0 ? CURLY : PONYTAIL;
}

// A helix of radius a and pitch p has curvature a / (a^2 + c^2) and torsion c / (a^2 + c^2), c = p / (2 pi).
static CpsVec3 natural_lock(const CpsNode* node, Style style) {
  if (style != WAVY && style != CURLY) return cps_vec3(0.0, 0.0, 0.0);
  double a = cps_map_number(node, "curl_radius", style == WAVY ? 8e-3 : 6e-3),
         c = cps_map_number(node, "curl_pitch", style == WAVY ? 0.09 : 0.03) / (2.0 * PI), square = a * a + c * c;
  return cps_vec3(c / square, 0.0, a / square);
}

// Round obstacles, which hair keeps clear of.
static CpsStatus find_bodies(Growth* growth) {
  const CpsScene* scene = growth->reader->scene;
  CpsRoundBody* bodies = CPS_TAKE(&growth->reader->scene->memory, CpsRoundBody, scene->obstacle_count);
  if (!bodies) return cps_scene_no_memory(growth->reader);
  for (int32_t i = 0; i < scene->obstacle_count; ++i) {
    const CpsObstacleDef* def = &scene->obstacles[i].def;
    if (!def->contact) continue;
    if (def->shape.kind != CPS_SHAPE_SPHERE && def->shape.kind != CPS_SHAPE_CAPSULE) continue;
    double half = def->shape.kind == CPS_SHAPE_CAPSULE ? 0.5 * def->shape.length : 0.0;
    if (i == growth->on) growth->comb.head = growth->comb.body_count;
    CpsVec3 up = cps_quat_rotate(def->pose.rotation, cps_vec3(0.0, 0.0, half));
    bodies[growth->comb.body_count++] = (CpsRoundBody){cps_vec3_axpy(def->pose.position, -1.0, up),
                                                       cps_vec3_add(def->pose.position, up), def->shape.radius};
  }
  growth->comb.bodies = bodies;
  return CPS_OK;
}

// The head: a ball, or the upper cap of a capsule.
static CpsStatus find_head(Growth* growth) {
  CpsStatus status = cps_scene_find_obstacle(growth->reader, growth->node, "on", &growth->on);
  if (status != CPS_OK) return status;
  if (growth->on < 0)
    return cps_node_fail(growth->reader->error, CPS_BAD_FORMAT, growth->node, "needs 'on' (a head) or 'file'");
  const CpsObstacleDef* def = &growth->reader->scene->obstacles[growth->on].def;
  if (def->shape.kind != CPS_SHAPE_SPHERE && def->shape.kind != CPS_SHAPE_CAPSULE) {
    return cps_node_fail(growth->reader->error, CPS_BAD_DATA, cps_node_find(growth->node, "on"),
                         "hair can only grow on a sphere or a capsule");
  }
  double half = def->shape.kind == CPS_SHAPE_CAPSULE ? 0.5 * def->shape.length : 0.0;
  growth->head = def->pose;
  growth->head.position = cps_pose_apply(def->pose, cps_vec3(0.0, 0.0, half));
  growth->scalp.radius = def->shape.radius;
  return CPS_OK;
}

static bool is_drawn_out(const CpsNode* node) {
  const CpsNode* start = cps_node_find(node, "start");
  return start && strcmp(start->text, "straight") == 0;
}

static CpsStatus read_growth(CpsReader* reader, const CpsNode* node, Growth* growth) {
  *growth = (Growth){.reader = reader,
                     .node = node,
                     .style = find_style(node),
                     .scalp = {.nape = cps_map_number(node, "nape", 105.0 * PI / 180.0),
                               .hairline = cps_map_number(node, "hairline", 55.0 * PI / 180.0)},
                     .comb = {.fall = cps_map_number(node, "fall", 0.05),
                              .clearance = cps_map_number(node, "clearance", 1e-3),
                              .berth = cps_map_number(node, "berth", 0.01)},
                     .length = cps_map_number(node, "length", 0.25),
                     .variation = cps_map_number(node, "variation", 0.1),
                     .lift = cps_map_number(node, "lift", 0.3),
                     .parting = cps_map_number(node, "parting", 0.5),
                     .thickness = cps_map_number(node, "thickness", 0.02),
                     .straight = is_drawn_out(node),
                     .elements = cps_map_count(node->parent, "elements", 5),
                     .random = cps_random_seed((uint64_t)cps_map_count(node, "seed", 1))};
  growth->natural = natural_lock(node, growth->style);
  CpsStatus status = find_head(growth);
  if (status == CPS_OK) status = find_bodies(growth);
  return status;
}

static double draw_length(Growth* growth) {
  return growth->length * (1.0 + growth->variation * (2.0 * cps_random_uniform(&growth->random) - 1.0));
}

// One hair with its root at a normal of the head.
static CpsStatus grow(Growth* growth, CpsVec3 normal, CpsStrand* strand) {
  CpsArena* memory = &growth->reader->scene->memory;
  CpsVec3* line = CPS_TAKE(memory, CpsVec3, POINTS);
  if (!line) return cps_scene_no_memory(growth->reader);
  bool lock = cps_vec3_norm(growth->natural) > 0.0;
  double length = draw_length(growth),
         wide = lock ? growth->natural.z / cps_vec3_dot(growth->natural, growth->natural) : 0.0;
  // hair from the top lies on hair from below; a lock also needs room for its own width
  CpsComb comb = growth->comb;
  comb.clearance += growth->thickness * (0.5 + 0.5 * normal.z) + wide;
  comb.berth += wide;
  CpsVec3 root = cps_pose_apply(growth->head, cps_vec3_scale(growth->scalp.radius, normal));
  CpsVec3 direction = cps_scalp_direction(normal, growth->lift, growth->parting);
  direction = cps_quat_rotate(growth->head.rotation, direction);
  // a helix goes less far than it is long: by the cosine of the angle to its axis
  double forwards = lock ? growth->natural.x / cps_vec3_norm(growth->natural) : 1.0;
  length = fmax(0.3 * length, cps_comb_reach(&comb, root, direction, length * forwards) / forwards);
  cps_comb(&comb, root, direction, length * forwards, POINTS, line);
  if (!lock) {
    strand->points = line;
    strand->point_count = POINTS;
    return CPS_OK;
  }
  CpsVec3* curvature = CPS_TAKE(memory, CpsVec3, growth->elements);
  CpsVec3* table = CPS_TAKE(memory, CpsVec3, (int64_t)CPS_FIT_TABLE * growth->elements + 1);
  if (!curvature || !table) return cps_scene_no_memory(growth->reader);
  CpsVec3 outwards = cps_quat_rotate(growth->head.rotation, normal);
  strand->pose.position = root;
  cps_comb_curl(line, POINTS, length, growth->natural, outwards, growth->elements, &strand->pose.rotation, curvature);
  cps_fibre_fit_table(curvature, growth->elements, table);
  strand->curvature = table;
  strand->curvature_count = CPS_FIT_TABLE * growth->elements + 1;
  strand->natural_as_placed = true;  // a lock keeps the style it was combed into
  strand->length = length;
  return CPS_OK;
}

// One hair that is drawn out straight: lines out of a ball do not meet.
static CpsStatus draw_out(Growth* growth, CpsVec3 normal, CpsStrand* strand) {
  CpsVec3* line = CPS_TAKE(&growth->reader->scene->memory, CpsVec3, 3);
  if (!line) return cps_scene_no_memory(growth->reader);
  CpsVec3 direction = cps_scalp_direction(normal, growth->lift, 0.0);
  line[0] = cps_pose_apply(growth->head, cps_vec3_scale(growth->scalp.radius, normal));
  line[1] = cps_vec3_axpy(line[0], draw_length(growth), cps_quat_rotate(growth->head.rotation, direction));
  line[2] = growth->natural;
  strand->points = line;
  strand->point_count = 2;
  strand->natural = line + 2;
  strand->natural_count = 1;
  // to the last bit where it is straight by nature
  strand->natural_as_placed = !(cps_vec3_norm(growth->natural) > 0.0);
  return CPS_OK;
}

static CpsStatus grow_all(Growth* growth, CpsFibreLayout* out) {
  CpsVec3* normals = CPS_TAKE(&growth->reader->scene->memory, CpsVec3, out->count);
  if (!normals) return cps_scene_no_memory(growth->reader);
  cps_scalp_roots(&growth->scalp, out->count, cps_map_number(growth->node, "jitter", 0.3), &growth->random, normals);
  CpsStatus status = CPS_OK;
  for (int32_t i = 0; status == CPS_OK && i < out->count; ++i) {
    status =
        growth->straight ? draw_out(growth, normals[i], &out->strand[i]) : grow(growth, normals[i], &out->strand[i]);
  }
  return status;
}

// A place of a sunflower's head: even over a disc, the next one always a golden angle farther.
static CpsVec3 sunflower(int32_t i, double spacing) {
  // the nearest two of places at distances sqrt(i + 1/2) are 1.54 apart
  double r = spacing / 1.54 * sqrt(i + 0.5), angle = fmod(i * PI * (3.0 - sqrt(5.0)), 2.0 * PI);
  return cps_vec3(0.0, r * cos(angle), r * sin(angle));
}

// Hairs side by side from a tie behind the head.
static CpsStatus tie_all(Growth* growth, CpsFibreLayout* out) {
  double angle = cps_map_number(growth->node, "tie", 100.0 * PI / 180.0),
         spacing = cps_map_number(growth->node, "spacing", 2e-3);
  double wide = cps_vec3_norm(sunflower(out->count, spacing));
  CpsVec3 back = {0.0, -sin(angle), cos(angle)};
  CpsComb comb = growth->comb;
  comb.clearance += wide;
  comb.berth += wide;
  CpsVec3 root = cps_pose_apply(growth->head, cps_vec3_scale(growth->scalp.radius + comb.clearance, back));
  CpsVec3 out_of_tie = cps_vec3_add(cps_vec3_scale(growth->lift, cps_vec3(0.0, 0.0, 1.0)), back);
  CpsVec3 path[POINTS], across = cps_quat_rotate(growth->head.rotation, cps_vec3(1.0, 0.0, 0.0));
  for (int32_t i = 0; i < out->count; ++i) {
    CpsVec3* line = CPS_TAKE(&growth->reader->scene->memory, CpsVec3, POINTS);
    if (!line) return cps_scene_no_memory(growth->reader);
    cps_comb(&comb, root, cps_quat_rotate(growth->head.rotation, out_of_tie), draw_length(growth), POINTS, path);
    cps_comb_beside(path, POINTS, across, sunflower(i, spacing), line);
    out->strand[i].points = line;
    out->strand[i].point_count = POINTS;
  }
  return CPS_OK;
}

CpsStatus cps_scene_hair(CpsReader* reader, const CpsNode* node, CpsFibreLayout* out) {
  if (cps_node_find(node, "file")) return cps_scene_hair_file(reader, node, out);
  Growth growth;
  CpsStatus status = read_growth(reader, node, &growth);
  double count = cps_map_number(node, "count", 100.0);
  if (status == CPS_OK) status = cps_fibre_layout_begin(reader, node, count, out);
  // a combed line, and the table of a lock
  bool lock = growth.style == WAVY || growth.style == CURLY;
  int64_t cost = 24 * (POINTS + (lock ? CPS_FIT_TABLE * (int64_t)growth.elements : 0));
  if (status == CPS_OK) status = cps_scene_spend(reader, node, out->count, cost);
  if (status != CPS_OK) return status;
  return growth.style == PONYTAIL ? tie_all(&growth, out) : grow_all(&growth, out);
}
