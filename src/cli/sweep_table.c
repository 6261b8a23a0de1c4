// Quantities of a sweep (sweep_table.h).
#include "cli/sweep_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/suggest.h"
#include "base/text_number.h"
#include "capstan/export.h"
#include "capstan/result.h"
#include "cli/sweep_run.h"

enum { REPORT_MOST = 1 << 20 };  // bytes of a report

const char cps_sweep_quantities[] =
    "exit,seconds,time,steps,unsolved,contacts_max,residual_max,penetration_max,crossings,energy_error";

// The case being read.
typedef struct Case {
  const CpsSweepEnd* end;
  CpsResult* result;  // NULL if there is none or it is not needed
  bool reported;      // the time and totals below are from the report of the run
  CpsResultInfo info;
  const CpsScene* scene;  // for names; NULL if it can no longer be read
  double* series;         // room for info.steps
} Case;

static const char* const TOTALS[] = {"exit",         "seconds",   "processor",    "megabytes",    "time",
                                     "steps",        "unsolved",  "contacts_max", "residual_max", "penetration_max",
                                     "energy_error", "crossings", "broken",       "stopped",      NULL};

static double total(const Case* c, int which) {
  const CpsRunTotals* t = &c->info.totals;
  const double values[] = {c->end->exit,      c->end->seconds,    c->end->processor,         c->end->megabytes,
                           c->info.time,      (double)t->steps,   (double)t->unsolved_steps, (double)t->contacts_max,
                           t->residual_max,   t->penetration_max, t->energy_error,           (double)t->crossings,
                           (double)t->broken, (double)t->stopped};
  return which < 4 || c->result || c->reported ? values[which] : NAN;
}

static const char* const REDUCTIONS[] = {"last", "first", "max", "min", "mean", NULL};
static const char* const PLACES[] = {"way", "tip", "x", "y", "z", NULL};

static int find(const char* const* list, const char* word, size_t length) {
  for (int i = 0; list[i]; ++i) {
    if (strlen(list[i]) == length && strncmp(list[i], word, length) == 0) return i;
  }
  return -1;
}

static CpsStatus reduce(const Case* c, int how, const char* name, double* value, CpsError* error) {
  int64_t count = c->info.steps;
  *value = NAN;
  CpsStatus status = cps_result_series(c->result, name, c->series, error);
  if (status != CPS_OK || count == 0) return status;
  const double* v = c->series;
  double best = v[0], sum = 0.0;
  for (int64_t i = 0; i < count; ++i) {
    if (how == 2 && v[i] > best) best = v[i];
    if (how == 3 && v[i] < best) best = v[i];
    sum += v[i];
  }
  *value = how == 0 ? v[count - 1] : how == 4 ? sum / (double)count : best;
  return CPS_OK;
}

static double distance(CpsVec3 a, CpsVec3 b) {
  double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
  return sqrt(x * x + y * y + z * z);
}

static double coordinate(CpsVec3 point, int axis) {
  return axis == 0 ? point.x : axis == 1 ? point.y : point.z;
}

// The value of PLACES[which], from positions in the first and the last frame.
static double place_value(int which, const CpsVec3* first, const CpsVec3* last, int64_t count) {
  if (which >= 2) return coordinate(last[count - 1], which - 2);
  if (which == 1) return distance(first[count - 1], last[count - 1]);
  double most = 0.0;
  for (int64_t i = 0; i < count; ++i) most = fmax(most, distance(first[i], last[i]));
  return most;
}

static CpsStatus body_place(const Case* c, int32_t body, int which, double* value, CpsError* error) {
  CpsPose* poses = malloc(2 * (size_t)c->info.bodies * sizeof *poses);
  if (!poses) return CPS_NO_MEMORY;
  CpsPose* last = poses + c->info.bodies;
  CpsStatus status = cps_result_frame_poses(c->result, 0, poses, error);
  if (status == CPS_OK) status = cps_result_frame_poses(c->result, c->info.frames - 1, last, error);
  if (status == CPS_OK) *value = place_value(which, &poses[body].position, &last[body].position, 1);
  free(poses);
  return status;
}

