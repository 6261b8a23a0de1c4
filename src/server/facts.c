#include "server/facts.h"

#include <math.h>
#include <stdio.h>

void cps_facts_text(CpsBuffer* out, const char* name, const char* text) {
  // facts follow each other with commas; the list begins with '['
  if (out->size > 0 && out->bytes[out->size - 1] != '[') cps_buffer_text(out, ",");
  cps_buffer_text(out, "[");
  cps_buffer_string(out, name);
  cps_buffer_text(out, ",");
  cps_buffer_string(out, text);
  cps_buffer_text(out, "]");
}

void cps_facts_number(CpsBuffer* out, const char* name, double value, const char* unit) {
  if (!isfinite(value)) return;
  char text[64];
  snprintf(text, sizeof text, "%.4g%s%s", value, *unit ? " " : "", unit);
  cps_facts_text(out, name, text);
}

// Components at the level of rounding become zero.
static void put_vector(CpsBuffer* out, const char* name, CpsVec3 v, const char* unit) {
  char text[128];
  double least = 1e-12 * fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
  v = (CpsVec3){fabs(v.x) < least ? 0.0 : v.x, fabs(v.y) < least ? 0.0 : v.y, fabs(v.z) < least ? 0.0 : v.z};
  snprintf(text, sizeof text, "%.4g, %.4g, %.4g %s", v.x, v.y, v.z, unit);
  cps_facts_text(out, name, text);
}

