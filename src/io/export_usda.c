// USD as text: one stage with the curves of all fibres and a mesh for each part of a body or obstacle.
//
// Topology is said once. Curves have time samples of their points; bodies and obstacles are Xforms whose translation and
// orientation have time samples where they move. A time code is time times timeCodesPerSecond. Where the file would become
// large, shapes that several parts have are written once, in a class, and referenced; small readers know no references.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/export_internal.h"
#include "io/export_names.h"

enum { SINGLE = 9, DOUBLE = 15, FLUSH = 1 << 20, MANY_POINTS = 200000 };

typedef struct Stage {
  CpsExport* e;
  CpsExportMeshes meshes;
  CpsExportNames names[4];  // of bodies, obstacles, materials and colours of kinds
  CpsOut out;
  CpsGrow text;
  bool share;   // shapes that several parts have
  double rate;  // time codes per second
  int64_t done;
} Stage;

static void flush(Stage* s) {
  if (s->text.size > FLUSH) cps_out_flush(&s->out, &s->text);
}

static void put_time(Stage* s, double time) {
  double code = time * s->rate, whole = round(code);
  // a time of k / rate is the code k, whatever the sum of steps was rounded to
  cps_grow_number(&s->text, fabs(code - whole) < 1e-6 ? whole : code, 12);
}

static void put_vector(Stage* s, CpsVec3 v, int digits) {
  const double values[3] = {v.x, v.y, v.z};
  cps_grow_numbers(&s->text, values, 3, digits, "(", ", ", ")");
}

static void put_vectors(Stage* s, const CpsVec3* v, int64_t count) {
  cps_grow_text(&s->text, "[");
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0) cps_grow_text(&s->text, ", ");
    put_vector(s, v[i], SINGLE);
    flush(s);
  }
  cps_grow_text(&s->text, "]");
}

// Frames per second of the whole result, the nearest whole number if there is one: frames are at the first step past their
// due, so that the mean is a little less.
static double find_rate(const CpsExport* e) {
  int64_t last = cps_result_info(e->result).frames - 1;
  double rate = (double)last / (cps_result_frame_time(e->result, last) - cps_result_frame_time(e->result, 0));
  if (!(rate > 0.0) || !isfinite(rate)) return 24.0;
  double whole = round(rate);
  return whole >= 1.0 && fabs(rate - whole) < 0.02 * rate ? whole : rate;
}

static void put_header(Stage* s) {
  CpsGrow* t = &s->text;
  cps_grow_text(t, "#usda 1.0\n(\n    defaultPrim = \"World\"\n    doc = ");
  cps_grow_usd(t, s->e->things->title);
  cps_grow_text(t, "\n    metersPerUnit = 1\n    upAxis = \"Z\"\n    startTimeCode = ");
  put_time(s, cps_result_frame_time(s->e->result, s->e->options.first));
  cps_grow_text(t, "\n    endTimeCode = ");
  put_time(s, cps_result_frame_time(s->e->result, s->e->options.last));
  cps_grow_text(t, "\n    timeCodesPerSecond = ");
  cps_grow_number(t, s->rate, 12);
  cps_grow_text(t, "\n    framesPerSecond = ");
  cps_grow_number(t, s->rate, 12);
  cps_grow_text(t, "\n)\n\n");
}

static const char* colour_prim(const Stage* s, CpsExportKind kind, int32_t material) {
  return material == 0 ? s->names[3].name[kind] : s->names[2].name[material];
}

static void put_look(Stage* s, CpsExportKind kind, int32_t material) {
  const char* name = colour_prim(s, kind, material);
  cps_grow_print(&s->text,
                 "        def Material \"%s\"\n        {\n            token outputs:surface.connect = "
                 "</World/Looks/%s/Surface.outputs:surface>\n\n            def Shader \"Surface\"\n            {\n"
                 "                uniform token info:id = \"UsdPreviewSurface\"\n"
                 "                color3f inputs:diffuseColor = ",
                 name, name);
  put_vector(s, cps_export_colour(kind, material), SINGLE);
  cps_grow_text(&s->text,
                "\n                float inputs:roughness = 0.6\n                token outputs:surface\n"
                "            }\n        }\n");
}

