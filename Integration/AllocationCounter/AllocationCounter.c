// Counts the allocations of a thread by wrapping glibc's `malloc`, which Swift's runtime uses for every
// object. Only executables that measure allocations link it.
//
// Each thread has its own counter, because after its configuration a container looks for dropped
// registrations on a separate thread, whose allocations must not count.
#include "AllocationCounter.h"

#include <stdlib.h>

#if defined(__GLIBC__)
static _Thread_local long count;

void *__libc_malloc(size_t size);

void *malloc(size_t size) {
  count += 1;
  return __libc_malloc(size);
}

long allocation_count(void) { return count; }
#else
long allocation_count(void) { return -1; }
#endif
