// Recursive descent without recursion: objects are not nested, so the grammar (RFC 8259, cut down) has depth two.
#include "server/flat_json.h"

#include <math.h>
#include <string.h>

#include "base/text_number.h"
#include "core/error.h"

enum { NUMBER_LENGTH = 32 };         // more than the 24 characters of the longest shortest form of a double
static const double LARGEST = 1e15;  // larger than any length, time or index; integers up to here are exact

typedef struct Reader {
  const char* text;
  size_t length;
  size_t at;
  CpsError* error;
} Reader;

static bool fail_at(Reader* reader, const char* what) {
  cps_fail(reader->error, CPS_BAD_FORMAT, "%s at byte %zu", what, reader->at + 1);
  return false;
}

// The next byte, or 0 at the end (callers reject a zero inside the text).
static char peek(const Reader* reader) {
  return reader->at < reader->length ? reader->text[reader->at] : '\0';
}

static void skip_space(Reader* reader) {
  while (reader->at < reader->length && strchr(" \t\r\n", reader->text[reader->at]) && reader->text[reader->at]) {
    reader->at++;
  }
}

static bool take(Reader* reader, char wanted, const char* complaint) {
  skip_space(reader);
  if (peek(reader) != wanted) return fail_at(reader, complaint);
  reader->at++;
  return true;
}

// The value of four hexadecimal digits at `at`, or -1.
static int read_hex(const Reader* reader, size_t at) {
  if (reader->length - at < 4) return -1;
  int value = 0;
  for (size_t i = at; i < at + 4; ++i) {
    char c = reader->text[i];
    int digit = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : -1;
    if (digit < 0) return -1;
    value = 16 * value + digit;
  }
  return value;
}

// The character after a backslash, or -1. Our texts contain no control characters.
static int read_escape(Reader* reader) {
  char c = peek(reader);
  if (c == '"' || c == '\\' || c == '/') return c;
  if (c != 'u') return -1;
  int value = read_hex(reader, reader->at + 1);
  if (value < 0x20 || value > 0x7e) return -1;
  reader->at += 4;
  return value;
}

static bool read_text(Reader* reader, char* out, size_t room) {
  if (!take(reader, '"', "expected a quoted string")) return false;
  size_t count = 0;
  while (peek(reader) != '"') {
    int c = (unsigned char)peek(reader);
    if (c < 0x20 || c > 0x7e) return fail_at(reader, "unterminated string or non-ASCII character");
    if (c == '\\') {
      reader->at++;
      c = read_escape(reader);
      if (c < 0) return fail_at(reader, "unknown escape sequence");
    }
    if (count + 1 >= room) return fail_at(reader, "the string is too long");
    out[count++] = (char)c;
    reader->at++;
  }
  out[count] = '\0';
  reader->at++;
  return true;
}

static size_t skip_digits(const char* text, size_t at) {
  while (text[at] >= '0' && text[at] <= '9') at++;
  return at;
}

// Length of the number at the beginning of a text, by the grammar of JSON: no plus sign, no leading zeros, digits on
// both sides of the point. 0 if there is none.
static size_t measure_number(const char* text) {
  size_t at = text[0] == '-' ? 1 : 0, digits = at;
  at = skip_digits(text, at);
  if (at == digits || (text[digits] == '0' && at > digits + 1)) return 0;
  if (text[at] == '.') {
    digits = at + 1;
    at = skip_digits(text, digits);
    if (at == digits) return 0;
  }
  if (text[at] == 'e' || text[at] == 'E') {
    digits = at + (text[at + 1] == '-' || text[at + 1] == '+' ? 2 : 1);
    at = skip_digits(text, digits);
    if (at == digits) return 0;
  }
  return at;
}

static bool read_number(Reader* reader, double* value) {
  skip_space(reader);
  char copy[NUMBER_LENGTH + 1] = "";
  size_t left = reader->length - reader->at;
  memcpy(copy, reader->text + reader->at, left < NUMBER_LENGTH ? left : NUMBER_LENGTH);
  size_t length = measure_number(copy);
  if (length == 0 || length >= NUMBER_LENGTH) return fail_at(reader, "expected a number");
  copy[length] = '\0';
  const char* end = cps_number_read(copy, value);
  if (end != copy + length || !(fabs(*value) <= LARGEST)) return fail_at(reader, "the number is too large");
  reader->at += length;
  return true;
}

static bool read_numbers(Reader* reader, CpsFlatField* field) {
  reader->at++;  // [
  field->kind = CPS_FLAT_IS_NUMBERS;
  do {
    if (field->count == CPS_FLAT_NUMBERS) return fail_at(reader, "more than three numbers");
    if (!read_number(reader, &field->numbers[field->count++])) return false;
    skip_space(reader);
  } while (peek(reader) == ',' && ++reader->at);
  return take(reader, ']', "unterminated array");
}

static bool read_word(Reader* reader, const char* word) {
  size_t length = strlen(word);
  if (reader->length - reader->at < length || memcmp(reader->text + reader->at, word, length) != 0) return false;
  reader->at += length;
  return true;
}

static bool read_value(Reader* reader, CpsFlatField* field) {
  skip_space(reader);
  char c = peek(reader);
  if (c == '"') {
    field->kind = CPS_FLAT_IS_TEXT;
    return read_text(reader, field->text, sizeof field->text);
  }
  if (c == '[') return read_numbers(reader, field);
  if (c == 't' || c == 'f') {
    field->kind = CPS_FLAT_IS_BOOL;
    field->truth = c == 't';
    return read_word(reader, c == 't' ? "true" : "false") || fail_at(reader, "unknown word");
  }
  if (c == 'n') {
    field->kind = CPS_FLAT_IS_NULL;
    return read_word(reader, "null") || fail_at(reader, "unknown word");
  }
  field->kind = CPS_FLAT_IS_NUMBER;
  return read_number(reader, &field->numbers[0]);
}

static bool read_field(Reader* reader, CpsFlatObject* object) {
  if (object->count == CPS_FLAT_FIELDS) return fail_at(reader, "more than eight fields");
  CpsFlatField field = {0};
  if (!read_text(reader, field.key, sizeof field.key)) return false;
  if (cps_flat_find(object, field.key)) return fail_at(reader, "duplicate name");
  if (!take(reader, ':', "expected a colon") || !read_value(reader, &field)) return false;
  object->fields[object->count++] = field;
  skip_space(reader);
  return true;
}

static bool read_object(Reader* reader, CpsFlatObject* object) {
  if (!take(reader, '{', "expected an object")) return false;
  skip_space(reader);
  if (peek(reader) != '}') {
    do {
      if (!read_field(reader, object)) return false;
    } while (peek(reader) == ',' && ++reader->at);
  }
  if (!take(reader, '}', "unterminated object")) return false;
  skip_space(reader);
  return reader->at == reader->length || fail_at(reader, "unexpected text after the object");
}

CpsStatus cps_flat_read(const char* text, size_t length, CpsFlatObject* object, CpsError* error) {
  if (length > CPS_FLAT_LENGTH)
    return cps_fail(error, CPS_BAD_FORMAT, "a message of more than %d bytes", CPS_FLAT_LENGTH);
  object->count = 0;
  Reader reader = {text, length, 0, error};
  return read_object(&reader, object) ? cps_succeed(error) : CPS_BAD_FORMAT;
}

const CpsFlatField* cps_flat_find(const CpsFlatObject* object, const char* key) {
  for (int i = 0; i < object->count; ++i) {
    if (strcmp(object->fields[i].key, key) == 0) return &object->fields[i];
  }
  return NULL;
}
