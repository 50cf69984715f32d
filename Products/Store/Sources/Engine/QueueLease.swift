#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Which of the processes that use a database sends its writes: the one that holds the lock on a file beside it. The lock
/// goes with its process, however that ends.
final class QueueLease {
  private let path: String?
  private var descriptor: Int32 = -1

  /// - Parameter database: the database's file; `nil` for one in memory, which belongs to this process anyway.
  init(database: String?) { path = database.map { $0 + "-queue" } }

  deinit { release() }

  /// Whether this process holds the lock; it tries to get it.
  func isHeld() -> Bool {
    #if os(Windows) || os(WASI)
      return true
    #else
      guard let path, descriptor < 0 else { return true }
      let opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      // Without a file to lock, waiting writes go first.
      guard opened >= 0 else { return true }
      guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
        close(opened)
        return false
      }
      descriptor = opened
      return true
    #endif
  }

  /// Lets another process send.
  func release() {
    #if !os(Windows) && !os(WASI)
      if descriptor >= 0 { close(descriptor) }
      descriptor = -1
    #endif
  }
}
