// Pins of sheets and solids: defaults and validation.
#include "model/pins.h"

#include <math.h>
#include <stdlib.h>

#include "core/error.h"

static const int PIN_COOKIE = 0x0c0571a5;

CpsPin cps_pin_default(void) {
  return (CpsPin){.until = INFINITY, .cookie = PIN_COOKIE};
}

static CpsStatus check_pin(const CpsPinList* list, int32_t i, CpsError* error) {
  const CpsPin* p = &list->pins[i];
  if (p->cookie != PIN_COOKIE) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "%s: pin %d was not initialised by cps_pin_default()", list->owner,
                    (int)i);
  }
  if (p->vertex_count < 1 || !p->vertices) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "%s: pin %d holds no vertex", list->owner, (int)i);
  }
  if (!(p->from >= 0.0) || !(p->until > p->from)) {
    return cps_fail(error, CPS_BAD_DATA, "%s: pin %d holds from %g s until %g s", list->owner, (int)i, p->from,
                    p->until);
  }
  for (int32_t k = 0; k < p->vertex_count; ++k) {
    if (p->vertices[k] >= 0 && p->vertices[k] < list->vertex_count) continue;
    return cps_fail(error, CPS_BAD_DATA, "%s: pin %d holds vertex %d, there are %d", list->owner, (int)i,
                    (int)p->vertices[k], (int)list->vertex_count);
  }
  return CPS_OK;
}

CpsStatus cps_pins_check_each(const CpsPinList* list, CpsError* error) {
  CpsStatus status = CPS_OK;
  for (int32_t i = 0; i < list->count && status == CPS_OK; ++i) status = check_pin(list, i, error);
  return status;
}

// The pins that hold a node, as chains over all entries: `last` is the newest of each node, `before` the previous one.
typedef struct Claims {
  int64_t *last, *before;
  int32_t* owner;
} Claims;

// Records that pin i holds a node.
static CpsStatus claim(const CpsPinList* list, Claims* c, int32_t i, int32_t vertex, int32_t node, int64_t* entry,
                       CpsError* error) {
  const CpsPin* p = &list->pins[i];
  for (int64_t j = c->last[node]; j >= 0; j = c->before[j]) {
    const CpsPin* other = &list->pins[c->owner[j]];
    if (c->owner[j] == i) return CPS_OK;
    if (other->until <= p->from || p->until <= other->from) continue;
    const CpsVec3 x = list->vertices[vertex];
    return cps_fail(error, CPS_BAD_DATA, "%s: pins %d and %d both hold vertex %d at t = %g s, at (%g, %g, %g)",
                    list->owner, (int)c->owner[j], (int)i, (int)vertex, fmax(p->from, other->from), x.x, x.y, x.z);
  }
  c->owner[*entry] = i;
  c->before[*entry] = c->last[node];
  c->last[node] = (*entry)++;
  return CPS_OK;
}

CpsStatus cps_pins_check_claims(const CpsPinList* list, const int32_t* node, int32_t node_count, CpsError* error) {
  int64_t entries = 0, entry = 0;
  for (int32_t i = 0; i < list->count; ++i) entries += list->pins[i].vertex_count;
  Claims c = {.last = malloc((size_t)node_count * sizeof *c.last),
              .before = malloc((size_t)(entries + 1) * sizeof *c.before),
              .owner = malloc((size_t)(entries + 1) * sizeof *c.owner)};
  CpsStatus status = CPS_OK;
  if (!c.last || !c.before || !c.owner) {
    status = cps_fail(error, CPS_NO_MEMORY, "not enough memory for the pins of %s", list->owner);
  }
  for (int32_t n = 0; n < node_count && status == CPS_OK; ++n) c.last[n] = -1;
  for (int32_t i = 0; i < list->count && status == CPS_OK; ++i) {
    const CpsPin* p = &list->pins[i];
    for (int32_t k = 0; k < p->vertex_count && status == CPS_OK; ++k) {
      int32_t v = p->vertices[k];
      status = claim(list, &c, i, v, node[v], &entry, error);
    }
  }
  free(c.last);
  free(c.before);
  free(c.owner);
  return status;
}
