#define _XOPEN_SOURCE 700  // realpath
// The folder of a sweep (sweep_folder.h).
#include "cli/sweep_folder.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/fail.h"
#include "core/hash.h"

static const char FIRST_LINE[] = "capstan sweep 1\n";
static const char* const CASE_ENDINGS[] = {"h5", "json", "log", "done", NULL};
enum { TEXT_LIMIT = 64 << 20 };  // largest size of a sweep.txt, in bytes

bool cps_sweep_path(const CpsSweep* sweep, int64_t number, const char* ending, char path[CPS_SWEEP_PATH]) {
  int length = snprintf(path, CPS_SWEEP_PATH, "%s/%04" PRId64 ".%s", sweep->folder, number + 1, ending);
  return length > 0 && length < CPS_SWEEP_PATH;
}

static bool plan_path(const char* folder, char path[CPS_SWEEP_PATH]) {
  int length = snprintf(path, CPS_SWEEP_PATH, "%s/sweep.txt", folder);
  return length > 0 && length < CPS_SWEEP_PATH;
}

// The text of sweep.txt, allocated; NULL if memory runs out.
static char* describe(const CpsSweep* sweep, size_t* size) {
  char* text = NULL;
  FILE* out = open_memstream(&text, size);
  if (!out) return NULL;
  char* real = realpath(sweep->scene, NULL);
  uint64_t hash = cps_hash_bytes(CPS_HASH_START, sweep->scene_text, strlen(sweep->scene_text));
  fprintf(out, "%sscene\t%s\nhash\t%016" PRIx64 "\nuntil\t%.17g\n", FIRST_LINE, real ? real : sweep->scene, hash,
          sweep->until);
  free(real);
  for (int32_t i = 0; i < sweep->fixed_count; ++i) fprintf(out, "set\t%s\n", sweep->fixed[i]);
  const CpsSweepPlan* plan = &sweep->plan;
  for (int32_t a = 0; a < plan->axis_count; ++a) fprintf(out, "key\t%s\t%s\n", plan->axes[a].key, plan->axes[a].unit);
  for (int64_t i = 0; i < plan->case_count; ++i) {
    fputs("case", out);
    for (int32_t a = 0; a < plan->axis_count; ++a) fprintf(out, "\t%s", cps_sweep_value(plan, i, a));
    fputc('\n', out);
  }
  bool good = !ferror(out);
  if (fclose(out) != 0 || !good) {
    free(text);
    return NULL;
  }
  return text;
}

// The text of a file, allocated; NULL, with a message, if it cannot be read.
static char* read_text(const char* path, CpsError* error) {
  FILE* file = fopen(path, "rb");
  char* text = NULL;
  size_t length = 0, room = 0;
  if (!file) {
    cps_io_fail(error, CPS_FILE_ERROR, path, NULL, "%s", strerror(errno));
    return NULL;
  }
  for (size_t got = 1; got > 0 && length < TEXT_LIMIT; length += got) {
    if (room < length + 4097) {
      room = 2 * room + 8192;
      char* more = realloc(text, room);
      if (!more) break;
      text = more;
    }
    got = fread(text + length, 1, 4096, file);
    text[length + got] = '\0';
  }
  bool good = text && !ferror(file) && feof(file) && strlen(text) == length;
  fclose(file);
  if (good) return text;
  cps_io_fail(error, CPS_BAD_FORMAT, path, NULL, "cannot be read, or is not a text file");
  free(text);
  return NULL;
}

// Whether the line that begins with `word` is the same in both texts.
static bool same_line(const char* a, const char* b, const char* word) {
  const char *in_a = strstr(a, word), *in_b = strstr(b, word);
  if (!in_a || !in_b) return false;
  size_t length = strcspn(in_a + 1, "\n");
  return length == strcspn(in_b + 1, "\n") && memcmp(in_a + 1, in_b + 1, length) == 0;
}

