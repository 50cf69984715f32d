// How many bytes of the heap are in use; 0 where that can't be told.
#ifndef TENON_BENCH_HEAP_H
#define TENON_BENCH_HEAP_H

#include <stddef.h>
#include <stdlib.h>
#if defined(__GLIBC__)
#include <malloc.h>
static inline size_t heap_bytes_in_use(void) { return mallinfo2().uordblks; }
#else
static inline size_t heap_bytes_in_use(void) { return 0; }
#endif

#endif
