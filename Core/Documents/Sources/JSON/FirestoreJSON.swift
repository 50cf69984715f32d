import TenonStoreInterop

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// JSON as Firestore writes documents and queries in it (the JSON mapping of `google.firestore.v1`).
package indirect enum FirestoreJSON: Decodable, Sendable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case double(Double)
  case string(String)
  case array([FirestoreJSON])
  case object([String: FirestoreJSON])

  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged``.
  package init(_ bytes: Data) throws(DocumentError) {
    do { self = try JSONDecoder().decode(FirestoreJSON.self, from: bytes) } catch {
      throw DocumentError(.damaged, "It isn't JSON: \(error).")
    }
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .boolean(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .double(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([FirestoreJSON].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: FirestoreJSON].self))
    }
  }

  package subscript(name: String) -> FirestoreJSON? {
    guard case .object(let members) = self, let member = members[name] else { return nil }
    if case .null = member { return nil }
    return member
  }

  package var string: String? { if case .string(let value) = self { value } else { nil } }
  package var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
  package var array: [FirestoreJSON] { if case .array(let value) = self { value } else { [] } }

  /// A number; 64-bit integers stand in strings.
  package var integer: Int64? {
    switch self {
    case .integer(let value): value
    case .string(let text): Int64(text)
    case .double(let value): Int64(exactly: value)
    default: nil
    }
  }

  var double: Double? {
    switch self {
    case .double(let value): value
    case .integer(let value): Double(value)
    case .string("NaN"): .nan
    case .string("Infinity"): .infinity
    case .string("-Infinity"): -.infinity
    default: nil
    }
  }

  static func damaged(_ what: String) -> DocumentError {
    DocumentError(.damaged, "\(what) can't be read as Firestore's JSON.")
  }
}
