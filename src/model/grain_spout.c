// Spouts: grains leave a round mouth at a given rate.
//
// The mouth is a disc normal to the velocity v, in the plane a strip of its width. It emits layers of particles, `spacing` apart: a new
// one as soon as the last has moved that far. With the area A of the mouth and the density rho of a grain,
//
//   interval T = spacing / |v|,   mass of a layer = rate T,   fraction = rate / (rho A |v|)                          (1)
//
// Layer k passes the mouth at t_k = from + (k + 1/2) T. It joins the step that contains t_k, at x = mouth + v (t - t_k), its position at the
// beginning t of that step. Layers are thus equally spaced for any step size, and the grains added in a step depend only on its time.
//
// If the mouth is full, a layer waits for at most T and is then lost, as a real spout holds back the grains behind its mouth. Full means
// that the grains within half a spacing of the layer, together with the layer itself, would exceed fraction_max.
#include "model/grains.h"

static const double PI = 3.14159265358979323846, GOLDEN = 0.38196601125010515;

double cps_grain_spout_area(double radius, bool plane) {
  return plane ? 2.0 * radius : PI * radius * radius;
}

static double speed_of(const CpsGrainsDef* def, bool plane) {
  return plane ? hypot(def->velocity.x, def->velocity.z) : cps_vec3_norm(def->velocity);
}

// Squares of a lattice along the diameter, at least one.
static int32_t lines(double radius, double spacing) {
  return (int32_t)fmin(fmax(1.0, nearbyint(2.0 * radius / spacing)), 30000.0);
}

// Whether square (i, j) of n x n is in the disc; for small n all are.
static bool is_in_disc(int32_t i, int32_t j, int32_t n) {
  const double x = i + 0.5 - 0.5 * n, y = j + 0.5 - 0.5 * n;
  return n < 3 || hypot(x, y) <= 0.5 * n;
}

static int32_t places(double radius, double spacing, bool plane) {
  const int32_t n = lines(radius, spacing);
  if (plane) return n;
  int32_t count = 0;
  for (int32_t k = 0; k < n * n; ++k) count += is_in_disc(k / n, k % n, n);
  return count;
}

static double layers(const CpsGrainsDef* def, double interval) {
  return fmax(1.0, nearbyint((def->until - def->from) / interval));
}

double cps_grain_spout_count(const CpsGrainsDef* def, double spacing, bool plane) {
  return layers(def, spacing / speed_of(def, plane)) * places(def->radius, spacing, plane);
}

CpsGrainSpout cps_grain_spout(const CpsGrainsDef* def, double spacing, bool plane) {
  const double speed = speed_of(def, plane), area = cps_grain_spout_area(def->radius, plane);
  CpsGrainSpout s = {.each = places(def->radius, spacing, plane),
                     .mouth = def->centre,
                     .v = def->velocity,
                     .radius = def->radius,
                     .thickness = spacing,
                     .fraction = fmin(def->rate / (def->density * area * speed), def->fraction_max),
                     .from = def->from,
                     .interval = spacing / speed};
  if (plane) s.mouth.y = s.v.y = 0.0;
  s.layers = (int32_t)layers(def, s.interval);
  return s;
}

// Two directions normal to the velocity; in the plane the first one lies in it.
static void across(const CpsGrainSpout* s, CpsVec3* a, CpsVec3* b) {
  const CpsVec3 n = cps_vec3_scale(1.0 / cps_vec3_norm(s->v), s->v);
  *b = fabs(n.y) < 0.9 ? cps_vec3(0.0, 1.0, 0.0) : cps_vec3(1.0, 0.0, 0.0);
  *a = cps_vec3_cross(*b, n);
  *a = cps_vec3_scale(1.0 / cps_vec3_norm(*a), *a);
  *b = cps_vec3_cross(n, *a);
}

