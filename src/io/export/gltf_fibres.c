// Fibres in glTF: one mesh of tubes (or lines) with a primitive for each material.
//
// Where there are several frames each after the first is a morph target whose weight is 1 at its time: between frames points
// go straight. As the file grows with frames times points, and the weights with frames times frames, that is done up to a
// bound; beyond it fibres are lines unless tubes were requested; beyond the limit of lines they keep their first shape, and a note says so.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/export/gltf.h"

enum { TUBE_SIDES = 6, MOST_TARGETS = 1000 };
#define MOST_TARGET_BYTES ((int64_t)512 << 20)

// The fibres of an export as vertices of tubes or of lines.
typedef struct Threads {
  int32_t sides;  // 0: lines
  int64_t count;  // vertices
  CpsVec3 *points, *normals, *first_points, *first_normals;
  int64_t targets;
  int32_t* target;  // accessors: points, and normals for tubes
} Threads;

static void free_threads(Threads* w) {
  free(w->points);
  free(w->normals);
  free(w->first_points);
  free(w->first_normals);
  free(w->target);
}

// Whether all frames after the first can be morph targets, of tubes or (0 sides) of lines.
static bool targets_fit(const CpsGltf* f, int32_t sides) {
  int64_t targets = cps_export_frames(f->e) - 1, points = f->e->things->point_count;
  int64_t bytes = sides > 0 ? 24 * sides : 12;  // points, and normals of tubes
  return targets <= MOST_TARGETS && targets * points <= MOST_TARGET_BYTES / bytes;
}

static bool take_threads(CpsGltf* f, Threads* w) {
  const CpsThings* t = f->e->things;
  w->sides = f->e->options.tube < 0 ? TUBE_SIDES : f->e->options.tube;
  if (f->e->options.tube < 0 && !targets_fit(f, TUBE_SIDES) && targets_fit(f, 0)) w->sides = 0;
  w->count = w->sides > 0 ? cps_export_tube_points(t, w->sides) : t->point_count;
  size_t size = (size_t)w->count * sizeof(CpsVec3);
  w->points = malloc(size);
  w->normals = malloc(size);
  w->first_points = malloc(size);
  w->first_normals = malloc(size);
  if (targets_fit(f, w->sides)) w->targets = cps_export_frames(f->e) - 1;
  w->target = malloc((size_t)(2 * w->targets + 1) * sizeof *w->target);
  return w->points && w->normals && w->first_points && w->first_normals && w->target &&
         cps_gltf_take_floats(f, 3 * w->count);
}

