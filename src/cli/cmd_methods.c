// capstan methods: lists the methods with a summary and their source.
#include <stdio.h>

#include "capstan/solve.h"
#include "cli/choose.h"
#include "cli/command.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/table.h"

static const char* const law_names[] = {"coulomb", "convex", "bilateral", "free"};

static void print_laws(CpsJson* json, unsigned laws) {
  cps_json_open(json, "laws", '[');
  for (int law = 0; law < 4; ++law) {
    if (laws & CPS_LAW_BIT(law)) cps_json_text(json, NULL, law_names[law]);
  }
  cps_json_close(json, ']');
}

static void print_json(void) {
  CpsJson json = {.out = stdout};
  cps_json_open(&json, NULL, '{');
  cps_json_open(&json, "methods", '[');
  for (int m = 0; m < CPS_METHOD_COUNT; ++m) {
    const CpsMethodInfo* info = cps_method_info((CpsMethod)m);
    if (!info) continue;
    cps_json_open(&json, NULL, '{');
    cps_json_text(&json, "name", info->name);
    cps_json_text(&json, "summary", info->summary);
    cps_json_text(&json, "reference", info->reference);
    cps_json_bool(&json, "exact", info->exact);
    cps_json_bool(&json, "uses_local", info->uses_local);
    cps_json_bool(&json, "available", info->available);
    print_laws(&json, info->laws);
    cps_json_close(&json, '}');
  }
  cps_json_close(&json, ']');
  cps_json_open(&json, "locals", '[');
  for (int l = 0; l < CPS_LOCAL_COUNT; ++l) {
    const CpsLocalInfo* info = cps_local_info((CpsLocal)l);
    if (!info) continue;
    cps_json_open(&json, NULL, '{');
    cps_json_text(&json, "name", info->name);
    cps_json_text(&json, "summary", info->summary);
    cps_json_text(&json, "reference", info->reference);
    cps_json_bool(&json, "exact", info->exact);
    cps_json_close(&json, '}');
  }
  cps_json_close(&json, ']');
  cps_json_open(&json, "aliases", '[');
  for (int32_t a = 0; cps_alias(a); ++a) {
    const CpsAlias* alias = cps_alias(a);
    char local[32];
    CpsSolveInfo info = {.local = alias->local, .local_failsafe = alias->local_failsafe};
    cps_json_open(&json, NULL, '{');
    cps_json_text(&json, "name", alias->name);
    cps_json_text(&json, "method", cps_method_name(alias->method));
    cps_json_text(&json, "local", cps_local_name(&info, local));
    cps_json_close(&json, '}');
  }
  cps_json_close(&json, ']');
  cps_json_close(&json, '}');
  putchar('\n');
}

// Name, problems it solves, summary, paper. Returns false if memory runs out.
static bool print_methods(void) {
  CpsTable table;
  bool done = cps_table_init(&table, CPS_METHOD_COUNT, 4);
  int row = 0;
  for (int m = 0; done && m < CPS_METHOD_COUNT; ++m) {
    const CpsMethodInfo* info = cps_method_info((CpsMethod)m);
    if (!info) continue;
    const char* kind = !info->available ? "not built" : info->exact ? "exact" : "approximate";
    done = cps_table_set(&table, row, 0, "%s", info->name) && cps_table_set(&table, row, 1, "%s", kind) &&
           cps_table_set(&table, row, 2, "%s", info->summary) && cps_table_set(&table, row, 3, "%s", info->reference);
    ++row;
  }
  if (done) table.row_count = row;
  if (done) cps_table_print(&table, stdout, 2, 4);
  cps_table_free(&table);
  return done;
}

static bool print_locals(void) {
  CpsTable table;
  bool done = cps_table_init(&table, CPS_LOCAL_COUNT, 4);
  int row = 0;
  for (int l = 0; done && l < CPS_LOCAL_COUNT; ++l) {
    const CpsLocalInfo* info = cps_local_info((CpsLocal)l);
    if (!info) continue;
    done = cps_table_set(&table, row, 0, "%s", info->name) &&
           cps_table_set(&table, row, 1, info->exact ? "exact" : "approximate") &&
           cps_table_set(&table, row, 2, "%s", info->summary) && cps_table_set(&table, row, 3, "%s", info->reference);
    ++row;
  }
  if (done) table.row_count = row;
  if (done) cps_table_print(&table, stdout, 2, 4);
  cps_table_free(&table);
  return done;
}

static void print_aliases(void) {
  for (int32_t a = 0; cps_alias(a); ++a) {
    const CpsAlias* alias = cps_alias(a);
    char local[32];
    CpsSolveInfo info = {.local = alias->local, .local_failsafe = alias->local_failsafe};
    const char* with = cps_local_name(&info, local);
    printf("  %-14s --method %s%s%s\n", alias->name, cps_method_name(alias->method), with ? " --local " : "",
           with ? with : "");
  }
}

int cps_cmd_methods(int argc, char** argv) {
  bool as_json = false;
  const CpsOption options[] = {
      {"json", 0, CPS_OPTION_FLAG, &as_json, NULL, "print one JSON object", 0},
      {0},
  };
  const CpsCommandLine line = {
      .name = "methods",
      .usage = "[OPTIONS]",
      .summary =
          "Lists all whole-problem methods (--method), all one-contact solvers (--local) and their names in\n"
          "the literature. Those marked \"approximate\" solve a faceted or relaxed law.",
      .options = options,
      .examples = "  capstan methods\n  capstan methods --json\n",
  };
  int word_count = 0;
  CpsParse parsed = cps_parse(&line, argc, argv, &word_count);
  if (parsed != CPS_PARSE_GO) return parsed == CPS_PARSE_HELP ? CPS_EXIT_OK : CPS_EXIT_BAD_INPUT;
  if (word_count > 0) return cps_complain("methods takes no argument '%s'", argv[0]);
  if (as_json) {
    print_json();
    return CPS_EXIT_OK;
  }
  puts("whole-problem methods (--method):");
  if (!print_methods()) return cps_complain("out of memory");
  puts("\none-contact solvers (--local), for methods that use one; X+enum falls back to enum where X fails:");
  if (!print_locals()) return cps_complain("out of memory");
  puts("\nnames in the literature (--method):");
  print_aliases();
  return CPS_EXIT_OK;
}
