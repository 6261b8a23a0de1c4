// Allocations that fail on demand. Link with --wrap for malloc, calloc, realloc, aligned_alloc and posix_memalign
// (tests/CMakeLists.txt does so for test files whose name has "allocation" in it); then the calls of the library and of
// the static libraries under it come here first. Calls inside shared libraries (SuiteSparse, HDF5) are not seen, except
// where they are handed these functions.
#ifndef CAPSTAN_TESTS_FAILING_MEMORY_H
#define CAPSTAN_TESTS_FAILING_MEMORY_H

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

void* __real_malloc(size_t size);
void* __real_calloc(size_t count, size_t size);
void* __real_realloc(void* memory, size_t size);
void* __real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void** memory, size_t alignment, size_t size);
void* __wrap_malloc(size_t size);
void* __wrap_calloc(size_t count, size_t size);
void* __wrap_realloc(void* memory, size_t size);
void* __wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void** memory, size_t alignment, size_t size);

static int allocations_left = INT_MAX;  // the next so many succeed, then one fails
static bool keep_failing = false;       // and all after it too, until stop_failing()
static bool allocation_failed = false;

static inline bool refuse(void) {
  if (allocations_left == INT_MAX) return false;
  if (allocations_left > 0) {
    allocations_left--;
    return false;
  }
  if (!keep_failing) allocations_left = INT_MAX;
  allocation_failed = true;
  return true;
}

void* __wrap_malloc(size_t size) {
  return refuse() ? NULL : __real_malloc(size);
}
void* __wrap_calloc(size_t count, size_t size) {
  return refuse() ? NULL : __real_calloc(count, size);
}
void* __wrap_realloc(void* memory, size_t size) {
  return refuse() ? NULL : __real_realloc(memory, size);
}
void* __wrap_aligned_alloc(size_t alignment, size_t size) {
  return refuse() ? NULL : __real_aligned_alloc(alignment, size);
}
int __wrap_posix_memalign(void** memory, size_t alignment, size_t size) {
  return refuse() ? ENOMEM : __real_posix_memalign(memory, alignment, size);
}

static inline void fail_allocation(int number) {
  allocations_left = number;
  allocation_failed = false;
}
static inline void stop_failing(void) {
  allocations_left = INT_MAX;
}

// Set-up functions of tests that run twice: with one allocation failing, and with all from one on.
static inline int fail_one(void** state) {
  (void)state;
  keep_failing = false;
  return 0;
}
static inline int fail_the_rest(void** state) {
  (void)state;
  keep_failing = true;
  return 0;
}

#endif