static CpsStatus fibre_place(const Case* c, int32_t fibre, int which, double* value, CpsError* error) {
  CpsVec3* points = malloc(2 * (size_t)c->info.fibre_points * sizeof *points);
  if (!points) return CPS_NO_MEMORY;
  CpsVec3* last = points + c->info.fibre_points;
  CpsStatus status = cps_result_frame_fibres(c->result, 0, points, NULL, error);
  if (status == CPS_OK) status = cps_result_frame_fibres(c->result, c->info.frames - 1, last, NULL, error);
  for (int32_t i = 0; status == CPS_OK && i < c->info.lines; ++i) {
    CpsResultLine line = cps_result_line(c->result, i);
    if (line.fibre != fibre || line.branch >= 0) continue;
    *value = place_value(which, points + line.first, last + line.first, line.count);
    break;
  }
  free(points);
  return status;
}

static CpsStatus place(const Case* c, int which, const char* name, double* value, CpsError* error) {
  *value = NAN;
  if (c->info.frames == 0) return CPS_OK;
  for (int32_t i = 0; which != 1 && i < c->info.bodies; ++i) {
    if (strcmp(cps_scene_body_name(c->scene, i), name) == 0) return body_place(c, i, which, value, error);
  }
  for (int32_t i = 0; i < c->info.fibres; ++i) {
    if (strcmp(cps_scene_fibre_name(c->scene, i), name) == 0) return fibre_place(c, i, which, value, error);
  }
  return cps_io_fail(error, CPS_BAD_ARGUMENT, "--what", NULL, "the scene has no %s called '%s'",
                     which == 1 ? "fibre" : "body or fibre", name);
}

static CpsStatus quantity(const Case* c, const char* name, double* value, CpsError* error) {
  int which = find(TOTALS, name, strlen(name));
  if (which >= 0) {
    *value = total(c, which);
    return CPS_OK;
  }
  *value = NAN;
  if (!c->result) return CPS_OK;
  const char* colon = strchr(name, ':');
  size_t length = colon ? (size_t)(colon - name) : 0;
  int how = colon ? find(REDUCTIONS, name, length) : 0;
  if (how >= 0) {
    CpsStatus status = reduce(c, how, colon ? colon + 1 : name, value, error);
    const char* near = colon || status != CPS_BAD_ARGUMENT ? NULL : cps_suggest(name, TOTALS);
    return near ? cps_io_fail(error, status, "--what", NULL, "unknown '%s'; did you mean '%s'?", name, near) : status;
  }
  which = find(PLACES, name, length);
  if (which >= 0 && c->scene) return place(c, which, colon + 1, value, error);
  if (which >= 0) return CPS_OK;
  return cps_io_fail(error, CPS_BAD_ARGUMENT, "--what", NULL,
                     "'%s' does not begin with last:, first:, max:, min:, mean:, way:, tip:, x:, y: or z:", name);
}

// The scene of a case, for its names; NULL if it can no longer be read.
static CpsScene* load_scene(const CpsSweep* sweep, int64_t number) {
  int32_t count = sweep->fixed_count + sweep->plan.axis_count;
  const char** sets = malloc((size_t)count * sizeof *sets);
  char* texts = malloc((size_t)sweep->plan.axis_count * 512);
  CpsScene* scene = NULL;
  CpsError error;
  if (sets && texts) {
    for (int32_t i = 0; i < sweep->fixed_count; ++i) sets[i] = sweep->fixed[i];
    for (int32_t a = 0; a < sweep->plan.axis_count; ++a) {
      cps_sweep_set(&sweep->plan, number, a, texts + (size_t)a * 512, 512);
      sets[sweep->fixed_count + a] = texts + (size_t)a * 512;
    }
    if (cps_scene_load(sweep->scene, sets, count, &scene, &error) != CPS_OK) scene = NULL;
  }
  free((void*)sets);
  free(texts);
  return scene;
}

// Finds a number in the report of a run. Keys quoted inside a text have a backslash before the second quote.
static bool reported(const char* report, const char* key, double* value) {
  char quoted[32];
  snprintf(quoted, sizeof quoted, "\"%s\": ", key);
  const char* at = strstr(report, quoted);
  char* end = NULL;
  if (!at) return false;
  *value = strtod(at + strlen(quoted), &end);
  return end != at + strlen(quoted);
}

