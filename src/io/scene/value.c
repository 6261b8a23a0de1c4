// Numbers with units.
//
//   value  = number [unit]
//   unit   = factor { ("/" | "*" | " ") factor }       "/" turns the one factor after it
//   factor = symbol [["^"] ["-"] digit]
//
// A unit carries the exponents of its dimension, so that 2 kg is refused where a length is wanted.
#include "io/scene/value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text_number.h"

static const CpsUnitKind QUANTITIES[] = {
    {"number", "a number", "numbers", {0, 0, 0, 0}},
    {"length", "a length", "lengths", {1, 0, 0, 0}},
    {"angular velocity", "an angular velocity", "angular velocities", {0, 0, -1, 1}},
    {"angle", "an angle", "angles", {0, 0, 0, 1}},
    {"time", "a time", "times", {0, 0, 1, 0}},
    {"mass", "a mass", "masses", {0, 1, 0, 0}},
    {"inertia", "a moment of inertia", "moments of inertia", {2, 1, 0, 0}},
    {"density", "a density", "densities", {-3, 1, 0, 0}},
    {"velocity", "a velocity", "velocities", {1, 0, -1, 0}},
    {"acceleration", "an acceleration", "accelerations", {1, 0, -2, 0}},
    {"force", "a force", "forces", {1, 1, -2, 0}},
    {"torque", "a torque", "torques", {2, 1, -2, 0}},
    {"frequency", "a frequency", "frequencies", {0, 0, -1, 0}},
    {"curvature", "a curvature", "curvatures", {-1, 0, 0, 0}},
    {"pressure", "a pressure", "pressures", {-1, 1, -2, 0}},
    {"line density", "a line density", "line densities", {-1, 1, 0, 0}},
    {"area density", "a density of area", "densities of area", {-2, 1, 0, 0}},
    {"bending stiffness", "a bending stiffness", "bending stiffnesses", {2, 1, -2, 0}},
    {"rigidity", "a rigidity", "rigidities", {3, 1, -2, 0}},
    {"viscosity", "a viscosity", "viscosities", {-1, 1, -1, 0}},
    {"mass flow", "a mass flow", "mass flows", {0, 1, -1, 0}},
    {"stiffness", "a stiffness", "stiffnesses", {0, 1, -2, 0}},
    {"resistance", "a resistance", "resistances", {0, 1, -1, 0}},
};
enum { QUANTITY_COUNT = sizeof QUANTITIES / sizeof QUANTITIES[0] };

typedef struct Unit {
  const char* symbol;
  double factor;
  CpsDimension dimension;
} Unit;

#define PI 3.14159265358979323846
static const Unit UNITS[] = {
    {"m", 1.0, {1, 0, 0, 0}},        {"dm", 1e-1, {1, 0, 0, 0}},      {"cm", 1e-2, {1, 0, 0, 0}},
    {"mm", 1e-3, {1, 0, 0, 0}},      {"um", 1e-6, {1, 0, 0, 0}},      {"µm", 1e-6, {1, 0, 0, 0}},
    {"nm", 1e-9, {1, 0, 0, 0}},      {"km", 1e3, {1, 0, 0, 0}},       {"kg", 1.0, {0, 1, 0, 0}},
    {"g", 1e-3, {0, 1, 0, 0}},       {"mg", 1e-6, {0, 1, 0, 0}},      {"t", 1e3, {0, 1, 0, 0}},
    {"s", 1.0, {0, 0, 1, 0}},        {"ms", 1e-3, {0, 0, 1, 0}},      {"us", 1e-6, {0, 0, 1, 0}},
    {"µs", 1e-6, {0, 0, 1, 0}},      {"min", 60.0, {0, 0, 1, 0}},     {"h", 3600.0, {0, 0, 1, 0}},
    {"rad", 1.0, {0, 0, 0, 1}},      {"deg", PI / 180, {0, 0, 0, 1}}, {"°", PI / 180, {0, 0, 0, 1}},
    {"rpm", PI / 30, {0, 0, -1, 1}}, {"Hz", 1.0, {0, 0, -1, 0}},      {"kHz", 1e3, {0, 0, -1, 0}},
    {"N", 1.0, {1, 1, -2, 0}},       {"mN", 1e-3, {1, 1, -2, 0}},     {"kN", 1e3, {1, 1, -2, 0}},
    {"MN", 1e6, {1, 1, -2, 0}},      {"Pa", 1.0, {-1, 1, -2, 0}},     {"kPa", 1e3, {-1, 1, -2, 0}},
    {"MPa", 1e6, {-1, 1, -2, 0}},    {"GPa", 1e9, {-1, 1, -2, 0}},
};
enum { MOST_FACTORS = 6 };  // keeps exponents small
enum { UNIT_COUNT = sizeof UNITS / sizeof UNITS[0] };