static double length_of(CpsVec3 v) {
  return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

static void put_shape(CpsBuffer* out, const CpsShape* shape) {
  char text[96] = "";
  switch (shape->kind) {
    case CPS_SHAPE_SPHERE:
      snprintf(text, sizeof text, "sphere, radius %.4g m", shape->radius);
      break;
    case CPS_SHAPE_BOX:
      snprintf(text, sizeof text, "box, %.4g x %.4g x %.4g m", shape->size.x, shape->size.y, shape->size.z);
      break;
    case CPS_SHAPE_CAPSULE:
    case CPS_SHAPE_CYLINDER:
      snprintf(text, sizeof text, "%s, radius %.4g m, length %.4g m",
               shape->kind == CPS_SHAPE_CAPSULE ? "capsule" : "cylinder", shape->radius, shape->length);
      break;
    case CPS_SHAPE_HULL:
      snprintf(text, sizeof text, "convex hull of %d points", (int)shape->point_count);
      break;
    case CPS_SHAPE_MESH:
      snprintf(text, sizeof text, "mesh of %d triangles", (int)shape->triangle_count);
      break;
    case CPS_SHAPE_TUBE:
      snprintf(text, sizeof text, "tube, radius %.4g m", shape->radius);
      break;
    case CPS_SHAPE_POINTS:
      snprintf(text, sizeof text, "point cloud of %d points", (int)shape->point_count);
      break;
    default:
      snprintf(text, sizeof text, "half-space");
      break;
  }
  cps_facts_text(out, "shape", text);
}

// The shape of a body or an obstacle: that of its only part, or the number of parts.
static void put_parts(CpsBuffer* out, const CpsThings* things, bool obstacle, int32_t owner) {
  const CpsResultPart* first = NULL;
  int count = 0;
  for (int32_t i = 0; i < things->part_count; ++i) {
    const CpsResultPart* part = &things->parts[i];
    if (part->is_obstacle != obstacle || part->owner != owner) continue;
    if (!first) first = part;
    count++;
  }
  if (count == 1) put_shape(out, &first->shape);
  if (count > 1) cps_facts_number(out, "shape", count, "parts");
}

static bool touches(const CpsFrameContact* c, CpsThing thing, bool* is_a) {
  *is_a = cps_thing_is(c->side[0].thing, thing);
  return *is_a || cps_thing_is(c->side[1].thing, thing);
}

// Number of contacts, and their total force: impulses divided by the step length.
static void put_contacts(CpsBuffer* out, const CpsFrame* frame, CpsThingKind kind, int32_t index) {
  CpsVec3 sum = {0, 0, 0};
  int count = 0;
  for (int32_t i = 0; i < frame->contact_count; ++i) {
    const CpsFrameContact* c = &frame->contacts[i];
    bool is_a;
    if (!touches(c, (CpsThing){kind, index, 0}, &is_a)) continue;
    count++;
    double sign = is_a ? 1.0 : -1.0;
    const CpsVec3 axes[3] = {c->normal, c->tangent1, c->tangent2};
    for (int k = 0; k < 3; ++k) {
      sum.x += sign * c->impulse[k] * axes[k].x;
      sum.y += sign * c->impulse[k] * axes[k].y;
      sum.z += sign * c->impulse[k] * axes[k].z;
    }
  }
  cps_facts_number(out, "contacts", count, "");
  if (count > 0 && frame->step > 0.0) cps_facts_number(out, "force of contacts", length_of(sum) / frame->step, "N");
}

static double line_length(const CpsVec3* points, int32_t count) {
  double length = 0.0;
  for (int32_t i = 1; i < count; ++i) {
    length += length_of(
        (CpsVec3){points[i].x - points[i - 1].x, points[i].y - points[i - 1].y, points[i].z - points[i - 1].z});
  }
  return length;
}

static void put_lines(CpsBuffer* out, const CpsThings* things, const CpsFrame* frame, int32_t fibre) {
  double length = 0.0, most = -INFINITY;
  int32_t branches = -1;
  for (int32_t i = 0; i < things->line_count; ++i) {
    const CpsResultLine* line = &things->lines[i];
    if (line->fibre != fibre) continue;
    length += line_length(frame->points + line->first, line->count);
    if (branches++ < 0) cps_facts_number(out, "radius", line->radius, "m");
    for (int32_t k = 0; frame->tension && k < line->count; ++k) most = fmax(most, frame->tension[line->first + k]);
  }
  cps_facts_number(out, "length", length, "m");
  if (branches > 0) cps_facts_number(out, "branches", branches, "");
  cps_facts_number(out, "largest tension", most, "N");
}

static CpsVec3 minus(CpsVec3 a, CpsVec3 b) {
  return (CpsVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static void put_sheet(CpsBuffer* out, const CpsThings* things, const CpsFrame* frame, int32_t i) {
  const CpsResultSheet* sheet = &things->sheets[i];
  double area = 0.0;
  for (int64_t t = sheet->first_triangle; t < sheet->first_triangle + sheet->triangle_count; ++t) {
    const int32_t* corner = things->triangles + 3 * t;
    CpsVec3 a = frame->vertices[corner[0]], u = minus(frame->vertices[corner[1]], a),
            v = minus(frame->vertices[corner[2]], a);
    area += 0.5 * length_of((CpsVec3){u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x});
  }
  cps_facts_number(out, "vertices", sheet->vertex_count, "");
  cps_facts_number(out, "triangles", sheet->triangle_count, "");
  cps_facts_number(out, "thickness", sheet->thickness, "m");
  cps_facts_number(out, "area", area, "m^2");
}

bool cps_facts_begin(CpsBuffer* out, const CpsThings* things, const CpsFrame* frame, CpsThingKind kind, int64_t index) {
  enum { KINDS = CPS_THING_OBSTACLE + 1 };  // those that are not shown have a count of 0
  const int32_t counts[KINDS] = {[CPS_THING_BODY] = things->body_count,
                                 [CPS_THING_FIBRE] = things->fibre_count,
                                 [CPS_THING_SHEET] = things->sheet_count,
                                 [CPS_THING_OBSTACLE] = things->obstacle_count};
  const char* const* const names[KINDS] = {[CPS_THING_BODY] = things->body_names,
                                           [CPS_THING_FIBRE] = things->fibre_names,
                                           [CPS_THING_SHEET] = things->sheet_names,
                                           [CPS_THING_OBSTACLE] = things->obstacle_names};
  const int32_t* const materials[KINDS] = {[CPS_THING_BODY] = things->body_materials,
                                           [CPS_THING_FIBRE] = things->fibre_materials,
                                           [CPS_THING_SHEET] = things->sheet_materials,
                                           [CPS_THING_OBSTACLE] = things->obstacle_materials};
  if ((unsigned)kind >= KINDS || index < 0 || index >= counts[kind]) return false;
  cps_buffer_text(out, "{\"type\":\"object\",\"kind\":");
  cps_buffer_string(out, cps_thing_kind_name(kind));
  cps_buffer_text(out, ",\"index\":");
  cps_buffer_integer(out, index);
  cps_buffer_text(out, ",\"name\":");
  cps_buffer_string(out, names[kind][index]);
  cps_buffer_text(out, ",\"facts\":[");
  int32_t i = (int32_t)index, material = materials[kind] ? materials[kind][i] : 0;
  if (material > 0) cps_facts_text(out, "material", things->material_names[material]);
  if (kind == CPS_THING_FIBRE) {
    put_lines(out, things, frame, i);
  } else if (kind == CPS_THING_SHEET) {
    put_sheet(out, things, frame, i);
  } else {
    put_parts(out, things, kind == CPS_THING_OBSTACLE, i);
    put_vector(out, "position", kind == CPS_THING_BODY ? frame->bodies[i].position : frame->obstacles[i].position, "m");
  }
  if (kind == CPS_THING_BODY && frame->body_velocities) {
    cps_facts_number(out, "speed", length_of(frame->body_velocities[i]), "m/s");
  }
  const int32_t sheets = things->sheet_count - things->solid_count;
  if (kind == CPS_THING_SHEET && i >= sheets) {  // pages call solids the last of the sheets
    put_contacts(out, frame, CPS_THING_SOLID, i - sheets);
  } else {
    put_contacts(out, frame, kind, i);
  }
  return true;
}

void cps_facts_end(CpsBuffer* out) {
  cps_buffer_text(out, "]}");
}
