// Quantities of all things of a kind, or of one, set from a plain array: all of them or none.
#include "core/error.h"
#include "world/doors.h"

#include <math.h>
#include <stdlib.h>

typedef struct Setting {
  CpsWorld* world;
  CpsThing thing;
  CpsQuantity quantity;
  int64_t count;
  const char* values;
  size_t stride;
} Setting;

static const double* value_at(const Setting* s, int64_t entry) {
  return (const double*)(const void*)(s->values + (size_t)entry * s->stride);
}

static CpsStatus check_numbers(const Setting* s, CpsError* error) {
  const int32_t width = cps_quantity_width(s->quantity);
  for (int64_t i = 0; i < s->count; ++i) {
    bool zero = true;
    for (int32_t k = 0; k < width; ++k) {
      if (!isfinite(value_at(s, i)[k])) {
        return cps_fail(error, CPS_BAD_DATA, "entry %lld of the array is not finite", (long long)i);
      }
      zero = zero && value_at(s, i)[k] == 0.0;
    }
    if (zero && s->quantity == CPS_QUANTITY_ORIENTATION) {
      return cps_fail(error, CPS_BAD_DATA, "entry %lld of the array is not a rotation: all its components are 0",
                      (long long)i);
    }
  }
  return CPS_OK;
}

static bool is_meant(const Setting* s, const CpsModel* model, int32_t k) {
  const bool named = s->thing.index == k && s->thing.generation == model->type->generation(model, k);
  return model->type->is_there(model, k) && (s->thing.generation == 0 || named);
}

// Refuses to move held vertices; `now` are the current positions of all entries.
static CpsStatus check_held(const Setting* s, const CpsModel* model, const double* now, CpsError* error) {
  int64_t entry = 0;
  for (int32_t k = 0; k < model->count; ++k) {
    if (!is_meant(s, model, k)) continue;
    const int64_t last = entry + model->type->read(model, k, s->quantity, NULL, 0);
    for (int64_t i = 0; entry < last; ++i, ++entry) {
      const double *to = value_at(s, entry), *from = now + 3 * entry;
      const bool stays = to[0] == from[0] && to[1] == from[1] && to[2] == from[2];
      if (stays || !cps_doors_hold(s->world, model, k, i)) continue;
      return cps_fail(error, CPS_BAD_DATA,
                      "vertex %lld of %s %d is held in place; release it before you set its position", (long long)i,
                      model->type->name, (int)k);
    }
  }
  return CPS_OK;
}

static CpsStatus check_positions(const Setting* s, const CpsModel* model, CpsError* error) {
  double* now = malloc((size_t)s->count * 3 * sizeof *now);
  if (!now) return cps_fail(error, CPS_NO_MEMORY, "not enough memory to set %lld positions", (long long)s->count);
  CpsStatus status = cps_world_array(s->world, s->thing, s->quantity, now, 3 * sizeof *now);
  if (status == CPS_OK) status = check_held(s, model, now, error);
  free(now);
  return status;
}

static CpsStatus check_settable(const Setting* s, const CpsModel* model, CpsError* error) {
  for (int32_t k = 0; k < model->count; ++k) {
    if (!is_meant(s, model, k) || cps_doors_settable(model, k, s->quantity)) continue;
    return cps_fail(error, CPS_UNSUPPORTED, "this quantity of %s %d cannot be set: its model derives it from others",
                    model->type->name, (int)k);
  }
  return CPS_OK;
}

static CpsStatus check(const Setting* s, const CpsModel* model, int64_t given, CpsError* error) {
  const size_t size = (size_t)cps_quantity_width(s->quantity) * sizeof(double);
  if (size == 0) return cps_fail(error, CPS_BAD_ARGUMENT, "unknown quantity %d", (int)s->quantity);
  if (s->quantity == CPS_QUANTITY_CENTRE) {
    return cps_fail(error, CPS_UNSUPPORTED, "centres of mass cannot be set; set positions");
  }
  if (!model || !model->type->write) {
    return cps_fail(error, CPS_UNSUPPORTED, "objects of kind `%s` cannot be set from arrays",
                    cps_thing_kind_name(s->thing.kind));
  }
  if (s->thing.generation != 0 && !cps_world_find_model(s->world, s->thing)) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "the %s does not exist or was removed", model->type->name);
  }
  if (s->count != given) {
    return cps_fail(error, CPS_BAD_DATA, "the array has %lld entries; the world needs %lld", (long long)given,
                    (long long)s->count);
  }
  if (s->count > 0 && (!s->values || s->stride < size || s->stride % sizeof(double) != 0)) {
    return cps_fail(error, CPS_BAD_ARGUMENT,
                    "the array is NULL, or its stride of %zu bytes is not a multiple of 8 of at least %zu", s->stride,
                    size);
  }
  CpsStatus status = check_settable(s, model, error);
  if (status == CPS_OK) status = check_numbers(s, error);
  if (status != CPS_OK || s->quantity != CPS_QUANTITY_POSITION) return status;
  return check_positions(s, model, error);
}

// Memory for the largest fit among the selected members.
static int64_t fit_size(const Setting* s, const CpsModel* model) {
  int64_t most = 0;
  for (int32_t k = 0; model->type->fit_size && k < model->count; ++k) {
    const int64_t size = is_meant(s, model, k) ? model->type->fit_size(model, k) : 0;
    most = size > most ? size : most;
  }
  return most;
}

// From the last entry of a member to its first, so that vertices that are sewn together take the value of the first.
// Velocities of held vertices are not set.
static void write_member(const Setting* s, CpsModel* model, int32_t k, int64_t first, int64_t count, double* work) {
  if (model->type->fit_size && model->type->fit_size(model, k) > 0) {
    model->type->fit(model, k, value_at(s, first), s->stride, work);
    return;
  }
  for (int64_t i = count; i-- > 0;) {
    if (s->quantity == CPS_QUANTITY_VELOCITY && cps_doors_hold(s->world, model, k, i)) continue;
    model->type->write(model, k, s->quantity, i, value_at(s, first + i));
  }
}

CpsStatus cps_world_set_array(CpsWorld* world, CpsThing thing, CpsQuantity quantity, const double* values,
                              int64_t count, size_t stride, CpsError* error) {
  if (!world) return cps_fail(error, CPS_BAD_ARGUMENT, "world is NULL");
  const Setting s = {world, thing, quantity, cps_world_array_count(world, thing, quantity), (const char*)values,
                     stride};
  CpsModel* model = cps_world_population(world, thing.kind);
  CpsStatus status = check(&s, model, count, error);
  if (status != CPS_OK) return status;
  const int64_t size = fit_size(&s, model);
  double* work = size > 0 ? malloc((size_t)size * sizeof *work) : NULL;
  if (size > 0 && !work)
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory to set %lld velocities", (long long)s.count);
  int64_t first = 0;
  for (int32_t k = 0; k < model->count; ++k) {
    if (!is_meant(&s, model, k)) continue;
    const int64_t own = model->type->read(model, k, quantity, NULL, 0);
    write_member(&s, model, k, first, own, work);
    first += own;
  }
  free(work);
  world->changed = true;
  if (quantity == CPS_QUANTITY_POSITION && model->type->surface_mesh) world->entangled = true;
  return cps_succeed(error);
}
