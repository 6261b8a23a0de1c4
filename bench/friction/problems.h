// The problems of the benchmark: the FCLIB files of two folders, in the order of their names.
#ifndef CAPSTAN_BENCH_FRICTION_PROBLEMS_H
#define CAPSTAN_BENCH_FRICTION_PROBLEMS_H

#include "capstan/capstan.h"

typedef struct CpsBenchProblem {
  char name[96];
  CpsProblem* problem;
} CpsBenchProblem;

typedef struct CpsBenchProblems {
  int count;
  CpsBenchProblem* items;
} CpsBenchProblems;

// Reads data/fclib and data/generated; where there are none, generates nine problems. `only`: names that contain it,
// NULL for all. Exits with a sentence where nothing can be had.
CpsBenchProblems cps_bench_problems_load(const char* data, const char* only);
void cps_bench_problems_free(CpsBenchProblems* problems);

#endif
