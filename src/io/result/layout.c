// Contents of a result before its first frame: attributes, scene, shapes, and empty datasets that grow.
//
// Chunks hold whole rows along the first dimension and are neither compressed nor cached: a row is written where it
// stays, so that a later write never touches the rows before it.
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "io/result/writer.h"

#define SMALLEST_CHUNK 8192    // bytes
#define LARGEST_CHUNK 1048576  // bytes, unless one row has more
#define CONTACTS_PER_BODY 4    // or per fibre; these two only affect chunk sizes
#define STATE_PER_BODY 256.0   // bytes

static bool attribute(hid_t object, const char* name, hid_t type, hid_t memory, int64_t count, const void* value) {
  hsize_t extent = (hsize_t)count;
  hid_t space = count > 1 ? H5Screate_simple(1, &extent, NULL) : H5Screate(H5S_SCALAR);
  hid_t id = space < 0 ? -1 : H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  bool done = id >= 0 && H5Awrite(id, memory, value) >= 0;
  if (id >= 0) H5Aclose(id);
  if (space >= 0) H5Sclose(space);
  return done;
}

bool cps_result_attribute_text(hid_t object, const char* name, const char* text) {
  hid_t type = H5Tcopy(H5T_C_S1);
  bool done = type >= 0 && H5Tset_size(type, strlen(text) + 1) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0 &&
              attribute(object, name, type, type, 1, text);
  if (type >= 0) H5Tclose(type);
  return done;
}

static bool attribute_number(hid_t object, const char* name, double value) {
  return attribute(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, &value);
}

static bool attribute_integer(hid_t object, const char* name, int64_t value) {
  return attribute(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, 1, &value);
}

static bool describe(hid_t dataset, const char* units, const char* about) {
  return cps_result_attribute_text(dataset, "units", units) && cps_result_attribute_text(dataset, "about", about);
}

// A property list for creating datasets. HDF5 stores no times, so that equal runs give equal files.
static hid_t creation(void) {
  hid_t list = H5Pcreate(H5P_DATASET_CREATE);
  if (list >= 0) H5Pset_obj_track_times(list, false);
  return list;
}

