// USD as text: one stage with the curves of all fibres, a mesh for each part of a body or obstacle, the points of contact and the particles of grains.
//
// Topology is written once. Curves have time samples of their points; bodies and obstacles are Xforms whose translation and
// orientation have time samples where they move. A time code is time times timeCodesPerSecond. Where the file would become
// large, shapes that several parts have are written once, in a class, and referenced; small readers know no references.
#include "io/export/usda.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FLUSH = 1 << 20, MANY_POINTS = 200000, KINDS = 4 };

void cps_stage_flush(CpsStage* s) {
  if (s->text.size > FLUSH) cps_out_flush(&s->out, &s->text);
}

void cps_stage_time(CpsStage* s, double time) {
  double code = time * s->rate, whole = round(code);
  // a time of k / rate is the code k, despite rounding in the sum of the steps
  cps_grow_number(&s->text, fabs(code - whole) < 1e-6 ? whole : code, 12);
}

void cps_stage_vector(CpsStage* s, CpsVec3 v, int digits) {
  const double values[3] = {v.x, v.y, v.z};
  cps_grow_numbers(&s->text, values, 3, digits, "(", ", ", ")");
}

void cps_stage_vectors(CpsStage* s, const CpsVec3* v, int64_t count) {
  cps_grow_text(&s->text, "[");
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0) cps_grow_text(&s->text, ", ");
    cps_stage_vector(s, v[i], CPS_USD_SINGLE);
    cps_stage_flush(s);
  }
  cps_grow_text(&s->text, "]");
}

// Frames per second of the whole result, rounded to an integer if near one: frames are written at the first step past
// their time, so that the mean rate is slightly lower.
static double find_rate(const CpsExport* e) {
  int64_t last = cps_result_info(e->result).frames - 1;
  double rate = (double)last / (cps_result_frame_time(e->result, last) - cps_result_frame_time(e->result, 0));
  if (!(rate > 0.0) || !isfinite(rate)) return 24.0;
  double whole = round(rate);
  return whole >= 1.0 && fabs(rate - whole) < 0.02 * rate ? whole : rate;
}

static void put_header(CpsStage* s) {
  CpsGrow* t = &s->text;
  cps_grow_text(t, "#usda 1.0\n(\n    defaultPrim = \"World\"\n    doc = ");
  cps_grow_usd(t, s->e->things->title);
  cps_grow_text(t, "\n    metersPerUnit = 1\n    upAxis = \"Z\"\n    startTimeCode = ");
  cps_stage_time(s, cps_result_frame_time(s->e->result, s->e->options.first));
  cps_grow_text(t, "\n    endTimeCode = ");
  cps_stage_time(s, cps_result_frame_time(s->e->result, s->e->options.last));
  cps_grow_text(t, "\n    timeCodesPerSecond = ");
  cps_grow_number(t, s->rate, 12);
  cps_grow_text(t, "\n    framesPerSecond = ");
  cps_grow_number(t, s->rate, 12);
  cps_grow_text(t, "\n)\n\n");
}

const char* cps_stage_look(const CpsStage* s, CpsExportKind kind, int32_t material) {
  return s->looks.name[material == 0 ? (int32_t)kind : KINDS + material - 1];
}

static void put_look(CpsStage* s, CpsExportKind kind, int32_t material) {
  const char* name = cps_stage_look(s, kind, material);
  cps_grow_print(&s->text,
                 "        def Material \"%s\"\n        {\n            token outputs:surface.connect = "
                 "</World/Looks/%s/Surface.outputs:surface>\n\n            def Shader \"Surface\"\n            {\n"
                 "                uniform token info:id = \"UsdPreviewSurface\"\n"
                 "                color3f inputs:diffuseColor = ",
                 name, name);
  cps_stage_vector(s, cps_export_colour(kind, material), CPS_USD_SINGLE);
  cps_grow_text(&s->text,
                "\n                float inputs:roughness = 0.6\n                token outputs:surface\n"
                "            }\n        }\n");
}

