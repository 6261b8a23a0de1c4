// The thread pool: workers that wait for the next loop, spinning a little before they sleep.
//
// The colours of a Gauss-Seidel sweep are loops of some ten microseconds, far less than it takes to wake a sleeping
// thread; so a worker that has just finished watches the loop counter for a short while, and only then sleeps on a
// condition variable. The caller works on the first range itself and waits for the others in the same way.
//
// `fn` must not call cps_pool_run() on the same pool, and one pool serves one calling thread at a time.
#include "core/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

// Looks at the counter before sleeping: some tens of microseconds, about what a sleep and a wake-up cost. Now and then
// the processor is offered to others: on a busy machine the thread that is waited for may need it.
enum { SPIN_COUNT = 2000, YIELD_EVERY = 100 };

typedef struct Worker {
  struct CpsPool* pool;
  pthread_t thread;
  int index;
} Worker;

struct CpsPool {
  int threads;  // the caller included
  int started;  // workers that run, at most threads - 1
  pthread_mutex_t mutex;
  pthread_cond_t start;
  pthread_cond_t done;
  atomic_uint_least64_t generation;  // raised, under the mutex, once per loop
  atomic_int pending;                // workers still busy with this loop
  atomic_bool stop;
  // the loop; written only while no worker is busy, published by `generation`
  CpsPoolFn fn;
  void* data;
  int64_t count;
  Worker worker[];  // threads - 1
};

static void relax(int spin) {
  if (spin % YIELD_EVERY == YIELD_EVERY - 1) sched_yield();
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

// Worker `index` of `threads` takes one contiguous range; the first count % threads ranges are one item longer.
static void run_range(const CpsPool* pool, int index) {
  int64_t size = pool->count / pool->threads, rest = pool->count % pool->threads;
  int64_t first = index * size + (index < rest ? index : rest);
  int64_t last = first + size + (index < rest ? 1 : 0);
  if (first < last) pool->fn(pool->data, first, last, index);
}

// Returns when the counter has left `seen`.
static void wait_for_loop(CpsPool* pool, uint_least64_t seen) {
  for (int spin = 0; spin < SPIN_COUNT; spin++) {
    if (atomic_load_explicit(&pool->generation, memory_order_acquire) != seen) return;
    relax(spin);
  }
  pthread_mutex_lock(&pool->mutex);
  while (atomic_load_explicit(&pool->generation, memory_order_acquire) == seen) {
    pthread_cond_wait(&pool->start, &pool->mutex);
  }
  pthread_mutex_unlock(&pool->mutex);
}

static void wait_for_workers(CpsPool* pool) {
  for (int spin = 0; spin < SPIN_COUNT; spin++) {
    if (atomic_load_explicit(&pool->pending, memory_order_acquire) == 0) return;
    relax(spin);
  }
  pthread_mutex_lock(&pool->mutex);
  while (atomic_load_explicit(&pool->pending, memory_order_acquire) != 0) {
    pthread_cond_wait(&pool->done, &pool->mutex);
  }
  pthread_mutex_unlock(&pool->mutex);
}

static void* worker_main(void* argument) {
  Worker* worker = argument;
  CpsPool* pool = worker->pool;
  for (uint_least64_t seen = 0;; seen++) {
    wait_for_loop(pool, seen);
    if (atomic_load_explicit(&pool->stop, memory_order_acquire)) return NULL;
    run_range(pool, worker->index);
    // The last one wakes the caller. Taking the mutex closes the gap between the caller's test and its sleep.
    if (atomic_fetch_sub_explicit(&pool->pending, 1, memory_order_acq_rel) == 1) {
      pthread_mutex_lock(&pool->mutex);
      pthread_cond_signal(&pool->done);
      pthread_mutex_unlock(&pool->mutex);
    }
  }
}

static void announce(CpsPool* pool) {
  pthread_mutex_lock(&pool->mutex);
  atomic_fetch_add_explicit(&pool->generation, 1, memory_order_release);
  pthread_cond_broadcast(&pool->start);
  pthread_mutex_unlock(&pool->mutex);
}

CpsPool* cps_pool_create(int threads) {
  if (threads < 1) return NULL;
  CpsPool* pool = calloc(1, sizeof *pool + (size_t)(threads - 1) * sizeof(Worker));
  if (pool == NULL) return NULL;
  pool->threads = threads;
  atomic_init(&pool->generation, 0);
  atomic_init(&pool->pending, 0);
  atomic_init(&pool->stop, false);
  if (pthread_mutex_init(&pool->mutex, NULL) != 0) goto no_mutex;
  if (pthread_cond_init(&pool->start, NULL) != 0) goto no_start;
  if (pthread_cond_init(&pool->done, NULL) != 0) goto no_done;
  for (int k = 0; k < threads - 1; k++) {
    Worker* worker = &pool->worker[k];
    worker->pool = pool;
    worker->index = k + 1;
    if (pthread_create(&worker->thread, NULL, worker_main, worker) != 0) {
      cps_pool_destroy(pool);
      return NULL;
    }
    pool->started++;
  }
  return pool;

no_done:
  pthread_cond_destroy(&pool->start);
no_start:
  pthread_mutex_destroy(&pool->mutex);
no_mutex:
  free(pool);
  return NULL;
}

void cps_pool_destroy(CpsPool* pool) {
  if (pool == NULL) return;
  atomic_store_explicit(&pool->stop, true, memory_order_release);
  announce(pool);
  for (int k = 0; k < pool->started; k++) pthread_join(pool->worker[k].thread, NULL);
  pthread_cond_destroy(&pool->done);
  pthread_cond_destroy(&pool->start);
  pthread_mutex_destroy(&pool->mutex);
  free(pool);
}

int cps_pool_threads(const CpsPool* pool) {
  return pool == NULL ? 1 : pool->threads;
}

void cps_pool_run(CpsPool* pool, int64_t count, CpsPoolFn fn, void* data) {
  if (count <= 0) return;
  if (pool == NULL || pool->threads == 1 || count == 1) {
    fn(data, 0, count, 0);
    return;
  }
  pool->fn = fn;
  pool->data = data;
  pool->count = count;
  atomic_store_explicit(&pool->pending, pool->threads - 1, memory_order_relaxed);
  announce(pool);
  run_range(pool, 0);
  wait_for_workers(pool);
}
