#include "friction/machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "capstan/base.h"

static void processor_name(char* name, size_t size) {
  (void)snprintf(name, size, "unknown processor");
  FILE* file = fopen("/proc/cpuinfo", "r");
  if (!file) return;
  char line[256];
  while (fgets(line, sizeof line, file)) {
    if (strncmp(line, "model name", 10) != 0) continue;
    char* colon = strchr(line, ':');
    if (!colon) continue;
    line[strcspn(line, "\n")] = '\0';
    (void)snprintf(name, size, "%s", colon + 2);
    break;
  }
  (void)fclose(file);
}

#ifdef __clang__
static const char compiler[] = "clang";
#else
static const char compiler[] = "gcc";
#endif

static void system_name(char* name, size_t size) {
  (void)snprintf(name, size, "unknown system");
  FILE* file = fopen("/etc/os-release", "r");
  if (!file) return;
  char line[256];
  while (fgets(line, sizeof line, file))
    if (sscanf(line, "PRETTY_NAME=\"%127[^\"]", name) == 1) break;
  (void)fclose(file);
}

void cps_bench_print_machine(FILE* out) {
  char processor[200], date[32], release[200];
  time_t now = time(NULL);
  struct tm utc;
  processor_name(processor, sizeof processor);
  system_name(release, sizeof release);
  if (!gmtime_r(&now, &utc) || strftime(date, sizeof date, "%Y-%m-%d", &utc) == 0)
    (void)snprintf(date, sizeof date, "-");
  fprintf(out, "Measured on %s. %s, %ld cores, one thread used. %s, compiler %s %s. Capstan %s", date, processor,
          sysconf(_SC_NPROCESSORS_ONLN), release, compiler, __VERSION__, cps_version());
#ifdef CAPSTAN_SICONOS
  fprintf(out, "; Siconos as packaged by Debian");
#else
  fprintf(out, "; Siconos was not installed");
#endif
  fprintf(out, ".\n");
}

void cps_bench_single_thread(char** argv) {
  if (getenv("OPENBLAS_NUM_THREADS")) return;
  (void)setenv("OPENBLAS_NUM_THREADS", "1", 1);
  (void)setenv("OMP_NUM_THREADS", "1", 1);
  (void)execv("/proc/self/exe", argv);
}

const char* cps_bench_path(char* buffer, size_t size, const char* directory, const char* name) {
  (void)snprintf(buffer, size, "%s/%s", directory, name);
  return buffer;
}

FILE* cps_bench_open(const char* directory, const char* name) {
  char path[1024];
  if (mkdir(directory, 0777) != 0 && errno != EEXIST) fprintf(stderr, "%s: %s\n", directory, strerror(errno));
  FILE* file = fopen(cps_bench_path(path, sizeof path, directory, name), "w");
  if (!file) fprintf(stderr, "%s: %s\n", path, strerror(errno));
  return file;
}
