/// @file solve.h
/// Solving a DFCP: methods, options, report. See problem.h for the law.
///
///     double r[3] = {0};
///     CpsSolveOptions options = cps_solve_options_default();
///     CpsSolveInfo info;
///     CpsStatus status = cps_problem_solve(problem, &options, r, &info, NULL);
#ifndef CAPSTAN_SOLVE_H
#define CAPSTAN_SOLVE_H

#include "capstan/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Whole-problem methods. `capstan methods` and cps_method_info() describe each method and give its reference.
typedef enum CpsMethod {
  CPS_METHOD_AUTO = 0,
  CPS_METHOD_GS,
  CPS_METHOD_GS_PARALLEL,
  CPS_METHOD_NEWTON_AC,
  CPS_METHOD_NEWTON_FB,
  CPS_METHOD_CADOUX_DUAL,
  CPS_METHOD_CADOUX_PRIMAL,
  CPS_METHOD_DESAXCE,
  CPS_METHOD_CPG,
  CPS_METHOD_PSOR,
  CPS_METHOD_LEMKE,
  CPS_METHOD_MCP,
  CPS_METHOD_STAGGERED,
  CPS_METHOD_ADMM,
  CPS_METHOD_APGD,
  CPS_METHOD_CONVEX,
  CPS_METHOD_PROXIMAL,
  CPS_METHOD_PRIMAL_NEWTON,
  CPS_METHOD_NODAL,
  CPS_METHOD_SPLITTING,
  CPS_METHOD_COUNT
} CpsMethod;

/// One-contact solvers, used by the Gauss-Seidel methods.
typedef enum CpsLocal {
  CPS_LOCAL_MFB = 0,
  CPS_LOCAL_AC,
  CPS_LOCAL_AC_DAMPED,
  CPS_LOCAL_ENUM,
  CPS_LOCAL_DURIEZ06,
  CPS_LOCAL_DURIEZ08,
  CPS_LOCAL_PYRAMID,
  CPS_LOCAL_RADIAL,
  CPS_LOCAL_COUNT
} CpsLocal;

/// Which facets approximate the cone in `psor`, `lemke` and `pyramid`.
typedef enum CpsFacets {
  CPS_FACETS_INNER = 0,  ///< the polygon's corners lie on the disc: friction is under-estimated
  CPS_FACETS_OUTER = 1   ///< the polygon's sides touch the disc: friction is over-estimated
} CpsFacets;

/// Arguments of the progress callback.
typedef struct CpsProgress {
  int64_t iteration;  ///< iterations so far, as the method counts them
  double residual;    ///< common residual after this iteration; NaN if it was not evaluated
  double seconds;     ///< CPU time since the start of the solve
} CpsProgress;

/// Called after each iteration from the thread that called cps_problem_solve().
/// @return true to continue, false to stop with CPS_INTERRUPTED and the best iterate so far
typedef bool (*CpsProgressFn)(const CpsProgress* progress, void* data);
/// Called in each iteration, possibly from several threads at once. Return true to end the solve with CPS_INTERRUPTED.
typedef bool (*CpsCancelFn)(void* data);

/// Solver settings. Always start from cps_solve_options_default().
typedef struct CpsSolveOptions {
  CpsMethod method;        ///< whole-problem method. Default CPS_METHOD_AUTO
  CpsLocal local;          ///< one-contact solver of the Gauss-Seidel methods. Default CPS_LOCAL_MFB
  bool local_failsafe;     ///< if `local` fails, fall back to enumeration ("+enum" in a name). Default true
  double tolerance;        ///< stop when the common residual is at most this, > 0. Default 1e-8
  int64_t max_iterations;  ///< >= 1, as the method counts them. Default 10000
  double time_limit;       ///< CPU seconds, 0: none. Default 0
  int32_t threads;         ///< >= 1; never changes the result. Default 1
  int32_t facets;          ///< sides of the faceted cone for methods that use one, >= 4 and even (lemke: any number >=
                           ///< 2 inner, >= 3 outer). Default 4
  CpsFacets facet_kind;    ///< Default CPS_FACETS_INNER
  bool freeze;             ///< Gauss-Seidel: skip settled and weak contacts for a few sweeps. Default true
  bool polish;             ///< improve a sufficient initial guess by one more sweep, and solve to rounding if every
                           ///< loaded contact sticks or (up to 500 contacts) moves only by solver error, so that
                           ///< objects at rest stay at rest. Default false
  bool check_identities;   ///< for debugging: evaluate every identity after the solve into info.identities. Default
                           ///< false
  CpsProgressFn progress;  ///< called after each iteration; NULL: none. Default NULL
  void* progress_data;     ///< passed to the callback. Default NULL
  CpsCancelFn cancel;      ///< asked whether to stop; much cheaper than `progress`. NULL: none. Default NULL
  void* cancel_data;       ///< passed to the callback. Default NULL
  int cookie;              ///< set by the default function; catches a struct that was never initialised
} CpsSolveOptions;

/// The defaults named above.
CPS_API CpsSolveOptions cps_solve_options_default(void);