// Reads time and totals from the report of a run, 0001.json: opening the result takes a tenth of the time of a short
// run. False if values are missing or not numbers.
static bool read_report(const CpsSweep* sweep, int64_t number, CpsResultInfo* info) {
  char path[CPS_SWEEP_PATH];
  char* text = malloc(REPORT_MOST + 1);
  FILE* file = text && cps_sweep_path(sweep, number, "json", path) ? fopen(path, "r") : NULL;
  size_t size = file ? fread(text, 1, REPORT_MOST, file) : 0;
  if (file) fclose(file);
  double v[10];
  static const char* const KEYS[] = {"time",         "steps",           "unsolved_steps", "contacts_max",
                                     "residual_max", "penetration_max", "energy_error",   "crossings",
                                     "broken",       "stopped"};
  bool whole = size > 0 && size < REPORT_MOST;
  if (whole) text[size] = '\0';
  for (int i = 0; whole && i < 10; ++i) whole = reported(text, KEYS[i], &v[i]);
  free(text);
  if (!whole) return false;
  info->time = v[0];
  info->totals = (CpsRunTotals){.steps = (int64_t)v[1],
                                .unsolved_steps = (int64_t)v[2],
                                .contacts_max = (int32_t)v[3],
                                .residual_max = v[4],
                                .penetration_max = v[5],
                                .energy_error = v[6],
                                .crossings = (int64_t)v[7],
                                .broken = (int64_t)v[8],
                                .stopped = (int64_t)v[9]};
  return true;
}

static bool totals_only(const CpsSweepTable* t) {
  for (int32_t q = 0; q < t->quantity_count; ++q) {
    if (find(TOTALS, t->names[q], strlen(t->names[q])) < 0) return false;
  }
  return true;
}

static CpsStatus gather_case(const CpsSweep* sweep, CpsSweepTable* t, bool places, int64_t number, CpsError* error) {
  double* row = t->values + number * t->quantity_count;
  CpsSweepEnd end = {.exit = -1, .seconds = NAN, .processor = NAN, .megabytes = NAN};
  for (int32_t q = 0; q < t->quantity_count; ++q) row[q] = NAN;
  if (!cps_sweep_read_end(sweep, number, &end)) return CPS_OK;
  Case c = {.end = &end};
  CpsScene* scene = NULL;
  char path[CPS_SWEEP_PATH];
  CpsError ignored;
  c.reported = cps_sweep_has_result(&end) && totals_only(t) && read_report(sweep, number, &c.info);
  if (!c.reported && cps_sweep_has_result(&end) && cps_sweep_path(sweep, number, "h5", path) &&
      cps_result_open(path, &c.result, &ignored) == CPS_OK) {
    c.info = cps_result_info(c.result);
    c.series = malloc(((size_t)c.info.steps + 1) * sizeof *c.series);
    c.scene = scene = places ? load_scene(sweep, number) : NULL;
  }
  CpsStatus status = c.result && !c.series ? CPS_NO_MEMORY : CPS_OK;
  for (int32_t q = 0; status == CPS_OK && q < t->quantity_count; ++q)
    status = quantity(&c, t->names[q], &row[q], error);
  if (status == CPS_NO_MEMORY) cps_io_fail(error, status, sweep->folder, NULL, "out of memory");
  cps_scene_destroy(scene);
  cps_result_destroy(c.result);
  free(c.series);
  return status;
}

static CpsStatus read_names(CpsSweepTable* t, const char* what, bool* places, CpsError* error) {
  *places = false;
  for (const char* at = what; *at;) {
    size_t length = strcspn(at, ",");
    if (length > 0 && t->axis_count + t->quantity_count + 1 >= CPS_SWEEP_COLUMNS) {
      return cps_io_fail(error, CPS_BAD_ARGUMENT, "--what", NULL, "more than %d quantities", CPS_SWEEP_COLUMNS);
    }
    if (length > 0) {
      char* name = t->names[t->quantity_count] = strndup(at, length);
      if (!name) return cps_io_fail(error, CPS_NO_MEMORY, "--what", NULL, "out of memory");
      ++t->quantity_count;
      const char* colon = strchr(name, ':');
      *places = *places || (colon && find(PLACES, name, (size_t)(colon - name)) >= 0);
    }
    at += length + (at[length] == ',');
  }
  return t->quantity_count > 0 ? CPS_OK : cps_io_fail(error, CPS_BAD_ARGUMENT, "--what", NULL, "no quantity is given");
}

