// Counts a thread's allocations by standing in front of glibc's `malloc`, which Swift's runtime uses for every
// object. Only executables that measure link it.
//
// By thread, because a container looks for dropped registrations on a thread of its own after it was configured: what
// that allocates has nothing to do with what the measuring thread does.
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
