// Reading the JSON of measured fabrics. The scanner knows all of JSON, and // and /* */ comments as the library that ARCSim uses,
// but keeps only numbers that are asked for: nothing is allocated but the text.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text_number.h"
#include "capstan/fabric.h"
#include "io/file_text.h"

enum { MOST_BYTES = 1 << 20, MOST_DEPTH = 32, KEY_SIZE = 32 };

typedef struct Scanner {
  const char *at, *end;
  const char* name;
  int line;
  CpsError* error;
} Scanner;

static CpsStatus refuse(const Scanner* s, const char* what) {
  return cps_io_fail(s->error, CPS_BAD_FORMAT, s->name, NULL, "line %d: %s", s->line, what);
}

static void skip_to_end_of_line(Scanner* s) {
  while (s->at < s->end && *s->at != '\n') s->at++;
}

static bool skip_comment(Scanner* s) {
  if (s->end - s->at < 2 || s->at[0] != '/') return false;
  if (s->at[1] == '/') {
    skip_to_end_of_line(s);
    return true;
  }
  if (s->at[1] != '*') return false;
  for (s->at += 2; s->at < s->end; s->at++) {
    if (s->at[0] == '\n') s->line++;
    if (s->end - s->at >= 2 && s->at[0] == '*' && s->at[1] == '/') {
      s->at += 2;
      return true;
    }
  }
  return true;  // unterminated: the text is at its end
}

// The next character that is not blank; 0 at the end.
static char peek(Scanner* s) {
  while (s->at < s->end) {
    if (*s->at == '\n') s->line++;
    if (*s->at == ' ' || *s->at == '\t' || *s->at == '\r' || *s->at == '\n') {
      s->at++;
    } else if (!skip_comment(s)) {
      return *s->at;
    }
  }
  return '\0';
}

static bool take(Scanner* s, char c) {
  if (peek(s) != c) return false;
  s->at++;
  return true;
}

// A string, truncated to the size of `text`. Escapes are kept: no key that is searched for contains any.
static CpsStatus read_string(Scanner* s, char text[KEY_SIZE]) {
  size_t count = 0;
  if (!take(s, '"')) return refuse(s, "expected a string");
  while (s->at < s->end && *s->at != '"' && *s->at != '\n') {
    if (count + 1 < KEY_SIZE) text[count++] = *s->at;
    s->at += *s->at == '\\' && s->end - s->at >= 2 ? 2 : 1;
  }
  if (s->at >= s->end || *s->at != '"') return refuse(s, "the string is not closed");
  s->at++;
  text[count] = '\0';
  return CPS_OK;
}

static CpsStatus read_number(Scanner* s, double* value) {
  char text[64];
  peek(s);
  size_t size = (size_t)(s->end - s->at) < sizeof text - 1 ? (size_t)(s->end - s->at) : sizeof text - 1;
  memcpy(text, s->at, size);
  text[size] = '\0';
  const char* after = cps_number_read(text, value);
  if (!after || after == text + sizeof text - 1) return refuse(s, "expected a number");
  if (!isfinite(*value)) return refuse(s, "the number is too large");
  s->at += after - text;
  return CPS_OK;
}

// Skips any value.
static CpsStatus skip_value(Scanner* s, int depth) {
  char text[KEY_SIZE];
  double number;
  char c = peek(s);
  if (depth > MOST_DEPTH) return refuse(s, "brackets are nested too deeply");
  if (c == '"') return read_string(s, text);
  if (c != '{' && c != '[') {
    static const char* const WORDS[] = {"true", "false", "null"};
    for (int i = 0; i < 3; ++i) {
      size_t size = strlen(WORDS[i]);
      if ((size_t)(s->end - s->at) < size || memcmp(s->at, WORDS[i], size) != 0) continue;
      s->at += size;
      return CPS_OK;
    }
    return c == '\0' ? refuse(s, "the file ends unexpectedly") : read_number(s, &number);
  }
  s->at++;
  char close = c == '{' ? '}' : ']';
  if (take(s, close)) return CPS_OK;
  do {
    CpsStatus status = CPS_OK;
    if (c == '{') {
      status = read_string(s, text);
      if (status == CPS_OK && !take(s, ':')) status = refuse(s, "expected a colon after the key");
    }
    if (status == CPS_OK) status = skip_value(s, depth + 1);
    if (status != CPS_OK) return status;
  } while (take(s, ','));
  return take(s, close) ? CPS_OK : refuse(s, "a bracket is not closed");
}