static void put_looks(Stage* s) {
  cps_grow_text(&s->text, "    def Scope \"Looks\"\n    {\n");
  for (int kind = CPS_KIND_BODY; kind <= CPS_KIND_FIBRE; ++kind) put_look(s, (CpsExportKind)kind, 0);
  for (int32_t i = 1; i < s->e->things->material_count; ++i) put_look(s, CPS_KIND_BODY, i);
  cps_grow_text(&s->text, "    }\n");
}

static void put_colour(Stage* s, const char* indent, CpsExportKind kind, int32_t material) {
  cps_grow_print(&s->text, "%scolor3f[] primvars:displayColor = [", indent);
  put_vector(s, cps_export_colour(kind, material), SINGLE);
  cps_grow_print(&s->text, "]\n%srel material:binding = </World/Looks/%s>\n", indent, colour_prim(s, kind, material));
}

static void put_extent(Stage* s, const CpsVec3* points, int64_t count, double margin) {
  CpsVec3 low = points[0], high = points[0];
  for (int64_t i = 1; i < count; ++i) {
    low = (CpsVec3){fmin(low.x, points[i].x), fmin(low.y, points[i].y), fmin(low.z, points[i].z)};
    high = (CpsVec3){fmax(high.x, points[i].x), fmax(high.y, points[i].y), fmax(high.z, points[i].z)};
  }
  const CpsVec3 box[2] = {{low.x - margin, low.y - margin, low.z - margin},
                          {high.x + margin, high.y + margin, high.z + margin}};
  put_vectors(s, box, 2);
}

// What a mesh is, without its name and colour.
static void put_mesh(Stage* s, const char* indent, const CpsTriangles* mesh) {
  CpsGrow* t = &s->text;
  cps_grow_print(t, "%suniform token subdivisionScheme = \"none\"\n%suniform token orientation = \"rightHanded\"\n",
                 indent, indent);
  cps_grow_print(t, "%sfloat3[] extent = ", indent);
  put_extent(s, mesh->points, mesh->point_count, 0.0);
  cps_grow_print(t, "\n%sint[] faceVertexCounts = [", indent);
  for (int32_t i = 0; i < mesh->triangle_count; ++i) cps_grow_text(t, i > 0 ? ", 3" : "3");
  cps_grow_print(t, "]\n%sint[] faceVertexIndices = [", indent);
  for (int64_t i = 0; i < 3 * (int64_t)mesh->triangle_count; ++i) {
    cps_grow_print(t, i > 0 ? ", %d" : "%d", (int)mesh->triangles[i]);
    flush(s);
  }
  cps_grow_print(t, "]\n%spoint3f[] points = ", indent);
  put_vectors(s, mesh->points, mesh->point_count);
  cps_grow_print(t, "\n%snormal3f[] normals = ", indent);
  put_vectors(s, mesh->normals, mesh->point_count);
  cps_grow_print(t, " (\n%s    interpolation = \"vertex\"\n%s)\n", indent, indent);
}

static void put_shared_meshes(Stage* s) {
  s->share = cps_export_meshes_points(&s->meshes) > MANY_POINTS;
  if (!s->share) return;
  cps_grow_text(&s->text, "class Scope \"Shapes\"\n{\n");
  for (int32_t i = 0; i < s->meshes.count; ++i) {
    if (s->meshes.uses[i] < 2) continue;
    cps_grow_print(&s->text, "    def Mesh \"Shape_%d\"\n    {\n", (int)i);
    put_mesh(s, "        ", &s->meshes.mesh[i]);
    cps_grow_text(&s->text, "    }\n");
  }
  cps_grow_text(&s->text, "}\n\n");
}

static void put_quaternion(Stage* s, CpsQuat q) {
  const double values[4] = {q.w, q.x, q.y, q.z};
  cps_grow_numbers(&s->text, values, 4, SINGLE, "(", ", ", ")");
}

