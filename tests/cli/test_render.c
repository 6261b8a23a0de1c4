// labels: release
// `capstan render` and `capstan run --picture` as a user meets them.
#define _GNU_SOURCE  // sched_setaffinity

#include "runner.h"

#include <sched.h>
#include <sys/resource.h>

#include "scenes.h"

#define SMALL " --size 48x32 --samples 1"

static void check_runs(const char* words, const char* says) {
  Outcome outcome = run(words);
  if (outcome.code != 0) print_error("%s -> %s", words, outcome.err);
  assert_int_equal(outcome.code, 0);
  assert_string_equal(outcome.out, says);
  assert_string_equal(outcome.err, "");
  forget(&outcome);
}

// The head of a PNG file with its size in big-endian order.
static void check_png(const char* path, int width, int height) {
  unsigned char* bytes = (unsigned char*)read_all(path);
  assert_non_null(bytes);
  assert_memory_equal(bytes, "\x89PNG\r\n\x1a\n", 8);
  assert_int_equal(bytes[18] << 8 | bytes[19], width);
  assert_int_equal(bytes[22] << 8 | bytes[23], height);
  free(bytes);
}

static int count_files(const char* part) {
  DIR* folder = opendir(".");
  int count = 0;
  for (struct dirent* entry; (entry = readdir(folder));) count += strstr(entry->d_name, part) != NULL;
  closedir(folder);
  return count;
}

static void pictures_and_sequences_are_written(void** state) {
  (void)state;
  check_runs("render balls.h5 -o last.png" SMALL, "wrote last.png\n");
  check_png("last.png", 48, 32);
  check_runs("render balls.h5 -o part-%03d.png --frames 3:5" SMALL,
             "wrote part-003.png to part-005.png (3 pictures)\n");
  check_png("part-004.png", 48, 32);
  assert_int_equal(count_files("part-"), 3);
  check_runs("render balls.h5 -o one.png --frames 20 -q --colour speed --contacts --dark" SMALL, "");
  check_png("one.png", 48, 32);
  check_runs("render balls.h5 -o eye.png --eye 0,-2,1 --target 0.2,0,0.2 --fov 40 -q --colour status" SMALL, "");
  write_text("one.yaml", "bodies: {ball: {sphere: {radius: 0.1}}}\ntime: {step: 1 ms, end: 2 ms}\n");
  check_runs("run one.yaml -q -o again.h5 --picture again.png", "");
  check_png("again.png", 1280, 720);
}

static void check_same(const char* first, const char* second) {
  struct stat a, b;
  assert_int_equal(stat(first, &a), 0);
  assert_int_equal(stat(second, &b), 0);
  assert_int_equal(a.st_size, b.st_size);
  char *one = read_all(first), *two = read_all(second);
  assert_memory_equal(one, two, (size_t)a.st_size);
  free(one);
  free(two);
}

static void the_same_bytes_come_out_again(void** state) {
  (void)state;
  check_runs("render balls.h5 -o a.png -q -j 1" SMALL, "");
  check_runs("render balls.h5 -o b.png -q -j 3" SMALL, "");
  check_same("a.png", "b.png");
}

static bool has_ffmpeg(void) {
  bool there = system("ffmpeg -version > /dev/null 2>&1") == 0;
  if (!there) print_message("ffmpeg is not installed: no film is made\n");
  return there;
}

// x264 asks how many processors it may use; pictures are high enough that it would share them among threads.
static void films_are_the_same_on_one_processor(void** state) {
  (void)state;
  if (!has_ffmpeg()) skip();
  const char* endings[] = {"mp4", "webm"};
  cpu_set_t all, one;
  assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
  size_t first = 0;
  while (!CPU_ISSET(first, &all)) ++first;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  for (int i = 0; i < 2; ++i) {
    char words[128], many[32], single[32];
    snprintf(many, sizeof many, "many.%s", endings[i]);
    snprintf(single, sizeof single, "single.%s", endings[i]);
    snprintf(words, sizeof words, "render balls.h5 -q --size 64x256 --samples 1 --frames 0:9 -o %s", many);
    check_runs(words, "");
    snprintf(words, sizeof words, "render balls.h5 -q --size 64x256 --samples 1 --frames 0:9 -o %s", single);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    check_runs(words, "");
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    check_same(many, single);
  }
}

// A file that may not grow any longer stands for a full disk, which ffmpeg notes in words and not by its exit code.
static void a_film_on_a_full_disk_is_not_made(void** state) {
  (void)state;
  if (!has_ffmpeg()) skip();
  const char* endings[] = {"mp4", "webm"};
  struct rlimit before, limit;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  limit = before;
  limit.rlim_cur = 600;
  for (int i = 0; i < 2; ++i) {
    char words[96], film[16];
    snprintf(film, sizeof film, "full.%s", endings[i]);
    snprintf(words, sizeof words, "render balls.h5 -q --size 64x48 --samples 1 --frames 0:9 -o %s", film);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    Outcome outcome = run(words);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(outcome.code, 2);
    assert_string_equal(outcome.out, "");
    assert_non_null(strstr(outcome.err, "ffmpeg failed: "));
    assert_false(exists(film));
    forget(&outcome);
  }
}

static void json_says_what_was_drawn(void** state) {
  (void)state;
  Outcome outcome = run("render balls.h5 -o j.png --json --colour speed" SMALL);
  assert_int_equal(outcome.code, 0);
  char keys[1024];
  assert_one_object(outcome.out, keys);
  const char* expected[] = {"output ", "first ", "eye ", "fov ", "high ", "build_seconds ", "trace_seconds "};
  for (int k = 0; k < 7; ++k) assert_non_null(strstr(keys, expected[k]));
  forget(&outcome);
}

