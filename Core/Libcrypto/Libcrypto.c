#define _GNU_SOURCE
#include "TenonLibcrypto.h"

#include <stdint.h>
#include <stdio.h>

void tenon_libcrypto_erase(void *bytes, size_t size) {
  volatile unsigned char *next = bytes;
  while (size--) *next++ = 0;
}

#if defined(__linux__) && !defined(__ANDROID__)

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static void *library;
static char opening_failure[256];

// Held for reading while a thread uses libcrypto; held for writing, for good, once the process ends.
static pthread_rwlock_t usage = PTHREAD_RWLOCK_INITIALIZER;

void tenon_libcrypto_enter(void) { pthread_rwlock_rdlock(&usage); }
void tenon_libcrypto_leave(void) { pthread_rwlock_unlock(&usage); }

// Runs before the exit handler of libcrypto, because it is registered after it.
static void stop_threads(void) {
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec++;
  pthread_rwlock_timedwrlock(&usage, &deadline);
}

static void open_library(void) {
  static const char *const names[] = {"libcrypto.so.3", "libcrypto.so.1.1"};
  for (size_t index = 0; !library && index < sizeof names / sizeof *names; index++) {
    library = dlopen(names[index], RTLD_NOW | RTLD_LOCAL);
    const char *reason = library ? NULL : dlerror();
    if (index == 0) snprintf(opening_failure, sizeof opening_failure, "%s", reason ? reason : names[index]);
  }
  if (!library) return;
  // Registers the exit handler of libcrypto.
  int (*initialize)(uint64_t options, const void *settings) = dlsym(library, "OPENSSL_init_crypto");
  if (initialize && initialize(0, NULL) == 1) {
    atexit(stop_threads);
  } else {
    library = NULL;
    snprintf(opening_failure, sizeof opening_failure, "it can't be initialized");
  }
}

int tenon_libcrypto_load(const TenonLibcryptoSymbol *symbols, size_t count, char *failure, size_t size) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_library);
  if (!library) {
    snprintf(failure, size, "%s", opening_failure);
    return 0;
  }
  for (size_t index = 0; index < count; index++) {
    void *found = dlsym(library, symbols[index].name);
    if (!found && symbols[index].older) found = dlsym(library, symbols[index].older);
    if (!found) {
      snprintf(failure, size, "it lacks %s", symbols[index].name);
      return 0;
    }
    *symbols[index].function = found;
  }
  return 1;
}

#else

int tenon_libcrypto_load(const TenonLibcryptoSymbol *symbols, size_t count, char *failure, size_t size) {
  snprintf(failure, size, "there is none on this platform");
  return 0;
}

void tenon_libcrypto_enter(void) {}
void tenon_libcrypto_leave(void) {}

#endif
