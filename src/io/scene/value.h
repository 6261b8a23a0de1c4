// Quantities of scene files: a number in SI, or a number with a unit.
#ifndef CAPSTAN_IO_SCENE_VALUE_H
#define CAPSTAN_IO_SCENE_VALUE_H

#include "capstan/base.h"

// Exponents of metre, kilogram, second and radian.
typedef struct CpsDimension {
  int8_t m, kg, s, rad;
} CpsDimension;

// A kind of quantity in the schema.
typedef struct CpsUnitKind {
  const char* word;      // "length", as the schema writes it
  const char* singular;  // "a length"
  const char* plural;    // "lengths"
  CpsDimension dimension;
} CpsUnitKind;

// The quantity whose word begins `text` (the longest match), or NULL.
const CpsUnitKind* cps_quantity_find(const char* text);
// "a mass" if the dimension has a name, otherwise NULL.
const char* cps_dimension_name(CpsDimension dimension);
bool cps_dimension_equal(CpsDimension a, CpsDimension b);

// A value after reading.
typedef struct CpsValue {
  double number;           // in SI units
  bool has_unit;           // without one a number fits any quantity
  CpsDimension dimension;  // read if has_unit
} CpsValue;

enum { CPS_WHY_SIZE = 200 };
// Reads a number with an optional unit: "2", "2 mm", "7.8 g/cm3", "9.81 m/s^2", "3 N m".
// @param why  out: what is wrong, as the end of a message ("unknown unit 'foo'"), "" if the text is not a number
bool cps_value_read(const char* text, CpsValue* value, char why[CPS_WHY_SIZE]);
// Reads a unit of at most `factors` symbols ("mm", "m/s^2") as factor and dimension. Returns the first character after
// it, or NULL.
const char* cps_unit_read(const char* text, int factors, CpsValue* value);

#endif
