// What Core needs of threads and Swift can't say: a thread-local pointer and a global counter that are read in one
// instruction, and a memory barrier that one thread runs on behalf of all others (membarrier(2) on Linux).
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

/// The path of the executable or shared library that holds this copy of Core; null if it can't be told. Free it.
char *tenon_image_path(void);

#endif
