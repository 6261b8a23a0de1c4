// The binary messages: frames, meshes, series.
#include "server/stream.h"

#include <math.h>
#include <string.h>

#include "core/vec3.h"

enum { MESH_AROUND = 24, CONTACT_BYTES = 128, POSE_BYTES = 28, TIE_BYTES = 28 };

static unsigned char* store_vector(unsigned char* at, CpsVec3 v) {
  at = cps_store_f32(at, v.x);
  at = cps_store_f32(at, v.y);
  return cps_store_f32(at, v.z);
}

static unsigned char* store_three(unsigned char* at, const double* v) {
  for (int i = 0; i < 3; ++i) at = cps_store_f32(at, v[i]);
  return at;
}

static void put_poses(CpsBuffer* out, const CpsPose* poses, int32_t count) {
  unsigned char* at = cps_buffer_take(out, (size_t)count * POSE_BYTES);
  for (int32_t i = 0; at && i < count; ++i) {
    at = store_vector(at, poses[i].position);
    const CpsQuat q = poses[i].rotation;
    at = cps_store_f32(at, q.w);
    at = store_vector(at, (CpsVec3){q.x, q.y, q.z});
  }
}

static unsigned char small_axis(double value) {
  double clamped = value > 1.0 ? 1.0 : value < -1.0 ? -1.0 : value;
  return (unsigned char)(signed char)(isfinite(clamped) ? lround(127.0 * clamped) : 0);
}

static void put_points(CpsBuffer* out, const CpsVec3* points, int64_t count) {
  unsigned char* at = cps_buffer_take(out, (size_t)count * 12);
  for (int64_t i = 0; at && i < count; ++i) at = store_vector(at, points[i]);
}

static void put_axes(CpsBuffer* out, const CpsVec3* axes, int64_t count) {
  unsigned char* at = cps_buffer_take(out, (size_t)count * 4);
  for (int64_t i = 0; at && i < count; ++i, at += 4) {
    at[0] = small_axis(axes[i].x);
    at[1] = small_axis(axes[i].y);
    at[2] = small_axis(axes[i].z);
    at[3] = 0;
  }
}

static void put_numbers(CpsBuffer* out, const double* numbers, int64_t count) {
  unsigned char* at = cps_buffer_take(out, (size_t)count * 4);
  for (int64_t i = 0; at && i < count; ++i) at = cps_store_f32(at, numbers[i]);
}

// One side of a contact: kind, number, part, place. The page counts solids as the last sheets.
static unsigned char* store_side(unsigned char* at, const CpsThings* things, const CpsSide* side) {
  const bool solid = side->thing.kind == CPS_THING_SOLID;
  const int32_t before = solid ? things->sheet_count - things->solid_count : 0;
  at = cps_store_u32(at, (uint32_t)(solid ? CPS_THING_SHEET : side->thing.kind));
  at = cps_store_u32(at, (uint32_t)(before + side->thing.index));
  at = cps_store_u32(at, (uint32_t)side->part);
  return store_vector(at, side->place);
}

static unsigned char* store_contact(unsigned char* at, const CpsThings* things, const CpsFrameContact* c) {
  CpsVec3 a = c->side[0].point, b = c->side[1].point;
  CpsVec3 middle = {0.5 * (a.x + b.x), 0.5 * (a.y + b.y), 0.5 * (a.z + b.z)};
  at = store_vector(at, middle);
  at = store_vector(at, c->normal);
  at = store_vector(at, c->tangent1);
  at = store_three(at, c->impulse);
  at = store_three(at, c->velocity);
  at = cps_store_f32(at, c->gap);
  at = cps_store_f32(at, c->mu);
  at = cps_store_f32(at, c->mu_across);
  at = cps_store_f32(at, c->residual);
  at = cps_store_u32(at, (uint32_t)c->status);
  at = store_side(at, things, &c->side[0]);
  return store_side(at, things, &c->side[1]);
}

// The section of ties: both points, kind, whether the tie broke, and two zero bytes.
static void put_ties(CpsBuffer* out, const CpsThings* things, const CpsFrame* frame) {
  if (things->tie_count == 0 || !frame->ties) return;
  cps_buffer_text(out, "TIES");
  cps_buffer_u32(out, (uint32_t)things->tie_count * TIE_BYTES);
  unsigned char* at = cps_buffer_take(out, (size_t)things->tie_count * TIE_BYTES);
  for (int32_t i = 0; at && i < things->tie_count; ++i) {
    at = store_vector(at, frame->ties[i].point[0]);
    at = store_vector(at, frame->ties[i].point[1]);
    *at++ = (unsigned char)things->tie_kinds[i];
    *at++ = frame->ties[i].broken;
    *at++ = 0;
    *at++ = 0;
  }
}

