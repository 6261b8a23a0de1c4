// Fibres of any model, size and shape with a few steps among obstacles: refused in words, stepped with a finite state, or a
// step that fails and leaves the world as it was.
#include "bytes.h"
#include "capstan/capstan.h"

#include <stdbool.h>
#include <string.h>

enum { MOST = 6 };

// Positive and near 1, or anything.
static double next_positive(Bytes* bytes) {
  return next_below(bytes, 16) ? (1 + next_below(bytes, 32)) / 16.0 : next_number(bytes) * next_scale(bytes);
}

static CpsVec3 next_vector(Bytes* bytes) {
  double scale = next_below(bytes, 8) ? 1.0 : next_scale(bytes);
  const double x = next_number(bytes), y = next_number(bytes), z = next_number(bytes);
  return (CpsVec3){scale * x, scale * y, scale * z};
}

static CpsFibreEnd next_end(Bytes* bytes) {
  CpsFibreEnd end = {.kind = (CpsEndKind)next_below(bytes, 4)};
  if (next_below(bytes, 2)) end.obstacle = (CpsObstacleId){next_below(bytes, 3), (uint32_t)next_below(bytes, 3)};
  end.motion.kind = (CpsMotionKind)next_below(bytes, 3);
  end.motion.velocity = next_vector(bytes);
  end.motion.amplitude = next_vector(bytes);
  end.motion.rotation_amplitude = next_vector(bytes);
  end.motion.frequency = next_number(bytes);
  return end;
}

// What makes a fibre, and the arrays it points to.
typedef struct Drawn {
  CpsVec3 points[MOST], curvature[MOST], natural[MOST];
  CpsFibreBranch branches[2];
  CpsFibreDef def;
} Drawn;

static void draw(Bytes* bytes, Drawn* d) {
  d->def = cps_fibre_def_default();
  CpsFibreDef* def = &d->def;
  def->model = (CpsRodModel)next_below(bytes, CPS_ROD_MODEL_COUNT + 1);
  def->elements = next_below(bytes, 8);
  def->point_count = next_below(bytes, 4) ? 0 : next_below(bytes, MOST);
  for (int i = 0; i < def->point_count; i++) d->points[i] = next_vector(bytes);
  def->points = d->points;
  def->length = next_positive(bytes);
  def->root_pose.position = next_vector(bytes);
  def->root_pose.rotation = (CpsQuat){next_number(bytes), next_number(bytes), next_number(bytes), next_number(bytes)};
  def->curvature_count = next_below(bytes, 3);
  def->natural_count = next_below(bytes, 3);
  for (int i = 0; i < def->curvature_count; i++) d->curvature[i] = next_vector(bytes);
  for (int i = 0; i < def->natural_count; i++) d->natural[i] = next_vector(bytes);
  def->curvature = d->curvature;
  def->natural = d->natural;
  def->natural_as_placed = next_below(bytes, 4) == 0;
  def->radius = 0.02 * next_positive(bytes);
  if (next_below(bytes, 4) == 0) def->radius_across = 0.02 * next_positive(bytes);
  def->density = 1000.0 * next_positive(bytes);
  def->young = 1e6 * next_positive(bytes);
  def->poisson = next_below(bytes, 4) ? 0.5 : next_number(bytes);
  def->damping = next_below(bytes, 2) ? 1e-3 : 0.1 * next_number(bytes);
  def->drag = next_below(bytes, 4) ? 0.0 : next_positive(bytes);
  def->root = next_end(bytes);
  def->tip = next_end(bytes);
  def->contact_start = next_below(bytes, 4) ? 0.0 : next_positive(bytes);
  def->pieces = next_below(bytes, 4) ? 0 : next_below(bytes, 40) - 2;
  def->self_contact = next_below(bytes, 2);
  def->branch_count = next_below(bytes, 8) ? 0 : next_below(bytes, 3);
  for (int i = 0; i < def->branch_count; i++) {
    d->branches[i] = (CpsFibreBranch){.parent = next_below(bytes, 3) - 1,
                                      .at = next_below(bytes, 4),
                                      .elements = next_below(bytes, 4),
                                      .length = next_positive(bytes),
                                      .radius = 0.01 * next_positive(bytes),
                                      .natural = next_vector(bytes),
                                      .curvature = next_vector(bytes)};
  }
  def->branches = d->branches;
}

static void add_obstacles(CpsWorld* world) {
  CpsObstacleDef floor = cps_obstacle_def_default(), ball = cps_obstacle_def_default();
  floor.shape = cps_plane();
  ball.shape = cps_sphere(0.5);
  ball.motion = (CpsMotion){.kind = CPS_MOTION_SINE, .amplitude = {0.2, 0, 0}, .frequency = 1.0};
  CHECK(cps_world_add_obstacle(world, &floor, NULL, NULL) == CPS_OK);
  CHECK(cps_world_add_obstacle(world, &ball, NULL, NULL) == CPS_OK);
}

static void check_fibre(const CpsWorld* world, CpsFibreId id) {
  CpsFibreInfo info;
  CpsFibrePoint p;
  CHECK(cps_world_fibre_info(world, id, &info) == CPS_OK);
  for (int i = 0; i <= 4; i++) {
    CHECK(cps_world_fibre_at(world, id, 0.25 * i * info.length, &p) == CPS_OK);
    CHECK(isfinite(p.position.x) && isfinite(p.position.y) && isfinite(p.position.z));
  }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes = {data, size};
  CpsWorldDef def = cps_world_def_default();
  def.step = next_below(&bytes, 2) ? 1e-3 : 0.02;
  def.adaptive = next_below(&bytes, 4) == 0;
  def.step_min = 0.25 * def.step;
  def.theta = next_below(&bytes, 4) ? 1.0 : 0.5;
  def.solver.max_iterations = 50;
  CpsWorld* world = NULL;
  CHECK(cps_world_create(&def, &world, NULL) == CPS_OK);
  add_obstacles(world);
  for (int i = 0; i < 2; i++) {
    Drawn drawn = {0};
    draw(&bytes, &drawn);
    CpsError error = {""};
    CpsFibreId id;
    CpsStatus status = cps_world_add_fibre(world, &drawn.def, &id, &error);
    if (status != CPS_OK) {
      CHECK(strlen(error.text) > 10);
      continue;
    }
    CpsPullDef pull = cps_pull_def_default();
    pull.fibre = id;
    pull.s = next_positive(&bytes);
    pull.stiffness = next_below(&bytes, 2) ? 0.0 : next_positive(&bytes);
    pull.force = next_vector(&bytes);
    (void)cps_world_add_pull(world, &pull, NULL, NULL);
  }
  for (int k = 0; k < 4; k++) {
    uint64_t before = cps_world_hash(world);
    CpsError error = {""};
    CpsStatus status = cps_world_step(world, NULL, &error);
    if (status < 0) CHECK(cps_world_hash(world) == before && strlen(error.text) > 10);
    for (int32_t i = 0; i < cps_world_fibre_count(world); i++) check_fibre(world, cps_world_fibre(world, i));
  }
  cps_world_destroy(world);
  return 0;
}
