#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

#if !os(Windows)
  /// The file operations of private files, as POSIX system calls. All of them may block. A call that a signal
  /// interrupts (`EINTR`) is repeated.
  enum Disk {
    /// The mode of new files: the owner may read and write.
    private static let ownerOnly: mode_t = 0o600

    /// The current time in milliseconds since 1970, for the names of files.
    static var milliseconds: Int {
      var time = timespec()
      clock_gettime(CLOCK_REALTIME, &time)
      // Checked: this machine's clock.
      return Int(clamping: time.tv_sec) * 1_000 + Int(clamping: time.tv_nsec) / 1_000_000
    }

    /// Returns the content of a file, or `nil` if it doesn't exist. A file that others than its owner may
    /// access becomes the owner's only.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - limit: the greatest size. A larger file is refused without being read.
    /// - Throws: ``SystemError`` of `open(2)`, `read(2)` or `fchmod(2)`; with the code `EFBIG` if the file is
    ///   larger.
    /// - Complexity: O(*n*) in the size of the file, all of which is read into memory.
    static func content(of path: String, upTo limit: Int) throws(SystemError) -> [UInt8]? {
      let file: Descriptor
      do throws(SystemError) { file = try Descriptor.opening(path, O_RDONLY, ownerOnly) } catch {
        guard error.code == ENOENT else { throw error }
        return nil
      }
      try file.restrictToOwner()
      return try file.content(upTo: limit)
    }

    /// Returns whether a file exists; `nil` if that can't be determined.
    ///
    /// - Parameter path: the file.
    static func exists(_ path: String) -> Bool? {
      if access(path, F_OK) == 0 { return true }
      return errno == ENOENT ? false : nil
    }

    /// Replaces a file atomically: writes a draft beside it, flushes that to the disk and renames it. A
    /// failure leaves the file unchanged. The caller must hold the file's lock, and call
    /// ``synchronize(directory:)`` afterwards to make the change durable.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - content: its new content.
    /// - Throws: ``SystemError`` of the call that failed.
    static func replace(_ path: String, with content: [UInt8]) throws(SystemError) {
      let draft = "\(path).draft"
      // A draft left behind by a crash may have any mode.
      unlink(draft)
      do throws(SystemError) {
        let file = try Descriptor.opening(draft, O_CREAT | O_EXCL | O_WRONLY, ownerOnly)
        try file.append(content)
        try file.synchronize()
        try move(draft, to: path)
      } catch {
        unlink(draft)
        throw error
      }
    }

    /// Writes a short content into an existing file, neither atomically nor durably. Errors are ignored.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - content: its new content.
    static func overwrite(_ path: String, with content: [UInt8]) {
      guard let file = try? Descriptor.opening(path, O_WRONLY | O_TRUNC, ownerOnly) else { return }
      try? file.append(content)
    }

    /// Removes a file. A file that doesn't exist isn't an error.
    ///
    /// - Parameter path: the file.
    /// - Throws: ``SystemError`` of `unlink(2)`.
    static func remove(_ path: String) throws(SystemError) {
      guard unlink(path) == 0 || errno == ENOENT else { throw SystemError("unlink", path) }
    }

    /// Renames a file with `rename(2)`, which replaces the other one atomically if it exists. Both must be on
    /// one file system.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - other: its new path.
    /// - Throws: ``SystemError`` of `rename(2)`, also if the file doesn't exist.
    static func move(_ path: String, to other: String) throws(SystemError) {
      guard rename(path, other) == 0 else { throw SystemError("rename", path) }
    }

    /// Makes the entries of a directory durable, with `fsync(2)`: a renamed or removed file stays so after a
    /// power failure.
    ///
    /// - Parameter directory: the path of the directory.
    /// - Throws: ``SystemError`` of `open(2)` or `fsync(2)`.
    static func synchronize(directory: String) throws(SystemError) {
      try Descriptor.opening(directory, O_RDONLY, ownerOnly).synchronize()
    }

    /// Calls `body` while holding an exclusive `flock(2)` on a file, which is created if necessary. The
    /// system releases the locks of a process that ends.
    ///
    /// - Parameters:
    ///   - path: the lock file, which is never removed.
    ///   - body: runs with the lock held.
    /// - Returns: what `body` returns.
    /// - Throws: ``SystemError`` of `open(2)` or `flock(2)`; what `body` throws.
    static func locked<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
      let file = try Descriptor.opening(path, O_CREAT | O_RDWR, ownerOnly)
      try file.lock()
      return try body()
    }
  }

  /// An open file. The descriptor is closed at the end of the value's lifetime.
  struct Descriptor: ~Copyable {
    /// The file descriptor, which is open for as long as this exists.
    let number: Int32
    /// The path with which it was opened, for errors.
    let path: String

    /// Takes ownership of an open descriptor.
    ///
    /// - Parameters:
    ///   - number: the descriptor.
    ///   - path: the path with which it was opened.
    private init(number: Int32, path: String) {
      self.number = number
      self.path = path
    }

    /// Opens a file, with `O_CLOEXEC` so that child processes don't inherit the descriptor.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - flags: the flags of `open(2)`.
    ///   - mode: the mode of a file that is created.
    /// - Returns: the open file.
    /// - Throws: ``SystemError`` of `open(2)`.
    static func opening(_ path: String, _ flags: Int32, _ mode: mode_t) throws(SystemError) -> Descriptor {
      while true {
        let number = open(path, flags | O_CLOEXEC, mode)
        if number >= 0 { return Descriptor(number: number, path: path) }
        guard errno == EINTR else { throw SystemError("open", path) }
      }
    }

    deinit { _ = close(number) }

    /// Denies a regular file to everyone but its owner.
    ///
    /// - Throws: ``SystemError`` of `fstat(2)`, or of `fchmod(2)` if this isn't possible.
    func restrictToOwner() throws(SystemError) {
      var information = stat()
      guard fstat(number, &information) == 0 else { throw SystemError("fstat", path) }
      guard information.st_mode & S_IFMT == S_IFREG, information.st_mode & 0o077 != 0 else { return }
      guard fchmod(number, information.st_mode & 0o700) == 0 else { throw SystemError("fchmod", path) }
    }

    /// Returns the bytes from the current position to the end.
    ///
    /// - Parameter limit: the greatest number of bytes.
    /// - Throws: ``SystemError`` of `read(2)`; with the code `EFBIG` if there are more bytes.
    func content(upTo limit: Int) throws(SystemError) -> [UInt8] {
      var information = stat()
      guard fstat(number, &information) == 0 else { throw SystemError("fstat", path) }
      guard information.st_size <= limit else { throw SystemError("read", path, code: EFBIG) }
      var content: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 1 << 14)
      while true {
        let count = buffer.withUnsafeMutableBytes { read(number, $0.baseAddress, $0.count) }
        if count == 0 { return content }
        if count > 0 {
          content += buffer[..<count]
          // The file can grow while it is read.
          guard content.count <= limit else { throw SystemError("read", path, code: EFBIG) }
        } else if errno != EINTR {
          throw SystemError("read", path)
        }
      }
    }

    /// Writes all bytes at the current position, with as many calls of `write(2)` as necessary.
    ///
    /// - Parameter content: the bytes.
    /// - Throws: ``SystemError`` of `write(2)`. Some of the bytes may have been written then.
    func append<Bytes: Collection<UInt8>>(_ content: Bytes) throws(SystemError) {
      var rest = content[...]
      while !rest.isEmpty {
        let count =
          rest.withContiguousStorageIfAvailable { write(number, $0.baseAddress, $0.count) }
          ?? Array(rest).withUnsafeBytes { write(number, $0.baseAddress, $0.count) }
        if count >= 0 {
          // Checked: a number of bytes that were written.
          rest = rest.dropFirst(count)
        } else if errno != EINTR {
          throw SystemError("write", path)
        }
      }
    }

    /// Flushes the content to the disk.
    ///
    /// - Throws: ``SystemError`` of `fsync(2)`.
    func synchronize() throws(SystemError) {
      guard fsync(number) == 0 else { throw SystemError("fsync", path) }
    }

  }
#endif
