#if os(Windows)
  import Foundation
  import ucrt

  /// The few operations on files that private files need. The user's profile, where they lie, is closed to others; there
  /// is no lock among processes.
  enum Disk {
    /// Now, for the names of files.
    static var milliseconds: Int { Int(Date().timeIntervalSince1970 * 1_000) }

    static func content(of path: String) throws(SystemError) -> [UInt8]? {
      guard FileManager.default.fileExists(atPath: path) else { return nil }
      return try attempt("read", path) { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }
    }

    static func replace(_ path: String, with content: [UInt8]) throws(SystemError) {
      try attempt("write", path) { try Data(content).write(to: URL(fileURLWithPath: path), options: .atomic) }
    }

    static func remove(_ path: String) throws(SystemError) {
      guard FileManager.default.fileExists(atPath: path) else { return }
      try attempt("remove", path) { try FileManager.default.removeItem(atPath: path) }
    }

    static func move(_ path: String, to other: String) throws(SystemError) {
      try attempt("move", path) { try FileManager.default.moveItem(atPath: path, toPath: other) }
    }

    static func synchronize(directory: String) throws(SystemError) {}

    static func locked<Value>(_ path: String, _ body: () throws -> Value) throws -> Value { try body() }

    private static func attempt<Value>(
      _ operation: String, _ path: String, _ body: () throws -> Value
    ) throws(SystemError) -> Value {
      do { return try body() } catch { throw SystemError(operation, path, code: EIO) }
    }
  }
#endif
