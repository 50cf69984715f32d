public import Synchronization
public import TenonLocks

// The lock that all modules of this package use. ThreadSanitizer doesn't recognize the futex inside `Mutex`
// on Linux, so it is told when the lock is acquired and released. Other builds skip that.

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
@usableFromInline
package struct Lock<Value>: ~Copyable {
  @usableFromInline let mutex: Mutex<Value>

  /// Creates a lock that guards a value.
  ///
  /// - Parameter value: the initial value, to which the caller keeps no reference.
  @inlinable package init(_ value: consuming sending Value) { mutex = Mutex(value) }

  /// Calls `body` with exclusive access to the value and returns its result.
  ///
  /// `body` must not block and must not acquire the same lock: the lock isn't recursive. Code that user
  /// code could call back from (continuations, closures, deinitialisers) belongs outside `body`.
  ///
  /// - Parameter body: receives the value, which it may change. Its result must not share state with the
  ///   value, which the compiler checks.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws. Changes that it made before remain.
  // Inlinable, so that it is compiled for the value that is guarded. The compiler does that only if the type is
  // usable from inline.
  @inlinable
  package borrowing func withLock<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    if tenon_sanitizes_threads != 0 { return try withSanitizedLock(body) }
    return try mutex.withLock(body)
  }

  /// The form of `withLock` in a build for ThreadSanitizer. It reports the lock to it.
  @usableFromInline borrowing func withSanitizedLock<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    // A lock has an address, because it can't be copied and a mutex can't be moved.
    let address = withUnsafePointer(to: mutex) { UInt(bitPattern: $0) }
    return try mutex.withLock { (value: inout sending Value) throws(Failure) -> sending Result in
      // Before `value` is first accessed, which a call with its address would be.
      tenon_sanitizer_acquire(address)
      defer { tenon_sanitizer_release(address) }
      return try body(&value)
    }
  }
}

extension Lock: Sendable {}
