// A show of a result: each frame is read into the same memory.
#include <math.h>
#include <stdlib.h>

#include "io/frame/internal.h"
#include "io/result/reader.h"

static CpsStatus no_memory(const CpsShow* show) {
  return cps_io_fail(show->result->h5.error, CPS_NO_MEMORY, show->result->path, NULL, "out of memory");
}

static CpsStatus damaged(const CpsShow* show, const char* name) {
  return cps_io_fail(show->result->h5.error, CPS_BAD_FORMAT, show->result->path, name, "is missing or damaged");
}

// Names of a given number of objects.
static CpsStatus read_names(CpsShow* show, const char* name, int32_t wanted, const char* const** names) {
  int64_t count = 0;
  CpsStatus status = cps_result_names(show->result, name, &show->memory, names, &count);
  return status == CPS_OK && count != wanted ? damaged(show, name) : status;
}

// Sheets, then solids; solids have a group of their own from format 8 on.
static int32_t apart_from_sheets(const CpsShow* show) {
  return cps_result_has_solids(show->result) ? show->things.solid_count : 0;
}

static CpsStatus read_surface_names(CpsShow* show) {
  CpsThings* t = &show->things;
  const int32_t solids = apart_from_sheets(show), sheets = t->sheet_count - solids;
  const char *const *of_sheets = NULL, *const *of_solids = NULL;
  CpsStatus status = read_names(show, "/sheets/name", sheets, &of_sheets);
  if (status == CPS_OK && solids > 0) status = read_names(show, "/solids/name", solids, &of_solids);
  const char** all = CPS_TAKE(&show->memory, const char*, t->sheet_count);
  if (status != CPS_OK) return status;
  if (!all) return no_memory(show);
  for (int32_t i = 0; i < t->sheet_count; ++i) all[i] = i < sheets ? of_sheets[i] : of_solids[i - sheets];
  t->sheet_names = all;
  return CPS_OK;
}

static CpsStatus read_surface_materials(CpsShow* show) {
  CpsThings* t = &show->things;
  const int32_t solids = apart_from_sheets(show), sheets = t->sheet_count - solids;
  const int32_t *of_sheets = NULL, *of_solids = NULL;
  CpsArena* m = &show->memory;
  CpsStatus status = cps_result_materials(show->result, "/sheets/material", t->material_count, m, &of_sheets, sheets);
  if (status == CPS_OK && solids > 0) {
    status = cps_result_materials(show->result, "/solids/material", t->material_count, m, &of_solids, solids);
  }
  int32_t* all = CPS_TAKE(m, int32_t, t->sheet_count);
  if (status != CPS_OK) return status;
  if (!all) return no_memory(show);
  for (int32_t i = 0; i < t->sheet_count; ++i) all[i] = i < sheets ? of_sheets[i] : of_solids[i - sheets];
  t->sheet_materials = all;
  return CPS_OK;
}

static CpsStatus read_all_names(CpsShow* show) {
  CpsThings* t = &show->things;
  static const char* const NONE[] = {""};
  int64_t materials = 1;
  CpsStatus status = read_names(show, "/bodies/name", t->body_count, &t->body_names);
  if (status == CPS_OK) status = read_names(show, "/obstacles/name", t->obstacle_count, &t->obstacle_names);
  t->fibre_names = t->material_names = t->sheet_names = NONE;
  if (status == CPS_OK && t->sheet_count > 0) status = read_surface_names(show);
  if (status == CPS_OK && t->fibre_count > 0) {
    status = read_names(show, "/fibres/name", t->fibre_count, &t->fibre_names);
  }
  if (status == CPS_OK && cps_result_has(show->result, CPS_CONTACT_RESIDUAL)) {
    status = cps_result_names(show->result, "/materials/name", &show->memory, &t->material_names, &materials);
    if (status == CPS_OK && materials == 0) status = damaged(show, "/materials/name");
  }
  t->material_count = (int32_t)materials;
  return status;
}

