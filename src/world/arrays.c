// Quantities of all things of a kind, or of one, as plain arrays.
#include "capstan/array.h"
#include "world/world.h"

int32_t cps_quantity_width(CpsQuantity quantity) {
  static const int32_t WIDTH[] = {
      [CPS_QUANTITY_POSITION] = 3,         [CPS_QUANTITY_ORIENTATION] = 4, [CPS_QUANTITY_VELOCITY] = 3,
      [CPS_QUANTITY_ANGULAR_VELOCITY] = 3, [CPS_QUANTITY_FRACTION] = 1,    [CPS_QUANTITY_PRESSURE] = 1,
      [CPS_QUANTITY_STATUS] = 1,           [CPS_QUANTITY_STRESS] = 6,      [CPS_QUANTITY_CENTRE] = 3};
  return (unsigned)quantity < sizeof WIDTH / sizeof *WIDTH ? WIDTH[quantity] : 0;
}

// Whether the thing selects a member or an obstacle.
static bool is_meant(CpsThing thing, int32_t place, uint32_t generation) {
  return thing.generation == 0 || (thing.index == place && thing.generation == generation);
}

static void read_obstacle(const CpsWorld* world, const CpsObstacle* o, CpsQuantity quantity, double* at) {
  CpsPose pose = cps_motion_pose(&o->motion, &o->start, world->time);
  const CpsQuat q = pose.rotation;
  const double numbers[2][4] = {{pose.position.x, pose.position.y, pose.position.z, 0.0}, {q.w, q.x, q.y, q.z}};
  const bool turn = quantity == CPS_QUANTITY_ORIENTATION;
  for (int k = 0; k < (turn ? 4 : 3); ++k) at[k] = numbers[turn][k];
}

// Counts the entries of the selected objects, and writes them if `to` is given.
static int64_t read_obstacles(const CpsWorld* world, CpsThing thing, CpsQuantity quantity, char* to, size_t stride) {
  int64_t count = 0;
  if (quantity != CPS_QUANTITY_POSITION && quantity != CPS_QUANTITY_ORIENTATION) return 0;
  for (int32_t i = 0; i < world->obstacle_count; ++i) {
    const CpsObstacle* o = &world->obstacles[i];
    if (!o->there || !is_meant(thing, i, o->generation)) continue;
    if (to) read_obstacle(world, o, quantity, (double*)(void*)(to + (size_t)count * stride));
    count++;
  }
  return count;
}

static int64_t read_members(const CpsWorld* world, CpsThing thing, CpsQuantity quantity, char* to, size_t stride) {
  int64_t count = 0;
  for (int i = 0; i < world->population_count; ++i) {
    const CpsModel* model = world->population[i];
    const CpsModelType* type = model->type;
    if (type->kind != thing.kind || !type->read) continue;
    for (int32_t k = 0; k < model->count; ++k) {
      if (!type->is_there(model, k) || !is_meant(thing, k, type->generation(model, k))) continue;
      count += type->read(model, k, quantity, to ? (double*)(void*)(to + (size_t)count * stride) : NULL, stride);
    }
  }
  return count;
}

static int64_t read_things(const CpsWorld* world, CpsThing thing, CpsQuantity quantity, double* values, size_t stride) {
  if (thing.kind == CPS_THING_OBSTACLE) return read_obstacles(world, thing, quantity, (char*)values, stride);
  return read_members(world, thing, quantity, (char*)values, stride);
}

int64_t cps_world_array_count(const CpsWorld* world, CpsThing thing, CpsQuantity quantity) {
  return world && cps_quantity_width(quantity) > 0 ? read_things(world, thing, quantity, NULL, 0) : 0;
}

CpsStatus cps_world_array(const CpsWorld* world, CpsThing thing, CpsQuantity quantity, double* values, size_t stride) {
  const size_t size = (size_t)cps_quantity_width(quantity) * sizeof(double);
  const int64_t count = cps_world_array_count(world, thing, quantity);
  if (!world || size == 0 || stride < size || stride % sizeof(double) != 0) return CPS_BAD_ARGUMENT;
  if ((count == 0 && thing.generation != 0) || (count > 0 && !values)) return CPS_BAD_ARGUMENT;
  if (count > 0) (void)read_things(world, thing, quantity, values, stride);
  return CPS_OK;
}
