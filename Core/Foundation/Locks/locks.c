#include "TenonLocks.h"

#if !defined(__has_feature)
#define __has_feature(feature) 0
#endif

#if __has_feature(thread_sanitizer)
// Of the sanitizer's runtime library.
void __tsan_acquire(void *address);
void __tsan_release(void *address);

const int tenon_sanitizes_threads = 1;
void tenon_sanitizer_acquire(uintptr_t lock) { __tsan_acquire((void *)lock); }
void tenon_sanitizer_release(uintptr_t lock) { __tsan_release((void *)lock); }
#else
const int tenon_sanitizes_threads = 0;
void tenon_sanitizer_acquire(uintptr_t lock) {}
void tenon_sanitizer_release(uintptr_t lock) {}
#endif
