// A tree against the schema: known keys, types, dimensions, ranges, keys that must be there.
//
// The check is the only place that reads texts as numbers. It leaves each number in its node, so that what loads the
// scene afterwards reads values that are known to be good.
#include "io/scene/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "capstan/fibre.h"
#include "capstan/solve.h"
#include "io/scene/schema.h"
#include "io/scene/type.h"

enum { FOUND_SIZE = 64, WANTED_SIZE = 140, PREFIX_SIZE = 120, REASON_SIZE = 180, MOST_WORDS = 80 };

typedef struct Check {
  CpsNode* root;
  CpsMistakes* mistakes;
  CpsError* error;
} Check;

// "'abc'", "a list of 2", "a map", "nothing"
static const char* found(const CpsNode* node, char out[FOUND_SIZE]) {
  if (node->kind == CPS_NODE_MAP) {
    snprintf(out, FOUND_SIZE, "a map");
  } else if (node->kind == CPS_NODE_LIST) {
    snprintf(out, FOUND_SIZE, "a list of %d", (int)node->count);
  } else if (cps_node_is_null(node)) {
    snprintf(out, FOUND_SIZE, "nothing");
  } else {
    bool longer = strlen(node->text) > 40;
    snprintf(out, FOUND_SIZE, "'%.40s%s'", node->text, longer ? "..." : "");
  }
  return out;
}

static CpsStatus refuse(const Check* check, const CpsNode* node, const CpsType* type, CpsStatus status,
                        const char* why) {
  char wanted[WANTED_SIZE], what[FOUND_SIZE];
  cps_type_describe(type, wanted, sizeof wanted);
  return cps_node_fail(check->error, status, node, "expected %s, found %s%s%s", wanted, found(node, what),
                       why[0] ? ": " : "", why);
}

// Refuses a number other than 0 without a unit, also as a parameter. Expressions have no units: they are in radians.
static bool is_bare(const Check* check, const CpsNode* node, const CpsValue* value) {
  if (value->has_unit || value->number == 0.0) return false;
  const char* text = node->text;
  if (text[0] == '$') {
    const CpsNode* parameter = cps_node_find(cps_node_find(check->root, "parameters"), text + 1);
    if (parameter && parameter->text) text = parameter->text;
  }
  return text[0] != '=' && text[0] != '$';
}

static CpsStatus check_quantity(const Check* check, CpsNode* node, const CpsType* type) {
  char why[CPS_WHY_SIZE];
  CpsValue value;
  if (!cps_scene_value(check->root, node->text, &value, why)) return refuse(check, node, type, CPS_BAD_FORMAT, why);
  if (value.has_unit && !cps_dimension_equal(value.dimension, type->quantity->dimension)) {
    const char* name = cps_dimension_name(value.dimension);
    snprintf(why, sizeof why, "that is %s", name ? name : "a different quantity");
    return refuse(check, node, type, CPS_BAD_FORMAT, why);
  }
  if (type->quantity->dimension.rad == 1 && type->quantity->dimension.s == 0 && is_bare(check, node, &value)) {
    snprintf(why, sizeof why, "it has no unit; write %.12g deg or %.12g rad", value.number, value.number);
    return refuse(check, node, type, CPS_BAD_FORMAT, why);
  }
  node->number = value.number;
  if (cps_type_in_range(type, value.number)) return CPS_OK;
  why[0] = '\0';
  if (node->text[0] == '=' || node->text[0] == '$') snprintf(why, sizeof why, "that is %g", value.number);
  return refuse(check, node, type, CPS_BAD_DATA, why);
}

