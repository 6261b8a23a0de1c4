// The contacts of a frame, one array per quantity.
#include <string.h>

#include "io/result/writer.h"

// Values of one contact for one dataset, in its type.
static void put(const CpsNumbering* numbering, int which, const CpsContact* contact, int64_t i, void* values) {
  CpsContactNumbers who = cps_numbering_of(numbering, contact);
  double* reals = values;
  int32_t* integers = values;
  const CpsVec3 *n = &contact->normal, *s = &contact->tangent1, *t = &contact->tangent2;
  switch (which) {
    case CPS_CONTACT_POINT_A:
      memcpy(reals + 3 * i, &(double[3]){contact->point_a.x, contact->point_a.y, contact->point_a.z},
             3 * sizeof *reals);
      return;
    case CPS_CONTACT_POINT_B:
      memcpy(reals + 3 * i, &(double[3]){contact->point_b.x, contact->point_b.y, contact->point_b.z},
             3 * sizeof *reals);
      return;
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
    case CPS_CONTACT_BODY:
      memcpy(integers + 2 * i, who.body, sizeof who.body);
      return;
    case CPS_CONTACT_OBSTACLE:
      integers[i] = who.obstacle;
      return;
    case CPS_CONTACT_FIBRE:
      memcpy(integers + 2 * i, who.fibre, sizeof who.fibre);
      return;
    case CPS_CONTACT_SHEET:
      memcpy(integers + 2 * i, who.sheet, sizeof who.sheet);
      return;
    case CPS_CONTACT_RESIDUAL:
      reals[i] = contact->residual;
      return;
    case CPS_CONTACT_ARC:
      reals[2 * i] = contact->s_a;
      reals[2 * i + 1] = contact->s_b;
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
  int64_t end = writer->rows[CPS_CONTACT_POINT_A] + count;
  if (count > 0) {
    double* values = cps_result_reserve(writer, (size_t)count * 9 * sizeof *values);
    if (!values || !cps_numbering_update(&writer->numbering, world)) return false;
    for (int which = CPS_CONTACT_POINT_A; which < CPS_TOTALS_FIRST; ++which) {
      for (int64_t i = 0; i < count; ++i) {
        CpsContact contact = cps_world_contact(world, (int32_t)i);
        put(&writer->numbering, which, &contact, i, values);
      }
      if (!cps_result_append(writer, which, values, count)) return false;
    }
  }
  return cps_result_append(writer, CPS_FRAME_CONTACT_OFFSET, &end, 1);
}
