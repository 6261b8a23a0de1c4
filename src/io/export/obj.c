// Wavefront OBJ: a folder with one file for each frame, and one file with the colours of the materials.
//
// Bodies and obstacles are triangles in the world with normals, sheets triangles, fibres are lines, or triangles where tubes are wanted. The
// format knows neither units nor an up axis: lengths are metres, z is up.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/quat.h"
#include "io/export/internal.h"

enum { DIGITS = 10, FLUSH = 1 << 20 };

typedef struct Folder {
  CpsExport* e;
  CpsExportMeshes meshes;
  CpsOutFolder folder;
  CpsGrow text, word;
  char* base;
  int32_t sides;  // of tubes; 0: lines
  CpsVec3 *tube_points, *tube_normals;
  int64_t* tube_indices;    // of the longest line
  int64_t points, normals;  // written so far
} Folder;

static void put_vector(CpsGrow* text, const char* key, CpsVec3 v) {
  const double values[3] = {v.x, v.y, v.z};
  cps_grow_numbers(text, values, 3, DIGITS, key, " ", "\n");
}

static void put_colour(Folder* f, CpsExportKind kind, int32_t material) {
  cps_grow_text(&f->text, "usemtl ");
  cps_grow_word(&f->text, cps_export_colour_name(f->e->things, kind, material));
  // a material may have the same name as a kind
  cps_grow_text(&f->text, material == 0 ? "\n" : "_material\n");
}

static void put_name(Folder* f, const char* name) {
  cps_grow_text(&f->text, "o ");
  cps_grow_word(&f->text, name);
  cps_grow_text(&f->text, "\n");
}

// Begins an owner: writes its name and colour before its first part.
static void begin_owner(Folder* f, int32_t i) {
  const CpsThings* t = f->e->things;
  const CpsResultPart* part = &t->parts[i];
  bool same = i > 0 && t->parts[i - 1].owner == part->owner && t->parts[i - 1].is_obstacle == part->is_obstacle;
  if (same) return;
  put_name(f, (part->is_obstacle ? t->obstacle_names : t->body_names)[part->owner]);
  if (part->is_obstacle) {
    put_colour(f, CPS_KIND_OBSTACLE, t->obstacle_materials[part->owner]);
  } else {
    put_colour(f, CPS_KIND_BODY, t->body_materials[part->owner]);
  }
}

static void put_part(Folder* f, const CpsFrame* frame, int32_t i) {
  const CpsTriangles* mesh = &f->meshes.mesh[f->meshes.of_part[i]];
  CpsPose pose = cps_export_part_pose(frame, &f->e->things->parts[i]);
  begin_owner(f, i);
  for (int32_t k = 0; k < mesh->point_count; ++k) put_vector(&f->text, "v ", cps_pose_apply(pose, mesh->points[k]));
  for (int32_t k = 0; k < mesh->point_count; ++k) {
    put_vector(&f->text, "vn ", cps_quat_rotate(pose.rotation, mesh->normals[k]));
  }
  for (int32_t k = 0; k < mesh->triangle_count; ++k) {
    cps_grow_text(&f->text, "f");
    for (int c = 0; c < 3; ++c) {
      int32_t at = mesh->triangles[3 * (int64_t)k + c] + 1;
      cps_grow_print(&f->text, " %" PRId64 "//%" PRId64, f->points + at, f->normals + at);
    }
    cps_grow_text(&f->text, "\n");
  }
  f->points += mesh->point_count;
  f->normals += mesh->point_count;
}

static void begin_line(Folder* f, int32_t l) {
  const CpsThings* t = f->e->things;
  if (t->lines[l].branch >= 0) return;
  put_name(f, t->fibre_names[t->lines[l].fibre]);
  put_colour(f, CPS_KIND_FIBRE, t->fibre_materials[t->lines[l].fibre]);
}

static void put_line(Folder* f, const CpsFrame* frame, int32_t l) {
  const CpsResultLine* line = &f->e->things->lines[l];
  begin_line(f, l);
  for (int32_t i = 0; i < line->count; ++i) put_vector(&f->text, "v ", frame->points[line->first + i]);
  // segment by segment: Blender 3.4 reads only the first two points of a longer line
  for (int32_t i = 1; i < line->count; ++i) {
    cps_grow_print(&f->text, "l %" PRId64 " %" PRId64 "\n", f->points + i, f->points + i + 1);
  }
  f->points += line->count;
}

