// Where and when a result was measured, without names of hosts or places.
#ifndef CAPSTAN_BENCH_FRICTION_MACHINE_H
#define CAPSTAN_BENCH_FRICTION_MACHINE_H

#include <stdbool.h>
#include <stdio.h>

// "date, processor, cores, compiler, versions" as one paragraph.
void cps_bench_print_machine(FILE* out);
// BLAS reads its number of threads when it is loaded: sets it to one and starts the program again where it was not set.
void cps_bench_single_thread(char** argv);
// Opens directory/name for writing, after making the directory; says why not on stderr.
FILE* cps_bench_open(const char* directory, const char* name);
// directory/name in a static-free buffer of the caller.
const char* cps_bench_path(char* buffer, size_t size, const char* directory, const char* name);

#endif
