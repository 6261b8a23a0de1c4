#include "cli/overlap_report.h"

#include <math.h>
#include <string.h>

#include "capstan/grains.h"
#include "cli/run_report.h"

enum { LISTED = 10, LISTED_JSON = 100 };  // pairs that are listed; all are counted

// Depths below this fraction of the radius are due to rounding and the solver and do not count as penetration.
static const double ROUNDING = 1e-9;

// "0.84 mm", "12 um", "3 nm", "1.5 m"
static const char* length_text(double length, char text[32]) {
  if (length >= 0.9995) {
    snprintf(text, 32, "%.3g m", length);
  } else if (length >= 0.9995e-4) {
    snprintf(text, 32, "%.3g mm", 1e3 * length);
  } else if (length >= 0.9995e-7) {
    snprintf(text, 32, "%.3g um", 1e6 * length);
  } else {
    snprintf(text, 32, "%.3g nm", 1e9 * length);
  }
  return text;
}

// Rounded to the digits that matter; no "-0".
static double tidy(double x) {
  return fabs(x) < 5e-7 ? 0.0 : x;
}

void cps_point_print(FILE* out, CpsVec3 p) {
  fprintf(out, "(%.4g, %.4g, %.4g) m", tidy(p.x), tidy(p.y), tidy(p.z));
}

static void print_pair(FILE* out, const CpsScene* scene, const CpsOverlap* o, bool separated) {
  const CpsThing a = o->side[0].thing, b = o->side[1].thing;
  char depth[32], left[32];
  fprintf(out, "  %s and %s, ", cps_scene_thing_name(scene, a),
          cps_thing_is(a, b) ? "itself" : cps_scene_thing_name(scene, b));
  if (o->through) {
    fprintf(out, "intersecting at triangles %d and %d, ", (int)o->side[0].part, (int)o->side[1].part);
    cps_point_print(out, o->point);
    fprintf(out, "; ignored until they separate\n");
    return;
  }
  if (o->depth > 0.0) {
    fprintf(out, "%s deep at ", length_text(o->depth, depth));
    cps_point_print(out, o->point);
  } else {
    fprintf(out, "pushed together by the others");
  }
  if (separated && o->left > 0.0)
    fprintf(out, "; %s remains%s", length_text(o->left, left), o->held ? ", kept by held ends" : "");
  fputc('\n', out);
}

typedef struct Counts {
  int32_t all, left, held;  // held: of the remaining pairs
} Counts;

static Counts count(const CpsWorld* world) {
  Counts n = {cps_world_overlap_count(world), 0, 0};
  for (int32_t i = 0; i < n.all; ++i) {
    CpsOverlap o = cps_world_overlap(world, i);
    n.left += o.left > 0.0;
    n.held += o.held;
  }
  return n;
}

void cps_overlaps_print(FILE* out, const CpsScene* scene, const CpsWorld* world) {
  Counts n = count(world);
  if (n.all == 0) return;
  bool separated = cps_scene_info(scene).start == CPS_START_SEPARATE;
  const bool bad = !separated || n.left > 0;
  fprintf(out, "%s: %d pair%s overlap%s at the start", bad ? "warning" : "note", (int)n.all, n.all == 1 ? "" : "s",
          n.all == 1 ? "s" : "");
  if (!separated) {
    fputs(" and stay as they are (start: keep):\n", out);
  } else if (n.left == 0) {
    fprintf(out, " and %s moved apart:\n", n.all == 1 ? "was" : "were");
  } else {
    fprintf(out, "; %d could not be moved apart:\n", (int)n.left);
  }
  int32_t listed = 0;
  for (int32_t i = 0; i < n.all && listed < LISTED; ++i) {
    CpsOverlap o = cps_world_overlap(world, i);
    // the remaining pairs matter
    if (separated && n.left > 0 && !(o.left > 0.0)) continue;
    print_pair(out, scene, &o, separated);
    listed++;
  }
  int32_t more = (separated && n.left > 0 ? n.left : n.all) - listed;
  if (more > 0) fprintf(out, "  and %d more\n", (int)more);
  if (n.held > 0) {
    fputs(
        "  objects kept in overlap by held ends do not touch each other near those ends; to keep them apart, increase "
        "the\n"
        "  distance, reduce contact_radius or set contact_start\n",
        out);
  }
}

// If particles do not fit evenly into cells, the measured density may be up to a fifth too high in places.
static const double CROWDED = 0.3;
static const double LOST = 0.03;  // relative to the volume of grains: threshold of a warning

void cps_grains_print(FILE* out, const CpsScene* scene, const CpsWorld* world) {
  CpsGrainsRoom room;
  if (cps_world_grains_room(world, &room) != CPS_OK) return;
  if (room.densest > CROWDED) {
    fprintf(out, "warning: grains overlap at the start: near ");
    cps_point_print(out, room.at);
    fprintf(out, " there are %.2g times as many as fit\n", 1.0 + room.densest);
  }
  if (room.buried > 0) {
    fprintf(out, "note: %d particle%s of the grains begin%s inside obstacles or bodies, the first inside %s\n",
            (int)room.buried, room.buried == 1 ? "" : "s", room.buried == 1 ? "s" : "",
            cps_scene_thing_name(scene, room.by));
  }
}