static void put_pose(Stage* s, const char* indent, const CpsPose* pose) {
  cps_grow_print(&s->text, "%sdouble3 xformOp:translate = ", indent);
  put_vector(s, pose->position, DOUBLE);
  cps_grow_print(&s->text, "\n%squatf xformOp:orient = ", indent);
  put_quaternion(s, pose->rotation);
  cps_grow_text(&s->text, "\n");
}

static void put_motion(Stage* s, const char* indent, const CpsPose* track) {
  const CpsExport* e = s->e;
  for (int part = 0; part < 2; ++part) {
    cps_grow_print(&s->text, "%s%s.timeSamples = {\n", indent,
                   part == 0 ? "double3 xformOp:translate" : "quatf xformOp:orient");
    for (int64_t k = 0; k < cps_export_frames(e); ++k) {
      cps_grow_print(&s->text, "%s    ", indent);
      put_time(s, cps_result_frame_time(e->result, e->options.first + k));
      cps_grow_text(&s->text, ": ");
      if (part == 0) {
        put_vector(s, track[k].position, DOUBLE);
      } else {
        put_quaternion(s, track[k].rotation);
      }
      cps_grow_text(&s->text, ",\n");
      flush(s);
    }
    cps_grow_print(&s->text, "%s}\n", indent);
  }
}

static void put_order(Stage* s, const char* indent) {
  cps_grow_print(&s->text, "%suniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n", indent);
}

static void put_part(Stage* s, int32_t i, int32_t number) {
  const CpsThings* t = s->e->things;
  const CpsResultPart* part = &t->parts[i];
  int32_t mesh = s->meshes.of_part[i];
  bool shared = s->share && s->meshes.uses[mesh] > 1;
  cps_grow_print(&s->text,
                 "            def Mesh \"Part_%d\" (\n                prepend apiSchemas = [\"MaterialBindingAPI\"]\n",
                 (int)number);
  if (shared) cps_grow_print(&s->text, "                prepend references = </Shapes/Shape_%d>\n", (int)mesh);
  cps_grow_text(&s->text, "            )\n            {\n");
  if (!shared) put_mesh(s, "                ", &s->meshes.mesh[mesh]);
  int32_t material = (part->is_obstacle ? t->obstacle_materials : t->body_materials)[part->owner];
  put_colour(s, "                ", part->is_obstacle ? CPS_KIND_OBSTACLE : CPS_KIND_BODY, material);
  put_pose(s, "                ", &part->pose);
  put_order(s, "                ");
  cps_grow_text(&s->text, "            }\n");
}

static void put_owner(Stage* s, const CpsExportTracks* tracks, int32_t i, int32_t* part) {
  const CpsThings* t = s->e->things;
  int32_t owner = tracks->first + i;
  const CpsPose* track = tracks->pose + i * cps_export_frames(s->e);
  cps_grow_print(&s->text, "        def Xform \"%s\" (\n            customData = {\n                string name = ",
                 s->names[tracks->obstacles].name[owner]);
  cps_grow_usd(&s->text, (tracks->obstacles ? t->obstacle_names : t->body_names)[owner]);
  cps_grow_text(&s->text, "\n            }\n        )\n        {\n");
  if (cps_export_track_moves(s->e, track)) {
    put_motion(s, "            ", track);
  } else {
    put_pose(s, "            ", track);
  }
  put_order(s, "            ");
  for (int32_t number = 0;
       *part < t->part_count && t->parts[*part].owner == owner && t->parts[*part].is_obstacle == tracks->obstacles;
       ++*part) {
    put_part(s, *part, number++);
  }
  cps_grow_text(&s->text, "        }\n");
  flush(s);
}

// All bodies or all obstacles, some at a time.
static CpsStatus put_owners(Stage* s, bool obstacles, int32_t* part) {
  const CpsThings* t = s->e->things;
  int32_t total = obstacles ? t->obstacle_count : t->body_count, room = cps_export_tracks_room(s->e);
  CpsStatus status = CPS_OK;
  if (total == 0) return CPS_OK;
  if (room > total) room = total;
  CpsExportTracks tracks = {.obstacles = obstacles,
                            .pose = malloc((size_t)room * (size_t)cps_export_frames(s->e) * sizeof(CpsPose))};
  if (!tracks.pose) return cps_export_no_memory(s->e);
  cps_grow_print(&s->text, "    def Xform \"%s\"\n    {\n", obstacles ? "Obstacles" : "Bodies");
  while (status == CPS_OK && tracks.first < total) {
    tracks.count = total - tracks.first < room ? total - tracks.first : room;
    status = cps_export_tracks_read(s->e, &tracks);
    for (int32_t i = 0; status == CPS_OK && i < tracks.count; ++i) put_owner(s, &tracks, i, part);
    tracks.first += tracks.count;
  }
  cps_grow_text(&s->text, "    }\n");
  free(tracks.pose);
  return status;
}

