// Sheets in glTF: a node for each, with a morph target for each frame after the first, as fibres have (gltf_fibres.c). Normals
// are sums of the area vectors of the triangles around a vertex. Impulses of contacts, N s, are the attribute _IMPULSE, those of the
// first frame: targets have none.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/vec3.h"
#include "io/export/gltf.h"

enum { MOST_TARGETS = 1000 };
#define MOST_TARGET_BYTES ((int64_t)512 << 20)

// The vertices of all sheets in the first and in the current frame.
typedef struct Cloth {
  int64_t targets;
  CpsVec3 *points, *normals, *impulses, *first_points, *first_normals, *first_impulses;
  bool has_impulses;
  int32_t* target;  // accessors of one sheet: points, normals and impulses of each target
} Cloth;

static void free_cloth(Cloth* c) {
  free(c->points);
  free(c->normals);
  free(c->impulses);
  free(c->first_points);
  free(c->first_normals);
  free(c->first_impulses);
  free(c->target);
}

static bool take_cloth(CpsGltf* f, Cloth* c) {
  const CpsThings* t = f->e->things;
  const size_t size = (size_t)(t->vertex_count + 1) * sizeof(CpsVec3);
  int64_t targets = cps_export_frames(f->e) - 1;
  c->targets = targets <= MOST_TARGETS && targets * t->vertex_count <= MOST_TARGET_BYTES / 36 ? targets : 0;
  c->points = malloc(size);
  c->normals = malloc(size);
  c->impulses = malloc(size);
  c->first_points = malloc(size);
  c->first_normals = malloc(size);
  c->first_impulses = malloc(size);
  c->target = malloc((size_t)(3 * c->targets + 1) * sizeof *c->target);
  uint32_t* grown = realloc(f->indices, (3 * (size_t)t->triangle_count + 1) * sizeof *grown);
  if (grown) f->indices = grown;
  return grown && c->points && c->normals && c->impulses && c->first_points && c->first_normals && c->first_impulses &&
         c->target && cps_gltf_take_floats(f, 3 * t->vertex_count);
}

static CpsStatus read_cloth(CpsGltf* f, Cloth* c, int64_t index) {
  const CpsThings* t = f->e->things;
  const CpsFrame* frame = NULL;
  CpsStatus status = cps_export_read_finite(f->e, index, &frame);
  if (status != CPS_OK) return status;
  const CpsVec3* x = frame->vertices;
  memcpy(c->points, x, (size_t)t->vertex_count * sizeof *x);
  c->has_impulses = frame->vertex_impulses != NULL;
  if (c->has_impulses) memcpy(c->impulses, frame->vertex_impulses, (size_t)t->vertex_count * sizeof *c->impulses);
  memset(c->normals, 0, (size_t)t->vertex_count * sizeof *c->normals);
  for (int64_t i = 0; i < t->triangle_count; ++i) {
    const int32_t* k = t->triangles + 3 * i;
    CpsVec3 n = cps_vec3_cross(cps_vec3_sub(x[k[1]], x[k[0]]), cps_vec3_sub(x[k[2]], x[k[0]]));
    for (int j = 0; j < 3; ++j) c->normals[k[j]] = cps_vec3_add(c->normals[k[j]], n);
  }
  for (int64_t i = 0; i < t->vertex_count; ++i) {
    double length = cps_vec3_norm(c->normals[i]);
    c->normals[i] = length > 0.0 ? cps_vec3_scale(1.0 / length, c->normals[i]) : (CpsVec3){0.0, 0.0, 1.0};
  }
  return CPS_OK;
}

// Differences from the first frame.
static int32_t add_target(CpsGltf* f, const CpsVec3* now, const CpsVec3* first, int64_t count, bool bounds) {
  for (int64_t i = 0; i < count; ++i) {
    CpsVec3 d = cps_vec3_sub(now[i], first[i]);
    f->floats[3 * i] = (float)d.x;
    f->floats[3 * i + 1] = (float)d.y;
    f->floats[3 * i + 2] = (float)d.z;
  }
  return cps_glb_floats(&f->glb, f->floats, count, 3, CPS_GLB_VERTICES, bounds);
}

static CpsStatus add_targets(CpsGltf* f, Cloth* c, const CpsResultSheet* sheet) {
  const int64_t first = sheet->first_vertex, count = sheet->vertex_count;
  CpsStatus status = CPS_OK;
  for (int64_t k = 0; status == CPS_OK && k < c->targets; ++k) {
    status = read_cloth(f, c, f->e->options.first + 1 + k);
    if (status != CPS_OK) return status;
    c->target[3 * k] = add_target(f, c->points + first, c->first_points + first, count, true);
    c->target[3 * k + 1] = add_target(f, c->normals + first, c->first_normals + first, count, false);
    if (!c->has_impulses) continue;
    c->target[3 * k + 2] = add_target(f, c->impulses + first, c->first_impulses + first, count, false);
  }
  return status;
}

// Accessors of constant data; impulses < 0 if there are none.
typedef struct Still {
  int32_t points, normals, impulses, indices;
} Still;