static void put_tube(Folder* f, int32_t l) {
  const CpsResultLine* line = &f->e->things->lines[l];
  int64_t first = line->first * f->sides, count = (int64_t)line->count * f->sides;
  begin_line(f, l);
  for (int64_t i = first; i < first + count; ++i) put_vector(&f->text, "v ", f->tube_points[i]);
  for (int64_t i = first; i < first + count; ++i) put_vector(&f->text, "vn ", f->tube_normals[i]);
  int64_t triangles = cps_export_tube_indices(line, f->sides, 1 - first, f->tube_indices);
  for (int64_t k = 0; k < triangles; ++k) {
    cps_grow_text(&f->text, "f");
    for (int c = 0; c < 3; ++c) {
      int64_t at = f->tube_indices[3 * k + c];
      cps_grow_print(&f->text, " %" PRId64 "//%" PRId64, f->points + at, f->normals + at);
    }
    cps_grow_text(&f->text, "\n");
  }
  f->points += count;
  f->normals += count;
}

static void put_sheet(Folder* f, const CpsFrame* frame, int32_t i) {
  const CpsThings* t = f->e->things;
  const CpsResultSheet* sheet = &t->sheets[i];
  put_name(f, t->sheet_names[i]);
  put_colour(f, CPS_KIND_SHEET, t->sheet_materials[i]);
  for (int32_t k = 0; k < sheet->vertex_count; ++k)
    put_vector(&f->text, "v ", frame->vertices[sheet->first_vertex + k]);
  cps_grow_text(&f->text, "s 1\n");
  for (int64_t k = sheet->first_triangle; k < sheet->first_triangle + sheet->triangle_count; ++k) {
    const int64_t shift = f->points + 1 - sheet->first_vertex;
    const int32_t* corner = t->triangles + 3 * k;
    cps_grow_print(&f->text, "f %" PRId64 " %" PRId64 " %" PRId64 "\n", shift + corner[0], shift + corner[1],
                   shift + corner[2]);
  }
  cps_grow_text(&f->text, "s off\n");
  f->points += sheet->vertex_count;
}

static void put_frame(Folder* f, const CpsFrame* frame, CpsOut* out) {
  const CpsThings* t = f->e->things;
  f->points = f->normals = 0;
  cps_grow_print(&f->text, "# frame %" PRId64 " at ", frame->index);
  cps_grow_number(&f->text, frame->time, 17);
  cps_grow_text(&f->text, " s; metres, z up\nmtllib ");
  cps_grow_word(&f->text, f->base);
  cps_grow_text(&f->text, ".mtl\n");
  for (int32_t i = 0; i < t->part_count; ++i) {
    put_part(f, frame, i);
    if (f->text.size > FLUSH) cps_out_flush(out, &f->text);
  }
  for (int32_t i = 0; i < t->sheet_count; ++i) {
    put_sheet(f, frame, i);
    if (f->text.size > FLUSH) cps_out_flush(out, &f->text);
  }
  if (f->sides > 0) cps_export_tube_fill(t, frame, f->sides, f->tube_points, f->tube_normals);
  for (int32_t l = 0; l < t->line_count; ++l) {
    if (f->sides > 0) {
      put_tube(f, l);
    } else {
      put_line(f, frame, l);
    }
    if (f->text.size > FLUSH) cps_out_flush(out, &f->text);
  }
  cps_out_flush(out, &f->text);
}

// Begins a file of the folder; its name may only contain the characters allowed in the name of the file of colours.
static CpsStatus begin_file(Folder* f, const char* ending, CpsOut* out) {
  cps_grow_clear(&f->word);
  cps_grow_word(&f->word, f->base);
  cps_grow_add(&f->word, ending, strlen(ending) + 1);
  char* path = f->word.failed ? NULL : cps_out_folder_file(&f->folder, f->word.at);
  CpsStatus status = path ? cps_out_create(out, path, f->e->error) : cps_export_no_memory(f->e);
  free(path);
  return status;
}

