// glTF 2.0, binary: a node for each body and obstacle with a mesh for each of its parts, and one mesh for all fibres.
//
// Motions are node animations. Fibres are tubes (or lines), and where they move each frame after the first is a morph target
// whose weight is 1 at its time: between frames points go straight. As the file would grow with frames times points, and the
// weights with frames times frames, that is done up to a bound; beyond it fibres keep their first shape and a note says so.
// The root node turns the z axis up into glTF's y axis up.
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/export_glb.h"
#include "io/export_internal.h"
#include "io/fail.h"

enum { DIGITS = 9, TUBE_SIDES = 6, MOST_TARGETS = 1000 };
#define MOST_TARGET_BYTES ((int64_t)512 << 20)

// A colour that is used, and the mesh of a shape in it.
typedef struct Look {
  CpsExportKind kind;
  int32_t material;
} Look;

typedef struct File {
  CpsExport* e;
  CpsExportMeshes meshes;
  CpsGlb glb;
  CpsOut out;
  CpsBytes json, nodes, mesh_text, samplers, channels, children, looks_text;
  int32_t node_count, mesh_count, sampler_count, channel_count, look_count;
  Look* looks;
  int32_t* shape_accessors;  // of each mesh: points, normals, indices
  int32_t* mesh_of;          // glTF's number of the mesh in each look, -1: not yet; by mesh and kind and material
  int32_t time_accessor;     // -1: not yet
  float* floats;             // scratch
  int64_t float_room;
  uint32_t* indices;
} File;

static bool take_floats(File* f, int64_t count) {
  if (count <= f->float_room) return true;
  float* grown = realloc(f->floats, (size_t)count * sizeof *grown);
  if (!grown) return false;
  f->floats = grown;
  f->float_room = count;
  return true;
}

static int32_t add_vectors(File* f, const CpsVec3* v, int64_t count, bool bounds) {
  for (int64_t i = 0; i < count; ++i) {
    f->floats[3 * i] = (float)v[i].x;
    f->floats[3 * i + 1] = (float)v[i].y;
    f->floats[3 * i + 2] = (float)v[i].z;
  }
  return cps_glb_floats(&f->glb, f->floats, count, 3, CPS_GLB_VERTICES, bounds);
}

// Number of a colour, added when it is first asked for.
static int32_t find_look(File* f, CpsExportKind kind, int32_t material) {
  if (material > 0) kind = CPS_KIND_BODY;
  for (int32_t i = 0; i < f->look_count; ++i) {
    if (f->looks[i].kind == kind && f->looks[i].material == material) return i;
  }
  f->looks[f->look_count] = (Look){kind, material};
  CpsVec3 c = cps_export_colour(kind, material);
  const double rgba[4] = {c.x, c.y, c.z, 1.0};
  cps_bytes_text(&f->looks_text, f->look_count > 0 ? ",{\"name\":" : "{\"name\":");
  cps_bytes_json(&f->looks_text, cps_export_colour_name(f->e->things, kind, material));
  cps_bytes_text(&f->looks_text,
                 ",\"doubleSided\":true,\"pbrMetallicRoughness\":{\"metallicFactor\":0,"
                 "\"roughnessFactor\":0.6,\"baseColorFactor\":");
  cps_bytes_numbers(&f->looks_text, rgba, 4, DIGITS, "[", ",", "]}}");
  return f->look_count++;
}

static CpsStatus add_shape(File* f, int32_t mesh) {
  const CpsTriangles* t = &f->meshes.mesh[mesh];
  int64_t indices = 3 * (int64_t)t->triangle_count;
  uint32_t* grown = realloc(f->indices, (size_t)(indices + 1) * sizeof *grown);
  if (!grown || !take_floats(f, 3 * (int64_t)t->point_count)) return cps_export_no_memory(f->e);
  f->indices = grown;
  for (int64_t i = 0; i < indices; ++i) f->indices[i] = (uint32_t)t->triangles[i];
  int32_t* a = f->shape_accessors + 3 * (int64_t)mesh;
  a[0] = add_vectors(f, t->points, t->point_count, true);
  a[1] = add_vectors(f, t->normals, t->point_count, false);
  a[2] = cps_glb_indices(&f->glb, f->indices, indices);
  return CPS_OK;
}

