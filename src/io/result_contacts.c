// The contacts of a frame, one array per quantity.
#include <stdlib.h>
#include <string.h>

#include "capstan/fibre.h"
#include "io/result_writer.h"

typedef enum Owner { BODY, OBSTACLE, FIBRE } Owner;

static int32_t place_of(const CpsWorld* world, int32_t i, Owner owner) {
  return owner == BODY       ? cps_world_body(world, i).index
         : owner == OBSTACLE ? cps_world_obstacle(world, i).index
                             : cps_world_fibre(world, i).index;
}

// Bodies, obstacles and fibres are named by their places in the world; the file numbers them in order.
static bool number_places(const CpsWorld* world, int32_t count, Owner owner, int32_t** number, int32_t* places) {
  int32_t largest = 0;
  for (int32_t i = 0; i < count; ++i) {
    int32_t place = place_of(world, i, owner);
    if (largest < place) largest = place;
  }
  if (largest >= *places) {
    int32_t* grown = realloc(*number, ((size_t)largest + 1) * sizeof *grown);
    if (!grown) return false;
    *number = grown;
    *places = largest + 1;
  }
  for (int32_t i = 0; i < count; ++i) (*number)[place_of(world, i, owner)] = i;
  return true;
}

static int32_t number_of(const int32_t* number, int32_t places, int32_t index, uint32_t generation) {
  return generation == 0 || index < 0 || index >= places ? -1 : number[index];
}

// Values of one contact for one dataset, in its type.
static void put(const CpsResultWriter* writer, int which, const CpsContact* contact, int64_t i, void* values) {
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
      integers[2 * i] =
          number_of(writer->body_number, writer->body_places, contact->body_a.index, contact->body_a.generation);
      integers[2 * i + 1] =
          number_of(writer->body_number, writer->body_places, contact->body_b.index, contact->body_b.generation);
      return;
    case CPS_CONTACT_OBSTACLE:
      integers[i] = number_of(writer->obstacle_number, writer->obstacle_places, contact->obstacle.index,
                              contact->obstacle.generation);
      return;
    case CPS_CONTACT_FIBRE:
      integers[2 * i] =
          number_of(writer->fibre_number, writer->fibre_places, contact->fibre_a.index, contact->fibre_a.generation);
      integers[2 * i + 1] =
          number_of(writer->fibre_number, writer->fibre_places, contact->fibre_b.index, contact->fibre_b.generation);
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
    if (!values || !number_places(world, writer->bodies, BODY, &writer->body_number, &writer->body_places) ||
        !number_places(world, writer->fibres, FIBRE, &writer->fibre_number, &writer->fibre_places) ||
        !number_places(world, writer->obstacles, OBSTACLE, &writer->obstacle_number, &writer->obstacle_places)) {
      return false;
    }
    for (int which = CPS_CONTACT_POINT_A; which < CPS_TOTALS_FIRST; ++which) {
      for (int64_t i = 0; i < count; ++i) {
        CpsContact contact = cps_world_contact(world, (int32_t)i);
        put(writer, which, &contact, i, values);
      }
      if (!cps_result_append(writer, which, values, count)) return false;
    }
  }
  return cps_result_append(writer, CPS_FRAME_CONTACT_OFFSET, &end, 1);
}
