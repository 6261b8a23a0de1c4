// ParaView: a .pvd file that names one .vtp or .vtu file for each frame and kind of thing.
//
// Fibres are lines, sheets and solids triangles (.vtp) and cells (.vtu), bodies and obstacles triangles in the world, contacts and particles of
// grains points, and fields of grains cells (.vtu);
// everything else hangs on them as arrays.
// Objects that have not moved since the previous frame are not written again: the series names the file of that frame.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "core/quat.h"
#include "io/export/internal.h"
#include "io/export/pvd_fields.h"
#include "io/export/pvd_grains.h"
#include "io/export/pvd_surfaces.h"
#include "io/export/vtp.h"

typedef enum Kind { FIBRES, SHEETS, CELLS, BODIES, OBSTACLES, CONTACTS, GRAINS, FIELDS, KINDS } Kind;
static const char* const NAMES[KINDS] = {"fibres",    "sheets",   "cells",  "bodies",
                                         "obstacles", "contacts", "grains", "fields"};

typedef struct Series {
  CpsExport* e;
  CpsExportMeshes meshes;
  CpsOutFolder folder;
  CpsVtp vtp;
  CpsGrow index;           // text of the .pvd file
  CpsGrow folder_name;     // as written in the index
  int8_t* touch;           // temporary: statuses of vertices
  CpsPose* obstacles;      // as last written
  int64_t obstacle_frame;  // frame in which they were written, -1 if none
} Series;

static void put_vector(CpsVtp* v, CpsVtpType type, CpsVec3 x) {
  const double values[3] = {x.x, x.y, x.z};
  cps_vtp_vector(v, type, values);
}

static void add_field(Series* s, const CpsFrame* frame) {
  cps_vtp_array(&s->vtp, CPS_VTP_FIELD, "TimeValue", CPS_VTP_DOUBLE, 1, 1);
  cps_vtp_double(&s->vtp, frame->time);
  cps_vtp_array(&s->vtp, CPS_VTP_FIELD, "step", CPS_VTP_DOUBLE, 1, 1);
  cps_vtp_double(&s->vtp, frame->step);
}

static const char* ending_of(Kind kind) {
  return kind == CELLS || kind == FIELDS ? ".vtu" : ".vtp";
}

static void add_names(Series* s, const char* const* names, int32_t count) {
  cps_vtp_names(&s->vtp, "name", names, count);
  cps_vtp_names(&s->vtp, "material_name", s->e->things->material_names, s->e->things->material_count);
}

// Writes the point data of fibres: radius, arc length from the root along the points, the second axis, velocity, tension.
static void add_fibre_points(Series* s, const CpsFrame* frame) {
  const CpsThings* t = s->e->things;
  CpsVtp* v = &s->vtp;
  cps_vtp_array(v, CPS_VTP_POINT_DATA, "radius", CPS_VTP_DOUBLE, 1, 0);
  for (int32_t l = 0; l < t->line_count; ++l) {
    for (int32_t i = 0; i < t->lines[l].count; ++i) {
      cps_vtp_double(v, cps_result_line_radius(&t->lines[l], i));
    }
  }
  cps_vtp_array(v, CPS_VTP_POINT_DATA, "arc_length", CPS_VTP_DOUBLE, 1, 0);
  for (int32_t l = 0; l < t->line_count; ++l) {
    double arc = 0.0;
    const CpsVec3* p = frame->points + t->lines[l].first;
    for (int32_t i = 0; i < t->lines[l].count; ++i) {
      if (i > 0) arc += cps_vec3_norm(cps_vec3_sub(p[i], p[i - 1]));
      cps_vtp_double(v, arc);
    }
  }
  cps_vtp_array(v, CPS_VTP_POINT_DATA, "axis", CPS_VTP_FLOAT, 3, 0);
  for (int64_t i = 0; i < t->point_count; ++i) put_vector(v, CPS_VTP_FLOAT, frame->axes[i]);
  if (frame->point_velocities) {
    cps_vtp_array(v, CPS_VTP_POINT_DATA, "velocity", CPS_VTP_FLOAT, 3, 0);
    for (int64_t i = 0; i < t->point_count; ++i) put_vector(v, CPS_VTP_FLOAT, frame->point_velocities[i]);
  }
  if (frame->tension) {
    cps_vtp_array(v, CPS_VTP_POINT_DATA, "tension", CPS_VTP_DOUBLE, 1, 0);
    for (int64_t i = 0; i < t->point_count; ++i) cps_vtp_double(v, frame->tension[i]);
  }
  cps_vtp_array(v, CPS_VTP_POINTS, "points", CPS_VTP_FLOAT, 3, 0);
  for (int64_t i = 0; i < t->point_count; ++i) put_vector(v, CPS_VTP_FLOAT, frame->points[i]);
}

