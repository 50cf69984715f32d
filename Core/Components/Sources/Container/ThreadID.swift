#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(WinSDK)
  import WinSDK
#endif

/// Tells threads apart. Creations run on one thread from beginning to end, so a thread stands for what it is
/// creating.
struct ThreadID: Hashable, Sendable {
  private let number: UInt

  static var current: ThreadID {
    #if canImport(Darwin)
      ThreadID(number: UInt(bitPattern: pthread_self()))
    #elseif os(Windows)
      ThreadID(number: UInt(GetCurrentThreadId()))
    #else
      ThreadID(number: UInt(pthread_self()))
    #endif
  }
}