CpsStatus cps_sweep_open(const CpsSweep* sweep, CpsError* error) {
  char path[CPS_SWEEP_PATH];
  if (!plan_path(sweep->folder, path) || strlen(path) > CPS_SWEEP_PATH - 32) {
    return cps_io_fail(error, CPS_BAD_ARGUMENT, sweep->folder, NULL, "the name is too long");
  }
  if (mkdir(sweep->folder, 0777) != 0 && errno != EEXIST) {
    return cps_io_fail(error, CPS_FILE_ERROR, sweep->folder, NULL, "%s", strerror(errno));
  }
  size_t size = 0;
  char* text = describe(sweep, &size);
  if (!text) return cps_io_fail(error, CPS_NO_MEMORY, sweep->folder, NULL, "out of memory");
  CpsStatus status = CPS_OK;
  if (access(path, F_OK) != 0) {
    status = cps_file_replace(path, text, size, error);
  } else {
    char* old = read_text(path, error);
    if (!old) {
      status = CPS_BAD_FORMAT;
    } else if (strcmp(old, text) != 0) {
      bool scene = same_line(old, text, "\nscene\t") && !same_line(old, text, "\nhash\t");
      status = cps_io_fail(error, CPS_BAD_DATA, sweep->folder, NULL,
                           scene ? "the scene has changed since this sweep started; choose another folder, or start "
                                   "over with --again"
                                 : "contains another sweep; choose another folder, or replace it with --again");
    }
    free(old);
  }
  free(text);
  return status;
}

void cps_sweep_clear(const char* folder) {
  CpsSweep old;
  CpsError error;
  char path[CPS_SWEEP_PATH];
  if (cps_sweep_read(folder, &old, &error) != CPS_OK) return;
  for (int64_t i = 0; i < old.plan.case_count; ++i) cps_sweep_forget(&old, i);
  cps_sweep_free_read(&old);
  static const char* const OWN[] = {"table.csv", "table.h5", "sweep.txt", NULL};
  for (int i = 0; OWN[i]; ++i) {
    int length = snprintf(path, sizeof path, "%s/%s", folder, OWN[i]);
    if (length > 0 && length < CPS_SWEEP_PATH) remove(path);
  }
}

void cps_sweep_forget(const CpsSweep* sweep, int64_t number) {
  char path[CPS_SWEEP_PATH];
  for (int i = 0; CASE_ENDINGS[i]; ++i) {
    if (cps_sweep_path(sweep, number, CASE_ENDINGS[i], path)) remove(path);
  }
}

bool cps_sweep_read_end(const CpsSweep* sweep, int64_t number, CpsSweepEnd* end) {
  char path[CPS_SWEEP_PATH];
  FILE* file = cps_sweep_path(sweep, number, "done", path) ? fopen(path, "r") : NULL;
  if (!file) return false;
  int late = 0;
  bool good = fscanf(file, "exit %d seconds %lf processor %lf megabytes %lf out-of-time %d", &end->exit, &end->seconds,
                     &end->processor, &end->megabytes, &late) == 5;
  end->out_of_time = late != 0;
  fclose(file);
  return good;
}

CpsStatus cps_sweep_write_end(const CpsSweep* sweep, int64_t number, const CpsSweepEnd* end, CpsError* error) {
  char path[CPS_SWEEP_PATH], text[256];
  if (!cps_sweep_path(sweep, number, "done", path)) return CPS_BAD_ARGUMENT;
  int length = snprintf(text, sizeof text, "exit %d\nseconds %.3f\nprocessor %.3f\nmegabytes %.1f\nout-of-time %d\n",
                        end->exit, end->seconds, end->processor, end->megabytes, end->out_of_time);
  return cps_file_replace(path, text, (size_t)length, error);
}

const char* cps_sweep_case_text(const CpsSweep* sweep, int64_t number, char* text, size_t size) {
  size_t at = 0;
  text[0] = '\0';
  for (int32_t a = 0; a < sweep->plan.axis_count && at + 1 < size; ++a) {
    if (a > 0) text[at++] = ' ';
    if (!cps_sweep_set(&sweep->plan, number, a, text + at, size - at)) break;
    at += strlen(text + at);
  }
  return text;
}

