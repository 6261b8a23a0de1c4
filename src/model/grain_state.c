// Serialisation of grains, and their state as arrays.
#include "core/error.h"
#include "model/grains.h"

#include <string.h>

// Of each particle: position, velocity, velocity gradient, fraction, stress, status.
enum { STATE_DOUBLES = 3 + 3 + 9 + 1 + CPS_TENSOR_MOST + 1 };

int64_t cps_grains_read(const CpsModel* model, int32_t member, CpsQuantity quantity, double* values, size_t stride) {
  (void)member;
  const CpsGrains* m = (const CpsGrains*)model;
  if (quantity == CPS_QUANTITY_ORIENTATION || quantity == CPS_QUANTITY_ANGULAR_VELOCITY) return 0;
  if (quantity == CPS_QUANTITY_CENTRE) return 0;
  char* at = (char*)values;
  for (int32_t p = 0; values && p < m->count; ++p, at += stride) {
    double* to = (double*)(void*)at;
    if (quantity == CPS_QUANTITY_POSITION) cps_vec3_put(to, m->x[p]);
    if (quantity == CPS_QUANTITY_VELOCITY) cps_vec3_put(to, m->v[p]);
    if (quantity == CPS_QUANTITY_FRACTION) *to = m->fraction[p];
    if (quantity == CPS_QUANTITY_STATUS) *to = m->status[p];
    if (quantity == CPS_QUANTITY_STRESS) {
      cps_tensor_stress(m->grid.dim, m->stress[p], to);
      for (int k = 0; k < 6; ++k) to[k] *= m->fraction[p];
    }
    if (quantity == CPS_QUANTITY_PRESSURE) *to = m->fraction[p] * cps_tensor_pressure(m->grid.dim, m->stress[p][0]);
  }
  return m->count;
}

bool cps_grains_view(const CpsModel* model, int32_t member, CpsQuantity quantity, CpsArrayView* view) {
  (void)member;
  const CpsGrains* m = (const CpsGrains*)model;
  *view = (CpsArrayView){.width = 3, .count = m->count, .stride = sizeof *m->x};
  if (quantity == CPS_QUANTITY_POSITION) view->data = m->x;
  if (quantity == CPS_QUANTITY_VELOCITY) view->data = m->v;
  if (quantity == CPS_QUANTITY_FRACTION) {
    *view = (CpsArrayView){.data = m->fraction, .width = 1, .count = m->count, .stride = sizeof *m->fraction};
  }
  if (quantity == CPS_QUANTITY_STATUS) {
    *view = (CpsArrayView){m->status, CPS_NUMBER_UINT8, 1, m->count, sizeof *m->status};
  }
  return view->data != NULL;
}

uint64_t cps_grains_hash(const CpsModel* model, uint64_t hash) {
  const CpsGrains* m = (const CpsGrains*)model;
  if (m->count == 0) return hash;
  const size_t n = (size_t)m->count;
  hash = cps_hash_bytes(hash, m->x, n * sizeof *m->x);
  hash = cps_hash_bytes(hash, m->v, n * sizeof *m->v);
  hash = cps_hash_bytes(hash, m->C, n * sizeof *m->C);
  return cps_hash_bytes(hash, m->fraction, n * sizeof *m->fraction);
}

size_t cps_grains_state_size(const CpsModel* model) {
  return STATE_DOUBLES * sizeof(double) * (size_t)((const CpsGrains*)model)->count;
}

void cps_grains_save(const CpsModel* model, void* bytes) {
  const CpsGrains* m = (const CpsGrains*)model;
  char* at = bytes;
  for (int32_t p = 0; p < m->count; ++p, at += STATE_DOUBLES * sizeof(double)) {
    double numbers[STATE_DOUBLES];
    cps_vec3_put(numbers, m->x[p]);
    cps_vec3_put(numbers + 3, m->v[p]);
    memcpy(numbers + 6, m->C[p].m, sizeof m->C[p].m);
    numbers[15] = m->fraction[p];
    memcpy(numbers + 16, m->stress[p], sizeof m->stress[p]);
    numbers[STATE_DOUBLES - 1] = m->status[p];
    memcpy(at, numbers, sizeof numbers);
  }
}

CpsStatus cps_grains_check_state(const CpsModel* model, const void* bytes, size_t size, CpsError* error) {
  const CpsGrains* m = (const CpsGrains*)model;
  for (size_t k = 0; k < size / sizeof(double); ++k) {
    double x;
    memcpy(&x, (const char*)bytes + k * sizeof x, sizeof x);
    const size_t what = k % STATE_DOUBLES, p = k / STATE_DOUBLES;
    bool good = isfinite(x);
    if (what < 3) good = fabs(x) < CPS_GRID_FAR * m->grid.cell;
    const CpsGrainGroup* group = &m->group[m->group_of[p]];
    if (what == 15) good = x <= group->fraction_max && (x > 0.0 || (x == 0.0 && group->spout.layers > 0));
    if (what == STATE_DOUBLES - 1) good = x == CPS_CONTACT_TAKEOFF || x == CPS_CONTACT_STICK || x == CPS_CONTACT_SLIDE;
    if (!good) return cps_fail(error, CPS_BAD_DATA, "particle %zu of the grains of the state is out of range", p);
  }
  return CPS_OK;
}

void cps_grains_load(CpsModel* model, const void* bytes) {
  CpsGrains* m = (CpsGrains*)model;
  const char* at = bytes;
  for (int32_t p = 0; p < m->count; ++p, at += STATE_DOUBLES * sizeof(double)) {
    double numbers[STATE_DOUBLES];
    memcpy(numbers, at, sizeof numbers);
    m->x[p] = cps_vec3_get(numbers);
    m->v[p] = cps_vec3_get(numbers + 3);
    memcpy(m->C[p].m, numbers + 6, sizeof m->C[p].m);
    m->fraction[p] = numbers[15];
    memcpy(m->stress[p], numbers + 16, sizeof m->stress[p]);
    m->status[p] = (uint8_t)numbers[STATE_DOUBLES - 1];
  }
  m->broken = m->starved = m->squeezed = false;
  m->poured = 0.0;
  m->poured_at = NAN;
}
