// User-defined models: adapts the functions of capstan/custom.h to the interface of model.h.
//
//   M~ = L L^T,   v* = v + M~^-1 p                                          begin                                  (1)
//   G  = E J L^-T,  by rows:  L G_k^T = (E J)_k^T                           rows                                   (2)
//   v+ = v* + L^-T z,   q+ = q + h (theta v+ + (1 - theta) v)               receive, advance                       (3)
//
// Balls do not rotate: a contact moves with the centre of its ball. In the energy balance contacts do the work z.(L^T (v+ + v*))/2 on the
// member. The other changes of its energies come from forces unknown outside the model and count as external work.
#include "model/custom.h"

#include "core/error.h"
#include "core/hash.h"
#include "sparse/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static CpsCustomMember* of(const CpsModel* model, int32_t member) {
  return &((const CpsCustoms*)model)->member[member];
}

// x = L^-1 x and x = L^-T x
static void solve_lower(int n, const double* L, double* x) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) x[i] -= L[(ptrdiff_t)i * n + j] * x[j];
    x[i] /= L[(ptrdiff_t)i * n + i];
  }
}

static void solve_upper(int n, const double* L, double* x) {
  for (int i = n - 1; i >= 0; --i) {
    x[i] /= L[(ptrdiff_t)i * n + i];
    for (int j = 0; j < i; ++j) x[j] -= L[(ptrdiff_t)i * n + j] * x[i];
  }
}

static CpsVec3 apply(const double* J, int32_t n, const double* v) {
  double x[3] = {0.0, 0.0, 0.0};
  for (int k = 0; k < 3; ++k) {
    for (int32_t i = 0; i < n; ++i) x[k] += J[k * n + i] * v[i];
  }
  return cps_vec3_get(x);
}

static void free_member(CpsCustomMember* m) {
  for (int32_t i = 0; m->ball && i < m->def.ball_count; ++i) {
    cps_geom_destroy(m->ball[i].geom);
    free(m->ball[i].jacobian);
  }
  free(m->ball);
  free(m->q);  // all numbers of the member
  free(m->matrix);
  free(m->name);
}

static void destroy(CpsModel* model) {
  CpsCustoms* all = (CpsCustoms*)model;
  if (!all) return;
  for (int32_t k = 0; k < all->model.count; ++k) {
    CpsCustomMember* m = &all->member[k];
    if (m->def.destroy) m->def.destroy(m->def.data);
    free_member(m);
  }
  free(all->member);
  free(all);
}

static int32_t dofs(const CpsModel* model, int32_t member) {
  return of(model, member)->dofs;
}

static uint32_t generation(const CpsModel* model, int32_t member) {
  (void)model, (void)member;
  return 1;
}

static const char* label(const CpsModel* model, int32_t member) {
  return of(model, member)->name;
}

static bool is_there(const CpsModel* model, int32_t member) {
  (void)model, (void)member;
  return true;
}

static double size(const CpsModel* model, int32_t member) {
  const CpsCustomMember* m = of(model, member);
  double least = INFINITY;
  for (int32_t i = 0; i < m->def.ball_count; ++i) least = fmin(least, m->ball[i].geom->inner_radius);
  return isfinite(least) ? least : 0.0;
}

static void place_balls(CpsCustomMember* m) {
  for (int32_t i = 0; i < m->def.ball_count; ++i) {
    CpsCustomBall* b = &m->ball[i];
    memset(b->jacobian, 0, 3 * (size_t)m->dofs * sizeof *b->jacobian);
    b->centre = cps_vec3(0.0, 0.0, 0.0);
    m->def.place(m->q, i, &b->centre, b->jacobian, m->def.data);
  }
}

static double energy_of(const CpsCustomMember* m, CpsVec3 gravity, double* kinetic, double* potential) {
  *kinetic = *potential = 0.0;
  if (m->def.energy) m->def.energy(&gravity, m->q, m->v, kinetic, potential, m->def.data);
  return *kinetic + *potential;
}