static void add_fibres(Series* s, const CpsFrame* frame) {
  const CpsThings* t = s->e->things;
  CpsVtp* v = &s->vtp;
  v->points = t->point_count;
  v->lines = t->line_count;
  add_names(s, t->fibre_names, t->fibre_count);
  add_fibre_points(s, frame);
  cps_vtp_array(v, CPS_VTP_CELL_DATA, "fibre", CPS_VTP_INT, 1, 0);
  for (int32_t l = 0; l < t->line_count; ++l) cps_vtp_int(v, t->lines[l].fibre);
  cps_vtp_array(v, CPS_VTP_CELL_DATA, "branch", CPS_VTP_INT, 1, 0);
  for (int32_t l = 0; l < t->line_count; ++l) cps_vtp_int(v, t->lines[l].branch);
  cps_vtp_array(v, CPS_VTP_CELL_DATA, "material", CPS_VTP_INT, 1, 0);
  for (int32_t l = 0; l < t->line_count; ++l) cps_vtp_int(v, t->fibre_materials[t->lines[l].fibre]);
  cps_vtp_array(v, CPS_VTP_LINES, "connectivity", CPS_VTP_LONG, 1, 0);
  for (int64_t i = 0; i < t->point_count; ++i) cps_vtp_long(v, i);
  cps_vtp_array(v, CPS_VTP_LINES, "offsets", CPS_VTP_LONG, 1, 0);
  for (int32_t l = 0; l < t->line_count; ++l) cps_vtp_long(v, t->lines[l].first + t->lines[l].count);
}

static const CpsTriangles* mesh_of(const Series* s, int32_t part) {
  return &s->meshes.mesh[s->meshes.of_part[part]];
}

static void add_surface_points(Series* s, const CpsFrame* frame, bool obstacles) {
  const CpsThings* t = s->e->things;
  CpsVtp* v = &s->vtp;
  cps_vtp_array(v, CPS_VTP_POINTS, "points", CPS_VTP_DOUBLE, 3, 0);
  for (int32_t i = 0; i < t->part_count; ++i) {
    if (t->parts[i].is_obstacle != obstacles) continue;
    const CpsTriangles* mesh = mesh_of(s, i);
    CpsPose pose = cps_export_part_pose(frame, &t->parts[i]);
    for (int32_t k = 0; k < mesh->point_count; ++k) {
      put_vector(v, CPS_VTP_DOUBLE, cps_pose_apply(pose, mesh->points[k]));
    }
    v->points += mesh->point_count;
    v->polys += mesh->triangle_count;
  }
  cps_vtp_array(v, CPS_VTP_POINT_DATA, "Normals", CPS_VTP_FLOAT, 3, 0);
  for (int32_t i = 0; i < t->part_count; ++i) {
    if (t->parts[i].is_obstacle != obstacles) continue;
    const CpsTriangles* mesh = mesh_of(s, i);
    CpsQuat turn = cps_export_part_pose(frame, &t->parts[i]).rotation;
    for (int32_t k = 0; k < mesh->point_count; ++k) {
      put_vector(v, CPS_VTP_FLOAT, cps_quat_rotate(turn, mesh->normals[k]));
    }
  }
}

static void put_index(CpsVtp* v, CpsVtpType type, int64_t index) {
  if (type == CPS_VTP_INT) {
    cps_vtp_int(v, (int32_t)index);
  } else {
    cps_vtp_long(v, index);
  }
}

static void add_triangles(Series* s, bool obstacles) {
  const CpsThings* t = s->e->things;
  CpsVtp* v = &s->vtp;
  CpsVtpType type = 3 * v->polys <= INT32_MAX ? CPS_VTP_INT : CPS_VTP_LONG;  // half the size, if sufficient
  cps_vtp_array(v, CPS_VTP_POLYS, "connectivity", type, 1, 0);
  int64_t first = 0;
  for (int32_t i = 0; i < t->part_count; ++i) {
    if (t->parts[i].is_obstacle != obstacles) continue;
    const CpsTriangles* mesh = mesh_of(s, i);
    for (int64_t k = 0; k < 3 * (int64_t)mesh->triangle_count; ++k) put_index(v, type, first + mesh->triangles[k]);
    first += mesh->point_count;
  }
  cps_vtp_array(v, CPS_VTP_POLYS, "offsets", type, 1, 0);
  for (int64_t k = 1; k <= v->polys; ++k) put_index(v, type, 3 * k);
}