// glTF's mesh of a part: its shape in its colour.
static CpsStatus find_mesh(File* f, int32_t i, int32_t* number) {
  const CpsThings* t = f->e->things;
  const CpsResultPart* part = &t->parts[i];
  int32_t mesh = f->meshes.of_part[i];
  int32_t material = (part->is_obstacle ? t->obstacle_materials : t->body_materials)[part->owner];
  int32_t look = find_look(f, part->is_obstacle ? CPS_KIND_OBSTACLE : CPS_KIND_BODY, material);
  // parts of one shape mostly have one colour: the last one that was asked for is kept
  int32_t* known = f->mesh_of + 2 * (int64_t)mesh;
  if (known[0] == look) {
    *number = known[1];
    return CPS_OK;
  }
  const int32_t* a = f->shape_accessors + 3 * (int64_t)mesh;
  CpsStatus status = a[0] < 0 ? add_shape(f, mesh) : CPS_OK;
  cps_bytes_print(&f->mesh_text,
                  "%s{\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d},\"indices\":%d,"
                  "\"material\":%d}]}",
                  f->mesh_count > 0 ? "," : "", (int)a[0], (int)a[1], (int)a[2], (int)look);
  known[0] = look;
  known[1] = *number = f->mesh_count++;
  return status;
}

static void put_pose(CpsBytes* text, const CpsPose* pose) {
  const double x[3] = {pose->position.x, pose->position.y, pose->position.z};
  const double q[4] = {pose->rotation.x, pose->rotation.y, pose->rotation.z, pose->rotation.w};
  cps_bytes_text(text, ",\"translation\":");
  cps_bytes_numbers(text, x, 3, DIGITS, "[", ",", "]");
  cps_bytes_text(text, ",\"rotation\":");
  cps_bytes_numbers(text, q, 4, DIGITS, "[", ",", "]");
}

// Times of the frames since the first, which must be told apart in single precision.
static CpsStatus add_times(File* f) {
  CpsExport* e = f->e;
  int64_t frames = cps_export_frames(e);
  if (!take_floats(f, frames)) return cps_export_no_memory(e);
  double start = cps_result_frame_time(e->result, e->options.first);
  for (int64_t k = 0; k < frames; ++k) {
    f->floats[k] = (float)(cps_result_frame_time(e->result, e->options.first + k) - start);
    if (!isfinite(f->floats[k]) || (k > 0 && !(f->floats[k] > f->floats[k - 1]))) {
      return cps_io_fail(e->error, CPS_BAD_DATA, e->path, NULL,
                         "the times of the frames %lld and %lld are the same in single precision",
                         (long long)(e->options.first + k - 1), (long long)(e->options.first + k));
    }
  }
  f->time_accessor = cps_glb_floats(&f->glb, f->floats, frames, 1, CPS_GLB_PLAIN, true);
  return CPS_OK;
}

static void add_channel(File* f, int32_t node, const char* path, int32_t output) {
  cps_bytes_print(&f->samplers, "%s{\"input\":%d,\"output\":%d}", f->sampler_count > 0 ? "," : "",
                  (int)f->time_accessor, (int)output);
  cps_bytes_print(&f->channels, "%s{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}",
                  f->channel_count++ > 0 ? "," : "", (int)f->sampler_count++, (int)node, path);
}

static CpsStatus add_motion(File* f, int32_t node, const CpsPose* track) {
  int64_t frames = cps_export_frames(f->e);
  CpsStatus status = f->time_accessor < 0 ? add_times(f) : CPS_OK;
  if (status != CPS_OK) return status;
  if (!take_floats(f, 4 * frames)) return cps_export_no_memory(f->e);
  for (int64_t k = 0; k < frames; ++k) {
    f->floats[3 * k] = (float)track[k].position.x;
    f->floats[3 * k + 1] = (float)track[k].position.y;
    f->floats[3 * k + 2] = (float)track[k].position.z;
  }
  add_channel(f, node, "translation", cps_glb_floats(&f->glb, f->floats, frames, 3, CPS_GLB_PLAIN, false));
  for (int64_t k = 0; k < frames; ++k) {
    f->floats[4 * k] = (float)track[k].rotation.x;
    f->floats[4 * k + 1] = (float)track[k].rotation.y;
    f->floats[4 * k + 2] = (float)track[k].rotation.z;
    f->floats[4 * k + 3] = (float)track[k].rotation.w;
  }
  add_channel(f, node, "rotation", cps_glb_floats(&f->glb, f->floats, frames, 4, CPS_GLB_PLAIN, false));
  return CPS_OK;
}

