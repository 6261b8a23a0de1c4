#define _DEFAULT_SOURCE  // flock, wait4
// Processes of a sweep (sweep_run.h).
//
// The parent sleeps in sigtimedwait() until a child ends, a signal comes, or a child is out of time. Each child leads a process
// group of its own, so that a Ctrl-C in the terminal reaches it once, by us; if the parent is killed, the kernel tells it to
// stop. A case is locked by a lock on its log, which the child inherits: it is released when the child has exited and its end is
// written. That waits for the disk, so the next case is started first.
#include "cli/sweep_run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "cli/command.h"
#include "cli/progress.h"

#define GRACE 3.0  // s, from the request to stop until the process is killed

typedef struct Job {
  pid_t pid;  // 0: unused
  int64_t number;
  double started;
  double deadline;  // wall-clock time of the request to stop; INFINITY: never
  bool asked;       // the request was sent
  bool late;        // because of the time limit
  int log;          // holds the lock of the case
} Job;

// A process that has exited.
typedef struct Ended {
  int64_t number;
  int log;
  CpsSweepEnd end;
} Ended;

typedef struct Runner {
  const CpsSweepRun* run;
  CpsSweepCount* count;
  Job* jobs;
  int running;
  Ended* ended;  // finished cases whose outcome is not yet written; room for all jobs
  int ended_count;
  int64_t next;  // next case to examine
  bool stopping;
  sigset_t signals, before;
  double redraw;
} Runner;

bool cps_sweep_has_result(const CpsSweepEnd* end) {
  return !end->out_of_time && (end->exit == CPS_EXIT_OK || end->exit == CPS_EXIT_NOT_SOLVED);
}

static void add_end(CpsSweepCount* count, const CpsSweepEnd* end) {
  if (!cps_sweep_has_result(end)) {
    ++count->failed;
  } else if (end->exit == CPS_EXIT_OK) {
    ++count->sound;
  } else {
    ++count->unsound;
  }
}

// The arguments of `capstan run` for a case, allocated as one block with the list first; NULL if memory runs out.
static char** make_words(const CpsSweepRun* run, int64_t number) {
  const CpsSweep* sweep = run->sweep;
  size_t sets = (size_t)sweep->fixed_count + (size_t)sweep->plan.axis_count, room = 2 * sets + 16;
  char** words = malloc(room * sizeof *words + sets * 512 + CPS_SWEEP_PATH + 128);
  if (!words) return NULL;
  char* text = (char*)(words + room);
  int count = 0;
  static const char* const START[] = {"capstan", "run", "--resume", "--json", "--output"};
  for (size_t i = 0; i < sizeof START / sizeof *START; ++i) words[count++] = (char*)(uintptr_t)START[i];
  cps_sweep_path(sweep, number, "h5", text);
  words[count++] = text;
  text += CPS_SWEEP_PATH;
  words[count++] = (char*)(uintptr_t) "--threads";
  words[count++] = text;
  text += snprintf(text, 32, "%" PRId64, run->threads) + 1;
  if (sweep->until > 0.0) {
    words[count++] = (char*)(uintptr_t) "--until";
    words[count++] = text;
    text += snprintf(text, 32, "%.17g", sweep->until) + 1;
  }
  for (int32_t i = 0; i < sweep->fixed_count; ++i) {
    words[count++] = (char*)(uintptr_t) "--set";
    words[count++] = (char*)(uintptr_t)sweep->fixed[i];
  }
  for (int32_t a = 0; a < sweep->plan.axis_count; ++a) {
    words[count++] = (char*)(uintptr_t) "--set";
    words[count++] = text;
    cps_sweep_set(&sweep->plan, number, a, text, 512);
    text += strlen(text) + 1;
  }
  words[count++] = (char*)(uintptr_t) "--";
  words[count++] = (char*)(uintptr_t)sweep->scene;
  words[count] = NULL;
  return words;
}

// Runs in the child and becomes `capstan run`. Only calls that are allowed between fork and exec.
static _Noreturn void become(const Runner* r, char** words, int out, int log) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (r->run->megabytes > 0.0) {
    struct rlimit cap = {.rlim_cur = (rlim_t)(r->run->megabytes * 1e6), .rlim_max = (rlim_t)(r->run->megabytes * 1e6)};
    setrlimit(RLIMIT_AS, &cap);
  }
  sigprocmask(SIG_SETMASK, &r->before, NULL);
  if (dup2(out, STDOUT_FILENO) >= 0 && dup2(log, STDERR_FILENO) >= 0) execv("/proc/self/exe", words);
  static const char sentence[] = "capstan: the run cannot be started\n";
  if (write(log, sentence, sizeof sentence - 1) < 0) _exit(CPS_EXIT_OTHER);
  _exit(CPS_EXIT_OTHER);
}

