// Distribution of the factorisation among threads, and the memory of the update matrices.
//
// An update matrix lives from its supernode to the parent. Supernodes are visited in postorder, so all lifetimes are known in
// advance and every matrix gets a fixed position, the first gap that is large enough. For several threads the tree is cut
// into subtrees of some percent of the work each, the tasks, and the top above them. The matrices of a task are in the memory
// of the thread that takes it, except that of its root; the top, visited after all tasks, has separate memory. The result
// does not depend on the cut.
#include "sparse/cholesky_parts.h"

#include <stdlib.h>
#include <string.h>

// The largest task, as a share of all work for one thread. Smaller ones balance better but need more memory: the matrices of all their
// roots are kept at the same time.
static const double TASK_SHARE = 1.0 / 8.0;

typedef struct Place {
  int64_t at, size;
  int32_t owner;
} Place;

// The matrices in use, by position.
typedef struct Places {
  Place* place;
  int32_t count;
  int64_t end;  // largest end so far
} Places;

static int64_t take_place(Places* p, int32_t owner, int64_t size) {
  int64_t at = 0;
  int32_t k = 0;
  while (k < p->count && p->place[k].at - at < size) {
    at = p->place[k].at + p->place[k].size;
    k++;
  }
  memmove(&p->place[k + 1], &p->place[k], (size_t)(p->count - k) * sizeof *p->place);
  p->place[k] = (Place){at, size, owner};
  p->count++;
  if (at + size > p->end) p->end = at + size;
  return at;
}

static void give_place_back(Places* p, int32_t owner) {
  int32_t k = 0;
  while (k < p->count && p->place[k].owner != owner) k++;
  if (k == p->count) return;
  p->count--;
  memmove(&p->place[k], &p->place[k + 1], (size_t)(p->count - k) * sizeof *p->place);
}

// Visits one supernode: its own matrix is created while those of its children still exist.
static void visit(CpsCholesky* f, Places* p, int32_t s, bool keeps_own) {
  CpsSupernode* super = &f->super[s];
  if (keeps_own && super->B > 0) super->update = take_place(p, s, cps_update_size(super->B));
  for (int32_t c = super->child; c >= 0; c = f->super[c].sibling) give_place_back(p, c);
}

typedef struct Task {
  double work;
  int32_t root;
} Task;

// The largest first: then little work remains at the end.
static int compare_tasks(const void* a, const void* b) {
  const Task *x = a, *y = b;
  if (x->work != y->work) return x->work > y->work ? -1 : 1;
  return (x->root > y->root) - (x->root < y->root);
}

// Cuts the tree: the tasks are the largest subtrees below the limit. work[s]: of the subtree of s.
static void cut(CpsCholesky* f, const double* work, double limit, Task* task) {
  for (int32_t s = f->count - 1; s >= 0; s--) {  // parents first
    CpsSupernode* super = &f->super[s];
    super->task = super->parent >= 0 ? f->super[super->parent].task : -1;
    if (super->task >= 0 || work[s] > limit) continue;
    super->task_root = true;
    super->task = s;
    task[f->task_count++] = (Task){work[s], s};
  }
  qsort(task, (size_t)f->task_count, sizeof *task, compare_tasks);
  for (int32_t k = 0; k < f->task_count; k++) f->task[k] = task[k].root;
}

static void add_work(const CpsCholesky* f, double* work) {
  for (int32_t s = 0; s < f->count; s++) work[s] = 0.0;
  for (int32_t s = 0; s < f->count; s++) {
    double p = f->super[s].P, b = f->super[s].B;
    // moving the update matrix counts as ten operations per number
    work[s] += p * p * p / 3.0 + p * p * b + p * b * b + 10.0 * b * b;
    if (f->super[s].parent >= 0) work[f->super[s].parent] += work[s];
  }
}

static void place_updates(CpsCholesky* f, Places* p) {
  // subtrees are runs of supernodes that end at their root
  for (int32_t s = 0; s < f->count; s++) {
    if (f->super[s].task >= 0) visit(f, p, s, !f->super[s].task_root);
  }
  f->worker_size = p->end;
  *p = (Places){.place = p->place};
  for (int32_t k = 0; k < f->task_count; k++) {
    CpsSupernode* root = &f->super[f->task[k]];
    if (root->B > 0) root->update = take_place(p, f->task[k], cps_update_size(root->B));
  }
  for (int32_t s = 0; s < f->count; s++) {
    if (f->super[s].task < 0) visit(f, p, s, true);
  }
}

static int64_t border_nodes(const CpsCholesky* f) {
  int64_t sum = 0;
  for (int32_t s = 0; s < f->count; s++) sum += f->super[s].border;
  return sum;
}

bool cps_cholesky_plan(CpsCholesky* f, CpsArena* arena, CpsArena* scratch) {
  int threads = cps_pool_threads(f->pool);
  double* work = CPS_TAKE(scratch, double, f->count);
  Places p = {.place = CPS_TAKE(scratch, Place, f->count + 1)};
  Task* task = CPS_TAKE(scratch, Task, f->count);
  f->task = CPS_TAKE(arena, int32_t, f->count);
  if (!work || !p.place || !task || !f->task) return false;
  add_work(f, work);
  double total = 0.0;
  for (int32_t s = 0; s < f->count; s++) total += f->super[s].parent < 0 ? work[s] : 0.0;
  if (threads > 1) cut(f, work, total * TASK_SHARE / threads, task);
  place_updates(f, &p);
  f->top = CPS_TAKE(arena, double, p.end);
  f->worker = CPS_TAKE(arena, double, f->worker_size* threads);
  f->rest = CPS_TAKE(arena, double, f->task_count > 0 ? 3 * border_nodes(f) : 0);
  return f->top && f->worker && f->rest;
}
