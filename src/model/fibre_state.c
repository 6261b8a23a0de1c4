// Saved states of fibres: for each member the time-dependent data, the ends and the coordinates of the rod.
#include "core/error.h"
#include "model/fibres.h"
#include "model/rod_statics.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

uint64_t cps_fibres_hash(const CpsModel* model, uint64_t hash) {
  const CpsFibres* fibres = (const CpsFibres*)model;
  for (int32_t i = 0; i < fibres->model.count; ++i) {
    const CpsRod* rod = &fibres->fibres[i].rod;
    if (fibres->fibres[i].there) hash = cps_hash_bytes(hash, rod->state, (size_t)rod->state_count * sizeof(double));
  }
  return hash;
}

// Time-dependent data of each place besides the state of the rod.
typedef struct Saved {
  uint32_t generation, there, moved, padding;
  CpsRodEnd root, tip;
  CpsEndMove moves[2];
  double stiffened, lent;
} Saved;

size_t cps_fibres_state_size(const CpsModel* model) {
  const CpsFibres* fibres = (const CpsFibres*)model;
  size_t size = 0;
  for (int32_t i = 0; i < fibres->model.count; ++i) {
    size += sizeof(Saved) + (size_t)fibres->fibres[i].rod.state_count * sizeof(double);
  }
  return size;
}

void cps_fibres_save(const CpsModel* model, void* bytes) {
  const CpsFibres* fibres = (const CpsFibres*)model;
  char* at = bytes;
  for (int32_t i = 0; i < fibres->model.count; ++i) {
    const CpsFibre* f = &fibres->fibres[i];
    Saved saved = {f->generation,    f->there, f->moved, 0, f->rod.root, f->rod.tip, {f->moves[0], f->moves[1]},
                   f->rod.stiffened, f->lent};
    memcpy(at, &saved, sizeof saved);
    at += sizeof saved;
    if (f->rod.state_count > 0) memcpy(at, f->rod.state, (size_t)f->rod.state_count * sizeof(double));
    at += (size_t)f->rod.state_count * sizeof(double);
  }
}

// Copies doubles at any alignment.
static bool are_finite(const char* doubles, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    double x;
    memcpy(&x, doubles + i * (int64_t)sizeof x, sizeof x);
    if (!isfinite(x)) return false;
  }
  return true;
}

// Whether an end taken over has valid times and poses.
static bool is_move(const CpsEndMove* m) {
  if (m->taken == 0.0) return true;
  return m->taken == 1.0 && m->until > m->from && fabs(cps_quat_norm(m->start.rotation) - 1.0) < 1e-6 &&
         fabs(cps_quat_norm(m->end.rotation) - 1.0) < 1e-6;
}

CpsStatus cps_fibres_check(const CpsModel* model, const void* bytes, size_t size, CpsError* error) {
  const CpsFibres* fibres = (const CpsFibres*)model;
  const char* at = bytes;
  if (size != cps_fibres_state_size(model)) return cps_fail(error, CPS_BAD_FORMAT, "the state belongs to other fibres");
  for (int32_t i = 0; i < fibres->model.count; ++i) {
    const CpsFibre* f = &fibres->fibres[i];
    Saved saved;
    memcpy(&saved, at, sizeof saved);
    at += sizeof saved;
    if (saved.there != (uint32_t)f->there || saved.generation != f->generation) {
      return cps_fail(error, CPS_BAD_DATA,
                      "the state belongs to other fibres: fibre %d was added or removed since it was saved", (int)i);
    }
    int64_t numbers = (int64_t)((sizeof saved - offsetof(Saved, root)) / sizeof(double));
    if (!are_finite((const char*)&saved.root, numbers) || !is_move(&saved.moves[0]) || !is_move(&saved.moves[1]) ||
        !are_finite(at, f->rod.state_count) || (f->there && !(saved.stiffened > 0.0))) {
      return cps_fail(error, CPS_BAD_DATA, "the state of fibre %d is not finite", (int)i);
    }
    at += (size_t)f->rod.state_count * sizeof(double);
  }
  return CPS_OK;
}

void cps_fibres_load(CpsModel* model, const void* bytes) {
  CpsFibres* fibres = (CpsFibres*)model;
  const char* at = bytes;
  for (int32_t i = 0; i < fibres->model.count; ++i) {
    CpsFibre* f = &fibres->fibres[i];
    Saved saved;
    memcpy(&saved, at, sizeof saved);
    at += sizeof saved;
    f->moved = saved.moved;
    f->rod.root = saved.root;
    f->rod.tip = saved.tip;
    memcpy(f->moves, saved.moves, sizeof f->moves);
    f->rod.begun = false;
    if (f->there && f->rod.stiffened != saved.stiffened) cps_rod_stiffen(&f->rod, saved.stiffened);
    f->given = 0.0;
    f->lent = saved.lent;
    if (f->rod.state_count > 0) memcpy(f->rod.state, at, (size_t)f->rod.state_count * sizeof(double));
    at += (size_t)f->rod.state_count * sizeof(double);
    f->fresh = f->placed = false;
    if (f->there) f->rod.type->refresh(&f->rod);
  }
}