const CpsUnitKind* cps_quantity_find(const char* text) {
  const CpsUnitKind* best = NULL;
  for (int i = 0; i < QUANTITY_COUNT; ++i) {
    size_t length = strlen(QUANTITIES[i].word);
    if (strncmp(text, QUANTITIES[i].word, length) == 0 && (!best || length > strlen(best->word))) best = &QUANTITIES[i];
  }
  return best;
}

bool cps_dimension_equal(CpsDimension a, CpsDimension b) {
  return a.m == b.m && a.kg == b.kg && a.s == b.s && a.rad == b.rad;
}

const char* cps_dimension_name(CpsDimension dimension) {
  for (int i = 0; i < QUANTITY_COUNT; ++i) {
    if (cps_dimension_equal(QUANTITIES[i].dimension, dimension)) return QUANTITIES[i].singular;
  }
  return NULL;
}

static bool in_symbol(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80u;
}

static const Unit* find_unit(const char* text, size_t length) {
  for (int i = 0; i < UNIT_COUNT; ++i) {
    if (strlen(UNITS[i].symbol) == length && strncmp(UNITS[i].symbol, text, length) == 0) return &UNITS[i];
  }
  return NULL;
}

static void multiply(CpsValue* value, const Unit* unit, int power) {
  value->number *= pow(unit->factor, power);
  value->dimension.m = (int8_t)(value->dimension.m + power * unit->dimension.m);
  value->dimension.kg = (int8_t)(value->dimension.kg + power * unit->dimension.kg);
  value->dimension.s = (int8_t)(value->dimension.s + power * unit->dimension.s);
  value->dimension.rad = (int8_t)(value->dimension.rad + power * unit->dimension.rad);
}

const char* cps_unit_read(const char* text, int factors, CpsValue* value) {
  *value = (CpsValue){.number = 1.0, .has_unit = true};
  int sign = 1;
  for (; factors > 0; --factors) {
    size_t length = 0;
    while (in_symbol(text[length])) length++;
    const Unit* unit = length > 0 ? find_unit(text, length) : NULL;
    if (!unit) return NULL;
    text += length;
    int power = sign;
    bool raised = *text == '^';
    if (raised) text++;
    if (*text == '-' && text[1] >= '1' && text[1] <= '9') {
      power = -power;
      text++;
    }
    bool digit = *text >= '1' && *text <= '9';
    if (raised && !digit) return NULL;
    if (digit) power *= *text++ - '0';
    multiply(value, unit, power);
    const char* next = text;
    while (*next == ' ') next++;
    sign = *next == '/' ? -1 : 1;
    if (*next == '/' || *next == '*') next++;
    while (*next == ' ') next++;
    if (factors == 1 || next == text || !in_symbol(*next)) return text;
    text = next;
  }
  return NULL;
}

bool cps_value_read(const char* text, CpsValue* value, char why[CPS_WHY_SIZE]) {
  why[0] = '\0';
  double number;
  const char* rest = cps_number_read(text, &number);
  if (!rest) return false;
  while (*rest == ' ') rest++;
  *value = (CpsValue){.number = number};
  if (*rest) {
    CpsValue unit;
    const char* end = cps_unit_read(rest, MOST_FACTORS, &unit);
    if (!end || *end) {
      if (in_symbol(*rest)) snprintf(why, CPS_WHY_SIZE, "unknown unit '%.40s'", rest);
      return false;
    }
    // 2 mm is 2 / 1000 to the last bit, like 0.002
    bool divides = unit.number < 1.0 && fabs(1.0 / unit.number - rint(1.0 / unit.number)) < 1e-9 / unit.number;
    value->number = divides ? number / rint(1.0 / unit.number) : number * unit.number;
    value->has_unit = true;
    value->dimension = unit.dimension;
  }
  if (!isfinite(value->number)) {
    snprintf(why, CPS_WHY_SIZE, "it is not finite");
    return false;
  }
  return true;
}
