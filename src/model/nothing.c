// A model with empty functions: the default table for small models.
#include "model/model.h"

#include <math.h>
#include <stdlib.h>

static void destroy(CpsModel* model) {
  free(model);
}

static int32_t dofs(const CpsModel* model, int32_t member) {
  (void)model, (void)member;
  return 0;
}

static uint32_t generation(const CpsModel* model, int32_t member) {
  (void)model, (void)member;
  return 0;
}

static const char* label(const CpsModel* model, int32_t member) {
  (void)model, (void)member;
  return NULL;
}

static bool is_there(const CpsModel* model, int32_t member) {
  (void)model, (void)member;
  return false;
}

static double size(const CpsModel* model, int32_t member) {
  (void)model, (void)member;
  return 0.0;
}

static void over_step(CpsModel* model, const CpsModelStep* step, int32_t first, int32_t last) {
  (void)model, (void)step, (void)first, (void)last;
}

static int32_t none(const CpsModel* model) {
  (void)model;
  return 0;
}

static int32_t broken(const CpsModel* model) {
  (void)model;
  return -1;
}

static void colliders(const CpsModel* model, const CpsModelStep* step, int32_t first_owner, CpsCollider* out) {
  (void)model, (void)step, (void)first_owner, (void)out;
}

static void take(CpsModel* model, int32_t member, const double* z) {
  (void)model, (void)member, (void)z;
}

static void slow(CpsModel* model, int32_t member, double factor, const CpsRigidMotion* common,
                 const CpsRigidMotion* more) {
  (void)model, (void)member, (void)factor, (void)common, (void)more;
}

static int64_t place_size(const CpsModel* model, int32_t member) {
  (void)model, (void)member;
  return 0;
}

static void keep_place(const CpsModel* model, int32_t member, double* numbers) {
  (void)model, (void)member, (void)numbers;
}

static void energy(const CpsModel* model, const CpsModelStep* step, bool stepped, int32_t first, int32_t last,
                   CpsModelEnergy* out) {
  (void)model, (void)step, (void)stepped, (void)first, (void)last, (void)out;
}

static void momentum(const CpsModel* model, int32_t first, int32_t last, CpsVec3* linear, CpsVec3* angular) {
  (void)model, (void)first, (void)last, (void)linear, (void)angular;
}

static void weigh(const CpsModel* model, int32_t first, int32_t last, double* mass) {
  (void)model, (void)first, (void)last, (void)mass;
}

static void inertia(const CpsModel* model, int32_t member, CpsVec3* first, CpsMat3* second) {
  (void)model, (void)member, (void)first, (void)second;
}

static double reach(const CpsModel* model, CpsVec3 from) {
  (void)model, (void)from;
  return 0.0;
}

static uint64_t hash(const CpsModel* model, uint64_t hash) {
  (void)model;
  return hash;
}

static size_t state_size(const CpsModel* model) {
  (void)model;
  return 0;
}

static void save(const CpsModel* model, void* bytes) {
  (void)model, (void)bytes;
}

static CpsStatus check(const CpsModel* model, const void* bytes, size_t size_, CpsError* error) {
  (void)model, (void)bytes, (void)size_, (void)error;
  return CPS_OK;
}

static void load(CpsModel* model, const void* bytes) {
  (void)model, (void)bytes;
}

static void rows(const CpsModel* model, int32_t member, const CpsSpot* spot, const CpsMat3* frame, double sign,
                 double* G) {
  (void)model, (void)member, (void)spot, (void)frame, (void)sign, (void)G;
}

static CpsVec3 velocity(const CpsModel* model, int32_t member, const CpsSpot* spot, CpsVelocity which) {
  (void)model, (void)member, (void)spot, (void)which;
  return cps_vec3(0.0, 0.0, 0.0);
}

static CpsVec3 drift(const CpsModel* model, const CpsModelStep* step, int32_t member, const CpsSpot* spot) {
  (void)step;
  return velocity(model, member, spot, CPS_VELOCITY_BEFORE);
}

static CpsSurface surface(const CpsModel* model, int32_t member, const CpsSpot* spot) {
  (void)spot;
  return (CpsSurface){model->type->generation(model, member), 0, NAN, NAN, NAN, {1.0, 0.0, 0.0}};
}

const CpsModelType cps_model_nothing = {
    .name = "nothing",
    .kind = CPS_THING_NONE,
    .destroy = destroy,
    .generation = generation,
    .label = label,
    .is_there = is_there,
    .size = size,
    .dofs = dofs,
    .begin = over_step,
    .broken = broken,
    .collider_count = none,
    .colliders = colliders,
    .surface = surface,
    .rows = rows,
    .velocity = velocity,
    .drift = drift,
    .receive = take,
    .advance = over_step,
    .shift = take,
    .slow = slow,
    .place_size = place_size,
    .keep_place = keep_place,
    .put_back = take,
    .energy = energy,
    .momentum = momentum,
    .weigh = weigh,
    .inertia = inertia,
    .reach = reach,
    .hash = hash,
    .state_size = state_size,
    .save = save,
    .check = check,
    .load = load,
};
