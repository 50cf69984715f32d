#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// A lock on a file that every process holds while it uses the database. The system releases the lock when a
/// process ends, however it ends.
///
/// The first process finds the lock free, and can delete what processes that ended left behind. Windows has
/// no such lock here, so that no process is ever known to be the first.
final class DirectoryLease {
  /// Whether this process holds the lock alone, until it calls ``share()``.
  private(set) var isExclusive = false

  #if os(Windows)
    /// Does nothing.
    init(_ path: String) {}

    /// Does nothing.
    func share() {}
  #else
    /// The descriptor of the lock file, -1 if it can't be opened.
    private let descriptor: Int32

    /// Acquires the lock: exclusively if no other process holds it, or else together with the others. The
    /// file is created if necessary and never deleted. If it can't be opened, there is no lock.
    init(_ path: String) {
      descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      isExclusive = descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0
      if !isExclusive { share() }
    }

    /// Lets other processes hold the lock as well. Waits for one that is just cleaning up.
    func share() {
      guard descriptor >= 0 else { return }
      while flock(descriptor, LOCK_SH) != 0, errno == EINTR {}
      isExclusive = false
    }

    deinit { if descriptor >= 0 { _ = close(descriptor) } }
  #endif
}
