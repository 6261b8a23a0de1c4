// The cost of a picture: heads of 1920, 7680 and 30720 hairs of 30 segments, 1280 x 720 pixels, 16 rays each. Time of the
// geometry and its tree, time of the rays, and the largest memory of the process before and after, each size in a process
// of its own.
//
// usage: bench-render scenes/free-a.yaml [THREADS] [PICTURE.png]
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "capstan/render.h"

static double peak_megabytes(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? (double)usage.ru_maxrss / 1024.0 : 0.0;
}

static double processor_seconds(void) {
  struct timespec now;
  return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) == 0 ? (double)now.tv_sec + 1e-9 * (double)now.tv_nsec : 0.0;
}

static int complain(const CpsError* error) {
  fprintf(stderr, "bench-render: %s\n", error->text);
  return 1;
}

static int measure(CpsShow* show, int hairs, int threads, const char* picture) {
  CpsError error = {""};
  CpsRenderOptions options = cps_render_options_default();
  options.threads = threads;
  double before = peak_megabytes(), cpu = processor_seconds();
  CpsRender* render = NULL;
  uint8_t* rgb = malloc(3 * (size_t)options.width * (size_t)options.height);
  if (!rgb || cps_render_create(show, &options, &render, &error) != CPS_OK ||
      cps_render_frame(render, 0, rgb, &error) != CPS_OK) {
    return complain(&error);
  }
  CpsRenderInfo info = cps_render_info(render);
  printf("%7d %9lld %8.2f %8.2f %10.2f %12.0f %12.0f\n", hairs, (long long)info.curve_pieces, info.build_seconds,
         info.trace_seconds, processor_seconds() - cpu, before, peak_megabytes());
  fflush(stdout);
  if (picture && cps_image_write(picture, options.width, options.height, rgb, &error) != CPS_OK)
    return complain(&error);
  cps_render_destroy(render);
  free(rgb);
  return 0;
}

static int draw(const char* path, int hairs, int threads, const char* picture) {
  char count[32];
  snprintf(count, sizeof count, "count=%d", hairs);
  const char* overrides[] = {count, "output.fibre_points=31"};
  CpsError error = {""};
  CpsScene* scene = NULL;
  CpsWorld* world = NULL;
  CpsShow* show = NULL;
  if (cps_scene_load(path, overrides, 2, &scene, &error) != CPS_OK ||
      cps_scene_build(scene, 1, &world, &error) != CPS_OK || cps_show_world(scene, world, &show, &error) != CPS_OK) {
    return complain(&error);
  }
  int code = measure(show, hairs, threads, picture);
  cps_show_destroy(show);
  cps_world_destroy(world);
  cps_scene_destroy(scene);
  return code;
}

int main(int argc, char** argv) {
  const int sizes[] = {1920, 7680, 30720};
  int threads = argc > 2 ? atoi(argv[2]) : 2;
  if (argc < 2 || threads < 1) {
    fputs("usage: bench-render scenes/free-a.yaml [THREADS] [PICTURE.png]\n", stderr);
    return 2;
  }
  printf("%7s %9s %8s %8s %10s %12s %12s\n", "hairs", "pieces", "build s", "trace s", "processor", "MB before",
         "MB after");
  fflush(stdout);
  for (int k = 0; k < 3; ++k) {
    pid_t child = fork();
    if (child == 0) _exit(draw(argv[1], sizes[k], threads, k == 0 && argc > 3 ? argv[3] : NULL));
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) return 1;
  }
  return 0;
}
