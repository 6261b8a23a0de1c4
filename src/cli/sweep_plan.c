// The cases of a sweep (sweep_plan.h).
#include "cli/sweep_plan.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_number.h"

enum { VALUE_MAX = 300 };

static CpsStatus fail(CpsError* error, const char* format, ...) __attribute__((format(printf, 2, 3)));
static CpsStatus fail(CpsError* error, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
  return CPS_BAD_ARGUMENT;
}

static CpsStatus no_memory(CpsError* error) {
  fail(error, "out of memory");
  return CPS_NO_MEMORY;
}

static CpsStatus add_value(CpsSweepAxis* axis, const char* text, size_t length, CpsError* error) {
  if (axis->count >= CPS_SWEEP_CASES)
    return fail(error, "--vary: %s has more than %d values", axis->key, CPS_SWEEP_CASES);
  if ((axis->count & (axis->count - 1)) == 0) {  // full at powers of two
    size_t room = axis->count ? 2 * (size_t)axis->count : 1;
    char** values = realloc(axis->values, room * sizeof *values);
    if (!values) return no_memory(error);
    axis->values = values;
  }
  for (size_t i = 0; i < length; ++i) {
    if (iscntrl((unsigned char)text[i]))
      return fail(error, "--vary: %s: a value contains a tab or a line break", axis->key);
  }
  if (length > VALUE_MAX) return fail(error, "--vary: %s: a value is longer than %d characters", axis->key, VALUE_MAX);
  char* copy = strndup(text, length);
  if (!copy) return no_memory(error);
  axis->values[axis->count++] = copy;
  return CPS_OK;
}

static CpsStatus add_number(CpsSweepAxis* axis, double value, CpsError* error) {
  char text[40];
  int length = snprintf(text, sizeof text, "%.12g", value);  // 0.1 + 2 * 0.1 is written 0.3
  return add_value(axis, text, (size_t)length, error);
}

// Values FROM, FROM + STEP, … or FROM, FROM * STEP, … up to TO; the last may miss TO by rounding.
static CpsStatus add_range(CpsSweepAxis* axis, double step, bool factor, CpsError* error) {
  const double from = axis->from, to = axis->to;
  double steps = factor ? log(to / from) / log(step) : (to - from) / step;
  if (!(steps >= 0.0) || !isfinite(steps)) {
    return fail(error, "--vary: %s: the step of the range does not lead from %g to %g", axis->key, from, to);
  }
  if (steps >= CPS_SWEEP_CASES) return fail(error, "--vary: %s has more than %d values", axis->key, CPS_SWEEP_CASES);
  CpsStatus status = CPS_OK;
  for (int64_t i = 0; status == CPS_OK && (double)i <= steps + 1e-9; ++i) {
    status = add_number(axis, factor ? from * pow(step, (double)i) : from + (double)i * step, error);
  }
  return status;
}

static const char* skip_blanks(const char* at) {
  while (isspace((unsigned char)*at)) ++at;
  return at;
}

static bool read_number(const char** at, double* value) {
  const char* after = cps_number_read(skip_blanks(*at), value);
  if (!after || !isfinite(*value)) return false;
  *at = skip_blanks(after);
  return true;
}

// FROM:TO, FROM:TO:STEP, FROM:TO:xFACTOR, with a unit after the last number. Says in `is_range` whether it is one.
static CpsStatus read_range(CpsSweepAxis* axis, const char* text, bool* is_range, CpsError* error) {
  const char* at = text;
  *is_range = read_number(&at, &axis->from) && *at == ':';
  if (!*is_range) return CPS_OK;
  ++at;
  double step = 0.0;
  bool factor = false;
  bool good = read_number(&at, &axis->to);
  axis->open = good && *at != ':';
  if (good && *at == ':') {
    at = skip_blanks(at + 1);
    factor = *at == 'x';
    if (factor) ++at;
    good = read_number(&at, &step);
  }
  size_t length = strlen(at);
  if (!good || length >= sizeof axis->unit || strpbrk(at, ":,")) {
    return fail(error, "--vary: %s: '%s' is not FROM:TO, FROM:TO:STEP or FROM:TO:xFACTOR with one unit at the end",
                axis->key, text);
  }
  memcpy(axis->unit, at, length + 1);
  return axis->open ? CPS_OK : add_range(axis, step, factor, error);
}