static CpsStatus check_count(const Check* check, CpsNode* node, const CpsType* type) {
  char why[CPS_WHY_SIZE];
  CpsValue value;
  if (!cps_scene_value(check->root, node->text, &value, why)) return refuse(check, node, type, CPS_BAD_FORMAT, why);
  node->number = value.number;
  if (value.has_unit || value.number != floor(value.number)) return refuse(check, node, type, CPS_BAD_FORMAT, "");
  if (cps_type_in_range(type, value.number) && value.number <= INT32_MAX) return CPS_OK;
  snprintf(why, sizeof why, "%s", value.number > INT32_MAX ? "that is too large" : "");
  return refuse(check, node, type, CPS_BAD_DATA, why);
}

static CpsStatus check_bool(const Check* check, CpsNode* node, const CpsType* type) {
  static const char* const WORDS[] = {"false", "true", "no", "yes", "off", "on"};
  for (int i = 0; i < 6; ++i) {
    if (strcmp(node->text, WORDS[i]) != 0) continue;
    node->number = i % 2;
    return CPS_OK;
  }
  return refuse(check, node, type, CPS_BAD_FORMAT, "");
}

static CpsStatus check_solver(const Check* check, CpsNode* node, const CpsType* type) {
  bool local = type->word == CPS_TYPE_LOCAL;
  CpsSolveOptions options = cps_solve_options_default();
  CpsStatus status =
      local ? cps_solve_options_set_local(&options, node->text) : cps_solve_options_set_method(&options, node->text);
  if (status == CPS_OK) return CPS_OK;
  const char* names[MOST_WORDS + 1] = {NULL};
  for (int i = 0; i < (local ? (int)CPS_LOCAL_COUNT : (int)CPS_METHOD_COUNT) && i < MOST_WORDS; ++i) {
    names[i] = local ? cps_local_info((CpsLocal)i)->name : cps_method_info((CpsMethod)i)->name;
  }
  const char* near = cps_suggest(node->text, names);
  char why[CPS_WHY_SIZE];
  snprintf(why, sizeof why, "did you mean '%s'?", near ? near : "");
  return refuse(check, node, type, CPS_BAD_FORMAT, near ? why : "");
}

// The model for a common name of fibres.
static const char* rod_model_for(const char* word) {
  static const struct {
    const char *word, *model;
  } CALLED[] = {{"rope", "der-inextensible"},
                {"cable", "der-inextensible"},
                {"thread", "der-inextensible"},
                {"string", "der-inextensible"},
                {"rod", "der"},
                {"beam", "der"},
                {"hair", "super-helix"},
                {"strand", "super-helix"},
                {"chain", "mass-spring"}};
  for (size_t i = 0; i < sizeof CALLED / sizeof *CALLED; ++i) {
    if (strcmp(word, CALLED[i].word) == 0) return CALLED[i].model;
  }
  return NULL;
}

static CpsStatus check_rod_model(const Check* check, CpsNode* node, const CpsType* type) {
  CpsRodModel model;
  if (cps_rod_model_find(node->text, &model)) {
    node->number = (double)model;
    return CPS_OK;
  }
  const char* names[CPS_ROD_MODEL_COUNT + 1] = {NULL};
  char all[REASON_SIZE] = "models:";
  for (int i = 0; i < CPS_ROD_MODEL_COUNT; ++i) {
    names[i] = cps_rod_model_name((CpsRodModel)i);
    size_t used = strlen(all);
    snprintf(all + used, sizeof all - used, "%s %s", i > 0 ? "," : "", names[i]);
  }
  const char *called = rod_model_for(node->text), *near = called ? called : cps_suggest(node->text, names);
  char why[CPS_WHY_SIZE] = "";
  if (near) snprintf(why, sizeof why, "did you mean '%s'? ", near);
  (void)type;
  return cps_node_fail(check->error, CPS_BAD_FORMAT, node, "unknown rod model '%.30s'; %s%s", node->text, why, all);
}