static CpsStatus read_threads(CpsGltf* f, Threads* w, int64_t index) {
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
static int32_t add_target(CpsGltf* f, const CpsVec3* now, const CpsVec3* first, int64_t count, bool bounds) {
  for (int64_t i = 0; i < count; ++i) {
    f->floats[3 * i] = (float)(now[i].x - first[i].x);
    f->floats[3 * i + 1] = (float)(now[i].y - first[i].y);
    f->floats[3 * i + 2] = (float)(now[i].z - first[i].z);
  }
  return cps_glb_floats(&f->glb, f->floats, count, 3, CPS_GLB_VERTICES, bounds);
}

static CpsStatus add_targets(CpsGltf* f, Threads* w) {
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

// Indices of the lines of one colour: pairs of points, or triangles of tubes.
static CpsStatus add_indices(CpsGltf* f, const Threads* w, int32_t material, int32_t* accessor) {
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

static void put_targets(CpsGltf* f, const Threads* w) {
  if (w->targets == 0) return;
  cps_grow_text(&f->mesh_text, ",\"targets\":[");
  for (int64_t k = 0; k < w->targets; ++k) {
    cps_grow_print(&f->mesh_text, "%s{\"POSITION\":%d", k > 0 ? "," : "", (int)w->target[2 * k]);
    if (w->sides > 0) cps_grow_print(&f->mesh_text, ",\"NORMAL\":%d", (int)w->target[2 * k + 1]);
    cps_grow_text(&f->mesh_text, "}");
  }
  cps_grow_text(&f->mesh_text, "]");
}

// One mesh with a primitive for each material.
static CpsStatus put_thread_mesh(CpsGltf* f, const Threads* w, int32_t points, int32_t normals) {
  CpsStatus status = CPS_OK;
  const char* comma = "";
  cps_grow_text(&f->mesh_text, f->mesh_count > 0 ? ",{\"primitives\":[" : "{\"primitives\":[");
  for (int32_t m = 0; status == CPS_OK && m < f->e->things->material_count; ++m) {
    int32_t indices = -1;
    status = add_indices(f, w, m, &indices);
    if (indices < 0) continue;
    cps_grow_print(&f->mesh_text, "%s{\"attributes\":{\"POSITION\":%d", comma, (int)points);
    if (w->sides > 0) cps_grow_print(&f->mesh_text, ",\"NORMAL\":%d", (int)normals);
    cps_grow_print(&f->mesh_text, "},\"indices\":%d,\"mode\":%d,\"material\":%d", (int)indices, w->sides > 0 ? 4 : 1,
                   (int)cps_gltf_look(f, CPS_KIND_FIBRE, m));
    put_targets(f, w);
    cps_grow_text(&f->mesh_text, "}");
    comma = ",";
  }
  cps_grow_text(&f->mesh_text, "]");
  for (int64_t k = 0; k < w->targets; ++k) cps_grow_text(&f->mesh_text, k > 0 ? ",0" : ",\"weights\":[0");
  cps_grow_text(&f->mesh_text, w->targets > 0 ? "]}" : "}");
  return status;
}

// The weight of a frame's target is 1 at the time of the frame; at the first frame, all weights are 0.
static CpsStatus add_weights(CpsGltf* f, const Threads* w, int32_t node) {
  CpsStatus status = cps_gltf_times(f);
  if (status != CPS_OK) return status;
  int64_t count = (w->targets + 1) * w->targets;
  if (!cps_gltf_take_floats(f, count)) return cps_export_no_memory(f->e);
  for (int64_t i = 0; i < count; ++i) f->floats[i] = 0.0F;
  for (int64_t k = 0; k < w->targets; ++k) f->floats[(k + 1) * w->targets + k] = 1.0F;
  cps_gltf_channel(f, node, "weights", cps_glb_floats(&f->glb, f->floats, count, 1, CPS_GLB_PLAIN, false));
  return CPS_OK;
}

static CpsStatus build_threads(CpsGltf* f, Threads* w) {
  if (!take_threads(f, w)) return cps_export_no_memory(f->e);
  CpsStatus status = read_threads(f, w, f->e->options.first);
  if (status != CPS_OK) return status;
  memcpy(w->first_points, w->points, (size_t)w->count * sizeof *w->points);
  memcpy(w->first_normals, w->normals, (size_t)w->count * sizeof *w->normals);
  int32_t points = cps_gltf_vectors(f, w->first_points, w->count, true);
  int32_t normals = w->sides > 0 ? cps_gltf_vectors(f, w->first_normals, w->count, false) : -1;
  status = add_targets(f, w);
  if (status == CPS_OK) status = put_thread_mesh(f, w, points, normals);
  if (status != CPS_OK) return status;
  int32_t node = f->node_count++;
  cps_grow_print(&f->nodes, ",{\"name\":\"fibres\",\"mesh\":%d}", (int)f->mesh_count++);
  cps_grow_print(&f->children, "%s%d", f->children.size > 0 ? "," : "", (int)node);
  if (w->targets == 0 && cps_export_frames(f->e) > 1) {
    snprintf(f->e->info.note, sizeof f->e->info.note,
             "fibres are not animated: %" PRId64 " frames of %" PRId64
             " points are too many for glTF; choose fewer frames",
             cps_export_frames(f->e), w->count);
  }
  return w->targets > 0 ? add_weights(f, w, node) : CPS_OK;
}

CpsStatus cps_gltf_fibres(CpsGltf* f) {
  if (f->e->things->line_count == 0) return CPS_OK;
  Threads w = {0};
  CpsStatus status = build_threads(f, &w);
  free_threads(&w);
  return status;
}