CpsVec3 cps_grain_spout_place(const CpsGrainSpout* s, bool plane, int32_t i) {
  CpsVec3 a, b;
  across(s, &a, &b);
  const int32_t n = lines(s->radius, s->thickness);
  const double part = 2.0 * s->radius / n;
  int32_t k = 0;
  if (!plane) {
    for (int32_t in = -1;; ++k) {
      in += is_in_disc(k / n, k % n, n);
      if (in == i) break;
    }
  }
  const double x = (plane ? i : k / n) + 0.5 - 0.5 * n, y = plane ? 0.0 : k % n + 0.5 - 0.5 * n;
  return cps_vec3_axpy(cps_vec3_axpy(s->mouth, part * x, a), part * y, b);
}

// Layers differ: particles exactly behind one another would leave cells between their paths empty. Each layer is rotated by
// the golden angle relative to the previous one; in the plane it is shifted by the golden section of a spacing, and wraps around at the
// sides of the mouth.
CpsVec3 cps_grain_spout_turn(const CpsGrainSpout* s, bool plane, int32_t layer, CpsVec3 place) {
  CpsVec3 a, b;
  across(s, &a, &b);
  const CpsVec3 from = cps_vec3_sub(place, s->mouth);
  double x = cps_vec3_dot(from, a), y = cps_vec3_dot(from, b);
  const double part = layer * GOLDEN - floor(layer * GOLDEN);
  if (plane) {
    x += part * 2.0 * s->radius / lines(s->radius, s->thickness);
    if (x > s->radius) x -= 2.0 * s->radius;
  } else {
    const double angle = 2.0 * PI * part, was = x;
    x = cos(angle) * x - sin(angle) * y;
    y = sin(angle) * was + cos(angle) * y;
  }
  return cps_vec3_axpy(cps_vec3_axpy(s->mouth, x, a), y, b);
}

// Whether a layer fits at a position on the axis.
static bool is_full(const CpsGrains* m, const CpsGrainGroup* group, CpsVec3 at, double own) {
  const CpsGrainSpout* s = &group->spout;
  const CpsVec3 n = cps_vec3_scale(1.0 / cps_vec3_norm(s->v), s->v);
  const double room = group->fraction_max * s->thickness * cps_grain_spout_area(s->radius, m->grid.dim == 2);
  double volume = own * (1.0 - 1e-9);
  for (int32_t p = 0; p < m->count; ++p) {
    if (cps_grain_waits(m, p)) continue;
    const CpsVec3 from = cps_vec3_sub(m->x[p], at);
    const double along = cps_vec3_dot(from, n);
    if (!(fabs(along) < 0.5 * s->thickness)) continue;
    if (cps_vec3_norm(cps_vec3_axpy(from, -along, n)) < s->radius) volume += m->volume[p];
  }
  return volume > room;
}

static void pour_layer(CpsGrains* m, const CpsModelStep* step, const CpsGrainGroup* group, int32_t layer, double due) {
  const CpsGrainSpout* s = &group->spout;
  const int32_t first = group->first + layer * s->each;
  const CpsVec3 way = cps_vec3_scale(*step->t - due, s->v);
  if (!cps_grain_waits(m, first)) return;
  if (is_full(m, group, cps_vec3_add(s->mouth, way), s->each * m->volume[first])) return;
  for (int32_t p = first; p < first + s->each; ++p) {
    m->x[p] = cps_vec3_add(m->x[p], way);
    m->v[p] = s->v;
    m->fraction[p] = s->fraction;
    m->poured += m->mass[p] * (0.5 * cps_vec3_dot(s->v, s->v) - cps_vec3_dot(step->gravity, way));
  }
}

void cps_grains_pour(CpsGrains* m, const CpsModelStep* step) {
  if (!step->t) return;
  if (*step->t != m->poured_at) m->poured = 0.0;
  m->poured_at = *step->t;
  for (int32_t k = 0; k < m->group_count; ++k) {
    const CpsGrainSpout* s = &m->group[k].spout;
    const double now = (*step->t - s->from) / s->interval - 0.5, end = now + step->h / s->interval;
    if (s->layers == 0 || !(end >= 0.0) || now - 1.0 > s->layers) continue;
    for (int32_t i = (int32_t)fmax(0.0, floor(now) - 1.0); i < s->layers && i <= end; ++i) {
      const double due = s->from + (i + 0.5) * s->interval;
      if (due < *step->t + step->h && due + s->interval > *step->t) pour_layer(m, step, &m->group[k], i, due);
    }
  }
}
