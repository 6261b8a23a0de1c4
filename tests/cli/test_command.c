// The command as its users meet it: exit codes, sentences, JSON, files.
#include "runner.h"

#include "capstan/solve.h"

static void version_is_name_and_number(void** state) {
  (void)state;
  Outcome outcome = run("--version");
  char wanted[64];
  snprintf(wanted, sizeof wanted, "capstan %s\n", cps_version());
  assert_int_equal(outcome.code, 0);
  assert_string_equal(outcome.out, wanted);
  assert_string_equal(outcome.err, "");
  forget(&outcome);
}

static void every_command_has_help_with_examples(void** state) {
  (void)state;
  const char* words[] = {"--help",      "help",           "solve --help", "info --help", "compare --help",
                         "generate -h", "methods --help", "help solve",   "run --help",  "plot --help"};
  for (size_t k = 0; k < sizeof words / sizeof words[0]; ++k) {
    Outcome outcome = run(words[k]);
    assert_int_equal(outcome.code, 0);
    assert_non_null(strstr(outcome.out, "usage: capstan"));
    assert_non_null(strstr(outcome.out, "examples:\n  capstan "));
    assert_string_equal(outcome.err, "");
    forget(&outcome);
  }
}

// Each mistake: one message on stderr that begins with the name of the command, nothing on stdout, exit 2.
static void mistakes_are_answered_with_one_sentence(void** state) {
  (void)state;
  write_easy("easy.hdf5");
  FILE* text = fopen("text.hdf5", "w");
  fputs("no problem\n", text);
  fclose(text);
  static const char* const cases[][2] = {
      {"slove easy.hdf5", "unknown command 'slove'; did you mean 'solve'?"},
      {"--verison", "did you mean '--version'?"},
      {"solve", "needs a problem file"},
      {"solve easy.hdf5 easy.hdf5", "takes one problem file"},
      {"solve not-there.hdf5", "not-there.hdf5: No such file"},
      {"solve text.hdf5", "text.hdf5: is not an HDF5 file"},
      {"solve .", ".: is a directory"},
      {"solve easy.hdf5 --toll 1", "unknown option '--toll'; did you mean '--tol'?"},
      {"solve easy.hdf5 -Z", "unknown option '-Z'"},
      {"solve easy.hdf5 --tol", "--tol needs a value"},
      {"solve easy.hdf5 --tol nan", "--tol: 'nan'"},
      {"solve easy.hdf5 --tol inf", "--tol: 'inf'"},
      {"solve easy.hdf5 --tol 0", "--tol: '0'"},
      {"solve easy.hdf5 --tol -1e-8", "--tol: '-1e-8'"},
      {"solve easy.hdf5 --tol 1e-8x", "--tol: '1e-8x'"},
      {"solve easy.hdf5 --threads 0", "--threads: '0'"},
      {"solve easy.hdf5 --threads=1.5", "--threads: '1.5'"},
      {"solve easy.hdf5 --max-iter 0", "--max-iter: '0'"},
      {"solve easy.hdf5 --time-limit -1", "--time-limit: '-1'"},
      {"solve easy.hdf5 --json=yes", "--json takes no value"},
      {"solve easy.hdf5 --method gss", "unknown method 'gss'; did you mean 'gs'?"},
      {"solve easy.hdf5 --method=bicycle", "'capstan methods' lists them"},
      {"solve easy.hdf5 --local enumm", "unknown local solver 'enumm'; did you mean 'enum'?"},
      {"solve easy.hdf5 --facets 5", "--facets: 5"},
      {"solve easy.hdf5 --facet-kind round", "--facet-kind: 'round'"},
      {"solve easy.hdf5 --warm", "/solution/r: is missing"},
      {"solve easy.hdf5 -o no/such/folder.hdf5", "no/such/folder.hdf5: cannot be written"},
      {"solve easy.hdf5 --plot .", ".: is a directory"},
      {"info", "info needs a result, problem, mesh, hair or rest file"},
      {"info not-there.hdf5", "not-there.hdf5: No such file"},
      {"methods gs", "takes no argument 'gs'"},
      {"compare", "needs problem files"},
      {"compare easy.hdf5 --methods gs,,gz", "unknown method 'gz'"},
      {"compare easy.hdf5 --methods ,", "--methods: the list is empty"},
      {"compare easy.hdf5 text.hdf5", "text.hdf5: is not an HDF5 file"},
      {"compare easy.hdf5 easy.hdf5 --plot x.svg", "--plot needs exactly one problem file"},
      {"compare easy.hdf5 --svg no/such/x.svg", "no/such/x.svg: cannot be written"},
      {"generate", "needs a kind"},
      {"generate fibers -o x.hdf5", "did you mean 'fibres'?"},
      {"generate fibres", "needs an output file"},
      {"generate fibres -o x.hdf5 --seed -1", "--seed: '-1'"},
      {"generate fibres -o x.hdf5 --mu -0.1", "--mu: '-0.1'"},
      {"generate fibres -o x.hdf5 --contacts 0", "--contacts: '0'"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
    Outcome outcome = run(cases[k][0]);
    check_refused(&outcome, cases[k][0], cases[k][1]);
    assert_true(strncmp(outcome.err, "capstan: ", 9) == 0);
    forget(&outcome);
  }
  assert_false(exists("x.hdf5"));
  assert_false(exists("profile.svg"));
}

static void no_command_shows_the_commands(void** state) {
  (void)state;
  Outcome outcome = run("");
  assert_int_equal(outcome.code, 2);
  assert_non_null(strstr(outcome.err, "usage: capstan COMMAND"));
  assert_string_equal(outcome.out, "");
  forget(&outcome);
}

// The keys are a promise; the values of this problem follow by hand (README): one slides, one takes off.
static void json_of_solve_has_exactly_the_promised_keys(void** state) {
  (void)state;
  write_easy("easy.hdf5");
  Outcome outcome = run("solve easy.hdf5 --method gs --json");
  char keys[1024];
  assert_int_equal(outcome.code, 0);
  assert_one_object(outcome.out, keys);
  assert_string_equal(
      keys,
      "problem contacts dim method local status residual residual_islands residual_siconos iterations seconds threads "
      "stick slide takeoff ");
  assert_non_null(strstr(outcome.out,
                         "\"problem\": \"easy.hdf5\", \"contacts\": 2, \"dim\": 3, \"method\": \"gs\", "
                         "\"local\": \"mfb+enum\", \"status\": \"converged\""));
  assert_non_null(strstr(outcome.out, "\"threads\": 1, \"stick\": 0, \"slide\": 1, \"takeoff\": 1}"));
  assert_string_equal(outcome.err, "");
  forget(&outcome);
}

static void local_is_null_where_unused(void** state) {
  (void)state;
  write_easy("easy.hdf5");
  Outcome outcome = run("solve easy.hdf5 --method desaxce --json --threads=2");
  char keys[1024];
  assert_int_equal(outcome.code, 0);
  assert_one_object(outcome.out, keys);
  assert_non_null(strstr(outcome.out, "\"method\": \"desaxce\", \"local\": null, "));
  assert_non_null(strstr(outcome.out, "\"threads\": 2, "));
  forget(&outcome);
}

static void papers_names_are_understood(void** state) {
  (void)state;
  write_easy("easy.hdf5");
  Outcome outcome = run("solve easy.hdf5 --method PAC+Enum --json");
  assert_int_equal(outcome.code, 0);
  assert_non_null(strstr(outcome.out, "\"method\": \"gs\", \"local\": \"ac+enum\""));
  forget(&outcome);
}

static void an_unsolved_problem_exits_1_and_advises(void** state) {
  (void)state;
  write_endless("endless.hdf5");
  Outcome outcome = run("solve endless.hdf5 --method gs --max-iter 3 -o best.hdf5");
  assert_int_equal(outcome.code, 1);
  assert_true(strncmp(outcome.out, "not converged: residual ", 24) == 0);
  assert_non_null(strstr(outcome.out, " after 3 iterations in "));
  assert_non_null(strstr(outcome.out, "(tolerance 1e-08); try --method auto\n3000 contacts: "));
  // the best iterate is in the file, with its velocities
  double* r = malloc(9000 * sizeof *r);
  assert_int_equal(cps_fclib_read_solution("best.hdf5", 9000, r, NULL, NULL), CPS_OK);
  assert_true(r[0] > 0.0);
  free(r);
  forget(&outcome);
  outcome = run("solve endless.hdf5 --method gs --max-iter 3 --json");
  assert_int_equal(outcome.code, 1);
  assert_non_null(strstr(outcome.out, "\"status\": \"not-converged\""));
  assert_non_null(strstr(outcome.out, "\"iterations\": 3,"));
  forget(&outcome);
}

static void a_time_limit_is_kept_and_a_pipe_stays_quiet(void** state) {
  (void)state;
  write_endless("endless.hdf5");
  Outcome outcome = run("solve endless.hdf5 --method gs --time-limit 0.5 --max-iter 1e9 --json");
  assert_int_equal(outcome.code, 1);
  assert_non_null(strstr(outcome.out, "\"status\": \"time-limit\""));
  assert_string_equal(outcome.err, "");  // half a second is long enough for a progress line, were this a terminal
  forget(&outcome);
}

static void the_solution_file_can_be_solved_again_from_its_solution(void** state) {
  (void)state;
  write_easy("easy.hdf5");
  Outcome outcome = run("solve easy.hdf5 --method gs -o solved.hdf5 --tol 1e-10");
  assert_int_equal(outcome.code, 0);
  assert_non_null(strstr(outcome.out, "wrote solved.hdf5\n"));
  forget(&outcome);
  double r[6], u[6];
  assert_int_equal(cps_fclib_read_solution("solved.hdf5", 6, r, u, NULL), CPS_OK);
  // by hand: r = (1, -0.3, -0.4), u_T = b_T + 2 r_T; errors of the order of the residual asked for
  const double wanted_r[6] = {1, -0.3, -0.4, 0, 0, 0}, wanted_u[6] = {0, 2.4, 3.2, 1, 0, 0};
  for (int k = 0; k < 6; ++k) {
    assert_near(r[k], wanted_r[k], 1e-9);
    assert_near(u[k], wanted_u[k], 1e-9);
  }
  outcome = run("solve solved.hdf5 --method gs --warm --tol 1e-9 --json");
  assert_int_equal(outcome.code, 0);
  forget(&outcome);
  outcome = run("info solved.hdf5");
  assert_int_equal(outcome.code, 0);
  assert_non_null(strstr(outcome.out, "title      easy\n"));
  assert_non_null(strstr(outcome.out, "contacts   2 of dimension 3 (6 rows)\n"));
  assert_non_null(strstr(outcome.out, "solution   in the file, residual "));
  forget(&outcome);
}

static void quiet_prints_nothing(void** state) {
  (void)state;
  write_easy("easy.hdf5");
  Outcome outcome = run("solve easy.hdf5 --method gs --quiet");
  assert_int_equal(outcome.code, 0);
  assert_string_equal(outcome.out, "");
  assert_string_equal(outcome.err, "");
  forget(&outcome);
}

static void check_prints_the_identities(void** state) {
  (void)state;
  write_easy("easy.hdf5");
  Outcome outcome = run("solve easy.hdf5 --method gs --check --no-freeze");
  assert_int_equal(outcome.code, 0);
  assert_non_null(strstr(outcome.out, "largest relative violations: "));
  assert_non_null(strstr(outcome.out, "dissipation"));
  forget(&outcome);
}

static void assert_is_svg(const char* path) {
  char* text = read_all(path);
  assert_non_null(text);
  assert_true(strncmp(text, "<svg ", 5) == 0);
  assert_non_null(strstr(text, "</svg>\n"));
  assert_non_null(strstr(text, "<path "));
  assert_null(strstr(text, "nan"));
  assert_null(strstr(text, "inf\""));
  free(text);
}

static void plots_are_drawn(void** state) {
  (void)state;
  write_endless("endless.hdf5");
  Outcome outcome = run("solve endless.hdf5 --method gs --max-iter 50 --plot one.svg");
  assert_int_equal(outcome.code, 1);
  assert_is_svg("one.svg");
  forget(&outcome);
  outcome = run("compare endless.hdf5 --methods gs,NSGS --max-iter 50 --plot two.svg --no-profile");
  assert_int_equal(outcome.code, 1);
  assert_is_svg("two.svg");
  assert_false(exists("profile.svg"));
  forget(&outcome);
}

static void a_plot_that_ends_in_png_is_a_png(void** state) {
  (void)state;
  write_easy("easy.hdf5");
  char path[4096];
  snprintf(path, sizeof path, "%s", getenv("PATH"));
  setenv("PATH", "", 1);
  Outcome outcome = run("solve easy.hdf5 --method gs --quiet --plot one.png");
  setenv("PATH", path, 1);
  assert_int_equal(outcome.code, 2);
  assert_non_null(strstr(outcome.err, "one.png: PNG needs the program rsvg-convert"));
  assert_false(exists("one.png"));
  forget(&outcome);
  if (system("rsvg-convert --version >/dev/null 2>&1") != 0) {
    print_message("skipped: no rsvg-convert\n");
    skip();
  }
  outcome = run("solve easy.hdf5 --method gs --quiet --plot one.png");
  assert_int_equal(outcome.code, 0);
  forget(&outcome);
  FILE* file = fopen("one.png", "rb");
  unsigned char head[24] = {0};
  assert_non_null(file);
  assert_int_equal(fread(head, 1, sizeof head, file), sizeof head);
  fclose(file);
  assert_memory_equal(head, "\x89PNG\r\n\x1a\n", 8);
  assert_int_equal(head[18] * 256 + head[19], 2 * 760);  // twice the pixels of the SVG
}

static void compare_prints_a_table_and_writes_the_profile(void** state) {
  (void)state;
  write_easy("easy.hdf5");
  write_easy("other.hdf5");
  Outcome outcome = run("compare easy.hdf5 other.hdf5 --methods gs,gs/enum,desaxce --repeat 3 --tol 1e-6");
  assert_int_equal(outcome.code, 0);
  assert_true(strncmp(outcome.out, "CPU ms to 1e-06", 15) == 0);
  assert_non_null(strstr(outcome.out, "gs/enum"));
  assert_non_null(strstr(outcome.out, "\nother.hdf5"));
  assert_non_null(strstr(outcome.out, "2 of 2"));
  assert_non_null(strstr(outcome.out, "wrote profile.svg\nwrote profile.csv\n"));
  forget(&outcome);
  assert_is_svg("profile.svg");
  char* csv = read_all("profile.csv");
  assert_true(strncmp(csv, "tau,gs,gs/enum,desaxce\n1,", 25) == 0);
  // far to the right every method has solved everything
  assert_non_null(strstr(csv, ",1,1,1\n"));
  free(csv);
  remove("profile.svg");
  remove("profile.csv");
  outcome = run("compare easy.hdf5 --methods gs,lemke --csv only.csv --json");
  char keys[256];
  assert_int_equal(outcome.code, 0);
  assert_one_object(outcome.out, keys);
  assert_string_equal(keys, "tolerance threads repeat runs ");
  assert_true(exists("only.csv"));
  assert_false(exists("profile.svg"));
  forget(&outcome);
}

static void methods_lists_every_method_and_local_solver(void** state) {
  (void)state;
  Outcome outcome = run("methods");
  assert_int_equal(outcome.code, 0);
  char line[64];
  for (int m = 0; m < CPS_METHOD_COUNT; ++m) {
    const CpsMethodInfo* info = cps_method_info((CpsMethod)m);
    assert_non_null(info);
    snprintf(line, sizeof line, "\n  %s ", info->name);
    assert_non_null(strstr(outcome.out, line));
    assert_non_null(strstr(outcome.out, info->reference));
  }
  for (int l = 0; l < CPS_LOCAL_COUNT; ++l) {
    snprintf(line, sizeof line, "\n  %s ", cps_local_info((CpsLocal)l)->name);
    assert_non_null(strstr(outcome.out, line));
  }
  for (int32_t a = 0; cps_alias(a); ++a) {
    snprintf(line, sizeof line, "\n  %s ", cps_alias(a)->name);
    assert_non_null(strstr(outcome.out, line));
  }
  forget(&outcome);
  char keys[256];
  outcome = run("methods --json");
  assert_one_object(outcome.out, keys);
  assert_string_equal(keys, "methods locals aliases ");
  forget(&outcome);
}

static void info_describes_in_json(void** state) {
  (void)state;
  write_easy("easy.hdf5");
  Outcome outcome = run("info --json -- easy.hdf5");
  char keys[1024];
  assert_int_equal(outcome.code, 0);
  assert_one_object(outcome.out, keys);
  assert_non_null(strstr(outcome.out, "\"form\": \"local\", \"title\": \"easy\""));
  assert_non_null(strstr(outcome.out, "\"islands\": 2, \"largest_island\": 1, \"rank\": 6, "));
  assert_non_null(strstr(outcome.out, "\"nu\": null"));
  forget(&outcome);
}

static void the_same_seed_generates_the_same_bytes(void** state) {
  (void)state;
  const char* kinds[] = {"fibres", "stack", "spheres"};
  for (int k = 0; k < 3; ++k) {
    char words[128];
    for (int seed = 1; seed <= 3; ++seed) {
      // files 1 and 2 share a seed
      snprintf(words, sizeof words, "generate %s --contacts 60 --seed %d -o made%d.hdf5 --quiet", kinds[k],
               seed == 2 ? 1 : seed, seed);
      Outcome outcome = run(words);
      assert_int_equal(outcome.code, 0);
      assert_string_equal(outcome.out, "");
      forget(&outcome);
    }
    CpsProblem* problem[3];
    for (int i = 0; i < 3; ++i) {
      snprintf(words, sizeof words, "made%d.hdf5", i + 1);
      assert_int_equal(cps_fclib_read(words, CPS_FORM_W, &problem[i], NULL, NULL), CPS_OK);
    }
    size_t bytes = (size_t)cps_problem_row_count(problem[0]) * sizeof(double);
    assert_int_equal(cps_problem_row_count(problem[1]), cps_problem_row_count(problem[0]));
    assert_memory_equal(cps_problem_b(problem[0]), cps_problem_b(problem[1]), bytes);
    bool same_size = cps_problem_row_count(problem[2]) == cps_problem_row_count(problem[0]);
    assert_false(same_size && memcmp(cps_problem_b(problem[0]), cps_problem_b(problem[2]), bytes) == 0);
    for (int i = 0; i < 3; ++i) cps_problem_destroy(problem[i]);
  }
}

// W = 0 in the normal direction and approaching: no impulse can stop it.
static void a_problem_without_solution_says_so(void** state) {
  (void)state;
  const double W[9] = {0, 0, 0, 0, 1, 0, 0, 0, 1}, b[3] = {-1, 0, 0}, mu = 0.5;
  const int32_t at = 0;
  CpsContactsDef contacts = cps_contacts_def_default();
  contacts.count = 1;
  contacts.mu = &mu;
  contacts.b = b;
  CpsProblem* problem = NULL;
  assert_int_equal(cps_problem_from_blocks(&contacts, 1, &at, &at, W, &problem, NULL), CPS_OK);
  assert_int_equal(cps_fclib_write("none.hdf5", problem, NULL, NULL, NULL, NULL), CPS_OK);
  cps_problem_destroy(problem);
  Outcome outcome = run("solve none.hdf5 --method gs --local enum --json");
  assert_int_equal(outcome.code, 1);
  assert_non_null(strstr(outcome.out, "\"status\": \"no-solution\""));
  forget(&outcome);
  outcome = run("solve none.hdf5 --method gs --local enum");
  assert_int_equal(outcome.code, 1);
  assert_true(strncmp(outcome.out, "no solution: ", 13) == 0);
  forget(&outcome);
}

static void a_standard_output_that_fails_exits_3(void** state) {
  (void)state;
  int full = open("/dev/full", O_WRONLY), err = open("stderr", O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (full < 0) {
    print_message("skipped: no /dev/full\n");
    skip();
  }
  assert_int_equal(finish(start("methods", full, err)), 3);
  char* text = read_all("stderr");
  assert_non_null(strstr(text, "capstan: standard output: "));
  free(text);
  close(full);
  // a reader that went away: no sentence, but not success either
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  close(ends[0]);
  assert_int_equal(ftruncate(err, 0), 0);
  assert_int_equal(finish(start("methods", ends[1], err)), 3);
  close(ends[1]);
  close(err);
}

// The page of a command; roff writes \-\- for --
static char* read_manual(const char* command) {
  char path[256];
  snprintf(path, sizeof path, SOURCE_DIR "/docs/man/capstan-%s.1", command);
  char* manual = read_all(path);
  assert_non_null(manual);
  char* to = manual;
  for (char* from = manual; *from; ++from) {
    if (*from != '\\') *to++ = *from;
  }
  *to = '\0';
  return manual;
}

// Every option that a command's help lists is explained in its manual page and in the book.
static void the_manuals_know_every_option(void** state) {
  (void)state;
  char* book = read_all(SOURCE_DIR "/docs/reference/command.md");
  assert_non_null(book);
  const char* commands[] = {"run",    "sweep", "check",   "invert", "view",    "render",   "plot",   "info",
                            "export", "mesh",  "convert", "solve",  "compare", "generate", "methods"};
  int known = 0;
  for (size_t k = 0; k < sizeof commands / sizeof commands[0]; ++k) {
    char words[32];
    snprintf(words, sizeof words, "%s --help", commands[k]);
    char* manual = read_manual(commands[k]);
    Outcome outcome = run(words);
    for (char* at = strstr(outcome.out, "\noptions:"); (at = strstr(at, " --"));) {
      char option[32];
      snprintf(option, sizeof option, "%.*s", (int)strcspn(at + 1, " \n"), at + 1);
      at += strlen(option);
      if (strcmp(option, "--help") == 0) break;
      if (!strstr(manual, option) || !strstr(book, option)) print_error("%s %s\n", commands[k], option);
      assert_non_null(strstr(manual, option));
      assert_non_null(strstr(book, option));
      ++known;
    }
    forget(&outcome);
    free(manual);
  }
  assert_true(known > 30);
  free(book);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(version_is_name_and_number),
      cmocka_unit_test(every_command_has_help_with_examples),
      cmocka_unit_test(mistakes_are_answered_with_one_sentence),
      cmocka_unit_test(the_manuals_know_every_option),
      cmocka_unit_test(no_command_shows_the_commands),
      cmocka_unit_test(json_of_solve_has_exactly_the_promised_keys),
      cmocka_unit_test(local_is_null_where_unused),
      cmocka_unit_test(papers_names_are_understood),
      cmocka_unit_test(an_unsolved_problem_exits_1_and_advises),
      cmocka_unit_test(a_time_limit_is_kept_and_a_pipe_stays_quiet),
      cmocka_unit_test(the_solution_file_can_be_solved_again_from_its_solution),
      cmocka_unit_test(quiet_prints_nothing),
      cmocka_unit_test(check_prints_the_identities),
      cmocka_unit_test(plots_are_drawn),
      cmocka_unit_test(a_plot_that_ends_in_png_is_a_png),
      cmocka_unit_test(compare_prints_a_table_and_writes_the_profile),
      cmocka_unit_test(methods_lists_every_method_and_local_solver),
      cmocka_unit_test(info_describes_in_json),
      cmocka_unit_test(the_same_seed_generates_the_same_bytes),
      cmocka_unit_test(a_problem_without_solution_says_so),
      cmocka_unit_test(a_standard_output_that_fails_exits_3),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
