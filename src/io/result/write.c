// Writing the frames of a result: each becomes visible as a whole, when its counter is written after everything else.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capstan/fibre.h"
#include "capstan/tie.h"
#include "io/result/packed.h"
#include "io/result/writer.h"
#include "io/world_surfaces.h"

// Appends rows to a dataset. `memory`: type of the values.
static bool append_as(CpsResultWriter* writer, int which, hid_t memory, const void* values, int64_t count) {
  const CpsGrowing* growing = &cps_growing[which];
  int rank = growing->inner_rank + 1;
  hsize_t start[CPS_RANK_MOST] = {(hsize_t)writer->rows[which]}, size[CPS_RANK_MOST] = {(hsize_t)count},
          extent[CPS_RANK_MOST];
  bool empty = count == 0;
  for (int i = 1; i < rank; ++i) {
    size[i] = (hsize_t)cps_result_inner(writer, growing->inner[i - 1]);
    empty = empty || size[i] == 0;
  }
  memcpy(extent, size, sizeof extent);
  if (count == 0) return true;
  writer->rows[which] += count;
  if (writer->extent[which] < writer->rows[which]) {
    extent[0] = (hsize_t)writer->rows[which];
    if (H5Dset_extent(writer->dataset[which], extent) < 0) return false;
    writer->extent[which] = writer->rows[which];
  }
  extent[0] = (hsize_t)writer->extent[which];
  if (empty) return true;
  hid_t file_space = H5Screate_simple(rank, extent, NULL), memory_space = H5Screate_simple(rank, size, NULL);
  bool done = file_space >= 0 && memory_space >= 0 &&
              H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
              H5Dwrite(writer->dataset[which], memory, memory_space, file_space, H5P_DEFAULT, values) >= 0;
  if (memory_space >= 0) H5Sclose(memory_space);
  if (file_space >= 0) H5Sclose(file_space);
  return done;
}

bool cps_result_append(CpsResultWriter* writer, int which, const void* values, int64_t count) {
  return append_as(writer, which, cps_number_in_memory(cps_growing[which].number), values, count);
}

static bool flush_series(CpsResultWriter* writer) {
  for (int i = 0; i < CPS_SCALARS_COUNT; ++i) {
    if (!cps_result_writes(writer, CPS_SERIES_FIRST + i)) continue;
    if (!append_as(writer, CPS_SERIES_FIRST + i, H5T_NATIVE_DOUBLE, writer->series[i], writer->series_count)) {
      return false;
    }
  }
  if (!cps_result_flush_forces(writer)) return false;
  writer->series_count = 0;
  return true;
}

CpsStatus cps_result_add_step(CpsResultWriter* writer, const CpsWorld* world, const CpsStepInfo* info,
                              CpsError* error) {
  if (!writer || !world || !info) {
    return cps_io_fail(error, CPS_BAD_ARGUMENT, "cps_result_add_step", NULL, "writer, world or info is NULL");
  }
  if (writer->ordered.dead) return cps_result_fail_write(writer, error);
  if (writer->series_count == writer->series_room) {
    bool done = false;
    H5E_BEGIN_TRY {
      done = flush_series(writer);
    }
    H5E_END_TRY
    if (!done) {
      cps_result_give_up(writer);
      return cps_result_fail_write(writer, error);
    }
  }
  double row[CPS_SERIES_COUNT];
  CpsEnergy energy = cps_world_energy(world);
  cps_step_to_row(info, &energy, row);
  for (int i = 0; i < CPS_SERIES_COUNT; ++i) writer->series[i][writer->series_count] = row[i];
  if (!cps_result_add_grains(writer, world)) {
    return cps_io_fail(error, CPS_NO_MEMORY, writer->path, NULL,
                       "out of memory, or the grains are not those of the scene");
  }
  writer->series_count++;
  if (error) error->text[0] = '\0';
  return CPS_OK;
}

void* cps_result_reserve(CpsResultWriter* writer, size_t size) {
  if (size <= writer->buffer_room) return writer->buffer;
  void* grown = realloc(writer->buffer, size + size / 2);
  if (!grown) return NULL;
  writer->buffer = grown;
  writer->buffer_room = size + size / 2;
  return grown;
}

static void put_pose(double* at, const CpsPose* pose) {
  const double values[7] = {pose->position.x, pose->position.y, pose->position.z, pose->rotation.w,
                            pose->rotation.x, pose->rotation.y, pose->rotation.z};
  memcpy(at, values, sizeof values);
}