// Cell data with one value per triangle: that of its owner.
typedef void (*PutFn)(Series* s, const CpsFrame* frame, const CpsResultPart* part);

static void add_cells(Series* s, const CpsFrame* frame, bool obstacles, PutFn put) {
  const CpsThings* t = s->e->things;
  for (int32_t i = 0; i < t->part_count; ++i) {
    if (t->parts[i].is_obstacle != obstacles) continue;
    int32_t count = mesh_of(s, i)->triangle_count;
    for (int32_t k = 0; k < count; ++k) put(s, frame, &t->parts[i]);
  }
}

static void put_owner(Series* s, const CpsFrame* frame, const CpsResultPart* part) {
  (void)frame;
  cps_vtp_int(&s->vtp, part->owner);
}

static void put_material(Series* s, const CpsFrame* frame, const CpsResultPart* part) {
  (void)frame;
  const CpsThings* t = s->e->things;
  cps_vtp_int(&s->vtp, (part->is_obstacle ? t->obstacle_materials : t->body_materials)[part->owner]);
}

static void put_velocity(Series* s, const CpsFrame* frame, const CpsResultPart* part) {
  put_vector(&s->vtp, CPS_VTP_DOUBLE, frame->body_velocities[part->owner]);
}

static void add_bodies(Series* s, const CpsFrame* frame, bool obstacles) {
  const CpsThings* t = s->e->things;
  add_names(s, obstacles ? t->obstacle_names : t->body_names, obstacles ? t->obstacle_count : t->body_count);
  add_surface_points(s, frame, obstacles);
  add_triangles(s, obstacles);
  cps_vtp_array(&s->vtp, CPS_VTP_CELL_DATA, obstacles ? "obstacle" : "body", CPS_VTP_INT, 1, 0);
  add_cells(s, frame, obstacles, put_owner);
  cps_vtp_array(&s->vtp, CPS_VTP_CELL_DATA, "material", CPS_VTP_INT, 1, 0);
  add_cells(s, frame, obstacles, put_material);
  if (obstacles) return;
  cps_vtp_array(&s->vtp, CPS_VTP_CELL_DATA, "velocity", CPS_VTP_DOUBLE, 3, 0);
  add_cells(s, frame, obstacles, put_velocity);
}

static void add_contact_vectors(CpsVtp* v, const CpsFrame* frame) {
  const CpsFrameContact *first = frame->contacts, *end = first + frame->contact_count;
  cps_vtp_array(v, CPS_VTP_POINTS, "points", CPS_VTP_DOUBLE, 3, 0);
  for (const CpsFrameContact* c = first; c < end; ++c) {
    put_vector(v, CPS_VTP_DOUBLE, cps_export_contact_point(c));
  }
  cps_vtp_array(v, CPS_VTP_POINT_DATA, "impulse", CPS_VTP_DOUBLE, 3, 0);
  for (const CpsFrameContact* c = first; c < end; ++c)
    put_vector(v, CPS_VTP_DOUBLE, cps_export_in_world(c, c->impulse));
  cps_vtp_array(v, CPS_VTP_POINT_DATA, "velocity", CPS_VTP_DOUBLE, 3, 0);
  for (const CpsFrameContact* c = first; c < end; ++c)
    put_vector(v, CPS_VTP_DOUBLE, cps_export_in_world(c, c->velocity));
  cps_vtp_array(v, CPS_VTP_POINT_DATA, "normal", CPS_VTP_DOUBLE, 3, 0);
  for (const CpsFrameContact* c = first; c < end; ++c) put_vector(v, CPS_VTP_DOUBLE, c->normal);
}

static void add_contact_numbers(CpsVtp* v, const CpsFrame* frame) {
  const CpsFrameContact *first = frame->contacts, *end = first + frame->contact_count;
  cps_vtp_array(v, CPS_VTP_POINT_DATA, "status", CPS_VTP_INT, 1, 0);
  for (const CpsFrameContact* c = first; c < end; ++c) cps_vtp_int(v, (int32_t)c->status);
  cps_vtp_array(v, CPS_VTP_POINT_DATA, "gap", CPS_VTP_DOUBLE, 1, 0);
  for (const CpsFrameContact* c = first; c < end; ++c) cps_vtp_double(v, c->gap);
  cps_vtp_array(v, CPS_VTP_POINT_DATA, "residual", CPS_VTP_DOUBLE, 1, 0);
  for (const CpsFrameContact* c = first; c < end; ++c) cps_vtp_double(v, c->residual);
  cps_vtp_array(v, CPS_VTP_POINT_DATA, "mu", CPS_VTP_DOUBLE, 2, 0);
  for (const CpsFrameContact* c = first; c < end; ++c) cps_vtp_double(v, c->mu), cps_vtp_double(v, c->mu_across);
}

