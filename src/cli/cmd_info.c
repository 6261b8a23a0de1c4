// capstan info: a summary of a problem file, a result, a mesh or a hair file.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "capstan/fclib.h"
#include "capstan/hair.h"
#include "capstan/rest.h"
#include "capstan/result.h"
#include "cli/command.h"
#include "cli/info_hair.h"
#include "cli/info_mesh.h"
#include "cli/info_rest.h"
#include "cli/info_result.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/report.h"

typedef struct Facts {
  const char* file;
  CpsFclibInfo source;
  CpsProblemInfo problem;
  double solution_residual;  // of /solution/r, NaN if there is none
} Facts;

static CpsStatus gather(Facts* facts, CpsError* error) {
  CpsProblem* problem = NULL;
  CpsStatus status = cps_fclib_read(facts->file, CPS_FORM_W, &problem, &facts->source, error);
  if (status != CPS_OK) return status;
  facts->solution_residual = NAN;
  int64_t row_count = cps_problem_row_count(problem);
  double* r = malloc(((size_t)row_count + 1) * sizeof *r);
  status = r ? cps_problem_describe(problem, &facts->problem) : CPS_NO_MEMORY;
  if (status != CPS_OK) {
    snprintf(error->text, sizeof error->text, "%s: %s", facts->file, cps_status_string(status));
  } else if (facts->source.has_solution && cps_fclib_read_solution(facts->file, row_count, r, NULL, NULL) == CPS_OK) {
    CpsResidual residual;
    if (cps_problem_residual(problem, r, &residual) == CPS_OK) facts->solution_residual = residual.natural;
  }
  free(r);
  cps_problem_destroy(problem);
  return status;
}

static void print_json(const Facts* facts) {
  const CpsProblemInfo* p = &facts->problem;
  CpsJson json = {.out = stdout};
  cps_json_open(&json, NULL, '{');
  cps_json_text(&json, "problem", facts->file);
  cps_json_text(&json, "form", facts->source.global ? "global" : "local");
  cps_json_text(&json, "title", facts->source.title);
  cps_json_text(&json, "description", facts->source.description);
  cps_json_text(&json, "math_info", facts->source.math_info);
  cps_json_integer(&json, "contacts", p->contact_count);
  cps_json_integer(&json, "dim", p->dim);
  cps_json_integer(&json, "rows", p->row_count);
  cps_json_integer(&json, "blocks", p->block_count);
  cps_json_number(&json, "mu_min", p->mu_min >= 0.0 ? p->mu_min : NAN);
  cps_json_number(&json, "mu_max", p->mu_max >= 0.0 ? p->mu_max : NAN);
  cps_json_number(&json, "asymmetry", p->asymmetry);
  cps_json_number(&json, "dofs", p->dof_count > 0 ? (double)p->dof_count : NAN);
  cps_json_number(&json, "nu", p->nu >= 0.0 ? p->nu : NAN);
  cps_json_integer(&json, "islands", p->island_count);
  cps_json_integer(&json, "largest_island", p->largest_island);
  cps_json_number(&json, "rank", p->rank >= 0 ? (double)p->rank : NAN);
  cps_json_number(&json, "condition", p->condition >= 0.0 ? p->condition : NAN);
  cps_json_bool(&json, "indefinite", p->indefinite_island >= 0);
  cps_json_integer(&json, "bytes", p->bytes);
  cps_json_bool(&json, "has_solution", facts->source.has_solution);
  cps_json_number(&json, "solution_residual", facts->solution_residual);
  cps_json_bool(&json, "has_guesses", facts->source.has_guesses);
  cps_json_close(&json, '}');
  putchar('\n');
}

// Prints a description, whose lines are joined.
static void print_line(const char* label, const char* text) {
  if (!text[0]) return;
  printf("%-10s ", label);
  bool blank = true;
  for (; *text; ++text) {
    bool space = (unsigned char)*text <= ' ';
    if (!space) putchar(*text);
    if (space && !blank) putchar(' ');
    blank = space;
  }
  putchar('\n');
}

