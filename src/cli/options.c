#include "cli/options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "cli/command.h"

#define MOST_OPTIONS 40
#define LARGEST_COUNT 9e15  // whole numbers below this are exact as double

static void print_help(const CpsCommandLine* line) {
  printf("usage: capstan %s %s\n\n%s\n\noptions:\n", line->name, line->usage, line->summary);
  for (const CpsOption* option = line->options; option->name; ++option) {
    char left[64];
    char letter[8] = "";
    if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(left, sizeof left, "%s--%s%s%s", letter, option->name, option->argument ? " " : "",
             option->argument ? option->argument : "");
    int width = 27;  // in characters: UTF-8 continuation bytes do not count
    for (const char* byte = left; *byte; ++byte) width += ((unsigned char)*byte & 0xC0u) == 0x80u;
    printf("  %-*s %s\n", width, left, option->help);
  }
  printf("  %-27s %s\n\nexamples:\n%s", "-h, --help", "show this help", line->examples);
}

static bool is_flag(const CpsOption* option) {
  return option->kind == CPS_OPTION_FLAG || option->kind == CPS_OPTION_OFF;
}

// Stores a value after checking it; complains and returns false if it is invalid.
static bool store(const CpsOption* option, const char* text) {
  char* end = NULL;
  errno = 0;
  switch (option->kind) {
    case CPS_OPTION_FLAG:
    case CPS_OPTION_OFF:
      *(bool*)option->target = option->kind == CPS_OPTION_FLAG;
      return true;
    case CPS_OPTION_TEXT:
    case CPS_OPTION_LIST:
      if (text[0] == '\0') {
        cps_complain("--%s needs a value", option->name);
        return false;
      }
      if (option->kind == CPS_OPTION_LIST) {
        CpsOptionList* list = option->target;
        list->items[list->count++] = text;
      } else {
        *(const char**)option->target = text;
      }
      return true;
    case CPS_OPTION_POSITIVE:
    case CPS_OPTION_NOT_NEGATIVE: {
      double value = strtod(text, &end);
      bool zero = option->kind == CPS_OPTION_NOT_NEGATIVE;
      if (end == text || *end != '\0' || !isfinite(value) || !(zero ? value >= 0.0 : value > 0.0)) {
        cps_complain("--%s: '%s' is not a number %s 0", option->name, text, zero ? ">=" : ">");
        return false;
      }
      *(double*)option->target = value;
      return true;
    }
    case CPS_OPTION_COUNT: {
      double value = strtod(text, &end);  // so that 1e5 is a valid count
      double most = option->limit ? (double)option->limit : LARGEST_COUNT;
      if (end == text || *end != '\0' || !(value >= 1.0) || !(value <= most) || value != floor(value)) {
        if (option->limit) {
          cps_complain("--%s: '%s' is not a whole number from 1 to %lld", option->name, text, option->limit);
        } else {
          cps_complain("--%s: '%s' is not a whole number >= 1", option->name, text);
        }
        return false;
      }
      *(int64_t*)option->target = (int64_t)value;
      return true;
    }
    case CPS_OPTION_NATURAL: {
      unsigned long long value = strtoull(text, &end, 10);
      if (end == text || *end != '\0' || errno != 0 || strchr(text, '-')) {
        cps_complain("--%s: '%s' is not a whole number >= 0", option->name, text);
        return false;
      }
      *(uint64_t*)option->target = value;
      return true;
    }
  }
  return false;
}

static const CpsOption* find_long(const CpsCommandLine* line, const char* name, size_t length) {
  for (const CpsOption* option = line->options; option->name; ++option) {
    if (strlen(option->name) == length && strncmp(option->name, name, length) == 0) return option;
  }
  return NULL;
}

static const CpsOption* find_letter(const CpsCommandLine* line, char letter) {
  for (const CpsOption* option = line->options; option->name; ++option) {
    if (option->letter == letter && letter != '\0') return option;
  }
  return NULL;
}

static CpsParse complain_unknown(const CpsCommandLine* line, const char* word) {
  const char* names[MOST_OPTIONS + 1] = {NULL};
  int count = 0;
  for (const CpsOption* option = line->options; option->name && count < MOST_OPTIONS; ++option) {
    names[count++] = option->name;
  }
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
  const char* near = word[1] == '-' ? cps_suggest(name, names) : NULL;
  if (near) {
    cps_complain("unknown option '%s'; did you mean '--%s'?", word, near);
  } else {
    cps_complain("unknown option '%s'; see 'capstan %s --help'", word, line->name);
  }
  return CPS_PARSE_BAD;
}

CpsParse cps_parse(const CpsCommandLine* line, int argc, char** argv, int* word_count) {
  *word_count = 0;
  bool options_over = false;
  for (int i = 1; i < argc; ++i) {
    char* word = argv[i];
    if (options_over || word[0] != '-' || word[1] == '\0') {
      argv[(*word_count)++] = word;
      continue;
    }
    if (strcmp(word, "--") == 0) {
      options_over = true;
      continue;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
      print_help(line);
      return CPS_PARSE_HELP;
    }
    if (strcmp(word, "--version") == 0) {
      printf("capstan %s\n", cps_version());
      return CPS_PARSE_HELP;
    }
    const CpsOption* option;
    const char* value;  // attached to the option, or NULL
    if (word[1] == '-') {
      size_t length = strcspn(word + 2, "=");
      option = find_long(line, word + 2, length);
      value = word[2 + length] == '=' ? word + 2 + length + 1 : NULL;
    } else {
      option = find_letter(line, word[1]);
      value = word[2] != '\0' ? word + 2 : NULL;
    }
    if (!option) return complain_unknown(line, word);
    if (is_flag(option) && value) {
      cps_complain("--%s takes no value", option->name);
      return CPS_PARSE_BAD;
    }
    if (!is_flag(option) && !value) {
      if (i + 1 == argc) {
        cps_complain("--%s needs a value", option->name);
        return CPS_PARSE_BAD;
      }
      value = argv[++i];
    }
    if (!store(option, value ? value : "")) return CPS_PARSE_BAD;
  }
  return CPS_PARSE_GO;
}
