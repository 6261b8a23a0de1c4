// The folder of a sweep.
//
//   sweep.txt                 what is swept: the scene, a hash of its text, every case; written first, compared ever after
//   0001.h5 0001.json         result and report of case 1
//   0001.log                  what it printed on stderr; locked while a process works on the case
//   0001.done                 exit code, seconds, memory; there when the case is over
//   table.csv table.h5        the chosen quantities of all cases
#ifndef CAPSTAN_CLI_SWEEP_FOLDER_H
#define CAPSTAN_CLI_SWEEP_FOLDER_H

#include <stdio.h>

#include "cli/sweep_plan.h"

#define CPS_SWEEP_PATH 4096

// How a case ended.
typedef struct CpsSweepEnd {
  int exit;          // exit code; 128 + signal if one ended it
  bool out_of_time;  // stopped for its time
  double seconds;    // wall clock
  double processor;  // user and system
  double megabytes;  // largest resident set
} CpsSweepEnd;

// A sweep and where it lives.
typedef struct CpsSweep {
  const char* folder;
  const char* scene;         // the file
  const char* scene_text;    // the scene as read, without the varied values
  const char* const* fixed;  // --set of all cases
  int32_t fixed_count;
  double until;  // s; 0: the scene's end
  CpsSweepPlan plan;
} CpsSweep;

// DIR/0001.ENDING of case `number` (from 0). False if the path is too long.
bool cps_sweep_path(const CpsSweep* sweep, int64_t number, const char* ending, char path[CPS_SWEEP_PATH]);
// Creates the folder and its sweep.txt, or compares with an existing one: CPS_BAD_DATA if it belongs to another sweep, or if the
// scene has changed since.
CpsStatus cps_sweep_open(const CpsSweep* sweep, CpsError* error);
// Removes the files of all cases of the sweep in the folder, for a new start.
void cps_sweep_clear(const char* folder);
// Reads the outcome of a case; false: it has not finished.
bool cps_sweep_read_end(const CpsSweep* sweep, int64_t number, CpsSweepEnd* end);
CpsStatus cps_sweep_write_end(const CpsSweep* sweep, int64_t number, const CpsSweepEnd* end, CpsError* error);
// Deletes the outcome and the files of a case.
void cps_sweep_forget(const CpsSweep* sweep, int64_t number);
// "mu=0.2 angle=10 deg" in `text`, cut to fit.
const char* cps_sweep_case_text(const CpsSweep* sweep, int64_t number, char* text, size_t size);

// The sweep of a folder, read from its sweep.txt. Everything is owned by the sweep: free it.
CpsStatus cps_sweep_read(const char* folder, CpsSweep* sweep, CpsError* error);
void cps_sweep_free_read(CpsSweep* sweep);

#endif