// In the order of results: a before b.
static void add_contact_sides(CpsVtp* v, const CpsFrame* frame) {
  const CpsFrameContact* first = frame->contacts;
  const int64_t sides = 2 * (int64_t)frame->contact_count;
  cps_vtp_array(v, CPS_VTP_POINT_DATA, "thing", CPS_VTP_INT, 4, 0);
  for (int64_t i = 0; i < sides; ++i) {
    const CpsThing thing = first[i / 2].side[i % 2].thing;
    cps_vtp_int(v, (int32_t)thing.kind), cps_vtp_int(v, thing.index);
  }
  cps_vtp_array(v, CPS_VTP_POINT_DATA, "part", CPS_VTP_INT, 2, 0);
  for (int64_t i = 0; i < sides; ++i) cps_vtp_int(v, first[i / 2].side[i % 2].part);
  cps_vtp_array(v, CPS_VTP_POINT_DATA, "place", CPS_VTP_DOUBLE, 6, 0);
  for (int64_t i = 0; i < sides; ++i) put_vector(v, CPS_VTP_DOUBLE, first[i / 2].side[i % 2].place);
  cps_vtp_array(v, CPS_VTP_POINT_DATA, "material", CPS_VTP_INT, 2, 0);
  for (int64_t i = 0; i < sides; ++i) cps_vtp_int(v, first[i / 2].side[i % 2].material);
  cps_vtp_array(v, CPS_VTP_POINT_DATA, "point", CPS_VTP_DOUBLE, 6, 0);
  for (int64_t i = 0; i < sides; ++i) put_vector(v, CPS_VTP_DOUBLE, first[i / 2].side[i % 2].point);
}

static void add_contacts(Series* s, const CpsFrame* frame) {
  CpsVtp* v = &s->vtp;
  v->points = v->verts = frame->contact_count;
  add_contact_vectors(v, frame);
  add_contact_numbers(v, frame);
  add_contact_sides(v, frame);
  cps_vtp_array(v, CPS_VTP_VERTS, "connectivity", CPS_VTP_LONG, 1, 0);
  for (int64_t i = 0; i < frame->contact_count; ++i) cps_vtp_long(v, i);
  cps_vtp_array(v, CPS_VTP_VERTS, "offsets", CPS_VTP_LONG, 1, 0);
  for (int64_t i = 1; i <= frame->contact_count; ++i) cps_vtp_long(v, i);
}

static CpsStatus write_file(Series* s, Kind kind, const CpsFrame* frame) {
  char name[64];
  snprintf(name, sizeof name, "%s-%04" PRId64 "%s", NAMES[kind], frame->index, ending_of(kind));
  char* path = cps_out_folder_file(&s->folder, name);
  if (!path) return cps_export_no_memory(s->e);
  CpsOut out = {0};
  CpsStatus status = cps_out_create(&out, path, s->e->error);
  free(path);
  if (status != CPS_OK) return status;
  if (kind != OBSTACLES) add_field(s, frame);  // obstacles may be reused for later frames
  if (kind == FIBRES) add_fibres(s, frame);
  if (kind == SHEETS || kind == CELLS) add_names(s, s->e->things->sheet_names, s->e->things->sheet_count);
  if (kind == SHEETS) cps_pvd_surfaces(&s->vtp, s->e->things, frame, s->touch);
  if (kind == CELLS) cps_pvd_cells(&s->vtp, s->e->things, frame, s->touch);
  if (kind == BODIES || kind == OBSTACLES) add_bodies(s, frame, kind == OBSTACLES);
  if (kind == CONTACTS) add_contacts(s, frame);
  if (kind == GRAINS) status = cps_pvd_grains(&s->vtp, s->e, frame->index);
  if (kind == FIELDS) status = cps_pvd_fields(&s->vtp, s->e, frame);
  cps_vtp_write(&s->vtp, &out);
  if (status == CPS_OK) status = cps_out_end(&out, s->e->error);
  cps_out_discard(&out);
  s->e->info.files++;
  s->e->info.bytes += out.bytes;
  return status;
}

static bool is_there(const CpsExport* e, Kind kind) {
  const CpsThings* t = e->things;
  if (kind == FIELDS) return cps_pvd_has_fields(e);
  return kind == CONTACTS || (kind == FIBRES && t->line_count > 0) ||
         ((kind == SHEETS || kind == CELLS) && t->sheet_count > 0) || (kind == BODIES && t->body_count > 0) ||
         (kind == OBSTACLES && t->obstacle_count > 0) || (kind == GRAINS && t->particle_count > 0);
}

