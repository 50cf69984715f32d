// What Core needs of threads and Swift can't say: a thread-local pointer and a global counter that are read in one
// instruction, and a memory barrier that one thread runs on behalf of all others (membarrier(2) on Linux). And what it
// needs of the loader: which images hold a copy of Core.
#ifndef TENON_THREADS_H
#define TENON_THREADS_H

/// The state that Core keeps for the calling thread. Read it through `tenon_thread_state`.
extern _Thread_local void *tenon_current_thread_state;

/// Not 0 where `tenon_fence_all_threads` reaches the calling thread only, so that every reader needs a barrier of its
/// own. It never returns to 0.
extern int tenon_readers_fence_themselves;

static inline void *tenon_thread_state(void) { return tenon_current_thread_state; }

/// Sets the calling thread's state. `release` is called with it when the thread ends.
void tenon_set_thread_state(void *state, void (*release)(void *state));

static inline int tenon_readers_must_fence(void) {
  return __atomic_load_n(&tenon_readers_fence_themselves, __ATOMIC_RELAXED);
}

/// Runs a full memory barrier on the calling thread and, where readers don't fence themselves, on every other running
/// thread of the process.
///
/// Returns 0 if the system refused to run the barrier on the other threads, although it had agreed to before. Readers
/// must fence themselves from then on: `tenon_readers_must_fence` has changed, and each thread needs to be told.
int tenon_fence_all_threads(void);

/// Keeps the compiler from moving memory accesses across this point. It costs no instruction.
static inline void tenon_compiler_barrier(void) { __asm__ volatile("" : : : "memory"); }

/// A `tenon_compiler_barrier` that may also use what `address` points to, as far as the compiler can tell.
///
/// Core ends the read of a shared object here, after it has copied what it returns and before the store that lets other
/// threads release the object. The reference that the copy holds must have been counted by then. `address` is either
/// that of the object, to which the reader has no reference of its own, or that of the variable with the copy:
///
/// - For Swift's optimizer this is a call of a foreign function that gets the address. The function may release the
///   object, and with it what the object refers to, or replace the variable's value, which releases the old one. So a
///   copy of what was in the object must own its value when the call is made; neither the retain nor the copy can be
///   moved behind it, nor can a variable be replaced by the memory that it was copied from. A store alone doesn't have
///   this effect: the optimizer knows that a store, even an atomic one, releases nothing, and moves retains across it.
/// - For LLVM, once this is inlined, it is an `asm volatile` that accesses all memory. LLVM moves no call that may access
///   memory across it, and `swift_retain` is one.
/// - For the processor, the reference count is changed by a read-modify-write operation that precedes a store with
///   release ordering, which on arm64 as on x86 becomes visible after everything before it.
static inline void tenon_settle(void *address) { __asm__ volatile("" : : "r"(address) : "memory"); }

/// How many override scopes exist in the process; see `Overrides`. Read it through `tenon_overrides_in_use`.
extern long tenon_override_count;

static inline long tenon_overrides_in_use(void) {
  return __atomic_load_n(&tenon_override_count, __ATOMIC_RELAXED);
}

/// Adds to the number of override scopes.
static inline void tenon_add_overrides(long count) {
  __atomic_fetch_add(&tenon_override_count, count, __ATOMIC_RELAXED);
}

/// The size in bytes of the stack that a thread gets that doesn't ask for another size.
long tenon_thread_stack_size(void);

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