// Starts a case. `started`: whether it was not taken by another process.
static CpsStatus start(Runner* r, Job* job, int64_t number, bool* started, CpsError* error) {
  const CpsSweep* sweep = r->run->sweep;
  char log_path[CPS_SWEEP_PATH], out_path[CPS_SWEEP_PATH];
  *started = false;
  cps_sweep_path(sweep, number, "log", log_path);
  cps_sweep_path(sweep, number, "json", out_path);
  int log = open(log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (log < 0) return cps_io_fail(error, CPS_FILE_ERROR, log_path, NULL, "%s", strerror(errno));
  if (flock(log, LOCK_EX | LOCK_NB) != 0) {
    close(log);
    ++r->count->elsewhere;
    return CPS_OK;
  }
  CpsSweepEnd end;
  if (!r->run->retry && cps_sweep_read_end(sweep, number, &end)) {  // finished in the meantime
    close(log);
    add_end(r->count, &end);
    return CPS_OK;
  }
  CpsStatus status = CPS_OK;
  int out = open(out_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  char** words = make_words(r->run, number);
  if (out < 0 || ftruncate(log, 0) != 0) {
    status = cps_io_fail(error, CPS_FILE_ERROR, out < 0 ? out_path : log_path, NULL, "%s", strerror(errno));
  } else if (!words) {
    status = cps_io_fail(error, CPS_NO_MEMORY, sweep->folder, NULL, "out of memory");
  } else {
    pid_t pid = fork();
    if (pid == 0) become(r, words, out, log);
    if (pid < 0)
      status = cps_io_fail(error, CPS_NO_MEMORY, sweep->folder, NULL, "cannot start a process: %s", strerror(errno));
    if (pid > 0) {
      double now = cps_wall_clock();
      *job = (Job){.pid = pid, .number = number, .started = now, .log = log};
      job->deadline = r->run->seconds > 0.0 ? now + r->run->seconds : INFINITY;
      ++r->running;
      *started = true;
    }
  }
  free(words);
  if (out >= 0) close(out);
  if (!*started) close(log);
  return status;
}

// The next unfinished case of the share; counts the finished ones.
static bool next_case(Runner* r, int64_t* number) {
  for (; r->next < r->run->sweep->plan.case_count; r->next += r->run->shares) {
    CpsSweepEnd end;
    ++r->count->cases;
    if (!cps_sweep_read_end(r->run->sweep, r->next, &end)) break;
    if (r->run->retry && !cps_sweep_has_result(&end)) {
      cps_sweep_forget(r->run->sweep, r->next);
      break;
    }
    ++r->count->before;
    add_end(r->count, &end);
  }
  if (r->next >= r->run->sweep->plan.case_count) return false;
  *number = r->next;
  r->next += r->run->shares;
  return true;
}

static CpsStatus fill(Runner* r, CpsError* error) {
  for (int64_t j = 0; j < r->run->jobs && !r->stopping; ++j) {
    int64_t number;
    bool started = r->jobs[j].pid != 0;
    while (!started && next_case(r, &number)) {
      CpsStatus status = start(r, &r->jobs[j], number, &started, error);
      if (status != CPS_OK) return status;
    }
  }
  return CPS_OK;
}

// Records processes that have ended.
static void reap(Runner* r) {
  for (int64_t j = 0; j < r->run->jobs; ++j) {
    Job* job = &r->jobs[j];
    int how = 0;
    struct rusage used;
    if (job->pid == 0 || wait4(job->pid, &how, WNOHANG, &used) != job->pid) continue;
    CpsSweepEnd end = {
        .exit = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how),
        .out_of_time = job->late,
        .seconds = cps_wall_clock() - job->started,
        .processor = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                     1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec),
        .megabytes = (double)used.ru_maxrss * 1024e-6,
    };
    job->pid = 0;
    --r->running;
    bool over = job->late || (end.exit != CPS_EXIT_INTERRUPTED && !(r->stopping && WIFSIGNALED(how)));
    if (!over) {
      r->count->interrupted = true;
      close(job->log);
      continue;
    }
    add_end(r->count, &end);
    r->ended[r->ended_count++] = (Ended){job->number, job->log, end};
  }
}

