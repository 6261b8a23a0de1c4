// Shared by the files of the command: exit codes, sub-commands, error messages.
#ifndef CAPSTAN_CLI_COMMAND_H
#define CAPSTAN_CLI_COMMAND_H

#include "capstan/base.h"

// Exit codes, promised in the manual.
enum {
  CPS_EXIT_OK = 0,            // done; solve: converged
  CPS_EXIT_NOT_SOLVED = 1,    // not converged, no solution, time limit, interrupted: the best iterate was written
  CPS_EXIT_BAD_INPUT = 2,     // bad usage, input or output file
  CPS_EXIT_OTHER = 3,         // anything else, such as a standard output that cannot be written
  CPS_EXIT_INTERRUPTED = 130  // run: stopped by a signal; the result can be resumed
};

// Sub-commands: argv[0] is the sub-command's name. They return an exit code and leave stdout to be flushed by main().
int cps_cmd_run(int argc, char** argv);
int cps_cmd_sweep(int argc, char** argv);
int cps_cmd_render(int argc, char** argv);
int cps_cmd_plot(int argc, char** argv);
int cps_cmd_solve(int argc, char** argv);
int cps_cmd_methods(int argc, char** argv);
int cps_cmd_info(int argc, char** argv);
int cps_cmd_compare(int argc, char** argv);
int cps_cmd_generate(int argc, char** argv);
int cps_cmd_check(int argc, char** argv);
int cps_cmd_invert(int argc, char** argv);
int cps_cmd_view(int argc, char** argv);
int cps_cmd_mesh(int argc, char** argv);
int cps_cmd_convert(int argc, char** argv);
int cps_cmd_export(int argc, char** argv);

// Prints one message on stderr, "capstan: …"; returns CPS_EXIT_BAD_INPUT so that a command can `return cps_complain(...)`.
int cps_complain(const char* format, ...) __attribute__((format(printf, 1, 2)));
// The same for a message that begins with its position, "FILE:LINE:COLUMN: …", without a prefix, as editors expect.
int cps_complain_at(const char* sentence);
// A CpsTellFn: mistakes and notes on stderr.
void cps_complain_all(bool mistake, const char* sentence, void* data);

#endif