static bool write_bodies(CpsResultWriter* writer, const CpsWorld* world) {
  double* poses =
      cps_result_reserve(writer, ((size_t)writer->bodies * 13 + (size_t)writer->obstacles * 7 + 1) * sizeof *poses);
  if (!poses) return false;
  double *velocities = poses + 7 * (size_t)writer->bodies, *obstacle_poses = velocities + 6 * (size_t)writer->bodies;
  for (int32_t i = 0; i < writer->bodies; ++i) {
    CpsBodyState state;
    if (cps_world_body_state(world, cps_world_body(world, i), &state) != CPS_OK) return false;
    put_pose(poses + 7 * (size_t)i, &state.pose);
    const double velocity[6] = {state.velocity.x,         state.velocity.y,         state.velocity.z,
                                state.angular_velocity.x, state.angular_velocity.y, state.angular_velocity.z};
    memcpy(velocities + 6 * (size_t)i, velocity, sizeof velocity);
  }
  for (int32_t i = 0; i < writer->obstacles; ++i) {
    CpsPose pose;
    if (cps_world_obstacle_pose(world, cps_world_obstacle(world, i), &pose) != CPS_OK) return false;
    put_pose(obstacle_poses + 7 * (size_t)i, &pose);
  }
  return cps_result_append(writer, CPS_FRAME_POSE, poses, 1) &&
         cps_result_append(writer, CPS_FRAME_VELOCITY, velocities, 1) &&
         cps_result_append(writer, CPS_FRAME_OBSTACLE_POSE, obstacle_poses, 1);
}

static bool write_state(CpsResultWriter* writer, const CpsWorld* world) {
  size_t size = cps_world_state_size(world), room = cps_packed_room(size);
  char* bytes = cps_result_reserve(writer, size + room);
  if (!bytes || cps_world_save(world, bytes, size, NULL) != CPS_OK) return false;
  size_t packed = cps_packed_write(bytes, size, bytes + size, room);
  if (packed == 0) return false;
  int64_t end = writer->rows[CPS_FRAME_STATE] + (int64_t)packed;
  return cps_result_append(writer, CPS_FRAME_STATE, bytes + size, (int64_t)packed) &&
         cps_result_append(writer, CPS_FRAME_STATE_OFFSET, &end, 1);
}

static bool write_scalars(CpsResultWriter* writer, const CpsWorld* world, const CpsRunTotals* totals) {
  double time = cps_world_time(world), row[CPS_TOTALS_COUNT];
  int64_t step = cps_world_step_count(world), series_rows = writer->rows[CPS_SERIES_FIRST];
  uint64_t hash = cps_world_hash(world);
  cps_totals_to_row(totals, row);
  for (int i = 0; i < CPS_TOTALS_COUNT; ++i) {
    if (!cps_result_writes(writer, CPS_TOTALS_FIRST + i)) continue;
    if (!append_as(writer, CPS_TOTALS_FIRST + i, H5T_NATIVE_DOUBLE, &row[i], 1)) return false;
  }
  return cps_result_append(writer, CPS_FRAME_TIME, &time, 1) && cps_result_append(writer, CPS_FRAME_STEP, &step, 1) &&
         cps_result_append(writer, CPS_FRAME_ROW, &series_rows, 1) &&
         cps_result_append(writer, CPS_FRAME_HASH, &hash, 1);
}

// Masses of bodies, fibres, sheets and solids; constant.
static bool write_masses(CpsResultWriter* writer, const CpsWorld* world) {
  size_t most = (size_t)writer->bodies + (size_t)writer->fibres + (size_t)writer->sheets + (size_t)writer->solids;
  double* mass = cps_result_reserve(writer, (most + 1) * sizeof *mass);
  hsize_t bodies = (hsize_t)writer->bodies, fibres = (hsize_t)writer->fibres, sheets = (hsize_t)writer->sheets,
          solids = (hsize_t)writer->solids;
  if (!mass) return false;
  for (int32_t i = 0; i < writer->bodies; ++i) {
    CpsBodyState state;
    if (cps_world_body_state(world, cps_world_body(world, i), &state) != CPS_OK) return false;
    mass[i] = state.mass;
  }
  if (!cps_result_write_fixed(writer->file, "/bodies/mass", "kg", "mass of each body", CPS_F64, 1, &bodies, mass)) {
    return false;
  }
  for (int32_t i = 0; i < writer->fibres; ++i) {
    CpsFibreInfo info;
    if (cps_world_fibre_info(world, cps_world_fibre(world, i), &info) != CPS_OK) return false;
    mass[i] = info.mass;
  }
  if (!cps_result_write_fixed(writer->file, "/fibres/mass", "kg", "mass of each fibre, with its branches", CPS_F64, 1,
                              &fibres, mass)) {
    return false;
  }
  for (int32_t i = 0; i < writer->sheets + writer->solids; ++i) mass[i] = cps_world_surface(world, i).mass;
  return cps_result_write_fixed(writer->file, "/sheets/mass", "kg", "mass of each sheet", CPS_F64, 1, &sheets, mass) &&
         (solids == 0 || cps_result_write_fixed(writer->file, "/solids/mass", "kg", "mass of each solid", CPS_F64, 1,
                                                &solids, mass + writer->sheets));
}