typedef enum Sampled { POINTS, AXES, TENSIONS } Sampled;

static void put_sample(Stage* s, const CpsFrame* frame, Sampled what) {
  int64_t count = s->e->things->point_count;
  if (what != TENSIONS) {
    put_vectors(s, what == AXES ? frame->axes : frame->points, count);
    return;
  }
  cps_grow_text(&s->text, "[");
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0) cps_grow_text(&s->text, ", ");
    cps_grow_number(&s->text, frame->tension[i], SINGLE);
    flush(s);
  }
  cps_grow_text(&s->text, "]");
}

// What all fibres have in all frames, one sample for each.
static CpsStatus put_samples(Stage* s, Sampled what) {
  CpsExport* e = s->e;
  CpsStatus status = CPS_OK;
  for (int64_t k = e->options.first; status == CPS_OK && k <= e->options.last; ++k) {
    const CpsFrame* frame = NULL;
    status = cps_export_read_finite(e, k, &frame);
    if (status != CPS_OK) return status;
    if (what == TENSIONS && !frame->tension) continue;
    cps_grow_text(&s->text, "            ");
    put_time(s, frame->time);
    cps_grow_text(&s->text, ": ");
    put_sample(s, frame, what);
    cps_grow_text(&s->text, ",\n");
    if (what == POINTS) status = cps_export_progress(e, ++s->done);
  }
  return status;
}

// Something that points of fibres have beside their places.
static CpsStatus put_primvar(Stage* s, const char* type, const char* name, Sampled what) {
  cps_grow_print(&s->text,
                 "        %s[] primvars:%s (\n            interpolation = \"vertex\"\n        )\n"
                 "        %s[] primvars:%s.timeSamples = {\n",
                 type, name, type, name);
  CpsStatus status = put_samples(s, what);
  cps_grow_text(&s->text, "        }\n");
  return status;
}

static CpsStatus put_extents(Stage* s) {
  CpsExport* e = s->e;
  double margin = 0.0;
  for (int32_t l = 0; l < e->things->line_count; ++l) margin = fmax(margin, e->things->lines[l].radius);
  CpsStatus status = CPS_OK;
  for (int64_t k = e->options.first; status == CPS_OK && k <= e->options.last; ++k) {
    const CpsFrame* frame = NULL;
    status = cps_export_read_finite(e, k, &frame);
    if (status != CPS_OK) return status;
    cps_grow_text(&s->text, "            ");
    put_time(s, frame->time);
    cps_grow_text(&s->text, ": ");
    put_extent(s, frame->points, e->things->point_count, margin);
    cps_grow_text(&s->text, ",\n");
  }
  return status;
}