static void put_mesh(CpsGltf* f, const Cloth* c, int32_t look, Still still) {
  CpsGrow* text = &f->mesh_text;
  cps_grow_print(text, "%s{\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d",
                 f->mesh_count > 0 ? "," : "", (int)still.points, (int)still.normals);
  if (still.impulses >= 0) cps_grow_print(text, ",\"_IMPULSE\":%d", (int)still.impulses);
  cps_grow_print(text, "},\"indices\":%d,\"mode\":4,\"material\":%d", (int)still.indices, (int)look);
  for (int64_t k = 0; k < c->targets; ++k) {
    cps_grow_print(text, "%s{\"POSITION\":%d,\"NORMAL\":%d", k > 0 ? "," : ",\"targets\":[", (int)c->target[3 * k],
                   (int)c->target[3 * k + 1]);
    if (still.impulses >= 0) cps_grow_print(text, ",\"_IMPULSE\":%d", (int)c->target[3 * k + 2]);
    cps_grow_text(text, "}");
  }
  cps_grow_text(text, c->targets > 0 ? "]}]" : "}]");
  for (int64_t k = 0; k < c->targets; ++k) cps_grow_text(text, k > 0 ? ",0" : ",\"weights\":[0");
  cps_grow_text(text, c->targets > 0 ? "]}" : "}");
}

// The weight of a frame's target is 1 at the time of the frame; at the first frame, all weights are 0.
static CpsStatus add_weights(CpsGltf* f, const Cloth* c, int32_t node) {
  CpsStatus status = cps_gltf_times(f);
  if (status != CPS_OK) return status;
  int64_t count = (c->targets + 1) * c->targets;
  if (!cps_gltf_take_floats(f, count)) return cps_export_no_memory(f->e);
  for (int64_t i = 0; i < count; ++i) f->floats[i] = 0.0F;
  for (int64_t k = 0; k < c->targets; ++k) f->floats[(k + 1) * c->targets + k] = 1.0F;
  cps_gltf_channel(f, node, "weights", cps_glb_floats(&f->glb, f->floats, count, 1, CPS_GLB_PLAIN, false));
  return CPS_OK;
}

static CpsStatus add_sheet(CpsGltf* f, Cloth* c, int32_t i) {
  const CpsThings* t = f->e->things;
  const CpsResultSheet* sheet = &t->sheets[i];
  const int64_t corners = 3 * (int64_t)sheet->triangle_count;
  for (int64_t k = 0; k < corners; ++k) {
    f->indices[k] = (uint32_t)(t->triangles[3 * sheet->first_triangle + k] - sheet->first_vertex);
  }
  Still still = {.impulses = -1};
  still.points = cps_gltf_vectors(f, c->first_points + sheet->first_vertex, sheet->vertex_count, true);
  still.normals = cps_gltf_vectors(f, c->first_normals + sheet->first_vertex, sheet->vertex_count, false);
  if (c->has_impulses) {
    still.impulses = cps_gltf_vectors(f, c->first_impulses + sheet->first_vertex, sheet->vertex_count, false);
  }
  still.indices = cps_glb_indices(&f->glb, f->indices, corners);
  CpsStatus status = add_targets(f, c, sheet);
  if (status != CPS_OK) return status;
  put_mesh(f, c, cps_gltf_look(f, CPS_KIND_SHEET, t->sheet_materials[i]), still);
  int32_t node = f->node_count++;
  cps_grow_text(&f->nodes, ",{\"name\":");
  cps_grow_json(&f->nodes, t->sheet_names[i]);
  cps_grow_print(&f->nodes, ",\"mesh\":%d}", (int)f->mesh_count++);
  cps_grow_print(&f->children, "%s%d", f->children.size > 0 ? "," : "", (int)node);
  return c->targets > 0 ? add_weights(f, c, node) : CPS_OK;
}

CpsStatus cps_gltf_sheets(CpsGltf* f) {
  const CpsThings* t = f->e->things;
  if (t->sheet_count == 0) return CPS_OK;
  Cloth c = {0};
  CpsStatus status = take_cloth(f, &c) ? read_cloth(f, &c, f->e->options.first) : cps_export_no_memory(f->e);
  if (status == CPS_OK) {
    memcpy(c.first_points, c.points, (size_t)t->vertex_count * sizeof *c.points);
    memcpy(c.first_normals, c.normals, (size_t)t->vertex_count * sizeof *c.normals);
    if (c.has_impulses) memcpy(c.first_impulses, c.impulses, (size_t)t->vertex_count * sizeof *c.impulses);
  }
  for (int32_t i = 0; status == CPS_OK && i < t->sheet_count; ++i) status = add_sheet(f, &c, i);
  if (status == CPS_OK && c.targets == 0 && cps_export_frames(f->e) > 1) {
    snprintf(f->e->info.note, sizeof f->e->info.note,
             "sheets are not animated: %" PRId64 " frames of %" PRId64
             " vertices are too many for glTF; choose fewer frames",
             cps_export_frames(f->e), t->vertex_count);
  }
  free_cloth(&c);
  return status;
}
