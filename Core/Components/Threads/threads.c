#define _GNU_SOURCE
#include "TenonThreads.h"

#include <stdlib.h>

#if defined(_WIN32)
#include <windows.h>
#elif !defined(__wasi__)
#include <pthread.h>
#endif
#if defined(__linux__)
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

TENON_OWN_SYMBOLS_BEGIN

_Thread_local void *tenon_current_thread_state = 0;
int tenon_readers_fence_themselves = 1;
long tenon_override_count = 0;

// MARK: - The end of a thread

static void (*release_state)(void *state);

#if defined(_WIN32)
static DWORD key = FLS_OUT_OF_INDEXES;
static INIT_ONCE once = INIT_ONCE_STATIC_INIT;

static void NTAPI thread_ends(void *state) {
  tenon_current_thread_state = 0;
  if (state) release_state(state);
}

static BOOL CALLBACK make_key(PINIT_ONCE once, PVOID parameter, PVOID *context) {
  key = FlsAlloc(thread_ends);
  return TRUE;
}

void tenon_set_thread_state(void *state, void (*release)(void *state)) {
  release_state = release;
  InitOnceExecuteOnce(&once, make_key, 0, 0);
  FlsSetValue(key, state);
  tenon_current_thread_state = state;
}
#elif defined(__wasi__)
// One thread, which never ends.
void tenon_set_thread_state(void *state, void (*release)(void *state)) {
  release_state = release;
  tenon_current_thread_state = state;
}
#else
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void thread_ends(void *state) {
  // A later destructor may use Core again; it then gets a new state, and this runs once more.
  tenon_current_thread_state = 0;
  __atomic_load_n(&release_state, __ATOMIC_RELAXED)(state);
}

static void make_key(void) { pthread_key_create(&key, thread_ends); }

void tenon_set_thread_state(void *state, void (*release)(void *state)) {
  __atomic_store_n(&release_state, release, __ATOMIC_RELAXED);
  pthread_once(&once, make_key);
  pthread_setspecific(key, state);
  tenon_current_thread_state = state;
}
#endif

// MARK: - A barrier for all threads

#if defined(__linux__) && defined(SYS_membarrier)
// ThreadSanitizer doesn't model membarrier, so readers fence themselves under it.
#if !defined(__has_feature)
#define __has_feature(feature) 0
#endif
#if !__has_feature(thread_sanitizer)
__attribute__((constructor)) static void register_barrier(void) {
  int result = (int)syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
  if (result == 0) tenon_readers_fence_themselves = 0;
}
#endif

int tenon_fence_all_threads(void) {
  int has_run = 1;
  if (!tenon_readers_must_fence()) {
    // The registration doesn't guarantee success: a seccomp filter that was installed since may forbid the call.
    has_run = syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
    if (!has_run) __atomic_store_n(&tenon_readers_fence_themselves, 1, __ATOMIC_RELAXED);
  }
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  return has_run;
}
#else
int tenon_fence_all_threads(void) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  return 1;
}
#endif

// MARK: - Stacks

#if defined(_WIN32)
// The linker's default.
long tenon_thread_stack_size(void) { return 1024 * 1024; }
#elif defined(__wasi__)
long tenon_thread_stack_size(void) { return 128 * 1024; }
#else
long tenon_thread_stack_size(void) {
  pthread_attr_t attributes;
  size_t size = 0;
  if (pthread_attr_init(&attributes) == 0) {
    pthread_attr_getstacksize(&attributes, &size);
    pthread_attr_destroy(&attributes);
  }
  // The size on Darwin for secondary threads, the smallest of the systems that can be queried.
  return size > 0 ? (long)size : 512 * 1024;
}
#endif

// MARK: - The main thread

#if defined(__linux__)
int tenon_is_main_thread(void) { return syscall(SYS_gettid) == getpid(); }
#elif defined(__APPLE__)
int tenon_is_main_thread(void) { return pthread_main_np(); }
#elif defined(_WIN32)
// Constructors run on the main thread, which loads the executable.
static DWORD main_thread;
__attribute__((constructor)) static void note_main_thread(void) { main_thread = GetCurrentThreadId(); }
int tenon_is_main_thread(void) { return GetCurrentThreadId() == main_thread; }
#else
int tenon_is_main_thread(void) { return 1; }
#endif

TENON_OWN_SYMBOLS_END
