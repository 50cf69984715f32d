// Prints the time at which `main` begins. Links Core alone.
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

#if !os(Windows)
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  print(time.tv_sec * 1_000_000_000 + time.tv_nsec)
#endif
