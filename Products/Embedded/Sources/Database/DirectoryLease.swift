import TenonFoundation

/// A lock on a file that every process holds while it uses the database. The system releases the lock when a
/// process ends, however it ends.
///
/// The first process finds the lock free, and can delete what processes that ended left behind. On Windows a
/// lock can't be shared, so that there is none and no process is ever known to be the first.
final class DirectoryLease {
  private let lock: FileLock
  /// Whether this process holds the lock alone, until it calls ``share()``.
  var isExclusive: Bool { lock.isExclusive }

  /// Acquires the lock: exclusively if no other process holds it, or else together with the others. The
  /// file is created if necessary and never deleted. If it can't be opened, there is no lock.
  init(_ path: String) {
    lock = FileLock(path)
    #if !os(Windows)
      if (try? lock.acquire()) != true { share() }
    #endif
  }

  /// Lets other processes hold the lock as well. Waits for one that is just cleaning up.
  func share() { try? lock.share() }
}
