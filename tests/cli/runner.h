// Runs the built command as a user would, in a scratch folder, and keeps what it printed.
#ifndef CAPSTAN_TESTS_CLI_RUNNER_H
#define CAPSTAN_TESTS_CLI_RUNNER_H

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capstan/fclib.h"
#include "test_helpers.h"

#define ARGUMENT_MAX 24

static char scratch_folder[256];

static int make_scratch(void** state) {
  (void)state;
  if (!getcwd(scratch_folder, sizeof scratch_folder - 32)) return 1;
  strcat(scratch_folder, "/capstan-cli-XXXXXX");
  return mkdtemp(scratch_folder) && chdir(scratch_folder) == 0 ? 0 : 1;
}

static int remove_scratch(void** state) {
  (void)state;
  DIR* folder = opendir(scratch_folder);
  if (!folder) return 1;
  for (struct dirent* entry; (entry = readdir(folder));) {
    if (entry->d_name[0] != '.') remove(entry->d_name);
  }
  closedir(folder);
  return chdir("..") == 0 && rmdir(scratch_folder) == 0 ? 0 : 1;
}

static inline char* read_all(const char* path) {
  FILE* file = fopen(path, "rb");
  if (!file) return NULL;
  char* text = calloc(1, 1 << 20);
  size_t size = fread(text, 1, (1 << 20) - 1, file);
  text[size] = '\0';
  fclose(file);
  return text;
}

static inline bool exists(const char* path) {
  struct stat facts;
  return stat(path, &facts) == 0;
}

typedef struct Outcome {
  int code;  // exit code, or -signal
  char* out;
  char* err;
} Outcome;

static inline void forget(Outcome* outcome) {
  free(outcome->out);
  free(outcome->err);
}

// Exit code 2, one line on the standard error that holds the message, and nothing on the standard output.
static inline void check_refused(const Outcome* outcome, const char* command, const char* sentence) {
  const char* break_at = strchr(outcome->err, '\n');
  if (outcome->code != 2 || !strstr(outcome->err, sentence)) print_error("%s -> %s\n", command, outcome->err);
  assert_int_equal(outcome->code, 2);
  assert_non_null(strstr(outcome->err, sentence));
  assert_true(break_at && break_at[1] == '\0');
  assert_string_equal(outcome->out, "");
}

// Starts the command with stdout and stderr on the given descriptors. `words` are separated by blanks.
static inline pid_t start(const char* words, int out, int err) {
  static char copy[2048];
  char* arguments[ARGUMENT_MAX + 2] = {(char[]){"capstan"}};
  int count = 1;
  snprintf(copy, sizeof copy, "%s", words);
  for (char* word = strtok(copy, " "); word && count <= ARGUMENT_MAX; word = strtok(NULL, " ")) {
    arguments[count++] = word;
  }
  pid_t child = fork();
  if (child == 0) {
    signal(SIGINT, SIG_DFL);  // ignored where the tests run in the background, and the command respects that
    signal(SIGHUP, SIG_DFL);
    dup2(out, 1);
    dup2(err, 2);
    execv(CAPSTAN_COMMAND, arguments);
    _exit(126);
  }
  return child;
}

