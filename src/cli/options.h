// A small declarative command-line parser: a table of options, which also generates the help.
//
// Accepts --name VALUE, --name=VALUE, -x VALUE, -xVALUE, and -- before "only files follow". A mistake gives one message that names the
// nearest option.
#ifndef CAPSTAN_CLI_OPTIONS_H
#define CAPSTAN_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum CpsOptionKind {
  CPS_OPTION_FLAG,          // bool
  CPS_OPTION_OFF,           // bool, set to false
  CPS_OPTION_TEXT,          // const char*
  CPS_OPTION_POSITIVE,      // double, finite, > 0
  CPS_OPTION_NOT_NEGATIVE,  // double, finite, >= 0
  CPS_OPTION_COUNT,         // int64_t, 1 to limit
  CPS_OPTION_NATURAL,       // uint64_t, >= 0
  CPS_OPTION_LIST           // CpsOptionList: may be given many times
} CpsOptionKind;

// The values of an option that may be given many times, in their order. The caller gives room for argc of them.
typedef struct CpsOptionList {
  const char** items;
  int32_t count;
} CpsOptionList;

typedef struct CpsOption {
  const char* name;  // "tol"
  char letter;       // 'o' for -o, 0 for none
  CpsOptionKind kind;
  void* target;          // where the value goes; the type is the kind's
  const char* argument;  // "T" in the help; NULL for flags
  const char* help;
  long long limit;  // largest count; 0: no limit
} CpsOption;

typedef struct CpsCommandLine {
  const char* name;          // "solve"
  const char* usage;         // "FILE [OPTIONS]"
  const char* summary;       // a few sentences
  const CpsOption* options;  // ends with a NULL name
  const char* examples;      // lines, each with two leading spaces
} CpsCommandLine;

typedef enum CpsParse {
  CPS_PARSE_GO,    // carry on
  CPS_PARSE_HELP,  // the help or the version was printed: exit 0
  CPS_PARSE_BAD    // a complaint was printed: exit 2
} CpsParse;

// Parses argv[1 …]. Other words are moved to the front of argv, from argv[0], and counted.
CpsParse cps_parse(const CpsCommandLine* line, int argc, char** argv, int* word_count);

#endif
