// A scene around a groom: what `capstan run strands.hair` runs.
//
// A file of strands says nothing about its unit, its axes or the head. The head is the sphere that fits the roots; its size tells the
// unit, and the side on which the strands hang tells which axis is up; `tilt`, degrees about x, turns a mesh of the same axes upright.
// Curls need more elements than straight hair: as many are taken as some of the strands need. The head stands still for a second, turns
// and comes back. All of this is in the text of the scene, where `--set` may change it.
#include "base/fail.h"
#include "capstan/fibre.h"
#include "capstan/hair.h"
#include "io/scene/internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double HEAD = 0.095;                          // m, radius of a head
static const double SMALLEST = 0.06, LARGEST = 0.14;       // smallest and largest plausible radius
static const double UNITS[] = {1.0, 0.01, 0.001, 0.0254};  // m, cm, mm, inch
static const double FLAT = 5.0;                            // a sphere this much wider than its roots is not a head
static const double TUFT = 0.02;    // relative to the longest strand: a smaller sphere is a tuft, not a head
enum { STRANDS = 500, TURN = 30 };  // initial number of strands; keyframes of the rotation
enum { TRIED = 40, SPARSE = 200 };  // strands that determine the number of elements, and points used of each
enum { MOST_ELEMENTS = 30 };
static const int32_t ELEMENTS[] = {5, 8, 12, 20, MOST_ELEMENTS};
static const double FOLLOWS = 0.005;  // acceptable mean distance of rods from their strands, in lengths
static const double STILL = 1.0, TURNING = 1.5, ANGLE = 45.0, END = 3.5;  // s, s, degrees, s

typedef struct Groom {
  int32_t strands, elements;
  bool head, y_up;
  CpsVec3 centre;  // of the head, in file coordinates
  double radius;   // of a head that no strand enters, in its unit
  double scale;
} Groom;

static double distance(CpsVec3 a, CpsVec3 b) {
  return hypot(hypot(a.x - b.x, a.y - b.y), a.z - b.z);
}

static void find_up(const CpsHair* hair, Groom* groom) {
  double y = 0.0, z = 0.0;  // from tips to roots
  for (int32_t i = 0; i < hair->strand_count; ++i) {
    const CpsVec3 root = hair->points[hair->first[i]], tip = hair->points[hair->first[i + 1] - 1];
    y += root.y - tip.y;
    z += root.z - tip.z;
  }
  groom->y_up = y > fabs(z);
}

static double longest_strand(const CpsHair* hair) {
  double longest = 0.0;
  for (int32_t i = 0; i < hair->strand_count; ++i) {
    double length = 0.0;
    for (int64_t k = hair->first[i]; k + 1 < hair->first[i + 1]; ++k)
      length += distance(hair->points[k], hair->points[k + 1]);
    longest = fmax(longest, length);
  }
  return longest;
}

// Finds the head, and the unit that gives it a plausible size.
static CpsStatus find_head(const CpsHair* hair, Groom* groom) {
  CpsVec3* roots = malloc((size_t)hair->strand_count * sizeof *roots);
  double radius = 0.0;
  if (!roots) return CPS_NO_MEMORY;
  for (int32_t i = 0; i < hair->strand_count; ++i) roots[i] = hair->points[hair->first[i]];
  groom->scale = 1.0;
  groom->head = cps_hair_fit_scalp(roots, hair->strand_count, &groom->centre, &radius, NULL) == CPS_OK;
  double spread = 0.0;
  for (int32_t i = 0; i < hair->strand_count; ++i) spread = fmax(spread, distance(roots[i], roots[0]));
  groom->head = groom->head && radius < FLAT * spread && radius > TUFT * longest_strand(hair);
  free(roots);
  if (!groom->head) return CPS_OK;
  groom->scale = HEAD / radius;
  for (size_t i = sizeof UNITS / sizeof *UNITS; i-- > 0;) {
    if (radius * UNITS[i] >= SMALLEST && radius * UNITS[i] <= LARGEST) groom->scale = UNITS[i];
  }
  groom->radius = radius;
  for (int64_t i = 0; i < hair->point_count; ++i)
    groom->radius = fmin(groom->radius, distance(hair->points[i], groom->centre));
  groom->radius = fmax(groom->radius, 0.7 * radius);
  return CPS_OK;
}

// Some points of strand s, without those that repeat the one before; returns how many.
static int32_t thin_out(const CpsHair* hair, int32_t s, CpsVec3* points) {
  const int64_t first = hair->first[s], last = hair->first[s + 1] - 1,
                parts = last - first < SPARSE ? last - first : SPARSE - 1;
  int32_t count = 0;
  for (int64_t k = 0; k <= parts; ++k) {
    const CpsVec3 p = hair->points[first + (last - first) * k / parts];
    if (count == 0 || distance(p, points[count - 1]) > 0.0) points[count++] = p;
  }
  return count;
}

