// The contacts of the last step as plain arrays.
#include "capstan/array.h"
#include "world/world.h"

int32_t cps_contact_quantity_width(CpsContactQuantity quantity) {
  static const int32_t WIDTH[] = {
      [CPS_CONTACT_QUANTITY_POINT] = 6,    [CPS_CONTACT_QUANTITY_NORMAL] = 3,  [CPS_CONTACT_QUANTITY_IMPULSE] = 3,
      [CPS_CONTACT_QUANTITY_VELOCITY] = 3, [CPS_CONTACT_QUANTITY_GAP] = 1,     [CPS_CONTACT_QUANTITY_PLACE] = 6,
      [CPS_CONTACT_QUANTITY_FRICTION] = 2, [CPS_CONTACT_QUANTITY_RESIDUAL] = 1};
  return (unsigned)quantity < sizeof WIDTH / sizeof *WIDTH ? WIDTH[quantity] : 0;
}

int32_t cps_contact_label_width(CpsContactLabel label) {
  static const int32_t WIDTH[] = {[CPS_CONTACT_LABEL_STATUS] = 1,
                                  [CPS_CONTACT_LABEL_THING] = 6,
                                  [CPS_CONTACT_LABEL_PART] = 2,
                                  [CPS_CONTACT_LABEL_ISLAND] = 1,
                                  [CPS_CONTACT_LABEL_FEATURE] = 1};
  return (unsigned)label < sizeof WIDTH / sizeof *WIDTH ? WIDTH[label] : 0;
}

static void read_place(const CpsWorld* world, const CpsStepContact* t, double* at) {
  CpsSide side[2];
  cps_contact_sides(world, t, true, side);
  for (int k = 0; k < 2; ++k) cps_vec3_put(at + 3 * k, side[k].place);
}

static void read_numbers(const CpsWorld* world, const CpsStepContact* t, CpsContactQuantity quantity, double* at) {
  switch (quantity) {
    case CPS_CONTACT_QUANTITY_POINT:
      cps_vec3_put(at, t->touch.point_a);
      cps_vec3_put(at + 3, t->touch.point_b);
      return;
    case CPS_CONTACT_QUANTITY_NORMAL:
      cps_vec3_put(at, cps_vec3(t->frame.m[0], t->frame.m[1], t->frame.m[2]));
      return;
    case CPS_CONTACT_QUANTITY_IMPULSE:
      cps_vec3_put(at, cps_mat3_apply_transposed(t->frame, cps_vec3(t->r[0], t->r[1], t->r[2])));
      return;
    case CPS_CONTACT_QUANTITY_VELOCITY:
      cps_vec3_put(at, cps_mat3_apply_transposed(t->frame, cps_vec3(t->after[0], t->after[1], t->after[2])));
      return;
    case CPS_CONTACT_QUANTITY_PLACE:
      read_place(world, t, at);
      return;
    case CPS_CONTACT_QUANTITY_FRICTION:
      at[0] = t->mu, at[1] = t->mu * t->across;
      return;
    default:
      at[0] = quantity == CPS_CONTACT_QUANTITY_GAP ? t->touch.gap : t->residual;
      return;
  }
}

static void put_thing(CpsThing thing, int32_t at[3]) {
  at[0] = (int32_t)thing.kind, at[1] = thing.index, at[2] = (int32_t)thing.generation;
}

static void read_label(const CpsWorld* world, const CpsStepContact* t, CpsContactLabel label, int32_t* at) {
  CpsSide side[2];
  switch (label) {
    case CPS_CONTACT_LABEL_THING:
      cps_contact_sides(world, t, true, side);
      put_thing(side[0].thing, at);
      put_thing(side[1].thing, at + 3);
      return;
    case CPS_CONTACT_LABEL_PART:
      cps_contact_sides(world, t, true, side);
      at[0] = side[0].part, at[1] = side[1].part;
      return;
    case CPS_CONTACT_LABEL_STATUS:
      at[0] = t->status;
      return;
    default:
      at[0] = label == CPS_CONTACT_LABEL_ISLAND ? t->island : (int32_t)t->touch.feature;
      return;
  }
}

// Whether the array has room for all entries at this stride.
static bool fits(const CpsWorld* world, const void* values, size_t size, size_t unit, size_t stride) {
  const bool wide = size > 0 && stride >= size && stride % unit == 0;
  return world && wide && (values || cps_world_contact_count(world) == 0);
}

CpsStatus cps_world_contact_array(const CpsWorld* world, CpsContactQuantity quantity, double* values, size_t stride) {
  const size_t size = (size_t)cps_contact_quantity_width(quantity) * sizeof *values;
  if (!fits(world, values, size, sizeof *values, stride)) return CPS_BAD_ARGUMENT;
  for (int32_t i = 0; i < cps_world_contact_count(world); ++i) {
    double* at = (double*)(void*)((char*)values + (size_t)i * stride);
    read_numbers(world, cps_world_touching(world, i), quantity, at);
  }
  return CPS_OK;
}

CpsStatus cps_world_contact_labels(const CpsWorld* world, CpsContactLabel label, int32_t* values, size_t stride) {
  const size_t size = (size_t)cps_contact_label_width(label) * sizeof *values;
  if (!fits(world, values, size, sizeof *values, stride)) return CPS_BAD_ARGUMENT;
  for (int32_t i = 0; i < cps_world_contact_count(world); ++i) {
    int32_t* at = (int32_t*)(void*)((char*)values + (size_t)i * stride);
    read_label(world, cps_world_touching(world, i), label, at);
  }
  return CPS_OK;
}

int32_t cps_world_contacts(const CpsWorld* world, CpsContact* contacts, int32_t room) {
  const int32_t count = cps_world_contact_count(world);
  for (int32_t i = 0; contacts && i < count && i < room; ++i) contacts[i] = cps_world_contact(world, i);
  return count;
}
