// Quantities of things and of contacts where they lie in memory, without a copy. Those of several things are one view where each
// begins a stride after the end of the one before.
#include "core/error.h"
#include "world/world.h"

static size_t size_of(CpsNumberType type) {
  return type == CPS_NUMBER_DOUBLE ? sizeof(double) : type == CPS_NUMBER_INT32 ? sizeof(int32_t) : sizeof(uint8_t);
}

// Extends `all` by `next` if that follows it in memory; false if not. The second single entry sets the stride.
static bool join(CpsArrayView* all, const CpsArrayView* next) {
  if (next->count == 0) return true;
  if (all->count == 0) {
    *all = *next;
    return true;
  }
  const int64_t way = (const char*)next->data - (const char*)all->data;
  if (all->count == 1 && all->stride == 0) all->stride = way;
  const bool near = way > 0 && way == all->count * all->stride;
  if (!near || next->type != all->type || (next->count > 1 && next->stride != all->stride)) return false;
  all->count += next->count;
  return true;
}

static CpsStatus scattered(CpsThingKind kind, CpsError* error) {
  return cps_fail(error, CPS_UNSUPPORTED,
                  "this quantity of objects of kind '%s' is not stored at equal distances in memory; copy it",
                  cps_thing_kind_name(kind));
}

CpsStatus cps_world_view(const CpsWorld* world, CpsThing thing, CpsQuantity quantity, CpsArrayView* view,
                         CpsError* error) {
  if (!world || !view) return cps_fail(error, CPS_BAD_ARGUMENT, "world or view is NULL");
  if (cps_quantity_width(quantity) == 0) return cps_fail(error, CPS_BAD_ARGUMENT, "unknown quantity");
  if (thing.generation != 0 && cps_world_array_count(world, thing, quantity) == 0) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "the object does not exist or lacks this quantity");
  }
  CpsArrayView all = {.width = cps_quantity_width(quantity)};
  if (thing.kind == CPS_THING_OBSTACLE) return scattered(thing.kind, error);
  for (int i = 0; i < world->population_count; ++i) {
    const CpsModel* model = world->population[i];
    const CpsModelType* type = model->type;
    for (int32_t k = 0; type->kind == thing.kind && k < model->count; ++k) {
      const bool meant = thing.generation == 0 || (thing.index == k && thing.generation == type->generation(model, k));
      CpsArrayView one;
      if (!type->is_there(model, k) || !meant) continue;
      if (!type->view || !type->view(model, k, quantity, &one) || !join(&all, &one)) {
        return scattered(thing.kind, error);
      }
    }
  }
  if (all.stride == 0) all.stride = (int64_t)(size_of(all.type) * (size_t)all.width);
  *view = all;
  return CPS_OK;
}

// Views a field of all contacts of the last step.
static CpsStatus view_contacts(const CpsWorld* world, const void* of_first, CpsNumberType type, int32_t width,
                               CpsArrayView* view, CpsError* error) {
  if (!of_first) return cps_fail(error, CPS_UNSUPPORTED, "this quantity of contacts is computed on demand; copy it");
  if (cps_world_touching_count(world) != world->contacts.touch_count) {
    return cps_fail(error, CPS_UNSUPPORTED,
                    "the contacts are not in one array, as some islands are at rest; copy them");
  }
  *view = (CpsArrayView){of_first, type, width, world->contacts.touch_count, sizeof(CpsStepContact)};
  if (view->count == 0) view->data = NULL;
  return CPS_OK;
}

CpsStatus cps_world_contact_view(const CpsWorld* world, CpsContactQuantity quantity, CpsArrayView* view,
                                 CpsError* error) {
  const int32_t width = cps_contact_quantity_width(quantity);
  if (!world || !view) return cps_fail(error, CPS_BAD_ARGUMENT, "world or view is NULL");
  if (width == 0) return cps_fail(error, CPS_BAD_ARGUMENT, "unknown quantity");
  static const CpsStepContact NONE;
  const CpsStepContact* t = world->contacts.touch_count > 0 ? world->contacts.contact : &NONE;
  const double* first = NULL;
  if (quantity == CPS_CONTACT_QUANTITY_NORMAL) first = t->frame.m;
  if (quantity == CPS_CONTACT_QUANTITY_IMPULSE) first = t->r;
  if (quantity == CPS_CONTACT_QUANTITY_VELOCITY) first = t->after;
  if (quantity == CPS_CONTACT_QUANTITY_GAP) first = &t->touch.gap;
  if (quantity == CPS_CONTACT_QUANTITY_RESIDUAL) first = &t->residual;
  return view_contacts(world, first, CPS_NUMBER_DOUBLE, width, view, error);
}

CpsStatus cps_world_contact_label_view(const CpsWorld* world, CpsContactLabel label, CpsArrayView* view,
                                       CpsError* error) {
  if (!world || !view) return cps_fail(error, CPS_BAD_ARGUMENT, "world or view is NULL");
  if (cps_contact_label_width(label) == 0) return cps_fail(error, CPS_BAD_ARGUMENT, "unknown label");
  static const CpsStepContact NONE;
  const CpsStepContact* t = world->contacts.touch_count > 0 ? world->contacts.contact : &NONE;
  if (label == CPS_CONTACT_LABEL_STATUS) return view_contacts(world, &t->status, CPS_NUMBER_UINT8, 1, view, error);
  if (label == CPS_CONTACT_LABEL_ISLAND) return view_contacts(world, &t->island, CPS_NUMBER_INT32, 1, view, error);
  if (label == CPS_CONTACT_LABEL_FEATURE)
    return view_contacts(world, &t->touch.feature, CPS_NUMBER_INT32, 1, view, error);
  return view_contacts(world, NULL, CPS_NUMBER_INT32, 1, view, error);
}
