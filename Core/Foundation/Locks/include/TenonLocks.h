// What ThreadSanitizer must be told about locks: it doesn't recognize the futex inside Swift's `Mutex` on Linux, and would report
// races in code that a mutex guards. Only C code is compiled differently for the sanitizer, so this is a question at run time.
#ifndef TENON_LOCKS_H
#define TENON_LOCKS_H

#include <stdint.h>

/// Not 0 in a build for ThreadSanitizer.
extern const int tenon_sanitizes_threads;

/// Tells ThreadSanitizer of an acquired lock. Only in a build for it.
void tenon_sanitizer_acquire(uintptr_t lock);

/// Tells ThreadSanitizer of a lock that is about to be released. Only in a build for it.
void tenon_sanitizer_release(uintptr_t lock);

#endif
