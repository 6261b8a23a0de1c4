// The `capstan` command: finds the sub-command and checks that its output was written.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/suggest.h"
#include "cli/command.h"

typedef struct SubCommand {
  const char* name;
  int (*run)(int argc, char** argv);
  const char* summary;
} SubCommand;

static const SubCommand sub_commands[] = {
    {"run", cps_cmd_run, "simulate a scene and write the result"},
    {"sweep", cps_cmd_sweep, "run a scene for many values and tabulate the results"},
    {"check", cps_cmd_check, "check a scene file without running it"},
    {"invert", cps_cmd_invert, "find natural shapes that keep drawn fibres at rest"},
    {"view", cps_cmd_view, "play a result, or interact with a live scene, in the browser"},
    {"render", cps_cmd_render, "render pictures and films of a result"},
    {"plot", cps_cmd_plot, "plot energies, contacts, residuals, … of a result"},
    {"info", cps_cmd_info, "describe a result, problem, mesh or hair file"},
    {"export", cps_cmd_export, "export a result to ParaView, USD, glTF, OBJ or CSV"},
    {"mesh", cps_cmd_mesh, "fill a closed surface with tetrahedra, or make a point cloud of it"},
    {"convert", cps_cmd_convert, "convert strands of hair to a .hair file"},
    {"solve", cps_cmd_solve, "solve a problem file"},
    {"compare", cps_cmd_compare, "compare methods on many problems: table, performance profile"},
    {"generate", cps_cmd_generate, "generate a realistic problem of any size"},
    {"methods", cps_cmd_methods, "list all methods and one-contact solvers, with references"},
};
enum { SUB_COMMAND_COUNT = sizeof sub_commands / sizeof sub_commands[0] };

int cps_complain(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("capstan: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  return CPS_EXIT_BAD_INPUT;
}

int cps_complain_at(const char* sentence) {
  fprintf(stderr, "%s\n", sentence);
  return CPS_EXIT_BAD_INPUT;
}

void cps_complain_all(bool mistake, const char* sentence, void* data) {
  (void)data;
  fprintf(stderr, "%s%s\n", sentence, mistake ? "" : " (note)");
}

static void print_help(FILE* out) {
  fputs(
      "capstan: simulate contact with exact Coulomb friction\n\n"
      "usage: capstan COMMAND [OPTIONS] …\n\n",
      out);
  for (int i = 0; i < SUB_COMMAND_COUNT; ++i) {
    fprintf(out, "  %-9s %s\n", sub_commands[i].name, sub_commands[i].summary);
  }
  fputs(
      "\nexamples:\n"
      "  capstan run scenes/wall.yaml && capstan plot wall.h5\n"
      "  capstan generate fibres --contacts 1000 -o fibres.hdf5\n"
      "  capstan solve fibres.hdf5\n"
      "  capstan compare fibres.hdf5 --methods auto,gs,proximal\n\n"
      "'capstan COMMAND --help' lists the options of a command, 'capstan --version'\n"
      "prints the version.\n"
      "Exit codes: 0 solved, 1 not solved, 2 bad usage or input, 3 any other error,\n"
      "130 interrupted.\n",
      out);
}

static int dispatch(int argc, char** argv) {
  if (argc < 2) {
    print_help(stderr);
    return CPS_EXIT_BAD_INPUT;
  }
  const char* word = argv[1];
  if (strcmp(word, "--version") == 0) {
    printf("capstan %s\n", cps_version());
    return CPS_EXIT_OK;
  }
  bool help = strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
  if (help && argc == 2) {
    print_help(stdout);
    return CPS_EXIT_OK;
  }
  if (help) word = argv[2];
  const char* names[SUB_COMMAND_COUNT + 1] = {NULL};
  for (int i = 0; i < SUB_COMMAND_COUNT; ++i) {
    names[i] = sub_commands[i].name;
    if (strcmp(word, names[i]) != 0) continue;
    char* help_arguments[] = {argv[help ? 2 : 1], (char[]){"--help"}, NULL};
    return help ? sub_commands[i].run(2, help_arguments) : sub_commands[i].run(argc - 1, argv + 1);
  }
  static const char* const general_options[] = {"--help", "--version", NULL};
  const char* near = cps_suggest(word, word[0] == '-' ? general_options : names);
  const char* kind = word[0] == '-' ? "option" : "command";
  if (near) return cps_complain("unknown %s '%s'; did you mean '%s'?", kind, word, near);
  return cps_complain("unknown %s '%s'; 'capstan --help' lists the commands", kind, word);
}

// A descriptor that the parent closed would be reused for the next file opened; the replacement fails on every write.
static void occupy_standard_files(void) {
  for (int file = 0; file <= 2; ++file) {
    if (fcntl(file, F_GETFD) != -1) continue;
    if (open("/dev/null", O_RDONLY) < 0) return;
  }
}

static bool reader_left(void) {
  struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
  return poll(&out, 1, 0) > 0 && (out.revents & POLLERR) != 0;
}

int main(int argc, char** argv) {
  occupy_standard_files();
  // a closed pipe is then reported as a failed write instead of ending the program
  struct sigaction ignore = {.sa_handler = SIG_IGN};
  sigaction(SIGPIPE, &ignore, NULL);
  sigaction(SIGXFSZ, &ignore, NULL);  // likewise for a file that has reached its size limit
  setvbuf(stdout, NULL, _IOFBF, 1 << 16);
  int code = dispatch(argc, argv);
  bool failed = ferror(stdout) != 0;
  errno = 0;
  if (fflush(stdout) != 0 || failed) {
    // no message for a closed pipe
    if (errno != EPIPE && !reader_left())
      cps_complain("standard output: %s", errno ? strerror(errno) : "cannot be written");
    return CPS_EXIT_OTHER;
  }
  return code;
}