// Splits a line at tabs, in place. Returns the number of fields, at most `room`.
static int cut(char* line, char** fields, int room) {
  int count = 0;
  for (char* at = line; at && count < room; ++count) {
    fields[count] = at;
    at = strchr(at, '\t');
    if (at) *at++ = '\0';
  }
  return count;
}

static bool take_line(CpsSweep* sweep, char* line) {
  CpsSweepPlan* plan = &sweep->plan;
  char* fields[CPS_SWEEP_AXES + 2];
  int count = cut(line, fields, CPS_SWEEP_AXES + 2);
  if (strcmp(fields[0], "scene") == 0 && count == 2 && !sweep->scene) return (sweep->scene = strdup(fields[1])) != NULL;
  if (strcmp(fields[0], "until") == 0 && count == 2) return sscanf(fields[1], "%lf", &sweep->until) == 1;
  if (strcmp(fields[0], "hash") == 0) return true;
  if (strcmp(fields[0], "set") == 0 && count == 2) {
    const char** fixed = realloc((void*)sweep->fixed, ((size_t)sweep->fixed_count + 1) * sizeof *fixed);
    if (!fixed) return false;
    sweep->fixed = fixed;
    return (fixed[sweep->fixed_count] = strdup(fields[1])) && ++sweep->fixed_count;
  }
  if (strcmp(fields[0], "key") == 0 && count == 3 && plan->axis_count < CPS_SWEEP_AXES && plan->case_count == 0) {
    CpsSweepAxis* axis = &plan->axes[plan->axis_count];
    if (strlen(fields[1]) >= sizeof axis->key || strlen(fields[2]) >= sizeof axis->unit) return false;
    strcpy(axis->key, fields[1]);
    strcpy(axis->unit, fields[2]);
    return ++plan->axis_count > 0;
  }
  if (strcmp(fields[0], "case") != 0 || count != plan->axis_count + 1 || plan->case_count == CPS_SWEEP_CASES)
    return false;
  size_t wanted = (size_t)(plan->case_count + 1) * (size_t)plan->axis_count;
  char** texts = realloc(plan->texts, (wanted + 1) * sizeof *texts);
  if (!texts) return false;
  plan->texts = texts;
  char** row = texts + plan->case_count * plan->axis_count;
  memset((void*)row, 0, (size_t)plan->axis_count * sizeof *row);
  ++plan->case_count;
  for (int32_t a = 0; a < plan->axis_count; ++a) {
    if (!(row[a] = strdup(fields[a + 1]))) return false;
  }
  return true;
}

CpsStatus cps_sweep_read(const char* folder, CpsSweep* sweep, CpsError* error) {
  *sweep = (CpsSweep){.folder = folder};
  char path[CPS_SWEEP_PATH];
  if (!plan_path(folder, path)) return cps_io_fail(error, CPS_BAD_ARGUMENT, folder, NULL, "the name is too long");
  if (access(path, F_OK) != 0)
    return cps_io_fail(error, CPS_FILE_ERROR, folder, NULL, "not a sweep folder (no sweep.txt)");
  char* text = read_text(path, error);
  if (!text) return CPS_BAD_FORMAT;
  bool good = strncmp(text, FIRST_LINE, strlen(FIRST_LINE)) == 0;
  char* rest = text + (good ? strlen(FIRST_LINE) : 0);
  while (good && *rest) {
    char *line = rest, *end = strchr(line, '\n');
    rest = end ? end + 1 : line + strlen(line);
    if (end) *end = '\0';
    good = take_line(sweep, line);
  }
  free(text);
  good = good && sweep->scene && sweep->plan.axis_count > 0 && sweep->plan.case_count > 0;
  if (good) return CPS_OK;
  cps_sweep_free_read(sweep);
  return cps_io_fail(error, CPS_BAD_FORMAT, path, NULL, "is damaged");
}

void cps_sweep_free_read(CpsSweep* sweep) {
  free((void*)sweep->scene);
  for (int32_t i = 0; i < sweep->fixed_count; ++i) free((void*)sweep->fixed[i]);
  free((void*)sweep->fixed);
  cps_sweep_plan_free(&sweep->plan);
  *sweep = (CpsSweep){0};
}
