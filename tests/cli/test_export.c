// capstan export, as a user runs it.
#include "cli/runner.h"

#include <dirent.h>
#include <sys/resource.h>

#include "folders.h"

static const char SCENE[] =
    "title: two balls\ntime: {step: 10 ms, end: 0.2 s}\noutput: {frames: 20 ms}\n"
    "obstacles: {floor: {plane: }}\n"
    "bodies: {ball: {sphere: {radius: 0.1}, position: [0, 0, 0.1], velocity: [1, 0, 0]},\n"
    "         other: {sphere: {radius: 0.2}, position: [1, 0, 0.5]}}\n";

static int set_up(void** state) {
  if (make_scratch(state) != 0) return 1;
  FILE* file = fopen("balls.yaml", "w");
  if (!file) return 1;
  fputs(SCENE, file);
  fclose(file);
  Outcome made = run("run balls.yaml -q");
  int code = made.code;
  forget(&made);
  return code;
}

static int clean_up(void** state) {
  remove_folder("balls-vtp");
  remove_folder("balls-obj");
  return remove_scratch(state);
}

static void every_format_is_written_under_the_name_of_the_result(void** state) {
  (void)state;
  static const char* const FORMATS[][2] = {{"pvd", "wrote balls.pvd (11 frames, 24 files, "},
                                           {"usda", "wrote balls.usda (11 frames, "},
                                           {"gltf", "wrote balls.glb (11 frames, "},
                                           {"obj", "wrote balls-obj (11 frames, 12 files, "},
                                           {"csv", "wrote balls.csv (20 rows, "}};
  for (int i = 0; i < 5; ++i) {
    char words[64];
    snprintf(words, sizeof words, "export balls.h5 --to %s", FORMATS[i][0]);
    Outcome made = run(words);
    assert_int_equal(made.code, 0);
    assert_true(strncmp(made.out, FORMATS[i][1], strlen(FORMATS[i][1])) == 0);
    assert_string_equal(made.err, "");
    forget(&made);
  }
  assert_true(exists("balls.pvd") && exists("balls-vtp/contacts-0010.vtp") && exists("balls-vtp/obstacles-0000.vtp"));
  assert_false(exists("balls-vtp/obstacles-0001.vtp"));
  assert_true(exists("balls.usda") && exists("balls.glb") && exists("balls.csv"));
  assert_true(exists("balls-obj/balls-0010.obj") && exists("balls-obj/balls.mtl"));
}

static void the_end_of_the_path_says_the_format(void** state) {
  (void)state;
  Outcome made = run("export balls.h5 -o x.glb --frames 2:4 --json");
  assert_int_equal(made.code, 0);
  assert_non_null(strstr(made.out,
                         "\"format\": \"gltf\", \"output\": \"x.glb\", \"first\": 2, \"last\": 4, \"frames\": 3, "
                         "\"files\": 1, \"bytes\": "));
  assert_non_null(strstr(made.out, "\"note\": null}"));
  forget(&made);
  made = run("export balls.h5 -o x.csv -f 10 -q");
  assert_int_equal(made.code, 0);
  assert_string_equal(made.out, "");
  forget(&made);
  char* text = read_all("x.csv");
  assert_true(strncmp(text, "time (s),step (s),status (1),", 29) == 0);
  assert_non_null(strstr(text, "\n0.19"));  // the two steps that led to frame 10
  free(text);
}

static void assert_complaint(const char* words, const char* sentence) {
  Outcome made = run(words);
  check_refused(&made, words, sentence);
  forget(&made);
}