static inline int finish(pid_t child) {
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static inline Outcome run(const char* words) {
  int out = open("stdout", O_RDWR | O_CREAT | O_TRUNC, 0600), err = open("stderr", O_RDWR | O_CREAT | O_TRUNC, 0600);
  Outcome outcome = {.code = finish(start(words, out, err))};
  close(out);
  close(err);
  outcome.out = read_all("stdout");
  outcome.err = read_all("stderr");
  return outcome;
}

// Two contacts: one slides, one takes off. Solved by any method in a few steps.
static inline void write_easy(const char* path) {
  const double W[18] = {1, 0, 0, 0, 2, 0, 0, 0, 2, 1, 0, 0, 0, 1, 0, 0, 0, 1}, b[6] = {-1, 3, 4, 1, 0, 0};
  const double mu[2] = {0.5, 0.5};
  const int32_t at[2] = {0, 1};
  CpsContactsDef contacts = cps_contacts_def_default();
  contacts.count = 2;
  contacts.mu = mu;
  contacts.b = b;
  CpsProblem* problem = NULL;
  assert_int_equal(cps_problem_from_blocks(&contacts, 2, at, at, W, &problem, NULL), CPS_OK);
  assert_int_equal(cps_fclib_write(path, problem, NULL, NULL, "easy", NULL), CPS_OK);
  cps_problem_destroy(problem);
}

// A long chain of frictionless contacts, W the second difference: Gauss-Seidel needs about n^2 sweeps of n contacts, so
// it runs until somebody stops it.
static inline void write_endless(const char* path) {
  enum { COUNT = 3000 };
  int32_t* rows = malloc(3 * COUNT * sizeof *rows);
  int32_t* cols = malloc(3 * COUNT * sizeof *cols);
  double* values = calloc((size_t)3 * COUNT * 9, sizeof *values);
  double* b = calloc((size_t)3 * COUNT, sizeof *b);
  double* mu = calloc(COUNT, sizeof *mu);
  int64_t blocks = 0;
  for (int32_t i = 0; i < COUNT; ++i) {
    b[3 * i] = -1.0;
    for (int32_t j = i - 1; j <= i + 1; ++j) {
      if (j < 0 || j >= COUNT) continue;
      rows[blocks] = i;
      cols[blocks] = j;
      for (int k = 0; k < 3; ++k) values[9 * blocks + 4 * k] = i == j ? 2.0 : -1.0;
      ++blocks;
    }
  }
  CpsContactsDef contacts = cps_contacts_def_default();
  contacts.count = COUNT;
  contacts.mu = mu;
  contacts.b = b;
  CpsProblem* problem = NULL;
  assert_int_equal(cps_problem_from_blocks(&contacts, blocks, rows, cols, values, &problem, NULL), CPS_OK);
  assert_int_equal(cps_fclib_write(path, problem, NULL, NULL, "endless", NULL), CPS_OK);
  cps_problem_destroy(problem);
  free(rows);
  free(cols);
  free(values);
  free(b);
  free(mu);
}

// Walks one JSON value and returns what follows it, NULL if it is not JSON. Keys of the outermost object are appended
// to `keys`, each followed by a blank.
static inline const char* json_value(const char* at, int depth, char* keys);
static inline const char* json_blank(const char* at) {
  while (at && isspace((unsigned char)*at)) ++at;
  return at;
}
static inline const char* json_string(const char* at) {
  if (*at++ != '"') return NULL;
  for (; *at != '"'; ++at) {
    if ((unsigned char)*at < 0x20) return NULL;
    if (*at == '\\' && !*++at) return NULL;
  }
  return at + 1;
}
static inline const char* json_list(const char* at, int depth, char* keys) {
  char close = *at == '{' ? '}' : ']';
  at = json_blank(at + 1);
  if (*at == close) return at + 1;
  for (;;) {
    if (close == '}') {
      const char* end = json_string(at);
      if (!end) return NULL;
      if (depth == 0 && keys) sprintf(keys + strlen(keys), "%.*s ", (int)(end - at - 2), at + 1);
      at = json_blank(end);
      if (*at++ != ':') return NULL;
    }
    at = json_blank(json_value(json_blank(at), depth + 1, keys));
    if (!at) return NULL;
    if (*at == close) return at + 1;
    if (*at++ != ',') return NULL;
    at = json_blank(at);
  }
}
static inline const char* json_value(const char* at, int depth, char* keys) {
  if (*at == '{' || *at == '[') return json_list(at, depth, keys);
  if (*at == '"') return json_string(at);
  const char* words[] = {"true", "false", "null"};
  for (int k = 0; k < 3; ++k) {
    if (strncmp(at, words[k], strlen(words[k])) == 0) return at + strlen(words[k]);
  }
  if (*at != '-' && !isdigit((unsigned char)*at)) return NULL;
  char* end = NULL;
  strtod(at, &end);
  return end;
}
// The text is one JSON object and a line break, nothing else.
static inline void assert_one_object(const char* text, char* keys) {
  keys[0] = '\0';
  const char* end = text[0] == '{' ? json_value(text, 0, keys) : NULL;
  if (!end || strcmp(end, "\n") != 0) print_error("not one JSON object: %s\n", text);
  assert_non_null(end);
  assert_string_equal(end, "\n");
}

#endif