static bool write_rows(CpsResultWriter* writer, const CpsWorld* world, const CpsRunTotals* totals) {
  const int64_t zero = 0;
  if (writer->rows[CPS_FRAME_STATE_OFFSET] == 0 && (!cps_result_append(writer, CPS_FRAME_STATE_OFFSET, &zero, 1) ||
                                                    !cps_result_append(writer, CPS_FRAME_CONTACT_OFFSET, &zero, 1))) {
    return false;
  }
  return flush_series(writer) && write_bodies(writer, world) && cps_result_write_fibres(writer, world) &&
         cps_result_write_vertices(writer, world) && cps_result_write_stress(writer, world) &&
         cps_result_write_grains(writer, world) && cps_result_write_ties(writer, world) &&
         cps_result_write_contacts(writer, world) && write_state(writer, world) && write_scalars(writer, world, totals);
}

// The first frame of a new result is safe: the file replaces the old one.
static bool move_in(CpsResultWriter* writer) {
  if ((fsync(writer->descriptor) != 0 && errno != EINVAL) || rename(writer->part_path, writer->path) != 0) {
    writer->ordered.reason = errno;
    writer->ordered.dead = true;
    return false;
  }
  free(writer->part_path);
  writer->part_path = NULL;
  return cps_journal_clear(&writer->journal);
}

static bool write_frame(CpsResultWriter* writer, const CpsWorld* world, const CpsRunTotals* totals) {
  // the record of a dropped frame would restore it, so it is removed before the counter
  if (writer->goes_on && (!cps_journal_clear(&writer->journal) || !cps_result_write_number(writer->finished, 0) ||
                          !cps_result_write_number(writer->counter, writer->frame_count))) {
    return false;
  }
  writer->goes_on = false;
  int64_t count = writer->frame_count + 1;
  CpsJournal* journal = writer->part_path ? NULL : &writer->journal;
  if (writer->part_path && !write_masses(writer, world)) return false;
  if (!write_rows(writer, world, totals) || !cps_ordered_commit(&writer->ordered, writer->file, journal, count) ||
      !cps_result_write_number(writer->counter, count)) {
    return false;
  }
  if (writer->part_path && !move_in(writer)) return false;
  writer->frame_count = count;
  writer->series_counted = writer->rows[CPS_SERIES_FIRST];
  return true;
}

CpsStatus cps_result_write(CpsResultWriter* writer, const CpsWorld* world, const CpsStepInfo* info,
                           const CpsRunTotals* totals, CpsError* error) {
  (void)info;
  if (!writer || !world || !totals) {
    return cps_io_fail(error, CPS_BAD_ARGUMENT, "cps_result_write", NULL, "writer, world or totals is NULL");
  }
  if (cps_world_body_count(world) != writer->bodies || cps_world_obstacle_count(world) != writer->obstacles ||
      cps_world_fibre_count(world) != writer->fibres || cps_world_sheet_count(world) != writer->sheets ||
      cps_world_solid_count(world) != writer->solids || cps_world_tie_count(world) != writer->ties) {
    return cps_io_fail(
        error, CPS_BAD_ARGUMENT, writer->path, NULL,
        "the world has %d bodies, %d obstacles, %d fibres, %d sheets, %d solids and %d ties, the scene %d, "
        "%d, %d, %d, %d and %d",
        (int)cps_world_body_count(world), (int)cps_world_obstacle_count(world), (int)cps_world_fibre_count(world),
        (int)cps_world_sheet_count(world), (int)cps_world_solid_count(world), (int)cps_world_tie_count(world),
        (int)writer->bodies, (int)writer->obstacles, (int)writer->fibres, (int)writer->sheets, (int)writer->solids,
        (int)writer->ties);
  }
  if (writer->ordered.dead) return cps_result_fail_write(writer, error);
  bool done = false;
  H5E_BEGIN_TRY {
    done = write_frame(writer, world, totals);
  }
  H5E_END_TRY
  if (!done) {
    cps_result_give_up(writer);
    return cps_result_fail_write(writer, error);
  }
  if (error) error->text[0] = '\0';
  return CPS_OK;
}
