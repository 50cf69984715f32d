// The bytes of the heap that are in use; 0 where the C library doesn't report them.
#ifndef TENON_HEAP_H
#define TENON_HEAP_H

#include <stddef.h>
#include <stdlib.h>
#if defined(__GLIBC__)
#include <malloc.h>
static inline size_t heap_bytes_in_use(void) { return mallinfo2().uordblks; }
// The bytes of blocks that are so large that each has its own mapping. The above doesn't include them.
static inline size_t heap_bytes_mapped(void) { return mallinfo2().hblkhd; }
#else
static inline size_t heap_bytes_in_use(void) { return 0; }
static inline size_t heap_bytes_mapped(void) { return 0; }
#endif

#endif