// The fewest elements with which rods follow the strands. What cannot be fitted is for the reader of the scene to report.
static CpsStatus choose_elements(const CpsHair* hair, Groom* groom) {
  enum { CHOICES = sizeof ELEMENTS / sizeof *ELEMENTS };
  const int32_t tried = hair->strand_count < TRIED ? hair->strand_count : TRIED;
  CpsVec3 *points = malloc((size_t)SPARSE * sizeof *points), curvature[MOST_ELEMENTS];
  if (!points) return CPS_NO_MEMORY;
  double apart = INFINITY;
  for (int c = 0; c < CHOICES && apart > FOLLOWS * tried; ++c) {
    groom->elements = ELEMENTS[c];
    apart = 0.0;
    for (int32_t i = 0; i < tried; ++i) {
      const int32_t count = thin_out(hair, (int32_t)((int64_t)i * hair->strand_count / tried), points);
      CpsFibreFit fit;
      if (count > 1 && cps_fibre_fit(points, count, groom->elements, curvature, &fit, NULL) == CPS_OK)
        apart += fit.mean / fit.length;
    }
  }
  free(points);
  return CPS_OK;
}

static void put_head(FILE* to, const Groom* groom) {
  const CpsVec3 c = groom->centre;
  const double place[3] = {c.x, groom->y_up ? -c.z : c.y, groom->y_up ? c.y : c.z};
  char at[256];
  snprintf(at, sizeof at, "[\"= %.9g * scale\", \"= %.9g * scale\", \"= %.9g * scale\"]", place[0], place[1], place[2]);
  fprintf(to, "obstacles:\n  head:\n    sphere: {radius: \"= %.9g * scale\"}\n    position: %s\n", groom->radius, at);
  fprintf(to, "    motion:\n      keyframes:\n        - {time: 0, position: %s}\n", at);
  for (int i = 0; i <= TURN; ++i) {
    const double part = (double)i / TURN, pi = 3.14159265358979323846;
    const double angle = ANGLE * 0.5 * (1.0 - cos(2.0 * pi * part));  // there and back
    fprintf(to, "        - {time: %.9g, position: %s, rotation: {axis: [0, 0, 1], angle: %.9g deg}}\n",
            STILL + TURNING * part, at, angle);
  }
}

// A text in the quotes of YAML.
static void put_quoted(FILE* to, const char* text) {
  fputc('\'', to);
  for (const char* c = text; *c; ++c) {
    if (*c == '\'') fputc('\'', to);
    fputc(*c, to);
  }
  fputc('\'', to);
}

static void put_scene(FILE* to, const char* file, const Groom* groom) {
  const int32_t count = groom->strands < STRANDS ? groom->strands : STRANDS;
  fputs("title: ", to);
  put_quoted(to, file);
  fprintf(to, "\nparameters: {scale: %.9g, count: %d, elements: %d, tilt: %d deg}\nstart: keep\ncontact: {mu: 0.3}\n",
          groom->scale, (int)count, (int)groom->elements, groom->y_up ? 90 : 0);
  if (groom->head) put_head(to, groom);
  fprintf(to, "fibres:\n  hair:\n    hair: {file: ");
  put_quoted(to, file);
  fprintf(to, ", scale: $scale, count: $count, up: %s}\n", groom->y_up ? "y" : "z");
  fprintf(to, "    elements: $elements\n    root: %s\n    radius: 0.04 mm\n    young: 3 GPa\n    damping: 20 ms\n",
          groom->head ? "{kind: clamped, on: head}" : "clamped");
  fprintf(to, "    contact_start: 2 cm\n    natural: equilibrium\n");
  fprintf(to, "inverse: {stiffen: true, stiffen_most: 1000, unstable: allow}\ntime: {step: 4 ms, end: %.9g}\n", END);
}

CpsStatus cps_scene_around_groom(const char* path, char** text, size_t* length, CpsError* error) {
  CpsHair hair;
  CpsStatus status = cps_hair_read(path, &hair, error);
  if (status != CPS_OK) return status;
  Groom groom = {.strands = hair.strand_count};
  find_up(&hair, &groom);
  status = find_head(&hair, &groom);
  if (status == CPS_OK) status = choose_elements(&hair, &groom);
  cps_hair_free(&hair);
  *text = NULL;
  FILE* to = status == CPS_OK ? open_memstream(text, length) : NULL;
  if (to) put_scene(to, cps_scene_base_name(path), &groom);
  if (to && fclose(to) == 0) return CPS_OK;
  free(*text);
  return cps_io_fail(error, CPS_NO_MEMORY, path, NULL, "out of memory");
}
