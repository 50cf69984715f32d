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

// The one lock of this package. ThreadSanitizer doesn't see the futex inside `Mutex` on Linux and blames code
// that is guarded by it, so builds for the sanitizer (`-Xswiftc -DTSAN`) use a pthread mutex, which it sees.

#if TSAN
  /// A value that is reached by one thread at a time.
  ///
  /// `@unchecked Sendable`: `value` is only touched between `pthread_mutex_lock` and `pthread_mutex_unlock`.
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
  /// A value that is reached by one thread at a time.
  package struct Lock<Value>: ~Copyable {
    private let mutex: Mutex<Value>

    /// Guards a value.
    package init(_ value: consuming sending Value) { mutex = Mutex(value) }

    /// Runs `body` with exclusive access to the value. `body` must not wait and must not enter the lock again.
    package borrowing func withLock<Result, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      try mutex.withLock(body)
    }
  }

  extension Lock: Sendable {}
#endif
