#define _DEFAULT_SOURCE  // MAP_ANONYMOUS
#include "friction/measure.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/clock.h"

enum { RUNS_MAX = 25, TRIES_MAX = 7 };

// What the child leaves behind, in memory that both see.
typedef struct Shared {
  int run_count;
  int refused;
  double seconds[RUNS_MAX];
  double last_seconds;  // of the last run, also where it did not pass
  double residual;
  int64_t iterations;
  int64_t bytes;
} Shared;

const char* cps_bench_outcome_name(CpsBenchOutcome outcome) {
  static const char* const names[] = {"solved", "inaccurate", "time", "crashed", "refused"};
  return names[outcome];
}

static void child(const CpsProblem* problem, const CpsBenchSolver* solver, double own_tolerance, double tolerance,
                  const CpsBenchLimits* limits, Shared* shared) {
  struct rlimit memory = {(rlim_t)limits->bytes, (rlim_t)limits->bytes}, core = {0, 0};
  (void)setrlimit(RLIMIT_AS, &memory);
  (void)setrlimit(RLIMIT_CORE, &core);
  int null = open("/dev/null", O_WRONLY);
  if (null >= 0) {
    (void)dup2(null, STDOUT_FILENO);
    (void)dup2(null, STDERR_FILENO);
  }
  double* r = calloc((size_t)cps_problem_row_count(problem), sizeof *r);
  if (!r) _exit(1);
  double spent = 0.0;
  // short runs are repeated more often: the first one pays for cold memory, and the median should not
  for (int run = 0; run < RUNS_MAX && spent < 0.3 * limits->seconds; ++run) {
    if (run >= limits->runs && (limits->runs == 1 || spent > 0.02)) break;
    double seconds = 0.0;
    memset(r, 0, sizeof *r * (size_t)cps_problem_row_count(problem));
    if (!solver->run(solver->data, own_tolerance, r, &seconds, &shared->iterations, &shared->bytes)) {
      shared->refused = 1;
      _exit(0);
    }
    shared->last_seconds = seconds;
    CpsResidual residual;
    if (cps_problem_residual(problem, r, &residual) != CPS_OK) residual.natural = INFINITY;
    shared->residual = residual.natural;
    if (!(residual.natural <= tolerance)) break;
    shared->seconds[run] = seconds;
    shared->run_count = run + 1;
    spent += seconds;
  }
  _exit(0);
}

// Waits for the child, and ends it when it has used its CPU time. CPU and not wall time, so that a busy machine does
// not change who passes; and from outside, because a limit set inside (RLIMIT_CPU) makes Linux round the child's clock
// to ticks. Returns true if the cap came first.
static bool wait_with_cap(pid_t pid, double cap, int* status) {
  clockid_t clock;
  bool clocked = clock_getcpuclockid(pid, &clock) == 0;
  struct timespec pause = {0, 200000};
  double begin = cps_clock_wall();
  for (;;) {
    pid_t done = waitpid(pid, status, WNOHANG);
    if (done != 0) return false;
    struct timespec used = {0, 0};
    if (clocked && clock_gettime(clock, &used) != 0) used = (struct timespec){0, 0};
    double seconds = (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
    if (seconds > cap || cps_clock_wall() - begin > 20.0 * cap + 60.0) {
      (void)kill(pid, SIGKILL);
      (void)waitpid(pid, status, 0);
      return true;
    }
    (void)nanosleep(&pause, NULL);
    if (pause.tv_nsec < 10000000) pause.tv_nsec *= 2;
  }
}

static int compare_double(const void* left, const void* right) {
  double a = *(const double*)left, b = *(const double*)right;
  return a < b ? -1 : a > b;
}

// One child. Where it passed at least once, the result holds the median.
static CpsBenchResult attempt(const CpsProblem* problem, const CpsBenchSolver* solver, double own_tolerance,
                              double tolerance, const CpsBenchLimits* limits, Shared* shared) {
  CpsBenchResult result = {
      .outcome = CPS_BENCH_CRASHED, .seconds = NAN, .residual = NAN, .own_tolerance = own_tolerance};
  memset(shared, 0, sizeof *shared);
  shared->residual = NAN;
  pid_t pid = fork();
  if (pid < 0) return result;
  if (pid == 0) child(problem, solver, own_tolerance, tolerance, limits, shared);
  int status = 0;
  bool capped = wait_with_cap(pid, limits->seconds + 0.05, &status);
  result.residual = shared->residual;
  result.iterations = shared->iterations;
  result.bytes = shared->bytes;
  result.run_count = shared->run_count;
  if (shared->run_count > 0) {
    qsort(shared->seconds, (size_t)shared->run_count, sizeof(double), compare_double);
    result.seconds = shared->seconds[shared->run_count / 2];
    result.outcome = CPS_BENCH_SOLVED;
  } else if (shared->refused) {
    result.outcome = CPS_BENCH_REFUSED;
  } else if (capped || shared->last_seconds > 0.95 * limits->seconds) {
    // our own methods watch the clock themselves and may stop a little before the cap
    result.outcome = CPS_BENCH_TIME;
  } else if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    result.outcome = CPS_BENCH_INACCURATE;
  }
  return result;
}

CpsBenchResult cps_bench_measure(const CpsProblem* problem, const CpsBenchSolver* solver, double tolerance,
                                 const CpsBenchLimits* limits) {
  CpsBenchResult result = {.outcome = CPS_BENCH_CRASHED, .seconds = NAN, .residual = NAN, .own_tolerance = tolerance};
  Shared* shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return result;
  double own_tolerance = tolerance, residual = NAN;
  for (int attempts = 0; attempts < TRIES_MAX; ++attempts, own_tolerance *= 0.1) {
    result = attempt(problem, solver, own_tolerance, tolerance, limits, shared);
    if (result.outcome != CPS_BENCH_INACCURATE || !solver->tighten || own_tolerance < 1e-15) break;
    // a solver that gives the same answer again has no more to give
    if (result.residual == residual) break;
    residual = result.residual;
  }
  (void)munmap(shared, sizeof *shared);
  return result;
}

bool cps_bench_run_capstan(const void* data, double tolerance, double* r, double* seconds, int64_t* iterations,
                           int64_t* bytes) {
  const CpsBenchCapstan* capstan = data;
  CpsSolveOptions options = cps_solve_options_default();
  CpsSolveInfo info;
  if (cps_solve_options_set_method(&options, capstan->method) != CPS_OK) return false;
  options.tolerance = tolerance;
  options.time_limit = capstan->time_limit;
  options.max_iterations = 10000000;
  double begin = cps_clock_cpu();
  CpsStatus status = cps_problem_solve(capstan->problem, &options, r, &info, NULL);
  *seconds = cps_clock_cpu() - begin;
  if (status < 0) return false;
  *iterations = info.iterations;
  *bytes = info.bytes;
  return true;
}