// A node for each part of an owner, from *part on; their numbers go into the JSON of the owner's children.
static CpsStatus add_parts(File* f, int32_t owner, bool obstacles, int32_t* part, CpsBytes* children) {
  const CpsThings* t = f->e->things;
  CpsStatus status = CPS_OK;
  const char* comma = "";
  for (; status == CPS_OK && *part < t->part_count && t->parts[*part].owner == owner &&
         t->parts[*part].is_obstacle == obstacles;
       ++*part) {
    int32_t mesh = 0;
    status = find_mesh(f, *part, &mesh);
    cps_bytes_print(&f->nodes, ",{\"mesh\":%d", (int)mesh);
    put_pose(&f->nodes, &t->parts[*part].pose);
    cps_bytes_text(&f->nodes, "}");
    cps_bytes_print(children, "%s%d", comma, (int)f->node_count++);
    comma = ",";
  }
  return status;
}

static CpsStatus add_owner(File* f, const CpsExportTracks* tracks, int32_t i, int32_t* part) {
  const CpsThings* t = f->e->things;
  int32_t owner = tracks->first + i;
  const CpsPose* track = tracks->pose + i * cps_export_frames(f->e);
  CpsBytes parts = {0};
  CpsStatus status = add_parts(f, owner, tracks->obstacles, part, &parts);
  int32_t node = f->node_count++;
  cps_bytes_text(&f->nodes, ",{\"name\":");
  cps_bytes_json(&f->nodes, (tracks->obstacles ? t->obstacle_names : t->body_names)[owner]);
  put_pose(&f->nodes, track);
  if (parts.size > 0) {
    cps_bytes_text(&f->nodes, ",\"children\":[");
    cps_bytes_add(&f->nodes, parts.at, parts.size);
    cps_bytes_text(&f->nodes, "]");
  }
  cps_bytes_text(&f->nodes, "}");
  cps_bytes_print(&f->children, "%s%d", f->children.size > 0 ? "," : "", (int)node);
  if (parts.failed) status = cps_export_no_memory(f->e);
  cps_bytes_free(&parts);
  if (status == CPS_OK && cps_export_track_moves(f->e, track)) status = add_motion(f, node, track);
  return status;
}

static CpsStatus add_owners(File* f, bool obstacles, int32_t* part) {
  const CpsThings* t = f->e->things;
  int32_t total = obstacles ? t->obstacle_count : t->body_count, room = cps_export_tracks_room(f->e);
  if (room > total) room = total;
  CpsExportTracks tracks = {.obstacles = obstacles,
                            .pose = malloc(((size_t)room * (size_t)cps_export_frames(f->e) + 1) * sizeof(CpsPose))};
  CpsStatus status = tracks.pose ? CPS_OK : cps_export_no_memory(f->e);
  while (status == CPS_OK && tracks.first < total) {
    tracks.count = total - tracks.first < room ? total - tracks.first : room;
    status = cps_export_tracks_read(f->e, &tracks);
    for (int32_t i = 0; status == CPS_OK && i < tracks.count; ++i) status = add_owner(f, &tracks, i, part);
    tracks.first += tracks.count;
  }
  free(tracks.pose);
  return status;
}

// The fibres of an export as vertices: of tubes, or of lines.
typedef struct Threads {
  int32_t sides;  // 0: lines
  int64_t count;  // vertices
  CpsVec3 *points, *normals, *first_points, *first_normals;
  int64_t targets;
  int32_t* target;  // accessors: points, and normals of tubes
} Threads;

static void free_threads(Threads* w) {
  free(w->points);
  free(w->normals);
  free(w->first_points);
  free(w->first_normals);
  free(w->target);
}