static CpsStatus read_all_materials(CpsShow* show) {
  CpsThings* t = &show->things;
  CpsArena* m = &show->memory;
  const CpsResult* r = show->result;
  CpsStatus status =
      cps_result_materials(r, "/bodies/material", t->material_count, m, &t->body_materials, t->body_count);
  if (status == CPS_OK) {
    status =
        cps_result_materials(r, "/obstacles/material", t->material_count, m, &t->obstacle_materials, t->obstacle_count);
  }
  if (status == CPS_OK) {
    status = cps_result_materials(r, "/fibres/material", t->material_count, m, &t->fibre_materials, t->fibre_count);
  }
  t->sheet_materials = NULL;
  if (status == CPS_OK && t->sheet_count > 0) status = read_surface_materials(show);
  return status;
}

static CpsStatus read_tie_kinds(CpsShow* show) {
  CpsThings* t = &show->things;
  if (t->tie_count == 0) return CPS_OK;
  int64_t *kinds = NULL, count = 0;
  CpsTieKind* all = CPS_TAKE(&show->memory, CpsTieKind, t->tie_count);
  CpsStatus status = read_names(show, "/ties/name", t->tie_count, &t->tie_names);
  if (status == CPS_OK) status = cps_h5_read_ints(&show->result->h5, "/ties/kind", &kinds, &count);
  bool sound = status == CPS_OK && count == t->tie_count;
  for (int32_t i = 0; sound && all && i < t->tie_count; ++i) {
    sound = kinds[i] >= CPS_TIE_POINT && kinds[i] <= CPS_TIE_ROD;
    if (sound) all[i] = (CpsTieKind)kinds[i];
  }
  free(kinds);
  t->tie_kinds = all;
  if (!all) return no_memory(show);
  return status == CPS_OK && !sound ? damaged(show, "/ties/kind") : status;
}

CpsStatus cps_show_fill_result_things(CpsShow* show, CpsError* error) {
  CpsResult* result = show->result;
  CpsThings* t = &show->things;
  const CpsResultInfo* info = &result->info;
  *t = (CpsThings){.title = info->title,
                   .body_count = info->bodies,
                   .obstacle_count = info->obstacles,
                   .fibre_count = info->fibres,
                   .tie_count = info->ties,
                   .line_count = info->lines,
                   .lines = result->lines,
                   .point_count = info->fibre_points,
                   .sheet_count = info->sheets,
                   .solid_count = info->solids,
                   .sheets = result->sheets,
                   .vertex_count = info->sheet_vertices,
                   .triangle_count = info->sheet_triangles,
                   .tetrahedron_count = info->tetrahedra,
                   .particle_count = info->particles};
  CpsStatus status = cps_result_parts(result, &t->parts, &t->part_count, error);
  if (status != CPS_OK) return status;
  result->h5.error = error;
  H5E_BEGIN_TRY {
    status = read_all_names(show);
    if (status == CPS_OK) status = read_all_materials(show);
    if (status == CPS_OK) status = cps_result_read_triangles(result, &show->memory, &t->triangles);
    if (status == CPS_OK) status = cps_result_read_tetrahedra(result, &show->memory, &t->tetrahedra);
    if (status == CPS_OK) status = cps_result_read_rest(result, &show->memory, &t->rest);
    if (status == CPS_OK) status = read_tie_kinds(show);
  }
  H5E_END_TRY
  if (status == CPS_OK && !cps_show_take_frame(show)) status = no_memory(show);
  result->h5.error = NULL;
  return status;
}

// Rows of a dataset as doubles or integers in the show's buffer; `width` numbers each.
static CpsStatus read_rows(CpsShow* show, int which, int64_t first, int64_t count, int64_t width, hid_t memory,
                           const void** values) {
  size_t size = (size_t)(count * width + 1) * sizeof(double);
  if (size > show->buffer_room) {
    void* grown = realloc(show->buffer, size + size / 2);
    if (!grown) return no_memory(show);
    show->buffer = grown;
    show->buffer_room = size + size / 2;
  }
  *values = show->buffer;
  return cps_result_rows(show->result, which, first, count, memory, show->buffer);
}

static CpsStatus read_poses(CpsShow* show, int which, int64_t frame, int32_t count, CpsPose* poses) {
  const void* values = NULL;
  CpsStatus status = read_rows(show, which, frame, 1, 7 * (int64_t)count, H5T_NATIVE_DOUBLE, &values);
  const double* at = values;
  for (int32_t i = 0; status == CPS_OK && i < count; ++i, at += 7) {
    poses[i] = (CpsPose){{at[0], at[1], at[2]}, {at[3], at[4], at[5], at[6]}};
  }
  return status;
}