static void put_looks(CpsStage* s) {
  cps_grow_text(&s->text, "    def Scope \"Looks\"\n    {\n");
  const int last = s->e->things->sheet_count > 0 ? CPS_KIND_SHEET : CPS_KIND_FIBRE;
  for (int kind = CPS_KIND_BODY; kind <= last; ++kind) put_look(s, (CpsExportKind)kind, 0);
  for (int32_t i = 1; i < s->e->things->material_count; ++i) put_look(s, CPS_KIND_BODY, i);
  cps_grow_text(&s->text, "    }\n");
}

static void put_colour(CpsStage* s, const char* indent, CpsExportKind kind, int32_t material) {
  cps_grow_print(&s->text, "%scolor3f[] primvars:displayColor = [", indent);
  cps_stage_vector(s, cps_export_colour(kind, material), CPS_USD_SINGLE);
  cps_grow_print(&s->text, "]\n%srel material:binding = </World/Looks/%s>\n", indent,
                 cps_stage_look(s, kind, material));
}

void cps_stage_extent(CpsStage* s, const CpsVec3* points, int64_t count, double margin) {
  CpsVec3 low = points[0], high = points[0];
  for (int64_t i = 1; i < count; ++i) {
    low = (CpsVec3){fmin(low.x, points[i].x), fmin(low.y, points[i].y), fmin(low.z, points[i].z)};
    high = (CpsVec3){fmax(high.x, points[i].x), fmax(high.y, points[i].y), fmax(high.z, points[i].z)};
  }
  const CpsVec3 box[2] = {{low.x - margin, low.y - margin, low.z - margin},
                          {high.x + margin, high.y + margin, high.z + margin}};
  cps_stage_vectors(s, box, 2);
}

// The geometry of a mesh, without its name and colour.
static void put_mesh(CpsStage* s, const char* indent, const CpsTriangles* mesh) {
  CpsGrow* t = &s->text;
  cps_grow_print(t, "%suniform token subdivisionScheme = \"none\"\n%suniform token orientation = \"rightHanded\"\n",
                 indent, indent);
  cps_grow_print(t, "%sfloat3[] extent = ", indent);
  cps_stage_extent(s, mesh->points, mesh->point_count, 0.0);
  cps_grow_print(t, "\n%sint[] faceVertexCounts = [", indent);
  for (int32_t i = 0; i < mesh->triangle_count; ++i) cps_grow_text(t, i > 0 ? ", 3" : "3");
  cps_grow_print(t, "]\n%sint[] faceVertexIndices = [", indent);
  for (int64_t i = 0; i < 3 * (int64_t)mesh->triangle_count; ++i) {
    cps_grow_print(t, i > 0 ? ", %d" : "%d", (int)mesh->triangles[i]);
    cps_stage_flush(s);
  }
  cps_grow_print(t, "]\n%spoint3f[] points = ", indent);
  cps_stage_vectors(s, mesh->points, mesh->point_count);
  cps_grow_print(t, "\n%snormal3f[] normals = ", indent);
  cps_stage_vectors(s, mesh->normals, mesh->point_count);
  cps_grow_print(t, " (\n%s    interpolation = \"vertex\"\n%s)\n", indent, indent);
}

