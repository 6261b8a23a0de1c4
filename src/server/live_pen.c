// The pen and the scissors of a live simulation. Curves are drawn beside the world, point by point; once released, they become fibres of the
// scene, which is built again with them. Cut fibres are whole again after a reset.
#include "server/live_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/error.h"

static const double FARTHEST = 1e6;                   // m, limit of coordinates
static const double SOFTEST = 1e-6, STIFFEST = 1e15;  // Pa
static const double APART = 1e-9;                     // of two neighbours, m: nearer points are merged

static void put_points(CpsBuffer* out, const char* name, const CpsVec3* points, int32_t count) {
  cps_buffer_text(out, ",\"");
  cps_buffer_text(out, name);
  cps_buffer_text(out, "\":[");
  for (int32_t i = 0; i < count; ++i) {
    char text[100];
    snprintf(text, sizeof text, "%s%.9g,%.9g,%.9g", i > 0 ? "," : "", points[i].x, points[i].y, points[i].z);
    cps_buffer_text(out, text);
  }
  cps_buffer_text(out, "]");
}

static void put_number(CpsBuffer* out, const char* name, double value) {
  cps_buffer_text(out, ",\"");
  cps_buffer_text(out, name);
  cps_buffer_text(out, "\":");
  cps_buffer_number(out, value);
}

// Writes the message to the pages about a curve; if it does not exist, their number.
static void write_curve(const CpsPen* pen, int32_t index, CpsBuffer* out) {
  cps_buffer_text(out, pen->free ? "{\"type\":\"curve\",\"free\":true" : "{\"type\":\"curve\",\"free\":false");
  put_number(out, "index", index);
  put_number(out, "count", pen->count);
  const CpsDrawn* curve = index < pen->count ? &pen->curves[index] : NULL;
  put_points(out, "points", curve ? curve->points : NULL, curve ? curve->count : 0);
  const CpsPenShape* shape = curve && curve->shaped ? &curve->shape : NULL;
  const int32_t count = shape ? shape->elements * CPS_PEN_PARTS + 1 : 0;
  put_number(out, "elements", shape ? shape->elements : 0);
  put_points(out, "line", shape ? shape->line : NULL, count);
  put_points(out, "natural", shape ? shape->natural : NULL, count);
  put_number(out, "length", shape ? shape->length : 0.0);
  put_number(out, "young", shape ? shape->young : NAN);
  put_number(out, "least", shape ? shape->least : NAN);
  put_number(out, "ms", curve ? curve->milliseconds : 0.0);
  cps_buffer_text(out, ",\"sentence\":");
  cps_buffer_string(out, curve ? curve->sentence : "");
  cps_buffer_text(out, "}");
}

// Sends the current state of a curve to all pages.
static void tell(CpsLive* live, int32_t index) {
  CpsBuffer text = {0};
  write_curve(&live->pen, index, &text);
  pthread_mutex_lock(&live->lock);
  cps_buffer_free(&live->told[index]);
  live->told[index] = text;
  live->news_of[index] = true;
  live->told_count = live->pen.count;
  pthread_mutex_unlock(&live->lock);
  cps_live_post(live, &(CpsLiveEvent){.kind = CPS_LIVE_CURVE, .index = index});
}

static void tell_all(CpsLive* live) {
  for (int32_t i = 0; i < live->pen.count; ++i) tell(live, i);
}

static void reshape(CpsLive* live, CpsDrawn* curve) {
  const double began = cps_clock_wall();
  CpsError error = {""};
  curve->shaped =
      curve->count >= 2 && cps_pen_shape(curve->points, curve->count, curve->young,
                                         cps_world_settings(live->world).gravity, &curve->shape, &error) == CPS_OK;
  curve->milliseconds = 1e3 * (cps_clock_wall() - began);
  snprintf(curve->sentence, sizeof curve->sentence, "%s", curve->count >= 2 && !curve->shaped ? error.text : "");
}

static bool make_room(CpsDrawn* curve) {
  if (curve->count < curve->room) return true;
  const int32_t room = curve->room > 0 ? 2 * curve->room : 16;
  CpsVec3* points = realloc(curve->points, (size_t)room * sizeof *points);
  if (!points) return false;
  curve->points = points;
  curve->room = room;
  return true;
}

