// Messages of the viewer's clients. A quarter of the inputs are taken as they are; the others are put together from the words
// of the protocol, so that the fuzzer soon gets past the type. Reading must end in a message whose numbers are in their
// ranges, or in a negative status with a message of one line.
#include <string.h>

#include "bytes.h"
#include "server/message.h"

enum { MOST = 4200 };

static const char* const PIECES[] = {"{",           "}",
                                     "[",           "]",
                                     ",",           ":",
                                     "\"type\":",   "\"index\":",
                                     "\"kind\":",   "\"key\":",
                                     "\"value\":",  "\"s\":",
                                     "\"point\":",  "\"target\":",
                                     "\"angle\":",  "\"what\":",
                                     "\"name\":",   "\"contacts\":",
                                     "\"axes\":",   "\"tension\":",
                                     "\"want\"",    "\"frame\"",
                                     "\"ack\"",     "\"series\"",
                                     "\"pick\"",    "\"set\"",
                                     "\"grab\"",    "\"drag\"",
                                     "\"twist\"",   "\"save\"",
                                     "\"run\"",     "\"body\"",
                                     "\"fibre\"",   "\"obstacle\"",
                                     "\"gravity\"", "\"mu\"",
                                     "\"method\"",  "\"scene\"",
                                     "\"problem\"", "true",
                                     "false",       "null",
                                     "[0,0,1]",     "1e15",
                                     "-0",          "0.25",
                                     " ",           "\\u0041",
                                     "\"",          "12",
                                     "1e-999",      "\"gs\"",
                                     "\"draw\"",    "\"vertex\":",
                                     "\"erase\"",   "\"stiffness\"",
                                     "\"let_go\"",  "\"take_pen\"",
                                     "\"cut\"",     "\"pin\"",
                                     "\"held\":",   "\"sheet\"",
                                     "\"grains\":", "\"speed\""};
enum { PIECE_COUNT = sizeof PIECES / sizeof PIECES[0] };

static size_t put_together(Bytes* bytes, char* text) {
  size_t size = 0;
  while (bytes->left > 0) {
    int choice = next_byte(bytes);
    if (choice < PIECE_COUNT) {
      size_t length = strlen(PIECES[choice]);
      if (size + length > MOST) break;
      memcpy(text + size, PIECES[choice], length);
      size += length;
    } else if (size < MOST) {
      text[size++] = (char)choice;
    } else {
      break;
    }
  }
  return size;
}

static void check_vector(CpsVec3 v) {
  CHECK(fabs(v.x) <= 1e15 && fabs(v.y) <= 1e15 && fabs(v.z) <= 1e15);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes = {data, size};
  static char text[MOST];
  size_t length;
  if (next_below(&bytes, 4) == 0) {
    length = bytes.left < MOST ? bytes.left : MOST;
    if (length > 0) memcpy(text, bytes.data, length);
  } else {
    length = put_together(&bytes, text);
  }
  char* exact = malloc(length + 1);  // so that the sanitizer sees its end
  CHECK(exact);
  memcpy(exact, text, length);
  char* copy = realloc(exact, length > 0 ? length : 1);
  CHECK(copy);
  CpsMessage message;
  CpsError error = {""};
  CpsStatus status = cps_message_read(copy, length, &message, &error);
  free(copy);
  if (status != CPS_OK) {
    CHECK(status < 0 && error.text[0] && !strchr(error.text, '\n'));
    return 0;
  }
  CHECK(!error.text[0] && message.type < CPS_MESSAGE_TYPE_COUNT);
  CHECK(message.index >= 0 && message.index <= 1000000000000000);
  CHECK(message.vertex >= 0 && message.vertex <= 1000000000000000);
  CHECK(memchr(message.text, '\0', sizeof message.text));
  CHECK(fabs(message.value) <= 1e15 && fabs(message.s) <= 1e15);
  check_vector(message.vector);
  check_vector(message.point);
  check_vector(message.target);
  return 0;
}
