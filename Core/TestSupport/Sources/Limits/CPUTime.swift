#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Measures how the cost of an operation grows with the size of its input.
///
/// The cost is the processor time of the calling thread, which other processes and threads don't add to, so a
/// test on a busy machine measures nearly the same as on a quiet one. Where the system doesn't tell that
/// time, it is the time that passes.
///
/// ```swift
/// let growth = CPUTime.growth(from: 1_000, by: 16) { _ = [Int](repeating: 1, count: $0).reduce(0, +) }
/// #expect(growth < CPUTime.limit(ofLinear: 16))
/// ```
package enum CPUTime {
  /// Returns how many times as long an operation takes for a larger input: the factor itself if its cost is
  /// linear, and the square of the factor if it is quadratic.
  ///
  /// The operation runs three times for each size, and the shortest times count.
  ///
  /// - Parameters:
  ///   - size: the smaller size. The operation should take a millisecond or more for it.
  ///   - factor: how many times as large the larger size is.
  ///   - operation: the operation. It must do its work on the calling thread.
  /// - Returns: the quotient of the two times.
  /// - Throws: the errors of the operation.
  package static func growth(
    from size: Int, by factor: Int, _ operation: (_ size: Int) throws -> Void
  ) rethrows -> Double {
    func shortest(_ size: Int) throws -> Duration {
      var shortest = Duration.seconds(3_600)
      for _ in 0..<3 {
        let start = now
        try operation(size)
        shortest = min(shortest, now - start)
      }
      return shortest
    }
    // A small input may take less than the clock can measure.
    let small = max(try shortest(size), .microseconds(10))
    return try shortest(size * factor) / small
  }

  /// Returns the growth that a test of a linear operation accepts: three times the factor, because larger
  /// inputs use the caches of the processor less. A factor above 3 tells linear from quadratic costs, and one
  /// of 16 does so clearly.
  package static func limit(ofLinear factor: Int) -> Double { 3 * Double(factor) }

  /// The processor time that the calling thread has used.
  private static var now: Duration {
    #if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    #else
      return start.duration(to: .now)
    #endif
  }

  #if !(canImport(Glibc) || canImport(Musl) || canImport(Darwin))
    private static let start = ContinuousClock.now
  #endif
}
