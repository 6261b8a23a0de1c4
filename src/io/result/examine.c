// Checks the description of a result against the actual contents of the file.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/result/reader.h"

#define LONGEST_TEXT ((size_t)1 << 28)  // bytes; scenes are much shorter

static CpsStatus damaged(const CpsResult* result, const char* name) {
  return cps_io_fail(result->h5.error, CPS_BAD_FORMAT, result->path, name, "is missing or damaged");
}

// A fixed-length string from a dataset or an attribute, zero-terminated. NULL if it is something else or memory runs out.
static char* read_text(hid_t dataset, hid_t attribute) {
  hid_t type = dataset >= 0 ? H5Dget_type(dataset) : H5Aget_type(attribute);
  hid_t space = dataset >= 0 ? H5Dget_space(dataset) : H5Aget_space(attribute);
  char* text = NULL;
  if (type >= 0 && space >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
      H5Sget_simple_extent_type(space) == H5S_SCALAR && H5Tget_size(type) <= LONGEST_TEXT) {
    text = calloc(H5Tget_size(type) + 1, 1);
    herr_t got = !text          ? -1
                 : dataset >= 0 ? H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text)
                                : H5Aread(attribute, type, text);
    if (got < 0) {
      free(text);
      text = NULL;
    }
  }
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  return text;
}

static char* attribute_text(const CpsResult* result, const char* name) {
  hid_t attribute = H5Aopen(result->h5.file, name, H5P_DEFAULT);
  if (attribute < 0) return NULL;
  char* text = read_text(-1, attribute);
  H5Aclose(attribute);
  return text;
}

// A scalar attribute of a class, converted to `memory`.
static bool attribute_value(const CpsResult* result, const char* name, H5T_class_t class, hid_t memory, void* value) {
  hid_t attribute = H5Aopen(result->h5.file, name, H5P_DEFAULT);
  if (attribute < 0) return false;
  hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
  bool done = type >= 0 && space >= 0 && H5Tget_class(type) == class &&
              H5Sget_simple_extent_type(space) == H5S_SCALAR && H5Aread(attribute, memory, value) >= 0;
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  H5Aclose(attribute);
  return done;
}

bool cps_result_is_result(const CpsResult* result) {
  char* format = attribute_text(result, "format");
  bool ours = format && strcmp(format, CPS_RESULT_FORMAT) == 0;
  free(format);
  return ours;
}

static CpsStatus check_format(CpsResult* result) {
  if (!cps_result_is_result(result)) {
    return cps_io_fail(result->h5.error, CPS_BAD_FORMAT, result->path, NULL,
                       "is an HDF5 file but not a result of a simulation");
  }
  int64_t version = 0;
  if (!attribute_value(result, "format_version", H5T_INTEGER, H5T_NATIVE_INT64, &version) || version < 1) {
    return damaged(result, "format_version");
  }
  if (version > CPS_RESULT_FORMAT_VERSION) {
    return cps_io_fail(result->h5.error, CPS_UNSUPPORTED, result->path, NULL,
                       "was written by a newer version (format %lld, this one reads up to %d)", (long long)version,
                       CPS_RESULT_FORMAT_VERSION);
  }
  result->version_number = version;
  return CPS_OK;
}

// The camera of the scene; missing in results of older versions.
static void read_camera(CpsResult* result) {
  double c[10];
  int64_t placed = 0;
  if (H5Aexists(result->h5.file, "camera") <= 0 || H5Aexists(result->h5.file, "camera_placed") <= 0) return;
  if (!attribute_value(result, "camera_placed", H5T_INTEGER, H5T_NATIVE_INT64, &placed)) return;
  hid_t attribute = H5Aopen(result->h5.file, "camera", H5P_DEFAULT);
  if (attribute < 0) return;
  hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
  bool done = type >= 0 && space >= 0 && H5Tget_class(type) == H5T_FLOAT && H5Sget_simple_extent_npoints(space) == 10 &&
              H5Aread(attribute, H5T_NATIVE_DOUBLE, c) >= 0;
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  H5Aclose(attribute);
  if (!done) return;
  result->info.camera_placed = placed != 0;
  result->info.camera = (CpsCamera){{c[0], c[1], c[2]}, {c[3], c[4], c[5]}, {c[6], c[7], c[8]}, c[9]};
}