static void put_shared_meshes(CpsStage* s) {
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

static void put_quaternion(CpsStage* s, CpsQuat q) {
  const double values[4] = {q.w, q.x, q.y, q.z};
  cps_grow_numbers(&s->text, values, 4, CPS_USD_SINGLE, "(", ", ", ")");
}

static void put_pose(CpsStage* s, const char* indent, const CpsPose* pose) {
  cps_grow_print(&s->text, "%sdouble3 xformOp:translate = ", indent);
  cps_stage_vector(s, pose->position, CPS_USD_DOUBLE);
  cps_grow_print(&s->text, "\n%squatf xformOp:orient = ", indent);
  put_quaternion(s, pose->rotation);
  cps_grow_text(&s->text, "\n");
}

static void put_motion(CpsStage* s, const char* indent, const CpsPose* track) {
  const CpsExport* e = s->e;
  for (int part = 0; part < 2; ++part) {
    cps_grow_print(&s->text, "%s%s.timeSamples = {\n", indent,
                   part == 0 ? "double3 xformOp:translate" : "quatf xformOp:orient");
    for (int64_t k = 0; k < cps_export_frames(e); ++k) {
      cps_grow_print(&s->text, "%s    ", indent);
      cps_stage_time(s, cps_result_frame_time(e->result, e->options.first + k));
      cps_grow_text(&s->text, ": ");
      if (part == 0) {
        cps_stage_vector(s, track[k].position, CPS_USD_DOUBLE);
      } else {
        put_quaternion(s, track[k].rotation);
      }
      cps_grow_text(&s->text, ",\n");
      cps_stage_flush(s);
    }
    cps_grow_print(&s->text, "%s}\n", indent);
  }
}

static void put_order(CpsStage* s, const char* indent) {
  cps_grow_print(&s->text, "%suniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n", indent);
}

static void put_part(CpsStage* s, int32_t i, int32_t number) {
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

static void put_owner(CpsStage* s, const CpsExportTracks* tracks, int32_t i, int32_t* part) {
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
  cps_stage_flush(s);
}

// Writes all bodies or all obstacles, in blocks.
static CpsStatus put_owners(CpsStage* s, bool obstacles, int32_t* part) {
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

// Kinds and materials share a scope, so a material may get the name of a kind's colour.
static bool make_looks(CpsStage* s) {
  const CpsThings* t = s->e->things;
  int32_t materials = t->material_count > 0 ? t->material_count - 1 : 0;
  const char** texts = malloc((size_t)(KINDS + materials) * sizeof *texts);
  if (!texts) return false;
  texts[CPS_KIND_BODY] = "default_body";
  texts[CPS_KIND_OBSTACLE] = "default_obstacle";
  texts[CPS_KIND_FIBRE] = "default_fibre";
  texts[CPS_KIND_SHEET] = "default_sheet";
  for (int32_t i = 0; i < materials; ++i) texts[KINDS + i] = t->material_names[i + 1];
  bool done = cps_export_names_make(&s->looks, texts, KINDS + materials);
  free(texts);
  return done;
}

static CpsStatus make_names(CpsStage* s) {
  const CpsThings* t = s->e->things;
  bool done = cps_export_names_make(&s->names[0], t->body_names, t->body_count) &&
              cps_export_names_make(&s->names[1], t->obstacle_names, t->obstacle_count) &&
              cps_export_names_make(&s->names[2], t->sheet_names, t->sheet_count) && make_looks(s);
  return done ? CPS_OK : cps_export_no_memory(s->e);
}

static CpsStatus write_stage(CpsStage* s) {
  int32_t part = 0;
  s->rate = find_rate(s->e);
  put_header(s);
  put_shared_meshes(s);
  cps_grow_text(&s->text, "def Xform \"World\"\n{\n");
  put_looks(s);
  CpsStatus status = put_owners(s, false, &part);
  if (status == CPS_OK) status = put_owners(s, true, &part);
  if (status == CPS_OK) status = cps_stage_fibres(s);
  if (status == CPS_OK) status = cps_stage_sheets(s);
  if (status == CPS_OK) status = cps_stage_contacts(s);
  if (status == CPS_OK) status = cps_stage_grains(s);
  if (status != CPS_OK) return status;
  cps_grow_text(&s->text, "}\n");
  cps_out_flush(&s->out, &s->text);
  s->e->info.frames = cps_export_frames(s->e);
  return cps_export_progress(s->e, cps_export_frames(s->e));
}

CpsStatus cps_export_usda(CpsExport* e) {
  CpsStage s = {.e = e};
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
  for (int i = 0; i < 3; ++i) cps_export_names_free(&s.names[i]);
  cps_export_names_free(&s.looks);
  cps_grow_free(&s.text);
  return status;
}
