// Operations on threads that Swift doesn't offer: a thread-local pointer and a global counter that are each read in one
// instruction, and a memory barrier that one thread runs on behalf of all others (membarrier(2) on Linux). And information
// from the dynamic loader: which images contain a copy of Core. And a way to run before `main`, for programs that are inspected.
#ifndef TENON_THREADS_H
#define TENON_THREADS_H

#include <stddef.h>

/// The state that Core keeps for the calling thread; null until it is set. Read it through `tenon_thread_state`.
extern _Thread_local void *tenon_current_thread_state;

/// Not 0 where `tenon_fence_all_threads` reaches only the calling thread, so that every reader needs its own barrier. It
/// never returns to 0. Read it through `tenon_readers_must_fence`.
extern int tenon_readers_fence_themselves;

/// Returns the state of the calling thread, or null.
static inline void *tenon_thread_state(void) { return tenon_current_thread_state; }

/// Sets the calling thread's state.
///
/// - state: the state.
/// - release: called with the state when the thread ends, on that thread. It must be the same function in every call.
void tenon_set_thread_state(void *state, void (*release)(void *state));

/// Returns whether readers must run their own barriers. A relaxed load.
static inline int tenon_readers_must_fence(void) {
  return __atomic_load_n(&tenon_readers_fence_themselves, __ATOMIC_RELAXED);
}

/// Runs a full memory barrier on the calling thread and, where readers don't fence themselves, on every other running thread
/// of the process.
///
/// Returns 0 if the system refused to run the barrier on the other threads, although it had accepted the registration.
/// Readers must fence themselves from then on: `tenon_readers_must_fence` has changed, and the caller must inform each
/// thread.
int tenon_fence_all_threads(void);

/// Keeps the compiler from moving memory accesses across this point. It generates no instruction.
static inline void tenon_compiler_barrier(void) { __asm__ volatile("" : : : "memory"); }

/// A `tenon_compiler_barrier` that may also use what `address` points to, as far as the compiler can tell.
///
/// Core ends the read of a shared object here, after it has copied what it returns and before the store that lets other
/// threads release the object. The reference that the copy holds must have been counted by then. `address` is either
/// that of the object, to which the reader holds no reference, or that of the variable with the copy:
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

/// The number of override scopes in the process; see `Overrides`. Read it through `tenon_overrides_in_use`.
extern long tenon_override_count;

/// Returns the number of override scopes. A relaxed load.
static inline long tenon_overrides_in_use(void) {
  return __atomic_load_n(&tenon_override_count, __ATOMIC_RELAXED);
}

/// Adds to the number of override scopes. Atomic.
static inline void tenon_add_overrides(long count) {
  __atomic_fetch_add(&tenon_override_count, count, __ATOMIC_RELAXED);
}

/// Returns the size in bytes of the stack of a thread that is created without specifying one.
long tenon_thread_stack_size(void);

/// Returns whether the calling thread is the process's main thread.
int tenon_is_main_thread(void);

/// Returns the number of images (the executable, shared libraries) of the process that contain a copy of Core; 1 where this
/// can't be determined.
int tenon_count_core_images(void);

/// Returns whether no image that was loaded before the one with this copy of Core contains a copy, or 1 where this can't be
/// determined.
int tenon_is_first_core_image(void);

/// Returns the paths of the images with a copy of Core in the order in which they were loaded, terminated by a null pointer; null where this
/// can't be determined. The caller must free each path and the list.
///
/// - own: receives the index of the image that contains this copy; -1 if it isn't among them.
char **tenon_find_core_images(int *own);

/// Waits until a library that another thread is loading has run its initializers.
void tenon_await_loader(void);

/// Returns the file that a program which is only inspected must write, from the environment variable `TENON_INSPECT`; null if it
/// isn't set, is empty, or mustn't be trusted because the program runs with other privileges than its user.
const char *tenon_inspection_file(void);

/// Returns the names of the libraries that an inspection activates, separated by commas, from the environment variable
/// `TENON_INSPECT_LIBRARIES`; null for all libraries. As careful as `tenon_inspection_file`.
const char *tenon_inspected_libraries(void);

/// Returns whether the program is inspected by its first `App.configure`: with `TENON_INSPECT`, and the value `configure` of the
/// environment variable `TENON_INSPECT_AT`.
int tenon_is_inspected_at_configure(void);

/// Returns the types of this image that conform to Core's protocol `Library`, each as `Module.Type` on a line of its own; null if
/// they can't be found, which is so on other systems than Linux. The conformances are read as the ABI of Swift lays them out.
/// Types that are nested in others or in functions, and generic ones, are left out: they are used explicitly. The caller frees
/// the result with `tenon_free_linked_libraries`.
char *tenon_linked_libraries(void);

/// Frees the result of `tenon_linked_libraries`.
void tenon_free_linked_libraries(char *names);

/// Arranges for an action to run when all initializers of the program have run, before `main`. Called by an initializer.
///
/// Returns 0 if this is impossible: on other systems than Linux, or if the executable has no initializers.
///
/// - caller: the initializer that calls this. If it is the executable's last one, the action runs immediately.
/// - action: the action.
int tenon_run_before_main(void (*caller)(void), void (*action)(void));

/// Writes the result of an inspection to its file and ends the process, without running what is registered to run at its end.
/// The exit code is 70 (`EX_SOFTWARE`) if the file can't be written, which is reported on standard error.
///
/// - status: the exit code.
_Noreturn void tenon_end_inspection(const char *text, size_t size, int status);

/// Reports on standard error that the program can't be inspected, and ends the process with the exit code 70 (`EX_SOFTWARE`).
_Noreturn void tenon_refuse_inspection(void);

// On ELF, a symbol of one image can preempt that of another, so a second copy of Core in the process would share the state of
// its threads with the first. Protected symbols are visible to other images but can't be preempted.
#if defined(__ELF__)
#define TENON_OWN_SYMBOLS_BEGIN \
  _Pragma("clang attribute push(__attribute__((visibility(\"protected\"))), apply_to = any(function, variable(is_global)))")
#define TENON_OWN_SYMBOLS_END _Pragma("clang attribute pop")
#else
#define TENON_OWN_SYMBOLS_BEGIN
#define TENON_OWN_SYMBOLS_END
#endif

#endif