// Vectors at the start of every `stride` numbers.
static CpsStatus read_vectors(CpsShow* show, int which, int64_t frame, int64_t count, int stride, CpsVec3* vectors) {
  const void* values = NULL;
  CpsStatus status = read_rows(show, which, frame, 1, stride * count, H5T_NATIVE_DOUBLE, &values);
  const double* at = values;
  for (int64_t i = 0; status == CPS_OK && i < count; ++i, at += stride) {
    vectors[i] = (CpsVec3){at[0], at[1], at[2]};
  }
  return status;
}

static CpsStatus read_step(CpsShow* show, int64_t frame) {
  int64_t row = 0;
  show->frame.step = NAN;
  CpsStatus status = cps_result_rows(show->result, CPS_FRAME_ROW, frame, 1, H5T_NATIVE_INT64, &row);
  if (status != CPS_OK || row == 0) return status;
  if (row < 0 || row > show->result->info.steps) return damaged(show, cps_growing[CPS_FRAME_ROW].name);
  return cps_result_rows(show->result, CPS_SERIES_FIRST + 1, row - 1, 1, H5T_NATIVE_DOUBLE, &show->frame.step);
}

static CpsVec3 vector(const double* at) {
  return (CpsVec3){at[0], at[1], at[2]};
}

// Stores the numbers of one contact.
static void put_reals(CpsFrameContact* c, int which, const double* at) {
  switch (which) {
    case CPS_CONTACT_POINT:
      for (int k = 0; k < 2; ++k) c->side[k].point = vector(at + 3 * k);
      return;
    case CPS_CONTACT_PLACE:
      for (int k = 0; k < 2; ++k) c->side[k].place = vector(at + 3 * k);
      return;
    case CPS_CONTACT_POINT_A:
      c->side[0].point = vector(at);
      return;
    case CPS_CONTACT_POINT_B:
      c->side[1].point = vector(at);
      return;
    case CPS_CONTACT_FRAME:
      c->normal = vector(at);
      c->tangent1 = vector(at + 3);
      c->tangent2 = vector(at + 6);
      return;
    case CPS_CONTACT_IMPULSE:
      for (int k = 0; k < 3; ++k) c->impulse[k] = at[k];
      return;
    case CPS_CONTACT_VELOCITY:
      for (int k = 0; k < 3; ++k) c->velocity[k] = at[k];
      return;
    case CPS_CONTACT_GAP:
      c->gap = at[0];
      return;
    case CPS_CONTACT_MU:
      c->mu = at[0];
      c->mu_across = at[1];
      return;
    case CPS_CONTACT_ARC:
      for (int k = 0; k < 2; ++k) c->side[k].place.x = at[k];
      return;
    default:
      c->residual = at[0];
      return;
  }
}

// Formats before 7 have one number for each kind, -1 if the side is of another kind.
static bool put_old_sides(CpsFrameContact* c, CpsThingKind kind, const int32_t* at, int count,
                          const CpsThings* things) {
  for (int k = 0; k < count; ++k) {
    CpsThing* thing = &c->side[count == 1 ? 1 : k].thing;
    if (at[k] == -1) continue;
    *thing = (CpsThing){kind, at[k], 0};
    if (!cps_things_have(things, *thing)) return false;
  }
  return true;
}

static bool put_thing(CpsSide* side, const int32_t* at, const CpsThings* things) {
  if (at[0] < CPS_THING_NONE || at[0] > CPS_THING_OBSTACLE) return false;
  side->thing = (CpsThing){(CpsThingKind)at[0], at[1], 0};
  const CpsThingKind kind = side->thing.kind;
  bool nameless = kind == CPS_THING_NONE || kind == CPS_THING_OTHER;
  return nameless || cps_things_have(things, side->thing);
}

static bool put_part(CpsSide* side, int32_t part, const CpsThings* things) {
  side->part = part;
  const int32_t surface = cps_things_surface(things, side->thing);
  return part >= 0 && (surface < 0 || part < things->sheets[surface].triangle_count);
}

static bool put_material(CpsSide* side, int32_t material, const CpsThings* things) {
  side->material = material;
  return material >= 0 && material < things->material_count;
}