// A list of `rows` lists of `columns` numbers.
static CpsStatus read_table(Scanner* s, int rows, int columns, double* value, const char* must) {
  if (!take(s, '[')) return refuse(s, must);
  for (int i = 0; i < rows; ++i) {
    if ((i > 0 && !take(s, ',')) || !take(s, '[')) return refuse(s, must);
    for (int j = 0; j < columns; ++j) {
      if (j > 0 && !take(s, ',')) return refuse(s, must);
      CpsStatus status = read_number(s, value++);
      if (status != CPS_OK) return status;
    }
    if (!take(s, ']')) return refuse(s, must);
  }
  return take(s, ']') ? CPS_OK : refuse(s, must);
}

enum { DENSITY, STRETCHING, BENDING, KEY_COUNT };
static const char* const KEYS[KEY_COUNT] = {"density", "stretching", "bending"};

static CpsStatus read_entry(Scanner* s, CpsFabricTable* table, bool found[KEY_COUNT]) {
  char key[KEY_SIZE];
  CpsStatus status = read_string(s, key);
  if (status != CPS_OK) return status;
  if (!take(s, ':')) return refuse(s, "expected a colon after the key");
  int k = 0;
  while (k < KEY_COUNT && strcmp(key, KEYS[k]) != 0) ++k;
  if (k == KEY_COUNT) return skip_value(s, 1);
  if (found[k]) return refuse(s, "duplicate key");
  found[k] = true;
  if (k == STRETCHING)
    return read_table(s, 6, 4, &table->stretching[0][0], "\"stretching\" must be 6 lists of 4 numbers");
  if (k == BENDING) return read_table(s, 3, 5, &table->bending[0][0], "\"bending\" must be 3 lists of 5 numbers");
  status = read_number(s, &table->density);
  if (status == CPS_OK && !(table->density > 0.0)) status = refuse(s, "\"density\" must be positive");
  return status;
}

static void keep_name(const char* path, CpsFabricTable* table) {
  const char* slash = strrchr(path, '/');
  snprintf(table->name, sizeof table->name, "%s", slash ? slash + 1 : path);
  char* dot = strrchr(table->name, '.');
  if (dot && dot != table->name) *dot = '\0';
}

CpsStatus cps_fabric_table_parse(const char* text, size_t length, const char* name, CpsFabricTable* table,
                                 CpsError* error) {
  if (!text || !name || !table)
    return cps_io_fail(error, CPS_BAD_ARGUMENT, name ? name : "fabric", NULL, "no text or no table");
  Scanner s = {text, text + length, name, 1, error};
  CpsFabricTable read = {0};
  bool found[KEY_COUNT] = {false};
  if (!take(&s, '{')) return refuse(&s, "a fabric is a JSON object: it begins with {");
  if (!take(&s, '}')) {
    do {
      CpsStatus status = read_entry(&s, &read, found);
      if (status != CPS_OK) return status;
    } while (take(&s, ','));
    if (!take(&s, '}')) return refuse(&s, peek(&s) == '\0' ? "the file ends unexpectedly" : "expected , or }");
  }
  if (peek(&s) != '\0') return refuse(&s, "unexpected text after the closing bracket");
  for (int k = 0; k < KEY_COUNT; ++k) {
    if (!found[k]) return cps_io_fail(error, CPS_BAD_FORMAT, name, NULL, "\"%s\" is missing", KEYS[k]);
  }
  keep_name(name, &read);
  *table = read;
  if (error) error->text[0] = '\0';
  return CPS_OK;
}

CpsStatus cps_fabric_table_read(const char* path, CpsFabricTable* table, CpsError* error) {
  if (!path || !table) return cps_io_fail(error, CPS_BAD_ARGUMENT, path ? path : "fabric", NULL, "no path or no table");
  char *text = NULL, why[CPS_FILE_WHY_SIZE];
  size_t length;
  CpsStatus status = cps_file_text(path, MOST_BYTES, true, &text, &length, NULL, why);
  if (status != CPS_OK) return cps_io_fail(error, status, path, NULL, "%s", why);
  status = cps_fabric_table_parse(text, length, path, table, error);
  free(text);
  return status;
}
