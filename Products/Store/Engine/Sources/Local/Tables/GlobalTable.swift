import TenonFoundation
import TenonSQLite

/// The table `globals`: single values by name. The accessors return `nil` if the value is missing or has
/// another type. Values aren't cached, because other processes change them.
///
/// The names are:
/// - `sequence`: the number of the last transaction; see ``WriteTransaction/number``.
/// - `target`: the greatest ID of a target.
/// - `version`: the timestamp of the last consistent snapshot; see ``TargetTable/remoteVersion``.
/// - `indexes`: the number of times that the composite indexes have changed; see ``IndexTable``.
/// - `shared`: the raw value of the recorded ``Sharing``; missing or `NULL` for `localOnly`. See
///   ``DatabaseOpening``.
/// - `user`: the current user's ID; `NULL` for the signed-out user.
/// - `identity`: a UUID of the queue, which its backups share; missing before the first backup. See
///   ``QueueHistory``.
/// - `sent:` and a user's ID, which is empty for the signed-out user: the last batch of the user that may
///   have reached the remote; see ``UserTable/lastSent()``.
/// - `token:` and a user's ID, which is empty for the signed-out user: the token of the user's write stream.
package struct GlobalTable {
  private let reader: DatabaseReader

  init(_ reader: DatabaseReader) { self.reader = reader }

  /// Returns a value; null if it is missing.
  private func value(_ name: String) throws -> SQLValue {
    try reader.first("SELECT value FROM globals WHERE name = ?", [.text(name)]) { $0.value(0) } ?? .null
  }

  /// Returns a number that counts upward from 0; 0 if there is none.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if the number is negative or exceeds 2^62,
  ///   which no counter reaches; `SQLiteError`.
  func counter(_ name: String) throws -> Int64 {
    try Self.counter(try integer(name) ?? 0, name, in: reader.path)
  }

  /// Checks a number from the database that counts upward from 0, so that adding to it can't overflow.
  ///
  /// - Parameters:
  ///   - number: the number.
  ///   - name: its name, for the error.
  ///   - path: the path of the database; `nil` in memory.
  /// - Returns: the number.
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if the number is negative or exceeds 2^62.
  static func counter(_ number: Int64, _ name: String, in path: String?) throws(StoreError) -> Int64 {
    guard (0...1 << 62).contains(number) else {
      throw .damaged(path, "its counter \"\(name)\" is \(number)")
    }
    return number
  }

  /// Returns an integer; `nil` if there is none.
  func integer(_ name: String) throws -> Int64? {
    if case .integer(let integer) = try value(name) { integer } else { nil }
  }

  /// Returns text; `nil` if there is none.
  package func text(_ name: String) throws -> String? {
    if case .text(let text) = try value(name) { text } else { nil }
  }

  /// Returns bytes; `nil` if there are none.
  func blob(_ name: String) throws -> Data? {
    if case .blob(let bytes) = try value(name) { bytes } else { nil }
  }

  /// Sets a value, replacing the old one and its type. Null counts as a missing value.
  ///
  /// - Throws: `SQLiteError`.
  func set(_ name: String, _ value: SQLValue, in transaction: WriteTransaction) throws {
    try transaction.run(
      "INSERT OR REPLACE INTO globals (name, value) VALUES (?, ?)", [.text(name), value])
  }
}
