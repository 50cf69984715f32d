import Foundation
import TenonSQLite

/// The table `globals`: single values by name. The accessors return `nil` if the value is missing or has another type.
struct GlobalTable {
  private let reader: DatabaseReader

  init(_ reader: DatabaseReader) { self.reader = reader }

  private func value(_ name: String) throws -> SQLValue {
    try reader.first("SELECT value FROM globals WHERE name = ?", [.text(name)]) { $0.value(0) } ?? .null
  }

  func integer(_ name: String) throws -> Int64? {
    if case .integer(let integer) = try value(name) { integer } else { nil }
  }

  func text(_ name: String) throws -> String? {
    if case .text(let text) = try value(name) { text } else { nil }
  }

  func blob(_ name: String) throws -> Data? {
    if case .blob(let bytes) = try value(name) { bytes } else { nil }
  }

  func set(_ name: String, _ value: SQLValue, in transaction: WriteTransaction) throws {
    try transaction.run(
      "INSERT OR REPLACE INTO globals (name, value) VALUES (?, ?)", [.text(name), value])
  }
}
