// labels: release
// Scenes of sand: sand-rest bears its weight layer by layer, sand-slope rests or flows as friction says, sand-column spreads; results
// hold the particles; what scenes cannot say is refused at its place.
#include "capstan/array.h"
#include "capstan/export.h"
#include "capstan/frame.h"
#include "capstan/grains.h"
#include "capstan/result.h"
#include "folders.h"
#include "scene_world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void go_until(CpsWorld* world, double time) {
  Run run = {0};
  while (cps_world_time(world) < time - 1e-9) run_step(world, &run);
  assert_int_equal(run.unsolved, 0);
  assert_below(run.books_error, 1e-9);
}

static void test_rest(void** unused) {
  (void)unused;
  CpsWorld* world = open_scene("sand-rest.yaml", NULL);
  go_until(world, 0.02);
  CpsVec3 floor;
  assert_int_equal(cps_world_grains_force(world, cps_world_obstacle(world, 0), &floor), CPS_OK);
  const CpsGrainsInfo info = cps_world_grains_info(world);
  assert_near(info.mass, 2600.0 * 0.6 * 0.5, 1e-9);
  assert_near(floor.z / (info.mass * 9.81), -1.0, 1e-7);
  assert_below(info.fastest, 1e-8);
  cps_world_destroy(world);
}

static void test_slope(void** unused) {
  (void)unused;
  for (int steep = 0; steep < 2; ++steep) {
    Overrides o = {0};
    override(&o, "parameters.slope=%s",
             steep ? "31 deg" : "26 deg");  // atan(0.5) = 26.57 deg, the static limit is 30 deg
    CpsWorld* world = open_scene("sand-slope.yaml", &o);
    go_until(world, 0.03);
    const double angle = 31.0 * acos(-1.0) / 180.0, speed = 9.81 * (sin(angle) - 0.5 * cos(angle)) * 0.03;
    const double fastest = cps_world_grains_info(world).fastest;
    if (steep) assert_near(fastest / speed, 1.0, 0.01);
    if (!steep) assert_below(fastest, 1e-8);
    cps_world_destroy(world);
  }
}

static void read_series(const CpsResult* result, const char* name, double values[3]) {
  CpsError error = {{0}};
  if (cps_result_series(result, name, values, &error) != CPS_OK) fail_msg("%s", error.text);
}

// Forces on obstacles by name, and what the grains do as a whole, in every step.
static void check_series(const CpsResult* result, const CpsWorld* world, const CpsVec3 floor[3]) {
  double values[3], x[3], y[3];
  read_series(result, "force_x:floor", x);
  read_series(result, "force_z:floor", y);
  read_series(result, "force:floor", values);
  for (int i = 0; i < 3; ++i) {
    assert_true(floor[i].z < -1.0);
    assert_near(x[i], floor[i].x, 1e-12 * fabs(floor[i].z));
    assert_near(y[i], floor[i].z, 1e-12 * fabs(floor[i].z));
    assert_near(values[i], sqrt(floor[i].x * floor[i].x + floor[i].z * floor[i].z), 1e-12 * fabs(floor[i].z));
  }
  read_series(result, "force_x:left", x);
  assert_true(x[2] < 0.0);
  const CpsGrainsInfo info = cps_world_grains_info(world);
  read_series(result, "runout", x);
  read_series(result, "runout_99", y);
  assert_near(x[2], fmax(0.0, info.upper.x - 0.1), 1e-15);
  assert_true(y[2] <= x[2] && y[2] >= 0.0);
  read_series(result, "grain_speed", x);
  assert_true(x[2] == info.fastest);
  read_series(result, "fraction", x);
  read_series(result, "fraction_max", y);
  assert_true(x[2] > 0.59 && x[2] <= y[2] && y[2] <= 0.6 + 1e-12);
  read_series(result, "outflow", x);
  assert_true(x[2] == 0.0);  // nothing falls through the floor
  CpsError error = {{0}};
  assert_int_equal(cps_result_series(result, "force:nobody", x, &error), CPS_BAD_ARGUMENT);
  assert_non_null(strstr(error.text, "nobody"));
  assert_int_equal(cps_result_series(result, "force_w:floor", x, &error), CPS_BAD_ARGUMENT);
}

