// glTF 2.0, binary: a node for each body and obstacle with a mesh for each of its parts, and one mesh for all fibres
// (gltf_fibres.c), one for each sheet (gltf_sheets.c), and lines for the contacts (gltf_contacts.c). Motions are node animations. The root node turns the z axis up into glTF's y axis up.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "io/export/gltf.h"

enum { DIGITS = 9 };

bool cps_gltf_take_floats(CpsGltf* f, int64_t count) {
  if (count <= f->float_room) return true;
  float* grown = realloc(f->floats, (size_t)count * sizeof *grown);
  if (!grown) return false;
  f->floats = grown;
  f->float_room = count;
  return true;
}

int32_t cps_gltf_vectors(CpsGltf* f, const CpsVec3* v, int64_t count, bool bounds) {
  for (int64_t i = 0; i < count; ++i) {
    f->floats[3 * i] = (float)v[i].x;
    f->floats[3 * i + 1] = (float)v[i].y;
    f->floats[3 * i + 2] = (float)v[i].z;
  }
  return cps_glb_floats(&f->glb, f->floats, count, 3, CPS_GLB_VERTICES, bounds);
}

// Number of a colour, added on first use.
int32_t cps_gltf_look(CpsGltf* f, CpsExportKind kind, int32_t material) {
  if (material > 0) kind = CPS_KIND_BODY;
  for (int32_t i = 0; i < f->look_count; ++i) {
    if (f->looks[i].kind == kind && f->looks[i].material == material) return i;
  }
  f->looks[f->look_count] = (CpsGltfLook){kind, material};
  CpsVec3 c = cps_export_colour(kind, material);
  const double rgba[4] = {c.x, c.y, c.z, 1.0};
  cps_grow_text(&f->looks_text, f->look_count > 0 ? ",{\"name\":" : "{\"name\":");
  cps_grow_json(&f->looks_text, cps_export_colour_name(f->e->things, kind, material));
  cps_grow_text(&f->looks_text,
                ",\"doubleSided\":true,\"pbrMetallicRoughness\":{\"metallicFactor\":0,"
                "\"roughnessFactor\":0.6,\"baseColorFactor\":");
  cps_grow_numbers(&f->looks_text, rgba, 4, DIGITS, "[", ",", "]}}");
  return f->look_count++;
}

static CpsStatus add_shape(CpsGltf* f, int32_t mesh) {
  const CpsTriangles* t = &f->meshes.mesh[mesh];
  int64_t indices = 3 * (int64_t)t->triangle_count;
  uint32_t* grown = realloc(f->indices, (size_t)(indices + 1) * sizeof *grown);
  if (grown) f->indices = grown;
  if (!grown || !cps_gltf_take_floats(f, 3 * (int64_t)t->point_count)) return cps_export_no_memory(f->e);
  for (int64_t i = 0; i < indices; ++i) f->indices[i] = (uint32_t)t->triangles[i];
  int32_t* a = f->shape_accessors + 3 * (int64_t)mesh;
  a[0] = cps_gltf_vectors(f, t->points, t->point_count, true);
  a[1] = cps_gltf_vectors(f, t->normals, t->point_count, false);
  a[2] = cps_glb_indices(&f->glb, f->indices, indices);
  return CPS_OK;
}

// glTF's mesh of a part: its shape in its colour.
static CpsStatus find_mesh(CpsGltf* f, int32_t i, int32_t* number) {
  const CpsThings* t = f->e->things;
  const CpsResultPart* part = &t->parts[i];
  int32_t mesh = f->meshes.of_part[i];
  int32_t material = (part->is_obstacle ? t->obstacle_materials : t->body_materials)[part->owner];
  int32_t look = cps_gltf_look(f, part->is_obstacle ? CPS_KIND_OBSTACLE : CPS_KIND_BODY, material);
  // parts with the same shape mostly have the same colour: the last mesh is kept
  int32_t* known = f->mesh_of + 2 * (int64_t)mesh;
  if (known[0] == look) {
    *number = known[1];
    return CPS_OK;
  }
  const int32_t* a = f->shape_accessors + 3 * (int64_t)mesh;
  CpsStatus status = a[0] < 0 ? add_shape(f, mesh) : CPS_OK;
  cps_grow_print(&f->mesh_text,
                 "%s{\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d},\"indices\":%d,"
                 "\"material\":%d}]}",
                 f->mesh_count > 0 ? "," : "", (int)a[0], (int)a[1], (int)a[2], (int)look);
  known[0] = look;
  known[1] = *number = f->mesh_count++;
  return status;
}

