// Which contacts may carry: those that the next step will see with a closed gap. The step lets an open gap close before it pushes,
// so a force there would move the fibre.
#include "inverse/inverse.h"

#include "core/error.h"

#include <math.h>

static const double CLOSED = 1e-9;   // in smallest radii: rounding of a gap
static const double CLAMPED = 0.02;  // relative to the length
static const double DEEP = 1.5;  // relative to the smaller radius: the axes of two fibres nearly meet, without a normal

enum { OBSTACLE = -1, NOT_INVERTED = -2 };
// Place of a side in the list, or one of the above. An obstacle carries any load.
static int32_t place_of(const CpsWorld* world, const int32_t* place, int32_t member) {
  if (member < 0) return OBSTACLE;
  const CpsMember m = cps_world_member(world, member);
  const CpsFibres* fibres = cps_world_fibres(world);
  return m.model == &fibres->model && place[m.index] >= 0 ? place[m.index] : NOT_INVERTED;
}

// The smaller contact radius of the fibres on both sides.
static double radius_of(const CpsWorld* world, const CpsStepContact* t) {
  double radius = INFINITY;
  const int32_t member[2] = {t->a, t->b};
  for (int s = 0; s < 2; ++s) {
    if (member[s] < 0) continue;
    const CpsMember m = cps_world_member(world, member[s]);
    const CpsFibres* fibres = cps_world_fibres(world);
    if (m.model == &fibres->model) radius = fmin(radius, fibres->fibres[m.index].radius);
  }
  return radius;
}

// Whether a force there is carried by the fibre, not by its clamp.
static bool bends(const CpsWorld* world, int32_t member, double s) {
  const CpsRodSpec* spec = &cps_world_fibres(world)->fibres[cps_world_member(world, member).index].rod.spec;
  return spec->root != CPS_END_CLAMPED || s > CLAMPED * spec->length;
}

CpsStatus cps_holdings_find(CpsStep* step, const int32_t* place, CpsArena* arena, CpsHolding** holdings, int32_t* count,
                            bool* loaded, CpsInvertInfo* info) {
  const CpsWorld* world = step->world;
  const CpsContacts* c = &step->contacts;
  *holdings = CPS_TAKE(arena, CpsHolding, c->touch_count);
  *count = 0;
  if (!*holdings) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for %d contacts", (int)c->touch_count);
  for (int32_t i = 0; i < c->touch_count; ++i) {
    const CpsStepContact* t = &c->contact[i];
    const int32_t a = place_of(world, place, t->a), b = place_of(world, place, t->b);
    if (a < 0 && b < 0) continue;
    c->track[i].impulse = cps_vec3(0.0, 0.0, 0.0);
    if (!(t->touch.gap <= CLOSED * world->smallest)) continue;
    if (-t->touch.gap > DEEP * radius_of(world, t)) {
      info->overlap_count++;
      continue;
    }
    if (a < OBSTACLE || b < OBSTACLE) {
      info->loose_count++;
      if (a >= 0) loaded[a] = loaded[a] || bends(world, t->a, t->spot_a.arc);
      if (b >= 0) loaded[b] = loaded[b] || bends(world, t->b, t->spot_b.arc);
      continue;
    }
    (*holdings)[(*count)++] = (CpsHolding){i, {a, b}};
  }
  info->contact_count = *count;
  return CPS_OK;
}
