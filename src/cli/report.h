// The text report of a solve, and helpers shared by several reports.
#ifndef CAPSTAN_CLI_REPORT_H
#define CAPSTAN_CLI_REPORT_H

#include "capstan/solve.h"

// A few lines on stdout: the outcome, the contacts, and notes. `reason` is the solver's sentence.
void cps_report_print(const CpsSolveInfo* info, const CpsSolveOptions* options, int32_t contact_count,
                      const CpsError* reason);

// "12.3 ms", "1.25 s", "3.2 min" in `text`, which it returns.
const char* cps_time_text(double seconds, char text[32]);
// Bytes as "12.3 MB".
const char* cps_bytes_text(int64_t bytes, char text[32]);
// The path without its folders.
const char* cps_file_name(const char* path);

#endif
