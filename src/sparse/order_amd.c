// The order of block rows by approximate minimum degree (Amestoy, Davis and Duff 2004).
#include "sparse/order.h"

#include <amd.h>

// amd_l2() instead of amd_l_order(): the pattern is symmetric already, and the memory is ours, so a solve in a step of a
// simulation does not allocate.
bool cps_block_order(const CpsBlockMatrix* A, CpsArena* arena, int32_t* order) {
  enum { ROWS = 9 };  // arrays of n entries
  CpsArenaMark mark = cps_arena_mark(arena);
  int64_t n = A->rows, count = A->start[n], room = count + count / 5 + n;
  SuiteSparse_long* of[ROWS];
  for (int k = 0; k < ROWS; ++k) {
    of[k] = CPS_TAKE(arena, SuiteSparse_long, n);
    if (!of[k]) return false;
  }
  SuiteSparse_long* index = CPS_TAKE(arena, SuiteSparse_long, room);
  if (!index) return false;
  SuiteSparse_long *start = of[0], *length = of[1], *last = of[4], used = 0;
  for (int32_t i = 0; i < A->rows; ++i) {
    start[i] = used;
    for (int64_t k = A->start[i]; k < A->start[i + 1]; ++k) {
      if (A->col[k] != i) index[used++] = A->col[k];
    }
    length[i] = used - start[i];
  }
  amd_l2(n, start, index, length, room, used, of[2], of[3], last, of[5], of[6], of[7], of[8], NULL, NULL);
  for (int64_t p = 0; p < n; ++p) order[p] = (int32_t)last[p];
  cps_arena_release(arena, mark);
  return true;
}