static CpsStatus check_scalar(const Check* check, CpsNode* node, const CpsType* type) {
  if (node->kind != CPS_NODE_SCALAR) return refuse(check, node, type, CPS_BAD_FORMAT, "");
  switch (type->word) {
    case CPS_TYPE_QUANTITY:
      return check_quantity(check, node, type);
    case CPS_TYPE_COUNT:
      return check_count(check, node, type);
    case CPS_TYPE_BOOL:
      return check_bool(check, node, type);
    case CPS_TYPE_METHOD:
    case CPS_TYPE_LOCAL:
      return check_solver(check, node, type);
    case CPS_TYPE_ROD_MODEL:
      return check_rod_model(check, node, type);
    case CPS_TYPE_LITERAL: {
      bool same = (int)strlen(node->text) == type->literal_length &&
                  strncmp(node->text, type->literal, (size_t)type->literal_length) == 0;
      return same ? CPS_OK : refuse(check, node, type, CPS_BAD_FORMAT, "");
    }
    case CPS_TYPE_VALUE: {
      char why[CPS_WHY_SIZE];
      CpsValue value;
      bool good = cps_scene_parameter_value(check->root, node->key, &value, why);
      return good ? CPS_OK : refuse(check, node, type, CPS_BAD_FORMAT, why);
    }
    default:
      node->is_file = type->word == CPS_TYPE_FILE;
      return cps_node_is_null(node) || !node->text[0] ? refuse(check, node, type, CPS_BAD_FORMAT, "") : CPS_OK;
  }
}

static CpsStatus check_map(const Check* check, CpsNode* map, const CpsSceneKey* key, const char* prefix);

static int32_t count_of(const Check* check) {
  return check->mistakes ? check->mistakes->count : 0;
}

static CpsStatus check_list(const Check* check, CpsNode* node, const CpsType* type) {
  if (node->kind != CPS_NODE_LIST) return refuse(check, node, type, CPS_BAD_FORMAT, "");
  if (type->rank == 1 && type->length > 0 && node->count != type->length) {
    char wanted[WANTED_SIZE];
    cps_type_describe(type, wanted, sizeof wanted);
    return cps_node_fail(check->error, CPS_BAD_FORMAT, node, "expected %s, found %d", wanted, (int)node->count);
  }
  CpsType element = cps_type_element(type);
  for (CpsNode* child = node->first; child; child = child->next) {
    CpsStatus status = element.rank > 0 ? check_list(check, child, &element) : check_scalar(check, child, &element);
    if (status != CPS_OK) return status;
  }
  return CPS_OK;
}

static CpsStatus check_form(const Check* check, CpsNode* node, const CpsSceneKey* key, const CpsType* type) {
  char prefix[PREFIX_SIZE];
  if (type->word == CPS_TYPE_MAP) {
    if (node->kind != CPS_NODE_MAP && !cps_node_is_null(node)) return refuse(check, node, type, CPS_BAD_FORMAT, "");
    return check_map(check, node, key, key->path);
  }
  if (type->word == CPS_TYPE_LIST) {
    if (node->kind != CPS_NODE_LIST) return refuse(check, node, type, CPS_BAD_FORMAT, "");
    static const CpsType MAP = {.word = CPS_TYPE_MAP, .range = ""};
    snprintf(prefix, sizeof prefix, "%s[]", key->path);
    CpsStatus first = CPS_OK;
    for (CpsNode* child = node->first; child; child = child->next) {
      int32_t before = count_of(check);
      CpsStatus status = child->kind == CPS_NODE_MAP ? check_map(check, child, key, prefix)
                                                     : refuse(check, child, &MAP, CPS_BAD_FORMAT, "");
      if (first == CPS_OK) first = status;
      if (status != CPS_OK && !cps_mistakes_add(check->mistakes, before, status, check->error)) return status;
    }
    return first;
  }
  return type->rank > 0 ? check_list(check, node, type) : check_scalar(check, node, type);
}

// Whether a node looks like an alternative.
static bool looks_like(const CpsNode* node, const CpsType* type) {
  if (type->word == CPS_TYPE_MAP) return node->kind == CPS_NODE_MAP;
  bool of_maps = node->kind == CPS_NODE_LIST && node->first && node->first->kind == CPS_NODE_MAP;
  if (type->word == CPS_TYPE_LIST) return of_maps;
  return type->rank > 0 ? node->kind == CPS_NODE_LIST && !of_maps : node->kind == CPS_NODE_SCALAR;
}

