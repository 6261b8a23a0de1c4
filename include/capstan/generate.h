/// @file generate.h Generates realistic problems from a few parameters and a seed, for benchmarks, tests and first
/// steps.
#ifndef CAPSTAN_GENERATE_H
#define CAPSTAN_GENERATE_H

#include "capstan/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What to generate.
typedef enum CpsGenerateKind {
  CPS_GENERATE_FIBRES = 0,  ///< packed fibres: a bundle of rods, each with a dense implicit mass block
  CPS_GENERATE_STACK = 1,   ///< a wall of rigid boxes with four contacts per face: redundant, singular W
  CPS_GENERATE_SPHERES = 2  ///< a random dense pack of spheres pressed into a box
} CpsGenerateKind;

/// Start from cps_generate_def_default().
typedef struct CpsGenerateDef {
  CpsGenerateKind kind;   ///< Default CPS_GENERATE_FIBRES
  int32_t contact_count;  ///< number of contacts, >= 1. Default 1000
  int32_t body_count;     ///< rods, boxes or spheres; 0: chosen from the number of contacts. Default 0
  int32_t dofs_per_rod;   ///< fibres: a multiple of 3, 3 to 300. Default 15
  double mu;              ///< >= 0. Default 0.3
  uint64_t seed;          ///< the same seed gives a bit-identical problem. Default 1
  CpsForm form;           ///< explicit W or factored. Default CPS_FORM_FACTORED
  int cookie;             ///< set by the default function
} CpsGenerateDef;

/// The defaults named above.
CPS_API CpsGenerateDef cps_generate_def_default(void);

/// Generates a problem.
/// @return CPS_OK, CPS_BAD_ARGUMENT or CPS_NO_MEMORY
CPS_API CpsStatus cps_problem_generate(const CpsGenerateDef* def, CpsProblem** problem, CpsError* error);

#ifdef __cplusplus
}
#endif
#endif