static bool write_fixed(hid_t file, const char* name, const char* units, const char* about, hid_t type, hid_t memory,
                        hid_t space, bool empty, const void* values) {
  hid_t list = creation();
  hid_t dataset = list < 0 || space < 0 ? -1 : H5Dcreate2(file, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
  bool done = dataset >= 0 && describe(dataset, units, about) &&
              (empty || H5Dwrite(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  if (dataset >= 0) H5Dclose(dataset);
  if (list >= 0) H5Pclose(list);
  return done;
}

bool cps_result_write_fixed(hid_t file, const char* name, const char* units, const char* about, CpsNumber number,
                            int rank, const hsize_t* extents, const void* values) {
  bool empty = false;
  for (int i = 0; i < rank; ++i) empty = empty || extents[i] == 0;
  hid_t space = rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, extents, NULL);
  bool done = write_fixed(file, name, units, about, cps_number_in_file(number), cps_number_in_memory(number), space,
                          empty, values);
  if (space >= 0) H5Sclose(space);
  return done;
}

bool cps_result_write_texts(hid_t file, const char* name, const char* about, const char* texts, size_t length,
                            int64_t count) {
  hsize_t extent = (hsize_t)count;
  hid_t type = H5Tcopy(H5T_C_S1), space = count < 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &extent, NULL);
  bool done = type >= 0 && space >= 0 && H5Tset_size(type, length) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0 &&
              write_fixed(file, name, "text", about, type, type, space, count == 0, texts);
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  return done;
}

// An identifier of a run; it need not be unpredictable.
static uint64_t new_run_id(const void* salt) {
  struct timespec now = {0};
  timespec_get(&now, TIME_UTC);
  uint64_t id = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
  return (id ^ (uint64_t)getpid() << 40 ^ (uint64_t)(uintptr_t)salt) | 1u;
}

static bool write_settings(hid_t root, const CpsScene* scene) {
  CpsWorldDef def = cps_scene_world_def(scene);
  CpsSceneInfo info = cps_scene_info(scene);
  const CpsMethodInfo* method = cps_method_info(def.solver.method);
  const CpsLocalInfo* local = cps_local_info(def.solver.local);
  const double gravity[3] = {def.gravity.x, def.gravity.y, def.gravity.z};
  return cps_result_attribute_text(root, "title", info.title) && cps_result_attribute_text(root, "units", "SI") &&
         cps_result_attribute_text(root, "method", method ? method->name : "") &&
         cps_result_attribute_text(root, "local", local ? local->name : "") &&
         attribute_number(root, "tolerance", def.solver.tolerance) &&
         attribute_integer(root, "max_iterations", def.solver.max_iterations) &&
         attribute_integer(root, "facets", def.solver.facets) && attribute_number(root, "step", def.step) &&
         attribute_number(root, "theta", def.theta) && attribute_integer(root, "adaptive", def.adaptive) &&
         attribute_integer(root, "projection", def.projection) && attribute_integer(root, "polish", def.polish) &&
         attribute_number(root, "mu", def.mu) && attribute_number(root, "restitution", def.restitution) &&
         attribute(root, "gravity", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 3, gravity) &&
         attribute_number(root, "end", info.end) && attribute_number(root, "frame_interval", info.frame_interval) &&
         attribute_integer(root, "contacts", info.output_contacts);
}

static bool write_camera(hid_t root, const CpsScene* scene) {
  CpsSceneInfo info = cps_scene_info(scene);
  CpsCamera c = info.camera;
  const double camera[10] = {c.eye.x,    c.eye.y, c.eye.z, c.target.x, c.target.y,
                             c.target.z, c.up.x,  c.up.y,  c.up.z,     c.fov};
  return attribute(root, "camera", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 10, camera) &&
         attribute_integer(root, "camera_placed", info.camera_placed);
}

static bool write_header(CpsResultWriter* writer, const CpsScene* scene) {
  hid_t root = H5Gopen2(writer->file, "/", H5P_DEFAULT);
  if (root < 0) return false;
  writer->run = writer->journal.run = new_run_id(writer);
  bool done = cps_result_attribute_text(root, "format", CPS_RESULT_FORMAT) &&
              attribute_integer(root, "format_version", CPS_RESULT_FORMAT_VERSION) &&
              cps_result_attribute_text(root, "library_version", cps_version()) &&
              attribute(root, "run", H5T_STD_U64LE, H5T_NATIVE_UINT64, 1, &writer->journal.run) &&
              write_settings(root, scene) && write_camera(root, scene);
  H5Gclose(root);
  return done;
}

int64_t cps_result_inner(const CpsResultWriter* writer, int inner) {
  return inner == CPS_PER_BODY           ? writer->bodies
         : inner == CPS_PER_OBSTACLE     ? writer->obstacles
         : inner == CPS_PER_FIBRE_POINT  ? writer->lines.point_count
         : inner == CPS_PER_SHEET_VERTEX ? writer->sheet_vertices
         : inner == CPS_PER_SOLID_VERTEX ? writer->solid_vertices
         : inner == CPS_PER_TETRAHEDRON  ? writer->tetrahedra
         : inner == CPS_PER_PARTICLE     ? writer->particles
         : inner == CPS_PER_TIE          ? writer->ties
                                         : inner;
}

// Rows per chunk: about those of one frame, within bounds.
static hsize_t chunk_rows(const CpsResultWriter* writer, int which) {
  const CpsGrowing* growing = &cps_growing[which];
  double row = (double)cps_number_size(growing->number), wanted = SMALLEST_CHUNK;
  for (int i = 0; i < growing->inner_rank; ++i) row *= (double)cps_result_inner(writer, growing->inner[i]);
  if (row < 1.0) row = 1.0;
  const double vertices = (double)(writer->sheet_vertices + writer->solid_vertices);
  if (which == CPS_FRAME_STATE) {
    wanted = STATE_PER_BODY * ((double)writer->bodies + 0.1 * (double)writer->lines.point_count + 0.5 * vertices);
  }
  if (which >= CPS_CONTACT_FIRST && which < CPS_TOTALS_FIRST) {
    wanted = CONTACTS_PER_BODY * row * ((double)writer->bodies + writer->fibres + vertices);
  }
  if (wanted < SMALLEST_CHUNK) wanted = SMALLEST_CHUNK;
  if (wanted > LARGEST_CHUNK) wanted = LARGEST_CHUNK;
  return wanted > row ? (hsize_t)(wanted / row) : 1;
}

static bool make_growing(CpsResultWriter* writer, int which) {
  const CpsGrowing* growing = &cps_growing[which];
  int rank = growing->inner_rank + 1;
  hsize_t extent[CPS_RANK_MOST] = {0},
          largest[CPS_RANK_MOST] = {H5S_UNLIMITED, H5S_UNLIMITED, H5S_UNLIMITED, H5S_UNLIMITED};
  hsize_t chunk[CPS_RANK_MOST] = {chunk_rows(writer, which)};
  for (int i = 1; i < rank; ++i) {
    extent[i] = (hsize_t)cps_result_inner(writer, growing->inner[i - 1]);
    chunk[i] = extent[i] > 0 ? extent[i] : 1;
  }
  hid_t space = H5Screate_simple(rank, extent, largest), create = creation(), access = H5Pcreate(H5P_DATASET_ACCESS);
  bool done = space >= 0 && create >= 0 && access >= 0 && H5Pset_chunk(create, rank, chunk) >= 0 &&
              H5Pset_fill_time(create, H5D_FILL_TIME_NEVER) >= 0 && H5Pset_chunk_cache(access, 0, 0, 0.0) >= 0;
  if (done) {
    hid_t type = cps_number_in_file(growing->number);
    writer->dataset[which] = H5Dcreate2(writer->file, growing->name, type, space, H5P_DEFAULT, create, access);
    done = writer->dataset[which] >= 0 && describe(writer->dataset[which], growing->units, growing->about);
  }
  if (access >= 0) H5Pclose(access);
  if (create >= 0) H5Pclose(create);
  if (space >= 0) H5Sclose(space);
  return done;
}

static bool make_groups(hid_t file) {
  static const char* const names[] = {"/frames", "/state", "/contacts", "/totals", "/steps"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    hid_t group = H5Gcreate2(file, names[i], H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0) return false;
    H5Gclose(group);
  }
  return true;
}

bool cps_result_writes(const CpsResultWriter* writer, int which) {
  if (cps_growing[which].last != 0) return false;
  if (which >= CPS_TIE_POINTS && which <= CPS_TIE_POINT_B) return writer->ties > 0;
  if (which == CPS_FRAME_FIBRE_TENSION) return writer->with_tension;
  if (which == CPS_FRAME_SHEET_IMPULSE) return writer->sheets > 0;
  if (which >= CPS_FRAME_SOLID_VERTEX && which <= CPS_FRAME_SOLID_STRESS && writer->solids == 0) return false;
  if (which >= CPS_FRAME_GRAIN_POSITION && which <= CPS_FRAME_GRAIN_PRESSURE) return writer->particles > 0;
  if (which == CPS_FRAME_GRAIN_STATUS || which == CPS_FRAME_GRAIN_STRESS) {
    return writer->particles > 0 && writer->with_grain_stress;
  }
  if (which >= CPS_GRAIN_SERIES_FIRST) return writer->grains.there;
  bool velocity =
      which == CPS_FRAME_FIBRE_VELOCITY || which == CPS_FRAME_SHEET_VELOCITY || which == CPS_FRAME_SOLID_VELOCITY;
  return !velocity || writer->with_velocity;
}

bool cps_result_layout(CpsResultWriter* writer, const CpsScene* scene) {
  const char* text = cps_scene_info(scene).text;
  const int64_t none = 0;
  const uint8_t no = 0;
  if (!write_header(writer, scene) || !make_groups(writer->file) ||
      !cps_result_write_fixed(writer->file, CPS_RESULT_COUNTER, "1", "frames that count", CPS_I64, 0, NULL, &none) ||
      !cps_result_write_fixed(writer->file, CPS_RESULT_FINISHED, "1", "1 if the run came to its end", CPS_U8, 0, NULL,
                              &no) ||
      !cps_result_write_texts(writer->file, CPS_RESULT_SCENE, "the scene file with the overrides", text,
                              strlen(text) + 1, -1) ||
      !cps_result_write_shapes(writer->file, scene) || !cps_result_write_lines(writer, scene) ||
      !cps_result_write_materials(writer->file, scene) || !cps_result_write_sheets(writer->file, scene) ||
      !cps_result_write_tetrahedra(writer->file, scene) || !cps_result_write_tie_names(writer, scene) ||
      !cps_result_write_grain_names(writer, scene)) {
    return false;
  }
  for (int i = 0; i < CPS_GROWING_COUNT; ++i) {
    if (!cps_result_writes(writer, i)) continue;
    if (!make_growing(writer, i)) return false;
  }
  writer->counter = H5Dopen2(writer->file, CPS_RESULT_COUNTER, H5P_DEFAULT);
  writer->finished = H5Dopen2(writer->file, CPS_RESULT_FINISHED, H5P_DEFAULT);
  return writer->counter >= 0 && writer->finished >= 0;
}