static CpsStatus read_texts(CpsResult* result) {
  result->title = attribute_text(result, "title");
  if (!result->title) return damaged(result, "title");
  result->version = attribute_text(result, "library_version");
  if (!result->version) return damaged(result, "library_version");
  if (!attribute_value(result, "run", H5T_INTEGER, H5T_NATIVE_UINT64, &result->run)) return damaged(result, "run");
  int64_t contacts = 1;  // default value
  attribute_value(result, "contacts", H5T_INTEGER, H5T_NATIVE_INT64, &contacts);
  result->info.contacts = contacts != 0;
  if (!attribute_value(result, "end", H5T_FLOAT, H5T_NATIVE_DOUBLE, &result->info.end)) return damaged(result, "end");
  hid_t scene =
      cps_h5_has(&result->h5, CPS_RESULT_SCENE) ? H5Dopen2(result->h5.file, CPS_RESULT_SCENE, H5P_DEFAULT) : -1;
  if (scene >= 0) {
    if (H5Dget_storage_size(scene) <= (hsize_t)result->h5.file_size) result->scene_text = read_text(scene, -1);
    H5Dclose(scene);
  }
  if (!result->scene_text) return damaged(result, CPS_RESULT_SCENE);
  result->info.title = result->title;
  result->info.version = result->version;
  result->info.scene_text = result->scene_text;
  read_camera(result);
  return CPS_OK;
}

static CpsStatus open_growing(const CpsResult* result, int which, hid_t* dataset, hsize_t extent[CPS_RANK_MOST]) {
  const CpsGrowing* growing = &cps_growing[which];
  if (!cps_h5_has(&result->h5, growing->name)) return damaged(result, growing->name);
  hid_t id = H5Dopen2(result->h5.file, growing->name, result->h5.dataset_access);
  if (id < 0) return damaged(result, growing->name);
  hid_t type = H5Dget_type(id), space = H5Dget_space(id), list = H5Dget_create_plist(id);
  H5T_class_t class = growing->number == CPS_F64 || growing->number == CPS_F32 ? H5T_FLOAT : H5T_INTEGER;
  bool sound = type >= 0 && space >= 0 && list >= 0 && H5Tget_class(type) == class &&
               H5Tget_size(type) == cps_number_size(growing->number) && H5Pget_layout(list) == H5D_CHUNKED &&
               H5Pget_nfilters(list) == 0 && H5Sget_simple_extent_ndims(space) == growing->inner_rank + 1 &&
               H5Sget_simple_extent_dims(space, extent, NULL) >= 0;
  if (list >= 0) H5Pclose(list);
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  if (!sound) {
    H5Oclose(id);
    return damaged(result, growing->name);
  }
  *dataset = id;
  return CPS_OK;
}

// Up to format 7, sheets include those of solids.
static int64_t vertices_of_sheets(const CpsResult* result) {
  return result->info.sheet_vertices - (cps_result_has_solids(result) ? result->info.solid_vertices : 0);
}

static hsize_t inner_extent(const CpsResult* result, int inner) {
  return (hsize_t)(inner == CPS_PER_BODY           ? result->info.bodies
                   : inner == CPS_PER_OBSTACLE     ? result->info.obstacles
                   : inner == CPS_PER_FIBRE_POINT  ? result->info.fibre_points
                   : inner == CPS_PER_SHEET_VERTEX ? vertices_of_sheets(result)
                   : inner == CPS_PER_SOLID_VERTEX ? result->info.solid_vertices
                   : inner == CPS_PER_TETRAHEDRON  ? result->info.tetrahedra
                   : inner == CPS_PER_PARTICLE     ? result->info.particles
                   : inner == CPS_PER_TIE          ? result->info.ties
                                                   : inner);
}

bool cps_result_has(const CpsResult* result, int which) {
  bool optional =
      which == CPS_FRAME_FIBRE_TENSION || which == CPS_FRAME_FIBRE_VELOCITY ||
      (which >= CPS_TIE_POINTS && which <= CPS_TIE_POINT_B) || which == CPS_FRAME_SHEET_VELOCITY ||
      which == CPS_FRAME_SHEET_IMPULSE || (which >= CPS_FRAME_SOLID_VERTEX && which <= CPS_FRAME_SOLID_STRESS) ||
      (which >= CPS_FRAME_GRAIN_POSITION && which <= CPS_FRAME_GRAIN_STRESS) || which >= CPS_GRAIN_SERIES_FIRST;
  if (optional && !cps_h5_has(&result->h5, cps_growing[which].name)) return false;
  const CpsGrowing* g = &cps_growing[which];
  return g->since <= result->version_number && (g->last == 0 || result->version_number <= g->last);
}

