// Fibres of a world: adding, removing and reading them.
#include "things/fibres.h"

#include "core/error.h"

#include <math.h>

static CpsStatus check_end(const CpsWorld* world, const CpsFibreEnd* end, CpsError* error) {
  bool none = end->obstacle.index == 0 && end->obstacle.generation == 0;
  if (end->kind == CPS_END_FREE || none || cps_world_find_obstacle(world, end->obstacle)) return CPS_OK;
  return cps_fail(error, CPS_BAD_ARGUMENT, "the obstacle that holds an end of a fibre does not exist or was removed");
}

static CpsStatus check(const CpsWorld* world, const CpsFibreDef* def, CpsError* error) {
  if (!world || !def) return cps_fail(error, CPS_BAD_ARGUMENT, "world or def is NULL");
  CpsStatus status = cps_fibre_check(def, error);
  if (status == CPS_OK) status = check_end(world, &def->root, error);
  if (status == CPS_OK) status = check_end(world, &def->tip, error);
  if (status != CPS_OK) return status;
  if (def->material < 0 || def->material >= world->material_count) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "material %d does not exist", (int)def->material);
  }
  if (!cps_pair_is_valid((CpsPair){def->mu, def->restitution})) {
    return cps_fail(error, CPS_BAD_DATA, "a fibre has mu = %g and restitution = %g; they must be >= 0 and in [0, 1]",
                    def->mu, def->restitution);
  }
  return CPS_OK;
}

CpsStatus cps_world_add_fibre(CpsWorld* world, const CpsFibreDef* def, CpsFibreId* id, CpsError* error) {
  CpsStatus status = check(world, def, error);
  if (status != CPS_OK) return status;
  CpsFibres* all = cps_world_fibres(world);
  int32_t place;
  status = cps_fibres_add(all, def, &place, error);
  if (status != CPS_OK) return status;
  CpsFibre* f = &all->fibres[place];
  status = cps_fibre_hold_ends(world, f, def, error);
  if (status != CPS_OK) {
    cps_fibres_remove(all, place);
    return status;
  }
  world->changed = true;
  cps_world_find_smallest(world);
  if (id) *id = (CpsFibreId){place, f->generation};
  return cps_succeed(error);
}

CpsFibre* cps_world_find_fibre(const CpsWorld* world, CpsFibreId id) {
  CpsModel* fibres = world ? cps_world_find_model(world, cps_thing_fibre(id)) : NULL;
  return fibres ? &((CpsFibres*)fibres)->fibres[id.index] : NULL;
}

CpsStatus cps_world_remove_fibre(CpsWorld* world, CpsFibreId id, CpsError* error) {
  CpsFibre* f = cps_world_find_fibre(world, id);
  if (!f) return cps_fail(error, CPS_BAD_ARGUMENT, "the fibre does not exist or was removed");
  cps_world_let_go(world, cps_thing_fibre(id));
  cps_fibre_release_ends(f);
  cps_fibres_remove(cps_world_fibres(world), id.index);
  cps_world_removed(world);
  return cps_succeed(error);
}

int32_t cps_world_fibre_count(const CpsWorld* world) {
  return cps_world_thing_count(world, CPS_THING_FIBRE);
}

CpsFibreId cps_world_fibre(const CpsWorld* world, int32_t i) {
  const CpsThing thing = cps_world_thing(world, CPS_THING_FIBRE, i);
  return (CpsFibreId){thing.index, thing.generation};
}

bool cps_world_fibre_exists(const CpsWorld* world, CpsFibreId id) {
  return cps_world_find_fibre(world, id) != NULL;
}

// Length of the centreline: for models of joints the length of the polygon through them, otherwise constant.
static double stored_length(const CpsFibre* f) {
  const CpsRodSpec* spec = &f->rod.spec;
  if (f->model < CPS_ROD_MASS_SPRING) return spec->length;
  double sum = 0.0;
  CpsVec3 last = f->rod.type->at(&f->rod, 0.0).position;
  for (int32_t i = 1; i <= spec->elements; ++i) {
    CpsVec3 next = f->rod.type->at(&f->rod, spec->length * i / spec->elements).position;
    sum += cps_vec3_norm(cps_vec3_sub(next, last));
    last = next;
  }
  return sum;
}

