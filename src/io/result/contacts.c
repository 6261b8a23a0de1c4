// The contacts of a frame, one array per quantity.
#include <string.h>

#include "io/result/writer.h"

static void put_vector(double* at, CpsVec3 v) {
  at[0] = v.x;
  at[1] = v.y;
  at[2] = v.z;
}

// Values of both sides of a contact for a dataset, in its type; false if the dataset is not one of sides.
static bool put_sides(const CpsNumbering* numbering, int which, const CpsContact* contact, int64_t i, void* values) {
  double* reals = values;
  int32_t* integers = values;
  for (int k = 0; k < 2; ++k) {
    const CpsSide* side = &contact->side[k];
    CpsThing thing;
    switch (which) {
      case CPS_CONTACT_POINT:
        put_vector(reals + 6 * i + 3 * k, side->point);
        break;
      case CPS_CONTACT_THING:
        thing = cps_numbering_side(numbering, *side).thing;
        integers[4 * i + 2 * k] = (int32_t)thing.kind;
        integers[4 * i + 2 * k + 1] = thing.index;
        break;
      case CPS_CONTACT_PART:
        integers[2 * i + k] = side->part;
        break;
      case CPS_CONTACT_PLACE:
        put_vector(reals + 6 * i + 3 * k, side->place);
        break;
      case CPS_CONTACT_MATERIAL:
        integers[2 * i + k] = side->material;
        break;
      default:
        return false;
    }
  }
  return true;
}

// The same for the quantities that both sides share.
static void put(int which, const CpsContact* contact, int64_t i, void* values) {
  double* reals = values;
  int32_t* integers = values;
  const CpsVec3 *n = &contact->normal, *s = &contact->tangent1, *t = &contact->tangent2;
  switch (which) {
    case CPS_CONTACT_FRAME:
      memcpy(reals + 9 * i, &(double[9]){n->x, n->y, n->z, s->x, s->y, s->z, t->x, t->y, t->z}, 9 * sizeof *reals);
      return;
    case CPS_CONTACT_IMPULSE:
      memcpy(reals + 3 * i, contact->impulse, 3 * sizeof *reals);
      return;
    case CPS_CONTACT_VELOCITY:
      memcpy(reals + 3 * i, contact->velocity, 3 * sizeof *reals);
      return;
    case CPS_CONTACT_GAP:
      reals[i] = contact->gap;
      return;
    case CPS_CONTACT_MU:
      reals[2 * i] = contact->mu;
      reals[2 * i + 1] = contact->mu_across;
      return;
    case CPS_CONTACT_RESTITUTION:
      reals[i] = contact->restitution;
      return;
    case CPS_CONTACT_STATUS:
      integers[i] = (int32_t)contact->status;
      return;
    case CPS_CONTACT_RESIDUAL:
      reals[i] = contact->residual;
      return;
    case CPS_CONTACT_FEATURE:
      ((uint32_t*)values)[i] = contact->feature;
      return;
    default:
      integers[i] = contact->island;
      return;
  }
}

bool cps_result_write_contacts(CpsResultWriter* writer, const CpsWorld* world) {
  int64_t count = writer->with_contacts ? cps_world_contact_count(world) : 0;
  int64_t end = writer->rows[CPS_CONTACT_FIRST] + count;
  if (count > 0) {
    double* values = cps_result_reserve(writer, (size_t)count * 9 * sizeof *values);
    if (!values || !cps_numbering_update(&writer->numbering, world)) return false;
    for (int which = CPS_CONTACT_FIRST; which < CPS_TOTALS_FIRST; ++which) {
      if (!cps_result_writes(writer, which)) continue;
      for (int64_t i = 0; i < count; ++i) {
        CpsContact contact = cps_world_contact(world, (int32_t)i);
        if (!put_sides(&writer->numbering, which, &contact, i, values)) put(which, &contact, i, values);
      }
      if (!cps_result_append(writer, which, values, count)) return false;
    }
  }
  return cps_result_append(writer, CPS_FRAME_CONTACT_OFFSET, &end, 1);
}