int64_t cps_result_counted(const CpsResult* result, int which) {
  if (which == CPS_FRAME_STATE_OFFSET || which == CPS_FRAME_CONTACT_OFFSET) return result->info.frames + 1;
  if (which == CPS_FRAME_STATE) return result->state_size;
  if (which >= CPS_CONTACT_FIRST && which < CPS_TOTALS_FIRST) return result->contact_count;
  return which >= CPS_SERIES_FIRST ? result->info.steps : result->info.frames;
}

// Checks that there are enough rows of the right shape, with all their bytes.
static CpsStatus check_growing(const CpsResult* result, int which) {
  const CpsGrowing* growing = &cps_growing[which];
  hid_t dataset = -1;
  hsize_t extent[CPS_RANK_MOST] = {0};
  if (!cps_result_has(result, which)) return CPS_OK;
  CpsStatus status = open_growing(result, which, &dataset, extent);
  if (status != CPS_OK) return status;
  hsize_t stored = H5Dget_storage_size(dataset);
  int64_t counted = cps_result_counted(result, which);
  double bytes = (double)counted * (double)cps_number_size(growing->number);
  // if the writer was killed while splitting a node, its chunks are counted twice
  bool fits = extent[0] >= (hsize_t)counted && stored / 2 <= (hsize_t)result->h5.file_size;
  for (int i = 0; i < growing->inner_rank; ++i) {
    fits = fits && extent[i + 1] == inner_extent(result, growing->inner[i]);
    bytes *= (double)extent[i + 1];
  }
  H5Oclose(dataset);
  if (fits && bytes <= (double)stored) return CPS_OK;
  return cps_io_fail(result->h5.error, CPS_BAD_FORMAT, result->path, growing->name,
                     "does not hold the %lld rows that are counted", (long long)counted);
}

CpsStatus cps_result_rows(const CpsResult* result, int which, int64_t first, int64_t count, hid_t memory,
                          void* values) {
  if (count == 0) return CPS_OK;
  const CpsGrowing* growing = &cps_growing[which];
  hid_t dataset = -1;
  hsize_t extent[CPS_RANK_MOST] = {0};
  CpsStatus status = open_growing(result, which, &dataset, extent);
  if (status != CPS_OK) return status;
  int rank = growing->inner_rank + 1;
  hsize_t start[CPS_RANK_MOST] = {(hsize_t)first}, size[CPS_RANK_MOST] = {(hsize_t)count};
  bool empty = false;
  for (int i = 1; i < rank; ++i) {
    size[i] = inner_extent(result, growing->inner[i - 1]);
    empty = empty || size[i] == 0;
  }
  if (!empty) {
    hid_t file_space = H5Dget_space(dataset), memory_space = H5Screate_simple(rank, size, NULL);
    if (file_space < 0 || memory_space < 0 ||
        H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, NULL, size, NULL) < 0 ||
        H5Sselect_valid(file_space) <= 0 ||
        H5Dread(dataset, memory, memory_space, file_space, H5P_DEFAULT, values) < 0) {
      status = cps_io_fail(result->h5.error, CPS_BAD_FORMAT, result->path, growing->name,
                           "cannot be read (truncated or damaged)");
    }
    if (memory_space >= 0) H5Sclose(memory_space);
    if (file_space >= 0) H5Sclose(file_space);
  }
  H5Oclose(dataset);
  return status;
}

// Numbers of bodies and obstacles from the poses, of ties from their forces, and then the counters.
static CpsStatus read_sizes(CpsResult* result) {
  CpsResultInfo* info = &result->info;
  int32_t* const counts[3] = {&info->bodies, &info->obstacles, &info->ties};
  const int names[3] = {CPS_FRAME_POSE, CPS_FRAME_OBSTACLE_POSE, CPS_TIE_FORCE};
  for (int i = 0; i < 3; ++i) {
    if (!cps_result_has(result, names[i])) continue;
    hid_t dataset = -1;
    hsize_t extent[CPS_RANK_MOST] = {0};
    CpsStatus status = open_growing(result, names[i], &dataset, extent);
    if (status != CPS_OK) return status;
    H5Oclose(dataset);
    if (extent[1] > INT32_MAX) return damaged(result, cps_growing[names[i]].name);
    *counts[i] = (int32_t)extent[1];
  }
  int64_t finished = 0;
  CpsStatus lines = cps_result_read_lines(result);
  if (lines == CPS_OK) lines = cps_result_read_sheets(result);
  if (lines == CPS_OK) lines = cps_result_read_grains(result);
  if (lines != CPS_OK) return lines;
  CpsStatus status = cps_h5_read_int(&result->h5, CPS_RESULT_COUNTER, &info->frames);
  if (status == CPS_OK) status = cps_h5_read_int(&result->h5, CPS_RESULT_FINISHED, &finished);
  if (status != CPS_OK) return status;
  if (info->frames < 0 || info->frames > INT64_MAX - 1) return damaged(result, CPS_RESULT_COUNTER);
  if (info->frames > result->most_frames) info->frames = result->most_frames;
  info->finished = finished == 1;
  return CPS_OK;
}

