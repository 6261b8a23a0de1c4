// Calls of the browser's interface (src/browser/web.h) in any order, with any kinds, numbers and places, as a page may make them: each
// succeeds or returns a status, the world steps on with finite positions, and saved states that were damaged are refused or load.
#define _XOPEN_SOURCE 700  // mkdtemp
#include "scratch.h"

#include "browser/web.h"
#include "capstan/array.h"

#include <string.h>

enum { CALLS = 40, NUMBERS = 4096, STATE = 1 << 20 };

static const char SCENE[] =
    "obstacles: {floor: {plane: {}}}\n"
    "bodies: {ball: {sphere: {radius: 0.1}, position: [0, 0, 0.1]}, box: {box: {size: [0.1, 0.1, 0.1]}, position: "
    "[0.5, 0, 0.05]}}\n"
    "fibres: {hair: {length: 0.1, radius: 1e-3, young: 1e6, elements: 2, root: clamped, position: [0, 0.5, 0.5]}}\n"
    "sheets: {cloth: {grid: {size: [0.2, 0.2], cells: [2, 2]}, position: [0, -0.5, 0.3], fabric: cotton}}\n"
    "time: {step: 2 ms, end: 1 s}\n";

int LLVMFuzzerInitialize(int* argc, char*** argv) {
  (void)argc, (void)argv;
  make_folder("scene.yaml", NULL);
  FILE* out = fopen(scratch_names[0], "wb");
  CHECK(out && fputs(SCENE, out) >= 0 && fclose(out) == 0);
  return 0;
}

// Mostly a number that is in use, sometimes any.
static int next_index(Bytes* bytes) {
  const int choice = next_byte(bytes);
  return choice < 200 ? choice % 10 - 1 : choice < 230 ? choice - 215 : choice % 2 ? INT32_MAX : INT32_MIN;
}

static double next_value(Bytes* bytes) {
  const int choice = next_byte(bytes);
  return choice == 255 ? (double)NAN : choice == 254 ? (double)INFINITY : next_number(bytes) * next_scale(bytes);
}

static void read_all(const CpsWeb* web, Bytes* bytes, double* numbers, int32_t* labels) {
  const int kind = next_index(bytes), index = next_index(bytes), quantity = next_index(bytes);
  const int64_t count = cps_web_count(web, kind, index, quantity);
  CHECK(count >= 0 && count < 100);
  if (count > 0) (void)cps_web_read(web, kind, index, quantity, numbers);
  CHECK(cps_web_contact_count(web) < 200);
  if (next_byte(bytes) % 2) {
    (void)cps_web_contact_read(web, next_index(bytes), numbers);
  } else {
    (void)cps_web_contact_labels(web, next_index(bytes), labels);
  }
}

static void use(CpsWeb* web, Bytes* bytes, double* numbers, unsigned char* state) {
  switch (next_below(bytes, 8)) {
    case 0:
    case 1:
      (void)cps_web_step(web, 1);
      break;
    case 2:
      read_all(web, bytes, numbers, (int32_t*)(void*)state);
      break;
    case 3: {
      const int kind = next_index(bytes), index = next_index(bytes), quantity = next_index(bytes),
                count = next_below(bytes, 12);
      for (int i = 0; i < 48; ++i) numbers[i] = next_value(bytes);
      (void)cps_web_write(web, kind, index, quantity, numbers, count);
      break;
    }
    case 4: {
      double place[3], target[3];
      for (int i = 0; i < 3; ++i) place[i] = next_value(bytes), target[i] = next_number(bytes);
      const int kind = next_index(bytes), index = next_index(bytes);
      const double stiffness = next_value(bytes), damping = next_value(bytes);
      (void)cps_web_pull(web, kind, index, place, target, stiffness, damping);
      break;
    }
    case 5: {
      const double target[3] = {next_value(bytes), next_value(bytes), next_value(bytes)};
      (void)cps_web_pull_move(web, next_index(bytes), target);
      break;
    }
    case 6:
      (void)cps_web_pull_remove(web, next_index(bytes));
      break;
    default: {
      const int size = cps_web_state_size(web);
      CHECK(size > 0 && size <= STATE);
      if (cps_web_save(web, state, size) != CPS_OK) break;
      const int at = next_byte(bytes) * 7 % size, shorter = next_byte(bytes) % 4 ? 0 : next_byte(bytes) % size;
      state[at] = (unsigned char)next_byte(bytes);
      (void)cps_web_load(web, state, size - shorter);
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static double numbers[NUMBERS];
  static _Alignas(8) unsigned char state[STATE];
  Bytes bytes = {data, size};
  char text[256];
  CpsWeb* web = cps_web_open(scratch_names[0], text, sizeof text);
  CHECK(web);
  for (int i = 0; i < CALLS && bytes.left > 0; ++i) use(web, &bytes, numbers, state);
  CHECK(strlen(cps_web_hash(web)) == 16 && cps_web_scene(web)[0] == '{' && isfinite(cps_web_time(web)));
  cps_web_close(web);
  return 0;
}
