#if os(Windows)
  import WinSDK
  import ucrt
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// A lock that objects of this and other processes hold on a file: one of them exclusively, or several
/// together.
///
/// The system releases the lock when the object is released and when the process ends, for whatever reason. A
/// suspended process (`SIGSTOP`) keeps it. The file is created if necessary, is empty, and remains when the
/// lock is released.
///
/// The lock is that of `flock(2)` on Unix, which belongs to the open file description, and the share mode of
/// `CreateFileW` on Windows, where it can't be shared. Calls must not overlap.
package final class FileLock {
  /// The path of the file.
  package let path: String
  /// Whether this object holds the lock exclusively.
  package private(set) var isExclusive = false

  /// Creates a lock that isn't held. The file is opened when the lock is first acquired.
  package init(_ path: String) { self.path = path }

  #if os(WASI)
    /// Acquires the lock. There are no other processes on this platform.
    package func acquire() throws(SystemError) -> Bool {
      isExclusive = true
      return true
    }

    /// Has no effect but that the lock is no longer exclusive.
    package func share() throws(SystemError) { isExclusive = false }

    /// Releases the lock.
    package func release() { isExclusive = false }
  #elseif os(Windows)
    private var file: HANDLE?

    deinit { release() }

    /// Acquires the lock exclusively without waiting; no effect if it is held so.
    ///
    /// - Returns: `false` if another object holds it.
    /// - Throws: ``SystemError`` with the code `EIO` if the file can't be opened.
    package func acquire() throws(SystemError) -> Bool {
      if isExclusive { return true }
      // With a share mode of 0, no other process can open the file.
      let handle: HANDLE? = path.withCString(encodedAs: UTF16.self) {
        CreateFileW(
          $0, UInt32(GENERIC_READ) | UInt32(GENERIC_WRITE), 0, nil, DWORD(OPEN_ALWAYS),
          DWORD(FILE_ATTRIBUTE_NORMAL), nil)
      }
      guard let handle, handle != INVALID_HANDLE_VALUE else {
        guard GetLastError() == DWORD(ERROR_SHARING_VIOLATION) else {
          throw SystemError("CreateFileW", path, code: EIO)
        }
        return false
      }
      file = handle
      isExclusive = true
      return true
    }

    /// Releases the lock, which can't be shared on this platform.
    package func share() throws(SystemError) { release() }

    /// Releases the lock; no effect if it isn't held.
    package func release() {
      if let file { CloseHandle(file) }
      file = nil
      isExclusive = false
    }
  #else
    /// An open file, whose descriptor is closed with the object.
    private final class File {
      let descriptor: Descriptor
      init(_ path: String) throws(SystemError) {
        descriptor = try Descriptor.opening(path, O_RDWR | O_CREAT, 0o600)
      }
    }

    private var file: File?

    /// Acquires the lock exclusively without waiting; no effect if it is held so.
    ///
    /// A lock on a file that was deleted in the meantime doesn't exclude those who open a new one. The file
    /// is therefore opened again until the locked file is the one at the path, at most three times.
    ///
    /// - Returns: `false` if another object holds the lock.
    /// - Throws: ``SystemError`` if the file can't be opened or locked.
    package func acquire() throws(SystemError) -> Bool {
      if isExclusive { return true }
      for _ in 0..<3 {
        let file = try opened()
        guard try file.descriptor.tryLock() else { return false }
        if file.descriptor.isAtPath {
          isExclusive = true
          return true
        }
        self.file = nil
      }
      return false
    }

    /// Waits until no other object holds the lock exclusively, and holds it together with others. An
    /// exclusive lock of this object becomes a shared one.
    ///
    /// - Throws: ``SystemError`` if the file can't be opened or locked.
    package func share() throws(SystemError) {
      try opened().descriptor.share()
      isExclusive = false
    }

    /// Releases the lock, and keeps the file open for the next ``acquire()``; no effect if it isn't held.
    package func release() {
      // What can't be unlocked is closed, which releases it, too.
      do throws(SystemError) { try file?.descriptor.unlock() } catch { file = nil }
      isExclusive = false
    }

    private func opened() throws(SystemError) -> File {
      if let file { return file }
      let file = try File(path)
      self.file = file
      return file
    }
  #endif
}
