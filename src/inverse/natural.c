// Natural strains of living fibres: read and set as the models keep them.
#include "capstan/inverse.h"

#include "core/error.h"
#include "model/rod_statics.h"
#include "things/fibres.h"

#include <math.h>
#include <string.h>

// Largest rounding residue of a length, relative to it.
static const double RESIDUE = 1e-15;

static CpsStatus find(const CpsWorld* world, CpsFibreId id, CpsFibre** fibre, CpsRodNatural* natural) {
  *fibre = cps_world_find_fibre(world, id);
  if (!*fibre) return CPS_BAD_ARGUMENT;
  const CpsRod* rod = &(*fibre)->rod;
  if (!rod->type->statics) return CPS_UNSUPPORTED;
  *natural = rod->type->statics->natural(rod);
  return CPS_OK;
}

CpsStatus cps_world_fibre_natural_counts(const CpsWorld* world, CpsFibreId id, CpsNaturalCounts* counts) {
  CpsFibre* f;
  CpsRodNatural n;
  if (!counts) return CPS_BAD_ARGUMENT;
  const CpsStatus status = find(world, id, &f, &n);
  if (status == CPS_OK) *counts = (CpsNaturalCounts){n.count, n.length_count};
  return status;
}

CpsStatus cps_world_fibre_natural(const CpsWorld* world, CpsFibreId id, CpsVec3* strains, double* lengths) {
  CpsFibre* f;
  CpsRodNatural n;
  const CpsStatus status = find(world, id, &f, &n);
  if (status != CPS_OK) return status;
  if (strains) memcpy(strains, n.strain, (size_t)n.count * sizeof *strains);
  if (lengths && n.length_count > 0) memcpy(lengths, n.length, (size_t)n.length_count * sizeof *lengths);
  return CPS_OK;
}

CpsStatus cps_world_fibre_length_residues(const CpsWorld* world, CpsFibreId id, double* residues) {
  CpsFibre* f;
  CpsRodNatural n;
  if (!residues) return CPS_BAD_ARGUMENT;
  const CpsStatus status = find(world, id, &f, &n);
  if (status == CPS_OK && n.length_count > 0) memcpy(residues, n.below, (size_t)n.length_count * sizeof *residues);
  return status;
}

CpsStatus cps_world_set_fibre_length_residues(CpsWorld* world, CpsFibreId id, const double* residues, CpsError* error) {
  CpsFibre* f;
  CpsRodNatural n;
  if (!residues) return cps_fail(error, CPS_BAD_ARGUMENT, "no residues of rest lengths are given");
  const CpsStatus status = find(world, id, &f, &n);
  if (status == CPS_BAD_ARGUMENT) return cps_fail(error, status, "the fibre does not exist or was removed");
  if (status == CPS_UNSUPPORTED || n.length_count == 0) {
    return cps_fail(error, CPS_UNSUPPORTED, "a fibre of the model %s has no rest lengths",
                    cps_rod_model_name(f->model));
  }
  for (int32_t i = 0; i < n.length_count; ++i) {
    if (!(fabs(residues[i]) <= RESIDUE * n.length[i])) {
      return cps_fail(error, CPS_BAD_DATA, "the residue %g of rest length %d is no rounding of it", residues[i],
                      (int)i);
    }
  }
  memcpy(n.below, residues, (size_t)n.length_count * sizeof *residues);
  f->fresh = f->placed = false;
  world->changed = true;
  return cps_succeed(error);
}

static CpsStatus check(const CpsRodNatural* n, const CpsVec3* strains, const double* lengths, CpsError* error) {
  for (int32_t i = 0; strains && i < n->count; ++i) {
    if (!cps_vec3_is_finite(strains[i])) {
      return cps_fail(error, CPS_BAD_DATA, "natural strain %d of a fibre is not finite", (int)i);
    }
  }
  if (lengths && n->length_count == 0) {
    return cps_fail(error, CPS_UNSUPPORTED, "a fibre of this model is inextensible and has no rest lengths to set");
  }
  for (int32_t i = 0; lengths && i < n->length_count; ++i) {
    if (!(lengths[i] > 0.0) || !isfinite(lengths[i])) {
      return cps_fail(error, CPS_BAD_DATA, "segment %d of a fibre has the rest length %g; it must be > 0", (int)i,
                      lengths[i]);
    }
  }
  return CPS_OK;
}

CpsStatus cps_world_set_fibre_natural(CpsWorld* world, CpsFibreId id, const CpsVec3* strains, const double* lengths,
                                      CpsError* error) {
  CpsFibre* f;
  CpsRodNatural n;
  CpsStatus status = find(world, id, &f, &n);
  if (status == CPS_BAD_ARGUMENT) return cps_fail(error, status, "the fibre does not exist or was removed");
  if (status == CPS_UNSUPPORTED) {
    return cps_fail(error, status, "a fibre of the model %s has no natural strains that can be set",
                    cps_rod_model_name(f->model));
  }
  status = check(&n, strains, lengths, error);
  if (status != CPS_OK) return status;
  if (strains) memcpy(n.strain, strains, (size_t)n.count * sizeof *strains);
  for (int32_t i = 0; lengths && i < n.length_count; ++i) {
    n.length[i] = lengths[i];
    n.below[i] = 0.0;
  }
  f->fresh = f->placed = false;
  world->changed = true;
  return cps_succeed(error);
}

CpsStatus cps_world_set_fibre_stiffened(CpsWorld* world, CpsFibreId id, double factor, CpsError* error) {
  CpsFibre* f;
  CpsRodNatural n;
  const CpsStatus status = find(world, id, &f, &n);
  if (status == CPS_BAD_ARGUMENT) return cps_fail(error, status, "the fibre does not exist or was removed");
  if (status == CPS_UNSUPPORTED) {
    return cps_fail(error, status, "a fibre of the model %s cannot be made stiffer", cps_rod_model_name(f->model));
  }
  if (!(factor > 0.0) || !isfinite(factor)) {
    return cps_fail(error, CPS_BAD_DATA, "a fibre cannot be %g times as stiff", factor);
  }
  cps_rod_stiffen(&f->rod, factor);
  f->fresh = f->placed = false;
  world->changed = true;
  return cps_succeed(error);
}