static bool take_threads(File* f, Threads* w) {
  const CpsThings* t = f->e->things;
  w->sides = f->e->options.tube < 0 ? TUBE_SIDES : f->e->options.tube;
  w->count = w->sides > 0 ? cps_export_tube_points(t, w->sides) : t->point_count;
  size_t size = (size_t)w->count * sizeof(CpsVec3);
  w->points = malloc(size);
  w->normals = malloc(size);
  w->first_points = malloc(size);
  w->first_normals = malloc(size);
  int64_t frames = cps_export_frames(f->e);
  int64_t bytes = (frames - 1) * w->count * (w->sides > 0 ? 24 : 12);
  if (frames - 1 <= MOST_TARGETS && bytes <= MOST_TARGET_BYTES) w->targets = frames - 1;
  w->target = malloc((size_t)(2 * w->targets + 1) * sizeof *w->target);
  return w->points && w->normals && w->first_points && w->first_normals && w->target && take_floats(f, 3 * w->count);
}

static CpsStatus read_threads(File* f, Threads* w, int64_t index) {
  const CpsFrame* frame = NULL;
  CpsStatus status = cps_export_read_finite(f->e, index, &frame);
  if (status != CPS_OK) return status;
  if (w->sides > 0) {
    cps_export_tube_fill(f->e->things, frame, w->sides, w->points, w->normals);
  } else {
    memcpy(w->points, frame->points, (size_t)w->count * sizeof *w->points);
  }
  return CPS_OK;
}

// Differences from the first frame.
static int32_t add_target(File* f, const CpsVec3* now, const CpsVec3* first, int64_t count, bool bounds) {
  for (int64_t i = 0; i < count; ++i) {
    f->floats[3 * i] = (float)(now[i].x - first[i].x);
    f->floats[3 * i + 1] = (float)(now[i].y - first[i].y);
    f->floats[3 * i + 2] = (float)(now[i].z - first[i].z);
  }
  return cps_glb_floats(&f->glb, f->floats, count, 3, CPS_GLB_VERTICES, bounds);
}

static CpsStatus add_targets(File* f, Threads* w) {
  CpsStatus status = CPS_OK;
  for (int64_t k = 0; status == CPS_OK && k < w->targets; ++k) {
    status = read_threads(f, w, f->e->options.first + 1 + k);
    if (status != CPS_OK) return status;
    w->target[2 * k] = add_target(f, w->points, w->first_points, w->count, true);
    if (w->sides > 0) w->target[2 * k + 1] = add_target(f, w->normals, w->first_normals, w->count, false);
    status = cps_export_progress(f->e, k + 1);
  }
  return status;
}

// Pairs of points of lines, or triangles of tubes, of the lines of one colour.
static CpsStatus add_indices(File* f, const Threads* w, int32_t material, int32_t* accessor) {
  const CpsThings* t = f->e->things;
  int64_t most = w->sides > 0 ? 3 * cps_export_tube_triangles(t, w->sides) : 2 * t->point_count, count = 0;
  int64_t* all = malloc((size_t)(most + 1) * sizeof *all);
  uint32_t* grown = all ? realloc(f->indices, (size_t)(most + 1) * sizeof *grown) : NULL;
  if (!grown) {
    free(all);
    return cps_export_no_memory(f->e);
  }
  f->indices = grown;
  for (int32_t l = 0; l < t->line_count; ++l) {
    const CpsResultLine* line = &t->lines[l];
    if (t->fibre_materials[line->fibre] != material) continue;
    if (w->sides > 0) count += 3 * cps_export_tube_indices(line, w->sides, 0, all + count);
    for (int32_t i = 1; w->sides == 0 && i < line->count; ++i) {
      all[count++] = line->first + i - 1;
      all[count++] = line->first + i;
    }
  }
  for (int64_t i = 0; i < count; ++i) f->indices[i] = (uint32_t)all[i];
  *accessor = count > 0 ? cps_glb_indices(&f->glb, f->indices, count) : -1;
  free(all);
  return CPS_OK;
}

