// A user's program in C++, without the file formats.
#include <capstan/capstan.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

// A ball that flies for half a second, and its state as arrays of an engine's own struct.
static bool arrays_are_read() {
  struct Actor {
    double position[3], velocity[3];
    int id;
  };
  CpsWorldDef def = cps_world_def_default();
  def.gravity = CpsVec3{0, 0, -10};
  def.step = 0.01;
  CpsWorld* world = nullptr;
  if (cps_world_create(&def, &world, nullptr) != CPS_OK) return false;
  CpsBodyDef ball = cps_body_def_default();
  ball.shape = cps_sphere(0.1);
  ball.velocity = CpsVec3{1, 0, 0};
  for (int i = 0; i < 3; i++) {
    ball.position = CpsVec3{0, double(i), 0};
    if (cps_world_add_body(world, &ball, nullptr, nullptr) != CPS_OK) return false;
  }
  for (int i = 0; i < 50; i++) cps_world_step(world, nullptr, nullptr);
  const CpsThing bodies = {CPS_THING_BODY, 0, 0};
  std::vector<Actor> actors(static_cast<size_t>(cps_world_array_count(world, bodies, CPS_QUANTITY_POSITION)));
  if (actors.size() != 3) return false;
  cps_world_array(world, bodies, CPS_QUANTITY_POSITION, actors[0].position, sizeof(Actor));
  cps_world_array(world, bodies, CPS_QUANTITY_VELOCITY, actors[0].velocity, sizeof(Actor));
  cps_world_destroy(world);
  bool good = true;
  for (int i = 0; i < 3; i++) {
    const Actor& a = actors[static_cast<size_t>(i)];
    good = good && std::fabs(a.position[0] - 0.5) < 1e-12 && std::fabs(a.position[1] - i) < 1e-12;
    good = good && std::fabs(a.velocity[2] + 5) < 1e-12;
  }
  return good;
}

int main() {
  if (!arrays_are_read()) {
    std::fprintf(stderr, "the arrays of a world are wrong\n");
    return 1;
  }
  // two copies of one contact share the impulse (1, -.3, -.4) of the sliding problem diag(1, 2, 2), (-1, 3, 4), .5
  const double block[9] = {1, 0, 0, 0, 2, 0, 0, 0, 2};
  std::vector<double> W, b, mu(2, 0.5);
  for (int k = 0; k < 4; k++) W.insert(W.end(), block, block + 9);
  for (int k = 0; k < 2; k++)
    for (double x : {-1., 3., 4.}) b.push_back(x);
  const int32_t rows[4] = {0, 0, 1, 1}, cols[4] = {0, 1, 0, 1};

  CpsContactsDef contacts = cps_contacts_def_default();
  contacts.count = 2;
  contacts.mu = mu.data();
  contacts.b = b.data();
  CpsProblem* problem = nullptr;
  CpsError error;
  if (cps_problem_from_blocks(&contacts, 4, rows, cols, W.data(), &problem, &error) != CPS_OK) {
    std::fprintf(stderr, "%s\n", error.text);
    return 1;
  }
  std::vector<double> r(6, 0.0);
  const CpsSolveOptions options = cps_solve_options_default();
  CpsSolveInfo info;
  const CpsStatus status = cps_problem_solve(problem, &options, r.data(), &info, &error);
  cps_problem_destroy(problem);
  // the residual's tolerance is 1e-8 and the sum of the two impulses is well conditioned
  const double off = std::fabs(r[0] + r[3] - 1) + std::fabs(r[1] + r[4] + 0.3) + std::fabs(r[2] + r[5] + 0.4);
  if (status != CPS_OK || !(off < 1e-6) || std::strlen(cps_version()) == 0) {
    std::fprintf(stderr, "%s, off by %g\n", cps_status_string(status), off);
    return 1;
  }
  return 0;
}
