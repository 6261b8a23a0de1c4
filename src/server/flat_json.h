// A strict reader of small flat JSON objects: values are texts, numbers, true, false, null, or arrays of at most three
// numbers. Allocates nothing. It refuses everything that a client of the viewer never needs (nested objects, non-ASCII texts, more
// than eight fields, duplicate names), which leaves little to attack.
#ifndef CAPSTAN_SERVER_FLAT_JSON_H
#define CAPSTAN_SERVER_FLAT_JSON_H

#include "capstan/base.h"

enum {
  CPS_FLAT_FIELDS = 8,    // in an object
  CPS_FLAT_KEY = 16,      // bytes of a name with its end
  CPS_FLAT_TEXT = 48,     // bytes of a text with its end
  CPS_FLAT_NUMBERS = 3,   // in an array
  CPS_FLAT_LENGTH = 4096  // bytes of a message
};

typedef enum CpsFlatKind {
  CPS_FLAT_IS_TEXT,
  CPS_FLAT_IS_NUMBER,
  CPS_FLAT_IS_BOOL,
  CPS_FLAT_IS_NULL,
  CPS_FLAT_IS_NUMBERS
} CpsFlatKind;

typedef struct CpsFlatField {
  char key[CPS_FLAT_KEY];
  CpsFlatKind kind;
  char text[CPS_FLAT_TEXT];          // texts
  double numbers[CPS_FLAT_NUMBERS];  // numbers: the first; |x| <= 1e15
  int count;                         // of an array
  bool truth;                        // true and false
} CpsFlatField;

typedef struct CpsFlatObject {
  CpsFlatField fields[CPS_FLAT_FIELDS];
  int count;
} CpsFlatObject;

// Reads one object and nothing after it. The error message names the byte, counted from 1.
CpsStatus cps_flat_read(const char* text, size_t length, CpsFlatObject* object, CpsError* error);
// The field of that name, or NULL.
const CpsFlatField* cps_flat_find(const CpsFlatObject* object, const char* key);

#endif