static void begin(CpsModel* model, const CpsModelStep* step, int32_t first, int32_t last) {
  for (int32_t k = first; k < last; ++k) {
    CpsCustomMember* m = of(model, k);
    const int32_t n = m->dofs;
    const CpsCustomStep told = {((CpsCustoms*)model)->time, step->h, step->theta, step->gravity};
    double kinetic, potential;
    memset(m->matrix, 0, (size_t)n * (size_t)n * sizeof *m->matrix);
    memset(m->free, 0, (size_t)n * sizeof *m->free);
    m->def.predict(&told, m->q, m->v, m->matrix, m->free, m->def.data);
    bool good = cps_dense_cholesky_factor(n, m->matrix, 0.0);
    if (good) cps_dense_cholesky_solve(n, m->matrix, m->free);
    for (int32_t i = 0; i < n; ++i) {
      m->before[i] = m->v[i];
      m->free[i] = good ? m->free[i] + m->v[i] : NAN;
    }
    place_balls(m);
    for (int32_t i = 0; i < m->def.ball_count; ++i) {
      m->ball[i].way = cps_vec3_scale(step->h, apply(m->ball[i].jacobian, n, m->free));
    }
    m->started = energy_of(m, step->gravity, &kinetic, &potential);
    m->contact = 0.0;
  }
}

static int32_t broken(const CpsModel* model) {
  for (int32_t k = 0; k < model->count; ++k) {
    const CpsCustomMember* m = of(model, k);
    for (int32_t i = 0; i < m->dofs; ++i) {
      if (!isfinite(m->free[i]) || !isfinite(m->v[i]) || !isfinite(m->q[i])) return k;
    }
    for (int32_t i = 0; i < m->def.ball_count; ++i) {
      if (!cps_vec3_is_finite(m->ball[i].centre) || !cps_vec3_is_finite(m->ball[i].way)) return k;
    }
  }
  return -1;
}

static int32_t collider_count(const CpsModel* model) {
  return ((const CpsCustoms*)model)->ball_count;
}

static void colliders(const CpsModel* model, const CpsModelStep* step, int32_t first_owner, CpsCollider* out) {
  (void)step;
  for (int32_t k = 0; k < model->count; ++k) {
    const CpsCustomMember* m = of(model, k);
    for (int32_t i = 0; i < m->def.ball_count; ++i) {
      const CpsCustomBall* b = &m->ball[i];
      *out++ = (CpsCollider){.geom = b->geom,
                             .pose = {b->centre, {1.0, 0.0, 0.0, 0.0}},
                             .reach = cps_vec3_norm(b->way) + 0.01 * b->geom->inner_radius,
                             .key = cps_key(CPS_THING_OTHER, k, 1, i),
                             .owner = first_owner + k,
                             .group = m->def.group,
                             .centre = b->centre,
                             .way = b->way};
    }
  }
}

static CpsSurface surface(const CpsModel* model, int32_t member, const CpsSpot* spot) {
  (void)spot;
  const CpsCustomDef* def = &of(model, member)->def;
  return (CpsSurface){1, def->material, def->mu, def->restitution, NAN, {1.0, 0.0, 0.0}};
}

static void rows(const CpsModel* model, int32_t member, const CpsSpot* spot, const CpsMat3* frame, double sign,
                 double* G) {
  const CpsCustomMember* m = of(model, member);
  const double* J = m->ball[spot->piece].jacobian;
  const int32_t n = m->dofs;
  for (int k = 0; k < 3; ++k) {
    for (int32_t i = 0; i < n; ++i) {
      G[k * n + i] =
          sign * (frame->m[3 * k] * J[i] + frame->m[3 * k + 1] * J[n + i] + frame->m[3 * k + 2] * J[2 * n + i]);
    }
    solve_lower(n, m->matrix, G + k * n);
  }
}

static CpsVec3 velocity(const CpsModel* model, int32_t member, const CpsSpot* spot, CpsVelocity which) {
  const CpsCustomMember* m = of(model, member);
  const double* v = which == CPS_VELOCITY_BEFORE ? m->before : which == CPS_VELOCITY_FREE ? m->free : m->v;
  return apply(m->ball[spot->piece].jacobian, m->dofs, v);
}

static CpsVec3 drift(const CpsModel* model, const CpsModelStep* step, int32_t member, const CpsSpot* spot) {
  return cps_vec3_scale((1.0 - step->theta) * step->h, velocity(model, member, spot, CPS_VELOCITY_BEFORE));
}

