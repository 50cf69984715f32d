// What Core needs of threads and Swift can't say: a thread-local pointer and a global counter that are read in one
// instruction, and a memory barrier that one thread runs on behalf of all others (membarrier(2) on Linux). And what it
// needs of the loader: which images hold a copy of Core.
#ifndef TENON_THREADS_H
#define TENON_THREADS_H

/// The state that Core keeps for the calling thread. Read it through `tenon_thread_state`.
extern _Thread_local void *tenon_current_thread_state;

/// Not 0 where `tenon_fence_all_threads` does nothing, so that every reader needs a barrier of its own.
extern int tenon_readers_fence_themselves;

static inline void *tenon_thread_state(void) { return tenon_current_thread_state; }

/// Sets the calling thread's state. `release` is called with it when the thread ends.
void tenon_set_thread_state(void *state, void (*release)(void *state));

static inline int tenon_readers_must_fence(void) { return tenon_readers_fence_themselves; }

/// Returns after every running thread of the process has passed a full memory barrier.
void tenon_fence_all_threads(void);

/// How many override scopes exist in the process; see `Overrides`. Read it through `tenon_overrides_in_use`.
extern long tenon_override_count;

static inline long tenon_overrides_in_use(void) {
  return __atomic_load_n(&tenon_override_count, __ATOMIC_RELAXED);
}

/// Adds to the number of override scopes.
static inline void tenon_add_overrides(long count) {
  __atomic_fetch_add(&tenon_override_count, count, __ATOMIC_RELAXED);
}

/// Not 0 on the process's main thread.
int tenon_is_main_thread(void);

/// How many images (the executable, shared libraries) of the process hold a copy of Core.
int tenon_count_core_images(void);

/// The paths of these images in the order in which they were loaded, with a null at the end. Free each, and the list.
///
/// - own: where to put the index of the image that holds this copy; -1 if it isn't among them.
char **tenon_find_core_images(int *own);

/// Waits until a library that another thread is loading has run its initializers.
void tenon_await_loader(void);

// Where a symbol of one image can stand in for that of another (ELF), a second copy of Core in the process would share
// the state of its threads with the first. Protected symbols are seen from other images, but each has its own.
#if defined(__ELF__)
#define TENON_OWN_SYMBOLS_BEGIN \
  _Pragma("clang attribute push(__attribute__((visibility(\"protected\"))), apply_to = any(function, variable(is_global)))")
#define TENON_OWN_SYMBOLS_END _Pragma("clang attribute pop")
#else
#define TENON_OWN_SYMBOLS_BEGIN
#define TENON_OWN_SYMBOLS_END
#endif

#endif
