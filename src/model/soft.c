// Compliance: an implicit spring is a block with u + C r = 0 for the velocity u of its points. The diagonal C enters W as three
// massless coordinates z,
//
//   u + C r = [G | C^1/2] [G | C^1/2]^T r + b                                                                        (1)
//
// so a spring is a contact with one more side, and solvers need no special case. These sides have no position and no energy.
#include "model/soft.h"

#include <stdlib.h>

static void destroy(CpsModel* model) {
  free(((CpsSoft*)model)->root);
  free(model);
}

static int32_t dofs(const CpsModel* model, int32_t member) {
  (void)model, (void)member;
  return 3;
}

// C^1/2 of (1), independent of frame and sign.
static void rows(const CpsModel* model, int32_t member, const CpsSpot* spot, const CpsMat3* frame, double sign,
                 double* G) {
  (void)spot, (void)frame, (void)sign;
  CpsVec3 c = ((const CpsSoft*)model)->root[member];
  for (int i = 0; i < 9; ++i) G[i] = 0.0;
  G[0] = c.x, G[4] = c.y, G[8] = c.z;
}

CpsSoft* cps_soft_create(void) {
  CpsSoft* soft = calloc(1, sizeof *soft);
  if (!soft) return NULL;
  soft->type = cps_model_nothing;
  soft->type.name = "spring";
  soft->type.destroy = destroy;
  soft->type.dofs = dofs;
  soft->type.rows = rows;
  soft->model.type = &soft->type;
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