// ParaView gets them as points: the floats behind the text of the file are those of the frame.
static void check_points(CpsResult* result, const CpsVec3* x, int64_t count) {
  char folder[] = "/tmp/capstan_grains_XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/a.pvd", folder);
  CpsExportOptions options = cps_export_options_default();
  options.format = CPS_EXPORT_PVD;
  CpsExportInfo info;
  CpsError error = {{0}};
  if (cps_export(result, path, &options, &info, &error) != CPS_OK) fail_msg("%s", error.text);
  snprintf(path, sizeof path, "%s/a-vtp/grains-0000.vtp", folder);
  static char text[1 << 16];
  FILE* file = fopen(path, "rb");
  assert_non_null(file);
  const size_t size = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  const char *points = strstr(text, "Name=\"points\""), *data = strstr(text, "<AppendedData");
  assert_true(points && data && strstr(text, "Name=\"velocity\"") && strstr(text, "Name=\"pressure\""));
  assert_non_null(strstr(text, "NumberOfPoints=\"600\" NumberOfVerts=\"600\""));
  const long offset = strtol(strstr(points, "offset=\"") + 8, NULL, 10);
  data = strchr(data, '_') + 1 + offset;
  uint64_t bytes;
  memcpy(&bytes, data, sizeof bytes);
  assert_int_equal(bytes, 3 * sizeof(float) * (size_t)count);
  assert_true(data + sizeof bytes + bytes <= text + size);
  for (int64_t i = 0; i < count; ++i) {
    float at[3];
    memcpy(at, data + sizeof bytes + (size_t)i * sizeof at, sizeof at);
    assert_true((double)at[0] == x[i].x && (double)at[2] == x[i].z);
  }
  snprintf(path, sizeof path, "%s/a-vtp", folder);
  remove_folder(path);
  remove_folder(folder);
}