static void receive(CpsModel* model, int32_t member, const double* z) {
  CpsCustomMember* m = of(model, member);
  const size_t bytes = (size_t)m->dofs * sizeof *m->v;
  memcpy(m->v, m->free, bytes);
  m->contact = 0.0;
  if (!z) return;
  memcpy(m->moved, z, bytes);
  solve_upper(m->dofs, m->matrix, m->moved);
  for (int32_t i = 0; i < m->dofs; ++i) {
    m->v[i] += m->moved[i];
    double Lt = 0.0;  // (L^T (v+ + v*))_i
    for (int32_t j = i; j < m->dofs; ++j)
      Lt += m->matrix[(ptrdiff_t)j * m->dofs + i] * (2.0 * m->free[j] + m->moved[j]);
    m->contact += 0.5 * z[i] * Lt;
  }
}

static void advance(CpsModel* model, const CpsModelStep* step, int32_t first, int32_t last) {
  for (int32_t k = first; k < last; ++k) {
    CpsCustomMember* m = of(model, k);
    for (int32_t i = 0; i < m->dofs; ++i)
      m->q[i] += step->h * (step->theta * m->v[i] + (1.0 - step->theta) * m->before[i]);
  }
}

static void shift(CpsModel* model, int32_t member, const double* z) {
  CpsCustomMember* m = of(model, member);
  memcpy(m->moved, z, (size_t)m->dofs * sizeof *z);
  solve_upper(m->dofs, m->matrix, m->moved);
  for (int32_t i = 0; i < m->dofs; ++i) m->q[i] += m->moved[i];
}

static int64_t place_size(const CpsModel* model, int32_t member) {
  return of(model, member)->dofs;
}

static void keep_place(const CpsModel* model, int32_t member, double* numbers) {
  memcpy(numbers, of(model, member)->q, (size_t)of(model, member)->dofs * sizeof *numbers);
}

static void put_back(CpsModel* model, int32_t member, const double* numbers) {
  memcpy(of(model, member)->q, numbers, (size_t)of(model, member)->dofs * sizeof *numbers);
}

static void energy(const CpsModel* model, const CpsModelStep* step, bool stepped, int32_t first, int32_t last,
                   CpsModelEnergy* out) {
  for (int32_t k = first; k < last; ++k) {
    const CpsCustomMember* m = of(model, k);
    double kinetic, potential;
    double now = energy_of(m, step->gravity, &kinetic, &potential);
    out->kinetic += kinetic;
    out->potential += potential;
    if (stepped && m->def.energy) out->external += now - m->started - m->contact;
  }
}

static int64_t read(const CpsModel* model, int32_t member, CpsQuantity quantity, double* values, size_t stride) {
  CpsCustomMember* m = of(model, member);
  if (quantity != CPS_QUANTITY_POSITION && quantity != CPS_QUANTITY_VELOCITY) return 0;
  if (values) place_balls(m);
  for (int32_t i = 0; values && i < m->def.ball_count; ++i) {
    const CpsCustomBall* b = &m->ball[i];
    CpsVec3 x = quantity == CPS_QUANTITY_POSITION ? b->centre : apply(b->jacobian, m->dofs, m->v);
    cps_vec3_put((double*)(void*)((char*)values + (size_t)i * stride), x);
  }
  return m->def.ball_count;
}

static double reach(const CpsModel* model, CpsVec3 from) {
  double far = 0.0;
  for (int32_t k = 0; k < model->count; ++k) {
    const CpsCustomMember* m = of(model, k);
    for (int32_t i = 0; i < m->def.ball_count; ++i) {
      const CpsCustomBall* b = &m->ball[i];
      far = fmax(far, cps_vec3_norm(cps_vec3_sub(b->centre, from)) + b->geom->outer_radius);
    }
  }
  return far;
}

static uint64_t hash(const CpsModel* model, uint64_t hash) {
  for (int32_t k = 0; k < model->count; ++k) {
    hash = cps_hash_bytes(hash, of(model, k)->q, 2 * (size_t)of(model, k)->dofs * sizeof(double));
  }
  return hash;
}