// Objects are read before their parts.
static bool put_sides(CpsFrameContact* c, int which, const int32_t* at, const CpsThings* things) {
  for (int k = 0; k < 2; ++k) {
    CpsSide* side = &c->side[k];
    bool sound = which == CPS_CONTACT_THING  ? put_thing(side, at + 2 * k, things)
                 : which == CPS_CONTACT_PART ? put_part(side, at[k], things)
                                             : put_material(side, at[k], things);
    if (!sound) return false;
  }
  return true;
}

// The same for integers; false if one is out of range.
static bool put_numbers(CpsFrameContact* c, int which, const int32_t* at, const CpsThings* things) {
  switch (which) {
    case CPS_CONTACT_BODY:
      return put_old_sides(c, CPS_THING_BODY, at, 2, things);
    case CPS_CONTACT_FIBRE:
      return put_old_sides(c, CPS_THING_FIBRE, at, 2, things);
    case CPS_CONTACT_SHEET:
      return put_old_sides(c, CPS_THING_SHEET, at, 2, things);
    case CPS_CONTACT_OBSTACLE:
      return put_old_sides(c, CPS_THING_OBSTACLE, at, 1, things);
    case CPS_CONTACT_STATUS:
      if (at[0] < CPS_CONTACT_TAKEOFF || at[0] > CPS_CONTACT_SLIDE) return false;
      c->status = (CpsContactStatus)at[0];
      return true;
    default:
      return put_sides(c, which, at, things);
  }
}

static CpsStatus read_column(CpsShow* show, int which, int64_t first, int32_t count) {
  const CpsGrowing* growing = &cps_growing[which];
  int width = 1;
  for (int i = 0; i < growing->inner_rank; ++i) width *= growing->inner[i];
  bool reals = growing->number == CPS_F64;
  const void* values = NULL;
  CpsStatus status = read_rows(show, which, first, count, width, reals ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT32, &values);
  for (int32_t i = 0; status == CPS_OK && i < count; ++i) {
    if (reals) {
      put_reals(&show->contacts[i], which, (const double*)values + (int64_t)i * width);
    } else if (!put_numbers(&show->contacts[i], which, (const int32_t*)values + (int64_t)i * width, &show->things)) {
      status = damaged(show, growing->name);
    }
  }
  return status;
}

static CpsStatus read_contacts(CpsShow* show, int64_t frame) {
  static const int COLUMNS[] = {CPS_CONTACT_POINT,   CPS_CONTACT_FRAME, CPS_CONTACT_IMPULSE,  CPS_CONTACT_VELOCITY,
                                CPS_CONTACT_GAP,     CPS_CONTACT_MU,    CPS_CONTACT_STATUS,   CPS_CONTACT_THING,
                                CPS_CONTACT_PART,    CPS_CONTACT_PLACE, CPS_CONTACT_MATERIAL, CPS_CONTACT_POINT_A,
                                CPS_CONTACT_POINT_B, CPS_CONTACT_BODY,  CPS_CONTACT_OBSTACLE, CPS_CONTACT_FIBRE,
                                CPS_CONTACT_ARC,     CPS_CONTACT_SHEET, CPS_CONTACT_RESIDUAL};
  const char* offsets = cps_growing[CPS_FRAME_CONTACT_OFFSET].name;
  int64_t offset[2] = {0};
  CpsStatus status = cps_result_rows(show->result, CPS_FRAME_CONTACT_OFFSET, frame, 2, H5T_NATIVE_INT64, offset);
  if (status != CPS_OK) return status;
  bool rising = offset[0] >= 0 && offset[1] >= offset[0] && offset[1] <= show->result->contact_count;
  if (!rising || offset[1] - offset[0] > INT32_MAX) return damaged(show, offsets);
  int64_t count = offset[1] - offset[0];
  if (!cps_show_reserve_contacts(show, count)) return no_memory(show);
  for (int64_t i = 0; i < count; ++i) {
    show->contacts[i] = (CpsFrameContact){.residual = NAN};
  }
  for (size_t k = 0; status == CPS_OK && k < sizeof COLUMNS / sizeof *COLUMNS; ++k) {
    if (cps_result_has(show->result, COLUMNS[k])) {
      status = read_column(show, COLUMNS[k], offset[0], (int32_t)count);
    }
  }
  show->frame.contact_count = (int32_t)count;
  return status;
}

