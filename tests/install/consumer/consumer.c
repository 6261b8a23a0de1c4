// A user's program in C: builds a problem, writes it to a file, reads it back and solves it. Problem 6 of the analytic
// ones: diag(1, 1, 4), b = (-1, .9, 2.4), mu = .5 has the solution r = (1, -.3, -.4). Then reads a scene and makes a step.
#include <capstan/capstan.h>
#include <capstan/fclib.h>
#include <capstan/scene.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static int fail(const char* what, const CpsError* error) {
  fprintf(stderr, "%s: %s\n", what, error->text);
  return 1;
}

static int run_scene(void) {
  static const char text[] = "bodies: {ball: {sphere: {radius: 10 cm}, position: [0, 0, 1]}}\n";
  CpsScene* scene = NULL;
  CpsWorld* world = NULL;
  CpsError error;
  if (cps_scene_parse(text, strlen(text), "text", NULL, 0, &scene, &error)) return fail("scene", &error);
  if (cps_scene_build(scene, 0, &world, &error)) return fail("world", &error);
  if (cps_world_step(world, NULL, &error)) return fail("step", &error);
  cps_world_destroy(world);
  cps_scene_destroy(scene);
  return 0;
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 4}, b[3] = {-1, 0.9, 2.4}, mu = 0.5;
  const int32_t zero = 0;
  CpsContactsDef contacts = cps_contacts_def_default();
  contacts.count = 1;
  contacts.mu = &mu;
  contacts.b = b;
  CpsProblem *problem = NULL, *read = NULL;
  CpsError error;
  if (cps_problem_from_blocks(&contacts, 1, &zero, &zero, W, &problem, &error)) return fail("build", &error);
  if (cps_fclib_write(argv[1], problem, NULL, NULL, "consumer", &error)) return fail("write", &error);
  cps_problem_destroy(problem);
  if (cps_fclib_read(argv[1], CPS_FORM_W, &read, NULL, &error)) return fail("read", &error);
  double r[3] = {0};
  CpsSolveOptions options = cps_solve_options_default();
  if (cps_problem_solve(read, &options, r, NULL, &error)) return fail("solve", &error);
  cps_problem_destroy(read);
  // the residual's tolerance is 1e-8 and the block is well conditioned
  if (!(fabs(r[0] - 1) + fabs(r[1] + 0.3) + fabs(r[2] + 0.4) < 1e-6)) {
    fprintf(stderr, "r = %g %g %g\n", r[0], r[1], r[2]);
    return 1;
  }
  return run_scene();
}
