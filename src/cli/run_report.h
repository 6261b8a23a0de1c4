// Output of `capstan run`: the line before the run, the lines after it, the JSON object, and how to resume.
#ifndef CAPSTAN_CLI_RUN_REPORT_H
#define CAPSTAN_CLI_RUN_REPORT_H

#include <stdio.h>

#include "capstan/result.h"
#include "cli/pass_report.h"

// Largest spurious energy gain, relative to the energy present or supplied; 0: none.
typedef struct CpsRunJerk {
  double excess, time;
} CpsRunJerk;

// Angular momentum lost by fibres in free flight, over all steps of a run.
typedef struct CpsRunSpin {
  double sum;      // of the largest part in each step: -log of the remainder, at worst
  double worst;    // largest of a step,
  CpsThing fibre;  // and whose
} CpsRunSpin;

// The state of a run, from its world or from the file of a finished run.
typedef struct CpsRunSummary {
  const char* scene;        // the scene file as given
  const char* output;       // the result file
  bool was_there;           // the file was finished before, and nothing was written
  double time;              // simulated, s
  double end;               // requested, s
  double tolerance;         // of the solver,
  double motion_tolerance;  // and of large islands in motion
  int64_t moving_steps;     // steps with such an island, of this run
  const CpsScene* read;     // the same, read: names
  const CpsWorld* world;    // with the overlaps at its start; NULL: they were before
  const CpsWorld* last;     // as it is at the end
  int32_t bodies;           // number of bodies
  int32_t fibres;           // number of fibres
  int32_t sheets;           // number of sheets
  int64_t stopped;          // groups stopped to prevent a crossing, in this run
  CpsRunTotals totals;      // of all steps in the file
  uint64_t hash;            // cps_world_hash() of the last state
  double unsolved_time;     // end of the first step of this run that was not solved; NaN: none
  const char* unsolved;     // why, a message
  CpsRunJerk jerk;          // the largest of this run
  double created, drained;  // CpsStepInfo.created and drained, likewise
  CpsRunSpin spin;          // of this run
  CpsRunPasses passes;      // the first fibres that passed through something in this run
  int64_t missed;           // fibres that were to be at rest and cannot be, and strands of files that are left out
} CpsRunSummary;

// "settle-80  80 bodies, 5 obstacles  h 1 ms  tolerance 1e-06  to 2.00 s"; a start that is not 0 is named.
void cps_run_print_header(const char* scene_path, const CpsScene* scene, const CpsWorld* world, double end);
// "done …" or "stopped …", "wrote …", and how deep things got.
void cps_run_print_summary(const CpsRunSummary* summary);
// Warnings on stderr: unsolved steps, crossings, deep penetrations.
void cps_run_print_warnings(const CpsRunSummary* summary);
// Every step solved, no crossings, and nothing deeper than its radius.
bool cps_run_is_sound(const CpsRunTotals* totals);
// One object and a line break.
void cps_run_print_json(const CpsRunSummary* summary);

// A command line, quoted for a shell. `words` are those after "capstan".
void cps_run_print_words(FILE* out, int word_count, char* const* words);
// The same for the command line that resumes this run.
void cps_run_print_resume(FILE* out, int word_count, char* const* words);

// Simulated time as "1.42 s" or "50 ms".
const char* cps_run_time_text(double seconds, char text[32]);
// Name of a file without its directory and extension, truncated to the room.
void cps_run_base_name(const char* path, char* name, size_t size);

#endif
