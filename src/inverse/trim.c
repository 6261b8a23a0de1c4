// A fibre cut short: the remainder keeps its shape, its natural strains and its stiffness, and loses the weight behind the cut.
//
// Elements of super-helices may have any length, so the last one is cut where it has to be. Super-clothoids are cut at the nearest
// joint.
#include "inverse/inverse.h"

#include "core/error.h"
#include "core/places.h"
#include "core/quat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LEAST = 1e-6;  // smallest part of an element that is left, relative to its length

// The shape of the remainder, as needed for a definition.
typedef struct Left {
  int32_t elements, strains;
  double length;
  double* lengths;     // of elements; NULL: equal ones
  CpsVec3* curvature;  // for models that store it
  CpsVec3* natural;
} Left;

static void free_left(Left* left) {
  free(left->lengths);
  free(left->curvature);
  *left = (Left){0};
}

static CpsStatus find_left(const CpsRod* rod, double length, Left* left, CpsError* error) {
  const CpsRodBranch* trunk = &rod->spec.branch[0];
  const CpsRodNatural natural = rod->type->statics->natural(rod);
  const bool helix = rod->type != cps_rod_types[CPS_ROD_SUPER_CLOTHOID];
  int32_t n = cps_rod_element_at(trunk, length) + 1;
  if (helix && n > 1 && length - cps_rod_element_start(trunk, n - 1) < LEAST * cps_rod_element_size(trunk, n - 1)) --n;
  if (!helix) {
    n = (int32_t)fmax(1.0, nearbyint(length / cps_rod_element_size(trunk, 0)));
    length = cps_rod_element_start(trunk, n);
  }
  *left = (Left){.elements = n, .strains = helix ? n : n + 1, .length = length};
  left->lengths = helix ? malloc((size_t)n * sizeof *left->lengths) : NULL;
  left->curvature = malloc(2 * (size_t)natural.count * sizeof *left->curvature);
  if (!left->curvature || (helix && !left->lengths)) {
    free_left(left);
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory to trim a fibre");
  }
  left->natural = left->curvature + natural.count;
  rod->type->statics->strains(rod, &left->curvature->x);
  memcpy(left->natural, natural.strain, (size_t)natural.count * sizeof *left->natural);
  for (int32_t i = 0; helix && i < n; ++i) {
    left->lengths[i] = (i + 1 < n ? cps_rod_element_start(trunk, i + 1) : length) - cps_rod_element_start(trunk, i);
  }
  return CPS_OK;
}

// A definition of the remaining fibre.
static CpsFibreDef define(const CpsFibre* f, const Left* left) {
  const CpsRod* rod = &f->rod;
  const CpsRodBranch* trunk = &rod->spec.branch[0];
  const CpsRodPoint root = rod->type->at(rod, 0.0);
  const CpsVec3 axis[3] = {{root.frame.m[0], root.frame.m[3], root.frame.m[6]},
                           {root.frame.m[1], root.frame.m[4], root.frame.m[7]},
                           {root.frame.m[2], root.frame.m[5], root.frame.m[8]}};
  CpsFibreDef def = cps_fibre_def_default();
  def.model = f->model;
  def.elements = left->elements;
  def.length = left->length;
  def.root_pose = (CpsPose){root.position, cps_quat_of_axes(axis[0], axis[1], axis[2])};
  def.element_lengths = left->lengths;
  def.element_curvature = left->lengths ? left->curvature : NULL;
  def.curvature = left->lengths ? NULL : left->curvature;
  def.curvature_count = left->lengths ? 0 : left->strains;
  if (f->radius > 0.0) def.radius = f->radius;
  def.radius_tip = def.radius * cps_rod_taper(&rod->spec, left->length);
  def.line_density = trunk->line_density;
  def.twisting = trunk->defined[0];
  def.bending[0] = trunk->defined[1];
  def.bending[1] = trunk->defined[2];
  def.damping = rod->spec.damping;
  def.drag = rod->spec.drag;
  def.gravity = rod->spec.gravity;
  def.root = f->root;
  def.material = f->material;
  def.mu = f->mu;
  def.restitution = f->restitution;
  def.contact_radius = f->radius;
  def.contact_start = fmin(f->contact_start, left->length);
  def.pieces = f->piece_count > 0 ? (int32_t)ceil(f->piece_count * left->length / rod->spec.length) : 0;
  def.self_contact = f->self_distance > 0.0;
  if (def.self_contact) def.self_distance = f->self_distance;
  def.group = f->group;
  def.name = f->name;
  def.user = f->user;
  return def;
}

