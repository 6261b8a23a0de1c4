// Compliance: an implicit spring is a block that holds u + C r = 0 for the velocity u of its points. The diagonal C goes into
// W as three numbers z without a mass of their own,
//
//   u + C r = [G | C^1/2] [G | C^1/2]^T r + b                                                                        (1)
//
// so that a spring is a contact with one side more, and no solver knows of springs. These sides have no place and no energy.
#include "model/soft.h"

#include <stdlib.h>

static const CpsModelType SOFT;

CpsSoft* cps_soft_create(void) {
  CpsSoft* soft = calloc(1, sizeof *soft);
  if (soft) soft->model.type = &SOFT;
  return soft;
}

bool cps_soft_reserve(CpsSoft* soft, int32_t count) {
  if (count > soft->capacity) {
    CpsVec3* grown = realloc(soft->root, 2 * (size_t)count * sizeof *grown);
    if (!grown) return false;
    soft->root = grown;
    soft->capacity = 2 * count;
  }
  soft->model.count = count;
  for (int32_t i = 0; i < count; ++i) soft->root[i] = (CpsVec3){0.0, 0.0, 0.0};
  return true;
}

static void destroy(CpsModel* model) {
  if (!model) return;
  free(((CpsSoft*)model)->root);
  free(model);
}

static int32_t body_dofs(const CpsModel* model, int32_t body) {
  (void)model, (void)body;
  return 3;
}

static uint32_t generation(const CpsModel* model, int32_t body) {
  (void)model, (void)body;
  return 0;
}

static const char* label(const CpsModel* model, int32_t body) {
  (void)model, (void)body;
  return NULL;
}

static bool is_there(const CpsModel* model, int32_t body) {
  (void)model, (void)body;
  return false;
}

static double size(const CpsModel* model, int32_t body) {
  (void)model, (void)body;
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

// C^1/2 of (1), whatever the frame and the sign.
static void rows(const CpsModel* model, int32_t body, const CpsSpot* spot, const CpsMat3* frame, double sign,
                 double* G) {
  (void)spot, (void)frame, (void)sign;
  CpsVec3 c = ((const CpsSoft*)model)->root[body];
  for (int i = 0; i < 9; ++i) G[i] = 0.0;
  G[0] = c.x, G[4] = c.y, G[8] = c.z;
}

static void take(CpsModel* model, int32_t body, const double* z) {
  (void)model, (void)body, (void)z;
}

static void slow(CpsModel* model, int32_t body, double factor, const CpsRigidMotion* common,
                 const CpsRigidMotion* more) {
  (void)model, (void)body, (void)factor, (void)common, (void)more;
}

static int64_t place_size(const CpsModel* model, int32_t body) {
  (void)model, (void)body;
  return 0;
}

static void keep_place(const CpsModel* model, int32_t body, double* numbers) {
  (void)model, (void)body, (void)numbers;
}

static void energy(const CpsModel* model, const CpsModelStep* step, bool stepped, int32_t first, int32_t last,
                   CpsModelEnergy* out) {
  (void)model, (void)step, (void)stepped, (void)first, (void)last, (void)out;
}

static void momentum(const CpsModel* model, int32_t first, int32_t last, CpsVec3* linear, CpsVec3* angular,
                     double* mass) {
  (void)model, (void)first, (void)last, (void)linear, (void)angular, (void)mass;
}

static void inertia(const CpsModel* model, int32_t body, CpsVec3* first, CpsMat3* second) {
  (void)model, (void)body, (void)first, (void)second;
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

static const CpsModelType SOFT = {
    .name = "spring",
    .kind = CPS_THING_NONE,
    .destroy = destroy,
    .generation = generation,
    .label = label,
    .is_there = is_there,
    .size = size,
    .body_dofs = body_dofs,
    .begin = over_step,
    .broken = broken,
    .collider_count = none,
    .colliders = colliders,
    .rows = rows,
    .receive = take,
    .advance = over_step,
    .shift = take,
    .slow = slow,
    .place_size = place_size,
    .keep_place = keep_place,
    .put_back = take,
    .energy = energy,
    .momentum = momentum,
    .inertia = inertia,
    .reach = reach,
    .hash = hash,
    .state_size = state_size,
    .save = save,
    .check = check,
    .load = load,
};
