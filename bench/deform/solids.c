// Table 2 of paper 004 (soft solids) in its own layout: a row of our scene, and the paper's own below it.
//
// The meshes of the paper are not public, ours are generated and of similar size. The paper ran whole films on a processor of 12 cores; here a
// stretch of 200 frames is run on one thread, from the first contact on (the glass: the first 10, the soft armadillo: the first 50), or as many as fit into the limit of a row, and seconds are processor
// time, on which other programs of the machine do not count. A frame is Δt of simulated time, and may take several shorter steps. Until that contact the glass and the soft armadillo take steps of five times the
// length, without friction, for at most four limits. h_err is the Hausdorff distance between the smooth surface and the mesh, of the longest side of its box, the largest of all smooth solids; a
// solid that touches by its facets has none. Iterations of the paper are those of its optimiser, ours those of the friction solver: they are not the same work.
//
// usage: bench-deform-solids --scenes DIRECTORY [--armadillo FILE.msh] [--out DIRECTORY] [--quick | --frames COUNT] [--limit SECONDS] [--only NAME] [SCENE...]
// writes deform-solids.md
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capstan/array.h"
#include "capstan/mesh.h"
#include "capstan/scene.h"
#include "capstan/sheet.h"
#include "capstan/solid.h"
#include "core/clock.h"

enum { FRAMES = 200, QUICK_FRAMES = 5, WAIT_MOST = 2000, WAIT_LONGER = 5, WAIT_LIMITS = 4, SETS_MOST = 5 };
static const double LIMIT = 60.0;  // s of processor time for a stretch

typedef struct Row {
  const char *name, *scene, *sets[SETS_MOST];
  bool armadillo;  // needs its file
  bool smooth;     // its solids are
  int least;       // contacts with which the stretch begins
  const char* mu;
  const char* paper;  // its row, after the name
  double seconds;     // its seconds a frame
} Row;

static const Row ROWS[] = {
    {"Ball spin, μ 0.01",
     "ball-spin",
     {"mu=0.01", "size=1.6 cm", "spin=1.7453 rad/s", "time.step=5 ms", "time.theta=1"},
     false,
     false,
     1,
     "0.01",
     "9K | 2K | 0.005 | 1500 | 0.03 % | 0.01 | 867 | 12 / 6.6",
     0.30},
    {"Ball spin, μ 0.5",
     "ball-spin",
     {"mu=0.5", "size=1.6 cm", "spin=1.7453 rad/s", "time.step=5 ms", "time.theta=1"},
     false,
     false,
     1,
     "0.5",
     "9K | 2K | 0.005 | 1500 | 0.03 % | 0.5 | 867 | 13 / 6.8",
     0.36},
    {"Ball spin, μ 1",
     "ball-spin",
     {"mu=1", "size=1.6 cm", "spin=1.7453 rad/s", "time.step=5 ms", "time.theta=1"},
     false,
     false,
     1,
     "1",
     "9K | 2K | 0.005 | 1500 | 0.03 % | 1 | 860 | 13 / 6.7",
     0.35},
    {"Stool",
     "stool",
     {"refine=2", "time.step=0.3 ms"},
     false,
     false,
     1,
     "0.2",
     "11K | 3K | 0.0003 | 18000 | < 0.01 % | 0.2 | 479 | 17 / 14.3",
     0.54},
    {"Belt drive",
     "belt-drive",
     {"refine=1", "step=5 ms"},
     false,
     true,
     1,
     "0.2",
     "8K | 2K | 0.005 | 2500 | 1.4 % | 0.2 | 610 | 53 / 13.3",
     0.58},
    {"Trampoline",
     "trampoline",
     {"rings=24", "size=2 cm", "hollow=5 cm", "time.step=10 ms"},
     false,
     true,
     1,
     "0.2",
     "8K | 2K | 0.01 | 1500 | 0.2 % | 0.2 | 548 | 48 / 13.6",
     0.43},
    {"Trampoline, large",
     "trampoline",
     {"rings=60", "size=1 cm", "hollow=5 cm", "time.step=5 ms"},
     false,
     true,
     1,
     "0.2",
     "58K | 15K | 0.005 | 3000 | 0.02 % | 0.2 | 2963 | 182 / 27.5",
     4.73},
    {"Pinched glass",
     "pinch-glass",
     {"mu=0.15", "size=2 mm", "time.step=0.1 ms"},
     false,
     true,
     10,
     "0.15",
     "45K | 9K | 0.0001 | 10000 | 0.2 % | 0.15 | 989 | 38 / 15.0",
     3.07},
    {"Armadillo, rigid, μ 0",
     "armadillo-rigid",
     {"mu=0"},
     true,
     false,
     1,
     "0",
     "5K | 3K | 0.004 | 1000 | 0.2 % | 0 | 2542 | 14 / 12.1",
     0.49},
    {"Armadillo, rigid, μ 0.8",
     "armadillo-rigid",
     {"mu=0.8"},
     true,
     false,
     1,
     "0.8",
     "5K | 3K | 0.004 | 1000 | 0.2 % | 0.8 | 2559 | 14 / 12.1",
     0.75},
    {"Armadillo, soft, μ 0",
     "armadillo-fit",
     {"mu=0"},
     true,
     true,
     50,
     "0",
     "88K | 22K | 0.001 | 4000 | 0.2 % | 0 | 2608 | 53 / 17.2",
     5.36},
    {"Armadillo, soft, μ 0.8",
     "armadillo-fit",
     {"mu=0.8"},
     true,
     true,
     50,
     "0.8",
     "88K | 22K | 0.001 | 4000 | 0.2 % | 0.8 | 2609 | 53 / 17.2",
     7.29},
};
enum { ROW_COUNT = sizeof ROWS / sizeof *ROWS };

