// labels: release
// `capstan plot` on the result of a small simulation.
#include "runner.h"

#include "scenes.h"

static char* read_svg(const char* path) {
  char* text = read_all(path);
  assert_non_null(text);
  assert_true(strncmp(text, "<svg ", 5) == 0);
  assert_non_null(strstr(text, "</svg>\n"));
  assert_non_null(strstr(text, "<path "));
  assert_null(strstr(text, "nan"));
  return text;
}

static void energy_shows_kinetic_potential_total_and_dissipated(void** state) {
  (void)state;
  Outcome outcome = run("plot balls.h5");
  assert_int_equal(outcome.code, 0);
  assert_string_equal(outcome.out, "wrote balls-energy.svg\n");
  forget(&outcome);
  char* text = read_svg("balls-energy.svg");
  const char* labels[] = {">total<", ">kinetic<", ">potential<", ">dissipated<", ">energy (J)<", ">balls: Five balls<"};
  for (int k = 0; k < 6; ++k) assert_non_null(strstr(text, labels[k]));
  assert_non_null(strstr(text, "prefers-color-scheme:dark"));
  free(text);
}

static void every_chart_that_the_help_names_is_drawn(void** state) {
  (void)state;
  write_text("sand.yaml",
             "obstacles: {floor: {plane: {}, mu: 0.5}}\n"
             "grid: {plane: xz, cell: 4 cm}\n"
             "grains: {sand: {box: {to: [8 cm, 0, 8 cm]}}}\n"
             "time: {step: 2 ms, end: 20 ms}\n");
  Outcome made = run("run sand.yaml -q -o sand.h5");
  assert_int_equal(made.code, 0);
  forget(&made);
  Outcome help = run("plot --help");
  int drawn = 0;
  // the lines of the list begin with two blanks, before the options
  char* rest = NULL;
  for (char* line = strtok_r(help.out, "\n", &rest); line && strncmp(line, "options:", 8) != 0;
       line = strtok_r(NULL, "\n", &rest)) {
    char name[32], words[96];
    if (strncmp(line, "  ", 2) != 0 || sscanf(line, "%31s", name) != 1) continue;
    const char* about = strstr(line, "grains: ");
    if (strcmp(name, "force:NAME") == 0) strcpy(name, "force:floor");
    snprintf(words, sizeof words, "plot %s.h5 --what %s -o chart.svg -q", about ? "sand" : "balls", name);
    Outcome outcome = run(words);
    if (outcome.code != 0) print_error("%s", outcome.err);
    assert_int_equal(outcome.code, 0);
    assert_string_equal(outcome.out, "");
    forget(&outcome);
    free(read_svg("chart.svg"));
    ++drawn;
  }
  forget(&help);
  assert_true(drawn >= 12);
  // any series has a picture too
  Outcome outcome = run("plot balls.h5 --what nu --from 0.05 --to 0.1 -o nu.svg");
  assert_int_equal(outcome.code, 0);
  forget(&outcome);
  free(read_svg("nu.svg"));
}

// A picture of a frame shows the balls, the floor seen from the side, and fibres where there are some.
static void pictures_show_a_frame(void** state) {
  (void)state;
  Outcome outcome = run("plot balls.h5 --picture");
  assert_int_equal(outcome.code, 0);
  assert_string_equal(outcome.out, "wrote balls-picture.svg\n");
  forget(&outcome);
  char* text = read_all("balls-picture.svg");
  assert_true(strncmp(text, "<svg ", 5) == 0);
  assert_non_null(strstr(text, "<circle class=\"body\""));
  assert_non_null(strstr(text, "Five balls, t = 0.20 s"));
  assert_null(strstr(text, "nan"));
  free(text);
  write_hairs("hairs.yaml");
  outcome = run("run hairs.yaml --quiet");
  assert_int_equal(outcome.code, 0);
  forget(&outcome);
  static const char* const VIEWS[] = {"x", "-z", "1,-2,0.5"};
  for (int k = 0; k < 3; ++k) {
    char words[96];
    snprintf(words, sizeof words, "plot hairs.h5 -p --frame 0 --view %s -o hairs.svg -q", VIEWS[k]);
    outcome = run(words);
    assert_int_equal(outcome.code, 0);
    assert_string_equal(outcome.out, "");
    forget(&outcome);
    text = read_svg("hairs.svg");
    assert_non_null(strstr(text, "<path class=\"c2\""));  // the third hair
    assert_non_null(strstr(text, "t = 0 s"));
    free(text);
  }
  outcome = run("plot hairs.h5");
  assert_int_equal(outcome.code, 0);
  forget(&outcome);
  text = read_svg("hairs-energy.svg");
  assert_non_null(strstr(text, ">elastic<"));
  free(text);
}

static void mistakes_are_answered_with_one_sentence(void** state) {
  (void)state;
  write_easy("easy.hdf5");
  static const char* const cases[][2] = {
      {"plot", "needs a result"},
      {"plot balls.h5 balls.h5", "takes one result"},
      {"plot not-there.h5", "not-there.h5"},
      {"plot balls.yaml", "balls.yaml"},
      {"plot easy.hdf5", "easy.hdf5"},
      {"plot balls.h5 --what energi", "unknown 'energi'; did you mean 'energy'?"},
      {"plot balls.h5 --what bicycle", "--what: "},
      {"plot balls.h5 --what runout", "contains no grains"},
      {"plot balls.h5 --what force:floor", "contains no grains"},
      {"plot balls.h5 --from 5", "there are no steps in this time range"},
      {"plot balls.h5 --picture --view up", "--view: 'up' is not x, y, z"},
      {"plot balls.h5 --picture --view 0,0,0", "--view: '0,0,0' is not x, y, z"},
      {"plot balls.h5 --picture --view 1,2", "--view: '1,2' is not x, y, z"},
      {"plot balls.h5 --picture --frame 1000", "has no frame 1000, the last is 20"},
      {"plot balls.h5 -o no/such/x.svg", "no/such/x.svg: cannot be written"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
    Outcome outcome = run(cases[k][0]);
    check_refused(&outcome, cases[k][0], cases[k][1]);
    forget(&outcome);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(energy_shows_kinetic_potential_total_and_dissipated),
      cmocka_unit_test(every_chart_that_the_help_names_is_drawn),
      cmocka_unit_test(pictures_show_a_frame),
      cmocka_unit_test(mistakes_are_answered_with_one_sentence),
  };
  return cmocka_run_group_tests(tests, make_balls_result, remove_scratch);
}
