import TenonDocuments
import TenonFoundation
import TenonSQLite
package import TenonValues

/// The table `fields`: the numbers by which the index refers to field paths. Numbers are cached in memory.
///
/// `path` is the ordered encoding of the array of the path's names, so names may contain any character. A
/// path receives its number when it is first indexed, and keeps it. The cache is valid until the transaction
/// that assigned a number is rolled back; it grows with the number of distinct paths that the process uses.
package final class FieldTable {
  private let reader: DatabaseReader
  private var numbers: [FieldPath: Int64] = [:]

  init(_ reader: DatabaseReader) { self.reader = reader }

  /// Returns the number of a field; `nil` if it has none, which means that the field has no entries. That a
  /// field has none isn't cached, because another process may assign one.
  ///
  /// - Throws: `SQLiteError`.
  package func number(of field: FieldPath) throws -> Int64? {
    if let number = numbers[field] { return number }
    let number = try reader.first("SELECT id FROM fields WHERE path = ?", [.blob(Self.encoded(field))]) {
      $0.integer(0)
    }
    numbers[field] = number
    return number
  }

  /// Returns the number of a field, assigning one if necessary.
  ///
  /// - Throws: `SQLiteError`.
  func number(of field: FieldPath, in transaction: WriteTransaction) throws -> Int64 {
    if let number = try number(of: field) { return number }
    try transaction.run("INSERT INTO fields (path) VALUES (?)", [.blob(Self.encoded(field))])
    numbers[field] = transaction.lastInsertedRowID
    return transaction.lastInsertedRowID
  }

  /// Returns the field with a number; `nil` if there is none, or its path can't be decoded.
  ///
  /// - Throws: `SQLiteError`.
  package func path(of number: Int64) throws -> FieldPath? {
    try reader.first("SELECT path FROM fields WHERE id = ?", [.integer(number)]) { Self.decoded($0.blob(0)) }
      ?? nil
  }

  /// Returns the field whose path is encoded in the column `path`; `nil` if it can't be decoded.
  static func decoded(_ bytes: Data) -> FieldPath? {
    // An array of texts, in each of which 0 is followed by 255, or by 0 at the end.
    let (array, text) = (Self.encoded(FieldPath([])), OrderedEncoding.encode(.string("")))
    guard bytes.first == array.first, let tag = text.first else { return nil }
    var names: [String] = []
    var rest = bytes.dropFirst()
    while rest.first == tag {
      rest = rest.dropFirst()
      var name = Data()
      while true {
        guard let byte = rest.popFirst() else { return nil }
        guard byte == 0 else {
          name.append(byte)
          continue
        }
        guard rest.popFirst() == 255 else { break }
        name.append(0)
      }
      guard let string = String(validating: name, as: UTF8.self) else { return nil }
      names.append(string)
    }
    return encoded(FieldPath(names)) == bytes && !names.isEmpty ? FieldPath(names) : nil
  }

  /// Returns the content of the column `path` for a field.
  private static func encoded(_ field: FieldPath) -> Data {
    OrderedEncoding.encode(.array(field.segments.map(Value.string)))
  }
}

extension FieldTable: TransactionParticipant {
  func transactionRolledBack() { numbers = [:] }
}
