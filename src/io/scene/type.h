// The types of the schema: "length[3] > 0", "bool | map", "\"inner\" | \"outer\"".
#ifndef CAPSTAN_IO_SCENE_TYPE_H
#define CAPSTAN_IO_SCENE_TYPE_H

#include "io/scene/value.h"

typedef enum CpsTypeWord {
  CPS_TYPE_QUANTITY,
  CPS_TYPE_COUNT,  // whole number
  CPS_TYPE_BOOL,
  CPS_TYPE_TEXT,
  CPS_TYPE_NAME,
  CPS_TYPE_FILE,
  CPS_TYPE_EXPRESSION,
  CPS_TYPE_METHOD,
  CPS_TYPE_LOCAL,
  CPS_TYPE_ROD_MODEL,
  CPS_TYPE_LITERAL,
  CPS_TYPE_VALUE,  // of a parameter
  CPS_TYPE_MAP,
  CPS_TYPE_LIST  // of maps
} CpsTypeWord;

// One alternative.
typedef struct CpsType {
  CpsTypeWord word;
  const CpsUnitKind* quantity;
  const char* literal;  // without its quotes
  int literal_length;
  int rank;       // 0: one value, 1: a list, 2: a list of lists
  int length;     // of the innermost list; 0: any
  bool at_least;  // >= low
  bool above;     // > low
  bool within;    // in [low, high]
  double low, high;
  const char* range;  // as the schema writes it
  int range_length;
} CpsType;

// Reads one alternative and returns the position of the next one, or NULL.
const char* cps_type_read(const char* text, CpsType* type);
// "a length > 0", "3 lengths", "true or false".
void cps_type_describe(const CpsType* type, char* out, size_t size);
bool cps_type_in_range(const CpsType* type, double value);
// The same type for one element of a list.
CpsType cps_type_element(const CpsType* type);

#endif
