// The text messages: the scene and errors.
#include "server/stream.h"

static void key(CpsBuffer* out, const char* name) {
  cps_buffer_text(out, ",");
  cps_buffer_string(out, name);
  cps_buffer_text(out, ":");
}

static void put_bool(CpsBuffer* out, const char* name, bool value) {
  key(out, name);
  cps_buffer_text(out, value ? "true" : "false");
}

static void put_string(CpsBuffer* out, const char* name, const char* value) {
  key(out, name);
  cps_buffer_string(out, value);
}

static void put_things(CpsBuffer* out, const char* name, const char* const* names, const int32_t* materials,
                       int32_t count) {
  key(out, name);
  cps_buffer_text(out, "[");
  for (int32_t i = 0; i < count; ++i) {
    cps_buffer_text(out, i == 0 ? "{\"name\":" : ",{\"name\":");
    cps_buffer_string(out, names[i]);
    cps_buffer_text(out, ",\"material\":");
    cps_buffer_integer(out, materials ? materials[i] : 0);
    cps_buffer_text(out, "}");
  }
  cps_buffer_text(out, "]");
}

static void put_strings(CpsBuffer* out, const char* name, const char* const* strings, int32_t count) {
  key(out, name);
  cps_buffer_text(out, "[");
  for (int32_t i = 0; i < count; ++i) {
    if (i > 0) cps_buffer_text(out, ",");
    cps_buffer_string(out, strings[i]);
  }
  cps_buffer_text(out, "]");
}

static void put_measures(CpsBuffer* out, const CpsShape* shape, int32_t mesh) {
  static const char* const KINDS[] = {[CPS_SHAPE_SPHERE] = "sphere",
                                      [CPS_SHAPE_BOX] = "box",
                                      [CPS_SHAPE_CAPSULE] = "capsule",
                                      [CPS_SHAPE_CYLINDER] = "cylinder",
                                      [CPS_SHAPE_PLANE] = "plane"};
  bool is_mesh = mesh >= 0;
  bool is_long = shape->kind == CPS_SHAPE_CAPSULE || shape->kind == CPS_SHAPE_CYLINDER;
  put_string(out, "kind", is_mesh ? "mesh" : KINDS[shape->kind]);
  if (is_mesh) {
    key(out, "mesh");
    cps_buffer_integer(out, mesh);
  }
  if (is_long || shape->kind == CPS_SHAPE_SPHERE) {
    key(out, "radius");
    cps_buffer_number(out, shape->radius);
  }
  if (is_long) {
    key(out, "length");
    cps_buffer_number(out, shape->length);
  }
  if (shape->kind == CPS_SHAPE_BOX) {
    key(out, "size");
    cps_buffer_numbers(out, (double[]){shape->size.x, shape->size.y, shape->size.z}, 3);
  }
}

static void put_parts(CpsBuffer* out, const CpsThings* things, const int32_t* mesh_of_part) {
  key(out, "parts");
  cps_buffer_text(out, "[");
  for (int32_t i = 0; i < things->part_count; ++i) {
    const CpsResultPart* part = &things->parts[i];
    const CpsVec3 p = part->pose.position;
    const CpsQuat q = part->pose.rotation;
    cps_buffer_text(out, i == 0 ? "{\"obstacle\":" : ",{\"obstacle\":");
    cps_buffer_text(out, part->is_obstacle ? "true" : "false");
    key(out, "owner");
    cps_buffer_integer(out, part->owner);
    put_measures(out, &part->shape, mesh_of_part[i]);
    key(out, "pose");
    cps_buffer_numbers(out, (double[]){p.x, p.y, p.z, q.w, q.x, q.y, q.z}, 7);
    cps_buffer_text(out, "}");
  }
  cps_buffer_text(out, "]");
}

static void put_lines(CpsBuffer* out, const CpsThings* things) {
  static const char* const COLUMNS[] = {"{\"fibre\":[", "],\"count\":[", "],\"radius\":[", "],\"tip\":["};
  key(out, "lines");
  for (int column = 0; column < 4; ++column) {
    cps_buffer_text(out, COLUMNS[column]);
    for (int32_t i = 0; i < things->line_count; ++i) {
      const CpsResultLine* line = &things->lines[i];
      if (i > 0) cps_buffer_text(out, ",");
      if (column >= 2) {
        cps_buffer_number(out, column == 2 ? line->radius : line->radius_tip);
      } else {
        cps_buffer_integer(out, column == 0 ? line->fibre : line->count);
      }
    }
  }
  cps_buffer_text(out, "]}");
  key(out, "ties");
  cps_buffer_integer(out, things->tie_count);
}

