// Small scenes for the tests of the command.
#ifndef CAPSTAN_TESTS_CLI_SCENES_H
#define CAPSTAN_TESTS_CLI_SCENES_H

#include <stdio.h>

#include "runner.h"

static inline void write_text(const char* path, const char* text) {
  FILE* file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

// Balls that drop on a floor and on each other: contacts come and go, some stick and some slide. 200 steps, 21 frames.
static inline void write_balls(const char* path) {
  write_text(path,
             "title: Five balls\n"
             "contact: {mu: 0.4}\n"
             "obstacles:\n"
             "  floor: {plane: {}}\n"
             "bodies:\n"
             "  a: {sphere: {radius: 0.1}, position: [0, 0, 0.1], velocity: [1, 0, 0]}\n"
             "  b: {sphere: {radius: 0.1}, position: [0.25, 0, 0.11]}\n"
             "  c: {sphere: {radius: 0.1}, position: [0.12, 0.02, 0.29]}\n"
             "  d: {sphere: {radius: 0.05}, position: [0.2, 0.05, 0.5], angular_velocity: [0, 20, 0]}\n"
             "  e: {sphere: {radius: 0.1}, position: [0.47, 0, 0.1], velocity: [-1, 0.2, 0]}\n"
             "time: {step: 1 ms, end: 0.2 s}\n"
             "output: {frames: 10 ms}\n");
}

// Three hairs that hang side by side over a floor and swing. 100 steps, 11 frames.
static inline void write_hairs(const char* path) {
  write_text(path,
             "title: Three hairs\n"
             "contact: {mu: 0.3}\n"
             "obstacles:\n"
             "  floor: {plane: , position: [0, 0, -0.12]}\n"
             "fibres:\n"
             "  hair:\n"
             "    {model: der, elements: 6, length: 15 cm, radius: 1 mm, young: 1 MPa, root: clamped,\n"
             "     copies: [[0, 0, 0], [0, 3 mm, 0], [0, 6 mm, 0]]}\n"
             "time: {step: 1 ms, end: 0.1 s}\n"
             "output: {frames: 10 ms}\n");
}

// The same for a time nobody waits for.
static inline void write_endless_balls(const char* path) {
  write_balls(path);
  FILE* file = fopen(path, "r+");
  assert_non_null(file);
  char text[2048] = "";
  size_t size = fread(text, 1, sizeof text - 1, file);
  assert_true(size > 0);
  char* end = strstr(text, "end: 0.2 s");
  assert_non_null(end);
  memcpy(end, "end: 1e6 s", 10);
  rewind(file);
  assert_int_equal(fwrite(text, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

// For a whole group of tests: a scratch folder with balls.yaml and its result balls.h5.
static inline int make_balls_result(void** state) {
  if (make_scratch(state) != 0) return 1;
  write_balls("balls.yaml");
  Outcome outcome = run("run balls.yaml --quiet");
  if (outcome.code != 0) print_error("%s", outcome.err);
  int code = outcome.code;
  forget(&outcome);
  return code;
}

#endif