static CpsStatus check_point(const CpsPen* pen, const CpsLiveOrder* order, CpsError* error) {
  const CpsVec3 p = order->target;
  if (pen->free) return cps_fail(error, CPS_BAD_ARGUMENT, "select the pen first: the drawing is in motion");
  if (order->index > pen->count || order->index >= CPS_PEN_CURVES) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "there are %d curves; the maximum is %d", (int)pen->count, CPS_PEN_CURVES);
  }
  const int32_t count = order->index < pen->count ? pen->curves[order->index].count : 0;
  if (order->vertex > count || order->vertex >= CPS_PEN_POINTS) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "the curve has %d points; the maximum is %d", (int)count, CPS_PEN_POINTS);
  }
  if (!(fabs(p.x) <= FARTHEST && fabs(p.y) <= FARTHEST && fabs(p.z) <= FARTHEST)) {
    return cps_fail(error, CPS_BAD_DATA, "a point of a curve is too far away");
  }
  const CpsDrawn* curve = order->index < pen->count ? &pen->curves[order->index] : NULL;
  for (int64_t k = order->vertex - 1; curve && k <= order->vertex + 1; k += 2) {
    if (k < 0 || k >= curve->count) continue;
    const CpsVec3 q = curve->points[k];
    if (hypot(hypot(p.x - q.x, p.y - q.y), p.z - q.z) <= APART) {
      return cps_fail(error, CPS_BAD_DATA, "two neighbouring points of a curve coincide");
    }
  }
  return CPS_OK;
}

static CpsStatus draw(CpsLive* live, const CpsLiveOrder* order, CpsError* error) {
  CpsPen* pen = &live->pen;
  const CpsStatus status = check_point(pen, order, error);
  if (status != CPS_OK) return status;
  CpsDrawn* curve = &pen->curves[order->index];
  const bool added = order->vertex == (order->index < pen->count ? curve->count : 0);
  if (order->index == pen->count) curve->young = NAN;
  if (added && !make_room(curve)) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a curve");
  pen->count += order->index == pen->count;
  curve->count += added;
  curve->points[order->vertex] = order->target;
  reshape(live, curve);
  tell(live, (int32_t)order->index);
  return CPS_OK;
}

static CpsDrawn* find(const CpsLive* live, const CpsLiveOrder* order, CpsError* error) {
  if (live->pen.free) {
    cps_fail(error, CPS_BAD_ARGUMENT, "select the pen first: the drawing is in motion");
  } else if (order->index >= live->pen.count) {
    cps_fail(error, CPS_BAD_ARGUMENT, "curve %lld does not exist", (long long)order->index);
  } else {
    return (CpsDrawn*)&live->pen.curves[order->index];
  }
  return NULL;
}

static CpsStatus erase(CpsLive* live, const CpsLiveOrder* order, CpsError* error) {
  CpsPen* pen = &live->pen;
  CpsDrawn* curve = find(live, order, error);
  if (!curve) return CPS_BAD_ARGUMENT;
  free(curve->points);
  pen->count--;
  memmove(curve, curve + 1, (size_t)(pen->count - order->index) * sizeof *curve);
  pen->curves[pen->count] = (CpsDrawn){0};
  for (int32_t i = (int32_t)order->index; i <= pen->count; ++i) tell(live, i);
  return CPS_OK;
}

static CpsStatus set_stiffness(CpsLive* live, const CpsLiveOrder* order, CpsError* error) {
  CpsDrawn* curve = find(live, order, error);
  if (!curve) return CPS_BAD_ARGUMENT;
  if (!(order->value >= SOFTEST && order->value <= STIFFEST)) {
    return cps_fail(error, CPS_BAD_DATA, "Young's modulus is %g Pa; it must be between %g and %g", order->value,
                    SOFTEST, STIFFEST);
  }
  curve->young = order->value;
  reshape(live, curve);
  tell(live, (int32_t)order->index);
  return CPS_OK;
}