// Splits values at commas, except within brackets, braces and quotes.
static CpsStatus read_list(CpsSweepAxis* axis, const char* text, CpsError* error) {
  int depth = 0;
  char quote = '\0';
  CpsStatus status = CPS_OK;
  for (const char *first = text, *at = text; status == CPS_OK; ++at) {
    if (*at && quote) {
      if (*at == quote) quote = '\0';
      continue;
    }
    if (*at == '"' || *at == '\'') quote = *at;
    if (*at == '[' || *at == '{') ++depth;
    if (*at == ']' || *at == '}') --depth;
    if (*at != '\0' && (*at != ',' || depth > 0)) continue;
    first = skip_blanks(first);
    const char* last = at;
    while (last > first && isspace((unsigned char)last[-1])) --last;
    if (last == first) return fail(error, "--vary: %s: a value of '%s' is empty", axis->key, text);
    status = add_value(axis, first, (size_t)(last - first), error);
    if (*at == '\0') break;
    first = at + 1;
  }
  return status;
}

static CpsStatus read_axis(CpsSweepPlan* plan, const char* text, CpsError* error) {
  if (plan->axis_count == CPS_SWEEP_AXES) return fail(error, "--vary: more than %d keys", CPS_SWEEP_AXES);
  CpsSweepAxis* axis = &plan->axes[plan->axis_count++];
  const char* equals = strchr(text, '=');
  if (!equals || equals == text || (size_t)(equals - text) >= sizeof axis->key) {
    return fail(error, "--vary: '%s' is not KEY=VALUES", text);
  }
  memcpy(axis->key, text, (size_t)(equals - text));
  for (int32_t i = 0; i + 1 < plan->axis_count; ++i) {
    if (strcmp(plan->axes[i].key, axis->key) == 0) return fail(error, "--vary: %s is varied twice", axis->key);
  }
  bool is_range = false;
  CpsStatus status = read_range(axis, equals + 1, &is_range, error);
  return status != CPS_OK || is_range ? status : read_list(axis, equals + 1, error);
}