// Whether the obstacles are unchanged since they were last written; if not, stores their poses.
static bool obstacles_rest(Series* s, const CpsFrame* frame) {
  size_t size = (size_t)s->e->things->obstacle_count * sizeof *s->obstacles;
  if (s->obstacle_frame >= 0 && memcmp(s->obstacles, frame->obstacles, size) == 0) return true;
  memcpy(s->obstacles, frame->obstacles, size);
  s->obstacle_frame = frame->index;
  return false;
}

static CpsStatus write_frame(Series* s, int64_t index) {
  const CpsFrame* frame = NULL;
  CpsStatus status = cps_export_read(s->e, index, &frame);
  for (int kind = 0, part = 0; status == CPS_OK && kind < KINDS; ++kind) {
    if (!is_there(s->e, (Kind)kind)) continue;
    bool old = kind == OBSTACLES && obstacles_rest(s, frame);
    if (!old) status = write_file(s, (Kind)kind, frame);
    cps_grow_text(&s->index, "<DataSet timestep=\"");
    cps_grow_number(&s->index, frame->time, 17);
    cps_grow_print(&s->index, "\" group=\"\" part=\"%d\" name=\"%s\" file=\"", part++, NAMES[kind]);
    cps_grow_add(&s->index, s->folder_name.at, s->folder_name.size);
    cps_grow_print(&s->index, "/%s-%04" PRId64 "%s\"/>\n", NAMES[kind], old ? s->obstacle_frame : index,
                   ending_of((Kind)kind));
  }
  return status;
}

// The folder appears first, then the index, once both are complete.
static CpsStatus publish(Series* s) {
  CpsExport* e = s->e;
  CpsOut out = {0};
  cps_grow_text(&s->index, "</Collection>\n</VTKFile>\n");
  CpsStatus status = cps_out_begin(&out, e->path, e->error);
  if (status != CPS_OK) return status;
  cps_out_flush(&out, &s->index);
  status = cps_out_close(&out, e->error);
  if (status == CPS_OK) status = cps_out_folder_end(&s->folder, e->error);
  if (status == CPS_OK) status = cps_out_end(&out, e->error);
  cps_out_discard(&out);
  e->info.files++;
  e->info.bytes += out.bytes;
  return status;
}

static CpsStatus write_series(Series* s) {
  CpsExport* e = s->e;
  s->obstacle_frame = -1;
  s->obstacles = malloc(((size_t)e->things->obstacle_count + 1) * sizeof *s->obstacles);
  s->touch = malloc((size_t)e->things->vertex_count + 1);
  CpsStatus status = s->obstacles && s->touch ? cps_export_meshes_make(e, &s->meshes) : cps_export_no_memory(e);
  cps_grow_text(&s->index, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n");
  for (int64_t k = e->options.first; status == CPS_OK && k <= e->options.last; ++k) {
    status = write_frame(s, k);
    if (status == CPS_OK) status = cps_export_progress(e, k - e->options.first + 1);
  }
  if (status == CPS_OK) status = publish(s);
  if (status == CPS_OK) e->info.frames = cps_export_frames(e);
  return status;
}

// The folder beside "NAME.pvd" is "NAME-vtp".
static char* folder_of(const char* path, const char* base) {
  const char* slash = strrchr(path, '/');
  size_t before = slash ? (size_t)(slash - path) + 1 : 0, room = before + strlen(base) + sizeof "-vtp";
  char* folder = malloc(room);
  if (folder) snprintf(folder, room, "%.*s%s-vtp", (int)before, path, base);
  return folder;
}

CpsStatus cps_export_pvd(CpsExport* e) {
  CpsStatus status = cps_file_check(e->path, e->error);
  if (status != CPS_OK) return status;
  Series s = {.e = e};
  char* base = cps_export_base_name(e);
  char* folder = base ? folder_of(e->path, base) : NULL;
  status = folder ? cps_out_folder_begin(&s.folder, folder, ".vtp .vtu", e->error) : cps_export_no_memory(e);
  if (status == CPS_OK) {
    cps_grow_xml(&s.folder_name, base);
    cps_grow_text(&s.folder_name, "-vtp");
    status = write_series(&s);
  }
  cps_out_folder_discard(&s.folder);
  cps_export_meshes_free(&s.meshes);
  cps_vtp_free(&s.vtp);
  cps_grow_free(&s.index);
  cps_grow_free(&s.folder_name);
  free(s.obstacles);
  free(s.touch);
  free(base);
  free(folder);
  return status;
}