// Rebuilds the scene with the current settings and, if curves are free, with all curves that have a shape.
static CpsStatus build_again(CpsLive* live, bool curves, CpsError* error) {
  const CpsWorldDef now = cps_world_settings(live->world);
  const double grain_mu = cps_world_grain_mu(live->world);
  CpsBuffer entry[CPS_PEN_CURVES] = {{0}};
  const char* more[CPS_PEN_CURVES + 2];
  char gravity[120];
  int32_t count = 0, made = 0;
  bool failed = false, falls = false;
  snprintf(gravity, sizeof gravity, "gravity=[%.17g, %.17g, %.17g]", now.gravity.x, now.gravity.y, now.gravity.z);
  more[count++] = gravity;
  for (int32_t i = 0; curves && i < live->pen.count; ++i) {
    const CpsDrawn* curve = &live->pen.curves[i];
    if (!curve->shaped) continue;
    char name[40];
    snprintf(name, sizeof name, "drawn-%d", (int)i + 1);
    cps_pen_entry(&entry[made], name, curve->points, curve->count, &curve->shape);
    failed = failed || entry[made].failed;
    falls = falls || curve->shape.least >= 1.0;
    more[count++] = (const char*)entry[made++].bytes;
  }
  if (falls) more[count++] = "inverse.unstable=allow";
  cps_hands_release_all(live);
  CpsStatus status = failed ? cps_fail(error, CPS_NO_MEMORY, "not enough memory for the curves")
                            : cps_live_build(live, more, count, error);
  for (int32_t i = 0; i < made; ++i) cps_buffer_free(&entry[i]);
  if (status == CPS_OK) {
    CpsWorldDef def = cps_world_settings(live->world);
    def.mu_everywhere = now.mu_everywhere;
    def.step = now.step;
    def.step_min = now.step_min;
    def.solver = now.solver;
    def.motion_tolerance = now.motion_tolerance;
    status = cps_world_configure(live->world, &def, error);
    if (status == CPS_OK) status = cps_world_set_grain_mu(live->world, grain_mu, error);
  }
  if (status == CPS_OK) live->cut = false;
  return status;
}

CpsStatus cps_pen_build(CpsLive* live, CpsError* error) {
  return build_again(live, live->pen.free, error);
}

// Turns the drawn curves into fibres that move, or back into curves, with the world as before.
static CpsStatus set_free(CpsLive* live, bool on, CpsError* error) {
  int32_t shaped = 0;
  for (int32_t i = 0; i < live->pen.count; ++i) shaped += live->pen.curves[i].shaped;
  if (on && shaped == 0) return cps_fail(error, CPS_BAD_ARGUMENT, "draw something first");
  live->running = false;
  live->pace = 0.0;
  if (on == live->pen.free && !on) return cps_live_reset(live, error);
  const CpsStatus status = build_again(live, on, error);
  if (status != CPS_OK) return status;
  live->pen.free = on;
  cps_live_restart(live);
  live->running = on;
  tell_all(live);
  return CPS_OK;
}

static CpsStatus cut(CpsLive* live, const CpsLiveOrder* order, CpsError* error) {
  if (order->index >= cps_world_fibre_count(live->world)) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "fibre %lld does not exist", (long long)order->index);
  }
  if (!(order->value > 0.0)) return cps_fail(error, CPS_BAD_DATA, "a fibre cannot be cut off at its root");
  cps_hands_release_all(live);
  CpsFibreId id = cps_world_fibre(live->world, (int32_t)order->index);
  const CpsStatus status = cps_world_trim_fibre(live->world, &id, order->value, error);
  if (status == CPS_OK) live->cut = true;
  return status;
}

CpsStatus cps_pen_carry_out(CpsLive* live, const CpsLiveOrder* order, CpsError* error) {
  switch (order->what) {
    case CPS_LIVE_DRAW:
      return draw(live, order, error);
    case CPS_LIVE_ERASE:
      return erase(live, order, error);
    case CPS_LIVE_STIFFNESS:
      return set_stiffness(live, order, error);
    case CPS_LIVE_CUT:
      return cut(live, order, error);
    default:
      return set_free(live, order->what == CPS_LIVE_LET_GO, error);
  }
}

void cps_pen_reshape(CpsLive* live) {
  if (live->pen.free) return;
  for (int32_t i = 0; i < live->pen.count; ++i) {
    reshape(live, &live->pen.curves[i]);
    tell(live, i);
  }
}

void cps_pen_free(CpsLive* live) {
  for (int32_t i = 0; i < live->pen.count; ++i) free(live->pen.curves[i].points);
  for (int32_t i = 0; i < CPS_PEN_CURVES; ++i) cps_buffer_free(&live->told[i]);
}
