#include "sparse/strip_loop.h"

#include <stdatomic.h>

enum { CHUNKS_PER_THREAD = 8 };

typedef struct Loop {
  CpsStripWork work;
  void* data;
  int32_t begin, end, chunk;
  atomic_int next;
} Loop;

static void take_chunks(void* data, int64_t first, int64_t last, int worker) {
  (void)first, (void)last, (void)worker;
  Loop* loop = data;
  for (;;) {
    int32_t end = loop->end - loop->chunk * atomic_fetch_add_explicit(&loop->next, 1, memory_order_relaxed);
    if (end <= loop->begin) return;
    loop->work(loop->data, end - loop->chunk > loop->begin ? end - loop->chunk : loop->begin, end);
  }
}

void cps_strip_loop(CpsPool* pool, int32_t begin, int32_t end, int32_t chunk, CpsStripWork work, void* data) {
  int threads = cps_pool_threads(pool);
  if (end <= begin) return;
  if (threads == 1 || end - begin < 4 * chunk) {
    work(data, begin, end);
    return;
  }
  // several chunks per thread, so that none waits long for the others at the end
  int32_t share = (end - begin) / (CHUNKS_PER_THREAD * threads);
  if (share > chunk) chunk = share / 2 * 2;
  Loop loop = {.work = work, .data = data, .begin = begin, .end = end, .chunk = chunk};
  atomic_init(&loop.next, 0);
  cps_pool_run(pool, threads, take_chunks, &loop);
}