// The sections of sheets: positions of the vertices, and the numbers of held ones.
static void put_sheets(CpsBuffer* out, const CpsThings* things, const CpsFrame* frame) {
  if (things->vertex_count == 0) return;
  cps_buffer_text(out, "VERT");
  cps_buffer_u32(out, (uint32_t)things->vertex_count * 12);
  put_points(out, frame->vertices, things->vertex_count);
  if (!frame->vertex_held) return;
  uint32_t count = 0;
  for (int64_t i = 0; i < things->vertex_count; ++i) count += frame->vertex_held[i];
  cps_buffer_text(out, "PINS");
  cps_buffer_u32(out, 4 * count);
  for (int64_t i = 0; i < things->vertex_count; ++i) {
    if (frame->vertex_held[i]) cps_buffer_u32(out, (uint32_t)i);
  }
}

static void put_speeds(CpsBuffer* out, const CpsVec3* velocities, int64_t count) {
  unsigned char* at = cps_buffer_take(out, (size_t)count * 4);
  for (int64_t i = 0; at && i < count; ++i) at = cps_store_f32(at, cps_vec3_norm(velocities[i]));
}

// The sections of grains: positions, speed, pressure, volume fraction, status and stress of the particles. The length
// of a section must fit its u32 field: 178 million particles.
static void put_grains(CpsBuffer* out, const CpsThings* things, const CpsFrame* frame, unsigned flags) {
  const int64_t count = things->particle_count;
  if (count == 0 || count > UINT32_MAX / 24) return;
  cps_buffer_text(out, "GRNS");
  cps_buffer_u32(out, (uint32_t)count * 12);
  put_points(out, frame->particles, count);
  if (flags & CPS_WANT_SPEED) {
    cps_buffer_text(out, "GSPD");
    cps_buffer_u32(out, (uint32_t)count * 4);
    put_speeds(out, frame->particle_velocities, count);
  }
  if (flags & CPS_WANT_PRESSURE) {
    cps_buffer_text(out, "GPRS");
    cps_buffer_u32(out, (uint32_t)count * 4);
    put_numbers(out, frame->particle_pressures, count);
  }
  if (flags & CPS_WANT_FRACTION) {
    cps_buffer_text(out, "GFRC");
    cps_buffer_u32(out, (uint32_t)count * 4);
    put_numbers(out, frame->particle_fractions, count);
  }
  if (flags & CPS_WANT_STATUS) {
    cps_buffer_text(out, "GSTA");
    cps_buffer_u32(out, (uint32_t)count * 4);
    unsigned char* at = cps_buffer_take(out, (size_t)count * 4);
    for (int64_t i = 0; at && i < count; ++i) at = cps_store_f32(at, frame->particle_statuses[i]);
  }
  if (flags & CPS_WANT_STRESS) {
    cps_buffer_text(out, "GSTR");
    cps_buffer_u32(out, (uint32_t)count * 24);
    put_numbers(out, frame->particle_stresses, 6 * count);
  }
}

void cps_stream_frame(CpsBuffer* out, const CpsThings* things, const CpsFrame* frame, unsigned wants) {
  unsigned flags = wants & CPS_WANT_ALL;
  if (!frame->axes) flags &= ~(unsigned)CPS_WANT_AXES;
  if (!frame->tension) flags &= ~(unsigned)CPS_WANT_TENSION;
  if (things->particle_count == 0) {
    flags &= ~(unsigned)(CPS_WANT_SPEED | CPS_WANT_PRESSURE | CPS_WANT_FRACTION | CPS_WANT_STATUS | CPS_WANT_STRESS);
  }
  if (!frame->particle_statuses) flags &= ~(unsigned)CPS_WANT_STATUS;
  if (!frame->particle_stresses) flags &= ~(unsigned)CPS_WANT_STRESS;
  int32_t contacts = flags & CPS_WANT_CONTACTS ? frame->contact_count : 0;
  cps_buffer_text(out, "CPSF");
  cps_buffer_u32(out, flags);
  cps_buffer_i64(out, frame->index);
  cps_buffer_f64(out, frame->time);
  cps_buffer_f64(out, frame->step);
  cps_buffer_u32(out, (uint32_t)things->body_count);
  cps_buffer_u32(out, (uint32_t)things->obstacle_count);
  cps_buffer_u32(out, (uint32_t)things->point_count);
  cps_buffer_u32(out, (uint32_t)contacts);
  put_poses(out, frame->bodies, things->body_count);
  put_poses(out, frame->obstacles, things->obstacle_count);
  put_points(out, frame->points, things->point_count);
  if (flags & CPS_WANT_AXES) put_axes(out, frame->axes, things->point_count);
  if (flags & CPS_WANT_TENSION) put_numbers(out, frame->tension, things->point_count);
  unsigned char* at = cps_buffer_take(out, (size_t)contacts * CONTACT_BYTES);
  for (int32_t i = 0; at && i < contacts; ++i) at = store_contact(at, things, &frame->contacts[i]);
  put_ties(out, things, frame);
  put_sheets(out, things, frame);
  put_grains(out, things, frame, flags);
}