// "-" is the standard output: the bytes of the file and nothing else. A reader that has seen enough needs no sentence,
// also where more was to come than a buffer holds.
static void one_file_can_go_to_the_standard_output(void** state) {
  (void)state;
  Outcome file = run("export balls.h5 --to usda -q"), piped = run("export balls.h5 --to usda -o -");
  assert_true(file.code == 0 && piped.code == 0);
  char* text = read_all("balls.usda");
  assert_true(strlen(text) > 1 << 16);
  assert_string_equal(piped.out, text);
  assert_string_equal(piped.err, "");
  assert_false(exists("-"));
  free(text);
  forget(&file);
  forget(&piped);
  int ends[2], err = open("stderr", O_RDWR | O_CREAT | O_TRUNC, 0600);
  assert_int_equal(pipe(ends), 0);
  close(ends[0]);
  assert_int_equal(finish(start("export balls.h5 --to usda -o -", ends[1], err)), 3);
  close(ends[1]);
  assert_int_equal(lseek(err, 0, SEEK_END), 0);
  close(err);
  assert_complaint("export balls.h5 --to obj -o -", "obj writes more than one file");
  assert_complaint("export balls.h5 --to csv -o - --json", "both write to standard output");
}

static void copy_part(const char* from, const char* to, long size) {
  FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
  assert_true(in && out);
  for (int c; size-- > 0 && (c = fgetc(in)) != EOF;) fputc(c, out);
  fclose(in);
  fclose(out);
}

static void mistakes_are_answered_in_one_sentence(void** state) {
  (void)state;
  assert_complaint("export", "export needs one result file");
  assert_complaint("export balls.h5", "export needs --to: pvd, usda, gltf, obj or csv");
  assert_complaint("export balls.h5 --to gltff", "unknown format 'gltff'; did you mean 'gltf'?");
  assert_complaint("export balls.h5 --to alembic", "choose pvd, usda, gltf, obj or csv");
  assert_complaint("export balls.h5 --to obj --frames 3:11",
                   "--frames: 3 to 11 is out of range; the frames of balls.h5 are 0 to 10");
  assert_complaint("export balls.h5 --to obj --frames a:b", "is not A, A:B, A: or :B");
  assert_complaint("export balls.h5 --to obj --tube 2", "3 to 64 sides");
  assert_complaint("export balls.h5 --to obj --around 3", "too few");
  assert_complaint("export balls.h5 --to gltf -o x.gltf", "must end in .glb");
  assert_complaint("export balls.h5 -o nowhere/x.usda", "No such file or directory");
  assert_complaint("export nothing.h5 --to csv", "nothing.h5: ");
  assert_complaint("export balls.yaml --to csv", "balls.yaml: ");
  copy_part("balls.h5", "cut.h5", 20000);
  assert_complaint("export cut.h5 --to csv", "cut.h5: ");
  assert_false(exists("cut.csv") || exists("nothing.csv") || exists("x.gltf"));
}

static int count_entries(void) {
  DIR* here = opendir(".");
  assert_non_null(here);
  int count = 0;
  while (readdir(here)) ++count;
  closedir(here);
  return count;
}

// Files that may not grow any longer stand for a full disk.
static void a_full_disk_leaves_no_part_of_an_export(void** state) {
  (void)state;
  static const char* const WORDS[] = {"-o full.pvd", "-o full.usda", "-o full.glb", "--to obj -o full", "-o full.csv"};
  struct rlimit before, limit;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  limit = before;
  limit.rlim_cur = 300;  // no format has a file this short, and the message fits
  for (int i = 0; i < 5; ++i) {
    char words[64];
    snprintf(words, sizeof words, "export balls.h5 %s", WORDS[i]);
    int entries = count_entries();
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    Outcome full = run(words);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(full.code, 2);
    assert_non_null(strstr(full.err, "cannot be written: "));
    assert_string_equal(full.out, "");
    forget(&full);
    assert_int_equal(count_entries(), entries);
  }
}

static void help_has_examples(void** state) {
  (void)state;
  Outcome help = run("export --help");
  assert_int_equal(help.code, 0);
  assert_non_null(strstr(help.out, "capstan export tower.h5 --to pvd"));
  forget(&help);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_format_is_written_under_the_name_of_the_result),
      cmocka_unit_test(the_end_of_the_path_says_the_format),
      cmocka_unit_test(one_file_can_go_to_the_standard_output),
      cmocka_unit_test(mistakes_are_answered_in_one_sentence),
      cmocka_unit_test(a_full_disk_leaves_no_part_of_an_export),
      cmocka_unit_test(help_has_examples),
  };
  return cmocka_run_group_tests(tests, set_up, clean_up);
}
