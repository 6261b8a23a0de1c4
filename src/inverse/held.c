// Stability of fibres that contacts hold.
#include "inverse/explain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double STICKS = 1e4;  // stiffness of a sticking contact, relative to that of an element

// The load, with pulls and springs in place of contacts. Obstacles are fixed: sticking contacts on them are held, and
// gliding ones are held along the normal. Other fibres may give way, so only their forces count. If each fibre is
// stable in this sense, all of them together are: sticking contacts only remove directions from a positive second
// derivative, and of gliding contacts each fibre has its own share (gliding.c).
typedef struct Springs {
  CpsRodPull* pulls;
  CpsRodSpring* springs;
  CpsRodLoad load;
} Springs;

static void free_springs(Springs* s) {
  free(s->pulls);
  free(s->springs);
}

static bool as_springs(const CpsRod* rod, const CpsRodLoad* load, Springs* out) {
  const size_t count = (size_t)load->pull_count + (size_t)load->touch_count + 1;
  CpsRodPull* pulls = malloc(count * sizeof *pulls);
  CpsRodSpring* springs = malloc(4 * count * sizeof *springs);
  *out = (Springs){pulls, springs, {.gravity = load->gravity, .pulls = pulls, .springs = springs}};
  if (!pulls || !springs) return false;
  CpsRodLoad* to = &out->load;
  to->pull_count = load->pull_count;
  if (load->pull_count > 0) memcpy(pulls, load->pulls, (size_t)load->pull_count * sizeof *pulls);
  const double l = rod->spec.length / rod->spec.elements, *K = rod->spec.branch[0].stiffness;
  const double hard = STICKS * fmax(K[1], K[2]) / (l * l * l);
  for (int32_t i = 0; i < load->touch_count; ++i) {
    const CpsRodTouch* touch = &load->touches[i];
    if (!(cps_vec3_norm(touch->force) > 0.0)) continue;
    pulls[to->pull_count++] = (CpsRodPull){.s = touch->s,
                                           .force = touch->force,
                                           .stiffness = touch->fixed && !touch->glides ? hard : 0.0,
                                           .target = rod->type->at(rod, touch->s).position};
    if (!touch->glides) continue;
    if (touch->fixed) {
      springs[to->spring_count++] = (CpsRodSpring){.s = touch->s, .along = touch->normal, .stiffness = hard};
    }
    for (int32_t k = 0; k < touch->turn_count; ++k) {
      springs[to->spring_count++] =
          (CpsRodSpring){touch->s, touch->turn[k].along, touch->turn[k].slope, touch->turn[k].stiffness};
    }
  }
  return true;
}

CpsStatus cps_rod_held_matrices(const CpsRod* rod, const CpsRodLoad* load, CpsRodMatrices* m) {
  Springs held;
  *m = (CpsRodMatrices){0};
  const CpsStatus status = as_springs(rod, load, &held) ? cps_rod_matrices(rod, &held.load, m) : CPS_NO_MEMORY;
  free_springs(&held);
  return status;
}

CpsStatus cps_rod_loaded_matrices(const CpsRod* rod, const CpsRodLoad* load, CpsRodMatrices* m) {
  Springs held;
  *m = (CpsRodMatrices){0};
  const bool taken = as_springs(rod, load, &held);
  held.load.spring_count = 0;
  for (int32_t i = load->pull_count; taken && i < held.load.pull_count; ++i) held.pulls[i].stiffness = 0.0;
  const CpsStatus status = taken ? cps_rod_matrices(rod, &held.load, m) : CPS_NO_MEMORY;
  free_springs(&held);
  return status;
}

static const double PUSHED = 100.0;  // largest stiffening of a fibre that a contact justifies

// Whether a fibre is stable under a load, if made as stiff as allowed. Fibres that cannot be inverted or judged are reported later.
static CpsStatus is_stable(const CpsExplain* e, CpsRod* rod, const CpsRodLoad* load, bool* stable) {
  CpsRodMatrices m;
  *stable = true;
  if (cps_rod_can_settle(rod, NULL) != CPS_OK || rod->type->statics->balance(rod, load, NULL) != CPS_OK) return CPS_OK;
  const CpsStatus status = cps_rod_held_matrices(rod, load, &m);
  if (status != CPS_OK) return status;
  // the allowed stiffening includes the margin
  const double stiffest = fmin(e->options->stiffen_most, PUSHED);
  const double most = e->options->stiffen ? stiffest / (1.0 + e->options->stiffen_margin) : 1.0;
  *stable = cps_rod_matrices_factor(&m, fmax(most, 1.0));
  cps_rod_matrices_free(&m);
  return CPS_OK;
}

// Whether a fibre is stable, or unstable for other reasons than its contacts.
static CpsStatus is_calm(const CpsExplain* e, CpsHeld* h, const CpsForces* forces, bool* calm) {
  CpsRod* rod = &h->fibre->rod;
  CpsRodLoad load = cps_rod_load(rod, e->world->def.gravity, rod->pull_count, rod->pulls);
  load.touch_count = h->spot_count;
  load.touches = forces->touch + h->first;
  CpsStatus status = is_stable(e, rod, &load, calm);
  if (status != CPS_OK || *calm) return status;
  bool alone;
  load.touch_count = 0;
  status = is_stable(e, rod, &load, &alone);
  *calm = h->falls = !alone;
  return status;
}

typedef struct Calm {
  const CpsExplain* e;
  const CpsForces* forces;
  bool* calm;
  CpsStatus* status;
} Calm;

// Whether the forces on a fibre differ from those of its last check, and stores them. The first check starts from none.
static bool have_changed(const CpsExplain* e, const CpsHeld* h, const CpsForces* forces) {
  bool changed = false;
  for (int32_t k = h->first; k < h->first + h->spot_count; ++k) {
    const CpsVec3 F = forces->touch[k].force, *last = &e->judged[k];
    changed = changed || F.x != last->x || F.y != last->y || F.z != last->z;
    e->judged[k] = F;
  }
  return changed;
}

static void judge_range(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Calm* c = data;
  for (int64_t i = first; i < last; ++i) {
    CpsHeld* h = &c->e->held[i];
    c->calm[i] = true;
    c->status[i] = CPS_OK;
    if (h->body < 0 || h->falls || !have_changed(c->e, h, c->forces)) continue;
    c->status[i] = is_calm(c->e, h, c->forces, &c->calm[i]);
  }
}

CpsStatus cps_explain_calm(CpsExplain* e, const CpsForces* forces, int32_t* freed) {
  Calm c = {e, forces, CPS_TAKE(e->arena, bool, e->count), CPS_TAKE(e->arena, CpsStatus, e->count)};
  *freed = 0;
  if (!c.calm || !c.status) return CPS_NO_MEMORY;
  cps_pool_run(e->world->pool, e->count, judge_range, &c);
  for (int32_t i = 0; i < e->count; ++i) {
    if (c.status[i] != CPS_OK) return c.status[i];
  }
  for (int32_t k = 0; k < e->holding_count; ++k) {
    for (int s = 0; s < 2; ++s) {
      const int32_t fibre = e->holding[k].fibre[s];
      if (fibre < 0 || c.calm[fibre] || e->law[k] == CPS_LAW_FREE) continue;
      e->law[k] = CPS_LAW_FREE;
      ++*freed;
    }
  }
  return CPS_OK;
}