// splitmix64: short, and with the same numbers on all platforms
static uint64_t draw(uint64_t* state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static bool keep_text(char** place, const char* text) {
  *place = strdup(text);
  return *place != NULL;
}

// A Latin hypercube: each key's range is cut into as many equal parts as there are samples, and each part is hit once, the
// parts of different keys in independent random orders.
static CpsStatus place_samples(CpsSweepPlan* plan, const CpsSweepChoice* choice, CpsError* error) {
  const int64_t n = choice->samples, repeats = choice->seeds > 0 ? choice->seeds : 1;
  const int32_t axis_count = plan->axis_count - (choice->seeds > 0 ? 1 : 0);
  int64_t* order = malloc((size_t)n * sizeof *order);
  if (!order) return no_memory(error);
  CpsStatus status = CPS_OK;
  for (int32_t a = 0; status == CPS_OK && a < axis_count; ++a) {
    const CpsSweepAxis* axis = &plan->axes[a];
    uint64_t state = choice->sample_seed * 1000003u + (uint64_t)a;
    for (int64_t i = 0; i < n; ++i) order[i] = i;
    for (int64_t i = n - 1; i > 0; --i) {
      int64_t j = (int64_t)(draw(&state) % (uint64_t)(i + 1)), kept = order[i];
      order[i] = order[j];
      order[j] = kept;
    }
    for (int64_t i = 0; status == CPS_OK && i < n; ++i) {
      double inside = (double)(draw(&state) >> 11) * 0x1p-53;
      char number[40];
      snprintf(number, sizeof number, "%.12g",
               axis->from + ((double)order[i] + inside) / (double)n * (axis->to - axis->from));
      const char* text = axis->open ? number : axis->values[order[i] * axis->count / n];
      for (int64_t k = 0; status == CPS_OK && k < repeats; ++k) {
        if (!keep_text(&plan->texts[(i * repeats + k) * plan->axis_count + a], text)) status = no_memory(error);
      }
    }
  }
  free(order);
  return status;
}

// Every combination of the values of the axes from `first` on, the last changing fastest.
static CpsStatus place_grid(CpsSweepPlan* plan, int32_t first, CpsError* error) {
  for (int64_t i = 0; i < plan->case_count; ++i) {
    int64_t rest = i;
    for (int32_t a = plan->axis_count - 1; a >= first; --a) {
      const CpsSweepAxis* axis = &plan->axes[a];
      if (!keep_text(&plan->texts[i * plan->axis_count + a], axis->values[rest % axis->count])) return no_memory(error);
      rest /= axis->count;
    }
  }
  return CPS_OK;
}

static CpsStatus add_seeds(CpsSweepPlan* plan, int64_t seeds, CpsError* error) {
  if (plan->axis_count == CPS_SWEEP_AXES) return fail(error, "--seeds: more than %d keys", CPS_SWEEP_AXES);
  for (int32_t i = 0; i < plan->axis_count; ++i) {
    if (strcmp(plan->axes[i].key, "seed") == 0) return fail(error, "--seeds: seed is already varied");
  }
  CpsSweepAxis* axis = &plan->axes[plan->axis_count++];
  strcpy(axis->key, "seed");
  axis->from = 1.0;
  axis->to = (double)seeds;
  return add_range(axis, 1.0, false, error);
}

CpsStatus cps_sweep_plan(CpsSweepPlan* plan, const CpsSweepChoice* choice, CpsError* error) {
  *plan = (CpsSweepPlan){0};
  CpsStatus status = CPS_OK;
  for (int32_t i = 0; status == CPS_OK && i < choice->vary_count; ++i) status = read_axis(plan, choice->vary[i], error);
  bool sampled = choice->samples > 0;
  plan->case_count = sampled ? choice->samples : 1;
  for (int32_t i = 0; status == CPS_OK && i < plan->axis_count; ++i) {
    if (plan->axes[i].open && !sampled) {
      status = fail(error, "--vary: %s is a range without a step; give one, or --samples N", plan->axes[i].key);
    }
    if (!sampled) plan->case_count *= plan->axes[i].count;
    if (plan->case_count > CPS_SWEEP_CASES) status = fail(error, "the sweep has more than %d cases", CPS_SWEEP_CASES);
  }
  if (status == CPS_OK && choice->seeds > 0) {
    status = add_seeds(plan, choice->seeds, error);
    plan->case_count *= choice->seeds;
  }
  if (status == CPS_OK && plan->axis_count == 0) status = fail(error, "nothing to vary; give --vary or --seeds");
  if (status == CPS_OK && plan->case_count > CPS_SWEEP_CASES) {
    status = fail(error, "the sweep has more than %d cases", CPS_SWEEP_CASES);
  }
  if (status == CPS_OK) {
    plan->texts = calloc((size_t)plan->case_count * (size_t)plan->axis_count + 1, sizeof *plan->texts);
    if (!plan->texts) status = no_memory(error);
  }
  if (status == CPS_OK && sampled) status = place_samples(plan, choice, error);
  if (status == CPS_OK) status = place_grid(plan, sampled ? plan->axis_count - (choice->seeds > 0 ? 1 : 0) : 0, error);
  if (status != CPS_OK) cps_sweep_plan_free(plan);
  return status;
}

void cps_sweep_plan_free(CpsSweepPlan* plan) {
  for (int64_t i = 0; plan->texts && i < plan->case_count * plan->axis_count; ++i) free(plan->texts[i]);
  free(plan->texts);
  for (int32_t a = 0; a < plan->axis_count; ++a) {
    for (int32_t i = 0; i < plan->axes[a].count; ++i) free(plan->axes[a].values[i]);
    free(plan->axes[a].values);
  }
  *plan = (CpsSweepPlan){0};
}

const char* cps_sweep_value(const CpsSweepPlan* plan, int64_t number, int32_t axis) {
  return plan->texts[number * plan->axis_count + axis];
}

bool cps_sweep_set(const CpsSweepPlan* plan, int64_t number, int32_t axis, char* text, size_t size) {
  const CpsSweepAxis* a = &plan->axes[axis];
  int length =
      snprintf(text, size, "%s=%s%s%s", a->key, cps_sweep_value(plan, number, axis), a->unit[0] ? " " : "", a->unit);
  return length > 0 && (size_t)length < size;
}
