// Arithmetic expressions by recursive descent.
//
//   sum     = product { ("+" | "-") product }
//   product = unary { ("*" | "/") unary }
//   unary   = ("+" | "-") unary | power
//   power   = atom [ ("^" | "**") unary ]            to the right: 2^3^2 = 2^9, and -2^2 = -4
//   atom    = number [unit] | name | name "(" sum { "," sum } ")" | "(" sum ")"
//
// Length and nesting are limited; a result that is not finite is refused.
#include "io/scene/expression.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text_number.h"

enum { LONGEST = 512, DEEPEST = 32, LONGEST_NAME = 40, MOST_ARGUMENTS = 8 };

typedef struct Parser {
  const char* at;
  CpsVariableFn variable;
  void* data;
  char* why;
  int depth;
  bool failed;
} Parser;

static double refuse(Parser* p, const char* what) {
  if (!p->failed && !p->why[0]) snprintf(p->why, CPS_WHY_SIZE, "%s", what);
  p->failed = true;
  return 0.0;
}

static void skip_blanks(Parser* p) {
  while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n') p->at++;
}

static bool accept(Parser* p, char c) {
  skip_blanks(p);
  if (*p->at != c) return false;
  p->at++;
  return true;
}

static double sum(Parser* p);

typedef struct Function {
  const char* name;
  double (*one)(double);
  double (*two)(double, double);
} Function;

static double largest(double a, double b) {
  return a > b ? a : b;
}
static double smallest(double a, double b) {
  return a < b ? a : b;
}
// min and max take any number of arguments and are folded
static const Function FUNCTIONS[] = {
    {"sin", sin, NULL},   {"cos", cos, NULL},     {"tan", tan, NULL},   {"asin", asin, NULL},    {"acos", acos, NULL},
    {"atan", atan, NULL}, {"atan2", NULL, atan2}, {"sqrt", sqrt, NULL}, {"abs", fabs, NULL},     {"exp", exp, NULL},
    {"log", log, NULL},   {"floor", floor, NULL}, {"ceil", ceil, NULL}, {"min", NULL, smallest}, {"max", NULL, largest},
};

static double call(Parser* p, const char* name) {
  const Function* function = NULL;
  for (size_t i = 0; i < sizeof FUNCTIONS / sizeof FUNCTIONS[0]; ++i) {
    if (strcmp(FUNCTIONS[i].name, name) == 0) function = &FUNCTIONS[i];
  }
  char what[CPS_WHY_SIZE];
  double value[MOST_ARGUMENTS];
  int count = 0;
  do {
    if (count == MOST_ARGUMENTS) return refuse(p, "too many arguments");
    value[count++] = sum(p);
  } while (accept(p, ','));
  if (!accept(p, ')')) return refuse(p, "a ')' is missing");
  if (!function) {
    snprintf(what, sizeof what, "unknown function '%s'", name);
    return refuse(p, what);
  }
  bool folds = function->two == smallest || function->two == largest;
  if (function->one ? count != 1 : folds ? count < 2 : count != 2) {
    snprintf(what, sizeof what, "%s takes %s", name, function->one ? "one argument" : "two arguments");
    return refuse(p, what);
  }
  if (function->one) return function->one(value[0]);
  for (int i = 1; i < count; ++i) value[0] = function->two(value[0], value[i]);
  return value[0];
}

static bool in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
}

static double name(Parser* p) {
  size_t length = 0;
  while (in_name(p->at[length])) length++;
  char word[LONGEST_NAME + 1];
  if (length == 0 || length > LONGEST_NAME) return refuse(p, length ? "a name is too long" : "a number is missing");
  memcpy(word, p->at, length);
  word[length] = '\0';
  p->at += length;
  if (accept(p, '(')) return call(p, word);
  double value;
  if (p->variable && p->variable(p->data, word, &value, p->why)) return value;
  if (strcmp(word, "pi") == 0) return 3.14159265358979323846;
  if (strcmp(word, "g") == 0) return 9.81;
  char what[CPS_WHY_SIZE];
  snprintf(what, sizeof what, "unknown parameter '%s'", word);
  return refuse(p, what);
}

static double number(Parser* p) {
  double value;
  const char* end = cps_number_read(p->at, &value);
  if (!end) return refuse(p, "a number is missing");
  p->at = end;
  skip_blanks(p);
  // 2 mm: a name directly after a number is a unit
  CpsValue unit;
  const char* after = in_name(*p->at) ? cps_unit_read(p->at, 1, &unit) : NULL;
  if (after && !in_name(*after)) {
    p->at = after;
    value *= unit.number;
  }
  return value;
}

static double atom(Parser* p) {
  skip_blanks(p);
  if (accept(p, '(')) {
    double value = sum(p);
    return accept(p, ')') ? value : refuse(p, "a ')' is missing");
  }
  if (*p->at == '$') p->at++;  // $name in an expression is the same as the name
  bool digit = (*p->at >= '0' && *p->at <= '9') || *p->at == '.';
  return digit ? number(p) : name(p);
}

static double unary(Parser* p) {
  if (p->failed) return 0.0;
  if (++p->depth > DEEPEST) return refuse(p, "it is nested too deeply");
  double value;
  if (accept(p, '-')) {
    value = -unary(p);
  } else if (accept(p, '+')) {
    value = unary(p);
  } else {
    value = atom(p);
    if (accept(p, '^')) {
      value = pow(value, unary(p));
    } else if (skip_blanks(p), p->at[0] == '*' && p->at[1] == '*') {
      p->at += 2;
      value = pow(value, unary(p));
    }
  }
  p->depth--;
  return value;
}

static double product(Parser* p) {
  double value = unary(p);
  while (!p->failed) {
    if (accept(p, '*')) {
      value *= unary(p);
    } else if (accept(p, '/')) {
      value /= unary(p);
    } else {
      break;
    }
  }
  return value;
}

static double sum(Parser* p) {
  double value = product(p);
  while (!p->failed) {
    if (accept(p, '+')) {
      value += product(p);
    } else if (accept(p, '-')) {
      value -= product(p);
    } else {
      break;
    }
  }
  return value;
}

bool cps_expression_evaluate(const char* text, CpsVariableFn variable, void* data, double* value,
                             char why[CPS_WHY_SIZE]) {
  why[0] = '\0';
  Parser p = {.at = text, .variable = variable, .data = data, .why = why};
  if (strlen(text) > LONGEST) {
    refuse(&p, "the expression is too long");
    return false;
  }
  double result = sum(&p);
  skip_blanks(&p);
  if (!p.failed && *p.at) {
    char what[CPS_WHY_SIZE];
    snprintf(what, sizeof what, "unexpected '%.30s'", p.at);
    refuse(&p, what);
  }
  if (!p.failed && !isfinite(result)) refuse(&p, "its value is not finite");
  if (p.failed) return false;
  *value = result;
  return true;
}