void cps_grains_warn(FILE* out, const CpsWorld* world) {
  CpsGrainsRoom room;
  if (cps_world_grains_room(world, &room) != CPS_OK || !(room.excess > LOST)) return;
  fprintf(out,
          "warning: inside the grains, particles gathered until %.2g %% of the volume was lost; set "
          "grid.keep_volume, or shorten the step\n",
          100.0 * room.excess / (1.0 + room.excess));
}

void cps_point_json(CpsJson* json, CpsVec3 point) {
  cps_json_open(json, "point", '[');
  cps_json_number(json, NULL, point.x);
  cps_json_number(json, NULL, point.y);
  cps_json_number(json, NULL, point.z);
  cps_json_close(json, ']');
}

static void put_thing(CpsJson* json, CpsThing thing, const char* name) {
  cps_json_text(json, "kind", cps_thing_kind_name(thing.kind));
  cps_json_integer(json, "index", thing.index);
  cps_json_text(json, "name", name);
}

void cps_sides_json(CpsJson* json, const CpsScene* scene, const CpsSide side[2]) {
  cps_json_open(json, "sides", '[');
  for (int k = 0; k < 2; ++k) {
    cps_json_open(json, NULL, '{');
    put_thing(json, side[k].thing, cps_scene_thing_name(scene, side[k].thing));
    cps_json_integer(json, "part", side[k].part);
    cps_json_open(json, "place", '[');
    cps_json_number(json, NULL, side[k].place.x);
    cps_json_number(json, NULL, side[k].place.y);
    cps_json_number(json, NULL, side[k].place.z);
    cps_json_close(json, ']');
    cps_point_json(json, side[k].point);
    cps_json_close(json, '}');
  }
  cps_json_close(json, ']');
}

void cps_overlaps_json(CpsJson* json, const CpsScene* scene, const CpsWorld* world) {
  Counts n = count(world);
  cps_json_open(json, "overlaps", '{');
  cps_json_integer(json, "count", n.all);
  cps_json_integer(json, "left", n.left);
  cps_json_integer(json, "held", n.held);
  cps_json_open(json, "pairs", '[');
  for (int32_t i = 0; i < n.all && i < LISTED_JSON; ++i) {
    CpsOverlap o = cps_world_overlap(world, i);
    cps_json_open(json, NULL, '{');
    cps_sides_json(json, scene, o.side);
    cps_json_number(json, "depth", o.depth);
    cps_json_number(json, "left", o.left);
    cps_json_bool(json, "held", o.held);
    cps_json_number(json, "radius", o.radius);
    cps_point_json(json, o.point);
    cps_json_close(json, '}');
  }
  cps_json_close(json, ']');
  cps_json_close(json, '}');
}

double cps_deepest_ratio(const CpsDeepest* deepest) {
  return deepest->depth > 0.0 ? deepest->depth / deepest->radius : 0.0;
}

// Two digits are enough, but "150", not "1.5e+02".
static int digits_of(double percent) {
  return percent < 99.5 ? 2 : percent < 999.5 ? 3 : 4;
}

void cps_deepest_print(FILE* out, const CpsDeepest* deepest, const char* a, const char* b) {
  double ratio = cps_deepest_ratio(deepest);
  char depth[32], radius[32], time[32];
  if (!(ratio > ROUNDING)) {
    fputs("penetration none\n", out);
    return;
  }
  fprintf(out, "penetration at most %s, %.*g %% of the radius of %s: %s and %s at ", length_text(deepest->depth, depth),
          digits_of(100.0 * ratio), 100.0 * ratio, length_text(deepest->radius, radius), a,
          strcmp(a, b) == 0 ? "itself" : b);
  cps_point_print(out, deepest->point);
  fprintf(out, ", t = %s\n", cps_run_time_text(deepest->time, time));
}

void cps_deepest_warn(FILE* out, const CpsDeepest* deepest, const char* a, const char* b) {
  const double ratio = cps_deepest_ratio(deepest);
  char time[32];
  if (!(ratio > CPS_DEEP_WARNING)) return;
  cps_run_time_text(deepest->time, time);
  if (strcmp(a, b) == 0) {
    fprintf(out, "warning: %s penetrates itself by %.*g %% of its radius", a, digits_of(100.0 * ratio), 100.0 * ratio);
  } else {
    fprintf(out, "warning: %s and %s penetrate each other by %.*g %% of the radius of the smaller", a, b,
            digits_of(100.0 * ratio), 100.0 * ratio);
  }
  fprintf(out, " at t = %s%s\n", time, ratio > CPS_DEEP_FAILURE ? ", so they may have passed through each other" : "");
}

void cps_deepest_json(CpsJson* json, const CpsDeepest* deepest, const char* a, const char* b) {
  if (!(deepest->depth > 0.0)) {
    cps_json_text(json, "deepest", NULL);
    return;
  }
  cps_json_open(json, "deepest", '{');
  cps_json_number(json, "depth", deepest->depth);
  cps_json_number(json, "radius", deepest->radius);
  cps_json_number(json, "ratio", cps_deepest_ratio(deepest));
  cps_json_number(json, "time", deepest->time);
  cps_point_json(json, deepest->point);
  cps_json_open(json, "sides", '[');
  for (int k = 0; k < 2; ++k) {
    cps_json_open(json, NULL, '{');
    put_thing(json, deepest->thing[k], k == 0 ? a : b);
    cps_json_close(json, '}');
  }
  cps_json_close(json, ']');
  cps_json_close(json, '}');
}