// The particles of a frame are those of the world, in single precision.
static void test_result(void** unused) {
  (void)unused;
  char path[] = "/tmp/capstan_sand_XXXXXX";
  const int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  unlink(path);
  char name[512];
  snprintf(name, sizeof name, "%s/scenes/sand-column.yaml", SOURCE_DIR);
  CpsError error = {{0}};
  CpsScene* scene;
  CpsWorld* world;
  CpsResultWriter* writer;
  CpsResult* result;
  assert_int_equal(cps_scene_load(name, NULL, 0, &scene, &error), CPS_OK);
  assert_int_equal(cps_scene_info(scene).particles, 20 * 30);
  assert_int_equal(cps_scene_build(scene, 0, &world, &error), CPS_OK);
  assert_int_equal(cps_result_create(path, scene, &writer, &error), CPS_OK);
  CpsStepInfo info = {0};
  CpsRunTotals totals = {0};
  CpsVec3 floor[3];
  for (int i = 0; i < 3; ++i) {
    assert_int_equal(cps_world_step(world, &info, &error), CPS_OK);
    assert_int_equal(cps_result_add_step(writer, world, &info, &error), CPS_OK);
    assert_int_equal(cps_world_grains_force(world, cps_world_obstacle(world, 0), &floor[i]), CPS_OK);
  }
  if (cps_result_write(writer, world, &info, &totals, &error) != CPS_OK) fail_msg("%s", error.text);
  assert_int_equal(cps_result_finish(writer, &error), CPS_OK);
  if (cps_result_open(path, &result, &error) != CPS_OK) fail_msg("%s", error.text);
  const int64_t count = cps_result_info(result).particles;
  assert_int_equal(count, 20 * 30);
  CpsVec3 *x = malloc((size_t)count * sizeof *x), *y = malloc((size_t)count * sizeof *y);
  double *p = malloc((size_t)count * sizeof *p), *q = malloc((size_t)count * sizeof *q), most = 0.0;
  assert_int_equal(cps_result_frame_particles(result, 0, x, p, &error), CPS_OK);
  assert_int_equal(cps_world_array(world, cps_thing_grains(world), CPS_QUANTITY_POSITION, &y->x, sizeof *y), CPS_OK);
  assert_int_equal(cps_world_array(world, cps_thing_grains(world), CPS_QUANTITY_PRESSURE, q, sizeof *q), CPS_OK);
  for (int64_t i = 0; i < count; ++i) most = fmax(most, q[i]);
  assert_true(most > 100.0);
  for (int64_t i = 0; i < count; ++i) {
    assert_near(x[i].x, y[i].x, 1e-7);
    assert_near(x[i].z, y[i].z, 1e-7);
    assert_near(p[i], q[i], 1e-6 * most);
  }
  assert_true(cps_result_frame_particles(result, 7, x, NULL, &error) < 0);
  check_series(result, world, floor);
  check_points(result, x, count);
  // the contacts of the nodes with the walls are among those of the frame
  CpsShow* show;
  assert_int_equal(cps_show_result(result, &show, &error), CPS_OK);
  if (cps_show_read(show, 0, &error) != CPS_OK) fail_msg("%s", error.text);
  assert_int_equal(cps_show_frame(show)->contact_count, cps_world_contact_count(world));
  assert_true(cps_show_frame(show)->contact_count > 0);
  assert_int_equal(cps_show_frame(show)->contacts[0].side[0].thing.kind, CPS_THING_GRAINS);
  cps_show_destroy(show);
  free(x), free(y), free(p), free(q);
  cps_result_destroy(result);
  cps_world_destroy(world);
  cps_scene_destroy(scene);
  unlink(path);
}

// A column that was let go spreads about as far as Lube et al. 2005 measured, 1.2 widths for each width of height (sheets of a
// grain's size at the front are counted by them and not by cells of a fifth of the width: between 0.7 and 1.3), and comes to
// rest: the remainder of the motion fades, and none of the heap creeps.
static void test_heap(void** unused) {
  (void)unused;
  Overrides o = {0};
  override(&o, "parameters.aspect=%s", "1");
  override(&o, "parameters.cell=%s", "2 cm");
  override(&o, "solver.tolerance=%s", "1e-5");
  CpsWorld* world = open_scene("sand-column.yaml", &o);
  go_until(world, 0.55);
  const CpsGrainsInfo then = cps_world_grains_info(world);
  assert_below(then.fastest, 1e-3);
  assert_near(then.upper.x / 0.1 - 1.0, 1.0, 0.3);
  go_until(world, 0.57);
  const CpsGrainsInfo now = cps_world_grains_info(world);
  assert_below(now.upper.x - then.upper.x, 1e-5);
  assert_below(now.fastest, then.fastest);
  cps_world_destroy(world);
}

