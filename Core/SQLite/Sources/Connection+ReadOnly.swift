internal import CSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(ucrt)
  import ucrt
#endif

/// Databases on media that can't be written.
extension Connection {
  /// Returns whether a file exists but can't be written, or no log can be created beside it.
  static func isOnReadOnlyMedium(_ path: String) -> Bool {
    #if os(Windows)
      return _access(path, 0) == 0 && _access(path, 2) != 0
    #else
      guard access(path, F_OK) == 0 else { return false }
      var directory = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? "."
      if directory.isEmpty { directory = "/" }
      return access(path, W_OK) != 0 || access(directory, W_OK) != 0
    #endif
  }

  /// Opens a database for reading that can't be written.
  ///
  /// SQLite's write-ahead log needs files beside the database, also for reading. The database is therefore
  /// opened as an immutable one (https://sqlite.org/uri.html#uriimmutable), which requires that everything is
  /// in the file itself, and that no process writes to it: it was closed, and its log is empty or missing.
  ///
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - disk: the name of an SQLite VFS; `nil` for the default one.
  ///   - owned: as for ``open(_:durability:busyTimeout:disk:salvages:readsOnly:owned:checksums:key:)``.
  ///   - checksums: whether to verify pages.
  ///   - key: the key of the database; `nil` if it isn't encrypted.
  /// - Throws: ``SQLiteError`` with ``SQLiteError/Code/readOnly`` if the database wasn't closed, and as
  ///   `open` does.
  static func openReadOnly(
    _ path: String, disk: String?, owned: Set<String>?, checksums: Bool, key: DatabaseKey? = nil
  ) throws(SQLiteError) -> Connection {
    for ending in ["-wal", "-shm"] where WriteAheadLog.size(of: path + ending) > 0 {
      throw readOnly(
        path,
        "it can't be opened for that, because it wasn't closed or is in use: \(path)\(ending) exists. Close it where it "
          + "can be written, and copy the file alone")
    }
    let access = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
    let handle = try handle(
      name: "file:\(escaped(path))?immutable=1", path, access, disk: disk, checksums: checksums,
      key: key)
    let connection = Connection(handle: handle, path: path, isReadOnly: true, key: key)
    try checkKey(handle, key, path: path)
    if let owned { try connection.checkOwner(owned) }
    do throws(SQLiteError) {
      try connection.execute("PRAGMA query_only = ON")
      try connection.execute("SELECT 1 FROM sqlite_schema")
    } catch { throw error.ofFile }
    return connection
  }

  /// Creates the error for a database that would have to be written.
  static func readOnly(_ path: String, _ message: String) -> SQLiteError {
    SQLiteError(code: .readOnly, message: message, resultCode: 0, sql: nil, path: path)
  }

  /// Escapes a path for a URI: all bytes except letters, digits and a few others.
  private static func escaped(_ path: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        bytes.append(byte)
      default:
        bytes += [
          UInt8(ascii: "%"), digits[Int(truncatingIfNeeded: byte >> 4)],
          digits[Int(truncatingIfNeeded: byte & 15)],
        ]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