static void put_targets(File* f, const Threads* w) {
  if (w->targets == 0) return;
  cps_bytes_text(&f->mesh_text, ",\"targets\":[");
  for (int64_t k = 0; k < w->targets; ++k) {
    cps_bytes_print(&f->mesh_text, "%s{\"POSITION\":%d", k > 0 ? "," : "", (int)w->target[2 * k]);
    if (w->sides > 0) cps_bytes_print(&f->mesh_text, ",\"NORMAL\":%d", (int)w->target[2 * k + 1]);
    cps_bytes_text(&f->mesh_text, "}");
  }
  cps_bytes_text(&f->mesh_text, "]");
}

// One mesh with a primitive for each material.
static CpsStatus put_thread_mesh(File* f, const Threads* w, int32_t points, int32_t normals) {
  CpsStatus status = CPS_OK;
  const char* comma = "";
  cps_bytes_text(&f->mesh_text, f->mesh_count > 0 ? ",{\"primitives\":[" : "{\"primitives\":[");
  for (int32_t m = 0; status == CPS_OK && m < f->e->things->material_count; ++m) {
    int32_t indices = -1;
    status = add_indices(f, w, m, &indices);
    if (indices < 0) continue;
    cps_bytes_print(&f->mesh_text, "%s{\"attributes\":{\"POSITION\":%d", comma, (int)points);
    if (w->sides > 0) cps_bytes_print(&f->mesh_text, ",\"NORMAL\":%d", (int)normals);
    cps_bytes_print(&f->mesh_text, "},\"indices\":%d,\"mode\":%d,\"material\":%d", (int)indices, w->sides > 0 ? 4 : 1,
                    (int)find_look(f, CPS_KIND_FIBRE, m));
    put_targets(f, w);
    cps_bytes_text(&f->mesh_text, "}");
    comma = ",";
  }
  cps_bytes_text(&f->mesh_text, "]");
  for (int64_t k = 0; k < w->targets; ++k) cps_bytes_text(&f->mesh_text, k > 0 ? ",0" : ",\"weights\":[0");
  cps_bytes_text(&f->mesh_text, w->targets > 0 ? "]}" : "}");
  return status;
}

// At the time of a frame its target has all the weight, at that of the first none has any.
static CpsStatus add_weights(File* f, const Threads* w, int32_t node) {
  CpsStatus status = f->time_accessor < 0 ? add_times(f) : CPS_OK;
  if (status != CPS_OK) return status;
  int64_t count = (w->targets + 1) * w->targets;
  if (!take_floats(f, count)) return cps_export_no_memory(f->e);
  for (int64_t i = 0; i < count; ++i) f->floats[i] = 0.0F;
  for (int64_t k = 0; k < w->targets; ++k) f->floats[(k + 1) * w->targets + k] = 1.0F;
  add_channel(f, node, "weights", cps_glb_floats(&f->glb, f->floats, count, 1, CPS_GLB_PLAIN, false));
  return CPS_OK;
}

static CpsStatus build_threads(File* f, Threads* w) {
  if (!take_threads(f, w)) return cps_export_no_memory(f->e);
  CpsStatus status = read_threads(f, w, f->e->options.first);
  if (status != CPS_OK) return status;
  memcpy(w->first_points, w->points, (size_t)w->count * sizeof *w->points);
  memcpy(w->first_normals, w->normals, (size_t)w->count * sizeof *w->normals);
  int32_t points = add_vectors(f, w->first_points, w->count, true);
  int32_t normals = w->sides > 0 ? add_vectors(f, w->first_normals, w->count, false) : -1;
  status = add_targets(f, w);
  if (status == CPS_OK) status = put_thread_mesh(f, w, points, normals);
  if (status != CPS_OK) return status;
  int32_t node = f->node_count++;
  cps_bytes_print(&f->nodes, ",{\"name\":\"fibres\",\"mesh\":%d}", (int)f->mesh_count++);
  cps_bytes_print(&f->children, "%s%d", f->children.size > 0 ? "," : "", (int)node);
  if (w->targets == 0 && cps_export_frames(f->e) > 1) {
    snprintf(f->e->info.note, sizeof f->e->info.note,
             "fibres stand still: %" PRId64 " frames of %" PRId64 " points are too many for glTF, choose fewer frames",
             cps_export_frames(f->e), w->count);
  }
  return w->targets > 0 ? add_weights(f, w, node) : CPS_OK;
}