// One entry per sheet: its numbers of vertices and triangles, in order.
static void put_sheets(CpsBuffer* out, const CpsThings* things) {
  static const char* const COLUMNS[] = {"{\"vertices\":[", "],\"triangles\":[", "],\"thickness\":["};
  put_things(out, "sheets", things->sheet_names, things->sheet_materials, things->sheet_count);
  key(out, "surfaces");
  for (int column = 0; column < 3; ++column) {
    cps_buffer_text(out, COLUMNS[column]);
    for (int32_t i = 0; i < things->sheet_count; ++i) {
      const CpsResultSheet* sheet = &things->sheets[i];
      if (i > 0) cps_buffer_text(out, ",");
      if (column == 2) {
        cps_buffer_number(out, sheet->thickness);
      } else {
        cps_buffer_integer(out, column == 0 ? sheet->vertex_count : sheet->triangle_count);
      }
    }
  }
  cps_buffer_text(out, "]}");
}

static void put_vector(CpsBuffer* out, const char* name, CpsVec3 v) {
  key(out, name);
  cps_buffer_numbers(out, (double[]){v.x, v.y, v.z}, 3);
}

static bool is_zero(CpsVec3 v) {
  return v.x == 0.0 && v.y == 0.0 && v.z == 0.0;
}

// The position of the camera, or only its direction.
static void put_camera(CpsBuffer* out, const CpsSceneFacts* facts) {
  const CpsCamera* camera = &facts->camera;
  CpsVec3 e = camera->eye, t = camera->target, direction = {e.x - t.x, e.y - t.y, e.z - t.z};
  put_vector(out, "up", is_zero(camera->up) ? (CpsVec3){0.0, 0.0, 1.0} : camera->up);
  if (!facts->camera_placed && is_zero(direction)) {
    cps_buffer_text(out, ",\"camera\":null");
    return;
  }
  cps_buffer_text(out, ",\"camera\":{\"fov\":");
  cps_buffer_number(out, camera->fov);
  if (facts->camera_placed) {
    put_vector(out, "eye", e);
    put_vector(out, "target", t);
  } else {
    put_vector(out, "direction", direction);
  }
  cps_buffer_text(out, "}");
}

void cps_stream_scene(CpsBuffer* out, const CpsThings* things, const CpsSceneFacts* facts) {
  int32_t series_count = 0;
  while (facts->series[series_count]) series_count++;
  cps_buffer_text(out, "{\"type\":\"scene\"");
  put_string(out, "mode", facts->live ? "live" : "result");
  put_string(out, "title", things->title);
  put_string(out, "file", facts->file);
  put_string(out, "version", cps_version());
  key(out, "frames");
  cps_buffer_integer(out, facts->frames);
  key(out, "end");
  cps_buffer_number(out, facts->end);
  key(out, "until");
  cps_buffer_number(out, facts->until);
  put_bool(out, "finished", facts->finished);
  put_bool(out, "has_contacts", facts->has_contacts);
  put_bool(out, "has_tension", facts->has_tension);
  put_camera(out, facts);
  put_strings(out, "materials", things->material_names, things->material_count);
  put_things(out, "bodies", things->body_names, things->body_materials, things->body_count);
  put_things(out, "obstacles", things->obstacle_names, things->obstacle_materials, things->obstacle_count);
  put_things(out, "fibres", things->fibre_names, things->fibre_materials, things->fibre_count);
  put_parts(out, things, facts->mesh_of_part);
  put_lines(out, things);
  put_sheets(out, things);
  key(out, "grains");
  cps_buffer_text(out, "{\"particles\":");
  cps_buffer_integer(out, things->particle_count);
  cps_buffer_text(out, ",\"space\":");
  cps_buffer_number(out, things->particle_count > 0 ? facts->particle_space : 0.0);
  cps_buffer_text(out, facts->grain_stress ? ",\"stress\":true}" : ",\"stress\":false}");
  put_strings(out, "series", facts->series, series_count);
  key(out, "settings");
  if (facts->settings && !facts->settings->failed) {
    unsigned char* at = cps_buffer_take(out, facts->settings->size);
    for (size_t i = 0; at && i < facts->settings->size; ++i) at[i] = facts->settings->bytes[i];
  } else {
    cps_buffer_text(out, "null");
  }
  cps_buffer_text(out, "}");
}

void cps_stream_error(CpsBuffer* out, const char* text) {
  cps_buffer_text(out, "{\"type\":\"error\",\"text\":");
  cps_buffer_string(out, text);
  cps_buffer_text(out, "}");
}