static void put_tie(CpsFrameTie* tie, int which, const double* at) {
  switch (which) {
    case CPS_TIE_POINTS:
      for (int k = 0; k < 2; ++k) tie->point[k] = vector(at + 3 * k);
      return;
    case CPS_TIE_POINT_A:
      tie->point[0] = vector(at);
      return;
    case CPS_TIE_POINT_B:
      tie->point[1] = vector(at);
      return;
    case CPS_TIE_FORCE:
      tie->force = vector(at);
      return;
    case CPS_TIE_TORQUE:
      tie->torque = vector(at);
      return;
    case CPS_TIE_APART:
      tie->apart = at[0];
      return;
    case CPS_TIE_RESIDUAL:
      tie->residual = at[0];
      return;
    default:
      tie->broken = at[0] != 0.0;
      return;
  }
}

// The columns of the ties of a frame.
static CpsStatus read_ties(CpsShow* show, int64_t frame) {
  CpsStatus status = CPS_OK;
  int32_t count = show->things.tie_count;
  for (int which = CPS_TIE_POINTS; count > 0 && status == CPS_OK && which <= CPS_TIE_POINT_B; ++which) {
    if (!cps_result_has(show->result, which)) continue;
    const CpsGrowing* growing = &cps_growing[which];
    int width = 1;
    for (int i = 1; i < growing->inner_rank; ++i) width *= growing->inner[i];
    const void* values = NULL;
    status = read_rows(show, which, frame, 1, (int64_t)width * count, H5T_NATIVE_DOUBLE, &values);
    const double* at = values;
    for (int32_t i = 0; status == CPS_OK && i < count; ++i, at += width) put_tie(&show->ties[i], which, at);
  }
  return status;
}

// Vectors at the vertices of sheets, then of solids.
static CpsStatus read_vertices(CpsShow* show, int of_sheets, int of_solids, int64_t frame, CpsVec3* vectors) {
  const CpsResultInfo* info = &show->result->info;
  const int64_t solids = cps_result_has_solids(show->result) ? info->solid_vertices : 0;
  const int64_t sheets = info->sheet_vertices - solids;
  CpsStatus status = sheets > 0 ? read_vectors(show, of_sheets, frame, sheets, 3, vectors) : CPS_OK;
  return status == CPS_OK && solids > 0 ? read_vectors(show, of_solids, frame, solids, 3, vectors + sheets) : status;
}

// Whether the quantity is there for both sheets and solids: if one is missing, it is not available for all vertices.
static bool has_vertices(const CpsShow* show, int of_sheets, int of_solids) {
  const CpsResultInfo* info = &show->result->info;
  const bool apart = cps_result_has_solids(show->result);
  const bool sheets = info->sheet_vertices > (apart ? info->solid_vertices : 0);
  return info->sheet_vertices > 0 && (!sheets || cps_result_has(show->result, of_sheets)) &&
         (!apart || cps_result_has(show->result, of_solids));
}

static CpsStatus read_surfaces(CpsShow* show, int64_t frame) {
  CpsStatus status = CPS_OK;
  if (show->things.vertex_count > 0) {
    status = read_vertices(show, CPS_FRAME_SHEET_VERTEX, CPS_FRAME_SOLID_VERTEX, frame, show->vertices);
  }
  show->has_vertex_velocities = has_vertices(show, CPS_FRAME_SHEET_VELOCITY, CPS_FRAME_SOLID_VELOCITY);
  if (status == CPS_OK && show->has_vertex_velocities) {
    status = read_vertices(show, CPS_FRAME_SHEET_VELOCITY, CPS_FRAME_SOLID_VELOCITY, frame, show->vertex_velocities);
  }
  show->has_vertex_impulses = has_vertices(show, CPS_FRAME_SHEET_IMPULSE, CPS_FRAME_SOLID_IMPULSE);
  if (status == CPS_OK && show->has_vertex_impulses) {
    status = read_vertices(show, CPS_FRAME_SHEET_IMPULSE, CPS_FRAME_SOLID_IMPULSE, frame, show->vertex_impulses);
  }
  show->has_stress = show->things.tetrahedron_count > 0 && cps_result_has(show->result, CPS_FRAME_SOLID_STRESS);
  if (status == CPS_OK && show->has_stress) {
    status = cps_result_rows(show->result, CPS_FRAME_SOLID_STRESS, frame, 1, H5T_NATIVE_DOUBLE, show->stress);
  }
  return status;
}

