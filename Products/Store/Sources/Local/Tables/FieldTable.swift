import TenonDocuments
import TenonSQLite
import TenonStoreInterop

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The table `fields`: the numbers by which the index refers to field paths. Numbers are cached in memory.
///
/// `path` is the ordered encoding of the array of the path's names, so names may contain any character. A path receives
/// its number when a document with the field is first written, and keeps it. The cache is valid until the transaction
/// that assigned a number is rolled back; it grows with the number of distinct paths that the process uses.
final class FieldTable {
  private let reader: DatabaseReader
  private var numbers: [FieldPath: Int64] = [:]

  init(_ reader: DatabaseReader) { self.reader = reader }

  /// Returns the number of a field; `nil` if it has none, which means that no document ever had the field. That a field
  /// has none is not cached, because another process may assign one.
  ///
  /// - Throws: `SQLiteError`.
  func number(of field: FieldPath) throws -> Int64? {
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

  /// Returns the content of the column `path` for a field.
  private static func encoded(_ field: FieldPath) -> Data {
    OrderedEncoding.encode(.array(field.segments.map(Value.string)))
  }
}

extension FieldTable: TransactionParticipant {
  func transactionRolledBack() { numbers = [:] }
}