// The new fibre replaces the old one; its root keeps its motion.
static CpsFibreId replace(CpsWorld* world, CpsFibreId id, int32_t place) {
  CpsFibres* all = cps_world_fibres(world);
  CpsFibre *old = &all->fibres[id.index], *made = &all->fibres[place];
  const uint32_t generation = cps_generation_after(old->generation);
  made->root_start = old->root_start;
  made->moves[0] = old->moves[0];
  made->moved = old->moved;
  made->rod.root = old->rod.root;
  made->rod.moved = old->rod.moved;
  made->rod.type->refresh(&made->rod);
  cps_pulls_forget(world, cps_thing_fibre(id));
  cps_ties_forget(world, cps_thing_fibre(id));
  cps_fibre_release_ends(old);
  const CpsFibre swapped = *old;
  *old = *made;
  *made = swapped;
  old->generation = generation;
  cps_fibres_remove(all, place);
  world->changed = true;
  cps_world_find_smallest(world);
  return (CpsFibreId){id.index, generation};
}

static CpsStatus check(const CpsFibre* f, double length, CpsError* error) {
  if (!f) return cps_fail(error, CPS_BAD_ARGUMENT, "the fibre does not exist or was removed");
  const CpsRod* rod = &f->rod;
  if (f->model > CPS_ROD_SUPER_CLOTHOID || !rod->type->statics) {
    return cps_fail(error, CPS_UNSUPPORTED,
                    "a fibre of the model %s cannot be trimmed: super-helices and super-clothoids can",
                    rod->type->name);
  }
  if (rod->spec.branch_count > 1 || rod->spec.tip != CPS_END_FREE) {
    return cps_fail(error, CPS_UNSUPPORTED, "a fibre with %s cannot be trimmed",
                    rod->spec.branch_count > 1 ? "branches" : "a tip that is held");
  }
  if (!(length > 0.0) || !isfinite(length)) {
    return cps_fail(error, CPS_BAD_DATA, "a fibre cannot be trimmed to %g m", length);
  }
  return CPS_OK;
}

CpsStatus cps_world_trim_fibre(CpsWorld* world, CpsFibreId* id, double length, CpsError* error) {
  if (!id) return cps_fail(error, CPS_BAD_ARGUMENT, "id is NULL");
  CpsFibre* f = cps_world_find_fibre(world, *id);
  CpsStatus status = check(f, length, error);
  if (status != CPS_OK) return status;
  if (length >= f->rod.spec.length) return cps_succeed(error);
  Left left;
  status = find_left(&f->rod, length, &left, error);
  if (status != CPS_OK) return status;
  const CpsFibreDef def = define(f, &left);
  const double stiffened = f->rod.stiffened;
  CpsFibreId made;
  status = cps_world_add_fibre(world, &def, &made, error);
  if (status == CPS_OK) {
    CpsRod* rod = &cps_world_fibres(world)->fibres[made.index].rod;
    if (stiffened != 1.0) cps_rod_stiffen(rod, stiffened);
    memcpy(rod->type->statics->natural(rod).strain, left.natural, (size_t)left.strains * sizeof *left.natural);
    *id = replace(world, *id, made.index);
  }
  free_left(&left);
  return status;
}