// Writes the outcomes of these. Reports the first error.
static CpsStatus write_ends(Runner* r, CpsError* error) {
  CpsStatus status = CPS_OK;
  for (int i = 0; i < r->ended_count; ++i) {
    CpsError later;
    const Ended* e = &r->ended[i];
    CpsStatus written = cps_sweep_write_end(r->run->sweep, e->number, &e->end, status == CPS_OK ? error : &later);
    if (status == CPS_OK) status = written;
    close(e->log);
  }
  r->ended_count = 0;
  return status;
}

// Asks a process to stop, or kills it if it was asked before.
static void ask(Job* job, double now) {
  if (job->pid == 0) return;
  kill(job->pid, job->asked ? SIGKILL : SIGTERM);
  job->asked = true;
  job->deadline = now + GRACE;
}

static void ask_all(Runner* r) {
  for (int64_t j = 0; j < r->run->jobs; ++j) ask(&r->jobs[j], cps_wall_clock());
}

static void show(Runner* r, double now) {
  if (!r->run->show || now < r->redraw) return;
  const CpsSweepCount* c = r->count;
  int64_t all = (r->run->sweep->plan.case_count - r->run->share + r->run->shares - 1) / r->run->shares;
  fprintf(stderr, "\r\033[K%" PRId64 " of %" PRId64 " cases, %d running, %" PRId64 " failed  Ctrl-C stops",
          c->sound + c->unsound + c->failed, all, r->running, c->failed);
  r->redraw = now + 0.2;
}

// Sleeps until an event, at most until the next deadline.
static void wait_for_news(Runner* r) {
  double now = cps_wall_clock(), until = r->run->show ? now + 0.2 : INFINITY;
  for (int64_t j = 0; j < r->run->jobs; ++j) {
    if (r->jobs[j].pid != 0 && r->jobs[j].deadline < until) until = r->jobs[j].deadline;
  }
  double pause = fmin(fmax(until - now, 0.0), 3600.0);
  struct timespec most = {.tv_sec = (time_t)pause, .tv_nsec = (long)(1e9 * (pause - floor(pause)))};
  int signal = sigtimedwait(&r->signals, NULL, &most);
  if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP) {
    r->stopping = r->count->interrupted = true;
    ask_all(r);
  }
  now = cps_wall_clock();
  for (int64_t j = 0; j < r->run->jobs; ++j) {
    Job* job = &r->jobs[j];
    if (job->pid == 0 || now < job->deadline) continue;
    job->late = job->late || !r->stopping;
    ask(job, now);
  }
  show(r, now);
}

CpsStatus cps_sweep_run(const CpsSweepRun* run, CpsSweepCount* count, CpsError* error) {
  *count = (CpsSweepCount){0};
  Runner r = {.run = run, .count = count, .next = run->share};
  r.jobs = calloc((size_t)run->jobs, sizeof *r.jobs);
  r.ended = calloc((size_t)run->jobs, sizeof *r.ended);
  if (!r.jobs || !r.ended) {
    free(r.jobs);
    free(r.ended);
    return cps_io_fail(error, CPS_NO_MEMORY, run->sweep->folder, NULL, "out of memory");
  }
  double started = cps_wall_clock();
  static const int SIGNALS[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP};
  sigemptyset(&r.signals);
  for (int i = 0; i < 4; ++i) sigaddset(&r.signals, SIGNALS[i]);
  sigprocmask(SIG_BLOCK, &r.signals, &r.before);
  CpsStatus status = fill(&r, error);
  while (r.running > 0) {
    wait_for_news(&r);
    reap(&r);
    if (status == CPS_OK) status = fill(&r, error);
    CpsError later;  // only the first error is reported
    CpsStatus written = write_ends(&r, status == CPS_OK ? error : &later);
    if (status == CPS_OK) status = written;
    if (status != CPS_OK && !r.stopping) {
      r.stopping = true;
      ask_all(&r);
    }
  }
  if (run->show) fputs("\r\033[K", stderr);
  sigprocmask(SIG_SETMASK, &r.before, NULL);
  free(r.jobs);
  free(r.ended);
  count->seconds = cps_wall_clock() - started;
  return status;
}
