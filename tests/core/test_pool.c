// The thread pool: every item once, by one worker, before cps_pool_run() returns.
// labels: threads
#include "core/pool.h"
#include "test_helpers.h"

#include <string.h>
#include <time.h>

enum { ITEMS = 1000 };

typedef struct Tally {
  int visits[ITEMS];
  int worker[ITEMS];
} Tally;

static void tally(void* data, int64_t first, int64_t last, int worker) {
  Tally* t = data;
  for (int64_t i = first; i < last; i++) {
    t->visits[i]++;
    t->worker[i] = worker;
  }
}

static void check_tally(CpsPool* pool, int64_t count) {
  Tally t;
  memset(&t, 0, sizeof t);
  cps_pool_run(pool, count, tally, &t);
  for (int i = 0; i < ITEMS; i++) assert_int_equal(t.visits[i], i < count ? 1 : 0);
  // Ranges are contiguous and in the order of the workers.
  for (int i = 1; i < count; i++) assert_true(t.worker[i] >= t.worker[i - 1]);
  if (count > 0) assert_in_range(t.worker[count - 1], 0, (unsigned)cps_pool_threads(pool) - 1);
}

static void each_item_is_visited_once_for_any_count_and_threads(void** state) {
  (void)state;
  static const int64_t counts[] = {0, 1, 2, 3, 5, 7, 64, 999, ITEMS};
  for (int threads = 1; threads <= 5; threads++) {
    CpsPool* pool = cps_pool_create(threads);
    assert_non_null(pool);
    assert_int_equal(cps_pool_threads(pool), threads);
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) check_tally(pool, counts[k]);
    cps_pool_destroy(pool);
  }
}

static void no_pool_means_the_calling_thread(void** state) {
  (void)state;
  assert_int_equal(cps_pool_threads(NULL), 1);
  check_tally(NULL, 17);
  cps_pool_destroy(NULL);
}

// A later loop reads what an earlier one wrote in another thread: run under ThreadSanitizer this proves the ordering.
static void shift_sum(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  int64_t(*rows)[ITEMS] = data;
  for (int64_t i = first; i < last; i++) rows[1][i] = rows[0][(i + 331) % ITEMS] + 1;
}

static void a_loop_sees_the_writes_of_the_one_before(void** state) {
  (void)state;
  static int64_t rows[2][ITEMS];
  memset(rows, 0, sizeof rows);
  CpsPool* pool = cps_pool_create(3);
  assert_non_null(pool);
  enum { LOOPS = 2000 };
  for (int k = 0; k < LOOPS; k++) {
    cps_pool_run(pool, ITEMS, shift_sum, rows);
    memcpy(rows[0], rows[1], sizeof rows[0]);
  }
  for (int i = 0; i < ITEMS; i++) assert_int_equal(rows[0][i], LOOPS);
  cps_pool_destroy(pool);
}

static void workers_that_fell_asleep_wake_up(void** state) {
  (void)state;
  CpsPool* pool = cps_pool_create(3);
  assert_non_null(pool);
  for (int k = 0; k < 5; k++) {
    struct timespec pause = {.tv_nsec = 5000000};  // 5 ms: long past the spinning
    nanosleep(&pause, NULL);
    check_tally(pool, 100);
  }
  cps_pool_destroy(pool);
}

static void a_slow_worker_is_waited_for(void* data, int64_t first, int64_t last, int worker) {
  if (worker > 0) {
    struct timespec pause = {.tv_nsec = 5000000};  // the caller goes to sleep meanwhile
    nanosleep(&pause, NULL);
  }
  for (int64_t i = first; i < last; i++) ((int*)data)[i] = 1;
}

static void run_returns_after_the_slowest_worker(void** state) {
  (void)state;
  CpsPool* pool = cps_pool_create(4);
  assert_non_null(pool);
  for (int k = 0; k < 3; k++) {
    int seen[8] = {0};
    cps_pool_run(pool, 8, a_slow_worker_is_waited_for, seen);
    for (int i = 0; i < 8; i++) assert_int_equal(seen[i], 1);
  }
  cps_pool_destroy(pool);
}

static void a_pool_without_threads_is_refused(void** state) {
  (void)state;
  assert_null(cps_pool_create(0));
  assert_null(cps_pool_create(-3));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_item_is_visited_once_for_any_count_and_threads),
      cmocka_unit_test(no_pool_means_the_calling_thread),
      cmocka_unit_test(a_loop_sees_the_writes_of_the_one_before),
      cmocka_unit_test(workers_that_fell_asleep_wake_up),
      cmocka_unit_test(run_returns_after_the_slowest_worker),
      cmocka_unit_test(a_pool_without_threads_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
