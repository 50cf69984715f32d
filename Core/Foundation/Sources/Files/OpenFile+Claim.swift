#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

extension OpenFile {
  /// Opens a file as with ``init(updating:)``, and claims it for this object with an exclusive `flock(2)`,
  /// which the system releases with the object and with the process.
  ///
  /// - Parameters:
  ///   - url: the file. Its directory must exist.
  ///   - opened: called each time the file has been opened and isn't claimed yet, so that tests can replace
  ///     it in between.
  /// - Returns: `nil` if another object, of this or another process, has claimed the file, or if it isn't a
  ///   regular file. On Windows, always `nil`.
  /// - Throws: ``SystemError``, as ``init(updating:)``.
  package static func claiming(_ url: URL, whenOpened opened: () -> Void = {}) throws(SystemError)
    -> OpenFile?
  {
    #if os(Windows)
      return nil
    #else
      for _ in 0..<100 {
        let file = try OpenFile(updating: url)
        opened()
        guard try file.descriptor.tryLock() else { return nil }
        // The previous owner may have renamed or removed the file after it was opened here.
        if file.isRegularFile(at: url.path) { return file }
      }
      return nil
    #endif
  }

  /// Removes all bytes behind a number of bytes. The position becomes the end of the file.
  ///
  /// - Parameter size: the new size in bytes. The file isn't shorter.
  /// - Throws: ``SystemError``.
  package func truncate(to size: Int64) throws(SystemError) {
    #if os(Windows)
      try Self.attempt("truncate", path) { try handle.truncate(atOffset: UInt64(clamping: size)) }
    #else
      guard let length = off_t(exactly: size), ftruncate(descriptor.number, length) == 0 else {
        throw SystemError("ftruncate", descriptor.path)
      }
    #endif
    try seek(to: size)
  }

  #if !os(Windows)
    /// Whether a path refers to this file, and it is a regular one.
    private func isRegularFile(at path: String) -> Bool {
      var (mine, other) = (stat(), stat())
      return fstat(descriptor.number, &mine) == 0 && lstat(path, &other) == 0 && mine.st_dev == other.st_dev
        && mine.st_ino == other.st_ino && mine.st_mode & S_IFMT == S_IFREG
    }
  #endif
}