// What of the curves is the same in all frames.
static void put_curves(Stage* s) {
  const CpsThings* t = s->e->things;
  CpsGrow* text = &s->text;
  cps_grow_text(
      text,
      "    def BasisCurves \"Fibres\" (\n        prepend apiSchemas = [\"MaterialBindingAPI\"]\n    )\n    {\n"
      "        uniform token type = \"linear\"\n        uniform token wrap = \"nonperiodic\"\n"
      "        int[] curveVertexCounts = [");
  for (int32_t l = 0; l < t->line_count; ++l) cps_grow_print(text, l > 0 ? ", %d" : "%d", (int)t->lines[l].count);
  cps_grow_text(text, "]\n        float[] widths = [");
  const char* comma = "";
  for (int32_t l = 0; l < t->line_count; ++l) {
    for (int32_t i = 0; i < t->lines[l].count; ++i, comma = ", ") {
      cps_grow_text(text, comma);
      cps_grow_number(text, 2.0 * t->lines[l].radius, SINGLE);
      flush(s);
    }
  }
  cps_grow_text(text,
                "] (\n            interpolation = \"vertex\"\n        )\n        color3f[] primvars:displayColor = [");
  for (int32_t l = 0; l < t->line_count; ++l) {
    if (l > 0) cps_grow_text(text, ", ");
    put_vector(s, cps_export_colour(CPS_KIND_FIBRE, t->fibre_materials[t->lines[l].fibre]), SINGLE);
  }
  cps_grow_text(text, "] (\n            interpolation = \"uniform\"\n        )\n        string[] primvars:name = [");
  for (int32_t l = 0; l < t->line_count; ++l) {
    if (l > 0) cps_grow_text(text, ", ");
    cps_grow_usd(text, t->fibre_names[t->lines[l].fibre]);
    flush(s);
  }
  cps_grow_text(text, "] (\n            interpolation = \"uniform\"\n        )\n");
  cps_grow_print(text, "        rel material:binding = </World/Looks/%s>\n",
                 colour_prim(s, CPS_KIND_FIBRE, t->fibre_materials[0]));
}

static CpsStatus put_fibres(Stage* s) {
  if (s->e->things->line_count == 0) return CPS_OK;
  put_curves(s);
  cps_grow_text(&s->text, "        point3f[] points.timeSamples = {\n");
  CpsStatus status = put_samples(s, POINTS);
  cps_grow_text(&s->text, "        }\n");
  bool tension = cps_show_frame(s->e->show)->tension != NULL;
  if (status == CPS_OK) status = put_primvar(s, "vector3f", "axis", AXES);
  if (status == CPS_OK && tension) status = put_primvar(s, "float", "tension", TENSIONS);
  if (status != CPS_OK) return status;
  cps_grow_text(&s->text, "        float3[] extent.timeSamples = {\n");
  status = put_extents(s);
  cps_grow_text(&s->text, "        }\n    }\n");
  return status;
}

static CpsStatus make_names(Stage* s) {
  const CpsThings* t = s->e->things;
  static const char* const KINDS[] = {"body", "obstacle", "fibre"};
  bool done = cps_export_names_make(&s->names[0], t->body_names, t->body_count, "") &&
              cps_export_names_make(&s->names[1], t->obstacle_names, t->obstacle_count, "") &&
              cps_export_names_make(&s->names[2], t->material_names, t->material_count, "") &&
              cps_export_names_make(&s->names[3], KINDS, 3, "default_");
  return done ? CPS_OK : cps_export_no_memory(s->e);
}

static CpsStatus write_stage(Stage* s) {
  int32_t part = 0;
  s->rate = find_rate(s->e);
  put_header(s);
  put_shared_meshes(s);
  cps_grow_text(&s->text, "def Xform \"World\"\n{\n");
  put_looks(s);
  CpsStatus status = put_owners(s, false, &part);
  if (status == CPS_OK) status = put_owners(s, true, &part);
  if (status == CPS_OK) status = put_fibres(s);
  if (status != CPS_OK) return status;
  cps_grow_text(&s->text, "}\n");
  cps_out_flush(&s->out, &s->text);
  s->e->info.frames = cps_export_frames(s->e);
  return cps_export_progress(s->e, cps_export_frames(s->e));
}

CpsStatus cps_export_usda(CpsExport* e) {
  Stage s = {.e = e};
  CpsStatus status = make_names(&s);
  if (status == CPS_OK) status = cps_export_meshes_make(e, &s.meshes);
  if (status == CPS_OK) status = cps_out_begin(&s.out, e->path, e->error);
  if (status == CPS_OK) {
    status = write_stage(&s);
    if (status == CPS_OK) status = cps_out_end(&s.out, e->error);
    e->info.files = 1;
    e->info.bytes = s.out.bytes;
  }
  cps_out_discard(&s.out);
  cps_export_meshes_free(&s.meshes);
  for (int i = 0; i < 4; ++i) cps_export_names_free(&s.names[i]);
  cps_grow_free(&s.text);
  return status;
}