// With ffmpeg there is a film; without it (an empty PATH) the pictures, a message, and exit 1.
static void films_need_ffmpeg_and_say_so(void** state) {
  (void)state;
  const char* path = getenv("PATH");
  char* kept = malloc(strlen(path ? path : "") + 1);
  strcpy(kept, path ? path : "");
  setenv("PATH", "/nowhere", 1);
  Outcome outcome = run("render balls.h5 -o film.mp4 --frames 0:2" SMALL);
  assert_int_equal(outcome.code, 1);
  assert_string_equal(outcome.out, "wrote film-0000.png to film-0002.png (3 pictures)\n");
  assert_non_null(strstr(outcome.err, "ffmpeg is not installed"));
  assert_false(exists("film.mp4"));
  forget(&outcome);
  setenv("PATH", kept, 1);
  free(kept);
  if (!has_ffmpeg()) skip();
  check_runs("render balls.h5 -o film.mp4 --frames 0:4 --fps 25 --size 50x31 --samples 1",
             "wrote film.mp4 (5 frames, 25 per second)\n");
  char* bytes = read_all("film.mp4");
  assert_memory_equal(bytes + 4, "ftyp", 4);
  free(bytes);
  check_runs("render balls.h5 -o one.mp4 --frames 3 --fps 10" SMALL, "wrote one.mp4 (1 frame, 10 per second)\n");
  assert_int_equal(count_files(".part"), 0);
}

static void mistakes_are_answered_with_one_sentence(void** state) {
  (void)state;
  write_text("text.h5", "not a result\n");
  // the first half of a result
  FILE *whole = fopen("balls.h5", "rb"), *half = fopen("half.h5", "wb");
  static char bytes[1 << 16];
  size_t size = fread(bytes, 1, sizeof bytes, whole);
  assert_int_equal(fwrite(bytes, 1, size / 2, half), size / 2);
  fclose(whole);
  fclose(half);
  const struct {
    const char *words, *sentence;
  } cases[] = {
      {"render", "render needs a result"},
      {"render balls.h5", "render needs -o"},
      {"render balls.h5 -o a.jpg", "must end in .png"},
      {"render balls.h5 -o a", "must end in .png"},
      {"render balls.h5 -o new%s.png", "%04d"},
      {"render balls.h5 -o new%d-%d.png", "%04d"},
      {"render balls.h5 -o nowhere/new.png", "nowhere/new.png"},
      {"render balls.h5 -o nowhere/new.mp4", "nowhere/new.mp4"},
      {"render balls.h5 -o new.png --frames 0:3", "need a file name with %04d"},
      {"render balls.h5 -o new.png --frames 21", "the frames of balls.h5 are 0 to 20"},
      {"render balls.h5 -o new-%d.png --frames 5:2", "5 to 2 is out of range"},
      {"render balls.h5 -o new-%d.png --frames 0:99", "the frames of balls.h5 are 0 to 20"},
      {"render balls.h5 -o new.png --frames x", "is not A, A:B"},
      {"render balls.h5 -o new.png --size 10", "--size"},
      {"render balls.h5 -o new.png --size 0x10", "--size"},
      {"render balls.h5 -o new.png --colour sped", "did you mean 'speed'"},
      {"render balls.h5 -o new.png --colour zzz", "choose material, speed"},
      {"render balls.h5 -o new.png --range 3:1", "--range"},
      {"render balls.h5 -o new.png --eye 1,2,3", "--eye and --target must be given together"},
      {"render balls.h5 -o new.png --eye 1,2 --target 0,0,0", "--eye: '1,2'"},
      {"render balls.h5 -o new.png --eye 1,2,3 --target 1,2,3", "the same point"},
      {"render balls.h5 -o new.png --eye 1,2,3 --target 0,0,0 --view x", "--view cannot be combined with --eye"},
      {"render balls.h5 -o new.png --view 0,0,0", "--view"},
      {"render balls.h5 -o new.png --fov 170", "fov"},
      {"render missing.h5 -o new.png", "missing.h5"},
      {"render text.h5 -o new.png", "text.h5"},
      {"render half.h5 -o new.png", "half.h5"},
      {"run balls.yaml --picture nowhere/new.png -o new.h5", "--picture: nowhere/new.png"},
      {"run balls.yaml --picture new.jpg -o new.h5", "new.jpg: the file name must end in .png"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
    Outcome outcome = run(cases[k].words);
    check_refused(&outcome, cases[k].words, cases[k].sentence);
    forget(&outcome);
    assert_int_equal(count_files("new"), 0);
  }
}

static void help_names_every_option(void** state) {
  (void)state;
  Outcome outcome = run("render --help");
  assert_int_equal(outcome.code, 0);
  const char* options[] = {"--frames", "--size", "--samples", "--colour", "--contacts", "--eye", "--target", "--fps"};
  for (int k = 0; k < 8; ++k) assert_non_null(strstr(outcome.out, options[k]));
  forget(&outcome);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pictures_and_sequences_are_written),
      cmocka_unit_test(the_same_bytes_come_out_again),
      cmocka_unit_test(json_says_what_was_drawn),
      cmocka_unit_test(films_need_ffmpeg_and_say_so),
      cmocka_unit_test(films_are_the_same_on_one_processor),
      cmocka_unit_test(a_film_on_a_full_disk_is_not_made),
      cmocka_unit_test(mistakes_are_answered_with_one_sentence),
      cmocka_unit_test(help_names_every_option),
  };
  return cmocka_run_group_tests(tests, make_balls_result, remove_scratch);
}