/// Report of a solve. Every figure is computed outside the method.
typedef struct CpsSolveInfo {
  CpsStatus status;          ///< CPS_OK iff residual <= tolerance
  CpsMethod method;          ///< as requested
  CpsLocal local;            ///< as used; CPS_LOCAL_COUNT if the method has none
  bool local_failsafe;       ///< as used
  double residual;           ///< common residual of the returned r
  double residual_islands;   ///< largest residual of an island, relative to its own impulses, as reported by a step of
                             ///< a world. Equal to `residual` for one island, otherwise at least as large
  double residual_siconos;   ///< error measure of Siconos, for comparison
  int32_t worst_contact;     ///< contact with the largest error, -1 without contacts
  int64_t iterations;        ///< as the method counts them, without inner iterations
  int64_t inner_iterations;  ///< of inner loops (Newton steps, convex steps), 0 if there are none
  int64_t factorisations;    ///< number of direct factorisations
  int64_t local_calls;       ///< one-contact problems passed to the local solver
  int64_t local_failures;    ///< of these, not solved by it to its tolerance
  int64_t local_fallbacks;   ///< of these, passed to the enumeration
  int64_t local_unsolved;    ///< of these, not solved by the enumeration either
  int32_t takeoff;           ///< contacts of each status, as cps_problem_contacts() finds them
  int32_t stick;             ///< bilateral blocks count here
  int32_t slide;
  bool symmetrised;          ///< the method used (W + W^T)/2 instead of W internally; `residual` is always that of W
  double asymmetry;          ///< max |W - W^T| / max |W|
  int64_t bytes;             ///< peak memory of the solve, excluding the problem
  double seconds;            ///< CPU time of the process for the whole solve, including conversions. For up to 16
                             ///< contacts without progress callback and time limit: wall-clock time, which is faster to
                             ///< read
  double wall_seconds;       ///< wall-clock time of the same
  CpsIdentities identities;  ///< filled if options.check_identities, otherwise zero
} CpsSolveInfo;

/// Finds impulses r such that every contact obeys its law.
/// @param r in: initial guess (warm start), out: impulses in N·s, row_count entries, finite
/// @param info   out: the report; may be NULL
/// @param error  out: an error message if the status is not CPS_OK; may be NULL
/// @return CPS_OK; a status > 0: r is the best iterate, read info; an error < 0: r and info unchanged
CPS_API CpsStatus cps_problem_solve(const CpsProblem* problem, const CpsSolveOptions* options, double* r,
                                    CpsSolveInfo* info, CpsError* error);

/// Memory and threads kept from solve to solve, so that a steady simulation does not allocate. Opaque.
typedef struct CpsWorkspace CpsWorkspace;
/// Creates an empty workspace.
CPS_API CpsStatus cps_workspace_create(CpsWorkspace** workspace);
/// Frees it. NULL is allowed.
CPS_API void cps_workspace_destroy(CpsWorkspace* workspace);
/// cps_problem_solve() with the memory of a workspace; the result is bit-identical. The direct methods still allocate
/// inside SuiteSparse.
CPS_API CpsStatus cps_workspace_solve(CpsWorkspace* workspace, const CpsProblem* problem,
                                      const CpsSolveOptions* options, double* r, CpsSolveInfo* info, CpsError* error);

/// Laws as bits, for CpsMethodInfo.laws.
#define CPS_LAW_BIT(law) (1u << (unsigned)(law))

/// One line of the table of methods. All strings are static.
typedef struct CpsMethodInfo {
  const char* name;       ///< name on the command line, "gs"
  const char* summary;    ///< one line
  const char* reference;  ///< where it was published
  unsigned laws;          ///< supported laws, a sum of CPS_LAW_BIT()
  bool exact;             ///< whether it converges to the exact law, not a faceted or relaxed one
  bool uses_local;        ///< calls a one-contact solver
  bool available;         ///< false if this build lacks it (no SuiteSparse)
} CpsMethodInfo;

/// Line of a method; NULL outside the enum.
CPS_API const CpsMethodInfo* cps_method_info(CpsMethod method);

/// One line of the table of one-contact solvers. All strings are static.
typedef struct CpsLocalInfo {
  const char* name;       ///< "mfb"; on the command line "mfb+enum" also enables the fail-safe
  const char* summary;    ///< one line
  const char* reference;  ///< where it was published
  bool exact;             ///< solves the exact law
} CpsLocalInfo;

/// Line of a one-contact solver; NULL outside the enum.
CPS_API const CpsLocalInfo* cps_local_info(CpsLocal local);

/// A name used in papers for a method, possibly with its local solver ("PAC+Enum" is gs with ac+enum).
typedef struct CpsAlias {
  const char* name;     ///< as in the papers; case is ignored
  CpsMethod method;     ///< what it means
  CpsLocal local;       ///< CPS_LOCAL_COUNT: keeps the local solver
  bool local_failsafe;  ///< read if local is set
} CpsAlias;

/// Alias number i; NULL past the last one.
CPS_API const CpsAlias* cps_alias(int32_t i);

/// Sets method (and, for an alias that names one, the local solver) in `options` from a method's name or alias.
/// @return CPS_OK or CPS_BAD_ARGUMENT: options unchanged
CPS_API CpsStatus cps_solve_options_set_method(CpsSolveOptions* options, const char* name);
/// Sets the local solver and its fail-safe from "mfb", "mfb+enum", …
CPS_API CpsStatus cps_solve_options_set_local(CpsSolveOptions* options, const char* name);

#ifdef __cplusplus
}
#endif
#endif