// If several alternatives look right but none fits, or none looks right, the message names all.
static CpsStatus refuse_all(const Check* check, const CpsNode* node, const char* types) {
  char all[2 * WANTED_SIZE] = "", what[FOUND_SIZE];
  for (size_t used = 0; types && used < sizeof all;) {
    CpsType type;
    char one[WANTED_SIZE];
    types = cps_type_read(types, &type);
    cps_type_describe(&type, one, sizeof one);
    const char* joint = used == 0 ? "" : types ? ", " : " or ";
    int length = snprintf(all + used, sizeof all - used, "%s%s", joint, one);
    used += length > 0 ? (size_t)length : 0;
  }
  return cps_node_fail(check->error, CPS_BAD_FORMAT, node, "expected %s, found %s", all, found(node, what));
}

static CpsStatus check_node(const Check* check, CpsNode* node, const CpsSceneKey* key) {
  int alike = 0, forms = 0;
  CpsStatus status = CPS_BAD_FORMAT;
  Check quiet = {check->root, NULL, NULL};
  CpsType meant = {0};
  for (const char* rest = key->type; rest; ++forms) {
    CpsType type;
    rest = cps_type_read(rest, &type);
    if (forms == 0 && !rest) return check_form(check, node, key, &type);
    if (!looks_like(node, &type)) continue;
    node->form = (int8_t)forms;
    status = check_form(&quiet, node, key, &type);
    if (status == CPS_OK) return CPS_OK;
    meant = type;
    alike++;
  }
  return alike == 1 ? check_form(check, node, key, &meant) : refuse_all(check, node, key->type);
}

static bool is_key(const char* place, const char* word) {
  char path[PREFIX_SIZE];
  snprintf(path, sizeof path, "%s.*.%.60s", place, word);
  const CpsSceneKey* key;
  for (int32_t i = 0; (key = cps_scene_key(i)); ++i) {
    if (strcmp(key->path, path) == 0) return true;
  }
  return false;
}

// A hint like "only obstacles have it" if a key belongs to the other map; false if there is none.
static bool other_place(const char* prefix, const char* word, char out[CPS_WHY_SIZE]) {
  static const char* const PLACES[] = {"bodies", "obstacles", "fibres"};
  const char* others[3];
  int count = 0;
  bool among = false;
  for (int i = 0; i < 3; ++i) {
    size_t length = strlen(PLACES[i]);
    bool here = strncmp(prefix, PLACES[i], length) == 0 && strcmp(prefix + length, ".*") == 0;
    among = among || here;
    if (!here && is_key(PLACES[i], word)) others[count++] = PLACES[i];
  }
  if (!among || count == 0) return false;
  snprintf(out, CPS_WHY_SIZE, "only %s%s%s have it", others[0], count > 1 ? " and " : "", count > 1 ? others[1] : "");
  return true;
}

