// A small writer of JSON. Numbers are shortest-exact; NaN and infinity, which JSON lacks, become null.
#ifndef CAPSTAN_CLI_JSON_H
#define CAPSTAN_CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct CpsJson {
  FILE* out;
  bool has_items;  // a comma comes before the next item
} CpsJson;

// `key` is NULL inside an array and at the top. `text` NULL writes null.
void cps_json_open(CpsJson* json, const char* key, char bracket);  // '{' or '['
void cps_json_close(CpsJson* json, char bracket);                  // '}' or ']'
void cps_json_text(CpsJson* json, const char* key, const char* text);
void cps_json_number(CpsJson* json, const char* key, double value);
void cps_json_integer(CpsJson* json, const char* key, int64_t value);
void cps_json_bool(CpsJson* json, const char* key, bool value);

#endif
