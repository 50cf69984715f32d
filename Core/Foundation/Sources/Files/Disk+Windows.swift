#if os(Windows)
  import Foundation
  import ucrt

  /// The file operations of private files on Windows. The files are in the user's profile, which other users
  /// can't access. There is no lock between processes.
  ///
  /// The functions have the signatures of those for POSIX systems, but guarantee less: nothing is flushed to
  /// the disk, and ``locked(_:_:)`` excludes nothing. Every error has the code `EIO`.
  enum Disk {
    /// The current time in milliseconds since 1970, for the names of files.
    static var milliseconds: Int {
      // Checked: this machine's clock.
      Int(Date().timeIntervalSince1970 * 1_000)
    }

    /// Returns the content of a file, or `nil` if it doesn't exist. A larger file than `limit` is refused.
    static func content(of path: String, upTo limit: Int) throws(SystemError) -> [UInt8]? {
      guard FileManager.default.fileExists(atPath: path) else { return nil }
      let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
      guard size ?? 0 <= limit else { throw SystemError("read", path, code: EFBIG) }
      return try attempt("read", path) { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }
    }

    /// Returns whether a file exists.
    static func exists(_ path: String) -> Bool? { FileManager.default.fileExists(atPath: path) }

    /// Replaces a file atomically.
    static func replace(_ path: String, with content: [UInt8]) throws(SystemError) {
      try attempt("write", path) { try Data(content).write(to: URL(fileURLWithPath: path), options: .atomic) }
    }

    /// Does nothing: there are no lock files.
    static func overwrite(_ path: String, with content: [UInt8]) {}

    /// Removes a file. A file that doesn't exist isn't an error.
    static func remove(_ path: String) throws(SystemError) {
      guard FileManager.default.fileExists(atPath: path) else { return }
      try attempt("remove", path) { try FileManager.default.removeItem(atPath: path) }
    }

    /// Renames a file.
    static func move(_ path: String, to other: String) throws(SystemError) {
      try attempt("move", path) { try FileManager.default.moveItem(atPath: path, toPath: other) }
    }

    /// Does nothing.
    static func synchronize(directory: String) throws(SystemError) {}

    /// Calls `body` without a lock.
    static func locked<Value>(_ path: String, _ body: () throws -> Value) throws -> Value { try body() }

    /// Calls `body` and converts its error to a ``SystemError`` with the code `EIO`.
    private static func attempt<Value>(
      _ operation: String, _ path: String, _ body: () throws -> Value
    ) throws(SystemError) -> Value {
      do { return try body() } catch { throw SystemError(operation, path, code: EIO) }
    }
  }
#endif
