// Tables of numbers as scenes read them: a table whose values are finite and fill its rows, or a negative status with one line.
#include <string.h>

#include "bytes.h"
#include "io/scene/csv.h"

static const char* const PIECES[] = {"1",    "-2.5", "1e3", "nan", "inf",   "1e999", ",",  ";", "\t", " ", "\n",
                                     "\r\n", "#",    "t,x", "0x1", "1,2\n", "3;4\n", "\"", "+", "-",  "."};
enum { PIECE_COUNT = sizeof PIECES / sizeof PIECES[0], MOST = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes = {data, size};
  char text[MOST + 16];
  size_t length = 0;
  bool plain = next_below(&bytes, 4) == 0;
  while (bytes.left > 0 && length < MOST) {
    int choice = next_byte(&bytes);
    const char* piece = PIECES[choice % PIECE_COUNT];
    if (plain || choice >= 240) {
      text[length++] = (char)choice;
    } else {
      memcpy(text + length, piece, strlen(piece));
      length += strlen(piece);
    }
  }
  char* exact = malloc(length + 1);  // so that the sanitizer sees its end
  CHECK(exact);
  memcpy(exact, text, length);
  exact[length] = '\0';
  CpsArena arena = {0};
  CpsTable table = {0};
  CpsError error = {""};
  CpsStatus status = cps_csv_parse(exact, "x.csv", &arena, &table, &error);
  if (status == CPS_OK) {
    CHECK(table.rows >= 0 && table.columns >= 0 && (int64_t)table.rows * table.columns <= CPS_CSV_MOST);
    for (int64_t i = 0; i < (int64_t)table.rows * table.columns; ++i) CHECK(isfinite(table.values[i]));
  } else {
    CHECK(status < 0 && error.text[0] && !strchr(error.text, '\n'));
  }
  cps_arena_free(&arena);
  free(exact);
  return 0;
}