static bool is_mesh(const CpsShape* shape) {
  return shape->kind == CPS_SHAPE_HULL || shape->kind == CPS_SHAPE_MESH || shape->kind == CPS_SHAPE_TUBE ||
         shape->kind == CPS_SHAPE_POINTS;
}

static bool is_same(const CpsShape* a, const CpsShape* b) {
  return a->kind == b->kind && a->points == b->points && a->point_count == b->point_count &&
         a->triangles == b->triangles && a->triangle_count == b->triangle_count && a->radius == b->radius &&
         a->closed == b->closed;
}

int32_t cps_stream_meshes(const CpsThings* things, int32_t* mesh_of_part) {
  const CpsShape* last = NULL;
  int32_t count = 0;
  for (int32_t i = 0; i < things->part_count; ++i) {
    const CpsShape* shape = &things->parts[i].shape;
    mesh_of_part[i] = -1;
    if (!is_mesh(shape)) continue;
    if (!last || !is_same(shape, last)) count++;
    last = shape;
    mesh_of_part[i] = count - 1;
  }
  return count;
}

CpsStatus cps_stream_mesh(CpsBuffer* out, const CpsShape* shape, int32_t number, CpsError* error) {
  CpsTriangles triangles = {0};
  CpsStatus status = cps_shape_triangles(shape, MESH_AROUND, 1.0, &triangles, error);
  if (status != CPS_OK) return status;
  cps_buffer_text(out, "CPSM");
  cps_buffer_u32(out, (uint32_t)number);
  cps_buffer_u32(out, (uint32_t)triangles.point_count);
  cps_buffer_u32(out, (uint32_t)triangles.triangle_count);
  put_points(out, triangles.points, triangles.point_count);
  put_points(out, triangles.normals, triangles.point_count);
  unsigned char* at = cps_buffer_take(out, (size_t)triangles.triangle_count * 12);
  for (int32_t i = 0; at && i < 3 * triangles.triangle_count; ++i)
    at = cps_store_u32(at, (uint32_t)triangles.triangles[i]);
  cps_triangles_free(&triangles);
  return CPS_OK;
}

void cps_stream_sheets(CpsBuffer* out, const CpsThings* things) {
  cps_buffer_text(out, "CPST");
  cps_buffer_u32(out, (uint32_t)things->triangle_count);
  unsigned char* at = cps_buffer_take(out, (size_t)things->triangle_count * 12);
  for (int64_t i = 0; at && i < 3 * things->triangle_count; ++i) at = cps_store_u32(at, (uint32_t)things->triangles[i]);
}

// Indices of the smallest and the largest value of a range, in order of time; NaN is ignored.
static void find_extremes(const double* values, int64_t first, int64_t end, int64_t extremes[2]) {
  int64_t low = first, high = first;
  for (int64_t i = first + 1; i < end; ++i) {
    if (values[i] < values[low] || isnan(values[low])) low = i;
    if (values[i] > values[high] || isnan(values[high])) high = i;
  }
  extremes[0] = low < high ? low : high;
  extremes[1] = low < high ? high : low;
}

void cps_stream_series(CpsBuffer* out, const char* name, const double* times, const double* values, int64_t count) {
  size_t length = strlen(name), padded = (length + 3) / 4 * 4;
  cps_buffer_text(out, "CPSV");
  cps_buffer_u32(out, (uint32_t)length);
  cps_buffer_text(out, name);
  unsigned char* padding = cps_buffer_take(out, padded - length);
  if (padding) memset(padding, 0, padded - length);
  bool all = count <= CPS_SERIES_MOST;
  int64_t sent = all ? count : CPS_SERIES_MOST;
  cps_buffer_u32(out, (uint32_t)sent);
  for (int pass = 0; pass < 2; ++pass) {
    const double* from = pass == 0 ? times : values;
    for (int64_t i = 0; all && i < count; ++i) cps_buffer_f64(out, from[i]);
    for (int64_t i = 0; !all && i < sent / 2; ++i) {
      int64_t extremes[2];
      find_extremes(values, count * i / (sent / 2), count * (i + 1) / (sent / 2), extremes);
      cps_buffer_f64(out, from[extremes[0]]);
      cps_buffer_f64(out, from[extremes[1]]);
    }
  }
}
