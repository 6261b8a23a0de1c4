#include "cli/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/utf8.h"

static void put_string(FILE* out, const char* text) {
  fputc('"', out);
  for (const unsigned char* at = (const unsigned char*)text; *at;) {
    int length = cps_utf8_length(at);
    if (length == 0) {
      fputs("\\ufffd", out);
      length = 1;
    } else if (*at == '"' || *at == '\\') {
      fprintf(out, "\\%c", *at);
    } else if (*at < 0x20 || *at == 0x7f) {
      fprintf(out, "\\u%04x", *at);
    } else {
      fwrite(at, 1, (size_t)length, out);
    }
    at += length;
  }
  fputc('"', out);
}

static void begin_item(CpsJson* json, const char* key) {
  if (json->has_items) fputs(", ", json->out);
  json->has_items = true;
  if (!key) return;
  put_string(json->out, key);
  fputs(": ", json->out);
}

void cps_json_open(CpsJson* json, const char* key, char bracket) {
  begin_item(json, key);
  fputc(bracket, json->out);
  json->has_items = false;
}

void cps_json_close(CpsJson* json, char bracket) {
  fputc(bracket, json->out);
  json->has_items = true;
}

void cps_json_text(CpsJson* json, const char* key, const char* text) {
  begin_item(json, key);
  if (text) {
    put_string(json->out, text);
  } else {
    fputs("null", json->out);
  }
}

void cps_json_number(CpsJson* json, const char* key, double value) {
  begin_item(json, key);
  if (!isfinite(value)) {
    fputs("null", json->out);
    return;
  }
  char text[32];
  for (int digits = 6; digits <= 17; ++digits) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  fputs(text, json->out);
}

void cps_json_integer(CpsJson* json, const char* key, int64_t value) {
  begin_item(json, key);
  fprintf(json->out, "%" PRId64, value);
}

void cps_json_bool(CpsJson* json, const char* key, bool value) {
  begin_item(json, key);
  fputs(value ? "true" : "false", json->out);
}
