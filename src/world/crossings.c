// After a step: did fibres go through each other, or move farther than the search for contacts looked?
//
// Contacts bound the motion to first order, u_N >= -gap / h, but rods turn and bend while they move. For each contact of
// two fibres the material points that touched, x_A and x_B, tell whether a closer look is needed:
//
//   n.(x_A - x_B) < D / 2   at the end of the step,   D = gap + r_A + r_B                                           (1)
//
// and then the pieces are compared as they were and as they are (contact/crossing.c).
//
// A contact is looked for as far as velocities before and without impulses reach. Impulses can make a fibre faster. What
// was not looked at was farther away than both reaches and both radii, so that nothing can have been passed unseen unless
//
//   h min(|v+ - v-|, |v+ - v*|) > r                                                                                 (2)
//
// at a joint of a fibre.
#include "world/world.h"

#include "contact/crossing.h"
#include "core/error.h"

#include <math.h>

enum { CHUNK = 256 };

typedef struct Looking {
  const CpsStep* step;
  int32_t* crossings;  // of each chunk of contacts
} Looking;

static const CpsFibre* fibre_of(const CpsWorld* world, int32_t member) {
  return member >= world->rigid->count ? &world->fibres->fibres[member - world->rigid->count] : NULL;
}

static CpsVec3 at(const CpsFibre* f, double s) {
  return f->rod.type->at(&f->rod, s).position;
}

// The piece is still where it was at the beginning of the step, the rod is not.
static CpsMovedPiece moved(const CpsFibre* f, uint64_t key) {
  const CpsFibrePiece* p = &f->pieces[key & ((UINT64_C(1) << CPS_KEY_PIECE_BITS) - 1)];
  CpsVec3 arm = cps_quat_rotate(p->pose.rotation, cps_vec3(0.0, 0.0, p->geom.half_length));
  return (CpsMovedPiece){{cps_vec3_sub(p->pose.position, arm), cps_vec3_add(p->pose.position, arm)},
                         {at(f, p->arc[0]), at(f, p->arc[1])},
                         {(p->joined & 1) == 0, (p->joined & 2) == 0}};
}

static bool crossed(const CpsWorld* world, const CpsTouching* t, const CpsTrack* track) {
  if (t->b < 0) return false;
  const CpsFibre *a = fibre_of(world, t->a), *b = fibre_of(world, t->b);
  if (!a || !b) return false;
  CpsVec3 between = cps_vec3_sub(at(a, t->spot_a.arc), at(b, t->spot_b.arc));
  if (cps_vec3_dot(t->touch.normal, between) >= 0.5 * (t->touch.gap + a->radius + b->radius)) return false;  // (1)
  CpsMovedPiece piece_a = moved(a, track->key_a), piece_b = moved(b, track->key_b);
  return cps_pieces_crossed(&piece_a, &piece_b);
}

static void look(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  Looking* l = data;
  const CpsContacts* c = &l->step->contacts;
  int64_t end = last * CHUNK < c->count ? last * CHUNK : c->count;
  for (int64_t i = first * CHUNK; i < end; ++i) {
    l->crossings[i / CHUNK] += crossed(l->step->world, &c->contact[i], &c->track[i]);
  }
}

// (2)
static bool outran(const CpsFibre* f, double h) {
  const CpsRod* rod = &f->rod;
  int32_t k = 0;
  for (int32_t b = 0; b < rod->spec.branch_count; ++b) {
    const CpsRodBranch* branch = &rod->spec.branch[b];
    for (int32_t i = 0; i <= branch->elements; ++i, ++k) {
      CpsVec3 v = rod->type->velocity(rod, branch->start + branch->length * i / branch->elements, CPS_VELOCITY_AFTER);
      double change =
          fmin(cps_vec3_norm(cps_vec3_sub(v, f->joint[0][k])), cps_vec3_norm(cps_vec3_sub(v, f->joint[1][k])));
      if (h * change > f->radius) return true;
    }
  }
  return false;
}

CpsStatus cps_step_crossings(CpsStep* step, bool pushed) {
  CpsWorld* world = step->world;
  if (world->fibres->piece_count == 0) return CPS_OK;
  int64_t chunks = (step->contacts.count + CHUNK - 1) / CHUNK;
  Looking l = {step, CPS_TAKE_ZERO(step->scratch, int32_t, chunks)};
  if (!l.crossings) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for a step");
  cps_pool_run(world->pool, chunks, look, &l);
  for (int64_t k = 0; k < chunks; ++k) step->info.crossings += l.crossings[k];
  for (int32_t i = 0; !pushed && i < world->fibres->count; ++i) {
    const CpsFibre* f = &world->fibres->fibres[i];
    if (f->there && f->piece_count > 0) step->info.outruns += outran(f, step->model.h);
  }
  return CPS_OK;
}
