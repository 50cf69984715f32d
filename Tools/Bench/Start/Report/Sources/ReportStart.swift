#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Prints the time, in nanoseconds of the monotonic clock, which `tenon-bench` compares with that of the
/// start of the process.
package func reportStart() {
  #if !os(Windows)
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    print(time.tv_sec * 1_000_000_000 + time.tv_nsec)
  #endif
}