static CpsStatus read_particles(CpsShow* show, int64_t frame) {
  const int64_t count = show->things.particle_count;
  if (count == 0) return CPS_OK;
  CpsStatus status = read_vectors(show, CPS_FRAME_GRAIN_POSITION, frame, count, 3, show->particles);
  if (status != CPS_OK) return status;
  status = read_vectors(show, CPS_FRAME_GRAIN_VELOCITY, frame, count, 3, show->particle_velocities);
  if (status != CPS_OK) return status;
  status =
      cps_result_rows(show->result, CPS_FRAME_GRAIN_PRESSURE, frame, 1, H5T_NATIVE_DOUBLE, show->particle_pressures);
  if (status != CPS_OK) return status;
  status =
      cps_result_rows(show->result, CPS_FRAME_GRAIN_FRACTION, frame, 1, H5T_NATIVE_DOUBLE, show->particle_fractions);
  show->has_grain_stress =
      cps_result_has(show->result, CPS_FRAME_GRAIN_STATUS) && cps_result_has(show->result, CPS_FRAME_GRAIN_STRESS);
  if (status != CPS_OK || !show->has_grain_stress) return status;
  status = cps_result_rows(show->result, CPS_FRAME_GRAIN_STATUS, frame, 1, H5T_NATIVE_UINT8, show->particle_statuses);
  if (status != CPS_OK) return status;
  return cps_result_rows(show->result, CPS_FRAME_GRAIN_STRESS, frame, 1, H5T_NATIVE_DOUBLE, show->particle_stresses);
}

static CpsStatus read_frame(CpsShow* show, int64_t frame) {
  const CpsThings* t = &show->things;
  CpsStatus status = read_step(show, frame);
  if (status == CPS_OK) status = read_poses(show, CPS_FRAME_POSE, frame, t->body_count, show->bodies);
  if (status == CPS_OK) status = read_vectors(show, CPS_FRAME_VELOCITY, frame, t->body_count, 6, show->velocities);
  if (status == CPS_OK) status = read_poses(show, CPS_FRAME_OBSTACLE_POSE, frame, t->obstacle_count, show->obstacles);
  if (status == CPS_OK && t->point_count > 0) {
    status = read_vectors(show, CPS_FRAME_FIBRE_POINT, frame, t->point_count, 3, show->points);
    if (status == CPS_OK) status = read_vectors(show, CPS_FRAME_FIBRE_AXIS, frame, t->point_count, 3, show->axes);
  }
  show->has_tension = t->point_count > 0 && cps_result_has(show->result, CPS_FRAME_FIBRE_TENSION);
  if (status == CPS_OK && show->has_tension) {
    status = cps_result_rows(show->result, CPS_FRAME_FIBRE_TENSION, frame, 1, H5T_NATIVE_DOUBLE, show->tension);
  }
  show->has_velocities = t->point_count > 0 && cps_result_has(show->result, CPS_FRAME_FIBRE_VELOCITY);
  if (status == CPS_OK && show->has_velocities) {
    status = read_vectors(show, CPS_FRAME_FIBRE_VELOCITY, frame, t->point_count, 3, show->point_velocities);
  }
  if (status == CPS_OK) status = read_surfaces(show, frame);
  if (status == CPS_OK) status = read_particles(show, frame);
  if (status == CPS_OK) status = read_ties(show, frame);
  if (status == CPS_OK) status = read_contacts(show, frame);
  return status;
}

CpsStatus cps_show_fill_result_frame(CpsShow* show, int64_t frame, CpsError* error) {
  CpsResult* result = show->result;
  CpsStatus status = cps_result_check_frame(result, frame, error);
  if (status != CPS_OK) return status;
  show->frame.index = frame;
  show->frame.time = result->times[frame];
  result->h5.error = error;
  H5E_BEGIN_TRY {
    status = read_frame(show, frame);
  }
  H5E_END_TRY
  result->h5.error = NULL;
  return status;
}