static void put_pose(CpsGrow* text, const CpsPose* pose) {
  const double x[3] = {pose->position.x, pose->position.y, pose->position.z};
  const double q[4] = {pose->rotation.x, pose->rotation.y, pose->rotation.z, pose->rotation.w};
  cps_grow_text(text, ",\"translation\":");
  cps_grow_numbers(text, x, 3, DIGITS, "[", ",", "]");
  cps_grow_text(text, ",\"rotation\":");
  cps_grow_numbers(text, q, 4, DIGITS, "[", ",", "]");
}

// Times of the frames relative to the first, which must differ in single precision.
CpsStatus cps_gltf_times(CpsGltf* f) {
  CpsExport* e = f->e;
  if (f->time_accessor >= 0) return CPS_OK;
  int64_t frames = cps_export_frames(e);
  if (!cps_gltf_take_floats(f, frames)) return cps_export_no_memory(e);
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

void cps_gltf_channel(CpsGltf* f, int32_t node, const char* path, int32_t output) {
  cps_grow_print(&f->samplers, "%s{\"input\":%d,\"output\":%d}", f->sampler_count > 0 ? "," : "", (int)f->time_accessor,
                 (int)output);
  cps_grow_print(&f->channels, "%s{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}",
                 f->channel_count++ > 0 ? "," : "", (int)f->sampler_count++, (int)node, path);
}

static CpsStatus add_motion(CpsGltf* f, int32_t node, const CpsPose* track) {
  int64_t frames = cps_export_frames(f->e);
  CpsStatus status = cps_gltf_times(f);
  if (status != CPS_OK) return status;
  if (!cps_gltf_take_floats(f, 4 * frames)) return cps_export_no_memory(f->e);
  for (int64_t k = 0; k < frames; ++k) {
    f->floats[3 * k] = (float)track[k].position.x;
    f->floats[3 * k + 1] = (float)track[k].position.y;
    f->floats[3 * k + 2] = (float)track[k].position.z;
  }
  cps_gltf_channel(f, node, "translation", cps_glb_floats(&f->glb, f->floats, frames, 3, CPS_GLB_PLAIN, false));
  for (int64_t k = 0; k < frames; ++k) {
    f->floats[4 * k] = (float)track[k].rotation.x;
    f->floats[4 * k + 1] = (float)track[k].rotation.y;
    f->floats[4 * k + 2] = (float)track[k].rotation.z;
    f->floats[4 * k + 3] = (float)track[k].rotation.w;
  }
  cps_gltf_channel(f, node, "rotation", cps_glb_floats(&f->glb, f->floats, frames, 4, CPS_GLB_PLAIN, false));
  return CPS_OK;
}

// Writes a name like "ball part 0", so that outliners show the groups.
static void put_part_name(CpsGltf* f, const char* owner, int32_t number) {
  CpsGrow name = {0};
  cps_grow_print(&name, "%s part %d", owner, (int)number);
  cps_grow_add(&name, "", 1);
  if (name.failed) {
    f->nodes.failed = true;
  } else {
    cps_grow_text(&f->nodes, ",{\"name\":");
    cps_grow_json(&f->nodes, name.at);
  }
  cps_grow_free(&name);
}

// Adds a node for each part of an owner, from *part on, and its number to the JSON of the owner's children.
static CpsStatus add_parts(CpsGltf* f, int32_t owner, bool obstacles, int32_t* part, CpsGrow* children) {
  const CpsThings* t = f->e->things;
  CpsStatus status = CPS_OK;
  const char* comma = "";
  const char* name = (obstacles ? t->obstacle_names : t->body_names)[owner];
  int32_t number = 0;
  for (; status == CPS_OK && *part < t->part_count && t->parts[*part].owner == owner &&
         t->parts[*part].is_obstacle == obstacles;
       ++*part) {
    int32_t mesh = 0;
    status = find_mesh(f, *part, &mesh);
    put_part_name(f, name, number++);
    cps_grow_print(&f->nodes, ",\"mesh\":%d", (int)mesh);
    put_pose(&f->nodes, &t->parts[*part].pose);
    cps_grow_text(&f->nodes, "}");
    cps_grow_print(children, "%s%d", comma, (int)f->node_count++);
    comma = ",";
  }
  return status;
}

static CpsStatus add_owner(CpsGltf* f, const CpsExportTracks* tracks, int32_t i, int32_t* part) {
  const CpsThings* t = f->e->things;
  int32_t owner = tracks->first + i;
  const CpsPose* track = tracks->pose + i * cps_export_frames(f->e);
  CpsGrow parts = {0};
  CpsStatus status = add_parts(f, owner, tracks->obstacles, part, &parts);
  int32_t node = f->node_count++;
  cps_grow_text(&f->nodes, ",{\"name\":");
  cps_grow_json(&f->nodes, (tracks->obstacles ? t->obstacle_names : t->body_names)[owner]);
  put_pose(&f->nodes, track);
  if (parts.size > 0) {
    cps_grow_text(&f->nodes, ",\"children\":[");
    cps_grow_add(&f->nodes, parts.at, parts.size);
    cps_grow_text(&f->nodes, "]");
  }
  cps_grow_text(&f->nodes, "}");
  cps_grow_print(&f->children, "%s%d", f->children.size > 0 ? "," : "", (int)node);
  if (parts.failed) status = cps_export_no_memory(f->e);
  cps_grow_free(&parts);
  if (status == CPS_OK && cps_export_track_moves(f->e, track)) status = add_motion(f, node, track);
  return status;
}

static CpsStatus add_owners(CpsGltf* f, bool obstacles, int32_t* part) {
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

static void put_list(CpsGrow* json, const char* key, CpsGrow* items) {
  if (items->failed) json->failed = true;
  if (items->size == 0) return;
  cps_grow_print(json, ",\"%s\":[", key);
  cps_grow_add(json, items->at, items->size);
  cps_grow_text(json, "]");
}

static void put_json(CpsGltf* f) {
  CpsGrow* j = &f->json;
  cps_grow_print(j, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"capstan %s\"}", cps_version());
  cps_grow_text(j, ",\"scene\":0,\"scenes\":[{\"name\":");
  cps_grow_json(j, f->e->things->title);
  // z up becomes y up
  cps_grow_text(j,
                ",\"nodes\":[0]}],\"nodes\":[{\"name\":\"z up\","
                "\"rotation\":[-0.707106781,0,0,0.707106781]");
  put_list(j, "children", &f->children);
  cps_grow_text(j, "}");
  if (f->nodes.failed) j->failed = true;
  cps_grow_add(j, f->nodes.at, f->nodes.size);
  cps_grow_text(j, "]");
  put_list(j, "meshes", &f->mesh_text);
  put_list(j, "materials", &f->looks_text);
  if (f->channel_count == 0) return;
  cps_grow_text(j, ",\"animations\":[{\"name\":\"motion\"");
  put_list(j, "samplers", &f->samplers);
  put_list(j, "channels", &f->channels);
  cps_grow_text(j, "}]");
}

static CpsStatus build(CpsGltf* f) {
  CpsExport* e = f->e;
  int32_t part = 0;
  size_t meshes = (size_t)f->meshes.count + 1;
  f->looks = malloc(((size_t)e->things->material_count + 4) * sizeof *f->looks);
  f->shape_accessors = malloc(3 * meshes * sizeof *f->shape_accessors);
  f->mesh_of = malloc(2 * meshes * sizeof *f->mesh_of);
  if (!f->looks || !f->shape_accessors || !f->mesh_of) return cps_export_no_memory(e);
  for (size_t i = 0; i < 3 * meshes; ++i) f->shape_accessors[i] = -1;
  for (size_t i = 0; i < 2 * meshes; ++i) f->mesh_of[i] = -1;
  f->node_count = 1;
  f->time_accessor = -1;
  CpsStatus status = add_owners(f, false, &part);
  if (status == CPS_OK) status = add_owners(f, true, &part);
  if (status == CPS_OK) status = cps_gltf_fibres(f);
  if (status == CPS_OK) status = cps_gltf_sheets(f);
  if (status == CPS_OK && e->options.contacts) status = cps_gltf_contacts(f);
  if (status == CPS_OK) status = cps_export_progress(e, cps_export_frames(e));
  e->info.frames = cps_export_frames(e);
  return status;
}

static CpsStatus write_file(CpsGltf* f) {
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
  CpsGltf f = {.e = e};
  CpsStatus status = cps_export_meshes_make(e, &f.meshes);
  if (status == CPS_OK) status = write_file(&f);
  cps_out_discard(&f.out);
  cps_glb_free(&f.glb);
  cps_export_meshes_free(&f.meshes);
  CpsGrow* const texts[] = {&f.json, &f.nodes, &f.mesh_text, &f.samplers, &f.channels, &f.children, &f.looks_text};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) cps_grow_free(texts[i]);
  free(f.looks);
  free(f.shape_accessors);
  free(f.mesh_of);
  free(f.floats);
  free(f.indices);
  return status;
}
