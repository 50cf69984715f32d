#if os(Windows)
  package import Foundation
  import ucrt
#elseif canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// An open file of the user, which is closed when the object is released. Every call may block.
///
/// Its calls must not overlap, because they share the position in the file. On Windows, every error has the
/// code `EIO`.
package final class OpenFile {
  #if os(Windows)
    let handle: FileHandle
    let path: String
  #else
    let descriptor: Descriptor
  #endif

  /// Opens a file for reading, at its beginning.
  ///
  /// Symbolic links are followed. A directory can be opened, but not read.
  ///
  /// - Parameter url: the file.
  /// - Throws: ``SystemError`` if there is no such file or it may not be read, or with the code
  ///   `EPROTONOSUPPORT` if the URL isn't one of a file.
  package init(reading url: URL) throws(SystemError) {
    try Self.check(url)
    #if os(Windows)
      path = url.path
      handle = try Self.attempt("open", path) { try FileHandle(forReadingFrom: url) }
    #else
      descriptor = try Descriptor.opening(url.path, O_RDONLY, 0)
    #endif
  }

  /// Creates a file, or empties it if it exists, and opens it for writing.
  ///
  /// The mode of a new file is 0666, without the bits of the process's `umask`.
  ///
  /// - Parameter url: the file. Its directory must exist.
  /// - Throws: ``SystemError`` if it can't be written, or with the code `EPROTONOSUPPORT` if the URL isn't
  ///   one of a file.
  package init(creating url: URL) throws(SystemError) {
    try Self.check(url)
    #if os(Windows)
      path = url.path
      handle = try Self.attempt("open", path) {
        try Data().write(to: url)
        return try FileHandle(forWritingTo: url)
      }
    #else
      descriptor = try Descriptor.opening(url.path, O_CREAT | O_TRUNC | O_WRONLY, 0o666)
    #endif
  }

  /// Opens a file for reading and writing, and creates it if there is none. Its content is kept, and the
  /// position is its beginning.
  ///
  /// The mode of a new file is 0666, without the bits of the process's `umask`. A symbolic link isn't
  /// followed.
  ///
  /// - Parameter url: the file. Its directory must exist.
  /// - Throws: ``SystemError`` if it can't be written or is a symbolic link, or with the code
  ///   `EPROTONOSUPPORT` if the URL isn't one of a file.
  package init(updating url: URL) throws(SystemError) {
    try Self.check(url)
    #if os(Windows)
      path = url.path
      handle = try Self.attempt("open", path) {
        if !FileManager.default.fileExists(atPath: url.path) { try Data().write(to: url) }
        return try FileHandle(forUpdating: url)
      }
    #else
      descriptor = try Descriptor.opening(url.path, O_CREAT | O_RDWR | O_NOFOLLOW, 0o666)
    #endif
  }

  /// Returns the size in bytes. The position becomes the end of the file.
  ///
  /// - Throws: ``SystemError``, also if the file has no size because it is a pipe.
  package func size() throws(SystemError) -> Int64 {
    #if os(Windows)
      try Self.attempt("seek", path) { Int64(clamping: try handle.seekToEnd()) }
    #else
      let end = lseek(descriptor.number, 0, SEEK_END)
      guard end >= 0 else { throw SystemError("lseek", descriptor.path) }
      return Int64(clamping: end)
    #endif
  }

  /// Returns when the content last changed, in nanoseconds since 1970 as the file system records it.
  ///
  /// - Throws: ``SystemError``.
  package func modified() throws(SystemError) -> Int64 {
    #if os(Windows)
      let attributes = try Self.attempt("stat", path) {
        try FileManager.default.attributesOfItem(atPath: path)
      }
      let date = attributes[.modificationDate] as? Date ?? Date(timeIntervalSince1970: 0)
      return Int64(exactly: (date.timeIntervalSince1970 * 1e9).rounded()) ?? 0
    #else
      var status = stat()
      guard fstat(descriptor.number, &status) == 0 else { throw SystemError("fstat", descriptor.path) }
      #if canImport(Darwin)
        let time = status.st_mtimespec
      #else
        let time = status.st_mtim
      #endif
      return Int64(clamping: time.tv_sec) &* 1_000_000_000 &+ Int64(clamping: time.tv_nsec)
    #endif
  }

  /// Moves to a position.
  ///
  /// - Parameter offset: the number of bytes from the beginning. It may be behind the end, where nothing can
  ///   be read.
  /// - Throws: ``SystemError``, also if the number is negative.
  package func seek(to offset: Int64) throws(SystemError) {
    #if os(Windows)
      try Self.attempt("seek", path) { try handle.seek(toOffset: UInt64(clamping: offset)) }
    #else
      guard let position = off_t(exactly: offset), lseek(descriptor.number, position, SEEK_SET) >= 0 else {
        throw SystemError("lseek", descriptor.path)
      }
    #endif
  }

  /// Returns the bytes at the current position, and moves behind them.
  ///
  /// - Parameter count: the number of bytes, at least 1.
  /// - Returns: `count` bytes; fewer only at the end of the file.
  /// - Throws: ``SystemError``, also if the file is a directory.
  package func bytes(upTo count: Int) throws(SystemError) -> Data {
    #if os(Windows)
      return try Self.attempt("read", path) { try handle.read(upToCount: count) ?? Data() }
    #else
      #if os(Linux)
        if count >= Self.largeBuffer { return try pages(upTo: count) }
      #endif
      // Checked: at least 1, by contract.
      var content = Data(count: count)
      let filled = try content.withUnsafeMutableBytes { bytes in
        Result { () throws(SystemError) in try fill(bytes) }
      }.get()
      // Checked: a number of bytes that have been read.
      return content.prefix(filled)
    #endif
  }

  #if !os(Windows)
    /// Reads bytes into a buffer, until it is full or the file ends.
    ///
    /// - Returns: the number of bytes.
    private func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
      var filled = 0
      while filled < buffer.count {
        let added = read(
          descriptor.number, buffer.baseAddress.map { $0 + filled }, buffer.count - filled)
        if added == 0 { break }
        if added > 0 {
          filled += added
        } else if errno != EINTR {
          throw SystemError("read", descriptor.path)
        }
      }
      return filled
    }
  #endif

  #if os(Linux)
    /// The size from which a buffer has separate pages: 1 MiB.
    private static let largeBuffer = 1 << 20

    /// Returns the bytes at the current position in pages that return to the system when they are released.
    /// The C library's allocator keeps large blocks for later ones, once for each thread that has used some.
    private func pages(upTo count: Int) throws(SystemError) -> Data {
      let start = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
      guard let start, start != MAP_FAILED else { throw SystemError("mmap", descriptor.path) }
      let filled: Int
      do throws(SystemError) {
        filled = try fill(UnsafeMutableRawBufferPointer(start: start, count: count))
      } catch {
        munmap(start, count)
        throw error
      }
      return Data(
        bytesNoCopy: start, count: filled, deallocator: .custom { pages, _ in munmap(pages, count) })
    }
  #endif

  /// Writes bytes at the current position, and moves behind them.
  ///
  /// - Throws: ``SystemError``. Some of the bytes may have been written then.
  package func append(_ content: Data) throws(SystemError) {
    #if os(Windows)
      try Self.attempt("write", path) { try handle.write(contentsOf: content) }
    #else
      try descriptor.append(content)
    #endif
  }

  /// Flushes the content to the disk.
  ///
  /// - Throws: ``SystemError``.
  package func synchronize() throws(SystemError) {
    #if os(Windows)
      try Self.attempt("flush", path) { try handle.synchronize() }
    #else
      try descriptor.synchronize()
    #endif
  }

  /// Throws ``SystemError`` with the code `EPROTONOSUPPORT` unless a URL is one of a file.
  private static func check(_ url: URL) throws(SystemError) {
    guard url.isFileURL else { throw SystemError("open", url.absoluteString, code: EPROTONOSUPPORT) }
  }

  #if os(Windows)
    /// Calls `body` and converts its error to a ``SystemError`` with the code `EIO`.
    static func attempt<Value>(
      _ operation: String, _ path: String, _ body: () throws -> Value
    ) throws(SystemError) -> Value {
      do { return try body() } catch { throw SystemError(operation, path, code: EIO) }
    }
  #endif
}