// q and v of all members, concatenated: they are contiguous
static size_t state_size(const CpsModel* model) {
  size_t size_ = 0;
  for (int32_t k = 0; k < model->count; ++k) size_ += 2 * (size_t)of(model, k)->dofs * sizeof(double);
  return size_;
}

static void save(const CpsModel* model, void* bytes) {
  char* at = bytes;
  for (int32_t k = 0; k < model->count; ++k) {
    const size_t size_ = 2 * (size_t)of(model, k)->dofs * sizeof(double);
    memcpy(at, of(model, k)->q, size_);
    at += size_;
  }
}

static CpsStatus check(const CpsModel* model, const void* bytes, size_t size_, CpsError* error) {
  (void)model;
  const char* at = bytes;
  for (size_t i = 0; i < size_; i += sizeof(double)) {
    double x;
    memcpy(&x, at + i, sizeof x);
    if (!isfinite(x)) return cps_fail(error, CPS_BAD_DATA, "a coordinate of a custom model is not finite");
  }
  return CPS_OK;
}

static void load(CpsModel* model, const void* bytes) {
  const char* at = bytes;
  for (int32_t k = 0; k < model->count; ++k) {
    const size_t size_ = 2 * (size_t)of(model, k)->dofs * sizeof(double);
    memcpy(of(model, k)->q, at, size_);
    at += size_;
  }
}

CpsCustoms* cps_customs_create(void) {
  CpsCustoms* all = calloc(1, sizeof *all);
  if (!all) return NULL;
  CpsModelType* type = &all->type;
  *type = cps_model_nothing;
  type->name = "custom model";
  type->kind = CPS_THING_OTHER;
  type->destroy = destroy, type->dofs = dofs, type->generation = generation, type->label = label;
  type->is_there = is_there, type->size = size, type->begin = begin, type->broken = broken;
  type->collider_count = collider_count, type->colliders = colliders, type->surface = surface;
  type->rows = rows, type->velocity = velocity, type->drift = drift, type->receive = receive;
  type->advance = advance, type->shift = shift, type->place_size = place_size;
  type->keep_place = keep_place, type->put_back = put_back, type->energy = energy, type->read = read;
  type->reach = reach, type->hash = hash, type->state_size = state_size, type->save = save;
  type->check = check, type->load = load;
  all->model.type = type;
  return all;
}

static bool make_member(CpsCustomMember* m, const CpsCustomDef* def) {
  const size_t n = (size_t)def->dofs;
  *m = (CpsCustomMember){.def = *def, .dofs = def->dofs};
  m->q = calloc(5 * n, sizeof *m->q);
  m->matrix = calloc(n * n, sizeof *m->matrix);
  m->ball = calloc((size_t)def->ball_count + 1, sizeof *m->ball);
  if (!m->q || !m->matrix || !m->ball || !cps_text_copy(def->name, &m->name)) return false;
  m->v = m->q + n, m->before = m->q + 2 * n, m->free = m->q + 3 * n, m->moved = m->q + 4 * n;
  if (def->q) memcpy(m->q, def->q, n * sizeof *m->q);
  if (def->v) memcpy(m->v, def->v, n * sizeof *m->v);
  for (int32_t i = 0; i < def->ball_count; ++i) {
    const CpsShape ball = cps_sphere(def->radius[i]);
    m->ball[i].jacobian = calloc(3 * n, sizeof(double));
    if (!m->ball[i].jacobian || cps_geom_create(&ball, &m->ball[i].geom, NULL) != CPS_OK) return false;
  }
  place_balls(m);
  return true;
}

CpsStatus cps_customs_add(CpsCustoms* all, const CpsCustomDef* def, CpsError* error) {
  if (all->model.count == all->capacity) {
    int32_t capacity = 2 * all->capacity + 4;
    CpsCustomMember* grown = realloc(all->member, (size_t)capacity * sizeof *grown);
    if (!grown) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a custom model");
    all->member = grown;
    all->capacity = capacity;
  }
  CpsCustomMember* m = &all->member[all->model.count];
  if (!make_member(m, def)) {
    free_member(m);
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a custom model");
  }
  all->model.count = ++all->model.there_count;
  all->ball_count += def->ball_count;
  return CPS_OK;
}