// A ball is slowed down by the sand it falls into, which throws it to no side: the crater is as symmetric as the bed.
static void test_crater(void** unused) {
  (void)unused;
  Overrides o = {0};
  override(&o, "parameters.width=%s", "24 cm");
  override(&o, "parameters.depth=%s", "8 cm");
  override(&o, "parameters.cell=%s", "4 cm");
  override(&o, "parameters.radius=%s", "5 cm");
  CpsWorld* world = open_scene("crater.yaml", &o);
  go_until(world, 0.02);
  const CpsThing ball = cps_thing_body(cps_world_body(world, 0)), sand = cps_thing_grains(world);
  CpsVec3 force, v;
  assert_int_equal(cps_world_grains_force_on(world, ball, &force), CPS_OK);
  assert_int_equal(cps_world_array(world, ball, CPS_QUANTITY_VELOCITY, &v.x, sizeof v), CPS_OK);
  assert_true(force.z > 0.0 && v.z > -1.8 && v.z < 0.0);  // it fell with 2 m/s
  assert_near(hypot(force.x, force.y) / force.z, 0.0, 1e-9);
  const int64_t count = cps_world_array_count(world, sand, CPS_QUANTITY_POSITION);
  CpsVec3* x = malloc((size_t)count * sizeof *x);
  assert_int_equal(cps_world_array(world, sand, CPS_QUANTITY_POSITION, &x->x, sizeof *x), CPS_OK);
  double mean[2] = {0.0, 0.0}, most = 0.0;
  for (int64_t i = 0; i < count; ++i) {
    mean[0] += x[i].x / (double)count, mean[1] += x[i].y / (double)count;
    most = fmax(most, x[i].z);
  }
  assert_near(mean[0], 0.0, 1e-9);
  assert_near(mean[1], 0.0, 1e-9);
  assert_true(most > 0.07);  // nothing is lost
  free(x);
  cps_world_destroy(world);
}

// Sand runs out through the slot and through nothing else: plates of 1 mm hold it on cells of 2 cm.
static void test_silo(void** unused) {
  (void)unused;
  Overrides o = {0};
  override(&o, "parameters.fill=%s", "16 cm");
  CpsWorld* world = open_scene("silo.yaml", &o);
  go_until(world, 0.16);
  const CpsThing sand = cps_thing_grains(world);
  const int64_t count = cps_world_array_count(world, sand, CPS_QUANTITY_POSITION);
  CpsVec3* x = malloc((size_t)count * sizeof *x);
  assert_int_equal(cps_world_array(world, sand, CPS_QUANTITY_POSITION, &x->x, sizeof *x), CPS_OK);
  int64_t out = 0;
  for (int64_t i = 0; i < count; ++i) {
    assert_true(fabs(x[i].x) < 0.12);
    if (x[i].z > -0.001) continue;
    assert_true(fabs(x[i].x) < 0.05);  // the slot and half a cell
    ++out;
  }
  assert_true(out > count / 40 && out < count / 2);
  free(x);
  cps_world_destroy(world);
}

static void test_mistakes(void** unused) {
  (void)unused;
  static const char* const BAD[][2] = {
      {"grid: {period: 1}\ngrains: {a: {box: {to: [1, 1, 1]}}}", "period"},
      {"grains: {a: {box: {to: [1, 0, 1]}}}", "plane: xz"},
      {"grid: {plane: xz}\ngrains: {a: {box: {to: [1, 0, 0]}}}", "empty"},
      {"grid: {plane: xy}", "plane"},
      {"grains: {a: {box: {to: [1, 1, 1]}, fraction: 0.8}}", "fraction_max"},
      {"grains: {a: {box: {to: [1, 1, 1]}, mu: 0.5, slope: 20 deg}}", "mu"},
      {"grains: {a: {mu: 0.5}}", "box"},
      {"grains: {a: {box: {to: [1, 1, 1]}, cylinder: {centre: [9, 9, 0], radius: 0.1}}}", "contains no particle"},
      {"grains: {a: {box: {to: [1, 1, 1]}, cylinder: {radius: -1}}}", "radius"},
      {"grid: {cell: 0}", "cell"},
  };
  for (size_t i = 0; i < sizeof BAD / sizeof *BAD; ++i) {
    CpsScene* scene = NULL;
    CpsError error = {{0}};
    assert_true(cps_scene_parse(BAD[i][0], strlen(BAD[i][0]), "bad.yaml", NULL, 0, &scene, &error) < 0);
    if (!strstr(error.text, BAD[i][1])) fail_msg("%s", error.text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rest),     cmocka_unit_test(test_slope), cmocka_unit_test(test_heap),
      cmocka_unit_test(test_crater),   cmocka_unit_test(test_silo),  cmocka_unit_test(test_result),
      cmocka_unit_test(test_mistakes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
