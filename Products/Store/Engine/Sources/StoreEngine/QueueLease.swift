import TenonCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(WinSDK)
  import WinSDK
#endif

/// Elects the process that sends the queued writes among those that use a database: the one that holds an
/// exclusive lock on a file next to the database.
///
/// The operating system releases the lock when the process ends, for whatever reason. A suspended process
/// (`SIGSTOP`) keeps it, because it continues with its batches when it resumes.
///
/// The lock is that of flock(2) on Unix, which belongs to the open file description, and the share mode of
/// `CreateFileW` on Windows. Two engines in one process therefore exclude each other as well. The file has
/// the name of the database followed by `-queue`; it is empty, and remains when the lease is released.
/// Confined to the engine's executor; the lock is released at the latest when the object is deallocated.
final class QueueLease: SendingLease {
  private let path: String
  private let logger: AppLogger
  private var hasReported = false

  /// Creates a lease that isn't held. The lock file is created when it is first acquired.
  ///
  /// - Parameters:
  ///   - database: the path of the database file.
  ///   - logger: receives an error if the lock file can't be opened.
  init(database: String, logger: AppLogger) {
    path = "\(database)-queue"
    self.logger = logger
  }

  deinit { close() }

  #if os(WASI)
    // There are no other processes on this platform.
    func acquire() -> Bool { true }
    func release() {}
    private func close() {}
  #elseif os(Windows)
    private var file: HANDLE?

    /// Acquires the lock without waiting; no effect if it is held.
    ///
    /// - Returns: whether it is held. `false` also if the file can't be opened, in which case the writes stay
    ///   queued.
    func acquire() -> Bool {
      if file != nil { return true }
      // With a share mode of 0, no other process can open the file.
      let handle: HANDLE? = path.withCString(encodedAs: UTF16.self) {
        CreateFileW(
          $0, UInt32(GENERIC_READ) | UInt32(GENERIC_WRITE), 0, nil, DWORD(OPEN_ALWAYS),
          DWORD(FILE_ATTRIBUTE_NORMAL), nil)
      }
      guard let handle, handle != INVALID_HANDLE_VALUE else { return false }
      file = handle
      return true
    }

    func release() { close() }

    private func close() {
      if let file { CloseHandle(file) }
      file = nil
    }
  #else
    private var descriptor: Int32 = -1
    private var isHeld = false

    /// Acquires the lock without waiting; no effect if it is held.
    ///
    /// A lock on a file that was deleted in the meantime doesn't exclude processes that open a new one. The
    /// file is therefore opened again until the locked file is the one at the path, at most three times.
    ///
    /// - Returns: whether it is held. `false` also if the file can't be opened, which is logged once; the
    ///   writes stay queued then.
    func acquire() -> Bool {
      if isHeld { return true }
      // If the file was deleted after it was opened, other processes lock a different file.
      for _ in 0..<3 {
        if descriptor < 0 { descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
        guard descriptor >= 0 else {
          report(errno)
          return false
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return false }
        if isAtPath {
          isHeld = true
          return true
        }
        close()
      }
      return false
    }

    /// Releases the lock, and keeps the file open for the next ``acquire()``.
    func release() {
      if isHeld { flock(descriptor, LOCK_UN) }
      isHeld = false
    }

    /// Logs once that the lock file can't be opened.
    ///
    /// - Parameter code: the value of `errno`.
    private func report(_ code: Int32) {
      guard !hasReported else { return }
      hasReported = true
      logger.error(
        "Writes wait, because \(path) can't be opened: \(String(cString: strerror(code))). Make it writable.")
    }

    /// Whether the open file is still the one at the path: both have the same device and inode.
    private var isAtPath: Bool {
      var (opened, present) = (stat(), stat())
      return fstat(descriptor, &opened) == 0 && stat(path, &present) == 0 && opened.st_ino == present.st_ino
        && opened.st_dev == present.st_dev
    }

    private func close() {
      // The lock belongs to the open file description, and is released with it.
      if descriptor >= 0 { closeFile(descriptor) }
      descriptor = -1
      isHeld = false
    }
  #endif
}

#if canImport(Glibc)
  private func closeFile(_ descriptor: Int32) { _ = Glibc.close(descriptor) }
#elseif canImport(Musl)
  private func closeFile(_ descriptor: Int32) { _ = Musl.close(descriptor) }
#elseif canImport(Darwin)
  private func closeFile(_ descriptor: Int32) { _ = Darwin.close(descriptor) }
#endif