CpsStatus cps_sweep_gather(const CpsSweep* sweep, const char* what, CpsSweepTable* table, CpsError* error) {
  *table = (CpsSweepTable){.rows = sweep->plan.case_count, .axis_count = sweep->plan.axis_count};
  bool places = false;
  CpsStatus status = read_names(table, what, &places, error);
  if (status == CPS_OK) {
    table->values = malloc((size_t)table->rows * (size_t)table->quantity_count * sizeof *table->values);
    if (!table->values) status = cps_io_fail(error, CPS_NO_MEMORY, sweep->folder, NULL, "out of memory");
  }
  for (int64_t i = 0; status == CPS_OK && i < table->rows; ++i) status = gather_case(sweep, table, places, i, error);
  if (status != CPS_OK) cps_sweep_table_free(table);
  return status;
}

void cps_sweep_table_free(CpsSweepTable* table) {
  for (int32_t q = 0; q < table->quantity_count; ++q) free(table->names[q]);
  free(table->values);
  *table = (CpsSweepTable){0};
}

double cps_sweep_number(const CpsSweep* sweep, int64_t number, int32_t axis) {
  double value;
  const char* after = cps_number_read(cps_sweep_value(&sweep->plan, number, axis), &value);
  return after && *after == '\0' ? value : NAN;
}

// Fills the columns of numbers and texts. `numbers` has rows x columns, column by column; `texts` holds the values of
// the keys in the same order.
static void fill(const CpsSweep* sweep, const CpsSweepTable* t, double* numbers, const char** texts, char (*names)[192],
                 CpsColumn* columns) {
  int32_t count = 1 + t->axis_count + t->quantity_count;
  for (int32_t c = 0; c < count; ++c) {
    int32_t axis = c - 1, q = axis - t->axis_count;
    double* column = numbers + c * t->rows;
    bool numeric = true;
    for (int64_t i = 0; i < t->rows; ++i) {
      column[i] = c == 0  ? (double)(i + 1)
                  : q < 0 ? cps_sweep_number(sweep, i, axis)
                          : t->values[i * t->quantity_count + q];
      if (c > 0 && q < 0) texts[axis * t->rows + i] = cps_sweep_value(&sweep->plan, i, axis);
      if (c > 0 && q < 0 && isnan(column[i])) numeric = false;
    }
    const CpsSweepAxis* a = &sweep->plan.axes[c > 0 && q < 0 ? axis : 0];
    const char *open = a->unit[0] ? " (" : "", *close = a->unit[0] ? ")" : "";
    if (c == 0) snprintf(names[c], sizeof names[c], "case");
    if (c > 0 && q < 0) snprintf(names[c], sizeof names[c], "%s%s%s%s", a->key, open, a->unit, close);
    if (q >= 0) snprintf(names[c], sizeof names[c], "%s", t->names[q]);
    columns[c] = (CpsColumn){.name = names[c]};
    if (numeric) {
      columns[c].numbers = column;
    } else {
      columns[c].texts = texts + axis * t->rows;
    }
  }
}

CpsStatus cps_sweep_table_write(const CpsSweep* sweep, const CpsSweepTable* table, CpsError* error) {
  int32_t count = 1 + table->axis_count + table->quantity_count;
  double* numbers = malloc((size_t)count * (size_t)table->rows * sizeof *numbers);
  const char** texts = malloc((size_t)table->axis_count * (size_t)table->rows * sizeof *texts);
  CpsColumn columns[CPS_SWEEP_COLUMNS];
  char(*names)[192] = malloc(CPS_SWEEP_COLUMNS * sizeof *names);
  CpsStatus status = CPS_OK;
  if (!numbers || !texts || !names) {
    status = cps_io_fail(error, CPS_NO_MEMORY, sweep->folder, NULL, "out of memory");
  } else {
    fill(sweep, table, numbers, texts, names, columns);
    static const char* const FILES[] = {"table.csv", "table.h5"};
    for (int f = 0; status == CPS_OK && f < 2; ++f) {
      char path[CPS_SWEEP_PATH];
      snprintf(path, sizeof path, "%.4000s/%s", sweep->folder, FILES[f]);
      status = cps_export_columns(path, columns, count, table->rows, error);
    }
  }
  free(numbers);
  free((void*)texts);
  free(names);
  return status;
}