static CpsStatus add_threads(File* f) {
  if (f->e->things->line_count == 0) return CPS_OK;
  Threads w = {0};
  CpsStatus status = build_threads(f, &w);
  free_threads(&w);
  return status;
}

static void put_list(CpsBytes* json, const char* key, CpsBytes* items) {
  if (items->failed) json->failed = true;
  if (items->size == 0) return;
  cps_bytes_print(json, ",\"%s\":[", key);
  cps_bytes_add(json, items->at, items->size);
  cps_bytes_text(json, "]");
}

static void put_json(File* f) {
  CpsBytes* j = &f->json;
  cps_bytes_print(j, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"capstan %s\"}", cps_version());
  cps_bytes_text(j, ",\"scene\":0,\"scenes\":[{\"name\":");
  cps_bytes_json(j, f->e->things->title);
  // z up becomes y up
  cps_bytes_text(j,
                 ",\"nodes\":[0]}],\"nodes\":[{\"name\":\"z up\","
                 "\"rotation\":[-0.707106781,0,0,0.707106781]");
  put_list(j, "children", &f->children);
  cps_bytes_text(j, "}");
  if (f->nodes.failed) j->failed = true;
  cps_bytes_add(j, f->nodes.at, f->nodes.size);
  cps_bytes_text(j, "]");
  put_list(j, "meshes", &f->mesh_text);
  put_list(j, "materials", &f->looks_text);
  if (f->channel_count == 0) return;
  cps_bytes_text(j, ",\"animations\":[{\"name\":\"motion\"");
  put_list(j, "samplers", &f->samplers);
  put_list(j, "channels", &f->channels);
  cps_bytes_text(j, "}]");
}

static CpsStatus build(File* f) {
  CpsExport* e = f->e;
  int32_t part = 0;
  size_t meshes = (size_t)f->meshes.count + 1;
  f->looks = malloc(((size_t)e->things->material_count + 3) * sizeof *f->looks);
  f->shape_accessors = malloc(3 * meshes * sizeof *f->shape_accessors);
  f->mesh_of = malloc(2 * meshes * sizeof *f->mesh_of);
  if (!f->looks || !f->shape_accessors || !f->mesh_of) return cps_export_no_memory(e);
  for (size_t i = 0; i < 3 * meshes; ++i) f->shape_accessors[i] = -1;
  for (size_t i = 0; i < 2 * meshes; ++i) f->mesh_of[i] = -1;
  f->node_count = 1;
  f->time_accessor = -1;
  CpsStatus status = add_owners(f, false, &part);
  if (status == CPS_OK) status = add_owners(f, true, &part);
  if (status == CPS_OK) status = add_threads(f);
  if (status == CPS_OK) status = cps_export_progress(e, cps_export_frames(e));
  e->info.frames = cps_export_frames(e);
  return status;
}

static CpsStatus write_file(File* f) {
  CpsExport* e = f->e;
  CpsStatus status = cps_out_begin(&f->out, e->path, e->error);
  if (status != CPS_OK) return status;
  if (!cps_glb_begin(&f->glb)) {
    return cps_io_fail(e->error, CPS_FILE_ERROR, e->path, NULL, "no temporary file: %s", strerror(errno));
  }
  status = build(f);
  if (status != CPS_OK) return status;
  put_json(f);
  cps_glb_write(&f->glb, &f->json, &f->out);
  status = cps_out_end(&f->out, e->error);
  e->info.files = 1;
  e->info.bytes = f->out.bytes;
  return status;
}

CpsStatus cps_export_gltf(CpsExport* e) {
  File f = {.e = e};
  CpsStatus status = cps_export_meshes_make(e, &f.meshes);
  if (status == CPS_OK) status = write_file(&f);
  cps_out_discard(&f.out);
  cps_glb_free(&f.glb);
  cps_export_meshes_free(&f.meshes);
  CpsBytes* const texts[] = {&f.json, &f.nodes, &f.mesh_text, &f.samplers, &f.channels, &f.children, &f.looks_text};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) cps_bytes_free(texts[i]);
  free(f.looks);
  free(f.shape_accessors);
  free(f.mesh_of);
  free(f.floats);
  free(f.indices);
  return status;
}