static CpsStatus refuse_key(const Check* check, const CpsNode* node, const CpsSceneKey* parent, const char* prefix) {
  const char* words[MOST_WORDS + 1];
  int count = 0;
  int32_t at = cps_schema_first(parent);
  while (count < MOST_WORDS && cps_schema_next(&at, prefix, &words[count])) count++;
  words[count] = NULL;
  char other[CPS_WHY_SIZE];
  if (other_place(prefix, node->key, other)) {
    return cps_key_fail(check->error, CPS_BAD_FORMAT, node, "unknown key; %s", other);
  }
  const char* near = cps_suggest(node->key, words);
  // --set may name just a parameter
  const CpsNode* parameters = cps_node_find(check->root, "parameters");
  if (!near && !prefix[0] && node->source->is_override && parameters && parameters->kind == CPS_NODE_MAP) {
    count = 0;
    for (const CpsNode* p = parameters->first; p && count < MOST_WORDS; p = p->next) words[count++] = p->key;
    words[count] = NULL;
    near = cps_suggest(node->key, words);
  }
  if (near) {
    return cps_key_fail(check->error, CPS_BAD_FORMAT, node, "unknown key; did you mean '%.60s'?", near);
  }
  if (count == 0 && prefix[0])
    return cps_key_fail(check->error, CPS_BAD_FORMAT, node, "unknown key; no keys are allowed here");
  if (!prefix[0] && node->source->is_override && node->kind == CPS_NODE_SCALAR) {
    char why[CPS_WHY_SIZE] = "";
    double unused;
    cps_scene_parameter(check->root, node->key, &unused, why);
    if (why[0]) return cps_key_fail(check->error, CPS_BAD_FORMAT, node, "%s", why);
  }
  return cps_key_fail(check->error, CPS_BAD_FORMAT, node, "unknown key");
}

// Names become parts of paths ("bodies.block.mu", "tower[3]") and of expressions.
static CpsStatus check_name(const Check* check, const CpsNode* node, bool parameter) {
  size_t length = strlen(node->key);
  bool good = length > 0 && length <= CPS_NAME_LENGTH && !(parameter && node->key[0] >= '0' && node->key[0] <= '9');
  for (const char* c = node->key; *c; ++c) {
    bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_';
    good = good && (letter || (!parameter && (*c == '-' || (unsigned char)*c >= 0x80u)));
  }
  if (good) return CPS_OK;
  return cps_key_fail(check->error, CPS_BAD_FORMAT, node, "a name has up to %d letters, digits%s", CPS_NAME_LENGTH,
                      parameter ? " and _, and does not begin with a digit" : ", - and _");
}

static CpsStatus check_entry(const Check* check, CpsNode* child, const CpsSceneKey* key, const char* prefix) {
  const CpsSceneKey* row;
  const char* word;
  int32_t at = cps_schema_first(key);
  do {
    row = cps_schema_next(&at, prefix, &word);
  } while (row && strcmp(word, "*") != 0 && strcmp(word, child->key) != 0);
  if (!row) return refuse_key(check, child, key, prefix);
  CpsStatus status = word[0] == '*' ? check_name(check, child, strcmp(prefix, "parameters") == 0) : CPS_OK;
  return status == CPS_OK ? check_node(check, child, row) : status;
}

static CpsStatus check_map(const Check* check, CpsNode* map, const CpsSceneKey* key, const char* prefix) {
  CpsStatus first = CPS_OK;
  for (CpsNode* child = map->first; child; child = child->next) {
    int32_t before = count_of(check);
    CpsStatus status = check_entry(check, child, key, prefix);
    if (first == CPS_OK) first = status;
    if (status != CPS_OK && !cps_mistakes_add(check->mistakes, before, status, check->error)) return status;
  }
  const CpsSceneKey* row;
  const char* word;
  for (int32_t at = cps_schema_first(key); (row = cps_schema_next(&at, prefix, &word));) {
    if (row->fallback[0] || strcmp(word, "*") == 0 || cps_node_find(map, word)) continue;
    int32_t before = count_of(check);
    CpsStatus status = cps_node_fail(check->error, CPS_BAD_FORMAT, map, "the key '%s' is missing", word);
    if (!cps_mistakes_add(check->mistakes, before, status, check->error)) return status;
    if (first == CPS_OK) first = status;
  }
  return first;
}

CpsStatus cps_scene_check(CpsNode* root, CpsMistakes* mistakes, CpsError* error) {
  Check check = {root, mistakes, error};
  static const CpsType MAP = {.word = CPS_TYPE_MAP, .range = ""};
  if (root->kind != CPS_NODE_MAP) return refuse(&check, root, &MAP, CPS_BAD_FORMAT, "");
  return check_map(&check, root, NULL, "");
}
