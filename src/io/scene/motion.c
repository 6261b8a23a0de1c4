// Motions of obstacles, and the tables that motions and loads read.
#include <math.h>
#include <string.h>

#include "io/scene/internal.h"

CpsStatus cps_scene_table(CpsReader* reader, const CpsNode* node, int32_t columns, CpsTable* table) {
  const char* path = cps_scene_path(reader, node);
  if (!path) return cps_scene_no_memory(reader);
  CpsError why;
  CpsStatus status = cps_csv_read(path, &reader->scene->memory, table, &why);
  if (status == CPS_NO_MEMORY) return cps_scene_no_memory(reader);
  if (status != CPS_OK) return cps_node_fail(reader->error, status, node, "%s", why.text);
  if (table->columns >= columns) return cps_scene_spend(reader, node, (int64_t)table->rows * table->columns + 200, 10);
  return cps_node_fail(reader->error, CPS_BAD_FORMAT, node, "the table has %d columns, not %d", (int)table->columns,
                       (int)columns);
}

static CpsStatus take_keys(CpsReader* reader, int32_t count, CpsMotion* motion, double** times, CpsPose** poses) {
  *times = CPS_TAKE(&reader->scene->memory, double, count);
  *poses = CPS_TAKE(&reader->scene->memory, CpsPose, count);
  if (!*times || !*poses) return cps_scene_no_memory(reader);
  motion->kind = CPS_MOTION_KEYFRAMES;
  motion->key_count = count;
  motion->key_times = *times;
  motion->key_poses = *poses;
  return CPS_OK;
}

static CpsStatus read_key_file(CpsReader* reader, const CpsNode* file, CpsMotion* motion) {
  CpsTable table;
  double* times;
  CpsPose* poses;
  CpsStatus status = cps_scene_table(reader, file, 4, &table);
  if (status == CPS_OK) status = take_keys(reader, table.rows, motion, &times, &poses);
  if (status != CPS_OK) return status;
  bool turns = table.columns >= 8;
  for (int32_t i = 0; i < table.rows; ++i) {
    const double* row = table.values + (size_t)i * (size_t)table.columns;
    CpsQuat q = turns ? (CpsQuat){row[4], row[5], row[6], row[7]} : cps_quat_identity();
    if (!(cps_quat_norm(q) > 0.0)) {
      return cps_node_fail(reader->error, CPS_BAD_DATA, file, "the quaternion of row %d is 0", (int)i + 1);
    }
    times[i] = row[0];
    poses[i] = (CpsPose){cps_vec3(row[1], row[2], row[3]), cps_quat_unit(q)};
    if (i > 0 && !(times[i] > times[i - 1])) {
      return cps_node_fail(reader->error, CPS_BAD_DATA, file, "the time of row %d does not increase", (int)i + 1);
    }
  }
  return CPS_OK;
}

static CpsStatus read_keys(CpsReader* reader, const CpsNode* list, CpsMotion* motion) {
  double* times;
  CpsPose* poses;
  if (list->count == 0) return cps_node_fail(reader->error, CPS_BAD_FORMAT, list, "expected at least one keyframe");
  CpsStatus status = take_keys(reader, list->count, motion, &times, &poses);
  int32_t i = 0;
  for (const CpsNode* key = list->first; status == CPS_OK && key; key = key->next, ++i) {
    times[i] = cps_map_number(key, "time", 0.0);
    status = cps_scene_pose(reader, key, &poses[i]);
    if (status == CPS_OK && i > 0 && !(times[i] > times[i - 1])) {
      return cps_node_fail(reader->error, CPS_BAD_DATA, cps_node_find(key, "time"), "does not increase");
    }
  }
  return status;
}

CpsStatus cps_scene_motion(CpsReader* reader, const CpsNode* map, CpsMotion* motion) {
  const CpsNode* node = cps_node_find(map, "motion");
  const CpsNode *sine = cps_node_find(node, "sine"), *keys = cps_node_find(node, "keyframes"),
                *velocity = cps_node_find(node, "velocity"), *spin = cps_node_find(node, "angular_velocity");
  if (!node) return CPS_OK;
  if ((sine != NULL) + (keys != NULL) + (velocity || spin) > 1) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, node, "choose one: velocities, sine or keyframes");
  }
  if (sine) {
    motion->kind = CPS_MOTION_SINE;
    motion->amplitude = cps_map_vec3(sine, "amplitude", motion->amplitude);
    motion->rotation_amplitude = cps_map_vec3(sine, "rotation", motion->rotation_amplitude);
    motion->frequency = cps_map_number(sine, "frequency", 0.0);
    motion->phase = cps_map_number(sine, "phase", 0.0);
  } else if (keys) {
    const CpsNode* file = cps_node_find(keys, "file");
    return file ? read_key_file(reader, file, motion) : read_keys(reader, keys, motion);
  } else if (velocity || spin) {
    motion->kind = CPS_MOTION_VELOCITY;
    motion->velocity = cps_map_vec3(node, "velocity", motion->velocity);
    motion->angular_velocity = cps_map_vec3(node, "angular_velocity", motion->angular_velocity);
  }
  return CPS_OK;
}