typedef struct Settings {
  const char *scenes, *armadillo;
  int frames;
  double limit;      // s for a stretch
  const char* only;  // rows whose names begin with this
} Settings;

static CpsWorld* open_row(const Settings* settings, const Row* row) {
  char path[512], file[600];
  const char* list[SETS_MOST + 1];
  int count = 0;
  CpsScene* scene = NULL;
  CpsWorld* world = NULL;
  CpsError error = {{0}};
  snprintf(path, sizeof path, "%s/%s.yaml", settings->scenes, row->scene);
  for (int k = 0; k < SETS_MOST && row->sets[k]; ++k) list[count++] = row->sets[k];
  if (row->armadillo) {
    const bool rigid = strcmp(row->scene, "armadillo-rigid") == 0;
    snprintf(file, sizeof file, "%s=%s", rigid ? "obstacles.armadillo.points.file" : "solids.armadillo.file",
             settings->armadillo);
    list[count++] = file;
  }
  if (cps_scene_load(path, list, count, &scene, &error) != CPS_OK ||
      cps_scene_build(scene, 1, &world, &error) != CPS_OK) {
    fprintf(stderr, "%s\n", error.text);
  }
  cps_scene_destroy(scene);
  return world;
}

typedef struct Size {
  int64_t elements, vertices;
  double error;  // h_err; NaN: no smooth solid
} Size;

// h_err of a solid.
static double error_of(const CpsWorld* world, CpsSolidId id, const CpsSolidInfo* info) {
  CpsVec3* x = calloc((size_t)info->vertex_count, sizeof *x);
  if (!x || cps_world_array(world, cps_thing_solid(id), CPS_QUANTITY_POSITION, &x->x, sizeof *x) != CPS_OK) exit(1);
  CpsMeshFile mesh = {.vertex_count = info->vertex_count, .vertices = x, .triangle_count = info->triangle_count};
  mesh.triangles = malloc(3 * (size_t)info->triangle_count * sizeof *mesh.triangles);
  if (!mesh.triangles) exit(1);
  memcpy(mesh.triangles, cps_world_solid_triangles(world, id),
         3 * (size_t)info->triangle_count * sizeof *mesh.triangles);
  CpsMeshFacts f;
  if (cps_mesh_file_facts(&mesh, &f, NULL) != CPS_OK) exit(1);
  cps_mesh_file_free(&mesh);
  return f.smooth_error / fmax(f.upper.x - f.lower.x, fmax(f.upper.y - f.lower.y, f.upper.z - f.lower.z));
}

static Size size_of(const CpsWorld* world, bool smooth) {
  Size size = {.error = NAN};
  for (int32_t i = 0; i < cps_world_solid_count(world); ++i) {
    CpsSolidInfo info;
    if (cps_world_solid_info(world, cps_world_solid(world, i), &info) != CPS_OK) continue;
    size.elements += info.tetrahedron_count;
    size.vertices += info.vertex_count;
    if (smooth) size.error = fmax(size.error, error_of(world, cps_world_solid(world, i), &info));
  }
  for (int32_t i = 0; i < cps_world_sheet_count(world); ++i) {
    CpsSheetInfo info;
    if (cps_world_sheet_info(world, cps_world_sheet(world, i), &info) != CPS_OK) continue;
    size.elements += info.triangle_count;
    size.vertices += info.vertex_count;
  }
  return size;
}