static CpsStatus end_file(Folder* f, CpsOut* out) {
  CpsStatus status = cps_out_end(out, f->e->error);
  f->e->info.files++;
  f->e->info.bytes += out->bytes;
  return status;
}

static CpsStatus write_frame(Folder* f, int64_t index) {
  const CpsFrame* frame = NULL;
  CpsOut out = {0};
  char ending[40];
  snprintf(ending, sizeof ending, "-%04" PRId64 ".obj", index);
  CpsStatus status = cps_export_read_finite(f->e, index, &frame);
  if (status == CPS_OK) status = begin_file(f, ending, &out);
  if (status != CPS_OK) return status;
  put_frame(f, frame, &out);
  return end_file(f, &out);
}

static void put_material(Folder* f, CpsExportKind kind, int32_t material) {
  cps_grow_text(&f->text, "newmtl ");
  cps_grow_word(&f->text, cps_export_colour_name(f->e->things, kind, material));
  cps_grow_text(&f->text, material == 0 ? "\n" : "_material\n");
  put_vector(&f->text, "Kd ", cps_export_colour(kind, material));
  cps_grow_text(&f->text, "Ks 0.1 0.1 0.1\nNs 40\nillum 2\n\n");
}

static CpsStatus write_materials(Folder* f) {
  CpsOut out = {0};
  CpsStatus status = begin_file(f, ".mtl", &out);
  if (status != CPS_OK) return status;
  const int last = f->e->things->sheet_count > 0 ? CPS_KIND_SHEET : CPS_KIND_FIBRE;
  for (int kind = CPS_KIND_BODY; kind <= last; ++kind) put_material(f, (CpsExportKind)kind, 0);
  for (int32_t i = 1; i < f->e->things->material_count; ++i) put_material(f, CPS_KIND_BODY, i);
  cps_out_flush(&out, &f->text);
  return end_file(f, &out);
}

static CpsStatus take_tubes(Folder* f) {
  const CpsThings* t = f->e->things;
  f->sides = f->e->options.tube > 0 ? f->e->options.tube : 0;
  if (f->sides == 0) return CPS_OK;
  int64_t points = cps_export_tube_points(t, f->sides), longest = 0;
  for (int32_t l = 0; l < t->line_count; ++l) {
    if (t->lines[l].count > longest) longest = t->lines[l].count;
  }
  f->tube_points = malloc((size_t)(points + 1) * sizeof *f->tube_points);
  f->tube_normals = malloc((size_t)(points + 1) * sizeof *f->tube_normals);
  f->tube_indices = malloc((size_t)(longest + 1) * (size_t)f->sides * 6 * sizeof *f->tube_indices);
  bool done = f->tube_points && f->tube_normals && f->tube_indices;
  return done ? CPS_OK : cps_export_no_memory(f->e);
}

static CpsStatus write_folder(Folder* f) {
  CpsExport* e = f->e;
  CpsStatus status = cps_export_meshes_make(e, &f->meshes);
  if (status == CPS_OK) status = take_tubes(f);
  if (status == CPS_OK) status = write_materials(f);
  for (int64_t k = e->options.first; status == CPS_OK && k <= e->options.last; ++k) {
    status = write_frame(f, k);
    if (status == CPS_OK) status = cps_export_progress(e, k - e->options.first + 1);
  }
  if (status == CPS_OK) status = cps_out_folder_end(&f->folder, e->error);
  if (status == CPS_OK) e->info.frames = cps_export_frames(e);
  return status;
}

CpsStatus cps_export_obj(CpsExport* e) {
  Folder f = {.e = e, .base = cps_export_base_name(e)};
  CpsStatus status = f.base ? cps_out_folder_begin(&f.folder, e->path, ".obj .mtl", e->error) : cps_export_no_memory(e);
  if (status == CPS_OK) status = write_folder(&f);
  cps_out_folder_discard(&f.folder);
  cps_export_meshes_free(&f.meshes);
  cps_grow_free(&f.text);
  cps_grow_free(&f.word);
  free(f.tube_points);
  free(f.tube_normals);
  free(f.tube_indices);
  free(f.base);
  return status;
}
