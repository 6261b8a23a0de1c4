// capstan generate: realistic problems of any size from a few numbers and a seed.
#include <stdio.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/suggest.h"
#include "capstan/fclib.h"
#include "capstan/generate.h"
#include "cli/command.h"
#include "cli/options.h"

static const char* const kind_names[] = {"fibres", "stack", "spheres", NULL};

static int find_kind(const char* word) {
  for (int kind = 0; kind_names[kind]; ++kind) {
    if (strcmp(word, kind_names[kind]) == 0) return kind;
  }
  return -1;
}

static int generate(const CpsGenerateDef* def, const char* output, bool quiet) {
  CpsError error;
  CpsProblem* problem = NULL;
  if (cps_file_check(output, &error) != CPS_OK) return cps_complain("%s", error.text);
  if (cps_problem_generate(def, &problem, &error) != CPS_OK) return cps_complain("generate: %s", error.text);
  char title[128];
  int32_t count = cps_problem_contact_count(problem);
  snprintf(title, sizeof title, "%s, %d contacts, mu %g, seed %llu", kind_names[def->kind], (int)count, def->mu,
           (unsigned long long)def->seed);
  int code = CPS_EXIT_OK;
  if (cps_fclib_write(output, problem, NULL, NULL, title, &error) != CPS_OK) {
    code = cps_complain("%s", error.text);
  } else if (!quiet) {
    printf("wrote %s (%s)   solve it: capstan solve %s\n", output, title, output);
  }
  cps_problem_destroy(problem);
  return code;
}

int cps_cmd_generate(int argc, char** argv) {
  CpsGenerateDef def = cps_generate_def_default();
  int64_t contacts = def.contact_count, bodies = 0, dofs = def.dofs_per_rod;
  const char* output = NULL;
  bool quiet = false;
  const CpsOption options[] = {
      {"contacts", 'n', CPS_OPTION_COUNT, &contacts, "N", "target number of contacts [1000]", 100000000},
      {"seed", 's', CPS_OPTION_NATURAL, &def.seed, "K", "random seed; the same seed gives the same bits [1]", 0},
      {"bodies", 0, CPS_OPTION_COUNT, &bodies, "N", "number of rods, boxes or spheres [chosen to suit the contacts]",
       100000000},
      {"mu", 0, CPS_OPTION_NOT_NEGATIVE, &def.mu, "MU", "friction coefficient [0.3]", 0},
      {"dofs", 0, CPS_OPTION_COUNT, &dofs, "N", "fibres: degrees of freedom per rod, a multiple of 3 [15]", 300},
      {"output", 'o', CPS_OPTION_TEXT, &output, "F.hdf5", "output file (required)", 0},
      {"quiet", 'q', CPS_OPTION_FLAG, &quiet, NULL, "print nothing but errors", 0},
      {0},
  };
  const CpsCommandLine line = {
      .name = "generate",
      .usage = "fibres|stack|spheres -o F.hdf5 [OPTIONS]",
      .summary =
          "Generates a large realistic problem: a bundle of packed fibres with dense rod blocks, a wall of\n"
          "boxes (redundant contacts, singular W) or a dense packing of spheres.",
      .options = options,
      .examples =
          "  capstan generate fibres --contacts 10000 --bodies 334 --seed 1 -o ponytail.hdf5\n"
          "  capstan generate stack --contacts 400 -o wall.hdf5\n"
          "  capstan generate spheres --contacts 5000 --mu 0.5 --seed 7 -o spheres.hdf5\n",
  };
  int word_count = 0;
  CpsParse parsed = cps_parse(&line, argc, argv, &word_count);
  if (parsed != CPS_PARSE_GO) return parsed == CPS_PARSE_HELP ? CPS_EXIT_OK : CPS_EXIT_BAD_INPUT;
  if (word_count == 0) return cps_complain("generate needs a kind: fibres, stack or spheres");
  if (word_count > 1) return cps_complain("generate takes one kind; unexpected argument '%s'", argv[1]);
  int kind = find_kind(argv[0]);
  if (kind < 0) {
    const char* near = cps_suggest(argv[0], kind_names);
    return near ? cps_complain("generate: unknown kind '%s'; did you mean '%s'?", argv[0], near)
                : cps_complain("generate: unknown kind '%s'; choose fibres, stack or spheres", argv[0]);
  }
  if (!output) return cps_complain("generate needs an output file, -o F.hdf5");
  def.kind = (CpsGenerateKind)kind;
  def.contact_count = (int32_t)contacts;
  def.body_count = (int32_t)bodies;
  def.dofs_per_rod = (int32_t)dofs;
  return generate(&def, output, quiet);
}
