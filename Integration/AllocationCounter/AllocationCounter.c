// Counts a process's allocations by standing in front of glibc's `malloc`, which Swift's runtime uses for every
// object. Only executables that measure link it.
#include "AllocationCounter.h"

#include <stdlib.h>

#if defined(__GLIBC__)
#include <stdatomic.h>

static atomic_long count;

void *__libc_malloc(size_t size);

void *malloc(size_t size) {
  atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
  return __libc_malloc(size);
}

long allocation_count(void) { return atomic_load_explicit(&count, memory_order_relaxed); }
#else
long allocation_count(void) { return -1; }
#endif