CpsStatus cps_world_fibre_info(const CpsWorld* world, CpsFibreId id, CpsFibreInfo* info) {
  const CpsFibre* f = cps_world_find_fibre(world, id);
  if (!f || !info) return CPS_BAD_ARGUMENT;
  CpsRodEnergy e = {0};
  f->rod.type->energy(&f->rod, world->def.gravity, &e);
  *info = (CpsFibreInfo){.model = f->model,
                         .dofs = f->rod.dofs,
                         .elements = f->rod.spec.elements,
                         .pieces = f->piece_count,
                         .length = f->rod.spec.length,
                         .mass = f->mass,
                         .radius = f->radius,
                         .radius_tip = f->radius * f->rod.spec.taper,
                         .stored_length = stored_length(f),
                         .elastic = e.elastic,
                         .kinetic = e.kinetic,
                         .stiffened = f->rod.stiffened,
                         .branch_count = f->rod.spec.branch_count - 1,
                         .root = f->root.kind,
                         .tip = f->tip.kind,
                         .root_carried = cps_fibre_end_is_carried(&f->root, &f->moves[0]),
                         .tip_carried = cps_fibre_end_is_carried(&f->tip, &f->moves[1]),
                         .name = f->name,
                         .user = f->user};
  return CPS_OK;
}

static CpsVec3 column(const CpsMat3* R, int j) {
  return cps_vec3(R->m[j], R->m[3 + j], R->m[6 + j]);
}

CpsStatus cps_world_fibre_at(const CpsWorld* world, CpsFibreId id, double s, CpsFibrePoint* point) {
  const CpsFibre* f = cps_world_find_fibre(world, id);
  if (!f || !point || isnan(s)) return CPS_BAD_ARGUMENT;
  s = fmin(fmax(s, 0.0), f->rod.spec.length);
  CpsRodPoint at = f->rod.type->at(&f->rod, s);
  *point =
      (CpsFibrePoint){at.position, cps_quat_of_axes(column(&at.frame, 0), column(&at.frame, 1), column(&at.frame, 2)),
                      at.curvature, f->rod.type->velocity(&f->rod, s, CPS_VELOCITY_AFTER)};
  return CPS_OK;
}

CpsStatus cps_world_fibre_points(const CpsWorld* world, CpsFibreId id, int32_t count, CpsVec3* points) {
  const CpsFibre* f = cps_world_find_fibre(world, id);
  if (!f || !points || count < 2) return CPS_BAD_ARGUMENT;
  const CpsRodBranch* trunk = &f->rod.spec.branch[0];
  // the end of the trunk of a tree shares its arc length with the root of the first branch, which is elsewhere
  double last = f->rod.spec.branch_count > 1 ? nextafter(trunk->length, 0.0) : trunk->length;
  for (int32_t i = 0; i < count; ++i) {
    points[i] = f->rod.type->at(&f->rod, fmin(trunk->length * i / (count - 1), last)).position;
  }
  return CPS_OK;
}

CpsStatus cps_world_set_fibre_velocity(CpsWorld* world, CpsFibreId id, CpsVec3 velocity, CpsVec3 angular_velocity,
                                       CpsError* error) {
  CpsFibre* f = cps_world_find_fibre(world, id);
  if (!f) return cps_fail(error, CPS_BAD_ARGUMENT, "the fibre does not exist or was removed");
  if (!cps_vec3_is_finite(velocity) || !cps_vec3_is_finite(angular_velocity)) {
    return cps_fail(error, CPS_BAD_DATA, "the velocity of a fibre is not finite");
  }
  f->rod.type->move_rigidly(&f->rod, velocity, angular_velocity);
  f->fresh = false;
  world->changed = true;
  return cps_succeed(error);
}

CpsThing cps_thing_fibre(CpsFibreId fibre) {
  return (CpsThing){CPS_THING_FIBRE, fibre.index, fibre.generation};
}

CpsAnchor cps_anchor_fibre(CpsFibreId fibre, double s) {
  return (CpsAnchor){.thing = cps_thing_fibre(fibre), .s = s};
}

static CpsModel* open(void) {
  return (CpsModel*)cps_fibres_create();
}

static void release(CpsWorld* world, CpsModel* all) {
  (void)world;
  for (int32_t i = 0; i < all->count; ++i) cps_fibre_release_ends(&((CpsFibres*)all)->fibres[i]);
}

static bool settable(const CpsModel* all, int32_t member, CpsQuantity quantity) {
  (void)all, (void)member;
  return quantity == CPS_QUANTITY_VELOCITY;
}

const CpsDoor cps_door_fibres = {.kind = CPS_THING_FIBRE,
                                 .name = "fibre",
                                 .open = open,
                                 .release = release,
                                 .place = cps_fibre_ends_place,
                                 .settable = settable,
                                 .stop = cps_fibre_ends_stop,
                                 .keep = cps_fibre_ends_keep,
                                 .restore = cps_fibre_ends_restore};
