#if TSAN
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Darwin)
    import Darwin
  #endif
#else
  import Synchronization
#endif

// The lock that all modules of this package use. ThreadSanitizer doesn't recognize the futex inside `Mutex`
// on Linux and reports races in code that it guards, so builds for the sanitizer (`-Xswiftc -DTSAN`) use a
// pthread mutex instead.

#if TSAN
  /// A value that one thread accesses at a time, guarded by a pthread mutex: the form of the lock in builds
  /// for ThreadSanitizer. The contracts are those of the other form.
  ///
  /// `@unchecked Sendable`: `value` is accessed only between `pthread_mutex_lock` and `pthread_mutex_unlock`.
  package final class Lock<Value>: @unchecked Sendable {
    private var value: Value
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    package init(_ value: sending Value) {
      self.value = value
      mutex = .allocate(capacity: 1)
      pthread_mutex_init(mutex, nil)
    }

    deinit {
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
    }

    package func withLock<Result, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return try body(&value)
    }
  }
#else
  /// A value that one thread accesses at a time.
  ///
  /// Declare it as a `let` property of what it belongs to. The value is stored in place, without an
  /// allocation. Nothing may rely on the order in which waiting threads get the lock.
  ///
  /// ```swift
  /// final class Counter: Sendable {
  ///   private let count = Lock(0)
  ///
  ///   func next() -> Int {
  ///     count.withLock { count in
  ///       count += 1
  ///       return count
  ///     }
  ///   }
  /// }
  /// ```
  package struct Lock<Value>: ~Copyable {
    private let mutex: Mutex<Value>

    /// Creates a lock that guards a value.
    ///
    /// - Parameter value: the initial value, to which the caller keeps no reference.
    package init(_ value: consuming sending Value) { mutex = Mutex(value) }

    /// Calls `body` with exclusive access to the value and returns its result.
    ///
    /// `body` must not block and must not acquire the same lock: the lock isn't recursive. Code that user
    /// code could call back from (continuations, closures, deinitialisers) belongs outside `body`.
    ///
    /// - Parameter body: receives the value, which it may change. Its result must not share state with the
    ///   value, which the compiler checks.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws. Changes that it made before remain.
    package borrowing func withLock<Result, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      try mutex.withLock(body)
    }
  }

  extension Lock: Sendable {}
#endif