static void print_matrix(const CpsProblemInfo* p) {
  double blocks = (double)p->contact_count * (double)p->contact_count;
  printf("W          %lld blocks (%.3g %% full), ", (long long)p->block_count,
         blocks > 0.0 ? 100.0 * (double)p->block_count / blocks : 0.0);
  if (p->asymmetry > 0.0) {
    printf("unsymmetric by %.1e (relative)\n", p->asymmetry);
  } else {
    puts("symmetric");
  }
  if (p->rank >= 0) {
    printf("rank       %lld of %lld%s", (long long)p->rank, (long long)p->row_count,
           p->rank < p->row_count ? " (singular)" : "");
    if (p->condition >= 0.0) printf(", condition about %.0e", p->condition);
    putchar('\n');
  } else {
    puts("rank       not computed (an island has more than 2000 rows)");
  }
  if (p->indefinite_island >= 0) {
    printf("warning    W is indefinite in island %d: there may be no solution\n", (int)p->indefinite_island);
  }
}

static void print_text(const Facts* facts) {
  const CpsProblemInfo* p = &facts->problem;
  char bytes[32];
  printf("%s: %s FCLIB problem\n", cps_file_name(facts->file), facts->source.global ? "global" : "local");
  print_line("title", facts->source.title);
  print_line("about", facts->source.description);
  print_line("properties", facts->source.math_info);
  printf("contacts   %d of dimension %d (%lld rows)\n", (int)p->contact_count, (int)p->dim, (long long)p->row_count);
  if (p->mu_min >= 0.0 && p->mu_min == p->mu_max) printf("mu         %g\n", p->mu_min);
  if (p->mu_min >= 0.0 && p->mu_min != p->mu_max) printf("mu         %g to %g\n", p->mu_min, p->mu_max);
  print_matrix(p);
  if (p->dof_count > 0) {
    printf("dofs       %lld, nu = %.3g%s\n", (long long)p->dof_count, p->nu, p->nu > 1.0 ? " (over-constrained)" : "");
  }
  printf("islands    %d, the largest with %d contacts\n", (int)p->island_count, (int)p->largest_island);
  printf("memory     %s\n", cps_bytes_text(p->bytes, bytes));
  if (isfinite(facts->solution_residual)) {
    printf("solution   in the file, residual %.1e\n", facts->solution_residual);
  } else {
    printf("solution   %s\n", facts->source.has_solution ? "in the file, without usable impulses" : "none in the file");
  }
}

int cps_cmd_info(int argc, char** argv) {
  bool as_json = false;
  const CpsOption options[] = {
      {"json", 0, CPS_OPTION_FLAG, &as_json, NULL, "print one JSON object", 0},
      {0},
  };
  const CpsCommandLine line = {
      .name = "info",
      .usage = "FILE [OPTIONS]",
      .summary =
          "Describes a file:\n"
          "  result         scene, frames, totals, whether the run finished\n"
          "  mesh           counts, volume, worst element, whether the surface is closed (.obj, .ply, .vtk, .vtu,\n"
          "                 .msh, .mesh, .node, .ele)\n"
          "  hair           strands, points, lengths, bounds (.hair, .ply, USC .data)\n"
          "  rest state     fibres, natural strains, stiffening, balance (of 'capstan invert')\n"
          "  FCLIB problem  size, friction, rank and islands of W, residual of a stored solution; the time for the\n"
          "                 rank is cubic in the size of the largest island",
      .options = options,
      .examples = "  capstan info wall.h5\n  capstan info problem.hdf5 --json\n",
  };
  int word_count = 0;
  CpsParse parsed = cps_parse(&line, argc, argv, &word_count);
  if (parsed != CPS_PARSE_GO) return parsed == CPS_PARSE_HELP ? CPS_EXIT_OK : CPS_EXIT_BAD_INPUT;
  if (word_count == 0)
    return cps_complain("info needs a result, problem, mesh, hair or rest file; see 'capstan info --help'");
  if (word_count > 1) return cps_complain("info takes one file; unexpected argument '%s'", argv[1]);
  if (cps_result_recognise(argv[0])) return cps_info_result(argv[0], as_json);
  if (cps_rest_recognise(argv[0])) return cps_info_rest(argv[0], as_json);
  if (cps_mesh_recognise(argv[0])) return cps_info_mesh(argv[0], as_json);
  if (cps_hair_recognise(argv[0])) return cps_info_hair(argv[0], as_json);
  Facts facts = {.file = argv[0]};
  CpsError error;
  if (gather(&facts, &error) != CPS_OK) return cps_complain("%s", error.text);
  if (as_json) {
    print_json(&facts);
  } else {
    print_text(&facts);
  }
  return CPS_EXIT_OK;
}
