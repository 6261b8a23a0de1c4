#include "friction/problems.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capstan/fclib.h"

static void add(CpsBenchProblems* problems, const char* name, CpsProblem* problem) {
  CpsBenchProblem* items = realloc(problems->items, sizeof *items * ((size_t)problems->count + 1));
  if (!items) {
    fprintf(stderr, "not enough memory for %s\n", name);
    exit(3);
  }
  problems->items = items;
  (void)snprintf(items[problems->count].name, sizeof items->name, "%s", name);
  items[problems->count++].problem = problem;
}

static int compare_entry(const struct dirent** left, const struct dirent** right) {
  return strcmp((*left)->d_name, (*right)->d_name);
}

static int is_hdf5(const struct dirent* entry) {
  const char* dot = strrchr(entry->d_name, '.');
  return dot && strcmp(dot, ".hdf5") == 0;
}

static void load_folder(CpsBenchProblems* problems, const char* data, const char* folder, const char* only) {
  char path[1024];
  (void)snprintf(path, sizeof path, "%s/%s", data, folder);
  struct dirent** entries = NULL;
  int count = scandir(path, &entries, is_hdf5, compare_entry);
  for (int i = 0; i < count; ++i) {
    char name[96];
    (void)snprintf(name, sizeof name, "%.*s", (int)strlen(entries[i]->d_name) - 5, entries[i]->d_name);
    (void)snprintf(path, sizeof path, "%s/%s/%s", data, folder, entries[i]->d_name);
    free(entries[i]);
    if (only && !strstr(name, only)) continue;
    CpsProblem* problem = NULL;
    CpsError error;
    if (cps_fclib_read(path, CPS_FORM_W, &problem, NULL, &error) == CPS_OK)
      add(problems, name, problem);
    else
      fprintf(stderr, "skipped: %s\n", error.text);
  }
  free(entries);
}

static void generate_some(CpsBenchProblems* problems) {
  static const char* const kinds[] = {"fibres", "stack", "spheres"};
  for (int kind = 0; kind < 3; ++kind)
    for (int32_t size = 50; size <= 450; size *= 3) {
      CpsGenerateDef def = cps_generate_def_default();
      def.kind = (CpsGenerateKind)kind;
      def.contact_count = size;
      def.form = CPS_FORM_W;
      CpsProblem* problem = NULL;
      char name[96];
      (void)snprintf(name, sizeof name, "%s-%d", kinds[kind], (int)size);
      if (cps_problem_generate(&def, &problem, NULL) == CPS_OK) add(problems, name, problem);
    }
}

CpsBenchProblems cps_bench_problems_load(const char* data, const char* only) {
  CpsBenchProblems problems = {0};
  load_folder(&problems, data, "fclib", only);
  load_folder(&problems, data, "generated", only);
  if (problems.count == 0) {
    fprintf(stderr, "no problem files below %s: generating some instead\n", data);
    generate_some(&problems);
  }
  return problems;
}

void cps_bench_problems_free(CpsBenchProblems* problems) {
  for (int i = 0; i < problems->count; ++i) cps_problem_destroy(problems->items[i].problem);
  free(problems->items);
  *problems = (CpsBenchProblems){0};
}
