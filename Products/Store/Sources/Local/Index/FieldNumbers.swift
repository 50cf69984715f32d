import Foundation
import TenonDocuments
import TenonSQLite
import TenonStoreInterop

/// The numbers by which the index knows fields, as they are in the table `fields`.
///
/// It isn't `Sendable`: its owner confines it.
final class FieldNumbers {
  private let database: Connection
  private var numbers: [FieldPath: Int64] = [:]

  init(_ database: Connection) { self.database = database }

  /// The number of a field, which gets one if it has none.
  func number(of field: FieldPath) throws -> Int64 {
    if let number = try existingNumber(of: field) { return number }
    try database.run("INSERT INTO fields (path) VALUES (?)", [.blob(Self.encoded(field))])
    numbers[field] = database.lastInsertedRowID
    return database.lastInsertedRowID
  }

  func existingNumber(of field: FieldPath) throws -> Int64? {
    if let number = numbers[field] { return number }
    let number = try database.first("SELECT id FROM fields WHERE path = ?", [.blob(Self.encoded(field))]) {
      $0.integer(0)
    }
    numbers[field] = number
    return number
  }

  /// Forgets what was learnt in a transaction that came to nothing.
  func forget() { numbers = [:] }

  private static func encoded(_ field: FieldPath) -> Data {
    OrderedEncoding.encode(.array(field.segments.map(Value.string)))
  }
}
