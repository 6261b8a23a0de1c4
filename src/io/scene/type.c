#include "io/scene/type.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text_number.h"

typedef struct Word {
  const char* text;
  const char* singular;
  const char* plural;
  CpsTypeWord word;
} Word;

static const Word WORDS[] = {
    {"count", "a whole number", "whole numbers", CPS_TYPE_COUNT},
    {"bool", "true or false", "trues or falses", CPS_TYPE_BOOL},
    {"text", "a text", "texts", CPS_TYPE_TEXT},
    {"name", "a name", "names", CPS_TYPE_NAME},
    {"file", "a file name", "file names", CPS_TYPE_FILE},
    {"expression", "an expression", "expressions", CPS_TYPE_EXPRESSION},
    {"method", "the name of a method", "methods", CPS_TYPE_METHOD},
    {"local solver", "the name of a one-contact solver", "one-contact solvers", CPS_TYPE_LOCAL},
    {"rod model", "the name of a rod model", "rod models", CPS_TYPE_ROD_MODEL},
    {"value", "a number or an expression", "values", CPS_TYPE_VALUE},
    {"map", "a map", "maps", CPS_TYPE_MAP},
    {"list", "a list of maps", "lists", CPS_TYPE_LIST},
};
enum { WORD_COUNT = sizeof WORDS / sizeof WORDS[0] };

static const char* read_word(const char* text, CpsType* type) {
  if (*text == '"') {
    const char* end = strchr(text + 1, '"');
    type->word = CPS_TYPE_LITERAL;
    type->literal = text + 1;
    type->literal_length = (int)(end - text) - 1;
    return end + 1;
  }
  for (int i = 0; i < WORD_COUNT; ++i) {
    size_t length = strlen(WORDS[i].text);
    if (strncmp(text, WORDS[i].text, length) != 0) continue;
    type->word = WORDS[i].word;
    return text + length;
  }
  type->word = CPS_TYPE_QUANTITY;
  type->quantity = cps_quantity_find(text);
  return text + strlen(type->quantity->word);
}

static const char* read_range(const char* text, CpsType* type) {
  type->range = text;
  if (strncmp(text, "in [", 4) == 0) {
    type->within = true;
    text = cps_number_read(text + 4, &type->low);
    text = cps_number_read(text + 2, &type->high) + 1;
  } else {
    type->at_least = text[1] == '=';
    type->above = !type->at_least;
    text = cps_number_read(text + (type->at_least ? 3 : 2), &type->low);
  }
  type->range_length = (int)(text - type->range);
  return text;
}

const char* cps_type_read(const char* text, CpsType* type) {
  *type = (CpsType){.range = ""};
  text = read_word(text, type);
  while (*text == '[') {
    type->rank++;
    text++;
    type->length = 0;
    while (*text >= '0' && *text <= '9') type->length = 10 * type->length + (*text++ - '0');
    text++;
  }
  if (*text == ' ' && text[1] != '|') text = read_range(text + 1, type);
  return *text ? text + 3 : NULL;
}

static const char* noun(const CpsType* type, bool plural) {
  if (type->word == CPS_TYPE_QUANTITY) return plural ? type->quantity->plural : type->quantity->singular;
  for (int i = 0; i < WORD_COUNT; ++i) {
    if (WORDS[i].word == type->word) return plural ? WORDS[i].plural : WORDS[i].singular;
  }
  return "";
}

void cps_type_describe(const CpsType* type, char* out, size_t size) {
  const char* blank = type->range_length > 0 ? " " : "";
  if (type->word == CPS_TYPE_LITERAL) {
    snprintf(out, size, "'%.*s'", type->literal_length, type->literal);
  } else if (type->rank == 0) {
    snprintf(out, size, "%s%s%.*s", noun(type, false), blank, type->range_length, type->range);
  } else if (type->rank == 2) {
    snprintf(out, size, "a list of lists of %d %s", type->length, noun(type, true));
  } else if (type->length > 0) {
    snprintf(out, size, "%d %s%s%.*s", type->length, noun(type, true), blank, type->range_length, type->range);
  } else {
    snprintf(out, size, "a list of %s%s%.*s", noun(type, true), blank, type->range_length, type->range);
  }
}

bool cps_type_in_range(const CpsType* type, double value) {
  if (!isfinite(value)) return false;
  if (type->within) return value >= type->low && value <= type->high;
  if (type->at_least) return value >= type->low;
  return !type->above || value > type->low;
}

CpsType cps_type_element(const CpsType* type) {
  CpsType element = *type;
  element.rank--;
  if (type->rank == 1) element.length = 0;
  return element;
}