// Checks the lengths of all other datasets against the last frame.
static CpsStatus read_last_frame(CpsResult* result) {
  CpsResultInfo* info = &result->info;
  int64_t last = info->frames - 1;
  double row[CPS_TOTALS_COUNT] = {0};
  CpsStatus status = cps_result_rows(result, CPS_FRAME_ROW, last, 1, H5T_NATIVE_INT64, &info->steps);
  if (status == CPS_OK) {
    status = cps_result_rows(result, CPS_FRAME_CONTACT_OFFSET, last + 1, 1, H5T_NATIVE_INT64, &result->contact_count);
  }
  if (status == CPS_OK) {
    status = cps_result_rows(result, CPS_FRAME_STATE_OFFSET, last + 1, 1, H5T_NATIVE_INT64, &result->state_size);
  }
  if (status == CPS_OK) status = cps_result_rows(result, CPS_FRAME_HASH, last, 1, H5T_NATIVE_UINT64, &info->hash);
  for (int i = 0; status == CPS_OK && i < CPS_TOTALS_COUNT; ++i) {
    if (!cps_result_has(result, CPS_TOTALS_FIRST + i)) continue;
    status = cps_result_rows(result, CPS_TOTALS_FIRST + i, last, 1, H5T_NATIVE_DOUBLE, &row[i]);
  }
  if (status != CPS_OK) return status;
  if (info->steps < 0 || result->contact_count < 0 || result->state_size < 0) {
    return damaged(result, cps_growing[CPS_FRAME_ROW].name);
  }
  for (int i = 0; i < CPS_TOTALS_COUNT; ++i) {
    if (cps_growing[CPS_TOTALS_FIRST + i].number == CPS_I64 && !(row[i] >= 0.0 && row[i] <= 0x1p53)) {
      return damaged(result, cps_growing[CPS_TOTALS_FIRST + i].name);
    }
  }
  if (row[2] > INT32_MAX) return damaged(result, "/totals/contacts_max");
  for (int i = 14; i < 20; ++i) {
    double most = i == 16 || i == 18 ? CPS_THING_OBSTACLE : INT32_MAX;
    if (row[i] > most) return damaged(result, cps_growing[CPS_TOTALS_FIRST + i].name);
  }
  info->totals = cps_totals_from_row(row);
  return CPS_OK;
}

CpsStatus cps_result_examine(CpsResult* result) {
  CpsStatus status = check_format(result);
  if (status == CPS_OK) status = read_texts(result);
  if (status == CPS_OK) status = read_sizes(result);
  if (status == CPS_OK && result->info.frames == 0) {
    status = cps_io_fail(result->h5.error, CPS_BAD_FORMAT, result->path, NULL, "has no complete frame");
  }
  for (int i = 0; status == CPS_OK && i < CPS_TOTALS_FIRST + CPS_TOTALS_COUNT; ++i) {
    // the remaining datasets have as many rows as the last frame implies
    bool per_frame = i < CPS_FRAME_STATE || i >= CPS_TOTALS_FIRST;
    if (per_frame) status = check_growing(result, i);
  }
  if (status == CPS_OK) status = read_last_frame(result);
  for (int i = CPS_FRAME_STATE; status == CPS_OK && i < CPS_GROWING_COUNT; ++i) {
    bool per_frame = i >= CPS_TOTALS_FIRST && i < CPS_SERIES_FIRST;
    if (!per_frame) status = check_growing(result, i);
  }
  if (status != CPS_OK) return status;
  result->times = malloc((size_t)result->info.frames * sizeof *result->times);
  if (!result->times) return cps_io_fail(result->h5.error, CPS_NO_MEMORY, result->path, NULL, "out of memory");
  status = cps_result_rows(result, CPS_FRAME_TIME, 0, result->info.frames, H5T_NATIVE_DOUBLE, result->times);
  if (status == CPS_OK) result->info.time = result->times[result->info.frames - 1];
  return status;
}
