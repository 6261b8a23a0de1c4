// Trees by rule: branches of a fibre in levels, each level on all branches of the one before.
//
// The children of a branch stand at the ends of its elements, equally far from each other between `start` and its tip.
// Each is turned about its parent by the golden angle against the one before, as leaves are, and away from it by `angle`;
// its natural curvature bends it farther away by `droop`. Lengths and angles vary by the part `jitter`.
#include <math.h>

#include "core/random.h"
#include "io/scene/internal.h"

static const double PI = 3.14159265358979323846;
static const double GOLDEN = 2.3999632297286533;  // pi (3 - sqrt 5)

// One level of the rule.
typedef struct Level {
  int32_t branches, elements;
  double length, radius, angle, droop;
} Level;

static CpsStatus read_level(CpsReader* reader, const CpsNode* node, Level* level) {
  *level = (Level){.branches = cps_map_count(node, "branches", 1),
                   .elements = cps_map_count(node, "elements", 5),
                   .length = cps_map_number(node, "length", 0.0),
                   .radius = cps_map_number(node, "radius", 0.0),
                   .angle = cps_map_number(node, "angle", 0.25 * PI),
                   .droop = cps_map_number(node, "droop", 0.0)};
  bool finite = isfinite(level->angle) && isfinite(level->droop);
  return finite ? CPS_OK : cps_node_fail(reader->error, CPS_BAD_DATA, node, "its angle or droop is not finite");
}

static double vary(CpsRandom* random, double jitter) {
  return 1.0 + jitter * (2.0 * cps_random_uniform(random) - 1.0);
}

// The child number j of a parent with this many elements.
static CpsFibreBranch grow(const Level* level, int32_t parent, int32_t elements, int32_t j, double start, double jitter,
                           CpsRandom* random) {
  double f = start + (1.0 - start) * (j + 1) / level->branches;
  int32_t at = (int32_t)ceil(f * elements - 1e-9) - 1;
  double length = level->length * vary(random, jitter), tilt = level->angle * vary(random, jitter);
  CpsQuat about = cps_quat_exp(cps_vec3(GOLDEN * (j + 1) + GOLDEN / 2.0 * parent, 0.0, 0.0));
  return (CpsFibreBranch){.parent = parent,
                          .at = at < 0           ? 0
                                : at >= elements ? elements - 1
                                                 : at,
                          .rotation = cps_quat_multiply(about, cps_quat_exp(cps_vec3(0.0, 0.0, tilt))),
                          .elements = level->elements,
                          .length = length,
                          .radius = level->radius,
                          .natural = {0.0, 0.0, level->droop},
                          .curvature = {NAN, NAN, NAN}};
}

// Number of branches that the rule makes; refuses more elements than a fibre may have.
static CpsStatus count_branches(CpsReader* reader, const CpsNode* levels, int32_t trunk, int32_t* count) {
  double parents = 1.0, elements = trunk, sum = 0.0;
  for (const CpsNode* node = levels->first; node; node = node->next) {
    Level level;
    CpsStatus status = read_level(reader, node, &level);
    if (status != CPS_OK) return status;
    parents *= level.branches;
    sum += parents;
    elements += parents * level.elements;
    if (elements > CPS_FIBRE_ELEMENTS) {
      return cps_node_fail(reader->error, CPS_BAD_DATA, node, "a fibre has at most %d elements", CPS_FIBRE_ELEMENTS);
    }
  }
  *count = (int32_t)sum;
  return CPS_OK;
}

CpsStatus cps_scene_tree(CpsReader* reader, const CpsNode* node, CpsFibreDef* def) {
  const CpsNode* levels = cps_node_find(node, "levels");
  double start = cps_map_number(node, "start", 0.3), jitter = cps_map_number(node, "jitter", 0.0);
  CpsRandom random = cps_random_seed((uint64_t)cps_map_count(node, "seed", 1));
  int32_t count = 0, from = -1, until = 0;  // parents of a level: first the trunk, which is -1
  CpsStatus status = count_branches(reader, levels, def->elements, &count);
  if (status != CPS_OK || count == 0) return status;
  CpsFibreBranch* branches = CPS_TAKE(&reader->scene->memory, CpsFibreBranch, count);
  if (!branches) return cps_scene_no_memory(reader);
  def->branches = branches;
  for (const CpsNode* each = levels->first; each; each = each->next) {
    Level level;
    status = read_level(reader, each, &level);
    if (status != CPS_OK) return status;
    int32_t first = def->branch_count;
    for (int32_t p = from; p < until; ++p) {
      int32_t elements = p < 0 ? def->elements : branches[p].elements;
      for (int32_t j = 0; j < level.branches; ++j) {
        branches[def->branch_count++] = grow(&level, p, elements, j, start, jitter, &random);
      }
    }
    from = first;
    until = def->branch_count;
  }
  return CPS_OK;
}