static bool print_row(FILE* out, const Settings* settings, const Row* row) {
  CpsWorld* world = open_row(settings, row);
  if (!world) return false;
  const Size size = size_of(world, row->smooth);
  CpsStepInfo info = {0};
  CpsStatus status = CPS_OK;
  int waited = 0, unsolved = 0, contacts = 0, steps = 0;
  CpsWorldDef own = cps_world_settings(world), longer = own;
  if (row->least > 1) longer.step *= WAIT_LONGER, longer.mu_everywhere = 0.0;
  bool good = cps_world_configure(world, &longer, NULL) == CPS_OK;
  const double wait = cps_clock_cpu();
  for (; good && waited < WAIT_MOST && info.contacts < row->least && status >= 0; ++waited) {
    if (info.contacts > 0 && cps_clock_cpu() - wait > WAIT_LIMITS * settings->limit) break;
    status = cps_world_step(world, &info, NULL);
  }
  good = good && cps_world_configure(world, &own, NULL) == CPS_OK;
  if (good && info.contacts < row->least) {
    fprintf(out, "| %s | %lld | %lld | %g | fewer than %d contacts after %.0f s | | | %s | | | | |\n", row->name,
            (long long)size.elements, (long long)size.vertices, own.step, row->least, cps_clock_cpu() - wait, row->mu);
    cps_world_destroy(world);
    return status >= 0;
  }
  int64_t most = 0, sum = 0;
  const double begin = cps_clock_cpu(), start = cps_world_time(world),
               end = start + (settings->frames - 0.01) * own.step;
  while (good && cps_world_time(world) < end && status >= 0 && cps_clock_cpu() - begin < settings->limit) {
    status = cps_world_step(world, &info, NULL);
    ++steps;
    unsolved += status > 0;
    contacts = info.contacts > contacts ? info.contacts : contacts;
    most = info.iterations > most ? info.iterations : most;
    sum += info.iterations;
  }
  const double frames = (cps_world_time(world) - start) / own.step;
  const double seconds = (cps_clock_cpu() - begin) / frames;
  char error[32] = "facets";
  if (!isnan(size.error)) snprintf(error, sizeof error, "%.2g %%", 100.0 * size.error);
  fprintf(out, "| %s | %lld | %lld | %g | %.3g | %d | %s | %s | %d | %lld / %.1f | %d | %.3f |\n", row->name,
          (long long)size.elements, (long long)size.vertices, own.step, frames, steps, error, row->mu, contacts,
          (long long)most, (double)sum / steps, unsolved, seconds);
  fprintf(out, "| *004* | %s | | %.2f |\n", row->paper, row->seconds);
  fflush(out);
  cps_world_destroy(world);
  return good && status >= 0;
}

static bool is_asked(int argc, char** argv, int first, const Row* row) {
  for (int k = first; k < argc; ++k) {
    if (strcmp(argv[k], row->scene) == 0) return true;
  }
  return first == argc;
}

int main(int argc, char** argv) {
  Settings settings = {.scenes = "scenes", .frames = FRAMES, .limit = LIMIT};
  const char* directory = NULL;
  int k = 1;
  for (; k < argc && argv[k][0] == '-'; ++k) {
    if (strcmp(argv[k], "--quick") == 0) settings.frames = QUICK_FRAMES;
    if (strcmp(argv[k], "--frames") == 0 && k + 1 < argc) settings.frames = atoi(argv[++k]);
    if (strcmp(argv[k], "--limit") == 0 && k + 1 < argc) settings.limit = atof(argv[++k]);
    if (strcmp(argv[k], "--only") == 0 && k + 1 < argc) settings.only = argv[++k];
    if (strcmp(argv[k], "--out") == 0 && k + 1 < argc) directory = argv[++k];
    if (strcmp(argv[k], "--scenes") == 0 && k + 1 < argc) settings.scenes = argv[++k];
    if (strcmp(argv[k], "--armadillo") == 0 && k + 1 < argc) settings.armadillo = argv[++k];
  }
  char path[512] = "";
  if (directory) (void)snprintf(path, sizeof path, "%s/deform-solids.md", directory);
  FILE* out = directory ? fopen(path, "w") : stdout;
  if (!out || settings.frames < 1 || !(settings.limit > 0.0)) {
    perror(path);
    return 1;
  }
  fprintf(out, "At most %d frames, and %g s, from the first contact on.\n\n", settings.frames, settings.limit);
  fprintf(out,
          "| example | elements | vertices | Δt, s | frames | steps | h_err | μ | contacts | iterations, max / mean | "
          "unsolved "
          "| s/frame |\n"
          "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  bool good = true;
  for (int i = 0; i < ROW_COUNT && good; ++i) {
    if (!is_asked(argc, argv, k, &ROWS[i])) continue;
    if (settings.only && strncmp(ROWS[i].name, settings.only, strlen(settings.only)) != 0) continue;
    if (ROWS[i].armadillo && !settings.armadillo) {
      fprintf(out, "| %s | skipped: the armadillo file is missing | | | | | | | | | |\n", ROWS[i].name);
      continue;
    }
    good = print_row(out, &settings, &ROWS[i]);
  }
  if (directory) good = fclose(out) == 0 && good;
  return good ? 0 : 1;
}
